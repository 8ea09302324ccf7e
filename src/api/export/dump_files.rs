//! The files of a dump that `serve --exports` offers: those that its descriptor lists, and no others.

use std::{
    fs::File,
    os::unix::fs::{FileExt, MetadataExt},
    path::Path,
};

use actix_web::http::{
    StatusCode,
    header::{self, HeaderValue, HttpDate},
};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    api::export::{
        descriptors::{CROISSANT, DATA_PACKAGE},
        whole::CHECKSUMS,
    },
    engine::Deadline,
    http::{
        call::Call,
        error::ApiError,
        middleware::conditional::{Tag, Validator},
        quoted::quoted,
        stream::{CHUNK_BYTES, Chunk, ChunkSource, MAX_DOWNLOADS},
        work::Work,
    },
    storage::regular_file,
};

/// The path of the files.
pub(crate) const PREFIX: &str = "/exports/";

/// The maximum size of a descriptor, in bytes.
const MAX_DESCRIPTOR_BYTES: u64 = 8 << 20;

/// The members of the descriptor that files are served by.
#[derive(Deserialize)]
pub(crate) struct Dump {
    pub(crate) version: String,
    pub(crate) resources: Vec<Resource>,
}

/// A file of the dump.
#[derive(Deserialize)]
pub(crate) struct Resource {
    pub(crate) path: String,
    mediatype: String,
    pub(crate) bytes: u64,
    pub(crate) rows: u64,
}

impl Dump {
    /// Reads the descriptor of the dump in a folder. `None` if there is none: it may be written just now.
    pub(crate) fn read(folder: &Path) -> Option<Dump> {
        serde_json::from_slice(&read(folder, DATA_PACKAGE)?).ok()
    }

    /// The media type of a file, if it is one of the dump.
    fn media_type(&self, name: &str) -> Option<&str> {
        let own = match name {
            DATA_PACKAGE => Some("application/json"),
            CROISSANT => Some("application/ld+json"),
            CHECKSUMS => Some("text/plain; charset=utf-8"),
            _ => None,
        };
        let listed = || self.resources.iter().find(|resource| resource.path == name);
        own.or_else(|| Some(listed()?.mediatype.as_str()))
    }
}

/// The description of the dump as a schema.org dataset.
pub(crate) fn dataset(folder: &Path) -> Option<Value> {
    serde_json::from_slice(&read(folder, CROISSANT)?).ok()
}

fn read(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let file = regular_file::open_in(folder, name).ok()?;
    let size = file.metadata().ok()?.len();
    let mut content = vec![0; usize::try_from(size.min(MAX_DESCRIPTOR_BYTES)).ok()?];
    file.read_exact_at(&mut content, 0).ok()?;
    Some(content)
}

/// The file that a request asks for, or the part of it.
pub(crate) fn serve(call: &Call, name: &str) -> Result<Work, ApiError> {
    let folder = call.state.exports.as_deref();
    let folder = folder.ok_or_else(|| ApiError::not_found("this server offers no dumps; export a search instead"))?;
    let absent = || {
        let name = quoted(name);
        ApiError::not_found(format!(
            "there is no file {name} here; {PREFIX}{DATA_PACKAGE} lists all files"
        ))
    };
    let dump = Dump::read(folder).ok_or_else(absent)?;
    let media_type = dump.media_type(name).ok_or_else(absent)?;
    let file = regular_file::open_in(folder, name).map_err(|_| absent())?;
    let about = file.metadata().map_err(ApiError::internal)?;
    let modified = about
        .modified()
        .map(HttpDate::from)
        .map_err(ApiError::internal)?
        .to_string();
    // Another file under this name is another inode, or was written at another time.
    let version = format!(
        "{}-{}-{}-{}",
        about.ino(),
        about.len(),
        about.mtime(),
        about.mtime_nsec()
    );
    let tag = Tag::of_file(version.as_bytes());
    let size = about.len();
    let part = call.caller.range.part(size, &tag.header(), &modified)?;
    let mut headers = vec![
        (header::CONTENT_TYPE, value(media_type)?),
        (header::ACCEPT_RANGES, HeaderValue::from_static("bytes")),
        (header::LAST_MODIFIED, value(&modified)?),
    ];
    if let Some(part) = part {
        let range = format!("bytes {}-{}/{size}", part.start, part.end - 1);
        headers.push((header::CONTENT_RANGE, value(&range)?));
    }
    let chunks = FileChunks {
        file,
        next: part.map_or(0, |part| part.start),
        length: part.map_or(size, |part| part.end - part.start),
        end: part.map_or(size, |part| part.end),
        is_part: part.is_some(),
    };
    Ok(Work::stream(headers, chunks).with_validator(Validator::Document(tag)))
}

fn value(text: &str) -> Result<HeaderValue, ApiError> {
    HeaderValue::from_str(text).map_err(ApiError::internal)
}

/// The bytes of an open file, which stay the same if another file takes its name.
struct FileChunks {
    file: File,
    next: u64,
    end: u64,
    length: u64,
    is_part: bool,
}

impl ChunkSource for FileChunks {
    fn next_chunk(&mut self, _: &Deadline) -> Result<Chunk, ApiError> {
        let length = (self.end - self.next).min(CHUNK_BYTES as u64);
        let mut bytes = vec![0; length as usize];
        self.file
            .read_exact_at(&mut bytes, self.next)
            .map_err(ApiError::internal)?;
        self.next += length;
        Ok(Chunk {
            bytes,
            is_last: self.next == self.end,
        })
    }

    /// The bytes of the file are sent as they are, so that ranges mean the same to every client.
    fn is_compressed(&self) -> bool {
        true
    }

    fn status(&self) -> StatusCode {
        if self.is_part {
            StatusCode::PARTIAL_CONTENT
        } else {
            StatusCode::OK
        }
    }

    fn length(&self) -> Option<u64> {
        Some(self.length)
    }

    fn max_of_key(&self) -> usize {
        MAX_DOWNLOADS
    }
}
