//! The layout of one entity type in a Tantivy index: one index field for each role, named like the
//! role.
//!
//! **Invariant:** an index has at most one segment, and its document numbers follow (event date
//! desc, record_id asc), undated records last. Nothing is stored in Tantivy: the records are in
//! [`super::record_store`].

use tantivy::{
    Index, IndexSettings, TantivyDocument,
    schema::{Field, IndexRecordOption, NumericOptions, Schema as IndexSchema, TextFieldIndexing, TextOptions},
    tokenizer::{RawTokenizer, Token, TokenStream, Tokenizer, TokenizerManager, WhitespaceTokenizer},
};

use crate::{
    engine::{names::NAMES, relevance},
    model::{Record, Role, Schema, fold::words},
};

/// The folder of the Tantivy index inside the folder of an entity type.
pub(crate) const INDEX_FOLDER: &str = "tantivy";

/// Roles indexed as whole keys: found by term.
const KEYS: [Role; 9] = [
    Role::RecordId,
    Role::Municipality,
    Role::Category,
    Role::Status,
    Role::NoticeType,
    Role::VendorProvince,
    Role::ReferenceNumber,
    Role::SolicitationNumber,
    Role::QualityFlag,
];

/// Roles indexed as columns of days since 1970-01-01.
pub(crate) const DATES: [Role; 2] = [Role::Date, Role::ClosingDate];

const WORDS: &str = "words";
const WHOLE: &str = "whole";
const STEMS: &str = "stems";

/// The name of the field with the terms of [`relevance::index_terms`].
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
        let text = |tokenizer: &str, option: IndexRecordOption| {
            TextOptions::default().set_indexing_options(
                TextFieldIndexing::default()
                    .set_tokenizer(tokenizer)
                    .set_index_option(option)
                    .set_fieldnorms(false),
            )
        };
        let key = text(WHOLE, IndexRecordOption::Basic);
        let day = NumericOptions::default().set_fast();
        for role in KEYS {
            fields.push((role, builder.add_text_field(role.name(), key.clone())));
        }
        // Also a column of ordinals, for searches by a part of the key.
        for role in NAMES {
            fields.push((role, builder.add_text_field(role.name(), key.clone().set_fast(WHOLE))));
        }
        for role in DATES {
            fields.push((role, builder.add_i64_field(role.name(), day.clone())));
        }
        for role in [Role::Value, Role::OriginalValue] {
            fields.push((role, builder.add_f64_field(role.name(), day.clone())));
        }
        let running = text(WORDS, IndexRecordOption::WithFreqsAndPositions);
        fields.push((Role::Text, builder.add_text_field(Role::Text.name(), running)));
        let stems = text(STEMS, IndexRecordOption::Basic);
        fields.push((
            Role::Subject,
            builder.add_text_field(Role::Subject.name(), stems.clone()),
        ));
        let relevance = builder.add_text_field(RELEVANCE, stems);
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

    pub(crate) fn document(&self, record: &Record) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        for (role, field) in &self.fields {
            match role {
                Role::Text => record.texts(*role).for_each(|text| document.add_text(*field, text)),
                Role::Subject => document.add_text(*field, joined(|each| record.similarity_terms(each))),
                Role::Value => {
                    if let Some(value) = record.value() {
                        document.add_f64(*field, value);
                    }
                }
                Role::OriginalValue => {
                    if let Some(value) = record.original_value() {
                        document.add_f64(*field, value);
                    }
                }
                Role::Date | Role::ClosingDate => {
                    if let Some(date) = record.date(*role) {
                        document.add_i64(*field, date.days().into());
                    }
                }
                _ => record.keys(*role).iter().for_each(|key| document.add_text(*field, key)),
            }
        }
        let terms = joined(|each| relevance::index_terms(record, each));
        document.add_text(self.relevance, terms);
        document
    }

    pub(crate) fn settings() -> IndexSettings {
        IndexSettings {
            docstore_compression: tantivy::store::Compressor::None,
            docstore_compress_dedicated_thread: false,
            ..IndexSettings::default()
        }
    }
}

/// Terms joined by blanks; the whitespace tokenizer splits them again.
fn joined(terms: impl FnOnce(&mut dyn FnMut(&str))) -> String {
    let mut joined = String::new();
    terms(&mut |term| {
        joined.push_str(term);
        joined.push(' ');
    });
    joined
}

/// Our own tokenizers. An index does not store them: register them after opening it.
pub(crate) fn tokenizers() -> TokenizerManager {
    // Tantivy looks up its default tokenizer even for fields without text.
    let manager = TokenizerManager::default();
    manager.register(WORDS, WordTokenizer::default());
    manager.register(STEMS, WhitespaceTokenizer::default());
    manager.register(WHOLE, RawTokenizer::default());
    manager
}

pub(crate) fn with_tokenizers(mut index: Index) -> Index {
    index.set_tokenizers(tokenizers());
    index.set_fast_field_tokenizers(tokenizers());
    index
}

/// [`words`] as a Tantivy tokenizer.
#[derive(Clone, Default)]
struct WordTokenizer {
    /// The folded words of the current text, concatenated.
    folded: String,
    /// Where each word ends.
    ends: Vec<usize>,
    token: Token,
}

struct WordStream<'a> {
    tokenizer: &'a mut WordTokenizer,
    next: usize,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.folded.clear();
        self.ends.clear();
        self.token.reset();
        words(text, |word| {
            self.folded.push_str(word);
            self.ends.push(self.folded.len());
        });
        WordStream {
            tokenizer: self,
            next: 0,
        }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let WordTokenizer { folded, ends, token } = &mut *self.tokenizer;
        let Some(end) = ends.get(self.next) else {
            return false;
        };
        let start = if self.next == 0 { 0 } else { ends[self.next - 1] };
        token.text.clear();
        token.text.push_str(&folded[start..*end]);
        token.position = self.next;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.tokenizer.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokenizer.token
    }
}
