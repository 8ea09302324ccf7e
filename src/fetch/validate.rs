//! Validates downloads: first the beginning, before the rest is downloaded, then the whole file.
//!
//! An error page must not replace a file, nor must an incomplete file whose length the server did
//! not state. A file may be compressed with gzip; `normalize` reads it. Memory use does not depend
//! on the size of the file: a CSV row and the depth of JSON have the maximum that `normalize` has,
//! or one that no publisher reaches.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};
use zip::result::ZipError;

use super::published_sources::FileFormat;
use crate::{
    sources::reading::decode::{MAX_ROW_BYTES, MAX_ROW_VALUES, too_many_values},
    storage::{
        gzip::GzipReader,
        unpacking::BoundedReader,
        zip_archive::{self, ZipRefusal},
    },
};

/// Bytes at the beginning of a file by which its format is checked.
pub(crate) const HEAD_BYTES: u64 = 4 << 10;
/// A larger JSON file is not searched for an error message.
const MAX_ERROR_BYTES: u64 = 64 << 10;
/// Maximum depth of JSON. The parser remembers each open bracket.
const MAX_JSON_DEPTH: usize = 1000;
const GZIP_MAGIC: [u8; 2] = *b"\x1f\x8b";

/// Portals state the format XML for zipped XML, and `normalize` reads both. (A zipped CSV is
/// probably a spreadsheet.)
fn actual_format(head: &[u8], format: FileFormat) -> FileFormat {
    match format {
        FileFormat::Xml | FileFormat::Json if head.starts_with(b"PK\x03\x04") => FileFormat::Zip,
        _ => format,
    }
}

/// Checks whether a file can begin like this. The error is a sentence.
pub(crate) fn check_head(head: &[u8], format: FileFormat) -> Result<(), String> {
    let format = actual_format(head, format);
    if head.starts_with(&GZIP_MAGIC) && format != FileFormat::Zip {
        return Ok(());
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let begins = |prefix: &[u8]| {
        text.get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    if text.is_empty() {
        return Err("the server sends an empty file".to_owned());
    }
    if begins(b"<!doctype html") || begins(b"<html") {
        return Err("the server sends a web page instead of the file".to_owned());
    }
    let is_binary = head.contains(&0);
    let is_possible = match format {
        FileFormat::Csv => {
            !is_binary && !begins(b"<") && !begins(b"{") && !begins(b"[") && text.iter().any(|b| b",;\t".contains(b))
        }
        FileFormat::Json => begins(b"{") || begins(b"["),
        FileFormat::Xml => begins(b"<"),
        FileFormat::Zip => begins(b"PK"),
    };
    if !is_possible {
        return Err(format!("the server sends something that is not {}", format.name()));
    }
    Ok(())
}

/// Checks a whole file. The error is a sentence.
pub(crate) fn check_file(path: &Path, format: FileFormat) -> Result<(), String> {
    let unreadable = |error: io::Error| format!("the downloaded file cannot be read ({error})");
    let file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let mut file = BufReader::new(file);
    if actual_format(file.fill_buf().map_err(unreadable)?, format) == FileFormat::Zip {
        return check_zip(file, size).map_err(|why| format!("the downloaded file {why}"));
    }
    if !file.fill_buf().map_err(unreadable)?.starts_with(&GZIP_MAGIC) {
        return check_text(file, format);
    }
    // The check of the text may stop before the end, so read once to the end, where the checksum
    // is.
    let mut unpacked = BoundedReader::of_compressed(GzipReader::new(&mut file), size);
    io::copy(&mut unpacked, &mut io::sink())
        .map_err(|error| format!("the downloaded file is not complete gzip ({error})"))?;
    file.rewind().map_err(unreadable)?;
    let mut start = Vec::new();
    let mut unpacked = BufReader::new(GzipReader::new(file));
    (&mut unpacked)
        .take(HEAD_BYTES)
        .read_to_end(&mut start)
        .map_err(unreadable)?;
    check_head(&start, format)?;
    check_text(io::Cursor::new(start).chain(unpacked), format)
}

/// Whether the last row is complete: it ends in a line end or a quoted field. Otherwise a CSV file
/// whose length the server did not state may be incomplete. A gzip file has a mark at its end, so
/// it is always complete here.
pub(crate) fn ends_a_row(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut bytes = [0; 2];
    if file.read(&mut bytes)? == 2 && bytes == GZIP_MAGIC {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let [last, _] = &mut bytes;
    file.read_exact(std::slice::from_mut(last))?;
    Ok(matches!(*last, b'\n' | b'\r' | b'"'))
}

fn check_text(mut file: impl BufRead, format: FileFormat) -> Result<(), String> {
    let unreadable = |error: io::Error| format!("the downloaded file cannot be read ({error})");
    if file.fill_buf().map_err(unreadable)?.starts_with(b"\xef\xbb\xbf") {
        file.consume(3);
    }
    let checked = match format {
        FileFormat::Csv => check_csv(file),
        FileFormat::Json => check_json(file),
        FileFormat::Xml => check_xml(file).map_err(str::to_owned),
        FileFormat::Zip => Ok(()),
    };
    checked.map_err(|why| format!("the downloaded file is not complete {} ({why})", format.name()))
}

/// The last row is incomplete if it has no line end and fewer fields than the first. The first row
/// needs a line end.
fn check_csv(file: impl Read) -> Result<(), String> {
    let mut input = RowReader {
        inner: file,
        last: b'\n',
        bytes: 0,
        commas: 0,
    };
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(&mut input);
    let mut record = csv::ByteRecord::new();
    let (mut first, mut last, mut count) = (0, 0, 0_u64);
    while rows.read_byte_record(&mut record).map_err(|error| error.to_string())? {
        rows.get_mut().begin_row();
        last = record.len();
        count += 1;
        first = if first == 0 { last } else { first };
    }
    drop(rows);
    if matches!(input.last, b'\n' | b'\r') || (last >= first && count > 1) {
        return Ok(());
    }
    Err(format!("its last row has {last} of {first} fields and no line end"))
}

/// Remembers the last byte that was read, and ends a row that is too long: the parser holds a whole
/// row in memory, and an open quote makes the rest of the file one row.
struct RowReader<R> {
    inner: R,
    last: u8,
    /// Bytes since the row began, except those that the parser had read already.
    bytes: u64,
    commas: usize,
}

impl<R> RowReader<R> {
    fn begin_row(&mut self) {
        (self.bytes, self.commas) = (0, 0);
    }
}

impl<R: Read> Read for RowReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let bytes = &buffer[..read];
        if let Some(byte) = bytes.last() {
            self.last = *byte;
        }
        self.bytes += read as u64;
        self.commas += bytes.iter().filter(|byte| **byte == b',').count();
        if self.bytes > MAX_ROW_BYTES {
            let max = MAX_ROW_BYTES >> 20;
            return Err(io::Error::other(format!(
                "a row is longer than {max} MiB; is a quote left open?"
            )));
        }
        if self.commas > MAX_ROW_VALUES {
            return Err(io::Error::other(too_many_values()));
        }
        Ok(read)
    }
}

/// One JSON value, or one per line; not an error message.
fn check_json(mut file: impl BufRead) -> Result<(), String> {
    let mut start = Vec::new();
    let small = (&mut file).take(MAX_ERROR_BYTES).read_to_end(&mut start);
    let is_small = small.map_err(|error| error.to_string())? < MAX_ERROR_BYTES as usize;
    if is_small && let Ok(Value::Object(answer)) = serde_json::from_slice(&start) {
        let has_failed = answer.get("success") == Some(&Value::Bool(false));
        let error = answer.get("error").filter(|error| !error.is_null());
        if has_failed || error.is_some() {
            let message = error.map(Value::to_string).unwrap_or_default();
            let message: String = message.chars().take(200).collect();
            return Err(format!("it is an error: {message}"));
        }
    }
    let bounded = DepthReader {
        inner: io::Cursor::new(start).chain(file),
        depth: 0,
        in_string: false,
        escaped: false,
    };
    let values = Deserializer::from_reader(BufReader::new(bounded));
    for value in values.into_iter::<IgnoredAny>() {
        value.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Ends JSON that is nested deeper than [`MAX_JSON_DEPTH`].
struct DepthReader<R> {
    inner: R,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl<R: Read> Read for DepthReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        for byte in &buffer[..read] {
            if std::mem::take(&mut self.escaped) {
                continue;
            }
            match byte {
                b'\\' => self.escaped = self.in_string,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.depth += 1,
                b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if self.depth > MAX_JSON_DEPTH {
                let why = format!("it is nested more than {MAX_JSON_DEPTH} deep");
                return Err(io::Error::other(why));
            }
        }
        Ok(read)
    }
}

/// The last tag closes the first.
fn check_xml(file: impl BufRead) -> Result<(), &'static str> {
    const UNREADABLE: &str = "it cannot be read";
    let mut head = Vec::new();
    let mut file = file;
    (&mut file)
        .take(HEAD_BYTES)
        .read_to_end(&mut head)
        .map_err(|_| UNREADABLE)?;
    let root = root_name(&head).ok_or("it has no element")?;
    let mut tail = head;
    let mut chunk = vec![0; 64 << 10];
    loop {
        let read = file.read(&mut chunk).map_err(|_| UNREADABLE)?;
        if read == 0 {
            break;
        }
        tail.extend_from_slice(&chunk[..read]);
        tail.drain(..tail.len().saturating_sub(HEAD_BYTES as usize));
    }
    let end = tail.trim_ascii_end();
    let before_root = end
        .strip_suffix(b">")
        .and_then(|tag| tag.trim_ascii_end().strip_suffix(root.as_slice()));
    let closes_root = before_root.is_some_and(|before| before.ends_with(b"</"));
    if !closes_root && !end.ends_with(b"/>") {
        return Err("its last tag does not close its first");
    }
    Ok(())
}

/// The name of the first element, after declarations and comments.
fn root_name(head: &[u8]) -> Option<Vec<u8>> {
    let mut rest = head;
    loop {
        let at = rest.iter().position(|byte| *byte == b'<')?;
        rest = rest.get(at + 1..)?;
        if rest.starts_with(b"!--") {
            let end = rest.windows(3).position(|end| end == b"-->")?;
            rest = rest.get(end + 3..)?;
        } else if !rest.starts_with(b"?") && !rest.starts_with(b"!") {
            let is_name = |byte: &u8| !byte.is_ascii_whitespace() && *byte != b'>' && *byte != b'/';
            let name: Vec<u8> = rest.iter().copied().take_while(is_name).collect();
            return if name.is_empty() { None } else { Some(name) };
        }
    }
}

/// Reads every member: the directory of a file that was joined from two versions looks valid. The
/// error is a sentence without its subject.
fn check_zip(file: impl Read + Seek, size: u64) -> Result<(), String> {
    let incomplete = |error: ZipError| format!("is not complete ZIP ({error})");
    let mut archive = zip_archive::open(file, size).map_err(|refusal| match refusal {
        ZipRefusal::Incomplete(error) => incomplete(error),
        ZipRefusal::Excessive(why) => why,
    })?;
    for number in 0..archive.len() {
        match archive.by_index(number) {
            Ok(mut member) => io::copy(&mut member, &mut io::sink()).map_err(|error| incomplete(error.into()))?,
            // Unknown whether it is complete; `normalize` will report that it cannot read it.
            Err(ZipError::UnsupportedArchive(_)) => 0,
            Err(error) => return Err(incomplete(error)),
        };
    }
    Ok(())
}

/// Whether two files have the same bytes.
pub(crate) fn is_same_content(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    if one.seek(SeekFrom::End(0))? != other.seek(SeekFrom::End(0))? {
        return Ok(false);
    }
    one.rewind()?;
    other.rewind()?;
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let both = left.len().min(right.len());
        if left.get(..both) != right.get(..both) {
            return Ok(false);
        }
        if both == 0 {
            return Ok(true);
        }
        one.consume(both);
        other.consume(both);
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use flate2::{Compression, write::GzEncoder};
    use proptest::prelude::*;

    use super::*;

    fn check(bytes: &[u8], format: FileFormat) -> Result<(), String> {
        check_head(bytes.get(..HEAD_BYTES as usize).unwrap_or(bytes), format)?;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("body");
        fs::write(&path, bytes).unwrap();
        check_file(&path, format)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn archive() -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        zip.start_file("a.xml", zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(b"<export></export>").unwrap();
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn valid_and_invalid_files_are_distinguished() {
        use FileFormat::{Csv, Json, Xml, Zip};
        for (body, format, is_valid) in [
            ("a,b\n1,2\n", Csv, true),
            ("\u{feff}a,b\r\n1,2", Csv, true),
            ("# remark, with words\na,b\n1,2\n", Csv, true),
            ("a,b,c\n1,2,3\n4,5", Csv, false),
            ("a,b,c\n1,2,3\n4,\"x\ny", Csv, false),
            ("a,b", Csv, false),
            ("Sorry, come back later", Csv, false),
            ("Service unavailable", Csv, false),
            ("", Csv, false),
            (" \n", Csv, false),
            ("{\"error\": \"a, b\"}", Csv, false),
            ("<?xml version='1.0'?><Error>a, b</Error>", Csv, false),
            ("<!DOCTYPE html><p>a, b", Csv, false),
            ("\n <HTML>a, b", Csv, false),
            ("{\"releases\": []}", Json, true),
            ("\u{feff}{\"a\": 1}\n{\"a\": 2}\n", Json, true),
            ("[1, 2", Json, false),
            ("{\"releases\": [{\"a\": 1}", Json, false),
            ("{\"success\": false}", Json, false),
            ("{\"success\": true, \"error\": null}", Json, true),
            ("{\"error\": {\"message\": \"Not found\"}}", Json, false),
            ("a,b", Json, false),
            (
                "<?xml version='1.0'?><!-- <x> --><export a='1'><avis/></export>\n",
                Xml,
                true,
            ),
            ("<export/>", Xml, true),
            ("<export><avis></avis>", Xml, false),
            ("<export><avis>cut here", Xml, false),
            ("PK no zip at all", Zip, false),
            ("<export/>", Zip, false),
        ] {
            assert_eq!(check(body.as_bytes(), format).is_ok(), is_valid, "{format:?} {body:?}");
            if format != Zip && !body.trim().is_empty() {
                let packed = check(&gzip(body.as_bytes()), format);
                assert_eq!(packed.is_ok(), is_valid, "gzipped {format:?} {body:?}");
            }
        }
    }

    #[test]
    fn incomplete_and_changed_files_are_rejected() {
        let zip = archive();
        for format in [FileFormat::Zip, FileFormat::Xml, FileFormat::Json] {
            check(&zip, format).unwrap();
        }
        assert!(check(&zip, FileFormat::Csv).is_err(), "a spreadsheet");
        let packed = gzip(b"a,b\n1,2\n");
        check(&packed, FileFormat::Csv).unwrap();
        for cut in 0..zip.len() {
            assert!(check(&zip[..cut], FileFormat::Zip).is_err(), "zip cut at {cut}");
        }
        for cut in 0..packed.len() {
            assert!(check(&packed[..cut], FileFormat::Csv).is_err(), "gzip cut at {cut}");
        }
        let mut joined = zip;
        let at = joined
            .windows(6)
            .position(|bytes| bytes == b"a.xml<")
            .map_or(40, |at| at + 8);
        joined[at] ^= 1;
        assert!(check(&joined, FileFormat::Zip).is_err());
    }

    proptest! {
        #[test]
        fn no_input_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200), begin in 0..6_usize) {
            let begin: &[u8] = [b"".as_slice(), b"PK\x03\x04", b"\x1f\x8b\x08", b"{", b"<", b"a,b\n"][begin];
            let body = [begin, &bytes].concat();
            for format in [FileFormat::Csv, FileFormat::Json, FileFormat::Xml, FileFormat::Zip] {
                let _ = check(&body, format);
            }
        }
    }
}
