//! Compares the OpenAPI document with the service, in both directions, over HTTP.

use std::{collections::BTreeSet, env, fs, path::Path, sync::LazyLock};

use chrono::Utc;
use procure::{
    api::{
        params::{
            bids, commodities as commodity_params, feed, names, pairs, procurement, reconcile, search::TABLE, suggest,
            suppliers,
        },
        route::{Access, Verb},
        routes::ROUTES,
    },
    http::encoding::encode,
    model::{entity_type::EntityType, plans::Plan},
};
use serde_json::{Value, json};

use crate::{
    aggregates, commodities,
    http::RawConnection,
    json_schema::JsonSchema,
    support::{Response, TestServer, sample_records, scenario_records},
};

/// The environment variable that makes the tests rewrite the golden files.
const UPDATE: &str = "PROCURE_UPDATE_GOLDEN";

fn description() -> Value {
    let answer = TestServer::shared().request("GET", "/openapi.json", &[]);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("application/json"))
    );
    answer.json()
}

/// Follows a `$ref`.
fn resolved<'v>(document: &'v Value, part: &'v Value) -> &'v Value {
    match part["$ref"].as_str() {
        Some(target) => document.pointer(&target[1..]).unwrap_or_else(|| panic!("{target}")),
        None => part,
    }
}

fn validator(document: &Value, schema: &Value) -> JsonSchema {
    JsonSchema::new(json!({"allOf": [schema], "components": document["components"]}))
}

/// A token of a service address of the server of aggregates.
fn service_token() -> &'static str {
    static TOKEN: LazyLock<String> = LazyLock::new(|| {
        let server = aggregates::server();
        let token = server.state().create_service_address(1, "openapi", Utc::now()).unwrap();
        let address = format!("/reconcile/{token}/supplier");
        server.wait_until("the address", || server.request("GET", &address, &[]).status == 200);
        token
    });
    &TOKEN
}

/// Addresses for a path of the document on the test servers, with the required parameters.
fn addresses(path: &str) -> Vec<(&'static TestServer, String)> {
    let (scenarios, aggregates) = (TestServer::shared(), aggregates::server());
    let entity_type = path.split('/').nth(1).and_then(EntityType::parse);
    let of = |records: Vec<(EntityType, String)>| {
        let of_type = records.into_iter().filter(|(of, _)| Some(*of) == entity_type);
        let id = |(_, json): (EntityType, String)| serde_json::from_str::<Value>(&json).unwrap()["record_id"].clone();
        of_type.map(id).collect::<Vec<_>>()
    };
    let fill = |name: &str, values: &[&str]| {
        values
            .iter()
            .map(|value| (aggregates, path.replace(name, &encode(value))))
            .collect()
    };
    match path {
        _ if path.contains("{token}") => fill("{token}", &[service_token()]),
        "/vendors" => vec![(aggregates, "/vendors?q=ac".to_owned())],
        "/departments" => vec![(aggregates, "/departments?q=de&entity_type=tender".to_owned())],
        "/commodity/{code}" => ["N7030", "object:04"]
            .map(|code| (commodities::server(), path.replace("{code}", code)))
            .to_vec(),
        "/suggest" => ["ac", "W-24/A", "works"]
            .map(|q| (aggregates, format!("/suggest?q={}", encode(q))))
            .to_vec(),
        "/commodities" => vec![(commodities::server(), path.to_owned())],
        "/generations/{id}" => fill("{id}", &["current"]),
        "/vendor/{name}" => fill("{name}", &["Acme", "Léo & Fils inc."]),
        "/department/{name}" => fill("{name}", &["National Defence", "City works"]),
        "/supplier/{id}" | "/body/{id}" => {
            let list = if path.starts_with("/body") {
                "bodies?q=defence"
            } else {
                "suppliers?name=Acme"
            };
            let found = aggregates.get(&format!("/{list}")).json();
            fill("{id}", &[found["results"][0]["id"].as_str().unwrap()])
        }
        "/procurement/{solicitation_number}" => fill("{solicitation_number}", &["W-24/A"]),
        "/bids" => vec![(crate::bids::server(), "/bids?facets=year,vendor".to_owned())],
        "/bids/pairs" => vec![(
            crate::bids::server(),
            "/bids/pairs?a=deneigement%20deux&b=jean%20tremblay".to_owned(),
        )],
        "/tender/{record_id}/bids" => fill_of(crate::bids::server(), path, &["seao|001", "seao|002"]),
        "/tender/{record_id}/documents/{doc_index}" => {
            let document = |index: &str| path.replace("{record_id}", "t%2F1").replace("{doc_index}", index);
            vec![(aggregates, document("0")), (aggregates, document("1"))]
        }
        _ if path.contains("{record_id}") => {
            let address = |id: &Value| path.replace("{record_id}", &encode(id.as_str().unwrap()));
            let of_scenarios = of(scenario_records());
            let of_scenarios = of_scenarios.iter().map(|id| (scenarios, address(id)));
            let of_aggregates = of(aggregates::records());
            of_scenarios
                .chain(of_aggregates.iter().map(|id| (aggregates, address(id))))
                .collect()
        }
        _ => vec![(scenarios, path.to_owned()), (aggregates, path.to_owned())],
    }
}

/// The addresses of a path on a server for these ids.
fn fill_of(server: &'static TestServer, path: &str, ids: &[&str]) -> Vec<(&'static TestServer, String)> {
    let address = |id: &&str| (server, path.replace("{record_id}", &encode(id)));
    ids.iter().map(address).collect()
}

/// An address with one parameter set or replaced.
fn with(address: &str, name: &str, value: &str) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let others = query
        .split('&')
        .filter(|pair| !pair.is_empty() && pair.split('=').next() != Some(name));
    let pairs: Vec<String> = others
        .map(str::to_owned)
        .chain([format!("{name}={}", encode(value))])
        .collect();
    format!("{path}?{}", pairs.join("&"))
}

/// The paths with GET and their operations, without the links in mails, which need a token.
fn reads(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths.filter(|(path, item)| item.get("get").is_some() && !path.starts_with("/tender/alerts/"))
}

/// The query parameters of a GET.
fn queries<'v>(document: &'v Value, item: &'v Value) -> Vec<&'v Value> {
    let parameters = item["get"]["parameters"].as_array().unwrap();
    let parameters = parameters.iter().map(|parameter| resolved(document, parameter));
    parameters.filter(|parameter| parameter["in"] == "query").collect()
}

/// A value as it is written in an address.
fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Checks that a response has every header of its description, and no other described header.
fn check_headers(document: &Value, described: &Value, answer: &Response, what: &str) {
    for name in document["components"]["headers"].as_object().unwrap().keys() {
        let header = described["headers"].get(name).map(|header| resolved(document, header));
        match (header, answer.header(name)) {
            (None, Some(value)) => panic!("{what}: {name}: {value} is not described"),
            (Some(header), None) => assert_eq!(header["required"], false, "{what}: {name} is missing"),
            _ => {}
        }
    }
}

#[test]
fn the_document_equals_the_golden_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/openapi.json");
    let described = serde_json::to_string_pretty(&description()).unwrap() + "\n";
    if env::var_os(UPDATE).is_some() {
        fs::write(&path, &described).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    let differs = golden.lines().zip(described.lines()).position(|(a, b)| a != b);
    assert!(
        golden == described,
        "the document changed, from line {:?} of tests/golden/openapi.json; if that is intended, rewrite the file with {UPDATE}=1",
        differs.map(|line| line + 1)
    );
}

#[test]
fn the_routes_are_the_paths_of_the_document() {
    let document = description();
    let mut routes = BTreeSet::new();
    for route in &ROUTES {
        let is_described = route.is_described();
        for (path, _) in route.endpoint.templates() {
            let may_be_left_out = ["/docs/", "/exports/"].iter().any(|prefix| path.starts_with(prefix));
            assert!(is_described || may_be_left_out, "{path} is not described");
            if !is_described {
                continue;
            }
            let item = &document["paths"][&path];
            let get = &item[route.verb.as_str().to_lowercase()];
            let keyless = get.get("security") == Some(&json!([]));
            let is_keyless = route.access == Access::Keyless;
            assert_eq!(keyless, is_keyless || route.access == Access::Token, "{path}");
            assert_eq!(
                is_keyless,
                !get["responses"].as_object().unwrap().contains_key("403"),
                "{path}"
            );
            assert!(get["operationId"].is_string(), "{path}");
            let mut methods = vec![route.verb.as_str().to_lowercase()];
            methods.extend((route.verb == Verb::Get).then(|| "head".to_owned()));
            routes.extend(methods.into_iter().map(|method| format!("{method} {path}")));
        }
    }
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        described.extend(
            item.as_object()
                .unwrap()
                .keys()
                .map(|method| format!("{method} {path}")),
        );
    }
    assert_eq!(described, routes);
    let ids: Vec<&Value> = document["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|item| item.as_object().unwrap().values())
        .map(|operation| &operation["operationId"])
        .collect();
    let distinct: BTreeSet<String> = ids.iter().map(|id| id.to_string()).collect();
    assert_eq!(distinct.len(), ids.len());
}

#[test]
fn an_endpoint_takes_exactly_the_described_parameters() {
    let document = description();
    let tables = [
        TABLE.iter().flat_map(|param| param.names()).collect::<Vec<_>>(),
        names::VENDORS.iter().flat_map(|param| param.names()).collect(),
        names::DEPARTMENTS.iter().flat_map(|param| param.names()).collect(),
        commodity_params::TABLE.iter().flat_map(|param| param.names()).collect(),
        reconcile::SERVICE.iter().flat_map(|param| param.names()).collect(),
        reconcile::SUGGEST.iter().flat_map(|param| param.names()).collect(),
        reconcile::PREVIEW.iter().flat_map(|param| param.names()).collect(),
        suggest::TABLE.iter().flat_map(|param| param.names()).collect(),
        suppliers::TABLE.iter().flat_map(|param| param.names()).collect(),
        bids::TABLE.iter().flat_map(|param| param.names()).collect(),
        pairs::TABLE.iter().flat_map(|param| param.names()).collect(),
        procurement::TABLE.iter().flat_map(|param| param.names()).collect(),
        feed::TABLE.iter().flat_map(|param| param.names()).collect(),
        vec!["generation"],
    ];
    let known: BTreeSet<&str> = tables.into_iter().flatten().collect();
    for (path, item) in reads(&document) {
        let described: Vec<&str> = queries(&document, item)
            .iter()
            .map(|query| query["name"].as_str().unwrap())
            .collect();
        let distinct: BTreeSet<&str> = described.iter().copied().collect();
        assert_eq!(distinct.len(), described.len(), "{path}");
        assert!(distinct.is_subset(&known), "{path}: {distinct:?}");
        assert_eq!(item["get"]["parameters"], item["head"]["parameters"], "{path}");
        let (server, address) = addresses(path).swap_remove(0);
        for name in &known {
            let detail = match server.get(&with(&address, name, "1")) {
                answer if answer.status == 200 => String::new(),
                answer => answer.detail(),
            };
            let is_taken = !detail.contains("does not accept it") && !detail.starts_with("unknown parameter");
            assert_eq!(is_taken, distinct.contains(name), "{path} {name}: {detail}");
        }
    }
}

#[test]
fn a_parameters_schema_accepts_exactly_the_valid_values() {
    let document = description();
    for (path, item) in reads(&document) {
        let (server, address) = addresses(path).swap_remove(0);
        for parameter in queries(&document, item) {
            let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
            let (mut good, mut bad) = (Vec::new(), Vec::new());
            if parameter["allowEmptyValue"] == true {
                good.push(String::new());
            } else {
                bad.push(String::new());
            }
            for word in schema["enum"].as_array().into_iter().flatten() {
                good.push(word.as_str().unwrap().to_owned());
                bad.push(format!("{}x", word.as_str().unwrap()));
            }
            if let Some(least) = schema["minimum"].as_u64() {
                good.push(least.to_string());
                bad.extend([(least as i64 - 1).to_string(), "1.5".to_owned(), "x".to_owned()]);
            }
            if let Some(most) = schema["maximum"].as_u64() {
                good.push(most.to_string());
                bad.push((most + 1).to_string());
            }
            if schema["type"] == "number" {
                good.extend(["0", "-1.5", "1e3"].map(str::to_owned));
                bad.extend(["NaN", "inf", "x"].map(str::to_owned));
            }
            if schema["type"] == "boolean" {
                good.extend(["true", "false"].map(str::to_owned));
                bad.extend(["TRUE", "1", "yes"].map(str::to_owned));
            }
            if schema["format"] == "date" {
                good.push("2024-02-29".to_owned());
                bad.extend(["2023-02-29", "2024-2-9", "2024-02-29T00:00:00Z"].map(str::to_owned));
            }
            if schema.get("pattern").is_some() {
                let fits = validator(&document, schema);
                for text in [
                    "status",
                    "status , year,",
                    ",",
                    "status,status",
                    "statu",
                    "status;year",
                    "status year",
                    "*",
                    "Status",
                    "quality, market",
                    "commodity,quality_flag",
                ] {
                    if fits.is_valid(&json!(text)) {
                        good.push(text.to_owned());
                    } else {
                        bad.push(text.to_owned());
                    }
                }
            }
            if let Some(fewest) = schema["minLength"].as_u64() {
                good.push("a".repeat(fewest as usize));
                if fewest > 1 {
                    bad.push("a".repeat(fewest as usize - 1));
                }
            }
            if let Some(most) = schema["maxLength"].as_u64() {
                good.push("a".repeat(most as usize));
                bad.push("a".repeat(most as usize + 1));
            }
            let examples = parameter["examples"]
                .as_object()
                .into_iter()
                .flat_map(|map| map.values());
            good.extend(examples.map(|example| written(&example["value"])));
            good.extend(parameter.get("example").map(written));
            good.extend(schema.get("default").map(written));
            for value in &good {
                let address = match value.as_str() {
                    // An order that needs a text.
                    "relevance" => with(&address, "q", "snow"),
                    _ => address.clone(),
                };
                let answer = server.get(&with(&address, name, value));
                // A department that has no records of the solicitation gives 404.
                let is_found = answer.status == 200 || (path.starts_with("/procurement/") && name == "department")
                    // A name that nobody has.
                    || (path == "/bids/pairs" && answer.status == 404);
                assert!(is_found, "{path} {name}={value}: {} {}", answer.status, answer.detail());
            }
            for value in &bad {
                let status = server.get(&with(&address, name, value)).status;
                assert!(matches!(status, 400 | 422), "{path} {name}={value}: {status}");
            }
        }
    }
}

#[test]
fn a_described_default_is_the_meaning_of_an_absent_parameter() {
    let document = description();
    let mut most = 0;
    for (path, item) in reads(&document) {
        let queries = queries(&document, item);
        let defaults: Vec<(&str, String)> = queries
            .iter()
            .filter_map(|query| Some((query["name"].as_str()?, written(query["schema"].get("default")?))))
            .collect();
        most = most.max(defaults.len());
        let is_paged = queries.iter().any(|query| query["name"] == "limit");
        assert!(!defaults.is_empty() || !is_paged, "{path}");
        if defaults.is_empty() {
            continue;
        }
        for (server, address) in addresses(path) {
            let explicit = defaults
                .iter()
                .fold(address.clone(), |address, (name, value)| with(&address, name, value));
            assert_eq!(server.get(&explicit).body, server.get(&address).body, "{explicit}");
        }
    }
    assert_eq!(most, 10);
}

#[test]
fn every_response_matches_its_schema() {
    let document = description();
    for (path, item) in reads(&document) {
        let mut asked = addresses(path);
        if path == "/bids" {
            let further = "/bids?limit=1&include_total=true&include_statistics=true&facets=won";
            asked.push((crate::bids::server(), further.to_owned()));
        } else if queries(&document, item).iter().any(|query| query["name"] == "facets") {
            asked.push((
                aggregates::server(),
                format!("{path}?limit=1&include_total=true&facets=department,year"),
            ));
            asked.push((
                aggregates::server(),
                format!("{path}?limit=1&q=nothing&facets=municipality"),
            ));
            for further in [
                "facets=quality_flag",
                "q=nothing&explain=true&translate=true",
                "q=snow&explain=true&sort_by=relevance",
                "q=nothing&suggest=true",
            ] {
                asked.push((aggregates::server(), format!("{path}?limit=1&{further}")));
            }
            asked.push((commodities::server(), format!("{path}?limit=1&facets=commodity")));
        }
        let queries = queries(&document, item);
        if let Some(include) = queries.iter().find(|query| query["name"] == "include") {
            let pattern = include["schema"]["pattern"].as_str();
            let names = match pattern {
                Some(pattern) if pattern.contains("market") => "quality,market,currencies,bids,coverage,supplier",
                Some(_) => "coverage,supplier",
                None => "supplier",
            };
            for (server, address) in addresses(path) {
                let include = match path.as_str() {
                    "/procurement/{solicitation_number}" => "bids",
                    _ if path.ends_with("/stats") => "quality,market,currencies,coverage,supplier",
                    _ => names,
                };
                asked.push((server, with(&address, "include", include)));
            }
        }
        if path.ends_with("/stats") {
            asked.push((aggregates::server(), format!("{path}?q=nothing")));
        }
        for (server, address) in asked {
            let answer = server.get(&address);
            assert_eq!(answer.status, 200, "{address}");
            let responses = &item["get"]["responses"];
            check_headers(&document, &responses["200"], &answer, &address);
            let (mime, content) = responses["200"]["content"].as_object().unwrap().iter().next().unwrap();
            assert!(answer.header("content-type").unwrap().starts_with(mime), "{address}");
            if mime == "application/json" {
                let validator = validator(&document, &content["schema"]);
                assert_eq!(validator.error(&answer.json()), None, "{address}");
            }
            let head = server.request("HEAD", &address, &[("x-gateway-key", &server.key)]);
            assert_eq!(head.status, 200, "{address}");
            check_headers(
                &document,
                &item["head"]["responses"]["200"],
                &head,
                &format!("HEAD {address}"),
            );
            if let Some(tag) = answer.header("etag") {
                let again = [("x-gateway-key", server.key.as_str()), ("if-none-match", tag)];
                for method in ["get", "head"] {
                    let again = server.request(&method.to_uppercase(), &address, &again);
                    assert_eq!(again.status, 304, "{address}");
                    let described = resolved(&document, &item[method]["responses"]["304"]);
                    check_headers(&document, described, &again, &format!("304 {address}"));
                }
            }
        }
    }
}

/// Request bodies and responses of the batch endpoints.
#[test]
fn every_batch_matches_its_schema() {
    let (document, server) = (description(), aggregates::server());
    for (path, item) in document["paths"].as_object().unwrap() {
        let batch = item.get("post").filter(|post| post["tags"] == json!(["pro"]));
        let Some(body) = batch.map(|post| &post["requestBody"]) else {
            continue;
        };
        let content = &body["content"]["application/json"];
        let asked = validator(&document, &content["schema"]);
        let answered = &item["post"]["responses"]["200"];
        let answers = validator(&document, &answered["content"]["application/json"]["schema"]);
        for (json, is_answered) in [
            (content["example"].clone(), true),
            (
                json!({"record_ids": ["t/1", "nope"], "gsins": ["N7030", "43211503"]}),
                true,
            ),
            (
                json!({"items": [{"gsin": "N7030", "title": "snow", "category": "SRV", "department": null}]}),
                true,
            ),
            (
                json!({"items": [{"record_id": "t/1"}], "years_back": 20, "gsins": null}),
                true,
            ),
            (json!({"items": [{"record_id": "t/1", "title": "x"}]}), false),
            (json!({"items": [{"title": "x"}]}), false),
            (json!({"items": [{"gsin": " "}]}), false),
            (json!({"items": [{"gsin": "a", "department": "ab"}]}), false),
            (json!({"items": [{"gsin": "a", "category": "goods"}]}), false),
            (json!({"record_ids": [""]}), false),
            (json!({"record_ids": ["x".repeat(1025)]}), false),
            (json!({"record_ids": vec!["x"; 51]}), false),
            (json!({"record_ids": "x"}), false),
            (json!({"gsins": ["a"], "years_back": 21}), false),
            (json!({"gsins": ["a"], "years_back": "5"}), false),
            (json!({"gsins": ["a"], "x": 1}), false),
            (json!([]), false),
        ] {
            assert_eq!(asked.is_valid(&json), is_answered, "{path} {json}");
            let answer = server.post(path, &json);
            assert_eq!(
                answer.status,
                if is_answered { 200 } else { 422 },
                "{path} {json}: {}",
                answer.detail()
            );
            if is_answered {
                assert_eq!(answers.error(&answer.json()), None, "{path} {json}");
                check_headers(&document, answered, &answer, path);
            }
        }
    }
}

/// A computed object always has all its members, except a solicitation's arrays by entity type.
#[test]
fn every_member_of_a_computed_object_is_required() {
    let document = description();
    for name in [
        "Citation",
        "CitedSource",
        "Usage",
        "DayOfUsage",
        "VendorNames",
        "DepartmentNames",
        "VendorProfile",
        "DepartmentProfile",
        "Procurement",
        "Stats",
        "ValueStats",
        "FacetCounts",
        "Commodities",
        "CommodityRow",
        "CommodityProfile",
        "CommodityCount",
        "CommodityFacetCounts",
        "CommodityShare",
        "Explanation",
        "ConditionCosts",
        "Suggestion",
        "Quality",
        "MarketFigures",
        "TenderDocument",
        "Feed",
        "FeedItem",
        "EstimateAnswers",
        "Estimate",
        "CompsAnswers",
        "Comps",
    ] {
        let schema = &document["components"]["schemas"][name];
        let required: BTreeSet<&str> = schema["required"]
            .as_array()
            .unwrap()
            .iter()
            .map(|key| key.as_str().unwrap())
            .collect();
        for key in schema["properties"].as_object().unwrap().keys() {
            let is_kind = name == "Procurement" && EntityType::parse(key).is_some();
            // Figures that are there only if they are asked for.
            let is_included = matches!(
                key.as_str(),
                "quality" | "market" | "currencies" | "coverage" | "top_suppliers" | "codes"
            ) || name == "Share" && key != "value" && key != "count"
                || key == "bids" && name != "MarketFigures";
            assert_eq!(
                required.contains(key.as_str()),
                !is_kind && !is_included,
                "{name}: {key}"
            );
        }
    }
    let profile = &document["components"]["schemas"]["VendorProfile"]["properties"]["contracts"];
    assert_eq!(profile["items"], json!({"$ref": "#/components/schemas/Contract"}));
}

#[test]
fn every_record_of_the_sample_matches_its_schema() {
    let document = description();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample");
    let mut checked = 0;
    for entity_type in EntityType::ALL {
        let content = &document["paths"][format!("/{entity_type}/{{record_id}}")]["get"]["responses"]["200"]["content"];
        let validator = validator(&document, &content["application/json"]["schema"]);
        let example = &content["application/json"]["example"];
        let mut has_example = false;
        for file in fs::read_dir(sample.join(entity_type.name())).unwrap() {
            let file = file.unwrap().path();
            for line in fs::read_to_string(&file).unwrap().lines() {
                let record: Value = serde_json::from_str(line).unwrap();
                assert_eq!(validator.error(&record), None, "{}: {line}", file.display());
                has_example |= &record == example;
                checked += 1;
            }
        }
        assert!(has_example, "{entity_type}: the example is not a record of the sample");
    }
    assert!(checked > 1_000, "{checked}");
    // The schema rejects invalid records.
    let contract = &document["components"]["schemas"]["Contract"];
    for record in [
        json!({}),
        json!({"record_id": "a", "contract_value": "1"}),
        json!({"record_id": ""}),
    ] {
        assert!(!validator(&document, contract).is_valid(&record), "{record}");
    }
}

#[test]
fn an_example_response_is_that_of_the_sample() {
    let server = TestServer::own(&sample_records(), |_| {});
    let document = server.get("/openapi.json").json();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api/examples.json");
    let mut examples: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let mut compared = 0;
    // The example of a token opens nothing.
    for (path, item) in reads(&document).filter(|(path, _)| !path.contains("{token}")) {
        let mut address = path.clone();
        for parameter in item["get"]["parameters"].as_array().unwrap() {
            let parameter = resolved(&document, parameter);
            let (name, example) = (
                parameter["name"].as_str().unwrap(),
                parameter.get("example").map(written),
            );
            match (parameter["in"].as_str().unwrap(), example) {
                ("path", example) => address = address.replace(&format!("{{{name}}}"), &encode(&example.unwrap())),
                ("query", Some(example)) => address = with(&address, name, &example),
                _ => {}
            }
        }
        // One record is enough for an example.
        if queries(&document, item).iter().any(|query| query["name"] == "limit") {
            address = with(&address, "limit", "1");
        }
        let answer = server.get(&address);
        assert_eq!(answer.status, 200, "{address}");
        let id = item["get"]["operationId"].as_str().unwrap();
        let has_example = matches!(
            id,
            "listVendors"
                | "listDepartments"
                | "getVendor"
                | "listCommodities"
                | "getProcurement"
                | "getDocumentOfTender"
        );
        let example = &item["get"]["responses"]["200"]["content"]["application/json"]["example"];
        if has_example && env::var_os(UPDATE).is_some() {
            examples[id] = answer.json();
        } else if has_example || path.ends_with("/{record_id}") {
            assert_eq!(
                &answer.json(),
                example,
                "{address}; if that is intended, rewrite the file with {UPDATE}=1"
            );
            compared += 1;
        }
    }
    if env::var_os(UPDATE).is_some() {
        fs::write(&file, serde_json::to_string_pretty(&examples).unwrap() + "\n").unwrap();
    } else {
        assert_eq!(compared, 12);
    }
}

#[test]
fn an_example_error_is_that_of_the_service() {
    let (document, server, aggregates) = (description(), TestServer::shared(), aggregates::server());
    let check = |name: &str, answer: &Response| {
        let described = &document["components"]["responses"][name];
        let example = &described["content"]["application/json"]["example"];
        assert_eq!(&answer.json(), example, "{name}");
        check_headers(&document, described, answer, name);
    };
    for (name, server, path, key) in [
        ("NoSubscription", server, "/tender/alerts/unsubscribe?token=x", ""),
        ("NoToken", server, "/tender/alerts/unsubscribe", ""),
        ("NoConfirmation", server, "/tender/alerts/confirm?token=x", ""),
        ("BadRequest", server, "/contract?offset=9501", server.key.as_str()),
        ("Forbidden", server, "/contract", ""),
        ("NoRecord", server, "/contract/nope", &server.key),
        ("NoName", aggregates, "/vendor/Acme%20Pavin", &aggregates.key),
        ("NoCommodity", aggregates, "/commodity/9999", &aggregates.key),
        ("NoSolicitation", aggregates, "/procurement/nope", &aggregates.key),
        ("NoTender", server, "/tender/nope/bids", &server.key),
        ("NoDocument", aggregates, "/tender/t%2F1/documents/2", &aggregates.key),
        ("Unprocessable", server, "/contract?munipality=laval", &server.key),
        ("NoParameters", server, "/health?x=1", ""),
    ] {
        check(name, &server.request("GET", path, &[("x-gateway-key", key)]));
    }
    for (name, content_type, body) in [
        ("UnsupportedMediaType", "text/plain", "x"),
        ("InvalidSubscription", "application/json", r#"{"emial":1}"#),
    ] {
        let headers = [("x-gateway-key", server.key.as_str()), ("content-type", content_type)];
        check(
            name,
            &server.send("POST", "/tender/alerts/subscribe", &headers, body.to_owned()),
        );
    }
    let long = "x".repeat(20_000);
    check(
        "HeadersTooLarge",
        &server.request("GET", "/contract", &[("x-gateway-key", &server.key), ("x-long", &long)]),
    );

    let basic = server.new_key(Plan::Basic, "basic");
    let ask = || server.request("GET", "/sources", &[("x-gateway-key", &basic)]);
    let refused = (0..600).map(|_| ask()).find(|answer| answer.status == 429).unwrap();
    check("TooManyRequests", &refused);

    // A 405 is not described, because no described operation returns it.
    let answer = server.request("POST", "/contract", &[("x-gateway-key", &server.key)]);
    assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD")));
    check_headers(
        &document,
        &document["components"]["responses"]["Unprocessable"],
        &answer,
        "405",
    );
    let described = &document["components"]["responses"]["Bodiless"];
    for path in ["/contract?limit=0", "/contract/nope", "/health?x=1"] {
        check_headers(
            &document,
            described,
            &server.request("HEAD", path, &[("x-gateway-key", &server.key)]),
            path,
        );
    }
}

#[test]
fn the_documentation_page_needs_no_key_and_no_other_host() {
    let server = TestServer::shared();
    let page = server.request("GET", "/docs", &[]);
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    let policy = page.header("content-security-policy").unwrap().to_owned();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
        "{policy}"
    );
    for name in ["referrer-policy", "cross-origin-resource-policy"] {
        assert_eq!(page.header(name), Some("same-origin"), "{name}");
    }
    let html = page.text();
    assert!(html.contains("id=\"plans\"") && html.contains("id=\"key\""));
    let mut parts = BTreeSet::new();
    for (at, _) in html.match_indices("src=\"").chain(html.match_indices("href=\"")) {
        let address = html[at..].split('"').nth(1).unwrap();
        assert!(!address.contains("//"), "{address}");
        if let Some(id) = address.strip_prefix('#') {
            assert!(html.contains(&format!("id=\"{id}\"")), "{address}");
        } else if !address.starts_with("data:") {
            assert_eq!(
                server.request("GET", &format!("/{address}"), &[]).status,
                200,
                "{address}"
            );
            parts.insert(address);
        }
    }
    assert_eq!(parts.len(), 5, "{parts:?}");
    assert_eq!(server.request("GET", "/docs?x=1", &[]).status, 422);
    let mut raw = RawConnection::to(server);
    let slashed = raw.send("GET /docs/ HTTP/1.1\r\nhost: x\r\n\r\n").answer();
    assert_eq!((slashed.status, slashed.header("location")), (308, Some("../docs")));
}
