//! How long estimates and comparables take: `cargo bench --bench market [-- --records N --dir
//! DIR]`.
//!
//! Measured in one process on all cores, without HTTP. The items are needs taken from contracts of
//! the collection.

mod support;

use procure::{
    catalog::{
        estimates::{
            ComparablesOptions,
            answer::{EstimateItem, NeedItem},
            limits::{DEFAULT_YEARS_BACK, MAX_ITEMS},
        },
        generation,
    },
    engine::{Deadline, Engine},
    model::{date::Date, entity_type::EntityType, record::Record, schema::Schema},
    query::{Page, SearchQuery, Start},
};
use rayon::prelude::*;
use support::{Arguments, Times, index, row};

/// How many different needs are used in turn.
const NEEDS: usize = 200;

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let index_dir = index(&dir, records);
    let id = generation::current(&index_dir)
        .expect("an index")
        .expect("a generation");
    let generation = generation::open(&index_dir, &id).expect("a generation that opens");
    let today = Date::parse("2026-01-01").expect("a day");
    let market = generation.market(today, DEFAULT_YEARS_BACK, Deadline::never());
    let needs = needs(&*generation.engine, records as usize);
    let options = ComparablesOptions {
        limit: 10,
        max_bytes: usize::MAX,
        exclude: &[],
    };
    eprintln!(
        "\nestimates over {records} contracts (ms), calibrated by {}",
        generation.calibration.contracts
    );
    let mut turn = needs.iter().cycle();
    let mut one = || turn.next().expect("a need");
    let shown = |name: &str, times: &Times| {
        let columns = [50, 95, 99].map(|p| times.percentile(p));
        row(name, &[("p50", columns[0]), ("p95", columns[1]), ("p99", columns[2])]);
    };
    let estimate = |item: &EstimateItem| drop(market.estimate(item).expect("an estimate"));
    let comps = |item: &EstimateItem| drop(market.comps(item, &options).expect("comparables"));
    shown("estimate, one item", &Times::of_some(NEEDS, || estimate(one())));
    shown("comparables, one item", &Times::of_some(NEEDS, || comps(one())));
    let batches: Vec<&[EstimateItem]> = needs.chunks(MAX_ITEMS).collect();
    let mut turn = batches.iter().cycle();
    let mut batch = || *turn.next().expect("a batch");
    shown(
        "estimate, 50 items",
        &Times::of_some(20, || batch().par_iter().for_each(estimate)),
    );
    shown(
        "comparables, 50 items",
        &Times::of_some(20, || batch().par_iter().for_each(comps)),
    );
}

/// Needs taken from contracts spread evenly over the collection.
fn needs(engine: &dyn Engine, records: usize) -> Vec<EstimateItem> {
    let query = SearchQuery::newest(EntityType::Contract, Vec::new());
    let need = |number: usize| {
        let page = Page {
            limit: 1,
            start: Start::Offset(number * (records / NEEDS)),
        };
        let hits = engine.search(&query, &page, Deadline::never()).expect("a record");
        let record = Record::parse(Schema::of(EntityType::Contract), &hits.records[0]).expect("a record");
        let text = |names: &[&str]| names.iter().find_map(|name| record.text(name)).map(str::to_owned);
        EstimateItem::Need(NeedItem {
            gsin: text(&["unspsc", "gsin"]).unwrap_or_default(),
            department: text(&["department_en", "department_fr", "buyer_name"]),
            category: text(&["procurement_category"]),
            province: None,
            title: text(&["title_en", "title_fr"]),
        })
    };
    (0..NEEDS).map(need).collect()
}
