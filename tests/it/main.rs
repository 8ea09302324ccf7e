//! Integration tests: the search engine through the library, and the server over real HTTP
//! connections.

mod admin;
mod aggregates;
mod alerts;
mod analysis;
mod api;
mod architecture;
mod bid_counts;
mod bidders;
mod bids;
mod bodies;
mod body_classes;
mod buyers;
mod command_line;
mod commodities;
mod competition;
mod coverage;
mod crowding;
mod damaged_disk;
mod docs;
mod errors;
mod export_limits;
mod export_lists;
mod exports;
mod fairness;
mod feed;
mod feed_values;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/free_address.rs"]
mod free_address;
mod generations;
#[path = "../support/http.rs"]
#[allow(dead_code, reason = "other test programs use more of it")]
mod http;
mod json_schema;
mod keywords;
mod limits;
mod malformed_requests;
mod market;
mod model;
mod openapi;
mod operation;
mod overload;
mod page_size;
mod pages;
mod pipelining;
mod places;
mod pro;
mod program;
mod protocol;
mod public_bodies;
mod raw_requests;
mod scan;
mod scan_counts;
mod scan_relevance;
mod scenarios;
mod service_addresses;
mod stopping;
mod stores;
mod suggest;
mod suppliers;
mod supply_chain;
mod support;
mod translation;
#[path = "../support/waiting.rs"]
mod waiting;
mod without_cluster;
