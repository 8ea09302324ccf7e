//! A notice of an XML export of SEAO: produces a tender and the contracts of its winners.

use std::borrow::Cow;

use serde_json::json;

use crate::model::{Date, EntityType, bids::NoticeBids, supplier_mention::SupplierMention};
use crate::sources::{
    common::bids::NOTICE_LEFT_OUT,
    reading::{DraftRecord, Recency, RowBudget, RowCounts, RowOutput, XmlElement, text, unknown},
    seao::{
        bids,
        codes::{
            self, BidUnit, MUNICIPAL_GROUNDS, OTHER_NATURES, PROVINCIAL_GROUNDS, RegionTable, XML_NOTICE_TYPES, label,
        },
        common::{
            AwardAmounts, FIELDS_FROM_TENDER, OCID_PREFIX, SEAO_XML, contract_record_id, disambiguate_lots, documents,
            municipality_and_level, neq, vendor_country, vendor_province,
        },
        xml_export::{XmlExport, day, money},
    },
};

/// A notice whose records are being made.
pub(crate) struct XmlNotice<'a> {
    row: XmlElement<'a>,
    export: &'a XmlExport,
    counts: &'a mut RowCounts,
    closing_date: Option<Date>,
    award_date: Option<Date>,
}

impl<'a> XmlNotice<'a> {
    pub(crate) fn new(row: XmlElement<'a>, export: &'a XmlExport, counts: &'a mut RowCounts) -> XmlNotice<'a> {
        XmlNotice {
            row,
            export,
            closing_date: day(row, "datefermeture", row.line(), counts),
            award_date: day(row, "dateadjudication", row.line(), counts),
            counts,
        }
    }

    /// The tender, then one contract per winner. An error is the reason for which the notice is
    /// skipped.
    pub(crate) fn output(mut self, number: String) -> Result<RowOutput, &'static str> {
        let mut budget = RowBudget::new();
        let recency = self.recency();
        let listed = self.bids(&number);
        let tender = self.tender(&number);
        let mut records = vec![tender];
        let mut contracts = Vec::new();
        let bidders = self
            .row
            .child("fournisseurs")
            .into_iter()
            .flat_map(XmlElement::children);
        for bidder in bidders {
            self.mention(bidder);
            if bidder.raw("adjudicataire").trim() != "1" {
                continue;
            }
            let Some(contract) = self.contract(&number, bidder, &records[0]) else {
                self.counts
                    .note(bidder.line(), "a winner without a name, no contract recorded");
                continue;
            };
            if let Err(reason) = budget.take(&contract) {
                self.refuse(listed);
                return Err(reason);
            }
            contracts.push((bidder.line(), contract));
        }
        let note = "a winner listed twice with identical values, recorded once";
        records.extend(disambiguate_lots(contracts, |line| self.counts.note(line, note)));
        let has_winner = records.len() > 1;
        set_status(&mut records[0], self.status(has_winner));
        // A contract is active until its final amount is published.
        for contract in &mut records[1..] {
            set_status(contract, ("Active", "Awarded", "Adjugé"));
        }
        Ok(RowOutput {
            group: number,
            key: SEAO_XML.to_owned(),
            recency,
            records,
            bids: listed,
        })
    }

    fn bids(&mut self, number: &str) -> Option<NoticeBids> {
        let bids = bids::of_notice(self.row, self.counts);
        let notice_type = self.row.line_of("type").map(Cow::into_owned);
        let method = XML_NOTICE_TYPES
            .iter()
            .find(|known| Some(known.code) == notice_type.as_deref());
        (!bids.is_empty()).then(|| NoticeBids {
            record_id: format!("seao|{number}"),
            procedure: bids::procedure(method.map(|known| known.method.english)),
            notice_type,
            award_date: self.award_date.map(|day| day.to_string()),
            fetched_at: None,
            bids,
        })
    }

    /// Counts the bids of a notice that is left out.
    fn refuse(&mut self, listed: Option<NoticeBids>) {
        let bidders = listed.map_or(0, |notice| notice.bids.len() as u64);
        self.counts.refuse_bidders(self.row.line(), bidders, NOTICE_LEFT_OUT);
    }

    /// If the award was entered on a day that the export covers, the notice dates from that day,
    /// and a release of the same day is newer. Any other notice may be a revision of unknown day;
    /// it counts as of the export's last day.
    fn recency(&mut self) -> Recency {
        let entered = self.day("datesaisieadjudication");
        let last_day = self.export.last_day();
        let (day, order_in_day) = match entered.filter(|day| self.export.covers(Some(*day))) {
            // Of two exports of one entry the later is newer. A release of that day is newer than
            // both.
            Some(day) => (day.days().into(), last_day.saturating_sub(i64::from(u32::MAX))),
            None => (last_day, 1),
        };
        // Days before 1970 do not occur; one would count as the oldest.
        Recency(u64::try_from(day).unwrap_or(0), order_in_day)
    }

    fn tender(&mut self, number: &str) -> DraftRecord {
        let row = self.row;
        let mut tender = DraftRecord::new(EntityType::Tender);
        tender.set("record_id", Some(format!("seao|{number}")));
        tender.set("reference_number", Some(number));
        tender.set("ocid", Some(format!("{OCID_PREFIX}{number}")));
        for field in ["solicitation_number", "tender_id", "tender_number"] {
            tender.set(field, row.line_of("numero"));
        }
        let publication_date = self.day("datepublication").map(|day| day.to_string());
        tender.set("publication_date", publication_date);
        let closing_date = self.closing_date.map(|day| day.to_string());
        if closing_date.is_some() {
            tender.set("tender_close_date", row.line_of("datefermeture"));
        }
        tender.set("closing_date", closing_date);
        tender.set("title_fr", row.line_of("titre"));
        self.set_buyer(&mut tender);
        self.set_category_and_type(&mut tender);
        tender.set("unspsc", row.line_of("unspscprincipale"));
        self.set_regions(&mut tender);
        self.set_legal_ground(&mut tender);
        let page = row.line_of("hyperlienseao");
        tender.set("documents", page.as_deref().map(documents));
        tender.set("notice_url", page);
        tender.set("fetched_at", Some(self.export.fetched_at.as_str()));
        tender
    }

    fn is_municipal(&self) -> bool {
        self.row.raw("municipal").trim() == "1"
    }

    fn set_buyer(&self, tender: &mut DraftRecord) {
        let buyer = text::organization(self.row.raw("organisme"));
        let name = buyer.as_deref().unwrap_or_default();
        let (municipality, level) = municipality_and_level(self.is_municipal(), name, self.row.raw("ville"));
        tender.set("department_fr", buyer.clone());
        tender.set("buyer_name", buyer);
        tender.set_jurisdiction(&municipality, level, Some("QC"));
    }

    fn set_category_and_type(&mut self, tender: &mut DraftRecord) {
        let row = self.row;
        let category = codes::category(row.raw("nature"));
        if category.is_none() {
            self.note_if_unknown("nature", |code| OTHER_NATURES.contains(&code));
        }
        tender.set("procurement_category", category);
        // `precision` (`0Déneigement`) describes what was bought if no category fits; its leading
        // digits are dropped.
        let described = row.raw("precision").trim_start_matches(|c: char| c.is_ascii_digit());
        let category = row.line_of("categorieseao").or_else(|| text::as_line(described));
        tender.set("category", category);
        self.note_if_unknown("type", |code| XML_NOTICE_TYPES.iter().any(|known| known.code == code));
        let code = row.raw("type").trim();
        if let Some(notice_type) = XML_NOTICE_TYPES.iter().find(|known| known.code == code) {
            tender.set("procurement_method", notice_type.method.ocds_code);
            tender.set("procurement_method_en", Some(notice_type.method.english));
            tender.set("procurement_method_fr", Some(notice_type.method.french));
            tender.set("notice_type_en", Some(notice_type.notice_en));
            tender.set("notice_type_fr", Some(notice_type.notice_fr));
        }
    }

    fn set_regions(&mut self, tender: &mut DraftRecord) {
        let table = self.region_table();
        let mut regions: Vec<Cow<str>> = Vec::new();
        let codes = self.row.raw("regionlivraison").split(',');
        for code in codes.filter(|code| !code.trim().is_empty()) {
            match table.label(code) {
                Some(region) => regions.push(region.into()),
                None => self.note_unknown("regionlivraison", code),
            }
        }
        tender.set("regions_of_delivery_fr", text::joined(regions, "; "));
    }

    /// The region numbering of the export, established by comparing regions with the buyers' towns.
    /// The export of 2009, whose notices have neither city nor title, numbers regions like the
    /// specification. Exports since 2016, whose notices have both, use the administrative numbers,
    /// also for notices from before 2016. No export of the years in between is known, and the
    /// specification of December 2014 may apply to any of them.
    fn region_table(&self) -> RegionTable {
        let has = |name| self.row.child(name).is_some();
        match (has("ville"), has("titre")) {
            (false, false) if !self.export.is_since_2016 => RegionTable::Specification,
            (true, true) if self.export.is_since_2016 => RegionTable::Administrative,
            _ => RegionTable::Unknown,
        }
    }

    fn set_legal_ground(&mut self, tender: &mut DraftRecord) {
        let grounds = if self.is_municipal() {
            MUNICIPAL_GROUNDS
        } else {
            PROVINCIAL_GROUNDS
        };
        self.note_if_unknown("disposition", |code| label(grounds, code).is_some());
        let ground = label(grounds, self.row.raw("disposition"));
        tender.set("eligibility", ground.map(|ground| json!({"disposition": ground})));
    }

    /// The status and its English and French labels. The exports have no status; a notice is over
    /// if it has a winner, an award date or no closing date, or has closed by the export's last
    /// day.
    fn status(&self, has_winner: bool) -> (&'static str, &'static str, &'static str) {
        if has_winner {
            ("Expired", "Awarded", "Adjugé")
        } else if self.award_date.is_some() || self.closing_date.is_none() || self.closing_date <= self.export.last {
            ("Expired", "Closed", "Fermé")
        } else {
            ("Open", "Open", "Ouvert")
        }
    }

    fn contract(&mut self, number: &str, winner: XmlElement, tender: &DraftRecord) -> Option<DraftRecord> {
        let vendor = text::organization(winner.raw("nomorganisation"))?;
        let mut contract = DraftRecord::new(EntityType::Contract);
        contract.copy(tender, &FIELDS_FROM_TENDER);
        let award_date = self.award_date.map(|day| day.to_string());
        let unit = winner.raw("montantssoumisunite").trim();
        if !codes::is_known_unit(unit) {
            self.note_unknown("montantssoumisunite", unit);
        }
        let neq = neq(winner.raw("neq"));
        let amounts = AwardAmounts {
            bid: money(winner, "montantsoumis", winner.line(), self.counts),
            amount: money(winner, "montantcontrat", winner.line(), self.counts),
            total: money(winner, "montanttotalcontrat", winner.line(), self.counts),
            unit: BidUnit::of(unit),
        };
        let record_id = contract_record_id(
            number,
            neq.as_deref(),
            &vendor,
            award_date.as_deref(),
            amounts.identifying(),
        );
        contract.set("record_id", Some(record_id));
        contract.set("award_date", award_date);
        contract.set("vendor_name", Some(vendor));
        contract.set("vendor_id", neq.map(|neq| format!("FO-{neq}")));
        contract.set("vendor_city", winner.line_of("ville"));
        contract.set("vendor_province", vendor_province(winner.raw("province")));
        contract.set("vendor_postal_code", text::postal_code(winner.raw("codepostal")));
        let country = vendor_country(winner.raw("pays"));
        if country.is_none() && !winner.raw("pays").trim().is_empty() {
            self.note_unknown("pays", winner.raw("pays"));
        }
        contract.set("vendor_country", country);
        contract.set("supplier_address", address(winner));
        contract.set("contract_value", amounts.value());
        contract.set("currency", Some(amounts.currency()));
        Some(contract)
    }

    /// Keeps what the notice states about a bidder, whether it won or not.
    fn mention(&mut self, bidder: XmlElement) {
        let Some(name) = text::organization(bidder.raw("nomorganisation")) else {
            return;
        };
        let postal_code = text::postal_code(bidder.raw("codepostal"));
        let mention = SupplierMention::of(&name, SEAO_XML);
        let mention = mention.at(bidder.line_of("ville").as_deref(), postal_code.as_deref());
        let day = self.award_date.or(self.closing_date);
        self.counts.suppliers.add_with_neq(mention, bidder.raw("neq"), day);
    }

    /// Notes a code that is not in its table. The field with its meaning stays empty.
    fn note_if_unknown(&mut self, name: &str, is_known: impl Fn(&str) -> bool) {
        let code = self.row.raw(name).trim();
        if !code.is_empty() && !is_known(code) {
            self.note_unknown(name, code);
        }
    }

    fn note_unknown(&mut self, name: &str, code: &str) {
        self.counts.note(self.row.line(), &unknown(name, code));
    }

    fn day(&mut self, name: &str) -> Option<Date> {
        day(self.row, name, self.row.line(), self.counts)
    }
}

fn set_status(record: &mut DraftRecord, (status, english, french): (&str, &str, &str)) {
    record.set("status", Some(status));
    record.set("status_en", Some(english));
    record.set("status_fr", Some(french));
}

fn address(winner: XmlElement<'_>) -> Option<Cow<'_, str>> {
    let names = ["adresse1", "adresse2", "ville", "province", "codepostal"];
    let lines = names.iter().filter_map(|name| winner.line_of(name));
    text::joined(lines.collect(), ", ")
}
