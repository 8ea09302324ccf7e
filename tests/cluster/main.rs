//! The service on a real OpenSearch cluster: the same answers as on the embedded engine, also while
//! nodes fail.
//!
//! ```text
//! cargo test --test cluster
//! cargo test --test cluster -- --ignored --test-threads 1
//! ```
//!
//! The first command compares answers, on one cluster of three nodes that all tests share. The second
//! one kills and stalls nodes of clusters of its own. Both need a JDK 21 or later and Maven, and print
//! `SKIPPED` without them.

#[path = "../it/aggregates.rs"]
mod aggregates;
#[path = "../it/api.rs"]
mod api;
#[path = "../it/bid_counts.rs"]
mod bid_counts;
#[path = "../it/bids.rs"]
mod bids;
#[path = "../it/buyers.rs"]
mod buyers;
#[allow(dead_code, reason = "the bench uses more of it")]
mod cluster;
mod compare;
mod disks;
mod faults;
#[path = "../it/feed.rs"]
mod feed;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/free_address.rs"]
mod free_address;
#[path = "../support/http.rs"]
#[allow(dead_code, reason = "other test programs use more of it")]
mod http;
mod load;
#[path = "../it/market.rs"]
mod market;
#[path = "../it/model.rs"]
mod model;
mod moves;
#[path = "../it/page_size.rs"]
mod page_size;
#[path = "../it/places.rs"]
mod places;
#[path = "../it/pro.rs"]
mod pro;
mod processes;
#[path = "../soak/random.rs"]
mod random;
mod requests;
mod runner;
#[path = "../it/scan.rs"]
mod scan;
#[path = "../it/scan_counts.rs"]
mod scan_counts;
#[path = "../it/scan_relevance.rs"]
mod scan_relevance;
#[path = "../it/scenarios.rs"]
mod scenarios;
mod shared;
mod stores;
#[path = "../it/support.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod support;
mod terminator;
mod tls;
#[path = "../support/waiting.rs"]
mod waiting;
