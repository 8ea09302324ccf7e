//! A CKAN portal's answer to `package_show`: the resources of a data set, each a file under a name of our own.

use std::{collections::HashMap, fs::File, io::BufReader, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::table::Format;

/// A name longer than this is cut; file systems take 255 bytes, and notes add a few.
const LONGEST_NAME: usize = 200;

#[derive(Debug)]
pub struct Catalogue {
    pub resources: Vec<Resource>,
    /// How many of no wanted format there are, or that copy another.
    left_out: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Resource {
    pub name: String,
    pub url: String,
    pub format: Format,
}

impl Catalogue {
    pub fn remark(&self) -> Option<String> {
        let all = self.left_out + self.resources.len();
        (self.left_out > 0).then(|| {
            format!(
                "{} of {all} listed files are left out: of another format, or copies",
                self.left_out
            )
        })
    }
}

#[derive(Deserialize)]
struct Answer {
    result: Package,
}

#[derive(Deserialize)]
struct Package {
    resources: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    format: Option<String>,
    /// Toronto's word for a copy of another resource, as `true` or `"True"`.
    #[serde(default)]
    is_datastore_cache_file: Value,
}

impl Listed {
    fn is_copy(&self) -> bool {
        let text = self.is_datastore_cache_file.as_str().unwrap_or_default();
        self.is_datastore_cache_file == true || text.eq_ignore_ascii_case("true")
    }

    /// What the address ends in tells more than what somebody typed: "XML" may be said of zipped XML.
    fn format(&self, url: &str, wanted: &[Format]) -> Option<Format> {
        let said = self.format.as_deref().unwrap_or_default().trim();
        let is = |word: &str| {
            wanted
                .iter()
                .copied()
                .find(|format| word.eq_ignore_ascii_case(format.name()))
        };
        let path = url.split(['?', '#']).next().unwrap_or_default();
        is(path.rsplit('.').next().unwrap_or_default()).or_else(|| is(said))
    }
}

pub fn read(path: &Path, wanted: &[Format]) -> Result<Catalogue> {
    let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
    let answer: Answer = serde_json::from_reader(BufReader::new(file))
        .context("the catalogue's answer lists no resources; the data set may have moved")?;
    let listed = answer.result.resources;
    let all = listed.len();
    let mut found: Vec<(Listed, String, Format)> = Vec::new();
    for mut resource in listed {
        let url = resource.url.take().filter(|url| url.starts_with("http"));
        let Some(url) = url.filter(|_| !resource.is_copy()) else {
            continue;
        };
        if let Some(format) = resource.format(&url, wanted) {
            found.push((resource, url, format));
        }
    }
    ensure!(
        !found.is_empty(),
        "the catalogue lists no file of a wanted format; the data set may have moved"
    );
    let names: Vec<String> = found
        .iter()
        .map(|(listed, url, format)| plain_name(listed, url, *format))
        .collect();
    // Portals list one file name under two resources, with different contents; some file systems take `a` for `A`.
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
    Ok(Catalogue {
        left_out: all - resources.len(),
        resources,
    })
}

/// A dump of a data store has an address without a file name; the resource's own name serves then.
fn plain_name(listed: &Listed, url: &str, format: Format) -> String {
    let name = file_name(url);
    if name.contains('.') {
        return name;
    }
    let said = listed.name.as_deref().filter(|name| !name.trim().is_empty());
    let name = clean(said.unwrap_or(&name));
    let end = format!(".{}", format.name().to_lowercase());
    match name.to_lowercase().ends_with(&end) {
        true => name,
        false => name + &end,
    }
}

fn with_id(name: &str, id: &str) -> String {
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    clean(&format!("{stem}-{id}.{end}"))
}

/// What an address's file is called here: its last segment, or what a call asks for.
pub fn file_name(url: &str) -> String {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let name = path.rsplit('/').next().unwrap_or_default();
    match query.split_once("id=") {
        Some((_, id)) if name == "package_show" => clean(&format!("{id}.catalogue.json")),
        _ => clean(name),
    }
}

/// Made of characters that no file system minds; never hidden, never empty, never a way out of its folder.
fn clean(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = name.trim().trim_start_matches('.').chars().map(plain).collect();
    let cut = name.len().saturating_sub(LONGEST_NAME);
    // The end has the format.
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

    fn catalogue(answer: &str, wanted: &[Format]) -> Result<Catalogue> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer");
        fs::write(&path, answer).unwrap();
        read(&path, wanted)
    }

    fn names(answer: &str, wanted: &[Format]) -> Vec<String> {
        let resources = catalogue(answer, wanted).unwrap().resources;
        resources.into_iter().map(|resource| resource.name).collect()
    }

    #[test]
    fn a_name_listed_twice_is_told_apart_by_its_resource() {
        let answer = r#"{"success": true, "result": {"resources": [
            {"id": "1a", "format": "JSON", "url": "https://x/1a/download/hebdo_1.json"},
            {"id": "2b", "format": "JSON", "url": "https://x/2b/download/hebdo_2.json"},
            {"id": "3c", "format": "json", "url": "https://x/3c/download/HEBDO_1.json"},
            {"id": "4d", "format": "PDF", "url": "https://x/4d/download/manual.pdf"},
            {"id": "5e", "format": "XML", "url": "https://x/5e/download/2009.zip"},
            {"id": "6f", "format": "JSON", "url": null}]}}"#;
        assert_eq!(
            names(answer, &[Format::Json]),
            ["hebdo_1-1a.json", "hebdo_2.json", "HEBDO_1-3c.json"]
        );
        let zips = catalogue(answer, &[Format::Zip, Format::Xml]).unwrap();
        assert_eq!(zips.resources[0].format, Format::Zip);
        assert_eq!(
            zips.remark().unwrap(),
            "5 of 6 listed files are left out: of another format, or copies"
        );
    }

    #[test]
    fn a_data_stores_dump_goes_by_its_resources_name_and_its_copies_are_left_out() {
        let answer = r#"{"result": {"resources": [
            {"id": "1", "name": "Awarded Contracts", "format": "CSV", "url": "https://x/datastore/dump/1", "is_datastore_cache_file": "False"},
            {"id": "2", "name": "Awarded Contracts.csv", "format": "CSV", "url": "https://x/2/download/a.csv", "is_datastore_cache_file": "True"},
            {"id": "3", "name": "Awarded Contracts.csv", "format": "CSV", "url": "https://x/3/download/a.csv", "is_datastore_cache_file": true}]}}"#;
        assert_eq!(names(answer, &[Format::Csv]), ["Awarded_Contracts.csv"]);
    }

    #[test]
    fn what_lists_nothing_is_an_error() {
        for answer in [
            "",
            "[]",
            "{}",
            r#"{"result": {"resources": []}}"#,
            r#"{"result": {"resources": [{"id": 5}]}}"#,
            r#"{"result": {"resources": [{"id": "1", "format": "CSV", "url": "ftp://x/a.csv"}]}}"#,
        ] {
            let error = format!("{:#}", catalogue(answer, &[Format::Csv]).unwrap_err());
            assert!(error.contains("the data set may have moved"), "{answer}: {error}");
        }
    }

    #[test]
    fn an_address_has_a_file_name() {
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
            prop_assert!(!name.is_empty() && name.len() <= LONGEST_NAME && !name.starts_with('.'));
            prop_assert!(!name.contains(['/', '\\', '\0']));
        }
    }
}
