//! What the suppliers or the bodies have that words compare, next to the link to their comparison: "who got more, Acme
//! or Zenith?"

use crate::{
    api::{
        analysis::{
            compared::{Compared, ComparedType, MAX_COMPARED, common_entity_type, name_in_search},
            figures::FigurePlan,
        },
        params::include::Include,
    },
    catalog::generation::Generation,
    engine::Error,
    model::EntityType,
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

/// What is counted of each: its total, its value with the part in doubt, and its first and last day.
fn figures() -> FigurePlan {
    let include = Include {
        quality: true,
        ..Include::default()
    };
    FigurePlan::new(Vec::new(), include)
}

/// What it scans, and how often: each entity type is counted, and one of them is shown.
pub(super) fn scans(generation: &Generation) -> impl Iterator<Item = (EntityType, usize)> {
    let largest = EntityType::ALL
        .into_iter()
        .max_by_key(|of| generation.manifest_of(*of).records);
    let shown = largest.map(|of| (of, MAX_COMPARED * figures().scans()));
    // Of each, the records of a type are counted, and those of them that meet the conditions.
    EntityType::ALL
        .into_iter()
        .map(|of| (of, 2 * MAX_COMPARED))
        .chain(shown)
}

/// How often the words among their conditions are searched for: in each entity type, and for the figures.
pub(super) const SEARCHES: usize = MAX_COMPARED * (EntityType::ALL.len() + 1);

/// A sentence of each: the number, the value and the years of its records, of the entity type that the comparison shows
/// first. Where none has records of all, each has those of its own type with most of them. `all`: what identifies each,
/// and its name; `conditions`: what the records have to meet. `None` if one is not known, if no entity type has all
/// conditions, and if counting takes too long.
pub(super) fn side_figures(
    context: &SearchContext,
    what: ComparedType,
    all: &[(&str, &str)],
    conditions: &Parameters,
) -> Result<Option<String>, Error> {
    if all.len() > MAX_COMPARED {
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
    let Some(searched) = searched(context, conditions) else {
        return Ok(None);
    };
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
    let common = common_entity_type(&things);
    let have_all = things.iter().all(|thing| thing.records(common) > 0);
    let mut sentences = Vec::new();
    for (thing, (_, name)) in things.iter().zip(all) {
        let own = common_entity_type(std::slice::from_ref(thing));
        let of = if have_all || !thing.has_records() { common } else { own };
        let records = match thing.query(of) {
            Some(query) => sentence(t, of, &figures().run(ask, &query)?.counted, parties(context)),
            None => t.keyed_with("search-records-", of.name(), &[("count", &0)]),
        };
        sentences.push(t.with("search-compared-side", &[("name", name), ("records", &records)]));
    }
    Ok(Some(sentences.join(" ")))
}

/// The searches for all records that meet the conditions, one for each entity type that has them; none without
/// conditions. `None` if no entity type has them.
fn searched(context: &SearchContext, conditions: &Parameters) -> Option<Vec<SearchQuery>> {
    let renamed = conditions.iter().fold(Parameters::default(), |all, (name, value)| {
        all.with(name_in_search(name), value)
    });
    let asked = SearchAddress::of(context.asked.lang, context.asked.entity_type, renamed);
    if asked.conditions().is_empty() {
        return Some(Vec::new());
    }
    Some(asked.queries(&context.ask.generation)).filter(|queries| !queries.is_empty())
}
