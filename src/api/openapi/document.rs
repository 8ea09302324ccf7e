//! The whole OpenAPI document.

use serde_json::{Value, json};

use crate::{
    api::{
        openapi::{headers, operations, parameters, responses, schemas},
        route::Tag,
    },
    http::auth::Gateway,
    model::{EntityType, Plans},
};

const ABOUT: &str = "\
Canadian government procurement, federal, provincial and municipal: six entity types of records that share one search interface.

- A record may lack a field: sources differ. Many fields exist in English (`_en`) and French (`_fr`).
- Parameter names are checked: an unknown one gives 422 with the nearest valid name, or with all of them if none is near. So does one that the entity \
type does not accept, one given twice, or one given under two of its names.
- A request body is a JSON object, of up to 640 KiB for a batch and 16 KiB for a subscription. Its members are checked like parameters; `null` counts as absent.
- The Pro endpoints (feed, estimate, comps) need a key of a paid plan; other keys get 403 with a link. A batch counts as one request for each item; one of estimates or comparables times the millions begun of contracts, awards and disclosures.
- An empty value (`vendor=`) counts as absent, and white space around a value is ignored.
- Any other method on these paths gives 405 with `Allow`; any other path gives 404 with the nearest path.
- Totals, facets and statistics are exact: every record that matches is counted. Sums are exact to the cent, percentiles are by nearest rank.
- Every response to a valid key reports its rate limits (`RateLimit`, `X-RateLimit-Remaining` …) and how many requests it counted as \
(`X-RateLimit-Cost`): most count as one, batches, feeds and counts over large collections as more. A response has an `ETag`; the same request with \
`If-None-Match` gives 304, which does not count against the daily quota.
- Every error is `{\"detail\": \"…\"}`: the message states what is wrong and, if possible, quotes the value and states how to fix it.
- To page through all results, repeat the search with `cursor` set to the `next_cursor` of each response, until a response has none.";

/// The document for a gateway and plans.
pub(crate) fn document(gateway: &Gateway, plans: &Plans) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Canadian public procurement",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
        },
        "servers": [{"url": "/", "description": "The server of this description"}],
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
            "headers": headers::components(),
            "responses": responses::components(gateway),
            "schemas": schemas::components(),
        },
    })
}

fn tags() -> Value {
    let of_entity_types = EntityType::ALL.map(|of| (of.name(), of.about()));
    let others = [
        (
            Tag::Parties,
            "Vendors, departments and solicitations, each with all its records",
        ),
        (
            Tag::Commodities,
            "Commodity codes and their words, and the records that have them",
        ),
        (Tag::Pro, "New tenders and their values: for keys of a paid plan"),
        (Tag::Alerts, "Subscriptions to new tenders by e-mail"),
        (Tag::Service, "The service itself, and what it holds"),
    ]
    .map(|(tag, about)| (tag.name(), about));
    let tags = of_entity_types.into_iter().chain(others);
    tags.map(|(name, about)| json!({"name": name, "description": about}))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn document_of(prefix: &str, host: Option<&str>) -> Value {
        let gateway = Gateway::new(prefix, host.map(str::to_owned)).unwrap();
        document(&gateway, &Plans::default())
    }

    /// Collects every `$ref`.
    fn collect<'v>(part: &'v Value, refs: &mut BTreeSet<&'v str>) {
        match part {
            Value::Object(members) => {
                for (name, value) in members {
                    match (name.as_str(), value) {
                        ("$ref", Value::String(target)) => _ = refs.insert(target),
                        (_, value) => collect(value, refs),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, refs)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_has_a_target_and_every_component_is_used() {
        let document = document_of("x-gateway", None);
        let mut refs = BTreeSet::new();
        collect(&document, &mut refs);
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
    fn what_a_browser_gets_as_a_page_is_described_next_to_the_json() {
        let document = document_of("x-gateway", None);
        let types = |content: &Value| content.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        let both = BTreeSet::from(["application/json".to_owned(), "text/html".to_owned()]);
        let unknown = &document["components"]["responses"]["NoConfirmation"];
        assert_eq!(types(&unknown["content"]), both);
        for path in ["/tender/alerts/confirm", "/tender/alerts/decline"] {
            let responses = &document["paths"][path]["post"]["responses"];
            assert_eq!(types(&responses["200"]["content"]), both, "{path}");
            assert_eq!(responses["404"]["$ref"], "#/components/responses/NoConfirmation");
        }
        let missing = &document["components"]["responses"]["NoToken"];
        assert!(!types(&missing["content"]).contains("text/html"), "always JSON");
    }

    #[test]
    fn the_orders_of_an_endpoint_are_described_and_no_others() {
        let document = document_of("x-gateway", None);
        let about = |component: &str| {
            let parameter = &document["components"]["parameters"][component];
            parameter["description"].as_str().unwrap().to_owned()
        };
        assert_eq!(
            about("sort_byContractWithoutText"),
            "`date` (of the event), `value`, `ending` (the last day of the contract or offer)"
        );
        assert!(
            about("sort_byContract")
                .ends_with("of the contract or offer), `relevance` (with `q`: the best matches first)")
        );
        assert!(about("sort_byTender").contains("`closing`") && !about("sort_byStandingOffer").contains("value"));
    }

    #[test]
    fn the_key_and_host_headers_are_those_of_the_gateway() {
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
}
