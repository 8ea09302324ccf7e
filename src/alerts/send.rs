//! One connection to the SMTP server, over which mail after mail goes, and what came of each.
//!
//! lettre's transport would do a mail in one call; here its connection is driven command by command, because one moment matters: when the server
//! waits for the message the intent is written, and whatever ends before it surely left nothing there.

mod reply;

use std::{fmt, fs, io, net::IpAddr, path::Path, str::FromStr, time::Duration};

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

pub use self::reply::Reply;
use self::reply::{LOGIN, NO_LOGIN, NO_STARTTLS, SENDER, io_kind, no_tls};
use crate::alerts::{attend::attend, mail::Mail};

/// How long the server is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// To be let in: nothing is lost by giving that up early.
    pub connection: Duration,
    /// For the answer to a command.
    pub command: Duration,
    /// For the answer to a message. Given up early, a mail that arrives counts as one that may not have.
    pub message: Duration,
}

impl Patience {
    /// What RFC 5321, 4.5.3.2, asks for at least, but for the connection.
    pub const STANDARD: Patience = Patience {
        connection: Duration::from_secs(60),
        command: Duration::from_secs(5 * 60),
        message: Duration::from_secs(10 * 60),
    };
}

/// How long an answer is waited for where none is expected.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long who was told to stop still waits for the answer to a message, without which its mail counts as one that may have arrived: well within the time a
/// service manager gives.
const GRACE: Duration = Duration::from_secs(10);

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
#[derive(Clone)]
pub struct Server {
    place: Place,
    credentials: Option<Credentials>,
    tls: Option<TlsParameters>,
    hello: ClientId,
    patience: Patience,
}

/// An open connection.
pub struct Line {
    connection: SmtpConnection,
    patience: Patience,
}

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
    /// The message was written, all or in part, and the line broke: it may have been taken.
    Unknown(Reply),
    /// The message was written and no answer came for as long as one was waited for: it may have been taken, and the next one would fare no better.
    Silent(Reply),
    /// Surely not taken, and nothing to do with this mail: the server is away, or does not want the sender.
    Down(Reply),
    /// Surely not taken: told to stop before the message.
    Stopped,
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
            patience: Patience::STANDARD,
        })
    }

    /// The same, waited for otherwise.
    pub fn waiting(self, patience: Patience) -> Server {
        Server { patience, ..self }
    }

    /// Opens a connection, encrypted and let in as the settings say; if not, the fate of what was to be sent over it tells why.
    pub fn connect(&self, is_stopped: &dyn Fn() -> bool) -> Result<Line, Fate> {
        let server = self.clone();
        match attend(move || server.open(), Duration::ZERO, is_stopped) {
            Ok(Some(opened)) => opened.map_err(Fate::Down),
            Ok(None) => Err(Fate::Stopped),
            Err(error) => Err(unattended(&error)),
        }
    }

    fn open(&self) -> Result<Line, Reply> {
        let Place {
            host, port, encryption, ..
        } = &self.place;
        let wrapped = self.tls.as_ref().filter(|_| *encryption == Encryption::Implicit);
        let address = (host.as_str(), *port);
        let connected = SmtpConnection::connect(address, Some(self.patience.connection), &self.hello, wrapped, None);
        let mut line = connected
            .map_err(|error| Reply::of(&error, &format!("connecting to {host}:{port}")).cured_by(no_tls(&error)))?;
        match (*encryption, &self.tls) {
            (Encryption::Required | Encryption::Opportunistic, Some(tls)) if line.can_starttls() => {
                let upgraded = line.starttls(tls, &self.hello);
                upgraded.map_err(|error| {
                    Reply::of(&error, &format!("encrypting the line to {host}:{port}")).cured_by(no_tls(&error))
                })?;
            }
            (Encryption::Required, _) => {
                line.abort();
                return Err(Reply {
                    code: None,
                    text: format!("{host}:{port} offers no STARTTLS"),
                    cure: Some(NO_STARTTLS),
                });
            }
            _ => {}
        }
        if let Some(credentials) = &self.credentials {
            let let_in = line.auth(DEFAULT_MECHANISMS, credentials);
            let_in.map_err(|error| {
                let cure = match () {
                    () if error.is_permanent() => Some(LOGIN),
                    () if error.is_client() => Some(NO_LOGIN),
                    () => None,
                };
                Reply::of(&error, &format!("logging in at {host}:{port}")).cured_by(cure)
            })?;
        }
        Ok(Line {
            connection: line,
            patience: self.patience,
        })
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)
    }
}

/// The fate of what no thread can be had for: nothing of it went out.
fn unattended(error: &io::Error) -> Fate {
    Fate::Down(Reply::without_code(&format!(
        "starting a thread to wait for the mail server: {error}"
    )))
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
    /// Hands a mail over, and gives the line back if another can go over it. `begin` is called when the server waits for the message, just before its first
    /// byte: if it fails, nothing goes out.
    pub fn send(
        mut self,
        mail: &Mail,
        is_stopped: &dyn Fn() -> bool,
        begin: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<(Fate, Option<Line>)> {
        let offered = mail.clone();
        let offer = move || {
            let refused = self.offer(&offered);
            (self, refused)
        };
        let mut line = match attend(offer, Duration::ZERO, is_stopped) {
            Ok(Some((line, None))) => line,
            Ok(Some((line, Some(refused)))) => return Ok((refused, line.if_open())),
            Ok(None) => return Ok((Fate::Stopped, None)),
            Err(error) => return Ok((unattended(&error), None)),
        };
        if let Err(error) = begin() {
            // The server waits for the message and answers nothing else; without its end it takes none.
            line.hang_up();
            return Err(error);
        }
        let message = mail.bytes.clone();
        let hand_over = move || {
            let fate = line.hand_over(&message);
            (line, fate)
        };
        Ok(match attend(hand_over, GRACE, is_stopped) {
            Ok(Some((line, fate))) => (fate, line.if_open()),
            Ok(None) => (
                Fate::Silent(Reply::without_code(
                    "told to stop before the server said whether it took a mail",
                )),
                None,
            ),
            Err(error) => (unattended(&error), None),
        })
    }

    /// Everything before the message; the fate of a mail that it does not come to that with.
    fn offer(&mut self, mail: &Mail) -> Option<Fate> {
        let _ = self.connection.set_timeout(Some(self.patience.command));
        let Some(to) = mail.envelope.to().first() else {
            return Some(Fate::Never(Reply::without_code("a mail without a receiver")));
        };
        let parameters = match self.parameters(mail) {
            Ok(parameters) => parameters,
            Err(reply) => return Some(Fate::Never(reply)),
        };
        let sender = MailFrom::new(mail.envelope.from().cloned(), parameters);
        if let Err(error) = self.connection.command(sender) {
            // The sender is the same for every mail: what is refused is not this one.
            return Some(match self.refused(&error, "naming the sender") {
                Fate::Never(reply) => Fate::Down(reply.cured_by(Some(SENDER))),
                Fate::Later(reply) if reply.code.is_some() => Fate::Down(reply),
                fate => fate,
            });
        }
        if let Err(error) = self.connection.command(Rcpt::new(to.clone(), vec![])) {
            return Some(self.refused(&error, "naming the receiver"));
        }
        let asked = self.connection.command(Data);
        asked
            .err()
            .map(|error| self.refused(&error, "asking to hand the message over"))
    }

    fn hand_over(&mut self, message: &[u8]) -> Fate {
        let _ = self.connection.set_timeout(Some(self.patience.message));
        match self.connection.command(Message(message)) {
            Ok(_) => Fate::Sent,
            Err(error) if error.status().is_some() => self.refused(&error, "handing the message over"),
            Err(error) => {
                self.hang_up();
                match io_kind(&error) {
                    Some(io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                        Fate::Silent(Reply::without_code(&format!(
                            "the mail server let a mail be handed over and said nothing for {} seconds; ask who runs it, or name another with --smtp-url",
                            self.patience.message.as_secs()
                        )))
                    }
                    _ => Fate::Unknown(Reply::of(&error, "waiting for the server to take the message")),
                }
            }
        }
    }

    fn if_open(self) -> Option<Line> {
        Some(self).filter(|line| !line.connection.has_broken())
    }

    pub fn hang_up(&mut self) {
        let _ = self.connection.set_timeout(Some(FAREWELL));
        self.connection.abort();
    }

    fn parameters(&self, mail: &Mail) -> Result<Vec<MailParameter>, Reply> {
        let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
        if mail.envelope.to().iter().chain(mail.envelope.from()).all(is_ascii) {
            return Ok(Vec::new());
        }
        match self.connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            true => Ok(vec![MailParameter::SmtpUtfEight]),
            false => Err(Reply::without_code(
                "the server does not take addresses beyond ASCII (SMTPUTF8)",
            )),
        }
    }

    /// A refusal leaves the line as if nothing had been asked; where that cannot be, it is closed.
    fn refused(&mut self, error: &Error, when: &str) -> Fate {
        let reply = Reply::of(error, when);
        // 421 is the server's good-bye.
        let is_over = reply.code.is_none() || reply.code == Some(421);
        if is_over || self.connection.command(Rset).is_err() {
            self.hang_up();
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
