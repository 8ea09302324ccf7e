//! Number and value of records by year: two bar charts, one above the other, with the same years.

use std::collections::{BTreeMap, BTreeSet};

use askama::{Template, filters::HtmlSafe};

use super::{
    length::{Percent, Pixels},
    measure::{Measure, NUMBER, VALUE},
    scale::{LinearScale, is_beyond},
    years::{YearGap, YearValue, gap_of, label_class, usual_years, with_gap},
};
use crate::{
    model::Language,
    pages::{
        format::{self, CAD},
        messages::Texts,
        source_names::source_name,
    },
};

#[derive(Debug, Template)]
#[template(path = "charts/year_bars.html")]
pub(crate) struct YearBars {
    pub(crate) lang: Language,
    /// An HTML id, unique in the page; ids of the chart's parts start with it.
    pub(crate) id: &'static str,
    /// States what the charts show, in the page's language.
    pub(crate) title: String,
    /// In any order, each year once. A missing year between the first and the last counts as zero.
    pub(crate) years: Vec<YearValue>,
    /// Whether the records have values. Without, only their number is drawn.
    pub(crate) has_values: bool,
    /// Years that sources do not cover; they are shaded.
    pub(crate) gaps: Vec<YearGap>,
    /// Records that have no date and so no year.
    pub(crate) undated: u64,
    /// The years of the charts next to this one: all have the same axes. Empty for a chart alone.
    pub(crate) same_axes_as: Vec<YearValue>,
    /// The search for the records of each year; empty if the bars lead nowhere.
    pub(crate) searches: BTreeMap<i32, String>,
}

impl HtmlSafe for YearBars {}

impl HtmlSafe for Drawing {}

/// A chart of few years has the bars of a chart of this many, so that no bar is wider than high.
const MIN_SLOTS: usize = 6;

/// With up to this many years, each bar has its value written at its end; with more, only the highest one.
const MAX_LABELLED: usize = 7;

/// The share of a year's slot that its bar fills.
const BAR_SHARE: f64 = 0.72;

/// Heights in pixels: of the axis of a panel, of the space above the first panel and above the next one, and of the
/// space below the panels for the years. Each panel has its title above it.
const PANEL: f64 = 110.0;
const ABOVE_FIRST: f64 = 38.0;
const ABOVE_NEXT: f64 = 60.0;
const BELOW_PANELS: f64 = 22.0;

/// How far the title of a panel is above its axis: the label of the highest bar fits in between.
const TITLE: f64 = 22.0;

/// What is drawn.
#[derive(Template)]
#[template(path = "charts/year_bars_svg.html")]
pub(super) struct Drawing {
    /// The HTML id of the title.
    id: &'static str,
    /// Whether no bar leads anywhere.
    is_image: bool,
    height: Pixels,
    about: String,
    has_running: bool,
    panels: Vec<Panel>,
    years: Vec<Year>,
    /// Widths of a year and of its bars.
    slot: Percent,
    bar: Percent,
    /// Where the first axis begins, and the distance from there to the end of the last one.
    top: Pixels,
    base: Pixels,
    /// Where the years are written.
    label_y: Pixels,
    pub(super) notes: Vec<String>,
    rows: Vec<YearRow>,
}

struct Panel {
    title: String,
    title_y: Pixels,
    ticks: Vec<Tick>,
}

struct Tick {
    y: Pixels,
    label: String,
    is_zero: bool,
}

/// The bars of one year, one in each panel.
struct Year {
    year: i32,
    about: String,
    /// The search for its records.
    href: Option<String>,
    /// The class of the space behind the bars: shaded, lightly shaded or not.
    ground: &'static str,
    is_running: bool,
    slot_x: Percent,
    x: Percent,
    middle: Percent,
    bars: Vec<Bar>,
    label_class: Option<&'static str>,
}

struct Bar {
    y: Pixels,
    height: Pixels,
    /// Whether the value is beyond the end of the axis, so that the bar is drawn as broken off.
    is_broken: bool,
    label: Option<String>,
    label_y: Pixels,
}

/// A row of the table.
struct YearRow {
    year: i32,
    href: Option<String>,
    is_running: bool,
    total: String,
    count: String,
}

/// About how many intervals an axis has.
const INTERVALS: u32 = 3;

impl YearBars {
    fn texts(&self) -> Texts {
        Texts::of(self.lang)
    }

    fn drawing(&self) -> Drawing {
        self.drawing_of(self.measures())
    }

    /// A panel for each measure.
    pub(super) fn drawing_of(&self, measures: &[Measure]) -> Drawing {
        let years = self.all_years();
        let period = usual_years(self.years_on_axis());
        let is_drawn = |year: &&YearValue| period.as_ref().is_some_and(|period| period.contains(&year.year));
        let drawn: Vec<YearValue> = years.iter().filter(is_drawn).copied().collect();
        let drawn = drawn.as_slice();
        let slots = drawn.len().max(MIN_SLOTS) as f64;
        let mut marks = self.marks(drawn, slots);
        let mut panels = Vec::new();
        let mut top = 0.0;
        for measure in measures {
            top += if panels.is_empty() { ABOVE_FIRST } else { ABOVE_NEXT };
            panels.push(self.panel(measure, drawn, top, &mut marks));
            top += PANEL;
        }
        Drawing {
            id: self.id,
            is_image: self.searches.is_empty(),
            height: Pixels(top + BELOW_PANELS),
            about: self.about(&years),
            has_running: drawn.iter().any(|year| year.is_running),
            panels,
            years: marks,
            slot: Percent(1.0 / slots),
            bar: Percent(BAR_SHARE / slots),
            top: Pixels(ABOVE_FIRST),
            base: Pixels(top - ABOVE_FIRST),
            label_y: Pixels(top + BELOW_PANELS - 6.0),
            notes: self.notes(&years, drawn),
            rows: years.iter().map(|year| self.row(year)).collect(),
        }
    }

    /// The value, if records have one, and the number.
    pub(super) fn measures(&self) -> &'static [Measure] {
        if self.has_values { &[VALUE, NUMBER] } else { &[NUMBER] }
    }

    /// The years in their order, with the missing ones of the period that is drawn.
    pub(super) fn all_years(&self) -> Vec<YearValue> {
        let mut years = self.years.clone();
        years.sort_by_key(|year| year.year);
        let period = usual_years(self.years_on_axis());
        for year in period.into_iter().flatten() {
            if let Err(index) = years.binary_search_by_key(&year, |known| known.year) {
                let empty = YearValue {
                    year,
                    count: 0,
                    total: 0.0,
                    is_running: false,
                };
                years.insert(index, empty);
            }
        }
        years
    }

    /// The years that the axis is for, with their numbers of records.
    fn years_on_axis(&self) -> impl Iterator<Item = (i32, u64)> {
        let years = self.years.iter().chain(&self.same_axes_as);
        years.map(|year| (year.year, year.count))
    }

    /// The years from left to right, without their bars.
    fn marks(&self, drawn: &[YearValue], slots: f64) -> Vec<Year> {
        let mark = |(index, year): (usize, &YearValue)| {
            let start = index as f64 / slots;
            Year {
                year: year.year,
                about: self.about_year(year),
                href: self.href(year),
                ground: self.ground(year),
                is_running: year.is_running,
                slot_x: Percent(start),
                x: Percent(start + (1.0 - BAR_SHARE) / 2.0 / slots),
                middle: Percent(start + 0.5 / slots),
                bars: Vec::new(),
                label_class: label_class(year.year, drawn.len()),
            }
        };
        drawn.iter().enumerate().map(mark).collect()
    }

    /// Draws a panel whose axis begins at `top`, and adds its bars to the years.
    fn panel(&self, measure: &Measure, drawn: &[YearValue], top: f64, marks: &mut [Year]) -> Panel {
        let values = || drawn.iter().map(measure.value);
        let neighbours = self.same_axes_as.iter().map(measure.value);
        let scale = LinearScale::covering(values().chain(neighbours), INTERVALS, measure.min_step);
        let y = |share: f64| top + (1.0 - share) * PANEL;
        let highest = values()
            .enumerate()
            .filter(|(_, value)| !is_beyond(*value))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(index, _)| index);
        for (index, (year, mark)) in drawn.iter().zip(marks).enumerate() {
            let value = (measure.value)(year);
            let extent = scale.bar(value);
            let is_broken = is_beyond(value);
            let is_labelled = drawn.len() <= MAX_LABELLED || Some(index) == highest || is_broken;
            let label = (is_labelled && value != 0.0).then(|| (measure.write)(self.lang, value));
            mark.bars.push(Bar {
                y: Pixels(y(extent.high)),
                height: Pixels((extent.high - extent.low) * PANEL),
                is_broken,
                label,
                // Above a positive bar; a negative one has its label above the zero line.
                label_y: Pixels(y(extent.high) - 4.0),
            });
        }
        let tick = |value: &f64| Tick {
            y: Pixels(y(scale.share(*value))),
            label: (measure.write)(self.lang, *value),
            is_zero: *value == 0.0,
        };
        Panel {
            title: self.texts().text(measure.title),
            title_y: Pixels(top - TITLE),
            ticks: scale.ticks.iter().map(tick).collect(),
        }
    }

    fn row(&self, year: &YearValue) -> YearRow {
        let gap = self.gap(year.year).filter(|_| year.count == 0);
        let unknown = gap.map(|gap| gap.instead_of_none(self.texts()));
        let (total, count) = match unknown {
            Some(why) => (self.texts().text("chart-unknown"), why),
            None => (self.total(year, format::money), format::count(self.lang, year.count)),
        };
        YearRow {
            year: year.year,
            href: self.href(year),
            is_running: year.is_running,
            total,
            count,
        }
    }

    /// The sum of a year's values as text.
    fn total(&self, year: &YearValue, write: fn(Language, f64, &str) -> String) -> String {
        if year.has_no_value() {
            self.texts().text("chart-no-value")
        } else {
            write(self.lang, year.total, CAD)
        }
    }

    /// The search for the records of a year; `None` without records.
    pub(super) fn href(&self, year: &YearValue) -> Option<String> {
        self.searches.get(&year.year).filter(|_| year.count > 0).cloned()
    }

    /// What a person hears instead of seeing the bars.
    fn about(&self, years: &[YearValue]) -> String {
        let (Some(first), Some(last)) = (years.first(), years.last()) else {
            return self.texts().text("chart-no-years");
        };
        let value = if self.has_values { VALUE.value } else { NUMBER.value };
        let highest = years
            .iter()
            .max_by(|a, b| value(a).total_cmp(&value(b)))
            .unwrap_or(last);
        let (first, last) = (first.year.to_string(), last.year.to_string());
        self.texts().with(
            "chart-years-about",
            &[
                ("first", &first),
                ("last", &last),
                ("highest", &self.about_year(highest)),
            ],
        )
    }

    fn about_year(&self, year: &YearValue) -> String {
        let (t, name) = (self.texts(), year.year.to_string());
        let gap = self.gap(year.year);
        if year.count == 0 && gap.is_some_and(|gap| gap.is_whole) {
            return t.with("chart-year-gap", &[("year", &name)]);
        }
        let about = if self.has_values {
            let value = self.total(year, format::money_rounded);
            t.with(
                "chart-year-value",
                &[("year", &name), ("value", &value), ("count", &year.count)],
            )
        } else {
            t.with("chart-year-number", &[("year", &name), ("count", &year.count)])
        };
        with_gap(t, gap, about)
    }

    fn notes(&self, years: &[YearValue], drawn: &[YearValue]) -> Vec<String> {
        let t = self.texts();
        let mut notes = Vec::new();
        if let Some(running) = drawn.iter().find(|year| year.is_running) {
            notes.push(t.with("chart-hatched", &[("year", &running.year.to_string())]));
        }
        for year in drawn.iter().filter(|year| self.has_values && is_beyond(year.total)) {
            let value = format::money_short(self.lang, year.total);
            let year = year.year.to_string();
            notes.push(t.with("chart-beyond", &[("name", &year), ("value", &value)]));
        }
        let gaps = || drawn.iter().filter_map(|year| self.gap(year.year));
        if gaps().any(|gap| gap.is_whole) {
            notes.push(t.text("chart-shaded"));
        }
        let without: BTreeSet<&String> = gaps()
            .filter(|gap| !gap.is_whole)
            .flat_map(|gap| &gap.sources)
            .collect();
        if !without.is_empty() {
            let sources = self.names(without.into_iter());
            notes.push(t.with("chart-shaded-part", &[("sources", &sources)]));
        }
        if gaps().any(|gap| !gap.is_whole && gap.sources.is_empty()) {
            notes.push(t.text("chart-shaded-few"));
        }
        if self.undated > 0 {
            notes.push(t.with("chart-undated", &[("count", &self.undated)]));
        }
        if let (Some(first), Some(last)) = (drawn.first(), drawn.last())
            && drawn.len() < years.len()
        {
            let (first, last) = (first.year.to_string(), last.year.to_string());
            notes.push(t.with("chart-years-cut", &[("first", &first), ("last", &last)]));
        }
        notes
    }

    /// The gap of a year. It may have single records all the same.
    pub(super) fn gap(&self, year: i32) -> Option<&YearGap> {
        gap_of(&self.gaps, year)
    }

    fn ground(&self, year: &YearValue) -> &'static str {
        match self.gap(year.year) {
            Some(gap) if gap.is_whole => "gap",
            Some(_) => "gap-part",
            None => "hit",
        }
    }

    fn names<'i>(&self, ids: impl Iterator<Item = &'i String>) -> String {
        let names: Vec<String> = ids.map(|id| source_name(self.texts(), id)).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::charts::years::{NARROW_LABELS, WIDE_LABELS};

    fn year(year: i32, count: u64, total: f64) -> YearValue {
        YearValue {
            year,
            count,
            total,
            is_running: year == 2026,
        }
    }

    fn gap(year: i32, is_whole: bool, sources: &[&str]) -> YearGap {
        YearGap {
            year,
            is_whole,
            sources: sources.iter().map(|id| (*id).to_owned()).collect(),
        }
    }

    fn chart(lang: Language, years: Vec<YearValue>) -> YearBars {
        YearBars {
            lang,
            id: "years",
            title: "Contracts by year <b>".to_owned(),
            years,
            has_values: true,
            gaps: vec![gap(2022, true, &[])],
            undated: 0,
            same_axes_as: Vec::new(),
            searches: BTreeMap::new(),
        }
    }

    #[test]
    fn bars_have_axes_a_table_and_texts() {
        let years = vec![
            year(2026, 3, 1.5e6),
            year(2021, 1_200, 12.3e6),
            year(2023, 5, -2e6),
            year(2024, 7, 0.0),
        ];
        let html = chart(Language::English, years).render().unwrap();
        for part in [
            r##"fill="url(#years-hatch)""##,
            r#"role="img" aria-labelledby="years" aria-describedby="years-about""#,
            "<title>2021: $12.3\u{a0}million, 1,200 records</title>",
            "<title>2022: no source covers it</title>",
            "<title>2024: no value, 7 records</title>",
            "2024</th><td class=\"number\">no value</td><td class=\"number\">7</td>",
            "2022</th><td class=\"number\">unknown</td><td class=\"number\">not covered</td>",
            "From 2021 to 2026. Highest: 2021: $12.3\u{a0}million, 1,200 records.",
            "$15M",
            "\u{2212}$5M",
            "2026 is hatched",
            "Contracts by year &#60;b&#62;",
            "<td class=\"number\">\u{2212}$2,000,000.00</td>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        assert!(!html.contains("style="), "{html}");
        let french = chart(Language::French, vec![year(2021, 1, 1_234_567.0)])
            .render()
            .unwrap();
        assert!(french.contains("2021\u{a0}: 1,2\u{a0}M$, 1 fiche"), "{french}");
    }

    #[test]
    fn a_chart_states_how_many_records_it_leaves_out() {
        let mut chart = chart(Language::English, vec![year(2021, 1, 1.0)]);
        assert_eq!(chart.drawing().notes, Vec::<String>::new());
        chart.undated = 1_234;
        assert_eq!(
            chart.drawing().notes,
            ["1,234 records without a date are not in the chart."]
        );
    }

    #[test]
    fn a_bar_goes_from_zero_to_its_value() {
        let drawing = chart(Language::English, vec![year(2020, 1, 10.0), year(2021, 1, -5.0)]).drawing();
        let [value, _] = &drawing.panels[..] else {
            panic!("two panels")
        };
        let zero = value.ticks.iter().find(|tick| tick.is_zero).unwrap().y.0;
        let [above, below] = [&drawing.years[0].bars[0], &drawing.years[1].bars[0]];
        assert_eq!(above.y.0 + above.height.0, zero);
        assert_eq!(below.y.0, zero);
        assert!((above.height.0 - 2.0 * below.height.0).abs() < 1e-9);
    }

    #[test]
    fn a_year_that_a_source_does_not_cover_is_lightly_shaded_and_says_so() {
        let years = vec![year(2020, 3, 1e6), year(2022, 5, 2e6), year(2023, 1, 2e6)];
        let mut chart = chart(Language::English, years);
        chart.gaps = vec![
            gap(2023, true, &[]),
            gap(2020, false, &["toronto"]),
            gap(2021, true, &["toronto", "alberta"]),
        ];
        let drawing = chart.drawing();
        let grounds: Vec<&str> = drawing.years.iter().map(|year| year.ground).collect();
        assert_eq!(grounds, ["gap-part", "gap", "hit", "gap"]);
        assert_eq!(
            drawing.notes,
            [
                "Shaded years: no source covers them.",
                "Lightly shaded years: not covered by City of Toronto, but by other sources."
            ]
        );
        assert_eq!(
            drawing.years[0].about,
            "2020: $1\u{a0}million, 3 records (not covered by City of Toronto)"
        );
        assert_eq!(
            drawing.years[3].about,
            "2023: $2\u{a0}million, 1 record (no source covers this year)"
        );
    }

    #[test]
    fn one_absurd_year_does_not_flatten_the_others() {
        let years = vec![year(2020, 1, 1e300), year(2021, 4, 8e6), year(2023, 2, 4e6)];
        let chart = chart(Language::English, years);
        let drawing = chart.drawing();
        let heights: Vec<f64> = drawing.years.iter().map(|year| year.bars[0].height.0).collect();
        assert!(heights[0] == PANEL && heights[1] > PANEL / 2.0, "{heights:?}");
        assert_eq!(heights[1], 2.0 * heights[3]);
        let html = chart.render().unwrap();
        for part in [
            "class=\"bar-break\"",
            "2020: $1.0\u{a0}×\u{a0}10³⁰⁰ goes beyond the axis.",
            "<td class=\"number\">$1.0\u{a0}×\u{a0}10³⁰⁰</td>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }

    #[test]
    fn a_long_period_is_cut_and_all_years_are_in_the_table() {
        let years = (1900..=2026).map(|number| year(number, 1, 1.0)).collect();
        let drawing = chart(Language::English, years).drawing();
        assert_eq!((drawing.years.len(), drawing.rows.len()), (40, 127));
        assert_eq!(drawing.years[0].year, 1987);
        let wrong = vec![
            year(1, 1, 1.0),
            year(2019, 9, 1.0),
            year(2021, 9, 1.0),
            year(9999, 1, 1.0),
        ];
        let drawing = chart(Language::English, wrong).drawing();
        assert_eq!((drawing.years.len(), drawing.rows.len()), (3, 5));
        assert_eq!(drawing.notes, ["Drawn from 2019 to 2021. The table has all years."]);
        let none = chart(Language::French, Vec::new());
        assert!(none.render().unwrap().contains("<svg"), "an empty chart is drawn");
    }

    #[test]
    fn years_are_written_where_they_fit() {
        let shown = |years: usize, class: &str| {
            let first = 2027 - years as i32;
            let labels = (first..2027).filter_map(|year| label_class(year, years));
            labels.filter(|label| label.is_empty() || *label == class).count()
        };
        for years in 1..=40 {
            assert!((1..=WIDE_LABELS + 1).contains(&shown(years, "wide-only")), "{years}");
            assert!(
                (1..=NARROW_LABELS + 1).contains(&shown(years, "narrow-only")),
                "{years}"
            );
        }
    }
}
