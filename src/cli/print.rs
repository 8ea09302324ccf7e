//! `procure print`: the systemd unit, shell completions, manual pages, and what third parties wrote
//! of the program. All of it is inside the program, so that it matches its version.

use std::{fs, io::Read, path::PathBuf};

use anyhow::{Context, bail};
use clap::Subcommand;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{cli::options::print, storage::gzip::GzipReader};

const NAME: &str = "procure";

const SYSTEMD_UNIT: &str = include_str!("procure.service");

/// Made by `.ci/licences` from Cargo.lock.
const LICENCES: &[u8] = include_bytes!("licences.txt.gz");
const SBOM: &[u8] = include_bytes!("sbom.cdx.json.gz");

#[derive(Debug, Subcommand)]
pub(crate) enum Print {
    /// A hardened systemd unit for `procure serve`
    SystemdUnit,
    /// Completions for a shell
    Completions { shell: Shell },
    /// The licences and notices of the third-party packages in this program
    Licences,
    /// The packages in this program, with versions, checksums and licences: an SBOM in CycloneDX JSON
    Sbom,
    /// The manual page of a command, or of all commands; `procure print man serve | man -l -` shows one
    Man {
        /// The command, such as `serve` or `keys create`; without it, the page of the program
        #[arg(value_name = "COMMAND")]
        command: Vec<String>,
        /// Folder to write all pages to, one file each
        #[arg(long, value_name = "DIR", env = "PROCURE_OUT", conflicts_with = "command")]
        out: Option<PathBuf>,
    },
}

pub(crate) fn run(args: Print, command: clap::Command) -> anyhow::Result<()> {
    match args {
        Print::SystemdUnit => print(SYSTEMD_UNIT),
        Print::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut command.clone(), NAME, &mut text);
            print(&String::from_utf8_lossy(&text))
        }
        Print::Licences => print(&unpacked(LICENCES)?),
        Print::Sbom => print(&unpacked(SBOM)?),
        Print::Man { out: Some(folder), .. } => {
            fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
            clap_mangen::generate_to(command, &folder)
                .with_context(|| format!("writing manual pages to {}", folder.display()))
        }
        Print::Man {
            command: name,
            out: None,
        } => {
            let mut page = Vec::new();
            Man::new(find(command, &name)?)
                .render(&mut page)
                .context("writing the manual page")?;
            print(&String::from_utf8_lossy(&page))
        }
    }
}

fn unpacked(gzip: &[u8]) -> anyhow::Result<String> {
    let mut text = String::new();
    GzipReader::new(gzip)
        .read_to_string(&mut text)
        .context("unpacking a text of this program")?;
    Ok(text)
}

/// The command with this name, such as `keys create`.
fn find(mut command: clap::Command, name: &[String]) -> anyhow::Result<clap::Command> {
    // Gives each subcommand its full name.
    command.build();
    for word in name {
        let Some(found) = command.find_subcommand(word) else {
            let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            bail!(
                "unknown command '{} {word}'; use one of: {}",
                command.get_name(),
                known.join(", ")
            );
        };
        command = found.clone();
    }
    Ok(command)
}
