//! Bulk loading: requests of some megabytes, compressed, several in flight, every item's status
//! checked.
//!
//! Every document has an id and is created, never replaced. So a request whose response was lost
//! is sent again: items that exist are already stored.

use std::{
    io::{self, Write},
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
        mpsc::{self, Receiver, SyncSender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{anyhow, bail, ensure};
use flate2::{Compression, write::GzEncoder};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    build_lock,
    client::{Body, Client, ClusterRequest, Method},
    cluster_error::{ClusterError, refusal},
    settings::ClusterSettings,
};
use crate::engine::deadline::Deadline;

/// Loads documents into one index, while the process has the lock of the catalog. Any number of
/// threads add documents.
pub(crate) struct BulkLoader {
    queue: Option<SyncSender<BulkBody>>,
    workers: Vec<JoinHandle<()>>,
    target: Arc<Target>,
    max_bytes: usize,
    /// Bodies that have room for more documents: as many as threads that add at the same time.
    open: Mutex<Vec<BulkBody>>,
}

/// The lines of a bulk request: for each document its action, then its source.
#[derive(Clone, Default)]
struct BulkBody {
    lines: Vec<u8>,
    /// Where the lines of each document start.
    starts: Vec<usize>,
}

/// The index that is loaded, and what the workers share.
struct Target {
    client: Arc<Client>,
    index: String,
    request_timeout: Duration,
    patience: Duration,
    is_lock_lost: Arc<AtomicBool>,
    loaded: AtomicU64,
    has_failed: AtomicBool,
    failure: Mutex<Option<anyhow::Error>>,
}

/// The wait after the first refusal. It doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_millis(100);

const LONGEST_WAIT: Duration = Duration::from_secs(10);

impl BulkLoader {
    pub(crate) fn start(
        client: &Arc<Client>,
        index: String,
        settings: &ClusterSettings,
        is_lock_lost: Arc<AtomicBool>,
    ) -> BulkLoader {
        let target = Arc::new(Target {
            client: Arc::clone(client),
            index,
            request_timeout: settings.request_timeout,
            patience: settings.patience,
            is_lock_lost,
            loaded: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
            failure: Mutex::new(None),
        });
        // Threads that add documents wait while all workers are busy.
        let (queue, bodies) = mpsc::sync_channel(0);
        let bodies = Arc::new(Mutex::new(bodies));
        let worker = |_| {
            let (target, bodies) = (Arc::clone(&target), Arc::clone(&bodies));
            thread::spawn(move || target.load_all(&bodies))
        };
        BulkLoader {
            workers: (0..settings.bulk_requests.max(1)).map(worker).collect(),
            queue: Some(queue),
            target,
            max_bytes: settings.bulk_bytes,
            open: Mutex::default(),
        }
    }

    /// Adds a document. Waits while all workers are busy.
    pub(crate) fn add(&self, id: &str, document: &impl Serialize) -> anyhow::Result<()> {
        let mut body = self.open_bodies().pop().unwrap_or_default();
        body.starts.push(body.lines.len());
        serde_json::to_writer(&mut body.lines, &json!({ "create": { "_id": id } }))?;
        body.lines.push(b'\n');
        serde_json::to_writer(&mut body.lines, document)?;
        body.lines.push(b'\n');
        if body.lines.len() < self.max_bytes {
            self.open_bodies().push(body);
            return Ok(());
        }
        self.send(body)
    }

    /// Sends the rest and waits until all documents are stored. Returns their number.
    pub(crate) fn finish(mut self) -> anyhow::Result<u64> {
        let rest = mem::take(&mut *self.open_bodies());
        for body in rest {
            self.send(body)?;
        }
        self.stop();
        self.target.take_failure().map_or(Ok(()), Err)?;
        Ok(self.target.loaded.load(Relaxed))
    }

    fn open_bodies(&self) -> MutexGuard<'_, Vec<BulkBody>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, body: BulkBody) -> anyhow::Result<()> {
        let target = &self.target;
        if target.has_failed.load(Relaxed) {
            let failure = target.take_failure();
            return Err(failure.unwrap_or_else(|| anyhow!("loading {} has failed", target.index)));
        }
        let queue = self.queue.as_ref();
        if queue.is_some_and(|queue| queue.send(body).is_ok()) {
            Ok(())
        } else {
            Err(anyhow!("loading {} has ended", target.index))
        }
    }

    fn stop(&mut self) {
        self.queue = None;
        for worker in self.workers.drain(..) {
            if worker.join().is_err() {
                self.target
                    .fail(anyhow!("a thread that loads {} has panicked", self.target.index));
            }
        }
    }
}

impl Drop for BulkLoader {
    /// Ends the workers of a build that failed.
    fn drop(&mut self) {
        self.target.has_failed.store(true, Relaxed);
        self.stop();
    }
}

impl BulkBody {
    fn len(&self) -> usize {
        self.starts.len()
    }

    /// The lines of a document.
    fn item(&self, number: usize) -> &[u8] {
        let end = self.starts.get(number + 1).copied().unwrap_or(self.lines.len());
        &self.lines[self.starts[number]..end]
    }

    /// Only these documents.
    fn only(&self, numbers: &[usize]) -> BulkBody {
        let mut body = BulkBody::default();
        for number in numbers {
            body.starts.push(body.lines.len());
            body.lines.extend_from_slice(self.item(*number));
        }
        body
    }

    fn gzip(&self) -> io::Result<Vec<u8>> {
        let mut out = GzEncoder::new(Vec::with_capacity(self.lines.len() / 4), Compression::fast());
        out.write_all(&self.lines)?;
        out.finish()
    }
}

#[derive(Deserialize)]
struct BulkResponse {
    errors: bool,
    items: Vec<BulkItem>,
}

#[derive(Deserialize)]
struct BulkItem {
    create: ItemResult,
}

#[derive(Deserialize)]
struct ItemResult {
    #[serde(rename = "_id")]
    id: String,
    status: u16,
    error: Option<Value>,
}

/// What the cluster did not store now, and may store later.
struct Refused {
    numbers: Vec<usize>,
    why: String,
}

impl BulkResponse {
    /// The items that were refused for now. An item that was refused for good is an error.
    fn refused(&self, index: &str) -> anyhow::Result<Refused> {
        let mut refused = Refused {
            numbers: Vec::new(),
            why: String::new(),
        };
        if !self.errors {
            return Ok(refused);
        }
        for (number, item) in self.items.iter().enumerate() {
            let ItemResult { id, status, error } = &item.create;
            let why = || error.as_ref().map_or_else(|| format!("status {status}"), refusal);
            match status {
                // 409: an earlier request stored it, and its response was lost.
                200..300 | 409 => {}
                408 | 429 | 500.. => {
                    if refused.numbers.is_empty() {
                        refused.why = why();
                    }
                    refused.numbers.push(number);
                }
                _ => bail!("the cluster refuses document {id} of {index}: {}", why()),
            }
        }
        Ok(refused)
    }
}

impl Target {
    fn load_all(&self, bodies: &Mutex<Receiver<BulkBody>>) {
        loop {
            let next = bodies.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(body) = next else {
                return;
            };
            // After a failure the rest is taken and dropped, so that no thread waits for ever.
            if !self.has_failed.load(Relaxed)
                && let Err(error) = self.load(body)
            {
                self.fail(error);
            }
        }
    }

    /// Sends a body until all its documents are stored.
    fn load(&self, mut body: BulkBody) -> anyhow::Result<()> {
        let mut wait = FIRST_WAIT;
        let mut last_progress = Instant::now();
        loop {
            let before = body.len();
            // The process that has the lock now has removed the index, and a cluster creates an index
            // for a document whose index does not exist.
            ensure!(!self.is_lock_lost.load(Relaxed), build_lock::TAKEN);
            let why = match self.send(&body) {
                Ok(response) => {
                    let refused = response.refused(&self.index)?;
                    self.loaded.fetch_add((before - refused.numbers.len()) as u64, Relaxed);
                    if refused.numbers.is_empty() {
                        return Ok(());
                    }
                    body = body.only(&refused.numbers);
                    refused.why
                }
                Err(error) if error.is_transient() => error.to_string(),
                Err(ClusterError::NotFound(why)) => bail!("the index {} was removed: {why}", self.index),
                Err(error) => return Err(anyhow!(error).context(format!("loading {}", self.index))),
            };
            if body.len() < before {
                last_progress = Instant::now();
            }
            if last_progress.elapsed() >= self.patience {
                bail!(
                    "the cluster has refused documents of {} for {} s: {why}",
                    self.index,
                    self.patience.as_secs()
                );
            }
            log::warn!(
                "the cluster refuses {} documents of {} for now: {why}",
                body.len(),
                self.index
            );
            self.wait(wait);
            if self.has_failed.load(Relaxed) {
                bail!("another request has failed");
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn send(&self, body: &BulkBody) -> Result<BulkResponse, ClusterError> {
        let compressed = body.gzip().map_err(|why| ClusterError::unreadable("gzip", why))?;
        let path = format!(
            "/{}/_bulk?filter_path=errors,items.create._id,items.create.status,items.create.error",
            self.index
        );
        let request = ClusterRequest::new(Method::POST, &path, Body::GzipLines(&compressed));
        let response: BulkResponse = self.client.send_for(&request, &Deadline::after(self.request_timeout))?;
        if response.items.len() != body.len() {
            let why = format!("{} items for {} documents", response.items.len(), body.len());
            return Err(ClusterError::unreadable(&path, why));
        }
        Ok(response)
    }

    /// Up to half of the time is added at random, so that the workers do not return at once.
    fn wait(&self, time: Duration) {
        let jitter = f64::from(getrandom::u32().unwrap_or(0)) / f64::from(u32::MAX);
        let end = Instant::now() + time.mul_f64(1.0 + jitter / 2.0);
        while Instant::now() < end && !self.has_failed.load(Relaxed) {
            thread::sleep(FIRST_WAIT);
        }
    }

    /// Keeps the first error: the others follow from it.
    fn fail(&self, error: anyhow::Error) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        self.has_failed.store(true, Relaxed);
        failure.get_or_insert(error);
    }

    fn take_failure(&self) -> Option<anyhow::Error> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    fn response(json: &str) -> BulkResponse {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn only_refused_items_are_sent_again() {
        let mut body = BulkBody::default();
        for line in ["a\nA\n", "b\nB\n", "c\nC\n"] {
            body.starts.push(body.lines.len());
            body.lines.extend_from_slice(line.as_bytes());
        }
        let refused = response(
            r#"{"errors":true,"items":[
                {"create":{"_id":"a","status":429,"error":{"type":"busy","reason":"queue is full"}}},
                {"create":{"_id":"b","status":409,"error":{"type":"version_conflict","reason":"exists"}}},
                {"create":{"_id":"c","status":503}}]}"#,
        )
        .refused("index")
        .unwrap();
        assert_eq!(
            (refused.numbers.as_slice(), refused.why.as_str()),
            (&[0, 2][..], "busy: queue is full")
        );
        let rest = body.only(&refused.numbers);
        assert_eq!((rest.len(), rest.lines.as_slice()), (2, &b"a\nA\nc\nC\n"[..]));
        assert_eq!(rest.item(1), b"c\nC\n");
        let mut lines = String::new();
        GzDecoder::new(&rest.gzip().unwrap()[..])
            .read_to_string(&mut lines)
            .unwrap();
        assert_eq!(lines.as_bytes(), rest.lines);
    }

    #[test]
    fn an_item_that_is_refused_for_good_is_an_error_with_the_reason() {
        let error = response(
            r#"{"errors":true,"items":[{"create":{"_id":"7","status":400,
                "error":{"type":"mapper_parsing_exception","reason":"failed to parse"}}}]}"#,
        )
        .refused("procure-award-x")
        .map(|_| ())
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the cluster refuses document 7 of procure-award-x: mapper_parsing_exception: failed to parse"
        );
    }
}
