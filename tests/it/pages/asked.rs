//! How well everyday questions are understood: what the first answer of a page finds, and what a program finds in the
//! publishers' real records.
//!
//! `asked.jsonl` has a question in each line, the conditions of the records that it asks for, and how well the answer
//! agrees with them: the records that both find, as a share of those that either finds. Strangers to the program wrote
//! the questions and the conditions. `PROCURE_UPDATE_GOLDEN=1` writes the shares anew.

use std::{collections::BTreeSet, env, fs, path::Path};

use procure::model::entity_type::EntityType;
use regex_lite::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::{html::between, questions::Dumps};
use crate::support::{TestServer, real_dumps};

const FILE: &str = "tests/it/pages/asked.jsonl";

/// Rounding, and records that are equally good at the end of a page.
const TOLERANCE: f64 = 0.01;

/// Of more records, only the numbers are compared.
const MAX_COMPARED: u64 = 500;

#[derive(Deserialize, Serialize)]
struct Asked {
    question: String,
    lang: String,
    types: Vec<String>,
    conditions: Vec<Condition>,
    agrees: f64,
}

/// What a record has to meet: a pattern in one of some texts, or bounds of a day or an amount.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Condition {
    Text {
        members: Vec<String>,
        matches: String,
    },
    Days {
        member: String,
        from: String,
        to: Option<String>,
    },
    Amount {
        member: String,
        min: f64,
        max: f64,
    },
}

impl Condition {
    fn accepts(&self, record: &Value) -> bool {
        match self {
            Condition::Text { members, matches } => {
                let pattern = Regex::new(matches).unwrap();
                let mut texts = members.iter().filter_map(|member| record[member].as_str());
                texts.any(|text| pattern.is_match(&plain(text)))
            }
            Condition::Days { member, from, to } => record[member]
                .as_str()
                .is_some_and(|day| day >= from.as_str() && to.as_ref().is_none_or(|to| day <= to.as_str())),
            Condition::Amount { member, min, max } => record[member]
                .as_f64()
                .is_some_and(|amount| (*min..=*max).contains(&amount)),
        }
    }
}

/// In lower case and without accents.
fn plain(text: &str) -> String {
    let letters = text.nfd().filter(|c| !is_combining_mark(*c));
    letters.collect::<String>().to_lowercase()
}

/// What a search finds: the number of its records, and which these are unless they are many.
struct Found {
    total: u64,
    ids: BTreeSet<String>,
}

impl Found {
    /// The search that a page shows, over the API.
    fn of_page(server: &TestServer, page: &str) -> Option<Found> {
        let html = server.html(page, 200).replace("&#38;", "&").replace("&#39;", "'");
        let command = between(&html, "curl -H ", "</code>").into_iter().next()?;
        let address = between(command, "'http", "'").into_iter().next()?;
        let path = &address[address.match_indices('/').nth(2)?.0..];
        let mut ids = BTreeSet::new();
        let separator = if path.contains('?') { '&' } else { '?' };
        for offset in (0..=MAX_COMPARED).step_by(100) {
            let answer = server.json(&format!(
                "{}{separator}offset={offset}",
                path.replace("limit=25", "limit=100")
            ));
            let total = answer["total"].as_u64()?;
            let records = answer["results"].as_array()?;
            ids.extend(
                records
                    .iter()
                    .map(|record| record["record_id"].as_str().unwrap().to_owned()),
            );
            if records.is_empty() || total > MAX_COMPARED {
                return Some(Found { total, ids });
            }
        }
        None
    }

    /// How well the records agree with those that a program finds.
    fn agrees(&self, expected: &BTreeSet<String>) -> f64 {
        let number = expected.len() as u64;
        if self.total > MAX_COMPARED || number > MAX_COMPARED {
            return self.total.min(number) as f64 / self.total.max(number) as f64;
        }
        let both = self.ids.intersection(expected).count();
        both as f64 / self.ids.union(expected).count().max(1) as f64
    }
}

/// The address that the page of a question shows first as its answer; without one, that of the page.
fn answer(server: &TestServer, asked: &Asked) -> String {
    let question = procure::http::encoding::encode(&asked.question);
    let page = format!("/{}/search?q={question}", asked.lang);
    let html = server.html(&page, 200).replace("&#38;", "&");
    let answers = html.split("<div role=\"status\">").nth(1);
    let href = answers.and_then(|answer| between(answer, "href=\"", "\"").into_iter().next());
    href.map_or(page, str::to_owned)
}

fn agreement(server: &TestServer, dumps: &Dumps, asked: &Asked) -> f64 {
    let accepts = |record: &Value| asked.conditions.iter().all(|condition| condition.accepts(record));
    let types = asked.types.iter().filter_map(|name| EntityType::parse(name));
    let expected = types.flat_map(|of| dumps.of(of, accepts));
    let expected: BTreeSet<String> = expected
        .map(|record| record["record_id"].as_str().unwrap().to_owned())
        .collect();
    assert!(!expected.is_empty(), "{}: the dumps have none", asked.question);
    let page = answer(server, asked);
    // Pages of suppliers, solicitations and comparisons are no searches.
    let found = page
        .contains("/search?")
        .then(|| Found::of_page(server, &page))
        .flatten();
    found.map_or(0.0, |found| found.agrees(&expected))
}

#[test]
#[ignore = "takes minutes: it asks 47 questions, and reads what each answer finds"]
fn answers_agree_with_what_a_program_finds_as_well_as_before() {
    let Some(folder) = real_dumps() else {
        return;
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let lines = fs::read_to_string(&file).unwrap();
    let mut all: Vec<Asked> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let dumps = Dumps::read(folder);
    let server = TestServer::of_dumps(folder);
    let mut worse = Vec::new();
    for asked in &mut all {
        let agrees = (agreement(&server, &dumps, asked) * 100.0).floor() / 100.0;
        if agrees + TOLERANCE < asked.agrees {
            worse.push(format!("{}: {agrees} instead of {}", asked.question, asked.agrees));
        }
        asked.agrees = agrees;
    }
    let mean = all.iter().map(|asked| asked.agrees).sum::<f64>() / all.len() as f64;
    let good = all.iter().filter(|asked| asked.agrees >= 0.8).count();
    println!("{good} of {} answers agree to 80%; mean {mean:.2}", all.len());
    if env::var_os("PROCURE_UPDATE_GOLDEN").is_some() {
        let lines: Vec<String> = all.iter().map(|asked| serde_json::to_string(asked).unwrap()).collect();
        fs::write(&file, lines.join("\n") + "\n").unwrap();
        return;
    }
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}
