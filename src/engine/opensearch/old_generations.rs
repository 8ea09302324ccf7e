//! Which generations a build removes: what killed builds left, and complete ones that need not stay.

use std::collections::BTreeSet;

use anyhow::{Context, anyhow, ensure};

use super::{
    catalog_index::{self, GenerationEntry},
    client::Client,
    cluster_error::ClusterError,
    cluster_indexes::{self, ClusterIndex},
    generations::complete,
    mapping::IndexKind,
};
use crate::engine::deadline::Deadline;

/// Removes incomplete generations, and complete ones if there are more than `kept`. The one in
/// service stays, then `previous`, which was in service before, then the newest.
pub(crate) fn remove_old(client: &Client, prefix: &str, kept: usize, previous: Option<&str>) -> anyhow::Result<()> {
    let never = Deadline::never();
    let indexes = cluster_indexes::list(client, prefix, &never)?;
    let current = match cluster_indexes::in_service(prefix, &indexes) {
        Ok(current) => current,
        Err(error) => {
            // Which generation is served is for the operator to decide.
            log::warn!("no generation is removed: {error:#}");
            return Ok(());
        }
    };
    let mut staying = complete(client, prefix, &indexes, &never)?;
    let rank = |id: &String| (Some(id) == current.as_ref(), Some(id.as_str()) == previous);
    staying.sort_by(|a, b| rank(b).cmp(&rank(a)).then_with(|| b.cmp(a)));
    staying.truncate(kept);
    let known = catalog_index::generations(client, prefix)?;
    let all: BTreeSet<String> = indexes.into_iter().map(|index| index.generation).chain(known).collect();
    for id in all {
        // The one in service is never removed, even if the catalog has lost its entry. The one
        // before is still served until each server has switched; another version may have built it.
        if !staying.contains(&id) && Some(&id) != current.as_ref() && Some(id.as_str()) != previous {
            remove(client, prefix, &id)?;
        }
    }
    Ok(())
}

/// Removes a generation that is not in service: first it is marked as incomplete, so that it is no
/// longer listed.
pub(crate) fn remove(client: &Client, prefix: &str, generation: &str) -> anyhow::Result<()> {
    let never = Deadline::never();
    let removing = || format!("removing generation {generation}");
    let indexes = cluster_indexes::list(client, prefix, &never).with_context(removing)?;
    // An operator may have given an index other aliases.
    let is_served = |index: &ClusterIndex| index.aliases.contains(&index.kind.alias(prefix));
    let mut own = indexes.iter().filter(|index| index.generation == generation);
    ensure!(!own.any(is_served), "generation {generation} is in service");
    let entry = GenerationEntry::new(generation);
    unless_full(entry.write(client, prefix)).with_context(removing)?;
    let indexes: Vec<String> = IndexKind::all().map(|kind| kind.index(prefix, generation)).collect();
    cluster_indexes::delete(client, &indexes, &never).with_context(removing)?;
    unless_full(catalog_index::delete(client, prefix, generation)).with_context(removing)
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
pub(crate) fn name_unfinished(client: &Client, prefix: &str, error: anyhow::Error) -> anyhow::Error {
    if !matches!(error.downcast_ref(), Some(ClusterError::DisksFull(_))) {
        return error;
    }
    let unfinished = || -> anyhow::Result<Vec<String>> {
        let never = Deadline::never();
        let indexes = cluster_indexes::list(client, prefix, &never)?;
        let complete = complete(client, prefix, &indexes, &never)?;
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
