//! Damaged fixtures of every source: cells with unexpected content, changed bytes, files cut
//! anywhere. All results must have the properties in `promises`.

use std::ops::Range;

use proptest::{prelude::*, sample::Index};

use super::{
    Workspace, assert_balanced, fixture,
    promises::{FIXTURES, Fixture, check},
    zipped,
};

/// Unexpected content of cells.
const BAD_CELLS: &[&[u8]] = &[
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
    b"CA-",
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

/// The syntax of a file, which decides where cells begin and end.
#[derive(Clone, Copy)]
enum Syntax {
    Csv,
    Xml,
    Json,
}

impl Syntax {
    fn of(bytes: &[u8]) -> Syntax {
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match text.trim_ascii_start().first() {
            Some(b'<') => Syntax::Xml,
            Some(b'{' | b'[') => Syntax::Json,
            _ => Syntax::Csv,
        }
    }

    /// The ranges of the cells after the first `head` bytes, with their quotes.
    fn cells(self, bytes: &[u8], head: usize) -> Vec<Range<usize>> {
        let (mut cells, mut start, mut quoted, mut escaped) = (Vec::new(), head, false, false);
        for (at, byte) in bytes.iter().enumerate().skip(head) {
            let ends = match (self, byte) {
                (Syntax::Json, _) if std::mem::take(&mut escaped) => false,
                (Syntax::Json, b'\\') => {
                    escaped = true;
                    false
                }
                (Syntax::Csv | Syntax::Json, b'"') => {
                    quoted = !quoted;
                    false
                }
                _ if quoted => false,
                (Syntax::Csv, b',' | b'\n') | (Syntax::Xml, b'<' | b'>') => true,
                (Syntax::Json, b',' | b':' | b'[' | b']' | b'{' | b'}') => true,
                _ => false,
            };
            if ends {
                cells.push(start..at);
                start = at + 1;
            }
        }
        cells
    }

    /// The text with quotes and escapes, as a correct program writes it.
    fn escaped(self, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text);
        match self {
            Syntax::Csv => format!("\"{}\"", text.replace('"', "\"\"")).into_bytes(),
            Syntax::Xml => text.replace('&', "&amp;").replace('<', "&lt;").into_bytes(),
            Syntax::Json => serde_json::to_vec(&text).unwrap(),
        }
    }
}

#[derive(Clone, Debug)]
struct CellEdit {
    cell: Index,
    content: Vec<u8>,
    /// Whether the content is inserted without quotes and escapes, which may break the syntax.
    is_raw: bool,
}

fn cell_edit() -> impl Strategy<Value = CellEdit> {
    let any_text = ".{0,30}".prop_map(String::into_bytes);
    let long = (1usize..20_000).prop_map(|length| b"long ".repeat(length / 5));
    let content = prop_oneof![
        8 => prop::sample::select(BAD_CELLS).prop_map(<[u8]>::to_vec),
        2 => any_text,
        1 => long,
    ];
    (any::<Index>(), content, prop::bool::weighted(0.3)).prop_map(|(cell, content, is_raw)| CellEdit {
        cell,
        content,
        is_raw,
    })
}

fn edited(fixture: &Fixture, edits: &[CellEdit]) -> Vec<u8> {
    let mut bytes = fixture.bytes.clone();
    let syntax = Syntax::of(&bytes);
    // If the head is the whole file, edit it too.
    let head = if fixture.head < bytes.len() { fixture.head } else { 0 };
    for CellEdit { cell, content, is_raw } in edits {
        let cells = syntax.cells(&bytes, head);
        if cells.is_empty() {
            break;
        }
        let inserted = if *is_raw {
            content.clone()
        } else {
            syntax.escaped(content)
        };
        bytes.splice(cell.get(&cells).clone(), inserted);
    }
    bytes
}

fn any_fixture() -> impl Strategy<Value = &'static Fixture> {
    any::<Index>().prop_map(|which| which.get(FIXTURES.as_slice()))
}

#[test]
fn an_unchanged_fixture_has_all_properties() {
    for fixture in FIXTURES.iter() {
        let report = check(&fixture.bytes).unwrap_or_else(|| panic!("{} ends the run", fixture.name));
        assert_eq!(report.files[0].source_id, fixture.source.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn files_with_bad_cells_have_all_properties(fixture in any_fixture(), edits in prop::collection::vec(cell_edit(), 1..5)) {
        check(&edited(fixture, &edits));
    }

    #[test]
    fn a_file_cut_anywhere_has_all_properties(fixture in any_fixture(), at in any::<Index>()) {
        check(&fixture.bytes[..at.index(fixture.bytes.len())]);
    }

    #[test]
    fn a_file_with_changed_bytes_has_all_properties(
        fixture in any_fixture(),
        edits in prop::collection::vec((any::<Index>(), prop::collection::vec(any::<u8>(), 0..4), 0usize..40), 1..6),
    ) {
        let mut bytes = fixture.bytes.clone();
        for (at, inserted, removed) in edits {
            let from = at.index(bytes.len().max(1)).min(bytes.len());
            let to = (from + removed).min(bytes.len());
            bytes.splice(from..to, inserted);
        }
        check(&bytes);
    }
}

/// XML and JSON cut at every byte, as the members of one archive.
#[test]
fn rows_of_files_cut_at_every_byte_are_counted_once() {
    for name in ["seao-avis-2018.xml", "seao-ocds-records.json"] {
        let bytes = fixture(name);
        let names: Vec<String> = (0..bytes.len()).map(|at| format!("{at:06}")).collect();
        let cuts = names.iter().enumerate().map(|(at, name)| (name.as_str(), &bytes[..at]));
        let workspace = Workspace::new();
        workspace.put("cuts.zip", &zipped(&cuts.collect::<Vec<_>>()));
        let report = workspace.run();
        report.files.iter().for_each(assert_balanced);
        assert_eq!(report.files.len() + report.unrecognized.len(), bytes.len());
    }
}
