//! The report of a run of `procure fetch`: what became of each file, and what the operator should know or do.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::download::FetchOutcome;

/// The result of each requested file.
#[derive(Debug, Default)]
pub struct FetchReport {
    /// For a failed file, why it failed and how to fix that.
    pub files: Vec<(PathBuf, Result<FetchOutcome, String>)>,
    /// What else the operator should know.
    pub notes: Vec<String>,
    /// The attributions that the licences of the requested sources ask for.
    pub(crate) attributions: Vec<String>,
}

impl FetchReport {
    pub fn failed(&self) -> Vec<&Path> {
        let failed = self.files.iter().filter(|(_, outcome)| outcome.is_err());
        failed.map(|(path, _)| path.as_path()).collect()
    }
}

impl fmt::Display for FetchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, outcome) in &self.files {
            let path = path.display();
            match outcome {
                Ok(FetchOutcome::Fetched { bytes, resumed_at: 0 }) => writeln!(f, "fetched    {path}, {bytes} bytes")?,
                Ok(FetchOutcome::Fetched { bytes, resumed_at }) => {
                    writeln!(f, "fetched    {path}, {bytes} bytes, resumed after {resumed_at}")?;
                }
                Ok(FetchOutcome::Unchanged) => writeln!(f, "unchanged  {path}")?,
                Ok(FetchOutcome::NotPublished) => writeln!(f, "not yet    {path} is not published")?,
                Err(why) => writeln!(f, "FAILED     {path}: {why}")?,
            }
        }
        for note in &self.notes {
            writeln!(f, "note       {note}")?;
        }
        writeln!(f, "\nIf you show this data, you must state")?;
        for attribution in &self.attributions {
            writeln!(f, "  {attribution}")?;
        }
        Ok(())
    }
}

/// The note on files that a person has to download, because a request cannot. The lines after the first are indented
/// like the text of a note in the report.
pub(super) fn manual_note(id: &str, why: &str, steps: &[&str], folder: &Path) -> String {
    const INDENT: &str = "\n           ";
    let mut note = format!("{id}: {why}.{INDENT}To get its records:");
    for (number, step) in (1..).zip(steps) {
        let step = step.replace("{folder}", &folder.display().to_string());
        note += &format!("{INDENT}{number}. {}", step.replace('\n', &format!("{INDENT}   ")));
    }
    let last = steps.len() + 1;
    let raw = folder.parent().unwrap_or(folder).display();
    note + &format!(
        "{INDENT}{last}. Run `procure normalize {raw}`. It recognizes files by their content, whatever their names."
    )
}
