//! Campaigns: attacks and accidents in great number against the real binary. Each is one command and reports every
//! violation of a promise.
//!
//! They complement `run`, which does a little of everything for a long time: a campaign does one thing very often.

mod attacks;
mod charged_requests;
mod charges;
mod connections;
mod contracts;
mod generations;
mod hostile;
mod kill_index;
mod kill_serve;
mod latencies;
mod overload;
mod setup;

use crate::{Common, report::Report};

#[derive(Debug, clap::Subcommand)]
pub enum Campaign {
    /// Compare what requests cost the server with what they are charged
    Charges(charges::Options),
    /// Hold thousands of hostile connections of each kind
    Connections(connections::Options),
    /// Publish generation after generation under load
    Generations(generations::Options),
    /// Kill `procure index` at random moments under a serving server
    KillIndex(kill_index::Options),
    /// Kill `procure serve` at random moments under load
    KillServe(kill_serve::Options),
    /// Send more expensive work than the server can do
    Overload(overload::Options),
}

impl Campaign {
    /// Runs the campaign. An error means that the campaign itself could not go on.
    pub fn run(&self, common: &Common, seed: u64, report: &Report) -> anyhow::Result<()> {
        match self {
            Campaign::Charges(options) => charges::run(options, common, seed, report),
            Campaign::Connections(options) => connections::run(options, common, seed, report),
            Campaign::Generations(options) => generations::run(options, common, seed, report),
            Campaign::KillIndex(options) => kill_index::run(options, common, seed, report),
            Campaign::KillServe(options) => kill_serve::run(options, common, seed, report),
            Campaign::Overload(options) => overload::run(options, common, seed, report),
        }
    }
}
