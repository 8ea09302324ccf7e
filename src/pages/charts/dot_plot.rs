//! Contracts by value on a logarithmic axis, one dot each, with the bands of an estimate.

use askama::{Template, filters::HtmlSafe};

use super::{
    length::{Percent, Pixels},
    scale::LogScale,
};
use crate::{
    model::Language,
    pages::{
        format::{self, CAD},
        messages::Texts,
    },
};

/// The page shows the same contracts as a table.
#[derive(Debug, Template)]
#[template(path = "charts/dot_plot.html")]
pub(crate) struct DotPlot {
    pub(crate) lang: Language,
    /// An HTML id, unique in the page.
    pub(crate) id: &'static str,
    /// States what the chart shows, in the page's language.
    pub(crate) title: String,
    pub(crate) dots: Vec<Dot>,
    /// From the widest to the narrowest, up to two: p10 to p90, p25 to p75.
    pub(crate) bands: Vec<Band>,
    /// The middle of the estimate, the values to bid around, the value that the tender states.
    pub(crate) marks: Vec<ValueMark>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dot {
    /// Shown when the pointer is over the dot.
    pub(crate) label: String,
    /// Canadian dollars. Only a positive value has a dot.
    pub(crate) value: f64,
    /// 0 to 1; the area of the dot.
    pub(crate) weight: f64,
}

/// A range of values, in Canadian dollars.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Band {
    pub(crate) label: String,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A vertical line at a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueMark {
    pub(crate) kind: MarkKind,
    pub(crate) label: String,
    /// Canadian dollars. Only a positive value has a line.
    pub(crate) value: f64,
}

/// Each kind has a colour and a pattern of dashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    Middle,
    BidAround,
    Stated,
}

impl HtmlSafe for DotPlot {}

/// The width in pixels for which the dots are arranged. On a wider screen they are farther apart.
const ARRANGED_WIDTH: f64 = 320.0;

/// The radius in pixels of the largest and of the smallest dot.
const MAX_RADIUS: f64 = 10.0;
const MIN_RADIUS: f64 = 3.5;

/// Dots that would cover each other move up or down, in these steps and up to this far from the middle, in pixels.
/// Beyond that they cover each other.
const STEP: f64 = 2.0;
const MAX_OFFSET: f64 = 64.0;

/// Pixels: above and below the dots, for the numbers of the axis, for the label of a line.
const AROUND_DOTS: f64 = 14.0;
const AXIS: f64 = 30.0;
const LABEL: f64 = 20.0;

/// What the template draws.
struct Drawing {
    height: Pixels,
    about: String,
    axis_y: Pixels,
    tick_y: Pixels,
    ticks: Vec<Tick>,
    bands: Vec<DrawnBand>,
    lines: Vec<Line>,
    dots: Vec<DrawnDot>,
    notes: Vec<String>,
}

struct Tick {
    x: Percent,
    label: String,
}

struct DrawnBand {
    class: &'static str,
    x: Percent,
    width: Percent,
    text: String,
}

struct Line {
    class: &'static str,
    x: Percent,
    /// Where the line ends, and where its label is.
    end: Pixels,
    label_y: Pixels,
    /// The class that aligns the label, so that it does not leave the chart.
    side: &'static str,
    dx: i32,
    label: String,
}

struct DrawnDot {
    x: Percent,
    y: Pixels,
    radius: Pixels,
    about: String,
}

impl MarkKind {
    const fn class(self) -> &'static str {
        match self {
            MarkKind::Middle => "mark-middle",
            MarkKind::BidAround => "mark-bid",
            MarkKind::Stated => "mark-stated",
        }
    }
}

impl DotPlot {
    fn texts(&self) -> Texts {
        Texts::of(self.lang)
    }

    /// `None` if nothing has a place on the axis.
    fn drawing(&self) -> Option<Drawing> {
        let dots = self.dots.iter().map(|dot| dot.value);
        let bands = self.bands.iter().flat_map(|band| [band.low, band.high]);
        let marks = self.marks.iter().map(|mark| mark.value);
        let scale = LogScale::covering(dots.chain(bands).chain(marks))?;
        let (offsets, half) = self.arrange(&scale);
        let axis_y = 2.0 * (half + AROUND_DOTS);
        let drawn = self.drawable().zip(offsets).map(|(dot, offset)| DrawnDot {
            x: Percent(scale.share(dot.value)),
            y: Pixels(axis_y / 2.0 + offset),
            radius: Pixels(self.radius(dot)),
            about: self.about_dot(dot),
        });
        let lines = self.lines(&scale, axis_y + AXIS);
        Some(Drawing {
            height: Pixels(axis_y + AXIS + lines.len() as f64 * LABEL + 4.0),
            about: self.about(),
            axis_y: Pixels(axis_y),
            tick_y: Pixels(axis_y + 18.0),
            ticks: scale
                .ticks
                .iter()
                .map(|value| Tick {
                    x: Percent(scale.share(*value)),
                    label: format::money_short(self.lang, *value),
                })
                .collect(),
            bands: self.bands(&scale),
            lines,
            dots: drawn.collect(),
            notes: self.notes(),
        })
    }

    fn drawable(&self) -> impl Iterator<Item = &Dot> {
        self.dots.iter().filter(|dot| dot.value > 0.0 && dot.value.is_finite())
    }

    /// The area shows the weight.
    fn radius(&self, dot: &Dot) -> f64 {
        let largest = self.dots.iter().map(|dot| dot.weight).fold(0.0, f64::max);
        let share = (dot.weight / largest).clamp(0.0, 1.0);
        (if share.is_nan() { 0.0 } else { share }.sqrt() * MAX_RADIUS).max(MIN_RADIUS)
    }

    /// How far each dot is from the middle, in pixels, and the maximum. The largest dots are placed first.
    fn arrange(&self, scale: &LogScale) -> (Vec<f64>, f64) {
        let circles: Vec<(f64, f64)> = self
            .drawable()
            .map(|dot| (scale.share(dot.value) * ARRANGED_WIDTH, self.radius(dot)))
            .collect();
        let mut order: Vec<usize> = (0..circles.len()).collect();
        order.sort_by(|a, b| circles[*b].1.total_cmp(&circles[*a].1).then(a.cmp(b)));
        let mut offsets = vec![0.0; circles.len()];
        let mut half = MAX_RADIUS;
        for (done, index) in order.iter().enumerate() {
            let (x, radius) = circles[*index];
            let is_free = |offset: &f64| {
                order[..done].iter().all(|other| {
                    let (other_x, other_radius) = circles[*other];
                    let distance = (x - other_x).hypot(offset - offsets[*other]);
                    distance >= radius + other_radius + 1.0
                })
            };
            let steps = (MAX_OFFSET / STEP) as i32;
            let mut candidates = (0..=steps).flat_map(|step| [f64::from(step) * STEP, f64::from(-step) * STEP]);
            let offset = candidates.find(is_free).unwrap_or(0.0);
            offsets[*index] = offset;
            half = half.max(offset.abs() + radius);
        }
        (offsets, half)
    }

    fn bands(&self, scale: &LogScale) -> Vec<DrawnBand> {
        let classes = ["band-wide", "band-narrow"];
        let drawn = self.bands.iter().zip(classes).map(|(band, class)| {
            let (low, high) = (scale.share(band.low), scale.share(band.high));
            let money = |value| format::money_rounded(self.lang, value, CAD);
            let (from, to) = (money(band.low), money(band.high));
            DrawnBand {
                class,
                x: Percent(low),
                width: Percent((high - low).max(0.0)),
                text: self
                    .texts()
                    .with("chart-range", &[("label", &band.label), ("from", &from), ("to", &to)]),
            }
        });
        drawn.collect()
    }

    /// The lines in ascending order, each with its label in a row of its own.
    fn lines(&self, scale: &LogScale, top: f64) -> Vec<Line> {
        let mut marks: Vec<&ValueMark> = self.marks.iter().filter(|mark| mark.value > 0.0).collect();
        marks.sort_by(|a, b| a.value.total_cmp(&b.value));
        let draw = |(index, mark): (usize, &&ValueMark)| {
            let share = scale.share(mark.value);
            let end = top + index as f64 * LABEL + 14.0;
            let ends = share > 0.5;
            Line {
                class: mark.kind.class(),
                x: Percent(share),
                end: Pixels(end),
                label_y: Pixels(end),
                side: if ends { "ends" } else { "starts" },
                dx: if ends { -6 } else { 6 },
                label: self.texts().with(
                    "chart-mark",
                    &[
                        ("label", &mark.label),
                        ("value", &format::money_short(self.lang, mark.value)),
                    ],
                ),
            }
        };
        marks.iter().enumerate().map(draw).collect()
    }

    fn about_dot(&self, dot: &Dot) -> String {
        let value = format::money(self.lang, dot.value, CAD);
        let weight = format::percent(self.lang, dot.weight);
        self.texts().with(
            "chart-dot",
            &[("value", &value), ("label", &dot.label), ("weight", &weight)],
        )
    }

    /// What a person hears instead of seeing the dots. The table has the rest.
    fn about(&self) -> String {
        let values = || self.drawable().map(|dot| dot.value);
        let (low, high) = values().fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), value| {
            (low.min(value), high.max(value))
        });
        if low > high {
            return self.texts().text("chart-no-dots");
        }
        let money = |value| format::money_rounded(self.lang, value, CAD);
        let (from, to) = (money(low), money(high));
        self.texts().with(
            "chart-dots-about",
            &[("count", &values().count()), ("from", &from), ("to", &to)],
        )
    }

    fn notes(&self) -> Vec<String> {
        let t = self.texts();
        let mut notes = vec![t.text("chart-dots-scale")];
        let left_out = self.dots.len() - self.drawable().count();
        if left_out > 0 {
            notes.push(t.with("chart-dots-left-out", &[("count", &left_out)]));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(value: f64, weight: f64) -> Dot {
        Dot {
            label: "Snow <removal>".to_owned(),
            value,
            weight,
        }
    }

    fn plot(dots: Vec<Dot>) -> DotPlot {
        DotPlot {
            lang: Language::English,
            id: "comparables",
            title: "Comparable contracts by value".to_owned(),
            dots,
            bands: vec![
                Band {
                    label: "Four of five".to_owned(),
                    low: 1e4,
                    high: 1e6,
                },
                Band {
                    label: "Half".to_owned(),
                    low: 5e4,
                    high: 2e5,
                },
            ],
            marks: vec![
                ValueMark {
                    kind: MarkKind::Stated,
                    label: "Stated".to_owned(),
                    value: 9e5,
                },
                ValueMark {
                    kind: MarkKind::Middle,
                    label: "Middle".to_owned(),
                    value: 1e5,
                },
            ],
        }
    }

    #[test]
    fn dots_bands_and_lines_are_drawn_with_texts() {
        let chart = plot(vec![dot(1e5, 0.4), dot(2e5, 0.1), dot(0.0, 0.1)]);
        let html = chart.render().unwrap();
        for part in [
            "<title>$100,000.00. Snow &#60;removal&#62;. 40% of the weight.</title>",
            "Half: $50,000 to $200,000",
            "Middle: $100k",
            r#"class="mark-label mark-stated ends""#,
            "2 contracts from $100,000 to $200,000.",
            "1 contract without a positive value is not drawn.",
            ">$10k</text>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        assert!(!html.contains("style="), "{html}");
        let drawing = chart.drawing().unwrap();
        assert_eq!(drawing.dots[0].radius.0, MAX_RADIUS);
        assert_eq!(
            drawing.dots[1].radius.0,
            MAX_RADIUS / 2.0,
            "a quarter of the weight is a quarter of the area"
        );
        let ends: Vec<&str> = drawing.lines.iter().map(|line| line.class).collect();
        assert_eq!(ends, ["mark-middle", "mark-stated"]);
    }

    #[test]
    fn dots_do_not_cover_each_other() {
        let dots: Vec<Dot> = (1..40)
            .map(|number| dot(1e4 * 1.1_f64.powi(number), f64::from(number % 5) / 9.0))
            .collect();
        let drawing = plot(dots).drawing().unwrap();
        for (index, dot) in drawing.dots.iter().enumerate() {
            for other in &drawing.dots[..index] {
                let distance = ((dot.x.0 - other.x.0) * ARRANGED_WIDTH).hypot(dot.y.0 - other.y.0);
                assert!(
                    distance >= dot.radius.0 + other.radius.0,
                    "{dot:?} covers {other:?}",
                    dot = index,
                    other = other.about
                );
            }
            assert!(dot.y.0 - dot.radius.0 >= 0.0 && dot.y.0 + dot.radius.0 <= drawing.axis_y.0);
        }
    }

    #[test]
    fn any_values_can_be_drawn() {
        for values in [&[][..], &[f64::NAN, f64::INFINITY, -1.0], &[1e300, 1e-300], &[5.0; 100]] {
            let chart = plot(values.iter().map(|value| dot(*value, f64::NAN)).collect());
            assert!(chart.render().unwrap().contains("<figure"), "{values:?}");
        }
        let nothing = DotPlot {
            bands: Vec::new(),
            marks: Vec::new(),
            ..plot(Vec::new())
        };
        assert!(!nothing.render().unwrap().contains("<svg"));
    }
}
