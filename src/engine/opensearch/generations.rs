//! The generations of a cluster: which there are, which is in service, their files, and the switch
//! to another one.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::{
    build_lock::BuildLock,
    build_totals::RecordSummary,
    catalog_index::{self, GenerationEntry},
    client::Client,
    cluster_error::ClusterError,
    cluster_indexes::{self, ClusterIndex},
    mapping::{self, index_name},
    names_file::{Names, names_file},
    query::CompiledQuery,
    recovery_source,
    searcher::total,
    settings::ClusterSettings,
};
use crate::{engine::deadline::Deadline, model::EntityType};

/// What the engine must know of a generation before it can search it.
pub(crate) struct ClusterGeneration {
    prefix: String,
    entry: GenerationEntry,
    /// By entity type.
    pub(crate) names: Vec<Names>,
}

impl ClusterGeneration {
    /// The name of the index of an entity type.
    pub(crate) fn index(&self, entity_type: EntityType) -> String {
        index_name(&self.prefix, entity_type, &self.entry.generation)
    }

    pub(crate) fn summary(&self, entity_type: EntityType) -> RecordSummary {
        self.entry.summary(entity_type)
    }
}

/// The id of the generation in service; `None` if there is none.
pub(crate) fn in_service(client: &Client, deadline: &Deadline) -> anyhow::Result<Option<String>> {
    cluster_indexes::in_service(&client.prefix, &cluster_indexes::list(client, deadline)?)
}

/// The ids of the complete generations, oldest first.
pub(crate) fn list(client: &Client, deadline: &Deadline) -> anyhow::Result<Vec<String>> {
    complete(client, &cluster_indexes::list(client, deadline)?, deadline)
}

/// The ids of the generations that have all their indexes and a complete entry, oldest first.
pub(crate) fn complete(client: &Client, indexes: &[ClusterIndex], deadline: &Deadline) -> anyhow::Result<Vec<String>> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for index in indexes {
        *counts.entry(&index.generation).or_default() += 1;
    }
    let all = EntityType::ALL.len();
    let whole = counts.into_iter().filter(|(_, count)| *count == all);
    let ids: Vec<String> = whole.map(|(generation, _)| generation.clone()).collect();
    let entries = catalog_index::entries(client, &ids, deadline)?;
    let complete = entries.into_iter().flatten().filter(|entry| entry.is_complete);
    Ok(complete.map(|entry| entry.generation).collect())
}

/// A file of a generation, complete or not; `None` if it has no such file.
pub(crate) fn file(
    client: &Client,
    generation: &str,
    name: &str,
    deadline: &Deadline,
) -> anyhow::Result<Option<Vec<u8>>> {
    match find_entry(client, generation, deadline)? {
        Some(entry) => entry.read_file(client, name, deadline),
        None => Ok(None),
    }
}

/// Puts a complete generation in service. Refused while a build is in progress.
pub(crate) fn switch_to(
    client: &Arc<Client>,
    settings: &ClusterSettings,
    generation: &str,
    deadline: &Deadline,
) -> anyhow::Result<()> {
    let lock = BuildLock::acquire(client, settings)?;
    lock.check()?;
    cluster_indexes::switch_aliases(client, generation, deadline)?;
    Ok(())
}

/// Reads what the engine needs of a generation, in service or not. Fails if an index is missing, if
/// somebody has changed its mapping, or if it has another number of documents than it was built
/// with.
pub(crate) fn read(client: &Client, generation: &str, deadline: &Deadline) -> anyhow::Result<ClusterGeneration> {
    let entry = find_entry(client, generation, deadline)?.with_context(|| {
        format!("the catalog does not know generation {generation}, or another version of this program has built it")
    })?;
    check_mappings(client, generation, deadline)?;
    check_counts(client, &entry, deadline)?;
    let names = EntityType::ALL.into_iter().map(|entity_type| {
        let name = names_file(entity_type);
        let reading = || format!("reading {name} of generation {generation}");
        let content = entry.read_file(client, &name, deadline).with_context(reading)?;
        let content = content.with_context(|| format!("generation {generation} has no {name}"))?;
        serde_json::from_slice(&content).with_context(reading)
    });
    Ok(ClusterGeneration {
        names: names.collect::<anyhow::Result<_>>()?,
        prefix: client.prefix.clone(),
        entry,
    })
}

fn find_entry(client: &Client, generation: &str, deadline: &Deadline) -> anyhow::Result<Option<GenerationEntry>> {
    let found = catalog_index::entries(client, &[generation.to_owned()], deadline)?;
    Ok(found.into_iter().flatten().next())
}

/// Fails if an index has another mapping or order than this program gives it.
fn check_mappings(client: &Client, generation: &str, deadline: &Deadline) -> anyhow::Result<()> {
    #[derive(Deserialize)]
    struct Described {
        mappings: Value,
        settings: Value,
    }
    let name_of = |entity_type: EntityType| index_name(&client.prefix, entity_type, generation);
    let path = format!("/{}", EntityType::ALL.map(name_of).join(","));
    let found: BTreeMap<String, Described> = match client.get(&path, deadline) {
        Err(ClusterError::NotFound(why)) => bail!("an index is missing: {why}"),
        found => found?,
    };
    for entity_type in EntityType::ALL {
        let name = name_of(entity_type);
        let described = found
            .get(&name)
            .with_context(|| format!("the index {name} is missing"))?;
        ensure!(
            without_defaults(&described.mappings) == without_defaults(&mapping::of(entity_type)),
            "somebody has changed the mapping of {name}, so answers could be wrong"
        );
        for (setting, expected) in mapping::fixed_settings() {
            let pointer = format!("/index/{}", setting.replace('.', "/"));
            ensure!(
                described.settings.pointer(&pointer) == Some(&expected),
                "somebody has changed the setting {setting} of {name}, so answers could be wrong"
            );
        }
    }
    Ok(())
}

/// A mapping without members that some versions of the cluster return and others do not.
fn without_defaults(mapping: &Value) -> Value {
    let mut mapping = mapping.clone();
    recovery_source::forget(&mut mapping);
    let fields = mapping.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(|fields| fields.values_mut()) {
        if let Some(field) = field.as_object_mut() {
            field.retain(|name, value| !(name == "doc_values" && *value == true));
        }
    }
    mapping
}

/// Fails if an index has another number of documents than the catalog states.
fn check_counts(client: &Client, entry: &GenerationEntry, deadline: &Deadline) -> anyhow::Result<()> {
    let name_of = |entity_type: EntityType| index_name(&client.prefix, entity_type, &entry.generation);
    let known = EntityType::ALL.map(|entity_type| (name_of(entity_type), entry.summary(entity_type).records));
    let count = CompiledQuery::default().count();
    let searches = known.each_ref().map(|(name, _)| (name.as_str(), count.clone()));
    let counts = client.multi_search(&searches, deadline)?;
    for ((name, expected), response) in known.iter().zip(counts) {
        let found = total(&response)?;
        ensure!(
            found == *expected,
            "{name} has {found} documents, but the catalog says {expected}"
        );
    }
    Ok(())
}
