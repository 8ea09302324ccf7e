//! The scan engine: looks at every record for every query, sorts all matches, and takes a slice.
//!
//! [`procure::engine::tantivy`] must agree with it. The two share how a record is read (keys,
//! dates, values) and the folding. They share nothing of the index: no postings, no columns.

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
    slice,
    sync::{Arc, Mutex, OnceLock},
};

use bytes::Bytes;
use procure::{
    engine::{
        Deadline, Engine, Error, Hits, MAX_PAGE_BYTES,
        aggregation::{Aggregation, TermsAggregation, ValueAggregation},
        market_counts::MarketCounts,
        names::{NamesPage, ResolvedName},
        near_words::NearWord,
        similarity::{self, SimilarRecord, select_query_terms},
    },
    model::{
        date::Date,
        entity_type::EntityType,
        facet::Facet,
        fold::word_list,
        record::Record,
        schema::{Role, Schema},
        stem,
    },
    query::{
        Filter, Order, Page, Position, SearchQuery, Sort, SortKey, Start,
        text::{Clause, Term, WordsIn},
    },
};

use crate::{
    scan_counts::{self, Collection, Parsed},
    scan_relevance,
};

pub struct ScanEngine<'a> {
    records: &'a [(EntityType, String)],
    all: Collection<'a>,
    /// The words of each text of a record that `q` searches.
    texts: Vec<Vec<Vec<String>>>,
    /// The words that a record has only in the names of those who sell and buy, and only in those who buy.
    names_only: Vec<[HashSet<String>; 3]>,
    vocabularies: BTreeMap<EntityType, BTreeMap<String, u64>>,
    /// The words that match a word of an earlier query, by entity type, because finding them stems every word of the
    /// records.
    known_forms: Mutex<KnownForms>,
    /// The last query with all its hits in order: a page is a part of them.
    last: Mutex<Option<(SearchQuery, Arc<Vec<Hit>>)>>,
    /// The last list of names, of which a page is a part.
    last_names: Mutex<Option<(NamesQuery, NamesPage)>>,
    /// By entity type, once a query needs them.
    terms_of_records: [OnceLock<Vec<TermsOfRecord>>; EntityType::ALL.len()],
}

/// Entity types, facet and part of the names of a list.
type NamesQuery = (Vec<EntityType>, Facet, String);

/// The number of a record, and its similarity terms.
type TermsOfRecord = (usize, HashSet<String>);

/// By entity type and word of a query.
type KnownForms = HashMap<(EntityType, String), Arc<BTreeSet<String>>>;

/// What a hit is sorted by, and the number of its record.
type Hit = (SortValues, usize);

/// For each word of a query, the words of the records that match it.
type Forms<'q> = HashMap<&'q str, Arc<BTreeSet<String>>>;

/// What a record is sorted by: its key, if it has one, and its id.
#[derive(Clone)]
struct SortValues {
    key: Option<f64>,
    record_id: String,
}

impl<'a> ScanEngine<'a> {
    pub fn new(records: &'a [(EntityType, String)]) -> ScanEngine<'a> {
        let all = Collection::new(records);
        let texts = |record: &Parsed| record.texts(Role::Text).map(word_list).collect();
        let vocabulary = |of| (of, scan_relevance::vocabulary(&all.records, of));
        ScanEngine {
            records,
            texts: all.records.iter().map(texts).collect(),
            names_only: all.records.iter().map(|record| names_only(record)).collect(),
            vocabularies: EntityType::ALL.into_iter().map(vocabulary).collect(),
            all,
            known_forms: Mutex::default(),
            last: Mutex::default(),
            last_names: Mutex::default(),
            terms_of_records: Default::default(),
        }
    }

    /// The words of the records of an entity type that match a word.
    fn forms_of(&self, entity_type: EntityType, asked: &str) -> Arc<BTreeSet<String>> {
        let mut known = self.known_forms.lock().unwrap();
        let forms = known.entry((entity_type, asked.to_owned())).or_insert_with(|| {
            let stored = self.vocabularies[&entity_type].keys();
            let matching = stored.filter(|stored| stem::words_match(asked, stored));
            Arc::new(matching.cloned().collect())
        });
        forms.clone()
    }

    /// All hits in order.
    fn sorted(&self, query: &SearchQuery) -> Arc<Vec<Hit>> {
        let mut last = self.last.lock().unwrap();
        if let Some((known, hits)) = &*last
            && known == query
        {
            return Arc::clone(hits);
        }
        let hits = Arc::new(self.sort(query));
        *last = Some((query.clone(), Arc::clone(&hits)));
        hits
    }

    fn sort(&self, query: &SearchQuery) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self
            .matching(query)
            .into_iter()
            .map(|(number, record)| (sort_values(record, query.sort.key), number))
            .collect();
        match (&query.text, query.sort.key) {
            (Some(text), SortKey::Relevance) => {
                let records = self.records.iter().filter(|(of, _)| *of == query.entity_type);
                let vocabulary = &self.vocabularies[&query.entity_type];
                let forms = |word: &str| self.forms_of(query.entity_type, word);
                let scores = scan_relevance::Scores::new(text, vocabulary, &forms, records.count() as u64);
                let newest = Sort {
                    key: SortKey::Date,
                    order: Order::Desc,
                };
                hits.sort_by(|(a, _), (b, _)| compare(a, b, newest));
                hits.sort_by_cached_key(|(_, number)| Reverse(scores.score(&self.all.records[*number])));
            }
            _ => hits.sort_by(|(a, _), (b, _)| compare(a, b, query.sort)),
        }
        hits
    }

    /// The records of an entity type that match, with their numbers.
    fn matching(&self, query: &SearchQuery) -> Vec<(usize, &Parsed<'a>)> {
        let forms = self.forms(query);
        let records = self.all.records.iter().enumerate();
        records
            .filter(|(number, record)| {
                record.entity_type == query.entity_type
                    && matches(
                        &self.all,
                        record,
                        (&self.texts[*number], &self.names_only[*number]),
                        query,
                        &forms,
                    )
            })
            .collect()
    }

    fn forms<'q>(&self, query: &'q SearchQuery) -> Forms<'q> {
        let terms = query
            .text
            .iter()
            .flat_map(|text| text.clauses())
            .flat_map(|clause| match clause {
                Clause::Any(terms) => terms.as_slice(),
                Clause::Not(term) => slice::from_ref(term),
            });
        let words = terms.filter_map(|term| match term {
            Term::Word(asked) => Some(asked),
            Term::Phrase(_) => None,
        });
        let forms = |asked: &'q String| (asked.as_str(), self.forms_of(query.entity_type, asked));
        words.map(forms).collect()
    }

    /// The records of an entity type, by number, with their similarity terms.
    fn terms_of_records(&self, entity_type: EntityType) -> &[TermsOfRecord] {
        self.terms_of_records[entity_type as usize].get_or_init(|| self.read_terms(entity_type))
    }

    fn read_terms(&self, entity_type: EntityType) -> Vec<TermsOfRecord> {
        let mut found = Vec::new();
        for (number, record) in self.all.records.iter().enumerate() {
            if record.entity_type != entity_type {
                continue;
            }
            let mut terms = HashSet::new();
            if Schema::of(entity_type).is_searchable_by(Role::Subject) {
                record.similarity_terms(|term| {
                    terms.insert(term.to_owned());
                });
            }
            found.push((number, terms));
        }
        found
    }
}

impl Engine for ScanEngine<'_> {
    fn search(&self, query: &SearchQuery, page: &Page, _: Deadline) -> Result<Hits, Error> {
        let hits = self.sorted(query);
        let rest: Vec<&Hit> = match &page.start {
            Start::Offset(offset) => hits.iter().skip(*offset).collect(),
            Start::After(position) => {
                let after = SortValues {
                    key: position.key.map(|day| f64::from(day.days())),
                    record_id: position.record_id.clone(),
                };
                hits.iter()
                    .filter(|(values, _)| compare(values, &after, query.sort) == Ordering::Greater)
                    .collect()
            }
        };
        let shown = &rest[..rest.len().min(page.limit)];
        let mut bytes = 0;
        let fits = shown.iter().take_while(|(_, number)| {
            let is_first = bytes == 0;
            bytes += self.records[*number].1.len();
            is_first || bytes <= MAX_PAGE_BYTES
        });
        let shown = &shown[..fits.count()];
        let next = match shown.last() {
            Some((last, _)) if rest.len() > shown.len() && has_positions(query.sort.key) => Some(Position {
                key: last.key.and_then(|days| Date::from_days(days as i32)),
                record_id: last.record_id.clone(),
            }),
            _ => None,
        };
        Ok(Hits {
            records: shown
                .iter()
                .map(|(_, number)| Bytes::from(self.records[*number].1.clone()))
                .collect(),
            is_cut: shown.len() < rest.len().min(page.limit),
            next,
        })
    }

    fn record(&self, entity_type: EntityType, record_id: &str, _: Deadline) -> Result<Option<Bytes>, Error> {
        let mut parsed = self.all.records.iter().zip(self.records);
        let found = parsed.find(|(record, _)| record.entity_type == entity_type && record.id() == record_id);
        Ok(found.map(|(_, (_, json))| Bytes::from(json.clone())))
    }

    fn aggregate(
        &self,
        query: &SearchQuery,
        terms: &[TermsAggregation],
        values: ValueAggregation,
        _: Deadline,
    ) -> Result<Aggregation, Error> {
        let hits: Vec<&Parsed> = self.matching(query).into_iter().map(|(_, record)| record).collect();
        Ok(scan_counts::aggregate(
            &self.all,
            query.entity_type,
            &hits,
            terms,
            values,
        ))
    }

    fn market(&self, query: &SearchQuery, _: Deadline) -> Result<MarketCounts, Error> {
        let hits: Vec<&Parsed> = self.matching(query).into_iter().map(|(_, record)| record).collect();
        Ok(scan_counts::market(&self.all, &hits))
    }

    fn list_names(
        &self,
        entity_types: &[EntityType],
        facet: Facet,
        part: &str,
        page: Range<usize>,
        _: Deadline,
    ) -> Result<NamesPage, Error> {
        let query = (entity_types.to_vec(), facet, part.to_owned());
        let mut last = self.last_names.lock().unwrap();
        let list = match last.take() {
            Some((known, list)) if known == query => list,
            _ => scan_counts::list_names(&self.all, entity_types, facet, part),
        };
        let (_, list) = last.insert((query, list));
        Ok(NamesPage {
            total: list.total,
            rows: list.rows.iter().skip(page.start).take(page.len()).cloned().collect(),
        })
    }

    fn resolve_name(
        &self,
        entity_type: EntityType,
        facet: Facet,
        name: &str,
        _: Deadline,
    ) -> Result<Option<ResolvedName>, Error> {
        Ok(scan_counts::resolve_name(&self.all, entity_type, facet, name))
    }

    fn department_names(&self, name: &str) -> Vec<String> {
        self.all.names_of_department(name)
    }

    fn suggest_names(&self, _: EntityType, _: Facet, _: &str, _: usize, _: Deadline) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    fn near_words(
        &self,
        entity_type: EntityType,
        words: &[String],
        limit: usize,
        _: Deadline,
    ) -> Result<Vec<Vec<NearWord>>, Error> {
        let vocabulary = &self.vocabularies[&entity_type];
        let near = |word: &String| scan_relevance::near_words(vocabulary, word, limit);
        Ok(words.iter().map(near).collect())
    }

    fn similar(
        &self,
        query: &SearchQuery,
        terms: &[String],
        limit: usize,
        _: Deadline,
    ) -> Result<Vec<SimilarRecord>, Error> {
        let records = self.terms_of_records(query.entity_type);
        let selected = select_query_terms(terms, |term| {
            let frequency = records.iter().filter(|(_, terms)| terms.contains(term)).count() as u64;
            (frequency > 0).then(|| (frequency, term.to_owned()))
        });
        let filters = SearchQuery {
            text: None,
            ..query.clone()
        };
        let mut found: Vec<(f32, SortValues, &String)> = Vec::new();
        for (number, terms) in records {
            let record = &self.all.records[*number];
            let shared = selected.iter().filter(|(_, term)| terms.contains(term));
            let scores: Vec<f32> = shared
                .map(|(frequency, _)| similarity::idf(records.len() as u64, *frequency))
                .collect();
            if !scores.is_empty() && matches(&self.all, record, (&[], &Default::default()), &filters, &Forms::new()) {
                let score = scores.into_iter().fold(0.0, |sum, score| sum + score);
                found.push((score, sort_values(record, SortKey::Date), &self.records[*number].1));
            }
        }
        let sort = Sort {
            key: SortKey::Date,
            order: Order::Desc,
        };
        found.sort_by(|(a, x, _), (b, y, _)| b.total_cmp(a).then_with(|| compare(x, y, sort)));
        let best = found.into_iter().take(limit).map(|(score, _, json)| SimilarRecord {
            record: Bytes::from(json.clone()),
            score,
        });
        Ok(best.collect())
    }

    fn idf(&self, entity_type: EntityType, terms: &[String], _: Deadline) -> Result<Vec<f32>, Error> {
        let records = self.terms_of_records(entity_type);
        let idf = |term: &String| {
            let frequency = records.iter().filter(|(_, terms)| terms.contains(term)).count();
            similarity::idf(records.len() as u64, frequency as u64)
        };
        Ok(terms.iter().map(idf).collect())
    }

    fn is_local(&self) -> bool {
        true
    }
}

/// Whether a page can begin after a record.
fn has_positions(key: SortKey) -> bool {
    matches!(key, SortKey::Date | SortKey::ClosingDate | SortKey::EndDate)
}

fn sort_values(record: &Record, key: SortKey) -> SortValues {
    let key = match key {
        SortKey::Date | SortKey::Relevance => record.date(Role::Date).map(|day| f64::from(day.days())),
        SortKey::ClosingDate => record.date(Role::ClosingDate).map(|day| f64::from(day.days())),
        SortKey::EndDate => record.date(Role::EndDate).map(|day| f64::from(day.days())),
        SortKey::Value => record.value(),
    };
    SortValues {
        key,
        record_id: record.id().to_owned(),
    }
}

fn compare(a: &SortValues, b: &SortValues, sort: Sort) -> Ordering {
    let by_id = a.record_id.as_bytes().cmp(b.record_id.as_bytes());
    match (a.key, b.key) {
        (None, None) => by_id,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(x), Some(y)) => {
            let descending = y.partial_cmp(&x).unwrap().then(by_id);
            match sort.order {
                Order::Desc => descending,
                Order::Asc => descending.reverse(),
            }
        }
    }
}

/// The words that are only in names; the same where the vendor's names describe the purchase if neither a title nor a
/// description has a word; and those that are only in the names of buyers.
fn names_only(record: &Record) -> [HashSet<String>; 3] {
    let stated: HashSet<String> = record.purchase_texts().flat_map(word_list).collect();
    let mut elsewhere = stated.clone();
    if record.texts(Role::Subject).flat_map(word_list).next().is_none() {
        elsewhere.extend(record.texts(Role::Vendor).flat_map(word_list));
    }
    let words_of = |role: Role| record.texts(role).flat_map(word_list).collect::<HashSet<String>>();
    let (vendors, buyers) = (words_of(Role::Vendor), words_of(Role::Department));
    let of_buyers: HashSet<String> = buyers.difference(&vendors).cloned().collect();
    let of_both: HashSet<String> = vendors.union(&buyers).cloned().collect();
    [
        of_both.difference(&stated).cloned().collect(),
        of_both.difference(&elsewhere).cloned().collect(),
        of_buyers.difference(&elsewhere).cloned().collect(),
    ]
}

/// `texts`: the words of each text of the record, and those that only names have.
fn matches(
    all: &Collection,
    record: &Parsed,
    texts: (&[Vec<String>], &[HashSet<String>; 3]),
    query: &SearchQuery,
    forms: &Forms,
) -> bool {
    let (texts, names_only) = texts;
    let nowhere = HashSet::new();
    let without = match query.text.as_ref().map(|text| text.words_in()).unwrap_or_default() {
        WordsIn::Anywhere => &nowhere,
        WordsIn::Stated => &names_only[0],
        WordsIn::Purchase => &names_only[1],
        WordsIn::PurchaseOrVendor => &names_only[2],
    };
    let schema = Schema::of(query.entity_type);
    let is_searchable = |filter: &Filter| match filter {
        Filter::Term { role, .. }
        | Filter::AnyTerm { role, .. }
        | Filter::Prefix { role, .. }
        | Filter::Contains { role, .. } => schema.is_searchable_by(*role),
        _ => true,
    };
    let codes = query.text.as_ref().and_then(|text| text.codes()).unwrap_or_default();
    let keys = record.keys(Role::Commodity);
    let is_of_code = codes.iter().any(|code| keys.iter().any(|key| key.starts_with(code)));
    let mut filters = query.filters.iter();
    filters.all(|filter| is_searchable(filter) && passes(all, record, filter))
        && query
            .text
            .iter()
            .flat_map(|text| text.clauses())
            .all(|clause| match clause {
                Clause::Any(terms) => is_of_code || terms.iter().any(|term| finds(texts, term, forms, without)),
                Clause::Not(term) => !finds(texts, term, forms, &nowhere),
            })
}

fn passes(all: &Collection, record: &Parsed, filter: &Filter) -> bool {
    match filter {
        Filter::Term { role, key } => record.keys(*role).iter().any(|stored| stored == key),
        Filter::AnyTerm { role, keys } => record
            .keys(*role)
            .iter()
            .any(|stored| keys.iter().any(|key| key == stored)),
        Filter::FacetValue { facet, key } => all.keys(*facet, record).contains(&all.key_of_value(*facet, key)),
        Filter::AnyFacetValue { facet, keys } => {
            let keys: Vec<_> = keys.iter().map(|key| all.key_of_value(*facet, key)).collect();
            all.keys(*facet, record).iter().any(|stored| keys.contains(stored))
        }
        Filter::Prefix { role, key } => record.keys(*role).iter().any(|stored| stored.starts_with(key)),
        Filter::Contains {
            role: Role::Department,
            key,
        } => all.names_with(record, key),
        Filter::Contains { role, key } => record.keys(*role).iter().any(|stored| stored.contains(key.as_str())),
        Filter::Dates { role, from, to } => record
            .date(*role)
            .is_some_and(|day| from.is_none_or(|from| day >= from) && to.is_none_or(|to| day <= to)),
        Filter::Values { min, max } => record
            .value()
            .is_some_and(|value| min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)),
    }
}

/// `without`: words that do not count.
fn finds(texts: &[Vec<String>], term: &Term, forms: &Forms, without: &HashSet<String>) -> bool {
    texts.iter().any(|words| match term {
        Term::Word(asked) => words
            .iter()
            .any(|stored| forms[asked.as_str()].contains(stored) && !without.contains(stored)),
        Term::Phrase(asked) => {
            let counts = asked.iter().all(|word| !without.contains(word));
            counts && words.windows(asked.len()).any(|run| run == asked)
        }
    })
}
