//! What all pages share: headers, caching, errors, files, and hostile addresses.

use procure::pages::settings::PagesSettings;

use super::browser::{Browser, Page};
use crate::support::{TestServer, contracts};

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

fn signed_in() -> Browser<'static> {
    let server = TestServer::shared();
    Browser::new(server).with("x-gateway-key", &server.key)
}

fn assert_safe(page: &Page, path: &str) {
    assert_eq!(page.header("content-security-policy"), Some(POLICY), "{path}");
    assert_eq!(page.header("referrer-policy"), Some("same-origin"), "{path}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"), "{path}");
    assert_eq!(page.header("x-robots-tag"), Some("noindex"), "{path}");
    for forbidden in ["<script>", "style=\"", " onclick", " onload", "javascript:"] {
        assert!(!page.html.contains(forbidden), "{path} has {forbidden}: {}", page.html);
    }
}

#[test]
fn every_response_has_the_security_headers() {
    let browser = signed_in();
    for path in [
        "/",
        "/en",
        "/fr/about",
        "/fr/account",
        "/en/nothing",
        "/assets/nothing",
        "/robots.txt",
        "/en/record/tender/nothing",
    ] {
        assert_safe(&browser.get(path), path);
    }
}

#[test]
fn every_page_links_to_itself_in_the_other_language() {
    let browser = signed_in();
    for (path, other) in [
        ("/en", "/fr"),
        ("/fr/about", "/en/about"),
        (
            "/en/search?kind=tender&q=%22a%20b%22",
            "/fr/search?kind=tender&amp;q=%22a%20b%22",
        ),
    ] {
        let html = browser.get(path).html.replace("&#38;", "&amp;");
        assert!(html.contains(&format!("href=\"{other}\" hreflang=")), "{path}: {html}");
    }
}

#[test]
fn an_unchanged_page_is_not_sent_again() {
    let server = TestServer::own(&contracts(5), |_| {});
    let browser = Browser::new(&server).sign_in(&server.key);
    let page = browser.get("/en");
    let tag = page.header("etag").unwrap();
    assert_eq!(page.header("cache-control"), Some("private, no-cache"));
    let vary: Vec<&str> = page
        .headers
        .get_all("vary")
        .iter()
        .map(|vary| vary.to_str().unwrap())
        .collect();
    assert!(vary.contains(&"cookie") && vary.contains(&"x-gateway-key"), "{vary:?}");
    let again = browser.send("GET", "/en", &[("if-none-match", tag)], "");
    assert_eq!((again.status, again.html.as_str()), (304, ""));
    assert_eq!(again.header("x-ratelimit-cost"), Some("0"));
    assert_ne!(browser.get("/fr").header("etag"), Some(tag));
    let other = Browser::new(&server).with("x-gateway-key", &server.key);
    assert_ne!(
        other.get("/en").header("etag"),
        Some(tag),
        "another visitor sees another page"
    );
    server.publish(&contracts(6));
    server.wait_until("the new generation", || {
        browser.send("GET", "/en", &[("if-none-match", tag)], "").status == 200
    });
}

#[test]
fn errors_are_pages_in_the_language_of_the_address() {
    let browser = signed_in();
    for (path, status, language, text) in [
        ("/en/nothing", 404, "en", "There is nothing at this address"),
        ("/fr/rien/du/tout", 404, "fr", "Il n’y a rien à cette adresse"),
        ("/en/vendor/", 404, "en", "There is nothing at this address"),
        ("/en/record/nonsense/1", 404, "en", "No entity type"),
        ("/fr/vendor/%zz", 422, "fr", "n’est pas un caractère encodé"),
        ("/assets/style-000000000000.css", 404, "en", "There is nothing"),
    ] {
        let page = browser.get(path);
        assert_eq!(page.status, status, "{path}: {}", page.html);
        assert!(page.html.contains(&format!("<html lang=\"{language}\">")), "{path}");
        assert!(page.html.contains(text), "{path}: {}", page.html);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert_eq!(page.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(page.header("etag"), None, "{path}");
        assert!(
            page.html.contains("href=\"/en\"") || page.html.contains("href=\"/fr\""),
            "{path} has a way on"
        );
    }
}

#[test]
fn a_browser_at_an_address_of_nothing_gets_a_page() {
    let server = TestServer::shared();
    let get = |path: &str, headers: &[(&str, &str)]| Browser::new(server).send("GET", path, headers, "");
    let french = [("accept", "text/html"), ("accept-language", "fr-CA")];
    let page = get("/de", &french);
    assert_eq!(page.status, 404);
    assert!(page.html.contains("<html lang=\"fr\">"), "{}", page.html);
    for (path, target) in [
        ("/EN/search", "/en/search"),
        ("/search?q=a+b&utm_source=x", "/fr/search?q=a+b"),
        ("/vendor-list", ""),
    ] {
        let page = get(path, &french);
        assert_eq!(page.header("location").unwrap_or_default(), target, "{path}");
    }
    // A program, an endpoint, and a request with a key are answered by the API.
    assert_eq!(get("/de", &[]).status, 403);
    assert_eq!(get("/contract", &french).status, 403);
    let keyed = [("accept", "text/html"), ("x-gateway-key", server.key.as_str())];
    assert!(get("/de", &keyed).html.starts_with("{\"detail\":"));
}

#[test]
fn parameters_of_other_sites_change_nothing() {
    let browser = signed_in();
    for path in ["/en/vendor/Nobody", "/en/about", "/fr/sources", "/en/search"] {
        let plain = browser.get(path).status;
        assert_eq!(
            browser.get(&format!("{path}?utm_source=x&fbclid=1")).status,
            plain,
            "{path}"
        );
    }
}

#[test]
fn a_slash_at_the_end_leads_to_the_page() {
    let page = signed_in().get("/fr/about/");
    assert_eq!((page.status, page.location()), (303, "/fr/about"));
    assert_eq!(signed_in().get("/en//").location(), "/en");
}

#[test]
fn files_are_kept_for_a_year() {
    let browser = signed_in();
    let html = browser.get("/en").html;
    for mark in ["rel=\"stylesheet\" href=\"", "<script src=\"", "rel=\"icon\" href=\""] {
        let path = html.split_once(mark).unwrap().1.split('"').next().unwrap();
        let without_key = Browser::new(TestServer::shared());
        let file = without_key.get(path);
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(
            file.header("cache-control"),
            Some("public, max-age=31536000, immutable"),
            "{path}"
        );
        assert!(!file.html.is_empty());
    }
    assert_eq!(
        browser.get("/favicon.ico").header("content-type"),
        Some("image/svg+xml")
    );
}

#[test]
fn search_engines_are_invited_only_by_the_operator() {
    let robots = |change: fn(&mut PagesSettings)| {
        let server = TestServer::own(&contracts(5), |config| change(&mut config.pages));
        let browser = Browser::new(&server);
        let tag = browser.get("/en/about").header("x-robots-tag").map(str::to_owned);
        (browser.get("/robots.txt").html, tag)
    };
    assert_eq!(
        robots(|_| {}),
        ("User-agent: *\nDisallow: /\n".to_owned(), Some("noindex".to_owned()))
    );
    let (text, tag) = robots(|settings| settings.is_indexed = true);
    assert!(!text.contains("Disallow: /\n") && tag.is_none(), "{text}");
}

#[test]
fn hostile_addresses_are_shown_as_text() {
    let browser = signed_in();
    let markup = "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    for path in [
        format!("/en/search?kind=contract&q={markup}"),
        format!("/en/search?kind={markup}"),
        format!("/en/search?kind=contract&{markup}=1"),
        format!("/fr/vendor/{markup}"),
        format!("/fr/department/{markup}"),
        format!("/en/record/contract/{markup}"),
        format!("/en/record/{markup}/1"),
        format!("/en/solicitation/{markup}"),
        format!("/en/account?next={markup}&notice={markup}"),
        format!("/en/{markup}"),
        format!("/en/welcome?token={markup}"),
        "/en/vendor/%E2%80%AEevil%00%08".to_owned(),
        format!("/en/vendor/{}", "x".repeat(4_000)),
    ] {
        let page = browser.get(&path);
        assert!(page.status < 500, "{path}: {} {}", page.status, page.html);
        assert!(!page.html.contains("<script>alert"), "{path}: {}", page.html);
        assert_safe(&page, &path);
    }
}

#[test]
fn no_page_contacts_another_host() {
    let browser = signed_in();
    for path in ["/en", "/fr", "/en/about", "/en/account"] {
        let html = browser.get(path).html;
        for mark in [
            "src=\"http",
            "src=\"//",
            "url(",
            "<link rel=\"stylesheet\" href=\"http",
            "<iframe",
            "<img",
        ] {
            assert!(!html.contains(mark), "{path} has {mark}");
        }
    }
}
