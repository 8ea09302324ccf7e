//! `procure fetch` against a server that misbehaves in every way a network and a publisher know.

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
        self, Manners, Options, Outcome, Report,
        table::{Files, Format, SOURCES, Source},
    },
    normalize,
};
use server::{Request, Server, answer, body, file, head};
use tempfile::TempDir;

const GOOD: &[u8] = b"a,b\n1,2\n";
const NEWER: &[u8] = b"a,b\n1,2\n3,4\n";
/// Long enough for a busy machine, short enough to be waited for.
const IDLE: Duration = Duration::from_millis(1500);
/// Names the server for the run that is killed.
const CHILD: &str = "PROCURE_TEST_FETCH";

/// An empty folder, and a row for what a test makes up.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        Place {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("made-up").join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn fetch(&self, files: &[Files]) -> Report {
        self.try_fetch(files).unwrap()
    }

    fn try_fetch(&self, files: &[Files]) -> anyhow::Result<Report> {
        run(self.folder.path(), files)
    }

    /// Fetches one CSV file and tells how it went.
    fn fetch_one(&self, url: &str) -> Result<Outcome, String> {
        self.fetch_as(url, Format::Csv)
    }

    fn fetch_as(&self, url: &str, format: Format) -> Result<Outcome, String> {
        let mut report = self.fetch(&[Files::One(url, format)]);
        assert_eq!(report.files.len(), 1, "{report}");
        report.files.remove(0).1
    }

    /// What lies in the folder for everyone to see.
    fn seen(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join("made-up")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        names
    }
}

fn run(out: &Path, files: &[Files]) -> anyhow::Result<Report> {
    let source = Source {
        id: "made-up",
        page: "https://example.org/page",
        licence: "None",
        attribution: "Made up by nobody.",
        rhythm: "never",
        referer: Some("https://example.org/from"),
        quirk: Some("it is made up"),
        files,
    };
    fetch::run(&Options {
        sources: &[source],
        out: out.to_owned(),
        today: NaiveDate::from_ymd_opt(2026, 5, 1).unwrap(),
        manners: Manners {
            user_agent: "procure-test/1".to_owned(),
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(20),
            idle: IDLE,
            pause: Duration::ZERO,
            attempts: 3,
            backoff: Duration::from_millis(5),
            longest_wait: Duration::from_secs(3),
            redirects: 3,
        },
    })
}

fn fetched(bytes: &[u8]) -> Result<Outcome, String> {
    resumed(bytes, 0)
}

fn resumed(bytes: &[u8], resumed_at: u64) -> Result<Outcome, String> {
    let bytes = bytes.len() as u64;
    Ok(Outcome::Fetched { bytes, resumed_at })
}

/// A CSV file of about so many bytes.
fn large(bytes: usize) -> Vec<u8> {
    let rows = (0..bytes / 16).map(|row| format!("{row:07},{row:07}\n"));
    rows.collect::<String>().into_bytes()
}

#[test]
fn a_file_comes_with_its_time_and_is_then_asked_for_its_changes() {
    let server = Server::new(|request: &Request, _, stream: &mut _| {
        let told = [
            ("Last-Modified", "Mon, 05 Jan 2026 10:00:00 GMT"),
            ("ETag", "W/\"weak\""),
        ];
        match request.header("if-modified-since") {
            Some(_) => head(stream, "304 Not Modified", &told),
            None => answer(stream, "200 OK", &told, GOOD),
        }
    });
    let place = Place::new();
    let url = server.url("/pub/a.csv");
    assert_eq!(place.fetch_one(&url), fetched(GOOD));
    assert_eq!(place.read("a.csv"), GOOD);
    let modified = fs::metadata(place.path("a.csv")).unwrap().modified().unwrap();
    assert_eq!(
        DateTime::<Utc>::from(modified).to_rfc3339(),
        "2026-01-05T10:00:00+00:00"
    );
    assert_eq!(place.fetch_one(&url), Ok(Outcome::Unchanged));
    let asked = server.asked();
    assert_eq!(asked[0].header("user-agent"), Some("procure-test/1"));
    assert_eq!(asked[0].header("referer"), Some("https://example.org/from"));
    assert_eq!(asked[0].header("accept-encoding"), Some("identity"));
    assert_eq!(asked[0].header("if-modified-since"), None);
    assert_eq!(asked[1].header("if-none-match"), Some("W/\"weak\""));
    assert_eq!(
        asked[1].header("if-modified-since"),
        Some("Mon, 05 Jan 2026 10:00:00 GMT")
    );
    assert_eq!(place.seen(), ["a.csv"]);

    // A file that somebody shortened is not the one the server speaks of.
    fs::write(place.path("a.csv"), "a,b\n").unwrap();
    assert_eq!(place.fetch_one(&url), fetched(GOOD));
    assert_eq!(place.read("a.csv"), GOOD);
}

#[test]
fn a_change_is_fetched_and_the_same_bytes_are_no_change() {
    let server = Server::new(|_: &Request, _, stream: &mut _| answer(stream, "200 OK", &[], GOOD));
    let place = Place::new();
    let url = server.url("/a.csv");
    assert_eq!(place.fetch_one(&url), fetched(GOOD));
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let modify = File::options().append(true).open(place.path("a.csv")).unwrap();
    modify.set_modified(long_ago).unwrap();
    assert_eq!(place.fetch_one(&url), Ok(Outcome::Unchanged));
    let modified = fs::metadata(place.path("a.csv")).unwrap().modified().unwrap();
    assert_eq!(modified, long_ago, "`fetched_at` would change with each run");
    server.behave(|_, _, stream| answer(stream, "200 OK", &[], NEWER));
    assert_eq!(place.fetch_one(&url), fetched(NEWER));
    assert_eq!(place.read("a.csv"), NEWER);
}

#[test]
fn what_was_cut_is_gone_on_with() {
    let whole = large(3 << 20);
    let sent = whole.clone();
    // Four cuts, which is more than the attempts there are: but each brings a lot.
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
        let told = [
            ("ETag", "\"1\""),
            ("Content-Length", length.as_str()),
            ("Content-Range", range.as_str()),
        ];
        match from {
            0 => head(stream, "200 OK", &told[..2]),
            _ => head(stream, "206 Partial Content", &told),
        }
        body(stream, &sent[from..until.min(sent.len())]);
    });
    let place = Place::new();
    let outcome = place.fetch_one(&server.url("/a.csv"));
    let asked = server.asked();
    assert!(
        matches!(outcome, Ok(Outcome::Fetched { resumed_at, .. }) if resumed_at > 0),
        "{outcome:?} {asked:?}"
    );
    assert!(place.read("a.csv") == whole);
    assert!(asked[1..].iter().all(|request| request.range().is_some()), "{asked:?}");
    assert_eq!(asked[1].header("if-range"), Some("\"1\""));
}

/// Answers the first request with 64 KiB of a larger file, told to be so, and then the connection is cut.
fn cut_first(sent: &[u8], tag: &str, stream: &mut std::net::TcpStream) {
    let length = sent.len().to_string();
    head(stream, "200 OK", &[("ETag", tag), ("Content-Length", &length)]);
    body(stream, &sent[..64 << 10]);
}

#[test]
fn a_part_that_cannot_be_gone_on_with_is_begun_anew() {
    type Later = fn(&Request, &mut std::net::TcpStream, &[u8]);
    let laters: [(&str, &str, Later); 6] = [
        (
            "another version, so the server sends it whole",
            "\"1\"",
            |request, stream, sent| {
                file(request, stream, "2", sent);
            },
        ),
        ("no ranges here", "\"1\"", |_, stream, sent| {
            answer(stream, "200 OK", &[], sent)
        }),
        (
            "another tag on the rest",
            "\"1\"",
            |request, stream, sent| match request.range() {
                Some(from) => {
                    let range = format!("bytes {from}-{}/{}", sent.len() - 1, sent.len());
                    let told = [("Content-Range", range.as_str()), ("ETag", "\"2\"")];
                    answer(stream, "206 Partial Content", &told, &sent[from..]);
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
    for (what, tag, later) in laters {
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
        let place = Place::new();
        assert_eq!(place.fetch_one(&server.url("/a.csv")), fetched(&expected), "{what}");
        assert!(place.read("a.csv") == expected, "{what}");
        assert_eq!(server.asked()[1].range(), Some(64 << 10), "{what}");
    }
}

#[test]
fn a_rest_may_come_in_slices() {
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
    let place = Place::new();
    let before_the_last = (64 << 10) + 70_000;
    assert_eq!(place.fetch_one(&server.url("/a.csv")), resumed(&whole, before_the_last));
    assert!(place.read("a.csv") == whole);
}

#[test]
fn a_weak_tag_is_no_ground_to_go_on_and_an_old_time_is() {
    for (told, is_resumed) in [
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
        let (sent, headers) = (whole.clone(), told.clone());
        let server = Server::new(move |_: &Request, nth, stream: &mut _| {
            let length = sent.len().to_string();
            head(
                stream,
                "200 OK",
                &[headers.as_slice(), &[("Content-Length", length.as_str())]].concat(),
            );
            body(stream, if nth == 0 { &sent[..100_000] } else { &sent });
        });
        let place = Place::new();
        assert_eq!(place.fetch_one(&server.url("/a.csv")), fetched(&whole));
        assert_eq!(server.asked()[1].range().is_some(), is_resumed, "{told:?}");
        assert!(place.read("a.csv") == whole);
    }
}

#[test]
fn patience_is_had_as_the_server_asks() {
    for (asked, at_least) in [
        (Some("0"), 0),
        (Some("1"), 1000),
        // A second later by the server's clock, whatever ours says.
        (Some("Mon, 05 Jan 2015 10:00:01 GMT"), 1000),
        (Some("Mon, 05 Jan 2015 09:00:00 GMT"), 0),
        (None, 0),
    ] {
        let now = ("Date", "Mon, 05 Jan 2015 10:00:00 GMT");
        let server = Server::new(move |request: &Request, nth, stream: &mut _| match (nth, asked) {
            (0, Some(value)) => answer(
                stream,
                "429 Too Many Requests",
                &[now, ("Retry-After", value)],
                b"slow down",
            ),
            (0, None) => answer(stream, "429 Too Many Requests", &[], b"slow down"),
            _ => file(request, stream, "1", GOOD),
        });
        let place = Place::new();
        let began = Instant::now();
        assert_eq!(place.fetch_one(&server.url("/a.csv")), fetched(GOOD), "{asked:?}");
        assert!(began.elapsed() >= Duration::from_millis(at_least), "{asked:?}");
        assert_eq!(server.asked().len(), 2);
    }
}

#[test]
fn what_may_pass_is_asked_again_and_not_for_ever() {
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
        let place = Place::new();
        assert_eq!(place.fetch_one(&server.url("/a.csv")), fetched(GOOD), "{status}");
        server.behave(move |_, _, stream| answer(stream, status, &[], b""));
        let why = place.fetch_one(&server.url("/a.csv")).unwrap_err();
        assert!(why.contains(&status[..3]), "{why}");
        assert!(why.contains("gave up after 3 attempts"), "{why}");
        assert_eq!(server.asked().len(), 3, "{status}");
        assert_eq!(place.read("a.csv"), GOOD);
    }
}

#[test]
fn whatever_comes_the_good_file_stays() {
    type Bad = fn(&mut std::net::TcpStream);
    let html = b"<!DOCTYPE html><html>Sorry, we are closed, come back</html>";
    assert!(html.contains(&b','));
    let cases: [(&str, &str, usize, Bad); 17] = [
        ("forbidden", "--user-agent", 1, |s| {
            answer(s, "403 Forbidden", &[], b"a,b\n")
        }),
        ("unknown", "it may have moved", 1, |s| {
            answer(s, "404 Not Found", &[], b"a,b\n")
        }),
        ("gone", "it may have moved", 1, |s| answer(s, "410 Gone", &[], b"")),
        ("asked too much", "asks to come back in 3600 s", 1, |s| {
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
        ("an error in JSON", "is no CSV", 1, |s| {
            answer(s, "200 OK", &[("Content-Type", "text/csv")], b"{\"error\": \"a, b\"}");
        }),
        ("an error in XML", "is no CSV", 1, |s| {
            answer(s, "200 OK", &[], b"<?xml?><Error>a, b</Error>")
        }),
        ("a word", "is no CSV", 1, |s| answer(s, "200 OK", &[], b"Unavailable")),
        ("nothing", "sends nothing", 1, |s| answer(s, "200 OK", &[], b"")),
        ("nothing at all", "does not answer", 3, |_| {}),
        ("no HTTP", "does not answer", 3, |s| body(s, b"what is this?\r\n\r\n")),
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
        ("a chunk that breaks off", "gave up", 3, |s| {
            head(s, "200 OK", &[("Transfer-Encoding", "chunked")]);
            body(s, b"8\r\na,b\n1,2\n\r\n8\r\n3,4\n");
        }),
        ("a chunk that is none", "gave up", 3, |s| {
            head(s, "200 OK", &[("Transfer-Encoding", "chunked")]);
            body(s, b"8\r\na,b\n1,2\n\r\nzz\r\n3,4\n");
        }),
        ("an answer nobody asked for", "gave up", 3, |s| {
            head(
                s,
                "206 Partial Content",
                &[("Content-Length", "4"), ("Content-Range", "bytes 0-3/4")],
            );
            body(s, b"a,b\n");
        }),
    ];
    let server = Server::new(|request: &Request, _, stream: &mut _| file(request, stream, "1", GOOD));
    let place = Place::new();
    let url = server.url("/a.csv");
    assert_eq!(place.fetch_one(&url), fetched(GOOD));
    for (what, said, asked, bad) in cases {
        server.behave(move |_, _, stream| bad(stream));
        let why = place.fetch_one(&url).expect_err(what);
        assert!(why.contains(said), "{what}: {why}");
        assert!(why.contains("it is made up"), "{what}: {why}");
        assert!(why.contains("https://example.org/page"), "{what}: no cure in {why}");
        assert_eq!(server.asked().len(), asked, "{what}");
        assert_eq!(place.read("a.csv"), GOOD, "{what}");
        assert_eq!(place.seen(), ["a.csv"], "{what}");
    }
    // And none of them stands in the way of what is good.
    server.behave(|request, _, stream| file(request, stream, "2", NEWER));
    assert_eq!(place.fetch_one(&url), fetched(NEWER));
    assert_eq!(place.read("a.csv"), NEWER);
}

#[test]
fn cut_files_are_known_by_their_end_where_no_length_is_told() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("a.xml", zip::write::SimpleFileOptions::default())
        .unwrap();
    zip.write_all(b"<export></export>").unwrap();
    let zip = zip.finish().unwrap().into_inner();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(GOOD).unwrap();
    let gzip = gzip.finish().unwrap();
    for (name, format, whole) in [
        ("a.json", Format::Json, b"{\"releases\": [1, 2]}".to_vec()),
        ("a.xml", Format::Xml, b"<export><avis></avis></export>".to_vec()),
        ("a.zip", Format::Zip, zip),
        ("a.csv", Format::Csv, gzip),
    ] {
        let sent = whole.clone();
        let server = Server::new(move |_: &Request, nth, stream: &mut _| {
            head(stream, "200 OK", &[]);
            body(stream, if nth == 0 { &sent[..sent.len() - 2] } else { &sent });
        });
        let place = Place::new();
        let url = server.url(&format!("/{name}"));
        let why = place.fetch_as(&url, format).unwrap_err();
        assert!(why.contains("no whole"), "{name}: {why}");
        assert!(place.seen().is_empty(), "{name}");
        assert_eq!(place.fetch_as(&url, format), fetched(&whole), "{name}");
        assert_eq!(place.read(name), whole, "{name}");
    }
}

#[test]
fn a_body_in_chunks_is_a_body() {
    let server = Server::new(|_: &Request, _, stream: &mut _| {
        head(stream, "200 OK", &[("Transfer-Encoding", "chunked")]);
        body(stream, b"4\r\na,b\n\r\n4\r\n1,2\n\r\n0\r\n\r\n");
    });
    let place = Place::new();
    assert_eq!(place.fetch_one(&server.url("/a.csv")), fetched(GOOD));
    assert_eq!(place.read("a.csv"), GOOD);
}

#[test]
fn redirects_are_followed_a_few_times() {
    let server = Server::new(|request: &Request, _, stream: &mut _| match request.path.as_str() {
        "/a.csv" => answer(stream, "302 Found", &[("Location", "/b.csv")], b""),
        "/round.csv" => answer(stream, "302 Found", &[("Location", "/round.csv")], b""),
        _ => file(request, stream, "1", GOOD),
    });
    let place = Place::new();
    assert_eq!(place.fetch_one(&server.url("/a.csv")), fetched(GOOD));
    assert_eq!(place.read("a.csv"), GOOD);
    server.behave(|_, _, stream| answer(stream, "302 Found", &[("Location", "/round.csv")], b""));
    let why = place.fetch_one(&server.url("/round.csv")).unwrap_err();
    assert!(why.contains("leads from one to the next"), "{why}");
    assert_eq!(
        server.asked().len(),
        4,
        "redirects are not followed for ever, nor tried again"
    );
}

#[test]
fn a_server_that_falls_silent_or_drips_is_not_waited_for() {
    for drips in [false, true] {
        let server = Server::new(move |_: &Request, _, stream: &mut _| {
            head(stream, "200 OK", &[("Content-Length", "100000000"), ("ETag", "\"1\"")]);
            body(stream, &large(8 << 10));
            let began = Instant::now();
            while began.elapsed() < Duration::from_secs(30) {
                thread::sleep(Duration::from_millis(50));
                if drips {
                    body(stream, b"1");
                }
            }
        });
        let place = Place::new();
        let began = Instant::now();
        let why = place.fetch_one(&server.url("/a.csv")).unwrap_err();
        let said = if drips { "too slow" } else { "fell silent" };
        assert!(why.contains(said), "{why}");
        assert!(began.elapsed() < Duration::from_secs(25));
        assert_eq!(server.asked().len(), 3);
    }
}

#[test]
fn a_host_that_cannot_be_asked_is_not_asked_for_each_of_its_files() {
    // It answers plainly where encryption is expected.
    let server = Server::new(|_: &Request, _, _: &mut _| {});
    let (first, second) = (
        format!("https://{}/a.csv", server.address),
        format!("https://{}/b.csv", server.address),
    );
    let place = Place::new();
    let report = place.fetch(&[Files::One(&first, Format::Csv), Files::One(&second, Format::Csv)]);
    let why = |nth: usize| report.files[nth].1.as_ref().unwrap_err();
    assert!(why(0).contains("cannot be made secure"), "{report}");
    assert!(why(0).contains("it is made up"), "the quirk helps here: {report}");
    assert!(why(1).contains("not tried"), "{report}");
    assert_eq!(report.failed().len(), 2);

    // A file that fails by itself stops no other.
    let server = Server::new(|request: &Request, _, stream: &mut _| match request.path.as_str() {
        "/a.csv" => answer(stream, "404 Not Found", &[], b""),
        _ => file(request, stream, "1", GOOD),
    });
    let (first, second) = (server.url("/a.csv"), server.url("/b.csv"));
    let report = place.fetch(&[Files::One(&first, Format::Csv), Files::One(&second, Format::Csv)]);
    assert!(report.files[0].1.is_err() && report.files[1].1.is_ok(), "{report}");
}

#[test]
fn a_catalogue_lists_the_files_and_what_it_lists_no_more_is_told() {
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
    let place = Place::new();
    let url = server.url("/api/3/action/package_show?id=set");
    let files = [Files::Catalogue(&url, &[Format::Json])];
    let report = place.fetch(&files);
    // What is typed of the manual is wrong, and what comes is JSON all the same.
    assert_eq!(report.failed(), [] as [&Path; 0], "{report}");
    assert_eq!(
        place.seen(),
        ["hebdo_1.json", "hebdo_2-2.json", "hebdo_2-3.json", "manual.pdf"]
    );
    assert_eq!(place.read("hebdo_2-3.json"), b"{\"of\": \"/3/download/hebdo_2.json\"}");

    server.behave(listing(&["2/hebdo_2.json", "3/hebdo_2.json", "4/manual.pdf"]));
    let unfinished = place.path(".fetch/hebdo_1.json.part");
    fs::write(&unfinished, "{").unwrap();
    let report = place.fetch(&files);
    assert_eq!(report.files.len(), 3);
    assert!(
        report
            .files
            .iter()
            .all(|(_, outcome)| *outcome == Ok(Outcome::Unchanged)),
        "{report}"
    );
    assert!(!unfinished.exists(), "nothing will ever finish it");
    let remark = report.remarks.join("\n");
    assert!(remark.contains("hebdo_1.json is published no more"), "{remark}");
    assert!(place.path("hebdo_1.json").exists());

    for (garbage, said) in [
        (
            "{\"success\": false, \"error\": {\"message\": \"Not found\"}}",
            "Not found",
        ),
        ("{\"result\": {\"resources\": [", "no whole JSON"),
        ("{\"result\": {\"resources\": []}}", "may have moved"),
        ("<html>maintenance</html>", "a web page"),
    ] {
        server.behave(move |_, _, stream| answer(stream, "200 OK", &[], garbage.as_bytes()));
        let report = place.fetch(&files);
        assert!(report.to_string().contains(said), "{garbage}: {report}");
        assert_eq!((report.failed().len(), report.remarks.len()), (1, 0), "{report}");
        assert_eq!(place.seen().len(), 4);
    }
}

#[test]
fn files_of_one_name_stand_beside_each_other() {
    let server = Server::new(|request: &Request, _, stream: &mut _| match request.path.as_str() {
        "/old/a.csv" => file(request, stream, "1", GOOD),
        _ => file(request, stream, "2", NEWER),
    });
    let place = Place::new();
    let (old, new) = (server.url("/old/a.csv"), server.url("/new/A.csv"));
    let files = [Files::One(&old, Format::Csv), Files::One(&new, Format::Csv)];
    place.fetch(&files);
    assert_eq!(place.seen(), ["2-A.csv", "a.csv"]);
    assert_eq!(
        (place.read("a.csv"), place.read("2-A.csv")),
        (GOOD.to_vec(), NEWER.to_vec())
    );
    let again = place.fetch(&files);
    assert!(
        again
            .files
            .iter()
            .all(|(_, outcome)| *outcome == Ok(Outcome::Unchanged)),
        "{again}"
    );
    assert!(again.remarks.is_empty(), "{again}");
}

#[test]
fn the_newest_fiscal_year_may_not_be_published_yet() {
    let server = Server::new(|request: &Request, _, stream: &mut _| match request.path.as_str() {
        "/2025-2026-a.csv" => file(request, stream, "1", GOOD),
        _ => answer(stream, "404 Not Found", &[], b""),
    });
    let place = Place::new();
    let pattern = server.url("/{year}-a.csv");
    let years = |first| Files::FiscalYears {
        pattern: &pattern,
        first,
        format: Format::Csv,
    };
    let report = place.fetch(&[years(2025)]);
    assert_eq!(report.failed(), [] as [&Path; 0], "{report}");
    assert_eq!(report.files[1].1, Ok(Outcome::NotYet));
    let report = place.fetch(&[years(2024)]);
    assert_eq!(report.failed(), [place.path("2024-2025-a.csv")], "{report}");
}

#[test]
fn one_run_a_folder() {
    let (let_go, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let (began, has_begun) = mpsc::channel::<()>();
    let server = Server::new(move |request: &Request, _, stream: &mut _| {
        let _ = began.send(());
        let _ = wait.lock().unwrap().recv_timeout(Duration::from_millis(1200));
        file(request, stream, "1", GOOD);
    });
    let place = Place::new();
    let url = server.url("/a.csv");
    thread::scope(|scope| {
        let first = scope.spawn(|| place.fetch_one(&url));
        has_begun.recv().unwrap();
        let refused = place
            .try_fetch(&[Files::One(&url, Format::Csv)])
            .unwrap_err()
            .to_string();
        assert!(refused.contains("another `procure fetch` is writing to"), "{refused}");
        let_go.send(()).unwrap();
        assert_eq!(first.join().unwrap(), fetched(GOOD));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_and_the_former_file_stays() {
    let server = Server::new(|request: &Request, _, stream: &mut _| file(request, stream, "1", GOOD));
    let place = Place::new();
    let (first, second) = (server.url("/a.csv"), server.url("/b.csv"));
    assert_eq!(place.fetch_one(&first), fetched(GOOD));
    server.behave(|request, _, stream| file(request, stream, "2", NEWER));
    std::os::unix::fs::symlink("/dev/full", place.path(".fetch/a.csv.part")).unwrap();
    let files = [Files::One(&first, Format::Csv), Files::One(&second, Format::Csv)];
    let report = place.fetch(&files);
    let why = |nth: usize| report.files[nth].1.as_ref().unwrap_err();
    assert!(
        why(0).contains("the disk is full") && why(0).contains("make room"),
        "{report}"
    );
    assert!(why(1).contains("not tried: the disk is full"), "{report}");
    assert_eq!(server.asked().len(), 1);
    assert_eq!(place.read("a.csv"), GOOD);
    fs::remove_file(place.path(".fetch/a.csv.part")).unwrap();
    assert_eq!(place.fetch(&files).failed(), [] as [&Path; 0]);
    assert_eq!(place.read("a.csv"), NEWER);
}

/// No test of its own: the process that the next one kills.
#[test]
fn child() {
    if let Ok(told) = std::env::var(CHILD) {
        let (out, url) = told.split_once('|').unwrap();
        println!("{}", run(Path::new(out), &[Files::One(url, Format::Csv)]).unwrap());
    }
}

#[test]
fn a_killed_run_is_gone_on_with() {
    let whole = large(1 << 20);
    let (sent, half) = (whole.clone(), whole.len() / 2);
    let server = Server::new(move |_: &Request, _, stream: &mut _| {
        let length = sent.len().to_string();
        head(stream, "200 OK", &[("ETag", "\"1\""), ("Content-Length", &length)]);
        body(stream, &sent[..half]);
        // Shorter than what the child calls idle, again and again: it is killed while it waits.
        for byte in &sent[half..] {
            thread::sleep(Duration::from_millis(100));
            body(stream, std::slice::from_ref(byte));
        }
    });
    let place = Place::new();
    let url = server.url("/a.csv");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD, format!("{}|{url}", place.folder.path().display()))
        .spawn()
        .unwrap();
    let part = place.path(".fetch/a.csv.part");
    let began = Instant::now();
    while fs::metadata(&part).map_or(0, |facts| facts.len()) < half as u64 {
        assert!(began.elapsed() < Duration::from_secs(20), "the child does not come on");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.seen().is_empty());
    let had = fs::metadata(&part).unwrap().len();
    let sent = whole.clone();
    server.behave(move |request, _, stream| file(request, stream, "1", &sent));
    assert_eq!(place.fetch_one(&url), resumed(&whole, had));
    assert!(place.read("a.csv") == whole);
    assert!(!part.exists());

    // Killed between the last byte and the rename: nothing is left to ask for.
    fs::rename(place.path("a.csv"), &part).unwrap();
    fs::rename(
        place.path(".fetch/a.csv.note.json"),
        place.path(".fetch/a.csv.part.json"),
    )
    .unwrap();
    server.behave(|_, _, _| {});
    assert_eq!(place.fetch_one(&url), resumed(&whole, whole.len() as u64));
    assert!(server.asked().is_empty());
}

#[test]
fn normalize_takes_the_folder_as_it_is() {
    const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let server = Server::new(|request: &Request, _, stream: &mut _| {
        let bytes = fs::read(format!("{FIXTURES}{}", request.path)).unwrap();
        if request.path.contains("contract") {
            // Stays unfinished.
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
    let place = Place::new();
    let (tender, contract) = (
        server.url("/canadabuys-tender.csv"),
        server.url("/canadabuys-contract.csv"),
    );
    let report = place.fetch(&[Files::One(&tender, Format::Csv), Files::One(&contract, Format::Csv)]);
    assert_eq!(report.failed().len(), 1, "{report}");
    assert!(place.path(".fetch/canadabuys-contract.csv.part").exists());
    let out = place.folder.path().join("dumps");
    let report = normalize::run(&normalize::Options {
        inputs: vec![place.folder.path().join("made-up")],
        out: out.clone(),
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

/// The folder of the publishers' own files, if it is at hand.
fn real_data() -> Option<PathBuf> {
    let folder = std::env::var_os("PROCURE_REAL_DATA").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: PROCURE_REAL_DATA names no folder of real files");
    }
    folder
}

#[test]
fn every_real_file_is_taken_and_none_that_is_cut() {
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
            "csv" => Format::Csv,
            "json" => Format::Json,
            "xml" => Format::Xml,
            "zip" => Format::Zip,
            other => panic!("{other}"),
        };
        let (bytes, name) = (fs::read(&path).unwrap(), path.file_name().unwrap().to_str().unwrap());
        let sent = bytes.clone();
        let server = Server::new(move |_: &Request, nth, stream: &mut _| {
            head(stream, "200 OK", &[]);
            body(stream, if nth == 0 { &sent } else { &sent[..sent.len() / 3] });
        });
        let place = Place::new();
        let url = server.url(&format!("/{name}"));
        assert_eq!(place.fetch_as(&url, format), fetched(&bytes), "{}", path.display());
        let why = place.fetch_as(&url, format).expect_err(name);
        let said = if format == Format::Csv {
            "ends within a row"
        } else {
            "no whole"
        };
        assert!(why.contains(said), "{}: {why}", path.display());
        assert!(place.read(name) == bytes);
    }
}

#[test]
fn the_real_catalogue_gives_each_file_a_name_of_its_own() {
    let Some(folder) = real_data() else {
        return;
    };
    let index = fs::read(folder.join("reference/seao-ckan-resource-index-20260221.json")).unwrap();
    let index: serde_json::Value = serde_json::from_slice(&index).unwrap();
    let catalogue = serde_json::json!({"success": true, "result": {"resources": index["ressources"]}}).to_string();
    let local = Server::new(|_: &Request, _, _: &mut _| {});
    let catalogue = catalogue.replace("https://www.donneesquebec.ca", &local.url(""));
    local.behave(move |request, _, stream| match request.path.as_str() {
        "/api/3/action/package_show?id=seao" => answer(stream, "200 OK", &[], catalogue.as_bytes()),
        path => answer(stream, "200 OK", &[], format!("{{\"path\": \"{path}\"}}").as_bytes()),
    });
    let place = Place::new();
    let url = local.url("/api/3/action/package_show?id=seao");
    let report = place.fetch(&[Files::Catalogue(&url, &[Format::Json])]);
    assert_eq!(report.failed(), [] as [&Path; 0], "{report}");
    assert_eq!(report.files.len(), index["ressources"].as_array().unwrap().len());
    assert_eq!(place.seen().len(), report.files.len());
    assert!(place.seen().contains(&"hebdo_20210426_20210502.json".to_owned()));
}

fn procure(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_procure"));
    command.args(args);
    command
}

#[test]
fn the_command_lists_its_sources_and_names_the_nearest() {
    let listed = procure(&["fetch", "--list"]).output().unwrap();
    assert!(listed.status.success());
    let text = String::from_utf8(listed.stdout).unwrap();
    for source in SOURCES {
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
fn the_command_fails_by_its_exit_code_and_names_each_file() {
    // The only way to a publisher is through this proxy, which lets nobody through.
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
    let (said, why) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    assert_eq!(output.status.code(), Some(1), "{said} {why}");
    assert!(
        why.contains("error: 1 of 1 files could not be fetched") && why.contains("contracts.csv"),
        "{why}"
    );
    assert!(said.contains("HTTPS_PROXY"), "{said}");
    assert!(said.contains("alberta: there is no open file"), "{said}");
    for licence in ["Canada", "Alberta"] {
        assert!(
            said.contains(&format!("licensed under the Open Government Licence – {licence}.")),
            "{said}"
        );
    }
    let asked = proxy.asked();
    assert_eq!(
        (asked.len(), asked[0].method.as_str(), asked[0].path.as_str()),
        (1, "CONNECT", "open.canada.ca:443")
    );
}

#[test]
fn the_readme_says_what_each_licence_asks_for() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    for source in SOURCES {
        assert!(readme.contains(source.attribution), "{}", source.attribution);
    }
}
