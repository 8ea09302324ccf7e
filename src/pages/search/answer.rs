//! What the words of a search mean, shown before what they find as words.

use crate::{
    api::analysis::{currencies::currencies_of, quality::quality_of},
    engine::{
        Error,
        aggregation::{Aggregation, TermsAggregation, ValueAggregation},
    },
    http::error::ApiError,
    model::{EntityType, Facet, Role},
    pages::{
        figure_table::FigureTable,
        first_record::of_first,
        format::shortened,
        quality::{self, TotalDoubt},
        search::{
            answer_figures::found_by,
            answer_years::years,
            body_names::body_names,
            consortia::consortia,
            context::SearchContext,
            figures::Leaders,
            first_records::{FirstRecords, first_records},
            growth::{days_of_contracts, growth},
            lacking::without_day,
            meanings::Meaning,
            meant::Meant,
            narrowed::Narrowed,
            notes::{NamesNote, SourceNotes, doubt, price_note},
            results_query::{Found, Plan, words_only},
            search_address::SearchAddress,
            sentence::{parties, sentence, sound_value, worth},
            similar_names::similar_names,
            split::Split,
        },
        typical_value::{BY_VALUE, TypicalValue, typical_value},
    },
    query::SearchQuery,
    question::entity_types::CONTRACT_TYPES,
};

/// What the words may mean, where they find nothing as words, or little by chance. The answer is uncertain.
pub(super) struct Answer {
    pub(super) label: String,
    pub(super) href: String,
    pub(super) sentence: String,
    /// Whether it has no records.
    pub(super) is_empty: bool,
    /// What else is asked for, and what the sources have none of: a share, a growth, prices, the end of contracts.
    pub(super) asked_for: Vec<String>,
    /// Other contracts that meet the same conditions, in entity types that it does not count: how many, with their
    /// value, and the address.
    pub(super) others: Vec<(String, String)>,
    /// Its first records.
    pub(super) first: Option<FirstRecords>,
    /// Its first suppliers and buyers.
    pub(super) leaders: Vec<Leaders>,
    /// What its values are.
    pub(super) values: TypicalValue,
    /// Each of the years that are asked for, if they are several.
    pub(super) years: Option<FigureTable>,
    /// Which of its records have a word only in a name.
    pub(super) names: Option<NamesNote>,
    /// How much of the total is doubtful.
    pub(super) doubt: Option<TotalDoubt>,
    /// Sums in other currencies, and what its sources cover and lack.
    pub(super) coverage: Vec<String>,
}

impl Answer {
    /// What it says in sentences besides its figures.
    pub(super) fn notes(&self) -> Vec<String> {
        self.asked_for.iter().chain(&self.coverage).cloned().collect()
    }

    fn of(meaning: &Meaning) -> Answer {
        Answer {
            label: meaning.label.clone(),
            href: meaning.href.clone(),
            sentence: meaning.count.clone(),
            is_empty: meaning.is_empty,
            asked_for: Vec::new(),
            others: Vec::new(),
            first: None,
            leaders: Vec::new(),
            values: TypicalValue::default(),
            years: None,
            names: None,
            doubt: None,
            coverage: Vec::new(),
        }
    }
}

/// The first meaning, if it is shown first, with what its records are worth.
pub(super) fn answer(
    context: &SearchContext,
    plan: &Plan,
    meant: &mut Meant,
    found_as_words: &Found,
) -> Result<Option<Answer>, ApiError> {
    let t = context.t;
    let Some(meaning) = meant.all.first_mut().filter(|_| meant.leads) else {
        return Ok(None);
    };
    let mut answer = Answer::of(meaning);
    let searched = meaning.asked.clone().filter(|_| plan.may_answer(&plan.splits));
    let searched = searched.and_then(|asked| Some((asked.query_in(&context.ask.generation)?, asked)));
    if let Some((query, stated)) = searched {
        let narrowed = Narrowed::of(context, &stated, query)?;
        let (asked, query) = (&narrowed.asked, narrowed.query);
        let Some(found) = found_by(context.ask, asked, &query)? else {
            return Ok(Some(answer));
        };
        if narrowed.is_narrower {
            meaning.narrow(t, asked, found.total);
            answer.href = meaning.href.clone();
        }
        answer.is_empty = found.total == 0;
        answer.sentence = sentence(t, asked.entity_type, &found, parties(context));
        answer.others = others(context, &stated, plan, found_as_words)?;
        answer.first = first_records(&SearchContext { asked, ..*context }, &query, &found)?;
        answer.leaders = leaders(context, asked, (&query, &found))?;
        let leading = answer
            .leaders
            .iter()
            .filter_map(|leaders| leaders.leading)
            .reduce(f64::min);
        answer.values = typical_value(context.ask, t, &query, (&found, leading), asked.with(&BY_VALUE))?;
        answer.years = years(context, asked, &query, &found)?;
        answer.names = narrowed.names;
        answer.doubt = doubt(t, asked, &found);
        let sources = SourceNotes::of(context, &query, &found)?;
        let growth = growth(context.ask, t, asked, &query)?;
        let by_code = by_code(context, asked, &query, found.total)?;
        let share = meant.share.clone().into_iter();
        let asked_for = share
            .chain(growth)
            .chain(days_of_contracts(t, asked))
            .chain(price_note(context))
            .chain(by_code);
        answer.asked_for = asked_for.chain(sources.lacks).collect();
        let others = quality::other_currencies(t, &currencies_of(&found));
        answer.coverage = body_names(t, asked, &context.ask.generation.bodies, &found)
            .into_iter()
            .chain(consortia(t, asked, &found))
            .chain(similar_names(&SearchContext { asked, ..*context }))
            .chain(lacking(context, asked, plan)?)
            .chain(others)
            .chain(sources.coverage)
            .chain(sources.gaps)
            .collect();
    }
    Ok(Some(answer))
}

/// How many of the records that an answer counts are found by their commodity code only. `None` if none is, and if
/// counting them takes too long.
fn by_code(
    context: &SearchContext,
    asked: &SearchAddress,
    query: &SearchQuery,
    total: u64,
) -> Result<Option<String>, ApiError> {
    let Some(by_words) = words_only(query) else {
        return Ok(None);
    };
    let by_words = match context.ask.count(&by_words) {
        Err(Error::Timeout) => return Ok(None),
        counted => counted?,
    };
    let t = context.t;
    let count = total.saturating_sub(by_words);
    let records = t.keyed_with("search-records-", asked.entity_type.name(), &[("count", &count)]);
    Ok((count > 0).then(|| t.with("search-answer-codes", &[("records", &records)])))
}

/// Who comes first, suppliers before buyers unless the words ask for these. If records in doubt are much of the value,
/// those without a doubt decide, and without any of these the number of records.
fn leaders(
    context: &SearchContext,
    asked: &SearchAddress,
    (query, found): (&SearchQuery, &Aggregation),
) -> Result<Vec<Leaders>, ApiError> {
    let in_doubt = !asked.by_number && quality::is_much_in_doubt(&quality_of(found));
    let sound = in_doubt.then(|| found_by(context.ask, asked, &query.clone().without_doubts()));
    let sound = sound.transpose()?.flatten().filter(|sound| sound.total > 0);
    let counted = sound.as_ref().unwrap_or(found);
    let ranked = SearchAddress {
        by_number: asked.by_number || in_doubt && sound.is_none(),
        ..asked.clone()
    };
    let is_of_body = ["municipality", "body"].iter().any(|name| asked.value(name).is_some());
    let of_divisions = is_of_body && context.asks.divisions;
    let context = SearchContext {
        asked: &ranked,
        ..*context
    };
    // The number of all records says more than that of those without a doubt.
    let counted = if ranked.by_number { found } else { counted };
    let mut leaders = Leaders::all(&context, counted, of_divisions);
    if sound.is_some() && !ranked.by_number {
        for leaders in &mut leaders {
            leaders.title = context.t.with("search-leaders-sound", &[("title", &leaders.title)]);
        }
    }
    if context.asks.buyers {
        leaders.reverse();
    }
    Ok(leaders)
}

/// Which days most contracts of other entity types lack, where the search asks for some.
fn lacking(context: &SearchContext, asked: &SearchAddress, plan: &Plan) -> Result<Vec<String>, ApiError> {
    let is_other = |split: &&Split| {
        let of = split.asked.entity_type;
        of != asked.entity_type && CONTRACT_TYPES.contains(&of) && CONTRACT_TYPES.contains(&asked.entity_type)
    };
    let mut notes = Vec::new();
    for split in plan.splits.iter().filter(is_other) {
        notes.extend(without_day(context, &split.query)?);
    }
    Ok(notes)
}

/// The first record of a search whose order the words ask for: its value or its date, and its supplier. `None` for
/// other orders, if it states none, and if finding it takes too long.
fn first_of(context: &SearchContext, asked: &SearchAddress, query: &SearchQuery) -> Result<Option<String>, ApiError> {
    let order = asked.value("sort_by");
    if !matches!(order, Some("value" | "date")) {
        return Ok(None);
    }
    let t = context.t;
    of_first(context.ask, query, |record| {
        let stated = match order {
            Some("value") => t.money(record.dollars()?),
            _ => t.date(record.date(Role::Date)?),
        };
        let supplier = record.texts(Role::Vendor).next().map(shortened);
        let parts: Vec<String> = [stated].into_iter().chain(supplier).collect();
        Some(parts.join(", "))
    })
}

/// In everyday words, what is disclosed and what is awarded are contracts, too. Their value is left out if summing it
/// takes too long.
fn others(
    context: &SearchContext,
    asked: &SearchAddress,
    plan: &Plan,
    found: &Found,
) -> Result<Vec<(String, String)>, ApiError> {
    let is_of_contracts = |of: EntityType| CONTRACT_TYPES.contains(&of);
    if !is_of_contracts(asked.entity_type) {
        return Ok(Vec::new());
    }
    let t = context.t;
    let mut others = Vec::new();
    for (other, query, records) in in_other_types(context, asked, plan, found)? {
        let of = other.entity_type;
        if records == 0 || !is_of_contracts(of) {
            continue;
        }
        let number = t.keyed_with("search-records-", of.name(), &[("count", &records)]);
        let flags = [TermsAggregation::all(Facet::QualityFlag)];
        let counted = match context.ask.aggregate(&query, &flags, ValueAggregation::Sum) {
            Err(Error::Timeout) => None,
            counted => Some(counted?),
        };
        let mut shown = match counted
            .as_ref()
            .and_then(|counted| Some((counted, counted.values.as_ref()?)))
        {
            Some((counted, values)) if values.records_with_value > 0 => {
                worth(t, number, values, (records, sound_value(counted)))
            }
            _ => number,
        };
        if let Some(first) = first_of(context, asked, &query)? {
            shown = t.with("search-answer-others-first", &[("records", &shown), ("first", &first)]);
        }
        others.push((shown, other.address_as_ranked()));
    }
    Ok(others)
}

/// The search of an answer in the other entity types, with the number of its records: as the words say it there, or
/// under the same conditions. None if counting takes too long.
fn in_other_types(
    context: &SearchContext,
    asked: &SearchAddress,
    plan: &Plan,
    found: &Found,
) -> Result<Vec<(SearchAddress, SearchQuery, u64)>, ApiError> {
    let is_asked = |split: &&Split| split.asked.entity_type == asked.entity_type;
    let of_split = plan.splits.iter().find(is_asked);
    if of_split.is_some_and(|split| split.asked.query() == asked.query()) {
        let counted = plan.splits.iter().zip(found.split_counts.iter().copied());
        let others = counted.filter(|(split, _)| !is_asked(split));
        return Ok(others
            .map(|(split, records)| (split.asked.clone(), split.query.clone(), records))
            .collect());
    }
    let is_open = context.asked.stated_kind().is_none();
    let types = CONTRACT_TYPES.iter().filter(|of| is_open && **of != asked.entity_type);
    let of_type = |of: &EntityType| {
        let (other, has_all) = asked.of_other(*of);
        Some((other.query_in(&context.ask.generation).filter(|_| has_all)?, other))
    };
    let (queries, others): (Vec<SearchQuery>, Vec<SearchAddress>) = types.filter_map(of_type).unzip();
    let counts = match context.ask.counts(queries.clone()) {
        Err(Error::Timeout) => return Ok(Vec::new()),
        counts => counts?,
    };
    let others = others.into_iter().zip(queries).zip(counts);
    Ok(others
        .map(|((other, query), records)| (other, query, records))
        .collect())
}
