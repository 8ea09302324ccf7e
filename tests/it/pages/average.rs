//! The average and the median of values: of which records they are, and where they are left out; and that one record
//! has most of a total.

use std::sync::LazyLock;

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use super::html::assert_shows;
use crate::support::TestServer;

/// Contracts of three subjects: one with few values, one with doubtful values only, and one with a very large one.
static SERVER: LazyLock<TestServer> = LazyLock::new(|| {
    let doubt = |value: f64, flag: &str| json!({"contract_value": value, "quality_flags": [flag]});
    let value = |value: f64| json!({"contract_value": value});
    let studies = [
        json!({}),
        json!({}),
        json!({}),
        value(5175.0),
        doubt(0.54, "implausible_value"),
    ];
    let oil = [1.0, 1.0, 0.01, 1.0].map(|value| doubt(value, "placeholder_value"));
    let buses = [
        value(100.0),
        doubt(900.0, "no_vendor"),
        value(300.0),
        value(200.0),
        doubt(719e6, "implausible_value"),
    ];
    // No flag doubts a value.
    let paving = [value(100.0), doubt(900.0, "no_vendor"), value(200.0)];
    // One record has 83% of the value.
    let bridges = [value(8300.0), value(1000.0), value(700.0), json!({})];
    let subjects: [(&str, &str, &str, &[Value]); 5] = [
        ("Study", "Studies", "laval", &studies),
        ("Heating oil", "Heating", "levis", &oil),
        ("Buses", "Transit", "montreal", &buses),
        ("Paving", "Roads", "toronto", &paving),
        ("Bridges", "Works", "ottawa", &bridges),
    ];
    let record = |(number, (title, buyer, place, fields)): (usize, (&str, &str, &str, &Value))| {
        let mut record = json!({
            "record_id": format!("r{number}"), "award_date": format!("202{}-01-01", number % 5), "department_en": buyer,
            "municipality": place, "title_en": title, "vendor_name": "Acme",
        });
        let fields = fields.as_object().unwrap().clone();
        record.as_object_mut().unwrap().extend(fields);
        match title {
            "Paving" => record["unspsc"] = json!("72101605"),
            "Bridges" => record["unspsc"] = json!("72141110"),
            _ => {}
        }
        (EntityType::Contract, record.to_string())
    };
    let all = subjects.iter().flat_map(|(title, buyer, place, all)| {
        let of_subject = all.iter();
        of_subject.map(move |fields| (*title, *buyer, *place, fields))
    });
    TestServer::own(&all.enumerate().map(record).collect::<Vec<_>>(), |_| {})
});

#[test]
fn values_in_doubt_make_no_average() {
    for (query, worth, average) in [
        (
            "q=study",
            "5 contracts worth $5,176",
            "Without the records in doubt, only 1 value is left: no average.",
        ),
        (
            "q=heating+oil",
            "4 contracts worth $3",
            "Without the records in doubt, no value is left: no average.",
        ),
        // The total keeps the large value; the record without a supplier is not in doubt for its value, but the search
        // to which the note leads lacks it, too.
        (
            "q=buses",
            "5 contracts worth $719 million",
            "Without the records in doubt: average value $200, median $200, of 3 published values.",
        ),
        (
            "kind=contract&department=transit",
            "5 contracts worth $719 million",
            "Without the records in doubt: average value $200, median $200, of 3 published values.",
        ),
        // The search to which the note leads has the same figures.
        (
            "q=buses&quality_flag=none",
            "3 contracts worth $600",
            "Average value: $200. Median: $200, of 3 published values.",
        ),
    ] {
        let html = SERVER.html(&format!("/en/search?{query}"), 200);
        assert_shows(&html, &[worth, average]);
        assert_eq!(html.matches("verage").count(), 1, "{query}: {html}");
    }
    let html = SERVER.html("/fr/search?q=study", 200);
    let few = "Sans les fiches douteuses, il ne reste que 1 valeur : pas de moyenne.";
    assert_shows(&html, &[few]);
}

#[test]
fn a_place_and_a_commodity_have_a_median_next_to_the_average() {
    for path in [
        "search?kind=contract&municipality=toronto",
        "search?kind=contract&commodity=unspsc%3A72101605",
        "commodity/72101605",
        "commodity/7210?kind=contract",
    ] {
        let html = SERVER.html(&format!("/en/{path}"), 200);
        assert_shows(&html, &["Average value: $400. Median: $200, of 3 published values."]);
        let html = SERVER.html(&format!("/fr/{path}"), 200);
        assert_shows(
            &html,
            &["Valeur moyenne : 400 $. Médiane : 200 $, sur 3 valeurs publiées."],
        );
    }
    // A single record is its own average.
    let html = SERVER.html("/en/search?kind=contract&municipality=toronto&value_min=500", 200);
    assert!(!html.contains("verage"), "{html}");
}

#[test]
fn one_record_with_most_of_a_total_is_stated_with_a_link_to_it() {
    let sentence = "One record has $8,300 of this value (83%): “Bridges”, Acme.";
    for (path, link) in [
        ("search?kind=contract&q=bridges", "kind=contract&#38;q=bridges"),
        (
            "search?kind=contract&municipality=ottawa",
            "kind=contract&#38;municipality=ottawa",
        ),
        // An answer to the words.
        (
            "search?q=bridges+ottawa",
            "kind=contract&#38;q=bridges&#38;municipality=ottawa",
        ),
        ("commodity/72141110", "kind=contract&#38;commodity=unspsc%3A72141110"),
    ] {
        let html = SERVER.html(&format!("/en/{path}"), 200);
        assert_shows(&html, &[sentence, "Average value: $3,333."]);
        assert_eq!(html.matches("One record has").count(), 1, "{path}: {html}");
        let link = format!("/en/search?{link}&#38;sort_by=value&#38;sort_order=desc\">Highest value first");
        assert!(html.contains(&link), "{path}: {link} in {html}");
        let html = SERVER.html(&format!("/fr/{path}"), 200);
        assert_shows(
            &html,
            &["Une seule fiche représente 8 300 $ de cette valeur (83 %) : « Bridges », Acme."],
        );
    }
    // The link shows the record first.
    let html = SERVER.html("/en/search?kind=contract&q=bridges&sort_by=value&sort_order=desc", 200);
    let place = |value: &str| html.rfind(value).unwrap();
    assert!(place("$8,300.00") < place("$1,000.00"), "{html}");
    // Where the note about the doubt states the share of the record, it is not stated twice.
    for query in ["q=paving", "q=buses", "q=study", "kind=contract&municipality=levis"] {
        let html = SERVER.html(&format!("/en/search?{query}"), 200);
        assert!(!html.contains("One record has"), "{query}: {html}");
    }
}
