//! Alerts: mails each new tender once to every address with a matching subscription, and asks new
//! addresses to confirm.
//!
//! ```text
//! generation ──new_tenders──▶ tenders
//! tenders, subscriptions ──matching, digest_plan──▶ recipients
//! recipient ──digest, texts, text, html, mail──▶ message
//! address to confirm ──confirmation, mail──▶ message
//! message ──mailer, delivery, smtp──▶ mail server
//!              └─ state::deliveries: the intent before, the outcome after
//! ```
//!
//! **Invariant:** only [`mail`] and [`smtp`] name `lettre`.

mod bilingual_texts;
pub mod confirmation;
mod delivery;
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
