//! Tests that plans scan what they state, that an explanation and suggestions ask the engine for all their counts
//! together, and lists of commodity codes for theirs only once.

use std::{
    fs,
    ops::Range,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use bytes::Bytes;
use tempfile::TempDir;

use super::{
    commodity_list::{self, CommodityPage},
    explanation::ExplanationPlan,
    figures::FigurePlan,
    headline, profile,
    search_plan::SearchPlan,
    suggestions::SuggestionPlan,
};
use crate::{
    api::params::{
        commodities::CommodityQuestion,
        include::Include,
        resolve::{ResolveContext, ResolvedSearch},
        search::SearchParams,
    },
    catalog::{ask::Ask, generation::GenerationStore, indexing},
    engine::{
        Deadline, Engine, Error, Hits,
        aggregation::{Aggregation, TermsAggregation, ValueAggregation},
        market_counts::MarketCounts,
        names::{NamesPage, ResolvedName},
        near_words::NearWord,
        record_search::RecordSearch,
        similarity::SimilarRecord,
    },
    model::{EntityType, Facet, Schema},
    query::{Page, SearchQuery},
};

/// Answers as another engine does, and keeps what was asked for: the name of the call, and how much.
struct Recorder {
    engine: Arc<dyn Engine>,
    calls: Mutex<Vec<(&'static str, usize)>>,
}

impl Recorder {
    fn take(&self) -> Vec<(&'static str, usize)> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }

    fn note(&self, call: &'static str, size: usize) {
        self.calls.lock().unwrap().push((call, size));
    }
}

impl Engine for Recorder {
    fn search(&self, query: &SearchQuery, page: &Page, deadline: Deadline) -> Result<Hits, Error> {
        self.note("search", 1);
        self.engine.search(query, page, deadline)
    }

    fn record(&self, entity_type: EntityType, record_id: &str, deadline: Deadline) -> Result<Option<Bytes>, Error> {
        self.note("record", 1);
        self.engine.record(entity_type, record_id, deadline)
    }

    fn aggregate(
        &self,
        query: &SearchQuery,
        terms: &[TermsAggregation],
        values: ValueAggregation,
        deadline: Deadline,
    ) -> Result<Aggregation, Error> {
        self.note("aggregate", terms.len().max(1));
        self.engine.aggregate(query, terms, values, deadline)
    }

    fn counts(&self, queries: &[SearchQuery], deadline: Deadline) -> Result<Vec<u64>, Error> {
        self.note("counts", queries.len());
        self.engine.counts(queries, deadline)
    }

    fn list_names(
        &self,
        entity_types: &[EntityType],
        facet: Facet,
        part: &str,
        page: Range<usize>,
        deadline: Deadline,
    ) -> Result<NamesPage, Error> {
        self.note("list_names", 1);
        self.engine.list_names(entity_types, facet, part, page, deadline)
    }

    fn resolve_name(
        &self,
        entity_type: EntityType,
        facet: Facet,
        name: &str,
        deadline: Deadline,
    ) -> Result<Option<ResolvedName>, Error> {
        self.note("resolve_name", 1);
        self.engine.resolve_name(entity_type, facet, name, deadline)
    }

    fn department_names(&self, name: &str) -> Vec<String> {
        self.note("department_names", 1);
        self.engine.department_names(name)
    }

    fn suggest_names(
        &self,
        entity_type: EntityType,
        facet: Facet,
        name: &str,
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<String>, Error> {
        self.note("suggest_names", 1);
        self.engine.suggest_names(entity_type, facet, name, limit, deadline)
    }

    fn near_words(
        &self,
        entity_type: EntityType,
        words: &[String],
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<Vec<NearWord>>, Error> {
        self.note("near_words", words.len());
        self.engine.near_words(entity_type, words, limit, deadline)
    }

    fn market(&self, query: &SearchQuery, deadline: Deadline) -> Result<MarketCounts, Error> {
        self.note("market", MarketCounts::SCANS);
        self.engine.market(query, deadline)
    }

    fn similar(
        &self,
        query: &SearchQuery,
        terms: &[String],
        limit: usize,
        deadline: Deadline,
    ) -> Result<Vec<SimilarRecord>, Error> {
        self.note("similar", 1);
        self.engine.similar(query, terms, limit, deadline)
    }

    fn records_of(&self, searches: &[RecordSearch], deadline: Deadline) -> Result<Vec<Vec<Bytes>>, Error> {
        self.note("records_of", searches.len());
        self.engine.records_of(searches, deadline)
    }

    fn idf(&self, entity_type: EntityType, terms: &[String], deadline: Deadline) -> Result<Vec<f32>, Error> {
        self.note("idf", 1);
        self.engine.idf(entity_type, terms, deadline)
    }

    fn is_local(&self) -> bool {
        self.engine.is_local()
    }
}

/// A generation of three contracts, the engine that it is searched with, and the folder of its files.
fn generation() -> (Ask, Arc<Recorder>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let options = indexing::IndexOptions {
        dumps: folder.path().join("dumps"),
        store: GenerationStore::Folder(folder.path().join("index")),
        memory_mb: indexing::DEFAULT_MEMORY_MB,
        strict: true,
    };
    fs::create_dir_all(options.dumps.join("contract")).unwrap();
    let contracts = [
        r#"{"record_id":"1","title_en":"Snow removal","vendor_name":"Acme"}"#,
        r#"{"record_id":"2","title_fr":"Déneigement des routes","vendor_name":"Neige"}"#,
        r#"{"record_id":"3","title_en":"Road repair","vendor_name":"Acme","unspsc":"72141000","contract_value":5}"#,
    ];
    fs::write(options.dumps.join("contract/city.ndjson"), contracts.join("\n") + "\n").unwrap();
    let report = indexing::run(&options).unwrap();
    let mut generation = options.store.open(&report.generation).unwrap();
    let recorder = Arc::new(Recorder {
        engine: Arc::clone(&generation.engine),
        calls: Mutex::default(),
    });
    generation.engine = Arc::<Recorder>::clone(&recorder);
    let ask = Ask {
        generation: Arc::new(generation),
        deadline: Deadline::never(),
    };
    (ask, recorder, folder)
}

fn resolved(query: &str) -> ResolvedSearch {
    let context = ResolveContext {
        schema: Schema::of(EntityType::Contract),
        page_cap: 100,
        coverage: &[],
        translator: None,
        generation: None,
    };
    let given = SearchParams::read(EntityType::Contract, query).unwrap();
    given.resolve(&context).unwrap()
}

/// How often the records were read for what was counted.
fn scans(calls: &[(&str, usize)]) -> usize {
    let counted = calls
        .iter()
        .filter(|(call, _)| ["aggregate", "counts", "market"].contains(call));
    counted.map(|(_, scans)| scans).sum()
}

#[test]
fn a_plan_scans_what_it_states() {
    let (ask, recorder, _folder) = generation();
    let records = ask.generation.manifest_of(EntityType::Contract).records;
    for query in [
        "facets=year,vendor",
        "q=snow+repair&vendor=neige&facets=year,vendor&explain=true",
        "q=nothing&suggest=true",
        "q=snow+removal&explain=true&category=gd",
        "vendor=acme",
    ] {
        let plan = SearchPlan::new(&ask.generation, resolved(query), false);
        let found = plan.run(&ask).unwrap();
        let (calls, stated) = (recorder.take(), plan.cost(&ask.generation).records());
        let scanned = scans(&calls) as u64 * records;
        // What explains that nothing is found is planned for, and left out where something is found.
        let is_exact = found.hits.records.is_empty() || !query.contains("explain");
        assert!(
            scanned == stated || (scanned < stated && !is_exact),
            "{query}: {stated}, {calls:?}"
        );
    }
    for include in [Include::default(), Include::all_of(Schema::of(EntityType::Contract))] {
        let plan = FigurePlan::new(vec![TermsAggregation::all(Facet::Year)], include);
        plan.run(&ask, &resolved("q=snow").query).unwrap();
        assert_eq!(plan.scans(), scans(&recorder.take()));
    }
}

#[test]
fn a_profile_costs_its_figures_and_its_headline() {
    let (ask, recorder, _folder) = generation();
    let records = ask.generation.manifest_of(EntityType::Contract).records;
    let found = profile::find(&ask, Facet::Vendor, "acme").unwrap();
    profile::profile(&ask, Facet::Vendor, &found, None, false).unwrap();
    let scanned = scans(&recorder.take()) + headline::SCANS;
    let stated = profile::cost(&ask.generation, Facet::Vendor, None).records();
    assert_eq!(stated, scanned as u64 * records);
}

#[test]
fn an_explanation_counts_all_terms_together_and_all_conditions_together() {
    let (ask, recorder, _folder) = generation();
    let now = Instant::now();
    let explained = |query: &str, total: Option<u64>| {
        let search = resolved(query);
        let plan = ExplanationPlan::of(&ask.generation.translator, &search);
        let found = plan.run(&ask, &search, total, (now, now));
        (serde_json::to_value(found.unwrap()).unwrap(), recorder.take())
    };

    let (found, calls) = explained("q=snow+roads+-repair", Some(1));
    let records: Vec<u64> = (0..3)
        .map(|clause| found["clauses"][clause]["terms"][0]["records"].as_u64().unwrap())
        .collect();
    // `roads` also finds `road`.
    assert_eq!((records, calls), (vec![1, 1, 1], vec![("counts", 3)]));

    let nothing = "q=snow+repair&vendor=neige";
    let (found, calls) = explained(nothing, Some(0));
    let costs = found["costs"]["conditions"].as_array().unwrap();
    let costs = costs.iter().chain(found["costs"]["parts_of_q"].as_array().unwrap());
    let totals: Vec<[u64; 2]> = costs
        .map(|cost| ["total_without", "total_alone"].map(|total| cost[total].as_u64().unwrap()))
        .collect();
    // The vendor, `q`, `snow` and `repair`.
    assert_eq!(totals, [[0, 1], [1, 0], [0, 1], [0, 1]]);
    assert_eq!(calls, [("counts", 2), ("counts", 8)]);

    // The total is counted only if it is not known. What is found without the only condition is everything.
    let (found, calls) = explained("q=nothing", None);
    assert_eq!(found["costs"]["conditions"][0]["total_without"], 3);
    assert_eq!(calls, [("aggregate", 1), ("counts", 1), ("counts", 1)]);
}

#[test]
fn suggestions_look_for_all_words_together() {
    let (ask, recorder, _folder) = generation();
    let plan = SuggestionPlan::of(&resolved("q=denegement+remval+snow").query).unwrap();
    let found = plan.run(&ask).unwrap();
    let words: Vec<(&str, &str)> = found
        .iter()
        .map(|near| (near.of.as_str(), near.word.as_str()))
        .collect();
    assert_eq!(words, [("denegement", "déneigement"), ("remval", "removal")]);
    let calls = recorder.take();
    assert_eq!(calls, [("counts", 3), ("near_words", 3), ("records_of", 2)]);
}

#[test]
fn the_commodity_codes_of_an_entity_type_are_counted_once() {
    let (ask, recorder, _folder) = generation();
    let generation = &ask.generation;
    let listed = |entity_type: Option<EntityType>, parent: Option<&str>| -> (CommodityPage, usize) {
        let question = CommodityQuestion {
            part: None,
            scheme: None,
            parent: parent.map(str::to_owned),
            entity_type,
        };
        let page = commodity_list::list(&ask, &question, 0..10).unwrap();
        let calls = recorder.take();
        assert!(calls.iter().all(|call| *call == ("aggregate", 1)), "{calls:?}");
        (page, calls.len())
    };
    assert_eq!(generation.commodity_counts_size().entries, 0);
    let (contracts, searches) = listed(Some(EntityType::Contract), None);
    assert_eq!(searches, 1);
    assert_eq!(generation.commodity_counts_size().entries, 1);
    let row = &contracts.rows[0];
    let value = row.total_value.map(|value| value.dollars());
    assert_eq!(
        (row.commodity.key.as_str(), row.records, value, row.children),
        ("unspsc:72", 1, Some(5.0), 1)
    );
    assert_eq!(listed(Some(EntityType::Contract), None), (contracts.clone(), 0));
    // The contracts are known; the other five entity types are not.
    assert_eq!(listed(None, None), (contracts.clone(), EntityType::ALL.len() - 1));
    assert_eq!(listed(None, None), (contracts, 0));
    let (below, searches) = listed(None, Some("unspsc:72"));
    assert_eq!((below.rows[0].commodity.key.as_str(), searches), ("unspsc:7214", 0));
    assert_eq!(listed(Some(EntityType::Award), None), (CommodityPage::default(), 0));
    assert_eq!(generation.commodity_counts_size().entries, EntityType::ALL.len() + 1);
}

#[test]
fn codes_that_could_not_be_counted_are_counted_the_next_time() {
    let (ask, _recorder, _folder) = generation();
    let generation = ask.generation;
    let late = Deadline::after(Duration::ZERO);
    assert!(generation.commodity_counts(None, &late).is_err());
    assert_eq!(generation.commodity_counts_size().entries, 0);
    let counts = generation.commodity_counts(None, &Deadline::never()).unwrap();
    assert_eq!(counts.all().count(), 3);
}
