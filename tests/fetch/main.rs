//! `procure fetch` against a server that fails in all the ways in which networks and publishers
//! fail.

mod hostile;
mod server;

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::mpsc,
    thread,
    time::{Duration, Instant, SystemTime},
};

use chrono::{DateTime, NaiveDate, Utc};
use flate2::{Compression, write::GzEncoder};
use procure::{
    fetch::{
        self, FetchOptions, FetchReport,
        client::ClientConfig,
        download::FetchOutcome,
        published_sources::{FileFormat, PUBLISHED_SOURCES, PublishedSource, SourceFiles},
    },
    normalize,
};
use server::{Request, Server, answer, body, file, head};
use tempfile::TempDir;

const GOOD: &[u8] = b"a,b\n1,2\n";
const NEWER: &[u8] = b"a,b\n1,2\n3,4\n";
/// The idle timeout: long enough for a busy machine, short enough for a test.
const IDLE: Duration = Duration::from_millis(1500);
/// The environment variable with the folder and the address for the run that is killed.
const CHILD: &str = "PROCURE_TEST_FETCH";

/// A temporary output folder, with a source that the test makes up.
struct Workspace {
    folder: TempDir,
}

impl Workspace {
    fn new() -> Workspace {
        Workspace {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("made-up").join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn fetch(&self, files: &[SourceFiles]) -> FetchReport {
        self.try_fetch(files).unwrap()
    }

    fn try_fetch(&self, files: &[SourceFiles]) -> anyhow::Result<FetchReport> {
        run(self.folder.path(), files)
    }

    /// Fetches one CSV file and returns its result.
    fn fetch_one(&self, url: &str) -> Result<FetchOutcome, String> {
        self.fetch_as(url, FileFormat::Csv)
    }

    fn fetch_as(&self, url: &str, format: FileFormat) -> Result<FetchOutcome, String> {
        let mut report = self.fetch(&[SourceFiles::One(url, format)]);
        assert_eq!(report.files.len(), 1, "{report}");
        report.files.remove(0).1
    }

    /// The names of the files that are not hidden, sorted.
    fn visible_files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join("made-up")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        names
    }
}

fn run(out: &Path, files: &[SourceFiles]) -> anyhow::Result<FetchReport> {
    run_trusting(out, files, None)
}

/// Fetches with these root certificates instead of Mozilla's.
fn run_trusting(out: &Path, files: &[SourceFiles], roots: Option<Vec<Vec<u8>>>) -> anyhow::Result<FetchReport> {
    let source = PublishedSource {
        id: "made-up",
        page: "https://example.org/page",
        licence: "None",
        attribution: "Made up.",
        update_frequency: "never",
        referer: Some("https://example.org/from"),
        known_problem: Some("it is made up"),
        max_file_bytes: 64 << 20,
        files,
    };
    fetch::run(&FetchOptions {
        sources: &[source],
        out: out.to_owned(),
        today: NaiveDate::from_ymd_opt(2026, 5, 1).unwrap(),
        client: ClientConfig {
            user_agent: "procure-test/1".to_owned(),
            connect_timeout: Duration::from_secs(5),
            response_timeout: Duration::from_secs(20),
            idle_timeout: IDLE,
            pause: Duration::ZERO,
            max_attempts: 3,
            initial_backoff: Duration::from_millis(5),
            max_retry_after: Duration::from_secs(3),
            max_redirects: 3,
            root_certificates: roots,
        },
    })
}

fn fetched(bytes: &[u8]) -> Result<FetchOutcome, String> {
    resumed(bytes, 0)
}

fn resumed(bytes: &[u8], resumed_at: u64) -> Result<FetchOutcome, String> {
    let bytes = bytes.len() as u64;
    Ok(FetchOutcome::Fetched { bytes, resumed_at })
}

/// A CSV file of about this many bytes.
fn large(bytes: usize) -> Vec<u8> {
    let rows = (0..bytes / 16).map(|row| format!("{row:07},{row:07}\n"));
    rows.collect::<String>().into_bytes()
}

#[test]
fn a_file_gets_the_publishers_time_and_is_then_requested_conditionally() {
    let server = Server::new(|request: &Request, _, stream: &mut _| {
        let validators = [
            ("Last-Modified", "Mon, 05 Jan 2026 10:00:00 GMT"),
            ("ETag", "W/\"weak\""),
        ];
        match request.header("if-modified-since") {
            Some(_) => head(stream, "304 Not Modified", &validators),
            None => answer(stream, "200 OK", &validators, GOOD),
        }
    });
    let workspace = Workspace::new();
    let url = server.url("/pub/a.csv");
    assert_eq!(workspace.fetch_one(&url), fetched(GOOD));
    assert_eq!(workspace.read("a.csv"), GOOD);
    let modified = fs::metadata(workspace.path("a.csv")).unwrap().modified().unwrap();
    assert_eq!(
        DateTime::<Utc>::from(modified).to_rfc3339(),
        "2026-01-05T10:00:00+00:00"
    );
    assert_eq!(workspace.fetch_one(&url), Ok(FetchOutcome::Unchanged));
    let requests = server.requests();
    assert_eq!(requests[0].header("user-agent"), Some("procure-test/1"));
    assert_eq!(requests[0].header("referer"), Some("https://example.org/from"));
    assert_eq!(requests[0].header("accept-encoding"), Some("identity"));
    assert_eq!(requests[0].header("if-modified-since"), None);
    assert_eq!(requests[1].header("if-none-match"), Some("W/\"weak\""));
    assert_eq!(
        requests[1].header("if-modified-since"),
        Some("Mon, 05 Jan 2026 10:00:00 GMT")
    );
    assert_eq!(workspace.visible_files(), ["a.csv"]);

    // A file that was shortened locally is downloaded again.
    fs::write(workspace.path("a.csv"), "a,b\n").unwrap();
    assert_eq!(workspace.fetch_one(&url), fetched(GOOD));
    assert_eq!(workspace.read("a.csv"), GOOD);
}

#[test]
fn a_change_is_fetched_and_identical_bytes_are_unchanged() {
    let server = Server::new(|_: &Request, _, stream: &mut _| answer(stream, "200 OK", &[], GOOD));
    let workspace = Workspace::new();
    let url = server.url("/a.csv");
    assert_eq!(workspace.fetch_one(&url), fetched(GOOD));
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let modify = File::options().append(true).open(workspace.path("a.csv")).unwrap();
    modify.set_modified(long_ago).unwrap();
    assert_eq!(workspace.fetch_one(&url), Ok(FetchOutcome::Unchanged));
    let modified = fs::metadata(workspace.path("a.csv")).unwrap().modified().unwrap();
    assert_eq!(modified, long_ago, "`fetched_at` would change with each run");
    server.behave(|_, _, stream| answer(stream, "200 OK", &[], NEWER));
    assert_eq!(workspace.fetch_one(&url), fetched(NEWER));
    assert_eq!(workspace.read("a.csv"), NEWER);
}

#[test]
fn an_interrupted_download_resumes() {
    let whole = large(3 << 20);
    let sent = whole.clone();
    // Four interruptions, more than the maximum of attempts; but each attempt makes progress.
    let server = Server::new(move |request: &Request, nth, stream: &mut _| {
        let from = request.range().unwrap_or(0);
        if nth == 4 {
            return file(request, stream, "1", &sent);
        }
        let until = from + (3 << 18);
        let (length, range) = (
            (sent.len() - from).to_string(),
            format!("bytes {from}-{}/{}", sent.len() - 1, sent.len()),
        );
        let validators = [
            ("ETag", "\"1\""),
            ("Content-Length", length.as_str()),
            ("Content-Range", range.as_str()),
        ];
        match from {
            0 => head(stream, "200 OK", &validators[..2]),
            _ => head(stream, "206 Partial Content", &validators),
        }
        body(stream, &sent[from..until.min(sent.len())]);
    });
    let workspace = Workspace::new();
    let outcome = workspace.fetch_one(&server.url("/a.csv"));
    let requests = server.requests();
    assert!(
        matches!(outcome, Ok(FetchOutcome::Fetched { resumed_at, .. }) if resumed_at > 0),
        "{outcome:?} {requests:?}"
    );
    assert!(workspace.read("a.csv") == whole);
    assert!(
        requests[1..].iter().all(|request| request.range().is_some()),
        "{requests:?}"
    );
    assert_eq!(requests[1].header("if-range"), Some("\"1\""));
}

/// Sends the headers of a whole file and its first 64 KiB; then the connection closes.
fn cut_first(sent: &[u8], tag: &str, stream: &mut std::net::TcpStream) {
    let length = sent.len().to_string();
    head(stream, "200 OK", &[("ETag", tag), ("Content-Length", &length)]);
    body(stream, &sent[..64 << 10]);
}

#[test]
fn a_download_that_cannot_resume_starts_again() {
    type LaterResponse = fn(&Request, &mut std::net::TcpStream, &[u8]);
    let later_responses: [(&str, &str, LaterResponse); 6] = [
        (
            "another version, which the server sends whole",
            "\"1\"",
            |request, stream, sent| {
                file(request, stream, "2", sent);
            },
        ),
        ("a server without ranges", "\"1\"", |_, stream, sent| {
            answer(stream, "200 OK", &[], sent);
        }),
        (
            "another tag on the rest",
            "\"1\"",
            |request, stream, sent| match request.range() {
                Some(from) => {
                    let range = format!("bytes {from}-{}/{}", sent.len() - 1, sent.len());
                    let validators = [("Content-Range", range.as_str()), ("ETag", "\"2\"")];
                    answer(stream, "206 Partial Content", &validators, &sent[from..]);
                }
                None => answer(stream, "200 OK", &[], sent),
            },
        ),
        ("another total", "\"1\"", |request, stream, sent| {
            match request.range() {
                Some(from) => {
                    let range = format!("bytes {from}-{}/{}", sent.len(), sent.len() + 1);
                    answer(
                        stream,
                        "206 Partial Content",
                        &[("Content-Range", &range)],
                        &sent[from..],
                    );
                }
                None => answer(stream, "200 OK", &[], sent),
            }
        }),
        ("another range", "\"1\"", |request, stream, sent| {
            match request.range() {
                Some(_) => {
                    let range = format!("bytes 0-{}/{}", sent.len() - 1, sent.len());
                    answer(stream, "206 Partial Content", &[("Content-Range", &range)], sent);
                }
                None => answer(stream, "200 OK", &[], sent),
            }
        }),
        (
            "a range that is refused",
            "\"1\"",
            |request, stream, sent| match request.range() {
                Some(_) => answer(stream, "416 Range Not Satisfiable", &[], b""),
                None => answer(stream, "200 OK", &[], sent),
            },
        ),
    ];
    for (what, tag, later) in later_responses {
        let (old, new) = (large(200_000), large(300_000));
        let sent = if what.starts_with("another version") {
            new
        } else {
            old.clone()
        };
        let expected = sent.clone();
        let server = Server::new(move |request: &Request, nth, stream: &mut _| match nth {
            0 => cut_first(&old, tag, stream),
            _ => later(request, stream, &sent),
        });
        let workspace = Workspace::new();
        assert_eq!(workspace.fetch_one(&server.url("/a.csv")), fetched(&expected), "{what}");
        assert!(workspace.read("a.csv") == expected, "{what}");
        assert_eq!(server.requests()[1].range(), Some(64 << 10), "{what}");
    }
}

#[test]
fn the_rest_may_come_in_several_ranges() {
    let whole = large(200_000);
    let sent = whole.clone();
    let server = Server::new(move |request: &Request, _, stream: &mut _| match request.range() {
        None => cut_first(&sent, "\"1\"", stream),
        Some(from) => {
            let until = (from + 70_000).min(sent.len());
            let range = format!("bytes {from}-{}/{}", until - 1, sent.len());
            answer(
                stream,
                "206 Partial Content",
                &[("Content-Range", &range)],
                &sent[from..until],
            );
        }
    });
    let workspace = Workspace::new();
    let before_the_last = (64 << 10) + 70_000;
    assert_eq!(
        workspace.fetch_one(&server.url("/a.csv")),
        resumed(&whole, before_the_last)
    );
    assert!(workspace.read("a.csv") == whole);
}

#[test]
fn a_download_resumes_with_an_old_time_but_not_with_a_weak_tag() {
    for (validators, is_resumed) in [
        (vec![("ETag", "W/\"1\"")], false),
        (vec![("Last-Modified", "Mon, 05 Jan 2026 10:00:00 GMT")], false),
        (
            vec![
                ("Last-Modified", "Mon, 05 Jan 2026 10:00:00 GMT"),
                ("Date", "Mon, 05 Jan 2026 10:00:30 GMT"),
            ],
            false,
        ),
        (
            vec![
                ("Last-Modified", "Mon, 05 Jan 2026 10:00:00 GMT"),
                ("Date", "Mon, 05 Jan 2026 11:00:00 GMT"),
            ],
            true,
        ),
    ] {
        let whole = large(200_000);
        let (sent, headers) = (whole.clone(), validators.clone());
        let server = Server::new(move |_: &Request, nth, stream: &mut _| {
            let length = sent.len().to_string();
            head(
                stream,
                "200 OK",
                &[headers.as_slice(), &[("Content-Length", length.as_str())]].concat(),
            );
            body(stream, if nth == 0 { &sent[..100_000] } else { &sent });
        });
        let workspace = Workspace::new();
        assert_eq!(workspace.fetch_one(&server.url("/a.csv")), fetched(&whole));
        assert_eq!(server.requests()[1].range().is_some(), is_resumed, "{validators:?}");
        assert!(workspace.read("a.csv") == whole);
    }
}

#[test]
fn retry_after_is_respected() {
    for (retry_after, at_least) in [
        (Some("0"), 0),
        (Some("1"), 1000),
        // One second later by the server's clock; the local clock does not matter.
        (Some("Mon, 05 Jan 2015 10:00:01 GMT"), 1000),
        (Some("Mon, 05 Jan 2015 09:00:00 GMT"), 0),
        (None, 0),
    ] {
        let now = ("Date", "Mon, 05 Jan 2015 10:00:00 GMT");
        let server = Server::new(move |request: &Request, nth, stream: &mut _| match (nth, retry_after) {
            (0, Some(value)) => answer(
                stream,
                "429 Too Many Requests",
                &[now, ("Retry-After", value)],
                b"slow down",
            ),
            (0, None) => answer(stream, "429 Too Many Requests", &[], b"slow down"),
            _ => file(request, stream, "1", GOOD),
        });
        let workspace = Workspace::new();
        let began = Instant::now();
        assert_eq!(
            workspace.fetch_one(&server.url("/a.csv")),
            fetched(GOOD),
            "{retry_after:?}"
        );
        assert!(began.elapsed() >= Duration::from_millis(at_least), "{retry_after:?}");
        assert_eq!(server.requests().len(), 2);
    }
}

#[test]
fn transient_errors_are_retried_a_limited_number_of_times() {
    for status in [
        "500 Internal Server Error",
        "502 Bad Gateway",
        "503 Service Unavailable",
        "408 Request Timeout",
    ] {
        let server = Server::new(move |request: &Request, nth, stream: &mut _| match nth {
            0 | 1 => answer(stream, status, &[], b"<html>sorry</html>"),
            _ => file(request, stream, "1", GOOD),
        });
        let workspace = Workspace::new();
        assert_eq!(workspace.fetch_one(&server.url("/a.csv")), fetched(GOOD), "{status}");
        server.behave(move |_, _, stream| answer(stream, status, &[], b""));
        let why = workspace.fetch_one(&server.url("/a.csv")).unwrap_err();
        assert!(why.contains(&status[..3]), "{why}");
        assert!(why.contains("gave up after 3 attempts"), "{why}");
        assert_eq!(server.requests().len(), 3, "{status}");
        assert_eq!(workspace.read("a.csv"), GOOD);
    }
}

#[test]
fn a_bad_response_never_replaces_the_file() {
    type Bad = fn(&mut std::net::TcpStream);
    let html = b"<!DOCTYPE html><html>Sorry, we are closed, come back</html>";
    assert!(html.contains(&b','));
    let cases: [(&str, &str, usize, Bad); 17] = [
        ("forbidden", "--user-agent", 1, |s| {
            answer(s, "403 Forbidden", &[], b"a,b\n");
        }),
        ("unknown", "it may have moved", 1, |s| {
            answer(s, "404 Not Found", &[], b"a,b\n");
        }),
        ("gone", "it may have moved", 1, |s| answer(s, "410 Gone", &[], b"")),
        ("too long a wait", "asks to retry in 3600 s", 1, |s| {
            answer(s, "429 Too Many Requests", &[("Retry-After", "3600")], b"");
        }),
        ("a page by its type", "a web page", 1, |s| {
            answer(
                s,
                "200 OK",
                &[("Content-Type", "text/HTML; charset=utf-8")],
                b"a,b\n1,2\n",
            );
        }),
        ("a page by its content", "a web page", 1, |s| {
            answer(
                s,
                "200 OK",
                &[("Content-Type", "text/csv")],
                b"\n<!doctype HTML><p>a, b",
            );
        }),
        ("an error in JSON", "is not CSV", 1, |s| {
            answer(s, "200 OK", &[("Content-Type", "text/csv")], b"{\"error\": \"a, b\"}");
        }),
        ("an error in XML", "is not CSV", 1, |s| {
            answer(s, "200 OK", &[], b"<?xml?><Error>a, b</Error>");
        }),
        ("a single word", "is not CSV", 1, |s| {
            answer(s, "200 OK", &[], b"Unavailable");
        }),
        ("an empty body", "sends an empty file", 1, |s| {
            answer(s, "200 OK", &[], b"");
        }),
        ("no response", "does not answer", 3, |_| {}),
        ("not HTTP", "does not answer", 3, |s| body(s, b"what is this?\r\n\r\n")),
        ("too few bytes", "gave up", 3, |s| {
            head(s, "200 OK", &[("Content-Length", "100")]);
            body(s, b"a,b\n1,2\n");
        }),
        (
            "too many bytes for the length",
            "its last row has 2 of 3 fields",
            1,
            |s| {
                head(s, "200 OK", &[("Content-Length", "9")]);
                body(s, b"a,b,c\n1,2,3\n4,5,6\n");
            },
        ),
        ("an incomplete chunk", "gave up", 3, |s| {
            head(s, "200 OK", &[("Transfer-Encoding", "chunked")]);
            body(s, b"8\r\na,b\n1,2\n\r\n8\r\n3,4\n");
        }),
        ("an invalid chunk", "gave up", 3, |s| {
            head(s, "200 OK", &[("Transfer-Encoding", "chunked")]);
            body(s, b"8\r\na,b\n1,2\n\r\nzz\r\n3,4\n");
        }),
        ("a range that was not requested", "gave up", 3, |s| {
            head(
                s,
                "206 Partial Content",
                &[("Content-Length", "4"), ("Content-Range", "bytes 0-3/4")],
            );
            body(s, b"a,b\n");
        }),
    ];
    let server = Server::new(|request: &Request, _, stream: &mut _| file(request, stream, "1", GOOD));
    let workspace = Workspace::new();
    let url = server.url("/a.csv");
    assert_eq!(workspace.fetch_one(&url), fetched(GOOD));
    for (what, expected, requests, bad) in cases {
        server.behave(move |_, _, stream| bad(stream));
        let why = workspace.fetch_one(&url).expect_err(what);
        assert!(why.contains(expected), "{what}: {why}");
        assert!(why.contains("it is made up"), "{what}: {why}");
        assert!(why.contains("https://example.org/page"), "{what}: no fix in {why}");
        assert_eq!(server.requests().len(), requests, "{what}");
        assert_eq!(workspace.read("a.csv"), GOOD, "{what}");
        assert_eq!(workspace.visible_files(), ["a.csv"], "{what}");
    }
    // None of these prevents a later success.
    server.behave(|request, _, stream| file(request, stream, "2", NEWER));
    assert_eq!(workspace.fetch_one(&url), fetched(NEWER));
    assert_eq!(workspace.read("a.csv"), NEWER);
}

#[test]
fn incomplete_files_are_recognized_without_a_stated_length() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("a.xml", zip::write::SimpleFileOptions::default())
        .unwrap();
    zip.write_all(b"<export></export>").unwrap();
    let zip = zip.finish().unwrap().into_inner();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(GOOD).unwrap();
    let gzip = gzip.finish().unwrap();
    for (name, format, whole) in [
        ("a.json", FileFormat::Json, b"{\"releases\": [1, 2]}".to_vec()),
        ("a.xml", FileFormat::Xml, b"<export><avis></avis></export>".to_vec()),
        ("a.zip", FileFormat::Zip, zip),
        ("a.csv", FileFormat::Csv, gzip),
    ] {
        let sent = whole.clone();
        let server = Server::new(move |_: &Request, nth, stream: &mut _| {
            head(stream, "200 OK", &[]);
            body(stream, if nth == 0 { &sent[..sent.len() - 2] } else { &sent });
        });
        let workspace = Workspace::new();
        let url = server.url(&format!("/{name}"));
        let why = workspace.fetch_as(&url, format).unwrap_err();
        assert!(why.contains("not complete"), "{name}: {why}");
        assert!(workspace.visible_files().is_empty(), "{name}");
        assert_eq!(workspace.fetch_as(&url, format), fetched(&whole), "{name}");
        assert_eq!(workspace.read(name), whole, "{name}");
    }
}

#[test]
fn a_chunked_body_is_read() {
    let server = Server::new(|_: &Request, _, stream: &mut _| {
        head(stream, "200 OK", &[("Transfer-Encoding", "chunked")]);
        body(stream, b"4\r\na,b\n\r\n4\r\n1,2\n\r\n0\r\n\r\n");
    });
    let workspace = Workspace::new();
    assert_eq!(workspace.fetch_one(&server.url("/a.csv")), fetched(GOOD));
    assert_eq!(workspace.read("a.csv"), GOOD);
}

#[test]
fn redirects_are_followed_up_to_the_maximum() {
    let server = Server::new(|request: &Request, _, stream: &mut _| match request.path.as_str() {
        "/a.csv" => answer(stream, "302 Found", &[("Location", "/b.csv")], b""),
        "/round.csv" => answer(stream, "302 Found", &[("Location", "/round.csv")], b""),
        _ => file(request, stream, "1", GOOD),
    });
    let workspace = Workspace::new();
    assert_eq!(workspace.fetch_one(&server.url("/a.csv")), fetched(GOOD));
    assert_eq!(workspace.read("a.csv"), GOOD);
    server.behave(|_, _, stream| answer(stream, "302 Found", &[("Location", "/round.csv")], b""));
    let why = workspace.fetch_one(&server.url("/round.csv")).unwrap_err();
    assert!(why.contains("redirects too often"), "{why}");
    assert_eq!(
        server.requests().len(),
        4,
        "three redirects are followed, and there is no retry"
    );
}

#[test]
fn a_server_that_stops_or_is_too_slow_is_interrupted() {
    for drips in [false, true] {
        let server = Server::new(move |_: &Request, _, stream: &mut _| {
            head(stream, "200 OK", &[("Content-Length", "60000000"), ("ETag", "\"1\"")]);
            body(stream, &large(8 << 10));
            let began = Instant::now();
            while began.elapsed() < Duration::from_secs(30) {
                thread::sleep(Duration::from_millis(50));
                if drips {
                    body(stream, b"1");
                }
            }
        });
        let workspace = Workspace::new();
        let began = Instant::now();
        let why = workspace.fetch_one(&server.url("/a.csv")).unwrap_err();
        let expected = if drips { "too slow" } else { "stopped sending" };
        assert!(why.contains(expected), "{why}");
        assert!(began.elapsed() < Duration::from_secs(25));
        assert_eq!(server.requests().len(), 3);
    }
}

#[test]
fn a_host_that_cannot_be_reached_gets_no_further_requests() {
    // It does not encrypt, although the address is `https`.
    let server = Server::new(|_: &Request, _, _: &mut _| {});
    let (first, second) = (
        format!("https://{}/a.csv", server.address),
        format!("https://{}/b.csv", server.address),
    );
    let workspace = Workspace::new();
    let report = workspace.fetch(&[
        SourceFiles::One(&first, FileFormat::Csv),
        SourceFiles::One(&second, FileFormat::Csv),
    ]);
    let why = |nth: usize| report.files[nth].1.as_ref().unwrap_err();
    assert!(why(0).contains("no secure connection can be made"), "{report}");
    assert!(why(0).contains("it is made up"), "the known problem is named: {report}");
    assert!(why(1).contains("not tried"), "{report}");
    assert_eq!(report.failed().len(), 2);

    // A failure of one file does not stop the others.
    let server = Server::new(|request: &Request, _, stream: &mut _| match request.path.as_str() {
        "/a.csv" => answer(stream, "404 Not Found", &[], b""),
        _ => file(request, stream, "1", GOOD),
    });
    let (first, second) = (server.url("/a.csv"), server.url("/b.csv"));
    let report = workspace.fetch(&[
        SourceFiles::One(&first, FileFormat::Csv),
        SourceFiles::One(&second, FileFormat::Csv),
    ]);
    assert!(report.files[0].1.is_err() && report.files[1].1.is_ok(), "{report}");
}

#[test]
fn files_that_the_portal_no_longer_lists_are_noted() {
    let server = Server::new(|_: &Request, _, _: &mut _| {});
    let listing = |names: &'static [&'static str]| {
        let address = server.address.clone();
        move |request: &Request, _: usize, stream: &mut std::net::TcpStream| {
            if !request.path.starts_with("/api/3/action/package_show?id=set") {
                return file(
                    request,
                    stream,
                    &request.path,
                    format!("{{\"of\": \"{}\"}}", request.path).as_bytes(),
                );
            }
            let resources = names.iter().map(|name| {
                let (id, file) = name.split_once('/').unwrap();
                format!(r#"{{"id": "{id}", "format": "JSON", "url": "http://{address}/{id}/download/{file}"}}"#)
            });
            let resources: Vec<String> = resources.collect();
            let text = format!(
                r#"{{"success": true, "result": {{"resources": [{}]}}}}"#,
                resources.join(",")
            );
            answer(
                stream,
                "200 OK",
                &[("Content-Type", "application/json")],
                text.as_bytes(),
            );
        }
    };
    server.behave(listing(&[
        "1/hebdo_1.json",
        "2/hebdo_2.json",
        "3/hebdo_2.json",
        "4/manual.pdf",
    ]));
    let workspace = Workspace::new();
    let url = server.url("/api/3/action/package_show?id=set");
    let files = [SourceFiles::Ckan(&url, &[FileFormat::Json])];
    let report = workspace.fetch(&files);
    // The stated format of the manual is wrong, but the server sends JSON.
    assert_eq!(report.failed(), [] as [&Path; 0], "{report}");
    assert_eq!(
        workspace.visible_files(),
        ["hebdo_1.json", "hebdo_2-2.json", "hebdo_2-3.json", "manual.pdf"]
    );
    assert_eq!(
        workspace.read("hebdo_2-3.json"),
        b"{\"of\": \"/3/download/hebdo_2.json\"}"
    );

    server.behave(listing(&["2/hebdo_2.json", "3/hebdo_2.json", "4/manual.pdf"]));
    let unfinished = workspace.path(".fetch/hebdo_1.json.part");
    fs::write(&unfinished, "{").unwrap();
    let report = workspace.fetch(&files);
    assert_eq!(report.files.len(), 3);
    assert!(
        report
            .files
            .iter()
            .all(|(_, outcome)| *outcome == Ok(FetchOutcome::Unchanged)),
        "{report}"
    );
    assert!(!unfinished.exists(), "no run will resume it");
    let note = report.notes.join("\n");
    assert!(note.contains("hebdo_1.json is no longer published"), "{note}");
    assert!(workspace.path("hebdo_1.json").exists());

    for (garbage, expected) in [
        (
            "{\"success\": false, \"error\": {\"message\": \"Not found\"}}",
            "Not found",
        ),
        ("{\"result\": {\"resources\": [", "not complete JSON"),
        ("{\"result\": {\"resources\": []}}", "may have moved"),
        ("<html>maintenance</html>", "a web page"),
    ] {
        server.behave(move |_, _, stream| answer(stream, "200 OK", &[], garbage.as_bytes()));
        let report = workspace.fetch(&files);
        assert!(report.to_string().contains(expected), "{garbage}: {report}");
        assert_eq!((report.failed().len(), report.notes.len()), (1, 0), "{report}");
        assert_eq!(workspace.visible_files().len(), 4);
    }
}

#[test]
fn files_with_the_same_name_get_numbers() {
    let server = Server::new(|request: &Request, _, stream: &mut _| match request.path.as_str() {
        "/old/a.csv" => file(request, stream, "1", GOOD),
        _ => file(request, stream, "2", NEWER),
    });
    let workspace = Workspace::new();
    let (old, new) = (server.url("/old/a.csv"), server.url("/new/A.csv"));
    let files = [
        SourceFiles::One(&old, FileFormat::Csv),
        SourceFiles::One(&new, FileFormat::Csv),
    ];
    workspace.fetch(&files);
    assert_eq!(workspace.visible_files(), ["2-A.csv", "a.csv"]);
    assert_eq!(
        (workspace.read("a.csv"), workspace.read("2-A.csv")),
        (GOOD.to_vec(), NEWER.to_vec())
    );
    let again = workspace.fetch(&files);
    assert!(
        again
            .files
            .iter()
            .all(|(_, outcome)| *outcome == Ok(FetchOutcome::Unchanged)),
        "{again}"
    );
    assert!(again.notes.is_empty(), "{again}");
}

#[test]
fn the_newest_fiscal_year_may_not_be_published_yet() {
    let server = Server::new(|request: &Request, _, stream: &mut _| match request.path.as_str() {
        "/2025-2026-a.csv" => file(request, stream, "1", GOOD),
        _ => answer(stream, "404 Not Found", &[], b""),
    });
    let workspace = Workspace::new();
    let pattern = server.url("/{year}-a.csv");
    let years = |first| SourceFiles::FiscalYears {
        pattern: &pattern,
        first,
        format: FileFormat::Csv,
    };
    let report = workspace.fetch(&[years(2025)]);
    assert_eq!(report.failed(), [] as [&Path; 0], "{report}");
    assert_eq!(report.files[1].1, Ok(FetchOutcome::NotPublished));
    let report = workspace.fetch(&[years(2024)]);
    assert_eq!(report.failed(), [workspace.path("2024-2025-a.csv")], "{report}");
}

#[test]
fn a_second_run_in_the_same_folder_is_refused() {
    let (let_go, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let (began, has_started) = mpsc::channel::<()>();
    let server = Server::new(move |request: &Request, _, stream: &mut _| {
        let _ = began.send(());
        let _ = wait.lock().unwrap().recv_timeout(Duration::from_millis(1200));
        file(request, stream, "1", GOOD);
    });
    let workspace = Workspace::new();
    let url = server.url("/a.csv");
    thread::scope(|scope| {
        let first = scope.spawn(|| workspace.fetch_one(&url));
        has_started.recv().unwrap();
        let refused = workspace
            .try_fetch(&[SourceFiles::One(&url, FileFormat::Csv)])
            .unwrap_err()
            .to_string();
        assert!(refused.contains("another `procure fetch` is writing to"), "{refused}");
        let_go.send(()).unwrap();
        assert_eq!(first.join().unwrap(), fetched(GOOD));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_and_keeps_the_file() {
    let server = Server::new(|request: &Request, _, stream: &mut _| file(request, stream, "1", GOOD));
    let workspace = Workspace::new();
    let (first, second) = (server.url("/a.csv"), server.url("/b.csv"));
    assert_eq!(workspace.fetch_one(&first), fetched(GOOD));
    server.behave(|request, _, stream| file(request, stream, "2", NEWER));
    std::os::unix::fs::symlink("/dev/full", workspace.path(".fetch/a.csv.part")).unwrap();
    let files = [
        SourceFiles::One(&first, FileFormat::Csv),
        SourceFiles::One(&second, FileFormat::Csv),
    ];
    let report = workspace.fetch(&files);
    let why = |nth: usize| report.files[nth].1.as_ref().unwrap_err();
    assert!(
        why(0).contains("the disk is full") && why(0).contains("free some space"),
        "{report}"
    );
    assert!(why(1).contains("not tried: the disk is full"), "{report}");
    assert_eq!(server.requests().len(), 1);
    assert_eq!(workspace.read("a.csv"), GOOD);
    fs::remove_file(workspace.path(".fetch/a.csv.part")).unwrap();
    assert_eq!(workspace.fetch(&files).failed(), [] as [&Path; 0]);
    assert_eq!(workspace.read("a.csv"), NEWER);
}

/// Not a test: the process that the next test starts and kills.
#[test]
fn child() {
    if let Ok(arguments) = std::env::var(CHILD) {
        let (out, url) = arguments.split_once('|').unwrap();
        println!(
            "{}",
            run(Path::new(out), &[SourceFiles::One(url, FileFormat::Csv)]).unwrap()
        );
    }
}

#[test]
fn a_run_resumes_after_being_killed() {
    let whole = large(1 << 20);
    let (sent, half) = (whole.clone(), whole.len() / 2);
    let server = Server::new(move |_: &Request, _, stream: &mut _| {
        let length = sent.len().to_string();
        head(stream, "200 OK", &[("ETag", "\"1\""), ("Content-Length", &length)]);
        body(stream, &sent[..half]);
        // Each pause is shorter than the idle timeout of the child, which is killed while it waits.
        for byte in &sent[half..] {
            thread::sleep(Duration::from_millis(100));
            body(stream, std::slice::from_ref(byte));
        }
    });
    let workspace = Workspace::new();
    let url = server.url("/a.csv");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD, format!("{}|{url}", workspace.folder.path().display()))
        .spawn()
        .unwrap();
    let part = workspace.path(".fetch/a.csv.part");
    let began = Instant::now();
    while fs::metadata(&part).map_or(0, |facts| facts.len()) < half as u64 {
        assert!(began.elapsed() < Duration::from_secs(20), "the child makes no progress");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(workspace.visible_files().is_empty());
    let had = fs::metadata(&part).unwrap().len();
    let sent = whole.clone();
    server.behave(move |request, _, stream| file(request, stream, "1", &sent));
    assert_eq!(workspace.fetch_one(&url), resumed(&whole, had));
    assert!(workspace.read("a.csv") == whole);
    assert!(!part.exists());

    // Killed between the last byte and the rename: no request is needed.
    fs::rename(workspace.path("a.csv"), &part).unwrap();
    fs::rename(
        workspace.path(".fetch/a.csv.note.json"),
        workspace.path(".fetch/a.csv.part.json"),
    )
    .unwrap();
    server.behave(|_, _, _| {});
    assert_eq!(workspace.fetch_one(&url), resumed(&whole, whole.len() as u64));
    assert!(server.requests().is_empty());
}

#[test]
fn normalize_reads_the_folder_as_it_is() {
    const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let server = Server::new(|request: &Request, _, stream: &mut _| {
        let bytes = fs::read(format!("{FIXTURES}{}", request.path)).unwrap();
        if request.path.contains("contract") {
            // This download stays incomplete.
            let length = (bytes.len() + 9).to_string();
            head(stream, "200 OK", &[("ETag", "\"1\""), ("Content-Length", &length)]);
            return body(stream, &bytes);
        }
        answer(
            stream,
            "200 OK",
            &[("Last-Modified", "Mon, 05 Jan 2026 10:00:00 GMT")],
            &bytes,
        );
    });
    let workspace = Workspace::new();
    let (tender, contract) = (
        server.url("/canadabuys-tender.csv"),
        server.url("/canadabuys-contract.csv"),
    );
    let report = workspace.fetch(&[
        SourceFiles::One(&tender, FileFormat::Csv),
        SourceFiles::One(&contract, FileFormat::Csv),
    ]);
    assert_eq!(report.failed().len(), 1, "{report}");
    assert!(workspace.path(".fetch/canadabuys-contract.csv.part").exists());
    let out = workspace.folder.path().join("dumps");
    let report = normalize::run(&normalize::NormalizeOptions {
        inputs: vec![workspace.folder.path().join("made-up")],
        out: out.clone(),
        commodities: None,
        report: None,
        strict: true,
    })
    .unwrap();
    assert_eq!(report.files.len(), 1);
    assert!(report.unrecognized.is_empty());
    let dump = fs::read_to_string(out.join("tender/canadabuys-tender.ndjson")).unwrap();
    assert!(dump.lines().count() > 0);
    for line in dump.lines() {
        assert!(line.contains("\"fetched_at\":\"2026-01-05T10:00:00Z\""), "{line}");
    }
}

/// The folder of the publishers' real files, if the variable names it.
fn real_data() -> Option<PathBuf> {
    let folder = std::env::var_os("PROCURE_REAL_DATA").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: PROCURE_REAL_DATA does not name a folder of real files");
    }
    folder
}

#[test]
fn real_files_are_valid_and_incomplete_ones_are_not() {
    let Some(folder) = real_data() else {
        return;
    };
    let mut paths = Vec::new();
    for publisher in fs::read_dir(folder.join("raw")).unwrap() {
        let files = fs::read_dir(publisher.unwrap().path()).unwrap();
        paths.extend(files.map(|file| file.unwrap().path()));
    }
    assert!(paths.len() > 10);
    for path in paths {
        let format = match path.extension().unwrap().to_str().unwrap() {
            "csv" => FileFormat::Csv,
            "json" => FileFormat::Json,
            "xml" => FileFormat::Xml,
            "zip" => FileFormat::Zip,
            other => panic!("{other}"),
        };
        let (bytes, name) = (fs::read(&path).unwrap(), path.file_name().unwrap().to_str().unwrap());
        let sent = bytes.clone();
        let server = Server::new(move |_: &Request, nth, stream: &mut _| {
            head(stream, "200 OK", &[]);
            body(stream, if nth == 0 { &sent } else { &sent[..sent.len() / 3] });
        });
        let workspace = Workspace::new();
        let url = server.url(&format!("/{name}"));
        assert_eq!(workspace.fetch_as(&url, format), fetched(&bytes), "{}", path.display());
        let why = workspace.fetch_as(&url, format).expect_err(name);
        let expected = if format == FileFormat::Csv {
            "ends in the middle of a row"
        } else {
            "not complete"
        };
        assert!(why.contains(expected), "{}: {why}", path.display());
        assert!(workspace.read(name) == bytes);
    }
}

#[test]
fn every_file_of_the_real_list_has_its_own_name() {
    let Some(folder) = real_data() else {
        return;
    };
    let index = fs::read(folder.join("reference/seao-ckan-resource-index-20260221.json")).unwrap();
    let index: serde_json::Value = serde_json::from_slice(&index).unwrap();
    let list = serde_json::json!({"success": true, "result": {"resources": index["ressources"]}}).to_string();
    let local = Server::new(|_: &Request, _, _: &mut _| {});
    let list = list.replace("https://www.donneesquebec.ca", &local.url(""));
    local.behave(move |request, _, stream| match request.path.as_str() {
        "/api/3/action/package_show?id=seao" => answer(stream, "200 OK", &[], list.as_bytes()),
        path => answer(stream, "200 OK", &[], format!("{{\"path\": \"{path}\"}}").as_bytes()),
    });
    let workspace = Workspace::new();
    let url = local.url("/api/3/action/package_show?id=seao");
    let report = workspace.fetch(&[SourceFiles::Ckan(&url, &[FileFormat::Json])]);
    assert_eq!(report.failed(), [] as [&Path; 0], "{report}");
    assert_eq!(report.files.len(), index["ressources"].as_array().unwrap().len());
    assert_eq!(workspace.visible_files().len(), report.files.len());
    assert!(
        workspace
            .visible_files()
            .contains(&"hebdo_20210426_20210502.json".to_owned())
    );
}

fn procure(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_procure"));
    command.args(args);
    command
}

#[test]
fn the_command_lists_its_sources_and_suggests_the_nearest() {
    let listed = procure(&["fetch", "--list"]).output().unwrap();
    assert!(listed.status.success());
    let text = String::from_utf8(listed.stdout).unwrap();
    for source in PUBLISHED_SOURCES {
        let line = text.lines().find(|line| line.starts_with(&format!("{} ", source.id)));
        let line = line.unwrap_or_else(|| panic!("{} is not listed", source.id));
        assert!(line.contains(source.licence) && line.contains(source.page), "{line}");
    }
    let refused = procure(&["fetch", "seao-odcs"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(why.contains("'seao-odcs'") && why.contains("'seao-ocds'"), "{why}");
}

#[test]
fn the_command_fails_with_an_exit_code_and_names_each_file() {
    // All connections go through this proxy, which refuses them.
    let proxy = Server::new(|_: &Request, _, stream: &mut _| answer(stream, "403 Forbidden", &[], b""));
    let folder = tempfile::tempdir().unwrap();
    let output = procure(&[
        "fetch",
        "disclosure",
        "alberta",
        "--out",
        folder.path().to_str().unwrap(),
    ])
    .env("HTTPS_PROXY", format!("http://{}", proxy.address))
    .env_remove("ALL_PROXY")
    .env_remove("NO_PROXY")
    .output()
    .unwrap();
    let (output_text, why) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    assert_eq!(output.status.code(), Some(1), "{output_text} {why}");
    assert!(
        why.contains("error: 1 of 1 files could not be downloaded") && why.contains("contracts.csv"),
        "{why}"
    );
    assert!(output_text.contains("HTTPS_PROXY"), "{output_text}");
    assert!(
        output_text.contains("alberta: there is no public file"),
        "{output_text}"
    );
    let file = folder.path().join("alberta/0.json");
    for part in [
        "\n           1. Ask the site".to_owned(),
        format!("\n              curl --fail -o '{}'", file.display()),
        "\n           2. Repeat".to_owned(),
        format!("Run `procure normalize {}`", folder.path().display()),
    ] {
        assert!(output_text.contains(&part), "{part}: {output_text}");
    }
    for licence in ["Canada", "Alberta"] {
        assert!(
            output_text.contains(&format!("licensed under the Open Government Licence – {licence}.")),
            "{output_text}"
        );
    }
    let requests = proxy.requests();
    assert_eq!(
        (requests.len(), requests[0].method.as_str(), requests[0].path.as_str()),
        (1, "CONNECT", "open.canada.ca:443")
    );
}

#[test]
fn a_source_that_cannot_be_downloaded_is_no_failure_and_has_numbered_steps() {
    for source in PUBLISHED_SOURCES {
        let [SourceFiles::Manual { steps, .. }] = source.files else {
            continue;
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let output = procure(&["fetch", source.id, "--out", path]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", source.id);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(&format!("note       {}: ", source.id)), "{text}");
        for number in 1..=steps.len() + 1 {
            assert!(text.contains(&format!("\n           {number}. ")), "{number}: {text}");
        }
        assert!(
            text.contains(&format!("{path}/{}", source.id)) && !text.contains("{folder}"),
            "{text}"
        );
    }
}

/// The body of the request that an operator copies for Alberta.
#[test]
fn the_request_for_alberta_is_json() {
    let alberta = PUBLISHED_SOURCES.iter().find(|source| source.id == "alberta").unwrap();
    let [SourceFiles::Manual { steps, .. }] = alberta.files else {
        panic!("{:?}", alberta.files);
    };
    let arguments = shlex::split(steps[0].lines().nth(1).unwrap()).unwrap();
    let body = arguments.iter().skip_while(|word| *word != "-d").nth(1).unwrap();
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["limit"], 100);
    assert_eq!(body["offset"], 0);
}

#[test]
fn the_docs_have_the_attribution_of_each_licence() {
    let docs = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/data.md")).unwrap();
    for source in PUBLISHED_SOURCES {
        assert!(docs.contains(source.attribution), "{}", source.attribution);
    }
}
