//! What only the page of a supplier or a body shows: its names with the reason for each, its numbers, what may be
//! the same, and what is called nearly so.

use crate::{
    api::analysis::compared::ComparedType,
    catalog::suppliers::{
        Party, Supplier, SupplierList,
        begin_alike::{Alike, begin_alike, consortia},
        reason::{Evidence, Waiting},
        supplier::{Suggestion, SupplierName, SupplierNumber},
    },
    model::{Language, municipality, supplier_mention::Relation},
    pages::{
        address::{self, Parameters},
        messages::{Argument, Texts},
        profile::words_of_name::WordsOfName,
        source_names::source_name,
    },
};

/// The names, the numbers and the suggestions of a supplier, and the others whose names are similar.
pub(super) struct SupplierPart {
    /// What the sums join, in a sentence.
    pub(super) total: String,
    /// Of a supplier.
    pub(super) words_of_name: Option<WordsOfName>,
    /// Up to [`MAX_NAMES`].
    pub(super) names: Vec<NameRow>,
    /// A sentence: that there are more names.
    pub(super) more_names: Option<String>,
    /// The official numbers, in words.
    pub(super) numbers: Vec<String>,
    pub(super) suggestions: Vec<SuggestionRow>,
    pub(super) alike: Vec<AlikeRow>,
}

/// A name of the supplier.
pub(super) struct NameRow {
    pub(super) name: String,
    /// Of a body, where records state both.
    pub(super) name_fr: Option<String>,
    /// The page of the name alone; none for a bidder without records.
    pub(super) href: Option<String>,
    pub(super) records: u64,
    pub(super) value: f64,
    /// Why the name is here.
    pub(super) reason: String,
}

/// A supplier that may be the same one.
pub(super) struct SuggestionRow {
    pub(super) name: String,
    pub(super) href: String,
    /// Why a person has to decide.
    pub(super) reason: String,
    /// Both, side by side.
    pub(super) compare: String,
}

/// A supplier with a name that begins alike, or a consortium with the words of the name.
pub(super) struct AlikeRow {
    pub(super) name: String,
    pub(super) is_consortium: bool,
    pub(super) href: String,
    pub(super) records: u64,
    /// Both, side by side.
    pub(super) compare: String,
}

/// The maximum number of names that the page lists. A rule joins at most 50; a person may claim more.
const MAX_NAMES: usize = 60;

impl SupplierPart {
    /// `all`: the suppliers of the generation.
    pub(super) fn of(t: Texts, all: &SupplierList, supplier: &Supplier) -> SupplierPart {
        let party = all.party();
        let count = supplier.names.len();
        let value = t.money_rounded(supplier.total_value);
        let number = |number: &SupplierNumber| {
            let label = number_label(t, &number.number);
            t.with("supplier-number", &[("number", &label), ("count", &number.mentions)])
        };
        let mut similar = begin_alike(all, supplier);
        if party == Party::Supplier {
            similar.extend(consortia(all, supplier, &similar));
        }
        let suggestion = |of: &Suggestion| suggestion(t, party, &supplier.id, of);
        SupplierPart {
            total: t.with(
                "supplier-total",
                &[("count", &count), ("records", &supplier.records), ("value", &value)],
            ),
            names: supplier
                .names
                .iter()
                .take(MAX_NAMES)
                .map(|of| name(t, party, of))
                .collect(),
            more_names: (count > MAX_NAMES).then(|| {
                let listed = MAX_NAMES as u64;
                t.with("supplier-more-names", &[("listed", &listed), ("count", &count)])
            }),
            numbers: supplier.numbers.iter().map(number).collect(),
            suggestions: supplier.suggestions.iter().map(suggestion).collect(),
            alike: similar
                .into_iter()
                .map(|other| alike(t, party, supplier, other))
                .collect(),
            words_of_name: None,
        }
    }
}

fn name(t: Texts, party: Party, of: &SupplierName) -> NameRow {
    let reason = of.reason.as_ref();
    NameRow {
        href: (of.records > 0).then(|| match party {
            Party::Supplier => address::vendor(t.language(), &of.name),
            Party::Body => address::department(t.language(), &of.name),
        }),
        records: of.records,
        value: of.total_value,
        reason: reason.map_or_else(
            || t.text("supplier-reason-chosen"),
            |reason| sentence(t, &reason.evidence, &reason.with),
        ),
        name: of.name.clone(),
        name_fr: of.name_fr.clone(),
    }
}

fn suggestion(t: Texts, party: Party, own_id: &str, of: &Suggestion) -> SuggestionRow {
    let why = t.keyed("supplier-waiting-", waiting(of.why));
    let reason = match &of.evidence {
        Some(evidence) => {
            let sentence = sentence(t, evidence, &of.other_name);
            t.with(
                "supplier-suggestion-evidence",
                &[("own", &of.own_name), ("sentence", &sentence), ("why", &why)],
            )
        }
        None => t.with(
            "supplier-suggestion-names",
            &[("own", &of.own_name), ("other", &of.other_name), ("why", &why)],
        ),
    };
    SuggestionRow {
        name: of.name.clone(),
        href: address::party(t.language(), party, &of.id),
        compare: compare(t, party, [(own_id, &of.own_name), (&of.id, &of.name)]),
        reason,
    }
}

fn alike(t: Texts, party: Party, own: &Supplier, found: Alike) -> AlikeRow {
    let other = &found.supplier;
    AlikeRow {
        is_consortium: found.is_consortium,
        href: address::party(t.language(), party, &other.id),
        records: other.records,
        compare: compare(t, party, [(&own.id, &own.name), (&other.id, &other.name)]),
        name: found.name,
    }
}

/// The address of the comparison of two suppliers, or of two bodies, by identifier and name.
fn compare(t: Texts, party: Party, both: [(&str, &str); 2]) -> String {
    let what = match party {
        Party::Supplier => ComparedType::Supplier,
        Party::Body => ComparedType::Department,
    };
    let of = both.map(|(id, name)| if party == Party::Supplier { id } else { name });
    let both = of.iter().fold(Parameters::default(), |all, of| all.and("of", of));
    both.after(&address::compare(t.language(), what.name()))
}

/// Why a name is joined to another one.
fn sentence(t: Texts, evidence: &Evidence, with: &str) -> String {
    match evidence {
        Evidence::Number { number } => {
            let number = number_label(t, number);
            t.with("supplier-reason-number", &[("number", &number), ("with", &with)])
        }
        Evidence::Publisher { relation, source } => {
            let relation = match relation {
                Relation::LegalName => "legal-name",
                Relation::OperatingName => "operating-name",
                Relation::StandardizedName => "standardized-name",
            };
            let arguments: [(&str, &dyn Argument); 2] = [("source", &source_name(t, source)), ("with", &with)];
            t.keyed_with("supplier-reason-", relation, &arguments)
        }
        Evidence::Division => t.with("supplier-reason-division", &[("with", &with)]),
        Evidence::CoreName { postal_code } => {
            t.with("supplier-reason-core-name", &[("with", &with), ("code", postal_code)])
        }
        Evidence::NearName { postal_code } => {
            t.with("supplier-reason-near-name", &[("with", &with), ("code", postal_code)])
        }
        Evidence::CoreNameOnly { in_one_city: true } => t.with("supplier-reason-core-name-city", &[("with", &with)]),
        Evidence::CoreNameOnly { in_one_city: false } => t.with("supplier-reason-core-name-only", &[("with", &with)]),
        Evidence::Table { source } => t.with("supplier-reason-table", &[("with", &with), ("source", source)]),
        Evidence::Municipality { municipality } => {
            let city = municipality::by_slug(municipality);
            let place = city.map_or(municipality, |city| match t.language() {
                Language::English => &city.name_en,
                Language::French => &city.name_fr,
            });
            t.with("supplier-reason-municipality", &[("with", &with), ("place", place)])
        }
        Evidence::Ampersand => t.with("supplier-reason-ampersand", &[("with", &with)]),
        Evidence::Claim { reason, source, date } => {
            let details: Vec<&str> = [reason, source, date]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect();
            let sentence = t.with("supplier-reason-claim", &[("with", &with)]);
            if details.is_empty() {
                sentence
            } else {
                format!("{sentence} ({})", details.join(", "))
            }
        }
    }
}

/// An official number with the name of who gave it.
fn number_label(t: Texts, number: &str) -> String {
    match number.split_once(':') {
        Some((kind, number)) if t.has("supplier-number-", kind) => {
            t.keyed_with("supplier-number-", kind, &[("number", &number)])
        }
        _ => number.to_owned(),
    }
}

/// The end of the key of the text for a stop.
fn waiting(why: Waiting) -> &'static str {
    match why {
        Waiting::SeveralNames => "several-names",
        Waiting::SingleStatement => "single-statement",
        Waiting::TooManyNames => "too-many-names",
        Waiting::TwoLargeSuppliers => "two-large-suppliers",
        Waiting::DifferentNumbers => "different-numbers",
        Waiting::OneWord => "one-word",
        Waiting::Consortium => "consortium",
        Waiting::Person => "person",
        Waiting::DifferentForms => "different-forms",
        Waiting::SameCoreName => "same-core-name",
        Waiting::NearName => "near-name",
        Waiting::Division => "division",
    }
}
