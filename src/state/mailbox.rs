//! Which addresses are one mailbox, and which domains are one site.
//!
//! One person can write a mailbox in many ways, and the owner of a domain has any number of addresses in it. Limits
//! that counted each spelling would not protect that person.

/// Google delivers the mail of both domains to the same mailbox, and ignores dots. Mailboxes are compared with the
/// first one.
const GMAIL: [&str; 2] = ["gmail.com", "googlemail.com"];

/// Other domains of Yahoo than `yahoo.com`, `yahoo.ca` and so on. What follows a `-` there is a tag.
const YAHOO: [&str; 3] = ["ymail.com", "rocketmail.com", "myyahoo.com"];

/// Domains whose addresses belong to many unrelated people, so that they are not counted together.
const PROVIDERS: [&str; 52] = [
    "aim.com",
    "aol.com",
    "bell.net",
    "bellaliant.net",
    "cgocable.ca",
    "cogeco.ca",
    "eastlink.ca",
    "fastmail.com",
    "free.fr",
    "gmail.com",
    "gmx.com",
    "gmx.net",
    "googlemail.com",
    "hotmail.ca",
    "hotmail.com",
    "hotmail.fr",
    "icloud.com",
    "laposte.net",
    "live.ca",
    "live.com",
    "live.fr",
    "mac.com",
    "mail.com",
    "me.com",
    "msn.com",
    "mts.net",
    "mymts.net",
    "myyahoo.com",
    "nbnet.nb.ca",
    "orange.fr",
    "outlook.ca",
    "outlook.com",
    "outlook.fr",
    "pm.me",
    "proton.me",
    "protonmail.com",
    "rocketmail.com",
    "rogers.com",
    "sasktel.net",
    "shaw.ca",
    "sympatico.ca",
    "telus.net",
    "videotron.ca",
    "xplornet.ca",
    "yahoo.ca",
    "yahoo.co.uk",
    "yahoo.com",
    "yahoo.fr",
    "yandex.com",
    "ymail.com",
    "zoho.com",
    "zohomail.com",
];

/// Second labels under which a country registers domains of different owners, for example those of Canada's provinces.
const SHARED_LABELS: [&str; 28] = [
    "ab", "ac", "bc", "co", "com", "edu", "gc", "go", "gob", "gouv", "gov", "mb", "mil", "nb", "ne", "net", "nf", "nl",
    "ns", "nt", "nu", "on", "or", "org", "pe", "qc", "sk", "yk",
];

/// The spelling that all addresses of a mailbox share. Mail services deliver `ann+tag@example.org` to
/// `ann@example.org`, so one person has as many such addresses as there are tags. The address is in lower case.
pub(super) fn mailbox(email: &str) -> String {
    let Some((local, domain)) = email.rsplit_once('@') else {
        return email.to_owned();
    };
    let name = before(local, '+');
    if GMAIL.contains(&domain) {
        return format!("{}@{}", name.replace('.', ""), GMAIL[0]);
    }
    let is_yahoo = domain.starts_with("yahoo.") || YAHOO.contains(&domain);
    let name = if is_yahoo { before(name, '-') } else { name };
    format!("{name}@{domain}")
}

/// The domains that the addresses of a mailbox may have.
pub(super) fn domains(mailbox: &str) -> Vec<&str> {
    match mailbox.rsplit_once('@') {
        Some((_, domain)) if GMAIL.contains(&domain) => GMAIL.to_vec(),
        Some((_, domain)) => vec![domain],
        None => Vec::new(),
    }
}

/// The site of an address: the domain that its owner registered, whatever is before it. `None` if the addresses of its
/// domain belong to many unrelated people.
pub(super) fn site_of(email: &str) -> Option<&str> {
    let (_, domain) = email.rsplit_once('@')?;
    let is_shared = PROVIDERS.contains(&domain);
    (!is_shared).then(|| registered(domain))
}

/// The domain that somebody registered: `example.org` for `mail.example.org`, `example.on.ca` for `a.example.on.ca`.
fn registered(domain: &str) -> &str {
    let mut labels = domain.rsplit('.');
    let (top, second) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
    let length = if top.len() == 2 && SHARED_LABELS.contains(&second) {
        3
    } else {
        2
    };
    let dot = domain.rmatch_indices('.').nth(length - 1);
    dot.and_then(|(at, _)| domain.get(at + 1..)).unwrap_or(domain)
}

/// What is before a separator; the whole text if that is nothing.
fn before(text: &str, separator: char) -> &str {
    let first = text.split(separator).next().filter(|first| !first.is_empty());
    first.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_has_no_tag() {
        for (email, expected) in [
            ("ann@example.org", "ann@example.org"),
            ("ann+@example.org", "ann@example.org"),
            ("ann+a+b@example.org", "ann@example.org"),
            ("+a@example.org", "+a@example.org"),
            ("forgotten 1 ab", "forgotten 1 ab"),
        ] {
            assert_eq!(mailbox(email), expected);
        }
    }

    #[test]
    fn spellings_of_large_providers_are_one_mailbox() {
        for (email, expected) in [
            ("a.n.n+tag@gmail.com", "ann@gmail.com"),
            ("a.nn@googlemail.com", "ann@gmail.com"),
            ("ann-1@yahoo.ca", "ann@yahoo.ca"),
            ("ann-1+2@ymail.com", "ann@ymail.com"),
            // Elsewhere these are other people.
            ("a.nn@example.org", "a.nn@example.org"),
            ("ann-marie@example.org", "ann-marie@example.org"),
            ("ann-marie@gmail.com", "ann-marie@gmail.com"),
        ] {
            assert_eq!(mailbox(email), expected, "{email}");
        }
        assert_eq!(domains("ann@gmail.com"), GMAIL);
        assert_eq!(domains("ann@example.org"), ["example.org"]);
    }

    #[test]
    fn a_site_is_what_somebody_registered() {
        for (domain, expected) in [
            ("example.org", "example.org"),
            ("a.b.example.org", "example.org"),
            ("example.on.ca", "example.on.ca"),
            ("mail.example.on.ca", "example.on.ca"),
            ("tpsgc-pwgsc.gc.ca", "tpsgc-pwgsc.gc.ca"),
            ("a.example.co.uk", "example.co.uk"),
            ("co.uk", "co.uk"),
            ("on.example.com", "example.com"),
        ] {
            assert_eq!(registered(domain), expected, "{domain}");
        }
        assert_eq!(site_of("ann@gmail.com"), None);
        // A provider that gives each person a subdomain.
        assert_eq!(site_of("a@ann.fastmail.com"), Some("fastmail.com"));
        assert_eq!(site_of("a@x.example.org"), Some("example.org"));
        assert!(PROVIDERS.is_sorted() && SHARED_LABELS.is_sorted());
    }
}
