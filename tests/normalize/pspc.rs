//! Contracts and notices that both buyandsell.gc.ca and CanadaBuys publish.

use super::{
    federal::{by_id, under_header_of},
    *,
};

/// The filled columns of a row, with their values.
type Cells = Vec<(&'static str, &'static str)>;

// The fixtures whose headers the files have.
const CANADABUYS_CONTRACT: &str = "canadabuys-contract.csv";
const BUYANDSELL_CONTRACT: &str = "buyandsell-contract.csv";
const CANADABUYS_TENDER: &str = "canadabuys-tender.csv";
const BUYANDSELL_TENDER: &str = "buyandsell-tender.csv";

/// Normalizes CanadaBuys' rows and buyandsell's, once with either file first, and asserts that both
/// runs agree. The report of CanadaBuys' file comes first.
fn normalize_both(names: [&str; 2], rows: [&[Cells]; 2]) -> (Workspace, [FileReport; 2]) {
    let runs = [["a.csv", "b.csv"], ["b.csv", "a.csv"]].map(|order| {
        let workspace = Workspace::new();
        for ((name, rows), file) in names.iter().zip(rows).zip(order) {
            workspace.put(file, &under_header_of(name, rows));
        }
        let mut files: [FileReport; 2] = workspace.run().files.try_into().unwrap();
        files.sort_by_key(|file| file.source_id.starts_with("buyandsell"));
        (workspace, files)
    });
    let [(workspace, files), (other, reordered)] = runs;
    let sorted = |workspace: &Workspace| {
        let dumps = workspace.dumps().into_iter();
        let lines = dumps.map(|(dump, text)| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            (dump, lines)
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(
        sorted(&workspace),
        sorted(&other),
        "the result depends on the order of the files"
    );
    let all_counts = |files: &[FileReport; 2]| format!("{:?}", files.each_ref().map(|file| &file.counts));
    assert_eq!(all_counts(&files), all_counts(&reordered));
    (workspace, files)
}

fn counts(file: &FileReport) -> (u64, u64, u64, u64) {
    let counts = &file.counts;
    (counts.rows, counts.recorded, counts.merged, counts.skipped_rows())
}

fn contract(number: &'static str, amendment: &'static str, more: &[(&'static str, &'static str)]) -> Cells {
    let row = [
        ("contractNumber-numeroContrat", number),
        ("amendmentNumber-numeroModification", amendment),
        ("title-titre-eng", "Instruments"),
        ("supplierLegalName-nomLegalFournisseur-eng", "Falcan Medical Inc"),
        ("contractCurrency-contratMonnaie", "CAD"),
    ];
    [&row, more].concat()
}

fn buyandsell_contract(number: &'static str, amendment: &'static str, more: &[(&'static str, &'static str)]) -> Cells {
    let row = [
        ("contract-number", number),
        ("amendment-number", amendment),
        ("supplier-standardized-name", "FALCAN MEDICAL INC"),
        ("supplier-legal-name", "Falcan médical inc."),
        ("supplier-address-city", "Québec"),
        ("supplier-address-postal-code", "G2E 6J5"),
        ("gsin", "N6515"),
        ("gsin-description_en", "Medical Instruments"),
        ("solicitation-procedure", "OB"),
        ("trade-agreement-description_en", "NAFTA/AIT"),
        ("limited-tender-reason-description_en", "Exclusive Rights"),
    ];
    [&row, more].concat()
}

const AWARDED: &str = "contractAwardDate-dateAttributionContrat";
const AMENDED: &str = "amendmentDate-dateModification";
const END: &str = "contractEndDate-dateFinContrat";
const TOTAL: &str = "totalContractValue-valeurTotaleContrat";

#[test]
fn a_contract_in_both_publications_is_one_record_with_canadabuys_values() {
    let (workspace, files) = normalize_both(
        [CANADABUYS_CONTRACT, BUYANDSELL_CONTRACT],
        [
            &[
                contract("W1-1/001/PV", "000", &[(TOTAL, "100.00"), (AWARDED, "2011-08-31")]),
                contract(
                    "W1-1/001/PV",
                    "002",
                    &[
                        (TOTAL, "300.00"),
                        (AWARDED, "2011-10-06"),
                        (AMENDED, "2011-10-06"),
                        (END, "2013-08-31"),
                        (
                            "tradeAgreements-accordsCommerciaux-eng",
                            "*Canadian Free Trade Agreement (CFTA)",
                        ),
                    ],
                ),
            ],
            &[
                buyandsell_contract(
                    "W1-1/001/PV",
                    "000",
                    &[("award-date", "2011-08-31"), ("total-contract-value", "100.00")],
                ),
                buyandsell_contract(
                    "W1-1/001/PV",
                    "001",
                    &[
                        ("award-date", "2011-09-06"),
                        ("expiry-date", "2012-08-31"),
                        ("total-contract-value", "900.00"),
                    ],
                ),
            ],
        ],
    );
    let [contract] = workspace.records("contract/canadabuys-contract").try_into().unwrap();
    assert_eq!(
        contract,
        json!({
            "record_id": "canadabuys|W1-1/001/PV", "award_date": "2011-08-31", "amendment_date": "2011-10-06",
            "end_date": "2013-08-31", "title_en": "Instruments", "vendor_name": "FALCAN MEDICAL INC",
            "vendor_name_standardized": "FALCAN MEDICAL INC", "supplier_legal_name": "Falcan Medical Inc",
            "vendor_city": "Québec", "vendor_postal_code": "G2E6J5", "municipality": "federal",
            "contract_value": 300.0, "currency": "CAD", "procurement_method": "OB", "amendment_number": "002",
            "amendment_count": 2, "contract_id": "W1-1/001/PV", "contract_number": "W1-1/001/PV", "gsin": "N6515",
            "gsin_description_en": "Medical Instruments",
            "gsin_description_fr": "Équipement et fournitures de médecine, de dentisterie et de médecine vétérinaire",
            "trade_agreements_en": "Canadian Free Trade Agreement (CFTA)",
            "eligibility": {"trade_agreements": ["CFTA"], "limited_tendering_reason_en": "Exclusive Rights"},
            "sources": ["canadabuys-contract", "buyandsell-contract"], "government_level": "federal",
            "fetched_at": "2026-04-30T12:00:00Z",
        })
    );
    assert_eq!(
        workspace.dumps().len(),
        1,
        "the other publication's dump has no records"
    );
    assert_eq!(files.each_ref().map(counts), [(2, 1, 1, 0), (2, 0, 2, 0)]);
    let note = "a contract that CanadaBuys also publishes, merged into one record";
    assert_eq!(
        (
            files[1].counts.notes[note].count,
            files[1].counts.notes[note].first_line
        ),
        (1, 3)
    );
}

#[test]
fn the_newer_amendment_decides_a_contracts_state() {
    let former = |amendment, supplier| {
        let state = [
            ("award-date", "2012-01-09"),
            ("expiry-date", "2014-12-31"),
            ("total-contract-value", "500.00"),
            ("supplier-legal-name", supplier),
            ("supplier-standardized-name", ""),
        ];
        let named = |(column, _): &(&str, &str)| !state.iter().any(|(known, _)| known == column);
        let row: Cells = buyandsell_contract("W1-2", amendment, &[])
            .into_iter()
            .filter(named)
            .collect();
        [row, state.to_vec()].concat()
    };
    let current = contract(
        "W1-2",
        "001",
        &[
            (AWARDED, "2011-08-31"),
            (AMENDED, "2011-12-12"),
            (TOTAL, "400.00"),
            ("supplierAddressProvince-fournisseurAdresseProvince-eng", "Ontario"),
            ("gsin-nibs", "*N6640"),
        ],
    );
    let fields = [
        "amendment_number",
        "amendment_date",
        "end_date",
        "vendor_name",
        "vendor_city",
        "vendor_province",
        "award_date",
        "gsin",
        "gsin_description_en",
    ];
    // The words of its group, not those of the other commodity.
    const N66: &str = "Laboratory equipment and supplies";
    #[rustfmt::skip]
    let cases = [
        // An older row does not change the state, and fills nothing if its supplier or commodity
        // differs.
        ("000", "Other Ltd", 400.0, 1, ["001", "2011-12-12", "", "Falcan Medical Inc", "", "Ontario", "2011-08-31", "N6640", N66]),
        ("000", "FALCAN MÉDICAL INC.", 400.0, 1, ["001", "2011-12-12", "", "Falcan Medical Inc", "Québec", "Ontario", "2011-08-31", "N6640", N66]),
        // A row of the same amendment fills what CanadaBuys leaves empty.
        ("001", "Other Ltd", 400.0, 1, ["001", "2011-12-12", "2014-12-31", "Falcan Medical Inc", "", "Ontario", "2011-08-31", "N6640", N66]),
        // A newer row decides the state and the supplier.
        ("002", "Other Ltd", 500.0, 2, ["002", "2012-01-09", "2014-12-31", "Other Ltd", "Québec", "", "2011-08-31", "N6640", N66]),
        ("T01", "Other Ltd", 500.0, 2, ["T01", "2012-01-09", "2014-12-31", "Other Ltd", "Québec", "", "2011-08-31", "N6640", N66]),
    ];
    for (amendment, supplier, value, count, expected) in cases {
        let rows = [current.clone()];
        let (workspace, _) = normalize_both(
            [CANADABUYS_CONTRACT, BUYANDSELL_CONTRACT],
            [&rows, &[former(amendment, supplier)]],
        );
        let [contract] = workspace.records("contract/canadabuys-contract").try_into().unwrap();
        let values = fields.map(|field| contract.get(field).map_or("", |value| value.as_str().unwrap()));
        assert_eq!(values, expected, "{amendment} of {supplier}");
        assert_eq!(contract["contract_value"], value, "{amendment}");
        assert_eq!(contract["amendment_count"], count, "{amendment}");
        assert_eq!(contract["record_id"], "canadabuys|W1-2");
        assert_eq!(contract["title_en"], "Instruments");
    }
}

const AMENDMENTS: [&str; 4] = ["000", "001", "002", "003"];
const TOTALS: [&str; 4] = ["100.00", "110.00", "120.00", "130.00"];
const BUYANDSELL_TOTALS: [&str; 4] = ["105.00", "115.00", "125.00", "135.00"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn a_contract_is_one_record_whichever_amendments_each_publication_has(
        current in proptest::sample::subsequence(vec![0, 1, 2, 3], 0..=4),
        former in proptest::sample::subsequence(vec![0, 1, 2, 3], 0..=4),
    ) {
        let rows: Vec<Cells> = current.iter().map(|at| contract("W1-6", AMENDMENTS[*at], &[(TOTAL, TOTALS[*at])])).collect();
        let total = |at: usize| [("total-contract-value", BUYANDSELL_TOTALS[at])];
        let former_rows: Vec<Cells> = former.iter().map(|at| buyandsell_contract("W1-6", AMENDMENTS[*at], &total(*at))).collect();
        let (workspace, files) = normalize_both([CANADABUYS_CONTRACT, BUYANDSELL_CONTRACT], [&rows, &former_rows]);
        let Some(newest) = current.iter().chain(&former).max().copied() else {
            prop_assert!(workspace.dumps().is_empty());
            return Ok(());
        };
        let (dump, id) = if current.is_empty() {
            ("contract/buyandsell-contract", "buyandsell|W1-6")
        } else {
            ("contract/canadabuys-contract", "canadabuys|W1-6")
        };
        prop_assert_eq!(workspace.dumps().len(), 1);
        let [contract] = workspace.records(dump).try_into().unwrap();
        prop_assert_eq!(&contract["record_id"], id);
        prop_assert_eq!(&contract["amendment_number"], AMENDMENTS[newest]);
        let amendments = (1..4).filter(|at| current.contains(at) || former.contains(at)).count();
        prop_assert_eq!(&contract["amendment_count"], amendments);
        let value = if current.contains(&newest) { TOTALS[newest] } else { BUYANDSELL_TOTALS[newest] };
        prop_assert_eq!(&contract["contract_value"], value.parse::<f64>().unwrap());
        let is_in_both = !current.is_empty() && !former.is_empty();
        prop_assert_eq!(contract.get("sources").is_some(), is_in_both);
        for (file, (rows, recorded)) in files.iter().zip([
            (current.len() as u64, u64::from(!current.is_empty())),
            (former.len() as u64, u64::from(current.is_empty())),
        ]) {
            prop_assert_eq!(counts(file), (rows, recorded, rows - recorded, 0));
        }
    }
}

#[test]
fn buyandsell_rows_of_an_agreement_at_canadabuys_are_skipped() {
    const INSTRUMENT: &str = "instrumentType-typeInstrument-eng";
    let (workspace, files) = normalize_both(
        [CANADABUYS_CONTRACT, BUYANDSELL_CONTRACT],
        [
            &[
                contract("W1-3", "003", &[(INSTRUMENT, "Supply Arrangement")]),
                contract("W1-3", "001", &[]),
                contract("W1-4", "000", &[(INSTRUMENT, "Call-up against a Standing Offer")]),
                // Rows of the previous system may have the contract number only as reference
                // number.
                vec![("referenceNumber-numeroReference", "W1-5"), (TOTAL, "5.00")],
            ],
            &[
                buyandsell_contract("W1-3", "000", &[]),
                buyandsell_contract("W1-3", "001", &[]),
                buyandsell_contract("W1-4", "000", &[]),
                buyandsell_contract("W1-5", "000", &[]),
            ],
        ],
    );
    let contracts = workspace.records("contract/canadabuys-contract");
    assert_eq!(contracts.len(), 2);
    for id in ["canadabuys|W1-4", "canadabuys|W1-5"] {
        assert!(by_id(&contracts, id).get("sources").is_some(), "{id}");
    }
    assert_eq!(by_id(&contracts, "canadabuys|W1-5")["contract_id"], "W1-5");
    assert_eq!(files.each_ref().map(counts), [(4, 2, 0, 2), (4, 0, 2, 2)]);
    assert_eq!(
        skipped(&files[1]),
        [(
            "a standing offer or supply arrangement according to CanadaBuys, not a contract",
            2,
            2
        )]
    );
}

#[test]
fn records_of_only_one_publication_do_not_depend_on_the_other() {
    let names = [
        CANADABUYS_CONTRACT,
        BUYANDSELL_CONTRACT,
        CANADABUYS_TENDER,
        BUYANDSELL_TENDER,
    ];
    let mut alone = Dumps::new();
    for name in names {
        let workspace = Workspace::with_fixtures(&[name]);
        workspace.run();
        alone.extend(workspace.dumps());
    }
    let workspace = Workspace::with_fixtures(&names);
    let report = workspace.run();
    assert_eq!(workspace.dumps(), alone);
    for file in &report.files {
        assert!(
            !file
                .counts
                .notes
                .keys()
                .any(|note| note.contains("CanadaBuys also publishes"))
        );
    }
}

fn notice(reference: &'static str, amendment: &'static str, more: &[(&'static str, &'static str)]) -> Cells {
    let row = [
        ("referenceNumber-numeroReference", reference),
        ("amendmentNumber-numeroModification", amendment),
        ("title-titre-eng", "Snow removal"),
        ("tenderStatus-appelOffresStatut-eng", "Expired"),
        ("noticeType-avisType-eng", "Request for Proposal"),
    ];
    [&row, more].concat()
}

fn buyandsell_notice(language: &'static str, reference: &'static str, amendment: &'static str) -> Cells {
    let (title, status) = match language {
        "English" => ("Removal of snow", "Active"),
        _ => ("Déneigement", "Actif"),
    };
    vec![
        ("language", language),
        ("title", title),
        ("reference_number", reference),
        ("amendment_number", amendment),
        ("publication_date", "2014-04-01"),
        ("date_closing", "2014-05-30 14:00 Eastern Daylight Time (EDT)"),
        ("publishing_status", status),
        ("gsin", "S205A: Snow removal"),
        ("notice_type", "APM-NPP"),
        ("contact", "Hickey, Natasha, (819) 555-0100 (    ), 11 Laurier St"),
        ("document", "https://buyandsell.gc.ca/a.pdf"),
    ]
}

#[test]
fn a_notice_in_both_publications_is_one_record_per_amendment() {
    let (workspace, files) = normalize_both(
        [CANADABUYS_TENDER, BUYANDSELL_TENDER],
        [
            &[
                // With and without the padding of the office code.
                notice("PW-ZT-009-1", "001", &[]),
                notice(
                    "PW-$KIN-650-2",
                    "000",
                    &[("contactInfoEmail-informationsContactCourriel", "a@example.gc.ca")],
                ),
                notice("WS1-Doc1", "000", &[]),
            ],
            &[
                buyandsell_notice("Français", "PW-$$ZT-009-1", "000"),
                buyandsell_notice("English", "PW-$$ZT-009-1", "000"),
                buyandsell_notice("Français", "PW-$$ZT-009-1", "001"),
                buyandsell_notice("English", "PW-$$ZT-009-1", "001"),
                buyandsell_notice("Français", "PW-$KIN-650-2", "000"),
                buyandsell_notice("English", "PW-$KIN-650-2", "003"),
                buyandsell_notice("English", "PW-3", "000"),
            ],
        ],
    );
    let current = workspace.records("tender/canadabuys-tender");
    let former = workspace.records("tender/buyandsell-tender");
    assert_eq!((current.len(), former.len()), (3, 3));
    assert_eq!(
        *by_id(&current, "canadabuys|PW-ZT-009-1"),
        json!({
            "record_id": "canadabuys|PW-ZT-009-1", "municipality": "federal", "publication_date": "2014-04-01",
            "closing_date": "2014-05-30", "tender_close_date": "2014-05-30 14:00 Eastern Daylight Time (EDT)",
            "status": "Expired", "status_en": "Expired", "title_en": "Snow removal", "title_fr": "Déneigement",
            "notice_type_en": "Request for Proposal", "notice_type_fr": "Avis de projet de marché",
            "reference_number": "PW-ZT-009-1", "amendment_number": "001", "tender_id": "PW-ZT-009-1",
            "gsin": "S205A", "gsin_description_en": "Snow removal", "gsin_description_fr": "Snow removal",
            "documents": [{"doc_index": 0, "url": "https://buyandsell.gc.ca/a.pdf"}],
            "notice_url": "https://canadabuys.canada.ca/en/tender-opportunities/tender-notice/pw-zt-009-1",
            "contact_name": "Hickey, Natasha", "contact_phone": "(819) 555-0100",
            "sources": ["canadabuys-tender", "buyandsell-tender"], "government_level": "federal",
            "fetched_at": "2026-04-30T12:00:00Z",
        })
    );
    // An amendment that only buyandsell has keeps its values, with CanadaBuys' identifier of the
    // notice.
    let older = by_id(&former, "canadabuys|PW-ZT-009-1|000");
    assert_eq!(
        (&older["title_en"], older.get("sources")),
        (&json!("Removal of snow"), None)
    );
    let newest = by_id(&former, "canadabuys|PW-$KIN-650-2");
    assert_eq!(
        (&newest["amendment_number"], &newest["status"]),
        (&json!("003"), &json!("Active"))
    );
    let joined = by_id(&current, "canadabuys|PW-$KIN-650-2|000");
    assert_eq!(
        (&joined["title_fr"], &joined["contact_email"]),
        (&json!("Déneigement"), &json!("a@example.gc.ca"))
    );
    assert_eq!(by_id(&current, "canadabuys|WS1-Doc1").get("sources"), None);
    by_id(&former, "buyandsell|PW-3");
    assert_eq!(files.each_ref().map(counts), [(3, 3, 0, 0), (7, 3, 4, 0)]);
    let note = "a notice that CanadaBuys also publishes, merged into one record";
    assert_eq!(files[1].counts.notes[note].count, 2);
}

#[test]
fn a_notice_without_a_type_at_canadabuys_has_buyandsells_entity_type() {
    let untyped = vec![
        ("referenceNumber-numeroReference", "PW-4"),
        ("amendmentNumber-numeroModification", "000"),
    ];
    let mut request = buyandsell_notice("English", "PW-4", "000");
    request.retain(|(column, _)| *column != "notice_type");
    request.push(("notice_type", "DDR-RFI"));
    let (workspace, _) = normalize_both([CANADABUYS_TENDER, BUYANDSELL_TENDER], [&[untyped], &[request]]);
    let [request] = workspace
        .records("pre_solicitation/canadabuys-tender")
        .try_into()
        .unwrap();
    assert_eq!(request["notice_type_en"], "Request for Information");
    assert_eq!(
        (&request["status"], &request["status_en"]),
        (&json!("Active"), &json!("Active"))
    );
}
