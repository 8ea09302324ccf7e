//! `procure suppliers`: which names are one supplier or one body, why, and what people claim about it. No server is
//! needed.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow, ensure};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::{
    catalog::{
        generation::Generation,
        suppliers::{Party, Supplier, SupplierList, claims::Claims, explain::explain, matching::matches},
    },
    cli::{
        engine_options::EngineOptions,
        options::{parse_number, print},
    },
    model::{Date, printable::printable},
    storage::{durable_file, regular_file},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Suppliers {
    /// State whether two names are one supplier, and why
    Explain {
        a: String,
        b: String,
        #[command(flatten)]
        listed: Listed,
    },
    /// List suppliers with their names, those with most records first
    List {
        /// Part of one of the names
        text: Option<String>,
        /// Maximum number of suppliers
        #[arg(long, value_name = "N", env = "PROCURE_LIMIT", default_value_t = 20, value_parser = parse_number::<usize>)]
        limit: usize,
        #[command(flatten)]
        listed: Listed,
    },
    /// Claim that two names are the same supplier: adds a line to the file of claims
    Accept(NewClaim),
    /// Claim that two names are different suppliers: adds a line to the file of claims
    Reject(NewClaim),
    /// Check a file of claims against the index, as `procure index --claims` does
    Check {
        file: PathBuf,
        #[command(flatten)]
        index: EngineOptions,
    },
    /// Find the suppliers that a column of names in a CSV file means: adds supplier_id, supplier_name and score
    Match {
        file: PathBuf,
        /// Name of the column, by default the first one
        #[arg(long, value_name = "NAME", env = "PROCURE_COLUMN")]
        column: Option<String>,
        #[command(flatten)]
        index: EngineOptions,
    },
}

/// An index, and which of its lists is meant.
#[derive(Debug, Args)]
pub(crate) struct Listed {
    /// The names of public bodies, not those of suppliers
    #[arg(long, env = "PROCURE_BODIES")]
    bodies: bool,
    #[command(flatten)]
    index: EngineOptions,
}

impl Listed {
    fn party(&self) -> Party {
        if self.bodies { Party::Body } else { Party::Supplier }
    }
}

#[derive(Debug, Args)]
pub(crate) struct NewClaim {
    a: String,
    b: String,
    /// File of claims; it is created if it does not exist
    #[arg(
        long,
        value_name = "FILE",
        env = "PROCURE_CLAIMS",
        default_value = "data/claims.ndjson"
    )]
    claims: PathBuf,
    /// Why, for people who read the file
    #[arg(long, value_name = "TEXT", env = "PROCURE_REASON")]
    reason: Option<String>,
    #[command(flatten)]
    listed: Listed,
}

pub(crate) fn run(args: Suppliers) -> anyhow::Result<()> {
    match args {
        Suppliers::Explain { a, b, listed } => {
            let generation = listed.index.open_current()?;
            print(&explain(generation.parties(listed.party()), &a, &b)?)
        }
        Suppliers::List { text, limit, listed } => {
            let generation = listed.index.open_current()?;
            list(generation.parties(listed.party()), text.as_deref(), limit)
        }
        Suppliers::Accept(claim) => add(&claim, "same"),
        Suppliers::Reject(claim) => add(&claim, "different"),
        Suppliers::Check { file, index } => {
            let bytes = regular_file::read(&file).with_context(|| format!("reading {}", file.display()))?;
            let count = check(&index.open_current()?, &file, &bytes)?;
            print(&format!("{}: {count} claims, all can be applied\n", file.display()))
        }
        Suppliers::Match { file, column, index } => match_file(&index.open_current()?, &file, column.as_deref()),
    }
}

fn list(suppliers: &SupplierList, text: Option<&str>, limit: usize) -> anyhow::Result<()> {
    let found = text.map_or_else(
        || (0..suppliers.len() as u32).collect(),
        |text| suppliers.containing(text),
    );
    let mut lines = String::new();
    for supplier in found.into_iter().take(limit).filter_map(|number| suppliers.get(number)) {
        lines.push_str(&shown(&supplier));
    }
    print(&lines)
}

fn shown(supplier: &Supplier) -> String {
    let Supplier {
        id,
        name,
        names,
        records,
        total_value,
        ..
    } = supplier;
    let mut lines = format!(
        "{id}  {}: {} names, {records} records, ${total_value:.2}\n",
        printable(name),
        names.len()
    );
    for name in &names[1..] {
        let reason = name
            .reason
            .as_ref()
            .map(|reason| reason.evidence.sentence(&reason.with));
        let (name, reason) = (printable(&name.name), reason.unwrap_or_default());
        lines.push_str(&format!("    {name}: {}\n", printable(&reason)));
    }
    lines
}

/// Checks claims against the names of the index. Returns their number.
fn check(generation: &Generation, file: &Path, bytes: &[u8]) -> anyhow::Result<usize> {
    let refused = |problems: String| anyhow!("the claims in {} cannot be applied:\n{problems}", file.display());
    let claims = Claims::parse(bytes).map_err(|problems| refused(problems.to_string()))?;
    for party in Party::ALL {
        let names = generation.parties(party).names();
        let resolved = claims.resolve(party, &names);
        resolved.map_err(|problems| refused(problems.to_string()))?;
    }
    Ok(claims.0.len())
}

fn add(new: &NewClaim, claim: &str) -> anyhow::Result<()> {
    let path = &new.claims;
    let mut bytes = match regular_file::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        bytes => bytes.with_context(|| format!("reading {}", path.display()))?,
    };
    ensure!(
        bytes.is_empty() || bytes.trim_ascii_start().starts_with(b"{"),
        "{} is a CSV file; add the row {claim},{},{} by hand, or name an NDJSON file with --claims",
        path.display(),
        new.a,
        new.b
    );
    let today = Date::in_toronto(chrono::Utc::now()).to_string();
    let mut line = json!({"claim": claim, "a": new.a, "b": new.b, "date": today});
    if new.listed.bodies {
        line["of"] = json!(Party::Body.noun());
    }
    if let Some(reason) = &new.reason {
        line["reason"] = json!(reason);
    }
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(format!("{line}\n").as_bytes());
    let count = check(&new.listed.index.open_current()?, path, &bytes)?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    }
    // Under another name first: a full disk leaves the former file.
    let temporary = path.with_extension("tmp");
    durable_file::write(&temporary, &bytes)
        .and_then(|()| durable_file::rename(&temporary, path))
        .with_context(|| format!("writing {}", path.display()))?;
    print(&format!(
        "{}: {count} claims; `procure index --claims {}` applies them\n",
        path.display(),
        path.display()
    ))
}

fn match_file(generation: &Generation, file: &Path, column: Option<&str>) -> anyhow::Result<()> {
    let reading = || format!("reading {}", file.display());
    let bytes = regular_file::read(file).with_context(reading)?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let mut header = reader.headers().with_context(reading)?.clone();
    let place = match column {
        None => 0,
        Some(name) => header.iter().position(|known| known == name).with_context(|| {
            let columns: Vec<&str> = header.iter().collect();
            format!(
                "{} has no column '{name}'; it has {}",
                file.display(),
                columns.join(", ")
            )
        })?,
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    ["supplier_id", "supplier_name", "score"]
        .iter()
        .for_each(|name| header.push_field(name));
    writer.write_record(&header)?;
    for row in reader.records() {
        let mut row = row.with_context(reading)?;
        while row.len() + 3 < header.len() {
            row.push_field("");
        }
        let [id, name, score] = matched(&generation.suppliers, row.get(place).unwrap_or_default());
        [id, name, score].iter().for_each(|cell| row.push_field(cell));
        writer.write_record(&row)?;
    }
    print(&String::from_utf8_lossy(
        &writer.into_inner().context("writing the rows")?,
    ))
}

/// The cells of the best match; empty where none is good enough to be looked at.
fn matched(list: &SupplierList, name: &str) -> [String; 3] {
    match matches(list, name, 1).into_iter().next() {
        Some(found) => [found.supplier.id, found.supplier.name, format!("{:.1}", found.score)],
        None => Default::default(),
    }
}
