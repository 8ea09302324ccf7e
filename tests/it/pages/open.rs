//! Pages that are open to everybody: visitors without a key, and their limits.

use procure::{
    pages::settings::{PagesMode, PagesSettings},
    server::Config,
};

use super::browser::Browser;
use crate::support::{TestServer, contracts};

/// A server whose pages are open, with this plan for visitors.
fn open(plan: &str, change: impl FnOnce(&mut PagesSettings)) -> TestServer {
    TestServer::own(&contracts(20), |config: &mut Config| {
        let path = config.state.with_file_name("plans.toml");
        std::fs::write(&path, plan).unwrap();
        config.plans = Some(path);
        config.pages.mode = PagesMode::Open;
        change(&mut config.pages);
    })
}

#[test]
fn visitors_without_a_key_have_a_plan_of_their_own() {
    let server = open("[VISITOR]\nrequests_per_minute = 100\nrequests_per_day = 2\n", |_| {});
    let browser = Browser::new(&server);
    for left in ["1", "0"] {
        let page = browser.get("/en");
        assert_eq!((page.status, page.header("x-ratelimit-remaining")), (200, Some(left)));
    }
    let refused = browser.get("/en");
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some());
    let account = browser.get("/en/account");
    assert!(
        account.html.contains("VISITOR") && account.html.contains("0 of 2 requests"),
        "{}",
        account.html
    );
    let signed_in = Browser::new(&server).sign_in(&server.key);
    assert_eq!(signed_in.get("/en").status, 200, "a key has limits of its own");
    assert_eq!(browser.get("/contract").status, 403, "the API needs a key as before");
}

#[test]
fn visitors_are_counted_by_the_address_that_the_proxy_states() {
    let plan = "[VISITOR]\nrequests_per_minute = 100\nrequests_per_day = 1\n";
    let server = open(plan, |settings| {
        settings.client_address_header = Some("X-Client-Address".to_owned());
    });
    let visit = |address: &str| {
        Browser::new(&server)
            .with("x-client-address", address)
            .get("/en")
            .status
    };
    assert_eq!(visit("203.0.113.1"), 200);
    assert_eq!(
        visit("198.51.100.7, 203.0.113.1"),
        429,
        "the nearest proxy wrote the last address"
    );
    assert_eq!(visit("203.0.113.2"), 200);
    assert_eq!(visit("2001:db8::1"), 200);
    assert_eq!(visit("2001:db8::2"), 429, "a network counts as one client");
    // Without the option, a client cannot choose its address.
    let server = open(plan, |_| {});
    let visit = |address: &str| {
        Browser::new(&server)
            .with("x-client-address", address)
            .get("/en")
            .status
    };
    assert_eq!(visit("203.0.113.1"), 200);
    assert_eq!(visit("203.0.113.2"), 429);
}

#[test]
fn paid_pages_need_a_paid_plan() {
    let server = open("[VISITOR]\npaid = false\n", |_| {});
    let page = Browser::new(&server).get("/fr/feed");
    assert_eq!(page.status, 403);
    assert!(page.html.contains("href=\"/fr/account\""), "{}", page.html);
    let server = open("[VISITOR]\npaid = true\n", |_| {});
    assert_eq!(Browser::new(&server).get("/fr/feed").status, 200);
}
