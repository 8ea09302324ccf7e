//! Tests of subscribing and unsubscribing over HTTP, of invalid requests, and of the new tenders that
//! match a subscription.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::LazyLock,
    thread,
};

use chrono::{DateTime, Utc};
use procure::{
    alerts::{
        matching::each_tender,
        new_tenders::{NEW_FOR_DAYS, new_tenders},
    },
    engine::Deadline,
    http::encoding::encode,
    model::{date::Date, email::EmailAddress, entity_type::EntityType, plans::Plan, stem::Language},
    state::subscription::{Frequency, Locale, MAX_OF_ADDRESS, MAX_OF_KEY, Subscription},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    json_schema::JsonSchema,
    support::{Response, TestServer, free, merged},
};

const SUBSCRIBE: &str = "/tender/alerts/subscribe";
const UNSUBSCRIBE: &str = "/tender/alerts/unsubscribe";
const JSON: Option<&str> = Some("application/json");

/// Sends a body with or without a content type, and with or without a key.
fn send(server: &TestServer, path: &str, key: Option<&str>, kind: Option<&str>, body: &str) -> Response {
    let headers = [("x-gateway-key", key), ("content-type", kind)];
    let headers: Vec<(&str, &str)> = headers
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    server.send("POST", path, &headers, body.to_owned())
}

fn tender(number: usize, fields: Value) -> (EntityType, String) {
    let record = json!({
        "record_id": format!("t|{number}"),
        "municipality": "laval",
        "publication_date": "2026-03-01",
        "status": "Open",
        "fetched_at": "2026-03-01T00:00:00Z",
    });
    (EntityType::Tender, merged(record, &fields).to_string())
}

fn server() -> TestServer {
    TestServer::own(
        &[
            tender(1, json!({"title_en": "Snow removal"})),
            tender(2, json!({"municipality": "montreal"})),
        ],
        |_| {},
    )
}

/// For tests that do not end the subscriptions of other tests.
fn shared() -> &'static TestServer {
    static SHARED: LazyLock<TestServer> = LazyLock::new(server);
    &SHARED
}

fn address(name: &str) -> String {
    format!("{name}@example.com")
}

fn subscribe(server: &TestServer, query: &str, body: &Value) -> Response {
    let path = format!("{SUBSCRIBE}{query}");
    match body {
        Value::Null => send(server, &path, Some(&server.key), JSON, ""),
        body => server.post(&path, body),
    }
}

fn of(server: &TestServer, email: &str) -> Vec<Subscription> {
    let all = server.state().subscriptions().unwrap();
    all.into_iter().filter(|one| one.email == email).collect()
}

#[test]
fn query_and_body_are_stored_as_a_subscription() {
    let server = shared();
    let answer = subscribe(
        server,
        "?email=In.Address@Example.com&keyword=d%C3%A9neigement&department=Parcs",
        &Value::Null,
    );
    assert_eq!((answer.status, answer.json()), (200, json!({"status": "subscribed"})));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("etag"), None);
    assert!(answer.header("ratelimit").is_some());
    let expected = Subscription {
        id: 0,
        email: "in.address@example.com".into(),
        keywords: vec!["déneigement".into()],
        department: Some("Parcs".into()),
        municipality: None,
        category: None,
        languages: Language::ALL.into(),
        translate: false,
        frequency: Frequency::Daily,
        locale: Locale::En,
        created_at: 0,
    };
    let found = |email: &str| {
        let mut found = of(server, email);
        assert_eq!(found.len(), 1, "{email}");
        let one = found.remove(0);
        assert!(chrono::Utc::now().timestamp() - one.created_at < 600);
        Subscription {
            id: 0,
            created_at: 0,
            ..one
        }
    };
    assert_eq!(found("in.address@example.com"), expected);
    let body = json!({
        "email": " body@example.com", "keyword": "Snow", "keywords": ["snow removal", "SNOW", "EN578-123/A"], "municipality": "laval",
        "category": "srv", "languages": ["FR"], "frequency": "weekly", "locale": "fr", "department": null,
    });
    assert_eq!(subscribe(server, "", &body).status, 200);
    let expected = Subscription {
        email: "body@example.com".into(),
        keywords: vec!["Snow".into(), "snow removal".into(), "EN578-123/A".into()],
        department: None,
        municipality: Some("laval".into()),
        category: Some("SRV".into()),
        languages: vec![Language::French],
        translate: false,
        frequency: Frequency::Weekly,
        locale: Locale::Fr,
        ..expected
    };
    assert_eq!(found("body@example.com"), expected);
    // Query and body may both state a value if they agree. Subscribing again gives the same answer.
    let both = "?email=BODY@example.com&keyword=snow&category=SRV&city=laval&frequency=Weekly&locale=FR";
    let again = subscribe(server, both, &body);
    assert_eq!(
        (again.status, again.body),
        (200, br#"{"status":"subscribed"}"#.to_vec())
    );
    assert_eq!(found("body@example.com"), expected);
}

#[test]
fn an_invalid_request_states_the_reason() {
    let server = shared();
    let long = (0..21).map(|number| format!("w{number}")).collect::<Vec<_>>();
    for (query, body, detail) in [
        (
            "",
            Value::Null,
            "parameter 'email' is required, in the query string or the body",
        ),
        (
            "?email=",
            json!({}),
            "parameter 'email' is required, in the query string or the body",
        ),
        (
            "",
            json!({"email": null}),
            "parameter 'email' is required, in the query string or the body",
        ),
        (
            "?email=x",
            Value::Null,
            "parameter 'email': the text is not an e-mail address; it must look like name@example.com",
        ),
        (
            "",
            json!({"email": "x"}),
            "member 'email': the text is not an e-mail address; it must look like name@example.com",
        ),
        (
            "?email=a@example.com",
            json!({"email": "b@example.com"}),
            "parameter 'email': differs from the value in the body; give it in one of them",
        ),
        (
            "?keyword=snow&email=wrong@example.com",
            json!({"keyword": "ice"}),
            "parameter 'keyword': differs from the value in the body; give it in one of them",
        ),
        (
            "?locale=en",
            json!({"locale": "fr", "email": "wrong@example.com"}),
            "parameter 'locale': differs from the value in the body; give it in one of them",
        ),
        (
            "?department=Parcs",
            json!({"department": "Parks", "email": "wrong@example.com"}),
            "parameter 'department': differs from the value in the body; give it in one of them",
        ),
        (
            "?keyword=***",
            Value::Null,
            "parameter 'keyword': the text has no letter or digit to search for; give at least one",
        ),
        (
            "?keyword=a+OR+b",
            Value::Null,
            "parameter 'keyword': the text joins two keywords by OR; pass them as two keywords",
        ),
        (
            "",
            json!({"keywords": ["a", "-b"]}),
            "member 'keywords[1]': the text excludes a word, which a keyword cannot do; remove the '-'",
        ),
        (
            "",
            json!({"keywords": ["a", 1]}),
            "member 'keywords[1]': must be a string",
        ),
        ("", json!({"keywords": "a"}), "member 'keywords': must be a list"),
        (
            "",
            json!({"email": "wrong@example.com", "keywords": long}),
            "member 'keywords': 21 keywords were given; the maximum is 20; make two subscriptions",
        ),
        (
            "",
            json!({"department": "ab"}),
            "member 'department': 'ab' is too short; give at least 3 letters or digits",
        ),
        (
            "",
            json!({"category": "SVR"}),
            "member 'category': 'SVR' is not one of CNST, GD, SRV, SRVTGD; nearest is 'SRV'",
        ),
        (
            "",
            json!({"frequency": "hourly"}),
            "member 'frequency': 'hourly' is not one of daily, weekly",
        ),
        (
            "",
            json!({"locale": "de"}),
            "member 'locale': 'de' is not one of en, fr",
        ),
        (
            "",
            json!({"email": "wrong@example.com", "languages": ["en", "de"]}),
            "member 'languages[1]': 'de' is not one of en, fr",
        ),
        (
            "",
            json!({"email": "wrong@example.com", "municipality": "montrael"}),
            "member 'municipality': 'montrael' is not one of laval, montreal; nearest is 'montreal'",
        ),
        (
            "?emial=a@example.com",
            Value::Null,
            "unknown parameter 'emial'; nearest is 'email'",
        ),
        (
            "",
            json!({"e-mail": "a@example.com"}),
            "unknown member 'e-mail'; expected one of 'email', 'keyword', 'keywords', 'department', 'municipality', 'category', 'languages', 'translate', 'frequency', 'locale'",
        ),
        (
            "?email=a@example.com&email=a@example.com",
            Value::Null,
            "parameter 'email': given twice; give it once",
        ),
    ] {
        let answer = subscribe(server, query, &body);
        assert_eq!(answer.status, 422, "{query} {body}: {answer:?}");
        assert!(
            answer.detail().starts_with(detail),
            "{query} {body}: {}",
            answer.detail()
        );
    }
    for (kind, body, status) in [
        (Some("text/plain"), "{}", 415),
        (Some("application/x-www-form-urlencoded"), "email=a@example.com", 415),
        (JSON, "{", 422),
        (JSON, "[]", 422),
        (JSON, "\"a@example.com\"", 422),
        (JSON, r#"{"email":"a@example.com","email":"a@example.com"}"#, 422),
        (None, "", 422),
    ] {
        let answer = send(server, SUBSCRIBE, Some(&server.key), kind, body);
        assert_eq!(answer.status, status, "{kind:?} {body}: {answer:?}");
    }
    let long = " ".repeat((1 << 20) + 1);
    assert_eq!(send(server, SUBSCRIBE, Some(&server.key), JSON, &long).status, 413);
    assert!(of(server, "wrong@example.com").is_empty() && of(server, "a@example.com").is_empty());
    assert_eq!(send(server, SUBSCRIBE, None, JSON, "{}").status, 403);
    let answer = server.get(SUBSCRIBE);
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
}

#[test]
fn a_key_of_any_plan_subscribes() {
    let server = shared();
    let key = server.new_key(Plan::Basic, "free");
    let body = json!({"email": address("basic")}).to_string();
    assert_eq!(send(server, SUBSCRIBE, Some(&key), JSON, &body).status, 200);
}

#[test]
fn an_unsubscribe_link_works_without_a_key() {
    let server = server();
    let end = |method: &str, token: &str| server.request(method, &format!("{UNSUBSCRIBE}?token={token}"), &[]);
    let tokens: Vec<String> = ["a", "b", "c", "d"]
        .iter()
        .map(|name| {
            let email = address(name);
            assert_eq!(
                subscribe(&server, "", &json!({"email": email, "keyword": "snow"})).status,
                200
            );
            server.state().unsubscribe_token(&of(&server, &email)[0]).unwrap()
        })
        .collect();
    // HEAD ends nothing.
    assert_eq!(end("HEAD", &tokens[0]).status, 200);
    assert_eq!(end("HEAD", &"0".repeat(40)).status, 404);
    assert_eq!(of(&server, "a@example.com").len(), 1);
    for _ in 0..2 {
        let answer = end("GET", &tokens[0]);
        assert_eq!(
            (answer.status, answer.body.as_slice()),
            (200, &br#"{"status":"unsubscribed"}"#[..])
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!((answer.header("etag"), answer.header("ratelimit")), (None, None));
        assert!(of(&server, "a@example.com").is_empty());
    }
    // A browser gets a page in both languages; all other clients, whatever they accept, the JSON.
    let browser = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    let open =
        |token: &str, headers: &[(&str, &str)]| server.request("GET", &format!("{UNSUBSCRIBE}?token={token}"), headers);
    assert_eq!(
        server
            .request("HEAD", &format!("{UNSUBSCRIBE}?token={}", tokens[1]), &browser)
            .status,
        200
    );
    assert_eq!(of(&server, "b@example.com").len(), 1);
    for _ in 0..2 {
        let page = open(&tokens[1], &browser);
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, Some("text/html; charset=utf-8"))
        );
        assert_eq!(
            (page.header("cache-control"), page.header("etag")),
            (Some("no-store"), None)
        );
        let html = page.text();
        assert!(
            html.contains("Your alerts have ended") && html.contains("Vos alertes ont pris fin"),
            "{html}"
        );
        assert!(!html.contains(&tokens[1]) && !html.contains("<form"), "{html}");
        assert!(of(&server, "b@example.com").is_empty());
    }
    for headers in [&[("accept", "*/*")][..], &[("accept", "application/json")]] {
        let answer = open(&tokens[1], headers);
        assert_eq!((answer.status, answer.json()), (200, json!({"status": "unsubscribed"})));
    }
    let page = open(&"0".repeat(40), &browser);
    assert_eq!(
        (page.status, page.header("content-type")),
        (404, Some("text/html; charset=utf-8"))
    );
    assert!(page.text().contains("Ce lien ne fonctionne pas"));
    let one_click = format!("{UNSUBSCRIBE}?token={}", tokens[1]);
    assert_eq!(
        server.request("POST", &one_click, &browser).json(),
        json!({"status": "unsubscribed"})
    );
    // One-click unsubscribing (RFC 8058), and any other body.
    let multipart = "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n";
    for (token, kind, body) in [
        (
            &tokens[1],
            Some("application/x-www-form-urlencoded"),
            "List-Unsubscribe=One-Click",
        ),
        (&tokens[2], Some("multipart/form-data; boundary=b"), multipart),
        (&tokens[3], None, ""),
        (&tokens[3], Some("application/json"), "{"),
        (&tokens[3], Some("nonsense"), "\0\u{1}"),
    ] {
        let answer = send(&server, &format!("{UNSUBSCRIBE}?token={token}"), None, kind, body);
        assert_eq!(
            (answer.status, answer.json()),
            (200, json!({"status": "unsubscribed"})),
            "{kind:?}"
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    assert!(server.state().subscriptions().unwrap().is_empty());
    // After subscribing again, the same link ends the subscription again.
    assert_eq!(
        subscribe(&server, "", &json!({"email": "a@example.com", "keyword": "snow"})).status,
        200
    );
    assert_eq!(of(&server, "a@example.com").len(), 1);
    assert_eq!(end("GET", &tokens[0]).status, 200);
    assert!(of(&server, "a@example.com").is_empty());

    for token in [
        "x",
        "0",
        &"0".repeat(40),
        &"g".repeat(40),
        &"%C3%A9".repeat(20),
        &"a".repeat(10_000),
        "%27%20OR%201=1",
    ] {
        for method in ["GET", "POST"] {
            let answer = end(method, token);
            assert_eq!(
                (answer.status, answer.detail().as_str()),
                (404, "no subscription has this token; use the whole link from the mail"),
                "{token}"
            );
        }
    }
    for (query, detail) in [
        ("", "parameter 'token' is required; it is in the link of the mail"),
        (
            "?token=",
            "parameter 'token' is required; it is in the link of the mail",
        ),
        ("?tokn=x", "unknown parameter 'tokn'; nearest is 'token'"),
        ("?token=x&token=y", "parameter 'token': given twice; give it once"),
    ] {
        for method in ["GET", "POST"] {
            let answer = server.request(method, &format!("{UNSUBSCRIBE}{query}"), &[]);
            assert_eq!(
                (answer.status, answer.detail().as_str()),
                (422, detail),
                "{method} {query}"
            );
        }
    }
    let answer = server.request("DELETE", UNSUBSCRIBE, &[]);
    assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD, POST")));
}

#[test]
fn the_link_of_an_address_ends_all_its_subscriptions() {
    let server = server();
    for keyword in ["snow", "ice", "rain"] {
        assert_eq!(
            subscribe(&server, "", &json!({"email": "a@example.com", "keyword": keyword})).status,
            200
        );
    }
    assert_eq!(subscribe(&server, "", &json!({"email": "b@example.com"})).status, 200);
    let token = server.state().unsubscribe_all_token("a@example.com").unwrap();
    assert_eq!(
        server
            .request("POST", &format!("{UNSUBSCRIBE}?token={token}"), &[])
            .status,
        200
    );
    let live: Vec<String> = server
        .state()
        .subscriptions()
        .unwrap()
        .into_iter()
        .map(|one| one.email)
        .collect();
    assert_eq!(live, ["b@example.com"]);
}

#[test]
fn two_servers_on_one_state_file_share_the_limits() {
    let server = server();
    let other = TestServer::own(&[tender(1, json!({}))], |config| {
        config.state = server.folder.path().join("state.db")
    });
    let ask = |server: &TestServer, number: usize| {
        let email = format!("a{}@example.com", number / 45);
        let body = json!({"email": email, "keyword": format!("w{number}")}).to_string();
        // The same key for both servers. A slow disk makes a server busy.
        loop {
            let answer = send(server, SUBSCRIBE, Some(&other.key), JSON, &body);
            if answer.status != 503 {
                return answer;
            }
        }
    };
    server.wait_until("the key of the other server", || ask(&server, 0).status == 200);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let run = |server, from: usize| {
            scope.spawn(move || {
                (from..from + 255)
                    .map(|number| ask(server, number).status)
                    .collect::<Vec<_>>()
            })
        };
        let threads = [run(&server, 0), run(&other, 255), run(&server, 510), run(&other, 765)];
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(
        statuses.iter().all(|status| [200, 429].contains(status)),
        "{statuses:?}"
    );
    let live = server.state().subscriptions().unwrap();
    assert_eq!(live.len() as i64, MAX_OF_KEY);
    // The limit of an address, with another key.
    let body = |email: &str, number: usize| json!({"email": email, "keyword": format!("w{number}")});
    let refused = ask(&server, 100_000);
    assert_eq!(refused.status, 429);
    assert!(
        refused
            .detail()
            .contains("this API key has created 1000 active subscriptions")
            && refused.header("retry-after").is_some(),
        "{refused:?}"
    );
    let known = format!("w{}", 0);
    assert_eq!(live.iter().filter(|one| one.keywords == [known.clone()]).count(), 1);
    for number in 0..MAX_OF_ADDRESS as usize {
        assert_eq!(subscribe(&server, "", &body("full@example.com", number)).status, 200);
    }
    let refused = subscribe(&server, "", &body("full@example.com", 1000));
    assert_eq!(refused.status, 429);
    assert!(
        refused.detail().contains("has 50 subscriptions") && refused.detail().contains("end one"),
        "{refused:?}"
    );
    assert_eq!(
        subscribe(&server, "", &body("full@example.com", 7)).status,
        200,
        "an existing subscription"
    );
}

#[test]
fn a_hostile_address_is_refused_and_not_stored() {
    let server = shared();
    let before = server.state().subscriptions().unwrap().len();
    for hostile in [
        "a@example.com\r\nBcc: b@example.com",
        "a@example.com%0d%0aBcc: b@example.com",
        "a\r\n@example.com",
        "\"a\r\nBcc: b\"@example.com",
        "\"a\"@example.com",
        "a@example.com\0",
        "A <a@example.com>",
        "a@example.com, b@example.com",
        "a@example.com;b@example.com",
        "a@[127.0.0.1]",
        "a@localhost",
        "a b@example.com",
        "é@example.com",
        "\u{202e}a@example.com",
        "|a@example.com",
        "-oq/tmp@example.com",
        "a%x@example.com",
        "a!1@example.com",
        &format!("{}@example.com", "a".repeat(300)),
        &format!("a@{}.com", "a".repeat(64)),
        &"@".repeat(1000),
    ] {
        let answer = subscribe(server, "", &json!({"email": hostile}));
        assert_eq!(answer.status, 422, "{hostile:?}");
        assert!(!answer.detail().contains("b@example.com"), "{answer:?}");
    }
    // Other tests use this server too, but none subscribes one of these.
    let live = server.state().subscriptions().unwrap();
    assert!(
        live.len() >= before
            && live
                .iter()
                .all(|one| EmailAddress::parse(&one.email).map(String::from) == Ok(one.email.clone()))
    );
    let answer = subscribe(
        server,
        "",
        &json!({"email": "info@Montréal.example", "keyword": "snow"}),
    );
    assert_eq!(answer.status, 200);
    assert_eq!(of(server, "info@xn--montral-fya.example").len(), 1);
}

#[test]
fn words_that_mails_may_show_are_short_and_no_links() {
    let server = shared();
    let link = "the text looks like a link or an address";
    let long = "x".repeat(81);
    for (text, why) in [
        ("sign in at https://evil.example/login", link),
        ("evil.example", link),
        ("www.evil", link),
        ("write to evil@example", link),
        ("evil．example", link),
        ("https:／／evil", link),
        ("name＠evil", link),
        ("evil·example", link),
        ("evil-.com", link),
        ("javascript:alert(1)", link),
        ("+1 555 123 4567", "the text looks like a telephone number"),
        ("word 🇨🇦🇱🇱", "the text has a sign that is in no word"),
        (
            "snow\u{202e}lavomer",
            "the text has a control character or an invisible one",
        ),
        ("snow\nremoval", "the text has a control character or an invisible one"),
        (long.as_str(), "the text is longer than 80 characters"),
    ] {
        for (query, body, name) in [
            ("", json!({"keyword": text}), "member 'keyword'"),
            ("", json!({"keywords": ["snow", text]}), "member 'keywords[1]'"),
            ("", json!({"department": text}), "member 'department'"),
            (&format!("?keyword={}", encode(text)), json!({}), "parameter 'keyword'"),
            (
                &format!("?department={}", encode(text)),
                json!({}),
                "parameter 'department'",
            ),
        ] {
            let mut body = body;
            body["email"] = json!("words@example.com");
            let answer = subscribe(server, query, &body);
            assert_eq!(answer.status, 422, "{query} {body}");
            let detail = answer.detail();
            assert!(
                detail.starts_with(&format!("{name}: {why}")),
                "{query} {body}: {detail}"
            );
            assert!(!detail.contains("evil"), "{detail}");
        }
    }
    assert!(of(server, "words@example.com").is_empty());
    for text in [
        "St. John's",
        "H.V.A.C.",
        "U.S. Army",
        "3.5 t",
        "ISO 9001:2015",
        "72141100",
        &"é".repeat(80),
    ] {
        let body = json!({"email": "words@example.com", "keyword": text, "department": text});
        // A part of a name has at least three letters or digits.
        assert_eq!(subscribe(server, "", &body).status, 200, "{text}");
    }
}

#[test]
fn the_answer_is_the_same_whether_or_not_an_address_must_confirm() {
    let server = shared();
    let stranger = server.new_key(Plan::Pro, "stranger");
    let ask = |key: &str, email: &str| {
        let body = json!({"email": email, "keyword": "snow"}).to_string();
        send(server, SUBSCRIBE, Some(key), JSON, &body)
    };
    assert_eq!(ask(&stranger, "other@example.com").status, 200);
    assert_eq!(ask(&server.key, "known@example.com").status, 200);
    for email in ["known@example.com", "unknown@example.com"] {
        for _ in 0..2 {
            let answer = ask(&stranger, email);
            assert_eq!(
                (answer.status, answer.body.as_slice()),
                (200, &br#"{"status":"subscribed"}"#[..])
            );
        }
    }
    assert_eq!(of(server, "known@example.com").len(), 1);
    assert!(of(server, "unknown@example.com").is_empty());
}

#[test]
fn a_key_without_trust_cannot_subscribe_many_strangers() {
    let server = shared();
    let stranger = server.new_key(Plan::Pro, "many strangers");
    let ask = |number: usize| {
        let body = json!({"email": format!("stranger{number}@example.com")}).to_string();
        // A slow disk makes a server busy.
        loop {
            let answer = send(server, SUBSCRIBE, Some(&stranger), JSON, &body);
            if answer.status != 503 {
                return answer;
            }
        }
    };
    for number in 0..100 {
        assert_eq!(ask(number).status, 200, "{number}");
    }
    let refused = ask(100);
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("86400")));
    assert!(
        refused
            .detail()
            .starts_with("100 e-mail addresses have not confirmed a subscription of this API key"),
        "{}",
        refused.detail()
    );
    assert_eq!(ask(0).status, 200, "an address that waits already");
}

#[test]
fn the_openapi_document_describes_subscribing() {
    let server = shared();
    let document = server.get("/openapi.json").json();
    let subscribe = &document["paths"][SUBSCRIBE]["post"];
    let described = &subscribe["requestBody"]["content"]["application/json"];
    let validator = JsonSchema::new(described["schema"].clone());
    assert!(validator.is_valid(&described["example"]));
    assert_eq!(server.post(SUBSCRIBE, &described["example"]).status, 200);
    for name in described["schema"]["properties"].as_object().unwrap().keys() {
        let answer = server.post(SUBSCRIBE, &json!({name.as_str(): 1}));
        assert!(
            answer.detail().starts_with(&format!("member '{name}': must be")),
            "{answer:?}"
        );
    }
    let queries: Vec<&Value> = subscribe["parameters"].as_array().unwrap().iter().collect();
    for name in ["email", "keyword", "department"] {
        let reference = json!({"$ref": format!("#/components/parameters/subscribe_{name}")});
        assert!(queries.contains(&&reference), "{name}");
    }
    for method in ["get", "post", "head"] {
        let operation = &document["paths"][UNSUBSCRIBE][method];
        assert_eq!(operation["security"], json!([]), "{method}");
        assert!(operation["responses"].get("304").is_none(), "{method}");
    }
}

proptest! {
    #[test]
    fn every_accepted_address_is_valid_for_the_mail_library(text in prop_oneof!["[a-zA-Z.\"'+_%!#é-]{1,12}@[a-zA-Z0-9.é-]{1,20}", "[a-z.+']{1,9}@[a-zé0-9-]{1,9}\\.[a-z]{2,3}"]) {
        if let Ok(address) = EmailAddress::parse(&text) {
            prop_assert!(address.as_str().parse::<lettre::Address>().is_ok(), "{}", address.as_str());
        }
    }
}

#[test]
fn the_log_contains_no_personal_data() {
    let folder = tempfile::tempdir().unwrap();
    let (consent, log) = serve_and_subscribe(folder.path());
    // The second subscription equals the first one.
    let words = r#"{"keywords":["confidential"],"department":null,"municipality":null,"category":null,"languages":["en","fr"],"frequency":"daily","locale":"en"}"#;
    assert_eq!(consent, format!("subscribed 1 32 127.0.0.1 203.0.113.7 {words}"));
    assert!(log.contains(SUBSCRIBE) && log.contains("params=email,keyword"), "{log}");
    for secret in ["personal", "example.com", "confidential", "203.0.113.7"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

/// Runs the program and sends it requests. Returns the consent record and the log.
fn serve_and_subscribe(folder: &Path) -> (String, String) {
    let records = [tender(1, json!({}))];
    let server = TestServer::own(&records, |_| {});
    let index = server.index_dir();
    let bind = free();
    let mut child = Command::new(env!("CARGO_BIN_EXE_procure"))
        .args(["serve", "--bind", &bind, "--index-dir"])
        .arg(&index)
        .arg("--state")
        .arg(server.folder.path().join("state.db"))
        .env("PROCURE_LOG", "debug")
        .stdout(Stdio::null())
        .stderr(fs::File::create(folder.join("log")).unwrap())
        .spawn()
        .unwrap();
    let ask = |method: &str, path: &str, body: &str| {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("http://{bind}{path}"))
            .header("x-gateway-key", &server.key)
            .header("x-forwarded-for", "203.0.113.7")
            .header("content-type", "application/json");
        agent
            .run(request.body(body.to_owned()).unwrap())
            .map(|answer| answer.status().as_u16())
    };
    server.wait_until("the program", || ask("GET", "/health", "").is_ok());
    for (path, body, status) in [
        (
            SUBSCRIBE,
            r#"{"email":"personal@example.com","keyword":"confidential"}"#,
            200,
        ),
        (SUBSCRIBE, r#"{"email":"personal@example.com","department":"co"}"#, 422),
        (SUBSCRIBE, r#"{"personal@example.com":1}"#, 422),
        (
            "/tender/alerts/subscribe?email=personal@example.com&keyword=confidential",
            "",
            200,
        ),
        ("/tender/alerts/subscribe?personal@example.com", "", 422),
        ("/tender/alerts/unsubscribe?token=confidential", "", 404),
    ] {
        assert_eq!(ask("POST", path, body).unwrap(), status, "{path} {body}");
    }
    let log = || fs::read_to_string(folder.join("log")).unwrap();
    server.wait_until("the last line of the log", || log().contains("status=404"));
    child.kill().unwrap();
    child.wait().unwrap();
    let select = "SELECT event || ' ' || key_id || ' ' || length(request_id) || ' ' || peer || ' ' || forwarded_for || ' ' || words FROM consents";
    let state = rusqlite::Connection::open(server.folder.path().join("state.db")).unwrap();
    let consent = state.query_one(select, [], |row| row.get(0)).unwrap();
    (consent, log())
}

#[test]
fn a_locked_state_file_does_not_delay_searches() {
    let server = server();
    let other = rusqlite::Connection::open(server.folder.path().join("state.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let body = json!({"email": "a@example.com"});
    thread::scope(|scope| {
        let waiting = scope.spawn(|| server.post(SUBSCRIBE, &body));
        assert_eq!(server.get("/tender").status, 200);
        assert_eq!(
            server.request("GET", &format!("{UNSUBSCRIBE}?token=x"), &[]).status,
            404
        );
        let answer = waiting.join().unwrap();
        assert_eq!(
            (answer.status, answer.header("retry-after")),
            (503, Some("1")),
            "{answer:?}"
        );
    });
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(server.post(SUBSCRIBE, &body).status, 200);
}

#[test]
fn new_tenders_are_open_and_recent_and_match_subscriptions() {
    let today = Date::parse("2026-03-20").unwrap();
    let old = Date::from_days(today.days() - NEW_FOR_DAYS - 1).unwrap().to_string();
    let oldest = Date::from_days(today.days() - NEW_FOR_DAYS).unwrap().to_string();
    let mut records = vec![
        tender(1, json!({"title_en": "Snow removal", "publication_date": "2026-03-19"})),
        tender(
            2,
            json!({"title_fr": "Déneigement", "closing_date": "2026-03-20", "status": "Actif"}),
        ),
        tender(3, json!({"title_en": "Snow removal", "closing_date": "2026-03-19"})),
        tender(4, json!({"title_en": "Snow removal", "status": "Cancelled"})),
        tender(5, json!({"title_en": "Snow removal", "status": "?"})),
        tender(6, json!({"title_en": "Snow removal", "publication_date": old})),
        tender(7, json!({"title_en": "Snow removal", "publication_date": oldest})),
        tender(8, json!({"title_en": "Snow removal", "publication_date": null})),
        // A tender that a newer notice has cancelled, and one that a newer notice continues. The age of
        // the newer notice does not matter.
        tender(9, json!({"title_en": "Snow removal", "ocid": "o-9"})),
        tender(
            10,
            json!({"ocid": "O-9", "status": "Cancelled", "publication_date": old, "amendment_date": "2026-03-20"}),
        ),
        tender(
            11,
            json!({"title_en": "Snow", "ocid": "o-11", "status": "Cancelled", "publication_date": old}),
        ),
        tender(12, json!({"title_en": "Paper", "ocid": "o-11"})),
    ];
    // More than one page.
    records.extend(
        (100..2300).map(|number| tender(number, json!({"title_en": "Paper", "publication_date": "2026-03-18"}))),
    );
    let server = TestServer::own(&records, |_| {});
    let generation = server.generation();
    let tenders = new_tenders(&generation, today, Deadline::never()).unwrap();
    let ids: BTreeSet<&str> = tenders.iter().map(|tender| tender.record_id.as_str()).collect();
    assert_eq!(tenders.len(), 2204);
    assert!(
        ["t|1", "t|2", "t|7", "t|12", "t|100", "t|2299"]
            .iter()
            .all(|id| ids.contains(id))
    );
    assert_eq!(tenders[0].record_id, "t|1", "the newest first");
    let served = server.get("/tender/t%7C1").body;
    assert_eq!(tenders[0].bytes, served);

    let subscribed = |keyword: &str, day: &str| Subscription {
        id: 1,
        email: "a@example.com".into(),
        keywords: vec![keyword.into()],
        department: None,
        municipality: None,
        category: None,
        languages: Language::ALL.into(),
        translate: false,
        frequency: Frequency::Daily,
        locale: Locale::En,
        created_at: i64::from(Date::parse(day).unwrap().days()) * 86_400,
    };
    let subscriptions = [
        subscribed("snow", "2026-03-20"),
        subscribed("déneigements", "2026-03-08"),
        subscribed("déneigement", "2026-03-09"),
        subscribed("snow", "2025-01-01"),
    ];
    let mut found: Vec<(usize, &str)> = Vec::new();
    let matched = each_tender(&subscriptions, &tenders, &generation.translator, |tender, matching| {
        found.extend(
            matching
                .into_iter()
                .map(|subscription| (subscription, tenders[tender].record_id.as_str())),
        );
        Ok::<_, ()>(())
    });
    matched.unwrap();
    assert_eq!(found, [(0, "t|1"), (3, "t|1"), (1, "t|2"), (3, "t|7")]);
}

/// One tender states both names of a department. The others state one name, and each is found by the
/// other name too: by alerts as by the feed.
#[test]
fn alerts_find_a_department_by_all_its_names_as_the_feed_does() {
    fn noon() -> DateTime<Utc> {
        "2026-03-02T17:00:00Z".parse().unwrap()
    }
    let records = [
        json!({"title_en": "apples", "department_en": "Health Canada", "department_fr": "Santé Canada"}),
        json!({"title_en": "boats", "department_en": "HEALTH CANADA"}),
        json!({"title_en": "copper", "department_fr": "Santé Canada"}),
        json!({"title_en": "doors", "department_en": "Parks Canada"}),
        json!({"title_en": "engines", "buyer_name": "Health Canada", "department_en": "Laboratory"}),
        json!({"title_en": "flags"}),
    ];
    let records: Vec<(EntityType, String)> = (1..).zip(records).map(|(n, fields)| tender(n, fields)).collect();
    let server = TestServer::own(&records, |config| config.now = noon);
    let generation = server.generation();
    let tenders = new_tenders(&generation, Date::from(noon().date_naive()), Deadline::never()).unwrap();
    let of_health = &["t|1", "t|2", "t|3", "t|5"][..];
    let cases = [
        ("Santé", of_health),
        ("santé canada", of_health),
        ("health", of_health),
        ("canada", &["t|1", "t|2", "t|3", "t|4", "t|5"]),
        ("Parks", &["t|4"]),
        ("Parcs", &[]),
        ("laboratory", &["t|5"]),
    ];
    for (part, expected) in cases {
        // Without a keyword, and with one of each tender.
        for keywords in [
            vec![],
            ["apples", "boats", "copper", "doors", "engines", "flags"]
                .map(str::to_owned)
                .into(),
        ] {
            let subscription = Subscription {
                id: 1,
                email: "a@example.com".into(),
                keywords,
                department: Some(part.into()),
                municipality: None,
                category: None,
                languages: Language::ALL.into(),
                translate: false,
                frequency: Frequency::Daily,
                locale: Locale::En,
                created_at: noon().timestamp(),
            };
            let mut found: Vec<&str> = Vec::new();
            let matched = each_tender(&[subscription], &tenders, &generation.translator, |tender, matching| {
                found.extend(matching.iter().map(|_| tenders[tender].record_id.as_str()));
                Ok::<_, ()>(())
            });
            matched.unwrap();
            found.sort_unstable();
            assert_eq!(found, expected, "{part}");
        }
        let feed = server.get(&format!("/tender/feed?department={}", encode(part))).json();
        let results = feed["results"].as_array().unwrap().iter();
        let mut in_feed: Vec<&str> = results.filter_map(|one| one["tender"]["record_id"].as_str()).collect();
        in_feed.sort_unstable();
        assert_eq!(in_feed, expected, "{part} in the feed");
    }
    let shared = tenders
        .iter()
        .filter(|tender| tender.departments == tenders[0].departments);
    let lists: BTreeSet<*const String> = shared.map(|tender| tender.departments[0].as_ptr()).collect();
    assert!(
        lists.len() <= 2,
        "tenders share the names of their department, once for each name that they state"
    );
}
