//! The reader of both files of the proactive disclosure.

use std::io::Read;

use crate::sources::{
    disclosure::{common, export, merge, published},
    reading::{
        CsvFile, CsvFormat, FileInfo, GroupMember, ReadError, RowCounts, RowOutput, RowSink, SourceReader, Utf8Reader,
        format_of,
    },
};

static FORMATS: &[&CsvFormat] = &[&published::FORMAT, &published::FORMER, &export::FORMAT];

/// Reads `contracts.csv`, in either layout, and the export.
pub(crate) struct DisclosureReader;

impl SourceReader for DisclosureReader {
    fn read(&mut self, file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
        let opened = CsvFile::open(input)?;
        let header = opened.first.clone();
        let format = format_of(FORMATS, &header).unwrap_or(&published::FORMAT);
        format.read_rows(file, opened, &header, out, assign_group)
    }

    fn merge_group(&mut self, members: &mut [GroupMember], file_counts: &mut [RowCounts]) {
        merge::merge_group(members, file_counts);
    }
}

/// Puts the rows of one procurement into one group, and returns the reference number. All rows of a
/// reference number join the group of the first one, even if the procurement number was corrected
/// in between.
fn assign_group(output: &mut RowOutput) -> Option<String> {
    let reference = output.group.clone();
    if let Some(procurement) = output.records.first().and_then(common::procurement) {
        output.group = procurement;
    }
    Some(reference)
}
