//! A place in a result set, handed to the client as an opaque word and taken back.
//!
//! Base64url "to hint that it should not be made by hand". It holds the sort key and `record_id` of the last hit and the fingerprint of the
//! query, so it survives a re-index and cannot be used with another query. Nothing in it is trusted: sizes are bounded before anything is allocated.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{
    model::{date::Date, record::MAX_ID_BYTES},
    query::search_query::{Position, SearchQuery},
};

/// Decoded, and known to belong to the query it came with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    fingerprint: u32,
    position: Position,
}

/// Why a cursor cannot be used; the caller names the parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorError {
    /// Not a word this service made.
    Undecodable,
    /// Made for other filters or another sort.
    OfAnotherQuery,
}

/// Raised when the content changes, so that an old cursor is refused rather than misread.
const VERSION: u8 = 1;

/// The most bytes a cursor decodes to: the longest id and its company.
const LONGEST: usize = MAX_ID_BYTES + 64;

type Content = (u8, u32, Option<i32>, String);

impl Cursor {
    pub fn new(query: &SearchQuery, position: Position) -> Cursor {
        Cursor::of(query.fingerprint(), position)
    }

    /// A place in what a fingerprint stands for.
    pub fn of(fingerprint: u32, position: Position) -> Cursor {
        Cursor { fingerprint, position }
    }

    pub fn encode(&self) -> String {
        let Position { key, record_id } = &self.position;
        let content = (VERSION, self.fingerprint, key.map(Date::days), record_id.as_str());
        let bytes = bincode::encode_to_vec(content, config()).expect("numbers and a string always encode");
        URL_SAFE_NO_PAD.encode(bytes)
    }

    pub fn decode(text: &str) -> Result<Cursor, CursorError> {
        if text.len() > LONGEST * 4 / 3 + 4 {
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

    /// The place, if the cursor was made for this query.
    pub fn position_in(self, query: &SearchQuery) -> Result<Position, CursorError> {
        match self.is_of(query.fingerprint()) {
            true => Ok(self.position),
            false => Err(CursorError::OfAnotherQuery),
        }
    }

    /// Whether it was made for what the fingerprint stands for.
    pub fn is_of(&self, fingerprint: u32) -> bool {
        self.fingerprint == fingerprint
    }

    /// The place, for whoever knows what it is in.
    pub fn position(self) -> Position {
        self.position
    }
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<LONGEST>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::entity_type::EntityType,
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
    fn a_cursor_is_good_for_its_own_query_only() {
        let position = Position {
            key: Date::parse("2024-02-29").ok(),
            record_id: "é|/%".into(),
        };
        let text = Cursor::new(&query(Order::Desc), position.clone()).encode();
        let cursor = Cursor::decode(&text).unwrap();
        assert_eq!(cursor.clone().position_in(&query(Order::Desc)), Ok(position));
        assert_eq!(cursor.position_in(&query(Order::Asc)), Err(CursorError::OfAnotherQuery));
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
        fn every_place_comes_back(days in proptest::option::of(-700_000i32..2_900_000), record_id in "\\PC{1,200}") {
            let position = Position { key: days.and_then(Date::from_days), record_id };
            let text = Cursor::new(&query(Order::Desc), position.clone()).encode();
            prop_assert_eq!(Cursor::decode(&text).unwrap().position_in(&query(Order::Desc)), Ok(position));
        }

        #[test]
        fn nothing_makes_it_panic(text in "\\PC{0,60}") {
            let _ = Cursor::decode(&text);
        }
    }
}
