//! Answers about things: purchases of them count, names do not; what is in doubt is not first; and what else is asked
//! for is said.

use std::sync::LazyLock;

use procure::{http::encoding::encode, model::entity_type::EntityType};
use serde_json::{Value, json};

use super::html::{assert_shows, between, text};
use crate::support::TestServer;

static SERVER: LazyLock<TestServer> = LazyLock::new(|| {
    let contracts = [
        json!({"title_en": "Pumper fire truck", "vendor_name": "Dorval Emergency", "contract_value": 700.0}),
        json!({"title_en": "Rescue fire truck", "vendor_name": "Dorval Emergency", "contract_value": 300.0}),
        json!({"title_en": "Uniforms", "vendor_name": "Mercier Truck Tires", "department_en": "Fire Services",
            "contract_value": 50.0}),
        json!({"title_en": "Tires", "vendor_name": "Mercier Truck Tires", "department_en": "Fire Services",
            "contract_value": 60.0, "procurement_method": "direct"}),
        json!({"title_en": "Salt", "municipality": "montreal", "end_date": "2026-05-31"}),
        json!({"title_en": "Salt", "municipality": "montreal"}),
        json!({"title_en": "Typing error", "vendor_name": "Lacombe", "contract_value": 9e9,
            "quality_flags": ["implausible_value"]}),
    ];
    let contract = |(number, contract): (usize, Value)| {
        let mut record = json!({"record_id": format!("c{number}"), "municipality": "toronto", "buyer_name": "Toronto",
            "award_date": format!("20{}-03-04", 20 + number / 2), "procurement_method": "open"});
        record
            .as_object_mut()
            .unwrap()
            .extend(contract.as_object().unwrap().clone());
        (EntityType::Contract, record.to_string())
    };
    TestServer::own(
        &contracts.into_iter().enumerate().map(contract).collect::<Vec<_>>(),
        |_| {},
    )
});

/// The answer to a question.
fn answer(question: &str) -> String {
    let html = SERVER.html(&format!("/en/search?q={}", encode(question)), 200);
    let shown = between(&html, "<div role=\"status\">", "<section class=\"search-meanings\"");
    let shown = shown.first().unwrap_or_else(|| panic!("no answer: {}", text(&html)));
    (*shown).to_owned()
}

#[test]
fn a_word_in_the_name_of_a_firm_or_a_buyer_is_no_purchase() {
    let html = answer("who sells fire trucks in Toronto");
    let further = "With a word only in a name, of the supplier or the buyer, and not counted: 2 contracts.";
    assert_shows(
        &html,
        &[
            "2 contracts worth $1,000, 2020",
            further,
            "Dorval Emergency ($1,000, 2 contracts)",
        ],
    );
    assert!(!text(&html).contains("Mercier"), "{}", text(&html));
    // The links lead to what is counted, and to all.
    let links: Vec<String> = between(&html, "href=\"", "\"")
        .iter()
        .map(|href| href.replace("&#38;", "&"))
        .collect();
    assert!(links[0].contains("q_in=purchase"), "{links:?}");
    assert_shows(&SERVER.html(&links[0], 200), &["2 contracts worth $1,000"]);
    assert_shows(&SERVER.html(&links[1], 200), &["4 contracts worth $1,110"]);
    // A single word in the name of a firm says what it does.
    assert_shows(
        &answer("contracts for tires in Toronto in 2021"),
        &["2 contracts worth $110"],
    );
    // The words of a name count wherever they are.
    assert_shows(&answer("Mercier Truck Tires Toronto 2021"), &["2 contracts worth $110"]);
}

#[test]
fn a_value_in_doubt_is_not_the_highest_one() {
    let html = answer("largest contract in Toronto");
    assert_shows(
        &html,
        &["5 contracts worth $9 billion ($1,110 without the records in doubt)"],
    );
    let order = "Highest value first, without the records in doubt ( all 5 )";
    assert_shows(&html, &[order]);
    let shown = text(&html);
    assert!(
        shown.contains("Pumper fire truck") && !shown.contains("Typing error"),
        "{shown}"
    );
}

#[test]
fn the_contracts_that_end_come_without_those_that_state_no_end() {
    let html = answer("when does the salt contract in Montreal end");
    assert_eq!(html.matches("<li class=\"search-hit\"").count(), 1, "{html}");
    assert_shows(&html, &["Latest end first"]);
}

#[test]
fn what_else_is_asked_for_is_said_after_the_total() {
    for (question, sentence) in [
        (
            "what share of contracts in Toronto is without competition",
            "Share: 1 of 5, 20%",
        ),
        (
            "when does the fire truck contract in Toronto end",
            "None of the 2 contracts that match the other conditions has a last day.",
        ),
        (
            "Toronto contracts by year",
            "By year Year Contracts Value Without the records in doubt 2020 2 $1,000.00",
        ),
    ] {
        assert_shows(&answer(question), &[sentence]);
    }
}
