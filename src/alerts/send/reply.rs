//! What a mail server said, in words for a log and with the cure where there is one.

use std::{fmt, io};

use lettre::transport::smtp::Error;

/// What a server said, or what happened to the line. The text may hold an address, so that only the code is for the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub code: Option<u16>,
    pub text: String,
    /// What the operator can do about it, where asking again does nothing.
    pub cure: Option<&'static str>,
}

// What ends each trouble that asking again does not.
pub const LOGIN: &str =
    "the login is refused: check the user in --smtp-url, and PROCURE_SMTP_PASSWORD or --smtp-password-file";
pub const NO_LOGIN: &str = "the server offers no login that is known here (PLAIN, LOGIN): use the port it takes mail from users at, as a rule 465 (smtps://) or 587 (smtp://)";
pub const NO_STARTTLS: &str = "use smtps://, or add ?tls=none for a server that you trust the way to";
pub const NO_TLS: &str = "the line cannot be encrypted: --smtp-url must name the host its certificate is for, with smtps:// if it encrypts from the first byte, \
     else smtp://; if the certificate is your own, name its issuer's with --smtp-ca";
pub const MUTE: &str = "this port encrypts from the first byte: use smtps://";
pub const SENDER: &str = "the sender is refused: check that this user may send as --mail-from, or whether the server wants a user in --smtp-url";

impl Reply {
    pub fn of(error: &Error, when: &str) -> Reply {
        let source = std::error::Error::source(error).map(|source| format!(": {source}"));
        let code = error.status().map(u16::from);
        let what = match code {
            Some(code) => format!("the server said {code}{}", source.unwrap_or_default()),
            // The library repeats what it could not read, which may hold an address.
            None if is_silence(error) => "no answer in time".to_owned(),
            None if error.is_response() => "the server's answer is none that SMTP knows, or breaks off".to_owned(),
            None => error.to_string(),
        };
        Reply {
            code,
            text: format!("{when}: {what}"),
            cure: None,
        }
    }

    pub fn without_code(text: &str) -> Reply {
        let text = text.to_owned();
        Reply {
            code: None,
            text,
            cure: None,
        }
    }

    pub fn cured_by(self, cure: Option<&'static str>) -> Reply {
        Reply { cure, ..self }
    }

    /// Whether the server would say the same of any mail, now and in a minute.
    pub fn is_final(&self) -> bool {
        self.cure.is_some() || self.code.is_some_and(|code| code >= 500)
    }

    /// What may be logged.
    pub fn for_log(&self) -> String {
        let code = self.code.map(|code| format!("the server said {code}"));
        let what = code.unwrap_or_else(|| self.text.clone());
        match self.cure {
            Some(cure) => format!("{what}; {cure}"),
            None => what,
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The cure of a handshake that failed: rustls says that of the bytes it read.
pub fn no_tls(error: &Error) -> Option<&'static str> {
    (io_kind(error) == Some(io::ErrorKind::InvalidData)).then_some(NO_TLS)
}

/// Whether nothing came in the time allowed.
pub fn is_silence(error: &Error) -> bool {
    matches!(
        io_kind(error),
        Some(io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
    )
}

/// What the system says of it, if it is the system's.
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
