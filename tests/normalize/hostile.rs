//! Files that were made to keep a run busy or to fill the memory: each is named in the report, and
//! the rest of the run goes on.

use std::{
    fs,
    io::Write,
    os::unix::net::UnixListener,
    path::Path,
    process::{Command, Stdio},
};

use flate2::{Compression, write::GzEncoder};

use super::{Workspace, assert_balanced, fixture, memory::peak_memory, skipped, zipped};

fn named_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Runs the command on the folder of inputs and returns what it printed.
fn printed(workspace: &Workspace, options: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_procure"))
        .arg("normalize")
        .arg("--out")
        .arg(workspace.out())
        .args(options)
        .arg(workspace.folder.path().join("in"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn pipes_sockets_and_devices_are_left_out_without_waiting() {
    let workspace = Workspace::with_fixtures(&["disclosure.csv"]);
    let input = |name: &str| workspace.folder.path().join("in").join(name);
    named_pipe(&input("pipe.csv"));
    let _listener = UnixListener::bind(input("socket.csv")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", input("device.csv")).unwrap();
    std::os::unix::fs::symlink(input("pipe.csv"), input("link.csv")).unwrap();
    let (is_ok, text) = printed(&workspace, &[]);
    assert!(is_ok, "{text}");
    for sentence in [
        "pipe.csv is a named pipe, not a regular file",
        "link.csv is a named pipe, not a regular file",
        "socket.csv is a socket, not a regular file",
        "device.csv is a device, not a regular file",
        "warning: 4 of 5 files are damaged or not recognized",
    ] {
        assert!(text.contains(sentence), "{text}");
    }
    assert_eq!(workspace.records("disclosure/disclosure").len(), 2);
    let (is_ok, text) = printed(&workspace, &["--strict"]);
    assert!(!is_ok && text.contains("not a regular file"), "{text}");
}

#[test]
fn a_report_goes_to_a_pipe_only_if_it_is_read() {
    let workspace = Workspace::with_fixtures(&["disclosure.csv"]);
    let pipe = workspace.folder.path().join("pipe");
    named_pipe(&pipe);
    let (is_ok, text) = printed(&workspace, &["--report", pipe.to_str().unwrap()]);
    assert!(
        !is_ok && text.contains("it is a named pipe that no process reads"),
        "{text}"
    );
    let (is_ok, text) = printed(&workspace, &["--report", "/dev/stdout"]);
    assert!(is_ok && text.contains("\"source_id\": \"disclosure\""), "{text}");
}

#[test]
fn names_of_files_and_members_do_not_reach_a_terminal() {
    let workspace = Workspace::with_fixtures(&["disclosure.csv"]);
    workspace.put("x.zip", &zipped(&[("a\u{1b}[31m\u{1b}]0;t\u{7}.csv", b"no format")]));
    workspace.put("x\ny: fake line.csv", b"no format");
    workspace.put("\u{202e}vsc.x", b"no format");
    let (_, text) = printed(&workspace, &[]);
    let is_raw = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!text.contains(is_raw) && !text.contains("\ny: fake"), "{text:?}");
    for shown in [
        "a\\u{1b}[31m\\u{1b}]0;t\\u{7}.csv",
        "x\\u{a}y: fake line.csv",
        "\\u{202e}vsc.x",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
}

/// The archive with `change` made to each entry of its directory.
fn with_directory(mut zip: Vec<u8>, change: impl Fn(&mut [u8])) -> Vec<u8> {
    let at: Vec<usize> = (0..zip.len() - 4)
        .filter(|at| zip[*at..].starts_with(b"PK\x01\x02"))
        .collect();
    for at in at {
        change(&mut zip[at..]);
    }
    zip
}

/// An archive of many members that all have the bytes of the first one.
#[test]
fn members_that_overlap_are_refused() {
    let body = fixture("disclosure.csv");
    let names: Vec<String> = (0..50).map(|number| format!("{number:02}.csv")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), body.as_slice())).collect();
    // The place of a member's header is at byte 42 of its entry.
    let overlapping = with_directory(zipped(&members), |entry| entry[42..46].fill(0));
    let workspace = Workspace::with_fixtures(&["seao-avis-2018.xml"]);
    workspace.put("bomb.zip", &overlapping);
    let report = workspace.run();
    assert_eq!(report.unrecognized.len(), 1, "{report}");
    let why = &report.unrecognized[0].why;
    assert_eq!(
        why,
        "is a zip archive whose members overlap, so it was made to unpack without end"
    );
    assert!(workspace.dumps().contains_key("tender/seao-xml.ndjson"));
}

#[test]
fn archives_that_unpack_without_end_are_named_and_the_rest_is_read() {
    // One byte of the file gives about 1,000.
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    gz.write_all(&fixture("disclosure.csv")).unwrap();
    let row = format!("\"{}\"\r\n", "x".repeat(8 << 20));
    (0..14).for_each(|_| gz.write_all(row.as_bytes()).unwrap());
    let gz = gz.finish().unwrap();
    let blank: Vec<u8> = vec![b'\n'; 50 << 20];
    let zip = zipped(&[("a.csv", &blank), ("b.csv", &blank)]);
    let csv = fixture("disclosure.csv");
    // The length of a member is at byte 24 of its entry.
    let forged = with_directory(zipped(&[("a.csv", &csv)]), |entry| {
        entry[24..28].copy_from_slice(&1500_u32.to_le_bytes());
    });
    let workspace = Workspace::with_fixtures(&["seao-avis-2018.xml"]);
    workspace.put("bomb.zip", &zip);
    workspace.put("bomb.csv.gz", &gz);
    workspace.put("forged.zip", &forged);
    let report = workspace.run();
    report.files.iter().for_each(assert_balanced);
    let [bomb] = report.unrecognized.as_slice() else {
        panic!("{report}")
    };
    assert!(bomb.why.starts_with("unpacks to more than"), "{report}");
    for (name, sentence) in [
        ("bomb.csv.gz", "it unpacks to more than"),
        ("forged.zip/a.csv", "File is larger than its declared uncompressed size"),
    ] {
        let file = report.files.iter().find(|file| file.path.ends_with(name)).unwrap();
        let reasons: String = skipped(file).into_iter().map(|(why, ..)| why).collect();
        assert!(file.is_damaged && reasons.contains(sentence), "{report}");
    }
    assert!(workspace.dumps().contains_key("tender/seao-xml.ndjson"));
}

/// The reason for which the only file of a run cannot be read to its end, and the run's memory.
fn damage(name: &str, bytes: &[u8]) -> (String, u64) {
    let workspace = Workspace::new();
    workspace.put(name, bytes);
    let report = workspace.run();
    let [file] = report.files.as_slice() else {
        panic!("{report}")
    };
    assert!(file.is_damaged, "{report}");
    let reasons: String = skipped(file).into_iter().map(|(why, ..)| format!("{why}\n")).collect();
    (reasons, peak_memory(&workspace))
}

/// A row of many tiny values, which would need many times its length once it is parsed.
#[test]
fn a_row_of_too_many_values_ends_the_file_and_needs_little_memory() {
    const LONG: usize = 15 << 20;
    let csv = String::from_utf8(fixture("disclosure.csv")).unwrap();
    let package = "{\"uri\":\"ocds-ec9k95-1\",\"releases\":[{\"ocid\":\"ocds-ec9k95-1\",\"tender\":";
    for (name, bytes) in [
        ("lists.json", format!("{package}[{}[]]}}]}}", "[],".repeat(LONG / 3))),
        (
            "objects.json",
            format!("{package}[{}{{}}]}}]}}", "{\"\":0},".repeat(LONG / 7)),
        ),
        ("open.json", format!("{package}{}", "[".repeat(LONG))),
        ("commas.csv", format!("{csv}{}\r\n", ",".repeat(LONG))),
        (
            "tags.xml",
            format!(
                "<export datefin=\"2018-01-31\"><avis>{}</avis></export>",
                "<a/>".repeat(LONG / 4)
            ),
        ),
    ] {
        let (reasons, peak) = damage(name, bytes.as_bytes());
        assert!(
            reasons.contains("a row has more than 262144 values"),
            "{name}: {reasons}"
        );
        assert!(peak < 100 << 20, "{name}: {} MiB", peak >> 20);
    }
}

#[test]
fn members_between_rows_cannot_fill_the_memory() {
    let filler = "x".repeat(6 << 20);
    let mut json = String::from("{\"uri\":\"ocds-ec9k95-1\"");
    for number in 0..8 {
        json.push_str(&format!(
            ",\"m{number}\":\"{filler}\",\"releases\":[{{\"ocid\":\"ocds-ec9k95-1\"}}]"
        ));
    }
    json.push('}');
    let (reasons, _) = damage("members.json", json.as_bytes());
    assert!(
        reasons.contains("an object holds too much besides its rows"),
        "{reasons}"
    );
}

/// Each award gives a contract with the title of the notice.
#[test]
fn awards_cannot_multiply_a_long_title() {
    let title = "t".repeat(1 << 20);
    let awards = "{\"suppliers\":[{\"name\":\"x\"}]},".repeat(1000);
    let release = format!(
        "{{\"releases\":[{{\"ocid\":\"ocds-ec9k95-1\",\"id\":\"20260728192300\",\"tender\":{{\"title\":\"{title}\"}},\"awards\":[{}]}}]}}",
        awards.trim_end_matches(',')
    );
    let workspace = Workspace::with_fixtures(&["seao-avis-2018.xml"]);
    workspace.put("multiplied.json", release.as_bytes());
    let report = workspace.run();
    let file = report
        .files
        .iter()
        .find(|file| file.path.contains("multiplied"))
        .unwrap();
    assert_eq!(
        skipped(file),
        [("a notice whose contracts together are longer than 64 MiB", 1, 1)]
    );
    assert!(peak_memory(&workspace) < 300 << 20);
}

#[test]
fn a_record_that_no_index_takes_is_left_out() {
    let text = String::from_utf8(fixture("disclosure.csv")).unwrap();
    let long = text.replacen("MERCURY", &"M".repeat(300 << 10), 1);
    assert_ne!(long, text);
    let workspace = Workspace::new();
    workspace.put("long.csv", long.as_bytes());
    let report = workspace.run();
    let reasons = skipped(&report.files[0]);
    let why = "a record of more than 256 KiB, which is longer than an index holds, left out";
    assert!(
        reasons.iter().any(|(reason, count, _)| (*reason, *count) == (why, 1)),
        "{reasons:?}"
    );
    for record in fs::read_to_string(workspace.out().join("disclosure/disclosure.ndjson"))
        .unwrap()
        .lines()
    {
        assert!(record.len() <= 256 << 10);
    }
}
