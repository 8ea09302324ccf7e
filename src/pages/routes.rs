//! The page table, and how a path is matched with it. To add a page, write its row and its handler in a file of this
//! folder, and list the row here.
//!
//! The raw path is split, and each variable part is decoded once: a record id may contain any character.

use actix_web::{
    HttpRequest,
    http::{Method, header::HeaderMap},
};

use crate::{
    http::{
        encoding::decode,
        error::ApiError,
        quoted::quoted,
        work::{Job, Reply, Work},
    },
    model::{EntityType, Language},
    pages::{
        about, account,
        asset::{self, Asset},
        bids, calls, cite, commodity, compare, dumps, estimate, export, feed, home,
        page::PageCall,
        parties, profile, record, root,
        route::{Handler, Page, PageAccess},
        search,
        settings::PagesState,
        sources, welcome,
    },
};

/// All pages. If several rows match a path, the first one is used.
static PAGES: &[Page] = &[
    home::PAGE,
    search::PAGE,
    search::CSV,
    export::PAGE,
    cite::PAGE,
    search::meanings::PAGE,
    compare::PAGE,
    compare::SUGGEST,
    record::PAGE,
    record::CSV,
    record::solicitation::PAGE,
    record::solicitation::CSV,
    parties::SUPPLIERS,
    parties::SUPPLIERS_CSV,
    parties::BODIES,
    parties::BODIES_CSV,
    profile::VENDOR,
    profile::bidder_files::VENDOR_CALLS,
    profile::bidder_files::VENDOR_BIDS,
    profile::VENDOR_CSV,
    profile::SUPPLIER,
    profile::bidder_files::SUPPLIER_CALLS,
    profile::bidder_files::SUPPLIER_BIDS,
    profile::SUPPLIER_CSV,
    profile::BODY,
    calls::BODY_CSV,
    profile::BODY_CSV,
    profile::DEPARTMENT,
    calls::DEPARTMENT_CSV,
    profile::DEPARTMENT_CSV,
    commodity::PAGE,
    calls::COMMODITY_CSV,
    commodity::CSV,
    commodity::LIST,
    commodity::LIST_CSV,
    feed::PAGE,
    feed::CSV,
    bids::CSV,
    search::BIDS,
    search::BIDS_CSV,
    estimate::PAGE,
    estimate::CSV,
    sources::PAGE,
    sources::CSV,
    dumps::FILE,
    about::PAGE,
    account::PAGE,
    welcome::PAGE,
];

/// What of the pages is at a path.
pub(crate) enum Place {
    /// `/`, which leads to a language.
    Root,
    Robots,
    Asset(Option<&'static Asset>),
    /// A path below the code of a language.
    Page(Language),
}

/// A page with the variable parts of its path, raw.
#[derive(Clone)]
pub(crate) struct FoundPage<'p> {
    page: &'static Page,
    parts: Vec<&'p str>,
}

impl Place {
    /// `None` if the path belongs to the API.
    pub(crate) fn of(path: &str) -> Option<Place> {
        match path {
            "/" => return Some(Place::Root),
            "/robots.txt" => return Some(Place::Robots),
            // Browsers ask for it on pages that name no icon, such as those of the API.
            "/favicon.ico" => return Some(Place::Asset(Some(&asset::ICON))),
            _ => {}
        }
        let first = path.strip_prefix('/')?.split('/').next()?;
        match Language::parse(first) {
            Some(language) => Some(Place::Page(language)),
            None => (first == "assets").then(|| Place::Asset(Asset::find(path))),
        }
    }

    /// An address that is neither of the pages nor of the API, in the language that the browser prefers.
    pub(crate) fn unknown(headers: &HeaderMap) -> Place {
        Place::Page(root::preferred_language(headers))
    }

    /// The template of the place, without anything the client sent.
    pub(crate) fn template(&self, found: Option<&FoundPage>) -> Option<&'static str> {
        match self {
            Place::Root => Some("/"),
            Place::Robots => Some("/robots.txt"),
            Place::Asset(asset) => asset.map(|_| "/assets/{name}"),
            Place::Page(_) => found.map(|found| found.page.template),
        }
    }

    /// What needs no visitor. 404 and 405 as for pages.
    pub(crate) fn work_without_visitor(
        &self,
        request: &HttpRequest,
        pages: &PagesState,
    ) -> Result<Option<Work>, ApiError> {
        let ready = |reply: Reply| Work::new(Job::Ready(reply));
        let work = match self {
            Place::Page(_) => return Ok(None),
            Place::Root => ready(root::redirect(request.headers())?),
            Place::Robots => ready(root::robots(pages)),
            Place::Asset(Some(asset)) => asset.work(),
            Place::Asset(None) => return Err(ApiError::not_found("there is no file at this address")),
        };
        check_method(request.method(), false)?;
        Ok(Some(work))
    }

    /// The language of the path; English where it has none.
    pub(crate) fn language(&self) -> Language {
        match self {
            Place::Page(language) => *language,
            _ => Language::English,
        }
    }
}

impl<'p> FoundPage<'p> {
    /// The page at a raw path; `None` if it does not begin with a language.
    pub(crate) fn of(path: &'p str) -> Option<FoundPage<'p>> {
        PAGES.iter().find_map(|page| {
            let parts = variable_parts(page.template, path)?;
            Language::parse(parts.first()?)?;
            Some(FoundPage { page, parts })
        })
    }

    pub(crate) fn access(&self) -> PageAccess {
        self.page.access
    }

    /// Checks the method. 405 names those that the page has.
    pub(crate) fn check_method(&self, method: &Method) -> Result<(), ApiError> {
        check_method(method, self.page.post.is_some())
    }

    /// Calls the handler of the method.
    pub(crate) fn call(&self, method: &Method, call: &PageCall) -> Result<Work, ApiError> {
        if let Some(post) = self.page.post.filter(|_| *method == Method::POST) {
            return post(call);
        }
        // The first part is the language.
        let part = |number: usize| decode(self.parts.get(number).copied().unwrap_or_default());
        match self.page.handler {
            Handler::Fixed(handler) => handler(call),
            Handler::Named(handler) => handler(call, part(1)?.trim()),
            Handler::Record(handler) => {
                let kind = part(1)?;
                let entity_type = EntityType::parse(&kind).ok_or_else(|| no_entity_type(&kind))?;
                handler(call, entity_type, &part(2)?)
            }
        }
    }
}

/// The path of the page that a path without one means: with slashes at its end, with the code of a language in
/// capitals, or without a language.
pub(crate) fn meant(path: &str, language: Language) -> Option<String> {
    let path = path.trim_end_matches('/');
    let first = path.strip_prefix('/')?.split('/').next()?;
    let lower = first.to_ascii_lowercase();
    let path = match Language::parse(&lower) {
        Some(_) => format!("/{lower}{}", &path[1 + first.len()..]),
        None => format!("/{}{path}", language.code()),
    };
    FoundPage::of(&path).is_some().then_some(path)
}

fn check_method(method: &Method, has_form: bool) -> Result<(), ApiError> {
    let is_read = *method == Method::GET || *method == Method::HEAD;
    if is_read || (*method == Method::POST && has_form) {
        return Ok(());
    }
    let allowed = if has_form { "GET, HEAD, POST" } else { "GET, HEAD" };
    Err(ApiError::method_not_allowed(method.as_str(), allowed))
}

fn no_entity_type(name: &str) -> ApiError {
    let names = EntityType::ALL.map(EntityType::name).join(", ");
    ApiError::not_found(format!("no entity type {}; there are {names}", quoted(name)))
}

/// The texts at the variable parts of a template. The last one is everything up to the rest of the template; any other
/// is one segment. None of them is empty.
fn variable_parts<'p>(template: &str, path: &'p str) -> Option<Vec<&'p str>> {
    let (mut template, mut rest, mut parts) = (template, path, Vec::new());
    while let Some((literal, after)) = template.split_once('{') {
        rest = rest.strip_prefix(literal)?;
        let (_, next) = after.split_once('}')?;
        let is_last = !next.contains('{') && !parts.is_empty();
        let part = if is_last {
            rest.strip_suffix(next)?
        } else {
            rest.split('/').next()?
        };
        if part.is_empty() {
            return None;
        }
        parts.push(part);
        if is_last {
            return Some(parts);
        }
        (rest, template) = (&rest[part.len()..], next);
    }
    (rest == template).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_match_raw_paths() {
        for (template, path, expected) in [
            ("/{lang}", "/en", Some(&["en"][..])),
            ("/{lang}", "/en/", None),
            ("/{lang}/search", "/fr/search", Some(&["fr"])),
            ("/{lang}/search", "/fr/search.csv", None),
            ("/{lang}/vendor/{name}", "/en/vendor/a%2Fb/c", Some(&["en", "a%2Fb/c"])),
            ("/{lang}/vendor/{name}", "/en/vendor/", None),
            (
                "/{lang}/record/{kind}/{record_id}",
                "/en/record/tender/a/b|c",
                Some(&["en", "tender", "a/b|c"]),
            ),
            ("/{lang}/record/{kind}/{record_id}", "/en/record/tender", None),
            (
                "/{lang}/tender/{record_id}/worth",
                "/en/tender/a/worth/worth",
                Some(&["en", "a/worth"]),
            ),
            ("/{lang}/tender/{record_id}/worth", "/en/tender//worth", None),
            ("/{lang}/tender/{record_id}/worth", "/en/tender/worth", None),
        ] {
            assert_eq!(variable_parts(template, path).as_deref(), expected, "{template} {path}");
        }
    }

    #[test]
    fn pages_take_only_their_own_paths() {
        for path in ["/", "/en", "/fr/anything", "/assets/x", "/robots.txt", "/favicon.ico"] {
            assert!(Place::of(path).is_some(), "{path}");
        }
        for path in ["/tender", "/english", "/docs", "/assetsx", "//en", "", "/tender/en"] {
            assert!(Place::of(path).is_none(), "{path}");
        }
    }

    #[test]
    fn a_path_without_a_page_can_mean_one() {
        for (path, expected) in [
            ("/en/search/", Some("/en/search")),
            ("/EN/search", Some("/en/search")),
            ("/Fr", Some("/fr")),
            ("/search", Some("/fr/search")),
            ("/vendor/Acme", Some("/fr/vendor/Acme")),
            ("/de", None),
            ("/en/nothing", None),
            ("", None),
        ] {
            assert_eq!(meant(path, Language::French).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn each_page_begins_with_the_language_and_is_listed_once() {
        for (number, page) in PAGES.iter().enumerate() {
            assert!(page.template.starts_with("/{lang}"), "{}", page.template);
            assert!(PAGES[number + 1..].iter().all(|other| other.template != page.template));
        }
    }
}
