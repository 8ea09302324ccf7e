//! Writes the facet columns ([`super::super::facet_columns`]).
//!
//! An entry is collected as bytes that sort like its texts: every text ends with [`END`].

use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    path::Path,
    str,
};

use crate::{
    engine::tantivy::facet_columns::{path, width},
    model::{
        Facet, Record,
        interner::{Interner, Texts},
    },
};

/// Ends a text in an entry; smaller than any byte of a text.
const END: u8 = 0;

/// Written before a byte of a text that is [`END`] or this one; the byte itself is written one larger.
const ESCAPE: u8 = 1;

/// The entries of consecutive documents while they are added.
#[derive(Default)]
pub(super) struct FacetEntries {
    facets: [Entries; Facet::ALL.len()],
    entry: Vec<u8>,
    source: Vec<u8>,
}

/// The entries of one facet.
#[derive(Default)]
struct Entries {
    known: Interner,
    /// The number of the entry of each document.
    codes: Vec<u32>,
    /// The texts that entries are made of, and the number of the entry of each: most repeat from record to record, and
    /// making an entry takes longer than finding it.
    sources: Interner,
    entry_of_source: Vec<u32>,
}

/// The entries of a chunk. The numbers of its documents are in a file that disappears when it is closed.
pub(crate) struct ChunkFacets {
    entries: Vec<Texts>,
    codes: File,
    documents: usize,
}

impl FacetEntries {
    /// Adds the next document.
    pub(super) fn add(&mut self, record: &Record) {
        for (facet, entries) in Facet::ALL.into_iter().zip(&mut self.facets) {
            facet.sources(record, &mut self.source);
            let (source, is_new) = entries.sources.add(&self.source);
            if is_new {
                write_entry(facet, record, &mut self.entry);
                entries.entry_of_source.push(entries.known.add(&self.entry).0);
            }
            entries.codes.push(entries.entry_of_source[source as usize]);
        }
    }

    /// Moves the numbers of the documents to a temporary file in `folder`.
    pub(super) fn finish(self, folder: &Path) -> io::Result<ChunkFacets> {
        let mut out = BufWriter::new(tempfile::tempfile_in(folder)?);
        let documents = self.facets[0].codes.len();
        let mut entries = Vec::with_capacity(self.facets.len());
        for facet in self.facets {
            let width = width(facet.known.len());
            for code in facet.codes {
                out.write_all(&code.to_le_bytes()[..width])?;
            }
            entries.push(facet.known.into_texts());
        }
        Ok(ChunkFacets {
            entries,
            codes: out.into_inner().map_err(io::IntoInnerError::into_error)?,
            documents,
        })
    }
}

fn write_entry(facet: Facet, record: &Record, out: &mut Vec<u8>) {
    out.clear();
    for text in facet.entry(record) {
        write_text(&text, out);
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    if text.bytes().all(|byte| byte > ESCAPE) {
        out.extend_from_slice(text.as_bytes());
    } else {
        for byte in text.bytes() {
            if byte <= ESCAPE {
                out.extend([ESCAPE, byte + 1]);
            } else {
                out.push(byte);
            }
        }
    }
    out.push(END);
}

/// The texts of an entry.
fn texts_of(entry: &[u8]) -> Vec<String> {
    let (mut texts, mut text) = (Vec::new(), Vec::new());
    let mut bytes = entry.iter();
    while let Some(byte) = bytes.next() {
        match *byte {
            END => texts.push(String::from_utf8(std::mem::take(&mut text)).expect("an entry is made of texts")),
            ESCAPE => text.extend(bytes.next().map(|byte| byte - 1)),
            byte => text.push(byte),
        }
    }
    texts
}

/// Writes the columns for consecutive chunks of documents. A facet without any entry gets no files.
pub(super) fn write(folder: &Path, chunks: &[ChunkFacets]) -> io::Result<()> {
    for (number, facet) in Facet::ALL.into_iter().enumerate() {
        let entries = distinct(chunks, number);
        if entries.iter().all(|entry| entry.is_empty()) {
            continue;
        }
        let mut out = BufWriter::new(File::create(path(folder, facet, "entries"))?);
        for entry in &entries {
            serde_json::to_writer(&mut out, &texts_of(entry))?;
            out.write_all(b"\n")?;
        }
        out.flush()?;
        let width = width(entries.len());
        let mut out = BufWriter::new(File::create(path(folder, facet, "codes"))?);
        for chunk in chunks {
            let known = &chunk.entries[number];
            let mut codes = vec![0_u32; known.len()];
            let mut code = 0;
            for known_number in known.sorted() {
                let entry = known.get(known_number);
                code += entries[code..].partition_point(|other| *other < entry);
                codes[known_number as usize] = code as u32;
            }
            chunk.for_each_code(number, |known| {
                out.write_all(&codes[known as usize].to_le_bytes()[..width])
            })?;
        }
        out.flush()?;
    }
    Ok(())
}

/// The distinct entries of a facet, sorted, so that repeated builds write the same bytes however the documents are
/// split into chunks.
fn distinct(chunks: &[ChunkFacets], number: usize) -> Vec<&[u8]> {
    let entries = |chunk: &ChunkFacets| chunk.entries[number].len();
    let mut all = Vec::with_capacity(chunks.iter().map(entries).sum());
    for chunk in chunks {
        let known = &chunk.entries[number];
        all.extend((0..known.len() as u32).map(|entry| known.get(entry)));
    }
    all.sort_unstable();
    all.dedup();
    all
}

impl ChunkFacets {
    /// Reads the numbers of the entries of a facet, document by document.
    fn for_each_code(&self, number: usize, mut visit: impl FnMut(u32) -> io::Result<()>) -> io::Result<()> {
        let widths = || self.entries.iter().map(|entries| width(entries.len()));
        let start: usize = widths().take(number).sum::<usize>() * self.documents;
        let width = widths().nth(number).unwrap_or(0);
        (&self.codes).seek(SeekFrom::Start(start as u64))?;
        let mut codes = BufReader::with_capacity(1 << 16, &self.codes);
        for _ in 0..self.documents {
            let mut code = [0; 4];
            codes.read_exact(&mut code[..width])?;
            visit(u32::from_le_bytes(code))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        engine::tantivy::facet_columns::{Codes, read_entries},
        model::{EntityType, Schema},
    };

    fn encoded(texts: &[String]) -> Vec<u8> {
        let mut out = Vec::new();
        texts.iter().for_each(|text| write_text(text, &mut out));
        out
    }

    proptest! {
        #[test]
        fn entries_sort_like_their_texts(entries in prop::collection::vec(prop::collection::vec("[\u{0}\u{1}\u{2} aé]{0,3}", 0..3), 0..20)) {
            let mut bytes: Vec<Vec<u8>> = entries.iter().map(|entry| encoded(entry)).collect();
            bytes.sort();
            let mut expected = entries;
            expected.sort();
            prop_assert_eq!(bytes.iter().map(|entry| texts_of(entry)).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn the_columns_have_the_entry_of_every_record() {
        let lines: Vec<String> = (0..700)
            .map(|n| {
                let flag = if n % 7 == 0 { r#","quality_flags":["no_vendor"]"# } else { "" };
                let currency = if n % 5 == 0 { r#","currency":"USD""# } else { "" };
                let year = 2000 + n % 9;
                format!(
                    r#"{{"record_id":"{n}","vendor_name":"Vendor {}","department_en":"D\u0000 {}","contract_value":1{flag}{currency},"award_date":"{year}-01-02","number_of_bids":"{}","unspsc":"7210{:02}"}}"#,
                    n % 300,
                    n % 3,
                    n % 4,
                    n % 11
                )
            })
            .collect();
        let schema = Schema::of(EntityType::Contract);
        let records: Vec<Record> = lines
            .iter()
            .map(|line| Record::parse(schema, line.as_bytes()).unwrap())
            .zip(0..)
            .map(|(record, number)| record.with_listed_bidders((number % 3 == 0).then_some(number % 5)))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let chunks: Vec<ChunkFacets> = records
            .chunks(250)
            .map(|records| {
                let mut entries = FacetEntries::default();
                records.iter().for_each(|record| entries.add(record));
                entries.finish(folder.path()).unwrap()
            })
            .collect();
        write(folder.path(), &chunks).unwrap();
        for facet in Facet::ALL {
            let Some(entries) = read_entries(folder.path(), facet).unwrap() else {
                assert!(records.iter().all(|record| facet.entry(record).is_empty()), "{facet:?}");
                continue;
            };
            let codes = Codes::open(folder.path(), facet, entries.len(), records.len()).unwrap();
            for (document, record) in (0..).zip(&records) {
                let entry = &entries[codes.get(document) as usize];
                assert_eq!(*entry, facet.entry(record), "{facet:?}");
            }
        }
    }
}
