//! Notifications to systemd (`sd_notify`): ready, reloading, stopping, alive. They do nothing if
//! `NOTIFY_SOCKET` is not set.

use std::time::Duration;

use sd_notify::NotifyState;

/// The server listens, and has a generation to serve.
pub(crate) fn ready() {
    notify(&[NotifyState::Ready]);
}

pub(crate) fn stopping() {
    notify(&[NotifyState::Stopping]);
}

/// A new generation is served. The old one was served until then, so the reload is complete when it
/// is reported.
pub(crate) fn reloaded(generation: &str) {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => notify(&[NotifyState::Reloading, now]),
        Err(error) => log::warn!("cannot notify the service manager of the new generation: {error}"),
    }
    let status = format!("serving generation {generation}");
    notify(&[NotifyState::Ready, NotifyState::Status(&status)]);
}

/// How often [`alive`] must be called: twice per timeout of the service manager. `None` if it has
/// no timeout.
pub(crate) fn watchdog_interval() -> Option<Duration> {
    sd_notify::watchdog_enabled().map(|timeout| timeout / 2)
}

pub(crate) fn alive() {
    notify(&[NotifyState::Watchdog]);
}

fn notify(states: &[NotifyState]) {
    if let Err(error) = sd_notify::notify(states) {
        log::warn!("cannot notify the service manager: {error}");
    }
}
