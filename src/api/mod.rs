//! The edge: HTTP in, HTTP out. It parses what a client said, asks the engine, and words the answer.

pub mod error;
pub mod params;
