//! Identifiers and values that do not change: with corrected rows, in another order of rows, with
//! more columns and with files that have less data.

use super::*;

/// The records of a dump, sorted by id, after a run over these files. Each file is one day newer
/// than the one before.
fn records_of(files: &[&str], dump: &str) -> Vec<Value> {
    let workspace = Workspace::new();
    for (number, text) in files.iter().enumerate() {
        let path = workspace.put(&format!("{number}"), text.as_bytes());
        let days = Duration::from_secs(86_400 * number as u64);
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH + MODIFIED + days)
            .unwrap();
    }
    workspace.run();
    let mut records = workspace.records(dump);
    for record in &mut records {
        record.as_object_mut().unwrap().remove("fetched_at");
    }
    records.sort_by_key(|record| record["record_id"].to_string());
    records
}

fn reversed(csv: &str) -> String {
    let mut lines: Vec<&str> = csv.lines().collect();
    lines[1..].reverse();
    lines.join("\n")
}

const OFFICIALS: &str = "NOM DU FOURNISSEUR,NUMÉRO,DATE D'APPROBATION,APPROBATEUR,DESCRIPTION,SERVICE,ACTIVITÉ,MONTANT";

#[test]
fn a_corrected_montreal_row_and_one_without_its_day_are_the_same_contract() {
    let first = format!("{OFFICIALS}\nACME,7,2014-01-31,\"UNE, PERSONNE\",Objet,Service,Parcs,3500\n");
    let corrected = format!(
        "{OFFICIALS},PORTION À LA CHARGE DE L'AGGLO.\nACME,7,2014-01-31,\"AUTRE, PERSONNE\",Objet corrigé,Service,Parcs,3500,1000\n"
    );
    let undated = "ACME,7,\"UNE, PERSONNE\",Objet,Service,Parcs,3 500 $\n";
    let before = records_of(&[&first], "contract/montreal");
    let after = records_of(&[&first, &corrected, undated], "contract/montreal");
    assert_eq!(after.len(), 1, "{after:?}");
    assert_eq!(after[0]["record_id"], before[0]["record_id"]);
    assert_eq!(after[0]["title_fr"], "Objet corrigé");
    let again = format!("{first}ACME,7,2014-02-28,\"UNE, PERSONNE\",Objet,Service,Parcs,3500\n");
    assert_eq!(
        records_of(&[&again, undated], "contract/montreal").len(),
        3,
        "it is uncertain which day is right"
    );
}

#[test]
fn a_montreal_order_split_over_activities_stays_apart_in_any_order() {
    let split = format!(
        "{OFFICIALS}\nACME,7,2014-01-31,\"UNE, PERSONNE\",Objet,Service,Parcs,3500\n\
         ACME,7,2014-01-31,\"UNE, PERSONNE\",Objet,Service,Rues,3500\n"
    );
    let contracts = records_of(&[&split], "contract/montreal");
    assert_eq!(contracts.len(), 2);
    assert_eq!(contracts, records_of(&[&reversed(&split)], "contract/montreal"));
    assert_eq!(contracts, records_of(&[&split, &reversed(&split)], "contract/montreal"));
}

#[test]
fn nova_scotia_rows_of_one_day_have_their_identifiers_in_any_order() {
    let head = "TENDER_ID,ENTITY,GOODS,SERVICE,CONSTRUCTION,TENDER_START_DATE,TENDER_CLOSE_DATE,TENDER_DESCRIPTION,AWARDED_DATE,AWARDED_AMOUNT,VENDOR";
    let row = |amount: &str, vendor: &str| {
        format!("1,Halifax,Y,N,N,2020/01/01,2020/02/01,Pipes,2020/03/01,{amount},{vendor}")
    };
    let rows = [
        row("0.01", "XYZ"),
        row("200.00", "ABC"),
        row("100.00", "ABC"),
        row("300.00", "XYZ"),
    ];
    let csv = format!("{head}\n{}\n", rows.join("\n"));
    let contracts = records_of(&[&csv], "contract/novascotia");
    assert_eq!(contracts, records_of(&[&reversed(&csv)], "contract/novascotia"));
    let value = |id: &str| {
        contracts
            .iter()
            .find(|c| c["record_id"] == id)
            .map(|c| c["contract_value"].clone())
    };
    assert_eq!(value("novascotia|1|abc"), Some(json!(100.0)));
    assert_eq!(
        value("novascotia|1|xyz"),
        Some(json!(300.0)),
        "a placeholder is not the contract"
    );
}

#[test]
fn toronto_rows_of_one_day_have_their_identifiers_in_any_order() {
    let head = "Workspace Number,Contract Amount,Supplier Name,Contract Date,Division,Reason";
    let csv = format!(
        "{head}\n1,300,ACME,2020-01-01,Water,Other\n1,0,ACME,2019-01-01,Water,Other\n1,200,ACME,2020-01-01,Water,Other\n"
    );
    let contracts = records_of(&[&csv], "contract/toronto");
    assert_eq!(contracts, records_of(&[&reversed(&csv)], "contract/toronto"));
    assert_eq!(contracts[0]["record_id"], "toronto-nc|1|acme");
    assert_eq!(contracts[0]["contract_value"], 200.0);
}

#[test]
fn an_empty_column_under_a_former_name_leaves_the_filled_one() {
    let text = String::from_utf8(fixture("canadabuys-sosa.csv")).unwrap();
    let mut lines = text.lines();
    let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
    let plain = records_of(&[&format!("{head}\n{row}\n")], "standing_offer/canadabuys-sosa");
    for name in ["gsin", "commodity"] {
        let wider = format!("{head},{name}\n{row},\n");
        assert_eq!(records_of(&[&wider], "standing_offer/canadabuys-sosa"), plain);
    }
}

#[test]
fn a_search_result_keeps_the_awards_of_former_files() {
    let whole = String::from_utf8(fixture("alberta-opportunities.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&whole).unwrap();
    let bare: Vec<&Value> = rows.iter().map(|row| row.get("opportunity").unwrap_or(row)).collect();
    let bare = serde_json::to_string(&bare).unwrap();
    let before = records_of(&[&whole], "contract/alberta");
    assert!(!before.is_empty());
    assert_eq!(records_of(&[&whole, &bare], "contract/alberta"), before);
}

#[test]
fn rows_without_a_type_have_the_type_of_the_others_with_their_number() {
    let text = String::from_utf8(fixture("canadabuys-contract.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let head = rows.headers().unwrap().clone();
    let base = rows.records().next().unwrap().unwrap();
    let workspace = Workspace::new();
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(&head).unwrap();
    for (amendment, instrument) in [("000", "Supply Arrangement"), ("000", ""), ("001", "")] {
        out.write_record(head.iter().zip(&base).map(|(name, value)| match name {
            _ if name.starts_with("amendmentNumber") => amendment,
            _ if name.starts_with("instrumentType") => instrument,
            _ => value,
        }))
        .unwrap();
    }
    workspace.put("a.csv", &out.into_inner().unwrap());
    let report = workspace.run();
    assert_eq!(
        skipped(&report.files[0]),
        [("a standing offer or supply arrangement, not a contract", 3, 2)]
    );
}

#[test]
fn a_row_without_a_type_and_with_an_amendment_value_amends_its_original() {
    let text = String::from_utf8(fixture("disclosure.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let head = rows.headers().unwrap().clone();
    let base = rows.records().next().unwrap().unwrap();
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(&head).unwrap();
    for (reference, kind, by, value) in [("C-1", "C", "", "100"), ("C-2", "", "50", "150")] {
        out.write_record(
            head.iter()
                .zip(&base)
                .map(|(name, stated)| match name.trim_start_matches('\u{feff}') {
                    "reference_number" => reference,
                    "instrument_type" => kind,
                    "amendment_value" => by,
                    "contract_value" => value,
                    "original_value" => "100",
                    "procurement_id" => "P-12345",
                    _ => stated,
                }),
        )
        .unwrap();
    }
    let csv = String::from_utf8(out.into_inner().unwrap()).unwrap();
    let records = records_of(&[&csv], "disclosure/disclosure");
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["contract_value"], 150.0);
    assert_eq!(records[0]["amendment_count"], 1);
}

#[test]
fn the_report_states_how_to_save_a_file() {
    let workspace = Workspace::with_fixtures(&["novascotia.csv"]);
    workspace.put("a.csv", format!("{}\n", OFFICIALS.replace(',', ";")).as_bytes());
    let wide: Vec<u8> = OFFICIALS.encode_utf16().flat_map(u16::to_le_bytes).collect();
    workspace.put("b.csv", &wide);
    let report = workspace.run();
    let why: Vec<&str> = report.unrecognized.iter().map(|file| file.why.as_str()).collect();
    assert_eq!(
        why,
        [
            "has semicolons or tabs between its columns; save it with commas",
            "is UTF-16 or not text; save it as UTF-8"
        ]
    );
}

#[test]
fn any_number_of_cores_yields_the_same_dumps() {
    let workspace = Workspace::new();
    let files = [
        ("toronto-awarded.csv", 1_000),
        ("disclosure.csv", 1_000),
        ("seao-avis-2018.xml", 200),
        ("seao-ocds-hebdo.json", 200),
        // Damaged in the middle.
        ("canadabuys-contract.csv", 500),
    ];
    for (name, copies) in files {
        let fixture = promises::FIXTURES.iter().find(|fixture| fixture.name == name).unwrap();
        let mut file = memory::repeated(fixture, copies);
        assert!(file.len() > 3 << 17, "{name} has too few batches");
        if name == "canadabuys-contract.csv" {
            let middle = file.len() / 2;
            file.splice(middle..middle, *b"\xE9,\"");
        }
        workspace.put(name, &file);
    }
    let run_on = |cores| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build().unwrap();
        let report = pool.install(|| run(&workspace.options())).unwrap();
        (serde_json::to_string(&report).unwrap(), workspace.dumps())
    };
    let (report, dumps) = run_on(1);
    for cores in [2, 8] {
        let (other, others) = run_on(cores);
        assert_eq!(report, other, "{cores} cores");
        assert!(dumps == others, "{cores} cores write other dumps");
    }
}

#[test]
fn a_newer_file_with_another_amount_has_the_same_contract() {
    let scotia = |amount: &str, day: &str| {
        format!(
            "TENDER_ID,ENTITY,GOODS,SERVICE,CONSTRUCTION,TENDER_DESCRIPTION,AWARDED_DATE,AWARDED_AMOUNT,VENDOR\n\
             T1,Halifax Water,N,Y,N,Pipes,{day},{amount},ACME\n"
        )
    };
    let toronto = |amount: &str, day: &str| {
        format!(
            "_id,Workspace Number,Reason,Contract Date,Supplier Name,Contract Amount,Division\n\
             1,8614,Emergency,{day},ACME,{amount},Toronto Water\n"
        )
    };
    let check = |file: &dyn Fn(&str, &str) -> String, dump: &str, id: &str| {
        let (former, amount) = (file("1000.00", "2026-03-01"), file("1200.00", "2026-03-01"));
        let day = file("1200.00", "2026-03-02");
        for files in [vec![&former, &amount], vec![&amount, &former, &amount]] {
            let files: Vec<&str> = files.into_iter().map(String::as_str).collect();
            let contracts = records_of(&files, dump);
            assert_eq!(contracts.len(), 1, "{contracts:?}");
            assert_eq!(contracts[0]["record_id"], id);
            assert_eq!(contracts[0]["contract_value"], 1200.0);
        }
        // Two contracts in one file stay two, even if the first was corrected.
        let both = |first: &str, second: &str| format!("{first}{}\n", second.lines().last().unwrap());
        assert_eq!(records_of(&[&former, &both(&former, &amount)], dump).len(), 2);
        let earlier = file("1000.00", "2026-02-01");
        let contracts = records_of(&[&former, &both(&earlier, &day)], dump);
        let stated: Vec<_> = contracts
            .iter()
            .map(|known| (&known["award_date"], &known["contract_value"]))
            .collect();
        assert_eq!(
            stated,
            [
                (&json!("2026-02-01"), &json!(1000.0)),
                (&json!("2026-03-02"), &json!(1200.0))
            ]
        );
        // With another day and another amount it is another contract: a file may be only a page or
        // a year.
        assert_eq!(records_of(&[&former, &day], dump).len(), 2);
    };
    check(&scotia, "contract/novascotia", "novascotia|T1|acme");
    check(&toronto, "contract/toronto", "toronto-nc|8614|acme");
}
