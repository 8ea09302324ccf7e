//! The running service: configuration, assembly, connections, background workers and the graceful
//! stop.
//!
//! The steps of background workers ([`reload::Reload::step`], [`crate::state::sync::StateSync::step`])
//! return what they did. Their threads are plain loops around them.

mod admin;
mod assembly;
pub(crate) mod bind_error;
pub(crate) mod bus_error;
mod client_socket;
pub(crate) mod config;
mod connection;
pub(crate) mod connection_limits;
#[cfg(test)]
mod connection_tests;
mod freed_memory;
pub(crate) mod health_probe;
mod held_place;
pub(crate) mod http1;
mod listener;
mod mail_worker;
mod metrics;
mod places;
mod readiness;
mod refused_request;
mod reload;
mod run;
pub(crate) mod signals;
mod sync_worker;
mod systemd;
mod time_limit;
mod value_worker;
mod watchdog;
mod worker;
mod write_pace;

pub use config::Config;
pub use run::run;
