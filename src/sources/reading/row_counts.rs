//! The row counts of one file: every row is recorded, merged or skipped.

use std::collections::BTreeMap;

use crate::model::{EntityType, commodity_words::CommodityLearner, supplier_mention::SupplierMentions};

/// Maximum number of different reasons, and of different notes, that are counted separately per
/// file. Reasons quote what publishers wrote, so their number has no other bound. Further ones are
/// counted together.
const MAX_REASONS: usize = 100;
const OTHER_REASONS: &str = "other kinds, too many to list";

/// How often something occurred, and the line of its first occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrences {
    pub count: u64,
    pub first_line: u64,
}

impl Occurrences {
    const fn once(line: u64) -> Occurrences {
        Occurrences {
            count: 1,
            first_line: line,
        }
    }
}

/// The counts of one file.
///
/// **Invariant:** `rows` = `recorded` + `merged` + skipped rows, once all files are read and
/// merged.
#[derive(Debug, Default)]
pub struct RowCounts {
    pub rows: u64,
    /// Rows that produced at least one record.
    pub recorded: u64,
    /// Records written, by entity type.
    pub written: BTreeMap<EntityType, u64>,
    /// Rows that were merged into another row's record.
    pub merged: u64,
    /// By reason.
    pub skipped: BTreeMap<String, Occurrences>,
    /// Oddities of rows that still count.
    pub notes: BTreeMap<String, Occurrences>,
    /// The bidders that rows list.
    pub bidders: BidderCounts,
    /// The words of codes that rows state, but no record.
    pub(crate) taught: CommodityLearner,
    /// What rows state about suppliers, those without a record included.
    pub(crate) suppliers: SupplierMentions,
    /// Whether these are the counts of a part of a file. A part lists all reasons; the whole, to
    /// which parts are [added](RowCounts::add), decides which of them it lists.
    is_part: bool,
}

/// The counts of the bidders that the notices of one file list.
///
/// **Invariant:** `listed` = `kept` + `replaced` + refused bidders, once all files are read and merged.
#[derive(Debug, Default)]
pub struct BidderCounts {
    pub listed: u64,
    /// Bidders in the dump of bids.
    pub kept: u64,
    /// Bidders of an older state of a notice.
    pub replaced: u64,
    /// By reason.
    pub refused: BTreeMap<String, Occurrences>,
    /// Oddities of bidders that are kept.
    pub notes: BTreeMap<String, Occurrences>,
}

impl BidderCounts {
    pub fn refused_bidders(&self) -> u64 {
        self.refused.values().map(|refused| refused.count).sum()
    }
}

impl RowCounts {
    /// Empty counts for some of a file's rows.
    pub(crate) fn of_part() -> RowCounts {
        RowCounts {
            is_part: true,
            ..RowCounts::default()
        }
    }

    pub(crate) fn skip(&mut self, line: u64, reason: &str) {
        count(&mut self.skipped, reason, Occurrences::once(line), self.is_part);
    }

    pub(crate) fn note(&mut self, line: u64, note: &str) {
        count(&mut self.notes, note, Occurrences::once(line), self.is_part);
    }

    /// Counts bidders that are refused.
    pub(crate) fn refuse_bidders(&mut self, line: u64, bidders: u64, reason: &str) {
        if bidders > 0 {
            let seen = Occurrences {
                count: bidders,
                first_line: line,
            };
            count(&mut self.bidders.refused, reason, seen, self.is_part);
        }
    }

    pub(crate) fn note_bidder(&mut self, line: u64, note: &str) {
        count(&mut self.bidders.notes, note, Occurrences::once(line), self.is_part);
    }

    /// Learns the words of codes from a row or an item that becomes no record.
    pub(crate) fn teach<'a>(&mut self, text_of: impl Fn(&str) -> Option<&'a str>) {
        self.taught.teach(text_of);
    }

    /// Adds the counts of a part whose rows follow the rows that are already counted. The result is
    /// the same as if the part's rows had been counted here.
    pub(crate) fn add(&mut self, part: RowCounts) {
        self.rows += part.rows;
        self.recorded += part.recorded;
        self.merged += part.merged;
        self.taught = std::mem::take(&mut self.taught).merge(part.taught);
        self.suppliers = std::mem::take(&mut self.suppliers).merge(part.suppliers);
        for (entity_type, written) in part.written {
            *self.written.entry(entity_type).or_default() += written;
        }
        self.bidders.listed += part.bidders.listed;
        self.bidders.kept += part.bidders.kept;
        self.bidders.replaced += part.bidders.replaced;
        for (reasons, more) in [
            (&mut self.skipped, part.skipped),
            (&mut self.notes, part.notes),
            (&mut self.bidders.refused, part.bidders.refused),
            (&mut self.bidders.notes, part.bidders.notes),
        ] {
            let mut more: Vec<(String, Occurrences)> = more.into_iter().collect();
            more.sort_by_key(|(reason, seen)| (reason == OTHER_REASONS, seen.first_line));
            for (reason, seen) in more {
                count(reasons, &reason, seen, self.is_part);
            }
        }
    }

    pub fn skipped_rows(&self) -> u64 {
        self.skipped.values().map(|skipped| skipped.count).sum()
    }
}

fn count(reasons: &mut BTreeMap<String, Occurrences>, reason: &str, seen: Occurrences, is_part: bool) {
    let listed = reasons.len() - usize::from(reasons.contains_key(OTHER_REASONS));
    let reason = if is_part || listed < MAX_REASONS || reasons.contains_key(reason) {
        reason
    } else {
        OTHER_REASONS
    };
    match reasons.get_mut(reason) {
        Some(known) => {
            known.count += seen.count;
            known.first_line = known.first_line.min(seen.first_line);
        }
        None => {
            reasons.insert(reason.to_owned(), seen);
        }
    }
}

/// The note about a value that is missing from the list of a field's known values. The value is cut
/// to 60 characters.
pub(crate) fn unknown(field: &str, value: &str) -> String {
    let value: String = value.trim().chars().take(60).collect();
    format!("unknown '{value}' in {field}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_beyond_the_maximum_are_counted_together() {
        let mut counts = RowCounts::default();
        for line in 1..=(2 * MAX_REASONS as u64) {
            counts.skip(line, &format!("reason {line}"));
            counts.skip(line, "reason 1");
        }
        assert_eq!(counts.skipped.len(), MAX_REASONS + 1);
        assert_eq!(counts.skipped_rows(), 4 * MAX_REASONS as u64);
        assert_eq!(counts.skipped[OTHER_REASONS].first_line, MAX_REASONS as u64 + 1);
    }
}
