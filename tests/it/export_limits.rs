//! Exports of clients that read nothing or ask too often, of an index that is removed meanwhile, and on a full disk.

use std::{fs, path::Path, process::Command, time::Duration};

use chrono::Utc;
use procure::model::{entity_type::EntityType, plans::Plan};
use serde_json::json;

use crate::{
    api::generation_of,
    damaged_disk::SmallDisk,
    exports::{CONTRACTS, Stream, ask, lines, many_records},
    model::write_dumps,
    program::PROGRAM,
    support::{TestServer, contracts},
};

/// The status in the first line of a response.
fn status(stream: &Stream) -> &str {
    stream.head.split(' ').nth(1).unwrap()
}

#[test]
fn a_key_that_asks_twenty_times_at_once_has_one_stream() {
    let server = TestServer::own(&many_records(), |_| {});
    let key = server.new_key(Plan::Mega, "exports");
    let streams: Vec<Stream> = std::thread::scope(|scope| {
        let open = || Stream::open(&server, &key, "/contract/export", "identity");
        let asked: Vec<_> = (0..20).map(|_| scope.spawn(open)).collect();
        asked.into_iter().map(|stream| stream.join().unwrap()).collect()
    });
    let with = |expected: &str| streams.iter().filter(|stream| status(stream) == expected).count();
    assert_eq!((with("200"), with("429")), (1, 19));
    assert_eq!(server.get("/contract?limit=1").status, 200);
    let (body, is_whole) = streams
        .into_iter()
        .find(|stream| status(stream) == "200")
        .unwrap()
        .rest();
    assert!(is_whole && lines(&body).len() == CONTRACTS);
    server.wait_until("the place", || {
        ask(&server, &key, "/contract/export", &[]).status == 200
    });
}

#[test]
fn clients_that_read_nothing_take_forty_places_and_lose_them() {
    let server = TestServer::own(&many_records(), |_| {});
    let state = server.state();
    let keys: Vec<String> = (0..40)
        .map(|_| state.create_key(Plan::Mega, "idle", Utc::now(), None).unwrap())
        .collect();
    let other = server.new_key(Plan::Mega, "exports");
    let idle: Vec<Stream> = keys
        .iter()
        .map(|key| Stream::open(&server, key, "/contract/export", "identity"))
        .collect();
    assert!(idle.iter().all(|stream| status(stream) == "200"));
    let refused = ask(&server, &other, "/contract/export", &[]);
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true));
    // What is small, and any search, needs no place.
    assert_eq!(server.get("/contract/export?vendor=Vendor+3&value_max=99").status, 200);
    assert_eq!(server.get("/contract?limit=500").status, 200);
    // Their connections are closed after half a minute, although the clients keep theirs open.
    server.wait_until("a place", || {
        ask(&server, &other, "/contract/export", &[]).status == 200
    });
    let is_cut = |stream: Stream| !stream.rest().1;
    assert!(idle.into_iter().any(is_cut));
}

#[test]
fn an_index_that_is_removed_while_it_is_exported_is_sent_whole() {
    let server = TestServer::own(&many_records(), |config| {
        // Nothing is read while two indexes are built, whatever else the machine does.
        config.limits.write_window = Duration::from_secs(600);
    });
    let key = server.new_key(Plan::Mega, "exports");
    let expected = ask(&server, &key, "/contract/export", &[]).body;
    let first = generation_of(&server.get("/health"));
    let mut stream = Stream::open(&server, &key, "/contract/export", "identity");
    let mut body = stream.chunk().unwrap();
    for count in [900, 800] {
        let newer = server.publish(&contracts(count));
        server.wait_until("the newer index", || generation_of(&server.get("/health")) == newer);
    }
    assert!(!server.index_dir().join(&first).exists(), "two are kept");
    assert_eq!(server.get(&format!("/contract?generation={first}")).status, 410);
    let (rest, is_whole) = stream.rest();
    body.extend(rest);
    assert!(is_whole && body == expected);
}

#[test]
fn a_citation_is_followed_after_three_more_builds() {
    let server = TestServer::own(&contracts(1_000), |_| {});
    let first = generation_of(&server.get("/health"));
    let paths = [
        "/contract?limit=500&sort_order=asc",
        "/contract/export",
        "/contract/stats",
        "/vendor/Vendor%203",
    ];
    let before = paths.map(|path| server.get(path).body);
    let cited = server.get("/generations/current").json();
    let folder = tempfile::tempdir().unwrap();
    for count in [900, 800, 700] {
        let dumps = folder.path().join(count.to_string());
        write_dumps(&dumps, &contracts(count));
        index(&server, &dumps, "4");
    }
    server.wait_until("the newest index", || {
        server.json("/contract/stats")["total"] == json!(700)
    });
    assert_eq!(server.json(&format!("/generations/{first}")), cited);
    for (path, before) in paths.iter().zip(&before) {
        let joined = if path.contains('?') { '&' } else { '?' };
        let answer = server.get(&format!("{path}{joined}generation={first}"));
        assert!(answer.status == 200 && answer.body == *before, "{path}");
    }
    let page = server.html(&format!("/en/search?kind=contract&generation={first}"), 200);
    assert!(page.contains("1,000"));
    // One more than is kept.
    index(&server, &folder.path().join("700"), "4");
    server.wait_until("the end of the first one", || {
        server.get(&format!("/generations/{first}")).status == 410
    });
}

/// Builds an index of these dumps and keeps so many.
fn index(server: &TestServer, dumps: &Path, keep: &str) {
    let run = Command::new(PROGRAM)
        .args(["index", "--keep", keep, "--dumps", dumps.to_str().unwrap()])
        .args(["--index-dir", server.index_dir().to_str().unwrap()])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn a_dump_on_a_full_disk_leaves_nothing_half_written() {
    // Texts that do not compress: three times what the disk holds.
    let text = |number: u32| -> String {
        let mut state = number + 1;
        let letters = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'a' + (state >> 24) as u8 % 26)
        });
        letters.take(20_000).collect()
    };
    let records: Vec<(EntityType, String)> = (0..600)
        .map(|number| {
            let record = json!({"record_id": format!("t{number}"), "description_en": text(number)});
            (EntityType::Tender, record.to_string())
        })
        .collect();
    let server = TestServer::own(&records, |_| {});
    let Some(disk) = SmallDisk::mount(server.folder.path().join("small")) else {
        eprintln!("SKIPPED: no small file system can be mounted here (root can), so no disk was full");
        return;
    };
    let out = disk.folder.join("dump");
    let run = Command::new(PROGRAM)
        .args(["export", "--out", out.to_str().unwrap()])
        .args(["--index-dir", server.index_dir().to_str().unwrap()])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(!run.status.success() && error.contains("No space left"), "{error}");
    let left: Vec<_> = fs::read_dir(&out).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
