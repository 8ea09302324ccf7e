//! The generations of an OpenSearch cluster. A generation is some indexes; its manifest and its
//! derived data are documents of the cluster's catalog index.
//!
//! **Invariant:** only `engine::opensearch` decides which generations are complete, and changes what
//! is in service.

use std::{fmt, sync::Arc, time::Duration};

use anyhow::{Context, Error, anyhow, ensure};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    derived::{DerivedData, parse_list},
    first_seen::FirstSeen,
    layout::{BIDS, BODIES, CALIBRATION, COMMODITIES, FIRST_SEEN, MANIFEST, NEWEST_STATUSES, SUPPLIERS, TENDER_VALUES},
    manifest::{EntityTypeManifest, Manifest},
    opened::Generation,
};
use crate::{
    catalog::suppliers::Party,
    engine::{
        self, Deadline,
        opensearch::{Client, ClusterError, ClusterSettings, OpenSearchEngine, generations},
    },
};

/// How a cluster with generations is reached.
#[derive(Clone)]
pub struct ClusterStore {
    pub(crate) client: Arc<Client>,
    pub(crate) settings: ClusterSettings,
}

/// The time for a look-up of the generation in service. The server repeats it.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// The time for opening a generation: reading its derived data and the names of its facets.
const OPEN_TIMEOUT: Duration = Duration::from_secs(120);

/// What the operator can do about a generation that cannot be used.
const REMEDY: &str = "the generation on the cluster is damaged; re-index with `procure index`, or go back with `procure generations use ID`";

impl fmt::Debug for ClusterStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

impl ClusterStore {
    /// Reads the files that the settings name. Connects to nothing.
    pub fn new(settings: ClusterSettings) -> anyhow::Result<ClusterStore> {
        Ok(ClusterStore {
            client: Arc::new(Client::new(&settings)?),
            settings,
        })
    }

    /// This cluster as a build uses it: searches are repeated while the cluster does not answer.
    pub(crate) fn for_build(&self) -> anyhow::Result<ClusterStore> {
        Ok(ClusterStore {
            client: Arc::new(Client::patient(&self.settings)?),
            settings: self.settings.clone(),
        })
    }

    pub(super) fn current(&self) -> anyhow::Result<Option<String>> {
        let deadline = Deadline::after(LOOK_UP_TIMEOUT);
        generations::in_service(&self.client, &deadline)
            .with_context(|| format!("looking up the generation in service on {self}"))
    }

    pub(super) fn list(&self) -> anyhow::Result<Vec<String>> {
        let deadline = Deadline::after(LOOK_UP_TIMEOUT);
        generations::list(&self.client, &deadline).with_context(|| format!("listing the generations on {self}"))
    }

    /// Opens a generation: checks its manifest, its schemas, the mappings of its indexes and their
    /// numbers of documents.
    pub(super) fn open(&self, id: &str) -> anyhow::Result<Generation> {
        let deadline = Deadline::after(OPEN_TIMEOUT);
        let manifest: Manifest = self.read_needed(id, MANIFEST, &deadline)?;
        ensure!(
            manifest.has_all_entity_types(),
            "the manifest of generation {id} does not list the six entity types: {REMEDY}"
        );
        manifest.check_schemas(id)?;
        let engine = self.engine(id, &deadline)?;
        let derived = DerivedData {
            calibration: self.read_needed(id, CALIBRATION, &deadline)?,
            first_seen: self.read_needed(id, FIRST_SEEN, &deadline)?,
            tender_values: Some(self.read_needed(id, TENDER_VALUES, &deadline)?),
            newest_statuses: self.read_needed(id, NEWEST_STATUSES, &deadline)?,
            commodities: self.read(id, COMMODITIES, &deadline)?.unwrap_or_default(),
            bids: self.read(id, BIDS, &deadline)?.unwrap_or_default(),
            meanings: None,
            suppliers: parse_list(
                Party::Supplier,
                self.read_bytes(id, SUPPLIERS, &deadline)?.unwrap_or_default(),
            )?,
            bodies: parse_list(Party::Body, self.read_bytes(id, BODIES, &deadline)?.unwrap_or_default())?,
        };
        Generation::new(id, manifest, Arc::new(engine), derived)
    }

    /// Opens the indexes of a generation, in service or not.
    pub(crate) fn engine(&self, id: &str, deadline: &Deadline) -> anyhow::Result<OpenSearchEngine> {
        let mut generation = generations::read(&self.client, id, deadline)
            .with_context(|| format!("opening generation {id} on {self}"))?;
        Ok(OpenSearchEngine::new(Arc::clone(&self.client), &mut generation))
    }

    /// Puts a generation in service after checking that it opens.
    pub(super) fn switch_to(&self, id: &str) -> anyhow::Result<()> {
        let known = self.list()?;
        ensure!(
            known.iter().any(|known| known == id),
            "no generation {id} on {self}; there are: {}",
            known.join(", ")
        );
        self.open(id)?;
        generations::switch_to(&self.client, &self.settings, id, &Deadline::after(OPEN_TIMEOUT))
            .with_context(|| format!("putting generation {id} in service on {self}"))
    }

    /// The first-seen times of the generation in service, or of the newest other one if they are
    /// unreadable; `None` if there is none.
    pub(crate) fn previous_first_seen(&self) -> anyhow::Result<Option<FirstSeen>> {
        // Aliases that name no generation do not hinder a new one.
        let current = match self.current() {
            Err(error) if !is_unreachable(&error) => {
                log::warn!("{error:#}");
                None
            }
            current => current?,
        };
        let others = self.list()?.into_iter().rev();
        let others: Vec<String> = others.filter(|id| Some(id) != current.as_ref()).collect();
        for id in current.into_iter().chain(others) {
            match self.read(&id, FIRST_SEEN, &Deadline::after(OPEN_TIMEOUT)) {
                Ok(Some(times)) => return Ok(Some(times)),
                Ok(None) => log::warn!("generation {id} has no first-seen times"),
                Err(error) if is_unreachable(&error) => return Err(error),
                Err(error) => log::warn!("the first-seen times in generation {id} are lost: {error:#}"),
            }
        }
        Ok(None)
    }

    fn read_needed<T: DeserializeOwned>(&self, id: &str, name: &str, deadline: &Deadline) -> anyhow::Result<T> {
        let content = self.read(id, name, deadline)?;
        content.with_context(|| format!("generation {id} on {self} has no {name}: {REMEDY}"))
    }

    fn read_bytes(&self, id: &str, name: &str, deadline: &Deadline) -> anyhow::Result<Option<Vec<u8>>> {
        let reading = || format!("reading {name} of generation {id} on {self}");
        generations::file(&self.client, id, name, deadline).with_context(reading)
    }

    fn read<T: DeserializeOwned>(&self, id: &str, name: &str, deadline: &Deadline) -> anyhow::Result<Option<T>> {
        let bytes = self.read_bytes(id, name, deadline)?;
        let parsed = bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose();
        parsed.map_err(|why| anyhow!("{name} of generation {id} on {self} cannot be parsed ({why}): {REMEDY}"))
    }
}

/// Names it in messages.
impl fmt::Display for ClusterStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (urls, prefix) = (self.settings.urls.join(", "), &self.settings.prefix);
        write!(f, "the cluster {urls} ({prefix}-*)")
    }
}

/// The manifest and the derived data of a build, as files of the generation: names and contents.
pub(crate) fn generation_files(
    entity_types: Vec<EntityTypeManifest>,
    derived: &DerivedData,
) -> anyhow::Result<[(&'static str, Vec<u8>); 9]> {
    fn json(content: &impl Serialize) -> anyhow::Result<Vec<u8>> {
        Ok(serde_json::to_vec(content)?)
    }
    // The cluster checks the files of its indexes itself.
    let manifest = Manifest::new(entity_types, Vec::new());
    Ok([
        (CALIBRATION, json(&derived.calibration)?),
        (FIRST_SEEN, json(&derived.first_seen)?),
        (TENDER_VALUES, json(&derived.tender_values)?),
        (COMMODITIES, json(&derived.commodities)?),
        (BIDS, json(&derived.bids)?),
        (NEWEST_STATUSES, json(&derived.newest_statuses)?),
        (SUPPLIERS, derived.suppliers.text().to_vec()),
        (BODIES, derived.bodies.text().to_vec()),
        (MANIFEST, json(&manifest)?),
    ])
}

/// Whether an error means that the cluster does not answer, or not to this program, so that nothing
/// is known of its generations.
pub(super) fn is_unreachable(error: &Error) -> bool {
    error.chain().any(|cause| {
        let of_cluster = cause.downcast_ref::<ClusterError>();
        let of_engine = cause.downcast_ref::<engine::Error>();
        of_cluster.is_some_and(|error| {
            error.is_transient() || matches!(error, ClusterError::Denied(_) | ClusterError::Blocked(_))
        }) || of_engine.is_some_and(|error| matches!(error, engine::Error::Timeout | engine::Error::Unavailable(_)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_that_does_not_answer_is_recognized_within_any_context() {
        let error = |cause: Error| cause.context("opening a generation").context("on the cluster");
        for passing in [
            error(ClusterError::Timeout.into()),
            error(ClusterError::Unavailable("refused".to_owned()).into()),
            error(ClusterError::Denied("password".to_owned()).into()),
            error(engine::Error::Timeout.into()),
            error(engine::Error::Unavailable("shards failed".to_owned()).into()),
        ] {
            assert!(is_unreachable(&passing), "{passing:#}");
        }
        for lasting in [
            error(ClusterError::NotFound("no such index".to_owned()).into()),
            error(ClusterError::Rejected("mapping".to_owned()).into()),
            error(engine::Error::Internal("a bug".to_owned()).into()),
            error(anyhow!("somebody has changed the mapping")),
        ] {
            assert!(!is_unreachable(&lasting), "{lasting:#}");
        }
    }
}
