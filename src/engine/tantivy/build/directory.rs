//! The directory that an index is built in. It flushes nothing to disk: a generation is flushed as a whole before it is
//! published, and flushing every file of every field first would wait for the disk dozens of times.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
    error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError},
};

#[derive(Clone, Debug)]
pub(super) struct BuildDirectory {
    reading: MmapDirectory,
    folder: PathBuf,
}

impl BuildDirectory {
    pub(super) fn open(folder: &Path) -> Result<BuildDirectory, OpenDirectoryError> {
        Ok(BuildDirectory {
            reading: MmapDirectory::open(folder)?,
            folder: folder.to_owned(),
        })
    }
}

/// A new file, which nothing flushes to disk.
struct NewFile(File);

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for NewFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

impl Directory for BuildDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.reading.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.reading.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.reading.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = File::create_new(self.folder.join(path)).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(error, path.to_owned()),
        })?;
        Ok(BufWriter::new(Box::new(NewFile(file))))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.reading.atomic_read(path)
    }

    /// Nothing reads the file before the build has ended.
    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::write(self.folder.join(path), bytes)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.reading.acquire_lock(lock)
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
