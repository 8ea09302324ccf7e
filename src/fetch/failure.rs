//! Why a download failed: a sentence with how to fix it, whether to retry, and what else will fail.

use std::{io, time::Duration};

#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) why: String,
    pub(crate) retry: Retry,
    pub(crate) scope: FailureScope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    Never,
    /// Retry, after the time that the server asks for if it does.
    After(Option<Duration>),
}

/// What fails in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureScope {
    /// One file alone.
    File,
    /// Every file of this host.
    Host,
    /// Every file.
    Run,
}

impl Failure {
    /// A failure of this file that a retry does not fix.
    pub(crate) fn permanent(why: impl Into<String>) -> Failure {
        Failure {
            why: why.into(),
            retry: Retry::Never,
            scope: FailureScope::File,
        }
    }

    /// A failure of this file that a retry may fix.
    pub(crate) fn transient(why: impl Into<String>) -> Failure {
        Failure {
            retry: Retry::After(None),
            ..Failure::permanent(why)
        }
    }

    /// A request without a response.
    pub(crate) fn no_response(error: ureq::Error) -> Failure {
        match error {
            ureq::Error::TooManyRedirects => Failure::permanent("the address redirects too often"),
            ureq::Error::RequireHttpsOnly(url) => {
                Failure::permanent(format!("the address redirects to {url}, which is not encrypted"))
            }
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
                Failure::permanent(format!("the address is invalid ({error})"))
            }
            ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => {
                let why = format!("the proxy refuses the connection ({error}); see the variable HTTPS_PROXY");
                Failure::permanent(why).of_host()
            }
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) => insecure(&error),
            // Errors of the TLS handshake have this kind.
            ureq::Error::Io(ref inner) if inner.kind() == io::ErrorKind::InvalidData => insecure(&error),
            error => Failure::transient(format!("the host does not answer ({error})")).of_host(),
        }
    }

    /// This failure, as one of all files of the host.
    fn of_host(self) -> Failure {
        let scope = FailureScope::Host;
        Failure { scope, ..self }
    }

    /// An error while the response body was read.
    pub(crate) fn interrupted(error: io::Error) -> Failure {
        Failure::transient(match ureq::Error::from(error) {
            ureq::Error::Timeout(_) => "the server stopped sending".to_owned(),
            error => format!("the connection was interrupted ({error})"),
        })
    }
}

fn insecure(error: &ureq::Error) -> Failure {
    Failure::permanent(format!("no secure connection can be made ({error})")).of_host()
}

/// An error while writing to disk. Errors of the network are [`Failure::interrupted`].
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        use io::ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let why = match error.kind() {
            StorageFull | QuotaExceeded => {
                format!(
                    "the disk is full ({error}); free some space and run the command again: it resumes where it stopped"
                )
            }
            FileTooLarge => format!("the file is too large for the file system ({error})"),
            _ => format!("the file cannot be written ({error})"),
        };
        let scope = match error.kind() {
            StorageFull | QuotaExceeded | PermissionDenied | ReadOnlyFilesystem => FailureScope::Run,
            _ => FailureScope::File,
        };
        Failure {
            scope,
            ..Failure::permanent(why)
        }
    }
}
