//! The files of the dump that the operator offers: their list on the page of sources, and the files for visitors who
//! are signed in.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    api::export::dump_files::{self, Dump, Resource, dataset},
    http::{error::ApiError, work::Work},
    pages::{
        address, format,
        page::{PageCall, Section},
        paid,
        route::Page,
    },
};

pub(crate) const FILE: Page = Page::named("/{lang}/exports/{file}", file);

/// The files of a dump, as the page of sources shows them.
pub(crate) struct ShownDump {
    /// The generation that the files are of.
    pub(crate) generation: String,
    pub(crate) files: Vec<ShownFile>,
    /// The description as a schema.org dataset, for search engines: JSON that is safe in a script element.
    pub(crate) dataset: Option<String>,
}

pub(crate) struct ShownFile {
    pub(crate) name: String,
    pub(crate) href: String,
    pub(crate) rows: u64,
    /// In millions of bytes.
    pub(crate) megabytes: String,
}

/// The dump that is offered, if there is one.
pub(crate) fn shown(call: &PageCall) -> Option<ShownDump> {
    let folder = call.state.exports.as_deref()?;
    let dump = Dump::read(folder)?;
    let shown = |file: Resource| ShownFile {
        href: address::page(call.lang, &format!("exports/{}", file.path)),
        name: file.path,
        rows: file.rows,
        megabytes: format::decimal(call.lang, file.bytes as f64 / 1e6, 1),
    };
    Some(ShownDump {
        generation: dump.version,
        files: dump.resources.into_iter().map(shown).collect(),
        dataset: script_json(folder, &call.origin),
    })
}

/// The dataset without what only machine learning needs, with whole addresses.
fn script_json(folder: &Path, origin: &str) -> Option<String> {
    let mut dataset = dataset(folder)?;
    let members = dataset.as_object_mut()?;
    for name in ["recordSet", "conformsTo", "citeAs"] {
        members.remove(name);
    }
    members.insert("@context".to_owned(), json!("https://schema.org/"));
    members.insert("@type".to_owned(), json!("Dataset"));
    members.insert("isAccessibleForFree".to_owned(), json!(false));
    for file in members.get_mut("distribution")?.as_array_mut()? {
        let name = file["name"].as_str()?.to_owned();
        file["@type"] = json!("DataDownload");
        file["contentUrl"] = json!(format!("{origin}{}{name}", dump_files::PREFIX));
        file.as_object_mut()?.remove("@id");
    }
    Some(safe_in_script(&dataset))
}

/// JSON in which no text ends the script element, or begins a comment.
fn safe_in_script(value: &Value) -> String {
    let json = value.to_string();
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

fn file(call: &PageCall, name: &str) -> Result<Work, ApiError> {
    if !call.visitor.is_paid() {
        return paid::page(call, Section::Sources, "export");
    }
    dump_files::serve(&call.as_api_call(""), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_the_script() {
        let value = json!({"a": "</script><!-- & \u{2028}"});
        let safe = safe_in_script(&value);
        assert!(!safe.contains(['<', '>', '&']));
        assert_eq!(serde_json::from_str::<Value>(&safe).unwrap(), value);
    }
}
