//! `procure normalize` from files to dumps: the fixtures of `tests/fixtures`, damaged files, and
//! the publishers' real files if the variable `PROCURE_REAL_DATA` names a folder of them.

#![recursion_limit = "256"]

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{Cursor, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use flate2::{Compression, write::GzEncoder};
use procure::{
    model::{entity_type::EntityType, schema::Schema},
    normalize::{
        NormalizeOptions,
        report::{FileReport, NormalizeReport},
        run,
    },
};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

#[path = "normalize/bids.rs"]
mod bids;
#[path = "normalize/commodities.rs"]
mod commodities;
#[path = "normalize/dirty.rs"]
mod dirty;
#[path = "normalize/federal.rs"]
mod federal;
#[path = "normalize/hostile.rs"]
mod hostile;
#[path = "normalize/memory.rs"]
mod memory;
#[path = "normalize/promises.rs"]
mod promises;
#[path = "normalize/provincial.rs"]
mod provincial;
#[path = "normalize/pspc.rs"]
mod pspc;
#[path = "normalize/quality.rs"]
mod quality;
#[path = "normalize/seao_eras.rs"]
mod seao_eras;
#[path = "normalize/seao_notices.rs"]
mod seao_notices;
#[path = "normalize/seao_ocds.rs"]
mod seao_ocds;
#[path = "normalize/steady.rs"]
mod steady;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
/// 2026-04-30T12:00:00Z
const MODIFIED: Duration = Duration::from_secs(1_777_550_400);

/// A temporary folder with a folder of inputs and a folder of dumps.
struct Workspace {
    folder: TempDir,
}

type Dumps = BTreeMap<String, String>;

/// The commodity dictionary in the folder of dumps.
const DICTIONARY: &str = "commodities.ndjson";

/// What publishers state about suppliers, in the folder of dumps.
const SUPPLIERS: &str = "suppliers.ndjson";

impl Workspace {
    fn new() -> Workspace {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        Workspace { folder }
    }

    fn with_fixtures(names: &[&str]) -> Workspace {
        let workspace = Workspace::new();
        for name in names {
            workspace.put(name, &fixture(name));
        }
        workspace
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join("in").join(name);
        let mut file = File::create(&path).unwrap();
        file.write_all(bytes).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + MODIFIED).unwrap();
        path
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("dumps")
    }

    fn options(&self) -> NormalizeOptions {
        NormalizeOptions {
            inputs: vec![self.folder.path().join("in")],
            out: self.out(),
            commodities: None,
            report: None,
            strict: false,
        }
    }

    fn run(&self) -> NormalizeReport {
        let report = run(&self.options()).unwrap();
        for file in &report.files {
            assert_balanced(file);
        }
        report
    }

    fn error(&self, options: &NormalizeOptions) -> String {
        format!("{:#}", run(options).unwrap_err())
    }

    /// The content of every dump of records, by its path in the folder of dumps.
    fn dumps(&self) -> Dumps {
        let mut dumps = Dumps::new();
        collect(&self.out(), &self.out(), &mut dumps);
        dumps.remove(DICTIONARY);
        dumps.remove(SUPPLIERS);
        dumps.retain(|path, _| !path.starts_with("bids/"));
        dumps
    }

    fn dictionary(&self) -> String {
        fs::read_to_string(self.out().join(DICTIONARY)).unwrap()
    }

    fn records(&self, dump: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.out().join(format!("{dump}.ndjson"))).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The publishers' real files of these folders, normalized; `None` without them.
fn real_files(folders: &[&str]) -> Option<(Workspace, NormalizeReport)> {
    let Ok(real) = std::env::var("PROCURE_REAL_DATA") else {
        eprintln!("skipped: PROCURE_REAL_DATA does not name a folder of real files");
        return None;
    };
    let raw = Path::new(&real).join("raw");
    let workspace = Workspace::new();
    let options = NormalizeOptions {
        inputs: folders.iter().map(|folder| raw.join(folder)).collect(),
        ..workspace.options()
    };
    let report = run(&options).unwrap();
    println!("{report}");
    report.files.iter().for_each(assert_balanced);
    Some((workspace, report))
}

fn collect(folder: &Path, root: &Path, found: &mut Dumps) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, root, found);
        } else {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            found.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(FIXTURES).join(name)).unwrap()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(bytes).unwrap();
    gz.finish().unwrap()
}

fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn assert_balanced(file: &FileReport) {
    let counts = &file.counts;
    assert_eq!(
        counts.rows,
        counts.recorded + counts.merged + counts.skipped_rows(),
        "{}",
        file.path
    );
    let bidders = &counts.bidders;
    assert_eq!(
        bidders.listed,
        bidders.kept + bidders.replaced + bidders.refused_bidders(),
        "bidders of {}",
        file.path
    );
}

fn skipped(file: &FileReport) -> Vec<(&str, u64, u64)> {
    let reasons = file.counts.skipped.iter();
    reasons
        .map(|(reason, seen)| (reason.as_str(), seen.count, seen.first_line))
        .collect()
}

#[test]
fn a_notice_has_its_current_state_and_its_amendments() {
    let workspace = Workspace::with_fixtures(&["canadabuys-tender.csv"]);
    let report = workspace.run();
    let tenders = workspace.records("tender/canadabuys-tender");
    assert_eq!(
        tenders[0],
        json!({
            "record_id": "canadabuys|WS1-Doc1|000", "municipality": "federal", "publication_date": "2026-03-02",
            "closing_date": "2026-04-01", "tender_close_date": "2026-04-01T14:00:00", "status": "Open",
            "status_en": "Open", "status_fr": "Ouvert", "title_en": "Snow removal, north lot",
            "title_fr": "Déneigement, stationnement nord",
            "description_en": "Remove snow.\n\nTwice a day, \"if needed\".",
            "description_fr": "Enlever la neige.\nDéfense & sécurité",
            "department_en": "Department of National Defence (DND)",
            "department_fr": "Ministère de la Défense nationale (MDN)",
            "buyer_name": "Department of Public Works and Government Services (PSPC)",
            "procurement_category": "GD,SRV", "notice_type_en": "Request for Proposal",
            "notice_type_fr": "Demande de proposition", "procurement_method_en": "Competitive - Open bidding",
            "procurement_method_fr": "Concurrentielle - Invitation ouverte à soumissionner",
            "reference_number": "WS1-Doc1", "amendment_number": "000", "solicitation_number": "EN578-260001/A",
            "tender_id": "WS1-Doc1", "tender_number": "EN578-260001/A", "unspsc": "72100000,72102900",
            "unspsc_description_en": "Building maintenance; Grounds, lots",
            "unspsc_description_fr": "Services de construction, d'entretien et de réparation de bâtiments et d'ouvrages",
            "trade_agreements_en": "Canadian Free Trade Agreement (CFTA); Canada-Panama Free Trade Agreement; World Trade Organization Agreement on Government Procurement (WTO GPA)",
            "eligibility": {
                "trade_agreements": ["CFTA", "CPaFTA", "WTO-AGP"], "regions_of_opportunity": ["Quebec (except NCR)"],
            },
            "documents": [
                {"doc_index": 0, "url": "https://canadabuys.canada.ca/a,1.pdf", "language": "en"},
                {"doc_index": 1, "url": "https://canadabuys.canada.ca/b.pdf", "language": "en"},
                {"doc_index": 2, "url": "https://canadabuys.canada.ca/c.pdf", "language": "fr"},
            ],
            "notice_url": "https://canadabuys.canada.ca/en/tender-opportunities/tender-notice/ws1-doc1",
            "government_level": "federal", "province": "QC", "contact_name": "Tremblay, A",
            "contact_email": "a.tremblay@example.gc.ca", "fetched_at": "2026-04-30T12:00:00Z",
        })
    );
    assert_eq!(tenders[1]["record_id"], "canadabuys|WS1-Doc1");
    assert_eq!(tenders[1]["amendment_number"], "002");
    let advance = workspace.records("pre_solicitation/canadabuys-tender");
    assert_eq!(advance.len(), 1);
    assert_eq!(advance[0]["notice_url"], "https://example.com/notice/2");
    assert_eq!(advance[0].get("closing_date"), None, "2026-02-30 is not a date");
    assert_eq!(advance[0].get("eligibility"), None, "`None` is not a reason");
    let [file] = report.files.as_slice() else { panic!() };
    assert_eq!((file.counts.rows, file.counts.recorded), (4, 3));
    assert_eq!(skipped(file), [("no reference number", 1, 12)]);
    let impossible = &file.counts.notes["impossible date in tenderClosingDate-appelOffresDateCloture, left out"];
    assert_eq!(impossible.first_line, 11);
}

#[test]
fn a_contract_is_its_latest_amendment_and_a_standing_offer_is_not_a_contract() {
    let workspace = Workspace::with_fixtures(&["canadabuys-contract.csv"]);
    let report = workspace.run();
    let contracts = workspace.records("contract/canadabuys-contract");
    assert_eq!(contracts.len(), 2);
    let terminated = &contracts[0];
    assert_eq!(terminated["record_id"], "canadabuys|CW100");
    assert_eq!(
        terminated["amendment_number"], "T01",
        "a termination comes after numbered amendments"
    );
    assert_eq!(terminated["amendment_count"], 2);
    assert_eq!(terminated["contract_value"], 1400.0, "totals are cumulative");
    assert_eq!(terminated["vendor_name"], "ACME OPTICS LTD.");
    assert_eq!(terminated["status_en"], "Cancelled");
    assert_eq!(
        contracts[1]["contract_value"], 84500.0,
        "a total of 0.00 with another amount is not a total"
    );
    assert_eq!(contracts[1]["award_date"], "2031-01-01");
    let [file] = report.files.as_slice() else { panic!() };
    assert_eq!(file.counts.merged, 2);
    assert_eq!(
        skipped(file),
        [("a standing offer or supply arrangement, not a contract", 2, 6)]
    );
}

#[test]
fn every_amendment_of_an_award_is_a_record() {
    let workspace = Workspace::with_fixtures(&["canadabuys-award.csv"]);
    workspace.run();
    let awards = workspace.records("award/canadabuys-award");
    let facts: Vec<_> = awards
        .iter()
        .map(|award| {
            (
                &award["record_id"],
                award.get("contract_value"),
                award.get("total_contract_value"),
            )
        })
        .collect();
    assert_eq!(
        facts,
        [
            (
                &json!("canadabuys|CW9|000"),
                Some(&json!(2000000.0)),
                Some(&json!(2000000.0))
            ),
            (&json!("canadabuys|CW9|001"), Some(&json!(0.0)), Some(&json!(84500.0))),
        ]
    );
    assert_eq!(awards[0]["procurement_category"], "GD,SRV");
    assert_eq!(awards[0]["department_en"], "Parks Canada");
}

#[test]
fn a_disclosure_is_identified_by_owner_and_reference_number() {
    let workspace = Workspace::with_fixtures(&["disclosure.csv"]);
    let report = workspace.run();
    let disclosures = workspace.records("disclosure/disclosure");
    assert_eq!(disclosures.len(), 2);
    assert_eq!(disclosures[0]["record_id"], "disclosure|hc-sc,C-2023-2024-Q1-00001");
    assert_eq!(disclosures[0]["reporting_period"], "2023-2024-Q2", "the later quarter");
    assert_eq!(disclosures[0].get("vendor_postal_code"), None);
    assert_eq!(disclosures[0]["department_fr"], "Santé Canada");
    assert_eq!(disclosures[0]["procurement_method_en"], "Competitive – Traditional");
    assert_eq!(disclosures[1]["procurement_category"], "GD");
    assert_eq!(disclosures[1].get("contract_value"), None);
    assert_eq!(disclosures[1].get("currency"), None);
    assert_eq!(
        disclosures[1]["eligibility"],
        json!({"trade_agreements": ["NAFTA", "CFTA"], "indigenous_set_aside": "none"})
    );
    let [file] = report.files.as_slice() else { panic!() };
    assert_eq!(file.counts.merged, 1);
    assert_eq!(
        file.counts.notes["unreadable amount in contract_value, left out"].first_line,
        4
    );
}

#[test]
fn codes_of_a_disclosure_become_texts() {
    let workspace = Workspace::new();
    let text = String::from_utf8(fixture("disclosure.csv")).unwrap();
    let first_two: Vec<&str> = text.split_inclusive("\r\n").take(2).collect();
    workspace.put("one.csv", first_two.concat().as_bytes());
    workspace.run();
    let [disclosure] = workspace.records("disclosure/disclosure").try_into().unwrap();
    assert_eq!(disclosure["vendor_province"], "NL");
    assert_eq!(
        disclosure["eligibility"],
        json!({
            "trade_agreements": ["CFTA", "CETA"],
            "limited_tendering_reason_en": "Exclusive rights; Extreme urgency",
            "limited_tendering_reason_fr": "Droits exclusifs; Urgence extrême",
            "indigenous_set_aside": "mandatory",
            "land_claims_agreements": ["James Bay and Northern Quebec Agreement"],
        })
    );
}

#[test]
fn montreal_is_read_with_and_without_a_header() {
    let workspace = Workspace::with_fixtures(&[
        "montreal-councils.csv",
        "montreal-officials-without-header.csv",
        "montreal-officials.csv",
    ]);
    let report = workspace.run();
    let contracts = workspace.records("contract/montreal");
    let facts: Vec<_> = contracts
        .iter()
        .map(|contract| {
            (
                contract["file_number"].as_str().unwrap(),
                contract.get("award_date").and_then(Value::as_str),
                contract.get("contract_value").and_then(Value::as_f64),
                contract["dataset"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        facts,
        [
            (
                "1120000001",
                Some("2012-09-27"),
                Some(648253.0),
                "contrats-conseil-municipal"
            ),
            ("1120000002", None, Some(1000.0), "contrats-conseil-agglomeration"),
            ("700003", None, Some(3500.0), "contrats-fonctionnaires"),
            ("RMI 1", None, None, "contrats-fonctionnaires"),
            ("700001", Some("2013-01-15"), Some(7801.41), "contrats-fonctionnaires"),
            ("700001", Some("2013-01-15"), Some(7801.41), "contrats-fonctionnaires"),
            ("700002", None, Some(12000.0), "contrats-fonctionnaires"),
        ]
    );
    assert_eq!(contracts[0]["approver"], "Conseil municipal");
    assert_eq!(contracts[4]["title_fr"], "DÉNEIGEMENT \"NORD\" ET SUD");
    assert_eq!(contracts[4]["repartition"], "50%");
    assert_eq!(contracts[4]["municipality"], "montreal");
    let [councils, headless, officials] = report.files.as_slice() else {
        panic!()
    };
    let bad_day = "award date before 2011 or after the file's year, left out";
    assert_eq!(councils.counts.notes[bad_day].first_line, 3);
    assert_eq!(
        headless.counts.notes["unreadable amount in montant, left out"].first_line,
        2
    );
    assert_eq!((officials.counts.rows, officials.counts.merged), (5, 1));
    assert_eq!(officials.counts.notes[bad_day].count, 1);
    assert_eq!(
        skipped(officials),
        [("the row has another number of fields than the header", 1, 10)]
    );
}

#[test]
fn a_toronto_contract_in_two_files_is_one_record() {
    let workspace = Workspace::with_fixtures(&[
        "toronto-awarded-former.csv",
        "toronto-awarded.csv",
        "toronto-non-competitive.csv",
    ]);
    let report = workspace.run();
    let contracts = workspace.records("contract/toronto");
    let ids: Vec<&str> = contracts.iter().map(|c| c["record_id"].as_str().unwrap()).collect();
    assert_eq!(
        ids,
        [
            "toronto|3500000001|paving one ltd|2023-05-08|1317169.92",
            "toronto|3500000002|toner inc|2012-10-04|76500.0025.95625.00",
            "toronto|3500000003|||",
            "toronto-nc|8457|software inc",
            "toronto-nc|8457|software inc|300000",
        ]
    );
    assert_eq!(contracts[0]["contract_value"], 1317169.92);
    assert_eq!(contracts[0]["procurement_category"], "CNST");
    assert_eq!(contracts[0]["wards"], "Ward 1 Etobicoke North,Ward 2 Etobicoke Centre");
    assert_eq!(
        contracts[1].get("contract_value"),
        None,
        "amounts that were run together are not an amount"
    );
    assert_eq!(contracts[1].get("currency"), None);
    assert_eq!(contracts[2].get("vendor_name"), None);
    assert_eq!(contracts[3]["award_date"], "2014-04-10");
    assert_eq!(contracts[3].get("wards"), None);
    assert_eq!(contracts[4]["currency"], "USD");
    assert_eq!(
        contracts[4]["eligibility"],
        json!({"limited_tendering_reason_en": "Warranty/Maintenance"})
    );
    let [former, awarded, non_competitive] = report.files.as_slice() else {
        panic!()
    };
    assert_eq!(former.counts.merged, 1);
    assert_eq!(skipped(awarded), [("no document number", 1, 5)]);
    assert_eq!(
        awarded.counts.notes["unreadable amount in Award, left out"].first_line,
        3
    );
    assert_eq!(non_competitive.counts.merged, 1);
    for contract in &contracts {
        assert!(!contract.to_string().contains("Purchasing Desk"), "{contract}");
    }
}

#[test]
fn a_toronto_solicitation_is_open_until_its_deadline() {
    let workspace = Workspace::with_fixtures(&["toronto-solicitations.csv"]);
    let report = workspace.run();
    let tenders = workspace.records("tender/toronto");
    assert_eq!(tenders.len(), 2);
    assert_eq!(tenders[0]["record_id"], "toronto|4500000001");
    assert_eq!(tenders[0]["status"], "Open");
    assert_eq!(tenders[0]["noip_type_en"], "Advanced Notice of Intended Procurement");
    assert_eq!(tenders[0]["contact_email"], "purchasing@toronto.example");
    assert_eq!(tenders[1]["status"], "Expired");
    assert_eq!(tenders[1]["closing_date"], "2010-11-08", "the later deadline counts");
    assert_eq!(report.files[0].counts.merged, 1);
}

#[test]
fn a_standing_offer_is_identified_by_agreement_commodity_and_place() {
    let workspace = Workspace::with_fixtures(&["canadabuys-sosa.csv"]);
    let report = workspace.run();
    let offers = workspace.records("standing_offer/canadabuys-sosa");
    assert_eq!(offers.len(), 2);
    assert_eq!(offers[0]["record_id"], "sosa|E60PQ-120001/001/PQ|N7110|NA");
    assert_eq!(offers[0]["expiry_date"], "2121-03-31");
    assert_eq!(offers[0]["delivery_point_code"], "NA");
    assert_eq!(offers[0]["fetched_at"], "2026-04-01T00:00:00Z");
    assert_eq!(offers[1]["vendor_name"], "Chairs & Sons Inc.");
    assert_eq!(skipped(&report.files[0]), [("no agreement number", 1, 4)]);

    let text = String::from_utf8(fixture("canadabuys-sosa.csv")).unwrap();
    let turned: String = text
        .replacen("commodity", "gsin", 3)
        .lines()
        .map(|line| line.rsplit(',').collect::<Vec<_>>().join(",") + "\n")
        .collect();
    let other = Workspace::new();
    other.put("former.csv", turned.as_bytes());
    other.run();
    assert_eq!(other.records("standing_offer/canadabuys-sosa"), offers);
}

const SEAO: [&str; 5] = [
    "seao-avis-2009.xml",
    "seao-avis-2018.xml",
    "seao-avis-2018-revisions.xml",
    "seao-contrats-2018.xml",
    "seao-depenses-2018.xml",
];

#[test]
fn a_quebec_notice_becomes_a_tender_and_the_contracts_of_its_winners() {
    let workspace = Workspace::with_fixtures(&SEAO);
    let report = workspace.run();
    let contracts = workspace.records("contract/seao-xml");
    let ids: Vec<&str> = contracts.iter().map(|c| c["record_id"].as_str().unwrap()).collect();
    assert_eq!(
        ids,
        [
            "seao|182219|labs & co usa inc|2008-11-05|114540.72",
            "seao|948560|1142700724|2018-01-19|100000.00",
            "seao|948560|souffleuses deux|2018-01-19|85.50",
        ],
        "winners only, each once, by the awarded amount"
    );
    assert_eq!(
        contracts[1],
        json!({
            "record_id": "seao|948560|1142700724|2018-01-19|100000.00", "award_date": "2018-01-19",
            "publication_date": "2018-01-04", "end_date": "2018-10-31", "vendor_name": "Déneigement Untel inc.",
            "vendor_id": "FO-1142700724", "vendor_city": "Saint-Jérôme", "vendor_province": "QC",
            "vendor_postal_code": "J7Z5L2", "vendor_country": "CA",
            "supplier_address": "12, rang Nord, Saint-Jérôme, Qc, j7z 5l2", "municipality": "varennes",
            "contract_value": 112500.25, "original_value": 100000.0, "extra_spending": 12500.25, "currency": "CAD",
            "department_fr": "Ville de Varennes - Arrondissement Nord",
            "buyer_name": "Ville de Varennes - Arrondissement Nord", "title_fr": "Déneigement du secteur nord",
            "procurement_category": "SRV", "category": "S9 - Entretien",
            "status": "Expired", "status_en": "Completed", "status_fr": "Terminé", "procurement_method": "limited",
            "procurement_method_en": "Call for tenders by invitation",
            "procurement_method_fr": "Appel d’offres sur invitation",
            "notice_type_en": "Contract awarded following a call for tenders by invitation",
            "notice_type_fr": "Contrat adjugé suite à un appel d’offres sur invitations",
            "reference_number": "948560", "solicitation_number": "2018-014", "ocid": "ocds-ec9k95-948560",
            "unspsc": "72100000",
            "unspsc_description_en": "Building construction, maintenance and repair services",
            "unspsc_description_fr": "Services de construction, d'entretien et de réparation de bâtiments et d'ouvrages",
            "regions_of_delivery_fr": "Lanaudière",
            "eligibility": {"disposition": "Par. 2° Contrat conclu avec un organisme public"},
            "notice_url": "https://www.seao.ca/avis?ItemId=1", "government_level": "municipal", "province": "QC",
            "fetched_at": "2018-01-31T00:00:00Z",
        })
    );
    assert_eq!(
        contracts[2].get("contract_value"),
        None,
        "85.50 $/h is not a contract value"
    );
    assert_eq!(contracts[0]["currency"], "USD");
    assert_eq!(contracts[0]["regions_of_delivery_fr"], "Estrie; Montréal");
    assert_eq!(contracts[0].get("title_fr"), None, "the old layout has no titles");

    let tenders = workspace.records("tender/seao-xml");
    let facts: Vec<_> = tenders
        .iter()
        .map(|t| (&t["record_id"], &t["status"], &t["status_fr"]))
        .collect();
    assert_eq!(
        facts,
        [
            (&json!("seao|182219"), &json!("Expired"), &json!("Adjugé")),
            (&json!("seao|948561"), &json!("Open"), &json!("Ouvert")),
            (&json!("seao|948560"), &json!("Expired"), &json!("Adjugé")),
        ]
    );
    assert_eq!(tenders[1]["title_fr"], "Vannes et pompes", "the revision counts");
    assert_eq!(tenders[1]["municipality"], "qc-municipal");
    assert_eq!(report.buyers_of_unknown_city["Régie d'aqueduc de Quelque-Part"], 1);
    let by_name = |name: &str| report.files.iter().find(|file| file.path.ends_with(name)).unwrap();
    assert_eq!(by_name("seao-avis-2018.xml").counts.merged, 1);
    let old = &by_name("seao-avis-2009.xml").counts.notes;
    assert_eq!(
        old["a winner listed twice with identical values, recorded once"].first_line,
        46
    );
    assert_eq!(old["a winner without a name, no contract recorded"].first_line, 61);
    assert_eq!(
        skipped(by_name("seao-contrats-2018.xml")),
        [("no contract of this notice and contractor in these files", 1, 12)]
    );
}

#[test]
fn neither_packing_nor_the_order_of_inputs_changes_the_dumps() {
    let plain = Workspace::with_fixtures(&SEAO);
    plain.put("canadabuys-contract.csv", &fixture("canadabuys-contract.csv"));
    plain.run();

    let packed = Workspace::new();
    let members: Vec<(&str, Vec<u8>)> = SEAO.iter().rev().map(|name| (*name, fixture(name))).collect();
    let members: Vec<(&str, &[u8])> = members.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    let zip = packed.put("year.bin", &zipped(&members));
    let gz = packed.put("any.name", &gzipped(&fixture("canadabuys-contract.csv")));
    packed.run();
    assert_eq!(packed.dumps(), plain.dumps());

    let mut named = plain.options();
    named.inputs = vec![gz.clone(), zip, gz];
    let report = run(&named).unwrap();
    assert_eq!(plain.dumps(), packed.dumps());
    assert_eq!(report.files.len(), 1 + SEAO.len(), "a file named twice is read once");
    assert!(
        report.files[1].path.ends_with("year.bin/seao-avis-2009.xml"),
        "{}",
        report.files[1].path
    );
}

#[test]
fn a_missing_column_is_named_and_former_dumps_stay() {
    let workspace = Workspace::with_fixtures(&["disclosure.csv"]);
    workspace.run();
    let before = workspace.dumps();
    let text = String::from_utf8(fixture("disclosure.csv")).unwrap();
    workspace.put(
        "disclosure.csv",
        text.replacen("contract_date", "contract_day", 1).as_bytes(),
    );
    workspace.put("good.xml", &fixture("seao-avis-2018.xml"));
    let strict = NormalizeOptions {
        strict: true,
        ..workspace.options()
    };
    let error = workspace.error(&strict);
    assert!(
        error.contains("disclosure.csv line 1: the file has no column 'contract_date'"),
        "{error}"
    );
    assert_eq!(
        workspace.dumps(),
        before,
        "the dumps are unchanged, without temporary files"
    );

    let report = workspace.run();
    let damaged = report.files.iter().find(|file| file.is_damaged).unwrap();
    let why = "the file cannot be read from this line on: the file has no column 'contract_date'";
    assert_eq!(damaged.counts.skipped[why].first_line, 1);
    let after = workspace.dumps();
    assert!(
        before.iter().all(|(name, dump)| after.get(name) == Some(dump)),
        "the former dump stays"
    );
    assert!(after.len() > before.len(), "the other file is read");
}

#[test]
fn unrecognized_files_are_named() {
    let workspace = Workspace::with_fixtures(&["seao-avis-2018.xml"]);
    workspace.put("notes.txt", b"hello");
    workspace.put("empty.csv", b"");
    workspace.put("cut.zip", &zipped(&[("a.csv", &fixture("disclosure.csv"))])[..200]);
    let report = workspace.run();
    let named: Vec<_> = report
        .unrecognized
        .iter()
        .map(|file| file.path.rsplit('/').next().unwrap())
        .collect();
    assert_eq!(named, ["cut.zip", "empty.csv", "notes.txt"]);
    assert!(
        report.unrecognized[0].why.contains("not a complete zip archive"),
        "{}",
        report.unrecognized[0].why
    );
    assert!(
        report.to_string().contains("notes.txt has an unknown format"),
        "{report}"
    );

    let strict = NormalizeOptions {
        strict: true,
        ..workspace.options()
    };
    assert!(
        workspace
            .error(&strict)
            .contains("cut.zip is not a complete zip archive")
    );
    let nothing = Workspace::new();
    nothing.put("notes.txt", b"hello");
    let error = nothing.error(&nothing.options());
    assert!(
        error.contains("none of the inputs") && error.contains("notes.txt"),
        "{error}"
    );
    assert_eq!(nothing.dumps(), Dumps::new());
}

#[test]
fn rows_before_damage_are_kept() {
    let xml = fixture("seao-avis-2018.xml");
    let workspace = Workspace::new();
    workspace.put("cut.xml", &xml[..xml.len() - 300]);
    let gz = gzipped(&fixture("canadabuys-contract.csv"));
    workspace.put("cut.csv.gz", &gz[..gz.len() - 20]);
    let text = String::from_utf8(fixture("disclosure.csv")).unwrap();
    workspace.put(
        "wide.csv",
        text.replacen(",\"MERCURY\",", ",\"MERCURY\",\"CORP\",", 1).as_bytes(),
    );
    let report = workspace.run();
    assert_eq!(workspace.records("tender/seao-xml").len(), 1);
    assert_eq!(workspace.records("disclosure/disclosure").len(), 1);
    let reasons: Vec<_> = report.files.iter().map(|file| skipped(file)).collect();
    let (cut_gz, cut_xml, wide) = (&reasons[0], &reasons[1], &reasons[2]);
    assert!(
        cut_gz
            .iter()
            .any(|(reason, ..)| reason.starts_with("the file cannot be read from this line on")),
        "{cut_gz:?}"
    );
    assert!(
        cut_xml[0].0.starts_with("the file cannot be read from this line on"),
        "{cut_xml:?}"
    );
    assert!(cut_xml[0].2 > 60, "{cut_xml:?}");
    assert!(
        wide.contains(&("the row has another number of fields than the header", 1, 4)),
        "{wide:?}"
    );

    let strict = NormalizeOptions {
        strict: true,
        ..workspace.options()
    };
    let error = workspace.error(&strict);
    assert!(error.contains("cut.csv.gz line"), "{error}");
}

#[test]
fn only_zeros_may_follow_a_gzip_file() {
    let name = "canadabuys-contract.csv";
    let plain = Workspace::with_fixtures(&[name]);
    let rows = plain.run().files[0].counts.rows;
    let bytes = fixture(name);
    let (begin, end) = bytes.split_at(bytes.len() / 2);
    let (begin, end) = (gzipped(begin), gzipped(end));
    // More zeros than are read at a time.
    let zeros = vec![0; 100_000];
    let padded = |suffix: &[u8]| {
        let workspace = Workspace::new();
        workspace.put(name, &[&begin, &end, suffix].concat());
        let report = workspace.run();
        assert_eq!(workspace.dumps(), plain.dumps());
        let [file] = report.files.try_into().unwrap();
        (file.is_damaged, file.counts.rows - rows)
    };
    for whole in [&zeros[..0], &zeros[..1], &zeros] {
        assert_eq!(padded(whole), (false, 0), "{} zeros", whole.len());
    }
    for suffix in [b"x".as_slice(), b"\x1f\x8b", b"\x1f"] {
        assert_eq!(padded(suffix), (true, 1), "{suffix:?}");
        assert_eq!(padded(&[&zeros, suffix].concat()), (true, 1), "zeros, then {suffix:?}");
    }
    let (another, zero) = (gzipped(b"x"), [0]);
    assert_eq!(
        padded(&[&zero, another.as_slice()].concat()),
        (true, 1),
        "a member after padding"
    );
}

#[test]
fn invalid_bytes_are_read_and_noted() {
    let workspace = Workspace::new();
    let mut bytes = fixture("disclosure.csv");
    let at = bytes.windows(4).position(|four| four == "Sant".as_bytes()).unwrap() + 4;
    bytes.splice(at..at + 2, [0xE9]);
    workspace.put("a.csv", &bytes);
    let report = workspace.run();
    assert_eq!(
        workspace.records("disclosure/disclosure")[0]["department_fr"],
        "Santé Canada"
    );
    assert!(
        report.files[0]
            .counts
            .notes
            .contains_key("stray bytes near here, read as Windows-1252")
    );
}

#[test]
fn a_second_run_in_the_same_folder_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let held = File::open(out.path()).unwrap();
    held.lock().unwrap();
    let options = NormalizeOptions {
        inputs: vec![FIXTURES.into()],
        out: out.path().to_owned(),
        commodities: None,
        report: None,
        strict: false,
    };
    let refused = run(&options).unwrap_err().to_string();
    assert!(refused.contains("another `procure normalize` is writing"), "{refused}");
    drop(held);
    run(&options).unwrap();
}

#[test]
fn a_second_run_replaces_only_the_dumps_of_its_sources() {
    let workspace = Workspace::with_fixtures(&["canadabuys-tender.csv", "disclosure.csv"]);
    workspace.run();
    let text = String::from_utf8(fixture("canadabuys-tender.csv")).unwrap();
    workspace.put(
        "canadabuys-tender.csv",
        text.replace("Request for Information", "Request for Proposal")
            .as_bytes(),
    );
    fs::remove_file(workspace.folder.path().join("in/disclosure.csv")).unwrap();
    workspace.run();
    let dumps: Vec<String> = workspace.dumps().into_keys().collect();
    assert_eq!(
        dumps,
        ["disclosure/disclosure.ndjson", "tender/canadabuys-tender.ndjson"]
    );
    assert_eq!(workspace.records("tender/canadabuys-tender").len(), 3);
}

#[test]
fn the_json_report_counts_every_row_once() {
    let workspace = Workspace::with_fixtures(&["disclosure.csv"]);
    let path = workspace.folder.path().join("report.json");
    run(&NormalizeOptions {
        report: Some(path.clone()),
        ..workspace.options()
    })
    .unwrap();
    let report: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let file = &report["files"][0];
    assert_eq!(file["source_id"], "disclosure");
    assert_eq!(
        (&file["rows"], &file["recorded"], &file["merged"]),
        (&json!(4), &json!(2), &json!(1))
    );
    assert_eq!(file["written"], json!({"disclosure": 2}));
    assert_eq!(
        file["skipped"],
        json!([{"reason": "no reference number", "count": 1, "first_line": 5}])
    );
    assert_eq!(report["fields"]["disclosure/disclosure"]["contract_value"], 0.5);
}

#[test]
fn dumps_keep_the_schemas_order_and_no_nulls() {
    let workspace = Workspace::new();
    for entry in fs::read_dir(FIXTURES).unwrap() {
        let name = entry.unwrap().file_name();
        workspace.put(name.to_str().unwrap(), &fixture(name.to_str().unwrap()));
    }
    workspace.run();
    for (name, text) in workspace.dumps() {
        let schema = Schema::of(EntityType::parse(name.split('/').next().unwrap()).unwrap());
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let record = record.as_object().unwrap();
            let order: Vec<_> = record.keys().map(|name| schema.field_number(name).unwrap()).collect();
            assert!(order.is_sorted(), "{name}: {line}");
            assert!(record.values().all(|value| !value.is_null()), "{name}: {line}");
            assert_eq!(serde_json::to_string(record).unwrap(), line, "{name} is not compact");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Fixtures with bytes removed, replaced and inserted are read or rejected, and every row is
    /// counted once.
    #[test]
    fn no_mutation_of_a_file_breaks_the_run(
        which in 0usize..64,
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..4), 0usize..40), 0..6),
    ) {
        let mut names: Vec<_> = fs::read_dir(FIXTURES).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        let mut bytes = fixture(names[which % names.len()].to_str().unwrap());
        for (at, inserted, removed) in edits {
            let from = at.index(bytes.len().max(1)).min(bytes.len());
            let to = (from + removed).min(bytes.len());
            bytes.splice(from..to, inserted);
        }
        let workspace = Workspace::new();
        workspace.put("mutated", &bytes);
        if let Ok(report) = run(&workspace.options()) {
            report.files.iter().for_each(assert_balanced);
        }
    }

    #[test]
    fn no_input_breaks_the_run(
        start in prop::sample::select(vec!["", "<export datefin=\"2018-01-31\">", "{\"releases\":[{\"ocid\":\"ocds-ec9k95-1\",", "PK\u{3}\u{4}", "\u{1f}", "a,b\n\""]),
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let workspace = Workspace::new();
        workspace.put("any", &[start.as_bytes(), &bytes].concat());
        if let Ok(report) = run(&workspace.options()) {
            report.files.iter().for_each(assert_balanced);
        }
    }
}

/// The publishers' real files: every row is counted once, and ids are unique.
#[test]
fn every_row_of_the_real_files_is_counted_once() {
    let folders = [
        "seao-xml",
        "canadabuys",
        "disclosure",
        "buyandsell",
        "montreal",
        "toronto",
        "alberta",
    ];
    let Some((workspace, report)) = real_files(&folders) else {
        return;
    };
    for dump in report.records().keys() {
        let records = workspace.records(dump);
        let ids: std::collections::HashSet<_> = records.iter().map(|r| r["record_id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), records.len(), "{dump}");
        for record in &records {
            assert!(
                record.get("municipality").is_some() && record.get("fetched_at").is_some(),
                "{record}"
            );
        }
    }
    for contract in workspace.records("contract/seao-xml") {
        let city = contract["municipality"].as_str().unwrap();
        let known = procure::model::municipality::by_slug(city);
        assert!(
            known.is_some(),
            "data/municipalities.csv lacks {city} of {}",
            contract["buyer_name"]
        );
    }
}
