//! CSV formats: a publisher's columns, declared in tables, and the reader that follows them.
//!
//! A [`CsvFormat`] names the columns by which the format is recognized, the columns that it
//! requires, and for each field the column and the [`ColumnRule`](super::csv_row::ColumnRule) that
//! fill it. What a table cannot express (keys, entity types, joined fields) is in the format's
//! `row_output`. A row whose number of fields is not that of the header is skipped.
//! Lines before the header that begin with `#` are comments.

use std::io::Read;

use anyhow::Result;
use rustc_hash::FxHashMap;

use super::{
    batches,
    csv_file::{CsvFile, ParsedCsvRow, is_header},
    csv_row::{Column, ColumnPosition, CsvRow, Header, MappedColumn},
    decode::Utf8Reader,
    fields::Fields,
    not_amounts,
    reader::{FileInfo, ReadError, RowSink, SourceReader},
    row_counts::RowCounts,
    row_output::{DraftRecord, GroupMember, RowOutput},
};
use crate::model::{EntityType, FieldName};

/// A CSV format of a publisher. Column names are the canonical ones, except in `aliases`.
pub(crate) struct CsvFormat {
    /// A file has this format if its header has all these columns.
    pub(crate) signature: &'static [&'static str],
    /// A file without one of these columns is reported as damaged: its records would be wrong, not
    /// merely incomplete.
    pub(crate) required: &'static [&'static str],
    /// Other names of columns (of other years, or of another form of the file), each with its
    /// canonical name, which the other members of this struct use.
    pub(crate) aliases: &'static [(&'static str, &'static str)],
    pub(crate) columns: &'static [&'static [Column]],
    pub(crate) entity_type: fn(&CsvRow) -> EntityType,
    /// Completes the record whose fields were filled from the columns. An error is the reason for
    /// which the row is skipped.
    pub(crate) row_output: fn(&CsvRow, DraftRecord) -> Result<RowOutput, &'static str>,
    /// Merges a group: removes the records of the members that do not stay.
    pub(crate) merge_group: fn(&mut [GroupMember]),
}

/// A source's hook for rows that belong to one thing under different groups. It may change the group
/// of a row output. If it returns an identity, all row outputs with the same identity are merged as
/// one group.
pub(crate) type AssignGroup = fn(&mut RowOutput) -> Option<String>;

impl CsvFormat {
    /// Whether a file with these columns has this format.
    pub(crate) fn recognizes(&self, columns: &[String]) -> bool {
        self.signature
            .iter()
            .all(|name| columns.iter().any(|column| self.canonical_name(column) == *name))
    }

    /// Finds the columns of the tables in the header of a file.
    pub(crate) fn header(&self, names: &[String]) -> Header {
        let mut columns: FxHashMap<String, ColumnPosition> = FxHashMap::default();
        for (index, name) in names.iter().enumerate() {
            let known = columns
                .entry(self.canonical_name(name).to_owned())
                .or_insert((index, None));
            if known.0 != index {
                known.1 = Some(index);
            }
        }
        let mut mapped: Vec<MappedColumn> = Vec::new();
        for (field, column, rule) in self.columns.iter().copied().flatten() {
            let Some(position) = columns.get(*column) else { continue };
            let field = FieldName::of(field);
            match mapped
                .iter_mut()
                .find(|known| (known.position, known.rule) == (*position, *rule))
            {
                Some(known) => known.fields.push(field),
                None => mapped.push(MappedColumn {
                    fields: vec![field],
                    column,
                    position: *position,
                    rule: *rule,
                }),
            }
        }
        let identifiers = names.iter().enumerate();
        let identifiers = identifiers.filter(|(_, name)| not_amounts::is_identifier_column(name));
        Header {
            columns,
            mapped,
            identifiers: identifiers.map(|(index, _)| index).collect(),
        }
    }

    fn canonical_name<'a>(&self, column: &'a str) -> &'a str {
        let alias = self.aliases.iter().find(|(other, _)| *other == column);
        alias.map_or(column, |(_, name)| name)
    }

    /// Reads the rows of an open file whose columns are called `names`. Every row output goes through `assign_group`.
    pub(crate) fn read_rows(
        &self,
        file: &FileInfo,
        mut csv: CsvFile,
        names: &[String],
        out: &mut RowSink,
        assign_group: AssignGroup,
    ) -> Result<(), ReadError> {
        let header = self.header(names);
        if let Some(missing) = self.required.iter().find(|name| !header.columns.contains_key(**name)) {
            return Err(ReadError::damaged(1, format!("the file has no column '{missing}'")));
        }
        let repeated_header = if csv.has_header { Some(csv.first.clone()) } else { None };
        let next = |row: &mut ParsedCsvRow| csv.next_row(row);
        batches::process_rows(out, next, |row, out| {
            let ParsedCsvRow {
                values,
                line,
                is_repaired,
            } = row;
            out.row();
            out.note_repair(*line, *is_repaired);
            if repeated_header.as_ref().is_some_and(|first| is_header(values, first)) {
                out.counts
                    .skip(*line, "the header again: several files were joined into one");
                return Ok(());
            }
            let has_extra_values = (names.len()..values.len()).any(|index| !values[index].trim().is_empty());
            if values.len() < names.len() || has_extra_values {
                out.counts
                    .skip(*line, "the row has another number of fields than the header");
                return Ok(());
            }
            self.process_row(&CsvRow::new(&header, values, *line, file), out, assign_group)
        })
    }

    /// Passes the output of one row to `out`, or counts the row as skipped, with its notes.
    pub(crate) fn process_row(&self, row: &CsvRow, out: &mut RowSink, assign_group: AssignGroup) -> Result<()> {
        match self.output_of(row, out.spool.take_fields()) {
            Ok(mut output) => {
                // The row has numbers that its records do not keep.
                for record in &mut output.records {
                    if let Some(note) =
                        not_amounts::leave_out(record, || row.identifiers(), |amount| row.published(amount))
                    {
                        row.note(note.to_owned());
                    }
                }
                match assign_group(&mut output) {
                    Some(identity) => out.keep_together(row.line, &identity, output)?,
                    None => out.keep(row.line, output)?,
                }
            }
            Err(reason) => out.counts.skip(row.line, reason),
        }
        for note in row.take_notes() {
            out.counts.note(row.line, &note);
        }
        Ok(())
    }

    fn output_of(&self, row: &CsvRow, fields: Fields) -> Result<RowOutput, &'static str> {
        let mut record = DraftRecord {
            entity_type: (self.entity_type)(row),
            fields,
        };
        for (fields, value) in row.mapped_values() {
            // The tables fill each field at most once, so these are not set yet.
            record.fields.push_each(fields, value);
        }
        record.set("fetched_at", Some(row.file.fetched_at.as_str()));
        (self.row_output)(row, record)
    }
}

/// The first format that recognizes these columns.
pub(crate) fn format_of(formats: &[&'static CsvFormat], columns: &[String]) -> Option<&'static CsvFormat> {
    formats.iter().copied().find(|format| format.recognizes(columns))
}

impl SourceReader for &'static CsvFormat {
    fn read(&mut self, file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
        let csv = CsvFile::open(input)?;
        let header = csv.first.clone();
        self.read_rows(file, csv, &header, out, |_| None)
    }

    fn merge_group(&mut self, members: &mut [GroupMember], _: &mut [RowCounts]) {
        (self.merge_group)(members);
    }
}

/// A source with several formats. All groups are merged by the `merge_group` of the first format.
impl SourceReader for &'static [&'static CsvFormat] {
    fn read(&mut self, file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
        let csv = CsvFile::open(input)?;
        let header = csv.first.clone();
        match format_of(self, &header) {
            Some(format) => format.read_rows(file, csv, &header, out, |_| None),
            None => Err(ReadError::damaged(1, "the file's columns are unknown")),
        }
    }

    fn merge_group(&mut self, members: &mut [GroupMember], _: &mut [RowCounts]) {
        let first = self.first().expect("a source has at least one format");
        (first.merge_group)(members);
    }
}
