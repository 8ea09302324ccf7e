//! Exports: all records that match as one file, compared record by record with the pages of the same search; broken
//! off, resumed, and with a generation published in the middle.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::Command,
    sync::LazyLock,
    time::Duration,
};

use parquet::{
    file::reader::{FileReader, SerializedFileReader},
    record::{Field, Row},
};
use procure::model::{date::Date, entity_type::EntityType, plans::Plan};
use proptest::{strategy::Strategy, strategy::ValueTree, test_runner::TestRunner};
use serde_json::{Value, json};

use crate::{
    api::generation_of,
    program::PROGRAM,
    support::{Response, TestServer, contracts},
};

// Each test has a key of its own, because a key has one export at a time.

/// A stream is longer than the first chunk of 256 KiB, and more than the system keeps for a client that reads nothing; a
/// single request pays for 10,000 records.
pub const CONTRACTS: usize = 12_000;

/// Contracts and tenders. Equal for all tests that need many, because their index takes long to build.
pub fn many_records() -> Vec<(EntityType, String)> {
    let mut records = contracts(CONTRACTS);
    for number in 0..3_000 {
        let mut tender = json!({
            "record_id": format!("t/{number}"), "title_fr": format!("Déneigement \"{number}\",\r\nrue {}", number % 5),
            "title_en": "=1+1", "quality_flags": ["no_vendor", "future_date"], "municipality": "laval",
            "eligibility": {"a": [1, "b"]}, "contract_value": f64::from(number) / 3.0, "fetched_at": "2024-06-01T00:00:00Z",
        });
        if number % 7 > 0 {
            tender["publication_date"] = json!(format!("2024-03-{:02}", number % 28 + 1));
        }
        if number % 5 > 0 {
            tender["closing_date"] = json!(format!("2024-05-{:02}", number % 11 + 1));
        }
        records.push((EntityType::Tender, tender.to_string()));
    }
    records
}

fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&many_records(), |_| {}));
    &SERVER
}

pub fn ask(server: &TestServer, key: &str, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut all = vec![("x-gateway-key", key)];
    all.extend(headers);
    server.request("GET", path, &all)
}

/// All records of a search, page by page.
pub fn paged(server: &TestServer, path: &str) -> Vec<Value> {
    let mut records = Vec::new();
    let mut address = path.to_owned();
    loop {
        let page = server.get(&address).json();
        records.extend(page["results"].as_array().unwrap().iter().cloned());
        let separator = if path.contains('?') { '&' } else { '?' };
        match page["next_cursor"].as_str() {
            Some(cursor) => address = format!("{path}{separator}cursor={cursor}"),
            None => return records,
        }
    }
}

pub fn lines(body: &[u8]) -> Vec<Value> {
    assert!(body.is_empty() || body.ends_with(b"\n"));
    let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// What a cell of an export is for a value of a record.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(texts) => texts
            .iter()
            .map(|text| text.as_str().unwrap())
            .collect::<Vec<_>>()
            .join("; "),
        other => other.to_string(),
    }
}

/// Compares the rows of a file with records.
fn compare(names: &csv::StringRecord, rows: &[csv::StringRecord], records: &[Value]) {
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(records) {
        for (name, found) in names.iter().zip(row) {
            assert_eq!(found, cell(&record[name]), "{name} of {}", record["record_id"]);
        }
    }
}

pub fn rows(body: &[u8], has_header: bool) -> Vec<csv::StringRecord> {
    let mut reader = csv::ReaderBuilder::new().has_headers(has_header).from_reader(body);
    reader.records().map(Result::unwrap).collect()
}

#[test]
fn an_export_has_the_records_of_all_pages_in_their_order() {
    let server = server();
    let key = server.new_key(Plan::Mega, "exports");
    for (path, query) in [
        ("contract", ""),
        ("contract", "sort_order=asc"),
        ("contract", "vendor=Vendor+3&sort_order=asc"),
        ("contract", "value_min=100&value_max=9000&issued_after=2024-03-02"),
        ("tender", "sort_by=closing&sort_order=asc"),
        ("tender", "sort_by=closing&q=deneigement"),
        ("tender", "q=snow+removal&translate=true&sort_order=asc"),
        ("award", ""),
    ] {
        let pages = paged(server, &format!("/{path}?limit=500&{query}"));
        let answer = ask(server, &key, &format!("/{path}/export?{query}"), &[]);
        assert_eq!(answer.status, 200, "{path} {query}: {}", answer.detail());
        assert!(lines(&answer.body) == pages, "{path} {query}");
        assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
        let csv = ask(server, &key, &format!("/{path}/export?format=csv&{query}"), &[]);
        let mut reader = csv::Reader::from_reader(&csv.body[..]);
        let names = reader.headers().unwrap().clone();
        compare(&names, &rows(&csv.body, true), &pages);
    }
}

#[test]
fn orders_without_cursors_are_exported_as_far_as_pages_lead() {
    let server = server();
    let key = server.new_key(Plan::Mega, "exports");
    let ids = |body: &[u8]| -> Vec<Value> { lines(body).iter().map(|record| record["record_id"].clone()).collect() };
    let by_value = ask(server, &key, "/contract/export?sort_by=value", &[]);
    let expected: Vec<Value> = (0..CONTRACTS)
        .rev()
        .map(|number| json!(format!("c|{number}")))
        .collect();
    assert!(ids(&by_value.body) == expected);
    let relevant = ask(server, &key, "/contract/export?sort_by=relevance&q=vendor", &[]);
    assert_eq!(relevant.header("x-limit-applied"), Some("10000"));
    let relevant = ids(&relevant.body);
    assert_eq!(relevant.len(), 10_000);
    for offset in [0, 4_000, 9_500] {
        let page = server.get(&format!(
            "/contract?sort_by=relevance&q=vendor&limit=500&offset={offset}"
        ));
        let page: Vec<Value> = page.ids().into_iter().map(Value::from).collect();
        assert_eq!(relevant[offset..offset + 500], page[..]);
    }
}

#[test]
fn an_export_says_what_it_is_and_what_it_refuses() {
    let server = server();
    let key = server.new_key(Plan::Pro, "exports");
    let generation = generation_of(&server.get("/health"));
    for (query, name, media_type) in [
        ("", "procure-tender-{}.ndjson", "application/x-ndjson"),
        ("?q=rue", "procure-tender-selection-{}.ndjson", "application/x-ndjson"),
        (
            "?format=csv&municipality=laval",
            "procure-tender-selection-{}.csv",
            "text/csv; charset=utf-8; header=present",
        ),
    ] {
        let answer = ask(server, &key, &format!("/tender/export{query}"), &[]);
        let name = format!("attachment; filename=\"{}\"", name.replace("{}", &generation));
        assert_eq!(answer.header("content-disposition"), Some(name.as_str()));
        assert_eq!(answer.header("content-type"), Some(media_type));
    }
    let excel = ask(server, &key, "/tender/export?format=csv&bom=true&excel=true", &[]);
    assert!(excel.body.starts_with("\u{feff}record_id,".as_bytes()));
    assert!(
        rows(&excel.body, true)
            .iter()
            .all(|row| row.iter().any(|cell| cell == "'=1+1"))
    );
    let plain = ask(server, &key, "/tender/export?bom=true", &[]);
    assert_eq!(plain.header("x-ignored-parameters"), Some("bom"));
    for (query, status, detail) in [
        (
            "limit=5",
            422,
            "parameter 'limit': /tender/export does not accept it; it accepts municipality, q, ",
        ),
        (
            "format=xlsx",
            422,
            "parameter 'format': 'xlsx' is not one of ndjson, csv, parquet",
        ),
        ("cursor=x", 422, "parameter 'cursor': invalid cursor 'x'"),
        (
            "after=nope",
            404,
            "no tender record has the id 'nope', after which the export is to go on; begin it again without 'after'",
        ),
        (
            "after=t%2F1&sort_by=value",
            400,
            "parameter 'after': not allowed with sort_by=value",
        ),
        (
            "format=parquet&after=t%2F1",
            400,
            "a Parquet file cannot go on where it broke; begin it again",
        ),
        (
            "ending_after=2024-01-01",
            422,
            "parameter 'ending_after': tender does not accept it",
        ),
    ] {
        let answer = ask(server, &key, &format!("/tender/export?{query}"), &[]);
        let is_expected = answer.status == status && answer.detail().starts_with(detail);
        assert!(is_expected, "{query}: {} {}", answer.status, answer.detail());
    }
    let head = server.request("HEAD", "/tender/export?q=rue", &[("x-gateway-key", &key)]);
    assert_eq!(head.header("x-total-count"), Some("3000"));
    let free = server.new_key(Plan::Basic, "exports");
    let refused = ask(server, &free, "/tender/export", &[]);
    assert_eq!(refused.status, 403);
    assert_eq!(
        refused.detail(),
        "the plan BASIC does not include GET /{entity_type}/export; upgrade at /docs#plans"
    );
}

#[test]
fn a_stream_is_compressed_as_the_client_accepts() {
    let server = server();
    let key = server.new_key(Plan::Mega, "exports");
    let plain = ask(server, &key, "/contract/export", &[]).body;
    for coding in ["gzip", "zstd"] {
        let stream = Stream::open(server, &key, "/contract/export", coding);
        assert!(
            stream
                .head
                .to_lowercase()
                .contains(&format!("content-encoding: {coding}"))
        );
        let (body, is_whole) = stream.rest();
        assert!(is_whole && body.len() < plain.len() / 3);
        let mut decoded = Vec::new();
        match coding {
            "gzip" => drop(
                flate2::read::MultiGzDecoder::new(&body[..])
                    .read_to_end(&mut decoded)
                    .unwrap(),
            ),
            _ => decoded = zstd::decode_all(&body[..]).unwrap(),
        }
        assert!(decoded == plain, "{coding}");
    }
}

/// A response that is read step by step.
pub struct Stream {
    pub head: String,
    input: BufReader<TcpStream>,
}

impl Stream {
    pub fn open(server: &TestServer, key: &str, path: &str, coding: &str) -> Stream {
        let mut socket = TcpStream::connect(server.address.trim_start_matches("http://")).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: x\r\nx-gateway-key: {key}\r\naccept-encoding: {coding}\r\n\r\n");
        socket.write_all(request.as_bytes()).unwrap();
        let mut input = BufReader::with_capacity(1 << 10, socket);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(input.read_line(&mut head).unwrap() > 0, "{head}");
        }
        Stream { head, input }
    }

    /// The next chunk; `None` if the connection ended before the last chunk, empty for the last one.
    pub fn chunk(&mut self) -> Option<Vec<u8>> {
        let mut size = String::new();
        self.input.read_line(&mut size).ok().filter(|read| *read > 0)?;
        let mut chunk = vec![0; usize::from_str_radix(size.trim(), 16).unwrap() + 2];
        self.input.read_exact(&mut chunk).ok()?;
        chunk.truncate(chunk.len() - 2);
        Some(chunk)
    }

    /// The rest of the body, and whether it ended as it should.
    pub fn rest(mut self) -> (Vec<u8>, bool) {
        let mut body = Vec::new();
        loop {
            match self.chunk() {
                None => return (body, false),
                Some(chunk) if chunk.is_empty() => return (body, true),
                Some(chunk) => body.extend(chunk),
            }
        }
    }
}

#[test]
fn a_stream_comes_from_one_generation_and_a_key_has_one() {
    let server = TestServer::own(&many_records(), |config| {
        // Nothing is read while an index is built, whatever else the machine does.
        config.limits.write_window = Duration::from_secs(600);
    });
    let key = server.new_key(Plan::Mega, "exports");
    let expected = ask(&server, &key, "/contract/export", &[]).body;
    let mut stream = Stream::open(&server, &key, "/contract/export", "identity");
    let mut body = stream.chunk().unwrap();
    // A second one has to wait; an export that fits one chunk does not stream.
    let second = ask(&server, &key, "/contract/export", &[]);
    assert_eq!((second.status, second.header("retry-after")), (429, Some("1")));
    assert_eq!(
        second.detail(),
        "this key already has an export that is being sent; wait until it has ended, or close its connection"
    );
    assert_eq!(second.header("x-ratelimit-cost"), Some("0"));
    assert_eq!(
        ask(&server, &key, "/contract/export?vendor=Vendor+3&value_max=99", &[]).status,
        200
    );
    let first = generation_of(&server.get("/health"));
    let newer = server.publish(&contracts(1_100));
    server.wait_until("the new generation", || generation_of(&server.get("/health")) == newer);
    let (rest, is_whole) = stream.rest();
    assert!(is_whole, "it is sent to its end");
    body.extend(rest);
    assert!(body == expected, "the records of the generation in which it began");
    let mut newest = Vec::new();
    server.wait_until("the end of the first export", || {
        let answer = ask(&server, &key, "/contract/export", &[]);
        newest = answer.body;
        answer.status == 200
    });
    assert_eq!(lines(&newest).len(), 1_100);
    // A client that goes away frees its place. Only the older index is too large for one chunk.
    let older = format!("/contract/export?generation={first}");
    drop(Stream::open(&server, &key, &older, "identity"));
    server.wait_until("the place", || {
        ask(&server, &key, "/contract/export", &[]).status == 200
    });
}

#[test]
fn what_is_cut_is_noticed_and_goes_on_where_it_broke() {
    let server = server();
    let key = server.new_key(Plan::Mega, "exports");
    let mut runner = TestRunner::deterministic();
    for (path, query) in [
        ("/contract/export?", ""),
        ("/contract/export?", "sort_order=asc&value_min=7"),
        ("/tender/export?", "sort_by=closing&sort_order=asc"),
    ] {
        let whole = ask(server, &key, &format!("{path}{query}"), &[]).body;
        let table = ask(server, &key, &format!("{path}format=csv&{query}"), &[]).body;
        for _ in 0..4 {
            let cut = (0..whole.len()).new_tree(&mut runner).unwrap().current();
            // The last whole line that arrived names where to go on.
            let kept = whole[..cut]
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1);
            let after = lines(&whole[..kept]).pop();
            let after = after.map(|record| record["record_id"].as_str().unwrap().to_owned());
            let Some(after) = after else { continue };
            let after = percent(&after);
            let rest = ask(server, &key, &format!("{path}{query}&after={after}"), &[]).body;
            assert!([&whole[..kept], &rest[..]].concat() == whole, "{path}{query} at {cut}");
            let rest = ask(
                server,
                &key,
                &format!("{path}format=csv&bom=true&{query}&after={after}"),
                &[],
            )
            .body;
            assert!(table.ends_with(&rest) && rows(&rest, false).len() == lines(&whole[kept..]).len());
        }
        // A cursor of the pages leads to the same place.
        let page = server
            .get(&format!("{}?{query}&limit=500", path.trim_end_matches("/export?")))
            .json();
        let cursor = page["next_cursor"].as_str().unwrap();
        let rest = ask(server, &key, &format!("{path}{query}&cursor={cursor}"), &[]).body;
        assert!(lines(&rest) == lines(&whole)[500..]);
    }
}

pub fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn an_export_costs_a_request_for_every_ten_thousand_records_begun() {
    let server = TestServer::own(&many_records(), |config| {
        let path = config.state.with_file_name("plans.toml");
        fs::write(&path, "[PRO]\nrequests_per_day = 3\n").unwrap();
        config.plans = Some(path);
    });
    let used = || server.get("/usage").json()["used_today"].as_i64().unwrap();
    assert_eq!(ask(&server, &server.key, "/contract/export", &[]).status, 200);
    assert_eq!(used(), 2);
    // The third request pays for the first 10,000 records only.
    let (body, is_whole) = Stream::open(&server, &server.key, "/contract/export", "identity").rest();
    assert!(!is_whole, "a stream that breaks has no last chunk");
    assert_eq!((lines(&body).len(), used()), (10_000, 3));
    let refused = server.get("/contract/export?after=c%7C1");
    assert_eq!(refused.status, 429);
}

#[test]
fn an_older_index_can_be_asked_and_cited_while_it_is_kept() {
    let server = TestServer::own(&contracts(1_200), |_| {});
    let first = generation_of(&server.get("/health"));
    let page = server.get("/contract?limit=400");
    assert_eq!(page.header("x-index-generation"), Some(first.as_str()));
    for path in ["/nope", "/health", "/contract?limit=x", "/openapi.json"] {
        assert_eq!(
            server.get(path).header("x-index-generation"),
            Some(first.as_str()),
            "{path}"
        );
    }
    let whole = server.get("/contract/export").body;
    let second = server.publish(&contracts(1_100));
    server.wait_until("the second index", || generation_of(&server.get("/health")) == second);

    // A walk in the first index goes on in it.
    let pinned = server.get(&format!("/contract?limit=400&generation={first}"));
    assert_eq!(pinned.json(), page.json());
    assert_eq!(pinned.header("x-index-generation"), Some(first.as_str()));
    let mut link = pinned.header("link").unwrap().to_owned();
    let mut walked = pinned.ids();
    loop {
        let next = server.get(link.trim_start_matches('<').split('>').next().unwrap());
        walked.extend(next.ids());
        match next.header("link") {
            Some(further) => link = further.to_owned(),
            None => break,
        }
    }
    assert_eq!(walked.len(), 1_200);
    assert!(server.get(&format!("/contract/export?generation={first}")).body == whole);
    assert_eq!(server.get("/contract/stats").json()["total"], 1_100);
    assert_eq!(
        server.get(&format!("/contract/stats?generation={first}")).json()["total"],
        1_200
    );
    assert_eq!(
        server.get(&format!("/sources?generation={second}")).json()["sources"][0]["records"],
        1_100
    );

    let cited = server.get(&format!("/generations/{first}")).json();
    assert_eq!(
        (&cited["generation"], &cited["records"]),
        (&json!(first), &json!(1_200))
    );
    assert_eq!(
        cited["entity_types"][0],
        json!({"entity_type": "contract", "records": 1_200})
    );
    assert_eq!(cited["checksum"].as_str().unwrap().len(), 64);
    let current = server.get("/generations/current").json();
    assert_eq!(current["generation"], json!(second));
    for (format, media_type, start) in [
        (
            "text",
            "text/plain; charset=utf-8",
            "Canadian public procurement records, index 2".to_owned(),
        ),
        ("bibtex", "application/x-bibtex", format!("@misc{{procure-{first},\n")),
        (
            "csl",
            "application/vnd.citationstyles.csl+json",
            format!("[{{\"id\":\"procure-{first}\",\"type\":\"dataset\""),
        ),
    ] {
        let answer = server.get(&format!("/generations/{first}?format={format}"));
        assert_eq!(answer.header("content-type"), Some(media_type));
        assert!(String::from_utf8(answer.body).unwrap().starts_with(&start), "{format}");
    }

    let third = server.publish(&contracts(1_000));
    server.wait_until("the third index", || generation_of(&server.get("/health")) == third);
    let gone = format!("the index '{first}' is no longer kept; the oldest that is available is '{second}'");
    for (path, status, detail) in [
        (format!("/contract?generation={first}"), 410, gone.as_str()),
        (format!("/generations/{first}"), 410, &gone),
        (
            "/contract?generation=x".to_owned(),
            422,
            "parameter 'generation': 'x' is not the id of an index, such as 20260131T235959123Z",
        ),
        (
            "/generations/x".to_owned(),
            404,
            "there is no index 'x'; 'current' is the one in service",
        ),
        (
            "/contract?generation=99990101T000000000Z".to_owned(),
            404,
            "there is no index '99990101T000000000Z'; the current one is ",
        ),
        (
            format!("/contract?generation={second}&generation={second}"),
            422,
            "parameter 'generation': given twice; give it once",
        ),
        (
            format!("/health?generation={second}"),
            422,
            "unknown parameter 'generation'",
        ),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.detail().starts_with(detail), "{path}: {}", answer.detail());
    }
}

/// The rows of a Parquet file, each as a record without its empty members.
pub fn table(file: Vec<u8>) -> Vec<Value> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
    let value = |cell: &Field| match cell {
        Field::Str(text) => json!(text),
        Field::Double(number) => json!(number),
        Field::Long(number) => json!(number),
        Field::Bool(flag) => json!(flag),
        Field::Date(days) => json!(Date::from_days(*days).unwrap().to_string()),
        Field::ListInternal(list) => list.elements().iter().map(ToString::to_string).map(unquoted).collect(),
        other => panic!("{other:?}"),
    };
    let row = |row: Result<Row, _>| {
        let row = row.unwrap();
        let members = row.get_column_iter().filter(|(_, cell)| **cell != Field::Null);
        members.map(|(name, cell)| (name.clone(), value(cell))).collect()
    };
    let mut rows: Vec<Value> = reader.get_row_iter(None).unwrap().map(row).collect();
    for row in &mut rows {
        // The supplier of a record, which has a vendor then: it is no member of the record.
        let members = row.as_object_mut().unwrap();
        if members.remove("supplier_id").is_some() {
            assert!(members.contains_key("vendor_name") && members.remove("supplier_name").is_some());
        }
    }
    rows
}

fn unquoted(text: String) -> Value {
    serde_json::from_str(&text).unwrap()
}

/// A record as [`table`] has it.
fn flat(record: &Value) -> Value {
    let member = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::Object(_) => json!(value.to_string()),
            Value::Number(number) => json!(number.as_f64()),
            other => other.clone(),
        };
        (name.clone(), value)
    };
    record.as_object().unwrap().iter().map(member).collect()
}

#[test]
fn a_parquet_file_has_the_records_of_all_pages() {
    let server = server();
    let key = server.new_key(Plan::Mega, "exports");
    for (path, query) in [("contract", "sort_order=asc"), ("tender", ""), ("award", "")] {
        let pages = paged(server, &format!("/{path}?limit=500&{query}"));
        let answer = ask(server, &key, &format!("/{path}/export?format=parquet&{query}"), &[]);
        assert_eq!(answer.header("content-type"), Some("application/vnd.apache.parquet"));
        let rows = table(answer.body);
        assert_eq!(rows.len(), pages.len());
        for (row, record) in rows.iter().zip(&pages) {
            assert_eq!(*row, flat(record));
        }
    }
}

#[test]
fn whole_dumps_are_complete_checked_and_repeatable() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let export = |name: &str| {
        let out = folder.path().join(name);
        let (index, out) = (server.index_dir(), out.to_str().unwrap().to_owned());
        let run = Command::new(PROGRAM)
            .args(["export", "--out", &out, "--index-dir", index.to_str().unwrap()])
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        out
    };
    let [first, second] = ["a", "b"].map(export);
    let read = |folder: &str, name: &str| fs::read(Path::new(folder).join(name)).unwrap();
    let mut names: Vec<String> = fs::read_dir(&first)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = [
        "SHA256SUMS",
        "contract.ndjson.zst",
        "contract.parquet",
        "croissant.json",
        "datapackage.json",
        "suppliers.ndjson.zst",
        "suppliers.parquet",
        "tender.ndjson.zst",
        "tender.parquet",
    ];
    assert_eq!(names, expected);
    for name in &names {
        assert!(
            read(&first, name) == read(&second, name),
            "{name} is the same each time"
        );
    }
    let sums = Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(&first)
        .output();
    assert!(sums.unwrap().status.success());
    let package: Value = serde_json::from_slice(&read(&first, "datapackage.json")).unwrap();
    assert_eq!(package["resources"].as_array().unwrap().len(), 6);
    for resource in package["resources"].as_array().unwrap() {
        let bytes = read(&first, resource["path"].as_str().unwrap());
        assert_eq!(resource["bytes"], bytes.len());
    }
    let pages = paged(server, "/tender?limit=500");
    let ndjson = zstd::decode_all(&read(&first, "tender.ndjson.zst")[..]).unwrap();
    assert!(lines(&ndjson) == pages);
    let rows = table(read(&first, "tender.parquet"));
    assert!(rows.iter().zip(&pages).all(|(row, record)| *row == flat(record)) && rows.len() == pages.len());
}
