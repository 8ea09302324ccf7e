//! What the figures about a market are computed from, over all matches: one pass over the columns of
//! vendors, years, bids and amounts, block by block.

use tantivy::DocId;

use super::{
    amounts::BlockAmounts, columns::ValueColumn, compiled_query::CompiledQuery, counting::CodeCounts,
    entity_index::EntityIndex, facet_columns::Codes, match_blocks::MatchBlocks,
};
use crate::{
    engine::{
        aggregation::Money,
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

pub(crate) fn market(index: &EntityIndex, query: &CompiledQuery) -> Result<MarketCounts, Error> {
    query.check()?;
    let mut counts = MarketCounts::default();
    let columns = index.dollars.as_ref().zip(index.value.as_ref());
    let mut amounts = columns.map(|_| BlockAmounts::default());
    let vendor_facet = index.facet(Facet::Vendor);
    let mut vendors = vendor_facet.map(|(codes, values)| Vendors::new(codes, values, index.facet(Facet::Year)));
    let bids_facet = index.facet(Facet::Bids);
    let mut bids = bids_facet.map(|(codes, values)| (codes, CodeCounts::new(values.code_count())));
    if let Some(blocks) = MatchBlocks::within(query, query.documents.clone())? {
        blocks.for_each(|block| {
            if let (Some((dollars, values)), Some(amounts)) = (columns, &mut amounts) {
                amounts.read_dollars(block, dollars, values);
                if let Some(original) = &index.original_value {
                    add_growth(&mut counts.growth, block, original, |document| {
                        dollars.money(document, values)
                    });
                }
            }
            if let Some(vendors) = &mut vendors {
                vendors.add(block, amounts.as_ref());
            }
            if let Some((codes, bids)) = &mut bids {
                bids.add(codes, block);
            }
        })?;
    }
    if let Some(vendors) = vendors {
        vendors.finish(&mut counts, &amounts.unwrap_or_default().into_large());
    }
    if let (Some((_, values)), Some((_, bids))) = (bids_facet, bids) {
        for (code, records) in (0u32..).zip(bids.into_totals()).filter(|(_, records)| *records > 0) {
            for value in values.values_of_code(code).iter() {
                counts.add_bids(values.name(value), records.into());
            }
        }
    }
    Ok(counts)
}

/// Over the amounts of the same records. One without an amount in Canadian dollars does not count.
fn add_growth(growth: &mut Growth, block: &[DocId], original: &ValueColumn, current: impl Fn(DocId) -> Option<Money>) {
    for document in block {
        if let Some(original) = original.get(*document)
            && let Some(current) = current(*document)
        {
            growth.records += 1;
            growth.original.add(Money::of(original));
            growth.current.add(current);
        }
    }
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

/// What is counted by vendor. The matches come in the order of their dates, the newest first. So a vendor is new in the
/// last year that is visited of it, and it has a record of each other year that it is visited in.
struct Vendors<'a> {
    codes: &'a Codes,
    value_of_code: Vec<u32>,
    years: Years<'a>,
    /// By the number of the value.
    vendors: Vec<Vendor>,
    vendors_by_year: Vec<u64>,
    /// The number of records that name a vendor and state a value.
    with_value: u64,
}

impl<'a> Vendors<'a> {
    fn new(codes: &'a Codes, values: &FacetValues, years: Option<(&'a Codes, &FacetValues)>) -> Vendors<'a> {
        let years = Years::of(years);
        let all = 0..values.code_count() as u32;
        let none = Vendor {
            millionths: 0,
            year: NO_YEAR,
        };
        Vendors {
            codes,
            value_of_code: all
                .map(|code| values.values_of_code(code).first().unwrap_or(NO_VALUE))
                .collect(),
            vendors: vec![none; values.len()],
            vendors_by_year: vec![0; years.years.len()],
            years,
            with_value: 0,
        }
    }

    /// `amounts` are those of the block.
    fn add(&mut self, block: &[DocId], amounts: Option<&BlockAmounts>) {
        let mut amounts = amounts.map(|amounts| amounts.millionths().iter().zip(amounts.presence()));
        for document in block {
            let amount = amounts.as_mut().and_then(Iterator::next);
            let number = self.value_of_code[self.codes.get(*document) as usize];
            let Some(vendor) = self.vendors.get_mut(number as usize) else {
                continue;
            };
            if let Some((millionths, is_present)) = amount {
                self.with_value += u64::from(is_present);
                vendor.millionths += i128::from(*millionths);
            }
            let year = self.years.of_document(*document);
            if year != NO_YEAR && year != vendor.year {
                vendor.year = year;
                self.vendors_by_year[year as usize] += 1;
            }
        }
    }

    /// `large` are the amounts of all blocks that do not fit into millionths.
    fn finish(self, counts: &mut MarketCounts, large: &[(DocId, Money)]) {
        let years = &self.years.years;
        let mut new_vendors = vec![0_u64; years.len()];
        for vendor in self.vendors.iter().filter(|vendor| vendor.year != NO_YEAR) {
            new_vendors[vendor.year as usize] += 1;
        }
        let by_year = |counted: Vec<u64>| {
            let years = years.iter().copied().zip(counted);
            years.filter(|(_, vendors)| *vendors > 0).collect()
        };
        counts.with_vendor = self.with_value;
        counts.vendors_by_year = by_year(self.vendors_by_year);
        counts.new_vendors = by_year(new_vendors);
        let sum = |vendor: &Vendor| Money::from_parts(vendor.millionths, 0.0);
        let mut sums: Vec<Money> = self.vendors.iter().map(sum).collect();
        for (document, amount) in large {
            let number = self.value_of_code[self.codes.get(*document) as usize];
            if let Some(sum) = sums.get_mut(number as usize) {
                sum.add(*amount);
            }
        }
        counts.set_vendor_sums(sums);
    }
}
