//! The Tantivy engine.
