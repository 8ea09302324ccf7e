//! The list of commodity codes: one level of the hierarchy, or all codes whose words contain a text.

use askama::Template;
use serde_json::{Value as Json, json};

use crate::{
    api::{
        analysis::commodity_list::{self, CommodityPage, CommodityRow},
        export::csv_rows::Rows,
        params::{
            commodities::{CommoditiesParams, CommodityQuestion, TABLE},
            read::read_all,
        },
    },
    catalog::{ask::Ask, generation::Generation},
    http::{error::ApiError, work::Work},
    model::commodity::CommodityCode,
    pages::{
        address::{self, Parameters},
        bilingual::Shown,
        commodity_names,
        messages::Texts,
        page::{Layout, PageCall, Section, render},
        spreadsheet::file,
    },
};

#[derive(Template)]
#[template(path = "commodity/list.html")]
struct CommoditiesPage {
    layout: Layout,
    t: Texts,
    q: String,
    /// The code whose level below is listed, with its words.
    parent: Option<String>,
    sentence: String,
    rows: Vec<CodeRow>,
    first_href: Option<String>,
    next_href: Option<String>,
}

/// A code and its records.
struct CodeRow {
    number: String,
    words: Option<Shown>,
    href: String,
    records: u64,
    /// `None` if no record of it has a value.
    value: Option<String>,
    /// How many codes are below it.
    children: u64,
    below_href: String,
}

/// The codes of a page, and of a file.
const CODES: u64 = 50;
const CODES_OF_FILE: u64 = 500;

/// The columns of the file.
const COLUMNS: [&str; 7] = [
    "commodity",
    "scheme",
    "code",
    "title_en",
    "title_fr",
    "records",
    "total_value",
];

/// A list that the address asks for.
struct Request {
    question: CommodityQuestion,
    offset: usize,
    limit: usize,
    path: String,
    parameters: Parameters,
}

impl Request {
    fn read(call: &PageCall, limit: u64) -> Result<Request, ApiError> {
        let given: CommoditiesParams = read_all(TABLE, call.query)?;
        Ok(Request {
            question: given.question(),
            offset: given
                .offset
                .map_or(0, |given| usize::try_from(given.value).unwrap_or(usize::MAX)),
            limit: given.limit.map_or(limit, |given| given.value) as usize,
            path: call.path.to_owned(),
            parameters: Parameters::parse(call.query)?,
        })
    }

    /// The place after this page; `None` on the last one.
    fn next(&self, found: &CommodityPage) -> Option<String> {
        let after = self.offset.saturating_add(found.rows.len());
        (!found.rows.is_empty() && (after as u64) < found.total).then(|| after.to_string())
    }

    fn find(&self, ask: &Ask) -> Result<CommodityPage, ApiError> {
        let page = self.offset..self.offset.saturating_add(self.limit);
        Ok(commodity_list::list(ask, &self.question, page)?)
    }
}

pub(super) fn page(call: &PageCall) -> Result<Work, ApiError> {
    let request = Request::read(call, CODES)?;
    let json = request.parameters.without(&["offset"]).after("/commodities");
    let file = address::spreadsheet(call.path);
    let file = request.parameters.without(&["offset", "limit"]).after(&file);
    let layout = call.layout(call.t.text("commodities-title"), Section::Search);
    let layout = layout.with_exports(call.exports(json, file));
    let lane = commodity_list::lane(&call.generation, &request.question);
    let t = call.t;
    let work = Work::search(&call.generation, move |ask| {
        let (generation, found) = (&ask.generation, request.find(ask)?);
        let at = |offset: &str| request.parameters.with("offset", offset).after(&request.path);
        let parent = request.question.parent.as_deref().and_then(CommodityCode::of_key);
        let row = |row: &CommodityRow| self::row(generation, t, row);
        render(&CommoditiesPage {
            q: request.parameters.get("q").unwrap_or_default().to_owned(),
            parent: parent.map(|code| commodity_names::label(&generation.commodities, &code, t)),
            sentence: t.with("commodities-count", &[("count", &found.total)]),
            first_href: (request.offset > 0).then(|| request.parameters.without(&["offset"]).after(&request.path)),
            next_href: request.next(&found).map(|offset| at(&offset)),
            rows: found.rows.iter().filter_map(row).collect(),
            layout,
            t,
        })
    });
    call.validated(work.in_lane(lane), &(call.path, call.query))
}

fn row(generation: &Generation, t: Texts, row: &CommodityRow) -> Option<CodeRow> {
    let code = CommodityCode::of_key(&row.commodity.key)?;
    let below = Parameters::default().with("parent", code.key());
    Some(CodeRow {
        number: commodity_names::number(&code, t),
        words: commodity_names::words(&generation.commodities, &code, t),
        href: address::commodity(t.language(), &code),
        records: row.records,
        value: row.total_value.map(|value| t.money(value.dollars())),
        children: row.children,
        below_href: below.after(&address::page(t.language(), "commodities")),
    })
}

/// The codes of the list as a file.
pub(super) fn csv(call: &PageCall) -> Result<Work, ApiError> {
    let request = Request::read(call, CODES_OF_FILE)?;
    let lane = commodity_list::lane(&call.generation, &request.question);
    let lang = call.lang;
    let work = Work::search(&call.generation, move |ask| {
        let found = request.find(ask)?;
        let row = |row: &CommodityRow| -> Vec<Json> {
            let commodity = &row.commodity;
            vec![
                json!(commodity.key),
                json!(commodity.scheme),
                json!(commodity.code),
                json!(commodity.title_en),
                json!(commodity.title_fr),
                json!(row.records),
                json!(row.total_value.map(|value| value.dollars())),
            ]
        };
        let mut reply = file::reply(
            "commodities",
            Rows(lang).table(&COLUMNS, found.rows.iter().map(row).collect()),
        )?;
        if let Some(offset) = request.next(&found) {
            let link = file::next_link(&request.path, &request.parameters, "offset", &offset)?;
            reply.headers.push(link);
        }
        Ok(reply)
    });
    call.validated(work.in_lane(lane), &(call.path, call.query))
}
