//! The sources of the sample, and how each numbers its records.

use std::sync::LazyLock;

use super::{
    lists::{entries, number},
    topics::Trade,
};
use crate::model::EntityType;

/// A source of the sample, a line of `lists/sources.txt`.
pub(super) struct SampleSource {
    /// Position in the list.
    pub(super) index: u8,
    pub(super) entity_type: EntityType,
    pub(super) source_id: &'static str,
    /// Records of each ten thousand of the whole sample.
    pub(super) share: u64,
    /// Sources of one publisher have the same projects.
    pub(super) projects: u8,
    /// Name of the list of its buyers.
    pub(super) buyers: &'static str,
    pub(super) market: SupplierMarket,
    numbering: &'static str,
    /// Whether a title may name a city.
    pub(super) names_cities: bool,
}

/// Quebec's publishers buy mostly from Quebec's suppliers, the others from suppliers of all Canada.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SupplierMarket {
    Quebec,
    Canada,
}

impl SupplierMarket {
    /// The index of the trade of a supplier. Numbers are ranks, so the trade of number 0 sells the most.
    pub(super) fn trade(self, supplier: u32, trades: &[Trade]) -> usize {
        let first = match self {
            SupplierMarket::Quebec => "road-works",
            SupplierMarket::Canada => "software",
        };
        let first = trades.iter().position(|trade| trade.name == first);
        (supplier as usize + first.expect("the trade is in the list")) % trades.len()
    }
}

pub(super) static SOURCES: LazyLock<Vec<SampleSource>> = LazyLock::new(|| {
    let sources = (0..).zip(entries(include_str!("lists/sources.txt")));
    let sources = sources.map(
        |(
            index,
            [
                entity_type,
                source_id,
                share,
                projects,
                buyers,
                market,
                numbering,
                cities,
            ],
        )| SampleSource {
            index,
            entity_type: EntityType::parse(entity_type).expect("the list names entity types"),
            source_id,
            share: number(share),
            projects: number(projects),
            buyers,
            market: if market == "quebec" {
                SupplierMarket::Quebec
            } else {
                SupplierMarket::Canada
            },
            numbering,
            names_cities: !cities.is_empty(),
        },
    );
    sources.collect()
});

/// The numbers of a record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    pub(super) record: u64,
    pub(super) project: u64,
    /// The position of the record among the records of the project: an amendment, a contract, a place of delivery.
    pub(super) part: u64,
    /// The position of the supplier among the suppliers of the project.
    pub(super) contract: u32,
}

/// Pre-solicitations take their projects' numbers from here on, so that none is also a tender's.
const FIRST_EARLY_PROJECT: u64 = 70_000_000;

impl SampleSource {
    /// Where projects have parts, of each eight records three are a second or third one.
    pub(super) fn numbers(&self, record: u64) -> Numbers {
        const BLOCK: [(u64, u64); 8] = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (2, 1), (3, 0), (4, 0)];
        let (project, part) = BLOCK[(record % 8) as usize];
        let project = record / 8 * 5 + project;
        let (project, part, contract) = match self.numbering {
            "contracts" => (project, part, part as u32),
            "parts" => (project, part, 0),
            "early-parts" => (FIRST_EARLY_PROJECT + project, part, 0),
            _ => (record, 0, 0),
        };
        Numbers {
            record,
            project,
            part,
            contract,
        }
    }
}

impl Numbers {
    /// Whether the project has several records.
    pub(super) fn has_parts(self) -> bool {
        matches!(self.project % 5, 0 | 2)
    }

    pub(super) fn is_early(self) -> bool {
        self.project >= FIRST_EARLY_PROJECT
    }
}
