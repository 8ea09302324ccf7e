//! Error responses, as one table: method, path, status and exact `detail`. Errors of record searches are in
//! `tests/scenarios`.

use crate::support::TestServer;

#[test]
fn every_error_states_the_problem_and_the_fix() {
    let server = TestServer::shared();
    for (method, path, status, detail) in [
        (
            "GET",
            "/contracts",
            404,
            "no endpoint '/contracts'; nearest is '/contract'",
        ),
        ("GET", "/helth", 404, "no endpoint '/helth'; nearest is '/health'"),
        (
            "GET",
            "/standing-offer",
            404,
            "no endpoint '/standing-offer'; nearest is '/standing_offer'",
        ),
        (
            "GET",
            "/contract/",
            404,
            "no endpoint '/contract/'; /docs lists all endpoints",
        ),
        (
            "GET",
            "/contract/feed",
            404,
            "no endpoint '/contract/feed'; /docs lists all endpoints",
        ),
        (
            "GET",
            "/tender/feed?keyword=x",
            422,
            "unknown parameter 'keyword'; nearest is 'keywords'",
        ),
        (
            "GET",
            "/procurement/W8482-242123?offset=1",
            422,
            "unknown parameter 'offset'; this endpoint accepts department, limit, include",
        ),
        (
            "GET",
            "/commodity/72?sort_by=relevance",
            422,
            "parameter 'sort_by': 'relevance' is not one of date, value, ending",
        ),
        (
            "POST",
            "/tender/alerts/subscribe?email=a@example.com&city=nowhere",
            422,
            "parameter 'city': 'nowhere' is not one of federal, montreal",
        ),
        (
            "GET",
            "/tender/t1/documents/0",
            404,
            "tender 't1' has no document '0'; it has no documents",
        ),
        (
            "POST",
            "/tender/alerts/subscribe",
            422,
            "parameter 'email' is required, in the query string or the body",
        ),
        (
            "GET",
            "/contract/nope",
            404,
            "no contract record has the id 'nope'; pass the `record_id` of a search result unchanged",
        ),
        (
            "GET",
            "/tender/c4",
            404,
            "no tender record has the id 'c4'; pass the `record_id` of a search result unchanged",
        ),
        (
            "GET",
            "/contract/%C3%A9%20%7C",
            404,
            "no contract record has the id 'é |'; pass the `record_id` of a search result unchanged",
        ),
        (
            "GET",
            "/contract/%zz",
            422,
            "invalid percent-encoding '%zz'; write a percent sign as %25",
        ),
        (
            "GET",
            "/contract/%ff",
            422,
            "the address is not valid UTF-8 after percent-decoding; encode its text as UTF-8",
        ),
        (
            "GET",
            "/contract?q=%f",
            422,
            "invalid percent-encoding '%f'; write a percent sign as %25",
        ),
        (
            "GET",
            "/contract?q=%c3",
            422,
            "the address is not valid UTF-8 after percent-decoding; encode its text as UTF-8",
        ),
        (
            "GET",
            "/contract/c4?limit=1",
            422,
            "unknown parameter 'limit'; this endpoint accepts include",
        ),
        (
            "GET",
            "/contract/coverage?q=x",
            422,
            "unknown parameter 'q'; this endpoint accepts no parameters",
        ),
        (
            "GET",
            "/sources?x",
            422,
            "unknown parameter 'x'; this endpoint accepts no parameters",
        ),
        (
            "GET",
            "/health?x=1",
            422,
            "unknown parameter 'x'; this endpoint accepts no parameters",
        ),
        (
            "POST",
            "/contract",
            405,
            "method 'POST' is not allowed here; use GET, HEAD",
        ),
        (
            "DELETE",
            "/contract/c4",
            405,
            "method 'DELETE' is not allowed here; use GET, HEAD",
        ),
        (
            "OPTIONS",
            "/contract",
            405,
            "method 'OPTIONS' is not allowed here; use GET, HEAD",
        ),
    ] {
        let answer = server.request(method, path, &[("x-gateway-key", &server.key)]);
        assert_eq!(
            (answer.status, answer.detail().as_str()),
            (status, detail),
            "{method} {path}"
        );
        assert_eq!(answer.json().as_object().unwrap().len(), 1, "{method} {path}");
        assert_eq!(
            answer.header("content-type"),
            Some("application/json"),
            "{method} {path}"
        );
        let allow = (status == 405).then_some("GET, HEAD");
        assert_eq!(answer.header("allow"), allow, "{method} {path}");
    }
}

#[test]
fn only_health_needs_no_key() {
    let server = TestServer::shared();
    let none = "no API key; send yours in the header 'x-gateway-key'";
    let wrong = "the API key in the header 'x-gateway-key' is not valid; check it, or ask the operator for a key";
    for path in [
        "/contract",
        "/contract/c4",
        "/sources",
        "/nope",
        "/contract/%zz",
        "/contract?limit=x",
    ] {
        for (headers, detail) in [
            (&[][..], none),
            (&[("x-gateway-key", "")][..], none),
            (&[("x-gateway-key", "pk_0000")][..], wrong),
            (&[("x-gateway-key", "é")][..], wrong),
        ] {
            let answer = server.request("GET", path, headers);
            assert_eq!(
                (answer.status, answer.detail().as_str()),
                (403, detail),
                "{path} {headers:?}"
            );
        }
    }
    assert_eq!(server.request("GET", "/health", &[]).status, 200);
    assert_eq!(server.request("HEAD", "/health", &[]).status, 200);
    assert_eq!(server.request("POST", "/health", &[]).status, 405);
}
