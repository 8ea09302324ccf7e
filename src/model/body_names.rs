//! Acronyms and former names of public bodies, by which people ask for them.
//!
//! The table is `data/body_names.csv`. A body of the table is found by any of its names or acronyms, because a
//! publisher may state either.

use std::{collections::HashMap, sync::LazyLock};

use crate::model::fold::fold;

/// A row of the table: all names of a body, then its acronyms.
type Body = Vec<String>;

struct BodyNames {
    bodies: Vec<Body>,
    /// From a folded name or acronym to the number of its body.
    by_key: HashMap<String, usize>,
}

static TABLE: LazyLock<BodyNames> = LazyLock::new(|| {
    let bodies: Vec<Body> = rows()
        .map(|row| row.expect("the table is part of the binary, and a test reads every row"))
        .collect();
    let mut by_key = HashMap::new();
    for (number, body) in bodies.iter().enumerate() {
        by_key.extend(body.iter().map(|name| (fold(name), number)));
    }
    BodyNames { bodies, by_key }
});

fn rows() -> impl Iterator<Item = csv::Result<Body>> {
    let reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(include_str!("../../data/body_names.csv").as_bytes());
    let cells = |row: csv::StringRecord| {
        let listed = row.iter().take(2).flat_map(|cell| cell.split('|'));
        listed.map(str::to_owned).collect()
    };
    reader.into_records().map(move |row| row.map(cells))
}

/// All names and acronyms of the body that has one of these folded names or acronyms; empty for a body that is not in
/// the table.
pub(crate) fn all_names<'k>(keys: impl IntoIterator<Item = &'k str>) -> &'static [String] {
    let number = keys.into_iter().find_map(|key| TABLE.by_key.get(key));
    number.map_or(&[], |number| &TABLE.bodies[*number])
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
            assert!(body.len() >= 2, "{body:?}");
            for name in body {
                let key = fold(name);
                assert!(!key.is_empty() && name == name.trim(), "{body:?}");
                let other = seen.insert(key, number);
                assert!(other.is_none(), "{name} is the name of two bodies, or listed twice");
            }
        }
    }

    #[test]
    fn a_body_is_found_by_any_of_its_names() {
        let has = |key: &str, name: &str| all_names([key]).iter().any(|known| known == name);
        assert!(has("industry canada", "ISED") && has("isde", "Industry Canada"));
        assert!(has("dfatd", "Global Affairs Canada"));
        assert!(has("societe de transport de montreal", "STM"));
        assert!(all_names(["nobody", ""]).is_empty());
    }
}
