//! What users rely on, tested through the library's engine and over real HTTP.

mod admin;
mod aggregates;
mod alerts;
mod api;
mod architecture;
mod bodies;
mod errors;
mod feed;
mod generations;
mod keywords;
mod limits;
mod market;
mod model;
mod openapi;
mod operation;
mod overload;
mod pipelining;
mod places;
mod pro;
mod protocol;
mod raw;
mod scan;
mod scan_counts;
mod scenarios;
mod support;

mod wire;
