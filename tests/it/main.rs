//! What users rely on, tested through the library's engine and over real HTTP.

mod aggregates;
mod api;
mod errors;
mod generations;
mod model;
mod operation;
mod places;
mod scan;
mod scan_counts;
mod scenarios;
mod support;
mod tidy;
