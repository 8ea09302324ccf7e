//! The bids that SEAO's notices list: `fournisseurs/fournisseur` of the exports; `bids`, `tenderers` and `parties` of
//! the releases.
//!
//! A bid is kept as published. Only one without a name is refused. An amount of `0.000000` means that none is given.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::{
    model::bids::{Bid, NoticeBids, Procedure},
    sources::{
        common::bids::{NO_NAME, NOTICE_LEFT_OUT, amount, amount_at, noting_repeated},
        reading::{DraftRecord, RowCounts, XmlElement, array_at, text, text_at, unknown},
        seao::{
            codes::{self, DIRECT, INVITATION, OPEN},
            common::cents,
            ocds_release::ReleaseNotice,
        },
    },
};

/// How the bidders were found, from the English name of the procurement method.
pub(crate) fn procedure(method: Option<&str>) -> Procedure {
    match method {
        Some(method) if method == OPEN.english => Procedure::Open,
        Some(method) if method == INVITATION.english => Procedure::Invitation,
        Some(method) if method == DIRECT.english => Procedure::Direct,
        _ => Procedure::Other,
    }
}

/// The bidder elements of a notice in an export.
fn elements(row: XmlElement<'_>) -> impl Iterator<Item = XmlElement<'_>> {
    row.child("fournisseurs").into_iter().flat_map(XmlElement::children)
}

/// Counts the bidders of a notice that is left out.
pub(crate) fn refuse_all(row: XmlElement, counts: &mut RowCounts) {
    let bidders = elements(row).count() as u64;
    counts.bidders.listed += bidders;
    counts.refuse_bidders(row.line(), bidders, NOTICE_LEFT_OUT);
}

/// The bids of a notice in an export.
pub(crate) fn of_notice(row: XmlElement, counts: &mut RowCounts) -> Vec<Bid> {
    let mut bids = Vec::new();
    for element in elements(row) {
        counts.bidders.listed += 1;
        let Some(name) = text::organization(element.raw("nomorganisation")) else {
            counts.refuse_bidders(element.line(), 1, NO_NAME);
            continue;
        };
        let line = element.line();
        let own = |name: &str| text::line(element.raw(name));
        let streets = [own("adresse1"), own("adresse2")];
        let bid = Bid {
            name: name.into_owned(),
            number: own("neq"),
            bidder_id: None,
            street: text::joined(streets.iter().flatten().map(Into::into).collect(), ", ").map(Into::into),
            city: own("ville"),
            province: own("province"),
            postal_code: own("codepostal"),
            country: own("pays"),
            amount: amount(element.raw("montantsoumis"), line, counts),
            unit: unit(own("montantssoumisunite"), "montantssoumisunite", line, counts),
            won: flag(element.raw("adjudicataire"), "adjudicataire", line, counts) == Some(true),
            admissible: flag(element.raw("admissible"), "admissible", line, counts),
            conforming: flag(element.raw("conforme"), "conforme", line, counts),
            contract_amount: amount(element.raw("montantcontrat"), line, counts),
            contract_total: amount(element.raw("montanttotalcontrat"), line, counts),
            lots: Vec::new(),
        };
        bids.push((line, bid));
    }
    noting_repeated(bids, counts)
}

fn unit(code: Option<String>, field: &str, line: u64, counts: &mut RowCounts) -> Option<String> {
    let code = code?;
    if !codes::is_known_unit(&code) {
        counts.note_bidder(line, &unknown(field, &code));
    }
    Some(code)
}

/// A flag is `1`, `0` or empty.
fn flag(raw: &str, field: &str, line: u64, counts: &mut RowCounts) -> Option<bool> {
    match raw.trim() {
        "" => None,
        "0" => Some(false),
        "1" => Some(true),
        other => {
            counts.note_bidder(line, &unknown(field, other));
            None
        }
    }
}

/// The elements of a release that list its bidders: its `bids`, then the tenderers that have none, then the parties
/// with the role of a tenderer that are in neither list.
fn elements_of_release(release: &Value) -> Vec<&Value> {
    let bids = array_at(release, "/bids");
    let tenderers = array_at(release, "/tender/tenderers");
    let is_tenderer = |party: &&Value| {
        let mut roles = array_at(party, "/roles").iter();
        roles.any(|role| role.as_str() == Some("tenderer"))
    };
    let mut listed: Vec<&Value> = bids.iter().collect();
    let mut known: HashSet<String> = bids.iter().map(id_of).collect();
    // An element without an identifier is not known to be a bidder that is already listed.
    known.remove("");
    listed.extend(tenderers.iter().filter(|tenderer| !known.contains(&id_of(tenderer))));
    known.extend(tenderers.iter().map(id_of).filter(|id| !id.is_empty()));
    let parties = array_at(release, "/parties").iter().filter(is_tenderer);
    listed.extend(parties.filter(|party| !known.contains(&id_of(party))));
    listed
}

/// Counts the bidders of a release that is left out before they are read.
pub(crate) fn refuse_all_of_release(release: &Value, line: u64, counts: &mut RowCounts) {
    let bidders = elements_of_release(release).len() as u64;
    counts.bidders.listed += bidders;
    counts.refuse_bidders(line, bidders, NOTICE_LEFT_OUT);
}

/// The awards of one supplier in a release.
#[derive(Default)]
struct Awards {
    /// Amounts of its awards, in cents.
    cents: HashSet<i64>,
    /// Whether one of its bids has the amount of an award.
    is_bid_known: bool,
}

impl ReleaseNotice<'_> {
    /// The bids of a release. `tender` is the record of the notice.
    pub(crate) fn bids(&mut self, tender: &DraftRecord) -> Option<NoticeBids> {
        let mut awards = self.awards_by_supplier();
        for bid in array_at(self.release, "/bids") {
            if let (Some(awards), Some(amount)) = (awards.get_mut(&id_of(bid)), given(bid)) {
                awards.is_bid_known |= awards.cents.contains(&cents(amount));
            }
        }
        let listed = elements_of_release(self.release).into_iter();
        let bids: Vec<(u64, Bid)> = listed.filter_map(|bid| self.bid(bid, &awards)).collect();
        let bids = noting_repeated(bids, self.counts);
        let award_dates = array_at(self.release, "/awards").iter();
        let award_date = award_dates.filter_map(|award| text_at(award, "/date")).min();
        (!bids.is_empty()).then(|| NoticeBids {
            record_id: tender.id().to_owned(),
            procedure: procedure(tender.text("procurement_method_en")),
            notice_type: self.text("/tender/procurementMethodDetails"),
            award_date: award_date.map(|date| date.chars().take(10).collect()),
            fetched_at: None,
            bids,
        })
    }

    /// The awards that count, by the id of each of their suppliers.
    fn awards_by_supplier(&self) -> HashMap<String, Awards> {
        let mut by_supplier: HashMap<String, Awards> = HashMap::new();
        for award in array_at(self.release, "/awards") {
            if matches!(text_at(award, "/status").as_deref(), Some("cancelled" | "unsuccessful")) {
                continue;
            }
            let amount = text_at(award, "/value/amount").and_then(|amount| text::given_amount(&amount).ok()?);
            for supplier in array_at(award, "/suppliers") {
                let awards = by_supplier.entry(id_of(supplier)).or_default();
                awards.cents.extend(amount.map(cents));
            }
        }
        by_supplier
    }

    /// A bid, a tenderer or a party. Of a supplier with bids for several lots, those with the amount of one of its
    /// awards won; all of them, if no amount is the same.
    fn bid(&mut self, bid: &Value, awards: &HashMap<String, Awards>) -> Option<(u64, Bid)> {
        self.counts.bidders.listed += 1;
        let id = id_of(bid);
        let party = self.party(&id).unwrap_or(&Value::Null);
        let name = text_at(party, "/name").or_else(|| text_at(bid, "/name"));
        let Some(name) = name.as_deref().and_then(text::organization) else {
            self.counts.refuse_bidders(self.line, 1, NO_NAME);
            return None;
        };
        let line = self.line;
        let stated = |name: &str| text_at(bid, name).unwrap_or_default();
        let place = |name: &str| text_at(party, &format!("/address/{name}"));
        let amount = amount_at(bid, "/value", line, self.counts);
        let won = awards.get(&id).is_some_and(|awards| {
            !awards.is_bid_known || amount.is_some_and(|amount| awards.cents.contains(&cents(amount)))
        });
        let lots = array_at(bid, "/relatedLots").iter().filter_map(|lot| text_at(lot, ""));
        let bid = Bid {
            name: name.into_owned(),
            number: text_at(party, "/details/neq"),
            street: place("streetAddress").map(|street| street.trim_end_matches([',', ' ']).to_owned()),
            city: place("locality"),
            province: place("region"),
            postal_code: place("postalCode"),
            country: place("countryName"),
            amount,
            unit: unit(text_at(bid, "/valueUnit"), "valueUnit", line, self.counts),
            won,
            admissible: flag(&stated("/admissible"), "admissible", line, self.counts),
            conforming: flag(&stated("/conform"), "conform", line, self.counts),
            contract_amount: None,
            contract_total: None,
            lots: lots.collect(),
            bidder_id: (!id.is_empty()).then_some(id),
        };
        Some((line, bid))
    }
}

/// The identifier of a bidder or a supplier; empty if none is stated.
fn id_of(value: &Value) -> String {
    text_at(value, "/id").unwrap_or_default()
}

fn given(bid: &Value) -> Option<f64> {
    text::given_amount(&text_at(bid, "/value")?).ok()?
}
