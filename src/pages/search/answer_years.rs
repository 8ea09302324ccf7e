//! Each of the years that an answer is about, in a table.

use crate::{
    api::analysis::{coverage::sources_of, quality::quality_of},
    engine::{
        Error,
        aggregation::{Aggregation, FacetBuckets, TermsAggregation, ValueAggregation},
    },
    http::error::ApiError,
    model::{EntityType, Facet, Role, Schema},
    pages::{
        charts::{gap_of, gaps, with_gap},
        figure_table::{FigureRow, FigureTable},
        messages::Texts,
        quality::is_much_in_doubt,
        search::{
            answer_figures::several_years, context::SearchContext, notes::undated_note, search_address::SearchAddress,
        },
    },
    query::SearchQuery,
};

/// Each year that the search asks for, with the number and the value of its records, and the search for them. Years
/// without a record have their row, too; it says whether the sources have data of them. If much of the value is in
/// doubt, a further column has the values without these records.
pub(super) fn years(
    context: &SearchContext,
    asked: &SearchAddress,
    query: &SearchQuery,
    found: &Aggregation,
) -> Result<Option<FigureTable>, ApiError> {
    let counts = found.facets.get(&Facet::Year);
    let shown = counts.and_then(|counts| Some((counts, several_years(query, context.asks.by_year, counts)?)));
    let Some((counts, years)) = shown else {
        return Ok(None);
    };
    let t = context.t;
    let has_values = Schema::of(asked.entity_type).has_role(Role::Value);
    let sound = if has_values && is_much_in_doubt(&quality_of(found)) {
        without_doubts(context, query)?
    } else {
        None
    };
    let places = found.facets.get(&Facet::Municipality);
    let sources = sources_of(&context.ask.generation, asked.entity_type, places);
    let gaps = gaps(&sources, years.clone());
    let row = |year: i32| {
        let gap = gap_of(&gaps, year);
        let of = |counts: &FacetBuckets| {
            let bucket = counts.buckets.iter().find(|bucket| bucket.value == year.to_string());
            bucket.map(|bucket| (bucket.count, bucket.total_value.dollars()))
        };
        let counted = of(counts);
        let has_data = counted.is_some() || gap.is_none_or(|gap| !gap.is_whole);
        let (count, value) = counted.unwrap_or_default();
        let values = has_values.then_some(value).into_iter();
        let sound = sound.iter().map(|counts| of(counts).unwrap_or_default().1);
        let amounts = values.chain(sound);
        FigureRow {
            name: with_gap(t, gap.filter(|_| has_data), year.to_string()),
            href: Some(asked.in_year(year)),
            // A row has a figure for each column.
            values: if has_data {
                [t.count(count)]
                    .into_iter()
                    .chain(amounts.map(|value| t.money(value)))
                    .collect()
            } else {
                let missing = amounts.map(|_| "–".to_owned());
                [t.text("search-answer-no-data")].into_iter().chain(missing).collect()
            },
        }
    };
    let kinds = t.keyed("kinds-", asked.entity_type.name());
    let value = has_values.then(|| t.text("search-answer-value"));
    let without_doubts = sound.is_some().then(|| t.text("search-answer-value-sound"));
    Ok(Some(FigureTable {
        id: "answer-years",
        title: t.text("search-answer-years"),
        of: t.text("search-answer-year"),
        columns: [Some(kinds), value, without_doubts].into_iter().flatten().collect(),
        rows: years.map(row).collect(),
        note: undated(t, asked.entity_type, (found.total, counts)),
    }))
}

/// How many of the records have no date and are in no row. Where these are most, a note says so already.
fn undated(t: Texts, of: EntityType, (total, years): (u64, &FacetBuckets)) -> Option<String> {
    let dated: u64 = years.buckets.iter().map(|bucket| bucket.count).sum();
    let without = total.saturating_sub(dated);
    (1..=dated)
        .contains(&without)
        .then(|| undated_note(t, of, (without, total)))
}

/// The records without a flag by year. `None` if counting them takes too long.
fn without_doubts(context: &SearchContext, query: &SearchQuery) -> Result<Option<FacetBuckets>, ApiError> {
    let query = query.clone().without_doubts();
    let by_year = [TermsAggregation::all(Facet::Year)];
    match context.ask.aggregate(&query, &by_year, ValueAggregation::Sum) {
        Err(Error::Timeout) => Ok(None),
        counted => Ok(Some(counted?.take(Facet::Year))),
    }
}
