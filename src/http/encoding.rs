//! Strict percent-encoding of paths and query strings: invalid escapes and invalid UTF-8 are errors, not guesses.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Why a query string or a path cannot be decoded. Its text is for clients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EncodingError {
    /// A `%` without two hexadecimal digits after it, and the text found instead.
    BadEscape(String),
    /// Not valid UTF-8 after decoding.
    NotUtf8,
}

/// The name-value pairs of a query string, in their order. `+` is a space; a pair without `=` has an empty value; empty
/// pairs are skipped.
pub(crate) fn pairs(query: &str) -> Result<Vec<(String, String)>, EncodingError> {
    query
        .split('&')
        .filter(|piece| !piece.is_empty())
        .map(|piece| {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            Ok((form_decode(name)?, form_decode(value)?))
        })
        .collect()
}

/// Decodes a path segment, in which `+` is a plus sign.
pub(crate) fn decode(text: &str) -> Result<Cow<'_, str>, EncodingError> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    check_escapes(text)?;
    percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| EncodingError::NotUtf8)
}

/// Encodes a text as one segment of a path or one part of a query string. [`decode`] reverses it.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Appends an encoded name-value pair. [`pairs`] reverses it.
pub(crate) fn encode_pair(into: &mut String, name: &str, value: &str) {
    into.push_str(&encode(name));
    into.push('=');
    into.push_str(&encode(value));
}

/// All but the unreserved characters of RFC 3986.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn form_decode(text: &str) -> Result<String, EncodingError> {
    check_escapes(text)?;
    Ok(decode(&text.replace('+', " "))?.into_owned())
}

fn check_escapes(text: &str) -> Result<(), EncodingError> {
    for (start, _) in text.match_indices('%') {
        let digits = text.as_bytes().get(start + 1..start + 3);
        if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
            return Err(EncodingError::BadEscape(text[start..].chars().take(3).collect()));
        }
    }
    Ok(())
}

impl std::fmt::Display for EncodingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EncodingError::BadEscape(text) => {
                write!(f, "invalid percent-encoding '{text}'; write a percent sign as %25")
            }
            EncodingError::NotUtf8 => {
                f.write_str("the address is not valid UTF-8 after percent-decoding; encode its text as UTF-8")
            }
        }
    }
}

impl std::error::Error for EncodingError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pairs_are_decoded_or_rejected() {
        let check = |query: &str, expected: &[(&str, &str)]| {
            let expected: Vec<_> = expected.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
            assert_eq!(pairs(query), Ok(expected), "{query}");
        };
        check("", &[]);
        check("&&", &[]);
        check("q=a+b%20c%2Bd", &[("q", "a b c+d")]);
        check("q=d%C3%A9neigement&q", &[("q", "déneigement"), ("q", "")]);
        check("a=b=c&=x", &[("a", "b=c"), ("", "x")]);
        for (query, shown) in [("q=%", "%"), ("q=%zz", "%zz"), ("%4=x", "%4"), ("q=%+1", "%+1")] {
            assert_eq!(pairs(query), Err(EncodingError::BadEscape(shown.into())), "{query}");
        }
        assert_eq!(pairs("q=%FF"), Err(EncodingError::NotUtf8));
        assert_eq!(decode("a+b%7C%2F%25"), Ok("a+b|/%".into()));
    }

    proptest! {
        #[test]
        fn an_encoded_pair_decodes_to_itself(name in "\\PC{1,20}", value in "\\PC{0,20}") {
            let mut query = String::new();
            encode_pair(&mut query, &name, &value);
            prop_assert_eq!(pairs(&query), Ok(vec![(name, value)]));
        }
    }
}
