//! The route table: each endpoint's method, form of path, and what it takes to use it. To add an endpoint: a row in [`ROUTES`].

mod path;

use actix_web::http::Method;

use crate::{
    http::{
        Call, Work,
        body::Takes,
        error::ApiError,
        handlers::{
            alerts, catalog, docs, documents, feed, health, market, names, procurement, profile, record, search, stats,
        },
        openapi,
    },
    model::entity_type::EntityType,
};

pub use path::{Found, Target, find};

/// An endpoint and what it takes to use it.
pub struct Route {
    pub method: Method,
    pub endpoint: Endpoint,
    pub access: Access,
    pub takes: Takes,
    pub operation: Operation,
    pub about: &'static str,
}

/// A form of path, and the handler that takes what the path holds.
#[derive(Clone, Copy)]
pub enum Endpoint {
    /// This path and no other.
    Plain(&'static str, fn(&Call) -> Result<Work, ApiError>),
    /// `/{entity_type}`, with this behind it.
    Kind(&'static str, fn(&Call, EntityType) -> Result<Work, ApiError>),
    /// `/{entity_type}/{record_id}`, the id being the whole rest.
    Record(fn(&Call, EntityType, String) -> Result<Work, ApiError>),
    /// This path and behind it a name, the whole rest; the second text is what the name is called.
    Named(&'static str, &'static str, fn(&Call, String) -> Result<Work, ApiError>),
    /// `/tender/{record_id}/documents/{doc_index}`, the id being all in between.
    Document(fn(&Call, String, String) -> Result<Work, ApiError>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Keyless,
    Keyed,
    /// For keys of a paid plan.
    Paid,
}

impl Access {
    pub fn is_keyed(self) -> bool {
        self != Access::Keyless
    }
}

/// What an endpoint is to [`openapi`], which matches on it: none can be added without being described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Health,
    Sources,
    Vendors,
    Departments,
    VendorProfile,
    DepartmentProfile,
    Procurement,
    Search,
    Coverage,
    Stats,
    Document,
    Record,
    Feed,
    Estimate,
    Comps,
    Subscribe,
    Unsubscribe,
    UnsubscribeOneClick,
    Description,
    Docs,
    /// What `/docs` is made of: no part of the interface, and not described.
    PageAsset,
}

pub static ROUTES: &[Route] = &[
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/health", health::get),
        access: Access::Keyless,
        takes: Takes::Nothing,
        operation: Operation::Health,
        about: "Whether the service is up, and what it serves",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/sources", catalog::sources),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::Sources,
        about: "Data sources, with their numbers of records and ranges of dates",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/vendors", names::vendors),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::Vendors,
        about: "Vendors whose name holds a keyword, those with most contracts first",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/departments", names::departments),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::Departments,
        about: "Departments with their numbers of records and total values",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Named("/vendor/", "name", profile::vendor),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::VendorProfile,
        about: "A vendor's contracts, their total and who awarded them",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Named("/department/", "name", profile::department),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::DepartmentProfile,
        about: "A department's contracts, by year, vendor and category",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Named("/procurement/", "solicitation_number", procurement::get),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::Procurement,
        about: "All records of one solicitation number, from notice to contract",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/tender/feed", feed::get),
        access: Access::Paid,
        takes: Takes::Nothing,
        operation: Operation::Feed,
        about: "Open tenders that match keywords and are new, each once",
    },
    Route {
        method: Method::POST,
        endpoint: Endpoint::Plain("/tender/estimate", market::estimate),
        access: Access::Paid,
        takes: Takes::Json,
        operation: Operation::Estimate,
        about: "What 1 to 50 tenders or needs are likely to be worth; counts as one request for every ten",
    },
    Route {
        method: Method::POST,
        endpoint: Endpoint::Plain("/tender/comps", market::comps),
        access: Access::Paid,
        takes: Takes::Json,
        operation: Operation::Comps,
        about: "Comparable contracts of 1 to 50 tenders or needs, and what to bid around; counts as one request for every ten",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Kind("", search::get),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::Search,
        about: "Search records of a kind",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Kind("/coverage", catalog::coverage),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::Coverage,
        about: "City slugs that have records of the kind",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Kind("/stats", stats::get),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::Stats,
        about: "Statistics of the records that match",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Document(documents::get),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::Document,
        about: "One document of a tender",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Record(record::get),
        access: Access::Keyed,
        takes: Takes::Nothing,
        operation: Operation::Record,
        about: "One record",
    },
    Route {
        method: Method::POST,
        endpoint: Endpoint::Plain("/tender/alerts/subscribe", alerts::subscribe),
        access: Access::Keyed,
        takes: Takes::MaybeJson,
        operation: Operation::Subscribe,
        about: "Digests of new tenders by e-mail, for what is asked for in the address or the body",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/tender/alerts/unsubscribe", alerts::unsubscribe),
        access: Access::Keyless,
        takes: Takes::Nothing,
        operation: Operation::Unsubscribe,
        about: "Ends what the link in a mail stands for, at once",
    },
    Route {
        method: Method::POST,
        endpoint: Endpoint::Plain("/tender/alerts/unsubscribe", alerts::unsubscribe),
        access: Access::Keyless,
        takes: Takes::Anything,
        operation: Operation::UnsubscribeOneClick,
        about: "Ends what the link in a mail stands for, as a mail program does with one click (RFC 8058)",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/openapi.json", openapi::get),
        access: Access::Keyless,
        takes: Takes::Nothing,
        operation: Operation::Description,
        about: "This description",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/docs", docs::get),
        access: Access::Keyless,
        takes: Takes::Nothing,
        operation: Operation::Docs,
        about: "A page that shows this description and tries requests; plans and limits",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/docs/page.js", docs::script),
        access: Access::Keyless,
        takes: Takes::Nothing,
        operation: Operation::PageAsset,
        about: "Starts the page",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/docs/page.css", docs::style),
        access: Access::Keyless,
        takes: Takes::Nothing,
        operation: Operation::PageAsset,
        about: "What the page adds to Swagger UI's style",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/docs/swagger-ui-bundle.js", docs::swagger_ui_script),
        access: Access::Keyless,
        takes: Takes::Nothing,
        operation: Operation::PageAsset,
        about: "Swagger UI",
    },
    Route {
        method: Method::GET,
        endpoint: Endpoint::Plain("/docs/swagger-ui.css", docs::swagger_ui_style),
        access: Access::Keyless,
        takes: Takes::Nothing,
        operation: Operation::PageAsset,
        about: "Swagger UI's style",
    },
];

impl Endpoint {
    /// The one form of the path, which says nothing of a kind or of what a client put into it.
    pub fn template(&self) -> String {
        match self {
            Endpoint::Plain(path, _) => (*path).to_owned(),
            Endpoint::Kind(suffix, _) => format!("/{{entity_type}}{suffix}"),
            Endpoint::Record(_) => "/{entity_type}/{record_id}".to_owned(),
            Endpoint::Named(before, what, _) => format!("{before}{{{what}}}"),
            Endpoint::Document(_) => "/tender/{record_id}/documents/{doc_index}".to_owned(),
        }
    }

    /// The paths of this form, as templates, with the kind each is for.
    pub fn templates(&self) -> Vec<(String, Option<EntityType>)> {
        let template = self.template();
        match self {
            Endpoint::Plain(..) | Endpoint::Named(..) => vec![(template, None)],
            Endpoint::Document(_) => vec![(template, Some(EntityType::Tender))],
            Endpoint::Kind(..) | Endpoint::Record(_) => {
                let path = |kind: EntityType| (template.replace("{entity_type}", kind.name()), Some(kind));
                EntityType::ALL.map(path).to_vec()
            }
        }
    }
}
