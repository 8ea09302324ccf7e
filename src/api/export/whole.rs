//! Whole dumps: every list of a generation as Parquet and as compressed NDJSON, with checksums and descriptors.
//!
//! All files are written under hidden names. They are renamed when all are whole and on the disk, the descriptor last.
//! So a folder with `datapackage.json` is complete, and no file under its own name is half written.

use std::{
    fs,
    io::{self, Write},
    panic,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use anyhow::Context;
use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::{
    api::{
        analysis::{bids::comparison::NoticeBidRow, supplier::SupplierView},
        export::{
            RowSource,
            bids::BidRows,
            columns::{self, Column},
            descriptors::{CROISSANT, DATA_PACKAGE, DumpedFile, DumpedList, croissant, data_package},
            parquet_file::ParquetFile,
            parquet_rows::SupplierOf,
            records::{Begin, SearchRecords},
            suppliers::{SupplierRows, supplier_of},
        },
    },
    catalog::generation::Generation,
    engine::Deadline,
    model::{EntityType, Schema},
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

/// The checksums, as `sha256sum --check` reads them.
pub(crate) const CHECKSUMS: &str = "SHA256SUMS";

/// A list to dump: its rows are read once for each format.
struct List {
    name: &'static str,
    key: Option<&'static str>,
    columns: Vec<Column>,
    supplier_of: Option<SupplierOf>,
    rows: Box<dyn Fn() -> Box<dyn RowSource> + Sync>,
}

/// Writes all rows of a generation to a folder, and returns what was written. All files get their names at the end, the
/// descriptor last.
pub(crate) fn write(generation: &Arc<Generation>, folder: &Path) -> anyhow::Result<Vec<DumpedList>> {
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    let (mut dumped, mut hidden) = (Vec::new(), Vec::new());
    for list in lists(generation) {
        dumped.push(list.write(folder, &generation.id, &mut hidden)?);
    }
    let files = dumped.iter().flat_map(|list| [&list.parquet, &list.ndjson]);
    let sums: String = files.map(|file| format!("{}  {}\n", file.sha256, file.name)).collect();
    for (name, content) in [
        (CHECKSUMS, sums.into_bytes()),
        (CROISSANT, serde_json::to_vec_pretty(&croissant(generation, &dumped))?),
        (
            DATA_PACKAGE,
            serde_json::to_vec_pretty(&data_package(generation, &dumped))?,
        ),
    ] {
        let mut file = HashedFile::create(folder, name)?;
        file.write_all(&content).with_context(|| format!("writing {name}"))?;
        hidden.push(file.finish()?.1);
    }
    // The descriptor of an earlier dump describes no longer what is here.
    remove_if_there(&folder.join(DATA_PACKAGE))?;
    hidden.iter().try_for_each(HiddenFile::show)?;
    Ok(dumped)
}

/// The lists of a generation that have rows.
fn lists(generation: &Arc<Generation>) -> Vec<List> {
    let has_records = |entity_type: &EntityType| generation.manifest_of(*entity_type).records > 0;
    let records = EntityType::ALL.into_iter().filter(has_records).map(|entity_type| {
        let generation = Arc::clone(generation);
        List {
            name: entity_type.name(),
            key: Some("record_id"),
            columns: columns::of_records(Schema::of(entity_type)),
            supplier_of: supplier_of(&generation, Schema::of(entity_type)),
            rows: Box::new(move || {
                let query = SearchQuery::newest(entity_type, Vec::new());
                Box::new(SearchRecords::new(&generation, query, Begin::At(Start::Offset(0))))
            }),
        }
    });
    let mut lists: Vec<List> = records.collect();
    if generation.bids.bids() > 0 {
        let generation = Arc::clone(generation);
        lists.push(List {
            name: "bids",
            key: None,
            columns: columns::of_rows::<NoticeBidRow>(),
            supplier_of: None,
            rows: Box::new(move || Box::new(BidRows::all(&generation))),
        });
    }
    if generation.suppliers.len() > 0 {
        let generation = Arc::clone(generation);
        lists.push(List {
            name: "suppliers",
            key: Some("id"),
            columns: columns::of_rows::<SupplierView>(),
            supplier_of: None,
            rows: Box::new(move || Box::new(SupplierRows::all(&generation))),
        });
    }
    lists
}

impl List {
    /// Both files are written at the same time. The files are hidden.
    fn write(self, folder: &Path, generation: &str, hidden: &mut Vec<HiddenFile>) -> anyhow::Result<DumpedList> {
        let List {
            name,
            key,
            columns,
            supplier_of,
            rows,
        } = self;
        let parquet = || {
            let out = HashedFile::create(folder, &format!("{name}.parquet"))?;
            let mut file = ParquetFile::new(out, columns, supplier_of, GROUP_BYTES, generation)?;
            let columns = file.columns().to_vec();
            let count = each_row(&mut *rows(), |row| file.push(row))?;
            anyhow::Ok((columns, count, file.into_out()?.finish()?))
        };
        let ndjson = || {
            let out = HashedFile::create(folder, &format!("{name}.ndjson.zst"))?;
            let mut file = zstd::Encoder::new(out, ZSTD_LEVEL)?;
            each_row(&mut *rows(), |row| {
                file.write_all(row)?;
                Ok(file.write_all(b"\n")?)
            })?;
            file.finish()?.finish()
        };
        let (parquet, ndjson) = thread::scope(|scope| {
            let ndjson = thread::Builder::new().spawn_scoped(scope, ndjson);
            let ndjson = ndjson.context("starting a thread")?;
            let parquet = parquet();
            let ndjson = ndjson.join();
            anyhow::Ok((parquet, ndjson.unwrap_or_else(|panic| panic::resume_unwind(panic))))
        })?;
        let (columns, rows, (parquet, hidden_parquet)) = parquet?;
        let (ndjson, hidden_ndjson) = ndjson?;
        hidden.extend([hidden_parquet, hidden_ndjson]);
        Ok(DumpedList {
            name,
            key,
            columns,
            rows,
            parquet,
            ndjson,
        })
    }
}

/// Calls `each` with every row, and returns how many there are.
fn each_row(rows: &mut dyn RowSource, mut each: impl FnMut(&Bytes) -> anyhow::Result<()>) -> anyhow::Result<u64> {
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

/// A file under a hidden name, which is removed unless it is shown.
struct HiddenFile {
    hidden: PathBuf,
    path: PathBuf,
}

impl HiddenFile {
    /// Gives the file its own name.
    fn show(&self) -> anyhow::Result<()> {
        durable_file::rename(&self.hidden, &self.path).with_context(|| format!("naming {}", self.path.display()))
    }
}

impl Drop for HiddenFile {
    /// After a rename, there is nothing under the hidden name.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.hidden);
    }
}

/// A file that is being written, with its checksum.
struct HashedFile {
    name: String,
    hidden: HiddenFile,
    file: DurableFile,
    hash: Sha256,
    bytes: u64,
}

impl HashedFile {
    fn create(folder: &Path, name: &str) -> anyhow::Result<HashedFile> {
        let path = folder.join(format!(".{name}.tmp"));
        let file = DurableFile::create(&path).with_context(|| format!("creating {}", path.display()))?;
        Ok(HashedFile {
            name: name.to_owned(),
            hidden: HiddenFile {
                hidden: path,
                path: folder.join(name),
            },
            file,
            hash: Sha256::new(),
            bytes: 0,
        })
    }

    /// Keeps the file under its hidden name.
    fn finish(self) -> anyhow::Result<(DumpedFile, HiddenFile)> {
        let path = &self.hidden.path;
        self.file
            .finish()
            .with_context(|| format!("writing {}", path.display()))?;
        let dumped = DumpedFile {
            name: self.name,
            bytes: self.bytes,
            sha256: hex(&self.hash.finalize()),
        };
        Ok((dumped, self.hidden))
    }
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.append(bytes)?;
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn remove_if_there(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", path.display()))
        }
        _ => Ok(()),
    }
}
