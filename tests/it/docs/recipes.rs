//! The recipes of `docs/contributing.md`: what they name exists, and they leave out no file that their example is in.
//!
//! A recipe is a section `### … a parameter` with numbered steps. It names files in backticks, some of them with the
//! items to change there (`` `TABLE` in `src/api/params/search.rs` ``), and begins with the example to follow.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use super::root;

/// The page with the recipes.
const PAGE: &str = "docs/contributing.md";

/// The first segments of the paths that a recipe may name.
const ROOTS: [&str; 8] = [
    ".ci/",
    "README.md",
    "data/",
    "docs/",
    "index-schema/",
    "src/",
    "templates/",
    "tests/",
];

struct Recipe {
    text: String,
    /// Where the first step begins.
    steps: usize,
}

/// The recipes by what they add: `parameter`, `endpoint`, …
fn recipes() -> BTreeMap<String, Recipe> {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let (_, recipes) = page.split_once("\n## How to add …\n").expect("the recipes");
    let recipes = recipes.split("\n## ").next().unwrap();
    let sections = recipes.split("\n### … ").skip(1);
    sections
        .map(|section| {
            let (title, text) = section.split_once('\n').unwrap();
            let name = title.split(' ').next_back().unwrap();
            let steps = text.find("\n1. ").unwrap_or(0);
            let text = text.to_owned();
            (name.to_owned(), Recipe { text, steps })
        })
        .collect()
}

impl Recipe {
    /// The texts in backticks, each with the text between it and the next one. Code blocks are left out.
    fn spans(&self) -> Vec<(&str, &str)> {
        let prose: Vec<&str> = self.text.split("```").step_by(2).collect();
        let mut spans = Vec::new();
        for part in prose {
            let pieces: Vec<&str> = part.split('`').collect();
            for pair in pieces[1..].chunks(2) {
                spans.push((pair[0], *pair.get(1).unwrap_or(&"")));
            }
        }
        spans
    }

    /// The paths that the recipe names, with braces and stars as they are.
    fn paths(&self) -> Vec<&str> {
        let spans = self.spans();
        let paths = spans.into_iter().map(|(span, _)| span).filter(|span| is_path(span));
        paths.collect()
    }

    /// The items that the recipe names directly before `` in `PATH` ``, with that path.
    fn items(&self) -> Vec<(&str, &str)> {
        let spans = self.spans();
        let mut items = Vec::new();
        for (at, (path, _)) in spans.iter().enumerate().filter(|(_, (span, _))| is_path(span)) {
            let before = spans[..at].iter().rev();
            let mut joined = [" in ", " and "].iter();
            // `A` and `B` in `PATH`: both are items of the path.
            for (item, after) in before {
                if joined.next().is_none_or(|word| word != after) || is_path(item) {
                    break;
                }
                items.push((*item, *path));
            }
        }
        items
    }

    /// The text of the first line: `Example: …`.
    fn example(&self) -> &str {
        let line = self.text.lines().find(|line| line.starts_with("Example: "));
        line.and_then(|line| line.split('`').nth(1))
            .expect("an example in backticks")
    }

    fn lists(&self, file: &str) -> bool {
        let paths = self.paths();
        paths.iter().any(|path| {
            alternatives(path).iter().any(|path| match path.split_once('*') {
                Some((before, after)) => file.starts_with(before) && file.ends_with(after),
                None => path == file || (path.ends_with('/') && file.starts_with(path.as_str())),
            })
        })
    }
}

fn is_path(span: &str) -> bool {
    !span.contains(' ') && ROOTS.iter().any(|start| span.starts_with(start))
}

/// `a.{en,fr}.ftl` as `a.en.ftl` and `a.fr.ftl`; a variable part (`<entity_type>`) as a star.
fn alternatives(path: &str) -> Vec<String> {
    if let Some((before, rest)) = path.split_once('<') {
        let (_, after) = rest.split_once('>').expect("a closing bracket");
        return vec![format!("{before}*{after}")];
    }
    let Some((before, rest)) = path.split_once('{') else {
        return vec![path.to_owned()];
    };
    let (names, after) = rest.split_once('}').expect("a closing brace");
    names.split(',').map(|name| format!("{before}{name}{after}")).collect()
}

fn exists(path: &str) -> bool {
    let Some((folder, end)) = path.split_once('*') else {
        return root().join(path).exists();
    };
    let entries = fs::read_dir(root().join(folder)).unwrap();
    entries
        .into_iter()
        .any(|entry| entry.unwrap().path().to_str().unwrap().ends_with(end))
}

/// The project's own texts that know parameters, endpoints and sources, without tests of one module or rule.
fn texts() -> Vec<(String, String)> {
    let mut files = vec![root().join("README.md")];
    for folder in [
        ".ci",
        "docs",
        "index-schema",
        "src",
        "tests/golden",
        "tests/cluster",
        "tests/fuzz",
        "tests/scenarios",
    ] {
        collect(&root().join(folder), &mut files);
    }
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        Some((name, fs::read_to_string(path).ok()?))
    };
    let texts: Vec<_> = files.into_iter().filter_map(read).collect();
    assert!(texts.len() > 500, "only {} texts were found", texts.len());
    texts
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            // Sources that a fuzzer collected, and what it compiled.
            if !matches!(name, "corpus" | "target" | "artifacts" | "figures") {
                collect(&path, files);
            }
        } else if !(name == "tests.rs" || name.ends_with("_tests.rs")) {
            files.push(path);
        }
    }
}

/// Whether a text has the word, and not as a part of another one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[test]
fn what_a_recipe_names_exists() {
    let mut missing = Vec::new();
    let (mut paths, mut items) = (0, 0);
    for (name, recipe) in recipes() {
        for path in recipe.paths() {
            paths += 1;
            let exists = alternatives(path).iter().all(|path| exists(path));
            if !exists {
                missing.push(format!("{name}: {path}"));
            }
        }
        for (item, path) in recipe.items() {
            items += 1;
            let text = fs::read_to_string(root().join(path)).unwrap_or_default();
            if !has_word(&text, item) {
                missing.push(format!("{name}: `{item}` in {path}"));
            }
        }
    }
    assert!(
        paths > 50 && items > 15,
        "only {paths} paths and {items} items were found"
    );
    assert!(missing.is_empty(), "{PAGE} names what does not exist: {missing:#?}");
}

/// A file with the example that the recipe does not name is one that a contributor would forget.
fn check(name: &str, word: &str, is_expected: impl Fn(&str) -> bool) {
    let recipes = recipes();
    let recipe = &recipes[name];
    assert!(
        recipe.example().contains(word) && recipe.steps > 0,
        "the example of {name} is {}",
        recipe.example()
    );
    let files: BTreeSet<String> = texts()
        .into_iter()
        .filter(|(file, text)| file != PAGE && is_expected(file) && has_word(text, word))
        .map(|(file, _)| file)
        .collect();
    assert!(files.len() > 4, "{word} is in {files:?} only");
    let forgotten: Vec<&String> = files.iter().filter(|file| !recipe.lists(file)).collect();
    assert!(
        forgotten.is_empty(),
        "the recipe for a {name} in {PAGE} does not name {forgotten:?}, which its example {word} is in"
    );
}

#[test]
fn the_recipe_for_a_parameter_is_complete() {
    check("parameter", "closing_before", |_| true);
}

#[test]
fn the_recipe_for_an_endpoint_is_complete() {
    // Pages link to endpoints, and comments elsewhere mention them.
    let is_of_the_api =
        |file: &str| file.starts_with("src/api/") || file.starts_with("tests/") || file == "docs/api.md";
    check("endpoint", "/procurement", is_of_the_api);
}

#[test]
fn the_recipe_for_a_source_is_complete() {
    check("source", "novascotia", |_| true);
}

#[test]
fn a_recipe_is_read_as_a_person_reads_it() {
    let text =
        "\nExample: `one`.\n\n1. Add `A` and `fn b` in `src/x.rs`, `C`, or `docs/*.md`.\n```text\n`src/no.rs`\n```\n"
            .to_owned();
    let recipe = Recipe { steps: 1, text };
    assert_eq!(recipe.paths(), ["src/x.rs", "docs/*.md"]);
    assert_eq!(recipe.items(), [("fn b", "src/x.rs"), ("A", "src/x.rs")]);
    assert_eq!(recipe.example(), "one");
    assert!(recipe.lists("docs/api.md") && !recipe.lists("docs/api.json") && !recipe.lists("src/y.rs"));
    assert_eq!(alternatives("m.{en,fr}.ftl"), ["m.en.ftl", "m.fr.ftl"]);
    assert!(has_word("a /procurement/{n}", "/procurement") && !has_word("unclosing_before", "closing_before"));
}
