//! Waiting for what the program does in the background.

use std::{
    thread,
    time::{Duration, Instant},
};

/// How long a test waits before it fails. A wait ends when its condition holds, so only a failure takes this long, and
/// no load on the machine makes one.
pub const WAIT_LIMIT: Duration = Duration::from_secs(120);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Checks the condition again and again until it holds. Panics after [`WAIT_LIMIT`].
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < WAIT_LIMIT, "waited {WAIT_LIMIT:?} for {what}");
        thread::sleep(PAUSE);
    }
}
