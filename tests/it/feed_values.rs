//! The file of estimated values that `procure index` writes for the embedded engine.

use std::{
    fs,
    sync::atomic::{AtomicI64, Ordering},
};

use chrono::{DateTime, TimeDelta, Utc};
use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use crate::{
    feed::{ids, tender},
    support::TestServer,
};

/// Changes the file of values of the generation in service, or removes it, and what the manifest states about it.
fn set_values_of_index(server: &TestServer, values: Option<&Value>) {
    let id = fs::read_to_string(server.index_dir().join("CURRENT")).unwrap();
    let folder = server.index_dir().join(id.trim());
    let path = folder.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let files = manifest["files"].as_array_mut().unwrap();
    let listed = files.iter().position(|file| file["path"] == "tender_values.json");
    files.remove(listed.unwrap());
    match values {
        Some(values) => {
            let bytes = serde_json::to_vec(values).unwrap();
            fs::write(folder.join("tender_values.json"), &bytes).unwrap();
            files.push(json!({"path": "tender_values.json", "bytes": bytes.len(), "crc32": crc32fast::hash(&bytes)}));
        }
        None => fs::remove_file(folder.join("tender_values.json")).unwrap(),
    }
    fs::write(path, serde_json::to_vec(&manifest).unwrap()).unwrap();
}

#[test]
fn the_values_of_open_tenders_are_in_the_index() {
    static CLOCK: AtomicI64 = AtomicI64::new(0);
    fn clock() -> DateTime<Utc> {
        DateTime::from_timestamp(CLOCK.load(Ordering::Relaxed), 0).unwrap()
    }
    // The day of a build is that of the system's clock.
    let days_ago = |days: i64| (Utc::now() - TimeDelta::days(days)).date_naive().to_string();
    let contract = |number: i64| {
        let contract = json!({
            "record_id": format!("c{number:02}"), "award_date": days_ago(30 + number), "municipality": "laval",
            "department_en": "Ville de Laval", "title_en": "Snow removal", "gsin": "N7030",
            "procurement_category": "SRV", "vendor_name": format!("Vendor {number}"),
            "contract_value": 50_000 + number * 100, "currency": "CAD", "fetched_at": "2026-01-01T00:00:00Z",
        });
        (EntityType::Contract, contract.to_string())
    };
    let mut records: Vec<_> = (0..40).map(contract).collect();
    let like = json!({
        "publication_date": days_ago(2), "department_en": "Ville de Laval", "gsin": "N7030",
        "procurement_category": "SRV",
    });
    records.push(tender("estimated", like));
    let unlike = json!({
        "publication_date": days_ago(3), "title_en": "Zeppelin", "title_fr": null, "municipality": "gatineau",
    });
    records.push(tender("unknown", unlike));
    records.push(tender(
        "stated",
        json!({"publication_date": days_ago(4), "contract_value": 5.0}),
    ));
    records.push(tender(
        "closed",
        json!({"publication_date": days_ago(2), "status": "Expired", "title_en": "c"}),
    ));
    let mut server = TestServer::own(&records, |_| {});
    server.stop();
    let id = fs::read_to_string(server.index_dir().join("CURRENT")).unwrap();
    let path = server.index_dir().join(id.trim()).join("tender_values.json");
    let file: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let noon_of_build = file["day"].as_i64().unwrap() * 86_400 + 16 * 3_600;
    CLOCK.store(noon_of_build, Ordering::Relaxed);
    let values = file["values"].as_object().unwrap();
    assert_eq!(values.keys().collect::<Vec<_>>(), ["estimated", "unknown"]);
    assert!((50_000.0..54_000.0).contains(&values["estimated"].as_f64().unwrap()));
    assert_eq!(values["unknown"], Value::Null);
    let value_in_feed = |server: &TestServer| {
        let answer = server.get("/tender/feed");
        assert_eq!(ids(&answer), ["estimated", "unknown", "stated"]);
        answer.json()["results"][0]["estimated_value"].clone()
    };

    // A server reads them: it would never compute this one.
    let mut changed = file.clone();
    changed["values"]["estimated"] = json!(123.45);
    set_values_of_index(&server, Some(&changed));
    let mut server = server.restart(|config| config.now = clock);
    assert_eq!(value_in_feed(&server), 123.45);

    // An older program wrote no such file.
    server.stop();
    set_values_of_index(&server, None);
    let server = server.restart(|config| config.now = clock);
    assert_eq!(value_in_feed(&server), values["estimated"]);
}
