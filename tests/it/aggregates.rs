//! Statistics, names, profiles, solicitations, documents and facets over HTTP, on records few enough to count by hand.

use std::sync::LazyLock;

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use crate::support::{TestServer, merged};

pub fn records() -> Vec<(EntityType, String)> {
    let contract = |id: &str, day: &str, vendor: &str, value: Value, more: Value| {
        let record = json!({"record_id": id, "award_date": day, "vendor_name": vendor, "municipality": "federal", "contract_value": value});
        (EntityType::Contract, merged(record, &more).to_string())
    };
    let defence = json!({"department_en": "National Defence", "department_fr": "Défense nationale", "procurement_category": "GD,SRV",
        "solicitation_number": "W-24/A", "start_date": "2024-03-01", "status_en": "Active"});
    let french = json!({"department_fr": "Defense Nationale", "status_en": "Expired", "procurement_category": "SRV"});
    let other = |entity_type: EntityType, record: Value| (entity_type, record.to_string());
    vec![
        contract("c1", "2024-02-01", "Léo & Fils inc.", json!(100.10), defence.clone()),
        contract("c2", "2023-02-01", "LEO & FILS INC", json!(0.20), french.clone()),
        contract("c3", "2023-01-01", "Léo & Fils inc.", json!(-50), french),
        contract("c4", "2022-01-01", "Acme", Value::Null, json!({})),
        contract(
            "c5",
            "2022-01-02",
            "Acme Paving",
            json!(1e9),
            json!({"buyer_name": "City works", "solicitation_number": "w-24 a"}),
        ),
        other(
            EntityType::Tender,
            json!({"record_id": "t/1", "publication_date": "2023-12-01", "closing_date": "2024-01-15", "solicitation_number": "W-24/A",
            "municipality": "federal", "status": "Open", "notice_type_en": "Request for Proposal", "notice_type_fr": "Demande", "department_fr": "Défense nationale", "department_en": "National Defence",
            "documents": [{"doc_index": 0, "url": "https://example.org/a.pdf", "language": "en"}, {"doc_index": 1, "url": "https://example.org/b.pdf"}]}),
        ),
        other(
            EntityType::Tender,
            json!({"record_id": "t2", "publication_date": "2023-11-01", "municipality": "laval", "status": "Open", "solicitation_number": "N/A"}),
        ),
        other(
            EntityType::Award,
            json!({"record_id": "a1", "award_date": "2024-02-01", "solicitation_number": "W-24/A", "vendor_name": "Léo & Fils inc.",
            "municipality": "federal", "total_contract_value": 90, "department_fr": "Défense nationale"}),
        ),
        other(
            EntityType::Disclosure,
            json!({"record_id": "d1", "award_date": "2024-02-03", "vendor_name": "Acme", "municipality": "federal", "contract_value": 20,
            "department_en": "Public Works"}),
        ),
    ]
}

pub fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&records(), |_| {}));
    &SERVER
}

fn get(path: &str) -> Value {
    server().json(path)
}

fn refused(path: &str, status: u16, detail: &str) {
    server().refuses(path, status, detail);
}

#[test]
fn statistics_count_every_match() {
    let mut stats = get("/contract/stats");
    let fields = stats.as_object_mut().unwrap().remove("fields").unwrap();
    let as_of = stats.as_object_mut().unwrap().remove("as_of").unwrap();
    assert!(as_of.as_str().unwrap().ends_with('Z'));
    assert_eq!(
        stats,
        json!({
            "entity_type": "contract", "total": 5, "earliest_date": "2022-01-01", "latest_date": "2024-02-01",
            "statuses": [{"value": "Expired", "count": 2}, {"value": "Active", "count": 1}],
            "categories": [{"value": "SRV", "count": 3}, {"value": "GD", "count": 1}],
            "procurement_methods": [], "notice_types": [], "government_levels": [], "provinces": [],
            "municipalities": [{"value": "federal", "count": 5}],
            "top_departments": [{"department": "National Defence", "count": 3}, {"department": "City works", "count": 1}],
            "by_year": [
                {"year": 2022, "count": 2, "total_value": 1e9},
                {"year": 2023, "count": 2, "total_value": -49.8},
                {"year": 2024, "count": 1, "total_value": 100.1},
            ],
            "value": {"field": "contract_value", "records_with_value": 4, "min": -50.0, "max": 1e9, "mean": 250000012.58,
                "p10": -50.0, "p25": -50.0, "p50": 0.2, "p75": 100.1, "p90": 1e9, "total_value": 1000000050.3},
        })
    );
    let presence = |name: &str| {
        let row = fields.as_array().unwrap().iter().find(|row| row["field"] == name);
        row.map(|row| row["presence"].as_f64().unwrap())
    };
    assert_eq!(
        (presence("vendor_name"), presence("status_en"), presence("title_en")),
        (Some(1.0), Some(0.6), None)
    );

    // The filters of the entity type, and nothing else.
    let narrowed = get("/contract/stats?vendor=l%C3%A9o&issued_before=2023-12-31");
    assert_eq!(
        (&narrowed["total"], &narrowed["value"]["total_value"]),
        (&json!(2), &json!(-49.8))
    );
    assert_eq!(
        get("/tender/stats")["notice_types"],
        json!([{"value": "Demande", "count": 1}, {"value": "Request for Proposal", "count": 1}])
    );
    let awards = get("/award/stats");
    assert_eq!(
        (&awards["value"]["field"], &awards["value"]["min"]),
        (&json!("total_contract_value"), &json!(90.0))
    );
    let nothing = get("/standing_offer/stats");
    assert_eq!(
        (&nothing["total"], &nothing["value"], &nothing["earliest_date"]),
        (&json!(0), &Value::Null, &Value::Null)
    );
    let nothing = get("/contract/stats?q=nothing");
    assert_eq!(
        (&nothing["value"]["mean"], &nothing["value"]["total_value"]),
        (&Value::Null, &json!(0.0))
    );
    assert_eq!(nothing["by_year"], json!([]));
    refused(
        "/tender/stats?limit=3",
        422,
        "parameter 'limit': /tender/stats does not accept it; it accepts municipality, q, department, department_is, category, status, procurement_method, competition, level, body_class, region, notice_type, reference_number, value_min, value_max, issued_after, issued_before, closing_after, closing_before, commodity, body, quality_flag, translate, match_codes, q_in, include",
    );
    refused(
        "/contract/stats?munipality=x",
        422,
        "unknown parameter 'munipality'; nearest is 'municipality'",
    );
}

#[test]
fn vendors_are_found_by_part_of_their_name() {
    assert_eq!(
        get("/vendors?q=L%C3%89O%20%26"),
        json!({"total": 1, "count": 1, "offset": 0, "results": [{"vendor": "Léo & Fils inc.", "contracts": 3, "total_value": 50.3}]})
    );
    assert_eq!(
        get("/vendors?q=ac&limit=1&offset=1"),
        json!({"total": 2, "count": 1, "offset": 1, "results": [{"vendor": "Acme Paving", "contracts": 1, "total_value": 1e9}]})
    );
    assert_eq!(get("/vendors?q=ac&offset=9999999999")["count"], 0);
    for path in ["/vendors", "/vendors?q=", "/vendors?limit=5"] {
        refused(
            path,
            422,
            "parameter 'q' is required: part of a vendor's name, at least 2 letters or digits",
        );
    }
    refused(
        "/vendors?q=a-",
        422,
        "parameter 'q': 'a-' is too short; give at least 2 letters or digits",
    );
    refused(
        "/vendors?q=acme&limit=101",
        422,
        "parameter 'limit': '101' is not an integer from 1 to 100",
    );
    refused(
        "/vendors?name=acme",
        422,
        "unknown parameter 'name'; this endpoint accepts q, limit, offset",
    );
}

#[test]
fn the_names_of_a_department_are_one_row() {
    let row = |department: &str, records: u64, total: f64| json!({"department": department, "kind": "buyer", "records": records, "total_value": total});
    assert_eq!(
        get("/departments?q=defense"),
        json!({"total": 1, "count": 1, "offset": 0, "results": [row("National Defence", 5, 140.3)]})
    );
    assert_eq!(
        get("/departments?q=national&entity_type=award")["results"],
        json!([row("National Defence", 1, 90.0)])
    );
    assert_eq!(
        get("/departments?entity_type=contract")["results"],
        json!([row("National Defence", 3, 50.3), row("City works", 1, 1e9)])
    );
    refused(
        "/departments",
        422,
        "one of the parameters 'q' and 'entity_type' is required: part of a department's name, or an entity type",
    );
    refused(
        "/departments?entity_type=standing_offer",
        422,
        "parameter 'entity_type': 'standing_offer' is not one of contract, tender, award, disclosure",
    );
}

#[test]
fn a_vendor_profile_has_its_contracts() {
    let ids = |profile: &Value| -> Vec<String> {
        let contracts = profile["contracts"].as_array().unwrap().iter();
        contracts
            .map(|record| record["record_id"].as_str().unwrap().to_owned())
            .collect()
    };
    let profile = get("/vendor/leo%20%26%20fils%20INC");
    assert_eq!(
        (
            &profile["vendor_name"],
            &profile["total_contracts"],
            &profile["total_value"]
        ),
        (&json!("Léo & Fils inc."), &json!(3), &json!(50.3))
    );
    assert_eq!(
        profile["top_departments"],
        json!([{"department_en": "National Defence", "count": 3}])
    );
    assert_eq!(ids(&profile), ["c1", "c2", "c3"]);
    let profile =
        get("/vendor/L%C3%A9o%20&%20Fils%20inc.?sort_by=value&sort_order=asc&limit=2&offset=1&department=defense");
    assert_eq!(
        (ids(&profile), &profile["total_contracts"]),
        (vec!["c2".to_owned(), "c1".to_owned()], &json!(3))
    );
    let profile = get("/vendor/Acme?category=CNST");
    assert_eq!(
        (
            &profile["total_contracts"],
            &profile["total_value"],
            &profile["contracts"]
        ),
        (&json!(0), &json!(0.0), &json!([]))
    );
    refused(
        "/vendor/Acme%20Pavin",
        404,
        "no vendor has the name 'Acme Pavin'; similar names: 'Acme Paving', 'Acme'",
    );
    refused(
        "/vendor/zzz",
        404,
        "no vendor has the name 'zzz'; find its name with /vendors?q=…, or its records with /contract?vendor=…",
    );
    refused(
        "/vendor/Acme?q=x",
        422,
        "parameter 'q': /vendor/{name} does not accept it; it accepts category, department, commodity, include, issued_after, issued_before, sort_by, sort_order, limit, offset",
    );
    refused(
        "/vendor/Acme?sort_by=closing",
        422,
        "parameter 'sort_by': contract cannot be sorted by 'closing'; use one of date, value, ending",
    );
    refused(
        "/vendor/Acme?sort_by=relevance",
        422,
        "parameter 'sort_by': 'relevance' is not one of date, value, ending",
    );
    refused("/vendor/", 404, "no endpoint '/vendor/'; nearest is '/vendors'");
}

#[test]
fn a_department_profile_spans_the_entity_types() {
    for name in [
        "National%20Defence",
        "D%C3%A9fense%20nationale",
        "National%20Defence%20%7C%20D%C3%A9fense%20nationale",
    ] {
        let mut profile = get(&format!("/department/{name}"));
        let contracts = profile.as_object_mut().unwrap().remove("contracts").unwrap();
        assert_eq!(contracts.as_array().unwrap().len(), 3, "{name}");
        assert_eq!(
            profile,
            json!({
                "department_en": "National Defence", "department_fr": "Défense nationale", "kind": "buyer", "total_contracts": 3, "total_value": 50.3,
                "first_date": "2023-01-01", "last_date": "2024-02-01",
                "by_entity_type": [
                    {"entity_type": "contract", "records": 3, "total_value": 50.3},
                    {"entity_type": "tender", "records": 1, "total_value": 0.0},
                    {"entity_type": "award", "records": 1, "total_value": 90.0},
                ],
                "by_year": [{"year": 2023, "count": 2, "total_value": -49.8}, {"year": 2024, "count": 1, "total_value": 100.1}],
                "top_vendors": [{"vendor_name": "Léo & Fils inc.", "count": 3, "total_value": 50.3}],
                "top_categories": [{"category": "SRV", "count": 3}, {"category": "GD", "count": 1}],
            }),
            "{name}"
        );
    }
    let profile = get("/department/city%20works?vendor=acme&limit=1");
    assert_eq!(
        (&profile["total_contracts"], &profile["department_fr"]),
        (&json!(1), &json!("City works"))
    );
    refused(
        "/department/nobody%20at%20all",
        404,
        "no department has the name 'nobody at all'; find its name with /departments?q=…, or its records with /contract?department=…",
    );
}

#[test]
fn a_solicitation_has_its_records_from_notice_to_contract() {
    let mut found = get("/procurement/W-24/A?department=defen");
    for entity_type in ["contract", "tender", "award"] {
        assert_eq!(
            found
                .as_object_mut()
                .unwrap()
                .remove(entity_type)
                .unwrap()
                .as_array()
                .unwrap()
                .len(),
            1,
            "{entity_type}"
        );
    }
    let event = |date: &str, event: &str, entity_type: &str, id: &str| json!({"date": date, "event": event, "entity_type": entity_type, "record_id": id});
    assert_eq!(
        found,
        json!({
            "solicitation_number": "W-24/A", "count": 3, "total": 3, "entity_types": ["contract", "tender", "award"],
            "timeline": [
                event("2023-12-01", "published", "tender", "t/1"), event("2024-01-15", "closed", "tender", "t/1"),
                event("2024-02-01", "awarded", "award", "a1"),
                event("2024-02-01", "awarded", "contract", "c1"),
                event("2024-03-01", "started", "contract", "c1"),
            ],
            "total_value": 100.1, "vendors": ["Léo & Fils inc."], "buyers": ["National Defence"],
        })
    );
    // Totals do not depend on the number of records shown.
    let cut = get("/procurement/w-24-a?limit=1");
    assert_eq!(
        (
            &cut["count"],
            &cut["total"],
            &cut["total_value"],
            cut["contract"].as_array().unwrap().len()
        ),
        (&json!(3), &json!(4), &json!(1000000100.1), 1)
    );
    assert_eq!(cut["vendors"], json!(["Acme Paving", "Léo & Fils inc."]));
    refused(
        "/procurement/w-24-a?department=nobody",
        404,
        "no record with the solicitation number 'w-24-a' has a department that contains 'nobody'; leave out 'department', or check both",
    );
    // Numbers are compared folded; buyers with the same number are kept apart by the department.
    let found = get("/procurement/w%2024%20a");
    assert_eq!(
        (&found["count"], found["buyers"].as_array().unwrap().len()),
        (&json!(4), 2)
    );
    refused(
        "/procurement/nope",
        404,
        "no record has the solicitation number 'nope'; pass the `solicitation_number` of a record",
    );
    refused(
        "/procurement/N%2FA",
        404,
        "no record has the solicitation number 'N/A'; pass the `solicitation_number` of a record",
    );
    refused(
        "/procurement/--",
        404,
        "no record has the solicitation number '--'; pass the `solicitation_number` of a record",
    );
    refused(
        "/procurement/W-24?limit=501",
        422,
        "parameter 'limit': '501' is not an integer from 1 to 500",
    );
}

#[test]
fn the_documents_of_a_tender_are_numbered() {
    assert_eq!(
        get("/tender/t/1/documents/1"),
        json!({"record_id": "t/1", "doc_index": 1, "count": 2, "document": {"doc_index": 1, "url": "https://example.org/b.pdf"}})
    );
    refused(
        "/tender/t%2F1/documents/2",
        404,
        "tender 't/1' has no document '2'; it has 2 documents, numbered from 0 to 1",
    );
    refused(
        "/tender/t2/documents/0",
        404,
        "tender 't2' has no document '0'; it has no documents",
    );
    refused(
        "/tender/t/1/documents/one",
        422,
        "parameter 'doc_index': 'one' is not an integer of 0 or more",
    );
    refused(
        "/tender/nope/documents/0",
        404,
        "no tender record has the id 'nope'; pass the `record_id` of a search result unchanged",
    );
    refused(
        "/tender/t/1/documents/0?x=1",
        422,
        "unknown parameter 'x'; this endpoint accepts no parameters",
    );
}

#[test]
fn a_search_counts_on_request() {
    let plain = get("/contract?limit=1");
    assert!(plain.get("total").is_none() && plain.get("facets").is_none());
    let counted = get("/contract?limit=1&include_total=true&facets=vendor,year,vendor");
    assert_eq!(counted["total"], 5);
    assert_eq!(
        counted["facets"],
        json!({
            "vendor": {"values": [{"value": "Léo & Fils inc.", "count": 3}, {"value": "Acme", "count": 1}, {"value": "Acme Paving", "count": 1}], "distinct": 3, "other": 0},
            "year": {"values": [{"value": "2022", "count": 2}, {"value": "2023", "count": 2}, {"value": "2024", "count": 1}], "distinct": 3, "other": 0},
        })
    );
    // Counts do not depend on the page.
    let next = counted["next_cursor"].as_str().unwrap();
    let second = get(&format!(
        "/contract?limit=1&include_total=true&facets=vendor,year&cursor={next}"
    ));
    assert_eq!(
        (&second["total"], &second["facets"]),
        (&counted["total"], &counted["facets"])
    );
    assert_eq!(get("/contract?q=leo&include_total=true&offset=2")["total"], 3);

    let key = ("x-gateway-key", server().key.as_str());
    let head = server().request("HEAD", "/contract?vendor=leo&limit=1", &[key]);
    assert_eq!((head.status, head.header("x-total-count")), (200, Some("3")));
    refused(
        "/tender?facets=vendor",
        422,
        "parameter 'facets': 'vendor' is not one of status, category, municipality, department, body, year, commodity, quality_flag, currency, competition, level, body_class",
    );
    refused(
        "/contract?include_total=TRUE",
        422,
        "parameter 'include_total': 'TRUE' is not one of true, false; nearest is 'true'",
    );
    refused(
        "/contract?facet=vendor",
        422,
        "unknown parameter 'facet'; nearest is 'facets'",
    );
    refused(
        "/contract?total=true",
        422,
        "unknown parameter 'total'; nearest is 'include_total'",
    );
}

#[test]
fn a_plan_limits_the_contracts_of_a_profile() {
    let basic = server().new_key(procure::model::plans::Plan::Basic, "basic");
    let ask = |path: &str| server().request("GET", path, &[("x-gateway-key", &basic)]);
    assert_eq!(ask("/vendor/Acme?limit=500").header("x-limit-applied"), Some("100"));
}

#[test]
fn equivalent_queries_have_the_same_etag() {
    let tag = |path: &str| {
        let answer = server().get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.detail());
        answer.header("etag").unwrap().to_owned()
    };
    for (one, other) in [
        (
            "/contract/stats?city=federal&vendor=Acme",
            "/contract/stats?vendor=ACME&municipality=federal",
        ),
        ("/vendors?q=acme", "/vendors?limit=20&q=ACME&offset=0"),
        (
            "/vendor/Acme?date_from=2020-01-01",
            "/vendor/ACME?issued_after=2020-01-01&limit=100",
        ),
        ("/contract?facets=status,year", "/contract?facets=year,status,year"),
    ] {
        assert_eq!(tag(one), tag(other), "{one} {other}");
    }
    for (one, other) in [
        ("/vendors?q=acme", "/vendors?q=acme&offset=1"),
        ("/vendor/Acme", "/vendor/Acme%20Paving"),
        ("/contract/stats", "/contract/stats?value_min=1"),
        ("/contract", "/contract?include_total=true"),
    ] {
        assert_ne!(tag(one), tag(other), "{one} {other}");
    }
}
