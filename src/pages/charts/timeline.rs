//! Events on a time axis drawn to scale, with a numbered list of the same events.

use askama::{Template, filters::HtmlSafe};

use super::length::{Percent, Pixels};
use crate::{
    model::{Date, Language},
    pages::{format, messages::Texts},
};

#[derive(Debug, Template)]
#[template(path = "charts/timeline.html")]
pub(crate) struct Timeline {
    pub(crate) lang: Language,
    /// An HTML id, unique in the page.
    pub(crate) id: &'static str,
    /// States what the chart shows, in the page's language.
    pub(crate) title: String,
    /// In any order; the chart sorts them by date. Events of one day keep their order.
    pub(crate) events: Vec<TimelineEvent>,
    /// Drawn as a line, if it is not far from the events.
    pub(crate) today: Date,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimelineEvent {
    pub(crate) date: Date,
    /// The last day of a period, such as that of a contract.
    pub(crate) until: Option<Date>,
    pub(crate) kind: EventKind,
    /// What happened, in the page's language.
    pub(crate) label: String,
    /// The language of the label, if it is not that of the page.
    pub(crate) label_lang: Option<Language>,
    /// The page of the record.
    pub(crate) href: Option<String>,
}

/// Each kind has a colour and a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EventKind {
    Notice,
    Amendment,
    Closing,
    Award,
    Contract,
}

impl HtmlSafe for Timeline {}

/// Up to this many events are drawn, the first ones. The list has all.
const MAX_DRAWN: usize = 60;

/// Marks of one lane are at least this share of the width apart: 26 of 320 pixels.
const MIN_DISTANCE: f64 = 26.0 / 320.0;

/// Marks that do not fit next to each other are in lanes above each other, up to this many. Then they overlap.
const MAX_LANES: usize = 12;

/// Heights in pixels: of a lane, above the lanes, and of the axis with its labels.
const LANE: f64 = 30.0;
const ABOVE_LANES: f64 = 22.0;
const AXIS: f64 = 28.0;

/// Free space at both ends, as a share of the width.
const MARGIN: f64 = 0.05;

/// The maximum number of labels on the axis: years and, because they are longer, months. They fit next to each other at
/// 320 pixels.
const MAX_TICKS: usize = 5;
const MAX_MONTH_TICKS: usize = 4;

/// What the template draws.
struct Drawing {
    height: Pixels,
    about: String,
    axis_y: Pixels,
    tick_y: Pixels,
    ticks: Vec<Tick>,
    /// Where today is, if it is on the axis.
    today: Option<Today>,
    marks: Vec<Mark>,
    rows: Vec<ListedEvent>,
    note: Option<String>,
}

struct Tick {
    x: Percent,
    label: String,
}

struct Today {
    x: Percent,
    /// The class that aligns the label, so that it does not leave the chart.
    side: &'static str,
}

struct Mark {
    number: usize,
    about: String,
    class: &'static str,
    shape: &'static str,
    x: Percent,
    y: Pixels,
    /// The length of a period.
    width: Option<Percent>,
}

/// An entry of the list.
struct ListedEvent {
    number: usize,
    class: &'static str,
    shape: &'static str,
    date: Date,
    dates: String,
    kind: String,
    label: String,
    lang: Option<&'static str>,
    href: Option<String>,
}

impl EventKind {
    const fn class(self) -> &'static str {
        match self {
            EventKind::Notice => "event-notice",
            EventKind::Amendment => "event-amendment",
            EventKind::Closing => "event-closing",
            EventKind::Award => "event-award",
            EventKind::Contract => "event-contract",
        }
    }

    /// An SVG path around (0, 0), about 22 pixels wide: a circle, a diamond, a square, a pentagon, a hexagon.
    const fn shape(self) -> &'static str {
        match self {
            EventKind::Notice => "M-10 0a10 10 0 1 0 20 0a10 10 0 1 0-20 0z",
            EventKind::Amendment => "M0-13L13 0L0 13L-13 0z",
            EventKind::Closing => "M-10-10h20v20h-20z",
            EventKind::Award => "M0-13L13-3L8 11H-8L-13-3z",
            EventKind::Contract => "M-7-11H7L13 0L7 11H-7L-13 0z",
        }
    }

    const fn message(self) -> &'static str {
        match self {
            EventKind::Notice => "chart-event-notice",
            EventKind::Amendment => "chart-event-amendment",
            EventKind::Closing => "chart-event-closing",
            EventKind::Award => "chart-event-award",
            EventKind::Contract => "chart-event-contract",
        }
    }
}

impl Timeline {
    fn texts(&self) -> Texts {
        Texts::of(self.lang)
    }

    fn drawing(&self) -> Drawing {
        let mut events: Vec<&TimelineEvent> = self.events.iter().collect();
        events.sort_by_key(|event| event.date);
        let drawn = &events[..events.len().min(MAX_DRAWN)];
        let axis = TimeAxis::of(drawn, self.today);
        let (marks, lanes) = self.marks(drawn, &axis);
        let axis_y = ABOVE_LANES + lanes as f64 * LANE;
        Drawing {
            height: Pixels(axis_y + AXIS),
            about: self.about(&events),
            axis_y: Pixels(axis_y),
            tick_y: Pixels(axis_y + 20.0),
            ticks: axis.ticks(self.lang),
            today: axis.today(self.today),
            marks,
            rows: events
                .iter()
                .enumerate()
                .map(|(index, event)| self.row(index + 1, event))
                .collect(),
            note: (drawn.len() < events.len())
                .then(|| self.texts().with("chart-events-cut", &[("count", &drawn.len())])),
        }
    }

    /// The marks with their lanes, and how many lanes there are. The first lane is the lowest.
    fn marks(&self, drawn: &[&TimelineEvent], axis: &TimeAxis) -> (Vec<Mark>, usize) {
        // Where each lane is free again.
        let mut lanes: Vec<f64> = Vec::new();
        let placed: Vec<(usize, f64)> = drawn
            .iter()
            .map(|event| {
                let (x, end) = (
                    axis.share(event.date),
                    event.until.map_or(0.0, |until| axis.share(until)),
                );
                let lane = match lanes.iter().position(|free| *free <= x) {
                    Some(lane) => lane,
                    None if lanes.len() < MAX_LANES => {
                        lanes.push(0.0);
                        lanes.len() - 1
                    }
                    None => MAX_LANES - 1,
                };
                lanes[lane] = (x + MIN_DISTANCE).max(end + MIN_DISTANCE / 2.0);
                (lane, x)
            })
            .collect();
        let marks = drawn.iter().zip(placed).enumerate().map(|(index, (event, (lane, x)))| {
            let until = event.until.filter(|until| *until > event.date);
            Mark {
                number: index + 1,
                about: self.about_event(event),
                class: event.kind.class(),
                shape: event.kind.shape(),
                x: Percent(x),
                y: Pixels(ABOVE_LANES + (lanes.len() - lane) as f64 * LANE - LANE / 2.0),
                width: until.map(|until| Percent(axis.share(until) - x)),
            }
        });
        (marks.collect(), lanes.len())
    }

    fn row(&self, number: usize, event: &TimelineEvent) -> ListedEvent {
        ListedEvent {
            number,
            class: event.kind.class(),
            shape: event.kind.shape(),
            date: event.date,
            dates: self.dates(event),
            kind: self.texts().text(event.kind.message()),
            label: event.label.clone(),
            lang: event.label_lang.filter(|lang| *lang != self.lang).map(Language::code),
            href: event.href.clone(),
        }
    }

    /// The day of an event, or the first and the last day of a period.
    fn dates(&self, event: &TimelineEvent) -> String {
        let from = format::date(self.lang, event.date);
        match event.until.filter(|until| *until > event.date) {
            Some(until) => {
                let until = format::date(self.lang, until);
                self.texts().with("chart-period", &[("from", &from), ("until", &until)])
            }
            None => from,
        }
    }

    fn about_event(&self, event: &TimelineEvent) -> String {
        let kind = self.texts().text(event.kind.message());
        let (dates, label) = (self.dates(event), &event.label);
        self.texts()
            .with("chart-event", &[("dates", &dates), ("kind", &kind), ("label", label)])
    }

    /// What a person hears instead of seeing the marks. The list has the rest.
    fn about(&self, events: &[&TimelineEvent]) -> String {
        let t = self.texts();
        let (Some(first), Some(last)) = (events.first(), events.last()) else {
            return t.text("chart-no-events");
        };
        let (first, last) = (format::date(self.lang, first.date), format::date(self.lang, last.date));
        t.with(
            "chart-events-about",
            &[("count", &events.len()), ("first", &first), ("last", &last)],
        )
    }
}

/// A linear axis of days.
struct TimeAxis {
    from: f64,
    to: f64,
}

impl TimeAxis {
    /// Covers the events, and today if it is at most as far from them as they are from each other, or a quarter of a
    /// year.
    fn of(events: &[&TimelineEvent], today: Date) -> TimeAxis {
        let days = |event: &&TimelineEvent| [event.date.days(), event.until.unwrap_or(event.date).days()];
        let (mut from, mut to) = (i32::MAX, i32::MIN);
        for day in events.iter().flat_map(days) {
            (from, to) = (from.min(day), to.max(day));
        }
        let today = today.days();
        if from > to {
            (from, to) = (today, today);
        }
        let reach = (to - from).max(92);
        if (from - reach..=to + reach).contains(&today) {
            (from, to) = (from.min(today), to.max(today));
        }
        // At least two weeks, so that a day has a length.
        let (from, to) = (f64::from(from), f64::from(to));
        let margin = ((to - from) * MARGIN).max((14.0 - (to - from)) / 2.0);
        TimeAxis {
            from: from - margin,
            to: to + margin,
        }
    }

    fn share(&self, date: Date) -> f64 {
        ((f64::from(date.days()) - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    fn today(&self, today: Date) -> Option<Today> {
        let day = f64::from(today.days());
        if !(self.from..=self.to).contains(&day) {
            return None;
        }
        let share = self.share(today);
        Some(Today {
            x: Percent(share),
            side: if share > 0.5 { "ends" } else { "starts" },
        })
    }

    /// The first days of months or years, as close to each other as their labels allow.
    fn ticks(&self, lang: Language) -> Vec<Tick> {
        let months = (month_of(self.from), month_of(self.to) + 1);
        // Months from one label to the next.
        let steps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000];
        let on_axis = |step: i32| -> Vec<(i32, Date)> {
            let numbers = (months.0.div_euclid(step)..=months.1.div_euclid(step)).map(|number| number * step);
            let days = numbers.filter_map(|month| Some((month, first_day(month)?)));
            days.filter(|(_, day)| (self.from..=self.to).contains(&f64::from(day.days())))
                .collect()
        };
        let too_many = |step: &i32| (months.1 - months.0) / step > 2 * MAX_TICKS as i32;
        let candidates = steps.into_iter().skip_while(too_many);
        let found = candidates
            .map(|step| (step, on_axis(step)))
            .find(|(step, days)| days.len() <= if *step >= 12 { MAX_TICKS } else { MAX_MONTH_TICKS });
        let Some((step, days)) = found.filter(|(_, days)| days.len() > 1) else {
            return self.end_ticks(lang);
        };
        let tick = |(month, day): (i32, Date)| Tick {
            x: Percent(self.share(day)),
            label: if step >= 12 {
                month.div_euclid(12).to_string()
            } else {
                format::short_month(lang, month.div_euclid(12), month.rem_euclid(12).unsigned_abs() + 1)
            },
        };
        days.into_iter().map(tick).collect()
    }

    /// Two days near the ends, for an axis without two first days of a month.
    fn end_ticks(&self, lang: Language) -> Vec<Tick> {
        let tick = |share: f64| {
            let day = (self.from + (self.to - self.from) * share).round();
            let date = Date::from_days(day as i32)?;
            Some(Tick {
                x: Percent(self.share(date)),
                label: format::short_date(lang, date),
            })
        };
        [0.2, 0.8].into_iter().filter_map(tick).collect()
    }
}

/// The month of a day, counted from January of the year 0.
fn month_of(day: f64) -> i32 {
    let date = Date::from_days(day as i32)
        .map(|date| date.to_string())
        .unwrap_or_default();
    let number = |from: usize, to: usize| date.get(from..to).and_then(|digits| digits.parse::<i32>().ok());
    match (number(0, 4), number(5, 7)) {
        (Some(year), Some(month)) => year * 12 + month - 1,
        _ => 0,
    }
}

fn first_day(month: i32) -> Option<Date> {
    Date::parse(&format!(
        "{:04}-{:02}-01",
        month.div_euclid(12),
        month.rem_euclid(12) + 1
    ))
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn event(kind: EventKind, date: &str, label: &str) -> TimelineEvent {
        TimelineEvent {
            date: day(date),
            until: None,
            kind,
            label: label.to_owned(),
            label_lang: None,
            href: None,
        }
    }

    fn timeline(lang: Language, events: Vec<TimelineEvent>) -> Timeline {
        Timeline {
            lang,
            id: "life",
            title: "Life of solicitation W1".to_owned(),
            events,
            today: day("2026-11-22"),
        }
    }

    #[test]
    fn events_are_drawn_to_scale_and_listed_in_their_order() {
        let contract = TimelineEvent {
            until: Some(day("2026-12-31")),
            href: Some("/en/record/contract/1".to_owned()),
            label_lang: Some(Language::French),
            ..event(EventKind::Contract, "2026-06-01", "D\u{e9}neigement <i>")
        };
        let events = vec![
            contract,
            event(EventKind::Notice, "2026-01-05", "Snow removal"),
            event(EventKind::Closing, "2026-02-20", "Bids close"),
        ];
        let chart = timeline(Language::English, events);
        let drawing = chart.drawing();
        let numbers: Vec<&str> = drawing.rows.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(numbers, ["Snow removal", "Bids close", "D\u{e9}neigement <i>"]);
        let x: Vec<f64> = drawing.marks.iter().map(|mark| mark.x.0).collect();
        let days = [46.0, 101.0].map(|days| days / 360.0 / (1.0 + 2.0 * MARGIN));
        assert!(
            (x[1] - x[0] - days[0]).abs() < 1e-9 && (x[2] - x[1] - days[1]).abs() < 1e-9,
            "{x:?}"
        );
        let ticks: Vec<&str> = drawing.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(ticks, ["Jan\u{a0}2026", "July\u{a0}2026", "Jan\u{a0}2027"]);
        let french = timeline(Language::French, chart.events.clone());
        assert_eq!(french.drawing().ticks[1].label, "juill.\u{a0}2026");
        let days = timeline(Language::French, vec![event(EventKind::Notice, "2026-11-20", "x")]);
        let labels: Vec<String> = days.drawing().ticks.into_iter().map(|tick| tick.label).collect();
        assert!(
            labels.iter().all(|label| label.ends_with("nov.\u{a0}2026")),
            "{labels:?}"
        );
        let html = chart.render().unwrap();
        for part in [
            "3 events from January\u{a0}5, 2026 to June\u{a0}1, 2026.",
            "<title>June\u{a0}1, 2026 to December\u{a0}31, 2026: Contract. D\u{e9}neigement &#60;i&#62;</title>",
            r#"<span lang="fr"><a href="/en/record/contract/1">"#,
            r#"class="today-label ends""#,
            r#"<rect class="period event-contract""#,
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        assert!(!html.contains("style="), "{html}");
    }

    #[test]
    fn marks_that_do_not_fit_next_to_each_other_are_above_each_other() {
        let events = (1..=9).map(|number| event(EventKind::Amendment, &format!("2020-01-0{number}"), "x"));
        let far = event(EventKind::Award, "2021-01-01", "y");
        let drawing = timeline(Language::French, events.chain([far]).collect()).drawing();
        for (index, mark) in drawing.marks.iter().enumerate() {
            for other in &drawing.marks[..index] {
                let is_apart = (mark.x.0 - other.x.0).abs() >= MIN_DISTANCE - 1e-9 || mark.y != other.y;
                assert!(is_apart, "{} covers {}", mark.number, other.number);
            }
        }
        assert!(drawing.today.is_none(), "today is years after the last event");
    }

    #[test]
    fn any_events_can_be_drawn() {
        let crowd = vec![event(EventKind::Notice, "2026-11-22", "x"); MAX_DRAWN + 40];
        let far = vec![
            event(EventKind::Notice, "0001-01-01", "x"),
            event(EventKind::Award, "9999-12-31", "y"),
        ];
        let backwards = TimelineEvent {
            until: Some(day("2020-01-01")),
            ..event(EventKind::Contract, "2025-01-01", "x")
        };
        for events in [Vec::new(), crowd, far, vec![backwards]] {
            let count = events.len();
            let chart = timeline(Language::French, events);
            let drawing = chart.drawing();
            assert_eq!((drawing.rows.len(), drawing.marks.len()), (count, count.min(MAX_DRAWN)));
            assert!((2..=MAX_TICKS).contains(&drawing.ticks.len()), "{count}");
            assert!(drawing.marks.iter().all(|mark| (0.0..=1.0).contains(&mark.x.0)));
            assert!(drawing.height.0 <= ABOVE_LANES + AXIS + MAX_LANES as f64 * LANE);
            assert!(chart.render().unwrap().contains("timeline"));
        }
    }
}
