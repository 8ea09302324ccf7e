//! What a row of the route table states about an endpoint: how requests reach it, and how the OpenAPI document
//! describes it.

use actix_web::http::Method;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value as Json;

use crate::{
    api::{params::param::Parameter, reconciliation::Reconciliation},
    http::{auth::Gateway, call::Call, error::ApiError, work::Work},
    model::EntityType,
};

/// Decision D-157: the maximum size of a request body, unless a row states another one, in bytes.
pub(crate) const MAX_BODY_BYTES: usize = 16 << 10;

/// An endpoint. A row lists what differs from [`Route::DEFAULT`].
pub struct Route {
    /// `operationId`: the name of the operation in generated clients, which never changes. For an endpoint that exists
    /// for each entity type, the type's name follows; for one with a token in its path, `ByToken`.
    pub id: &'static str,
    /// The tag of an endpoint that is not of one entity type.
    pub tag: Tag,
    pub verb: Verb,
    pub endpoint: Endpoint,
    pub access: Access,
    pub(crate) about: &'static str,
    pub(crate) path_params: &'static [PathParam],
    pub(crate) parameters: Parameters,
    pub(crate) body: Body,
    /// The maximum size of a request body, in bytes, a multiple of 1,024. If the endpoint takes no body, one of this
    /// size is skipped.
    pub(crate) max_body_bytes: usize,
    pub(crate) answer: Answer,
    /// Whether a client that accepts HTML, such as a browser, gets a page in place of the JSON of a 200 or 404.
    pub(crate) shows_pages: bool,
    /// Headers of the 200 that not every endpoint sends.
    pub(crate) headers: &'static [&'static str],
    /// Error responses of this endpoint, in place of the common ones with the same status.
    pub(crate) errors: &'static [ErrorResponse],
    pub(crate) links: &'static [Link],
    /// Whether a client may keep the response: it stays the same until the next index or restart.
    pub(crate) is_cacheable: bool,
}

impl Route {
    /// `GET` with a key, without parameters or body.
    pub(crate) const DEFAULT: Route = Route {
        id: "",
        tag: Tag::Service,
        verb: Verb::Get,
        endpoint: Endpoint::Fixed("", |_| Err(ApiError::internal("the route has no handler"))),
        access: Access::Keyed,
        about: "",
        path_params: &[],
        parameters: Parameters::None,
        body: Body::None,
        max_body_bytes: MAX_BODY_BYTES,
        answer: Answer::Asset,
        shows_pages: false,
        headers: &[],
        errors: &[],
        links: &[],
        is_cacheable: true,
    };

    /// Whether a request may ask for an older generation.
    pub(crate) fn takes_generation(&self) -> bool {
        self.verb == Verb::Get && self.access.is_keyed() && self.is_cacheable
    }

    /// Whether the OpenAPI document describes it. It does not describe what only some servers have: the files of dumps.
    pub fn is_described(&self) -> bool {
        !matches!(self.answer, Answer::Asset | Answer::File)
    }
}

/// The method of an endpoint; `GET` includes `HEAD`, for which the framework leaves out the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Get,
    Post,
}

impl Verb {
    pub fn as_str(self) -> &'static str {
        match self {
            Verb::Get => "GET",
            Verb::Post => "POST",
        }
    }

    pub(crate) fn serves(self, method: &Method) -> bool {
        match self {
            Verb::Get => *method == Method::GET || *method == Method::HEAD,
            Verb::Post => *method == Method::POST,
        }
    }
}

/// The form of an endpoint's path, and the handler, which takes the variable parts of the path.
#[derive(Clone, Copy)]
pub enum Endpoint {
    /// Exactly this path.
    Fixed(&'static str, fn(&Call) -> Result<Work, ApiError>),
    /// `/{entity_type}` with this suffix.
    EntityType(&'static str, fn(&Call, EntityType) -> Result<Work, ApiError>),
    /// `/{entity_type}/{record_id}`; the id is the whole rest of the path.
    Record(fn(&Call, EntityType, String) -> Result<Work, ApiError>),
    /// A prefix and a name, which is the whole rest of the path. The second text is the name of the variable part.
    Named(&'static str, &'static str, fn(&Call, String) -> Result<Work, ApiError>),
    /// `/tender/{record_id}` with this suffix; the id is everything in between.
    OfTender(&'static str, fn(&Call, String) -> Result<Work, ApiError>),
    /// `/tender/{record_id}/documents/{doc_index}`; the id is everything in between.
    Document(fn(&Call, String, String) -> Result<Work, ApiError>),
    /// A service of the Reconciliation API, with or without a token in the path.
    Reconciliation(Reconciliation),
}

impl Endpoint {
    /// The path with names in braces for its variable parts.
    pub(crate) fn template(&self) -> String {
        match self {
            Endpoint::Fixed(path, _) => (*path).to_owned(),
            Endpoint::EntityType(suffix, _) => format!("/{{entity_type}}{suffix}"),
            Endpoint::Record(_) => "/{entity_type}/{record_id}".to_owned(),
            Endpoint::Named(prefix, name, _) => format!("{prefix}{{{name}}}"),
            Endpoint::OfTender(suffix, _) => format!("/tender/{{record_id}}{suffix}"),
            Endpoint::Document(_) => "/tender/{record_id}/documents/{doc_index}".to_owned(),
            Endpoint::Reconciliation(endpoint) => endpoint.template(),
        }
    }

    /// The templates with the entity type filled in, and that entity type.
    pub fn templates(&self) -> Vec<(String, Option<EntityType>)> {
        let template = self.template();
        match self {
            Endpoint::Fixed(..) | Endpoint::Named(..) | Endpoint::Reconciliation(_) => vec![(template, None)],
            Endpoint::Document(_) | Endpoint::OfTender(..) => vec![(template, Some(EntityType::Tender))],
            Endpoint::EntityType(..) | Endpoint::Record(_) => {
                let path = |of: EntityType| (template.replace("{entity_type}", of.name()), Some(of));
                EntityType::ALL.map(path).to_vec()
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Keyless,
    Keyed,
    /// With a key, and free: it counts only against the rate limit, so that a key whose quota is used can ask.
    Uncounted,
    /// For keys of a paid plan.
    Paid,
    /// With the token of a service address in the path, in place of a key in a header.
    Token,
}

impl Access {
    /// Whether a request counts against a key.
    pub(crate) fn is_keyed(self) -> bool {
        self != Access::Keyless
    }

    /// Whether the key is sent in a header.
    pub(crate) fn is_in_header(self) -> bool {
        self.is_keyed() && self != Access::Token
    }
}

/// A group of endpoints in the OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    Parties,
    Commodities,
    Pro,
    Alerts,
    Service,
}

impl Tag {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Tag::Parties => "parties",
            Tag::Commodities => "commodities",
            Tag::Pro => "pro",
            Tag::Alerts => "alerts",
            Tag::Service => "service",
        }
    }
}

/// A variable part of a path.
pub(crate) enum PathParam {
    /// A text that may contain any character.
    Text {
        /// The name of its component.
        component: &'static str,
        name: &'static str,
        about: &'static str,
        /// A field of the example record of contracts.
        example: &'static str,
    },
    /// A text of a known form.
    Fixed {
        /// The name of its component.
        component: &'static str,
        name: &'static str,
        about: &'static str,
        example: &'static str,
    },
    /// `record_id`, with a component for each entity type.
    RecordId,
    DocIndex,
}

/// The query parameters of an endpoint.
#[derive(Clone, Copy)]
pub(crate) enum Parameters {
    None,
    /// The parameters of a record search, or only the named ones; of the given entity type if the path has none.
    Search(Option<&'static [&'static str]>, Option<EntityType>),
    /// All rows of a table. The name is the prefix of their components.
    Table(&'static str, fn() -> Vec<Parameter>),
}

/// What an endpoint does with a request body.
pub(crate) enum Body {
    /// The body is not read.
    None,
    /// A body of any type is read and discarded.
    Ignored,
    /// A form, as a page sends it, with these members.
    Form(&'static [&'static str]),
    Json {
        is_required: bool,
        schema: fn(&mut SchemaGenerator) -> Schema,
        example: fn() -> Json,
    },
}

/// The body of the 200 response.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// A record of the entity type.
    Record,
    /// A page of records of the entity type.
    Page,
    /// An object with a derived schema.
    Json(fn(&mut SchemaGenerator) -> Schema),
    /// An object with a derived schema, or on request a text of one of these media types.
    JsonOrText(fn(&mut SchemaGenerator) -> Schema, &'static [&'static str]),
    /// All records that match, as lines of JSON or as CSV.
    Export,
    /// A file, or a part of it.
    File,
    Html,
    /// A file of the documentation page: not part of the interface, and not described.
    Asset,
}

/// An error response in the OpenAPI document.
pub(crate) struct ErrorResponse {
    pub(crate) status: &'static str,
    /// The name of its component.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// The `detail` of the example.
    pub(crate) example: fn(&Gateway) -> String,
    pub(crate) rate_limit: RateLimitHeaders,
}

impl ErrorResponse {
    /// The 404 of an endpoint that needs a key, for a name or an identifier that nothing has.
    pub(crate) const fn not_found(
        name: &'static str,
        about: &'static str,
        example: fn(&Gateway) -> String,
    ) -> ErrorResponse {
        ErrorResponse {
            status: "404",
            name,
            about,
            example,
            rate_limit: RateLimitHeaders::Always,
        }
    }
}

/// Whether a response has the rate limit headers. It has if the request was counted against its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateLimitHeaders {
    Always,
    /// The request may have been counted or not.
    Sometimes,
    Never,
}

/// A link from a response to another operation.
pub(crate) struct Link {
    pub(crate) name: &'static str,
    /// [`Route::id`] of the operation it leads to.
    pub(crate) to: &'static str,
    pub(crate) about: &'static str,
    /// Parameters of that operation, and the expressions for their values.
    pub(crate) parameters: &'static [(&'static str, &'static str)],
    /// Whether the query parameters of the request are passed on, except those that page.
    pub(crate) repeats_query: bool,
    /// The entity types of the responses that have the link.
    pub(crate) of: fn(EntityType) -> bool,
}

impl Link {
    /// A link of every response, without parameters of the request.
    pub(crate) const DEFAULT: Link = Link {
        name: "",
        to: "",
        about: "",
        parameters: &[],
        repeats_query: false,
        of: |_| true,
    };
}
