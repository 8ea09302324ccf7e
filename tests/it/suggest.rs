//! `GET /suggest` over HTTP: what typed words may mean, and whether each suggestion finds what it says.

use std::{collections::BTreeSet, sync::LazyLock};

use procure::{http::encoding::encode, model::entity_type::EntityType};
use serde_json::{Value, json};

use crate::{pages::html::between, support::TestServer};

/// Departments in English and French, with municipality.
const BODIES: [(&str, &str, &str); 7] = [
    (
        "Innovation, Science and Economic Development Canada",
        "Innovation, Sciences et Développement économique Canada",
        "federal",
    ),
    ("National Defence", "Défense nationale", "federal"),
    ("DFATD", "", "federal"),
    ("", "Ville de Montréal", "montreal"),
    ("", "Société de transport de Montréal", "montreal"),
    ("", "Régie du bâtiment (RBQ)", "qc-provincial"),
    ("Toronto Water", "", "toronto"),
];

const VENDORS: [&str; 6] = [
    "CGI Inc.",
    "CGI INC",
    "Conseillers CGI Montréal",
    "Pavages Beauregard ltée",
    "Neige & Fils",
    "<script>alert(1)</script> & \"Sons\"",
];

const CODES: [(&str, &str, &str); 3] = [
    ("72102903", "Snow clearing", "Déneigement des rues"),
    ("72141001", "Road building", "Construction de routes"),
    ("43230000", "", ""),
];

const KINDS: [EntityType; 4] = [
    EntityType::Contract,
    EntityType::Tender,
    EntityType::Award,
    EntityType::Disclosure,
];

fn records() -> Vec<(EntityType, String)> {
    let mut records = Vec::new();
    for number in 0..420_usize {
        let (english, french, place) = BODIES[number % BODIES.len()];
        let (code, code_en, code_fr) = CODES[(number / 3) % CODES.len()];
        let entity_type = KINDS[(number / 5) % KINDS.len()];
        let record = json!({
            "record_id": format!("{number}"),
            "title_en": "Something",
            "department_en": english,
            "department_fr": french,
            "municipality": place,
            "vendor_name": VENDORS[(number * number + number / 7) % VENDORS.len()],
            "award_date": "2019-03-04",
            "publication_date": "2019-03-04",
            "solicitation_number": format!("EN578-{}/A", number / 4),
            "unspsc": code,
            "unspsc_description_en": code_en,
            "unspsc_description_fr": code_fr,
        });
        let members = record.as_object().unwrap().iter();
        let accepted = |name: &str| {
            let only_won = ["vendor_name", "award_date"].contains(&name) && entity_type == EntityType::Tender;
            let only_coded = name.starts_with("unspsc") && entity_type == EntityType::Disclosure;
            !(only_won || only_coded)
        };
        let stated = members.filter(|(name, value)| accepted(name) && value.as_str() != Some(""));
        let record: serde_json::Map<String, Value> =
            stated.map(|(name, value)| (name.clone(), value.clone())).collect();
        records.push((entity_type, Value::Object(record).to_string()));
    }
    records
}

static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&records(), |_| {}));

fn suggested(q: &str) -> Vec<Value> {
    suggested_in(q, "en")
}

fn suggested_in(q: &str, lang: &str) -> Vec<Value> {
    let found = SERVER.get(&format!("/suggest?q={}&lang={lang}&limit=20", encode(q)));
    assert_eq!(found.status, 200, "{q}: {}", found.detail());
    let found = found.json();
    assert_eq!(found["query"], q.trim());
    found["results"].as_array().unwrap().clone()
}

fn first(q: &str, lang: &str) -> (String, String, String) {
    let found = suggested_in(q, lang);
    let text = |member: &str| found.first().map_or("", |of| of[member].as_str().unwrap()).to_owned();
    (text("type"), text("label"), text("likeness"))
}

/// The records that the searches of a suggestion find, each compared with what the suggestion says.
fn check(suggestion: &Value) {
    assert!(suggestion["records"].as_u64().unwrap() > 0, "{suggestion}");
    let mut total = 0;
    for row in suggestion["by_entity_type"].as_array().unwrap() {
        let records = row["records"].as_u64().unwrap();
        assert!(records > 0, "{suggestion}");
        total += records;
        let Some(search) = row["search"].as_str() else {
            continue;
        };
        let found = SERVER.get(&format!("{search}&include_total=true&limit=1"));
        assert_eq!(found.json()["total"], records, "{search}");
        for (name, value) in suggestion["query"].as_object().unwrap() {
            let value = encode(value.as_str().unwrap());
            let kind = row["entity_type"].as_str().unwrap();
            let by_query = SERVER.get(&format!("/{kind}?{name}={value}&include_total=true&limit=1"));
            assert_eq!(by_query.json()["total"], records, "{name}={value}");
        }
    }
    assert_eq!(suggestion["records"], total, "{suggestion}");
    if let Some(href) = suggestion["href"].as_str() {
        let found = SERVER.get(href);
        assert_eq!(found.status, 200, "{href}");
        if suggestion["type"] == "solicitation" {
            assert_eq!(found.json()["total"], total, "{href}");
            assert_eq!(suggestion["query"], Value::Null);
        }
    }
}

#[test]
fn words_acronyms_numbers_and_misspellings_are_understood() {
    let ised = "Innovation, Science and Economic Development Canada";
    let isde = "Innovation, Sciences et Développement économique Canada";
    for (q, lang, expected) in [
        ("ISED", "en", ("department", ised, "exact")),
        ("isde", "fr", ("department", isde, "exact")),
        ("Industry Canada", "en", ("department", ised, "exact")),
        ("MDN", "en", ("department", "National Defence", "exact")),
        ("MDN", "fr", ("department", "Défense nationale", "exact")),
        ("Global Affairs", "en", ("department", "DFATD", "part")),
        ("STM", "en", ("department", "Société de transport de Montréal", "exact")),
        (
            "STM autobus",
            "en",
            ("department", "Société de transport de Montréal", "part"),
        ),
        ("RBQ", "fr", ("department", "Régie du bâtiment (RBQ)", "exact")),
        ("EN578-7/A", "en", ("solicitation", "EN578-7/A", "exact")),
        ("en578 7 a", "en", ("solicitation", "en578 7 a", "exact")),
        ("notice EN578-7/A please", "en", ("solicitation", "EN578-7/A", "exact")),
        ("snow", "en", ("commodity", "Snow clearing", "part")),
        ("deneigement", "fr", ("commodity", "Déneigement des rues", "part")),
        ("deneigemnt", "en", ("commodity", "Snow clearing", "similar")),
        (
            "pavage beauregar",
            "en",
            ("supplier", "Pavages Beauregard ltée", "part"),
        ),
        ("Beauregerd", "en", ("supplier", "Pavages Beauregard ltée", "similar")),
        ("montréal", "en", ("municipality", "Montreal", "exact")),
        ("72102903", "en", ("commodity", "Snow clearing", "exact")),
        ("43230000", "en", ("commodity", "Software", "exact")),
    ] {
        let (of, label, likeness) = first(q, lang);
        let found = (of.as_str(), label.as_str(), likeness.as_str());
        assert_eq!(found, expected, "{q}: {:?}", suggested_in(q, lang));
    }
}

#[test]
fn every_suggestion_finds_as_many_records_as_it_says() {
    let mut checked = BTreeSet::new();
    let mut types = BTreeSet::new();
    let words = [
        "innovation",
        "national",
        "dfatd",
        "ville",
        "société transport",
        "rbq",
        "toronto",
        "cgi",
        "pavages",
        "neige",
        "script alert",
        "snow",
        "road",
        "432",
        "montreal",
        "EN578-0/A",
        "EN578-13/A EN578-20/A",
        "c",
        "qc-provincial",
        "federal",
        "de",
        "inc",
    ];
    for q in words {
        for suggestion in suggested(q) {
            types.insert(suggestion["type"].as_str().unwrap().to_owned());
            if checked.insert(suggestion["id"].as_str().unwrap().to_owned()) {
                check(&suggestion);
            }
        }
    }
    assert_eq!(types.len(), 5, "{types:?}");
    assert!(checked.len() >= 15, "{checked:?}");
}

#[test]
fn what_nothing_is_known_of_has_no_suggestions() {
    for q in [
        "",
        "🚜",
        "\"\"",
        "zzyzx",
        "EN578-99999/Z",
        "quantum chromodynamics",
        "--- ///",
        "%00",
    ] {
        assert_eq!(suggested(q), Vec::<Value>::new(), "{q}");
    }
    assert_eq!(SERVER.get("/suggest").json(), json!({"query": "", "results": []}));
}

#[test]
fn texts_and_lists_are_bounded() {
    let full = "snow ".repeat(102);
    assert!(!suggested(&full).is_empty(), "{} characters", full.len());
    let long = SERVER.get(&format!("/suggest?q={}", "x".repeat(513)));
    assert_eq!(long.status, 422);
    assert!(long.detail().contains("512"), "{}", long.detail());
    for limit in 1..=3 {
        let found = SERVER.get(&format!("/suggest?q=montreal&limit={limit}")).json();
        assert_eq!(found["results"].as_array().unwrap().len(), limit);
    }
    for refused in ["limit=0", "limit=21", "lang=de", "offset=1"] {
        assert_eq!(
            SERVER.get(&format!("/suggest?q=snow&{refused}")).status,
            422,
            "{refused}"
        );
    }
}

#[test]
fn a_suggestion_costs_one_request() {
    for _ in 0..2 {
        assert_eq!(SERVER.get("/suggest?q=snow").header("x-ratelimit-cost"), Some("1"));
    }
}

fn unescaped(text: &str) -> String {
    text.replace("&#38;", "&").replace("&amp;", "&")
}

#[test]
fn a_page_of_results_says_what_the_words_may_mean_and_each_link_finds_as_many() {
    let mut links = 0;
    for lang in ["en", "fr"] {
        for q in [
            "ISED",
            "MDN",
            "STM",
            "snow",
            "CGI",
            "montréal",
            "déneigement à Montréal",
            "script alert",
        ] {
            let page = SERVER.html(&format!("/{lang}/search?kind=contract&q={}", encode(q)), 200);
            let shown = between(&page, "<section class=\"search-meanings\"", "</section>");
            assert_eq!(shown.len(), 1, "{q}");
            for meaning in between(shown[0], "<li>", "</li>") {
                let href = unescaped(between(meaning, "href=\"", "\"")[0]);
                let count = between(meaning, " · ", "</small>")[0]
                    .split(';')
                    .next()
                    .unwrap()
                    .trim_end();
                let lead = SERVER.html(&href, 200);
                let lead = between(&lead, "<p class=\"lead\" role=\"status\">", "</p>")[0].to_owned();
                assert!(lead.starts_with(count), "{href}: {count}, {lead}");
                assert!(!meaning.contains("<script>"), "{meaning}");
                links += 1;
            }
        }
    }
    assert!(links > 20, "{links}");
    let next = SERVER.html("/en/search?kind=contract&q=montreal&offset=25", 200);
    assert!(!next.contains("search-meanings"), "only on the first page");
    let number = SERVER.html("/en/search?kind=tender&q=EN578-7/A", 200);
    assert!(between(&number, "search-meanings", "</section>")[0].contains("/en/solicitation/EN578-7%2FA"));
}

#[test]
fn a_box_gets_the_same_in_the_language_of_the_page() {
    let found = SERVER.get("/fr/suggest?q=MDN&kind=award").json();
    assert_eq!(found["results"][0]["label"], "Défense nationale");
    assert_eq!(found["results"][0]["what"], "Acheteur");
    let href = found["results"][0]["href"].as_str().unwrap();
    assert!(href.starts_with("/fr/search?kind=award&body=body_"), "{href}");
    let nothing = SERVER.get("/en/suggest?q=zzyzx").json();
    assert_eq!(nothing, json!({"results": [], "status": "No suggestions"}));
    for q in ["", "?q=", "?q=%F0%9F%9A%9C", "?kind=nothing", "?utm_source=x"] {
        assert_eq!(
            SERVER.get(&format!("/en/suggest{q}")).json()["results"],
            json!([]),
            "{q}"
        );
    }
    let long = format!("/en/suggest?q={}", "montreal+".repeat(300));
    assert_eq!(SERVER.get(&long).status, 200);
}

#[test]
fn words_without_a_letter_or_digit_are_not_searched_for_and_the_page_says_so() {
    for (lang, q, says) in [
        ("en", "🚜", "Nothing was searched for"),
        ("en", "\"\"", "Nothing was searched for"),
        ("fr", "🚜", "Rien n’a été cherché"),
    ] {
        let page = SERVER.html(&format!("/{lang}/search?kind=contract&q={}", encode(q)), 200);
        assert!(page.contains(says), "{q}: {page}");
        assert!(!page.contains("search-meanings"), "{q}");
        assert!(
            between(&page, "<h1>", "</h1>")
                .iter()
                .all(|heading| !heading.contains('🚜')),
            "{q}"
        );
        let marked = between(&page, "<span class=\"search-chip\">", "</li>");
        assert!(
            marked[0].contains("<small>"),
            "the condition does not hold: {}",
            marked[0]
        );
    }
    assert!(
        !SERVER
            .html("/en/search?kind=contract&q=snow", 200)
            .contains("Nothing was searched for")
    );
    assert!(
        !SERVER
            .html("/en/search?kind=contract", 200)
            .contains("Nothing was searched for")
    );
}

#[test]
fn a_name_that_does_not_exist_leads_to_names_with_its_rare_words() {
    let first = |path: &str| {
        let page = SERVER.get(path);
        let page = page.text();
        page.split("<main").nth(1).unwrap().to_owned()
    };
    let montreal = first(&format!("/en/department/{}", encode("Montréal")));
    for name in ["Ville de Montréal", "Société de transport de Montréal"] {
        assert!(montreal.contains(name), "{montreal}");
    }
    assert!(first("/en/department/ISDE").contains("Innovation, Science"));
    let other = first(&format!(
        "/en/compare/supplier?of=CGI%20Inc.&of={}",
        encode("Pavage Beauregard Construction")
    ));
    assert!(other.contains("Pavages Beauregard"), "{other}");
}
