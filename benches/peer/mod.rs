//! OpenSearch asked directly: its own mapping, query language and aggregations.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::Path,
};

use serde_json::{Value, json};

use crate::{
    cluster::Cluster,
    support::http::{Client, Request},
};

const INDEX: &str = "peer";

/// Bytes of a bulk request.
const BULK_BYTES: usize = 8 << 20;

/// The fields that are searched as text.
const TEXT: [&str; 4] = ["title_en", "title_fr", "description_en", "description_fr"];

/// Creates the index, loads the dumps of a folder, and merges each shard to one segment.
pub fn load(cluster: &Cluster, folder: &Path, shards: u32, replicas: u32) {
    cluster.ask("PUT", &format!("/{INDEX}"), &definition(shards));
    for entry in fs::read_dir(folder).expect("dumps") {
        let file = File::open(entry.expect("an entry").path()).expect("a dump");
        let mut body = String::new();
        for line in BufReader::new(file).lines() {
            body.push_str("{\"index\":{}}\n");
            body.push_str(&line.expect("a record"));
            body.push('\n');
            if body.len() > BULK_BYTES {
                bulk(cluster, std::mem::take(&mut body));
            }
        }
        if !body.is_empty() {
            bulk(cluster, body);
        }
    }
    cluster.ask("POST", &format!("/{INDEX}/_refresh"), &Value::Null);
    cluster.ask(
        "POST",
        &format!("/{INDEX}/_forcemerge?max_num_segments=1"),
        &Value::Null,
    );
    let replicas = json!({ "index": { "number_of_replicas": replicas } });
    cluster.ask("PUT", &format!("/{INDEX}/_settings"), &replicas);
    let health = format!("/_cluster/health/{INDEX}?wait_for_status=green&timeout=50s");
    cluster.ask("GET", &health, &Value::Null);
}

fn bulk(cluster: &Cluster, body: String) {
    let address = cluster.url(0).replace("http://", "");
    let mut client = Client::new(address);
    let answer = client
        .send(&Request::json(format!("/{INDEX}/_bulk"), body))
        .expect("an answer");
    let is_whole = answer.body.windows(14).any(|part| part == b"\"errors\":false");
    assert!(
        is_whole,
        "{}",
        String::from_utf8_lossy(&answer.body[..answer.body.len().min(500)])
    );
}

fn definition(shards: u32) -> Value {
    let text = json!({ "type": "text", "analyzer": "folded", "copy_to": "all" });
    let name = json!({ "type": "wildcard", "normalizer": "folded", "copy_to": "all",
        "fields": { "whole": { "type": "keyword" } } });
    let keyword = json!({ "type": "keyword" });
    let mut properties = json!({
        "record_id": keyword, "award_date": { "type": "date" }, "municipality": keyword, "status_en": keyword,
        "procurement_category": keyword, "contract_value": { "type": "double" },
        "all": { "type": "text", "analyzer": "folded" },
    });
    for field in TEXT {
        properties[field] = text.clone();
    }
    for field in ["vendor_name", "department_en", "department_fr"] {
        properties[field] = name.clone();
    }
    json!({
        "settings": { "index": {
            "number_of_shards": shards, "number_of_replicas": 0, "refresh_interval": "-1",
            "sort.field": ["award_date", "record_id"], "sort.order": ["desc", "asc"],
            "analysis": {
                "analyzer": { "folded": { "type": "custom", "tokenizer": "standard",
                    "filter": ["lowercase", "asciifolding"] } },
                "normalizer": { "folded": { "type": "custom", "filter": ["lowercase", "asciifolding"] } },
            },
        } },
        "mappings": { "dynamic": "false", "properties": properties },
    })
}

/// The same question in the language of OpenSearch, as the body of a search.
pub fn question(path: &str) -> String {
    let (_, parameters) = path.split_once('?').expect("parameters");
    let (mut filters, mut aggregations) = (Vec::new(), json!({}));
    let (mut size, mut from, mut sort, mut order, mut total) = (100, 0, "award_date", "desc", false);
    let owned: Vec<_> = url::form_urlencoded::parse(parameters.as_bytes()).collect();
    for (name, value) in &owned {
        let value: &str = value;
        match &**name {
            "limit" => size = value.parse().expect("a limit"),
            "offset" => from = value.parse().expect("an offset"),
            "sort_order" => order = value,
            "sort_by" => sort = "contract_value",
            "include_total" => total = true,
            "facets" => {
                for facet in value.split(',') {
                    aggregations[facet] = aggregation(facet);
                }
            }
            _ => filters.push(filter(name, value)),
        }
    }
    let mut body = json!({
        "size": size, "from": from, "track_total_hits": total,
        "query": { "bool": { "filter": filters } },
        "sort": [{ sort: order }, { "record_id": if order == "desc" { "asc" } else { "desc" } }],
    });
    if aggregations != json!({}) {
        body["aggs"] = aggregations;
    }
    body.to_string()
}

fn filter(name: &str, value: &str) -> Value {
    let both = |pattern: &str| {
        let of = |field: &str| json!({ "wildcard": { field: { "value": pattern } } });
        json!({ "bool": { "should": [of("department_en"), of("department_fr")] } })
    };
    match name {
        "q" => match value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(phrase) => json!({ "match_phrase": { "all": phrase } }),
            None => json!({ "match": { "all": { "query": value, "operator": "and" } } }),
        },
        "category" => json!({ "term": { "procurement_category": value } }),
        "status" => json!({ "term": { "status_en": value } }),
        "municipality" => json!({ "term": { "municipality": value } }),
        "vendor" => json!({ "wildcard": { "vendor_name": { "value": format!("*{value}*") } } }),
        "department" => both(&format!("*{value}*")),
        "issued_after" => json!({ "range": { "award_date": { "gte": value } } }),
        "issued_before" => json!({ "range": { "award_date": { "lte": value } } }),
        "value_min" => json!({ "range": { "contract_value": { "gte": number(value) } } }),
        "value_max" => json!({ "range": { "contract_value": { "lte": number(value) } } }),
        _ => panic!("no counterpart of the parameter {name}"),
    }
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

fn aggregation(facet: &str) -> Value {
    let field = match facet {
        "status" => "status_en",
        "category" => "procurement_category",
        "municipality" => "municipality",
        "department" => "department_en.whole",
        "vendor" => "vendor_name.whole",
        "year" => return json!({ "date_histogram": { "field": "award_date", "calendar_interval": "year" } }),
        _ => panic!("no counterpart of the facet {facet}"),
    };
    json!({ "terms": { "field": field, "size": 100 } })
}

/// Sends a question and reads the answer, which must be whole.
pub fn ask(client: &mut Client, question: &str) {
    let request = Request::json(format!("/{INDEX}/_search"), question);
    let answer = client.send(&request).expect("an answer");
    assert_eq!(
        answer.status,
        200,
        "{question}: {}",
        String::from_utf8_lossy(&answer.body)
    );
}
