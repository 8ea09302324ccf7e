//! The generations of a cluster: which there are, which is in service, their files, and the switch
//! to another one.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    build_lock::BuildLock,
    build_totals::RecordSummary,
    catalog_index::{self, GenerationEntry},
    client::Client,
    cluster_error::ClusterError,
    cluster_indexes::{self, ClusterIndex},
    facet_codes::{self, FacetTable},
    mapping::IndexKind,
    recovery_source,
    response::Total,
    settings::ClusterSettings,
};
use crate::{engine::deadline::Deadline, model::EntityType};

/// What the engine must know of a generation before it can search it.
pub(crate) struct ClusterGeneration {
    pub(crate) id: String,
    prefix: String,
    entry: GenerationEntry,
    /// The facets of each entity type, except vendors.
    pub(crate) facets: Vec<(EntityType, Vec<FacetTable>)>,
}

impl ClusterGeneration {
    pub(crate) fn index(&self, kind: IndexKind) -> String {
        kind.index(&self.prefix, &self.id)
    }

    pub(crate) fn summary(&self, entity_type: EntityType) -> RecordSummary {
        self.entry.summary(entity_type)
    }
}

/// The name of the file with the facets of an entity type.
pub(crate) fn facets_file(entity_type: EntityType) -> String {
    format!("facets.{entity_type}.json")
}

/// The id of the generation in service; `None` if there is none.
pub(crate) fn in_service(client: &Client, prefix: &str, deadline: &Deadline) -> anyhow::Result<Option<String>> {
    let indexes = cluster_indexes::list(client, prefix, deadline)?;
    cluster_indexes::in_service(prefix, &indexes)
}

/// The ids of the complete generations, oldest first.
pub(crate) fn list(client: &Client, prefix: &str, deadline: &Deadline) -> anyhow::Result<Vec<String>> {
    let indexes = cluster_indexes::list(client, prefix, deadline)?;
    complete(client, prefix, &indexes, deadline)
}

/// The ids of the generations that have all their indexes and a complete entry, oldest first.
pub(crate) fn complete(
    client: &Client,
    prefix: &str,
    indexes: &[ClusterIndex],
    deadline: &Deadline,
) -> anyhow::Result<Vec<String>> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for index in indexes {
        *counts.entry(&index.generation).or_default() += 1;
    }
    let all = IndexKind::all().count();
    let whole = counts.into_iter().filter(|(_, count)| *count == all);
    let ids: Vec<String> = whole.map(|(generation, _)| generation.clone()).collect();
    let entries = catalog_index::entries(client, prefix, &ids, deadline)?;
    let is_complete = |entry: &Option<GenerationEntry>| entry.as_ref().is_some_and(|entry| entry.is_complete);
    let complete = ids.into_iter().zip(entries).filter(|(_, entry)| is_complete(entry));
    Ok(complete.map(|(id, _)| id).collect())
}

/// A file of a generation, complete or not; `None` if it has no such file.
pub(crate) fn file(
    client: &Client,
    prefix: &str,
    generation: &str,
    name: &str,
    deadline: &Deadline,
) -> anyhow::Result<Option<Vec<u8>>> {
    match find_entry(client, prefix, generation, deadline)? {
        Some(entry) => entry.read_file(client, prefix, name, deadline),
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
    let known = list(client, &settings.prefix, deadline)?;
    ensure!(
        known.iter().any(|known| known == generation),
        "no generation {generation} on the cluster; there are: {}",
        known.join(", ")
    );
    let lock = BuildLock::acquire(client, settings)?;
    lock.check()?;
    cluster_indexes::switch_aliases(client, &settings.prefix, generation, deadline)?;
    Ok(())
}

/// Reads what the engine needs of a generation, in service or not. Fails if an index is missing, if
/// somebody has changed its mapping, or if it has another number of documents than it was built
/// with.
pub(crate) fn read(
    client: &Client,
    prefix: &str,
    generation: &str,
    deadline: &Deadline,
) -> anyhow::Result<ClusterGeneration> {
    let Some(entry) = find_entry(client, prefix, generation, deadline)? else {
        bail!("the catalog does not know generation {generation}, or another version of this program has built it");
    };
    let names: Vec<String> = IndexKind::all().map(|kind| kind.index(prefix, generation)).collect();
    check_mappings(client, &names, deadline)?;
    check_counts(client, prefix, &entry, deadline)?;
    let mut facets = Vec::new();
    for entity_type in EntityType::ALL {
        let name = facets_file(entity_type);
        let tables = entry
            .read_file(client, prefix, &name, deadline)
            .with_context(|| format!("reading {name} of generation {generation}"))?
            .with_context(|| format!("generation {generation} has no {name}"))?;
        facets.push((
            entity_type,
            facet_codes::from_json(&tables).with_context(|| format!("reading {name}"))?,
        ));
    }
    Ok(ClusterGeneration {
        id: generation.to_owned(),
        prefix: prefix.to_owned(),
        entry,
        facets,
    })
}

fn find_entry(
    client: &Client,
    prefix: &str,
    generation: &str,
    deadline: &Deadline,
) -> anyhow::Result<Option<GenerationEntry>> {
    let found = catalog_index::entries(client, prefix, &[generation.to_owned()], deadline)?;
    Ok(found.into_iter().flatten().next())
}

/// Fails if an index has another mapping or order than this program gives it.
fn check_mappings(client: &Client, names: &[String], deadline: &Deadline) -> anyhow::Result<()> {
    #[derive(Deserialize)]
    struct Described {
        mappings: Value,
        settings: Value,
    }
    let path = format!("/{}", names.join(","));
    let found: BTreeMap<String, Described> = match client.get(&path, deadline) {
        Err(ClusterError::NotFound(why)) => bail!("an index is missing: {why}"),
        found => found?,
    };
    for (kind, name) in IndexKind::all().zip(names) {
        let Some(described) = found.get(name) else {
            bail!("the index {name} is missing");
        };
        ensure!(
            without_defaults(&described.mappings) == without_defaults(&kind.mapping()),
            "somebody has changed the mapping of {name}, so answers could be wrong"
        );
        let settings = described.settings.get("index");
        for (setting, expected) in kind.fixed_settings() {
            let actual = settings.and_then(|settings| settings.pointer(&format!("/{}", setting.replace('.', "/"))));
            ensure!(
                actual == Some(&expected),
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
        if let Some(field) = field.as_object_mut()
            && field.get("doc_values") == Some(&Value::Bool(true))
        {
            field.remove("doc_values");
        }
    }
    mapping
}

/// Fails if an index has another number of documents than the catalog states.
fn check_counts(client: &Client, prefix: &str, entry: &GenerationEntry, deadline: &Deadline) -> anyhow::Result<()> {
    let known = IndexKind::all().filter_map(|kind| Some((kind.index(prefix, &entry.generation), entry.count(kind)?)));
    let known: Vec<(String, u64)> = known.collect();
    let count = || json!({ "size": 0, "track_total_hits": true });
    let searches: Vec<(&str, Value)> = known.iter().map(|(name, _)| (name.as_str(), count())).collect();
    let counts = client.multi_search(&searches, deadline)?;
    for ((name, expected), response) in known.iter().zip(counts) {
        let found = response.hits.total.as_ref().and_then(Total::exact);
        ensure!(
            found == Some(*expected),
            "{name} has {} documents, but the catalog says {expected}",
            found.map_or_else(|| "an unknown number of".to_owned(), |found| found.to_string())
        );
    }
    Ok(())
}
