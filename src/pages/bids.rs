//! The bids on a call, as the pages of its tender and of its solicitation show them, and as a file.

use serde_json::{Value as Json, json};

use crate::{
    api::{
        analysis::bids::comparison::{BidRow, NoticeBidRow, NoticeBids},
        export::csv_rows::Rows,
        params::{
            bids::{BidsParams, TABLE},
            paging::{MAX_LIMIT, limit_applied},
            parse::Given,
            read::{no_parameters, read_all},
        },
    },
    catalog::{ask::Ask, bids::BidStore, generation::Generation},
    http::{
        error::ApiError,
        quoted::quoted,
        work::{Reply, Work},
    },
    model::{EntityType, Facet, Language, bids::Procedure},
    pages::{
        address::{self, Parameters},
        charts::{BidDot, BidDots, BidOutcome},
        format,
        messages::Texts,
        page::PageCall,
        route::Page,
        spreadsheet::file,
        supplier_names::bidder_page,
    },
    query::{Filter, cursor::Cursor},
};

pub(crate) const CSV: Page = Page::named("/{lang}/tender.csv/{record_id}/bids", csv);

/// The bids on a tender.
pub(crate) struct BidsPart {
    /// The HTML ids of the section and of its chart.
    pub(crate) ids: BidIds,
    /// How many bids there are, and how far they are apart; that the publisher states none, if it is so.
    pub(crate) sentence: String,
    /// What the figures do not say.
    pub(crate) notes: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// Whether the notice states of any bid if it was admissible, or conforms.
    pub(crate) states_flags: bool,
    /// Whether amounts are prices of the same thing.
    pub(crate) is_compared: bool,
    pub(crate) chart: Option<BidDots>,
    /// The file with all bids.
    pub(crate) csv: Option<String>,
}

/// The HTML ids of the bids on one of several tenders of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BidIds {
    pub(crate) section: &'static str,
    chart: &'static str,
}

pub(crate) const BID_IDS: [BidIds; 3] = [
    BidIds {
        section: "bids",
        chart: "bids-chart",
    },
    BidIds {
        section: "bids-2",
        chart: "bids-chart-2",
    },
    BidIds {
        section: "bids-3",
        chart: "bids-chart-3",
    },
];

/// A bid in words.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) href: String,
    pub(crate) amount: String,
    pub(crate) outcome: &'static str,
    pub(crate) admissible: String,
    pub(crate) conforming: String,
    /// Above the lowest bid.
    pub(crate) distance: String,
}

/// The maximum number of bids in the table and in the chart: the lowest ones, which the winner is nearly always among.
const MAX_ROWS: usize = 40;

impl BidsPart {
    pub(crate) fn of(ask: &Ask, t: Texts, record_id: &str, ids: BidIds) -> BidsPart {
        let bids = NoticeBids::of(&ask.generation.bids, record_id);
        let is_compared = !bids.has_lots;
        let states_flags = bids
            .results
            .iter()
            .any(|bid| bid.admissible.is_some() || bid.conforming.is_some());
        let listed = || bids.results.iter().take(MAX_ROWS);
        let chart = BidDots {
            lang: t.language(),
            id: ids.chart,
            dots: listed().filter_map(dot).collect(),
        };
        BidsPart {
            ids,
            sentence: sentence(t, &bids),
            notes: notes(t, &bids, &ask.generation.bids, states_flags),
            rows: listed().map(|bid| row(&ask.generation, t, bid, bids.lowest)).collect(),
            states_flags,
            is_compared,
            chart: (is_compared && chart.dots.len() > 1).then_some(chart),
            csv: (bids.count > 0).then(|| address::bids_csv(t.language(), record_id)),
        }
    }
}

/// How many bid on a notice; `None` if it lists no bids.
pub(crate) fn bids_on(ask: &Ask, t: Texts, record_id: &str) -> Option<String> {
    let bids = NoticeBids::of(&ask.generation.bids, record_id);
    (bids.count > 0).then(|| sentence(t, &bids))
}

/// "7 bids from 7 suppliers in an open call. The highest is 23% above the lowest."
fn sentence(t: Texts, bids: &NoticeBids) -> String {
    let Some(procedure) = bids.procedure.filter(|_| bids.count > 0) else {
        return t.text("bids-none");
    };
    let procedure = t.keyed("bids-procedure-", procedure_name(procedure));
    let count = t.with(
        "bids-count",
        &[
            ("count", &bids.count),
            ("bidders", &bids.bidders),
            ("procedure", &procedure),
        ],
    );
    match bids.spread {
        Some(spread) => format!("{count} {}", t.with("bids-spread", &[("share", &t.percent(spread))])),
        None => count,
    }
}

fn notes(t: Texts, bids: &NoticeBids, store: &BidStore, states_flags: bool) -> Vec<String> {
    let mut notes = Vec::new();
    match bids.procedure {
        Some(Procedure::Invitation) => notes.push(t.text("bids-note-invitation")),
        Some(Procedure::Direct) => notes.push(t.text("bids-note-direct")),
        _ => {}
    }
    if bids.has_lots {
        notes.push(t.text("bids-note-lots"));
    } else {
        let distinct = store.notice(bids.record_id).map(|notice| store.distinct_bids(notice));
        let repeated = bids.count - distinct.unwrap_or(bids.count);
        if repeated > 0 {
            notes.push(t.with("bids-note-repeated", &[("count", &repeated)]));
        }
    }
    if bids.count > 0 && !states_flags {
        notes.push(t.text("bids-note-flags"));
    }
    if bids.count > MAX_ROWS {
        let (shown, count) = (MAX_ROWS as u64, bids.count);
        notes.push(t.with("bids-note-cut", &[("shown", &shown), ("count", &count)]));
    }
    notes
}

fn procedure_name(procedure: Procedure) -> &'static str {
    match procedure {
        Procedure::Open => "open",
        Procedure::Invitation => "invitation",
        Procedure::Direct => "direct",
        Procedure::Other => "other",
    }
}

fn outcome(bid: &BidRow) -> BidOutcome {
    if bid.won {
        BidOutcome::Won
    } else if bid.admissible == Some(false) || bid.conforming == Some(false) {
        BidOutcome::Rejected
    } else {
        BidOutcome::Lost
    }
}

fn dot(bid: &BidRow) -> Option<BidDot> {
    // Only an amount in dollars above zero has a distance.
    bid.distance_to_lowest?;
    Some(BidDot {
        name: bid.vendor_name.to_owned(),
        amount: bid.amount?,
        outcome: outcome(bid),
    })
}

/// A bid in words. `lowest`: the lowest amount of its call.
pub(crate) fn row(generation: &Generation, t: Texts, bid: &BidRow, lowest: Option<f64>) -> Row {
    Row {
        name: bid.vendor_name.to_owned(),
        href: bidder_page(generation, t.language(), bid.vendor_name),
        amount: amount(t, bid),
        outcome: outcome(bid).name(),
        admissible: flag(t, bid.admissible),
        conforming: flag(t, bid.conforming),
        distance: distance(t, bid, lowest),
    }
}

/// The amount with its unit.
fn amount(t: Texts, bid: &BidRow) -> String {
    let Some(amount) = bid.amount else {
        return t.text("bids-no-amount");
    };
    let dollars = t.money(amount);
    match bid.unit {
        None | Some("dollars") => dollars,
        Some("us_dollars") => format::money(t.language(), amount, "USD"),
        Some("dollars_per_year") => t.with("bids-per-year", &[("amount", &dollars)]),
        Some("dollars_per_hour") => t.with("bids-per-hour", &[("amount", &dollars)]),
        Some("percent") => t.with("bids-percent", &[("number", &amount)]),
        Some("points") => t.with("bids-points", &[("number", &amount)]),
        Some(_) => {
            let code = bid.unit_code.unwrap_or_default();
            t.with("bids-other-unit", &[("number", &amount), ("code", &code)])
        }
    }
}

fn flag(t: Texts, flag: Option<bool>) -> String {
    match flag {
        Some(true) => t.text("bids-yes"),
        Some(false) => t.text("bids-no"),
        None => t.text("bids-not-stated"),
    }
}

/// Above the lowest bid, in dollars and as a share of it.
fn distance(t: Texts, bid: &BidRow, lowest: Option<f64>) -> String {
    match (bid.distance_to_lowest, lowest) {
        (Some(distance), Some(lowest)) if distance > 0.0 => {
            let (amount, share) = (t.money(distance), t.percent(distance / lowest));
            t.with("bids-distance", &[("amount", &amount), ("share", &share)])
        }
        (Some(_), _) => t.text("bids-lowest"),
        _ => "–".to_owned(),
    }
}

/// The columns of a bid in a file, with the names of the API.
pub(crate) const BID_COLUMNS: [&str; 12] = [
    "has_lots",
    "vendor_name",
    "vendor_id",
    "amount",
    "unit",
    "unit_code",
    "won",
    "admissible",
    "conforming",
    "contract_amount",
    "distance_to_lowest",
    "distance_to_winner",
];

/// What a file states of a bid, after the cells of its call.
pub(crate) fn with_bid(mut call: Vec<Json>, bid: &BidRow, has_lots: bool) -> Vec<Json> {
    call.extend([
        json!(has_lots),
        json!(bid.vendor_name),
        json!(bid.vendor_id),
        json!(bid.amount),
        json!(bid.unit),
        json!(bid.unit_code),
        json!(bid.won),
        json!(bid.admissible),
        json!(bid.conforming),
        json!(bid.contract_amount),
        json!(bid.distance_to_lowest),
        json!(bid.distance_to_winner),
    ]);
    call
}

/// The bids, the newest call first, as `GET /bids` finds them with the same parameters. A file is one page of that
/// search. With the keys of a bidder's names, only those that it made.
pub(crate) fn bids_file(call: &PageCall, parameters: Parameters, keys: Option<Vec<String>>) -> Result<Work, ApiError> {
    let given: BidsParams = read_all(TABLE, &parameters.query_string())?;
    let limit = given.limit.unwrap_or(Given {
        name: "limit",
        value: MAX_LIMIT.min(call.plan_limits.page_cap.into()),
    });
    let given = BidsParams {
        limit: Some(limit),
        ..given
    };
    let (mut search, lowered_limit) = given.resolve(&call.resolve_context(EntityType::Tender), false)?;
    // A cursor is a place in the order of all bids, so it may be one of another bidder.
    let fingerprint = search.query.fingerprint();
    let facet = Facet::Vendor;
    let of_bidder = keys.map(|keys| Filter::AnyFacetValue { facet, keys });
    search.query.filters.extend(of_bidder);
    let (lang, path) = (call.lang, call.path.to_owned());
    let cost = search.cost(&call.generation);
    let work = Work::search(&call.generation, move |ask| {
        let found = search.run(ask)?;
        let row = |row: &NoticeBidRow| {
            let call = vec![
                json!(row.record_id),
                json!(row.date),
                json!(row.department),
                json!(row.procedure),
            ];
            with_bid(call, &row.bid, row.has_lots)
        };
        let columns = [&["record_id", "date", "department", "procedure"], &BID_COLUMNS[..]].concat();
        let rows = found.rows.iter().map(row).collect();
        let mut reply = file::reply("bids", Rows(lang).table(&columns, rows))?;
        reply.headers.extend(lowered_limit.map(limit_applied));
        if let Some(position) = found.next {
            let cursor = Cursor::of(fingerprint, position.encode()).encode();
            reply
                .headers
                .push(file::next_link(&path, &parameters, "cursor", &cursor)?);
        }
        Ok(reply)
    });
    call.validated(cost.charge(work), &(call.path, call.query))
}

fn csv(call: &PageCall, record_id: &str) -> Result<Work, ApiError> {
    no_parameters(call.query)?;
    let (record_id, lang) = (record_id.to_owned(), call.lang);
    let work = Work::search(&call.generation, move |ask| {
        let store = &ask.generation.bids;
        if store.notice(&record_id).is_none() && ask.record(EntityType::Tender, &record_id)?.is_none() {
            let text = format!("no tender has the record_id {}", quoted(&record_id));
            return Err(ApiError::not_found(text));
        }
        csv_reply(lang, &NoticeBids::of(store, &record_id))
    });
    call.validated(work, &(call.path, call.query))
}

fn csv_reply(lang: Language, bids: &NoticeBids) -> Result<Reply, ApiError> {
    let call = [json!(bids.record_id), json!(bids.procedure), json!(bids.award_date)];
    let columns = [&["record_id", "procedure", "award_date"], &BID_COLUMNS[..]].concat();
    let row = |bid: &BidRow| with_bid(call.to_vec(), bid, bids.has_lots);
    let rows = bids.results.iter().map(row).collect();
    file::reply("bids", Rows(lang).table(&columns, rows))
}
