//! The model of the record search: which page a build must answer a query with. It looks at every record.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    builds::{Build, ENTITY_TYPES, GROUPS, Record, text},
    random::Random,
};

/// A search whose answer the model knows exactly.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub entity_type: &'static str,
    pub municipality: Option<String>,
    pub category: Option<String>,
    pub first_day: Option<String>,
    pub last_day: Option<String>,
    pub least_value: Option<u64>,
    pub group: Option<u64>,
    pub oldest_first: bool,
    pub limit: usize,
    pub offset: usize,
    pub counts: bool,
}

/// Where a page begins.
#[derive(Clone, Debug)]
pub enum Start {
    Offset(usize),
    /// After the record of this day and id.
    After(String, String),
}

/// What a page must hold.
struct Page<'b> {
    records: Vec<&'b Record>,
    total: usize,
    is_last: bool,
}

impl Query {
    /// A query with zero to three filters that some records of the build match.
    pub fn random(random: &mut Random, build: &Build, limit: usize) -> Query {
        let (entity_type, _) = *random.pick(&ENTITY_TYPES);
        let like = random.pick(&build.records[entity_type]);
        let mut query = Query {
            entity_type,
            limit,
            oldest_first: random.chance(20),
            offset: if random.chance(20) {
                random.below(60) as usize
            } else {
                0
            },
            counts: random.chance(30),
            ..Query::default()
        };
        for _ in 0..random.below(4) {
            match random.below(5) {
                0 => query.municipality = like.json["municipality"].as_str().map(str::to_owned),
                1 => {
                    query.category = like.json["procurement_category"]
                        .as_str()
                        .and_then(single)
                        .map(str::to_owned)
                }
                2 => query.first_day = Some(like.day.clone()),
                3 => query.group = Some(random.below(GROUPS)),
                _ => query.last_day = Some(like.day.clone()),
            }
        }
        if entity_type == "contract" && random.chance(15) {
            query.least_value = Some(random.below(200_000));
        }
        query
    }

    /// The address that asks for it.
    pub fn target(&self, cursor: Option<&str>) -> String {
        let mut target = format!("/{}?limit={}", self.entity_type, self.limit);
        let mut add = |name: &str, value: &Option<String>| {
            if let Some(value) = value {
                target.push_str(&format!("&{name}={value}"));
            }
        };
        add("municipality", &self.municipality);
        add("category", &self.category);
        add("issued_after", &self.first_day);
        add("issued_before", &self.last_day);
        add("value_min", &self.least_value.map(|value| value.to_string()));
        add("q", &self.group.map(|group| format!("soakgroup{group}")));
        add("sort_order", &self.oldest_first.then(|| "asc".to_owned()));
        match cursor {
            Some(cursor) => add("cursor", &Some(cursor.to_owned())),
            None => add(
                "offset",
                &Some(self.offset)
                    .filter(|skipped| *skipped > 0)
                    .map(|skipped| skipped.to_string()),
            ),
        }
        if self.counts {
            target.push_str("&include_total=true&facets=category");
        }
        target
    }

    fn matches(&self, record: &Record) -> bool {
        let is = |field: &str, wanted: &Option<String>| {
            wanted.as_ref().is_none_or(|value| *value == text(&record.json, field))
        };
        let category = text(&record.json, "procurement_category");
        let title = [text(&record.json, "title_fr"), text(&record.json, "title_en")].join(" ");
        is("municipality", &self.municipality)
            && self
                .category
                .as_ref()
                .is_none_or(|wanted| category.split(',').any(|one| one == wanted))
            && self.first_day.as_ref().is_none_or(|first| record.day >= *first)
            && self.last_day.as_ref().is_none_or(|last| record.day <= *last)
            && self.least_value.is_none_or(|least| {
                record.json["contract_value"]
                    .as_f64()
                    .is_some_and(|value| value >= least as f64)
            })
            && self
                .group
                .is_none_or(|group| title.split(' ').any(|word| word == format!("soakgroup{group}")))
    }

    fn page<'b>(&self, build: &'b Build, start: &Start) -> Page<'b> {
        let mut all: Vec<&Record> = build.records[self.entity_type]
            .iter()
            .filter(|record| self.matches(record))
            .collect();
        if self.oldest_first {
            all.reverse();
        }
        let total = all.len();
        let skipped = match start {
            Start::Offset(offset) => *offset,
            Start::After(day, id) => all
                .iter()
                .take_while(|record| {
                    // The documented order: latest day first, then by id. The other one is its reverse.
                    let place = (day, &record.id).cmp(&(&record.day, id));
                    if self.oldest_first {
                        place.is_ge()
                    } else {
                        place.is_le()
                    }
                })
                .count(),
        };
        Page {
            records: all.iter().skip(skipped).take(self.limit).copied().collect(),
            total,
            is_last: skipped + self.limit >= total,
        }
    }

    /// What is wrong with the answer, if this build gave it.
    pub fn difference(&self, build: &Build, start: &Start, answer: &Value) -> Option<String> {
        let page = self.page(build, start);
        let given = answer["results"].as_array().map_or(&[][..], Vec::as_slice);
        let expected_ids: Vec<&str> = page.records.iter().map(|record| record.id.as_str()).collect();
        let given_ids: Vec<&str> = given
            .iter()
            .map(|record| record["record_id"].as_str().unwrap_or_default())
            .collect();
        if expected_ids != given_ids {
            let at = expected_ids.iter().zip(&given_ids).take_while(|(a, b)| a == b).count();
            return Some(format!(
                "{} records instead of {}, different from number {at} on: {:?} instead of {:?}",
                given_ids.len(),
                expected_ids.len(),
                given_ids.get(at),
                expected_ids.get(at)
            ));
        }
        if let Some((record, given)) = page
            .records
            .iter()
            .zip(given)
            .find(|(record, given)| record.json != **given)
        {
            return Some(format!("record {} is {given} instead of {}", record.id, record.json));
        }
        let wrong = |what: &str, given: &Value, expected: Value| {
            (*given != expected).then(|| format!("{what} is {given} instead of {expected}"))
        };
        let has_cursor = answer.get("next_cursor").is_some_and(Value::is_string);
        wrong("entity_type", &answer["entity_type"], self.entity_type.into())
            .or_else(|| wrong("count", &answer["count"], expected_ids.len().into()))
            .or_else(|| {
                wrong(
                    "the presence of next_cursor",
                    &has_cursor.into(),
                    (!page.is_last).into(),
                )
            })
            .or_else(|| {
                if self.counts {
                    wrong("total", &answer["total"], page.total.into())
                } else {
                    None
                }
            })
            .or_else(|| {
                if self.counts {
                    self.wrong_facet(build, answer)
                } else {
                    None
                }
            })
    }

    /// Compares the counts by category.
    fn wrong_facet(&self, build: &Build, answer: &Value) -> Option<String> {
        let mut expected: BTreeMap<String, u64> = BTreeMap::new();
        for record in build.records[self.entity_type]
            .iter()
            .filter(|record| self.matches(record))
        {
            let categories = text(&record.json, "procurement_category");
            for category in categories.split(',').filter(|category| !category.is_empty()) {
                *expected.entry(category.to_owned()).or_default() += 1;
            }
        }
        let values = answer["facets"]["category"]["values"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let given: BTreeMap<String, u64> = values
            .iter()
            .map(|value| (text(value, "value"), value["count"].as_u64().unwrap_or(0)))
            .collect();
        (given != expected).then(|| format!("the facet category is {given:?} instead of {expected:?}"))
    }
}

/// A category, unless it is a list of several.
fn single(category: &str) -> Option<&str> {
    ["CNST", "GD", "SRV", "SRVTGD"].contains(&category).then_some(category)
}
