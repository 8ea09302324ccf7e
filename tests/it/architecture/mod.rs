//! Rules about the structure of `src`: layers, import cycles, which module may use which
//! dependency, and the length of files.

mod functions;
mod imports;
pub mod tables;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use functions::{Function, functions_of};
use imports::{SourceFile, cycles, edges, source_files};
use tables::{ANYWHERE, DEPENDENCIES, MODULES};

/// Maximum lines of a file before its tests, comments included.
const MAX_LINES: usize = 420;

/// Maximum lines of a function, comments included.
const MAX_FUNCTION_LINES: usize = 60;

/// Maximum lines of the handler of an endpoint.
const MAX_HANDLER_LINES: usize = 20;

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
    for (module, used) in edges(files) {
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
    let cycles = cycles(&edges(files));
    assert!(cycles.is_empty(), "import cycles: {cycles:#?}");
}

/// The layers whose folders may not import each other in a circle. `http` is left out: the types of requests and
/// responses, and the middleware that works on them, name each other.
const LAYERS_OF_FOLDERS: &[&str] = &[
    "alerts",
    "api",
    "catalog",
    "engine",
    "model",
    "normalize",
    "pages",
    "query",
    "server",
    "sources",
];

/// The folder of a layer that holds the module, or the module itself if it is directly below the layer.
fn room(module: &str) -> &str {
    let end = module.match_indices('/').map(|(at, _)| at).nth(1);
    end.map_or(module, |end| &module[..end])
}

#[test]
fn folders_of_a_layer_import_each_other_in_one_direction() {
    let files = source_files();
    let mut rooms: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, used) in edges(files) {
        let inside = |other: &&str| top(other) == top(module) && other.contains('/') && room(other) != room(module);
        if module.contains('/') && LAYERS_OF_FOLDERS.contains(&top(module)) {
            rooms
                .entry(room(module))
                .or_default()
                .extend(used.into_iter().filter(inside).map(room));
        }
    }
    let cycles = cycles(&rooms);
    assert!(cycles.is_empty(), "folders that import each other: {cycles:#?}");
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

/// Maximum columns of a line, as `rustfmt.toml` has it for code.
const MAX_COLUMNS: usize = 120;

#[test]
fn comments_wrap_where_code_does() {
    let mut long = Vec::new();
    for file in source_files() {
        for (number, line) in file.text.lines().enumerate() {
            let comment = line.trim_start().trim_start_matches(['/', '!']).trim_start();
            // A row of a table has to stay on one line.
            let is_wrapped = line.trim_start().starts_with("//") && !comment.starts_with('|');
            if is_wrapped && line.chars().count() > MAX_COLUMNS {
                long.push(format!("src/{}.rs:{}", file.module, number + 1));
            }
        }
    }
    assert!(long.is_empty(), "comments over {MAX_COLUMNS} columns: {long:#?}");
}

#[test]
fn functions_and_handlers_are_short() {
    let files = source_files();
    let functions: Vec<Function> = files
        .iter()
        .flat_map(|file| functions_of(&file.module, &file.path))
        .collect();
    let handlers = functions.iter().filter(|function| function.is_handler).count();
    assert!(
        functions.len() > 3_000 && handlers >= 20,
        "{} and {handlers}",
        functions.len()
    );
    let limit = |function: &Function| {
        if function.is_handler {
            MAX_HANDLER_LINES
        } else {
            MAX_FUNCTION_LINES
        }
    };
    let long = functions.iter().filter(|function| function.lines > limit(function));
    let long: Vec<String> = long
        .map(|function| format!("{}: {} lines", function.name, function.lines))
        .collect();
    assert!(long.is_empty(), "too long: {long:#?}");
}

/// What the API and the pages both show is computed in `api/analysis`, and each writes it in its own way.
#[test]
fn pages_use_no_handler_of_the_api() {
    let files = source_files();
    let uses = edges(files);
    let of_pages = uses.iter().filter(|(module, _)| top(module) == "pages");
    let wrong: Vec<String> = of_pages
        .flat_map(|(module, used)| used.iter().map(move |other| (module, other)))
        .filter(|(_, other)| is_below(other, "api/handlers"))
        .map(|(module, other)| format!("{module} imports {other}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
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
