//! Which bids are searched for.

use serde::Serialize;

use crate::{
    model::{EntityType, Facet, Role, bids::Procedure},
    query::{Filter, SearchQuery, text::TextQuery},
};

/// Conditions on bids; all must hold. Equal queries have equal fingerprints.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct BidQuery {
    /// On the notice, except those of a vendor, which are on the bidder's name, and [`Filter::Values`], which are on
    /// the bid's amount in dollars.
    pub(crate) filters: Vec<Filter>,
    /// What the texts of the notice contain. The names of bidders are not among them.
    pub(crate) text: Option<TextQuery>,
    pub(crate) procedure: Option<Procedure>,
    /// Whether the bid won.
    pub(crate) won: Option<bool>,
}

/// The roles whose keys a notice of the store has.
const KEY_ROLES: [Role; 5] = [
    Role::Municipality,
    Role::Department,
    Role::Category,
    Role::Commodity,
    Role::ProcurementMethod,
];

impl BidQuery {
    /// The bids on notices that pass filters.
    pub(crate) fn of_notices(filters: Vec<Filter>) -> BidQuery {
        BidQuery {
            filters,
            ..BidQuery::default()
        }
    }

    /// The bids that some names of one bidder made, by their keys.
    pub(crate) fn of_bidder(keys: Vec<String>) -> BidQuery {
        let facet = Facet::Vendor;
        BidQuery {
            filters: vec![Filter::AnyFacetValue { facet, keys }],
            ..BidQuery::default()
        }
    }

    /// The open calls that a search of tenders finds; `None` if the search asks for what the store does not hold, such
    /// as a status.
    pub(crate) fn open_calls(search: &SearchQuery) -> Option<BidQuery> {
        let is_held = |filter: &Filter| match filter {
            Filter::Term { role, .. }
            | Filter::AnyTerm { role, .. }
            | Filter::Prefix { role, .. }
            | Filter::Contains { role, .. } => KEY_ROLES.contains(role),
            Filter::Dates { role, .. } => *role == Role::Date,
            Filter::FacetValue { facet, .. } => *facet == Facet::NamedDepartment,
            Filter::AnyFacetValue { facet, .. } => *facet == Facet::Department,
            Filter::Values { .. } => false,
        };
        let is_of_tenders = search.entity_type == EntityType::Tender;
        (is_of_tenders && search.filters.iter().all(is_held)).then(|| BidQuery {
            filters: search.filters.clone(),
            text: search.text.clone(),
            procedure: Some(Procedure::Open),
            won: None,
        })
    }

    /// This query for notices of any day; `None` if it asks for no days.
    pub(crate) fn without_dates(&self) -> Option<BidQuery> {
        let mut all = self.clone();
        all.filters.retain(|filter| !matches!(filter, Filter::Dates { .. }));
        (all.filters.len() < self.filters.len()).then_some(all)
    }

    /// Whether it asks for words, or for some of the bids on a notice only.
    pub(crate) fn selects_bids_or_words(&self) -> bool {
        let is_of_bid = |filter: &Filter| {
            matches!(
                filter,
                Filter::Values { .. }
                    | Filter::Contains { role: Role::Vendor, .. }
                    | Filter::AnyFacetValue {
                        facet: Facet::Vendor,
                        ..
                    }
            )
        };
        let has_flags = self.procedure.is_some() || self.won.is_some();
        has_flags || self.text.is_some() || self.filters.iter().any(is_of_bid)
    }

    /// The keys of the bidders that it asks for, if it names them.
    pub(super) fn bidders(&self) -> Option<&[String]> {
        self.filters.iter().find_map(|filter| match filter {
            Filter::AnyFacetValue {
                facet: Facet::Vendor,
                keys,
            } => Some(keys.as_slice()),
            _ => None,
        })
    }

    /// CRC-32 of the query, which binds a cursor to it.
    pub(crate) fn fingerprint(&self) -> u32 {
        let bytes = serde_json::to_vec(&("bids", self));
        crc32fast::hash(&bytes.expect("a query of strings, numbers and dates always serializes"))
    }
}
