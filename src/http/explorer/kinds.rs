//! The entity types as values of the parameter `kind`.

use crate::model::EntityType;

/// The names of [`EntityType::ALL`].
pub(crate) const KIND_NAMES: [&str; EntityType::ALL.len()] = [
    EntityType::ALL[0].name(),
    EntityType::ALL[1].name(),
    EntityType::ALL[2].name(),
    EntityType::ALL[3].name(),
    EntityType::ALL[4].name(),
    EntityType::ALL[5].name(),
];
