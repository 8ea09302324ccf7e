//! Reads from the syntax trees which file of `src` uses which other file.
//!
//! A use is a `use` declaration, or a path in code or in a macro, resolved through the file's
//! imports. Test modules and `mod` declarations do not count.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, ItemMod, ItemUse, Macro, UseTree, Visibility,
    visit::{self, Visit},
};

/// One file of `src`.
pub struct SourceFile {
    /// Path below `src` without `.rs` and without a final `/mod`.
    pub module: String,
    pub path: PathBuf,
    pub text: String,
    /// Absolute paths that the file uses. The first segment is `crate` for this project, or the
    /// name of a dependency.
    pub paths: BTreeSet<Vec<String>>,
    /// Lines before the tests.
    pub lines: usize,
}

/// All files of `src` except test modules, sorted by path. They are read once.
pub fn source_files() -> &'static [SourceFile] {
    static FILES: LazyLock<Vec<SourceFile>> = LazyLock::new(read_all);
    &FILES
}

fn read_all() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let modules: Vec<String> = paths.iter().map(|path| module_name(&root, path)).collect();
    let known: BTreeSet<String> = modules.iter().cloned().collect();
    let files = paths.iter().zip(modules).filter(|(_, module)| !is_tests(module));
    files.map(|(path, module)| read(path, module, &known)).collect()
}

/// For each file, the other files that it uses.
pub fn edges(files: &[SourceFile]) -> BTreeMap<&str, BTreeSet<&str>> {
    let known: HashMap<&str, &str> = files
        .iter()
        .map(|file| (file.module.as_str(), file.module.as_str()))
        .collect();
    let mut edges = BTreeMap::new();
    for file in files {
        let used: BTreeSet<&str> = file
            .paths
            .iter()
            .filter(|path| path[0] == "crate")
            .filter_map(|path| longest_module(&path[1..], &known))
            .filter(|module| *module != file.module)
            .collect();
        edges.insert(file.module.as_str(), used);
    }
    edges
}

/// The groups of files that import each other, directly or through others.
pub fn cycles(edges: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<Vec<String>> {
    let reachable = |start: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start.to_owned()]);
        while let Some(module) = open.pop() {
            for next in edges.get(module.as_str()).into_iter().flatten() {
                if seen.insert((*next).to_owned()) {
                    open.push((*next).to_owned());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<String>> = edges.keys().map(|module| (*module, reachable(module))).collect();
    let mut groups = BTreeSet::new();
    for (module, seen) in &reach {
        if seen.contains(*module) {
            let group: Vec<String> = seen
                .iter()
                .filter(|other| reach.get(other.as_str()).is_some_and(|back| back.contains(*module)))
                .cloned()
                .collect();
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}

fn longest_module<'a>(path: &[String], known: &HashMap<&'a str, &'a str>) -> Option<&'a str> {
    (1..=path.len())
        .rev()
        .find_map(|length| known.get(path[..length].join("/").as_str()).copied())
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

fn module_name(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap().with_extension("");
    let name = relative.to_str().unwrap();
    name.strip_suffix("/mod").unwrap_or(name).to_owned()
}

fn is_tests(module: &str) -> bool {
    module
        .split('/')
        .any(|name| name == "tests" || name.ends_with("_tests"))
}

fn read(path: &Path, module: String, known: &BTreeSet<String>) -> SourceFile {
    let text = fs::read_to_string(path).unwrap();
    let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let own: Vec<String> = match module.as_str() {
        "lib" | "main" => Vec::new(),
        name => name.split('/').map(str::to_owned).collect(),
    };
    let mut visitor = Visitor {
        own,
        known,
        imports: HashMap::new(),
        raw: Vec::new(),
        uses: Vec::new(),
    };
    visitor.visit_file(&syntax);
    let paths = visitor.absolute_paths();
    let lines = text
        .split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap()
        .lines()
        .count();
    SourceFile {
        module,
        path: path.to_owned(),
        text,
        paths,
        lines,
    }
}

struct Visitor<'a> {
    own: Vec<String>,
    known: &'a BTreeSet<String>,
    /// Each name that a `use` declaration binds, with its path.
    imports: HashMap<String, Vec<String>>,
    /// Paths in code and macros, as written.
    raw: Vec<Vec<String>>,
    /// Paths of `use` declarations.
    uses: Vec<Vec<String>>,
}

impl Visitor<'_> {
    fn absolute_paths(&self) -> BTreeSet<Vec<String>> {
        let through_imports = self.raw.iter().map(|path| match self.imports.get(&path[0]) {
            Some(bound) if path.len() > 1 => [bound.as_slice(), &path[1..]].concat(),
            _ => path.clone(),
        });
        through_imports
            .chain(self.uses.iter().cloned())
            .map(|path| self.absolute(path))
            .collect()
    }

    fn absolute(&self, path: Vec<String>) -> Vec<String> {
        let at = |module: &[String], rest: &[String]| [&["crate".to_owned()], module, rest].concat();
        match path[0].as_str() {
            "crate" => path,
            "procure" => at(&[], &path[1..]),
            "self" => at(&self.own, &path[1..]),
            "super" => {
                let up = path.iter().take_while(|segment| *segment == "super").count();
                at(&self.own[..self.own.len().saturating_sub(up)], &path[up..])
            }
            first => {
                let child = [self.own.as_slice(), &[first.to_owned()]].concat().join("/");
                if self.known.contains(&child) {
                    at(&self.own, &path)
                } else {
                    path
                }
            }
        }
    }

    fn visit_tree(&mut self, prefix: &[String], tree: &UseTree) {
        let mut add = |name: String, path: Vec<String>| {
            self.imports.insert(name, path.clone());
            self.uses.push(path);
        };
        match tree {
            UseTree::Path(path) => self.visit_tree(&[prefix, &[path.ident.to_string()]].concat(), &path.tree),
            UseTree::Name(name) if name.ident == "self" => add(prefix.last().unwrap().clone(), prefix.to_vec()),
            UseTree::Name(name) => add(name.ident.to_string(), [prefix, &[name.ident.to_string()]].concat()),
            UseTree::Rename(rename) => add(
                rename.rename.to_string(),
                [prefix, &[rename.ident.to_string()]].concat(),
            ),
            UseTree::Glob(_) => self.uses.push(prefix.to_vec()),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.visit_tree(prefix, item)),
        }
    }

    /// Collects the paths inside a macro's tokens: identifiers joined by `::`.
    fn visit_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons): (Vec<String>, usize) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 && !path.is_empty() {
                        self.raw.push(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.visit_tokens(group.stream());
                    colons = 0;
                }
                _ => colons = 0,
            }
        }
        if !path.is_empty() {
            self.raw.push(path);
        }
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test_only(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test_only(&item.attrs) {
            self.visit_tree(&[], &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.raw.push(segments);
        visit::visit_path(self, path);
    }

    /// `pub(super)` and `pub(in path)` import nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    /// An attribute's arguments can name derive macros and functions.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.visit_tokens(list.tokens.clone());
        }
    }
}

pub fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string() == "test",
        _ => false,
    })
}
