//! Who may see the pages: sessions, keys in a header, one-time links, and forms of other sites.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};
use procure::{
    model::plans::Plan,
    pages::settings::{OneTimeLink, PagesMode, PagesSettings},
    server::Config,
};

use super::browser::{Browser, Page};
use crate::support::{TestServer, contracts, scenario_records};

fn with_settings(change: impl FnOnce(&mut PagesSettings)) -> TestServer {
    TestServer::own(&contracts(20), |config| change(&mut config.pages))
}

/// The account page of a visitor who is signed in.
fn assert_signed_in(page: &Page) {
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.html.contains("value=\"sign-out\""), "{}", page.html);
}

#[test]
fn the_root_leads_to_the_language_of_the_browser() {
    let server = TestServer::shared();
    for (accepted, expected) in [(None, "/en"), (Some("fr-CA,en;q=0.5"), "/fr"), (Some("de,en"), "/en")] {
        let browser = Browser::new(server);
        let browser = match accepted {
            Some(accepted) => browser.with("accept-language", accepted),
            None => browser,
        };
        let page = browser.get("/");
        assert_eq!((page.status, page.location()), (303, expected));
        let vary: Vec<&str> = page
            .headers
            .get_all("vary")
            .iter()
            .map(|vary| vary.to_str().unwrap())
            .collect();
        assert!(vary.contains(&"accept-language"), "{vary:?}");
    }
}

#[test]
fn without_a_session_every_page_leads_to_the_account_page() {
    let browser = Browser::new(TestServer::shared());
    let page = browser.get("/fr/search?kind=contract&q=a%20b");
    assert_eq!(page.status, 303);
    assert_eq!(
        page.location(),
        "/fr/account?next=%2Ffr%2Fsearch%3Fkind%3Dcontract%26q%3Da%2520b"
    );
    assert_eq!(page.header("x-ratelimit-limit"), None, "nothing is charged");
    let account = browser.get(page.location());
    assert_eq!(account.status, 200);
    assert!(account.html.contains("<html lang=\"fr\">"), "{}", account.html);
    assert_eq!(account.field("next"), "/fr/search?kind=contract&#38;q=a%20b");
    let from_elsewhere = browser.send("GET", page.location(), &[("sec-fetch-site", "cross-site")], "");
    let link = "<a href=\"/fr/search?kind=contract&#38;q=a%20b\">";
    assert!(
        from_elsewhere.html.contains(link) && !account.html.contains(link),
        "{}",
        from_elsewhere.html
    );
    for public in ["/en/about", "/en/account", "/robots.txt"] {
        assert_eq!(browser.get(public).status, 200, "{public}");
    }
}

#[test]
fn a_key_signs_in_once_and_leads_on() {
    let server = TestServer::shared();
    let browser = Browser::new(server);
    let signed_in = browser.submit(
        "/en/account",
        &[("action", "sign-in"), ("key", &server.key), ("next", "/en/search?q=a")],
    );
    assert_eq!((signed_in.status, signed_in.location()), (303, "/en/search?q=a"));
    let cookie = signed_in.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "the public address is not https");
    assert!(!cookie.contains(&server.key), "{cookie}");
    assert_eq!(signed_in.header("cache-control"), Some("no-store"));
    let home = browser.get("/en");
    assert_eq!(home.status, 200);
    assert_eq!(home.header("x-ratelimit-cost"), Some("1"), "charged as in the API");
    for path in ["/en", "/fr", "/en/account", "/en/about"] {
        assert!(!browser.get(path).html.contains(&server.key), "{path} shows the key");
    }
    assert_signed_in(&browser.get("/en/account"));
}

#[test]
fn the_next_page_is_one_of_this_site() {
    let server = TestServer::shared();
    for next in [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "/docs",
    ] {
        let browser = Browser::new(server);
        let fields = [("action", "sign-in"), ("key", server.key.as_str()), ("next", next)];
        assert_eq!(browser.submit("/fr/account", &fields).location(), "/fr", "{next}");
        let path = format!("/fr/account?next={}", procure::http::encoding::encode(next));
        assert!(!browser.get(&path).html.contains("name=\"next\""), "{next}");
    }
}

#[test]
fn a_wrong_key_is_a_sentence_and_attempts_are_limited() {
    let server = with_settings(|_| {});
    let browser = Browser::new(&server);
    let wrong = format!("pk_{}", "0".repeat(40));
    let answer = browser.submit("/en/account", &[("action", "sign-in"), ("key", &wrong)]);
    assert_eq!(answer.status, 403);
    assert!(answer.html.contains("This key is not valid"), "{}", answer.html);
    assert!(!answer.html.contains(&wrong) && answer.header("set-cookie").is_none());
    let empty = browser.submit("/fr/account", &[("action", "sign-in"), ("key", " ")]);
    assert_eq!(empty.status, 422);
    for _ in 0..9 {
        browser.submit("/en/account", &[("action", "sign-in"), ("key", &wrong)]);
    }
    let limited = browser.submit("/en/account", &[("action", "sign-in"), ("key", &wrong)]);
    assert_eq!(limited.status, 429, "wrong keys have to wait");
    let wait: u64 = limited.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=600).contains(&wait), "{wait}");
    assert!(limited.html.contains("<html lang=\"en\">"));
    assert!(
        limited
            .html
            .contains("Too many wrong keys came from your network address."),
        "{}",
        limited.html
    );
    assert!(
        limited.html.contains("Try again in 10 minutes.") && !limited.html.contains("your plan"),
        "{}",
        limited.html
    );
    let right = browser.sign_in(&server.key);
    assert_signed_in(&right.get("/en/account"));
}

#[test]
fn a_session_ends_when_its_key_is_revoked_or_the_visitor_signs_out() {
    let server = with_settings(|_| {});
    let state = server.state();
    let key = server.new_key(Plan::Pro, "visitor");
    let (leaving, staying) = (Browser::new(&server).sign_in(&key), Browser::new(&server).sign_in(&key));

    let account = leaving.get("/en/account");
    let token = account.field("form_token").to_owned();
    let stolen = Browser::new(&server);
    let line = leaving.cookie_line();
    let (name, value) = line.split_once('=').unwrap();
    stolen.set_cookie(name, value);
    assert_eq!(stolen.get("/en").status, 200);
    let out = leaving.submit("/en/account", &[("action", "sign-out"), ("form_token", &token)]);
    assert_eq!((out.status, out.location()), (303, "/en/account?notice=signed-out"));
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(leaving.get("/en").status, 303);
    assert_eq!(stolen.get("/en").status, 303, "a copy of the cookie is refused as well");

    assert_eq!(staying.get("/en").status, 200);
    state.revoke_key(2, Utc::now()).unwrap();
    server.wait_until("the revocation", || staying.get("/en").status == 303);
}

#[test]
fn a_session_ends_after_twelve_hours() {
    static NOW: AtomicI64 = AtomicI64::new(1_780_000_000);
    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(NOW.load(Ordering::Relaxed), 0).unwrap()
    }
    let server = TestServer::own(&contracts(5), |config| config.now = now);
    let browser = Browser::new(&server).sign_in(&server.key);
    NOW.fetch_add(12 * 3600 - 1, Ordering::Relaxed);
    assert_eq!(browser.get("/en").status, 200);
    NOW.fetch_add(1, Ordering::Relaxed);
    assert_eq!(browser.get("/en").status, 303);
}

#[test]
fn sessions_survive_a_restart() {
    let server = with_settings(|_| {});
    let key = server.key.clone();
    let line = Browser::new(&server).sign_in(&key).cookie_line();
    let server = server.restart(|_| {});
    let browser = Browser::new(&server);
    let (name, value) = line.split_once('=').unwrap();
    browser.set_cookie(name, value);
    assert_eq!(browser.get("/en").status, 200);
}

#[test]
fn behind_tls_the_cookie_needs_tls() {
    let server = with_settings(|settings| settings.public_url = Some("https://procure.example".to_owned()));
    let browser = Browser::new(&server);
    let fields = format!("action=sign-in&key={}", server.key);
    let signed_in = browser.send("POST", "/en/account", &[("origin", "https://procure.example")], &fields);
    let cookie = signed_in.header("set-cookie").unwrap();
    assert!(
        cookie.starts_with("__Host-") && cookie.ends_with("; Secure"),
        "{cookie}"
    );
}

#[test]
fn forms_of_other_sites_are_refused() {
    let server = TestServer::shared();
    let fields = format!("action=sign-in&key={}", server.key);
    let browser = Browser::new(server);
    for headers in [
        &[][..],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("origin", server.address.as_str()), ("sec-fetch-site", "cross-site")],
    ] {
        let answer = browser.send("POST", "/en/account", headers, &fields);
        assert_eq!(answer.status, 403, "{headers:?}");
        assert!(answer.header("set-cookie").is_none());
    }
    let signed_in = Browser::new(server).sign_in(&server.key);
    for token in ["", "0000", &"0".repeat(40)] {
        let answer = signed_in.submit("/en/account", &[("action", "sign-out"), ("form_token", token)]);
        assert_eq!(answer.status, 403, "{token}");
    }
    assert_signed_in(&signed_in.get("/en/account"));
    let json = signed_in.send(
        "POST",
        "/en/account",
        &[("origin", &server.address), ("content-type", "application/json")],
        "{}",
    );
    assert!(matches!(json.status, 400 | 403 | 415), "{json:?}");
    for path in ["/en", "/en/about", "/", "/robots.txt"] {
        assert_eq!(signed_in.submit(path, &[]).status, 405, "{path}");
    }
}

#[test]
fn a_cookie_never_opens_the_api() {
    let server = TestServer::shared();
    let browser = Browser::new(server).sign_in(&server.key);
    for path in ["/contract", "/sources", "/vendors", "/tender/feed?keywords=a"] {
        assert_eq!(browser.get(path).status, 403, "{path}");
    }
    for path in ["/en", "/en/account"] {
        let page = browser.get(path);
        assert_eq!(page.header("access-control-allow-origin"), None, "{path}");
        let headers = [
            ("access-control-request-method", "GET"),
            ("origin", "https://other.example"),
        ];
        let preflight = browser.send("OPTIONS", path, &headers, "");
        assert_eq!(preflight.status, 405, "{path}");
        assert_eq!(preflight.header("access-control-allow-origin"), None, "{path}");
    }
}

#[test]
fn a_program_sends_the_key_in_the_header() {
    let server = TestServer::shared();
    let page = Browser::new(server).with("x-gateway-key", &server.key).get("/en");
    assert_eq!(page.status, 200);
    let wrong = Browser::new(server).with("x-gateway-key", "pk_wrong").get("/fr");
    assert_eq!(wrong.status, 403);
    assert!(
        wrong.html.contains("<html lang=\"fr\">") && wrong.html.contains("href=\"/fr\""),
        "{}",
        wrong.html
    );
}

#[test]
fn a_one_time_link_works_once() {
    let server = with_settings(|settings| settings.one_time_link = Some(OneTimeLink::new("secret-token", 1)));
    let wrong = Browser::new(&server).get("/en/welcome?token=other");
    assert_eq!(wrong.location(), "/en/account?notice=link");
    assert!(
        Browser::new(&server)
            .get(wrong.location())
            .html
            .contains("This link does not work")
    );
    let browser = Browser::new(&server);
    browser.send("HEAD", "/en/welcome?token=secret-token", &[], "");
    assert_eq!(browser.get("/en").status, 303, "a look at the link does not use it up");
    let welcome = browser.get("/en/welcome?token=secret-token");
    assert_eq!((welcome.status, welcome.location()), (303, "/en"));
    assert_eq!(browser.get("/en").status, 200);
    let second = Browser::new(&server);
    assert_eq!(
        second.get("/en/welcome?token=secret-token").location(),
        "/en/account?notice=link"
    );
    assert_eq!(second.get("/en").status, 303);
}

#[test]
fn without_pages_every_address_is_as_before() {
    let server = with_settings(|settings| settings.mode = PagesMode::Off);
    for path in ["/", "/en", "/fr/search", "/assets/x", "/robots.txt", "/favicon.ico"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(
            answer.detail().starts_with("no endpoint"),
            "{path}: {}",
            answer.detail()
        );
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }
}

#[test]
fn the_account_page_states_what_is_left() {
    let server = TestServer::own(&contracts(5), |config: &mut Config| {
        let path = config.state.with_file_name("plans.toml");
        std::fs::write(&path, "[PRO]\nrequests_per_minute = 50\nrequests_per_day = 2_000\n").unwrap();
        config.plans = Some(path);
    });
    let browser = Browser::new(&server).sign_in(&server.key);
    browser.get("/en");
    let account = browser.get("/en/account");
    assert!(account.html.contains("1,999 of 2,000 requests"), "{}", account.html);
    assert!(account.html.contains("48 of 50 requests"), "{}", account.html);
    assert_eq!(account.header("cache-control"), Some("no-store"));
    let french = browser.get("/fr/account");
    assert!(
        french.html.contains("1\u{202f}999 requêtes sur 2\u{202f}000"),
        "{}",
        french.html
    );
}

#[test]
fn a_page_is_charged_to_its_key_and_refused_beyond_the_limit() {
    let server = TestServer::own(&scenario_records(), |config: &mut Config| {
        let path = config.state.with_file_name("plans.toml");
        std::fs::write(&path, "[PRO]\nrequests_per_minute = 1_000\nrequests_per_day = 3\n").unwrap();
        config.plans = Some(path);
    });
    let browser = Browser::new(&server).sign_in(&server.key);
    for left in ["2", "1", "0"] {
        let page = browser.get("/en");
        assert_eq!((page.status, page.header("x-ratelimit-remaining")), (200, Some(left)));
    }
    let refused = browser.get("/fr");
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some() && refused.html.contains("<html lang=\"fr\">"));
    assert_eq!(
        server.get("/contract").status,
        429,
        "the API and the pages count together"
    );
    assert_signed_in(&browser.get("/en/account"));
}
