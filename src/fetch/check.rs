//! Whether a body is what it should be: first by how it begins, before the rest is waited for, then whole.
//!
//! An error page must not become a file, nor a file that was cut where nobody told its length. A body may be gzipped:
//! `normalize` reads it so too. Memory does not grow with the file.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};
use zip::{ZipArchive, result::ZipError};

use super::table::Format;
use crate::storage::gzip::Gzip;

/// How much of a body tells what it is.
pub const HEAD: u64 = 4 << 10;
/// No larger answer is looked through for an error.
const LARGEST_ERROR: u64 = 64 << 10;
const GZIP: [u8; 2] = *b"\x1f\x8b";

/// Catalogues say XML of zipped XML, and `normalize` reads either. (A zipped CSV is rather a spreadsheet.)
fn as_sent(head: &[u8], format: Format) -> Format {
    match format {
        Format::Xml | Format::Json if head.starts_with(b"PK\x03\x04") => Format::Zip,
        _ => format,
    }
}

pub fn head(head: &[u8], format: Format) -> Result<(), String> {
    let format = as_sent(head, format);
    if head.starts_with(&GZIP) && format != Format::Zip {
        return Ok(());
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let begins = |word: &[u8]| {
        text.get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    if text.is_empty() {
        return Err("the server sends nothing".to_owned());
    }
    if begins(b"<!doctype html") || begins(b"<html") {
        return Err("the server sends a web page instead of the file".to_owned());
    }
    let is_binary = head.contains(&0);
    let right = match format {
        Format::Csv => {
            !is_binary && !begins(b"<") && !begins(b"{") && !begins(b"[") && text.iter().any(|b| b",;\t".contains(b))
        }
        Format::Json => begins(b"{") || begins(b"["),
        Format::Xml => begins(b"<"),
        Format::Zip => begins(b"PK"),
    };
    match right {
        true => Ok(()),
        false => Err(format!("what the server sends is no {}", format.name())),
    }
}

pub fn whole(path: &Path, format: Format) -> Result<(), String> {
    let broken = |error: io::Error| format!("what the server sent cannot be read ({error})");
    let mut file = BufReader::new(File::open(path).map_err(broken)?);
    if as_sent(file.fill_buf().map_err(broken)?, format) == Format::Zip {
        return zip(file).map_err(|error| format!("what the server sent is no whole ZIP ({error})"));
    }
    if !file.fill_buf().map_err(broken)?.starts_with(&GZIP) {
        return text(file, format);
    }
    // Read to its end once more, so that the trailer is seen whatever the format looks at.
    io::copy(&mut Gzip::new(&mut file), &mut io::sink())
        .map_err(|error| format!("what the server sent is no whole gzip ({error})"))?;
    file.rewind().map_err(broken)?;
    let mut start = Vec::new();
    let mut unpacked = BufReader::new(Gzip::new(file));
    (&mut unpacked).take(HEAD).read_to_end(&mut start).map_err(broken)?;
    head(&start, format)?;
    text(io::Cursor::new(start).chain(unpacked), format)
}

/// Whether the last row ends, in a line end or at least in a quoted field, without which a CSV of untold length may be cut;
/// a gzip tells its own end.
pub fn ends_a_row(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut bytes = [0; 2];
    if file.read(&mut bytes)? == 2 && bytes == GZIP {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let [last, _] = &mut bytes;
    file.read_exact(std::slice::from_mut(last))?;
    Ok(matches!(*last, b'\n' | b'\r' | b'"'))
}

fn text(mut file: impl BufRead, format: Format) -> Result<(), String> {
    let broken = |error: io::Error| format!("what the server sent cannot be read ({error})");
    if file.fill_buf().map_err(broken)?.starts_with(b"\xef\xbb\xbf") {
        file.consume(3);
    }
    let wrong = match format {
        Format::Csv => csv(file),
        Format::Json => json(file),
        Format::Xml => xml(file).map_err(|error| error.to_string()),
        Format::Zip => Ok(()),
    };
    wrong.map_err(|why| format!("what the server sent is no whole {} ({why})", format.name()))
}

/// A row that ends neither in a line end nor in as many fields as the first was cut; so was a first row without an end.
fn csv(file: impl Read) -> Result<(), String> {
    let mut end = LastByte {
        inner: file,
        last: b'\n',
    };
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(&mut end);
    let mut record = csv::ByteRecord::new();
    let (mut first, mut last, mut count) = (0, 0, 0_u64);
    while rows.read_byte_record(&mut record).map_err(|error| error.to_string())? {
        last = record.len();
        count += 1;
        first = if first == 0 { last } else { first };
    }
    drop(rows);
    match end.last == b'\n' || end.last == b'\r' || (last >= first && count > 1) {
        true => Ok(()),
        false => Err(format!("its last row has {last} of {first} fields and no end")),
    }
}

struct LastByte<R> {
    inner: R,
    last: u8,
}

impl<R: Read> Read for LastByte<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let came = self.inner.read(buffer)?;
        if let Some(byte) = buffer.get(..came).and_then(<[u8]>::last) {
            self.last = *byte;
        }
        Ok(came)
    }
}

/// One value, or one a line.
fn json(mut file: impl BufRead) -> Result<(), String> {
    let mut start = Vec::new();
    let small = (&mut file).take(LARGEST_ERROR).read_to_end(&mut start);
    let is_small = small.map_err(|error| error.to_string())? < LARGEST_ERROR as usize;
    if let (true, Ok(Value::Object(answer))) = (is_small, serde_json::from_slice(&start)) {
        let refused = answer.get("success") == Some(&Value::Bool(false));
        let error = answer.get("error").filter(|error| !error.is_null());
        if refused || error.is_some() {
            let said = error.map(Value::to_string).unwrap_or_default();
            return Err(format!(
                "it is an error: {}",
                said.chars().take(200).collect::<String>()
            ));
        }
    }
    let values = Deserializer::from_reader(io::Cursor::new(start).chain(file));
    for value in values.into_iter::<IgnoredAny>() {
        value.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The last tag closes the first.
fn xml(file: impl BufRead) -> Result<(), &'static str> {
    const UNREADABLE: &str = "it cannot be read";
    let mut head = Vec::new();
    let mut file = file;
    (&mut file).take(HEAD).read_to_end(&mut head).map_err(|_| UNREADABLE)?;
    let root = root(&head).ok_or("it has no element")?;
    let mut tail = head;
    let mut chunk = vec![0; 64 << 10];
    loop {
        let came = file.read(&mut chunk).map_err(|_| UNREADABLE)?;
        if came == 0 {
            break;
        }
        tail.extend_from_slice(chunk.get(..came).unwrap_or_default());
        tail.drain(..tail.len().saturating_sub(HEAD as usize));
    }
    let end = tail.trim_ascii_end();
    let closes = || {
        let name = end.strip_suffix(b">")?.trim_ascii_end().strip_suffix(root.as_slice())?;
        name.ends_with(b"</").then_some(())
    };
    match closes().is_some() || end.ends_with(b"/>") {
        true => Ok(()),
        false => Err("its last tag does not close its first"),
    }
}

/// The name of the first element, after declarations and comments.
fn root(head: &[u8]) -> Option<Vec<u8>> {
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
            return (!name.is_empty()).then_some(name);
        }
    }
}

/// Every member is read: a file glued of two versions has a directory that looks well.
fn zip(file: impl Read + Seek) -> Result<(), ZipError> {
    let mut archive = ZipArchive::new(file)?;
    for number in 0..archive.len() {
        match archive.by_index(number) {
            Ok(mut member) => io::copy(&mut member, &mut io::sink())?,
            // Whether it is whole cannot be told; `normalize` will say that it cannot read it.
            Err(ZipError::UnsupportedArchive(_)) => 0,
            Err(error) => return Err(error),
        };
    }
    Ok(())
}

/// Whether two files have the same bytes.
pub fn same(one: &Path, other: &Path) -> io::Result<bool> {
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

    fn check(bytes: &[u8], format: Format) -> Result<(), String> {
        head(bytes.get(..HEAD as usize).unwrap_or(bytes), format)?;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("body");
        fs::write(&path, bytes).unwrap();
        whole(&path, format)
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
    fn bodies_are_told_from_what_they_are_not() {
        use Format::{Csv, Json, Xml, Zip};
        for (body, format, is_taken) in [
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
            assert_eq!(check(body.as_bytes(), format).is_ok(), is_taken, "{format:?} {body:?}");
            if format != Zip && !body.trim().is_empty() {
                let packed = check(&gzip(body.as_bytes()), format);
                assert_eq!(packed.is_ok(), is_taken, "gzipped {format:?} {body:?}");
            }
        }
    }

    #[test]
    fn what_was_cut_or_changed_is_refused() {
        let zip = archive();
        for format in [Format::Zip, Format::Xml, Format::Json] {
            check(&zip, format).unwrap();
        }
        assert!(check(&zip, Format::Csv).is_err(), "a spreadsheet");
        let packed = gzip(b"a,b\n1,2\n");
        check(&packed, Format::Csv).unwrap();
        for cut in 0..zip.len() {
            assert!(check(&zip[..cut], Format::Zip).is_err(), "zip cut at {cut}");
        }
        for cut in 0..packed.len() {
            assert!(check(&packed[..cut], Format::Csv).is_err(), "gzip cut at {cut}");
        }
        let mut glued = zip;
        let at = glued
            .windows(6)
            .position(|bytes| bytes == b"a.xml<")
            .map_or(40, |at| at + 8);
        glued[at] ^= 1;
        assert!(check(&glued, Format::Zip).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), begin in 0..6_usize) {
            let begin: &[u8] = [b"".as_slice(), b"PK\x03\x04", b"\x1f\x8b\x08", b"{", b"<", b"a,b\n"][begin];
            let body = [begin, &bytes].concat();
            for format in [Format::Csv, Format::Json, Format::Xml, Format::Zip] {
                let _ = check(&body, format);
            }
        }
    }
}
