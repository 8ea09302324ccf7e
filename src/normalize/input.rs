//! The input files: lists folders, recognizes archives, and opens files and archive members as
//! streams of bytes.
//!
//! Archives are recognized by their first bytes. Files come in path order, each once even if it is
//! named more than once; the members of a zip archive come in the order of their names. A file that
//! exists but cannot be opened, or is not a regular file, becomes a stream with the reason instead of
//! content. So does an archive that would unpack to far more than its size.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufReader, Read, Seek, SeekFrom},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result};
use chrono::{DateTime, NaiveDate, Utc};
use zip::{ZipArchive, read::ZipFile};

use crate::{
    model::printable::printable,
    sources::reading::FileInfo,
    storage::{
        gzip::GzipReader,
        regular_file,
        unpacking::BoundedReader,
        zip_archive::{self, ZipRefusal},
    },
};

pub(crate) struct InputFile {
    pub(crate) path: PathBuf,
    /// Size in bytes, or why the file cannot be opened.
    pub(crate) size: Result<u64, String>,
}

/// Lists the files that the inputs name or contain. An input that does not exist is an error.
pub(crate) fn list_files(inputs: &[PathBuf]) -> Result<Vec<InputFile>> {
    let mut walk = FolderWalk::default();
    for input in inputs {
        // A broken link exists, so it is reported as a file that was left out.
        fs::symlink_metadata(input).with_context(|| format!("opening {}", input.display()))?;
        walk.visit(input);
    }
    walk.report_links();
    let found = walk.found.into_values();
    let mut files: Vec<InputFile> = found.map(|(path, size)| InputFile { path, size }).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

#[derive(Default)]
struct FolderWalk {
    /// By canonical path, so that a file with two names is listed once.
    found: BTreeMap<PathBuf, (PathBuf, Result<u64, String>)>,
    /// The canonical paths of the folders that were listed.
    folders: Vec<PathBuf>,
    /// Links to folders, and their targets. They are not followed, because they may lead back.
    links: Vec<(PathBuf, PathBuf)>,
}

impl FolderWalk {
    fn visit(&mut self, path: &Path) {
        let found = path.canonicalize().and_then(|real| Ok((fs::metadata(&real)?, real)));
        match found {
            Ok((metadata, real)) if metadata.is_dir() => self.list_folder(path, real),
            Ok((metadata, real)) => {
                if let Some(name) = regular_file::irregular_type(metadata.file_type()) {
                    return self.report(path, format!("is {name}, not a regular file"));
                }
                // A file with two names has the lesser one, whichever was found first.
                let named = (path.to_owned(), Ok(metadata.len()));
                let known = self.found.entry(real).or_insert_with(|| named.clone());
                if named < *known {
                    *known = named;
                }
            }
            Err(error) => self.report(path, format!("cannot be opened: {error}")),
        }
    }

    fn list_folder(&mut self, path: &Path, real: PathBuf) {
        let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.report(path, format!("cannot be listed: {error}")),
        };
        self.folders.push(real);
        for entry in entries {
            let path = entry.path();
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if is_hidden {
                continue;
            }
            match path.canonicalize() {
                Ok(real) if path.is_symlink() && real.is_dir() => self.links.push((path, real)),
                _ => self.visit(&path),
            }
        }
    }

    fn report(&mut self, path: &Path, why: String) {
        self.found.insert(path.to_owned(), (path.to_owned(), Err(why)));
    }

    /// Reports the links to folders that were not listed otherwise.
    fn report_links(&mut self) {
        for (path, real) in std::mem::take(&mut self.links) {
            if !self.folders.contains(&real) {
                let why = "is a link to a folder, which is not followed; name the folder itself as well";
                self.report(&path, why.to_owned());
            }
        }
    }
}

/// A file or a member of an archive.
pub(crate) struct InputStream {
    pub(crate) file: FileInfo,
    /// Bytes on disk, compressed if the file is.
    pub(crate) size: u64,
    content: Content,
}

enum Content {
    Plain(File),
    Gzip(File),
    ZipMember(ZipArchive<SharedFile>, usize),
    /// Why there is no content.
    Unreadable(String),
}

impl InputStream {
    fn unreadable(path: String, why: String) -> InputStream {
        let modified = DateTime::default();
        InputStream {
            file: FileInfo::new(path, modified),
            size: 0,
            content: Content::Unreadable(why),
        }
    }

    /// Passes the content to `take`, or the reason why there is none.
    pub(crate) fn read<T>(self, take: impl FnOnce(FileInfo, Result<&mut dyn Read, String>) -> T) -> T {
        match self.content {
            Content::Plain(mut file) => take(self.file, Ok(&mut file)),
            Content::Gzip(file) => {
                let unpacked = GzipReader::new(BufReader::new(file));
                take(self.file, Ok(&mut BoundedReader::of_compressed(unpacked, self.size)))
            }
            Content::ZipMember(mut zip, index) => match zip.by_index(index) {
                Ok(mut member) => take(self.file, Ok(&mut member)),
                Err(error) => take(self.file, Err(format!("cannot be unpacked: {error}"))),
            },
            Content::Unreadable(why) => take(self.file, Err(why)),
        }
    }
}

/// The streams of a file: one, or one for each member of a zip archive. They can be read in
/// parallel.
pub(crate) fn open_streams(input: &InputFile) -> Vec<InputStream> {
    let path = printable(&input.path.to_string_lossy()).into_owned();
    let opened = match &input.size {
        Ok(size) => open(input, path.clone(), *size).map_err(|error| format!("cannot be read: {error}")),
        Err(why) => Err(why.clone()),
    };
    opened.unwrap_or_else(|why| vec![InputStream::unreadable(path, why)])
}

fn open(input: &InputFile, path: String, size: u64) -> io::Result<Vec<InputStream>> {
    let mut content = regular_file::open(&input.path)?;
    let modified = content.metadata()?.modified()?.into();
    let file = FileInfo::new(path, modified);
    let mut magic = Vec::new();
    (&mut content).take(4).read_to_end(&mut magic)?;
    content.rewind()?;
    let content = match magic.as_slice() {
        [0x1f, 0x8b, ..] => Content::Gzip(content),
        b"PK\x03\x04" | b"PK\x05\x06" => return Ok(open_members(file, content, size)),
        _ => Content::Plain(content),
    };
    Ok(vec![InputStream { file, size, content }])
}

fn open_members(archive: FileInfo, file: File, size: u64) -> Vec<InputStream> {
    let bytes = SharedFile {
        file: Arc::new(file),
        size,
        position: 0,
    };
    let mut zip = match zip_archive::open(bytes, size) {
        Ok(zip) => zip,
        Err(refusal) => {
            let why = match refusal {
                ZipRefusal::Incomplete(error) => format!("is not a complete zip archive ({error}); fetch it again"),
                ZipRefusal::Excessive(why) => why,
            };
            return vec![InputStream::unreadable(archive.path, why)];
        }
    };
    let mut members = Vec::new();
    for index in 0..zip.len() {
        let (name, modified, size) = match zip.by_index_raw(index) {
            Ok(member) if member.is_dir() => continue,
            Ok(member) => (
                member_name(&member, index),
                member.last_modified().and_then(utc),
                member.compressed_size(),
            ),
            Err(_) => (format!("member {index}"), None, 0),
        };
        members.push((name, index, modified.unwrap_or(archive.modified), size));
    }
    members.sort();
    let stream = |(name, index, modified, size): (String, _, _, _)| InputStream {
        file: FileInfo::new(format!("{}/{}", archive.path, printable(&name)), modified),
        size,
        content: Content::ZipMember(zip.clone(), index),
    };
    members.into_iter().map(stream).collect()
}

fn member_name<R: Read + ?Sized>(member: &ZipFile<'_, R>, index: usize) -> String {
    member
        .name()
        .map_or_else(|_| format!("member {index}"), |name| name.into_owned())
}

/// A zip archive has the times of its members without a time zone. They are read as UTC, so that
/// the result is the same on every machine.
fn utc(at: zip::DateTime) -> Option<DateTime<Utc>> {
    let day = NaiveDate::from_ymd_opt(at.year().into(), at.month().into(), at.day().into())?;
    let moment = day.and_hms_opt(at.hour().into(), at.minute().into(), at.second().into())?;
    Some(moment.and_utc())
}

/// An archive that is open once. Each clone has a position of its own.
#[derive(Clone)]
struct SharedFile {
    file: Arc<File>,
    size: u64,
    position: u64,
}

impl Read for SharedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for SharedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = position.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}
