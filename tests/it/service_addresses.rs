//! Addresses of the reconciliation services that carry their own access.

use procure::{model::plans::Plan, pages::settings::PagesMode};
use serde_json::{Value, json};

use crate::{
    program::{PROGRAM, Program},
    support::{Response, TestServer, contracts},
    waiting::wait_until,
};

/// Runs `procure keys address` on the state database of a server, and returns what it prints.
fn command(server: &TestServer, line: &[&str]) -> String {
    let state = server.folder.path().join("state.db");
    let mut command = std::process::Command::new(PROGRAM);
    command.args(["keys", "address"]).args(line).arg("--state").arg(state);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{line:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A new token for a key, once the server knows it.
fn new_token(server: &TestServer, key: &str) -> String {
    let printed = command(server, &["create", key, "--label", "OpenRefine"]);
    let token = printed.split('/').nth(2).unwrap().to_owned();
    assert!(token.starts_with("rpk_") && token.len() == 44, "{printed}");
    let address = format!("/reconcile/{token}/supplier");
    server.wait_until("the address", || without_key(server, &address).status == 200);
    token
}

fn without_key(server: &TestServer, path: &str) -> Response {
    server.request("GET", path, &[])
}

/// Checks that an answer can be read by scripts, and that no browser sends its address on.
#[track_caller]
fn check_headers(answer: &Response, what: &str) {
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{what}");
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"), "{what}");
}

fn posted(server: &TestServer, path: &str, key: Option<&str>, form: &str) -> Response {
    let mut headers = vec![("content-type", "application/x-www-form-urlencoded")];
    headers.extend(key.map(|key| ("x-gateway-key", key)));
    server.send("POST", path, &headers, form.to_owned())
}

/// All texts in a JSON value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn an_address_opens_both_services_as_a_key_does() {
    let server = TestServer::own(&contracts(20), |_| {});
    let token = new_token(&server, "1");
    let id = server.json("/suppliers?name=vendor%203")["results"][0]["id"].clone();
    let id = id.as_str().unwrap();
    let queries = "queries=%7B%22q%22%3A%7B%22query%22%3A%22vendor%203%22%7D%7D";
    let extend =
        format!("extend=%7B%22ids%22%3A%5B%22{id}%22%5D%2C%22properties%22%3A%5B%7B%22id%22%3A%22records%22%7D%5D%7D");
    for service in ["supplier", "department"] {
        let (plain, base) = (format!("/reconcile/{service}"), format!("/reconcile/{token}/{service}"));
        let manifest = without_key(&server, &base);
        check_headers(&manifest, &base);
        let manifest = manifest.json();
        // Identifiers are saved with projects, so only addresses have the token.
        let origin = server.address.clone();
        assert_eq!(manifest["schemaSpace"], format!("{origin}{plain}/properties/"));
        assert_eq!(
            manifest["preview"]["url"],
            format!("{origin}{base}/preview?id={{{{id}}}}")
        );
        assert_eq!(manifest["suggest"]["entity"]["service_url"], format!("{origin}{base}"));
        let is_other = |text: &&str| text.contains("/reconcile/") && !text.contains(&base);
        assert_eq!(texts(&manifest).into_iter().filter(is_other).count(), 1);
        for rest in [
            format!("?{queries}"),
            format!("?{extend}"),
            "/suggest/entity?prefix=vendor".to_owned(),
            "/suggest/property?prefix=rec".to_owned(),
            "/properties".to_owned(),
            format!("/preview?id={id}"),
        ] {
            let answer = without_key(&server, &format!("{base}{rest}"));
            assert_eq!(answer.status, 200, "{base}{rest}");
            check_headers(&answer, &rest);
            assert_eq!(answer.body, server.get(&format!("{plain}{rest}")).body, "{rest}");
        }
        for form in [queries, extend.as_str()] {
            let answer = posted(&server, &base, None, form);
            assert_eq!(answer.status, 200);
            check_headers(&answer, form);
            assert_eq!(answer.body, posted(&server, &plain, Some(&server.key), form).body);
        }
    }
}

#[test]
fn the_addresses_of_a_manifest_can_be_used_as_they_are() {
    for (public_url, mode, view) in [
        (None, PagesMode::Open, "/en/supplier/{{id}}"),
        (Some("https://example.org/api/"), PagesMode::Off, "/supplier/{{id}}"),
    ] {
        let server = TestServer::own(&contracts(3), |config| {
            config.pages.public_url = public_url.map(str::to_owned);
            config.pages.mode = mode;
        });
        let base = format!("/reconcile/{}/supplier", new_token(&server, "1"));
        let expected = public_url.map_or(server.address.as_str(), |url| url.trim_end_matches('/'));
        let answer = without_key(&server, &base);
        let manifest = answer.json();
        assert_eq!(manifest["identifierSpace"], format!("{expected}/supplier/"));
        assert_eq!(manifest["view"]["url"], format!("{expected}{view}"));
        let paths = texts(&manifest).into_iter().filter(|text| text.contains("/supplier"));
        assert!(paths.clone().count() > 6 && paths.clone().all(|text| text.starts_with(expected)));
        // A client that asks for another host gets other addresses, so also another tag.
        let tags = ["a.example", "a.example", "b.example"].map(|host| {
            let answer = server.request("GET", &base, &[("host", host)]);
            answer.header("etag").unwrap().to_owned()
        });
        assert_eq!((tags[0] == tags[1], tags[1] == tags[2]), (true, public_url.is_some()));
    }
}

#[test]
fn a_token_opens_nothing_else() {
    let server = TestServer::own(&contracts(20), |_| {});
    let token = new_token(&server, "1");
    for path in ["/contract", "/usage", "/reconcile/supplier"] {
        let refused = server.request("GET", path, &[("x-gateway-key", &token)]);
        let unknown = server.request("GET", path, &[("x-gateway-key", "pk_x")]);
        assert_eq!((refused.status, refused.detail()), (403, unknown.detail()), "{path}");
    }
    for path in [format!("/contract?token={token}"), format!("/{token}/contract")] {
        assert_eq!(without_key(&server, &path).status, 403, "{path}");
    }
    let browser = ("accept", "text/html");
    for rest in ["", "/", "/contract", "/supplier/", "/supplier/nope", "/tender/x%2Fbids"] {
        for headers in [&[][..], &[browser], &[("x-gateway-key", server.key.as_str())]] {
            let answer = server.request("GET", &format!("/%72econcile/{token}{rest}"), headers);
            assert_eq!(answer.status, 404, "{rest}");
            check_headers(&answer, rest);
            assert!(!answer.text().contains("rpk_"), "{}", answer.text());
        }
    }
    // A wrong token is refused as a wrong key is, also next to a right key.
    let wrong = "/reconcile/rpk_0123456789abcdef0123456789abcdef01234567/supplier";
    for headers in [&[][..], &[browser], &[("x-gateway-key", server.key.as_str())]] {
        let answer = server.request("GET", wrong, headers);
        let detail = "the token in the address is not valid; check the address, or ask the operator for one";
        assert_eq!((answer.status, answer.detail().as_str()), (403, detail));
        check_headers(&answer, wrong);
        assert_eq!(answer.header("x-ratelimit-limit"), None);
    }
}

#[test]
fn an_address_ends_when_it_or_its_key_is_revoked() {
    let server = TestServer::own(&contracts(20), |_| {});
    let key = server.new_key(Plan::Basic, "second");
    let (of_first, of_second) = (new_token(&server, "1"), new_token(&server, "2"));
    let manifest = |token: &str| without_key(&server, &format!("/reconcile/{token}/supplier"));
    let list = command(&server, &["list"]);
    assert!(list.contains("   2  of key    2") && !list.contains("rpk_"), "{list}");
    command(&server, &["revoke", "1"]);
    server.wait_until("the revocation", || manifest(&of_first).status == 403);
    let detail = "this address or its key was revoked; ask the operator for a new address";
    assert_eq!(manifest(&of_first).detail(), detail);
    assert_eq!(server.get("/contract").status, 200, "its key stays in force");
    assert_eq!(manifest(&of_second).status, 200);
    server.state().revoke_key(2, chrono::Utc::now()).unwrap();
    server.wait_until("the revocation", || manifest(&of_second).status == 403);
    assert_eq!(manifest(&of_second).detail(), detail);
    let list = command(&server, &["list"]);
    let second = list.lines().find(|line| line.contains("of key    2")).unwrap();
    assert!(second.contains("  key revoked 2"), "{list}");
    assert_eq!(
        server.request("GET", "/contract", &[("x-gateway-key", &key)]).status,
        403
    );
}

#[test]
fn the_header_of_a_gateway_is_not_asked_for() {
    let server = TestServer::own(&contracts(3), |config| config.gateway_host = Some("gateway".to_owned()));
    let token = new_token(&server, "1");
    assert_eq!(
        without_key(&server, &format!("/reconcile/{token}/supplier")).status,
        200
    );
    assert_eq!(server.get("/contract").status, 403);
}

#[test]
fn requests_count_against_the_key() {
    let server = TestServer::own(&contracts(20), |_| {});
    let key = server.new_key(Plan::Basic, "second");
    let token = new_token(&server, "2");
    let usage = || {
        let answer = server.request("GET", "/usage", &[("x-gateway-key", &key)]).json();
        (answer["used_today"].as_i64().unwrap(), answer["plan"].clone())
    };
    let (before, plan) = usage();
    let query = json!({"query": "vendor"});
    let queries = json!({"a": query, "b": query, "c": query}).to_string();
    let path = format!("/reconcile/{token}/supplier");
    let form = format!("queries={}", procure::http::encoding::encode(&queries));
    let answer = posted(&server, &path, Some(&server.key), &form);
    assert_eq!((answer.status, answer.header("x-ratelimit-cost")), (200, Some("3")));
    assert_eq!((usage().0, plan), (before + 3, json!("BASIC")));
    let per_minute = server.request("GET", "/usage", &[("x-gateway-key", &key)]).json()["requests_per_minute"].clone();
    let is_refused = (0..per_minute.as_u64().unwrap() + 50).any(|_| without_key(&server, &path).status == 429);
    assert!(is_refused, "the rate of the key's plan holds");
}

#[test]
fn neither_log_nor_metrics_have_the_token() {
    let server = TestServer::own(&contracts(20), |_| {});
    let token = new_token(&server, "1");
    let program = Program::start(&server, &[], &[("PROCURE_LOG", "trace")]);
    for path in [
        "/supplier",
        "/department",
        "/supplier/preview?id=x",
        "/supplier?queries=x",
        "/nope",
        "/supplier?token=x&generation=x",
    ] {
        program.request("GET", &format!("/reconcile/{token}{path}"), "");
        program.request("POST", &format!("/reconcile/{token}{path}"), "");
    }
    let id = format!("x-request-id: {token}\r\n");
    let answer = program.request("GET", &format!("/reconcile/{token}/supplier"), &id);
    assert!(answer.starts_with("HTTP/1.1 200") && !answer.contains(&format!("x-request-id: {token}")));
    wait_until("the lines of the requests", || {
        program.log().matches("route=/reconcile/{token}/supplier ").count() >= 4
    });
    let (log, metrics) = (program.log(), program.admin("/metrics"));
    assert!(log.contains("key=1") && metrics.contains("route=\"/reconcile/{token}/supplier\""));
    assert!(!log.contains(&token[4..]) && !metrics.contains(&token[4..]));
}
