//! The mail that asks the owner of an address to confirm alerts, as text and HTML.
//!
//! Decision D-166: it holds none of the subscriber's words. It states who asks, what confirming means,
//! that ignoring it is enough, and how to get no further mail. Its links open a page; only a button
//! there changes anything, so a program that opens every link of a mail confirms nothing.

use chrono::{DateTime, Utc};

use crate::{
    alerts::{
        bilingual_texts::bilingual_texts,
        html,
        mail::{Content, Mail, Sender},
        text,
    },
    state::{address_hash::mail_name, confirmation_mails::DueConfirmation, subscription::Locale},
};

/// What a confirmation mail states.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmation {
    /// One or two languages, English first.
    pub locales: Vec<Locale>,
    /// The public address of the service.
    pub service: String,
    /// The link to the page that confirms.
    pub confirm: String,
    /// The link to the page that declines.
    pub decline: String,
    /// The sender's name and e-mail address, as anti-spam law (CASL) requires.
    pub sender: String,
    /// The sender's postal address.
    pub postal: String,
}

bilingual_texts! {
    /// The texts of one language. `{name}` is a placeholder.
    struct Texts;

    subject: &'static str =
        "Confirm alerts about public tenders",
        "Confirmez des alertes sur les appels d’offres publics";
    requested: &'static str =
        "Alerts about new public tenders were requested for this address at {name}.",
        "Des alertes sur les nouveaux appels d’offres publics ont été demandées pour cette adresse auprès de {name}.";
    /// Before the link that confirms.
    confirm: &'static str =
        "To receive them, open this page and press the button:",
        "Pour les recevoir, ouvrez cette page et appuyez sur le bouton\u{a0}:";
    meaning: &'static str =
        "You would get at most about one mail a day. Each has links that end the alerts.",
        "Vous recevriez au plus environ un courriel par jour. Chacun contient des liens qui mettent fin aux alertes.";
    ignore: &'static str =
        "If you did not ask for this, ignore this mail: without your confirmation, no alert is sent. The link works for 7 days.",
        "Si vous n’avez rien demandé, ignorez ce courriel\u{a0}: sans votre confirmation, aucune alerte n’est envoyée. Le lien fonctionne pendant 7 jours.";
    /// Before the link that declines.
    decline: &'static str =
        "To get no further mail from this service, not even such a request, open this page and press the button:",
        "Pour ne plus recevoir aucun courriel de ce service, pas même une telle demande, ouvrez cette page et appuyez sur le bouton\u{a0}:";
    sent_by: &'static str = "Sent by {name}", "Envoyé par {name}";
}

/// The mail to an address.
pub(crate) fn compose(due: &DueConfirmation, sender: &Sender, now: DateTime<Utc>) -> anyhow::Result<Mail> {
    let confirmation = Confirmation::new(due, sender);
    // The same request on the same day is the same mail, also after a failed attempt.
    let name = format!("confirmation {} {}", due.token, now.date_naive());
    let name = mail_name(&[due.address.with_tender(&name)]);
    sender.message(&due.email, &confirmation.content(), &name, now)
}

impl Confirmation {
    pub(crate) fn new(due: &DueConfirmation, sender: &Sender) -> Confirmation {
        Confirmation {
            locales: due.locales.clone(),
            service: sender.public_url.clone(),
            confirm: sender.confirm_link(&due.token),
            decline: sender.decline_link(&due.token),
            sender: sender.signature.clone(),
            postal: sender.postal.clone(),
        }
    }

    pub fn content(&self) -> Content {
        let codes: Vec<&str> = self.locales.iter().map(|locale| locale.name()).collect();
        Content {
            subject: self.subject(),
            languages: codes.join(", "),
            text: self.text(),
            html: self.html(),
            unsubscribe: self.decline.clone(),
        }
    }

    fn subject(&self) -> String {
        let subjects: Vec<&str> = self.locales.iter().map(|locale| Texts::of(*locale).subject).collect();
        subjects.join(" / ")
    }

    pub fn text(&self) -> String {
        let mut mail = String::new();
        for (number, locale) in self.locales.iter().enumerate() {
            let texts = Texts::of(*locale);
            if number > 0 {
                mail.push_str(&format!("\n\n{}\n\n", text::PART_RULE));
            }
            let requested = texts.requested.replace("{name}", &self.service);
            mail.push_str(&text::wrapped(&requested, "", ""));
            mail.push_str(&format!("\n{}{}\n", text::wrapped(texts.confirm, "", ""), self.confirm));
            for paragraph in [texts.meaning, texts.ignore] {
                mail.push_str(&format!("\n{}", text::wrapped(paragraph, "", "")));
            }
            mail.push_str(&format!("\n{}{}\n", text::wrapped(texts.decline, "", ""), self.decline));
            mail.push_str(&format!("\n{}", text::wrapped(&self.sent_by(texts), "", "")));
        }
        mail
    }

    pub fn html(&self) -> String {
        let mut body = String::new();
        for (number, locale) in self.locales.iter().enumerate() {
            let texts = Texts::of(*locale);
            let mut part = html::heading(texts.subject);
            part.push_str(&html::line(&texts.requested.replace("{name}", &self.service)));
            part.push_str(&html::line_with_link(texts.confirm, &self.confirm));
            part.push_str(&html::line(texts.meaning));
            part.push_str(&html::line(texts.ignore));
            part.push_str(&html::line_with_link(texts.decline, &self.decline));
            part.push_str(&html::quiet(&self.sent_by(texts)));
            body.push_str(&html::part(locale.name(), number > 0, &part));
        }
        let language = self.locales.first().map_or("en", |locale| locale.name());
        html::document(language, &self.subject(), &body)
    }

    fn sent_by(&self, texts: &Texts) -> String {
        let sender = format!("{}, {}", self.sender, self.postal);
        texts.sent_by.replace("{name}", &sender)
    }
}
