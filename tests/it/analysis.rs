//! What the service finds out about a search and about its matches, over HTTP: explanations, suggestions, translations,
//! and the figures of `include`, recounted record by record.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use procure::{http::encoding::encode, model::entity_type::EntityType};
use serde_json::{Value, json};

use crate::support::{TestServer, merged};

/// A contract with members that differ from record to record.
fn contract(number: usize, more: Value) -> (EntityType, Value) {
    let record = json!({"record_id": format!("c{number:02}"), "municipality": "laval", "award_date": "2023-05-01"});
    (EntityType::Contract, merged(record, &more))
}

fn all() -> &'static [(EntityType, Value)] {
    static ALL: LazyLock<Vec<(EntityType, Value)>> = LazyLock::new(|| {
        let mut records = vec![
            contract(
                1,
                json!({"title_fr": "Déneigement des rues", "vendor_name": "Acme", "contract_value": 100, "award_date": "2021-03-01",
                "original_value": 80, "procurement_method": "RFT", "department_en": "Parks"}),
            ),
            contract(
                2,
                json!({"title_fr": "Déneigement des trottoirs", "vendor_name": "ACME", "contract_value": 60.5, "award_date": "2022-03-01",
                "original_value": 60.5, "procurement_method": "Gré à gré", "quality_flags": ["duplicate_suspect"]}),
            ),
            contract(
                3,
                json!({"title_en": "Snow removal", "vendor_name": "Bélanger", "contract_value": 1, "award_date": "2022-07-01",
                "procurement_method": "RFT", "quality_flags": ["placeholder_value", "future_date"]}),
            ),
            contract(
                4,
                json!({"title_en": "Road paving", "vendor_name": "Cyr", "contract_value": 900, "currency": "USD", "award_date": "2023-01-01",
                "original_value": 10}),
            ),
            contract(
                5,
                json!({"title_en": "Road paving and snow", "vendor_name": "Doré", "contract_value": 50.25, "currency": "CAD",
                "procurement_method": "Sole source"}),
            ),
            contract(
                6,
                json!({"title_fr": "Réfection de la toiture", "contract_value": 7, "quality_flags": ["no_vendor"]}),
            ),
            contract(
                7,
                json!({"title_en": "Consulting", "vendor_name": "Euro", "currency": "EUR"}),
            ),
            contract(
                8,
                json!({"title_en": "Consulting", "vendor_name": "Fox", "contract_value": 20, "award_date": "2021-01-01"}),
            ),
        ];
        for number in 0..12 {
            records.push(contract(20 + number, json!({"title_fr": "Déneigement", "vendor_name": format!("Vendor {number}"),
                "contract_value": number, "award_date": format!("202{}-02-01", number % 3 + 1), "procurement_method": "RFP"})));
        }
        for number in 0..9u32 {
            let mut record = json!({"record_id": format!("d{number}"), "municipality": "federal", "award_date": "2023-05-01",
                "vendor_name": "Acme", "contract_value": 5});
            if number < 7 {
                record["number_of_bids"] = json!((number % 4).to_string());
            }
            records.push((EntityType::Disclosure, record));
        }
        records.push((
            EntityType::Tender,
            json!({"record_id": "t1", "publication_date": "2023-01-01", "municipality": "laval",
            "status": "Open", "title_fr": "Déneigement", "quality_flags": ["future_date"]}),
        ));
        records.push((
            EntityType::Tender,
            json!({"record_id": "t2", "publication_date": "2023-01-02", "municipality": "laval", "status": "Open"}),
        ));
        records
    });
    &ALL
}

fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| {
        let records: Vec<(EntityType, String)> = all().iter().map(|(of, record)| (*of, record.to_string())).collect();
        TestServer::own(&records, |_| {})
    });
    &SERVER
}

fn get(path: &str) -> Value {
    server().json(path)
}

fn refused(path: &str, status: u16, detail: &str) {
    server().refuses(path, status, detail);
}

fn of_type(entity_type: EntityType) -> impl Iterator<Item = &'static Value> {
    all()
        .iter()
        .filter(move |(of, _)| *of == entity_type)
        .map(|(_, record)| record)
}

fn ids(path: &str) -> BTreeSet<String> {
    let answer = server().get(path);
    assert_eq!(answer.status, 200, "{path}: {}", answer.detail());
    answer.ids().into_iter().collect()
}

/// The value of a record in Canadian dollars.
fn dollars(record: &Value) -> Option<f64> {
    let is_canadian = record["currency"].as_str().is_none_or(|currency| currency == "CAD");
    record["contract_value"].as_f64().filter(|_| is_canadian)
}

fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

#[test]
fn quality_flags_filter_count_and_share() {
    for entity_type in [EntityType::Contract, EntityType::Tender] {
        let flags_of = |record: &Value| -> Vec<String> {
            let flags = record["quality_flags"].as_array().cloned().unwrap_or_default();
            flags.iter().map(|flag| flag.as_str().unwrap().to_owned()).collect()
        };
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for flag in [
            "placeholder_value",
            "implausible_value",
            "future_date",
            "no_vendor",
            "duplicate_suspect",
            "none",
        ] {
            let expected: BTreeSet<String> = of_type(entity_type)
                .filter(|record| {
                    let flags = flags_of(record);
                    if flag == "none" {
                        flags.is_empty()
                    } else {
                        flags.contains(&flag.to_owned())
                    }
                })
                .map(|record| record["record_id"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(
                ids(&format!("/{entity_type}?quality_flag={flag}&limit=500")),
                expected,
                "{entity_type} {flag}"
            );
            if !expected.is_empty() {
                counts.insert(flag.to_owned(), expected.len() as u64);
            }
        }
        let facet = get(&format!("/{entity_type}?limit=1&facets=quality_flag"))["facets"]["quality_flag"].clone();
        let found: BTreeMap<String, u64> = facet["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| {
                (
                    value["value"].as_str().unwrap().to_owned(),
                    value["count"].as_u64().unwrap(),
                )
            })
            .collect();
        assert_eq!(found, counts);
    }
    let flagged: Vec<&Value> = of_type(EntityType::Contract)
        .filter(|record| !record["quality_flags"].is_null())
        .collect();
    let whole: f64 = of_type(EntityType::Contract).filter_map(dollars).sum();
    let part: f64 = flagged.iter().filter_map(|record| dollars(record)).sum();
    let stats = get("/contract/stats?include=quality");
    let quality = &stats["quality"];
    assert_eq!(quality["flagged_records"], flagged.len());
    assert_eq!(quality["flagged_value"], part);
    assert_eq!(quality["share_of_value"], rounded(part / whole));
    let share = flagged.len() as f64 / of_type(EntityType::Contract).count() as f64;
    assert_eq!(quality["share_of_records"], rounded(share));
    assert_eq!(
        quality["flags"],
        json!([
            {"flag": "duplicate_suspect", "records": 1, "total_value": 60.5},
            {"flag": "future_date", "records": 1, "total_value": 1.0},
            {"flag": "no_vendor", "records": 1, "total_value": 7.0},
            {"flag": "placeholder_value", "records": 1, "total_value": 1.0},
        ])
    );
    assert_eq!(get("/vendor/Acme?include=quality")["quality"]["flagged_records"], 1);
    refused(
        "/contract?quality_flag=bad",
        422,
        "parameter 'quality_flag': 'bad' is not one of placeholder_value, implausible_value, future_date, no_vendor, duplicate_suspect, none",
    );
}

#[test]
fn sums_are_in_canadian_dollars_and_others_are_listed() {
    let stats = get("/contract/stats?include=currencies");
    let whole: f64 = of_type(EntityType::Contract).filter_map(dollars).sum();
    assert_eq!(stats["value"]["total_value"], whole);
    assert_eq!(
        stats["currencies"],
        json!([{"currency": "EUR", "records": 1, "total_value": 0.0}, {"currency": "USD", "records": 1, "total_value": 900.0}])
    );
    assert_eq!(
        get("/vendor/Cyr?include=currencies")["currencies"][0]["total_value"],
        900.0
    );
    assert_eq!(get("/vendor/Cyr")["total_value"], 0.0);
    // Figures are absent unless they are asked for.
    for path in [
        "/contract/stats",
        "/vendor/Cyr",
        "/department/Parks",
        "/contract/stats?include=",
    ] {
        let response = get(path);
        for name in ["quality", "market", "currencies"] {
            assert!(response.get(name).is_none(), "{path} {name}");
        }
    }
}

#[test]
fn market_figures_equal_a_recount() {
    let market = get("/contract/stats?include=market")["market"].clone();
    let contracts: Vec<&Value> = of_type(EntityType::Contract).collect();
    let total = contracts.len() as f64;
    // Suppliers by folded name.
    let mut vendors: BTreeMap<String, f64> = BTreeMap::new();
    let mut first: BTreeMap<String, i64> = BTreeMap::new();
    let mut by_year: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
    let mut with_vendor = 0;
    for record in &contracts {
        let Some(name) = record["vendor_name"].as_str() else {
            continue;
        };
        let name = name.to_lowercase();
        let year: i64 = record["award_date"].as_str().unwrap()[..4].parse().unwrap();
        by_year.entry(year).or_default().insert(name.clone());
        let known = first.entry(name.clone()).or_insert(year);
        *known = year.min(*known);
        if let Some(value) = dollars(record) {
            with_vendor += 1;
            *vendors.entry(name).or_default() += value;
        }
    }
    vendors.retain(|_, value| *value > 0.0);
    let whole: f64 = vendors.values().sum();
    let mut largest: Vec<f64> = vendors.values().copied().collect();
    largest.sort_by(|a, b| b.total_cmp(a));
    let suppliers = &market["suppliers"];
    assert_eq!(
        suppliers["top_five_share"],
        rounded(largest.iter().take(5).sum::<f64>() / whole)
    );
    let concentration: f64 = vendors.values().map(|value| (value / whole * 100.0).powi(2)).sum();
    assert_eq!(suppliers["concentration"], concentration.round());
    assert_eq!(suppliers["coverage"], rounded(f64::from(with_vendor) / total));
    let rows: Vec<Value> = by_year
        .iter()
        .map(|(year, names)| {
            let new = first.values().filter(|first| *first == year).count();
            json!({"year": year, "new": new, "suppliers": names.len()})
        })
        .collect();
    assert_eq!(market["new_suppliers"], json!(rows));
    // 80 and 60.5 became 100 and 60.5; the record in US dollars does not count.
    assert_eq!(
        market["growth"],
        json!({"share": rounded(20.0 / 140.5), "original_value": 140.5, "current_value": 160.5, "coverage": rounded(2.0 / total)})
    );
    let stated: Vec<&&Value> = contracts
        .iter()
        .filter(|record| record["procurement_method"].is_string())
        .collect();
    let without =
        |record: &&&&Value| matches!(record["procurement_method"].as_str(), Some("Gré à gré" | "Sole source"));
    let sum = |records: &[&&Value]| records.iter().filter_map(|record| dollars(record)).sum::<f64>();
    let part: Vec<&&Value> = stated.iter().filter(without).copied().collect();
    assert_eq!(
        market["competition"],
        json!({"share_without": rounded(sum(&part) / sum(&stated)), "coverage": rounded(stated.len() as f64 / total)})
    );
    assert_eq!(
        market["bids"],
        json!({"median": null, "coverage": 0.0, "stated_records": 0, "listed_records": 0})
    );
    // Numbers of bids 0 1 2 3 0 1 2 of nine disclosures; 0 counts as not stated.
    let disclosures = get("/disclosure/stats?include=market");
    assert_eq!(
        disclosures["market"]["bids"],
        json!({"median": 2, "coverage": rounded(5.0 / 9.0), "stated_records": 5, "listed_records": 0})
    );
    let nothing = get("/contract/stats?include=market&q=nothing");
    assert_eq!(
        nothing["market"]["suppliers"],
        json!({"top_five_share": null, "concentration": null, "coverage": 0.0})
    );
    // Tenders name no vendor.
    assert_eq!(
        get("/tender/stats?include=market")["market"]["new_suppliers"],
        json!([])
    );
    for path in ["/vendor/Acme", "/department/Parks"] {
        let profile = get(&format!("{path}?include=market,quality,currencies"));
        assert!(profile["market"]["growth"]["share"].is_f64(), "{path}: {profile}");
        assert!(
            profile["quality"].is_object() && profile["currencies"].is_array(),
            "{path}"
        );
    }
    refused(
        "/contract/stats?include=markets",
        422,
        "parameter 'include': 'markets' is not one of quality, market, currencies, bids, coverage, supplier; nearest is 'market'",
    );
}

#[test]
fn a_translated_search_finds_what_the_other_language_calls_the_same() {
    let written = ids("/contract?q=snow+removal&limit=500");
    let translated = ids("/contract?q=snow+removal&limit=500&translate=true");
    assert!(written.is_subset(&translated) && !written.contains("c01"));
    assert!(translated.contains("c01") && translated.contains("c20") && !translated.contains("c06"));
    assert_eq!(ids("/contract?q=snow+removal&limit=500&translate=false"), written);
    assert!(ids("/contract?q=d%C3%A9neigement&limit=500&translate=true").contains("c03"));
    assert!(ids("/contract?q=roofing&limit=500&translate=true").contains("c06"));
    assert_eq!(
        get("/contract/stats?q=snow+removal&translate=true")["total"],
        translated.len()
    );
    // Following the cursors reads the same records.
    let mut paged = BTreeSet::new();
    let mut path = "/contract?q=snow+removal&limit=4&translate=true".to_owned();
    loop {
        let answer = server().get(&path);
        paged.extend(answer.ids());
        match answer.header("link") {
            Some(link) => path = link.trim_start_matches('<').split_once('>').unwrap().0.to_owned(),
            None => break,
        }
    }
    assert_eq!(paged, translated);
    // A cursor belongs to the translated search or to the other one.
    let next = get("/contract?q=snow&limit=1&translate=true")["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(server().get(&format!("/contract?q=snow&cursor={next}")).status, 400);
}

#[test]
fn relevance_orders_by_the_text_and_has_no_cursor() {
    let page = get("/contract?q=d%C3%A9neigement&sort_by=relevance&limit=3");
    assert!(page.get("next_cursor").is_none());
    let all: Vec<String> = server()
        .get("/contract?q=d%C3%A9neigement&sort_by=relevance&limit=500")
        .ids();
    let by_offset: Vec<String> = (0..all.len())
        .flat_map(|offset| {
            server()
                .get(&format!(
                    "/contract?q=d%C3%A9neigement&sort_by=relevance&limit=1&offset={offset}"
                ))
                .ids()
        })
        .collect();
    assert_eq!(by_offset, all);
    let expected = ids("/contract?q=d%C3%A9neigement&limit=500");
    assert_eq!(all.iter().cloned().collect::<BTreeSet<_>>(), expected);
    // The word alone is a shorter title than the word with others.
    assert!(
        all.iter().position(|id| id == "c20") < all.iter().position(|id| id == "c01"),
        "{all:?}"
    );
    refused(
        "/contract?sort_by=relevance",
        422,
        "parameter 'sort_by': 'relevance' needs a word in 'q'; give one, or sort by date",
    );
    refused(
        "/contract?sort_by=relevance&q=snow&cursor=x",
        400,
        "parameter 'cursor': not allowed with sort_by=relevance; use 'offset', or sort by date",
    );
}

#[test]
fn an_explained_search_states_how_it_was_understood() {
    let page = get(
        "/contract?q=roads+%22snow+removal%22+-consulting&vendor=dor&value_min=1&value_max=99&explain=true&include_total=true",
    );
    let explain = &page["explain"];
    assert_eq!(explain["total"], page["total"]);
    assert_eq!(explain["generation"], get("/health")["index"]["generation"]);
    let terms: Vec<(&str, bool, u64)> = explain["clauses"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|clause| {
            let excluded = clause["excluded"].as_bool().unwrap();
            let terms = clause["terms"].as_array().unwrap().iter();
            terms.map(move |term| {
                (
                    term["term"].as_str().unwrap(),
                    excluded,
                    term["records"].as_u64().unwrap(),
                )
            })
        })
        .collect();
    assert_eq!(
        terms,
        [
            ("roads", false, 2),
            ("\"snow removal\"", false, 1),
            ("consulting", true, 2)
        ]
    );
    assert_eq!(
        explain["clauses"][0]["terms"][0]["stems"],
        json!([{"language": "en", "stem": "road"}, {"language": "fr", "stem": "road"}])
    );
    assert_eq!(
        explain["filters"],
        json!([
            {"parameters": ["vendor"], "fields": ["vendor_name", "vendor_name_standardized", "supplier_legal_name", "supplier_operating_name"],
                "comparison": "contains", "value": "dor", "from": null, "to": null},
            {"parameters": ["value_min", "value_max"], "fields": ["contract_value"], "comparison": "between", "value": null, "from": "1", "to": "99"},
        ])
    );
    assert_eq!(explain["sort"], json!({"by": "date", "order": "desc"}));
    assert!(explain["timings"]["search"].is_f64());
}

#[test]
fn an_explained_search_without_matches_states_what_each_condition_costs() {
    let conditions = [
        ("q", "road snow removal"),
        ("municipality", "laval"),
        ("value_min", "40"),
        ("issued_after", "2022-01-01"),
        ("quality_flag", "none"),
    ];
    let address = |of: &[(&str, &str)]| {
        let pairs: Vec<String> = of
            .iter()
            .map(|(name, value)| format!("{name}={}", encode(value)))
            .collect();
        format!("/contract?limit=1&include_total=true&{}", pairs.join("&"))
    };
    let page = get(&format!("{}&explain=true", address(&conditions)));
    assert_eq!((&page["total"], &page["explain"]["total"]), (&json!(0), &json!(0)));
    let costs = &page["explain"]["costs"];
    let rows = costs["conditions"].as_array().unwrap();
    assert_eq!(rows.len(), conditions.len());
    for row in rows {
        let name = row["parameters"][0].as_str().unwrap();
        let others: Vec<_> = conditions.iter().copied().filter(|(other, _)| *other != name).collect();
        let alone: Vec<_> = conditions.iter().copied().filter(|(other, _)| *other == name).collect();
        assert_eq!(row["total_without"], get(&address(&others))["total"], "{name}");
        assert_eq!(row["total_alone"], get(&address(&alone))["total"], "{name}");
    }
    let parts = costs["parts_of_q"].as_array().unwrap();
    let words = ["road", "snow", "removal"];
    assert_eq!(parts.len(), words.len());
    for (part, word) in parts.iter().zip(words) {
        assert_eq!(part["part"], word);
        let kept = words
            .iter()
            .filter(|other| **other != word)
            .copied()
            .collect::<Vec<_>>()
            .join(" ");
        let mut less = conditions;
        less[0].1 = &kept;
        assert_eq!(part["total_without"], get(&address(&less))["total"], "{word}");
        assert_eq!(part["total_alone"], get(&address(&[("q", word)]))["total"], "{word}");
    }
    // Where something is found, no condition is too much.
    assert_eq!(get("/contract?q=snow&explain=true")["explain"]["costs"], Value::Null);
}

#[test]
fn an_explained_translation_shows_what_was_added() {
    let explain = get("/contract?q=snow+removal&translate=true&explain=true&limit=1")["explain"].clone();
    let translations = explain["translations"].as_array().unwrap();
    let added = translations.iter().find(|added| added["of"] == "snow removal");
    let added = added.unwrap_or_else(|| panic!("{explain}"));
    assert_eq!((&added["language"], &added["excluded"]), (&json!("en"), &json!(false)));
    // A word that is matched as written has quotes.
    let is_snow_removal = |term: &Value| term.as_str().unwrap().trim_matches('"') == "deneigement";
    let alternatives = added["alternatives"].as_array().unwrap();
    assert!(alternatives.iter().any(is_snow_removal), "{added}");
    let terms = explain["clauses"][0]["terms"].as_array().unwrap();
    let snow = terms.iter().find(|of| of["term"] == "snow").unwrap();
    let added = terms.iter().find(|of| is_snow_removal(&of["term"])).unwrap();
    assert_eq!(
        (&snow["translated"], &added["translated"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(added["records"], 14);
    let plain = get("/contract?q=snow+removal&explain=true&limit=1")["explain"].clone();
    assert_eq!((&plain["translations"], &plain["released"]), (&json!([]), &json!([])));
}

#[test]
fn suggestions_are_words_that_records_have() {
    let page = get("/contract?q=denegement&suggest=true");
    assert_eq!(
        page["suggestions"],
        json!([{"of": "denegement", "word": "déneigement", "distance": 1, "records": 14}])
    );
    assert_eq!(
        get("/contract?q=denegement&explain=true")["suggestions"],
        page["suggestions"]
    );
    // A word that records have is no misspelling of a word that is as frequent.
    assert_eq!(get("/contract?q=paving+removal&suggest=true")["suggestions"], json!([]));
    for path in [
        "/contract?q=denegement",
        "/contract?q=snow&suggest=true",
        "/contract?municipality=laval&value_min=1e9&suggest=true",
        "/contract?q=snow&offset=400&suggest=true&include_total=true",
    ] {
        assert!(get(path).get("suggestions").is_none(), "{path}");
    }
}

#[test]
fn each_way_to_ask_has_a_tag_of_its_own() {
    let tags: BTreeSet<String> = ["", "&suggest=true", "&translate=true", "&explain=true"]
        .iter()
        .map(|more| {
            server()
                .get(&format!("/contract?q=snow{more}"))
                .header("etag")
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(tags.len(), 4);
}
