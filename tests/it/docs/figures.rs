//! Measured figures: `docs/figures/*.json` has what was measured, and the pages show tables of it between markers.
//!
//! Benches and campaigns write the files (`PROCURE_SAVE_FIGURES`). This renders the tables again:
//!
//! ```text
//! PROCURE_UPDATE_DOCS=1 cargo test --test it docs::figures
//! ```

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{pages, root};

const UPDATE: &str = "PROCURE_UPDATE_DOCS";

/// The marker before a rendered table: `FILE.TABLE` follows.
const BEGIN: &str = "<!--figures ";

/// The marker before one figure within a sentence: `FILE|NAME|MEMBER` follows.
const BEGIN_FIGURE: &str = "<!--figure ";

/// The marker after either.
const END: &str = "<!--end-->";

/// One file: what was measured, where, when and how, and the tables that pages show of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figures {
    machine: String,
    /// The day of the measurement.
    date: String,
    /// The command that repeats it; `None` if no single command does.
    command: Option<String>,
    /// The data, and what else the machine did.
    about: String,
    tables: BTreeMap<String, Table>,
    /// Each has a `name`. Members of `A: B` are also the members `B.…` of `A`.
    measured: Vec<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// The head of each column, and its cells: text with `{member}`, `{member:2}` (digits after the point) or
    /// `{member:%}` (a share in percent). A cell of which a member was not measured is empty.
    columns: Vec<(String, String)>,
    rows: Vec<TableRow>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TableRow {
    Name(String),
    /// A name, and what the page calls it.
    Renamed(String, String),
}

impl Figures {
    fn read(path: &Path) -> Figures {
        let text = fs::read_to_string(path).unwrap();
        let figures: Figures =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(
            procure::model::date::Date::parse(&figures.date).is_ok() && !figures.machine.is_empty(),
            "{} needs the date of the measurement and the machine",
            path.display()
        );
        figures
    }

    /// The members of each name.
    fn by_name(&self) -> BTreeMap<&str, BTreeMap<String, &Value>> {
        let mut named: BTreeMap<&str, BTreeMap<String, &Value>> = BTreeMap::new();
        for measured in &self.measured {
            let name = measured["name"].as_str().expect("a name");
            for (member, value) in measured {
                named.entry(name).or_default().insert(member.clone(), value);
                if let Some((whole, part)) = name.rsplit_once(": ") {
                    named
                        .entry(whole)
                        .or_default()
                        .insert(format!("{part}.{member}"), value);
                }
            }
        }
        named
    }

    /// The Markdown of a table.
    fn render(&self, table: &Table) -> Result<String, String> {
        let named = self.by_name();
        let heads: Vec<&str> = table.columns.iter().map(|(head, _)| head.as_str()).collect();
        let mut text = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
        let mut has_value = vec![false; heads.len()];
        for row in &table.rows {
            let (name, shown) = match row {
                TableRow::Name(name) => (name, name),
                TableRow::Renamed(name, shown) => (name, shown),
            };
            let mut members = named
                .get(name.as_str())
                .ok_or(format!("{name:?} was not measured"))?
                .clone();
            let shown = Value::from(shown.as_str());
            members.insert("name".to_owned(), &shown);
            let cells: Vec<String> = table.columns.iter().map(|(_, cell)| fill(cell, &members)).collect();
            for (has_value, cell) in has_value.iter_mut().zip(&cells) {
                *has_value |= !cell.is_empty();
            }
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        match has_value.iter().position(|has_value| !has_value) {
            Some(empty) => Err(format!("no row has a value in the column {:?}", heads[empty])),
            None => Ok(text),
        }
    }

    /// Where the figures come from, in a sentence.
    fn origin(&self) -> String {
        let machine = if self.machine == "any" {
            String::new()
        } else {
            format!(", {}", self.machine)
        };
        let about = if self.about.is_empty() {
            String::new()
        } else {
            format!("; {}", self.about)
        };
        let command = self
            .command
            .as_ref()
            .map(|command| format!(" Command: `{command}`."))
            .unwrap_or_default();
        format!("Measured {}{machine}{about}.{command}", self.date)
    }
}

/// The text of a cell, or nothing if a member is missing.
fn fill(cell: &str, members: &BTreeMap<String, &Value>) -> String {
    let mut text = String::new();
    let mut rest = cell;
    while let Some((before, after)) = rest.split_once('{') {
        let (member, after) = after.split_once('}').expect("a closing brace");
        let (member, form) = member.rsplit_once(':').unwrap_or((member, ""));
        let Some(value) = members.get(member) else {
            return String::new();
        };
        text.push_str(before);
        text.push_str(&match value {
            Value::String(value) => value.clone(),
            value => number(value.as_f64().expect("a number or a text"), form),
        });
        rest = after;
    }
    text + rest
}

/// A number with as many digits as a reader needs, and a comma between thousands.
fn number(value: f64, form: &str) -> String {
    let digits = match form {
        "%" => return format!("{:.1} %", value * 100.0),
        "" if value.fract() == 0.0 || value.abs() >= 10.0 => 0,
        "" if value.abs() >= 1.0 => 1,
        // Two digits that are not leading zeros.
        "" => (1.0 - value.abs().log10().floor()) as usize,
        digits => digits.parse().expect("the number of digits"),
    };
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text.as_str(), None), |(whole, part)| (whole, Some(part)));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    fraction.map_or(grouped.clone(), |fraction| format!("{grouped}.{fraction}"))
}

/// All files, by name without `.json`.
fn files() -> BTreeMap<String, Figures> {
    let entries = fs::read_dir(root().join("docs/figures")).unwrap();
    let files: BTreeMap<String, Figures> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (
                path.file_stem().unwrap().to_str().unwrap().to_owned(),
                Figures::read(&path),
            )
        })
        .collect();
    assert!(files.len() > 5, "too few files of figures were found");
    files
}

/// A page with its tables rendered again, and the names of these tables.
///
/// The first table of a file is followed by where its figures come from.
fn rendered(page: &str, files: &BTreeMap<String, Figures>) -> Result<(String, Vec<String>), String> {
    let mut shown: Vec<String> = Vec::new();
    let mut parts = page.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("-->").ok_or("a marker without its end")?;
        let (_, after) = rest.split_once(END).ok_or(format!("{name}: no {END}"))?;
        let (file, table) = name.split_once('.').ok_or(format!("{name}: FILE.TABLE is needed"))?;
        let figures = files
            .get(file)
            .ok_or(format!("docs/figures/{file}.json does not exist"))?;
        let table = figures
            .tables
            .get(table)
            .ok_or(format!("{file}.json has no table {table}"))?;
        let mut table = figures.render(table).map_err(|error| format!("{name}: {error}"))?;
        if !shown.iter().any(|other| other.split('.').next() == Some(file)) {
            table.push_str(&format!("\n{}\n", figures.origin()));
        }
        text.push_str(&format!("{BEGIN}{name}-->\n{table}{END}{after}"));
        shown.push(name.to_owned());
    }
    Ok((with_figures(&text, files)?, shown))
}

/// A page with the figures within its sentences written again.
fn with_figures(page: &str, files: &BTreeMap<String, Figures>) -> Result<String, String> {
    let mut parts = page.split(BEGIN_FIGURE);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("-->").ok_or("a marker without its end")?;
        let (_, after) = rest.split_once(END).ok_or(format!("{name}: no {END}"))?;
        let [file, measured, member] = name.split('|').collect::<Vec<_>>()[..] else {
            return Err(format!("{name}: FILE|NAME|MEMBER is needed"));
        };
        let figures = files
            .get(file)
            .ok_or(format!("docs/figures/{file}.json does not exist"))?;
        let named = figures.by_name();
        let members = named
            .get(measured)
            .ok_or(format!("{name}: {measured:?} was not measured"))?;
        let figure = fill(&format!("{{{member}}}"), members);
        if figure.is_empty() {
            return Err(format!("{name}: {member} was not measured"));
        }
        text.push_str(&format!("{BEGIN_FIGURE}{name}-->{figure}{END}{after}"));
    }
    Ok(text)
}

#[test]
fn pages_show_the_figures_of_the_files() {
    let files = files();
    let (mut stale, mut shown) = (Vec::new(), Vec::new());
    for (path, page) in pages() {
        let (text, tables) = rendered(&page, &files).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        shown.extend(tables);
        if text == page {
            continue;
        }
        if std::env::var_os(UPDATE).is_some() {
            fs::write(&path, text).unwrap();
        } else {
            stale.push(path);
        }
    }
    assert!(
        stale.is_empty(),
        "{stale:?} differ from docs/figures; write them again with {UPDATE}=1 cargo test --test it docs::figures"
    );
    for (file, figures) in &files {
        for table in figures.tables.keys() {
            let name = format!("{file}.{table}");
            assert!(shown.contains(&name), "no page shows the table {name}");
        }
    }
}

#[test]
fn a_changed_figure_changes_its_page() {
    let mut files = files();
    let page = format!("before\n{BEGIN}overload.bursts-->\n{END}\nafter");
    let (before, _) = rendered(&page, &files).unwrap();
    assert!(before.starts_with("before\n") && before.ends_with("\nafter"));
    let figures = files.get_mut("overload").unwrap();
    figures.measured[0]["p50"] = Value::from(123_456.7);
    let (after, _) = rendered(&before, &files).unwrap();
    assert!(after.contains("| 123,457 |"), "{after}");
    let sentence = format!("{BEGIN_FIGURE}overload|look-ups alone|p50-->9{END} ms");
    let (sentence, _) = rendered(&sentence, &files).unwrap();
    assert!(sentence.contains("-->123,457<!--"), "{sentence}");
    let missing = page.replace("overload.bursts", "overload.nothing");
    assert!(rendered(&missing, &files).is_err());
    files.get_mut("overload").unwrap().measured.clear();
    assert!(rendered(&page, &files).unwrap_err().contains("was not measured"));
}

#[test]
fn numbers_have_as_many_digits_as_a_reader_needs() {
    let written =
        [0.1, 0.003, 0.58, 0.88, 7.24, 23.4, 991.2, 1000.0, 2_097_000.0, -1234.5].map(|value| number(value, ""));
    assert_eq!(
        written,
        [
            "0.10",
            "0.0030",
            "0.58",
            "0.88",
            "7.2",
            "23",
            "991",
            "1,000",
            "2,097,000",
            "-1,234"
        ]
    );
    assert_eq!(
        (number(0.886, "%"), number(1.23, "2")),
        ("88.6 %".to_owned(), "1.23".to_owned())
    );
    let members = BTreeMap::from([("a".to_owned(), &Value::Null)]);
    assert_eq!(
        fill("{b} of {a}", &members),
        "",
        "a cell with a member that was not measured is empty"
    );
}
