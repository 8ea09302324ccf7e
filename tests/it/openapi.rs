//! The description and the service it describes, held against each other: both ways, word by word, over real HTTP.

use std::{collections::BTreeSet, env, fs, path::Path};

use procure::{
    api::{
        params::{encode, search::TABLE},
        routes::{Access, Operation, ROUTES},
    },
    entity::EntityType,
    schema::Schema,
};
use serde_json::{Value, json};

use crate::{
    raw::Raw,
    support::{TestServer, scenario_records},
};

/// Set to write the golden file anew.
const UPDATE: &str = "PROCURE_UPDATE_GOLDEN";

fn description() -> Value {
    let answer = TestServer::shared().ask("GET", "/openapi.json", &[]);
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

fn validator(document: &Value, schema: &Value) -> jsonschema::Validator {
    let schema = json!({"allOf": [schema], "components": document["components"]});
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn it_is_the_golden_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/openapi.json");
    let described = serde_json::to_string_pretty(&description()).unwrap() + "\n";
    if env::var_os(UPDATE).is_some() {
        fs::write(&path, &described).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    let differs = golden.lines().zip(described.lines()).position(|(a, b)| a != b);
    assert!(
        golden == described,
        "the description changed, from line {:?} of tests/golden/openapi.json on; where that is meant, write it anew with {UPDATE}=1",
        differs.map(|line| line + 1)
    );
}

#[test]
fn every_route_is_described_and_every_described_path_is_a_route() {
    let document = description();
    let mut routes = BTreeSet::new();
    for route in ROUTES {
        let is_asset = matches!(route.operation, Operation::PageAsset);
        for (path, _) in route.endpoint.templates() {
            assert!(!is_asset || path.starts_with("/docs/"), "{path} is not described");
            if is_asset {
                continue;
            }
            let item = &document["paths"][&path];
            let get = &item[route.method.as_str().to_lowercase()];
            let keyless = get.get("security") == Some(&json!([]));
            assert_eq!(keyless, route.access == Access::Keyless, "{path}");
            assert_eq!(
                keyless,
                !get["responses"].as_object().unwrap().contains_key("403"),
                "{path}"
            );
            assert!(get["operationId"].is_string(), "{path}");
            let mut methods = vec![route.method.as_str().to_lowercase()];
            methods.extend((route.method == "GET").then(|| "head".to_owned()));
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
fn a_search_is_described_with_what_the_kind_takes_and_nothing_more() {
    let document = description();
    for kind in EntityType::ALL {
        let taken = Schema::of(kind).parameters.iter();
        let rows = taken.map(|name| TABLE.iter().find(|param| param.name == name).unwrap());
        let taken: BTreeSet<&str> = rows.flat_map(|param| param.names()).collect();
        for method in ["get", "head"] {
            let parameters = document["paths"][format!("/{kind}")][method]["parameters"]
                .as_array()
                .unwrap();
            let parameters = parameters.iter().map(|parameter| resolved(&document, parameter));
            let described: Vec<&str> = parameters
                .filter(|parameter| parameter["in"] == "query")
                .map(|parameter| parameter["name"].as_str().unwrap())
                .collect();
            assert_eq!(described.len(), taken.len(), "{kind}");
            assert_eq!(described.into_iter().collect::<BTreeSet<_>>(), taken, "{kind}");
        }
    }
    let rows: BTreeSet<&str> = TABLE.iter().flat_map(|param| param.names()).collect();
    let components = document["components"]["parameters"].as_object().unwrap().values();
    let described: BTreeSet<&str> = components
        .filter(|parameter| parameter["in"] == "query")
        .map(|parameter| parameter["name"].as_str().unwrap())
        .collect();
    assert_eq!(described, rows);
}

#[test]
fn what_a_parameters_schema_allows_is_answered_and_what_it_excludes_is_not() {
    let (document, server) = (description(), TestServer::shared());
    let status = |kind: EntityType, name: &str, value: &str| {
        server
            .get(&format!("/{kind}?{}={}", encode(name), encode(value)))
            .status
    };
    for kind in EntityType::ALL {
        let parameters = document["paths"][format!("/{kind}")]["get"]["parameters"]
            .as_array()
            .unwrap();
        for parameter in parameters.iter().map(|parameter| resolved(&document, parameter)) {
            if parameter["in"] != "query" {
                continue;
            }
            let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
            let (mut good, mut bad) = (vec![String::new()], Vec::new());
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
            if schema["format"] == "date" {
                good.push("2024-02-29".to_owned());
                bad.extend(["2023-02-29", "2024-2-9", "2024-02-29T00:00:00Z"].map(str::to_owned));
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
            for example in parameter["examples"]
                .as_object()
                .into_iter()
                .flat_map(|map| map.values())
            {
                good.push(example["value"].as_str().unwrap().to_owned());
            }
            good.extend(schema.get("default").map(|value| value.to_string().replace('"', "")));
            for value in &good {
                assert_eq!(status(kind, name, value), 200, "{kind} {name}={value}");
            }
            for value in &bad {
                let status = status(kind, name, value);
                assert!(matches!(status, 400 | 422), "{kind} {name}={value}: {status}");
            }
        }
    }
}

#[test]
fn a_default_is_what_an_absent_parameter_means() {
    let (document, server) = (description(), TestServer::shared());
    for kind in EntityType::ALL {
        let plain = server.get(&format!("/{kind}")).body;
        let parameters = document["paths"][format!("/{kind}")]["get"]["parameters"]
            .as_array()
            .unwrap();
        let parameters = parameters.iter().map(|parameter| resolved(&document, parameter));
        let defaults: Vec<String> = parameters
            .filter_map(|parameter| {
                let value = parameter["schema"].get("default")?.to_string().replace('"', "");
                Some(format!("{}={value}", parameter["name"].as_str()?))
            })
            .collect();
        assert_eq!(defaults.len(), 4, "{kind}");
        assert_eq!(
            server.get(&format!("/{kind}?{}", defaults.join("&"))).body,
            plain,
            "{kind}"
        );
    }
}

#[test]
fn every_answer_is_as_described() {
    let (document, server) = (description(), TestServer::shared());
    for (path, item) in document["paths"].as_object().unwrap() {
        let kind = path.split('/').nth(1).and_then(EntityType::parse);
        let of_kind = |(of, _): &(EntityType, String)| Some(*of) == kind;
        let paths: Vec<String> = match path.contains("{record_id}") {
            true => scenario_records()
                .iter()
                .filter(|record| of_kind(record))
                .map(|(_, json)| serde_json::from_str::<Value>(json).unwrap())
                .map(|record| path.replace("{record_id}", &encode(record["record_id"].as_str().unwrap())))
                .collect(),
            false => vec![path.clone()],
        };
        for path in paths {
            let answer = server.get(&path);
            assert_eq!(answer.status, 200, "{path}");
            let (mime, content) = item["get"]["responses"]["200"]["content"]
                .as_object()
                .unwrap()
                .iter()
                .next()
                .unwrap();
            assert!(answer.header("content-type").unwrap().starts_with(mime), "{path}");
            if mime == "application/json" {
                let validator = validator(&document, &content["schema"]);
                let wrong: Vec<String> = validator.iter_errors(&answer.json()).map(|e| e.to_string()).collect();
                assert!(wrong.is_empty(), "{path}: {wrong:?}");
            }
        }
    }
}

#[test]
fn every_record_of_the_sample_is_as_described() {
    let document = description();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample");
    let mut checked = 0;
    for kind in EntityType::ALL {
        let content = &document["paths"][format!("/{kind}/{{record_id}}")]["get"]["responses"]["200"]["content"];
        let validator = validator(&document, &content["application/json"]["schema"]);
        let example = &content["application/json"]["example"];
        let mut has_example = false;
        for file in fs::read_dir(sample.join(kind.name())).unwrap() {
            let file = file.unwrap().path();
            for line in fs::read_to_string(&file).unwrap().lines() {
                let record: Value = serde_json::from_str(line).unwrap();
                let wrong: Vec<String> = validator.iter_errors(&record).map(|e| e.to_string()).collect();
                assert!(wrong.is_empty(), "{}: {line}: {wrong:?}", file.display());
                has_example |= &record == example;
                checked += 1;
            }
        }
        assert!(has_example, "{kind}: the example is no record of the sample");
    }
    assert!(checked > 1_000, "{checked}");
    // The schema does refuse something.
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
fn an_errors_example_is_what_the_service_says() {
    let (document, server) = (description(), TestServer::shared());
    for (name, path, key) in [
        ("BadRequest", "/contract?offset=9501", server.key.as_str()),
        ("Forbidden", "/contract", ""),
        ("NotFound", "/contract/nope", &server.key),
        ("Unprocessable", "/contract?munipality=laval", &server.key),
    ] {
        let example = &document["components"]["responses"][name]["content"]["application/json"]["example"];
        let answer = server.ask("GET", path, &[("x-gateway-key", key)]);
        assert_eq!(&answer.json(), example, "{path}");
    }
}

#[test]
fn the_page_for_people_needs_no_key_and_no_other_host() {
    let server = TestServer::shared();
    let page = server.ask("GET", "/docs", &[]);
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    let policy = page.header("content-security-policy").unwrap().to_owned();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
        "{policy}"
    );
    let html = String::from_utf8(page.body).unwrap();
    assert!(html.contains("id=\"plans\"") && html.contains("id=\"key\""));
    let mut parts = BTreeSet::new();
    for (at, _) in html.match_indices("src=\"").chain(html.match_indices("href=\"")) {
        let address = html[at..].split('"').nth(1).unwrap();
        assert!(!address.contains("//"), "{address}");
        if let Some(id) = address.strip_prefix('#') {
            assert!(html.contains(&format!("id=\"{id}\"")), "{address}");
        } else if !address.starts_with("data:") {
            assert_eq!(server.ask("GET", &format!("/{address}"), &[]).status, 200, "{address}");
            parts.insert(address);
        }
    }
    assert_eq!(parts.len(), 5, "{parts:?}");
    assert_eq!(server.ask("GET", "/docs?x=1", &[]).status, 422);
    let mut raw = Raw::to(server);
    let slashed = raw.send("GET /docs/ HTTP/1.1\r\nhost: x\r\n\r\n").answer();
    assert_eq!((slashed.status, slashed.header("location")), (308, Some("../docs")));
}
