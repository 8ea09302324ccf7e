//! The page of results: what it shows and where its links lead.

use std::collections::BTreeSet;

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use super::html::between;
use crate::support::{TestServer, contracts, merged, sample_records};

fn unescaped(text: &str) -> String {
    text.replace("&#38;", "&").replace("&amp;", "&")
}

/// The address of the first link whose tag contains `mark`.
fn link(html: &str, mark: &str) -> Option<String> {
    let tags = between(html, "<a ", "</a>");
    let tag = tags.into_iter().find(|tag| tag.contains(mark))?;
    Some(unescaped(between(tag, "href=\"", "\"")[0]))
}

/// The addresses of the records on a page.
fn hits(html: &str) -> Vec<String> {
    let rows = between(html, "<li class=\"search-hit\">", "</h3>");
    rows.iter()
        .map(|row| unescaped(between(row, "href=\"", "\"")[0]))
        .collect()
}

/// The answer in one sentence.
fn sentence(html: &str) -> String {
    let sentence = between(html, "<p class=\"lead\" role=\"status\">", "</p>")[0];
    sentence.replace(['\u{a0}', '\u{202f}'], " ")
}

/// The table of what each condition costs: its name, and the texts and addresses of what there is without it and alone.
fn costs(html: &str) -> Vec<[String; 3]> {
    let table = between(html, "<table class=\"data search-costs\">", "</table>")[0];
    let way = |cell: &str| match between(cell, "href=\"", "\"").first() {
        Some(href) => format!("{} {}", between(cell, "\">", "</a>")[0], unescaped(href)),
        None => cell.trim().to_owned(),
    };
    let row = |row: &str| {
        let cells: Vec<&str> = between(row, "<td data-label=\"", "</td>")
            .into_iter()
            .map(|cell| cell.split_once("\">").expect("a cell with its label").1)
            .collect();
        [
            between(row, "<bdi>", "</bdi>")[0].to_owned(),
            way(cells[0]),
            way(cells[1]),
        ]
    };
    between(table, "<tr><th scope=\"row\">", "</tr>")
        .into_iter()
        .map(row)
        .collect()
}

fn record(entity_type: EntityType, fields: Value) -> (EntityType, String) {
    let record = json!({
        "record_id": "1", "municipality": "montreal", "award_date": "2024-05-06", "vendor_name": "Acme inc.",
        "fetched_at": "2024-06-01T00:00:00Z"
    });
    (entity_type, merged(record, &fields).to_string())
}

fn paving() -> Vec<(EntityType, String)> {
    use EntityType::*;
    vec![
        record(
            Contract,
            json!({"record_id": "a", "title_fr": "Pavage de rues", "title_en": "Paving of streets", "contract_value": 1200000.5,
                "department_en": "Roads", "department_fr": "Voirie", "procurement_category": "CNST", "end_date": "2025-01-31"}),
        ),
        record(
            Contract,
            json!({"record_id": "b", "title_fr": "Réfection du pavage", "contract_value": 800000, "award_date": "2022-03-04",
                "vendor_name": "Béton & Fils", "department_fr": "Voirie", "department_en": "Roads", "procurement_category": "CNST",
                "reference_number": "R-77"}),
        ),
        record(
            Contract,
            json!({"record_id": "c", "unspsc_description_en": "Street paving service", "award_date": "2022-07-08",
                "description_en": "Work before winter.", "buyer_name": "City works", "procurement_category": "SRV"}),
        ),
        record(
            Tender,
            json!({"record_id": "t", "title_en": "Paving of a yard", "publication_date": "2024-01-02", "status": "Open",
                "closing_date": "2024-02-03"}),
        ),
    ]
}

#[test]
fn a_search_is_answered_in_one_sentence_and_a_list() {
    let server = TestServer::own(&paving(), |_| {});
    let html = server.html("/en/search?kind=contract&q=paving&translate=false&sort_by=date", 200);
    assert_eq!(
        sentence(&html),
        "2 contracts worth $1.2 million where a value is published (1 of them), 2022–2024, by 2 buyers, from 1 supplier"
    );
    assert_eq!(hits(&html), ["/en/record/contract/a", "/en/record/contract/c"]);
    for shown in [
        "<mark>Paving</mark> of streets",
        "Street <mark>paving</mark> service</bdi></a> <small class=\"note\">from the commodity code</small>",
        "$1,200,000.50",
        "href=\"/en/vendor/Acme%20inc.\"",
        "href=\"/en/department/Roads\"",
        "<bdi>City works</bdi>",
        "January\u{a0}31, 2025",
        "not published",
        "Tenders <span class=\"search-count\">1</span>",
        "href=\"/en/search?kind=tender&#38;q=paving&#38;translate=false&#38;sort_by=date\"",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }

    let html = server.html("/fr/search?q=pavage&translate=false", 200);
    assert_eq!(
        sentence(&html),
        "2 contrats d’une valeur de 2 M$, 2022–2024, par 1 acheteur, auprès de 2 fournisseurs"
    );
    for shown in [
        "<mark>Pavage</mark> de rues",
        "Réfection du <mark>pavage</mark>",
        "1\u{202f}200\u{202f}000,50\u{a0}$",
        "<bdi>Voirie</bdi>",
        "6\u{a0}mai 2024",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let html = server.html("/fr/search?q=winter", 200);
    assert!(html.contains("<bdi lang=\"en\">Street paving service</bdi>"), "{html}");
    assert!(
        html.contains("<bdi lang=\"en\">Work before <mark>winter</mark>.</bdi>"),
        "{html}"
    );
}

#[test]
fn the_supplier_and_the_buyer_of_a_hit_have_pages_also_without_a_contract() {
    let award = json!({"title_en": "Dredging", "vendor_name": "Only Awards inc.", "department_en": "Harbour"});
    let server = TestServer::own(&[record(EntityType::Award, award)], |_| {});
    let html = server.html("/en/search?kind=award", 200);
    for path in ["/en/vendor/Only%20Awards%20inc.", "/en/department/Harbour"] {
        assert!(html.contains(&format!("<a href=\"{path}\">")), "{path}: {html}");
        let shown = server.html(path, 200).replace(['\u{a0}', '\u{202f}'], " ");
        assert!(shown.contains("1 award notice"), "{path}: {shown}");
    }
}

#[test]
fn each_value_of_a_facet_leads_to_as_many_records() {
    let server = TestServer::shared();
    let mut followed = 0;
    for entity_type in EntityType::ALL {
        let html = server.html(&format!("/en/search?kind={entity_type}"), 200);
        let facets = between(&html, "<section class=\"search-facet\"", "</section>");
        for facet in facets {
            // The start of a method finds longer ones.
            let is_exact = !facet.contains("facet-procurement_method");
            for value in between(facet, "<li", "</li>") {
                let count: u64 = between(value, "search-count\">", "<")[0]
                    .replace(',', "")
                    .parse()
                    .unwrap();
                let Some(href) = between(value, "href=\"", "\"").first().map(|href| unescaped(href)) else {
                    continue;
                };
                let narrowed = server.html(&href, 200);
                let found = sentence(&narrowed);
                let found: u64 = found.split(' ').next().unwrap().replace(',', "").parse().unwrap();
                assert!(
                    found == count || (!is_exact && found > count),
                    "{href}: {found}, not {count}"
                );
                assert!(narrowed.contains("class=\"search-chip\""), "{href}");
                followed += 1;
            }
        }
    }
    assert!(followed > 30, "only {followed} links");
}

/// The number of records that a page of results has.
fn total(html: &str) -> u64 {
    number(sentence(html).split(' ').next().unwrap())
}

/// A whole number as pages in English write it.
fn number(text: &str) -> u64 {
    text.replace(',', "")
        .parse()
        .unwrap_or_else(|_| panic!("not a number: {text}"))
}

/// What links of a page of results state: the address, and how many records it leads to.
fn stated(html: &str) -> Vec<(String, u64)> {
    let mut stated = Vec::new();
    for facet in between(html, "<section class=\"search-facet\"", "</section>") {
        // The start of a method finds longer ones, and the link of a condition removes it.
        if facet.contains("facet-procurement_method") {
            continue;
        }
        for value in between(facet, "<li>", "</li>") {
            if let [href, ..] = between(value, "href=\"", "\"")[..] {
                stated.push((unescaped(href), number(between(value, "search-count\">", "<")[0])));
            }
        }
    }
    for row in between(html, "<tr><th scope=\"row\"><a href=\"/en/search", "</tr>") {
        let href = format!("/en/search{}", row.split('"').next().unwrap());
        let count = row.rsplit("<td class=\"number\">").next().unwrap();
        stated.push((unescaped(&href), number(count.split('<').next().unwrap())));
    }
    for meaning in between(html, "<section class=\"search-meanings\"", "</section>") {
        for meant in between(meaning, "<li>", "</li>") {
            let href = unescaped(between(meant, "href=\"", "\"")[0]);
            let count = between(meant, " · ", " ")[0].replace('\u{a0}', "");
            if href.contains("/search?") {
                stated.push((href, number(count.trim())));
            }
        }
    }
    stated
}

#[test]
fn facets_bars_and_meanings_of_the_sample_lead_to_as_many_records_as_they_state() {
    let server = TestServer::own(&sample_records(), |_| {});
    let mut followed = BTreeSet::new();
    let mut by_code = 0;
    for (kind, q) in [
        ("contract", ""),
        ("contract", "snow+removal"),
        ("contract", "d%C3%A9neigement"),
        ("contract", "roofing"),
        ("contract", "services&issued_after=2019-03-04&issued_before=2023-09-08"),
        ("contract", "software"),
        ("contract", "travaux"),
        ("contract", "pavage&sort_by=value"),
        ("tender", "maintenance"),
        ("tender", "construction"),
        ("award", "services"),
        ("disclosure", ""),
        ("disclosure", "consulting"),
        ("standing_offer", ""),
        ("pre_solicitation", ""),
        ("contract", "montreal"),
        ("contract", "who+won+snow+removal+in+montreal"),
        ("tender", "tree+pruning+toronto+2023"),
    ] {
        let search = format!("/en/search?kind={kind}&q={q}");
        let html = server.html(&search, 200);
        if let [note, ..] = between(&html, "Included for their commodity code, not their words: ", "</p>")[..] {
            let count = number(note.split([' ', '\u{a0}']).next().unwrap());
            let without_codes = server.html(&format!("{search}&match_codes=false"), 200);
            assert_eq!(total(&html) - total(&without_codes), count, "{q}");
            let own = between(note, "<a href=\"/en/search", "\"");
            let own = format!("/en/search{}", unescaped(own.last().unwrap()));
            assert!(total(&server.html(&own, 200)) <= total(&without_codes), "{own}");
            by_code += count;
        }
        for (href, count) in stated(&html) {
            if followed.insert(href.clone()) {
                assert_eq!(total(&server.html(&href, 200)), count, "{kind} {q}: {href}");
            }
        }
    }
    assert!(followed.len() >= 300, "only {} links", followed.len());
    assert!(by_code > 0, "no record was found for its code");
    // The place and the year among the words are conditions of a search that found something.
    for part in [
        "q=snow%20removal&municipality=montreal",
        "municipality=toronto&issued_after=2023-01-01",
    ] {
        assert!(followed.iter().any(|href| href.contains(part)), "{part}: {followed:?}");
    }
}

#[test]
fn an_active_condition_is_named_and_removed_by_its_link() {
    let server = TestServer::own(&paving(), |_| {});
    let path = "/en/search?kind=contract&department=roads&city=montreal&value_min=900000&issued_after=2020-01-01&category=cnst";
    let html = server.html(path, 200);
    let chips = between(&html, "<span class=\"search-chip\">", "</span></li>");
    let words: Vec<String> = chips
        .iter()
        .map(|chip| {
            let words = chip.split('\n').next().unwrap().replace('\u{a0}', " ");
            let (label, value) = words.split_once("</span> <bdi>").unwrap();
            let label = label.replace("<span class=\"search-chip-label\">", "");
            format!("{label} {}", value.replace("</bdi>", ""))
        })
        .collect();
    assert_eq!(
        words,
        [
            "Place: Montreal",
            "Buyer: Roads",
            "Category: Construction",
            "From $900,000.00",
            "Since January 1, 2020"
        ]
    );
    let without = unescaped(between(chips[3], "href=\"", "\"")[0]);
    assert_eq!(
        without,
        "/en/search?kind=contract&department=roads&city=montreal&issued_after=2020-01-01&category=cnst"
    );
    assert_eq!(hits(&html).len(), 1);
    assert_eq!(hits(&server.html(&without, 200)).len(), 2);
    assert_eq!(
        link(&html, "Remove all conditions"),
        Some("/en/search?kind=contract".to_owned())
    );
    let french = server.html(&path.replace("/en/", "/fr/"), 200);
    assert!(french.contains("Acheteur\u{a0}:</span> <bdi>Voirie</bdi>"), "{french}");
}

/// Follows a link from page to page. Returns the records of each page.
fn walk(server: &TestServer, start: &str, mark: &str) -> (Vec<Vec<String>>, String) {
    let (mut pages, mut path) = (Vec::new(), start.to_owned());
    loop {
        let html = server.html(&path, 200);
        pages.push(hits(&html));
        assert!(pages.len() < 100, "{start} does not end");
        match link(&html, mark) {
            Some(next) => path = next,
            None => return (pages, path),
        }
    }
}

#[test]
fn all_pages_are_reached_forwards_and_backwards() {
    let server = TestServer::own(&contracts(130), |_| {});
    for (order, limit) in [
        ("", 25),
        ("&sort_by=date&sort_order=asc", 40),
        ("&sort_by=value", 25),
        ("&sort_by=value&sort_order=asc&q=vendor", 30),
    ] {
        let first = format!("/en/search?kind=contract&limit={limit}{order}");
        let (pages, last) = walk(&server, &first, "rel=\"next\"");
        let shown: Vec<String> = pages.concat();
        let expected = server.get(&format!("/contract?limit=500{order}")).ids();
        let expected: Vec<String> = expected
            .iter()
            .map(|id| format!("/en/record/contract/{}", id.replace('|', "%7C")))
            .collect();
        assert_eq!(shown, expected, "{order}");
        let distinct: BTreeSet<&String> = shown.iter().collect();
        assert_eq!(distinct.len(), 130);

        let (mut back, _) = walk(&server, &last, "rel=\"prev\"");
        back.reverse();
        assert_eq!(back, pages, "{order}");
    }
    // Records without a date have no order that could be reversed: the way back is the first page.
    let (pages, last) = walk(&server, "/en/search?kind=contract&limit=128", "rel=\"next\"");
    assert_eq!(pages[1].len(), 2);
    let html = server.html(&last, 200);
    assert_eq!(link(&html, "rel=\"prev\""), None);
    assert_eq!(
        link(&html, "First page"),
        Some("/en/search?kind=contract&limit=128".to_owned())
    );
}

#[test]
fn nothing_found_shows_what_each_condition_costs() {
    let server = TestServer::own(&paving(), |_| {});
    let html = server.html("/en/search?q=paving&vendor=beton&category=SRV&translate=false", 200);
    assert_eq!(sentence(&html), "0 contracts");
    let ways = costs(&html);
    let ways: Vec<(&str, &str, &str)> = ways
        .iter()
        .map(|[name, without, alone]| (&**name, &**without, &**alone))
        .collect();
    let search = "/en/search?kind=contract&";
    assert_eq!(
        ways,
        [
            (
                "Supplier: beton",
                &*format!("1 contract {search}q=paving&category=SRV&translate=false"),
                &*format!("1 contract {search}vendor=beton&translate=false"),
            ),
            (
                "Category: Services",
                "0 contracts",
                &*format!("1 contract {search}category=SRV&translate=false"),
            ),
            (
                "Words: paving",
                "0 contracts",
                &*format!("2 contracts {search}q=paving&translate=false"),
            ),
        ]
    );
    // Each way leads to as many records as it says.
    assert_eq!(
        hits(&server.html("/en/search?kind=contract&q=paving&category=SRV&translate=false", 200)).len(),
        1
    );

    // The words of a search cost something by themselves.
    let html = server.html("/en/search?q=pavage+inconnu&translate=false", 200);
    let ways = costs(&html);
    let names: Vec<&str> = ways.iter().map(|[name, ..]| name.as_str()).collect();
    assert_eq!(names, ["pavage", "inconnu"]);
    assert!(
        ways[1][1].starts_with("2 contracts /en/search?kind=contract&q=pavage"),
        "{ways:?}"
    );
    assert!(
        ways[0][2].starts_with("2 contracts /en/search?kind=contract&q=pavage"),
        "{ways:?}"
    );
    // A single condition costs everything, which is not worth a table.
    assert!(!server.html("/en/search?vendor=nobody", 200).contains("search-costs"));

    let html = server.html("/en/search?vendor=Bton+Fils+lt&q=pavage", 200);
    assert!(
        html.contains("Suppliers with a similar name") && html.contains("<bdi>Béton &#38; Fils</bdi>"),
        "{html}"
    );
    let href = link(&html, "Béton").unwrap();
    assert_eq!(hits(&server.html(&href, 200)), ["/en/record/contract/b"]);

    // A name that exists needs no other spelling.
    let html = server.html("/en/search?vendor=b%C3%A9ton&q=yard", 200);
    assert!(!html.contains("Suppliers with a similar name"), "{html}");

    let html = server.html("/en/search?kind=contract&q=yard", 200);
    assert!(html.contains("Found among other records"), "{html}");
}

#[test]
fn a_wrong_parameter_shows_the_form_with_the_reason() {
    let server = TestServer::shared();
    for (path, id, shown) in [
        (
            "/en/search?issued_after=yesterday&q=snow",
            "issued_after",
            "is not a date",
        ),
        (
            "/fr/search?issued_after=hier&q=neige",
            "issued_after",
            "n’est pas une date",
        ),
        ("/en/search?vendor=ab", "vendor", "is too short"),
        ("/fr/search?q=aaaa&value_min=x", "value_min", "n’est pas un nombre"),
    ] {
        let response = server.get(path);
        let html = response.text();
        assert_eq!(response.status, 422, "{path}: {html}");
        let error = format!("<p class=\"field-error\" id=\"{id}-error\">");
        assert!(between(&html, &error, "</p>")[0].contains(shown), "{path}: {html}");
        assert!(
            html.contains(&format!("aria-describedby=\"{id}-error\"")),
            "{path}: {html}"
        );
        assert!(html.contains("<details class=\"search-more\" open>"), "{path}");
    }
    for (path, status, shown) in [
        ("/en/search?vendr=acme", 422, "is not a parameter of this search"),
        (
            "/fr/search?kind=tender&vendor=acme",
            422,
            "Ces fiches ne peuvent pas être cherchées par",
        ),
        ("/en/search?kind=nothing", 422, "is not a type of record"),
        ("/en/search?offset=10000", 400, "Pages end at record 9,500"),
        ("/en/search?cursor=AAAA", 422, "Start at the first page"),
    ] {
        let response = server.get(path);
        let html = response.text();
        assert_eq!(response.status, status, "{path}");
        assert!(
            html.contains("role=\"alert\"") && html.contains(shown),
            "{path}: {html}"
        );
    }
    // A query of more than one page is not lost when a page cannot be shown.
    let html = server.get("/en/search?q=snow&cursor=AAAA").text();
    assert_eq!(
        link(&html, "Search without it"),
        Some("/en/search?kind=contract&q=snow".to_owned())
    );
    assert_eq!(server.get("/en/search?q=snow&fbclid=1&utm_source=x").status, 200);
}

#[test]
fn hostile_records_are_shown_as_text() {
    let markup = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> snow";
    let records = [
        record(
            EntityType::Contract,
            json!({"record_id": "<b>\"'&", "title_en": markup, "vendor_name": markup, "department_en": markup,
                "reference_number": markup, "currency": "<i>", "contract_value": 5, "procurement_method_en": markup}),
        ),
        record(
            EntityType::Contract,
            json!({"record_id": "2", "title_en": "\u{202e}snow desrever", "vendor_name": "w".repeat(4000),
                "department_en": "d".repeat(4000), "description_en": format!("{}snow", "é".repeat(4000)), "contract_value": 1e300}),
        ),
        record(
            EntityType::Contract,
            json!({"record_id": "3", "award_date": "0001-01-01", "contract_value": -1e300, "description_en": "é".repeat(3999) + " snow"}),
        ),
    ];
    let server = TestServer::own(&records, |_| {});
    for path in [
        "/en/search?q=snow",
        "/fr/search?q=snow",
        "/en/search",
        "/en/search?sort_by=value",
        "/en/search?q=%3Cscript%3Esnow%22%27&vendor=%3Cimg%20src=x%20onerror=%22x",
        "/en/search?q=%3Cscript%3E&issued_after=%3Cscript%3E%22",
        "/en/search?%3Cscript%3E=%22%3E%3Cscript%3E",
        "/en/search?kind=%22%3E%3Cscript%3E",
    ] {
        let html = server.get(path).text();
        // The only script is the site's own.
        assert_eq!(
            html.matches("<script").count(),
            html.matches("<script src=\"/assets/").count(),
            "{path}"
        );
        assert!(
            !html.contains("<img") && !html.contains("<i>") && !html.contains("<b>"),
            "{path}: {html}"
        );
        assert!(html.len() < 100_000, "{path}: {}", html.len());
    }
    let html = server.html("/en/search?q=snow", 200);
    assert!(html.contains("<mark>snow</mark>"), "{html}");
}

#[test]
fn csv_has_the_records_of_the_api_page_by_page() {
    let server = TestServer::own(&contracts(60), |_| {});
    for order in ["", "&sort_by=value"] {
        let (mut path, mut ids, mut pages) = (format!("/fr/search.csv?kind=contract&limit=25{order}"), Vec::new(), 0);
        loop {
            let response = server.get(&path);
            assert_eq!(response.status, 200, "{path}");
            assert_eq!(
                response.header("content-type"),
                Some("text/csv; charset=utf-8; header=present")
            );
            assert_eq!(
                response.header("content-disposition"),
                Some("attachment; filename=\"contract.csv\"")
            );
            let body = response.body.strip_prefix("\u{feff}".as_bytes()).unwrap();
            let mut rows = csv::ReaderBuilder::new().delimiter(b';').from_reader(body);
            assert_eq!(rows.headers().unwrap().get(0), Some("record_id"));
            ids.extend(rows.records().map(|row| row.unwrap()[0].to_owned()));
            pages += 1;
            match response.header("link") {
                Some(next) => path = between(next, "<", ">")[0].to_owned(),
                None => break,
            }
        }
        assert_eq!(pages, 3, "{order}");
        assert_eq!(ids, server.get(&format!("/contract?limit=500{order}")).ids(), "{order}");
    }
    assert_eq!(server.get("/en/search.csv?kind=x").status, 422);
    assert_eq!(server.get("/en/search.csv?limit=0").status, 422);
}

#[test]
fn a_page_is_revalidated_by_its_tag() {
    let server = TestServer::shared();
    let english = server.get("/en/search?q=snow");
    let tag = english.header("etag").unwrap().to_owned();
    let headers = [("x-gateway-key", server.key.as_str()), ("if-none-match", tag.as_str())];
    assert_eq!(server.request("GET", "/en/search?q=snow", &headers).status, 304);
    for path in ["/fr/search?q=snow", "/en/search?q=ice", "/en/search.csv?q=snow"] {
        assert_eq!(server.request("GET", path, &headers).status, 200, "{path}");
    }
}
