//! The six kinds of record, and the one word for each that paths, dumps, schemas and answers share.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of record. The order is the specification's, and every listing of kinds follows it.
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

    /// The word on the wire: a path segment, a dump's folder, a schema's file name.
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

    /// What the kind is, for those who meet its name first in the interface.
    pub const fn about(self) -> &'static str {
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
        EntityType::ALL.into_iter().find(|kind| kind.name() == name)
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
    fn a_name_parses_back_to_its_kind_and_is_the_serialized_word() {
        for kind in EntityType::ALL {
            assert_eq!(EntityType::parse(kind.name()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        assert_eq!(EntityType::parse("Contract"), None);
    }
}
