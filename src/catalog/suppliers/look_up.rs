//! How the suppliers and the bodies of a generation are found: by identifier, by name, and by a part of a name.
//!
//! What they are found by is computed when the index is built, and memory-mapped: a server opens a million suppliers in
//! no time.

use std::cmp::Reverse;

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use rayon::prelude::*;
use serde::Deserialize;

use super::{
    names::{Names, key},
    party::Party,
    supplier::{Supplier, SupplierName, digits_of_id, digits_of_name, digits_of_number},
};
use crate::{
    engine::{
        name_words::NameWords,
        packed::{Lists, Numbers, Texts, pack, partition, unpack},
    },
    model::{
        fold::fold,
        supplier_mention::{MentionLine, SupplierMention},
    },
    storage::json_members::{JsonMember, JsonMembers},
};

/// The suppliers or the bodies of a generation, those with most records first.
pub(crate) struct SupplierList {
    party: Party,
    /// The line of each supplier.
    lines: Texts,
    /// For each supplier its records of all entity types.
    records: Numbers<u64>,
    /// The keys of all names, sorted.
    keys: Texts,
    /// For each key the number of its supplier.
    supplier_of_key: Numbers<u32>,
    /// The words of the keys.
    words: NameWords,
    /// The digits of every identifier that a supplier has or would have, sorted.
    ids: Numbers<u64>,
    /// For each identifier the number of its supplier.
    supplier_of_id: Numbers<u32>,
}

/// The members of a line that suppliers are found by.
#[derive(Deserialize)]
struct Found {
    id: String,
    records: u64,
    names: Vec<FoundName>,
    numbers: Vec<FoundNumber>,
}

#[derive(Deserialize)]
struct FoundName {
    name: String,
    #[serde(default)]
    name_fr: Option<String>,
}

#[derive(Deserialize)]
struct FoundNumber {
    number: String,
    mentions: u64,
}

/// The maximum number of names that are looked at for their first words.
const MAX_READ: usize = 1_000;

/// What the supplier of a line is found by.
struct Line {
    records: u64,
    /// The keys of its names.
    keys: Vec<String>,
    /// The digits of its identifiers, and what decides whose an identifier is: the supplier that has it comes first.
    /// The identifier of a number goes to the supplier that is most often stated with it.
    ids: Vec<(u64, Reverse<u64>)>,
}

impl Line {
    fn parse(party: Party, line: &[u8]) -> Result<Line> {
        let found: Found = serde_json::from_slice(line)?;
        let Some(own_id) = digits_of_id(party, &found.id) else {
            bail!("{:?} is no identifier of a {}", found.id, party.noun());
        };
        let names = found.names.iter().flat_map(|of| [Some(&of.name), of.name_fr.as_ref()]);
        let keys: Vec<String> = names.flatten().map(|name| key(name)).collect();
        let mut ids = vec![(own_id, Reverse(u64::MAX))];
        ids.extend(keys.iter().map(|key| (digits_of_name(key), Reverse(0))));
        let numbers = found.numbers.iter();
        ids.extend(numbers.map(|of| (digits_of_number(&of.number), Reverse(of.mentions))));
        Ok(Line {
            records: found.records,
            keys,
            ids,
        })
    }
}

impl SupplierList {
    /// Reads the lines of a file.
    pub(crate) fn parse(party: Party, text: Bytes) -> Result<SupplierList> {
        ensure!(u32::try_from(text.len()).is_ok(), "it has 4 GiB or more");
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == Texts::END).collect();
        let (mut starts, mut records) = (vec![0], Vec::new());
        let mut keys: Vec<(String, u32)> = Vec::new();
        let mut ids: Vec<(u64, Reverse<u64>, u32)> = Vec::new();
        let found: Vec<Line> = lines
            .par_iter()
            .enumerate()
            .map(|(number, line)| Line::parse(party, line).with_context(|| format!("line {}", number + 1)))
            .collect::<Result<_>>()?;
        for ((line, of_line), number) in lines.iter().zip(found).zip(0..) {
            ids.extend(of_line.ids.into_iter().map(|(id, rank)| (id, rank, number)));
            keys.extend(of_line.keys.into_iter().map(|key| (key, number)));
            records.push(of_line.records);
            starts.push(starts[starts.len() - 1] + line.len() as u32);
        }
        ensure!(
            text.last().is_none_or(|byte| *byte == Texts::END),
            "its last line is cut"
        );
        ids.par_sort_unstable();
        ids.dedup_by_key(|(id, _, _)| *id);
        keys.par_sort_unstable();
        // A name may be the same in both languages.
        keys.dedup();
        let starts: Numbers<u32> = starts.into_iter().collect();
        Ok(SupplierList {
            party,
            lines: Texts::of_bytes([text, starts.as_bytes().clone()]).context("its lines do not follow each other")?,
            records: records.into_iter().collect(),
            words: NameWords::new(keys.iter().map(|(key, _)| key.as_bytes())),
            keys: keys.iter().map(|(key, _)| key.as_str()).collect(),
            supplier_of_key: keys.iter().map(|(_, supplier)| *supplier).collect(),
            ids: ids.iter().map(|(id, _, _)| *id).collect(),
            supplier_of_id: ids.iter().map(|(_, _, supplier)| *supplier).collect(),
        })
    }

    /// The lines of the file.
    pub(crate) fn text(&self) -> &Bytes {
        self.lines.as_bytes()[0]
    }

    /// What the suppliers are found by, as [`SupplierList::open`] reads it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let [_, starts] = self.lines.as_bytes();
        let [keys, key_starts] = self.keys.as_bytes();
        let [words, word_starts, name_starts, names] = self.words.as_bytes();
        pack(&[
            starts,
            self.records.as_bytes(),
            keys,
            key_starts,
            self.supplier_of_key.as_bytes(),
            self.ids.as_bytes(),
            self.supplier_of_id.as_bytes(),
            words,
            word_starts,
            name_starts,
            names,
        ])
    }

    /// The suppliers of these lines, found by what [`SupplierList::to_bytes`] returned. Reads nothing but the lengths
    /// of the parts; `None` if they do not belong together.
    pub(crate) fn open(party: Party, text: Bytes, found_by: &Bytes) -> Option<SupplierList> {
        let [
            starts,
            records,
            keys,
            key_starts,
            suppliers,
            ids,
            supplier_of_id,
            words @ ..,
        ] = unpack::<11>(found_by)?;
        let list = SupplierList {
            party,
            lines: Texts::of_bytes([text, starts])?,
            records: Numbers::of_bytes(records),
            keys: Texts::of_bytes([keys, key_starts])?,
            supplier_of_key: Numbers::of_bytes(suppliers),
            words: NameWords::of_bytes(words)?,
            ids: Numbers::of_bytes(ids),
            supplier_of_id: Numbers::of_bytes(supplier_of_id),
        };
        let is_whole = list.records.len() == list.lines.len()
            && list.supplier_of_key.len() == list.keys.len()
            && list.supplier_of_id.len() == list.ids.len();
        is_whole.then_some(list)
    }

    /// What it is a list of.
    pub(crate) fn party(&self) -> Party {
        self.party
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The supplier with a number of the list.
    pub(crate) fn get(&self, number: u32) -> Option<Supplier> {
        if number as usize >= self.len() {
            return None;
        }
        serde_json::from_str(self.lines.get(number)).ok()
    }

    /// The supplier that has or had an identifier.
    pub(crate) fn with_id(&self, id: &str) -> Option<Supplier> {
        self.get(self.find_id(id)?)
    }

    /// The supplier with a name, in any of its spellings.
    pub(crate) fn with_name(&self, name: &str) -> Option<Supplier> {
        self.get(self.find_name(name)?)
    }

    /// The identifier and the name of the supplier with a name, without reading the rest of the line.
    pub(crate) fn id_and_name(&self, name: &str) -> Option<[String; 2]> {
        let mut members = JsonMembers::of(self.lines.get(self.find_name(name)?));
        let (mut id, mut name) = (None, None);
        while id.is_none() || name.is_none() {
            let JsonMember {
                name: member, value, ..
            } = members.next_member().ok()??;
            match member.plain_text() {
                Some("id") => id = value.text(),
                Some("name") => name = value.text(),
                _ => {}
            }
        }
        Some([id?.into_owned(), name?.into_owned()])
    }

    /// The number of the supplier that has an identifier, or whose names and numbers include what it was made of.
    pub(crate) fn find_id(&self, id: &str) -> Option<u32> {
        let place = self.ids.find(digits_of_id(self.party, id)?)?;
        Some(self.supplier_of_id.get(place))
    }

    /// The number of the supplier with a name, in any of its spellings.
    pub(crate) fn find_name(&self, name: &str) -> Option<u32> {
        let key = key(name);
        let key = key.as_bytes();
        let place = partition(0..self.keys.len(), |name| self.keys.get_bytes(name as u32) < key);
        let is_known = place < self.keys.len() && self.keys.get_bytes(place as u32) == key;
        is_known.then(|| self.supplier_of_key.get(place))
    }

    /// Whether a name is these folded words, or begins with them.
    pub(crate) fn has_name_from(&self, words: &str) -> bool {
        let start = key(words);
        let place = partition(0..self.keys.len(), |name| self.keys.get(name as u32) < start.as_str());
        // Other names may be between the words themselves and the words with a space: "federal-x".
        let next = format!("{start} ");
        let after = partition(0..self.keys.len(), |name| self.keys.get(name as u32) < next.as_str());
        let is_known = |place: usize| place < self.keys.len();
        is_known(place) && self.keys.get(place as u32) == start
            || is_known(after) && self.keys.get(after as u32).starts_with(&next)
    }

    /// The numbers of suppliers with a name that is these words, or begins with them, in any spelling; those with most
    /// records first. Of very many names, some are looked at.
    pub(crate) fn with_name_from(&self, words: &str) -> Vec<u32> {
        let start = key(words);
        let place = partition(0..self.keys.len(), |name| self.keys.get(name as u32) < start.as_str());
        // A space comes before all letters, so these names follow each other.
        let is_from = |key: &str| {
            key.strip_prefix(&start)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let names = (place..self.keys.len()).take_while(|name| is_from(self.keys.get(*name as u32)));
        let mut numbers: Vec<u32> = names
            .take(MAX_READ)
            .map(|name| self.supplier_of_key.get(name))
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// For each supplier the numbers of the keys of its names.
    pub(crate) fn keys_of_each(&self) -> Lists {
        let keys = 0..self.keys.len() as u32;
        let mut pairs: Vec<(u32, u32)> = keys.map(|key| (self.supplier_of_key.get(key as usize), key)).collect();
        pairs.sort_unstable();
        Lists::of_sorted(self.len(), pairs)
    }

    /// The key with a number.
    pub(crate) fn key(&self, number: u32) -> &str {
        self.keys.get(number)
    }

    /// The records of a supplier with a number of the list, of all entity types.
    pub(crate) fn records(&self, number: u32) -> u64 {
        let number = number as usize;
        if number < self.records.len() {
            self.records.get(number)
        } else {
            0
        }
    }

    /// All names, without what is known of them.
    pub(crate) fn names(&self) -> Names {
        let suppliers = (0..self.len() as u32).filter_map(|number| self.get(number));
        let listed: Vec<SupplierName> = suppliers.flat_map(|supplier| supplier.names).collect();
        let lines = listed.iter().map(|name| MentionLine {
            mention: SupplierMention::of(&name.name, ""),
            count: 1,
            first: None,
        });
        let mut names = Names::new(&lines.collect::<Vec<_>>(), Vec::new());
        for name in listed {
            names.add_french(&name.name, name.name_fr);
        }
        names
    }

    /// Whether a text is in a name otherwise than as whole words: "CGI" in "McGill". Of very many names, some are
    /// looked at.
    pub(crate) fn is_inside_a_word(&self, part: &str) -> bool {
        let part = fold(part);
        let key = |number: u32| self.keys.get(number);
        let names = self.words.containing(part.as_bytes(), |number| key(number).as_bytes());
        let has_words = |number: &u32| format!(" {} ", key(*number)).contains(&format!(" {part} "));
        names.is_some_and(|names| !names.iter().take(MAX_READ).all(has_words))
    }

    /// The numbers of the suppliers with a name that contains a text, those with most records first; all for an empty
    /// text.
    pub(crate) fn containing(&self, part: &str) -> Vec<u32> {
        let part = fold(part);
        let names = self
            .words
            .containing(part.as_bytes(), |number| self.keys.get(number).as_bytes());
        let Some(names) = names else {
            return (0..self.len() as u32).collect();
        };
        let mut found: Vec<u32> = names
            .into_iter()
            .map(|name| self.supplier_of_key.get(name as usize))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::suppliers::supplier::{id_of_name, id_of_number};

    fn line(id: &str, names: &[&str], number: &str, mentions: u64) -> String {
        let names: Vec<_> = names
            .iter()
            .map(|name| serde_json::json!({"name": name, "records": 1, "total_value": 0.0, "mentions": 1}))
            .collect();
        let numbers = [serde_json::json!({"number": number, "mentions": mentions, "names": 1})];
        let line = serde_json::json!({
            "id": id, "name": names[0]["name"], "names": names, "records": mentions, "total_value": 0.0,
            "by_entity_type": [], "numbers": numbers, "suggestions": [],
        });
        format!("{line}\n")
    }

    #[test]
    fn a_name_begins_with_whole_words() {
        let text: String = ["Federal Express Canada", "Federal-Plus", "Federals"]
            .iter()
            .map(|name| line(&id_of_name(Party::Supplier, name), &[name], "1", 0))
            .collect();
        let list = SupplierList::parse(Party::Supplier, text.into()).unwrap();
        for (words, expected) in [
            ("federal express", true),
            ("federal express canada", true),
            ("federal", true),
            ("federal ex", false),
            ("feder", false),
            ("zz", false),
        ] {
            assert_eq!(list.has_name_from(words), expected, "{words}");
        }
    }

    #[test]
    fn an_opened_list_finds_what_the_parsed_one_finds() {
        let ids = [
            id_of_number(Party::Supplier, "neq:1"),
            id_of_name(Party::Supplier, "acme paving"),
            id_of_name(Party::Supplier, "acme"),
        ];
        let text = [
            line(&ids[0], &["Bell Nord inc.", "Bell"], "neq:1", 9),
            line(&ids[1], &["Acme Paving", "ACME"], "neq:2", 5),
            line(&ids[2], &["Acme Québec"], "neq:2", 7),
        ];
        let parsed = SupplierList::parse(Party::Supplier, text.concat().into()).unwrap();
        let opened = SupplierList::open(Party::Supplier, parsed.text().clone(), &parsed.to_bytes().into()).unwrap();
        for list in [&parsed, &opened] {
            assert_eq!(list.len(), 3);
            assert_eq!([0, 1, 2, 3].map(|number| list.records(number)), [9, 5, 7, 0]);
            assert_eq!(list.get(2).unwrap().name, "Acme Québec");
            assert!(list.get(3).is_none());
            assert_eq!(ids.each_ref().map(|id| list.find_id(id)), [Some(0), Some(1), Some(2)]);
            assert_eq!(
                list.find_id(&id_of_number(Party::Supplier, "neq:2")),
                Some(2),
                "it is stated with it most often"
            );
            assert_eq!(
                list.find_id(&id_of_name(Party::Supplier, "bell")),
                Some(0),
                "it would have had it"
            );
            for id in [
                "",
                "sup_",
                "acme",
                "sup_00000000000000000",
                &ids[0].to_uppercase(),
                "sup_+00000000000000",
            ] {
                assert_eq!(list.find_id(id), None, "{id}");
            }
            assert_eq!(list.find_name("BELL"), Some(0));
            assert_eq!(list.find_name("acme québec"), Some(2));
            assert_eq!(list.find_name("nobody"), None);
            let bell = [ids[0].clone(), "Bell Nord inc.".to_owned()];
            assert_eq!(list.id_and_name("bell"), Some(bell));
            assert_eq!(list.id_and_name("nobody"), None);
            let from = |words: &str| -> Vec<String> {
                let found = list.with_name_from(words).into_iter();
                found.map(|number| list.get(number).unwrap().name).collect()
            };
            assert_eq!(from("Bell"), from("BELL "));
            assert!(!from("bell").is_empty() && from("bel").is_empty());
            assert_eq!(list.containing("acme"), [1, 2]);
            assert_eq!(list.containing("").len(), 3);
            let keys = list.keys_of_each();
            let keys_of = |number| keys.get(number).iter().map(|key| list.key(key)).collect::<Vec<_>>();
            assert_eq!(
                [0, 1, 2].map(keys_of),
                [
                    vec!["bell", "bell nord inc"],
                    vec!["acme", "acme paving"],
                    vec!["acme quebec"]
                ]
            );
        }
        let found_by = parsed.to_bytes();
        assert!(SupplierList::open(Party::Supplier, Bytes::from(text[0].clone()), &found_by.clone().into()).is_none());
        assert!(SupplierList::open(Party::Supplier, parsed.text().clone(), &found_by[1..].to_vec().into()).is_none());
        assert!(SupplierList::parse(Party::Supplier, text.concat().trim_end().to_owned().into()).is_err());
        let none = SupplierList::parse(Party::Supplier, Bytes::new()).unwrap();
        let none = SupplierList::open(Party::Supplier, Bytes::new(), &none.to_bytes().into()).unwrap();
        assert_eq!((none.len(), none.containing("a").len()), (0, 0));
    }
}
