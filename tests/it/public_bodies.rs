//! Public bodies over HTTP: the list, the names with their reasons, the filter against every record, claims of people,
//! and the pages.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
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

/// English and French name of the department, buyer, municipality, and identifier of the buyer.
const BUYERS: [(&str, &str, &str, &str, &str); 17] = [
    ("National Defence", "Défense nationale", "", "federal", ""),
    ("National Defence", "Défense nationale", "PSPC", "federal", ""),
    ("DND", "", "", "federal", ""),
    (
        "",
        "Ministère de la Défense nationale",
        "National Defence",
        "federal",
        "",
    ),
    (
        "Public Services and Procurement Canada",
        "Services publics et Approvisionnement Canada",
        "",
        "federal",
        "",
    ),
    (
        "Public Works and Government Services Canada",
        "",
        "PWGSC",
        "federal",
        "",
    ),
    ("", "Ville de Montréal", "Ville de Montréal", "montreal", "OP-1"),
    ("", "Service de l'eau", "Ville de Montréal", "montreal", ""),
    ("City of Montréal", "", "", "montreal", ""),
    ("", "Montréal (Ville)", "", "montreal", ""),
    (
        "",
        "Ville de Montréal - Arrondissement de Lachine",
        "",
        "montreal",
        "OP-1",
    ),
    ("", "Ville de Lachine", "", "montreal", ""),
    ("City of Montreal", "", "", "toronto", ""),
    ("", "Régie des eaux du Nord", "", "laval", "OP-7"),
    ("", "Régie intermunicipale des eaux", "", "laval", "OP-7"),
    ("", "Université de Montréal", "", "qc-provincial", ""),
    ("", "", "City of Toronto", "toronto", ""),
];

/// The names of the bodies of several names, folded; other names are bodies of their own.
const BODIES: [&[&str]; 4] = [
    &["national defence", "dnd", "ministere de la defense nationale"],
    &[
        "public services and procurement canada",
        "public works and government services canada",
        "pspc",
        "pwgsc",
    ],
    &["ville de montreal", "city of montreal", "montreal ville"],
    &["regie des eaux du nord", "regie intermunicipale des eaux"],
];

const KINDS: [EntityType; 3] = [EntityType::Contract, EntityType::Tender, EntityType::PreSolicitation];

fn records() -> Vec<(EntityType, Value)> {
    let mut records = Vec::new();
    for number in 0..510_usize {
        let (english, french, buyer, municipality, id) = BUYERS[(number * number + number / 5) % BUYERS.len()];
        let entity_type = KINDS[number % 3];
        let day = format!("{}-03-04", 2010 + number % 9);
        let mut record = json!({"record_id": format!("{number}"), "municipality": municipality});
        let level = if municipality == "federal" {
            "federal"
        } else {
            "municipal"
        };
        record["government_level"] = json!(level);
        record[if entity_type == EntityType::Contract {
            "award_date"
        } else {
            "publication_date"
        }] = json!(day);
        for (field, text) in [
            ("department_en", english),
            ("department_fr", french),
            ("buyer_name", buyer),
            ("buyer_id", id),
        ] {
            if !text.is_empty() {
                record[field] = json!(text);
            }
        }
        if entity_type == EntityType::Contract && number % 5 > 0 {
            record["contract_value"] = json!(number as f64 + 0.25);
            record["vendor_name"] = json!(["Acme Ltd.", "Beta inc."][number % 2]);
        }
        records.push((entity_type, record));
    }
    records
}

fn lines() -> Vec<(EntityType, String)> {
    records()
        .into_iter()
        .map(|(of, record)| (of, record.to_string()))
        .collect()
}

static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&lines(), |_| {}));

/// The folded names of the departments that a record names. Names that records state together in both languages are
/// one.
fn departments_of(record: &Value) -> BTreeSet<String> {
    let names = ["department_en", "department_fr", "buyer_name"];
    let names = names.iter().filter_map(|field| record[*field].as_str()).map(fold);
    let english = |name: String| match name.as_str() {
        "defense nationale" => "national defence".to_owned(),
        "services publics et approvisionnement canada" => "public services and procurement canada".to_owned(),
        _ => name,
    };
    names.map(english).collect()
}

fn body_of(name: &str) -> Value {
    let found = SERVER.get(&format!("/bodies?name={}", encode(name))).json();
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{name}: {found}");
    let row = &found["results"][0];
    let whole = SERVER.get(&format!("/body/{}", row["id"].as_str().unwrap())).json();
    for member in ["id", "name", "records", "total_value", "first_year", "last_year"] {
        assert_eq!(row[member], whole[member], "{member} of {name}");
    }
    assert_eq!(row["names"], whole["names"].as_array().unwrap().len());
    assert_eq!(row["name_fr"], whole["names"][0]["name_fr"]);
    whole
}

fn names_of(body: &Value) -> BTreeSet<String> {
    let names = body["names"].as_array().unwrap().iter();
    names.map(|name| fold(name["name"].as_str().unwrap())).collect()
}

#[test]
fn names_are_joined_by_table_municipality_and_identifier_and_say_why() {
    for names in BODIES {
        let expected: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
        for name in names {
            assert_eq!(names_of(&body_of(name)), expected, "{name}");
        }
    }
    let reasons = |name: &str| -> BTreeMap<String, (Value, String)> {
        let body = body_of(name);
        let rows = body["names"].as_array().unwrap().clone();
        let reason = |row: &Value| (row["rule"].clone(), row["reason"].as_str().unwrap().to_owned());
        rows.iter()
            .map(|row| (fold(row["name"].as_str().unwrap()), reason(row)))
            .collect()
    };
    let defence = reasons("Défense nationale");
    assert_eq!(defence["dnd"].0, "table");
    assert_eq!(
        defence["dnd"].1,
        "is listed with \"National Defence\" in the table of names of public bodies (canada.ca/en/department-national-defence)"
    );
    assert_eq!(body_of("DND")["names"][0]["name_fr"], "Défense nationale");
    let works = body_of("PWGSC");
    assert_eq!(works["names"].as_array().unwrap().len(), 4);
    assert!(
        works["name"].as_str().unwrap().len() > 5,
        "no acronym is chosen: {works}"
    );
    let montreal = reasons("Ville de Montréal");
    let of_city = montreal.values().filter(|(rule, _)| *rule == "municipality");
    assert_eq!(of_city.count(), 2, "{montreal:?}");
    assert!(
        reasons("Régie des eaux du Nord")
            .values()
            .any(|(_, why)| why.contains("seao:op-7"))
    );

    for alone in [
        "Ville de Montréal - Arrondissement de Lachine",
        "Ville de Lachine",
        "Service de l'eau",
        "Université de Montréal",
        "City of Toronto",
    ] {
        assert_eq!(names_of(&body_of(alone)).len(), 1, "{alone}");
    }
    let part = body_of("Ville de Montréal - Arrondissement de Lachine");
    assert_eq!(part["suggestions"][0]["why"], "division", "{part}");
}

#[test]
fn a_body_has_the_name_of_the_whole_and_not_of_its_busiest_unit() {
    // Both are in the table of names of public bodies.
    let whole = "Centre de services partagés du Québec";
    let unit = format!("{whole}- Direction générale des acquisitions (DGACQ)");
    let names = [unit.as_str(), whole, unit.as_str()];
    let record = |(number, name): (usize, &&str)| {
        let record = json!({"record_id": format!("r{number}"), "buyer_name": name,
            "municipality": "laval", "award_date": "2018-01-01"});
        (EntityType::Contract, record.to_string())
    };
    let server = TestServer::own(&names.iter().enumerate().map(record).collect::<Vec<_>>(), |_| {});
    let found = server.get("/bodies").json();
    assert_eq!(found["results"][0]["name"], whole, "{found}");
    assert_eq!(found["results"][0]["records"], 3);
}

#[test]
fn names_that_differ_in_an_ampersand_are_one_body_of_one_government() {
    let (sign, word) = ("Parks, Forestry & Recreation", "Parks, Forestry and Recreation");
    let divisions = [
        (sign, "toronto", 3),
        (word, "toronto", 2),
        ("Loisirs & culture", "laval", 1),
        ("Loisirs et culture", "montreal", 1),
    ];
    let mut records = Vec::new();
    for (name, municipality, count) in divisions {
        for value in 0..count {
            let id = records.len();
            let record = json!({"record_id": format!("r{id}"), "department_en": name, "vendor_name": "Acme Ltd.",
                "municipality": municipality, "award_date": "2018-01-01", "contract_value": 1000 * (id + value + 1)});
            records.push((EntityType::Contract, record.to_string()));
        }
    }
    let server = TestServer::own(&records, |_| {});
    let found = server.get("/bodies?limit=100").json();
    let rows = found["results"].as_array().unwrap();
    assert_eq!(rows.len(), 3, "two cities have divisions of one name: {found}");
    assert_eq!((&rows[0]["name"], &rows[0]["records"]), (&json!(sign), &json!(5)));
    let id = rows[0]["id"].as_str().unwrap();
    let body = server.get(&format!("/body/{id}")).json();
    let other = &body["names"][1];
    assert_eq!((&other["name"], &other["rule"]), (&json!(word), &json!("ampersand")));
    let reason = format!("differs from \"{sign}\" in \"&\" for \"and\" or \"et\" only, and both are of one government");
    assert_eq!(other["reason"], reason);
    let page = server.html(&format!("/en/body/{id}"), 200);
    assert!(page.contains("The sums on this page join 2 names."), "{page}");
    assert!(page.contains("only, and both are of one government."), "{page}");
    // Filters by name are by the name alone.
    let only = server.get(&format!("/contract?department_is={}", encode(word))).json();
    assert_eq!(only["count"], 2, "{only}");
    for name in [sign, word] {
        let words = encode(&format!("largest contract of {name}"));
        let search = server.html(&format!("/en/search?kind=contract&q={words}"), 200);
        assert!(search.contains(id), "{search}");
    }
}

#[test]
fn a_body_has_the_records_of_its_names_each_once_and_the_filter_finds_them() {
    let bodies = SERVER.get("/bodies?limit=100").json();
    let bodies = bodies["results"].as_array().unwrap();
    let numbers: Vec<u64> = bodies.iter().map(|row| row["records"].as_u64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|a, b| a >= b) && numbers.len() > 8, "{numbers:?}");
    let mut named = BTreeSet::new();
    for row in bodies {
        let id = row["id"].as_str().unwrap();
        assert!(id.starts_with("body_"), "{id}");
        let body = SERVER.get(&format!("/body/{id}")).json();
        let names = names_of(&body);
        named.extend(names.clone());
        let mut all: Vec<(EntityType, Value)> = records();
        all.retain(|(_, record)| !departments_of(record).is_disjoint(&names));
        assert_eq!(body["records"], all.len(), "{names:?}");
        let value: f64 = all
            .iter()
            .filter_map(|(_, record)| record["contract_value"].as_f64())
            .sum();
        assert_eq!(body["total_value"], value, "{names:?}");
        let years = all.iter().map(|(_, record)| {
            let day = record["award_date"].as_str().or(record["publication_date"].as_str());
            day.unwrap()[..4].parse::<i64>().unwrap()
        });
        assert_eq!(
            (&body["first_year"], &body["last_year"]),
            (&json!(years.clone().min()), &json!(years.max())),
            "{names:?}"
        );
        for kind in KINDS {
            let ids = all.iter().filter(|(of, _)| *of == kind);
            let ids: BTreeSet<String> = ids
                .map(|(_, of)| of["record_id"].as_str().unwrap().to_owned())
                .collect();
            let path = format!("/{kind}?body={id}&limit=500&include_total=true");
            let found = SERVER.get(&path);
            assert_eq!(
                found.ids().into_iter().collect::<BTreeSet<_>>(),
                ids,
                "{path} of {names:?}"
            );
            let rows = body["by_entity_type"].as_array().unwrap();
            let row = rows.iter().find(|row| row["entity_type"] == kind.name());
            let counted = row.map_or(0, |row| row["records"].as_u64().unwrap());
            assert_eq!(counted, ids.len() as u64, "{kind} of {names:?}");
        }
    }
    let stated: BTreeSet<String> = records()
        .iter()
        .flat_map(|(_, record)| departments_of(record))
        .collect();
    assert_eq!(named, stated, "every name is of one body");
}

#[test]
fn the_facet_counts_what_the_filter_finds() {
    for kind in KINDS {
        let of_kind: Vec<Value> = records()
            .into_iter()
            .filter(|(of, _)| *of == kind)
            .map(|(_, record)| record)
            .collect();
        let page = SERVER.json(&format!("/{kind}?facets=body,department&limit=1"));
        let without = SERVER.json(&format!("/{kind}?facets=department&limit=1"));
        assert_eq!(page["facets"]["department"], without["facets"]["department"]);
        let facet = &page["facets"]["body"];
        let values = facet["values"].as_array().unwrap();
        assert_eq!((&facet["distinct"], &facet["other"]), (&json!(values.len()), &json!(0)));
        let mut named = BTreeSet::new();
        for value in values {
            let id = value["value"].as_str().unwrap();
            let body = SERVER.json(&format!("/body/{id}"));
            let names = names_of(&body);
            assert_eq!(value["name"], body["name"]);
            let records: Vec<_> = of_kind
                .iter()
                .filter(|of| !departments_of(of).is_disjoint(&names))
                .collect();
            assert_eq!(value["count"], records.len(), "{kind} of {names:?}");
            let found = SERVER.json(&format!("/{kind}?body={id}&include_total=true&limit=1"));
            assert_eq!(value["count"], found["total"], "{kind} of {names:?}");
            named.extend(
                records
                    .into_iter()
                    .flat_map(departments_of)
                    .filter(|name| names.contains(name)),
            );
        }
        let stated: BTreeSet<String> = of_kind.iter().flat_map(departments_of).collect();
        assert_eq!(named, stated, "every name of {kind} is of a counted body");
    }
    // Two names of one body in one record are one record.
    let defence = body_of("National Defence")["id"].clone();
    let only = SERVER.json(&format!(
        "/contract?body={}&facets=body&include_total=true",
        defence.as_str().unwrap()
    ));
    let row = only["facets"]["body"]["values"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["value"] == defence);
    let row = row.unwrap();
    assert_eq!(row["count"], only["total"]);
    assert!(row["names"].as_u64().unwrap() > 1, "{row}");
}

/// The addresses that the rows of a search page's chart of buyers lead to, with their numbers of records.
fn ranked_buyers(html: &str) -> Vec<(String, u64)> {
    let chart = html.split("id=\"chart-buyers\"").nth(1).unwrap();
    let rows = chart.split("</table>").next().unwrap().split("<tr>").skip(2);
    let row = |row: &str| {
        let href = row.split("href=\"").nth(1).unwrap().split('"').next().unwrap();
        let cells: Vec<&str> = row.split("<td").collect();
        let mut parts = cells[cells.len() - 2].split(['>', '<']);
        let number = parts.find_map(|part| part.parse().ok());
        (href.to_owned(), number.unwrap())
    };
    rows.map(row).collect()
}

#[test]
fn the_chart_of_a_search_ranks_buyers_over_all_their_names() {
    for (lang, joined, apart) in [
        (
            "en",
            "Buyers and suppliers are ranked over the names known to be theirs; a firm may have more.",
            "Rank each name for itself",
        ),
        (
            "fr",
            "Les acheteurs et les fournisseurs sont classés selon leurs noms reconnus; une entreprise peut en avoir d’autres.",
            "Classer chaque nom à part",
        ),
    ] {
        let page = format!("/{lang}/search?kind=contract&rank=number");
        let html = SERVER.html(&page, 200);
        let facet = SERVER.json("/contract?facets=body&limit=1")["facets"]["body"]["values"].clone();
        let expected: Vec<(String, u64)> = facet
            .as_array()
            .unwrap()
            .iter()
            .take(10)
            .map(|row| {
                let id = row["value"].as_str().unwrap();
                (format!("/{lang}/body/{id}"), row["count"].as_u64().unwrap())
            })
            .collect();
        assert_eq!(ranked_buyers(&html), expected);
        assert!(html.contains(joined) && html.contains(apart), "{html}");
        // Each switch keeps what the other one is on.
        assert!(html.contains("rank=number&#38;spellings=true"), "{html}");
        let html = SERVER.html(&format!("{page}&spellings=true"), 200);
        let names = SERVER.json("/contract?facets=department&limit=1")["facets"]["department"]["values"].clone();
        let counts = names.as_array().unwrap().iter().take(10);
        let counts: Vec<u64> = counts.map(|row| row["count"].as_u64().unwrap()).collect();
        let rows = ranked_buyers(&html);
        assert_eq!(rows.iter().map(|(_, count)| *count).collect::<Vec<u64>>(), counts);
        let prefix = format!("/{lang}/department/");
        assert!(rows.iter().all(|(href, _)| href.starts_with(&prefix)), "{rows:?}");
        assert!(!html.contains(joined));
    }
    let by_value = SERVER.html("/en/search?kind=contract", 200);
    assert!(
        ranked_buyers(&by_value)
            .iter()
            .all(|(href, _)| href.starts_with("/en/body/"))
    );
}

#[test]
fn the_profile_counts_years_and_suppliers_of_the_commonest_entity_type() {
    let body = body_of("Ville de Montréal");
    let kind = body["profile_of"].as_str().unwrap();
    let path = format!("/{kind}?body={}&include_total=true", body["id"].as_str().unwrap());
    let years = body["by_year"].as_array().unwrap();
    let sum: u64 = years.iter().map(|year| year["count"].as_u64().unwrap()).sum();
    assert_eq!(
        json!(sum + body["undated"].as_u64().unwrap()),
        SERVER.get(&path).json()["total"],
        "{body}"
    );
    let names = names_of(&body);
    if kind == "contract" {
        let mut vendors: BTreeMap<String, u64> = BTreeMap::new();
        for (of, record) in records() {
            if of == EntityType::Contract
                && !departments_of(&record).is_disjoint(&names)
                && let Some(vendor) = record["vendor_name"].as_str()
            {
                *vendors.entry(vendor.to_owned()).or_default() += 1;
            }
        }
        let top = body["top_suppliers"].as_array().unwrap().iter();
        let top: BTreeMap<String, u64> = top
            .map(|row| (row["name"].as_str().unwrap().to_owned(), row["count"].as_u64().unwrap()))
            .collect();
        assert_eq!(top, vendors);
    }
    assert_eq!(body["bids"]["notices"], 0, "{body}");
}

#[test]
fn the_profile_of_a_body_that_mostly_calls_for_tenders_has_no_suppliers() {
    let tenders = (0..3).map(|number| {
        let record =
            json!({"record_id": format!("x|{number}"), "publication_date": "2025-01-02", "department_en": "Parks"});
        (EntityType::Tender, record.to_string())
    });
    let server = TestServer::own(&tenders.collect::<Vec<_>>(), |_| {});
    let body = server.json("/bodies?name=parks")["results"][0].clone();
    let profile = server.json(&format!("/body/{}", body["id"].as_str().unwrap()));
    assert_eq!(
        (&profile["profile_of"], &profile["top_suppliers"]),
        (&json!("tender"), &json!([]))
    );
    assert_eq!(profile["by_year"][0]["count"], 3);
}

#[test]
fn the_list_pages_and_unknown_or_former_ids_are_answered() {
    let all = SERVER.get("/bodies?limit=100").json();
    let (mut paged, mut path) = (Vec::new(), "/bodies?limit=3".to_owned());
    loop {
        let page = SERVER.get(&path).json();
        paged.extend(page["results"].as_array().unwrap().clone());
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/bodies?limit=3&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(json!(paged), all["results"]);
    let cursor = SERVER.get("/bodies?limit=3").json()["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    let of_suppliers = SERVER.get(&format!("/suppliers?cursor={cursor}"));
    assert_eq!(of_suppliers.status, 400, "{}", of_suppliers.detail());
    let found = SERVER.get(&format!("/bodies?q={}", encode("DÉFENSE NAT"))).json();
    assert_eq!(found["results"][0]["name"], "National Defence", "by its name in French");

    let unknown = SERVER.get("/body/body_0000");
    assert_eq!(unknown.status, 404);
    assert_eq!(
        unknown.detail(),
        "no body has the id 'body_0000'; find bodies with /bodies?q=…"
    );
    for path in ["/contract?body=body_0000", "/bids?body=sup_1"] {
        let refused = SERVER.get(path);
        assert_eq!(refused.status, 422, "{path}");
        assert!(refused.detail().contains("no body has the id"), "{}", refused.detail());
    }
    // The identifier that a name has alone leads to the body that it is joined to.
    let alone: Vec<_> = lines()
        .into_iter()
        .filter(|(_, line)| line.contains("\"DND\""))
        .collect();
    let server = TestServer::own(&alone, |_| {});
    let former = server.get("/bodies").json()["results"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let defence = body_of("National Defence");
    let id = defence["id"].as_str().unwrap();
    if former != id {
        let moved = RawConnection::to(&SERVER).get(&format!("/body/{former}"), &SERVER.key);
        let Next::Response(moved) = moved else {
            panic!("{moved:?}")
        };
        assert_eq!(moved.status, 307);
        assert_eq!(moved.header("location"), Some(format!("/body/{id}").as_str()));
    }
    let count = |id: &str| SERVER.get(&format!("/contract?body={id}&include_total=true")).json()["total"].clone();
    assert_eq!(count(&former), count(id));
}

#[test]
fn claims_join_and_separate_bodies_and_leave_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let index = |claims: &str| -> Result<String, String> {
        let dumps = folder.path().join("dumps");
        for kind in KINDS {
            fs::create_dir_all(dumps.join(kind.name())).unwrap();
            let of_kind = lines().into_iter().filter(|(of, _)| *of == kind);
            let text: String = of_kind.map(|(_, line)| line + "\n").collect();
            fs::write(dumps.join(kind.name()).join("seao-ocds.ndjson"), text).unwrap();
        }
        let file = folder.path().join("claims.ndjson");
        fs::write(&file, claims).unwrap();
        let options = IndexOptions {
            dumps,
            store: stores::store(&folder.path().join("index")),
            memory_mb: DEFAULT_MEMORY_MB,
            strict: true,
        };
        let report = run_with_claims(&options, Some(&file)).map_err(|error| format!("{error:#}"))?;
        let printed = report.to_string();
        assert!(
            printed.contains("names of departments are") && printed.contains("rule 8"),
            "{printed}"
        );
        Ok(fs::read_to_string(
            folder
                .path()
                .join("index")
                .join(report.generation)
                .join("bodies.ndjson"),
        )
        .unwrap())
    };
    let before = index("").unwrap();
    let names = |file: &str, name: &str| -> usize {
        let line = file.lines().find(|line| line.contains(name)).unwrap();
        let body: Value = serde_json::from_str(line).unwrap();
        body["names"].as_array().unwrap().len()
    };
    assert_eq!(names(&before, "\"DND\""), 3);
    let claims = [
        json!({"claim": "different", "of": "body", "a": "DND", "b": "Défense nationale"}),
        json!({"claim": "same", "of": "body", "a": "City of Toronto", "b": "Ville de Lachine"}),
    ];
    let claims: String = claims.iter().map(|claim| format!("{claim}\n")).collect();
    let with = index(&claims).unwrap();
    assert_eq!(names(&with, "Ville de Lachine"), 2);
    let apart = with
        .lines()
        .find(|line| line.contains("\"name_fr\":\"Défense nationale\""))
        .unwrap();
    assert!(!apart.contains("\"name\":\"DND\""), "{apart}");
    let wrong = index(r#"{"claim":"same","of":"body","a":"Nobody","b":"DND"}"#).unwrap_err();
    assert!(wrong.contains("line 1: no body has the name 'Nobody'"), "{wrong}");
    let wrong = index(r#"{"claim":"same","of":"place","a":"PSPC","b":"DND"}"#).unwrap_err();
    assert!(wrong.contains("`of` is 'supplier' or 'body', not 'place'"), "{wrong}");
    assert_eq!(index("").unwrap(), before, "byte for byte");
}

#[test]
fn the_pages_show_all_names_of_a_body_with_reasons() {
    let body = body_of("Ville de Montréal");
    let id = body["id"].as_str().unwrap();
    for lang in ["en", "fr"] {
        let page = SERVER.html(&format!("/{lang}/body/{id}"), 200);
        for name in body["names"].as_array().unwrap() {
            assert!(page.contains(name["name"].as_str().unwrap()), "{name}: {page}");
        }
        let department = SERVER.html(&format!("/{lang}/department/{}", encode("City of Montréal")), 200);
        assert!(department.contains(&format!("/{lang}/body/{id}")), "{department}");
        let search = SERVER.html(&format!("/{lang}/search?kind=contract&body={id}"), 200);
        assert!(search.contains("Montréal"), "{search}");
    }
    let french = SERVER.html(&format!("/fr/body/{}", body_of("DND")["id"].as_str().unwrap()), 200);
    assert!(
        french.contains("<h1><bdi>Défense nationale") || french.contains("Défense nationale</"),
        "{french}"
    );
    let found = SERVER.get("/suggest?q=MDN").json();
    assert_eq!(found["results"][0]["id"], body_of("DND")["id"], "{found}");
    let rows = SERVER.get(&format!("/en/body.csv/{id}?kind=contract"));
    assert_eq!(rows.status, 200);
    assert_eq!(SERVER.get("/en/body/body_0000").status, 404);
}

#[test]
fn bodies_are_reconciled_by_any_of_their_names() {
    let manifest = SERVER.get("/reconcile/department").json();
    assert_eq!(manifest["versions"], json!(["0.2"]));
    let view = manifest["view"]["url"].as_str().unwrap();
    assert!(
        view.starts_with(&SERVER.address) && view.ends_with("/body/{{id}}"),
        "{view}"
    );
    assert_eq!(manifest["defaultTypes"][0]["id"], "department");
    let names = ["défense nationale", "DND", "Montréal (ville)", "PWGSC"];
    let queries: BTreeMap<&str, Value> = names.iter().map(|name| (*name, json!({"query": name}))).collect();
    let encoded = encode(&json!(queries).to_string());
    let answers = SERVER.get(&format!("/reconcile/department?queries={encoded}")).json();
    for name in names {
        let best = &answers[name]["result"][0];
        assert_eq!(
            (&best["id"], &best["match"]),
            (&body_of(name)["id"], &json!(true)),
            "{name}: {answers}"
        );
        assert_eq!(best["type"][0]["id"], "department");
    }
    let id = body_of("DND")["id"].as_str().unwrap().to_owned();
    let extend = json!({"ids": [id], "properties": [{"id": "records"}]});
    let extended = SERVER
        .get(&format!("/reconcile/department?extend={}", encode(&extend.to_string())))
        .json();
    assert_eq!(extended["rows"][&id]["records"][0]["int"], body_of("DND")["records"]);
    let preview = SERVER.get(&format!("/reconcile/department/preview?id={id}"));
    assert!(String::from_utf8_lossy(&preview.body).contains("National Defence"));
}
