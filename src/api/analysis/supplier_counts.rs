//! Counts of vendors and departments, joined to suppliers and bodies; and the supplier of a record.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet},
};

use bytes::{BufMut, Bytes, BytesMut};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    catalog::suppliers::SupplierList,
    engine::aggregation::{Combination, FacetBuckets, Money, TermsAggregation},
    model::Facet,
};

/// A supplier or a body with the records under its names that match.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SupplierCount {
    /// A value of the filter `supplier` or `body`; of a bidder that is known by its bids alone, its name.
    pub(crate) id: String,
    /// The chosen one of its names.
    pub(crate) name: String,
    /// How many of its names the records have.
    pub(crate) names: u64,
    pub(crate) count: u64,
    pub(crate) total_value: Money,
}

/// The suppliers or bodies with most records.
#[derive(Debug, Default)]
pub(crate) struct SupplierCounts {
    pub(crate) rows: Vec<SupplierCount>,
    /// Number of all, listed or not.
    pub(crate) distinct: u64,
    /// The records of those that are not listed; one that several bodies have counts for each.
    pub(crate) other: u64,
}

/// A supplier or a body while its names are counted.
#[derive(Clone, Default)]
struct Counted {
    /// The number of the supplier in the list.
    number: Option<u32>,
    /// One of its names.
    name: String,
    names: u64,
    count: u64,
    total_value: Money,
}

/// Which of the suppliers come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    Count,
    Value,
}

/// The suppliers or bodies that names are of, while they are counted.
struct Counting<'l> {
    list: &'l SupplierList,
    /// The places in `all`, by the number in the list.
    places: HashMap<u32, usize>,
    /// The places of those that the list does not have, by name.
    unknown: HashMap<String, usize>,
    all: Vec<Counted>,
}

impl SupplierCounts {
    /// Joins the counts of all vendors. Of equal suppliers, those with more records of all kinds come first.
    pub(crate) fn of(suppliers: &SupplierList, vendors: FacetBuckets, rank: Rank, size: usize) -> SupplierCounts {
        let mut counting = Counting::new(suppliers);
        for bucket in vendors.buckets {
            let place = counting.place(&bucket.value);
            let counted = &mut counting.all[place];
            counted.names += 1;
            counted.add(bucket.count, bucket.total_value);
        }
        counting.finish(vendors.other, rank, size)
    }

    /// Joins the combinations of departments that records name. A record counts once for each body, whichever and how
    /// many of its names it has.
    pub(crate) fn of_combinations(
        bodies: &SupplierList,
        combinations: &[Combination],
        rank: Rank,
        size: usize,
    ) -> SupplierCounts {
        Counting::of_combinations(bodies, combinations).finish(0, rank, size)
    }

    /// Joins the combinations as [`SupplierCounts::of_combinations`] does, of the bodies that buy ([`buying_bodies`]).
    pub(crate) fn of_buying(
        bodies: &SupplierList,
        combinations: &[Combination],
        rank: Rank,
        size: usize,
    ) -> SupplierCounts {
        let mut counting = Counting::of_combinations(bodies, combinations);
        let buying = counting.buying(combinations);
        let all = std::mem::take(&mut counting.all).into_iter().enumerate();
        counting.all = all
            .filter(|(place, _)| buying.contains(place))
            .map(|(_, of)| of)
            .collect();
        counting.finish(0, rank, size)
    }
}

/// What buyers are counted by: all names of a body together, or each name for itself.
pub(crate) const fn buyers_facet(by_name: bool) -> Facet {
    if by_name { Facet::NamedDepartment } else { Facet::Body }
}

/// How many bodies buy: without the divisions that records name next to their city, or those for whom another one
/// buys. Such a body is, in all of its records, next to one with more of them.
pub(crate) fn buying_bodies(bodies: &SupplierList, combinations: &[Combination]) -> u64 {
    Counting::of_combinations(bodies, combinations)
        .buying(combinations)
        .len() as u64
}

impl Counted {
    fn add(&mut self, count: u64, total_value: Money) {
        self.count += count;
        self.total_value.add(total_value);
    }
}

impl Counting<'_> {
    fn new(list: &SupplierList) -> Counting<'_> {
        Counting {
            list,
            places: HashMap::new(),
            unknown: HashMap::new(),
            all: Vec::new(),
        }
    }

    fn of_combinations<'l>(list: &'l SupplierList, combinations: &[Combination]) -> Counting<'l> {
        let mut counting = Counting::new(list);
        let mut seen: HashSet<&str> = HashSet::new();
        for combination in combinations {
            let mut places = BTreeSet::new();
            for name in &combination.values {
                let place = counting.place(name);
                places.insert(place);
                if seen.insert(name) {
                    counting.all[place].names += 1;
                }
            }
            for place in places {
                counting.all[place].add(combination.count, combination.total_value);
            }
        }
        counting
    }

    /// The places of the bodies that buy, of those that were counted.
    fn buying(&mut self, combinations: &[Combination]) -> HashSet<usize> {
        // For each body those that all of its records name.
        let mut next_to: HashMap<usize, BTreeSet<usize>> = HashMap::new();
        for combination in combinations {
            let places: BTreeSet<usize> = combination.values.iter().map(|name| self.place(name)).collect();
            for place in &places {
                let shared = next_to.entry(*place).or_insert_with(|| places.clone());
                shared.retain(|other| places.contains(other));
            }
        }
        let rank = |place: &usize| (self.all[*place].count, Reverse(*place));
        let buys = |(place, shared): &(usize, BTreeSet<usize>)| shared.iter().all(|other| rank(other) <= rank(place));
        next_to.into_iter().filter(buys).map(|(place, _)| place).collect()
    }

    /// The place of what a name is of.
    fn place(&mut self, name: &str) -> usize {
        let (number, next) = (self.list.find_name(name), self.all.len());
        let place = match number {
            Some(number) => *self.places.entry(number).or_insert(next),
            None => *self.unknown.entry(name.to_owned()).or_insert(next),
        };
        if place == next {
            self.all.push(Counted {
                number,
                name: name.to_owned(),
                ..Counted::default()
            });
        }
        place
    }

    /// `other` are records of names that were not counted one by one.
    fn finish(self, other: u64, rank: Rank, size: usize) -> SupplierCounts {
        let mut all = self.all;
        let value = |of: &Counted| {
            if rank == Rank::Value {
                of.total_value.dollars()
            } else {
                0.0
            }
        };
        all.sort_by(|a, b| {
            let by_value = value(b).total_cmp(&value(a));
            let by_count = by_value.then_with(|| b.count.cmp(&a.count));
            by_count.then_with(|| (a.number.is_none(), a.number, &a.name).cmp(&(b.number.is_none(), b.number, &b.name)))
        });
        let distinct = all.len() as u64;
        let rest = all.split_off(all.len().min(size));
        SupplierCounts {
            rows: all.into_iter().map(|counted| row(self.list, counted)).collect(),
            distinct,
            other: other + rest.iter().map(|counted| counted.count).sum::<u64>(),
        }
    }
}

fn row(suppliers: &SupplierList, counted: Counted) -> SupplierCount {
    let supplier = counted.number.and_then(|number| suppliers.get(number));
    let (id, name) = match supplier {
        Some(supplier) => (supplier.id, supplier.name),
        None => (counted.name.clone(), counted.name),
    };
    SupplierCount {
        id,
        name,
        names: counted.names,
        count: counted.count,
        total_value: counted.total_value,
    }
}

/// Makes an aggregation count all vendors. Returns how many of them were asked for.
pub(crate) fn count_all_vendors(terms: &mut Vec<TermsAggregation>) -> usize {
    match terms.iter_mut().find(|terms| terms.facet == Facet::Vendor) {
        Some(vendors) => std::mem::replace(&mut vendors.size, usize::MAX),
        None => {
            terms.push(TermsAggregation::all(Facet::Vendor));
            0
        }
    }
}

/// The vendor of a record.
#[derive(Deserialize)]
struct Vendor {
    vendor_name: Option<String>,
}

/// A record with the member `supplier`: its supplier, or null if it names no vendor. The other members are the bytes
/// that it was indexed from.
pub(crate) fn with_supplier(suppliers: &SupplierList, record: &Bytes) -> Bytes {
    let vendor = serde_json::from_slice(record)
        .ok()
        .and_then(|Vendor { vendor_name }| vendor_name);
    let vendor = vendor.filter(|name| !name.trim().is_empty());
    let supplier = vendor.and_then(|name| suppliers.with_name(&name));
    let supplier = supplier.map(|supplier| json!({"id": supplier.id, "name": supplier.name}));
    let Some(members) = record.trim_ascii_end().strip_suffix(b"}") else {
        // No index has such a record.
        return record.clone();
    };
    let mut written = BytesMut::with_capacity(record.len() + 96);
    written.put_slice(members);
    // A record has at least its `record_id`.
    written.put_slice(b",\"supplier\":");
    written.put_slice(json!(supplier).to_string().as_bytes());
    written.put_u8(b'}');
    written.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::suppliers::Party;
    use crate::engine::aggregation::FacetBucket;

    #[test]
    fn names_of_no_known_supplier_are_counted_for_themselves() {
        let bucket = |name: &str, count: u64, value: f64| FacetBucket {
            value: name.to_owned(),
            count,
            total_value: Money::of(value),
        };
        let vendors = FacetBuckets {
            buckets: vec![bucket("A", 3, 1.0), bucket("B", 2, 5.0), bucket("C", 1, 2.0)],
            distinct: 4,
            other: 7,
        };
        let list = SupplierList::parse(Party::Supplier, Bytes::new()).unwrap();
        let names = |rank| -> (Vec<String>, u64, u64) {
            let counts = SupplierCounts::of(&list, vendors.clone(), rank, 2);
            let names = counts.rows.into_iter().map(|row| row.name).collect();
            (names, counts.distinct, counts.other)
        };
        assert_eq!(names(Rank::Count), (vec!["A".to_owned(), "B".to_owned()], 3, 8));
        assert_eq!(names(Rank::Value), (vec!["B".to_owned(), "C".to_owned()], 3, 10));
    }

    #[test]
    fn a_record_counts_once_for_each_body() {
        let combination = |values: &[&str], count: u64| Combination {
            values: values.iter().map(|name| (*name).to_owned()).collect(),
            count,
            total_value: Money::of(count as f64),
        };
        let combinations = [
            combination(&["A"], 1),
            combination(&["A", "B"], 2),
            combination(&["B", "C"], 4),
        ];
        let list = SupplierList::parse(Party::Body, Bytes::new()).unwrap();
        let counts = SupplierCounts::of_combinations(&list, &combinations, Rank::Count, 2);
        let rows: Vec<(&str, u64, u64)> = counts
            .rows
            .iter()
            .map(|row| (&*row.name, row.names, row.count))
            .collect();
        assert_eq!(rows, [("B", 1, 6), ("C", 1, 4)]);
        assert_eq!((counts.distinct, counts.other), (3, 3));
        // C is always next to B.
        assert_eq!(buying_bodies(&list, &combinations), 2);
        assert_eq!(buying_bodies(&list, &combinations[2..]), 1);
        let rows = SupplierCounts::of_buying(&list, &combinations, Rank::Count, 9).rows;
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert_eq!(buying_bodies(&list, &[]), 0);
    }

    #[test]
    fn a_record_keeps_its_bytes() {
        let list = SupplierList::parse(Party::Supplier, Bytes::new()).unwrap();
        let record = Bytes::from_static(b"{\"record_id\": \"1\", \"vendor_name\":\"A\" }");
        let written = with_supplier(&list, &record);
        assert_eq!(
            written,
            &b"{\"record_id\": \"1\", \"vendor_name\":\"A\" ,\"supplier\":null}"[..]
        );
    }
}
