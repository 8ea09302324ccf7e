//! Exports of bids and suppliers, compared with their pages; and the files of a dump that a server offers.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use parquet::{
    file::reader::{FileReader, SerializedFileReader},
    record::Field,
};
use procure::model::plans::Plan;
use serde_json::{Value, json};

use crate::{
    bids,
    exports::{ask, lines, paged, percent, rows, table},
    program::PROGRAM,
    support::{Response, TestServer, contracts},
};

/// A row as CSV has it, without what is empty.
fn cells(row: &Value) -> Vec<(String, String)> {
    let cell = |(name, value): (&String, &Value)| {
        let text = match value {
            Value::Null => return None,
            Value::String(text) => text.clone(),
            Value::Array(texts) if texts.iter().all(Value::is_string) => texts
                .iter()
                .map(|text| text.as_str().unwrap())
                .collect::<Vec<_>>()
                .join("; "),
            other => other.to_string(),
        };
        (!text.is_empty()).then(|| (name.clone(), text))
    };
    row.as_object().unwrap().iter().filter_map(cell).collect()
}

#[test]
fn bids_and_suppliers_are_exported_as_their_pages_have_them() {
    let server = bids::server();
    let key = server.new_key(Plan::Mega, "exports");
    let paving = server.get("/suppliers?q=deneigement").json();
    let supplier = paving["results"][0]["id"].as_str().unwrap().to_owned();
    let by_supplier = format!("supplier={supplier}&won=true");
    for (path, limit, query) in [
        ("bids", 500, ""),
        ("bids", 7, "vendor=pavages"),
        ("bids", 500, "q=asphalte&method=open&amount_min=1100"),
        ("bids", 500, "won=false&municipality=laval&category=CNST"),
        ("bids", 500, "issued_after=2012-01-01&commodity=72"),
        ("bids", 500, &by_supplier),
        ("bids", 500, "vendor=nobody+at+all"),
        ("suppliers", 100, ""),
        ("suppliers", 1, "q=deneigement"),
        ("suppliers", 20, "name=D%C3%A9neigement+Deux"),
    ] {
        let pages = paged(server, &format!("/{path}?limit={limit}&{query}"));
        let export = |format: &str| {
            let answer = ask(server, &key, &format!("/{path}/export?format={format}&{query}"), &[]);
            assert_eq!(answer.status, 200, "{path} {query}: {}", answer.detail());
            answer
        };
        assert!(lines(&export("ndjson").body) == pages, "{path} {query}");
        let csv = export("csv").body;
        let names = csv::Reader::from_reader(&csv[..]).headers().unwrap().clone();
        let found = rows(&csv, true);
        assert_eq!(found.len(), pages.len());
        for (row, page) in found.iter().zip(&pages) {
            let row = names.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
            let row: Vec<_> = row.map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect();
            assert_eq!(row, cells(page));
        }
        let parquet = table(export("parquet").body);
        assert_eq!(parquet.len(), pages.len());
        for (row, page) in parquet.iter().zip(&pages) {
            for (name, value) in page.as_object().unwrap() {
                let found = &row[name];
                let is_equal = match value {
                    Value::Number(number) => found.as_f64() == number.as_f64(),
                    Value::Object(_) => *found == json!(value.to_string()),
                    other => found == other,
                };
                assert!(is_equal, "{name}: {found} {value}");
            }
        }
        let head = server.request("HEAD", &format!("/{path}/export?{query}"), &[("x-gateway-key", &key)]);
        assert_eq!(head.header("x-total-count"), Some(pages.len().to_string().as_str()));
    }
    let contracts = ask(server, &key, "/contract/export?format=parquet", &[]).body;
    let reader = SerializedFileReader::new(bytes::Bytes::from(contracts)).unwrap();
    for row in reader.get_row_iter(None).unwrap().map(Result::unwrap) {
        let text = |name: &str| {
            let (_, cell) = row.get_column_iter().find(|(known, _)| *known == name).unwrap();
            cell.to_string().trim_matches('"').to_owned()
        };
        let named = format!("/suppliers?name={}", percent(&text("vendor_name")));
        let supplier = &server.get(&named).json()["results"][0];
        assert_eq!(
            (json!(text("supplier_id")), json!(text("supplier_name"))),
            (supplier["id"].clone(), supplier["name"].clone())
        );
    }
    let typed = ask(server, &key, "/bids/export?format=parquet", &[]).body;
    let reader = SerializedFileReader::new(bytes::Bytes::from(typed)).unwrap();
    let row = reader.get_row_iter(None).unwrap().next().unwrap().unwrap();
    let cell = |name: &str| {
        row.get_column_iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
            .clone()
    };
    assert!(matches!(cell("won"), Field::Bool(_)) && matches!(cell("date"), Field::Date(_) | Field::Null));
}

#[test]
fn exports_of_bids_and_suppliers_go_on_where_they_broke() {
    let server = bids::server();
    let key = server.new_key(Plan::Mega, "exports");
    let whole = ask(server, &key, "/bids/export?won=false", &[]).body;
    let found = lines(&whole);
    for cut in [1, 50, found.len() / 2, found.len() - 1] {
        // The bids on the last tender may be incomplete, so they are left out, and the tender before names the place.
        let last = found[cut]["record_id"].clone();
        let kept: Vec<&Value> = found[..cut].iter().filter(|row| row["record_id"] != last).collect();
        let Some(after) = kept.last() else { continue };
        let after = after["record_id"].as_str().unwrap().replace('|', "%7C");
        let rest = ask(server, &key, &format!("/bids/export?won=false&after={after}"), &[]).body;
        let joined: Vec<Value> = kept.into_iter().cloned().chain(lines(&rest)).collect();
        assert!(joined == found, "{cut}");
    }
    let page = server.get("/bids?won=false&limit=3").json();
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = ask(server, &key, &format!("/bids/export?won=false&cursor={cursor}"), &[]).body;
    assert!(lines(&rest) == found[3..]);
    for (query, status, detail) in [
        (
            "bids/export?after=nope",
            404,
            "no tender with bids has the id 'nope', after which the export is to go on",
        ),
        (
            "suppliers/export?after=sup_0",
            404,
            "no supplier has the id 'sup_0', after which the export is to go on",
        ),
        (
            "bids/export?limit=5",
            422,
            "parameter 'limit': /bids/export does not accept it; it accepts vendor, ",
        ),
        (
            "suppliers/export?limit=5",
            422,
            "parameter 'limit': /suppliers/export does not accept it",
        ),
        ("bids?format=csv", 422, "unknown parameter 'format'"),
        ("suppliers?bom=true", 422, "unknown parameter 'bom'"),
    ] {
        let answer = ask(server, &key, &format!("/{query}"), &[]);
        let is_expected = answer.status == status && answer.detail().starts_with(detail);
        assert!(is_expected, "{query}: {} {}", answer.status, answer.detail());
    }
    let free = server.new_key(Plan::Basic, "exports");
    assert_eq!(ask(server, &free, "/bids/export", &[]).status, 403);
    assert_eq!(ask(server, &free, "/suppliers/export", &[]).status, 403);
}

#[test]
fn an_export_of_suppliers_goes_on_after_any_of_them() {
    let server = TestServer::own(&contracts(500), |_| {});
    let key = server.new_key(Plan::Mega, "exports");
    let suppliers = lines(&ask(&server, &key, "/suppliers/export", &[]).body);
    assert!(suppliers.len() > 3 && suppliers == paged(&server, "/suppliers?limit=100"));
    for cut in 1..suppliers.len() {
        let after = suppliers[cut - 1]["id"].as_str().unwrap();
        let rest = ask(&server, &key, &format!("/suppliers/export?after={after}"), &[]).body;
        assert!(lines(&rest) == suppliers[cut..]);
    }
    let page = server.get("/suppliers?limit=3").json();
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = ask(&server, &key, &format!("/suppliers/export?cursor={cursor}"), &[]).body;
    assert!(lines(&rest) == suppliers[3..]);
}

/// Writes a dump of the server's index to this folder.
fn dump(server: &TestServer, out: &Path) {
    let run = Command::new(PROGRAM)
        .args(["export", "--out", out.to_str().unwrap()])
        .args(["--index-dir", server.index_dir().to_str().unwrap()])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn a_dump_has_bids_and_suppliers_too() {
    let server = bids::server();
    let folder = tempfile::tempdir().unwrap();
    dump(server, folder.path());
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let found = lines(&zstd::decode_all(&read("bids.ndjson.zst")[..]).unwrap());
    assert!(found == paged(server, "/bids?limit=500"));
    assert_eq!(table(read("bids.parquet")).len(), found.len());
    let suppliers = lines(&zstd::decode_all(&read("suppliers.ndjson.zst")[..]).unwrap());
    let listed = paged(server, "/suppliers?limit=100");
    assert_eq!(suppliers.len(), listed.len());
    for (row, listed) in suppliers.iter().zip(&listed) {
        assert_eq!(row["id"], listed["id"]);
        assert_eq!(json!(row["names"].as_array().unwrap().len()), listed["names"]);
    }
    let croissant: Value = serde_json::from_slice(&read("croissant.json")).unwrap();
    let files = croissant["distribution"].as_array().unwrap();
    assert_eq!(files.len(), 2 * 4);
    for set in croissant["recordSet"].as_array().unwrap() {
        let name = set["name"].as_str().unwrap();
        let columns = SerializedFileReader::new(bytes::Bytes::from(read(&format!("{name}.parquet")))).unwrap();
        let columns = columns
            .metadata()
            .file_metadata()
            .schema_descr()
            .root_schema()
            .get_fields()
            .to_vec();
        let described: Vec<&str> = set["field"]
            .as_array()
            .unwrap()
            .iter()
            .map(|field| field["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            described,
            columns.iter().map(|column| column.name()).collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_server_offers_the_files_of_a_dump_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("dump");
    let server = TestServer::own(&contracts(4_000), |config| config.exports = Some(out.clone()));
    let key = server.new_key(Plan::Mega, "exports");
    let get = |name: &str, headers: &[(&str, &str)]| ask(&server, &key, &format!("/exports/{name}"), headers);
    assert_eq!(get("datapackage.json", &[]).status, 404, "nothing is written yet");
    dump(&server, &out);
    for (name, media_type) in [
        ("datapackage.json", "application/json"),
        ("croissant.json", "application/ld+json"),
        ("SHA256SUMS", "text/plain; charset=utf-8"),
        ("contract.parquet", "application/vnd.apache.parquet"),
        ("contract.ndjson.zst", "application/zstd"),
    ] {
        let whole = fs::read(out.join(name)).unwrap();
        let answer = get(name, &[("accept-encoding", "gzip")]);
        assert!(
            answer.status == 200 && answer.body == whole,
            "{name}: {}",
            answer.status
        );
        assert_eq!(answer.header("content-type"), Some(media_type));
        assert_eq!(answer.header("content-encoding"), None);
        assert_eq!(answer.header("accept-ranges"), Some("bytes"));
        let tag = answer.header("etag").unwrap().to_owned();
        assert!(tag.starts_with('"'), "a strong tag");
        let modified = answer.header("last-modified").unwrap().to_owned();
        assert_eq!(get(name, &[("if-none-match", &tag)]).status, 304);
        let head = server.request("HEAD", &format!("/exports/{name}"), &[("x-gateway-key", &key)]);
        let length = whole.len().to_string();
        assert_eq!(
            (head.status, head.header("content-length")),
            (200, Some(length.as_str()))
        );
        let size = whole.len();
        for (range, start, end) in [
            ("bytes=0-0".to_owned(), 0, 1),
            ("bytes=10-99".to_owned(), 10, 100),
            ("bytes=-8".to_owned(), size - 8, size),
            (format!("bytes={}-", size / 2), size / 2, size),
        ] {
            for condition in [None, Some(tag.as_str()), Some(modified.as_str())] {
                let mut headers = vec![("range", range.as_str())];
                headers.extend(condition.map(|tag| ("if-range", tag)));
                let part = get(name, &headers);
                assert!(part.status == 206 && part.body == whole[start..end], "{name} {range}");
                let stated = format!("bytes {start}-{}/{size}", end - 1);
                assert_eq!(part.header("content-range"), Some(stated.as_str()));
            }
            let other = get(name, &[("range", &range), ("if-range", "\"other\"")]);
            assert!(other.status == 200 && other.body == whole);
        }
        let beyond = get(name, &[("range", "bytes=99999999-")]);
        let stated = format!("bytes */{size}");
        assert_eq!(
            (beyond.status, beyond.header("content-range")),
            (416, Some(stated.as_str()))
        );
    }
    // What the descriptor does not list, and what is not in the folder itself.
    fs::write(out.join("secret.txt"), "secret").unwrap();
    fs::write(folder.path().join("outside"), "secret").unwrap();
    for name in [
        "secret.txt",
        "../outside",
        "%2e%2e%2foutside",
        "..",
        ".",
        "%00",
        "contract.parquet/",
        "/etc/passwd",
    ] {
        let answer = get(name, &[]);
        assert_eq!(answer.status, 404, "{name}");
    }
    fs::remove_file(out.join("SHA256SUMS")).unwrap();
    symlink(folder.path().join("outside"), out.join("SHA256SUMS")).unwrap();
    assert_eq!(get("SHA256SUMS", &[]).status, 404, "a link leads out of the folder");
    let listed = |path: &str| json!({"version": "x", "created": "x", "resources": [{"path": path, "mediatype": "a/b", "bytes": 1, "rows": 1}]});
    fs::write(out.join("datapackage.json"), listed("../outside").to_string()).unwrap();
    assert_eq!(get("../outside", &[]).status, 404, "even if the descriptor lists it");
    let without = |answer: Response| (answer.status, answer.detail());
    let free = server.new_key(Plan::Basic, "exports");
    assert_eq!(without(ask(&server, &free, "/exports/datapackage.json", &[])).0, 403);
    let (status, detail) = without(TestServer::shared().get("/exports/datapackage.json"));
    assert_eq!(
        (status, detail.as_str()),
        (404, "this server offers no dumps; export a search instead")
    );
}

/// The system refuses to write: nothing half written has its own name, and an earlier dump stays whole.
#[test]
fn a_dump_that_fails_leaves_nothing_half_written() {
    let server = TestServer::own(&contracts(3_000), |_| {});
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("dump");
    dump(&server, &out);
    let before = fs::read(out.join("datapackage.json")).unwrap();
    let index = server.index_dir();
    let export = |out: &Path, blocks: u32| {
        let limited = format!(
            "ulimit -f {blocks}; exec {PROGRAM} export --out {} --index-dir {}",
            out.display(),
            index.display()
        );
        // Without the signal, a file over the limit is an error of the write, as on a full disk.
        Command::new("sh")
            .args(["-c", &format!("trap '' XFSZ; {limited}")])
            .output()
            .unwrap()
    };
    let names = |out: &Path| {
        let mut names: Vec<String> = fs::read_dir(out)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let whole = names(&out);
    for blocks in [0, 4, 16] {
        let failed = export(&out, blocks);
        let error = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(
            !failed.status.success() && error.contains("File too large"),
            "{blocks}: {error}"
        );
        assert_eq!(names(&out), whole);
        assert!(fs::read(out.join("datapackage.json")).unwrap() == before);
        let fresh = folder.path().join(format!("fresh-{blocks}"));
        assert!(!export(&fresh, blocks).status.success());
        assert!(names(&fresh).is_empty(), "{:?}", names(&fresh));
    }
}
