//! The members of a row, which is a JSON object, by the columns of a file. No value is parsed.

use std::{borrow::Cow, collections::HashMap};

use anyhow::{Context, anyhow};
use rustc_hash::FxHashMap;

use crate::storage::json_members::{JsonMember, JsonMembers, JsonValue, NotAnObject};

/// The columns by their names.
#[derive(Clone)]
pub(super) struct ColumnNames {
    names: Vec<String>,
    numbers: FxHashMap<String, usize>,
    /// For each column, and first for the beginning of a row: the one that followed it in the row before. Rows of one
    /// source have their members in one order.
    next: Vec<usize>,
}

/// Members, each with its value.
pub(super) type Other<'r> = Vec<(Cow<'r, str>, JsonValue<'r>)>;

/// The members of a row. Of a name that is repeated, the last one counts.
#[derive(Default)]
pub(super) struct Members<'r> {
    /// For each column.
    pub(super) of_columns: Vec<Option<JsonValue<'r>>>,
    /// The members that have no column, in their order.
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

impl<'r> Members<'r> {
    /// Reads the members of a JSON object in place of those that are here.
    pub(super) fn read(&mut self, row: &'r [u8], names: &mut ColumnNames) -> anyhow::Result<()> {
        self.of_columns.clear();
        self.of_columns.resize(names.names.len(), None);
        self.other.clear();
        // Checked once, and not again for each text.
        let text = simdutf8::basic::from_utf8(row).context("a row is not UTF-8")?;
        let mut object = JsonMembers::of(text);
        let mut place = 0;
        loop {
            let member = object
                .next_member()
                .map_err(|NotAnObject| anyhow!("a row is not a JSON object"))?;
            let Some(JsonMember { name, value, .. }) = member else {
                break;
            };
            let name = name.text().context("the name of a member is no JSON text")?;
            match names.find(place, &name) {
                Some(number) => {
                    self.of_columns[number] = Some(value);
                    place = number + 1;
                }
                None => self.set_other(name, value),
            }
        }
        if self.other.len() > FEW_MEMBERS {
            self.other = without_repeated(std::mem::take(&mut self.other));
        }
        Ok(())
    }

    fn set_other(&mut self, name: Cow<'r, str>, value: JsonValue<'r>) {
        let mut known = self.other.iter_mut().take(FEW_MEMBERS);
        match known.find(|(known, _)| *known == name) {
            Some(member) => member.1 = value,
            None => self.other.push((name, value)),
        }
    }
}

/// The members of which each is looked for among the others one by one. A record of 256 KiB can have 40,000.
const FEW_MEMBERS: usize = 64;

/// Each name once, at its first place and with its last value.
fn without_repeated(members: Other) -> Other {
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
            let mut found = Members::default();
            for _ in 0..2 {
                found.read(row.as_bytes(), &mut names).unwrap();
                let named = found.other.iter().filter(|(name, _)| *name == "a" || *name == "b");
                let named: Vec<_> = named.map(|(name, value)| (name.as_ref(), value.json)).collect();
                let of_columns: Vec<_> = found
                    .of_columns
                    .iter()
                    .map(|value| value.map(|value| value.json))
                    .collect();
                assert_eq!((named, of_columns), (vec![("a", "3")], vec![Some("4"), None]));
            }
        }
    }
}
