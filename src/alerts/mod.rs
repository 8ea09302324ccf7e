//! Alerts: what is new, told by mail to those who asked for it, once.
//!
//! ```text
//! generation ──fresh──▶ tenders ──matching, round──▶ who is to be told ──digest, text, html, mail──▶ message ──mailer, send──▶ SMTP server
//!                                                                                              └─ state::mailings: the intent before, the outcome after
//! ```
//!
//! **Invariant:** `lettre` is named only in [`mail`] and [`send`].

mod attend;
pub mod digest;
pub mod fresh;
pub mod html;
pub mod mail;
pub mod mailer;
pub mod matching;
pub mod round;
pub mod send;
pub mod text;
pub mod words;
