//! Other suppliers whose names begin as that of a supplier does: what no rule joins, but a reader should know of.

use std::ops::RangeInclusive;

use super::{
    look_up::SupplierList,
    name_form::{is_first_name, is_legal_form, telling_words},
    names::key,
    supplier::Supplier,
};
use crate::model::{municipality, vocabulary::known_province};

/// How many suppliers, with the own one, have names that begin with the same words. More of them have a common word.
const FEW: RangeInclusive<usize> = 2..=12;

/// The maximum number of other suppliers that are returned.
const MAX_ALIKE: usize = 6;

/// The maximum number of words that two names begin with.
const MAX_WORDS: usize = 2;

/// A supplier with a name that begins alike.
#[derive(Debug, PartialEq)]
pub(crate) struct Alike {
    pub(crate) supplier: Supplier,
    /// Its name with most records that begins so.
    pub(crate) name: String,
}

/// The others with a name that begins with the first word of the name of a supplier, or if these are many, with its
/// first two; those with most records first. Without those that are suggested to be the same.
///
/// Looks at a bounded number of names, and reads the lines of at most 12 suppliers.
pub(crate) fn begin_alike(list: &SupplierList, of: &Supplier) -> Vec<Alike> {
    let key_of_name = key(&of.name);
    let words: Vec<&str> = key_of_name.split(' ').collect();
    let starts = (1..=MAX_WORDS.min(words.len())).map(|count| words[..count].join(" "));
    let few = starts.filter(|start| is_telling(start)).find_map(|start| {
        let numbers = list.with_name_from(&start);
        FEW.contains(&numbers.len()).then_some((start, numbers))
    });
    let Some((start, numbers)) = few else {
        return Vec::new();
    };
    let is_listed = |id: &str| id == of.id || of.suggestions.iter().any(|suggestion| suggestion.id == id);
    let others = numbers.into_iter().filter_map(|number| list.get(number));
    let others = others.filter(|other| !is_listed(&other.id)).filter_map(|supplier| {
        Some(Alike {
            name: name_from(&supplier, &start)?,
            supplier,
        })
    });
    others.take(MAX_ALIKE).collect()
}

/// The first of the names that begins with folded words.
fn name_from(supplier: &Supplier, start: &str) -> Option<String> {
    let begins = |name: &&String| {
        let key = key(name);
        let rest = key.strip_prefix(start);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let names = supplier
        .names
        .iter()
        .flat_map(|of| [Some(&of.name), of.name_fr.as_ref()]);
    names.flatten().find(begins).cloned()
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
        let mut names: Vec<String> = (0..12).map(|number| format!("Acme number{number}")).collect();
        names.extend(["Acme Paint".to_owned(), "Acme Paint Ltd.".to_owned()]);
        let list_of_many = list(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(alike(&list_of_many, "Acme Paint"), ["Acme Paint Ltd."]);
        assert!(alike(&list_of_many, "Acme number3").is_empty());
        let list_of_ten = list(&names[4..].iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(alike(&list_of_ten, "Acme Paint").len(), MAX_ALIKE);
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
