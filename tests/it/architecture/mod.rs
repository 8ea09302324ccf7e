//! Rules about the structure of `src`: layers, import cycles, which module may use which
//! dependency, and the length of files.

mod imports;
pub mod tables;

use std::{collections::BTreeSet, fs, path::Path};

use imports::{SourceFile, cycles, edges, source_files};
use tables::{ANYWHERE, DEPENDENCIES, MODULES};

/// Maximum lines of a file before its tests, comments included.
const MAX_LINES: usize = 420;

/// The folder or file at the top of `src` that holds the module.
fn top(module: &str) -> &str {
    module.split('/').next().unwrap()
}

/// `lib.rs` only lists the modules, so it is above all of them.
fn layer_of(module: &str) -> usize {
    let name = top(module);
    if name == "lib" {
        return usize::MAX;
    }
    let row = MODULES.iter().find(|row| row.name() == name);
    row.unwrap_or_else(|| panic!("src/{name} has no layer: add it to MODULES in tests/it/architecture/tables.rs"))
        .layer
}

#[test]
fn imports_point_strictly_downward_between_layers() {
    let files = source_files();
    let mut wrong = Vec::new();
    for (module, used) in edges(&files) {
        for other in used {
            let sibling = top(module) != top(other) && layer_of(module) == layer_of(other);
            if layer_of(other) > layer_of(module) || sibling {
                wrong.push(format!("{module} imports {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "imports against the layers: {wrong:#?}");
}

#[test]
fn imports_form_no_cycle_between_files() {
    let files = source_files();
    let cycles = cycles(&edges(&files));
    assert!(cycles.is_empty(), "import cycles: {cycles:#?}");
}

#[test]
fn dependencies_are_used_only_in_their_homes() {
    let files = source_files();
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let manifest = toml::de::DeTable::parse(&manifest).unwrap();
    let declared: BTreeSet<String> = manifest.get_ref()["dependencies"]
        .get_ref()
        .as_table()
        .unwrap()
        .keys()
        .map(|name| name.get_ref().replace('-', "_"))
        .collect();
    let listed: BTreeSet<String> = DEPENDENCIES.iter().map(|row| row.name.to_owned()).collect();
    assert_eq!(
        listed, declared,
        "DEPENDENCIES in tests/it/architecture/tables.rs and [dependencies] in Cargo.toml must list the same crates"
    );
    for row in DEPENDENCIES {
        let users: Vec<&str> = files
            .iter()
            .filter(|file| names(file, row.name))
            .map(|file| file.module.as_str())
            .collect();
        assert!(!users.is_empty(), "nothing in src uses the dependency {}", row.name);
        let elsewhere: Vec<&&str> = users
            .iter()
            .filter(|user| !row.homes.iter().any(|home| is_below(user, home)))
            .collect();
        assert!(
            row.homes == ANYWHERE || elsewhere.is_empty(),
            "{} may be used in {:?} only, but {elsewhere:?} uses it",
            row.name,
            row.homes
        );
    }
}

fn names(file: &SourceFile, dependency: &str) -> bool {
    file.paths.iter().any(|path| path.len() > 1 && path[0] == dependency)
}

fn is_below(module: &str, home: &str) -> bool {
    module == home || module.strip_prefix(home).is_some_and(|rest| rest.starts_with('/'))
}

#[test]
fn files_begin_with_a_doc_comment_and_are_short() {
    for file in source_files() {
        assert!(
            file.text.starts_with("//!"),
            "src/{}.rs must begin with a //! comment",
            file.module
        );
        assert!(
            file.lines <= MAX_LINES,
            "src/{}.rs has {} lines before its tests, over {MAX_LINES}",
            file.module,
            file.lines
        );
    }
}

#[test]
fn the_architecture_page_shows_the_layer_table() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md")).unwrap();
    let shown: Vec<&str> = page
        .lines()
        .skip_while(|line| !line.starts_with("| layer |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    let declared: Vec<String> = MODULES
        .iter()
        .map(|row| {
            format!(
                "| {} | `{}` | {} | {} |",
                row.layer, row.path, row.owns, row.must_not_know
            )
        })
        .collect();
    assert_eq!(
        shown, declared,
        "the layer table of docs/architecture.md must show MODULES row by row"
    );
}
