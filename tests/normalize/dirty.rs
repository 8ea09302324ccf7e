//! Every source's own fixture, dirtied: cells replaced by what publishers and accidents put there, bytes flipped, files cut anywhere. Whatever
//! becomes of it keeps the [`promises`].

use std::ops::Range;

use proptest::{prelude::*, sample::Index};

use super::{
    Place, assert_balanced, fixture,
    promises::{FIXTURES, Fixture, hold},
    zipped,
};

/// What a cell may hold instead of what belongs there.
const DIRT: &[&[u8]] = &[
    b"",
    b" ",
    b"\"",
    b"\"\"",
    b"a\"b",
    b"\n",
    b"one\r\n\r\ntwo",
    b"\r",
    b"\0",
    b"\x1b[31m",
    b"\xff\xfe",
    b"d\xe9j\xe0",
    "Ã©tÃ© â€™".as_bytes(),
    "\u{a0}\u{2028}\u{feff}".as_bytes(),
    "🧹 e\u{301}".as_bytes(),
    b",",
    b"|",
    b"#",
    b"*",
    b"*one\n*\n*two\n*one",
    b"<br>",
    b"</avis>",
    b"<![CDATA[",
    b"&",
    b"&#0;",
    b"&#x110000;",
    b"&amp;amp;",
    b"-",
    b"NA",
    b"N/A",
    b"None",
    b"null",
    b"true",
    b"0",
    b"-0",
    b"0.01",
    b"-1234.56",
    b"1e308",
    b"1e999",
    b"NaN",
    b"inf",
    b"99999999999999999999999999",
    b"0.000000000000000000001",
    b"1,2,3",
    b"1,317,169.92 CAD",
    b"$1,000$2,000",
    "3\u{a0}500,25 $".as_bytes(),
    b"0000-00-00",
    b"0018-05-01",
    b"2023-02-29",
    b"9999-12-31",
    b"99999-01-01",
    b"-2024-01-01",
    b"2024-01-01T25:61:61+99:99",
    b"2024-01-31T23:00:00-05:00",
    "2024-01-0\u{661}".as_bytes(),
    b"20249999999999",
    b"[]",
    b"{}",
    b"{\"a\":[{\"b\":null}]}",
];

/// How a format sets a text apart from what is around it.
#[derive(Clone, Copy)]
enum Form {
    Csv,
    Xml,
    Json,
}

impl Form {
    fn of(bytes: &[u8]) -> Form {
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match text.trim_ascii_start().first() {
            Some(b'<') => Form::Xml,
            Some(b'{' | b'[') => Form::Json,
            _ => Form::Csv,
        }
    }

    /// Where the cells behind the first `head` bytes are, quotes included.
    fn cells(self, bytes: &[u8], head: usize) -> Vec<Range<usize>> {
        let (mut cells, mut start, mut quoted, mut escaped) = (Vec::new(), head, false, false);
        for (at, byte) in bytes.iter().enumerate().skip(head) {
            let ends = match (self, byte) {
                (Form::Json, _) if std::mem::take(&mut escaped) => false,
                (Form::Json, b'\\') => {
                    escaped = true;
                    false
                }
                (Form::Csv | Form::Json, b'"') => {
                    quoted = !quoted;
                    false
                }
                _ if quoted => false,
                (Form::Csv, b',' | b'\n') | (Form::Xml, b'<' | b'>') => true,
                (Form::Json, b',' | b':' | b'[' | b']' | b'{' | b'}') => true,
                _ => false,
            };
            if ends {
                cells.push(start..at);
                start = at + 1;
            }
        }
        cells
    }

    /// The text as a publisher's program would have written it.
    fn written(self, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text);
        match self {
            Form::Csv => format!("\"{}\"", text.replace('"', "\"\"")).into_bytes(),
            Form::Xml => text.replace('&', "&amp;").replace('<', "&lt;").into_bytes(),
            Form::Json => serde_json::to_vec(&text).unwrap(),
        }
    }
}

#[derive(Clone, Debug)]
struct Stain {
    cell: Index,
    dirt: Vec<u8>,
    /// Put there as it is, whatever it does to the file.
    bare: bool,
}

fn stain() -> impl Strategy<Value = Stain> {
    let any_text = ".{0,30}".prop_map(String::into_bytes);
    let long = (1usize..20_000).prop_map(|length| b"long ".repeat(length / 5));
    let dirt = prop_oneof![
        8 => prop::sample::select(DIRT).prop_map(<[u8]>::to_vec),
        2 => any_text,
        1 => long,
    ];
    (any::<Index>(), dirt, prop::bool::weighted(0.3)).prop_map(|(cell, dirt, bare)| Stain { cell, dirt, bare })
}

fn stained(fixture: &Fixture, stains: &[Stain]) -> Vec<u8> {
    let mut bytes = fixture.bytes.clone();
    let form = Form::of(&bytes);
    // A head that is the whole file leaves nothing to stain.
    let head = if fixture.head < bytes.len() { fixture.head } else { 0 };
    for Stain { cell, dirt, bare } in stains {
        let cells = form.cells(&bytes, head);
        if cells.is_empty() {
            break;
        }
        let put = if *bare { dirt.clone() } else { form.written(dirt) };
        bytes.splice(cell.get(&cells).clone(), put);
    }
    bytes
}

fn any_fixture() -> impl Strategy<Value = &'static Fixture> {
    any::<Index>().prop_map(|which| which.get(FIXTURES.as_slice()))
}

#[test]
fn a_fixture_alone_keeps_every_promise() {
    for fixture in FIXTURES.iter() {
        let report = hold(&fixture.bytes).unwrap_or_else(|| panic!("{} ends the run", fixture.name));
        assert_eq!(report.files[0].source_id, fixture.source.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn dirty_cells_break_no_promise(fixture in any_fixture(), stains in prop::collection::vec(stain(), 1..5)) {
        hold(&stained(fixture, &stains));
    }

    #[test]
    fn a_file_cut_anywhere_breaks_no_promise(fixture in any_fixture(), at in any::<Index>()) {
        hold(&fixture.bytes[..at.index(fixture.bytes.len())]);
    }

    #[test]
    fn flipped_and_lost_bytes_break_no_promise(
        fixture in any_fixture(),
        edits in prop::collection::vec((any::<Index>(), prop::collection::vec(any::<u8>(), 0..4), 0usize..40), 1..6),
    ) {
        let mut bytes = fixture.bytes.clone();
        for (at, inserted, removed) in edits {
            let from = at.index(bytes.len().max(1)).min(bytes.len());
            let to = (from + removed).min(bytes.len());
            bytes.splice(from..to, inserted);
        }
        hold(&bytes);
    }
}

/// Of XML and JSON every cut there is, as the members of one archive.
#[test]
fn trees_cut_at_every_byte_are_accounted_for() {
    for name in ["seao-avis-2018.xml", "seao-ocds-records.json"] {
        let bytes = fixture(name);
        let names: Vec<String> = (0..bytes.len()).map(|at| format!("{at:06}")).collect();
        let cuts = names.iter().enumerate().map(|(at, name)| (name.as_str(), &bytes[..at]));
        let place = Place::new();
        place.put("cuts.zip", &zipped(&cuts.collect::<Vec<_>>()));
        let report = place.run();
        report.files.iter().for_each(assert_balanced);
        assert_eq!(report.files.len() + report.unrecognized.len(), bytes.len());
    }
}
