//! The rules of the sources that a compiler does not know: who imports whom, who names which crate, what every file begins with, how long it may be.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A file of the sources, its path relative to `src`, `/` between folders.
struct Source {
    path: String,
    text: String,
}

/// The modules of each floor. A module imports from its own floor and those below.
const FLOORS: [&[&str]; 7] = [
    &[
        "date",
        "entity",
        "fold",
        "municipality",
        "plans",
        "record",
        "schema",
        "stem",
        "vocabulary",
    ],
    &["dump", "sources", "normalize", "sample"],
    &["query"],
    &["engine"],
    &["generation", "indexing", "state"],
    &["api"],
    &["cli", "demo", "serve", "main", "lib"],
];

/// Crates with one home each, by the start of the paths that may name them.
const HOMES: [(&str, &[&str]); 10] = [
    ("tantivy", &["engine/tantivy/"]),
    ("rusqlite", &["state/"]),
    ("actix_web", &["api/", "serve.rs", "serve/"]),
    ("clap", &["cli.rs", "main.rs"]),
    ("env_logger", &["main.rs"]),
    ("bincode", &["query/cursor.rs"]),
    ("base64", &["query/cursor.rs"]),
    ("toml", &["plans.rs"]),
    ("strsim", &["api/params/nearest.rs"]),
    ("percent_encoding", &["api/params/pairs.rs"]),
];

/// The most lines of a file, its tests apart.
const LONGEST: usize = 400;

/// Files past [`LONGEST`], with the reason.
const LONG: [(&str, &str); 0] = [];

#[test]
fn every_file_says_what_it_is_for() {
    for source in sources() {
        assert!(source.text.starts_with("//! "), "{}: begins without `//!`", source.path);
    }
}

#[test]
fn no_file_is_too_long_to_be_read_in_one_sitting() {
    for source in sources() {
        let lines = source.code().lines().count();
        let has_reason = LONG.iter().any(|(path, _)| *path == source.path);
        assert!(
            lines <= LONGEST || has_reason,
            "{}: {lines} lines before its tests",
            source.path
        );
    }
}

#[test]
fn a_module_imports_only_from_its_floor_and_below() {
    for source in sources() {
        let own = floor(source.module()).unwrap_or_else(|| panic!("{}: its module has no floor", source.path));
        for module in source.imports() {
            let other = floor(&module).unwrap_or_else(|| panic!("{}: {module} has no floor", source.path));
            assert!(other <= own, "{}: imports {module}, which is above it", source.path);
        }
    }
}

#[test]
fn a_crate_is_named_only_in_its_home() {
    for source in sources() {
        for (name, homes) in HOMES {
            let is_home = homes.iter().any(|home| source.path.starts_with(home));
            let is_named = source.code_lines().any(|line| names_crate(line, name));
            assert!(
                is_home || !is_named,
                "{}: names {name}, whose home is {homes:?}",
                source.path
            );
        }
    }
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// `name::` that is not the end of a longer word or path, nor a module of ours behind `engine::`.
fn names_crate(line: &str, name: &str) -> bool {
    line.match_indices(&format!("{name}::")).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':') && !line.contains("engine::")
    })
}

impl Source {
    /// The text before the file's tests; none where tests are all of it.
    fn code(&self) -> &str {
        if self.path.ends_with("/tests.rs") {
            return "";
        }
        self.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
    }

    fn code_lines(&self) -> impl Iterator<Item = &str> {
        self.code().lines().filter(|line| !line.trim_start().starts_with("//"))
    }

    /// The top module a file belongs to.
    fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// The top modules named behind `crate::`, in a `use` tree or alone.
    fn imports(&self) -> Vec<String> {
        let code: String = self.code_lines().collect::<Vec<_>>().join("\n");
        let mut modules = Vec::new();
        for (start, found) in code.match_indices("crate::") {
            let rest = &code[start + found.len()..];
            match rest.strip_prefix('{') {
                Some(tree) => modules.extend(branches(tree)),
                None => modules.push(word(rest)),
            }
        }
        modules.retain(|module| !module.is_empty());
        modules
    }
}

/// The first words of a use tree's branches.
fn branches(tree: &str) -> Vec<String> {
    let (mut depth, mut at_start, mut found) = (0, true, Vec::new());
    for (position, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            c if at_start && c.is_alphabetic() => {
                found.push(word(&tree[position..]));
                at_start = false;
            }
            _ => {}
        }
    }
    found
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let relative = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
                let text = fs::read_to_string(&path).unwrap();
                sources.push(Source { path: relative, text });
            }
        }
    }
    assert!(sources.len() > 20);
    sources
}
