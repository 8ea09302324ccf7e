//! The commodity codes that a generation knows, with their words.

use std::collections::BTreeSet;

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
    /// The codes in order with the folded texts by which people find them.
    texts: Vec<(CommodityCode, String)>,
}

impl Commodities {
    pub(crate) fn new(dictionary: CommodityDictionary) -> Commodities {
        let codes: BTreeSet<CommodityCode> = dictionary
            .0
            .keys()
            .flat_map(|code| code.ancestors().into_iter().chain([code.clone()]))
            .collect();
        let with_text = |code: CommodityCode| {
            let text = searched_text(&code, dictionary.own(&code));
            (code, text)
        };
        let texts = codes.into_iter().map(with_text).collect();
        Commodities { dictionary, texts }
    }

    pub(super) const fn dictionary(&self) -> &CommodityDictionary {
        &self.dictionary
    }

    /// The words of the code itself; `None` if none are known.
    pub fn title(&self, code: &CommodityCode) -> Option<&Words> {
        self.dictionary.own(code)
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
        assert_eq!(
            commodities.title(&code("72101700")).unwrap().en.as_deref(),
            Some("Roofing")
        );
        assert!(commodities.title(&code("7210")).is_none() && commodities.title(&code("7215")).is_none());
        let found = |part: &'static str| commodities.find(part).map(CommodityCode::key).collect::<Vec<_>>();
        assert_eq!(found("toitures a"), ["unspsc:721017"]);
        assert_eq!(found("72100000"), ["unspsc:7210"]);
        assert_eq!(
            found(""),
            [
                "unspsc:72",
                "unspsc:7210",
                "unspsc:721017",
                "unspsc:7215",
                "gsin:n70",
                "gsin:n7030"
            ]
        );
        assert_eq!(found("n70"), ["gsin:n70", "gsin:n7030"]);
        assert_eq!(
            commodities.pairs().collect::<Vec<_>>(),
            [("Roofing".to_owned(), "Toitures à Québec".to_owned())]
        );
        assert!(Commodities::default().find("a").next().is_none());
    }
}
