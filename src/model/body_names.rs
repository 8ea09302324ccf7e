//! Acronyms and former names of public bodies, by which people ask for them.
//!
//! The table is `data/body_names.csv`. A body of the table is found by any of its names or acronyms, because a
//! publisher may state either.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use crate::model::fold::fold;

/// A row of the table.
#[derive(Debug)]
struct Body {
    /// All names, then the acronyms, then the names with an acronym at the end: publishers write `Société de transport
    /// de Montréal (STM)`.
    names: Vec<String>,
    /// Which of them are acronyms.
    acronyms: Range<usize>,
    /// The web address or the act to check the row against.
    source: String,
    /// Names of former bodies, in other rows, of which it took over a part.
    parts_of: Vec<String>,
}

impl Body {
    fn acronyms(&self) -> &[String] {
        &self.names[self.acronyms.clone()]
    }
}

struct BodyNames {
    bodies: Vec<Body>,
    /// From a folded name or acronym to the number of its body.
    by_key: HashMap<String, usize>,
    /// From a folded name of a former body to the bodies that took over a part of it.
    by_former: HashMap<String, Vec<usize>>,
}

static TABLE: LazyLock<BodyNames> = LazyLock::new(|| {
    let bodies: Vec<Body> = rows()
        .map(|row| row.expect("the table is part of the binary, and a test reads every row"))
        .collect();
    let mut by_key = HashMap::new();
    let mut by_former: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, body) in bodies.iter().enumerate() {
        by_key.extend(body.names.iter().map(|name| (fold(name), number)));
        for name in &body.parts_of {
            by_former.entry(fold(name)).or_default().push(number);
        }
    }
    BodyNames {
        bodies,
        by_key,
        by_former,
    }
});

fn rows() -> impl Iterator<Item = csv::Result<Body>> {
    let reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .flexible(true)
        .from_reader(include_str!("../../data/body_names.csv").as_bytes());
    reader.into_records().map(|row| row.map(|row| body(&row)))
}

fn body(row: &csv::StringRecord) -> Body {
    let cell = |number: usize| {
        let names = row.get(number).unwrap_or_default().split('|');
        names.filter(|name| !name.is_empty())
    };
    let with = |name| cell(1).map(move |acronym| format!("{name} {acronym}"));
    let names = cell(0).chain(cell(1)).map(str::to_owned);
    let first = cell(0).count();
    Body {
        names: names.chain(cell(0).flat_map(with)).collect(),
        acronyms: first..first + cell(1).count(),
        source: row.get(2).unwrap_or_default().to_owned(),
        parts_of: cell(3).map(str::to_owned).collect(),
    }
}

/// The number of the body that has this folded name or acronym; `None` if it is not in the table.
pub(crate) fn row_of(key: &str) -> Option<usize> {
    TABLE.by_key.get(key).copied()
}

/// Whether a folded name is the acronym of a body of the table.
pub(crate) fn is_acronym(key: &str) -> bool {
    let body = row_of(key).map(|row| &TABLE.bodies[row]);
    body.is_some_and(|body| body.acronyms().iter().any(|acronym| fold(acronym) == key))
}

/// What to check a row against.
pub(crate) fn source(row: usize) -> &'static str {
    &TABLE.bodies[row].source
}

/// All names and acronyms of the body that has one of these folded names or acronyms, and its names with an acronym;
/// empty for a body that is not in the table.
pub(crate) fn all_names<'k>(keys: impl IntoIterator<Item = &'k str>) -> &'static [String] {
    let number = keys.into_iter().find_map(row_of);
    number.map_or(&[], |number| &TABLE.bodies[number].names)
}

/// The row of a name of several words. An acronym or a name of one word may also be that of a firm.
pub(crate) fn row_of_words(key: &str) -> Option<usize> {
    row_of(key).filter(|_| key.contains(' ') && !is_acronym(key))
}

/// The names of former bodies of which the body with one of these folded names took over a part.
pub(crate) fn parts_of<'k>(keys: impl IntoIterator<Item = &'k str>) -> &'static [String] {
    let row = keys.into_iter().find_map(row_of);
    row.map_or(&[], |row| &TABLE.bodies[row].parts_of)
}

/// All names of each body that took over a part of the former body with this folded name.
pub(crate) fn successors(key: &str) -> impl Iterator<Item = &'static [String]> {
    let rows = TABLE.by_former.get(key).into_iter().flatten();
    rows.map(|row| TABLE.bodies[*row].names.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_valid() {
        let bodies: Vec<Body> = rows().map(Result::unwrap).collect();
        assert!(bodies.len() > 50);
        let mut seen = HashMap::new();
        for (number, body) in bodies.iter().enumerate() {
            assert!(body.names.len() >= 2 && !body.source.is_empty(), "{body:?}");
            for (place, name) in body.names.iter().enumerate() {
                let key = fold(name);
                assert!(!key.is_empty() && name == name.trim(), "{body:?}");
                let is_made = place >= body.acronyms.end;
                let other = seen.insert(key, number).filter(|other| !is_made || *other != number);
                assert!(other.is_none(), "{name} is the name of two bodies, or listed twice");
            }
        }
        for (number, body) in bodies.iter().enumerate() {
            for name in &body.parts_of {
                let row = row_of(&fold(name));
                assert!(
                    row.is_some_and(|row| row != number),
                    "{name} is the name of no other body"
                );
            }
        }
    }

    #[test]
    fn a_former_body_that_was_split_has_several_successors() {
        let of = |key: &str| successors(key).map(|names| names[0].as_str()).collect::<Vec<_>>();
        assert_eq!(of("indian and northern affairs canada"), ["Indigenous Services Canada"]);
        assert_eq!(
            of("cspq"),
            [
                "Centre d'acquisitions gouvernementales",
                "Ministère de la Cybersécurité et du Numérique"
            ]
        );
        assert!(of("crown indigenous relations and northern affairs canada").is_empty());
        assert!(parts_of(["nobody", "isc"]).iter().any(|name| name == "INAC"));
    }

    #[test]
    fn names_of_several_words_that_are_no_acronyms_name_one_body() {
        let postes = row_of_words("societe canadienne des postes");
        assert!(postes.is_some() && postes == row_of_words("canada post corporation"));
        assert!(postes == row_of_words("postes canada") && row_of("metrolinx").is_some());
        for key in ["metrolinx", "mtq", "nobody else"] {
            assert!(row_of_words(key).is_none(), "{key}");
        }
    }

    #[test]
    fn a_body_is_found_by_any_of_its_names() {
        let has = |key: &str, name: &str| all_names([key]).iter().any(|known| known == name);
        assert!(has("industry canada", "ISED") && has("isde", "Industry Canada"));
        assert!(has("dfatd", "Global Affairs Canada"));
        assert!(has("mcgill university", "Université McGill") && !is_acronym(""));
        assert!(has("societe de transport de montreal", "STM"));
        assert!(has("societe de transport de montreal stm", "STM"));
        assert!(
            has("stm", "Société de transport de Montréal STM") && !is_acronym("societe de transport de montreal stm")
        );
        for key in ["mtq", "ministere des transports du quebec service des acquisitions"] {
            assert!(has(key, "Ministère des Transports et de la Mobilité durable"), "{key}");
        }
        assert!(has("regie de l assurance maladie du quebec", "RAMQ") && has("sq", "Sûreté du Québec"));
        assert!(all_names(["nobody", ""]).is_empty());
        assert!(is_acronym("dfatd") && !is_acronym("global affairs canada") && !is_acronym("nobody"));
        assert_eq!(source(row_of("stm").unwrap()), "stm.info");
    }
}
