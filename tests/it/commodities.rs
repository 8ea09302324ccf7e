//! Commodity codes over HTTP: the filter, the facet, the list and the profile, recounted record by record.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use procure::{http::encoding::encode, model::entity_type::EntityType};
use serde_json::{Value, json};

use crate::support::{Numbers, TestServer, free};

/// Texts of codes as sources publish them, and the codes that they stand for with all codes above these.
const CODES: [(&str, &str, &[&str]); 10] = [
    ("unspsc", "72101500", &["unspsc:72", "unspsc:7210", "unspsc:721015"]),
    (
        "unspsc",
        "72101501",
        &["unspsc:72", "unspsc:7210", "unspsc:721015", "unspsc:72101501"],
    ),
    (
        "unspsc",
        "72140000, 43211503",
        &[
            "unspsc:43",
            "unspsc:4321",
            "unspsc:432115",
            "unspsc:43211503",
            "unspsc:72",
            "unspsc:7214",
        ],
    ),
    ("unspsc", "72000000", &["unspsc:72"]),
    ("gsin", "N7030", &["gsin:n70", "gsin:n7030"]),
    ("gsin", "K199;N7031", &["gsin:k", "gsin:k199", "gsin:n70", "gsin:n7031"]),
    ("gsin", "various", &[]),
    ("object", "430", &["object:04", "object:0430"]),
    ("object", "0499", &["object:04", "object:0499"]),
    ("commodity", "7030", &["gsin:n70", "gsin:n7030"]),
];

/// The words that sources publish with a code.
const WORDS: [(&str, &str, &str); 3] = [
    ("72101501", "Mending of potholes", "Colmatage de nids-de-poule"),
    ("72140000, 43211503", "Several things", "Plusieurs choses"),
    ("N7030", "Spreadsheet programs", "Tableurs"),
];

const VENDORS: [&str; 4] = ["Acme", "Léo & Fils inc.", "LEO & FILS INC", "Northern Roads"];
const DEPARTMENTS: [&str; 3] = ["National Defence", "Public Works", "Parks"];

/// The field that has codes of a scheme, by entity type.
fn code_field(entity_type: EntityType, scheme: &str) -> Option<&'static str> {
    use EntityType::*;
    match (entity_type, scheme) {
        (Contract | Award | Tender | PreSolicitation, "unspsc") => Some("unspsc"),
        (Contract | Award | Tender | PreSolicitation, "gsin") => Some("gsin"),
        (Disclosure, "object") => Some("economic_object_code"),
        (Disclosure, "commodity") => Some("commodity_code"),
        (StandingOffer, "commodity" | "gsin") => Some("commodity"),
        _ => None,
    }
}

/// A record, and the codes that it has.
#[derive(Clone)]
struct Coded {
    entity_type: EntityType,
    record: Value,
    codes: BTreeSet<&'static str>,
}

impl Coded {
    fn value(&self) -> Option<f64> {
        let field = match self.entity_type {
            EntityType::Award => "total_contract_value",
            _ => "contract_value",
        };
        self.record[field].as_f64()
    }

    fn year(&self) -> Option<i64> {
        let date = ["award_date", "publication_date"]
            .into_iter()
            .find_map(|name| self.record[name].as_str());
        date?[..4].parse().ok()
    }

    fn id(&self) -> &str {
        self.record["record_id"].as_str().unwrap()
    }
}

fn coded() -> &'static [Coded] {
    static ALL: LazyLock<Vec<Coded>> = LazyLock::new(|| {
        let mut numbers = Numbers(7);
        let mut all = Vec::new();
        for entity_type in EntityType::ALL {
            for number in 0..60 {
                all.push(random_record(entity_type, number, &mut numbers));
            }
        }
        all
    });
    &ALL
}

fn random_record(entity_type: EntityType, number: usize, numbers: &mut Numbers) -> Coded {
    let mut record = json!({"record_id": format!("{entity_type}-{number}"), "municipality": "laval"});
    let mut codes = BTreeSet::new();
    let date = match entity_type {
        EntityType::Tender | EntityType::PreSolicitation => "publication_date",
        _ => "award_date",
    };
    if numbers.below(10) > 0 {
        record[date] = json!(format!("202{}-0{}-11", numbers.below(4), numbers.below(9) + 1));
    }
    record["department_en"] = json!(DEPARTMENTS[numbers.below(DEPARTMENTS.len())]);
    if entity_type != EntityType::Tender {
        record["vendor_name"] = json!(VENDORS[numbers.below(VENDORS.len())]);
    }
    let value = (numbers.below(2_000_000) as f64) / 100.0;
    match entity_type {
        EntityType::Award => record["total_contract_value"] = json!(value),
        EntityType::Contract | EntityType::Disclosure if numbers.below(8) > 0 => {
            record["contract_value"] = json!(value)
        }
        _ => {}
    }
    for _ in 0..numbers.below(3) {
        let (scheme, text, keys) = CODES[numbers.below(CODES.len())];
        let Some(field) = code_field(entity_type, scheme) else {
            continue;
        };
        if !record[field].is_null() {
            continue;
        }
        record[field] = json!(text);
        codes.extend(keys);
        if let Some((_, english, french)) = WORDS.iter().find(|(code, ..)| *code == text)
            && matches!(field, "unspsc" | "gsin")
        {
            record[format!("{field}_description_en")] = json!(english);
            record[format!("{field}_description_fr")] = json!(french);
        }
    }
    Coded {
        entity_type,
        record,
        codes,
    }
}

/// All records as lines of dumps.
fn lines() -> Vec<(EntityType, String)> {
    let line = |coded: &Coded| (coded.entity_type, coded.record.to_string());
    coded().iter().map(line).collect()
}

pub fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&lines(), |_| {}));
    &SERVER
}

fn get(path: &str) -> Value {
    server().json(path)
}

fn refused(path: &str, status: u16, detail: &str) {
    server().refuses(path, status, detail);
}

/// The records of an entity type that pass a condition.
fn records(entity_type: EntityType, condition: impl Fn(&Coded) -> bool) -> Vec<&'static Coded> {
    let of_type = coded().iter().filter(|coded| coded.entity_type == entity_type);
    of_type.filter(|coded| condition(coded)).collect()
}

fn all_keys() -> BTreeSet<&'static str> {
    CODES.iter().flat_map(|(_, _, keys)| keys.iter().copied()).collect()
}

/// The code right above one; `None` for the highest.
fn parent(key: &str) -> Option<&'static str> {
    let above = all_keys()
        .into_iter()
        .filter(|above| *above != key && key.starts_with(above));
    above.max_by_key(|above| above.len())
}

/// To the cent.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    (values.map(|value| (value * 100.0).round()).sum::<f64>()) / 100.0
}

/// `None` for an entity type without a field for the value.
fn total(records: &[&Coded], entity_type: EntityType) -> Option<f64> {
    let has_value = !matches!(entity_type, EntityType::StandingOffer | EntityType::PreSolicitation);
    has_value.then(|| sum(records.iter().filter_map(|coded| coded.value())))
}

/// The words of a code find its records, and those of the codes below it, whether or not these have the words.
#[test]
fn words_find_the_codes_that_they_mean() {
    let ids = |path: &str| server().get(path).ids().into_iter().collect::<BTreeSet<String>>();
    let mut more = 0;
    for entity_type in EntityType::ALL {
        for key in all_keys() {
            let code = server().get(&format!("/commodity/{key}"));
            let titles = ["title_en", "title_fr"].map(|name| code.json()[name].as_str().map(str::to_owned));
            for title in titles.into_iter().flatten() {
                let search = format!("/{entity_type}?q={}&limit=500", encode(&title));
                let (by_words, by_codes) = (ids(&search), ids(&format!("{search}&match_codes=true")));
                let of_code = records(entity_type, |coded| coded.codes.contains(key));
                let of_code: BTreeSet<String> = of_code.iter().map(|coded| coded.id().to_owned()).collect();
                assert!(
                    by_codes.is_superset(&by_words) && by_codes.is_superset(&of_code),
                    "{search}"
                );
                assert_eq!(ids(&format!("{search}&match_codes=false")), by_words, "{search}");
                more += by_codes.difference(&by_words).count();
                // Only codes that the explanation states add records.
                let explained = get(&format!("{search}&match_codes=true&explain=true"));
                let meant: Vec<&str> = explained["explain"]["codes"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(Value::as_str)
                    .collect();
                let is_meant = |coded: &Coded| coded.codes.iter().any(|code| meant.contains(code));
                let of_meant = records(entity_type, is_meant);
                let expected: BTreeSet<String> = of_meant
                    .iter()
                    .map(|coded| coded.id().to_owned())
                    .chain(by_words)
                    .collect();
                assert_eq!(by_codes, expected, "{search}");
                let stats = get(&format!("/{entity_type}/stats?q={}&match_codes=true", encode(&title)));
                assert_eq!(stats["total"], by_codes.len(), "{search}");
            }
        }
    }
    assert!(more > 100, "{more}");
}

#[test]
fn the_filter_finds_a_code_and_all_codes_below_it() {
    for entity_type in EntityType::ALL {
        for key in all_keys() {
            let page = server().get(&format!("/{entity_type}?commodity={key}&limit=500"));
            let found: BTreeSet<String> = page.ids().into_iter().collect();
            let expected = records(entity_type, |coded| coded.codes.contains(key));
            let expected: BTreeSet<String> = expected.iter().map(|coded| coded.id().to_owned()).collect();
            assert_eq!(found, expected, "{entity_type} {key}");
        }
    }
    // Every way to write a code finds the same.
    let ids = |code: &str| {
        server()
            .get(&format!("/contract?limit=500&commodity={}", encode(code)))
            .ids()
    };
    for (code, others) in [
        ("unspsc:7210", ["7210", "72100000", " UNSPSC:7210 "]),
        ("gsin:n7030", ["N7030", "n7030", "gsin:7030"]),
    ] {
        assert!(!ids(code).is_empty(), "{code}");
        for other in others {
            assert_eq!(ids(other), ids(code), "{other}");
        }
    }
    let answer = server().get("/contract?commodity=721");
    assert_eq!(answer.status, 422);
    assert!(
        answer
            .detail()
            .starts_with("parameter 'commodity': '721' is not a commodity code; write "),
        "{}",
        answer.detail()
    );
    // A cursor follows the filter.
    let page = get("/contract?commodity=72&limit=3");
    let next = page["next_cursor"].as_str().unwrap();
    let other = server().get(&format!("/contract?commodity=7210&cursor={next}"));
    assert_eq!(other.status, 400);
}

#[test]
fn the_facet_counts_one_level_of_the_codes() {
    for entity_type in EntityType::ALL {
        for above in all_keys().into_iter().map(Some).chain([None]) {
            let filter = above.map_or_else(String::new, |above| format!("&commodity={above}"));
            let page = get(&format!("/{entity_type}?limit=1&facets=commodity{filter}"));
            let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
            for coded in records(entity_type, |coded| {
                above.is_none_or(|above| coded.codes.contains(above))
            }) {
                for key in coded.codes.iter().filter(|key| parent(key) == above) {
                    *expected.entry(key).or_default() += 1;
                }
            }
            let facet = &page["facets"]["commodity"];
            let found: BTreeMap<&str, u64> = facet["values"]
                .as_array()
                .unwrap()
                .iter()
                .map(|value| (value["value"].as_str().unwrap(), value["count"].as_u64().unwrap()))
                .collect();
            assert_eq!(found, expected, "{entity_type} {above:?}");
            assert_eq!(facet["distinct"], expected.len(), "{entity_type} {above:?}");
            assert_eq!(facet["other"], 0);
        }
    }
    let page = get("/contract?commodity=721015&facets=commodity&limit=1");
    let value = &page["facets"]["commodity"]["values"][0];
    assert_eq!(
        (&value["code"], &value["title_en"], &value["title_fr"]),
        (
            &json!("72101501"),
            &json!("Mending of potholes"),
            &json!("Colmatage de nids-de-poule")
        )
    );
}

#[test]
fn the_list_has_the_codes_of_records() {
    let money = [EntityType::Contract, EntityType::Award, EntityType::Disclosure];
    for entity_type in EntityType::ALL.into_iter().map(Some).chain([None]) {
        let types = entity_type.map_or_else(|| EntityType::ALL.to_vec(), |one| vec![one]);
        let with = |key: &str| {
            let of_types = coded().iter().filter(|coded| types.contains(&coded.entity_type));
            of_types.filter(|coded| coded.codes.contains(key)).collect::<Vec<_>>()
        };
        for above in all_keys().into_iter().map(Some).chain([None]) {
            let mut query = above.map_or_else(String::new, |above| format!("&parent={above}"));
            if let Some(entity_type) = entity_type {
                query.push_str(&format!("&entity_type={entity_type}"));
            }
            let page = get(&format!("/commodities?limit=100{query}"));
            let mut expected: Vec<(u64, &str, Value, u64)> = Vec::new();
            for key in all_keys().into_iter().filter(|key| parent(key) == above) {
                let found = with(key);
                if found.is_empty() {
                    continue;
                }
                let of = |of: EntityType| {
                    found
                        .iter()
                        .copied()
                        .filter(|coded| coded.entity_type == of)
                        .collect::<Vec<_>>()
                };
                let counted = match entity_type {
                    Some(entity_type) => Some(entity_type),
                    None => money.into_iter().find(|money| !of(*money).is_empty()),
                };
                let value = counted.and_then(|counted| total(&of(counted), counted));
                let children = all_keys().into_iter().filter(|below| parent(below) == Some(key));
                let children = children.filter(|below| !with(below).is_empty()).count() as u64;
                expected.push((found.len() as u64, key, json!(value), children));
            }
            // Most records first, equal ones by scheme and code.
            let scheme = |key: &str| {
                ["unspsc", "gsin", "object"]
                    .into_iter()
                    .position(|of| key.starts_with(of))
            };
            expected.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (scheme(a.1), a.1).cmp(&(scheme(b.1), b.1))));
            let rows = page["results"].as_array().unwrap();
            let found: Vec<(u64, &str, Value, u64)> = rows
                .iter()
                .map(|row| {
                    let key = row["commodity"].as_str().unwrap();
                    let (records, children) = (row["records"].as_u64().unwrap(), row["children"].as_u64().unwrap());
                    (records, key, row["total_value"].clone(), children)
                })
                .collect();
            assert_eq!(found, expected, "{entity_type:?} {above:?}");
            assert_eq!(
                (page["total"].as_u64(), page["count"].as_u64()),
                (Some(rows.len() as u64), Some(rows.len() as u64))
            );
        }
    }
}

/// What the served generation keeps of commodity codes: for how many entity types, and bytes.
fn kept_codes(admin: &str) -> (u64, u64) {
    let mut page = ureq::get(format!("http://{admin}/metrics")).call().unwrap();
    let page = page.body_mut().read_to_string().unwrap();
    let value = |metric: &str| {
        let name = format!("{metric}{{cache=\"commodity_codes\"}} ");
        page.lines()
            .find_map(|line| line.strip_prefix(&name))
            .unwrap()
            .parse()
            .unwrap()
    };
    (value("procure_cache_entries"), value("procure_cache_bytes"))
}

#[test]
fn codes_are_counted_once_for_each_generation() {
    let admin = free();
    let server = TestServer::own(&lines(), |config| config.admin_bind = Some(admin.parse().unwrap()));
    let body = |path: &str| {
        let answer = server.get(path);
        assert_eq!(
            (answer.status, answer.header("x-ratelimit-cost")),
            (200, Some("1")),
            "{path}"
        );
        answer.body
    };
    let facets = || EntityType::ALL.map(|of| body(&format!("/{of}?limit=1&include_total=true&facets=commodity")));
    let mixed = || body("/contract?limit=1&include_total=true&facets=commodity,vendor");
    let filtered = || body("/contract?limit=1&include_total=true&facets=commodity&commodity=72");
    let before = (facets(), mixed(), filtered());
    assert_eq!(kept_codes(&admin), (0, 0), "a facet keeps nothing");
    let paths = [
        "",
        "?entity_type=award",
        "?parent=72",
        "?q=7210",
        "?entity_type=award&scheme=gsin",
    ];
    let lists = || paths.map(|query| body(&format!("/commodities{query}")));
    let first = lists();
    let kept = kept_codes(&admin);
    assert!(kept.0 == 7 && (1_000..100_000).contains(&kept.1), "{kept:?}");
    assert_eq!(lists(), first);
    assert_eq!(kept_codes(&admin), kept);
    // Facets of all records read what the lists have counted, and are the same.
    assert_eq!((facets(), mixed(), filtered()), before);

    // Another generation has its own. A facet has equal codes in the order of their keys, a list in that of their
    // schemes.
    let awards = [
        json!({"record_id": "a", "unspsc": "72101500"}),
        json!({"record_id": "b", "gsin": "N7030"}),
    ];
    server.publish(&awards.map(|record| (EntityType::Award, record.to_string())));
    server.wait_until("the generation", || kept_codes(&admin) == (0, 0));
    let keys = |path: &str, list: &str, key: &str| -> Vec<String> {
        let page: Value = serde_json::from_slice(&body(path)).unwrap();
        let rows = page.pointer(list).unwrap().as_array().unwrap().iter();
        rows.map(|row| row[key].as_str().unwrap().to_owned()).collect()
    };
    let facet = || keys("/award?limit=1&facets=commodity", "/facets/commodity/values", "value");
    assert_eq!(facet(), ["gsin:n70", "unspsc:72"]);
    assert_eq!(
        keys("/commodities?entity_type=award", "/results", "commodity"),
        ["unspsc:72", "gsin:n70"]
    );
    assert_eq!(kept_codes(&admin).0, 1);
    assert_eq!(facet(), ["gsin:n70", "unspsc:72"]);
}

#[test]
fn codes_are_found_by_their_words_and_their_start() {
    let keys = |query: &str| -> Vec<String> {
        let page = get(&format!("/commodities?limit=100&{query}"));
        let rows = page["results"].as_array().unwrap().iter();
        rows.map(|row| row["commodity"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys("q=COLMATAGE+de"), ["unspsc:72101501"]);
    assert_eq!(keys("q=potholes"), ["unspsc:72101501"]);
    assert_eq!(keys("q=tableur&scheme=gsin"), ["gsin:n7030"]);
    assert_eq!(keys("q=tableur&scheme=unspsc"), [""; 0]);
    assert_eq!(keys("q=pothole&parent=7210"), ["unspsc:72101501"]);
    assert_eq!(keys("q=72140000"), ["unspsc:7214"]);
    assert_eq!(keys("q=gsin"), [""; 0], "a scheme is no part of a code");
    assert_eq!(keys("q=pothole&parent=43"), [""; 0]);
    let mut all = keys("q=7210");
    all.sort();
    assert_eq!(all, ["unspsc:7210", "unspsc:721015", "unspsc:72101501"]);
    // The words of a list of codes belong to none of them.
    assert_eq!(keys("q=several+things"), [""; 0]);
    let whole = keys("");
    let by_one: Vec<String> = (0..whole.len())
        .flat_map(|offset| {
            let page = get(&format!("/commodities?limit=1&offset={offset}"));
            assert_eq!(page["total"], whole.len());
            vec![page["results"][0]["commodity"].as_str().unwrap().to_owned()]
        })
        .collect();
    assert_eq!(by_one, whole);
    let row = &get("/commodities?q=7030&scheme=gsin")["results"];
    assert_eq!(row, &json!([]), "the code of goods starts with its letter");
    let row = get("/commodities?q=n7030")["results"][0].clone();
    assert_eq!(
        (&row["scheme"], &row["code"], &row["title_en"], &row["title_fr"]),
        (
            &json!("gsin"),
            &json!("N7030"),
            &json!("Spreadsheet programs"),
            &json!("Tableurs")
        )
    );
    refused(
        "/commodities?scheme=naics",
        422,
        "parameter 'scheme': 'naics' is not one of unspsc, gsin, object",
    );
    refused(
        "/commodities?parents=72",
        422,
        "unknown parameter 'parents'; nearest is 'parent'",
    );
}

#[test]
fn a_profile_has_the_records_of_a_code() {
    for key in all_keys() {
        let profile = get(&format!("/commodity/{key}?limit=500"));
        let mut counts = Vec::new();
        for entity_type in EntityType::ALL {
            let found = records(entity_type, |coded| coded.codes.contains(key));
            if !found.is_empty() {
                counts.push(json!({"entity_type": entity_type, "records": found.len(), "total_value": total(&found, entity_type)}));
            }
        }
        assert_eq!(profile["by_entity_type"], json!(counts), "{key}");
        let preferred = [
            "contract",
            "award",
            "disclosure",
            "standing_offer",
            "tender",
            "pre_solicitation",
        ];
        let has = |of: &&str| counts.iter().any(|count| count["entity_type"] == **of);
        let expected = preferred.into_iter().find(has).unwrap();
        assert_eq!(profile["entity_type"], expected, "{key}");
        for requested in EntityType::ALL {
            check_profile(key, requested);
        }
        let mut above = Vec::new();
        let mut next = parent(key);
        while let Some(code) = next {
            above.insert(0, code);
            next = parent(code);
        }
        let ancestors: Vec<&str> = profile["ancestors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|code| code["commodity"].as_str().unwrap())
            .collect();
        assert_eq!(ancestors, above, "{key}");
    }
}

/// Recounts the figures of one entity type.
fn check_profile(key: &str, entity_type: EntityType) {
    let what = format!("{key} {entity_type}");
    let profile = get(&format!("/commodity/{key}?limit=500&entity_type={entity_type}"));
    let found = records(entity_type, |coded| coded.codes.contains(key));
    assert_eq!(profile["entity_type"], entity_type.name(), "{what}");
    assert_eq!(profile["total_records"], found.len(), "{what}");
    assert_eq!(profile["total_value"], json!(total(&found, entity_type)), "{what}");
    let with_value = found.iter().filter(|coded| coded.value().is_some()).count();
    assert_eq!(profile["records_with_value"], with_value, "{what}");
    let mut ids: Vec<&str> = profile["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["record_id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    let mut expected: Vec<&str> = found.iter().map(|coded| coded.id()).collect();
    expected.sort_unstable();
    assert_eq!(ids, expected, "{what}");
    let mut years: BTreeMap<i64, Vec<&Coded>> = BTreeMap::new();
    for coded in &found {
        if let Some(year) = coded.year() {
            years.entry(year).or_default().push(coded);
        }
    }
    let years: Vec<Value> = years
        .into_iter()
        .map(|(year, of)| json!({"year": year, "count": of.len(), "total_value": total(&of, entity_type)}))
        .collect();
    assert_eq!(profile["by_year"], json!(years), "{what}");
    let undated = found.iter().filter(|coded| coded.year().is_none()).count();
    assert_eq!(profile["undated"], json!(undated), "{what}");
    let mut departments: BTreeMap<&str, u64> = BTreeMap::new();
    for coded in &found {
        *departments
            .entry(coded.record["department_en"].as_str().unwrap())
            .or_default() += 1;
    }
    let counted: BTreeMap<&str, u64> = profile["top_departments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["department"].as_str().unwrap(), row["count"].as_u64().unwrap()))
        .collect();
    assert_eq!(counted, departments, "{what}");
    // Spellings of one vendor are one.
    let vendors: BTreeSet<String> = found
        .iter()
        .filter_map(|coded| coded.record["vendor_name"].as_str())
        .map(|name| name.to_lowercase().replace('é', "e").replace('.', ""))
        .collect();
    assert_eq!(
        profile["top_vendors"].as_array().unwrap().len(),
        vendors.len(),
        "{what}"
    );
    let mut children: BTreeMap<&str, u64> = BTreeMap::new();
    for coded in &found {
        for below in coded.codes.iter().filter(|below| parent(below) == Some(key)) {
            *children.entry(below).or_default() += 1;
        }
    }
    let counted: BTreeMap<&str, u64> = profile["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["commodity"].as_str().unwrap(), row["records"].as_u64().unwrap()))
        .collect();
    assert_eq!(counted, children, "{what}");
}

#[test]
fn a_profile_takes_filters_and_pages() {
    let narrowed =
        get("/commodity/72?entity_type=award&vendor=leo&issued_after=2021-01-01&sort_by=value&limit=2&offset=1");
    let mut expected = records(EntityType::Award, |coded| {
        let vendor = coded.record["vendor_name"].as_str().unwrap();
        coded.codes.contains("unspsc:72")
            && vendor.to_lowercase().contains('o')
            && vendor != "Northern Roads"
            && coded.year() >= Some(2021)
    });
    expected.sort_by(|a, b| b.value().unwrap().total_cmp(&a.value().unwrap()));
    assert_eq!(narrowed["total_records"], expected.len());
    let ids: Vec<&str> = narrowed["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["record_id"].as_str().unwrap())
        .collect();
    let expected: Vec<&str> = expected.iter().skip(1).take(2).map(|coded| coded.id()).collect();
    assert_eq!(ids, expected);
    // Filters that exclude everything are not an unknown code.
    let nothing = get("/commodity/7210?vendor=nobody");
    assert_eq!(
        (&nothing["total_records"], &nothing["by_entity_type"]),
        (&json!(0), &json!([]))
    );
    // An entity type without values is sorted by date.
    assert_eq!(
        get("/commodity/N7030?entity_type=standing_offer&sort_by=value")["entity_type"],
        "standing_offer"
    );
    refused(
        "/commodity/9999",
        404,
        "no record has the commodity code 'unspsc:9999'; find codes with /commodities?q=…",
    );
    let answer = server().get("/commodity/roads%20and%20bridges");
    assert_eq!(answer.status, 404);
    assert!(
        answer
            .detail()
            .starts_with("'roads and bridges' is not a commodity code; write "),
        "{}",
        answer.detail()
    );
    let answer = server().get("/commodity/72?q=road");
    assert_eq!(
        answer.detail(),
        "parameter 'q': /commodity/{code} does not accept it; it accepts entity_type, category, department, vendor, issued_after, issued_before, include, sort_by, sort_order, limit, offset"
    );
    refused(
        "/contract?include=market",
        422,
        "parameter 'include': 'market' is not one of coverage, supplier",
    );
}
