//! The pages of commodity codes: the profile of one code with its place in the hierarchy, and the list of codes.

mod list;
mod profile;

use crate::pages::route::Page;

pub(crate) const PAGE: Page = Page::named("/{lang}/commodity/{code}", profile::page);

pub(crate) const CSV: Page = Page::named("/{lang}/commodity.csv/{code}", profile::csv);

pub(crate) const LIST: Page = Page::fixed("/{lang}/commodities", list::page);

pub(crate) const LIST_CSV: Page = Page::fixed("/{lang}/commodities.csv", list::csv);
