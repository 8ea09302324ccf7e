//! Who looks at a page.

use std::sync::Arc;

use crate::{pages::session::Session, state::account::Account};

/// The visitor of a page, and the account that the page is charged to.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) kind: VisitorKind,
    /// `None` for a visitor who is not known.
    pub(crate) account: Option<Arc<Account>>,
    pub(crate) session: Option<Session>,
    /// Distinguishes visitors without a key in the queue of searches.
    pub(crate) number: Option<u64>,
}

/// How a visitor is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VisitorKind {
    /// By a session, with the token that its forms must send along.
    SignedIn {
        form_token: String,
    },
    /// By an API key in a header, as a program sends it.
    Key,
    /// By the client's address. Only where the pages are open to everybody.
    Open,
    Unknown,
}

impl Visitor {
    pub(crate) const UNKNOWN: Visitor = Visitor {
        kind: VisitorKind::Unknown,
        account: None,
        session: None,
        number: None,
    };

    /// Whether the visitor's plan includes the Pro endpoints.
    pub(crate) fn is_paid(&self) -> bool {
        self.account.as_ref().is_some_and(|account| account.limits.paid)
    }

    /// Whether the visitor has an API key.
    pub(crate) fn has_key(&self) -> bool {
        matches!(self.kind, VisitorKind::SignedIn { .. } | VisitorKind::Key)
    }

    /// The database id of the visitor's key.
    pub(crate) fn key_id(&self) -> Option<i64> {
        let account = self.account.as_ref().filter(|_| self.has_key())?;
        Some(account.key.id)
    }

    /// What a page may show of the visitor, for its `ETag`. Forms hold the token of the session.
    pub(crate) fn fingerprint(&self) -> String {
        let plan = self.account.as_ref().map_or("", |account| account.plan_name());
        let paid = if self.is_paid() { "paid" } else { "free" };
        match &self.kind {
            VisitorKind::SignedIn { form_token } => format!("session {plan} {paid} {form_token}"),
            VisitorKind::Key => format!("key {plan} {paid}"),
            VisitorKind::Open => format!("open {paid}"),
            VisitorKind::Unknown => "unknown".to_owned(),
        }
    }
}

impl VisitorKind {
    pub(crate) fn is_signed_in(&self) -> bool {
        matches!(self, VisitorKind::SignedIn { .. })
    }

    /// The token that a form of the visitor's session must send along; empty without a session.
    pub(crate) fn form_token(&self) -> &str {
        match self {
            VisitorKind::SignedIn { form_token } => form_token,
            _ => "",
        }
    }
}
