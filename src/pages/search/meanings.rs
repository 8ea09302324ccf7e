//! "Perhaps you mean": what the words of a search may mean, each a link to as many records as it states. Nothing of it
//! is certain.

use std::collections::HashSet;

use serde::Serialize;

use crate::{
    api::analysis::{
        commodity::most_records,
        suggest::{SuggestPlan, Suggested},
    },
    catalog::{
        ask::Ask,
        suggest::{Likeness, MeaningType},
        suppliers::Party,
    },
    engine::Error,
    http::{
        error::ApiError,
        work::{Reply, Work},
    },
    model::{
        EntityType, Language, Role, Schema,
        commodity::CommodityCode,
        fold::{fold, word_list},
    },
    pages::{
        address::{self, Parameters},
        messages::Texts,
        page::PageCall,
        route::{Handler, Page},
        search::{related::Related, search_address::SearchAddress, split::Split},
    },
    query::SearchQuery,
    question::{buyers::of_other_kind, period::is_year, reading::subject},
};

/// What a box suggests while somebody types.
pub(crate) const PAGE: Page = Page {
    template: "/{lang}/suggest",
    handler: Handler::Fixed(page),
    ..Page::DEFAULT
};

/// Something that the words may mean.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Meaning {
    pub(crate) label: String,
    /// What it is: "Buyer".
    pub(crate) what: String,
    /// How many records the link leads to, and how many there are of all entity types, if more.
    pub(crate) count: String,
    pub(crate) href: String,
    /// The search that it leads to, if it leads to one.
    #[serde(skip)]
    pub(crate) asked: Option<SearchAddress>,
    /// The page of the supplier, the buyer or the trade.
    #[serde(skip)]
    pub(crate) profile: Option<String>,
    /// Whether it is known to have nothing.
    #[serde(skip)]
    pub(crate) is_empty: bool,
    /// Whether it is all records of one buyer, whom the words name.
    #[serde(skip)]
    pub(crate) is_whole_buyer: bool,
}

impl Meaning {
    /// The same search with conditions in place of words.
    pub(crate) fn of_split(t: Texts, split: &Split, records: u64) -> Meaning {
        let kind = split.asked.entity_type.name();
        Meaning {
            label: split.label(&split.words),
            what: t.text(if split.has_conditions {
                "search-meaning-conditions"
            } else {
                "search-meaning-words"
            }),
            count: t.keyed_with("search-records-", kind, &[("count", &records)]),
            href: split.asked.address_as_ranked(),
            asked: Some(split.asked.clone()),
            ..Meaning::default()
        }
    }
}

impl Meaning {
    /// Makes it the search for fewer records.
    pub(super) fn narrow(&mut self, t: Texts, asked: &SearchAddress, records: u64) {
        self.href = asked.address_as_ranked();
        self.count = t.keyed_with("search-records-", asked.entity_type.name(), &[("count", &records)]);
        self.asked = Some(asked.clone());
    }

    /// The records of which the words ask for a share, of which `part` records are it. `of_value`: the share of their
    /// value, if it is known.
    pub(crate) fn of_all(
        t: Texts,
        of: EntityType,
        all: &Related,
        (part, records): (u64, u64),
        of_value: Option<f64>,
    ) -> Meaning {
        let percent = t.percent(part as f64 / records as f64);
        let mut what = t.with(
            "search-meaning-share",
            &[("part", &part), ("all", &records), ("percent", &percent)],
        );
        if let Some(share) = of_value {
            what = t.with(
                "search-meaning-share-of-value",
                &[("share", &what), ("percent", &t.percent(share))],
            );
        }
        Meaning {
            label: all.label.clone(),
            what,
            count: t.keyed_with("search-records-", of.name(), &[("count", &records)]),
            href: all.href.clone(),
            ..Meaning::default()
        }
    }

    /// A search near to that with conditions in place of words.
    pub(crate) fn of_related(t: Texts, what: String, of: &Related, records: u64) -> Meaning {
        let kind = of.asked.entity_type.name();
        Meaning {
            label: of.label.clone(),
            what,
            count: t.keyed_with("search-records-", kind, &[("count", &records)]),
            href: of.href.clone(),
            asked: Some(of.asked.clone()),
            ..Meaning::default()
        }
    }

    /// The same search with the supplier or buyer whose name is all that is left of the words: "DND 2024". `None` if
    /// there is no such name, or it has no such records. The second value is the number of records.
    pub(crate) fn of_named(ask: &Ask, t: Texts, split: &Split) -> Result<Option<(Meaning, u64)>, Error> {
        if split.words.is_empty() || split.conditions.is_empty() {
            return Ok(None);
        }
        let is_party = |of: MeaningType| matches!(of, MeaningType::Supplier | MeaningType::Department);
        let is_name = |found: &Suggested| found.likeness == Likeness::Exact && is_party(found.meaning);
        let Some(named) = found(ask, t, &split.words)?.into_iter().find(is_name) else {
            return Ok(None);
        };
        let rows = named.by_entity_type.iter().map(|row| (row.entity_type, row.records));
        let is_wanted = |(of, _): &(EntityType, u64)| split.wanted.is_empty() || split.wanted.contains(of);
        let Some(kind) = most_records(rows.filter(is_wanted)) else {
            return Ok(None);
        };
        // What the search asks for already stays.
        let mut values = named.query.iter().flatten();
        if values.any(|(name, _)| split.asked.value(name).is_some()) {
            return Ok(None);
        }
        let (asked, has_all) = split.asked.dropping(&["q"]).of_other(kind);
        let values = named.query.iter().flatten();
        let asked = asked.setting(&values.map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>());
        let query = asked.query_in(&ask.generation).filter(|_| has_all);
        let records = query.map_or(Ok(0), |query| ask.count(&query))?;
        let meaning = || Meaning {
            label: split.label(&named.label),
            what: what(t, &named),
            count: t.keyed_with("search-records-", kind.name(), &[("count", &records)]),
            href: asked.address(),
            asked: Some(asked.clone()),
            ..Meaning::default()
        };
        Ok((records > 0).then(|| (meaning(), records)))
    }

    /// The same search with the suppliers in whose names all its words are, one after the other: "KPMG" is also "KPMG
    /// LLP". `asked` searches for these words. `None` unless the names of at least `fewest` suppliers begin with them.
    pub(crate) fn of_part(
        ask: &Ask,
        t: Texts,
        (asked, words): (&SearchAddress, &str),
        (wanted, fewest): (&[EntityType], usize),
        label: impl FnOnce(&str) -> String,
    ) -> Result<Option<(Meaning, u64)>, Error> {
        let words = words.trim();
        // "CBC" is not a whole word of "CBCI".
        let start = word_list(words);
        let begins =
            |found: &Suggested| found.meaning == MeaningType::Supplier && word_list(&found.label).starts_with(&start);
        let is_inside = words.len() < MIN_INSIDE && ask.generation.suppliers.is_inside_a_word(words);
        let has_vendor = ["vendor", "vendor_is", "supplier"]
            .iter()
            .any(|name| asked.value(name).is_some());
        let is_short = fold(words).len() < MIN_PART;
        if is_short || is_inside || has_vendor || found(ask, t, words)?.into_iter().filter(begins).count() < fewest {
            return Ok(None);
        }
        let types = types_with_suppliers().filter(|of| wanted.is_empty() || wanted.contains(of));
        let of_type = |of: EntityType| {
            let (asked, has_all) = asked.dropping(&["q"]).of_other(of);
            let asked = asked.setting(&[("vendor", words)]);
            Some((asked.query_in(&ask.generation).filter(|_| has_all)?, asked))
        };
        let (queries, addresses): (Vec<SearchQuery>, Vec<SearchAddress>) = types.filter_map(of_type).unzip();
        let counts = ask.counts(queries)?;
        let rows = || {
            addresses
                .iter()
                .zip(&counts)
                .map(|(asked, records)| (asked.entity_type, *records))
        };
        let most = most_records(rows());
        let number = rows().position(|(of, records)| Some(of) == most && records > 0);
        Ok(number.map(|number| {
            let (asked, records) = (&addresses[number], counts[number]);
            let meaning = Meaning {
                label: label(&t.with("search-part-of-name", &[("words", &words)])),
                what: t.text("search-meaning-part"),
                count: t.keyed_with("search-records-", asked.entity_type.name(), &[("count", &records)]),
                href: asked.address(),
                asked: Some(asked.clone()),
                ..Meaning::default()
            };
            (meaning, records)
        }))
    }
}

/// What words alone may mean.
pub(super) fn found(ask: &Ask, t: Texts, words: &str) -> Result<Vec<Suggested>, Error> {
    let plan = SuggestPlan {
        text: words.to_owned(),
        language: t.language(),
        limit: ABOVE_RESULTS,
    };
    run(ask, &plan)
}

/// What a text may mean, first the body that it names with its kind for short or in full: "CSSS de Laval".
fn run(ask: &Ask, plan: &SuggestPlan) -> Result<Vec<Suggested>, Error> {
    let found = plan.run(ask)?;
    let mut named = Vec::new();
    let is_known = |name: &String| ask.generation.bodies.find_name(name).is_some();
    for text in of_other_kind(&fold(&plan.text)).into_iter().filter(is_known) {
        let of_text = SuggestPlan { text, ..plan.clone() }.run(ask)?.into_iter();
        let is_name = |found: &Suggested| found.meaning == MeaningType::Department && found.likeness == Likeness::Exact;
        named.extend(of_text.filter(is_name));
    }
    let named = named.into_iter();
    let mut all: Vec<Suggested> = named.chain(found).collect();
    let mut seen = HashSet::new();
    all.retain(|found| seen.insert((found.meaning, found.id.clone())));
    all.truncate(plan.limit);
    Ok(all)
}

/// The entity types whose records name suppliers.
pub(crate) fn types_with_suppliers() -> impl Iterator<Item = EntityType> {
    let has_vendor = |of: &EntityType| Schema::of(*of).has_role(Role::Vendor);
    EntityType::ALL.into_iter().filter(has_vendor)
}

/// The answer to a box.
#[derive(Serialize)]
struct Meanings {
    results: Vec<Meaning>,
    /// How many there are, for those who hear the page.
    status: String,
}

/// How many are shown above the results, and below a box.
pub(crate) const ABOVE_RESULTS: usize = 5;
const BELOW_BOX: usize = 8;

/// The fewest bytes of a part of a name: fewer are in too many.
const MIN_PART: usize = 3;

/// Fewer bytes are in other words by chance: "CGI" in "McGill".
const MIN_INSIDE: usize = 6;

/// The most characters of a text that are read; an address can be longer than a box.
const MAX_CHARS: usize = 512;

/// What a text may mean, the best first. Where it has records of `stated`, the entity type of the address, the link
/// leads to these; else to those of [`most_records`].
pub(crate) fn meanings(
    ask: &Ask,
    t: Texts,
    text: &str,
    stated: Option<EntityType>,
    limit: usize,
) -> Result<Vec<Meaning>, Error> {
    let plan = SuggestPlan {
        text: text.chars().take(MAX_CHARS).collect(),
        language: t.language(),
        limit,
    };
    let mut found = run(ask, &plan)?;
    // "2019" is a year among other words, although a solicitation may have it as its number.
    let is_alone = plan.text.split_whitespace().nth(1).is_none();
    found.retain(|found| found.meaning != MeaningType::Solicitation || is_alone || !is_year(&found.id));
    if let Some(subject) = subject(&plan.text, Some(ask.generation.parties(Party::Supplier))) {
        // A name may have a year: "Pavage 2000". Others are only like the year.
        let is_named = |found: &Suggested| found.likeness == Likeness::Exact || has_words(&found.label, &plan.text);
        found.retain(|found| found.meaning == MeaningType::Solicitation || is_named(found));
        let about = SuggestPlan { text: subject, ..plan };
        for more in run(ask, &about)? {
            let is_new = |known: &Suggested| (known.meaning, &known.id) != (more.meaning, &more.id);
            if found.len() < limit && found.iter().all(is_new) {
                found.push(more);
            }
        }
    }
    let found = found.into_iter();
    Ok(found.filter_map(|found| meaning(t, found, stated)).collect())
}

/// Whether a name has all words of a text, whose last one may be half typed.
fn has_words(name: &str, text: &str) -> bool {
    let (own, mut words) = (word_list(name), word_list(text));
    let last = words.pop().unwrap_or_default();
    words.iter().all(|word| own.contains(word)) && own.iter().any(|word| word.starts_with(&last))
}

/// A meaning that leads to an address with all its records.
pub(crate) fn leading_to(t: Texts, found: Suggested, href: String) -> Meaning {
    Meaning {
        what: what(t, &found),
        count: t.with("search-meaning-records", &[("count", &found.records)]),
        href,
        label: found.label,
        ..Meaning::default()
    }
}

/// What it is; of a supplier also how many names are joined: others of the same firm may not be known to be.
fn what(t: Texts, found: &Suggested) -> String {
    let what = match found.meaning {
        MeaningType::Supplier => return supplier(t, found.names),
        MeaningType::Department => "department",
        MeaningType::Solicitation => "solicitation",
        MeaningType::Commodity => "commodity",
        MeaningType::Municipality => "municipality",
    };
    t.keyed("search-meaning-", what)
}

/// The page of a supplier, a buyer or a trade.
pub(super) fn profile(language: Language, found: &Suggested) -> Option<String> {
    match found.meaning {
        MeaningType::Supplier => Some(address::party(language, Party::Supplier, &found.id)),
        MeaningType::Department => Some(address::party(language, Party::Body, &found.id)),
        MeaningType::Commodity => Some(address::commodity(language, &CommodityCode::of_key(&found.id)?)),
        MeaningType::Solicitation | MeaningType::Municipality => None,
    }
}

/// A supplier with so many names.
pub(crate) fn supplier(t: Texts, names: usize) -> String {
    t.with("search-meaning-supplier", &[("count", &names)])
}

fn meaning(t: Texts, found: Suggested, stated: Option<EntityType>) -> Option<Meaning> {
    let lang = t.language();
    let Some(query) = &found.query else {
        let href = address::solicitation(lang, &found.id);
        return Some(leading_to(t, found, href));
    };
    let rows = &found.by_entity_type;
    let most = most_records(rows.iter().map(|row| (row.entity_type, row.records)));
    let of = |wanted: Option<EntityType>| rows.iter().find(|row| Some(row.entity_type) == wanted);
    let row = of(stated).or_else(|| of(most))?;
    let mut count = t.keyed_with("search-records-", row.entity_type.name(), &[("count", &row.records)]);
    if row.records < found.records {
        count = t.with(
            "search-meaning-of-all",
            &[("records", &count), ("count", &found.records)],
        );
    }
    let parameters = query
        .iter()
        .fold(Parameters::default(), |all, (name, value)| all.with(name, value));
    let asked = SearchAddress {
        lang,
        entity_type: row.entity_type,
        states_kind: true,
        parameters,
        by_number: false,
        by_name: false,
    };
    Some(Meaning {
        is_empty: false,
        what: what(t, &found),
        count,
        href: asked.address(),
        asked: Some(asked),
        profile: profile(t.language(), &found),
        label: found.label,
        is_whole_buyer: found.meaning == MeaningType::Department && found.likeness == Likeness::Exact,
    })
}

fn page(call: &PageCall) -> Result<Work, ApiError> {
    let parameters = Parameters::parse(call.query)?;
    let text = parameters.get("q").unwrap_or_default().to_owned();
    let stated = parameters.get("kind").and_then(EntityType::parse);
    let t = call.t;
    let lane = SuggestPlan::lane(&call.generation);
    let work = Work::search(&call.generation, move |ask| {
        answer(t, meanings(ask, t, &text, stated, BELOW_BOX)?)
    });
    call.validated(work.in_lane(lane), &call.query)
}

/// What a box shows below itself.
pub(crate) fn answer(t: Texts, mut results: Vec<Meaning>) -> Result<Reply, ApiError> {
    results.truncate(BELOW_BOX);
    let status = t.with("search-suggestions-count", &[("count", &results.len())]);
    Reply::json(&Meanings { results, status })
}
