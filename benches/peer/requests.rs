//! The requests, in the languages of both: what this engine is asked, in this process and over HTTP, and a statement.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use procure::{
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
        record_id::record_id,
        schema::{Role, Schema},
    },
    query::{Filter, Order, Page, SearchQuery, Sort, SortKey, Start, cursor::Cursor, text::TextQuery},
};

use crate::http;

/// How many different words, names and ids a request is measured with. Each is asked once, because an engine that keeps
/// answers would be measured by its memory otherwise.
const VARIANTS: usize = 100;

const CATEGORY: &str = "CNST";

const STATISTICS: &str = "number, sum and years of a word";

/// This engine, and the number of its records.
pub struct Peers<'e> {
    pub engine: &'e dyn Engine,
    pub records: usize,
}

/// A request in its variants.
pub struct Request<'s> {
    pub name: &'static str,
    pub sql: &'static str,
    pub variants: Vec<Asked<'s>>,
    /// Whether both must find the same.
    pub is_equal: bool,
}

/// A variant of a request in both languages: what this engine is asked, in this process and over HTTP, and the
/// parameters of the statement.
pub struct Asked<'s> {
    pub ours: Box<dyn Fn() -> Vec<Bytes> + 's>,
    target: String,
    pub parameters: Vec<String>,
}

impl Request<'_> {
    /// What both are asked over HTTP; `number` is that of the statement.
    pub fn over_http(&self, number: usize) -> http::Asked {
        let of_sqlite = |asked: &Asked| {
            let parameters = asked.parameters.iter().map(|value| ("p", value));
            format!("/{number}?{}", encoded(parameters))
        };
        // Answers with statistics are kept, so each of these requests excludes another word, which no record has.
        let rounds = match self.name {
            STATISTICS => (1..=VARIANTS).map(|round| format!("+-none{round}")).collect(),
            _ => vec![String::new()],
        };
        let of_round = |more| self.variants.iter().map(move |asked| format!("{}{more}", asked.target));
        http::Asked {
            name: self.name,
            ours: rounds.iter().flat_map(of_round).collect(),
            sqlite: self.variants.iter().map(of_sqlite).collect(),
        }
    }
}

impl Peers<'_> {
    pub fn requests(&self) -> Vec<Request<'_>> {
        let words = self.words(Role::Text);
        let names = self.words(Role::Vendor);
        vec![
            self.newest(),
            self.two_words(&words),
            self.by_value(&names),
            self.departments(),
            self.middle(),
            self.ids(),
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

    fn newest(&self) -> Request<'_> {
        Request {
            name: "newest 50",
            sql: "SELECT json FROM record ORDER BY id LIMIT 50",
            variants: vec![Asked {
                ours: Box::new(|| self.page(&query(None, Vec::new(), SortKey::Date), 50, Start::Offset(0))),
                target: "/contract?limit=50".to_owned(),
                parameters: Vec::new(),
            }],
            is_equal: true,
        }
    }

    fn two_words(&self, words: &[String]) -> Request<'_> {
        let pair = |pair: &[String]| {
            let q = pair.join(" ");
            let of_words = query(Some(&q), Vec::new(), SortKey::Date);
            Asked {
                ours: Box::new(move || self.page(&of_words, 50, Start::Offset(0))),
                target: format!("/contract?limit=50&{}", encoded([("q", &q)])),
                parameters: vec![q],
            }
        };
        Request {
            name: "two words, newest 50",
            sql: "SELECT json FROM words JOIN record ON record.id = words.rowid WHERE words MATCH ?1
                  ORDER BY words.rowid LIMIT 50",
            variants: words.windows(2).map(pair).collect(),
            is_equal: false,
        }
    }

    fn by_value(&self, names: &[String]) -> Request<'_> {
        let name = |name: &String| {
            let of_vendor = query(None, vec![part(Role::Vendor, name)], SortKey::Value);
            Asked {
                ours: Box::new(move || self.page(&of_vendor, 50, Start::Offset(0))),
                target: format!("/contract?limit=50&sort_by=value&{}", encoded([("vendor", name)])),
                parameters: vec![format!("\"{name}\"")],
            }
        };
        Request {
            name: "part of a vendor's name, by value, 50",
            sql: "SELECT json FROM record WHERE vendor IN (SELECT rowid FROM vendor_part WHERE name MATCH ?1)
                  AND value IS NOT NULL ORDER BY value DESC, id LIMIT 50",
            variants: names.iter().map(name).collect(),
            is_equal: false,
        }
    }

    fn departments(&self) -> Request<'_> {
        let year = |department: &'static str, year: i32| {
            let (first, last) = (format!("{year}-01-01"), format!("{year}-12-31"));
            let filters = of_department(department, &first, &last);
            let of_department = query(None, filters, SortKey::Date);
            let dates = format!("issued_after={first}&issued_before={last}");
            Asked {
                ours: Box::new(move || self.page(&of_department, 50, Start::Offset(0))),
                target: format!("/contract?limit=50&department={department}&category={CATEGORY}&{dates}"),
                parameters: vec![
                    department.to_owned(),
                    first,
                    last,
                    record::query_key(Role::Category, CATEGORY),
                ],
            }
        };
        let years = |department: &'static str| (2014..=2025).map(move |number| year(department, number));
        Request {
            name: "department, year and category, newest 50",
            sql: "SELECT json FROM record
                  WHERE id BETWEEN (SELECT id FROM record WHERE day <= ?3 ORDER BY day DESC, id LIMIT 1)
                  AND (SELECT id FROM record WHERE day >= ?2 ORDER BY day, id DESC LIMIT 1) AND category = ?4
                  AND +department IN (SELECT id FROM department WHERE name LIKE '%' || ?1 || '%')
                  ORDER BY id LIMIT 50",
            variants: ["ville", "centre", "societe"].into_iter().flat_map(years).collect(),
            is_equal: true,
        }
    }

    /// The page after the record in the middle.
    fn middle(&self) -> Request<'_> {
        let page = Page {
            limit: 1,
            start: Start::Offset(self.records / 2),
        };
        let newest = query(None, Vec::new(), SortKey::Date);
        let hits = self.engine.search(&newest, &page, Deadline::never()).expect("hits");
        let next = hits.next.expect("a position in the middle");
        let cursor = Cursor::new(&newest, next.clone()).encode();
        Request {
            name: "500 after a cursor in the middle",
            sql: "SELECT json FROM record WHERE id > ?1 ORDER BY id LIMIT 500",
            variants: vec![Asked {
                ours: Box::new(move || self.page(&newest, 500, Start::After(next.clone()))),
                target: format!("/contract?limit=500&cursor={cursor}"),
                parameters: vec![(self.records / 2).to_string()],
            }],
            is_equal: true,
        }
    }

    fn ids(&self) -> Request<'_> {
        let every = (self.records / VARIANTS).max(1);
        let id = |number: usize| {
            let newest = query(None, Vec::new(), SortKey::Date);
            let record = self.page(&newest, 1, Start::Offset(number * every)).swap_remove(0);
            let id = record_id(&record).expect("an id").into_owned();
            let asked = id.clone();
            Asked {
                ours: Box::new(move || {
                    let found = self.engine.record(EntityType::Contract, &asked, Deadline::never());
                    found.expect("a look-up").into_iter().collect()
                }),
                target: format!("/contract/{}", procure::http::encoding::encode(&id)),
                parameters: vec![id],
            }
        };
        Request {
            name: "one record by its id",
            sql: "SELECT json FROM record WHERE record_id = ?1",
            variants: (0..VARIANTS).map(id).collect(),
            is_equal: true,
        }
    }

    fn names(&self, names: &[String]) -> Request<'_> {
        let types = &[EntityType::Contract];
        let name = |name: &String| {
            let part = name.clone();
            let of_part = move || {
                let page = self
                    .engine
                    .list_names(types, Facet::Vendor, &part, 0..20, Deadline::never());
                let page = page.expect("names");
                vec![Bytes::from(page.total.to_string()); page.rows.len()]
            };
            Asked {
                ours: Box::new(of_part),
                target: format!("/vendors?{}", encoded([("q", name)])),
                parameters: vec![format!("\"{name}\"")],
            }
        };
        Request {
            name: "names of vendors with a part, 20",
            sql: "SELECT count(*) OVER (), name, records, total FROM vendor
                  WHERE id IN (SELECT rowid FROM vendor_part WHERE name MATCH ?1) ORDER BY records DESC, name LIMIT 20",
            variants: names.iter().map(name).collect(),
            is_equal: true,
        }
    }

    fn statistics(&self, words: &[String]) -> Request<'_> {
        let word = |word: &String| {
            let of_word = query(Some(word), Vec::new(), SortKey::Date);
            let counted = move || {
                let years = [TermsAggregation::all(Facet::Year)];
                self.engine
                    .aggregate(&of_word, &years, ValueAggregation::Sum, Deadline::never())
            };
            Asked {
                ours: Box::new(move || vec![Bytes::from(counted().expect("figures").total.to_string())]),
                target: format!("/contract/stats?{}", encoded([("q", word)])),
                parameters: vec![word.clone()],
            }
        };
        Request {
            name: STATISTICS,
            sql: "SELECT year, count(*), sum(value) FROM words JOIN record ON record.id = words.rowid
                  WHERE words MATCH ?1 GROUP BY year",
            variants: words.iter().map(word).collect(),
            is_equal: false,
        }
    }

    fn page(&self, query: &SearchQuery, limit: usize, start: Start) -> Vec<Bytes> {
        let page = Page { limit, start };
        self.engine
            .search(query, &page, Deadline::never())
            .expect("hits")
            .records
    }
}

fn encoded<'v>(parameters: impl IntoIterator<Item = (&'v str, &'v String)>) -> String {
    url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish()
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
