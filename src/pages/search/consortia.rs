//! How much of what a search for a firm's name finds is of consortia, which name several firms.

use crate::{
    catalog::suppliers::is_consortium_name,
    engine::aggregation::{Aggregation, Money},
    model::Facet,
    pages::{messages::Texts, search::search_address::SearchAddress},
};

/// What is found of consortia, whose value is not the firm's alone. `None` for a search that names no supplier, and
/// where not every name was counted.
pub(super) fn consortia(t: Texts, asked: &SearchAddress, found: &Aggregation) -> Option<String> {
    asked.value("vendor")?;
    let names = found.facets.get(&Facet::Vendor)?;
    let has_all = names.buckets.len() as u64 == names.distinct;
    let (mut count, mut value) = (0, Money::default());
    for name in names.buckets.iter().filter(|name| is_consortium_name(&name.value)) {
        count += name.count;
        value.add(name.total_value);
    }
    let is_some = has_all && count > 0 && count < found.total;
    let records = t.keyed_with("search-records-", asked.entity_type.name(), &[("count", &count)]);
    is_some.then(|| match value.dollars() {
        0.0 => t.with("search-consortia-count", &[("records", &records)]),
        dollars => t.with(
            "search-consortia",
            &[("records", &records), ("value", &t.money_rounded(dollars))],
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::aggregation::{FacetBucket, FacetBuckets},
        model::{EntityType, Language},
        pages::address::Parameters,
    };

    fn shown(query: &str, distinct: u64) -> Option<String> {
        let bucket = |value: &str, count: u64, dollars: f64| FacetBucket {
            value: value.to_owned(),
            count,
            total_value: Money::of(dollars),
        };
        let names = FacetBuckets {
            buckets: vec![
                bucket("Acme inc.", 5, 2e6),
                bucket("Consortium Acme-Zenith", 2, 9e6),
                bucket("Acme / Zenith (joint venture)", 1, 1e6),
            ],
            distinct,
            ..FacetBuckets::default()
        };
        let found = Aggregation {
            total: 8,
            facets: [(Facet::Vendor, names)].into(),
            ..Aggregation::default()
        };
        let parameters = Parameters::parse(query).unwrap();
        let asked = SearchAddress::of(Language::English, EntityType::Contract, parameters);
        consortia(Texts::of(Language::English), &asked, &found)
    }

    #[test]
    fn contracts_of_consortia_are_stated_next_to_those_of_a_firm() {
        let sentence = shown("vendor=Acme", 3).unwrap().replace('\u{a0}', " ");
        assert!(
            sentence.starts_with("Of consortia: 3 contracts of these, worth $10 million."),
            "{sentence}"
        );
        assert_eq!(shown("q=Acme", 3), None);
        assert_eq!(shown("vendor=Acme", 4), None, "not every name was counted");
    }
}
