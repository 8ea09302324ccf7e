//! The answer in one sentence: how many records, what they are worth, from when to when, by how many buyers, from how
//! many suppliers.

use crate::{
    api::analysis::{
        quality::quality_of,
        supplier_counts::{Rank, SupplierCounts, buying_bodies},
    },
    catalog::suppliers::SupplierList,
    engine::aggregation::{Aggregation, FacetBuckets, ValueStats},
    model::{EntityType, Facet},
    pages::{messages::Texts, periods::years_between, quality::is_much_in_doubt, search::context::SearchContext},
};

/// "1,284 contracts worth $412 million, 2009–2026, by 37 buyers, from 12 suppliers". Parts that are not known are left
/// out.
///
/// `bodies`: a body with several names is one buyer, and a division of it none, unless only names were counted.
/// `suppliers`: so is a supplier one, unless it has too many names to count each.
pub(crate) fn sentence(
    t: Texts,
    entity_type: EntityType,
    found: &Aggregation,
    (bodies, suppliers): (&SupplierList, &SupplierList),
) -> String {
    let records = t.keyed_with("search-records-", entity_type.name(), &[("count", &found.total)]);
    let mut sentence = match found.values.as_ref().filter(|values| values.records_with_value > 0) {
        Some(values) => worth(t, records, values, (found.total, sound_value(found))),
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
    if let Some(suppliers) = found
        .facets
        .get(&Facet::Vendor)
        .and_then(|names| from(t, names, suppliers))
    {
        sentence = t.with(
            "search-sentence-suppliers",
            &[("sentence", &sentence), ("suppliers", &suppliers)],
        );
    }
    sentence
}

/// The suppliers over all their names; their names, if not each of them was counted.
fn from(t: Texts, names: &FacetBuckets, suppliers: &SupplierList) -> Option<String> {
    let has_all = names.buckets.len() as u64 == names.distinct;
    let (key, count) = if has_all {
        let counts = SupplierCounts::of(suppliers, names.clone(), Rank::Count, 0);
        ("search-suppliers", counts.distinct)
    } else {
        ("search-supplier-spellings", names.distinct)
    };
    (count > 0).then(|| t.with(key, &[("count", &count)]))
}

/// The bodies and the suppliers of the index.
pub(super) fn parties<'c>(context: &SearchContext<'c>) -> (&'c SupplierList, &'c SupplierList) {
    let generation = &context.ask.generation;
    (&generation.bodies, &generation.suppliers)
}

/// The value of the records without a doubt, if it is much less than that of all.
pub(super) fn sound_value(found: &Aggregation) -> Option<f64> {
    let quality = quality_of(found);
    let all = found.values.as_ref()?.total_value.dollars();
    let doubtful = quality.flagged_value?.dollars();
    let sound = all - doubtful;
    // Of a search for records in doubt, it says nothing.
    (is_much_in_doubt(&quality) && sound > 0.0).then_some(sound)
}

/// The records with their total value. Where some publish none, how many do; where much of it is in doubt, what is not.
pub(super) fn worth(t: Texts, records: String, values: &ValueStats, (total, sound): (u64, Option<f64>)) -> String {
    let mut value = t.money_rounded(values.total_value.dollars());
    if let Some(sound) = sound {
        let sound = t.money_rounded(sound);
        value = t.with("search-sentence-sound", &[("value", &value), ("sound", &sound)]);
    }
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
        engine::aggregation::{FacetBucket, Money},
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

    fn list(party: Party) -> SupplierList {
        SupplierList::parse(party, Bytes::new()).unwrap()
    }

    #[test]
    fn the_sentence_has_the_suppliers_or_their_names() {
        let bucket = |value: &&str| FacetBucket {
            value: (*value).to_owned(),
            count: 1,
            total_value: Money::default(),
        };
        for (names, distinct, english, french) in [
            (
                &["acme", "zenith"][..],
                2,
                "7 contracts, from 2 suppliers",
                "7 contrats, auprès de 2 fournisseurs",
            ),
            (
                &["acme"],
                1,
                "7 contracts, from 1 supplier",
                "7 contrats, auprès de 1 fournisseur",
            ),
            (
                &["acme", "zenith"],
                9,
                "7 contracts, from 9 names of suppliers",
                "7 contrats, auprès de 9 noms de fournisseurs",
            ),
            (&[], 0, "7 contracts", "7 contrats"),
        ] {
            let mut found = found(7, 0, 0.0, None, 0);
            let names = FacetBuckets {
                buckets: names.iter().map(bucket).collect(),
                distinct,
                ..FacetBuckets::default()
            };
            found.facets.insert(Facet::Vendor, names);
            let shown = |language| {
                let lists = (&list(Party::Body), &list(Party::Supplier));
                let shown = sentence(Texts::of(language), EntityType::Contract, &found, lists);
                shown.replace(['\u{a0}', '\u{202f}'], " ")
            };
            assert_eq!((shown(English).as_str(), shown(French).as_str()), (english, french));
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
                    (&list(Party::Body), &list(Party::Supplier)),
                );
                shown.replace(['\u{a0}', '\u{202f}'], " ")
            };
            assert_eq!((shown(English).as_str(), shown(French).as_str()), (english, french));
        }
    }
}
