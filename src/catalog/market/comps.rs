//! The comparables of one item, and what a bidder reads from them.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::{
    catalog::market::{
        Market, Show,
        answer::{
            Asked, Basis, BidAround, Bucket, Comparable, Competition, Comps, Confidence, ExpiringContract, Incumbent,
            Note, StandingOfferHolder, Status, ValueStats,
        },
        estimate::{Outlook, caveats, status},
        facts::{Facts, Shared, shared},
        item::{Item, Words},
        ladder::{FEWEST, Ladder, MOST_CODES, term},
        notes,
        pool::{ALIKE, NEAR_SAME, Row, vendor_key},
        words::Subject,
    },
    engine::{Error, aggregation::nearest_rank},
    model::{
        date::Date,
        entity_type::EntityType,
        record::Record,
        schema::{Role, Schema},
    },
    query::{Page, SearchQuery, Start},
};

/// Contracts that end within so many days are about to be bought again.
const SOON: i32 = 365;

/// Spec silent: which share of the weight the comparables must carry for a guide to be theirs. Of known contracts, from a third on they alone tell the
/// value as well as all that is weighed; below that, worse, so that what would be told is not what is shown.
const GUIDING: f64 = 1.0 / 3.0;

/// The most expiring contracts and standing offers shown.
const MOST: usize = 20;

/// How many standing offers are looked at.
const OFFERS: usize = 100;

impl Market<'_> {
    pub(super) fn comps_one(&self, asked: &Asked, show: &Show) -> Result<Comps, Error> {
        let Some((mut item, tender)) = Item::find(self.engine, asked)? else {
            return Ok(Comps {
                status: Status::NotFound,
                caveats: vec![notes::NO_TENDER.note()],
                ..Comps::nothing(asked)
            });
        };
        let ladder = Ladder::climb(self, &mut item, show.exclude)?;
        let outlook = Outlook::of(self, &ladder);
        let mut caveats = caveats(self, &item, &ladder, outlook.as_ref());
        let mut unless = |is_known: bool, note: Note| {
            if !is_known {
                caveats.push(note);
            }
        };
        unless(ladder.excluded == 0, notes::EXCLUDED.with(&ladder.excluded.to_string()));
        let incumbent = incumbent(&item, &ladder);
        unless(incumbent.is_some(), notes::NO_INCUMBENT.note());
        let competition = competition(&ladder);
        unless(competition.is_some(), notes::VENDORS_UNKNOWN.note());
        let guide = outlook.as_ref().filter(|_| ladder.carried() >= GUIDING);
        let carried = format!("{:.0}", ladder.carried() * 100.0);
        unless(outlook.is_none() || guide.is_some(), notes::NO_GUIDE.with(&carried));
        let shown = ladder.comparables().iter().take(show.limit);
        Ok(Comps {
            status: status(&item, outlook.as_ref()),
            tender: tender.as_ref().map(raw).transpose()?,
            match_level: outlook.as_ref().map(|outlook| outlook.level),
            comparables: shown.map(|row| comparable(&item, row)).collect::<Result<_, _>>()?,
            value_stats: value_stats(&ladder),
            bid_around: guide.map(bid_around),
            incumbent,
            expiring_contracts: expiring(self, &item, &ladder),
            standing_offer_holders: standing_offers(self, &mut item)?,
            competition,
            caveats,
            ..Comps::nothing(asked)
        })
    }
}

impl Comps {
    fn nothing(asked: &Asked) -> Comps {
        Comps {
            input: asked.clone(),
            status: Status::InsufficientData,
            tender: None,
            match_level: None,
            comparables: Vec::new(),
            value_stats: None,
            bid_around: None,
            incumbent: None,
            expiring_contracts: Vec::new(),
            standing_offer_holders: Vec::new(),
            competition: None,
            caveats: Vec::new(),
        }
    }
}

/// A record as it lies in the index, to be spliced into the answer.
fn raw(record: &Bytes) -> Result<Box<RawValue>, Error> {
    let text = String::from_utf8(record.to_vec()).map_err(|e| Error::Unavailable(e.to_string()))?;
    RawValue::from_string(text).map_err(|e| Error::Unavailable(e.to_string()))
}

fn comparable(item: &Item, row: &Row) -> Result<Comparable, Error> {
    let round = |share: f64| (share * 10_000.0).round() / 10_000.0;
    Ok(Comparable {
        record: raw(&row.record)?,
        similarity: round(row.similarity),
        weight: round(row.weight),
        reasons: reasons(item, row),
    })
}

fn reasons(item: &Item, row: &Row) -> Vec<Note> {
    let alike = match row.similarity {
        similarity if similarity >= NEAR_SAME => Some(notes::NEAR_SAME_TITLE),
        similarity if similarity >= ALIKE => Some(notes::SIMILAR_TEXT),
        _ => None,
    };
    let code = match row.shared {
        Shared::Code => Some(notes::SAME_CODE),
        Shared::Class => Some(notes::SAME_CLASS),
        Shared::Family => Some(notes::SAME_FAMILY),
        Shared::Segment => Some(notes::SAME_SEGMENT),
        Shared::Nothing => None,
    };
    let facts = &item.facts;
    let told = [
        row.same_buyer.then_some(notes::SAME_BUYER),
        alike,
        code,
        (row.same_category && !facts.categories.is_empty()).then_some(notes::SAME_CATEGORY),
        (row.same_method && facts.method.is_some()).then_some(notes::SAME_METHOD),
        (row.same_method && facts.method.is_none()).then_some(notes::NO_METHOD),
        (row.same_terms && facts.terms.is_some()).then_some(notes::SAME_TERMS),
        (row.same_terms && facts.terms.is_none()).then_some(notes::NO_TERMS),
        (row.same_level && facts.level.is_some()).then_some(notes::SAME_LEVEL),
        row.same_province.then_some(notes::SAME_PROVINCE),
    ];
    let told = told.into_iter().flatten().map(|sentence| sentence.note());
    let twice = (!row.merged.is_empty()).then(|| notes::PUBLISHED_TWICE.with(&row.merged.join(", ")));
    told.chain(twice).collect()
}

fn value_stats(ladder: &Ladder) -> Option<ValueStats> {
    let mut values: Vec<f64> = ladder.comparables().iter().map(|row| row.value).collect();
    values.sort_by(f64::total_cmp);
    let (min, max) = (*values.first()?, *values.last()?);
    let at = |percent: usize| values.get(nearest_rank(percent, values.len())).copied().unwrap_or(max);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    Some(ValueStats {
        count: values.len(),
        mean: (mean * 100.0).round() / 100.0,
        min,
        max,
        p10: at(10),
        p25: at(25),
        p50: at(50),
        p75: at(75),
        p90: at(90),
        histogram: histogram(&values),
    })
}

/// Three buckets to each power of ten, the empty ones between the first and the last included.
fn histogram(values: &[f64]) -> Vec<Bucket> {
    const STEPS: [f64; 3] = [1.0, 2.0, 5.0];
    let bound = |n: i32| STEPS[n.rem_euclid(3) as usize] * 10f64.powi(n.div_euclid(3));
    let place = |value: f64| {
        let near = value.log10().floor() as i32 * 3;
        (near - 1..=near + 4).rev().find(|n| bound(*n) <= value).unwrap_or(near)
    };
    let mut counts: BTreeMap<i32, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(place(*value)).or_default() += 1;
    }
    let (Some(first), Some(last)) = (counts.keys().next().copied(), counts.keys().last().copied()) else {
        return Vec::new();
    };
    let bucket = |n: i32| Bucket {
        low: bound(n),
        high: bound(n + 1),
        count: counts.get(&n).copied().unwrap_or(0),
    };
    (first..=last).map(bucket).collect()
}

fn bid_around(outlook: &Outlook) -> BidAround {
    let (sure_en, sure_fr) = match outlook.confidence {
        Confidence::High => (
            "Such estimates were close for known contracts.",
            "De telles estimations étaient proches pour des contrats connus.",
        ),
        Confidence::Medium => (
            "For known contracts such estimates were off by a factor of two at times: check the scope.",
            "Pour des contrats connus, de telles estimations s'écartaient parfois du simple au double : vérifiez la portée.",
        ),
        Confidence::Low => (
            "Prices differ too much for a guide: read the comparables, and price the work itself.",
            "Les prix diffèrent trop pour servir de guide : lisez les contrats comparables et chiffrez le travail lui-même.",
        ),
    };
    BidAround {
        aggressive: outlook.at(0.25),
        competitive: outlook.at(0.45),
        conservative: outlook.at(0.60),
        basis: Basis::ComparableContracts,
        confidence: outlook.confidence,
        note_en: format!(
            "Awarded values, amendments included, not offers that lost; taxes as each source has them. {sure_en}"
        ),
        note_fr: format!(
            "Valeurs adjugées, modifications comprises, et non les offres perdantes; taxes selon chaque source. {sure_fr}"
        ),
    }
}

fn incumbent(item: &Item, ladder: &Ladder) -> Option<Incumbent> {
    let same: Vec<&Row> = ladder.rows.iter().filter(|row| row.is_same_need(item)).collect();
    let newest = same
        .iter()
        .filter(|row| row.vendor.is_some())
        .max_by_key(|row| (row.date, Reverse((row.entity_type, &row.id))))?;
    let name = newest.vendor.clone()?;
    let key = vendor_key(&name);
    let is_its = |row: &&&Row| row.vendor.as_deref().map(vendor_key).as_ref() == Some(&key);
    Some(Incumbent {
        record_id: newest.id.clone(),
        award_date: Some(newest.date.to_string()),
        end_date: newest.end_date.map(|day| day.to_string()),
        value: newest.value,
        contracts: same.iter().filter(is_its).count(),
        of_contracts: same.len(),
        vendor_name: name,
    })
}

fn expiring(market: &Market, item: &Item, ladder: &Ladder) -> Vec<ExpiringContract> {
    let (from, to) = (market.today.days(), market.today.days() + SOON);
    let is_like = |row: &Row| row.is_same_need(item) || row.similarity >= ALIKE || row.shared >= Shared::Class;
    let soon = ladder.rows.iter().filter(|row| row.same_buyer && is_like(row));
    let mut soon: Vec<(Date, &Row)> = soon
        .filter_map(|row| row.end_date.map(|day| (day, row)))
        .filter(|(day, _)| (from..=to).contains(&day.days()))
        .collect();
    soon.sort_by(|a, b| (a.0, a.1.entity_type, &a.1.id).cmp(&(b.0, b.1.entity_type, &b.1.id)));
    let shown = soon.into_iter().take(MOST);
    shown
        .map(|(day, row)| ExpiringContract {
            record_id: row.id.clone(),
            title: row.title.clone(),
            vendor_name: row.vendor.clone(),
            value: row.value,
            end_date: day.to_string(),
        })
        .collect()
}

/// Of a handful of comparables nothing is said: with few, everybody is the top vendor.
fn competition(ladder: &Ladder) -> Option<Competition> {
    let mut won: BTreeMap<String, usize> = BTreeMap::new();
    for vendor in ladder.comparables().iter().filter_map(|row| row.vendor.as_deref()) {
        *won.entry(vendor_key(vendor)).or_default() += 1;
    }
    let (count, most) = (won.values().sum::<usize>(), *won.values().max()?);
    (count >= FEWEST && ladder.level.is_some()).then(|| Competition {
        distinct_vendors: won.len(),
        top_vendor_share: (most as f64 / count as f64 * 1000.0).round() / 1000.0,
    })
}

/// Suppliers with a standing offer in force for the same code or in like words, the likest first, each once.
fn standing_offers(market: &Market, item: &mut Item) -> Result<Vec<StandingOfferHolder>, Error> {
    let kind = EntityType::StandingOffer;
    let words = Words::of(market.engine, kind, &item.stems)?;
    let mut found = Vec::new();
    if !words.sought.is_empty() {
        let like = SearchQuery::newest(kind, Vec::new());
        let similar = market
            .engine
            .similar(&like, &words.sought, OFFERS, market.deadline.clone())?;
        found.extend(similar.into_iter().map(|similar| similar.record));
    }
    for code in item.facts.codes.iter().take(MOST_CODES) {
        let page = Page {
            limit: OFFERS,
            start: Start::Offset(0),
        };
        let of_code = SearchQuery::newest(kind, vec![term(Role::Commodity, code)]);
        found.extend(market.engine.search(&of_code, &page, market.deadline.clone())?.records);
    }
    let mut offers: Vec<(bool, f64, StandingOfferHolder)> = Vec::new();
    for record in &found {
        let schema = Schema::of(kind);
        let Ok(record_read) = Record::parse(schema, record) else {
            continue;
        };
        let facts = Facts::of_record(&record_read, record);
        let subject = Subject::of_record(&record_read, schema, &mut item.lexicon);
        let similarity = item.subject.similarity(&subject, &words.squares);
        let names_it = facts.codes.iter().any(|code| item.facts.codes.contains(code));
        let same_code = names_it && shared(&item.facts.codes, &facts.codes) >= Shared::Class;
        let text = |fields: &[&str]| {
            let mut texts = fields.iter().filter_map(|field| record_read.text(field));
            texts.find(|text| !text.trim().is_empty()).map(str::to_owned)
        };
        let expiry = text(&["expiry_date"]).and_then(|day| Date::parse_prefix(&day).ok());
        let is_awarded = record_read.date(Role::Date).is_none_or(|day| day <= market.today);
        let in_force = is_awarded && expiry.is_none_or(|day| day >= market.today);
        let Some(vendor_name) = text(&["vendor_name", "supplier_legal_name"]) else {
            continue;
        };
        if in_force && (same_code || similarity >= ALIKE) {
            let holder = StandingOfferHolder {
                vendor_name,
                record_id: record_read.id().to_owned(),
                agreement_number: text(&["agreement_number"]),
                description: text(&["sosa_description_en", "sosa_description_fr", "commodity_description_en"]),
                expiry_date: expiry.map(|day| day.to_string()),
            };
            offers.push((same_code, similarity, holder));
        }
    }
    offers.sort_by(|a, b| {
        let likest = b.0.cmp(&a.0).then(b.1.total_cmp(&a.1));
        likest.then_with(|| a.2.record_id.cmp(&b.2.record_id))
    });
    let mut vendors = HashSet::new();
    let holders = offers.into_iter().map(|(_, _, holder)| holder);
    Ok(holders
        .filter(|holder| vendors.insert(vendor_key(&holder.vendor_name)))
        .take(MOST)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_every_value_once() {
        let values = [1.0, 1.99, 2.0, 49_999.0, 50_000.0, 100_000.0, 0.05];
        let buckets = histogram(&values);
        assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<usize>(), values.len());
        let of = |value: f64| {
            buckets
                .iter()
                .find(|bucket| bucket.low <= value && value < bucket.high)
                .unwrap()
        };
        assert_eq!((of(1.5).low, of(1.5).high, of(1.5).count), (1.0, 2.0, 2));
        assert_eq!((of(49_999.0).low, of(49_999.0).count), (20_000.0, 1));
        assert_eq!((of(60_000.0).high, of(60_000.0).count), (100_000.0, 1));
        assert!(buckets.windows(2).all(|pair| pair[0].high == pair[1].low));
    }
}
