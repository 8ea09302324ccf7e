//! The market figure of the number of bids, over HTTP: stated by a record, or that of the bidders of its notice,
//! against brute force over the lines of the dumps.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::Path,
};

use procure::{http::encoding::encode, model::fold::fold};
use serde_json::{Value, json};

use crate::support::{Numbers, TestServer, real_dumps};

const BIDDERS: [&str; 5] = ["Pavages Un inc.", "PAVAGES UN INC", "Béton Deux", "Trois", "Quatre"];
const BUYERS: [&str; 3] = ["Ville de Laval", "Ville de Gatineau", "City of Calgary"];

/// The lines of all dumps of a folder, each with its source.
fn lines(folder: &Path) -> Vec<(String, Value)> {
    let Ok(files) = folder.read_dir() else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for file in files {
        let path = file.unwrap().path();
        let source = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(path).unwrap();
        let parsed = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.extend(parsed.map(|line| (source.clone(), line)));
    }
    lines
}

fn write(dumps: &Path, folder: &str, source: &str, lines: &[Value]) {
    let folder = dumps.join(folder);
    fs::create_dir_all(&folder).unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.join(format!("{source}.ndjson")), text).unwrap();
}

/// 300 notices of two sources, of which three in four list bidders, and up to three contracts of each. Records of the
/// source `seao` have an `ocid`, those of `alberta` a number of the notice only; the numbers of both are the same.
fn write_dumps(dumps: &Path) {
    let mut numbers = Numbers(11);
    for source in ["seao", "alberta"] {
        let (mut tenders, mut contracts, mut awards, mut notices) = (vec![], vec![], vec![], vec![]);
        for number in 0..150 {
            let id = format!("{source}|{number}");
            let mut shared = json!({"buyer_name": numbers.one(&BUYERS), "solicitation_number": format!("S-{}", number / 4),
                "reference_number": number.to_string()});
            if source == "seao" {
                shared["ocid"] = json!(format!("ocds-{number}"));
            }
            for part in 0..numbers.below(4) {
                let mut contract = shared.clone();
                contract["record_id"] = json!(format!("{id}|{part}"));
                contract["vendor_name"] = json!(numbers.one(&BIDDERS));
                contract["award_date"] = json!(format!("20{}-05-06", 10 + numbers.below(9)));
                let into = if part == 2 { &mut awards } else { &mut contracts };
                into.push(contract);
            }
            shared["record_id"] = json!(id);
            tenders.push(shared);
            if numbers.below(4) > 0 {
                let count = 1 + numbers.below(6);
                let bids: Vec<Value> = (0..count)
                    .map(|_| json!({"name": numbers.one(&BIDDERS), "won": false}))
                    .collect();
                let procedure = numbers.one(&["open", "open", "invitation", "direct", "other"]);
                notices.push(json!({"record_id": id, "procedure": procedure, "bids": bids}));
            }
        }
        contracts.push(json!({"record_id": format!("{source}|alone"), "buyer_name": BUYERS[0]}));
        write(dumps, "tender", source, &tenders);
        write(dumps, "contract", source, &contracts);
        write(dumps, "award", source, &awards);
        write(dumps, "bids", source, &notices);
    }
    let disclosures: Vec<Value> = (0..9)
        .map(|number| json!({"record_id": format!("d{number}"), "number_of_bids": (number % 4).to_string()}))
        .collect();
    write(dumps, "disclosure", "disclosure", &disclosures);
}

/// The number of bidders of each open call, by what its contracts state of it.
fn bidders_of_open_calls(dumps: &Path) -> HashMap<String, u32> {
    let tenders = lines(&dumps.join("tender")).into_iter();
    let tenders: HashMap<String, String> = tenders
        .map(|(source, tender)| {
            (
                tender["record_id"].as_str().unwrap().to_owned(),
                notice(&source, &tender),
            )
        })
        .collect();
    let mut bidders = HashMap::new();
    for (_, listed) in lines(&dumps.join("bids")) {
        let names = listed["bids"].as_array().unwrap().iter();
        let names: BTreeSet<String> = names.map(|bid| fold(bid["name"].as_str().unwrap())).collect();
        if listed["procedure"] == "open" {
            bidders.insert(
                tenders[listed["record_id"].as_str().unwrap()].clone(),
                names.len() as u32,
            );
        }
    }
    bidders
}

/// What identifies the notice of a record.
fn notice(source: &str, record: &Value) -> String {
    let text = |name: &str| record[name].as_str();
    match text("ocid") {
        Some(ocid) => ocid.to_owned(),
        None => format!("{source} {}", text("reference_number").unwrap_or("none")),
    }
}

/// Compares the figure of the records that pass with a recount; returns how many have the number of listed bidders.
fn check(server: &TestServer, dumps: &Path, of: &str, query: &str, passes: impl Fn(&Value) -> bool) -> u64 {
    let calls = bidders_of_open_calls(dumps);
    let (mut all, mut stated, mut numbers) = (0u64, 0u64, Vec::new());
    for (source, record) in lines(&dumps.join(of)).iter().filter(|(_, record)| passes(record)) {
        all += 1;
        let own = record["number_of_bids"]
            .as_str()
            .and_then(|text| text.parse::<u32>().ok());
        let own = own.filter(|bids| *bids > 0);
        stated += u64::from(own.is_some());
        numbers.extend(own.or_else(|| calls.get(&notice(source, record)).copied()));
    }
    numbers.sort_unstable();
    let median = (!numbers.is_empty()).then(|| numbers[numbers.len().div_ceil(2) - 1]);
    let coverage = (numbers.len() as f64 / all.max(1) as f64 * 1e4).round() / 1e4;
    let listed = numbers.len() as u64 - stated;
    let found = server.json(&format!("/{of}/stats?include=market{query}"));
    assert_eq!(
        found["market"]["bids"],
        json!({"median": median, "coverage": coverage, "stated_records": stated, "listed_records": listed}),
        "{of} {query}"
    );
    listed
}

#[test]
fn contracts_have_the_bidders_of_their_open_call() {
    let folder = tempfile::tempdir().unwrap();
    write_dumps(folder.path());
    let server = TestServer::of_dumps(folder.path());
    for of in ["contract", "award"] {
        let listed = check(&server, folder.path(), of, "", |_| true);
        assert!(listed > 5, "{of}: {listed}");
        for buyer in BUYERS {
            let query = format!("&department={}", encode(buyer));
            check(&server, folder.path(), of, &query, |record| {
                record["buyer_name"] == buyer
            });
        }
        check(&server, folder.path(), of, "&issued_after=2015-01-01", |record| {
            record["award_date"].as_str().is_some_and(|day| day >= "2015-01-01")
        });
    }
    assert_eq!(check(&server, folder.path(), "disclosure", "", |_| true), 0);
    check(&server, folder.path(), "contract", "&q=nothing", |_| false);
    let profile = server.json(&format!("/department/{}?include=market", encode(BUYERS[0])));
    assert!(profile["market"]["bids"]["listed_records"].as_u64().unwrap() > 0);
}

#[test]
fn a_record_says_nothing_of_the_bidders_of_its_notice() {
    let folder = tempfile::tempdir().unwrap();
    write_dumps(folder.path());
    let server = TestServer::of_dumps(folder.path());
    for (_, contract) in lines(&folder.path().join("contract")).into_iter().step_by(7) {
        let id = encode(contract["record_id"].as_str().unwrap());
        assert_eq!(server.json(&format!("/contract/{id}")), contract);
    }
    let statistics = |server: &TestServer| {
        let mut statistics = server.json("/contract/stats");
        // When the index was built.
        statistics.as_object_mut().unwrap().remove("as_of");
        statistics.to_string()
    };
    let with_bids = statistics(&server);
    fs::remove_dir_all(folder.path().join("bids")).unwrap();
    let without = TestServer::of_dumps(folder.path());
    assert_eq!(statistics(&without), with_bids);
    let bids = &without.json("/contract/stats?include=market")["market"]["bids"];
    let nothing = json!({"median": null, "coverage": 0.0, "stated_records": 0, "listed_records": 0});
    assert_eq!(*bids, nothing);
}

/// Set `PROCURE_REAL_DATA` to run it.
#[test]
fn most_real_contracts_of_open_calls_have_a_number_of_bids() {
    let Some(dumps) = real_dumps() else {
        return;
    };
    let server = TestServer::of_dumps(dumps);
    let listed = check(&server, dumps, "contract", "", |_| true);
    let is_open = |record: &Value| record["procurement_method_en"] == "Public call for tenders";
    let of_montreal = check(&server, dumps, "contract", "&municipality=montreal", |record| {
        record["municipality"] == "montreal"
    });
    println!("{listed} contracts have the bidders of their notice, {of_montreal} of them of Montréal");
    let contracts = lines(&dumps.join("contract"));
    let of_open = contracts.iter().filter(|(_, record)| is_open(record)).count() as u64;
    assert!(listed * 10 > of_open * 8, "{listed} of {of_open}");
}
