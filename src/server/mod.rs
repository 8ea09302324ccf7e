//! The running service: configuration, assembly, connections, background workers and the graceful
//! stop.
//!
//! The steps of background workers ([`reload::Reload::step`], [`crate::state::sync::StateSync::step`])
//! return what they did. Their threads are plain loops around them.

mod admin;
mod assembly;
pub(crate) mod config;
pub(crate) mod connection;
pub(crate) mod health_probe;
pub(crate) mod http1;
mod listener;
mod mail_worker;
mod metrics;
mod reload;
mod run;
pub(crate) mod signals;
mod sync_worker;
mod systemd;
mod watchdog;
mod worker;

pub use config::Config;
pub use run::run;
