//! Memory-mapped files of a generation.

use std::{io, marker::PhantomData, path::Path};

use bytes::Bytes;
use memmap2::{Mmap, UncheckedAdvice};

use crate::{engine::packed::Number, storage::regular_file};

/// A mapped array of little-endian numbers.
pub(crate) struct MappedArray<T> {
    map: Mmap,
    number: PhantomData<T>,
}

impl<T: Number> MappedArray<T> {
    pub(crate) fn open(path: &Path) -> io::Result<MappedArray<T>> {
        let map = map(path)?;
        if map.len() % T::BYTES != 0 {
            return Err(damaged(path));
        }
        Ok(MappedArray {
            map,
            number: PhantomData,
        })
    }

    /// Opens an array that must have this many numbers.
    pub(crate) fn open_with_length(path: &Path, length: usize) -> io::Result<MappedArray<T>> {
        let array = MappedArray::open(path)?;
        if array.len() == length {
            Ok(array)
        } else {
            Err(damaged(path))
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.map.len() / T::BYTES
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> T {
        T::read(&self.map[index * T::BYTES..(index + 1) * T::BYTES])
    }
}

/// Maps a file of a generation.
#[expect(
    unsafe_code,
    reason = "a memory map is unsafe to create: a file that changes would change behind a reference"
)]
pub(crate) fn map(path: &Path) -> io::Result<Mmap> {
    let with_path = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
    let file = regular_file::open(path).map_err(with_path)?;
    // SAFETY: files of a published generation are never written again, only unlinked, and the
    // checksums of the manifest were verified before.
    unsafe { Mmap::map(&file) }.map_err(with_path)
}

/// Takes the pages of a map out of the memory of this process. They stay in the system's cache, and reading them again
/// costs a page fault.
#[expect(unsafe_code, reason = "the system's call can change what a map holds")]
pub(crate) fn forget_pages(map: &Mmap) -> io::Result<()> {
    // SAFETY: for a shared map of a file, which `map` makes, and which nothing writes, the content stays as it is.
    unsafe { map.unchecked_advise(UncheckedAdvice::DontNeed) }
}

/// Maps a file of a generation as bytes. The file stays mapped as long as any part of them is used.
pub(crate) fn map_bytes(path: &Path) -> io::Result<Bytes> {
    map(path).map(Bytes::from_owner)
}

/// The error for a file whose length contradicts its content.
pub(crate) fn damaged(path: &Path) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{} is damaged: its length is impossible", path.display()),
    )
}
