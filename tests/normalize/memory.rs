//! Memory of `procure normalize`: bounded by the largest record, not by the file, except for the
//! spool entry of each row.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use super::{
    Workspace,
    promises::{FIXTURES, Fixture},
};

/// Maximum bytes per row: the spool entry, twice while its list grows, and its place in the order
/// of groups.
const BYTES_PER_ROW: u64 = 400;
/// Difference between two runs in the memory that the allocator keeps.
const SLACK: u64 = 12 << 20;

/// Peak resident memory of the command on the folder of inputs, in bytes.
pub fn peak_memory(workspace: &Workspace) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_procure"))
        .arg("normalize")
        .arg("--out")
        .arg(workspace.out())
        .arg(workspace.folder.path().join("in"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or(0) << 10);
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success());
            return peak;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The fixture with its rows repeated this many times, with different numbers in each copy.
pub fn repeated(fixture: &Fixture, copies: u32) -> Vec<u8> {
    let text = String::from_utf8(fixture.bytes.clone()).unwrap();
    let (head, tail) = match fixture.name.rsplit('.').next() {
        Some("xml") => (text.find("<export").unwrap(), text.rfind("</").unwrap()),
        Some("json") => (text.find("\"releases\"").unwrap(), text.rfind(']').unwrap()),
        _ => (fixture.head, text.len()),
    };
    let opening = match fixture.name.rsplit('.').next() {
        Some("xml") => text[head..].find('>').unwrap() + 1,
        Some("json") => text[head..].find('[').unwrap() + 1,
        _ => 0,
    };
    let between = if fixture.name.ends_with("json") { "," } else { "" };
    let mut file = text.as_bytes()[..head + opening].to_vec();
    for copy in 0..copies {
        if copy > 0 {
            file.write_all(between.as_bytes()).unwrap();
        }
        // The numbers of the fixtures begin so, and the rest of an identifier may be anything.
        let body = text[head + opening..tail].replace("948560", &format!("9{copy:07}"));
        let body = body.replace("ocds-ec9k95-", &format!("ocds-ec9k95-{copy:06}"));
        file.extend(body.replace("CW", &format!("CW{copy:06}-")).into_bytes());
    }
    file.extend_from_slice(&text.as_bytes()[tail..]);
    file
}

#[test]
fn a_file_ten_times_as_long_needs_no_more_memory() {
    if !Path::new("/proc/self/status").exists() {
        eprintln!("skipped: this system does not report the memory of a process");
        return;
    }
    for name in ["canadabuys-contract.csv", "seao-avis-2018.xml", "seao-ocds-hebdo.json"] {
        let fixture = FIXTURES.iter().find(|fixture| fixture.name == name).unwrap();
        let [one, ten] = [200, 2000].map(|copies| {
            let workspace = Workspace::new();
            let file = repeated(fixture, copies);
            workspace.put(name, &file);
            (peak_memory(&workspace), file.len() as u64)
        });
        // All rows of the fixtures are at least this long.
        let rows = ten.1 / 500;
        assert!(ten.0 < one.0 + rows * BYTES_PER_ROW + SLACK, "{name}: {one:?}, {ten:?}");
        eprintln!(
            "{name}: {} MB need {} MB, {} MB need {} MB",
            one.1 >> 20,
            one.0 >> 20,
            ten.1 >> 20,
            ten.0 >> 20
        );
    }
}
