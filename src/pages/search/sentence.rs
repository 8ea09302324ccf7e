//! The answer in one sentence: how many records, what they are worth, from when to when, by how many buyers.

use crate::{
    api::analysis::supplier_counts::buying_bodies,
    catalog::suppliers::SupplierList,
    engine::aggregation::{Aggregation, ValueStats},
    model::{EntityType, Facet},
    pages::{messages::Texts, periods::years_between},
};

/// "1,284 contracts worth $412 million, 2009–2026, by 37 buyers". Parts that are not known are left out.
///
/// `bodies`: a body with several names is one buyer, and a division of it none, unless only names were counted.
pub(crate) fn sentence(t: Texts, entity_type: EntityType, found: &Aggregation, bodies: &SupplierList) -> String {
    let records = t.keyed_with("search-records-", entity_type.name(), &[("count", &found.total)]);
    let mut sentence = match found.values.as_ref().filter(|values| values.records_with_value > 0) {
        Some(values) => worth(t, records, values, found.total),
        None => records,
    };
    if let Some(period) = years_between(found.earliest_date, found.latest_date) {
        sentence = t.with(
            "search-sentence-period",
            &[("sentence", &sentence), ("period", &period)],
        );
    }
    let buyers = if found.combinations.is_empty() {
        let names = found.facets.get(&Facet::NamedDepartment);
        names.map_or(0, |counts| counts.distinct)
    } else {
        buying_bodies(bodies, &found.combinations)
    };
    if buyers > 0 {
        let buyers = t.with("search-buyers", &[("count", &buyers)]);
        sentence = t.with(
            "search-sentence-buyers",
            &[("sentence", &sentence), ("buyers", &buyers)],
        );
    }
    sentence
}

/// The records with their total value. Where some publish none, how many do.
fn worth(t: Texts, records: String, values: &ValueStats, total: u64) -> String {
    let value = t.money_rounded(values.total_value.dollars());
    if values.records_with_value == total {
        return t.with("search-sentence-worth", &[("records", &records), ("value", &value)]);
    }
    let count = values.records_with_value;
    t.with(
        "search-sentence-worth-published",
        &[("records", &records), ("value", &value), ("count", &count)],
    )
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::{
        catalog::suppliers::Party,
        engine::aggregation::{FacetBuckets, Money},
        model::{
            Date,
            Language::{English, French},
        },
    };

    fn found(total: u64, records_with_value: u64, value: f64, days: Option<(&str, &str)>, buyers: u64) -> Aggregation {
        let day = |text| Date::parse(text).unwrap();
        let buckets = FacetBuckets {
            distinct: buyers,
            ..FacetBuckets::default()
        };
        Aggregation {
            total,
            earliest_date: days.map(|(first, _)| day(first)),
            latest_date: days.map(|(_, last)| day(last)),
            facets: [(Facet::NamedDepartment, buckets)].into(),
            combinations: Vec::new(),
            values: Some(ValueStats {
                records_with_value,
                total_value: Money::of(value),
                distribution: None,
            }),
        }
    }

    #[test]
    fn the_sentence_has_the_parts_that_are_known() {
        let days = Some(("2009-01-02", "2026-03-04"));
        for (found, english, french) in [
            (
                found(1284, 1284, 412e6, days, 37),
                "1,284 contracts worth $412 million, 2009–2026, by 37 buyers",
                "1 284 contrats d’une valeur de 412 M$, 2009–2026, par 37 acheteurs",
            ),
            (
                found(1, 1, 950.0, Some(("2026-01-01", "2026-01-01")), 1),
                "1 contract worth $950, 2026, by 1 buyer",
                "1 contrat d’une valeur de 950 $, 2026, par 1 acheteur",
            ),
            (
                found(3, 2, 1000.0, None, 0),
                "3 contracts worth $1,000 where a value is published (2 of them)",
                "3 contrats d’une valeur de 1 000 $ là où elle est publiée (2 d’entre eux)",
            ),
            (found(0, 0, 0.0, None, 0), "0 contracts", "0 contrat"),
        ] {
            let shown = |language| {
                let shown = sentence(
                    Texts::of(language),
                    EntityType::Contract,
                    &found,
                    &SupplierList::parse(Party::Body, Bytes::new()).unwrap(),
                );
                shown.replace(['\u{a0}', '\u{202f}'], " ")
            };
            assert_eq!((shown(English).as_str(), shown(French).as_str()), (english, french));
        }
    }
}
