//! Terms and clauses of a text query as `q` would write them.

use crate::query::text::{Clause, Term};

/// A word, or a phrase in double quotes.
pub(crate) fn term_text(term: &Term) -> String {
    match term {
        Term::Word(word) => word.clone(),
        Term::Phrase(words) => format!("\"{}\"", words.join(" ")),
    }
}

/// Alternatives joined by `OR`; an excluded term with a minus.
pub(crate) fn clause_text(clause: &Clause) -> String {
    match clause {
        Clause::Any(terms) => terms.iter().map(term_text).collect::<Vec<_>>().join(" OR "),
        Clause::Not(term) => format!("-{}", term_text(term)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::query::text::TextQuery;

    proptest! {
        /// Parsing what is written gives the same clauses.
        #[test]
        fn a_clause_is_written_as_it_is_parsed(text in "([ab]{1,3}|\"[ab c]{1,5}\"|OR|-|EN5-1| ){0,8}") {
            let parsed = TextQuery::parse(&text).unwrap();
            for clause in parsed.clauses() {
                let again = TextQuery::parse(&clause_text(clause)).unwrap();
                prop_assert_eq!(again.clauses(), std::slice::from_ref(clause));
            }
        }
    }
}
