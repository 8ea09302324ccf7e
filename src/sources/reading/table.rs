//! CSV files: a publisher's columns, declared once in tables, walked for every row.
//!
//! A [`CsvFormat`] names the columns that tell the format, those it cannot do without, and one row per field it fills:
//! field, column, and the [`Rule`] that reads it. What a table cannot say (keys, kinds, joined fields) is the
//! format's `draft`. A row that is not as wide as the header is skipped, never guessed at. Lines that begin with `#` before
//! the header are comments.

use std::{borrow::Cow, cell::RefCell, io::Read};

use anyhow::Result;
use csv::{ReaderBuilder, StringRecord};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{entity_type::EntityType, schema::Name};
use crate::sources::{
    Broken, FileFacts, Reader,
    reading::{
        batches::{self, Parsed},
        decode::{STRAY, Utf8},
        fields::{Fields, Held},
        intake::{Draft, Intake, Member, Record, Tally},
        text,
    },
};

/// How a column's text becomes a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Line,
    /// A line, where `NA` too says "nothing".
    LineOrNa,
    Block,
    /// The day of a date or timestamp.
    Day,
    /// A timestamp kept as published, once its day is a real one.
    Moment,
    Money,
    /// A list of codes, joined by `,`.
    Codes,
    /// A list of words, joined by `; `.
    Words,
    /// A postal code without its blank.
    PostalCode,
    Organization,
}

/// A field, the column it comes from, the rule between them.
pub type Column = (&'static str, &'static str, Rule);

pub struct CsvFormat {
    /// The columns that tell this format from all others.
    pub signature: &'static [&'static str],
    /// The columns without which its records would be wrong rather than poor.
    pub required: &'static [&'static str],
    /// Names that columns had in other years, and the ones the tables use.
    pub aliases: &'static [(&'static str, &'static str)],
    pub columns: &'static [&'static [Column]],
    /// The kind of record a row gives.
    pub entity_type: fn(&Row) -> EntityType,
    /// Completes the record the columns gave; `Err` is the reason to skip the row.
    pub draft: fn(&Row, Record) -> Result<Draft, &'static str>,
    /// Which of a group's members stay.
    pub settle: fn(&mut [Member]),
}

/// May change a draft's group, and names the thing whose drafts all go to one group.
pub type Each = fn(&mut Draft) -> Option<String>;

/// Only the newest member stays.
pub fn newest(members: &mut [Member]) {
    if let Some((_, older)) = members.split_last_mut() {
        older.iter_mut().for_each(|member| member.records.clear());
    }
}

impl CsvFormat {
    pub fn recognizes(&self, columns: &[String]) -> bool {
        self.signature
            .iter()
            .all(|name| columns.iter().any(|column| self.canonical(column) == *name))
    }

    pub fn header(&self, names: &[String]) -> Header {
        let mut columns: FxHashMap<String, Place> = FxHashMap::default();
        for (number, name) in names.iter().enumerate() {
            let known = columns.entry(self.canonical(name).to_owned()).or_insert((number, None));
            if known.0 != number {
                known.1 = Some(number);
            }
        }
        let mut filled: Vec<Filled> = Vec::new();
        for (field, column, rule) in self.columns.iter().copied().flatten() {
            let Some(place) = columns.get(*column) else { continue };
            let field = Name::of(field);
            match filled.iter_mut().find(|f| (f.place, f.rule) == (*place, *rule)) {
                Some(same) => same.fields.push(field),
                None => filled.push(Filled {
                    fields: vec![field],
                    column,
                    place: *place,
                    rule: *rule,
                }),
            }
        }
        Header { filled, columns }
    }

    fn canonical<'a>(&self, column: &'a str) -> &'a str {
        let known = self.aliases.iter().find(|(other, _)| *other == column);
        known.map_or(column, |(_, name)| name)
    }
}

/// The columns a file has.
pub struct Header {
    columns: FxHashMap<String, Place>,
    /// What a format's tables say, of the columns that are there.
    filled: Vec<Filled>,
}

/// The fields that a column fills by one rule.
struct Filled {
    fields: Vec<Name>,
    column: &'static str,
    place: Place,
    rule: Rule,
}

/// A column's number, and that of another with its name or its name of other years, which tells where the first is empty.
type Place = (usize, Option<usize>);

/// One row under its header.
pub struct Row<'a> {
    header: &'a Header,
    values: &'a StringRecord,
    pub line: u64,
    pub file: &'a FileFacts,
    notes: RefCell<Vec<String>>,
}

impl<'a> Row<'a> {
    pub fn new(header: &'a Header, values: &'a StringRecord, line: u64, file: &'a FileFacts) -> Row<'a> {
        Row {
            header,
            values,
            line,
            file,
            notes: RefCell::default(),
        }
    }

    /// The column's text as it stands; empty where the file has no such column.
    pub fn raw(&self, column: &str) -> &'a str {
        self.header.columns.get(column).map_or("", |place| self.at(*place))
    }

    fn at(&self, (number, other): Place) -> &'a str {
        let value = self.values.get(number).unwrap_or_default();
        match other {
            Some(other) if value.trim().is_empty() => self.values.get(other).unwrap_or_default(),
            _ => value,
        }
    }

    pub fn line_of(&self, column: &str) -> Option<Cow<'a, str>> {
        text::as_line(self.raw(column))
    }

    /// What two fields of one column find odd is odd once.
    pub fn note(&self, what: String) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&what) {
            notes.push(what);
        }
    }

    /// What the text of a column is by a rule.
    fn value(&self, column: &str, raw: &'a str, rule: Rule) -> Option<Held<'a>> {
        match rule {
            Rule::Line => text::as_line(raw).map(Held::from),
            Rule::LineOrNa => text::as_line(raw).filter(|line| line != "NA").map(Held::from),
            Rule::Block => text::block(raw).map(Held::from),
            Rule::Day => self.day_in(column, raw).map(Held::from),
            Rule::Moment => self.day_in(column, raw).and(text::as_line(raw)).map(Held::from),
            Rule::Money => self.money_in(column, raw).map(Held::from),
            Rule::Codes => text::joined(text::list(raw), ",").map(Held::from),
            Rule::Words => text::joined(text::list(raw), "; ").map(Held::from),
            Rule::PostalCode => text::postal_code(raw).map(Held::from),
            Rule::Organization => text::organization(raw).map(Held::from),
        }
    }

    pub fn money(&self, column: &str) -> Option<f64> {
        self.money_in(column, self.raw(column))
    }

    fn day_in<'t>(&self, column: &str, raw: &'t str) -> Option<Cow<'t, str>> {
        text::day(raw).unwrap_or_else(|_| {
            self.note(format!("impossible date in {column}, left out"));
            None
        })
    }

    fn money_in(&self, column: &str, raw: &str) -> Option<f64> {
        text::amount(raw).unwrap_or_else(|_| {
            self.note(format!("unreadable amount in {column}, left out"));
            None
        })
    }
}

/// Several things under one identifier: the oldest keeps it plain, so that it stays when another is added; the others have
/// their member's name behind it. Of one day the lower amount is the older, whatever row it stands in; one without an
/// amount, or with none to speak of, comes after all that have one.
///
/// Ranks are the file's age, then the day. What an older file tells is no other thing where the newest tells of the day or of the amount: the
/// other one was corrected since.
pub fn number(members: &mut [Member]) {
    let stated = |member: &Member| {
        member
            .records
            .first()
            .and_then(|record| record.number("contract_value"))
    };
    let value = |member: &Member| stated(member).unwrap_or_default();
    members.sort_by_key(|member| member.rank.0);
    let newest = members.last().map(|member| member.rank.0);
    let (older, newer) = members.split_at_mut(members.partition_point(|member| Some(member.rank.0) < newest));
    let amount = |member: &Member| stated(member).map(f64::to_bits);
    let days: FxHashSet<i64> = newer.iter().map(|member| member.rank.1).collect();
    let amounts: FxHashSet<Option<u64>> = newer.iter().map(amount).collect();
    for member in older.iter_mut() {
        if days.contains(&member.rank.1) || amounts.contains(&amount(member)) {
            member.records.clear();
        }
    }
    members.sort_by(|a, b| {
        let (x, y) = (value(a), value(b));
        (a.records.is_empty())
            .cmp(&b.records.is_empty())
            .then((x == 0.0).cmp(&(y == 0.0)))
            .then(a.rank.1.cmp(&b.rank.1))
            .then(x.total_cmp(&y))
            .then_with(|| a.member.cmp(&b.member))
    });
    for member in members.iter_mut().skip(1) {
        for record in &mut member.records {
            let plain = record.text("record_id").unwrap_or_default();
            record.set("record_id", Some(format!("{plain}|{}", member.member)));
        }
    }
}

/// A row as it was parsed, and where.
#[derive(Default)]
struct ParsedRow {
    values: StringRecord,
    line: u64,
    is_repaired: bool,
}

impl Parsed for ParsedRow {
    fn size(&self) -> usize {
        // Where each value ends is kept beside their text.
        self.values.as_slice().len() + self.values.len() * size_of::<usize>()
    }
}

/// A CSV file opened: its first row read, comments before it skipped.
pub struct Opened<'a> {
    pub first: Vec<String>,
    rows: csv::Reader<Utf8<&'a mut dyn Read>>,
    /// Whether the first row is data, to be read again.
    is_data: bool,
}

impl<'a> Opened<'a> {
    pub fn new(input: Utf8<&'a mut dyn Read>) -> Result<Opened<'a>, Broken> {
        let mut rows = ReaderBuilder::new()
            .flexible(true)
            .has_headers(false)
            .from_reader(input);
        let first = first_row(&mut rows).map_err(|error| broken(1, &error))?;
        Ok(Opened {
            first,
            rows,
            is_data: false,
        })
    }

    /// The file with these names for its columns, its first row being data.
    pub fn without_header(self) -> Opened<'a> {
        Opened { is_data: true, ..self }
    }
}

/// The trimmed fields of the first row that is no comment; none where the file has no such row.
pub fn first_row<R: Read>(rows: &mut csv::Reader<R>) -> csv::Result<Vec<String>> {
    let mut values = StringRecord::new();
    while rows.read_record(&mut values)? {
        if !values.get(0).unwrap_or_default().trim_start().starts_with('#') {
            break;
        }
    }
    Ok(values.iter().map(|name| name.trim().to_owned()).collect())
}

/// Whether a row is the header once more, perhaps behind the byte order mark of the file it began.
fn is_header(values: &StringRecord, header: &[String]) -> bool {
    values.len() == header.len() && values.iter().zip(header).all(|(value, name)| unmarked(value) == *name)
}

fn unmarked(name: &str) -> &str {
    match name.trim_start_matches('\u{feff}') {
        same if same.len() == name.len() => name.trim(),
        // Behind the mark, the quotes around the first name are read as part of it.
        name => name.trim_matches('"').trim(),
    }
}

/// The format among a source's that has these columns.
pub fn format_of(formats: &[&'static CsvFormat], columns: &[String]) -> Option<&'static CsvFormat> {
    formats.iter().copied().find(|format| format.recognizes(columns))
}

impl Reader for &'static CsvFormat {
    fn read(&mut self, file: &FileFacts, input: Utf8<&mut dyn Read>, out: &mut Intake) -> Result<(), Broken> {
        let opened = Opened::new(input)?;
        let header = opened.first.clone();
        self.read_rows(file, opened, &header, out)
    }

    fn settle(&mut self, members: &mut [Member], _: &mut [Tally]) {
        (self.settle)(members);
    }
}

/// A source with several formats; their groups are settled alike, by the first one's rule.
impl Reader for &'static [&'static CsvFormat] {
    fn read(&mut self, file: &FileFacts, input: Utf8<&mut dyn Read>, out: &mut Intake) -> Result<(), Broken> {
        let opened = Opened::new(input)?;
        let header = opened.first.clone();
        match format_of(self, &header) {
            Some(format) => format.read_rows(file, opened, &header, out),
            None => Err(Broken::Here {
                line: 1,
                why: "its columns are not known".to_owned(),
            }),
        }
    }

    fn settle(&mut self, members: &mut [Member], _: &mut [Tally]) {
        if let Some(first) = self.first() {
            (first.settle)(members);
        }
    }
}

impl CsvFormat {
    /// Reads the rows of an opened file under the column names of `header`.
    pub fn read_rows(
        &self,
        file: &FileFacts,
        opened: Opened,
        header: &[String],
        out: &mut Intake,
    ) -> Result<(), Broken> {
        self.read_each(file, opened, header, out, |_| None)
    }

    /// [`CsvFormat::read_rows`], every draft passing through `each` on its way, which tells what it must stay together with.
    pub fn read_each(
        &self,
        file: &FileFacts,
        opened: Opened,
        names: &[String],
        out: &mut Intake,
        each: Each,
    ) -> Result<(), Broken> {
        let Opened {
            first,
            mut rows,
            is_data,
        } = opened;
        let header = self.header(names);
        if let Some(missing) = self.required.iter().find(|name| !header.columns.contains_key(**name)) {
            return Err(Broken::Here {
                line: 1,
                why: format!("it has no column '{missing}'"),
            });
        }
        let mut again = is_data.then(|| StringRecord::from(first.as_slice()));
        let next = |row: &mut ParsedRow| {
            rows.get_mut().begin_row();
            let at = rows.position().line();
            match again.take() {
                Some(first) => row.values = first,
                None => match rows.read_record(&mut row.values) {
                    Ok(false) => return Ok(false),
                    Ok(true) => {}
                    Err(error) => return Err(broken(at, &error)),
                },
            }
            row.line = row.values.position().map_or(at, |position| position.line());
            row.is_repaired = rows.get_mut().take_repaired();
            Ok(true)
        };
        batches::draft_each(out, next, |row, out| {
            let ParsedRow {
                values,
                line,
                is_repaired,
            } = row;
            out.row();
            if *is_repaired {
                out.tally.note(*line, STRAY);
            }
            if !is_data && is_header(values, &first) {
                out.tally.skip(*line, "the header again: several files joined in one");
                return Ok(());
            }
            let too_many = (names.len()..values.len()).any(|at| !values[at].trim().is_empty());
            if values.len() < names.len() || too_many {
                out.tally
                    .skip(*line, "the row has another number of fields than the header");
                return Ok(());
            }
            self.take(Row::new(&header, values, *line, file), out, each)
        })
    }

    /// Keeps or skips one row.
    pub fn take(&self, row: Row, out: &mut Intake, each: Each) -> Result<()> {
        match self.draft_of(&row, out.drafts.room()) {
            Ok(mut draft) => match each(&mut draft) {
                Some(thing) => out.keep_together(row.line, &thing, draft),
                None => out.keep(row.line, draft),
            }?,
            Err(reason) => out.tally.skip(row.line, reason),
        }
        for note in row.notes.take() {
            out.tally.note(row.line, &note);
        }
        Ok(())
    }

    fn draft_of(&self, row: &Row, fields: Fields) -> Result<Draft, &'static str> {
        let mut record = Record {
            entity_type: (self.entity_type)(row),
            fields,
        };
        for filled in &row.header.filled {
            // A table fills each field once.
            if let Some(value) = row.value(filled.column, row.at(filled.place), filled.rule) {
                record.fields.push_each(&filled.fields, value);
            }
        }
        record.set("fetched_at", Some(row.file.fetched_at.as_str()));
        (self.draft)(row, record)
    }
}

fn broken(line: u64, error: &csv::Error) -> Broken {
    Broken::Here {
        line,
        why: error.to_string(),
    }
}
