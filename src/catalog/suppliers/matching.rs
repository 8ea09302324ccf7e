//! Finds the suppliers or bodies that a name, an identifier or an official number from a client's own data may mean.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    bodies::KnownBody,
    look_up::SupplierList,
    name_form::{NameForm, telling_words},
    names::key,
    party::Party,
    supplier::{Supplier, id_of_number},
};
use crate::model::supplier_mention::OfficialNumber;

/// A supplier that a query may mean.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Match {
    pub(crate) supplier: Supplier,
    /// The name of the supplier that fits best, or the number that is equal.
    pub(crate) name: String,
    /// From 0 to 100.
    pub(crate) score: f64,
    /// Whether no other supplier may be meant.
    pub(crate) is_certain: bool,
    pub(crate) features: Features,
}

/// What the query and the supplier have in common; the score follows from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Features {
    /// The query is the identifier of the supplier.
    pub(crate) id: bool,
    /// The official number is equal.
    pub(crate) number: bool,
    /// The name is equal but for case, accents and punctuation.
    pub(crate) name: bool,
    /// The name is equal without its legal form; of a body, in another form or language, or by the table of bodies.
    pub(crate) core: bool,
    /// How similar the names are without their legal forms, from 0 to 1.
    pub(crate) similarity: f64,
}

/// The features of a supplier that has the official number of the query.
const BY_NUMBER: Features = Features {
    id: false,
    number: true,
    name: false,
    core: false,
    similarity: 0.0,
};

/// The score of an equal identifier, official number or name.
const EQUAL_SCORE: f64 = 100.0;

/// The score of a name that is equal without its legal form.
const CORE_SCORE: f64 = 95.0;

/// The score of a name of similarity 1 that is neither.
const SIMILAR_SCORE: f64 = 90.0;

/// The lowest similarity of a name that is returned.
const MIN_SIMILARITY: f64 = 0.8;

/// The length of the start of a word that a mistyped word is looked up by, in bytes.
const START_BYTES: usize = 5;

/// The digits of each part of a number such as `9105-8495`.
const NUMBER_PART: usize = 4;

/// The maximum number of initials that a word is taken for, as in `G.G.R.`
const MAX_INITIALS: usize = 4;

/// How many suppliers with a word of the query are compared with it, those with most records first.
const MAX_COMPARED: usize = 500;

/// Up to `limit` suppliers that a name, an identifier, or an official number such as a Quebec enterprise number may
/// mean, the best first.
pub(crate) fn matches(list: &SupplierList, query: &str, limit: usize) -> Vec<Match> {
    let form = NameForm::of(query);
    let mut found: BTreeMap<u32, (Features, String)> = BTreeMap::new();
    let by_id = Features {
        id: true,
        ..Features::default()
    };
    let of_id = list.find_id(query.trim());
    found.extend(of_id.map(|number| (number, (by_id, query.to_owned()))));
    if let Some((supplier, number)) = find_number(list, query) {
        found.insert(supplier, (BY_NUMBER, number));
    }
    let body = (list.party() == Party::Body).then(|| KnownBody::of(query));
    for number in candidates(list, query, &form, body.as_ref()) {
        let best = list
            .get(number)
            .and_then(|supplier| best_name(&supplier, query, &form, body.as_ref()));
        if let Some(best) = best {
            found.entry(number).or_insert(best);
        }
    }
    let matches = found.into_iter().filter_map(|(number, (features, name))| {
        Some(Match {
            supplier: list.get(number)?,
            name,
            score: features.score(),
            is_certain: false,
            features,
        })
    });
    let mut matches: Vec<Match> = matches.collect();
    // The list is in the order of records, so of equal scores the supplier with most records comes first.
    matches.sort_by(|a, b| b.score.total_cmp(&a.score));
    let certain = matches.iter().take_while(|found| found.score >= CORE_SCORE).count();
    let is_only = certain == 1 || (certain > 1 && matches[0].score >= EQUAL_SCORE && matches[1].score < EQUAL_SCORE);
    if let Some(first) = matches.first_mut().filter(|_| is_only) {
        // A name of one word may be that of many firms, unless it is written like this.
        let is_one_word = body.map_or_else(|| form.is_one_word(), |body| body.is_one_word());
        first.is_certain = first.score >= EQUAL_SCORE || !is_one_word;
    }
    matches.truncate(limit);
    matches
}

/// The suppliers with these official numbers, each once. A supplier is certain if it is the only one.
pub(crate) fn matches_of_numbers(list: &SupplierList, numbers: &[String]) -> Vec<Match> {
    let found = numbers.iter().filter_map(|number| find_number(list, number));
    let found: BTreeMap<u32, String> = found.collect();
    let is_certain = found.len() == 1;
    let matches = found.into_iter().filter_map(|(number, name)| {
        Some(Match {
            supplier: list.get(number)?,
            name,
            score: BY_NUMBER.score(),
            is_certain,
            features: BY_NUMBER,
        })
    });
    matches.collect()
}

/// The supplier with an official number, and the number.
fn find_number(list: &SupplierList, text: &str) -> Option<(u32, String)> {
    let number = OfficialNumber::neq(text).ok()??.to_string();
    let supplier = list.find_id(&id_of_number(list.party(), &number))?;
    Some((supplier, number))
}

/// The numbers of the suppliers to compare with a query: those with its name, or with a name that has a part in common.
fn candidates(list: &SupplierList, query: &str, form: &NameForm, body: Option<&KnownBody>) -> BTreeSet<u32> {
    let mut found: BTreeSet<u32> = list.find_name(query).into_iter().collect();
    let words = telling_words(&form.core);
    // The start of a word finds names in which the rest of it is mistyped.
    let starts = words.iter().filter_map(|word| word.get(..START_BYTES));
    let unjoined: Vec<String> = form.core.split(' ').filter_map(unjoined).collect();
    let of_body = body.into_iter().flat_map(KnownBody::parts);
    let parts = words
        .iter()
        .copied()
        .chain(starts)
        .chain([form.core.as_str()])
        .chain(unjoined.iter().map(String::as_str))
        .chain(of_body);
    for part in parts.filter(|part| !part.is_empty()) {
        found.extend(list.containing(part).into_iter().take(MAX_COMPARED));
    }
    found
}

/// A word of a core in the form in which names have it: `ggr` as the initials `g g r`, and the number of a numbered
/// company of Quebec in its two parts. `None` for any other word.
fn unjoined(word: &str) -> Option<String> {
    let has_only = |is_of: fn(&u8) -> bool| word.bytes().all(|byte| is_of(&byte));
    if word.len() == 2 * NUMBER_PART && has_only(u8::is_ascii_digit) {
        return Some(format!("{} {}", &word[..NUMBER_PART], &word[NUMBER_PART..]));
    }
    let may_be_initials = (2..=MAX_INITIALS).contains(&word.len()) && has_only(u8::is_ascii_lowercase);
    may_be_initials.then(|| word.chars().map(String::from).collect::<Vec<_>>().join(" "))
}

/// The name of a supplier that is most similar to a query; `None` if none is similar enough.
fn best_name(
    supplier: &Supplier,
    query: &str,
    form: &NameForm,
    body: Option<&KnownBody>,
) -> Option<(Features, String)> {
    let key_of_query = key(query);
    let features = supplier.spellings().map(|name| {
        let core = NameForm::of(name).core;
        let is_part = body.is_some_and(|body| body.is_in(name));
        let of_cores = || strsim::jaro_winkler(&core, &form.core);
        let similarity = body.map_or_else(of_cores, |body| body.similarity(name));
        let features = Features {
            id: false,
            number: false,
            name: key(name) == key_of_query,
            core: (core == form.core && !core.is_empty()) || body.is_some_and(|body| body.has(name)),
            similarity: if is_part {
                similarity.max(MIN_SIMILARITY)
            } else {
                similarity
            },
        };
        (features, name)
    });
    let best = features.max_by(|a, b| a.0.score().total_cmp(&b.0.score()).then_with(|| b.1.cmp(a.1)))?;
    let is_listed = best.0.name || best.0.core || best.0.similarity >= MIN_SIMILARITY;
    is_listed.then(|| (best.0, best.1.clone()))
}

impl Features {
    fn score(self) -> f64 {
        let score = match self {
            Features { id: true, .. } | Features { number: true, .. } | Features { name: true, .. } => EQUAL_SCORE,
            Features { core: true, .. } => CORE_SCORE,
            Features { similarity, .. } => SIMILAR_SCORE * similarity,
        };
        (score * 10.0).round() / 10.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::suppliers::{Party, claims::ResolvedClaims, clusters::Clusters, made::MadeSuppliers, names::Names},
        model::supplier_mention::{MentionLine, SupplierMention},
    };

    #[test]
    fn names_are_found_by_number_spelling_core_and_likeness() {
        let mention = |(name, neq): &(&str, &str)| MentionLine {
            mention: SupplierMention::of(name, "x").with_number(OfficialNumber::neq(neq).unwrap()),
            count: 2,
            first: None,
        };
        let names = [
            ("Sintra inc.", "1145755295"),
            ("Lamothe div. de Sintra", "1145755295"),
            ("Pavages Beauregard ltée", ""),
            ("Pavages Beaurivage inc.", ""),
            ("Les Toitures G.G.R. inc.", ""),
            ("9105-8495 Québec inc.", ""),
        ];
        let names = Names::new(&names.iter().map(mention).collect::<Vec<_>>(), Vec::new());
        let clusters = Clusters::new(&names, &ResolvedClaims::default());
        let lines = MadeSuppliers::new(&names, &clusters, Party::Supplier).lines().unwrap();
        let list = SupplierList::parse(Party::Supplier, lines.into()).unwrap();
        for (query, expected) in [
            ("1145755295", Some(("neq:1145755295", 100.0, true))),
            ("LAMOTHE, DIV DE SINTRA", Some(("Lamothe div. de Sintra", 100.0, true))),
            (
                "Les Pavages Beauregard inc.",
                Some(("Pavages Beauregard ltée", 95.0, true)),
            ),
            ("Sintra", Some(("Sintra inc.", 95.0, false))),
            ("Pavages Beauregart", Some(("Pavages Beauregard ltée", 88.0, false))),
            ("Toitures GGR", Some(("Les Toitures G.G.R. inc.", 95.0, true))),
            ("Les Toitures G.G.R.", Some(("Les Toitures G.G.R. inc.", 95.0, true))),
            ("9105-8495 Québec", Some(("9105-8495 Québec inc.", 95.0, true))),
            ("91058495 QUEBEC INC", Some(("9105-8495 Québec inc.", 95.0, true))),
            ("Something else", None),
            ("", None),
        ] {
            let found = matches(&list, query, 3);
            let first = found
                .first()
                .map(|found| (found.name.as_str(), found.score.floor(), found.is_certain));
            assert_eq!(first, expected, "{query}");
        }
        let id = list.with_name("Sintra inc.").unwrap().id;
        let found = matches(&list, &id, 3);
        assert_eq!((found.len(), found[0].score, found[0].is_certain), (1, 100.0, true));
    }

    #[test]
    fn a_body_is_found_by_its_forms_its_acronym_and_a_word() {
        let mention = |name: &&str| MentionLine {
            mention: SupplierMention::of(name, "x"),
            count: 2,
            first: None,
        };
        let names = [
            "Ville de Laval",
            "Ville de Lavaltrie",
            "Ville de Montréal",
            "Department of National Defence (DND)",
        ];
        let names = Names::new(&names.each_ref().map(mention), Vec::new());
        let clusters = Clusters::of(&names, &ResolvedClaims::default(), Vec::new(), Vec::new());
        let lines = MadeSuppliers::new(&names, &clusters, Party::Body).lines().unwrap();
        let list = SupplierList::parse(Party::Body, lines.into()).unwrap();
        for (query, expected) in [
            ("Ville de Laval", Some(("Ville de Laval", 100.0, true))),
            ("Laval", Some(("Ville de Laval", 95.0, false))),
            ("Laval (Ville)", Some(("Ville de Laval", 95.0, true))),
            ("City of Montreal", Some(("Ville de Montréal", 95.0, true))),
            (
                "Défense nationale",
                Some(("Department of National Defence (DND)", 95.0, true)),
            ),
            ("MDN", Some(("Department of National Defence (DND)", 95.0, false))),
            ("defence", Some(("Department of National Defence (DND)", 72.0, false))),
            ("Ville de Nulle-Part", None),
            (" - ", None),
        ] {
            let found = matches(&list, query, 3);
            let first = found
                .first()
                .map(|found| (found.name.as_str(), found.score.floor(), found.is_certain));
            assert_eq!(first, expected, "{query}");
        }
    }
}
