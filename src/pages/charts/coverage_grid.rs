//! Records by source and year: one row a source, one cell a year, darker with more records.

use askama::{Template, filters::HtmlSafe};

use super::{length::Percent, years::usual_years};
use crate::{
    model::Language,
    pages::{format, messages::Texts},
};

#[derive(Debug, Template)]
#[template(path = "charts/coverage_grid.html")]
pub(crate) struct CoverageGrid {
    pub(crate) lang: Language,
    /// An HTML id, unique in the page.
    pub(crate) id: &'static str,
    /// States what the chart shows, in the page's language.
    pub(crate) title: String,
    pub(crate) rows: Vec<CoverageRow>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CoverageRow {
    pub(crate) name: String,
    /// In any order, each year once.
    pub(crate) years: Vec<YearCount>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct YearCount {
    pub(crate) year: i32,
    pub(crate) records: u64,
}

impl HtmlSafe for CoverageGrid {}

/// The lower bounds of the shades, from light to dark.
const SHADES: [u64; 5] = [1, 100, 1_000, 10_000, 100_000];

/// The classes of a cell without records, and of the shades.
const CLASSES: [&str; 6] = ["shade-0", "shade-1", "shade-2", "shade-3", "shade-4", "shade-5"];

/// What the template draws.
struct Drawing {
    /// The years under the cells, with the class of their alignment.
    first: i32,
    last: i32,
    cell: Percent,
    rows: Vec<DrawnRow>,
    legend: Vec<Shade>,
    note: Option<String>,
    /// All years with records, the last one first, with the records of each row.
    table: Vec<(i32, Vec<String>)>,
}

struct DrawnRow {
    name: String,
    /// What a person hears instead of seeing the cells.
    about: String,
    cells: Vec<Cell>,
}

struct Cell {
    x: Percent,
    class: &'static str,
    about: String,
}

struct Shade {
    class: &'static str,
    text: String,
}

impl CoverageGrid {
    fn texts(&self) -> Texts {
        Texts::of(self.lang)
    }

    /// `None` if no row has a year.
    fn drawing(&self) -> Option<Drawing> {
        let mut years: Vec<i32> = self
            .rows
            .iter()
            .flat_map(|row| &row.years)
            .map(|count| count.year)
            .collect();
        years.sort_unstable();
        years.dedup();
        let counts = self.rows.iter().flat_map(|row| &row.years);
        let period = usual_years(counts.map(|count| (count.year, count.records)))?;
        let (from, last) = (*period.start(), *period.end());
        let cell = 1.0 / f64::from(last - from + 1);
        let t = self.texts();
        let is_cut = years.first() < Some(&from) || years.last() > Some(&last);
        let note = is_cut.then(|| {
            let (first, last) = (from.to_string(), last.to_string());
            t.with("chart-years-cut", &[("first", &first), ("last", &last)])
        });
        Some(Drawing {
            first: from,
            last,
            cell: Percent(cell),
            rows: self.rows.iter().map(|row| self.row(row, from, last, cell)).collect(),
            legend: self.legend(),
            note,
            table: years
                .iter()
                .rev()
                .map(|year| (*year, self.table_cells(*year)))
                .collect(),
        })
    }

    fn row(&self, row: &CoverageRow, from: i32, last: i32, cell: f64) -> DrawnRow {
        let draw = |year: i32| {
            let records = row.records(year);
            Cell {
                x: Percent(f64::from(year - from) * cell),
                class: class_of(records),
                about: self.about_year(year, records),
            }
        };
        DrawnRow {
            name: row.name.clone(),
            about: self.about_row(row),
            cells: (from..=last).map(draw).collect(),
        }
    }

    fn about_year(&self, year: i32, records: u64) -> String {
        let year = year.to_string();
        self.texts()
            .with("chart-year-number", &[("year", &year), ("count", &records)])
    }

    fn about_row(&self, row: &CoverageRow) -> String {
        let t = self.texts();
        let with_records = || {
            row.years
                .iter()
                .filter(|count| count.records > 0)
                .map(|count| count.year)
        };
        let (Some(first), Some(last)) = (with_records().min(), with_records().max()) else {
            return t.with("chart-row-empty", &[("name", &row.name)]);
        };
        let records: u64 = row.years.iter().map(|count| count.records).fold(0, u64::saturating_add);
        let (first, last) = (first.to_string(), last.to_string());
        t.with(
            "chart-row-about",
            &[
                ("name", &row.name),
                ("count", &records),
                ("first", &first),
                ("last", &last),
            ],
        )
    }

    fn legend(&self) -> Vec<Shade> {
        let t = self.texts();
        let none = Shade {
            class: CLASSES[0],
            text: t.text("chart-shade-none"),
        };
        let shades = SHADES
            .iter()
            .zip(&CLASSES[1..])
            .enumerate()
            .map(|(index, (bound, class))| {
                let from = format::count(self.lang, *bound);
                Shade {
                    class,
                    text: match SHADES.get(index + 1) {
                        Some(next) => {
                            let to = format::count(self.lang, next - 1);
                            t.with("chart-shade", &[("from", &from), ("to", &to)])
                        }
                        None => t.with("chart-shade-last", &[("from", &from)]),
                    },
                }
            });
        std::iter::once(none).chain(shades).collect()
    }

    fn table_cells(&self, year: i32) -> Vec<String> {
        let count = |row: &CoverageRow| match row.records(year) {
            0 => String::new(),
            records => format::count(self.lang, records),
        };
        self.rows.iter().map(count).collect()
    }
}

impl CoverageRow {
    fn records(&self, year: i32) -> u64 {
        let of_year = self.years.iter().filter(|count| count.year == year);
        of_year.map(|count| count.records).sum()
    }
}

fn class_of(records: u64) -> &'static str {
    CLASSES[SHADES.iter().filter(|bound| records >= **bound).count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(years: &[(i32, u64)]) -> CoverageGrid {
        let count = |(year, records): &(i32, u64)| YearCount {
            year: *year,
            records: *records,
        };
        CoverageGrid {
            lang: Language::English,
            id: "coverage",
            title: "Records by source and year".to_owned(),
            rows: vec![
                CoverageRow {
                    name: "SEAO".to_owned(),
                    years: years.iter().map(count).collect(),
                },
                CoverageRow {
                    name: "Empty".to_owned(),
                    years: Vec::new(),
                },
            ],
        }
    }

    #[test]
    fn a_cell_is_darker_with_more_records_and_says_how_many() {
        for (records, class) in [
            (0, 0),
            (1, 1),
            (99, 1),
            (100, 2),
            (9_999, 3),
            (10_000, 4),
            (u64::MAX, 5),
        ] {
            assert_eq!(class_of(records), CLASSES[class], "{records}");
        }
        let chart = grid(&[(2019, 12_345), (2021, 7)]);
        let html = chart.render().unwrap();
        for part in [
            "<title>2019: 12,345 records</title>",
            "<title>2020: 0 records</title>",
            "SEAO: 12,352 records, 2019 to 2021",
            "Empty: no records",
            "1,000 to 9,999",
            "<td class=\"number\" data-label=\"SEAO\">12,345</td>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        assert!(!html.contains("style="), "{html}");
    }

    #[test]
    fn a_wrong_year_does_not_make_the_grid_long() {
        let drawing = grid(&[(1, 5), (2019, 100), (2021, 7), (9999, 1)]).drawing().unwrap();
        assert_eq!(
            (drawing.first, drawing.rows[0].cells.len(), drawing.table.len()),
            (2019, 3, 4)
        );
        assert!(drawing.note.is_some());
        assert!(grid(&[]).drawing().is_none());
        assert!(!grid(&[]).render().unwrap().contains("<svg"));
    }
}
