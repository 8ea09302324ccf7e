//! The page of a record and that of a solicitation: everything is shown, nothing is markup, links lead to pages.

use std::{collections::BTreeSet, sync::LazyLock};

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use super::html::{assert_shows, text};
use crate::support::{TestServer, scenario_records};

/// The addresses of the links of a page, except those to the page itself in another language.
fn links(html: &str) -> BTreeSet<String> {
    let addresses = html.split("<a ").skip(1).filter_map(|tag| {
        let tag = tag.split('>').next()?;
        let address = tag.split("href=\"").nth(1)?.split('"').next()?;
        Some(address.replace("&#38;", "&").replace("&amp;", "&"))
    });
    addresses.collect()
}

fn records() -> Vec<(EntityType, String)> {
    let contract = json!({
        "record_id": "seao|1", "award_date": "2024-05-06", "vendor_name": "Déneigement Léo inc.", "municipality": "montreal",
        "title_fr": "Déneigement des rues", "title_en": "Snow removal", "description_fr": "Du 1er novembre au 30 avril",
        "contract_value": 1200000.5, "currency": "CAD", "department_fr": "Voirie", "department_en": "Roads",
        "start_date": "2024-06-01", "end_date": "2025-05-31", "solicitation_number": "AO-24/7", "status": "active",
        "procurement_category": "SRV", "procurement_method_en": "Open bidding", "government_level": "municipal",
        "eligibility": {"trade_agreements": ["CFTA", "CETA"], "disposition": "LCV, article 573"}, "sources": ["seao-xml", "seao-ocds"],
        "notice_url": "https://seao.example/1", "fetched_at": "2026-10-31T06:00:00Z", "inconnu": {"a_b": [1.50, true, null]}
    });
    let tender = json!({
        "record_id": "seao|t", "publication_date": "2024-01-02", "closing_date": "2024-02-03", "amendment_date": "2024-01-20",
        "tender_close_date": "2024-02-03T14:00:00", "municipality": "montreal", "title_fr": "Déneigement", "department_fr": "Voirie",
        "department_en": "Roads", "solicitation_number": "ao 24 7", "fetched_at": "2026-10-31T06:00:00Z",
        "documents": [{"doc_index": 0, "url": "https://seao.example/plan.pdf", "language": "fr"}, {"doc_index": 1, "url": "javascript:alert(1)"}]
    });
    let amended = json!({
        "record_id": "disclosure|x,1", "award_date": "2023-01-02", "vendor_name": "Ontario Labs", "municipality": "federal",
        "department_en": "Health Canada", "description_en": "Laboratory work", "contract_value": 300.0, "original_value": 100.0, "currency": "CAD",
        "amendment_count": 2, "solicitation_procedure": "TN", "fetched_at": "2026-10-31T06:00:00Z",
        "original": {"reference_number": "C-1", "contract_value": 100.0, "end_date": "2023-12-31", "vendor_name": "Ontario Labs"},
        "amendments": [
            {"reference_number": "C-2", "contract_value": 150.0, "amendment_value": 50.0, "end_date": "2023-12-31", "vendor_name": "Ontario Labs"},
            {"reference_number": "C-3", "contract_value": 300.0, "amendment_value": 150.0, "end_date": "2024-12-31", "vendor_name": "Ontario Labs"}]
    });
    let contracts = [
        (EntityType::Contract, contract),
        (EntityType::Tender, tender),
        (EntityType::Disclosure, amended),
    ];
    contracts
        .into_iter()
        .map(|(of, record)| (of, record.to_string()))
        .collect()
}

/// The server of these records. It is never stopped.
fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&records(), |_| {}));
    &SERVER
}

#[test]
fn a_record_is_shown_with_labels_groups_and_words() {
    let server = server();
    let html = server.html("/en/record/contract/seao%7C1", 200);
    assert_shows(
        &html,
        &[
            "Snow removal",
            "Source: SEAO (Quebec), until 2024",
            "Supplier Déneigement Léo inc.",
            "Buying department Roads",
            "Value $1,200,000.50",
            "Awarded on May 6, 2024",
            "Description Du 1er novembre au 30 avril in French",
            "Kind of purchase Services (SRV)",
            "Level of government Municipal",
            "Trade agreements CFTA CETA",
            "Legal provision LCV, article 573",
            "Data as of October 31, 2026, 6:00 a.m. (UTC)",
            "inconnu a b 1.5 Yes not published",
            "CC BY 4.0",
            "Secrétariat du Conseil du trésor",
        ],
    );
    let links_of = links(&html);
    for address in [
        "/en/vendor/D%C3%A9neigement%20L%C3%A9o%20inc.",
        "/en/department/Roads",
        "/en/department/Voirie",
        "/en/solicitation/AO-24%2F7",
        "/en/search?kind=contract&municipality=montreal",
        "/en/record/tender/seao%7Ct",
        "https://seao.example/1",
    ] {
        assert!(links_of.contains(address), "no link to {address}: {links_of:?}");
    }
    // A browser has no key to send to the API, so there is a command line and no link.
    assert!(html.contains("/contract/seao%7C1&#39;</code>"), "{html}");
    assert!(!links_of.contains("/contract/seao%7C1"));

    let html = server.html("/fr/record/contract/seao%7C1", 200);
    assert_shows(
        &html,
        &[
            "Déneigement des rues",
            "Fournisseur Déneigement Léo inc.",
            "Ministère ou service acheteur Voirie",
            "Valeur 1 200 000,50 $",
            "Date d’attribution 6 mai 2024",
            "Mode d’approvisionnement Open bidding en anglais",
            "Nature de l’achat Services (SRV)",
        ],
    );
    assert!(html.contains(r#"<bdi lang="en">Open bidding</bdi>"#), "{html}");
}

#[test]
fn amendments_are_a_table_of_what_changed() {
    let server = server();
    let html = server.html("/en/record/disclosure/disclosure%7Cx%2C1", 200);
    assert_shows(
        &html,
        &[
            "From $100.00 to $300.00 by 2 amendments (+200%).",
            "As first published $100.00 December 31, 2023 Ontario Labs C-1",
            "Amendment 1 $50.00 $150.00",
            "Amendment 2 $150.00 $300.00 December 31, 2024",
            "Solicitation procedure Traditional non-competitive (TN)",
        ],
    );
    let changed = html.matches("<mark class=\"changed\">").count();
    assert_eq!(changed, 3, "two values and one last day");
}

#[test]
fn documents_are_links_only_if_they_are_on_the_web() {
    let server = server();
    let html = server.html("/en/record/tender/seao%7Ct", 200);
    let links = links(&html);
    assert!(links.contains("https://seao.example/plan.pdf"), "{links:?}");
    assert!(
        links.iter().all(|address| !address.starts_with("javascript")),
        "{links:?}"
    );
    assert_shows(
        &html,
        &[
            "plan.pdf",
            "Language French (fr)",
            "Document 2",
            "Address javascript:alert(1)",
            "Closing time as published February 3, 2024, 2:00 p.m. (Eastern time)",
        ],
    );
}

#[test]
fn a_notice_says_when_it_closes_or_closed() {
    let now = || "2026-03-10T16:00:00Z".parse().unwrap();
    let tender = |id: &str, closing: &str, status: &str| {
        let record = json!({"record_id": id, "publication_date": "2026-01-02", "closing_date": closing, "status": status,
            "title_en": id, "municipality": "laval"});
        (EntityType::Tender, record.to_string())
    };
    let records = [
        tender("soon", "2026-03-11", "Open"),
        tender("today", "2026-03-10", "Open"),
        tender("over", "2026-03-01", "Open"),
        tender("closed", "2026-03-01", "Closed"),
    ];
    let server = TestServer::own(&records, |config| config.now = now);
    for (id, english, french) in [
        (
            "soon",
            "Closes on March 11, 2026, in 1 day.",
            "Clôture le 11 mars 2026, dans 1 jour.",
        ),
        (
            "today",
            "Closes today, March 10, 2026.",
            "Clôture aujourd’hui, le 10 mars 2026.",
        ),
        (
            "over",
            "Closed on March 1, 2026, although its publisher still lists it as open.",
            "Clos depuis le 1er mars 2026, bien que le diffuseur l’indique encore comme ouvert.",
        ),
        ("closed", "Closed on March 1, 2026.", "Clos depuis le 1er mars 2026."),
    ] {
        assert_shows(&server.html(&format!("/en/record/tender/{id}"), 200), &[english]);
        assert_shows(&server.html(&format!("/fr/record/tender/{id}"), 200), &[french]);
    }
    let hits = text(&server.html("/en/search?kind=tender&q=over", 200));
    assert!(hits.contains("Closed, although still listed as open"), "{hits}");
    let hits = text(&server.html("/en/search?kind=tender&q=soon", 200));
    assert!(hits.contains("Status Open"), "{hits}");
}

#[test]
fn a_solicitation_is_shown_from_notice_to_contract() {
    let server = server();
    let html = server.html("/en/solicitation/AO-24%2F7", 200);
    assert_shows(
        &html,
        &[
            "Solicitation AO-24/7",
            "125 days from the first notice to the first award, 1 supplier, worth $1.2 million.",
            "2 records, from January 2, 2024 to May 31, 2025.",
            "From notice to contract",
            "Award Déneigement Léo inc.",
            "Contract Déneigement Léo inc.",
        ],
    );
    for address in ["/en/record/contract/seao%7C1", "/en/record/tender/seao%7Ct"] {
        assert!(links(&html).contains(address), "no link to {address}");
    }
    assert!(html.contains("/procurement/AO-24%2F7&#39;</code>"), "{html}");
    let html = server.html("/fr/solicitation/ao%2024%207?department=voirie", 200);
    assert_shows(
        &html,
        &["Appel d’offres ao 24 7", "2 fiches, du 2 janvier 2024 au 31 mai 2025"],
    );
    let html = server.html("/en/solicitation/AO-24%2F7?department=other", 404);
    assert!(
        links(&html).contains("/en/solicitation/AO-24%2F7"),
        "a way back to all buyers"
    );
}

#[test]
fn a_solicitation_states_how_many_suppliers_are_not_listed() {
    let contract = |number: usize| {
        let record = json!({"record_id": number.to_string(), "award_date": "2024-05-06", "municipality": "federal",
            "vendor_name": format!("Supplier {number}"), "solicitation_number": "S-1", "contract_value": 0});
        (EntityType::Contract, record.to_string())
    };
    let records: Vec<(EntityType, String)> = (0..23).map(contract).collect();
    let server = TestServer::own(&records, |_| {});
    let html = server.html("/en/solicitation/S-1", 200);
    assert_shows(&html, &["and 3 more"]);
    assert!(!text(&html).contains("worth"), "zero is no value: {html}");
    assert_shows(&server.html("/fr/solicitation/S-1", 200), &["et 3 autres"]);
}

#[test]
fn what_does_not_exist_leads_on() {
    let server = server();
    let html = server.html("/en/record/award/seao%7C1", 404);
    assert!(
        links(&html).contains("/en/record/contract/seao%7C1"),
        "the contract with the identifier"
    );
    let html = server.html("/fr/record/award/nope", 404);
    assert_shows(&html, &["Cette fiche n’existe pas", "nope"]);
    assert!(links(&html).contains("/fr/search?kind=award"));
    let html = server.html("/en/solicitation/nope", 404);
    assert!(links(&html).contains("/en/search?kind=tender&q=%22nope%22"));
    server.html("/en/solicitation/%2D%2D", 404);
}

#[test]
fn every_record_has_a_page_whose_links_lead_to_pages() {
    let server = TestServer::shared();
    let mut seen = BTreeSet::new();
    for (entity_type, record) in scenario_records() {
        let record: Value = serde_json::from_str(&record).unwrap();
        let id = procure::http::encoding::encode(record["record_id"].as_str().unwrap());
        for lang in ["en", "fr"] {
            let html = server.html(&format!("/{lang}/record/{entity_type}/{id}"), 200);
            seen.extend(links(&html).into_iter().filter(|address| {
                ["/record/", "/vendor/", "/department/", "/solicitation/", "/search"]
                    .iter()
                    .any(|part| address.get(3..).is_some_and(|rest| rest.starts_with(part)))
            }));
        }
    }
    assert!(seen.len() > 20, "too few links: {seen:?}");
    for address in seen {
        server.html(&address, 200);
    }
}

#[test]
fn hostile_records_are_texts_everywhere() {
    let markup = "</bdi></main><script>alert(1)</script><img src=x onerror=alert(1)>\"'>{{ t }}";
    let name = format!("Evil {markup}");
    let word = "x".repeat(4_000);
    let record = json!({
        "record_id": format!("e|{markup}"), "award_date": "2024-05-06", "municipality": markup, "title_en": format!("{markup} \u{202e}desrever"),
        "description_en": word, "vendor_name": name, "department_en": name, "contract_value": -1e300, "currency": markup,
        "solicitation_number": format!("N {markup}"), "notice_url": "javascript:alert(1)", "source_url": format!("https://x.example/\"{markup}"),
        "eligibility": {markup: [{markup: markup}]}, markup: markup, "fetched_at": markup, "status": markup,
        "start_date": "9999-12-31", "end_date": "0001-01-01", "publication_date": markup,
    });
    let server = &TestServer::own(&[(EntityType::Contract, record.to_string())], |_| {});
    let encode = procure::http::encoding::encode;
    let (id, name, number) = (
        encode(&format!("e|{markup}")),
        encode(&name),
        encode(&format!("N {markup}")),
    );
    for lang in ["en", "fr"] {
        for path in [
            format!("/{lang}/record/contract/{id}"),
            format!("/{lang}/vendor/{name}"),
            format!("/{lang}/compare/supplier?of={name}&of={id}"),
            format!("/{lang}/department/{name}"),
            format!("/{lang}/solicitation/{number}"),
        ] {
            let html = server.html(&path, 200);
            assert_harmless(&path, &html);
        }
        for path in [
            format!("/{lang}/record/tender/{id}x"),
            format!("/{lang}/vendor/{name}x"),
            format!("/{lang}/solicitation/{number}x"),
        ] {
            assert_harmless(&path, &server.html(&path, 404));
        }
    }
}

fn assert_harmless(path: &str, html: &str) {
    for forbidden in [
        "<script>",
        "<img",
        "onerror=alert(1)>",
        "href=\"javascript",
        "</bdi></main>",
    ] {
        assert!(!html.contains(forbidden), "{path} has {forbidden}: {html}");
    }
    assert_eq!(html.matches("</main>").count(), 1, "{path}");
    assert!(html.contains("alert(1)"), "{path} shows the text");
}

#[test]
fn a_deep_record_has_a_page() {
    let depth = 30;
    let deep = format!("{}1{}", "[{\"a\":".repeat(depth), "}]".repeat(depth));
    let record = format!(
        r#"{{"record_id":"deep","award_date":"2024-01-01","vendor_name":"A","municipality":"laval","x":{deep}}}"#
    );
    let server = &TestServer::own(&[(EntityType::Contract, record)], |_| {});
    let html = server.html("/en/record/contract/deep", 200);
    assert!(html.contains("class=\"json\""), "{html}");
}
