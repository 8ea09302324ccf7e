//! Bids over HTTP, against brute force over the lines of the dump.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use procure::{
    catalog::{
        generation::GenerationStore,
        indexing::{self, IndexOptions},
    },
    model::entity_type::EntityType,
};
use serde_json::{Value, json};

use crate::{
    model::write_dumps,
    support::{Numbers, TestServer},
};

const CITIES: [&str; 3] = ["montreal", "laval", "gatineau"];
pub const BUYERS: [&str; 4] = [
    "Ville de Montréal",
    "Ville de Laval",
    "Société de transport",
    "Commission scolaire",
];
const TITLES: [&str; 5] = [
    "Travaux de pavage et d'asphalte",
    "Déneigement des rues",
    "Asphalte recyclé",
    "Fourniture de sel de déglaçage",
    "Road repairs, asphalt",
];
pub const BIDDERS: [&str; 7] = [
    "Pavages Un inc.",
    "PAVAGES UN INC",
    "Déneigement Deux",
    "Consortium Trois / Quatre",
    "Jean Tremblay",
    "L'Asphalte Cinq ltée",
    "<script>alert(1)</script>",
];
const METHODS: [(&str, &str, &str); 4] = [
    ("open", "open", "Public call for tenders"),
    ("invitation", "limited", "Call for tenders by invitation"),
    ("direct", "direct", "Contract by mutual agreement"),
    ("other", "", "Transport infrastructure contract"),
];

pub struct Collection {
    pub tenders: BTreeMap<String, Value>,
    pub notices: Vec<Value>,
}

/// 400 tenders, of which three in four list bidders.
pub fn collection() -> Collection {
    let mut numbers = Numbers(7);
    let (mut tenders, mut notices) = (BTreeMap::new(), Vec::new());
    for number in 0..400 {
        let id = format!("seao|{number:03}");
        let (procedure, code, method) = numbers.one(&METHODS);
        let mut tender = json!({
            "record_id": id, "title_fr": numbers.one(&TITLES), "buyer_name": numbers.one(&BUYERS),
            "municipality": numbers.one(&CITIES), "procurement_category": numbers.one(&["CNST", "GD", "SRV"]),
            "unspsc": numbers.one(&["72141107", "72141000", "30121600", "12161500"]),
            "procurement_method_en": method, "procurement_method": code,
            "solicitation_number": format!("S-{}", number / 2),
        });
        if numbers.below(20) > 0 {
            let day = format!(
                "20{:02}-{:02}-{:02}",
                9 + numbers.below(9),
                1 + numbers.below(12),
                1 + numbers.below(28)
            );
            tender["publication_date"] = json!(day);
        }
        tenders.insert(id.clone(), tender);
        if numbers.below(4) == 0 {
            continue;
        }
        let bids: Vec<Value> = (0..1 + numbers.below(5))
            .map(|_| {
                let mut bid = json!({"name": numbers.one(&BIDDERS), "won": numbers.below(3) == 0});
                if numbers.below(5) > 0 {
                    bid["amount"] = json!(1000.0 + numbers.below(50) as f64 * 25.5);
                }
                if let Some(unit) = numbers.one(&[None, Some("0"), Some("1"), Some("1"), Some("8"), Some("10")]) {
                    bid["unit"] = json!(unit);
                }
                for flag in ["admissible", "conforming"] {
                    if let Some(value) = numbers.one(&[None, Some(true), Some(true), Some(false)]) {
                        bid[flag] = json!(value);
                    }
                }
                bid
            })
            .collect();
        notices.push(json!({"record_id": id, "procedure": procedure, "notice_type": "3", "bids": bids}));
    }
    Collection { tenders, notices }
}

fn records(collection: &Collection) -> Vec<(EntityType, String)> {
    let tenders = collection.tenders.values();
    let tenders = tenders.map(|tender| (EntityType::Tender, tender.to_string()));
    let contracts = BUYERS.iter().enumerate().map(|(number, buyer)| {
        let contract = json!({
            "record_id": format!("c{number}"), "buyer_name": buyer, "vendor_name": BIDDERS[2],
            "contract_value": 1000.0, "award_date": "2012-05-06", "unspsc": "72141107",
        });
        (EntityType::Contract, contract.to_string())
    });
    tenders.chain(contracts).collect()
}

pub fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| {
        let collection = collection();
        let server = TestServer::own(&records(&collection), |_| {});
        let id = server.publish_with_bids(&records(&collection), &collection.notices);
        server.wait_until("the bids are served", || {
            server.get("/health").json()["generation"] == json!(id) || server.get("/bids").json()["count"] != json!(0)
        });
        server
    });
    &SERVER
}

pub fn get(path: &str) -> Value {
    server().json(path)
}

/// All results of a search, by its cursors.
fn all(path: &str, limit: usize) -> Vec<Value> {
    let joined = if path.contains('?') { '&' } else { '?' };
    let mut next = format!("{path}{joined}limit={limit}");
    let mut found = Vec::new();
    loop {
        let page = get(&next);
        let results = page["results"].as_array().unwrap();
        assert_eq!(page["count"], json!(results.len()));
        found.extend(results.iter().cloned());
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("{path}{joined}limit={limit}&cursor={cursor}"),
            None => return found,
        }
    }
}

/// What identifies a bid in these tests.
fn brief(record_id: &Value, bid: &Value) -> String {
    json!([record_id, bid["name"], bid["amount"], bid["won"], bid["unit"]]).to_string()
}

/// As names are compared: case and punctuation do not count.
pub fn fold(name: &str) -> String {
    let name = name.to_lowercase().replace(['é', 'è'], "e");
    let words: Vec<&str> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// The bids of a notice, each once: not a row with the bidder, amount, unit and result of an earlier one.
fn distinct_bids(notice: &Value) -> Vec<&Value> {
    let unit = |bid: &Value| match bid["unit"].as_str() {
        None | Some("0" | "1") => "dollars".to_owned(),
        Some(code) => code.to_owned(),
    };
    let mut known = BTreeSet::new();
    let bids = notice["bids"].as_array().unwrap().iter();
    let key = |bid: &Value| {
        json!([
            fold(bid["name"].as_str().unwrap()),
            bid["amount"],
            unit(bid),
            bid["won"]
        ])
    };
    bids.filter(|bid| known.insert(key(bid).to_string())).collect()
}

/// Whether a bidder has several bids that differ in amount, unit or result.
pub fn has_lots(notice: &Value) -> bool {
    let bids = distinct_bids(notice);
    let names: BTreeSet<String> = bids.iter().map(|bid| fold(bid["name"].as_str().unwrap())).collect();
    names.len() < bids.len()
}

/// Whether the flags of losers count: not if a winner has both flags, and each of two or more losers has neither.
pub fn states_losers(notice: &Value) -> bool {
    let bids = notice["bids"].as_array().unwrap();
    let both = |bid: &Value, value: bool| ["admissible", "conforming"].map(|flag| bid[flag] == json!(value));
    let (winners, losers): (Vec<&Value>, Vec<&Value>) = bids.iter().partition(|bid| bid["won"] == json!(true));
    let names: BTreeSet<String> = losers.iter().map(|bid| fold(bid["name"].as_str().unwrap())).collect();
    let stated = |flag: usize| winners.iter().any(|bid| both(bid, true)[flag]);
    !(stated(0) && stated(1) && names.len() >= 2 && losers.iter().all(|bid| both(bid, false) == [true, true]))
}

pub fn is_dollars(bid: &Value) -> bool {
    matches!(bid["unit"].as_str(), None | Some("0" | "1")) && bid["amount"].is_number()
}

/// What a search is about, its parameters, and whether a bid belongs to the answer.
type Case = (String, String, fn(&Value) -> bool);

#[test]
fn every_filter_finds_the_bids_of_the_tenders_that_a_search_finds() {
    let collection = collection();
    let any: fn(&Value) -> bool = |_| true;
    let of_notice = |query: &str| query.to_owned();
    let cases: Vec<Case> = vec![
        (String::new(), String::new(), any),
        ("department=laval".to_owned(), of_notice("department=laval"), any),
        (
            "municipality=montreal".to_owned(),
            of_notice("municipality=montreal"),
            any,
        ),
        ("category=CNST".to_owned(), of_notice("category=CNST"), any),
        ("commodity=7214".to_owned(), of_notice("commodity=7214"), any),
        ("commodity=72141107".to_owned(), of_notice("commodity=72141107"), any),
        (
            "method=public%20call".to_owned(),
            of_notice("procurement_method=public%20call"),
            any,
        ),
        ("q=asphalte".to_owned(), of_notice("q=asphalte"), any),
        (
            "q=asphaltes%20-pavage".to_owned(),
            of_notice("q=asphaltes%20-pavage"),
            any,
        ),
        (
            "q=sel%20OR%20asphalt".to_owned(),
            of_notice("q=sel%20OR%20asphalt"),
            any,
        ),
        (
            "q=%22sel%20de%20deglacage%22".to_owned(),
            of_notice("q=%22sel%20de%20deglacage%22"),
            any,
        ),
        ("q=montreal".to_owned(), of_notice("q=montreal"), any),
        (
            "q=salt%20OR%20asphalt&translate=true".to_owned(),
            of_notice("q=salt%20OR%20asphalt&translate=true"),
            any,
        ),
        (
            "q=asphalt%20-pavage&match_codes=true".to_owned(),
            of_notice("q=asphalt%20-pavage&match_codes=true"),
            any,
        ),
        (
            "issued_after=2012-03-01&issued_before=2014-06-30".to_owned(),
            of_notice("issued_after=2012-03-01&issued_before=2014-06-30"),
            any,
        ),
        ("won=true".to_owned(), String::new(), |bid| bid["won"] == json!(true)),
        ("won=false".to_owned(), String::new(), |bid| bid["won"] == json!(false)),
        ("amount_min=1500".to_owned(), String::new(), |bid| {
            is_dollars(bid) && bid["amount"].as_f64().unwrap() >= 1500.0
        }),
        ("amount_min=1100&amount_max=1500".to_owned(), String::new(), |bid| {
            is_dollars(bid) && (1100.0..=1500.0).contains(&bid["amount"].as_f64().unwrap())
        }),
        ("vendor=pavages%20un".to_owned(), String::new(), |bid| {
            bid["name"].as_str().unwrap().to_lowercase().contains("pavages un")
        }),
        ("vendor=TREMBLAY".to_owned(), String::new(), |bid| {
            bid["name"] == json!("Jean Tremblay")
        }),
        (
            "vendor=deux&won=true&municipality=laval&q=neige%20OR%20asphalte&amount_max=1800".to_owned(),
            of_notice("municipality=laval&q=neige%20OR%20asphalte"),
            |bid| {
                bid["name"] == json!("Déneigement Deux")
                    && bid["won"] == json!(true)
                    && is_dollars(bid)
                    && bid["amount"].as_f64().unwrap() <= 1800.0
            },
        ),
    ];
    for (query, of_tender, passes) in cases {
        let tenders = all(&format!("/tender?{of_tender}"), 500);
        let order: Vec<&Value> = tenders.iter().map(|tender| &tender["record_id"]).collect();
        let mut expected: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let mut count = 0;
        for notice in &collection.notices {
            let Some(place) = order.iter().position(|id| **id == notice["record_id"]) else {
                continue;
            };
            for bid in notice["bids"].as_array().unwrap().iter().filter(|bid| passes(bid)) {
                expected
                    .entry(place)
                    .or_default()
                    .insert(brief(&notice["record_id"], bid));
                count += 1;
            }
        }
        let found = all(&format!("/bids?{query}"), 37);
        assert_eq!(found.len(), count, "{query}");
        assert!(query.contains("vendor=deux") || count > 0, "{query} finds nothing");
        let places: Vec<usize> = found
            .iter()
            .map(|bid| order.iter().position(|id| **id == bid["record_id"]).unwrap())
            .collect();
        assert!(places.is_sorted(), "{query}: in the order of the tenders");
        let mut seen: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for (place, bid) in places.iter().zip(&found) {
            let code = &bid["unit_code"];
            let row = json!({"name": bid["vendor_name"], "amount": bid["amount"], "won": bid["won"], "unit": code});
            seen.entry(*place).or_default().insert(brief(&bid["record_id"], &row));
        }
        assert_eq!(seen, expected, "{query}");
        let total = get(&format!("/bids?{query}&include_total=true&limit=1"))["total"].clone();
        assert_eq!(total, json!(count), "{query}");
    }
}

#[test]
fn procedures_are_told_apart() {
    let collection = collection();
    for (procedure, ..) in METHODS {
        let of = |notice: &&Value| notice["procedure"] == json!(procedure);
        let bids = collection
            .notices
            .iter()
            .filter(of)
            .map(|notice| notice["bids"].as_array().unwrap().len());
        let found = all(&format!("/bids?method={procedure}"), 100);
        assert_eq!(found.len(), bids.sum::<usize>(), "{procedure}");
        assert!(found.iter().all(|bid| bid["procedure"] == json!(procedure)));
    }
}

#[test]
fn the_bids_of_a_tender_are_ordered_and_compared() {
    let collection = collection();
    for notice in &collection.notices {
        let id = notice["record_id"].as_str().unwrap();
        let found = get(&format!("/tender/{id}/bids").replace('|', "%7C"));
        let bids = notice["bids"].as_array().unwrap();
        assert_eq!((&found["record_id"], &found["count"]), (&json!(id), &json!(bids.len())));
        let rows = found["results"].as_array().unwrap();
        let flags = |name: &str| {
            bids.iter()
                .any(|bid| bid["won"] == json!(true) && bid[name] == json!(true))
        };
        let mut expected: Vec<String> = bids
            .iter()
            .map(|bid| {
                let is_stated = bid["won"] == json!(true) || states_losers(notice);
                let flag = |name: &str| {
                    if flags(name) && is_stated {
                        bid[name].clone()
                    } else {
                        Value::Null
                    }
                };
                json!([
                    bid["name"],
                    bid["amount"],
                    bid["unit"],
                    bid["won"],
                    flag("admissible"),
                    flag("conforming")
                ])
                .to_string()
            })
            .collect();
        let row = |row: &Value| {
            let stated = ["vendor_name", "amount", "unit_code", "won", "admissible", "conforming"];
            json!(stated.map(|name| row[name].clone())).to_string()
        };
        let mut seen: Vec<String> = rows.iter().map(row).collect();
        expected.sort();
        seen.sort();
        assert_eq!(seen, expected, "{id}");
        let in_dollars = rows.iter().filter(|row| row["unit"] == json!("dollars"));
        let stated: Vec<(&Value, f64)> = in_dollars
            .filter_map(|row| Some((row, row["amount"].as_f64()?)))
            .collect();
        assert!(stated.is_sorted_by_key(|(_, amount)| amount), "{id}: {stated:?}");
        let mut known = BTreeSet::new();
        let first = stated
            .iter()
            .filter(|(row, _)| known.insert(fold(row["vendor_name"].as_str().unwrap())));
        let amounts: Vec<f64> = first.map(|(_, amount)| *amount).collect();
        assert_eq!(found["has_lots"], json!(has_lots(notice)), "{id}");
        // Amounts of lots are not compared.
        let amounts = if has_lots(notice) { Vec::new() } else { amounts };
        assert_eq!(found["lowest"].as_f64(), amounts.first().copied(), "{id}");
        assert_eq!(found["second_lowest"].as_f64(), amounts.get(1).copied(), "{id}");
        let close = |stated: &Value, expected: f64| (stated.as_f64().unwrap() - expected).abs() < 1e-5;
        if amounts.len() > 1 {
            let mean = amounts.iter().sum::<f64>() / amounts.len() as f64;
            let variance = amounts.iter().map(|amount| (amount - mean).powi(2)).sum::<f64>() / amounts.len() as f64;
            assert!(
                close(&found["spread"], (amounts[amounts.len() - 1] - amounts[0]) / amounts[0]),
                "{id}"
            );
            assert!(
                close(&found["coefficient_of_variation"], variance.sqrt() / mean),
                "{id}"
            );
        } else {
            assert!(
                found["spread"].is_null() && found["coefficient_of_variation"].is_null(),
                "{id}"
            );
        }
        for row in rows {
            let is_compared = !has_lots(notice) && row["unit"] == json!("dollars") && row["amount"].is_number();
            let above = |other: Option<f64>| Some(row["amount"].as_f64()? - other?).filter(|_| is_compared);
            let winner = stated.iter().find(|(row, _)| row["won"] == json!(true));
            let distances = [
                above(amounts.first().copied()),
                above(winner.map(|(_, amount)| *amount)),
            ];
            let found = ["distance_to_lowest", "distance_to_winner"].map(|name| row[name].as_f64());
            assert_eq!(found, distances, "{id}: {row}");
        }
    }
}

#[test]
fn a_bid_that_is_listed_twice_is_no_lot_and_not_its_own_second() {
    let bid = |name: &str, amount: f64, won: bool| json!({"name": name, "amount": amount, "unit": "1", "won": won});
    let tender = |id: &str| {
        (
            EntityType::Tender,
            json!({"record_id": id, "title_fr": "Pavage"}).to_string(),
        )
    };
    let records = [tender("repeated"), tender("lots")];
    let repeated = [
        bid("Un", 136_366.0, false),
        bid("UN", 136_366.0, false),
        bid("Deux", 146_982.0, true),
        bid("Trois", 150_000.0, false),
    ];
    let lots = [bid("Un", 10.0, true), bid("Un", 10.0, false), bid("Deux", 12.0, false)];
    let notices = [
        json!({"record_id": "repeated", "procedure": "open", "bids": repeated}),
        json!({"record_id": "lots", "procedure": "open", "bids": lots}),
    ];
    let server = TestServer::own(&records, |_| {});
    server.publish_with_bids(&records, &notices);
    let server = server.restart(|_| {});
    let of = |id: &str| {
        let found = server.json(&format!("/tender/{id}/bids"));
        let names = ["count", "bidders", "has_lots", "lowest", "second_lowest", "spread"];
        json!(names.map(|name| found[name].clone()))
    };
    assert_eq!(of("repeated"), json!([4, 3, false, 136_366.0, 146_982.0, 0.099981]));
    assert_eq!(of("lots"), json!([3, 2, true, null, null, null]));
    let rows = server.json("/bids")["results"].clone();
    let listed = server.json("/tender/lots/bids")["results"].clone();
    for row in rows.as_array().unwrap() {
        let has_lots = row["record_id"] == json!("lots");
        assert_eq!(row["has_lots"], json!(has_lots), "{row}");
        assert_eq!(row["distance_to_lowest"].is_null(), has_lots, "{row}");
    }
    for row in rows.as_array().unwrap().iter().chain(listed.as_array().unwrap()) {
        let is_null = |name: &str| row[name].is_null();
        assert!(
            row["record_id"] == json!("repeated") || is_null("distance_to_lowest") && is_null("distance_to_winner")
        );
    }
    let of_lots = server.json("/bids/pairs?a=Un&b=Deux")["results"].clone();
    let of_lots = of_lots
        .as_array()
        .unwrap()
        .iter()
        .find(|call| call["has_lots"] == json!(true));
    let amounts = of_lots.map(|call| (&call["amount_of_a"], &call["amount_of_b"]));
    assert_eq!(amounts, Some((&Value::Null, &Value::Null)));
    let lost = server.json("/vendor/Un?include=bids")["bids"]["lost_by"].clone();
    assert_eq!(
        (&lost["calls"], &lost["median_dollars"]),
        (&json!(1), &json!(-10_616.0))
    );
    let pair = server.json("/bids/pairs?a=Un&b=Trois");
    assert_eq!((&pair["a"]["lower"], &pair["calls"]), (&json!(1), &json!(1)));
    let found = server.json("/bids?include_statistics=true&include_total=true");
    let statistics = &found["statistics"];
    assert_eq!(statistics["competition"]["open_calls"]["median_bidders"], json!(2));
    // The row that repeats a bid is listed, and counts in no figure.
    let counted = ["bids", "bids_won", "bids_in_dollars", "total_amount"].map(|name| statistics[name].clone());
    assert_eq!(found["total"], json!(7));
    assert_eq!(json!(counted), json!([6, 2, 6, 433_380.0]));
}

#[test]
fn losers_that_are_all_flagged_0_were_not_rejected() {
    // The flags of each bid: `10` is admissible and not conforming. The first bid won.
    let cases = [
        (vec!["11", "00", "00"], vec!["11", "--", "--"]),
        (vec!["11", "00", "00", "00"], vec!["11", "--", "--", "--"]),
        (vec!["11", "00"], vec!["11", "00"]),
        (vec!["11", "00", "11"], vec!["11", "00", "11"]),
        (vec!["11", "00", "10"], vec!["11", "00", "10"]),
        (vec!["11", "10", "10"], vec!["11", "10", "10"]),
        (vec!["11", "00", "0-"], vec!["11", "00", "0-"]),
        (vec!["-1", "00", "00"], vec!["-1", "-0", "-0"]),
        (vec!["01", "00", "00"], vec!["-1", "-0", "-0"]),
        (vec!["00", "00", "00"], vec!["--", "--", "--"]),
    ];
    let flag = |bid: &str, at: usize| match &bid[at..=at] {
        "1" => json!(true),
        "0" => json!(false),
        _ => Value::Null,
    };
    let bids = |flags: &[&str]| -> Vec<Value> {
        let bid = |(number, of): (usize, &&str)| {
            let (won, amount) = (number == 0, 200 - number);
            json!({"name": format!("Bidder {number}"), "won": won, "amount": amount, "admissible": flag(of, 0), "conforming": flag(of, 1)})
        };
        flags.iter().enumerate().map(bid).collect()
    };
    let mut notices: Vec<Value> = cases
        .iter()
        .map(|(flags, _)| json!({"procedure": "open", "bids": bids(flags)}))
        .collect();
    // The rule holds for every procedure.
    notices.push(json!({"procedure": "invitation", "bids": bids(&["11", "00", "00"])}));
    // One loser that is listed twice.
    let mut twice = bids(&["11", "00"]);
    twice.push(twice[1].clone());
    notices.push(json!({"procedure": "open", "bids": twice}));
    for (number, notice) in notices.iter_mut().enumerate() {
        notice["record_id"] = json!(format!("t{number}"));
    }
    let tender = |notice: &Value| json!({"record_id": notice["record_id"], "title_fr": "Pavage"}).to_string();
    let records: Vec<_> = notices
        .iter()
        .map(|notice| (EntityType::Tender, tender(notice)))
        .collect();
    let server = TestServer::own(&records, |_| {});
    server.publish_with_bids(&records, &notices);
    let server = server.restart(|_| {});
    let expected = cases
        .into_iter()
        .map(|(_, expected)| expected)
        .chain([vec!["11", "--", "--"], vec!["11", "00", "00"]]);
    for (number, expected) in expected.enumerate() {
        let found = server.json(&format!("/tender/t{number}/bids"))["results"].clone();
        // By amount, so that the winner is the last.
        let mut rows: Vec<&Value> = found.as_array().unwrap().iter().collect();
        rows.reverse();
        let text = |flag: &Value| flag.as_bool().map_or("-", |flag| if flag { "1" } else { "0" });
        let seen = rows
            .iter()
            .map(|row| [text(&row["admissible"]), text(&row["conforming"])].concat());
        assert_eq!(seen.collect::<Vec<_>>(), expected, "t{number}: {}", notices[number]);
    }
    // Where the flags do not count, the price decided.
    let lost = server.json("/vendor/Bidder%202?include=bids")["bids"]["lost_by"].clone();
    assert_eq!(lost["calls"], json!(4));
}

#[test]
fn a_tender_without_bids_has_none_and_an_unknown_one_is_not_found() {
    let collection = collection();
    let has_bids: BTreeSet<&str> = collection
        .notices
        .iter()
        .map(|notice| notice["record_id"].as_str().unwrap())
        .collect();
    let without = collection
        .tenders
        .keys()
        .find(|id| !has_bids.contains(id.as_str()))
        .unwrap();
    let found = get(&format!("/tender/{}/bids", without.replace('|', "%7C")));
    assert_eq!((&found["count"], &found["results"]), (&json!(0), &json!([])));
    assert_eq!(found["procedure"], Value::Null);
    for (path, status, detail) in [
        (
            "/tender/nope/bids",
            404,
            "no tender record has the id 'nope'; pass the `record_id` of a search result unchanged",
        ),
        (
            "/contract/nope/bids",
            404,
            "no contract record has the id 'nope/bids'; pass the `record_id` of a search result unchanged",
        ),
        (
            "/tender/nope/bids?x=1",
            422,
            "unknown parameter 'x'; this endpoint accepts no parameters",
        ),
        (
            "/bids?vendors=acme",
            422,
            "unknown parameter 'vendors'; nearest is 'vendor'",
        ),
        ("/bids?vendor=a", 422, ""),
        ("/bids?municipality=atlantis", 422, ""),
        ("/bids?won=maybe", 422, ""),
        ("/bids?amount_min=x", 422, ""),
        ("/bids?amount_min=9&amount_max=1", 422, ""),
        ("/bids?facets=year,colour", 422, ""),
        ("/bids?limit=0", 422, ""),
        ("/bids?cursor=x", 422, ""),
    ] {
        let answer = server().get(path);
        assert_eq!(answer.status, status, "{path}: {}", answer.detail());
        let shown = answer.detail();
        assert!(
            detail.is_empty() && !shown.is_empty() || shown == detail,
            "{path}: {shown}"
        );
    }
    let cursor = get("/bids?limit=1&won=true")["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        server().get(&format!("/bids?cursor={cursor}")).status,
        400,
        "of another search"
    );
}

#[test]
fn the_facet_by_supplier_counts_what_the_filter_finds() {
    let found = get("/bids?facets=supplier,vendor&limit=1&include_total=true");
    let facet = &found["facets"]["supplier"];
    let rows = facet["values"].as_array().unwrap();
    assert_eq!(json!(rows.len()), facet["distinct"]);
    let count = |row: &Value| row["count"].as_u64().unwrap();
    assert_eq!(json!(rows.iter().map(count).sum::<u64>()), found["total"]);
    let spellings = found["facets"]["vendor"]["distinct"].as_u64().unwrap();
    assert_eq!(
        rows.iter().map(|row| row["names"].as_u64().unwrap()).sum::<u64>(),
        spellings
    );
    for row in rows {
        let id = row["value"].as_str().unwrap();
        if !id.starts_with("sup_") {
            // A bidder that the index knows by its bids alone.
            assert_eq!((&row["value"], &row["names"]), (&row["name"], &json!(1)));
            continue;
        }
        let of_supplier = get(&format!("/bids?supplier={id}&limit=1&include_total=true"));
        assert_eq!(of_supplier["total"], row["count"], "{row}");
        let supplier = server().get(&format!("/supplier/{id}")).json();
        assert_eq!(supplier["name"], row["name"]);
    }
}

#[test]
fn facets_and_statistics_count_all_matches() {
    let collection = collection();
    let found =
        get("/bids?facets=won,vendor,method,year,department,municipality,category&include_statistics=true&limit=1");
    let count = |facet: &str, value: &str| {
        let values = found["facets"][facet]["values"].as_array().unwrap();
        values
            .iter()
            .find(|share| share["value"] == json!(value))
            .map_or(0, |share| share["count"].as_u64().unwrap())
    };
    let bids: Vec<&Value> = collection
        .notices
        .iter()
        .flat_map(|notice| notice["bids"].as_array().unwrap())
        .collect();
    let number = |passes: &dyn Fn(&Value) -> bool| bids.iter().filter(|bid| passes(bid)).count() as u64;
    let won = number(&|bid| bid["won"] == json!(true));
    assert_eq!(
        (count("won", "true"), count("won", "false")),
        (won, bids.len() as u64 - won)
    );
    let pavages = number(&|bid| bid["name"].as_str().unwrap().to_lowercase().starts_with("pavages un"));
    assert_eq!(
        count("vendor", "Pavages Un inc.") + count("vendor", "PAVAGES UN INC"),
        pavages,
        "one bidder in two spellings"
    );
    assert_eq!(found["facets"]["vendor"]["distinct"], json!(6));
    let statistics = &found["statistics"];
    let distinct: Vec<&Value> = collection.notices.iter().flat_map(distinct_bids).collect();
    assert!(distinct.len() < bids.len(), "some rows repeat a bid");
    let won = distinct.iter().filter(|bid| bid["won"] == json!(true));
    assert_eq!(
        (&statistics["bids"], &statistics["bids_won"]),
        (&json!(distinct.len()), &json!(won.count()))
    );
    assert_eq!(statistics["notices"], json!(collection.notices.len()));
    let in_dollars: Vec<f64> = distinct
        .iter()
        .filter(|bid| is_dollars(bid))
        .filter_map(|bid| bid["amount"].as_f64())
        .collect();
    assert_eq!(statistics["bids_in_dollars"], json!(in_dollars.len()));
    assert_eq!(statistics["total_amount"], json!(in_dollars.iter().sum::<f64>()));
    let bidders = |notice: &Value| {
        let bids = notice["bids"].as_array().unwrap();
        bids.iter()
            .map(|bid| fold(bid["name"].as_str().unwrap()))
            .collect::<BTreeSet<_>>()
            .len()
    };
    for (member, procedure) in [("open_calls", "open"), ("invitations", "invitation")] {
        let of: Vec<&Value> = collection
            .notices
            .iter()
            .filter(|notice| notice["procedure"] == json!(procedure))
            .collect();
        let mut counts: Vec<usize> = of.iter().map(|notice| bidders(notice)).collect();
        counts.sort_unstable();
        let figures = &statistics["competition"][member];
        assert_eq!(figures["calls"], json!(of.len()), "{member}");
        assert_eq!(
            figures["median_bidders"],
            json!(counts[counts.len().div_ceil(2) - 1]),
            "{member}"
        );
        let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        assert!(
            (figures["mean_bidders"].as_f64().unwrap() - mean).abs() <= 0.005,
            "{member}: {mean}"
        );
        let single = counts.iter().filter(|count| **count == 1).count();
        assert_eq!(figures["calls_with_one_bidder"], json!(single), "{member}");
        let no_winner = |notice: &&&Value| {
            notice["bids"]
                .as_array()
                .unwrap()
                .iter()
                .all(|bid| bid["won"] == json!(false))
        };
        assert_eq!(
            figures["calls_without_winner"],
            json!(of.iter().filter(no_winner).count()),
            "{member}"
        );
    }
}

#[test]
fn placeholders_are_no_numbers_and_bids_on_unknown_notices_are_counted() {
    let placeholders = [
        "0123456789",
        "1234567890",
        "0012345678",
        "1012345678",
        "1212345678",
        "114270072",
    ];
    let names: Vec<String> = (0..placeholders.len())
        .map(|number| format!("Bidder {number} inc."))
        .collect();
    let mut records = vec![(
        EntityType::Tender,
        json!({"record_id": "seao|1", "title_fr": "Pavage"}).to_string(),
    )];
    records.extend(names.iter().enumerate().map(|(number, name)| {
        let contract = json!({"record_id": format!("c{number}"), "vendor_name": name, "vendor_id": "FO-1234567890"});
        (EntityType::Contract, contract.to_string())
    }));
    let mut bids: Vec<Value> = names
        .iter()
        .zip(placeholders)
        .map(|(name, number)| json!({"name": name, "number": number, "won": false}))
        .collect();
    bids.push(json!({"name": "Pavages Un inc.", "number": "1142700724", "won": true}));
    let notice = |id: &str| json!({"record_id": id, "procedure": "open", "bids": bids});

    let folder = tempfile::tempdir().unwrap();
    let dumps = folder.path().join("dumps");
    write_dumps(&dumps, &records);
    std::fs::create_dir_all(dumps.join("bids")).unwrap();
    let lines = format!("{}\n{}\n", notice("seao|1"), notice("seao|2"));
    std::fs::write(dumps.join("bids/model.ndjson"), lines).unwrap();
    let report = indexing::run(&IndexOptions {
        dumps,
        store: GenerationStore::Folder(folder.path().join("index")),
        memory_mb: 64,
        strict: true,
    })
    .unwrap();
    assert_eq!((report.bids.notices, report.bids.unknown), (1, 1));
    assert!(
        report
            .to_string()
            .contains("7 bids on 1 notices: 2 lines, 0 duplicates, 1 of notices that are no tenders"),
        "{report}"
    );

    let server = TestServer::own(&records, |_| {});
    server.publish_with_bids(&records, &[notice("seao|1"), notice("seao|2")]);
    let server = server.restart(|_| {});
    let listed = server.json("/tender/seao%7C1/bids");
    let numbers: Vec<&Value> = listed["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bid| &bid["vendor_id"])
        .collect();
    let mut expected = vec![Value::Null; placeholders.len()];
    expected.push(json!("FO-1142700724"));
    assert_eq!(numbers, expected.iter().collect::<Vec<_>>());
    assert_eq!(server.get("/tender/seao%7C2/bids").status, 404);
    assert_eq!(server.json("/bids?include_total=true")["total"], json!(bids.len()));
    let suppliers: BTreeSet<String> = names
        .iter()
        .map(|name| {
            server.json(&format!("/suppliers?name={}", name.replace(' ', "%20")))["results"][0]["id"].to_string()
        })
        .collect();
    assert_eq!(suppliers.len(), names.len(), "no placeholder joins two names");
}

#[test]
fn the_names_of_bidders_are_not_searched_as_text() {
    assert_eq!(get("/bids?q=tremblay")["count"], json!(0));
    assert!(get("/bids?vendor=tremblay")["count"].as_u64().unwrap() > 0);
}
