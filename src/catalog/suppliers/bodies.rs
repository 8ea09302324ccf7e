//! Which names of buyers are one body.
//!
//! Records state the English and the French name of a department together; the engine joins such a pair
//! ([`crate::engine::departments`]). The rules here join the departments that are left.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    names::{Name, Names, key},
    reason::{Evidence, Waiting},
    rules::{self, Proposal},
};
use crate::model::{
    body_names,
    municipality::{self, Municipality},
};

/// For each municipality its names in several forms, by the numbers of the names.
pub(crate) type CityNames = BTreeMap<&'static str, Vec<u32>>;

/// The pairs of names that rules propose, the strongest rule first.
///
/// `alike`: for each government, the names of one [`ampersand_groups`] that are its own.
pub(crate) fn proposals(names: &Names, cities: &CityNames, alike: &[Vec<u32>]) -> Vec<Proposal> {
    let mut proposals = in_table(names, body_names::row_of);
    for (slug, members) in cities {
        let evidence = Evidence::Municipality {
            municipality: (*slug).to_owned(),
        };
        proposals.extend(chain(names, members, &evidence));
    }
    let by_number = rules::equal_numbers(names).into_iter();
    proposals.extend(by_number.map(|proposal| {
        let is_part = is_part(&names.get(proposal.a).key, &names.get(proposal.b).key);
        Proposal {
            waiting: proposal.waiting.or(is_part.then_some(Waiting::Division)),
            ..proposal
        }
    }));
    let by_ampersand = alike
        .iter()
        .flat_map(|members| chain(names, members, &Evidence::Ampersand));
    proposals.extend(by_ampersand.filter(|pair| differ_in_ampersand(names.get(pair.a), names.get(pair.b))));
    proposals
}

/// The names that are equal but for `&` in place of `and` or `et`, in either language.
pub(crate) fn ampersand_groups(names: &Names) -> Vec<Vec<u32>> {
    let mut groups: BTreeMap<String, (BTreeSet<&str>, Vec<u32>)> = BTreeMap::new();
    for (number, name) in (0..).zip(&names.all) {
        for key in keys_of(name) {
            let (keys, members) = groups.entry(with_ampersands(key)).or_default();
            keys.insert(key);
            // A name may be the same in both languages.
            if members.last() != Some(&number) {
                members.push(number);
            }
        }
    }
    let several = groups.into_values().filter(|(keys, _)| keys.len() > 1);
    several.map(|(_, members)| members).collect()
}

/// Whether the names differ in one language in `&` for `and` or `et`, and in nothing else.
fn differ_in_ampersand(a: &Name, b: &Name) -> bool {
    let are_alike = |x: &str, y: &str| x != y && with_ampersands(x) == with_ampersands(y);
    keys_of(a).any(|x| keys_of(b).any(|y| are_alike(x, y)))
}

fn keys_of(name: &Name) -> impl Iterator<Item = &str> {
    std::iter::once(name.key.as_str()).chain(name.key_fr.as_deref())
}

/// A key with `&` in place of `and` and `et`, always as a word: `r&d` is `r & d`.
fn with_ampersands(key: &str) -> String {
    let spaced = key.replace('&', " & ");
    let words = spaced.split_ascii_whitespace();
    let words = words.map(|word| if matches!(word, "and" | "et") { "&" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// Rule 7 for suppliers: the names of several words that the table lists for one body. Public bodies sell, too.
pub(crate) fn listed_suppliers(names: &Names) -> Vec<Proposal> {
    in_table(names, body_names::row_of_words)
}

/// The names that the table of bodies lists for one body.
fn in_table(names: &Names, row_of: fn(&str) -> Option<usize>) -> Vec<Proposal> {
    let mut by_row: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (number, name) in (0..).zip(&names.all) {
        if let Some(row) = keys_of(name).find_map(row_of) {
            by_row.entry(row).or_default().push(number);
        }
    }
    let of_row = |(row, members): (&usize, &Vec<u32>)| {
        let source = body_names::source(*row).to_owned();
        chain(names, members, &Evidence::Table { source })
    };
    by_row.iter().flat_map(of_row).collect()
}

/// Each name with the one that has most records.
fn chain(names: &Names, members: &[u32], evidence: &Evidence) -> Vec<Proposal> {
    let most = |number: &&u32| (names.get(**number).record_count(), std::cmp::Reverse(**number));
    let Some(first) = members.iter().max_by_key(most) else {
        return Vec::new();
    };
    let others = members.iter().filter(|number| *number != first);
    let proposal = |other: &u32| Proposal {
        a: *first.min(other),
        b: *first.max(other),
        evidence: evidence.clone(),
        waiting: None,
    };
    others.map(proposal).collect()
}

/// Whether one key is the other one and further words: `ville de x service des finances` is a part of `ville de x`.
fn is_part(a: &str, b: &str) -> bool {
    let (whole, part) = if a.len() < b.len() { (a, b) } else { (b, a) };
    part.strip_prefix(whole).is_some_and(|rest| rest.starts_with(' '))
}

/// What is known of a text that may be the name of a body.
pub(super) struct KnownBody {
    key: String,
    row: Option<usize>,
    cities: &'static [&'static Municipality],
}

impl KnownBody {
    pub(super) fn of(text: &str) -> KnownBody {
        let key = key(text);
        KnownBody {
            row: body_names::row_of(&key),
            cities: municipality::named_cities(text),
            key,
        }
    }

    pub(super) fn is_one_word(&self) -> bool {
        !self.key.contains(' ')
    }

    /// What the names of this body may contain.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        let listed = body_names::all_names([self.key.as_str()]).iter().map(String::as_str);
        listed.chain(self.cities.iter().flat_map(|city| city.own_names()))
    }

    /// Whether a name is that of this body: the table lists both, or both are the own name of one city.
    pub(super) fn has(&self, name: &str) -> bool {
        let other = KnownBody::of(name);
        let is_of_table = self.row.is_some() && self.row == other.row;
        is_of_table
            || self
                .cities
                .iter()
                .any(|city| other.cities.iter().any(|known| known.slug == city.slug))
    }

    /// How similar a name is, from 0 to 1, without the words that many cities have in theirs.
    pub(super) fn similarity(&self, name: &str) -> f64 {
        let [own, other] = [&self.key, &key(name)].map(|key| municipality::without_forms(key));
        strsim::jaro_winkler(&own, &other)
    }

    /// Whether a name has all words of the text.
    pub(super) fn is_in(&self, name: &str) -> bool {
        let name = key(name);
        let mut words = self.key.split(' ').filter(|word| !word.is_empty()).peekable();
        words.peek().is_some() && words.all(|word| name.split(' ').any(|known| known == word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::suppliers::{claims::ResolvedClaims, clusters::Clusters},
        model::supplier_mention::{MentionLine, OfficialNumber, SupplierMention},
    };

    fn joined(mentions: &[(&str, &str)], cities: &[(&'static str, &[&str])]) -> (Vec<Vec<String>>, Clusters) {
        let line = |(name, id): &(&str, &str)| MentionLine {
            mention: SupplierMention::of(name, "x").with_number(OfficialNumber::seao(id)),
            count: 2,
            first: None,
        };
        let names = Names::new(&mentions.iter().map(line).collect::<Vec<_>>(), Vec::new());
        let numbers = |listed: &&[&str]| listed.iter().map(|name| names.find(name).unwrap()).collect();
        let cities = cities.iter().map(|(slug, listed)| (*slug, numbers(listed)));
        let proposals = proposals(&names, &cities.collect(), &ampersand_groups(&names));
        let clusters = Clusters::of(&names, &ResolvedClaims::default(), proposals, Vec::new());
        let several = clusters.members.iter().filter(|members| members.len() > 1);
        let keys = |members: &Vec<u32>| members.iter().map(|name| names.get(*name).key.clone()).collect();
        (several.map(keys).collect(), clusters)
    }

    #[test]
    fn names_of_the_table_of_a_city_and_of_one_identifier_are_one_body() {
        let (found, clusters) = joined(
            &[
                ("Public Works and Government Services Canada", ""),
                ("PSPC", ""),
                ("Ville de Montréal", "OP-1"),
                ("City of Montréal", ""),
                ("Ville de Montréal - Service de l'eau", "OP-1"),
                ("Régie des eaux", "OP-2"),
                ("Régie intermunicipale des eaux", "OP-2"),
                ("SQI-Direction immobilière", "OP-3"),
                ("SQI", "OP-4"),
                ("Société immobilière du Québec", "OP-5"),
            ],
            &[("montreal", &["Ville de Montréal", "City of Montréal"])],
        );
        assert_eq!(
            found,
            [
                vec!["city of montreal", "ville de montreal"],
                vec!["pspc", "public works and government services canada"],
                vec!["regie des eaux", "regie intermunicipale des eaux"],
                vec!["societe immobiliere du quebec", "sqi"],
            ]
        );
        let waiting: Vec<Waiting> = clusters.waiting.values().map(|(why, _)| *why).collect();
        assert_eq!(waiting, [Waiting::Division]);
    }

    #[test]
    fn names_that_differ_in_an_ampersand_are_one_body() {
        let (found, clusters) = joined(
            &[
                ("Parks, Forestry & Recreation", ""),
                ("Parks, Forestry and Recreation", ""),
                ("Parks and Recreation", ""),
                ("Loisirs et Culture", ""),
                ("Loisirs & culture", ""),
                ("R&D Office", ""),
                ("R and D Office", ""),
                ("Water & Sewers", "OP-1"),
                ("Water and Sewers", "OP-2"),
                ("Andes etc.", ""),
                ("&es &c.", ""),
            ],
            &[],
        );
        assert_eq!(
            found,
            [
                vec!["loisirs & culture", "loisirs et culture"],
                vec!["parks forestry & recreation", "parks forestry and recreation"],
                vec!["r and d office", "r&d office"],
            ]
        );
        let joined_by = clusters.joins.iter().map(|(_, _, evidence)| evidence);
        assert!(joined_by.into_iter().all(|evidence| *evidence == Evidence::Ampersand));
        let waiting: Vec<Waiting> = clusters.waiting.values().map(|(why, _)| *why).collect();
        assert_eq!(waiting, [Waiting::DifferentNumbers]);
    }

    #[test]
    fn a_part_has_further_words() {
        assert!(is_part("ville de x", "ville de x service de l eau") && is_part("a b", "a"));
        for (a, b) in [
            ("ville de x", "ville de xy"),
            ("ville de x", "ville de x"),
            ("eau ville de x", "ville de x"),
        ] {
            assert!(!is_part(a, b), "{a}, {b}");
        }
    }
}
