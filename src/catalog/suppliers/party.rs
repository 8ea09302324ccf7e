//! What names are names of.

use super::reason::Rule;
use crate::model::Facet;

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

    /// What records are counted by.
    pub(crate) const fn facet(self) -> Facet {
        match self {
            Party::Supplier => Facet::Vendor,
            Party::Body => Facet::Department,
        }
    }

    /// Also the filter by its identifier, and the path of its profile.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Party::Supplier => "supplier",
            Party::Body => "body",
        }
    }

    /// Also the path of the list.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Party::Supplier => "suppliers",
            Party::Body => "bodies",
        }
    }

    /// Its name as a type of entities in the Reconciliation API.
    pub(crate) const fn reconciled(self) -> &'static str {
        match self {
            Party::Supplier => "supplier",
            Party::Body => "department",
        }
    }

    /// The start of an identifier.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Party::Supplier => "sup_",
            Party::Body => "body_",
        }
    }

    /// The rules that join its names, the strongest first.
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
