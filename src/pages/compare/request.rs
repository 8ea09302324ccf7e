//! What a comparison is asked for, and the address of another one.

use crate::{
    api::{
        analysis::compared::{CONDITIONS, ComparedType, MAX_COMPARED, WORDS, name_in_search},
        params::{
            param::Param,
            parse::{Case, Given},
            value::{ENTITY_TYPES, ParamType},
        },
    },
    catalog::generation::Generation,
    http::{error::ApiError, quoted::quoted},
    model::{Date, EntityType, Language},
    pages::{
        address::{self, Parameters},
        messages::Texts,
        page::PageCall,
        search::SearchAddress,
    },
    query::SearchQuery,
};

#[derive(Debug, Default, PartialEq)]
pub(super) struct CompareParams {
    of: Vec<String>,
    kind: Option<Given<&'static str>>,
    pub(super) q: Option<Given<String>>,
}

const OF: Param<CompareParams> = Param::new(
    "of",
    "What is compared: a supplier's identifier or name, a department's name, a commodity code; up to four times",
    ParamType::Texts(MAX_COMPARED, |p| &mut p.of),
);

const KIND: Param<CompareParams> = Param::new(
    "kind",
    "Count the records of this entity type",
    ParamType::OneOf(&ENTITY_TYPES, Case::Exact, |p| &mut p.kind),
);

/// A condition that the records of each thing have to meet, as in a search; [`Request::of`] reads it.
const fn condition(name: &'static str) -> Param<CompareParams> {
    Param::new(
        name,
        "Count only the records with it, as in a search",
        ParamType::Unused,
    )
}

macro_rules! table {
    ($($further:expr),*) => {
        &[
            OF,
            KIND,
            condition(WORDS),
            condition("municipality"),
            condition("region"),
            condition("level"),
            condition("body_class"),
            condition("vendor_city"),
            condition("vendor_country"),
            condition("body"),
            condition("issued_after"),
            condition("issued_before"),
            condition("ending_after"),
            condition("ending_before"),
            condition("competition"),
            condition("amended"),
            condition("value_min"),
            condition("value_max"),
            $($further),*
        ]
    };
}

pub(super) static TABLE: &[Param<CompareParams>] = table!();

pub(super) static SUGGEST_TABLE: &[Param<CompareParams>] =
    table!(Param::new("q", "What somebody types", ParamType::Typed(|p| &mut p.q)));

/// What the page needs of the request.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) what: ComparedType,
    pub(super) of: Vec<String>,
    pub(super) kind: Option<EntityType>,
    /// What the records of each thing have to meet: a search without an entity type of its own; `None` without any.
    pub(super) conditions: Option<SearchAddress>,
    pub(super) t: Texts,
    pub(super) today: Date,
}

impl Request {
    pub(super) fn of(call: &PageCall, what: &str, given: CompareParams) -> Result<Request, ApiError> {
        let types = "supplier, department or commodity";
        let unknown = || ApiError::not_found(format!("{} cannot be compared; give {types}", quoted(what)));
        Ok(Request {
            what: ComparedType::parse(what).ok_or_else(unknown)?,
            of: given.of,
            kind: given.kind.and_then(|given| EntityType::parse(given.value)),
            conditions: conditions(call)?,
            t: call.t,
            today: call.today,
        })
    }

    pub(super) fn lang(&self) -> Language {
        self.t.language()
    }

    /// The searches for all records that meet the conditions, one for each entity type that has them.
    pub(super) fn searched(&self, generation: &Generation) -> Vec<SearchQuery> {
        let asked = self.conditions.iter();
        asked.flat_map(|asked| asked.queries(generation)).collect()
    }

    /// The conditions as parameters of the comparison, without one of them.
    pub(super) fn parameters_without(&self, dropped: &str) -> Parameters {
        let given = self.conditions.iter().flat_map(|asked| asked.parameters.iter());
        let kept = given.filter(|(name, _)| *name != dropped);
        kept.fold(Parameters::default(), |all, (name, value)| {
            all.with(if name == "q" { WORDS } else { name }, value)
        })
    }

    /// The comparison of these.
    pub(super) fn address(&self, of: &[&str]) -> String {
        self.address_without("", of)
    }

    /// The same without a condition.
    pub(super) fn address_without(&self, dropped: &str, of: &[&str]) -> String {
        let kind = self.kind.map(|kind| Parameters::default().with("kind", kind.name()));
        let conditions = self.parameters_without(dropped);
        let all = conditions
            .iter()
            .fold(kind.unwrap_or_default(), |all, (name, value)| all.and(name, value));
        let all = of.iter().fold(all, |all, id| all.and("of", id));
        all.after(&address::compare(self.lang(), self.what.name()))
    }
}

/// The conditions of an address. The error is that of a search with a wrong one.
fn conditions(call: &PageCall) -> Result<Option<SearchAddress>, ApiError> {
    let given = Parameters::parse(call.query)?;
    let values = CONDITIONS.into_iter().filter_map(|name| Some((name, given.get(name)?)));
    let all = values.fold(Parameters::default(), |all, (name, value)| {
        all.with(name_in_search(name), value)
    });
    let (asked, _) = SearchAddress::read(call.lang, &all.query_string())?;
    if asked.conditions().is_empty() {
        return Ok(None);
    }
    let types = EntityType::ALL.into_iter().map(|of| asked.of_other(of));
    let with_all = types.filter(|(_, has_all)| *has_all).map(|(asked, _)| asked);
    let resolved = with_all.map(|asked| asked.resolve(&call.resolve_context(asked.entity_type), 1).map(|_| ()));
    let resolved: Vec<Result<(), ApiError>> = resolved.collect();
    // A place may have records of one type only.
    if resolved.iter().all(Result::is_err) {
        resolved.into_iter().collect::<Result<(), ApiError>>()?;
    }
    Ok(Some(asked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::analysis::compared::CONDITIONS;

    #[test]
    fn the_page_takes_what_a_comparison_has_as_conditions() {
        let names = TABLE
            .iter()
            .map(|row| row.name)
            .filter(|name| !["of", "kind"].contains(name));
        assert_eq!(names.collect::<Vec<_>>(), CONDITIONS);
    }
}
