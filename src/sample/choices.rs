//! What the draws choose among: the lists, and how many suppliers there are.

use super::{
    buyers::Buyers, lists::Phrases, places::Places, random::ZipfRanks, sources::SupplierMarket, topics::TopicTable,
};
use crate::model::Date;

pub(super) struct Choices {
    pub(super) topics: TopicTable,
    pub(super) phrases: Phrases,
    pub(super) places: Places,
    pub(super) buyers: Buyers,
    pub(super) last_day: Date,
    quebec_suppliers: ZipfRanks,
    canada_suppliers: ZipfRanks,
}

impl Choices {
    /// The number of suppliers follows from the number of records: about one for ten.
    pub(super) fn read(records: u64, last_day: Date) -> Choices {
        Choices {
            topics: TopicTable::read(),
            phrases: Phrases::read(),
            places: Places::read(),
            buyers: Buyers::read(),
            last_day,
            quebec_suppliers: ZipfRanks::new(200 + records / 10),
            canada_suppliers: ZipfRanks::new(100 + records / 40),
        }
    }

    /// The ranks of the suppliers of a market.
    pub(super) fn suppliers(&self, market: SupplierMarket) -> ZipfRanks {
        match market {
            SupplierMarket::Quebec => self.quebec_suppliers,
            SupplierMarket::Canada => self.canada_suppliers,
        }
    }
}
