//! Errors on pages are in the language of the page: each page is asked in both languages for what it refuses.

use std::{fs, path::Path};

use crate::support::{Response, TestServer};

/// Refused requests by the template of their page, without the language: the path, and a part of the French reason.
const REFUSED: &[(&str, &str, &str)] = &[
    ("/search", "/search?vendr=acme", "n’est pas un paramètre"),
    ("/search", "/search?vendor=ab", "est trop court"),
    ("/compare/{what}", "/compare/supplier?with=x", "n’est pas un paramètre"),
    (
        "/compare/{what}",
        "/compare/supplier?of=a&of=b&of=c&of=d&of=e",
        "Au plus 4 valeurs",
    ),
    (
        "/compare/{what}",
        "/compare/supplier?issued_after=x",
        "n’est pas une date",
    ),
    (
        "/compare/{what}",
        "/compare/supplier?value_min=2&value_max=1",
        "Inversez",
    ),
    (
        "/suggest/{what}",
        "/suggest/commodity?level=x",
        "ne fait pas partie des choix",
    ),
    ("/suggest/{what}", "/suggest/commodity?with=x", "n’est pas un paramètre"),
    ("/search", "/search?vendor=abc&vendor=abd", "est donné deux fois"),
    ("/search", "/search?procurement_method=--", "ni lettre ni chiffre"),
    ("/search", "/search?issued_after=x", "n’est pas une date"),
    (
        "/search",
        "/search?issued_after=2023-02-30",
        "n’est pas un jour qui existe",
    ),
    (
        "/search",
        "/search?issued_after=2024-02-02&issued_before=2024-02-01",
        "Inversez",
    ),
    ("/search", "/search?value_min=x", "n’est pas un nombre"),
    ("/search", "/search?value_min=2&value_max=1", "Inversez"),
    ("/search", "/search?status=x", "ne fait pas partie des choix"),
    ("/search", "/search?facets=x", "ne fait pas partie des choix"),
    ("/search", "/search?include_total=x", "ne fait pas partie des choix"),
    ("/search", "/search?include=x", "ne fait pas partie des choix"),
    ("/search", "/search?bom=true", "ne peuvent pas être cherchées par"),
    ("/search", "/search?commodity=snow", "n’est pas un code de marchandise"),
    (
        "/search",
        "/search?municipality=atlantis",
        "Il n’y a pas de telles fiches",
    ),
    ("/search", "/search?sort_by=x", "ne peuvent pas être triées"),
    ("/search", "/search?sort_by=closing", "ne peuvent pas être triées"),
    ("/search", "/search?sort_by=relevance", "ne peuvent pas être triées"),
    (
        "/search",
        "/search?q=a&sort_by=relevance&sort_order=asc",
        "ne fait pas partie des choix",
    ),
    ("/search", "/search?cursor=x", "Commencez à la première page"),
    ("/search", "/search?cursor=x&offset=5", "Commencez à la première page"),
    ("/search", "/search?limit=0", "n’est pas un nombre de fiches"),
    ("/search", "/search?offset=x", "n’est pas un nombre"),
    ("/search", "/search?offset=9501", "Les pages s’arrêtent"),
    (
        "/search",
        "/search?kind=tender&vendor=abc",
        "ne peuvent pas être cherchées par",
    ),
    ("/search", "/search?kind=x", "n’est pas un type de fiche"),
    ("/search", "/search?q=%zz", "n’est pas un caractère encodé"),
    ("/search", "/search?q=%ff", "UTF-8"),
    ("/search.csv", "/search.csv?kind=x", "ne fait pas partie des choix"),
    ("/search.csv", "/search.csv?sort_by=x", "ne peuvent pas être triées"),
    ("/bids", "/bids?won=x", "ne fait pas partie des choix"),
    ("/bids.csv", "/bids.csv?amount_min=x", "n’est pas un nombre"),
    ("/feed", "/feed?keywords=a+OR+b", "réunit deux mots"),
    ("/feed", "/feed?keywords=-a", "exclut un mot"),
    ("/feed", "/feed?keywords=a,--", "ni lettre ni chiffre"),
    ("/feed", "/feed?keywords=,", "ni lettre ni chiffre"),
    ("/feed", "/feed?days_back=0", "n’est pas un nombre entier de 1 à"),
    ("/feed", "/feed?languages=de", "ne fait pas partie des choix"),
    ("/feed", "/feed?languages=,", "Aucune langue"),
    ("/feed", "/feed?cursor=x", "Commencez à la première page"),
    ("/feed.csv", "/feed.csv?min_value=x", "n’est pas un nombre"),
    ("/vendor/{name}", "/vendor/acme?kind=x", "ne fait pas partie des choix"),
    (
        "/vendor.csv/{name}",
        "/vendor.csv/acme?limit=x",
        "n’est pas un nombre de fiches",
    ),
    (
        "/supplier/{id}",
        "/supplier/sup_0?kind=x",
        "ne fait pas partie des choix",
    ),
    ("/supplier/{id}", "/supplier/sup_0", "Il n’y a rien à cette adresse"),
    (
        "/supplier.csv/{id}",
        "/supplier.csv/sup_0",
        "Il n’y a rien à cette adresse",
    ),
    (
        "/vendor.csv/{name}/calls",
        "/vendor.csv/nobody/calls",
        "Il n’y a rien à cette adresse",
    ),
    (
        "/vendor.csv/{name}/bids",
        "/vendor.csv/nobody/bids",
        "Il n’y a rien à cette adresse",
    ),
    (
        "/supplier.csv/{id}/calls",
        "/supplier.csv/sup_0/calls",
        "Il n’y a rien à cette adresse",
    ),
    (
        "/supplier.csv/{id}/bids",
        "/supplier.csv/sup_0/bids",
        "Il n’y a rien à cette adresse",
    ),
    ("/body/{id}", "/body/body_0", "Il n’y a rien à cette adresse"),
    ("/body.csv/{id}", "/body.csv/body_0", "Il n’y a rien à cette adresse"),
    (
        "/body.csv/{id}/calls",
        "/body.csv/body_0/calls",
        "Il n’y a rien à cette adresse",
    ),
    ("/department/{name}", "/department/acme?x=1", "n’est pas un paramètre"),
    (
        "/department.csv/{name}/calls",
        "/department.csv/acme/calls?x=1",
        "n’est pas un paramètre",
    ),
    (
        "/commodity.csv/{code}/calls",
        "/commodity.csv/72/calls?x=1",
        "n’est pas un paramètre",
    ),
    (
        "/department.csv/{name}",
        "/department.csv/acme?x=1",
        "n’est pas un paramètre",
    ),
    ("/commodities", "/commodities?scheme=x", "ne fait pas partie des choix"),
    ("/suppliers", "/suppliers?cursor=x", "Commencez à la première page"),
    (
        "/suppliers.csv",
        "/suppliers.csv?limit=0",
        "n’est pas un nombre de fiches",
    ),
    ("/bodies", "/bodies?limit=1000", "n’est pas un nombre de fiches"),
    ("/bodies.csv", "/bodies.csv?q=--", "ni lettre ni chiffre"),
    ("/commodities.csv", "/commodities.csv?q=--", "ni lettre ni chiffre"),
    (
        "/commodity/{code}",
        "/commodity/72?kind=x",
        "ne fait pas partie des choix",
    ),
    ("/commodity/{code}", "/commodity/snow", "Aucune fiche ne porte ce code"),
    (
        "/commodity.csv/{code}",
        "/commodity.csv/72?kind=x",
        "ne fait pas partie des choix",
    ),
    (
        "/solicitation/{number}",
        "/solicitation/1?department=a",
        "est trop court",
    ),
    (
        "/solicitation.csv/{number}",
        "/solicitation.csv/1?limit=x",
        "n’est pas un nombre de fiches",
    ),
    (
        "/record/{kind}/{record_id}",
        "/record/contract/none",
        "Cette fiche n’existe pas",
    ),
    (
        "/record/{kind}/{record_id}",
        "/record/x/none",
        "Il n’y a rien à cette adresse",
    ),
    (
        "/record.csv/{kind}/{record_id}",
        "/record.csv/contract/none?x=1",
        "n’est pas un paramètre",
    ),
    (
        "/tender/{record_id}/worth",
        "/tender/none/worth?x=1",
        "n’est pas un paramètre",
    ),
    (
        "/tender/{record_id}/worth",
        "/tender/none/worth",
        "Il n’y a rien à cette adresse",
    ),
    (
        "/tender.csv/{record_id}/bids",
        "/tender.csv/none/bids?x=1",
        "n’est pas un paramètre",
    ),
    (
        "/tender.csv/{record_id}/worth",
        "/tender.csv/none/worth?x=1",
        "n’est pas un paramètre",
    ),
    ("/export", "/export?vendr=acme", "n’est pas un paramètre"),
    ("/export", "/export?kind=x", "ne fait pas partie des choix"),
    ("/exports/{file}", "/exports/none", "Il n’y a rien à cette adresse"),
    ("/cite", "/cite?of=%zz", "n’est pas un caractère encodé"),
    ("/sources", "/sources?x=1", "n’est pas un paramètre"),
    ("/sources.csv", "/sources.csv?x=1", "n’est pas un paramètre"),
    ("/account", "/account?next=%zz", "n’est pas un caractère encodé"),
    ("/welcome", "/welcome?token=%zz", "n’est pas un caractère encodé"),
];

/// Pages that read nothing of their address.
const WITHOUT_PARAMETERS: [&str; 3] = ["/suggest", "", "/about"];

fn html(response: &Response) -> String {
    let html = String::from_utf8(response.body.clone()).unwrap();
    html.replace("&#39;", "'")
        .replace("&#38;", "&")
        .replace(['\u{2068}', '\u{2069}'], "")
}

/// The reason that an error page states.
fn detail(html: &str) -> Option<&str> {
    let (_, rest) = html.split_once("<p class=\"detail\"><span lang=\"")?;
    let (_, rest) = rest.split_once("\">")?;
    rest.split_once("</span>").map(|(detail, _)| detail)
}

fn get(server: &TestServer, path: &str) -> Response {
    let headers = [("x-gateway-key", server.key.as_str()), ("accept", "text/html")];
    server.request("GET", path, &headers)
}

#[test]
fn every_error_on_a_french_page_is_french() {
    let server = TestServer::shared();
    let mut wrong = Vec::new();
    for (_, path, french_text) in REFUSED {
        let [english, french] = ["en", "fr"].map(|language| get(server, &format!("/{language}{path}")));
        assert_eq!(english.status, french.status, "{path}");
        assert!((400..500).contains(&french.status), "{path}: {}", french.status);
        let (english, french) = (html(&english), html(&french));
        assert!(french.contains("<html lang=\"fr\">"), "{path}");
        if !french.contains(french_text) {
            let heading = french.split_once("<h1>").map_or("", |(_, rest)| rest);
            wrong.push((path, heading.split("</main>").next().unwrap_or_default().to_owned()));
        }
        if let Some(english) = detail(&english) {
            assert!(!french.contains(english), "{path} states '{english}' in French");
        }
    }
    assert!(wrong.is_empty(), "other reasons than expected: {wrong:#?}");
}

#[test]
fn every_page_with_parameters_is_asked_for_what_it_refuses() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/pages")];
    let mut templates = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(code) = fs::read_to_string(&path) else { continue };
            let rows = ["template: \"/{lang}", "Page::fixed(\"/{lang}", "Page::named(\"/{lang}"];
            for row in rows.iter().flat_map(|row| code.split(row).skip(1)) {
                let template = row.split('"').next().unwrap();
                let is_asked = REFUSED.iter().any(|(known, ..)| *known == template);
                assert!(is_asked != WITHOUT_PARAMETERS.contains(&template), "{template}");
                templates += 1;
            }
        }
    }
    assert!(templates >= 40, "{templates} pages were found");
}

#[test]
fn a_refused_form_or_method_has_a_french_reason() {
    let server = TestServer::shared();
    let post = |path: &str, site: &str, form: &str| {
        let headers = [
            ("x-gateway-key", server.key.as_str()),
            ("accept", "text/html"),
            ("content-type", "application/x-www-form-urlencoded"),
            ("sec-fetch-site", site),
        ];
        html(&server.send("POST", path, &headers, form.to_owned()))
    };
    for (form, text) in [
        ("keywords=neige", "Ce n’est pas une adresse"),
        ("email=a%40example.com&keywords=evil.example", "ressemble à un lien"),
        ("email=a%40example.com&keywords=-neige", "exclut un mot"),
        (
            "email=a%40example.com&municipality=atlantis",
            "Il n’y a pas de telles fiches",
        ),
        ("email=a%40example.com&frequency=hourly", "ne fait pas partie des choix"),
        ("email=a%40example.com&languages=de", "ne fait pas partie des choix"),
        ("email=a%40example.com&department=ab", "est trop court"),
    ] {
        let (english, french) = (
            post("/en/feed", "same-origin", form),
            post("/fr/feed", "same-origin", form),
        );
        assert!(french.contains(text), "{form}: {french}");
        if let Some(english) = detail(&english) {
            assert!(
                english.starts_with("member '") && !french.contains(english),
                "{form}: {english}"
            );
        }
    }
    let foreign = post("/fr/feed", "cross-site", "email=a%40example.com");
    assert!(
        foreign.contains("Le formulaire n’a pas été envoyé d’une page de ce site."),
        "{foreign}"
    );
    let method = post("/fr/sources", "same-origin", "");
    assert!(method.contains("n’est pas permise ici"), "{method}");
}
