//! The set phrases of federal notices.

use super::lists::{Bilingual, entries};

#[derive(Clone, Copy)]
pub(super) struct Phrase {
    /// Empty in most lists.
    pub(super) code: &'static str,
    pub(super) text: Bilingual,
}

/// Phrases by what they are for. Drawn evenly: one that comes up more often is in its list twice.
pub(super) struct Phrases {
    pub(super) methods: Vec<Phrase>,
    pub(super) tender_notices: Vec<Phrase>,
    pub(super) early_notices: Vec<Phrase>,
    pub(super) regions: Vec<Phrase>,
    /// The code is the short names, parted by blanks.
    pub(super) trade_agreements: Vec<Phrase>,
    pub(super) selection_criteria: Vec<Phrase>,
    pub(super) limited_tendering_reasons: Vec<Phrase>,
    pub(super) solicitation_procedures: Vec<Phrase>,
    pub(super) agreement_types: Vec<Phrase>,
    pub(super) delivery_points: Vec<Phrase>,
}

impl Phrases {
    pub(super) fn read() -> Phrases {
        Phrases {
            methods: list("method"),
            tender_notices: list("tender-notice"),
            early_notices: list("early-notice"),
            regions: list("region"),
            trade_agreements: list("trade-agreement"),
            selection_criteria: list("selection-criterion"),
            limited_tendering_reasons: list("limited-tendering-reason"),
            solicitation_procedures: list("solicitation-procedure"),
            agreement_types: list("agreement-type"),
            delivery_points: list("delivery-point"),
        }
    }
}

fn list(name: &str) -> Vec<Phrase> {
    let mut phrases = Vec::new();
    for [list, code, en, fr] in entries(include_str!("lists/federal_phrases.txt")) {
        let text = Bilingual { en, fr };
        if list == name {
            phrases.push(Phrase { code, text });
        }
    }
    phrases
}
