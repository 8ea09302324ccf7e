//! Reading normalized dumps: NDJSON files, `<dumps>/<entity_type>/<source_id>.ndjson`, plain, `.gz` or `.zst`.
//!
//! Files of a kind come in path order; a line's number goes with it, so that every complaint can name file and line. A line is never
//! held beyond [`LONGEST_LINE`], whatever the file.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use anyhow::Context;

use crate::{model::entity_type::EntityType, storage::gzip::GzipReader};

/// The longest line taken for a record, in bytes; a longer one is skipped and reported.
pub const LONGEST_LINE: usize = 4 << 20;

/// The extensions of a dump, longest first.
const EXTENSIONS: [&str; 3] = [".ndjson.gz", ".ndjson.zst", ".ndjson"];

/// One dump file.
#[derive(Clone, Debug)]
pub struct Dump {
    pub path: PathBuf,
    pub source_id: String,
}

/// The dumps of a kind, in path order; none if the kind has no folder.
pub fn list(dumps: &Path, entity_type: EntityType) -> anyhow::Result<Vec<Dump>> {
    let mut found: Vec<Dump> = entries(&dumps.join(entity_type.name()))?
        .into_iter()
        .filter_map(dump)
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// What lies among the dumps and is none, in path order: a kind's folder misspelled, a file of another name. Hidden files and those in the making
/// (`.tmp`) are nobody's mistake.
pub fn strangers(dumps: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut strangers = Vec::new();
    for path in entries(dumps)? {
        let kind = path
            .file_name()
            .and_then(|name| name.to_str())
            .and_then(EntityType::parse);
        match kind {
            Some(_) if path.is_dir() => {
                strangers.extend(entries(&path)?.into_iter().filter(|path| dump(path.clone()).is_none()));
            }
            _ => strangers.push(path),
        }
    }
    strangers.sort();
    Ok(strangers)
}

fn dump(path: PathBuf) -> Option<Dump> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let source_id = EXTENSIONS.iter().find_map(|extension| name.strip_suffix(extension))?;
    path.is_file().then(|| Dump {
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

/// The lines of a dump, decompressed on the way.
pub struct Lines {
    input: Box<dyn BufRead + Send>,
    number: u64,
}

/// One line: its number, from 1, and whether it is whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Line {
    Whole(u64),
    TooLong(u64),
}

impl Lines {
    pub fn open(path: &Path) -> io::Result<Lines> {
        let file = BufReader::with_capacity(1 << 20, File::open(path)?);
        let input: Box<dyn BufRead + Send> = match path.extension().and_then(|e| e.to_str()) {
            Some("gz") => Box::new(BufReader::with_capacity(1 << 20, GzipReader::new(file))),
            Some("zst") => Box::new(BufReader::with_capacity(1 << 20, zstd::Decoder::with_buffer(file)?)),
            _ => Box::new(file),
        };
        Ok(Lines::new(input))
    }

    pub fn new(input: Box<dyn BufRead + Send>) -> Lines {
        Lines { input, number: 0 }
    }

    /// Appends the next line that is not blank to `buffer`, without its end; `None` at the end of the file.
    pub fn next(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<Line>> {
        let start = buffer.len();
        loop {
            self.number += 1;
            let mut line = (&mut self.input).take(LONGEST_LINE as u64 + 1);
            if line.read_until(b'\n', buffer)? == 0 {
                return Ok(None);
            }
            let is_ended = buffer.ends_with(b"\n");
            if buffer.len() - start - usize::from(is_ended) > LONGEST_LINE {
                buffer.truncate(start);
                if !is_ended {
                    self.input.skip_until(b'\n')?;
                }
                return Ok(Some(Line::TooLong(self.number)));
            }
            if self.number == 1 && buffer[start..].starts_with("\u{feff}".as_bytes()) {
                buffer.drain(start..start + 3);
            }
            while buffer.len() > start && buffer.last().is_some_and(u8::is_ascii_whitespace) {
                buffer.pop();
            }
            if buffer.len() > start {
                return Ok(Some(Line::Whole(self.number)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;

    fn lines(bytes: Vec<u8>) -> Vec<(Line, String)> {
        let mut lines = Lines::new(Box::new(Cursor::new(bytes)));
        let mut seen = Vec::new();
        let mut buffer = b"kept".to_vec();
        while let Some(line) = lines.next(&mut buffer).unwrap() {
            seen.push((line, String::from_utf8(buffer.split_off(4)).unwrap()));
        }
        seen
    }

    #[test]
    fn lines_keep_their_numbers_past_blanks_marks_and_giants() {
        let mut bytes = "\u{feff}{a}\r\n\n  \n{b}\n".as_bytes().to_vec();
        bytes.extend(vec![b'x'; LONGEST_LINE + 1]);
        bytes.extend(b"\n{c}");
        assert_eq!(
            lines(bytes),
            [
                (Line::Whole(1), "{a}".to_owned()),
                (Line::Whole(4), "{b}".to_owned()),
                (Line::TooLong(5), String::new()),
                (Line::Whole(6), "{c}".to_owned()),
            ]
        );
    }

    #[test]
    fn the_longest_line_is_taken_and_what_follows_it_too() {
        for (length, is_whole) in [
            (LONGEST_LINE - 1, true),
            (LONGEST_LINE, true),
            (LONGEST_LINE + 1, false),
            (LONGEST_LINE + 2, false),
        ] {
            let mut bytes = vec![b'x'; length];
            bytes.extend(b"\n{c}\n");
            let [(first, _), (second, text)] = &lines(bytes)[..] else {
                panic!("two lines of {length}")
            };
            assert_eq!(
                *first,
                if is_whole { Line::Whole(1) } else { Line::TooLong(1) },
                "{length}"
            );
            assert_eq!((*second, text.as_str()), (Line::Whole(2), "{c}"), "{length}");
        }
    }

    #[test]
    fn compressed_dumps_read_like_plain_ones_and_strangers_are_named() {
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
            let line = Lines::open(&dump.path).unwrap().next(&mut buffer).unwrap();
            assert_eq!((line, buffer.as_slice()), (Some(Line::Whole(1)), &b"{}"[..]));
        }
        assert!(list(folder.path(), EntityType::Tender).unwrap().is_empty());
        assert!(strangers(folder.path()).unwrap().is_empty());
        std::fs::write(kind.join("notes.txt"), "").unwrap();
        std::fs::write(kind.join("b.ndjson.tmp"), "").unwrap();
        std::fs::create_dir(folder.path().join("awards")).unwrap();
        let found = strangers(folder.path()).unwrap();
        assert_eq!(
            found,
            [folder.path().join("award/notes.txt"), folder.path().join("awards")]
        );
        assert_eq!(list(folder.path(), EntityType::Award).unwrap().len(), 3);
    }
}
