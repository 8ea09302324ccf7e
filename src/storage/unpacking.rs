//! How far compressed files may be unpacked.
//!
//! A few kilobytes can unpack to many gigabytes, which would keep a run busy for hours.
//!
//! Decision D-180: unpacked data may be [`MAX_RATIO`] times as long as the compressed file, plus
//! [`FREE_BYTES`], and never longer than [`MAX_BYTES`]. Publishers' files are 2 to 15 times as long
//! as their compressed form.

use std::io::{self, Read};

/// Maximum of unpacked bytes for each compressed byte. The formats reach 1,032 (gzip and zip) and
/// more (zstd) with zeros.
const MAX_RATIO: u64 = 200;

/// Bytes that any file may unpack to.
const FREE_BYTES: u64 = 64 << 20;

/// Maximum of unpacked bytes of a file, or of all members of a zip archive: 64 GiB.
const MAX_BYTES: u64 = 64 << 30;

/// The number of bytes that a compressed file of this length may unpack to.
pub(crate) fn max_unpacked(compressed: u64) -> u64 {
    compressed
        .saturating_mul(MAX_RATIO)
        .saturating_add(FREE_BYTES)
        .min(MAX_BYTES)
}

/// The sentence about a file that unpacks to more than `max` bytes; its subject is the file.
pub(crate) fn too_long(max: u64) -> String {
    format!(
        "unpacks to more than {} MiB, the maximum for a compressed file of its size; if it is genuine, unpack it first",
        max >> 20
    )
}

/// Passes on at most `max` bytes. More are an error.
pub(crate) struct BoundedReader<R> {
    inner: R,
    max: u64,
    left: u64,
}

impl<R: Read> BoundedReader<R> {
    /// Reads the unpacked content of a file that has this many compressed bytes.
    pub(crate) fn of_compressed(inner: R, compressed: u64) -> BoundedReader<R> {
        let max = max_unpacked(compressed);
        BoundedReader { inner, max, left: max }
    }
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => {
                let why = format!("it {}", too_long(self.max));
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_grows_with_the_file_up_to_the_maximum() {
        assert_eq!(max_unpacked(0), 64 << 20);
        assert_eq!(max_unpacked(1 << 20), 264 << 20);
        assert_eq!(max_unpacked(u64::MAX), 64 << 30);
        let mut endless = BoundedReader::of_compressed(io::repeat(0), 1000);
        let error = io::copy(&mut endless, &mut io::sink()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "it unpacks to more than 64 MiB, the maximum for a compressed file of its size; if it is genuine, unpack it first"
        );
    }
}
