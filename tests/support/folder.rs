//! Temporary folders that are removed with the test process, however it ends.

use std::{
    process::{Child, Command, Stdio},
    sync::LazyLock,
};

use tempfile::TempDir;

/// The folder of a test process, and the shell that removes it when the pipe to it closes, because the process has
/// ended.
static OF_PROCESS: LazyLock<(TempDir, Child)> = LazyLock::new(|| {
    let folder = tempfile::Builder::new().prefix("procure-tests-").tempdir().unwrap();
    let remover = Command::new("sh")
        .args(["-c", "trap '' INT TERM; cat; rm -rf \"$0\""])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    (folder, remover.unwrap())
});

/// A folder that may belong to a `static`, whose destructor never runs.
pub fn folder() -> TempDir {
    tempfile::tempdir_in(OF_PROCESS.0.path()).unwrap()
}
