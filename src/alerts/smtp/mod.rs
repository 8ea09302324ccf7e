//! Sending mails over SMTP, several over one connection.

pub mod reply;
pub mod server;
pub mod session;
pub mod smtp_url;
