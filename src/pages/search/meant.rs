//! What the words of a page of results may mean, in the order in which it is shown.

use std::{cmp::Reverse, collections::HashSet, ops::RangeInclusive};

use crate::{
    catalog::suppliers::Party,
    engine::{Error, aggregation::ValueAggregation},
    http::error::ApiError,
    model::{EntityType, fold::fold},
    pages::{
        messages::Texts,
        search::{
            context::SearchContext,
            fewer_words::{MANY_TIMES, with_other_spelling, without_a_word},
            meanings::{self, Meaning},
            notes::names_unknown_city,
            results_query::{Found, Plan},
            search_address::SearchAddress,
            split::{Split, is_by_chance},
            versus::of_compared,
            who_bid::who_bid,
        },
    },
    query::{SearchQuery, Start, translate::is_term},
    question::buyers::is_acronym_alone,
};

/// What the words may mean.
#[derive(Default)]
pub(super) struct Meant {
    pub(super) all: Vec<Meaning>,
    /// Whether the first of them is shown before what the words find as words: these find nothing, or little by chance.
    pub(super) leads: bool,
    /// The share that the words ask for.
    pub(super) share: Option<String>,
}

/// What the words may mean, on the first page. Not what the search asks for already.
pub(super) fn meant(context: &SearchContext, plan: &Plan, found: &Found) -> Result<Meant, ApiError> {
    let (asked, is_first) = (context.asked, plan.search.page.start == Start::Offset(0));
    let Some(text) = asked.value("q").filter(|_| asked.has_words() && is_first) else {
        return Ok(Meant::default());
    };
    let total = found.aggregation.total;
    let Named { buyer, exact, others } = named(context, text)?;
    let (is_buyer, is_exact) = (buyer.is_some(), exact.is_some());
    let split = split_of(context, plan, (text, found));
    let names = or_nothing_in_time(of_names(context, text, split, total))?;
    let is_name = names.are_meant(split, total);
    let leading = split.filter(|(split, records)| names.all.is_empty() && split.leads(*records, total));
    let bidders = or_nothing_in_time(who_bid(context, text))?;
    let has_other = !names.all.is_empty() || leading.is_some() || !bidders.is_empty();
    let few = split
        .map(|(_, records)| records.max(total))
        .filter(|records| FEW.contains(records));
    let Near {
        respelled,
        mut of_places,
        is_in_place,
        is_in_city,
        is_nothing,
    } = Near::of(context, plan, (split, total, few), (has_other, names.all.is_empty()))?;
    let firms_in_city = is_in_city.then(|| of_places.remove(0));
    let shown = split.filter(|(_, records)| *records > 0 || leading.is_some() || is_nothing);
    let of_words = shown.map(|(split, records)| Meaning::of_split(context.t, split, records));
    let of_all = or_nothing_in_time(of_all(context, split))?;
    let share = of_all.as_ref().map(|of_all| of_all.what.clone());
    let has_other = has_other || is_in_city || !of_places.is_empty() || respelled.is_some();
    let finds_nothing = total == 0 && !has_other && split.is_none_or(|(_, records)| records == 0);
    let is_wide = split.is_some_and(|(_, records)| is_wider(records, names.records));
    let wider = of_words.clone().filter(|_| is_wide);
    let mut all: Vec<Meaning> = bidders
        .into_iter()
        .chain(respelled)
        .chain(buyer)
        .chain(wider)
        .chain(names.all)
        .chain(exact)
        .chain(firms_in_city)
        .chain(of_words)
        .chain(of_places)
        .chain(of_all)
        .chain(names.in_names)
        .collect();
    // An exact name leaves out the other conditions of the search.
    let has_answer = total == 0 && !all.is_empty() || leading.is_some() || is_name || is_in_place || is_in_city;
    let leads = is_buyer || has_answer && !is_exact;
    all.extend(others);
    // The buyer of a search is also what its words may mean.
    let mut seen = HashSet::new();
    all.retain(|meaning| seen.insert(meaning.href.clone()));
    let tries_fewer = finds_nothing && (all.is_empty() || split.is_some()) || few.is_some();
    let last = fewer_words(context, split, (tries_fewer, few.unwrap_or_default()))?;
    all.truncate(meanings::ABOVE_RESULTS - usize::from(last.is_some()));
    all.extend(last);
    Ok(Meant { all, leads, share })
}

/// Whether words of one firm find it under names that no rule joins, too. `named`: the records of the names that are
/// joined.
fn is_wider(records: u64, named: u64) -> bool {
    named > 0 && records >= named.saturating_mul(NAME_OF)
}

/// The search with conditions in place of words that finds most, unless a word is the name of an unknown city.
fn split_of<'p>(context: &SearchContext, plan: &'p Plan, (text, found): (&str, &Found)) -> Option<(&'p Split, u64)> {
    let split = found.split.filter(|_| !names_unknown_city(context, text));
    split.map(|(number, records)| (&plan.splits[number], records))
}

/// So few records have all words by chance, if many times as many have all but one, or one in another spelling.
const FEW: RangeInclusive<u64> = 1..=5;

/// The search without one of its words, if it is tried. `found`: how many records all words find.
fn fewer_words(
    context: &SearchContext,
    split: Option<(&Split, u64)>,
    (is_tried, found): (bool, u64),
) -> Result<Option<Meaning>, Error> {
    let fewest = found.saturating_mul(MANY_TIMES);
    let fewer = is_tried.then(|| without_a_word(context, split.map(|(split, _)| split), fewest));
    or_nothing_in_time(fewer.unwrap_or(Ok(None)))
}

/// What the words name.
struct Named {
    /// The body whose acronym they are.
    buyer: Option<Meaning>,
    /// What has exactly these words as its name: "Manitoba Hydro" is a firm before it is a region.
    exact: Option<Meaning>,
    others: Vec<Meaning>,
}

/// The first page after a new index lists all names. If that takes too long, the results do not wait for it.
fn named(context: &SearchContext, text: &str) -> Result<Named, Error> {
    let (asked, limit) = (context.asked, meanings::ABOVE_RESULTS);
    let all = meanings::meanings(context.ask, context.t, text, asked.stated_kind(), limit);
    let mut all = or_nothing_in_time(all)?.into_iter().peekable();
    let is_acronym = is_acronym(asked, text);
    Ok(Named {
        buyer: all.next_if(|meaning| is_acronym && meaning.is_whole_buyer),
        exact: all.next_if(|meaning| fold(&meaning.label) == fold(text)),
        others: all.collect(),
    })
}

/// "STM" is a body before it is a word of titles or of firms' names. Its records do not meet other conditions.
fn is_acronym(asked: &SearchAddress, text: &str) -> bool {
    let has_only_words = asked.conditions().iter().all(|(name, _)| *name == "q");
    has_only_words && is_acronym_alone(text)
}

/// Searches near to that with conditions in place of words.
struct Near {
    respelled: Option<Meaning>,
    of_places: Vec<Meaning>,
    /// Whether the first of these is meant: "déneigement à Laval" is that in the region, if the city has none.
    is_in_place: bool,
    /// Whether the first of these is that of the firms in a city, and meant: "suppliers of Sherbrooke" are more often
    /// there than they sell to the city.
    is_in_city: bool,
    /// Whether a search without records is shown as the answer.
    is_nothing: bool,
}

impl Near {
    /// `few`: how many records there are, if they are few. `has_other`: whether the words mean something else first;
    /// `has_no_name`: whether they name no supplier and no buyer.
    fn of(
        context: &SearchContext,
        plan: &Plan,
        (split, total, few): (Option<(&Split, u64)>, u64, Option<u64>),
        (has_other, has_no_name): (bool, bool),
    ) -> Result<Near, Error> {
        let nothing = split.filter(|(_, records)| *records == 0 && total == 0 && !has_other);
        let respelled = match few.or(nothing.map(|_| 0)) {
            Some(found) => or_nothing_in_time(with_other_spelling(context, &plan.splits, found))?,
            None => None,
        };
        let of_places = or_nothing_in_time(of_other_places(context, split))?;
        // Firms in the city are not what is bought there.
        let has_region = split.is_some_and(|(split, _)| split.of_region.is_some());
        let of_place = of_places
            .first()
            .filter(|_| has_region)
            .map_or(0, |(_, records)| *records);
        let of_firms = split.filter(|(split, _)| split.words.is_empty() && !has_region);
        let in_city = of_places.first().map_or(0, |(_, records)| *records);
        let is_in_city = of_firms.is_some_and(|(_, records)| in_city > 0 && is_by_chance(records, in_city));
        let has_no_split = split.is_some_and(|(_, records)| records == 0);
        let is_nothing = match nothing.filter(|_| respelled.is_none() && of_place == 0) {
            Some((split, _)) => or_nothing_in_time(is_nothing(context, split))?,
            None => false,
        };
        Ok(Near {
            respelled,
            is_in_place: has_no_name && has_no_split && of_place > 0 && of_place >= total,
            is_in_city,
            of_places: of_places.into_iter().map(|(meaning, _)| meaning).collect(),
            is_nothing,
        })
    }
}

/// Whether a search without records is shown as the answer: it has conditions, and other records have its words. If the
/// words are the name of a firm, its page is a better answer.
fn is_nothing(context: &SearchContext, split: &Split) -> Result<bool, Error> {
    if split.conditions.is_empty() || split.words.is_empty() {
        return Ok(!split.conditions.is_empty());
    }
    let suppliers = context.ask.generation.parties(Party::Supplier);
    if suppliers.has_name_from(&split.words) && !is_term(&fold(&split.words)) {
        return Ok(false);
    }
    let words = SearchQuery {
        filters: Vec::new(),
        ..split.query.clone()
    };
    Ok(context.ask.count(&words)? > 0)
}

/// The records of which the words ask for a share, unless there are none.
fn of_all(context: &SearchContext, split: Option<(&Split, u64)>) -> Result<Option<Meaning>, Error> {
    let Some((split, part)) = split else { return Ok(None) };
    let Some(all) = &split.of_all else { return Ok(None) };
    let records = context.ask.count(&all.query)?;
    if records == 0 {
        return Ok(None);
    }
    let of_value = or_nothing_in_time(share_of_value(context, [&split.query, &all.query]))?;
    let (t, of) = (context.t, split.asked.entity_type);
    Ok(Some(Meaning::of_all(t, of, all, (part, records), of_value)))
}

/// How often the share of the value scans records.
pub(super) const SCANS_OF_SHARE: usize = 2;

/// The share that the first search has of the value of the second, both without the records in doubt. `None` where
/// sums make no share.
fn share_of_value(context: &SearchContext, searches: [&SearchQuery; 2]) -> Result<Option<f64>, Error> {
    let mut values = [0.0; 2];
    for (value, query) in values.iter_mut().zip(searches) {
        let sound = query.clone().without_doubts();
        let counted = context.ask.aggregate(&sound, &[], ValueAggregation::Sum)?;
        *value = counted.values.map_or(0.0, |values| values.total_value.dollars());
    }
    let [part, whole] = values;
    Ok((whole > 0.0 && (0.0..=whole).contains(&part)).then(|| part / whole))
}

/// The searches in a region, and of suppliers in a city, instead of the municipality of the same name, and how many
/// records each has: at least one.
fn of_other_places(context: &SearchContext, split: Option<(&Split, u64)>) -> Result<Vec<(Meaning, u64)>, Error> {
    let Some((split, _)) = split else { return Ok(Vec::new()) };
    let t = context.t;
    let region = split.of_region.iter().map(|of| (of, t.text("search-meaning-region")));
    let city = split
        .of_city
        .iter()
        .map(|of| (of, t.text("search-meaning-city-of-firms")));
    let all: Vec<_> = region.chain(city).collect();
    let counts = context
        .ask
        .counts(all.iter().map(|(of, _)| of.query.clone()).collect())?;
    let found = all.into_iter().zip(counts).filter(|(_, records)| *records > 0);
    Ok(found
        .map(|((of, what), records)| (Meaning::of_related(t, what, of, records), records))
        .collect())
}

fn or_nothing_in_time<T: Default>(found: Result<T, Error>) -> Result<T, Error> {
    match found {
        Err(Error::Timeout) => Ok(T::default()),
        found => found,
    }
}

/// The search with conditions in place of words, if the words find something: "2023" is in few texts, and a year. It
/// may find nothing: of "open tenders for salt", the words find closed ones.
pub(super) fn with_conditions(t: Texts, plan: &Plan, found: &Found) -> Option<Meaning> {
    let (number, records) = found.split?;
    let split = &plan.splits[number];
    let is_misread = found.aggregation.total > 0 && !split.conditions.is_empty();
    is_misread.then(|| Meaning::of_split(t, split, records))
}

/// If the words are a name first, one in so many records with them has them in the supplier's name: "déneigement" is in
/// the names of firms, and is a trade.
const NAME_OF: u64 = 2;

/// The fewest suppliers whose names begin with the words, for these to be a part of names.
const SEVERAL: usize = 2;

/// What the words mean if they name suppliers or a buyer.
#[derive(Default)]
struct Names {
    /// The one with most records first, a comparison before.
    all: Vec<Meaning>,
    /// The suppliers that have the words in their names, if the words mean something else first.
    in_names: Option<Meaning>,
    /// How many records the first name has, 0 for a comparison.
    records: u64,
    /// Whether all words that are not conditions are the whole name of a supplier or a buyer.
    is_exact: bool,
}

impl Names {
    /// Whether the first name is shown before what the words find as words: `total` records.
    fn are_meant(&self, split: Option<(&Split, u64)>, total: u64) -> bool {
        let has_years = split.is_some_and(|(split, _)| split.has_years);
        let is_likely = has_years || self.is_exact && self.records > total || is_by_chance(total, self.records);
        self.records > 0 && is_likely
    }
}

/// `total` is what the search for the words finds.
fn of_names(context: &SearchContext, text: &str, split: Option<(&Split, u64)>, total: u64) -> Result<Names, Error> {
    let (ask, t, asked) = (context.ask, context.t, context.asked);
    let compared = of_compared(context, text, total)?;
    let mut named = Vec::new();
    let (part, searched) = match split {
        Some((split, records)) => {
            named.extend(Meaning::of_named(ask, t, split)?);
            // With its other names, one supplier is a meaning of its own, but not with conditions.
            let fewest = if split.conditions.is_empty() { SEVERAL } else { 1 };
            let part = Meaning::of_part(ask, t, (&split.asked, &split.words), (&split.wanted, fewest), |name| {
                split.label(name)
            })?;
            (part, records)
        }
        None => {
            let wanted: Vec<EntityType> = asked.stated_kind().into_iter().collect();
            let part = Meaning::of_part(ask, t, (asked, text), (&wanted, SEVERAL), str::to_owned)?;
            (part.filter(|(_, records)| *records != total), total)
        }
    };
    let of_words = split.map_or(text, |(split, _)| split.words.as_str());
    // "Qui vend des pneus" asks for a thing, which is in the names of firms, too; "who got paving" if that is known.
    let asks_for_thing = context.asks.sellers || context.asks.winners && is_term(&fold(of_words));
    let is_thing = asks_for_thing && !of_words.contains(char::is_uppercase) && searched > 0;
    let is_exact = !named.is_empty();
    let is_name = |(_, records): &(Meaning, u64)| !is_thing && records.saturating_mul(NAME_OF) >= searched;
    let (first, in_names) = match part {
        Some(part) if is_name(&part) => (Some(part), None),
        part => (None, part),
    };
    named.extend(first);
    named.sort_by_key(|(_, records)| Reverse(*records));
    let most = named.first().filter(|_| compared.is_empty());
    let most = most.map_or(0, |(_, records)| *records);
    let named = named.into_iter().map(|(meaning, _)| meaning);
    Ok(Names {
        all: compared.into_iter().chain(named).collect(),
        in_names: in_names.map(|(meaning, _)| meaning),
        records: most,
        is_exact,
    })
}
