//! Names of vendors and departments, as an engine lists and resolves them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    engine::aggregation::Money,
    model::{Facet, Role, role::RoleStorage},
};

/// The roles whose keys are searched by a part of them.
pub(crate) const NAMES: [Role; Role::number_of(RoleStorage::Name)] = Role::stored_as(RoleStorage::Name);

/// Whether the names of a facet are those of departments: all buyers and divisions, so that a name
/// is found whichever of the two it is.
pub(crate) fn is_department(facet: Facet) -> bool {
    matches!(facet, Facet::NamedDepartment | Facet::Department)
}

/// What records say of a department. Decision D-226.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BodyKind {
    /// It buys.
    Buyer,
    /// It is a part of a buyer.
    Division,
    /// Some records name it as a buyer, others as a division.
    Both,
}

/// A vendor or a department, counted over the whole collection.
#[derive(Clone, Debug, PartialEq)]
pub struct NameCount {
    pub name: String,
    pub records: u64,
    pub total_value: Money,
    /// Of a department.
    pub kind: Option<BodyKind>,
}

/// A page of names, most records first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamesPage {
    /// How many names match, on this page or not.
    pub total: u64,
    pub rows: Vec<NameCount>,
}

/// A name that exists in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedName {
    /// The key for [`crate::query::Filter::FacetValue`].
    pub key: String,
    /// The most frequent spelling. For a department: in English where known.
    pub name: String,
    /// The most frequent French name of a department.
    pub name_fr: Option<String>,
    /// Of a department.
    pub kind: Option<BodyKind>,
}
