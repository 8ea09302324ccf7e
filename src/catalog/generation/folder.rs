//! The generations in a folder of this machine: how one is verified and opened, and how one is put in service.

use std::{path::Path, sync::Arc};

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;

use super::{
    checksums::verify,
    content_check::ContentCheck,
    derived::{DerivedData, parse_list},
    layout::{
        BIDS, BODIES, CALIBRATION, COMMODITIES, FIRST_SEEN, MEANINGS, NEWEST_STATUSES, REMEDY, SUPPLIERS,
        SUPPLIERS_FOUND_BY, TENDER_VALUES, list, lock, read_json, set_current,
    },
    manifest::Manifest,
    meanings::Meanings,
    opened::Generation,
    receipt::Receipt,
};
use crate::{
    catalog::suppliers::{Party, SupplierList},
    engine::tantivy::{TantivyEngine, map_bytes},
};

/// Opens and verifies a generation: its manifest, its schemas, the size and checksum of every file.
///
/// Files that no program has written to since their checksums were right are not read again; a thread does that while
/// the generation is in use.
pub fn open(index_dir: &Path, id: &str) -> anyhow::Result<Generation> {
    let folder = index_dir.join(id);
    let files = Manifest::read(&folder)?.files;
    let receipt = Receipt::of(&folder, &files).ok();
    if receipt.as_ref().is_some_and(|receipt| receipt.is_stored_in(&folder)) {
        let mut generation = open_unverified(&folder, id)?;
        generation.content_check = ContentCheck::start(&folder, &files);
        return Ok(generation);
    }
    verify(&folder, &files)?;
    if let Some(receipt) = receipt {
        receipt.store(&folder);
    }
    open_unverified(&folder, id)
}

/// Opens a generation without checking its files' checksums.
pub(crate) fn open_unverified(folder: &Path, id: &str) -> anyhow::Result<Generation> {
    let manifest = Manifest::read(folder)?;
    manifest.check_schemas(id)?;
    let engine = TantivyEngine::open(folder, |entity_type| manifest.records(entity_type)).context(REMEDY)?;
    let derived = DerivedData {
        newest_statuses: read_json(&folder.join(NEWEST_STATUSES), "list of the newest statuses")?,
        calibration: read_json(&folder.join(CALIBRATION), "calibration")?,
        first_seen: read_json(&folder.join(FIRST_SEEN), "list of first-seen times")?,
        tender_values: read_if_listed(folder, &manifest, TENDER_VALUES, "list of values of tenders")?,
        commodities: read_if_listed(folder, &manifest, COMMODITIES, "list of commodity codes")?.unwrap_or_default(),
        bids: read_if_listed(folder, &manifest, BIDS, "list of bids")?.unwrap_or_default(),
        meanings: meanings(folder, &manifest)?,
        suppliers: names_of(Party::Supplier, folder, &manifest)?,
        bodies: names_of(Party::Body, folder, &manifest)?,
    };
    Generation::new(id, manifest, Arc::new(engine), derived)
}

/// A JSON file that generations of older programs do not have.
fn read_if_listed<T: DeserializeOwned>(
    folder: &Path,
    manifest: &Manifest,
    name: &str,
    what: &str,
) -> anyhow::Result<Option<T>> {
    let is_listed = manifest.lists(name);
    is_listed.then(|| read_json(&folder.join(name), what)).transpose()
}

/// Which names are one supplier, or one body. A generation of an older program does not state it.
fn names_of(party: Party, folder: &Path, manifest: &Manifest) -> anyhow::Result<SupplierList> {
    let map = |name: &str| {
        if !manifest.lists(name) {
            return Ok(None);
        }
        let mapped = map_bytes(&folder.join(name)).with_context(|| format!("reading the list of {}", party.plural()));
        mapped.map(Some).context(REMEDY)
    };
    let (lines, found_by) = match party {
        Party::Supplier => (map(SUPPLIERS)?, map(SUPPLIERS_FOUND_BY)?),
        // There are only some thousands, so their list is parsed.
        Party::Body => (map(BODIES)?, None),
    };
    match (lines, found_by) {
        (Some(text), Some(found_by)) => {
            let list = SupplierList::open(party, text, &found_by);
            list.with_context(|| format!("{SUPPLIERS_FOUND_BY} does not belong to {SUPPLIERS}: {REMEDY}"))
        }
        (text, _) => parse_list(party, text.unwrap_or_default()),
    }
}

/// What typed words may mean. A generation of an older program has none.
fn meanings(folder: &Path, manifest: &Manifest) -> anyhow::Result<Option<Meanings>> {
    if !manifest.lists(MEANINGS) {
        return Ok(None);
    }
    let mapped = map_bytes(&folder.join(MEANINGS)).with_context(|| format!("reading {MEANINGS}: {REMEDY}"))?;
    let read = Meanings::from_bytes(&mapped);
    read.map(Some)
        .with_context(|| format!("the parts of {MEANINGS} do not belong together: {REMEDY}"))
}

/// Puts a generation in service after checking that it opens. Refused while a build is in progress.
pub fn switch_to(index_dir: &Path, id: &str) -> anyhow::Result<()> {
    let known = list(index_dir)?;
    ensure!(
        known.iter().any(|known| known == id),
        "no generation {id} in {}; there are: {}",
        index_dir.display(),
        known.join(", ")
    );
    let _lock = lock(index_dir)?;
    open(index_dir, id)?;
    set_current(index_dir, id)
}
