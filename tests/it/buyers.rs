//! Buyers and their divisions, sums in Canadian dollars, and what market figures are computed from, on records few
//! enough to count by hand.

use std::{collections::BTreeMap, sync::Arc};

use procure::{
    engine::{
        Deadline, Engine,
        aggregation::{TermsAggregation, ValueAggregation},
        names::BodyKind,
    },
    model::{entity_type::EntityType, facet::Facet},
    query::{Filter, SearchQuery},
};
use serde_json::{Value, json};

use crate::{
    model::{build, write_dumps},
    support::{TestServer, merged},
};

fn records() -> Vec<(EntityType, String)> {
    let contract = |id: &str, day: &str, vendor: &str, more: Value| {
        let record = json!({"record_id": id, "award_date": day, "vendor_name": vendor, "municipality": "toronto"});
        (EntityType::Contract, merged(record, &more).to_string())
    };
    let toronto = |division: &str, value: f64| json!({"department_en": division, "buyer_name": "City of Toronto", "contract_value": value});
    let disclosure = |id: &str, day: &str, bids: &str, original: f64, value: f64, currency: &str| {
        let record = json!({"record_id": id, "award_date": day, "vendor_name": "Acme", "municipality": "federal", "department_en": "National Defence",
            "number_of_bids": bids, "original_value": original, "contract_value": value, "currency": currency});
        (EntityType::Disclosure, record.to_string())
    };
    vec![
        contract("c1", "2023-05-01", "Acme", toronto("Toronto Water", 60.0)),
        contract("c2", "2024-05-01", "ACME", toronto("Toronto water", 20.0)),
        contract("c3", "2024-06-01", "Bolt", toronto("Fleet Services", 20.0)),
        contract(
            "c4",
            "2024-07-01",
            "Bolt",
            json!({"buyer_name": "CITY OF TORONTO", "contract_value": 900.0, "currency": "USD"}),
        ),
        contract(
            "c5",
            "2022-07-01",
            "Creditor",
            json!({"department_en": "National Defence", "department_fr": "Défense nationale", "buyer_name": "Public Works",
                "government_level": "federal", "contract_value": -5.0, "currency": "CAD"}),
        ),
        contract(
            "c6",
            "2022-07-02",
            "Bolt",
            json!({"department_fr": "Défense nationale", "currency": "EUR"}),
        ),
        contract("c7", "2022-07-02", "Dent", json!({"department_en": "Fleet Services"})),
        disclosure("d1", "2024-01-01", "1", 100.0, 150.0, "CAD"),
        disclosure("d2", "2024-01-01", "3", 100.0, 110.0, "CAD"),
        disclosure("d3", "2024-01-01", "1", 100.0, 990.0, "USD"),
        disclosure("d4", "2024-01-01", "several", 0.0, 5.0, "CAD"),
    ]
}

/// Counts of contracts and disclosures.
struct Counted {
    _folder: tempfile::TempDir,
    engine: Arc<dyn Engine>,
}

impl Counted {
    fn new() -> Counted {
        let folder = tempfile::tempdir().unwrap();
        write_dumps(folder.path(), &records());
        let engine = build(folder.path(), &folder.path().join("index"));
        Counted {
            _folder: folder,
            engine,
        }
    }

    /// The values of a facet of all contracts: the number of records and the sum.
    fn buckets(&self, facet: Facet) -> Vec<(String, u64, f64)> {
        let all = SearchQuery::newest(EntityType::Contract, Vec::new());
        let terms = [TermsAggregation::top(99, facet)];
        let counted = self
            .engine
            .aggregate(&all, &terms, ValueAggregation::Sum, Deadline::never());
        let buckets = counted.unwrap().facets.remove(&facet).unwrap().buckets;
        let rows = buckets.into_iter();
        rows.map(|bucket| (bucket.value, bucket.count, bucket.total_value.dollars()))
            .collect()
    }
}

fn rows(expected: &[(&str, u64, f64)]) -> Vec<(String, u64, f64)> {
    let rows = expected.iter();
    rows.map(|(value, count, sum)| ((*value).to_owned(), *count, *sum))
        .collect()
}

#[test]
fn a_buyer_and_a_division_have_all_records_that_name_them() {
    let counted = Counted::new();
    assert_eq!(
        counted.buckets(Facet::Department),
        rows(&[
            ("City of Toronto", 4, 100.0),
            ("Fleet Services", 2, 20.0),
            ("National Defence", 2, -5.0),
            ("Toronto Water", 2, 80.0),
            ("Public Works", 1, -5.0),
        ])
    );
    // One department for each record, as statistics count them.
    assert_eq!(
        counted.buckets(Facet::NamedDepartment),
        rows(&[
            ("Fleet Services", 2, 20.0),
            ("National Defence", 2, -5.0),
            ("Toronto Water", 2, 80.0),
            ("City of Toronto", 1, 0.0),
        ])
    );
    let kinds: BTreeMap<&str, BodyKind> = [
        ("City of Toronto", BodyKind::Buyer),
        ("toronto water", BodyKind::Division),
        ("Fleet Services", BodyKind::Both),
        ("Défense nationale", BodyKind::Buyer),
        ("Public works", BodyKind::Buyer),
    ]
    .into();
    for (name, kind) in kinds {
        let named = counted
            .engine
            .resolve_name(EntityType::Contract, Facet::Department, name, Deadline::never());
        assert_eq!(named.unwrap().unwrap().kind, Some(kind), "{name}");
    }
}

#[test]
fn sums_are_in_canadian_dollars_except_by_currency() {
    let counted = Counted::new();
    assert_eq!(
        counted.buckets(Facet::Currency),
        rows(&[("CAD", 4, 95.0), ("EUR", 1, 0.0), ("USD", 1, 900.0)])
    );
    assert_eq!(
        counted.buckets(Facet::Vendor),
        rows(&[
            ("Bolt", 3, 20.0),
            ("ACME", 2, 80.0),
            ("Creditor", 1, -5.0),
            ("Dent", 1, 0.0),
        ])
    );
    let all = SearchQuery::newest(EntityType::Contract, Vec::new());
    let counted_values = counted
        .engine
        .aggregate(&all, &[], ValueAggregation::Percentiles, Deadline::never());
    let values = counted_values.unwrap().values.unwrap();
    assert_eq!((values.records_with_value, values.total_value.dollars()), (4, 95.0));
    let distribution = values.distribution.unwrap();
    assert_eq!((distribution.min, distribution.max), (-5.0, 60.0));
    // A filter by value uses the number as published.
    let large = Filter::Values {
        min: Some(900.0),
        max: None,
    };
    let query = SearchQuery::newest(EntityType::Contract, vec![large]);
    let found = counted
        .engine
        .aggregate(&query, &[], ValueAggregation::Sum, Deadline::never())
        .unwrap();
    assert_eq!((found.total, found.values.unwrap().records_with_value), (1, 0));
}

#[test]
fn market_figures_follow_their_definitions() {
    let counted = Counted::new();
    let market = |entity_type: EntityType| {
        let all = SearchQuery::newest(entity_type, Vec::new());
        counted.engine.market(&all, Deadline::never()).unwrap()
    };
    let contracts = market(EntityType::Contract);
    // Acme 80 and Bolt 20: 80² + 20².
    assert_eq!(contracts.with_vendor, 4);
    assert_eq!(
        (contracts.vendor_value.dollars(), contracts.top_five_value.dollars()),
        (100.0, 100.0)
    );
    assert_eq!(contracts.concentration.map(f64::round), Some(6800.0));
    assert_eq!(contracts.new_vendors, [(2022, 3), (2023, 1)].into());
    assert_eq!(contracts.vendors_by_year, [(2022, 3), (2023, 1), (2024, 2)].into());
    assert_eq!((contracts.growth.records, contracts.bids.len()), (0, 0));
    let disclosures = market(EntityType::Disclosure);
    assert_eq!(disclosures.bids, [(1, 2), (3, 1)].into());
    let growth = disclosures.growth;
    assert_eq!(
        (growth.records, growth.original.dollars(), growth.current.dollars()),
        (3, 200.0, 265.0)
    );
    assert_eq!(market(EntityType::Tender), Default::default());
}

#[test]
fn the_list_the_profile_and_the_filter_of_a_name_agree() {
    let server = TestServer::own(&records(), |_| {});
    let get = |path: &str| {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.detail());
        answer.json()
    };
    for (name, records, total, kind) in [
        ("City of Toronto", 4, 100.0, "buyer"),
        ("Toronto Water", 2, 80.0, "division"),
        ("Fleet Services", 2, 20.0, "both"),
        ("Public Works", 1, -5.0, "buyer"),
        // Of its two contracts, one states the French name only.
        ("National Defence", 2, -5.0, "buyer"),
        ("Défense nationale", 2, -5.0, "buyer"),
    ] {
        let path = name.replace(' ', "%20").replace('é', "%C3%A9");
        let row = &get(&format!("/departments?entity_type=contract&q={path}"))["results"][0];
        assert_eq!(
            *row,
            json!({"department": row["department"], "kind": kind, "records": records, "total_value": total}),
            "{name}"
        );
        let profile = get(&format!("/department/{path}"));
        assert_eq!(
            (&profile["total_contracts"], &profile["total_value"], &profile["kind"]),
            (&json!(records), &json!(total), &json!(kind)),
            "{name}"
        );
        let filtered = get(&format!("/contract?department={path}&include_total=true"));
        assert_eq!(filtered["total"], records, "{name}");
        assert_eq!(filtered["results"], profile["contracts"], "{name}");
    }
    // The disclosures state the English name only; a contract states that both are one department.
    for name in ["D%C3%A9fense%20nationale", "fense", "National%20Defence"] {
        let listed = get(&format!("/departments?entity_type=disclosure&q={name}"));
        assert_eq!(listed["results"][0]["records"], 4, "{name}: {listed}");
        let filtered = get(&format!("/disclosure?department={name}&include_total=true"));
        assert_eq!(filtered["total"], 4, "{name}");
        let french = filtered["results"][0].get("department_fr");
        assert_eq!(french, None, "a record is as published");
    }
    let profile = get("/department/D%C3%A9fense%20nationale");
    let disclosures = profile["by_entity_type"].as_array().unwrap();
    let disclosures = disclosures.iter().find(|of| of["entity_type"] == "disclosure");
    assert_eq!(disclosures.unwrap()["records"], 4);
    let answer = server.get("/department/City%20of%20Tronto");
    let expected = "no department has the name 'City of Tronto'; similar names: 'City of Toronto'";
    assert_eq!(answer.status, 404);
    assert!(answer.detail().starts_with(expected), "{}", answer.detail());
}
