//! Waiting for a server that may take minutes to answer, without making whoever is told to stop wait as long.
//!
//! The work blocks on a thread of its own; the caller looks now and then whether it is to stop, and leaves the thread behind if so. What is left behind ends with
//! the process, or with the patience of the connection it waits on, whichever is first.

use std::{
    io,
    panic::resume_unwind,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// How often it is looked whether to stop. An answer is not waited for any longer by it.
const GLANCE: Duration = Duration::from_millis(100);

/// What comes of the work; none where it was told to stop, and had not come `grace` later. An error where there is no thread to be had: nothing was done.
pub fn attend<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    grace: Duration,
    is_stopped: &dyn Fn() -> bool,
) -> io::Result<Option<T>> {
    let (done, answer) = mpsc::channel();
    let thread = thread::Builder::new().name("mail".to_owned());
    // Whoever left does not hear it.
    let thread = thread.spawn(move || drop(done.send(work())))?;
    let mut told: Option<Instant> = None;
    loop {
        match answer.recv_timeout(GLANCE) {
            Ok(answer) => return Ok(Some(answer)),
            Err(RecvTimeoutError::Disconnected) => {
                return thread.join().map_or_else(|panic| resume_unwind(panic), |()| Ok(None));
            }
            Err(RecvTimeoutError::Timeout) if is_stopped() => {
                if told.get_or_insert_with(Instant::now).elapsed() >= grace {
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
    fn what_answers_is_heard_and_what_does_not_is_left() {
        let never = || false;
        let slow = || {
            thread::sleep(Duration::from_millis(250));
            7
        };
        assert_eq!(attend(slow, Duration::ZERO, &never).unwrap(), Some(7));
        assert_eq!(
            attend(slow, Duration::from_secs(60), &|| true).unwrap(),
            Some(7),
            "within the grace"
        );
        let started = Instant::now();
        let stuck = || thread::sleep(Duration::from_secs(600));
        assert_eq!(attend(stuck, Duration::from_millis(200), &|| true).unwrap(), None);
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
