//! The documentation: every link between pages has a target, every shown command parses, every endpoint and parameter
//! of the API is described, and every decision that the code refers to is in the register. Below: the tables of
//! measured figures, and the recipes for contributors.

mod figures;
mod recipes;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use clap::{CommandFactory, Parser};
use procure::{cli::Cli, model::entity_type::EntityType};
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Markdown pages of the project: those at its root and in `docs`.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = Vec::new();
    for folder in [root().to_owned(), root().join("docs")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_to_string(&path).unwrap();
                pages.push((path, text));
            }
        }
    }
    pages.sort();
    assert!(pages.len() > 5, "too few pages were found");
    pages
}

/// The parts of a page outside its code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2)
}

/// The targets of the links `[text](target)`, outside code blocks.
fn links(text: &str) -> Vec<&str> {
    prose(text)
        .flat_map(|part| part.split("](").skip(1))
        .filter_map(|rest| rest.split([')', ' ', '\n']).next())
        .collect()
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    prose(text)
        .flat_map(str::lines)
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

#[test]
fn links_between_pages_have_targets() {
    let mut dead = Vec::new();
    for (page, text) in pages() {
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                page.clone()
            } else {
                page.parent().unwrap().join(file)
            };
            let has_target = target.exists()
                && (anchor.is_empty() || anchors(&fs::read_to_string(&target).unwrap()).contains(anchor));
            if !has_target {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "dead links: {dead:#?}");
}

#[test]
fn commands_shown_in_the_pages_parse() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (page, text) in pages() {
        for block in text
            .split("```sh\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next())
        {
            for line in block.replace("\\\n", " ").lines() {
                for command in commands(line) {
                    count += 1;
                    if let Err(error) = Cli::try_parse_from(&command) {
                        use clap::error::ErrorKind::{DisplayHelp, DisplayVersion};
                        if !matches!(error.kind(), DisplayHelp | DisplayVersion) {
                            wrong.push(format!("{}: {line}\n{error}", page.display()));
                        }
                    }
                }
            }
        }
    }
    assert!(count > 20, "only {count} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The description of the API, as the server serves it.
fn api() -> Value {
    let file = root().join("tests/golden/openapi.json");
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// A path as the pages write it: one for all entity types.
fn documented(path: &str) -> String {
    for entity_type in EntityType::ALL {
        let Some(rest) = path.strip_prefix(&format!("/{entity_type}")) else {
            continue;
        };
        if matches!(rest, "" | "/stats" | "/coverage" | "/export" | "/{record_id}") {
            return format!("/{{entity_type}}{rest}");
        }
    }
    path.to_owned()
}

#[test]
fn every_endpoint_is_listed() {
    let api = api();
    let paths: BTreeSet<String> = api["paths"]
        .as_object()
        .unwrap()
        .keys()
        .map(|path| documented(path))
        .collect();
    assert!(paths.len() > 20, "only {} endpoints were found", paths.len());
    let text = fs::read_to_string(root().join("docs/api.md")).unwrap();
    let is_listed = |path: &&String| {
        text.lines()
            .any(|line| line.starts_with("| `") && line.contains(&format!("{path}`")))
    };
    let missing: Vec<_> = paths.iter().filter(|path| !is_listed(path)).collect();
    assert!(missing.is_empty(), "docs/api.md does not list {missing:?}");
}

#[test]
fn every_parameter_is_described() {
    let api = api();
    let text = fs::read_to_string(root().join("docs/api.md")).unwrap();
    let parameters = api["components"]["parameters"].as_object().unwrap().values();
    let queries = parameters.filter(|parameter| parameter["in"] == "query");
    let names: BTreeSet<&str> = queries.map(|parameter| parameter["name"].as_str().unwrap()).collect();
    assert!(names.len() > 30, "only {} parameters were found", names.len());
    let is_described = |name: &&&str| {
        ["`{}`", "`{}=", "?{}="]
            .iter()
            .any(|form| text.contains(&form.replace("{}", name)))
    };
    let missing: Vec<_> = names.iter().filter(|name| !is_described(name)).collect();
    assert!(missing.is_empty(), "docs/api.md does not describe {missing:?}");
}

/// The texts of the code: its own, its tests' and its benches'.
fn code(folder: &Path, texts: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            code(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            texts.push((path, text));
        }
    }
}

/// The numbers after `D-` in a text.
fn decisions(text: &str) -> impl Iterator<Item = &str> {
    let digits = |rest: &str| rest.bytes().take_while(u8::is_ascii_digit).count();
    let numbers = text.split("D-").skip(1).map(move |rest| &rest[..digits(rest)]);
    numbers.filter(|number| (2..=3).contains(&number.len()))
}

#[test]
fn every_decision_that_is_referred_to_is_in_the_register() {
    let register = fs::read_to_string(root().join("docs/decisions.md")).unwrap();
    let headings = register.split("\n### D-").skip(1);
    let numbers: Vec<&str> = headings.map(|rest| rest.split(' ').next().unwrap()).collect();
    let known: BTreeSet<&str> = numbers.iter().copied().collect();
    assert_eq!(known.len(), numbers.len(), "a number is used twice");
    let mut texts = pages();
    for folder in ["src", "tests", "benches"] {
        code(&root().join(folder), &mut texts);
    }
    let (mut count, mut unknown) = (0, Vec::new());
    for (path, text) in &texts {
        // The guide for contributors shows a made-up reference.
        for number in decisions(text).filter(|_| !path.ends_with("contributing.md")) {
            count += 1;
            if !known.contains(number) {
                unknown.push(format!("{}: D-{number}", path.display()));
            }
        }
    }
    assert!(count > 100, "only {count} references were found");
    assert!(unknown.is_empty(), "docs/decisions.md has no entry for {unknown:#?}");
}

/// What `compose.yaml` and the image set are settings of the program.
#[test]
fn settings_of_the_containers_exist() {
    let mut settings = BTreeSet::new();
    environment(&Cli::command(), &mut settings);
    assert!(settings.len() > 30, "only {} settings were found", settings.len());
    let mut count = 0;
    for file in ["compose.yaml", "Containerfile"] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        for part in lines.flat_map(|line| line.split("PROCURE_").skip(1)) {
            let end = part.find(|c: char| !(c.is_ascii_uppercase() || c == '_'));
            let name = format!("PROCURE_{}", &part[..end.unwrap_or(part.len())]);
            assert!(
                name == "PROCURE_LOG" || settings.contains(&name),
                "{file} sets {name}, which is no setting"
            );
            count += 1;
        }
    }
    assert!(count > 10, "only {count} settings were found");
}

/// The variables of a command and its subcommands.
fn environment(command: &clap::Command, names: &mut BTreeSet<String>) {
    let variables = command.get_arguments().filter_map(clap::Arg::get_env);
    names.extend(variables.map(|name| name.to_string_lossy().into_owned()));
    for subcommand in command.get_subcommands() {
        environment(subcommand, names);
    }
}

/// The arguments of each `procure …` and `cargo run … -- …` on a shell line.
fn commands(line: &str) -> Vec<Vec<String>> {
    let arguments = shlex::split(line).unwrap_or_else(|| panic!("unbalanced quotes in {line}"));
    let is_operator = |word: &String| matches!(word.as_str(), "&&" | "||" | "|" | ";" | ">" | "2>" | "&");
    arguments.split(is_operator).filter_map(procure_arguments).collect()
}

/// `procure` and its arguments, if the command runs it.
fn procure_arguments(command: &[String]) -> Option<Vec<String>> {
    let (first, rest) = command.split_first()?;
    let arguments = match first.as_str() {
        "cargo" if rest.first().is_some_and(|word| word == "run") => {
            let separator = rest.iter().position(|word| word == "--")?;
            &rest[separator + 1..]
        }
        program if Path::new(program).file_name().is_some_and(|name| name == "procure") => rest,
        _ => return None,
    };
    Some([&["procure".to_owned()], arguments].concat())
}
