//! The entity type that a page of results shows, and what its words ask for.

use std::sync::LazyLock;

use procure::{http::encoding::encode, model::entity_type::EntityType};
use serde_json::json;

use super::html::{assert_shows, between};
use crate::support::TestServer;

/// One contract, three disclosures and four tenders of a department.
static SERVER: LazyLock<TestServer> = LazyLock::new(|| {
    use EntityType::{Contract, Disclosure, Tender};
    let record = |(number, (of, day)): (usize, &(EntityType, &str))| {
        let mut record = json!({
            "record_id": format!("r{number}"), "municipality": "federal", "department_en": "National Defence",
            "title_en": "Radar parts", "description_en": "Radar parts",
        });
        match of {
            Tender => {
                record["publication_date"] = json!("2023-01-02");
                record["closing_date"] = json!(day);
                record["regions_of_delivery_en"] = json!(if *day < "2023-03-31" {
                    "Nunavut; Yukon"
                } else {
                    "Ontario"
                });
            }
            _ => {
                record["award_date"] = json!(day);
                record["vendor_name"] = json!("Acme");
                record["government_level"] = json!("federal");
                if of == &Contract {
                    record["end_date"] = json!("2025-06-30");
                }
            }
        }
        (*of, record.to_string())
    };
    let all = [
        (Contract, "2024-01-01"),
        (Disclosure, "2023-01-01"),
        (Disclosure, "2023-05-01"),
        (Disclosure, "2024-01-01"),
        (Tender, "2023-02-28"),
        (Tender, "2023-03-01"),
        (Tender, "2023-03-31"),
        (Tender, "2024-04-01"),
    ];
    TestServer::own(&all.iter().enumerate().map(record).collect::<Vec<_>>(), |_| {})
});

/// The entity type of the active tab.
fn shown(html: &str) -> &str {
    let active = html.split("aria-current=\"page\">").skip(1);
    let mut names = active.filter_map(|part| Some(part.split_once(" <span class=\"search-count\"")?.0));
    names.find(|name| !name.contains('<')).unwrap()
}

#[test]
fn an_address_without_a_kind_shows_that_of_most_records_that_name_suppliers() {
    let home = SERVER.html("/en", 200);
    assert!(home.contains("<option value=\"\">All records</option>"), "{home}");
    for (query, expected, count) in [
        (
            "q=radar&kind=",
            "Disclosed federal contracts",
            "3 disclosed federal contracts",
        ),
        ("q=radar&kind=contract", "Contracts", "1 contract"),
        ("q=radar&kind=tender", "Tenders", "4 tenders"),
        ("q=nothing", "Contracts", "0 contracts"),
        // Without words, and in the middle of results, contracts are shown.
        ("", "Contracts", "1 contract"),
        ("q=radar&offset=0", "Contracts", "1 contract"),
    ] {
        let html = SERVER.html(&format!("/en/search?{query}"), 200);
        assert_eq!(shown(&html), expected, "{query}");
        assert_shows(&html, &[count]);
    }
    // An entity type without a field for a condition would ignore it, and find most.
    for (query, expected) in [
        ("q=radar&status=Active", "Contracts"),
        ("q=radar&closing_after=2020-01-01", "Tenders"),
    ] {
        assert_eq!(
            shown(&SERVER.html(&format!("/en/search?{query}"), 200)),
            expected,
            "{query}"
        );
    }
    // A search that follows leaves the choice to the page again, unless a link made it.
    let html = SERVER.html("/en/search?q=radar", 200);
    assert!(!html.contains("type=\"hidden\" name=\"kind\""), "{html}");
    // The fields are those of the entity type that is shown.
    assert!(
        html.contains("<button name=\"kind\" value=\"disclosure\">Apply"),
        "{html}"
    );
    assert!(html.contains("/en/search.csv?q=radar&#38;kind=disclosure"), "{html}");
    assert!(
        SERVER
            .html("/en/search?q=radar&kind=tender", 200)
            .contains("name=\"kind\" value=\"tender\"")
    );
}

/// Suppliers with a name in common: two spellings of one, and another one.
static SUPPLIERS: LazyLock<TestServer> = LazyLock::new(|| {
    let names = [
        "Zenith",
        "Zenith LLP",
        "Zenith LLP",
        "Zenith Foods",
        "Apex Ltd.",
        "Apex Ltd.",
        "Federal Express Canada",
    ];
    let record = |(number, name): (usize, &&str)| {
        let record = json!({
            "record_id": format!("r{number}"), "municipality": "toronto", "award_date": "2018-01-01",
            "vendor_name": name, "contract_value": 100.0 * number as f64, "department_en": "Works",
        });
        (EntityType::Contract, record.to_string())
    };
    let mut records: Vec<_> = names.iter().enumerate().map(record).collect();
    let pins = json!({"record_id": "pins", "municipality": "toronto", "title_en": "Pins for long service awards 2018",
        "solicitation_number": "2018"});
    records.push((EntityType::Contract, pins.to_string()));
    TestServer::own(&records, |_| {})
});

#[test]
fn a_name_that_several_suppliers_begin_with_means_all_of_them_and_two_names_their_comparison() {
    let meanings = |query: &str| {
        let html = SUPPLIERS.html(&format!("/en/search?q={query}"), 200);
        let shown = between(&html, "<section class=\"search-meanings\"", "</section>")[0].to_owned();
        shown.split("<li>").nth(1).unwrap().to_owned()
    };
    let first = meanings("Zenith+since+2018");
    assert_shows(&first, &["“Zenith” in the supplier’s name, since 2018", "4 contracts"]);
    assert!(
        first.contains("href=\"/en/search?kind=contract&#38;issued_after=2018-01-01&#38;vendor=Zenith\""),
        "{first}"
    );
    // One name, or several of one supplier.
    assert_shows(
        &SUPPLIERS.html("/en/search?q=apex+ltd", 200),
        &["Supplier, under this name"],
    );
    // One supplier is itself, whatever else it is called.
    assert_shows(
        &meanings("Apex+Ltd+since+2018"),
        &["Apex Ltd., since 2018", "2 contracts"],
    );
    for query in [
        "Zenith+vs+Apex",
        "zenith+or+apex",
        "compare+zenith+and+apex",
        "Who+got+more+in+2018,+Zenith+or+Apex?",
        "Laquelle+a+obtenu+le+plus+de+contrats,+Zenith+ou+Apex",
    ] {
        let first = meanings(query);
        assert_shows(
            &first,
            &["Zenith LLP and 2 similar names and Apex Ltd.", "Side by side"],
        );
        assert!(
            first.contains("href=\"/en/compare/supplier?") && first.contains("of=sup_") && first.contains("%2Csup_"),
            "{query}: {first}"
        );
    }
    // A name that begins with the other one is compared with the others.
    assert_shows(
        &meanings("Zenith+vs+Zenith+Foods"),
        &["Zenith LLP and 1 similar name and Zenith Foods"],
    );
    // Only names are compared, and with names.
    for query in [
        "consulting+vs+apex",
        "zenith+vs+salt",
        "protection+contre+zenith",
        "zen+vs+apex",
    ] {
        let html = SUPPLIERS.html(&format!("/en/search?q={query}"), 200);
        assert!(!html.contains("/compare/supplier?"), "{query}: {html}");
    }
}

#[test]
fn a_word_for_a_type_chooses_it_only_with_conditions_or_matches() {
    let pins = json!({"record_id": "pins", "municipality": "toronto", "title_en": "Pins for long service awards 2018",
        "award_date": "2018-03-01"});
    let contracts = [(EntityType::Contract, pins.to_string())];
    let award = json!({"record_id": "award", "title_en": "Bridge", "publication_date": "2017-01-01"});
    let with_award = [contracts[0].clone(), (EntityType::Award, award.to_string())];
    let (server, of_contracts) = (
        TestServer::own(&with_award, |_| {}),
        TestServer::own(&contracts, |_| {}),
    );
    let none = "Award notices: the sources here have none.";
    for (server, query, expected, count) in [
        (&server, "service+awards", "Contracts", "1 contract"),
        (&server, "toronto+awards+2018", "Award notices", "0 award notices"),
        // A type without any match does not take the place of one with matches, and the page says so.
        (&server, "pins+awards+2018", "Contracts", "1 contract"),
        (&server, "pins+awards+2018", "Contracts", "pins, 2018 (0 award notices)"),
        // No record is of the type: others are shown.
        (&of_contracts, "toronto+awards+2018", "Contracts", none),
        (&of_contracts, "toronto+awards+2018", "Contracts", "1 contract"),
    ] {
        let html = server.html(&format!("/en/search?q={query}"), 200);
        assert_shows(&html, &[count]);
        assert!(html.contains(&format!("<h1><bdi>{expected}: ")), "{query}");
    }
    assert!(!server.html("/en/search?q=toronto+awards+2018", 200).contains(none));
    // The address asks for the type.
    let of_type = of_contracts.html("/en/search?kind=award&q=toronto+awards+2018", 200);
    assert!(!of_type.contains(none), "{of_type}");
}

#[test]
fn a_level_of_government_in_the_name_of_a_firm_and_a_year_among_words_are_no_more_than_that() {
    for (query, label) in [
        ("Federal+Express+2018", "Federal Express, 2018"),
        ("federal+express+2018", "federal express, 2018"),
    ] {
        let html = SUPPLIERS.html(&format!("/en/search?q={query}"), 200);
        let meanings = between(&html, "<section class=\"search-meanings\"", "</section>")[0];
        assert_shows(meanings, &[label]);
        assert!(!meanings.contains("level=federal"), "{meanings}");
    }
    // A text of many words is searched for as words only.
    for (words, has_year) in [(30, true), (31, false)] {
        let query = format!("{}2018", "zenith+".repeat(words - 1));
        let html = SUPPLIERS.html(&format!("/en/search?q={query}"), 200);
        let shown = html
            .split_once("<section class=\"search-meanings\"")
            .map_or("", |(_, rest)| rest);
        let shown = shown.split("</section>").next().unwrap();
        assert_eq!(shown.contains("issued_after=2018-01-01"), has_year, "{words}: {shown}");
    }
    // A part of a word is no part of a name.
    let html = SUPPLIERS.html("/en/search?q=zeni+since+2018", 200);
    assert!(!html.contains("in the supplier’s name"), "{html}");
    // A solicitation has the number of a year.
    let number = "/en/solicitation/2018";
    assert!(SUPPLIERS.html("/en/search?q=2018", 200).contains(number));
    assert!(
        !SUPPLIERS
            .html("/en/search?q=did+apex+win+in+2018%3F", 200)
            .contains(number)
    );
}

/// Firms that a trade is called by: two of the eight contracts about it are theirs.
static TRADE: LazyLock<TestServer> = LazyLock::new(|| {
    let record = |number: usize| {
        let name = ["Paving One", "Paving Two"].get(number).unwrap_or(&"Acme");
        let record = json!({
            "record_id": format!("r{number}"), "municipality": "toronto", "award_date": "2018-01-01",
            "vendor_name": name, "title_en": "Paving", "department_en": "Works", "contract_value": 100.0,
        });
        (EntityType::Contract, record.to_string())
    };
    TestServer::own(&(0..8).map(record).collect::<Vec<_>>(), |_| {})
});

#[test]
fn a_trade_comes_before_the_firms_that_are_called_by_it() {
    let html = TRADE.html("/en/search?q=paving+since+2018", 200);
    let shown = between(&html, "<section class=\"search-meanings\"", "</section>")[0];
    let all: Vec<&str> = shown.split("<li>").skip(1).collect();
    assert_shows(all[0], &["paving, since 2018", "8 contracts"]);
    assert_shows(all[1], &["“paving” in the supplier’s name, since 2018", "2 contracts"]);
}

#[test]
fn what_the_words_mean_is_the_answer_where_they_find_nothing() {
    let html = SERVER.html("/en/search?q=how+many+radar+contracts+of+DND+in+2023%3F", 200);
    let lead = between(&html, "<div role=\"status\">", "</div>")[0];
    assert_shows(
        lead,
        &[
            "Perhaps you mean",
            "radar, National Defence, 2023",
            "2 disclosed federal contracts, 2023, by 1 buyer",
        ],
    );
    assert!(lead.contains("href=\"/en/search?kind=disclosure&#38;q=radar"), "{lead}");
    // A buyer alone is an answer; what is only like the words is none.
    let html = SERVER.html("/en/search?q=what+does+DND+buy", 200);
    assert_shows(&html, &["Perhaps you mean", "National Defence"]);
    assert!(html.contains("<div role=\"status\">"), "{html}");
    let html = SERVER.html("/en/search?q=nationl+defnce", 200);
    assert!(!html.contains("<div role=\"status\">"), "{html}");
}

/// Six contracts of a body, and those of another one that have its acronym and a year among their words.
static CHANCE: LazyLock<TestServer> = LazyLock::new(|| {
    let record = |number: usize, department: &str, title: &str| {
        let record = json!({
            "record_id": format!("r{number}"), "municipality": "federal", "award_date": "2023-01-01",
            "department_en": department, "title_en": title, "vendor_name": "Acme Ltd", "government_level": "federal",
            "contract_value": 100.0,
        });
        (EntityType::Contract, record.to_string())
    };
    let mut records: Vec<_> = (0..6)
        .map(|number| record(number, "National Defence", "Radar"))
        .collect();
    records.push(record(6, "Works", "Copies of DND 2023 and DND 2019"));
    TestServer::own(&records, |_| {})
});

#[test]
fn a_buyer_with_a_year_comes_before_records_that_have_the_words_by_chance() {
    let lead = |query: &str| {
        let html = CHANCE.html(&format!("/en/search?q={query}"), 200);
        assert_shows(
            &html,
            &[
                "Records with all of these words 1 contract worth $100, 2023, by 1 buyer",
                "Copies of DND",
            ],
        );
        between(&html, "<div role=\"status\">", "</div>")[0].to_owned()
    };
    assert_shows(
        &lead("DND+2023"),
        &["National Defence, 2023", "6 contracts worth $600, 2023, by 1 buyer"],
    );
    assert_shows(
        &lead("DND"),
        &[
            "National Defence",
            "6 contracts worth $600, 2023, by 1 buyer",
            "Average value: $100.",
        ],
    );
    // That nothing is found is the answer, too, with what the sources cover.
    let nothing = [
        "National Defence, 2019",
        "0 contracts",
        "The sources of this page do not cover contracts of 2019.",
    ];
    assert_shows(&lead("DND+2019"), &nothing);
    // Not where most records have the words, and not in place of another condition.
    for query in [
        "copies+2023",
        "DND&value_min=50",
        "DND&department=works",
        "DND+modified+starch",
    ] {
        let html = CHANCE.html(&format!("/en/search?q={query}"), 200);
        assert!(!html.contains("<div role=\"status\">"), "{query}: {html}");
    }
}

#[test]
fn a_buyer_is_taken_together_with_a_firm_and_with_amendments() {
    let lead = |query: &str| {
        let html = CHANCE.html(&format!("/en/search?q={query}"), 200);
        between(&html, "<div role=\"status\">", "</div>")[0].to_owned()
    };
    let label = "“acme” in the supplier’s name, National Defence";
    assert_shows(&lead("DND+acme"), &[label, "6 contracts worth $600"]);
    let found = lead("DND+amended");
    assert_shows(&found, &["National Defence, amended", "0 contracts"]);
    assert!(found.contains("amended=true"), "{found}");
}

#[test]
fn words_for_extra_spending_of_a_buyer_find_the_contracts_that_state_it_and_the_amended_ones() {
    let record = |(number, buyer, amounts): (usize, &str, &str)| {
        let amounts: serde_json::Value = serde_json::from_str(amounts).unwrap();
        let mut record = json!({
            "record_id": format!("r{number}"), "municipality": "qc-provincial", "award_date": "2023-01-01",
            "buyer_name": buyer, "title_fr": "Toiture", "vendor_name": "Acme", "government_level": "provincial",
            "contract_value": 100.0,
        });
        let members = record.as_object_mut().unwrap();
        members.extend(amounts.as_object().unwrap().clone());
        (EntityType::Contract, record.to_string())
    };
    let records = [
        (0, "Université Concordia", r#"{"extra_spending": 20.0}"#),
        (1, "Université Concordia", r#"{"original_value": 80.0}"#),
        (
            2,
            "Université Concordia",
            r#"{"original_value": 90.0, "extra_spending": 5.5}"#,
        ),
        (3, "Université Concordia", r#"{"extra_spending": 0.0}"#),
        (4, "Université Laval", r#"{"extra_spending": 20.0}"#),
    ];
    let server = TestServer::own(&records.map(record), |_| {});
    for words in [
        "dépassements de coûts de l’Université Concordia",
        "dépassements Université Concordia",
        "dépenses supplémentaires de l’Université Concordia",
        "une dépense supplémentaire de l’Université Concordia",
        "Quelles sont les dépenses supplémentaires de l’Université Concordia ?",
        "cost overruns of Université Concordia",
        "how much extra spending of Université Concordia?",
        "Université Concordia over budget",
    ] {
        let html = server.html(&format!("/en/search?kind=contract&q={}", encode(words)), 200);
        let lead = between(&html, "<div role=\"status\">", "</div>")[0];
        assert_shows(lead, &["Université Concordia, amended", "3 contracts worth $300"]);
        assert!(lead.contains("amended=true"), "{words}: {lead}");
    }
}

/// Contracts of a body under two names, and one of another body.
static NAMES: LazyLock<TestServer> = LazyLock::new(|| {
    let names = ["National Defence", "DND", "Works"];
    let record = |(number, name): (usize, &&str)| {
        let record = json!({
            "record_id": format!("r{number}"), "municipality": "federal", "award_date": "2023-01-01",
            "department_en": name, "title_en": "Radar parts", "vendor_name": "Acme", "government_level": "federal",
            "contract_value": 100.0 * number as f64 + 100.0,
        });
        (EntityType::Contract, record.to_string())
    };
    TestServer::own(&names.iter().enumerate().map(record).collect::<Vec<_>>(), |_| {})
});

#[test]
fn an_answer_says_what_its_own_page_says() {
    let sentence = "3 contracts worth $600, 2023, by 2 buyers";
    let average = "Average value: $200. Median: $200, of 3 published values.";
    for query in [
        "how+many+radar+contracts+in+2023%3F",
        "how+many+federal+contracts+in+2023%3F",
    ] {
        let html = NAMES.html(&format!("/en/search?q={query}"), 200);
        let lead = between(&html, "<div role=\"status\">", "</div>")[0];
        assert_shows(lead, &[sentence, average]);
        let page = between(lead, "href=\"", "\"")[0].replace("&#38;", "&");
        let page = NAMES.html(&page, 200);
        assert_shows(&page, &[sentence, average]);
    }
}

#[test]
fn what_a_search_for_words_cannot_find_is_said_next_to_its_total() {
    // The typical value of what somebody sells is asked for by name, too.
    let html = SUPPLIERS.html("/en/search?vendor=zenith", 200);
    assert_shows(&html, &["Average value: $150. Median: $100, of 4 published values."]);
    let html = SUPPLIERS.html("/en/search?q=zenith", 200);
    assert_shows(
        &html,
        &[
            "Average value: $150. Median: $100, of 4 published values.",
            "Without a title and a description: 7 of the 8 contracts of these sources. Words find only names and codes there.",
        ],
    );
    let html = SERVER.html("/en/search?q=radar+2023&kind=tender", 200);
    assert!(!html.contains("Without a title"), "{html}");
    // Words that find something, and a year among them.
    let html = SERVER.html("/en/search?q=radar&kind=tender&issued_after=2023-01-01", 200);
    assert!(!html.contains("Without a date"), "{html}");
}

#[test]
fn words_for_tenders_and_their_last_days_lead_to_these() {
    for (path, label, count, address) in [
        (
            "/en/search?q=tenders+closing+in+March+2023",
            "closing: March 2023",
            "2 tenders",
            "/en/search?kind=tender&#38;closing_after=2023-03-01&#38;closing_before=2023-03-31",
        ),
        (
            "/fr/search?kind=contract&q=appels+d%27offres+qui+ferment+en+2024",
            "clôture : 2024",
            "1 appel d’offres",
            "/fr/search?kind=tender&#38;closing_after=2024-01-01&#38;closing_before=2024-12-31",
        ),
        (
            "/en/search?q=biggest+contract+of+National+Defence+in+2023",
            "National Defence, 2023, highest value first",
            "2 disclosed federal contracts",
            "/en/search?kind=disclosure&#38;body=",
        ),
        (
            "/en/search?q=radar+DND+2024&kind=contract",
            "radar, National Defence, 2024",
            "1 contract",
            "/en/search?kind=contract&#38;q=radar&#38;body=",
        ),
        (
            "/en/search?q=federal+contracts",
            "federal",
            "3 disclosed federal contracts",
            "/en/search?kind=disclosure&#38;level=federal",
        ),
        (
            "/en/search?q=contracts+ending+in+2025",
            "ending: 2025",
            "1 contract",
            "/en/search?kind=contract&#38;ending_after=2025-01-01&#38;ending_before=2025-12-31",
        ),
        (
            "/fr/search?q=appels+d%27offres+au+Nunavut",
            "Nunavut",
            "2 appels d’offres",
            "/fr/search?kind=tender&#38;region=Nunavut",
        ),
        (
            "/en/search?q=National+Defence+2023",
            "National Defence, 2023",
            "2 disclosed federal contracts",
            "/en/search?kind=disclosure&#38;body=",
        ),
        (
            "/en/search?q=tenders+for+radar",
            "radar",
            "4 tenders",
            "/en/search?kind=tender&#38;q=radar",
        ),
        (
            "/en/search?kind=disclosure&q=radar+since+May+2023",
            "radar, since May 2023",
            "2 disclosed federal contracts",
            "/en/search?kind=disclosure&#38;q=radar&#38;issued_after=2023-05-01",
        ),
    ] {
        let html = SERVER.html(path, 200);
        let meanings = between(&html, "<section class=\"search-meanings\"", "</section>")[0];
        assert_shows(meanings, &[label, count]);
        assert!(meanings.contains(&format!("href=\"{address}")), "{path}: {meanings}");
    }
}

#[test]
fn the_kind_of_a_buyer_may_be_written_for_short() {
    let record = |(number, name): (usize, &str)| {
        let record = json!({"record_id": format!("k{number}"), "award_date": "2018-01-01", "department_fr": name});
        (EntityType::Contract, record.to_string())
    };
    let names = [
        "Centre de santé et de services sociaux de l'Énergie",
        "CS des Navigateurs",
    ];
    let server = TestServer::own(&names.into_iter().enumerate().map(record).collect::<Vec<_>>(), |_| {});
    for (query, label) in [
        ("CSSS+de+l%27%C3%A9nergie+2018", format!("{}, 2018", names[0])),
        (
            "commission+scolaire+des+Navigateurs+2018",
            format!("{}, 2018", names[1]),
        ),
    ] {
        let html = server.html(&format!("/en/search?q={query}"), 200);
        let meanings = between(&html, "<section class=\"search-meanings\"", "</section>")[0];
        assert_shows(meanings, &[&label, "1 contract"]);
    }
}

/// Two cities of one source, each in other years, and firms that begin with their names.
static CITIES: LazyLock<TestServer> = LazyLock::new(|| {
    let record = |number: usize, (place, name, day): (&str, &str, &str)| {
        let record = json!({
            "record_id": format!("c{number}"), "award_date": day, "department_en": name, "municipality": place,
            "vendor_name": format!("{place} Trucks"), "title_en": "Paving", "contract_value": 100.0 * (number + 1) as f64,
            "quality_flags": if number == 5 { json!(["implausible_value"]) } else { json!([]) },
        });
        (EntityType::Contract, record.to_string())
    };
    let cities = [
        ("toronto", "City of Toronto", "2018-01-01"),
        ("montreal", "Ville de Montréal", "2015-01-01"),
    ];
    let records = (0..6).map(|number| record(number, cities[number % 2]));
    TestServer::own(&records.collect::<Vec<_>>(), |_| {})
});

#[test]
fn two_cities_are_compared_as_buyers() {
    for (query, is_compared) in [
        ("toronto+vs+montreal", true),
        ("comparaison+entre+Toronto+et+Montr%C3%A9al", true),
        ("comparison+of+toronto+and+montreal", true),
        ("who+spent+more+in+2018,+toronto+or+montreal", true),
        // One is not compared with itself; choices of things are no names, and operators are no words.
        ("toronto+2018+vs+toronto", false),
        ("paving+or+snow+removal", false),
        ("toronto+OR+montreal", false),
        ("montreal+trucks", false),
        ("Val+d%27Or+montreal", false),
    ] {
        let html = CITIES.html(&format!("/en/search?q={query}"), 200);
        assert_eq!(html.contains("/compare/"), is_compared, "{query}: {html}");
        if is_compared {
            let meanings = between(&html, "<section class=\"search-meanings\"", "</section>")[0];
            assert_shows(meanings, &["Toronto", "Montréal", "Side by side"]);
            assert!(meanings.contains("/compare/department?"), "{query}: {meanings}");
        }
    }
}

#[test]
fn the_years_of_a_city_and_its_median_are_those_of_its_own_records() {
    let html = CITIES.html("/en/search?q=salt&municipality=toronto", 200);
    assert_shows(&html, &["Of Toronto, the sources have contracts of 2018 only."]);
    let html = CITIES.html("/fr/search?q=sel&municipality=toronto", 200);
    assert_shows(&html, &["Pour Toronto, les sources n’ont des contrats que de 2018."]);
    let of_year = "/en/search?municipality=toronto&issued_after=2018-01-01&issued_before=2018-12-31";
    assert_shows(&CITIES.html(of_year, 200), &["Median: $300, of 3 published values."]);
    let all_years = "/en/search?municipality=toronto&issued_after=2001-01-01";
    assert_shows(&CITIES.html(all_years, 200), &["Median: $300, of 3 published values."]);
    // The answer to the words says what is doubtful of it.
    let html = CITIES.html("/en/search?q=how+much+did+montreal+spend+in+2015", 200);
    let lead = between(&html, "<div role=\"status\">", "</div>")[0];
    let no_average = "Without the records in doubt, only 2 values are left: no average.";
    let worth = "3 contracts worth $1,200 ($600 without the records in doubt), 2015";
    assert_shows(lead, &[worth, no_average, "50%"]);
    // A city that no source has.
    let unknown = "If Vancouver is meant as the buyer or the place: no source here has its purchases.";
    let html = CITIES.html("/en/search?q=vancouver+contracts+2022", 200);
    assert_shows(&html, &[unknown]);
    assert!(
        !html.contains("search-periods"),
        "no further condition finds more than nothing"
    );
    let html = CITIES.html("/en/search?q=salt+toronto", 200);
    assert!(!html.contains("has its purchases"), "{html}");
}
