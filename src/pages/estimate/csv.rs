//! The contracts that a tender is compared with as a file for spreadsheets.

use serde_json::{Value as Json, json};

use crate::{
    api::{cost, export::csv_rows::Rows, params::read},
    catalog::estimates::{
        ComparablesOptions,
        answer::{Comparable, EstimateItem, TenderItem},
        limits::DEFAULT_YEARS_BACK,
    },
    engine::MAX_PAGE_BYTES,
    http::{error::ApiError, quoted::quoted, search_pool::Lane, work::Work},
    pages::{
        page::{PageCall, Section},
        paid,
        spreadsheet::file,
    },
};

/// The maximum number of contracts of a file.
const CONTRACTS: usize = 100;

/// What the comparison adds to a contract.
const COLUMNS: [&str; 3] = ["weight", "similarity", "reasons"];

pub(super) fn comparables(call: &PageCall, record_id: &str) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    if !call.plan_limits.paid {
        return paid::page(call, Section::Other, "worth");
    }
    let item = EstimateItem::Tender(TenderItem {
        record_id: record_id.to_owned(),
    });
    let (today, record_id) = (call.today, record_id.to_owned());
    let lang = call.lang;
    let work = Work::search(&call.generation, move |ask| {
        let options = ComparablesOptions {
            limit: CONTRACTS,
            max_bytes: MAX_PAGE_BYTES,
            exclude: &[],
        };
        let market = ask.generation.market(today, DEFAULT_YEARS_BACK, ask.deadline.clone());
        let comps = market.comps(&item, &options)?;
        if comps.tender.is_none() {
            let text = format!("no tender has the record_id {}", quoted(&record_id));
            return Err(ApiError::not_found(text));
        }
        let row = |comparable: &Comparable| -> Vec<Json> {
            let reasons: Vec<&str> = comparable.reasons.iter().map(|reason| reason.code).collect();
            vec![json!(comparable.weight), json!(comparable.similarity), json!(reasons)]
        };
        let records = comps.comparables.iter().map(|comparable| {
            let record = comparable.record.get().as_bytes();
            (comparable.entity_type, row(comparable), record)
        });
        file::reply(
            "comparables",
            Rows(lang).records_of_several(&COLUMNS, records.collect()),
        )
    });
    let cost = cost::of_estimates(&call.generation, 1);
    call.validated(work.in_lane(Lane::Heavy).with_cost(cost), &(call.path, call.query))
}
