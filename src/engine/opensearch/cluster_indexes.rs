//! The indexes and aliases of one prefix on a cluster: listing, creating, preparing, deleting.

use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    client::{Body, Client, ClusterRequest, Method},
    cluster_error::ClusterError,
    mapping::{alias, index_name, parse_index_name},
};
use crate::{engine::deadline::Deadline, model::EntityType};

/// An index of a generation.
#[derive(Debug)]
pub(crate) struct ClusterIndex {
    pub(crate) name: String,
    pub(crate) entity_type: EntityType,
    pub(crate) generation: String,
    pub(crate) aliases: BTreeSet<String>,
}

/// The pause between two looks at a state that changes by itself.
const POLL: Duration = Duration::from_millis(200);

/// How often a force merge is started again, if it ends with too many segments.
const MERGE_ATTEMPTS: u32 = 5;

impl ClusterIndex {
    /// Whether it is in service.
    pub(crate) fn is_served(&self, prefix: &str) -> bool {
        self.aliases.contains(&alias(prefix, self.entity_type))
    }
}

/// The indexes of all generations.
pub(crate) fn list(client: &Client, deadline: &Deadline) -> Result<Vec<ClusterIndex>, ClusterError> {
    #[derive(Deserialize)]
    struct Aliases {
        aliases: BTreeMap<String, Value>,
    }
    let path = format!("/{}-*/_alias?expand_wildcards=all", client.prefix);
    let found: BTreeMap<String, Aliases> = client.get(&path, deadline)?;
    let indexes = found.into_iter().filter_map(|(name, found)| {
        let (entity_type, generation) = parse_index_name(&client.prefix, &name)?;
        Some(ClusterIndex {
            name,
            entity_type,
            generation,
            aliases: found.aliases.into_keys().collect(),
        })
    });
    Ok(indexes.collect())
}

/// The generation that the aliases name; `None` if there are no aliases.
pub(crate) fn in_service(prefix: &str, indexes: &[ClusterIndex]) -> anyhow::Result<Option<String>> {
    let served = || indexes.iter().filter(|index| index.is_served(prefix));
    let generations: BTreeSet<&str> = served().map(|index| index.generation.as_str()).collect();
    ensure!(
        generations.is_empty() || (generations.len() == 1 && served().count() == EntityType::ALL.len()),
        "the aliases {prefix}-* do not name the indexes of one generation, but of: {}; \
         choose one with `procure generations use ID`",
        Vec::from_iter(generations).join(", ")
    );
    Ok(generations.first().map(|generation| (*generation).to_owned()))
}

/// Puts the indexes of a generation in service, all at once.
pub(crate) fn switch_aliases(client: &Client, generation: &str, deadline: &Deadline) -> Result<(), ClusterError> {
    let mut actions = Vec::new();
    for index in list(client, deadline)? {
        if index.generation != generation && index.is_served(&client.prefix) {
            let alias = alias(&client.prefix, index.entity_type);
            actions.push(json!({ "remove": { "index": index.name, "alias": alias } }));
        }
    }
    for entity_type in EntityType::ALL {
        let index = index_name(&client.prefix, entity_type, generation);
        let alias = alias(&client.prefix, entity_type);
        actions.push(json!({ "add": { "index": index, "alias": alias } }));
    }
    // An alias that is removed already cannot be removed again. A caller that tries again lists the
    // aliases again.
    let body = json!({ "actions": actions });
    let request = ClusterRequest::new(Method::POST, "/_aliases", Body::Json(&body)).once();
    client.send(&request, deadline).map(|_| ())
}

/// Creates an index, and waits until its primary shards have started.
fn create(client: &Client, name: &str, definition: &Value) -> Result<(), ClusterError> {
    #[derive(Deserialize)]
    struct Created {
        shards_acknowledged: bool,
    }
    let request = ClusterRequest::new(Method::PUT, format!("/{name}"), Body::Json(definition)).once();
    let created: Created = client.send_for(&request, &Deadline::never())?;
    if created.shards_acknowledged {
        Ok(())
    } else {
        Err(shards_did_not_start(name))
    }
}

/// Waits until the primary shards of an index have started.
fn wait_for_start(client: &Client, name: &str) -> Result<(), ClusterError> {
    let path = format!("/_cluster/health/{name}?wait_for_status=yellow&timeout=30s");
    match client.get::<Value>(&path, &Deadline::never()) {
        Ok(health) if health.get("timed_out") == Some(&Value::Bool(true)) => Err(shards_did_not_start(name)),
        Err(ClusterError::Unavailable(why)) if why.contains(" answered 408:") => Err(shards_did_not_start(name)),
        started => started.map(|_| ()),
    }
}

fn shards_did_not_start(name: &str) -> ClusterError {
    let why = format!("the shards of {name} did not start; `GET _cluster/allocation/explain` states why");
    ClusterError::Unavailable(why)
}

/// Creates an index unless it exists, so that the step can be repeated. Waits until its primary
/// shards have started.
pub(crate) fn create_if_missing(client: &Client, name: &str, definition: &Value) -> Result<(), ClusterError> {
    let exists = || match client.get::<Value>(&format!("/{name}/_settings"), &Deadline::never()) {
        Err(ClusterError::NotFound(_)) => Ok(false),
        found => found.map(|_| true),
    };
    if exists()? {
        return wait_for_start(client, name);
    }
    match create(client, name, definition) {
        // Another process has created it at the same time.
        Err(ClusterError::Rejected(_)) if exists() == Ok(true) => wait_for_start(client, name),
        created => created,
    }
}

/// Deletes indexes. An index that does not exist is not an error.
pub(crate) fn delete(client: &Client, names: &[String]) -> Result<(), ClusterError> {
    for name in names {
        match client.change(Method::DELETE, format!("/{name}?ignore_unavailable=true"), Body::Empty) {
            Ok(()) | Err(ClusterError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Makes all documents visible to searches, on every copy that there is of a shard.
pub(crate) fn refresh(client: &Client, name: &str) -> Result<(), ClusterError> {
    on_all_shards(client, name, "_refresh")
}

/// Writes all documents to files, so that a copy of a shard is made of files alone.
fn flush(client: &Client, names: &str) -> anyhow::Result<()> {
    on_all_shards(client, names, "_flush?wait_if_ongoing=true").context("writing the indexes to disk")
}

/// A call that may be repeated. It fails unless every copy that there is of a shard has done it.
fn on_all_shards(client: &Client, name: &str, call: &str) -> Result<(), ClusterError> {
    #[derive(Deserialize)]
    struct Done {
        #[serde(rename = "_shards")]
        shards: Shards,
    }
    #[derive(Deserialize)]
    struct Shards {
        failed: u32,
    }
    let request = ClusterRequest::new(Method::POST, format!("/{name}/{call}"), Body::Empty);
    let Done { shards } = client.send_for(&request, &Deadline::never())?;
    if shards.failed > 0 {
        let why = format!("{} shards of {name} are lost", shards.failed);
        return Err(ClusterError::Unavailable(why));
    }
    Ok(())
}

/// Sets what follows `index.` in the settings of some indexes.
fn change_settings(client: &Client, indexes: &str, settings: &Value) -> Result<(), ClusterError> {
    let body = json!({ "index": settings });
    client.change(Method::PUT, format!("/{indexes}/_settings"), Body::Json(&body))
}

/// Merges each shard of an index into one segment, which makes searches faster. It can take
/// minutes: a merge continues on the cluster when a request for it has timed out.
pub(crate) fn force_merge(client: &Client, name: &str, patience: Duration) -> anyhow::Result<()> {
    let path = format!("/{name}/_forcemerge?max_num_segments=1");
    let request = ClusterRequest::new(Method::POST, path, Body::Empty).once();
    for _ in 0..MERGE_ATTEMPTS {
        match client.send(&request, &Deadline::never()) {
            Ok(_) | Err(ClusterError::Timeout) => {}
            Err(error) if error.is_transient() => log::warn!("merging {name}: {error}"),
            Err(error) => return Err(error).with_context(|| format!("merging {name}")),
        }
        if wait_for_merges(client, name, patience)? {
            return Ok(());
        }
    }
    log::warn!("{name} has several segments in a shard; searches take longer");
    Ok(())
}

/// Waits until no merge runs. Returns whether each shard has one segment.
fn wait_for_merges(client: &Client, name: &str, patience: Duration) -> anyhow::Result<bool> {
    let mut last_progress = Instant::now();
    loop {
        let error = match merged_segments(client, name) {
            Ok(Some(is_merged)) => return Ok(is_merged),
            Ok(None) => {
                last_progress = Instant::now();
                thread::sleep(POLL);
                continue;
            }
            Err(error) => error,
        };
        if !error.is_transient() || last_progress.elapsed() >= patience {
            return Err(error).with_context(|| format!("waiting for the merge of {name}"));
        }
        log::warn!("waiting for the merge of {name}: {error}");
        thread::sleep(POLL);
    }
}

/// Whether each shard has one segment; `None` while a merge runs.
fn merged_segments(client: &Client, name: &str) -> Result<Option<bool>, ClusterError> {
    let stats = || client.get::<Value>(&format!("/{name}/_stats/merge,segments"), &Deadline::never());
    let number = |stats: &Value, pointer: &str| stats.pointer(pointer).and_then(Value::as_u64);
    let is_merging = |stats: &Value| match number(stats, "/_all/primaries/merges/current") {
        Some(merges) => Ok(merges > 0),
        None => Err(ClusterError::Unavailable(format!("all shards of {name} are lost"))),
    };
    if is_merging(&stats()?)? {
        return Ok(None);
    }
    // The merged segment is counted, and the old ones are not, after a refresh.
    refresh(client, name)?;
    let stats = stats()?;
    let segments = number(&stats, "/_all/primaries/segments/count");
    let is_merged = segments <= number(&stats, "/_shards/successful");
    Ok((!is_merging(&stats)?).then_some(is_merged))
}

/// Allows loaded shards to move, as the cluster has it for other indexes.
pub(crate) fn allow_relocation(client: &Client, names: &[String]) -> anyhow::Result<()> {
    let indexes = names.join(",");
    // What is only in the log of a shard would be sent to its new place as documents.
    flush(client, &indexes)?;
    let settings = json!({ "routing.allocation.enable": null });
    change_settings(client, &indexes, &settings).context("allowing shards to move")
}

/// Sets the number of copies of each shard, and waits until all are made. Copies for which there is
/// no node are not wanted.
pub(crate) fn replicate(client: &Client, names: &[String], replicas: u32, patience: Duration) -> anyhow::Result<()> {
    #[derive(Deserialize)]
    struct Health {
        number_of_data_nodes: u32,
    }
    let health: Health = client.get("/_cluster/health", &Deadline::never())?;
    let possible = replicas.min(health.number_of_data_nodes.saturating_sub(1));
    if possible < replicas {
        log::warn!(
            "the cluster has {} data nodes, so each shard gets {possible} copies instead of {replicas}",
            health.number_of_data_nodes
        );
    }
    let indexes = names.join(",");
    flush(client, &indexes)?;
    // The documents of a generation never change.
    let settings = json!({ "number_of_replicas": possible, "blocks.write": true });
    change_settings(client, &indexes, &settings)?;
    if possible > 0 {
        wait_for_copies(client, &indexes, patience)?;
    }
    Ok(())
}

/// Waits until every copy of every shard is in place. After `patience` without progress it goes on
/// without the missing copies, if every shard has its primary one.
fn wait_for_copies(client: &Client, indexes: &str, patience: Duration) -> anyhow::Result<()> {
    #[derive(Deserialize)]
    struct Health {
        status: String,
        active_shards: u32,
    }
    let path = format!("/_cluster/health/{indexes}?level=cluster");
    let (mut progress, mut last_progress) = ((0, 0), Instant::now());
    loop {
        let health = client.get::<Health>(&path, &Deadline::never());
        match &health {
            Ok(health) if health.status == "green" => return Ok(()),
            Ok(health) => {
                // A copy that is lost and made again is no progress.
                let now = (health.active_shards, copied_bytes(client, indexes));
                if now > progress {
                    (progress, last_progress) = (now, Instant::now());
                }
            }
            Err(error) if !error.is_transient() => bail!("waiting for the copies of the shards: {error}"),
            _ => {}
        }
        if last_progress.elapsed() >= patience {
            return match health {
                Ok(health) if health.status == "yellow" => {
                    log::warn!("copies of some shards are missing; `GET _cluster/allocation/explain` states why");
                    Ok(())
                }
                Ok(health) => bail!("shards are lost: the status of the indexes is {}", health.status),
                Err(error) => Err(error).context("waiting for the copies of the shards"),
            };
        }
        thread::sleep(POLL);
    }
}

/// The bytes that have arrived of the copies that are being made. A large shard takes many minutes.
fn copied_bytes(client: &Client, indexes: &str) -> u64 {
    let path = format!("/{indexes}/_recovery?active_only=true");
    let recoveries = client.get::<Value>(&path, &Deadline::never()).unwrap_or_default();
    let shards = recoveries.as_object().into_iter().flat_map(Map::values);
    let copies = shards.filter_map(|index| index.get("shards")?.as_array()).flatten();
    copies
        .filter_map(|copy| copy.pointer("/index/size/recovered_in_bytes")?.as_u64())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indexes(generation: &str, aliased: bool) -> Vec<ClusterIndex> {
        let index = |entity_type: EntityType| ClusterIndex {
            name: index_name("p", entity_type, generation),
            entity_type,
            generation: generation.to_owned(),
            aliases: aliased.then(|| alias("p", entity_type)).into_iter().collect(),
        };
        EntityType::ALL.map(index).into()
    }

    #[test]
    fn the_aliases_must_name_one_whole_generation() {
        let (old, new) = ("20260101T000000000Z", "20260102T000000000Z");
        assert_eq!(in_service("p", &[]).unwrap(), None);
        assert_eq!(in_service("p", &indexes(old, false)).unwrap(), None);
        let both = || {
            indexes(old, true)
                .into_iter()
                .chain(indexes(new, false))
                .collect::<Vec<_>>()
        };
        assert_eq!(in_service("p", &both()).unwrap().as_deref(), Some(old));
        let mut mixed = both();
        mixed[0].aliases.clear();
        assert!(in_service("p", &mixed).is_err(), "an alias is missing");
        mixed[6].aliases.insert("p-contract".to_owned());
        let error = in_service("p", &mixed).unwrap_err().to_string();
        assert!(error.contains(old) && error.contains(new), "{error}");
    }
}
