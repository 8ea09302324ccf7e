//! Whether a client reads a response fast enough.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use tokio::time::{Sleep, sleep};

/// A window is checked this many times.
const CHECKS: u32 = 6;

/// When memory or places are scarce, the window ends at this check. The system takes a response in steps of up to 93
/// KiB (seen with its bound on unsent bytes), one in 10 s from a client that reads 10 KiB a second; so a window has to
/// hold a step.
const SCARCE_CHECKS: u32 = 4;

/// The pace of a client that does not take all of a response at once.
///
/// Decision D-159: in each window, the client has to take the bytes of the least pace. A limit for pauses alone would
/// let a client that takes one byte in each of them hold a response for ever.
pub(crate) struct WritePace {
    window: Duration,
    least_bytes_per_second: u64,
    since: Instant,
    /// The bytes that the client took since then.
    taken: u64,
    timer: Pin<Box<Sleep>>,
}

impl WritePace {
    pub(crate) fn new(window: Duration, least_bytes_per_second: u64) -> WritePace {
        WritePace {
            window,
            least_bytes_per_second,
            since: Instant::now(),
            taken: 0,
            timer: Box::pin(sleep(window / CHECKS)),
        }
    }

    pub(crate) fn window(&self) -> Duration {
        self.window
    }

    pub(crate) fn add(&mut self, bytes: usize) {
        self.taken += bytes as u64;
    }

    /// Ready when the client was too slow. `is_scarce` states whether others need what this client holds.
    pub(crate) fn poll_too_slow(&mut self, cx: &mut Context<'_>, is_scarce: impl Fn() -> bool) -> Poll<()> {
        while self.timer.as_mut().poll(cx).is_ready() {
            if self.is_too_slow(self.since.elapsed(), &is_scarce) {
                return Poll::Ready(());
            }
            self.timer = Box::pin(sleep(self.window / CHECKS));
        }
        Poll::Pending
    }

    /// Evaluates a window of this age, and starts the next one if it is over.
    fn is_too_slow(&mut self, age: Duration, is_scarce: impl Fn() -> bool) -> bool {
        let is_over = age >= self.window || (age >= self.window * SCARCE_CHECKS / CHECKS && is_scarce());
        let least = age.as_millis() * u128::from(self.least_bytes_per_second) / 1000;
        let is_slow = is_over && u128::from(self.taken) < least;
        if is_over {
            self.since = Instant::now();
            self.taken = 0;
        }
        is_slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_secs(60);

    #[test]
    fn a_window_needs_the_least_pace() {
        for (age, taken, is_scarce, is_too_slow) in [
            (39, 0, true, false),
            (40, 0, false, false),
            (40, 0, true, true),
            (40, 40_000, true, false),
            (60, 59_999, false, true),
            (60, 60_000, false, false),
            (120, 60_000, false, true),
        ] {
            actix_web::rt::System::new().block_on(async {
                let mut pace = WritePace::new(WINDOW, 1_000);
                pace.add(taken);
                let found = pace.is_too_slow(Duration::from_secs(age), || is_scarce);
                assert_eq!(found, is_too_slow, "{taken} bytes in {age} s");
            });
        }
    }
}
