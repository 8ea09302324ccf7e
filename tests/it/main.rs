//! What users rely on, tested through the library's engine and over real HTTP.

mod api;
mod errors;
mod generations;
mod limits;
mod model;
mod operation;
mod places;
mod scan;
mod scenarios;
mod support;
mod tidy;
