//! `Server-Timing`: how long the parts of a request took, in milliseconds. Browsers show it in
//! their developer tools.

use std::{fmt::Write, time::Duration};

use actix_web::http::header::{HeaderName, HeaderValue};

pub(crate) const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The measured parts of a request's time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Timing {
    /// The wait for a search thread.
    pub(crate) queue: Option<Duration>,
    pub(crate) search: Option<Duration>,
    /// Compression of the body.
    pub(crate) coding: Option<Duration>,
}

impl Timing {
    /// The header value, with the total time at its end.
    pub(crate) fn value(&self, total: Duration) -> HeaderValue {
        let parts = [
            ("queue", self.queue),
            ("search", self.search),
            ("coding", self.coding),
            ("total", Some(total)),
        ];
        let mut text = String::with_capacity(80);
        for (name, time) in parts {
            if let Some(time) = time {
                let separator = if text.is_empty() { "" } else { ", " };
                write!(text, "{separator}{name};dur={:.3}", milliseconds(time))
                    .expect("writing into a string does not fail");
            }
        }
        HeaderValue::from_str(&text).expect("names and numbers are a valid header value")
    }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_measured_parts_are_listed() {
        let total = Duration::from_micros(1500);
        assert_eq!(Timing::default().value(total), "total;dur=1.500");
        let timing = Timing {
            queue: Some(Duration::ZERO),
            search: Some(Duration::from_micros(1234)),
            coding: None,
        };
        assert_eq!(
            timing.value(total),
            "queue;dur=0.000, search;dur=1.234, total;dur=1.500"
        );
    }
}
