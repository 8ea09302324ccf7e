//! Amounts that are numbers of something else, and quality flags: on small files, and on the
//! publishers' real ones.

use std::collections::BTreeMap;

use super::*;

const AWARDED: &str = "_id,Document Number,RFx (Solicitation) Type,High Level Category,Successful Supplier,Award,\
    Award Authority Obtained Date,Division,Buyer Name,Buyer Email,Buyer Phone Number,Solicitation Document Description,\
    Supplier Address,Wards\n";

/// A file of Toronto with one contract a row: supplier, amount, day, telephone.
fn awarded(rows: &[[&str; 4]]) -> Vec<u8> {
    let mut csv = AWARDED.to_owned();
    for (number, [supplier, amount, day, phone]) in (3_500_000_001_u64..).zip(rows) {
        csv.push_str(&format!(
            "1,{number},RFT,Construction Services,{supplier},\"{amount}\",{day},Toronto Water,A,a@toronto.example,{phone},,,\n"
        ));
    }
    csv.into_bytes()
}

fn flags(record: &Value) -> Vec<&str> {
    let flags = record.get("quality_flags").and_then(Value::as_array);
    flags.into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn an_amount_that_is_a_number_of_its_row_or_a_telephone_number_is_left_out() {
    let workspace = Workspace::new();
    let rows = [
        // The city's telephone number, of another desk.
        ["Weaver", "9054510208", "2024-01-01", "416-397-4141"],
        // The telephone number of the row, which the record does not keep.
        ["Bertrand", "5145550100", "2024-01-02", "1 514 555-0100"],
        // The document number.
        ["Choi", "3500000003", "2024-01-03", ""],
        ["Dubois", "76500.0025.95625.00", "2024-01-04", ""],
        ["Evans", "1898820680", "2024-01-05", ""],
        ["Fox", "$ 14,163,974,141.00 CAD", "2024-01-06", "416-397-4141"],
        ["2145128 ONTARIO INC", "2145128", "2024-01-07", ""],
    ];
    workspace.put("awarded.csv", &awarded(&rows));
    let report = workspace.run();
    let contracts = workspace.records("contract/toronto");
    let amounts: Vec<_> = contracts
        .iter()
        .map(|contract| (contract.get("contract_value"), contract.get("value_as_published")))
        .collect();
    assert_eq!(
        amounts,
        [
            (None, Some(&json!("9054510208"))),
            (None, Some(&json!("5145550100"))),
            (None, Some(&json!("3500000003"))),
            (None, Some(&json!("76500.0025.95625.00"))),
            (Some(&json!(1_898_820_680.0)), None),
            (None, Some(&json!("$ 14,163,974,141.00 CAD"))),
            (None, Some(&json!("2145128"))),
        ]
    );
    assert_eq!(
        contracts[0]["record_id"], "toronto|3500000001|weaver|2024-01-01|9054510208.00",
        "the identifier stays what it was"
    );
    let notes: Vec<_> = report.files[0]
        .counts
        .notes
        .iter()
        .map(|(note, seen)| (note.as_str(), seen.count))
        .collect();
    assert_eq!(
        notes,
        [
            (
                "an amount that is a number or telephone number of its own row, left out",
                4
            ),
            (
                "an amount that is a telephone number of the buyer's province, left out",
                1
            ),
            ("unreadable amount in Award, left out", 1),
        ]
    );
    assert_eq!(report.files[0].counts.recorded, 7, "no record is left out");
}

#[test]
fn doubtful_records_are_flagged_and_counted_and_none_is_left_out() {
    let workspace = Workspace::new();
    workspace.put(
        "awarded.csv",
        &awarded(&[
            ["Weaver", "25000.50", "2024-01-01", ""],
            ["Weaver", "0.01", "2024-01-02", ""],
            ["", "30000", "2026-06-01", ""],
            ["Evans", "40000", "2024-01-05", ""],
            ["EVANS.", "40000", "2024-01-05", ""],
        ]),
    );
    let report = workspace.run();
    let contracts = workspace.records("contract/toronto");
    let found: Vec<_> = contracts.iter().map(flags).collect();
    let expected: [&[&str]; 5] = [
        &[],
        &["placeholder_value"],
        &["future_date", "no_vendor"],
        &["duplicate_suspect"],
        &["duplicate_suspect"],
    ];
    assert_eq!(found, expected);
    let expected = BTreeMap::from([
        ("placeholder_value", 1),
        ("future_date", 1),
        ("no_vendor", 1),
        ("duplicate_suspect", 2),
    ]);
    assert_eq!(report.quality_flags["contract/toronto"], expected);
    assert_eq!(
        report.fields["contract/toronto"]["quality_flags"], 0.8,
        "flags count as a field"
    );
    assert!(
        report
            .to_string()
            .contains("        2  contract/toronto: duplicate_suspect"),
        "{report}"
    );
    let lines = fs::read_to_string(workspace.out().join("contract/toronto.ndjson")).unwrap();
    let flagged = lines.lines().nth(1).unwrap();
    assert!(
        flagged.contains(r#","quality_flags":["placeholder_value"],"fetched_at":"#),
        "before what follows in the schema: {flagged}"
    );
}

/// Flags do not depend on the order in which files are named.
#[test]
fn flags_do_not_depend_on_the_order_of_the_inputs() {
    let rows = |start: usize| -> Vec<[String; 4]> {
        (0..150)
            .map(|number| {
                let number = start + number;
                let amount = if number % 149 == 3 {
                    7_000_000_001
                } else {
                    1000 + 997 * number
                };
                [
                    format!("S{}", number % 40),
                    amount.to_string(),
                    format!("2024-02-{:02}", 1 + number % 28),
                    String::new(),
                ]
            })
            .collect()
    };
    let dumps = |files: [(&str, usize); 2]| {
        let workspace = Workspace::new();
        for (name, start) in files {
            let rows = rows(start);
            let rows: Vec<[&str; 4]> = rows.iter().map(|row| row.each_ref().map(String::as_str)).collect();
            // Other document numbers, so that the files do not describe the same contracts.
            let csv = String::from_utf8(awarded(&rows))
                .unwrap()
                .replace(",3500", &format!(",{start}99"));
            workspace.put(name, csv.as_bytes());
        }
        workspace.run();
        let mut records = workspace.records("contract/toronto");
        records.sort_by_key(|record| record["record_id"].to_string());
        records
    };
    let one = dumps([("a.csv", 1000), ("b.csv", 2000)]);
    let other = dumps([("b.csv", 1000), ("a.csv", 2000)]);
    assert_eq!(one, other);
    assert!(one.iter().any(|record| flags(record).contains(&"implausible_value")));
}

/// The figures that a sum must not contain, in the publishers' real files.
#[test]
fn the_real_files_hold_two_telephone_numbers_and_few_doubtful_records() {
    let Some((workspace, report)) = real_files(&[""]) else {
        return;
    };

    let toronto = workspace.records("contract/toronto");
    let refused: Vec<_> = toronto
        .iter()
        .filter(|contract| contract.get("contract_value").is_none())
        .filter_map(|contract| contract.get("value_as_published")?.as_str()?.parse::<u64>().ok())
        .collect();
    assert_eq!(
        refused.iter().sum::<u64>(),
        4_163_927_134 + 9_054_510_208,
        "{refused:?}"
    );
    for contract in &toronto {
        let value = contract
            .get("contract_value")
            .and_then(Value::as_f64)
            .unwrap_or_default();
        // Amounts of hundreds of millions for one street, tunnel design or school: cents without a point.
        if value > 3e8 {
            assert_eq!(flags(contract), ["implausible_value"], "{contract}");
        }
    }

    let mut flagged: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = 0;
    for dump in report.records().keys() {
        for record in workspace.records(dump) {
            all += 1;
            for flag in flags(&record) {
                *flagged.entry(flag.to_owned()).or_default() += 1;
            }
            let is_tender = dump.starts_with("tender/") || dump.starts_with("pre_solicitation/");
            assert!(!is_tender || !flags(&record).contains(&"no_vendor"), "{record}");
        }
    }
    println!("{all} records: {flagged:?}");
    for (flag, count) in &flagged {
        assert!(
            *count * 100 < all,
            "{flag} is on {count} of {all} records: too many to be a doubt"
        );
    }
    let counted: BTreeMap<String, usize> =
        report
            .quality_flags
            .values()
            .flatten()
            .fold(BTreeMap::new(), |mut sum, (flag, count)| {
                *sum.entry((*flag).to_owned()).or_default() += usize::try_from(*count).unwrap();
                sum
            });
    assert_eq!(counted, flagged, "the report counts what the dumps hold");
}
