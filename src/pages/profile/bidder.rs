//! What a supplier bid on, how often it won, against whom, and how far it was from winning.

use crate::{
    api::analysis::bids::{
        bidder::{BidderFigures, CallsBidOn, CallsBy, Rival},
        pair::Side,
    },
    catalog::{ask::Ask, generation::Generation, suppliers::Supplier},
    http::error::ApiError,
    model::{Language, commodity::CommodityCode},
    pages::{
        address::{self, Parameters},
        commodity_names, export,
        figure_table::{FigureRow, FigureTable},
        messages::Texts,
        page::FileLink,
        supplier_names::bidder_page,
    },
};

/// The bids of a supplier, in words.
pub(super) struct BidderPart {
    /// Labels and figures; none if publishers state no bid of it.
    pub(super) facts: Vec<(String, String)>,
    pub(super) tables: Vec<FigureTable>,
    /// The files with these figures, and with the bids.
    pub(super) calls_csv: String,
    pub(super) bids_csv: String,
    /// The files with all bids, for visitors whose plan has exports.
    pub(super) whole: Vec<FileLink>,
}

impl BidderPart {
    /// `page` is the address of the page.
    pub(super) fn of(ask: &Ask, t: Texts, bidder: &Side, page: &str) -> Result<BidderPart, ApiError> {
        let is_known = is_bidder(&ask.generation, &bidder.keys);
        let figures = BidderFigures::of(ask, bidder.keys.clone(), Vec::new())?;
        let file = address::spreadsheet(page);
        Ok(BidderPart {
            facts: if is_known { facts(t, &figures) } else { Vec::new() },
            tables: tables(&ask.generation, t, &figures),
            calls_csv: format!("{file}/calls"),
            bids_csv: format!("{file}/bids"),
            whole: whole_files(&ask.generation, t.language(), bidder),
        })
    }
}

/// The files with all bids of a supplier; none for one of several names, because its supplier has them.
fn whole_files(generation: &Generation, lang: Language, bidder: &Side) -> Vec<FileLink> {
    let supplier = generation.suppliers.with_name(&bidder.name);
    let supplier = supplier.filter(|supplier| supplier.keys().iter().all(|key| bidder.keys.contains(key)));
    let of = |supplier: Supplier| {
        let search = Parameters::default().with("supplier", &supplier.id);
        export::links(lang, export::BIDS, &search)
    };
    supplier.map(of).unwrap_or_default()
}

/// Whether publishers state a bid under one of these names.
pub(super) fn is_bidder(generation: &Generation, keys: &[String]) -> bool {
    generation.bids.notices_of(keys).next().is_some()
}

fn facts(t: Texts, figures: &BidderFigures) -> Vec<(String, String)> {
    let won_of = |calls: CallsBidOn| {
        let lost = calls.calls - calls.won;
        t.with(
            "bidder-calls",
            &[("count", &calls.calls), ("won", &calls.won), ("lost", &lost)],
        )
    };
    let mut facts = vec![(t.text("bidder-open"), won_of(figures.open_calls))];
    if let Some(rate) = figures.win_rate {
        let [share, low, high] = [rate.rate, rate.low, rate.high].map(|share| t.percent(share));
        let text = t.with("bidder-rate-of", &[("share", &share), ("low", &low), ("high", &high)]);
        facts.push((t.text("bidder-rate"), text));
    }
    if let Some(lost) = figures.lost_by {
        let (dollars, share) = (lost.median_dollars.abs(), lost.median_share.abs());
        let (dollars, share) = (t.money(dollars), t.percent(share));
        let is_below = lost.median_dollars < 0.0;
        let text = t.with(
            if is_below {
                "bidder-distance-below"
            } else {
                "bidder-distance-of"
            },
            &[("amount", &dollars), ("share", &share), ("count", &lost.calls)],
        );
        facts.push((t.text("bidder-distance"), text));
    }
    if figures.invitations.calls > 0 {
        facts.push((t.text("bidder-invitations"), won_of(figures.invitations)));
    }
    if figures.direct_awards > 0 {
        facts.push((t.text("bidder-direct"), t.count(figures.direct_awards)));
    }
    facts
}

/// By year, body, class and rival.
fn tables(generation: &Generation, t: Texts, figures: &BidderFigures) -> Vec<FigureTable> {
    let lang = t.language();
    let body = |of: &CallsBy| (of.value.clone(), Some(address::department(lang, &of.value)));
    let class = |of: &CallsBy| match CommodityCode::of_key(&of.value) {
        Some(code) => (
            commodity_names::label(&generation.commodities, &code, t),
            Some(address::commodity(lang, &code)),
        ),
        None => (of.value.clone(), None),
    };
    let mut years = table(t, "years", &figures.by_year, |of| (of.value.clone(), None));
    // The newest first.
    years.rows.reverse();
    vec![
        years,
        table(t, "bodies", &figures.by_department, body),
        table(t, "classes", &figures.by_class, class),
        rivals(generation, t, figures),
    ]
}

/// The calls by one of these. `named` gives the name of a row and its page.
fn table(
    t: Texts,
    by: &'static str,
    calls: &[CallsBy],
    named: impl Fn(&CallsBy) -> (String, Option<String>),
) -> FigureTable {
    let row = |of: &CallsBy| {
        let (name, href) = named(of);
        let share = t.percent(of.calls.won as f64 / of.calls.calls as f64);
        let values = vec![t.count(of.calls.calls), t.count(of.calls.won), share];
        FigureRow { name, href, values }
    };
    let (id, of) = match by {
        "years" => ("bids-by-year", "chart-year"),
        "bodies" => ("bids-by-body", "bidder-body"),
        _ => ("bids-by-class", "bidder-class"),
    };
    FigureTable {
        id,
        title: t.keyed("bidder-by-", by),
        of: t.text(of),
        columns: ["bidder-open", "bidder-won", "bidder-rate"]
            .map(|key| t.text(key))
            .into(),
        rows: calls.iter().map(row).collect(),
        note: None,
    }
}

fn rivals(generation: &Generation, t: Texts, figures: &BidderFigures) -> FigureTable {
    let row = |rival: &Rival| FigureRow {
        name: rival.vendor_name.clone(),
        href: Some(bidder_page(generation, t.language(), &rival.vendor_name)),
        values: vec![t.count(rival.calls), t.count(rival.won), t.count(rival.won_by_rival)],
    };
    let (listed, count) = (figures.rivals.len() as u64, figures.distinct_rivals);
    FigureTable {
        id: "rivals",
        title: t.text("bidder-rivals"),
        of: t.text("bids-supplier"),
        columns: ["bidder-common", "bidder-won-here", "bidder-won-there"]
            .map(|key| t.text(key))
            .into(),
        rows: figures.rivals.iter().map(row).collect(),
        note: (count > listed).then(|| t.with("bidder-rivals-note", &[("listed", &listed), ("count", &count)])),
    }
}
