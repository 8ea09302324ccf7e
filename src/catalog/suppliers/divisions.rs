//! The divisions of a body that publishers name after it: "Ville de Montréal - Service des finances" is a buyer of its
//! own, and who asks for the city asks for it, too.

use std::{cmp::Reverse, collections::HashSet};

use super::{look_up::SupplierList, names::key, supplier::Supplier};

/// The maximum number of names of a body whose divisions are looked up.
const MAX_NAMES: usize = 12;

/// The maximum number of bodies that are read.
const MAX_READ: usize = 200;

/// What separates the name of a division from that of its body. A hyphen without a space before it is in a name:
/// "Saint-Jean-sur-Richelieu" is a city of its own.
const SEPARATORS: [char; 5] = [',', '(', '/', ':', ';'];
const DASHES: [char; 3] = ['-', '–', '—'];

/// At most `most` divisions of a body with records, those with most records first.
pub(crate) fn divisions(list: &SupplierList, of: &Supplier, most: usize) -> Vec<Supplier> {
    let own: Vec<&String> = of.spellings().take(MAX_NAMES).collect();
    let numbers = own.iter().flat_map(|name| list.with_name_from(name));
    let mut seen = HashSet::new();
    let found = numbers
        .filter(|number| seen.insert(*number))
        .take(MAX_READ)
        .filter_map(|number| list.get(number));
    let is_division = |found: &Supplier| {
        let mut names = found.spellings();
        names.any(|name| own.iter().any(|own| is_division(name, own)))
    };
    let mut found: Vec<Supplier> = found
        .filter(|found| found.id != of.id && found.records > 0 && is_division(found))
        .collect();
    found.sort_by_key(|found| Reverse(found.records));
    found.truncate(most);
    found
}

/// Whether a name is another one with that of a division after it.
fn is_division(name: &str, of: &str) -> bool {
    let Some(rest) = after_words(name, words(of).count()) else {
        return false;
    };
    let separated = rest.trim_start();
    let is_separated =
        separated.starts_with(SEPARATORS) || rest.len() > separated.len() && separated.starts_with(DASHES);
    is_separated && key(&name[..name.len() - rest.len()]) == key(of)
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// What follows the first words of a name.
fn after_words(name: &str, count: usize) -> Option<&str> {
    let last = words(name).nth(count.checked_sub(1)?)?;
    let end = last.as_ptr() as usize - name.as_ptr() as usize + last.len();
    Some(&name[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_separated_from_a_name_is_a_division() {
        for (name, of, expected) in [
            ("Ville de Montréal - Service des finances", "Ville de Montréal", true),
            ("VILLE DE MONTREAL, Direction", "Ville de Montréal", true),
            (
                "Université de Sherbrooke -Service des ressources",
                "Université de Sherbrooke",
                true,
            ),
            (
                "Ministère des Transports (Direction Est)",
                "Ministère des Transports",
                true,
            ),
            ("Ville de Saint-Jean-sur-Richelieu", "Ville de Saint-Jean", false),
            ("Université du Québec à Montréal", "Université du Québec", false),
            ("Ville de Montréal", "Ville de Montréal", false),
            ("Ville de Montréal-Est", "Ville de Montréal", false),
            ("Ville", "Ville de Montréal", false),
        ] {
            assert_eq!(is_division(name, of), expected, "{name}");
        }
    }
}
