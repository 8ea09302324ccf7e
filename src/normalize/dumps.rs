//! The dumps of a run: one compact JSON object a line, fields in the schema's order, never null.
//!
//! Each dump is written as `.tmp` beside its place and renamed by [`Dumps::publish`], which also removes the dumps
//! that a source no longer fills. A run that ends early leaves no trace.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use crate::{
    model::{entity_type::EntityType, municipality, schema::Schema},
    sources::{
        Source,
        reading::{fields::Fields, intake::Record},
    },
};
use crate::{normalize::report::Shortfall, storage::durable_file::Durable};

/// By `<entity_type>/<source_id>`: each field and the share of records that have it.
pub type Presence = BTreeMap<String, Map<String, Value>>;
/// Municipal buyers whose city cannot be told, and how many records each has.
pub type UntoldBuyers = BTreeMap<String, u64>;

/// What the dumps hold, field by field.
#[derive(Debug, Default)]
pub struct Published {
    pub presence: Presence,
    pub shortfalls: Vec<Shortfall>,
    pub untold_buyers: UntoldBuyers,
}

/// The share of a source's records below which a field that the specification always has is told to be missing.
const ALWAYS: f64 = 0.99;

pub struct Dumps {
    out: PathBuf,
    open: BTreeMap<(EntityType, &'static str), Dump>,
    /// Places to fill on publishing, and whether there is anything to fill them with.
    places: Vec<(PathBuf, bool)>,
    published: Published,
}

struct Dump {
    file: Durable,
    records: u64,
    /// By field number: the records that have the field.
    present: Vec<u64>,
}

impl Dumps {
    pub fn new(out: &Path) -> Dumps {
        Dumps {
            out: out.to_owned(),
            open: BTreeMap::new(),
            places: Vec::new(),
            published: Published::default(),
        }
    }

    /// Writes lines behind those that are there.
    pub fn append(&mut self, lines: Lines) -> Result<()> {
        for ((entity_type, source_id), part) in lines.parts {
            let dump = match self.open.entry((entity_type, source_id)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(first) => {
                    let place = place(&self.out, entity_type, source_id);
                    let dump = first.insert(Dump::create(&aside(&place), part.present.len())?);
                    self.places.push((place, true));
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
        for (buyer, records) in lines.untold_buyers {
            *self.published.untold_buyers.entry(buyer).or_default() += records;
        }
        Ok(())
    }

    /// Ends the dumps of one source that told of something; one that did not has met only damaged files, and its former
    /// dumps are better than none.
    pub fn close(&mut self, source: &Source) -> Result<()> {
        for entity_type in source.yields.iter().copied() {
            let Some(dump) = self.open.remove(&(entity_type, source.id)) else {
                self.places.push((place(&self.out, entity_type, source.id), false));
                continue;
            };
            // Renamed over a good dump, it must be whole.
            dump.file.finish().context("writing a dump (is the disk full?)")?;
            let schema = Schema::of(entity_type);
            let share = |number: usize| dump.present[number] as f64 / dump.records as f64;
            let present = (0..schema.fields.len()).filter(|number| dump.present[*number] > 0);
            let shares = present.map(|number| (schema.fields[number].name.clone(), rounded(share(number)).into()));
            let missing = schema.always.iter().filter(|number| share(**number) < ALWAYS);
            self.published.shortfalls.extend(missing.map(|number| Shortfall {
                entity_type,
                source_id: source.id,
                field: schema.fields[*number].name.clone(),
                presence: rounded(share(*number)),
            }));
            let name = format!("{entity_type}/{}", source.id);
            self.published.presence.insert(name, shares.collect());
        }
        Ok(())
    }

    /// Puts every dump in its place.
    pub fn publish(mut self) -> Result<Published> {
        for (place, filled) in std::mem::take(&mut self.places) {
            if filled {
                fs::rename(aside(&place), &place).with_context(|| format!("writing {}", place.display()))?;
            } else if place.exists() {
                fs::remove_file(&place).with_context(|| format!("removing {}", place.display()))?;
            }
        }
        Ok(std::mem::take(&mut self.published))
    }
}

impl Drop for Dumps {
    fn drop(&mut self) {
        for (place, _) in self.places.iter().filter(|(_, filled)| *filled) {
            // What cannot be removed is overwritten by the next run.
            let _ = fs::remove_file(aside(place));
        }
    }
}

fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

fn place(out: &Path, entity_type: EntityType, source_id: &str) -> PathBuf {
    out.join(entity_type.name()).join(format!("{source_id}.ndjson"))
}

fn aside(place: &Path) -> PathBuf {
    place.with_extension("ndjson.tmp")
}

impl Dump {
    fn create(path: &Path, fields: usize) -> Result<Dump> {
        let creating = || format!("creating {}", path.display());
        fs::create_dir_all(path.parent().unwrap_or(path)).with_context(creating)?;
        Ok(Dump {
            file: Durable::create(path).with_context(creating)?,
            records: 0,
            present: vec![0; fields],
        })
    }
}

/// Some lines of any dumps, made on one core while others make others.
#[derive(Default)]
pub struct Lines {
    parts: BTreeMap<(EntityType, &'static str), Part>,
    untold_buyers: UntoldBuyers,
}

struct Part {
    bytes: Vec<u8>,
    records: u64,
    /// By field number: the records that have the field.
    present: Vec<u64>,
    /// By field number: which of a record's fields that is.
    order: Vec<Option<usize>>,
}

impl Lines {
    pub fn push(&mut self, source_id: &'static str, record: &Record) -> Result<()> {
        let schema = Schema::of(record.entity_type);
        let part = self
            .parts
            .entry((record.entity_type, source_id))
            .or_insert_with(|| Part {
                bytes: Vec::new(),
                records: 0,
                present: vec![0; schema.fields.len()],
                order: vec![None; schema.fields.len()],
            });
        part.push(schema, &record.fields)?;
        if record.text("municipality").is_some_and(municipality::is_untold) {
            let buyer = record.text("buyer_name").unwrap_or("(no name)");
            *self.untold_buyers.entry(buyer.to_owned()).or_default() += 1;
        }
        Ok(())
    }
}

impl Part {
    fn push(&mut self, schema: &Schema, fields: &Fields) -> Result<()> {
        self.order.fill(None);
        for (at, name) in fields.names().enumerate() {
            let Some(number) = name.field_of(schema.entity_type) else {
                bail!(
                    "index-schema/{}.json does not declare {}; add it there",
                    schema.entity_type,
                    name.text()
                );
            };
            self.order[number] = Some(at);
        }
        let mut before = b'{';
        for (number, at) in self.order.iter().enumerate() {
            let Some(value) = at.and_then(|at| fields.at(at)) else {
                continue;
            };
            self.bytes.push(before);
            before = b',';
            // A declared name has nothing to escape.
            self.bytes.push(b'"');
            self.bytes.extend_from_slice(schema.fields[number].name.as_bytes());
            self.bytes.extend_from_slice(b"\":");
            value.write_json(&mut self.bytes)?;
            self.present[number] += 1;
        }
        self.bytes.extend_from_slice(b"}\n");
        self.records += 1;
        Ok(())
    }
}
