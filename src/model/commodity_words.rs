//! The words of commodity codes: what is known of them, and how records teach them.
//!
//! A record that states codes and their words teaches the words of each code. Of several wordings of
//! a code, the most frequent one counts; of equally frequent ones, the first in the order of bytes.
//! So the result does not depend on the order of the records.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{
    commodity::{self, CommodityCode, Scheme},
    record::Record,
    statements::Statements,
    stem::Language,
};

/// The words of a code in each language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    pub en: Option<String>,
    pub fr: Option<String>,
}

impl Words {
    pub fn of(&self, language: Language) -> Option<&str> {
        match language {
            Language::English => self.en.as_deref(),
            Language::French => self.fr.as_deref(),
        }
    }

    pub(crate) fn are_none(&self) -> bool {
        self.en.is_none() && self.fr.is_none()
    }

    /// Takes the words of `others` in a language in which there are none here.
    pub(crate) fn or(self, others: Words) -> Words {
        Words {
            en: self.en.or(others.en),
            fr: self.fr.or(others.fr),
        }
    }
}

/// A field with codes, and those with their words in English and French.
#[derive(Debug)]
pub(crate) struct WordedField {
    pub(crate) codes: &'static str,
    pub(crate) en: &'static str,
    pub(crate) fr: &'static str,
    /// Whether the words are of the codes, not of the whole record.
    is_of_codes: bool,
}

/// Decision D-210: a disclosure describes a contract with the words of its economic object.
pub(crate) const WORDED_FIELDS: [WordedField; 4] = [
    worded("unspsc", "unspsc_description_en", "unspsc_description_fr", true),
    worded("gsin", "gsin_description_en", "gsin_description_fr", true),
    worded(
        "commodity",
        "commodity_description_en",
        "commodity_description_fr",
        true,
    ),
    worded("economic_object_code", "description_en", "description_fr", false),
];

const fn worded(codes: &'static str, en: &'static str, fr: &'static str, is_of_codes: bool) -> WordedField {
    WordedField {
        codes,
        en,
        fr,
        is_of_codes,
    }
}

impl WordedField {
    /// Whether records without words gain the words of the codes.
    pub(crate) fn is_filled(&self) -> bool {
        self.is_of_codes
    }

    pub(crate) fn of(&self, language: Language) -> &'static str {
        match language {
            Language::English => self.en,
            Language::French => self.fr,
        }
    }
}

/// Between the words of several codes.
pub(crate) const BETWEEN_WORDS: &str = "; ";

/// The longest words of a code that count, in bytes. The longest known have 200.
pub(crate) const MAX_WORDS_BYTES: usize = 400;

/// All codes that are known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Line>", into = "Vec<Line>")]
pub(crate) struct CommodityDictionary(pub(crate) BTreeMap<CommodityCode, CommodityEntry>);

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CommodityEntry {
    pub(crate) words: Words,
    /// Records that state the code.
    pub(crate) records: u64,
}

/// A line of the file of a dictionary.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    scheme: Scheme,
    code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title_en: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title_fr: Option<String>,
    #[serde(default)]
    records: u64,
}

impl CommodityDictionary {
    /// The dictionary in a file: a JSON object on each line. The error names the line.
    pub(crate) fn parse(text: &str) -> Result<CommodityDictionary, String> {
        let mut dictionary = CommodityDictionary::default();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let parsed = serde_json::from_str(line).map_err(|why| why.to_string());
            let added = parsed.and_then(|line| dictionary.add(line));
            added.map_err(|why| format!("line {number}: {why}"))?;
        }
        Ok(dictionary)
    }

    /// The dictionary in the bytes of a file. The error names the line.
    pub(crate) fn parse_bytes(bytes: &[u8]) -> Result<CommodityDictionary, String> {
        let text = std::str::from_utf8(bytes).map_err(|why| {
            let before = bytes[..why.valid_up_to()].iter().filter(|byte| **byte == b'\n');
            format!("line {}: is not UTF-8", before.count() + 1)
        })?;
        CommodityDictionary::parse(text)
    }

    /// The file of the dictionary, in the order of the codes.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for line in Vec::from(self.clone()) {
            text.push_str(&serde_json::to_string(&line).expect("a line has only texts and a number"));
            text.push('\n');
        }
        text
    }

    fn add(&mut self, line: Line) -> Result<(), String> {
        let code = code_of(line.scheme, &line.code)?;
        let entry = CommodityEntry {
            words: Words {
                en: line.title_en,
                fr: line.title_fr,
            },
            records: line.records,
        };
        match self.0.insert(code, entry) {
            None => Ok(()),
            Some(_) => Err(format!("the code {} has a line already", line.code)),
        }
    }

    /// Adds what another dictionary knows and this one does not.
    pub(crate) fn complete(&mut self, other: CommodityDictionary) {
        for (code, theirs) in other.0 {
            let ours = self.0.entry(code).or_default();
            ours.words = std::mem::take(&mut ours.words).or(theirs.words);
            if ours.records == 0 {
                ours.records = theirs.records;
            }
        }
    }

    /// The words of the code itself.
    pub(crate) fn own(&self, code: &CommodityCode) -> Option<&Words> {
        self.0
            .get(code)
            .map(|entry| &entry.words)
            .filter(|words| !words.are_none())
    }

    /// The words of the code in a language, else the words of the nearest code above it that has some.
    pub(crate) fn nearest(&self, code: &CommodityCode, language: Language) -> Option<&str> {
        let own = |code: &CommodityCode| self.0.get(code)?.words.of(language);
        own(code).or_else(|| code.ancestors().iter().find_map(own))
    }
}

impl TryFrom<Vec<Line>> for CommodityDictionary {
    type Error = String;

    fn try_from(lines: Vec<Line>) -> Result<CommodityDictionary, String> {
        let mut dictionary = CommodityDictionary::default();
        lines.into_iter().try_for_each(|line| dictionary.add(line))?;
        Ok(dictionary)
    }
}

impl From<CommodityDictionary> for Vec<Line> {
    fn from(dictionary: CommodityDictionary) -> Vec<Line> {
        let lines = dictionary.0.into_iter().map(|(code, entry)| Line {
            scheme: code.scheme(),
            code: code.code().to_owned(),
            title_en: entry.words.en,
            title_fr: entry.words.fr,
            records: entry.records,
        });
        lines.collect()
    }
}

/// Codes with their words, in no record.
impl FromIterator<(CommodityCode, Words)> for CommodityDictionary {
    fn from_iter<I: IntoIterator<Item = (CommodityCode, Words)>>(codes: I) -> CommodityDictionary {
        let entries = codes.into_iter().map(|(code, words)| {
            let entry = CommodityEntry { words, records: 0 };
            (code, entry)
        });
        CommodityDictionary(entries.collect())
    }
}

/// A code of a scheme. The error says what a code is.
pub(crate) fn code_of(scheme: Scheme, code: &str) -> Result<CommodityCode, String> {
    CommodityCode::parse(&format!("{}:{code}", scheme.name())).map_err(|why| why.to_string())
}

/// Learns the words of codes from records.
///
/// Memory: for each of at most [`MAX_CODES`] codes up to [`MAX_WORDINGS`] wordings in each language.
#[derive(Debug, Default)]
pub(crate) struct CommodityLearner {
    codes: FxHashMap<CommodityCode, Learned>,
    /// By number of a worded field, then the field without words: codes and words that records state, and how often.
    stated: [Statements<u64, 3>; WORDED_FIELDS.len() + 1],
}

#[derive(Debug, Default)]
struct Learned {
    /// Records that state the code.
    records: u64,
    /// By language: how often each wording was seen.
    wordings: [FxHashMap<String, u64>; 2],
}

/// More than any scheme has.
const MAX_CODES: usize = 500_000;

/// Wordings of a code in a language beyond these are not counted.
const MAX_WORDINGS: usize = 64;

/// An economic object has the words of its records only if so many have the same.
const MIN_SHARED: u64 = 2;

impl CommodityLearner {
    pub(crate) fn observe(&mut self, record: &Record) {
        let (worded, others) = self.stated.split_at_mut(WORDED_FIELDS.len());
        for (field, stated) in WORDED_FIELDS.iter().zip(worded) {
            if let Some(codes) = record.text(field.codes) {
                *stated.counted([Some(codes), record.text(field.en), record.text(field.fr)]) += 1;
            }
        }
        if let (Some(codes), [stated]) = (record.text(CODES_WITHOUT_WORDS), others) {
            *stated.counted([Some(codes), None, None]) += 1;
        }
        if self.stated.iter().any(Statements::are_many) {
            self.settle();
        }
    }

    /// Reads what records have stated.
    fn settle(&mut self) {
        let mut all = std::mem::take(&mut self.stated);
        let (worded, others) = all.split_at_mut(WORDED_FIELDS.len());
        for (field, stated) in WORDED_FIELDS.iter().zip(worded) {
            stated.take_all(|[codes, en, fr], times| {
                let codes = codes.unwrap_or_default();
                self.teach_field(field, codes, [en, fr], times);
                let distinct: BTreeSet<CommodityCode> = commodity::codes(field.codes, codes).collect();
                distinct.iter().for_each(|code| self.count(code, times));
            });
        }
        for stated in others {
            stated.take_all(|[codes, ..], times| {
                let codes = commodity::codes(CODES_WITHOUT_WORDS, codes.unwrap_or_default());
                codes.for_each(|code| self.count(&code, times));
            });
        }
    }

    fn count(&mut self, code: &CommodityCode, times: u64) {
        let learned = self.learned(code).into_iter();
        learned.for_each(|learned| learned.records += times);
    }

    /// Learns the words of the codes in the fields of what may be no record, and counts none.
    pub(crate) fn teach<'a>(&mut self, text_of: impl Fn(&str) -> Option<&'a str>) {
        for field in &WORDED_FIELDS {
            if let Some(codes) = text_of(field.codes) {
                self.teach_field(field, codes, [text_of(field.en), text_of(field.fr)], 1);
            }
        }
    }

    /// Learns from codes and their words in English and French, which were stated so many times.
    fn teach_field(&mut self, field: &WordedField, codes: &str, words: [Option<&str>; 2], times: u64) {
        for (number, words) in words.into_iter().enumerate() {
            for (code, words) in words.map(|words| pairs(field.codes, codes, words)).unwrap_or_default() {
                if let Some(learned) = self.learned(&code) {
                    learned.add(number, words, times);
                }
            }
        }
    }

    pub(crate) fn merge(mut self, mut other: CommodityLearner) -> CommodityLearner {
        self.settle();
        other.settle();
        for (code, theirs) in other.codes {
            if let Some(ours) = self.learned(&code) {
                ours.records += theirs.records;
                for (number, wordings) in theirs.wordings.into_iter().enumerate() {
                    for (words, count) in wordings {
                        ours.add(number, &words, count);
                    }
                }
            }
        }
        self
    }

    fn learned(&mut self, code: &CommodityCode) -> Option<&mut Learned> {
        if !self.codes.contains_key(code) {
            if self.codes.len() >= MAX_CODES {
                return None;
            }
            self.codes.insert(code.clone(), Learned::default());
        }
        self.codes.get_mut(code)
    }

    /// The codes that records state, with the most frequent wording of each.
    pub(crate) fn conclude(mut self) -> CommodityDictionary {
        self.settle();
        let entries = self.codes.into_iter().map(|(code, learned)| {
            let [en, fr] = learned.wordings.map(|wordings| most_frequent(code.scheme(), wordings));
            let words = Words { en, fr };
            (
                code,
                CommodityEntry {
                    words,
                    records: learned.records,
                },
            )
        });
        CommodityDictionary(entries.collect())
    }
}

/// The field of disclosures with codes whose words no field states.
const CODES_WITHOUT_WORDS: &str = "commodity_code";

impl Learned {
    fn add(&mut self, language: usize, words: &str, count: u64) {
        let wordings = &mut self.wordings[language];
        if let Some(known) = wordings.get_mut(words) {
            *known += count;
        } else if wordings.len() < MAX_WORDINGS {
            wordings.insert(words.to_owned(), count);
        }
    }
}

/// The most frequent wording, the first in the order of bytes of equally frequent ones. `None` for an
/// economic object whose records do not agree.
fn most_frequent(scheme: Scheme, wordings: FxHashMap<String, u64>) -> Option<String> {
    let all: u64 = wordings.values().sum();
    let most = wordings
        .into_iter()
        .max_by(|(a, a_count), (b, b_count)| a_count.cmp(b_count).then_with(|| b.cmp(a)));
    let is_agreed = |count: u64| scheme != Scheme::Object || (count >= MIN_SHARED && 2 * count > all);
    most.filter(|(_, count)| is_agreed(*count)).map(|(words, _)| words)
}

/// The codes of a field, each with its words: of a single code, or of as many codes as there
/// are words. Nothing if they do not match.
fn pairs<'a>(field: &str, codes: &str, words: &'a str) -> Vec<(CommodityCode, &'a str)> {
    let members = codes.split(|c: char| !c.is_alphanumeric());
    let members: Vec<&str> = members.filter(|member| !member.is_empty()).collect();
    let words: Vec<&str> = match members.len() {
        1 => vec![words],
        _ => words.split(BETWEEN_WORDS).collect(),
    };
    if members.len() != words.len() {
        return Vec::new();
    }
    let pairs = members.into_iter().zip(words).filter_map(|(member, words)| {
        let words = words.trim();
        let is_worded = words.len() <= MAX_WORDS_BYTES && words.chars().any(char::is_alphabetic);
        let code = commodity::codes(field, member).next()?;
        // The words of a code between two levels are not the words of the level above it.
        let is_whole = commodity::keys(field, member).any(|key| is_whole(&code, &key));
        (is_worded && is_whole).then_some((code, words))
    });
    pairs.collect()
}

/// Whether a key is of the code itself, apart from the pairs `00` of a higher level of UNSPSC.
fn is_whole(code: &CommodityCode, key: &str) -> bool {
    let rest = key.strip_prefix(code.key());
    rest.is_some_and(|rest| rest.bytes().all(|b| b == b'0') && (rest.is_empty() || code.scheme() == Scheme::Unspsc))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{EntityType, Schema};

    fn learn(records: &[String]) -> CommodityDictionary {
        let mut learner = CommodityLearner::default();
        for (number, record) in records.iter().enumerate() {
            let entity_type = if record.contains("economic_object_code") {
                EntityType::Disclosure
            } else {
                EntityType::Contract
            };
            let json = format!(r#"{{"record_id":"{number}",{record}}}"#);
            learner.observe(&Record::parse(Schema::of(entity_type), json.as_bytes()).unwrap());
        }
        learner.conclude()
    }

    fn own(dictionary: &CommodityDictionary, code: &str) -> Words {
        let code = CommodityCode::parse(code).unwrap();
        dictionary.own(&code).cloned().unwrap_or_default()
    }

    fn words(en: Option<&str>, fr: Option<&str>) -> Words {
        Words {
            en: en.map(str::to_owned),
            fr: fr.map(str::to_owned),
        }
    }

    #[test]
    fn the_most_frequent_words_of_a_code_count() {
        let dictionary = learn(
            &[
                r#""unspsc":"72101700","unspsc_description_en":"Roofs""#,
                r#""unspsc":"72101700","unspsc_description_en":"Roofing","unspsc_description_fr":"Toits""#,
                r#""unspsc":"72101700,72140000","unspsc_description_en":"Roofing; Heavy works""#,
                r#""unspsc":"72101700,72140000","unspsc_description_en":"Not paired""#,
                r#""gsin":"D302A","gsin_description_en":"Informatics; Services","gsin_description_fr":"  ""#,
                r#""gsin":"N70301","gsin_description_en":"Between two levels""#,
                r#""gsin":"N7110","gsin_description_en":"b""#,
                r#""gsin":"N7110","gsin_description_en":"a""#,
            ]
            .map(str::to_owned),
        );
        assert_eq!(own(&dictionary, "72101700"), words(Some("Roofing"), Some("Toits")));
        assert_eq!(own(&dictionary, "7214"), words(Some("Heavy works"), None));
        assert_eq!(own(&dictionary, "D302A"), words(Some("Informatics; Services"), None));
        assert_eq!(own(&dictionary, "N7030"), words(None, None));
        assert_eq!(own(&dictionary, "N7110"), words(Some("a"), None), "equally frequent");
        let code = CommodityCode::parse("72101701").unwrap();
        assert_eq!(
            dictionary.nearest(&code, Language::English),
            Some("Roofing"),
            "of its class"
        );
        let records = |code: &str| dictionary.0[&CommodityCode::parse(code).unwrap()].records;
        assert_eq!((records("721017"), records("7214"), records("N7030")), (4, 2, 1));
    }

    #[test]
    fn an_economic_object_needs_records_that_agree() {
        let object = |code: &str, words: &str| format!(r#""economic_object_code":"{code}","description_en":"{words}""#);
        let dictionary = learn(&[
            object("430", "Services"),
            object("0430", "Services"),
            object("430", "Audit of a ministry"),
            object("811", "Once"),
            object("812", "One"),
            object("812", "Two"),
        ]);
        assert_eq!(own(&dictionary, "object:0430"), words(Some("Services"), None));
        assert_eq!(own(&dictionary, "object:0811"), words(None, None));
        assert_eq!(own(&dictionary, "object:0812"), words(None, None));
    }

    #[test]
    fn a_dictionary_is_read_as_it_was_written() {
        let text = "{\"scheme\":\"unspsc\",\"code\":\"72\",\"title_en\":\"Works\",\"records\":7}\n\
                    {\"scheme\":\"gsin\",\"code\":\"N7030\",\"title_fr\":\"Logiciels \\\"A\\\"\",\"records\":0}\n";
        let dictionary = CommodityDictionary::parse(text).unwrap();
        assert_eq!(dictionary.to_text(), text);
        for (line, why) in [
            ("{", "line 3: EOF"),
            (r#"{"scheme":"cpv","code":"1"}"#, "line 3: unknown variant `cpv`"),
            (
                r#"{"scheme":"gsin","code":"1"}"#,
                "line 3: 'gsin:1' is not a commodity code",
            ),
            (
                r#"{"scheme":"unspsc","code":"72000000"}"#,
                "line 3: the code 72000000 has a line",
            ),
        ] {
            let error = CommodityDictionary::parse(&format!("{text}{line}")).unwrap_err();
            assert!(error.starts_with(why), "{error}");
        }
        assert_eq!(CommodityDictionary::parse_bytes(text.as_bytes()), Ok(dictionary));
        let damaged = [text.as_bytes(), b"\xe9"].concat();
        let error = CommodityDictionary::parse_bytes(&damaged).unwrap_err();
        assert_eq!(error, "line 3: is not UTF-8");
    }

    proptest! {
        #[test]
        fn the_order_of_the_records_does_not_matter(
            records in prop::collection::vec(("(72|7210|N7030|K199)", "(a|b|c)", "(d|e)?"), 0..30),
            cut in 0_usize..30,
        ) {
            let record = |(code, en, fr): &(String, String, String)| {
                let field = if code.starts_with('7') { "unspsc" } else { "gsin" };
                let code = if field == "unspsc" { format!("{code:0<8}") } else { code.clone() };
                format!(r#""{field}":"{code}","{field}_description_en":"{en}","{field}_description_fr":"{fr}""#)
            };
            let mut texts: Vec<String> = records.iter().map(record).collect();
            let one = learn(&texts);
            texts.reverse();
            let middle = cut.min(texts.len());
            texts.rotate_left(middle);
            prop_assert_eq!(&learn(&texts), &one);
            prop_assert_eq!(&CommodityDictionary::parse(&one.to_text()).unwrap(), &one);
        }
    }
}
