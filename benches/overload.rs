//! Look-ups of one key while two others send bursts of expensive requests:
//! `cargo bench --bench overload [-- --records N --dir DIR]`.
//!
//! The server has records of all entity types. `lookups` is how many records, pages of ten and lists of names another
//! key got while a burst lasted; `p50`, `p99` and `max` are their times in milliseconds. `200`, `503` and `504` are how
//! often the burst was answered so, and `…_max` the longest time until such an answer.

mod support;

use support::{Arguments, load, mixed_index, row, server::Server};

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let server = Server::start(&mixed_index(&dir, records), &dir, "overload");
    let (second, third) = (server.further_key(), server.further_key());
    eprintln!("\noverload, {records} records (ms)");
    load::table(&server.address, [&server.key, &second, &third], row);
}
