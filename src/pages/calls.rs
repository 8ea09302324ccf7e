//! Who bid for the calls of a body or of a commodity, or for those that a search finds: competition by year, suppliers
//! that bid most, and those that never won.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::{
    api::{
        analysis::{
            bids::{
                buyer::{CallsReceived, NeverWon, TopBidder},
                competition::{CallFigures, Competition, YearOfCalls},
            },
            profile, supplier,
        },
        cost::ScanCost,
        export::csv_rows::Rows,
        params::{filters::commodity_filter, read::no_parameters},
    },
    catalog::{ask::Ask, bids::BidQuery, generation::Generation, suppliers::Party},
    engine::Error,
    http::{error::ApiError, quoted::quoted, work::Work},
    model::{Facet, commodity::CommodityCode},
    pages::{
        address,
        coverage_note::written_years,
        figure_table::{FigureRow, FigureTable},
        format::decimal,
        messages::Texts,
        page::PageCall,
        route::Page,
        spreadsheet::file,
        supplier_names::bidder_page,
    },
    query::Filter,
};

pub(crate) const DEPARTMENT_CSV: Page = Page::named("/{lang}/department.csv/{name}/calls", department_csv);

pub(crate) const BODY_CSV: Page = Page::named("/{lang}/body.csv/{id}/calls", body_csv);

pub(crate) const COMMODITY_CSV: Page = Page::named("/{lang}/commodity.csv/{code}/calls", commodity_csv);

/// Some calls, in words.
#[derive(Debug)]
pub(crate) struct CallsPart {
    /// How many notices list bids.
    pub(crate) notices: u64,
    /// Sentences: that publishers state no bids, or the figures of all calls.
    pub(crate) sentences: Vec<String>,
    pub(crate) tables: Vec<FigureTable>,
    /// The file with the same figures.
    pub(crate) csv: Option<String>,
}

impl CallsPart {
    /// Of the notices that pass a filter. `page` is the address of the page, which has a file with the figures.
    pub(crate) fn of(ask: &Ask, t: Texts, filter: Filter, page: &str) -> Result<CallsPart, ApiError> {
        let part = CallsPart::of_bids(ask, t, &BidQuery::of_notices(vec![filter]))?;
        let csv = format!("{}/calls", address::spreadsheet(page));
        Ok(CallsPart {
            csv: (!part.tables.is_empty()).then_some(csv),
            ..part
        })
    }

    /// Of the notices with a bid that matches.
    pub(crate) fn of_bids(ask: &Ask, t: Texts, query: &BidQuery) -> Result<CallsPart, ApiError> {
        let received = CallsReceived::of(ask, query)?;
        let competition = &received.competition;
        let tables = vec![
            by_year(t, &competition.by_year),
            bidders(t, &ask.generation, &received),
            never_won(t, &ask.generation, &received),
        ];
        Ok(CallsPart {
            notices: competition.notices,
            sentences: sentences(ask, t, (query, competition))?,
            tables: if competition.notices == 0 { Vec::new() } else { tables },
            csv: None,
        })
    }
}

/// What all calls say of competition; that publishers state no bids, if there are none, and the years of such calls
/// with bids.
fn sentences(ask: &Ask, t: Texts, (query, competition): (&BidQuery, &Competition)) -> Result<Vec<String>, Error> {
    if competition.notices == 0 {
        let none = if query.selects_bids_or_words() {
            t.text("calls-no-match")
        } else {
            t.text("calls-none")
        };
        let none = [none].into_iter();
        return Ok(none.chain(other_years(ask, t, query)?).collect());
    }
    let of_open = of_calls(t, ["calls-open", "calls-open-single"], &competition.open_calls);
    let of_invited = of_calls(
        t,
        ["calls-invitation", "calls-invitation-single"],
        &competition.invitations,
    );
    let mut sentences: Vec<String> = of_open.into_iter().chain(of_invited).collect();
    if competition.direct_awards > 0 {
        sentences.push(t.with("calls-direct", &[("count", &competition.direct_awards)]));
    }
    Ok(sentences)
}

/// The years of the open calls with bids that a search finds without its dates; `None` if it has none, or finds none.
fn other_years(ask: &Ask, t: Texts, query: &BidQuery) -> Result<Option<String>, Error> {
    let Some(query) = query.without_dates() else {
        return Ok(None);
    };
    let by_year = CallsReceived::of(ask, &query)?.competition.by_year;
    let years: BTreeSet<i32> = by_year.iter().map(|of| of.year).collect();
    let stated = || t.with("calls-other-years", &[("years", &written_years(t, &years))]);
    Ok((!years.is_empty()).then(stated))
}

/// How many notices list the bids that a search finds, and what they say of competition.
pub(crate) fn competition(ask: &Ask, t: Texts, query: &BidQuery) -> Result<(u64, Vec<String>), Error> {
    let competition = CallsReceived::of(ask, query)?.competition;
    let sentences = sentences(ask, t, (query, &competition))?;
    Ok((competition.notices, sentences))
}

/// "14 open calls with 3 bidders or fewer in half of them; 12% had one bidder (95% interval: 5% to 25%)." Of a single
/// call, the number of its bidders.
fn of_calls(t: Texts, [key, single]: [&str; 2], figures: &CallFigures) -> Option<String> {
    let (median, share) = (figures.median_bidders?, one_bidder(t, figures)?);
    if figures.calls == 1 {
        return Some(t.with(single, &[("bidders", &median)]));
    }
    Some(t.with(
        key,
        &[
            ("count", &figures.calls),
            ("median", &median),
            ("mean", &decimal(t.language(), figures.mean_bidders?, 1)),
            ("share", &share),
        ],
    ))
}

/// The share of calls with one bidder, and its interval.
fn one_bidder(t: Texts, figures: &CallFigures) -> Option<String> {
    let shares = [
        figures.share_with_one_bidder?,
        figures.share_with_one_bidder_low?,
        figures.share_with_one_bidder_high?,
    ];
    let [share, low, high] = shares.map(|share| t.percent(share));
    let count = t.with(
        "calls-one-of",
        &[("count", &figures.calls_with_one_bidder), ("share", &share)],
    );
    Some(t.with("bidder-rate-of", &[("share", &count), ("low", &low), ("high", &high)]))
}

/// The newest year first.
fn by_year(t: Texts, years: &[YearOfCalls]) -> FigureTable {
    let row = |of: &YearOfCalls| FigureRow {
        name: of.year.to_string(),
        href: None,
        values: vec![
            t.count(of.figures.calls),
            of.figures
                .median_bidders
                .map(|median| t.count(median))
                .unwrap_or_default(),
            one_bidder(t, &of.figures).unwrap_or_default(),
        ],
    };
    FigureTable {
        id: "calls-years",
        title: t.text("calls-by-year"),
        of: t.text("chart-year"),
        columns: ["bidder-open", "calls-median", "calls-one-bidder"]
            .map(|key| t.text(key))
            .into(),
        rows: years.iter().rev().map(row).collect(),
        note: None,
    }
}

/// The bidders with most open calls.
fn bidders(t: Texts, generation: &Generation, received: &CallsReceived) -> FigureTable {
    let row = |of: &TopBidder| FigureRow {
        href: Some(bidder_page(generation, t.language(), &of.vendor_name)),
        name: of.vendor_name.clone(),
        values: vec![t.count(of.calls), t.count(of.won)],
    };
    FigureTable {
        id: "bidders",
        title: t.text("calls-bidders"),
        of: t.text("bids-supplier"),
        columns: ["calls-bid-on", "calls-won"].map(|key| t.text(key)).into(),
        rows: received.top_bidders.iter().map(row).collect(),
        note: Some(t.with("calls-bidders-note", &[("all", &received.bidders)])),
    }
}

fn never_won(t: Texts, generation: &Generation, received: &CallsReceived) -> FigureTable {
    let row = |of: &NeverWon| FigureRow {
        href: Some(bidder_page(generation, t.language(), &of.vendor_name)),
        name: of.vendor_name.clone(),
        values: vec![t.count(of.calls)],
    };
    let (count, all) = (received.never_won, received.bidders);
    FigureTable {
        id: "never-won",
        title: t.text("calls-never-won"),
        of: t.text("bids-supplier"),
        columns: vec![t.text("calls-bid-on")],
        rows: received.top_never_won.iter().map(row).collect(),
        note: Some(t.with("calls-never-won-note", &[("count", &count), ("all", &all)])),
    }
}

const COLUMNS: [&str; 11] = [
    "by",
    "value",
    "calls",
    "median_bidders",
    "mean_bidders",
    "calls_with_one_bidder",
    "share_with_one_bidder",
    "share_with_one_bidder_low",
    "share_with_one_bidder_high",
    "calls_without_winner",
    "won",
];

fn cells(by: &str, value: Json, figures: &CallFigures) -> Vec<Json> {
    vec![
        json!(by),
        value,
        json!(figures.calls),
        json!(figures.median_bidders),
        json!(figures.mean_bidders),
        json!(figures.calls_with_one_bidder),
        json!(figures.share_with_one_bidder),
        json!(figures.share_with_one_bidder_low),
        json!(figures.share_with_one_bidder_high),
        json!(figures.calls_without_winner),
        Json::Null,
    ]
}

/// What a bidder bid on, and won.
fn bidder_cells(by: &str, name: &str, calls: u64, won: u64) -> Vec<Json> {
    let mut row = vec![json!(by), json!(name), json!(calls)];
    row.resize(COLUMNS.len() - 1, Json::Null);
    row.push(json!(won));
    row
}

fn rows(received: &CallsReceived) -> Vec<Vec<Json>> {
    let competition = &received.competition;
    let mut rows = vec![
        cells("method", json!("open"), &competition.open_calls),
        cells("method", json!("invitation"), &competition.invitations),
    ];
    let years = competition.by_year.iter();
    rows.extend(years.map(|of| cells("year", json!(of.year), &of.figures)));
    let losers = received.top_never_won.iter();
    let bidders = received.top_bidders.iter();
    rows.extend(bidders.map(|of| bidder_cells("bidder", &of.vendor_name, of.calls, of.won)));
    rows.extend(losers.map(|of| bidder_cells("never_won", &of.vendor_name, of.calls, 0)));
    rows
}

fn department_csv(call: &PageCall, name: &str) -> Result<Work, ApiError> {
    let name = name.to_owned();
    csv(call, move |ask| {
        let facet = Facet::NamedDepartment;
        let found = profile::find(ask, facet, &name)?;
        let of = found.first().ok_or_else(|| {
            let text = format!(
                "no department has the name {}; find names with /departments?q=…",
                quoted(&name)
            );
            ApiError::not_found(text)
        })?;
        Ok(profile::filter(facet, &of.named))
    })
}

fn body_csv(call: &PageCall, id: &str) -> Result<Work, ApiError> {
    let filter = supplier::filter(Party::Body, &supplier::find(&call.generation, Party::Body, id)?);
    csv(call, move |_| Ok(filter.clone()))
}

fn commodity_csv(call: &PageCall, text: &str) -> Result<Work, ApiError> {
    let code = CommodityCode::parse(text).map_err(|why| ApiError::not_found(why.to_string()))?;
    csv(call, move |_| Ok(commodity_filter(&code)))
}

/// The figures of the calls that a filter finds, as a file.
fn csv(call: &PageCall, filter: impl Fn(&Ask) -> Result<Filter, ApiError> + Send + 'static) -> Result<Work, ApiError> {
    no_parameters(call.query)?;
    let lang = call.lang;
    let cost = ScanCost::of_bids(&call.generation, 1);
    let work = Work::search(&call.generation, move |ask| {
        let received = CallsReceived::of(ask, &BidQuery::of_notices(vec![filter(ask)?]))?;
        file::reply("calls", Rows(lang).table(&COLUMNS, rows(&received)))
    });
    call.validated(cost.charge(work), &(call.path, call.query))
}
