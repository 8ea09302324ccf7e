//! The two passes over the finished dumps: all steps observe every record, then complete some.

use std::{
    fs::File,
    io::{self, Read},
    ops::Range,
    path::Path,
};

use anyhow::{Context, Result, anyhow, ensure};
use rayon::prelude::*;
use serde_json::Value;

use super::{
    insert::insert,
    step::{MAX_ADDED_BYTES, SecondPassStep},
};
use crate::{
    model::{Record, Schema},
    normalize::dump_writers::FinishedDump,
    storage::{
        dump::{DumpLineReader, MAX_RECORD_BYTES},
        durable_file::{self, DurableFile},
    },
};

/// How many bytes of lines are parsed at a time.
const BATCH_BYTES: usize = 4 << 20;

/// Lets all steps observe all records, and then complete them.
pub(crate) fn run(steps: &mut [Box<dyn SecondPassStep>], dumps: &mut [FinishedDump]) -> Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    let mut dumps: Vec<&mut FinishedDump> = dumps.iter_mut().collect();
    dumps.sort_by_key(|dump| (dump.entity_type, dump.source_id));
    for dump in &dumps {
        observe(steps, dump)?;
    }
    steps.par_iter_mut().for_each(|step| step.conclude());
    for dump in dumps {
        complete(steps, dump)?;
    }
    Ok(())
}

fn observe(steps: &mut [Box<dyn SecondPassStep>], dump: &FinishedDump) -> Result<()> {
    let schema = Schema::of(dump.entity_type);
    let mut batches = Batches::open(&dump.temporary)?;
    while let Some(batch) = batches.next()? {
        let records: Vec<Record> = batch
            .lines
            .par_iter()
            .map(|line| parse(schema, &batch.bytes[line.clone()]))
            .collect::<Result<_>>()?;
        steps.par_iter_mut().for_each(|step| {
            for record in &records {
                step.observe(dump.entity_type, dump.source_id, record);
            }
        });
    }
    Ok(())
}

/// Completes the records of a dump, and writes it again from the first that gains a member.
fn complete(steps: &[Box<dyn SecondPassStep>], dump: &mut FinishedDump) -> Result<()> {
    let writing = "writing a dump (is the disk full?)";
    let mut batches = Batches::open(&dump.temporary)?;
    let mut rewritten: Option<DurableFile> = None;
    let mut unchanged = 0;
    while let Some(batch) = batches.next()? {
        let completed: Vec<Option<Completed>> = batch
            .lines
            .par_iter()
            .map(|line| complete_line(steps, dump, &batch.bytes[line.clone()]))
            .collect::<Result<_>>()?;
        if rewritten.is_none() && completed.iter().all(Option::is_none) {
            unchanged += batch.bytes_of_lines();
            continue;
        }
        let file = match &mut rewritten {
            Some(file) => file,
            None => {
                let path = &dump.rewritten;
                let file = DurableFile::create(path).with_context(|| format!("creating {}", path.display()))?;
                let file = rewritten.insert(file);
                copy_start(&dump.temporary, unchanged, file).context(writing)?;
                file
            }
        };
        for (line, completed) in batch.lines.iter().zip(completed) {
            let bytes = match &completed {
                Some(completed) => &completed.line,
                None => &batch.bytes[line.clone()],
            };
            file.append(bytes).and_then(|()| file.append(b"\n")).context(writing)?;
            for field in completed.into_iter().flat_map(|completed| completed.fields) {
                dump.present[field] += 1;
            }
        }
    }
    if let Some(file) = rewritten {
        file.finish().context(writing)?;
        durable_file::rename(&dump.rewritten, &dump.temporary).context(writing)?;
    }
    Ok(())
}

/// A record with the members that were added to it.
struct Completed {
    line: Vec<u8>,
    /// The numbers of the added fields.
    fields: Vec<usize>,
}

fn complete_line(steps: &[Box<dyn SecondPassStep>], dump: &FinishedDump, line: &[u8]) -> Result<Option<Completed>> {
    if line.len() + MAX_ADDED_BYTES > MAX_RECORD_BYTES {
        return Ok(None);
    }
    let schema = Schema::of(dump.entity_type);
    let record = parse(schema, line)?;
    let mut members: Vec<(usize, Value)> = Vec::new();
    for step in steps {
        for (name, value) in step.complete(dump.entity_type, dump.source_id, &record) {
            let field = schema.field_number(name).with_context(|| {
                let entity_type = dump.entity_type;
                format!("index-schema/{entity_type}.json does not declare {name}; add it there")
            })?;
            let is_known =
                record.fields().any(|known| known == name) || members.iter().any(|(known, _)| *known == field);
            if !is_known {
                members.push((field, value));
            }
        }
    }
    if members.is_empty() {
        return Ok(None);
    }
    members.sort_by_key(|(field, _)| *field);
    let line = insert(schema, line, &members)?;
    ensure!(
        line.len() <= MAX_RECORD_BYTES,
        "the record {} is too long with what was added to it",
        record.id()
    );
    Ok(Some(Completed {
        line,
        fields: members.into_iter().map(|(field, _)| field).collect(),
    }))
}

fn parse<'a>(schema: &'static Schema, line: &'a [u8]) -> Result<Record<'a>> {
    Record::parse(schema, line).map_err(|why| anyhow!("a record that was just written has changed: {why}"))
}

/// Copies the first bytes of a file.
fn copy_start(from: &Path, bytes: u64, to: &mut DurableFile) -> io::Result<()> {
    let mut start = File::open(from)?.take(bytes);
    let mut buffer = vec![0; 1 << 20];
    loop {
        match start.read(&mut buffer)? {
            0 => return Ok(()),
            read => to.append(&buffer[..read])?,
        }
    }
}

/// Reads the lines of a dump, many at a time.
struct Batches<'a> {
    path: &'a Path,
    reader: DumpLineReader,
    batch: Batch,
}

#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    lines: Vec<Range<usize>>,
}

impl Batches<'_> {
    fn open(path: &Path) -> Result<Batches<'_>> {
        let reader = DumpLineReader::open(path).with_context(|| format!("opening {}", path.display()))?;
        Ok(Batches {
            path,
            reader,
            batch: Batch::default(),
        })
    }

    /// The next lines; `None` after the last.
    fn next(&mut self) -> Result<Option<&Batch>> {
        let Batch { bytes, lines } = &mut self.batch;
        bytes.clear();
        lines.clear();
        while bytes.len() < BATCH_BYTES {
            let start = bytes.len();
            let line = self.reader.next_line(bytes);
            match line.with_context(|| format!("reading {}", self.path.display()))? {
                Some(_) => lines.push(start..bytes.len()),
                None => break,
            }
        }
        Ok((!self.batch.lines.is_empty()).then_some(&self.batch))
    }
}

impl Batch {
    /// The length of the lines in the dump, with the line ends.
    fn bytes_of_lines(&self) -> u64 {
        (self.bytes.len() + self.lines.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::MetadataExt};

    use serde_json::json;

    use super::*;
    use crate::{model::EntityType, normalize::report::NormalizeReport};

    /// Adds a text to every record whose id was observed twice.
    #[derive(Default)]
    struct Twins {
        text: &'static str,
        observed: Vec<String>,
        twins: Vec<String>,
    }

    impl SecondPassStep for Twins {
        fn observe(&mut self, entity_type: EntityType, source: &str, record: &Record) {
            assert_eq!((entity_type, source), (EntityType::Tender, "a"));
            self.observed.push(record.id().to_owned());
        }

        fn conclude(&mut self) {
            let count = |id: &String| self.observed.iter().filter(|other| *other == id).count();
            self.twins = self.observed.iter().filter(|id| count(id) == 2).cloned().collect();
        }

        fn complete(&self, _: EntityType, _: &str, record: &Record) -> Vec<(&'static str, Value)> {
            let is_twin = self.twins.iter().any(|id| id == record.id());
            is_twin.then(|| ("title_en", json!(self.text))).into_iter().collect()
        }

        fn report(&self, _: &mut NormalizeReport) {}
    }

    /// The dump after the steps, how many of its records have a title, and whether it was written again.
    fn completed(lines: &[String]) -> (Vec<String>, u64, bool) {
        let folder = tempfile::tempdir().unwrap();
        let temporary = folder.path().join("a.ndjson.tmp");
        fs::write(
            &temporary,
            lines.iter().map(|line| format!("{line}\n")).collect::<String>(),
        )
        .unwrap();
        let file = |path: &Path| fs::metadata(path).unwrap().ino();
        let before = file(&temporary);
        let schema = Schema::of(EntityType::Tender);
        let mut dumps = [FinishedDump {
            entity_type: EntityType::Tender,
            source_id: "a",
            temporary: temporary.clone(),
            rewritten: folder.path().join("a.rewritten.tmp"),
            records: lines.len() as u64,
            present: vec![0; schema.fields.len()],
        }];
        let step = |text: &'static str| -> Box<dyn SecondPassStep> {
            Box::new(Twins {
                text,
                ..Twins::default()
            })
        };
        run(&mut [step("first"), step("second")], &mut dumps).unwrap();
        assert!(!dumps[0].rewritten.exists());
        let text = fs::read_to_string(&temporary).unwrap();
        let present = dumps[0].present[schema.field_number("title_en").unwrap()];
        (
            text.lines().map(str::to_owned).collect(),
            present,
            file(&temporary) != before,
        )
    }

    #[test]
    fn records_are_completed_after_all_were_observed() {
        let record = |id: usize, more: &str| format!(r#"{{"record_id":"{id}"{more}}}"#);
        // More than a batch, so that the first lines are copied.
        let filler = format!(r#","description_en":"{}""#, "x".repeat(100_000));
        let mut lines: Vec<String> = (0..60).map(|id| record(id, &filler)).collect();
        let (unchanged, present, is_rewritten) = completed(&lines);
        assert!(unchanged == lines && present == 0 && !is_rewritten, "nothing was added");

        let long = format!(
            r#","description_en":"{}""#,
            "x".repeat(MAX_RECORD_BYTES - MAX_ADDED_BYTES)
        );
        lines.extend([
            record(100, ""),
            record(101, r#","title_en":"own""#),
            record(102, &long),
            record(100, r#","title_fr":"b""#),
            record(101, ""),
            record(102, ""),
        ]);
        let mut expected = lines.clone();
        expected[60] = record(100, r#","title_en":"first""#);
        expected[63] = record(100, r#","title_en":"first","title_fr":"b""#);
        expected[64] = record(101, r#","title_en":"first""#);
        expected[65] = record(102, r#","title_en":"first""#);
        let (whole, present, is_rewritten) = completed(&lines);
        for (number, (line, expected)) in whole.iter().zip(&expected).enumerate() {
            assert!(line == expected, "line {number}: {}", &line[..line.len().min(200)]);
        }
        assert_eq!((whole.len(), present, is_rewritten), (66, 4, true));
    }
}
