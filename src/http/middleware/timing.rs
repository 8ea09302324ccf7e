//! `Server-Timing`: where a request's time went, in milliseconds, for the developer who looks at it in a browser.

use std::{fmt::Write, time::Duration};

use actix_web::http::header::{HeaderName, HeaderValue};

pub const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The parts of a request's time that were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// Until a search thread was free.
    pub queue: Option<Duration>,
    pub search: Option<Duration>,
    /// Compressing the body.
    pub coding: Option<Duration>,
}

impl Timing {
    /// The header's value, with the whole time last.
    pub fn value(&self, total: Duration) -> HeaderValue {
        let parts = [
            ("queue", self.queue),
            ("search", self.search),
            ("coding", self.coding),
            ("total", Some(total)),
        ];
        let mut text = String::with_capacity(80);
        for (name, time) in parts {
            if let Some(time) = time {
                let between = if text.is_empty() { "" } else { ", " };
                // Writing into a string cannot fail.
                let _ = write!(text, "{between}{name};dur={:.3}", milliseconds(time));
            }
        }
        HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("total"))
    }
}

pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_measured_is_told() {
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
