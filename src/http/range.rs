//! Ranges of a file that a request asks for (RFC 9110, section 14).

use actix_web::{
    HttpRequest,
    http::{
        StatusCode,
        header::{self, HeaderValue},
    },
};

use crate::http::error::ApiError;

/// What a request states of the part of a file that it wants.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RangeRequest {
    range: Option<String>,
    if_range: Option<String>,
}

/// A part of a file: from the first byte up to the one after the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FilePart {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl RangeRequest {
    pub(crate) fn of(request: &HttpRequest) -> RangeRequest {
        let value = |name| {
            let values: Vec<_> = request.headers().get_all(name).collect();
            let [value] = values[..] else { return None };
            value.to_str().ok().map(str::to_owned)
        };
        RangeRequest {
            range: value(header::RANGE),
            if_range: value(header::IF_RANGE),
        }
    }

    /// The part of a file of this size that the request asks for; `None` for the whole file. A list of several ranges
    /// and a malformed one are ignored, as the standard allows. `tag` and `modified` are those of the file: if
    /// `If-Range` names others, the whole file is sent.
    ///
    /// # Errors
    /// 416 if the range begins after the end of the file.
    pub(crate) fn part(&self, size: u64, tag: &str, modified: &str) -> Result<Option<FilePart>, ApiError> {
        let is_current = |known: &String| known == tag || known == modified;
        let range = self
            .range
            .as_deref()
            .filter(|_| self.if_range.as_ref().is_none_or(is_current));
        let Some((first, last)) = range.and_then(bounds) else {
            return Ok(None);
        };
        let part = match (first, last) {
            (Some(first), last) => FilePart {
                start: first,
                end: last.map_or(size, |last| size.min(last.saturating_add(1))),
            },
            (None, last) => FilePart {
                start: size.saturating_sub(last.unwrap_or_default()),
                end: size,
            },
        };
        if part.start >= part.end {
            return Err(unsatisfiable(size));
        }
        Ok(Some(part))
    }
}

/// The first and last byte of a single range that is not in the wrong order.
fn bounds(range: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (first, last) = range.trim().strip_prefix("bytes=")?.split_once('-')?;
    let number = |text: &str| match text.trim() {
        "" => Some(None),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(Some(digits.parse().unwrap_or(u64::MAX))),
        _ => None,
    };
    match (number(first)?, number(last)?) {
        (None, None) => None,
        (Some(first), Some(last)) if first > last => None,
        bounds => Some(bounds),
    }
}

fn unsatisfiable(size: u64) -> ApiError {
    let detail = format!("the range begins after the end of the file, which has {size} bytes");
    let error = ApiError::new(StatusCode::RANGE_NOT_SATISFIABLE, detail);
    match HeaderValue::from_str(&format!("bytes */{size}")) {
        Ok(value) => error.with_header(header::CONTENT_RANGE, value),
        Err(_) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_a_part_and_anything_odd_the_whole() {
        let part = |range: &str, if_range: Option<&str>| {
            let request = RangeRequest {
                range: Some(range.to_owned()),
                if_range: if_range.map(str::to_owned),
            };
            let part = request.part(100, "\"t\"", "Mon");
            part.map(|part| part.map(|part| (part.start, part.end)))
                .map_err(|error| error.status.as_u16())
        };
        for (range, expected) in [
            ("bytes=0-9", Ok(Some((0, 10)))),
            ("bytes=90-", Ok(Some((90, 100)))),
            ("bytes=90-1000", Ok(Some((90, 100)))),
            ("bytes=-10", Ok(Some((90, 100)))),
            ("bytes=-1000", Ok(Some((0, 100)))),
            ("bytes=0-99999999999999999999999", Ok(Some((0, 100)))),
            ("bytes=100-", Err(416)),
            ("bytes=-0", Err(416)),
            ("bytes=9-8", Ok(None)),
            ("bytes=0-1,5-6", Ok(None)),
            ("bytes=a-b", Ok(None)),
            ("bytes=-", Ok(None)),
            ("items=0-1", Ok(None)),
            ("", Ok(None)),
        ] {
            assert_eq!(part(range, None), expected, "{range}");
        }
        assert_eq!(part("bytes=0-9", Some("\"t\"")), Ok(Some((0, 10))));
        assert_eq!(part("bytes=0-9", Some("Mon")), Ok(Some((0, 10))));
        assert_eq!(part("bytes=0-9", Some("\"old\"")), Ok(None));
        assert_eq!(part("bytes=999-", Some("W/\"t\"")), Ok(None));
    }
}
