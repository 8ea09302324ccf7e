//! Renders a digest as HTML, and the parts of which any mail consists. Old and new mail clients show
//! it alike: one narrow column, no tables, no images, no external resources, and no colour that needs
//! a white or a black background.

use html_escape::encode_quoted_attribute as escape;

use crate::alerts::{
    digest::{Digest, DigestPart, Listing},
    texts::{DigestTexts, FRENCH_FOLLOWS, subject},
};

/// Mail clients that drop the head still apply the inline styles.
const HEAD: &str = "<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<meta name=\"supported-color-schemes\" content=\"light dark\">
<style>:root { color-scheme: light dark; } @media (prefers-color-scheme: dark) { a { color: #8ab4f8 !important; } }</style>";

const BODY: &str = "margin:0; padding:0; -webkit-text-size-adjust:100%;";
const COLUMN: &str = "max-width:36em; margin:0 auto; padding:16px; font:16px/1.5 -apple-system, 'Segoe UI', Roboto, Helvetica, \
                      Arial, sans-serif; overflow-wrap:anywhere;";
const HEADING: &str = "font-size:20px; line-height:1.3; margin:0 0 16px;";
const SUBHEADING: &str = "font-size:16px; margin:24px 0 8px; padding-top:16px; border-top:1px solid #8888;";
const TITLE: &str = "font-size:17px; line-height:1.35; margin:0; font-weight:600;";
const LISTING: &str = "margin:0 0 20px;";
const LINE: &str = "margin:2px 0 0;";
const PARAGRAPH: &str = "margin:0 0 12px;";
const QUIET: &str = "margin:2px 0 0; font-size:14px; opacity:0.7;";
const SMALL: &str = "margin:0 0 10px; font-size:14px;";
const LINK: &str = "color:#1a5fb4;";
const RULE: &str = "border:0; border-top:3px solid #8888; margin:32px 0;";

pub fn render(digest: &Digest) -> String {
    let language = digest.parts.first().map_or("en", |part| part.locale.name());
    let mut body = String::new();
    for (number, part) in digest.parts.iter().enumerate() {
        let texts = DigestTexts::of(part.locale);
        let mut content = String::new();
        if number == 0 && digest.parts.len() > 1 {
            content.push_str(&format!("<p lang=\"fr\" style=\"{SMALL}\">{FRENCH_FOLLOWS}</p>\n"));
        }
        write_part(&mut content, digest, part, texts);
        body.push_str(&self::part(part.locale.name(), number > 0, &content));
    }
    document(language, &subject(digest), &body)
}

/// A whole mail in a language: its title and its parts.
pub(super) fn document(language: &str, title: &str, parts: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n{HEAD}\n<title>{}</title>\n</head>\n<body style=\"{BODY}\">\n\
         <div style=\"{COLUMN}\">\n{parts}</div>\n</body>\n</html>\n",
        escape(title)
    )
}

/// A part in a language, below a rule if it follows another.
pub(super) fn part(language: &str, has_rule: bool, content: &str) -> String {
    let rule = if has_rule {
        format!("<hr style=\"{RULE}\">\n")
    } else {
        String::new()
    };
    format!("<div lang=\"{language}\">\n{rule}{content}</div>\n")
}

pub(super) fn heading(text: &str) -> String {
    format!("<h1 style=\"{HEADING}\">{}</h1>\n", escape(text))
}

/// A paragraph of a mail without listings.
pub(super) fn line(text: &str) -> String {
    paragraph(PARAGRAPH, text)
}

/// A paragraph with a link below it, which shows its address.
pub(super) fn line_with_link(text: &str, address: &str) -> String {
    format!(
        "<p style=\"{PARAGRAPH}\">{}<br>{}</p>\n",
        escape(text),
        link(address, address)
    )
}

/// A paragraph in small, paler letters.
pub(super) fn quiet(text: &str) -> String {
    paragraph(QUIET, text)
}

fn write_part(html: &mut String, digest: &Digest, part: &DigestPart, texts: &DigestTexts) {
    let heading = texts.matches(part.listings.len());
    html.push_str(&self::heading(&heading));
    for listing in &part.listings {
        write_listing(html, digest, listing, texts);
    }
    if digest.more > 0 {
        html.push_str(&paragraph(LINE, &texts.more(digest.more)));
    }
    html.push_str(&format!("<h2 style=\"{SUBHEADING}\">{}</h2>\n", escape(texts.alerts)));
    for subscription in digest.subscriptions_of(part) {
        let summary = texts.subscription(subscription);
        let stop = link(&subscription.unsubscribe, texts.stop_one);
        html.push_str(&format!("<p style=\"{SMALL}\">{}<br>{stop}</p>\n", escape(&summary)));
    }
    let stop = link(&digest.unsubscribe, texts.stop_all);
    html.push_str(&format!("<p style=\"{SMALL}\">{stop}</p>\n"));
    for sentence in texts.sender(&digest.sender, &digest.postal) {
        html.push_str(&quiet(&sentence));
    }
}

fn write_listing(html: &mut String, digest: &Digest, listing: &Listing, texts: &DigestTexts) {
    let title = texts.title(listing);
    let title = match &listing.link {
        Some(address) => link(address, title),
        None => escape(title).into_owned(),
    };
    html.push_str(&format!(
        "<div style=\"{LISTING}\">\n<h3 style=\"{TITLE}\">{title}</h3>\n"
    ));
    if let Some(buyer) = &listing.buyer {
        html.push_str(&paragraph(LINE, buyer));
    }
    html.push_str(&paragraph(LINE, &texts.closing(listing.closing, digest.today)));
    if let Some(value) = &listing.value {
        html.push_str(&paragraph(LINE, &texts.value(value)));
    }
    if let Some(number) = &listing.number {
        html.push_str(&paragraph(LINE, &texts.number(number)));
    }
    if !listing.matched.is_empty() {
        html.push_str(&paragraph(QUIET, &texts.matched(&listing.matched)));
    }
    html.push_str("</div>\n");
}

fn paragraph(style: &str, text: &str) -> String {
    format!("<p style=\"{style}\">{}</p>\n", escape(text))
}

fn link(address: &str, text: &str) -> String {
    format!("<a href=\"{}\" style=\"{LINK}\">{}</a>", escape(address), escape(text))
}
