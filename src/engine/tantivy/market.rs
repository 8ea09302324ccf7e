//! What the figures about a market are computed from, over all matches: one pass over the columns of
//! vendors, years, bids and amounts, block by block. Several threads share the blocks of many matches.

use tantivy::DocId;

use super::{
    amounts::BlockAmounts,
    columns::{DollarColumn, ValueColumn},
    compiled_query::CompiledQuery,
    counting::CodeCounts,
    entity_index::EntityIndex,
    facet_columns::Codes,
    match_blocks::tallied,
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

/// The value of a code without one, and the year of one without.
const NONE: u32 = u32::MAX;

pub(crate) fn market(index: &EntityIndex, query: &CompiledQuery) -> Result<MarketCounts, Error> {
    query.check()?;
    let columns = Columns::of(index);
    let tally = tallied(query, || Tally::new(&columns), Tally::add, Tally::merged)?;
    Ok(tally.finish())
}

/// The columns that are read, with what is known of their codes. An entity type may lack any of them.
struct Columns<'a> {
    amounts: Option<(&'a DollarColumn, &'a ValueColumn)>,
    original: Option<&'a ValueColumn>,
    vendors: Option<VendorColumn<'a>>,
    years: Years<'a>,
    bids: Option<(&'a Codes, &'a FacetValues)>,
}

struct VendorColumn<'a> {
    codes: &'a Codes,
    value_of_code: Vec<u32>,
    values: usize,
}

/// The years of the records, numbered.
#[derive(Default)]
struct Years<'a> {
    codes: Option<&'a Codes>,
    /// For each code the number of its year, or [`NONE`].
    of_code: Vec<u32>,
    /// By number, in ascending order.
    years: Vec<i32>,
}

impl<'a> Columns<'a> {
    fn of(index: &'a EntityIndex) -> Columns<'a> {
        let vendors = index.facet(Facet::Vendor).map(|(codes, values)| {
            let all = 0..values.code_count() as u32;
            VendorColumn {
                codes,
                value_of_code: all
                    .map(|code| values.values_of_code(code).first().unwrap_or(NONE))
                    .collect(),
                values: values.len(),
            }
        });
        Columns {
            amounts: index.dollars.as_ref().zip(index.value.as_ref()),
            original: index.original_value.as_ref(),
            years: index.facet(Facet::Year).map_or_else(Years::default, Years::of),
            vendors,
            bids: index.facet(Facet::Bids),
        }
    }
}

impl<'a> Years<'a> {
    fn of((codes, values): (&'a Codes, &FacetValues)) -> Years<'a> {
        let all = 0..values.code_count() as u32;
        let year = |code: u32| values.name(values.values_of_code(code).first()?).parse().ok();
        let of_code: Vec<Option<i32>> = all.map(year).collect();
        let mut years: Vec<i32> = of_code.iter().flatten().copied().collect();
        years.sort_unstable();
        years.dedup();
        let number = |year: Option<i32>| year.and_then(|year| years.binary_search(&year).ok());
        Years {
            codes: Some(codes),
            of_code: of_code
                .into_iter()
                .map(|year| number(year).map_or(NONE, |number| number as u32))
                .collect(),
            years,
        }
    }

    /// The number of the year, or [`NONE`].
    #[inline]
    fn of_document(&self, document: DocId) -> u32 {
        self.codes
            .map_or(NONE, |codes| self.of_code[codes.get(document) as usize])
    }
}

/// What one thread counts.
struct Tally<'c> {
    columns: &'c Columns<'c>,
    amounts: BlockAmounts,
    growth: Growth,
    /// The values before amendments and after them that a float adds, whose sum depends on their order.
    large_growth: Vec<(DocId, [Money; 2])>,
    vendors: Option<VendorTally>,
    bids: Option<CodeCounts>,
}

/// What is counted by vendor: by the number of the value.
struct VendorTally {
    /// The sums of the amounts that fit into millionths.
    millionths: Vec<i128>,
    /// [`words_of`] the years for each vendor: a bit for each year of a record.
    years: Vec<u64>,
    /// The number of records that name a vendor and state a value.
    with_value: u64,
}

/// How many words have a bit for each year.
fn words_of(years: &Years) -> usize {
    years.years.len().div_ceil(u64::BITS as usize)
}

impl<'c> Tally<'c> {
    fn new(columns: &'c Columns<'c>) -> Tally<'c> {
        let vendors = columns.vendors.as_ref().map(|vendors| VendorTally {
            millionths: vec![0; vendors.values],
            years: vec![0; vendors.values * words_of(&columns.years)],
            with_value: 0,
        });
        Tally {
            columns,
            amounts: BlockAmounts::default(),
            growth: Growth::default(),
            large_growth: Vec::new(),
            vendors,
            bids: columns.bids.map(|(_, values)| CodeCounts::new(values.code_count())),
        }
    }

    fn add(&mut self, block: &[DocId]) {
        if let Some((dollars, values)) = self.columns.amounts {
            self.amounts.read_dollars(block, dollars, values);
            if let Some(original) = self.columns.original {
                self.add_growth(block, original, (dollars, values));
            }
        }
        if let (Some(tally), Some(vendors)) = (&mut self.vendors, &self.columns.vendors) {
            let amounts = self.columns.amounts.map(|_| &self.amounts);
            tally.add(block, vendors, &self.columns.years, amounts);
        }
        if let (Some(bids), Some((codes, _))) = (&mut self.bids, self.columns.bids) {
            bids.add(codes, block);
        }
    }

    /// Over the amounts of the same records. One without an amount in Canadian dollars does not count.
    fn add_growth(
        &mut self,
        block: &[DocId],
        original: &ValueColumn,
        (dollars, values): (&DollarColumn, &ValueColumn),
    ) {
        for document in block {
            if let Some(original) = original.get(*document)
                && let Some(current) = dollars.money(*document, values)
            {
                let both = [Money::of(original), current];
                self.growth.records += 1;
                if both.iter().any(|amount| amount.parts().1 != 0.0) {
                    self.large_growth.push((*document, both));
                } else {
                    self.growth.add(both);
                }
            }
        }
    }

    /// Adds what another thread counted.
    fn merged(mut self, other: Tally) -> Self {
        self.amounts.merge(other.amounts);
        self.growth.records += other.growth.records;
        self.growth.add([other.growth.original, other.growth.current]);
        self.large_growth.extend(other.large_growth);
        if let (Some(vendors), Some(more)) = (&mut self.vendors, other.vendors) {
            vendors.merge(&more);
        }
        if let (Some(bids), Some(more)) = (&mut self.bids, &other.bids) {
            bids.merge(more);
        }
        self
    }

    fn finish(mut self) -> MarketCounts {
        self.large_growth.sort_unstable_by_key(|(document, _)| *document);
        self.large_growth.iter().for_each(|(_, both)| self.growth.add(*both));
        let mut counts = MarketCounts {
            growth: self.growth,
            ..MarketCounts::default()
        };
        if let (Some(tally), Some(vendors)) = (self.vendors, &self.columns.vendors) {
            tally.finish(&mut counts, vendors, &self.columns.years, &self.amounts.into_large());
        }
        if let (Some(bids), Some((_, values))) = (self.bids, self.columns.bids) {
            for (code, records) in (0u32..).zip(bids.into_totals()).filter(|(_, records)| *records > 0) {
                for value in values.values_of_code(code).iter() {
                    counts.add_bids(values.name(value), records.into());
                }
            }
        }
        counts
    }
}

impl VendorTally {
    /// `amounts` are those of the block.
    fn add(&mut self, block: &[DocId], column: &VendorColumn, years: &Years, amounts: Option<&BlockAmounts>) {
        let words = words_of(years);
        let mut amounts = amounts.map(|amounts| amounts.millionths().iter().zip(amounts.presence()));
        for document in block {
            let amount = amounts.as_mut().and_then(Iterator::next);
            let vendor = column.value_of_code[column.codes.get(*document) as usize] as usize;
            let Some(sum) = self.millionths.get_mut(vendor) else {
                continue;
            };
            if let Some((millionths, is_present)) = amount {
                self.with_value += u64::from(is_present);
                *sum += i128::from(*millionths);
            }
            let year = years.of_document(*document);
            if year != NONE {
                self.years[vendor * words + (year / u64::BITS) as usize] |= 1 << (year % u64::BITS);
            }
        }
    }

    fn merge(&mut self, other: &VendorTally) {
        self.with_value += other.with_value;
        let sums = self.millionths.iter_mut().zip(&other.millionths);
        sums.for_each(|(sum, more)| *sum += more);
        let years = self.years.iter_mut().zip(&other.years);
        years.for_each(|(years, more)| *years |= more);
    }

    /// A vendor is new in its first year. `large` are the amounts that do not fit into millionths.
    fn finish(self, counts: &mut MarketCounts, column: &VendorColumn, years: &Years, large: &[(DocId, Money)]) {
        let mut vendors_by_year = vec![0_u64; years.years.len()];
        let mut new_vendors = vec![0_u64; years.years.len()];
        for of_vendor in self.years.chunks_exact(words_of(years).max(1)) {
            let mut is_new = true;
            for (first, mut bits) in (0..).step_by(u64::BITS as usize).zip(of_vendor.iter().copied()) {
                while bits != 0 {
                    let year: usize = first + bits.trailing_zeros() as usize;
                    vendors_by_year[year] += 1;
                    new_vendors[year] += u64::from(is_new);
                    (is_new, bits) = (false, bits & (bits - 1));
                }
            }
        }
        let by_year = |counted: Vec<u64>| {
            let years = years.years.iter().copied().zip(counted);
            years.filter(|(_, vendors)| *vendors > 0).collect()
        };
        counts.with_vendor = self.with_value;
        counts.vendors_by_year = by_year(vendors_by_year);
        counts.new_vendors = by_year(new_vendors);
        let sums = self.millionths.into_iter();
        let mut sums: Vec<Money> = sums.map(|millionths| Money::from_parts(millionths, 0.0)).collect();
        for (document, amount) in large {
            let vendor = column.value_of_code[column.codes.get(*document) as usize];
            if let Some(sum) = sums.get_mut(vendor as usize) {
                sum.add(*amount);
            }
        }
        counts.set_vendor_sums(sums);
    }
}
