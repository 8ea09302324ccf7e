//! One of the compared things: its name, its pages, and what is said of it.

use std::cmp::Reverse;

use super::{figures::Side, request::Request};
use crate::{
    api::{
        analysis::compared::{Compared, Subject},
        params::filters::SEPARATOR,
    },
    catalog::{
        generation::Generation,
        suppliers::{
            Party,
            begin_alike::{Alike, MAX_ALIKE, begin_alike, consortia},
            is_consortium_name,
        },
    },
    engine::names::BodyKind,
    http::error::ApiError,
    model::{EntityType, Language, vocabulary::NO_QUALITY_FLAG},
    pages::{
        address::{self, Parameters},
        commodity_names,
        messages::Texts,
        overview::Overview,
        quality::TotalDoubt,
    },
};

/// A thing that is compared.
pub(super) struct Thing {
    pub(super) name: String,
    /// Its own page.
    pub(super) href: String,
    /// The comparison without it, and the label of that link.
    pub(super) without: String,
    pub(super) removal: String,
    pub(super) sentence: Option<String>,
    pub(super) headline: Option<String>,
    pub(super) coverage: Option<String>,
    /// That some amounts are in other currencies.
    pub(super) currencies: Option<String>,
    /// The names of the suppliers that are counted as one, or of the divisions of a body.
    pub(super) joined: Option<String>,
    /// That other suppliers have similar names, with the list of these.
    pub(super) alike: Option<(String, String)>,
    /// The consortia that name it, which are not counted.
    pub(super) consortia: Option<String>,
    /// How much of the total is doubtful, with the search without these records.
    pub(super) doubt: Option<TotalDoubt>,
}

/// The thing with this number.
pub(super) fn thing(
    generation: &Generation,
    request: &Request,
    (things, number): (&[Compared], usize),
    side: &Side,
) -> Result<Thing, ApiError> {
    let (name, href) = name_and_page(generation, request, side);
    let others = things.iter().enumerate().filter(|(other, _)| *other != number);
    let others: Vec<&str> = others.map(|(_, thing)| thing.id()).collect();
    let of = side.overview.as_ref();
    let other = request.what.other_side();
    let headline = of.map(|of| of.headline(other, side.competition.as_ref())).transpose()?;
    let without = |of: &Overview| {
        let query = searched(request, side.subject)?.with("quality_flag", NO_QUALITY_FLAG);
        Some(address::search(request.lang(), of.entity_type(), &query))
    };
    Ok(Thing {
        without: request.address(&others),
        removal: request.t.with("compare-remove", &[("name", &name)]),
        sentence: of.map(|of| format!("{}.", of.sentence_parts().join(", "))),
        headline: headline.flatten(),
        coverage: of.and_then(Overview::coverage),
        currencies: of.and_then(Overview::currencies),
        joined: joined(request.t, side.subject),
        consortia: named_by_consortia(generation, request.t, side.subject),
        alike: alike(generation, request.t, (things, number), &href),
        doubt: of.and_then(|of| of.doubt(without(of))),
        href,
        name,
    })
}

/// The part of the page of a supplier that lists similar names.
const LIST_OF_ALIKE: &str = "#alike";

/// That other suppliers, which are not compared, have similar names.
fn alike(
    generation: &Generation,
    t: Texts,
    (things, number): (&[Compared], usize),
    href: &str,
) -> Option<(String, String)> {
    let Subject::Supplier { id: Some(id), side, .. } = &things[number].subject else {
        return None;
    };
    let suppliers = &generation.suppliers;
    let all = begin_alike(suppliers, &suppliers.with_id(id)?);
    let is_compared = |alike: &&Alike| things.iter().any(|thing| thing.id() == alike.supplier.id);
    let count = all.len() - all.iter().filter(is_compared).count();
    let key = if all.len() < MAX_ALIKE {
        "compare-alike"
    } else {
        "compare-alike-many"
    };
    let sentence = || t.with(key, &[("name", &side.name), ("count", &count)]);
    (count > 0).then(|| (sentence(), format!("{href}{LIST_OF_ALIKE}")))
}

/// How many divisions of a body are listed.
const MAX_DIVISIONS: usize = 4;

/// How many consortia are listed.
const MAX_CONSORTIA: usize = 6;

/// The consortia with most records that name the firm, of several suppliers the first one, each with its records.
fn named_by_consortia(generation: &Generation, t: Texts, subject: &Subject) -> Option<String> {
    let Subject::Supplier {
        id: Some(ids), side, ..
    } = subject
    else {
        return None;
    };
    let suppliers = &generation.suppliers;
    let firm = suppliers.with_id(ids.split(SEPARATOR).next()?)?;
    let alike = begin_alike(suppliers, &firm);
    let others = consortia(suppliers, &firm, &alike);
    let mut all: Vec<(String, u64)> = alike
        .into_iter()
        .filter(|alike| alike.is_consortium)
        .chain(others)
        // A firm with the name of a consortium among its own is counted, or is another firm.
        .filter(|found| is_consortium_name(&found.supplier.name))
        .map(|found| (found.name, found.supplier.records))
        .collect();
    all.sort_by_key(|(_, records)| Reverse(*records));
    let names = listed(t, &all, MAX_CONSORTIA);
    (!all.is_empty()).then(|| t.with("compare-consortia", &[("name", &side.name), ("names", &names)]))
}

/// At most `most` names, each with its records.
fn listed(t: Texts, names: &[(String, u64)], most: usize) -> String {
    let name = |(name, records): &(String, u64)| t.with("search-similar-name", &[("name", name), ("count", records)]);
    let cut = (names.len() > most).then(|| "…".to_owned());
    let names: Vec<String> = names.iter().take(most).map(name).chain(cut).collect();
    names.join(", ")
}

/// The names of the suppliers that are counted as one, or of the divisions of a body, each with its records. `None` for
/// one supplier, and without divisions.
fn joined(t: Texts, subject: &Subject) -> Option<String> {
    match subject {
        Subject::Supplier { joined, .. } => {
            let (first, _) = joined.first()?;
            let names = listed(t, joined, joined.len());
            Some(t.with("compare-joined", &[("first", first), ("names", &names)]))
        }
        Subject::Body { body, divisions, .. } => {
            let (name, names) = (body.name_in(t.language()), listed(t, divisions, MAX_DIVISIONS));
            (!divisions.is_empty()).then(|| t.with("compare-divisions", &[("name", &name), ("names", &names)]))
        }
        _ => None,
    }
}

/// The name in the language of the page, if it is known, and the page of the thing alone.
fn name_and_page(generation: &Generation, request: &Request, of: &Side) -> (String, String) {
    let (t, lang) = (request.t, request.lang());
    match of.subject {
        Subject::Supplier {
            id: Some(ids),
            side,
            joined,
        } if !joined.is_empty() => {
            let entity_type = of.overview.as_ref().map_or(EntityType::Contract, Overview::entity_type);
            let all = Parameters::default().with("supplier", ids);
            let others = joined.len() - 1;
            (
                t.with("compare-joined-name", &[("name", &side.name), ("count", &others)]),
                address::search(lang, entity_type, &all),
            )
        }
        Subject::Supplier { id, side, .. } => {
            let own = id.as_ref().map(|id| address::party(lang, Party::Supplier, id));
            (
                side.name.clone(),
                own.unwrap_or_else(|| address::vendor(lang, &side.name)),
            )
        }
        Subject::Body { body, .. } => (
            body.name_in(lang).to_owned(),
            address::party(lang, Party::Body, &body.id),
        ),
        Subject::Department(named) => {
            let own = named.name_fr.as_ref().filter(|_| lang == Language::French);
            let name = own.unwrap_or(&named.name).clone();
            let href = address::department(lang, &name);
            (name, href)
        }
        Subject::Commodity(code) => (
            commodity_names::label(&generation.commodities, code, t),
            address::commodity(lang, code),
        ),
    }
}

/// The parameters of the search for exactly the compared records of a thing; `None` if no search finds them.
pub(super) fn searched(request: &Request, subject: &Subject) -> Option<Parameters> {
    let (parameter, value) = match subject {
        Subject::Supplier { id, .. } => ("supplier", id.as_deref()?),
        Subject::Body { ids, .. } => ("body", ids.as_str()),
        Subject::Department(named) if named.kind == Some(BodyKind::Buyer) => ("department_is", named.name.as_str()),
        Subject::Department(_) => return None,
        Subject::Commodity(code) => ("commodity", code.key()),
    };
    let conditions = request.conditions.as_ref().map(|asked| asked.parameters.clone());
    Some(conditions.unwrap_or_default().with(parameter, value))
}
