//! What a tender is likely to be worth: the range of the estimate before its middle, why, and the contracts that it is
//! compared with. The figures are those of `POST /tender/estimate` and `POST /tender/comps`.

mod comparables;
mod csv;
pub(crate) mod summary;

use std::sync::Arc;

use askama::Template;
use serde_json::json;

use self::{
    comparables::{Compared, Expiring, Holder, Incumbent, comparables_plot},
    summary::Summary,
};
use crate::{
    api::{cost, params::read},
    catalog::{
        estimates::{
            ComparablesOptions,
            answer::{BidAround, Comps, Estimate, EstimateItem, EstimateStatus, TenderItem},
            limits::DEFAULT_YEARS_BACK,
        },
        generation::Generation,
    },
    engine::{Deadline, MAX_PAGE_BYTES},
    http::{
        error::ApiError,
        quoted::quoted,
        work::{Reply, Work},
    },
    model::{Date, EntityType, Language},
    pages::{
        address,
        charts::DotPlot,
        messages::Texts,
        page::{CsvLink, Exports, Layout, PageCall, Section, render},
        paid,
        record::listed::ListedRecord,
        route::Page,
    },
};

pub(crate) const PAGE: Page = Page::named("/{lang}/tender/{record_id}/worth", page);

pub(crate) const CSV: Page = Page::named("/{lang}/tender.csv/{record_id}/worth", csv::comparables);

/// How many comparable contracts the page shows.
const SHOWN: usize = 25;

#[derive(Template)]
#[template(path = "worth/worth.html")]
struct WorthPage {
    layout: Layout,
    t: Texts,
    tender: ListedRecord,
    summary: Summary,
    caveats: Vec<String>,
    plot: DotPlot,
    compared: Vec<Compared>,
    bid: Option<Bid>,
    incumbent: Option<Incumbent>,
    expiring: Vec<Expiring>,
    holders: Vec<Holder>,
    competition: Option<String>,
}

/// Values to bid around, and what to mind.
struct Bid {
    aggressive: String,
    competitive: String,
    conservative: String,
    note: String,
}

/// The two answers, which are found at the same time.
enum Found {
    Estimate(Box<Estimate>),
    Comps(Box<Comps>),
}

type Part = Box<dyn FnOnce(Deadline) -> Result<Found, ApiError> + Send>;

fn page(call: &PageCall, record_id: &str) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    if !call.plan_limits.paid {
        return paid::page(call, Section::Other, "worth");
    }
    let layout = call.layout("", Section::Other).with_exports(exports(call, record_id));
    let record_id = record_id.to_owned();
    let normal_form = ("worth", record_id.clone());
    let parts = parts(&call.generation, call.today, &record_id);
    let cost = cost::of_estimates(&call.generation, parts.len());
    let work = Work::parts(parts, move |found| reply(layout, &record_id, found)).with_cost(cost);
    call.validated(work, &normal_form)
}

fn parts(generation: &Arc<Generation>, today: Date, record_id: &str) -> Vec<Part> {
    let item = EstimateItem::Tender(TenderItem {
        record_id: record_id.to_owned(),
    });
    let (of_estimate, of_comps) = (Arc::clone(generation), Arc::clone(generation));
    let same_item = item.clone();
    vec![
        Box::new(move |deadline| {
            let market = of_estimate.market(today, DEFAULT_YEARS_BACK, deadline);
            Ok(Found::Estimate(Box::new(market.estimate(&item)?)))
        }),
        Box::new(move |deadline| {
            let market = of_comps.market(today, DEFAULT_YEARS_BACK, deadline);
            let options = ComparablesOptions {
                limit: SHOWN,
                max_bytes: MAX_PAGE_BYTES,
                exclude: &[],
            };
            Ok(Found::Comps(Box::new(market.comps(&same_item, &options)?)))
        }),
    ]
}

fn reply(layout: Layout, record_id: &str, found: Vec<Found>) -> Result<Reply, ApiError> {
    let (mut estimate, mut comps) = (None, None);
    for part in found {
        match part {
            Found::Estimate(found) => estimate = Some(found),
            Found::Comps(found) => comps = Some(found),
        }
    }
    let (Some(estimate), Some(comps)) = (estimate, comps) else {
        return Err(ApiError::internal("a part of the page has no result"));
    };
    let tender = comps
        .tender
        .as_ref()
        .filter(|_| estimate.status != EstimateStatus::NotFound);
    let Some(tender) = tender else {
        let text = format!("no tender has the record_id {}", quoted(record_id));
        return Err(ApiError::not_found(text));
    };
    let t = layout.t;
    let tender = ListedRecord::of(t, EntityType::Tender, tender.get().as_bytes())?;
    let compared: Vec<Compared> = comps
        .comparables
        .iter()
        .map(|comparable| Compared::of(t, comparable))
        .collect::<Result<_, _>>()?;
    let title = t.with("worth-title", &[("title", &tender.title.text)]);
    let page = WorthPage {
        layout: Layout { title, ..layout },
        t,
        summary: Summary::of(t, &estimate),
        caveats: caveats(t, &comps),
        plot: comparables_plot(t, &estimate, &comps, &compared),
        bid: comps.bid_around.as_ref().map(|bid| Bid::of(t, bid)),
        incumbent: comps.incumbent.as_ref().map(|incumbent| Incumbent::of(t, incumbent)),
        expiring: comps
            .expiring_contracts
            .iter()
            .map(|contract| Expiring::of(t, contract))
            .collect(),
        holders: comps
            .standing_offer_holders
            .iter()
            .map(|holder| Holder::of(t, holder))
            .collect(),
        competition: comps.competition.as_ref().map(|competition| {
            let share = t.percent(competition.top_vendor_share);
            t.with(
                "worth-competition",
                &[("count", &competition.distinct_vendors), ("share", &share)],
            )
        }),
        tender,
        compared,
    };
    render(&page)
}

impl Bid {
    fn of(t: Texts, bid: &BidAround) -> Bid {
        let value = |value: f64| t.money_rounded(summary::rounded(value));
        Bid {
            aggressive: value(bid.aggressive),
            competitive: value(bid.competitive),
            conservative: value(bid.conservative),
            note: in_language(t, &bid.note_en, &bid.note_fr),
        }
    }
}

/// Caveats that the summary does not state already.
fn caveats(t: Texts, comps: &Comps) -> Vec<String> {
    let stated = ["value_stated", "too_few_comparables"];
    let notes = comps.caveats.iter().filter(|note| !stated.contains(&note.code));
    notes.map(|note| in_language(t, &note.note_en, &note.note_fr)).collect()
}

fn in_language(t: Texts, english: &str, french: &str) -> String {
    match t.language() {
        Language::English => english.to_owned(),
        Language::French => french.to_owned(),
    }
}

/// The comparable contracts as a file, and the same as JSON: a POST, so there is no link but a command line.
fn exports(call: &PageCall, record_id: &str) -> Exports {
    let body = json!({"record_ids": [record_id], "limit": SHOWN}).to_string();
    let (key, origin) = (&call.state.gateway.key, &call.origin);
    // A quote would end the quoted text of the shell.
    let is_plain = !body.contains('\'');
    Exports {
        curl: is_plain.then(|| {
            format!("curl -H \"{key}: $KEY\" -H 'content-type: application/json' -d '{body}' '{origin}/tender/comps'")
        }),
        csv: vec![CsvLink::only(address::spreadsheet(call.path))],
        ..Exports::default()
    }
}
