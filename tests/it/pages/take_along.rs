//! What a visitor takes along: files of whole searches, citations, pages of an older index, and whole dumps.

use std::{fs, process::Command};

use procure::{http::encoding::encode, model::plans::Plan};
use serde_json::Value;

use crate::{
    api::generation_of,
    exports::ask,
    program::PROGRAM,
    support::{Response, TestServer, contracts},
};

fn text(response: &Response) -> String {
    String::from_utf8(response.body.clone())
        .unwrap()
        .replace("&#38;", "&")
        .replace("&amp;", "&")
}

/// The addresses of links and forms that lead to pages.
fn addresses(html: &str) -> Vec<String> {
    let starts = ["href=\"/en", "href=\"/fr", "action=\"/en", "action=\"/fr"];
    let links = starts.iter().flat_map(|start| {
        html.match_indices(start).map(|(at, _)| {
            let value = &html[at + start.find('/').unwrap()..];
            value.split('"').next().unwrap().to_owned()
        })
    });
    links.collect()
}

#[test]
fn a_search_is_taken_along_as_a_whole_file() {
    let server = TestServer::own(&contracts(1_200), |_| {});
    let paid = server.new_key(Plan::Mega, "exports");
    let page = ask(
        &server,
        &paid,
        "/en/search?kind=contract&vendor=vendor+3&value_min=50",
        &[],
    );
    let html = text(&page);
    assert!(html.contains("All rows as one file") && !html.contains("with a key of a paid plan"));
    let files: Vec<String> = addresses(&html)
        .into_iter()
        .filter(|address| address.starts_with("/en/export?"))
        .collect();
    assert_eq!(files.len(), 4);
    for file in files {
        let answer = ask(&server, &paid, &file, &[]);
        let query = file
            .split_once('?')
            .unwrap()
            .1
            .replace("kind=contract&", "")
            .replace("&kind=contract", "");
        let same = ask(&server, &paid, &format!("/contract/export?{query}"), &[]);
        assert!(
            answer.status == 200 && answer.body == same.body,
            "{file}: {}",
            answer.status
        );
        assert_eq!(answer.header("content-disposition"), same.header("content-disposition"));
    }
    let free = server.new_key(Plan::Basic, "exports");
    let html = text(&ask(&server, &free, "/en/search?kind=contract", &[]));
    assert!(html.contains("with a key of a paid plan"));
    let refused = ask(
        &server,
        &free,
        "/en/export?kind=contract&format=csv",
        &[("accept", "text/html")],
    );
    assert!(refused.status == 403 && text(&refused).contains("part of the paid plans"));
}

#[test]
fn a_page_of_an_older_index_says_so_and_its_links_stay_there() {
    let server = TestServer::own(&contracts(900), |_| {});
    let first = generation_of(&server.get("/health"));
    let cited = text(&server.get("/en/search?kind=contract"));
    let cite = addresses(&cited)
        .into_iter()
        .find(|address| address.starts_with("/en/cite"))
        .unwrap();
    let citation = text(&server.get(&cite));
    let permanent = format!("/en/search?kind=contract&generation={first}");
    assert!(citation.contains(&permanent), "{citation}");
    let bibtex = String::from_utf8(server.get("/generations/current?format=bibtex").body).unwrap();
    assert!(citation.contains(bibtex.trim()));
    let second = server.publish(&contracts(800));
    server.wait_until("the second index", || generation_of(&server.get("/health")) == second);

    for path in [
        "/search?kind=contract&vendor=vendor",
        "/vendor/Vendor%203",
        "",
        "/sources",
        "/record/contract/c%7C1",
    ] {
        for language in ["en", "fr"] {
            let joined = if path.contains('?') { '&' } else { '?' };
            let address = format!("/{language}{path}{joined}generation={first}");
            let page = server.get(&address);
            assert_eq!(page.status, 200, "{address}");
            assert_eq!(page.header("x-index-generation"), Some(first.as_str()));
            let html = text(&page);
            let notice = if language == "en" {
                "older index"
            } else {
                "index plus ancien"
            };
            assert!(html.contains(notice), "{address}");
            let elsewhere: Vec<String> = addresses(&html)
                .into_iter()
                .filter(|link| !link.contains(&format!("generation={first}")))
                .collect();
            let forms = html.matches("action=\"/").count() - html.matches("method=\"post\"").count();
            let kept = html.matches(&format!("name=\"generation\" value=\"{first}\"")).count();
            assert_eq!(kept, forms, "{address}");
            // The notice leads to the current figures; forms have a field instead.
            assert_eq!(
                elsewhere.len(),
                1 + html.matches("action=\"/").count(),
                "{address}: {elsewhere:?}"
            );
        }
    }
    let total = |path: &str| text(&server.get(path));
    assert!(total(&permanent).contains("900") && total("/en/search?kind=contract").contains("800"));
    let current = text(&server.get(&format!("/en/search?kind=contract&generation={second}")));
    assert!(!current.contains("older index"));
    let file = server.get(&format!("/en/export?kind=contract&format=ndjson&generation={first}"));
    assert_eq!(file.body.iter().filter(|byte| **byte == b'\n').count(), 900);

    let third = server.publish(&contracts(700));
    server.wait_until("the third index", || generation_of(&server.get("/health")) == third);
    let gone = server.request(
        "GET",
        &permanent,
        &[("x-gateway-key", &server.key), ("accept", "text/html")],
    );
    assert_eq!(gone.status, 410);
    assert!(text(&gone).contains(&second), "the oldest index that is kept is named");
    let french = permanent.replace("/en/", "/fr/");
    let gone = server.request(
        "GET",
        &french,
        &[("x-gateway-key", &server.key), ("accept", "text/html")],
    );
    let html = text(&gone);
    assert!(
        gone.status == 410 && html.contains("n’est plus conservé") && html.contains(&second),
        "{html}"
    );
}

#[test]
fn the_page_of_sources_lists_a_dump_and_describes_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("dump");
    let server = TestServer::own(&contracts(300), |config| config.exports = Some(out.clone()));
    assert!(!text(&server.get("/en/sources")).contains("application/ld+json"));
    let run = Command::new(PROGRAM)
        .args(["export", "--out", out.to_str().unwrap()])
        .args(["--index-dir", server.index_dir().to_str().unwrap()])
        .status();
    assert!(run.unwrap().success());
    let page = String::from_utf8(server.get("/en/sources").body).unwrap();
    let (_, script) = page.split_once("<script type=\"application/ld+json\">").unwrap();
    let dataset: Value = serde_json::from_str(script.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(
        (&dataset["@context"], &dataset["@type"]),
        (&"https://schema.org/".into(), &"Dataset".into())
    );
    let files = dataset["distribution"].as_array().unwrap();
    assert_eq!(files.len(), 4);
    for file in files {
        let name = file["name"].as_str().unwrap();
        assert!(
            file["contentUrl"]
                .as_str()
                .unwrap()
                .ends_with(&format!("/exports/{name}"))
        );
        assert!(page.contains(&format!("/en/exports/{name}")));
        let whole = server.get(&format!("/en/exports/{}", encode(name)));
        assert!(whole.body == fs::read(out.join(name)).unwrap(), "{name}");
    }
    let free = server.new_key(Plan::Basic, "exports");
    assert_eq!(ask(&server, &free, "/en/exports/contract.parquet", &[]).status, 403);
}
