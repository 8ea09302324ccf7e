//! Tables of commodity codes and their words as CSV, `scheme,code,title_en,title_fr`: the operator's
//! own, and the one of this program.

use std::{collections::BTreeMap, io::Read, sync::LazyLock};

use csv::{ReaderBuilder, StringRecord};

use crate::model::{
    commodity::{CommodityCode, Scheme},
    commodity_words::{MAX_WORDS_BYTES, Words, code_of},
    stem::Language,
};

/// The words of codes.
pub(crate) type CommodityTable = BTreeMap<CommodityCode, Words>;

const HEADER: [&str; 4] = ["scheme", "code", "title_en", "title_fr"];

/// The codes that this project names, for languages in which no record names them: the first levels of all schemes, and
/// the commonest codes.
pub(crate) static OWN_TITLES: LazyLock<CommodityTable> = LazyLock::new(|| {
    let tables = [FIRST_LEVELS, COMMONEST];
    let rows =
        tables.map(|text| parse(text.as_bytes()).expect("the table is part of the binary, and a test reads every row"));
    rows.into_iter().flatten().collect()
});

const FIRST_LEVELS: &str = include_str!("../../data/commodity_groups.csv");
const COMMONEST: &str = include_str!("../../data/commodity_titles.csv");

/// Whether the words of a code in a language are those of this project. A publisher may have chosen the same.
pub(crate) fn is_own_title(code: &CommodityCode, language: Language, words: &str) -> bool {
    let own = OWN_TITLES.get(code).and_then(|title| title.of(language));
    own == Some(words)
}

/// Reads a table. The error names the line.
pub(crate) fn parse(bytes: &[u8]) -> Result<CommodityTable, String> {
    if ARCHIVES.iter().any(|start| bytes.starts_with(start)) {
        return Err("line 1: is compressed; unpack the file first".to_owned());
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut reader = ReaderBuilder::new()
        .comment(Some(b'#'))
        .has_headers(false)
        .flexible(true)
        // A quote that the last row does not close takes this line break into its cell, where it is refused.
        .from_reader(bytes.chain(&b"\n"[..]));
    let mut row = StringRecord::new();
    let mut lines: BTreeMap<CommodityCode, u64> = BTreeMap::new();
    let mut table = CommodityTable::new();
    let mut has_header = false;
    loop {
        let next = reader.position().line();
        let is_read = reader
            .read_record(&mut row)
            .map_err(|why| format!("line {next}: {}", reason(&why)))?;
        if !is_read {
            break;
        }
        let line = row.position().map_or(next, |position| position.line());
        one_line_each(&row).map_err(|why| format!("line {line}: {why}"))?;
        if !has_header {
            has_header = true;
            if !row.iter().map(str::trim).eq(HEADER) {
                return Err(format!("line {line}: the columns must be {}", HEADER.join(",")));
            }
            continue;
        }
        let (code, words) = parse_row(&row).map_err(|why| format!("line {line}: {why}"))?;
        if let Some(former) = lines.insert(code.clone(), line) {
            return Err(format!("line {line}: the code {code} is on line {former} already"));
        }
        table.insert(code, words);
    }
    if has_header {
        Ok(table)
    } else {
        Err(format!("line 1: is empty; the columns must be {}", HEADER.join(",")))
    }
}

/// The first bytes of gzip and of zip.
const ARCHIVES: [&[u8]; 2] = [b"\x1f\x8b", b"PK\x03\x04"];

/// Refuses what no title or code has. A quote that is not closed takes the rows after it into its cell,
/// so it shows as a line break.
fn one_line_each(row: &StringRecord) -> Result<(), String> {
    for (number, value) in (1..).zip(row) {
        if value.contains(['\n', '\r']) {
            return Err(format!(
                "value {number} has a line break; close its quote, or write it on one line"
            ));
        }
        if let Some(found) = value.chars().find(|c| c.is_control()) {
            return Err(format!(
                "value {number} has the control character {}; remove it",
                found.escape_unicode()
            ));
        }
    }
    Ok(())
}

fn reason(why: &csv::Error) -> String {
    match why.kind() {
        csv::ErrorKind::Utf8 { .. } => "is not UTF-8; save the file as UTF-8".to_owned(),
        _ => why.to_string(),
    }
}

fn parse_row(row: &StringRecord) -> Result<(CommodityCode, Words), String> {
    let values: Vec<&str> = row.iter().map(str::trim).collect();
    let [scheme, code, en, fr] = values[..] else {
        return Err(format!("has {} values instead of {}", values.len(), HEADER.len()));
    };
    let scheme = Scheme::parse(scheme).ok_or_else(|| {
        format!(
            "'{}' is not a scheme; write unspsc, gsin or object",
            scheme.escape_debug()
        )
    })?;
    let code = code_of(scheme, code)?;
    let words = |text: &str| match text.len() {
        0 => Ok(None),
        long if long > MAX_WORDS_BYTES => Err(format!("a title has {long} bytes; the maximum is {MAX_WORDS_BYTES}")),
        _ => Ok(Some(text.to_owned())),
    };
    let words = Words {
        en: words(en)?,
        fr: words(fr)?,
    };
    if words.are_none() {
        return Err("has no title; write title_en, title_fr or both".to_owned());
    }
    Ok((code, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_this_program_name_every_group_in_both_languages() {
        let [groups, commonest] = [FIRST_LEVELS, COMMONEST].map(|text| parse(text.as_bytes()).unwrap());
        assert!(groups.keys().all(|code| code.level() == 1));
        assert!(commonest.keys().all(|code| code.level() > 1));
        for (code, words) in OWN_TITLES.iter() {
            assert!(words.en.is_some() && words.fr.is_some(), "{code}");
        }
        for code in ["unspsc:72", "unspsc:95", "gsin:n70", "gsin:k", "gsin:51", "unspsc:7219"] {
            assert!(OWN_TITLES.keys().any(|known| known.key() == code), "{code}");
        }
    }

    #[test]
    fn a_table_is_read_and_every_error_names_the_line() {
        let table = |rows: &str| parse(format!("scheme,code,title_en,title_fr\n{rows}").as_bytes());
        let read = table("unspsc,72100000,\"Roofs, walls\",Toits\r\ngsin, N7030 ,,Logiciels\n").unwrap();
        let words: Vec<(&str, Option<&str>, Option<&str>)> = read
            .iter()
            .map(|(code, words)| (code.key(), words.en.as_deref(), words.fr.as_deref()))
            .collect();
        assert_eq!(
            words,
            [
                ("unspsc:7210", Some("Roofs, walls"), Some("Toits")),
                ("gsin:n7030", None, Some("Logiciels"))
            ]
        );
        let long = "x".repeat(MAX_WORDS_BYTES + 1);
        for (rows, why) in [
            ("unspsc,72,a", "line 2: has 3 values instead of 4"),
            ("unspsc,72,a,b\ncpv,72,a,b", "line 3: 'cpv' is not a scheme"),
            (
                "unspsc,72,a,b\nunspsc,7a,a,b",
                "line 3: 'unspsc:7a' is not a commodity code; write",
            ),
            (
                "unspsc,\"7\n2\",a,b\nunspsc,72,a,b",
                "line 2: value 2 has a line break; close its quote",
            ),
            (
                "unspsc,72,Road,\"Route\nunspsc,73,Bridge,Pont\n",
                "line 2: value 4 has a line break; close its quote",
            ),
            (
                "unspsc,72,\"Road,Route\r\nunspsc,73,Bridge,Pont\r\n",
                "line 2: value 3 has a line break; close its quote",
            ),
            (
                "unspsc,72,a,b\nunspsc,73,Road,\"Route",
                "line 3: value 4 has a line break; close its quote",
            ),
            (
                "unspsc,72,a\0b,c",
                "line 2: value 3 has the control character \\u{0}; remove it",
            ),
            (
                "unspsc,72,a,b\t",
                "line 2: value 4 has the control character \\u{9}; remove it",
            ),
            (
                "unspsc,72,a,b\nunspsc,72000000,c,d",
                "line 3: the code unspsc:72 is on line 2 already",
            ),
            ("gsin,N7030, ,", "line 2: has no title"),
            (&format!("gsin,N7030,{long},"), "line 2: a title has 401 bytes"),
        ] {
            let error = table(rows).unwrap_err();
            assert!(error.starts_with(why), "{rows}: {error}");
        }
        for (bytes, why) in [
            (&b""[..], "line 1: is empty"),
            (
                b"code,title\n",
                "line 1: the columns must be scheme,code,title_en,title_fr",
            ),
            (
                b"scheme,code,title_en,title_fr\nunspsc,72,\xe9,\n",
                "line 2: is not UTF-8; save",
            ),
            (b"\x1f\x8b\x08\0", "line 1: is compressed; unpack the file first"),
            (b"PK\x03\x04", "line 1: is compressed; unpack the file first"),
            (
                b"scheme,code,title_en,\"title_fr\nunspsc,72,a,b",
                "line 1: value 4 has a line break",
            ),
        ] {
            let error = parse(bytes).unwrap_err();
            assert!(error.starts_with(why), "{error}");
        }
        assert!(
            parse("\u{feff}scheme,code,title_en,title_fr\n".as_bytes())
                .unwrap()
                .is_empty()
        );
    }
}
