//! Matches new tenders with subscriptions.
//!
//! This is a reverse search: the subscriptions are indexed by the tokens of their keywords, and each
//! tender is run against the index once. The time grows with the tenders and the matches, hardly with
//! the subscriptions.

use std::collections::{BTreeSet, HashMap};

use chrono::DateTime;

use crate::{
    alerts::new_tenders::NewTender,
    model::{Date, Language, Role, record::query_key},
    query::{
        keyword::{Keyword, Token, TokenizedRecord},
        translate::Translator,
    },
    state::subscription::Subscription,
};

/// How many days before a subscription a tender may have been published and still be
/// new to it. The slowest sources publish a week's notices at its end; without this grace, a
/// subscriber would miss the tenders of the week in which the subscription begins.
pub(crate) const GRACE_DAYS: i32 = 7;

/// Calls `each` for each tender with the subscriptions that match it, in their order; both as indexes
/// into the given lists. The matches of all tenders are never held at once: they are many times what
/// is mailed.
pub fn each_tender<E>(
    subscriptions: &[Subscription],
    tenders: &[NewTender],
    translator: &Translator,
    mut each: impl FnMut(usize, Vec<usize>) -> Result<(), E>,
) -> Result<(), E> {
    let mut index = SubscriptionIndex::of(subscriptions, translator);
    let mut numbered = tenders.iter().enumerate();
    numbered.try_for_each(|(number, tender)| each(number, index.find(number, tender)))
}

/// The subscriptions by a key that every match has: one of their keywords, or without keywords the
/// narrowest of their other conditions.
struct SubscriptionIndex<'s> {
    conditions: Vec<Conditions<'s>>,
    /// By the languages to look at, because a keyword has other tokens in other languages; and by
    /// whether keywords are translated.
    by_languages: HashMap<(Vec<Language>, bool), KeywordIndex<'s>>,
    without_keywords: ConditionIndex<'s>,
    /// The tender that each subscription last matched.
    last_match: Vec<Option<usize>>,
}

/// The conditions of a subscription other than keywords.
struct Conditions<'s> {
    /// The first day of publication that is new, as days since 1970.
    since: i32,
    /// Folded.
    department: Option<String>,
    municipality: Option<&'s str>,
    category: Option<&'s str>,
    languages: &'s [Language],
}

/// The distinct keywords of the subscriptions that look at the same languages and agree on
/// translation.
#[derive(Default)]
struct KeywordIndex<'s> {
    /// Indexes into `keywords` by text; `None` for a malformed keyword.
    numbers: HashMap<&'s str, Option<usize>>,
    keywords: Vec<IndexedKeyword>,
    /// The keywords that contain each token, as indexes into `keywords`.
    by_token: HashMap<Token, Vec<usize>>,
}

/// A keyword with its subscriptions, and the tender in which it last occurred.
struct IndexedKeyword {
    keyword: Keyword,
    subscriptions: Vec<usize>,
    last_seen: Option<usize>,
}

/// The subscriptions without keywords.
#[derive(Default)]
struct ConditionIndex<'s> {
    by_department: HashMap<String, Vec<usize>>,
    by_municipality: HashMap<&'s str, Vec<usize>>,
    by_category: HashMap<&'s str, Vec<usize>>,
    all: Vec<usize>,
    /// A cache: by a name of a tender's department, the requested name parts that it contains.
    parts: HashMap<String, Vec<String>>,
}

impl<'s> SubscriptionIndex<'s> {
    fn of(subscriptions: &'s [Subscription], translator: &Translator) -> SubscriptionIndex<'s> {
        let mut index = SubscriptionIndex {
            conditions: subscriptions.iter().map(Conditions::of).collect(),
            by_languages: HashMap::new(),
            without_keywords: ConditionIndex::default(),
            last_match: vec![None; subscriptions.len()],
        };
        for (number, subscription) in subscriptions.iter().enumerate() {
            if subscription.keywords.is_empty() {
                index.without_keywords.add(number, &index.conditions[number]);
                continue;
            }
            let languages: BTreeSet<Language> = subscription.languages.iter().copied().collect();
            let languages: Vec<Language> = languages.into_iter().collect();
            let translator = subscription.translate.then_some(translator);
            let key = (languages.clone(), subscription.translate);
            let keywords = index.by_languages.entry(key).or_default();
            for text in &subscription.keywords {
                if !keywords.add(number, text, &languages, translator) {
                    log::error!("subscription {}: a malformed keyword is ignored", subscription.id);
                }
            }
        }
        index
    }

    /// The subscriptions that match a tender, in their order. `number` identifies the tender.
    fn find(&mut self, number: usize, tender: &NewTender) -> Vec<usize> {
        let (conditions, last_match) = (&self.conditions, &mut self.last_match);
        let record = tender.tokenize();
        let mut subscriptions = Vec::new();
        let mut add_matches = |candidates: &[usize]| {
            for candidate in candidates {
                if conditions[*candidate].match_tender(tender, &record)
                    && last_match[*candidate].replace(number) != Some(number)
                {
                    subscriptions.push(*candidate);
                }
            }
        };
        for ((languages, _), keywords) in &mut self.by_languages {
            keywords.find(number, languages, &record, &mut add_matches);
        }
        self.without_keywords.find(tender, &mut add_matches);
        subscriptions.sort_unstable();
        subscriptions
    }
}

impl<'s> Conditions<'s> {
    fn of(subscription: &'s Subscription) -> Conditions<'s> {
        let created = DateTime::from_timestamp(subscription.created_at, 0).unwrap_or(DateTime::UNIX_EPOCH);
        Conditions {
            since: Date::from(created.date_naive()).days() - GRACE_DAYS,
            department: subscription
                .department
                .as_deref()
                .map(|part| query_key(Role::Department, part)),
            municipality: subscription.municipality.as_deref(),
            category: subscription.category.as_deref(),
            languages: &subscription.languages,
        }
    }

    fn match_tender(&self, tender: &NewTender, record: &TokenizedRecord) -> bool {
        tender.published.days() >= self.since
            && self.municipality.is_none_or(|slug| tender.municipality == slug)
            && self
                .category
                .is_none_or(|code| tender.categories.iter().any(|of_tender| of_tender == code))
            && self
                .department
                .as_ref()
                .is_none_or(|part| tender.department_names().any(|name| name.contains(part.as_str())))
            && (Language::ALL.iter().all(|language| self.languages.contains(language)) || record.is_in(self.languages))
    }
}

impl<'s> KeywordIndex<'s> {
    /// Adds a keyword of a subscription. Returns whether the text is a valid keyword.
    fn add(
        &mut self,
        subscription: usize,
        text: &'s str,
        languages: &[Language],
        translator: Option<&Translator>,
    ) -> bool {
        let number = match self.numbers.get(text) {
            Some(number) => *number,
            None => self.insert(text, languages, translator),
        };
        if let Some(number) = number {
            self.keywords[number].subscriptions.push(subscription);
        }
        number.is_some()
    }

    fn insert(&mut self, text: &'s str, languages: &[Language], translator: Option<&Translator>) -> Option<usize> {
        let Ok(keyword) = Keyword::parse(text) else {
            self.numbers.insert(text, None);
            return None;
        };
        let keyword = match translator {
            Some(translator) => keyword.translated(translator),
            None => keyword,
        };
        let number = self.keywords.len();
        for token in keyword.tokens(languages) {
            self.by_token.entry(token.clone()).or_default().push(number);
        }
        self.keywords.push(IndexedKeyword {
            keyword,
            subscriptions: Vec::new(),
            last_seen: None,
        });
        self.numbers.insert(text, Some(number));
        Some(number)
    }

    fn find(
        &mut self,
        number: usize,
        languages: &[Language],
        record: &TokenizedRecord,
        add_matches: &mut impl FnMut(&[usize]),
    ) {
        for token in record.tokens(languages) {
            for keyword in self.by_token.get(token).into_iter().flatten() {
                let indexed = &mut self.keywords[*keyword];
                let is_first = indexed.last_seen.replace(number) != Some(number);
                if is_first && (indexed.keyword.is_word() || indexed.keyword.matches(record, languages)) {
                    add_matches(&indexed.subscriptions);
                }
            }
        }
    }
}

impl<'s> ConditionIndex<'s> {
    fn add(&mut self, subscription: usize, conditions: &Conditions<'s>) {
        let subscriptions = if let Some(part) = &conditions.department {
            self.by_department.entry(part.clone()).or_default()
        } else if let Some(slug) = conditions.municipality {
            self.by_municipality.entry(slug).or_default()
        } else if let Some(code) = conditions.category {
            self.by_category.entry(code).or_default()
        } else {
            &mut self.all
        };
        subscriptions.push(subscription);
    }

    fn find(&mut self, tender: &NewTender, add_matches: &mut impl FnMut(&[usize])) {
        for name in tender.department_names() {
            if !self.parts.contains_key(name) {
                let parts = self.by_department.keys().filter(|part| name.contains(part.as_str()));
                self.parts.insert(name.clone(), parts.cloned().collect());
            }
            for part in &self.parts[name] {
                add_matches(&self.by_department[part]);
            }
        }
        if let Some(subscriptions) = self.by_municipality.get(tender.municipality.as_str()) {
            add_matches(subscriptions);
        }
        for code in &tender.categories {
            if let Some(subscriptions) = self.by_category.get(code.as_str()) {
                add_matches(subscriptions);
            }
        }
        add_matches(&self.all);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, LazyLock};

    use bytes::Bytes;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        catalog::notices::NewestStatuses,
        model::fold::fold,
        state::subscription::{Frequency, Locale},
    };

    const DAY: i64 = 86_400;
    const FIRST: i64 = 20_000;

    static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| Translator::new(std::iter::empty()));

    /// Tender and subscription.
    type Match = (usize, usize);

    fn matches(subscriptions: &[Subscription], tenders: &[NewTender]) -> Vec<Match> {
        let mut matches = Vec::new();
        let found = each_tender(subscriptions, tenders, &TRANSLATOR, |tender, found| {
            matches.extend(found.into_iter().map(|subscription| (tender, subscription)));
            Ok::<_, ()>(())
        });
        found.unwrap();
        matches
    }

    /// The obvious implementation: each tender against each subscription.
    fn expected(subscriptions: &[Subscription], tenders: &[NewTender]) -> Vec<Match> {
        let mut matches = Vec::new();
        for (number, tender) in tenders.iter().enumerate() {
            let record = tender.tokenize();
            for (subscription, wanted) in subscriptions.iter().enumerate() {
                let has = |text: &String| {
                    Keyword::parse(text).is_ok_and(|keyword| {
                        let keyword = if wanted.translate {
                            keyword.translated(&TRANSLATOR)
                        } else {
                            keyword
                        };
                        keyword.matches(&record, &wanted.languages)
                    })
                };
                let has_keyword = match wanted.keywords.as_slice() {
                    [] => wanted.languages.len() == 2 || record.is_in(&wanted.languages),
                    keywords => keywords.iter().any(has),
                };
                let department = wanted.department.as_ref().map(|part| fold(part));
                let stated = stated_departments(tender);
                let has_department = |part: &String| {
                    let names = stated.iter().flat_map(|name| names_of(name.clone()).to_vec());
                    names.into_iter().any(|name| name.contains(part))
                };
                let is_match = has_keyword
                    && i64::from(tender.published.days()) >= wanted.created_at / DAY - i64::from(GRACE_DAYS)
                    && department.as_ref().is_none_or(has_department)
                    && wanted
                        .municipality
                        .as_ref()
                        .is_none_or(|slug| *slug == tender.municipality)
                    && wanted
                        .category
                        .as_ref()
                        .is_none_or(|code| tender.categories.contains(code));
                if is_match {
                    matches.push((number, subscription));
                }
            }
        }
        matches
    }

    /// One department has two names, of which a notice states one.
    fn names_of(name: String) -> Arc<[String]> {
        let parks = ["Parks & Roads", "Parcs Canada"].map(fold);
        if parks.contains(&name) {
            parks.into()
        } else {
            [name].into()
        }
    }

    fn stated_departments(tender: &NewTender) -> Vec<String> {
        let record: Value = serde_json::from_slice(&tender.bytes).unwrap();
        record["department_fr"].as_str().map(fold).into_iter().collect()
    }

    fn parse(record: &Value) -> NewTender {
        NewTender::parse(Bytes::from(record.to_string()), &NewestStatuses::default(), names_of).unwrap()
    }

    fn one_of(words: &'static [&'static str]) -> impl Strategy<Value = String> {
        proptest::sample::select(words).prop_map(str::to_owned)
    }

    const WORDS: &[&str] = &[
        "road",
        "Roads",
        "déneigement",
        "l'eau",
        "eau",
        "EN578-123/A",
        "123",
        "snow",
        "removal",
    ];

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec(one_of(WORDS), 1..5).prop_map(|words| words.join(" "))
    }

    fn tender() -> impl Strategy<Value = NewTender> {
        let some = |text: BoxedStrategy<String>| proptest::option::of(text);
        let texts = prop::collection::vec(some(text().boxed()), 4);
        let department = some(one_of(&["Ville de Québec", "Parks & Roads", "Parcs Canada"]).boxed());
        let municipality = one_of(&["laval", "quebec"]);
        let category = some(one_of(&["CNST", "GD,SRV", "bogus"]).boxed());
        (texts, department, municipality, category, 0..20_i32).prop_map(
            |(texts, department, municipality, category, day)| {
                let day = Date::from_days(FIRST as i32 + day).unwrap().to_string();
                parse(&json!({
                    "record_id": "t",
                    "publication_date": day,
                    "municipality": municipality,
                    "department_fr": department,
                    "procurement_category": category,
                    "title_en": texts[0], "title_fr": texts[1], "description_en": texts[2], "description_fr": texts[3],
                }))
            },
        )
    }

    fn subscription() -> impl Strategy<Value = Subscription> {
        let keyword = prop_oneof![6 => one_of(WORDS), 2 => text(), 1 => one_of(&["\"roads\"", "-no keyword"])];
        let languages = proptest::sample::subsequence(Language::ALL.to_vec(), 1..=2);
        (
            prop::collection::vec(keyword, 0..3),
            proptest::option::weighted(0.4, one_of(&["québec", "PARCS", "roads", "r"])),
            proptest::option::weighted(0.4, one_of(&["laval", "nowhere"])),
            proptest::option::weighted(0.4, one_of(&["CNST", "SRV"])),
            (languages, 0..20_i64, any::<bool>(), any::<bool>()),
        )
            .prop_map(
                |(keywords, department, municipality, category, (mut languages, day, is_reversed, translate))| {
                    if is_reversed {
                        languages.reverse();
                    }
                    Subscription {
                        id: 1,
                        email: "a@example.com".into(),
                        keywords,
                        department,
                        municipality,
                        category,
                        languages,
                        translate,
                        frequency: Frequency::Daily,
                        locale: Locale::En,
                        created_at: (FIRST + GRACE_DAYS as i64 + day) * DAY + 3,
                    }
                },
            )
    }

    #[test]
    fn a_translated_keyword_finds_the_other_language() {
        let tender =
            |title: &str| parse(&json!({"record_id": title, "publication_date": "2026-03-01", "title_fr": title}));
        let subscription = |keyword: &str, translate: bool| Subscription {
            id: 1,
            email: "a@example.com".into(),
            keywords: vec![keyword.into()],
            department: None,
            municipality: None,
            category: None,
            languages: Language::ALL.into(),
            translate,
            frequency: Frequency::Daily,
            locale: Locale::En,
            created_at: 0,
        };
        let tenders = [
            tender("Déneigement des rues"),
            tender("Camions d'incendie"),
            tender("Papier"),
        ];
        let subscriptions = [
            subscription("snow removal", false),
            subscription("snow removal", true),
            subscription("fire trucks", true),
            subscription("papier", true),
        ];
        assert_eq!(matches(&subscriptions, &tenders), [(0, 1), (1, 2), (2, 3)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn the_index_finds_the_same_as_comparing_each_pair(
            subscriptions in prop::collection::vec(subscription(), 0..40),
            tenders in prop::collection::vec(tender(), 0..12),
        ) {
            prop_assert_eq!(matches(&subscriptions, &tenders), expected(&subscriptions, &tenders));
        }
    }
}
