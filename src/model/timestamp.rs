//! Timestamps as the whole program writes and reads them: RFC 3339, in UTC.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};

/// The time of the machine's clock. Unlike `Utc::now`, it does not panic if the clock is before 1970.
pub(crate) fn now() -> DateTime<Utc> {
    SystemTime::now().into()
}

/// Formats a moment with whole seconds and a `Z`, as in `2026-05-20T12:00:00Z`.
pub(crate) fn format_seconds(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Parses an RFC 3339 timestamp of any offset; `None` if it is not one.
pub(crate) fn parse(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|moment| moment.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_any_offset_and_formats_utc_without_fractions() {
        let moment = parse("2026-05-20T08:00:00.75-04:00").unwrap();
        assert_eq!(format_seconds(moment), "2026-05-20T12:00:00Z");
        assert_eq!(parse("2026-05-20"), None);
    }
}
