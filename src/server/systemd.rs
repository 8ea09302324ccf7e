//! What systemd is told (`sd_notify`): ready, a new generation, stopping, alive. Nothing at all where `NOTIFY_SOCKET` is not set.

use std::time::Duration;

use sd_notify::NotifyState;

/// The address is listened on, and there is a generation to answer from.
pub fn ready() {
    tell(&[NotifyState::Ready]);
}

pub fn stopping() {
    tell(&[NotifyState::Stopping]);
}

/// A new generation is served. The old one served until then, so the reload is over when it is told of.
pub fn reloaded(generation: &str) {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => tell(&[NotifyState::Reloading, now]),
        Err(error) => log::warn!("the service manager cannot be told of the new generation: {error}"),
    }
    let status = format!("serving generation {generation}");
    tell(&[NotifyState::Ready, NotifyState::Status(&status)]);
}

/// How often [`alive`] must be told: twice in the time the service manager waits. None where it does not.
pub fn alive_every() -> Option<Duration> {
    sd_notify::watchdog_enabled().map(|patience| patience / 2)
}

pub fn alive() {
    tell(&[NotifyState::Watchdog]);
}

fn tell(states: &[NotifyState]) {
    if let Err(error) = sd_notify::notify(states) {
        log::warn!("the service manager cannot be told how things are: {error}");
    }
}
