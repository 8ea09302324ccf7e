//! A digest as a message: MIME, the headers that mailing lists owe (RFC 2369, 2919, 3834, 8058), and a DKIM signature where there is a key.
//!
//! Nothing that others wrote can add a header or a part: names and titles are encoded by the library, and an address it does not accept is not mailed.

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

use crate::alerts::{
    digest::{Digest, clean},
    html, text,
};

/// Who sends, as the operator says.
pub struct Sender {
    mailbox: Mailbox,
    /// A postal address, on one line.
    pub postal: String,
    /// Where the service is found by those who get mails, without a closing slash.
    pub public_url: String,
    dkim: Option<DkimConfig>,
}

/// A message as it goes over the wire.
#[derive(Clone, Debug)]
pub struct Mail {
    pub envelope: Envelope,
    pub bytes: Vec<u8>,
}

/// What a signature covers: also what RFC 8058 wants covered, so that nobody else makes a client's button end a subscription. `Content-Type` is the
/// body's to lettre: named here, it would be told of and not signed, and no signature would hold.
const SIGNED: [HeaderName; 12] = [
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

/// How an Ed25519 key begins in PKCS #8, before its 32 bytes.
const ED25519_HEAD: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// A key for DKIM, as an operator names it.
pub struct DkimFile<'a> {
    pub key: &'a Path,
    pub selector: &'a str,
    /// The sender's own unless given.
    pub domain: Option<&'a str>,
}

impl Sender {
    /// `from` is `Name <address>`; both it and a postal address are what CASL asks every such mail to carry.
    pub fn new(from: &str, postal: &str, public_url: &str, dkim: Option<DkimFile>) -> anyhow::Result<Sender> {
        let mailbox = Mailbox::from_str(from.trim())
            .with_context(|| format!("--mail-from must be like `Name <alerts@example.org>`, not {from:?}"))?;
        let name = mailbox.name.as_deref().map(clean).unwrap_or_default();
        ensure!(
            !name.is_empty(),
            "--mail-from must name the sender too, like `Name <{}>`: Canada's anti-spam law (CASL) asks for it",
            mailbox.email
        );
        let postal = clean(postal);
        ensure!(
            !postal.is_empty(),
            "--mail-address must be the sender's postal address, which Canada's anti-spam law (CASL) asks for"
        );
        let public_url = public_url.trim().trim_end_matches('/').to_owned();
        let host = public_url
            .strip_prefix("https://")
            .or(public_url.strip_prefix("http://"));
        ensure!(
            host.is_some_and(|host| !host.is_empty())
                && public_url.is_ascii()
                && !public_url.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"?#".contains(c)),
            "--public-url must be where this service is found, like https://example.org/api"
        );
        if !public_url.starts_with("https://") {
            log::warn!("{public_url} is not https: mail programs will offer no button to unsubscribe");
        }
        let mailbox = Mailbox::new(Some(name), mailbox.email);
        let dkim = dkim.map(|file| signer(&file, mailbox.email.domain())).transpose()?;
        Ok(Sender {
            mailbox,
            postal,
            public_url,
            dkim,
        })
    }

    pub fn name(&self) -> &str {
        self.mailbox.name.as_deref().unwrap_or_default()
    }

    /// Who it is and where it is written to: CASL asks for a way to reach the sender beside the postal address.
    pub fn signature(&self) -> String {
        format!("{} ({})", self.name(), self.mailbox.email)
    }

    pub fn domain(&self) -> &str {
        self.mailbox.email.domain()
    }

    /// Where a subscription's token ends it, at once by GET and by one click.
    pub fn unsubscribe_link(&self, token: &str) -> String {
        format!("{}/tender/alerts/unsubscribe?token={token}", self.public_url)
    }

    /// The message. `name` tells it from all others, and is the same when the same is sent again.
    pub fn write(&self, to: &str, digest: &Digest, name: &str, now: DateTime<Utc>) -> anyhow::Result<Mail> {
        let to: Address = to.parse().context("the address is none that can be mailed")?;
        let header = |name: HeaderName, value: &str| HeaderValue::new(name, value.to_owned());
        let named = HeaderName::new_from_ascii_str;
        let part = |kind: ContentType, content: String| -> anyhow::Result<SinglePart> {
            let encoding = ContentTransferEncoding::QuotedPrintable;
            let body =
                Body::new_with_encoding(content, encoding).map_err(|_| anyhow!("the content cannot be encoded"))?;
            Ok(SinglePart::builder().header(kind).body(body))
        };
        // `=_` occurs in nothing that is quoted-printable, so that no title can end a part.
        let parts = MultiPart::builder()
            .kind(MultiPartKind::Alternative)
            .boundary(format!("=_{name}"))
            .singlepart(part(ContentType::TEXT_PLAIN, text::write(digest))?)
            .singlepart(part(ContentType::TEXT_HTML, html::write(digest))?);
        let mut message = Message::builder()
            .from(self.mailbox.clone())
            .to(Mailbox::new(None, to))
            .subject(digest.subject())
            .date(SystemTime::from(now))
            .message_id(Some(format!("<{name}@{}>", self.domain())))
            .raw_header(header(named("Content-Language"), &digest.languages()))
            .raw_header(header(named("List-Id"), &format!("<tender-alerts.{}>", self.domain())))
            .raw_header(header(named("List-Unsubscribe"), &format!("<{}>", digest.unsubscribe)))
            .raw_header(header(named("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click"))
            .raw_header(header(named("Auto-Submitted"), "auto-generated"))
            .raw_header(header(named("Precedence"), "bulk"))
            .multipart(parts)
            .context("putting the message together")?;
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

fn signer(file: &DkimFile, sender: &str) -> anyhow::Result<DkimConfig> {
    let place = file.key.display();
    let text = std::fs::read_to_string(file.key).with_context(|| format!("reading the DKIM key {place}"))?;
    let domain = file.domain.unwrap_or(sender);
    if !is_within(sender, domain) {
        log::warn!("mail from {sender} signed by {domain}: receivers that ask for DMARC will not count the signature");
    }
    let key = signing_key(&text).with_context(|| format!("the DKIM key {place} cannot be used"))?;
    let relaxed = DkimCanonicalization {
        header: DkimCanonicalizationType::Relaxed,
        body: DkimCanonicalizationType::Relaxed,
    };
    Ok(DkimConfig::new(
        file.selector.to_owned(),
        domain.to_owned(),
        key,
        SIGNED.to_vec(),
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
        "it is no private key in PEM; `openssl genrsa -traditional -out FILE 2048` makes one"
    );
    let body: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    let der = STANDARD.decode(body.trim()).context("it is damaged")?;
    let seed = der.strip_prefix(&ED25519_HEAD).filter(|seed| seed.len() == 32);
    let seed = seed.context(
        "an RSA key must be in the traditional form; `openssl rsa -traditional -in FILE -out FILE` makes it so",
    )?;
    Ok(DkimSigningKey::new(
        &STANDARD.encode(seed),
        DkimSigningAlgorithm::Ed25519,
    )?)
}

fn is_within(domain: &str, other: &str) -> bool {
    let is_below = |domain: &str, of: &str| domain == of || domain.ends_with(&format!(".{of}"));
    is_below(domain, other) || is_below(other, domain)
}
