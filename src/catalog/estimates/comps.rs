//! The comparables of an item, and what a bidder can learn from them.

use std::{cmp::Reverse, collections::BTreeMap};

use bytes::Bytes;
use serde_json::value::RawValue;

use super::{
    answer::{
        BidAround, Comparable, Competition, Comps, Confidence, EstimateItem, EstimateStatus, ExpiringContract,
        GuideBasis, Incumbent, Note,
    },
    caveats::caveats,
    code_match::CodeMatch,
    comparables_stats::comparables_stats,
    compared_contract::ComparedContract,
    contract_identity::vendor_key,
    estimate::status,
    item::PreparedItem,
    limits::MAX_LISTED,
    note_texts::{self, Notes},
    pool::Market,
    selection::{MIN_CONTRACTS, Selection, select_comparables},
    standing_offers::standing_offer_holders,
    text_similarity::NEAR_SAME_TEXT,
    value_distribution::ValueDistribution,
};
use crate::{
    engine::{Error, fitting},
    model::Date,
};

/// A contract that ends within this many days is about to be tendered again.
const EXPIRING_DAYS: i32 = 365;

/// Decision D-92: the share of the weight that the comparables must carry for a bid guide. On known
/// contracts, from a third on the comparables alone predict the value as well as all weighted
/// contracts; below that they predict it worse, so that the guide would not be based on what is
/// returned.
const MIN_GUIDE_WEIGHT: f64 = 1.0 / 3.0;

/// Which comparables are returned.
#[derive(Clone, Debug)]
pub struct ComparablesOptions<'a> {
    /// 1 to [`MAX_COMPARABLES`](super::limits::MAX_COMPARABLES).
    pub limit: usize,
    /// The maximum size of the records of the comparables that are returned. One is returned
    /// whatever its size.
    pub max_bytes: usize,
    /// Ids of records that are left out of comparables and statistics.
    pub exclude: &'a [String],
}

impl Market<'_> {
    /// The comparables of one item.
    pub fn comps(&self, input: &EstimateItem, options: &ComparablesOptions) -> Result<Comps, Error> {
        let Some((mut item, tender)) = PreparedItem::find(self.engine, input, &self.deadline)? else {
            return Ok(Comps::not_found(input));
        };
        let selection = select_comparables(self, &mut item, options.exclude)?;
        let distribution = ValueDistribution::of(self, &selection);
        let mut caveats = caveats(self, &item, &selection, distribution.as_ref());
        let excluded = selection.excluded;
        caveats.add_with(excluded > 0, note_texts::RECORDS_EXCLUDED, || excluded.to_string());
        let incumbent = incumbent(&item, &selection);
        caveats.add_if(incumbent.is_none(), note_texts::INCUMBENT_UNKNOWN);
        let competition = competition(&selection);
        caveats.add_if(competition.is_none(), note_texts::COMPETITION_UNKNOWN);
        let weight = selection.comparables_weight();
        let lacks_guide = distribution.is_some() && weight < MIN_GUIDE_WEIGHT;
        caveats.add_with(lacks_guide, note_texts::NO_BID_GUIDE, || {
            format!("{:.0}", weight * 100.0)
        });
        let comparables = selection.comparables();
        let first = &comparables[..comparables.len().min(options.limit)];
        let sizes = first.iter().map(|contract| contract.record.len());
        let returned = first.iter().take(fitting(sizes, options.max_bytes));
        Ok(Comps {
            input: input.clone(),
            status: status(&item, distribution.as_ref()),
            tender: tender.as_ref().map(raw).transpose()?,
            match_level: distribution.as_ref().map(|distribution| distribution.level),
            comparables: returned
                .map(|contract| comparable(&item, contract))
                .collect::<Result<_, _>>()?,
            value_stats: comparables_stats(comparables.iter().map(|contract| contract.value).collect()),
            bid_around: match &distribution {
                Some(distribution) if !lacks_guide => Some(bid_around(distribution)),
                _ => None,
            },
            incumbent,
            expiring_contracts: expiring_contracts(self, &item, &selection),
            standing_offer_holders: standing_offer_holders(self, &mut item)?,
            competition,
            caveats: caveats.0,
        })
    }
}

impl Comps {
    fn not_found(input: &EstimateItem) -> Comps {
        Comps {
            input: input.clone(),
            status: EstimateStatus::NotFound,
            tender: None,
            match_level: None,
            comparables: Vec::new(),
            value_stats: None,
            bid_around: None,
            incumbent: None,
            expiring_contracts: Vec::new(),
            standing_offer_holders: Vec::new(),
            competition: None,
            caveats: vec![note_texts::NO_SUCH_TENDER.note()],
        }
    }
}

/// A record as it is in the index, to be copied into the answer.
fn raw(record: &Bytes) -> Result<Box<RawValue>, Error> {
    let text = String::from_utf8(record.to_vec()).map_err(|e| Error::Unavailable(e.to_string()))?;
    RawValue::from_string(text).map_err(|e| Error::Unavailable(e.to_string()))
}

fn comparable(item: &PreparedItem, contract: &ComparedContract) -> Result<Comparable, Error> {
    let round = |share: f64| (share * 10_000.0).round() / 10_000.0;
    Ok(Comparable {
        entity_type: contract.entity_type,
        record: raw(&contract.record)?,
        similarity: round(contract.similarity),
        weight: round(contract.weight),
        reasons: reasons(item, contract),
    })
}

fn reasons(item: &PreparedItem, contract: &ComparedContract) -> Vec<Note> {
    let facts = &item.facts;
    let mut reasons = Notes::default();
    reasons.add_if(contract.same_buyer, note_texts::SAME_BUYER);
    if contract.similarity >= NEAR_SAME_TEXT {
        reasons.add_if(true, note_texts::NEAR_SAME_TITLE);
    } else {
        reasons.add_if(contract.has_similar_text(), note_texts::SIMILAR_TEXT);
    }
    match contract.code_match {
        CodeMatch::Code => reasons.add_if(true, note_texts::SAME_CODE),
        CodeMatch::Class => reasons.add_if(true, note_texts::SAME_CODE_CLASS),
        CodeMatch::Family => reasons.add_if(true, note_texts::SAME_CODE_FAMILY),
        CodeMatch::Segment => reasons.add_if(true, note_texts::SAME_CODE_SEGMENT),
        CodeMatch::Nothing => {}
    }
    let has_category = !facts.categories.is_empty();
    reasons.add_if(contract.same_category && has_category, note_texts::SAME_CATEGORY);
    let method = if facts.method.is_some() {
        note_texts::SAME_METHOD
    } else {
        note_texts::NO_METHOD_EITHER
    };
    reasons.add_if(contract.same_method, method);
    let terms = if facts.terms.is_some() {
        note_texts::SAME_TERMS
    } else {
        note_texts::NO_TERMS_EITHER
    };
    reasons.add_if(contract.same_terms, terms);
    reasons.add_if(
        contract.same_government_level && facts.government_level.is_some(),
        note_texts::SAME_GOVERNMENT_LEVEL,
    );
    reasons.add_if(contract.same_province, note_texts::SAME_PROVINCE);
    let merged = &contract.merged;
    reasons.add_with(!merged.is_empty(), note_texts::PUBLISHED_TWICE, || merged.join(", "));
    reasons.0
}

fn bid_around(distribution: &ValueDistribution) -> BidAround {
    let (accuracy_en, accuracy_fr) = match distribution.confidence {
        Confidence::High => (
            "Such estimates were close for known contracts.",
            "De telles estimations étaient proches pour des contrats connus.",
        ),
        Confidence::Medium => (
            "Such estimates were sometimes off by a factor of two for known contracts: check the scope.",
            "De telles estimations s'écartaient parfois du simple au double pour des contrats connus : vérifiez la portée.",
        ),
        Confidence::Low => (
            "Prices differ too much for a guide: read the comparables, and price the work itself.",
            "Les prix diffèrent trop pour servir de guide : lisez les contrats comparables et chiffrez le travail lui-même.",
        ),
    };
    BidAround {
        aggressive: distribution.quantile(0.25),
        competitive: distribution.quantile(0.45),
        conservative: distribution.quantile(0.60),
        basis: GuideBasis::ComparableContracts,
        confidence: distribution.confidence,
        note_en: format!(
            "These are awarded values with amendments, not losing offers; taxes are included or not, as each source publishes them. {accuracy_en}"
        ),
        note_fr: format!(
            "Ce sont des valeurs adjugées, modifications comprises, et non des offres perdantes; les taxes sont comprises ou non, selon chaque source. {accuracy_fr}"
        ),
    }
}

/// The vendor of the newest contract for the same need at this buyer.
fn incumbent(item: &PreparedItem, selection: &Selection) -> Option<Incumbent> {
    let contracts = selection.contracts.iter();
    let same: Vec<&ComparedContract> = contracts.filter(|contract| contract.is_same_need(item)).collect();
    let newest = same
        .iter()
        .filter(|contract| contract.vendor.is_some())
        .max_by_key(|contract| (contract.date, Reverse((contract.entity_type, &contract.id))))?;
    let vendor_name = newest.vendor.clone()?;
    let key = vendor_key(&vendor_name);
    let vendors = same.iter().filter_map(|contract| contract.vendor.as_deref());
    Some(Incumbent {
        entity_type: newest.entity_type,
        record_id: newest.id.clone(),
        award_date: Some(newest.date.to_string()),
        end_date: newest.end_date.map(|day| day.to_string()),
        value: newest.value,
        contracts: vendors.filter(|vendor| vendor_key(vendor) == key).count(),
        of_contracts: same.len(),
        vendor_name,
    })
}

fn expiring_contracts(market: &Market, item: &PreparedItem, selection: &Selection) -> Vec<ExpiringContract> {
    let (from, to) = (market.today.days(), market.today.days() + EXPIRING_DAYS);
    let is_similar = |contract: &ComparedContract| {
        contract.is_same_need(item) || contract.has_similar_text() || contract.code_match >= CodeMatch::Class
    };
    let similar = selection
        .contracts
        .iter()
        .filter(|contract| contract.same_buyer && is_similar(contract));
    let mut expiring: Vec<(Date, &ComparedContract)> = similar
        .filter_map(|contract| contract.end_date.map(|day| (day, contract)))
        .filter(|(day, _)| (from..=to).contains(&day.days()))
        .collect();
    expiring.sort_by_key(|(day, contract)| (*day, contract.entity_type, &contract.id));
    expiring
        .into_iter()
        .take(MAX_LISTED)
        .map(|(day, contract)| ExpiringContract {
            entity_type: contract.entity_type,
            record_id: contract.id.clone(),
            title: contract.title.clone(),
            vendor_name: contract.vendor.clone(),
            value: contract.value,
            end_date: day.to_string(),
        })
        .collect()
}

/// `None` with few comparables, where any vendor would be the most frequent one.
fn competition(selection: &Selection) -> Option<Competition> {
    let mut won: BTreeMap<String, usize> = BTreeMap::new();
    for contract in selection.comparables() {
        if let Some(vendor) = &contract.vendor {
            *won.entry(vendor_key(vendor)).or_default() += 1;
        }
    }
    let (count, most) = (won.values().sum::<usize>(), *won.values().max()?);
    if count < MIN_CONTRACTS || selection.level.is_none() {
        return None;
    }
    Some(Competition {
        distinct_vendors: won.len(),
        top_vendor_share: (most as f64 / count as f64 * 1000.0).round() / 1000.0,
    })
}
