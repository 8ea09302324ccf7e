//! Counts of vendors, joined to suppliers; and the supplier of a record.

use std::collections::HashMap;

use bytes::{BufMut, Bytes, BytesMut};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    catalog::suppliers::SupplierList,
    engine::aggregation::{FacetBuckets, Money, TermsAggregation},
    model::Facet,
};

/// A supplier with the records under its names that match.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SupplierCount {
    /// A value of the filter `supplier`; of a bidder that is known by its bids alone, its name.
    pub(crate) id: String,
    /// The commonest of its names.
    pub(crate) name: String,
    /// How many names of the supplier the records have.
    pub(crate) names: u64,
    pub(crate) count: u64,
    pub(crate) total_value: Money,
}

/// The suppliers with most records.
#[derive(Debug, Default)]
pub(crate) struct SupplierCounts {
    pub(crate) rows: Vec<SupplierCount>,
    /// Number of suppliers, listed or not.
    pub(crate) distinct: u64,
    /// The records of those that are not listed.
    pub(crate) other: u64,
}

/// A supplier while its names are counted.
#[derive(Clone, Default)]
struct Counted {
    /// Its number in the list of suppliers.
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

impl SupplierCounts {
    /// Joins the counts of all vendors. Of equal suppliers, those with more records of all kinds come first.
    pub(crate) fn of(suppliers: &SupplierList, vendors: FacetBuckets, rank: Rank, size: usize) -> SupplierCounts {
        let mut places: HashMap<u32, usize> = HashMap::new();
        let mut all: Vec<Counted> = Vec::new();
        for bucket in vendors.buckets {
            let number = suppliers.find_name(&bucket.value);
            let place = number.map_or(all.len(), |number| *places.entry(number).or_insert(all.len()));
            if place == all.len() {
                all.push(Counted {
                    number,
                    name: bucket.value,
                    ..Counted::default()
                });
            }
            let counted = &mut all[place];
            counted.names += 1;
            counted.count += bucket.count;
            counted.total_value.add(bucket.total_value);
        }
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
            rows: all.into_iter().map(|counted| row(suppliers, counted)).collect(),
            distinct,
            other: vendors.other + rest.iter().map(|counted| counted.count).sum::<u64>(),
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
