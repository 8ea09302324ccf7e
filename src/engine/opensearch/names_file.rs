//! What the engine keeps in memory of an entity type, as a file of the generation.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{facet_codes::FacetTable, vocabulary::StoredVocabulary};
use crate::model::EntityType;

/// The values of facets, the keys that are too long for a pattern, and the words.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Names {
    /// All facets that some record has.
    pub(crate) facets: Vec<FacetTable>,
    pub(crate) long_keys: LongKeys,
    pub(crate) vocabulary: StoredVocabulary,
}

/// The keys of each role that are too long for a pattern, by the name of the role.
pub(crate) type LongKeys = BTreeMap<String, BTreeSet<String>>;

/// The name of the file of an entity type.
pub(crate) fn names_file(entity_type: EntityType) -> String {
    format!("names.{entity_type}.json")
}
