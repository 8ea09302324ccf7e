//! Zip archives whose members cannot unpack to more than the archive's size justifies.
//!
//! The directory of an archive states the place and length of every member. It may be forged: many
//! members can share the same bytes, and a length can be too small. So overlapping members and
//! lengths beyond [`unpacking::max_unpacked`] are refused when the archive is opened. While a member
//! is read, `zip` returns an error if it is longer than the directory states.

use std::io::{Read, Seek};

use zip::{ZipArchive, result::ZipError};

use super::unpacking;

/// Why an archive is not opened.
pub(crate) enum ZipRefusal {
    /// The archive is damaged or cut off.
    Incomplete(ZipError),
    /// The archive unpacks to too much. The text is a sentence without its subject, the archive.
    Excessive(String),
}

/// Opens an archive of this many bytes.
pub(crate) fn open<R: Read + Seek>(file: R, size: u64) -> Result<ZipArchive<R>, ZipRefusal> {
    let mut zip = ZipArchive::new(file).map_err(ZipRefusal::Incomplete)?;
    if zip.has_overlapping_entries().map_err(ZipRefusal::Incomplete)? {
        let why = "is a zip archive whose members overlap, so it was made to unpack without end";
        return Err(ZipRefusal::Excessive(why.to_owned()));
    }
    let max = unpacking::max_unpacked(size);
    let mut unpacked: u64 = 0;
    for index in 0..zip.len() {
        // A member that cannot be opened cannot be unpacked.
        unpacked = unpacked.saturating_add(zip.by_index_raw(index).map_or(0, |member| member.size()));
    }
    if unpacked > max {
        return Err(ZipRefusal::Excessive(unpacking::too_long(max)));
    }
    Ok(zip)
}
