//! Writes the files of a [key dictionary](super::super::key_dictionary) while the keys are merged.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use bytes::Bytes;

use super::merge::TermVisitor;
use crate::{
    engine::{
        name_words::NameWords,
        packed::pack,
        tantivy::key_dictionary::{DOCUMENTS, END, FIRST, KEYS, LISTS, MANY, MORE, NO_KEY, STARTS, WORDS, file},
    },
    model::Role,
};

pub(super) struct NamesWriter {
    folder: PathBuf,
    role: Role,
    keys: BufWriter<File>,
    keys_end: u32,
    starts: BufWriter<File>,
    documents: BufWriter<File>,
    documents_end: u64,
    lists: BufWriter<File>,
    ordinal: u32,
    /// The first key of each document.
    first: Vec<u32>,
    /// The document and the key of the others.
    others: Vec<(u32, u32)>,
    failed: Option<io::Error>,
}

impl NamesWriter {
    pub(super) fn create(folder: &Path, role: Role, documents: u32) -> io::Result<NamesWriter> {
        let create = |part| Ok::<_, io::Error>(BufWriter::new(File::create(file(folder, role, part))?));
        Ok(NamesWriter {
            keys: create(KEYS)?,
            starts: create(STARTS)?,
            documents: create(DOCUMENTS)?,
            lists: create(LISTS)?,
            folder: folder.to_owned(),
            role,
            keys_end: 0,
            documents_end: 0,
            ordinal: NO_KEY,
            first: vec![NO_KEY; documents as usize],
            others: Vec::new(),
            failed: None,
        })
    }

    /// Writes what is known only after the last key.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.starts.write_all(&self.keys_end.to_le_bytes())?;
        self.lists.write_all(&self.documents_end.to_le_bytes())?;
        for out in [&mut self.keys, &mut self.starts, &mut self.documents, &mut self.lists] {
            out.flush()?;
        }
        self.others.sort_unstable();
        let mut more: Vec<u32> = Vec::new();
        for list in self.others.chunk_by(|a, b| a.0 == b.0) {
            let first = &mut self.first[list[0].0 as usize];
            let at = more.len() as u32;
            more.push(list.len() as u32 + 1);
            more.push(*first);
            more.extend(list.iter().map(|(_, ordinal)| ordinal));
            if at >= MANY || more.len() >= MANY as usize {
                return Err(io::Error::other(format!("too many keys of {}", self.role.name())));
            }
            *first = MANY | at;
        }
        let keys = fs::read(file(&self.folder, self.role, KEYS))?;
        let keys = keys
            .split_inclusive(|byte| *byte == END)
            .map(|key| &key[..key.len() - 1]);
        let words = NameWords::new(keys).as_bytes().map(Bytes::clone);
        fs::write(file(&self.folder, self.role, WORDS), pack(&words.each_ref()))?;
        for (part, numbers) in [(FIRST, &self.first), (MORE, &more)] {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            fs::write(file(&self.folder, self.role, part), bytes)?;
        }
        Ok(())
    }
}

impl TermVisitor for NamesWriter {
    fn term(&mut self, term: &[u8]) -> io::Result<()> {
        self.ordinal = self.ordinal.wrapping_add(1);
        self.starts.write_all(&self.keys_end.to_le_bytes())?;
        self.lists.write_all(&self.documents_end.to_le_bytes())?;
        self.keys.write_all(term)?;
        self.keys.write_all(&[END])?;
        let end = self
            .keys_end
            .checked_add(term.len() as u32 + 1)
            .filter(|_| self.ordinal < MANY - 1);
        self.keys_end = end.ok_or_else(|| io::Error::other(format!("over 4 GiB of {}", self.role.name())))?;
        Ok(())
    }

    fn document(&mut self, document: u32) {
        self.documents_end += 1;
        if let Err(error) = self.documents.write_all(&document.to_le_bytes()) {
            self.failed.get_or_insert(error);
        }
        let first = &mut self.first[document as usize];
        if *first == NO_KEY {
            *first = self.ordinal;
        } else {
            self.others.push((document, self.ordinal));
        }
    }
}
