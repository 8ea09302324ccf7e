//! The names of the query parameters that endpoints and pages declare. Log lines have these names and no others.

use std::{collections::HashSet, sync::LazyLock};

use crate::{
    api::{
        params::{
            param::{Param, Parameter},
            search,
        },
        route::Parameters,
        routes::ROUTES,
    },
    pages::{account, profile, spreadsheet::record_file},
};

static DECLARED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let mut names: HashSet<&'static str> = HashSet::new();
    for route in &ROUTES {
        match route.parameters {
            Parameters::None => {}
            Parameters::Search(..) => names.extend(search::TABLE.iter().flat_map(Param::names)),
            Parameters::Table(_, rows) => names.extend(rows().iter().flat_map(Parameter::names)),
        }
    }
    // Pages take the parameters of the API, and these.
    names.extend(profile::params::TABLE.iter().flat_map(Param::names));
    names.extend(record_file::TABLE.iter().flat_map(Param::names));
    names.extend(account::PARAMETERS);
    names
});

/// The declared name that a client wrote; `None` if no endpoint and no page declares it.
pub(crate) fn declared(written: &str) -> Option<&'static str> {
    DECLARED.get(written).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declared_names_are_known() {
        for name in [
            "q",
            "city",
            "keywords",
            "token",
            "with",
            "kind",
            "next",
            "notice",
            "frequency",
        ] {
            assert_eq!(declared(name), Some(name));
        }
        for name in ["", "Q", "utm_source", "jane.doe@example.org", "key"] {
            assert_eq!(declared(name), None, "{name}");
        }
    }

    #[test]
    fn all_names_together_are_a_short_text() {
        let bytes: usize = DECLARED.iter().map(|name| name.len() + 1).sum();
        assert!(
            (100..1_200).contains(&bytes),
            "a log line may have {bytes} bytes of names"
        );
    }
}
