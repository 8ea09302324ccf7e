//! How good and how fast the order by relevance is: `PROCURE_REAL_DATA=… cargo bench --bench
//! relevance [-- --records N --dir DIR]`.
//!
//! **Known items.** Of 2,000 records with a title, two or three of the rarer words of the title are
//! searched for: how often is the record among the first ten? The same for SQLite FTS5 with its
//! `bm25`, on the same folded words of the same fields, and with words of the title counted ten
//! times. Words must all occur, in both; here inflected forms match too, which makes it harder. The
//! records are the publishers' real files that `PROCURE_REAL_DATA` names; without it, generated ones.
//!
//! **Time.** The first 50 of the matches of frequent words among N generated contracts.

mod support;

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use procure::{
    catalog::generation::{self, Generation},
    engine::{Deadline, Engine, aggregation::ValueAggregation},
    model::{
        entity_type::EntityType,
        fold::word_list,
        record::Record,
        record_id::record_id,
        schema::{Role, Schema},
    },
    query::{Order, Page, SearchQuery, Sort, SortKey, Start, text::TextQuery},
};
use rusqlite::{Connection, params};
use support::{Arguments, BINARY, Times, index, row, size};

/// How many records are looked for.
const ITEMS: usize = 2000;

/// Among so many hits.
const FIRST: usize = 10;

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    known_items(&dir);
    let generation = open(&index(&dir, records));
    eprintln!("\nthe first 50 by relevance among {records} contracts (ms)");
    times(&*generation.engine);
    space(&index(&dir, records));
}

fn open(index_dir: &Path) -> Generation {
    let id = generation::current(index_dir).expect("an index").expect("a generation");
    generation::open(index_dir, &id).expect("a generation that opens")
}

fn by_relevance(entity_type: EntityType, q: &str) -> SearchQuery {
    SearchQuery {
        text: Some(TextQuery::parse(q).expect("a query")),
        sort: Sort {
            key: SortKey::Relevance,
            order: Order::Desc,
        },
        ..SearchQuery::newest(entity_type, Vec::new())
    }
}

fn known_items(dir: &Path) {
    let (dumps, what) = dumps(&dir.join("relevance"));
    let index_dir = dir.join("relevance/index");
    let _ = fs::remove_dir_all(&index_dir);
    procure(&[&"index", &"--dumps", &dumps, &"--index-dir", &index_dir]);
    let generation = open(&index_dir);
    eprintln!("\nknown items among {what}: found among the first {FIRST}, of all that were looked for");
    for entity_type in [EntityType::Contract, EntityType::Tender, EntityType::Disclosure] {
        compare(&*generation.engine, entity_type, &dumps);
    }
}

/// The folder of the dumps, and what they contain.
fn dumps(dir: &Path) -> (PathBuf, &'static str) {
    let out = dir.join("dumps");
    let _ = fs::remove_dir_all(&out);
    match std::env::var_os("PROCURE_REAL_DATA") {
        Some(real) => {
            let raw = PathBuf::from(real).join("raw");
            procure(&[&"normalize", &"--out", &out, &raw]);
            (out, "the real files")
        }
        None => {
            procure(&[&"sample", &"--seed", &"1", &"--records", &"50000", &"--out", &out]);
            (out, "generated records (PROCURE_REAL_DATA names no real files)")
        }
    }
}

fn procure(arguments: &[&dyn AsRef<std::ffi::OsStr>]) {
    let status = Command::new(BINARY)
        .args(arguments)
        .status()
        .expect("starting the binary");
    assert!(status.success(), "procure failed");
}

/// A record that is looked for, and the words.
struct Item {
    record_id: String,
    words: Vec<String>,
}

/// The words of a record: those of its titles, one list a title, and those of all texts that `q` searches.
struct Words {
    record_id: String,
    titles: Vec<Vec<String>>,
    all: Vec<String>,
}

fn compare(engine: &dyn Engine, entity_type: EntityType, dumps: &Path) {
    let records = read(entity_type, dumps);
    let items = items(&records);
    if items.is_empty() {
        return;
    }
    let ours = items.iter().filter(|item| {
        let query = by_relevance(entity_type, &item.words.join(" "));
        let page = Page {
            limit: FIRST,
            start: Start::Offset(0),
        };
        let hits = engine.search(&query, &page, Deadline::never()).expect("hits");
        let mut ids = hits.records.iter().filter_map(|record| record_id(record));
        ids.any(|id| id == item.record_id)
    });
    let share = |found: usize| found as f64 / items.len() as f64;
    let ours = share(ours.count());
    let sqlite = sqlite(&records);
    row(
        entity_type.name(),
        &[
            ("records", records.len() as f64),
            ("items", items.len() as f64),
            ("procure", ours),
            ("fts5", share(found_by_sqlite(&sqlite, &items, "bm25(texts)"))),
            (
                "fts5_title_10",
                share(found_by_sqlite(&sqlite, &items, "bm25(texts, 10, 1)")),
            ),
        ],
    );
}

/// The records in the default order.
fn read(entity_type: EntityType, dumps: &Path) -> Vec<Words> {
    let schema = Schema::of(entity_type);
    let mut dated = Vec::new();
    let Ok(files) = fs::read_dir(dumps.join(entity_type.name())) else {
        return Vec::new();
    };
    for file in files {
        let text = fs::read_to_string(file.expect("a dump").path()).expect("a dump that can be read");
        for line in text.lines() {
            let record = Record::parse(schema, line.as_bytes()).expect("a record");
            let words = Words {
                record_id: record.id().to_owned(),
                titles: record.texts(Role::Title).map(word_list).collect(),
                all: record.texts(Role::Text).flat_map(word_list).collect(),
            };
            dated.push((record.date(Role::Date), words));
        }
    }
    dated.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.record_id.cmp(&y.record_id)));
    dated.into_iter().map(|(_, words)| words).collect()
}

/// Two or three of the rarer half of the words of a title, in the order of the title.
fn items(records: &[Words]) -> Vec<Item> {
    let mut frequencies: HashMap<&str, u32> = HashMap::new();
    for record in records {
        let mut words: Vec<&str> = record.all.iter().map(String::as_str).collect();
        words.sort_unstable();
        words.dedup();
        for word in words {
            *frequencies.entry(word).or_default() += 1;
        }
    }
    let mut random = Random(7);
    let mut titled: Vec<(&Words, Vec<&String>)> = Vec::new();
    for record in records {
        for title in &record.titles {
            let mut words: Vec<&String> = Vec::new();
            for word in title.iter().filter(|word| word.chars().nth(1).is_some()) {
                if !words.contains(&word) {
                    words.push(word);
                }
            }
            if words.len() > 1 {
                titled.push((record, words));
                break;
            }
        }
    }
    let mut items = Vec::new();
    while items.len() < ITEMS && !titled.is_empty() {
        let (record, words) = titled.swap_remove(random.below(titled.len()));
        let mut rarer = words.clone();
        rarer.sort_by_key(|word| frequencies[word.as_str()]);
        rarer.truncate(words.len().div_ceil(2).max(3));
        let wanted = 2 + random.below(2);
        while rarer.len() > wanted {
            rarer.swap_remove(random.below(rarer.len()));
        }
        let words = words.into_iter().filter(|word| rarer.contains(word)).cloned();
        items.push(Item {
            record_id: record.record_id.clone(),
            words: words.collect(),
        });
    }
    items
}

/// The same words in SQLite, in the same order: `bm25` adds up over the columns, so the fields need no
/// columns of their own.
fn sqlite(records: &[Words]) -> Connection {
    let mut connection = Connection::open_in_memory().expect("a database");
    let table = "CREATE VIRTUAL TABLE texts USING fts5(title, others, tokenize = \"unicode61 tokenchars '&'\")";
    connection.execute(table, []).expect("FTS5");
    let transaction = connection.transaction().expect("a transaction");
    for (number, record) in records.iter().enumerate() {
        let title = record.titles.concat();
        let mut others = record.all.clone();
        for word in &title {
            if let Some(at) = others.iter().position(|other| other == word) {
                others.remove(at);
            }
        }
        let insert = "INSERT INTO texts (rowid, title, others) VALUES (?, ?, ?)";
        let row = params![number as i64, title.join(" "), others.join(" ")];
        transaction
            .prepare_cached(insert)
            .expect("SQL")
            .execute(row)
            .expect("a row");
    }
    transaction.commit().expect("a commit");
    // The number of a record is its row; the id is looked up in a table of its own.
    connection.execute("CREATE TABLE ids (id TEXT)", []).expect("a table");
    let transaction = connection.transaction().expect("a transaction");
    for (number, record) in records.iter().enumerate() {
        let insert = "INSERT INTO ids (rowid, id) VALUES (?, ?)";
        let row = params![number as i64, record.record_id];
        transaction
            .prepare_cached(insert)
            .expect("SQL")
            .execute(row)
            .expect("a row");
    }
    transaction.commit().expect("a commit");
    connection
}

fn found_by_sqlite(connection: &Connection, items: &[Item], score: &str) -> usize {
    let sql = format!(
        "SELECT (SELECT id FROM ids WHERE ids.rowid = texts.rowid) FROM texts WHERE texts MATCH ? \
         ORDER BY {score}, texts.rowid LIMIT {FIRST}"
    );
    let mut statement = connection.prepare(&sql).expect("SQL");
    let found = items.iter().filter(|item| {
        let quoted: Vec<String> = item.words.iter().map(|word| format!("\"{word}\"")).collect();
        let rows = statement.query_map([quoted.join(" ")], |row| row.get::<_, String>(0));
        let ids: Vec<String> = rows.expect("hits").collect::<Result<_, _>>().expect("ids");
        ids.contains(&item.record_id)
    });
    found.count()
}

/// A small generator: the items are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end as u64) as usize
    }
}

fn times(engine: &dyn Engine) {
    for (q, offset) in [
        ("services", 0),
        ("services entretien", 0),
        ("services OR travaux OR entretien", 0),
        ("services de la ville", 0),
        ("\"snow removal\"", 0),
        ("services -entretien", 0),
        ("services", 9950),
        ("services entretien", 9950),
    ] {
        let query = by_relevance(EntityType::Contract, q);
        let counted = engine.aggregate(&query, &[], ValueAggregation::None, Deadline::never());
        let matches = counted.expect("a count").total;
        let page = Page {
            limit: 50,
            start: Start::Offset(offset),
        };
        let times = Times::of(|| drop(engine.search(&query, &page, Deadline::never()).expect("hits")));
        row(
            &format!("{q}, 50 from {offset}"),
            &[
                ("matches", matches as f64),
                ("p50", times.percentile(50)),
                ("p95", times.percentile(95)),
            ],
        );
    }
    for word in ["deneigemnet", "serivces", "construcsion"] {
        let words = [word.to_owned()];
        let near = || {
            engine
                .near_words(EntityType::Contract, &words, 5, Deadline::never())
                .expect("words")
        };
        let found = near()[0].len() as f64;
        let times = Times::of(|| drop(near()));
        let figures = [
            ("found", found),
            ("p50", times.percentile(50)),
            ("p95", times.percentile(95)),
        ];
        row(&format!("words near {word}"), &figures);
    }
}

/// The bytes of the index, in all and without the records.
fn space(index_dir: &Path) {
    let id = generation::current(index_dir).expect("an index").expect("a generation");
    let folder = index_dir.join(id);
    let records = size(&folder.join("contract/records.ndjson")) as f64;
    row(
        "bytes of the index",
        &[("all", size(&folder) as f64), ("records", records)],
    );
}
