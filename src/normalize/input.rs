//! Inputs as the operator names them, opened to streams of bytes: folders walked, archives unpacked on the way.
//!
//! Archives are told by their first bytes. Files come in path order, each once however often it is named; the members of
//! a zip archive in the order of their names.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{Read, Seek},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use chrono::{DateTime, NaiveDate, Utc};
use flate2::read::MultiGzDecoder;
use zip::{ZipArchive, read::ZipFile};

use crate::sources::FileFacts;

/// The files behind the inputs, with their sizes.
pub fn files(inputs: &[PathBuf]) -> Result<Vec<(PathBuf, u64)>> {
    let mut found = BTreeMap::new();
    for input in inputs {
        walk(input, &mut found)?;
    }
    let mut files: Vec<(PathBuf, u64)> = found.into_values().collect();
    files.sort();
    Ok(files)
}

/// `found` is keyed by the real path, which also ends walks through links that lead back.
fn walk(path: &Path, found: &mut BTreeMap<PathBuf, (PathBuf, u64)>) -> Result<()> {
    let real = path
        .canonicalize()
        .with_context(|| format!("opening {}", path.display()))?;
    let facts = fs::metadata(&real).with_context(|| format!("opening {}", path.display()))?;
    if !facts.is_dir() {
        // Named in two ways, the file goes by the lesser path, whichever came first.
        let named = (path.to_owned(), facts.len());
        let known = found.entry(real).or_insert_with(|| named.clone());
        if named < *known {
            *known = named;
        }
        return Ok(());
    }
    for entry in fs::read_dir(path).with_context(|| format!("reading {}", path.display()))? {
        let entry = entry.with_context(|| format!("reading {}", path.display()))?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        // A link to a folder is left alone: it may lead back here.
        let linked_folder = entry.path().is_symlink() && entry.path().is_dir();
        if !hidden && !linked_folder {
            walk(&entry.path(), found)?;
        }
    }
    Ok(())
}

/// Takes each stream of a file: its facts, and the bytes or why there are none.
type Visit<'a> = &'a mut dyn FnMut(FileFacts, Result<&mut dyn Read, String>) -> Result<()>;

pub fn open(path: &Path, visit: Visit) -> Result<()> {
    let opening = || format!("opening {}", path.display());
    let mut file = File::open(path).with_context(opening)?;
    let modified = file
        .metadata()
        .and_then(|facts| facts.modified())
        .with_context(opening)?;
    let facts = FileFacts {
        path: path.display().to_string(),
        modified: modified.into(),
    };
    let mut magic = Vec::new();
    if let Err(error) = (&mut file).take(4).read_to_end(&mut magic) {
        return visit(facts, Err(format!("cannot be read: {error}")));
    }
    file.rewind().with_context(opening)?;
    match magic.as_slice() {
        [0x1f, 0x8b, ..] => visit(facts, Ok(&mut MultiGzDecoder::new(file))),
        b"PK\x03\x04" | b"PK\x05\x06" => unzip(facts, file, visit),
        _ => visit(facts, Ok(&mut file)),
    }
}

fn unzip(archive: FileFacts, file: File, visit: Visit) -> Result<()> {
    let mut zip = match ZipArchive::new(file) {
        Ok(zip) => zip,
        Err(error) => {
            return visit(
                archive,
                Err(format!("is no whole zip archive ({error}); fetch it again")),
            );
        }
    };
    let mut members: Vec<(String, usize)> = Vec::new();
    for number in 0..zip.len() {
        match zip.by_index_raw(number) {
            Ok(member) if member.is_dir() => {}
            Ok(member) => members.push((member_name(&member, number), number)),
            Err(_) => members.push((format!("member {number}"), number)),
        }
    }
    members.sort();
    for (name, number) in members {
        let mut facts = FileFacts {
            path: format!("{}/{name}", archive.path),
            modified: archive.modified,
        };
        match zip.by_index(number) {
            Ok(mut member) => {
                facts.modified = member.last_modified().and_then(utc).unwrap_or(archive.modified);
                visit(facts, Ok(&mut member))?;
            }
            Err(error) => visit(facts, Err(format!("cannot be unpacked: {error}")))?,
        }
    }
    Ok(())
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
