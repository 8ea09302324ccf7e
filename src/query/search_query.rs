//! [`SearchQuery`]: filters, text, order and page of a search.
//!
//! **Rule:** every [`Filter`] has a direct counterpart in the Elasticsearch query language, named
//! at the variant, so that a remote engine can implement [`crate::engine::Engine`]. The `http`
//! layer makes a [`SearchQuery`] from what a client sent; the engine decides how an index answers
//! it.

use serde::Serialize;

use crate::{
    model::{Date, EntityType, Facet, Role, vocabulary::NO_QUALITY_FLAG},
    query::text::TextQuery,
};

/// Which records, in which order. Equal queries have equal
/// [fingerprints](SearchQuery::fingerprint).
///
/// ```
/// use procure::{
///     model::{entity_type::EntityType, schema::Role},
///     query::{Filter, SearchQuery, text::TextQuery},
/// };
///
/// // Tenders of Montréal about roads, without snow removal, newest first.
/// let query = SearchQuery {
///     text: Some(TextQuery::parse("roads -\"snow removal\"").unwrap()),
///     ..SearchQuery::newest(
///         EntityType::Tender,
///         vec![Filter::Term { role: Role::Municipality, key: "montreal".to_owned() }],
///     )
/// };
/// let everything = SearchQuery::newest(EntityType::Tender, Vec::new());
/// assert!(everything.matches_all() && !query.matches_all());
/// assert_ne!(query.fingerprint(), everything.fingerprint());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchQuery {
    pub entity_type: EntityType,
    /// `q`: all its clauses must match.
    pub text: Option<TextQuery>,
    /// All must match.
    pub filters: Vec<Filter>,
    pub sort: Sort,
}

/// One condition on a record. Keys are already folded by [`crate::model::record::query_key`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// One of the role's keys equals `key` (`term`).
    Term { role: Role, key: String },
    /// One of the role's keys equals one of `keys` (`terms`).
    AnyTerm { role: Role, keys: Vec<String> },
    /// One of the role's keys starts with `key` (`prefix`).
    Prefix { role: Role, key: String },
    /// One of the role's keys contains `key` (`wildcard` with `*key*`). For [`Role::Department`], also
    /// one that is another name of a department with such a key (`terms`).
    Contains { role: Role, key: String },
    /// The role's date is between two days, both included (`range`). A record without the date
    /// does not match.
    Dates {
        role: Role,
        from: Option<Date>,
        to: Option<Date>,
    },
    /// The record has the value of a facet that this key identifies, in any spelling: a vendor or a
    /// department (`terms` over the spellings).
    // The serialized name is part of the fingerprint, hence of cursors that clients hold.
    #[serde(rename = "named")]
    FacetValue { facet: Facet, key: String },
    /// The record has a value of a facet that one of these keys identifies: any name of a supplier (`terms` over the
    /// spellings).
    AnyFacetValue { facet: Facet, keys: Vec<String> },
    /// The record's value is between two bounds, both included (`range`). A record without a
    /// value does not match.
    Values { min: Option<f64>, max: Option<f64> },
}

/// The order of the hits. Records without the sort key come last in either direction, by ascending
/// `record_id`.
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
    EndDate,
    Value,
    /// How well the record fits the text ([`crate::engine::relevance`]); equally good ones in the
    /// default order. Only `Desc`, only with a text, and only with [`Start::Offset`].
    Relevance,
}

/// `Desc` breaks ties by ascending `record_id`. `Asc` is its exact reverse among the records that
/// have the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    Asc,
    Desc,
}

/// Which part of the hits: up to `limit` of them, beginning at `start`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Page {
    pub limit: usize,
    pub start: Start,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// Skip this many hits.
    Offset(usize),
    /// Begin with the first hit after this position (`search_after`). Never with
    /// [`SortKey::Value`] or [`SortKey::Relevance`].
    After(Position),
}

/// A position in an order by date: the position of the record with this key and id, whether or not the
/// record (still) exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    pub key: Option<Date>,
    pub record_id: String,
}

impl SearchQuery {
    /// Only the records without a quality flag.
    pub(crate) fn without_doubts(mut self) -> SearchQuery {
        self.filters.push(Filter::Term {
            role: Role::QualityFlag,
            key: NO_QUALITY_FLAG.to_owned(),
        });
        self
    }

    /// The records of an entity type that pass the filters, newest first.
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

    /// Whether every record of the entity type matches.
    pub fn matches_all(&self) -> bool {
        self.text.is_none() && self.filters.is_empty()
    }

    /// CRC-32 of the query: binds a cursor to the filters and sort that it was made for. The page
    /// does not count.
    pub fn fingerprint(&self) -> u32 {
        crc32fast::hash(&serde_json::to_vec(self).expect("a query of strings, numbers and dates always serializes"))
    }
}

impl SortKey {
    /// The role that this key sorts by.
    pub(crate) const fn role(self) -> Role {
        match self {
            SortKey::Date => Role::Date,
            SortKey::ClosingDate => Role::ClosingDate,
            SortKey::EndDate => Role::EndDate,
            SortKey::Value => Role::Value,
            SortKey::Relevance => Role::Text,
        }
    }

    /// The role of a key that is a date; `None` for other keys.
    pub(crate) const fn date_role(self) -> Option<Role> {
        match self {
            SortKey::Value | SortKey::Relevance => None,
            SortKey::Date | SortKey::ClosingDate | SortKey::EndDate => Some(self.role()),
        }
    }

    /// The order by the dates of a role, if there is one.
    pub(crate) fn of_dates(role: Role) -> Option<SortKey> {
        let by_date = [SortKey::Date, SortKey::ClosingDate, SortKey::EndDate];
        by_date.into_iter().find(|key| key.role() == role)
    }

    /// Whether a position in this order can be named, so that a page can begin after it.
    pub(crate) const fn has_positions(self) -> bool {
        self.date_role().is_some()
    }
}
