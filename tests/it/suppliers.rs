//! Suppliers over HTTP: the list, the names with their reasons, the filter against the names of the clusters, and
//! claims of people on the command line.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::LazyLock,
};

use procure::{
    catalog::indexing::{DEFAULT_MEMORY_MB, IndexOptions, run_with_claims},
    http::encoding::encode,
    model::{entity_type::EntityType, fold::fold},
};
use serde_json::{Value, json};

use crate::{
    http::{Next, RawConnection},
    stores,
    support::TestServer,
};

/// Names, with number and postal code, that are five suppliers.
const NAMES: [(&str, &str, &str); 11] = [
    ("Sintra inc.", "FO-1145755295", "H1A1A1"),
    ("SINTRA INC.", "FO-1145755295", "H1A1A1"),
    ("Lamothe, div. de Sintra", "FO-1145755295", "J2B1A1"),
    ("Sintra (région Estrie)", "FO-1145755295", "J2B1A2"),
    ("Pavages du Nord inc.", "", "J4B5E4"),
    ("Les Pavages du Nord ltée", "", "J4B5E4"),
    ("Bell Nord inc.", "FO-1143863539", "H1A1A3"),
    ("Bell Nord", "FO-1172462849", "H1A1A3"),
    ("Jean Tremblay", "", "H1A1A4"),
    ("Placeholder Roads", "FO-1234567890", "H1A1A5"),
    ("Placeholder Bridges", "FO-1234567890", "H1A1A5"),
];

const KINDS: [EntityType; 3] = [EntityType::Contract, EntityType::Award, EntityType::Disclosure];

fn records() -> Vec<(EntityType, String)> {
    let mut records = Vec::new();
    for number in 0..400_usize {
        let (name, id, code) = NAMES[(number * number + number / 7) % NAMES.len()];
        let entity_type = KINDS[number % 3];
        let mut record = json!({"record_id": format!("{number}"), "vendor_name": name, "vendor_postal_code": code});
        record["award_date"] = json!(format!("{}-03-04", 2010 + number % 9));
        if entity_type == EntityType::Contract && !id.is_empty() {
            record["vendor_id"] = json!(id);
        }
        if number % 5 > 0 {
            record["contract_value"] = json!(number as f64 + 0.25);
        }
        records.push((entity_type, record.to_string()));
    }
    records
}

static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&records(), |_| {}));

fn supplier_of(server: &TestServer, name: &str) -> Value {
    let found = server.get(&format!("/suppliers?name={}", encode(name))).json();
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{name}: {found}");
    assert_eq!(found["next_cursor"], Value::Null);
    let row = &found["results"][0];
    let whole = server.get(&format!("/supplier/{}", row["id"].as_str().unwrap())).json();
    for member in ["id", "name", "records", "total_value", "first_year", "last_year"] {
        assert_eq!(row[member], whole[member], "{member} of {name}");
    }
    assert_eq!(row["names"], whole["names"].as_array().unwrap().len());
    whole
}

fn names_of(supplier: &Value) -> BTreeSet<String> {
    let names = supplier["names"].as_array().unwrap().iter();
    names.map(|name| fold(name["name"].as_str().unwrap())).collect()
}

#[test]
fn names_are_joined_by_numbers_and_places_and_say_why() {
    let sintra = supplier_of(&SERVER, "sintra inc");
    assert_eq!(
        names_of(&sintra),
        BTreeSet::from(["sintra inc", "lamothe div de sintra", "sintra region estrie"].map(str::to_owned))
    );
    assert!(sintra["id"].as_str().unwrap().starts_with("sup_"));
    for name in sintra["names"].as_array().unwrap() {
        let reason = name["reason"].as_str().unwrap();
        let is_chosen = name["name"] == sintra["name"];
        let expected = if is_chosen {
            "the name that all are shown under"
        } else {
            "neq:1145755295"
        };
        assert!(reason.contains(expected), "{name}");
        assert_eq!(name["rule"], if is_chosen { Value::Null } else { json!("number") });
    }
    assert_eq!(sintra["numbers"][0]["number"], "1145755295");
    assert_eq!(sintra["numbers"][0]["kind"], "neq");
    assert_eq!(names_of(&supplier_of(&SERVER, "PAVAGES DU NORD INC")).len(), 2);

    let bell = supplier_of(&SERVER, "Bell Nord inc.");
    assert_eq!(names_of(&bell).len(), 1, "two numbers are two legal persons");
    assert_eq!(bell["suggestions"][0]["other_name"], "Bell Nord");
    assert_eq!(bell["suggestions"][0]["why"], "different_numbers");
    assert_eq!(names_of(&supplier_of(&SERVER, "Placeholder Roads")).len(), 1);
}

fn first_ids(count: usize) -> Vec<String> {
    let suppliers = SERVER.get(&format!("/suppliers?limit={count}")).json();
    let rows = suppliers["results"].as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_supplier_adds_up_the_records_of_its_names_and_the_filter_finds_them() {
    let mut by_supplier: BTreeMap<String, Vec<(EntityType, Value)>> = BTreeMap::new();
    for id in first_ids(100) {
        let names = names_of(&SERVER.get(&format!("/supplier/{id}")).json());
        for (entity_type, line) in records() {
            let record: Value = serde_json::from_str(&line).unwrap();
            if names.contains(&fold(record["vendor_name"].as_str().unwrap())) {
                by_supplier.entry(id.clone()).or_default().push((entity_type, record));
            }
        }
    }
    assert_eq!(
        by_supplier.values().map(Vec::len).sum::<usize>(),
        400,
        "every name is of one supplier"
    );
    for (id, expected) in by_supplier {
        let shown = SERVER.get(&format!("/supplier/{id}")).json();
        let value = |rows: &[&(EntityType, Value)]| -> f64 {
            rows.iter()
                .filter_map(|(_, record)| record["contract_value"].as_f64())
                .sum()
        };
        assert_eq!(shown["records"], expected.len());
        assert_eq!(shown["total_value"], value(&expected.iter().collect::<Vec<_>>()));
        let years = expected
            .iter()
            .map(|(_, record)| record["award_date"].as_str().unwrap()[..4].parse::<i64>().unwrap());
        assert_eq!(shown["first_year"], years.clone().min().unwrap());
        assert_eq!(shown["last_year"], years.max().unwrap());
        for kind in KINDS {
            let of_kind: Vec<_> = expected
                .iter()
                .filter(|(entity_type, _)| *entity_type == kind)
                .collect();
            let rows = shown["by_entity_type"].as_array().unwrap();
            let row = rows.iter().find(|row| row["entity_type"] == kind.name());
            let counted = row.map(|row| {
                (
                    row["records"].as_u64().unwrap() as usize,
                    row["total_value"].as_f64().unwrap(),
                )
            });
            assert_eq!(
                counted.unwrap_or_default(),
                (of_kind.len(), value(&of_kind)),
                "{kind} of {id}"
            );
            let path = format!("/{kind}?supplier={id}&limit=500&include_total=true");
            let found = SERVER.get(&path);
            let ids: BTreeSet<String> = found.ids().into_iter().collect();
            let expected: BTreeSet<String> = of_kind
                .iter()
                .map(|(_, record)| record["record_id"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(ids, expected, "{path}");
            assert_eq!(found.json()["total"], expected.len(), "{path}");
        }
    }
}

#[test]
fn several_suppliers_are_a_filter() {
    let ids = first_ids(3);
    let found = |ids: &str| {
        let found = SERVER.get(&format!("/contract?supplier={ids}&limit=500"));
        found.ids().into_iter().collect::<BTreeSet<String>>()
    };
    let alone: Vec<BTreeSet<String>> = ids.iter().map(|id| found(id)).collect();
    assert!(alone.iter().all(|of_one| !of_one.is_empty()));
    let joined = ids.join(",");
    assert_eq!(found(&joined), alone.into_iter().flatten().collect());
    assert_eq!(found(&format!("{},,{}", ids[2], joined)), found(&joined));
    for (wrong, status) in [
        (format!("{joined},sup_0"), 422),
        (vec![ids[0].as_str(); 61].join(","), 200),
        (
            (0..61)
                .map(|number| format!("sup_{number}"))
                .collect::<Vec<_>>()
                .join(","),
            422,
        ),
    ] {
        assert_eq!(
            SERVER.get(&format!("/contract?supplier={wrong}")).status,
            status,
            "{wrong}"
        );
    }
    let bids = SERVER.get(&format!("/bids?supplier={joined}"));
    assert_eq!(bids.status, 200);
    let separator = SERVER.get("/contract?supplier=,").json();
    let detail = separator["detail"].as_str().unwrap();
    assert!(detail.contains("no supplier has the id ','"), "{detail}");
}

/// For each supplier its name, and how many records and names it has among these of an entity type.
fn counted_by_supplier<'r>(records: impl Iterator<Item = &'r Value>) -> BTreeMap<String, (String, u64, u64)> {
    let mut names: BTreeMap<(String, String), BTreeMap<String, u64>> = BTreeMap::new();
    for record in records {
        let name = record["vendor_name"].as_str().unwrap();
        let row = SERVER.get(&format!("/suppliers?name={}", encode(name))).json()["results"][0].clone();
        let supplier = ["id", "name"].map(|member| row[member].as_str().unwrap().to_owned());
        *names.entry(supplier.into()).or_default().entry(fold(name)).or_default() += 1;
    }
    let counts = names.into_iter();
    let counts = counts.map(|((id, name), names)| (id, (name, names.values().sum(), names.len() as u64)));
    counts.collect()
}

#[test]
fn records_facets_and_statistics_name_the_supplier() {
    for kind in KINDS {
        let of_kind = records().into_iter().filter(|(entity_type, _)| *entity_type == kind);
        let of_kind: Vec<Value> = of_kind.map(|(_, line)| serde_json::from_str(&line).unwrap()).collect();
        let expected = counted_by_supplier(of_kind.iter());
        let path = format!("/{kind}?facets=supplier,vendor&include=supplier&limit=500");
        let page = SERVER.get(&path).json();
        let without = SERVER.get(&format!("/{kind}?facets=vendor&limit=500")).json();
        assert_eq!(page["facets"]["vendor"], without["facets"]["vendor"], "{path}");
        let facet = &page["facets"]["supplier"];
        assert_eq!(
            (&facet["distinct"], &facet["other"]),
            (&json!(expected.len()), &json!(0)),
            "{path}"
        );
        let counts = |rows: &Value, id: &str| -> BTreeMap<String, (String, u64, u64)> {
            let number = |row: &Value, member: &str| row[member].as_u64().unwrap();
            let text = |row: &Value, member: &str| row[member].as_str().unwrap().to_owned();
            let rows = rows.as_array().unwrap().iter();
            rows.map(|row| {
                (
                    text(row, id),
                    (text(row, "name"), number(row, "count"), number(row, "names")),
                )
            })
            .collect()
        };
        assert_eq!(counts(&facet["values"], "value"), expected, "{path}");
        let statistics = SERVER.get(&format!("/{kind}/stats?include=supplier")).json();
        assert_eq!(counts(&statistics["top_suppliers"], "id"), expected, "{kind}");
        let (results, plain) = (
            page["results"].as_array().unwrap(),
            without["results"].as_array().unwrap(),
        );
        assert_eq!(results.len(), of_kind.len());
        for (with, plain) in results.iter().zip(plain) {
            let supplier = &with["supplier"];
            let (name, ..) = &expected[supplier["id"].as_str().unwrap()];
            assert_eq!(supplier["name"], json!(name), "{with}");
            let mut stripped = with.clone();
            stripped.as_object_mut().unwrap().remove("supplier");
            assert_eq!(&stripped, plain);
            let id = plain["record_id"].as_str().unwrap();
            let single = SERVER.get(&format!("/{kind}/{id}?include=supplier")).json();
            assert_eq!(&single, with);
        }
    }
    assert!(SERVER.get("/contract/3").json()["supplier"].is_null());
    for (path, detail) in [
        ("/contract/3?include=quality", "'quality'"),
        ("/contract?include=market", "'market' is not one of coverage, supplier"),
        ("/tender?facets=supplier", "'supplier' is not one of"),
    ] {
        let refused = SERVER.get(path);
        assert_eq!(refused.status, 422, "{path}");
        assert!(refused.detail().contains(detail), "{path}: {}", refused.detail());
    }
    let tenders = SERVER.get("/tender/stats?include=supplier").json();
    assert_eq!(tenders["top_suppliers"], json!([]));
}

#[test]
fn the_list_pages_with_a_cursor() {
    let all = SERVER.get("/suppliers?limit=100").json();
    let mut paged = Vec::new();
    let mut path = "/suppliers?limit=2".to_owned();
    loop {
        let page = SERVER.get(&path).json();
        paged.extend(page["results"].as_array().unwrap().clone());
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/suppliers?limit=2&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(json!(paged), all["results"]);
    let records: Vec<u64> = paged.iter().map(|row| row["records"].as_u64().unwrap()).collect();
    assert!(records.is_sorted_by(|a, b| a >= b));
    let found = SERVER.get("/suppliers?q=SINTRA").json();
    assert_eq!(
        found["results"].as_array().unwrap().len(),
        1,
        "three names contain it, of one supplier"
    );
    let cursor = SERVER.get("/suppliers?limit=2").json()["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    let other = SERVER.get(&format!("/suppliers?q=nord&cursor={cursor}"));
    assert_eq!(other.status, 400, "{}", other.detail());
    assert_eq!(SERVER.get("/suppliers?cursor=x").status, 422);
    assert_eq!(
        SERVER.get("/suppliers?q=nobody%20at%20all").json()["results"],
        json!([])
    );
}

#[test]
fn unknown_ids_are_refused_and_former_ids_lead_on() {
    let unknown = SERVER.get("/supplier/sup_0000");
    assert_eq!(unknown.status, 404);
    assert_eq!(
        unknown.detail(),
        "no supplier has the id 'sup_0000'; find suppliers with /suppliers?q=…"
    );
    let filter = SERVER.get("/contract?supplier=sup_0000");
    assert_eq!(filter.status, 422);
    assert!(
        filter.detail().contains("no supplier has the id 'sup_0000'"),
        "{}",
        filter.detail()
    );
    assert_eq!(
        SERVER.get("/tender?supplier=sup_0000").status,
        422,
        "tenders have no vendor"
    );

    let pavages = supplier_of(&SERVER, "Pavages du Nord inc.");
    let records: Vec<_> = records()
        .into_iter()
        .filter(|(_, line)| !line.contains("J4B5E4"))
        .collect();
    let alone = |name: &str| {
        let record = json!({"record_id": "x", "award_date": "2019-01-01", "vendor_name": name});
        let mut records = records.clone();
        records.push((EntityType::Contract, record.to_string()));
        let server = TestServer::own(&records, |_| {});
        supplier_of(&server, name)["id"].as_str().unwrap().to_owned()
    };
    let former: Vec<String> = ["Pavages du Nord inc.", "Les Pavages du Nord ltée"]
        .iter()
        .map(|name| alone(name))
        .collect();
    let id = pavages["id"].as_str().unwrap();
    assert!(former.iter().any(|former| former == id), "the oldest name gives the id");
    for former in former.iter().filter(|former| *former != id) {
        let moved = RawConnection::to(&SERVER).get(&format!("/supplier/{former}"), &SERVER.key);
        let Next::Response(moved) = moved else {
            panic!("{moved:?}")
        };
        assert_eq!(moved.status, 307);
        assert_eq!(moved.header("location"), Some(format!("/supplier/{id}").as_str()));
        let count = |id: &str| {
            SERVER
                .get(&format!("/contract?supplier={id}&include_total=true"))
                .json()["total"]
                .clone()
        };
        assert_eq!(count(former), count(id), "the filter knows former ids");
    }
}

/// Indexes the records with claims. Returns the file of suppliers, or the error.
fn index(folder: &Path, claims: Option<&str>) -> Result<String, String> {
    let dumps = folder.join("dumps");
    for kind in KINDS {
        fs::create_dir_all(dumps.join(kind.name())).unwrap();
        let lines = records().into_iter().filter(|(entity_type, _)| *entity_type == kind);
        let lines: String = lines.map(|(_, line)| line + "\n").collect();
        fs::write(dumps.join(kind.name()).join("seao-xml.ndjson"), lines).unwrap();
    }
    let file = folder.join("claims.ndjson");
    if let Some(claims) = claims {
        fs::write(&file, claims).unwrap();
    }
    let options = IndexOptions {
        dumps,
        store: stores::store(&folder.join("index")),
        memory_mb: DEFAULT_MEMORY_MB,
        strict: true,
    };
    let report = run_with_claims(&options, claims.map(|_| file.as_path())).map_err(|error| format!("{error:#}"))?;
    assert!(
        report
            .to_string()
            .contains("rule 1 (equal official number): 2 pairs, 2 joined"),
        "{report}"
    );
    Ok(fs::read_to_string(folder.join("index").join(report.generation).join("suppliers.ndjson")).unwrap())
}

#[test]
fn claims_of_people_are_applied_whole_or_not_and_undone_without_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let before = index(folder.path(), None).unwrap();
    let same = r#"{"claim":"same","a":"Jean Tremblay","b":"Pavages du Nord inc.","source":"me"}"#;
    let with = index(folder.path(), Some(same)).unwrap();
    let line = with.lines().find(|line| line.contains("Jean Tremblay")).unwrap();
    let supplier: Value = serde_json::from_str(line).unwrap();
    assert_eq!(supplier["names"].as_array().unwrap().len(), 3, "{line}");
    let wrong = format!("{same}\n{}\n", r#"{"claim":"same","a":"Nobody","b":"Jean Tremblay"}"#);
    let error = index(folder.path(), Some(&wrong)).unwrap_err();
    assert!(error.contains("line 2: no supplier has the name 'Nobody'"), "{error}");
    assert!(
        error.contains("claims.ndjson") && error.contains("nothing was published"),
        "{error}"
    );
    assert_eq!(index(folder.path(), None).unwrap(), before, "byte for byte");
}

#[test]
fn a_list_of_names_is_reconciled_by_get_and_by_form() {
    let manifest = SERVER.get("/reconcile/supplier").json();
    assert_eq!(manifest["versions"], json!(["0.2"]));
    let queries = json!({
        "q0": {"query": "SINTRA INC"},
        "q1": {"query": "Pavage du Nord", "limit": 2},
        "q2": {"query": "something else", "properties": [{"pid": "number", "v": "1145755295"}]},
        "q3": {"properties": [{"pid": "number", "v": ["x", 1_145_755_295_u32]}]},
        "q4": {"query": supplier_of(&SERVER, "Sintra inc.")["id"]},
        "q5": {"properties": [{"pid": "number", "v": ["1145755295", "1145755295"]}]},
    });
    let encoded = encode(&queries.to_string());
    let by_address = SERVER.get(&format!("/reconcile/supplier?queries={encoded}")).json();
    let headers = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("x-gateway-key", SERVER.key.as_str()),
    ];
    let by_form = SERVER.send("POST", "/reconcile/supplier", &headers, format!("queries={encoded}"));
    assert_eq!(by_form.json(), by_address);
    let first = |key: &str| by_address[key]["result"][0].clone();
    let sintra = supplier_of(&SERVER, "Sintra inc.")["id"].clone();
    for key in ["q0", "q2", "q3", "q4"] {
        assert_eq!(
            (&first(key)["id"], &first(key)["match"]),
            (&sintra, &json!(true)),
            "{key}"
        );
        assert_eq!(first(key)["score"], 100.0);
    }
    assert_eq!(first("q1")["match"], false);
    assert_eq!(
        by_address["q5"]["result"], by_address["q3"]["result"],
        "each supplier once"
    );
    assert_eq!(first("q1")["id"], supplier_of(&SERVER, "Pavages du Nord inc.")["id"]);

    let extend = json!({"ids": [sintra, "sup_x"], "properties": [{"id": "records"}, {"id": "number"}]});
    let extended = SERVER
        .get(&format!("/reconcile/supplier?extend={}", encode(&extend.to_string())))
        .json();
    let row = &extended["rows"][sintra.as_str().unwrap()];
    assert_eq!(row["number"], json!([{"str": "neq:1145755295"}]));
    assert_eq!(row["records"][0]["int"], supplier_of(&SERVER, "Sintra inc.")["records"]);
    assert_eq!(extended["rows"]["sup_x"]["records"], json!([]));
    let suggested = SERVER.get("/reconcile/supplier/suggest/entity?prefix=sintra").json();
    assert_eq!(suggested["result"][0]["id"], sintra);
    let preview = SERVER.get(&format!("/reconcile/supplier/preview?id={}", sintra.as_str().unwrap()));
    assert!(String::from_utf8_lossy(&preview.body).contains("3 names"));
    for (query, detail) in [
        ("queries=%7B", "`queries` is not a JSON object"),
        ("queries=%7B%22q%22%3A1%7D", "query 'q'"),
        ("extend=%7B%7D", "`extend` is not an object"),
        (
            "extend=%7B%22ids%22%3A%5B%5D%2C%22properties%22%3A%5B%7B%22id%22%3A%22x%22%7D%5D%7D",
            "the property 'x'",
        ),
    ] {
        let refused = SERVER.get(&format!("/reconcile/supplier?{query}"));
        assert_eq!(refused.status, 422);
        assert!(refused.detail().contains(detail), "{query}: {}", refused.detail());
    }
}

/// What fields for names in OpenRefine send, as Freebase accepted it.
const OF_FREEBASE: &str = "spell=always&exact=false&scoring=schema&prefixed=true&type=supplier";

#[test]
fn what_openrefine_adds_to_requests_is_accepted() {
    for (path, added) in [
        ("properties?limit=2", "type=supplier"),
        ("suggest/entity?prefix=sintra", OF_FREEBASE),
        ("suggest/property?prefix=year", OF_FREEBASE),
    ] {
        let path = format!("/reconcile/supplier/{path}");
        assert_eq!(SERVER.json(&format!("{path}&{added}")), SERVER.json(&path), "{path}");
    }
    let properties = SERVER.json("/reconcile/supplier/properties?limit=2")["properties"].clone();
    assert_eq!(properties.as_array().unwrap().len(), 2);
    let suggested = |query: &str| {
        let answer = SERVER.json(&format!("/reconcile/supplier/suggest/entity?{query}"));
        let ids = answer["result"].as_array().unwrap().iter().map(|row| row["id"].clone());
        ids.collect::<Vec<Value>>()
    };
    let all = suggested("prefix=a");
    assert!(all.len() > 1);
    assert_eq!(suggested("prefix=a&cursor=1")[0], all[1]);
    // An identifier, and the name of one supplier before longer names of others.
    let last = all[all.len() - 1].as_str().unwrap();
    assert_eq!(suggested(&format!("prefix={last}")), [last]);
    let name = SERVER.json(&format!("/supplier/{last}"))["name"].clone();
    let by_name = suggested(&format!("prefix={}", encode(name.as_str().unwrap())));
    assert_eq!(by_name[0], last);
}
