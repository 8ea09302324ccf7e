//! `GET /openapi.json`: the interface, described in OpenAPI 3.1 for machines.
//!
//! Nothing is declared here that rules behaviour: paths come from [`ROUTES`](super::routes::ROUTES), parameters from
//! the tables in [`params`], records from `index-schema/*.json`, computed objects from their own
//! structs. What is declared here is what no table rules: the statuses and headers of `answers`, and the words around them.
//! The document is a pure function of the gateway's headers and the plans, written once when the service starts.

mod answers;
pub mod bodies;
mod operations;
mod parameters;
mod schemas;
mod statuses;

use serde_json::{Map, Value, json};

use crate::{
    http::{Call, Work, auth::Gateway, error::ApiError, params},
    model::{entity_type::EntityType, plans::Plans},
};

const ABOUT: &str = "\
Canadian government procurement, federal, provincial and municipal, as six kinds of record that are searched and read alike.

- A field missing from a record is normal: sources differ. Many fields exist in English (`_en`) and French (`_fr`).
- Parameter names are checked: an unknown one gives 422 with the nearest valid name. So does one that the kind does not take, one given twice, \
or one given under two of its names.
- What is sent as a body is a JSON object of 1 MiB at most. Its members are checked as parameters are; `null` counts as absent.
- The Pro endpoints (feed, estimate, comps) are for keys of a paid plan; others get 403 with a link. A batch counts as one request for every ten items.
- An empty value (`vendor=`) counts as absent, and blanks around a value do not count.
- Any other method on these paths gives 405, with `Allow`; a path that is none of these, 404 with the nearest.
- Totals, facets and statistics are exact: every record that matches is counted. Sums are exact to the cent, percentiles by nearest rank.
- Every answer to a valid key says how the key stands (`RateLimit`, `X-RateLimit-Remaining` …). An answer names itself with an `ETag`; asked again with \
`If-None-Match`, it is a 304 that costs the day nothing.
- Every error is `{\"detail\": \"…\"}`: the sentence names what is wrong and, where there is one, the cure.
- To walk a whole result set, repeat the search with `cursor` set to the `next_cursor` of each answer, until an answer has none.";

/// The tags of what is not of one kind.
const PARTIES: &str = "parties";
const PRO: &str = "pro";
const ALERTS: &str = "alerts";
const SERVICE: &str = "service";

pub fn get(call: &Call) -> Result<Work, ApiError> {
    params::none(call.query)?;
    Ok(call.state.pages.description.answer(Vec::new()))
}

/// The headers of answers that a client reads.
pub fn header_names() -> Vec<&'static str> {
    answers::header_names()
}

/// The whole document.
pub fn document(gateway: &Gateway, plans: &Plans) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Canadian public procurement",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
        },
        "servers": [{"url": "/", "description": "Where this description was read"}],
        "security": [{"key": []}],
        "tags": tags(),
        "paths": operations::paths(),
        "components": {
            "securitySchemes": {
                "key": {
                    "type": "apiKey",
                    "in": "header",
                    "name": gateway.key.as_str(),
                    "description": "Your API key",
                },
            },
            "parameters": parameters::components(gateway, plans),
            "headers": answers::header_components(),
            "responses": answers::components(gateway),
            "schemas": schemas::components(),
        },
    })
}

fn tags() -> Value {
    let kinds = EntityType::ALL.map(|kind| json!({"name": kind.name(), "description": kind.about()}));
    let parties =
        json!({"name": PARTIES, "description": "Vendors, departments and solicitations, each over all its records"});
    let service = json!({"name": SERVICE, "description": "The service itself, and what it holds"});
    let pro = json!({"name": PRO, "description": "New tenders, and what they are worth: for keys of a paid plan"});
    let alerts = json!({"name": ALERTS, "description": "New tenders by e-mail: asked for, and ended"});
    kinds.into_iter().chain([parties, pro, alerts, service]).collect()
}

/// A kind's name as a type: `standing_offer` → `StandingOffer`.
fn type_name(kind: EntityType) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    };
    kind.name().split('_').map(word).collect()
}

fn component(section: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{section}/{name}")})
}

/// An object in the order of its pairs.
fn object<K: Into<String>>(pairs: impl IntoIterator<Item = (K, Value)>) -> Value {
    let pairs = pairs.into_iter().map(|(name, value)| (name.into(), value));
    Value::Object(pairs.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn document_of(prefix: &str, host: Option<&str>) -> Value {
        let gateway = Gateway::new(prefix, host.map(str::to_owned)).unwrap();
        document(&gateway, &Plans::default())
    }

    /// Every `$ref` and `operationId` of a part.
    fn collect<'v>(part: &'v Value, refs: &mut BTreeSet<&'v str>, ids: &mut Vec<&'v str>) {
        match part {
            Value::Object(members) => {
                for (name, value) in members {
                    match (name.as_str(), value) {
                        ("$ref", Value::String(target)) => _ = refs.insert(target),
                        ("operationId", Value::String(id)) => ids.push(id),
                        (_, value) => collect(value, refs, ids),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, refs, ids)),
            _ => {}
        }
    }

    #[test]
    fn references_lead_somewhere_and_every_component_is_used() {
        let document = document_of("x-gateway", None);
        let (mut refs, mut ids) = (BTreeSet::new(), Vec::new());
        collect(&document, &mut refs, &mut ids);
        for target in &refs {
            let pointer = target.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{target}");
        }
        for section in ["parameters", "headers", "responses", "schemas"] {
            for name in document["components"][section].as_object().unwrap().keys() {
                let target = format!("#/components/{section}/{name}");
                assert!(refs.contains(target.as_str()), "{target} is not used");
            }
        }
    }

    #[test]
    fn the_headers_are_the_gateways() {
        let document = document_of("X-Market", Some("procure.example"));
        let components = &document["components"];
        assert_eq!(components["securitySchemes"]["key"]["name"], "x-market-key");
        let host = &components["parameters"]["host"];
        assert_eq!(
            (&host["name"], &host["required"]),
            (&json!("x-market-host"), &json!(true))
        );
        assert_eq!(host["schema"]["enum"], json!(["procure.example"]));
    }

    #[test]
    fn kinds_are_named_as_types() {
        assert_eq!(type_name(EntityType::StandingOffer), "StandingOffer");
        assert_eq!(type_name(EntityType::Tender), "Tender");
    }
}
