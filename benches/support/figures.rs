//! Saves measurements to a file of `docs/figures`, from which the pages of the documentation show tables.
//!
//! `PROCURE_SAVE_FIGURES=docs/figures/NAME.json` names the file. What the file says about tables and data stays;
//! machine, day, command and measurements are replaced.

use std::{fs, path::Path};

use serde_json::{Map, Value, json};

/// The member of a row that states how long a fixed computation took right after it, in milliseconds. It is not saved.
pub const CALIBRATION: &str = "calibration";

/// Names the file to save to. Without it, nothing is saved.
const FILE: &str = "PROCURE_SAVE_FIGURES";

/// Saves measurements, each with its `name`, if a file is wanted. `command` repeats the measurement.
///
/// With `keeps_others`, measurements of other names stay.
pub fn save(command: Option<&str>, measured: &[Value], keeps_others: bool) {
    let Some(file) = std::env::var_os(FILE) else { return };
    let file = Path::new(&file);
    let old: Value = match fs::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).expect("JSON in the file of figures"),
        Err(_) => json!({ "about": "", "tables": {}, "measured": [] }),
    };
    let is_new = |old: &Value| measured.iter().any(|new| new["name"] == old["name"]);
    let others = old["measured"].as_array().into_iter().flatten();
    let others = others.filter(|old| keeps_others && !is_new(old));
    let lines: Vec<String> = others.chain(measured).map(line).collect();
    let text = format!(
        "{{\n  \"machine\": {},\n  \"date\": \"{}\",\n  \"command\": {},\n  \"about\": {},\n  \"tables\": {},\n  \"measured\": [\n    {}\n  ]\n}}\n",
        json!(machine()),
        chrono::Utc::now().date_naive(),
        json!(command),
        old["about"],
        tables(&old["tables"]),
        lines.join(",\n    ")
    );
    fs::write(file, text).expect("writing the file of figures");
}

/// A measurement without what tells of the machine alone.
fn line(measured: &Value) -> String {
    let mut measured = measured.clone();
    if let Some(members) = measured.as_object_mut() {
        members.remove(CALIBRATION);
    }
    measured.to_string()
}

/// The processor and the number of its cores.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("", |rest| rest.trim_start_matches([' ', '\t', ':']));
    format!("{model}, {cores} cores").trim_start_matches(", ").to_owned()
}

/// The tables with a line for each column and row, so that a change is easy to read.
fn tables(tables: &Value) -> String {
    let empty = Map::new();
    let list = |values: &Value| {
        let lines: Vec<String> = values.as_array().into_iter().flatten().map(Value::to_string).collect();
        format!("[\n        {}\n      ]", lines.join(",\n        "))
    };
    let tables = tables.as_object().unwrap_or(&empty).iter();
    let tables: Vec<String> = tables
        .map(|(name, table)| {
            format!(
                "    {}: {{\n      \"columns\": {},\n      \"rows\": {}\n    }}",
                json!(name),
                list(&table["columns"]),
                list(&table["rows"])
            )
        })
        .collect();
    format!("{{\n{}\n  }}", tables.join(",\n"))
}
