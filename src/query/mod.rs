//! A search as the engine understands it: closed, serialisable, free of HTTP.
//!
//! **Rule:** every [`Filter`] has a direct counterpart in the Elasticsearch query language, named at the variant, so that a remote engine
//! can be put behind [`crate::engine::Engine`]. What a client wrote becomes a [`SearchQuery`] in `api`; what it means on an
//! index is the engine's.

pub mod cursor;
pub mod keyword;
pub mod text;

use serde::Serialize;

use crate::{
    model::{date::Date, entity_type::EntityType, facet::Facet, schema::Role},
    query::text::TextQuery,
};

/// Which records, in which order. Two equal queries have equal [`SearchQuery::fingerprint`]s.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchQuery {
    pub entity_type: EntityType,
    /// `q`: all its clauses must hold.
    pub text: Option<TextQuery>,
    /// All must hold.
    pub filters: Vec<Filter>,
    pub sort: Sort,
}

/// One condition on a record. Keys are folded already, by [`crate::model::record::query_key`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// One of the role's keys equals `key` (`term`).
    Term { role: Role, key: String },
    /// One of the role's keys starts with `key` (`prefix`).
    Prefix { role: Role, key: String },
    /// One of the role's keys holds `key` (`wildcard` with `*key*`).
    Contains { role: Role, key: String },
    /// The role's day lies between two days, both included (`range`). A record without the day does not match.
    Dates {
        role: Role,
        from: Option<Date>,
        to: Option<Date>,
    },
    /// The record's value of a facet is the one with this key (`terms`, over the spellings of it): a vendor or a department, whichever way it is written.
    Named { facet: Facet, key: String },
    /// The record's value lies between two bounds, both included (`range`). A record without a value does not match.
    Values { min: Option<f64>, max: Option<f64> },
}

/// The order of the hits. A record without the key comes last in either direction, those by ascending `record_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sort {
    pub key: SortKey,
    pub order: Order,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SortKey {
    Date,
    ClosingDate,
    Value,
}

/// `Desc` breaks ties by ascending `record_id`; `Asc` is its exact reverse among the records that have the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    Asc,
    Desc,
}

/// Which part of the hits: at most `limit` of them, from `start` on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Page {
    pub limit: usize,
    pub start: Start,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// So many hits are passed over.
    Offset(usize),
    /// The first hit is the one behind this place (`search_after`); never with [`SortKey::Value`].
    After(Position),
}

/// A place in an order by date: the place of the record with this key and id, whether or not it (still) exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    pub key: Option<Date>,
    pub record_id: String,
}

impl SearchQuery {
    /// The records of a kind for which these hold, the newest first.
    pub fn newest(entity_type: EntityType, filters: Vec<Filter>) -> SearchQuery {
        SearchQuery {
            entity_type,
            text: None,
            filters,
            sort: Sort {
                key: SortKey::Date,
                order: Order::Desc,
            },
        }
    }

    /// Whether every record of the kind matches.
    pub fn is_everything(&self) -> bool {
        self.text.is_none() && self.filters.is_empty()
    }

    /// Tells the cursors of this query from those of any other: filters and sort count, the page does not.
    pub fn fingerprint(&self) -> u32 {
        // A struct of strings, numbers and dates always serializes; an empty text would only refuse the cursor.
        crc32fast::hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}

impl SortKey {
    /// The role of the day this key sorts by; `None` for the value.
    pub const fn date_role(self) -> Option<Role> {
        match self {
            SortKey::Date => Some(Role::Date),
            SortKey::ClosingDate => Some(Role::ClosingDate),
            SortKey::Value => None,
        }
    }
}
