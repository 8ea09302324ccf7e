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
mod connection_slots;
#[cfg(test)]
mod connection_tests;
mod declared_parameters;
mod freed_memory;
pub(crate) mod health_probe;
pub(crate) mod http1;
mod job;
mod late_connections;
mod listener;
mod mail_worker;
mod metrics;
pub(crate) mod pinned;
mod pipeline;
mod plan_check;
mod readiness;
mod refused_request;
mod reload;
mod response;
mod run;
mod service;
pub(crate) mod signals;
mod slot_lease;
mod sync_worker;
mod systemd;
mod time_limit;
mod value_worker;
mod watchdog;
mod worker;
mod write_pace;

pub use config::Config;
pub use run::run;
