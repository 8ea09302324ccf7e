//! The obvious engine: every record looked at for every question, sorted whole, sliced.
//!
//! It is what [`procure::engine::tantivy`] must agree with. It shares the reading of a record (keys, dates, values) and the folding, and nothing of the index: no
//! postings, no columns, no walks.

use std::{cmp::Ordering, collections::HashSet, ops::Range};

use bytes::Bytes;
use procure::{
    engine::{
        Deadline, Engine, Error, Hits,
        aggregation::{Measure, Named, NamesPage, Tally, Want},
        similarity::{self, Similar},
    },
    model::{
        date::Date,
        entity_type::EntityType,
        facet::Facet,
        fold::word_list,
        record::Record,
        schema::{Role, Schema},
        stem,
    },
    query::{
        Filter, Order, Page, Position, SearchQuery, Sort, SortKey, Start,
        text::{Clause, Term},
    },
};

use crate::scan_counts::{self, Collection};

pub struct ScanEngine {
    records: Vec<(EntityType, String)>,
}

/// A record's place in an order: its key, if it has one, and its id.
#[derive(Clone)]
struct Place {
    key: Option<f64>,
    record_id: String,
}

impl ScanEngine {
    pub fn new(records: Vec<(EntityType, String)>) -> ScanEngine {
        ScanEngine { records }
    }
}

impl ScanEngine {
    /// The records of a kind, by number, and what each is about.
    fn about(&self, entity_type: EntityType, all: &Collection) -> Vec<(usize, HashSet<String>)> {
        let of_kind = all
            .records
            .iter()
            .enumerate()
            .filter(|(_, (kind, _))| *kind == entity_type);
        let about = |(number, (_, record)): (usize, &(EntityType, Record))| {
            let mut words = HashSet::new();
            if Schema::of(entity_type).finds_by(Role::Subject) {
                record.subject_words(|word| {
                    words.insert(word.to_owned());
                });
            }
            (number, words)
        };
        of_kind.map(about).collect()
    }
}

impl Engine for ScanEngine {
    fn search(&self, query: &SearchQuery, page: &Page, _: Deadline) -> Result<Hits, Error> {
        let all = Collection::new(&self.records);
        let mut hits: Vec<(Place, &String)> = Vec::new();
        for ((entity_type, record), (_, json)) in all.records.iter().zip(&self.records) {
            if *entity_type == query.entity_type && matches(&all, record, query) {
                hits.push((place(record, query.sort.key), json));
            }
        }
        hits.sort_by(|(a, _), (b, _)| compare(a, b, query.sort));
        let rest: Vec<_> = match &page.start {
            Start::Offset(offset) => hits.into_iter().skip(*offset).collect(),
            Start::After(position) => {
                let after = Place {
                    key: position.key.map(|day| f64::from(day.days())),
                    record_id: position.record_id.clone(),
                };
                hits.into_iter()
                    .filter(|(place, _)| compare(place, &after, query.sort) == Ordering::Greater)
                    .collect()
            }
        };
        let shown = &rest[..rest.len().min(page.limit)];
        let next = match shown.last() {
            Some((last, _)) if rest.len() > page.limit && query.sort.key != SortKey::Value => Some(Position {
                key: last.key.and_then(|days| Date::from_days(days as i32)),
                record_id: last.record_id.clone(),
            }),
            _ => None,
        };
        Ok(Hits {
            records: shown.iter().map(|(_, json)| Bytes::from((*json).clone())).collect(),
            next,
        })
    }

    fn record(&self, entity_type: EntityType, record_id: &str) -> Result<Option<Bytes>, Error> {
        let schema = Schema::of(entity_type);
        let found = self.records.iter().find(|(kind, json)| {
            *kind == entity_type && Record::parse(schema, json.as_bytes()).unwrap().id() == record_id
        });
        Ok(found.map(|(_, json)| Bytes::from(json.clone())))
    }

    fn tally(&self, query: &SearchQuery, wants: &[Want], measure: Measure, _: Deadline) -> Result<Tally, Error> {
        let all = Collection::new(&self.records);
        let hits: Vec<&Record> = all
            .records
            .iter()
            .filter(|(kind, record)| *kind == query.entity_type && matches(&all, record, query))
            .map(|(_, record)| record)
            .collect();
        Ok(scan_counts::tally(&all, query.entity_type, &hits, wants, measure))
    }

    fn names(&self, kinds: &[EntityType], facet: Facet, part: &str, page: Range<usize>) -> NamesPage {
        scan_counts::names(&Collection::new(&self.records), kinds, facet, part, page)
    }

    fn near(&self, _: EntityType, _: Facet, _: &str, _: usize) -> Vec<String> {
        Vec::new()
    }

    fn similar(&self, query: &SearchQuery, words: &[String], most: usize, _: Deadline) -> Result<Vec<Similar>, Error> {
        let all = Collection::new(&self.records);
        let about = self.about(query.entity_type, &all);
        let holding = |word: &str| about.iter().filter(|(_, words)| words.contains(word)).count() as u64;
        let telling = similarity::telling(words, |word| {
            let holding = holding(word);
            (holding > 0).then(|| (holding, word.to_owned()))
        });
        let filters = SearchQuery {
            text: None,
            ..query.clone()
        };
        let mut found: Vec<(f32, Place, &String)> = Vec::new();
        for (number, words) in &about {
            let (_, record) = &all.records[*number];
            let shared = telling.iter().filter(|(_, word)| words.contains(word));
            let rarities: Vec<f32> = shared
                .map(|(holding, _)| similarity::rarity(about.len() as u64, *holding))
                .collect();
            if !rarities.is_empty() && matches(&all, record, &filters) {
                let score = rarities.into_iter().fold(0.0, |sum, rarity| sum + rarity);
                found.push((score, place(record, SortKey::Date), &self.records[*number].1));
            }
        }
        let sort = Sort {
            key: SortKey::Date,
            order: Order::Desc,
        };
        found.sort_by(|(a, at, _), (b, than, _)| b.total_cmp(a).then_with(|| compare(at, than, sort)));
        let best = found.into_iter().take(most).map(|(score, _, json)| Similar {
            record: Bytes::from(json.clone()),
            score,
        });
        Ok(best.collect())
    }

    fn rarity(&self, entity_type: EntityType, word: &str) -> Result<f32, Error> {
        let about = self.about(entity_type, &Collection::new(&self.records));
        let holding = about.iter().filter(|(_, words)| words.contains(word)).count();
        Ok(similarity::rarity(about.len() as u64, holding as u64))
    }

    fn named(&self, entity_type: EntityType, facet: Facet, name: &str) -> Option<Named> {
        scan_counts::named(&Collection::new(&self.records), entity_type, facet, name)
    }
}

fn place(record: &Record, key: SortKey) -> Place {
    let key = match key {
        SortKey::Date => record.date(Role::Date).map(|day| f64::from(day.days())),
        SortKey::ClosingDate => record.date(Role::ClosingDate).map(|day| f64::from(day.days())),
        SortKey::Value => record.value(),
    };
    Place {
        key,
        record_id: record.id().to_owned(),
    }
}

fn compare(a: &Place, b: &Place, sort: Sort) -> Ordering {
    let by_id = a.record_id.as_bytes().cmp(b.record_id.as_bytes());
    match (a.key, b.key) {
        (None, None) => by_id,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(x), Some(y)) => {
            let descending = y.partial_cmp(&x).unwrap().then(by_id);
            match sort.order {
                Order::Desc => descending,
                Order::Asc => descending.reverse(),
            }
        }
    }
}

fn matches(all: &Collection, record: &Record, query: &SearchQuery) -> bool {
    let schema = Schema::of(query.entity_type);
    let can_be_found = |filter: &Filter| match filter {
        Filter::Term { role, .. } | Filter::Prefix { role, .. } | Filter::Contains { role, .. } => {
            schema.finds_by(*role)
        }
        _ => true,
    };
    let mut filters = query.filters.iter();
    filters.all(|filter| can_be_found(filter) && passes(all, record, filter))
        && query
            .text
            .iter()
            .flat_map(|text| text.clauses())
            .all(|clause| match clause {
                Clause::Any(terms) => terms.iter().any(|term| finds(record, term)),
                Clause::Not(term) => !finds(record, term),
            })
}

fn passes(all: &Collection, record: &Record, filter: &Filter) -> bool {
    match filter {
        Filter::Term { role, key } => record.keys(*role).iter().any(|stored| stored == key),
        Filter::Named { facet, key } => all.keys(*facet, record).contains(key),
        Filter::Prefix { role, key } => record.keys(*role).iter().any(|stored| stored.starts_with(key)),
        Filter::Contains { role, key } => record.keys(*role).iter().any(|stored| stored.contains(key.as_str())),
        Filter::Dates { role, from, to } => record
            .date(*role)
            .is_some_and(|day| from.is_none_or(|from| day >= from) && to.is_none_or(|to| day <= to)),
        Filter::Values { min, max } => record
            .value()
            .is_some_and(|value| min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)),
    }
}

fn finds(record: &Record, term: &Term) -> bool {
    record.texts(Role::Text).any(|text| {
        let words = word_list(text);
        match term {
            Term::Word(asked) => words.iter().any(|stored| stem::meet(asked, stored)),
            Term::Phrase(asked) => words.windows(asked.len()).any(|run| run == asked),
        }
    })
}
