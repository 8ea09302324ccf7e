//! How to read the figures, under which licences they are, how accessible the pages are, and what they store.

use askama::Template;

use crate::{
    http::{error::ApiError, work::Work},
    pages::{
        messages::Texts,
        page::{Layout, PageCall, Section, rendered},
        route::Page,
        settings::PagesMode,
    },
};

pub(crate) const PAGE: Page = Page::fixed("/{lang}/about", page).for_everybody();

#[derive(Template)]
#[template(path = "about.html")]
struct About {
    layout: Layout,
    t: Texts,
    is_open: bool,
}

pub(crate) fn page(call: &PageCall) -> Result<Work, ApiError> {
    let page = About {
        layout: call.layout(call.t.text("about-title"), Section::About),
        t: call.t,
        is_open: call.pages.mode == PagesMode::Open,
    };
    call.validated(rendered(&page)?, &())
}
