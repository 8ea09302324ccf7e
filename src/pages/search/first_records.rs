//! The first records of an answer: a question about the largest contract, or the newest, asks for one.

use bytes::Bytes;

use crate::{
    api::analysis::quality::quality_of,
    engine::{Error, aggregation::Aggregation},
    http::error::ApiError,
    model::{Record, Role, Schema},
    pages::{
        first_record::{CENT, of_first},
        quality::{self, is_much_in_doubt},
        search::{
            context::SearchContext,
            growth::largest_increases,
            highlight::Highlighter,
            hits::{Hit, HitWriter, date_label},
            sort_links::sort_links,
        },
    },
    query::{Filter, Order, SearchQuery, SortKey},
};

/// The maximum number of records shown.
const SHOWN: usize = 3;

/// The first records of a search, in its order.
pub(super) struct FirstRecords {
    /// The order in words: "Highest value first".
    pub(super) order: String,
    /// Whether the words ask for this order.
    pub(super) is_asked: bool,
    pub(super) hits: Vec<Hit>,
    /// The message for the date of a hit.
    pub(super) date_label: &'static str,
    pub(super) has_values: bool,
    /// The record that would be first, if it is left out because it is in doubt.
    pub(super) in_doubt: Option<String>,
    /// The link to all of them, if there are more.
    pub(super) all: Option<String>,
}

/// The first records in the order of a search. The newest ones are not those whose date is in the future by mistake,
/// unless too few others have a date. A search with days has its own.
fn in_order(context: &SearchContext, query: &SearchQuery, total: u64) -> Result<Vec<Bytes>, Error> {
    let is_of_days = |filter: &Filter| matches!(filter, Filter::Dates { role: Role::Date, .. });
    let is_newest = query.sort.key == SortKey::Date && query.sort.order == Order::Desc;
    if is_newest && !query.filters.iter().any(is_of_days) {
        let mut until_today = query.clone();
        until_today.filters.push(Filter::Dates {
            role: Role::Date,
            from: None,
            to: Some(context.today),
        });
        let found = context.ask.first(&until_today, SHOWN)?;
        if found.len() as u64 >= total.min(SHOWN as u64) {
            return Ok(found);
        }
    }
    context.ask.first(query, SHOWN)
}

/// Whether a record has the day that the order is of, if it is the end of a contract: few publishers state it, and
/// records without it come last.
fn has_end(query: &SearchQuery, record: &Bytes) -> bool {
    let schema = Schema::of(query.entity_type);
    query.sort.key != SortKey::EndDate
        || Record::parse(schema, record).is_ok_and(|record| record.date(Role::EndDate).is_some())
}

/// The search for the highest values without the records in doubt: these are often typing errors of many digits. `None`
/// for other searches, and if little of the value is in doubt.
fn without_doubts(query: &SearchQuery, found: &Aggregation) -> Option<SearchQuery> {
    let is_highest = query.sort.key == SortKey::Value && query.sort.order == Order::Desc;
    (is_highest && is_much_in_doubt(&quality_of(found))).then(|| query.clone().without_doubts())
}

/// The value and the supplier of the first record, which is in doubt, and how many more come before `first`, the first
/// one without a doubt. `None` if finding it takes too long.
fn in_doubt(context: &SearchContext, query: &SearchQuery, first: Option<&Bytes>) -> Result<Option<String>, ApiError> {
    let t = context.t;
    let stated = of_first(context.ask, query, |record| {
        let doubts: Vec<String> = record
            .quality_flags()
            .filter_map(|flag| quality::name(t, flag))
            .collect();
        let value = record.dollars().filter(|_| !doubts.is_empty())?;
        let supplier = record.texts(Role::Vendor).next().map(str::to_owned);
        let supplier = supplier.unwrap_or_else(|| t.text("not-published"));
        Some((doubts, t.money(value), supplier))
    })?;
    let Some((doubts, value, supplier)) = stated else {
        return Ok(None);
    };
    let schema = Schema::of(query.entity_type);
    let first = first.and_then(|first| Record::parse(schema, first).ok()?.dollars());
    let more = match first.map(|first| more_in_doubt(context, query, first)) {
        Some(Err(Error::Timeout)) => return Ok(None),
        Some(more) => more?,
        None => 0,
    };
    Ok(Some(t.with(
        "search-first-in-doubt",
        &[
            ("doubts", &doubts.join(", ")),
            ("value", &value),
            ("supplier", &supplier),
            ("more", &more),
        ],
    )))
}

/// How many records in doubt but the first have a higher value than this, in dollars.
fn more_in_doubt(context: &SearchContext, query: &SearchQuery, value: f64) -> Result<u64, Error> {
    let mut higher = query.clone();
    higher.filters.push(Filter::Values {
        min: Some(value + CENT),
        max: None,
    });
    let counts = context.ask.counts(vec![higher.clone(), higher.without_doubts()])?;
    Ok(counts[0].saturating_sub(counts[1]).saturating_sub(1))
}

/// The first of the records that were `found`; `context` has the search as it is asked. `None` without any, and if
/// finding them takes too long.
pub(super) fn first_records(
    context: &SearchContext,
    query: &SearchQuery,
    found: &Aggregation,
) -> Result<Option<FirstRecords>, ApiError> {
    let (t, asked, total) = (context.t, context.asked, found.total);
    let risen = largest_increases(context, (query, total), SHOWN)?;
    let is_by_increase = risen.is_some();
    let number_risen = risen.as_ref().map(|(_, number)| *number);
    let sound = without_doubts(query, found).filter(|_| !is_by_increase);
    let (with_doubts, query) = (query, sound.as_ref().unwrap_or(query));
    let mut records = match risen {
        Some((records, _)) => records,
        None => match in_order(context, query, total) {
            Err(Error::Timeout) => return Ok(None),
            records => records?,
        },
    };
    records.retain(|record| has_end(query, record));
    let in_doubt = sound.as_ref().map(|_| in_doubt(context, with_doubts, records.first()));
    let in_doubt = in_doubt.transpose()?.flatten();
    let highlighter = Highlighter::of(query.text.as_ref());
    let writer = HitWriter {
        context,
        highlighter: &highlighter,
    };
    let hits: Vec<Hit> = records
        .iter()
        .map(|record| writer.hit(record))
        .collect::<Result<_, _>>()?;
    let orders = sort_links(asked, query.sort);
    let order = orders.iter().find(|order| order.is_active);
    Ok((!hits.is_empty()).then(|| FirstRecords {
        order: if is_by_increase {
            t.with("search-sort-increase", &[("count", &number_risen.unwrap_or_default())])
        } else if sound.is_some() {
            t.text("search-sort-sound")
        } else {
            order.map_or_else(String::new, |order| t.keyed("search-sort-", order.name))
        },
        is_asked: is_by_increase || asked.value("sort_by").is_some(),
        date_label: date_label(asked.entity_type),
        has_values: Schema::of(asked.entity_type).has_role(Role::Value),
        in_doubt,
        all: (total > hits.len() as u64).then(|| t.with("search-answer-all", &[("count", &total)])),
        hits,
    }))
}
