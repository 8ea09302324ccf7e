//! `/{lang}/search`: the page of results.

use actix_web::http::StatusCode;
use askama::Template;

use crate::{
    api::{
        analysis::currencies::currencies_of,
        params::paging::{MAX_LIMIT, MAX_OFFSET},
    },
    catalog::ask::Ask,
    engine::Deadline,
    http::{
        error::ApiError,
        middleware::conditional::Validator,
        work::{Job, Reply, Work},
    },
    model::{Role, Schema},
    pages::{
        format::shortened,
        messages::Texts,
        page::{Exports, Layout, PageCall, Section, render},
        quality::{self, TotalDoubt},
        route::{Handler, Page},
        search::{
            answer::{Answer, answer},
            bids_address,
            conditions::{Condition, ShownCondition, conditions, shown_conditions},
            consortia::consortia,
            context::SearchContext,
            facets::{self, FacetGroup},
            figures::Figures,
            form::{Form, Input},
            highlight::Highlighter,
            hits::{Hit, HitWriter, date_label},
            meanings::Meaning,
            meant::{meant, with_conditions},
            no_matches::NoMatches,
            no_matches_view::{ShownNothing, without_conditions},
            notes::{NamesNote, SourceNotes, csv_note, doubt, price_note, set_aside, still_open, unknown_buyer},
            parameter_error::ShownError,
            prepared::{Prepared, heading, kinds},
            results_query::{Found, Pages, Plan},
            search_address::{DEFAULT_LIMIT, SearchAddress},
            sentence::{parties, sentence},
            shortcuts::{Shortcuts, shortcuts},
            similar_names::similar_names,
            sort_links::{SortLink, sort_links},
            tabs::{self, Tab},
            translation::{CodesNote, TranslationNote, codes_note, translation_note},
        },
        typical_value::{BY_VALUE, TypicalValue, typical_value},
    },
    query::{SearchQuery, Start},
    question::asks::Asks,
};

pub(crate) const PAGE: Page = Page {
    template: "/{lang}/search",
    handler: Handler::Fixed(page),
    ..Page::DEFAULT
};

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    layout: Layout,
    t: Texts,
    heading: String,
    tabs: Vec<Tab>,
    form: Form,
    /// An error that is not about a field of the form.
    error: Option<ShownError>,
    /// An error of a field: its id, and what is wrong.
    field_error: Option<(&'static str, String)>,
    conditions: Vec<ShownCondition>,
    /// The same search in usual periods, and with values in steps.
    shortcuts: Vec<Shortcuts>,
    /// The search without any condition.
    all: String,
    results: Option<Results>,
}

/// What was found.
struct Results {
    /// That nothing was searched for, because the words have no letter or digit.
    unsearched: Option<String>,
    /// What the words may mean, the answer first.
    meanings: Vec<Meaning>,
    /// The first meaning, where it is shown before what the words find as words.
    answer: Option<Answer>,
    sentence: String,
    /// The search with conditions in place of words, next to the total of the search for the words.
    with_conditions: Option<Meaning>,
    /// Which years the sources of the records cover.
    coverage: Option<String>,
    /// Of the results, unless there is an answer.
    values: TypicalValue,
    /// What the sentence does not say of the total: gaps in the sources, other currencies.
    notes: Vec<String>,
    /// The same search without tenders whose last day has passed.
    still_open: Option<String>,
    /// The page that says who bid for these tenders.
    who_bid: Option<String>,
    /// How much of the total is doubtful.
    doubt: Option<TotalDoubt>,
    translation: Option<TranslationNote>,
    codes: Option<CodesNote>,
    /// Of the results, unless there is an answer.
    names: Option<NamesNote>,
    sorts: Vec<SortLink>,
    groups: Vec<ShownGroup>,
    hits: Vec<Hit>,
    /// The message for the date of a hit.
    date_label: &'static str,
    has_values: bool,
    /// Which of the hits the page has.
    shown: String,
    /// Why there is no next page, although there are more hits.
    end: Option<String>,
    pages: Pages,
    figures: Figures,
    nothing: Option<ShownNothing>,
}

struct ShownGroup {
    group: FacetGroup,
    more: String,
    other: Option<String>,
}

fn page(call: &PageCall) -> Result<Work, ApiError> {
    let (asked, unknown_kind) = SearchAddress::read(call.lang, call.query)?;
    if let Some(kind) = unknown_kind {
        let error = ShownError::of_kind(&asked, &kind, call.t);
        return refusal(call, &asked, error, StatusCode::UNPROCESSABLE_ENTITY);
    }
    match asked.resolve(&call.resolve_context(asked.entity_type), DEFAULT_LIMIT) {
        Ok(search) => results(call, kinds(call, asked, search)),
        Err(error) => match error.parameter_error() {
            Some(refused) => refusal(call, &asked, ShownError::of(&asked, refused, call.t), error.status),
            None => Err(error),
        },
    }
}

/// The page of results of one of these searches.
fn results(call: &PageCall, all: Vec<Prepared>) -> Result<Work, ApiError> {
    // The address as it was written is in the page: in the link to the other language.
    let limit = all.first().map(|of| of.plan.search.page.limit);
    let normal_form = (call.query.to_owned(), limit);
    let splits = Prepared::splits(call, &all);
    let cost = Prepared::cost(&all, &splits, &call.generation);
    let (t, today) = (call.t, call.today);
    let rows = u64::from(call.plan_limits.page_cap).min(MAX_LIMIT);
    let work = Work::search(&call.generation, move |ask| {
        let Prepared { plan, layout, heading } = Prepared::chosen(ask, all, splits)?;
        let found = plan.run(ask)?;
        let context = SearchContext {
            asked: &plan.asked,
            ask,
            t,
            today,
            asks: plan.asks,
        };
        let layout = layout.with_export_note(csv_note(&context, found.aggregation.total, rows));
        render(&shown(&context, &plan, &found, layout, heading)?)
    });
    call.validated(cost.charge(work), &normal_form)
}

fn shown(
    context: &SearchContext,
    plan: &Plan,
    found: &Found,
    layout: Layout,
    heading: String,
) -> Result<SearchPage, ApiError> {
    let mut ignored = plan.search.ignored.clone();
    if plan.search.query.text.is_none() {
        ignored.push("q");
    }
    let conditions = conditions(context, &ignored);
    let results = found_results(context, plan, found, &conditions)?;
    // The answer's own page has its data; the words find nothing to take along.
    let layout = if results.answer.is_some() && found.aggregation.total == 0 {
        layout.with_exports(Exports::default())
    } else {
        layout
    };
    Ok(SearchPage {
        layout,
        t: context.t,
        heading,
        tabs: tabs::with_counts(context, found, results.answer.is_some()),
        form: Form::of(context, None),
        error: None,
        field_error: None,
        conditions: shown_conditions(context.t, conditions),
        shortcuts: shortcuts(context.t, context.asked, context.today),
        all: without_conditions(context.asked),
        results: Some(results),
    })
}

fn found_results(
    context: &SearchContext,
    plan: &Plan,
    found: &Found,
    conditions: &[Condition],
) -> Result<Results, ApiError> {
    let (t, asked) = (context.t, context.asked);
    let total = found.aggregation.total;
    let hits = hits(context, plan, found)?;
    let sources = SourceNotes::of(context, query_of_sources(plan, found), &found.aggregation)?;
    let groups = facets::groups(context, &found.aggregation, &found.choices).into_iter();
    let end = || t.with("search-page-end", &[("count", &MAX_OFFSET)]);
    let mut meant = meant(context, plan, found)?;
    let sentence = sentence(t, asked.entity_type, &found.aggregation, parties(context));
    let answer = answer(context, plan, &mut meant, found)?;
    // An answer has its own values; and its own coverage, which is that of the words if these find nothing.
    let has_answer = answer.is_some();
    let is_answered = answer.as_ref().is_some_and(|answer| !answer.is_empty);
    let values = match answer {
        Some(_) => TypicalValue::default(),
        None => values(context, plan, found)?,
    };
    let stated = answer.as_ref().map_or_else(Vec::new, Answer::notes);
    let is_new = |note: &String| !stated.contains(note);
    // What finds nothing has the notes of its answer.
    let mut sources = if has_answer && total == 0 {
        SourceNotes::default()
    } else {
        sources
    };
    let coverage = sources.coverage.take().filter(is_new);
    let notes = sources.all().chain(notes(context, found));
    Ok(Results {
        unsearched: unsearched(context, plan),
        meanings: meant.all,
        with_conditions: with_conditions(t, plan, found).filter(|_| answer.is_none()),
        coverage,
        answer,
        sentence,
        values,
        notes: notes.filter(is_new).collect(),
        still_open: still_open(asked, &plan.search.query, context.today),
        who_bid: bids_address::of_tenders(asked, &context.ask.generation).filter(|_| total > 0),
        doubt: doubt(t, asked, &found.aggregation),
        translation: translation_note(t, asked, &plan.search),
        codes: codes_note(context, &plan.search, found.by_code),
        names: NamesNote::of(t, asked, &plan.search.query, total, found.by_name).filter(|_| !has_answer),
        sorts: sort_links(asked, plan.search.query.sort),
        groups: groups.map(|group| shown_group(t, group)).collect(),
        date_label: date_label(asked.entity_type),
        has_values: Schema::of(asked.entity_type).has_role(Role::Value),
        shown: range(t, &plan.search.page.start, hits.len() as u64, total),
        hits,
        end: found.pages.is_end.then(end),
        pages: found.pages.clone(),
        figures: Figures::of(context, &found.aggregation),
        nothing: nothing(context, plan, found, (conditions, is_answered))?,
    })
}

/// What the sentence does not say of the total, besides gaps in the sources.
fn notes(context: &SearchContext, found: &Found) -> impl Iterator<Item = String> {
    let (t, all) = (context.t, &found.aggregation);
    let unknown = unknown_buyer(context, all.total.saturating_sub(found.by_name));
    consortia(t, context.asked, all)
        .into_iter()
        .chain(found.pages.first.is_none().then(|| similar_names(context)).flatten())
        .chain(unknown)
        .chain(set_aside(context))
        .chain(price_note(context))
        .chain(quality::other_currencies(t, &currencies_of(all)))
}

/// The ways on from a search without a match. An answer with records is the way on from its words.
fn nothing(
    context: &SearchContext,
    plan: &Plan,
    found: &Found,
    (conditions, is_answered): (&[Condition], bool),
) -> Result<Option<ShownNothing>, ApiError> {
    if found.aggregation.total > 0 || is_answered {
        return Ok(None);
    }
    let nothing = NoMatches::of(context, &plan.search, conditions)?;
    Ok(Some(ShownNothing::of(context, found, nothing)))
}

/// The search whose sources are described: where nothing is found, what the words mean, such as a place.
fn query_of_sources<'p>(plan: &'p Plan, found: &Found) -> &'p SearchQuery {
    let meant = found
        .split
        .filter(|(_, records)| found.aggregation.total == 0 && *records == 0);
    meant.map_or(&plan.search.query, |(number, _)| &plan.splits[number].query)
}

fn values(context: &SearchContext, plan: &Plan, found: &Found) -> Result<TypicalValue, ApiError> {
    let by_value = context.asked.with(&BY_VALUE);
    typical_value(
        context.ask,
        context.t,
        &plan.search.query,
        (&found.aggregation, None),
        by_value,
    )
}

fn hits(context: &SearchContext, plan: &Plan, found: &Found) -> Result<Vec<Hit>, ApiError> {
    let highlighter = Highlighter::of(plan.search.query.text.as_ref());
    let writer = HitWriter {
        context,
        highlighter: &highlighter,
    };
    found.records.iter().map(|record| writer.hit(record)).collect()
}

/// That the words of the address have no letter or digit, so that all records match.
fn unsearched(context: &SearchContext, plan: &Plan) -> Option<String> {
    let text = context.asked.value("q").filter(|_| plan.search.query.text.is_none())?;
    Some(context.t.with("search-unsearched", &[("text", &shortened(text))]))
}

/// The form again, with what is wrong next to the field that it is about.
fn refusal(call: &PageCall, asked: &SearchAddress, error: ShownError, status: StatusCode) -> Result<Work, ApiError> {
    let ask = Ask {
        generation: call.generation.clone(),
        deadline: Deadline::after(call.state.query_timeout),
    };
    let context = SearchContext {
        asked,
        ask: &ask,
        t: call.t,
        today: call.today,
        asks: Asks::default(),
    };
    let heading = heading(asked, call.t);
    let form = Form::of(&context, Some(&error));
    let is_in_form = form.has_error() || form.q_error.is_some();
    let page = SearchPage {
        layout: call.layout(call.t.with("title-error", &[("title", &heading)]), Section::Search),
        t: call.t,
        heading,
        tabs: tabs::without_counts(asked),
        form,
        field_error: error
            .parameter
            .filter(|_| is_in_form)
            .map(|id| (id, error.text.clone())),
        error: (!is_in_form).then_some(error),
        conditions: shown_conditions(call.t, conditions(&context, &[])),
        shortcuts: Vec::new(),
        all: without_conditions(asked),
        results: None,
    };
    let reply: Reply = render(&page)?.with_status(status);
    Ok(Work::new(Job::Ready(reply)).with_validator(Validator::None))
}

fn shown_group(t: Texts, group: FacetGroup) -> ShownGroup {
    ShownGroup {
        more: t.with("search-facet-more", &[("count", &group.more.len())]),
        other: (group.other > 0).then(|| t.with("search-facet-other", &[("count", &group.other)])),
        group,
    }
}

/// Which hits the page has. After a cursor, the number of those before it is not known.
fn range(t: Texts, start: &Start, shown: u64, total: u64) -> String {
    match start {
        Start::Offset(offset) if shown > 0 => {
            let (from, to) = (*offset as u64 + 1, *offset as u64 + shown);
            t.with("search-page-shown", &[("from", &from), ("to", &to), ("total", &total)])
        }
        _ => t.with(
            "search-page-shown-after-cursor",
            &[("count", &shown), ("total", &total)],
        ),
    }
}
