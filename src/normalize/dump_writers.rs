//! Writes the dumps of a run: one compact JSON object per line, fields in the order of the schema,
//! never null.
//!
//! Each dump has the suffix `.tmp` until [`DumpWriters::publish`] renames it. That also removes the
//! dumps that a source no longer has records for. A run that ends early leaves no temporary files.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use super::report::{BuyersOfUnknownCity, Presence, Shortfall};
use crate::{
    model::{EntityType, Schema, bids::NoticeBids, municipality},
    sources::{
        reading::{DraftRecord, Fields},
        registry::SourceFormat,
    },
    storage::{
        dump::{self, MAX_RECORD_BYTES},
        durable_file::{self, DurableFile},
    },
};

/// What the dumps contain, field by field.
#[derive(Debug, Default)]
pub(crate) struct DumpContents {
    pub(crate) presence: Presence,
    pub(crate) shortfalls: Vec<Shortfall>,
    pub(crate) buyers_of_unknown_city: BuyersOfUnknownCity,
}

/// A field that records always have by the specification is reported if fewer than this share of a
/// source's records have it.
const ALWAYS_PRESENT: f64 = 0.99;

pub(crate) struct DumpWriters {
    out: PathBuf,
    open: BTreeMap<(EntityType, &'static str), OpenDump>,
    /// The paths of all dumps of this run's sources, and whether the run has records for them.
    targets: Vec<(PathBuf, bool)>,
    /// The dumps of bids, by source.
    bids: BTreeMap<&'static str, DurableFile>,
    /// The dumps that have all their records.
    finished: Vec<FinishedDump>,
    buyers_of_unknown_city: BuyersOfUnknownCity,
}

/// A dump that is on the disk under its temporary name.
pub(crate) struct FinishedDump {
    pub(crate) entity_type: EntityType,
    pub(crate) source_id: &'static str,
    pub(crate) temporary: PathBuf,
    /// Where to write it again, before it replaces the temporary one.
    pub(crate) rewritten: PathBuf,
    pub(crate) records: u64,
    /// Number of records that have the field, by field index.
    pub(crate) present: Vec<u64>,
}

struct OpenDump {
    file: DurableFile,
    records: u64,
    /// Number of records that have the field, by field index.
    present: Vec<u64>,
}

impl DumpWriters {
    pub(crate) fn new(out: &Path) -> DumpWriters {
        DumpWriters {
            out: out.to_owned(),
            open: BTreeMap::new(),
            targets: Vec::new(),
            bids: BTreeMap::new(),
            finished: Vec::new(),
            buyers_of_unknown_city: BuyersOfUnknownCity::new(),
        }
    }

    pub(crate) fn append(&mut self, lines: DumpLines) -> Result<()> {
        for ((entity_type, source_id), part) in lines.parts {
            let dump = match self.open.entry((entity_type, source_id)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(first) => {
                    let path = dump_path(&self.out, entity_type, source_id);
                    let dump = first.insert(OpenDump::create(&temporary_path(&path), part.present.len())?);
                    self.targets.push((path, true));
                    dump
                }
            };
            dump.file
                .append(&part.bytes)
                .context("writing a dump (is the disk full?)")?;
            dump.records += part.records;
            for (present, more) in dump.present.iter_mut().zip(part.present) {
                *present += more;
            }
        }
        for (source_id, bytes) in lines.bids {
            let file = match self.bids.entry(source_id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(first) => {
                    let path = dump::bids_path(&self.out, source_id);
                    self.targets.push((path.clone(), true));
                    first.insert(create_in_folder(&temporary_path(&path))?)
                }
            };
            file.append(&bytes).context("writing a dump (is the disk full?)")?;
        }
        for (buyer, records) in lines.buyers_of_unknown_city {
            *self.buyers_of_unknown_city.entry(buyer).or_default() += records;
        }
        Ok(())
    }

    /// Finishes the dumps of a source. Call it only for sources that had a row output: the others
    /// had only damaged files, and their former dumps are better than none.
    pub(crate) fn close(&mut self, source: &SourceFormat) -> Result<()> {
        match self.bids.remove(source.id) {
            Some(file) => file.finish().context("writing a dump (is the disk full?)")?,
            None => self.targets.push((dump::bids_path(&self.out, source.id), false)),
        }
        for entity_type in source.yields.iter().copied() {
            let Some(dump) = self.open.remove(&(entity_type, source.id)) else {
                self.targets.push((dump_path(&self.out, entity_type, source.id), false));
                continue;
            };
            // The dump must be on disk before it replaces the former one.
            dump.file.finish().context("writing a dump (is the disk full?)")?;
            let path = dump_path(&self.out, entity_type, source.id);
            self.finished.push(FinishedDump {
                entity_type,
                source_id: source.id,
                temporary: temporary_path(&path),
                rewritten: rewritten_path(&path),
                records: dump.records,
                present: dump.present,
            });
        }
        Ok(())
    }

    /// The dumps that were closed.
    pub(crate) fn finished(&mut self) -> &mut [FinishedDump] {
        &mut self.finished
    }

    /// Renames all dumps to their final names, and writes the other files of the run next to them.
    pub(crate) fn publish(mut self, files: Vec<(&'static str, Vec<u8>)>) -> Result<DumpContents> {
        for (name, content) in files {
            // It is written under another name first: a run that is killed leaves the former one.
            let path = self.out.join(name);
            let new = temporary_path(&path);
            durable_file::write(&new, &content)
                .and_then(|()| durable_file::rename(&new, &path))
                .with_context(|| format!("writing {}", path.display()))?;
        }
        for (path, has_records) in std::mem::take(&mut self.targets) {
            if has_records {
                durable_file::rename(&temporary_path(&path), &path)
                    .with_context(|| format!("writing {}", path.display()))?;
            } else if path.exists() {
                fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
            }
        }
        let mut contents = DumpContents {
            buyers_of_unknown_city: std::mem::take(&mut self.buyers_of_unknown_city),
            ..DumpContents::default()
        };
        for dump in &self.finished {
            contents.add(dump);
        }
        Ok(contents)
    }
}

impl DumpContents {
    fn add(&mut self, dump: &FinishedDump) {
        let FinishedDump {
            entity_type, source_id, ..
        } = *dump;
        let schema = Schema::of(entity_type);
        let share = |field: usize| dump.present[field] as f64 / dump.records as f64;
        let present = (0..schema.fields.len()).filter(|field| dump.present[*field] > 0);
        let shares = present.map(|field| (schema.fields[field].name.clone(), rounded(share(field)).into()));
        let name = format!("{entity_type}/{source_id}");
        self.presence.insert(name, shares.collect());
        let missing = schema
            .always_present
            .iter()
            .filter(|field| share(**field) < ALWAYS_PRESENT);
        self.shortfalls.extend(missing.map(|field| Shortfall {
            entity_type,
            source_id,
            field: schema.fields[*field].name.clone(),
            presence: rounded(share(*field)),
        }));
    }
}

impl Drop for DumpWriters {
    fn drop(&mut self) {
        for (path, has_records) in &self.targets {
            if *has_records {
                // The next run overwrites a file that cannot be removed.
                let _ = fs::remove_file(temporary_path(path));
                let _ = fs::remove_file(rewritten_path(path));
            }
        }
    }
}

/// A share to four decimals.
fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

fn dump_path(out: &Path, entity_type: EntityType, source_id: &str) -> PathBuf {
    out.join(entity_type.name()).join(format!("{source_id}.ndjson"))
}

fn temporary_path(path: &Path) -> PathBuf {
    path.with_extension("ndjson.tmp")
}

fn rewritten_path(path: &Path) -> PathBuf {
    path.with_extension("rewritten.tmp")
}

impl OpenDump {
    fn create(path: &Path, fields: usize) -> Result<OpenDump> {
        Ok(OpenDump {
            file: create_in_folder(path)?,
            records: 0,
            present: vec![0; fields],
        })
    }
}

/// Creates a file, and its folder.
fn create_in_folder(path: &Path) -> Result<DurableFile> {
    let creating = || format!("creating {}", path.display());
    let folder = path.parent().expect("a dump is in a folder");
    fs::create_dir_all(folder).with_context(creating)?;
    DurableFile::create(path).with_context(creating)
}

/// Lines of any number of dumps. Each core makes its own.
#[derive(Default)]
pub(crate) struct DumpLines {
    parts: BTreeMap<(EntityType, &'static str), DumpPart>,
    /// Lines of the dumps of bids, by source.
    bids: BTreeMap<&'static str, Vec<u8>>,
    buyers_of_unknown_city: BuyersOfUnknownCity,
}

struct DumpPart {
    bytes: Vec<u8>,
    records: u64,
    /// Number of records that have the field, by field index.
    present: Vec<u64>,
    /// The position of each field of the schema in the record that is being written.
    positions: Vec<Option<usize>>,
}

impl DumpLines {
    /// Adds the bids of a notice and returns true, unless their line is longer than [`MAX_RECORD_BYTES`].
    pub(crate) fn push_bids(&mut self, source_id: &'static str, notice: &NoticeBids) -> Result<bool> {
        let line = serde_json::to_vec(notice)?;
        if line.len() > MAX_RECORD_BYTES {
            return Ok(false);
        }
        let bytes = self.bids.entry(source_id).or_default();
        bytes.extend_from_slice(&line);
        bytes.push(b'\n');
        Ok(true)
    }

    /// Adds the record and returns true, unless it is longer than [`MAX_RECORD_BYTES`].
    pub(crate) fn push(&mut self, source_id: &'static str, record: &DraftRecord) -> Result<bool> {
        let schema = Schema::of(record.entity_type);
        let part = self
            .parts
            .entry((record.entity_type, source_id))
            .or_insert_with(|| DumpPart {
                bytes: Vec::new(),
                records: 0,
                present: vec![0; schema.fields.len()],
                positions: vec![None; schema.fields.len()],
            });
        if !part.push(schema, &record.fields)? {
            return Ok(false);
        }
        if record.text("municipality").is_some_and(municipality::is_unknown_city) {
            let buyer = record.text("buyer_name").unwrap_or("(no name)");
            *self.buyers_of_unknown_city.entry(buyer.to_owned()).or_default() += 1;
        }
        Ok(true)
    }
}

impl DumpPart {
    fn push(&mut self, schema: &Schema, fields: &Fields) -> Result<bool> {
        let start = self.bytes.len();
        self.positions.fill(None);
        for (position, name) in fields.names().enumerate() {
            let Some(field) = name.field_of(schema.entity_type) else {
                bail!(
                    "index-schema/{}.json does not declare {}; add it there",
                    schema.entity_type,
                    name.text()
                );
            };
            self.positions[field] = Some(position);
        }
        let mut separator = b'{';
        for (field, position) in self.positions.iter().enumerate() {
            let Some(value) = position.and_then(|position| fields.at(position)) else {
                continue;
            };
            self.bytes.push(separator);
            separator = b',';
            // A declared name has no character that JSON escapes.
            self.bytes.push(b'"');
            self.bytes.extend_from_slice(schema.fields[field].name.as_bytes());
            self.bytes.extend_from_slice(b"\":");
            value.write_json(&mut self.bytes)?;
        }
        self.bytes.push(b'}');
        if self.bytes.len() - start > MAX_RECORD_BYTES {
            self.bytes.truncate(start);
            return Ok(false);
        }
        self.bytes.push(b'\n');
        for (present, position) in self.present.iter_mut().zip(&self.positions) {
            *present += u64::from(position.is_some());
        }
        self.records += 1;
        Ok(true)
    }
}
