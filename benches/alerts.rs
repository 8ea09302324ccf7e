//! Time to match new tenders with alert subscriptions: `cargo bench --bench alerts [-- --records
//! N]`.
//!
//! Matches 100,000 subscriptions with N new sample tenders (default 5,000). The keywords are words
//! and pairs of adjacent words from the tenders' own titles, in either language, so common words
//! are frequent keywords. Half of the subscriptions also have a category, a city or a department.
//! One in fifty has no keyword. For comparison, the same run matches a hundredth of the
//! subscriptions with each tender one by one.

mod support;

use std::{
    fs,
    time::{Duration, Instant},
};

use bytes::Bytes;
use procure::{
    alerts::{matching::each_tender, new_tenders::NewTender},
    catalog::notices::NewestStatuses,
    model::{entity_type::EntityType, fold::word_list, record::Record, schema::Schema, stem::Language},
    query::{
        keyword::{Keyword, TokenizedRecord},
        translate::Translator,
    },
    sample::{self, SampleOptions},
    state::subscription::{Frequency, Locale, Subscription},
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};
use support::{row, usage};

const SUBSCRIPTIONS: usize = 100_000;
const TENDERS: usize = 5_000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let records = arguments.iter().position(|argument| argument == "--records");
    let count = records
        .and_then(|at| arguments.get(at + 1)?.parse().ok())
        .unwrap_or(TENDERS);
    let tenders = tenders(count);
    let after_tenders = usage(std::process::id());
    let subscriptions = subscriptions(&tenders);
    let after_inputs = usage(std::process::id());
    let (count, took) = timed(|| matches(&subscriptions, &tenders));
    let after_matching = usage(std::process::id());
    row(
        &format!("{SUBSCRIPTIONS} subscriptions, {} tenders", tenders.len()),
        &[
            ("seconds", took.as_secs_f64()),
            ("matches", count as f64),
            (
                "microseconds_per_tender",
                took.as_secs_f64() * 1e6 / tenders.len() as f64,
            ),
            ("tenders_mb", after_tenders.anonymous_mb),
            ("inputs_mb", after_inputs.anonymous_mb),
            ("further_peak_mb", after_matching.peak_mb - after_inputs.anonymous_mb),
        ],
    );
    let hundredth = &subscriptions[..SUBSCRIPTIONS / 100];
    let (_, took) = timed(|| compare_each_pair(hundredth, &tenders));
    row(
        &format!("{} subscriptions, pair by pair", hundredth.len()),
        &[
            ("seconds", took.as_secs_f64()),
            ("of_all_seconds", took.as_secs_f64() * 100.0),
        ],
    );
}

fn matches(subscriptions: &[Subscription], tenders: &[NewTender]) -> usize {
    let translator = Translator::new(std::iter::empty());
    let mut count = 0;
    let counted = each_tender(subscriptions, tenders, &translator, |_, found| {
        count += found.len();
        Ok::<_, std::convert::Infallible>(())
    });
    counted.map_or(0, |()| count)
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    (run(), started.elapsed())
}

fn compare_each_pair(subscriptions: &[Subscription], tenders: &[NewTender]) -> usize {
    let subjects: Vec<TokenizedRecord> = tenders.iter().map(NewTender::tokenize).collect();
    let found = |subscription: &Subscription| {
        let parsed = subscription
            .keywords
            .iter()
            .filter_map(|text| Keyword::parse(text).ok());
        let keywords: Vec<Keyword> = parsed.collect();
        let has = |subject: &&TokenizedRecord| {
            keywords
                .iter()
                .any(|keyword| keyword.matches(subject, &subscription.languages))
        };
        subjects.iter().filter(has).count()
    };
    subscriptions.iter().map(found).sum()
}

fn tenders(count: usize) -> Vec<NewTender> {
    let folder = tempfile::tempdir().expect("a folder");
    let options = SampleOptions {
        entity_types: vec![EntityType::Tender],
        ..SampleOptions::new(count as u64, 1, folder.path().to_owned())
    };
    sample::run(&options).expect("the sample");
    let files = fs::read_dir(folder.path().join("tender")).expect("tenders");
    let lines = files.flat_map(|file| {
        let text = fs::read_to_string(file.expect("a dump").path()).expect("a dump");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    lines
        .filter_map(|line| NewTender::parse(Bytes::from(line), &NewestStatuses::default(), |name| [name].into()))
        .collect()
}

fn subscriptions(tenders: &[NewTender]) -> Vec<Subscription> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut below = move |bound: usize| (random.next_u64() % bound.max(1) as u64) as usize;
    let titles: Vec<Vec<String>> = tenders.iter().map(title).collect();
    let mut subscription = |number: usize| {
        let mut keywords = Vec::new();
        let is_bare = below(50) == 0;
        while !is_bare && keywords.len() < 1 + number % 3 {
            let words = &titles[below(titles.len())];
            let at = below(words.len());
            match (words.get(at), words.get(at + 1)) {
                (Some(one), Some(next)) if below(3) == 0 => keywords.push(format!("{one} {next}")),
                (Some(one), _) if one.len() > 2 => keywords.push(one.clone()),
                _ => {}
            }
        }
        let like = &tenders[below(tenders.len())];
        let department = like.departments.first().and_then(|names| names.first());
        let condition = if is_bare { below(3) } else { below(6) };
        Subscription {
            id: number as i64,
            email: format!("a{}@example.com", number / 3),
            keywords,
            department: department.filter(|_| condition == 0).cloned(),
            municipality: (condition == 1).then(|| like.municipality.clone()),
            category: like.categories.first().filter(|_| condition == 2).cloned(),
            languages: match below(4) {
                0 => vec![Language::English],
                1 => vec![Language::French],
                _ => Language::ALL.into(),
            },
            translate: false,
            frequency: Frequency::Daily,
            locale: Locale::En,
            // Older than all tenders, so that all of them are new.
            created_at: 0,
        }
    };
    (0..SUBSCRIPTIONS).map(&mut subscription).collect()
}

fn title(tender: &NewTender) -> Vec<String> {
    let record = Record::parse(Schema::of(EntityType::Tender), &tender.bytes).expect("a tender");
    let text = record.text("title_en").or(record.text("title_fr"));
    word_list(text.unwrap_or_default())
}
