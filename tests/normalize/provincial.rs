//! Alberta and Nova Scotia. Also what holds for every run: files read in parallel, concatenated,
//! linked or damaged, and the report of fields that publishers leave empty.

use std::{os::unix::fs::symlink, process::Command};

use procure::normalize::report::Shortfall;

use super::*;

const ALBERTA: &str = "alberta-opportunities.json";

fn file<'a>(report: &'a NormalizeReport, name: &str) -> &'a FileReport {
    report.files.iter().find(|file| file.path.ends_with(name)).unwrap()
}

fn notes(report: &NormalizeReport, name: &str) -> Vec<(String, u64, u64)> {
    let notes = file(report, name).counts.notes.iter();
    notes
        .map(|(what, seen)| (what.clone(), seen.count, seen.first_line))
        .collect()
}

fn in_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(run)
}

#[test]
fn an_opportunity_produces_a_tender_and_a_contract_per_award() {
    let workspace = Workspace::with_fixtures(&[ALBERTA]);
    let report = workspace.run();
    let tenders = workspace.records("tender/alberta");
    assert_eq!(
        tenders[0],
        json!({
            "record_id": "alberta|AB-2025-00001", "municipality": "okotoks", "publication_date": "2025-06-05",
            "closing_date": "2025-06-26", "tender_close_date": "2025-06-26T14:00:00", "status": "AWARD",
            "status_en": "Awarded", "title_en": "Elm Street - Phase 2 Watermains",
            "description_en": "Replace watermains.\n\nPave the street.", "department_en": "Town of Okotoks",
            "buyer_name": "Town of Okotoks", "buyer_id": "22222222-0000-4000-8000-000000000001",
            "procurement_category": "CNST", "notice_type_en": "Request for Quotes",
            "procurement_method": "OPEN-COMPETITIVE", "procurement_method_en": "Open competitive",
            "reference_number": "AB-2025-00001", "amendment_number": "2", "amendment_date": "2025-07-15",
            "amendment_count": 2, "solicitation_number": "RFQ-1", "tender_id": "11111111-0000-4000-8000-000000000001",
            "tender_number": "AB-2025-00001", "gsin": "5131", "gsin_description_en": "Construction",
            "gsin_description_fr": "Construction", "unspsc": "72140000,72141121",
            "unspsc_description_en": "Heavy construction; Water mains",
            "unspsc_description_fr": "Services de construction lourde; Construction de conduites d'eau principales",
            "regions_of_delivery_en": "Alberta; Okotoks",
            "trade_agreements_en": "NWPTA; CFTA", "start_date": "2025-07-07", "end_date": "2025-10-15",
            "eligibility": {"trade_agreements": ["NWPTA", "CFTA"]},
            "notice_url": "https://purchasing.alberta.ca/posting/AB-2025-00001", "government_level": "municipal",
            "province": "AB", "contact_name": "Purchasing Desk", "contact_email": "purchasing@okotoks.example",
            "contact_phone": "(403) 555-0100 ext. 7", "fetched_at": "2026-04-30T12:00:00Z",
        })
    );
    assert_eq!(tenders[1]["notice_type_en"], "Request for Information");
    assert_eq!(tenders[1]["municipality"], "ab-provincial");
    assert_eq!(tenders[1].get("contact_phone"), None, "zeros are not a phone number");
    assert_eq!(tenders.len(), 2);

    let contracts = workspace.records("contract/alberta");
    let facts: Vec<_> = contracts
        .iter()
        .map(|c| {
            (
                c["record_id"].as_str().unwrap(),
                c["vendor_name"].as_str().unwrap(),
                c.get("contract_value"),
            )
        })
        .collect();
    assert_eq!(
        facts,
        [
            ("alberta|AB-2025-00001|2", "Watermains Ltd.", Some(&json!(823061.14))),
            ("alberta|AB-2025-00001|3", "Paving Inc.", None),
        ],
        "no losing bidder, no revised award"
    );
    assert_eq!(contracts[0]["award_date"], "2025-07-15");
    assert_eq!(contracts[0]["vendor_province"], "AB");
    assert_eq!(
        contracts[0]["supplier_address"],
        "8402-116 Street, PO Box 2, Okotoks, AB, T8L 0G8"
    );
    assert_eq!(contracts[0]["title_en"], "Elm Street - Phase 2 Watermains");
    for contract in &contracts {
        assert!(!contract.to_string().contains("Doe"), "{contract}");
    }
    let counts = &file(&report, ALBERTA).counts;
    assert_eq!(
        (counts.rows, counts.recorded, counts.merged),
        (4, 2, 1),
        "the posting before its amendment is merged"
    );
    assert_eq!(skipped(file(&report, ALBERTA)), [("no reference number", 1, 5)]);
    assert_eq!(
        notes(&report, ALBERTA),
        [
            (
                "a title that does not name the buyer, recorded without a buyer".to_owned(),
                1,
                4
            ),
            ("a winner without a name, no contract recorded".to_owned(), 1, 2),
            (
                "an award that a later award revises, no contract recorded".to_owned(),
                1,
                2
            ),
            ("impossible date in postDateTime, left out".to_owned(), 1, 4),
            (
                "status 'SELECTION' is unknown, the status filter misses it".to_owned(),
                1,
                4
            ),
            ("unknown 'MISC' in categoryCode".to_owned(), 1, 4),
        ]
    );
}

#[test]
fn opportunities_are_read_from_arrays_single_objects_and_lines() {
    let whole = Workspace::with_fixtures(&[ALBERTA]);
    whole.run();
    let rows: Vec<Value> = serde_json::from_slice(&fixture(ALBERTA)).unwrap();
    let lines = Workspace::new();
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    lines.put("lines.jsonl.gz", &gzipped(text.as_bytes()));
    lines.run();
    assert_eq!(lines.dumps(), whole.dumps());
    let alone = Workspace::new();
    for (number, row) in rows.iter().enumerate().take(3) {
        alone.put(
            &format!("{number}.json"),
            serde_json::to_string_pretty(row).unwrap().as_bytes(),
        );
    }
    alone.run();
    assert_eq!(alone.dumps(), whole.dumps());
    let framed = Workspace::new();
    framed.put(
        "answer.json",
        json!({"totalCount": 4, "values": rows}).to_string().as_bytes(),
    );
    framed.run();
    assert_eq!(framed.dumps(), whole.dumps());
}

/// The members are those that public programs read; no answer from the publisher was available.
#[test]
fn a_search_result_has_members_for_buyer_codes_and_regions() {
    let workspace = Workspace::new();
    let found = json!({"id": "x1", "referenceNumber": "AB-2026-01310", "title": "Gravel Crushing 2026",
        "shortTitle": "Gravel Crushing 2026", "statusCode": "OPEN", "categoryCode": "SRV", "solicitationTypeCode": "ITT",
        "opportunityTypeCode": "RFx", "postDateTime": "2026-02-01T10:00:00", "contractingOrganization": "City of Calgary",
        "commodityCodes": ["72141000"], "commodityCodeTitles": ["Road construction"],
        "regionOfDelivery": ["Alberta", "Calgary"]});
    workspace.put(
        "answer.json",
        json!({"totalCount": 1, "values": [found]}).to_string().as_bytes(),
    );
    let report = workspace.run();
    assert!(
        report.files[0].counts.notes.is_empty(),
        "{:?}",
        report.files[0].counts.notes
    );
    let tender = &workspace.records("tender/alberta")[0];
    for (field, value) in [
        ("buyer_name", "City of Calgary"),
        ("municipality", "calgary"),
        ("government_level", "municipal"),
        ("unspsc", "72141000"),
        ("unspsc_description_en", "Road construction"),
        ("regions_of_delivery_en", "Alberta; Calgary"),
        ("notice_type_en", "Invitation to Tender"),
    ] {
        assert_eq!(tender[field], value, "{field}");
    }
}

#[test]
fn nova_scotia_gives_the_same_records_from_csv_and_json() {
    let workspace = Workspace::with_fixtures(&["novascotia.csv"]);
    let report = workspace.run();
    let contracts = workspace.records("contract/novascotia");
    assert_eq!(
        contracts[0],
        json!({
            "record_id": "novascotia|60100001|plows & sons ltd", "award_date": "2022-03-01",
            "publication_date": "2022-01-10", "vendor_name": "Plows & Sons Ltd.", "municipality": "halifax",
            "contract_value": 26239.38, "currency": "CAD", "department_en": "Halifax Regional Municipality",
            "buyer_name": "Halifax Regional Municipality", "title_en": "Snow removal & salting",
            "procurement_category": "CNST,GD", "solicitation_number": "60100001", "government_level": "municipal",
            "province": "NS", "fetched_at": "2026-04-30T12:00:00Z",
        })
    );
    let facts: Vec<_> = contracts
        .iter()
        .map(|c| (c["record_id"].as_str().unwrap(), c.get("contract_value")))
        .collect();
    assert_eq!(
        facts,
        [
            ("novascotia|60100001|plows & sons ltd", Some(&json!(26239.38))),
            ("novascotia|60100001|salt inc", Some(&json!(1000.5))),
            ("novascotia|60100001|salt inc|2022-04-01|500.00", Some(&json!(500.0))),
            ("novascotia|60100002|advice llp", None),
            ("novascotia|60100003|advice llp", None),
            ("novascotia|60100004|", None),
        ],
        "0 and 0.01 are placeholders"
    );
    assert_eq!(contracts[3]["municipality"], "ns-provincial");
    assert_eq!(contracts[3]["procurement_category"], "SRV");
    let counts = &file(&report, ".csv").counts;
    assert_eq!((counts.rows, counts.merged), (8, 1));
    assert_eq!(skipped(file(&report, ".csv")), [("no tender number", 1, 9)]);
    assert_eq!(
        notes(&report, ".csv"),
        [
            (
                "placeholder amount of 0 or 0.01 in AWARDED_AMOUNT, left out".to_owned(),
                2,
                6
            ),
            ("unknown 'Q' in SERVICE".to_owned(), 1, 7),
            ("unreadable amount in AWARDED_AMOUNT, left out".to_owned(), 1, 8),
        ]
    );

    let json = Workspace::with_fixtures(&["novascotia.json"]);
    json.run();
    assert_eq!(json.dumps(), workspace.dumps());
    let lower = Workspace::new();
    let text = String::from_utf8(fixture("novascotia.csv")).unwrap();
    let (head, rows) = text.split_once('\n').unwrap();
    lower.put("resource.csv", format!("{}\n{rows}", head.to_lowercase()).as_bytes());
    lower.run();
    assert_eq!(lower.dumps(), workspace.dumps());
    let both = Workspace::with_fixtures(&["novascotia.csv", "novascotia.json"]);
    both.run();
    assert_eq!(both.dumps(), workspace.dumps(), "the same rows twice are one record");
}

#[test]
fn a_repeated_header_in_a_file_is_skipped() {
    for name in [
        "canadabuys-contract.csv",
        "disclosure.csv",
        "toronto-awarded.csv",
        "montreal-councils.csv",
        "novascotia.csv",
    ] {
        let alone = Workspace::with_fixtures(&[name]);
        let before = alone.run();
        for joined in [
            [fixture(name), fixture(name)].concat(),
            [fixture(name), b"\xEF\xBB\xBF".to_vec(), fixture(name)].concat(),
            [gzipped(&fixture(name)), gzipped(&fixture(name))].concat(),
        ] {
            let workspace = Workspace::new();
            workspace.put(name, &joined);
            let report = workspace.run();
            assert_eq!(workspace.dumps(), alone.dumps(), "{name}");
            let counts = &report.files[0].counts;
            assert_eq!(counts.rows, 2 * before.files[0].counts.rows + 1, "{name}");
            assert_eq!(
                counts.skipped["the header again: several files were joined into one"].count, 1,
                "{name}"
            );
        }
    }
}

#[test]
fn unknown_codes_are_noted() {
    let workspace = Workspace::new();
    let xml = String::from_utf8(fixture("seao-avis-2018.xml")).unwrap();
    let mut changed = xml;
    for (tag, code) in [
        ("type", "12"),
        ("nature", "44"),
        ("disposition", "99"),
        ("regionlivraison", "1416"),
    ] {
        let from = changed.find(&format!("<{tag}>")).unwrap() + tag.len() + 2;
        let to = from + changed[from..].find('<').unwrap();
        changed.replace_range(from..to, code);
    }
    // The first bidder did not win.
    let changed = changed.replace("<pays>CAN<", "<pays>EUR<");
    workspace.put("a.xml", changed.as_bytes());
    let ocds = String::from_utf8(fixture("seao-ocds-lines.jsonl")).unwrap();
    let first = ocds.lines().next().unwrap();
    let first = first.replacen("\"works\"", "\"magic\"", 1).replacen(
        "\"procurementMethodDetails\": \"Avis",
        "\"procurementMethodDetails\": \"Autre avis",
        1,
    );
    let first = first.replacen("\"status\": \"complete\"", "\"status\": \"asleep\"", 1);
    workspace.put("b.json", first.as_bytes());
    let toronto = String::from_utf8(fixture("toronto-awarded.csv")).unwrap();
    workspace.put(
        "c.csv",
        toronto.replacen("Construction Services", "Fun Services", 1).as_bytes(),
    );
    let councils = String::from_utf8(fixture("montreal-councils.csv")).unwrap();
    workspace.put("d.csv", councils.replacen("CM12", "ZZ12", 1).as_bytes());
    let report = workspace.run();
    let unknown = |name: &str| -> Vec<String> {
        let notes = notes(&report, name).into_iter().map(|(what, ..)| what);
        notes.filter(|what| what.contains("unknown")).collect()
    };
    assert_eq!(
        unknown("a.xml"),
        [
            "unknown '12' in type",
            "unknown '1416' in regionlivraison",
            "unknown '44' in nature",
            "unknown '99' in disposition",
            "unknown 'EUR' in pays",
        ]
    );
    assert_eq!(
        unknown("b.json"),
        [
            "status 'asleep' is unknown, the status filter misses it",
            "unknown 'Autre avis d’appel d’offres' in procurementMethodDetails",
            "unknown 'asleep' in status",
            "unknown 'magic' in mainProcurementCategory",
        ]
    );
    assert_eq!(unknown("c.csv"), ["unknown 'Fun Services' in High Level Category"]);
    assert_eq!(unknown("d.csv"), ["unknown 'ZZ' in no decision"]);
}

/// Completions and spending are read before the files with their notices.
#[test]
fn annotations_are_applied_whatever_the_order_of_the_files() {
    let usual = Workspace::with_fixtures(&SEAO);
    usual.run();
    let before = Workspace::new();
    for (number, name) in SEAO.iter().rev().enumerate() {
        before.put(&format!("{number}.xml"), &fixture(name));
    }
    before.run();
    let sorted = |workspace: &Workspace, dump: &str| {
        let mut records: Vec<String> = workspace.records(dump).iter().map(Value::to_string).collect();
        records.sort();
        records
    };
    for dump in ["contract/seao-xml", "tender/seao-xml"] {
        assert_eq!(sorted(&usual, dump), sorted(&before, dump));
    }
}

#[test]
fn one_thread_and_many_write_the_same_bytes() {
    let workspace = Workspace::new();
    for entry in fs::read_dir(FIXTURES).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let bytes = fixture(&name);
        workspace.put(&name, &bytes);
        workspace.put(
            &format!("{name}.zip"),
            &zipped(&[("b", &bytes), ("a", &bytes[..bytes.len() - 9]), ("c", b"hello")]),
        );
    }
    let report = workspace.folder.path().join("report.json");
    let options = NormalizeOptions {
        report: Some(report.clone()),
        ..workspace.options()
    };
    let outcome = |threads: usize| {
        let output = in_threads(threads, || run(&options).unwrap().to_string());
        (output, fs::read_to_string(&report).unwrap(), workspace.dumps())
    };
    let serial = outcome(1);
    for threads in [2, 8, 8, 8] {
        let parallel = outcome(threads);
        assert!(
            parallel == serial,
            "{threads} threads give another result:\n{}\n{}",
            parallel.0,
            serial.0
        );
    }
}

#[test]
fn of_several_errors_that_of_the_first_file_is_reported() {
    let workspace = Workspace::new();
    let text = String::from_utf8(fixture("disclosure.csv")).unwrap();
    let many: String = std::iter::once(text.as_str())
        .chain((0..300).map(|_| text.split_once('\n').unwrap().1))
        .collect();
    // The error in the first file takes longest to find.
    workspace.put("b-cut.csv.gz", &{
        let gz = gzipped(many.as_bytes());
        gz[..gz.len() - 20].to_vec()
    });
    for number in 0..20 {
        workspace.put(
            &format!("c{number}.csv"),
            text.replacen("contract_date", "contract_day", 1).as_bytes(),
        );
        workspace.put(&format!("d{number}.txt"), b"hello");
    }
    let strict = NormalizeOptions {
        strict: true,
        ..workspace.options()
    };
    for threads in [1, 2, 8, 8, 8] {
        let error = in_threads(threads, || workspace.error(&strict));
        assert!(error.contains("b-cut.csv.gz line"), "{error}");
    }
}

#[test]
fn dangling_and_cyclic_links_are_left_out() {
    let workspace = Workspace::with_fixtures(&["disclosure.csv"]);
    let inputs = workspace.folder.path().join("in");
    let elsewhere = workspace.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("novascotia.csv"), fixture("novascotia.csv")).unwrap();
    symlink("loop", inputs.join("loop")).unwrap();
    symlink("two", inputs.join("one")).unwrap();
    symlink("one", inputs.join("two")).unwrap();
    symlink("gone.csv", inputs.join("dangling.csv")).unwrap();
    symlink(".", inputs.join("self")).unwrap();
    symlink("../elsewhere", inputs.join("elsewhere")).unwrap();
    let report = workspace.run();
    let left_out: Vec<(&str, &str)> = report
        .unrecognized
        .iter()
        .map(|file| (file.path.rsplit('/').next().unwrap(), file.why.as_str()))
        .collect();
    let names: Vec<&str> = left_out.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["dangling.csv", "elsewhere", "loop", "one", "two"]);
    assert!(left_out[1].1.contains("name the folder itself"), "{left_out:?}");
    assert!(left_out[2].1.starts_with("cannot be opened"), "{left_out:?}");
    assert_eq!(report.files.len(), 1);

    let named = NormalizeOptions {
        inputs: vec![inputs.clone(), inputs.join("loop"), elsewhere],
        ..workspace.options()
    };
    let report = run(&named).unwrap();
    assert_eq!((report.files.len(), report.unrecognized.len()), (2, 4));
    let missing = NormalizeOptions {
        inputs: vec![inputs.join("missing")],
        ..workspace.options()
    };
    assert!(workspace.error(&missing).starts_with("opening"));
}

#[test]
fn a_run_with_damaged_files_ends_with_a_warning() {
    let workspace = Workspace::with_fixtures(&["disclosure.csv"]);
    let procure = |workspace: &Workspace| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_procure"));
        command
            .arg("normalize")
            .arg("--out")
            .arg(workspace.out())
            .arg(workspace.folder.path().join("in"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(procure(&workspace).1, "");
    workspace.put("notes.txt", b"hello");
    let xml = fixture("seao-avis-2018.xml");
    workspace.put("cut.xml", &xml[..xml.len() - 300]);
    let (output, warned) = procure(&workspace);
    assert_eq!(
        warned,
        "warning: 2 of 3 files are damaged or not recognized; see above\n"
    );
    assert!(
        output.contains("the file cannot be read from this line on")
            && output.contains("notes.txt has an unknown format"),
        "{output}"
    );
}

#[test]
fn fields_that_a_source_leaves_empty_are_reported() {
    let workspace = Workspace::with_fixtures(&["novascotia.csv", "canadabuys-sosa.csv"]);
    let path = workspace.folder.path().join("report.json");
    let report = run(&NormalizeOptions {
        report: Some(path.clone()),
        ..workspace.options()
    })
    .unwrap();
    let vendor = Shortfall {
        entity_type: EntityType::Contract,
        source_id: "novascotia",
        field: "vendor_name".to_owned(),
        presence: 0.8333,
    };
    assert_eq!(report.shortfalls, [vendor]);
    assert!(
        report
            .to_string()
            .contains("   83.3 %  contract/novascotia: vendor_name"),
        "{report}"
    );
    let json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(
        json["shortfalls"],
        json!([{"entity_type": "contract", "source_id": "novascotia", "field": "vendor_name", "presence": 0.8333}])
    );
    assert_eq!(json["files"][0]["damaged"], false);
}
