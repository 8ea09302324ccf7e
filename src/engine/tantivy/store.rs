//! The records themselves, beside the index: `records.ndjson` holds their bytes in document order, one a line, `records.offsets` where each begins.
//!
//! Both are mapped, so a page costs what the bytes it sends cost. The file is NDJSON in earnest: any tool can read it.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use memmap2::{Advice, Mmap};

pub const RECORDS: &str = "records.ndjson";
pub const OFFSETS: &str = "records.offsets";

/// The records of a kind, by document number.
pub struct Store {
    records: Bytes,
    offsets: Mapped<u64>,
}

impl Store {
    pub fn open(folder: &Path) -> io::Result<Store> {
        let path = folder.join(RECORDS);
        let map = map(&path)?;
        // Pages of a filtered search are scattered: reading ahead would fetch what nobody asked for.
        #[cfg(unix)]
        map.advise(Advice::Random)?;
        let store = Store {
            records: Bytes::from_owner(map),
            offsets: Mapped::open(&folder.join(OFFSETS))?,
        };
        let end = store.offsets.len().checked_sub(1).map(|last| store.offsets.get(last));
        if end != Some(store.records.len() as u64) {
            return Err(damaged(&path));
        }
        Ok(store)
    }

    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn get(&self, document: u32) -> Bytes {
        let document = document as usize;
        let (start, end) = (
            self.offsets.get(document) as usize,
            self.offsets.get(document + 1) as usize,
        );
        // The line's end is not the record's.
        self.records.slice(start..end.saturating_sub(1).max(start))
    }
}

/// A mapped file of little-endian numbers.
pub struct Mapped<T> {
    map: Mmap,
    number: std::marker::PhantomData<T>,
}

/// A number that [`Mapped`] can hold.
pub trait Number: Copy {
    const BYTES: usize;
    fn read(bytes: &[u8]) -> Self;
}

impl Number for u64 {
    const BYTES: usize = 8;
    fn read(bytes: &[u8]) -> u64 {
        bytes.try_into().map_or(0, u64::from_le_bytes)
    }
}

impl Number for u8 {
    const BYTES: usize = 1;
    fn read(bytes: &[u8]) -> u8 {
        bytes.first().copied().unwrap_or_default()
    }
}

impl Number for u16 {
    const BYTES: usize = 2;
    fn read(bytes: &[u8]) -> u16 {
        bytes.try_into().map_or(0, u16::from_le_bytes)
    }
}

impl Number for u32 {
    const BYTES: usize = 4;
    fn read(bytes: &[u8]) -> u32 {
        bytes.try_into().map_or(0, u32::from_le_bytes)
    }
}

impl<T: Number> Mapped<T> {
    pub fn open(path: &Path) -> io::Result<Mapped<T>> {
        let map = map(path)?;
        if map.len() % T::BYTES != 0 {
            return Err(damaged(path));
        }
        Ok(Mapped {
            map,
            number: std::marker::PhantomData,
        })
    }

    pub fn len(&self) -> usize {
        self.map.len() / T::BYTES
    }

    #[inline]
    pub fn get(&self, index: usize) -> T {
        T::read(&self.map[index * T::BYTES..(index + 1) * T::BYTES])
    }
}

/// Maps a file of a generation.
pub fn map(path: &Path) -> io::Result<Mmap> {
    let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
    let file = File::open(path).map_err(named)?;
    // SAFETY: files of a published generation are never written again, only unlinked, and the checksums of the
    // manifest were verified before.
    unsafe { Mmap::map(&file) }.map_err(named)
}

fn damaged(path: &Path) -> io::Error {
    let path: PathBuf = path.to_owned();
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{} is damaged: its length is impossible", path.display()),
    )
}
