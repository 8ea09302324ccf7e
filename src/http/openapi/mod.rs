//! The OpenAPI 3.1 document of the interface.
//!
//! It is computed from what determines behaviour: the route table, the parameter tables, `index-schema/*.json` for
//! records, and the structs of request bodies and responses. Declared here are only common headers and errors. It
//! depends on the gateway's headers and the plans, and is rendered once at startup.

pub mod document;
pub mod errors;
pub mod headers;
pub mod operations;
pub mod parameters;
pub mod responses;
pub mod schemas;
