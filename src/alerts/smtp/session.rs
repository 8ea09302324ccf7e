//! One SMTP connection that sends several mails one after the other, and the outcome of each.
//!
//! lettre's transport sends a mail in one call. This module instead sends each command through lettre's
//! connection. So the delivery intent can be stored after the server's 354 reply and before the first
//! byte of the message. After a failure before that point, sending the mail again is safe.

use std::{fmt, io, time::Duration};

use lettre::{
    address::Address,
    transport::smtp::{
        Error,
        client::SmtpConnection,
        commands::{Data, Mail as MailFrom, Rcpt, Rset},
        extension::{Extension, MailParameter},
    },
};

use crate::alerts::{
    mail::Mail,
    run_cancellable::run_cancellable,
    smtp::reply::{SENDER_REFUSED, SmtpReply, is_timeout},
};

/// How long to wait for the server at each step.
#[derive(Clone, Copy, Debug)]
pub struct SmtpTimeouts {
    /// For connecting. It may be short, because no mail is lost if connecting fails.
    pub connection: Duration,
    /// For the reply to a command.
    pub command: Duration,
    /// For the reply to a message. If it passes, the server may have accepted the mail, so its
    /// delivery is recorded as uncertain.
    pub message: Duration,
}

impl SmtpTimeouts {
    /// The minimum values of RFC 5321, 4.5.3.2, except for connecting.
    pub(crate) const STANDARD: SmtpTimeouts = SmtpTimeouts {
        connection: Duration::from_secs(60),
        command: Duration::from_secs(5 * 60),
        message: Duration::from_secs(10 * 60),
    };
}

/// The reply code with which a server closes the connection (RFC 5321).
const CLOSING: u16 = 421;

/// How long to wait for the reply to QUIT. It is short because the reply changes nothing.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a stopping process still waits for the reply to a message: without the reply, the
/// delivery is uncertain. A service manager allows far more time for stopping.
const STOP_GRACE: Duration = Duration::from_secs(10);

/// An open connection.
pub(crate) struct SmtpSession {
    connection: SmtpConnection,
    timeouts: SmtpTimeouts,
}

/// The message that follows `DATA`, with the line that ends it. Both are sent in one write: a second write
/// could wait until the server's host acknowledges the first.
struct MessageData<'a>(&'a [u8]);

/// The outcome of sending a mail.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DeliveryOutcome {
    /// The server accepted it.
    Sent,
    /// Refused for now, and certainly not accepted.
    TemporaryFailure(SmtpReply),
    PermanentFailure(SmtpReply),
    /// The connection broke during or after the message: it may have been accepted.
    ConnectionLost(SmtpReply),
    /// No reply to the message before the timeout: it may have been accepted. The next mail would
    /// probably wait as long.
    NoReply(SmtpReply),
    /// Certainly not accepted, for a reason that concerns all mails: the server is unreachable or
    /// refuses the sender.
    Unavailable(SmtpReply),
    /// Certainly not accepted: the process is stopping.
    Cancelled,
}

impl DeliveryOutcome {
    /// The outcome if no thread could be started, so that nothing was transmitted.
    pub(super) fn no_thread(error: &io::Error) -> DeliveryOutcome {
        DeliveryOutcome::Unavailable(SmtpReply::without_code(&format!(
            "starting a thread to wait for the mail server: {error}"
        )))
    }

    /// The outcome of a refused command or message.
    fn refused(error: &Error, reply: SmtpReply) -> DeliveryOutcome {
        if error.is_permanent() {
            DeliveryOutcome::PermanentFailure(reply)
        } else if reply.code == Some(CLOSING) {
            DeliveryOutcome::Unavailable(reply)
        } else {
            // A broken connection also counts as a temporary failure of this mail. Otherwise a mail
            // that breaks every connection would block all others for ever.
            DeliveryOutcome::TemporaryFailure(reply)
        }
    }
}

impl SmtpSession {
    pub(super) fn new(connection: SmtpConnection, timeouts: SmtpTimeouts) -> SmtpSession {
        SmtpSession { connection, timeouts }
    }

    /// Sends a mail. Returns the outcome, and the session if it can send another mail.
    /// `before_message` is called when the server is ready for the message, before its first byte. If
    /// it fails, the message is not sent and its error is returned.
    pub(crate) fn send(
        mut self,
        mail: &Mail,
        is_cancelled: &dyn Fn() -> bool,
        before_message: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<(DeliveryOutcome, Option<SmtpSession>)> {
        let offered_mail = mail.clone();
        let send_envelope = move || {
            let refused = self.send_envelope(&offered_mail);
            (self, refused)
        };
        let mut session = match run_cancellable(send_envelope, Duration::ZERO, is_cancelled) {
            Ok(Some((session, None))) => session,
            Ok(Some((session, Some(refused)))) => return Ok((refused, session.if_open())),
            Ok(None) => return Ok((DeliveryOutcome::Cancelled, None)),
            Err(error) => return Ok((DeliveryOutcome::no_thread(&error), None)),
        };
        // A fast server may reply before the first poll for cancellation.
        if is_cancelled() {
            session.close();
            return Ok((DeliveryOutcome::Cancelled, None));
        }
        if let Err(error) = before_message() {
            // A server accepts a message only at its last line, so closing now sends nothing.
            session.close();
            return Err(error);
        }
        let message = mail.bytes.clone();
        let transmit = move || {
            let outcome = session.transmit(&message);
            (session, outcome)
        };
        Ok(match run_cancellable(transmit, STOP_GRACE, is_cancelled) {
            Ok(Some((session, outcome))) => (outcome, session.if_open()),
            Ok(None) => (
                DeliveryOutcome::NoReply(SmtpReply::without_code(
                    "the process stopped before the server confirmed a mail",
                )),
                None,
            ),
            Err(error) => (DeliveryOutcome::no_thread(&error), None),
        })
    }

    /// Sends all commands before the message: MAIL FROM, RCPT TO and DATA. Returns the outcome if one
    /// of them fails.
    fn send_envelope(&mut self, mail: &Mail) -> Option<DeliveryOutcome> {
        // Setting a timeout fails only on a broken socket, which the next command reports.
        let _ = self.connection.set_timeout(Some(self.timeouts.command));
        let Some(to) = mail.envelope.to().first() else {
            let reply = SmtpReply::without_code("the mail has no recipient");
            return Some(DeliveryOutcome::PermanentFailure(reply));
        };
        let parameters = match self.mail_parameters(mail) {
            Ok(parameters) => parameters,
            Err(reply) => return Some(DeliveryOutcome::PermanentFailure(reply)),
        };
        let sender = MailFrom::new(mail.envelope.from().cloned(), parameters);
        if let Err(error) = self.connection.command(sender) {
            // All mails have the same sender, so a refusal is not about this mail.
            return Some(match self.reset(&error, "MAIL FROM") {
                DeliveryOutcome::PermanentFailure(reply) => {
                    DeliveryOutcome::Unavailable(reply.with_remedy(Some(SENDER_REFUSED)))
                }
                DeliveryOutcome::TemporaryFailure(reply) if reply.code.is_some() => DeliveryOutcome::Unavailable(reply),
                outcome => outcome,
            });
        }
        if let Err(error) = self.connection.command(Rcpt::new(to.clone(), vec![])) {
            return Some(self.reset(&error, "RCPT TO"));
        }
        let error = self.connection.command(Data).err()?;
        Some(self.reset(&error, "DATA"))
    }

    /// Sends the message and waits for the reply.
    fn transmit(&mut self, message: &[u8]) -> DeliveryOutcome {
        let _ = self.connection.set_timeout(Some(self.timeouts.message));
        match self.connection.command(MessageData(message)) {
            Ok(_) => DeliveryOutcome::Sent,
            // A reply ends the transaction (RFC 5321, 4.1.1.4), so no RSET is needed, and the outcome
            // is known even if the connection breaks next.
            Err(error) if error.status().is_some() => {
                let reply = SmtpReply::of(&error, "sending the message");
                if reply.code == Some(CLOSING) {
                    self.close();
                }
                DeliveryOutcome::refused(&error, reply)
            }
            Err(error) => {
                self.close();
                if is_timeout(&error) {
                    let seconds = self.timeouts.message.as_secs();
                    DeliveryOutcome::NoReply(SmtpReply::without_code(&format!(
                        "the mail server did not reply to a message for {seconds} seconds; ask its operator, or name another one with --smtp-url"
                    )))
                } else {
                    DeliveryOutcome::ConnectionLost(SmtpReply::of(&error, "waiting for the reply to the message"))
                }
            }
        }
    }

    /// The session, if its connection can still be used.
    fn if_open(self) -> Option<SmtpSession> {
        Some(self).filter(|session| !session.connection.has_broken())
    }

    /// Sends QUIT and closes the connection.
    pub(crate) fn close(&mut self) {
        let _ = self.connection.set_timeout(Some(QUIT_TIMEOUT));
        self.connection.abort();
    }

    /// The parameters of MAIL FROM; the reply to record if the server cannot take the addresses.
    fn mail_parameters(&self, mail: &Mail) -> Result<Vec<MailParameter>, SmtpReply> {
        let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
        if mail.envelope.to().iter().chain(mail.envelope.from()).all(is_ascii) {
            return Ok(Vec::new());
        }
        if self.connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            Ok(vec![MailParameter::SmtpUtfEight])
        } else {
            Err(SmtpReply::without_code(
                "the server does not support non-ASCII addresses (SMTPUTF8)",
            ))
        }
    }

    /// Resets the session after a refused command, so that it can send the next mail. If it cannot be
    /// reset, it is closed.
    fn reset(&mut self, error: &Error, step: &str) -> DeliveryOutcome {
        let reply = SmtpReply::of(error, step);
        let is_closing = reply.code.is_none() || reply.code == Some(CLOSING);
        if is_closing || self.connection.command(Rset).is_err() {
            self.close();
        }
        DeliveryOutcome::refused(error, reply)
    }
}

impl fmt::Display for MessageData<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Dot stuffing: a line that is a single dot would end the message.
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
    fn leading_dots_are_stuffed() {
        let message = MessageData(b".\r\na\r\n..b\r\n.\r\n");
        assert_eq!(message.to_string(), "..\r\na\r\n...b\r\n..\r\n\r\n.\r\n");
    }
}
