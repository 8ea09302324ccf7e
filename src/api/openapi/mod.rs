//! The OpenAPI 3.1 document of the interface.
//!
//! It is computed from what determines behaviour: the route table, the parameter tables, `index-schema/*.json` for
//! records, and the structs of request bodies and responses. Declared here are only common headers and errors. It
//! depends on the gateway's headers and the plans, and is rendered once at startup.

pub(crate) mod document;
pub(crate) mod errors;
pub(crate) mod headers;
pub(crate) mod operations;
pub(crate) mod parameters;
pub(crate) mod responses;
pub(crate) mod schemas;
