//! Sending mails over SMTP, several over one connection.

pub(crate) mod reply;
pub mod server;
pub mod session;
pub(crate) mod smtp_url;
