//! The tabs of a page that shows the records of one entity type at a time.

use crate::{model::EntityType, pages::address::Parameters};

/// An entity type that there are records of.
pub(crate) struct KindTab {
    pub(crate) kind: &'static str,
    pub(crate) records: u64,
    pub(crate) href: String,
    pub(crate) is_current: bool,
}

impl KindTab {
    /// A tab that leads to the same page, with `kind` as its parameter. `current` is the entity type that is shown.
    pub(crate) fn new(
        entity_type: EntityType,
        records: u64,
        current: Option<EntityType>,
        path: &str,
        parameters: &Parameters,
    ) -> KindTab {
        KindTab {
            kind: entity_type.name(),
            records,
            href: parameters.with("kind", entity_type.name()).after(path),
            is_current: Some(entity_type) == current,
        }
    }
}
