//! How long counting takes: `cargo bench --bench aggregates [-- --records N --dir DIR]`. Times are of the engine, in one process; the first row is the yardstick, a page of
//! fifty records without any filter.

mod support;

use procure::{
    catalog::generation,
    engine::{
        Deadline, Engine,
        aggregation::{Aggregation, TermsAggregation, ValueAggregation},
    },
    model::{
        date::Date,
        entity_type::EntityType,
        facet::Facet,
        record::Record,
        schema::{Role, Schema},
    },
    query::{Filter, Order, Page, SearchQuery, Sort, SortKey, Start, text::TextQuery},
};
use support::{Arguments, Times, index, row, usage};

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let index_dir = index(&dir, records);
    let id = generation::current(&index_dir)
        .expect("an index")
        .expect("a generation");
    let opening = Times::of_some(3, || {
        drop(generation::open(&index_dir, &id).expect("a generation that opens"))
    });
    let generation = generation::open(&index_dir, &id).expect("a generation that opens");
    let engine = &*generation.engine;
    let all: Vec<TermsAggregation> = Facet::ALL
        .into_iter()
        .map(|facet| TermsAggregation { facet, size: 50 })
        .collect();
    let ten = |facet| [TermsAggregation { facet, size: 10 }];
    let ask = |q: Option<&str>, filters: Vec<Filter>| SearchQuery {
        entity_type: EntityType::Contract,
        text: q.map(|q| TextQuery::parse(q).expect("a query")),
        filters,
        sort: Sort {
            key: SortKey::Date,
            order: Order::Desc,
        },
    };
    let aggregate = |query: &SearchQuery, wants: &[TermsAggregation]| {
        engine
            .aggregate(query, wants, ValueAggregation::Percentiles, Deadline::never())
            .expect("counts")
    };
    let page = |query: &SearchQuery, limit: usize| {
        let page = Page {
            limit,
            start: Start::Offset(0),
        };
        engine.search(query, &page, Deadline::never()).expect("hits")
    };
    let everything = ask(None, Vec::new());

    eprintln!("\ncounting {records} contracts (ms)");
    row("opening, checksums and all", &[("p50", opening.percentile(50))]);
    let show = |name: &str, hits: u64, times: &Times| {
        let columns = [
            ("hits", hits as f64),
            ("p50", times.percentile(50)),
            ("p95", times.percentile(95)),
        ];
        row(name, &columns);
    };
    show("newest 50, no filter", 50, &Times::of(|| drop(page(&everything, 50))));
    for part in ["inc", "construction", "ing", "zzz"] {
        let names = || engine.list_names(&[EntityType::Contract], Facet::Vendor, part, 0..20);
        show(
            &format!("/vendors q={part}"),
            names().total,
            &Times::of(|| drop(names())),
        );
    }
    let departments = || engine.list_names(&[EntityType::Contract], Facet::Department, "", 0..20);
    show(
        "/departments, all",
        departments().total,
        &Times::of(|| drop(departments())),
    );
    let stats = |name: &str, query: SearchQuery| {
        let Aggregation { total, .. } = aggregate(&query, &all);
        show(
            &format!("stats, {name}"),
            total,
            &Times::of_some(20, || drop(aggregate(&query, &all))),
        );
    };
    stats("everything, computed", everything.clone());
    stats("a frequent word", ask(Some("services"), Vec::new()));
    let year = |from: &str, to: &str| Filter::Dates {
        role: Role::Date,
        from: Date::parse(from).ok(),
        to: Date::parse(to).ok(),
    };
    stats("a year", ask(None, vec![year("2019-01-01", "2019-12-31")]));
    stats(
        "a word and a month",
        ask(Some("services"), vec![year("2019-01-01", "2019-01-31")]),
    );
    // Vendors by rank: the first has most records, the one in the middle is the median.
    let total = engine
        .list_names(&[EntityType::Contract], Facet::Vendor, "", 0..1)
        .total as usize;
    for (name, place) in [("biggest", 0), ("median", total / 2)] {
        let found = engine.list_names(&[EntityType::Contract], Facet::Vendor, "", place..place + 1);
        let vendor = &found.rows[0];
        let named = engine
            .resolve_name(EntityType::Contract, Facet::Vendor, &vendor.name)
            .expect("the vendor");
        let query = ask(
            None,
            vec![Filter::FacetValue {
                facet: Facet::Vendor,
                key: named.key,
            }],
        );
        let times = Times::of_some(50, || {
            drop(aggregate(&query, &ten(Facet::Department)));
            drop(page(&query, 100));
        });
        show(&format!("profile of the {name} vendor"), vendor.records, &times);
    }
    alike(engine, &everything);
    row(
        "memory of the process beyond the page cache",
        &[("anonymous_mb", usage(std::process::id()).anonymous_mb)],
    );
}

/// Candidates for a comparison, as an estimate asks for them: the 300 most alike, for records from all over the collection.
fn alike(engine: &dyn Engine, everything: &SearchQuery) {
    let subjects = subjects(engine, everything);
    let with = |filters: Vec<Filter>| SearchQuery {
        filters,
        ..everything.clone()
    };
    let years = Filter::Dates {
        role: Role::Date,
        from: Date::parse("2020-01-01").ok(),
        to: Date::parse("2024-12-31").ok(),
    };
    let goods = Filter::Term {
        role: Role::Category,
        key: "GD".to_owned(),
    };
    let segment = |key: &str| Filter::Prefix {
        role: Role::Commodity,
        key: key.to_owned(),
    };
    let cases = [
        ("alike, no filter", with(Vec::new())),
        ("alike, five years", with(vec![years.clone()])),
        (
            "alike, five years and a category",
            with(vec![years.clone(), goods.clone()]),
        ),
        ("alike, a segment of codes", with(vec![segment("unspsc:72")])),
        (
            "alike, five years and a rare code",
            with(vec![years, segment("unspsc:8510160")]),
        ),
    ];
    for (name, query) in cases {
        let mut next = subjects.iter().cycle();
        let mut found = 0;
        let mut ask = || {
            let words = next.next().expect("a subject");
            let similar = engine.similar(&query, words, 300, Deadline::never());
            found = similar.expect("records alike").len();
        };
        let times = Times::of(&mut ask);
        show_times(name, found as f64, &times);
    }
    let frequent: Vec<String> = ["de", "la", "pour", "services", "servic"].map(str::to_owned).into();
    let times = Times::of(|| drop(engine.similar(everything, &frequent, 300, Deadline::never())));
    show_times("alike, only the most frequent words", 300.0, &times);
    let rarity = || {
        for word in &subjects[0] {
            let _ = engine.idf(everything.entity_type, word);
        }
    };
    show_times(
        "rarity of a subject's words",
        subjects[0].len() as f64,
        &Times::of(rarity),
    );
    let page = Page {
        limit: 500,
        start: Start::Offset(0),
    };
    for key in ["unspsc:", "unspsc:72", "unspsc:85101600", "gsin:n70"] {
        let query = with(vec![segment(key)]);
        let hits = || engine.search(&query, &page, Deadline::never()).expect("hits").records;
        let found = hits().len() as f64;
        show_times(&format!("newest 500 of code {key}"), found, &Times::of(|| drop(hits())));
    }
}

fn show_times(name: &str, hits: f64, times: &Times) {
    let columns = [
        ("hits", hits),
        ("p50", times.percentile(50)),
        ("p95", times.percentile(95)),
        ("p99", times.percentile(99)),
    ];
    row(name, &columns);
}

/// What two hundred records, evenly spread, are about.
fn subjects(engine: &dyn Engine, everything: &SearchQuery) -> Vec<Vec<String>> {
    let total = engine
        .aggregate(everything, &[], ValueAggregation::None, Deadline::never())
        .expect("a count")
        .total as usize;
    let subject = |number: usize| {
        let page = Page {
            limit: 1,
            start: Start::Offset(number * total / 200),
        };
        let record = engine
            .search(everything, &page, Deadline::never())
            .expect("hits")
            .records
            .pop()?;
        let record = Record::parse(Schema::of(everything.entity_type), &record).ok()?;
        let mut words = Vec::new();
        record.similarity_terms(|word| words.push(word.to_owned()));
        (!words.is_empty()).then_some(words)
    };
    (0..200).filter_map(subject).collect()
}
