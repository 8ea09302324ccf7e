//! What users rely on, tested through the library's engine and over real HTTP.

mod generations;
mod model;
mod scan;
