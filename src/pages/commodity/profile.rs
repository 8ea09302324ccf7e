//! The page of one commodity code: where it is in the hierarchy, what it consists of, who buys and who sells it.

use actix_web::http::StatusCode;
use askama::Template;

use crate::{
    api::{
        analysis::{
            commodity::{CommodityCount, CommodityPlan, FoundCommodity},
            compared::ComparedType,
            entity_type_counts::EntityTypeCount,
            supplier_counts::buyers_facet,
        },
        params::{
            filters::commodity_filter,
            include::Include,
            param::Param,
            parse::{Case, Given},
            read::read_all,
            value::{ENTITY_TYPES, ParamType},
        },
    },
    catalog::{ask::Ask, generation::Generation},
    http::{
        encoding::encode,
        error::ApiError,
        quoted::quoted,
        work::{Job, Reply, Work},
    },
    model::{
        Date, EntityType, Facet, Language, Role, Schema, commodity::CommodityCode, commodity_table::is_own_title,
        fold::word_list, vocabulary::NO_QUALITY_FLAG,
    },
    pages::{
        address::{self, Parameters},
        bilingual::Shown,
        calls::CallsPart,
        charts::{RankedBars, YearBars},
        commodity_names,
        compare::CompareForm,
        kind_tabs::KindTab,
        market_figures::{MarketScope, MarketTable},
        messages::Texts,
        overview::Overview,
        page::{CsvLink, Exports, Layout, PageCall, Section, other, render},
        quality::TotalDoubt,
        record::listed::ListedRecord,
        search::SearchAddress,
        spreadsheet::record_file::{Subject, file_of},
        supplier_names::{ABOUT_RANK, ABOUT_SPELLINGS, AllNamesOf, BY_NUMBER, RANK, RANKS, RankingSwitch, SPELLINGS},
        typical_value::{self, BY_VALUE, TypicalValue, typical_value},
    },
    query::text::TextQuery,
};

#[derive(Debug, Default, PartialEq)]
struct CommodityParams {
    kind: Option<Given<&'static str>>,
    rank: Option<Given<&'static str>>,
    spellings: Option<Given<bool>>,
}

static TABLE: &[Param<CommodityParams>] = &[
    Param::new(
        "kind",
        "Count the records of this entity type",
        ParamType::OneOf(&ENTITY_TYPES, Case::Exact, |p| &mut p.kind),
    ),
    Param::new(RANK, ABOUT_RANK, ParamType::OneOf(&RANKS, Case::Exact, |p| &mut p.rank)),
    Param::new(SPELLINGS, ABOUT_SPELLINGS, ParamType::Boolean(|p| &mut p.spellings)),
];

#[derive(Template)]
#[template(path = "commodity/profile.html")]
struct CommodityPage {
    layout: Layout,
    t: Texts,
    code: Linked,
    /// The codes above it, the highest first.
    ancestors: Vec<Linked>,
    /// The words of the code in the other language, if both are known.
    other_words: Option<(String, &'static str)>,
    /// Whether a label is of this project, because no source names the code in its language.
    has_own_words: bool,
    /// Words that lead here, each with its search.
    leading: Vec<(String, String)>,
    /// Of the entity types that have records of the code.
    tabs: Vec<KindTab>,
    /// `None` if there are no records of the entity type.
    sentence: Option<String>,
    values: TypicalValue,
    /// Which years the sources of the records cover.
    coverage: Option<String>,
    currencies: Option<String>,
    doubt: Option<TotalDoubt>,
    years: Option<YearBars>,
    buyers: Option<RankedBars>,
    suppliers: Option<RankedBars>,
    switches: [RankingSwitch; 2],
    children: Vec<Child>,
    market: Option<MarketTable>,
    calls: CallsPart,
    newest: Vec<ListedRecord>,
    has_vendors: bool,
    search: String,
    list: String,
    form: CompareForm,
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

/// How many codes below are shown.
const CHILDREN: usize = 50;

/// What the page needs of the request.
struct Request {
    path: String,
    query: Parameters,
    by_spelling: bool,
    by_number: bool,
    /// The entity type that the address states.
    kind: Option<EntityType>,
    today: Date,
    layout: Layout,
    /// The exports of the page for each entity type.
    exports: [Exports; EntityType::ALL.len()],
}

pub(super) fn page(call: &PageCall, text: &str) -> Result<Work, ApiError> {
    let given: CommodityParams = read_all(TABLE, call.query)?;
    let kind = given.kind.and_then(|given| EntityType::parse(given.value));
    let layout = call.layout("", Section::Search);
    let Ok(code) = CommodityCode::parse(text) else {
        return Ok(Work::new(Job::Ready(unknown(layout, text)?)));
    };
    let json = format!("/commodity/{}", encode(code.key()));
    let exports = EntityType::ALL.map(|kind| {
        let of_kind = Parameters::default().with("entity_type", kind.name());
        call.exports(of_kind.after(&json), "")
    });
    let request = Request {
        exports,
        path: call.path.to_owned(),
        query: Parameters::parse(call.query)?,
        by_number: given.rank.is_some_and(|given| given.value == BY_NUMBER),
        by_spelling: given.spellings.is_some_and(|given| given.value),
        kind,
        today: call.today,
        layout,
    };
    let plan = CommodityPlan {
        code,
        filters: Vec::new(),
        requested: kind,
        of_most_records: true,
        include: Include::all_of(Schema::of(kind.unwrap_or(EntityType::Contract))),
        names: usize::MAX,
        buyers: buyers_facet(request.by_spelling),
        has_places: true,
    };
    let cost = plan.cost(&call.generation).and_bids(&call.generation, 1);
    let cost = cost.and_scans(&call.generation, plan.largest(&call.generation), typical_value::SCANS);
    let work = Work::search(&call.generation, move |ask| match plan.run(ask)? {
        Some(found) => render(&shown(ask, &plan.code, request, &found)?),
        None => unknown(request.layout, plan.code.code()),
    });
    call.validated(cost.charge(work), &(call.path, call.query))
}

/// The records of a code, or of a code below it, as a file.
pub(super) fn csv(call: &PageCall, text: &str) -> Result<Work, ApiError> {
    let code = CommodityCode::parse(text).map_err(|why| ApiError::not_found(why.to_string()))?;
    let subject = Subject {
        what: format!("the commodity code {}", quoted(code.key())),
        cure: "find codes with /commodities?q=…",
        entity_types: EntityType::ALL.to_vec(),
    };
    file_of(call, subject, move |_, _| Ok(Some(commodity_filter(&code))))
}

fn shown(ask: &Ask, code: &CommodityCode, request: Request, found: &FoundCommodity) -> Result<CommodityPage, ApiError> {
    let (t, generation) = (request.layout.t, &ask.generation);
    let (lang, entity_type) = (t.language(), found.query.entity_type);
    let linked = |code: &CommodityCode| linked(generation, code, t);
    let exports = request.exports.into_iter().nth(entity_type as usize);
    let counted = &found.figures.counted;
    let has_amounts = counted
        .values
        .as_ref()
        .is_some_and(|values| values.records_with_value > 0);
    let overview = Overview::of(
        (ask, t, request.today),
        (&found.query, &found.figures),
        has_amounts && !request.by_number,
        request.by_spelling,
    );
    let parameters = Parameters::default().with("commodity", code.key());
    let without = parameters.with("quality_flag", NO_QUALITY_FLAG);
    let by_value = SearchAddress::of(lang, entity_type, parameters.clone()).with(&BY_VALUE);
    Ok(CommodityPage {
        t,
        ancestors: code.ancestors().iter().rev().map(&linked).collect(),
        other_words: other_words(generation, code, lang),
        has_own_words: has_own_words(generation, code),
        leading: leading(generation, code, lang),
        tabs: tabs(found, &request.path),
        sentence: (counted.total > 0).then(|| format!("{}.", overview.sentence_parts().join(", "))),
        values: typical_value(ask, t, &found.query, (counted, None), by_value)?,
        coverage: overview.coverage(),
        currencies: overview.currencies(),
        doubt: overview.doubt(Some(address::search(lang, entity_type, &without))),
        children: children(found, t, linked),
        market: overview.market(MarketScope::Suppliers, true),
        calls: CallsPart::of(ask, t, commodity_filter(code), &address::commodity(lang, code))?,
        newest: overview.newest()?,
        has_vendors: Schema::of(entity_type).has_role(Role::Vendor),
        search: address::search(lang, entity_type, &parameters),
        list: address::page(lang, "commodities"),
        form: CompareForm::new(lang, ComparedType::Commodity, request.kind, vec![code.key().to_owned()]),
        code: linked(code),
        years: overview.years("years", Some(&parameters)),
        buyers: overview.ranked("ranked-buyers", Facet::NamedDepartment, Some(&parameters))?,
        switches: [
            RankingSwitch::by_number(t, &request.path, &request.query, request.by_number),
            RankingSwitch::by_name(t, &request.path, &request.query, request.by_spelling, AllNamesOf::Both),
        ],
        suppliers: overview.ranked("ranked-suppliers", Facet::Vendor, Some(&parameters))?,
        layout: Layout {
            title: commodity_names::label(&generation.commodities, code, t),
            exports: Exports {
                csv: vec![csv_link(lang, code, entity_type)],
                ..exports.unwrap_or_default()
            },
            ..request.layout
        },
    })
}

/// The entity types with records of the code.
fn tabs(found: &FoundCommodity, path: &str) -> Vec<KindTab> {
    let (current, none) = (Some(found.query.entity_type), Parameters::default());
    let tab = |count: &EntityTypeCount| KindTab::new(count.entity_type, count.records, current, path, &none);
    found.by_entity_type.iter().map(tab).collect()
}

fn children(found: &FoundCommodity, t: Texts, linked: impl Fn(&CommodityCode) -> Linked) -> Vec<Child> {
    let child = |child: &CommodityCount| {
        Some(Child {
            code: linked(&CommodityCode::of_key(&child.commodity.key)?),
            records: child.records,
            value: child.total_value.map(|value| t.money(value.dollars())),
        })
    };
    found.children.iter().take(CHILDREN).filter_map(child).collect()
}

/// The records of one entity type as a file.
fn csv_link(lang: Language, code: &CommodityCode, entity_type: EntityType) -> CsvLink {
    let file = address::spreadsheet(&address::commodity(lang, code));
    CsvLink::only(Parameters::default().with("kind", entity_type.name()).after(&file))
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

fn has_own_words(generation: &Generation, code: &CommodityCode) -> bool {
    let words = generation.commodities.title(code);
    let is_own = |language: Language| words?.of(language).map(|words| is_own_title(code, language, words));
    Language::ALL.into_iter().any(|language| is_own(language) == Some(true))
}

/// The searches whose words mean the code: those of its titles.
fn leading(generation: &Generation, code: &CommodityCode, lang: Language) -> Vec<(String, String)> {
    let titles = generation.commodities.title(code).into_iter();
    let titles = titles.flat_map(|words| Language::ALL.map(|language| words.of(language)));
    let mut leading = Vec::new();
    for title in titles.flatten() {
        let q = word_list(title).join(" ");
        let means_it = TextQuery::parse(&q).is_ok_and(|text| {
            let codes = generation.translator.codes_of(&text);
            codes.iter().any(|key| key == code.key())
        });
        let search = Parameters::default().with("q", &q);
        if means_it && leading.iter().all(|(other, _)| *other != q) {
            leading.push((q, address::search(lang, EntityType::Contract, &search)));
        }
    }
    leading
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
