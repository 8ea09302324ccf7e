//! The house rules that a machine can check: who may name which crate, which floor may import which, and files one can read in one sitting.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The floors of `src/lib.rs`, lowest first. A module imports only from its own floor or below.
const FLOORS: [&[&str]; 9] = [
    &[
        "entity",
        "date",
        "fold",
        "stem",
        "subject",
        "commodity",
        "vocabulary",
        "schema",
        "record",
        "facet",
        "municipality",
        "plans",
        "email",
    ],
    &["gzip"],
    &["dump", "lock", "sources", "sample"],
    &["query"],
    &["engine"],
    &[
        "generation",
        "indexing",
        "notices",
        "feed",
        "market",
        "state",
        "normalize",
        "fetch",
    ],
    &["alerts"],
    &["api"],
    &["cli", "serve", "demo", "logging", "main", "lib"],
];

/// A dependency's name and the only modules that may say it.
const HOMES: &[(&str, &[&str])] = &[
    ("tantivy", &["engine/tantivy"]),
    ("actix_web", &["api", "serve"]),
    ("actix_http", &["serve/listen"]),
    ("actix_server", &["serve/listen"]),
    ("actix_service", &["serve/listen"]),
    ("httparse", &["serve/framing"]),
    ("chrono_tz", &["date"]),
    ("rustix", &["serve/listen"]),
    ("rusqlite", &["state"]),
    ("hmac", &["state/tokens"]),
    ("email_address", &["email"]),
    ("idna", &["email"]),
    ("governor", &["state/account"]),
    ("clap", &["cli", "main"]),
    ("bincode", &["query/cursor"]),
    ("quick_xml", &["sources"]),
    ("html_escape", &["sources/text"]),
    ("csv", &["sources", "municipality", "fetch/check"]),
    ("rust_stemmers", &["stem"]),
    ("rustc_hash", &["schema", "sources", "stem"]),
    ("fst", &["engine/tantivy/stems"]),
    ("rand_chacha", &["sample"]),
    ("toml", &["plans", "api/plans"]),
    ("env_logger", &["logging"]),
    ("clap_complete", &["cli/print"]),
    ("clap_mangen", &["cli/print"]),
    ("sd_notify", &["serve/notify"]),
    ("prometheus_client", &["api/metrics", "serve/metrics"]),
    ("brotli", &["api/compress"]),
    ("base64", &["query/cursor", "alerts/mail"]),
    ("strsim", &["api/params/nearest"]),
    ("ureq", &["fetch"]),
    ("indicatif", &["fetch/progress", "normalize", "indexing"]),
    ("percent_encoding", &["api/params/pairs", "alerts/send"]),
    ("lettre", &["alerts/mail", "alerts/send"]),
    ("url", &["alerts/send"]),
    ("textwrap", &["alerts/text"]),
];

/// How many lines without tests a file may have.
const LONGEST_FILE: usize = 420;

/// Files past it, each with its reason.
const LONGER: [(&str, &str); 0] = [];

struct File {
    /// Below `src`, without `.rs` and without a closing `/mod`.
    module: String,
    /// Without tests and comments.
    code: String,
    text: String,
}

fn files() -> Vec<File> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&src, &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let relative = path.strip_prefix(&src).unwrap().with_extension("");
        let module = relative.to_str().unwrap().trim_end_matches("/mod").to_owned();
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
        let code: Vec<&str> = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let code = code.join("\n");
        File { module, code, text }
    };
    paths.into_iter().map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

fn lives_in(module: &str, home: &str) -> bool {
    module == home || module.strip_prefix(home).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether the code names a crate: `name::`, not as part of a longer word or path.
fn names(code: &str, name: &str) -> bool {
    let path = format!("{name}::");
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .any(|line| {
            line.match_indices(&path).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':')
            })
        })
}

#[test]
fn every_file_says_what_it_is_and_can_be_read_in_one_sitting() {
    for file in files() {
        assert!(
            file.module == "main" || file.text.starts_with("//!"),
            "{} does not begin with //!",
            file.module
        );
        let lines = file.code.lines().count();
        let excused = LONGER.iter().any(|(module, _)| *module == file.module);
        let tests_only = file.module.ends_with("/tests");
        assert!(
            lines <= LONGEST_FILE || excused || tests_only,
            "{} has {lines} lines",
            file.module
        );
    }
}

#[test]
fn a_dependency_has_one_home() {
    for file in files().iter().filter(|file| !file.module.ends_with("tests")) {
        for (name, homes) in HOMES {
            let at_home = homes.iter().any(|home| lives_in(&file.module, home));
            // `engine::tantivy` is our module of that name.
            let ours = [
                "engine::tantivy::",
                "super::tantivy::",
                "tantivy::TantivyEngine",
                "tantivy::writer",
            ];
            let code = ours.iter().fold(file.code.clone(), |code, path| code.replace(path, ""));
            assert!(
                at_home || !names(&code, name),
                "{} names {name}, whose home is {homes:?}",
                file.module
            );
        }
    }
}

#[test]
fn a_module_imports_only_from_its_floor_or_below() {
    let floor = |name: &str| FLOORS.iter().position(|modules| modules.contains(&name));
    for file in files() {
        let top = file.module.split('/').next().unwrap();
        let own = floor(top).unwrap_or_else(|| panic!("{top} stands on no floor: add it to FLOORS"));
        for (name, above) in FLOORS
            .iter()
            .enumerate()
            .skip(own + 1)
            .flat_map(|(n, names)| names.iter().map(move |m| (m, n)))
        {
            let braced = braced_imports(&file.code).iter().any(|import| import == name);
            assert!(
                !braced && !file.code.contains(&format!("crate::{name}::")),
                "{} (floor {own}) imports {name} (floor {above})",
                file.module
            );
        }
    }
}

/// The modules named first inside `use crate::{…}`.
fn braced_imports(code: &str) -> Vec<String> {
    let Some((_, rest)) = code.split_once("use crate::{") else {
        return Vec::new();
    };
    let (mut depth, mut word, mut names) = (1, String::new(), Vec::new());
    for c in rest.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            c if depth == 1 && (c.is_alphanumeric() || c == '_') => word.push(c),
            _ if depth == 1 && !word.is_empty() => names.push(std::mem::take(&mut word)),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}
