//! The pages of commodity codes: the profile of one code with its place in the hierarchy, and the list of codes.

mod list;
mod profile;

use crate::pages::route::{Handler, Page};

pub(crate) const PAGE: Page = Page {
    template: "/{lang}/commodity/{code}",
    handler: Handler::Named(profile::page),
    ..Page::DEFAULT
};

pub(crate) const CSV: Page = Page {
    template: "/{lang}/commodity.csv/{code}",
    handler: Handler::Named(profile::csv),
    ..Page::DEFAULT
};

pub(crate) const LIST: Page = Page {
    template: "/{lang}/commodities",
    handler: Handler::Fixed(list::page),
    ..Page::DEFAULT
};

pub(crate) const LIST_CSV: Page = Page {
    template: "/{lang}/commodities.csv",
    handler: Handler::Fixed(list::csv),
    ..Page::DEFAULT
};
