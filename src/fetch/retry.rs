//! Repeats the attempts to download a file until one succeeds, fails for good, or too many made no
//! progress.

use std::thread;

use super::{
    client::Client,
    download::{Download, DownloadTarget, FetchOutcome},
    failure::{Failure, Retry},
    progress::Progress,
};

/// An attempt that received this many bytes more than any before it made progress, and does not
/// count as failed.
const MIN_PROGRESS: u64 = 1 << 20;

/// Downloads a file, with retries.
pub(crate) fn fetch(client: &Client, target: &DownloadTarget, progress: &Progress) -> Result<FetchOutcome, Failure> {
    let download = Download::new(client, target, progress);
    let config = &client.config;
    let (mut attempt, mut furthest) = (0, download.received());
    loop {
        attempt += 1;
        let failure = match download.attempt() {
            Ok(outcome) => return Ok(outcome),
            Err(failure) => failure,
        };
        let Retry::After(requested) = failure.retry else {
            return Err(failure);
        };
        if download.received() >= furthest + MIN_PROGRESS {
            furthest = download.received();
            attempt = 1;
        }
        if attempt >= config.max_attempts {
            let why = format!("{}; gave up after {attempt} attempts without progress", failure.why);
            return Err(Failure { why, ..failure });
        }
        let wait = requested.unwrap_or_else(|| config.backoff(attempt));
        if wait > config.max_retry_after {
            let why = format!("{}; the server asks to retry in {} s", failure.why, wait.as_secs());
            return Err(Failure { why, ..failure });
        }
        progress.warn(&format!(
            "{}: {}; retrying in {:.1} s",
            download.name,
            failure.why,
            wait.as_secs_f64()
        ));
        thread::sleep(wait);
    }
}
