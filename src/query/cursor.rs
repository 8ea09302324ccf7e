//! Cursors: a position in a result set as an opaque text that a client passes back.
//!
//! A cursor contains the sort key and `record_id` of the last hit and the fingerprint of the query.
//! So it survives a re-index, and cannot be used with another query. It is base64url, as a hint
//! that clients should not construct it. The content is not trusted: sizes are bounded before
//! anything is allocated.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{
    model::{Date, record::MAX_ID_BYTES},
    query::search_query::{Position, SearchQuery},
};

/// A decoded cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    fingerprint: u32,
    position: Position,
}

/// Why a cursor is refused. The caller names the parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorError {
    /// Not a text that this service encoded.
    Undecodable,
    /// Encoded for other filters or another sort.
    QueryMismatch,
}

/// Raise it when the content changes, so that an old cursor is refused instead of misread.
const VERSION: u8 = 1;

/// The maximum size of a decoded cursor in bytes: the longest id and the other members.
const MAX_BYTES: usize = MAX_ID_BYTES + 64;

type Content = (u8, u32, Option<i32>, String);

impl Cursor {
    pub fn new(query: &SearchQuery, position: Position) -> Cursor {
        Cursor::of(query.fingerprint(), position)
    }

    /// A position in the results of the query with a fingerprint.
    pub(crate) fn of(fingerprint: u32, position: Position) -> Cursor {
        Cursor { fingerprint, position }
    }

    pub fn encode(&self) -> String {
        let Position { key, record_id } = &self.position;
        let content = (VERSION, self.fingerprint, key.map(Date::days), record_id.as_str());
        let bytes = bincode::encode_to_vec(content, config()).expect("numbers and a string always encode");
        URL_SAFE_NO_PAD.encode(bytes)
    }

    pub fn decode(text: &str) -> Result<Cursor, CursorError> {
        if text.len() > MAX_BYTES * 4 / 3 + 4 {
            return Err(CursorError::Undecodable);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| CursorError::Undecodable)?;
        let (content, read): (Content, usize) =
            bincode::decode_from_slice(&bytes, config()).map_err(|_| CursorError::Undecodable)?;
        let (version, fingerprint, days, record_id) = content;
        let key = days
            .map(|days| Date::from_days(days).ok_or(CursorError::Undecodable))
            .transpose()?;
        if version != VERSION || read != bytes.len() || record_id.is_empty() {
            return Err(CursorError::Undecodable);
        }
        Ok(Cursor {
            fingerprint,
            position: Position { key, record_id },
        })
    }

    /// The position, if the cursor was made for this query.
    pub fn position_in(self, query: &SearchQuery) -> Result<Position, CursorError> {
        if self.is_of(query.fingerprint()) {
            Ok(self.position)
        } else {
            Err(CursorError::QueryMismatch)
        }
    }

    /// Whether the cursor was made for the query with a fingerprint.
    pub(crate) fn is_of(&self, fingerprint: u32) -> bool {
        self.fingerprint == fingerprint
    }

    /// The position, for a caller that has checked the fingerprint.
    pub(crate) fn position(self) -> Position {
        self.position
    }
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<MAX_BYTES>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::EntityType,
        query::search_query::{Order, Sort, SortKey},
    };

    fn query(order: Order) -> SearchQuery {
        let sort = Sort {
            key: SortKey::Date,
            order,
        };
        SearchQuery {
            entity_type: EntityType::Award,
            text: None,
            filters: Vec::new(),
            sort,
        }
    }

    #[test]
    fn a_cursor_is_valid_only_for_its_query() {
        let position = Position {
            key: Date::parse("2024-02-29").ok(),
            record_id: "é|/%".into(),
        };
        let text = Cursor::new(&query(Order::Desc), position.clone()).encode();
        let cursor = Cursor::decode(&text).unwrap();
        assert_eq!(cursor.clone().position_in(&query(Order::Desc)), Ok(position));
        assert_eq!(cursor.position_in(&query(Order::Asc)), Err(CursorError::QueryMismatch));
    }

    #[test]
    fn hostile_cursors_are_undecodable() {
        // A length prefix of 2^60 bytes must not be allocated.
        let huge = [1u8, 0, 0, 253, 255, 255, 255, 255, 255, 255, 255, 15];
        for bytes in [
            &huge[..],
            &[],
            &[9, 0, 0, 1, b'a'],
            &[1, 0, 0, 0],
            &[1, 0, 0, 1, b'a', 7],
        ] {
            assert_eq!(
                Cursor::decode(&URL_SAFE_NO_PAD.encode(bytes)),
                Err(CursorError::Undecodable),
                "{bytes:?}"
            );
        }
        assert_eq!(Cursor::decode("***"), Err(CursorError::Undecodable));
        assert_eq!(Cursor::decode(&"A".repeat(1 << 20)), Err(CursorError::Undecodable));
    }

    proptest! {
        #[test]
        fn every_position_round_trips(days in proptest::option::of(-700_000i32..2_900_000), record_id in "\\PC{1,200}") {
            let position = Position { key: days.and_then(Date::from_days), record_id };
            let text = Cursor::new(&query(Order::Desc), position.clone()).encode();
            prop_assert_eq!(Cursor::decode(&text).unwrap().position_in(&query(Order::Desc)), Ok(position));
        }

        #[test]
        fn decoding_never_panics(text in "\\PC{0,60}") {
            let _ = Cursor::decode(&text);
        }
    }
}
