//! `include=coverage`, and the sentences and shades of the pages, against a count of the records themselves.

use std::{collections::BTreeMap, fs};

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use crate::{stores, support::TestServer};

/// Source, city, day of the file, and records by year.
type Source = (&'static str, &'static str, &'static str, &'static [(i32, usize)]);

const SOURCES: [Source; 3] = [
    (
        "seao-xml",
        "laval",
        "2024-05-20T12:00:00Z",
        &[(2018, 60), (2019, 80), (2020, 50), (2021, 2), (2024, 1)],
    ),
    (
        "seao-ocds",
        "laval",
        "2024-07-01T12:00:00Z",
        &[(2022, 40), (2023, 44), (2024, 6)],
    ),
    (
        "toronto",
        "toronto",
        "2024-12-31T20:00:00Z",
        &[(2012, 1), (2022, 20), (2023, 30), (2024, 25), (2031, 9)],
    ),
];

fn contracts((source, city, fetched, years): &Source) -> Vec<Value> {
    let of_year = |(year, count): &(i32, usize)| {
        let year = *year;
        let contract = move |number: usize| {
            json!({"record_id": format!("{source}|{year}|{number}"), "award_date": format!("{year}-02-{:02}", number % 28 + 1),
                "vendor_name": format!("Vendor {}", number % 3), "municipality": city, "contract_value": 10, "fetched_at": fetched})
        };
        (0..*count).map(contract)
    };
    years.iter().flat_map(of_year).collect()
}

fn server() -> &'static TestServer {
    static SERVER: std::sync::LazyLock<TestServer> = std::sync::LazyLock::new(|| {
        let server = TestServer::own(&[(EntityType::Tender, json!({"record_id": "t"}).to_string())], |_| {});
        let dumps = crate::folder::folder();
        let folder = dumps.path().join("contract");
        fs::create_dir_all(&folder).unwrap();
        for source in &SOURCES {
            let lines: String = contracts(source).iter().map(|record| format!("{record}\n")).collect();
            fs::write(folder.join(format!("{}.ndjson", source.0)), lines).unwrap();
        }
        let id = stores::index(dumps.path(), &server.index_dir(), 64, true);
        server.wait_until("the generation is served", || {
            server.get("/contract?limit=1").header("x-index-generation") == Some(&id)
        });
        server
    });
    &SERVER
}

/// What a source covers, counted record by record, with fractions instead of whole numbers.
fn counted(source: &Source) -> Value {
    let mut years: BTreeMap<i32, u64> = BTreeMap::new();
    for contract in contracts(source) {
        let year: i32 = contract["award_date"].as_str().unwrap()[..4].parse().unwrap();
        *years.entry(year).or_default() += 1;
    }
    // The size of the year of each record.
    let mut sizes: Vec<u64> = years.values().flat_map(|size| vec![*size; *size as usize]).collect();
    sizes.sort();
    let usual = sizes[(sizes.len() - 1) / 2];
    let (file_year, days): (i32, f64) = match source.0 {
        // January to April, and 20 days of May; half a year and a day; a whole leap year.
        "seao-xml" => (2024, 141.0),
        "seao-ocds" => (2024, 183.0),
        _ => (2024, 366.0),
    };
    let covered = |year: i32, records: u64| {
        let share = records as f64 / usual as f64;
        match year {
            _ if records < 2 => "no",
            year if year > file_year => "no",
            year if year == file_year && share >= 0.05 * days / 365.0 => "part",
            year if year < file_year && share >= 0.25 => "whole",
            year if year < file_year && share >= 0.05 => "part",
            _ => "no",
        }
    };
    let rows: Vec<Value> = years
        .iter()
        .map(|(year, records)| json!({"year": year, "records": records, "covered": covered(*year, *records)}))
        .collect();
    json!({"source_id": source.0, "entity_type": "contract", "usual_records": usual, "until": &source.2[..10], "years": rows})
}

#[test]
fn coverage_is_that_of_the_sources_that_a_search_touches() {
    let expected = |ids: &[&str]| -> Value {
        let mut sources: Vec<&Source> = SOURCES.iter().filter(|source| ids.contains(&source.0)).collect();
        sources.sort_by_key(|source| source.0);
        sources.into_iter().map(counted).collect()
    };
    let all = expected(&["seao-ocds", "seao-xml", "toronto"]);
    assert_eq!(all[1]["years"][3], json!({"year": 2021, "records": 2, "covered": "no"}));
    assert_eq!(
        all[0]["years"][2],
        json!({"year": 2024, "records": 6, "covered": "part"})
    );
    let seao = || expected(&["seao-ocds", "seao-xml"]);
    let none = "issued_after=2021-06-01&issued_before=2021-12-31";
    for (path, touched) in [
        ("/contract?".to_owned(), all.clone()),
        ("/contract?municipality=laval&".to_owned(), seao()),
        // Nothing is found, and Laval is where it would be.
        (format!("/contract?municipality=laval&{none}&"), seao()),
        (format!("/contract?municipality=laval&{none}&q=nothing&"), seao()),
        (format!("/contract?{none}&"), all.clone()),
        ("/contract?vendor=nobody&".to_owned(), all.clone()),
        (
            "/contract?value_min=5&municipality=toronto&include_total=true&facets=year&".to_owned(),
            expected(&["toronto"]),
        ),
        ("/contract/stats?".to_owned(), all.clone()),
        (
            "/contract/stats?municipality=toronto&".to_owned(),
            expected(&["toronto"]),
        ),
        ("/vendor/Vendor%201?".to_owned(), all),
    ] {
        let with = server().get(&format!("{path}include=coverage"));
        assert_eq!((with.status, &with.json()["coverage"]), (200, &touched), "{path}");
        let without = server().get(&format!("{path}include="));
        assert_eq!((without.status, without.json().get("coverage")), (200, None), "{path}");
        let mut rest = with.json();
        rest.as_object_mut().unwrap().remove("coverage");
        assert_eq!(rest, without.json(), "{path}");
    }
    let refused = server().get("/contract?include=coverage,quality");
    assert_eq!(refused.status, 422);
    assert_eq!(
        refused.detail(),
        "parameter 'include': 'quality' is not one of coverage, supplier"
    );
}

#[test]
fn pages_say_what_no_source_covers() {
    for (path, sentences) in [
        (
            "/en/search?kind=contract&municipality=laval&issued_after=2021-01-01&issued_before=2021-12-31",
            &["The sources here have only 2 contracts of 2021, a small part."][..],
        ),
        (
            "/en/search?kind=contract&municipality=laval&issued_after=2021-06-01&issued_before=2021-12-31",
            &[
                "The sources here have only 2 contracts of 2021, a small part.",
                "0 contracts",
            ],
        ),
        (
            "/en/search?kind=contract&municipality=laval&issued_after=2012-01-01&issued_before=2012-12-31",
            &[
                "The sources of this page do not cover contracts of 2012.",
                "0 contracts",
            ],
        ),
        (
            "/fr/search?kind=contract&issued_before=2010-12-31&issued_after=2010-01-01",
            &["Les sources de cette page ne couvrent pas les contrats de 2010."],
        ),
        (
            "/en/search?kind=contract&municipality=laval",
            &[
                "The sources here cover contracts of 2018–2020, 2022–2024. Not every source covers each of these years. 2024 is covered until July\u{a0}1, 2024.",
                "Shaded years: no source covers them.",
                "2021: $20, 2 records (no source covers this year)",
            ],
        ),
        (
            "/en/vendor/Vendor%201",
            &[
                "The sources here cover contracts of 2018–2020, 2022–2024.",
                "What each source covers",
            ],
        ),
        ("/en", &["The sources here cover contracts of 2018–2020, 2022–2024."]),
    ] {
        let page = server().get(path);
        assert_eq!(page.status, 200, "{path}");
        let html = page.text();
        for sentence in sentences {
            assert!(html.contains(sentence), "{sentence} is not in {path}: {html}");
        }
    }
}
