//! Reads the files of a generation in the background while it is served, and compares their checksums. This finds what
//! opening it by its [`super::receipt`] does not: a disk that returns other bytes than were written.

use std::{
    path::Path,
    sync::{
        Arc, OnceLock,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::Duration,
};

use anyhow::{Error, anyhow};

use super::{
    checksums::{Pace, check_paced},
    manifest::FileEntry,
    receipt,
};

/// A check in progress. It ends when this is dropped.
pub(super) struct ContentCheck {
    damage: Arc<OnceLock<String>>,
    _running: Sender<()>,
}

/// Requests of a starting server come first.
const DELAY: Duration = Duration::from_secs(30);

/// The pause after each [`Pace::BYTES`]: about 30 MB a second, some percent of a core.
const PAUSE: Duration = Duration::from_millis(30);

impl ContentCheck {
    pub(super) fn start(folder: &Path, files: &[FileEntry]) -> Option<ContentCheck> {
        ContentCheck::start_with(folder, files, DELAY, PAUSE)
    }

    /// `None` if no thread can be started: the generation is served without the check.
    fn start_with(folder: &Path, files: &[FileEntry], delay: Duration, pause: Duration) -> Option<ContentCheck> {
        let (running, stopped) = mpsc::channel();
        let damage = Arc::new(OnceLock::new());
        let (folder, files, found) = (folder.to_owned(), files.to_vec(), Arc::clone(&damage));
        let check = move || {
            if wait_unless_stopped(&stopped, delay) {
                check(&folder, &files, &stopped, pause, &found);
            }
        };
        let thread = thread::Builder::new().name("content-check".to_owned()).spawn(check);
        thread.ok().map(|_| ContentCheck {
            damage,
            _running: running,
        })
    }

    /// What is damaged, if anything that was read until now is.
    pub(super) fn damage(&self) -> Option<Error> {
        self.damage.get().map(|damage| anyhow!("{damage}"))
    }
}

/// Waits; returns false as soon as the check is dropped.
fn wait_unless_stopped(stopped: &Receiver<()>, time: Duration) -> bool {
    stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
}

fn check(folder: &Path, files: &[FileEntry], stopped: &Receiver<()>, pause: Duration, found: &OnceLock<String>) {
    let mut pace = Pace::new(|| wait_unless_stopped(stopped, pause));
    for file in files {
        match check_paced(folder, file, &mut pace) {
            Ok(true) => {}
            Ok(false) => return,
            // A file that was removed with its generation is no damage: the maps keep its content.
            Err(_) if !folder.join(&file.path).exists() => return,
            Err(error) => {
                receipt::distrust(folder);
                let _ = found.set(format!("{error:#}"));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Instant};

    use super::*;

    fn wait_for(check: &ContentCheck) -> Option<String> {
        let started = Instant::now();
        while check.damage().is_none() && started.elapsed() < Duration::from_secs(5) {
            thread::sleep(Duration::from_millis(5));
        }
        check.damage().map(|damage| damage.to_string())
    }

    #[test]
    fn changed_bytes_are_found_in_the_background() {
        let folder = tempfile::tempdir().unwrap();
        let file = |path: &str, content: &str, crc32: u32| {
            fs::write(folder.path().join(path), content).unwrap();
            FileEntry {
                path: path.to_owned(),
                bytes: content.len() as u64,
                crc32,
            }
        };
        let right = crc32fast::hash(b"whole");
        let files = [file("a", "whole", right), file("b", "whOle", right)];
        let start =
            |files: &[FileEntry], delay| ContentCheck::start_with(folder.path(), files, delay, Duration::ZERO).unwrap();
        let damage = wait_for(&start(&files, Duration::ZERO)).unwrap();
        assert!(damage.contains("/b was changed after it was written"), "{damage}");

        let whole = start(&files[..1], Duration::ZERO);
        let waiting = start(&files, Duration::from_secs(3600));
        thread::sleep(Duration::from_millis(50));
        assert!(whole.damage().is_none() && waiting.damage().is_none());
    }
}
