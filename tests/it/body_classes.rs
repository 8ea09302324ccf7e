//! The filter and the facet `body_class`, against a list written by hand.

use std::collections::BTreeMap;

use procure::model::entity_type::EntityType;
use serde_json::json;

use crate::support::TestServer;

/// Level, buyer, department and class of a contract.
const ROWS: [(&str, &str, &str, &str); 9] = [
    ("provincial", "CHU Sainte-Justine", "Approvisionnement", "health"),
    (
        "provincial",
        "Centre de santé et de services sociaux de Laval",
        "",
        "health",
    ),
    (
        "provincial",
        "",
        "Ministère de la Santé et des Services sociaux",
        "other",
    ),
    ("federal", "", "Health Services Branch", "other"),
    ("provincial", "Université Laval", "École de technologie", "university"),
    ("provincial", "Commission scolaire de Laval", "", "school"),
    ("municipal", "City of Toronto", "Toronto Public Health", "municipality"),
    ("municipal", "Société de transport de Laval", "", "transit"),
    ("provincial", "", "", ""),
];

#[test]
fn a_class_of_buyers_filters_and_counts() {
    let record = |(number, (level, buyer, department, _)): (usize, &(&str, &str, &str, &str))| {
        let record = json!({"record_id": format!("r{number}"), "award_date": "2024-02-01", "vendor_name": "A",
            "municipality": "laval", "government_level": level, "buyer_name": buyer, "department_fr": department});
        (EntityType::Contract, record.to_string())
    };
    let records: Vec<_> = ROWS.iter().enumerate().map(record).collect();
    let server = TestServer::own(&records, |_| {});
    let of_classes = |classes: &[&str]| -> Vec<String> {
        let rows = ROWS.iter().enumerate();
        let found = rows.filter(|(_, row)| classes.contains(&row.3));
        found.map(|(number, _)| format!("r{number}")).collect()
    };
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for class in [
        "health",
        "university",
        "college",
        "school",
        "transit",
        "housing",
        "municipality",
        "other",
    ] {
        let expected = of_classes(&[class]);
        assert_eq!(
            server.get(&format!("/contract?body_class={class}")).ids(),
            expected,
            "{class}"
        );
        if !expected.is_empty() {
            counts.insert(class.to_owned(), expected.len() as u64);
        }
    }
    let several = server.get("/contract?body_class=school,health&level=provincial");
    assert_eq!(several.ids(), of_classes(&["school", "health"]));
    let facet = server.get("/contract?facets=body_class").json()["facets"]["body_class"]["values"].clone();
    let counted = facet.as_array().unwrap().iter().map(|value| {
        let text = value["value"].as_str().unwrap().to_owned();
        (text, value["count"].as_u64().unwrap())
    });
    assert_eq!(counted.collect::<BTreeMap<String, u64>>(), counts);
    let refused = server.get("/contract?body_class=hospital");
    assert_eq!(refused.status, 422);
    assert!(
        refused.detail().contains("'hospital' is not one of health, university"),
        "{}",
        refused.detail()
    );
}
