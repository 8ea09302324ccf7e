//! `/{lang}/compare/{what}`: up to four suppliers, bodies or commodity codes next to each other: the same figures of
//! each with their differences, the years of all on one axis, and a box that adds another one.

mod figures;
mod form;
mod pairs;
mod request;
mod sums;
mod thing;

use std::collections::BTreeSet;

use actix_web::http::StatusCode;
use askama::Template;

use self::{
    figures::{CoveredYears, Row, Side, rows},
    pairs::{HeadToHead, head_to_head},
    request::{CompareParams, Request, SUGGEST_TABLE, TABLE},
    thing::{Thing, searched, thing},
};
use crate::{
    api::{
        analysis::{
            compared::{Compared, MAX_COMPARED, Subject, common_entity_type, entity_types},
            competition::Competition,
            figures::Figures,
            suggest::{SuggestPlan, Suggested},
        },
        params::read::read_all,
    },
    catalog::ask::Ask,
    engine::Error,
    http::{
        error::ApiError,
        work::{Reply, Work},
    },
    model::{EntityType, Facet},
    pages::{
        address::{self, Parameters},
        charts::{ComparedYears, YearBars},
        kind_tabs::KindTab,
        messages::Texts,
        overview::Overview,
        page::{CsvLink, Exports, Layout, PageCall, Section, render},
        route::{Handler, Page},
        search::{
            SearchContext, conditions,
            meanings::{self, Meaning},
        },
    },
    query::SearchQuery,
    question::asks::Asks,
};

pub(crate) use form::CompareForm;

pub(crate) const PAGE: Page = Page {
    template: "/{lang}/compare/{what}",
    handler: Handler::Named(page),
    ..Page::DEFAULT
};

/// What the box of the form suggests while somebody types.
pub(crate) const SUGGEST: Page = Page {
    template: "/{lang}/suggest/{what}",
    handler: Handler::Named(suggest),
    ..Page::DEFAULT
};

/// The HTML ids of the bars of each thing.
const IDS: [&str; MAX_COMPARED] = ["years-1", "years-2", "years-3", "years-4"];

/// The maximum number of things of all types that a text may mean; those of the compared type are shown.
const MAX_FOUND: usize = 40;

#[derive(Template)]
#[template(path = "compare.html")]
struct ComparePage {
    layout: Layout,
    t: Texts,
    what: &'static str,
    /// Of the entity types that the things have records of.
    tabs: Vec<KindTab>,
    things: Vec<Thing>,
    /// What the records of each thing have to meet.
    conditions: Vec<ShownCondition>,
    unknown: Vec<Unknown>,
    rows: Vec<Row>,
    /// That the figures are of different years.
    uneven: Option<String>,
    years: Option<ComparedYears>,
    /// The calls that two suppliers bid on.
    pairs: Vec<HeadToHead>,
    /// `None` if no more can be added.
    form: Option<CompareForm>,
}

/// A condition, with the comparison without it and the label of that link.
struct ShownCondition {
    text: String,
    without: String,
    removal: String,
}

/// A text that identifies nothing, or a bidder without records, and what it may mean.
struct Unknown {
    about: String,
    text: String,
    meant: Vec<Meaning>,
}

fn page(call: &PageCall, what: &str) -> Result<Work, ApiError> {
    let request = Request::of(call, what, read_all(TABLE, call.query)?)?;
    let layout = call.layout(call.t.text("compare-title"), Section::Search);
    let conditions = request.searched(&call.generation);
    let things = request.of.len().max(1);
    let cost = request.what.cost(&call.generation, (request.kind, things), &conditions);
    let work = Work::search(&call.generation, move |ask| {
        compared(ask, &request, &conditions, layout)
    });
    call.validated(
        cost.and_bids(&call.generation, 1).charge(work),
        &(call.path, call.query),
    )
}

fn compared(ask: &Ask, request: &Request, conditions: &[SearchQuery], layout: Layout) -> Result<Reply, ApiError> {
    let (mut things, mut open): (Vec<Compared>, Vec<(&String, Option<Compared>)>) = (Vec::new(), Vec::new());
    for text in &request.of {
        match Compared::find(ask, request.what, text)? {
            Some(thing) if is_uncertain(&thing, text) && !meant(ask, request, &[], text)?.is_empty() => {
                open.push((text, Some(thing)));
            }
            // Another name of the same thing is no second one.
            Some(thing) if things.iter().all(|known| known.id() != thing.id()) => things.push(thing),
            Some(_) => {}
            None => open.push((text, None)),
        }
    }
    let is_missing = things.is_empty() && !open.is_empty() && open.iter().all(|(_, bidder)| bidder.is_none());
    let ids: Vec<&str> = things.iter().map(Compared::id).collect();
    let mut unknown = Vec::new();
    for (text, bidder) in open {
        let mut meant = meant(ask, request, &ids, text)?;
        let about = match &bidder {
            Some(_) => request.t.text("compare-no-records"),
            None => request.t.keyed("compare-unknown-", request.what.name()),
        };
        meant.extend(bidder.map(|bidder| as_bidder(request, &ids, &bidder)));
        let text = text.clone();
        unknown.push(Unknown { about, text, meant });
    }
    let things = things.into_iter().map(|thing| match request.conditions {
        Some(_) => thing.under(ask, conditions),
        None => Ok(thing),
    });
    let things = things.collect::<Result<Vec<Compared>, Error>>()?;
    let page = shown(ask, request, &things, unknown, layout)?;
    let reply = render(&page)?;
    Ok(if is_missing {
        reply.with_status(StatusCode::NOT_FOUND)
    } else {
        reply
    })
}

/// Whether a name is that of a bidder without records, although its identifier was not given: somebody who types it may
/// mean a supplier with records whose name is longer.
fn is_uncertain(thing: &Compared, text: &str) -> bool {
    let is_known = matches!(&thing.subject, Subject::Supplier { id: Some(id), .. } if id != text);
    is_known && !thing.has_records()
}

/// A bidder without records, with the comparison that has it too.
fn as_bidder(request: &Request, ids: &[&str], bidder: &Compared) -> Meaning {
    let label = match &bidder.subject {
        Subject::Supplier { side, .. } => side.name.clone(),
        _ => bidder.id().to_owned(),
    };
    Meaning {
        label,
        what: meanings::supplier(request.t, 1),
        count: request.t.text("compare-without-records"),
        href: request.address(&[ids, &[bidder.id()]].concat()),
        ..Meaning::default()
    }
}

fn shown(
    ask: &Ask,
    request: &Request,
    things: &[Compared],
    unknown: Vec<Unknown>,
    layout: Layout,
) -> Result<ComparePage, ApiError> {
    let (t, what) = (request.t, request.what);
    let kind = request.kind.unwrap_or_else(|| common_entity_type(things));
    let mut counted: Vec<Option<(SearchQuery, Figures)>> = Vec::new();
    for thing in things {
        let figures = |query: SearchQuery| Ok::<_, ApiError>((thing.figures(ask, what, &query)?, query));
        let figures = thing.query(kind).map(figures).transpose()?;
        counted.push(figures.map(|(figures, query)| (query, figures)));
    }
    let sides: Vec<Side> = things
        .iter()
        .zip(&counted)
        .map(|(thing, counted)| side(ask, request, thing, counted))
        .collect();
    let covered = CoveredYears::of(&sides);
    let mut shown = Vec::new();
    for (number, side) in sides.iter().enumerate() {
        shown.push(thing(&ask.generation, request, (things, number), side)?);
    }
    let names: Vec<&str> = shown.iter().map(|thing| thing.name.as_str()).collect();
    let rows = rows(t, (&sides, &names), what.other_side(), &covered);
    let ids: Vec<String> = things.iter().map(|thing| thing.id().to_owned()).collect();
    Ok(ComparePage {
        t,
        what: what.name(),
        tabs: tabs(request, things, (&ids, kind)),
        unknown,
        rows,
        uneven: covered.note(t),
        years: years(t, request, &shown, &sides),
        // Calls have other conditions than records.
        pairs: match request.conditions {
            Some(_) => Vec::new(),
            None => head_to_head(ask, t, things)?,
        },
        conditions: shown_conditions(ask, request, things),
        form: (things.len() < MAX_COMPARED).then(|| form(request, ids)),
        layout: titled(request, (&shown, &sides), kind, layout),
        things: shown,
    })
}

/// The entity types that the things have records of.
fn tabs(request: &Request, things: &[Compared], (ids, shown): (&[String], EntityType)) -> Vec<KindTab> {
    let path = address::compare(request.lang(), request.what.name());
    let parameters = request.parameters_without("");
    let parameters = ids.iter().fold(parameters, |all, id| all.and("of", id));
    let tab = |(of, records)| KindTab::new(of, records, Some(shown), &path, &parameters);
    entity_types(things).into_iter().map(tab).collect()
}

/// The frame with the title and the files.
fn titled(request: &Request, (things, sides): (&[Thing], &[Side]), kind: EntityType, layout: Layout) -> Layout {
    let both = things.iter().zip(sides);
    Layout {
        title: title(request.t, things),
        exports: Exports {
            csv: both
                .filter_map(|(thing, side)| csv_link(request, thing, side, kind))
                .collect(),
            ..Exports::default()
        },
        ..layout
    }
}

fn form(request: &Request, of: Vec<String>) -> CompareForm {
    let conditions = request.parameters_without("");
    CompareForm::under(request.lang(), (request.what, request.kind), of, conditions)
}

/// The conditions in words, each with the comparison without it.
fn shown_conditions(ask: &Ask, request: &Request, things: &[Compared]) -> Vec<ShownCondition> {
    let Some(asked) = &request.conditions else {
        return Vec::new();
    };
    let ids: Vec<&str> = things.iter().map(Compared::id).collect();
    let (t, today) = (request.t, request.today);
    let all = conditions(
        &SearchContext {
            asked,
            ask,
            t,
            today,
            asks: Asks::default(),
        },
        &[],
    );
    let shown = all.into_iter().map(|condition| ShownCondition {
        removal: t.with("search-condition-remove", &[("condition", &condition.words())]),
        without: request.address_without(condition.parameter, &ids),
        text: condition.words(),
    });
    shown.collect()
}

/// The records of a thing as a file. `None` under conditions that no search for its records takes.
fn csv_link(request: &Request, thing: &Thing, side: &Side, kind: EntityType) -> Option<CsvLink> {
    let (page, query) = match request.conditions {
        Some(_) => (
            address::page(request.lang(), "search"),
            searched(request, side.subject)?,
        ),
        None => (thing.href.clone(), Parameters::default()),
    };
    Some(CsvLink {
        name: thing.name.clone(),
        href: query.with("kind", kind.name()).after(&address::spreadsheet(&page)),
    })
}

fn side<'a>(
    ask: &'a Ask,
    request: &Request,
    thing: &'a Compared,
    counted: &'a Option<(SearchQuery, Figures)>,
) -> Side<'a> {
    let overview = counted
        .as_ref()
        .map(|(query, figures)| Overview::of((ask, request.t, request.today), (query, figures), true, false));
    let competition = overview.as_ref().and_then(|overview| {
        let methods = overview.counted().facets.get(&Facet::ProcurementMethod).cloned()?;
        let values = overview.counted().values.as_ref();
        let amount = values.map(|values| values.total_value).unwrap_or_default();
        Some(Competition::of(methods, overview.counted().total, amount))
    });
    Side {
        subject: &thing.subject,
        overview,
        competition,
    }
}

fn years(t: Texts, request: &Request, things: &[Thing], sides: &[Side]) -> Option<ComparedYears> {
    let mut own = Vec::new();
    for ((thing, side), id) in things.iter().zip(sides).zip(IDS) {
        if let Some(overview) = &side.overview
            && let Some(bars) = overview.years(id, searched(request, side.subject).as_ref())
        {
            own.push((overview, thing.name.clone(), bars));
        }
    }
    let years = own.iter().flat_map(|(_, _, bars)| &bars.years).map(|year| year.year);
    let all: BTreeSet<i32> = years.collect();
    // Each has the years of all.
    let series = own.into_iter().map(|(overview, name, bars)| {
        let gaps = overview.gaps(all.iter().copied());
        (name, YearBars { gaps, ..bars })
    });
    let series: Vec<(String, YearBars)> = series.collect();
    (!series.is_empty()).then(|| ComparedYears::new(request.lang(), t.text("compare-years"), series))
}

fn title(t: Texts, things: &[Thing]) -> String {
    let names: Vec<&str> = things.iter().map(|thing| thing.name.as_str()).collect();
    match names[..] {
        [] => t.text("compare-title"),
        _ => t.with("compare-title-of", &[("names", &names.join(" · "))]),
    }
}

/// What a text may mean, each with the comparison that has it too.
fn meant(ask: &Ask, request: &Request, ids: &[&str], text: &str) -> Result<Vec<Meaning>, ApiError> {
    let plan = SuggestPlan {
        text: text.to_owned(),
        language: request.lang(),
        limit: MAX_FOUND,
    };
    let is_new = |found: &Suggested| !ids.contains(&found.id.as_str());
    // The first request after a new index lists all names. If that takes too long, the figures do not wait for it.
    let found = match plan.run(ask) {
        Err(Error::Timeout) => Vec::new(),
        found => found?,
    };
    let found = found.into_iter();
    let wanted = found.filter(|found| found.meaning == request.what.meaning() && is_new(found));
    let with = |found: Suggested| {
        let href = request.address(&[ids, &[found.id.as_str()]].concat());
        meanings::leading_to(request.t, found, href)
    };
    Ok(wanted.map(with).collect())
}

fn suggest(call: &PageCall, what: &str) -> Result<Work, ApiError> {
    let mut given: CompareParams = read_all(SUGGEST_TABLE, call.query)?;
    let text = given.q.take().map(|given| given.value).unwrap_or_default();
    let request = Request::of(call, what, given)?;
    let lane = SuggestPlan::lane(&call.generation);
    let work = Work::search(&call.generation, move |ask| {
        let ids: Vec<&str> = request.of.iter().map(String::as_str).collect();
        meanings::answer(request.t, meant(ask, &request, &ids, &text)?)
    });
    call.validated(work.in_lane(lane), &(call.path, call.query))
}
