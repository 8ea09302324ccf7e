//! What the suppliers or the bodies have that words compare, next to the link to their comparison: "who got more, Acme
//! or Zenith?"

use crate::{
    api::{
        analysis::{
            compared::{Compared, ComparedType, WORDS, common_entity_type},
            figures::FigurePlan,
        },
        params::include::Include,
    },
    catalog::generation::Generation,
    engine::{Error, aggregation::TermsAggregation},
    model::{EntityType, Facet},
    pages::{
        address::Parameters,
        search::{
            context::SearchContext,
            search_address::SearchAddress,
            sentence::{parties, sentence},
        },
    },
    query::SearchQuery,
};

/// How many suppliers or bodies may be compared.
const MOST: usize = 4;

/// What is counted of each.
fn figures() -> FigurePlan {
    let include = Include {
        quality: true,
        ..Include::default()
    };
    FigurePlan::new(vec![TermsAggregation::all(Facet::Year)], include)
}

/// What it scans, and how often: each entity type is counted, and one of them is shown.
pub(super) fn scans(generation: &Generation) -> impl Iterator<Item = (EntityType, usize)> {
    let largest = EntityType::ALL
        .into_iter()
        .max_by_key(|of| generation.manifest_of(*of).records);
    let shown = largest.map(|of| (of, MOST * figures().scans()));
    EntityType::ALL.into_iter().map(|of| (of, MOST)).chain(shown)
}

/// How often the words among their conditions are searched for.
pub(super) const SEARCHES: usize = 2 * MOST;

/// A sentence of each: the number, the value and the years of its records, of the entity type that the comparison shows
/// first. `all`: what identifies each, and its name; `conditions`: what the records have to meet. `None` if one is not
/// known or has no such records, and if counting takes too long.
pub(super) fn side_figures(
    context: &SearchContext,
    what: ComparedType,
    all: &[(&str, &str)],
    conditions: &Parameters,
) -> Result<Option<String>, Error> {
    if all.len() > MOST {
        return Ok(None);
    }
    match sentences(context, what, all, conditions) {
        Err(Error::Timeout) => Ok(None),
        sentences => sentences,
    }
}

fn sentences(
    context: &SearchContext,
    what: ComparedType,
    all: &[(&str, &str)],
    conditions: &Parameters,
) -> Result<Option<String>, Error> {
    let (ask, t) = (context.ask, context.t);
    let searched = searched(context, conditions, &ask.generation);
    let mut things = Vec::new();
    for (id, _) in all {
        let Some(thing) = Compared::find(ask, what, id)? else {
            return Ok(None);
        };
        things.push(if searched.is_empty() {
            thing
        } else {
            thing.under(ask, &searched)?
        });
    }
    let of = common_entity_type(&things);
    let mut sentences = Vec::new();
    for (thing, (_, name)) in things.iter().zip(all) {
        let records = match thing.query(of) {
            Some(query) => sentence(t, of, &figures().run(ask, &query)?.counted, parties(context)),
            None => t.keyed_with("search-records-", of.name(), &[("count", &0)]),
        };
        sentences.push(t.with("search-compared-side", &[("name", name), ("records", &records)]));
    }
    Ok(Some(sentences.join(" ")))
}

/// The searches for all records that meet the conditions, one for each entity type that has them.
fn searched(context: &SearchContext, conditions: &Parameters, generation: &Generation) -> Vec<SearchQuery> {
    let renamed = conditions.iter().fold(Parameters::default(), |all, (name, value)| {
        all.with(if name == WORDS { "q" } else { name }, value)
    });
    let asked = SearchAddress::of(context.asked.lang, context.asked.entity_type, renamed);
    if asked.conditions().is_empty() {
        return Vec::new();
    }
    asked.queries(generation)
}
