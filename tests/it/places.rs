//! The municipalities in `/{entity_type}/coverage`.

use procure::model::{entity_type::EntityType, municipality::PROVINCES};
use serde_json::{Value, json};

use crate::support::TestServer;

fn contract(number: usize, municipality: &str) -> (EntityType, String) {
    let record = json!({
        "record_id": number.to_string(), "award_date": "2024-01-02", "municipality": municipality, "province": "ON",
        "government_level": "stated", "fetched_at": "2024-01-03T00:00:00Z",
    });
    (EntityType::Contract, record.to_string())
}

#[test]
fn coverage_describes_every_municipality() {
    let mut municipalities = vec![
        "federal".to_owned(),
        "saint-elzear-bonaventure".to_owned(),
        "nowhere".to_owned(),
    ];
    for (code, ..) in PROVINCES {
        municipalities.extend(["provincial", "municipal"].map(|level| format!("{}-{level}", code.to_lowercase())));
    }
    let records: Vec<_> = municipalities
        .iter()
        .enumerate()
        .map(|(n, slug)| contract(n, slug))
        .collect();
    let server = TestServer::own(&records, |_| ());
    let coverage = server.get("/contract/coverage").json();
    assert_eq!(coverage["count"], municipalities.len());
    let described = |slug: &str| {
        let rows = coverage["results"].as_array().unwrap();
        let row = rows.iter().find(|row| row["municipality"] == slug).unwrap();
        ["name_en", "name_fr", "province", "government_level"].map(|field| row[field].clone())
    };
    assert_eq!(
        described("federal"),
        [
            json!("Federal bodies"),
            json!("Organismes fédéraux"),
            Value::Null,
            json!("federal")
        ],
        "no province, whatever the records state"
    );
    let elzear = json!("Saint-Elzéar (Bonaventure)");
    assert_eq!(
        described("saint-elzear-bonaventure"),
        [elzear.clone(), elzear, json!("QC"), json!("municipal")]
    );
    assert_eq!(
        described("nowhere"),
        [Value::Null, Value::Null, json!("ON"), json!("stated")],
        "for a slug that is not in the table, what its records state"
    );
    for (code, english, french) in PROVINCES {
        for level in ["provincial", "municipal"] {
            let [name_en, name_fr, province, stated] = described(&format!("{}-{level}", code.to_lowercase()));
            assert!(name_en.as_str().unwrap().starts_with(english), "{name_en}");
            assert!(name_fr.as_str().unwrap().starts_with(french), "{name_fr}");
            assert_eq!((province, stated), (json!(code), json!(level)));
        }
    }
}
