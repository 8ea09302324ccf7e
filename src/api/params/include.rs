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
}

const NAMES: [&str; 4] = ["quality", "market", "currencies", "bids"];

/// The JSON schema of `include`.
pub(crate) fn include_schema() -> Json {
    json!({"pattern": list_pattern(&NAMES)})
}

impl Include {
    /// All figures that records of an entity type have.
    pub(crate) fn all_of(schema: &Schema) -> Include {
        Include {
            quality: true,
            market: true,
            currencies: schema.has_role(Role::Value),
            bids: false,
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
            } = parse(name).unwrap();
            let expected = [number == 0, number == 1, number == 2, number == 3];
            assert_eq!([quality, market, currencies, bids], expected, "{name}");
        }
        assert_eq!(parse(" market ,quality,"), parse("quality,market"));
        assert_eq!(
            parse("quality,markets"),
            Err(
                "parameter 'include': 'markets' is not one of quality, market, currencies, bids; nearest is 'market'"
                    .to_owned()
            )
        );
        assert!(parse(",").unwrap().is_empty() && Include::parse(&None).unwrap().is_empty());
    }
}
