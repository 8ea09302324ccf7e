//! The verification of a loaded index: its number of records, their sums, and the bytes of some
//! records, compared with what was sent.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{
    build_totals::RecordSummary,
    client::Client,
    mapping::record,
    response::{SearchResponse, Total},
    stored_money,
};
use crate::{
    engine::deadline::Deadline,
    model::{EntityType, Role, Schema},
};

/// A record that is read back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) number: u64,
    pub(crate) crc32: u32,
}

/// How many records of an entity type are read back.
pub(crate) const SAMPLES: u64 = 200;

/// How many of them are read with one request.
const READ: usize = 20;

const VALUES: &str = "values";

/// Compares an index with what was sent to it.
pub(crate) fn verify_records(
    client: &Client,
    index: &str,
    entity_type: EntityType,
    expected: &RecordSummary,
    samples: &[Sample],
) -> anyhow::Result<()> {
    let response = client.search(index, &counts_and_sums(entity_type), &Deadline::never())?;
    let records = total(&response)?;
    ensure!(
        records == expected.records,
        "{index} has {records} records instead of {}",
        expected.records
    );
    if Schema::of(entity_type).has_role(Role::Value) {
        let (with_value, millionths) = sums(&response).with_context(|| format!("summing the values of {index}"))?;
        let (expected_sum, _) = expected.total_value.parts();
        ensure!(
            (with_value, millionths) == (expected.records_with_value, expected_sum),
            "{index} has {with_value} values of together {millionths} millionths of a dollar instead of {} of together {expected_sum}",
            expected.records_with_value
        );
    }
    for samples in samples.chunks(READ) {
        verify_samples(client, index, samples)?;
    }
    Ok(())
}

/// Compares the number of documents of an index with what was sent to it.
pub(crate) fn verify_count(client: &Client, index: &str, expected: u64) -> anyhow::Result<()> {
    let search = json!({ "size": 0, "track_total_hits": true });
    let found = total(&client.search(index, &search, &Deadline::never())?)?;
    ensure!(found == expected, "{index} has {found} documents instead of {expected}");
    Ok(())
}

/// The fields of a value in Canadian dollars that are summed exactly.
fn value_parts() -> impl Iterator<Item = &'static str> {
    record::VALUE.into_iter().take(stored_money::PARTS)
}

fn counts_and_sums(entity_type: EntityType) -> Value {
    let mut search = json!({ "size": 0, "track_total_hits": true });
    if Schema::of(entity_type).has_role(Role::Value) {
        let mut aggregations = json!({ VALUES: { "value_count": { "field": Role::Value.name() } } });
        for part in value_parts() {
            aggregations[part] = json!({ "sum": { "field": part } });
        }
        search["aggs"] = aggregations;
    }
    search
}

fn total(response: &SearchResponse) -> anyhow::Result<u64> {
    let total = response.hits.total.as_ref().and_then(Total::exact);
    total.context("the cluster did not count the documents exactly")
}

/// The number of values, and their sum in millionths of a dollar.
fn sums(response: &SearchResponse) -> anyhow::Result<(u64, i128)> {
    #[derive(Deserialize)]
    struct Single {
        /// Raw, because `serde_json` can round a float.
        value: Box<RawValue>,
    }
    let aggregations = response
        .aggregations
        .as_ref()
        .context("the response has no aggregations")?;
    let found: BTreeMap<String, Single> = serde_json::from_str(aggregations.get())?;
    let number = |name: &str| -> anyhow::Result<i128> {
        let value = found.get(name).with_context(|| format!("the response has no {name}"))?;
        let value: f64 = value.value.get().parse()?;
        Ok(value as i128)
    };
    let mut parts = [0; stored_money::PARTS];
    for (sum, name) in parts.iter_mut().zip(value_parts()) {
        *sum = number(name)?;
    }
    Ok((number(VALUES)? as u64, stored_money::join(parts)))
}

fn verify_samples(client: &Client, index: &str, samples: &[Sample]) -> anyhow::Result<()> {
    let numbers: Vec<u64> = samples.iter().map(|sample| sample.number).collect();
    let search = json!({
        "size": numbers.len(),
        "query": { "terms": { record::NUMBER: numbers } },
        "sort": [{ record::NUMBER: "asc" }],
        "stored_fields": [record::RECORD],
    });
    let response = client.search(index, &search, &Deadline::never())?;
    let mut found = BTreeMap::new();
    for mut hit in response.hits.hits {
        let Some(Value::String(json)) = hit.take_field(record::RECORD) else {
            continue;
        };
        found.insert(hit.id, crc32fast::hash(json.as_bytes()));
    }
    for sample in samples {
        ensure!(
            found.get(&sample.number.to_string()) == Some(&sample.crc32),
            "{index} does not return record {} as it was sent",
            sample.number
        );
    }
    Ok(())
}
