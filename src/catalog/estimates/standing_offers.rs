//! Suppliers with a standing offer for an item.

use std::collections::HashSet;

use bytes::Bytes;

use super::{
    answer::StandingOfferHolder,
    candidates::{MAX_CODES, term},
    code_match::{CodeMatch, code_match},
    contract_identity::vendor_key,
    item::{PreparedItem, TermWeights},
    limits::MAX_LISTED,
    pool::Market,
    purchase_facts::PurchaseFacts,
    text_similarity::{PurchaseText, SIMILAR_TEXT},
};
use crate::{
    engine::Error,
    model::{Date, EntityType, Record, Role, Schema},
    query::{Page, SearchQuery, Start},
};

/// The maximum number of standing offers that each search returns.
const MAX_OFFERS: usize = 100;

/// A standing offer that matches the item.
struct MatchingOffer {
    same_code: bool,
    similarity: f64,
    holder: StandingOfferHolder,
}

/// Suppliers with a standing offer in force for the same code or a similar text: same code first,
/// then most similar first. Each supplier once.
pub(crate) fn standing_offer_holders(
    market: &Market,
    item: &mut PreparedItem,
) -> Result<Vec<StandingOfferHolder>, Error> {
    let weights = TermWeights::of(market.engine, EntityType::StandingOffer, &item.stems, &market.deadline)?;
    let mut offers = Vec::new();
    for record in find_offers(market, item, &weights.query_terms)? {
        offers.extend(read_offer(market.today, item, &record, &weights.squared_idf));
    }
    offers.sort_by(|a, b| {
        b.same_code
            .cmp(&a.same_code)
            .then(b.similarity.total_cmp(&a.similarity))
            .then_with(|| a.holder.record_id.cmp(&b.holder.record_id))
    });
    let mut vendors = HashSet::new();
    Ok(offers
        .into_iter()
        .map(|offer| offer.holder)
        .filter(|holder| vendors.insert(vendor_key(&holder.vendor_name)))
        .take(MAX_LISTED)
        .collect())
}

fn find_offers(market: &Market, item: &PreparedItem, terms: &[String]) -> Result<Vec<Bytes>, Error> {
    let query = |filters| SearchQuery::newest(EntityType::StandingOffer, filters);
    let mut found = Vec::new();
    if !terms.is_empty() {
        let similar = market
            .engine
            .similar(&query(Vec::new()), terms, MAX_OFFERS, market.deadline.clone())?;
        found.extend(similar.into_iter().map(|similar| similar.record));
    }
    for code in item.facts.codes.iter().take(MAX_CODES) {
        let page = Page {
            limit: MAX_OFFERS,
            start: Start::Offset(0),
        };
        let of_code = query(vec![term(Role::Commodity, code)]);
        found.extend(market.engine.search(&of_code, &page, market.deadline.clone())?.records);
    }
    Ok(found)
}

/// `None` if the offer is not in force, does not match, or names no vendor.
fn read_offer(today: Date, item: &mut PreparedItem, bytes: &Bytes, squared_idf: &[f64]) -> Option<MatchingOffer> {
    let schema = Schema::of(EntityType::StandingOffer);
    let record = Record::parse(schema, bytes).ok()?;
    let facts = PurchaseFacts::of_record(&record);
    let purchase_text = PurchaseText::of_record(&record, schema, &mut item.lexicon);
    let similarity = item.text.similarity(&purchase_text, squared_idf);
    let has_equal_code = facts.codes.iter().any(|code| item.facts.codes.contains(code));
    let same_code = has_equal_code && code_match(&item.facts.codes, &facts.codes) >= CodeMatch::Class;
    let text = |fields: &[&str]| {
        let mut texts = fields.iter().filter_map(|field| record.text(field));
        texts.find(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    let expiry = text(&["expiry_date"]).and_then(|day| Date::parse_prefix(&day).ok());
    let is_awarded = record.date(Role::Date).is_none_or(|day| day <= today);
    let is_in_force = is_awarded && expiry.is_none_or(|day| day >= today);
    if !is_in_force || !(same_code || similarity >= SIMILAR_TEXT) {
        return None;
    }
    Some(MatchingOffer {
        same_code,
        similarity,
        holder: StandingOfferHolder {
            vendor_name: text(&["vendor_name", "supplier_legal_name"])?,
            record_id: record.id().to_owned(),
            agreement_number: text(&["agreement_number"]),
            description: text(&["sosa_description_en", "sosa_description_fr", "commodity_description_en"]),
            expiry_date: expiry.map(|day| day.to_string()),
        },
    })
}
