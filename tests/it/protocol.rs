//! The headers of every response: request id, `ETag` and caching, content coding, timing. Arbitrary
//! request headers break none of them.

use std::{
    collections::HashSet,
    io::{Read, Write},
    net::TcpStream,
};

use procure::{catalog::generation::GenerationStore, model::plans::Plan};
use proptest::prelude::*;

use crate::{
    api::generation_of,
    support::{Response, TestServer, contracts},
};

/// Sends a request with the server's key and one more header.
fn with(server: &TestServer, method: &str, path: &str, name: &str, value: &str) -> Response {
    server.request(method, path, &[("x-gateway-key", &server.key), (name, value)])
}

fn etag(server: &TestServer, path: &str) -> String {
    let answer = server.get(path);
    let tag = answer.header("etag");
    tag.unwrap_or_else(|| panic!("{path}: {} without a tag", answer.status))
        .to_owned()
}

#[test]
fn every_response_has_the_requests_id() {
    let server = TestServer::shared();
    let key = ("x-gateway-key", server.key.as_str());
    let preflight = ("access-control-request-method", "GET");
    let cases = [
        ("GET", "/contract", &[key][..], 200),
        ("HEAD", "/contract", &[key], 200),
        ("GET", "/health", &[], 200),
        ("GET", "/contract", &[key, ("if-none-match", "*")], 304),
        ("GET", "/contract", &[], 403),
        ("GET", "/nope", &[key], 404),
        ("POST", "/contract", &[key], 405),
        ("GET", "/contract?x=1", &[key], 422),
        ("OPTIONS", "/contract", &[preflight], 204),
    ];
    let mut generated = HashSet::new();
    for (method, path, headers, status) in cases {
        let answer = server.request(method, path, headers);
        assert_eq!(answer.status, status, "{method} {path}");
        let id = answer.header("x-request-id").unwrap().to_owned();
        assert!(id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()), "{id}");
        assert!(generated.insert(id), "an id was repeated");
        let own = [headers, &[("x-request-id", "trace-7/a")]].concat();
        let answer = server.request(method, path, &own);
        assert_eq!(answer.header("x-request-id"), Some("trace-7/a"), "{method} {path}");
    }
    for bad in ["two words", &"x".repeat(129)] {
        let answer = with(server, "GET", "/sources", "x-request-id", bad);
        assert_ne!(answer.header("x-request-id"), Some(bad));
    }
}

#[test]
fn equivalent_requests_have_the_same_tag() {
    let server = TestServer::shared();
    for same in [
        &[
            "/contract",
            "/contract?limit=100",
            "/contract?limit=&sort_order=desc",
            "/contract?sort_by=date&offset=0",
        ][..],
        &[
            "/contract?city=laval&q=a",
            "/contract?q=a&municipality=laval",
            "/contract?q=+A&municipality=%6Caval",
        ],
        &[
            "/contract?date_from=2024-01-01",
            "/contract?issued_after=2024-01-01&closing_after=2024-01-01",
        ],
        &["/contract/c4", "/contract/%634"],
        &["/sources", "/sources?", "/%73ources"],
    ] {
        let tags: HashSet<String> = same.iter().map(|path| etag(server, path)).collect();
        assert_eq!(tags.len(), 1, "{same:?}");
    }
    let different = [
        "/contract",
        "/contract?limit=5",
        "/contract?limit=6",
        "/contract?offset=1",
        "/contract?q=a",
        "/contract?q=b",
        "/contract?sort_order=asc",
        "/contract?city=laval",
        "/award",
        "/contract/c4",
        "/contract/coverage",
        "/award/coverage",
        "/sources",
    ];
    let tags: HashSet<String> = different.iter().map(|path| etag(server, path)).collect();
    assert_eq!(tags.len(), different.len());
    for tag in tags {
        assert!(
            tag.starts_with("W/\"") && tag.ends_with('"'),
            "{tag}: must be weak, since all codings share it"
        );
    }
}

#[test]
fn a_client_that_has_the_response_gets_304() {
    let server = TestServer::shared();
    for path in ["/contract?limit=2", "/contract/c4", "/contract/coverage", "/sources"] {
        let tag = etag(server, path);
        let strong = tag.trim_start_matches("W/").to_owned();
        for method in ["GET", "HEAD"] {
            for (condition, status) in [
                (tag.clone(), 304),
                (strong.clone(), 304),
                (format!("\"x\", {tag}"), 304),
                (format!("{strong},W/\"y\""), 304),
                ("*".to_owned(), 304),
                ("\"x\"".to_owned(), 200),
                (strong.trim_matches('"').to_owned(), 200),
                (String::new(), 200),
            ] {
                let answer = with(server, method, path, "if-none-match", &condition);
                assert_eq!(answer.status, status, "{method} {path} {condition}");
                assert_eq!(answer.header("etag"), Some(tag.as_str()), "{method} {path} {condition}");
                assert_eq!(answer.header("cache-control"), Some("private, max-age=60"), "{path}");
                assert_eq!(answer.header("vary"), Some("accept-encoding"), "{path}");
                assert_eq!(answer.header("access-control-allow-origin"), Some("*"), "{path}");
                if status == 304 {
                    assert_eq!((answer.body.len(), answer.header("content-type")), (0, None), "{path}");
                }
            }
        }
    }
    // The condition is evaluated only for valid requests with a response.
    for (path, status) in [("/contract?limit=0", 422), ("/contract/absent", 404), ("/nope", 404)] {
        assert_eq!(with(server, "GET", path, "if-none-match", "*").status, status, "{path}");
    }
    assert_eq!(with(server, "POST", "/contract", "if-none-match", "*").status, 405);
    assert_eq!(
        server.request("GET", "/contract", &[("if-none-match", "*")]).status,
        403
    );
}

#[test]
fn errors_and_changing_responses_are_not_stored() {
    let server = TestServer::shared();
    let key = ("x-gateway-key", server.key.as_str());
    for (method, path, headers) in [
        ("GET", "/health", &[][..]),
        ("HEAD", "/health", &[]),
        ("GET", "/health", &[("if-none-match", "*")]),
        ("GET", "/contract", &[]),
        ("GET", "/contract?x=1", &[key]),
        ("GET", "/contract/absent", &[key]),
        ("POST", "/contract", &[key]),
    ] {
        let answer = server.request(method, path, headers);
        assert_ne!(answer.status, 304, "{path}");
        assert_eq!(
            (answer.header("cache-control"), answer.header("etag")),
            (Some("no-store"), None),
            "{path}"
        );
    }
}

#[test]
fn a_304_takes_no_search() {
    let server = TestServer::own(&contracts(30), |_| {});
    let late = TestServer::own(&contracts(1), |config| {
        config.store = GenerationStore::Folder(server.index_dir());
        config.query_timeout = std::time::Duration::from_nanos(1);
    });
    for path in ["/contract?q=vendor", "/contract/c%7C1"] {
        let tag = etag(&server, path);
        assert_eq!(late.get(path).status, 504, "{path}");
        assert_eq!(with(&late, "GET", path, "if-none-match", &tag).status, 304, "{path}");
    }
}

#[test]
fn a_tag_depends_on_the_generation_and_on_the_plan_only_if_it_matters() {
    let server = TestServer::own(&contracts(220), |_| {});
    let (other, basic) = (server.new_key(Plan::Pro, "other"), server.new_key(Plan::Basic, "basic"));
    let ask = |key: &str, path: &str| server.request("GET", path, &[("x-gateway-key", key)]);
    let tag = |key: &str, path: &str| ask(key, path).header("etag").unwrap().to_owned();
    assert_eq!(tag(&other, "/contract?limit=500"), etag(&server, "/contract?limit=500"));
    assert_eq!(tag(&basic, "/contract?limit=50"), etag(&server, "/contract?limit=50"));
    assert_eq!(
        tag(&basic, "/contract?limit=500"),
        etag(&server, "/contract?limit=100"),
        "lowered to 100"
    );
    assert_ne!(tag(&basic, "/contract?limit=500"), etag(&server, "/contract?limit=500"));

    let before = etag(&server, "/contract/c%7C1");
    let generation = server.publish(&contracts(220));
    server.wait_until("the new generation", || {
        generation_of(&server.get("/health")) == generation
    });
    assert_ne!(etag(&server, "/contract/c%7C1"), before);
    assert_eq!(
        with(&server, "GET", "/contract/c%7C1", "if-none-match", &before).status,
        200
    );
}

#[test]
fn a_body_has_the_coding_that_the_client_prefers() {
    let server = TestServer::own(&contracts(300), |_| {});
    for path in ["/contract?limit=20", "/contract?limit=300"] {
        let plain = server.get(path);
        assert_eq!(plain.header("content-encoding"), None);
        for (accepted, coding) in [
            ("gzip, deflate, br, zstd", Some("zstd")),
            ("gzip, deflate, br", Some("br")),
            ("gzip", Some("gzip")),
            ("gzip;q=1, *;q=0.5", Some("gzip")),
            ("*", Some("zstd")),
            ("br;q=0, gzip;q=0", None),
            ("deflate", None),
            ("*;q=0", None),
            ("identity;q=0", None),
            ("identity", None),
        ] {
            let get = with(&server, "GET", path, "accept-encoding", accepted);
            assert_eq!(
                (get.status, get.header("content-encoding")),
                (200, coding),
                "{accepted}"
            );
            assert_eq!(decoded(&get), plain.body, "{accepted}");
            assert_eq!(get.header("vary"), Some("accept-encoding"));
            assert_eq!(get.header("etag"), plain.header("etag"));
            let head = with(&server, "HEAD", path, "accept-encoding", accepted);
            for name in ["content-encoding", "content-length", "content-type", "etag"] {
                assert_eq!(head.header(name), get.header(name), "{accepted} {name}");
            }
            assert_eq!(
                get.header("content-length"),
                Some(get.body.len().to_string().as_str()),
                "{accepted}"
            );
        }
    }
    let small = with(&server, "GET", "/contract/c%7C1", "accept-encoding", "gzip");
    assert!(small.body.len() < 1024);
    assert_eq!(small.header("content-encoding"), None);
    let refused = with(
        &server,
        "GET",
        "/contract/c%7C1",
        "accept-encoding",
        "gzip, identity;q=0",
    );
    assert_eq!(
        (refused.header("content-encoding"), decoded(&refused)),
        (Some("gzip"), small.body)
    );
}

#[test]
fn what_never_changes_has_every_coding_too() {
    let server = TestServer::shared();
    for path in ["/openapi.json", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"] {
        let plain = with(server, "GET", path, "accept-encoding", "identity");
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None), "{path}");
        for coding in ["zstd", "br", "gzip"] {
            // The second one is kept from the first.
            for _ in 0..2 {
                let coded = with(server, "GET", path, "accept-encoding", coding);
                assert_eq!(coded.header("content-encoding"), Some(coding), "{path}");
                assert_eq!(decoded(&coded), plain.body, "{path} {coding}");
            }
        }
    }
}

fn decoded(answer: &Response) -> Vec<u8> {
    let (mut plain, coded) = (Vec::new(), &answer.body[..]);
    match answer.header("content-encoding") {
        None => plain = coded.to_vec(),
        Some("zstd") => plain = zstd::decode_all(coded).unwrap(),
        Some("br") => drop(brotli::Decompressor::new(coded, 4096).read_to_end(&mut plain).unwrap()),
        Some("gzip") => drop(flate2::read::GzDecoder::new(coded).read_to_end(&mut plain).unwrap()),
        Some(other) => panic!("{other}"),
    }
    plain
}

#[test]
fn server_timing_lists_the_parts_of_a_request() {
    let server = TestServer::shared();
    for (path, parts) in [
        ("/contract", &["queue", "search", "total"][..]),
        ("/sources", &["total"]),
        ("/nope", &["total"]),
    ] {
        let answer = server.get(path);
        let timing = answer.header("server-timing").unwrap().split(", ");
        let names: Vec<&str> = timing
            .map(|part| {
                let (name, time) = part.split_once(";dur=").unwrap();
                assert!((0.0..5000.0).contains(&time.parse::<f64>().unwrap()), "{part}");
                name
            })
            .collect();
        assert_eq!(names, parts, "{path}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn arbitrary_headers_do_not_fail(
        name in prop::sample::select(&["accept-encoding", "if-none-match", "x-request-id", "x-gateway-key", "origin", "access-control-request-method"][..]),
        value in prop::collection::vec(any::<u8>().prop_filter("no end of line", |byte| !b"\r\n\0".contains(byte)), 0..60),
    ) {
        let server = TestServer::shared();
        let mut socket = TcpStream::connect(server.address.trim_start_matches("http://")).unwrap();
        let mut request = format!("GET /contract?limit=1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-gateway-key: {}\r\n{name}: ", server.key).into_bytes();
        request.extend_from_slice(&value);
        request.extend_from_slice(b"\r\n\r\n");
        socket.write_all(&request).unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        let status = String::from_utf8_lossy(&answer[..12.min(answer.len())]).into_owned();
        prop_assert!(["200", "304", "400", "403"].iter().any(|known| status.ends_with(known)), "{status}");
    }
}
