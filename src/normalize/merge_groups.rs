//! The second half of a run: merges the rows of each source, and writes the dumps and the report.

use std::{collections::BTreeSet, path::Path};

use anyhow::Result;

use super::{
    dump_writers::{DumpLines, DumpWriters},
    read_files::{ReadFile, ReadFiles},
    report::{FileReport, FlaggedRecords, NormalizeReport},
    second_pass::{self, SecondPassStep},
};
use crate::{
    model::{
        Role, Schema, commodity_words::CommodityLearner, record::MAX_ID_BYTES, supplier_mention::SupplierMentions,
        vocabulary,
    },
    sources::{
        reading::{
            DraftRecord, GroupMember, RowBids, RowCounts, not_amounts,
            spool::{entry::SpoolEntry, groups::MergeGroup},
        },
        registry::{SOURCES, SourceFormat},
    },
};

const OTHER_CONTRACT: &str =
    "replaced by a newer row under the same identifier that names another supplier or contract number";

const ID_TOO_LONG: &str = "a record whose identifier is longer than an index holds, left out";

const TOO_MANY_ROWS: &str = "one of the oldest of over 20,000 rows, or 64 MiB, with one identifier";

const RECORD_TOO_LONG: &str = "a record of more than 256 KiB, which is longer than an index holds, left out";

const BIDDER_OF_SKIPPED: &str = "a bidder of a notice that was left out";

const BIDS_TOO_LONG: &str = "a bidder of a notice whose bids together are longer than 256 KiB";

pub(crate) fn merge(mut read: ReadFiles, out: &Path, steps: &mut [Box<dyn SecondPassStep>]) -> Result<NormalizeReport> {
    let mut dumps = DumpWriters::new(out);
    let taken = read.files.iter_mut().map(|file| {
        let counts = file.as_mut().map(|file| std::mem::take(&mut file.counts));
        counts.unwrap_or_default()
    });
    let mut counts: Vec<RowCounts> = taken.collect();
    // By index in `SOURCES`: whether the source had a row output, even one that was merged into
    // another's.
    let mut had_output = vec![false; SOURCES.len()];
    for (family, spool) in std::mem::take(&mut read.spools) {
        let entries = take_entries(&mut read.files, family);
        let source = SOURCES.iter().find(|source| source.family() == family);
        let source = source.expect("every family has a source");
        let merge = |groups| MergedGroups::of(groups, source, &read.files);
        spool.merge_groups(entries, merge, |merged| {
            for (file, part) in counts.iter_mut().zip(merged.counts) {
                file.add(part);
            }
            for source in merged.sources {
                had_output[source] = true;
            }
            dumps.append(merged.lines)
        })?;
    }
    for (source, had_output) in SOURCES.iter().zip(had_output) {
        if had_output {
            dumps.close(source)?;
        }
    }
    inform(steps, &mut counts);
    second_pass::run(steps, dumps.finished())?;
    let contents = dumps.publish(steps.iter().filter_map(|step| step.file()).collect())?;
    let files = read.files.into_iter().zip(counts).filter_map(|(file, counts)| {
        let file = file?;
        Some(FileReport {
            path: file.path,
            source_id: SOURCES[file.source].id,
            is_damaged: file.is_damaged,
            counts,
        })
    });
    let mut report = NormalizeReport {
        files: files.collect(),
        fields: contents.presence,
        shortfalls: contents.shortfalls,
        unrecognized: read.unrecognized,
        buyers_of_unknown_city: contents.buyers_of_unknown_city,
        quality_flags: FlaggedRecords::new(),
        commodities: Default::default(),
        suppliers: Default::default(),
    };
    for step in steps {
        step.report(&mut report);
    }
    Ok(report)
}

/// Passes to the steps what rows state apart from their records.
fn inform(steps: &mut [Box<dyn SecondPassStep>], counts: &mut [RowCounts]) {
    let taught = counts.iter_mut().map(|counts| std::mem::take(&mut counts.taught));
    let mut taught = taught.fold(CommodityLearner::default(), CommodityLearner::merge);
    let suppliers = counts.iter_mut().map(|counts| std::mem::take(&mut counts.suppliers));
    let mut suppliers = suppliers.fold(SupplierMentions::default(), SupplierMentions::merge);
    for step in steps.iter_mut() {
        step.teach(&mut taught);
        step.mention(&mut suppliers);
    }
}

/// Takes the entries of all files of a family.
fn take_entries(files: &mut [Option<Box<ReadFile>>], family: &str) -> Vec<SpoolEntry> {
    let of_family = |file: &&mut Box<ReadFile>| SOURCES[file.source].family() == family;
    let files = files.iter_mut().flatten().filter(of_family);
    let taken: Vec<Vec<SpoolEntry>> = files.map(|file| std::mem::take(&mut file.entries)).collect();
    let mut entries = Vec::with_capacity(taken.iter().map(Vec::len).sum());
    for of_file in taken {
        entries.extend(of_file);
    }
    entries
}

/// The result of some groups.
struct MergedGroups {
    /// By stream number.
    counts: Vec<RowCounts>,
    /// Indexes in [`SOURCES`] of those that had a row output in the groups.
    sources: BTreeSet<usize>,
    lines: DumpLines,
}

impl MergedGroups {
    fn of(groups: Vec<MergeGroup>, source: &SourceFormat, files: &[Option<Box<ReadFile>>]) -> Result<MergedGroups> {
        let mut merged = MergedGroups {
            counts: Vec::new(),
            sources: BTreeSet::new(),
            lines: DumpLines::default(),
        };
        merged.counts.resize_with(files.len(), RowCounts::default);
        let mut reader = (source.reader)();
        for mut group in groups {
            for row in group.replaced {
                let counts = &mut merged.counts[row.file];
                counts.merged += 1;
                counts.bidders.replaced += row.bids;
                if row.is_other_contract {
                    counts.note(row.line, OTHER_CONTRACT);
                }
            }
            for (file, line, bids) in group.excess {
                merged.counts[file].skip(line, TOO_MANY_ROWS);
                merged.counts[file].refuse_bidders(line, bids, BIDDER_OF_SKIPPED);
            }
            reader.merge_group(&mut group.members, &mut merged.counts);
            for member in &mut group.members {
                let counts = &mut merged.counts[member.file];
                if member.skipped.is_some() {
                    for record in std::mem::take(&mut member.records) {
                        counts.teach(|field| record.text(field));
                    }
                }
                for record in &mut member.records {
                    if let Some(note) = not_amounts::leave_out(record, Vec::new, |_| None) {
                        counts.note(member.line, note);
                    }
                }
                let file = files[member.file].as_ref().expect("a file with rows was read");
                if member.annotation.is_none() {
                    merged.sources.insert(file.source);
                }
                let source_id = SOURCES[file.source].id;
                let is_kept = merged.keep(member, source_id)?;
                if let Some(mut bids) = member.bids.take() {
                    bids.notice.fetched_at = member.records.first().and_then(fetched_at);
                    merged.keep_bids(bids, source_id, is_kept, member.skipped.is_some())?;
                }
            }
        }
        Ok(merged)
    }

    /// Writes the records of a member. Returns whether its first one, which has the bids, was written.
    fn keep(&mut self, member: &GroupMember, source_id: &'static str) -> Result<bool> {
        let counts = &mut self.counts[member.file];
        if member.records.is_empty() {
            match member.skipped {
                Some(reason) => counts.skip(member.line, reason),
                None => counts.merged += 1,
            }
            return Ok(false);
        }
        let mut written = 0;
        let mut refused = None;
        let mut is_first_written = false;
        for (number, record) in member.records.iter().enumerate() {
            // Readers of dumps reject other lengths.
            if !(1..=MAX_ID_BYTES).contains(&record.text("record_id").unwrap_or_default().len()) {
                refused = Some(ID_TOO_LONG);
                continue;
            }
            if !self.lines.push(source_id, record)? {
                refused = Some(RECORD_TOO_LONG);
                continue;
            }
            note_unknown_status(record, member.line, counts);
            *counts.written.entry(record.entity_type).or_default() += 1;
            written += 1;
            is_first_written |= number == 0;
        }
        match refused {
            Some(reason) if written == 0 => {
                counts.skip(member.line, reason);
                return Ok(false);
            }
            Some(reason) => counts.note(member.line, reason),
            None => {}
        }
        counts.recorded += 1;
        Ok(is_first_written)
    }

    /// Writes the bids of a notice, unless its tender was not written.
    fn keep_bids(&mut self, bids: RowBids, source_id: &'static str, is_kept: bool, is_skipped: bool) -> Result<()> {
        let RowBids { notice, file, line } = bids;
        let counts = &mut self.counts[file];
        let bidders = notice.bids.len() as u64;
        if is_kept {
            if self.lines.push_bids(source_id, &notice)? {
                counts.bidders.kept += bidders;
            } else {
                counts.refuse_bidders(line, bidders, BIDS_TOO_LONG);
            }
        } else if is_skipped {
            counts.refuse_bidders(line, bidders, BIDDER_OF_SKIPPED);
        } else {
            counts.bidders.replaced += bidders;
        }
        Ok(())
    }
}

fn fetched_at(record: &DraftRecord) -> Option<String> {
    record.text("fetched_at").map(str::to_owned)
}

fn note_unknown_status(record: &DraftRecord, line: u64, counts: &mut RowCounts) {
    let schema = Schema::of(record.entity_type);
    let fields = schema.role(Role::Status).iter();
    let mut statuses = fields
        .filter_map(|field| record.text(&schema.fields[*field].name))
        .peekable();
    if let Some(first) = statuses.peek().copied()
        && statuses.all(|status| vocabulary::status(status).is_none())
    {
        counts.note(
            line,
            &format!("status '{first}' is unknown, the status filter misses it"),
        );
    }
}
