//! Collects what publishers state about suppliers, and writes it next to the dumps: one line for each distinct
//! statement. `procure index` decides from it which names are one supplier.
//!
//! SEAO's readers state every bidder by themselves, because a bidder that did not win has no record. Of all other
//! sources the records state their suppliers.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{
    report::{NormalizeReport, SupplierCounts},
    second_pass::SecondPassStep,
};
use crate::{
    model::{
        EntityType, Record,
        supplier_mention::{MentionLine, RefusedNumber, SupplierMentions},
    },
    storage::{dump::SUPPLIERS, regular_file},
};

/// The sources whose readers state the suppliers.
const STATED_BY_READERS: [&str; 2] = ["seao-xml", "seao-ocds"];

/// Keeps the distinct statements.
pub(crate) struct SupplierStep {
    mentions: SupplierMentions,
    /// The sources of this run that have records.
    sources: BTreeSet<String>,
    /// The lines of the last run.
    former: Vec<MentionLine>,
    /// All lines, once the records are observed.
    lines: Vec<MentionLine>,
    counts: SupplierCounts,
}

impl SupplierStep {
    /// Reads the lines of former runs in the folder of the dumps. A line that cannot be read is left out: this run, or
    /// one with its source, writes it again.
    pub(crate) fn new(out: &Path) -> Result<SupplierStep> {
        let path = out.join(SUPPLIERS);
        let former = match regular_file::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            bytes => {
                let bytes = bytes.with_context(|| format!("reading {}", path.display()))?;
                let lines = bytes
                    .split(|byte| *byte == b'\n')
                    .filter(|line| !line.trim_ascii().is_empty());
                lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
            }
        };
        Ok(SupplierStep {
            mentions: SupplierMentions::default(),
            sources: BTreeSet::new(),
            former,
            lines: Vec::new(),
            counts: SupplierCounts::default(),
        })
    }
}

impl SecondPassStep for SupplierStep {
    fn mention(&mut self, mentions: &mut SupplierMentions) {
        self.mentions = std::mem::take(&mut self.mentions).merge(std::mem::take(mentions));
    }

    fn observe(&mut self, _: EntityType, source: &str, record: &Record) {
        if !self.sources.contains(source) {
            self.sources.insert(source.to_owned());
        }
        if STATED_BY_READERS.contains(&source) {
            return;
        }
        self.mentions.observe(record, source);
    }

    fn conclude(&mut self) {
        let mut mentions = std::mem::take(&mut self.mentions);
        let refused = mentions.refused();
        let by_reason = |reason: RefusedNumber| -> BTreeMap<String, u64> {
            let of_reason = refused.iter().filter(|((_, why), _)| *why == reason);
            of_reason.map(|((source, _), count)| (source.clone(), *count)).collect()
        };
        self.counts.placeholders = by_reason(RefusedNumber::Placeholder);
        self.counts.malformed = by_reason(RefusedNumber::Malformed);
        let mut lines = mentions.into_lines();
        self.counts.mentions = lines.iter().map(|line| line.count).sum();
        self.sources
            .extend(lines.iter().map(|line| line.mention.source.clone()));
        let kept = std::mem::take(&mut self.former).into_iter();
        let kept = kept.filter(|line| !self.sources.contains(&line.mention.source));
        let own = lines.len();
        lines.extend(kept);
        self.counts.kept = (lines.len() - own) as u64;
        lines.sort_by(|a, b| a.mention.cmp(&b.mention));
        self.counts.lines = lines.len() as u64;
        let numbers: BTreeSet<_> = lines.iter().filter_map(|line| line.mention.number.as_ref()).collect();
        self.counts.numbers = numbers.len() as u64;
        self.lines = lines;
    }

    fn complete(&self, _: EntityType, _: &str, _: &Record) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    fn file(&self) -> Option<(&'static str, Vec<u8>)> {
        let mut text = Vec::new();
        for line in &self.lines {
            // A line of texts and numbers always serializes.
            if serde_json::to_writer(&mut text, line).is_ok() {
                text.push(b'\n');
            }
        }
        Some((SUPPLIERS, text))
    }

    fn report(&self, report: &mut NormalizeReport) {
        report.suppliers = self.counts.clone();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::model::Schema;

    #[test]
    fn the_names_that_a_record_equates_are_kept_and_so_are_lines_of_other_sources() {
        let folder = tempfile::tempdir().unwrap();
        let former = "{\"name\":\"Old\",\"source\":\"toronto\",\"count\":3}\n{\"name\":\"Gone\",\"source\":\"x\",\"count\":1}\nnot a line\n";
        fs::write(folder.path().join(SUPPLIERS), former).unwrap();
        let mut step = SupplierStep::new(folder.path()).unwrap();
        let line = r#"{"record_id":"1","award_date":"2024-01-02","vendor_name":"ACME","supplier_legal_name":"Acme Canada Inc.","supplier_operating_name":"ACME","vendor_postal_code":"K1A0A6"}"#;
        let record = Record::parse(Schema::of(EntityType::Contract), line.as_bytes()).unwrap();
        step.observe(EntityType::Contract, "x", &record);
        step.observe(EntityType::Contract, "seao-xml", &record);
        step.conclude();
        let text = String::from_utf8(step.file().unwrap().1).unwrap();
        assert_eq!(
            text,
            "{\"name\":\"ACME\",\"other_name\":\"Acme Canada Inc.\",\"relation\":\"legal_name\",\"source\":\"x\",\"count\":1,\"first\":\"2024-01-02\"}\n\
             {\"name\":\"ACME\",\"postal_code\":\"K1A0A6\",\"source\":\"x\",\"count\":1,\"first\":\"2024-01-02\"}\n\
             {\"name\":\"Old\",\"source\":\"toronto\",\"count\":3}\n"
        );
        assert_eq!((step.counts.kept, step.counts.mentions, step.counts.lines), (1, 2, 3));
    }
}
