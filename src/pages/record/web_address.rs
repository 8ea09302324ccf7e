//! Which texts of records may become links: addresses of web pages, and nothing else.

/// Whether a text is an `http` or `https` address with a host. Other schemes, such as `javascript:`, and texts with
/// blanks or control characters are shown as texts.
pub(crate) fn is_web_address(text: &str) -> bool {
    let rest = ["https://", "http://"].into_iter().find_map(|scheme| {
        let (start, rest) = text.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    });
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>' | '"' | '\\' | '`');
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '[') && rest.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_with_a_host_are_web_addresses() {
        for text in [
            "https://example.org",
            "HTTP://example.org/a?b=c#d",
            "https://[2001:db8::1]/",
            "https://québec.example/é",
        ] {
            assert!(is_web_address(text), "{text}");
        }
        for text in [
            "",
            "http://",
            "https:///x",
            "javascript:alert(1)",
            "JaVaScRiPt://example.org/%0aalert(1)",
            "data:text/html,x",
            "//example.org",
            "mailto:a@example.org",
            "https://example.org/a b",
            "https://example.org/\u{0}",
            "https://exa\\mple.org",
            "www.example.org",
            "é",
        ] {
            assert!(!is_web_address(text), "{text}");
        }
    }
}
