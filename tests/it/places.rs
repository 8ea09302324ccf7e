//! Whose records they are, as `coverage` describes it.

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
fn coverage_describes_every_kind_of_place() {
    let mut places = vec![
        "federal".to_owned(),
        "saint-elzear-bonaventure".to_owned(),
        "nowhere".to_owned(),
    ];
    for (code, ..) in PROVINCES {
        places.extend(["provincial", "municipal"].map(|level| format!("{}-{level}", code.to_lowercase())));
    }
    let records: Vec<_> = places.iter().enumerate().map(|(n, place)| contract(n, place)).collect();
    let server = TestServer::own(&records, |_| ());
    let coverage = server.get("/contract/coverage").json();
    assert_eq!(coverage["count"], places.len());
    let of = |place: &str| -> Value {
        let rows = coverage["results"].as_array().unwrap();
        rows.iter().find(|row| row["municipality"] == place).unwrap().clone()
    };
    let described = |place: &str| {
        let row = of(place);
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
        "of a place the table does not have, what its records state"
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
