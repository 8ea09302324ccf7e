//! E-mail addresses. An [`EmailAddress`] contains nothing that could end a mail header or add a
//! recipient.

use std::fmt;

use email_address::Options;

/// One address in its canonical spelling, ASCII.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EmailAddress(String);

/// Why a text is refused. The message never repeats the text, because it may identify a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailError {
    /// Not of the form `name@example.com`.
    Form,
    TooLong,
    /// The part before the `@` is not ASCII.
    International,
    /// The part before the `@` is quoted.
    Quoted,
    /// The part before the `@` has characters that a mail server may take for a command or a route.
    Special,
}

/// The maximum length of an address in characters (RFC 5321).
const MAX_CHARS: usize = 254;

impl EmailAddress {
    /// Decision D-96: addresses are lower-cased, and an international domain is encoded as in the
    /// DNS. RFC 5321 allows a server to distinguish `A@…` from `a@…`, but none does, and one person
    /// must not get every mail twice. Addresses that few mail servers accept are refused: quoted
    /// and non-ASCII local parts, numeric hosts, hosts without a dot.
    pub fn parse(text: &str) -> Result<EmailAddress, EmailError> {
        // Checked first, so that a huge text costs no time.
        if text.len() > 4 * MAX_CHARS {
            return Err(EmailError::TooLong);
        }
        let (local, domain) = text.rsplit_once('@').ok_or(EmailError::Form)?;
        if local.starts_with('"') {
            return Err(EmailError::Quoted);
        }
        if !local.is_ascii() {
            return Err(EmailError::International);
        }
        let domain = idna::domain_to_ascii_strict(domain).map_err(|_| EmailError::Form)?;
        let address = format!("{}@{domain}", local.to_ascii_lowercase());
        if address.len() > MAX_CHARS {
            return Err(EmailError::TooLong);
        }
        let rules = Options::default()
            .with_required_tld()
            .without_domain_literal()
            .without_display_text();
        let is_numeric = domain
            .rsplit('.')
            .next()
            .is_none_or(|last| last.bytes().all(|b| b.is_ascii_digit()));
        match email_address::EmailAddress::parse_with_options(&address, rules) {
            Ok(_) if !is_numeric => Ok(EmailAddress(address)),
            _ => Err(EmailError::Form),
        }
    }

    /// As [`EmailAddress::parse`], for an address that was not stored before. Names with other signs than those that
    /// people have are refused too, and those that begin with `-`: a mail server may run them, write them to a file or
    /// send them on (`|name`, `-oq/file`, `name%host`, `host!name`).
    pub(crate) fn parse_new(text: &str) -> Result<EmailAddress, EmailError> {
        let address = EmailAddress::parse(text)?;
        let name = address.0.split('@').next().unwrap_or_default();
        let is_of_people = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-'&=~".contains(&byte);
        if name.starts_with('-') || !name.bytes().all(is_of_people) {
            return Err(EmailError::Special);
        }
        Ok(address)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<EmailAddress> for String {
    fn from(address: EmailAddress) -> String {
        address.0
    }
}

impl fmt::Display for EmailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmailError::Form => f.write_str("is not an e-mail address; it must look like name@example.com"),
            EmailError::TooLong => write!(
                f,
                "is longer than an e-mail address may be; the maximum is {MAX_CHARS} characters"
            ),
            EmailError::International => f.write_str(
                "has non-ASCII characters before the '@', which few mail servers accept; use another address",
            ),
            EmailError::Special => f.write_str(
                "has a sign before the '@' that mail servers may take for a command, or begins with '-'; use another address",
            ),
            EmailError::Quoted => {
                f.write_str("has quotes before the '@', which few mail servers accept; use another address")
            }
        }
    }
}

impl std::error::Error for EmailError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_are_canonicalized() {
        for (text, expected) in [
            ("a@example.com", "a@example.com"),
            ("First.Last+tag@Example.COM", "first.last+tag@example.com"),
            ("o'brien@example.co.uk", "o'brien@example.co.uk"),
            ("info@Montréal.example", "info@xn--montral-fya.example"),
            ("info@xn--montral-fya.example", "info@xn--montral-fya.example"),
        ] {
            assert_eq!(
                EmailAddress::parse(text).map(String::from),
                Ok(expected.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn names_that_a_mail_server_may_run_or_route_are_refused_when_they_are_new() {
        for name in [
            "|victim",
            "-oq/tmp",
            "victim%x",
            "victim!1",
            "/dev/null",
            "a`b",
            "a$b",
            "a{b}",
            "a?b",
            "a#b",
        ] {
            let text = format!("{name}@example.com");
            assert_eq!(EmailAddress::parse_new(&text), Err(EmailError::Special), "{text}");
            // One that is stored already can still be erased.
            assert!(EmailAddress::parse(&text).is_ok(), "{text}");
        }
        for name in ["o'brien", "first.last+tag", "a_b-c", "r&d", "ann-marie"] {
            let text = format!("{name}@example.com");
            assert!(EmailAddress::parse_new(&text).is_ok(), "{text}");
        }
        assert_eq!(EmailAddress::parse_new("a"), Err(EmailError::Form));
    }

    #[test]
    fn harmful_and_undeliverable_addresses_are_refused() {
        for (text, error) in [
            ("", EmailError::Form),
            ("a", EmailError::Form),
            ("@example.com", EmailError::Form),
            ("a@", EmailError::Form),
            ("a@localhost", EmailError::Form),
            ("a@192.0.2.1", EmailError::Form),
            ("a@[192.0.2.1]", EmailError::Form),
            ("a b@example.com", EmailError::Form),
            ("a@example.com\r\nBcc: b@example.com", EmailError::Form),
            ("a\r\nBcc: b@example.com", EmailError::Form),
            ("a@example.com,b@example.com", EmailError::Form),
            ("a@example.com, b", EmailError::Form),
            ("A <a@example.com>", EmailError::Form),
            ("a@example..com", EmailError::Form),
            ("a@-example.com", EmailError::Form),
            ("a.@example.com", EmailError::Form),
            ("a@example.com\0", EmailError::Form),
            ("\"a b\"@example.com", EmailError::Quoted),
            ("\"a\r\nBcc: b\"@example.com", EmailError::Quoted),
            ("é@example.com", EmailError::International),
            ("a\u{202e}@example.com", EmailError::International),
            (&format!("{}@example.com", "a".repeat(65)), EmailError::Form),
            (&format!("a@{}com", "long.".repeat(60)), EmailError::Form),
            (&"x".repeat(1 << 20), EmailError::TooLong),
        ] {
            assert_eq!(EmailAddress::parse(text), Err(error), "{}", text.escape_debug());
        }
    }

    proptest! {
        #[test]
        fn a_parsed_address_is_plain_ascii_and_parses_to_itself(
            text in prop_oneof![".{0,80}", "[a-zA-Z.\"'<>\\\\+,;: \r\n@é-]{1,12}@[a-zA-Z0-9.é\\[\\]\r\n-]{1,20}", "[a-zA-Z+]{1,9}@[a-zé-]{1,9}\\.[a-z]{2,3}"],
        ) {
            if let Ok(address) = EmailAddress::parse(&text) {
                let written = address.as_str();
                prop_assert!(written.bytes().all(|b| b.is_ascii_graphic() && !b"\"(),:;<>[]\\".contains(&b)), "{}", written);
                prop_assert_eq!(written.matches('@').count(), 1);
                prop_assert_eq!(EmailAddress::parse(written), Ok(address.clone()));
            }
        }
    }
}
