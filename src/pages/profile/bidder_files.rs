//! The bids of a supplier as files: its figures by year, body, class and rival, and the bids themselves.

use serde_json::{Value as Json, json};

use crate::{
    api::{
        analysis::{
            bids::{
                bidder::{BidderFigures, CallsBidOn},
                pair::{Pair, PairCall, Side},
            },
            supplier::find,
        },
        cost::ScanCost,
        export::csv_rows::Rows,
        params::{param::Param, parse::Given, read::read_all, value::ParamType},
    },
    catalog::suppliers::{Party, SupplierList},
    http::{error::ApiError, quoted::quoted, work::Work},
    pages::{address::Parameters, bids::bids_file, page::PageCall, route::Page, spreadsheet::file},
};

use super::bidder::is_bidder;

pub(crate) const VENDOR_CALLS: Page = Page::named("/{lang}/vendor.csv/{name}/calls", |call, name| {
    let own = of_name(call, name)?;
    calls(call, own, |suppliers, with| {
        let supplier = suppliers.with_id(with);
        supplier.map_or_else(|| Side::named(with), |supplier| Side::of(&supplier))
    })
});

pub(crate) const VENDOR_BIDS: Page = Page::named("/{lang}/vendor.csv/{name}/bids", |call, name| {
    of_bidder(call, of_name(call, name)?.keys)
});

pub(crate) const SUPPLIER_CALLS: Page = Page::named("/{lang}/supplier.csv/{id}/calls", |call, id| {
    let own = Side::of(&find(&call.generation, Party::Supplier, id)?);
    calls(call, own, second)
});

pub(crate) const SUPPLIER_BIDS: Page = Page::named("/{lang}/supplier.csv/{id}/bids", |call, id| {
    of_bidder(call, find(&call.generation, Party::Supplier, id)?.keys())
});

/// By identifier or name. A bidder without records need not be a known supplier.
fn second(suppliers: &SupplierList, with: &str) -> Side {
    let supplier = suppliers.with_id(with).or_else(|| suppliers.with_name(with));
    supplier.map_or_else(|| Side::named(with), |supplier| Side::of(&supplier))
}

/// A bidder by its name.
fn of_name(call: &PageCall, name: &str) -> Result<Side, ApiError> {
    let bidder = Side::named(name);
    if is_bidder(&call.generation, &bidder.keys) {
        return Ok(bidder);
    }
    let text = format!(
        "no bidder has the name {}; find bidders with /bids?vendor=…",
        quoted(name)
    );
    Err(ApiError::not_found(text))
}

const COLUMNS: [&str; 5] = ["by", "value", "calls", "won", "won_by_rival"];

/// The name or identifier of a second supplier.
static SECOND: &[Param<Option<Given<String>>>] = &[Param::new(
    "with",
    "A second supplier: the calls that both bid on",
    ParamType::Text(|second| second),
)];

/// The figures of the page; with a second supplier, the newest calls that both bid on. `find` finds the second one.
fn calls(call: &PageCall, own: Side, find: fn(&SupplierList, &str) -> Side) -> Result<Work, ApiError> {
    let with: Option<Given<String>> = read_all(SECOND, call.query)?;
    let lang = call.lang;
    let cost = ScanCost::of_bids(&call.generation, 1);
    let work = Work::search(&call.generation, move |ask| {
        let table = match with {
            None => {
                let figures = BidderFigures::of(ask, own.keys, Vec::new())?;
                Rows(lang).table(&COLUMNS, rows(&figures))
            }
            Some(with) => {
                let second = find(&ask.generation.suppliers, &with.value);
                let pair = Pair::of(ask, own, second)?;
                Rows(lang).table(&PAIR_COLUMNS, rows_of_pair(&pair))
            }
        };
        file::reply("calls", table)
    });
    call.validated(cost.charge(work), &(call.path, call.query))
}

const PAIR_COLUMNS: [&str; 10] = [
    "a",
    "b",
    "record_id",
    "date",
    "department",
    "amount_of_a",
    "amount_of_b",
    "won_by_a",
    "won_by_b",
    "has_lots",
];

fn rows_of_pair(pair: &Pair) -> Vec<Vec<Json>> {
    let row = |call: &PairCall| {
        vec![
            json!(pair.a.vendor_name),
            json!(pair.b.vendor_name),
            json!(call.record_id),
            json!(call.date),
            json!(call.department),
            json!(call.amount_of_a),
            json!(call.amount_of_b),
            json!(call.won_by_a),
            json!(call.won_by_b),
            json!(call.has_lots),
        ]
    };
    pair.results.iter().map(row).collect()
}

/// The file with the bids under the names of one bidder.
fn of_bidder(call: &PageCall, keys: Vec<String>) -> Result<Work, ApiError> {
    bids_file(call, Parameters::parse(call.query)?, Some(keys))
}

fn rows(figures: &BidderFigures) -> Vec<Vec<Json>> {
    let row = |by: &str, value: &str, calls: CallsBidOn| {
        vec![
            json!(by),
            json!(value),
            json!(calls.calls),
            json!(calls.won),
            Json::Null,
        ]
    };
    let mut rows = vec![
        row("method", "open", figures.open_calls),
        row("method", "invitation", figures.invitations),
    ];
    for (by, values) in [
        ("year", &figures.by_year),
        ("department", &figures.by_department),
        ("commodity", &figures.by_class),
    ] {
        rows.extend(values.iter().map(|of| row(by, &of.value, of.calls)));
    }
    rows.extend(figures.rivals.iter().map(|rival| {
        let (calls, won) = (rival.calls, rival.won);
        let mut met = row("rival", &rival.vendor_name, CallsBidOn { calls, won });
        met[COLUMNS.len() - 1] = json!(rival.won_by_rival);
        met
    }));
    rows
}
