//! Which generations a build removes: what killed builds left, and complete ones that need not stay.

use std::collections::BTreeSet;

use anyhow::{Context, anyhow, ensure};

use super::{
    catalog_index::{self, GenerationEntry},
    client::Client,
    cluster_error::ClusterError,
    cluster_indexes::{self, ClusterIndex},
    generations::complete,
    mapping::index_name,
};
use crate::{engine::deadline::Deadline, model::EntityType};

/// Removes incomplete generations, and complete ones if there are more than `kept`. The one in
/// service stays, then `previous`, which was in service before, then the newest.
pub(crate) fn remove_old(client: &Client, kept: usize, previous: Option<&str>) -> anyhow::Result<()> {
    let indexes = cluster_indexes::list(client, &Deadline::never())?;
    let current = match cluster_indexes::in_service(&client.prefix, &indexes) {
        Ok(current) => current,
        Err(error) => {
            // Which generation is served is for the operator to decide.
            log::warn!("no generation is removed: {error:#}");
            return Ok(());
        }
    };
    let mut staying = complete(client, &indexes, &Deadline::never())?;
    let rank = |id: &String| (Some(id) == current.as_ref(), Some(id.as_str()) == previous);
    staying.sort_by(|a, b| rank(b).cmp(&rank(a)).then_with(|| b.cmp(a)));
    staying.truncate(kept);
    let known = catalog_index::generations(client)?;
    let all: BTreeSet<String> = indexes.into_iter().map(|index| index.generation).chain(known).collect();
    for id in all {
        // The one in service is never removed, even if the catalog has lost its entry. The one
        // before is still served until each server has switched; another version may have built it.
        if !staying.contains(&id) && Some(&id) != current.as_ref() && Some(id.as_str()) != previous {
            remove(client, &id)?;
        }
    }
    Ok(())
}

/// Removes a generation that is not in service: first it is marked as incomplete, so that it is no
/// longer listed.
pub(crate) fn remove(client: &Client, generation: &str) -> anyhow::Result<()> {
    remove_indexes(client, generation).with_context(|| format!("removing generation {generation}"))
}

fn remove_indexes(client: &Client, generation: &str) -> anyhow::Result<()> {
    let indexes = cluster_indexes::list(client, &Deadline::never())?;
    // An operator may have given an index other aliases.
    let mut own = indexes.iter().filter(|index| index.generation == generation);
    ensure!(!own.any(|index| index.is_served(&client.prefix)), "it is in service");
    unless_full(GenerationEntry::new(generation).write(client))?;
    let indexes = EntityType::ALL.map(|entity_type| index_name(&client.prefix, entity_type, generation));
    cluster_indexes::delete(client, &indexes)?;
    unless_full(catalog_index::delete(client, generation))?;
    Ok(())
}

/// A change of the catalog that can wait while the disks are full: a generation without indexes is
/// incomplete, whatever its entry says, and the next build removes the entry.
fn unless_full(changed: Result<(), ClusterError>) -> Result<(), ClusterError> {
    match changed {
        Err(ClusterError::DisksFull(_)) => Ok(()),
        changed => changed,
    }
}

/// Adds to the error of a full disk what a killed build left on it: nothing can be removed without
/// the lock, which nothing can take while the disks are full.
pub(crate) fn name_unfinished(client: &Client, error: anyhow::Error) -> anyhow::Error {
    if !matches!(error.downcast_ref(), Some(ClusterError::DisksFull(_))) {
        return error;
    }
    let unfinished = || -> anyhow::Result<Vec<String>> {
        let indexes = cluster_indexes::list(client, &Deadline::never())?;
        let complete = complete(client, &indexes, &Deadline::never())?;
        let is_unfinished = |index: &ClusterIndex| index.aliases.is_empty() && !complete.contains(&index.generation);
        let names = indexes.into_iter().filter(is_unfinished).map(|index| index.name);
        Ok(names.collect())
    };
    match unfinished() {
        Ok(names) if !names.is_empty() => anyhow!(
            "{error:#}; a killed build left indexes that can be deleted, unless a build runs or another version \
             of this program has built them: {}",
            names.join(", ")
        ),
        _ => error,
    }
}
