//! The page of a search over bids: who bid on the calls for tenders that it finds, how often and for how much. Its file
//! has the bids as `GET /bids` lists them.

use askama::Template;

use crate::{
    api::{
        analysis::bids::{
            comparison::NoticeBidRow,
            search::{BidSearch, FoundBids},
        },
        params::{
            bids::{BidsParams, TABLE},
            param::Param,
            read::read_all,
        },
    },
    catalog::ask::Ask,
    http::{error::ApiError, work::Work},
    model::{Date, EntityType, Record, Schema},
    pages::{
        address::{self, Parameters},
        bids::{self, Row, bids_file},
        bilingual::title,
        calls::CallsPart,
        format::shortened,
        messages::Texts,
        page::{Layout, PageCall, Section, render},
        route::{Handler, Page},
        search::{
            bids_address::with_meanings,
            conditions::{Condition, ShownCondition, shown_conditions, value_words},
            context::SearchContext,
            search_address::SearchAddress,
        },
    },
    query::cursor::Cursor,
    question::asks::Asks,
};

pub(crate) const PAGE: Page = Page {
    template: "/{lang}/bids",
    handler: Handler::Fixed(page),
    ..Page::DEFAULT
};

pub(crate) const CSV: Page = Page {
    template: "/{lang}/bids.csv",
    handler: Handler::Fixed(|call| bids_file(call, with_meanings(Parameters::parse(call.query)?), None)),
    ..Page::DEFAULT
};

/// The bids of a page, if the address states no other number.
const ROWS: &str = "25";

/// The parameters that a search of tenders does not have, or means otherwise: they are of the bids.
const OF_BIDS: [&str; 7] = [
    "vendor",
    "supplier",
    "won",
    "amount_min",
    "amount_max",
    "method",
    "procurement_method",
];
/// What adds figures to a page.
const FIGURES: [&str; 3] = ["facets", "include_total", "include_statistics"];

/// What the form has fields for, and where a page of the list starts.
const IN_FORM: [&str; 2] = ["q", "vendor"];
const PAGING: [&str; 2] = ["cursor", "limit"];

#[derive(Template)]
#[template(path = "bids_page.html")]
struct BidsPage {
    layout: Layout,
    t: Texts,
    q: String,
    vendor: String,
    /// The other parameters, which the form keeps.
    kept: Vec<(String, String)>,
    conditions: Vec<ShownCondition>,
    /// How many bids there are.
    sentence: String,
    calls: CallsPart,
    rows: Vec<(Call, Row)>,
    /// The calls themselves, if no condition is on their bids.
    tenders_href: Option<String>,
    first_href: Option<String>,
    next_href: Option<String>,
}

/// The call that a bid is on.
struct Call {
    title: String,
    href: String,
    date: String,
}

/// A search that the address asks for.
struct Request {
    search: BidSearch,
    parameters: Parameters,
    path: String,
    today: Date,
}

impl Request {
    fn read(call: &PageCall) -> Result<Request, ApiError> {
        let mut parameters = with_meanings(Parameters::parse(call.query)?);
        if parameters.get("limit").is_none() {
            parameters = parameters.with("limit", ROWS);
        }
        let given: BidsParams = read_all(TABLE, &parameters.query_string())?;
        let (mut search, _) = given.resolve(&call.resolve_context(EntityType::Tender), false)?;
        search.is_counted = true;
        Ok(Request {
            search,
            parameters,
            path: call.path.to_owned(),
            today: call.today,
        })
    }

    /// The search for the calls, as far as its parameters are those of tenders.
    fn of_tenders(&self, t: Texts) -> SearchAddress {
        let of_tenders = self.parameters.without(&OF_BIDS).without(&FIGURES).without(&PAGING);
        SearchAddress::of(t.language(), EntityType::Tender, of_tenders)
    }

    fn conditions(&self, context: &SearchContext) -> Vec<Condition> {
        let filters = TABLE
            .iter()
            .filter(|row| !IN_FORM.contains(&row.name) && is_filter(row));
        let given = filters.filter_map(|row| Some((row, row.names().find_map(|name| self.parameters.get(name))?)));
        let condition = |(row, value): (&Param<BidsParams>, &str)| {
            let names: Vec<&str> = row.names().chain(PAGING).collect();
            let shown_as = shown_as(row.name);
            Condition {
                parameter: row.name,
                label: context.t.keyed("search-condition-", shown_as),
                value: match row.name {
                    "won" if context.t.has("bids-page-won-", value) => context.t.keyed("bids-page-won-", value),
                    "method" if context.t.has("bids-page-method-", value) => {
                        context.t.keyed("bids-page-method-", value)
                    }
                    _ => value_words(context, shown_as, value),
                },
                profile: None,
                without: self.parameters.without(&names).after(&self.path),
                is_ignored: false,
            }
        };
        given.map(condition).collect()
    }

    fn show(&self, ask: &Ask, t: Texts, layout: Layout) -> Result<BidsPage, ApiError> {
        let found = self.search.run(ask)?;
        let calls = CallsPart::of_bids(ask, t, &self.search.query)?;
        let asked = self.of_tenders(t);
        let context = SearchContext {
            asked: &asked,
            ask,
            t,
            today: self.today,
            asks: Asks::default(),
        };
        let value = |name| self.parameters.get(name).unwrap_or_default().to_owned();
        let kept = self.parameters.without(&IN_FORM).without(&PAGING);
        let is_of_calls = OF_BIDS.iter().all(|name| self.parameters.get(name).is_none());
        let first = self.parameters.without(&["cursor"]).after(&self.path);
        Ok(BidsPage {
            q: value("q"),
            vendor: value("vendor"),
            kept: kept
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            conditions: shown_conditions(t, self.conditions(&context)),
            sentence: t.with(
                "bids-page-count",
                &[("count", &found.total.unwrap_or_default()), ("calls", &calls.notices)],
            ),
            calls,
            rows: rows(ask, t, &found)?,
            tenders_href: is_of_calls.then(|| asked.address()),
            first_href: self.search.after.is_some().then_some(first),
            next_href: self.next_href(&found),
            layout,
            t,
        })
    }

    fn next_href(&self, found: &FoundBids) -> Option<String> {
        let position = found.next.as_ref()?.encode();
        let cursor = Cursor::of(self.search.query.fingerprint(), position).encode();
        Some(self.parameters.with("cursor", &cursor).after(&self.path))
    }
}

fn page(call: &PageCall) -> Result<Work, ApiError> {
    let request = Request::read(call)?;
    let json = request.parameters.after("/bids");
    let csv = request
        .parameters
        .without(&["limit"])
        .after(&address::spreadsheet(call.path));
    let layout = call.layout(call.t.text("calls-title"), Section::Search);
    let layout = layout.with_exports(call.exports(json, csv));
    let (t, generation) = (call.t, &call.generation);
    // The calls are counted, and without their days where there are none.
    let cost = request.search.cost(generation).and_bids(generation, 2);
    let work = Work::search(generation, move |ask| render(&request.show(ask, t, layout.clone())?));
    call.validated(cost.charge(work), &(call.path, call.query))
}

/// Whether a parameter leaves bids out.
fn is_filter(row: &Param<BidsParams>) -> bool {
    row.filter().is_some() || OF_BIDS.contains(&row.name)
}

/// The parameter of a search that a condition is called as.
fn shown_as(name: &'static str) -> &'static str {
    match name {
        "amount_min" => "value_min",
        "amount_max" => "value_max",
        "method" => "procurement_method",
        _ => name,
    }
}

fn rows(ask: &Ask, t: Texts, found: &FoundBids) -> Result<Vec<(Call, Row)>, ApiError> {
    let row = |row: &NoticeBidRow| Ok((call_of(ask, t, row)?, bids::row(&ask.generation, t, &row.bid, None)));
    found.rows.iter().map(row).collect()
}

fn call_of(ask: &Ask, t: Texts, row: &NoticeBidRow) -> Result<Call, ApiError> {
    let bytes = ask.record(EntityType::Tender, row.record_id)?;
    let schema = Schema::of(EntityType::Tender);
    let record = bytes.as_ref().and_then(|bytes| Record::parse(schema, bytes).ok());
    let title = record.and_then(|record| title(&record, t.language()));
    Ok(Call {
        title: shortened(&title.map_or_else(|| row.record_id.to_owned(), |title| title.text)),
        href: address::record(t.language(), EntityType::Tender, row.record_id),
        date: row.date.clone().unwrap_or_default(),
    })
}
