//! The documents of a notice.

use serde_json::value::RawValue;

use super::{
    member::{Member, Members},
    value::{LabelledValue, Presenter},
    web_address::is_web_address,
};

/// A document as the record lists it.
#[derive(Debug)]
pub(super) struct Document {
    /// The kind of the document, else the end of its address, else its number.
    pub(super) name: String,
    /// The address, if it is one of the web.
    pub(super) href: Option<String>,
    /// What else the record states about it.
    pub(super) rows: Vec<LabelledValue>,
}

/// The field that the list shows.
pub(super) const SHOWN_FIELD: &str = "documents";

/// The list; `None` if the record has none, or not in the form that the list needs.
pub(super) fn documents(presenter: &Presenter, record: &Members) -> Option<Vec<Document>> {
    let Some(Member::List(listed)) = record.get(SHOWN_FIELD) else {
        return None;
    };
    let documents = listed
        .iter()
        .enumerate()
        .map(|(index, raw)| document(presenter, index, raw));
    let documents: Vec<Document> = documents.collect::<Option<_>>()?;
    (!documents.is_empty()).then_some(documents)
}

fn document(presenter: &Presenter, index: usize, raw: &RawValue) -> Option<Document> {
    let Member::Object(members) = Member::of(raw) else {
        return None;
    };
    let url = members.text("url");
    let href = url.clone().filter(|url| is_web_address(url));
    let numbered = || presenter.t.with("record-document-number", &[("number", &(index + 1))]);
    let document_type = members.text("document_type");
    // What neither the name nor the link shows is listed like the other members.
    let is_shown = |name: &str| match name {
        "url" => href.is_some(),
        "document_type" => document_type.is_some(),
        // The list is numbered.
        "doc_index" => true,
        _ => false,
    };
    let rest = Members(members.0.iter().filter(|(name, _)| !is_shown(name)).cloned().collect());
    let rows = presenter.rows(&rest, 1);
    // The codes of OCDS have words; other texts are shown as they are.
    let in_words = |kind: String| {
        if presenter.t.has("record-document-kind-", &kind) {
            presenter.t.keyed("record-document-kind-", &kind)
        } else {
            kind
        }
    };
    let name = document_type.map(in_words).or_else(|| file_name(href.as_deref()?));
    Some(Document {
        name: name.unwrap_or_else(numbered),
        rows,
        href,
    })
}

/// The last part of an address's path.
fn file_name(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let (_, path) = rest.split(['?', '#']).next()?.split_once('/')?;
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{EntityType, Language, Schema},
        pages::messages::Texts,
    };

    fn list(json: &str) -> Option<Vec<Document>> {
        let presenter = Presenter {
            t: Texts::of(Language::English),
            schema: Schema::of(EntityType::Tender),
            currency: "CAD".to_owned(),
            pages: Vec::new(),
            place: None,
        };
        documents(&presenter, &Members::of(json.as_bytes()).unwrap())
    }

    #[test]
    fn a_document_has_a_name_and_a_link() {
        let listed = list(
            r#"{"documents":[{"doc_index":0,"url":"https://example.org/a/b.pdf?c=d/e","language":"en"},
            {"url":"https://example.org","document_type":"tenderNotice"},{"url":"javascript:alert(1)","document_type":"Plan"}]}"#,
        )
        .unwrap();
        let names: Vec<&str> = listed.iter().map(|document| document.name.as_str()).collect();
        assert_eq!(names[2], "Plan");
        assert_eq!(names[..2], ["b.pdf", "Tender notice"]);
        assert!(listed[0].href.is_some() && listed[1].href.is_some());
        assert_eq!(listed[0].rows.len(), 1, "the language");
        assert_eq!(listed[2].href, None);
        assert_eq!(listed[2].rows.len(), 1, "the address as a text");
    }

    #[test]
    fn other_forms_are_not_a_list() {
        for json in [
            "{}",
            r#"{"documents":[]}"#,
            r#"{"documents":["x"]}"#,
            r#"{"documents":{}}"#,
        ] {
            assert!(list(json).is_none(), "{json}");
        }
    }
}
