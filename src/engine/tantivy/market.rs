//! What the figures about a market are computed from, over all matches: one pass over the columns of
//! vendors, years and amounts.

use super::{
    amounts::Amounts, counting::count_codes, entity_index::EntityIndex, facet_columns::Codes,
    matching_documents::MatchingDocuments,
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
    /// The sum of the amounts that fit into millionths.
    millionths: i128,
    /// The earliest year that was visited, as in [`Years::of_code`]; [`NO_YEAR`] before the first.
    year: u32,
}

/// Before the first year.
const NO_YEAR: u32 = u32::MAX;

/// The value of a code without one.
const NO_VALUE: u32 = u32::MAX;

pub(crate) fn market(
    index: &EntityIndex,
    documents: &MatchingDocuments,
    deadline: &Deadline,
) -> Result<MarketCounts, Error> {
    deadline.check()?;
    let mut counts = MarketCounts::default();
    let dollars = documents.dollars(index);
    if let Some(dollars) = &dollars {
        counts.growth = growth(index, documents, dollars);
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
        let records = count_codes(codes, values.code_count(), documents);
        for (code, records) in (0u32..).zip(records).filter(|(_, records)| *records > 0) {
            for value in values.values_of_code(code).iter() {
                counts.add_bids(values.name(value), records.into());
            }
        }
    }
    Ok(counts)
}

/// Over the amounts of the same records. One without an amount in Canadian dollars does not count.
fn growth(index: &EntityIndex, documents: &MatchingDocuments, current: &Amounts) -> Growth {
    let mut growth = Growth::default();
    let Some(original) = &index.original_value else {
        return growth;
    };
    let mut places = 0..;
    documents.for_each(|document| {
        let current = places.next().and_then(|place| current.get(place));
        if let (Some(original), Some(current)) = (original.get(document), current) {
            growth.records += 1;
            growth.original.add(Money::of(original));
            growth.current.add(current);
        }
    });
    growth
}

/// The years of the matches, numbered.
struct Years<'a> {
    codes: Option<&'a Codes>,
    /// For each code the number of its year, or [`NO_YEAR`].
    of_code: Vec<u32>,
    /// By number.
    years: Vec<i32>,
}

impl<'a> Years<'a> {
    fn of(facet: Option<(&'a Codes, &FacetValues)>) -> Years<'a> {
        let mut years: Vec<i32> = Vec::new();
        let mut number_of = |values: &FacetValues, code: u32| -> Option<u32> {
            let year: i32 = values.name(values.values_of_code(code).first()?).parse().ok()?;
            let known = years.iter().position(|known| *known == year);
            Some(known.unwrap_or_else(|| {
                years.push(year);
                years.len() - 1
            }) as u32)
        };
        let of_code = facet.map_or_else(Vec::new, |(_, values)| {
            let all = 0..values.code_count() as u32;
            all.map(|code| number_of(values, code).unwrap_or(NO_YEAR)).collect()
        });
        Years {
            codes: facet.map(|(codes, _)| codes),
            of_code,
            years,
        }
    }

    #[inline]
    fn of_document(&self, document: u32) -> u32 {
        self.codes
            .map_or(NO_YEAR, |codes| self.of_code[codes.get(document) as usize])
    }
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
    let years = Years::of(years);
    let all = 0..values.code_count() as u32;
    let vendor_of_code: Vec<u32> = all
        .map(|code| values.values_of_code(code).first().unwrap_or(NO_VALUE))
        .collect();
    let none = Vendor {
        millionths: 0,
        year: NO_YEAR,
    };
    let mut vendors = vec![none; values.len()];
    let mut vendors_by_year = vec![0_u64; years.years.len()];
    let mut amounts = dollars.map(|dollars| dollars.millionths().zip(dollars.presence()));
    documents.for_each(|document| {
        let amount = amounts.as_mut().and_then(Iterator::next);
        let number = vendor_of_code[codes.get(document) as usize];
        let Some(vendor) = vendors.get_mut(number as usize) else {
            return;
        };
        if let Some((millionths, is_present)) = amount {
            counts.with_vendor += u64::from(is_present);
            vendor.millionths += i128::from(millionths);
        }
        let year = years.of_document(document);
        if year != NO_YEAR && year != vendor.year {
            vendor.year = year;
            vendors_by_year[year as usize] += 1;
        }
    });
    let mut new_vendors = vec![0_u64; years.years.len()];
    for vendor in vendors.iter().filter(|vendor| vendor.year != NO_YEAR) {
        new_vendors[vendor.year as usize] += 1;
    }
    let by_year = |counted: Vec<u64>| {
        let years = years.years.iter().copied().zip(counted);
        years.filter(|(_, vendors)| *vendors > 0).collect()
    };
    counts.vendors_by_year = by_year(vendors_by_year);
    counts.new_vendors = by_year(new_vendors);
    let mut sums: Vec<Money> = vendors
        .iter()
        .map(|vendor| Money::from_parts(vendor.millionths, 0.0))
        .collect();
    for (document, amount) in dollars.into_iter().flat_map(Amounts::large) {
        if let Some(sum) = sums.get_mut(vendor_of_code[codes.get(document) as usize] as usize) {
            sum.add(amount);
        }
    }
    counts.set_vendor_sums(sums);
}
