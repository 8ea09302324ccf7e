//! What the figures about a market are computed from, over all matches: one pass over the columns of
//! vendors, years and amounts.

use super::{
    amounts::Amounts, entity_index::EntityIndex, facet_columns::Codes, matching_documents::MatchingDocuments,
};
use crate::{
    engine::{
        aggregation::Money,
        deadline::Deadline,
        error::Error,
        facet_values::FacetValues,
        market_counts::{Growth, MarketCounts},
    },
    model::Facet,
};

/// What is counted for one vendor.
#[derive(Clone, Copy)]
struct Vendor {
    sum: Money,
    /// The earliest year that was visited; [`NO_YEAR`] before the first.
    year: i32,
}

/// Later than every year.
const NO_YEAR: i32 = i32::MAX;

pub(crate) fn market(
    index: &EntityIndex,
    documents: &MatchingDocuments,
    deadline: &Deadline,
) -> Result<MarketCounts, Error> {
    deadline.check()?;
    let mut counts = MarketCounts::default();
    let dollars = documents.dollars(index);
    let original = index.original_values_of(|visit| documents.for_each(visit));
    if let (Some(dollars), Some(original)) = (&dollars, &original) {
        counts.growth = growth(original, dollars);
    }
    deadline.check()?;
    if let Some((codes, values)) = index.facet(Facet::Vendor) {
        count_vendors(
            &mut counts,
            documents,
            (codes, values),
            index.facet(Facet::Year),
            dollars.as_ref(),
        );
    }
    deadline.check()?;
    if let Some((codes, values)) = index.facet(Facet::Bids) {
        let mut records = vec![0u64; values.code_count()];
        documents.for_each_code(codes, |code| records[code as usize] += 1);
        for (code, records) in (0u32..).zip(records).filter(|(_, records)| *records > 0) {
            for value in values.values_of_code(code).iter() {
                counts.add_bids(values.name(value), records);
            }
        }
    }
    Ok(counts)
}

/// Over the amounts of the same records. One without an amount in Canadian dollars does not count.
fn growth(original: &[f64], current: &Amounts) -> Growth {
    let mut growth = Growth::default();
    for (place, original) in original.iter().enumerate() {
        if !original.is_nan()
            && let Some(current) = current.get(place)
        {
            growth.records += 1;
            growth.original.add(Money::of(*original));
            growth.current.add(current);
        }
    }
    growth
}

/// The matches come in the order of their dates, the newest first. So a vendor is new in the last
/// year that is visited of it, and it has a record of each other year that it is visited in.
fn count_vendors(
    counts: &mut MarketCounts,
    documents: &MatchingDocuments,
    (codes, values): (&Codes, &FacetValues),
    years: Option<(&Codes, &FacetValues)>,
    dollars: Option<&Amounts>,
) {
    let mut vendors = vec![
        Vendor {
            sum: Money::default(),
            year: NO_YEAR,
        };
        values.len()
    ];
    let year_of_code: Vec<Option<i32>> = years.map_or_else(Vec::new, |(_, values)| {
        let year = |code: u32| -> Option<i32> { values.name(values.values_of_code(code).first()?).parse().ok() };
        (0..values.code_count() as u32).map(year).collect()
    });
    let mut places = 0..;
    documents.for_each(|document| {
        let place = places.next();
        let dollars = dollars.zip(place).and_then(|(dollars, place)| dollars.get(place));
        let Some(number) = values.values_of_code(codes.get(document)).first() else {
            return;
        };
        let vendor = &mut vendors[number as usize];
        if let Some(dollars) = dollars {
            counts.with_vendor += 1;
            vendor.sum.add(dollars);
        }
        let year = years.and_then(|(codes, _)| year_of_code[codes.get(document) as usize]);
        if let Some(year) = year.filter(|year| *year != vendor.year) {
            vendor.year = year;
            *counts.vendors_by_year.entry(year).or_default() += 1;
        }
    });
    for vendor in vendors.iter().filter(|vendor| vendor.year != NO_YEAR) {
        *counts.new_vendors.entry(vendor.year).or_default() += 1;
    }
    counts.set_vendor_sums(vendors.into_iter().map(|vendor| vendor.sum).collect());
}
