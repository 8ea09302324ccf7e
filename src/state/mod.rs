//! What must survive a restart and is not procurement data: a SQLite file, which `serve` and `procure keys` share while both run.
//!
//! WAL, so that readers and the one writer do not wait for each other. The layout's version is the file's `user_version`; opening runs the
//! `MIGRATIONS` that are missing. **Invariant:** `rusqlite` is named only here and below.

pub mod keys;

use std::{fs, path::Path, time::Duration};

use anyhow::{Context, ensure};
use rusqlite::{Connection, TransactionBehavior};

/// The state database, open on one connection.
pub struct State {
    connection: Connection,
}

/// Each brings the layout from its place's number to the next. Never edited once released; only added to.
const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE keys (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        sha256 BLOB NOT NULL UNIQUE,
        plan TEXT NOT NULL,
        label TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        disabled_at INTEGER
    ) STRICT;
"];

/// How long a statement waits for another process's write to end.
const BUSY: Duration = Duration::from_secs(5);

impl State {
    /// Opens the file, made if it is missing, and brings its layout up to date.
    pub fn open(path: &Path) -> anyhow::Result<State> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        }
        State::open_existing(path).with_context(|| format!("opening the state file {}", path.display()))
    }

    fn open_existing(path: &Path) -> anyhow::Result<State> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        let mut state = State { connection };
        state.migrate()?;
        Ok(state)
    }

    fn migrate(&mut self) -> anyhow::Result<()> {
        let known = MIGRATIONS.len();
        if self.version()? == known {
            return Ok(());
        }
        // Two processes may open a new file at once: the second waits here, and finds the work done.
        let version = {
            let migration = self
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            let version = version(&migration)?;
            for step in MIGRATIONS.iter().skip(version) {
                migration.execute_batch(step)?;
            }
            if version < known {
                migration.pragma_update(None, "user_version", known as u32)?;
            }
            migration.commit()?;
            version
        };
        ensure!(
            version <= known,
            "its layout is version {version}, and this program knows {known}; use the newer program that wrote it"
        );
        Ok(())
    }

    fn version(&self) -> anyhow::Result<usize> {
        version(&self.connection)
    }

    /// A number that changes when another connection has written.
    fn data_version(&self) -> anyhow::Result<i64> {
        let version = self
            .connection
            .pragma_query_value(None, "data_version", |row| row.get(0));
        version.context("reading the state file's data version")
    }
}

fn version(connection: &Connection) -> anyhow::Result<usize> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(version as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_made_once_and_a_newer_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/state.db");
        for _ in 0..2 {
            let state = State::open(&path).unwrap();
            assert_eq!(state.version().unwrap(), MIGRATIONS.len());
        }
        let state = State::open(&path).unwrap();
        state.connection.pragma_update(None, "user_version", 99).unwrap();
        let error = format!("{:#}", State::open(&path).err().unwrap());
        assert!(error.contains("its layout is version 99"), "{error}");
    }

    #[test]
    fn what_is_no_database_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        std::fs::write(&path, "x".repeat(4096)).unwrap();
        let error = format!("{:#}", State::open(&path).err().unwrap());
        assert!(error.contains("opening the state file"), "{error}");
    }
}
