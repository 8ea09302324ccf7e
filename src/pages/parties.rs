//! The lists of suppliers and of public bodies, those with most records first: all, or those with a text in a name.

use askama::Template;
use serde_json::{Value as Json, json};

use crate::{
    api::{
        analysis::supplier_list::SuppliersAsked,
        export::csv_rows::Rows,
        params::{
            read::read_all,
            suppliers::{BODIES as PARAMETERS, SuppliersParams},
        },
    },
    catalog::{
        generation::Generation,
        suppliers::{Party, Supplier},
    },
    http::{error::ApiError, work::Work},
    model::Language,
    pages::{
        address::{self, Parameters},
        export,
        messages::Texts,
        page::{Layout, PageCall, Section, render},
        route::Page,
        spreadsheet::file,
    },
};

pub(crate) const SUPPLIERS: Page = Page::fixed("/{lang}/suppliers", |call| page(call, Party::Supplier));

pub(crate) const SUPPLIERS_CSV: Page = Page::fixed("/{lang}/suppliers.csv", |call| csv(call, Party::Supplier));

pub(crate) const BODIES: Page = Page::fixed("/{lang}/bodies", |call| page(call, Party::Body));

pub(crate) const BODIES_CSV: Page = Page::fixed("/{lang}/bodies.csv", |call| csv(call, Party::Body));

#[derive(Template)]
#[template(path = "parties.html")]
struct PartiesPage {
    layout: Layout,
    t: Texts,
    /// `suppliers` or `bodies`: the end of the keys of its texts.
    what: &'static str,
    q: String,
    sentence: String,
    rows: Vec<PartyRow>,
    first_href: Option<String>,
    next_href: Option<String>,
}

/// A supplier or a body.
struct PartyRow {
    name: String,
    href: String,
    names: String,
    records: u64,
    /// `None` if no record of it has a value.
    value: Option<String>,
    years: String,
}

/// The rows of a page and of a file, if the address does not state another number.
const ROWS: &str = "50";
const ROWS_OF_FILE: &str = "100";

/// The columns of the file.
const COLUMNS: [&str; 7] = [
    "id",
    "name",
    "names",
    "records",
    "total_value",
    "first_year",
    "last_year",
];

/// A list that the address asks for.
struct Request {
    party: Party,
    asked: SuppliersAsked,
    start: u32,
    path: String,
    parameters: Parameters,
}

impl Request {
    fn read(call: &PageCall, party: Party, rows: &str) -> Result<Request, ApiError> {
        let mut parameters = Parameters::parse(call.query)?;
        if parameters.get("limit").is_none() {
            parameters = parameters.with("limit", rows);
        }
        let given: SuppliersParams = read_all(PARAMETERS, &parameters.query_string())?;
        let asked = SuppliersAsked::new(given);
        let start = asked.start(call.generation.parties(party))?.unwrap_or_default();
        Ok(Request {
            party,
            asked,
            start,
            path: call.path.to_owned(),
            parameters,
        })
    }

    /// How many there are, those of the page, and the cursor of the next one.
    fn page(&self, generation: &Generation) -> (u64, Vec<Supplier>, Option<String>) {
        let all = generation.parties(self.party);
        let found = self.asked.found(all);
        let count = found.len() as u64;
        let (page, next) = self.asked.page_of(found, all, self.start);
        (count, page, next)
    }
}

fn page(call: &PageCall, party: Party) -> Result<Work, ApiError> {
    let request = Request::read(call, party, ROWS)?;
    let what = party.plural();
    let json = request.parameters.after(&format!("/{what}"));
    let file = request.parameters.after(&address::spreadsheet(call.path));
    let mut exports = call.exports(json, file);
    if party == Party::Supplier {
        exports.whole = export::links(call.lang, export::SUPPLIERS, &request.parameters);
    }
    let layout = call.layout(call.t.keyed("parties-title-", what), Section::Search);
    let layout = layout.with_exports(exports);
    let counted = match party {
        Party::Supplier => "parties-count-suppliers",
        Party::Body => "parties-count-bodies",
    };
    let (t, lang) = (call.t, call.lang);
    let work = Work::search(&call.generation, move |ask| {
        let (count, found, next) = request.page(&ask.generation);
        let first = request.parameters.without(&["cursor"]).after(&request.path);
        render(&PartiesPage {
            what,
            q: request.parameters.get("q").unwrap_or_default().to_owned(),
            sentence: t.with(counted, &[("count", &count)]),
            rows: found.into_iter().map(|found| row(found, party, lang, t)).collect(),
            first_href: (request.start > 0).then_some(first),
            next_href: next.map(|cursor| request.parameters.with("cursor", &cursor).after(&request.path)),
            layout,
            t,
        })
    });
    call.validated(work, &(call.path, call.query))
}

fn row(found: Supplier, party: Party, lang: Language, t: Texts) -> PartyRow {
    PartyRow {
        href: address::party(lang, party, &found.id),
        names: t.count(found.names.len() as u64),
        records: found.records,
        value: (found.total_value != 0.0).then(|| t.money(found.total_value)),
        years: match (found.first_year, found.last_year) {
            (Some(first), Some(last)) if first == last => first.to_string(),
            (Some(first), Some(last)) => format!("{first}–{last}"),
            _ => String::new(),
        },
        name: name_in(lang, &found).to_owned(),
    }
}

/// The chosen name; of a body in French, the one that records state in French with it.
fn name_in(lang: Language, found: &Supplier) -> &str {
    let french = found.names.first().and_then(|chosen| chosen.name_fr.as_deref());
    french.filter(|_| lang == Language::French).unwrap_or(&found.name)
}

/// The rows of the page as a file.
fn csv(call: &PageCall, party: Party) -> Result<Work, ApiError> {
    let request = Request::read(call, party, ROWS_OF_FILE)?;
    let lang = call.lang;
    let work = Work::search(&call.generation, move |ask| {
        let (_, found, next) = request.page(&ask.generation);
        let row = |found: Supplier| -> Vec<Json> {
            vec![
                json!(found.id),
                json!(name_in(lang, &found)),
                json!(found.names.len()),
                json!(found.records),
                json!(found.total_value),
                json!(found.first_year),
                json!(found.last_year),
            ]
        };
        let rows = found.into_iter().map(row).collect();
        let mut reply = file::reply(party.plural(), Rows(lang).table(&COLUMNS, rows))?;
        if let Some(cursor) = next {
            let link = file::next_link(&request.path, &request.parameters, "cursor", &cursor)?;
            reply.headers.push(link);
        }
        Ok(reply)
    });
    call.validated(work, &(call.path, call.query))
}
