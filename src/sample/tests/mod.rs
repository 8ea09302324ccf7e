//! What holds for every sample: the same bytes, valid records, figures like the real ones.

mod agreement;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::LazyLock,
};

use serde_json::{Map, Value};
use tempfile::TempDir;

use super::*;
use crate::model::{Date, FieldType, Role, Schema};

type Record = Map<String, Value>;

fn sample(records: u64, seed: u64, entity_types: Vec<EntityType>) -> (TempDir, SampleSummary) {
    let folder = tempfile::tempdir().unwrap();
    let options = SampleOptions {
        entity_types,
        ..SampleOptions::new(records, seed, folder.path().to_owned())
    };
    let summary = run(&options).unwrap();
    (folder, summary)
}

/// Large enough for figures to settle.
static LARGE: LazyLock<BTreeMap<EntityType, Vec<Record>>> = LazyLock::new(|| {
    let (folder, _) = sample(40_000, 1, Vec::new());
    EntityType::ALL
        .into_iter()
        .map(|kind| (kind, records(folder.path(), kind)))
        .collect()
});

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample")
}

const BIDS: &str = "bids";
const SUPPLIERS: &str = "suppliers.ndjson";

/// Every file of a folder of dumps, by its path within, in order.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    if let Ok(bytes) = fs::read(folder.join(SUPPLIERS)) {
        found.insert(SUPPLIERS.to_owned(), bytes);
    }
    for kind in EntityType::ALL.map(EntityType::name).into_iter().chain([BIDS]) {
        let Ok(entries) = fs::read_dir(folder.join(kind)) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = format!("{kind}/{}", path.file_name().unwrap().to_str().unwrap());
            found.insert(name, fs::read(path).unwrap());
        }
    }
    found
}

fn records(folder: &Path, kind: EntityType) -> Vec<Record> {
    let of_kind = format!("{kind}/");
    files(folder)
        .into_iter()
        .filter(|(name, _)| name.starts_with(&of_kind))
        .flat_map(|(name, bytes)| {
            let text = String::from_utf8(bytes).unwrap();
            let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{name}: {e}: {line}"));
            text.lines().map(parse).collect::<Vec<Record>>()
        })
        .collect()
}

fn text<'a>(record: &'a Record, field: &str) -> &'a str {
    record.get(field).and_then(Value::as_str).unwrap_or("")
}

#[test]
fn the_committed_sample_is_the_output_of_the_generator() {
    let folder = tempfile::tempdir().unwrap();
    let options = SampleOptions::new(2_700, 20_261_031, folder.path().to_owned());
    run(&SampleOptions { bids: true, ..options }).unwrap();
    let made = files(folder.path());
    if std::env::var_os("PROCURE_WRITE_SAMPLE").is_some() {
        for (name, bytes) in &made {
            let path = committed().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
    let mut kept = files(&committed());
    kept.retain(|name, _| !name.ends_with("/edge-cases.ndjson"));
    assert_eq!(kept.keys().collect::<Vec<_>>(), made.keys().collect::<Vec<_>>());
    for (name, bytes) in &made {
        assert!(
            kept[name] == *bytes,
            "{name} differs: PROCURE_WRITE_SAMPLE=1 writes it anew"
        );
    }
}

/// Values that are empty for some records.
const OFTEN_EMPTY: [&str; 10] = [
    "amended",
    "early",
    "has-amendments",
    "open",
    "running",
    "municipal",
    "cheap",
    "in-quebec",
    "buyer.fr",
    "buyer.code",
];

/// A name that nothing defines would leave a text empty without an error.
#[test]
fn every_name_in_the_table_of_fields_is_a_value_or_a_variable() {
    let table = include_str!("../lists/records.txt");
    let rows = || lists::lines(table).filter(|line| !line.starts_with('['));
    let variables: BTreeSet<&str> = rows()
        .filter_map(|row| row.strip_prefix('@')?.split('|').next())
        .collect();
    let mut generator = Generator::new(&SOURCES[0], 1, 10, Date::parse("2026-10-31").unwrap());
    generator.record(&SOURCES[0], 1);
    let names = |row: &'static str| {
        let parts: Vec<&str> = row.splitn(3, '|').collect();
        let words = parts[1].split_whitespace().map(|word| word.trim_start_matches('!'));
        let conditions = words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
        let conditions = conditions.map(|word| word.split(['=', '%']).next().unwrap());
        let values = parts[2]
            .split('<')
            .skip(1)
            .map(|value| value.split('>').next().unwrap());
        conditions.chain(values).collect::<Vec<_>>()
    };
    for name in rows().flat_map(names) {
        let base = name
            .trim_start_matches("upper ")
            .trim_start_matches("folded ")
            .split('.')
            .next()
            .unwrap();
        let is_known = name.starts_with("any ") || variables.contains(base) || !generator.value(name).is_empty();
        assert!(is_known || OFTEN_EMPTY.contains(&name), "no value is called {name}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let (one, summary) = sample(3_000, 5, Vec::new());
    let (same, _) = sample(3_000, 5, Vec::new());
    let (other, _) = sample(3_000, 6, Vec::new());
    assert_eq!(files(one.path()), files(same.path()));
    let (one, other) = (files(one.path()), files(other.path()));
    assert!(one.iter().all(|(name, bytes)| other[name] != *bytes));
    let bytes: u64 = one.values().map(|bytes| bytes.len() as u64).sum();
    assert_eq!(bytes, summary.files.iter().map(|file| file.bytes).sum::<u64>());
}

#[test]
fn the_sample_has_the_number_of_records_and_the_entity_types_asked_for() {
    for (asked, entity_types) in [
        (0, vec![]),
        (1, vec![]),
        (1_003, vec![]),
        (777, vec![EntityType::Contract]),
        (50, vec![EntityType::Award, EntityType::Tender]),
    ] {
        let (folder, summary) = sample(asked, 3, entity_types.clone());
        let written: usize = EntityType::ALL
            .iter()
            .map(|kind| records(folder.path(), *kind).len())
            .sum();
        assert_eq!(written as u64, asked);
        assert_eq!(summary.files.iter().map(|file| file.records).sum::<u64>(), asked);
        let is_asked = |file: &SampleFile| entity_types.is_empty() || entity_types.contains(&file.entity_type);
        assert!(summary.files.iter().all(is_asked));
    }
}

#[test]
fn too_many_records_are_refused() {
    let options = SampleOptions::new(MAX_RECORDS + 1, 1, PathBuf::from("never-written"));
    assert!(run(&options).unwrap_err().to_string().contains("up to 30000000"));
}

#[test]
fn the_summary_names_each_file() {
    let (_folder, summary) = sample(100, 1, vec![EntityType::Award]);
    let shown = summary.to_string();
    assert!(shown.starts_with("award/canadabuys-award.ndjson"), "{shown}");
    assert!(shown.ends_with("100 records"), "{shown}");
}

#[test]
fn every_generated_record_is_valid() {
    for (kind, records) in LARGE.iter() {
        for record in records {
            for (name, value) in record {
                let field = Schema::of(*kind).field(name);
                let field_type = field.unwrap_or_else(|| panic!("{kind} declares no {name}")).field_type;
                assert!(is_valid(value, field_type), "{kind}.{name}: {value}");
            }
            for required in ["record_id", "municipality", "fetched_at"] {
                assert!(
                    !text(record, required).is_empty(),
                    "{kind} without {required}: {record:?}"
                );
            }
            let date = Schema::of(*kind).role(Role::Date)[0];
            assert!(record.contains_key(&Schema::of(*kind).fields[date].name));
        }
    }
}

fn is_valid(value: &Value, field_type: FieldType) -> bool {
    match field_type {
        // What is not known is left out, never written empty.
        FieldType::Text => value.as_str().is_some_and(|text| !text.trim().is_empty()),
        FieldType::Date => value.as_str().is_some_and(|text| Date::parse_prefix(text).is_ok()),
        FieldType::Number => value.is_f64(),
        FieldType::Count => value.is_u64(),
        FieldType::Object => value.is_object(),
        FieldType::TextArray => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        FieldType::ObjectArray => value.as_array().is_some_and(|list| list.iter().all(Value::is_object)),
    }
}

#[test]
fn no_record_id_comes_twice() {
    let check = |records: &[Record], whose: &str| {
        let mut seen = BTreeSet::new();
        for record in records {
            let id = text(record, "record_id");
            assert!(!id.is_empty() && seen.insert(id), "{whose}: {id} twice");
        }
    };
    for (kind, large) in LARGE.iter() {
        check(large, kind.name());
        check(&records(&committed(), *kind), &format!("{kind} of data/sample"));
    }
}

#[test]
fn fields_are_as_present_as_the_specification_says() {
    for (kind, field, percent) in [
        (EntityType::Contract, "contract_value", 94),
        (EntityType::Contract, "department_fr", 94),
        (EntityType::Contract, "title_fr", 94),
        (EntityType::Contract, "ocid", 88),
        (EntityType::Contract, "vendor_id", 88),
        (EntityType::Contract, "contract_id", 88),
        (EntityType::Contract, "status_fr", 88),
        (EntityType::Contract, "publication_date", 88),
        (EntityType::Contract, "procurement_category", 85),
        (EntityType::Contract, "government_level", 82),
        (EntityType::Contract, "eligibility", 49),
        (EntityType::Contract, "end_date", 38),
        (EntityType::Contract, "province", 12),
        (EntityType::Award, "total_contract_value", 99),
        (EntityType::Award, "currency", 91),
        (EntityType::Award, "description_en", 90),
        (EntityType::Award, "amendment_date", 4),
        (EntityType::Tender, "notice_type_en", 94),
        (EntityType::Tender, "title_fr", 94),
        (EntityType::Tender, "procurement_category", 89),
        (EntityType::Tender, "ocid", 88),
        (EntityType::Tender, "government_level", 84),
        (EntityType::Tender, "documents", 47),
        (EntityType::Tender, "eligibility", 41),
        (EntityType::Tender, "closing_date", 38),
        (EntityType::StandingOffer, "supplier_operating_name", 59),
        (EntityType::StandingOffer, "eligibility", 3),
    ] {
        let records = &LARGE[&kind];
        let present = records.iter().filter(|record| record.contains_key(field)).count() * 100 / records.len();
        assert!(
            present.abs_diff(percent) <= 5,
            "{kind}.{field}: {present} %, not {percent}"
        );
    }
}

#[test]
fn suppliers_follow_zipf() {
    let contracts = &LARGE[&EntityType::Contract];
    let mut counts = BTreeMap::new();
    for contract in contracts {
        *counts
            .entry(crate::model::fold::fold(text(contract, "vendor_name")))
            .or_insert(0_usize) += 1;
    }
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let top = counts[0] * 1000 / contracts.len();
    assert!((20..100).contains(&top), "the largest supplier has {top} ‰");
    assert!(counts.len() > contracts.len() / 8, "{} suppliers", counts.len());
    assert!(counts[0] > counts[9] * 4 && counts[9] > counts[99] * 4);
    assert!(counts.iter().filter(|count| **count == 1).count() > counts.len() / 5);
}

#[test]
fn values_are_log_normal_with_exceptions() {
    let mut values: Vec<f64> = LARGE[&EntityType::Contract]
        .iter()
        .filter_map(|contract| contract.get("contract_value")?.as_f64())
        .collect();
    values.sort_unstable_by(f64::total_cmp);
    let median = values[values.len() / 2];
    assert!((20_000.0..34_000.0).contains(&median), "median {median}");
    assert!(values[0] < 0.0);
    assert!(values.contains(&0.0));
    assert!(values[values.len() - 1] > 1e7);
}

#[test]
fn days_are_in_the_window_and_recent_years_have_more() {
    let mut by_year = BTreeMap::new();
    let mut by_day = BTreeMap::new();
    let contracts = &LARGE[&EntityType::Contract];
    for contract in contracts {
        let day = text(contract, "award_date");
        assert!(("2011-11-01"..="2026-10-31").contains(&day), "{day}");
        *by_year.entry(&day[..4]).or_insert(0) += 1;
        *by_day.entry(day).or_insert(0) += 1;
    }
    assert!(by_year.len() >= 15);
    assert!(by_year["2025"] > by_year["2019"] && by_year["2019"] > by_year["2013"]);
    assert!(by_day.values().max().unwrap() * 50 < contracts.len());
}

#[test]
fn all_expected_values_occur() {
    let holds = |kind, field, value: &str| {
        let found = LARGE[&kind].iter().any(|record| text(record, field) == value);
        assert!(found, "no {kind} has {field} {value}");
    };
    for (kind, field, values) in [
        (
            EntityType::Contract,
            "vendor_province",
            vec!["QC", "Quebec", "Québec", "ON", "Ontario"],
        ),
        (
            EntityType::Contract,
            "procurement_category",
            vec!["CNST", "GD", "SRV", "SRVTGD", "GD,SRV", "CNST,GD,SRV"],
        ),
        (
            EntityType::Contract,
            "municipality",
            vec!["montreal", "toronto", "saint-jerome", "halifax", "federal"],
        ),
        (
            EntityType::Contract,
            "municipality",
            vec!["qc-provincial", "qc-municipal", "ns-provincial"],
        ),
        (
            EntityType::Tender,
            "status",
            vec!["Open", "Expired", "Cancelled", "active", "complete", "cancelled"],
        ),
        (EntityType::Tender, "status_fr", vec!["Ouvert", "Expiré", "Annulé"]),
        (
            EntityType::Tender,
            "notice_type_fr",
            vec!["Demande de propositions", "Appel d'offres"],
        ),
        (
            EntityType::PreSolicitation,
            "notice_type_en",
            vec!["Advance Contract Award Notice", "Invitation to Qualify"],
        ),
        (EntityType::Award, "status_en", vec!["Active", "Expired", "Cancelled"]),
        (
            EntityType::Disclosure,
            "reporting_period",
            vec!["2024-2025-Q3", "2025-2026-Q4"],
        ),
        (EntityType::StandingOffer, "expiry_date", vec!["2121-03-31"]),
    ] {
        for value in values {
            holds(kind, field, value);
        }
    }
}
