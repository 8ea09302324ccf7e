//! `/{lang}/cite`: how to cite a page: its address in the index that it was computed from, and the citation of that.

use askama::Template;

use crate::{
    api::analysis::citation::Citation,
    http::{error::ApiError, kept_generations::PARAMETER, work::Work},
    pages::{
        address::{self, Parameters},
        messages::Texts,
        page::{Layout, PageCall, Section, rendered},
        route::Page,
    },
};

pub(crate) const PAGE: Page = Page::fixed("/{lang}/cite", page).for_everybody();

#[derive(Template)]
#[template(path = "cite.html")]
struct CitePage {
    layout: Layout,
    t: Texts,
    /// The whole address of the page, in its generation.
    permanent: String,
    sentence: String,
    bibtex: String,
    csl: String,
}

fn page(call: &PageCall) -> Result<Work, ApiError> {
    let parameters = Parameters::parse(call.query)?;
    let home = address::page(call.lang, "");
    let of = parameters.get("of").and_then(address::same_site_path).unwrap_or(&home);
    let joined = if of.contains('?') { '&' } else { '?' };
    let citation = Citation::of(&call.generation);
    let page = CitePage {
        layout: call.layout(call.t.text("cite-title"), Section::Other),
        t: call.t,
        permanent: format!("{}{of}{joined}{PARAMETER}={}", call.origin, call.generation.id),
        bibtex: citation.bibtex(),
        csl: citation.csl().to_string(),
        sentence: citation.citation,
    };
    call.validated(rendered(&page)?, &call.query)
}
