//! Older generations that a request may ask for: those that are kept next to the one in service.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    catalog::generation::{Generation, GenerationStore},
    http::error::{ApiError, GenerationError},
};

/// The name of the parameter that asks for a generation.
pub(crate) const PARAMETER: &str = "generation";

/// How many older generations are open at the same time. An open one takes some megabytes, and address space for its
/// files.
const MAX_OPEN: usize = 3;

/// Opens older generations on demand, and keeps the last ones open.
pub(crate) struct KeptGenerations {
    store: GenerationStore,
    open: Mutex<Open>,
}

/// What is open, and which generation was in service when it was last cleared: a swap may have removed any older one.
#[derive(Default)]
struct Open {
    current: String,
    /// The one that was asked for last comes last.
    generations: Vec<Arc<Generation>>,
}

impl Open {
    /// Closes all if `current` is newer than the generation that was in service so far.
    fn close_before(&mut self, current: &str) -> Vec<Arc<Generation>> {
        if self.current.as_str() >= current {
            return Vec::new();
        }
        current.clone_into(&mut self.current);
        std::mem::take(&mut self.generations)
    }

    fn find(&mut self, id: &str) -> Option<Arc<Generation>> {
        let at = self.generations.iter().position(|generation| generation.id == id)?;
        let generation = self.generations.remove(at);
        self.generations.push(Arc::clone(&generation));
        Some(generation)
    }
}

impl KeptGenerations {
    pub(crate) fn new(store: GenerationStore) -> KeptGenerations {
        KeptGenerations {
            store,
            open: Mutex::default(),
        }
    }

    /// A generation that is open already. `current` is the one in service.
    pub(crate) fn opened(&self, id: &str, current: &str) -> Option<Arc<Generation>> {
        let mut open = self.lock();
        let closed = open.close_before(current);
        let found = open.find(id);
        drop(open);
        drop(closed);
        found
    }

    /// Opens and verifies a generation, which takes time. `current` is the one in service.
    ///
    /// # Errors
    /// 404 for an id that names no generation, 410 for a generation that was removed, or that another version of the
    /// program has written.
    pub(crate) fn open(&self, id: &str, current: &str) -> Result<Arc<Generation>, ApiError> {
        let mut kept = self
            .store
            .list()
            .map_err(|error| ApiError::index_unavailable(format!("{error:#}")))?;
        kept.sort();
        if !kept.iter().any(|kept| kept == id) {
            return Err(absent(id, kept.first().map_or(current, String::as_str), current));
        }
        if let Some(generation) = self.opened(id, current) {
            return Ok(generation);
        }
        let generation = self.store.open(id).map_err(|error| {
            log::warn!("the generation {id}, which a request asks for, cannot be opened: {error:#}");
            ApiError::refused_generation(id, GenerationError::Unreadable)
        })?;
        let generation = Arc::new(generation);
        let mut open = self.lock();
        open.generations.push(Arc::clone(&generation));
        let surplus = open.generations.len().saturating_sub(MAX_OPEN);
        let closed: Vec<_> = open.generations.drain(..surplus).collect();
        drop(open);
        drop(closed);
        Ok(generation)
    }

    /// Closes all of them when `current` begins to serve, because the build that made it may have removed some.
    pub(crate) fn close(&self, current: &str) {
        let closed = self.lock().close_before(current);
        drop(closed);
    }

    /// A list, which is consistent after each statement.
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a text has the form of an id: the time of a build in UTC, `20260131T235959123Z`.
pub(crate) fn is_id(id: &str) -> bool {
    let is_valid = |(number, byte): (usize, u8)| match number {
        8 => byte == b'T',
        18 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    };
    id.len() == 19 && id.bytes().enumerate().all(is_valid)
}

/// Ids are times, so an id that is not kept was removed, unless it is later than the newest one.
fn absent(id: &str, oldest: &str, current: &str) -> ApiError {
    let error = if id > current {
        GenerationError::Unknown {
            current: current.to_owned(),
        }
    } else {
        GenerationError::Removed {
            oldest: oldest.to_owned(),
        }
    };
    ApiError::refused_generation(id, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_time_of_a_build() {
        for (id, is_valid) in [
            ("20260131T235959123Z", true),
            ("20260131T235959123", false),
            ("2026013XT235959123Z", false),
            ("../../../etc/passwd", false),
            ("", false),
            ("é260131T235959123Z", false),
        ] {
            assert_eq!(is_id(id), is_valid, "{id}");
        }
        let (oldest, current) = ("20260102T000000000Z", "20260103T000000000Z");
        assert_eq!(absent("20260101T000000000Z", oldest, current).status.as_u16(), 410);
        assert_eq!(absent("20260104T000000000Z", oldest, current).status.as_u16(), 404);
    }
}
