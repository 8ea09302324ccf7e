//! The same data and requests in this engine and in SQLite, in one run: `cargo bench --bench peers [-- --records N]`.
//!
//! Both run in this process, on one thread, and return the bytes of an answer's records, so no row contains HTTP.
//! A request is asked for a hundred words, names or ids in turn, each once, so that no kept answer is measured.
//! `ratio` is SQLite's time divided by ours: above 1, this engine is faster. SQLite does not stem words, so its rows of
//! words find fewer records.

#[path = "peer/sqlite.rs"]
mod sqlite;
mod support;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use bytes::Bytes;
use procure::{
    catalog::generation,
    engine::{
        Deadline, Engine,
        aggregation::{TermsAggregation, ValueAggregation},
    },
    model::{
        date::Date,
        entity_type::EntityType,
        facet::Facet,
        fold::word_list,
        record::{self, Record},
        schema::{Role, Schema},
    },
    query::{Filter, Order, Page, SearchQuery, Sort, SortKey, Start, text::TextQuery},
};
use rusqlite::ToSql;
use sqlite::Sqlite;
use support::{Arguments, BINARY, Times, dumps, row, size, usage, watch};

/// How many different words, names and ids a request is measured with. Each is asked once, because an engine that keeps
/// answers would be measured by its memory otherwise.
const VARIANTS: usize = 100;

const CATEGORY: &str = "CNST";

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let dumps = dumps(&dir, records);
    let (index_dir, file) = (
        dir.join(format!("peers-{records}")),
        dir.join(format!("peers-{records}.sqlite")),
    );
    build(&dumps, &index_dir, &file);
    let id = generation::current(&index_dir)
        .expect("an index")
        .expect("a generation");
    let generation = generation::open(&index_dir, &id).expect("a generation that opens");
    let peers = Peers {
        engine: &*generation.engine,
        sqlite: Sqlite::open(&file),
        records: records as usize,
    };
    let ratios = peers.compare();
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
    row("geometric mean of the ratios", &[("ratio", mean.exp())]);
}

/// Builds both, and compares what that takes.
fn build(dumps: &Path, index_dir: &Path, file: &Path) {
    let _ = fs::remove_dir_all(index_dir);
    let mut index = Command::new(BINARY);
    index
        .arg("index")
        .arg("--dumps")
        .arg(dumps)
        .arg("--index-dir")
        .arg(index_dir);
    let (seconds, used) = watch(index.stdout(Stdio::null()).spawn().expect("starting the binary"));
    let (begun, before) = (Instant::now(), usage(std::process::id()).cpu_seconds);
    drop(Sqlite::load(dumps, file));
    let of_sqlite = begun.elapsed().as_secs_f64();
    let cpu_of_sqlite = usage(std::process::id()).cpu_seconds - before;
    row(
        "build",
        &[
            ("seconds", seconds),
            ("cpu_seconds", used.cpu_seconds),
            ("peak_mb", used.peak_mb),
            ("mb", size(index_dir) as f64 / 1e6),
            ("sqlite_seconds", of_sqlite),
            ("sqlite_cpu_seconds", cpu_of_sqlite),
            ("sqlite_mb", size(file) as f64 / 1e6),
            ("build_ratio", of_sqlite / seconds),
        ],
    );
}

struct Peers<'e> {
    engine: &'e dyn Engine,
    sqlite: Sqlite,
    records: usize,
}

/// A request in both languages: what this engine is asked, and the statement with its parameters.
struct Asked<'s> {
    ours: Box<dyn Fn() -> Vec<Bytes> + 's>,
    sql: &'static str,
    parameters: Vec<Box<dyn ToSql>>,
}

impl Peers<'_> {
    /// Prints a row for each request; the ratios of their medians.
    fn compare(&self) -> Vec<f64> {
        let words = self.words(Role::Text);
        let names = self.words(Role::Vendor);
        vec![
            self.pages("newest 50", &[self.newest()], true),
            self.pages("two words, newest 50", &self.two_words(&words), false),
            self.pages("part of a vendor's name, by value, 50", &self.by_value(&names), false),
            self.pages("department, year and category, newest 50", &self.departments(), true),
            self.pages("500 after a cursor in the middle", &[self.middle()], true),
            self.pages("one record by its id", &self.ids(), true),
            self.names(&names),
            self.statistics(&words),
        ]
    }

    /// Words of the newest records, each once: the first ones are those of most of them.
    fn words(&self, role: Role) -> Vec<String> {
        let mut counts = BTreeMap::<String, usize>::new();
        for json in self.page(&query(None, Vec::new(), SortKey::Date), 2000, Start::Offset(0)) {
            let record = Record::parse(Schema::of(EntityType::Contract), &json).expect("a record");
            let words: BTreeSet<String> = record.texts(role).flat_map(word_list).collect();
            for word in words.into_iter().filter(|word| word.len() > 4 && word.is_ascii()) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let mut words: Vec<(String, usize)> = counts.into_iter().collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.into_iter().map(|(word, _)| word).take(VARIANTS).collect()
    }

    fn newest(&self) -> Asked<'_> {
        Asked {
            ours: Box::new(|| self.page(&query(None, Vec::new(), SortKey::Date), 50, Start::Offset(0))),
            sql: "SELECT json FROM record ORDER BY id LIMIT 50",
            parameters: Vec::new(),
        }
    }

    fn two_words(&self, words: &[String]) -> Vec<Asked<'_>> {
        let pair = |pair: &[String]| {
            let q = pair.join(" ");
            let of_words = query(Some(&q), Vec::new(), SortKey::Date);
            Asked {
                ours: Box::new(move || self.page(&of_words, 50, Start::Offset(0))),
                sql: "SELECT json FROM words JOIN record ON record.id = words.rowid WHERE words MATCH ?1
                      ORDER BY words.rowid LIMIT 50",
                parameters: vec![Box::new(q)],
            }
        };
        words.windows(2).map(pair).collect()
    }

    fn by_value(&self, names: &[String]) -> Vec<Asked<'_>> {
        let name = |name: &String| {
            let of_vendor = query(None, vec![part(Role::Vendor, name)], SortKey::Value);
            Asked {
                ours: Box::new(move || self.page(&of_vendor, 50, Start::Offset(0))),
                sql: "SELECT json FROM record WHERE vendor IN (SELECT rowid FROM vendor_part WHERE name MATCH ?1)
                      AND value IS NOT NULL ORDER BY value DESC, id LIMIT 50",
                parameters: vec![Box::new(format!("\"{name}\""))],
            }
        };
        names.iter().map(name).collect()
    }

    fn departments(&self) -> Vec<Asked<'_>> {
        let year = |department: &'static str, year: i32| {
            let (first, last) = (format!("{year}-01-01"), format!("{year}-12-31"));
            let filters = of_department(department, &first, &last);
            let of_department = query(None, filters, SortKey::Date);
            let category = record::query_key(Role::Category, CATEGORY);
            Asked {
                ours: Box::new(move || self.page(&of_department, 50, Start::Offset(0))),
                sql: "SELECT json FROM record
                      WHERE id BETWEEN (SELECT id FROM record WHERE day <= ?3 ORDER BY day DESC, id LIMIT 1)
                      AND (SELECT id FROM record WHERE day >= ?2 ORDER BY day, id DESC LIMIT 1) AND category = ?4
                      AND +department IN (SELECT id FROM department WHERE name LIKE '%' || ?1 || '%')
                      ORDER BY id LIMIT 50",
                parameters: vec![
                    Box::new(department),
                    Box::new(first),
                    Box::new(last),
                    Box::new(category),
                ],
            }
        };
        let years = |department: &'static str| (2014..=2025).map(move |number| year(department, number));
        ["ville", "centre", "societe"].into_iter().flat_map(years).collect()
    }

    /// The page after the record in the middle.
    fn middle(&self) -> Asked<'_> {
        let page = Page {
            limit: 1,
            start: Start::Offset(self.records / 2),
        };
        let newest = query(None, Vec::new(), SortKey::Date);
        let hits = self.engine.search(&newest, &page, Deadline::never()).expect("hits");
        let next = hits.next.expect("a position in the middle");
        Asked {
            ours: Box::new(move || self.page(&newest, 500, Start::After(next.clone()))),
            sql: "SELECT json FROM record WHERE id > ?1 ORDER BY id LIMIT 500",
            parameters: vec![Box::new((self.records / 2) as i64)],
        }
    }

    fn ids(&self) -> Vec<Asked<'_>> {
        let every = (self.records / VARIANTS).max(1);
        let id = |number: usize| {
            let newest = query(None, Vec::new(), SortKey::Date);
            let record = self.page(&newest, 1, Start::Offset(number * every)).swap_remove(0);
            let id = record::record_id(&record).expect("an id").into_owned();
            let asked = id.clone();
            Asked {
                ours: Box::new(move || {
                    let found = self.engine.record(EntityType::Contract, &asked, Deadline::never());
                    found.expect("a look-up").into_iter().collect()
                }),
                sql: "SELECT json FROM record WHERE record_id = ?1",
                parameters: vec![Box::new(id)],
            }
        };
        (0..VARIANTS).map(id).collect()
    }

    fn page(&self, query: &SearchQuery, limit: usize, start: Start) -> Vec<Bytes> {
        let page = Page { limit, start };
        self.engine
            .search(query, &page, Deadline::never())
            .expect("hits")
            .records
    }

    /// A request for records, in its variants. Where both must find the same ones, they are compared first.
    fn pages(&self, name: &str, variants: &[Asked], is_equal: bool) -> f64 {
        let of_sqlite = |asked: &Asked| {
            let parameters: Vec<&dyn ToSql> = asked.parameters.iter().map(|one| &**one).collect();
            self.sqlite.records(asked.sql, &parameters)
        };
        let ours = Times::of_each(variants, |asked| drop((asked.ours)()));
        let theirs = Times::of_each(variants, |asked| drop(of_sqlite(asked)));
        let mut found = 0;
        for asked in variants {
            let records = (asked.ours)();
            found += records.len();
            let is_same = !is_equal || records.iter().eq(of_sqlite(asked).iter());
            assert!(is_same, "{name}: other records than SQLite");
        }
        assert!(found > 0, "{name} finds nothing");
        compared(name, &ours, &theirs)
    }

    fn names(&self, names: &[String]) -> f64 {
        let ours = |part: &String| {
            let page = self
                .engine
                .list_names(&[EntityType::Contract], Facet::Vendor, part, 0..20, Deadline::never());
            page.expect("names").total as i64
        };
        let of_sqlite = |part: &String| {
            let sql = "SELECT count(*) OVER (), name, records, total FROM vendor
                       WHERE id IN (SELECT rowid FROM vendor_part WHERE name MATCH ?1) ORDER BY records DESC, name LIMIT 20";
            let pattern = format!("\"{part}\"");
            let rows = self.sqlite.rows(sql, &[&pattern], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
            });
            rows.first().map_or(0, |(total, _)| *total)
        };
        let times = Times::of_each(names, |part| {
            ours(part);
        });
        let theirs = Times::of_each(names, |part| {
            of_sqlite(part);
        });
        assert!(
            names.iter().all(|part| ours(part) == of_sqlite(part)),
            "other names than SQLite"
        );
        compared("names of vendors with a part, 20", &times, &theirs)
    }

    fn statistics(&self, words: &[String]) -> f64 {
        let years = [TermsAggregation::all(Facet::Year)];
        let ours = Times::of_each(words, |word| {
            let query = query(Some(word), Vec::new(), SortKey::Date);
            let counted = self
                .engine
                .aggregate(&query, &years, ValueAggregation::Sum, Deadline::never());
            drop(counted.expect("figures"));
        });
        let theirs = Times::of_each(words, |word| {
            let sql = "SELECT year, count(*), sum(value) FROM words JOIN record ON record.id = words.rowid
                       WHERE words MATCH ?1 GROUP BY year";
            drop(self.sqlite.rows(sql, &[word], |row| row.get::<_, Option<i64>>(0)));
        });
        compared("number, sum and years of a word", &ours, &theirs)
    }
}

fn compared(name: &str, ours: &Times, of_sqlite: &Times) -> f64 {
    let ratio = of_sqlite.percentile(50) / ours.percentile(50);
    row(
        name,
        &[
            ("p50", ours.percentile(50)),
            ("p99", ours.percentile(99)),
            ("sqlite_p50", of_sqlite.percentile(50)),
            ("sqlite_p99", of_sqlite.percentile(99)),
            ("ratio", ratio),
        ],
    );
    ratio
}

fn query(q: Option<&str>, filters: Vec<Filter>, key: SortKey) -> SearchQuery {
    SearchQuery {
        entity_type: EntityType::Contract,
        text: q.map(|q| TextQuery::parse(q).expect("a query")),
        filters,
        sort: Sort {
            key,
            order: Order::Desc,
        },
    }
}

fn part(role: Role, key: &str) -> Filter {
    let key = record::query_key(role, key);
    Filter::Contains { role, key }
}

fn of_department(department: &str, first: &str, last: &str) -> Vec<Filter> {
    vec![
        part(Role::Department, department),
        Filter::Term {
            role: Role::Category,
            key: record::query_key(Role::Category, CATEGORY),
        },
        Filter::Dates {
            role: Role::Date,
            from: Date::parse(first).ok(),
            to: Date::parse(last).ok(),
        },
    ]
}
