//! Rules 4 and 9: names that are equal but for their legal form, and what their places say.

use std::collections::BTreeSet;

use super::{
    groups::of_several,
    name_form::{LegalFamily, telling_words},
    names::{Name, Names},
    reason::{Evidence, Waiting},
    rules::{MAX_NAMES, Proposal, why_not_by_core},
};
use crate::model::supplier_mention::OfficialNumber;

/// Rule 4: names with equal cores, one family of legal forms and one postal code.
pub(crate) fn equal_cores(names: &Names) -> Vec<Proposal> {
    let mut pairs: Vec<((&str, &str), u32)> = Vec::new();
    for (number, name) in (0..).zip(&names.all) {
        for code in name.postal_codes.iter() {
            pairs.push(((&name.form.core, code), number));
        }
    }
    let mut proposals = Vec::new();
    for ((_, code), mut members) in of_several(pairs) {
        members.sort_by_key(|number| (std::cmp::Reverse(names.get(*number).mentions), *number));
        let families: BTreeSet<LegalFamily> = members
            .iter()
            .filter_map(|number| names.get(*number).form.family)
            .collect();
        let is_too_large = members.len() > MAX_NAMES;
        for (place, b) in members.iter().enumerate().skip(1) {
            // Where several families share core and place, a name without a form may be of any of them.
            let of_family = members[..place]
                .iter()
                .find(|a| families.len() <= 1 || names.get(**a).form.family == names.get(*b).form.family);
            let is_unstated = families.len() > 1 && names.get(*b).form.family.is_none();
            let a = of_family.copied().filter(|_| !is_unstated).unwrap_or(members[0]);
            let waiting = if is_too_large {
                Some(Waiting::TooManyNames)
            } else if of_family.is_none() || is_unstated {
                Some(Waiting::DifferentForms)
            } else {
                why_not_by_core(names.get(a), names.get(*b))
            };
            proposals.push(Proposal {
                a,
                b: *b,
                evidence: Evidence::CoreName {
                    postal_code: code.to_owned(),
                },
                waiting,
            });
        }
    }
    proposals
}

/// Rule 9: names with equal distinctive cores and one family of legal forms, where no place speaks against it:
/// both are in one city, or one has no place, the same in brackets, and all others with that core are in one.
pub(crate) fn equal_cores_in_one_place(names: &Names) -> Vec<Proposal> {
    let cores = names.all.iter().map(|name| name.form.core.as_str());
    let mut proposals = Vec::new();
    for (core, mut members) in of_several(cores.zip(0..).collect()) {
        if members.len() > MAX_NAMES || telling_words(core).is_empty() {
            continue;
        }
        members.sort_by_key(|number| (std::cmp::Reverse(names.get(*number).mentions), *number));
        let are_in_one_place = are_in_one_place(members.iter().map(|number| names.get(*number)));
        let families: BTreeSet<LegalFamily> = members
            .iter()
            .filter_map(|number| names.get(*number).form.family)
            .collect();
        let numbers: BTreeSet<&OfficialNumber> = members
            .iter()
            .filter_map(|number| names.get(*number).number())
            .collect();
        for (place, b) in members.iter().enumerate().skip(1) {
            let name = names.get(*b);
            // Where several families share a core, a name without a form may be of any of them.
            let may_be = |other: &Name| {
                families.len() <= 1 || (name.form.family.is_some() && name.form.family == other.form.family)
            };
            let found = members[..place].iter().find_map(|a| {
                let other = names.get(*a);
                // Rule 4 joins those with one postal code.
                if !may_be(other) || name.shared_postal_code(other).is_some() {
                    return None;
                }
                let in_one_city = name.cities.shared(&other.cities).is_some();
                // Brackets may hold the place that nothing else states.
                let is_nowhere = (!name.has_place() || !other.has_place())
                    && name.form.in_brackets == other.form.in_brackets
                    && are_in_one_place;
                (in_one_city || is_nowhere).then_some((*a, in_one_city))
            });
            if let Some((a, in_one_city)) = found {
                // With two firms of that name, one without a number may be either.
                let is_either = numbers.len() > 1 && [names.get(a), name].iter().any(|of| of.number().is_none());
                proposals.push(Proposal {
                    a,
                    b: *b,
                    evidence: Evidence::CoreNameOnly { in_one_city },
                    waiting: why_not_by_core(names.get(a), name).or(is_either.then_some(Waiting::DifferentNumbers)),
                });
            }
        }
    }
    proposals
}

/// Whether those that have a place are all in one, as far as they share postal codes and cities.
fn are_in_one_place<'n>(names: impl Iterator<Item = &'n Name>) -> bool {
    let mut apart: Vec<BTreeSet<&str>> = Vec::new();
    for name in names.filter(|name| name.has_place()) {
        let mut places: BTreeSet<&str> = name.cities.iter().chain(name.postal_codes.iter()).collect();
        let (shared, others): (Vec<_>, Vec<_>) = apart.into_iter().partition(|known| !known.is_disjoint(&places));
        places.extend(shared.into_iter().flatten());
        apart = others;
        apart.push(places);
    }
    apart.len() <= 1
}
