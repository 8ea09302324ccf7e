//! Translation of `q`: what English and French call the same, found by either word.
//!
//! ```text
//! data/glossary.csv, commodity dictionary ──term_pairs──▶ terms with what the other language says
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
mod translator;

pub(crate) use code_words::MAX_CODES;
pub(crate) use forms::is_function_word;
pub use translator::{Addition, Translated, Translator};
