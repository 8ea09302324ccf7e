//! The page that the links of mails open: English and French, without scripts.
//!
//! It holds none of the subscriber's words, and changes nothing by itself; its buttons send a form.

use actix_web::http::{
    StatusCode,
    header::{self, HeaderName, HeaderValue},
};
use html_escape::encode_quoted_attribute as escape;

use crate::{http::work::Reply, state::confirmation_mails::MailSender};

/// What the page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfirmationPage {
    /// A button that confirms, and one that leads to declining.
    AskConfirm,
    Confirmed,
    /// A button that declines.
    AskDecline,
    Declined,
    /// The link does not work, or no longer.
    Expired,
    /// The alerts of the link of a digest have ended.
    Unsubscribed,
    /// No alert has the link of a digest.
    NoSubscription,
}

/// The texts of a page in one language.
struct Texts {
    title: &'static str,
    paragraphs: &'static [&'static str],
    /// The button, and the last part of the address that it sends to.
    button: Option<(&'static str, &'static str)>,
    /// The text of a link to the other page.
    decline: Option<&'static str>,
}

impl Texts {
    /// A page that asks nothing.
    const fn new(title: &'static str, paragraphs: &'static [&'static str]) -> Texts {
        Texts {
            title,
            paragraphs,
            button: None,
            decline: None,
        }
    }
}

const PAGE: &str = include_str!("confirmation_page.html");

/// [`POLICY`] names its hash.
const STYLE: &str = ":root{color-scheme:light dark}body{max-width:36em;margin:2em auto;padding:0 1em;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}section+section{margin-top:3em;border-top:1px solid}button{font:inherit;padding:.5em 1em}small{display:block;margin-top:2em}";

/// Nothing is loaded, no script runs, no other site can frame the page, and its forms go to this server only.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'sha256-YzXleIjg/rJECJArp4SXgsxwFCg9xb6XrDJkIv0vuZ8='; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'",
);

const CONFIRM: &str = "confirm";
const DECLINE: &str = "decline";

impl ConfirmationPage {
    /// The page for the holder of a token. A text of the client is in it only if the token is known.
    pub(super) fn reply(self, token: &str, sender: Option<&MailSender>) -> Reply {
        let (english, french) = (self.english(), self.french());
        let mut sections = section(("en", "Sender: "), &english, token, sender);
        sections.push_str(&section(("fr", "Expéditeur\u{a0}: "), &french, token, sender));
        let title = format!("{} / {}", english.title, french.title);
        let page = PAGE
            .replace("{language}", "en")
            .replace("{title}", &escape(&title))
            .replace("{style}", STYLE)
            .replace("{sections}", &sections);
        let status = match self {
            ConfirmationPage::Expired | ConfirmationPage::NoSubscription => StatusCode::NOT_FOUND,
            _ => StatusCode::OK,
        };
        Reply::from(bytes::Bytes::from(page))
            .with_headers(headers().into())
            .with_status(status)
    }

    fn english(self) -> Texts {
        match self {
            ConfirmationPage::AskConfirm => Texts {
                title: "Receive alerts about public tenders?",
                paragraphs: &[
                    "Alerts about new public tenders were requested for your address. You would get at most about one mail a day \
                     from the sender below. Each mail has links that end the alerts.",
                    "If you did not ask for this, close this page: without your confirmation, no alert is sent.",
                ],
                button: Some(("Yes, send me alerts", CONFIRM)),
                decline: Some("Receive no further mail"),
            },
            ConfirmationPage::Confirmed => Texts::new(
                "You receive alerts about public tenders",
                &["The next mail comes when there is a new tender for you. Each mail has links that end the alerts."],
            ),
            ConfirmationPage::AskDecline => Texts {
                title: "Receive no further mail?",
                paragraphs: &[
                    "All alerts to your address end, and this service no longer asks your address to confirm alerts.",
                ],
                button: Some(("Yes, send me no further mail", DECLINE)),
                decline: None,
            },
            ConfirmationPage::Declined => Texts::new(
                "You receive no further mail",
                &[
                    "All alerts to your address have ended, and this service no longer asks your address to confirm alerts. \
                     To allow it again, write to the sender.",
                ],
            ),
            ConfirmationPage::Expired => Texts::new(
                "This link does not work",
                &[
                    "It works for 7 days, and only as a whole. Copy the whole link from the mail, or ask for the alerts again.",
                ],
            ),
            ConfirmationPage::Unsubscribed => Texts::new(
                "Your alerts have ended",
                &["The alerts of this link have ended, and no further mail is sent for them."],
            ),
            ConfirmationPage::NoSubscription => Texts::new(
                "This link does not work",
                &["It works only as a whole, and no alert has ended. Copy the whole link from the mail."],
            ),
        }
    }

    fn french(self) -> Texts {
        match self {
            ConfirmationPage::AskConfirm => Texts {
                title: "Recevoir des alertes sur les appels d’offres publics\u{a0}?",
                paragraphs: &[
                    "Des alertes sur les nouveaux appels d’offres publics ont été demandées pour votre adresse. Vous recevriez au plus \
                     environ un courriel par jour de l’expéditeur ci-dessous. Chaque courriel contient des liens qui mettent fin aux alertes.",
                    "Si vous n’avez rien demandé, fermez cette page\u{a0}: sans votre confirmation, aucune alerte n’est envoyée.",
                ],
                button: Some(("Oui, envoyez-moi des alertes", CONFIRM)),
                decline: Some("Ne plus recevoir de courriels"),
            },
            ConfirmationPage::Confirmed => Texts::new(
                "Vous recevez des alertes sur les appels d’offres publics",
                &[
                    "Le prochain courriel arrivera dès qu’un nouvel appel d’offres vous concerne. Chaque courriel contient des liens \
                     qui mettent fin aux alertes.",
                ],
            ),
            ConfirmationPage::AskDecline => Texts {
                title: "Ne plus recevoir de courriels\u{a0}?",
                paragraphs: &[
                    "Toutes les alertes à votre adresse prennent fin, et ce service ne demande plus à votre adresse de confirmer des alertes.",
                ],
                button: Some(("Oui, ne m’envoyez plus de courriels", DECLINE)),
                decline: None,
            },
            ConfirmationPage::Declined => Texts::new(
                "Vous ne recevez plus de courriels",
                &[
                    "Toutes les alertes à votre adresse ont pris fin, et ce service ne demande plus à votre adresse de confirmer des \
                     alertes. Pour l’autoriser de nouveau, écrivez à l’expéditeur.",
                ],
            ),
            ConfirmationPage::Expired => Texts::new(
                "Ce lien ne fonctionne pas",
                &[
                    "Il fonctionne pendant 7 jours, et seulement en entier. Copiez tout le lien du courriel, ou demandez de nouveau les alertes.",
                ],
            ),
            ConfirmationPage::Unsubscribed => Texts::new(
                "Vos alertes ont pris fin",
                &["Les alertes de ce lien ont pris fin, et aucun autre courriel n’est envoyé pour elles."],
            ),
            ConfirmationPage::NoSubscription => Texts::new(
                "Ce lien ne fonctionne pas",
                &["Il ne fonctionne qu’en entier, et aucune alerte n’a pris fin. Copiez tout le lien du courriel."],
            ),
        }
    }
}

/// The page in one language. `sent_by` is the label of the sender.
fn section((language, sent_by): (&str, &str), texts: &Texts, token: &str, sender: Option<&MailSender>) -> String {
    let mut html = format!("<section lang=\"{language}\">\n<h1>{}</h1>\n", escape(texts.title));
    for paragraph in texts.paragraphs {
        html.push_str(&format!("<p>{}</p>\n", escape(paragraph)));
    }
    // Relative addresses, so that they work with a proxy with a path prefix.
    let token = escape(token);
    if let Some((text, action)) = texts.button {
        html.push_str(&format!(
            "<form method=\"post\" action=\"{action}?token={token}\"><button>{}</button></form>\n",
            escape(text)
        ));
    }
    if let Some(text) = texts.decline {
        html.push_str(&format!(
            "<p><a href=\"{DECLINE}?token={token}\">{}</a></p>\n",
            escape(text)
        ));
    }
    if let Some(sender) = sender {
        html.push_str(&format!(
            "<small>{sent_by}{}, {}</small>\n",
            escape(&sender.name),
            escape(&sender.postal)
        ));
    }
    html + "</section>\n"
}

/// The page's address holds a token, so no other site gets it as a referrer.
fn headers() -> [(HeaderName, HeaderValue); 4] {
    [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ]
}

#[cfg(test)]
mod tests {
    use base64::{Engine, engine::general_purpose::STANDARD};
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_policy_allows_the_style_of_the_page() {
        let hash = STANDARD.encode(Sha256::digest(STYLE));
        assert!(POLICY.to_str().unwrap().contains(&format!("'sha256-{hash}'")), "{hash}");
    }

    #[test]
    fn a_page_has_no_script_and_escapes_the_sender() {
        let sender = MailSender {
            name: "<script>\"A\" & B".to_owned(),
            postal: "1 Main <Street>".to_owned(),
        };
        for page in [
            ConfirmationPage::AskConfirm,
            ConfirmationPage::Confirmed,
            ConfirmationPage::AskDecline,
            ConfirmationPage::Declined,
            ConfirmationPage::Expired,
            ConfirmationPage::Unsubscribed,
            ConfirmationPage::NoSubscription,
        ] {
            let reply = page.reply("abc", Some(&sender));
            let html = std::str::from_utf8(&reply.body).unwrap();
            assert!(
                html.contains("&lt;script&gt;&quot;A&quot; &amp; B, 1 Main &lt;Street&gt;"),
                "{html}"
            );
            assert!(!html.contains("<script"), "{html}");
            assert!(!html.replace(STYLE, "").contains('{'), "a placeholder was not replaced");
            assert_eq!(html.matches("<form ").count() % 2, 0, "one in each language");
            assert!(html.contains("lang=\"en\"") && html.contains("lang=\"fr\""));
        }
    }
}
