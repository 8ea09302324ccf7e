//! The answers of a page of results to words that ask for something else than words.

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use super::html::{between, text};
use crate::support::{TestServer, merged};

fn record(of: EntityType, id: &str, fields: Value) -> (EntityType, String) {
    let record = json!({"record_id": id, "municipality": "toronto", "fetched_at": "2024-06-01T00:00:00Z"});
    (of, merged(record, &fields).to_string())
}

fn contract(number: usize, fields: Value) -> (EntityType, String) {
    let record_of = json!({"award_date": format!("2023-01-{:02}", number % 28 + 1), "buyer_name": "City works",
        "contract_value": 1000 * number, "vendor_name": "Acme inc."});
    record(EntityType::Contract, &format!("c{number}"), merged(record_of, &fields))
}

/// The answer of a page, or the whole page without one.
fn answer(server: &TestServer, address: &str) -> String {
    let html = server.html(address, 200);
    let main = between(&html, "<main", "</main>")[0];
    let answer = between(main, "<div role=\"status\">", "<section").into_iter().next();
    answer.unwrap_or(main).replace("&#38;", "&")
}

#[track_caller]
fn assert_answers(server: &TestServer, address: &str, parts: &[&str]) {
    let html = answer(server, address);
    for part in parts {
        assert!(
            html.contains(part) || text(&html).contains(part),
            "{address}: {part}: {html}"
        );
    }
}

#[test]
fn firms_of_a_country_are_those_whose_country_is_stated() {
    let of = |number, country: &str| {
        let fields =
            json!({"title_en": "Software", "vendor_name": format!("Firm {number}"), "vendor_country": country});
        contract(number, fields)
    };
    let records = [of(1, "CA"), of(2, "US"), of(3, "US"), of(4, "FR"), of(5, "")];
    let server = TestServer::own(&records, |_| {});
    assert_answers(
        &server,
        "/en/search?q=software+from+American+companies",
        &[
            "/en/search?kind=contract&q=software&vendor_country=US\"",
            "software, suppliers’ country: United States of America",
            "2 contracts worth $5,000",
            "Supplier’s country stated: 4 of the 5 contracts that match the other conditions. The rest is not counted.",
        ],
    );
    assert_answers(
        &server,
        "/fr/search?q=logiciel+fournisseurs+étrangers",
        &[
            "vendor_country=abroad\"",
            "fournisseurs à l’étranger",
            "3 contrats d’une valeur de 9 000 $",
        ],
    );
    // A share of what states no country would be too small.
    let html = server.html(
        "/en/search?q=what+share+of+software+contracts+goes+to+foreign+suppliers",
        200,
    );
    assert!(text(&html).contains("Share: 3 of 4, 75%"), "{html}");
}

#[test]
fn an_answer_shows_its_first_records_in_the_order_that_is_asked_for() {
    let of = |number, title: &str, end: &str| contract(number, json!({"title_en": title, "end_date": end}));
    let records = [
        of(1, "Paving of yards", "2024-01-31"),
        of(2, "Paving of lanes", "2026-01-31"),
        of(3, "Paving of roads", "2025-01-31"),
        of(4, "Paving of squares", "2023-01-31"),
    ];
    let server = TestServer::own(&records, |_| {});
    let titles = |address: &str| -> Vec<String> {
        let html = answer(&server, address);
        let titles = between(&html, "<h3>", "</h3>");
        titles
            .into_iter()
            .map(|title| text(title).replace(" en anglais", ""))
            .collect()
    };
    let largest = "/en/search?q=largest+paving+contract+in+Toronto";
    assert_eq!(
        titles(largest),
        ["Paving of squares", "Paving of roads", "Paving of lanes"]
    );
    assert_answers(&server, largest, &["Highest value first", "all 4"]);
    let newest = "/fr/search?q=derniers+contrats+de+Toronto";
    assert_eq!(titles(newest)[0], "Paving of squares");
    assert_answers(&server, newest, &["&sort_by=date\""]);
    let ends = "/en/search?q=when+does+the+Acme+paving+contract+end";
    assert_eq!(titles(ends)[0], "Paving of lanes", "the latest end first");
    assert_answers(&server, "/en/search?q=new+contracts+Toronto", &["Newest first"]);
}

#[test]
fn conditions_without_a_record_are_an_answer_and_other_spellings_are_searched_for_everywhere() {
    let tender = |number: usize, fields: Value| {
        let days = json!({"publication_date": "2020-01-01", "closing_date": "2020-02-01", "title_en": "Catering"});
        record(EntityType::Tender, &format!("t{number}"), merged(days, &fields))
    };
    let elevator = |number| contract(number, json!({"title_fr": "Entretien d'ascenseurs"}));
    let disclosed = json!({"description_en": "Software licences", "contract_value": 5, "award_date": "2023-01-01"});
    let records: Vec<_> = (1..=20)
        .map(elevator)
        .chain((31..=42).map(|number| contract(number, json!({"title_fr": "Achat de bois"}))))
        .chain([
            contract(21, json!({"title_fr": "Entretien d'ascenceurs"})),
            contract(22, json!({"title_en": "Works", "vendor_name": "BGIS Global inc."})),
            tender(1, json!({})),
            record(
                EntityType::Disclosure,
                "d1",
                merged(
                    disclosed,
                    &json!({"municipality": "federal", "government_level": "federal"}),
                ),
            ),
        ])
        .collect();
    let server = TestServer::own(&records, |_| {});
    assert_answers(
        &server,
        "/en/search?q=catering+tenders+open+now",
        &["catering, open for bids today", "0 tenders"],
    );
    // A publisher made the same mistake.
    assert_answers(
        &server,
        "/fr/search?q=entretien+d%27ascenceurs+contrats",
        &["entretien d'ascenseurs", "20 contrats"],
    );
    let html = server.html("/fr/search?q=entretien+d%27ascenceurs+contrats", 200);
    assert!(
        text(&html).contains("à la place de « ascenceurs », que peu de fiches ont"),
        "{html}"
    );
    assert_answers(
        &server,
        "/en/search?q=tenders+for+catering+open",
        &["catering, open for bids today", "0 tenders"],
    );
    let html = answer(&server, "/en/search?q=BGIS+contracts");
    assert!(
        !html.contains("q=bois") && html.contains("BGIS"),
        "a short name is no misspelling: {html}"
    );
    assert_answers(
        &server,
        "/en/search?q=which+federal+department+buys+the+most+sofware",
        &["/en/search?kind=disclosure&q=software&level=federal\""],
    );
}

#[test]
fn the_word_that_is_left_out_is_the_one_that_says_least() {
    let records: Vec<_> = (1..=9)
        .map(|number| contract(number, json!({"title_en": "Removal of furniture"})))
        .chain([contract(10, json!({"title_en": "Snow clearing"}))])
        .collect();
    let server = TestServer::own(&records, |_| {});
    let html = server.html("/en/search?q=snow+removal&translate=false", 200);
    assert!(html.contains("Without “removal”"), "{html}");
    assert!(!html.contains("Without “snow”"), "{html}");
}

#[test]
fn the_parts_of_a_body_are_ranked_where_they_are_asked_for() {
    let of = |number, division: &str| {
        let buyer = json!({"title_en": "Salt", "department_en": "City of Toronto", "buyer_name": division});
        contract(number, buyer)
    };
    let records = [of(1, "Toronto Water"), of(2, "Toronto Water"), of(9, "Fire Services")];
    let server = TestServer::own(&records, |_| {});
    let shown = text(&answer(&server, "/en/search?q=which+Toronto+division+spends+the+most"));
    let ranked = "Fire Services ($9,000, 1 contract), Toronto Water ($3,000, 2 contracts)";
    assert!(shown.contains(ranked), "{shown}");
    let whole = text(&answer(&server, "/en/search?q=who+buys+salt+in+Toronto"));
    assert!(whole.contains("City of Toronto ($12,000, 3 contracts)"), "{whole}");
}

#[test]
fn an_answer_says_what_it_cannot_state() {
    let of = |number, day: &str| {
        let fields = json!({"title_en": "Fire truck", "department_en": "Ville de Laval", "award_date": day});
        contract(number, fields)
    };
    let other =
        json!({"title_en": "Fire truck", "award_date": "2018-01-01", "contract_value": 70, "vendor_name": "Acme"});
    let records = [
        of(1, "2017-01-01"),
        of(2, "2018-01-01"),
        record(EntityType::Award, "a1", other),
    ];
    let server = TestServer::own(&records, |_| {});
    for (address, parts) in [
        (
            "/en/search?q=how+much+is+a+fire+truck",
            &["Prices of single pieces are not published"][..],
        ),
        (
            "/en/search?q=price+of+a+fire+truck",
            &["Prices of single pieces are not published"],
        ),
        (
            "/fr/search?q=combien+coûte+un+camion+d'incendie",
            &["Les prix à la pièce ne sont pas publiés"],
        ),
        (
            "/en/search?q=Ville+de+Laval+2009",
            &["In all years, the same search finds 2 contracts, of 2017–2018."],
        ),
        (
            "/en/search?q=fire+truck+contracts+2018",
            &[
                "Not counted here, under the same conditions:",
                "1 award notice worth $70",
            ],
        ),
    ] {
        assert_answers(&server, address, parts);
    }
    for text_of in [
        "who+sells+fire+trucks",
        "how+much+do+cities+pay+for+fire+trucks",
        "how+much+does+a+fire+truck+contract+cost",
    ] {
        let unpriced = answer(&server, &format!("/en/search?q={text_of}"));
        assert!(!text(&unpriced).contains("single pieces"), "{text_of}: {unpriced}");
    }
}

#[test]
fn a_city_without_purchases_is_no_word_of_an_answer() {
    let records = [contract(
        1,
        json!({"title_en": "Salt", "vendor_name": "City Salt of Hamilton"}),
    )];
    let server = TestServer::own(&records, |_| {});
    let html = server.html("/en/search?q=contracts+by+City+of+Hamilton+2023", 200);
    let shown = text(&html);
    assert!(
        shown.contains("If Hamilton is meant as the buyer or the place"),
        "{shown}"
    );
    assert!(!html.contains("<div role=\"status\">"), "{shown}");
}

#[test]
fn contracts_that_grew_the_most_are_in_the_order_of_their_increase() {
    let of = |number: usize, title: &str, before: f64, now: f64| {
        let values =
            json!({"description_en": title, "original_value": before, "contract_value": now, "amendment_number": "1"});
        record(
            EntityType::Disclosure,
            &format!("d{number}"),
            merged(values, &json!({"award_date": "2023-01-01", "vendor_name": "Acme inc."})),
        )
    };
    let records = [
        of(1, "Large", 900.0, 1_000.0),
        of(2, "Risen", 100.0, 800.0),
        of(3, "Fallen", 5_000.0, 600.0),
        of(4, "Doubled", 200.0, 400.0),
    ];
    let server = TestServer::own(&records, |_| {});
    for address in [
        "/en/search?q=which+contracts+grew+the+most",
        "/en/search?q=which+federal+disclosed+contracts+were+amended+the+most",
        "/fr/search?q=contrats+qui+ont+le+plus+augmenté",
        "/fr/search?q=contrats+terminés+qui+ont+coûté+plus+cher+que+prévu",
        "/fr/search?q=dépassements+de+coûts",
    ] {
        let html = answer(&server, address);
        let titles: Vec<String> = between(&html, "<h3>", "</h3>")
            .into_iter()
            .map(|title| text(title).replace(" en anglais", ""))
            .collect();
        assert_eq!(titles, ["Risen", "Doubled", "Large"], "{address}: {html}");
    }
    let page = "/en/search?q=which+contracts+grew+the+most";
    assert_answers(&server, page, &["Largest increase first", "Before amendments $100.00"]);
}

#[test]
fn what_a_city_did_not_buy_is_not_what_its_firms_sold() {
    let records = [
        contract(
            1,
            json!({"title_en": "Paving", "municipality": "gatineau", "department_en": "Ville de Gatineau"}),
        ),
        contract(2, json!({"title_en": "Salt", "vendor_city": "Gatineau"})),
    ];
    let server = TestServer::own(&records, |_| {});
    let address = "/en/search?q=salt+Gatineau";
    assert_answers(&server, address, &["salt, Gatineau", "0 contracts"]);
    let offered = server.html(address, 200);
    assert!(text(&offered).contains("To suppliers of that city"), "{offered}");
}

#[test]
fn years_with_doubtful_values_have_their_sums_without_them() {
    let of = |number, year: i32, value: f64, flags: Value| {
        let fields = json!({"title_en": "Paving", "contract_value": value, "quality_flags": flags,
            "award_date": format!("{year}-03-01")});
        contract(number, fields)
    };
    let records = [
        of(1, 2018, 9e8, json!(["implausible_value"])),
        of(2, 2018, 1_000.0, json!([])),
        of(3, 2019, 5_000.0, json!([])),
    ];
    let server = TestServer::own(&records, |_| {});
    let shown = text(&answer(&server, "/en/search?q=Toronto+paving+2018+to+2019"));
    for row in [
        "Without the records in doubt",
        "2018 2 $900,001,000.00 $1,000.00",
        "2019 (no source covers this year) 1 $5,000.00 $5,000.00",
    ] {
        assert!(shown.contains(row), "{row}: {shown}");
    }
}

#[test]
fn a_thing_with_a_word_for_contracts_is_answered_with_all_contracts_for_it() {
    let records = [
        contract(1, json!({"title_en": "Landscaping of a park"})),
        contract(2, json!({"title_en": "Landscaping contracts for parks"})),
        contract(3, json!({"title_en": "Salt"})),
    ];
    let server = TestServer::own(&records, |_| {});
    for question in ["landscaping+contracts", "landscaping+total+contracts"] {
        let address = format!("/en/search?q={question}");
        assert_answers(&server, &address, &["landscaping", "2 contracts worth $3,000"]);
    }
}

#[test]
fn the_number_of_bids_that_federal_records_state_is_an_answer() {
    let disclosure = |number: usize| {
        let fields = json!({"government_level": "federal", "award_date": "2023-01-02", "contract_value": 10,
            "department_en": "Parks Canada", "number_of_bids": (number > 0).then(|| number.to_string())});
        record(EntityType::Disclosure, &format!("d{number}"), fields)
    };
    let records = [0, 1, 2, 3, 8].map(disclosure);
    let server = TestServer::own(&records, |_| {});
    let html = text(&server.html("/en/search?q=average+number+of+bids+for+federal+contracts", 200));
    let shown = "Number of bids: federal 4 of these 5 disclosed federal contracts have a number of bids: \
        the median is 2, the average 3.5. With one bid: 1 (25%).";
    assert!(html.contains(shown), "{html}");
    let html = text(&server.html("/en/search?q=federal+contracts+with+only+one+bid", 200));
    assert!(html.contains("With one bid: 1 (25%)."), "{html}");
    let html = text(&server.html(
        "/fr/search?q=nombre+moyen+de+soumissions+pour+les+contrats+f%C3%A9d%C3%A9raux",
        200,
    ));
    assert!(html.contains("la médiane est de 2, la moyenne de 3,5"), "{html}");
}

#[test]
fn each_year_says_how_many_records_have_none() {
    let mut records: Vec<_> = (1..40)
        .map(|number| {
            contract(
                number,
                json!({"title_en": "Salt", "municipality": "toronto",
            "award_date": format!("20{}-03-01", 20 + number % 2)}),
            )
        })
        .collect();
    records.push(contract(
        40,
        json!({"title_en": "Salt", "municipality": "toronto", "award_date": null}),
    ));
    let server = TestServer::own(&records, |_| {});
    let shown = text(&answer(&server, "/en/search?q=salt+in+Toronto+by+year"));
    assert!(
        shown.contains("Without a date: 1 of these 40 contracts. No year has them."),
        "{shown}"
    );
}

#[test]
fn records_in_doubt_before_the_highest_value_are_counted() {
    let of = |number: usize, value: f64, flags: Value| {
        contract(
            number,
            json!({"title_en": "Paving", "contract_value": value, "quality_flags": flags}),
        )
    };
    let records = [
        of(1, 9e8, json!(["implausible_value"])),
        of(2, 8e8, json!(["implausible_value"])),
        of(3, 5_000.0, json!([])),
        of(4, 1_000.0, json!(["implausible_value"])),
    ];
    let server = TestServer::own(&records, |_| {});
    let shown = text(&server.html("/en/search?q=largest+paving+contract", 200));
    let sentence = "$900,000,000.00, Acme inc., and one more with a higher value than the first here.";
    assert!(shown.contains(sentence), "{shown}");
}

#[test]
fn suppliers_of_a_city_are_firms_in_it_if_these_are_many_more() {
    let of = |number: usize, buyer: &str, place: &str| {
        let fields = json!({"title_en": "Salt", "vendor_city": "Gatineau", "buyer_name": buyer, "municipality": place});
        contract(number, fields)
    };
    let sold = (1..=6).map(|number| of(number, "Ministry of salt", "toronto"));
    let records: Vec<_> = sold.chain([of(7, "Ville de Gatineau", "gatineau")]).collect();
    let server = TestServer::own(&records, |_| {});
    assert_answers(&server, "/fr/search?q=fournisseurs+de+Gatineau", &["7 contrats"]);
    // As many as the city itself buys say nothing.
    let server = TestServer::own(&records[4..], |_| {});
    assert_answers(&server, "/fr/search?q=fournisseurs+de+Gatineau", &["1 contrat"]);
}

#[test]
fn the_largest_record_of_another_entity_type_is_stated() {
    let disclosure =
        json!({"award_date": "2023-01-02", "contract_value": 9, "description_en": "Salt", "vendor_name": "Zed"});
    let records = [
        contract(1, json!({"title_en": "Salt"})),
        contract(2, json!({"title_en": "Salt"})),
        record(EntityType::Disclosure, "d1", disclosure),
    ];
    let server = TestServer::own(&records, |_| {});
    let shown = text(&answer(&server, "/en/search?q=largest+salt+contracts"));
    let other = "1 disclosed federal contract worth $9, the first $9.00, Zed";
    assert!(shown.contains(other), "{shown}");
    let shown = text(&answer(&server, "/en/search?q=newest+salt+contracts"));
    assert!(shown.contains("the first January 2, 2023, Zed"), "{shown}");
}

#[test]
fn it_in_capitals_is_information_technology() {
    let records = [
        contract(1, json!({"title_en": "Information technology services"})),
        contract(2, json!({"title_en": "Salt"})),
    ];
    let server = TestServer::own(&records, |_| {});
    assert_answers(
        &server,
        "/en/search?q=largest+IT+contracts",
        &["information technology, highest value first", "1 contract worth"],
    );
}
