//! Merges the runs of an entity type into its Tantivy index of one segment.
//!
//! The runs are of consecutive documents, so the postings of a term are those of the runs one after the other. Every
//! index field is merged for itself, so that all cores work; only bytes are copied after that.

use std::{
    collections::{BinaryHeap, binary_heap::PeekMut},
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use rayon::prelude::*;
use tantivy::{
    Directory, Index, IndexMeta, Segment,
    directory::{CompositeWrite, WritePtr},
    index::SegmentComponent,
    indexer::SegmentWriter,
    postings::FieldSerializer,
    schema::{Field, IndexRecordOption},
};

use super::{
    directory::BuildDirectory,
    run_file::{Run, RunReader},
    varint,
};
use crate::model::interner::first_bytes;

/// What is learned of the terms of a field while they are merged, in their order.
pub(super) trait TermVisitor: Send {
    /// The next term.
    fn term(&mut self, term: &[u8]) -> io::Result<()>;
    /// The next document of the term.
    fn document(&mut self, document: u32);
}

/// A field to merge.
pub(super) struct FieldMerge<'v> {
    pub(super) field: Field,
    /// The number of the field in the runs.
    pub(super) number: usize,
    pub(super) with_positions: bool,
    pub(super) visitor: Option<&'v mut dyn TermVisitor>,
}

/// About how long a field takes, in bytes of postings. The entry of a term in the dictionary takes as long as copying
/// some of them.
fn effort(runs: &[Run], field: &FieldMerge) -> u64 {
    const BYTES_OF_TERM: u64 = 200;
    let of_run = |run: &Run| run.bytes(field.number) + run.terms(field.number) * BYTES_OF_TERM;
    runs.iter().map(of_run).sum()
}

/// Writes the index of `documents` documents to an empty folder.
pub(super) fn merge(
    schema: tantivy::schema::Schema,
    settings: tantivy::IndexSettings,
    runs: &[Run],
    mut fields: Vec<FieldMerge>,
    documents: u32,
    folder: &Path,
) -> anyhow::Result<()> {
    let index = Index::create(BuildDirectory::open(folder)?, schema.clone(), settings.clone())?;
    let segment = empty_segment(&index, folder)?;
    let mut whole = FieldFiles::create(&segment)?;
    // Fields without terms have no entry.
    fields.retain(|field| effort(runs, field) > 0);
    // The field that takes longest is begun first, and written where it belongs.
    fields.sort_by_key(|field| std::cmp::Reverse(effort(runs, field)));
    let others = fields.split_off(fields.len().min(1));
    let scratch = BuildDirectory::open(folder)?;
    let (largest, others) = rayon::join(
        || fields.into_iter().try_for_each(|field| whole.write(runs, field)),
        || {
            let write = |field: FieldMerge| ScratchField::write(&scratch, folder, runs, field);
            others
                .into_par_iter()
                .with_max_len(1)
                .map(write)
                .collect::<anyhow::Result<Vec<_>>>()
        },
    );
    largest?;
    for field in others? {
        field.append_to(&mut whole)?;
    }
    whole.close()?;
    let meta = IndexMeta {
        index_settings: settings,
        persisted_custom_extensions: Vec::new(),
        segments: vec![segment.with_max_doc(documents).meta().clone()],
        schema,
        opstamp: 0,
        payload: None,
    };
    index
        .directory()
        .atomic_write(Path::new("meta.json"), &serde_json::to_vec_pretty(&meta)?)?;
    Ok(())
}

/// A segment whose other files (columns, norms and stored documents) have no content, because nothing is read from
/// them.
fn empty_segment(index: &Index, folder: &Path) -> anyhow::Result<Segment> {
    const LEAST_MEMORY: usize = 15 << 20;
    let segment = index.new_segment();
    SegmentWriter::for_segment(LEAST_MEMORY, segment.clone())?.finalize()?;
    for component in INVERTED {
        let path = folder.join(segment.relative_path(component));
        fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
    }
    Ok(segment)
}

/// The files of the inverted index.
const INVERTED: [SegmentComponent; 3] = [
    SegmentComponent::Terms,
    SegmentComponent::Postings,
    SegmentComponent::Positions,
];

struct FieldFiles([CompositeWrite<WritePtr>; 3]);

impl FieldFiles {
    fn create(segment: &Segment) -> anyhow::Result<FieldFiles> {
        let create = |component| Ok::<_, anyhow::Error>(CompositeWrite::wrap(segment.open_write(component)?));
        let [terms, postings, positions] = INVERTED.map(create);
        Ok(FieldFiles([terms?, postings?, positions?]))
    }

    /// Writes a field; returns the bytes that it takes in each file.
    fn write(&mut self, runs: &[Run], merge: FieldMerge) -> anyhow::Result<()> {
        let [terms, postings, positions] = &mut self.0;
        let tokens = runs.iter().map(|run| run.tokens(merge.number)).sum();
        let option = if merge.with_positions {
            IndexRecordOption::WithFreqsAndPositions
        } else {
            IndexRecordOption::Basic
        };
        let mut serializer = FieldSerializer::create(
            option,
            tokens,
            terms.for_field(merge.field),
            postings.for_field(merge.field),
            positions.for_field(merge.field),
            None,
        )?;
        merge_field(runs, merge, &mut serializer)?;
        serializer.close()?;
        Ok(())
    }

    fn close(self) -> io::Result<()> {
        self.0.into_iter().try_for_each(CompositeWrite::close)
    }
}

/// A field in files of its own.
struct ScratchField {
    field: Field,
    paths: [PathBuf; 3],
    /// The bytes in each file.
    lengths: [u64; 3],
}

impl ScratchField {
    fn write(
        directory: &BuildDirectory,
        folder: &Path,
        runs: &[Run],
        merge: FieldMerge,
    ) -> anyhow::Result<ScratchField> {
        let field = merge.field;
        let names = [0, 1, 2].map(|file| PathBuf::from(format!("field-{}.{file}", merge.number)));
        let mut files = Vec::new();
        for name in &names {
            files.push(CompositeWrite::wrap(directory.open_write(name)?));
        }
        let Ok(files) = <[_; 3]>::try_from(files) else {
            unreachable!("there are three names");
        };
        let mut files = FieldFiles(files);
        files.write(runs, merge)?;
        let mut lengths = [0; 3];
        for (file, length) in files.0.iter_mut().zip(&mut lengths) {
            // Any other field: only the number of bytes is wanted.
            let file = file.for_field_with_idx(field, 1);
            *length = file.written_bytes();
            file.flush()?;
        }
        Ok(ScratchField {
            field,
            paths: names.map(|name| folder.join(name)),
            lengths,
        })
    }

    /// Copies the field to its place and removes its files.
    fn append_to(self, whole: &mut FieldFiles) -> anyhow::Result<()> {
        for ((path, length), out) in self.paths.iter().zip(self.lengths).zip(&mut whole.0) {
            let copying = || format!("copying {}", path.display());
            let file = File::open(path).with_context(copying)?;
            let copied =
                io::copy(&mut io::Read::take(file, length), out.for_field(self.field)).with_context(copying)?;
            anyhow::ensure!(copied == length, "{} is too short", path.display());
            fs::remove_file(path).with_context(copying)?;
        }
        Ok(())
    }
}

/// A run by its next term. Sorted so that the heap has the least term first, and of equal terms the first run.
struct Next {
    first_bytes: u64,
    term: Vec<u8>,
    run: usize,
}

impl Ord for Next {
    fn cmp(&self, other: &Next) -> std::cmp::Ordering {
        let by_term = || other.term.cmp(&self.term);
        let by_first = other.first_bytes.cmp(&self.first_bytes);
        by_first.then_with(by_term).then_with(|| other.run.cmp(&self.run))
    }
}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Next) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Next {
    fn eq(&self, other: &Next) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Next {}

impl Next {
    /// Moves to the next term of the run; returns false after the last one.
    fn advance(&mut self, reader: &mut RunReader) -> io::Result<bool> {
        let has_term = reader.next(&mut self.term)?;
        self.first_bytes = first_bytes(&self.term);
        Ok(has_term)
    }
}

fn merge_field(runs: &[Run], merge: FieldMerge, out: &mut FieldSerializer<WritePtr>) -> io::Result<()> {
    let FieldMerge {
        number,
        with_positions,
        mut visitor,
        ..
    } = merge;
    let mut readers: Vec<RunReader> = runs.iter().map(|run| run.read(number)).collect();
    let mut heap = BinaryHeap::new();
    for (run, reader) in readers.iter_mut().enumerate() {
        let mut next = Next {
            first_bytes: 0,
            term: Vec::new(),
            run,
        };
        if next.advance(reader)? {
            heap.push(next);
        }
    }
    let (mut current, mut is_first) = (Vec::new(), true);
    let mut deltas = Vec::new();
    while let Some(mut next) = heap.peek_mut() {
        if is_first || next.term != current {
            out.close_term()?;
            // Frequencies of terms are only used to score, which needs norms.
            out.new_term(&next.term, 0, with_positions)?;
            if let Some(visitor) = &mut visitor {
                visitor.term(&next.term)?;
            }
            current.clone_from(&next.term);
            is_first = false;
        }
        let reader = &mut readers[next.run];
        let mut document = 0;
        let mut postings = reader.postings();
        for _ in 0..reader.documents() {
            document += varint::read(&mut postings)?;
            deltas.clear();
            if with_positions {
                for _ in 0..varint::read(&mut postings)? {
                    deltas.push(varint::read(&mut postings)?);
                }
            }
            out.write_doc(document, deltas.len() as u32, &deltas);
            if let Some(visitor) = &mut visitor {
                visitor.document(document);
            }
        }
        if !next.advance(reader)? {
            PeekMut::pop(next);
        }
    }
    Ok(())
}
