//! Parses `--smtp-url`: `smtps://user@host[:465]`, or `smtp://user@host[:587][?tls=…]`.

use std::{net::IpAddr, str::FromStr};

use anyhow::{Context, bail, ensure};
use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// The port for SMTP over TLS from the first byte (RFC 8314).
pub(crate) const IMPLICIT_TLS_PORT: u16 = 465;

/// Where the mail server is, and how to connect to it.
#[derive(Clone, Debug, PartialEq)]
pub struct SmtpEndpoint {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) user: Option<String>,
    pub(crate) encryption: Encryption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encryption {
    /// TLS from the first byte.
    Implicit,
    /// STARTTLS; without it no mail is sent.
    Required,
    /// STARTTLS if the server offers it.
    Opportunistic,
    None,
}

impl FromStr for SmtpEndpoint {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<SmtpEndpoint> {
        let form = "it must be like smtps://user@host or smtp://user@host:587";
        let url = Url::parse(text).with_context(|| form.to_owned())?;
        let (port, mut encryption) = match url.scheme() {
            "smtps" => (IMPLICIT_TLS_PORT, Encryption::Implicit),
            "smtp" => (587, Encryption::Required),
            other => bail!("{form}, not {other}://"),
        };
        ensure!(
            url.password().is_none(),
            "it must not contain the password, which every user of this machine could read in the process list; set PROCURE_SMTP_PASSWORD, or \
             name a file with --smtp-password-file"
        );
        ensure!(matches!(url.path(), "" | "/") && url.fragment().is_none(), "{form}");
        for (name, value) in url.query_pairs() {
            encryption = match (name.as_ref(), value.as_ref(), encryption) {
                ("tls", "required", Encryption::Required) => Encryption::Required,
                ("tls", "opportunistic", Encryption::Required) => Encryption::Opportunistic,
                ("tls", "none", Encryption::Required) => Encryption::None,
                _ => bail!(
                    "after `?`, smtp:// takes tls=required (the default), tls=opportunistic or tls=none; smtps:// takes nothing"
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
            .context("the user name is not UTF-8")?;
        let user = Some(user.into_owned()).filter(|user| !user.is_empty());
        let is_local = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        ensure!(
            user.is_none() || is_local || !matches!(encryption, Encryption::None | Encryption::Opportunistic),
            "the password must not be sent to {host} unencrypted; leave out the `?tls=`"
        );
        Ok(SmtpEndpoint {
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

    #[test]
    fn parses_urls_and_refuses_unsafe_ones() {
        let parse = |text: &str| SmtpEndpoint::from_str(text).map_err(|error| format!("{error:#}"));
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
            let expected = SmtpEndpoint {
                host: host.to_owned(),
                port,
                user: user.map(str::to_owned),
                encryption,
            };
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
        for (text, why) in [
            ("smtps://ann:secret@h", "must not contain the password"),
            ("smtp://ann@h?tls=none", "must not be sent to h unencrypted"),
            ("smtp://ann@h?tls=opportunistic", "must not be sent to h unencrypted"),
            ("smtps://h?tls=none", "smtps:// takes nothing"),
            ("smtp://h?tls=maybe", "tls=required"),
            ("https://h", "must be like smtps://"),
            ("smtp://", "must be like smtps://"),
            ("mail.example.org", "must be like smtps://"),
            ("smtp://h/inbox", "must be like smtps://"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(why) && !error.contains("secret"), "{text}: {error}");
        }
    }
}
