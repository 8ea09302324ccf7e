//! Whole dumps: every entity type of a generation as Parquet and as compressed NDJSON, with checksums and a descriptor.
//!
//! A file is written under a hidden name and renamed when it is whole and on the disk, and the descriptor comes last.
//! So a folder with `datapackage.json` is complete, and no file under its own name is half written.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    api::export::{
        RowSource,
        parquet_file::{Field, ParquetFile, fields_of},
        records::{Begin, SearchRecords},
    },
    catalog::generation::Generation,
    engine::Deadline,
    model::{EntityType, Schema, schema::FieldType},
    query::{SearchQuery, Start},
    storage::{
        durable_file::{self, DurableFile},
        hex::hex,
    },
};

/// The size of the rows of a row group as JSON, in bytes.
const GROUP_BYTES: usize = 128 << 20;

/// The level of Zstandard for NDJSON, which is written once and read often.
const ZSTD_LEVEL: i32 = 9;

/// The descriptor, a Data Package (<https://datapackage.org>).
const DESCRIPTOR: &str = "datapackage.json";

/// The checksums, as `sha256sum --check` reads them.
const CHECKSUMS: &str = "SHA256SUMS";

/// What was written.
pub(crate) struct DumpReport {
    pub(crate) files: Vec<DumpedFile>,
}

/// A file of a dump.
pub(crate) struct DumpedFile {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) rows: u64,
    sha256: String,
    media_type: &'static str,
    fields: Vec<Field>,
}

/// A list to dump: its name, its columns, and its rows, which are read once for each format.
struct List<'a> {
    name: &'a str,
    fields: Vec<Field>,
    rows: &'a dyn Fn() -> Box<dyn RowSource>,
}

/// Writes all records of a generation to a folder.
pub(crate) fn write(generation: &Arc<Generation>, folder: &Path) -> anyhow::Result<DumpReport> {
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    // A descriptor of an earlier dump describes no longer what is here.
    remove_if_there(&folder.join(DESCRIPTOR))?;
    let mut files = Vec::new();
    for entity_type in EntityType::ALL {
        if generation.manifest_of(entity_type).records == 0 {
            continue;
        }
        let rows = || -> Box<dyn RowSource> {
            let query = SearchQuery::newest(entity_type, Vec::new());
            Box::new(SearchRecords::new(generation, query, Begin::At(Start::Offset(0))))
        };
        let list = List {
            name: entity_type.name(),
            fields: fields_of(Schema::of(entity_type)),
            rows: &rows,
        };
        files.push(list.write_parquet(folder, &generation.id)?);
        files.push(list.write_ndjson(folder)?);
    }
    let sums: String = files
        .iter()
        .map(|file| format!("{}  {}\n", file.sha256, file.name))
        .collect();
    write_small(folder, CHECKSUMS, sums.as_bytes())?;
    let descriptor = serde_json::to_vec_pretty(&descriptor(generation, &files))?;
    write_small(folder, DESCRIPTOR, &descriptor)?;
    Ok(DumpReport { files })
}

impl List<'_> {
    fn write_parquet(&self, folder: &Path, generation: &str) -> anyhow::Result<DumpedFile> {
        let name = format!("{}.parquet", self.name);
        let out = HashedFile::create(folder, &name)?;
        let mut file = ParquetFile::new(out, &self.fields, GROUP_BYTES, generation)?;
        let rows = each_row(&mut *(self.rows)(), |row| file.push(row))?;
        let done = file.into_out()?.finish()?;
        Ok(self.dumped(name, rows, done, "application/vnd.apache.parquet", self.fields.clone()))
    }

    fn write_ndjson(&self, folder: &Path) -> anyhow::Result<DumpedFile> {
        let name = format!("{}.ndjson.zst", self.name);
        let out = HashedFile::create(folder, &name)?;
        let mut file = zstd::Encoder::new(out, ZSTD_LEVEL)?;
        let rows = each_row(&mut *(self.rows)(), |row| {
            file.write_all(row)?;
            Ok(file.write_all(b"\n")?)
        })?;
        let done = file.finish()?.finish()?;
        Ok(self.dumped(name, rows, done, "application/x-ndjson", Vec::new()))
    }

    fn dumped(
        &self,
        name: String,
        rows: u64,
        (bytes, sha256): (u64, String),
        media_type: &'static str,
        fields: Vec<Field>,
    ) -> DumpedFile {
        DumpedFile {
            name,
            bytes,
            rows,
            sha256,
            media_type,
            fields,
        }
    }
}

/// Calls `each` with every row, and returns how many there are.
fn each_row(rows: &mut dyn RowSource, mut each: impl FnMut(&[u8]) -> anyhow::Result<()>) -> anyhow::Result<u64> {
    let mut count = 0;
    loop {
        let page = rows.next_rows(&Deadline::never());
        let page = page.map_err(|error| anyhow::anyhow!("{} {}", error.detail, error.cause.unwrap_or_default()))?;
        for row in &page.rows {
            each(row)?;
            count += 1;
        }
        if page.is_last {
            return Ok(count);
        }
    }
}

/// A file with its checksum, under a hidden name until it is whole. It is removed if it is not finished.
struct HashedFile {
    file: Option<DurableFile>,
    hidden: PathBuf,
    path: PathBuf,
    hash: Sha256,
    bytes: u64,
}

impl HashedFile {
    fn create(folder: &Path, name: &str) -> anyhow::Result<HashedFile> {
        let hidden = folder.join(format!(".{name}.tmp"));
        let file = DurableFile::create(&hidden).with_context(|| format!("creating {}", hidden.display()))?;
        Ok(HashedFile {
            file: Some(file),
            path: folder.join(name),
            hidden,
            hash: Sha256::new(),
            bytes: 0,
        })
    }

    /// The size of the file in bytes, and its SHA-256.
    fn finish(mut self) -> anyhow::Result<(u64, String)> {
        if let Some(file) = self.file.take() {
            file.finish()
                .with_context(|| format!("writing {}", self.hidden.display()))?;
        }
        durable_file::rename(&self.hidden, &self.path).with_context(|| format!("naming {}", self.path.display()))?;
        let hash = std::mem::take(&mut self.hash);
        Ok((self.bytes, hex(&hash.finalize())))
    }
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(file) = &mut self.file {
            file.append(bytes)?;
        }
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for HashedFile {
    /// Removes what was not finished; after a rename, there is nothing under the hidden name.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.hidden);
    }
}

fn write_small(folder: &Path, name: &str, content: &[u8]) -> anyhow::Result<()> {
    let mut file = HashedFile::create(folder, name)?;
    file.write_all(content).with_context(|| format!("writing {name}"))?;
    file.finish().map(drop)
}

fn remove_if_there(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The descriptor, valid as version 1 and as version 2 of the format.
fn descriptor(generation: &Generation, files: &[DumpedFile]) -> Value {
    let resource = |file: &DumpedFile| {
        let (list, format) = file.name.split_once('.').unwrap_or((&file.name, ""));
        let fields = file
            .fields
            .iter()
            .map(|(name, field_type)| json!({"name": name, "type": field_type_name(*field_type)}));
        let fields: Vec<Value> = fields.collect();
        let mut resource = json!({
            "name": format!("{}-{}", list.replace('_', "-"), format.replace('.', "-")),
            "path": file.name,
            "format": format.rsplit('.').next_back().unwrap_or(format),
            "mediatype": file.media_type,
            "bytes": file.bytes,
            "hash": format!("sha256:{}", file.sha256),
            "rows": file.rows,
        });
        if !fields.is_empty() {
            resource["schema"] = json!({"fields": fields, "primaryKey": ["record_id"]});
        }
        resource
    };
    json!({
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": format!("procure-{}", generation.id.to_lowercase()),
        "title": "Canadian public procurement records",
        "version": generation.id,
        "created": generation.manifest.built_at,
        "resources": files.iter().map(resource).collect::<Vec<Value>>(),
    })
}

fn field_type_name(field_type: FieldType) -> &'static str {
    match field_type {
        FieldType::Text => "string",
        FieldType::Date => "date",
        FieldType::Number => "number",
        FieldType::Count => "integer",
        FieldType::TextArray | FieldType::ObjectArray => "array",
        FieldType::Object => "object",
    }
}
