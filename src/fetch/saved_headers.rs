//! The response headers of a downloaded file, saved next to it to resume the download or to ask
//! whether it changed.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use ureq::{Body, http::Response};

use super::client::header;

const SUFFIX: &str = ".note.json";

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct SavedHeaders {
    pub(crate) url: String,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    /// The strong validator with which the download can be resumed.
    pub(crate) resume_by: Option<String>,
    /// `Content-Length`, or the length of the whole file.
    pub(crate) length: Option<u64>,
}

impl SavedHeaders {
    pub(crate) fn of(url: &str, response: &Response<Body>) -> SavedHeaders {
        let etag = header(response, "etag");
        let last_modified = header(response, "last-modified");
        let strong_tag = etag.clone().filter(|tag| !tag.starts_with("W/"));
        // RFC 9110, 8.8.2.2: `Last-Modified` is a strong validator only if the file cannot have
        // changed again in the same second. A minute allows for clocks that differ.
        let old_enough = || {
            let sent = http_date(&header(response, "date")?)?;
            let age = sent - http_date(last_modified.as_deref()?)?;
            last_modified.clone().filter(|_| age >= TimeDelta::minutes(1))
        };
        SavedHeaders {
            url: url.to_owned(),
            resume_by: strong_tag.or_else(old_enough),
            etag,
            last_modified,
            length: header(response, "content-length").and_then(|text| text.parse().ok()),
        }
    }

    /// Reads saved headers; `None` if there are none for this address, or if they are unreadable.
    pub(crate) fn read(path: &Path, url: &str) -> Option<SavedHeaders> {
        let headers: SavedHeaders = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        if headers.url == url { Some(headers) } else { None }
    }

    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        fs::write(path, serde_json::to_vec(self)?)
    }

    /// Whether a partial response continues this file after `received` bytes.
    pub(crate) fn is_continued_by(&self, response: &Response<Body>, received: u64) -> bool {
        let same_tag = match (&self.etag, header(response, "etag")) {
            (Some(before), Some(now)) => *before == now,
            _ => true,
        };
        let range = header(response, "content-range").and_then(|text| content_range(&text));
        let Some((first, total)) = range else {
            return false;
        };
        let same_length = match (self.length, total) {
            (Some(before), Some(now)) => before == now,
            _ => true,
        };
        same_tag && first == received && same_length
    }
}

/// The path of the saved headers of a file.
pub(crate) fn path(work: &Path, file_name: &str) -> PathBuf {
    work.join(format!("{file_name}{SUFFIX}"))
}

/// The names of the files that have saved headers, sorted.
pub(crate) fn file_names(work: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in work.read_dir()? {
        let name = entry?.file_name();
        names.extend(
            name.to_str()
                .and_then(|name| name.strip_suffix(SUFFIX))
                .map(str::to_owned),
        );
    }
    names.sort();
    Ok(names)
}

/// Parses `Content-Range`: of `bytes 5-9/10` the first byte and the total length, of `bytes 5-9/*`
/// the first byte.
fn content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.trim().strip_prefix("bytes")?.split_once('/')?;
    let (first, _) = range.split_once('-')?;
    Some((first.trim().parse().ok()?, total.trim().parse().ok()))
}

/// Parses an HTTP date; `None` if it is invalid.
pub(crate) fn http_date(text: &str) -> Option<DateTime<Utc>> {
    Some(DateTime::parse_from_rfc2822(text).ok()?.to_utc())
}

/// The wait that `Retry-After` asks for, in seconds or until a time by the server's clock.
pub(crate) fn retry_after(response: &Response<Body>) -> Option<Duration> {
    let asked = header(response, "retry-after")?;
    let now = header(response, "date").and_then(|text| http_date(&text));
    wait(&asked, now.unwrap_or_else(Utc::now))
}

fn wait(asked: &str, now: DateTime<Utc>) -> Option<Duration> {
    match asked.trim().parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => Some((http_date(asked)? - now).to_std().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn content_range_has_a_first_byte_and_a_total() {
        for (text, range) in [
            ("bytes 5-9/10", Some((5, Some(10)))),
            ("bytes 5-9/*", Some((5, None))),
            ("bytes */10", None),
            ("items 5-9/10", None),
            ("bytes x-9/10", None),
            ("", None),
        ] {
            assert_eq!(content_range(text), range, "{text}");
        }
    }

    #[test]
    fn retry_after_is_in_seconds_or_a_time() {
        let now = http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (text, seconds) in [
            ("0", Some(0)),
            ("120", Some(120)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10)),
            ("Sun, 06 Nov 1994 08:49:07 GMT", Some(0)),
            ("-1", None),
            ("soon", None),
        ] {
            assert_eq!(wait(text, now), seconds.map(Duration::from_secs), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_header_panics(text in ".{0,60}") {
            content_range(&text);
            wait(&text, Utc::now());
            http_date(&text);
        }
    }
}
