//! What helps to find records, and to trust the figures: relevance, translation, spellings, commodity codes, doubts,
//! currencies and market figures, as the pages show them.

use std::sync::LazyLock;

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use super::html::{assert_shows, between, text};
use crate::support::{TestServer, merged};

/// Whether the page has a link to this address.
fn links_to(html: &str, address: &str) -> bool {
    html.contains(&format!("href=\"{}\"", address.replace('&', "&#38;")))
}

/// The identifiers of the records of a page of results, in their order.
fn ids(html: &str) -> Vec<String> {
    let rows = html.split("<li class=\"search-hit\">").skip(1);
    let hrefs = rows.filter_map(|row| row.split("href=\"").nth(1)?.split('"').next());
    hrefs.map(|href| href.rsplit('/').next().unwrap().to_owned()).collect()
}

fn contract(id: &str, fields: Value) -> (EntityType, String) {
    let record = json!({
        "record_id": id, "municipality": "toronto", "award_date": "2024-05-06", "vendor_name": "Acme", "fetched_at": "2024-06-01T00:00:00Z",
        "contract_value": 100_000, "department_en": "Roads", "department_fr": "Voirie",
    });
    (EntityType::Contract, merged(record, &fields).to_string())
}

fn records() -> Vec<(EntityType, String)> {
    let filler = (0..12).map(|number| {
        let fields = json!({"title_fr": "Entretien des parcs", "vendor_name": format!("Jardins {number}"), "contract_value": 10_000,
            "unspsc": "70111700", "unspsc_description_en": "Parks and gardens", "unspsc_description_fr": "Parcs et jardins"});
        contract(&format!("park{number}"), fields)
    });
    let named = [
        contract(
            "english",
            json!({"title_en": "Snow removal", "award_date": "2020-01-02"}),
        ),
        contract(
            "french",
            json!({"title_fr": "Déneigement des rues", "title_en": null, "award_date": "2021-01-02"}),
        ),
        contract(
            "mentioned",
            json!({"title_en": "Road works", "description_en": "All works of the year without snow removal, which is another contract.",
                "award_date": "2024-12-31"}),
        ),
        contract(
            "coded",
            json!({"unspsc": "72141003", "unspsc_description_en": "Bridge construction", "unspsc_description_fr": "Construction de ponts",
                "vendor_name": "Bridge Co", "procurement_method_en": "Open bidding", "contract_value": 900_000}),
        ),
        contract(
            "segment",
            json!({"unspsc": "72000000", "unspsc_description_en": "Construction services", "unspsc_description_fr": "Services de construction",
                "vendor_name": "Builders", "procurement_method_en": "Non-competitive", "original_value": 240_000, "contract_value": 300_000}),
        ),
        contract(
            "doubtful",
            json!({"title_en": "Ferry terminal", "quality_flags": ["implausible_value", "duplicate_suspect"], "contract_value": 3_000_000}),
        ),
        contract(
            "american",
            json!({"title_en": "Ferry engine", "currency": "USD", "contract_value": 50_000}),
        ),
    ];
    let disclosure = json!({"record_id": "d1", "award_date": "2023-04-05", "vendor_name": "Labs", "municipality": "federal",
        "contract_value": 50_000, "number_of_bids": "3", "fetched_at": "2024-06-01T00:00:00Z"});
    let disclosure = (EntityType::Disclosure, disclosure.to_string());
    filler.chain(named).chain([disclosure]).collect()
}

/// The server of these records. It is never stopped.
fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&records(), |_| {}));
    &SERVER
}

#[test]
fn words_are_searched_in_both_languages_with_the_best_match_first() {
    let server = server();
    let page = server.html("/en/search?q=snow+removal", 200);
    let found = ids(&page);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(
        found[2], "mentioned",
        "a title counts more than a newer description: {found:?}"
    );
    assert_shows(&page, &["Also searched:", "Best match first Newest first"]);
    let own_words = "/en/search?kind=contract&q=snow%20removal&translate=false&match_codes=false";
    assert!(links_to(&page, own_words), "{page}");
    let page = server.html(own_words, 200);
    assert_eq!(ids(&page), ["english", "mentioned"]);
    assert_shows(
        &page,
        &["Only your own words were searched.", "Search other terms for them, too"],
    );
    assert!(links_to(&page, "/en/search?kind=contract&q=snow%20removal"));
    // The other language finds the same records.
    let french = server.html("/fr/search?q=d%C3%A9neigement", 200);
    let mut both = ids(&french);
    both.sort();
    assert_eq!(both, ["english", "french", "mentioned"]);
    assert_shows(&french, &["Aussi cherché :", "Seulement mes propres mots"]);
    // Another order is in the address.
    let newest = "/en/search?kind=contract&q=snow%20removal&sort_by=date&sort_order=desc";
    assert!(links_to(&server.html("/en/search?q=snow+removal", 200), newest));
    assert_eq!(ids(&server.html(newest, 200))[0], "mentioned");
    // Without words there is nothing to be relevant for, and nothing to translate.
    let page = server.html("/en/search?vendor=acme", 200);
    assert!(
        !text(&page).contains("Best match first") && !page.contains("search-translation"),
        "{page}"
    );
}

#[test]
fn the_api_and_the_file_find_what_the_page_finds() {
    let server = server();
    let page = server.html("/en/search?q=snow+removal", 200);
    let json = page
        .split("/contract?")
        .nth(1)
        .unwrap()
        .split("&#39;</code>")
        .next()
        .unwrap();
    let api = server.get(&format!("/contract?{}", json.replace("&#38;", "&")));
    assert_eq!(api.ids(), ids(&page));
    let file = server.get("/en/search.csv?kind=contract&q=snow%20removal");
    let rows = String::from_utf8(file.body).unwrap();
    for id in ["english", "french", "mentioned"] {
        assert!(rows.contains(&format!("\r\n{id},")), "{id} is not in {rows}");
    }
}

#[test]
fn pages_in_the_order_of_relevance_lead_to_each_other() {
    let server = server();
    let (mut path, mut seen) = ("/en/search?kind=contract&q=parcs&limit=5".to_owned(), Vec::new());
    loop {
        let page = server.html(&path, 200);
        seen.extend(ids(&page));
        let Some((before, _)) = page.split_once("\" rel=\"next\"") else {
            break;
        };
        path = before.rsplit("href=\"").next().unwrap().replace("&#38;", "&");
        assert!(seen.len() < 50, "the pages do not end");
    }
    let mut distinct = seen.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!((seen.len(), distinct.len()), (12, 12), "{seen:?}");
}

#[test]
fn nothing_found_suggests_words_that_occur() {
    let server = server();
    let page = server.html("/en/search?q=deneigemnt+rues&translate=false", 200);
    assert_shows(
        &page,
        &["0 contracts", "Did you mean", "déneigement rues", "finds 1 contract"],
    );
    let better = "/en/search?kind=contract&q=d%C3%A9neigement%20rues&translate=false";
    assert!(links_to(&page, better), "{page}");
    assert_eq!(ids(&server.html(better, 200)), ["french"]);
    let page = server.html("/fr/search?q=zzzzzz", 200);
    assert!(!text(&page).contains("Vouliez-vous dire"), "nothing is near: {page}");
    let page = server.html("/en/search?q=deneigemnt+zzzzzz", 200);
    assert!(
        !text(&page).contains("Did you mean"),
        "the other word finds nothing: {page}"
    );
}

#[test]
fn commodity_codes_are_facets_conditions_and_pages() {
    let server = server();
    let page = server.html("/en/search?kind=contract", 200);
    let root = "/en/search?kind=contract&commodity=unspsc%3A72";
    assert!(links_to(&page, root), "{page}");
    let page = server.html(root, 200);
    assert_shows(&page, &["2 contracts", "Commodity: Construction services (UNSPSC 72)"]);
    assert_eq!(
        server
            .html("/en/search?kind=contract&commodity=snow", 422)
            .matches("id=\"commodity-error\"")
            .count(),
        1
    );

    let page = server.html("/en/commodity/72", 200);
    assert_shows(
        &page,
        &[
            "Commodity UNSPSC 72 Construction services",
            "In French: Services de construction",
            "2 contracts worth $1.2 million, 2024.",
            "What it consists of",
            "UNSPSC 7214",
            "Buyers with the largest total value",
            "Suppliers with the largest total value",
            "Bridge Co $900,000.00 1 75%",
            "Market figures",
            "Awarded without competition",
            "25% 100%",
            "Median number of bids",
            "New suppliers by year",
        ],
    );
    for address in [
        "/en/commodities",
        "/en/commodity/7214",
        "/en/commodity.csv/72?kind=contract",
        "/en/search?kind=contract&commodity=unspsc%3A72",
    ] {
        assert!(links_to(&page, address), "no link to {address}: {page}");
    }
    assert!(
        page.contains("href=\"/en/supplier/sup_"),
        "no link to a supplier: {page}"
    );
    assert!(
        page.contains("curl -H ") && page.contains("/commodity/unspsc%3A72"),
        "{page}"
    );
    // Each code has its place: the codes above it are links.
    let page = server.html("/fr/commodity/72141003", 200);
    assert_shows(
        &page,
        &[
            "Marchandise UNSPSC 72141003",
            "Construction de ponts",
            "En anglais : Bridge construction",
        ],
    );
    for above in ["/fr/commodity/72", "/fr/commodity/7214", "/fr/commodity/721410"] {
        assert!(links_to(&page, above), "no link to {above}: {page}");
    }
    let file = server.get("/en/commodity.csv/72?kind=contract");
    assert_eq!(String::from_utf8(file.body).unwrap().lines().count(), 3);
    for (code, status) in [("snow", 404), ("9999", 404), ("gsin%3An7030", 404), ("72?kind=x", 422)] {
        let page = server.html(&format!("/en/commodity/{code}"), status);
        assert!(status == 422 || links_to(&page, "/en/commodities"), "{page}");
    }
    assert_shows(
        &server.html("/en/commodity/72?kind=tender", 200),
        &["no records of this type"],
    );
    // A record leads to the page of its code.
    let page = server.html("/en/record/contract/coded", 200);
    assert!(links_to(&page, "/en/commodity/72141003"), "{page}");
}

#[test]
fn codes_are_found_by_their_words_and_by_level() {
    let server = server();
    let page = server.html("/en/commodities", 200);
    assert_shows(
        &page,
        &[
            "2 codes that records have",
            "UNSPSC 70",
            "UNSPSC 72 Construction services 2 $1,200,000.00",
        ],
    );
    assert!(links_to(&page, "/en/commodities?parent=unspsc%3A72"), "{page}");
    let page = server.html("/fr/commodities?q=ponts", 200);
    assert_shows(&page, &["1 code porté par des fiches", "Construction de ponts"]);
    assert!(links_to(&page, "/fr/commodity/72141003"), "{page}");
    let page = server.html("/en/commodities?q=zzz", 200);
    assert_shows(&page, &["No code that records have fits."]);
    server.html("/en/commodities?x=1", 422);
    let page = server.html("/en/commodities?limit=1", 200);
    assert!(links_to(&page, "/en/commodities?limit=1&offset=1"), "{page}");
    let file = server.get("/en/commodities.csv");
    assert_eq!(file.status, 200);
    assert!(
        String::from_utf8(file.body)
            .unwrap()
            .contains("unspsc:72,unspsc,72,Construction services")
    );
}

#[test]
fn doubts_are_explained_on_the_record_and_next_to_totals() {
    let server = server();
    let page = server.html("/en/record/contract/doubtful", 200);
    assert_shows(
        &page,
        &[
            "Doubts about this record",
            "implausible amount The amount is very far from those of similar records",
            "possible duplicate Another record has the same buyer",
        ],
    );
    assert_shows(
        &server.html("/fr/record/contract/doubtful", 200),
        &["Doutes sur cette fiche", "montant invraisemblable"],
    );
    assert!(!text(&server.html("/en/record/contract/english", 200)).contains("Doubts about this record"));

    let page = server.html("/en/search?q=ferry", 200);
    assert_shows(
        &page,
        &[
            "100% of this value ($3 million) is of 1 record with a doubt.",
            "possible duplicate (1)",
            "Not in this total: US$50,000 (1 record).",
        ],
    );
    let without = "/en/search?kind=contract&q=ferry&quality_flag=none";
    assert!(links_to(&page, without), "{page}");
    let page = server.html(without, 200);
    assert_eq!(ids(&page), ["american"]);
    assert_shows(&page, &["Doubt: no doubt"]);
    assert_eq!(
        ids(&server.html("/en/search?quality_flag=implausible_value", 200)),
        ["doubtful"]
    );
    let page = server.html("/en/vendor/Acme", 200);
    assert_shows(
        &page,
        &[
            "is of 1 record with a doubt.",
            "Not in this total: US$50,000 (1 record).",
        ],
    );
}

#[test]
fn profiles_state_market_figures_with_their_coverage() {
    let server = server();
    let page = server.html("/en/department/Roads", 200);
    assert_shows(
        &page,
        &[
            "Market figures",
            "Share of the five largest suppliers",
            "Concentration (HHI)",
            "New suppliers by year",
        ],
    );
    let page = server.html("/fr/vendor/Builders", 200);
    assert_shows(
        &page,
        &["Chiffres du marché", "Croissance par modifications", "+25 % 100 %"],
    );
    assert!(
        !text(&page).contains("IHH"),
        "one supplier has no share among suppliers"
    );
    let page = server.html("/en/vendor/Labs", 200);
    assert_shows(
        &page,
        &["Median number of bids Half of the awards had at most as many bids. 3 100%"],
    );
    // Nothing is known of the bids and amendments of these: there is no table.
    let page = server.html("/en/vendor/Bridge%20Co", 200);
    assert!(!text(&page).contains("Market figures"), "{page}");
}

#[test]
fn a_buyer_and_its_parts_have_pages_with_all_their_records() {
    let of = |id: &str, part: Option<&str>| {
        let fields =
            json!({"record_id": id, "department_en": part, "department_fr": null, "buyer_name": "City of Toronto"});
        contract(id, fields)
    };
    let records = [
        of("1", Some("Parks")),
        of("2", Some("Parks")),
        of("3", Some("Water")),
        of("4", None),
    ];
    let server = TestServer::own(&records, |_| {});
    let whole = server.html("/en/department/City%20of%20Toronto", 200);
    assert_shows(&whole, &["4 contracts"]);
    let part = server.html("/en/department/Parks", 200);
    assert_shows(&part, &["2 contracts", "This is a part of a larger buyer."]);
    assert!(!text(&whole).contains("part of a larger buyer"), "{whole}");
}

#[test]
fn a_misspelled_supplier_leads_to_the_right_one() {
    let names = [
        "Bell Canada",
        "Candiac Excavation",
        "Belcan",
        "Canada Bread",
        "Bell Media",
    ];
    let records: Vec<(EntityType, String)> = names
        .iter()
        .map(|name| contract(name, json!({"vendor_name": name})))
        .collect();
    let server = TestServer::own(&records, |_| {});
    let page = server.html("/en/vendor/Bel%20Canda", 404);
    let list = page
        .split("<ul class=\"similar\">")
        .nth(1)
        .unwrap_or_else(|| panic!("no names: {page}"));
    let first = list.split("<bdi>").nth(1).unwrap().split('<').next().unwrap();
    assert_eq!(first, "Bell Canada", "{list}");
}

#[test]
fn the_number_in_a_chart_of_names_leads_to_exactly_these_records() {
    let server = server();
    for path in [
        "/en/search?kind=contract&q=entretien",
        "/en/search?kind=contract&q=entretien&spellings=true",
        "/en/commodity/70111700",
        "/en/search?kind=contract",
    ] {
        let html = server.html(path, 200);
        let numbers = between(&html, "data-label=\"Number\"><a href=\"/en/search?", "</a>");
        assert!(numbers.len() >= 10, "{path}: {numbers:?}");
        for number in numbers {
            let (query, count) = (number.split('"').next().unwrap(), number.rsplit('>').next().unwrap());
            let found = server.html(&format!("/en/search?{}", query.replace("&#38;", "&")), 200);
            assert!(
                found.contains(&format!("role=\"status\">{count} contract")),
                "{path} {query}"
            );
        }
    }
    let condition = server.html("/en/search?kind=contract&q=entretien", 200);
    assert!(condition.contains("<span class=\"search-chip-label\">"), "{condition}");
}

#[test]
fn methods_open_tenders_and_the_subject_of_a_question_are_suggested() {
    let tender = |id: &str, closing: &str| {
        let record = json!({"record_id": id, "title_en": "Snow removal", "status": "Open", "closing_date": closing,
            "publication_date": "2020-01-01", "municipality": "toronto"});
        (EntityType::Tender, record.to_string())
    };
    let records = [
        contract(
            "direct",
            json!({"title_en": "Snow removal", "procurement_method_en": "Non-competitive"}),
        ),
        contract(
            "open",
            json!({"title_en": "Snow removal", "procurement_method_en": "Open bidding"}),
        ),
        tender("closed", "2020-02-01"),
        tender("later", "2999-01-01"),
    ];
    let server = TestServer::own(&records, |_| {});
    let first = |q: &str| {
        let html = server.html(&format!("/en/search?q={q}"), 200);
        let meanings = between(&html, "<section class=\"search-meanings\"", "</section>").concat();
        let first = between(&meanings, "<li>", "</li>")
            .first()
            .map(|first| (*first).to_owned());
        let first = first.unwrap_or_else(|| panic!("{q}: {html}"));
        let href = between(&first, "href=\"", "\"")[0].replace("&#38;", "&");
        let found = server.html(&href, 200);
        let count = between(&first, " · ", "</small>")[0]
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        assert!(
            found.contains(&format!("role=\"status\">{count}")),
            "{q}: {href} {count}"
        );
        href
    };
    for q in [
        "who+got+snow+removal+without+competition",
        "snow+removal+gr%C3%A9+%C3%A0+gr%C3%A9",
    ] {
        let expected = "/en/search?kind=contract&q=snow%20removal&competition=none";
        assert_eq!(first(q), expected);
    }
    let open = first("open+tenders+snow+removal");
    assert!(
        open.starts_with("/en/search?kind=tender&q=snow%20removal&status=Open&closing_after="),
        "{open}"
    );
    assert!(first("sole+source").starts_with("/en/search?kind=contract&competition=none"));
    // Nothing is of that year, but the firm is known.
    for q in ["how+much+did+Acme+get+in+1999", "acme+1999", "Acme"] {
        let supplier = first(q);
        assert!(
            supplier.starts_with("/en/search?kind=contract&supplier=sup_"),
            "{q}: {supplier}"
        );
    }
}

#[test]
fn a_misspelled_word_of_a_question_is_searched_for_as_records_spell_it() {
    let titles = ["Paving of streets", "Paving of lots", "Roofing"];
    let records = titles.map(|title| contract(title, json!({"title_en": title, "vendor_name": "Acme"})));
    let server = TestServer::own(&records, |_| {});
    let html = server.html("/en/search?kind=contract&q=how+many+pavving+contracts+in+Toronto", 200);
    assert_shows(
        &html,
        &["paving, Toronto 2 contracts", "“paving” in place of “pavving”"],
    );
    assert!(
        links_to(&html, "/en/search?kind=contract&q=paving&municipality=toronto"),
        "{html}"
    );
    let french = server.html(
        "/fr/search?kind=contract&q=combien+de+contrats+de+pavving+%C3%A0+Toronto",
        200,
    );
    assert_shows(&french, &["« paving » à la place de « pavving »"]);
    // Those with most contracts are ranked by number.
    let most = server.html(
        "/en/search?kind=contract&q=who+won+the+most+paving+contracts+in+Toronto",
        200,
    );
    let ranked = "/en/search?kind=contract&q=paving&municipality=toronto&rank=number";
    assert!(links_to(&most, ranked), "{most}");
    assert_shows(&most, &["Suppliers with the most records: Acme (2 contracts"]);
    // No condition says what is set aside, and its contracts are not those without a word.
    let set_aside = server.html(
        "/en/search?kind=contract&q=paving+contracts+to+Indigenous+businesses",
        200,
    );
    assert_shows(&set_aside, &["set aside for Indigenous businesses"]);
    assert!(!text(&set_aside).contains("Without “"), "{set_aside}");
}

#[test]
fn an_answer_states_the_contracts_of_other_entity_types() {
    let titles = ["Paving of streets", "Paving of lots"];
    let mut records: Vec<_> = titles.map(|title| contract(title, json!({"title_en": title}))).to_vec();
    let disclosed = json!({
        "record_id": "d1", "award_date": "2024-07-08", "municipality": "toronto", "description_en": "Paving",
    });
    records.push((EntityType::Disclosure, disclosed.to_string()));
    let server = TestServer::own(&records, |_| {});
    let html = server.html("/en/search?q=how+much+was+paid+for+paving+in+2024", 200);
    assert_shows(
        &html,
        &["2 contracts", "under the same conditions: 1 disclosed federal contract"],
    );
    let other = "/en/search?kind=disclosure&q=paving&issued_after=2024-01-01&issued_before=2024-12-31";
    assert!(links_to(&html, other), "{html}");
    // Only contracts were asked for by the address.
    let html = server.html("/en/search?kind=contract&q=how+much+was+paid+for+paving+in+2024", 200);
    assert!(!text(&html).contains("under the same conditions"), "{html}");
    // Also of a firm.
    let of_firm = json!({"record_id": "d2", "award_date": "2023-01-01", "municipality": "toronto", "vendor_name": "Zenith Roads"});
    let mut records: Vec<_> = titles
        .map(|title| contract(title, json!({"title_en": title, "vendor_name": "Zenith Roads"})))
        .to_vec();
    records.push((EntityType::Disclosure, of_firm.to_string()));
    let server = TestServer::own(&records, |_| {});
    let html = server.html("/en/search?q=how+much+did+Zenith+get", 200);
    assert_shows(
        &html,
        &["2 contracts", "under the same conditions: 1 disclosed federal contract"],
    );
}

#[test]
fn an_answer_states_the_names_of_a_buyer_a_share_of_the_value_and_doubts_of_other_types() {
    let of = |id: &str, buyer: &str, method: &str, value: u64| {
        let fields = json!({
            "department_en": null, "department_fr": null, "buyer_name": buyer, "municipality": "qc-provincial",
            "procurement_method": method, "contract_value": value,
        });
        contract(id, fields)
    };
    let disclosed = |id: &str, value: u64, flags: Value| {
        let fields = json!({
            "record_id": id, "award_date": "2024-07-08", "vendor_name": "Zenith", "contract_value": value,
            "quality_flags": flags,
        });
        (EntityType::Disclosure, fields.to_string())
    };
    let records = [
        of("a", "Régie des rentes du Québec", "direct", 1_000),
        of("b", "Retraite Québec", "open", 3_000),
        contract("c", json!({"vendor_name": "Zenith"})),
        disclosed("d", 5_000, json!([])),
        disclosed("e", 900_000, json!(["implausible_value"])),
    ];
    let server = TestServer::own(&records, |_| {});
    let html = server.html("/en/search?q=sole+source+share+of+Retraite+Qu%C3%A9bec", 200);
    assert_shows(
        &html,
        &["Share: 1 of 2, 50%; 25% of the value, without the records in doubt"],
    );
    let html = server.html("/fr/search?q=contrats+de+Retraite+Qu%C3%A9bec+en+2024", 200);
    assert_shows(
        &html,
        &["Comptés sous 2 noms de cet acheteur : Retraite Québec (1), Régie des rentes du Québec (1)."],
    );
    let html = server.html("/en/search?q=how+much+did+Zenith+get", 200);
    assert_shows(
        &html,
        &["2 disclosed federal contracts worth $905,000 ($5,000 without the records in doubt)"],
    );
}

#[test]
fn a_name_is_not_taken_for_a_part_of_it() {
    let records = [
        contract("a", json!({"vendor_name": "Les Entreprises Michaudville Inc."})),
        contract("b", json!({"title_en": "Michaudville bridge"})),
        contract("c", json!({"title_en": "Information technology services"})),
        contract(
            "d",
            json!({"department_en": "Technology Services", "department_fr": null}),
        ),
    ];
    let server = TestServer::own(&records, |_| {});
    let html = server.html(
        "/fr/search?q=qui+a+soumissionn%C3%A9+contre+Les+Entreprises+Michaudville",
        200,
    );
    assert_shows(&html, &["Qui a soumissionné : Les Entreprises Michaudville Inc."]);
    // The trade, not the division.
    let html = server.html("/en/search?q=contracts+for+IT+services+in+2024", 200);
    assert_shows(&html, &["information technology services, 2024 1 contract"]);
}

#[test]
fn an_answer_ranks_without_the_records_in_doubt_that_decide() {
    let of = |id: &str, vendor: &str, value: f64, flags: Value| {
        contract(
            id,
            json!({"title_en": "Paving", "vendor_name": vendor, "contract_value": value, "quality_flags": flags}),
        )
    };
    let sound = [
        of("a", "Acme", 5.0, json!([])),
        of("b", "Acme", 5.0, json!([])),
        of("c", "Zenith", 20.0, json!([])),
    ];
    let path = "/en/search?q=who+sold+paving+in+2024";
    let server = TestServer::own(&sound, |_| {});
    assert_shows(
        &server.html(path, 200),
        &["Suppliers with the highest total value: Zenith ($20, 1 contract), Acme ($10, 2 contracts)"],
    );
    let doubtful = of("d", "Zenith", 6e8, json!(["implausible_value"]));
    let records: Vec<_> = sound.into_iter().take(2).chain([doubtful]).collect();
    let server = TestServer::own(&records, |_| {});
    assert_shows(
        &server.html(path, 200),
        &["Suppliers with the highest total value, without the records in doubt: Acme ($10, 2 contracts)"],
    );
}

#[test]
fn each_term_for_the_same_finds_all_others() {
    let titles = ["Snow removal", "Winter maintenance", "Déneigement"];
    let records = titles.map(|title| contract(title, json!({"title_en": title})));
    let server = TestServer::own(&records, |_| {});
    for path in [
        "/en/search?q=snow+removal",
        "/en/search?q=winter+maintenance",
        "/fr/search?q=d%C3%A9neigement",
    ] {
        assert_eq!(ids(&server.html(path, 200)).len(), 3, "{path}");
    }
    let english = server.html("/en/search?q=snow+removal", 200);
    assert_shows(&english, &["Also searched:", "déneigement, enlèvement de la neige"]);
}
