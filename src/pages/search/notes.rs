//! What a page of results says next to its total: which years are covered, which open tenders are closed, and how many
//! rows its file has.

use std::{cmp::Reverse, ops::Range};

use crate::{
    api::{
        analysis::{
            coverage::{places_of, sources_among, sources_of, sources_of_places, without_days},
            quality::quality_of,
        },
        params::search::IN_STATED_PURCHASE,
    },
    catalog::{
        generation::{Generation, RecordPart, SourceCoverage},
        suppliers::Party,
    },
    engine::aggregation::Aggregation,
    http::error::ApiError,
    model::{Date, EntityType, Facet, Language, Role, Schema, body_names, municipality, vocabulary::NO_QUALITY_FLAG},
    pages::{
        coverage_note::{asked_years, coverage_note, covered_years},
        messages::Texts,
        periods::years_between,
        quality::{self, TotalDoubt},
        search::{
            context::SearchContext,
            lacking::{newest_call, no_records_of_type, without_city, without_country, without_day, without_method},
            search_address::SearchAddress,
        },
    },
    query::{Filter, SearchQuery, text::WordsIn, translate::is_function_word},
    question::{
        asks::PriceAsked,
        buyers::{is_acronym_in_text, of_other_saint},
        places::{CITY_WORDS, firms_of_place},
        reading::subject_of_question,
        words::{Word, joined, ranges, without_marks, words},
    },
};

/// What the sources of the matches have; without any match, the sources that would have some.
#[derive(Default)]
pub(super) struct SourceNotes {
    /// That they have nothing of what is asked for: no record of the type, or none with the day.
    pub(super) lacks: Vec<String>,
    /// Which years they cover.
    pub(super) coverage: Option<String>,
    /// What the search cannot find in them.
    pub(super) gaps: Vec<String>,
}

impl SourceNotes {
    pub(super) fn of(context: &SearchContext, query: &SearchQuery, found: &Aggregation) -> Result<Self, ApiError> {
        let generation = &context.ask.generation;
        let asked = asked_years(query).map(|asked| until_today(asked, context.today));
        let undated_search = match (found.total, asked) {
            (0, Some(_)) => without_days(context.ask, query)?,
            _ => None,
        };
        let sources = match (found.total, &undated_search) {
            (0, Some(of_all_years)) => sources_among(generation, query, of_all_years),
            (0, None) => sources_of_places(generation, query),
            _ => sources_of(generation, query.entity_type, found.facets.get(&Facet::Municipality)),
        };
        let newest = newest_call(context, query)?;
        // The day of the newest file is not that of the newest call.
        let without_day_of_file = |source: &&SourceCoverage| SourceCoverage {
            until: source.until.clone().filter(|_| newest.is_none()),
            ..(*source).clone()
        };
        let described: Vec<SourceCoverage> = sources.iter().map(without_day_of_file).collect();
        let described: Vec<&SourceCoverage> = described.iter().collect();
        let coverage = coverage_note(context.t, query.entity_type, &described, asked);
        let undated = undated(context.t, query, found);
        let without_day = without_day(context, query)?;
        let without_method = without_method(context, query)?;
        let without_country = without_country(context, query)?;
        let of_place = of_place(context, query, &sources).filter(|_| undated.is_none());
        let other_years = undated_search.and_then(|found| other_years(context.t, query, &found));
        let sentences: Vec<String> = coverage.into_iter().chain(of_place).chain(other_years).collect();
        Ok(SourceNotes {
            lacks: no_records_of_type(context).into_iter().chain(without_day).collect(),
            coverage: (!sentences.is_empty()).then(|| sentences.join(" ")),
            gaps: gaps(context, query, &sources)
                .into_iter()
                .chain(undated)
                .chain(without_method)
                .chain(without_country)
                .chain(without_city(context.t, query))
                .chain(newest)
                .collect(),
        })
    }
}

impl SourceNotes {
    /// What they lack, and what the search cannot find in them.
    pub(super) fn all(self) -> impl Iterator<Item = String> {
        self.lacks.into_iter().chain(self.gaps)
    }
}

/// What a search finds in other years, if it finds nothing in those that it asks for: a source may cover a year, but
/// not all of its buyers.
fn other_years(t: Texts, query: &SearchQuery, of_all_years: &Aggregation) -> Option<String> {
    let records = t.keyed_with(
        "search-records-",
        query.entity_type.name(),
        &[("count", &of_all_years.total)],
    );
    let years = years_between(of_all_years.earliest_date, of_all_years.latest_date)?;
    (of_all_years.total > 0).then(|| t.with("search-other-years", &[("records", &records), ("years", &years)]))
}

/// That most of the matches have no date: what else is said of years is about few of them.
fn undated(t: Texts, query: &SearchQuery, found: &Aggregation) -> Option<String> {
    let years = found.facets.get(&Facet::Year)?;
    let dated: u64 = years.buckets.iter().map(|bucket| bucket.count).sum();
    let without = found.total.saturating_sub(dated);
    (without > dated && without > 1).then(|| undated_note(t, query.entity_type, (without, found.total)))
}

/// How many of the records have no date.
pub(super) fn undated_note(t: Texts, of: EntityType, (without, records): (u64, u64)) -> String {
    let kind = t.keyed("sources-row-kind-", of.name());
    t.with(
        "search-undated",
        &[("without", &without), ("records", &records), ("kind", &kind)],
    )
}

/// The years of all records of the place that the search is limited to, if its sources cover others: a source of a
/// province has each of its places in some years only.
fn of_place(context: &SearchContext, query: &SearchQuery, sources: &[&SourceCoverage]) -> Option<String> {
    let mut places = places_of(query);
    let (slug, None) = (places.next()?, places.next()) else {
        return None;
    };
    let place = context.ask.generation.manifest_of(query.entity_type).place(slug)?;
    let [first, last] = [&place.earliest_date, &place.latest_date].map(|day| Date::parse(day.as_deref()?).ok());
    let years = first?.year()..=last?.year();
    if covered_years(sources).iter().all(|year| years.contains(year)) {
        return None;
    }
    let t = context.t;
    let years = years_between(first, last)?;
    let kind = t.keyed("sources-row-kind-", query.entity_type.name());
    let name = context.place(slug);
    Some(t.with(
        "coverage-of-place",
        &[("place", &name), ("kind", &kind), ("years", &years)],
    ))
}

/// That no source has the purchases of a city or a public body among the words, and who took over a part of the body.
/// Where the words find a purchase, a city is a word of it; a body is who sells it.
///
/// `in_purchase`: how many records have the words in the purchase.
pub(super) fn unknown_buyer(context: &SearchContext, in_purchase: u64) -> Option<String> {
    let generation = &context.ask.generation;
    let about = subject_of_question(context.asked.value("q")?, generation.parties(Party::Supplier))?;
    let written = words(&about);
    let mut all = ranges(&written);
    all.sort_by_key(|(_, range)| Reverse(range.len()));
    let t = context.t;
    let text = joined(&written);
    let of_city = |folded: &str| {
        // Firms in a city need no purchases of it.
        let is_of_firms = firms_of_place(&text, [folded, folded]).is_some();
        let is_free = in_purchase == 0 && !is_of_firms && !is_part_of_body(generation, folded);
        unknown_city(generation, t, folded).filter(|_| is_free)
    };
    // The longest name decides: "Halifax" is unknown where "Halifax Water" has purchases.
    let (folded, (is_known, name)) = all.into_iter().find_map(|(folded, range)| {
        let found = unknown_body(generation, &written[range], &folded).or_else(|| of_city(&folded))?;
        Some((folded, found))
    })?;
    let note = || t.with("search-unknown-buyer", &[("place", &name)]);
    (!is_known).then(|| {
        let successors = successors(generation, t, &folded).into_iter();
        std::iter::once(note()).chain(successors).collect::<Vec<_>>().join(" ")
    })
}

/// Whether the words name a city as a buyer whose purchases no source has: "City of Hamilton". Its name may be a word
/// of other purchases.
pub(super) fn names_unknown_city(context: &SearchContext, text: &str) -> bool {
    let generation = &context.ask.generation;
    let written = words(text);
    let is_unknown = |(folded, range): (String, Range<usize>)| {
        let mut before = written[..range.start].iter().rev();
        let is_after_form = before.next().is_some_and(|(_, folded)| is_function_word(folded))
            && before
                .next()
                .is_some_and(|(_, folded)| CITY_WORDS.contains(&folded.as_str()));
        is_after_form
            && !is_part_of_body(generation, &folded)
            && unknown_city(generation, context.t, &folded).is_some_and(|(is_known, _)| !is_known)
    };
    ranges(&written).into_iter().any(is_unknown)
}

/// That words ask for prices per unit, or for the price of one thing, which are not published.
pub(super) fn price_note(context: &SearchContext) -> Option<String> {
    let key = match context.asks.price? {
        PriceAsked::OfPiece => "search-piece-price",
        PriceAsked::OfUnit => "search-unit-price",
    };
    Some(context.t.text(key))
}

/// That no condition says what words for set-asides ask for.
pub(super) fn set_aside(context: &SearchContext) -> Option<String> {
    context.asks.set_aside.then(|| context.t.text("search-set-aside"))
}

/// Which bodies with purchases took over a part of a former one.
fn successors(generation: &Generation, t: Texts, folded: &str) -> Option<String> {
    let with_names = |names: &[String]| names.iter().find_map(|name| generation.bodies.with_name(name));
    let bodies = body_names::successors(folded).filter_map(with_names);
    let names: Vec<String> = bodies.map(|body| body.name_in(t.language()).to_owned()).collect();
    (!names.is_empty()).then(|| t.with("search-unknown-buyer-successors", &[("names", &names.join("; "))]))
}

/// Whether a city has records, and its name. `None` for words that name no city.
fn unknown_city(generation: &Generation, t: Texts, folded: &str) -> Option<(bool, String)> {
    let city = municipality::named_cities(folded).first()?;
    let has = |of| generation.manifest_of(of).place(&city.slug).is_some();
    let is_known = EntityType::ALL.into_iter().any(has);
    let name = city.own_names().nth(usize::from(t.language() == Language::English))?;
    Some((is_known, name.to_owned()))
}

/// The same of a public body in the table of names.
fn unknown_body(generation: &Generation, written: &[Word], folded: &str) -> Option<(bool, String)> {
    let is_name = folded.contains(' ') || written.iter().all(is_acronym_in_text);
    let names = Some(body_names::all_names([folded])).filter(|names| is_name && !names.is_empty())?;
    let bodies = &generation.bodies;
    let is_known = is_part_of_body(generation, folded) || names.iter().any(|name| bodies.find_name(name).is_some());
    Some((is_known, without_marks(written)))
}

/// Whether several folded words are in the name of a body with records: "Hydro-Québec Distribution", "CHU Ste-Justine".
fn is_part_of_body(generation: &Generation, folded: &str) -> bool {
    let is_part = |name: &str| name.contains(' ') && !generation.bodies.containing(name).is_empty();
    is_part(folded) || of_other_saint(folded).is_some_and(|name| is_part(&name))
}

/// At least one in so many records lacks something until it is said.
const GAP_OF: u64 = 20;

/// Which of the records have a word only in a name, or that these are left out.
pub(super) struct NamesNote {
    pub(super) sentence: String,
    /// The search without these records, or with them if they are left out.
    pub(super) link: Option<(String, String)>,
}

/// Whether so many of the records have a word only in a name that it is said.
pub(super) fn is_much(by_name: u64, total: u64) -> bool {
    by_name > 0 && by_name.saturating_mul(GAP_OF) >= total
}

impl NamesNote {
    /// Adds that some of the records are found by the name of the supplier only, so those of other firms may be
    /// missing; in place of the sentence if it is about the same records.
    pub(super) fn with_firms(self, t: Texts, by_supplier: u64, are_all: bool) -> NamesNote {
        if by_supplier == 0 {
            return self;
        }
        let of_firms = t.with("search-names-of-firms", &[("count", &by_supplier)]);
        let sentence = if are_all {
            of_firms
        } else {
            format!("{} {of_firms}", self.sentence)
        };
        NamesNote { sentence, ..self }
    }

    /// That further records have a word only in a name, of a buyer or of anybody; `asked` finds all.
    pub(super) fn of_further(
        t: Texts,
        asked: &SearchAddress,
        query: &SearchQuery,
        (words_in, by_name): (WordsIn, u64),
    ) -> NamesNote {
        let text = match words_in {
            WordsIn::PurchaseOrVendor => "search-names-further-of-buyers",
            _ => "search-names-further",
        };
        let records = t.keyed_with("search-records-", query.entity_type.name(), &[("count", &by_name)]);
        NamesNote {
            sentence: t.with(text, &[("records", &records)]),
            link: Some((t.text("search-names-with"), asked.address_as_ranked())),
        }
    }

    /// `by_name`: how many of the records have one of the words only in a name. `None` if they are few; and if they are
    /// all, unless the words are also those of a commodity code: "KPMG" is looked for in names.
    pub(super) fn of(
        t: Texts,
        asked: &SearchAddress,
        query: &SearchQuery,
        total: u64,
        by_name: u64,
    ) -> Option<NamesNote> {
        let text = query.text.as_ref()?;
        let left_out = match text.words_in() {
            WordsIn::Anywhere => None,
            WordsIn::Purchase => Some("search-names-left-out"),
            WordsIn::PurchaseOrVendor => Some("search-names-left-out-of-buyers"),
            WordsIn::Stated => Some("search-names-left-out-stated"),
        };
        if let Some(left_out) = left_out {
            return Some(NamesNote {
                sentence: t.text(left_out),
                link: Some((t.text("search-names-with"), asked.dropping(&["q_in"]).address())),
            });
        }
        let is_trade = text.codes().is_some_and(|codes| !codes.is_empty());
        let in_purchase = total.saturating_sub(by_name);
        let is_much = is_much(by_name, total);
        let kind = t.keyed("sources-row-kind-", query.entity_type.name());
        (is_much && (in_purchase > 0 || is_trade)).then(|| NamesNote {
            sentence: if in_purchase > 0 {
                t.with(
                    "search-names-only",
                    &[("count", &by_name), ("records", &total), ("kind", &kind)],
                )
            } else {
                t.text("search-names-only-all")
            },
            link: (in_purchase > 0).then(|| {
                let label = t.with("search-names-without", &[("count", &in_purchase)]);
                (label, asked.with(&[("q_in", IN_STATED_PURCHASE)]))
            }),
        })
    }
}

/// Words are not found in records without a title, and years not in those without a date.
fn gaps(context: &SearchContext, query: &SearchQuery, sources: &[&SourceCoverage]) -> Vec<String> {
    let part = context.ask.generation.manifest_of(query.entity_type);
    let is_asked = |id: &str| sources.iter().any(|source| source.source_id == id);
    let all = part.sources.iter().filter(|source| is_asked(&source.source_id));
    let records: u64 = all.map(|source| source.records).sum();
    let kind = context.t.keyed("sources-row-kind-", query.entity_type.name());
    let gaps = [
        (RecordPart::Subject, "search-gap-words", query.text.is_some()),
        (RecordPart::Date, "search-gap-days", asked_years(query).is_some()),
    ];
    let gap = |(stated, text, is_searched): (RecordPart, &str, bool)| {
        let contents = |id: &str| part.contents.iter().find(|contents| contents.source_id == id);
        let of_source = |source: &&SourceCoverage| contents(&source.source_id)?.parts.get(&stated);
        let with: Option<u64> = sources.iter().map(of_source).sum();
        let without = records.saturating_sub(with.filter(|_| is_searched)?);
        let is_much = without > 0 && without.saturating_mul(GAP_OF) >= records;
        is_much.then(|| {
            context
                .t
                .with(text, &[("without", &without), ("records", &records), ("kind", &kind)])
        })
    };
    gaps.into_iter().filter_map(gap).collect()
}

/// Years to come are not asked for, unless nothing else is: a fiscal year ends in the next one.
fn until_today((from, to): (Option<i32>, Option<i32>), today: Date) -> (Option<i32>, Option<i32>) {
    let this_year = today.year();
    let has_begun = from.is_none_or(|from| from <= this_year);
    (from, to.map(|to| if has_begun { to.min(this_year) } else { to }))
}

/// The search for what takes bids today, where publishers say "open" after the last day. `None` where the search states
/// a closing day itself.
pub(super) fn still_open(asked: &SearchAddress, query: &SearchQuery, today: Date) -> Option<String> {
    let is_open = asked
        .value("status")
        .is_some_and(|status| status.eq_ignore_ascii_case("open"));
    let is_closing = |filter: &Filter| {
        matches!(
            filter,
            Filter::Dates {
                role: Role::ClosingDate,
                ..
            }
        )
    };
    let has_days = query.filters.iter().any(is_closing);
    let has_closing = Schema::of(asked.entity_type).has_role(Role::ClosingDate);
    (is_open && has_closing && !has_days).then(|| asked.with(&[("closing_after", &today.to_string())]))
}

/// How much of the total is doubtful. Not where the search is about records with or without a flag.
pub(super) fn doubt(t: Texts, asked: &SearchAddress, found: &Aggregation) -> Option<TotalDoubt> {
    if asked.value("quality_flag").is_some() {
        return None;
    }
    let without = asked.with(&[("quality_flag", NO_QUALITY_FLAG)]);
    quality::total_doubt(t, &quality_of(found), Some(without))
}

/// How many of the rows the CSV has, and where all are.
pub(super) fn csv_note(context: &SearchContext, total: u64, rows: u64) -> Option<String> {
    let t = context.t;
    match total {
        0 => None,
        total if total <= rows => Some(t.with("exports-rows-all", &[("count", &total)])),
        _ => Some(t.with("exports-rows-cut", &[("rows", &rows), ("total", &total)])),
    }
}
