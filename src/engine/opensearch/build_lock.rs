//! The lock that excludes a second build or switch on the same cluster and prefix: a document of the
//! catalog, whose owner renews it.
//!
//! A lock that its owner has not renewed for [`ClusterSettings::lock_expiry`] belongs to a process
//! that is dead; the next one takes it over. The clocks of the machines must agree to within a part
//! of this time.

use std::{
    process,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{self, RecvTimeoutError, SyncSender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::json;

use super::{
    client::{Body, Client, ClusterRequest, Method},
    cluster_error::ClusterError,
    mapping::{catalog, catalog_index},
    retry::retry,
    settings::ClusterSettings,
};
use crate::{engine::deadline::Deadline, model::timestamp, storage::hex::hex};

/// Held while a build or a switch is in progress. Dropping it frees the lock.
pub(crate) struct BuildLock {
    shared: Arc<Shared>,
    stop: Option<SyncSender<()>>,
    heartbeat: Option<JoinHandle<()>>,
}

struct Shared {
    client: Arc<Client>,
    index: String,
    owner: String,
    expiry: Duration,
    patience: Duration,
    /// The version that this process wrote last.
    version: Mutex<Version>,
    /// Whether another process has taken the lock.
    is_lost: Arc<AtomicBool>,
}

/// The version of the lock's document.
#[derive(Clone, Copy, Default, Deserialize)]
struct Version {
    #[serde(rename = "_seq_no")]
    seq_no: u64,
    #[serde(rename = "_primary_term")]
    primary_term: u64,
}

#[derive(Deserialize)]
struct LockDocument {
    owner: String,
    /// RFC 3339 UTC.
    renewed_at: String,
}

const LOCK: &str = "lock";

/// The lock is renewed so many times before it would expire.
const RENEWALS: u32 = 6;

pub(crate) const TAKEN: &str =
    "another process has taken the lock of the catalog, because this one did not renew it in time";

impl BuildLock {
    /// Fails if another process holds the lock. The catalog must exist.
    pub(crate) fn acquire(client: &Arc<Client>, settings: &ClusterSettings) -> anyhow::Result<BuildLock> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).context("reading random numbers")?;
        let shared = Shared {
            client: Arc::clone(client),
            index: catalog_index(&client.prefix),
            owner: format!("process {} {}", process::id(), hex(&random)),
            expiry: settings.lock_expiry,
            patience: settings.patience,
            version: Mutex::default(),
            is_lost: Arc::default(),
        };
        let version = match shared.write("_create", "") {
            Ok(version) => version,
            Err(ClusterError::Conflict(_)) => shared.take_over()?,
            Err(error) => return Err(error).context("locking the catalog"),
        };
        *shared.version() = version;
        let shared = Arc::new(shared);
        let (stop, stopped) = mpsc::sync_channel(1);
        let renewing = Arc::clone(&shared);
        let heartbeat = thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(renewing.expiry / RENEWALS) {
                if let Err(error) = renewing.renew() {
                    log::warn!("{error:#}");
                }
            }
        });
        Ok(BuildLock {
            shared,
            stop: Some(stop),
            heartbeat: Some(heartbeat),
        })
    }

    /// Renews the lock. Fails if another process has taken it.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        retry(self.shared.patience, || self.shared.renew())
    }

    /// Whether this process holds the lock, so that it may remove what it has built.
    pub(crate) fn is_held(&self) -> bool {
        match self.shared.renew() {
            Ok(()) => true,
            // While the disks are full, no other process can take it either.
            Err(error) => matches!(error.downcast_ref(), Some(ClusterError::DisksFull(_))) && self.shared.owns(),
        }
    }

    /// Becomes true when another process is known to have taken the lock.
    pub(crate) fn loss(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.is_lost)
    }
}

impl Drop for BuildLock {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(heartbeat) = self.heartbeat.take()
            && heartbeat.join().is_err()
        {
            log::warn!("the thread that renews the lock of the catalog has panicked");
        }
        if let Err(error) = self.shared.free() {
            log::warn!("the lock of the catalog stays until it expires: {error}");
        }
    }
}

impl Shared {
    fn version(&self) -> MutexGuard<'_, Version> {
        self.version.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock must not expire while a request is on its way.
    fn deadline(&self) -> Deadline {
        Deadline::after(self.expiry / RENEWALS)
    }

    /// Whether the lock's document names this process.
    fn owns(&self) -> bool {
        let read = self.read();
        read.is_ok_and(|found| found.is_some_and(|(lock, _)| lock.owner == self.owner))
    }

    /// Writes the lock's document. If the response was lost and the request was repeated, the result
    /// is a conflict with this process: callers read the owner.
    fn write(&self, operation: &str, condition: &str) -> Result<Version, ClusterError> {
        let document = json!({
            catalog::KIND: LOCK,
            "owner": self.owner,
            "renewed_at": timestamp::format_seconds(Utc::now()),
        });
        let path = format!("/{}/{operation}/{LOCK}{condition}", self.index);
        let request = ClusterRequest::new(Method::PUT, path, Body::Json(&document));
        self.client.send_for(&request, &self.deadline())
    }

    /// Takes the lock of a process that is dead. Called when the lock exists.
    fn take_over(&self) -> anyhow::Result<Version> {
        let Some((lock, version)) = self.read()? else {
            bail!("another process has just freed the lock of the catalog; try again");
        };
        if lock.owner == self.owner {
            return Ok(version);
        }
        let renewed: DateTime<Utc> = timestamp::parse(&lock.renewed_at)
            .with_context(|| format!("{:?}, when the lock was renewed, is not a time", lock.renewed_at))?;
        let age = Utc::now().signed_duration_since(renewed);
        let left = TimeDelta::from_std(self.expiry)? - age;
        ensure!(
            left <= TimeDelta::zero(),
            "another `procure index` or `procure generations use` changes this cluster ({}); wait until it ends. \
             If it was killed, try again in {} s",
            lock.owner,
            left.num_seconds() + 1
        );
        log::warn!(
            "taking over the lock of {}, last renewed at {}",
            lock.owner,
            lock.renewed_at
        );
        match self.write("_doc", &version.condition()) {
            Err(ClusterError::Conflict(_)) => {
                bail!("another process has just taken the lock of the catalog; try again")
            }
            taken => taken.context("locking the catalog"),
        }
    }

    fn renew(&self) -> anyhow::Result<()> {
        // Locked during the request, so that two threads do not conflict with each other.
        let mut version = self.version();
        ensure!(!self.is_lost.load(Relaxed), TAKEN);
        let written = self.write("_doc", &version.condition());
        *version = match written {
            Err(ClusterError::Conflict(_)) => match self.read()? {
                // The response to an earlier renewal was lost.
                Some((lock, version)) if lock.owner == self.owner => version,
                _ => {
                    self.is_lost.store(true, Relaxed);
                    bail!(TAKEN);
                }
            },
            written => written.context("renewing the lock of the catalog")?,
        };
        Ok(())
    }

    fn read(&self) -> Result<Option<(LockDocument, Version)>, ClusterError> {
        let ids = [LOCK.to_owned()];
        let found = self.client.documents(&self.index, &ids, &self.deadline())?;
        let Some(found) = found.into_iter().find(|found| found.found) else {
            return Ok(None);
        };
        let unreadable = |why: &str| ClusterError::unreadable("the lock of the catalog", why);
        let (Some(source), Some(seq_no), Some(primary_term)) = (found.source, found.seq_no, found.primary_term) else {
            return Err(unreadable("it has no source or no version"));
        };
        let lock = serde_json::from_str(source.get()).map_err(|why| unreadable(&why.to_string()))?;
        Ok(Some((lock, Version { seq_no, primary_term })))
    }

    fn free(&self) -> Result<(), ClusterError> {
        let version = self.version();
        if self.is_lost.load(Relaxed) {
            return Ok(());
        }
        let path = format!("/{}/_doc/{LOCK}{}", self.index, version.condition());
        let request = ClusterRequest::new(Method::DELETE, path, Body::Empty);
        match self.client.send(&request, &self.deadline()) {
            Ok(_) | Err(ClusterError::NotFound(_) | ClusterError::Conflict(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Version {
    /// Makes a change fail if another process has changed the document.
    fn condition(self) -> String {
        format!("?if_seq_no={}&if_primary_term={}", self.seq_no, self.primary_term)
    }
}
