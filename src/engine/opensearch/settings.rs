//! How a cluster is reached, and how its indexes are laid out.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, ensure};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use ureq::{
    http::{HeaderValue, Uri},
    tls::{PemItem, RootCerts, parse_pem},
};

/// The settings of a cluster. Commands fill them from options and the environment.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// Base addresses of the nodes, `http://` or `https://`, without credentials. At least one.
    pub urls: Vec<String>,
    /// The start of the name of every index and alias. Two installations can share a cluster with
    /// different prefixes.
    pub prefix: String,
    pub credentials: Option<Credentials>,
    /// A PEM file with the root certificates that are trusted instead of Mozilla's.
    pub ca_file: Option<PathBuf>,
    /// The maximum number of shards of the index of an entity type.
    pub shards: u32,
    /// A further shard is used only for every so many records, so that a small entity type has one.
    pub min_records_per_shard: u64,
    /// Copies of each shard in addition to the primary one. They are made when a build is complete.
    pub replicas: u32,
    /// Bytes of a bulk request before it is compressed.
    pub bulk_bytes: usize,
    /// Bulk requests in flight.
    pub bulk_requests: usize,
    /// The maximum time of a request that has no deadline of its own.
    pub request_timeout: Duration,
    /// How long a build waits for a cluster that makes no progress: that refuses documents, or
    /// cannot place a copy.
    pub patience: Duration,
    /// How long after its last sign of life a build counts as dead.
    pub lock_expiry: Duration,
}

/// How requests are authenticated. `Debug` never shows the secret.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    Password { user: String, password: String },
    ApiKey(String),
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Credentials::Password { user, .. } => write!(f, "Password {{ user: {user:?} }}"),
            Credentials::ApiKey(_) => f.write_str("ApiKey"),
        }
    }
}

/// The default of [`ClusterSettings::prefix`].
pub const DEFAULT_PREFIX: &str = "procure";

/// Characters. The name of an index has at most 255 bytes, and ours append fewer than 60.
const MAX_PREFIX: usize = 100;

impl ClusterSettings {
    /// The default settings for some addresses.
    pub fn new(urls: Vec<String>) -> ClusterSettings {
        ClusterSettings {
            urls,
            prefix: DEFAULT_PREFIX.to_owned(),
            credentials: None,
            ca_file: None,
            shards: 1,
            min_records_per_shard: 100_000,
            replicas: 1,
            bulk_bytes: 8 << 20,
            bulk_requests: 3,
            request_timeout: Duration::from_secs(60),
            patience: Duration::from_secs(300),
            lock_expiry: Duration::from_secs(60),
        }
    }

    /// The certificates that the nodes must have: from [`ClusterSettings::ca_file`], or
    /// Mozilla's.
    pub(crate) fn root_certificates(&self) -> anyhow::Result<RootCerts> {
        match &self.ca_file {
            Some(path) => {
                read_certificates(path).with_context(|| format!("reading certificates from {}", path.display()))
            }
            None => Ok(RootCerts::WebPki),
        }
    }

    /// How many shards the index of an entity type gets.
    pub(crate) fn shards_of(&self, records: u64) -> u32 {
        let useful = records / self.min_records_per_shard.max(1);
        self.shards.min(u32::try_from(useful).unwrap_or(u32::MAX)).max(1)
    }
}

impl Credentials {
    /// The value of the `Authorization` header.
    pub(crate) fn header(&self) -> anyhow::Result<HeaderValue> {
        let text = match self {
            Credentials::Password { user, password } => {
                ensure!(
                    !user.contains(':'),
                    "a user name for the search engine cannot contain ':'"
                );
                format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}")))
            }
            Credentials::ApiKey(key) => format!("ApiKey {key}"),
        };
        // The error of the conversion is not shown, because it could show the secret.
        let mut value = HeaderValue::from_str(&text).map_err(|_| {
            anyhow::Error::msg("the API key for the search engine has characters that a header cannot have")
        })?;
        value.set_sensitive(true);
        Ok(value)
    }
}

fn read_certificates(path: &Path) -> anyhow::Result<RootCerts> {
    let pem = fs::read(path)?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item? {
            certificates.push(certificate);
        }
    }
    ensure!(!certificates.is_empty(), "it holds no certificate in PEM form");
    Ok(certificates.into())
}

/// A base address of a node: checked, without the slash at its end.
pub fn parse_url(text: &str) -> Result<String, String> {
    let invalid = |why: &str| {
        format!(
            "invalid address '{}' of the search engine: {why}",
            without_userinfo(text)
        )
    };
    let has_host = |uri: &Uri| uri.host().is_some_and(|host| !host.is_empty());
    let is_http = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
    let uri = text.parse().ok().filter(|uri| is_http(uri) && has_host(uri));
    let uri: Uri = uri.ok_or_else(|| invalid("write http://HOST:PORT or https://HOST:PORT"))?;
    if uri
        .authority()
        .is_some_and(|authority| authority.as_str().contains('@'))
    {
        return Err(invalid(
            "pass the user and the password by their own settings, not in the address",
        ));
    }
    if uri.query().is_some() {
        return Err(invalid("leave out everything from the '?' on"));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// An address for messages: a password in it stays secret.
fn without_userinfo(text: &str) -> String {
    match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://…@{host}"),
        (None, Some((_, host))) => format!("…@{host}"),
        _ => text.to_owned(),
    }
}

/// A prefix that can start the name of an index.
pub fn parse_prefix(text: &str) -> Result<String, String> {
    let is_start = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let is_valid = bytes.first().is_some_and(|first| is_start(*first))
        && bytes.iter().all(|byte| is_start(*byte) || matches!(byte, b'-' | b'_'))
        && bytes.len() <= MAX_PREFIX;
    if is_valid {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "invalid prefix '{text}'; use up to {MAX_PREFIX} of a-z, 0-9, '-' and '_', and begin with a letter or a digit"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_a_host_and_no_secret() {
        for (text, expected) in [
            ("http://127.0.0.1:9200", "http://127.0.0.1:9200"),
            ("https://search.example/base/", "https://search.example/base"),
            ("http://[::1]:9201/", "http://[::1]:9201"),
        ] {
            assert_eq!(parse_url(text).as_deref(), Ok(expected), "{text}");
        }
        for text in [
            "",
            "127.0.0.1:9200",
            "ftp://host",
            "http://",
            "http:///path",
            "http://host?x=1",
            "http://host name",
            "http://user:s3cret@host:9200",
            "user:s3cret@host",
        ] {
            let error = parse_url(text).unwrap_err();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn a_prefix_can_start_the_name_of_an_index() {
        for text in ["procure", "p", "test-2_a", "2025"] {
            assert_eq!(parse_prefix(text).as_deref(), Ok(text));
        }
        for text in ["", "-a", "_a", "A", "a b", "é", "a/b", "a*", &"a".repeat(101)] {
            assert!(parse_prefix(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_small_entity_type_has_one_shard() {
        let mut settings = ClusterSettings::new(Vec::new());
        settings.shards = 6;
        for (records, shards) in [(0, 1), (99_999, 1), (250_000, 2), (10_000_000, 6), (u64::MAX, 6)] {
            assert_eq!(settings.shards_of(records), shards, "{records}");
        }
    }

    #[test]
    fn a_secret_is_never_shown() {
        let password = "s3cret".to_owned();
        let user = "search".to_owned();
        let mut settings = ClusterSettings::new(Vec::new());
        settings.credentials = Some(Credentials::Password { user, password });
        assert!(!format!("{settings:?}").contains("s3cret"));
        settings.credentials = Some(Credentials::ApiKey("s3cret".to_owned()));
        assert!(!format!("{settings:?}").contains("s3cret"));
    }
}
