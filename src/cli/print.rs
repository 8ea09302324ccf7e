//! `procure print`: what belongs around the program on a machine, made by the program itself, so that it is always of the same version.

use std::{fs, path::PathBuf};

use anyhow::{Context, bail};
use clap::{CommandFactory, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::{self, Cli};

const NAME: &str = "procure";

const SYSTEMD_UNIT: &str = include_str!("procure.service");

#[derive(Debug, Subcommand)]
pub enum Print {
    /// A hardened systemd unit for `procure serve`
    SystemdUnit,
    /// Completions for a shell
    Completions { shell: Shell },
    /// The manual page of a command, or all of them
    Man {
        /// The command, such as `serve` or `keys create`; the program itself without one
        #[arg(value_name = "COMMAND")]
        command: Vec<String>,
        /// Folder all pages are written to, a file each [env: PROCURE_OUT]
        #[arg(
            long,
            value_name = "DIR",
            env = "PROCURE_OUT",
            hide_env = true,
            conflicts_with = "command"
        )]
        out: Option<PathBuf>,
    },
}

pub fn run(what: Print) -> anyhow::Result<()> {
    match what {
        Print::SystemdUnit => cli::print(SYSTEMD_UNIT),
        Print::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), NAME, &mut text);
            cli::print(&String::from_utf8_lossy(&text))
        }
        Print::Man { out: Some(folder), .. } => {
            fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
            clap_mangen::generate_to(Cli::command(), &folder)
                .with_context(|| format!("writing manual pages to {}", folder.display()))
        }
        Print::Man { command, out: None } => {
            let mut page = Vec::new();
            Man::new(find(&command)?)
                .render(&mut page)
                .context("writing the manual page")?;
            cli::print(&String::from_utf8_lossy(&page))
        }
    }
}

/// The command that these words name.
fn find(words: &[String]) -> anyhow::Result<clap::Command> {
    let mut command = Cli::command();
    // Gives each command below its whole name.
    command.build();
    for word in words {
        let Some(found) = command.find_subcommand(word) else {
            let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            bail!(
                "'{} {word}' is no command; there are: {}",
                command.get_name(),
                known.join(", ")
            );
        };
        command = found.clone();
    }
    Ok(command)
}
