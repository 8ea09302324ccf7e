//! The parts of a supplier's name that rules compare: what is left without its legal form, which family the form is of,
//! and whether the name is that of a person, of a consortium or of a division.

use std::{
    collections::{BTreeSet, HashSet},
    sync::LazyLock,
};

use crate::model::fold::fold;

/// What a name says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameForm {
    /// The folded name without brackets, articles at its ends and its legal form; initials joined.
    pub(crate) core: String,
    pub(crate) family: Option<LegalFamily>,
    pub(crate) is_consortium: bool,
    pub(crate) is_person: bool,
    /// The core of the name after "division of".
    pub(crate) division_of: Option<String>,
    /// What is in brackets, folded: an abbreviation, a former name, a year or a branch.
    pub(crate) in_brackets: String,
}

/// Legal forms that one firm may be written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LegalFamily {
    Corporation,
    Partnership,
    LimitedPartnership,
    /// A registered name of a person or of a partnership.
    Registered,
    NonProfit,
}

/// The legal forms that names end with in Canada, as [`words_of`] splits them, and their families.
const FORMS: &[(&str, LegalFamily)] = &[
    ("inc", LegalFamily::Corporation),
    ("incorporated", LegalFamily::Corporation),
    ("incorporee", LegalFamily::Corporation),
    ("ltee", LegalFamily::Corporation),
    ("lte", LegalFamily::Corporation),
    ("limitee", LegalFamily::Corporation),
    ("limited", LegalFamily::Corporation),
    ("ltd", LegalFamily::Corporation),
    ("corp", LegalFamily::Corporation),
    ("corporation", LegalFamily::Corporation),
    ("co", LegalFamily::Corporation),
    ("company", LegalFamily::Corporation),
    ("compagnie", LegalFamily::Corporation),
    ("cie", LegalFamily::Corporation),
    ("ulc", LegalFamily::Corporation),
    ("llc", LegalFamily::Corporation),
    ("plc", LegalFamily::Corporation),
    ("gmbh", LegalFamily::Corporation),
    ("sarl", LegalFamily::Corporation),
    ("senc", LegalFamily::Partnership),
    ("snc", LegalFamily::Partnership),
    ("sencrl", LegalFamily::Partnership),
    ("srl", LegalFamily::Partnership),
    ("sencrlsrl", LegalFamily::Partnership),
    ("llp", LegalFamily::Partnership),
    ("gp", LegalFamily::Partnership),
    ("sec", LegalFamily::LimitedPartnership),
    ("lp", LegalFamily::LimitedPartnership),
    ("enr", LegalFamily::Registered),
    ("enrg", LegalFamily::Registered),
    ("enregistree", LegalFamily::Registered),
    ("regd", LegalFamily::Registered),
    ("osbl", LegalFamily::NonProfit),
    ("obnl", LegalFamily::NonProfit),
];

/// Whether a folded word is a legal form.
pub(crate) fn is_legal_form(word: &str) -> bool {
    FORMS.iter().any(|(form, _)| *form == word)
}

/// Whether a folded word is a person's first name.
pub(super) fn is_first_name(word: &str) -> bool {
    FIRST_NAMES.contains(word)
}

/// Legal forms that end the name of a firm wherever they are in it: "Co" and "SNC" may also be a part of the name.
const ENDS: [&str; 11] = [
    "inc",
    "incorporated",
    "incorporee",
    "ltee",
    "limitee",
    "ltd",
    "limited",
    "llc",
    "llp",
    "senc",
    "sencrl",
];

/// The part of a name that says which firm it is: what comes before its legal form or brackets, without an article.
/// "Sintra" of "Sintra inc. - région Estrie".
pub(crate) fn firm_words(spelling: &str) -> &str {
    let outside = &spelling[..spelling.find(['(', '[']).unwrap_or(spelling.len())];
    let mut words: Vec<&str> = outside.split_whitespace().collect();
    let form = |word: &str| fold(word).replace(' ', "");
    let end = words
        .iter()
        .skip(1)
        .position(|word| ENDS.contains(&form(word).as_str()));
    words.truncate(end.map_or(words.len(), |end| end + 1));
    while words.len() > 1 && is_legal_form(&form(words[words.len() - 1])) {
        words.pop();
    }
    let has_article = words.len() > 1 && ARTICLES.contains(&form(words[0]).as_str());
    let (Some(first), Some(last)) = (words.get(usize::from(has_article)), words.last()) else {
        return "";
    };
    // Both are parts of `outside`.
    let place = |word: &str| word.as_ptr() as usize - outside.as_ptr() as usize;
    outside[place(first)..place(last) + last.len()].trim_matches([' ', ',', '-', '/'])
}

/// Words at the ends of a name that people leave out or move.
const ARTICLES: [&str; 5] = ["les", "le", "la", "l", "the"];

/// Words of a name that several firms share for one contract.
const CONSORTIUM_WORDS: [&str; 5] = [
    "consortium",
    "coentreprise",
    "consortiums",
    "coentreprises",
    "cotraitance",
];

static FIRST_NAMES: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("first_names.txt").split_ascii_whitespace().collect());

impl NameForm {
    /// `spelling` is a name as published.
    pub(crate) fn of(spelling: &str) -> NameForm {
        let (outside, inside) = brackets(spelling);
        let words = words_of(&outside);
        let (core, family) = without_form(&words);
        let is_person = family.is_none() && is_person(&outside, &words);
        NameForm {
            is_consortium: is_consortium(spelling, &outside),
            division_of: division_of(&words),
            core: core.join(" "),
            family,
            is_person,
            in_brackets: fold(&inside),
        }
    }

    /// Whether one word names the firm, so that many firms may have it.
    pub(crate) fn is_one_word(&self) -> bool {
        !self.core.contains(' ')
    }
}

/// A name without what is in brackets, and that; the whole name if everything is.
fn brackets(spelling: &str) -> (String, String) {
    let (mut outside, mut inside, mut depth) = (String::new(), String::new(), 0_usize);
    for c in spelling.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                outside.push(' ');
            }
            _ if depth == 0 => outside.push(c),
            _ => inside.push(c),
        }
    }
    if fold(&outside).is_empty() {
        (spelling.to_owned(), String::new())
    } else {
        (outside, inside)
    }
}

/// The folded words, with runs of single letters and runs of numbers joined: `B.L.R.` is `blr`, `9105-8495` is
/// `91058495`. `and` and `et` are `&`.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut run = Run::Word;
    for word in fold(name).split(' ').filter(|word| !word.is_empty()) {
        let word = if matches!(word, "and" | "et") { "&" } else { word };
        let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
        let is_number = word.bytes().all(|b| b.is_ascii_digit());
        let kind = match (is_initial, is_number) {
            (true, _) => Run::Initials,
            (_, true) => Run::Number,
            _ => Run::Word,
        };
        match words.last_mut() {
            Some(last) if kind == run && kind != Run::Word => last.push_str(word),
            _ => words.push(word.to_owned()),
        }
        run = kind;
    }
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Word,
    Initials,
    Number,
}

/// The words without articles at both ends and without the legal form, and the family of the form. All words if nothing
/// else is left.
fn without_form(words: &[String]) -> (Vec<String>, Option<LegalFamily>) {
    let mut core: Vec<String> = words.to_vec();
    let mut family = None;
    while core.len() > 1 {
        let last = core[core.len() - 1].as_str();
        if let Some((_, of)) = FORMS.iter().find(|(form, _)| *form == last) {
            // The outermost form counts: `X & Cie S.E.C.` is a limited partnership.
            family = family.or(Some(*of));
        } else if last != "&" && !ARTICLES.contains(&last) {
            break;
        }
        core.pop();
    }
    while core.len() > 1 && ARTICLES.contains(&core[0].as_str()) {
        core.remove(0);
    }
    (core, family)
}

/// Whether a name is of several firms together.
pub(crate) fn is_consortium_name(name: &str) -> bool {
    NameForm::of(name).is_consortium
}

/// "Operating as", "trading as" and so on: what follows is another name of the firm.
const ABBREVIATIONS: [&str; 7] = [" a/s ", " c/o ", " d/b/a ", " f/s ", " o/a ", " o/b/a ", " t/a "];

/// `outside` is the name without brackets.
fn is_consortium(spelling: &str, outside: &str) -> bool {
    let words = words_of(spelling);
    let has_word = words.iter().any(|word| CONSORTIUM_WORDS.contains(&word.as_str()));
    let text = words.join(" ");
    if has_word || text.contains("joint venture") || text.contains("co entreprise") {
        return true;
    }
    // Two languages of one name, or two legal forms, are no consortium.
    let abbreviated = ABBREVIATIONS
        .iter()
        .fold(outside.to_lowercase(), |name, short| name.replace(short, " "));
    let sides = abbreviated
        .split('/')
        .map(words_of)
        .map(|words| without_form(&words).0.join(" "));
    let mut sides: Vec<String> = sides
        .filter(|side| side.chars().filter(|c| c.is_alphabetic()).count() > 3 && !is_legal_form(side))
        .collect();
    sides.dedup();
    sides.len() > 1
}

/// Two or three words of letters, the first of which is a first name, or the one after a comma.
fn is_person(name: &str, words: &[String]) -> bool {
    let are_names = words.iter().all(|word| word.chars().all(char::is_alphabetic));
    if !(2..=4).contains(&words.len()) || !are_names {
        return false;
    }
    let is_first_name = |word: &String| is_first_name(word);
    match name.split_once(',') {
        Some((_, after)) => words_of(after).first().is_some_and(is_first_name),
        None => is_first_name(&words[0]),
    }
}

/// The core of the firm that a name is a division of.
fn division_of(words: &[String]) -> Option<String> {
    let at = words
        .iter()
        .position(|word| matches!(word.as_str(), "division" | "div" | "divison"))?;
    let after = &words[at + 1..];
    let after = match after.first().map(String::as_str) {
        Some("de" | "d" | "du" | "des" | "of") => &after[1..],
        _ => after,
    };
    if at == 0 || after.is_empty() {
        return None;
    }
    Some(without_form(after).0.join(" "))
}

/// The words of a core that say who it is.
pub(crate) fn telling_words(core: &str) -> BTreeSet<&str> {
    let words = core.split(' ');
    words
        .filter(|word| word.chars().count() > 2 && !COMMON_WORDS.contains(word))
        .collect()
}

/// Words that many firms of a trade or a place have in their names.
const COMMON_WORDS: &[&str] = &[
    "quebec",
    "canada",
    "montreal",
    "laval",
    "ontario",
    "construction",
    "constructions",
    "entreprise",
    "entreprises",
    "excavation",
    "excavations",
    "pavage",
    "pavages",
    "asphalte",
    "groupe",
    "group",
    "service",
    "services",
    "transport",
    "gestion",
    "management",
    "consultants",
    "conseil",
    "conseils",
    "experts",
    "expert",
    "consulting",
    "associes",
    "associates",
    "architectes",
    "architecte",
    "architects",
    "ingenieurs",
    "solutions",
    "technologies",
    "technologie",
    "equipement",
    "equipements",
    "equipment",
    "distribution",
    "produits",
    "products",
    "industries",
    "international",
    "systems",
    "systemes",
    "systeme",
    "informatique",
    "electrique",
    "electric",
    "mecanique",
    "paysagement",
    "beton",
    "deneigement",
    "location",
    "toitures",
    "couvreur",
    "imprimerie",
    "medical",
    "sante",
    "division",
    "enterprises",
    "des",
    "les",
    "pour",
    "and",
    "the",
    "national",
    "general",
    "generale",
    "centre",
    "center",
    "societe",
    "compagnie",
    "fils",
    "freres",
    "bros",
    "sons",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_is_without_form_articles_and_brackets() {
        for (name, core, family) in [
            (
                "Les Terrassements B.L.R. inc.",
                "terrassements blr",
                Some(LegalFamily::Corporation),
            ),
            (
                "CONSULTANTS SM INC., LES",
                "consultants sm",
                Some(LegalFamily::Corporation),
            ),
            (
                "Bell Canada (Compagnie de téléphone Bell du Canada)",
                "bell canada",
                None,
            ),
            (
                "9105-8495 Québec inc.",
                "91058495 quebec",
                Some(LegalFamily::Corporation),
            ),
            (
                "Arcand Laporte Klimpt, S.E.N.C.R.L.",
                "arcand laporte klimpt",
                Some(LegalFamily::Partnership),
            ),
            ("Roche & Cie S.E.C.", "roche", Some(LegalFamily::LimitedPartnership)),
            (
                "Smith and Sons Co. Ltd.",
                "smith & sons",
                Some(LegalFamily::Corporation),
            ),
            ("Inc.", "inc", None),
            ("(ABC)", "abc", None),
            ("", "", None),
        ] {
            let form = NameForm::of(name);
            assert_eq!((form.core.as_str(), form.family), (core, family), "{name}");
        }
    }

    #[test]
    fn a_firm_is_what_comes_before_its_form_and_its_branch() {
        for (name, firm) in [
            ("SNC-Lavalin inc.", "SNC-Lavalin"),
            ("Sintra Inc. - région Centre du Québec", "Sintra"),
            ("Sintra (région Estrie)", "Sintra"),
            ("Les Pavages du Nord, ltée", "Pavages du Nord"),
            ("Arcand Laporte, S.E.N.C.R.L.", "Arcand Laporte"),
            ("Groupe Co Bel inc.", "Groupe Co Bel"),
            ("Groupe SNC Lavalin", "Groupe SNC Lavalin"),
            ("Smith and Sons Co. Ltd.", "Smith and Sons"),
            ("Inc.", "Inc."),
            ("(ABC)", ""),
            ("", ""),
        ] {
            assert_eq!(firm_words(name), firm, "{name}");
        }
    }

    #[test]
    fn persons_consortia_and_divisions_are_recognized() {
        for (name, expected) in [
            ("Jean Tremblay", "person"),
            ("TREMBLAY, JEAN-GUY", "person"),
            ("Jean Coutu inc.", ""),
            ("Pavage Jean Tremblay", ""),
            ("IBM CANADA LIMITED/IBM CANADA LIMITÉE", ""),
            ("Cima+ / Tetra Tech QI inc.", "consortium"),
            ("ALK-Barin en consortium", "consortium"),
            ("Zenith Canada o/a Zenith, ZCE Inc.", ""),
            ("Aecon-Pomerleau (coentreprise)", "consortium"),
            ("Services C/O Inc.", ""),
            ("KPMG s.r.l./s.e.n.c.r.l.", ""),
            ("Construction B.M.L., division de Sintra inc.", "sintra"),
            ("Meloche div. Sintra", "sintra"),
            ("Division de Sintra", ""),
        ] {
            let form = NameForm::of(name);
            let found = match form.division_of {
                Some(of) => of,
                None if form.is_person => "person".to_owned(),
                None if form.is_consortium => "consortium".to_owned(),
                None => String::new(),
            };
            assert_eq!(found, expected, "{name}");
        }
    }
}
