//! Reading normalized dumps: NDJSON files, `<dumps>/<entity_type>/<source_id>.ndjson`, plain, `.gz`
//! or `.zst`.
//!
//! The files of an entity type come in path order. Each line has its number, so that messages can
//! name file and line. Memory never holds more than [`MAX_RECORD_BYTES`] of a line.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use anyhow::Context;

use crate::{
    model::EntityType,
    storage::{gzip::GzipReader, regular_file, unpacking::BoundedReader},
};

/// Decision D-181: the maximum length of a record, which is a line without its line end, in bytes.
/// A longer one is skipped and reported. A page of the API has up to 500 records, so this bounds
/// what one request can ask for. The longest known records have under 64 KiB.
pub(crate) const MAX_RECORD_BYTES: usize = 256 << 10;

/// How much of the `record_id` of a record that is too long is kept, in characters. Ids that an
/// index accepts are shorter.
const MAX_ID_CHARS: usize = 512;

/// The file next to the folders of the dumps with the words of commodity codes.
pub(crate) const COMMODITIES: &str = "commodities.ndjson";

/// The folder next to those of the dumps with the bids of notices, `<source_id>.ndjson`.
pub(crate) const BIDS: &str = "bids";

/// The file next to the folders of the dumps with what publishers state about suppliers.
pub(crate) const SUPPLIERS: &str = "suppliers.ndjson";

/// The file name extensions of dumps, longest first.
const EXTENSIONS: [&str; 3] = [".ndjson.gz", ".ndjson.zst", ".ndjson"];

/// One dump file.
#[derive(Clone, Debug)]
pub(crate) struct DumpFile {
    pub(crate) path: PathBuf,
    pub(crate) source_id: String,
}

/// The dumps of an entity type, in path order; none if the entity type has no folder.
pub(crate) fn list(dumps: &Path, entity_type: EntityType) -> anyhow::Result<Vec<DumpFile>> {
    list_folder(&dumps.join(entity_type.name()))
}

/// The dumps of bids, in path order; none if there is no folder.
pub(crate) fn list_bids(dumps: &Path) -> anyhow::Result<Vec<DumpFile>> {
    list_folder(&dumps.join(BIDS))
}

/// The dump of the bids of a source.
pub(crate) fn bids_path(dumps: &Path, source_id: &str) -> PathBuf {
    dumps.join(BIDS).join(format!("{source_id}.ndjson"))
}

fn list_folder(folder: &Path) -> anyhow::Result<Vec<DumpFile>> {
    let mut found: Vec<DumpFile> = entries(folder)?.into_iter().filter_map(dump_at).collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// The files and folders in the folder of dumps that are not dumps, in path order: a misspelled
/// entity type, a file with another extension. Hidden files and unfinished dumps (`.tmp`) are
/// ignored.
pub(crate) fn unknown_files(dumps: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut unknown = Vec::new();
    for path in entries(dumps)? {
        let name = path.file_name().and_then(|name| name.to_str());
        match name {
            Some(name) if path.is_dir() && (name == BIDS || EntityType::parse(name).is_some()) => {
                unknown.extend(
                    entries(&path)?
                        .into_iter()
                        .filter(|path| dump_at(path.clone()).is_none()),
                );
            }
            _ if path.is_file() && is_side_file(&path) => {}
            _ => unknown.push(path),
        }
    }
    unknown.sort();
    Ok(unknown)
}

/// Whether a file next to the folders of the dumps belongs there.
fn is_side_file(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name == COMMODITIES || name == SUPPLIERS)
}

/// The dump at a path, if the path is named like a dump.
fn dump_at(path: PathBuf) -> Option<DumpFile> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let source_id = EXTENSIONS.iter().find_map(|extension| name.strip_suffix(extension))?;
    if !path.is_file() {
        return None;
    }
    Some(DumpFile {
        source_id: source_id.to_owned(),
        path,
    })
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let listing = || format!("listing {}", folder.display());
    let entries = match folder.read_dir() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(listing)?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.with_context(listing)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with('.') && !name.ends_with(".tmp") {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Reads the lines of a dump, which may be compressed.
pub(crate) struct DumpLineReader {
    input: Box<dyn BufRead + Send>,
    number: u64,
}

/// A line's number, from 1, and whether the line was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DumpLine {
    Read(u64),
    /// The line is longer than [`MAX_RECORD_BYTES`] and was skipped. Its `record_id`, if its
    /// beginning states one, cut to [`MAX_ID_CHARS`].
    TooLong(u64, Option<String>),
}

impl DumpLineReader {
    pub(crate) fn open(path: &Path) -> io::Result<DumpLineReader> {
        let file = regular_file::open(path)?;
        let size = file.metadata()?.len();
        let file = BufReader::with_capacity(1 << 20, file);
        let input: Box<dyn BufRead + Send> = match path.extension().and_then(|e| e.to_str()) {
            Some("gz") => unpacked(GzipReader::new(file), size),
            Some("zst") => unpacked(zstd::Decoder::with_buffer(file)?, size),
            _ => Box::new(file),
        };
        Ok(DumpLineReader::new(input))
    }

    pub(crate) fn new(input: Box<dyn BufRead + Send>) -> DumpLineReader {
        DumpLineReader { input, number: 0 }
    }

    /// Appends the next line that is not blank to `buffer`, without its line end. Returns `None` at
    /// the end of the file.
    pub(crate) fn next_line(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<DumpLine>> {
        let start = buffer.len();
        loop {
            self.number += 1;
            let mut line = (&mut self.input).take(MAX_RECORD_BYTES as u64 + 1);
            if line.read_until(b'\n', buffer)? == 0 {
                return Ok(None);
            }
            let is_ended = buffer.ends_with(b"\n");
            if buffer.len() - start - usize::from(is_ended) > MAX_RECORD_BYTES {
                let id = record_id(&buffer[start..]);
                buffer.truncate(start);
                if !is_ended {
                    self.input.skip_until(b'\n')?;
                }
                return Ok(Some(DumpLine::TooLong(self.number, id)));
            }
            if self.number == 1 && buffer[start..].starts_with("\u{feff}".as_bytes()) {
                buffer.drain(start..start + 3);
            }
            while buffer.len() > start && buffer.last().is_some_and(u8::is_ascii_whitespace) {
                buffer.pop();
            }
            if buffer.len() > start {
                return Ok(Some(DumpLine::Read(self.number)));
            }
        }
    }
}

fn unpacked(content: impl Read + Send + 'static, compressed: u64) -> Box<dyn BufRead + Send> {
    let bounded = BoundedReader::of_compressed(content, compressed);
    Box::new(BufReader::with_capacity(1 << 20, bounded))
}

/// The `record_id` in the beginning of a record. It comes first in the dumps of `normalize`.
fn record_id(start: &[u8]) -> Option<String> {
    const NAME: &[u8] = b"\"record_id\"";
    let at = start.windows(NAME.len()).position(|name| name == NAME)?;
    let value = start[at + NAME.len()..].trim_ascii_start().strip_prefix(b":")?;
    let mut values = serde_json::Deserializer::from_slice(value).into_iter::<String>();
    Some(values.next()?.ok()?.chars().take(MAX_ID_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        io::{Cursor, Write},
    };

    use super::*;

    fn lines(bytes: Vec<u8>) -> Vec<(DumpLine, String)> {
        let mut lines = DumpLineReader::new(Box::new(Cursor::new(bytes)));
        let mut seen = Vec::new();
        let mut buffer = b"kept".to_vec();
        while let Some(line) = lines.next_line(&mut buffer).unwrap() {
            seen.push((line, String::from_utf8(buffer.split_off(4)).unwrap()));
        }
        seen
    }

    #[test]
    fn blank_lines_and_long_lines_count() {
        let mut bytes = "\u{feff}{a}\r\n\n  \n{b}\n".as_bytes().to_vec();
        bytes.extend(br#"{"a": 1, "record_id" : "x\"y", "#);
        bytes.extend(vec![b'x'; 3 * MAX_RECORD_BYTES]);
        bytes.extend(b"\n{c}");
        assert_eq!(
            lines(bytes),
            [
                (DumpLine::Read(1), "{a}".to_owned()),
                (DumpLine::Read(4), "{b}".to_owned()),
                (DumpLine::TooLong(5, Some("x\"y".to_owned())), String::new()),
                (DumpLine::Read(6), "{c}".to_owned()),
            ]
        );
    }

    #[test]
    fn a_line_of_the_maximum_length_is_read_and_so_is_the_next() {
        for (length, is_read) in [
            (MAX_RECORD_BYTES - 1, true),
            (MAX_RECORD_BYTES, true),
            (MAX_RECORD_BYTES + 1, false),
            (MAX_RECORD_BYTES + 2, false),
        ] {
            let mut bytes = vec![b'x'; length];
            bytes.extend(b"\n{c}\n");
            let [(first, _), (second, text)] = &lines(bytes)[..] else {
                panic!("two lines of {length}")
            };
            assert_eq!(
                *first,
                if is_read {
                    DumpLine::Read(1)
                } else {
                    DumpLine::TooLong(1, None)
                },
                "{length}"
            );
            assert_eq!((second, text.as_str()), (&DumpLine::Read(2), "{c}"), "{length}");
        }
    }

    #[test]
    fn compressed_dumps_are_read_and_unknown_files_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let kind = folder.path().join("award");
        std::fs::create_dir(&kind).unwrap();
        std::fs::write(kind.join("b.ndjson"), "{}\n").unwrap();
        let mut gz = flate2::write::GzEncoder::new(File::create(kind.join("a.ndjson.gz")).unwrap(), Default::default());
        gz.write_all(b"{}\n").unwrap();
        gz.finish().unwrap();
        std::fs::write(kind.join("c.ndjson.zst"), zstd::encode_all(&b"{}\n"[..], 1).unwrap()).unwrap();
        let dumps = list(folder.path(), EntityType::Award).unwrap();
        assert_eq!(
            dumps.iter().map(|d| d.source_id.as_str()).collect::<Vec<_>>(),
            ["a", "b", "c"]
        );
        for dump in dumps {
            let mut buffer = Vec::new();
            let line = DumpLineReader::open(&dump.path)
                .unwrap()
                .next_line(&mut buffer)
                .unwrap();
            assert_eq!((line, buffer.as_slice()), (Some(DumpLine::Read(1)), &b"{}"[..]));
        }
        assert!(list(folder.path(), EntityType::Tender).unwrap().is_empty());
        assert!(unknown_files(folder.path()).unwrap().is_empty());
        std::fs::write(folder.path().join(COMMODITIES), "").unwrap();
        std::fs::write(kind.join("notes.txt"), "").unwrap();
        std::fs::write(kind.join("b.ndjson.tmp"), "").unwrap();
        std::fs::create_dir(folder.path().join("awards")).unwrap();
        let found = unknown_files(folder.path()).unwrap();
        assert_eq!(
            found,
            [folder.path().join("award/notes.txt"), folder.path().join("awards")]
        );
        assert_eq!(list(folder.path(), EntityType::Award).unwrap().len(), 3);
    }

    #[test]
    fn a_dump_that_unpacks_without_end_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let long = vec![b'x'; 100 << 20];
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gz.write_all(&long).unwrap();
        for (name, bytes) in [
            ("a.ndjson.gz", gz.finish().unwrap()),
            ("a.ndjson.zst", zstd::encode_all(&long[..], 1).unwrap()),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let line = DumpLineReader::open(&path).unwrap().next_line(&mut Vec::new());
            let error = line.unwrap_err().to_string();
            assert!(error.starts_with("it unpacks to more than"), "{name}: {error}");
        }
    }
}
