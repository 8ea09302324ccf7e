//! The file list of a CKAN portal: the response to `package_show`. Each file gets a name for the
//! disk.

use std::{collections::HashMap, fs::File, io::BufReader, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::published_sources::FileFormat;

/// Longer names are cut. File systems allow 255 bytes, and the suffixes of the work folder add a
/// few.
const MAX_NAME_LENGTH: usize = 200;

/// Maximum length of a file list in bytes. The longest one today has under 1 MiB.
pub(crate) const MAX_LIST_BYTES: u64 = 64 << 20;

#[derive(Debug)]
pub(crate) struct FileList {
    pub(crate) resources: Vec<Resource>,
    /// Number of listed files that have another format or are copies.
    left_out: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) format: FileFormat,
}

impl FileList {
    pub(crate) fn note(&self) -> Option<String> {
        if self.left_out == 0 {
            return None;
        }
        let all = self.left_out + self.resources.len();
        Some(format!(
            "{} of {all} listed files are left out: they have another format or are copies",
            self.left_out
        ))
    }
}

#[derive(Deserialize)]
struct PackageShow {
    result: Package,
}

#[derive(Deserialize)]
struct Package {
    resources: Vec<ListedResource>,
}

#[derive(Deserialize)]
struct ListedResource {
    id: String,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    format: Option<String>,
    /// Toronto's mark for a copy of another resource: `true` or `"True"`.
    #[serde(default)]
    is_datastore_cache_file: Value,
}

impl ListedResource {
    fn is_copy(&self) -> bool {
        let text = self.is_datastore_cache_file.as_str().unwrap_or_default();
        self.is_datastore_cache_file == true || text.eq_ignore_ascii_case("true")
    }

    /// The format by the address's extension, else by the `format` that the publisher typed. The
    /// extension is more reliable: zipped XML may have the format "XML".
    fn format(&self, url: &str, wanted: &[FileFormat]) -> Option<FileFormat> {
        let stated = self.format.as_deref().unwrap_or_default().trim();
        let find = |name: &str| {
            wanted
                .iter()
                .copied()
                .find(|format| name.eq_ignore_ascii_case(format.name()))
        };
        let path = url.split(['?', '#']).next().unwrap_or_default();
        find(path.rsplit('.').next().unwrap_or_default()).or_else(|| find(stated))
    }
}

/// Reads a downloaded response. It is an error if it lists no file of a wanted format.
pub(crate) fn read(path: &Path, wanted: &[FileFormat]) -> Result<FileList> {
    let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
    let answer: PackageShow = serde_json::from_reader(BufReader::new(file))
        .context("the portal's response lists no files; the data set may have moved")?;
    let listed = answer.result.resources;
    let all = listed.len();
    let mut found: Vec<(ListedResource, String, FileFormat)> = Vec::new();
    for mut resource in listed {
        let url = resource.url.take().filter(|url| url.starts_with("http"));
        let Some(url) = url else { continue };
        if resource.is_copy() {
            continue;
        }
        if let Some(format) = resource.format(&url, wanted) {
            found.push((resource, url, format));
        }
    }
    ensure!(
        !found.is_empty(),
        "the portal lists no file of a wanted format; the data set may have moved"
    );
    let names: Vec<String> = found
        .iter()
        .map(|(listed, url, format)| plain_name(listed, url, *format))
        .collect();
    // Portals list one file name for two resources with different contents. Some file systems do
    // not distinguish case.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for name in &names {
        *seen.entry(name.to_lowercase()).or_default() += 1;
    }
    let resources = found.into_iter().zip(names).map(|((listed, url, format), name)| {
        let name = match seen.get(&name.to_lowercase()) {
            Some(1) | None => name,
            Some(_) => with_id(&name, &listed.id),
        };
        Resource { name, url, format }
    });
    let resources: Vec<Resource> = resources.collect();
    Ok(FileList {
        left_out: all - resources.len(),
        resources,
    })
}

/// The file name of a resource's address. The address of a data store's export has none; then it is
/// the resource's name.
fn plain_name(listed: &ListedResource, url: &str, format: FileFormat) -> String {
    let name = file_name(url);
    if name.contains('.') {
        return name;
    }
    let stated = listed.name.as_deref().filter(|name| !name.trim().is_empty());
    let name = clean(stated.unwrap_or(&name));
    let extension = format!(".{}", format.name().to_lowercase());
    if name.to_lowercase().ends_with(&extension) {
        name
    } else {
        name + &extension
    }
}

fn with_id(name: &str, id: &str) -> String {
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    clean(&format!("{stem}-{id}.{end}"))
}

/// The name on disk of an address's file: its last segment, or the data set of a `package_show`
/// call.
pub(crate) fn file_name(url: &str) -> String {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let name = path.rsplit('/').next().unwrap_or_default();
    match query.split_once("id=") {
        Some((_, id)) if name == "package_show" => clean(&format!("{id}.catalogue.json")),
        _ => clean(name),
    }
}

/// A name of characters that all file systems allow. It is never hidden or empty, and never leads
/// out of its folder.
fn clean(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = name.trim().trim_start_matches('.').chars().map(plain).collect();
    let cut = name.len().saturating_sub(MAX_NAME_LENGTH);
    // Keep the end, which has the extension.
    match name.get(cut..).map(|end| end.trim_start_matches('.')) {
        Some("") | None => "file".to_owned(),
        Some(end) => end.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn file_list(answer: &str, wanted: &[FileFormat]) -> Result<FileList> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer");
        fs::write(&path, answer).unwrap();
        read(&path, wanted)
    }

    fn names(answer: &str, wanted: &[FileFormat]) -> Vec<String> {
        let resources = file_list(answer, wanted).unwrap().resources;
        resources.into_iter().map(|resource| resource.name).collect()
    }

    #[test]
    fn a_name_that_is_listed_twice_gets_the_resource_id() {
        let answer = r#"{"success": true, "result": {"resources": [
            {"id": "1a", "format": "JSON", "url": "https://x/1a/download/hebdo_1.json"},
            {"id": "2b", "format": "JSON", "url": "https://x/2b/download/hebdo_2.json"},
            {"id": "3c", "format": "json", "url": "https://x/3c/download/HEBDO_1.json"},
            {"id": "4d", "format": "PDF", "url": "https://x/4d/download/manual.pdf"},
            {"id": "5e", "format": "XML", "url": "https://x/5e/download/2009.zip"},
            {"id": "6f", "format": "JSON", "url": null}]}}"#;
        assert_eq!(
            names(answer, &[FileFormat::Json]),
            ["hebdo_1-1a.json", "hebdo_2.json", "HEBDO_1-3c.json"]
        );
        let zips = file_list(answer, &[FileFormat::Zip, FileFormat::Xml]).unwrap();
        assert_eq!(zips.resources[0].format, FileFormat::Zip);
        assert_eq!(
            zips.note().unwrap(),
            "5 of 6 listed files are left out: they have another format or are copies"
        );
    }

    #[test]
    fn an_export_of_a_data_store_has_the_resource_name_and_its_copies_are_left_out() {
        let answer = r#"{"result": {"resources": [
            {"id": "1", "name": "Awarded Contracts", "format": "CSV", "url": "https://x/datastore/dump/1", "is_datastore_cache_file": "False"},
            {"id": "2", "name": "Awarded Contracts.csv", "format": "CSV", "url": "https://x/2/download/a.csv", "is_datastore_cache_file": "True"},
            {"id": "3", "name": "Awarded Contracts.csv", "format": "CSV", "url": "https://x/3/download/a.csv", "is_datastore_cache_file": true}]}}"#;
        assert_eq!(names(answer, &[FileFormat::Csv]), ["Awarded_Contracts.csv"]);
    }

    #[test]
    fn a_list_without_files_is_an_error() {
        for answer in [
            "",
            "[]",
            "{}",
            r#"{"result": {"resources": []}}"#,
            r#"{"result": {"resources": [{"id": 5}]}}"#,
            r#"{"result": {"resources": [{"id": "1", "format": "CSV", "url": "ftp://x/a.csv"}]}}"#,
        ] {
            let error = format!("{:#}", file_list(answer, &[FileFormat::Csv]).unwrap_err());
            assert!(error.contains("the data set may have moved"), "{answer}: {error}");
        }
    }

    #[test]
    fn every_address_has_a_file_name() {
        for (url, name) in [
            ("https://x/pub/a%20b.csv", "a_20b.csv"),
            ("https://x/rows.csv?accessType=DOWNLOAD", "rows.csv"),
            ("https://x/package_show?id=seao", "seao.catalogue.json"),
            ("https://x/..", "file"),
            ("https://x/.hidden", "hidden"),
            ("", "file"),
        ] {
            assert_eq!(file_name(url), name, "{url}");
        }
    }

    proptest! {
        #[test]
        fn a_name_stays_in_its_folder(url in ".{0,300}") {
            let name = file_name(&url);
            prop_assert!(!name.is_empty() && name.len() <= MAX_NAME_LENGTH && !name.starts_with('.'));
            prop_assert!(!name.contains(['/', '\\', '\0']));
        }
    }
}
