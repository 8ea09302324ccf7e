//! The domain: entity types, dates, record schemas, vocabularies and the one way to fold text.
//!
//! **Invariant:** nothing here knows of files, indexes or HTTP.

pub mod commodity;
pub mod date;
pub mod email;
pub mod entity_type;
pub mod facet;
pub mod fold;
pub mod municipality;
pub mod plans;
pub mod record;
mod record_values;
pub mod schema;
pub mod similarity_terms;
pub mod stem;
pub mod timestamp;
pub mod vocabulary;

pub use date::{Date, DateError};
pub use email::{EmailAddress, EmailError};
pub use entity_type::EntityType;
pub use facet::Facet;
pub use plans::{Plan, PlanLimits, Plans};
pub use record::{Record, RecordError};
pub use schema::{Field, FieldName, FieldType, Role, Schema};
pub use stem::Language;
