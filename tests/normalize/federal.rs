//! The federal files: which rows become one record, and the peculiarities of each format.

use super::*;

const EXPORT: &str = "disclosure-export.csv";
const HISTORY: &str = "canadabuys-contract.csv";

/// A file with the header of a fixture. Each row lists the columns that it fills.
pub fn under_header_of(name: &str, rows: &[Vec<(&str, &str)>]) -> Vec<u8> {
    let bytes = fixture(name);
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let mut reader = csv::Reader::from_reader(bytes);
    let header = reader.headers().unwrap().clone();
    let mut file = csv::Writer::from_writer(Vec::new());
    file.write_record(&header).unwrap();
    for row in rows {
        for (column, _) in row {
            assert!(
                header.iter().any(|name| name == *column),
                "{name} has no column {column}"
            );
        }
        let value = |name: &str| {
            row.iter()
                .find(|(column, _)| *column == name)
                .map_or("", |(_, value)| value)
        };
        file.write_record(header.iter().map(value)).unwrap();
    }
    file.into_inner().unwrap()
}

pub fn by_id<'a>(records: &'a [Value], id: &str) -> &'a Value {
    let found = records.iter().find(|record| record["record_id"] == id);
    found.unwrap_or_else(|| panic!("no {id} among {records:#?}"))
}

/// A row of `contracts.csv`: reference number, quarter, instrument type, procurement id, vendor,
/// date, total, original value, amendment value.
#[rustfmt::skip]
fn disclosed(facts: [&'static str; 9]) -> Vec<(&'static str, &'static str)> {
    let columns = [
        "reference_number", "reporting_period", "instrument_type", "procurement_id", "vendor_name", "contract_date",
        "contract_value", "original_value", "amendment_value",
    ];
    let mut row: Vec<_> = columns.into_iter().zip(facts).collect();
    row.extend([("owner_org", "lab-org"), ("owner_org_title", "Laboratory | Laboratoire")]);
    row
}

#[test]
fn an_exported_disclosure_has_codes_and_texts_decoded_once_more() {
    let workspace = Workspace::with_fixtures(&[EXPORT]);
    let report = workspace.run();
    let disclosures = workspace.records("disclosure/disclosure-export");
    assert_eq!(
        disclosures[0],
        json!({
            "record_id": "disclosure|lab-org,C-2024-2025-Q1-00010", "award_date": "2024-05-01",
            "start_date": "2024-05-01", "end_date": "2026-03-31", "vendor_name": "MICROSCOPES AND LENSES LLC",
            "vendor_country": "US", "municipality": "federal", "contract_value": 25000.0, "original_value": 20000.0,
            "amendment_value": 5000.0, "currency": "CAD", "department_en": "Laboratory of Québec",
            "contact_name": "Unité des achats", "description_en": "Optics – “fine” grade™, 20 m",
            "procurement_category": "GD", "commodity_code": "6640", "economic_object_code": "1243",
            "reporting_period": "2024-2025-Q1", "solicitation_procedure": "OB",
            "procurement_method_en": "Competitive – Open Bidding (GETS)",
            "procurement_method_fr": "Concurrentielle – Invitation ouverte à soumissionner (SEAOG)",
            "reference_number": "C-2024-2025-Q1-00010", "procurement_id": "lab-2024-77", "owner_org": "lab-org",
            "instrument_type": "C", "number_of_bids": "1", "indigenous_business": "NA",
            "trade_agreements_en": "Canadian Free Trade Agreement; World Trade Organization – Agreement on Government Procurement",
            "amendment_count": 1,
            "original": {
                "reference_number": "C-2024-2025-Q1-00010", "reporting_period": "2024-2025-Q1",
                "award_date": "2024-05-01", "end_date": "2025-03-31", "vendor_name": "MICROSCOPES LLC",
                "amendment_value": 0.0, "contract_value": 20000.0,
            },
            "amendments": [{
                "reference_number": "C-2024-2025-Q3-00002", "reporting_period": "2024-2025-Q3",
                "award_date": "2024-05-01", "end_date": "2026-03-31", "vendor_name": "MICROSCOPES AND LENSES LLC",
                "amendment_value": 5000.0, "contract_value": 25000.0,
            }],
            "amendment_reference_numbers": "C-2024-2025-Q3-00002",
            "eligibility": {
                "trade_agreements": ["CFTA", "WTO-AGP"],
                "limited_tendering_reason_en": "Additional deliveries (formerly Interchangeable Parts); Exclusive rights",
                "limited_tendering_reason_fr": "Livraisons supplémentaires (anciennement Pièces interchangeables); Droits exclusifs",
                "indigenous_set_aside": "none",
                "land_claims_agreements": ["Ta'an Kwach'an Council Final Agreement"],
            },
            "government_level": "federal", "fetched_at": "2026-04-30T12:00:00Z",
        })
    );
    let orphan = by_id(&disclosures, "disclosure|lab-org,C-2024-2025-Q3-00003");
    assert_eq!(
        (&orphan["amendment_count"], &orphan["vendor_country"]),
        (&json!(1), &json!("Atlantis"))
    );
    assert_eq!(orphan.get("original"), None);
    assert_eq!(
        orphan.get("amendment_reference_numbers"),
        None,
        "the record has the amendment's own number"
    );
    let agreement = by_id(&disclosures, "disclosure|lab-org,C-2024-2025-Q3-00004");
    assert_eq!(
        (&agreement["instrument_type"], &agreement["procurement_category"]),
        (&json!("SOSA"), &json!("CNST"))
    );
    assert_eq!(agreement.get("amendments"), None);
    let [file] = report.files.as_slice() else { panic!() };
    assert_eq!(
        (
            file.source_id,
            file.counts.rows,
            file.counts.recorded,
            file.counts.merged
        ),
        ("disclosure-export", 6, 3, 1)
    );
    assert_eq!(
        skipped(file),
        [("an id that is not owner_org,reference_number", 1, 6), ("no id", 1, 7)]
    );
    assert_eq!(
        file.counts.notes["an amendment whose original is not in these files"].first_line,
        4
    );
    assert!(
        !file.counts.notes.keys().any(|note| note.contains("impossible date")),
        "the export writes 0001-01-01 for no date"
    );
}

#[test]
fn a_contract_in_both_disclosure_files_is_one_record_with_the_published_values() {
    let workspace = Workspace::with_fixtures(&[EXPORT]);
    // The export's original with another procurement number, and an amendment that the export
    // lacks.
    workspace.put(
        "contracts.csv",
        &under_header_of(
            "disclosure.csv",
            &[
                disclosed([
                    "C-2024-2025-Q1-00010",
                    "2024-2025-Q1",
                    "C",
                    "LAB/2024/77",
                    "Microscopes LLC",
                    "2024-05-01",
                    "20000",
                    "20000",
                    "0",
                ]),
                disclosed([
                    "C-2025-2026-Q1-00007",
                    "2025-2026-Q1",
                    "A",
                    "LAB/2024/77",
                    "Microscopes LLC",
                    "2024-05-01",
                    "26000",
                    "20000",
                    "1000",
                ]),
            ],
        ),
    );
    let report = workspace.run();
    let [contract] = workspace.records("disclosure/disclosure").try_into().unwrap();
    assert_eq!(contract["record_id"], "disclosure|lab-org,C-2024-2025-Q1-00010");
    assert_eq!(contract["department_fr"], "Laboratoire");
    assert_eq!(contract["contract_value"], 26000.0);
    assert_eq!(contract["sources"], json!(["disclosure", "disclosure-export"]));
    let amended: Vec<_> = contract["amendments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| &a["reference_number"])
        .collect();
    assert_eq!(
        amended,
        ["C-2024-2025-Q3-00002", "C-2025-2026-Q1-00007"],
        "of both files, oldest first"
    );
    let merged: Vec<u64> = report.files.iter().map(|file| file.counts.merged).collect();
    assert_eq!(merged, [1, 2]);
    assert_eq!(workspace.records("disclosure/disclosure-export").len(), 2);
}

#[test]
fn an_amendment_matches_its_original_by_two_facts_of_three() {
    let workspace = Workspace::new();
    workspace.put(
        "contracts.csv",
        &under_header_of(
            "disclosure.csv",
            &[
                // The amendments come before the original and spell the same values differently.
                disclosed([
                    "Q3-2",
                    "2023-2024-Q3",
                    "A",
                    "P-1001",
                    "Untel inc",
                    "2023-05-01",
                    "130",
                    "100",
                    "",
                ]),
                disclosed([
                    "Q3-1",
                    "2023-2024-Q3",
                    "A",
                    "p 1001",
                    "Untel inc.",
                    "2023-11-11",
                    "120",
                    "100",
                    "20",
                ]),
                disclosed([
                    "Q1-1",
                    "2023-2024-Q1",
                    "C",
                    "P-1001",
                    "UNTEL INC.",
                    "2023-05-01",
                    "100",
                    "",
                    "",
                ]),
                // The same procurement, but only the vendor matches.
                disclosed([
                    "Q4-1",
                    "2023-2024-Q4",
                    "A",
                    "P-1001",
                    "Untel inc.",
                    "2024-01-01",
                    "900",
                    "800",
                    "100",
                ]),
                // Numbers that identify nothing.
                disclosed([
                    "Q1-2",
                    "2023-2024-Q1",
                    "C",
                    "N/A",
                    "Autre inc.",
                    "2023-05-01",
                    "50",
                    "50",
                    "0",
                ]),
                disclosed([
                    "Q2-2",
                    "2023-2024-Q2",
                    "A",
                    "N/A",
                    "Autre inc.",
                    "2023-05-01",
                    "60",
                    "50",
                    "10",
                ]),
                disclosed([
                    "Q1-3",
                    "2023-2024-Q1",
                    "C",
                    "123",
                    "Autre inc.",
                    "2023-05-01",
                    "50",
                    "50",
                    "0",
                ]),
                disclosed([
                    "Q2-3",
                    "2023-2024-Q2",
                    "A",
                    "123",
                    "Autre inc.",
                    "2023-05-01",
                    "60",
                    "50",
                    "10",
                ]),
                // A standing offer's number: two contracts of one vendor, date and value, so it is
                // not known which one is amended.
                disclosed([
                    "Q1-4",
                    "2023-2024-Q1",
                    "C",
                    "SO-4001",
                    "Deux inc.",
                    "2023-06-01",
                    "70",
                    "70",
                    "0",
                ]),
                disclosed([
                    "Q1-5",
                    "2023-2024-Q1",
                    "C",
                    "SO-4001",
                    "Deux inc.",
                    "2023-06-01",
                    "70",
                    "70",
                    "0",
                ]),
                disclosed([
                    "Q2-4",
                    "2023-2024-Q2",
                    "A",
                    "SO-4001",
                    "Deux inc.",
                    "2023-06-01",
                    "80",
                    "70",
                    "10",
                ]),
                // Two different call-ups with one number; one has an amendment.
                disclosed([
                    "Q1-6",
                    "2023-2024-Q1",
                    "C",
                    "SO-5001",
                    "Trois inc.",
                    "2023-06-01",
                    "11",
                    "11",
                    "0",
                ]),
                disclosed([
                    "Q1-7",
                    "2023-2024-Q1",
                    "C",
                    "SO-5001",
                    "Trois inc.",
                    "2023-06-02",
                    "12",
                    "12",
                    "0",
                ]),
                disclosed([
                    "Q2-7",
                    "2023-2024-Q2",
                    "A",
                    "SO-5001",
                    "Trois inc.",
                    "2023-06-02",
                    "0",
                    "12",
                    "-12",
                ]),
            ],
        ),
    );
    let report = workspace.run();
    let disclosures = workspace.records("disclosure/disclosure");
    assert_eq!(disclosures.len(), 11);
    let contract = by_id(&disclosures, "disclosure|lab-org,Q1-1");
    assert_eq!(contract["amendment_count"], 2);
    assert_eq!(contract["contract_value"], 130.0);
    assert_eq!(
        contract["original_value"], 100.0,
        "the original's total, as it states no original value"
    );
    assert_eq!(contract["award_date"], "2023-05-01");
    assert_eq!(
        contract.get("amendment_value"),
        None,
        "the latest amendment states none"
    );
    assert_eq!(contract["original"]["contract_value"], 100.0);
    assert_eq!(
        contract["amendments"][1],
        json!({
            "reference_number": "Q3-2", "reporting_period": "2023-2024-Q3", "award_date": "2023-05-01",
            "vendor_name": "Untel inc", "contract_value": 130.0,
        })
    );
    for (own, amendments) in [
        ("Q4-1", Some(1)),
        ("Q2-2", Some(1)),
        ("Q1-4", None),
        ("Q1-5", None),
        ("Q2-4", None),
        ("Q1-6", None),
    ] {
        let record = by_id(&disclosures, &format!("disclosure|lab-org,{own}"));
        assert_eq!(
            record.get("amendment_count").and_then(Value::as_i64),
            amendments,
            "{own}"
        );
    }
    let cancelled = by_id(&disclosures, "disclosure|lab-org,Q1-7");
    assert_eq!(
        (&cancelled["contract_value"], &cancelled["amendment_value"]),
        (&json!(0.0), &json!(-12.0))
    );
    let [file] = report.files.as_slice() else { panic!() };
    assert_eq!(file.counts.merged, 3);
    assert_eq!(
        file.counts.notes["an amendment that matches several contracts, kept as a record of its own"].count,
        1
    );
    assert_eq!(
        file.counts.notes["an amendment whose original is not in these files"].count,
        3
    );
}

#[test]
fn a_contracts_value_is_the_newest_stated_total() {
    const REFERENCE: &str = "referenceNumber-numeroReference";
    let row = |contract, amendment, instrument, amount, total| {
        vec![
            (REFERENCE, contract),
            ("contractNumber-numeroContrat", contract),
            ("amendmentNumber-numeroModification", amendment),
            ("instrumentType-typeInstrument-eng", instrument),
            ("contractAmount-montantContrat", amount),
            ("totalContractValue-valeurTotaleContrat", total),
            ("procurementNumber-numeroApprovisionnement", "WS1"),
        ]
    };
    let mut french = row("CW80", "000", "", "", "5.00");
    french.push((
        "instrumentType-typeInstrument-fra",
        "Offre à commandes individuelle et nationale",
    ));
    let workspace = Workspace::new();
    workspace.put(
        HISTORY,
        &under_header_of(
            HISTORY,
            &[
                row("CW10", "000", "Contract", "1000.00", "1000.00"),
                row("CW10", "001", "Contract", "500.00", "1500.00"),
                row("CW10", "002", "Contract", "250.00", ""),
                row("CW20", "000", "Contract", "900.00", "900.00"),
                row("CW20", "T01", "Contract", "0.00", "0.00"),
                row("CW30", "000", "Contract", "900.00", "900.00"),
                row("CW30", "001", "Contract", "-900.00", "0.00"),
                row("CW40", "000", "Contract", "0.00", "0.00"),
                row("CW50", "000", "", "84500.00", "0.00"),
                row("CW60", "000", "Contract", "", ""),
                row("CW70", "000", "Call-up against a Standing Offer", "10.00", "10.00"),
                row("CW71", "000", "National Individual Standing Offer", "", "9.00"),
                row("CW72", "000", "Regional Master Standing Offer (RMSO)", "", "9.00"),
                row("CW73", "000", "Supply Arrangement", "", "9.00"),
                row("CW74", "000", "NISO", "", "9.00"),
                french,
            ],
        ),
    );
    let report = workspace.run();
    let contracts = workspace.records("contract/canadabuys-contract");
    let values: Vec<_> = contracts
        .iter()
        .map(|contract| {
            (
                contract["contract_id"].as_str().unwrap(),
                contract.get("contract_value").and_then(Value::as_f64),
                contract["amendment_count"].as_i64(),
            )
        })
        .collect();
    assert_eq!(
        values,
        [
            ("CW10", Some(1500.0), Some(2)),
            ("CW20", Some(900.0), Some(1)),
            ("CW30", Some(0.0), Some(1)),
            ("CW40", Some(0.0), Some(0)),
            ("CW50", Some(84500.0), Some(0)),
            ("CW60", None, Some(0)),
            ("CW70", Some(10.0), Some(0)),
        ]
    );
    assert_eq!(
        contracts[0]["solicitation_number"], "WS1",
        "the procurement number, as there is no other"
    );
    assert_eq!(
        skipped(&report.files[0]),
        [("a standing offer or supply arrangement, not a contract", 5, 13)]
    );
}

#[test]
fn award_columns_are_found_by_name() {
    let workspace = Workspace::with_fixtures(&["canadabuys-award.csv"]);
    workspace.run();
    let all = workspace.records("award/canadabuys-award");
    // The files before spring 2026 have four columns fewer, in another order.
    let bytes = fixture("canadabuys-award.csv");
    let mut reader = csv::Reader::from_reader(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes));
    let header = reader.headers().unwrap().clone();
    let kept: Vec<usize> = (0..header.len())
        .filter(|at| !header[*at].starts_with("contactInfo"))
        .collect();
    let mut former = csv::Writer::from_writer(Vec::new());
    let reversed = |row: &csv::StringRecord| kept.iter().rev().map(|at| row[*at].to_owned()).collect::<Vec<_>>();
    former.write_record(reversed(&header)).unwrap();
    for row in reader.records() {
        former.write_record(reversed(&row.unwrap())).unwrap();
    }
    let other = Workspace::new();
    other.put("former.csv", &former.into_inner().unwrap());
    other.run();
    assert_eq!(other.records("award/canadabuys-award"), all);
}

#[test]
fn a_zero_amount_or_total_of_an_unamended_award_is_replaced_by_the_other() {
    let award = |reference, amendment, amount, total| {
        vec![
            ("referenceNumber-numeroReference", reference),
            ("amendmentNumber-numeroModification", amendment),
            ("contractAmount-montantContrat", amount),
            ("totalContractValue-valeurTotaleContrat", total),
            ("supplierAddressCountry-fournisseurAdressePays-eng", "USA"),
        ]
    };
    let workspace = Workspace::new();
    let rows = [
        award("A1", "000", "0.00", "155180.00"),
        award("A2", "", "500000.00", "0.00"),
        award("A3", "000", "0.00", "0.00"),
        award("A4", "000", "", "100.00"),
        award("A5", "000", "10.00", "12.00"),
        award("B1/002", "001", "0.00", "84500.00"),
        award("B2", "001", "500.00", "0.00"),
        award("B3", "T01", "-1400.00", "0.00"),
        award("B4", "001", "", "3325924.94"),
    ];
    workspace.put("award.csv", &under_header_of("canadabuys-award.csv", &rows));
    workspace.run();
    let awards = workspace.records("award/canadabuys-award");
    let value = |award: &Value, field: &str| award.get(field).and_then(Value::as_f64);
    let values: Vec<_> = awards
        .iter()
        .map(|award| (value(award, "contract_value"), value(award, "total_contract_value")))
        .collect();
    assert_eq!(
        values,
        [
            (Some(155180.0), Some(155180.0)),
            (Some(500000.0), Some(500000.0)),
            (Some(0.0), Some(0.0)),
            (None, Some(100.0)),
            (Some(10.0), Some(12.0)),
            (Some(0.0), Some(84500.0)),
            (Some(500.0), None),
            (Some(-1400.0), Some(0.0)),
            (None, Some(3325924.94)),
        ]
    );
    assert_eq!(awards[0]["vendor_country"], "US");
    assert_eq!(
        awards[5]["notice_url"],
        "https://canadabuys.canada.ca/en/tender-opportunities/award-notice/b1002"
    );
}

/// The fixture of `contracts.csv` with other column names.
fn renamed(names: &[(&str, &str)]) -> Vec<u8> {
    let text = String::from_utf8(fixture("disclosure.csv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let header = names.iter().fold(header.to_owned(), |header, (now, then)| {
        let quoted = format!("\"{now}\"");
        assert!(header.contains(&quoted), "no column {now}");
        header.replace(&quoted, &format!("\"{then}\""))
    });
    format!("{header}\n{rows}").into_bytes()
}

/// The current column names and those of 2018.
const NAMES_OF_2018: [(&str, &str); 7] = [
    ("country_of_vendor", "country_of_origin"),
    ("commodity_type", "commodity_type_code"),
    ("solicitation_procedure", "solicitation_procedure_code"),
    ("limited_tendering_reason", "limited_tendering_reason_code"),
    ("instrument_type", "document_type_code"),
    ("indigenous_business", "-"),
    ("indigenous_business_excluding_psib", "aboriginal_business"),
];

#[test]
fn an_older_disclosure_file_replaces_nothing_of_the_current_layout() {
    let normalized = |workspace: &Workspace| {
        workspace.run();
        let mut records = workspace.records("disclosure/disclosure");
        records.sort_by_key(|record| record["record_id"].to_string());
        records
    };
    let now = normalized(&Workspace::with_fixtures(&["disclosure.csv"]));
    for names in [["a.csv", "b.csv"], ["b.csv", "a.csv"]] {
        let workspace = Workspace::new();
        workspace.put(names[0], &fixture("disclosure.csv"));
        workspace.put(names[1], &renamed(&NAMES_OF_2018));
        assert_eq!(normalized(&workspace), now);
    }
}

#[test]
fn disclosures_are_the_same_under_former_column_names() {
    let now = Workspace::with_fixtures(&["disclosure.csv"]);
    now.run();
    let now = now.records("disclosure/disclosure");
    assert_eq!(now[0]["vendor_country"], "CA");
    assert_eq!(now[0]["indigenous_business"], "NA");

    let workspace = Workspace::new();
    workspace.put(
        "contracts.csv",
        &renamed(&[
            ("country_of_vendor", "country_of_origin"),
            ("indigenous_business", "aboriginal_business"),
            ("indigenous_business_excluding_psib", "aboriginal_business_incidental"),
        ]),
    );
    workspace.run();
    assert_eq!(workspace.records("disclosure/disclosure"), now);

    let workspace = Workspace::new();
    workspace.put("contracts.csv", &renamed(&NAMES_OF_2018));
    workspace.run();
    let mut former = now;
    for record in former.iter_mut().map(|record| record.as_object_mut().unwrap()) {
        // `aboriginal_business` was not the set-aside then.
        record.remove("indigenous_business");
        let eligibility = record.get_mut("eligibility").unwrap().as_object_mut().unwrap();
        eligibility.remove("indigenous_set_aside");
        if eligibility.is_empty() {
            record.remove("eligibility");
        }
    }
    assert_eq!(workspace.records("disclosure/disclosure"), former);
}

#[test]
fn a_code_of_goods_is_not_one_of_construction() {
    let workspace = Workspace::new();
    let row = |reference, category, code| {
        let mut row = disclosed([
            reference,
            "2024-2025-Q1",
            "C",
            "",
            "Tools Inc",
            "2024-05-01",
            "12000",
            "12000",
            "0",
        ]);
        row.extend([("commodity_type", category), ("commodity_code", code)]);
        row
    };
    let rows = [
        row("R-1", "G", "5120"),
        row("R-2", "C", "5120"),
        row("R-3", "S", "5131"),
        row("R-4", "G", "6640"),
        row("R-5", "G", "51101500"),
    ];
    workspace.put("contracts.csv", &under_header_of("disclosure.csv", &rows));
    workspace.run();
    let records = workspace.records("disclosure/disclosure");
    let codes: Vec<&Value> = records.iter().map(|record| &record["commodity_code"]).collect();
    assert_eq!(codes, ["N5120", "5120", "5131", "6640", "51101500"]);
}

#[test]
fn a_notice_without_a_type_is_classified_by_its_method_or_title() {
    let notice = |reference, kind, method| {
        vec![
            ("referenceNumber-numeroReference", reference),
            ("noticeType-avisType-eng", kind),
            ("procurementMethod-methodeApprovisionnement-eng", method),
            ("noticeURL-URLavis-fra", "https://example.com/avis"),
        ]
    };
    let titled = |reference, kind, column, title| {
        let mut row = notice(reference, kind, "Competitive - Open bidding");
        row.push((column, title));
        row
    };
    let workspace = Workspace::new();
    let file = under_header_of(
        "canadabuys-tender.csv",
        &[
            notice("MX-1", "", "Advance contract award notice"),
            notice("MX-2", "", "Competitive - Open bidding"),
            notice("MX-3", "Request for Proposal", "Advance contract award notice"),
            notice("MX-4", "Invitation to Qualify", "Competitive - Open bidding"),
            notice("MX-5", "Letter of Interest / Notice of Proposed Procurement", ""),
            notice("MX-6", "Request for Supply Arrangement", ""),
            notice("MX-7", "Not Applicable", "Advance contract award notice"),
            titled("MX-8", "", "title-titre-eng", "APN - AIRFIELD"),
            titled("MX-9", "", "title-titre-fra", "APN - AÉRODROME"),
            titled("MX-10", "Request for Proposal", "title-titre-eng", "APN - AIRFIELD"),
            titled("MX-11", "", "title-titre-eng", "PA - AIRFIELD"),
        ],
    );
    workspace.put("notices.csv", &file);
    workspace.run();
    let references = |dump| -> Vec<String> {
        let records = workspace.records(dump).into_iter();
        records
            .map(|record| record["reference_number"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        references("pre_solicitation/canadabuys-tender"),
        ["MX-1", "MX-4", "MX-5", "MX-7", "MX-8", "MX-9"]
    );
    assert_eq!(
        references("tender/canadabuys-tender"),
        ["MX-2", "MX-3", "MX-6", "MX-10", "MX-11"]
    );
    let tenders = workspace.records("tender/canadabuys-tender");
    assert_eq!(tenders[0]["notice_url"], "https://example.com/avis");
}

#[test]
fn both_languages_of_a_buyandsell_notice_are_one_record() {
    let workspace = Workspace::with_fixtures(&["buyandsell-tender.csv"]);
    let report = workspace.run();
    let tenders = workspace.records("tender/buyandsell-tender");
    assert_eq!(tenders.len(), 2);
    let first = by_id(&tenders, "buyandsell|PW-$$ZT-009-1|000");
    assert_eq!(
        (&first["title_en"], &first["title_fr"]),
        (&json!("Snow removal"), &json!("Déneigement"))
    );
    assert_eq!(
        *by_id(&tenders, "buyandsell|PW-$$ZT-009-1"),
        json!({
            "record_id": "buyandsell|PW-$$ZT-009-1", "municipality": "federal", "publication_date": "2014-04-01",
            "closing_date": "2014-06-15", "tender_close_date": "2014-06-15 14:00 Eastern Daylight Time (EDT)",
            "status": "Active", "status_en": "Active", "status_fr": "Actif", "title_en": "Snow and ice removal",
            "title_fr": "Enlèvement de la neige et de la glace", "description_en": "Remove snow.",
            "description_fr": "Enlever la neige.", "department_en": "National Capital Commission",
            "department_fr": "Commission de la capitale nationale",
            "buyer_name": "Public Works and Government Services Canada",
            "notice_type_en": "Notice of Proposed Procurement", "notice_type_fr": "Avis de projet de marché",
            "procurement_method_en": "Open", "procurement_method_fr": "Ouvert",
            "reference_number": "PW-$$ZT-009-1", "amendment_number": "001", "amendment_date": "2014-04-20",
            "solicitation_number": "EN578-140001/A", "tender_id": "PW-$$ZT-009-1",
            "tender_number": "EN578-140001/A", "gsin": "S205A,S206",
            "gsin_description_en": "Snow removal, lots; Ice control: salting",
            "gsin_description_fr": "Déneigement, stationnements; Déglaçage: épandage",
            "regions_of_delivery_en": "National Capital Region; Quebec",
            "regions_of_delivery_fr": "Région de la capitale nationale; Québec",
            "trade_agreements_en": "WTO-AGP/NAFTA/AIT/Canada FTAs with Peru/Colombia/Panama",
            "eligibility": {
                "trade_agreements": ["WTO-AGP", "NAFTA", "AIT", "CPFTA", "CCoFTA", "CPaFTA"],
                "regions_of_opportunity": ["Ontario", "Quebec"],
                "selection_criteria_en": "Lowest/Lower Bid", "selection_criteria_fr": "Soumission la plus basse",
            },
            "documents": [
                {"doc_index": 0, "url": "https://buyandsell.gc.ca/cds/public/2014/a.E1.PDF"},
                {"doc_index": 1, "url": "https://buyandsell.gc.ca/cds/public/2014/b.F1.PDF"},
                {"doc_index": 2, "url": "https://buyandsell.gc.ca/cds/public/2014/c.PDF"},
            ],
            "government_level": "federal", "contact_name": "Contracting Office", "contact_phone": "(819) 555-0100",
            "fetched_at": "2026-04-30T12:00:00Z",
        })
    );
    let [advance] = workspace
        .records("pre_solicitation/buyandsell-tender")
        .try_into()
        .unwrap();
    assert_eq!(advance["notice_type_en"], "Advance Contract Award Notice");
    assert_eq!((&advance["status"], advance.get("title_en")), (&json!("Actif"), None));
    let [file] = report.files.as_slice() else { panic!() };
    assert_eq!((file.counts.rows, file.counts.recorded, file.counts.merged), (7, 3, 2));
    assert_eq!(
        skipped(file),
        [
            ("a language that is neither English nor French", 1, 8),
            ("no reference number", 1, 7)
        ]
    );
}

#[test]
fn a_buyandsell_contract_has_the_state_of_its_latest_amendment() {
    let workspace = Workspace::with_fixtures(&["buyandsell-contract.csv"]);
    let report = workspace.run();
    let contracts = workspace.records("contract/buyandsell-contract");
    assert_eq!(
        contracts[0],
        json!({
            "record_id": "buyandsell|W1-100/001/PV", "award_date": "2011-08-31", "end_date": "2013-12-31",
            "amendment_date": "2012-01-09", "vendor_name": "MEDICAL SUPPLIES INC",
            "vendor_name_standardized": "MEDICAL SUPPLIES INC", "supplier_legal_name": "Medical Supplies Inc.",
            "vendor_city": "Québec", "vendor_province": "Quebec", "vendor_postal_code": "G2E6J5",
            "vendor_country": "CA", "municipality": "federal", "contract_value": 30000.0,
            "department_en": "Department of National Defence", "department_fr": "Ministère de la défense nationale",
            "buyer_name": "Public Works and Government Services Canada", "procurement_method": "OB",
            "procurement_method_en": "Open Bidding", "procurement_method_fr": "Invitation Ouverte",
            "amendment_number": "002", "amendment_count": 2, "contract_id": "W1-100/001/PV",
            "contract_number": "W1-100/001/PV", "gsin": "N6515", "gsin_description_en": "Medical instruments",
            "gsin_description_fr": "Instruments médicaux", "trade_agreements_en": "Agreement on Internal Trade (AIT)",
            "eligibility": {"trade_agreements": ["AIT"]}, "government_level": "federal", "province": "ON",
            "fetched_at": "2026-04-30T12:00:00Z",
        })
    );
    assert_eq!(
        contracts[1]["contract_value"], 13642.0,
        "a total of 0.00 next to an amount is a placeholder"
    );
    assert_eq!(contracts[1]["vendor_name"], "Medical Supplies Inc.");
    assert_eq!(
        contracts[1]["department_fr"],
        "Travaux publics et Services gouvernementaux Canada"
    );
    assert_eq!(
        contracts[1]["eligibility"],
        json!({"limited_tendering_reason_en": "Exclusive Rights", "limited_tendering_reason_fr": "Droits exclusifs"})
    );
    let [file] = report.files.as_slice() else { panic!() };
    assert_eq!((file.counts.rows, file.counts.recorded, file.counts.merged), (5, 2, 2));
    assert_eq!(skipped(file), [("no contract number", 1, 6)]);
}

#[test]
fn the_real_federal_files_give_the_known_figures() {
    let Some((workspace, report)) = real_files(&["canadabuys", "disclosure", "buyandsell"]) else {
        return;
    };
    let counts: BTreeMap<_, _> = report
        .files
        .iter()
        .map(|file| {
            (
                file.source_id,
                (
                    file.counts.rows,
                    file.counts.recorded,
                    file.counts.merged,
                    file.counts.skipped_rows(),
                ),
            )
        })
        .collect();
    assert_eq!(counts["disclosure-export"], (4932, 4616, 316, 0));
    assert_eq!(counts["disclosure"], (6, 2, 4, 0));
    assert_eq!(counts["buyandsell-tender"], (2, 1, 1, 0));
    assert_eq!(counts["buyandsell-contract"], (9, 8, 1, 0));
    assert_eq!(counts["canadabuys-contract"], (11, 8, 0, 3));

    let exported = workspace.records("disclosure/disclosure-export");
    let text: String = exported.iter().map(Value::to_string).collect();
    assert!(
        !text.contains(['Ã', '\u{80}', '\u{93}']),
        "a text is still encoded twice"
    );
    let contract = by_id(&exported, "disclosure|dnd-mdn,C-2024-2025-Q1-00024");
    assert_eq!(
        (&contract["original_value"], &contract["contract_value"]),
        (&json!(8460032.0), &json!(12236590.0))
    );
    let contract = by_id(&exported, "disclosure|cra-arc,C-2024-2025-Q1-00017");
    assert_eq!(
        (&contract["amendment_count"], &contract["vendor_name"]),
        (&json!(3), &json!("Automation Anywhere, Inc."))
    );
    // Only the vendor matches this procurement's amendments.
    assert_eq!(
        by_id(&exported, "disclosure|rcmp-grc,C-2023-2024-Q2-00846").get("amendments"),
        None
    );
    assert_eq!(
        by_id(&exported, "disclosure|rcmp-grc,C-2023-2024-Q3-01109")["amendment_count"],
        4
    );

    let contracts = workspace.records("contract/buyandsell-contract");
    let contract = by_id(&contracts, "buyandsell|W3931-110059/001/PV");
    assert_eq!(
        (
            &contract["award_date"],
            &contract["amendment_date"],
            &contract["contract_value"]
        ),
        (&json!("2011-08-31"), &json!("2011-09-06"), &json!(22594.0))
    );
    let [tender] = workspace.records("tender/buyandsell-tender").try_into().unwrap();
    assert_eq!(tender["record_id"], "buyandsell|PW-$$ZT-009-27511");
    assert_eq!(tender["documents"].as_array().unwrap().len(), 26);
}

#[test]
fn a_row_that_replaces_one_with_another_supplier_is_noted() {
    let award = |supplier: &'static str, published: &'static str| {
        vec![
            ("referenceNumber-numeroReference", "cb-1-1"),
            ("amendmentNumber-numeroModification", "000"),
            ("publicationDate-datePublication", published),
            ("supplierLegalName-nomLegalFournisseur-eng", supplier),
        ]
    };
    let workspace = Workspace::new();
    let rows = [
        award("Acme Inc.", "2026-01-01"),
        award("ACME INC", "2026-01-02"),
        award("Other Ltd.", "2026-01-03"),
    ];
    workspace.put("award.csv", &under_header_of("canadabuys-award.csv", &rows));
    let report = workspace.run();
    assert_balanced(&report.files[0]);
    let counts = &report.files[0].counts;
    assert_eq!((counts.recorded, counts.merged), (1, 2));
    let note = "replaced by a newer row under the same identifier that names another supplier or contract number";
    assert_eq!(counts.notes[note].count, 2);
    assert_eq!(counts.notes[note].first_line, 2);
    let awards = workspace.records("award/canadabuys-award");
    assert_eq!(awards[0]["vendor_name"], "Other Ltd.");
}

#[test]
fn fields_that_an_amendment_leaves_empty_come_from_the_one_before() {
    let row = |amendment, total, vendor, day, city, method| {
        vec![
            ("referenceNumber-numeroReference", "C1"),
            ("contractNumber-numeroContrat", "C1"),
            ("amendmentNumber-numeroModification", amendment),
            ("amendmentDate-dateModification", day),
            ("instrumentType-typeInstrument-eng", "Contract"),
            ("totalContractValue-valeurTotaleContrat", total),
            ("supplierLegalName-nomLegalFournisseur-eng", vendor),
            ("contractAwardDate-dateAttributionContrat", day),
            ("supplierAddressCity-fournisseurAdresseVille-eng", city),
            ("procurementMethod-methodeApprovisionnement-eng", method),
            (
                "contractEndDate-dateFinContrat",
                if city.is_empty() { "" } else { "2025-03-31" },
            ),
            (
                "contractStatus-statutContrat-eng",
                if city.is_empty() { "" } else { "Active" },
            ),
        ]
    };
    let read = |newest: &'static str, vendor: &'static str| {
        let workspace = Workspace::new();
        workspace.put(
            HISTORY,
            &under_header_of(
                HISTORY,
                &[
                    row("000", "100.00", "Acme Inc.", "2024-11-13", "Laval", "Open"),
                    row("001", "120.00", "Acme Inc.", "2024-12-01", "", ""),
                    row("002", newest, vendor, "", "", ""),
                ],
            ),
        );
        workspace.run();
        workspace.records("contract/canadabuys-contract").remove(0)
    };
    let same = read("150.00", "");
    for (field, value) in [
        ("contract_value", json!(150.0)),
        ("amendment_number", json!("002")),
        ("vendor_name", json!("Acme Inc.")),
        ("vendor_city", json!("Laval")),
        ("award_date", json!("2024-12-01")),
        ("procurement_method_en", json!("Open")),
    ] {
        assert_eq!(same[field], value, "{field}");
    }
    assert_eq!(same.get("amendment_date"), None, "is the amendment's own");
    let other = read("150.00", "Another Ltd.");
    assert_eq!(other["vendor_name"], "Another Ltd.");
    assert_eq!(other.get("vendor_city"), None, "is another supplier's");
    assert_eq!(other["procurement_method_en"], "Open");
    for own in ["end_date", "status_en"] {
        assert_eq!(same.get(own), None, "{own} is the amendment's own");
    }
}
