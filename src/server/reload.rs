//! Picks up a newly published generation while requests are served.
//!
//! A generation that cannot be opened leaves the old one serving and is complained of once. It is tried again now and then, since what failed may have
//! passed (no file handles left, no memory) or been mended.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Error, anyhow};

use crate::{catalog::generation, http::AppState};

/// What a step did.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// The generation that serves is the published one, or the published one failed before and was complained of.
    Unchanged,
    Swapped(String),
    /// Newly failed; the text says why.
    Failed(String),
}

/// Looks for a new generation again and again; the one place that remembers what failed.
#[derive(Debug, Default)]
pub struct Reload {
    failed: Option<(String, Instant)>,
}

/// How long a generation that failed is left alone.
const AGAIN: Duration = Duration::from_secs(30);

impl Reload {
    /// One step: looks which generation is published, and serves it if it is another one that opens.
    pub fn once(&mut self, state: &AppState, index_dir: &Path) -> Outcome {
        let published = match generation::current(index_dir) {
            Ok(Some(id)) => id,
            Ok(None) => return self.fail(String::new(), &gone(index_dir)),
            Err(error) => return self.fail(String::new(), &error),
        };
        if state.generation.load().id == published {
            self.failed = None;
            return Outcome::Unchanged;
        }
        if self
            .failed
            .as_ref()
            .is_some_and(|(id, when)| *id == published && when.elapsed() < AGAIN)
        {
            return Outcome::Unchanged;
        }
        match generation::open(index_dir, &published) {
            Ok(generation) => {
                state.generation.store(Arc::new(generation));
                self.failed = None;
                Outcome::Swapped(published)
            }
            Err(error) => self.fail(published, &error),
        }
    }

    fn fail(&mut self, id: String, error: &Error) -> Outcome {
        let is_known = self.failed.as_ref().is_some_and(|(failed, _)| *failed == id);
        self.failed = Some((id, Instant::now()));
        if is_known {
            return Outcome::Unchanged;
        }
        Outcome::Failed(format!("{error:#}"))
    }
}

fn gone(index_dir: &Path) -> Error {
    let place = index_dir.display();
    anyhow!("none is named in {place} any more; `procure generations use` names one, `procure index` makes one")
}
