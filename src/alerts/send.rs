//! One connection to the SMTP server, over which mail after mail goes, and what came of each.
//!
//! lettre's transport would do a mail in one call; here its connection is driven command by command, because one moment matters: when the server
//! waits for the message the intent is written, and whatever ends before it surely left nothing there.

use std::{fmt, fs, net::IpAddr, path::Path, str::FromStr, time::Duration};

use anyhow::{Context, bail, ensure};
use lettre::{
    address::Address,
    transport::smtp::{
        Error,
        authentication::{Credentials, DEFAULT_MECHANISMS},
        client::{Certificate, SmtpConnection, TlsParameters},
        commands::{Data, Mail as MailFrom, Rcpt, Rset},
        extension::{ClientId, Extension, MailParameter},
    },
};
use percent_encoding::percent_decode_str;
use url::{Host, Url};

use crate::alerts::mail::Mail;

/// How long an answer, or a connection, is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// The same where none is expected.
const FAREWELL: Duration = Duration::from_secs(1);

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

/// The server, with what is needed to be let in.
pub struct Server {
    place: Place,
    credentials: Option<Credentials>,
    tls: Option<TlsParameters>,
    hello: ClientId,
    patience: Duration,
}

/// An open connection.
pub struct Line(SmtpConnection);

/// A message as it follows `DATA`, in one piece: sent in two, the second waits until the first is acknowledged.
struct Message<'a>(&'a [u8]);

/// What came of a mail.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// The server has it.
    Sent,
    /// Refused for now, and surely not taken.
    Later(Reply),
    /// Refused for good.
    Never(Reply),
    /// The message was written, all or in part, and no answer came: it may have been taken.
    Unknown(Reply),
    /// Surely not taken, and nothing to do with this mail: the server is away, or does not want the sender.
    Down(Reply),
}

/// What a server said, or what happened to the line. The text may hold an address, so that only the code is for the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub code: Option<u16>,
    pub text: String,
}

impl FromStr for Place {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Place> {
        let form = "it must be like smtps://user@host or smtp://user@host:587";
        let url = Url::parse(text).with_context(|| form.to_owned())?;
        let (port, mut encryption) = match url.scheme() {
            "smtps" => (465, Encryption::Implicit),
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

impl Server {
    /// `hello` is the domain the mails come from; `ca` a file of certificates to trust beside the usual ones.
    pub fn new(place: Place, password: Option<String>, ca: Option<&Path>, hello: &str) -> anyhow::Result<Server> {
        let credentials = match (&place.user, password) {
            (Some(user), Some(password)) => Some(Credentials::new(user.clone(), password)),
            (Some(user), None) => bail!(
                "--smtp-url names the user {user} and there is no password; set PROCURE_SMTP_PASSWORD, or name a file with --smtp-password-file"
            ),
            (None, Some(_)) => bail!("there is a password and --smtp-url names no user, as in smtps://user@host"),
            (None, None) => None,
        };
        let tls = match place.encryption {
            Encryption::None => None,
            _ => Some(trust(&place.host, ca)?),
        };
        Ok(Server {
            place,
            credentials,
            tls,
            hello: ClientId::Domain(hello.to_owned()),
            patience: PATIENCE,
        })
    }

    /// Opens a connection, encrypted and let in as the settings say.
    pub fn connect(&self) -> Result<Line, Reply> {
        let Place {
            host, port, encryption, ..
        } = &self.place;
        let wrapped = self.tls.as_ref().filter(|_| *encryption == Encryption::Implicit);
        let address = (host.as_str(), *port);
        let connected = SmtpConnection::connect(address, Some(self.patience), &self.hello, wrapped, None);
        let mut line = connected.map_err(|error| Reply::of(&error, &format!("connecting to {host}:{port}")))?;
        match (*encryption, &self.tls) {
            (Encryption::Required | Encryption::Opportunistic, Some(tls)) if line.can_starttls() => {
                let upgraded = line.starttls(tls, &self.hello);
                upgraded.map_err(|error| Reply::of(&error, &format!("encrypting the line to {host}:{port}")))?;
            }
            (Encryption::Required, _) => {
                line.abort();
                return Err(Reply {
                    code: None,
                    text: format!(
                        "{host}:{port} offers no STARTTLS; use smtps://, or add ?tls=none for a server that you trust the way to"
                    ),
                });
            }
            _ => {}
        }
        if let Some(credentials) = &self.credentials {
            let let_in = line.auth(DEFAULT_MECHANISMS, credentials);
            let_in.map_err(|error| Reply::of(&error, &format!("logging in at {host}:{port}")))?;
        }
        Ok(Line(line))
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)
    }
}

fn trust(host: &str, ca: Option<&Path>) -> anyhow::Result<TlsParameters> {
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(ca) = ca {
        let place = ca.display();
        let pem = fs::read(ca).with_context(|| format!("reading the certificates {place}"))?;
        let certificates = Certificate::from_pem(&pem).with_context(|| format!("reading the certificates {place}"))?;
        builder = builder.add_root_certificate(certificates);
    }
    builder.build().context("preparing the encryption of mail")
}

impl Line {
    /// Hands a mail over. `begin` is called when the server waits for the message, just before its first byte: if it fails, nothing goes out.
    pub fn send(&mut self, mail: &Mail, begin: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Fate> {
        let Some(to) = mail.envelope.to().first() else {
            bail!("a mail without a receiver");
        };
        let parameters = match self.parameters(mail) {
            Ok(parameters) => parameters,
            Err(reply) => return Ok(Fate::Never(reply)),
        };
        if let Err(error) = self.0.command(MailFrom::new(mail.envelope.from().cloned(), parameters)) {
            // The sender is the same for every mail: what is refused is not this one.
            return Ok(match self.refused(&error, "naming the sender") {
                Fate::Never(reply) | Fate::Later(reply) if reply.code.is_some() => Fate::Down(reply),
                fate => fate,
            });
        }
        if let Err(error) = self.0.command(Rcpt::new(to.clone(), vec![])) {
            return Ok(self.refused(&error, "naming the receiver"));
        }
        if let Err(error) = self.0.command(Data) {
            return Ok(self.refused(&error, "asking to hand the message over"));
        }
        if let Err(error) = begin() {
            // The server waits for the message and answers nothing else; without its end it takes none.
            let _ = self.0.set_timeout(Some(FAREWELL));
            self.hang_up();
            return Err(error);
        }
        Ok(match self.0.command(Message(&mail.bytes)) {
            Ok(_) => Fate::Sent,
            Err(error) if error.status().is_some() => self.refused(&error, "handing the message over"),
            Err(error) => {
                self.0.abort();
                Fate::Unknown(Reply::of(&error, "waiting for the server to take the message"))
            }
        })
    }

    /// Whether another mail can go over it.
    pub fn is_open(&self) -> bool {
        !self.0.has_broken()
    }

    pub fn hang_up(&mut self) {
        self.0.abort();
    }

    fn parameters(&self, mail: &Mail) -> Result<Vec<MailParameter>, Reply> {
        let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
        if mail.envelope.to().iter().chain(mail.envelope.from()).all(is_ascii) {
            return Ok(Vec::new());
        }
        match self.0.server_info().supports_feature(Extension::SmtpUtfEight) {
            true => Ok(vec![MailParameter::SmtpUtfEight]),
            false => Err(Reply {
                code: None,
                text: "the server does not take addresses beyond ASCII (SMTPUTF8)".to_owned(),
            }),
        }
    }

    /// A refusal leaves the line as if nothing had been asked; where that cannot be, it is closed.
    fn refused(&mut self, error: &Error, when: &str) -> Fate {
        let reply = Reply::of(error, when);
        // 421 is the server's good-bye.
        let is_over = reply.code.is_none() || reply.code == Some(421);
        if is_over || self.0.command(Rset).is_err() {
            self.0.abort();
        }
        match () {
            () if error.is_permanent() => Fate::Never(reply),
            () if reply.code == Some(421) => Fate::Down(reply),
            // Also a line that broke: were it for this mail, the others must not wait behind it for ever.
            () => Fate::Later(reply),
        }
    }
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A line that is a dot would end it.
        for line in String::from_utf8_lossy(self.0).split_inclusive("\r\n") {
            let dot = if line.starts_with('.') { "." } else { "" };
            write!(f, "{dot}{line}")?;
        }
        f.write_str("\r\n.\r\n")
    }
}

impl Reply {
    fn of(error: &Error, when: &str) -> Reply {
        let source = std::error::Error::source(error).map(|source| format!(": {source}"));
        let code = error.status().map(u16::from);
        let what = match code {
            Some(code) => format!("the server said {code}{}", source.unwrap_or_default()),
            // The library repeats what it could not read, which may hold an address.
            None if error.is_response() => "the server's answer is none that SMTP knows, or breaks off".to_owned(),
            None => error.to_string(),
        };
        Reply {
            code,
            text: format!("{when}: {what}"),
        }
    }

    /// What may be logged.
    pub fn for_log(&self) -> String {
        self.code
            .map_or_else(|| self.text.clone(), |code| format!("the server said {code}"))
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_a_message_ends_it() {
        let message = Message(b".\r\na\r\n..b\r\n.\r\n");
        assert_eq!(message.to_string(), "..\r\na\r\n...b\r\n..\r\n\r\n.\r\n");
    }

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
