//! Encodes a digest or a confirmation mail as a MIME message with the headers that mailing lists must
//! have (RFC 2369, 2919, 3834, 8058), and with a DKIM signature if there is a key.
//!
//! No text of a publisher or subscriber can add a header or a part: the library encodes names and
//! titles, and an address that it does not accept is not mailed.

use std::{fmt, path::Path, str::FromStr, time::SystemTime};

use anyhow::{Context, anyhow, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use lettre::{
    Address, Message,
    address::Envelope,
    message::{
        Body, Mailbox, MultiPart, MultiPartKind, SinglePart,
        dkim::{DkimCanonicalization, DkimCanonicalizationType, DkimConfig, DkimSigningAlgorithm, DkimSigningKey},
        header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue},
    },
};

use crate::{
    alerts::{
        digest::{Digest, clean},
        html, text,
        texts::subject,
    },
    state::confirmation_mails::MailSender,
};

/// The sender of all mails, as the operator configures it.
pub struct Sender {
    mailbox: Mailbox,
    /// Name and e-mail address: CASL requires a way to reach the sender in addition to the postal
    /// address.
    pub(crate) signature: String,
    /// A postal address on one line.
    pub(crate) postal: String,
    /// The public address of this service, for links, without a trailing slash.
    pub(crate) public_url: String,
    dkim: Option<DkimConfig>,
}

/// A message as it is transmitted.
#[derive(Clone, Debug)]
pub struct Mail {
    pub(crate) envelope: Envelope,
    pub bytes: Vec<u8>,
}

/// The content of a message.
pub struct Content {
    pub subject: String,
    /// As in `Content-Language`.
    pub languages: String,
    pub text: String,
    pub html: String,
    /// The address that ends all mail by one click (RFC 8058).
    pub unsubscribe: String,
}

/// The signed headers. RFC 8058 requires that those for unsubscribing are signed, so that the
/// unsubscribe button of a mail client cannot be forged. `Content-Type` must not be in this list:
/// lettre treats it as part of the body, so the signature would name it without covering it, and no
/// signature would verify.
const SIGNED_HEADERS: [HeaderName; 12] = [
    HeaderName::new_from_ascii_str("From"),
    HeaderName::new_from_ascii_str("To"),
    HeaderName::new_from_ascii_str("Subject"),
    HeaderName::new_from_ascii_str("Date"),
    HeaderName::new_from_ascii_str("Message-ID"),
    HeaderName::new_from_ascii_str("MIME-Version"),
    HeaderName::new_from_ascii_str("Content-Language"),
    HeaderName::new_from_ascii_str("List-Id"),
    HeaderName::new_from_ascii_str("List-Unsubscribe"),
    HeaderName::new_from_ascii_str("List-Unsubscribe-Post"),
    HeaderName::new_from_ascii_str("Auto-Submitted"),
    HeaderName::new_from_ascii_str("Precedence"),
];

/// The start of an Ed25519 key in PKCS #8, before its 32 bytes.
const ED25519_PREFIX: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// A DKIM key, as the operator configures it.
pub struct DkimKeyFile<'a> {
    pub key: &'a Path,
    pub selector: &'a str,
    /// `None` for the sender's domain.
    pub domain: Option<&'a str>,
}

impl Sender {
    /// `from` is `Name <address>`. Anti-spam law (CASL) requires it and a postal address in every mail.
    pub fn new(from: &str, postal: &str, public_url: &str, dkim: Option<DkimKeyFile>) -> anyhow::Result<Sender> {
        let mailbox = Mailbox::from_str(from.trim())
            .with_context(|| format!("--mail-from must have the form `Name <alerts@example.org>`, not {from:?}"))?;
        let name = mailbox.name.as_deref().map(clean).unwrap_or_default();
        ensure!(
            !name.is_empty(),
            "--mail-from must also name the sender, as in `Name <{}>`, because Canada's anti-spam law (CASL) requires it",
            mailbox.email
        );
        let postal = clean(postal);
        ensure!(
            !postal.is_empty(),
            "--mail-address must be the sender's postal address, because Canada's anti-spam law (CASL) requires it"
        );
        let public_url = public_url.trim().trim_end_matches('/').to_owned();
        let host = public_url
            .strip_prefix("https://")
            .or(public_url.strip_prefix("http://"));
        ensure!(
            host.is_some_and(|host| !host.is_empty())
                && public_url.is_ascii()
                && !public_url.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"?#".contains(c)),
            "--public-url must be the public address of this service, such as https://example.org/api"
        );
        if !public_url.starts_with("https://") {
            log::warn!(
                "--public-url {public_url} does not use https, so mail clients will not offer an unsubscribe button"
            );
        }
        let signature = format!("{name} ({})", mailbox.email);
        let mailbox = Mailbox::new(Some(name), mailbox.email);
        let dkim = dkim
            .map(|file| dkim_config(&file, mailbox.email.domain()))
            .transpose()?;
        Ok(Sender {
            mailbox,
            signature,
            postal,
            public_url,
            dkim,
        })
    }

    pub(crate) fn domain(&self) -> &str {
        self.mailbox.email.domain()
    }

    /// The link that ends the subscriptions of a token, by GET or by one click (RFC 8058).
    pub(crate) fn unsubscribe_link(&self, token: &str) -> String {
        format!("{}/tender/alerts/unsubscribe?token={token}", self.public_url)
    }

    /// The link to the page that confirms the subscriptions of a token.
    pub(crate) fn confirm_link(&self, token: &str) -> String {
        format!("{}/tender/alerts/confirm?token={token}", self.public_url)
    }

    /// The link to the page that ends all mail to the address of a token, also by one click (RFC 8058).
    pub(crate) fn decline_link(&self, token: &str) -> String {
        format!("{}/tender/alerts/decline?token={token}", self.public_url)
    }

    /// The sender as the page of a confirmation mail names it.
    pub(crate) fn shown(&self) -> MailSender {
        MailSender {
            name: self.signature.clone(),
            postal: self.postal.clone(),
        }
    }

    /// Encodes a digest. `name` identifies it, and is the same when the same content is sent again.
    pub fn encode(&self, to: &str, digest: &Digest, name: &str, now: DateTime<Utc>) -> anyhow::Result<Mail> {
        let content = Content {
            subject: subject(digest),
            languages: digest.languages(),
            text: text::render(digest),
            html: html::render(digest),
            unsubscribe: digest.unsubscribe.clone(),
        };
        self.message(to, &content, name, now)
    }

    /// Encodes a message. `name` identifies it.
    pub fn message(&self, to: &str, content: &Content, name: &str, now: DateTime<Utc>) -> anyhow::Result<Mail> {
        let to: Address = to.parse().context("the address is not valid for mail")?;
        let header = |name: HeaderName, value: &str| HeaderValue::new(name, value.to_owned());
        let named = HeaderName::new_from_ascii_str;
        let part = |kind: ContentType, content: &str| -> anyhow::Result<SinglePart> {
            let encoding = ContentTransferEncoding::QuotedPrintable;
            let body = Body::new_with_encoding(content.to_owned(), encoding)
                .map_err(|_| anyhow!("the content cannot be encoded"))?;
            Ok(SinglePart::builder().header(kind).body(body))
        };
        // `=_` does not occur in quoted-printable text, so no title can end a part.
        let parts = MultiPart::builder()
            .kind(MultiPartKind::Alternative)
            .boundary(format!("=_{name}"))
            .singlepart(part(ContentType::TEXT_PLAIN, &content.text)?)
            .singlepart(part(ContentType::TEXT_HTML, &content.html)?);
        let mut message = Message::builder()
            .from(self.mailbox.clone())
            .to(Mailbox::new(None, to))
            .subject(content.subject.as_str())
            .date(SystemTime::from(now))
            .message_id(Some(format!("<{name}@{}>", self.domain())))
            .raw_header(header(named("Content-Language"), &content.languages))
            .raw_header(header(named("List-Id"), &format!("<tender-alerts.{}>", self.domain())))
            .raw_header(header(named("List-Unsubscribe"), &format!("<{}>", content.unsubscribe)))
            .raw_header(header(named("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click"))
            .raw_header(header(named("Auto-Submitted"), "auto-generated"))
            .raw_header(header(named("Precedence"), "bulk"))
            .multipart(parts)
            .context("building the message")?;
        if let Some(dkim) = &self.dkim {
            message.sign(dkim);
        }
        Ok(Mail {
            envelope: message.envelope().clone(),
            bytes: message.formatted(),
        })
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({})", self.mailbox)
    }
}

fn dkim_config(file: &DkimKeyFile, sender: &str) -> anyhow::Result<DkimConfig> {
    let path = file.key.display();
    let text = std::fs::read_to_string(file.key).with_context(|| format!("reading the DKIM key {path}"))?;
    let domain = file.domain.unwrap_or(sender);
    if !is_related(sender, domain) {
        log::warn!("mail from {sender} is signed by {domain}: servers that check DMARC will ignore the signature");
    }
    let key = signing_key(&text).with_context(|| format!("invalid DKIM key {path}"))?;
    let relaxed = DkimCanonicalization {
        header: DkimCanonicalizationType::Relaxed,
        body: DkimCanonicalizationType::Relaxed,
    };
    Ok(DkimConfig::new(
        file.selector.to_owned(),
        domain.to_owned(),
        key,
        SIGNED_HEADERS.to_vec(),
        relaxed,
    ))
}

/// An RSA or an Ed25519 key in PEM.
fn signing_key(pem: &str) -> anyhow::Result<DkimSigningKey> {
    if pem.contains("BEGIN RSA PRIVATE KEY") {
        return Ok(DkimSigningKey::new(pem, DkimSigningAlgorithm::Rsa)?);
    }
    ensure!(
        pem.contains("BEGIN PRIVATE KEY"),
        "it is not a private key in PEM; create one with `openssl genrsa -traditional -out FILE 2048`"
    );
    let body: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    let der = STANDARD.decode(body.trim()).context("its base64 is invalid")?;
    let seed = der.strip_prefix(&ED25519_PREFIX).filter(|seed| seed.len() == 32);
    let seed = seed.context(
        "an RSA key must be in the traditional form; convert it with `openssl rsa -traditional -in FILE -out FILE`",
    )?;
    Ok(DkimSigningKey::new(
        &STANDARD.encode(seed),
        DkimSigningAlgorithm::Ed25519,
    )?)
}

/// Whether the domains are equal or one is a subdomain of the other.
fn is_related(domain: &str, other: &str) -> bool {
    let is_subdomain = |domain: &str, of: &str| domain == of || domain.ends_with(&format!(".{of}"));
    is_subdomain(domain, other) || is_subdomain(other, domain)
}
