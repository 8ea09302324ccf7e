//! The two sides of a purchase, whose names are joined by the same code: who sells and who buys.

use super::reason::Rule;
use crate::model::Facet;

/// A side of a purchase: what the names of a list are names of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Party {
    /// Who sells: the names of vendors and bidders.
    #[default]
    Supplier,
    /// Who buys: the names of departments, buyers and their divisions.
    Body,
}

impl Party {
    pub(crate) const ALL: [Party; 2] = [Party::Supplier, Party::Body];

    /// The facet by which the records of a name are counted.
    pub(crate) const fn facet(self) -> Facet {
        match self {
            Party::Supplier => Facet::Vendor,
            Party::Body => Facet::Department,
        }
    }

    /// The English noun for messages. The parameter that filters by identifier and the path of a profile have the same
    /// name.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Party::Supplier => "supplier",
            Party::Body => "body",
        }
    }

    /// The English plural for messages. The path of the list is the same.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Party::Supplier => "suppliers",
            Party::Body => "bodies",
        }
    }

    /// The name of the type of entities in the Reconciliation API.
    pub(crate) const fn reconciled(self) -> &'static str {
        match self {
            Party::Supplier => "supplier",
            Party::Body => "department",
        }
    }

    /// The prefix of identifiers.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Party::Supplier => "sup_",
            Party::Body => "body_",
        }
    }

    /// The rules that join names, the strongest first.
    pub(super) const fn rules(self) -> &'static [Rule] {
        match self {
            Party::Supplier => &[
                Rule::Claim,
                Rule::Number,
                Rule::Publisher,
                Rule::Table,
                Rule::CoreName,
                Rule::NearName,
                Rule::CoreNameOnly,
            ],
            Party::Body => &[
                Rule::Claim,
                Rule::Table,
                Rule::Municipality,
                Rule::Number,
                Rule::Ampersand,
            ],
        }
    }
}
