//! `include`: which further figures a response has.

use serde_json::{Value as Json, json};

use crate::{
    api::params::{
        by_entity_type::list_pattern,
        parse::{Given, not_in_list},
    },
    http::{error::ApiError, parameter_error::Reason},
    model::{Role, Schema},
};

/// Figures that are left out unless they are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Include {
    pub(crate) quality: bool,
    pub(crate) market: bool,
    pub(crate) currencies: bool,
    /// Of a vendor, a department or a commodity.
    pub(crate) bids: bool,
    pub(crate) coverage: bool,
    /// Of each record; of figures the largest ones.
    pub(crate) supplier: bool,
}

const NAMES: [&str; 6] = ["quality", "market", "currencies", "bids", "coverage", SUPPLIER];

/// What a search of records can include.
const OF_SEARCH: [&str; 2] = ["coverage", SUPPLIER];

/// What a record can include.
pub(crate) const SUPPLIER: &str = "supplier";

/// The JSON schema of `include`.
pub(crate) fn include_schema() -> Json {
    json!({"pattern": list_pattern(&NAMES)})
}

/// The schema of `include` for the search of records, which has no figures.
pub(crate) fn search_include_schema() -> Json {
    json!({"pattern": list_pattern(&OF_SEARCH)})
}

/// Why the search of records does not accept a list of names; `None` if it does.
pub(crate) fn rejected_by_search(list: &str) -> Option<Reason> {
    let mut names = list.split(',').map(str::trim);
    let other = names.find(|name| !name.is_empty() && !OF_SEARCH.contains(name))?;
    Some(Reason::NotInList(not_in_list(other, OF_SEARCH.into_iter())))
}

impl Include {
    /// All figures that records of an entity type have.
    pub(crate) fn all_of(schema: &Schema) -> Include {
        Include {
            quality: true,
            market: true,
            currencies: schema.has_role(Role::Value),
            bids: false,
            coverage: false,
            supplier: false,
        }
    }

    /// The figures of a list of names, which are separated by commas.
    pub(crate) fn parse(given: &Option<Given<String>>) -> Result<Include, ApiError> {
        let mut include = Include::default();
        let Some(given) = given else {
            return Ok(include);
        };
        for name in given.value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name {
                "quality" => include.quality = true,
                "market" => include.market = true,
                "currencies" => include.currencies = true,
                "bids" => include.bids = true,
                "coverage" => include.coverage = true,
                SUPPLIER => include.supplier = true,
                _ => {
                    let list = not_in_list(name, NAMES.into_iter());
                    return Err(ApiError::invalid(given.name, Reason::NotInList(list)));
                }
            }
        }
        Ok(include)
    }

    pub(crate) fn is_empty(self) -> bool {
        self == Include::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_includes_its_figures() {
        let parse = |text: &str| {
            let given = Given {
                name: "include",
                value: text.to_owned(),
            };
            Include::parse(&Some(given)).map_err(|error| error.detail)
        };
        for (number, name) in NAMES.into_iter().enumerate() {
            let Include {
                quality,
                market,
                currencies,
                bids,
                coverage,
                supplier,
            } = parse(name).unwrap();
            let expected = [0, 1, 2, 3, 4, 5].map(|of| of == number);
            assert_eq!(
                [quality, market, currencies, bids, coverage, supplier],
                expected,
                "{name}"
            );
        }
        assert_eq!(parse(" market ,quality,"), parse("quality,market"));
        assert_eq!(
            parse("quality,markets"),
            Err(
                "parameter 'include': 'markets' is not one of quality, market, currencies, bids, coverage, supplier; nearest is 'market'"
                    .to_owned()
            )
        );
        assert!(rejected_by_search(" coverage,supplier").is_none() && rejected_by_search("coverage,quality").is_some());
        assert!(parse(",").unwrap().is_empty() && Include::parse(&None).unwrap().is_empty());
    }
}
