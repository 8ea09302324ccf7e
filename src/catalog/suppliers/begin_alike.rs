//! Other suppliers whose names begin as that of a supplier does: what no rule joins, but a reader should know of.

use std::{cmp::Reverse, ops::RangeInclusive};

use super::{
    look_up::SupplierList,
    name_form::{NameForm, firm_words, is_first_name, is_legal_form, telling_words},
    names::key,
    supplier::Supplier,
};
use crate::model::{fold::fold, municipality, vocabulary::known_province};

/// How many suppliers, with the own one, have names that begin with the same words. More of them have a common word.
const FEW: RangeInclusive<usize> = 2..=24;

/// The maximum number of other suppliers that are returned.
pub(crate) const MAX_ALIKE: usize = 6;

/// The maximum number of names of a supplier whose beginnings are looked up.
const MAX_NAMES: usize = 12;

/// The maximum number of words that two names begin with.
const MAX_WORDS: usize = 2;

/// The maximum number of consortia that are returned, and of suppliers that are read for them.
const MAX_CONSORTIA: usize = 12;
const MAX_READ: usize = 200;

/// A supplier with a name that begins alike, or a consortium.
#[derive(Debug, PartialEq)]
pub(crate) struct Alike {
    pub(crate) supplier: Supplier,
    /// Its name with most records that begins so.
    pub(crate) name: String,
    pub(crate) is_consortium: bool,
}

impl Alike {
    fn of(supplier: Supplier, has: impl Fn(&str) -> bool) -> Option<Alike> {
        let of_each = supplier
            .names
            .iter()
            .flat_map(|of| [Some(&of.name), of.name_fr.as_ref()]);
        let name = of_each.flatten().find(|name| has(&key(name))).cloned()?;
        Some(Alike {
            is_consortium: NameForm::of(&name).is_consortium,
            name,
            supplier,
        })
    }
}

/// The others with a name that begins with the first word of a name of a supplier, or if these are many, with its first
/// two; those with most records first. Without those that are suggested to be the same.
///
/// Looks at a bounded number of names, and for each reads the lines of at most 24 suppliers.
pub(crate) fn begin_alike(list: &SupplierList, of: &Supplier) -> Vec<Alike> {
    let mut names = vec![key(&of.name)];
    for name in of.names.iter().take(MAX_NAMES).map(|of| key(&of.name)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut found: Vec<Alike> = Vec::new();
    for name in names {
        for alike in begin_as(list, of, &name) {
            if found.iter().all(|known| known.supplier.id != alike.supplier.id) {
                found.push(alike);
            }
        }
    }
    found.sort_by_key(|alike| Reverse(alike.supplier.records));
    found.truncate(MAX_ALIKE);
    found
}

/// Those of one name, which is folded.
fn begin_as(list: &SupplierList, of: &Supplier, name: &str) -> Vec<Alike> {
    let words: Vec<&str> = name.split(' ').collect();
    let starts = (1..=MAX_WORDS.min(words.len())).map(|count| words[..count].join(" "));
    let few = starts.filter(|start| is_telling(start)).find_map(|start| {
        let numbers = list.with_name_from(&start);
        FEW.contains(&numbers.len()).then_some((start, numbers))
    });
    let Some((start, numbers)) = few else {
        return Vec::new();
    };
    let others = numbers.into_iter().filter_map(|number| list.get(number));
    let others = others.filter(|other| !is_listed(other, of));
    let begins = |key: &str| key.strip_prefix(&start).is_some_and(is_end);
    others.filter_map(|supplier| Alike::of(supplier, begins)).collect()
}

/// Consortia with the words of the firm in their names, those with most records first; no supplier of `alike`.
///
/// Reads the lines of at most 200 suppliers.
pub(crate) fn consortia(list: &SupplierList, of: &Supplier, alike: &[Alike]) -> Vec<Alike> {
    let Some(words) = words_of_firm(of).map(fold) else {
        return Vec::new();
    };
    let others = list.containing(&words).into_iter().take(MAX_READ);
    let others = others.filter_map(|number| list.get(number)).filter(|other| {
        let is_alike = alike.iter().any(|known| known.supplier.id == other.id);
        other.records > 0 && !is_alike && !is_listed(other, of)
    });
    let has_words = |key: &str| format!(" {key} ").contains(&format!(" {words} "));
    let found = others.filter_map(|supplier| Alike::of(supplier, has_words));
    found.filter(|found| found.is_consortium).take(MAX_CONSORTIA).collect()
}

/// The words of the name of a supplier that say which firm it is. `None` for a consortium, and for words that many
/// firms have.
pub(crate) fn words_of_firm(of: &Supplier) -> Option<&str> {
    let words = firm_words(&of.name);
    (is_telling(&fold(words)) && !NameForm::of(&of.name).is_consortium).then_some(words)
}

/// Whether the page of a supplier names another one elsewhere, or is its own.
fn is_listed(other: &Supplier, of: &Supplier) -> bool {
    other.id == of.id || of.suggestions.iter().any(|suggestion| suggestion.id == other.id)
}

/// Whether no word goes on.
fn is_end(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(' ')
}

/// Whether folded words say who it is: they are no place, and one of them is no common word, no legal form and no first
/// name. The last one is no article and no preposition.
fn is_telling(start: &str) -> bool {
    let is_place = known_province(start).is_some() || !municipality::named_cities(start).is_empty();
    let own = municipality::without_forms(start);
    let last = start.rsplit(' ').next().unwrap_or(start);
    let ends_well = last.chars().count() > 2 && own.ends_with(last);
    let is_own = |word: &&str| !is_legal_form(word) && !is_first_name(word);
    !is_place && ends_well && telling_words(&own).iter().any(is_own)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::suppliers::{Party, supplier::id_of_name};

    /// Suppliers of one name each, those with most records first.
    fn list(names: &[&str]) -> SupplierList {
        let line = |(records, name): (usize, &&str)| {
            let id = id_of_name(Party::Supplier, &key(name));
            let of_name = json!({"name": name, "records": 100 - records, "total_value": 0.0,
                "first_year": null, "last_year": null, "mentions": 1});
            let line = json!({"id": id, "name": name, "names": [of_name], "records": 100 - records,
                "total_value": 0.0, "first_year": null, "last_year": null, "by_entity_type": [], "numbers": [],
                "suggestions": []});
            format!("{line}\n")
        };
        let text: String = names.iter().enumerate().map(line).collect();
        SupplierList::parse(Party::Supplier, text.into_bytes().into()).unwrap()
    }

    fn alike(list: &SupplierList, name: &str) -> Vec<String> {
        let found = begin_alike(list, &list.with_name(name).unwrap());
        found.into_iter().map(|alike| alike.name).collect()
    }

    #[test]
    fn names_that_begin_with_one_word_or_with_two_are_found() {
        let list_of_few = list(&["AEG Fuel", "AEG Fuels", "AEG", "AEGIS", "AEG Fuiels inc."]);
        assert_eq!(alike(&list_of_few, "AEG Fuels"), ["AEG Fuel", "AEG", "AEG Fuiels inc."]);
        assert!(alike(&list_of_few, "Aegis").is_empty());
        let mut names: Vec<String> = (0..24).map(|number| format!("Acme number{number}")).collect();
        names.extend(["Acme Paint".to_owned(), "Acme Paint Ltd.".to_owned()]);
        let list_of_many = list(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(alike(&list_of_many, "Acme Paint"), ["Acme Paint Ltd."]);
        assert!(alike(&list_of_many, "Acme number3").is_empty());
        let list_of_ten = list(&names[16..].iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(alike(&list_of_ten, "Acme Paint").len(), MAX_ALIKE);
    }

    #[test]
    fn consortia_with_the_words_of_a_firm_are_found_wherever_they_have_them() {
        let list = list(&[
            "SNC-Lavalin inc.",
            "Consortium Roche / SNC-Lavalin",
            "Consortium SNC-Lavalins / Roche",
            "SNC-Lavalin/Dessau",
            "Groupe SNC-Lavalin",
        ]);
        let own = list.with_name("SNC-Lavalin inc.").unwrap();
        let names = |found: Vec<Alike>| found.into_iter().map(|alike| alike.name).collect::<Vec<_>>();
        let alike = begin_alike(&list, &own);
        assert!(
            alike
                .iter()
                .all(|alike| alike.is_consortium == alike.name.contains('/'))
        );
        assert_eq!(
            names(consortia(&list, &own, &alike)),
            ["Consortium Roche / SNC-Lavalin"]
        );
        assert_eq!(names(alike), ["SNC-Lavalin/Dessau"]);
        let joint = list.with_name("SNC-Lavalin/Dessau").unwrap();
        assert!(consortia(&list, &joint, &[]).is_empty());
    }

    #[test]
    fn places_common_words_legal_forms_and_first_names_say_nothing() {
        for start in [
            "laval",
            "ontario",
            "ville de",
            "construction",
            "les",
            "inc",
            "jean",
            "ville de laval",
            "ministere des",
            "office of",
        ] {
            assert!(!is_telling(start), "{start}");
        }
        for start in ["aeg", "laval hockey", "jean tremblay", "construction abc"] {
            assert!(is_telling(start), "{start}");
        }
    }
}
