//! What a row of the page table states: the form of a page's address, who may see it, and its handler.

use crate::{
    http::{error::ApiError, work::Work},
    model::EntityType,
    pages::page::PageCall,
};

/// A page.
pub(crate) struct Page {
    /// The path with names in braces for its variable parts, as log lines and metrics show it. `{lang}` is first. The
    /// last variable part is everything up to the rest of the template, slashes included; any other is one segment.
    pub(crate) template: &'static str,
    pub(crate) access: PageAccess,
    pub(crate) handler: Handler,
    /// What a form sent to this address does. Its token and its origin are checked before.
    pub(crate) post: Option<Post>,
}

/// The handler of a form.
pub(crate) type Post = fn(&PageCall) -> Result<Work, ApiError>;

/// The handler of GET, which takes the variable parts of the path, decoded.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    Fixed(fn(&PageCall) -> Result<Work, ApiError>),
    /// A path that ends with a name, number or id.
    Named(fn(&PageCall, &str) -> Result<Work, ApiError>),
    /// `{kind}` and `{record_id}`.
    Record(fn(&PageCall, EntityType, &str) -> Result<Work, ApiError>),
}

/// Who may see a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageAccess {
    /// Everybody, free of charge.
    Everybody,
    /// Visitors with a key, or all visitors where the pages are open. It is charged like a request of the API.
    Visitor,
}

impl Page {
    pub(crate) const DEFAULT: Page = Page {
        template: "",
        access: PageAccess::Visitor,
        handler: Handler::Fixed(|_| Err(ApiError::internal("the page has no handler"))),
        post: None,
    };

    /// A page with a path of its own, for visitors.
    pub(crate) const fn fixed(template: &'static str, handler: fn(&PageCall) -> Result<Work, ApiError>) -> Page {
        Page {
            template,
            handler: Handler::Fixed(handler),
            ..Page::DEFAULT
        }
    }

    /// A page whose path ends with a name, number or id, for visitors.
    pub(crate) const fn named(template: &'static str, handler: fn(&PageCall, &str) -> Result<Work, ApiError>) -> Page {
        Page {
            template,
            handler: Handler::Named(handler),
            ..Page::DEFAULT
        }
    }

    /// The page free of charge for everybody.
    pub(crate) const fn for_everybody(self) -> Page {
        Page {
            access: PageAccess::Everybody,
            ..self
        }
    }

    /// The page with a form that is sent to its own address.
    pub(crate) const fn with_form(self, post: Post) -> Page {
        Page {
            post: Some(post),
            ..self
        }
    }
}
