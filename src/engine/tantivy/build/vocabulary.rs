//! The words of an index, from which its stem tables are made.

use std::io;

use super::merge::TermVisitor;

/// The words that may have a stem.
#[derive(Default)]
pub(super) struct Vocabulary(pub(super) Vec<String>);

impl TermVisitor for Vocabulary {
    fn term(&mut self, term: &[u8]) -> io::Result<()> {
        let word = String::from_utf8_lossy(term);
        if word.chars().all(char::is_alphabetic) {
            self.0.push(word.into_owned());
        }
        Ok(())
    }

    fn document(&mut self, _: u32) {}
}
