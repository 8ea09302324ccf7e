//! Why a file did not come: a sentence with its cure, whether asking again helps, and what else it stops.

use std::{io, time::Duration};

#[derive(Debug)]
pub struct Failure {
    pub why: String,
    pub retry: Retry,
    pub reach: Reach,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    Never,
    /// After as long as the server asks for, if it does.
    After(Option<Duration>),
}

/// What else will fail the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    File,
    Host,
    Run,
}

impl Failure {
    pub fn last(why: impl Into<String>) -> Failure {
        Failure {
            why: why.into(),
            retry: Retry::Never,
            reach: Reach::File,
        }
    }

    pub fn again(why: impl Into<String>) -> Failure {
        Failure {
            retry: Retry::After(None),
            ..Failure::last(why)
        }
    }

    /// No answer came.
    pub fn unanswered(error: ureq::Error) -> Failure {
        let (why, retry, reach) = match error {
            ureq::Error::TooManyRedirects => (
                "its address leads from one to the next and to no file".to_owned(),
                Retry::Never,
                Reach::File,
            ),
            ureq::Error::RequireHttpsOnly(url) => (
                format!("its address leads to {url}, which is not encrypted"),
                Retry::Never,
                Reach::File,
            ),
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => (
                format!("its address cannot be asked ({error})"),
                Retry::Never,
                Reach::File,
            ),
            ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => (
                format!("the proxy does not let it through ({error}); see the variable HTTPS_PROXY"),
                Retry::Never,
                Reach::Host,
            ),
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) => insecure(&error),
            // What the handshake finds wrong comes as invalid data.
            ureq::Error::Io(ref inner) if inner.kind() == io::ErrorKind::InvalidData => insecure(&error),
            error => (
                format!("the host does not answer ({error})"),
                Retry::After(None),
                Reach::Host,
            ),
        };
        Failure { why, retry, reach }
    }

    /// The answer broke off.
    pub fn cut(error: io::Error) -> Failure {
        Failure::again(match ureq::Error::from(error) {
            ureq::Error::Timeout(_) => "the server fell silent".to_owned(),
            error => format!("the connection was cut ({error})"),
        })
    }
}

fn insecure(error: &ureq::Error) -> (String, Retry, Reach) {
    let why = format!("the connection cannot be made secure ({error})");
    (why, Retry::Never, Reach::Host)
}

/// Of writing, never of reading from the network.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        use io::ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let why = match error.kind() {
            StorageFull | QuotaExceeded => {
                format!("the disk is full ({error}); make room and run it again: it goes on where it stopped")
            }
            FileTooLarge => format!("the file system takes no file so large ({error})"),
            _ => format!("it cannot be written ({error})"),
        };
        let reach = match error.kind() {
            StorageFull | QuotaExceeded | PermissionDenied | ReadOnlyFilesystem => Reach::Run,
            _ => Reach::File,
        };
        Failure {
            reach,
            ..Failure::last(why)
        }
    }
}
