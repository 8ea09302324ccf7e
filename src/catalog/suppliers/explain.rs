//! Explains in sentences whether two names are one supplier or body, and why.

use anyhow::{Context, Result};

use super::{
    look_up::SupplierList,
    name_form::NameForm,
    names::key,
    supplier::{Suggestion, Supplier, SupplierName},
};
use crate::model::printable::printable;

/// The explanation, one sentence a line. Names come from publishers, so characters that control a terminal are escaped.
pub(crate) fn explain(list: &SupplierList, a: &str, b: &str) -> Result<String> {
    let [first, second] = [find(list, a)?, find(list, b)?];
    let mut lines = Vec::new();
    let (noun, plural) = (list.party().noun(), list.party().plural());
    if first.id == second.id {
        lines.push(format!(
            "\"{a}\" and \"{b}\" are one {noun}, {} ({}).",
            first.id, first.name
        ));
        for name in [a, b] {
            lines.extend(reasons(&first, name));
        }
    } else {
        lines.push(format!(
            "\"{a}\" and \"{b}\" are two {plural}, {} and {}.",
            first.id, second.id
        ));
        lines.extend(suggestions(&first, &second));
        lines.push(compared_facts(&first, a, &second, b));
    }
    Ok(lines.iter().map(|line| format!("{}\n", printable(line))).collect())
}

fn find(list: &SupplierList, name: &str) -> Result<Supplier> {
    let found = list.with_name(name);
    found.with_context(|| {
        format!(
            "no {} has the name '{}'; `procure suppliers list PART` shows names",
            list.party().noun(),
            printable(name)
        )
    })
}

/// What a supplier's list of names has on a name, in any spelling and in either language.
fn entry_of<'s>(supplier: &'s Supplier, name: &str) -> Option<&'s SupplierName> {
    let key_of_name = key(name);
    let has = |known: &&SupplierName| known.spellings().any(|name| key(name) == key_of_name);
    supplier.names.iter().find(has)
}

/// The reasons that join a name to the chosen name of its supplier, step by step: each names the next name.
fn reasons(supplier: &Supplier, name: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut at = entry_of(supplier, name);
    while let Some(name) = at {
        let Some(reason) = &name.reason else { break };
        lines.push(format!("\"{}\" {}.", name.name, reason.evidence.sentence(&reason.with)));
        at = entry_of(supplier, &reason.with);
        if lines.len() > supplier.names.len() {
            break;
        }
    }
    lines
}

/// Why the first supplier is suggested to be the second one, and what a person has to decide.
fn suggestions(first: &Supplier, second: &Supplier) -> Vec<String> {
    let of_second = first.suggestions.iter().filter(|suggestion| suggestion.id == second.id);
    let line = |suggestion: &Suggestion| {
        let evidence = suggestion
            .evidence
            .as_ref()
            .map(|evidence| evidence.sentence(&suggestion.other_name));
        let evidence = evidence.map_or_else(String::new, |sentence| {
            format!("\"{}\" {sentence}, but: ", suggestion.own_name)
        });
        format!(
            "{evidence}{}. `procure suppliers accept` joins them.",
            suggestion.why.about()
        )
    };
    of_second.map(line).collect()
}

/// The facts on both names that the rules compare.
fn compared_facts(first: &Supplier, a: &str, second: &Supplier, b: &str) -> String {
    let [x, y] = [(first, a), (second, b)].map(|(supplier, name)| {
        let facts = entry_of(supplier, name);
        let list = |texts: Option<&Vec<String>>| {
            texts
                .filter(|all| !all.is_empty())
                .map_or("none".to_owned(), |all| all.join(", "))
        };
        let numbers = list(facts.map(|name| &name.numbers));
        let codes = list(facts.map(|name| &name.postal_codes));
        format!(
            "\"{}\" without its form is \"{}\", numbers {numbers}, postal codes {codes}",
            name,
            NameForm::of(name).core
        )
    });
    format!("{x}; {y}.")
}
