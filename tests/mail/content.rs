//! The content of a mail: text and HTML compared with golden files, and the message as an independent
//! parser reads it.

use std::{env, fs, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use mail_parser::{Message, MessageParser};
use procure::{
    alerts::{
        confirmation::Confirmation,
        digest::{Digest, Listing, SubscriptionSummary},
        html,
        mail::{DkimKeyFile, Sender},
        text,
    },
    model::{date::Date, entity_type::EntityType, record::Record, schema::Schema, stem::Language},
    state::subscription::{Frequency, Locale, Subscription},
};
use ring::signature::{ED25519 as ED25519_KEY, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const POSTAL: &str = "1 Sparks Street, Ottawa ON  K1A 0A1";

fn sender(dkim: Option<DkimKeyFile>) -> Sender {
    Sender::new(
        "Alertes d’appels <alerts@example.org>",
        POSTAL,
        "https://tenders.example.org",
        dkim,
    )
    .unwrap()
}

fn subscription(locale: Locale, keywords: &[&str]) -> Subscription {
    Subscription {
        id: 1,
        email: "ann@example.org".to_owned(),
        keywords: keywords.iter().map(|keyword| (*keyword).to_owned()).collect(),
        department: None,
        municipality: None,
        category: None,
        languages: Language::ALL.into(),
        translate: false,
        frequency: Frequency::Daily,
        locale,
        created_at: 0,
    }
}

fn listing(locale: Locale, record: &Value, matched: &[&str]) -> (Locale, Listing) {
    let bytes = record.to_string();
    let record = Record::parse(Schema::of(EntityType::Tender), bytes.as_bytes()).unwrap();
    let matched: Vec<String> = matched.iter().map(|keyword| (*keyword).to_owned()).collect();
    (locale, Listing::new(&record, locale, &matched))
}

fn digest(listings: Vec<(Locale, Listing)>, subscriptions: &[Subscription], more: usize) -> Digest {
    let token = |number: usize| format!("https://tenders.example.org/tender/alerts/unsubscribe?token={number:040}");
    let named = subscriptions.iter().enumerate();
    Digest {
        parts: Digest::parts(listings),
        more,
        subscriptions: named
            .map(|(number, one)| SubscriptionSummary::new(one, &one.keywords, token(number + 1)))
            .collect(),
        unsubscribe: token(0),
        sender: "Alertes d’appels".to_owned(),
        postal: POSTAL.to_owned(),
        today: Date::parse("2026-05-20").unwrap(),
    }
}

fn both_languages() -> Digest {
    let mut of_a_city = subscription(Locale::Fr, &["déneigement", "abat-poussière"]);
    of_a_city.municipality = Some("montreal".to_owned());
    of_a_city.frequency = Frequency::Weekly;
    let mut of_a_department = subscription(Locale::En, &[]);
    of_a_department.department = Some("Public Works".to_owned());
    of_a_department.category = Some("CNST".to_owned());
    let listings = vec![
        listing(
            Locale::En,
            &json!({
                "record_id": "a", "title_en": "Snow removal for federal buildings in the National Capital Region, with ice control ❄️",
                "title_fr": "Déneigement", "buyer_name": "Public Services and Procurement Canada", "closing_date": "2026-06-03",
                "contract_value": 1_234_567.0, "currency": "CAD", "notice_url": "https://notices.example.org/a?x=1&y=2",
            }),
            &["snow removal", "ice"],
        ),
        listing(
            Locale::En,
            &json!({"record_id": "b/2", "title_fr": "Travaux de réfection", "department_en": "National Defence", "closing_date": "2026-05-20", "solicitation_number": "W8484-26"}),
            &[],
        ),
        listing(
            Locale::Fr,
            &json!({
                "record_id": "c", "title_fr": "Déneigement des rues de l’arrondissement de Rosemont–La Petite-Patrie, lots 1 à 3",
                "buyer_name": "Ville de Montréal", "closing_date": "2026-06-01", "contract_value": 980_000.5,
                "notice_url": "https://notices.example.org/c",
            }),
            &["déneigement"],
        ),
        listing(
            Locale::Fr,
            &json!({"record_id": "d", "notice_url": "javascript:alert(1)"}),
            &[],
        ),
    ];
    let english = subscription(Locale::En, &["snow removal", "ice"]);
    digest(listings, &[english, of_a_department, of_a_city], 7)
}

/// Compares with a golden file. `PROCURE_UPDATE_GOLDEN=1` writes the file; review its diff.
fn compare(name: &str, written: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if env::var_os("PROCURE_UPDATE_GOLDEN").is_some() {
        fs::write(&path, written).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap();
    assert!(
        golden == written,
        "{name} changed; PROCURE_UPDATE_GOLDEN=1 updates it:\n{written}"
    );
}

#[test]
fn a_digest_renders_as_in_the_golden_files() {
    let digest = both_languages();
    let text = text::render(&digest);
    for line in text.lines().filter(|line| !line.contains("://")) {
        assert!(line.chars().count() <= 72, "{line}");
    }
    compare("digest.txt", &text);
    compare("digest.html", &html::render(&digest));
}

#[test]
fn a_confirmation_mail_renders_as_in_the_golden_files() {
    let link = |name: &str| format!("https://tenders.example.org/tender/alerts/{name}?token={:040}", 0);
    let confirmation = Confirmation {
        locales: Locale::ALL.into(),
        service: "https://tenders.example.org".to_owned(),
        confirm: link("confirm"),
        decline: link("decline"),
        sender: "Alertes d’appels (alerts@example.org)".to_owned(),
        postal: POSTAL.to_owned(),
    };
    let text = confirmation.text();
    for line in text.lines().filter(|line| !line.contains("://")) {
        assert!(line.chars().count() <= 72, "{line}");
    }
    compare("confirmation.txt", &text);
    compare("confirmation.html", &confirmation.html());
    let now: DateTime<Utc> = "2026-05-20T12:00:00Z".parse().unwrap();
    let content = confirmation.content();
    let mail = sender(None).message("ann@example.org", &content, "0123456789abcdef", now);
    let bytes = mail.unwrap().bytes;
    let message = MessageParser::default().parse(&bytes).unwrap();
    assert_eq!(message.subject(), Some(content.subject.as_str()));
    assert_eq!(header(&message, "List-Unsubscribe"), format!("<{}>", link("decline")));
    assert_eq!(message.body_text(0).unwrap().replace("\r\n", "\n"), text);
}

fn mail(to: &str, digest: &Digest, dkim: Option<DkimKeyFile>) -> Vec<u8> {
    let now: DateTime<Utc> = "2026-05-20T12:00:00Z".parse().unwrap();
    sender(dkim).encode(to, digest, "0123456789abcdef", now).unwrap().bytes
}

fn header<'a>(message: &'a Message, name: &'static str) -> &'a str {
    message.header_raw(name).unwrap_or_else(|| panic!("no {name}")).trim()
}

#[test]
fn a_message_has_the_headers_of_a_mailing_list() {
    let digest = both_languages();
    let bytes = mail("ann@example.org", &digest, None);
    assert!(bytes.is_ascii() && bytes.split(|b| *b == b'\n').all(|line| line.len() <= 998));
    let message = MessageParser::default().parse(&bytes).unwrap();
    assert_eq!(message.subject(), Some("2 new tenders / 2 nouveaux appels d’offres"));
    let from = message.from().unwrap().first().unwrap();
    assert_eq!(
        (from.name(), from.address()),
        (Some("Alertes d’appels"), Some("alerts@example.org"))
    );
    assert_eq!(
        message.to().unwrap().first().unwrap().address(),
        Some("ann@example.org")
    );
    assert_eq!(message.message_id(), Some("0123456789abcdef@example.org"));
    assert_eq!(message.date().unwrap().to_rfc3339(), "2026-05-20T12:00:00Z");
    for (name, value) in [
        ("List-Unsubscribe", format!("<{}>", digest.unsubscribe).as_str()),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ("List-Id", "<tender-alerts.example.org>"),
        ("Auto-Submitted", "auto-generated"),
        ("Precedence", "bulk"),
        ("Content-Language", "en, fr"),
        ("MIME-Version", "1.0"),
    ] {
        assert_eq!(header(&message, name), value, "{name}");
    }
    assert_eq!(
        (
            message.text_body_count(),
            message.html_body_count(),
            message.attachment_count()
        ),
        (1, 1, 0)
    );
    // Accents and the emoji with its variation selector are unchanged.
    assert_eq!(
        message.body_text(0).unwrap().replace("\r\n", "\n"),
        text::render(&digest)
    );
    assert_eq!(
        message.body_html(0).unwrap().replace("\r\n", "\n"),
        html::render(&digest)
    );
    assert!(message.body_text(0).unwrap().contains("ice control ❄️"));
}

#[test]
fn foreign_texts_cannot_inject_headers_parts_or_markup() {
    let evil = "Snow\r\nBcc: eve@example.org\r\n\r\n<script>alert(1)</script>\u{202e}\u{0}</title>\"'&amp; 🛷 été \r\n--=_0123456789abcdef--\r\n";
    let record = json!({
        "record_id": "a\r\nX: 1", "title_en": evil, "buyer_name": evil, "closing_date": "2026-06-01",
        "notice_url": "https://x.example.org/\"onclick=\"alert(1)",
    });
    let clean = digest(
        vec![listing(
            Locale::En,
            &json!({"record_id": "a", "title_en": "Snow", "closing_date": "2026-06-01"}),
            &["snow"],
        )],
        &[subscription(Locale::En, &["snow"])],
        0,
    );
    let mut wanted = subscription(Locale::En, &[evil]);
    wanted.department = Some(evil.to_owned());
    let digest = digest(vec![listing(Locale::En, &record, &[evil])], &[wanted], 0);
    let names = |bytes: &[u8]| -> Vec<String> {
        let message = MessageParser::default().parse(bytes).unwrap();
        assert_eq!((message.parts.len(), message.attachment_count()), (3, 0));
        message
            .headers()
            .iter()
            .map(|header| header.name().to_owned())
            .collect()
    };
    let bytes = mail("ann@example.org", &digest, None);
    assert_eq!(names(&bytes), names(&mail("ann@example.org", &clean, None)));
    let message = MessageParser::default().parse(&bytes).unwrap();
    let subject = message.subject().unwrap();
    assert!(
        subject.starts_with("New tender: Snow Bcc: eve@example.org <script>"),
        "{subject}"
    );
    let html = message.body_html(0).unwrap();
    assert!(
        !html.contains("<script") && !html.contains("onclick=\"") && !html.contains('\u{202e}') && !html.contains('\0')
    );
    assert!(
        html.contains("&lt;script&gt;") && html.contains("&amp;amp; 🛷 été"),
        "{html}"
    );
    assert!(!html.contains("x.example.org"), "an unsafe link is left out");
    let now = Utc::now();
    for to in [
        "ann@example.org\r\nBcc: eve@example.org",
        "ann@example.org>\r\nRCPT TO:<eve@example.org",
        "",
        "ann",
    ] {
        assert!(sender(None).encode(to, &digest, "x", now).is_err(), "{to:?}");
    }
}

/// An Ed25519 key as `openssl genpkey -algorithm ed25519` writes it.
const ED25519: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n-----END PRIVATE KEY-----\n";

/// Whether the DKIM signature verifies (RFC 6376, both canonicalizations relaxed) with the public key of
/// [`ED25519`]. Every header that `h=` names must be present.
fn is_signed(message: &[u8]) -> bool {
    let text = std::str::from_utf8(message).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let relaxed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
    let headers: Vec<(String, String)> = unfolded
        .split("\r\n")
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), relaxed(value)))
        .collect();
    let value = |name: &str| {
        &headers
            .iter()
            .find(|(known, _)| known == name)
            .unwrap_or_else(|| panic!("no {name}"))
            .1
    };
    let signature = value("dkim-signature");
    let tag = |name: &str| {
        let mut tags = signature.split("; ").filter_map(|tag| tag.split_once('='));
        tags.find(|(known, _)| *known == name).unwrap().1.to_owned()
    };
    let lines: Vec<String> = body
        .split("\r\n")
        .map(|line| {
            let indent = if line.starts_with(' ') { " " } else { "" };
            format!("{indent}{}", relaxed(line)).trim_end().to_owned()
        })
        .collect();
    let body = format!("{}\r\n", lines.join("\r\n").trim_end_matches("\r\n"));
    if STANDARD.encode(Sha256::digest(body)) != tag("bh") {
        return false;
    }
    let mut signed = String::new();
    for name in tag("h").split(':') {
        signed.push_str(&format!("{name}:{}\r\n", value(name)));
    }
    let unsigned = signature.strip_suffix(&tag("b")).unwrap();
    signed.push_str(&format!("dkim-signature:{}", unsigned.trim_end()));
    let seed: Vec<u8> = (0..32).collect();
    let key = Ed25519KeyPair::from_seed_unchecked(&seed).unwrap();
    let key = UnparsedPublicKey::new(&ED25519_KEY, key.public_key().as_ref().to_vec());
    let signature = STANDARD.decode(tag("b").replace(' ', "")).unwrap();
    key.verify(&Sha256::digest(signed), &signature).is_ok()
}

#[test]
fn a_dkim_signature_covers_the_unsubscribe_headers() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("dkim.pem");
    fs::write(&key, ED25519).unwrap();
    let file = DkimKeyFile {
        key: &key,
        selector: "s1",
        domain: None,
    };
    let bytes = mail("ann@example.org", &both_languages(), Some(file));
    let message = MessageParser::default().parse(&bytes).unwrap();
    let signature: String = header(&message, "DKIM-Signature").split_whitespace().collect();
    for part in [
        "a=ed25519-sha256",
        "d=example.org",
        "s=s1",
        "list-unsubscribe:list-unsubscribe-post",
        "from:to:subject:date:message-id",
    ] {
        assert!(signature.contains(part), "{part}: {signature}");
    }
    assert!(is_signed(&bytes));
    let text = String::from_utf8(bytes).unwrap();
    for (what, instead) in [
        ("unsubscribe?token=0", "unsubscribe?token=1"),
        ("One-Click", "Two-Clicks"),
        ("2 new tenders", "3 new tenders"),
        ("National Defence", "National Offence"),
    ] {
        assert!(!is_signed(text.replacen(what, instead, 1).as_bytes()), "{what}");
    }
    for (text, why) in [
        ("not a key", "not a private key in PEM"),
        (
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "openssl rsa -traditional",
        ),
    ] {
        fs::write(&key, text).unwrap();
        let file = DkimKeyFile {
            key: &key,
            selector: "s1",
            domain: None,
        };
        let error = Sender::new("A <a@example.org>", POSTAL, "https://x.org", Some(file)).unwrap_err();
        assert!(format!("{error:#}").contains(why), "{error:#}");
    }
}
