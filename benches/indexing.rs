//! The speed, memory and disk space of `procure index`: `cargo bench --bench indexing [-- --records
//! N --dir DIR]`.
//!
//! The binary runs as a user runs it and is measured from outside. The baseline, measured in the
//! same run, is one core that only checks that every line is JSON.

mod support;

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Instant,
};

use serde::de::IgnoredAny;
use support::{Arguments, BINARY, dumps, row, size, watch};

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let dumps = dumps(&dir, records);
    let input = size(&dumps) as f64;
    let index_dir = dir.join(format!("index-{records}"));
    let _ = fs::remove_dir_all(&index_dir);
    let child = Command::new(BINARY)
        .arg("index")
        .arg("--dumps")
        .arg(&dumps)
        .arg("--index-dir")
        .arg(&index_dir)
        .stdout(Stdio::null())
        .spawn()
        .expect("starting the binary");
    let (seconds, usage) = watch(child);
    let parse = bare_parse(&dumps);
    row(
        &format!("{records} contracts: build"),
        &[
            ("records_per_second", records as f64 / seconds),
            ("seconds", seconds),
            ("cpu_seconds", usage.cpu_seconds),
            ("times_bare_parse", seconds / parse),
            ("peak_mb", usage.peak_mb),
            ("anonymous_mb", usage.anonymous_mb),
        ],
    );
    let output = size(&index_dir) as f64;
    row(
        &format!("{records} contracts: disk"),
        &[
            ("ndjson_mb", input / 1e6),
            ("index_and_records_mb", output / 1e6),
            ("ratio", output / input),
        ],
    );
}

fn bare_parse(dumps: &std::path::Path) -> f64 {
    let started = Instant::now();
    for entry in fs::read_dir(dumps.join("contract")).expect("contracts") {
        let mut lines = BufReader::with_capacity(1 << 20, File::open(entry.expect("a dump").path()).expect("a dump"));
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).expect("a line") > 0 {
            serde_json::from_slice::<IgnoredAny>(&line).expect("JSON");
            line.clear();
        }
    }
    started.elapsed().as_secs_f64()
}
