//! Why a request to the cluster failed.

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::connect_error::{MAY_NEED_TLS, is_plain};
use crate::engine::error::Error;

/// The texts name the address and the cluster's own reason, at most [`MAX_REASON`] characters of it.
/// They are for operators, never for clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterError {
    /// The deadline passed.
    Timeout,
    /// No address answered, or the cluster cannot answer now.
    Unavailable(String),
    /// The credentials are wrong or lack a right (401, 403).
    Denied(String),
    /// Somebody has forbidden to read or to change an index (403).
    Blocked(String),
    /// The cluster refuses requests because it has too many (429).
    Busy(String),
    /// The cluster stores nothing because its disks are full.
    DisksFull(String),
    /// No such index, alias or document.
    NotFound(String),
    /// The document exists already, or another process has changed it.
    Conflict(String),
    /// The cluster refuses this request, whenever it is sent.
    Rejected(String),
    /// A response that is not what the request asked for.
    Unreadable(String),
}

/// What the reason of a request to an index with a block contains.
const BLOCKED: &str = "cluster_block_exception";

const REMOVE_BLOCK: &str = "somebody has set a block: remove it from the settings of the index or of the cluster";

/// Characters.
const MAX_REASON: usize = 300;

/// How a cluster reports that its disks are full: what it blocks at the flood stage watermark, and
/// when every node has reached the high one, and the error of the file system.
const FULL_DISK: [&str; 3] = [
    "disk usage exceeded flood-stage watermark",
    "cluster create-index blocked",
    "No space left on device",
];

/// What an operator reads then.
const DISKS_FULL: &str =
    "the disks of the search cluster are full; free space on its nodes or add a node, and run the command again";

/// What an operator reads where a body is too large. The cluster itself accepts 100 MB
/// (`http.max_content_length`), a proxy in front of it often 1 MB.
const TOO_LARGE: &str = "let the cluster, and any proxy in front of it, accept bodies of 16 MB";

/// How a shard reports that the time of the search was over, where no partial response is allowed.
const TIME_EXCEEDED: [&str; 2] = ["time_exceeded_exception", "Time exceeded"];

impl ClusterError {
    /// The error of a response with another status than success.
    pub(crate) fn of_response(address: &str, status: u16, body: &[u8]) -> ClusterError {
        let reason = reason(body);
        if status >= 500 && TIME_EXCEEDED.iter().any(|text| reason.contains(text)) {
            return ClusterError::Timeout;
        }
        let text = format!("{address} answered {status}: {reason}");
        if is_disk_full(&reason) {
            return ClusterError::DisksFull(text);
        }
        match status {
            401 => ClusterError::Denied(format!(
                "{text}; check the credentials: --engine-user and its password, or the API key"
            )),
            403 if text.contains(BLOCKED) => ClusterError::Blocked(format!("{text}; {REMOVE_BLOCK}")),
            403 => ClusterError::Denied(format!("{text}; give the user or the API key the rights that it lacks")),
            404 => ClusterError::NotFound(text),
            409 => ClusterError::Conflict(text),
            429 => ClusterError::Busy(text),
            408 | 500.. => ClusterError::Unavailable(text),
            // What a proxy says to a request without TLS. The cluster itself answers with JSON.
            400 if is_plain(address) && !is_json(body) => ClusterError::Unavailable(format!("{text}; {MAY_NEED_TLS}")),
            413 => ClusterError::Rejected(format!("{text}; {TOO_LARGE}")),
            _ => ClusterError::Rejected(text),
        }
    }

    /// The error of a response whose content cannot be used.
    pub(crate) fn unreadable(what: &str, why: impl fmt::Display) -> ClusterError {
        ClusterError::Unreadable(format!("{what}: {}", bounded(&why.to_string())))
    }

    /// Whether the same request may succeed at another address or later.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(
            self,
            ClusterError::Timeout | ClusterError::Unavailable(_) | ClusterError::Busy(_) | ClusterError::DisksFull(_)
        )
    }
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sentence, why) = match self {
            ClusterError::Timeout => return f.write_str("the search cluster did not answer in time"),
            ClusterError::Unavailable(why) => ("the search cluster is not available", why),
            ClusterError::Denied(why) | ClusterError::Blocked(why) => ("the search cluster denies access", why),
            ClusterError::Busy(why) => ("the search cluster is overloaded", why),
            ClusterError::DisksFull(why) => (DISKS_FULL, why),
            ClusterError::NotFound(why) => ("the search cluster does not have it", why),
            ClusterError::Conflict(why) => ("another process changed it", why),
            ClusterError::Rejected(why) => ("the search cluster refuses the request", why),
            ClusterError::Unreadable(why) => ("the search cluster sent an unexpected response", why),
        };
        write!(f, "{sentence}: {why}")
    }
}

impl std::error::Error for ClusterError {}

impl From<ClusterError> for Error {
    fn from(error: ClusterError) -> Error {
        match error {
            ClusterError::Timeout => Error::Timeout,
            ClusterError::Conflict(_) | ClusterError::Rejected(_) | ClusterError::Unreadable(_) => {
                Error::Internal(error.to_string())
            }
            // An index that is not found was removed while it was served.
            _ => Error::Unavailable(error.to_string()),
        }
    }
}

/// The cluster's reason in the body of an error: the innermost cause, because the outer ones only
/// say that something failed.
fn reason(body: &[u8]) -> String {
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        let text = String::from_utf8_lossy(&body[..body.len().min(4 * MAX_REASON)]);
        return bounded(title(&text).unwrap_or(&text));
    };
    match body.get("error") {
        Some(error) => error_text(error),
        None => bounded(&body.to_string()),
    }
}

fn is_json(body: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(body).is_ok()
}

/// The title of an HTML page, with which proxies answer.
fn title(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("<title>")?;
    Some(rest.split_once("</title>")?.0.trim())
}

/// Why a document of a bulk request was refused.
pub(crate) fn refusal(error: &Value) -> String {
    let text = error_text(error);
    if is_disk_full(&text) {
        format!("{DISKS_FULL}: {text}")
    } else {
        text
    }
}

fn is_disk_full(reason: &str) -> bool {
    FULL_DISK.iter().any(|text| reason.contains(text))
}

/// The type and reason of an `error` object, as responses have it.
pub(crate) fn error_text(error: &Value) -> String {
    let describe = |error: &Value| -> Option<String> {
        let kind = error.get("type")?.as_str()?;
        let reason = error.get("reason").and_then(Value::as_str).unwrap_or("no reason");
        Some(format!("{kind}: {reason}"))
    };
    let inner = [
        error.pointer("/failed_shards/0/reason"),
        error.pointer("/root_cause/0"),
        Some(error),
    ];
    let mut inner = inner.into_iter().flatten();
    let found = inner.find_map(|error| {
        let cause = error.get("caused_by").filter(|cause| cause.get("reason").is_some());
        match (describe(error), cause.and_then(describe)) {
            (Some(outer), Some(cause)) => Some(format!("{outer} ({cause})")),
            (outer, _) => outer,
        }
    });
    bounded(&found.unwrap_or_else(|| error.as_str().map_or_else(|| error.to_string(), str::to_owned)))
}

/// At most [`MAX_REASON`] characters on one line.
fn bounded(text: &str) -> String {
    let mut short: String = text
        .chars()
        .take(MAX_REASON)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(MAX_REASON).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_a_response_is_shown_and_bounded() {
        let body = br#"{"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index [x]"}],
            "type":"index_not_found_exception","reason":"no such index [x]"},"status":404}"#;
        assert_eq!(
            ClusterError::of_response("http://a:1", 404, body).to_string(),
            "the search cluster does not have it: http://a:1 answered 404: index_not_found_exception: no such index [x]"
        );
        for body in ["x".repeat(5000), format!("{{\"error\":\"{}\"}}", "x".repeat(5000))] {
            let text = ClusterError::of_response("http://a:1", 500, body.as_bytes()).to_string();
            assert!(text.chars().count() < MAX_REASON + 100, "{text}");
        }
        assert!(reason("é\nè".as_bytes()) == "é è");
        let page = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>…</body></html>";
        assert_eq!(reason(page.as_bytes()), "502 Bad Gateway");
    }

    #[test]
    fn a_proxy_that_expects_tls_is_recognized() {
        let page = b"<title>400 The plain HTTP request was sent to HTTPS port</title>";
        let of = |address, body: &[u8]| ClusterError::of_response(address, 400, body);
        let error = of("http://a:1", page).to_string();
        assert!(error.ends_with(MAY_NEED_TLS), "{error}");
        assert!(matches!(of("https://a:1", page), ClusterError::Rejected(_)));
        assert!(matches!(of("http://a:1", b"{}"), ClusterError::Rejected(_)));
    }

    #[test]
    fn the_cause_of_a_failed_shard_is_shown() {
        let error = serde_json::json!({
            "type": "search_phase_execution_exception",
            "reason": "all shards failed",
            "root_cause": [],
            "failed_shards": [{ "reason": {
                "type": "query_shard_exception", "reason": "failed to create query",
                "caused_by": { "type": "x_content_parse_exception", "reason": "bad field" },
            } }],
        });
        assert_eq!(
            error_text(&error),
            "query_shard_exception: failed to create query (x_content_parse_exception: bad field)"
        );
    }

    #[test]
    fn a_search_whose_time_is_over_is_a_timeout() {
        for cause in [
            r#"{"type":"time_exceeded_exception","reason":null}"#,
            r#"{"type":"query_phase_execution_exception","reason":"Time exceeded"}"#,
        ] {
            let body = format!(
                r#"{{"error":{{"root_cause":[{cause}],"type":"search_phase_execution_exception","reason":"all shards failed"}}}}"#
            );
            let error = ClusterError::of_response("a", 500, body.as_bytes());
            assert_eq!(error, ClusterError::Timeout, "{cause}");
        }
    }

    #[test]
    fn full_disks_are_named_whatever_the_status() {
        for (status, reason) in [
            (
                429,
                "index [p-names-x] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];",
            ),
            (403, "blocked by: [FORBIDDEN/10/cluster create-index blocked (api)];"),
            (500, "No space left on device"),
        ] {
            let error = serde_json::json!({ "type": "cluster_block_exception", "reason": reason });
            let body = serde_json::json!({ "error": error }).to_string();
            let found = ClusterError::of_response("http://a:1", status, body.as_bytes());
            assert!(
                matches!(found, ClusterError::DisksFull(_)) && found.is_transient(),
                "{found}"
            );
            for text in [found.to_string(), refusal(&error)] {
                assert!(
                    text.starts_with("the disks of the search cluster are full; free space"),
                    "{text}"
                );
                assert!(text.contains(reason), "{text}");
            }
        }
        let other = serde_json::json!({ "type": "t", "reason": "r" });
        assert_eq!(refusal(&other), "t: r");
    }

    #[test]
    fn errors_have_their_meaning_for_an_engine() {
        let of = |status| Error::from(ClusterError::of_response("a", status, b"{}"));
        for status in [404, 401, 403, 429, 500, 502, 503] {
            assert!(matches!(of(status), Error::Unavailable(_)), "{status}");
        }
        for status in [401, 403] {
            let denied = ClusterError::of_response("a", status, b"{}");
            assert!(!denied.is_transient(), "a build ends at once: {denied}");
        }
        let blocked = br#"{"error":{"type":"cluster_block_exception","reason":"index [x] blocked by: [FORBIDDEN/8/index write (api)];"}}"#;
        let blocked = ClusterError::of_response("a", 403, blocked);
        assert!(blocked.to_string().ends_with(REMOVE_BLOCK), "{blocked}");
        assert!(matches!(Error::from(blocked), Error::Unavailable(_)));
        assert!(matches!(of(400), Error::Internal(_)));
        let too_large = ClusterError::of_response("a", 413, b"<title>413</title>").to_string();
        assert!(too_large.ends_with(TOO_LARGE), "{too_large}");
        assert_eq!(Error::from(ClusterError::Timeout), Error::Timeout);
    }
}
