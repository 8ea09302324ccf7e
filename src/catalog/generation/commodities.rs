//! The commodity codes that a generation knows: their words, and which are below which.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use crate::{
    model::{
        commodity::{CommodityCode, Scheme},
        commodity_words::CommodityDictionary,
        fold::fold,
    },
    query::translate::Translator,
};

pub use crate::model::commodity_words::Words;

/// All codes of the commodity dictionary and the levels above them.
#[derive(Default)]
pub struct Commodities {
    dictionary: CommodityDictionary,
    /// In order. The codes of one level below one code are neighbours.
    codes: Vec<CommodityCode>,
    /// Where the codes right below a code are in `codes`; under `None`, those of the first level.
    below: HashMap<Option<CommodityCode>, Range<usize>>,
    /// The codes in order with the folded texts by which people find them.
    texts: Vec<(CommodityCode, String)>,
}

impl Commodities {
    pub(crate) fn new(dictionary: CommodityDictionary) -> Commodities {
        let mut parents: BTreeMap<Option<CommodityCode>, Vec<CommodityCode>> = BTreeMap::new();
        let mut all: Vec<CommodityCode> = dictionary
            .0
            .keys()
            .flat_map(|code| code.ancestors().into_iter().chain([code.clone()]))
            .collect();
        all.sort();
        all.dedup();
        let text = |code: &CommodityCode| (code.clone(), searched_text(code, dictionary.own(code)));
        let texts = all.iter().map(text).collect();
        for code in all {
            parents.entry(code.parent()).or_default().push(code);
        }
        let mut codes = Vec::new();
        let mut below = HashMap::default();
        for (parent, children) in parents {
            let start = codes.len();
            codes.extend(children);
            below.insert(parent, start..codes.len());
        }
        Commodities {
            dictionary,
            codes,
            below,
            texts,
        }
    }

    pub(super) const fn dictionary(&self) -> &CommodityDictionary {
        &self.dictionary
    }

    /// The words of the code itself; `None` if none are known.
    pub fn title(&self, code: &CommodityCode) -> Option<&Words> {
        self.dictionary.own(code)
    }

    /// The known codes right below a code, in order.
    pub fn children(&self, code: &CommodityCode) -> &[CommodityCode] {
        self.below_of(Some(code.clone()))
    }

    /// The known codes of the first level of each scheme, in order.
    pub fn roots(&self) -> &[CommodityCode] {
        self.below_of(None)
    }

    fn below_of(&self, parent: Option<CommodityCode>) -> &[CommodityCode] {
        let range = self.below.get(&parent).cloned().unwrap_or_default();
        &self.codes[range]
    }

    /// The codes whose own words, or whose code, contain a folded text, in order.
    pub fn find<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a CommodityCode> {
        let found = self.texts.iter().filter(move |(_, text)| text.contains(part));
        found.map(|(code, _)| code)
    }

    /// Which terms mean the same, and which codes mean some words.
    pub fn translator(&self) -> Translator {
        let worded = self.dictionary.0.iter();
        Translator::new(self.pairs()).with_codes(worded.map(|(code, entry)| (code, &entry.words, entry.records)))
    }

    /// The English and French words of the codes that have both.
    pub fn pairs(&self) -> impl Iterator<Item = (String, String)> {
        let words = self.dictionary.0.values().map(|entry| &entry.words);
        words.filter_map(|words| Some((words.en.clone()?, words.fr.clone()?)))
    }
}

/// The words and the code, folded, on lines of their own. UNSPSC is found by its eight digits too.
fn searched_text(code: &CommodityCode, words: Option<&Words>) -> String {
    let words = words.into_iter().flat_map(|words| [&words.en, &words.fr]).flatten();
    let mut text = code.key().to_owned();
    if code.scheme() == Scheme::Unspsc {
        text.push_str(&format!("\n{:0<8}", code.code()));
    }
    for words in words {
        text.push('\n');
        text.push_str(&fold(words));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_by_words_by_code_and_by_the_code_above() {
        let text = r#"{"scheme":"unspsc","code":"72101700","title_en":"Roofing","title_fr":"Toitures à Québec"}
            {"scheme":"unspsc","code":"72","title_fr":"Construction"}
            {"scheme":"unspsc","code":"72150000"}
            {"scheme":"gsin","code":"N7030","title_en":"Software"}"#;
        let commodities = Commodities::new(CommodityDictionary::parse(text).unwrap());
        let code = |text: &str| CommodityCode::parse(text).unwrap();
        let keys = |codes: &[CommodityCode]| codes.iter().map(|code| code.key().to_owned()).collect::<Vec<_>>();
        assert_eq!(keys(commodities.roots()), ["unspsc:72", "gsin:n70"]);
        assert_eq!(keys(commodities.children(&code("72"))), ["unspsc:7210", "unspsc:7215"]);
        assert_eq!(keys(commodities.children(&code("7210"))), ["unspsc:721017"]);
        assert!(commodities.children(&code("721017")).is_empty());
        assert_eq!(
            commodities.title(&code("72101700")).unwrap().en.as_deref(),
            Some("Roofing")
        );
        assert!(commodities.title(&code("7210")).is_none() && commodities.title(&code("7215")).is_none());
        let found = |part: &str| keys(&commodities.find(part).cloned().collect::<Vec<_>>());
        assert_eq!(found("toitures a"), ["unspsc:721017"]);
        assert_eq!(found("72100000"), ["unspsc:7210"]);
        assert_eq!(found("n70"), ["gsin:n70", "gsin:n7030"]);
        assert_eq!(
            commodities.pairs().collect::<Vec<_>>(),
            [("Roofing".to_owned(), "Toitures à Québec".to_owned())]
        );
        let nothing = Commodities::default();
        assert!(nothing.roots().is_empty() && nothing.find("a").next().is_none());
    }
}
