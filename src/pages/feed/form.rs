//! The forms of the feed: which tenders are looked for, and the subscription to them.

use std::cmp::Reverse;

use crate::{
    catalog::generation::Coverage,
    model::{EntityType, Language},
    pages::{address::Parameters, format::sort_key, page::PageCall},
};

/// The form that chooses the tenders. It sends the parameters of the API.
pub(super) struct FeedForm {
    pub(super) keywords: String,
    pub(super) days: Vec<Choice>,
    pub(super) languages: Vec<Choice>,
    pub(super) places: Vec<Choice>,
    pub(super) translations: Vec<Choice>,
    /// Other parameters of the address, which the form keeps.
    pub(super) kept: Vec<(String, String)>,
}

/// The form that subscribes an e-mail address to the same tenders.
pub(super) struct SubscribeForm {
    pub(super) form_token: String,
    /// The conditions of the feed that a subscription has too.
    pub(super) conditions: Vec<(String, String)>,
    /// Whether the feed has conditions that a subscription cannot have.
    pub(super) has_other_conditions: bool,
}

/// An option of a list.
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) is_selected: bool,
}

/// The fields of the form, and the parameter that belongs to one page only.
const FIELDS: [&str; 7] = [
    "keywords",
    "days_back",
    "languages",
    "municipality",
    "city",
    "translate",
    "cursor",
];

/// The parameters that a subscription has too.
pub(super) const SUBSCRIBED: [&str; 6] = [
    "keywords",
    "languages",
    "municipality",
    "department",
    "category",
    "translate",
];

/// The parameters that change neither which tenders are found nor what a subscription finds.
const OF_PAGES: [&str; 4] = ["days_back", "limit", "cursor", "city"];

/// The numbers of days to choose from.
const DAYS: [u64; 5] = [1, 7, 14, 30, 90];
const DEFAULT_DAYS: u64 = 7;

/// The maximum number of places to choose from: those with the most tenders.
const MAX_PLACES: usize = 100;

impl FeedForm {
    pub(super) fn of(call: &PageCall, parameters: &Parameters) -> FeedForm {
        let other = |(name, _): &(&str, &str)| !FIELDS.contains(name);
        let kept = parameters.iter().filter(other);
        FeedForm {
            keywords: parameters.get("keywords").unwrap_or_default().to_owned(),
            days: days(call, parameters),
            languages: languages(call, parameters),
            places: places(call, parameters),
            translations: translations(call, parameters),
            kept: kept.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        }
    }
}

impl SubscribeForm {
    pub(super) fn of(call: &PageCall, parameters: &Parameters) -> SubscribeForm {
        let condition = |name: &str| {
            let value = match name {
                "municipality" => place(parameters),
                "translate" => translate(parameters),
                _ => parameters.get(name),
            };
            Some((name.to_owned(), value?.to_owned()))
        };
        let is_other = |(name, _): (&str, &str)| !SUBSCRIBED.contains(&name) && !OF_PAGES.contains(&name);
        SubscribeForm {
            form_token: call.visitor.kind.form_token().to_owned(),
            conditions: SUBSCRIBED.into_iter().filter_map(condition).collect(),
            has_other_conditions: parameters.iter().any(is_other),
        }
    }
}

/// The municipality of the address. The parameter has an alias.
fn place(parameters: &Parameters) -> Option<&str> {
    parameters.get("municipality").or_else(|| parameters.get("city"))
}

/// Whether the words are translated: unless the address says otherwise. `None` without words.
pub(super) fn translate(parameters: &Parameters) -> Option<&str> {
    parameters.get("keywords")?;
    Some(parameters.get("translate").unwrap_or("true"))
}

fn translations(call: &PageCall, parameters: &Parameters) -> Vec<Choice> {
    let given = parameters.get("translate").unwrap_or("true");
    let choice = |(value, key): (&str, &str)| Choice {
        value: value.to_owned(),
        label: call.t.text(key),
        is_selected: value == given,
    };
    [("true", "feed-translate-both"), ("false", "feed-translate-own")]
        .map(choice)
        .into()
}

fn days(call: &PageCall, parameters: &Parameters) -> Vec<Choice> {
    let given = parameters.get("days_back").and_then(|days| days.parse().ok());
    let given: u64 = given.unwrap_or(DEFAULT_DAYS);
    let mut days: Vec<u64> = DAYS.into();
    if let Err(index) = days.binary_search(&given) {
        days.insert(index, given);
    }
    let choice = |days: u64| Choice {
        value: days.to_string(),
        label: call.t.with("feed-days", &[("count", &days)]),
        is_selected: days == given,
    };
    days.into_iter().map(choice).collect()
}

fn languages(call: &PageCall, parameters: &Parameters) -> Vec<Choice> {
    let given = parameters.get("languages").unwrap_or_default().to_lowercase();
    let has = |language: Language| given.split(',').any(|code| code.trim() == language.code());
    let selected = match (has(Language::English), has(Language::French)) {
        (true, false) => "en",
        (false, true) => "fr",
        _ => "en,fr",
    };
    let choice = |(value, key): (&str, &str)| Choice {
        value: value.to_owned(),
        label: call.t.text(key),
        is_selected: value == selected,
    };
    [
        ("en,fr", "feed-language-both"),
        ("en", "feed-language-en"),
        ("fr", "feed-language-fr"),
    ]
    .map(choice)
    .into()
}

/// The places with the most tenders and the one of the address, by name.
fn places(call: &PageCall, parameters: &Parameters) -> Vec<Choice> {
    let given = place(parameters).unwrap_or_default();
    let mut rows: Vec<&Coverage> = call
        .generation
        .manifest_of(EntityType::Tender)
        .coverage
        .iter()
        .collect();
    rows.sort_by_key(|row| Reverse(row.records));
    let is_listed = |(number, row): &(usize, &Coverage)| *number < MAX_PLACES || row.municipality == given;
    let choice = |(_, row): (usize, &Coverage)| Choice {
        value: row.municipality.clone(),
        label: row.name(call.lang).unwrap_or(&row.municipality).to_owned(),
        is_selected: row.municipality == given,
    };
    let mut places: Vec<Choice> = rows.into_iter().enumerate().filter(is_listed).map(choice).collect();
    places.sort_by_cached_key(|place| sort_key(&place.label));
    places
}
