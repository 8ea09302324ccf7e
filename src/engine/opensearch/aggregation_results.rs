//! Results of aggregations, read exactly: `serde_json` reads some floats off by one unit in the last
//! place.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::cluster_error::ClusterError;
use crate::engine::error::Error;

/// The results of a search by the names of its aggregations.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct AggregationResults(HashMap<String, Box<RawValue>>);

/// The result of a metric aggregation; null over no documents.
#[derive(Debug, Deserialize)]
pub(crate) struct Metric {
    pub(crate) value: Option<ExactFloat>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactFloat(pub(crate) f64);

impl<'de> Deserialize<'de> for ExactFloat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ExactFloat, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        // The cluster writes infinities as texts.
        let text = raw.get().trim_matches('"');
        text.parse().map(ExactFloat).map_err(serde::de::Error::custom)
    }
}

impl AggregationResults {
    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        let raw = self.0.get(name);
        parse(raw.ok_or_else(|| unreadable(format!("the aggregation {name} is missing")))?)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The value of a metric aggregation; `None` over no documents.
    pub(crate) fn metric(&self, name: &str) -> Result<Option<f64>, Error> {
        Ok(self.read::<Metric>(name)?.value.map(|value| value.0))
    }
}

fn parse<T: DeserializeOwned>(raw: &RawValue) -> Result<T, Error> {
    serde_json::from_str(raw.get()).map_err(unreadable)
}

pub(crate) fn unreadable(why: impl std::fmt::Display) -> Error {
    ClusterError::unreadable("an aggregation", why).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_read_exactly() {
        let json = r#"{"a":{"value":0.1},"b":{"value":null},"c":{"value":1.7976931348623157E308},"d":{"value":"-Infinity"},
            "e":{"value":2.2250738585072011e-308}}"#;
        let metrics: AggregationResults = serde_json::from_str(json).unwrap();
        for (name, expected) in [
            ("a", Some(0.1)),
            ("b", None),
            ("c", Some(f64::MAX)),
            ("d", Some(f64::NEG_INFINITY)),
            ("e", Some("2.2250738585072011e-308".parse().unwrap())),
        ] {
            assert_eq!(metrics.metric(name).unwrap(), expected, "{name}");
        }
        assert!(metrics.metric("missing").is_err());
    }
}
