//! Files that survive a power failure: writes, renames and folders are flushed to the disk.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
    sync::Arc,
    thread::{Builder, JoinHandle},
};

/// A file is flushed in the background each time that this many bytes were written.
const FLUSH_BYTES: usize = if cfg!(test) { 1 << 20 } else { 16 << 20 };

/// A file that is flushed to the disk while it is written, so that little remains to wait for at
/// the end.
pub(crate) struct DurableFile {
    file: BufWriter<Arc<File>>,
    /// Bytes written since the last flush began.
    unflushed: usize,
    /// The thread of the current flush.
    flushing: Option<JoinHandle<io::Result<()>>>,
}

impl DurableFile {
    pub(crate) fn create(path: &Path) -> io::Result<DurableFile> {
        Ok(DurableFile {
            file: BufWriter::with_capacity(256 << 10, Arc::new(File::create(path)?)),
            unflushed: 0,
            flushing: None,
        })
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.unflushed += bytes.len();
        let is_idle = self.flushing.as_ref().is_none_or(JoinHandle::is_finished);
        if self.unflushed >= FLUSH_BYTES && is_idle {
            self.join_flush()?;
            self.unflushed = 0;
            let file = self.file.get_ref().clone();
            // If no thread can be started, `finish` flushes everything.
            self.flushing = Builder::new().spawn(move || file.sync_data()).ok();
        }
        Ok(())
    }

    /// Waits until the whole file is on the disk.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.join_flush()?;
        self.file.get_ref().sync_all()
    }

    /// The result of the flush in the background. The system reports an error only once, to that
    /// thread.
    fn join_flush(&mut self) -> io::Result<()> {
        match self.flushing.take().map(JoinHandle::join) {
            Some(Ok(flushed)) => flushed,
            _ => Ok(()),
        }
    }
}

/// Writes a whole file and flushes it.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Renames a file or folder, which may replace a file, and flushes the change. The content must be
/// on the disk already.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => sync_folder(Path::new(".")),
    }
}

/// Flushes the list of a folder's entries.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appended_bytes_are_written_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dump");
        let mut file = DurableFile::create(&path).unwrap();
        let lines: Vec<String> = (0..5).map(|line| line.to_string().repeat(FLUSH_BYTES / 2)).collect();
        for line in &lines {
            file.append(line.as_bytes()).unwrap();
        }
        assert!(file.flushing.is_some());
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), lines.concat());
    }

    #[test]
    fn an_error_of_a_background_flush_is_returned() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = DurableFile::create(&folder.path().join("dump")).unwrap();
        file.flushing = Some(std::thread::spawn(|| Err(io::ErrorKind::StorageFull.into())));
        assert_eq!(file.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let mut file = DurableFile::create(Path::new("/dev/full")).unwrap();
        let written = file.append(&vec![b'x'; 2 * FLUSH_BYTES]).and_then(|()| file.finish());
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_rename_replaces_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let [new, old] = ["new", "old"].map(|name| folder.path().join(name));
        write(&old, b"old").unwrap();
        write(&new, b"new").unwrap();
        rename(&new, &old).unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), "new");
        assert!(!new.exists());
    }
}
