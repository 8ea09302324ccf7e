//! Commodity codes that a query means: those whose words match it. Their records need not have the words.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet},
};

use crate::{
    model::{
        Language,
        commodity::{CommodityCode, Scheme},
        commodity_words::Words,
        fold::word_list,
        stem::stem,
    },
    query::{
        text::{Clause, Term},
        translate::{forms::is_function_word, trades::codes_of_trade},
    },
};

/// The maximum number of codes of a query: those with most records.
pub(crate) const MAX_CODES: usize = 256;

/// The fewest words of a title that may be a list of different things.
const MIN_LIST: usize = 3;

/// Words that say only that something is bought. A code says that anyway, so its words need not have them.
const BUYING_WORDS: [&str; 12] = [
    "achat",
    "achats",
    "contract",
    "contracts",
    "contrat",
    "contrats",
    "project",
    "projects",
    "projet",
    "projets",
    "purchase",
    "supply",
];

/// Words that say that something is done. The words of a code of services or construction need not have them; another
/// code is meant only if its own words have one.
const WORK_WORDS: [&str; 8] = [
    "job", "jobs", "service", "services", "travail", "travaux", "work", "works",
];

/// The words of all codes, looked up by the words of a query. Words have numbers.
#[derive(Debug, Default)]
pub(super) struct CodeWords {
    numbers: HashMap<String, u32>,
    by_stem: HashMap<(Language, String), Vec<u32>>,
    /// For each word: the codes that have it.
    codes_with: Vec<Vec<u32>>,
    codes: Vec<Code>,
}

#[derive(Debug)]
struct Code {
    key: String,
    /// The codes above it that have words.
    above: Vec<u32>,
    /// In each language that has words: all of them, in their order.
    titles: Vec<Vec<u32>>,
    /// Of each title: the words that carry its meaning.
    content: Vec<Vec<u32>>,
    has_below: bool,
    /// The records of the code and of those below it.
    records: u64,
}

/// What is before something that a title leaves out, in small letters.
const EXCLUSIONS: [&str; 8] = [
    ", not ",
    ", non ",
    " excl. ",
    " excluding ",
    " except ",
    " sauf ",
    " à l'exclusion ",
    " à l’exclusion ",
];

/// A title without what it leaves out, up to the next comma: "Live animals, not raised for food" is not found by
/// "food".
fn included(title: &str) -> String {
    let title = title.to_lowercase();
    let found = EXCLUSIONS
        .iter()
        .filter_map(|exclusion| title.find(exclusion).map(|start| (start, exclusion.len())));
    let Some((start, length)) = found.min() else {
        return title;
    };
    let left_out = &title[start + length..];
    let rest = left_out.find(',').map_or("", |comma| &left_out[comma..]);
    format!("{}{rest}", &title[..start])
}

impl CodeWords {
    /// The codes with their words and the number of records that state exactly this code.
    pub(super) fn new<'w>(titles: impl Iterator<Item = (&'w CommodityCode, &'w Words, u64)>) -> CodeWords {
        let mut all = CodeWords::default();
        let mut places: HashMap<&CommodityCode, u32> = HashMap::new();
        let mut codes: Vec<(&CommodityCode, &Words, u64)> = titles.collect();
        codes.sort_by_key(|(code, ..)| *code);
        for (place, (code, words, _)) in (0..).zip(&codes) {
            places.insert(code, place);
            all.add(code, words, place);
        }
        for (place, (code, _, records)) in codes.iter().enumerate() {
            let above: Vec<u32> = code
                .ancestors()
                .iter()
                .filter_map(|code| places.get(code).copied())
                .collect();
            for above in &above {
                all.codes[*above as usize].has_below = true;
                all.codes[*above as usize].records += records;
            }
            all.codes[place].records += records;
            all.codes[place].above = above;
        }
        all
    }

    fn add(&mut self, code: &CommodityCode, words: &Words, place: u32) {
        let titles = [&words.en, &words.fr]
            .into_iter()
            .flatten()
            .map(|text| word_list(&included(text)));
        let titles: Vec<Vec<String>> = titles.collect();
        let number = |words: &[String], all: &mut CodeWords| words.iter().map(|word| all.number(word)).collect();
        let content = |words: &Vec<String>| -> Vec<String> {
            words.iter().filter(|word| !is_empty_word(word)).cloned().collect()
        };
        let code = Code {
            key: code.key().to_owned(),
            above: Vec::new(),
            content: titles.iter().map(|words| number(&content(words), self)).collect(),
            titles: titles.iter().map(|words| number(words, self)).collect(),
            has_below: false,
            records: 0,
        };
        for word in code.titles.iter().flatten().collect::<BTreeSet<_>>() {
            self.codes_with[*word as usize].push(place);
        }
        self.codes.push(code);
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(known) = self.numbers.get(word) {
            return *known;
        }
        let number = self.codes_with.len() as u32;
        self.numbers.insert(word.to_owned(), number);
        self.codes_with.push(Vec::new());
        for language in Language::ALL {
            if let Some(stem) = stem(language, word) {
                self.by_stem.entry((language, stem)).or_default().push(number);
            }
        }
        number
    }

    /// The words that a term of a query matches: those with its stem, or the words of a phrase as written.
    fn words_of(&self, term: &Term) -> HashSet<u32> {
        let exact = term.words().iter().filter_map(|word| self.numbers.get(word).copied());
        let mut words: HashSet<u32> = exact.collect();
        if let Term::Word(word) = term {
            for language in Language::ALL {
                let key = stem(language, word).map(|stem| (language, stem));
                words.extend(key.and_then(|key| self.by_stem.get(&key)).into_iter().flatten());
            }
        }
        words
    }

    /// The codes whose own words match a term.
    fn codes_of(&self, term: &Term, words: &HashSet<u32>) -> BTreeSet<u32> {
        let Term::Phrase(phrase) = term else {
            return words
                .iter()
                .flat_map(|word| &self.codes_with[*word as usize])
                .copied()
                .collect();
        };
        let phrase: Option<Vec<u32>> = phrase.iter().map(|word| self.numbers.get(word).copied()).collect();
        let Some(phrase) = phrase.filter(|phrase| !phrase.is_empty()) else {
            return BTreeSet::new();
        };
        let candidates = self.codes_with[phrase[0] as usize].iter().copied();
        let has_phrase = |code: &u32| {
            let titles = &self.codes[*code as usize].titles;
            titles
                .iter()
                .any(|title| title.windows(phrase.len()).any(|run| run == phrase))
        };
        candidates.filter(has_phrase).collect()
    }

    /// The codes of the trade that a term names.
    fn codes_of_trade(&self, term: &Term) -> BTreeSet<u32> {
        let starts: Vec<&str> = codes_of_trade(term).collect();
        let codes = (0..).zip(&self.codes).filter(|_| !starts.is_empty());
        let is_of_trade = |key: &str| starts.iter().any(|start| key.starts_with(start));
        codes
            .filter(|(_, code)| is_of_trade(&code.key))
            .map(|(place, _)| place)
            .collect()
    }

    /// The keys of the codes that a query means, none below another, those with most records first.
    ///
    /// A code matches if its own words and those of the codes above it have all clauses, and its own have one of them.
    /// At least half of its own words must be of the query if those above have some of the clauses: "repair" is above
    /// the snow removal from roofs; and if others are below it. Then more than half of three or more, because such a
    /// title is often a list ("engineering, research and information technology"). The codes of a trade that a clause
    /// names need no words of it. Not if its own words have an excluded term.
    pub(super) fn find(&self, clauses: &[Clause]) -> Vec<String> {
        let (mut required, mut excluded, mut words) = (Vec::new(), BTreeSet::new(), HashSet::new());
        let is_work = clauses
            .iter()
            .any(|clause| is_generic(clause, |word| WORK_WORDS.contains(&word)));
        let mut of_trade = BTreeSet::new();
        for clause in clauses.iter().filter(|clause| !is_generic(clause, is_empty_word)) {
            let mut codes = BTreeSet::new();
            for term in clause.terms() {
                let of_term = self.words_of(term);
                codes.extend(self.codes_of(term, &of_term));
                let trade = self.codes_of_trade(term);
                codes.extend(&trade);
                of_trade.extend(trade);
                if matches!(clause, Clause::Any(_)) {
                    words.extend(of_term);
                }
            }
            match clause {
                Clause::Any(_) => required.push(codes),
                Clause::Not(_) => excluded.extend(codes),
            }
        }
        let work: Vec<u32> = WORK_WORDS
            .iter()
            .filter_map(|word| self.numbers.get(*word).copied())
            .collect();
        let own: BTreeSet<u32> = required.iter().flatten().copied().collect();
        let is_meant = |code: &&u32| {
            let found = &self.codes[**code as usize];
            let has = |of: &BTreeSet<u32>| of.contains(*code) || found.above.iter().any(|above| of.contains(above));
            let has_all = required.iter().all(|of| of.contains(*code));
            let is_half = |content: &Vec<u32>| {
                let common = content.iter().filter(|word| words.contains(word)).count();
                let is_list = found.has_below && content.len() >= MIN_LIST;
                common > 0 && 2 * common >= content.len() + usize::from(is_list)
            };
            !excluded.contains(*code)
                && (!is_work || found.is_work() || found.titles.iter().flatten().any(|word| work.contains(word)))
                && required.iter().all(has)
                && (has_all && !found.has_below || of_trade.contains(*code) || found.content.iter().any(is_half))
        };
        let meant: BTreeSet<u32> = own.iter().filter(is_meant).copied().collect();
        let is_covered = |code: &u32| {
            self.codes[*code as usize]
                .above
                .iter()
                .any(|above| meant.contains(above))
        };
        let mut codes: Vec<&Code> = meant
            .iter()
            .filter(|code| !is_covered(code))
            .map(|code| &self.codes[*code as usize])
            .collect();
        codes.sort_by_key(|code| Reverse(code.records));
        codes.iter().take(MAX_CODES).map(|code| code.key.clone()).collect()
    }
}

impl Code {
    /// Whether the code is of services or of construction: segments 70 to 95 of UNSPSC, and 30, which publishers use
    /// for roads; GSIN without those of goods; economic objects without those of supplies and equipment.
    fn is_work(&self) -> bool {
        let Some((scheme, code)) = self.key.split_once(':') else {
            return false;
        };
        match Scheme::parse(scheme) {
            Some(Scheme::Unspsc) => code.starts_with(['7', '8', '9']) || code.starts_with("30"),
            Some(Scheme::Gsin) => !code.starts_with('n'),
            Some(Scheme::Object) => code.starts_with('0'),
            None => false,
        }
    }
}

fn is_empty_word(word: &str) -> bool {
    is_function_word(word) || BUYING_WORDS.contains(&word) || WORK_WORDS.contains(&word)
}

/// Whether a required clause is, as written, only a word that codes need not have. Further terms are translations.
fn is_generic(clause: &Clause, is_one: impl Fn(&str) -> bool) -> bool {
    match clause {
        Clause::Any(terms) => matches!(terms.first(), Some(Term::Word(word)) if is_one(word)),
        Clause::Not(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{text::TextQuery, translate::Translator};

    const TITLES: [(&str, &str, &str, u64); 10] = [
        (
            "72",
            "Building construction, maintenance and repair services",
            "Services de construction",
            1,
        ),
        ("7210", "Building maintenance and repair", "", 2),
        ("72102903", "", "Déneigement des rues et trottoirs", 74),
        ("72102900", "Grounds maintenance", "Entretien des terrains", 9),
        (
            "721410",
            "Highway and road construction services",
            "Construction de routes",
            30,
        ),
        ("72141003", "Paving", "Pavage", 40),
        ("22101500", "Snow blowers", "Souffleuses à neige", 7),
        ("gsin:N3805", "Earth moving equipment", "Matériel de terrassement", 3),
        ("72141104", "Bridge works", "", 5),
        ("43231500", "Business software", "Logiciels de gestion", 6),
    ];

    fn found(q: &str, translate: bool) -> Vec<String> {
        let codes: Vec<(CommodityCode, Words, u64)> = TITLES
            .iter()
            .map(|(code, en, fr, records)| {
                let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
                let words = Words {
                    en: text(en),
                    fr: text(fr),
                };
                (CommodityCode::parse(code).unwrap(), words, *records)
            })
            .collect();
        let translator = Translator::new(std::iter::empty())
            .with_codes(codes.iter().map(|(code, words, records)| (code, words, *records)));
        let text = TextQuery::parse(q).unwrap();
        let text = if translate {
            translator.translate(&text).text
        } else {
            text
        };
        translator.codes_of(&text)
    }

    #[test]
    fn titles_are_not_found_by_what_they_leave_out() {
        for (title, expected) in [
            ("Live animals, not raised for food", "live animals"),
            ("Animaux vivants, non destinés à l’alimentation", "animaux vivants"),
            (
                "House Furnishing, excl. Furniture, and parts",
                "house furnishing,, and parts",
            ),
            ("Outils SAUF les clés, pièces", "outils, pièces"),
            ("Services not elsewhere specified", "services not elsewhere specified"),
        ] {
            assert_eq!(included(title), expected, "{title}");
        }
    }

    #[test]
    fn codes_are_found_by_words_in_either_language_above_and_below() {
        for (q, translate, expected) in [
            ("déneigement", false, &["unspsc:72102903"][..]),
            ("snow removal", true, &["unspsc:72102903"]),
            ("snow removal", false, &[]),
            // The code itself stands for all below it.
            ("road construction", false, &["unspsc:721410"]),
            ("construction des routes", false, &["unspsc:721410"]),
            // One word is in the title above, and what only says that it is work need not be there.
            ("paving road", false, &["unspsc:72141003"]),
            ("travaux de pavage", true, &["unspsc:72141003"]),
            ("pavage -rue", false, &["unspsc:72141003"]),
            ("déneigement -trottoir", false, &[]),
            // A list names many things: a word of it is not enough.
            ("repair", false, &[]),
            ("building maintenance", false, &["unspsc:7210"]),
            ("\"road construction\"", false, &["unspsc:721410"]),
            // A trade is wider than the titles of its codes.
            ("informatique", false, &["unspsc:432315"]),
            ("gestion informatique", false, &["unspsc:432315"]),
            ("entretien informatique", false, &[]),
            ("\"construction road\"", false, &[]),
            ("works", false, &[]),
            // Work is not goods.
            ("snow blowers", false, &["unspsc:221015"]),
            ("snow works", false, &[]),
            ("bridge works", false, &["unspsc:72141104"]),
            ("", false, &[]),
            ("zzyzx", true, &[]),
        ] {
            assert_eq!(found(q, translate), expected, "{q}");
        }
    }

    #[test]
    fn words_without_meaning_of_their_own_are_sorted_and_folded() {
        assert!(BUYING_WORDS.is_sorted() && WORK_WORDS.is_sorted());
        for word in BUYING_WORDS.into_iter().chain(WORK_WORDS) {
            assert_eq!(word_list(word), [word]);
        }
    }
}
