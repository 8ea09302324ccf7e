//! Alerts: mails each new tender once to every address with a matching subscription.
//!
//! ```text
//! generation ──new_tenders──▶ tenders
//! tenders, subscriptions ──matching, digest_plan──▶ recipients
//! recipient ──digest, texts, text, html, mail──▶ message
//! message ──mailer, smtp──▶ mail server
//!              └─ state::deliveries: the intent before, the outcome after
//! ```
//!
//! **Invariant:** only [`mail`] and [`smtp`] name `lettre`.

pub mod digest;
pub mod digest_plan;
pub mod html;
pub mod mail;
pub mod mailer;
pub mod matching;
pub mod new_tenders;
mod run_cancellable;
pub mod smtp;
pub mod text;
mod texts;
