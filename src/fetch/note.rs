//! What a server said of a body, kept beside it: to ask for the rest of it, or whether it changed.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use ureq::{Body, http::Response};

use super::http::header;

const END: &str = ".note.json";

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Note {
    pub url: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// A validator that names these very bytes, so that more of them may be asked for.
    pub resume_by: Option<String>,
    pub length: Option<u64>,
}

impl Note {
    pub fn of(url: &str, response: &Response<Body>) -> Note {
        let etag = header(response, "etag");
        let last_modified = header(response, "last-modified");
        let strong_tag = etag.clone().filter(|tag| !tag.starts_with("W/"));
        // RFC 9110, 8.8.2.2: a time names one version only if another could not have come in its second. A minute forgives clocks.
        let settled = || {
            let sent = http_date(&header(response, "date")?)?;
            let age = sent - http_date(last_modified.as_deref()?)?;
            last_modified.clone().filter(|_| age >= TimeDelta::minutes(1))
        };
        Note {
            url: url.to_owned(),
            resume_by: strong_tag.or_else(settled),
            etag,
            last_modified,
            length: header(response, "content-length").and_then(|text| text.parse().ok()),
        }
    }

    /// `None` where there is none of this address that can be understood.
    pub fn read(path: &Path, url: &str) -> Option<Note> {
        let note: Note = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (note.url == url).then_some(note)
    }

    pub fn write(&self, path: &Path) -> io::Result<()> {
        fs::write(path, serde_json::to_vec(self)?)
    }

    /// Whether a part that goes on is one of the same body.
    pub fn goes_on(&self, response: &Response<Body>, had: u64) -> bool {
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
        same_tag && first == had && same_length
    }
}

/// Where the note of a file is.
pub fn place(work: &Path, name: &str) -> PathBuf {
    work.join(format!("{name}{END}"))
}

/// The files there are notes of.
pub fn names(work: &Path) -> io::Result<impl Iterator<Item = String>> {
    let mut names = Vec::new();
    for entry in work.read_dir()? {
        let name = entry?.file_name();
        names.extend(name.to_str().and_then(|name| name.strip_suffix(END)).map(str::to_owned));
    }
    names.sort();
    Ok(names.into_iter())
}

/// `bytes 5-9/10` or `bytes 5-9/*`: the first byte, and how many there are in all.
fn content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.trim().strip_prefix("bytes")?.split_once('/')?;
    let (first, _) = range.split_once('-')?;
    Some((first.trim().parse().ok()?, total.trim().parse().ok()))
}

pub fn http_date(text: &str) -> Option<DateTime<Utc>> {
    Some(DateTime::parse_from_rfc2822(text).ok()?.to_utc())
}

/// Seconds, or a moment by the server's clock.
pub fn retry_after(response: &Response<Body>) -> Option<Duration> {
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
    fn a_range_says_where_it_begins_and_of_how_much() {
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
    fn patience_is_asked_for_in_seconds_or_until_a_moment() {
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
