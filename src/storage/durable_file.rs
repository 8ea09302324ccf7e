//! A file whose content is on its way to the disk while it is being written, so that in the end little is left to wait for.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
    sync::Arc,
    thread::{Builder, JoinHandle},
};

pub struct Durable {
    file: BufWriter<Arc<File>>,
    /// Bytes written since the disk was last told to take what is there.
    waiting: usize,
    /// The thread that waits for the disk, and what the disk said.
    syncing: Option<JoinHandle<io::Result<()>>>,
}

/// The disk is told after so many bytes.
const STEP: usize = if cfg!(test) { 1 << 20 } else { 16 << 20 };

impl Durable {
    pub fn create(path: &Path) -> io::Result<Durable> {
        Ok(Durable {
            file: BufWriter::with_capacity(256 << 10, Arc::new(File::create(path)?)),
            waiting: 0,
            syncing: None,
        })
    }

    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.waiting += bytes.len();
        let is_idle = self.syncing.as_ref().is_none_or(JoinHandle::is_finished);
        if self.waiting >= STEP && is_idle {
            self.synced()?;
            self.waiting = 0;
            let file = self.file.get_ref().clone();
            // Without a thread the whole is waited for in the end.
            self.syncing = Builder::new().spawn(move || file.sync_data()).ok();
        }
        Ok(())
    }

    /// Waits until all is on the disk: it stays whole even if the power fails.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.synced()?;
        self.file.get_ref().sync_all()
    }

    /// A failure is told once, to whoever asked first: that is the thread.
    fn synced(&mut self) -> io::Result<()> {
        match self.syncing.take().map(JoinHandle::join) {
            Some(Ok(synced)) => synced,
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_is_there_in_its_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dump");
        let mut file = Durable::create(&path).unwrap();
        let lines: Vec<String> = (0..5).map(|line| line.to_string().repeat(STEP / 2)).collect();
        for line in &lines {
            file.append(line.as_bytes()).unwrap();
        }
        assert!(file.syncing.is_some());
        file.finish().unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), lines.concat());
    }

    #[test]
    fn what_the_disk_said_meanwhile_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = Durable::create(&folder.path().join("dump")).unwrap();
        file.syncing = Some(std::thread::spawn(|| Err(io::ErrorKind::StorageFull.into())));
        assert_eq!(file.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_full_disk_is_told() {
        let mut file = Durable::create(Path::new("/dev/full")).unwrap();
        let written = file.append(&vec![b'x'; 2 * STEP]).and_then(|()| file.finish());
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
