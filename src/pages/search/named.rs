//! A supplier or a body that words name, and the body of a city.

use crate::{
    api::analysis::suggest::Suggested,
    catalog::{
        ask::Ask,
        suppliers::{Party, Supplier},
    },
    model::municipality,
    pages::messages::Texts,
};

/// A supplier or a body that words name.
pub(super) struct Named {
    pub(super) id: String,
    pub(super) label: String,
    pub(super) records: u64,
}

impl Named {
    pub(super) fn of(found: Supplier, t: Texts) -> Named {
        Named {
            label: found.name_in(t.language()).to_owned(),
            records: found.records,
            id: found.id,
        }
    }

    pub(super) fn suggested(found: &Suggested) -> Named {
        Named {
            id: found.id.clone(),
            label: found.label.clone(),
            records: found.records,
        }
    }
}

/// What is before the name of a city in that of its body.
const CITY_FORMS: [&str; 4] = ["", "City of ", "Ville de ", "Ville d'"];

/// The body of the municipality that the words name: "Toronto".
pub(super) fn city(ask: &Ask, t: Texts, words: &str) -> Option<Named> {
    let bodies = ask.generation.parties(Party::Body);
    let names = municipality::named_cities(words)
        .iter()
        .flat_map(|city| city.own_names());
    let mut forms = names.flat_map(|name| CITY_FORMS.map(|form| format!("{form}{name}")));
    forms
        .find_map(|name| bodies.with_name(&name))
        .map(|body| Named::of(body, t))
}
