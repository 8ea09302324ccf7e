//! The parameters of a record, `GET /{entity_type}/{record_id}`.

use crate::api::params::{
    include::SUPPLIER,
    param::Param,
    parse::{Case, Given},
    value::ParamType,
};

#[derive(Debug, Default, PartialEq)]
pub struct RecordParams {
    pub(crate) include: Option<Given<&'static str>>,
}

pub static TABLE: &[Param<RecordParams>] = &[Param::new(
    "include",
    "`supplier` adds the member `supplier`: identifier and name of the record's supplier, or null if it names no vendor",
    ParamType::OneOf(&[SUPPLIER], Case::Exact, |p| &mut p.include),
)];
