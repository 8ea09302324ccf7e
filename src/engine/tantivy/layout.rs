//! The layout of one entity type in a Tantivy index: one index field for each role, named like the
//! role.
//!
//! **Invariant:** an index has at most one segment, and its document numbers follow (event date
//! desc, record_id asc), undated records last. Tantivy holds terms and postings only: the records are in
//! [`super::record_store`], dates and values in [`super::columns`].

use tantivy::{
    IndexSettings,
    schema::{Field, IndexRecordOption, Schema as IndexSchema, TextFieldIndexing, TextOptions},
};

use crate::{
    engine::names::NAMES,
    model::{Role, Schema, role::RoleStorage},
};

/// The folder of the Tantivy index inside the folder of an entity type.
pub(crate) const INDEX_FOLDER: &str = "tantivy";

/// The file of a generation with its departments.
pub(super) const DEPARTMENTS: &str = "departments.json";

/// Roles that are found by their whole key only.
const KEYS: [Role; Role::number_of(RoleStorage::Key)] = Role::stored_as(RoleStorage::Key);

/// Roles with a column of days since 1970-01-01.
pub(crate) const DATES: [Role; Role::number_of(RoleStorage::Day)] = Role::stored_as(RoleStorage::Day);

/// Roles with a column of dollars.
pub(super) const AMOUNTS: [Role; Role::number_of(RoleStorage::Amount)] = Role::stored_as(RoleStorage::Amount);

/// The number of [`keyed`] roles.
pub(super) const KEYED: usize = KEYS.len() + NAMES.len();

/// Roles indexed as whole keys: found by term. Those of [`NAMES`] are also found by a part of the key
/// ([`super::key_dictionary`]).
pub(super) fn keyed() -> impl Iterator<Item = Role> {
    KEYS.into_iter().chain(NAMES)
}

/// The name of the field with the terms of [`crate::engine::relevance::index_terms`].
const RELEVANCE: &str = "relevance";

/// The index fields of an entity type.
#[derive(Clone)]
pub(crate) struct IndexLayout {
    pub(crate) index_schema: IndexSchema,
    fields: Vec<(Role, Field)>,
    relevance: Field,
}

impl IndexLayout {
    pub(crate) fn new(schema: &Schema) -> IndexLayout {
        let mut builder = IndexSchema::builder();
        let mut fields = Vec::new();
        let text = |option: IndexRecordOption| {
            let indexing = TextFieldIndexing::default();
            TextOptions::default().set_indexing_options(
                indexing
                    .set_tokenizer(WHOLE)
                    .set_index_option(option)
                    .set_fieldnorms(false),
            )
        };
        let terms = text(IndexRecordOption::Basic);
        for role in keyed() {
            fields.push((role, builder.add_text_field(role.name(), terms.clone())));
        }
        let running = text(IndexRecordOption::WithFreqsAndPositions);
        fields.push((Role::Text, builder.add_text_field(Role::Text.name(), running)));
        fields.push((
            Role::Subject,
            builder.add_text_field(Role::Subject.name(), terms.clone()),
        ));
        let relevance = builder.add_text_field(RELEVANCE, terms);
        // The index schema has a field for every role. Fields that the entity type is not searched
        // by stay empty.
        fields.retain(|(role, _)| schema.is_searchable_by(*role));
        IndexLayout {
            index_schema: builder.build(),
            fields,
            relevance,
        }
    }

    /// The index field of a role; `None` where the entity type cannot be searched by it.
    pub(crate) fn field(&self, role: Role) -> Option<Field> {
        self.fields
            .iter()
            .find(|(known, _)| *known == role)
            .map(|(_, field)| *field)
    }

    /// The field with the words of each tier of relevance.
    pub(crate) fn relevance(&self) -> Field {
        self.relevance
    }

    pub(crate) fn settings() -> IndexSettings {
        IndexSettings {
            docstore_compression: tantivy::store::Compressor::None,
            docstore_compress_dedicated_thread: false,
            ..IndexSettings::default()
        }
    }
}

/// The name of a tokenizer that Tantivy has. Terms reach the index as they are, and queries are made of terms, so
/// nothing is ever split by it.
const WHOLE: &str = "raw";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityType;

    #[test]
    fn every_stored_role_has_a_field_or_a_column() {
        for schema in EntityType::ALL.map(Schema::of) {
            let layout = IndexLayout::new(schema);
            for role in Role::all().filter(|role| schema.is_searchable_by(*role)) {
                let is_expected = match role.storage() {
                    RoleStorage::Day => DATES.contains(&role),
                    RoleStorage::Amount => AMOUNTS.contains(&role),
                    RoleStorage::Id | RoleStorage::None => layout.field(role).is_none(),
                    _ => layout.field(role).is_some(),
                };
                assert!(is_expected, "{}: {role:?}", schema.entity_type);
            }
        }
    }
}
