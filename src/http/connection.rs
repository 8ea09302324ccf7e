//! What a connection and the requests that arrive on it know of each other.
//!
//! [`crate::server`] detects most errors of a request on the connection's bytes. It stores the reason in the
//! [`ConnectionState`] and passes a substitute request to the framework. The pipeline answers that request with the
//! reason. So these errors are answered in order, logged and counted like all others.

use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use actix_web::HttpRequest;
use tokio::sync::Notify;

use crate::http::{byte_budget::Reservation, refusal::Refusal};

/// The state of one connection. Its stream and each of its requests have a clone, which shares it.
#[derive(Clone)]
pub(crate) struct ConnectionState(Rc<Shared>);

struct Shared {
    /// Why the last request of the connection is refused.
    refusal: OnceCell<Refusal>,
    /// The only path that the connection serves, if it is one of those that are reserved for health checks.
    only_path: Option<&'static str>,
    /// Whether a request with a valid key arrived on it.
    is_keyed: Arc<AtomicBool>,
    /// Signals that the body of the last request is longer than permitted.
    body_too_long: Notify,
    /// Whether the framework has not taken all parts of the current response yet.
    is_sending: Cell<bool>,
    /// The memory of the current response, until it is written.
    response: RefCell<Option<Reservation>>,
}

impl ConnectionState {
    /// `is_keyed` is set when a request with a valid key arrives.
    pub(crate) fn new(only_path: Option<&'static str>, is_keyed: Arc<AtomicBool>) -> ConnectionState {
        ConnectionState(Rc::new(Shared {
            refusal: OnceCell::new(),
            only_path,
            is_keyed,
            body_too_long: Notify::new(),
            is_sending: Cell::new(false),
            response: RefCell::new(None),
        }))
    }

    /// The connection of a request; `None` for a request that a unit test made.
    pub(crate) fn of(request: &HttpRequest) -> Option<&ConnectionState> {
        request.conn_data()
    }

    /// Stores why the last request is refused. A second reason is ignored: the first one already ends the connection.
    pub(crate) fn refuse(&self, refusal: Refusal) {
        self.0.refusal.get_or_init(|| refusal);
    }

    /// The reason to refuse the current request, if there is one.
    ///
    /// The server stores a reason only when the responses to all earlier requests of the connection are written, so it
    /// belongs to the request that is being handled.
    pub(crate) fn refusal(&self, path: &str) -> Option<Refusal> {
        let is_other = self.0.only_path.is_some_and(|only| path != only);
        let reason = self.0.refusal.get().copied();
        reason.or(is_other.then_some(Refusal::TooManyConnections))
    }

    /// The body of the last request is longer than permitted, so no more of it is passed on. Unlike [`Self::refuse`],
    /// it concerns only who reads the body: the response of an endpoint that reads none does not depend on when its
    /// body arrived.
    pub(crate) fn cut_body(&self) {
        self.0.body_too_long.notify_one();
    }

    /// Resolves when the body of the current request, the last one, turns out to be longer than permitted.
    pub(crate) async fn body_too_long(&self) {
        self.0.body_too_long.notified().await;
    }

    /// Whether the connection ends with its first response.
    pub(crate) fn is_for_health(&self) -> bool {
        self.0.only_path.is_some()
    }

    /// A request with a valid key has arrived.
    pub(crate) fn set_keyed(&self) {
        self.0.is_keyed.store(true, Ordering::Relaxed);
    }

    /// Whether the framework has not taken all parts of the current response yet.
    pub(crate) fn is_sending(&self) -> bool {
        self.0.is_sending.get()
    }

    pub(crate) fn set_sending(&self, is_sending: bool) {
        self.0.is_sending.set(is_sending);
    }

    /// Keeps the memory of the current response reserved until [`Self::end_response`].
    pub(crate) fn hold(&self, response: Reservation) {
        self.0.response.replace(Some(response));
    }

    /// Whether the current response takes part of a budget that is more than half in use.
    pub(crate) fn is_crowded(&self) -> bool {
        let response = self.0.response.borrow();
        response.as_ref().is_some_and(Reservation::is_crowded)
    }

    /// The current response is written.
    pub(crate) fn end_response(&self) {
        self.0.response.take();
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_first_reason_to_refuse_counts() {
        let connection = ConnectionState::new(None, Arc::default());
        assert_eq!(connection.refusal("/contract"), None);
        connection.refuse(Refusal::Timeout);
        connection.refuse(Refusal::Host);
        assert_eq!(connection.refusal("/contract"), Some(Refusal::Timeout));
        assert!(ConnectionState::of(&TestRequest::default().to_http_request()).is_none());
    }

    #[test]
    fn a_connection_for_health_checks_serves_nothing_else() {
        let connection = ConnectionState::new(Some("/health"), Arc::default());
        assert_eq!(connection.refusal("/health"), None);
        assert_eq!(connection.refusal("/contract"), Some(Refusal::TooManyConnections));
    }
}
