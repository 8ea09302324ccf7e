//! The verification of a loaded index: its number of records, their sums, and the bytes of some
//! records, compared with what was sent.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use serde_json::json;

use super::{
    build_totals::RecordSummary,
    client::Client,
    counts::{read_sum, sums},
    mapping::record,
    query::CompiledQuery,
    searcher::{stored_record, total},
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
    let records = total(&client.search(index, &CompiledQuery::default().count(), &Deadline::never())?)?;
    ensure!(
        records == expected.records,
        "{index} has {records} records instead of {}",
        expected.records
    );
    if Schema::of(entity_type).has_role(Role::Value) {
        verify_values(client, index, expected).with_context(|| format!("summing the values of {index}"))?;
    }
    samples
        .chunks(READ)
        .try_for_each(|samples| verify_samples(client, index, samples))
}

/// Compares the number of values, and the sum of those in Canadian dollars.
fn verify_values(client: &Client, index: &str, expected: &RecordSummary) -> anyhow::Result<()> {
    let mut aggregations = sums(record::VALUE);
    let count = json!({ "value_count": { "field": Role::Value.name() } });
    aggregations.insert(VALUES.to_owned(), count);
    let search = CompiledQuery::default().aggregate(aggregations);
    let results = client.search(index, &search, &Deadline::never())?.aggregations;
    let values = results.metric(VALUES)?.map_or(0, |count| count as u64);
    // The sum of implausible amounts depends on the order in which the cluster adds them.
    let ((sum, _), (expected_sum, _)) = (read_sum(&results)?.parts(), expected.total_value.parts());
    ensure!(
        (values, sum) == (expected.records_with_value, expected_sum),
        "there are {values} values of together {sum} millionths of a dollar instead of {} of together {expected_sum}",
        expected.records_with_value
    );
    Ok(())
}

fn verify_samples(client: &Client, index: &str, samples: &[Sample]) -> anyhow::Result<()> {
    let numbers: Vec<u64> = samples.iter().map(|sample| sample.number).collect();
    let search = json!({
        "size": numbers.len(),
        "query": { "terms": { record::NUMBER: numbers } },
        "stored_fields": [record::RECORD],
    });
    let response = client.search(index, &search, &Deadline::never())?;
    let mut found = BTreeMap::new();
    for mut hit in response.hits.hits {
        let record = stored_record(&mut hit)?;
        found.insert(hit.id, crc32fast::hash(&record));
    }
    for Sample { number, crc32 } in samples {
        ensure!(
            found.get(&number.to_string()) == Some(crc32),
            "{index} does not return record {number} as it was sent"
        );
    }
    Ok(())
}
