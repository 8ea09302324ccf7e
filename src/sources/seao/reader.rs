//! The reader of both eras of SEAO.

use std::io::Read;

use crate::sources::{
    reading::{FileInfo, GroupMember, ReadError, RowCounts, RowSink, SourceReader, Utf8Reader, merging},
    seao::{after_award, common::SEAO_OCDS, merge::merge_notice, ocds, xml},
};

pub(crate) struct SeaoReader;

impl SourceReader for SeaoReader {
    fn read(
        &mut self,
        file: &FileInfo,
        mut input: Utf8Reader<&mut dyn Read>,
        out: &mut RowSink,
    ) -> Result<(), ReadError> {
        let is_xml = input.peek().is_ok_and(|start| start.trim_start().starts_with('<'));
        if is_xml {
            xml::read(file, input, out)
        } else {
            ocds::read(file, input, out)
        }
    }

    fn merge_group(&mut self, members: &mut [GroupMember], file_counts: &mut [RowCounts]) {
        // Annotations first; both parts stay sorted oldest first.
        members.sort_by_key(|member| member.annotation.is_none());
        let annotations = members.partition_point(|member| member.annotation.is_some());
        let (annotations, notices) = members.split_at_mut(annotations);
        let Some((notice, older)) = notices.split_last_mut() else {
            return after_award::skip_all(annotations);
        };
        for other in older.iter() {
            let note = "an older state of a notice that the other era also publishes, merged into one record";
            file_counts[other.file].note(other.line, note);
            merge_notice(notice, other);
        }
        // Only releases state final amounts.
        let released = if notice.key == SEAO_OCDS {
            Some(notice.recency)
        } else {
            None
        };
        if let Some((_, contracts)) = notice.records.split_first_mut() {
            after_award::apply(annotations, released, contracts);
        }
        merging::keep_newest(notices);
    }
}
