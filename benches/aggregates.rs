//! How long counting takes: `cargo bench --bench aggregates [-- --records N --dir DIR]`. Times are of the engine, in one process; the first row is the yardstick, a page of
//! fifty records without any filter.

mod support;

use procure::{
    date::Date,
    engine::{
        Deadline,
        tally::{Measure, Tally, Want},
    },
    entity::EntityType,
    facet::Facet,
    generation,
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
    let all: Vec<Want> = Facet::ALL.into_iter().map(|facet| Want { facet, most: 50 }).collect();
    let ten = |facet| [Want { facet, most: 10 }];
    let ask = |q: Option<&str>, filters: Vec<Filter>| SearchQuery {
        entity_type: EntityType::Contract,
        text: q.map(|q| TextQuery::parse(q).expect("a query")),
        filters,
        sort: Sort {
            key: SortKey::Date,
            order: Order::Desc,
        },
    };
    let tally = |query: &SearchQuery, wants: &[Want]| {
        engine
            .tally(query, wants, Measure::Spread, Deadline::never())
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
        let names = || engine.names(&[EntityType::Contract], Facet::Vendor, part, 0..20);
        show(
            &format!("/vendors q={part}"),
            names().total,
            &Times::of(|| drop(names())),
        );
    }
    let departments = || engine.names(&[EntityType::Contract], Facet::Department, "", 0..20);
    show(
        "/departments, all",
        departments().total,
        &Times::of(|| drop(departments())),
    );
    let stats = |name: &str, query: SearchQuery| {
        let Tally { total, .. } = tally(&query, &all);
        show(
            &format!("stats, {name}"),
            total,
            &Times::of_some(20, || drop(tally(&query, &all))),
        );
    };
    stats("everything, computed", everything.clone());
    stats("a frequent word", ask(Some("services"), Vec::new()));
    let year = |from: &str, to: &str| Filter::Dates {
        role: procure::schema::Role::Date,
        from: Date::parse(from).ok(),
        to: Date::parse(to).ok(),
    };
    stats("a year", ask(None, vec![year("2019-01-01", "2019-12-31")]));
    stats(
        "a word and a month",
        ask(Some("services"), vec![year("2019-01-01", "2019-01-31")]),
    );
    // Vendors by rank: the first has most records, the one in the middle is the median.
    let total = engine.names(&[EntityType::Contract], Facet::Vendor, "", 0..1).total as usize;
    for (name, place) in [("biggest", 0), ("median", total / 2)] {
        let found = engine.names(&[EntityType::Contract], Facet::Vendor, "", place..place + 1);
        let vendor = &found.rows[0];
        let named = engine
            .named(EntityType::Contract, Facet::Vendor, &vendor.name)
            .expect("the vendor");
        let query = ask(
            None,
            vec![Filter::Named {
                facet: Facet::Vendor,
                key: named.key,
            }],
        );
        let times = Times::of_some(50, || {
            drop(tally(&query, &ten(Facet::Department)));
            drop(page(&query, 100));
        });
        show(&format!("profile of the {name} vendor"), vendor.records, &times);
    }
    row(
        "memory of the process beyond the page cache",
        &[("anonymous_mb", usage(std::process::id()).anonymous_mb)],
    );
}
