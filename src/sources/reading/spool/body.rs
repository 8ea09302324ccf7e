//! The binary form of a row output or an annotation in the spool.

use anyhow::{Context, Result};

use super::entry::SpoolEntry;
use crate::model::{EntityType, bids::NoticeBids};
use crate::sources::reading::{
    bytes::{self, ByteReader},
    fields::Fields,
    row_output::{DraftRecord, GroupMember, RowBids},
};

/// Appends a body. `annotation` is JSON; empty for a row output.
pub(crate) fn write_body(
    out: &mut Vec<u8>,
    key: &str,
    records: &[DraftRecord],
    annotation: &str,
    bids: Option<&NoticeBids>,
) -> Result<()> {
    bytes::put_text(out, key)?;
    bytes::put_text(out, annotation)?;
    match bids {
        Some(bids) => bytes::put_text(out, &serde_json::to_string(bids)?)?,
        None => bytes::put_text(out, "")?,
    }
    bytes::put_length(out, records.len())?;
    for record in records {
        out.push(record.entity_type as u8);
        record.fields.write(out)?;
    }
    Ok(())
}

pub(crate) fn read_body(entry: &SpoolEntry, body: &[u8]) -> Result<GroupMember> {
    let mut body = ByteReader(body);
    let key = body.text()?.to_owned();
    let annotation = body.text()?;
    let annotation = if annotation.is_empty() {
        None
    } else {
        Some(serde_json::from_str(annotation)?)
    };
    let bids = match body.text()? {
        "" => None,
        bids => Some(RowBids {
            notice: serde_json::from_str(bids)?,
            file: entry.file as usize,
            line: entry.line.into(),
        }),
    };
    let mut records = Vec::new();
    for _ in 0..body.length()? {
        let [number] = body.take()?;
        let entity_type = EntityType::ALL
            .get(usize::from(number))
            .context("an unknown entity type")?;
        records.push(DraftRecord {
            entity_type: *entity_type,
            fields: Fields::read(&mut body)?,
        });
    }
    Ok(GroupMember {
        key,
        recency: entry.recency,
        records,
        bids,
        annotation,
        skipped: None,
        file: entry.file as usize,
        line: entry.line.into(),
    })
}
