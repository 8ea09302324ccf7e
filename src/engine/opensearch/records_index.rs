//! The index of one entity type, as the engine knows it: its name, its size, the values of its facets,
//! and its words.

use super::{
    build_totals::RecordSummary,
    facet_codes::FacetTable,
    names_file::{LongKeys, Names},
    vocabulary::Vocabulary,
};
use crate::{
    engine::{departments::Departments, facet_values::FacetValues, page_size::MAX_PAGE_BYTES},
    model::{EntityType, Facet, Role},
};

/// The maximum size of the records of one response. Real records of a page have a tenth.
const MAX_RESPONSE_BYTES: u64 = 64 << 20;

/// The size of a hit without its record: its sort values and the size of the record.
const MAX_HIT_BYTES: u64 = 2_000;

/// Everything that a search needs of an entity type that has records.
pub(crate) struct RecordsIndex {
    pub(crate) entity_type: EntityType,
    /// The name of the index, never of an alias: a request sees one generation.
    pub(crate) name: String,
    pub(crate) records: u64,
    /// Bytes of the JSON of the largest record, and of all records.
    max_record_bytes: u64,
    bytes: u64,
    /// The values of all facets that some record has.
    facets: Vec<(Facet, FacetValues)>,
    long_keys: LongKeys,
    pub(crate) vocabulary: Vocabulary,
}

/// The departments of all entity types, from the facets of each.
pub(crate) fn departments<'a>(tables: impl Iterator<Item = &'a FacetTable> + Clone) -> Departments {
    let departments = tables.filter(|table| table.facet == Facet::Department);
    let entries = departments.flat_map(|table| {
        let entries = table.entries.iter().map(Vec::as_slice);
        entries.zip(table.sums.iter().map(|sum| sum.count))
    });
    Departments::new(entries)
}

impl RecordsIndex {
    pub(crate) fn new(
        entity_type: EntityType,
        name: String,
        summary: &RecordSummary,
        names: Names,
        departments: &Departments,
    ) -> RecordsIndex {
        let facets = names.facets.iter().map(|table| {
            let values_of = |entry: &[String]| departments.values_of_entry(table.facet, entry);
            (table.facet, FacetValues::new(&table.entries, &table.sums, values_of))
        });
        RecordsIndex {
            entity_type,
            name,
            records: summary.records,
            max_record_bytes: summary.max_record_bytes,
            bytes: summary.bytes,
            facets: facets.collect(),
            long_keys: names.long_keys,
            vocabulary: Vocabulary::new(names.vocabulary),
        }
    }

    /// Whether one search may return so many records. Otherwise it returns their sizes first, so that
    /// no response is much larger than a page.
    pub(crate) fn fits_one_response(&self, records: usize) -> bool {
        let records = records as u64;
        let usual = (self.bytes / self.records.max(1)).saturating_mul(records);
        let worst = self.max_record_bytes.saturating_mul(records);
        usual <= MAX_PAGE_BYTES as u64 && worst <= MAX_RESPONSE_BYTES
    }

    /// The maximum size of a response with so many records, or with their sizes only.
    pub(crate) fn max_response_bytes(&self, records: usize) -> u64 {
        let of_record = if self.fits_one_response(records) {
            self.max_record_bytes
        } else {
            MAX_HIT_BYTES
        };
        (records as u64).saturating_mul(of_record.saturating_add(MAX_HIT_BYTES))
    }

    /// The keys of a role that contain a part that is too long for a pattern.
    pub(crate) fn keys_with_long_part(&self, role: Role, part: &str) -> Vec<String> {
        let keys = self.long_keys.get(role.name()).into_iter().flatten();
        keys.filter(|key| key.contains(part)).cloned().collect()
    }

    /// The number of the codes of a facet.
    pub(crate) fn codes(&self, facet: Facet) -> usize {
        self.values(facet).map_or(0, FacetValues::code_count)
    }

    /// The values of a facet; `None` where no record has any.
    pub(crate) fn values(&self, facet: Facet) -> Option<&FacetValues> {
        let found = self.facets.iter().find(|(known, _)| *known == facet);
        found.map(|(_, values)| values)
    }
}
