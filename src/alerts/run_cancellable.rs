//! Runs blocking work that its caller can stop waiting for: an SMTP server may take minutes to
//! answer.
//!
//! The work runs on a thread of its own, and the caller polls whether it should stop. If it
//! does, the thread runs on until its connection times out or the process ends.

use std::{
    io,
    panic::resume_unwind,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// How often `is_cancelled` is polled. It does not delay the result.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Runs `work`. `None` if it was cancelled and had not finished `grace` later. An error if no thread
/// could be started: the work did not run.
pub(crate) fn run_cancellable<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    grace: Duration,
    is_cancelled: &dyn Fn() -> bool,
) -> io::Result<Option<T>> {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::Builder::new().name("mail".to_owned());
    // Sending fails if the caller has stopped waiting.
    let thread = thread.spawn(move || drop(sender.send(work())))?;
    let mut cancelled_at: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Disconnected) => {
                return thread.join().map_or_else(|panic| resume_unwind(panic), |()| Ok(None));
            }
            Err(RecvTimeoutError::Timeout) if is_cancelled() => {
                if cancelled_at.get_or_insert_with(Instant::now).elapsed() >= grace {
                    return Ok(None);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_a_result_and_abandons_cancelled_work() {
        let never = || false;
        let slow = || {
            thread::sleep(Duration::from_millis(250));
            7
        };
        assert_eq!(run_cancellable(slow, Duration::ZERO, &never).unwrap(), Some(7));
        assert_eq!(
            run_cancellable(slow, Duration::from_secs(60), &|| true).unwrap(),
            Some(7),
            "within the grace period"
        );
        let started = Instant::now();
        let stuck = || thread::sleep(Duration::from_secs(600));
        assert_eq!(
            run_cancellable(stuck, Duration::from_millis(200), &|| true).unwrap(),
            None
        );
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
