//! Translation through the engine, the feed and alerts; and how well it finds what people need,
//! among the publishers' real files.

use std::{collections::BTreeSet, sync::LazyLock};

use procure::{
    engine::{Deadline, Engine},
    model::{
        entity_type::EntityType,
        fold::word_list,
        record::Record,
        record_id::record_id,
        schema::{Role, Schema},
        stem::Language,
    },
    query::{
        Order, Page, SearchQuery, Sort, SortKey, Start,
        keyword::{Keyword, TokenizedRecord},
        text::TextQuery,
        translate::Translator,
    },
};
use proptest::prelude::*;
use serde_json::json;

use crate::{scan::ScanEngine, support::real_generation};

/// Needs in the words of a searcher, with what answers them.
const NEEDS: &str = include_str!("../relevance/needs.csv");

const GLOSSARY: &str = include_str!("../../data/glossary.csv");

/// Precision is measured among so many hits.
const FIRST: usize = 10;

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| Translator::new(std::iter::empty()));

fn found(engine: &dyn Engine, entity_type: EntityType, text: TextQuery) -> BTreeSet<String> {
    let query = SearchQuery {
        text: Some(text),
        ..SearchQuery::newest(entity_type, Vec::new())
    };
    let hits = engine.search(&query, &first(100), Deadline::never()).unwrap();
    let ids = hits.records.iter().map(|bytes| record_id(bytes).unwrap().into_owned());
    ids.collect()
}

fn first(limit: usize) -> Page {
    Page {
        limit,
        start: Start::Offset(0),
    }
}

fn title() -> impl Strategy<Value = String> {
    let words = [
        "snow removal",
        "snow",
        "removal",
        "of",
        "déneigement",
        "enlèvement de la neige",
        "roofs",
        "réfection de toiture",
        "toitures",
        "réparation",
        "park",
        "parc",
        "parking",
        "camion d'incendie",
        "fire trucks",
        "zzz",
    ];
    prop::collection::vec(proptest::sample::select(words.to_vec()), 1..5).prop_map(|words| words.join(" "))
}

fn q() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        6 => proptest::sample::select(&["snow", "removal", "of", "roof", "repairs", "toiture", "park", "fire", "truck", "zzz"][..]).prop_map(str::to_owned),
        2 => proptest::sample::select(&["\"snow removal\"", "OR", "déneigement", "\"réfection de la toiture\""][..]).prop_map(str::to_owned),
    ];
    prop::collection::vec(token, 1..6).prop_map(|tokens| tokens.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn what_a_query_finds_its_translation_finds_too(titles in prop::collection::vec(title(), 1..12), q in q()) {
        let records: Vec<_> = titles.iter().enumerate().map(|(number, title)| {
            (EntityType::Tender, json!({"record_id": number.to_string(), "title_fr": title}).to_string())
        }).collect();
        let engine = ScanEngine::new(&records);
        let text = TextQuery::parse(&q).unwrap();
        let translated = TRANSLATOR.translate(&text).text;
        let [plain, more] = [text, translated].map(|text| found(&engine, EntityType::Tender, text));
        prop_assert!(plain.is_subset(&more), "{} {:?}", q, plain);
    }

    /// A translated keyword matches what the translated `q` with the keyword as a phrase matches.
    #[test]
    fn a_translated_keyword_matches_like_q(title in title(), words in "(snow|snow removal|toiture|fire trucks?|parks?|d[ée]neigement|zzz)") {
        let record = json!({"record_id": "1", "title_fr": title}).to_string();
        let records = [(EntityType::Tender, record.clone())];
        let engine = ScanEngine::new(&records);
        let phrase = if words.contains(' ') { format!("\"{words}\"") } else { words.clone() };
        let text = TRANSLATOR.translate(&TextQuery::parse(&phrase).unwrap()).text;
        let keyword = Keyword::parse(&words).unwrap().translated(&TRANSLATOR);
        let tokenized = TokenizedRecord::of(&Record::parse(Schema::of(EntityType::Tender), record.as_bytes()).unwrap());
        let is_found = !found(&engine, EntityType::Tender, text).is_empty();
        prop_assert_eq!(keyword.matches(&tokenized, &Language::ALL), is_found, "{} {}", words, title);
    }
}

/// The terms of each line of the glossary, of both languages.
static LINES: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let lines = GLOSSARY
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let lines = lines
        .skip(1)
        .map(|line| line.split([',', ';']).map(|term| term.trim().to_owned()).collect());
    lines.collect()
});

/// A word of a line of the glossary, and titles with the terms of that line.
fn word_and_titles() -> impl Strategy<Value = (String, Vec<String>)> {
    proptest::sample::select(LINES.as_slice()).prop_flat_map(|terms| {
        let words: BTreeSet<String> = terms.iter().flat_map(|term| word_list(term)).collect();
        // Words that only connect others can be released where they are not alone.
        let words: Vec<String> = words.into_iter().filter(|word| word.len() > 4).collect();
        let words = if words.is_empty() {
            vec!["snow".to_owned()]
        } else {
            words
        };
        let titles = prop::collection::vec(proptest::sample::select(terms), 1..5);
        (proptest::sample::select(words), titles)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// What each word finds alone decides what they find together.
    #[test]
    fn translated_searches_are_sets(
        (one, titles_of_one) in word_and_titles(),
        (other, titles_of_other) in word_and_titles(),
    ) {
        let joined = titles_of_one.iter().zip(&titles_of_other).map(|(one, other)| format!("{one}, {other}"));
        let titles: Vec<String> = titles_of_one.iter().chain(&titles_of_other).cloned().chain(joined).collect();
        let records: Vec<_> = titles.iter().enumerate().map(|(number, title)| {
            (EntityType::Tender, json!({"record_id": number.to_string(), "title_fr": title}).to_string())
        }).collect();
        let engine = ScanEngine::new(&records);
        let ids = |q: &str| {
            let text = TRANSLATOR.translate(&TextQuery::parse(q).unwrap()).text;
            found(&engine, EntityType::Tender, text)
        };
        let all = ids("");
        let (of_one, of_other) = (ids(&one), ids(&other));
        prop_assert_eq!(ids(&format!("{one} OR {other}")), &of_one | &of_other, "{} {}", one, other);
        prop_assert_eq!(ids(&format!("-{one}")), &all - &of_one, "{}", one);
        prop_assert_eq!(ids(&format!("{one} -{other}")), &of_one - &of_other, "{} {}", one, other);
        prop_assert_eq!(ids(&format!("-{one} -{other}")), &(&all - &of_one) - &of_other, "{} {}", one, other);
        // More where both are one term.
        let both = ids(&format!("{one} {other}"));
        prop_assert!((&of_one & &of_other).is_subset(&both), "{} {}", one, other);
    }
}

/// A line of the file of needs.
struct Need {
    language: Language,
    q: String,
    relevant: Rule,
    irrelevant: Rule,
}

/// Alternatives, each a list of beginnings of words that must all occur.
struct Rule(Vec<Vec<String>>);

impl Rule {
    fn parse(text: &str) -> Rule {
        let alternatives = text.split('|').filter(|alternative| !alternative.is_empty());
        Rule(
            alternatives
                .map(|one| one.split('+').map(str::to_owned).collect())
                .collect(),
        )
    }

    fn holds(&self, words: &[String]) -> bool {
        let has = |beginning: &String| match beginning.strip_suffix('.') {
            Some(whole) => words.iter().any(|word| word == whole),
            None => words.iter().any(|word| word.starts_with(beginning.as_str())),
        };
        self.0.iter().any(|all| all.iter().all(has))
    }
}

fn needs() -> Vec<Need> {
    let lines = NEEDS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let needs = lines.skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let [language, q, relevant, irrelevant] = cells[..] else {
            panic!("{line}: not four cells");
        };
        Need {
            language: Language::ALL
                .into_iter()
                .find(|one| one.code() == language)
                .unwrap_or_else(|| panic!("{line}")),
            q: q.to_owned(),
            relevant: Rule::parse(relevant),
            irrelevant: Rule::parse(irrelevant),
        }
    });
    needs.collect()
}

#[test]
fn the_needs_are_of_both_languages_and_their_rules_are_folded() {
    let needs = needs();
    assert!(needs.len() >= 100, "{}", needs.len());
    for language in Language::ALL {
        assert!(
            needs.iter().filter(|need| need.language == language).count() >= 50,
            "{language:?}"
        );
    }
    let mut seen = BTreeSet::new();
    for need in &needs {
        assert!(seen.insert((need.language, &need.q)), "{} twice", need.q);
        assert!(!need.relevant.0.is_empty(), "{}", need.q);
        for beginning in need.relevant.0.iter().chain(&need.irrelevant.0).flatten() {
            let word = beginning.strip_suffix('.').unwrap_or(beginning);
            assert_eq!(word_list(word), [word], "{}: {beginning}", need.q);
        }
    }
}

/// How many hits there were, and how many of them answer the need.
#[derive(Default)]
struct Precision {
    hits: usize,
    relevant: usize,
}

impl Precision {
    fn add(&mut self, is_relevant: bool) {
        self.hits += 1;
        self.relevant += usize::from(is_relevant);
    }

    fn share(&self) -> f64 {
        self.relevant as f64 / self.hits.max(1) as f64
    }
}

/// Set `PROCURE_REAL_DATA`, and run with `--nocapture` to read the hits that are judged irrelevant.
#[test]
fn translated_searches_find_what_is_needed_among_real_records() {
    let Some(generation) = real_generation() else {
        return;
    };
    // Of all hits; of those that the query does not find without translation; and by need.
    let (mut all, mut added, mut shares) = (Precision::default(), Precision::default(), Vec::new());
    for need in needs() {
        let text = TextQuery::parse(&need.q).unwrap();
        let translated = generation.translator.translate(&text).text;
        let mut of_need = Precision::default();
        for entity_type in [EntityType::Contract, EntityType::Tender, EntityType::Disclosure] {
            for bytes in by_relevance(&*generation.engine, entity_type, translated.clone()) {
                let record = Record::parse(Schema::of(entity_type), &bytes).unwrap();
                let words = subject(&record);
                let is_relevant = need.relevant.holds(&words) && !need.irrelevant.holds(&words);
                of_need.add(is_relevant);
                if !is_found_without(&record, &text) {
                    added.add(is_relevant);
                }
                if !is_relevant {
                    let title: Vec<&str> = record.texts(Role::Subject).collect();
                    println!("{} ({}): {}", need.q, need.language.code(), title.join(" | "));
                }
            }
        }
        all.hits += of_need.hits;
        all.relevant += of_need.relevant;
        if of_need.hits > 0 {
            shares.push(of_need.share());
        }
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    println!(
        "precision at {FIRST}: {:.3} of {} hits, mean of {} needs {mean:.3}; of the {} hits that only translation finds {:.3}",
        all.share(),
        all.hits,
        shares.len(),
        added.hits,
        added.share(),
    );
    assert!(shares.len() >= 100, "{}", shares.len());
    assert!(mean >= 0.8 && all.share() >= 0.8 && added.share() >= 0.8, "{mean}");
}

fn by_relevance(engine: &dyn Engine, entity_type: EntityType, text: TextQuery) -> Vec<Vec<u8>> {
    let query = SearchQuery {
        text: Some(text),
        sort: Sort {
            key: SortKey::Relevance,
            order: Order::Desc,
        },
        ..SearchQuery::newest(entity_type, Vec::new())
    };
    let hits = engine.search(&query, &first(FIRST), Deadline::never()).unwrap();
    hits.records.iter().map(|bytes| bytes.to_vec()).collect()
}

/// The folded words of title, description and commodity.
fn subject(record: &Record) -> Vec<String> {
    let texts = record.texts(Role::Subject).chain(record.texts(Role::CommodityWords));
    texts.flat_map(word_list).collect()
}

/// Whether the query as written finds the record.
fn is_found_without(record: &Record, text: &TextQuery) -> bool {
    let only = vec![(
        EntityType::Contract,
        json!({"record_id": record.id(), "title_fr": all_texts(record)}).to_string(),
    )];
    !found(&ScanEngine::new(&only), EntityType::Contract, text.clone()).is_empty()
}

fn all_texts(record: &Record) -> String {
    let texts: Vec<&str> = record.texts(Role::Text).collect();
    texts.join(" | ")
}
