//! The six entity types of records, and the name of each that paths, dumps, schemas and responses
//! share.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A type of record. The order is the specification's; every listing of entity types follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntityType {
    Contract,
    Tender,
    Award,
    Disclosure,
    StandingOffer,
    PreSolicitation,
}

impl EntityType {
    pub const ALL: [EntityType; 6] = [
        EntityType::Contract,
        EntityType::Tender,
        EntityType::Award,
        EntityType::Disclosure,
        EntityType::StandingOffer,
        EntityType::PreSolicitation,
    ];

    /// The name in path segments, dump folders and schema files.
    pub const fn name(self) -> &'static str {
        match self {
            EntityType::Contract => "contract",
            EntityType::Tender => "tender",
            EntityType::Award => "award",
            EntityType::Disclosure => "disclosure",
            EntityType::StandingOffer => "standing_offer",
            EntityType::PreSolicitation => "pre_solicitation",
        }
    }

    /// A description for `/openapi.json`.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            EntityType::Contract => "Contracts, as federal, provincial and municipal bodies publish them",
            EntityType::Tender => "Calls for bids",
            EntityType::Award => "Award notices",
            EntityType::Disclosure => "Contracts proactively disclosed by federal bodies",
            EntityType::StandingOffer => "Standing offers and supply arrangements",
            EntityType::PreSolicitation => "Advance notices, requests for information, invitations to qualify",
        }
    }

    pub fn parse(name: &str) -> Option<EntityType> {
        EntityType::ALL
            .into_iter()
            .find(|entity_type| entity_type.name() == name)
    }
}

impl fmt::Display for EntityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_parses_back_and_is_the_serialized_form() {
        for entity_type in EntityType::ALL {
            assert_eq!(EntityType::parse(entity_type.name()), Some(entity_type));
            assert_eq!(serde_json::to_value(entity_type).unwrap(), entity_type.name());
        }
        assert_eq!(EntityType::parse("Contract"), None);
    }
}
