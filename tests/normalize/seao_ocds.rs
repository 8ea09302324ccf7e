//! SEAO's OCDS files, alone and together with XML exports of the same notices.

use super::*;

const HEBDO: &str = "seao-ocds-hebdo.json";
const RECORDS: &str = "seao-ocds-records.json";
const LINES: &str = "seao-ocds-lines.jsonl";
const PAGE: &str = "https://seao.gouv.qc.ca/avis-resultat-recherche/consulter?ItemId=1";

fn by<'a>(records: &'a [Value], field: &str, value: &str) -> &'a Value {
    let found = records.iter().find(|record| record[field] == value);
    found.unwrap_or_else(|| panic!("no {field} {value}"))
}

fn file<'a>(report: &'a NormalizeReport, name: &str) -> &'a FileReport {
    report.files.iter().find(|file| file.path.ends_with(name)).unwrap()
}

#[test]
fn a_release_produces_a_tender_and_its_winners_contracts() {
    let workspace = Workspace::with_fixtures(&[HEBDO]);
    let report = workspace.run();
    let tenders = workspace.records("tender/seao-ocds");
    assert_eq!(
        tenders[0],
        json!({
            "record_id": "seao|20100001", "municipality": "varennes", "publication_date": "2026-05-20",
            "closing_date": "2026-06-16", "tender_close_date": "2026-06-16T14:00:00-04:00", "status": "complete",
            "status_en": "Complete", "status_fr": "Terminé", "title_fr": "Réfection de la rue de l’Église",
            "department_fr": "Ville de Varennes", "buyer_name": "Ville de Varennes", "buyer_id": "OP-1",
            "procurement_category": "CNST", "category": "C02 - Ouvrages de génie civil",
            "notice_type_en": "Call for tenders", "notice_type_fr": "Avis d’appel d’offres",
            "procurement_method": "open", "procurement_method_en": "Public call for tenders",
            "procurement_method_fr": "Appel d’offres public", "reference_number": "20100001",
            "solicitation_number": "CO2026-1-AO", "tender_id": "CO2026-1-AO", "tender_number": "CO2026-1-AO",
            "ocid": "ocds-ec9k95-20100001", "unspsc": "72141100,95111601",
            "unspsc_description_en": "Heavy construction services; Land, buildings, structures and roads",
            "unspsc_description_fr": "Pavage; Rue",
            "documents": [{"doc_index": 0, "url": PAGE, "document_type": "tenderNotice", "language": "fr"}],
            "notice_url": PAGE,
            "source_url": "https://www.donneesquebec.ca/recherche/dataset/d23b2e02/resource/1/download/hebdo_20260914_20260920.json",
            "government_level": "municipal", "province": "QC", "fetched_at": "2026-09-21T05:17:45Z",
        })
    );
    let contracts = workspace.records("contract/seao-ocds");
    assert_eq!(
        contracts[0],
        json!({
            "record_id": "seao|20100001|1142700724|2026-07-01|36860.99", "award_date": "2026-07-01",
            "publication_date": "2026-05-20", "start_date": "2026-07-02", "end_date": "2026-12-09",
            "amendment_date": "2026-08-19", "vendor_name": "Pavage Untel inc.", "vendor_id": "FO-1142700724",
            "vendor_city": "Saint-Jérôme", "vendor_province": "QC", "vendor_postal_code": "J7Z5L2",
            "vendor_country": "CA", "supplier_address": "12, rang Nord, Saint-Jérôme, QC, J7Z5L2",
            "municipality": "varennes", "contract_value": 38532.72, "original_value": 36860.99, "currency": "CAD",
            "department_fr": "Ville de Varennes", "buyer_name": "Ville de Varennes", "buyer_id": "OP-1",
            "title_fr": "Réfection de la rue de l’Église", "procurement_category": "CNST",
            "category": "C02 - Ouvrages de génie civil", "status": "terminated", "status_en": "Terminated",
            "status_fr": "Terminé", "procurement_method": "open", "procurement_method_en": "Public call for tenders",
            "procurement_method_fr": "Appel d’offres public", "notice_type_en": "Call for tenders",
            "notice_type_fr": "Avis d’appel d’offres", "reference_number": "20100001", "amendment_count": 1,
            "solicitation_number": "CO2026-1-AO", "contract_id": "20150001", "ocid": "ocds-ec9k95-20100001",
            "unspsc": "72141100,95111601",
            "unspsc_description_en": "Heavy construction services; Land, buildings, structures and roads",
            "unspsc_description_fr": "Pavage; Rue", "notice_url": PAGE,
            "source_url": "https://www.donneesquebec.ca/recherche/dataset/d23b2e02/resource/1/download/hebdo_20260914_20260920.json",
            "government_level": "municipal", "province": "QC", "fetched_at": "2026-09-21T05:17:45Z",
        }),
        "has the final amount, and the date that is midnight in summer time"
    );
    let vendors: Vec<&str> = contracts.iter().map(|c| c["vendor_name"].as_str().unwrap()).collect();
    assert!(
        !vendors.contains(&"Perdant inc."),
        "a losing bidder is not a contractor: {vendors:?}"
    );

    let [file] = report.files.as_slice() else { panic!() };
    assert_eq!(
        (file.source_id, file.counts.rows, file.counts.recorded),
        ("seao-ocds", 7, 4)
    );
    assert_eq!(file.counts.merged, 1, "the older release with the same ocid");
    assert_eq!(
        skipped(file),
        [
            ("a contracting process of another publisher", 1, 16),
            ("no ocid: neither a package, a record nor a release", 1, 15),
        ]
    );
}

#[test]
fn lots_cancellations_and_rates_are_recognized() {
    let workspace = Workspace::with_fixtures(&[HEBDO]);
    let report = workspace.run();
    let contracts = workspace.records("contract/seao-ocds");
    let lots: Vec<_> = contracts
        .iter()
        .filter(|contract| contract["reference_number"] == "20100002")
        .map(|contract| {
            (
                contract["record_id"].as_str().unwrap(),
                contract["title_fr"].as_str().unwrap(),
                contract["contract_value"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        lots,
        [
            (
                "seao|20100002|1168815837|2026-10-01|100.50",
                "Pièces de véhicules : Section 1 - Filtres",
                100.5
            ),
            (
                "seao|20100002|1168815837|2026-10-01|200.00",
                "Pièces de véhicules",
                200.0
            ),
            (
                "seao|20100002|1168815837|2026-10-01|200.00|2",
                "Pièces de véhicules",
                200.0
            ),
        ],
        "one contract per award; totals are ignored; the lot is named if only one has the amount"
    );
    let tenders = workspace.records("tender/seao-ocds");
    let of_lots = by(&tenders, "record_id", "seao|20100002");
    assert_eq!(
        of_lots["municipality"], "alma",
        "from the name of the larger body, as the buyer's names no city"
    );
    assert_eq!(
        of_lots["description_fr"],
        "Section 1 - Filtres\nSection 2 - Graisses\nSection 3 - Pneus"
    );
    let cancelled = by(&tenders, "record_id", "seao|20100003");
    assert_eq!(
        (&cancelled["status"], &cancelled["status_fr"]),
        (&json!("cancelled"), &json!("Annulé"))
    );
    assert_eq!(cancelled["municipality"], "qc-provincial");

    let rate = by(&contracts, "reference_number", "20100004");
    assert_eq!(rate["record_id"], "seao|20100004|avi test ltee|2024-12-12|85.50");
    assert_eq!(rate.get("contract_value"), None, "85.50 $/h is a rate");
    assert_eq!(rate["vendor_id"], "FO-70123");
    assert_eq!(
        (rate.get("vendor_city"), &rate["vendor_province"]),
        (None, &json!("ON"))
    );
    assert_eq!(rate["procurement_method_fr"], "Contrat de gré à gré");
    assert_eq!(
        rate["eligibility"],
        json!({"procurement_method_rationale_fr":
            "Article14 - Contrat dont le montant est inférieur au seuil d’appel d’offres public."})
    );
    let notes = &report.files[0].counts.notes;
    assert_eq!(notes["an award listed twice, recorded once"].count, 1);
}

#[test]
fn record_packages_json_lines_and_compressed_files_are_read_alike() {
    let workspace = Workspace::with_fixtures(&[RECORDS, LINES]);
    let report = workspace.run();
    let records = file(&report, RECORDS);
    assert_eq!((records.counts.rows, records.counts.recorded), (4, 2));
    assert_eq!(
        skipped(records),
        [
            ("a link to a release, not the release", 1, 11),
            ("a release without a tender", 1, 12),
        ]
    );
    let lines = file(&report, LINES);
    assert_eq!((lines.counts.rows, lines.counts.recorded), (3, 3));
    let tenders = workspace.records("tender/seao-ocds");
    assert_eq!(
        by(&tenders, "record_id", "seao|948560")["fetched_at"],
        "2026-04-30T12:00:00Z",
        "the file's time, as the package states none"
    );

    let all = Workspace::with_fixtures(&[HEBDO, RECORDS, LINES]);
    let report = all.run();
    let contracts = all.records("contract/seao-ocds");
    let paved = by(&contracts, "reference_number", "20100001");
    assert_eq!(paved["contract_value"], 38532.72, "the newest release of all files");
    assert_eq!(report.files.iter().map(|file| file.counts.merged).sum::<u64>(), 5);

    let packed = Workspace::new();
    packed.put("a.gz", &gzipped(&fixture(HEBDO)));
    packed.put("b.zip", &zipped(&[("l", &fixture(LINES)), ("r", &fixture(RECORDS))]));
    packed.run();
    let untimed = |dumps: Dumps| -> Vec<Value> {
        let lines = dumps.values().flat_map(|text| text.lines());
        let mut records: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        for record in &mut records {
            record.as_object_mut().unwrap().remove("fetched_at");
        }
        records.sort_by_key(|record| record["record_id"].to_string());
        records
    };
    assert_eq!(untimed(packed.dumps()), untimed(all.dumps()));
}

#[test]
fn a_notice_in_both_eras_is_one_tender_and_one_contract_per_winner() {
    let workspace = Workspace::with_fixtures(&SEAO);
    workspace.put(RECORDS, &fixture(RECORDS));
    let report = workspace.run();
    let (old, new) = (
        workspace.records("contract/seao-xml"),
        workspace.records("contract/seao-ocds"),
    );
    assert!(
        old.iter().all(|contract| contract["reference_number"] != "948560"),
        "{old:?}"
    );
    let [contract] = new.as_slice() else { panic!("{new:?}") };
    assert_eq!(contract["record_id"], "seao|948560|1142700724|2018-01-19|100000.00");
    assert_eq!(contract["sources"], json!(["seao-ocds", "seao-xml"]));
    assert_eq!(
        contract["title_fr"], "Déneigement du secteur nord (2)",
        "the newest revision"
    );
    assert_eq!(
        contract["contract_value"], 112000.0,
        "the final amount of the release is newer"
    );
    assert_eq!(contract["original_value"], 100000.0);
    assert_eq!(
        contract["extra_spending"], 12500.25,
        "only the XML exports state spending"
    );
    assert_eq!(contract["vendor_city"], "Saint-Jérôme", "filled from the XML export");
    assert_eq!(contract["contract_id"], "77");

    let ids = |dump: &str| -> Vec<String> {
        let records = workspace.records(dump);
        records
            .iter()
            .map(|r| r["record_id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids("tender/seao-xml"), ["seao|182219", "seao|948561"]);
    assert_eq!(ids("tender/seao-ocds"), ["seao|948560", "seao|20100003"]);
    let tender = &workspace.records("tender/seao-ocds")[0];
    assert_eq!(tender["sources"], json!(["seao-ocds", "seao-xml"]));
    assert_eq!(tender["regions_of_delivery_fr"], "Lanaudière");
    let xml = file(&report, "seao-avis-2018.xml");
    assert_eq!(xml.counts.merged, 2, "the revised notice and the one in both eras");
    assert_eq!(
        xml.counts.notes["an older state of a notice that the other era also publishes, merged into one record"].count,
        1
    );
}

#[test]
fn an_era_whose_notices_are_all_merged_has_no_dump() {
    let workspace = Workspace::with_fixtures(&["seao-avis-2018.xml"]);
    let text = String::from_utf8(fixture("seao-avis-2018.xml")).unwrap();
    let second = text.rfind("<avis>").unwrap();
    let one = format!("{}</export>", &text[..second]);
    workspace.put("seao-avis-2018.xml", one.as_bytes());
    workspace.run();
    assert_eq!(workspace.records("tender/seao-xml").len(), 1);
    workspace.put(RECORDS, &fixture(RECORDS));
    workspace.run();
    let dumps: Vec<String> = workspace.dumps().into_keys().collect();
    assert_eq!(dumps, ["contract/seao-ocds.ndjson", "tender/seao-ocds.ndjson"]);
}

#[test]
fn completions_without_notices_keep_the_earlier_dumps_of_their_era() {
    let workspace = Workspace::with_fixtures(&["seao-avis-2018.xml"]);
    workspace.run();
    let former = workspace.records("tender/seao-xml");
    fs::remove_file(workspace.folder.path().join("in/seao-avis-2018.xml")).unwrap();
    workspace.put(RECORDS, &fixture(RECORDS));
    workspace.put("seao-contrats-2018.xml", &fixture("seao-contrats-2018.xml"));
    let report = workspace.run();
    assert_eq!(file(&report, "seao-contrats-2018.xml").counts.merged, 1);
    assert_eq!(workspace.records("tender/seao-xml"), former);
}

#[test]
fn a_truncated_package_keeps_its_releases_and_an_invalid_release_affects_no_other() {
    let bytes = fixture(HEBDO);
    let workspace = Workspace::new();
    workspace.put("cut.json", &bytes[..bytes.len() / 2]);
    let text = String::from_utf8(bytes).unwrap();
    workspace.put("odd.json", text.replacen("\"tag\":", "\"tag\" \"x\":", 1).as_bytes());
    let report = workspace.run();
    let [cut, odd] = report.files.as_slice() else { panic!() };
    assert!(cut.counts.rows >= 3, "{cut:?}");
    assert!(
        skipped(cut)[0]
            .0
            .starts_with("the file cannot be read from this line on: the file ends"),
        "{cut:?}"
    );
    assert!(skipped(odd).is_empty() || odd.counts.rows == 7, "{odd:?}");
    let broken = odd.counts.skipped.get("a release that is not valid JSON");
    assert_eq!(broken.map(|seen| seen.count), text.contains("\"tag\":").then_some(1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Values are replaced by values of any type. Every release must still be counted.
    #[test]
    fn no_value_in_a_release_breaks_the_run(
        which in prop::sample::select(vec![HEBDO, RECORDS, LINES]),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(vec![
            "null", "[]", "{}", "0", "-1e300", "\"\"", "\"2026-02-31\"", "\"FO-\"", "[[[]]]", "9999999999999999999999", "\"\u{e9}\"",
        ])), 1..8),
    ) {
        let mut text = String::from_utf8(fixture(which)).unwrap();
        for (at, value) in edits {
            let colons: Vec<usize> = text.match_indices("\": ").map(|(colon, _)| colon + 3).collect();
            let from = colons[at.index(colons.len())];
            let mut values = serde_json::Deserializer::from_str(&text[from..]).into_iter::<Value>();
            if values.next().is_some_and(|old| old.is_ok()) {
                let to = from + values.byte_offset();
                text.replace_range(from..to, value);
            }
            if !text.contains("\": ") {
                break;
            }
        }
        let workspace = Workspace::new();
        workspace.put("edited", text.as_bytes());
        if let Ok(report) = run(&workspace.options()) {
            report.files.iter().for_each(assert_balanced);
        }
    }
}

/// The publisher's own weekly files: every release is counted, and the known figures hold.
#[test]
fn every_release_of_the_real_weekly_files_is_counted() {
    let Some((workspace, report)) = real_files(&["seao-ocds", "seao-xml"]) else {
        return;
    };
    let weeks = report.files.iter().filter(|file| file.source_id == "seao-ocds");
    let (rows, recorded): (Vec<u64>, Vec<u64>) = weeks.map(|file| (file.counts.rows, file.counts.recorded)).unzip();
    assert_eq!((&rows, &recorded), (&vec![5, 3, 20], &vec![5, 3, 20]));
    assert_eq!(workspace.records("contract/seao-ocds").len(), 22, "one per award");
    for dump in ["tender/seao-ocds", "contract/seao-ocds"] {
        for record in workspace.records(dump) {
            let city = record["municipality"].as_str().unwrap();
            assert!(
                procure::model::municipality::by_slug(city).is_some(),
                "data/municipalities.csv lacks {city} of {}",
                record["buyer_name"]
            );
            println!("{record}");
        }
    }
}
