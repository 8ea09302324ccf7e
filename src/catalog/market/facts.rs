//! What is known of a purchase before it is awarded, read the same way of a tender that is asked about and of a contract it is held against.
//!
//! **Invariant:** no supplier, no value and no day of the contract is looked at here, so that nothing a bidder could not know decides an estimate.

use serde::Deserialize;

use crate::model::{
    commodity, entity_type::EntityType, facet::Facet, fold::fold, record::Record, schema::Role, vocabulary,
};

/// The facts that are compared; empty or `None` where nothing is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Keys of the buyer's names.
    pub buyers: Vec<String>,
    pub categories: Vec<String>,
    /// Keys of [`crate::model::commodity`].
    pub codes: Vec<String>,
    pub level: Option<String>,
    pub province: Option<String>,
    pub method: Option<String>,
    /// Trade agreements and the ground for not opening the call, as one key.
    pub terms: Option<String>,
    /// What the records of one solicitation share.
    pub numbers: Vec<String>,
}

/// The part of a record's `eligibility` that says by which rules is bought.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Rules {
    trade_agreements: Vec<String>,
    disposition: Option<String>,
    limited_tendering_reason_en: Option<String>,
    limited_tendering_reason_fr: Option<String>,
}

#[derive(Deserialize)]
struct WithRules {
    #[serde(default)]
    eligibility: Option<Rules>,
}

impl Facts {
    pub fn of_record(record: &Record, bytes: &[u8]) -> Facts {
        let owned = |role: Role| -> Vec<String> { record.keys(role).into_iter().map(|key| key.into_owned()).collect() };
        let text = |name: &str| record.text(name).filter(|text| !text.is_empty()).map(str::to_owned);
        let names = Facet::Department.entry(record);
        let names = names.iter().filter(|name| !name.is_empty());
        let level = text("government_level");
        let is_federal = level.as_deref() == Some("federal");
        let numbers = record
            .texts(Role::SolicitationNumber)
            .chain(SOLICITATION.iter().filter_map(|field| record.text(field)));
        Facts {
            buyers: buyers(names.map(String::as_str), is_federal),
            categories: owned(Role::Category),
            codes: owned(Role::Commodity),
            level,
            province: text("province").map(|name| vocabulary::province(&name)),
            method: record
                .texts(Role::ProcurementMethod)
                .map(fold)
                .find(|key| !key.is_empty()),
            terms: terms(bytes),
            numbers: numbers.map(fold).filter(|number| is_number(number)).collect(),
        }
    }

    /// Of a need that is only described.
    pub fn of_need(code: &str, department: Option<&str>, category: Option<&str>, province: Option<&str>) -> Facts {
        Facts {
            buyers: buyers(department.into_iter(), true),
            categories: category
                .into_iter()
                .flat_map(vocabulary::categories)
                .map(str::to_owned)
                .collect(),
            codes: commodity::keys("gsin", code).collect(),
            province: province.map(vocabulary::province),
            ..Facts::default()
        }
    }
}

/// The keys of a buyer's names, as they are first.
fn buyers<'n>(names: impl Iterator<Item = &'n str>, may_be_federal: bool) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let mut keys: Vec<String> = names.iter().map(|name| Facet::Department.key(name)).collect();
    if may_be_federal {
        keys.extend(names.into_iter().flat_map(federal));
    }
    keys
}

/// Spec silent: the other names a federal body goes by, since notices and disclosures have each their own: `Department of National Defence (DND)` is `National
/// Defence`, `Department of Health (HC)` is `Health Canada`.
fn federal(name: &str) -> [String; 4] {
    let plain = fold(name.split('(').next().unwrap_or_default());
    let core = plain.strip_prefix("department of ").unwrap_or(&plain);
    let core = core.strip_suffix(" canada").unwrap_or(core);
    let others = [
        format!("{core} canada"),
        format!("department of {core}"),
        core.to_owned(),
    ];
    let [canada, department, core] = others;
    [plain, core, canada, department]
}

/// Fields beside the solicitation's number that all records of one solicitation share.
const SOLICITATION: [&str; 2] = ["procurement_number", "ocid"];

/// Short or digitless numbers (`12`, `various invoices`) are shared by what has nothing to do with each other.
pub fn is_number(folded: &str) -> bool {
    vocabulary::identifies(folded) && folded.len() >= 4 && folded.bytes().any(|b| b.is_ascii_digit())
}

fn terms(bytes: &[u8]) -> Option<String> {
    // A record was parsed before, so what fails here is an eligibility of another shape, of which nothing is known.
    let rules = serde_json::from_slice::<WithRules>(bytes).ok()?.eligibility?;
    let mut agreements = rules.trade_agreements;
    agreements.sort();
    let reason = rules
        .disposition
        .or(rules.limited_tendering_reason_en)
        .or(rules.limited_tendering_reason_fr);
    let key = fold(&format!("{} {}", agreements.join(" "), reason.unwrap_or_default()));
    (!key.is_empty()).then_some(key)
}

/// How much of a code two purchases share. What a code leaves open is not shared: two that say no more than `25000000` have a segment in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shared {
    #[default]
    Nothing,
    Segment,
    Family,
    Class,
    Code,
}

/// What segment, family and class are of each scheme's key, scheme included: so many bytes of it. Of a GSIN the class is the Federal Supply Class (`n7030`) or
/// the three digits of a service (`d302`). Where a scheme has no segments, a family is one.
const LEVELS: [(&str, [usize; 3]); 4] = [
    (
        "unspsc:",
        ["unspsc:43".len(), "unspsc:4321".len(), "unspsc:432115".len()],
    ),
    ("object:", ["object:04".len(), "object:04".len(), "object:043".len()]),
    ("gsin:n", ["gsin:n70".len(), "gsin:n70".len(), "gsin:n7030".len()]),
    ("gsin:", ["gsin:d".len(), "gsin:d3".len(), "gsin:d302".len()]),
];

/// The start of a key that all of its segment, family or class share; `None` where the code does not say so much, or all of it is asked for.
pub fn prefix(key: &str, shared: Shared) -> Option<&str> {
    let (_, [segment, family, class]) = LEVELS.iter().find(|(scheme, _)| key.starts_with(scheme))?;
    let bytes = match shared {
        Shared::Segment => *segment,
        Shared::Family => *family,
        Shared::Class => *class,
        Shared::Code | Shared::Nothing => return None,
    };
    said(key).get(..bytes)
}

/// A key without what it leaves open: the pairs of zeros that end a UNSPSC code.
fn said(key: &str) -> &str {
    let mut said = key;
    while let Some(shorter) = said.strip_suffix("00").filter(|_| key.starts_with("unspsc:")) {
        said = shorter;
    }
    said
}

/// Whether a code says more than its class: `72140000` and `N7030` are whole branches.
pub fn is_specific(key: &str) -> bool {
    prefix(key, Shared::Class).is_some_and(|class| said(key).len() > class.len())
}

pub fn shared(ours: &[String], theirs: &[String]) -> Shared {
    let pair = |ours: &String, theirs: &String| {
        if ours == theirs && is_specific(ours) {
            return Shared::Code;
        }
        let is_shared = |level: &Shared| {
            let start = prefix(ours, *level);
            start.is_some() && start == prefix(theirs, *level)
        };
        let levels = [Shared::Class, Shared::Family, Shared::Segment];
        levels.into_iter().find(is_shared).unwrap_or_default()
    };
    let pairs = ours
        .iter()
        .flat_map(|ours| theirs.iter().map(move |theirs| pair(ours, theirs)));
    pairs.max().unwrap_or_default()
}

/// The kinds whose records are contracts that were awarded, in the order that settles which of two tells of one.
pub const KINDS: [EntityType; 3] = [EntityType::Contract, EntityType::Award, EntityType::Disclosure];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_share_their_levels_and_schemes_never_mix() {
        for (ours, theirs, expected) in [
            ("gsin:n7030ag", "gsin:n7030ag", Shared::Code),
            ("gsin:n7030ag", "gsin:n7030", Shared::Class),
            ("gsin:n7030", "gsin:n7010", Shared::Family),
            ("gsin:d302a", "gsin:d302b", Shared::Class),
            ("gsin:d302a", "gsin:d310", Shared::Family),
            ("unspsc:43211503", "unspsc:43211509", Shared::Class),
            ("unspsc:43211503", "unspsc:43210000", Shared::Family),
            ("unspsc:43211503", "unspsc:44211503", Shared::Nothing),
            ("unspsc:70301500", "gsin:n7030", Shared::Nothing),
            ("object:0430", "object:0431", Shared::Class),
            ("object:0430", "object:0430", Shared::Code),
            // A code is shared no deeper than it says.
            ("unspsc:25000000", "unspsc:25000000", Shared::Segment),
            ("unspsc:25000000", "unspsc:25101503", Shared::Segment),
            ("unspsc:25101503", "unspsc:25174004", Shared::Segment),
            ("unspsc:25100000", "unspsc:25100000", Shared::Family),
            ("unspsc:25101500", "unspsc:25101500", Shared::Class),
            ("unspsc:25101503", "unspsc:25101503", Shared::Code),
            ("unspsc:00000000", "unspsc:00000000", Shared::Nothing),
            ("gsin:n7030", "gsin:n7030", Shared::Class),
            ("gsin:n70", "gsin:n7030", Shared::Family),
            ("gsin:d302", "gsin:d302", Shared::Class),
            ("gsin:d302a", "gsin:d410", Shared::Segment),
            ("gsin:5131", "gsin:5131", Shared::Class),
        ] {
            assert_eq!(
                shared(&[ours.to_owned()], &[theirs.to_owned()]),
                expected,
                "{ours} {theirs}"
            );
        }
        assert_eq!(shared(&[], &["gsin:n7030".to_owned()]), Shared::Nothing);
        assert!(is_specific("gsin:n7030ag") && !is_specific("gsin:n7030") && !is_specific("unspsc:72140000"));
    }
}
