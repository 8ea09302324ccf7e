//! The pages of paid plans: new tenders, the subscription to them, and the worth of a tender.

use procure::{
    model::{entity_type::EntityType, plans::Plan},
    state::{
        database::StateDb,
        subscription::{Frequency, Locale},
    },
};
use serde_json::{Value, json};

use crate::support::{Response, TestServer, merged, noon};

fn record(entity_type: EntityType, id: &str, fields: Value) -> (EntityType, String) {
    let record = json!({
        "record_id": id, "municipality": "laval", "department_fr": "Ville de Laval", "title_fr": "Déneigement des rues",
        "procurement_category": "SRV", "government_level": "municipal", "fetched_at": "2026-03-09T00:00:00Z",
    });
    (entity_type, merged(record, &fields).to_string())
}

fn tender(id: &str, fields: Value) -> (EntityType, String) {
    let all = json!({"publication_date": "2026-03-09", "closing_date": "2026-03-20", "status": "Open", "solicitation_number": id});
    record(EntityType::Tender, id, merged(all, &fields))
}

/// Ten contracts from 10,000 to 100,000 dollars, and tenders that are compared with them.
fn records() -> Vec<(EntityType, String)> {
    let contract = |number: i32| {
        let fields = json!({
            "award_date": "2025-01-15", "contract_value": number * 10_000, "currency": "CAD",
            "vendor_name": format!("Vendeur {number}"),
        });
        record(EntityType::Contract, &format!("c|{number:02}"), fields)
    };
    let tenders = [
        tender("t|1", json!({})),
        tender("t|2", json!({"contract_value": 55_000.25})),
        tender(
            "t|3",
            json!({"title_fr": null, "title_en": "Ice <b>cream</b>", "procurement_category": "GD"}),
        ),
        tender("t|old", json!({"publication_date": "2025-06-01"})),
        tender("t|closed", json!({"closing_date": "2026-03-01"})),
    ];
    (1..=10).map(contract).chain(tenders).collect()
}

fn server() -> TestServer {
    TestServer::own(&records(), |config| config.now = noon)
}

/// The ids of the tenders on a page of the feed, in order.
fn listed(html: &str) -> Vec<String> {
    let items = html.split("<h3><a href=\"").skip(1);
    let hrefs = items.map(|item| item.split('"').next().unwrap());
    hrefs
        .map(|href| href.rsplit('/').next().unwrap().replace("%7C", "|"))
        .collect()
}

/// An estimate of five digits as pages show it: rounded to three of them.
fn rounded(value: &Value) -> String {
    let value = (value.as_f64().unwrap() / 100.0).round() as u64 * 100;
    format!("${},{:03}", value / 1000, value % 1000)
}

fn api_ids(server: &TestServer, query: &str) -> Vec<String> {
    let json = server.get(&format!("/tender/feed?{query}")).json();
    let results = json["results"].as_array().unwrap();
    let id = |one: &Value| one["tender"]["record_id"].as_str().unwrap().to_owned();
    results.iter().map(id).collect()
}

#[test]
fn the_feed_lists_the_tenders_of_the_api() {
    let server = server();
    for query in [
        "",
        "keywords=cream",
        "keywords=d%C3%A9neigement,cream&days_back=90",
        "languages=en",
        "municipality=laval",
    ] {
        let response = server.get(&format!("/en/feed?{query}"));
        let html = response.text();
        assert_eq!(response.status, 200, "{query}: {html}");
        let ids = api_ids(&server, query);
        assert!(!ids.is_empty(), "{query} finds nothing, so it tests nothing");
        assert_eq!(listed(&html), ids, "{query}");
    }
    let html = server.get("/en/feed").text();
    for part in [
        "3 new open tenders since March\u{a0}3, 2026",
        "Ice &#60;b&#62;cream&#60;/b&#62;",
        "March\u{a0}20, 2026, in 10 days",
        "<dd>$55,000.25 <a",
        "href=\"/en/tender/t%7C1/worth\"",
        "/tender/feed</code>",
    ] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
    let estimate = rounded(&server.get("/tender/feed").json()["results"][0]["estimated_value"]);
    let shown = format!("about {estimate}, estimated");
    assert!(html.contains(&shown), "{shown} is not in {html}");
    let none = server.get("/fr/feed?keywords=zzzz").text();
    assert!(
        none.contains("Aucun nouvel appel d’offres") && none.contains("les 90 derniers jours"),
        "{none}"
    );
}

#[test]
fn words_are_looked_for_in_both_languages_unless_the_address_says_otherwise() {
    let server = server();
    let query = "keywords=snow+removal";
    let html = server.get(&format!("/en/feed?{query}")).text();
    assert_eq!(listed(&html), api_ids(&server, &format!("{query}&translate=true")));
    assert_eq!(listed(&html).len(), 2, "{html}");
    for part in [
        "<option value=\"true\" selected>in both languages</option>",
        "<input type=\"hidden\" name=\"translate\" value=\"true\">",
        "/tender/feed?keywords=snow%20removal&#38;translate=true</code>",
    ] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
    let html = server.get(&format!("/fr/feed?{query}&translate=false")).text();
    assert!(listed(&html).is_empty(), "{html}");
    let form = "email=name%40example.com&keywords=snow+removal&translate=true&frequency=weekly";
    assert_eq!(subscribe(&server, "en", form).status, 200);
    let stored = server.state().subscriptions().unwrap();
    assert!(stored[0].translate, "{stored:?}");
}

#[test]
fn the_pages_of_the_feed_lead_to_each_other() {
    let server = server();
    let mut path = "/en/feed?limit=1&keywords=d%C3%A9neigement,cream".to_owned();
    let mut seen = Vec::new();
    loop {
        let html = server.get(&path).text();
        seen.extend(listed(&html));
        let Some((_, next)) = html.split_once("rel=\"next\" href=\"") else {
            break;
        };
        path = next.split('"').next().unwrap().replace("&#38;", "&");
        assert!(seen.len() < 10, "the pages do not end");
    }
    assert_eq!(seen, api_ids(&server, "keywords=d%C3%A9neigement,cream"));
}

#[test]
fn a_plan_without_the_pages_sees_what_they_are() {
    let server = server();
    let key = server.new_key(Plan::Basic, "free");
    for (path, part) in [
        ("/en/feed", "It can send them to you by e-mail."),
        ("/fr/feed", "forfaits payants"),
        ("/en/tender/t%7C1/worth", "a range, how reliable it is"),
        ("/en/tender/unknown/worth", "upgrade"),
    ] {
        let response = server.request("GET", path, &[("x-gateway-key", &key)]);
        let html = response.text();
        assert_eq!(response.status, 403, "{path}: {html}");
        assert!(
            html.contains(part) && html.contains("href=\"/docs#plans\""),
            "{path}: {html}"
        );
        assert!(!html.contains("neigement"), "{path} shows a record");
    }
}

/// Sends the form that subscribes, as a browser does from a page of this site.
fn subscribe(server: &TestServer, lang: &str, form: &str) -> Response {
    let headers = [
        ("x-gateway-key", server.key.as_str()),
        ("content-type", "application/x-www-form-urlencoded"),
        ("sec-fetch-site", "same-origin"),
    ];
    server.send("POST", &format!("/{lang}/feed"), &headers, form.to_owned())
}

#[test]
fn a_subscription_by_form_is_that_of_the_api() {
    let server = server();
    let form =
        "email=name%40example.com&keywords=d%C3%A9neigement%2C+ice&languages=fr&municipality=laval&frequency=weekly";
    let response = subscribe(&server, "fr", form);
    let html = response.text();
    assert_eq!(response.status, 200, "{html}");
    assert!(
        html.contains("lien qui met fin") && !html.contains("example.com"),
        "{html}"
    );
    let stored = server.state().subscriptions().unwrap();
    let [one] = &stored[..] else { panic!("{stored:?}") };
    assert_eq!(
        (one.email.as_str(), one.municipality.as_deref()),
        ("name@example.com", Some("laval"))
    );
    assert_eq!(one.keywords, ["déneigement", "ice"]);
    assert_eq!(
        (one.frequency, one.locale, one.languages.len()),
        (Frequency::Weekly, Locale::Fr, 1)
    );
    // The same request through the API changes nothing.
    let body = json!({
        "email": "name@example.com", "keywords": ["déneigement", "ice"], "languages": ["fr"], "municipality": "laval",
        "frequency": "weekly", "locale": "fr",
    });
    assert_eq!(server.post("/tender/alerts/subscribe", &body).status, 200);
    assert_eq!(server.state().subscriptions().unwrap(), stored);
}

#[test]
fn an_invalid_form_stores_nothing() {
    let server = server();
    for (form, status, part) in [
        ("keywords=snow", 422, "not an e-mail address"),
        ("email=not+an+address&keywords=snow", 422, "not an e-mail address"),
        ("email=a%40example.com&municipality=atlantis", 422, "atlantis"),
        (
            "email=a%40example.com&keywords=evil.example",
            422,
            "looks like a link or an address",
        ),
        ("email=a%40example.com&frequency=hourly", 422, "hourly"),
    ] {
        let response = subscribe(&server, "en", form);
        let html = response.text();
        assert_eq!(response.status, status, "{form}: {html}");
        assert!(html.contains(part), "{form}: {part} is not in {html}");
    }
    let foreign = [
        ("x-gateway-key", server.key.as_str()),
        ("content-type", "application/x-www-form-urlencoded"),
        ("sec-fetch-site", "cross-site"),
    ];
    let response = server.send("POST", "/en/feed", &foreign, "email=a%40example.com".to_owned());
    assert_eq!(response.status, 403);
    let state: StateDb = server.state();
    assert!(state.subscriptions().unwrap().is_empty());
}

#[test]
fn the_worth_page_shows_the_figures_of_the_api() {
    let server = server();
    let estimate = server.post("/tender/estimate", &json!({"record_ids": ["t|1"]})).json()["results"][0].clone();
    let html = server.get("/en/tender/t%7C1/worth").text();
    let (low, high) = (rounded(&estimate["range"]["low"]), rounded(&estimate["range"]["high"]));
    let headline = format!("Probably between {low} and {high}.");
    assert!(html.contains(&headline), "{headline} is not in {html}");
    let comps = server
        .post("/tender/comps", &json!({"record_ids": ["t|1"], "limit": 25}))
        .json()["results"][0]
        .clone();
    let comparables = comps["comparables"].as_array().unwrap();
    assert_eq!(comparables.len(), 10);
    for comparable in comparables {
        let id = comparable["record"]["record_id"].as_str().unwrap().replace('|', "%7C");
        assert!(
            html.contains(&format!("href=\"/en/record/contract/{id}\"")),
            "{id} is not in {html}"
        );
    }
    assert_eq!(html.matches("<circle class=\"dot\"").count(), 10);
    assert!(
        html.find("Probably between") < html.find("The middle is"),
        "the range is before the middle"
    );
    for part in ["Same buyer", "Four of five: ", "/tender/comps&#39;</code>"] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
    let french = server.get("/fr/tender/t%7C2/worth").text();
    for part in [
        "L’avis indique une valeur de 55\u{202f}000,25\u{a0}$",
        "Même acheteur",
        "Indiquée\u{a0}: 55\u{a0}k$",
    ] {
        assert!(french.contains(part), "{part} is not in {french}");
    }
}

#[test]
fn the_worth_of_an_unusual_tender() {
    let server = server();
    let unknown = server.get("/en/tender/unknown/worth");
    assert_eq!(
        (unknown.status, unknown.header("content-type")),
        (404, Some("text/html; charset=utf-8"))
    );
    assert_eq!(server.get("/en/tender/t%7C1/worth?x=1").status, 422);
    let empty = TestServer::own(&[tender("t|1", json!({}))], |config| config.now = noon);
    let html = empty.get("/en/tender/t%7C1/worth").text();
    for part in [
        "There is no comparable contract, so there is no estimate.",
        "No contract is comparable.",
    ] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
    assert!(!html.contains("<svg"), "{html}");
}

#[test]
fn a_page_costs_what_its_searches_cost_in_the_api() {
    let server = server();
    // An estimate and its comparables are two items of a batch; a feed costs a request for each 50 tenders.
    for (path, cost) in [
        ("/en/sources", "1"),
        ("/en/feed", "1"),
        ("/en/feed?limit=100", "2"),
        ("/en/tender/t%7C1/worth", "2"),
    ] {
        let response = server.get(path);
        assert_eq!(
            (response.status, response.header("x-ratelimit-cost")),
            (200, Some(cost)),
            "{path}"
        );
    }
}
