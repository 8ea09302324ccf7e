//! How right the rules are that join names of suppliers: `PROCURE_REAL_DATA=… cargo bench --bench identity`.
//!
//! `tests/identity/pairs.csv` has pairs of names from real files, and what two readers who did not write the rules say of
//! each: the same supplier or not. Pairs on which they disagree, or of which one is unsure, are counted and not scored.
//!
//! - `precision`: of the pairs that the rules join, the share that both readers call the same.
//! - `recall`: of the pairs that both call the same, the share that the rules join; with suggestions, the share that they
//!   join or show to a person.
//!
//! Then the numbers are taken from half of all statements that have one, in [`DRAWS`] draws, and rule 2 finds them again:
//!
//! - `found`: the share of these statements that get a number from it.
//! - `right`: of those, the share that get the number that was taken.

mod support;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use procure::{
    catalog::{carried_numbers, generation},
    model::{
        record::query_key,
        schema::Role,
        supplier_mention::{MentionLine, OfficialNumber},
    },
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};
use serde_json::Value;
use support::{Arguments, BINARY, row};

/// What both readers say of a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Same,
    Different,
    Open,
}

struct Pair {
    a: String,
    b: String,
    /// How the pair was drawn.
    stratum: String,
    verdict: Verdict,
}

/// What the rules made of the names.
#[derive(Default)]
struct Joined {
    /// The supplier of each name.
    suppliers: HashMap<String, String>,
    /// The rule that joined a name to another one.
    rules: HashMap<(String, String), String>,
    suggested: BTreeSet<(String, String)>,
}

#[derive(Default)]
struct Score {
    pairs: u64,
    open: u64,
    joined: u64,
    joined_same: u64,
    same: u64,
    suggested_same: u64,
}

impl Score {
    fn add(&mut self, verdict: Verdict, is_joined: bool, is_suggested: bool) {
        self.pairs += 1;
        match verdict {
            Verdict::Open => self.open += 1,
            Verdict::Different => self.joined += u64::from(is_joined),
            Verdict::Same => {
                self.same += 1;
                self.joined += u64::from(is_joined);
                self.joined_same += u64::from(is_joined);
                self.suggested_same += u64::from(is_joined || is_suggested);
            }
        }
    }

    fn show(&self, name: &str) {
        let share = |part: u64, whole: u64| {
            if whole == 0 {
                f64::NAN
            } else {
                part as f64 / whole as f64
            }
        };
        let figures = [
            ("pairs", self.pairs as f64),
            ("open", self.open as f64),
            ("joined", self.joined as f64),
            ("precision", share(self.joined_same, self.joined)),
            ("same", self.same as f64),
            ("recall", share(self.joined_same, self.same)),
            ("recall_with_suggestions", share(self.suggested_same, self.same)),
        ];
        let figures: Vec<(&str, f64)> = figures.into_iter().filter(|(_, figure)| figure.is_finite()).collect();
        row(name, &figures);
    }
}

fn main() {
    let Some(real) = std::env::var_os("PROCURE_REAL_DATA") else {
        eprintln!("SKIPPED: PROCURE_REAL_DATA names no folder with the publishers' files");
        return;
    };
    let Arguments { dir, .. } = Arguments::parse();
    let dir = dir.join("identity");
    let joined = Joined::read(&index(&Path::new(&real).join("raw"), &dir));
    let (mut all, mut strata) = (Score::default(), BTreeMap::<String, Score>::new());
    let mut rules = BTreeMap::<String, Score>::new();
    for pair in pairs() {
        let (is_joined, is_suggested) = (joined.joins(&pair), joined.suggests(&pair));
        for score in [&mut all, strata.entry(pair.stratum.clone()).or_default()] {
            score.add(pair.verdict, is_joined, is_suggested);
        }
        if let Some(rule) = joined.rule(&pair) {
            rules.entry(rule.clone()).or_default().add(pair.verdict, true, false);
        }
    }
    for (stratum, score) in &strata {
        score.show(&format!("drawn by {stratum}"));
    }
    for (rule, score) in &rules {
        score.show(&format!("joined by {rule}"));
    }
    all.show("all pairs");
    show_hidden_numbers(&mentions(&dir.join("dumps")));
}

/// How often numbers are hidden and looked for.
const DRAWS: u64 = 20;

/// What rule 2 makes of statements whose numbers were hidden.
fn show_hidden_numbers(mentions: &[MentionLine]) {
    let (mut hidden, mut found, mut right) = (0, 0, 0);
    for seed in 0..DRAWS {
        let (shown, numbers) = without_half(mentions, &mut ChaCha8Rng::seed_from_u64(seed));
        for ((line, number), carried) in shown.iter().zip(numbers).zip(carried_numbers(&shown)) {
            let Some(number) = number else { continue };
            hidden += line.count;
            found += carried.as_ref().map_or(0, |_| line.count);
            right += carried.filter(|carried| *carried == number).map_or(0, |_| line.count);
        }
    }
    let figures = [
        ("statements", (hidden / DRAWS) as f64),
        ("found", found as f64 / hidden as f64),
        ("right", right as f64 / found as f64),
    ];
    row("hidden numbers", &figures);
}

/// The statements, half of those with a number without it, and for each of these the number.
fn without_half(mentions: &[MentionLine], random: &mut ChaCha8Rng) -> (Vec<MentionLine>, Vec<Option<OfficialNumber>>) {
    let (mut shown, mut numbers) = (Vec::new(), Vec::new());
    for line in mentions {
        let hidden = match &line.mention.number {
            Some(_) => (0..line.count).filter(|_| random.next_u32().is_multiple_of(2)).count() as u64,
            None => 0,
        };
        if hidden > 0 {
            let mut without = line.clone();
            numbers.push(without.mention.number.take());
            shown.push(MentionLine {
                count: hidden,
                ..without
            });
        }
        if line.count > hidden {
            let count = line.count - hidden;
            shown.push(MentionLine { count, ..line.clone() });
            numbers.push(None);
        }
    }
    (shown, numbers)
}

fn mentions(dumps: &Path) -> Vec<MentionLine> {
    let text = fs::read_to_string(dumps.join("suppliers.ndjson")).expect("what publishers state of suppliers");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a statement"))
        .collect()
}

/// An index of the publishers' files.
fn index(raw: &Path, dir: &Path) -> PathBuf {
    let (dumps, index_dir) = (dir.join("dumps"), dir.join("index"));
    let _ = fs::remove_dir_all(dir);
    run(Command::new(BINARY).arg("normalize").arg("--out").arg(&dumps).arg(raw));
    run(Command::new(BINARY)
        .arg("index")
        .arg("--dumps")
        .arg(&dumps)
        .arg("--index-dir")
        .arg(&index_dir));
    let id = generation::current(&index_dir)
        .expect("an index")
        .expect("a generation");
    index_dir.join(id)
}

fn run(command: &mut Command) {
    let status = command
        .stdout(std::process::Stdio::null())
        .status()
        .expect("starting the binary");
    assert!(status.success(), "{command:?} failed");
}

fn key(name: &str) -> String {
    query_key(Role::Vendor, name)
}

fn ordered(a: &str, b: &str) -> (String, String) {
    let (a, b) = (key(a), key(b));
    if a <= b { (a, b) } else { (b, a) }
}

impl Joined {
    fn read(generation: &Path) -> Joined {
        let text = fs::read_to_string(generation.join("suppliers.ndjson")).expect("the suppliers of the generation");
        let mut joined = Joined::default();
        for line in text.lines() {
            let supplier: Value = serde_json::from_str(line).expect("a supplier");
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            for name in supplier["names"].as_array().into_iter().flatten() {
                joined
                    .suppliers
                    .insert(key(&text(&name["name"])), text(&supplier["id"]));
                if let Some(with) = name["reason"]["with"].as_str() {
                    let rule = text(&name["reason"]["rule"]);
                    joined.rules.insert(ordered(&text(&name["name"]), with), rule);
                }
            }
            for suggestion in supplier["suggestions"].as_array().into_iter().flatten() {
                let pair = ordered(&text(&suggestion["own_name"]), &text(&suggestion["other_name"]));
                joined.suggested.insert(pair);
            }
        }
        joined
    }

    fn joins(&self, pair: &Pair) -> bool {
        let supplier = |name: &str| self.suppliers.get(&key(name));
        key(&pair.a) == key(&pair.b) || supplier(&pair.a).is_some() && supplier(&pair.a) == supplier(&pair.b)
    }

    fn suggests(&self, pair: &Pair) -> bool {
        self.suggested.contains(&ordered(&pair.a, &pair.b))
    }

    fn rule(&self, pair: &Pair) -> Option<&String> {
        self.rules.get(&ordered(&pair.a, &pair.b))
    }
}

fn pairs() -> Vec<Pair> {
    let file = include_str!("../tests/identity/pairs.csv");
    let mut reader = csv::Reader::from_reader(file.as_bytes());
    let pair = |row: csv::StringRecord| {
        let [a, b, stratum, first, second] = [0, 1, 2, 3, 4].map(|column| row[column].to_owned());
        let verdict = match (first.as_str(), second.as_str()) {
            ("same", "same") => Verdict::Same,
            ("different", "different") => Verdict::Different,
            _ => Verdict::Open,
        };
        Pair { a, b, stratum, verdict }
    };
    reader.records().map(|row| pair(row.expect("a pair"))).collect()
}
