//! A UNSPSC code as an object with all its levels: `{"segment": 72000000, "segmentTitle": …, "family": …}`.

use serde_json::Value;

use crate::sources::reading::{RowCounts, text_at};

/// The finest first.
const LEVELS: [&str; 4] = ["commodity", "class", "family", "segment"];

/// The number of the finest level, or, with the suffix `Title`, its words.
pub(crate) fn finest(code: &Value, suffix: &str) -> Option<String> {
    LEVELS
        .iter()
        .find_map(|level| text_at(code, &format!("/{level}{suffix}")))
}

/// Teaches the words of the levels above the finest: the record states the finest alone.
pub(crate) fn teach_higher(code: &Value, counts: &mut RowCounts) {
    let levels = LEVELS.map(|level| ["", "Title"].map(|suffix| text_at(code, &format!("/{level}{suffix}"))));
    for [number, title] in levels.iter().filter(|[number, _]| number.is_some()).skip(1) {
        counts.teach(|field| match field {
            "unspsc" => number.as_deref(),
            "unspsc_description_en" => title.as_deref(),
            _ => None,
        });
    }
}
