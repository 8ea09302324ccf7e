//! The engine against the scan engine: random records and random queries, both sort orders,
//! pages by offset and by cursor until the last.

use std::{
    collections::HashSet,
    fs,
    path::Path,
    sync::{Arc, LazyLock},
};

use procure::{
    catalog::indexing,
    engine::{
        Deadline, Engine, MAX_PAGE_BYTES,
        aggregation::{Money, TermsAggregation, ValueAggregation},
        market_counts::MarketCounts,
    },
    model::{
        date::Date,
        entity_type::EntityType,
        facet::Facet,
        record::{Record, query_key},
        schema::{Role, Schema},
        similarity_terms,
    },
    query::{
        Filter, Order, Page, SearchQuery, Sort, SortKey, Start,
        cursor::Cursor,
        text::{TextQuery, WordsIn},
        translate::Translator,
    },
};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use serde_json::{Map, Value, json};

use crate::{scan::ScanEngine, stores};

const ENTITY_TYPES: [EntityType; 5] = [
    EntityType::Contract,
    EntityType::Tender,
    EntityType::Award,
    EntityType::Disclosure,
    EntityType::PreSolicitation,
];

/// Few words, so that records share them: inflected, accented, elided, split.
const WORDS: [&str; 16] = [
    "road",
    "roads",
    "déneigement",
    "deneigements",
    "l'eau",
    "eau",
    "EN578-123/A",
    "R&D",
    "O'Brien",
    "snow",
    "removal",
    "Québec",
    "des",
    "rues",
    "OR",
    "travaux",
];

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| Translator::new(std::iter::empty()));

const NAMES: [&str; 9] = [
    "Ville de Québec",
    "Les Entreprises O'Brien inc.",
    "R&D Inc.",
    "Société d'État",
    "Acier Ltée",
    "ACIER LTÉE.",
    "x",
    "Inc",
    "Œuvre",
];

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&WORDS[..]), 1..7).prop_map(|words| words.join(" "))
}

fn day() -> impl Strategy<Value = String> {
    // Few days, so that ties are common; some do not exist.
    prop_oneof![9 => (1u32..8).prop_map(|d| format!("2024-03-{d:02}")), 1 => Just("2024-02-30".to_owned())]
}

fn known_name() -> impl Strategy<Value = String> {
    proptest::sample::select(&NAMES[..]).prop_map(str::to_owned)
}

fn money() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(-0.0), Just(-5.5), Just(100.0), Just(1e12), 0.0..1000.0]
}

fn field(name: &str) -> BoxedStrategy<Value> {
    match name {
        "award_date" | "publication_date" | "closing_date" | "end_date" | "expiry_date" => {
            day().prop_map(Value::from).boxed()
        }
        "contract_value" | "total_contract_value" | "original_value" | "extra_spending" => {
            money().prop_map(Value::from).boxed()
        }
        "procurement_category" => proptest::sample::select(&["CNST", "GD,SRV", "SRV", "bogus"][..])
            .prop_map(Value::from)
            .boxed(),
        "status" | "status_fr" => proptest::sample::select(&["Open", "Ouvert", "Expiré", "annulée", "active", "?"][..])
            .prop_map(Value::from)
            .boxed(),
        "municipality" => proptest::sample::select(&["montreal", "quebec", "federal"][..])
            .prop_map(Value::from)
            .boxed(),
        "vendor_province" => proptest::sample::select(&["QC", "Québec", "Ontario"][..])
            .prop_map(Value::from)
            .boxed(),
        "gsin" => proptest::sample::select(&["N7030", "7030AB,N7050", "K100", "51"][..])
            .prop_map(Value::from)
            .boxed(),
        "unspsc" => proptest::sample::select(&["43211503", "43211500,72100000", "?"][..])
            .prop_map(Value::from)
            .boxed(),
        "commodity_code" => proptest::sample::select(&["7030", "43211503", "N7030AB"][..])
            .prop_map(Value::from)
            .boxed(),
        "economic_object_code" => proptest::sample::select(&["430", "0431", "1231"][..])
            .prop_map(Value::from)
            .boxed(),
        "currency" => proptest::sample::select(&["CAD", "USD", "EUR", " "][..])
            .prop_map(Value::from)
            .boxed(),
        "number_of_bids" => proptest::sample::select(&["0", "1", "02", "2", "many"][..])
            .prop_map(Value::from)
            .boxed(),
        "quality_flags" => proptest::sample::subsequence(&["no_vendor", "future_date", "bogus"][..], 0..=3)
            .prop_map(Value::from)
            .boxed(),
        "government_level" => proptest::sample::select(&["municipal", "federal"][..])
            .prop_map(Value::from)
            .boxed(),
        "procurement_method_en" => prop_oneof![
            known_name(),
            proptest::sample::select(&["Open bidding", "Gré à gré", "Call by invitation", "limited"][..])
                .prop_map(str::to_owned),
        ]
        .prop_map(Value::from)
        .boxed(),
        "vendor_city" => proptest::sample::select(&["Montréal", "LAVAL", "Laval (Québec)"][..])
            .prop_map(Value::from)
            .boxed(),
        "vendor_country" => proptest::sample::select(&["CA", "US", "USA", "Atlantis"][..])
            .prop_map(Value::from)
            .boxed(),
        "province" => proptest::sample::select(&["ON", "QC"][..])
            .prop_map(Value::from)
            .boxed(),
        "vendor_name" | "department_en" | "department_fr" | "buyer_name" | "notice_type_en" => {
            known_name().prop_map(Value::from).boxed()
        }
        _ => text().prop_map(Value::from).boxed(),
    }
}

const FIELDS: [&str; 36] = [
    "commodity_code",
    "economic_object_code",
    "currency",
    "original_value",
    "extra_spending",
    "number_of_bids",
    "quality_flags",
    "title_en",
    "unspsc_description_en",
    "gsin",
    "unspsc",
    "total_contract_value",
    "department_en",
    "government_level",
    "province",
    "award_date",
    "publication_date",
    "closing_date",
    "end_date",
    "expiry_date",
    "contract_value",
    "procurement_category",
    "status",
    "status_fr",
    "municipality",
    "vendor_province",
    "vendor_city",
    "vendor_country",
    "vendor_name",
    "department_fr",
    "buyer_name",
    "procurement_method_en",
    "notice_type_en",
    "title_fr",
    "description_en",
    "reference_number",
];

fn record() -> impl Strategy<Value = (EntityType, Map<String, Value>)> {
    let fields: Vec<_> = FIELDS
        .iter()
        .map(|name| {
            proptest::option::weighted(0.7, field(name)).prop_map(|value| value.map(|value| (name.to_string(), value)))
        })
        .collect();
    (proptest::sample::select(&ENTITY_TYPES[..]), fields)
        .prop_map(|(entity_type, fields)| (entity_type, fields.into_iter().flatten().collect()))
}

fn records() -> impl Strategy<Value = Vec<(EntityType, String)>> {
    proptest::collection::vec((record(), "[a-cé|/: %]{0,2}"), 1..400).prop_map(|records| {
        let numbered = records.into_iter().enumerate();
        numbered
            .map(|(number, ((entity_type, mut fields), id))| {
                // Ids are distinct, and not in the order of the records.
                fields.insert("record_id".into(), json!(format!("{id}{}", (number * 7919) % 10_007)));
                (entity_type, Value::Object(fields).to_string())
            })
            .collect()
    })
}

/// Commodity codes whose records a text finds, too: none, or a few of different levels.
fn codes() -> impl Strategy<Value = Option<Vec<String>>> {
    let keys = ["gsin:n70", "gsin:n7050", "unspsc:4321", "unspsc:72", "object:"].map(str::to_owned);
    proptest::option::of(proptest::sample::subsequence(keys.to_vec(), 0..3))
}

fn words_in() -> impl Strategy<Value = WordsIn> {
    let all = [
        WordsIn::Anywhere,
        WordsIn::Anywhere,
        WordsIn::Purchase,
        WordsIn::PurchaseOrVendor,
        WordsIn::Stated,
    ];
    proptest::sample::select(all.to_vec())
}

fn filter() -> impl Strategy<Value = Filter> {
    let term = |role: Role, values: &'static [&'static str]| {
        proptest::sample::select(values).prop_map(move |value| Filter::Term {
            role,
            key: query_key(role, value),
        })
    };
    let any_term = |role: Role, values: &'static [&'static str]| {
        proptest::sample::subsequence(values, 0..=values.len()).prop_map(move |values| Filter::AnyTerm {
            role,
            keys: values.iter().map(|value| query_key(role, value)).collect(),
        })
    };
    let date = || proptest::option::of((1i32..8).prop_map(|d| Date::parse(&format!("2024-03-{d:02}")).unwrap()));
    let date_role = proptest::sample::select(&[Role::Date, Role::ClosingDate, Role::EndDate][..]);
    let part = || proptest::sample::select(&["inc", "acier", "ville de", "que", "zzz", "r&d", "e"][..]);
    prop_oneof![
        term(Role::Municipality, &["montreal", "quebec", "nowhere"]),
        term(Role::Category, &["CNST", "GD", "SRV"]),
        term(Role::Status, &["Open", "Expired", "Active"]),
        term(Role::VendorProvince, &["QC", "Ontario"]),
        any_term(Role::Category, &["CNST", "GD", "SRV"]),
        any_term(Role::Municipality, &["montreal", "nowhere", "quebec"]),
        term(Role::NoticeType, &["R&D Inc.", "x"]),
        term(Role::QualityFlag, &["no_vendor", "none", "placeholder_value"]),
        term(Role::Competition, &["open", "invitation", "none", "unknown"]),
        term(Role::Amended, &["true", "false"]),
        term(Role::GovernmentLevel, &["municipal", "federal", "provincial"]),
        term(Role::VendorCity, &["Montréal", "laval", "nowhere"]),
        term(Role::VendorCountry, &["canada", "États-Unis", "abroad", "atlantis"]),
        term(Role::BodyClass, &["municipality", "health", "other"]),
        term(Role::Region, &["Québec", "ON", "Estrie"]),
        term(Role::ReferenceNumber, &["road", "EN578-123/a"]),
        (part(), any::<bool>()).prop_map(|(part, vendor)| {
            let role = if vendor { Role::Vendor } else { Role::Department };
            Filter::Contains {
                role,
                key: query_key(role, part),
            }
        }),
        part().prop_map(|key| Filter::Prefix {
            role: Role::ProcurementMethod,
            key: query_key(Role::ProcurementMethod, key)
        }),
        proptest::sample::select(
            &[
                "gsin:n70",
                "gsin:n7050",
                "gsin:",
                "unspsc:4321",
                "unspsc:43211503",
                "object:"
            ][..]
        )
        .prop_map(|key| Filter::Prefix {
            role: Role::Commodity,
            key: query_key(Role::Commodity, key)
        }),
        (date_role, date(), date()).prop_map(|(role, from, to)| Filter::Dates { role, from, to }),
        (proptest::option::of(money()), proptest::option::of(money()))
            .prop_map(|(min, max)| Filter::Values { min, max }),
        (
            proptest::sample::select(&[Facet::Vendor, Facet::NamedDepartment, Facet::Department][..]),
            known_name()
        )
            .prop_map(|(facet, name)| Filter::FacetValue {
                facet,
                key: facet.key(&name),
            }),
        (
            proptest::sample::select(&[Facet::Vendor, Facet::NamedDepartment][..]),
            prop::collection::vec(prop_oneof![known_name(), text()], 0..4)
        )
            .prop_map(|(facet, names)| Filter::AnyFacetValue {
                facet,
                keys: names.iter().map(|name| facet.key(name)).collect(),
            }),
        proptest::sample::select(
            &[
                (Facet::Commodity, "gsin:n70"),
                (Facet::Commodity, "unspsc:4321"),
                (Facet::Commodity, "object:04"),
                (Facet::QualityFlag, "no_vendor"),
                (Facet::QualityFlag, "none"),
                (Facet::Currency, "CAD"),
                (Facet::Currency, "USD"),
                (Facet::Bids, "2"),
                (Facet::Competition, "none"),
                (Facet::GovernmentLevel, "municipal"),
                (Facet::BodyClass, "municipality"),
            ][..]
        )
        .prop_map(|(facet, key)| Filter::FacetValue {
            facet,
            key: key.to_owned(),
        }),
    ]
}

fn q() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        5 => proptest::sample::select(&WORDS[..]).prop_map(str::to_owned),
        1 => Just("-".to_owned()),
        1 => text().prop_map(|text| format!("\"{text}\"")),
        2 => proptest::sample::select(&WORDS[..]).prop_map(|word| format!("-{word}")),
        1 => text().prop_map(|text| format!("-\"{text}\"")),
        // Two clauses with the same phrase, as a translation makes them.
        1 => proptest::sample::select(&["road snow", "eau des rues", "r&d"][..])
            .prop_map(|phrase| format!("road OR \"{phrase}\" snow OR \"{phrase}\"")),
        1 => Just("OR".to_owned()),
    ];
    proptest::collection::vec(token, 1..5).prop_map(|tokens| tokens.join(" "))
}

fn query() -> impl Strategy<Value = SearchQuery> {
    let keys = [
        SortKey::Date,
        SortKey::Date,
        SortKey::ClosingDate,
        SortKey::EndDate,
        SortKey::Value,
        SortKey::Relevance,
        SortKey::Relevance,
    ];
    let key = proptest::sample::select(keys.to_vec());
    let order = proptest::sample::select(&[Order::Asc, Order::Desc][..]);
    let entity_type = proptest::sample::select(&ENTITY_TYPES[..]);
    (
        entity_type,
        proptest::option::of(q()),
        proptest::collection::vec(filter(), 0..3),
        key,
        (order, any::<bool>(), codes(), words_in()),
    )
        .prop_map(|(entity_type, q, filters, key, (order, translate, codes, words_in))| {
            // Rarely too many words.
            let text = q.and_then(|q| TextQuery::parse(&q).ok());
            let text = text.map(|text| {
                if translate {
                    TRANSLATOR.translate(&text).text
                } else {
                    text
                }
            });
            let text = text.map(|text| match codes {
                Some(codes) => text.or_codes(codes),
                None => text,
            });
            let text = text.map(|text| text.within(words_in));
            let schema = Schema::of(entity_type);
            let sortable = match key {
                SortKey::Date => true,
                SortKey::ClosingDate => schema.has_role(Role::ClosingDate),
                SortKey::EndDate => schema.has_role(Role::EndDate),
                SortKey::Value => schema.has_role(Role::Value),
                SortKey::Relevance => text.is_some(),
            };
            let key = if sortable { key } else { SortKey::Date };
            let order = if key == SortKey::Relevance { Order::Desc } else { order };
            SearchQuery {
                entity_type,
                text,
                filters,
                sort: Sort { key, order },
            }
        })
}

pub fn write_dumps(folder: &Path, records: &[(EntityType, String)]) {
    for entity_type in EntityType::ALL {
        let lines: String = records
            .iter()
            .filter(|(of, _)| *of == entity_type)
            .map(|(_, json)| format!("{json}\n"))
            .collect();
        if !lines.is_empty() {
            fs::create_dir_all(folder.join(entity_type.name())).unwrap();
            fs::write(folder.join(entity_type.name()).join("model.ndjson"), lines).unwrap();
        }
    }
}

pub fn build(dumps: &Path, index_dir: &Path) -> Arc<dyn Engine> {
    let id = stores::index(dumps, index_dir, indexing::DEFAULT_MEMORY_MB, true);
    stores::store(index_dir).open(&id).unwrap().engine
}

/// Terms of a similarity search: of records, of no record, empty, repeated.
fn similarity_query() -> impl Strategy<Value = Vec<String>> {
    let word = prop_oneof![
        4 => text().prop_map(|text| terms_of(&text)),
        1 => proptest::sample::select(&["", "zzz", "road roads", "\u{0}", "ROAD"][..]).prop_map(|word| vec![word.to_owned()]),
    ];
    proptest::collection::vec(word, 0..4).prop_map(|words| words.concat())
}

fn terms_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    similarity_terms::words(text, similarity_terms::languages("title"), |word| {
        words.push(word.to_owned())
    });
    words
}

/// The similar records, a few and all, and the inverse document frequency of every term.
fn agree_on_similarity(engine: &dyn Engine, scan: &dyn Engine, query: &SearchQuery, terms: &[String], limit: usize) {
    for limit in [limit, usize::MAX] {
        let found = engine.similar(query, terms, limit, Deadline::never()).unwrap();
        let expected = scan.similar(query, terms, limit, Deadline::never()).unwrap();
        assert_eq!(found, expected, "{terms:?} among {query:?}, {limit}");
    }
    let idf = |engine: &dyn Engine| engine.idf(query.entity_type, terms, Deadline::never()).unwrap();
    assert_eq!(idf(engine), idf(scan), "{terms:?}");
}

/// The counts of the matches by every facet, all values and a few.
fn agree_on_aggregations(engine: &dyn Engine, scan: &dyn Engine, query: &SearchQuery, size: usize) {
    let values = [
        ValueAggregation::None,
        ValueAggregation::Sum,
        ValueAggregation::Percentiles,
    ][size % 3];
    for size in [size, usize::MAX] {
        let is_summed = |facet| !(facet as usize ^ size).is_multiple_of(4);
        let mut terms = Facet::ALL
            .map(|facet| TermsAggregation {
                facet,
                size,
                is_summed: is_summed(facet),
            })
            .to_vec();
        terms.push(TermsAggregation::all(Facet::Body));
        let aggregate = |engine: &dyn Engine| engine.aggregate(query, &terms, values, Deadline::never()).unwrap();
        let (found, expected) = (aggregate(engine), aggregate(scan));
        for (facet, buckets) in &expected.facets {
            assert_eq!(&found.facets[facet], buckets, "{facet:?} of {query:?}, {size}");
        }
        assert_eq!(found, expected, "{query:?}, {size}");
    }
}

/// What the market figures are computed from. The scan engine divides by other steps.
fn agree_on_market(engine: &dyn Engine, scan: &dyn Engine, query: &SearchQuery) {
    let [found, expected] = [engine, scan].map(|engine| engine.market(query, Deadline::never()).unwrap());
    let amounts = |counts: &MarketCounts| {
        let growth = counts.growth;
        [
            counts.vendor_value,
            counts.top_five_value,
            growth.original,
            growth.current,
        ]
        .map(Money::dollars)
    };
    for (found, expected) in amounts(&found).into_iter().zip(amounts(&expected)) {
        let close = 0.01 + expected.abs() * 1e-12;
        assert!((found - expected).abs() <= close, "{found} {expected} of {query:?}");
    }
    match (found.concentration, expected.concentration) {
        (Some(found), Some(expected)) => {
            assert!((found - expected).abs() < 1e-6, "{found} {expected} of {query:?}");
        }
        (found, expected) => assert_eq!(found, expected, "{query:?}"),
    }
    let counts = |counts: MarketCounts| {
        let growth = counts.growth.records;
        (
            counts.with_vendor,
            counts.bids,
            growth,
            counts.new_vendors,
            counts.vendors_by_year,
        )
    };
    assert_eq!(counts(found), counts(expected), "{query:?}");
}

/// Every name of a record finds it: by its profile, which is the filter on what the name resolves to,
/// in the list of names, and by the filter on a part of a name.
fn names_have_all_their_records(engine: &dyn Engine, records: &[(EntityType, String)]) {
    for (entity_type, json) in records.iter().take(40) {
        let record = Record::parse(Schema::of(*entity_type), json.as_bytes()).unwrap();
        for name in record.texts(Role::Department) {
            let named = engine.resolve_name(*entity_type, Facet::Department, name, Deadline::never());
            let named = named.unwrap().unwrap_or_else(|| panic!("{name} of {json}"));
            let (facet, key) = (Facet::Department, named.key);
            let query = SearchQuery::newest(*entity_type, vec![Filter::FacetValue { facet, key }]);
            let profile = all_by_offset(engine, &query, 500);
            assert!(profile.contains(json), "{name} has {json}");
            let listed = engine.list_names(&[*entity_type], facet, &facet.key(name), 0..100, Deadline::never());
            let listed = listed.unwrap();
            let row = listed.rows.into_iter().find(|row| row.name == named.name);
            let row = row.map(|row| (row.records as usize, row.kind));
            assert_eq!(row, Some((profile.len(), named.kind)), "{name} of {json}");
            let (role, key) = (Role::Department, query_key(Role::Department, name));
            let query = SearchQuery::newest(*entity_type, vec![Filter::Contains { role, key }]);
            let filtered = all_by_offset(engine, &query, 500);
            let missing = profile.iter().find(|json| !filtered.contains(json));
            assert_eq!(missing, None, "{name} of {json}");
            // Of another department with the part, the filter finds the records too.
            let is_only = listed.total == 1;
            assert!(!is_only || filtered.len() == profile.len(), "{name} of {json}");
        }
    }
}

fn agree_on_names(engine: &dyn Engine, scan: &dyn Engine) {
    for part in ["", "inc", "acier", "que", "r&d", "zzz", "e"] {
        let both = |entity_types: &[EntityType], facet: Facet| {
            for (start, limit) in [(0, 100), (0, 1), (1, 2), (50, 5)] {
                let page = start..start + limit;
                let list =
                    |engine: &dyn Engine| engine.list_names(entity_types, facet, part, page.clone(), Deadline::never());
                assert_eq!(
                    list(engine).unwrap(),
                    list(scan).unwrap(),
                    "{facet:?} of {entity_types:?} with '{part}' {page:?}"
                );
            }
        };
        both(&[EntityType::Contract], Facet::Vendor);
        both(&[EntityType::Contract], Facet::Department);
        both(&ENTITY_TYPES, Facet::NamedDepartment);
    }
    for name in NAMES {
        let names = |engine: &dyn Engine| {
            let names = engine.department_names(&query_key(Role::Department, name));
            names.into_iter().collect::<HashSet<String>>()
        };
        assert_eq!(names(engine), names(scan), "{name}");
        for facet in [Facet::Vendor, Facet::NamedDepartment, Facet::Department] {
            let resolved = |engine: &dyn Engine| {
                engine
                    .resolve_name(EntityType::Contract, facet, name, Deadline::never())
                    .unwrap()
                    .map(|found| (found.key, found.name, found.kind))
            };
            assert_eq!(resolved(engine), resolved(scan), "{facet:?} {name}");
        }
    }
}

fn agree_on_near_words(engine: &dyn Engine, scan: &dyn Engine) {
    let words = [
        "raod",
        "roads",
        "deneigmnet",
        "enneigements",
        "removla",
        "travau",
        "en578",
        "x",
        "",
        "road",
    ]
    .map(str::to_owned);
    for (entity_type, limit) in [
        (EntityType::Contract, 1),
        (EntityType::Contract, 99),
        (EntityType::Tender, 2),
    ] {
        let near = |engine: &dyn Engine, words: &[String]| {
            engine.near_words(entity_type, words, limit, Deadline::never()).unwrap()
        };
        let together = near(engine, &words);
        assert_eq!(together, near(scan, &words), "{entity_type}, {limit}");
        let alone = words.chunks(1).flat_map(|word| near(engine, word));
        assert_eq!(together, alone.collect::<Vec<_>>(), "{entity_type}, {limit}");
    }
    let none = engine.near_words(EntityType::Contract, &[], 9, Deadline::never());
    assert!(none.unwrap().is_empty());
}

fn page(engine: &dyn Engine, query: &SearchQuery, limit: usize, start: Start) -> (Vec<String>, Option<String>) {
    let hits = engine.search(query, &Page { limit, start }, Deadline::never()).unwrap();
    let records = hits
        .records
        .iter()
        .map(|record| String::from_utf8(record.to_vec()).unwrap())
        .collect();
    // The position is encoded and decoded, as a client would pass it.
    (records, hits.next.map(|position| Cursor::new(query, position).encode()))
}

/// All matches, paged by offset: the next page starts where the last one ended, which may be before its limit.
fn all_by_offset(engine: &dyn Engine, query: &SearchQuery, limit: usize) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let (records, _) = page(engine, query, limit, Start::Offset(all.len()));
        let bytes: usize = records.iter().map(String::len).sum();
        let is_last = records.len() < limit && bytes < MAX_PAGE_BYTES / 2;
        all.extend(records);
        if is_last {
            return all;
        }
    }
}

fn agree(engine: &dyn Engine, scan: &dyn Engine, query: &SearchQuery, limit: usize, offset: usize) {
    let all = all_by_offset(scan, query, usize::MAX - 1);
    assert_eq!(
        page(engine, query, limit, Start::Offset(offset)),
        page(scan, query, limit, Start::Offset(offset)),
        "offset {offset} limit {limit} of {query:?}"
    );
    if matches!(query.sort.key, SortKey::Value | SortKey::Relevance) {
        // These orders have no cursors.
        assert_eq!(all_by_offset(engine, query, limit), all, "the pages of {query:?}");
        return;
    }
    let (mut paged, mut start) = (Vec::new(), Start::Offset(0));
    loop {
        let (records, next) = page(engine, query, limit, start.clone());
        assert_eq!(
            (&records, &next),
            (&page(scan, query, limit, start).0, &next),
            "a page of {query:?}"
        );
        paged.extend(records);
        let Some(next) = next else { break };
        start = Start::After(Cursor::decode(&next).unwrap().position_in(query).unwrap());
    }
    assert_eq!(paged, all, "all pages of {query:?}");
    assert_eq!(
        paged.iter().collect::<HashSet<_>>().len(),
        paged.len(),
        "each record once"
    );
}

#[test]
fn the_engine_agrees_with_a_linear_scan() {
    let mut runner = TestRunner::new(ProptestConfig {
        cases: stores::cases(16),
        max_shrink_iters: 40,
        ..ProptestConfig::default()
    });
    let queries = proptest::collection::vec((query(), 1usize..30, 0usize..40), 120);
    runner
        .run(&(records(), queries), |(records, queries)| {
            let folder = tempfile::tempdir().unwrap();
            write_dumps(folder.path(), &records);
            let engine = build(folder.path(), &folder.path().join("index"));
            let scan = ScanEngine::new(&records);
            for (query, limit, offset) in &queries {
                agree(&*engine, &scan, query, *limit, *offset);
            }
            for (query, size, _) in queries.iter().take(6) {
                agree_on_aggregations(&*engine, &scan, query, *size);
            }
            for (query, ..) in queries.iter().take(20) {
                agree_on_market(&*engine, &scan, query);
            }
            agree_on_names(&*engine, &scan);
            names_have_all_their_records(&*engine, &records);
            agree_on_near_words(&*engine, &scan);
            for (entity_type, json) in &records {
                let id = serde_json::from_str::<Value>(json).unwrap()["record_id"]
                    .as_str()
                    .unwrap()
                    .to_owned();
                let found = engine.record(*entity_type, &id, Deadline::never()).unwrap();
                assert_eq!(found.as_deref(), Some(json.as_bytes()));
            }
            let nothing = engine.record(EntityType::Award, "nothing", Deadline::never());
            assert_eq!(nothing.unwrap(), None);
            Ok(())
        })
        .unwrap();
}

/// With terms and filters of all sorts, including filters that nothing passes.
#[test]
fn the_engine_agrees_with_a_linear_scan_on_similarity() {
    let mut runner = TestRunner::new(ProptestConfig {
        cases: stores::cases(8),
        max_shrink_iters: 40,
        ..ProptestConfig::default()
    });
    let queries = proptest::collection::vec((query(), similarity_query(), 0usize..12), 80);
    runner
        .run(&(records(), queries), |(records, queries)| {
            let folder = tempfile::tempdir().unwrap();
            write_dumps(folder.path(), &records);
            let engine = build(folder.path(), &folder.path().join("index"));
            let scan = ScanEngine::new(&records);
            for (query, terms, limit) in &queries {
                agree_on_similarity(&*engine, &scan, query, terms, *limit);
            }
            Ok(())
        })
        .unwrap();
}

/// So many records that most windows are scored with something to beat.
#[test]
fn the_best_of_many_records_are_those_of_a_linear_scan() {
    let mut runner = TestRunner::deterministic();
    let mut records = Vec::new();
    let record = record();
    for number in 0..3000 {
        let (_, mut fields) = record.new_tree(&mut runner).unwrap().current();
        fields.insert("record_id".into(), json!(format!("{}", (number * 7919) % 10_007)));
        // Of contracts, the build would calibrate estimates, which no search reads.
        records.push((EntityType::Tender, Value::Object(fields).to_string()));
    }
    let folder = tempfile::tempdir().unwrap();
    write_dumps(folder.path(), &records);
    let engine = build(folder.path(), &folder.path().join("index"));
    let scan = ScanEngine::new(&records);
    for number in 0..60 {
        let mut query = query().new_tree(&mut runner).unwrap().current();
        let q = q().new_tree(&mut runner).unwrap().current();
        let Ok(text) = TextQuery::parse(&q) else { continue };
        query.entity_type = EntityType::Tender;
        let codes = codes().new_tree(&mut runner).unwrap().current();
        query.text = Some(match codes {
            Some(codes) => text.or_codes(codes),
            None => text,
        });
        query.filters.truncate(number % 2);
        query.sort = Sort {
            key: SortKey::Relevance,
            order: Order::Desc,
        };
        let (best, _) = page(&scan, &query, 45, Start::Offset(0));
        for (limit, offset) in [(1, 0), (7, 0), (5, 40)] {
            let expected = best.iter().skip(offset).take(limit);
            assert!(
                page(&*engine, &query, limit, Start::Offset(offset))
                    .0
                    .iter()
                    .eq(expected),
                "offset {offset} limit {limit} of {query:?}"
            );
        }
    }
}

/// Records so large that the build makes several segments, which must be merged in order, and that a page ends at its
/// size.
#[test]
fn several_segments_are_merged_in_order() {
    let mut runner = TestRunner::deterministic();
    let mut records = Vec::new();
    for number in 0..200 {
        let (_, mut fields) = record().new_tree(&mut runner).unwrap().current();
        fields.insert("record_id".into(), json!(format!("{}", (number * 7919) % 10_007)));
        fields.insert("unknown_to_the_schema".into(), json!("x".repeat(240 << 10)));
        records.push((EntityType::Contract, Value::Object(fields).to_string()));
    }
    let folder = tempfile::tempdir().unwrap();
    write_dumps(folder.path(), &records);
    let engine = build(folder.path(), &folder.path().join("index"));
    let scan = ScanEngine::new(&records);
    for _ in 0..10 {
        let mut query = query().new_tree(&mut runner).unwrap().current();
        query.entity_type = EntityType::Contract;
        query.sort.key = if query.sort.key == SortKey::ClosingDate {
            SortKey::Date
        } else {
            query.sort.key
        };
        agree(&*engine, &scan, &query, 60, 3);
    }
}
