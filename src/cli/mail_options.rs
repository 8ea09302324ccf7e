//! The options of sending mail, shared by `procure serve` and `procure alerts`.

use std::{env, fs, num::NonZeroU32, path::PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use crate::alerts::{
    mail::{DkimKeyFile, Sender},
    mailer::MailSettings,
    smtp::{server::SmtpServer, smtp_url::SmtpEndpoint},
};

/// How mails are sent.
#[derive(Debug, Args)]
pub(crate) struct MailOptions {
    /// Mail server for alerts: smtps://user@host, or smtp://user@host:587 for STARTTLS
    #[arg(long, value_name = "URL", env = "PROCURE_SMTP_URL")]
    smtp_url: Option<String>,
    /// File with the password of the mail server; or set the variable PROCURE_SMTP_PASSWORD
    #[arg(long, value_name = "FILE", env = "PROCURE_SMTP_PASSWORD_FILE")]
    smtp_password_file: Option<PathBuf>,
    /// PEM file of certificates to trust in addition to the default ones
    #[arg(long, value_name = "FILE", env = "PROCURE_SMTP_CA")]
    smtp_ca: Option<PathBuf>,
    /// Maximum number of mails per minute
    #[arg(long, value_name = "N", env = "PROCURE_MAIL_RATE", default_value = "60", value_parser = parse_rate)]
    mail_rate: NonZeroU32,
    #[command(flatten)]
    sender: SenderOptions,
}

/// Who mails are from.
#[derive(Debug, Args)]
pub(crate) struct SenderOptions {
    /// Sender of alerts, such as "Name <alerts@example.org>"
    #[arg(long, value_name = "SENDER", env = "PROCURE_MAIL_FROM")]
    mail_from: Option<String>,
    /// Postal address of the sender, on one line
    #[arg(long, value_name = "TEXT", env = "PROCURE_MAIL_ADDRESS")]
    mail_address: Option<String>,
    /// Public address of this service, for the links in mails and the addresses of the reconciliation
    /// services; if it is https, the cookies of pages need TLS
    #[arg(long, value_name = "URL", env = "PROCURE_PUBLIC_URL")]
    public_url: Option<String>,
    /// Private key to sign mails with (DKIM), RSA or Ed25519, PEM
    #[arg(long, value_name = "FILE", env = "PROCURE_DKIM_KEY")]
    dkim_key: Option<PathBuf>,
    /// DKIM selector: the name under which DNS publishes the public key
    #[arg(long, value_name = "NAME", env = "PROCURE_DKIM_SELECTOR")]
    dkim_selector: Option<String>,
    /// Signing domain (DKIM); by default the domain of the sender's address
    #[arg(long, value_name = "DOMAIN", env = "PROCURE_DKIM_DOMAIN")]
    dkim_domain: Option<String>,
}

/// The variable with the password. There is no flag for it, because every local user can list the
/// arguments of a process.
const PASSWORD: &str = "PROCURE_SMTP_PASSWORD";

fn parse_rate(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| "use a whole number above 0".to_owned())
}

impl MailOptions {
    /// The settings; `None` without a mail server. Incomplete settings are an error.
    pub(crate) fn settings(&self) -> anyhow::Result<Option<MailSettings>> {
        let Some(url) = &self.smtp_url else {
            let mail_only = [
                (self.smtp_password_file.is_some(), "--smtp-password-file"),
                (self.smtp_ca.is_some(), "--smtp-ca"),
                (self.sender.mail_from.is_some(), "--mail-from"),
                (self.sender.mail_address.is_some(), "--mail-address"),
                (self.sender.dkim_key.is_some(), "--dkim-key"),
            ];
            if let Some((_, name)) = mail_only.iter().find(|(is_set, _)| *is_set) {
                bail!("{name} is set but --smtp-url is not; set both, or neither to send no mail");
            }
            return Ok(None);
        };
        let sender = self.sender.sender()?;
        // The URL may contain a password, so the error does not quote it.
        let endpoint: SmtpEndpoint = url.parse().context("invalid --smtp-url")?;
        let server = SmtpServer::new(endpoint, self.password()?, self.smtp_ca.as_deref(), sender.domain())?;
        Ok(Some(MailSettings {
            server,
            sender,
            rate: self.mail_rate,
        }))
    }

    /// The public address of the service, if it is stated.
    pub(crate) fn public_url(&self) -> Option<&str> {
        self.sender.public_url.as_deref()
    }

    fn password(&self) -> anyhow::Result<Option<String>> {
        let password = match (
            &self.smtp_password_file,
            env::var(PASSWORD).ok().filter(|text| !text.is_empty()),
        ) {
            (Some(_), Some(_)) => bail!("{PASSWORD} and --smtp-password-file are both set; unset one"),
            (None, variable) => variable,
            (Some(path), None) => {
                let text = fs::read_to_string(path);
                let text = text.with_context(|| format!("reading the password from {}", path.display()))?;
                Some(text.trim_end_matches(['\r', '\n']).to_owned())
            }
        };
        Ok(password)
    }
}

impl SenderOptions {
    /// The sender. An error names the option that is missing.
    pub(crate) fn sender(&self) -> anyhow::Result<Sender> {
        let needed = |value: &Option<String>, what: &str| {
            let value = value.clone().filter(|value| !value.trim().is_empty());
            value.with_context(|| format!("mails need {what}"))
        };
        let from = needed(
            &self.mail_from,
            "--mail-from, the sender's name and address, such as \"Name <alerts@example.org>\"",
        )?;
        let postal = needed(
            &self.mail_address,
            "--mail-address, the sender's postal address, which Canada's anti-spam law (CASL) requires",
        )?;
        let public_url = needed(
            &self.public_url,
            "--public-url, the address of this service in the links to unsubscribe",
        )?;
        let dkim = match (&self.dkim_key, &self.dkim_selector) {
            (Some(key), Some(selector)) => Some(DkimKeyFile {
                key,
                selector,
                domain: self.dkim_domain.as_deref(),
            }),
            (None, None) => None,
            (Some(_), None) => {
                bail!("--dkim-key needs --dkim-selector, the name under which DNS publishes the public key")
            }
            (None, Some(_)) => bail!("--dkim-selector needs --dkim-key, the private key"),
        };
        Sender::new(&from, &postal, &public_url, dkim)
    }
}
