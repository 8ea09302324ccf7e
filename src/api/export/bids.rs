//! The bids that match a search, in its order.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    api::{
        analysis::bids::{
            comparison::NoticeBidRow,
            search::{BidPosition, BidSearch},
        },
        cost::ScanCost,
        export::{
            RowPage, RowSource, columns,
            listing::{Listing, two_starts},
        },
        params::{
            bids::{BidsParams, TABLE},
            read::read_export,
            resolve::ResolveContext,
        },
    },
    catalog::{ask::Ask, bids::BidQuery, generation::Generation},
    engine::Deadline,
    http::{call::Call, error::ApiError, quoted::quoted, work::Work},
    model::EntityType,
};

/// How many bids are made at once: about as many as a chunk has.
const BIDS: usize = 1_000;

pub(crate) const PATH: &str = "/bids/export";

/// The export that a request asks for.
pub(crate) fn export(call: &Call) -> Result<Work, ApiError> {
    let mut given: BidsParams = read_export(TABLE, PATH, call.query)?;
    let file = std::mem::take(&mut given.file);
    let (mut search, _) = given.resolve(&ResolveContext::of(call, EntityType::Tender), call.is_head)?;
    if let Some(after) = &file.after {
        let position = after_all_of(&call.generation, &after.value)?;
        if search.after.replace(position).is_some() {
            return Err(two_starts());
        }
    }
    listing(&call.generation, search)?.work(call, &file)
}

fn listing(generation: &Arc<Generation>, search: BidSearch) -> Result<Listing, ApiError> {
    let cost = ScanCost::of_bids(generation, 1);
    let counted = BidSearch {
        is_counted: true,
        ..BidSearch::of(search.query.clone(), 1)
    };
    Ok(Listing {
        name: "bids",
        is_selection: search.query != BidQuery::default(),
        is_resumed: search.after.is_some(),
        columns: columns::of_rows::<NoticeBidRow>(),
        cost: cost.cost(),
        count_cost: cost,
        normal_form: serde_json::to_value(search.normal_form()).map_err(ApiError::internal)?,
        count: Box::new(move |ask| Ok(counted.run(ask)?.total.unwrap_or_default())),
        supplier_of: None,
        rows: Box::new(BidRows::new(generation, search)),
        ignored: Vec::new(),
        headers: Vec::new(),
    })
}

/// The position after all bids on a tender.
fn after_all_of(generation: &Generation, record_id: &str) -> Result<BidPosition, ApiError> {
    let notice = generation.bids.notice(record_id).ok_or_else(|| {
        let id = quoted(record_id);
        ApiError::not_found(format!(
            "no tender with bids has the id {id}, after which the export is to go on; begin it again without 'after'"
        ))
    })?;
    Ok(BidPosition::after_all_of(notice))
}

/// The bids of a search, from one generation.
pub(crate) struct BidRows {
    generation: Arc<Generation>,
    search: BidSearch,
}

impl BidRows {
    pub(crate) fn new(generation: &Arc<Generation>, search: BidSearch) -> BidRows {
        BidRows {
            generation: Arc::clone(generation),
            search: BidSearch { limit: BIDS, ..search },
        }
    }

    /// All bids of a generation.
    pub(crate) fn all(generation: &Arc<Generation>) -> BidRows {
        BidRows::new(generation, BidSearch::of(BidQuery::default(), BIDS))
    }
}

impl RowSource for BidRows {
    fn next_rows(&mut self, deadline: &Deadline) -> Result<RowPage, ApiError> {
        let ask = Ask {
            generation: Arc::clone(&self.generation),
            deadline: deadline.clone(),
        };
        let found = self.search.run(&ask)?;
        let rows = found.rows.iter().map(|row| serde_json::to_vec(row).map(Bytes::from));
        let rows = rows.collect::<Result<_, _>>().map_err(ApiError::internal)?;
        let next = found.next;
        let is_last = next.is_none();
        if !is_last {
            self.search.after = next;
        }
        Ok(RowPage { rows, is_last })
    }
}
