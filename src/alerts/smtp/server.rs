//! The mail server: connecting, encrypting and logging in.

use std::{fmt, fs, path::Path, time::Duration};

use anyhow::{Context, bail};
use lettre::transport::smtp::{
    Error,
    authentication::{Credentials, DEFAULT_MECHANISMS},
    client::{Certificate, SmtpConnection, TlsParameters},
    extension::ClientId,
};

use crate::alerts::{
    run_cancellable::run_cancellable,
    smtp::{
        reply::{LOGIN_REFUSED, NO_LOGIN_METHOD, NO_STARTTLS, SmtpReply, TLS_EXPECTED, is_timeout, tls_remedy},
        session::{DeliveryOutcome, SmtpSession, SmtpTimeouts},
        smtp_url::{Encryption, IMPLICIT_TLS_PORT, SmtpEndpoint},
    },
};

/// A mail server, with what is needed to log in.
#[derive(Clone)]
pub struct SmtpServer {
    endpoint: SmtpEndpoint,
    credentials: Option<Credentials>,
    tls: Option<TlsParameters>,
    client_id: ClientId,
    timeouts: SmtpTimeouts,
}

impl SmtpServer {
    /// `domain` is the sender's domain. `ca` is a file of certificates to trust in addition to the
    /// usual ones.
    pub fn new(
        endpoint: SmtpEndpoint,
        password: Option<String>,
        ca: Option<&Path>,
        domain: &str,
    ) -> anyhow::Result<SmtpServer> {
        let credentials = match (&endpoint.user, password) {
            (Some(user), Some(password)) => Some(Credentials::new(user.clone(), password)),
            (Some(user), None) => bail!(
                "--smtp-url names the user {user}, but there is no password; set PROCURE_SMTP_PASSWORD, or name a file with --smtp-password-file"
            ),
            (None, Some(_)) => {
                bail!("there is a password, but --smtp-url names no user; add one, as in smtps://user@host")
            }
            (None, None) => None,
        };
        let tls = match endpoint.encryption {
            Encryption::None => None,
            _ => Some(tls_parameters(&endpoint.host, ca)?),
        };
        Ok(SmtpServer {
            endpoint,
            credentials,
            tls,
            client_id: ClientId::Domain(domain.to_owned()),
            timeouts: SmtpTimeouts::STANDARD,
        })
    }

    pub fn with_timeouts(self, timeouts: SmtpTimeouts) -> SmtpServer {
        SmtpServer { timeouts, ..self }
    }

    /// Opens a connection, encrypts it and logs in as configured. If that fails, returns the outcome
    /// for the mail that was to be sent.
    pub(crate) fn connect(&self, is_cancelled: &dyn Fn() -> bool) -> Result<SmtpSession, DeliveryOutcome> {
        let server = self.clone();
        match run_cancellable(move || server.open(), Duration::ZERO, is_cancelled) {
            Ok(Some(opened)) => opened.map_err(DeliveryOutcome::Unavailable),
            Ok(None) => Err(DeliveryOutcome::Cancelled),
            Err(error) => Err(DeliveryOutcome::no_thread(&error)),
        }
    }

    fn open(&self) -> Result<SmtpSession, SmtpReply> {
        let mut connection = self.open_connection()?;
        self.start_tls(&mut connection)?;
        if let Some(credentials) = &self.credentials {
            let login = connection.auth(DEFAULT_MECHANISMS, credentials);
            login.map_err(|error| {
                let remedy = if error.is_permanent() {
                    Some(LOGIN_REFUSED)
                } else if error.is_client() {
                    Some(NO_LOGIN_METHOD)
                } else {
                    None
                };
                self.failure(&error, "logging in at").with_remedy(remedy)
            })?;
        }
        Ok(SmtpSession::new(connection, self.timeouts))
    }

    fn open_connection(&self) -> Result<SmtpConnection, SmtpReply> {
        let SmtpEndpoint {
            host, port, encryption, ..
        } = &self.endpoint;
        let tls = if *encryption == Encryption::Implicit {
            self.tls.as_ref()
        } else {
            None
        };
        let timeout = Some(self.timeouts.connection);
        let connected = SmtpConnection::connect((host.as_str(), *port), timeout, &self.client_id, tls, None);
        connected.map_err(|error| {
            let expects_tls = *port == IMPLICIT_TLS_PORT && tls.is_none() && is_timeout(&error);
            let remedy = if expects_tls {
                Some(TLS_EXPECTED)
            } else {
                tls_remedy(&error)
            };
            self.failure(&error, "connecting to").with_remedy(remedy)
        })
    }

    fn start_tls(&self, connection: &mut SmtpConnection) -> Result<(), SmtpReply> {
        match (self.endpoint.encryption, &self.tls) {
            (Encryption::Required | Encryption::Opportunistic, Some(tls)) if connection.can_starttls() => {
                let encrypted = connection.starttls(tls, &self.client_id);
                encrypted.map_err(|error| {
                    self.failure(&error, "encrypting the connection to")
                        .with_remedy(tls_remedy(&error))
                })
            }
            (Encryption::Required, _) => {
                connection.abort();
                let SmtpEndpoint { host, port, .. } = &self.endpoint;
                let reply = SmtpReply::without_code(&format!("{host}:{port} does not offer STARTTLS"));
                Err(reply.with_remedy(Some(NO_STARTTLS)))
            }
            _ => Ok(()),
        }
    }

    fn failure(&self, error: &Error, step: &str) -> SmtpReply {
        let SmtpEndpoint { host, port, .. } = &self.endpoint;
        SmtpReply::of(error, &format!("{step} {host}:{port}"))
    }
}

/// Without the credentials.
impl fmt::Debug for SmtpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.endpoint.fmt(f)
    }
}

fn tls_parameters(host: &str, ca: Option<&Path>) -> anyhow::Result<TlsParameters> {
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(ca) = ca {
        let read = || format!("reading the certificates {}", ca.display());
        let pem = fs::read(ca).with_context(read)?;
        builder = builder.add_root_certificate(Certificate::from_pem(&pem).with_context(read)?);
    }
    builder
        .build()
        .context("preparing the encryption of the mail connection")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_password_must_be_given_together() {
        let server = |url: &str, password: Option<&str>| {
            SmtpServer::new(url.parse().unwrap(), password.map(str::to_owned), None, "h")
        };
        assert!(server("smtps://ann@h", None).is_err());
        assert!(server("smtps://h", Some("x")).is_err());
    }
}
