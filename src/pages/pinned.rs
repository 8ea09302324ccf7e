//! Pages of an older generation: all their links stay in it, and a notice says that it is an older one.

use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;
use serde::Serialize;

use crate::{
    http::{
        error::ApiError,
        kept_generations::PARAMETER,
        work::{Job, Reply, SearchJob, Work},
    },
    model::Language,
    pages::messages::Texts,
};

/// The generation that the address of a page asks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Pin {
    id: String,
    /// The notice that it is an older one, if it is; with the same page of the current one.
    notice: Option<String>,
}

/// Where the content of a page begins.
const MAIN: &str = "<main id=\"main\" tabindex=\"-1\">\n";

impl Pin {
    /// `address` is that of the page, without the parameter, and raw. `older` is the day of publication of a generation
    /// that is not the current one.
    pub(crate) fn new(id: &str, older: Option<String>, t: Texts, address: &str) -> Pin {
        let notice = older.map(|date| {
            let (sentence, link) = (t.with("pinned-note", &[("date", &date)]), t.text("pinned-current"));
            let address = address
                .replace('&', "&amp;")
                .replace('"', "%22")
                .replace(['<', '>'], "");
            format!(
                "<div class=\"notice\" role=\"note\"><p>{sentence} <a href=\"{address}\" rel=\"nofollow\">{link}</a></p></div>\n"
            )
        });
        Pin {
            id: id.to_owned(),
            notice,
        }
    }

    /// The address with the parameter. `and` is how a further parameter is joined: in HTML, `&amp;`.
    pub(crate) fn keep(&self, address: &str, and: &str) -> String {
        let (address, fragment) = match address.split_once('#') {
            // A numeric character reference is no fragment.
            Some((address, fragment)) if !address.ends_with('&') => (address, format!("#{fragment}")),
            _ => (address, String::new()),
        };
        let joined = if address.contains('?') { and } else { "?" };
        format!("{address}{joined}{PARAMETER}={}{fragment}", self.id)
    }

    /// This work, whose page keeps to the generation.
    pub(crate) fn hold(self, work: Work) -> Work {
        let job = match work.job {
            Job::Ready(reply) => Job::Ready(self.held(reply)),
            Job::Search(search) => Job::Search(self.held_later(search)),
            Job::Inline(search) => Job::Inline(self.held_later(search)),
            Job::Parts { parts, join } => Job::Parts {
                parts,
                join: self.held_later(join),
            },
            other => other,
        };
        Work { job, ..work }
    }

    fn held_later(self, search: SearchJob) -> SearchJob {
        Box::new(move |deadline| Ok::<Reply, ApiError>(self.held(search(deadline)?)))
    }

    fn held(&self, mut reply: Reply) -> Reply {
        for (name, value) in &mut reply.headers {
            let kept = value.to_str().ok().filter(|_| *name == header::LOCATION);
            if let Some(Ok(kept)) = kept.map(|address| HeaderValue::from_str(&self.keep(address, "&"))) {
                *value = kept;
            }
        }
        let is_page = reply
            .headers
            .iter()
            .any(|(name, value)| *name == header::CONTENT_TYPE && value.as_bytes().starts_with(b"text/html"));
        if let Ok(html) = std::str::from_utf8(&reply.body)
            && is_page
        {
            let mut html = self.with_links(html);
            if let Some(notice) = &self.notice {
                html = html.replacen(MAIN, &format!("{MAIN}{notice}"), 1);
            }
            reply.body = Bytes::from(html);
        }
        reply
    }

    /// The page with the parameter in its links and forms that lead to pages of this site.
    fn with_links(&self, html: &str) -> String {
        let mut kept = String::with_capacity(html.len() + html.len() / 8);
        let mut rest = html;
        while let Some(at) = rest.find("=\"/") {
            let (before, value) = (&rest[..at], &rest[at + 2..]);
            let end = value.find('"').unwrap_or(value.len());
            let address = &value[..end];
            kept.push_str(before);
            kept.push_str("=\"");
            rest = &value[end..];
            if before.ends_with("href") && is_page(address) {
                kept.push_str(&self.keep(address, "&amp;"));
                continue;
            }
            kept.push_str(address);
            let is_form = before.ends_with("action") && is_page(address);
            let tag_end = rest.find('>').filter(|_| is_form);
            if let Some(tag_end) = tag_end {
                let tag = &rest[..tag_end];
                kept.push_str(tag);
                kept.push('>');
                let begun = before.rfind('<').map_or("", |at| &before[at..]);
                if ![begun, tag].iter().any(|part| part.contains("method=\"post\"")) {
                    kept.push_str(&format!(
                        "<input type=\"hidden\" name=\"{PARAMETER}\" value=\"{}\">",
                        self.id
                    ));
                }
                rest = &rest[tag_end + 1..];
            }
        }
        kept.push_str(rest);
        kept
    }
}

/// Whether a path is that of a page, in either language.
fn is_page(address: &str) -> bool {
    Language::ALL.into_iter().any(|language| {
        let rest = address
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(language.code()));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_forms_of_pages_keep_the_generation() {
        let pin = Pin {
            id: "20260131T235959123Z".to_owned(),
            notice: None,
        };
        for (html, kept) in [
            ("<a href=\"/en\">", "<a href=\"/en?generation=ID\">"),
            (
                "<a href=\"/fr/search?q=a&#38;kind=b\">",
                "<a href=\"/fr/search?q=a&#38;kind=b&amp;generation=ID\">",
            ),
            (
                "<a href=\"/en/vendor/a#years\">",
                "<a href=\"/en/vendor/a?generation=ID#years\">",
            ),
            ("<a href=\"/docs\"><link href=\"/assets/en\"><a href=\"/english\">", ""),
            ("<a href=\"https://example.org/en\"> = \"/en", ""),
            ("<a class=\"/en\">", ""),
            (
                "<form class=\"x\" action=\"/en/search\" role=\"search\"><b>",
                "<form class=\"x\" action=\"/en/search\" role=\"search\"><input type=\"hidden\" name=\"generation\" value=\"ID\"><b>",
            ),
            ("<form action=\"/en/feed\" method=\"post\">", ""),
        ] {
            let expected = if kept.is_empty() { html } else { kept };
            assert_eq!(pin.with_links(html), expected.replace("ID", &pin.id));
        }
    }
}
