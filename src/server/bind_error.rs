//! Why an address cannot be listened on, with what to do about it.

use std::io::{self, ErrorKind};

use anyhow::anyhow;

/// The error of listening on an address that the option `flag` sets. `what` is what failed, such as `listening on …`.
pub(crate) fn explain(error: io::Error, what: String, flag: &str) -> anyhow::Error {
    let cure = match error.kind() {
        ErrorKind::AddrInUse => {
            format!("another program uses this port; stop it, or choose another address with {flag}")
        }
        ErrorKind::AddrNotAvailable => {
            format!("this machine does not have this address; give {flag} one that it has, or 0.0.0.0 for all of them")
        }
        ErrorKind::PermissionDenied => {
            format!("ports below 1024 need a right that this user lacks; choose another port with {flag}")
        }
        _ => return anyhow::Error::new(error).context(what),
    };
    anyhow!("{what}: {error}; {cure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_what_failed_why_and_the_option_that_helps() {
        for (kind, part) in [
            (ErrorKind::AddrInUse, "another program"),
            (ErrorKind::AddrNotAvailable, "0.0.0.0"),
            (ErrorKind::PermissionDenied, "below 1024"),
        ] {
            let text = format!("{:#}", explain(kind.into(), "listening on x".to_owned(), "--bind"));
            assert!(
                text.starts_with("listening on x: ") && text.contains(part) && text.contains("--bind"),
                "{text}"
            );
        }
        let other = explain(io::Error::other("broken"), "listening on x".to_owned(), "--bind");
        assert_eq!(format!("{other:#}"), "listening on x: broken");
    }
}
