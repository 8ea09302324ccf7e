//! The page of one commodity code: where it is in the hierarchy, what it consists of, who buys and who sells it.

use actix_web::http::StatusCode;
use askama::Template;

use super::charts::{Charts, charts, sentence};
use crate::{
    catalog::generation::Generation,
    engine::{Deadline, aggregation::TermsAggregation},
    http::{
        cost::Counting,
        error::{ApiError, quoted},
        explorer::{
            address::{self, Parameters},
            bilingual::Shown,
            commodity_names,
            kind_tabs::KindTab,
            market::{MarketScope, MarketTable, market_table},
            messages::Texts,
            page::{CsvLink, Exports, Layout, PageCall, Section, other, render},
            quality::{self, TotalDoubt},
            record::listed::ListedRecord,
            spreadsheet::matching::{Subject, file_of},
        },
        findings::{
            commodity::{self, FoundCommodity},
            currencies::{CURRENCY_TERMS, currencies_of},
            entity_type_counts::EntityTypeCount,
            market::{self, market_figures},
            quality::{QUALITY_TERMS, quality_of},
        },
        handlers::counts::terms,
        params::{
            encoding::encode,
            filters::commodity_filter,
            param::Param,
            read::read_all,
            value::{Case, ENTITY_TYPES, Given, Value},
        },
        work::{Job, Reply, Work},
    },
    model::{Date, EntityType, Facet, Language, Role, Schema, commodity::CommodityCode, vocabulary::NO_QUALITY_FLAG},
    query::{Page as ResultsPage, Start},
};

#[derive(Debug, Default, PartialEq)]
struct CommodityParams {
    kind: Option<Given<&'static str>>,
}

static TABLE: &[Param<CommodityParams>] = &[Param::new(
    "kind",
    "Count the records of this entity type",
    Value::OneOf(&ENTITY_TYPES, Case::Exact, |p| &mut p.kind),
)];

#[derive(Template)]
#[template(path = "commodity/profile.html")]
struct CommodityPage {
    layout: Layout,
    t: Texts,
    code: Linked,
    /// The codes above it, the highest first.
    ancestors: Vec<Linked>,
    /// Its words in the other language, if both are known.
    other_words: Option<(String, &'static str)>,
    /// Of the entity types that have records of the code.
    tabs: Vec<KindTab>,
    /// `None` if there are no records of the entity type.
    sentence: Option<String>,
    currencies: Option<String>,
    doubt: Option<TotalDoubt>,
    charts: Charts,
    children: Vec<Child>,
    market: Option<MarketTable>,
    newest: Vec<ListedRecord>,
    has_vendors: bool,
    search: String,
    list: String,
}

/// A code with its page.
struct Linked {
    number: String,
    words: Option<Shown>,
    href: String,
}

/// A code right below, and its records.
struct Child {
    code: Linked,
    records: u64,
    /// `None` for an entity type without values.
    value: Option<String>,
}

#[derive(Template)]
#[template(path = "commodity/unknown.html")]
struct UnknownPage {
    layout: Layout,
    t: Texts,
    code: String,
    list: String,
}

/// How many records are shown.
const NEWEST: usize = 10;

/// How many codes below are shown.
const CHILDREN: usize = 50;

/// What the page needs of the request.
struct Request {
    code: CommodityCode,
    kind: Option<EntityType>,
    path: String,
    today: Date,
    layout: Layout,
    exports: Exports,
}

pub(super) fn page(call: &PageCall, text: &str) -> Result<Work, ApiError> {
    let given: CommodityParams = read_all(TABLE, call.query)?;
    let kind = given.kind.and_then(|given| EntityType::parse(given.value));
    let layout = call.layout("", Section::Search);
    let Ok(code) = CommodityCode::parse(text) else {
        return Ok(Work::new(Job::Ready(unknown(layout, text)?)));
    };
    let json = format!("/commodity/{}", encode(code.key()));
    let json = match kind {
        Some(kind) => Parameters::default().with("entity_type", kind.name()).after(&json),
        None => json,
    };
    let request = Request {
        exports: call.exports(json, ""),
        path: call.path.to_owned(),
        today: call.today,
        code,
        kind,
        layout,
    };
    let counting = counting(&call.generation, kind);
    let generation = call.generation.clone();
    let work = Work::search(move |deadline| {
        let found = commodity::find(&generation, &request.code, &[], request.kind, facets, &deadline)?;
        match found {
            Some(found) => render(&shown(&generation, request, found, &deadline)?),
            None => {
                let code = request.code.code().to_owned();
                unknown(request.layout, &code)
            }
        }
    });
    let work = work.in_lane(counting.lane()).with_cost(counting.cost());
    call.validated(work, &(call.path, call.query))
}

/// The records of a code, or of a code below it, as a file.
pub(super) fn csv(call: &PageCall, text: &str) -> Result<Work, ApiError> {
    let code = CommodityCode::parse(text).map_err(|why| ApiError::not_found(why.to_string()))?;
    let subject = Subject {
        what: format!("the commodity code {}", quoted(code.key())),
        cure: "find codes with /commodities?q=…",
        entity_types: EntityType::ALL.to_vec(),
    };
    file_of(call, subject, move |_, _, _| Ok(Some(commodity_filter(&code))))
}

/// All names are counted, because the largest by value need not be among the most frequent.
fn facets(entity_type: EntityType) -> Vec<TermsAggregation> {
    let schema = Schema::of(entity_type);
    let mut facets = vec![
        terms(Facet::Year, usize::MAX),
        terms(Facet::Department, usize::MAX),
        terms(Facet::Municipality, usize::MAX),
        QUALITY_TERMS,
    ];
    if schema.has_role(Role::Vendor) {
        facets.push(terms(Facet::Vendor, usize::MAX));
    }
    if schema.has_role(Role::Value) {
        facets.push(CURRENCY_TERMS);
    }
    facets
}

/// What the page counts: its facets, the market figures, and the records of every entity type.
fn counting(generation: &Generation, kind: Option<EntityType>) -> Counting {
    let kind = kind.unwrap_or(EntityType::Contract);
    let mut counts = vec![(kind, facets(kind).len() + 1 + market::COUNTS)];
    counts.extend(EntityType::ALL.map(|entity_type| (entity_type, 1)));
    Counting::of(generation, &counts)
}

fn shown(
    generation: &Generation,
    request: Request,
    found: FoundCommodity,
    deadline: &Deadline,
) -> Result<CommodityPage, ApiError> {
    let t = request.layout.t;
    let (lang, code) = (t.language(), request.code);
    let entity_type = found.query.entity_type;
    let linked = |code: &CommodityCode| linked(generation, code, t);
    let market = market_figures(generation, &found.query, deadline)?;
    let page = ResultsPage {
        limit: NEWEST,
        start: Start::Offset(0),
    };
    let hits = generation.engine.search(&found.query, &page, deadline.clone())?;
    let newest = hits.records.iter().map(|bytes| ListedRecord::of(t, entity_type, bytes));
    let title = commodity_names::label(&generation.commodities, &code, t);
    let none = Parameters::default();
    let tab = |count: &EntityTypeCount| {
        KindTab::new(
            count.entity_type,
            count.records,
            Some(entity_type),
            &request.path,
            &none,
        )
    };
    let parameters = Parameters::default().with("commodity", code.key());
    let without = parameters.with("quality_flag", NO_QUALITY_FLAG);
    let without = address::search(lang, entity_type, &without);
    let file = address::spreadsheet(&address::commodity(lang, &code));
    let children = found.children.iter().take(CHILDREN).filter_map(|child| {
        Some(Child {
            code: linked(&CommodityCode::of_key(&child.commodity.key)?),
            records: child.records,
            value: child.total_value.map(|value| t.money(value.dollars())),
        })
    });
    Ok(CommodityPage {
        t,
        ancestors: code.ancestors().iter().rev().map(&linked).collect(),
        other_words: other_words(generation, &code, lang),
        tabs: found.by_entity_type.iter().map(tab).collect(),
        sentence: (found.counted.total > 0).then(|| sentence(t, entity_type, &found.counted)),
        currencies: quality::other_currencies(t, &currencies_of(&found.counted)),
        doubt: quality::total_doubt(t, &quality_of(&found.counted), Some(without)),
        children: children.collect(),
        market: market_table(t, &market, MarketScope::Suppliers, true),
        newest: newest.collect::<Result<_, _>>()?,
        has_vendors: Schema::of(entity_type).has_role(Role::Vendor),
        search: address::search(lang, entity_type, &parameters),
        list: address::page(lang, "commodities"),
        code: linked(&code),
        charts: charts(generation, t, entity_type, found.counted, request.today, deadline)?,
        layout: Layout {
            title,
            exports: Exports {
                csv: vec![CsvLink::only(
                    Parameters::default().with("kind", entity_type.name()).after(&file),
                )],
                ..request.exports
            },
            ..request.layout
        },
    })
}

fn linked(generation: &Generation, code: &CommodityCode, t: Texts) -> Linked {
    Linked {
        number: commodity_names::number(code, t),
        words: commodity_names::words(&generation.commodities, code, t),
        href: address::commodity(t.language(), code),
    }
}

/// The words in the other language, with its code, if those in the language of the page are known too.
fn other_words(generation: &Generation, code: &CommodityCode, lang: Language) -> Option<(String, &'static str)> {
    let words = generation.commodities.title(code)?;
    words.of(lang)?;
    let other = other(lang);
    Some((words.of(other)?.to_owned(), other.code()))
}

/// The 404 page of a code that no record has, or that is not a code.
fn unknown(layout: Layout, code: &str) -> Result<Reply, ApiError> {
    let t = layout.t;
    let page = UnknownPage {
        t,
        code: code.to_owned(),
        list: address::page(t.language(), "commodities"),
        layout: Layout {
            title: t.text("commodity-unknown-title"),
            ..layout
        },
    };
    Ok(render(&page)?.with_status(StatusCode::NOT_FOUND))
}
