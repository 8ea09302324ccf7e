//! Suppliers that are related to a supplier by name only: names that begin with the same words, and consortia that name
//! the firm. No rule joins them, but a reader should know of them.

use std::{cmp::Reverse, ops::RangeInclusive};

use super::{
    look_up::SupplierList,
    name_form::{NameForm, firm_words, is_first_name, is_legal_form, telling_words},
    names::key,
    supplier::Supplier,
};
use crate::model::{fold::fold, municipality, vocabulary::known_province};

/// How many suppliers may have names that begin with the same words, the supplier itself included. If there are more,
/// the words are common ones and show no relation.
const FEW: RangeInclusive<usize> = 2..=24;

/// The maximum number of suppliers that [`begin_alike`] returns.
pub(crate) const MAX_ALIKE: usize = 6;

/// The maximum number of names of a supplier whose beginnings are looked up.
const MAX_NAMES: usize = 12;

/// The maximum number of words at the beginning of a name that are compared.
const MAX_WORDS: usize = 2;

/// The maximum number of consortia that [`consortia`] returns.
const MAX_CONSORTIA: usize = 12;

/// The maximum number of suppliers that are read to find consortia.
const MAX_READ: usize = 200;

/// A supplier that is related by a name: one that begins alike, or that of a consortium.
#[derive(Debug, PartialEq)]
pub(crate) struct Alike {
    pub(crate) supplier: Supplier,
    /// The related name; of several, the one with most records.
    pub(crate) name: String,
    pub(crate) is_consortium: bool,
}

impl Alike {
    /// `None` if no name of the supplier is related; `is_related` gets the keys of its names.
    fn of(supplier: Supplier, is_related: impl Fn(&str) -> bool) -> Option<Alike> {
        let name = supplier.spellings().find(|name| is_related(&key(name))).cloned()?;
        Some(Alike {
            is_consortium: NameForm::of(&name).is_consortium,
            name,
            supplier,
        })
    }
}

/// The suppliers with a name that begins with the first word of a name of `of`; if these are many, with its first two
/// words. Suppliers with most records come first. Suppliers that are suggested to be the same as `of` are left out.
///
/// Reads the lines of at most 24 suppliers for each of at most [`MAX_NAMES`] names.
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

/// The suppliers with a name that begins as one name of `of`, given as its key.
fn begin_as(list: &SupplierList, of: &Supplier, name: &str) -> Vec<Alike> {
    let words: Vec<&str> = name.split(' ').collect();
    let starts = (1..=MAX_WORDS.min(words.len())).map(|count| words[..count].join(" "));
    let few = starts.filter(|start| identifies_firm(start)).find_map(|start| {
        let numbers = list.with_name_from(&start);
        FEW.contains(&numbers.len()).then_some((start, numbers))
    });
    let Some((start, numbers)) = few else {
        return Vec::new();
    };
    let others = numbers.into_iter().filter_map(|number| list.get(number));
    let others = others.filter(|other| !is_listed(other, of));
    let begins = |key: &str| key.strip_prefix(&start).is_some_and(is_end_of_word);
    others.filter_map(|supplier| Alike::of(supplier, begins)).collect()
}

/// The consortia whose names contain the [words of the firm](words_of_firm), without the suppliers of `alike`.
/// Consortia with most records come first.
///
/// Reads the lines of at most [`MAX_READ`] suppliers.
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

/// The words of a supplier's name that identify the firm. `None` for a consortium, and for words that many firms have.
pub(crate) fn words_of_firm(of: &Supplier) -> Option<&str> {
    let words = firm_words(&of.name);
    (identifies_firm(&fold(words)) && !NameForm::of(&of.name).is_consortium).then_some(words)
}

/// Whether `other` is `of` itself, or is suggested to be the same, which the page of `of` shows elsewhere.
fn is_listed(other: &Supplier, of: &Supplier) -> bool {
    other.id == of.id || of.suggestions.iter().any(|suggestion| suggestion.id == other.id)
}

/// Whether the text before `rest` ends with a whole word.
fn is_end_of_word(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(' ')
}

/// The suppliers of whose records at least half have a name that begins with these words, or with these after one of
/// [`FIRST_WORDS`]; those with most records first, without consortia. Empty if the words do not identify a firm, or too
/// many names begin with them.
pub(crate) fn named_from(list: &SupplierList, words: &str) -> Vec<Supplier> {
    if !identifies_firm(&fold(words)) {
        return Vec::new();
    }
    let starts = FIRST_WORDS.map(|first| key(&format!("{first} {words}")));
    let mut numbers: Vec<u32> = starts.iter().flat_map(|start| list.with_name_from(start)).collect();
    // Suppliers with most records have the lowest numbers.
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() > *FEW.end() {
        return Vec::new();
    }
    let begins = |name: &str| {
        let of_name = key(name);
        let mut rests = starts.iter().filter_map(|start| of_name.strip_prefix(start.as_str()));
        rests.any(is_end_of_word)
    };
    let is_called_so = |found: &Supplier| {
        let names = found.names.iter().filter(|of| begins(&of.name));
        2 * names.map(|of| of.records).sum::<u64>() >= found.records
    };
    let found = numbers.into_iter().filter_map(|number| list.get(number));
    found
        .filter(|found| found.records > 0 && is_called_so(found) && !NameForm::of(&found.name).is_consortium)
        .collect()
}

/// What publishers write or leave out before the name of a firm: "Société Acme".
const FIRST_WORDS: [&str; 11] = [
    "",
    "compagnie",
    "groupe",
    "la compagnie",
    "la societe",
    "le groupe",
    "les entreprises",
    "societe",
    "societe conseil",
    "societe conseil groupe",
    "the",
];

/// Whether folded words identify a firm: they are not the name of a place, and one of them is neither a common word nor
/// a legal form nor a first name. The last word must not be an article or a preposition.
fn identifies_firm(words: &str) -> bool {
    let is_place = known_province(words).is_some() || !municipality::named_cities(words).is_empty();
    let own = municipality::without_forms(words);
    let last = words.rsplit(' ').next().unwrap_or(words);
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
    fn firms_are_named_with_and_without_the_first_word() {
        let names = [
            "Acme Paint",
            "Société Acme inc.",
            "Le Groupe Acme",
            "Nouvelle Acme",
            "Acmes",
            "Acme / Zenith",
        ];
        let found = named_from(&list(&names), "acme");
        let found: Vec<&str> = found.iter().map(|supplier| supplier.name.as_str()).collect();
        assert_eq!(found, names[..3]);
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
            assert!(!identifies_firm(start), "{start}");
        }
        for start in ["aeg", "laval hockey", "jean tremblay", "construction abc"] {
            assert!(identifies_firm(start), "{start}");
        }
    }
}
