//! What a search finds beyond its own words, and the links that turn it on or off: other terms for them in both
//! languages, and the commodity codes that mean them.

use crate::{
    api::params::resolve::ResolvedSearch,
    model::{commodity::CommodityCode, fold::fold},
    pages::{
        address,
        format::shortened,
        messages::Texts,
        search::{context::SearchContext, search_address::SearchAddress},
    },
    query::translate::Addition,
    question::words::words,
};

/// The line about the translation.
#[derive(Debug, PartialEq)]
pub(crate) struct TranslationNote {
    /// What was added for each part of `q`, in words. Empty if the address turns translation off.
    pub(crate) added: Vec<String>,
    /// The same search without the translation, or with it if it is off.
    pub(crate) href: String,
}

/// The full stop after a list, unless its end is cut.
fn stop(last: Option<&str>) -> &'static str {
    if last.is_some_and(|last| last.ends_with('…')) {
        ""
    } else {
        "."
    }
}

impl TranslationNote {
    pub(crate) fn stop(&self) -> &'static str {
        stop(self.added.last().map(String::as_str))
    }
}

impl CodesNote {
    pub(crate) fn stop(&self) -> &'static str {
        let last = self.codes.last().map(|(name, _)| name.as_str());
        stop(last.filter(|_| self.more.is_none()))
    }
}

/// How many codes, and how many terms of the other language for a part are shown.
const MAX_SHOWN: usize = 4;

/// How many other terms of its own language for a part are shown.
const MAX_SYNONYMS_SHOWN: usize = 2;

/// The line; `None` where there is nothing to say: no words, or words without other terms.
pub(crate) fn translation_note(t: Texts, asked: &SearchAddress, search: &ResolvedSearch) -> Option<TranslationNote> {
    search.query.text.as_ref()?;
    let Some(translation) = &search.translation else {
        let is_off = asked.value("translate") == Some("false");
        return is_off.then(|| TranslationNote {
            added: Vec::new(),
            href: asked.dropping(&OWN_WORDS_ONLY).address(),
        });
    };
    let shown = translation
        .added
        .iter()
        .filter(|addition| !addition.alternatives.is_empty());
    let written = asked.value("q").unwrap_or_default();
    let added: Vec<String> = shown.map(|addition| line(t, written, addition)).collect();
    (!added.is_empty()).then(|| TranslationNote {
        added,
        href: own_words_only(asked),
    })
}

/// The records that only their commodity codes find.
#[derive(Debug, PartialEq)]
pub(crate) struct CodesNote {
    /// How many they are.
    pub(crate) sentence: String,
    /// The first codes, each with its page.
    pub(crate) codes: Vec<(String, String)>,
    /// How many more codes there are.
    pub(crate) more: Option<String>,
    /// The search of the own words only.
    pub(crate) href: String,
}

/// The line about codes; `None` if they find nothing more.
pub(crate) fn codes_note(context: &SearchContext, search: &ResolvedSearch, by_code: u64) -> Option<CodesNote> {
    let t = context.t;
    let codes = search.query.text.as_ref()?.codes().filter(|_| by_code > 0)?;
    let shown = codes
        .iter()
        .filter_map(|key| CommodityCode::of_key(key))
        .take(MAX_SHOWN);
    let count = t.keyed_with(
        "search-records-",
        context.asked.entity_type.name(),
        &[("count", &by_code)],
    );
    Some(CodesNote {
        sentence: t.with("search-codes", &[("records", &count)]),
        codes: shown
            .map(|code| (context.commodity(&code), address::commodity(t.language(), &code)))
            .collect(),
        more: (codes.len() > MAX_SHOWN).then(|| t.with("search-codes-more", &[("count", &(codes.len() - MAX_SHOWN))])),
        href: own_words_only(context.asked),
    })
}

/// What a page adds to a search by itself.
const OWN_WORDS_ONLY: [&str; 2] = ["translate", "match_codes"];

fn own_words_only(asked: &SearchAddress) -> String {
    asked.with(&OWN_WORDS_ONLY.map(|name| (name, "false")))
}

/// "snow removal: déneigement, enlèvement de la neige, winter maintenance".
fn line(t: Texts, written: &str, addition: &Addition) -> String {
    let mut shown: Vec<&str> = Vec::new();
    let mut is_cut = false;
    for (names, most) in [
        (&addition.translations, MAX_SHOWN),
        (&addition.synonyms, MAX_SYNONYMS_SHOWN),
    ] {
        let end = shown.len() + most;
        for name in names {
            if shown.iter().any(|known| fold(known) == fold(name)) {
                continue;
            }
            is_cut |= shown.len() == end;
            if shown.len() < end {
                shown.push(name);
            }
        }
    }
    if is_cut {
        shown.push("…");
    }
    let minus = if addition.excluded { "\u{2212}" } else { "" };
    let of = format!("{minus}{}", shortened(&as_written(written, &addition.of)));
    t.with("search-translated", &[("words", &of), ("others", &shown.join(", "))])
}

/// Folded words as the search has them.
fn as_written(text: &str, folded: &[String]) -> String {
    let written = words(text);
    let is_of = |of: &str, word: &str| of.split(' ').any(|part| part == word);
    let found = |word: &String| written.iter().find(|(_, of)| is_of(of, word));
    let mut words: Vec<&str> = Vec::new();
    for word in folded {
        let as_written = found(word).map(|(written, _)| written.trim_matches(|c: char| !c.is_alphanumeric()));
        words.push(as_written.unwrap_or(word));
    }
    words.dedup();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::params::resolve::ResolveContext,
        model::{Language, Schema},
        query::translate::Translator,
    };

    fn note(query: &str) -> Option<TranslationNote> {
        let pairs = [("snow removal", "déneigement"), ("paving", "pavage")];
        let pairs = pairs.map(|(english, french)| (english.to_owned(), french.to_owned()));
        let translator = Translator::new(pairs.into_iter());
        let (asked, _) = SearchAddress::read(Language::English, query).unwrap();
        let context = ResolveContext {
            schema: Schema::of(asked.entity_type),
            page_cap: 1,
            coverage: &[],
            translator: Some(&translator),
            generation: None,
        };
        let search = asked.resolve(&context, 1).unwrap();
        translation_note(Texts::of(Language::English), &asked, &search)
    }

    #[test]
    fn the_line_says_what_was_added_and_leads_to_the_search_without_it() {
        let on = note("q=snow+removal&vendor=acme").unwrap();
        assert!(on.added.iter().any(|line| line.contains("déneigement")), "{on:?}");
        assert_eq!(
            on.href,
            "/en/search?kind=contract&q=snow%20removal&vendor=acme&translate=false&match_codes=false"
        );
        let off = note("q=snow+removal&translate=false&match_codes=false").unwrap();
        assert_eq!(
            (off.added.len(), off.href.as_str()),
            (0, "/en/search?kind=contract&q=snow%20removal")
        );
        for query in ["vendor=acme", "q=zzyzx", "vendor=acme&translate=false"] {
            assert_eq!(note(query), None, "{query}");
        }
    }

    #[test]
    fn the_line_has_the_words_as_they_were_written_and_each_other_name_once() {
        let of =
            |text: &str, of: &[&str]| as_written(text, &of.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(of("« Déneigement » 2015", &["deneigement"]), "Déneigement");
        assert_eq!(of("Saint-Jean, déneigement", &["saint", "jean"]), "Saint-Jean");
        assert_eq!(of("neige", &["snow"]), "snow");
        let addition = Addition {
            of: vec!["tyres".to_owned()],
            translations: vec!["pneu".to_owned(), "Pneu".to_owned(), "bandage".to_owned()],
            synonyms: ["tires", "casing", "rubber"].map(str::to_owned).to_vec(),
            language_of: Language::English,
            excluded: false,
            alternatives: Vec::new(),
        };
        let line = line(Texts::of(Language::English), "Tyres", &addition);
        assert_eq!(line.replace('\u{a0}', " "), "Tyres: pneu, bandage, tires, casing, …");
    }
}
