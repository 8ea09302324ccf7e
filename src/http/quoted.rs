//! A client's text in an error.

/// The maximum number of characters that an error quotes of a client's text.
const MAX_QUOTED_CHARS: usize = 80;

/// Quotes a client's text for an error: between single quotes, truncated if it is long.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("'{}…'", &text[..end]),
        None => format!("'{text}'"),
    }
}
