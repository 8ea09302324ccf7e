//! Placeholder while the floors are laid.
pub mod api;
pub mod date;
pub mod dump;
pub mod engine;
pub mod entity;
pub mod fold;
pub mod generation;
pub mod indexing;
pub mod plans;
pub mod query;
pub mod record;
pub mod schema;
pub mod stem;
pub mod vocabulary;
