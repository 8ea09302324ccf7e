//! What a page of results says of its records next to their total.

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use super::html::between;
use crate::support::{TestServer, merged};

fn contract(number: usize, fields: Value) -> (EntityType, String) {
    let record = json!({
        "record_id": format!("r{number}"), "municipality": "toronto", "award_date": "2023-01-01",
        "buyer_name": "City works", "contract_value": 1000 * number, "vendor_name": "Acme inc.",
        "fetched_at": "2024-06-01T00:00:00Z",
    });
    (EntityType::Contract, merged(record, &fields).to_string())
}

fn contracts() -> Vec<(EntityType, String)> {
    vec![
        contract(1, json!({"title_en": "Paving of streets"})),
        contract(2, json!({"title_en": "Fences", "vendor_name": "Pavage Nord"})),
        contract(
            3,
            json!({"title_en": "Lamps", "vendor_name": "Paving Bros", "end_date": "2024-01-31"}),
        ),
        contract(4, json!({"title_en": "Paving of yards", "vendor_name": "Paving Bros"})),
        contract(5, json!({"buyer_name": "Paving works"})),
        contract(6, json!({"category": "Construction", "vendor_name": "Ontario Paving"})),
    ]
}

fn notes(server: &TestServer, address: &str) -> String {
    let html = server.html(address, 200);
    let main = between(&html, "<main", "</main>")[0].to_owned();
    main.replace(['\u{a0}', '\u{202f}'], " ").replace("&#38;", "&")
}

#[test]
fn records_with_a_word_only_in_a_name_are_stated_and_left_out() {
    let server = TestServer::own(&contracts(), |_| {});
    let html = notes(&server, "/en/search?kind=contract&q=paving");
    for shown in [
        "6 contracts worth $21,000, 2023, by 2 buyers, from 4 suppliers",
        "A word is only in a name, of the supplier or the buyer: 4 of these 6 contracts. <a href=\"/en/search?kind=contract&q=paving&q_in=stated_purchase\">Only those with all words in the purchase itself (2)</a>",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let html = notes(&server, "/fr/search?kind=contract&q=paving&q_in=purchase");
    for shown in [
        "3 contrats d’une valeur de 11 000 $, 2023, par 1 acheteur, auprès de 3 fournisseurs",
        "Seulement les fiches où chaque mot est dans l’achat lui-même",
        "Sans titre ni description, le nom du fournisseur compte.",
        "<a href=\"/fr/search?kind=contract&q=paving\">Aussi dans les noms</a>",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    // A name is looked for in names.
    for q in ["bros", "lamps"] {
        let html = notes(&server, &format!("/en/search?kind=contract&q={q}"));
        assert!(!html.contains("only in a name"), "{html}");
    }
    for (place, count) in [
        ("stated_purchase", 2),
        ("purchase", 3),
        ("purchase_or_vendor", 5),
        ("all", 6),
    ] {
        let found = server.json(&format!("/contract?q=paving&translate=true&q_in={place}"));
        assert_eq!(found["count"], count, "{place}");
    }
    // A single word says what a firm does, but not what a buyer of that name buys.
    let html = notes(&server, "/en/search?q=contracts+for+paving+in+2023");
    for shown in [
        "5 contracts worth $16,000, 2023",
        "With the word only in the name of the buyer, and not counted: 1 contract. 3 of these records are counted only for the name of their supplier",
        "q_in=purchase_or_vendor",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let html = notes(&server, "/en/search?kind=contract&q=paving&q_in=purchase_or_vendor");
    let shown = "Without records that have a word only in the name of the buyer.";
    assert!(html.contains(shown), "{html}");
}

#[test]
fn an_answer_leaves_out_few_records_that_only_a_suppliers_name_finds() {
    let titled = (1..=12).map(|number| contract(number, json!({"title_en": "Paving of streets"})));
    let untitled = contract(13, json!({"vendor_name": "Paving Bros", "category": "Bridges"}));
    let server = TestServer::own(&titled.chain([untitled]).collect::<Vec<_>>(), |_| {});
    let html = notes(&server, "/en/search?q=contracts+for+paving+in+2023");
    for shown in [
        "12 contracts worth $78,000, 2023",
        "With a word only in a name, of the supplier or the buyer, and not counted: 1 contract.",
        "q_in=stated_purchase",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let html = notes(&server, "/fr/search?kind=contract&q=paving&q_in=stated_purchase");
    let shown = "Seulement les fiches où chaque mot est dans le titre, la description ou le code";
    assert!(html.contains(shown), "{html}");
}

#[test]
fn a_search_by_a_day_that_records_lack_says_so() {
    let server = TestServer::own(&contracts(), |_| {});
    for (address, shown) in [
        (
            "/en/search?kind=contract&ending_after=2023-05-01",
            "Only 1 of the 6 contracts that match the other conditions has a last day.",
        ),
        (
            "/en/search?kind=contract&q=fences&ending_after=2023-05-01",
            "None of the 1 contracts that match the other conditions has a last day.",
        ),
        (
            "/fr/search?kind=contract&ending_before=2023-05-01",
            "Date de fin indiquée dans 1 seulement des 6 contrats qui répondent aux autres conditions.",
        ),
    ] {
        let html = notes(&server, address);
        assert!(html.contains(shown), "{address}: {html}");
    }
    let html = notes(&server, "/en/search?kind=contract&q=lamps&ending_after=2023-05-01");
    assert!(!html.contains("match the other conditions"), "{html}");
}

#[test]
fn records_that_do_not_say_who_could_bid_and_names_like_a_suppliers_are_stated() {
    let server = TestServer::own(
        &[
            contract(
                1,
                json!({"vendor_name": "Zorbak Fuels", "procurement_method_en": "Open Bidding"}),
            ),
            contract(2, json!({"vendor_name": "Zorbak Fuels"})),
            contract(4, json!({"vendor_name": "Zorbak Petroleum"})),
        ],
        |_| {},
    );
    for (address, is_shown) in [
        ("/en/search?kind=contract&competition=none", true),
        ("/en/search?kind=contract&competition=open", true),
        ("/en/search?kind=contract&competition=none,unknown", false),
        ("/en/search?kind=contract&competition=open&value_max=1000", false),
    ] {
        let html = notes(&server, address);
        assert_eq!(
            html.contains("Without a word on who could bid, and not counted"),
            is_shown,
            "{address}"
        );
    }
    let html = notes(
        &server,
        "/en/search?kind=contract&q=how+much+was+paid+to+Zorbak+Fuels+in+2023",
    );
    for shown in [
        "Zorbak Fuels, 2023",
        "2 contracts worth $3,000",
        "Not counted here, because no rule joins them, are names like this one, each with all its records of any year and type: Zorbak Petroleum (1 in all).",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
}

#[test]
fn an_answer_on_amended_contracts_says_how_values_changed() {
    let paving = |number, original: u32| contract(number, json!({"title_en": "Paving", "original_value": original}));
    let unchanged = contract(4, json!({"title_en": "Paving", "amendment_count": 0}));
    let server = TestServer::own(&[paving(1, 2000), paving(2, 1500), unchanged], |_| {});
    let html = notes(&server, "/en/search?q=amended+paving+contracts+in+Toronto");
    for shown in [
        "2 contracts worth $3,000",
        "Before amendments: $3,500; now: $3,000 (−14%). Records that state both: 2.",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
}

#[test]
fn a_city_that_is_called_like_its_region_leads_to_both_and_a_class_of_buyers_to_its_bodies() {
    let salt = |number, municipality: &str, buyer: &str, region: &str| {
        let fields = json!({"title_fr": "Sel de voirie", "municipality": municipality, "buyer_name": buyer,
            "regions_of_delivery_fr": region, "vendor_city": "LAVAL"});
        contract(number, fields)
    };
    // More calls of the city than contracts of its firms.
    let call = |number: usize| {
        let tender = json!({"record_id": format!("t{number}"), "municipality": "laval", "title_fr": "Sel de voirie",
            "publication_date": "2023-01-01", "status": "Open"});
        (EntityType::Tender, tender.to_string())
    };
    let contracts = [
        salt(1, "laval", "Ville de Laval", ""),
        salt(2, "qc-provincial", "CHU Ste-Justine", "Laval"),
        salt(4, "qc-provincial", "Centre hospitalier de Gaspé", "Gaspésie"),
    ];
    let records: Vec<_> = contracts.into_iter().chain((0..9).map(call)).collect();
    let server = TestServer::own(&records, |_| {});
    let html = notes(&server, "/en/search?q=sel+Laval+2023");
    for shown in [
        "/en/search?kind=contract&q=sel&municipality=laval&issued_after=2023-01-01&issued_before=2023-12-31\"",
        "/en/search?kind=contract&q=sel&region=Laval&issued_after=2023-01-01&issued_before=2023-12-31\"",
        "Deliveries to the region of that name, of all buyers",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let html = notes(&server, "/en/search?q=salt+companies+in+Laval");
    let of_firms = "/en/search?kind=contract&q=salt&vendor_city=Laval\"";
    assert!(
        html.contains(of_firms) && html.contains("salt, suppliers in Laval"),
        "{html}"
    );
    let html = notes(&server, "/fr/search?q=firmes+de+sel+%C3%A0+Laval");
    assert!(
        html.contains("/fr/search?kind=contract&q=sel&vendor_city=Laval\""),
        "{html}"
    );
    let html = notes(&server, "/fr/search?q=entreprises+de+Laval");
    assert!(html.contains("/fr/search?kind=contract&vendor_city=Laval\""), "{html}");
    let html = notes(&server, "/en/search?q=suppliers+of+Laval");
    let (to_city, in_city) = (html.find("municipality=laval\""), html.find("vendor_city=Laval\""));
    assert!(
        to_city.is_some() && to_city < in_city,
        "who sells to the city comes first: {html}"
    );
    let html = notes(&server, "/en/search?q=salt+Laval");
    assert!(
        html.contains(of_firms) && html.contains("To suppliers of that city, of all buyers"),
        "{html}"
    );
    let html = notes(&server, "/en/search?q=which+hospitals+buy+road+salt");
    for shown in [
        "road salt, hospitals and other health bodies",
        "2 contracts worth $6,000",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let html = notes(&server, "/fr/search?q=hopital+sainte+justine+sel+de+voirie");
    assert!(html.contains("sel de voirie, CHU Ste-Justine"), "{html}");
    assert!(!html.contains("aucune source ici n’a ses achats"), "{html}");
}

/// What the firms of a question got, a body with a longer name than people use, and a paper whose name has an article.
fn firms() -> Vec<(EntityType, String)> {
    let body = json!({"buyer_name": "Ministère des Transports du Québec", "title_fr": "Étude"});
    let of = |number, vendor: &str| contract(number, merged(body.clone(), &json!({"vendor_name": vendor})));
    let daily = |number, vendor: &str| contract(number, json!({"vendor_name": vendor, "title_fr": "Avis"}));
    vec![
        of(1, "Zénith inc."),
        of(2, "Zénith ltée"),
        of(4, "Consortium Zénith-Nadir"),
        of(8, "Nadir inc."),
        daily(16, "La Presse ltée"),
        daily(32, "Presse et compagnie"),
        contract(64, json!({"title_en": "Forklift"})),
        contract(128, json!({"title_en": "Price list"})),
    ]
}

#[test]
fn what_a_firm_got_alone_is_told_from_what_its_consortia_got() {
    let server = TestServer::own(&firms(), |_| {});
    let html = notes(
        &server,
        "/en/search?q=how+much+did+Z%C3%A9nith+get+from+minist%C3%A8re+des+Transports",
    );
    for shown in [
        "“Zénith” in the supplier’s name, Ministère des Transports du Québec",
        "3 contracts worth $7,000",
        "Of consortia: 1 contract of these, worth $4,000. What each of their firms got is not published.",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    assert!(!html.contains("Nothing found"), "the answer is the way on: {html}");
    let html = notes(&server, "/en/search?kind=contract&vendor=nadir");
    assert!(
        html.contains("Of consortia: 1 contract of these, worth $4,000."),
        "{html}"
    );
    for (q, shown) in [
        (
            "how+much+did+City+works+pay+to+La+Presse",
            "“La Presse” in the supplier’s name",
        ),
        ("City+works+spending+2023", "City works, 2023"),
        ("City+works+top+suppliers", "City works, highest value first"),
    ] {
        let html = notes(&server, &format!("/en/search?q={q}"));
        assert!(html.contains(shown), "{shown}: {html}");
    }
}

#[test]
fn the_word_that_only_asks_is_left_out_first() {
    let server = TestServer::own(&firms(), |_| {});
    let html = notes(&server, "/en/search?q=price+forklift");
    assert!(
        html.contains("Without “price”: no record has it next to the rest"),
        "{html}"
    );
    // Without its only word for a thing, a search would find all records.
    let html = notes(&server, "/en/search?q=contract+zzzz");
    assert!(!html.contains("Without “zzzz”"), "{html}");
}

#[test]
fn a_search_for_open_tenders_says_how_new_the_newest_tender_is() {
    let tender = json!({
        "record_id": "t1", "municipality": "laval", "publication_date": "2020-03-02", "status": "Open",
        "title_fr": "Pavage", "closing_date": "2020-04-01", "fetched_at": "2020-06-01T00:00:00Z",
    });
    let server = TestServer::own(&[(EntityType::Tender, tender.to_string())], |_| {});
    for (address, shown) in [
        (
            "/en/search?kind=tender&status=Open&closing_after=2021-01-01",
            "The newest call for tenders here with these conditions is of March 2, 2020: later ones may be open",
        ),
        (
            "/fr/search?kind=tender&status=Open&q=neige",
            "L’appel d’offres le plus récent ici avec ces conditions est du 2 mars 2020 :",
        ),
    ] {
        let html = notes(&server, address);
        assert!(html.contains(shown), "{shown}: {html}");
        assert!(!html.contains("is covered until"), "{html}");
    }
    for address in [
        "/en/search?kind=tender",
        "/en/search?kind=tender&status=Cancelled",
        "/en/search?kind=tender&closing_before=2020-12-31",
        "/en/search?kind=tender&status=Open&issued_before=2020-12-31",
    ] {
        let html = notes(&server, address);
        assert!(!html.contains("The newest call"), "{address}: {html}");
    }
}
