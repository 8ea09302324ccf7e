//! Where the contracts that an item is held against come from, and how much each counts.
//!
//! Every rung asks the index for its best or newest records; coarse rungs stay in with little weight, so that a handful of close contracts leans on the many that are
//! merely alike. The rung an answer names is the first that, with those above it, holds [`ENOUGH`].

use std::collections::HashSet;

use bytes::Bytes;

use crate::{
    catalog::market::{
        Market,
        answer::Level,
        facts::{KINDS, Shared, prefix},
        item::Item,
        percentiles::Weighted,
        pool::{ALIKE as LIKE_WORDS, LEAST_PRICE, Row, distinct},
    },
    engine::Error,
    model::{entity_type::EntityType, facet::Facet, schema::Role},
    query::{Filter, Page, SearchQuery, Start},
};

/// How many contracts a rung must hold to be named, and how few are too few for any answer.
pub const ENOUGH: usize = 8;
pub const FEWEST: usize = 5;

/// How many records each question brings at most: alike by words, and the newest that share a fact.
const ALIKE: usize = 200;
const NEWEST: usize = 100;

/// The most codes and categories of an item that are asked for.
pub const MOST_CODES: usize = 4;

/// The contracts an item is held against; each row's weight is its share of all.
pub struct Ladder {
    pub rows: Vec<Row>,
    pub level: Option<Level>,
    /// How many of the rows, from the first on, are comparables.
    comparables: usize,
    /// How many contracts were left out because they were to be excluded.
    pub excluded: usize,
}

impl Ladder {
    pub fn climb(market: &Market, item: &mut Item, exclude: &[String]) -> Result<Ladder, Error> {
        let mut rows = Vec::new();
        for (number, kind) in KINDS.into_iter().enumerate() {
            let mut seen = HashSet::new();
            let mut ids = HashSet::new();
            for record in candidates(market, item, number, kind)? {
                // The same record, found by two questions, lies at one place.
                if !seen.insert((record.as_ptr(), record.len())) {
                    continue;
                }
                if let Some(row) = Row::read(kind, &record, item)
                    && ids.insert(row.id.clone())
                {
                    rows.push(row);
                }
            }
            market.deadline.check()?;
        }
        let (mut rows, excluded) = distinct(rows, exclude);
        let logs: Vec<f64> = rows.iter().map(|row| log_weight(row, market)).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let total: f64 = weights.iter().sum();
        for (row, weight) in rows.iter_mut().zip(weights) {
            row.weight = weight / total;
        }
        let held = |level: Level| rows.iter().filter(|row| row.level <= level).count();
        let first = |least: usize| Level::ALL.into_iter().find(|level| held(*level) >= least);
        let level = first(ENOUGH).or_else(|| first(FEWEST));
        let near = |row: &Row| log_nearness(row, market) + factor(row.same_buyer, NEAR_BUYER);
        let is_comparable = |row: &Row| {
            let is_like = row.same_category && row.similarity >= LIKE_WORDS;
            is_like || level.is_some_and(|level| row.level <= level)
        };
        rows.sort_by(|a, b| {
            let nearest = is_comparable(b).cmp(&is_comparable(a));
            nearest
                .then(near(b).total_cmp(&near(a)))
                .then_with(|| (a.entity_type, &a.id).cmp(&(b.entity_type, &b.id)))
        });
        let comparables = rows.iter().filter(|row| is_comparable(row)).count();
        Ok(Ladder {
            rows,
            level,
            comparables,
            excluded,
        })
    }

    /// Those on the named rung or above it, or of like words in the same category, nearest in what is bought first.
    pub fn comparables(&self) -> &[Row] {
        self.rows.get(..self.comparables).unwrap_or_default()
    }

    /// The share of all weight that the comparables carry, 0 to 1.
    pub fn carried(&self) -> f64 {
        self.comparables().iter().map(|row| row.weight).sum()
    }

    pub fn weighted(&self) -> Weighted {
        Weighted::new(self.rows.iter().map(|row| (row.log(), row.weight)))
    }
}

/// How much a contract counts, as a logarithm: each fact it shares with the item multiplies its weight. The factors are those that were best on known contracts
/// (`procure backtest`), rounded: they need not be exact, since twice or half of any changes the error by a hundredth.
fn log_weight(row: &Row, market: &Market) -> f64 {
    log_nearness(row, market)
        + factor(row.same_buyer, SAME_BUYER)
        + factor(row.same_method, SAME_METHOD)
        + factor(row.same_terms, SAME_TERMS)
        + factor(row.same_province, SAME_PROVINCE)
}

/// How much of what is bought a contract shares: the order in which comparables are shown. Who buys, and by which rules, says more of the price than of the
/// need, so that a buyer's other purchases may carry weight, and still come behind the same purchase of others.
fn log_nearness(row: &Row, market: &Market) -> f64 {
    let years = f64::from(market.today.days() - row.date.days()) / 365.25;
    let code: f64 = match row.shared {
        Shared::Nothing => 1.0,
        Shared::Segment => 2.0,
        Shared::Family => 4.0,
        Shared::Class => 6.0,
        Shared::Code => 8.0,
    };
    code.ln() + row.similarity * SAME_WORDS.ln() + factor(row.same_category, SAME_CATEGORY)
        - years / HALF_LIFE * 2.0f64.ln()
}

fn factor(is_so: bool, times: f64) -> f64 {
    if is_so { times.ln() } else { 0.0 }
}

/// What the same buyer is worth in the order of what is shown.
const NEAR_BUYER: f64 = 3.0;
/// Years after which a contract counts half.
const HALF_LIFE: f64 = 3.0;
/// A contract in the same words counts so many times one that shares none.
const SAME_WORDS: f64 = 50.0;
const SAME_BUYER: f64 = 20.0;
const SAME_METHOD: f64 = 20.0;
/// The same trade agreements and the same ground for not opening the call: thresholds of value hang on both.
const SAME_TERMS: f64 = 12.0;
const SAME_PROVINCE: f64 = 2.0;
const SAME_CATEGORY: f64 = 3.0;

/// The records of one kind that some rung may stand on.
fn candidates(market: &Market, item: &Item, number: usize, kind: EntityType) -> Result<Vec<Bytes>, Error> {
    let (mut found, facts) = (Vec::new(), &item.facts);
    let buyers = item.buyers.iter().map(|key| Filter::FacetValue {
        facet: Facet::Department,
        key: key.clone(),
    });
    let buyers: Vec<Filter> = buyers.collect();
    let categories: Vec<Vec<Filter>> = match facts.categories.is_empty() {
        true => vec![Vec::new()],
        false => facts
            .categories
            .iter()
            .take(MOST_CODES)
            .map(|key| vec![term(Role::Category, key)])
            .collect(),
    };
    let alike = |filters: &[Filter], most: usize| -> Result<Vec<Bytes>, Error> {
        let Some(words) = item.words.get(number).filter(|words| !words.sought.is_empty()) else {
            return Ok(Vec::new());
        };
        let query = market.past(kind, filters);
        let similar = market
            .engine
            .similar(&query, &words.sought, most, market.deadline.clone())?;
        Ok(similar.into_iter().map(|similar| similar.record).collect())
    };
    let newest = |filters: &[Filter]| market.newest(kind, filters, NEWEST);
    for category in &categories {
        found.extend(alike(category, ALIKE)?);
    }
    for code in facts.codes.iter().take(MOST_CODES) {
        let exact = term(Role::Commodity, code);
        found.extend(newest(std::slice::from_ref(&exact))?);
        for buyer in &buyers {
            found.extend(newest(&[exact.clone(), buyer.clone()])?);
        }
        for shared in [Shared::Class, Shared::Family] {
            if let Some(key) = prefix(code, shared) {
                let key = key.to_owned();
                let role = Role::Commodity;
                found.extend(newest(&[Filter::Prefix { role, key }])?);
            }
        }
    }
    for buyer in &buyers {
        found.extend(alike(std::slice::from_ref(buyer), NEWEST)?);
    }
    for category in &categories {
        for buyer in &buyers {
            found.extend(newest(&[&category[..], std::slice::from_ref(buyer)].concat())?);
        }
        let level = facts.level.iter().map(|key| Filter::FacetValue {
            facet: Facet::GovernmentLevel,
            key: key.clone(),
        });
        let filters: Vec<Filter> = category.iter().cloned().chain(level).collect();
        if !filters.is_empty() {
            found.extend(newest(&filters)?);
        }
    }
    Ok(found)
}

pub fn term(role: Role, key: &str) -> Filter {
    let key = key.to_owned();
    Filter::Term { role, key }
}

impl Market<'_> {
    /// The newest records of the pool that pass some filters.
    fn newest(&self, kind: EntityType, filters: &[Filter], most: usize) -> Result<Vec<Bytes>, Error> {
        let page = Page {
            limit: most,
            start: Start::Offset(0),
        };
        let hits = self
            .engine
            .search(&self.past(kind, filters), &page, self.deadline.clone())?;
        Ok(hits.records)
    }

    /// The pool: of the years that count, with a price.
    fn past(&self, kind: EntityType, filters: &[Filter]) -> SearchQuery {
        let days = (f64::from(self.years_back) * 365.25) as i32;
        let pool = [
            Filter::Dates {
                role: Role::Date,
                from: crate::model::date::Date::from_days(self.today.days().saturating_sub(days)),
                to: Some(self.today),
            },
            Filter::Values {
                min: Some(LEAST_PRICE),
                max: None,
            },
        ];
        SearchQuery::newest(kind, pool.into_iter().chain(filters.iter().cloned()).collect())
    }
}
