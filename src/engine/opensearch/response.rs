//! The parts of the cluster's responses that this program reads.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value, value::RawValue};

use super::{
    aggregation_results::AggregationResults,
    cluster_error::{ClusterError, error_text},
};

/// The response of a search that covers the whole index.
#[derive(Debug)]
pub(crate) struct SearchResponse {
    pub(crate) hits: HitList,
    pub(crate) aggregations: AggregationResults,
}

/// A response before it is known whether it is whole.
#[derive(Debug, Deserialize)]
pub(crate) struct UncheckedResponse {
    /// Only in the responses of a multi-search.
    error: Option<Value>,
    status: Option<u16>,
    timed_out: Option<bool>,
    #[serde(rename = "_shards")]
    shards: Option<Shards>,
    hits: Option<HitList>,
    #[serde(default)]
    aggregations: AggregationResults,
}

#[derive(Debug, Deserialize)]
struct Shards {
    total: u32,
    successful: u32,
    failed: u32,
    #[serde(default)]
    failures: Vec<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct HitList {
    /// `None` where the request does not count.
    pub(crate) total: Option<Total>,
    pub(crate) hits: Vec<Hit>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Total {
    pub(crate) value: u64,
    /// `eq`, or `gte` where the count was cut off.
    relation: String,
}

impl Total {
    /// `None` where the count was cut off.
    pub(crate) fn exact(&self) -> Option<u64> {
        (self.relation == "eq").then_some(self.value)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Hit {
    /// Empty where the request asks for no stored fields.
    #[serde(rename = "_id", default)]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) sort: Vec<SortValue>,
    /// The names of the queries that the document matches, of those that have a name.
    #[serde(default)]
    pub(crate) matched_queries: Vec<String>,
    /// Stored fields and doc values, each a list.
    #[serde(default)]
    pub(crate) fields: Map<String, Value>,
}

/// A value that hits are sorted by, read exactly.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SortValue {
    Integer(i64),
    Float(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for SortValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SortValue, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        if text.starts_with('"') {
            return serde_json::from_str(text)
                .map(SortValue::Text)
                .map_err(D::Error::custom);
        }
        match text.parse() {
            Ok(integer) => Ok(SortValue::Integer(integer)),
            Err(_) => text.parse().map(SortValue::Float).map_err(D::Error::custom),
        }
    }
}

impl SortValue {
    pub(crate) fn to_json(&self) -> Value {
        match self {
            SortValue::Integer(integer) => (*integer).into(),
            SortValue::Float(float) => (*float).into(),
            SortValue::Text(text) => text.as_str().into(),
        }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            SortValue::Integer(integer) => Some(*integer as f64),
            SortValue::Float(float) => Some(*float),
            SortValue::Text(_) => None,
        }
    }
}

impl Hit {
    /// The sort values, for `search_after`.
    pub(crate) fn position(&self) -> Value {
        self.sort.iter().map(SortValue::to_json).collect()
    }

    /// Takes the first value of a field out.
    pub(crate) fn take_field(&mut self, name: &str) -> Option<Value> {
        match self.fields.get_mut(name)? {
            Value::Array(values) if !values.is_empty() => Some(values.swap_remove(0)),
            _ => None,
        }
    }
}

impl UncheckedResponse {
    /// A partial response is an error, never an answer. So is one that does not say that it is whole.
    pub(crate) fn check(self) -> Result<SearchResponse, ClusterError> {
        if let Some(error) = &self.error {
            let body = serde_json::json!({ "error": error }).to_string();
            let status = self.status.unwrap_or(500);
            return Err(ClusterError::of_response("a search", status, body.as_bytes()));
        }
        if self.timed_out == Some(true) {
            return Err(ClusterError::Timeout);
        }
        let (Some(_), Some(shards), Some(hits)) = (self.timed_out, self.shards, self.hits) else {
            return Err(ClusterError::unreadable(
                "a search",
                "it is not the response of a search",
            ));
        };
        if shards.failed > 0 || shards.successful < shards.total || shards.total == 0 {
            let why = shards.failures.first().and_then(|failure| failure.get("reason"));
            let why = why.map_or_else(|| "no reason".to_owned(), error_text);
            let failed = shards.failed.max(shards.total.saturating_sub(shards.successful));
            return Err(ClusterError::Unavailable(format!(
                "{failed} of {} shards failed: {why}",
                shards.total
            )));
        }
        Ok(SearchResponse {
            hits,
            aggregations: self.aggregations,
        })
    }
}

/// The response of a multi-search.
#[derive(Debug, Deserialize)]
pub(crate) struct MultiSearchResponse {
    pub(crate) responses: Vec<UncheckedResponse>,
}

/// The response of a multi-get.
#[derive(Debug, Deserialize)]
pub(crate) struct MultiGetResponse {
    pub(crate) docs: Vec<FoundDocument>,
}

impl MultiGetResponse {
    /// Fails unless there is a document, or the statement that there is none, for each id.
    pub(crate) fn check(self, ids: usize) -> Result<Vec<FoundDocument>, ClusterError> {
        if let Some(error) = self.docs.iter().find_map(|document| document.error.as_ref()) {
            // A document that is missing is not an error.
            let is_missing = error
                .get("type")
                .is_some_and(|kind| kind == "index_not_found_exception");
            let why = error_text(error);
            return Err(if is_missing {
                ClusterError::NotFound(why)
            } else {
                ClusterError::Unavailable(why)
            });
        }
        if self.docs.len() != ids {
            let why = format!("{} documents for {ids} ids", self.docs.len());
            return Err(ClusterError::unreadable("a multi-get", why));
        }
        Ok(self.docs)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct FoundDocument {
    #[serde(default)]
    pub(crate) found: bool,
    #[serde(rename = "_source")]
    pub(crate) source: Option<Box<RawValue>>,
    /// With `_primary_term`: the version of the document, for changes that must not overwrite those
    /// of another process.
    #[serde(rename = "_seq_no")]
    pub(crate) seq_no: Option<u64>,
    #[serde(rename = "_primary_term")]
    pub(crate) primary_term: Option<u64>,
    pub(crate) error: Option<Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(json: &str) -> Result<SearchResponse, ClusterError> {
        serde_json::from_str::<UncheckedResponse>(json).unwrap().check()
    }

    #[test]
    fn a_partial_response_is_an_error() {
        assert_eq!(checked(r#"{"timed_out":true}"#).unwrap_err(), ClusterError::Timeout);
        let failed = r#"{"timed_out":false,"_shards":{"total":2,"successful":1,"failed":1,"failures":[{"reason":{"type":"t","reason":"r"}}]},"hits":{}}"#;
        assert_eq!(
            checked(failed).unwrap_err(),
            ClusterError::Unavailable("1 of 2 shards failed: t: r".to_owned())
        );
        let busy = r#"{"error":{"type":"t","reason":"r"},"status":429}"#;
        assert!(matches!(checked(busy).unwrap_err(), ClusterError::Busy(_)));
        let missing = r#"{"timed_out":false,"_shards":{"total":2,"successful":1,"failed":0},"hits":{}}"#;
        assert!(matches!(checked(missing).unwrap_err(), ClusterError::Unavailable(_)));
        for other in [
            "{}",
            r#"{"message":"welcome"}"#,
            r#"{"timed_out":false,"hits":{"hits":[]}}"#,
        ] {
            assert!(
                matches!(checked(other).unwrap_err(), ClusterError::Unreadable(_)),
                "{other}"
            );
        }
    }

    #[test]
    fn a_page_of_hits_is_read() {
        let json = r#"{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},
            "hits":{"total":{"value":2,"relation":"eq"},"max_score":null,"hits":[
                {"_index":"i","_id":"7","_score":null,"sort":[19000,"a"],"fields":{"record":["{\"x\": 1e2}"]}}]}}"#;
        let mut response = checked(json).unwrap();
        assert_eq!(response.hits.total.as_ref().and_then(Total::exact), Some(2));
        let hit = &mut response.hits.hits[0];
        assert_eq!(hit.take_field("record").unwrap(), r#"{"x": 1e2}"#);
        assert_eq!(hit.take_field("other"), None);
        assert_eq!((hit.id.as_str(), &hit.sort[1]), ("7", &SortValue::Text("a".to_owned())));
    }

    #[test]
    fn sort_values_are_read_exactly() {
        for (json, expected) in [
            ("9007199254740993", SortValue::Integer(9_007_199_254_740_993)),
            ("-2147483648", SortValue::Integer(i64::from(i32::MIN))),
            ("0.1", SortValue::Float(0.1)),
            ("1.7976931348623157E308", SortValue::Float(f64::MAX)),
            ("\"a\\\"b\"", SortValue::Text("a\"b".to_owned())),
        ] {
            assert_eq!(serde_json::from_str::<SortValue>(json).unwrap(), expected, "{json}");
        }
        assert!(serde_json::from_str::<SortValue>("null").is_err());
    }
}
