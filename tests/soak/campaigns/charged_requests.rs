//! Requests of all endpoints and pages but exports, which charge while they run, about what an index really has.

use anyhow::Context;
use serde_json::{Value, json};

use procure::{http::encoding::encode, model::entity_type::EntityType};

use crate::{
    http::{Client, Request},
    random::Random,
};

/// What requests ask for.
pub struct Grammar<'w> {
    words: &'w [String],
    vendors: Vec<String>,
    departments: Vec<String>,
    suppliers: Vec<String>,
    bodies: Vec<String>,
    codes: Vec<String>,
    tenders: Vec<String>,
    solicitations: Vec<String>,
}

impl<'w> Grammar<'w> {
    /// With the names and identifiers that the server lists first.
    pub fn read(client: &mut Client, words: &'w [String]) -> anyhow::Result<Grammar<'w>> {
        let mut listed = |path: &str, member: &str| -> anyhow::Result<Vec<String>> {
            let answer = client.send(&Request::keyless("GET", path))?;
            let json = answer.json().with_context(|| format!("{path}: {}", answer.excerpt()))?;
            let results = json["results"]
                .as_array()
                .with_context(|| format!("{path}: {}", answer.excerpt()))?;
            let values = results.iter().filter_map(|result| result[member].as_str());
            let values: Vec<String> = values.map(encode).collect();
            // A list of an index without such things, so that every request has something to ask for.
            Ok(if values.is_empty() {
                vec!["none".to_owned()]
            } else {
                values
            })
        };
        Ok(Grammar {
            words,
            vendors: listed("/vendors?q=in&limit=50", "vendor")?,
            departments: listed("/departments?q=de&limit=50", "department")?,
            suppliers: listed("/suppliers?limit=50", "id")?,
            bodies: listed("/bodies?limit=50", "id")?,
            codes: listed("/commodities?limit=50", "code")?,
            tenders: listed("/tender?limit=50", "record_id")?,
            solicitations: listed("/tender?limit=50", "solicitation_number")?,
        })
    }

    /// A request of the API or of a page.
    pub fn request(&self, random: &mut Random) -> Request {
        match random.below(20) {
            0 => Request::json("/tender/estimate", self.items(random, false)),
            1 => Request::json("/tender/comps", self.items(random, true)),
            2..=7 => Request::keyless("GET", self.search(random)),
            8..=10 => Request::keyless("GET", self.list(random)),
            11..=14 => Request::keyless("GET", self.profile(random)),
            _ => Request::keyless("GET", self.page(random)),
        }
    }

    fn search(&self, random: &mut Random) -> String {
        let (kind, conditions) = (random.pick(&EntityType::ALL).name(), self.conditions(random));
        let order = random.pick(&["", "&sort_by=value", "&sort_by=relevance", "&sort_by=value&order=asc"]);
        match random.below(6) {
            0 => format!("/{kind}/stats?{conditions}"),
            1 => format!("/{kind}/stats?{conditions}&include=market,quality,currencies,coverage"),
            2 => format!("/en/search?kind={kind}&{conditions}{order}"),
            3 => format!("/en/search.csv?kind={kind}&{conditions}{order}"),
            _ => {
                let counts = random.pick(&[
                    "",
                    "&include_total=true",
                    "&facets=vendor",
                    "&facets=vendor,department",
                    "&facets=supplier,commodity",
                    "&explain=true",
                    "&include=coverage",
                ]);
                let limit = random.pick(&["1", "50", "500&offset=9500"]);
                format!("/{kind}?{conditions}{order}{counts}&limit={limit}")
            }
        }
    }

    /// A text, often with a filter.
    fn conditions(&self, random: &mut Random) -> String {
        let q = encode(&text(random, self.words));
        let filter = match random.below(12) {
            0 => format!("&vendor={}", random.pick(self.words)),
            1 => format!("&department={}", random.pick(self.words)),
            2 => format!("&supplier={}", random.pick(&self.suppliers)),
            3 => format!("&body={}", random.pick(&self.bodies)),
            4 => format!("&commodity={}", random.pick(&self.codes)),
            5 => "&translate=true".to_owned(),
            6 => "&match_codes=true&q_in=purchase".to_owned(),
            7 => "&competition=open,unknown&quality_flag=none".to_owned(),
            8 => "&value_min=1&value_max=1000000000&issued_after=1990-01-01".to_owned(),
            _ => String::new(),
        };
        if random.chance(70) {
            format!("q={q}{filter}")
        } else {
            filter.trim_start_matches('&').to_owned()
        }
    }

    fn list(&self, random: &mut Random) -> String {
        let part = *random.pick(&["a", "e", "con", "inc", "ltd", "service", "zz", "%C3%A9"]);
        match random.below(8) {
            0 => format!("/vendors?q={part}&limit=100"),
            1 => format!("/departments?q={part}&limit=100"),
            2 => format!("/suppliers?q={part}&limit=100"),
            3 => format!("/bodies?q={part}&limit=100"),
            4 => format!("/commodities?q={part}&limit=100"),
            5 => format!("/suggest?q={part}"),
            6 => {
                let words = random.pick(self.words);
                let wanted = |number: u64| {
                    (
                        format!("q{number}"),
                        json!({"query": format!("{words} {part} {number}")}),
                    )
                };
                let batch: serde_json::Map<String, Value> = (0..1 + random.below(10)).map(wanted).collect();
                format!(
                    "/reconcile/supplier?queries={}",
                    encode(&Value::Object(batch).to_string())
                )
            }
            _ => {
                let keywords = (0..random.below(8)).map(|_| encode(&text(random, self.words)));
                let keywords: String = keywords.map(|keyword| format!("&keywords={keyword}")).collect();
                let days = random.pick(&["1", "7", "30", "90"]);
                let limit = random.pick(&["1", "50", "500"]);
                format!("/tender/feed?days_back={days}&limit={limit}{keywords}")
            }
        }
    }

    fn profile(&self, random: &mut Random) -> String {
        let include = random.pick(&["", "&include=bids", "&include=coverage", "&include=competition"]);
        let limit = random.pick(&["1", "50", "500&sort_by=value"]);
        match random.below(9) {
            0 => format!("/vendor/{}?limit={limit}{include}", random.pick(&self.vendors)),
            1 => format!("/department/{}?limit={limit}{include}", random.pick(&self.departments)),
            2 => format!("/supplier/{}", random.pick(&self.suppliers)),
            3 => format!("/body/{}", random.pick(&self.bodies)),
            4 => format!("/commodity/{}?limit={limit}{include}", random.pick(&self.codes)),
            5 => format!("/procurement/{}?include=bids", random.pick(&self.solicitations)),
            6 => format!("/tender/{}/bids", random.pick(&self.tenders)),
            7 => format!(
                "/bids/pairs?a={}&b={}",
                random.pick(&self.suppliers),
                random.pick(&self.suppliers)
            ),
            _ => {
                let q = encode(&text(random, self.words));
                let counts = random.pick(&[
                    "",
                    "&include_total=true",
                    "&facets=vendor,department",
                    "&include=statistics",
                ]);
                format!("/bids?q={q}&limit=500{counts}")
            }
        }
    }

    fn page(&self, random: &mut Random) -> String {
        let kind = random.pick(&EntityType::ALL).name();
        match random.below(20) {
            0 => "/en".to_owned(),
            1 => format!("/fr/vendor/{}?kind={kind}", random.pick(&self.vendors)),
            2 => format!("/en/department/{}?kind={kind}", random.pick(&self.departments)),
            3 => format!("/fr/supplier/{}", random.pick(&self.suppliers)),
            4 => format!("/en/supplier.csv/{}/bids", random.pick(&self.suppliers)),
            5 => format!("/en/body/{}", random.pick(&self.bodies)),
            6 => format!("/fr/commodity/{}", random.pick(&self.codes)),
            7 => format!("/en/commodity.csv/{}/calls", random.pick(&self.codes)),
            8 => format!("/en/commodities?q={}", random.pick(self.words)),
            9 => {
                let of = |things: &[String], random: &mut Random| -> String {
                    (0..4).map(|_| format!("of={}&", random.pick(things))).collect()
                };
                match random.below(3) {
                    0 => format!("/en/compare/supplier?{}", of(&self.suppliers, random)),
                    1 => format!("/en/compare/department?{}", of(&self.departments, random)),
                    _ => format!("/en/compare/commodity?{}", of(&self.codes, random)),
                }
            }
            10 => format!("/en/feed?keywords={}&days_back=90", encode(&text(random, self.words))),
            11 => format!("/fr/tender/{}/worth", random.pick(&self.tenders)),
            12 => format!("/en/solicitation/{}", random.pick(&self.solicitations)),
            13 => format!("/fr/suggest?q={}", random.pick(self.words)),
            14 => format!("/en/bids?q={}", self.question(random)),
            _ => {
                let language = random.pick(&["en", "fr"]);
                let kind = random.pick(&["", "kind=contract&", "kind=disclosure&", "kind=tender&"]);
                format!("/{language}/search?{kind}q={}", self.question(random))
            }
        }
    }

    /// What a person may type, encoded.
    fn question(&self, random: &mut Random) -> String {
        let mut question = random.pick::<&str>(&QUESTIONS).replace(' ', "+");
        while let Some(start) = question.find('{') {
            let end = question[start..]
                .find('}')
                .map_or(question.len(), |end| start + end + 1);
            let value = match &question[start..end] {
                "{firm}" => random.pick(&self.vendors).clone(),
                "{body}" => random.pick(&self.departments).clone(),
                "{place}" => {
                    encode(random.pick::<&str>(&["toronto", "montréal", "ottawa", "ontario", "québec", "laval"]))
                }
                "{year}" => (2012 + random.below(15)).to_string(),
                _ => encode(
                    &plain(random, self.words)
                        .split(' ')
                        .take(3)
                        .collect::<Vec<_>>()
                        .join(" "),
                ),
            };
            question.replace_range(start..end, &value);
        }
        question
    }

    /// A batch of descriptions, with as many comparables of each as may be asked for.
    fn items(&self, random: &mut Random, comparables: bool) -> Value {
        let items = 1 + random.below(50);
        let items = (0..items).map(|_| {
            let code = format!("unspsc:{}", random.pick(&self.codes));
            json!({"title": plain(random, self.words), "gsin": code, "province": "QC"})
        });
        let mut body = json!({"items": items.collect::<Vec<Value>>()});
        if comparables {
            body["limit"] = json!(random.pick(&[1, 10, 100]));
        }
        body
    }
}

/// Questions that the pages read, one for each kind of answer, some with several conditions.
const QUESTIONS: [&str; 32] = [
    "{thing}",
    "{firm}",
    "{body}",
    "{thing} {body} {year}",
    "{thing} {place}",
    "who got the most {thing}",
    "who sells {thing} to {body}",
    "who won {thing} in {place} in {year}",
    "how much did {body} spend on {thing} in {year}",
    "how much did {firm} get from {body}",
    "{thing} by year",
    "{firm} by year",
    "largest {thing} contract",
    "top 10 suppliers of {body}",
    "who buys {thing}",
    "who bid on {thing} in {place}",
    "who bid against {firm}",
    "average price of {thing}",
    "sole source share {body}",
    "number of {thing} contracts in {place}",
    "which {thing} contracts rose most {year}",
    "{firm} vs {firm}",
    "compare {body} and {body}",
    "open tenders {thing}",
    "when does the {thing} contract of {body} end",
    "qui a obtenu le plus de contrats de {thing}",
    "combien {body} a dépensé en {thing} en {year}",
    "plus gros contrat de {firm}",
    "{thing} par année {body}",
    "prix moyen {thing} {place}",
    "nombre de soumissionnaires {thing}",
    "contrats de gré à gré {body} {year}",
];

fn plain(random: &mut Random, words: &[String]) -> String {
    let words: Vec<&str> = (0..1 + random.below(20)).map(|_| random.pick(words).as_str()).collect();
    words.join(" ")
}

/// A text with up to 32 words: alone, in phrases, joined by OR, excluded.
fn text(random: &mut Random, words: &[String]) -> String {
    let (mut left, mut parts) = (1 + random.below(32), Vec::new());
    let (longest, excluded, joined) = (1 + random.below(11), random.below(101), random.below(101));
    while left > 0 {
        let length = (1 + random.below(longest)).min(left);
        left -= length;
        let phrase: Vec<&str> = (0..length).map(|_| random.pick(words).as_str()).collect();
        let sign = if random.chance(excluded) { "-" } else { "" };
        if !parts.is_empty() && random.chance(joined) {
            parts.push("OR".to_owned());
        }
        parts.push(format!("{sign}\"{}\"", phrase.join(" ")));
    }
    parts.join(" ")
}
