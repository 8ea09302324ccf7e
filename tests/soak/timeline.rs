//! Which builds may be served at a moment.

use std::{collections::HashMap, sync::Arc, time::Instant};

use crate::builds::Build;

/// The builds that are or were published, by generation, and when.
#[derive(Default)]
pub struct Timeline {
    entries: Vec<Entry>,
    generations: HashMap<String, Arc<Build>>,
}

struct Entry {
    build: Arc<Build>,
    /// From here on the build may be published.
    since: Instant,
    /// From here on another build is certainly served.
    until: Option<Instant>,
}

impl Timeline {
    /// Notes that a command has begun that will publish this build, if it ends well.
    pub fn may_publish(&mut self, build: &Arc<Build>) {
        self.entries.push(Entry {
            build: Arc::clone(build),
            since: Instant::now(),
            until: None,
        });
    }

    /// Notes that this build is published as this generation, and that no command is running.
    pub fn published(&mut self, build: &Arc<Build>, generation: &str) {
        self.generations.insert(generation.to_owned(), Arc::clone(build));
        for entry in &mut self.entries {
            if entry.build.number == build.number {
                entry.until = None;
            }
        }
    }

    /// Notes that the server has answered from this published build: no later request gets another one.
    pub fn served(&mut self, build: &Build) {
        let now = Instant::now();
        for entry in &mut self.entries {
            if entry.build.number != build.number && entry.until.is_none() {
                entry.until = Some(now);
            }
        }
    }

    /// Notes that the command ended without publishing this build.
    pub fn not_published(&mut self, build: &Build) {
        let at = self
            .entries
            .iter()
            .rposition(|entry| entry.build.number == build.number && entry.until.is_none());
        if let Some(at) = at {
            self.entries.remove(at);
        }
    }

    /// The builds that may answer a request of this time.
    pub fn allowed(&self, from: Instant, to: Instant) -> Vec<Arc<Build>> {
        let is_allowed = |entry: &&Entry| entry.since <= to && entry.until.is_none_or(|until| until >= from);
        self.entries
            .iter()
            .rev()
            .filter(is_allowed)
            .map(|entry| Arc::clone(&entry.build))
            .collect()
    }

    /// The newest build that may be published.
    pub fn newest(&self) -> Arc<Build> {
        Arc::clone(
            &self
                .entries
                .last()
                .expect("a build is published before the load begins")
                .build,
        )
    }

    /// Forgets that earlier builds may still be served: a server has just started.
    pub fn restarted(&mut self) {
        self.entries.retain(|entry| entry.until.is_none());
    }

    /// The build of a generation.
    pub fn of_generation(&self, generation: &str) -> Option<Arc<Build>> {
        self.generations.get(generation).map(Arc::clone)
    }
}
