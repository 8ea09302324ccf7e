//! SQLite with the mapping that serves these requests best: records in the order of the answers, full text (FTS5) over
//! their texts, trigrams over the names of vendors, and an index for each order and filter.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufRead, BufReader},
    path::Path,
};

use procure::model::{
    entity_type::EntityType,
    record::Record,
    schema::{Role, Schema},
};
use rusqlite::{Connection, Row, ToSql, params, params_from_iter, types::ValueRef};
use serde_json::Value;

const TABLES: &str = "
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; PRAGMA page_size = 8192;
    CREATE TABLE record (id INTEGER PRIMARY KEY, record_id TEXT, day TEXT, year INTEGER, value REAL, vendor INTEGER,
                         department INTEGER, category TEXT, json BLOB);
    CREATE TABLE vendor (id INTEGER PRIMARY KEY, name TEXT, records INTEGER, total REAL);
    CREATE TABLE department (id INTEGER PRIMARY KEY, name TEXT);
    CREATE VIRTUAL TABLE vendor_part USING fts5(name, content='', tokenize='trigram', columnsize=0);
    CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2', columnsize=0);";

/// Built after the rows, which is faster than with them.
const INDEXES: &str = "
    CREATE UNIQUE INDEX by_record_id ON record (record_id);
    CREATE INDEX by_day ON record (day DESC, id);
    CREATE INDEX by_value ON record (value DESC, id);
    CREATE INDEX by_vendor ON record (vendor, value DESC);
    CREATE INDEX by_department ON record (department, id);
    CREATE INDEX by_category ON record (category, id);
    CREATE INDEX by_records ON vendor (records DESC, name);
    ANALYZE;";

/// A record as a row.
struct Line {
    day: Option<String>,
    record_id: String,
    value: Option<f64>,
    vendor: Option<String>,
    department: Option<String>,
    category: Option<String>,
    text: String,
    json: Vec<u8>,
}

/// The distinct names of a column: the number of each, its records, and the sum of their values.
#[derive(Default)]
struct Names(BTreeMap<String, (i64, i64, f64)>);

impl Names {
    fn add(&mut self, name: Option<&str>, value: Option<f64>) -> Option<i64> {
        let next = self.0.len() as i64;
        let (number, records, total) = self.0.entry(name?.to_owned()).or_insert((next, 0, 0.0));
        *records += 1;
        *total += value.unwrap_or_default();
        Some(*number)
    }
}

pub struct Sqlite(Connection);

impl Sqlite {
    /// Loads the contracts of a folder of dumps into a new file.
    pub fn load(dumps: &Path, file: &Path) -> Sqlite {
        let _ = fs::remove_file(file);
        let mut lines = read(dumps);
        lines.sort_by(|a, b| b.day.cmp(&a.day).then_with(|| a.record_id.cmp(&b.record_id)));
        let mut connection = Connection::open(file).expect("a new database");
        connection.execute_batch(TABLES).expect("new tables");
        let transaction = connection.transaction().expect("a transaction");
        insert(&transaction, &lines);
        transaction.commit().expect("the rows");
        drop(lines);
        connection.execute_batch(INDEXES).expect("indexes");
        Sqlite(connection)
    }

    pub fn open(file: &Path) -> Sqlite {
        let connection = Connection::open(file).expect("the database");
        let settings = "PRAGMA cache_size = -262144; PRAGMA mmap_size = 17179869184;";
        connection.execute_batch(settings).expect("settings");
        Sqlite(connection)
    }

    /// The first column of the rows that a statement finds.
    pub fn rows(&self, sql: &str, parameters: &[impl ToSql]) -> Vec<Vec<u8>> {
        let mut rows = Vec::new();
        self.each(sql, parameters, |row| {
            let mut first = Vec::new();
            write(row.get_ref_unwrap(0), &mut first);
            rows.push(first);
        });
        rows
    }

    /// The rows as the body of an answer: records, or lists of columns.
    pub fn json(&self, sql: &str, parameters: &[impl ToSql]) -> Vec<u8> {
        let mut body = b"{\"results\":[".to_vec();
        let start = body.len();
        self.each(sql, parameters, |row| {
            if body.len() > start {
                body.push(b',');
            }
            let columns = row.as_ref().column_count();
            body.extend(Some(b'[').filter(|_| columns > 1));
            for column in 0..columns {
                body.extend(Some(b',').filter(|_| column > 0));
                write(row.get_ref_unwrap(column), &mut body);
            }
            body.extend(Some(b']').filter(|_| columns > 1));
        });
        body.extend_from_slice(b"]}");
        body
    }

    fn each(&self, sql: &str, parameters: &[impl ToSql], mut take: impl FnMut(&Row)) {
        let mut statement = self.0.prepare_cached(sql).expect("a valid statement");
        let mut rows = statement.query(params_from_iter(parameters)).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            take(row);
        }
    }
}

/// Appends a value as JSON; a record is JSON already.
fn write(value: ValueRef, json: &mut Vec<u8>) {
    let other = match value {
        ValueRef::Blob(record) => return json.extend_from_slice(record),
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::from(number),
        ValueRef::Real(number) => Value::from(number),
        ValueRef::Text(text) => Value::from(String::from_utf8_lossy(text)),
    };
    serde_json::to_writer(json, &other).expect("a value");
}

fn read(dumps: &Path) -> Vec<Line> {
    let schema = Schema::of(EntityType::Contract);
    let mut lines = Vec::new();
    for entry in fs::read_dir(dumps.join("contract")).expect("contracts") {
        let file = File::open(entry.expect("a dump").path()).expect("a dump");
        for json in BufReader::with_capacity(1 << 20, file).split(b'\n') {
            let json = json.expect("a line");
            let record = Record::parse(schema, &json).expect("a record");
            let first = |role: Role| record.keys(role).first().map(|key| key.to_string());
            lines.push(Line {
                day: record.date(Role::Date).map(|day| day.to_string()),
                record_id: record.id().to_owned(),
                value: record.value(),
                vendor: first(Role::Vendor),
                department: first(Role::Department),
                category: first(Role::Category),
                text: record.texts(Role::Text).collect::<Vec<_>>().join("\n"),
                json: json.clone(),
            });
        }
    }
    lines
}

fn insert(connection: &Connection, lines: &[Line]) {
    let (mut vendors, mut departments) = (Names::default(), Names::default());
    let row = "INSERT INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let mut row = connection.prepare(row).expect("a valid statement");
    let text = "INSERT INTO words (rowid, text) VALUES (?1, ?2)";
    let mut text = connection.prepare(text).expect("a valid statement");
    for (number, line) in lines.iter().enumerate() {
        let vendor = vendors.add(line.vendor.as_deref(), line.value);
        let department = departments.add(line.department.as_deref(), None);
        let year = line.day.as_ref().and_then(|day| day[..4].parse::<i64>().ok());
        let id = number as i64;
        let Line {
            day,
            record_id,
            value,
            category,
            json,
            ..
        } = line;
        let values = params![id, record_id, day, year, value, vendor, department, category, json];
        row.execute(values).expect("a row");
        text.execute(params![id, line.text]).expect("a text");
    }
    for (name, (number, records, total)) in &vendors.0 {
        let vendor = params![number, name, records, total];
        let inserted = connection.execute("INSERT INTO vendor VALUES (?1, ?2, ?3, ?4)", vendor);
        inserted.expect("a vendor");
        let part = params![number, name];
        let inserted = connection.execute("INSERT INTO vendor_part (rowid, name) VALUES (?1, ?2)", part);
        inserted.expect("a name");
    }
    for (name, (number, ..)) in &departments.0 {
        let inserted = connection.execute("INSERT INTO department VALUES (?1, ?2)", params![number, name]);
        inserted.expect("a department");
    }
}
