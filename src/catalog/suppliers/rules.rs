//! Rules 1, 3 and 6: which names publishers' statements speak for joining. Rules 4 and 9 are in [`super::core_names`].
//!
//! A rule proposes; [`super::clusters`] joins, up to the stops that concern whole suppliers.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    groups::of_several,
    name_form::telling_words,
    names::{Equation, Name, Names},
    reason::{Evidence, Waiting},
};
use crate::model::supplier_mention::{OfficialNumber, Relation};

/// Two names that a rule proposes to join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proposal {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) evidence: Evidence,
    /// Why it waits for a person, if the names alone show it.
    pub(crate) waiting: Option<Waiting>,
}

/// The maximum number of names that rules join to one supplier.
pub(crate) const MAX_NAMES: usize = 50;

/// The share of its statements that the other name of a publisher's equation has at least.
const MAIN_SHARE: f64 = 0.8;

/// How similar two names with one number are at least if one of them is stated once, from 0 to 1.
const SIMILAR: f64 = 0.8;

/// Rule 1: names whose main number is the same. The most frequent name comes first in each group.
pub(crate) fn equal_numbers(names: &Names) -> Vec<Proposal> {
    let numbered = (0..)
        .zip(&names.all)
        .filter_map(|(number, name)| Some((name.number()?, number)));
    let mut proposals = Vec::new();
    for (official, mut members) in of_several(numbered.collect()) {
        members.sort_by_key(|number| (std::cmp::Reverse(names.get(*number).number_mentions()), *number));
        let evidence = Evidence::Number {
            number: official.to_string(),
        };
        let is_too_large = members.len() > MAX_NAMES;
        let mut accepted: Vec<u32> = vec![members[0]];
        for member in &members[1..] {
            let waiting = if is_too_large {
                Some(Waiting::TooManyNames)
            } else {
                let others = accepted.iter().map(|number| names.get(*number));
                why_not_by_number(names.get(*member), others)
            };
            proposals.push(Proposal {
                a: members[0],
                b: *member,
                evidence: evidence.clone(),
                waiting,
            });
            if waiting.is_none() {
                accepted.push(*member);
            }
        }
    }
    proposals
}

fn why_not_by_number<'n>(name: &Name, mut others: impl Iterator<Item = &'n Name>) -> Option<Waiting> {
    if name.form.is_consortium {
        return Some(Waiting::Consortium);
    }
    // One statement may have a wrong number: something else must speak for it.
    let is_supported = name.number_mentions() > 1
        || others.any(|other| are_similar(name, other) || name.shared_postal_code(other).is_some());
    (!is_supported).then_some(Waiting::SingleStatement)
}

/// Whether all distinctive words of one name are also in the other, or both names are nearly equal. Firms of one group
/// share only some words.
fn are_similar(a: &Name, b: &Name) -> bool {
    let compact = |name: &Name| name.form.core.replace(' ', "");
    let (x, y) = (compact(a), compact(b));
    let (of_a, of_b) = (a.telling_words(), b.telling_words());
    let is_part = |one: &BTreeSet<&str>, other: &BTreeSet<&str>| !one.is_empty() && one.is_subset(other);
    is_part(&of_a, &of_b) || is_part(&of_b, &of_a) || x == y || strsim::normalized_levenshtein(&x, &y) >= SIMILAR
}

/// Rule 3: names that a publisher gives to one supplier, and names that say which firm they are a division of.
pub(crate) fn equated(names: &Names) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = names
        .equations
        .iter()
        .map(|equation| of_equation(names, equation))
        .collect();
    let ambiguous = several_names(names);
    for (proposal, equation) in proposals.iter_mut().zip(&names.equations) {
        let is_ambiguous = ambiguous.contains(&(equation.relation, equation.name, equation.other));
        proposal.waiting = proposal.waiting.or(is_ambiguous.then_some(Waiting::SeveralNames));
    }
    proposals.sort_by(|x, y| (x.a, x.b, &x.evidence).cmp(&(y.a, y.b, &y.evidence)));
    proposals.extend(divisions(names));
    proposals
}

fn of_equation(names: &Names, equation: &Equation) -> Proposal {
    let (a, b) = (equation.name.min(equation.other), equation.name.max(equation.other));
    Proposal {
        a,
        b,
        evidence: Evidence::Publisher {
            relation: equation.relation,
            source: equation.source.clone(),
        },
        waiting: why_not_equated(names.get(a), names.get(b)),
    }
}

/// Why a person must decide on two names that a publisher equates.
fn why_not_equated(a: &Name, b: &Name) -> Option<Waiting> {
    let has_equal_cores = a.form.core == b.form.core && !is_nameless(a) && !is_nameless(b);
    why_not_by_form(a, b).filter(|why| *why == Waiting::Consortium || !has_equal_cores)
}

/// Why a person must decide on two names, by what they are names of.
fn why_not_by_form(a: &Name, b: &Name) -> Option<Waiting> {
    if a.form.is_consortium || b.form.is_consortium {
        Some(Waiting::Consortium)
    } else if a.form.is_person || b.form.is_person {
        Some(Waiting::Person)
    } else if is_nameless(a) || is_nameless(b) {
        Some(Waiting::OneWord)
    } else {
        None
    }
}

/// Whether one word is all that identifies a firm.
fn is_nameless(name: &Name) -> bool {
    name.form.is_one_word() && name.number().is_none()
}

/// The equations whose operating name several firms have, as those of one franchise do, or whose name has several
/// legal or standardized names, none of which is the main one.
fn several_names(names: &Names) -> BTreeSet<(Relation, u32, u32)> {
    let mut found = BTreeSet::new();
    let mut firms: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    let mut others: BTreeMap<(Relation, u32), BTreeMap<&str, u64>> = BTreeMap::new();
    for equation in &names.equations {
        let core = names.get(equation.name).form.core.as_str();
        if equation.relation == Relation::OperatingName {
            firms.entry(equation.other).or_default().insert(core);
        } else {
            let cores = others.entry((equation.relation, equation.name)).or_default();
            *cores.entry(&names.get(equation.other).form.core).or_default() += equation.count;
        }
    }
    for equation in &names.equations {
        let is_ambiguous = if equation.relation == Relation::OperatingName {
            firms[&equation.other].len() > 1
        } else {
            let cores = &others[&(equation.relation, equation.name)];
            let all: u64 = cores.values().sum();
            let own = cores[names.get(equation.other).form.core.as_str()];
            // A standardized name has many legal names on purpose; then the rows of each name it once.
            equation.relation == Relation::StandardizedName && (own as f64) < all as f64 * MAIN_SHARE
        };
        if is_ambiguous {
            found.insert((equation.relation, equation.name, equation.other));
        }
    }
    found
}

/// A name that says that it is a division of a firm, with the most frequent name of that firm.
fn divisions(names: &Names) -> Vec<Proposal> {
    let mut by_core: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (number, name) in (0..).zip(&names.all) {
        if name.form.division_of.is_none() {
            by_core.entry(&name.form.core).or_default().push(number);
        }
    }
    let mut proposals = Vec::new();
    for (number, name) in (0..).zip(&names.all) {
        let Some(firms) = name.form.division_of.as_deref().and_then(|firm| by_core.get(firm)) else {
            continue;
        };
        let numbers: BTreeSet<&OfficialNumber> = firms.iter().filter_map(|firm| names.get(*firm).number()).collect();
        let best = firms
            .iter()
            .max_by_key(|firm| (names.get(**firm).mentions, std::cmp::Reverse(**firm)));
        let Some(firm) = best.copied() else { continue };
        let is_several = numbers.len() > 1 || (firms.len() > 1 && numbers.is_empty());
        proposals.push(Proposal {
            a: number.min(firm),
            b: number.max(firm),
            evidence: Evidence::Division,
            waiting: why_not_equated(name, names.get(firm)).or(is_several.then_some(Waiting::SeveralNames)),
        });
    }
    proposals
}

/// Why a person must decide on two names of equal or nearly equal cores.
pub(super) fn why_not_by_core(a: &Name, b: &Name) -> Option<Waiting> {
    let is_ambiguous = a.is_ambiguous() || b.is_ambiguous();
    why_not_by_form(a, b).or(is_ambiguous.then_some(Waiting::DifferentNumbers))
}

/// Rule 6: names that are spelled nearly the same, of one family of legal forms, at one postal code.
pub(crate) fn near_names(names: &Names) -> Vec<Proposal> {
    let mut pairs: Vec<((&str, Option<char>), u32)> = Vec::new();
    for (number, name) in (0..).zip(&names.all) {
        for code in name.postal_codes.iter() {
            let start = name.form.core.chars().next();
            pairs.push(((code, start), number));
        }
    }
    let mut proposals = Vec::new();
    for ((code, _), members) in of_several(pairs).filter(|(_, members)| members.len() <= MAX_READ) {
        for (place, a) in members.iter().enumerate() {
            for b in &members[place + 1..] {
                let (one, other) = (names.get(*a), names.get(*b));
                if one.form.core == other.form.core || !is_misspelled(one, other) {
                    continue;
                }
                let families = [one, other].map(|name| name.form.family);
                let are_different = matches!(families, [Some(one), Some(other)] if one != other);
                proposals.push(Proposal {
                    a: *a,
                    b: *b,
                    evidence: Evidence::NearName {
                        postal_code: code.to_owned(),
                    },
                    waiting: are_different
                        .then_some(Waiting::DifferentForms)
                        .or_else(|| why_not_by_core(one, other)),
                });
            }
        }
    }
    proposals
}

/// Whether the names differ as spellings of one name do: nearly equal as a whole, with the same digits, and nearly
/// equal in the words that only one of them has.
fn is_misspelled(a: &Name, b: &Name) -> bool {
    let (x, y) = (a.form.core.as_str(), b.form.core.as_str());
    let compact = |text: &str| text.replace(' ', "");
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    if digits(x) != digits(y) || strsim::jaro_winkler(&compact(x), &compact(y)) < MISSPELLED {
        return false;
    }
    let [of_a, of_b] = own_words(x, y);
    if of_a.is_empty() || of_b.is_empty() {
        let rest = [of_a, of_b].concat().join(" ");
        return telling_words(&rest).is_empty();
    }
    strsim::normalized_levenshtein(&of_a.concat(), &of_b.concat()) >= SAME_WORD
}

/// The words that only one of two cores has.
fn own_words<'c>(x: &'c str, y: &'c str) -> [Vec<&'c str>; 2] {
    let [of_x, of_y] = [x, y].map(|core| core.split(' ').collect::<BTreeSet<&str>>());
    let own = |core: &'c str, others: &BTreeSet<&str>| core.split(' ').filter(|word| !others.contains(word)).collect();
    [own(x, &of_y), own(y, &of_x)]
}

/// Whether a person should look at two cores: nearly equal, also in the words that only one of them has, where one may
/// be short for the other. "Construction ABC" and "Construction XYZ" have most letters in common.
fn is_near(x: &str, y: &str) -> bool {
    if x == y || strsim::jaro_winkler(x, y) < NEAR {
        return false;
    }
    let [of_x, of_y] = own_words(x, y).map(|words| words.concat());
    let [first, other] = [&of_x, &of_y].map(|own| own.chars().next());
    let is_short = [&of_x, &of_y].iter().any(|own| own.chars().nth(1).is_none());
    is_short || first == other || strsim::normalized_levenshtein(&of_x, &of_y) >= NEAR_WORD
}

/// How similar two spellings of one name are at least, from 0 to 1. Chosen on one half of `tests/identity/pairs.csv`.
const MISSPELLED: f64 = 0.93;

/// How similar the words are at least that only one of two spellings has, from 0 to 1: `north` and `south` are not.
const SAME_WORD: f64 = 0.6;

/// The names that a person should look at: equal but for form and punctuation, or spelled nearly the same at one
/// postal code or in one city. Groups that are too large to read are left out.
pub(crate) fn suggestions(names: &Names) -> Vec<(u32, u32, Waiting)> {
    let cores = names.all.iter().map(|name| name.form.core.as_str());
    let mut places: Vec<((&str, &str), u32)> = Vec::new();
    for (number, name) in (0..).zip(&names.all) {
        places.extend(name.postal_codes.iter().map(|code| ((code, ""), number)));
        // A city has too many names to compare all of them.
        if let Some(start) = name.form.core.get(..SAME_START) {
            places.extend(name.cities.iter().map(|city| ((city, start), number)));
        }
    }
    let mut found = Vec::new();
    for (_, members) in of_several(cores.zip(0..).collect()).filter(|(_, members)| members.len() <= MAX_READ) {
        found.extend(pairs_of(&members).map(|(a, b)| (a, b, Waiting::SameCoreName)));
    }
    for (_, members) in of_several(places).filter(|(_, members)| members.len() <= MAX_READ) {
        let core = |number: u32| names.get(number).form.core.as_str();
        let near = pairs_of(&members).filter(|(a, b)| is_near(core(*a), core(*b)));
        found.extend(near.map(|(a, b)| (a, b, Waiting::NearName)));
    }
    // Names may share several places.
    found.sort_unstable();
    found.dedup_by_key(|(a, b, _)| (*a, *b));
    found
}

/// Every two of some names, the lesser first.
fn pairs_of(members: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let firsts = members.iter().enumerate();
    firsts.flat_map(|(place, a)| members[place + 1..].iter().map(|b| (*a, *b)))
}

/// The maximum number of names with one core, or at one postal code, that are compared with each other.
const MAX_READ: usize = 40;

/// How many bytes of the cores of near names in one city are equal.
const SAME_START: usize = 4;

/// How similar the cores of near names are at least, from 0 to 1.
const NEAR: f64 = 0.9;

/// How similar the words are at least that only one of two near names has, unless they begin with the same letter.
const NEAR_WORD: f64 = 0.4;
