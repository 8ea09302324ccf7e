//! The records of all suppliers that have the words of a supplier's name in theirs: consortia, divisions and firms of
//! one group, which no rule joins with it.

use crate::{
    api::params::parse::MIN_NAME_LENGTH,
    catalog::{
        ask::Ask,
        suppliers::{Party, Supplier, begin_alike::words_of_firm},
    },
    engine::Error,
    model::{EntityType, Role, fold::fold, record::query_key},
    pages::{
        address::{self, Parameters},
        messages::Texts,
    },
    query::{Filter, SearchQuery},
};

/// How many records of the shown entity type they have, as a link to these.
pub(super) struct WordsOfName {
    pub(super) text: String,
    pub(super) href: String,
}

impl WordsOfName {
    /// `None` if no other supplier has the words, or if counting takes too long.
    pub(super) fn of(ask: &Ask, t: Texts, of: &Supplier, kind: EntityType) -> Result<Option<WordsOfName>, Error> {
        let list = ask.generation.parties(Party::Supplier);
        let Some(words) = words_of_firm(of).filter(|words| fold(words).len() >= MIN_NAME_LENGTH) else {
            return Ok(None);
        };
        let own = list.find_id(&of.id);
        let is_other = |number: &u32| Some(*number) != own && list.records(*number) > 0;
        if !list.containing(words).iter().any(is_other) {
            return Ok(None);
        }
        let counted = ask.count(&SearchQuery::newest(
            kind,
            vec![Filter::Contains {
                role: Role::Vendor,
                key: query_key(Role::Vendor, words),
            }],
        ));
        let records = match counted {
            Err(Error::Timeout) => 0,
            counted => counted?,
        };
        let count = t.keyed_with("search-records-", kind.name(), &[("count", &records)]);
        Ok((records > 0).then(|| WordsOfName {
            text: t.with("supplier-words-of-name", &[("records", &count), ("words", &words)]),
            href: address::search(t.language(), kind, &Parameters::default().with("vendor", words)),
        }))
    }
}
