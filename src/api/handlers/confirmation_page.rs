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
    sent_by: &'static str,
}

impl Texts {
    /// Without a text but the label of the sender.
    const fn sent_by(sent_by: &'static str) -> Texts {
        Texts {
            title: "",
            paragraphs: &[],
            button: None,
            decline: None,
            sent_by,
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
        let mut sections = section("en", &english, token, sender);
        sections.push_str(&section("fr", &french, token, sender));
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
                ..Texts::sent_by("Sender: ")
            },
            ConfirmationPage::Confirmed => Texts {
                title: "You receive alerts about public tenders",
                paragraphs: &[
                    "The next mail comes when there is a new tender for you. Each mail has links that end the alerts.",
                ],
                ..Texts::sent_by("Sender: ")
            },
            ConfirmationPage::AskDecline => Texts {
                title: "Receive no further mail?",
                paragraphs: &[
                    "All alerts to your address end, and this service no longer asks your address to confirm alerts.",
                ],
                button: Some(("Yes, send me no further mail", DECLINE)),
                ..Texts::sent_by("Sender: ")
            },
            ConfirmationPage::Declined => Texts {
                title: "You receive no further mail",
                paragraphs: &[
                    "All alerts to your address have ended, and this service no longer asks your address to confirm alerts. \
                     To allow it again, write to the sender.",
                ],
                ..Texts::sent_by("Sender: ")
            },
            ConfirmationPage::Expired => Texts {
                title: "This link does not work",
                paragraphs: &[
                    "It works for 7 days, and only as a whole. Copy the whole link from the mail, or ask for the alerts again.",
                ],
                ..Texts::sent_by("Sender: ")
            },
            ConfirmationPage::Unsubscribed => Texts {
                title: "Your alerts have ended",
                paragraphs: &["The alerts of this link have ended, and no further mail is sent for them."],
                ..Texts::sent_by("Sender: ")
            },
            ConfirmationPage::NoSubscription => Texts {
                title: "This link does not work",
                paragraphs: &["It works only as a whole, and no alert has ended. Copy the whole link from the mail."],
                ..Texts::sent_by("Sender: ")
            },
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
                ..Texts::sent_by("Expéditeur\u{a0}: ")
            },
            ConfirmationPage::Confirmed => Texts {
                title: "Vous recevez des alertes sur les appels d’offres publics",
                paragraphs: &[
                    "Le prochain courriel arrivera dès qu’un nouvel appel d’offres vous concerne. Chaque courriel contient des liens \
                     qui mettent fin aux alertes.",
                ],
                ..Texts::sent_by("Expéditeur\u{a0}: ")
            },
            ConfirmationPage::AskDecline => Texts {
                title: "Ne plus recevoir de courriels\u{a0}?",
                paragraphs: &[
                    "Toutes les alertes à votre adresse prennent fin, et ce service ne demande plus à votre adresse de confirmer des alertes.",
                ],
                button: Some(("Oui, ne m’envoyez plus de courriels", DECLINE)),
                ..Texts::sent_by("Expéditeur\u{a0}: ")
            },
            ConfirmationPage::Declined => Texts {
                title: "Vous ne recevez plus de courriels",
                paragraphs: &[
                    "Toutes les alertes à votre adresse ont pris fin, et ce service ne demande plus à votre adresse de confirmer des \
                     alertes. Pour l’autoriser de nouveau, écrivez à l’expéditeur.",
                ],
                ..Texts::sent_by("Expéditeur\u{a0}: ")
            },
            ConfirmationPage::Expired => Texts {
                title: "Ce lien ne fonctionne pas",
                paragraphs: &[
                    "Il fonctionne pendant 7 jours, et seulement en entier. Copiez tout le lien du courriel, ou demandez de nouveau les alertes.",
                ],
                ..Texts::sent_by("Expéditeur\u{a0}: ")
            },
            ConfirmationPage::Unsubscribed => Texts {
                title: "Vos alertes ont pris fin",
                paragraphs: &["Les alertes de ce lien ont pris fin, et aucun autre courriel n’est envoyé pour elles."],
                ..Texts::sent_by("Expéditeur\u{a0}: ")
            },
            ConfirmationPage::NoSubscription => Texts {
                title: "Ce lien ne fonctionne pas",
                paragraphs: &[
                    "Il ne fonctionne qu’en entier, et aucune alerte n’a pris fin. Copiez tout le lien du courriel.",
                ],
                ..Texts::sent_by("Expéditeur\u{a0}: ")
            },
        }
    }
}

fn section(language: &str, texts: &Texts, token: &str, sender: Option<&MailSender>) -> String {
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
            "<small>{}{}, {}</small>\n",
            texts.sent_by,
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
