//! Latency of aggregations, names and similarity searches:
//! `cargo bench --bench aggregates [-- --records N --dir DIR]`.
//!
//! Times are of the engine in one process. The first row is the baseline: a page of fifty records
//! without a filter.

mod support;

use std::ops::Range;

use procure::{
    catalog::generation,
    engine::{
        Deadline, Engine,
        aggregation::{Aggregation, TermsAggregation, ValueAggregation},
        names::NamesPage,
    },
    model::{
        date::Date,
        entity_type::EntityType,
        facet::Facet,
        record::Record,
        schema::{Role, Schema},
    },
    query::{Filter, Page, SearchQuery, Start, text::TextQuery},
};
use support::{Arguments, Times, index, row, usage};

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let index_dir = index(&dir, records);
    let id = generation::current(&index_dir)
        .expect("an index")
        .expect("a generation");
    let open = || generation::open(&index_dir, &id).expect("a generation that opens");
    let opening = Times::of_some(3, || drop(open()));
    let generation = open();
    let engine = &*generation.engine;
    let everything = query_of(None, Vec::new());

    eprintln!("\naggregations over {records} contracts (ms)");
    row("opening, with checksums", &[("p50", opening.percentile(50))]);
    let times = Times::of(|| {
        page(engine, &everything, 50);
    });
    show("newest 50, no filter", 50.0, &times);
    names(engine);
    statistics(engine, &everything);
    vendor_profiles(engine);
    similarity(engine, &everything);
    commodity_codes(engine);
    row(
        "memory of the process without the page cache",
        &[("anonymous_mb", usage(std::process::id()).anonymous_mb)],
    );
}

fn query_of(q: Option<&str>, filters: Vec<Filter>) -> SearchQuery {
    SearchQuery {
        text: q.map(|q| TextQuery::parse(q).expect("a query")),
        ..SearchQuery::newest(EntityType::Contract, filters)
    }
}

fn page(engine: &dyn Engine, query: &SearchQuery, limit: usize) -> usize {
    let page = Page {
        limit,
        start: Start::Offset(0),
    };
    let hits = engine.search(query, &page, Deadline::never()).expect("hits");
    hits.records.len()
}

fn aggregate(engine: &dyn Engine, query: &SearchQuery, terms: &[TermsAggregation]) -> Aggregation {
    engine
        .aggregate(query, terms, ValueAggregation::Percentiles, Deadline::never())
        .expect("an aggregation")
}

fn show(name: &str, hits: f64, times: &Times) {
    let columns = [
        ("hits", hits),
        ("p50", times.percentile(50)),
        ("p95", times.percentile(95)),
        ("p99", times.percentile(99)),
    ];
    row(name, &columns);
}

fn list_names(engine: &dyn Engine, facet: Facet, part: &str, page: Range<usize>) -> NamesPage {
    engine
        .list_names(&[EntityType::Contract], facet, part, page, Deadline::never())
        .expect("names")
}

/// The name of no vendor.
const MISTYPED: &str = "Norhern Constrution Servces";

fn names(engine: &dyn Engine) {
    for part in ["inc", "construction", "ing", "zzz"] {
        let names = || list_names(engine, Facet::Vendor, part, 0..20);
        let times = Times::of(|| drop(names()));
        show(&format!("/vendors q={part}"), names().total as f64, &times);
    }
    let departments = || list_names(engine, Facet::Department, "", 0..20);
    let times = Times::of(|| drop(departments()));
    show("/departments, all", departments().total as f64, &times);
    let similar = || {
        engine
            .suggest_names(EntityType::Contract, Facet::Vendor, MISTYPED, 200, Deadline::never())
            .expect("names")
    };
    let times = Times::of_some(20, || drop(similar()));
    show("similar names of vendors", similar().len() as f64, &times);
}

fn dates(from: &str, to: &str) -> Filter {
    Filter::Dates {
        role: Role::Date,
        from: Date::parse(from).ok(),
        to: Date::parse(to).ok(),
    }
}

fn statistics(engine: &dyn Engine, everything: &SearchQuery) {
    // Another number of values for each run: what was counted for an equal request is kept.
    let mut sizes = 50..;
    let mut terms = || {
        let size = sizes.next().expect("a number");
        Facet::ALL.map(|facet| TermsAggregation::top(size, facet))
    };
    let year = dates("2019-01-01", "2019-12-31");
    let month = dates("2019-01-01", "2019-01-31");
    for (name, query) in [
        ("everything, computed", everything.clone()),
        ("a frequent word", query_of(Some("services"), Vec::new())),
        ("a year", query_of(None, vec![year])),
        ("a word and a month", query_of(Some("services"), vec![month])),
    ] {
        let times = Times::of_some(20, || drop(aggregate(engine, &query, &terms())));
        let total = aggregate(engine, &query, &terms()).total;
        show(&format!("stats, {name}"), total as f64, &times);
        let times = Times::of_some(20, || {
            drop(engine.market(&query, Deadline::never()).expect("market figures"));
        });
        show(&format!("market figures, {name}"), total as f64, &times);
    }
}

/// Vendors are listed by descending number of records, so the one in the middle is the median.
fn vendor_profiles(engine: &dyn Engine) {
    let list = |ranks| list_names(engine, Facet::Vendor, "", ranks);
    let total = list(0..1).total as usize;
    let departments = [TermsAggregation::top(10, Facet::NamedDepartment)];
    for (name, rank) in [("largest", 0), ("median", total / 2)] {
        let vendor = &list(rank..rank + 1).rows[0];
        let resolved = engine
            .resolve_name(EntityType::Contract, Facet::Vendor, &vendor.name, Deadline::never())
            .expect("a name")
            .expect("the vendor");
        let filter = Filter::FacetValue {
            facet: Facet::Vendor,
            key: resolved.key,
        };
        let query = query_of(None, vec![filter]);
        let times = Times::of_some(50, || {
            drop(aggregate(engine, &query, &departments));
            page(engine, &query, 100);
        });
        show(&format!("profile of the {name} vendor"), vendor.records as f64, &times);
    }
}

fn commodity(prefix: &str) -> Filter {
    Filter::Prefix {
        role: Role::Commodity,
        key: prefix.to_owned(),
    }
}

/// Candidates for an estimate: the 300 most similar records, for records from all over the
/// collection.
fn similarity(engine: &dyn Engine, everything: &SearchQuery) {
    let term_lists = term_lists(engine, everything);
    let years = dates("2020-01-01", "2024-12-31");
    let goods = Filter::Term {
        role: Role::Category,
        key: "GD".to_owned(),
    };
    for (name, filters) in [
        ("similar, no filter", Vec::new()),
        ("similar, five years", vec![years.clone()]),
        ("similar, five years and a category", vec![years.clone(), goods]),
        ("similar, a segment of codes", vec![commodity("unspsc:72")]),
        (
            "similar, five years and a rare code",
            vec![years, commodity("unspsc:8510160")],
        ),
    ] {
        let query = query_of(None, filters);
        let mut next = term_lists.iter().cycle();
        let mut found = 0;
        let times = Times::of(|| {
            let terms = next.next().expect("terms");
            let similar = engine.similar(&query, terms, 300, Deadline::never());
            found = similar.expect("similar records").len();
        });
        show(name, found as f64, &times);
    }
    let frequent: Vec<String> = ["de", "la", "pour", "services", "servic"].map(str::to_owned).into();
    let times = Times::of(|| drop(engine.similar(everything, &frequent, 300, Deadline::never())));
    show("similar, only the most frequent terms", 300.0, &times);
    let times = Times::of(|| {
        let frequencies = engine.idf(everything.entity_type, &term_lists[0], Deadline::never());
        drop(frequencies.expect("frequencies"));
    });
    show("idf of the terms of a record", term_lists[0].len() as f64, &times);
}

fn commodity_codes(engine: &dyn Engine) {
    for key in ["unspsc:", "unspsc:72", "unspsc:85101600", "gsin:n70"] {
        let query = query_of(None, vec![commodity(key)]);
        let times = Times::of(|| {
            page(engine, &query, 500);
        });
        show(
            &format!("newest 500 of code {key}"),
            page(engine, &query, 500) as f64,
            &times,
        );
    }
}

/// The similarity terms of two hundred evenly spread records.
fn term_lists(engine: &dyn Engine, everything: &SearchQuery) -> Vec<Vec<String>> {
    let total = aggregate(engine, everything, &[]).total as usize;
    let terms = |number: usize| {
        let page = Page {
            limit: 1,
            start: Start::Offset(number * total / 200),
        };
        let mut hits = engine.search(everything, &page, Deadline::never()).expect("hits");
        let record = hits.records.pop()?;
        let record = Record::parse(Schema::of(everything.entity_type), &record).ok()?;
        let mut terms = Vec::new();
        record.similarity_terms(|term| terms.push(term.to_owned()));
        (!terms.is_empty()).then_some(terms)
    };
    (0..200).filter_map(terms).collect()
}
