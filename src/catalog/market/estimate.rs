//! The estimate of one item: the middle of its comparables, and a range as wide as such estimates were off before.

use crate::{
    catalog::market::{
        Market,
        answer::{Asked, Confidence, DateRange, Estimate, Level, Note, Percentiles, Range, Status},
        calibration::{Spread, TAILS, confidence},
        facts::is_specific,
        item::Item,
        ladder::{ENOUGH, FEWEST, Ladder},
        notes,
    },
    engine::Error,
};

/// What is likely, as powers of ten.
pub struct Outlook {
    pub level: Level,
    pub spread: Spread,
    /// From the median to the [`TAILS`], calibrated.
    pub distances: [f64; 4],
    pub confidence: Confidence,
}

impl Outlook {
    /// `None` where there is too little to go by.
    pub fn of(market: &Market, ladder: &Ladder) -> Option<Outlook> {
        let level = ladder.level?;
        let spread = Spread::of(&ladder.weighted())?;
        let distances = market.calibration.distances(level, &spread);
        Some(Outlook {
            level,
            confidence: confidence(level, &spread, &distances),
            spread,
            distances,
        })
    }

    /// The value, in dollars, that a share of the outcomes lies below. Between two told shares one goes straight.
    pub fn at(&self, share: f64) -> f64 {
        let [p10, p25, p75, p90] = self.distances;
        let places = [
            (TAILS[0], -p10),
            (TAILS[1], -p25),
            (0.5, 0.0),
            (TAILS[2], p75),
            (TAILS[3], p90),
        ];
        let distance = places.windows(2).find_map(|pair| match pair {
            [(from, low), (to, high)] if share <= *to => {
                Some(low + (high - low) * (share - from).max(0.0) / (to - from))
            }
            _ => None,
        });
        dollars(self.spread.median + distance.unwrap_or(p90))
    }

    pub fn percentiles(&self) -> Percentiles {
        Percentiles {
            p10: self.at(0.10),
            p25: self.at(0.25),
            p50: self.at(0.50),
            p75: self.at(0.75),
            p90: self.at(0.90),
        }
    }
}

/// To the cent, which is more than is known.
fn dollars(log: f64) -> f64 {
    (10f64.powf(log) * 100.0).round() / 100.0
}

impl Market<'_> {
    pub(super) fn estimate_one(&self, asked: &Asked) -> Result<Estimate, Error> {
        let Some((mut item, _)) = Item::find(self.engine, asked)? else {
            return Ok(Estimate {
                status: Status::NotFound,
                caveats: vec![notes::NO_TENDER.note()],
                ..Estimate::nothing(asked)
            });
        };
        let ladder = Ladder::climb(self, &mut item, &[])?;
        let outlook = Outlook::of(self, &ladder);
        let caveats = caveats(self, &item, &ladder, outlook.as_ref());
        let Some(outlook) = outlook else {
            return Ok(Estimate {
                status: status(&item, None),
                estimated_value: item.stated,
                sample_size: ladder.rows.len(),
                caveats,
                ..Estimate::nothing(asked)
            });
        };
        let percentiles = outlook.percentiles();
        let days = ladder.rows.iter().map(|row| row.date);
        let date_range = days.clone().min().zip(days.max()).map(|(from, to)| DateRange {
            from: from.to_string(),
            to: to.to_string(),
        });
        Ok(Estimate {
            input: asked.clone(),
            status: status(&item, Some(&outlook)),
            estimated_value: Some(item.stated.unwrap_or(percentiles.p50)),
            range: Some(Range {
                low: percentiles.p25,
                high: percentiles.p75,
            }),
            percentiles: Some(percentiles),
            sample_size: ladder.rows.len(),
            effective_sample_size: (outlook.spread.effective * 10.0).round() / 10.0,
            match_level: Some(outlook.level),
            confidence: Some(outlook.confidence),
            date_range,
            caveats,
        })
    }
}

impl Estimate {
    fn nothing(asked: &Asked) -> Estimate {
        Estimate {
            input: asked.clone(),
            status: Status::InsufficientData,
            estimated_value: None,
            range: None,
            percentiles: None,
            sample_size: 0,
            effective_sample_size: 0.0,
            match_level: None,
            confidence: None,
            date_range: None,
            caveats: Vec::new(),
        }
    }
}

pub fn status(item: &Item, outlook: Option<&Outlook>) -> Status {
    match (item.stated, outlook) {
        (Some(_), _) => Status::Stated,
        (None, Some(_)) => Status::Ok,
        (None, None) => Status::InsufficientData,
    }
}

/// Contracts older than this many days are said to be old.
const OLD: i32 = 730;

/// Comparables that carry less of the weight than this are not what an estimate rests on.
const LITTLE: f64 = 0.5;

/// Above so many times from p10 to p90 the middle says little.
const WIDE: f64 = 30.0;

pub fn caveats(market: &Market, item: &Item, ladder: &Ladder, outlook: Option<&Outlook>) -> Vec<Note> {
    let mut caveats = Vec::new();
    let mut say = |is_so: bool, note: Note| {
        if is_so {
            caveats.push(note);
        }
    };
    say(item.stated.is_some(), notes::STATED.note());
    let codes = &item.facts.codes;
    say(!item.is_record && codes.is_empty(), notes::NO_CODE.note());
    say(
        outlook.is_none() && ladder.rows.len() < FEWEST,
        notes::TOO_FEW.with(&ladder.rows.len().to_string()),
    );
    // Of no use where something closer was found.
    let is_by_code = outlook.is_none_or(|outlook| outlook.level >= Level::BuyerAndCode);
    let is_branch = !codes.is_empty() && !codes.iter().any(|code| is_specific(code));
    say(is_by_code && is_branch, notes::BRANCH.note());
    let Some(outlook) = outlook else {
        return caveats;
    };
    let (low, high) = (outlook.at(0.10), outlook.at(0.90));
    say(
        item.stated.is_some_and(|stated| stated < low || stated > high),
        notes::STATED_APART.note(),
    );
    say(item.subject.is_empty(), notes::NO_WORDS.note());
    say(outlook.level >= Level::CategoryAndText, notes::BROAD_MATCH.note());
    let knows_buyer = !item.facts.buyers.is_empty();
    say(
        knows_buyer && !ladder.comparables().iter().any(|row| row.same_buyer),
        notes::OTHER_BUYERS.note(),
    );
    let effective = outlook.spread.effective;
    say(
        effective < ENOUGH as f64,
        notes::FEW_COUNT.with(&format!("{:.0}", effective.max(1.0))),
    );
    let carried = ladder.carried();
    say(
        carried < LITTLE,
        notes::LITTLE_WEIGHT.with(&format!("{:.0}", carried * 100.0)),
    );
    if let Some(newest) = ladder.comparables().iter().map(|row| row.date).max() {
        say(
            market.today.days() - newest.days() > OLD,
            notes::OLD.with(&newest.to_string()),
        );
    }
    say(high > WIDE * low, notes::WIDE.note());
    caveats
}
