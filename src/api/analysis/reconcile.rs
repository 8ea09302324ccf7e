//! Reconciliation API 0.2 for suppliers and bodies: batches of names, and figures.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::catalog::suppliers::{
    Party, Supplier, SupplierList,
    matching::{Match, matches, matches_of_numbers},
};

/// The queries of a batch, by the client's keys.
pub(crate) type Batch = Map<String, Value>;

/// The maximum number of queries of a batch, and of suppliers of an extension.
pub(crate) const MAX_BATCH: usize = 50;

/// Candidates of a query unless it states another number.
const DEFAULT_LIMIT: usize = 5;
const MAX_LIMIT: usize = 25;

/// The only type of entities of a service.
fn entity_type(party: Party) -> Value {
    let name = match party {
        Party::Supplier => "Supplier",
        Party::Body => "Public body",
    };
    property(party.reconciled(), name)
}

/// What can be asked of a supplier: identifier, name, and whether it is in the answer of `extend`.
const PROPERTIES: [(&str, &str); 6] = [
    ("records", "Records"),
    ("total_value", "Total value, in Canadian dollars"),
    ("first_year", "First year"),
    ("last_year", "Last year"),
    ("names", "Names"),
    ("number", "Official numbers"),
];

#[derive(Deserialize)]
struct Query {
    #[serde(default)]
    query: String,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    properties: Vec<QueryProperty>,
}

#[derive(Deserialize)]
struct QueryProperty {
    pid: String,
    v: Value,
}

#[derive(Deserialize)]
struct Extension {
    ids: Vec<String>,
    properties: Vec<ExtendedProperty>,
}

#[derive(Deserialize)]
struct ExtendedProperty {
    id: String,
}

/// What a service is, and what it can do. `origin` is where the client reaches this server, and `path` that of the
/// service. Identifiers of spaces are saved with projects, so they never have a token.
///
/// OpenRefine does not resolve addresses: one without a host leads to OpenRefine itself.
pub(crate) fn manifest(party: Party, origin: &str, path: &str, has_pages: bool) -> Value {
    let url = format!("{origin}{path}");
    let (space, page) = (
        format!("{origin}/{}/", party.noun()),
        if has_pages { "/en" } else { "" },
    );
    let service = |path: &str| json!({"service_url": url, "service_path": path});
    let name = match party {
        Party::Supplier => "Suppliers of Canadian governments",
        Party::Body => "Public bodies in Canada that buy",
    };
    json!({
        "versions": ["0.2"],
        "name": name,
        "identifierSpace": space,
        "schemaSpace": format!("{origin}/reconcile/{}/properties/", party.reconciled()),
        "defaultTypes": [entity_type(party)],
        "view": {"url": format!("{origin}{page}/{}/{{{{id}}}}", party.noun())},
        "preview": {"url": format!("{url}/preview?id={{{{id}}}}"), "width": 400, "height": 120},
        "suggest": {"entity": service("/suggest/entity"), "property": service("/suggest/property")},
        "batchSize": MAX_BATCH,
        "extend": {"propose_properties": service("/properties"), "property_settings": []},
    })
}

/// Checks the text of a batch.
pub(crate) fn parse_batch(text: &str) -> Result<Batch, String> {
    let batch: Batch =
        serde_json::from_str(text).map_err(|error| format!("`queries` is not a JSON object: {error}"))?;
    if batch.len() > MAX_BATCH {
        return Err(format!(
            "`queries` has {} queries; the maximum is {MAX_BATCH}, send several batches",
            batch.len()
        ));
    }
    for (key, query) in &batch {
        let key: String = key.chars().take(40).collect();
        Query::deserialize(query).map_err(|error| format!("query '{}': {error}", key.escape_debug()))?;
    }
    Ok(batch)
}

/// The candidates of each query.
pub(crate) fn reconcile(list: &SupplierList, batch: &Batch) -> Value {
    let answers = batch.iter().filter_map(|(key, query)| {
        let query = Query::deserialize(query).ok()?;
        Some((key.clone(), json!({"result": candidates(list, &query)})))
    });
    Value::Object(answers.collect())
}

fn candidates(list: &SupplierList, query: &Query) -> Vec<Value> {
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let numbers = query.properties.iter().filter(|property| property.pid == "number");
    let numbers: Vec<String> = numbers.flat_map(|property| numbers_in(&property.v)).collect();
    let mut found = matches_of_numbers(list, &numbers);
    for by_name in matches(list, &query.query, limit) {
        if found.iter().all(|known| known.supplier.id != by_name.supplier.id) {
            // A number says more than a name.
            let is_certain = by_name.is_certain && found.is_empty();
            found.push(Match { is_certain, ..by_name });
        }
    }
    found.truncate(limit);
    found.iter().map(|found| candidate(list.party(), found)).collect()
}

/// The numbers that a value or a list of values states, as text or as numbers.
fn numbers_in(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers_in).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        _ => Vec::new(),
    }
}

fn candidate(party: Party, found: &Match) -> Value {
    let features = found.features;
    json!({
        "id": found.supplier.id,
        "name": found.supplier.name,
        "description": description(&found.supplier),
        "type": [entity_type(party)],
        "score": found.score,
        "match": found.is_certain,
        "features": [
            {"id": "id", "value": features.id},
            {"id": "number", "value": features.number},
            {"id": "name", "value": features.name},
            {"id": "core_name", "value": features.core},
            {"id": "similarity", "value": (features.similarity * 1000.0).round() / 1000.0},
        ],
    })
}

/// A supplier in one line.
pub(crate) fn description(supplier: &Supplier) -> String {
    let years = match (supplier.first_year, supplier.last_year) {
        (Some(first), Some(last)) if first < last => format!(", {first} to {last}"),
        (Some(year), _) => format!(", {year}"),
        _ => String::new(),
    };
    let count = |count: u64, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let (names, records) = (
        count(supplier.names.len() as u64, "name"),
        count(supplier.records, "record"),
    );
    format!("{names}, {records}{years}")
}

/// The supplier with this identifier, the one with exactly this name, and those with a name that contains it.
pub(crate) fn suggest_entities(list: &SupplierList, prefix: &str, skipped: usize) -> Value {
    let mut numbers: Vec<u32> = list.find_id(prefix).into_iter().chain(list.find_name(prefix)).collect();
    let others = list.containing(prefix).into_iter();
    numbers.extend(others.filter(|number| !numbers.contains(number)).collect::<Vec<_>>());
    let found = numbers.into_iter().skip(skipped).take(10);
    let found = found.filter_map(|number| list.get(number));
    let row = |supplier: Supplier| {
        let description = description(&supplier);
        json!({"id": supplier.id, "name": supplier.name, "description": description})
    };
    json!({"result": found.map(row).collect::<Vec<_>>()})
}

fn property(id: &str, name: &str) -> Value {
    json!({"id": id, "name": name})
}

/// Properties whose identifier or name contains a text.
pub(crate) fn suggest_properties(prefix: &str, skipped: usize) -> Value {
    let prefix = prefix.trim().to_lowercase();
    let fits = |(id, name): &&(&str, &str)| id.contains(&prefix) || name.to_lowercase().contains(&prefix);
    json!({"result": PROPERTIES.iter().filter(fits).skip(skipped).map(|(id, name)| property(id, name)).collect::<Vec<_>>()})
}

/// The first properties that `extend` answers.
pub(crate) fn proposed_properties(party: Party, limit: usize) -> Value {
    let properties = PROPERTIES.iter().take(limit).map(|(id, name)| property(id, name));
    json!({"type": party.reconciled(), "properties": properties.collect::<Vec<_>>()})
}

/// The figures of some suppliers. An unknown property or identifier has no values.
pub(crate) fn extend(list: &SupplierList, text: &str) -> Result<Value, String> {
    let asked: Extension = serde_json::from_str(text)
        .map_err(|error| format!("`extend` is not an object with `ids` and `properties`: {error}"))?;
    if asked.ids.len() > MAX_BATCH {
        return Err(format!(
            "`extend` has {} ids; the maximum is {MAX_BATCH}, send several",
            asked.ids.len()
        ));
    }
    let mut meta = Vec::new();
    for ExtendedProperty { id } in &asked.properties {
        let known = PROPERTIES.iter().find(|(known, _)| known == id);
        let (id, name) = known.ok_or_else(|| {
            let known: Vec<&str> = PROPERTIES.iter().map(|(id, _)| *id).collect();
            let id: String = id.chars().take(40).collect();
            format!(
                "`extend` asks for the property '{}'; there are {}",
                id.escape_debug(),
                known.join(", ")
            )
        })?;
        meta.push(property(id, name));
    }
    let row = |id: &String| {
        let supplier = list.find_id(id).and_then(|number| list.get(number));
        let cells = asked.properties.iter().map(|property| {
            let values = supplier
                .as_ref()
                .map_or_else(Vec::new, |supplier| values(supplier, &property.id));
            (property.id.clone(), Value::Array(values))
        });
        (id.clone(), Value::Object(cells.collect()))
    };
    let rows: Map<String, Value> = asked.ids.iter().map(row).collect();
    Ok(json!({"meta": meta, "rows": rows}))
}

fn values(supplier: &Supplier, property: &str) -> Vec<Value> {
    let year = |year: Option<i32>| year.map(|year| json!({"int": year})).into_iter().collect();
    match property {
        "records" => vec![json!({"int": supplier.records})],
        "total_value" => vec![json!({"float": supplier.total_value})],
        "first_year" => year(supplier.first_year),
        "last_year" => year(supplier.last_year),
        "names" => supplier.names.iter().map(|name| json!({"str": name.name})).collect(),
        "number" => supplier
            .numbers
            .iter()
            .map(|number| json!({"str": number.number}))
            .collect(),
        _ => Vec::new(),
    }
}
