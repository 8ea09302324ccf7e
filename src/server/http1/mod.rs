//! A sans-IO HTTP/1 request framer that sits between a connection and the web framework.
//!
//! It takes the bytes of one connection and returns the bytes that the framework may parse. It
//! opens no socket, has no timer and knows nothing of the rest of the program: the owner of the
//! connection provides both.
//!
//! # Why it exists
//!
//! - Clients send unescaped `é` or `"` in a request target. The framework rejects such a request;
//!   the framer percent-encodes these bytes instead.
//! - The framework answers a malformed request head with an empty 400 that no handler sees. The
//!   framer rejects it first, with a reason, so that the program can answer it like any other
//!   request.
//! - The framework's only request timer covers the first head of a connection. The framer's
//!   [`Phase`](framer::Phase) states what a connection waits for, so its owner can set a time limit
//!   for each head and each body.
//! - The framework takes a bare LF for the end of a line, and closes a connection whose client offers
//!   another protocol. The framer rejects the first and removes the second.
//! - The framework queues each chunk of a body, and an entry of its queue takes more memory than a chunk
//!   of one byte. The framer joins the chunks that arrived together.
//!
//! # What it guarantees
//!
//! - The requests in the output, and the data of their bodies, do not depend on how the input was split
//!   into reads; only the chunks of a chunked body do.
//! - One piece of input gives at most one chunk of a body. The output is valid wherever it ends: of bytes
//!   that are no chunked body, nothing is passed on.
//! - The framework accepts every head that passes, and sees exactly the requests that the framer
//!   counted. The framer is nowhere more lenient than the framework about where a body ends, so a
//!   body cannot smuggle a request. A property test compares the two parsers.
//! - A rejected request is the last one of its connection. In its place the framer writes a
//!   substitute request with `connection: close`, so that the framework calls a handler, which can
//!   answer with the reason.
//!
//! # What it relies on
//!
//! `Cargo.toml` pins the exact version of the framework, because the program relies on behaviour
//! that is not documented. The tests in `framework_tests.rs` state each such assumption:
//!
//! - `HttpServiceBuilder::graceful_shutdown_signal` is a hidden function. It makes a connection
//!   close after its current response, and wakes it, so that it notices the stricter limits of a stop.
//! - The framework encodes the head and what the body yields into one buffer, and `100 Continue`
//!   into one of its own. The owner of the connection recognizes the end of a response by a write
//!   that empties the buffer after the body has yielded its last part.
//! - `HttpServiceBuilder::on_connect_ext` data is readable in every request of the connection.

pub(crate) mod chunked_body;
pub(crate) mod error;
pub(crate) mod framer;
pub(crate) mod head;
mod target;

#[cfg(test)]
mod framework_tests;
