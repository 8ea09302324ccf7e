//! A mail server's reply, or a connection failure, as it is logged and stored.

use std::io;

use lettre::transport::smtp::Error;

/// A reply of the server, or a failure of the connection. The text may contain an address, so only
/// the code may be logged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SmtpReply {
    pub(crate) code: Option<u16>,
    pub(crate) text: String,
    /// What the operator must change, if a retry cannot help.
    pub(crate) remedy: Option<&'static str>,
}

pub(crate) const LOGIN_REFUSED: &str =
    "the login was refused: check the user in --smtp-url, and PROCURE_SMTP_PASSWORD or --smtp-password-file";
pub(crate) const NO_LOGIN_METHOD: &str = "the server offers no login method that is supported here (PLAIN, LOGIN): use its submission port, usually 465 (smtps://) or 587 (smtp://)";
pub(crate) const NO_STARTTLS: &str = "use smtps://, or add ?tls=none if you trust the network to the server";
pub(crate) const TLS_FAILED: &str = "the connection cannot be encrypted: --smtp-url must name the host of the server's certificate, with smtps:// if the port encrypts from the first byte, \
     else smtp://; for a private certificate, name its issuer's certificate with --smtp-ca";
pub(crate) const TLS_EXPECTED: &str = "this port encrypts from the first byte: use smtps://";
pub(crate) const SENDER_REFUSED: &str = "the sender was refused: check that the user may send as --mail-from, or whether the server requires a user in --smtp-url";

impl SmtpReply {
    /// What failed, and during which step.
    pub(crate) fn of(error: &Error, step: &str) -> SmtpReply {
        let code = error.status().map(u16::from);
        let what = match code {
            Some(code) => {
                let source = std::error::Error::source(error).map(|source| format!(": {source}"));
                format!("the server replied {code}{}", source.unwrap_or_default())
            }
            None if is_timeout(error) => "no reply in time".to_owned(),
            // The library quotes what it could not parse, which may contain an address.
            None if error.is_response() => "the server's reply is not valid SMTP, or incomplete".to_owned(),
            None => error.to_string(),
        };
        SmtpReply {
            code,
            ..SmtpReply::without_code(&format!("{step}: {what}"))
        }
    }

    pub(crate) fn without_code(text: &str) -> SmtpReply {
        SmtpReply {
            code: None,
            text: text.to_owned(),
            remedy: None,
        }
    }

    pub(crate) fn with_remedy(self, remedy: Option<&'static str>) -> SmtpReply {
        SmtpReply { remedy, ..self }
    }

    /// Whether the server would reply the same to any mail, now and in a minute.
    pub(crate) fn is_final(&self) -> bool {
        self.remedy.is_some() || self.code.is_some_and(|code| code >= 500)
    }

    /// The part that may be logged.
    pub(crate) fn for_log(&self) -> String {
        let what = match self.code {
            Some(code) => format!("the server replied {code}"),
            None => self.text.clone(),
        };
        match self.remedy {
            Some(remedy) => format!("{what}; {remedy}"),
            None => what,
        }
    }
}

/// The remedy for a failed TLS handshake. rustls reports one as invalid data.
pub(crate) fn tls_remedy(error: &Error) -> Option<&'static str> {
    match io_kind(error)? {
        io::ErrorKind::InvalidData => Some(TLS_FAILED),
        _ => None,
    }
}

/// Whether no reply came within the timeout.
pub(crate) fn is_timeout(error: &Error) -> bool {
    matches!(
        io_kind(error),
        Some(io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
    )
}

/// The kind of the I/O error that caused this one, if one did.
fn io_kind(error: &Error) -> Option<io::ErrorKind> {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        source = error.source();
    }
    None
}
