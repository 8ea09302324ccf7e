//! Reads the records of an entity type back from the spool, on all cores, each with its number in
//! the default order.

use anyhow::Context;
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::read_dumps::DumpRecords;
use crate::model::{Record, Schema};

/// The records of an entity type.
pub(super) struct SpooledRecords<'a> {
    schema: &'static Schema,
    records: &'a DumpRecords,
    /// The index and the number of each entry, in the order of the spool: reading from start to end is
    /// faster.
    numbered: Vec<(u32, u32)>,
}

/// A record while it is visited.
pub(super) struct SpooledRecord<'a> {
    /// The number of the record in the default order, from 0.
    pub(super) number: u32,
    pub(super) record: &'a Record<'a>,
    /// The JSON that the record was parsed from.
    pub(super) bytes: &'a [u8],
    /// Index of its dump.
    pub(super) dump: u16,
}

/// The smallest part of the records that is worth a state of its own.
const MIN_PART_RECORDS: usize = 10_000;

/// Parts for each thread, so that no thread waits for long at the end.
const PARTS_PER_THREAD: usize = 2;

impl SpooledRecords<'_> {
    pub(super) fn new<'a>(schema: &'static Schema, records: &'a DumpRecords) -> SpooledRecords<'a> {
        let order = records.default_order();
        let mut numbered: Vec<(u32, u32)> = order.into_iter().zip(0..).collect();
        numbered.par_sort_unstable_by_key(|(entry, _)| records.entries[*entry as usize].start());
        SpooledRecords {
            schema,
            records,
            numbered,
        }
    }

    /// Visits every record once. Each part of them has a state of its own, made by `start`; returns
    /// the states.
    pub(super) fn visit<S: Send>(
        &self,
        progress: &ProgressBar,
        start: impl Fn() -> S + Sync,
        visit: impl Fn(&mut S, SpooledRecord) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<Vec<S>> {
        let parts = PARTS_PER_THREAD * rayon::current_num_threads();
        let part_records = self.numbered.len().div_ceil(parts).max(MIN_PART_RECORDS);
        let visit_part = |part: &[(u32, u32)]| {
            let mut state = start();
            let mut bytes = Vec::new();
            for (entry, number) in part {
                let entry = &self.records.entries[*entry as usize];
                self.records.read(entry, &mut bytes).context("reading the spool")?;
                let record = self.records.parse(self.schema, entry, &bytes)?;
                let record = SpooledRecord {
                    number: *number,
                    record: &record,
                    bytes: &bytes,
                    dump: entry.dump,
                };
                visit(&mut state, record)?;
                progress.inc(1);
            }
            Ok(state)
        };
        self.numbered
            .par_chunks(part_records)
            .with_max_len(1)
            .map(visit_part)
            .collect()
    }
}
