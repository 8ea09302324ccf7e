//! The speed of `procure normalize` compared with that of the parsers alone: `cargo bench --bench
//! normalize [-- --mb N --dir DIR]`.
//!
//! There is one file per format: a publisher's real file if `PROCURE_REAL_DATA` names a folder of
//! them, else a fixture. It is repeated to N MB, with other numbers in each copy, so that the
//! copies are other contracts. The binary runs as a user runs it. The baselines use the same parser
//! crates on the same bytes, in the same run, on one core:
//!
//! - `bare_parse`: parsing only. `csv` fills one `StringRecord` repeatedly, `quick-xml` returns
//!   borrowed events, `serde_json` makes a `Value`.
//! - `values`: a `Value` for each CSV row and each child of the XML root, with names; for JSON the
//!   same as `bare_parse`.
//! - `floor`: `bare_parse`, and `serde_json` writing as many bytes as the dumps have from records
//!   in memory.
//!
//! `times_…` is the elapsed time on all cores divided by the baseline, as a user sees it.
//! `cpu_times_…` is the processor time divided by the baseline; other work on the machine affects
//! it less. The last row compares two files with one.

mod support;

use std::{
    fs::{self, File},
    hint::black_box,
    io::{BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use quick_xml::events::Event;
use serde_json::{Map, Value, map::Entry};
use support::{Arguments, BINARY, Usage, row, size, usage, watch};

/// The syntax of a file, which decides how it is repeated and parsed.
#[derive(Clone, Copy)]
enum Syntax {
    Csv,
    Xml,
    Json,
}

/// A name, the syntax, a real file in `raw/`, and the fixture that replaces it.
const FILES: [(&str, Syntax, &str, &str); 5] = [
    (
        "toronto",
        Syntax::Csv,
        "toronto/awarded-20260822.csv",
        "toronto-awarded.csv",
    ),
    (
        "canadabuys",
        Syntax::Csv,
        "canadabuys/2024-2025-contractHistory-contratsOctroyes.csv",
        "canadabuys-contract.csv",
    ),
    (
        "disclosure",
        Syntax::Csv,
        "disclosure/search-export-us-goods-2023-2026.csv",
        "disclosure-export.csv",
    ),
    (
        "seao-xml",
        Syntax::Xml,
        "seao-xml/Avis_20160101_20160131.xml",
        "seao-avis-2018.xml",
    ),
    (
        "seao-ocds",
        Syntax::Json,
        "seao-ocds/hebdo_20260914_20260920.json",
        "seao-ocds-hebdo.json",
    ),
];

/// How often a baseline is repeated: one pass takes only a few clock ticks of the system.
const PASSES: u32 = 5;

/// Number of records that the baseline `floor` writes repeatedly.
const RECORDS: usize = 5_000;

fn main() {
    let Arguments { megabytes, dir, .. } = Arguments::parse();
    let dir = dir.join("normalize");
    for (name, syntax, real, fixture) in FILES {
        let file = make_input(&dir, name, syntax, &source(real, fixture), megabytes);
        let bytes = fs::metadata(&file).expect("the input").len() as f64 / 1e6;
        let bare = seconds_per_pass(|| bare_parse(syntax, &file));
        let values = match syntax {
            Syntax::Json => bare,
            Syntax::Csv => seconds_per_pass(|| csv_values(&file)),
            Syntax::Xml => seconds_per_pass(|| xml_values(&file)),
        };
        let (seconds, one) = normalize(&dir, &[&file]);
        let floor = bare + bare_write(&dir);
        row(
            &format!("normalize {name}"),
            &[
                ("mb", bytes),
                ("seconds", seconds),
                ("cpu_seconds", one.cpu_seconds),
                ("cores_used", one.cpu_seconds / seconds),
                ("bare_parse_seconds", bare),
                ("values_seconds", values),
                ("floor_seconds", floor),
                ("times_bare_parse", seconds / bare),
                ("times_values", seconds / values),
                ("times_floor", seconds / floor),
                ("cpu_times_bare_parse", one.cpu_seconds / bare),
                ("cpu_times_values", one.cpu_seconds / values),
                ("cpu_times_floor", one.cpu_seconds / floor),
                ("mb_per_cpu_second", bytes / one.cpu_seconds),
                ("peak_mb", one.peak_mb),
            ],
        );
    }
    two_files(&dir, megabytes);
}

/// Compares two files of one source with one: elapsed time and the number of cores used.
fn two_files(dir: &Path, megabytes: u64) {
    let (name, syntax, real, fixture) = FILES[0];
    let first = make_input(dir, name, syntax, &source(real, fixture), megabytes);
    let second = dir.join("toronto-2.input");
    fs::copy(&first, &second).expect("a second file");
    let (alone, one) = normalize(dir, &[&first]);
    let (together, two) = normalize(dir, &[&first, &second]);
    row(
        "two files against one",
        &[
            ("seconds_one", alone),
            ("seconds_two", together),
            ("cores_used_one", one.cpu_seconds / alone),
            ("cores_used_two", two.cpu_seconds / together),
        ],
    );
}

/// Processor time of one pass.
fn seconds_per_pass(mut pass: impl FnMut()) -> f64 {
    cpu_seconds(|| (0..PASSES).for_each(|_| pass())) / f64::from(PASSES)
}

fn source(real: &str, fixture: &str) -> Vec<u8> {
    let real = std::env::var_os("PROCURE_REAL_DATA").map(|folder| Path::new(&folder).join("raw").join(real));
    let fixture = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures")).join(fixture);
    let path = real.filter(|path| path.exists()).unwrap_or(fixture);
    fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

fn normalize(dir: &Path, files: &[&PathBuf]) -> (f64, Usage) {
    let out = dir.join("dumps");
    let _ = fs::remove_dir_all(&out);
    let child = Command::new(BINARY)
        .arg("normalize")
        .arg("--out")
        .arg(&out)
        .args(files)
        .stdout(Stdio::null())
        .spawn()
        .expect("starting the binary");
    watch(child)
}

fn open(path: &Path) -> BufReader<File> {
    BufReader::with_capacity(64 << 10, File::open(path).expect("the input"))
}

fn xml(path: &Path) -> quick_xml::Reader<BufReader<File>> {
    let mut reader = quick_xml::Reader::from_reader(open(path));
    reader.config_mut().allow_dangling_amp = true;
    reader
}

fn csv_values(path: &Path) {
    let mut rows = csv::ReaderBuilder::new().flexible(true).from_reader(open(path));
    let names = rows.headers().expect("a header").clone();
    for row in rows.records() {
        let row = row.expect("a row");
        let cells = names.iter().zip(&row);
        let value: Map<String, Value> = cells.map(|(name, cell)| (name.to_owned(), cell.into())).collect();
        black_box(value);
    }
}

fn xml_values(path: &Path) {
    let (mut reader, mut buffer) = (xml(path), Vec::new());
    let mut is_root = true;
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).expect("an event") {
            Event::Start(_) if is_root => is_root = false,
            Event::Start(_) => {
                black_box(content(&mut reader, &mut buffer));
            }
            Event::Eof => return,
            _ => {}
        }
    }
}

/// The content of an XML element: its text, or its child elements by name; several of one name
/// become an array.
fn content<R: BufRead>(reader: &mut quick_xml::Reader<R>, buffer: &mut Vec<u8>) -> Value {
    let (mut elements, mut text) = (Map::new(), String::new());
    loop {
        buffer.clear();
        match reader.read_event_into(buffer).expect("an event") {
            Event::Start(start) => {
                let name = start.local_name().as_ref().to_owned();
                let content = content(reader, buffer);
                match elements.entry(name) {
                    Entry::Vacant(first) => {
                        first.insert(content);
                    }
                    Entry::Occupied(mut known) => match known.get_mut() {
                        Value::Array(list) => list.push(content),
                        one => *one = vec![one.take(), content].into(),
                    },
                }
            }
            Event::Empty(start) => {
                elements.insert(start.local_name().as_ref().to_owned(), Value::Null);
            }
            Event::Text(part) => text.push_str(&part.xml10_content()),
            Event::GeneralRef(entity) => text.push_str(&entity.xml10_content()),
            Event::End(_) | Event::Eof if elements.is_empty() => return text.into(),
            Event::End(_) | Event::Eof => return elements.into(),
            _ => {}
        }
    }
}

fn bare_parse(syntax: Syntax, path: &Path) {
    match syntax {
        Syntax::Csv => {
            let mut rows = csv::ReaderBuilder::new().flexible(true).from_reader(open(path));
            let mut row = csv::StringRecord::new();
            while rows.read_record(&mut row).expect("a row") {}
        }
        Syntax::Xml => {
            let (mut reader, mut buffer) = (xml(path), Vec::new());
            while !matches!(reader.read_event_into(&mut buffer).expect("an event"), Event::Eof) {
                buffer.clear();
            }
        }
        Syntax::Json => {
            let bytes = fs::read(path).expect("the input");
            black_box(serde_json::from_slice::<Value>(&bytes).expect("JSON"));
        }
    }
}

/// Processor time to only write the dumps of the last run, in seconds.
fn bare_write(dir: &Path) -> f64 {
    let dumps = dir.join("dumps");
    let records = records(&dumps);
    let (mut written, target) = (0, size(&dumps) * u64::from(PASSES));
    let path = dir.join("written");
    let seconds = cpu_seconds(|| {
        while written < target {
            let mut out = BufWriter::with_capacity(256 << 10, File::create(&path).expect("a file to write"));
            for record in &records {
                serde_json::to_writer(&mut out, record).expect("a record written");
                out.write_all(b"\n").expect("a line's end");
            }
            out.flush().expect("the records written");
            written += size(&path);
        }
    });
    seconds * size(&dumps) as f64 / written as f64
}

/// The first records of each dump.
fn records(dumps: &Path) -> Vec<Map<String, Value>> {
    let mut records = Vec::new();
    for folder in fs::read_dir(dumps)
        .expect("the dumps")
        .map(|folder| folder.expect("a folder of dumps").path())
    {
        for dump in fs::read_dir(folder).expect("the dumps of an entity type") {
            let dump = File::open(dump.expect("a dump").path()).expect("a dump");
            let lines = BufReader::new(dump).lines().take(RECORDS);
            records
                .extend(lines.map(|line| serde_json::from_str::<Map<_, _>>(&line.expect("a line")).expect("a record")));
        }
    }
    records
}

/// Processor time that this process spends on `work`.
fn cpu_seconds(work: impl FnOnce()) -> f64 {
    let before = usage(std::process::id()).cpu_seconds;
    work();
    usage(std::process::id()).cpu_seconds - before
}

/// Makes the input file, or returns that of an earlier run with the same size.
fn make_input(dir: &Path, name: &str, syntax: Syntax, source: &[u8], megabytes: u64) -> PathBuf {
    let path = dir.join(format!("{name}-{megabytes}.input"));
    if !path.exists() {
        fs::create_dir_all(dir).expect("a folder for the inputs");
        let temporary = path.with_extension("tmp");
        let file = File::create(&temporary).expect("the input");
        repeat(syntax, source, megabytes, BufWriter::new(file)).expect("writing the input");
        fs::rename(&temporary, &path).expect("renaming the input");
    }
    path
}

fn repeat(syntax: Syntax, source: &[u8], megabytes: u64, mut out: impl Write) -> std::io::Result<()> {
    let after = |text: &[u8], from: usize| {
        from + memchr::memmem::find(&source[from..], text).expect("the text is in the file") + text.len()
    };
    let last = |text: &[u8]| memchr::memmem::rfind(source, text).expect("the text is in the file");
    let (head, tail, between) = match syntax {
        Syntax::Csv => (after(b"\n", 0), source.len(), ""),
        Syntax::Xml => (after(b">", after(b"<export", 0)), last(b"</"), ""),
        Syntax::Json => (after(b"[", after(b"\"releases\"", 0)), last(b"]"), ","),
    };
    out.write_all(&source[..head])?;
    let (mut written, mut copy) = (0, 0);
    while written < megabytes * 1_000_000 {
        if copy > 0 {
            out.write_all(between.as_bytes())?;
        }
        out.write_all(&renumbered(&source[head..tail], copy))?;
        written += (tail - head) as u64;
        copy += 1;
    }
    out.write_all(&source[tail..])?;
    out.flush()
}

/// Adds `copy` to all numbers of at least five digits. The first digit stays, of six or more digits
/// the first two.
fn renumbered(text: &[u8], copy: u64) -> Vec<u8> {
    let mut text = text.to_vec();
    for run in text.chunk_by_mut(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
        if run.len() < 5 || !run[0].is_ascii_digit() {
            continue;
        }
        let kept = if run.len() > 5 { 2 } else { 1 };
        let mut carry = copy;
        for digit in run[kept..].iter_mut().rev() {
            carry += u64::from(*digit - b'0');
            *digit = b'0' + (carry % 10) as u8;
            carry /= 10;
        }
    }
    text
}
