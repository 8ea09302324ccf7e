//! What is derived from a finished index and its dumps when it is built, and stored with it.

use anyhow::Context;
use bytes::Bytes;

use super::{first_seen::FirstSeen, layout::REMEDY, meanings::Meanings, tender_values::TenderValues};
use crate::{
    catalog::{
        bids::StoredBids,
        estimates::calibration::Calibration,
        notices::NewestStatuses,
        suppliers::{Party, SupplierList},
    },
    model::commodity_words::CommodityDictionary,
};

/// The derived data of one generation.
pub(crate) struct DerivedData {
    /// How wide the ranges of estimates must be.
    pub(crate) calibration: Calibration,
    /// When recent tenders were first indexed.
    pub(crate) first_seen: FirstSeen,
    /// The values of open tenders that state none; `None` in a generation of an older program.
    pub(crate) tender_values: Option<TenderValues>,
    /// For tenders with several notices, the status that the newest one states.
    pub(crate) newest_statuses: NewestStatuses,
    /// The words of commodity codes; none in a generation of an older program.
    pub(crate) commodities: CommodityDictionary,
    /// Which names of vendors are one supplier; none in a generation of an older program.
    pub(crate) suppliers: SupplierList,
    /// Which names of buyers are one body.
    pub(crate) bodies: SupplierList,
    /// What typed words may mean; `None` on a cluster and in a generation of an older program.
    pub(crate) meanings: Option<Meanings>,
    /// The bids of tenders; none in a generation of an older program.
    pub(crate) bids: StoredBids,
}

/// The suppliers or bodies of a generation that stores only their lines.
pub(super) fn parse_list(party: Party, text: impl Into<Bytes>) -> anyhow::Result<SupplierList> {
    SupplierList::parse(party, text.into())
        .with_context(|| format!("the list of {} is not one of this version", party.plural()))
        .context(REMEDY)
}
