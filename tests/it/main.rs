//! What users rely on, tested through the library's engine and over real HTTP.

mod admin;
mod aggregates;
mod api;
mod errors;
mod generations;
mod limits;
mod model;
mod openapi;
mod operation;
mod overload;
mod pipelining;
mod places;
mod protocol;
mod raw;
mod scan;
mod scan_counts;
mod scenarios;
mod support;
mod tidy;
mod wire;
