//! The conditions that a search can still take.

use crate::{
    catalog::{generation::Coverage, suppliers::SupplierList},
    model::{Date, Language},
    question::buyers::BodyNames,
};

/// The conditions that a search can still take. Its words are kept where it has such a condition already.
#[derive(Clone, Copy)]
pub(crate) struct Takes<'a> {
    /// The bodies that buy, and the language of their names.
    pub(crate) buyers: Option<(&'a BodyNames<'a>, Language)>,
    /// The firms, whose names may begin with a level of government.
    pub(crate) suppliers: Option<&'a SupplierList>,
    pub(crate) places: &'a [Coverage],
    pub(crate) region: bool,
    pub(crate) vendor_city: bool,
    pub(crate) vendor_country: bool,
    pub(crate) level: bool,
    pub(crate) category: bool,
    pub(crate) body_class: bool,
    pub(crate) year: bool,
    pub(crate) closing: bool,
    pub(crate) ending: bool,
    pub(crate) competition: bool,
    pub(crate) open: bool,
    pub(crate) amended: bool,
    pub(crate) values: bool,
    pub(crate) order: bool,
    /// What ends or closes next.
    pub(crate) soon: bool,
    pub(crate) today: Date,
    /// Whether the text is a part of a question.
    pub(crate) in_question: bool,
}

impl Takes<'_> {
    /// Everything but buyers, places and regions.
    pub(super) fn all_but_names() -> Takes<'static> {
        Takes {
            buyers: None,
            suppliers: None,
            places: &[],
            region: false,
            vendor_city: false,
            vendor_country: true,
            level: true,
            category: true,
            body_class: true,
            year: true,
            closing: true,
            ending: true,
            competition: true,
            open: true,
            amended: true,
            values: true,
            order: true,
            soon: true,
            today: Date::EPOCH,
            in_question: false,
        }
    }
}
