//! Lengths in SVG attributes, written with few digits.

use std::fmt;

use askama::filters::HtmlSafe;

/// A share of the chart's width, 0 to 1, written as a percentage.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Percent(pub(super) f64);

/// Pixels.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Pixels(pub(super) f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", (self.0 * 1e4).round() / 100.0)
    }
}

impl fmt::Display for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 10.0).round() / 10.0)
    }
}

impl HtmlSafe for Percent {}

impl HtmlSafe for Pixels {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_has_few_digits() {
        assert_eq!(Percent(1.0 / 3.0).to_string(), "33.33%");
        assert_eq!(Percent(0.5).to_string(), "50%");
        assert_eq!(Pixels(10.0 / 3.0).to_string(), "3.3");
    }
}
