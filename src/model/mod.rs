//! The domain: entity types, dates, record schemas, vocabularies and the one way to fold text.
//!
//! **Invariant:** nothing here knows of files, indexes or HTTP.

pub mod bids;
pub(crate) mod body_class;
pub(crate) mod body_names;
pub mod commodity;
pub(crate) mod commodity_table;
pub mod commodity_words;
pub(crate) mod countries;
pub mod date;
pub(crate) mod digit_groups;
pub mod email;
pub mod entity_type;
pub mod facet;
pub mod fold;
pub(crate) mod interner;
pub(crate) mod known_texts;
pub(crate) mod mail_safe_text;
pub mod municipality;
pub mod plans;
pub mod printable;
pub(crate) mod procurement_method;
pub mod record;
pub mod record_id;
mod record_values;
pub(crate) mod role;
pub mod schema;
pub mod similarity_terms;
pub(crate) mod statements;
pub mod stem;
pub mod supplier_mention;
pub(crate) mod timestamp;
pub(crate) mod vocabulary;

pub(crate) use date::Date;
pub(crate) use email::EmailAddress;
pub(crate) use entity_type::EntityType;
pub(crate) use facet::Facet;
pub(crate) use plans::{Plan, PlanLimits, Plans};
pub(crate) use record::Record;
pub(crate) use schema::{Field, FieldName, FieldType, Role, Schema};
pub(crate) use stem::Language;
