//! A request as a page sees it ([`PageCall`]), what all pages show around their content ([`Layout`]), and how a
//! template becomes a reply ([`render`]).

use std::sync::Arc;

use actix_web::http::{
    StatusCode,
    header::{self, HeaderValue},
};
use askama::Template;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{
    api::params::resolve::ResolveContext,
    catalog::generation::Generation,
    http::{
        call::{AppState, Call},
        caller::Caller,
        encoding::pairs,
        error::{ApiError, FormError},
        work::{Job, Reply, Work},
    },
    model::{Date, EntityType, Language, PlanLimits, Schema, printable::without_control_characters, timestamp},
    pages::{
        address, asset,
        client_address::ClientAddress,
        format,
        messages::Texts,
        pinned::Pin,
        settings::PagesState,
        visitor::{Visitor, VisitorKind},
    },
};

/// A request as a page sees it.
pub(crate) struct PageCall<'a> {
    pub(crate) state: &'a AppState,
    pub(crate) pages: &'a PagesState,
    /// The generation that was current when the request arrived, or the one that it asks for. The request uses no
    /// other.
    pub(crate) generation: Arc<Generation>,
    /// The limits of the visitor's plan.
    pub(crate) plan_limits: PlanLimits,
    pub(crate) lang: Language,
    /// The texts of that language.
    pub(crate) t: Texts,
    /// The raw path, still percent-encoded.
    pub(crate) path: &'a str,
    /// The raw query string, still percent-encoded, without the parameter that asks for a generation.
    pub(crate) query: &'a str,
    /// The generation that the address asks for, if it does.
    pub(crate) pinned: Option<Pin>,
    pub(crate) visitor: Visitor,
    pub(crate) today: Date,
    pub(crate) now: DateTime<Utc>,
    /// Where this site is reached, such as `https://example.org`; for addresses that are copied from a page.
    pub(crate) origin: String,
    pub(crate) caller: Caller,
    /// The address that limits are counted by.
    pub(crate) client: ClientAddress,
    /// The fields of a form that was sent with POST. Its origin and its token were checked.
    pub(crate) form: Option<Bytes>,
    /// Whether the visitor followed a link of another site.
    pub(crate) is_from_elsewhere: bool,
    /// Whether the method is HEAD.
    pub(crate) is_head: bool,
}

/// What the layout shows around the content of every page.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) t: Texts,
    /// The language of the page: `en` or `fr`.
    pub(crate) lang: &'static str,
    /// The language that the page can be switched to.
    pub(crate) other_lang: &'static str,
    /// The title of the page, without the name of the site.
    pub(crate) title: String,
    pub(crate) section: Section,
    /// The whole address of this page; empty if it has none of its own.
    pub(crate) canonical: String,
    /// The address of this page in the other language.
    pub(crate) other_language_href: String,
    pub(crate) visitor: VisitorKind,
    /// The entries of the navigation.
    pub(crate) links: NavigationLinks,
    /// When the records were last published here, as a date.
    pub(crate) as_of: String,
    /// The day on which the page is shown, for its print.
    pub(crate) shown_on: String,
    pub(crate) style: &'static str,
    pub(crate) script: &'static str,
    pub(crate) icon: &'static str,
    /// How to get the same data in other forms.
    pub(crate) exports: Exports,
    /// How to cite this page; empty if it has no address of its own.
    pub(crate) cite_href: String,
    /// Whether the visitor's plan has exports.
    pub(crate) is_paid: bool,
}

/// The addresses of the navigation, in the page's language.
#[derive(Clone, Debug)]
pub(crate) struct NavigationLinks {
    pub(crate) home: String,
    pub(crate) search: String,
    pub(crate) feed: String,
    pub(crate) sources: String,
    pub(crate) about: String,
    pub(crate) account: String,
}

/// The entry of the navigation that a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Home,
    Search,
    Feed,
    Sources,
    About,
    Account,
    /// None of them.
    Other,
}

impl Section {
    /// The name by which the layout compares it.
    fn name(self) -> &'static str {
        match self {
            Section::Home => "home",
            Section::Search => "search",
            Section::Feed => "feed",
            Section::Sources => "sources",
            Section::About => "about",
            Section::Account => "account",
            Section::Other => "",
        }
    }
}

/// The data of a page in other forms. The layout shows those that there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exports {
    /// The path of the API that returns the same data, such as `/contract?q=snow`.
    pub(crate) json: Option<String>,
    /// The data of the page as CSV: one file, or one for each of the names that the page compares.
    pub(crate) csv: Vec<CsvLink>,
    /// A command line that gets the JSON. [`PageCall::exports`] fills it in.
    pub(crate) curl: Option<String>,
    /// How many of the rows the CSV has, and where all are.
    pub(crate) note: Option<String>,
    /// Files with all rows, for visitors whose plan has exports.
    pub(crate) whole: Vec<FileLink>,
}

/// A file with all rows of a list.
#[derive(Clone, Debug)]
pub(crate) struct FileLink {
    /// The end of the key of its name.
    pub(crate) name: &'static str,
    pub(crate) href: String,
}

/// A file for spreadsheets.
#[derive(Clone, Debug)]
pub(crate) struct CsvLink {
    /// What the file is about, where a page has several; otherwise empty.
    pub(crate) name: String,
    pub(crate) href: String,
}

/// What the tag of a page is computed from, besides its address.
#[derive(Serialize)]
struct Seen<'a, T> {
    language: &'static str,
    visitor: &'a str,
    origin: &'a str,
    today: Date,
    asset: &'static str,
    pinned: Option<&'a Pin>,
    page: &'a T,
}

/// The content type of all pages.
pub(crate) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

impl PageCall<'_> {
    /// The layout of a page with this title.
    pub(crate) fn layout(&self, title: impl Into<String>, section: Section) -> Layout {
        let links = NavigationLinks::of(self.lang);
        let query = if self.query.is_empty() { "" } else { "?" };
        Layout {
            canonical: format!("{}{}{query}{}", self.origin, self.path, self.query),
            as_of: published(&self.generation, self.lang),
            cite_href: address::cite(self.lang, self.path, self.query),
            is_paid: self.visitor.is_paid(),
            shown_on: self.t.date(self.today),
            ..Layout::bare(
                self.lang,
                title.into(),
                section,
                address::in_language(other(self.lang), self.path, self.query),
                links,
                self.visitor.kind.clone(),
            )
        }
    }

    /// The JSON of the API with its command line, and the address of the CSV. `json` is a path of the API.
    pub(crate) fn exports(&self, json: impl Into<String>, csv: impl Into<String>) -> Exports {
        let mut json = json.into();
        if let Some(pin) = &self.pinned {
            json = pin.keep(&json, "&");
        }
        let header = &self.state.gateway.key;
        // A quote would end the quoted text of the shell. Encoded parameters have none.
        let curl = (!json.contains('\'')).then(|| format!("curl -H \"{header}: $KEY\" '{}{json}'", self.origin));
        Exports {
            json: Some(json),
            csv: vec![CsvLink::only(csv)],
            curl,
            note: None,
            whole: Vec::new(),
        }
    }

    /// What search parameters are resolved against.
    pub(crate) fn resolve_context(&self, entity_type: EntityType) -> ResolveContext<'_> {
        ResolveContext {
            schema: Schema::of(entity_type),
            page_cap: self.plan_limits.page_cap.into(),
            coverage: &self.generation.manifest_of(entity_type).coverage,
            translator: Some(&self.generation.translator),
            generation: Some(&self.generation),
        }
    }

    /// This request as one of the API, for functions that both share.
    pub(crate) fn as_api_call<'b>(&'b self, query: &'b str) -> Call<'b> {
        Call {
            state: self.state,
            generation: Arc::clone(&self.generation),
            plan_limits: self.plan_limits,
            query,
            whole_query: query,
            origin: self.origin.clone(),
            caller: self.caller.clone(),
            body: None,
            is_head: self.is_head,
        }
    }

    /// The work of a page, which keeps to the generation that its address asks for.
    pub(crate) fn keep(&self, work: Work) -> Work {
        match self.pinned.clone() {
            Some(pin) => pin.hold(work),
            None => work,
        }
    }

    /// The decoded fields of the form that was sent.
    pub(crate) fn form_fields(&self) -> Result<Vec<(String, String)>, ApiError> {
        let form = self.form.as_deref().unwrap_or_default();
        let text = std::str::from_utf8(form);
        let text = text.map_err(|_| ApiError::refused_form(FormError::NotUtf8))?;
        Ok(pairs(text)?)
    }

    /// Gives the work an `ETag` from the page, its language, its visitor, the day and this normal form of the request.
    pub(crate) fn validated(&self, work: Work, normal_form: &impl Serialize) -> Result<Work, ApiError> {
        work.for_request(&Seen {
            language: self.lang.code(),
            visitor: &self.visitor.fingerprint(),
            origin: &self.origin,
            today: self.today,
            // Templates change together with the program, and during development with the stylesheet.
            asset: &asset::STYLE.path,
            pinned: self.pinned.as_ref(),
            page: normal_form,
        })
    }
}

impl Layout {
    /// A layout without exports and date of publication.
    pub(crate) fn bare(
        language: Language,
        title: String,
        section: Section,
        other_language_href: String,
        links: NavigationLinks,
        visitor: VisitorKind,
    ) -> Layout {
        Layout {
            t: Texts::of(language),
            lang: language.code(),
            other_lang: other(language).code(),
            title,
            section,
            canonical: String::new(),
            other_language_href,
            visitor,
            links,
            as_of: String::new(),
            shown_on: String::new(),
            style: &asset::STYLE.path,
            script: &asset::SCRIPT.path,
            icon: &asset::ICON.path,
            exports: Exports::default(),
            cite_href: String::new(),
            is_paid: false,
        }
    }

    pub(crate) fn with_export_note(mut self, note: Option<String>) -> Layout {
        self.exports.note = note;
        self
    }

    pub(crate) fn with_exports(self, exports: Exports) -> Layout {
        Layout { exports, ..self }
    }

    /// Whether the page belongs to an entry of the navigation.
    pub(crate) fn is_in(&self, name: &str) -> bool {
        self.section.name() == name
    }

    pub(crate) fn has_exports(&self) -> bool {
        self.exports.json.is_some() || !self.exports.csv.is_empty() || self.exports.curl.is_some()
    }
}

impl CsvLink {
    /// The only file of a page.
    pub(crate) fn only(href: impl Into<String>) -> CsvLink {
        CsvLink {
            name: String::new(),
            href: href.into(),
        }
    }
}

impl NavigationLinks {
    pub(crate) fn of(language: Language) -> NavigationLinks {
        let page = |name: &str| address::page(language, name);
        NavigationLinks {
            home: page(""),
            search: page("search"),
            feed: page("feed"),
            sources: page("sources"),
            about: page("about"),
            account: page("account"),
        }
    }
}

/// Renders a template, on the thread that calls it: the one that searched.
/// Control characters of records are replaced: programs that read a page as XML refuse them.
pub(crate) fn render(template: &impl Template) -> Result<Reply, ApiError> {
    let html = without_control_characters(template.render().map_err(ApiError::internal)?);
    Ok(Reply::from(Bytes::from(html)).with_headers(vec![(header::CONTENT_TYPE, HTML)]))
}

/// A page that needs no search.
pub(crate) fn rendered(template: &impl Template) -> Result<Work, ApiError> {
    Ok(Work::new(Job::Ready(render(template)?)))
}

/// Leads the browser to another page with GET.
pub(crate) fn see_other(address: &str) -> Result<Reply, ApiError> {
    let location = HeaderValue::from_str(address).map_err(ApiError::internal)?;
    let reply = Reply::from(Bytes::new()).with_status(StatusCode::SEE_OTHER);
    Ok(reply.with_headers(vec![(header::LOCATION, location), (header::CONTENT_TYPE, HTML)]))
}

/// The other one of the two languages.
pub(crate) fn other(language: Language) -> Language {
    match language {
        Language::English => Language::French,
        Language::French => Language::English,
    }
}

/// When the generation was published, as a date in Toronto.
pub(crate) fn published(generation: &Generation, language: Language) -> String {
    let built = timestamp::parse(&generation.manifest.built_at);
    built.map_or_else(String::new, |built| format::date(language, Date::in_toronto(built)))
}
