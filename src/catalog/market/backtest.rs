//! `procure backtest`: known contracts hidden and estimated, held against two ways of guessing that anybody has.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    path::PathBuf,
};

use anyhow::{Context, bail, ensure};
use rayon::prelude::*;

use crate::{
    catalog::{
        generation,
        market::{
            YEARS_BACK,
            answer::{Confidence, Level},
            calibration::{Calibration, Lesson, confidence},
            facts::{Facts, KINDS},
            hidden::{Hidden, draw},
        },
    },
    engine::{Deadline, Engine, Error},
    model::{date::Date, entity_type::EntityType},
    query::{Page, SearchQuery, Start},
};

#[derive(Clone, Debug)]
pub struct Options {
    pub index_dir: PathBuf,
    /// All kinds of contracts where none is named.
    pub kind: Option<EntityType>,
    pub sample: usize,
    pub seed: u64,
}

/// Spec silent: how many contracts are hidden without being told, and the seed that draws them.
pub const SAMPLE: usize = 4000;
pub const SEED: u64 = 7;

/// How estimates fared. Half of the contracts, the older ones of each kind and level of government, teach how wide a range must be; the other half is
/// what the rows tell of.
#[derive(Debug)]
pub struct Report {
    pub generation: String,
    pub taught: usize,
    pub rows: Vec<Row>,
}

/// Of some of the tested contracts.
#[derive(Debug)]
pub struct Row {
    pub name: String,
    pub contracts: usize,
    /// The share that was estimated at all; the rest is of these.
    pub answered: f64,
    /// Median absolute error, in powers of ten.
    pub error: f64,
    pub within_twice: f64,
    /// How often p25–p75 and p10–p90 held the value.
    pub half: f64,
    pub four_fifths: f64,
    /// Median absolute error of the median of the category, and of buyer and category.
    pub by_category: f64,
    pub by_buyer: f64,
}

impl Row {
    /// By how much the error is smaller than that of the better baseline.
    pub fn gain(&self) -> f64 {
        1.0 - self.error / self.by_category.min(self.by_buyer)
    }
}

/// One hidden contract and its estimate.
struct Trial {
    hidden: Hidden,
    lesson: Option<Lesson>,
    /// Errors of the two baselines.
    baselines: [f64; 2],
}

struct Judged<'a> {
    trial: &'a Trial,
    answer: Option<(&'a Lesson, [f64; 4], Confidence)>,
}

pub fn run(options: &Options) -> anyhow::Result<Report> {
    let id = generation::current(&options.index_dir)?
        .with_context(|| format!("{} holds no index; run `procure index`", options.index_dir.display()))?;
    let generation = generation::open(&options.index_dir, &id)?;
    if let Some(kind) = options.kind.filter(|kind| !KINDS.contains(kind)) {
        let kinds = KINDS.map(EntityType::name).join(", ");
        bail!("{kind} records are no contracts; --kind is one of {kinds}");
    }
    let engine = &*generation.engine;
    let kinds = KINDS
        .into_iter()
        .filter(|kind| options.kind.is_none_or(|only| only == *kind));
    let kinds: Vec<_> = kinds.map(|kind| (kind, generation.kind(kind).records)).collect();
    let hidden = draw(engine, &kinds, options.sample, options.seed)?;
    let past = Past::read(engine)?;
    let trials = hidden
        .into_par_iter()
        .map(|hidden| Trial::of(engine, &past, hidden))
        .collect::<Result<Vec<_>, Error>>()?;
    let (teaching, tested) = halves(trials);
    ensure!(
        !tested.is_empty(),
        "the index holds no contracts with day and value to hide"
    );
    let lessons: Vec<Lesson> = teaching.iter().filter_map(|trial| trial.lesson.clone()).collect();
    let calibration = Calibration::learn(&lessons);
    let judged: Vec<Judged> = tested.iter().map(|trial| Judged::of(trial, &calibration)).collect();
    Ok(Report {
        generation: id,
        taught: lessons.len(),
        rows: rows(&judged),
    })
}

impl Trial {
    fn of(engine: &dyn Engine, past: &Past, hidden: Hidden) -> Result<Trial, Error> {
        let lesson = hidden.lesson(engine)?;
        let guesses = past.guesses(&hidden);
        let truth = hidden.value.log10();
        Ok(Trial {
            baselines: guesses.map(|guess| guess.map_or(f64::NAN, |guess| (guess - truth).abs())),
            hidden,
            lesson,
        })
    }
}

/// The older and the newer half of each kind and level of government.
fn halves(mut trials: Vec<Trial>) -> (Vec<Trial>, Vec<Trial>) {
    trials.sort_by(|a, b| (a.hidden.date, &a.hidden.id).cmp(&(b.hidden.date, &b.hidden.id)));
    let mut groups: BTreeMap<(EntityType, Option<String>), Vec<Trial>> = BTreeMap::new();
    for trial in trials {
        let group = (trial.hidden.entity_type, trial.hidden.facts.level.clone());
        groups.entry(group).or_default().push(trial);
    }
    let (mut older, mut newer) = (Vec::new(), Vec::new());
    for mut group in groups.into_values() {
        newer.extend(group.split_off(group.len() / 2));
        older.extend(group);
    }
    (older, newer)
}

impl<'a> Judged<'a> {
    fn of(trial: &'a Trial, calibration: &Calibration) -> Judged<'a> {
        let answer = trial.lesson.as_ref().map(|lesson| {
            let distances = calibration.distances(lesson.level, &lesson.spread);
            (lesson, distances, confidence(lesson.level, &lesson.spread, &distances))
        });
        Judged { trial, answer }
    }
}

fn rows(judged: &[Judged]) -> Vec<Row> {
    let of = |name: String, is_in: &dyn Fn(&Judged) -> bool| {
        let chosen: Vec<&Judged> = judged.iter().filter(|judged| is_in(judged)).collect();
        row(name, &chosen)
    };
    let mut rows = vec![of("all".to_owned(), &|_| true)];
    for kind in KINDS {
        rows.push(of(kind.name().to_owned(), &|judged| {
            judged.trial.hidden.entity_type == kind
        }));
    }
    for level in ["federal", "provincial", "municipal"] {
        rows.push(of(level.to_owned(), &|judged| {
            judged.trial.hidden.facts.level.as_deref() == Some(level)
        }));
    }
    for level in Level::ALL {
        rows.push(of(name(&level), &|judged| {
            judged
                .answer
                .as_ref()
                .is_some_and(|(lesson, _, _)| lesson.level == level)
        }));
    }
    for sure in [Confidence::High, Confidence::Medium, Confidence::Low] {
        rows.push(of(format!("{} confidence", name(&sure)), &|judged| {
            judged.answer.as_ref().is_some_and(|(_, _, own)| *own == sure)
        }));
    }
    rows.into_iter().flatten().collect()
}

/// As it stands in an answer.
fn name(word: &impl serde::Serialize) -> String {
    serde_json::to_value(word)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// `None` where nothing was answered.
fn row(name: String, judged: &[&Judged]) -> Option<Row> {
    let answers: Vec<(&Trial, &Lesson, &[f64; 4])> = judged
        .iter()
        .filter_map(|judged| {
            judged
                .answer
                .as_ref()
                .map(|(lesson, distances, _)| (judged.trial, *lesson, distances))
        })
        .collect();
    let median = |mut errors: Vec<f64>| {
        errors.retain(|error| error.is_finite());
        errors.sort_by(f64::total_cmp);
        errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let share = |is_so: &dyn Fn(f64, &[f64; 4]) -> bool| {
        let hits = answers
            .iter()
            .filter(|(_, lesson, distances)| is_so(lesson.residual, distances));
        hits.count() as f64 / answers.len() as f64
    };
    (!answers.is_empty()).then(|| Row {
        name,
        contracts: judged.len(),
        answered: answers.len() as f64 / judged.len() as f64,
        error: median(answers.iter().map(|(_, lesson, _)| lesson.residual.abs()).collect()),
        within_twice: share(&|residual, _| residual.abs() <= 2.0f64.log10()),
        half: share(&|residual, d| (-d[1]..=d[2]).contains(&residual)),
        four_fifths: share(&|residual, d| (-d[0]..=d[3]).contains(&residual)),
        by_category: median(answers.iter().map(|(trial, _, _)| trial.baselines[0]).collect()),
        by_buyer: median(answers.iter().map(|(trial, _, _)| trial.baselines[1]).collect()),
    })
}

/// All contracts, by category: what the baselines are medians of.
struct Past {
    by_category: HashMap<Vec<String>, Vec<Sale>>,
    buyers: HashMap<String, u32>,
}

struct Sale {
    date: Date,
    buyer: Option<u32>,
    log: f64,
    numbers: Vec<String>,
}

/// How many records are read at a time.
const PAGE: usize = 2000;

impl Past {
    fn read(engine: &dyn Engine) -> Result<Past, Error> {
        let mut past = Past {
            by_category: HashMap::new(),
            buyers: HashMap::new(),
        };
        for kind in KINDS {
            let mut start = Start::Offset(0);
            loop {
                let page = Page { limit: PAGE, start };
                let hits = engine.search(&SearchQuery::newest(kind, Vec::new()), &page, Deadline::never())?;
                let read: Vec<Option<Hidden>> = hits.records.par_iter().map(|bytes| Hidden::of(kind, bytes)).collect();
                read.into_iter().flatten().for_each(|contract| past.add(contract));
                match hits.next {
                    Some(next) => start = Start::After(next),
                    None => break,
                }
            }
        }
        Ok(past)
    }

    fn add(&mut self, contract: Hidden) {
        let Facts {
            buyers,
            mut categories,
            numbers,
            ..
        } = contract.facts;
        let buyer = buyers.into_iter().next().map(|name| {
            let next = self.buyers.len() as u32;
            *self.buyers.entry(name).or_insert(next)
        });
        categories.sort();
        self.by_category.entry(categories).or_default().push(Sale {
            date: contract.date,
            buyer,
            log: contract.value.log10(),
            numbers,
        });
    }

    /// The median of the category, and of buyer and category: of the same past as an estimate has. One without contracts falls back on the coarser.
    fn guesses(&self, hidden: &Hidden) -> [Option<f64>; 2] {
        let facts = &hidden.facts;
        let mut categories = facts.categories.clone();
        categories.sort();
        let buyer = facts.buyers.first().and_then(|name| self.buyers.get(name));
        let days = (f64::from(YEARS_BACK) * 365.25) as i32;
        let from = hidden.date.days() - 1 - days;
        let sales = self.by_category.get(&categories).into_iter().flatten();
        let known = sales.filter(|sale| {
            let is_past = (from..hidden.date.days()).contains(&sale.date.days());
            is_past && !sale.numbers.iter().any(|number| facts.numbers.contains(number))
        });
        let known: Vec<&Sale> = known.collect();
        let all = median(known.iter().map(|sale| sale.log).collect());
        let own = known
            .iter()
            .filter(|sale| buyer.is_some() && sale.buyer.as_ref() == buyer);
        let own = median(own.map(|sale| sale.log).collect());
        [all, own.or(all)]
    }
}

fn median(mut logs: Vec<f64>) -> Option<f64> {
    logs.sort_by(f64::total_cmp);
    let (upper, lower) = (logs.get(logs.len() / 2)?, logs.get((logs.len() - 1) / 2)?);
    Some((upper + lower) / 2.0)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "generation {}: ranges taught by {} older contracts, tested on newer ones\n",
            self.generation, self.taught
        )?;
        writeln!(
            f,
            "{:<30} {:>9} {:>9} {:>7} {:>7} {:>8} {:>8} {:>9} {:>9} {:>6}",
            "", "contracts", "answered", "error", "within", "p25-p75", "p10-p90", "category", "buyer and", "gain"
        )?;
        writeln!(
            f,
            "{:<30} {:>9} {:>9} {:>7} {:>7} {:>8} {:>8} {:>9} {:>9} {:>6}",
            "", "tested", "", "(log10)", "x2", "holds", "holds", "median", "category", ""
        )?;
        for row in &self.rows {
            writeln!(
                f,
                "{:<30} {:>9} {:>8.1}% {:>7.3} {:>6.1}% {:>7.1}% {:>7.1}% {:>9.3} {:>9.3} {:>5.0}%",
                row.name,
                row.contracts,
                row.answered * 100.0,
                row.error,
                row.within_twice * 100.0,
                row.half * 100.0,
                row.four_fifths * 100.0,
                row.by_category,
                row.by_buyer,
                row.gain() * 100.0
            )?;
        }
        write!(
            f,
            "\nerror: median distance of estimate and value in powers of ten; the last columns are that of two baselines, and by how much it is less than the better."
        )
    }
}
