//! One connection to the SMTP server, over which mail after mail goes, and what came of each.
//!
//! lettre's transport would do a mail in one call; here its connection is driven command by command, because one moment matters: when the server
//! waits for the message the intent is written, and whatever ends before it surely left nothing there.

mod place;
mod reply;

use std::{fmt, fs, io, path::Path, time::Duration};

use anyhow::{Context, bail};
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

use self::{
    place::WRAPPED_PORT,
    reply::{LOGIN, MUTE, NO_LOGIN, NO_STARTTLS, SENDER, is_silence, no_tls},
};
pub use self::{
    place::{Encryption, Place},
    reply::Reply,
};
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

/// With this code a server ends the line (RFC 5321).
const GOOD_BYE: u16 = 421;

/// How long an answer is waited for where none is expected.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long who was told to stop still waits for the answer to a message, without which its mail counts as one that may have arrived: well within the time a
/// service manager gives.
const GRACE: Duration = Duration::from_secs(10);

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
        let mut line = connected.map_err(|error| {
            let is_mute = *port == WRAPPED_PORT && wrapped.is_none() && is_silence(&error);
            let cure = is_mute.then_some(MUTE).or_else(|| no_tls(&error));
            Reply::of(&error, &format!("connecting to {host}:{port}")).cured_by(cure)
        })?;
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
        // A nearby server is so quick that nobody asked while it was waited for.
        if is_stopped() {
            line.hang_up();
            return Ok((Fate::Stopped, None));
        }
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
            // The transaction is over: nothing is left to take back, and what the server said is known, whatever it does next (RFC 5321 4.1.1.4).
            Err(error) if error.status().is_some() => {
                let reply = Reply::of(&error, "handing the message over");
                if reply.code == Some(GOOD_BYE) {
                    self.hang_up();
                }
                fate_of(&error, reply)
            }
            Err(error) => {
                self.hang_up();
                match is_silence(&error) {
                    true => Fate::Silent(Reply::without_code(&format!(
                        "the mail server let a mail be handed over and said nothing for {} seconds; ask who runs it, or name another with --smtp-url",
                        self.patience.message.as_secs()
                    ))),
                    false => Fate::Unknown(Reply::of(&error, "waiting for the server to take the message")),
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
        let is_over = reply.code.is_none() || reply.code == Some(GOOD_BYE);
        if is_over || self.connection.command(Rset).is_err() {
            self.hang_up();
        }
        fate_of(error, reply)
    }
}

/// What a refusal means for a mail.
fn fate_of(error: &Error, reply: Reply) -> Fate {
    match () {
        () if error.is_permanent() => Fate::Never(reply),
        () if reply.code == Some(GOOD_BYE) => Fate::Down(reply),
        // Also a line that broke: were it for this mail, the others must not wait behind it for ever.
        () => Fate::Later(reply),
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
}
