//! Contracts and notices that buyandsell.gc.ca and CanadaBuys both tell.

use super::{
    federal::{by_id, under_header_of},
    *,
};

type Row = Vec<(&'static str, &'static str)>;

/// The headers are those of the fixtures.
const CONTRACT: &str = "canadabuys-contract.csv";
const FORMER_CONTRACT: &str = "buyandsell-contract.csv";
const NOTICE: &str = "canadabuys-tender.csv";
const FORMER_NOTICE: &str = "buyandsell-tender.csv";

/// CanadaBuys' rows and buyandsell's, read in this order of files, then in the other; the reports are CanadaBuys' first.
fn told(names: [&str; 2], rows: [&[Row]; 2]) -> (Place, [FileReport; 2]) {
    let runs = [["a.csv", "b.csv"], ["b.csv", "a.csv"]].map(|order| {
        let place = Place::new();
        for ((name, rows), file) in names.iter().zip(rows).zip(order) {
            place.put(file, &under_header_of(name, rows));
        }
        let mut files: [FileReport; 2] = place.run().files.try_into().unwrap();
        files.sort_by_key(|file| file.source_id.starts_with("buyandsell"));
        (place, files)
    });
    let [(place, files), (other, reordered)] = runs;
    let sorted = |place: &Place| {
        let dumps = place.dumps().into_iter();
        let lines = dumps.map(|(dump, text)| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            (dump, lines)
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(sorted(&place), sorted(&other), "the order of the files tells");
    let tallies = |files: &[FileReport; 2]| format!("{:?}", files.each_ref().map(|file| &file.counts));
    assert_eq!(tallies(&files), tallies(&reordered));
    (place, files)
}

fn counts(file: &FileReport) -> (u64, u64, u64, u64) {
    let counts = &file.counts;
    (counts.rows, counts.recorded, counts.merged, counts.skipped_rows())
}

fn contract(number: &'static str, amendment: &'static str, more: &[(&'static str, &'static str)]) -> Row {
    let row = [
        ("contractNumber-numeroContrat", number),
        ("amendmentNumber-numeroModification", amendment),
        ("title-titre-eng", "Instruments"),
        ("supplierLegalName-nomLegalFournisseur-eng", "Falcan Medical Inc"),
        ("contractCurrency-contratMonnaie", "CAD"),
    ];
    [&row, more].concat()
}

fn former_contract(number: &'static str, amendment: &'static str, more: &[(&'static str, &'static str)]) -> Row {
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
fn a_contract_of_both_publications_is_one_record_in_canadabuys_words() {
    let (place, files) = told(
        [CONTRACT, FORMER_CONTRACT],
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
                former_contract(
                    "W1-1/001/PV",
                    "000",
                    &[("award-date", "2011-08-31"), ("total-contract-value", "100.00")],
                ),
                former_contract(
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
    let [contract] = place.records("contract/canadabuys-contract").try_into().unwrap();
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
            "trade_agreements_en": "Canadian Free Trade Agreement (CFTA)",
            "eligibility": {"trade_agreements": ["CFTA"], "limited_tendering_reason_en": "Exclusive Rights"},
            "sources": ["canadabuys-contract", "buyandsell-contract"], "government_level": "federal",
            "fetched_at": "2026-04-30T12:00:00Z",
        })
    );
    assert_eq!(place.dumps().len(), 1, "and nothing is left for the other's dump");
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
fn the_newer_amendment_tells_a_contracts_state() {
    let former = |amendment, supplier| {
        let state = [
            ("award-date", "2012-01-09"),
            ("expiry-date", "2014-12-31"),
            ("total-contract-value", "500.00"),
            ("supplier-legal-name", supplier),
            ("supplier-standardized-name", ""),
        ];
        let named = |(column, _): &(&str, &str)| !state.iter().any(|(known, _)| known == column);
        let row: Row = former_contract("W1-2", amendment, &[])
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
    #[rustfmt::skip]
    let cases = [
        // An older row tells nothing of the state, and of another supplier or commodity neither.
        ("000", "Other Ltd", 400.0, 1, ["001", "2011-12-12", "", "Falcan Medical Inc", "", "Ontario", "2011-08-31", "N6640", ""]),
        ("000", "FALCAN MÉDICAL INC.", 400.0, 1, ["001", "2011-12-12", "", "Falcan Medical Inc", "Québec", "Ontario", "2011-08-31", "N6640", ""]),
        // One of the same amendment tells what CanadaBuys leaves out of it.
        ("001", "Other Ltd", 400.0, 1, ["001", "2011-12-12", "2014-12-31", "Falcan Medical Inc", "", "Ontario", "2011-08-31", "N6640", ""]),
        // A newer one its state and supplier.
        ("002", "Other Ltd", 500.0, 2, ["002", "2012-01-09", "2014-12-31", "Other Ltd", "Québec", "", "2011-08-31", "N6640", ""]),
        ("T01", "Other Ltd", 500.0, 2, ["T01", "2012-01-09", "2014-12-31", "Other Ltd", "Québec", "", "2011-08-31", "N6640", ""]),
    ];
    for (amendment, supplier, value, count, expected) in cases {
        let rows = [current.clone()];
        let (place, _) = told([CONTRACT, FORMER_CONTRACT], [&rows, &[former(amendment, supplier)]]);
        let [contract] = place.records("contract/canadabuys-contract").try_into().unwrap();
        let told = fields.map(|field| contract.get(field).map_or("", |value| value.as_str().unwrap()));
        assert_eq!(told, expected, "{amendment} of {supplier}");
        assert_eq!(contract["contract_value"], value, "{amendment}");
        assert_eq!(contract["amendment_count"], count, "{amendment}");
        assert_eq!(contract["record_id"], "canadabuys|W1-2");
        assert_eq!(contract["title_en"], "Instruments");
    }
}

const AMENDMENTS: [&str; 4] = ["000", "001", "002", "003"];
const TOTALS: [&str; 4] = ["100.00", "110.00", "120.00", "130.00"];
const FORMER_TOTALS: [&str; 4] = ["105.00", "115.00", "125.00", "135.00"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn a_contract_is_one_record_whichever_amendments_each_tells(
        current in proptest::sample::subsequence(vec![0, 1, 2, 3], 0..=4),
        former in proptest::sample::subsequence(vec![0, 1, 2, 3], 0..=4),
    ) {
        let rows: Vec<Row> = current.iter().map(|at| contract("W1-6", AMENDMENTS[*at], &[(TOTAL, TOTALS[*at])])).collect();
        let total = |at: usize| [("total-contract-value", FORMER_TOTALS[at])];
        let former_rows: Vec<Row> = former.iter().map(|at| former_contract("W1-6", AMENDMENTS[*at], &total(*at))).collect();
        let (place, files) = told([CONTRACT, FORMER_CONTRACT], [&rows, &former_rows]);
        let Some(newest) = current.iter().chain(&former).max().copied() else {
            prop_assert!(place.dumps().is_empty());
            return Ok(());
        };
        let (dump, id) = match current.is_empty() {
            true => ("contract/buyandsell-contract", "buyandsell|W1-6"),
            false => ("contract/canadabuys-contract", "canadabuys|W1-6"),
        };
        prop_assert_eq!(place.dumps().len(), 1);
        let [contract] = place.records(dump).try_into().unwrap();
        prop_assert_eq!(&contract["record_id"], id);
        prop_assert_eq!(&contract["amendment_number"], AMENDMENTS[newest]);
        let amendments = (1..4).filter(|at| current.contains(at) || former.contains(at)).count();
        prop_assert_eq!(&contract["amendment_count"], amendments);
        let value = if current.contains(&newest) { TOTALS[newest] } else { FORMER_TOTALS[newest] };
        prop_assert_eq!(&contract["contract_value"], value.parse::<f64>().unwrap());
        let is_of_both = !current.is_empty() && !former.is_empty();
        prop_assert_eq!(contract.get("sources").is_some(), is_of_both);
        for (file, (rows, recorded)) in files.iter().zip([
            (current.len() as u64, u64::from(!current.is_empty())),
            (former.len() as u64, u64::from(current.is_empty())),
        ]) {
            prop_assert_eq!(counts(file), (rows, recorded, rows - recorded, 0));
        }
    }
}

#[test]
fn a_former_row_of_what_canadabuys_calls_an_agreement_is_left_out() {
    const INSTRUMENT: &str = "instrumentType-typeInstrument-eng";
    let (place, files) = told(
        [CONTRACT, FORMER_CONTRACT],
        [
            &[
                contract("W1-3", "003", &[(INSTRUMENT, "Supply Arrangement")]),
                contract("W1-3", "001", &[]),
                contract("W1-4", "000", &[(INSTRUMENT, "Call-up against a Standing Offer")]),
                // Rows of the previous system may lack the contract's number, which their reference is.
                vec![("referenceNumber-numeroReference", "W1-5"), (TOTAL, "5.00")],
            ],
            &[
                former_contract("W1-3", "000", &[]),
                former_contract("W1-3", "001", &[]),
                former_contract("W1-4", "000", &[]),
                former_contract("W1-5", "000", &[]),
            ],
        ],
    );
    let contracts = place.records("contract/canadabuys-contract");
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

/// What one publication alone tells, and what the other tells of other things beside it.
#[test]
fn what_one_publication_tells_is_as_it_was() {
    let names = [CONTRACT, FORMER_CONTRACT, NOTICE, FORMER_NOTICE];
    let mut alone = Dumps::new();
    for name in names {
        let place = Place::with_fixtures(&[name]);
        place.run();
        alone.extend(place.dumps());
    }
    let place = Place::with_fixtures(&names);
    let report = place.run();
    assert_eq!(place.dumps(), alone);
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

fn notice(reference: &'static str, amendment: &'static str, more: &[(&'static str, &'static str)]) -> Row {
    let row = [
        ("referenceNumber-numeroReference", reference),
        ("amendmentNumber-numeroModification", amendment),
        ("title-titre-eng", "Snow removal"),
        ("tenderStatus-appelOffresStatut-eng", "Expired"),
        ("noticeType-avisType-eng", "Request for Proposal"),
    ];
    [&row, more].concat()
}

fn former_notice(language: &'static str, reference: &'static str, amendment: &'static str) -> Row {
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
fn a_notice_of_both_publications_is_one_record_an_amendment() {
    let (place, files) = told(
        [NOTICE, FORMER_NOTICE],
        [
            &[
                // With and without what fills the office's code up.
                notice("PW-ZT-009-1", "001", &[]),
                notice(
                    "PW-$KIN-650-2",
                    "000",
                    &[("contactInfoEmail-informationsContactCourriel", "a@example.gc.ca")],
                ),
                notice("WS1-Doc1", "000", &[]),
            ],
            &[
                former_notice("Français", "PW-$$ZT-009-1", "000"),
                former_notice("English", "PW-$$ZT-009-1", "000"),
                former_notice("Français", "PW-$$ZT-009-1", "001"),
                former_notice("English", "PW-$$ZT-009-1", "001"),
                former_notice("Français", "PW-$KIN-650-2", "000"),
                former_notice("English", "PW-$KIN-650-2", "003"),
                former_notice("English", "PW-3", "000"),
            ],
        ],
    );
    let current = place.records("tender/canadabuys-tender");
    let former = place.records("tender/buyandsell-tender");
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
    // An amendment that buyandsell alone tells is its own word, under the notice's one identifier.
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
fn a_notice_whose_type_canadabuys_leaves_out_is_of_the_kind_buyandsell_tells() {
    let untyped = vec![
        ("referenceNumber-numeroReference", "PW-4"),
        ("amendmentNumber-numeroModification", "000"),
    ];
    let mut asked = former_notice("English", "PW-4", "000");
    asked.retain(|(column, _)| *column != "notice_type");
    asked.push(("notice_type", "DDR-RFI"));
    let (place, _) = told([NOTICE, FORMER_NOTICE], [&[untyped], &[asked]]);
    let [request] = place.records("pre_solicitation/canadabuys-tender").try_into().unwrap();
    assert_eq!(request["notice_type_en"], "Request for Information");
    assert_eq!(
        (&request["status"], &request["status_en"]),
        (&json!("Active"), &json!("Active"))
    );
}
