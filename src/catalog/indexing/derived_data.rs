//! What is computed from the finished index before it is published: the calibration of estimates, and when recent
//! tenders were first indexed.

use anyhow::{Context, anyhow};

use crate::{
    catalog::{
        generation::{Build, EntityTypeManifest, FirstSeen, recent_tender_ids},
        market::holdout::calibrate,
    },
    engine::tantivy::TantivyEngine,
    model::{date::Date, entity_type::EntityType},
};

pub fn write_derived_data(build: &Build, kinds: &[EntityTypeManifest]) -> anyhow::Result<()> {
    let records = |entity_type: EntityType| kinds[entity_type as usize].records;
    let engine = TantivyEngine::open(&build.folder(), records).context("opening the index just built")?;
    let calibration = calibrate(&engine, records).context("estimating contracts of the index just built")?;
    build.write_calibration(&calibration)?;
    let now = chrono::Utc::now();
    let recent = recent_tender_ids(&engine, Date::in_toronto(now))
        .map_err(|error| anyhow!("reading the tenders of the index just built: {error}"))?;
    build.write_first_seen(&FirstSeen::after(build.previous_first_seen(), recent, now))
}
