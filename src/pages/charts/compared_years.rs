//! Values or numbers by year of several things: the bars of each, one below the other, with the same years and the same
//! scale, and one table.

use std::collections::BTreeMap;

use askama::{Template, filters::HtmlSafe};

use super::{
    measure::Measure,
    year_bars::{Drawing, YearBars},
    years::YearValue,
};
use crate::{model::Language, pages::messages::Texts};

#[derive(Debug, Template)]
#[template(path = "charts/compared_years.html")]
pub(crate) struct ComparedYears {
    pub(crate) lang: Language,
    /// States what the charts show, in the page's language.
    pub(crate) title: String,
    /// The name of each thing and its bars.
    series: Vec<(String, YearBars)>,
}

impl HtmlSafe for ComparedYears {}

/// A figure of a thing in a year, and the search for its records.
struct Cell<'a> {
    name: &'a str,
    written: String,
    href: Option<String>,
}

impl ComparedYears {
    pub(crate) fn new(lang: Language, title: String, mut series: Vec<(String, YearBars)>) -> ComparedYears {
        let years: Vec<Vec<YearValue>> = series.iter().map(|(_, bars)| bars.years.clone()).collect();
        for (own, (_, bars)) in series.iter_mut().enumerate() {
            let others = years.iter().enumerate().filter(|(other, _)| *other != own);
            bars.same_axes_as = others.flat_map(|(_, years)| years).copied().collect();
        }
        ComparedYears { lang, title, series }
    }

    fn texts(&self) -> Texts {
        Texts::of(self.lang)
    }

    /// The value, if any of the things has one; otherwise the number.
    fn measure(&self) -> &[Measure] {
        let mut all = self.series.iter().map(|(_, bars)| bars.measures());
        let longest = all.clone().max_by_key(|measures| measures.len()).or_else(|| all.next());
        longest.and_then(|measures| measures.get(..1)).unwrap_or_default()
    }

    fn drawn(&self) -> impl Iterator<Item = (&str, &YearBars, Drawing)> {
        let measure = self.measure();
        let drawn = self.series.iter();
        drawn.map(move |(name, bars)| (name.as_str(), bars, bars.drawing_of(measure)))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.series.iter().map(|(name, _)| name.as_str())
    }

    /// The figures of each year, in the order of the things.
    fn rows(&self) -> BTreeMap<i32, Vec<Cell<'_>>> {
        let mut rows: BTreeMap<i32, Vec<Cell>> = BTreeMap::new();
        let years = self.series.iter().flat_map(|(_, bars)| bars.all_years());
        let years: Vec<i32> = years.map(|year| year.year).collect();
        for year in years {
            rows.entry(year).or_default();
        }
        for (name, bars) in &self.series {
            for (year, cells) in &mut rows {
                cells.push(self.cell(name, bars, *year));
            }
        }
        rows
    }

    fn cell<'a>(&self, name: &'a str, bars: &YearBars, year: i32) -> Cell<'a> {
        let of_year = bars.years.iter().find(|known| known.year == year);
        let written = |measure: &Measure| match of_year {
            Some(year) if measure.is_sum && year.has_no_value() => self.texts().text("chart-no-value"),
            _ => (measure.write_exactly)(self.lang, of_year.map_or(0.0, measure.value)),
        };
        let has_none = of_year.is_none_or(|known| known.count == 0);
        let gap = bars.gap(year).filter(|_| has_none);
        let unknown = gap.map(|gap| gap.instead_of_none(self.texts()));
        let written = unknown.or_else(|| self.measure().first().map(written));
        Cell {
            name,
            written: written.unwrap_or_default(),
            href: of_year.and_then(|year| bars.href(year)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::charts::years::YearGap;

    fn bars(id: &'static str, years: &[(i32, f64)]) -> YearBars {
        let value = |(year, total): &(i32, f64)| YearValue {
            year: *year,
            count: 1,
            total: *total,
            is_running: false,
        };
        YearBars {
            lang: Language::English,
            id,
            title: String::new(),
            years: years.iter().map(value).collect(),
            has_values: true,
            gaps: Vec::new(),
            undated: 0,
            same_axes_as: Vec::new(),
            searches: BTreeMap::from([(2020, format!("/en/{id}"))]),
        }
    }

    fn partly_covered(year: i32) -> YearGap {
        YearGap {
            year,
            is_whole: false,
            sources: Vec::new(),
        }
    }

    #[test]
    fn all_things_have_one_scale_the_same_years_and_one_table() {
        let series = vec![
            (
                "A&B".to_owned(),
                YearBars {
                    gaps: vec![partly_covered(2022)],
                    ..bars("a", &[(2020, 1e6)])
                },
            ),
            ("C".to_owned(), bars("c", &[(2020, 4e6), (2021, 0.0), (2022, 2e6)])),
        ];
        let chart = ComparedYears::new(Language::English, "By year".to_owned(), series);
        let html = chart.render().unwrap();
        assert_eq!(html.matches("<table class=\"data\">").count(), 1, "{html}");
        assert_eq!(html.matches("<svg class=\"year-bars\"").count(), 2);
        // A quarter of the height, and all of it: one scale.
        for part in ["height=\"27.5\"", "height=\"110\"", "A&#38;B"] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        let years: Vec<i32> = chart.rows().into_keys().collect();
        assert_eq!(years, [2020, 2021, 2022]);
        let rows = chart.rows();
        let written: Vec<&str> = rows[&2022].iter().map(|cell| cell.written.as_str()).collect();
        assert_eq!(written, ["0 (partly covered)", "$2,000,000.00"]);
        let written: Vec<&str> = rows[&2021].iter().map(|cell| cell.written.as_str()).collect();
        assert_eq!(written, ["$0.00", "no value"]);
        assert_eq!(rows[&2020][1].href.as_deref(), Some("/en/c"));
        assert_eq!(rows[&2022][1].href, None);
    }
}
