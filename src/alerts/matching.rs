//! Which new tenders are for which subscriptions.
//!
//! Turned around: the subscriptions are indexed by the words they ask for, and each tender is run against them once. The time goes with the tenders and the
//! matches, hardly with the subscriptions.

use std::collections::{BTreeSet, HashMap};

use crate::{
    alerts::fresh::Tender,
    model::{date::Date, record::query_key, schema::Role, stem::Language},
    query::keyword::{Keyword, TokenizedRecord, Token},
    state::subscription::Subscription,
};

/// Spec silent: how many days before a subscription a tender may have been published and still be new to it. The slowest sources publish a week's notices at its
/// end; without this, a subscriber would miss the week the subscription begins in.
pub const GRACE_DAYS: i32 = 7;

/// Calls `each` with each tender in turn, and the subscriptions it is for, in their order; both by their places in the lists that were given. The matches
/// of all are many times what anyone is told of, so they are nowhere held together.
pub fn each_tender<E>(
    subscriptions: &[Subscription],
    tenders: &[Tender],
    mut each: impl FnMut(usize, Vec<usize>) -> Result<(), E>,
) -> Result<(), E> {
    let mut index = Index::of(subscriptions);
    let mut numbered = tenders.iter().enumerate();
    numbered.try_for_each(|(number, tender)| each(number, index.find(number, tender)))
}

/// The subscriptions by what leads to them: one of their keywords, or without any the narrowest of their other conditions.
struct Index<'s> {
    conditions: Vec<Conditions<'s>>,
    /// By the languages looked at: a keyword has not the same tokens in all.
    views: HashMap<Vec<Language>, View<'s>>,
    rest: Rest<'s>,
    /// The tender that a subscription was last found for.
    found: Vec<Option<usize>>,
}

/// What a subscription asks for besides keywords.
struct Conditions<'s> {
    /// The first day that is new.
    since: i32,
    /// Folded.
    department: Option<String>,
    municipality: Option<&'s str>,
    category: Option<&'s str>,
    languages: &'s [Language],
}

/// The distinct keywords of the subscriptions that look at the same languages.
#[derive(Default)]
struct View<'s> {
    numbers: HashMap<&'s str, Option<usize>>,
    keywords: Vec<Asked>,
    by_token: HashMap<Token, Vec<usize>>,
}

/// A keyword, who asked for it, and the tender it was last met in.
struct Asked {
    keyword: Keyword,
    subscriptions: Vec<usize>,
    met: Option<usize>,
}

/// Subscriptions without keywords.
#[derive(Default)]
struct Rest<'s> {
    by_department: HashMap<String, Vec<usize>>,
    by_municipality: HashMap<&'s str, Vec<usize>>,
    by_category: HashMap<&'s str, Vec<usize>>,
    all: Vec<usize>,
    /// Which of the parts of names that are asked for a department's name holds: worked out once for each name.
    parts: HashMap<String, Vec<String>>,
}

impl<'s> Index<'s> {
    fn of(subscriptions: &'s [Subscription]) -> Index<'s> {
        let mut index = Index {
            conditions: subscriptions.iter().map(Conditions::of).collect(),
            views: HashMap::new(),
            rest: Rest::default(),
            found: vec![None; subscriptions.len()],
        };
        for (number, subscription) in subscriptions.iter().enumerate() {
            if subscription.keywords.is_empty() {
                index.rest.add(number, &index.conditions[number]);
                continue;
            }
            let languages: BTreeSet<Language> = subscription.languages.iter().copied().collect();
            let languages: Vec<Language> = languages.into_iter().collect();
            let view = index.views.entry(languages.clone()).or_default();
            for text in &subscription.keywords {
                if !view.add(number, text, &languages) {
                    log::error!(
                        "subscription {}: a keyword cannot be read, and finds nothing",
                        subscription.id
                    );
                }
            }
        }
        index
    }

    /// The subscriptions that a tender is for, in their order. Each tender has a number of its own.
    fn find(&mut self, number: usize, tender: &Tender) -> Vec<usize> {
        let (conditions, found) = (&self.conditions, &mut self.found);
        let subject = tender.subject();
        let mut subscriptions = Vec::new();
        let mut try_all = |candidates: &[usize]| {
            for candidate in candidates {
                if conditions[*candidate].hold(tender, &subject) && found[*candidate].replace(number) != Some(number) {
                    subscriptions.push(*candidate);
                }
            }
        };
        for (languages, view) in &mut self.views {
            view.find(number, languages, &subject, &mut try_all);
        }
        self.rest.find(tender, &mut try_all);
        subscriptions.sort_unstable();
        subscriptions
    }
}

impl<'s> Conditions<'s> {
    fn of(subscription: &'s Subscription) -> Conditions<'s> {
        let created = chrono::DateTime::from_timestamp(subscription.created_at, 0).unwrap_or_default();
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

    fn hold(&self, tender: &Tender, subject: &TokenizedRecord) -> bool {
        tender.published.days() >= self.since
            && self.municipality.is_none_or(|slug| tender.municipality == slug)
            && self
                .category
                .is_none_or(|code| tender.categories.iter().any(|of_tender| of_tender == code))
            && self
                .department
                .as_ref()
                .is_none_or(|part| tender.departments.iter().any(|name| name.contains(part.as_str())))
            && (Language::ALL.iter().all(|language| self.languages.contains(language)) || subject.is_in(self.languages))
    }
}

impl<'s> View<'s> {
    /// Whether the text is a keyword.
    fn add(&mut self, subscription: usize, text: &'s str, languages: &[Language]) -> bool {
        let number = match self.numbers.get(text) {
            Some(number) => *number,
            None => {
                let number = Keyword::parse(text).ok().map(|keyword| {
                    for token in keyword.tokens(languages) {
                        self.by_token
                            .entry(token.clone())
                            .or_default()
                            .push(self.keywords.len());
                    }
                    self.keywords.push(Asked {
                        keyword,
                        subscriptions: Vec::new(),
                        met: None,
                    });
                    self.keywords.len() - 1
                });
                self.numbers.insert(text, number);
                number
            }
        };
        if let Some(number) = number {
            self.keywords[number].subscriptions.push(subscription);
        }
        number.is_some()
    }

    fn find(&mut self, number: usize, languages: &[Language], subject: &TokenizedRecord, try_all: &mut impl FnMut(&[usize])) {
        for token in subject.tokens(languages) {
            for keyword in self.by_token.get(token).into_iter().flatten() {
                let asked = &mut self.keywords[*keyword];
                let is_first = asked.met.replace(number) != Some(number);
                if is_first && (asked.keyword.is_word() || asked.keyword.matches(subject, languages)) {
                    try_all(&asked.subscriptions);
                }
            }
        }
    }
}

impl<'s> Rest<'s> {
    fn add(&mut self, subscription: usize, conditions: &Conditions<'s>) {
        let place = match conditions {
            Conditions {
                department: Some(part), ..
            } => self.by_department.entry(part.clone()).or_default(),
            Conditions {
                municipality: Some(slug),
                ..
            } => self.by_municipality.entry(slug).or_default(),
            Conditions {
                category: Some(code), ..
            } => self.by_category.entry(code).or_default(),
            _ => &mut self.all,
        };
        place.push(subscription);
    }

    fn find(&mut self, tender: &Tender, try_all: &mut impl FnMut(&[usize])) {
        for name in &tender.departments {
            if !self.parts.contains_key(name) {
                let parts = self.by_department.keys().filter(|part| name.contains(part.as_str()));
                self.parts.insert(name.clone(), parts.cloned().collect());
            }
            let parts = self.parts.get(name).into_iter().flatten();
            parts
                .filter_map(|part| self.by_department.get(part))
                .for_each(|of| try_all(of));
        }
        if let Some(of) = self.by_municipality.get(tender.municipality.as_str()) {
            try_all(of);
        }
        for code in &tender.categories {
            if let Some(of) = self.by_category.get(code.as_str()) {
                try_all(of);
            }
        }
        try_all(&self.all);
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::catalog::notices::LatestNotices;
    use crate::state::subscription::{Frequency, Locale};

    const DAY: i64 = 86_400;
    const FIRST: i64 = 20_000;

    /// Tender, then subscription.
    type Match = (usize, usize);

    fn matches(subscriptions: &[Subscription], tenders: &[Tender]) -> Vec<Match> {
        let mut matches = Vec::new();
        let found = each_tender(subscriptions, tenders, |tender, found| {
            matches.extend(found.into_iter().map(|subscription| (tender, subscription)));
            Ok::<_, ()>(())
        });
        found.unwrap();
        matches
    }

    /// The obvious way: each against each.
    fn expected(subscriptions: &[Subscription], tenders: &[Tender]) -> Vec<Match> {
        let mut matches = Vec::new();
        for (number, tender) in tenders.iter().enumerate() {
            let subject = tender.subject();
            for (subscription, asked) in subscriptions.iter().enumerate() {
                let has = |text: &String| {
                    Keyword::parse(text).is_ok_and(|keyword| keyword.matches(&subject, &asked.languages))
                };
                let is_said = match asked.keywords.as_slice() {
                    [] => asked.languages.len() == 2 || subject.is_in(&asked.languages),
                    keywords => keywords.iter().any(has),
                };
                let department = asked.department.as_ref().map(|part| crate::model::fold::fold(part));
                let is_match = is_said
                    && i64::from(tender.published.days()) >= asked.created_at / DAY - i64::from(GRACE_DAYS)
                    && department.is_none_or(|part| tender.departments.iter().any(|name| name.contains(&part)))
                    && asked
                        .municipality
                        .as_ref()
                        .is_none_or(|slug| *slug == tender.municipality)
                    && asked
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

    fn tender() -> impl Strategy<Value = Tender> {
        let some = |text: BoxedStrategy<String>| proptest::option::of(text);
        let texts = prop::collection::vec(some(text().boxed()), 4);
        let department = some(one_of(&["Ville de Québec", "Parks & Roads", "Parcs Canada"]).boxed());
        let municipality = one_of(&["laval", "quebec"]);
        let category = some(one_of(&["CNST", "GD,SRV", "bogus"]).boxed());
        (texts, department, municipality, category, 0..20_i32).prop_map(
            |(texts, department, municipality, category, day)| {
                let day = Date::from_days(FIRST as i32 + day).unwrap().to_string();
                let record = json!({
                    "record_id": "t",
                    "publication_date": day,
                    "municipality": municipality,
                    "department_fr": department,
                    "procurement_category": category,
                    "title_en": texts[0], "title_fr": texts[1], "description_en": texts[2], "description_fr": texts[3],
                });
                Tender::parse(Bytes::from(record.to_string()), &LatestNotices::default()).unwrap()
            },
        )
    }

    fn subscription() -> impl Strategy<Value = Subscription> {
        let keyword = prop_oneof![6 => one_of(WORDS), 2 => text(), 1 => one_of(&["\"roads\"", "-no keyword"])];
        let languages = proptest::sample::subsequence(Language::ALL.to_vec(), 1..=2);
        (
            prop::collection::vec(keyword, 0..3),
            proptest::option::weighted(0.4, one_of(&["québec", "PARCS", "r"])),
            proptest::option::weighted(0.4, one_of(&["laval", "nowhere"])),
            proptest::option::weighted(0.4, one_of(&["CNST", "SRV"])),
            (languages, 0..20_i64, any::<bool>()),
        )
            .prop_map(
                |(keywords, department, municipality, category, (mut languages, day, is_turned))| {
                    if is_turned {
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
                        frequency: Frequency::Daily,
                        locale: Locale::En,
                        created_at: (FIRST + GRACE_DAYS as i64 + day) * DAY + 3,
                    }
                },
            )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn it_finds_what_looking_at_each_pair_finds(
            subscriptions in prop::collection::vec(subscription(), 0..40),
            tenders in prop::collection::vec(tender(), 0..12),
        ) {
            prop_assert_eq!(matches(&subscriptions, &tenders), expected(&subscriptions, &tenders));
        }
    }
}
