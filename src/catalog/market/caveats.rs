//! The caveats of an answer.

use super::{
    answer::{MatchLevel, Note},
    code_match::is_specific,
    item::PreparedItem,
    note_texts::{self, NoteText},
    pool::Market,
    selection::{LEVEL_CONTRACTS, MIN_CONTRACTS, Selection},
    value_distribution::ValueDistribution,
};

/// If the newest comparable is older than this many days, a caveat says so.
const OLD_DAYS: i32 = 730;

/// If the comparables carry less than this share of the weight, the estimate is not based on them.
const LITTLE_WEIGHT: f64 = 0.5;

/// If p90 is more than this many times p10, the median says little.
const WIDE_RATIO: f64 = 30.0;

/// Notes that apply under a condition.
#[derive(Default)]
pub struct Caveats(pub Vec<Note>);

impl Caveats {
    pub fn add_if(&mut self, applies: bool, text: NoteText) {
        self.add_with(applies, text, String::new);
    }

    pub fn add_with(&mut self, applies: bool, text: NoteText, detail: impl FnOnce() -> String) {
        if applies {
            self.0.push(text.with(&detail()));
        }
    }

    /// The caveats of estimates and comparables alike.
    pub fn of(
        market: &Market,
        item: &PreparedItem,
        selection: &Selection,
        distribution: Option<&ValueDistribution>,
    ) -> Caveats {
        let mut caveats = Caveats::default();
        caveats.add_if(item.stated_value.is_some(), note_texts::VALUE_STATED);
        let codes = &item.facts.codes;
        caveats.add_if(!item.is_record && codes.is_empty(), note_texts::CODE_NOT_RECOGNIZED);
        let found = selection.contracts.len();
        caveats.add_with(
            distribution.is_none() && found < MIN_CONTRACTS,
            note_texts::TOO_FEW_COMPARABLES,
            || found.to_string(),
        );
        // It does not matter if contracts were found by something closer.
        let is_by_code = distribution.is_none_or(|distribution| distribution.level >= MatchLevel::BuyerAndCode);
        let is_branch = !codes.is_empty() && !codes.iter().any(|code| is_specific(code));
        caveats.add_if(is_by_code && is_branch, note_texts::CODE_IS_A_BRANCH);
        if let Some(distribution) = distribution {
            caveats.add_of_distribution(market, item, selection, distribution);
        }
        caveats
    }

    fn add_of_distribution(
        &mut self,
        market: &Market,
        item: &PreparedItem,
        selection: &Selection,
        distribution: &ValueDistribution,
    ) {
        let (p10, p90) = (distribution.quantile(0.10), distribution.quantile(0.90));
        let is_unusual = item.stated_value.is_some_and(|stated| stated < p10 || stated > p90);
        self.add_if(is_unusual, note_texts::STATED_VALUE_UNUSUAL);
        self.add_if(item.text.is_empty(), note_texts::NO_SUBJECT);
        let is_broad = distribution.level >= MatchLevel::CategoryAndText;
        self.add_if(is_broad, note_texts::BROAD_MATCH);
        let comparables = selection.comparables();
        let names_buyer = !item.facts.buyers.is_empty();
        self.add_if(
            names_buyer && !comparables.iter().any(|contract| contract.same_buyer),
            note_texts::OTHER_BUYERS_ONLY,
        );
        let effective = distribution.spread.effective_size;
        self.add_with(
            effective < LEVEL_CONTRACTS as f64,
            note_texts::FEW_CARRY_THE_WEIGHT,
            || format!("{:.0}", effective.max(1.0)),
        );
        let weight = selection.comparables_weight();
        self.add_with(weight < LITTLE_WEIGHT, note_texts::COMPARABLES_WEIGH_LITTLE, || {
            format!("{:.0}", weight * 100.0)
        });
        if let Some(newest) = comparables.iter().map(|contract| contract.date).max() {
            let is_old = market.today.days() - newest.days() > OLD_DAYS;
            self.add_with(is_old, note_texts::COMPARABLES_OLD, || newest.to_string());
        }
        self.add_if(p90 > WIDE_RATIO * p10, note_texts::WIDE_RANGE);
    }
}
