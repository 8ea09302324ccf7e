//! What the engine is asked for a page of results, and what it finds.
//!
//! One aggregation gives the total, the sentence, the facets and the charts; then one page of records is read. Without
//! any match, the searches without one condition each take the place of the facets, so that a page costs what its
//! search and its facets cost in the API, whatever it finds.

use bytes::Bytes;

use crate::{
    api::{
        analysis::{commodity::most_records, coverage::is_selection, figures::FigurePlan},
        params::{include::Include, paging::MAX_OFFSET, resolve::ResolvedSearch},
    },
    catalog::{ask::Ask, generation::Generation},
    engine::{
        Error,
        aggregation::{Aggregation, TermsAggregation},
    },
    http::error::ApiError,
    model::{EntityType, Facet, Record, Role, Schema},
    pages::search::{
        answer_figures::{finds_median, has_bodies},
        facets::{self, ActiveFacet, Choices, ShownFacet},
        other_type::Other,
        search_address::SearchAddress,
        split::Split,
    },
    query::{Order, Page, Position, SearchQuery, Sort, Start, cursor::Cursor, text::WordsIn},
    question::{asks::Asks, buyers::is_acronym_alone},
};

mod cost;

/// The searches of a page, ready to run.
pub(crate) struct Plan {
    pub(crate) asked: SearchAddress,
    pub(crate) search: ResolvedSearch,
    /// What its words ask for.
    pub(crate) asks: Asks,
    figures: FigurePlan,
    others: Vec<Other>,
    /// The same search without the records that only their codes find, if there are such codes.
    words_only: Option<SearchQuery>,
    /// The same search without the records that have one of the words only in a name, if it has words.
    in_purchase: Option<SearchQuery>,
    /// On the first page, the same search with conditions in place of words. Equal for whichever entity type the page
    /// shows.
    pub(crate) splits: Vec<Split>,
    active: Vec<ActiveFacet>,
}

/// What was found.
pub(crate) struct Found {
    pub(crate) aggregation: Aggregation,
    pub(crate) records: Vec<Bytes>,
    pub(crate) pages: Pages,
    /// The number of records in each entity type of [`Plan::others`].
    pub(crate) other_counts: Vec<(SearchAddress, Option<u64>)>,
    /// The number of records that only their codes find.
    pub(crate) by_code: u64,
    /// The number of records that have one of the words only in a name; 0 if counting them took too long.
    pub(crate) by_name: u64,
    /// Which of [`Plan::splits`] has most records, and how many; `None` without any, or if counting them took too long.
    pub(crate) split: Option<(usize, u64)>,
    /// How many each of [`Plan::splits`] has; empty if counting them took too long.
    pub(crate) split_counts: Vec<u64>,
    /// The values that can be added to the active ones of a facet.
    pub(crate) choices: Vec<Choices>,
}

/// The addresses of the pages before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pages {
    /// `None` on the first page.
    pub(crate) first: Option<String>,
    pub(crate) previous: Option<String>,
    pub(crate) next: Option<String>,
    /// Whether there are more records than can be skipped, in an order without cursors.
    pub(crate) is_end: bool,
}

/// So many times as many records of a selection come before whole ones.
const FEW_OF_SELECTED: u64 = 4;

impl Plan {
    /// The plan for a search and for the same search in the other entity types.
    pub(super) fn new(
        asked: SearchAddress,
        search: ResolvedSearch,
        others: Vec<Other>,
        generation: &Generation,
    ) -> Plan {
        Plan {
            asks: asked.value("q").map(Asks::of).unwrap_or_default(),
            figures: figures(asked.entity_type, asked.by_name, finds_median(&search.query)),
            others,
            words_only: words_only(&search.query),
            in_purchase: in_purchase(&search.query),
            splits: Vec::new(),
            active: ActiveFacet::all(&asked, generation),
            search,
            asked,
        }
    }

    pub(crate) fn run(&self, ask: &Ask) -> Result<Found, ApiError> {
        let search = &self.search;
        let aggregation = self.figures.run(ask, &search.query)?.counted;
        let mut other_counts = Vec::new();
        for other in &self.others {
            let count = other.query.as_ref().map(|query| ask.count(query)).transpose()?;
            other_counts.push((other.asked.clone(), count));
        }
        let by_words = self.words_only.as_ref().map(|query| ask.count(query)).transpose()?;
        let by_code = by_words.map_or(0, |by_words| aggregation.total.saturating_sub(by_words));
        // The results do not wait for what is only suggested.
        let suggested = |queries: Vec<SearchQuery>| match ask.counts(queries) {
            Err(Error::Timeout) => Ok(None),
            counts => counts.map(Some),
        };
        let splits = suggested(self.splits.iter().map(|split| split.query.clone()).collect())?;
        let split = splits.as_ref().and_then(|counts| self.most(&ask.generation, counts));
        let split_counts = splits.unwrap_or_default();
        let in_purchase = suggested(self.in_purchase.iter().cloned().collect())?;
        let in_purchase = in_purchase.and_then(|counts| counts.first().copied());
        let by_name = in_purchase.map_or(0, |count| aggregation.total.saturating_sub(count));
        let choices = self.active.iter().map(|active| active.run(&self.asked, ask));
        let choices = choices.collect::<Result<Vec<Choices>, ApiError>>()?;
        if aggregation.total == 0 {
            return Ok(Found {
                aggregation,
                records: Vec::new(),
                pages: Pages::default(),
                other_counts,
                by_code,
                by_name,
                split,
                split_counts,
                choices,
            });
        }
        let hits = ask.search(&search.query, &search.page)?;
        let mut pages = self.pages(aggregation.total, hits.records.len() as u64);
        if let Some(position) = hits.next {
            pages.next = Some(self.at_cursor(position));
        }
        if matches!(search.page.start, Start::After(_)) {
            pages.previous = self.previous(ask, hits.records.first())?;
        }
        Ok(Found {
            aggregation,
            records: hits.records,
            pages,
            other_counts,
            by_code,
            by_name,
            split,
            split_counts,
            choices,
        })
    }

    /// Whether it is charged for what an answer counts.
    pub(super) fn may_answer(&self, splits: &[Split]) -> bool {
        let is_buyer = is_first(&self.search) && self.asked.value("q").is_some_and(is_acronym_alone);
        is_buyer || !splits.is_empty()
    }

    /// Which of the splits has most records, and how many. If none has any: that of the entity type that its buyer has
    /// most of, or the level of government, else of the one that is shown. Contracts come before disclosures that are
    /// only a selection, unless they are few next to these.
    fn most(&self, generation: &Generation, counts: &[u64]) -> Option<(usize, u64)> {
        let types = || self.splits.iter().map(|split| split.asked.entity_type);
        let records = || types().zip(counts.iter().copied());
        let of = |wanted: EntityType| {
            records()
                .find(|(of, _)| *of == wanted)
                .map_or(0, |(_, records)| records)
        };
        let are_enough = of(EntityType::Contract).saturating_mul(FEW_OF_SELECTED) >= of(EntityType::Disclosure);
        let is_left_out = |of: EntityType| {
            of == EntityType::Disclosure && are_enough && is_selection(generation, EntityType::Disclosure)
        };
        let most = most_records(records().filter(|(of, _)| !is_left_out(*of)));
        let of_buyer = self.splits.iter().find_map(|split| split.of_buyer);
        let of_buyer = of_buyer.filter(|of| types().any(|one| one == *of));
        let of_level = self.splits.iter().find_map(|split| split.asked.value("level"));
        let of_level = of_level.and_then(|level| of_most_at(generation, level, types()));
        let shown = most.or(of_buyer).or(of_level).unwrap_or(self.asked.entity_type);
        let number = types().position(|of| of == shown).unwrap_or_default();
        counts.get(number).map(|records| (number, *records))
    }

    /// The pages of a search that skips records, as those by value and by relevance do.
    fn pages(&self, total: u64, shown: u64) -> Pages {
        let first = || Some(self.asked.address());
        let Start::Offset(offset) = self.search.page.start else {
            return Pages {
                first: first(),
                ..Pages::default()
            };
        };
        let (offset, limit) = (offset as u64, self.search.page.limit as u64);
        let at = |offset: u64| match offset {
            0 => self.asked.address(),
            _ => self.asked.page_at("offset", &offset.to_string()),
        };
        let after = offset + shown;
        let has_more = shown > 0 && after < total;
        let can_skip = after <= MAX_OFFSET;
        Pages {
            first: (offset > 0).then(first).flatten(),
            previous: (offset > 0).then(|| at(offset.saturating_sub(limit))),
            next: (has_more && can_skip).then(|| at(after)),
            is_end: has_more && !can_skip && !self.search.query.sort.key.has_positions(),
        }
    }

    fn at_cursor(&self, position: Position) -> String {
        let cursor = Cursor::new(&self.search.query, position).encode();
        self.asked.page_at("cursor", &cursor)
    }

    /// The page before one that starts at a cursor: reads backwards from its first record. `None` where there is no way
    /// back but the first page: the order of records without a date cannot be reversed.
    fn previous(&self, ask: &Ask, first: Option<&Bytes>) -> Result<Option<String>, ApiError> {
        let query = &self.search.query;
        let position = |record: &Bytes| position(query, record);
        let Some(start) = first.and_then(position) else {
            return Ok(None);
        };
        let order = match query.sort.order {
            Order::Asc => Order::Desc,
            Order::Desc => Order::Asc,
        };
        let reversed = SearchQuery {
            sort: Sort { order, ..query.sort },
            ..query.clone()
        };
        let limit = self.search.page.limit;
        let page = Page {
            limit: limit + 1,
            start: Start::After(start),
        };
        let before = ask.search(&reversed, &page)?.records;
        // The last one is the record that the previous page starts after.
        let previous = before.get(limit).and_then(position);
        Ok(Some(match previous {
            Some(position) => self.at_cursor(position),
            None => self.asked.address(),
        }))
    }
}

/// The entity type with most records of a level of government.
fn of_most_at(generation: &Generation, level: &str, types: impl Iterator<Item = EntityType>) -> Option<EntityType> {
    let records = |of: EntityType| {
        let rows = generation.manifest_of(of).coverage.iter();
        let of_level = rows.filter(|row| row.government_level.as_deref() == Some(level));
        of_level.map(|row| row.records).sum::<u64>()
    };
    most_records(types.map(|of| (of, records(of))))
}

pub(super) fn is_first(search: &ResolvedSearch) -> bool {
    search.page.start == Start::Offset(0)
}

/// The same search without codes; `None` if it has none.
pub(super) fn words_only(query: &SearchQuery) -> Option<SearchQuery> {
    let text = query
        .text
        .as_ref()
        .filter(|text| text.codes().is_some_and(|codes| !codes.is_empty()))?;
    Some(SearchQuery {
        text: Some(text.words_only()),
        ..query.clone()
    })
}

/// The same search in what states the purchase; `None` without words, and if they are in a certain place already.
pub(super) fn in_purchase(query: &SearchQuery) -> Option<SearchQuery> {
    where_words_are(query, WordsIn::Stated)
}

/// The same search with its words in a certain place; `None` without words, and if they are in one already.
pub(super) fn where_words_are(query: &SearchQuery, words_in: WordsIn) -> Option<SearchQuery> {
    let text = query.text.as_ref();
    let text = text.filter(|text| text.words_in() == WordsIn::Anywhere)?;
    Some(SearchQuery {
        text: Some(text.clone().within(words_in)),
        ..query.clone()
    })
}

/// What is counted of the matches: the facets of the page, the bodies of buyers unless each name is ranked for itself,
/// and the currencies of the values.
fn figures(entity_type: EntityType, by_name: bool, finds_median: bool) -> FigurePlan {
    let schema = Schema::of(entity_type);
    let shown = facets::of(schema);
    let terms = shown.iter().map(ShownFacet::terms);
    let bodies = has_bodies(schema, by_name).then(|| TermsAggregation::all(Facet::Body));
    let include = Include {
        currencies: schema.has_role(Role::Value),
        ..Include::default()
    };
    let plan = FigurePlan::new(terms.chain(bodies).collect(), include).charging_total();
    if finds_median { plan.with_percentiles() } else { plan }
}

/// The position of a record in the order of a search; `None` if it has no date to sort by.
fn position(query: &SearchQuery, record: &Bytes) -> Option<Position> {
    let record = Record::parse(Schema::of(query.entity_type), record).ok()?;
    let role = query.sort.key.date_role()?;
    Some(Position {
        key: Some(record.date(role)?),
        record_id: record.id().to_owned(),
    })
}
