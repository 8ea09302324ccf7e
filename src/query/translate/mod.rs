//! Translation of `q`: what English and French call the same, and what one of them has several terms for, found by
//! each of the terms.
//!
//! ```text
//! data/glossary.csv, commodity dictionary ──term_pairs──▶ terms with others for the same
//! data/trades.csv, commodity dictionary ──code_words──▶ codes that a term means
//! TextQuery ──lookup──▶ terms in it ──translator──▶ TextQuery with alternatives
//! ```
//!
//! **Invariant:** alternatives are only added to clauses. So without exclusions, what `q` finds is
//! also found by its translation. What is added for some words depends on these words alone.

mod code_words;
mod forms;
#[cfg(test)]
mod law_tests;
mod lookup;
mod term_pairs;
mod trades;
mod translator;

pub(crate) use code_words::MAX_CODES;
pub(crate) use forms::is_function_word;
pub(crate) use term_pairs::is_term;
pub use translator::{Addition, Translated, Translator};
