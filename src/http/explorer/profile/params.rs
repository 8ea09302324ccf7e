//! The parameters of the pages of a vendor and of a department.

use crate::{
    http::params::{
        param::Param,
        value::{Case, Given, Value},
    },
    model::EntityType,
};

#[derive(Debug, Default, PartialEq)]
pub(crate) struct ProfileParams {
    /// The name to compare with.
    pub(crate) with: Option<Given<String>>,
    /// The entity type whose records are counted.
    pub(crate) kind: Option<Given<&'static str>>,
}

pub(crate) static TABLE: &[Param<ProfileParams>] = &[
    Param::new("with", "A second name, to compare with", Value::Text(|p| &mut p.with)),
    Param::new(
        "kind",
        "Count the records of this entity type",
        Value::OneOf(&KINDS, Case::Exact, |p| &mut p.kind),
    ),
];

/// The names of [`EntityType::ALL`].
const KINDS: [&str; EntityType::ALL.len()] = [
    EntityType::ALL[0].name(),
    EntityType::ALL[1].name(),
    EntityType::ALL[2].name(),
    EntityType::ALL[3].name(),
    EntityType::ALL[4].name(),
    EntityType::ALL[5].name(),
];
