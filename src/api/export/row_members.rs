//! The members of a row, which is a JSON object, by the columns of a file. No value is parsed.

use std::{borrow::Cow, collections::HashMap, fmt};

use anyhow::Context;
use serde::{
    Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The columns by their names.
#[derive(Clone)]
pub(super) struct ColumnNames {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    /// For each column, and first for the beginning of a row: the one that followed it in the row before. Rows of one
    /// source have their members in one order.
    next: Vec<usize>,
}

/// Members, each with its JSON text.
pub(super) type Other<'r> = Vec<(Cow<'r, str>, &'r RawValue)>;

/// The members of a row. Of a name that is repeated, the last one counts.
pub(super) struct Members<'r> {
    /// For each column.
    pub(super) of_columns: Vec<Option<&'r RawValue>>,
    /// Those that have no column, in their order.
    pub(super) other: Other<'r>,
}

impl ColumnNames {
    pub(super) fn of(names: Vec<String>) -> ColumnNames {
        ColumnNames {
            numbers: (0..).zip(&names).map(|(number, name)| (name.clone(), number)).collect(),
            next: (0..=names.len()).collect(),
            names,
        }
    }

    /// The number of a column.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The number of the column with this name. `place` is 0 at the beginning of a row, then one more than the last
    /// number that was found.
    fn find(&mut self, place: usize, name: &str) -> Option<usize> {
        let expected = self.next[place];
        if self.names.get(expected).is_some_and(|known| known == name) {
            return Some(expected);
        }
        let number = self.number(name)?;
        self.next[place] = number;
        Some(number)
    }
}

/// The members of a JSON object.
pub(super) fn members<'r>(row: &'r [u8], names: &mut ColumnNames) -> anyhow::Result<Members<'r>> {
    struct Object<'n>(&'n mut ColumnNames);

    impl<'r> Visitor<'r> for Object<'_> {
        type Value = Members<'r>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a JSON object")
        }

        fn visit_map<A: MapAccess<'r>>(self, mut map: A) -> Result<Members<'r>, A::Error> {
            let (mut of_columns, mut other) = (vec![None; self.0.names.len()], Other::new());
            let mut place = 0;
            while let Some(Name(name)) = map.next_key()? {
                let value: &RawValue = map.next_value()?;
                if let Some(number) = self.0.find(place, &name) {
                    of_columns[number] = Some(value);
                    place = number + 1;
                    continue;
                }
                match other.iter_mut().take(FEW_MEMBERS).find(|(known, _)| *known == name) {
                    Some(member) => member.1 = value,
                    None => other.push((name, value)),
                }
            }
            let other = without_repeated(other);
            Ok(Members { of_columns, other })
        }
    }

    // Checked once, and not again for each text.
    let text = simdutf8::basic::from_utf8(row).context("a row is not UTF-8")?;
    let mut json = serde_json::Deserializer::from_str(text);
    let members = json.deserialize_map(Object(names)).context("a row is no JSON object")?;
    json.end().context("a row is more than a JSON object")?;
    Ok(members)
}

/// The members of which each is looked for among the others one by one. A record of 256 KiB can have 40,000.
const FEW_MEMBERS: usize = 64;

/// Each name once, at its first place and with its last value.
fn without_repeated(members: Other) -> Other {
    if members.len() <= FEW_MEMBERS {
        return members;
    }
    let (mut numbers, mut single) = (HashMap::with_capacity(members.len()), Other::new());
    for (name, value) in members {
        let number = *numbers.entry(name.clone()).or_insert(single.len());
        match single.get_mut(number) {
            Some(member) => member.1 = value,
            None => single.push((name, value)),
        }
    }
    single
}

/// The name of a member, which needs no copy unless it has an escaped character.
#[derive(serde::Deserialize)]
struct Name<'r>(#[serde(borrow)] Cow<'r, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_repeated_name_the_last_member_counts() {
        for others in [0, FEW_MEMBERS - 1, FEW_MEMBERS, 3 * FEW_MEMBERS] {
            let others: String = (0..others).map(|name| format!("\"m{name}\":1,")).collect();
            let row = format!("{{\"a\":1,{others}\"b\":2,\"a\":3,\"b\":4}}");
            // With and without a column of its own; twice, because the order of the first row is remembered.
            let mut names = ColumnNames::of(vec!["b".to_owned(), "z".to_owned()]);
            for _ in 0..2 {
                let found = members(row.as_bytes(), &mut names).unwrap();
                let named = found.other.iter().filter(|(name, _)| *name == "a" || *name == "b");
                let named: Vec<_> = named.map(|(name, value)| (name.as_ref(), value.get())).collect();
                let of_columns: Vec<_> = found.of_columns.iter().map(|value| value.map(RawValue::get)).collect();
                assert_eq!((named, of_columns), (vec![("a", "3")], vec![Some("4"), None]));
            }
        }
    }
}
