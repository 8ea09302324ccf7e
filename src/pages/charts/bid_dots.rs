//! The bids on one call on an axis of dollars, a row each: which won, which was rejected, and how far they are apart.

use askama::{Template, filters::HtmlSafe};

use super::{
    length::{Percent, Pixels},
    scale::{LinearScale, LogScale},
};
use crate::{
    model::Language,
    pages::{
        format::{self, CAD},
        messages::Texts,
    },
};

/// The page shows the same bids as a table.
#[derive(Debug, Template)]
#[template(path = "charts/bid_dots.html")]
pub(crate) struct BidDots {
    pub(crate) lang: Language,
    /// An HTML id, unique in the page.
    pub(crate) id: &'static str,
    /// In the order of the table.
    pub(crate) dots: Vec<BidDot>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BidDot {
    /// The bidder.
    pub(crate) name: String,
    /// Canadian dollars. Only a positive amount has a dot.
    pub(crate) amount: f64,
    pub(crate) outcome: BidOutcome,
}

/// Each has a shape of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BidOutcome {
    Won,
    /// The buyer did not admit it, or it does not conform to the call.
    Rejected,
    Lost,
}

impl HtmlSafe for BidDots {}

/// Pixels: of a row, around the rows, for the numbers of the axis.
const ROW: f64 = 18.0;
const AROUND: f64 = 8.0;
const AXIS: f64 = 26.0;

/// Bids that are farther apart than this factor are drawn on a logarithmic axis.
const MAX_LINEAR_FACTOR: f64 = 20.0;

/// How many intervals an axis has: labels must fit at the width of a telephone.
const INTERVALS: u32 = 3;

enum Scale {
    Linear(LinearScale),
    Log(LogScale),
}

struct Drawing {
    height: Pixels,
    about: String,
    axis_y: Pixels,
    tick_y: Pixels,
    ticks: Vec<(Percent, String)>,
    /// From the lowest to the highest bid.
    spread_x: Percent,
    spread_width: Percent,
    dots: Vec<DrawnBid>,
    /// The outcomes that occur.
    legend: Vec<BidOutcome>,
    is_logarithmic: bool,
}

struct DrawnBid {
    x: Percent,
    y: Pixels,
    outcome: BidOutcome,
    about: String,
}

impl BidOutcome {
    pub(crate) const ALL: [BidOutcome; 3] = [BidOutcome::Won, BidOutcome::Lost, BidOutcome::Rejected];

    /// The end of the keys of its texts and of its class.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            BidOutcome::Won => "won",
            BidOutcome::Rejected => "rejected",
            BidOutcome::Lost => "lost",
        }
    }

    /// A diamond, a cross or a circle.
    const fn shape(self) -> &'static str {
        match self {
            BidOutcome::Won => "M0-7 7 0 0 7-7 0Z",
            BidOutcome::Rejected => "M-5-5 5 5M-5 5 5-5",
            BidOutcome::Lost => "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z",
        }
    }
}

impl Scale {
    fn covering(low: f64, high: f64) -> Option<Scale> {
        if high / low > MAX_LINEAR_FACTOR {
            return LogScale::covering([low, high].into_iter()).map(Scale::Log);
        }
        Some(Scale::Linear(LinearScale::between(low, high, INTERVALS)))
    }

    fn share(&self, value: f64) -> f64 {
        match self {
            Scale::Linear(scale) => scale.share(value),
            Scale::Log(scale) => scale.share(value),
        }
    }

    fn ticks(&self) -> &[f64] {
        match self {
            Scale::Linear(scale) => &scale.ticks,
            Scale::Log(scale) => &scale.ticks,
        }
    }
}

impl BidDots {
    fn texts(&self) -> Texts {
        Texts::of(self.lang)
    }

    /// `None` without an amount that has a place on the axis.
    fn drawing(&self) -> Option<Drawing> {
        let t = self.texts();
        let drawable = |dot: &&BidDot| dot.amount > 0.0 && dot.amount.is_finite();
        let dots: Vec<&BidDot> = self.dots.iter().filter(drawable).collect();
        let amounts = || dots.iter().map(|dot| dot.amount);
        let (low, high) = (amounts().reduce(f64::min)?, amounts().reduce(f64::max)?);
        let scale = Scale::covering(low, high)?;
        let axis_y = dots.len() as f64 * ROW + 2.0 * AROUND;
        let drawn = dots.iter().zip(0u32..).map(|(dot, row)| DrawnBid {
            x: Percent(scale.share(dot.amount)),
            y: Pixels(AROUND + (f64::from(row) + 0.5) * ROW),
            outcome: dot.outcome,
            about: t.keyed_with(
                "bids-dot-",
                dot.outcome.name(),
                &[
                    ("name", &dot.name),
                    ("amount", &format::money(self.lang, dot.amount, CAD)),
                ],
            ),
        });
        let money = |value| format::money_rounded(self.lang, value, CAD);
        let tick = |value: &f64| (Percent(scale.share(*value)), format::money_short(self.lang, *value));
        let occurs = |outcome: &BidOutcome| dots.iter().any(|dot| dot.outcome == *outcome);
        Some(Drawing {
            height: Pixels(axis_y + AXIS),
            about: t.with(
                "bids-chart-about",
                &[("count", &dots.len()), ("from", &money(low)), ("to", &money(high))],
            ),
            axis_y: Pixels(axis_y),
            tick_y: Pixels(axis_y + 18.0),
            ticks: scale.ticks().iter().map(tick).collect(),
            spread_x: Percent(scale.share(low)),
            spread_width: Percent((scale.share(high) - scale.share(low)).max(0.0)),
            dots: drawn.collect(),
            legend: BidOutcome::ALL.into_iter().filter(occurs).collect(),
            is_logarithmic: matches!(scale, Scale::Log(_)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(amounts: &[f64]) -> BidDots {
        let outcomes = [BidOutcome::Lost, BidOutcome::Won, BidOutcome::Rejected];
        let dot = |(amount, outcome): (&f64, BidOutcome)| BidDot {
            name: "A <b>".to_owned(),
            amount: *amount,
            outcome,
        };
        BidDots {
            lang: Language::English,
            id: "bids-chart",
            dots: amounts.iter().zip(outcomes.into_iter().cycle()).map(dot).collect(),
        }
    }

    #[test]
    fn bids_are_drawn_in_their_order_with_shapes_and_the_spread() {
        let chart = chart(&[100_000.0, 110_000.0, 130_000.0]);
        let drawing = chart.drawing().unwrap();
        assert!(drawing.dots.is_sorted_by(|a, b| a.x < b.x && a.y < b.y));
        assert_eq!(drawing.spread_x, drawing.dots[0].x);
        let end = drawing.spread_x.0 + drawing.spread_width.0;
        assert!((end - drawing.dots[2].x.0).abs() < 1e-9);
        assert!(!drawing.is_logarithmic && drawing.ticks.len() >= 2);
        assert_eq!(drawing.legend, BidOutcome::ALL);
        let html = chart.render().unwrap();
        for part in [
            "A &#60;b&#62;",
            "$110,000.00",
            "3 bids in dollars from $100,000 to $130,000",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }

    #[test]
    fn any_amounts_can_be_drawn() {
        assert!(chart(&[1.0, 1e6]).drawing().unwrap().is_logarithmic);
        for amounts in [
            &[][..],
            &[f64::NAN, -1.0, 0.0],
            &[5.0],
            &[5.0; 40],
            &[1e300, 1e-300],
            &[1e300],
        ] {
            chart(amounts).render().unwrap();
        }
        assert!(chart(&[0.0]).drawing().is_none());
    }
}
