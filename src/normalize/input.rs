//! Inputs as the operator names them, opened to streams of bytes: folders walked, archives unpacked on the way.
//!
//! Archives are told by their first bytes. Files come in path order, each once however often it is named; the members of
//! a zip archive in the order of their names. What is there but cannot be opened is a stream too: of the reason.

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

use crate::{sources::FileFacts, storage::gzip::Gzip};

/// A file behind the inputs: its size, or why it has none.
pub struct Input {
    pub path: PathBuf,
    pub size: Result<u64, String>,
}

/// The files behind the inputs.
pub fn files(inputs: &[PathBuf]) -> Result<Vec<Input>> {
    let mut walk = Walk::default();
    for input in inputs {
        // A link that leads nowhere is there all the same; what is not there was named by mistake.
        fs::symlink_metadata(input).with_context(|| format!("opening {}", input.display()))?;
        walk.visit(input);
    }
    walk.leave_links();
    let found = walk.found.into_values();
    let mut files: Vec<Input> = found.map(|(path, size)| Input { path, size }).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

#[derive(Default)]
struct Walk {
    /// By the real path, so that a file named in two ways is one.
    found: BTreeMap<PathBuf, (PathBuf, Result<u64, String>)>,
    /// The real paths of the folders walked.
    folders: Vec<PathBuf>,
    /// Links to folders, which may lead back, and where they lead.
    links: Vec<(PathBuf, PathBuf)>,
}

impl Walk {
    fn visit(&mut self, path: &Path) {
        let facts = path.canonicalize().and_then(|real| Ok((fs::metadata(&real)?, real)));
        match facts {
            Ok((facts, real)) if facts.is_dir() => self.folder(path, real),
            Ok((facts, real)) => {
                // Named in two ways, the file goes by the lesser path, whichever came first.
                let named = (path.to_owned(), Ok(facts.len()));
                let known = self.found.entry(real).or_insert_with(|| named.clone());
                if named < *known {
                    *known = named;
                }
            }
            Err(error) => self.leave(path, format!("cannot be opened: {error}")),
        }
    }

    fn folder(&mut self, path: &Path, real: PathBuf) {
        let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.leave(path, format!("cannot be listed: {error}")),
        };
        self.folders.push(real);
        for entry in entries {
            let path = entry.path();
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            match path.canonicalize() {
                _ if hidden => {}
                Ok(real) if path.is_symlink() && real.is_dir() => self.links.push((path, real)),
                _ => self.visit(&path),
            }
        }
    }

    fn leave(&mut self, path: &Path, why: String) {
        self.found.insert(path.to_owned(), (path.to_owned(), Err(why)));
    }

    /// A link into a folder that was walked anyway hides nothing; any other does.
    fn leave_links(&mut self) {
        for (path, real) in std::mem::take(&mut self.links) {
            if !self.folders.contains(&real) {
                let why = "is a link to a folder, which is not followed; name the folder itself as well";
                self.leave(&path, why.to_owned());
            }
        }
    }
}

/// One text to read: a file's, or a member's of an archive.
pub struct Stream {
    pub facts: FileFacts,
    /// What it takes on disk.
    pub size: u64,
    bytes: Bytes,
}

enum Bytes {
    Plain(File),
    Gzip(File),
    Member(ZipArchive<Shared>, usize),
    None(String),
}

impl Stream {
    fn none(path: String, why: String) -> Stream {
        let modified = DateTime::default();
        Stream {
            facts: FileFacts::new(path, modified),
            size: 0,
            bytes: Bytes::None(why),
        }
    }

    /// Gives the bytes, or why there are none.
    pub fn read<T>(self, take: impl FnOnce(FileFacts, Result<&mut dyn Read, String>) -> T) -> T {
        match self.bytes {
            Bytes::Plain(mut file) => take(self.facts, Ok(&mut file)),
            Bytes::Gzip(file) => take(self.facts, Ok(&mut Gzip::new(BufReader::new(file)))),
            Bytes::Member(mut zip, number) => match zip.by_index(number) {
                Ok(mut member) => take(self.facts, Ok(&mut member)),
                Err(error) => take(self.facts, Err(format!("cannot be unpacked: {error}"))),
            },
            Bytes::None(why) => take(self.facts, Err(why)),
        }
    }
}

/// The streams of a file, each to be read by whoever is free.
pub fn streams(input: &Input) -> Vec<Stream> {
    let path = input.path.display().to_string();
    let opened = match &input.size {
        Ok(size) => open(input, path.clone(), *size).map_err(|error| format!("cannot be read: {error}")),
        Err(why) => Err(why.clone()),
    };
    opened.unwrap_or_else(|why| vec![Stream::none(path, why)])
}

fn open(input: &Input, path: String, size: u64) -> io::Result<Vec<Stream>> {
    let mut file = File::open(&input.path)?;
    let modified = file.metadata()?.modified()?.into();
    let facts = FileFacts::new(path, modified);
    let mut magic = Vec::new();
    (&mut file).take(4).read_to_end(&mut magic)?;
    file.rewind()?;
    let bytes = match magic.as_slice() {
        [0x1f, 0x8b, ..] => Bytes::Gzip(file),
        b"PK\x03\x04" | b"PK\x05\x06" => return Ok(members(facts, file, size)),
        _ => Bytes::Plain(file),
    };
    Ok(vec![Stream { facts, size, bytes }])
}

fn members(archive: FileFacts, file: File, size: u64) -> Vec<Stream> {
    let bytes = Shared {
        file: Arc::new(file),
        size,
        at: 0,
    };
    let mut zip = match ZipArchive::new(bytes) {
        Ok(zip) => zip,
        Err(error) => {
            let why = format!("is no whole zip archive ({error}); fetch it again");
            return vec![Stream::none(archive.path, why)];
        }
    };
    let mut members = Vec::new();
    for number in 0..zip.len() {
        let (name, modified, size) = match zip.by_index_raw(number) {
            Ok(member) if member.is_dir() => continue,
            Ok(member) => (
                member_name(&member, number),
                member.last_modified().and_then(utc),
                member.compressed_size(),
            ),
            Err(_) => (format!("member {number}"), None, 0),
        };
        members.push((name, number, modified.unwrap_or(archive.modified), size));
    }
    members.sort();
    let stream = |(name, number, modified, size)| Stream {
        facts: FileFacts::new(format!("{}/{name}", archive.path), modified),
        size,
        bytes: Bytes::Member(zip.clone(), number),
    };
    members.into_iter().map(stream).collect()
}

fn member_name<R: Read + ?Sized>(member: &ZipFile<'_, R>, number: usize) -> String {
    member
        .name()
        .map_or_else(|_| format!("member {number}"), |name| name.into_owned())
}

/// An archive keeps its members' times without a zone; UTC is as good as any and repeats everywhere.
fn utc(at: zip::DateTime) -> Option<DateTime<Utc>> {
    let day = NaiveDate::from_ymd_opt(at.year().into(), at.month().into(), at.day().into())?;
    let moment = day.and_hms_opt(at.hour().into(), at.minute().into(), at.second().into())?;
    Some(moment.and_utc())
}

/// An archive's bytes, opened once and read by several at their own places.
#[derive(Clone)]
struct Shared {
    file: Arc<File>,
    size: u64,
    at: u64,
}

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Shared {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}
