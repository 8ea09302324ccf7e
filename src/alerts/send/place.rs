//! Where the mail server is, as `--smtp-url` tells it.

use std::{net::IpAddr, str::FromStr};

use anyhow::{Context, bail, ensure};
use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// The port of SMTP that encrypts from the first byte (RFC 8314).
pub const WRAPPED_PORT: u16 = 465;

/// Where the server is and how it is spoken to: `smtps://user@host[:465]`, or `smtp://user@host[:587][?tls=…]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub host: String,
    pub port: u16,
    pub user: Option<String>,
    pub encryption: Encryption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// From the first byte.
    Implicit,
    /// By STARTTLS, and not at all without.
    Required,
    /// By STARTTLS where the server has it.
    Opportunistic,
    None,
}

impl FromStr for Place {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Place> {
        let form = "it must be like smtps://user@host or smtp://user@host:587";
        let url = Url::parse(text).with_context(|| form.to_owned())?;
        let (port, mut encryption) = match url.scheme() {
            "smtps" => (WRAPPED_PORT, Encryption::Implicit),
            "smtp" => (587, Encryption::Required),
            other => bail!("{form}, not {other}://"),
        };
        ensure!(
            url.password().is_none(),
            "it must not hold the password, which every user of this machine could read in the list of processes; set PROCURE_SMTP_PASSWORD, or \
             name a file with --smtp-password-file"
        );
        ensure!(matches!(url.path(), "" | "/") && url.fragment().is_none(), "{form}");
        for (name, value) in url.query_pairs() {
            encryption = match (name.as_ref(), value.as_ref(), encryption) {
                ("tls", "required", Encryption::Required) => Encryption::Required,
                ("tls", "opportunistic", Encryption::Required) => Encryption::Opportunistic,
                ("tls", "none", Encryption::Required) => Encryption::None,
                _ => bail!(
                    "behind `?`, smtp:// takes tls=required (the default), tls=opportunistic or tls=none; smtps:// nothing"
                ),
            };
        }
        let host = url
            .host()
            .filter(|host| *host != Host::Domain(""))
            .with_context(|| form.to_owned())?;
        let host = match host {
            Host::Domain(name) => percent_decode_str(name).decode_utf8()?.into_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let user = percent_decode_str(url.username())
            .decode_utf8()
            .context("the user's name is not UTF-8")?;
        let user = Some(user.into_owned()).filter(|user| !user.is_empty());
        let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        ensure!(
            user.is_none() || is_here || !matches!(encryption, Encryption::None | Encryption::Opportunistic),
            "a password must not go to {host} unencrypted; leave out the `?tls=`"
        );
        Ok(Place {
            host,
            port: url.port().unwrap_or(port),
            user,
            encryption,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alerts::send::Server;

    #[test]
    fn a_place_is_read_and_what_is_unsafe_is_refused() {
        let place = |text: &str| Place::from_str(text).map_err(|error| format!("{error:#}"));
        for (text, host, port, user, encryption) in [
            (
                "smtps://ann@mail.example.org",
                "mail.example.org",
                465,
                Some("ann"),
                Encryption::Implicit,
            ),
            (
                "smtps://a%40b.org@h:2465/",
                "h",
                2465,
                Some("a@b.org"),
                Encryption::Implicit,
            ),
            ("smtp://h", "h", 587, None, Encryption::Required),
            (
                "smtp://h:25?tls=opportunistic",
                "h",
                25,
                None,
                Encryption::Opportunistic,
            ),
            (
                "smtp://ann@127.0.0.1:25?tls=none",
                "127.0.0.1",
                25,
                Some("ann"),
                Encryption::None,
            ),
            ("smtp://[::1]?tls=none", "::1", 587, None, Encryption::None),
        ] {
            let expected = Place {
                host: host.to_owned(),
                port,
                user: user.map(str::to_owned),
                encryption,
            };
            assert_eq!(place(text), Ok(expected), "{text}");
        }
        for (text, why) in [
            ("smtps://ann:secret@h", "must not hold the password"),
            ("smtp://ann@h?tls=none", "must not go to h unencrypted"),
            ("smtp://ann@h?tls=opportunistic", "must not go to h unencrypted"),
            ("smtps://h?tls=none", "smtps:// nothing"),
            ("smtp://h?tls=maybe", "tls=required"),
            ("https://h", "must be like smtps://"),
            ("smtp://", "must be like smtps://"),
            ("mail.example.org", "must be like smtps://"),
            ("smtp://h/inbox", "must be like smtps://"),
        ] {
            let error = place(text).unwrap_err();
            assert!(error.contains(why) && !error.contains("secret"), "{text}: {error}");
        }
        assert!(Server::new(place("smtps://ann@h").unwrap(), None, None, "h").is_err());
        assert!(Server::new(place("smtps://h").unwrap(), Some("x".to_owned()), None, "h").is_err());
    }
}
