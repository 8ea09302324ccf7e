//! Alberta Purchasing Connection: opportunities as its interface gives them, and what was awarded of them.
//!
//! A row is an opportunity with its bidders and awards around it: an element of an array, an object alone, or one a line. It gives
//! a tender, and a contract an award. The buyer is told by the title only (`Town of X - Request for Quotes - …`). Days and
//! hours are local time without a zone. Of an opportunity told twice the one amended last counts.

use std::{collections::HashSet, io::Read};

use serde_json::{Value, json};

use crate::model::{entity_type::EntityType, timestamp, vocabulary};
use crate::sources::{
    common::{countries, public_bodies},
    reading::{
        decode::{STRAY_BYTES, Utf8Reader},
        file_head::FileHead,
        json::{JsonItem, JsonRows, array_at, text_at},
        reader::{FileInfo, ReadError, SourceReader},
        record::DraftRecord,
        row_counts::{RowCounts, unknown},
        row_output::{GroupMember, Recency, RowOutput},
        row_sink::RowSink,
        text,
    },
};

const PAGE: &str = "https://purchasing.alberta.ca/posting/";

/// The members of an opportunity's group: with its awards, even if none; as a search gives it, which tells of none.
const WHOLE: &str = "whole";
const BARE: &str = "bare";

/// A reference number of this publisher's: `AB-2025-04052`.
pub fn recognizes(head: &FileHead) -> bool {
    let mut values = head.json.split("\"referenceNumber\"").skip(1);
    values.any(|after| {
        let value = after.trim_start().strip_prefix(':').unwrap_or_default().trim_start();
        value.starts_with("\"AB-")
    })
}

/// Reads the rows of one file.
pub struct Alberta;

impl SourceReader for Alberta {
    fn read(&mut self, file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
        let mut rows = JsonRows::new(input, &["values", "opportunities"]);
        while let Some(item) = rows.next_item()? {
            let (line, row) = match item {
                JsonItem::Row { line, bytes, .. } => (line, serde_json::from_slice(&bytes).ok()),
                // The frame around an array of rows.
                JsonItem::Object { held_rows: true, .. } => continue,
                JsonItem::Object { line, members, .. } => (line, Some(Value::Object(members))),
            };
            out.row();
            if rows.take_repaired() {
                out.counts.note(line, STRAY_BYTES);
            }
            let Some(row) = row else {
                out.counts.skip(line, "an opportunity that is not valid JSON");
                continue;
            };
            match row_output(&row, file, line, out.counts) {
                Ok(row_output) => out.keep(line, row_output).map_err(ReadError::Fatal)?,
                Err(reason) => out.counts.skip(line, reason),
            }
        }
        Ok(())
    }

    /// A newer answer of a search, which has no awards, leaves those that were told before.
    fn merge_group(&mut self, members: &mut [GroupMember], _: &mut [RowCounts]) {
        if let Some((newest, older)) = members.split_last_mut()
            && newest.key == BARE
            && let Some(whole) = older.iter().find(|member| member.key == WHOLE)
            && let [told, awarded @ ..] = whole.records.as_slice()
        {
            if let Some(tender) = newest.records.first_mut() {
                tender.fill(told, |_| true);
            }
            newest.records.extend(awarded.iter().cloned());
        }
        crate::sources::reading::merging::keep_newest(members);
    }
}

fn row_output(row: &Value, file: &FileInfo, line: u64, counts: &mut RowCounts) -> Result<RowOutput, &'static str> {
    // A search's answer holds opportunities without anything around them.
    let opportunity = row.get("opportunity").filter(|value| value.is_object()).unwrap_or(row);
    let reference = text_at(opportunity, "/referenceNumber").ok_or("no reference number")?;
    let mut posting = Posting {
        row,
        opportunity,
        line,
        counts,
    };
    let mut records = vec![posting.tender(&reference)];
    posting.contracts(&reference, &mut records);
    for record in &mut records {
        record.set("fetched_at", Some(file.fetched_at.as_str()));
    }
    Ok(RowOutput {
        group: reference,
        key: if row.get("awards").is_some() { WHOLE } else { BARE }.to_owned(),
        recency: Recency(posting.changed(), file.modified.timestamp()),
        records,
    })
}

/// An opportunity on its way to a tender and its contracts.
struct Posting<'a> {
    row: &'a Value,
    opportunity: &'a Value,
    line: u64,
    counts: &'a mut RowCounts,
}

/// Kinds of solicitation, for titles that do not spell them out.
const SOLICITATIONS: [(&str, &str); 9] = [
    ("RFP", "Request for Proposal"),
    ("RFQ", "Request for Quotes"),
    ("ITB", "Invitation to Bid"),
    ("ITT", "Invitation to Tender"),
    ("RFI", "Request for Information"),
    ("RFEI", "Request for Expression of Interest"),
    ("EOI", "Expression of Interest"),
    ("RFSQ", "Request for Supplier Qualifications"),
    ("NRFP", "Negotiated Request for Proposal"),
];

/// What a contract takes over from its opportunity.
#[rustfmt::skip]
const OF_THE_OPPORTUNITY: [&str; 24] = [
    "municipality", "publication_date", "start_date", "end_date", "department_en", "buyer_name", "buyer_id", "title_en",
    "description_en", "procurement_category", "procurement_method", "procurement_method_en", "notice_type_en", "reference_number",
    "solicitation_number", "gsin", "unspsc", "unspsc_description_en", "regions_of_delivery_en", "trade_agreements_en",
    "eligibility", "notice_url", "government_level", "province",
];

impl Posting<'_> {
    fn word(&self, name: &str) -> Option<String> {
        text_at(self.opportunity, &format!("/{name}"))
    }

    fn day(&mut self, value: &Value, name: &str) -> Option<String> {
        let day = text::date(&text_at(value, &format!("/{name}"))?).unwrap_or_else(|_| {
            self.counts
                .note(self.line, &format!("impossible date in {name}, left out"));
            None
        });
        day.map(|day| day.to_string())
    }

    /// When the opportunity or anything about it changed last, in milliseconds.
    fn changed(&self) -> u64 {
        let stamps = [
            "amendedOnUtc",
            "latestAmendedDate",
            "awardedOnUtc",
            "cancelledOnUtc",
            "createdOnUtc",
        ];
        let moments = stamps.iter().filter_map(|name| self.word(name));
        let moments = moments.chain(text_at(self.row, "/lastAmendmentDate"));
        let newest = moments.filter_map(|at| timestamp::parse(&at)).max();
        newest.map_or(0, |at| u64::try_from(at.timestamp_millis()).unwrap_or(0))
    }

    fn tender(&mut self, reference: &str) -> DraftRecord {
        let opportunity = self.opportunity;
        let mut tender = DraftRecord::new(EntityType::Tender);
        tender.set("record_id", Some(format!("alberta|{reference}")));
        tender.set("reference_number", Some(reference));
        tender.set("tender_number", Some(reference));
        tender.set("tender_id", self.word("id"));
        tender.set("solicitation_number", self.word("solicitationNumber"));
        tender.set("publication_date", self.day(opportunity, "postDateTime"));
        let closing = self.day(opportunity, "closeDateTime");
        tender.set(
            "tender_close_date",
            self.word("closeDateTime").filter(|_| closing.is_some()),
        );
        tender.set("closing_date", closing);
        tender.set("start_date", self.day(opportunity, "deliveryStartDate"));
        tender.set("end_date", self.day(opportunity, "deliveryEndDate"));
        tender.set("title_en", self.word("shortTitle").or_else(|| self.word("title")));
        let description = opportunity.get("projectDescription").and_then(Value::as_str);
        tender.set("description_en", description.and_then(text::block));
        self.set_buyer(&mut tender);
        self.set_object(&mut tender);
        self.set_rules(&mut tender);
        let status = self.word("statusCode");
        tender.set("status_en", status.as_deref().map(status_in_words));
        tender.set("status", status);
        self.set_amendments(&mut tender);
        self.set_contact(&mut tender);
        tender.set("notice_url", Some(format!("{PAGE}{reference}")));
        tender
    }

    /// `Town of Claresholm - Request for Quotes - 4th Street` under the short title `4th Street`: the buyer, the kind.
    fn set_buyer(&mut self, tender: &mut DraftRecord) {
        let code = self.word("solicitationTypeCode");
        let known = SOLICITATIONS.iter().find(|(known, _)| code.as_deref() == Some(known));
        let title = self.word("title").unwrap_or_default();
        let before = self
            .word("shortTitle")
            .and_then(|short| Some(title.strip_suffix(&short)?.strip_suffix(" - ")?.to_owned()));
        let told = before.as_deref().and_then(|before| before.rsplit_once(" - "));
        // A search's answer names it by itself.
        let named = self.word("contractingOrganization");
        let buyer = named
            .as_deref()
            .or(told.map(|(buyer, _)| buyer))
            .and_then(text::organization);
        if buyer.is_none() {
            self.counts.note(
                self.line,
                "a title that does not name the buyer, recorded without a buyer",
            );
        }
        let kind = told
            .and_then(|(_, kind)| text::line(kind))
            .or_else(|| known.map(|(_, kind)| (*kind).to_owned()));
        tender.set("notice_type_en", kind.or(code));
        let (municipality, level) = public_bodies::of_body(buyer.as_deref().unwrap_or_default(), "AB");
        tender.set("municipality", Some(municipality));
        tender.set("government_level", Some(level));
        tender.set("province", Some("AB"));
        tender.set("department_en", buyer.clone());
        tender.set("buyer_name", buyer);
        tender.set("buyer_id", self.word("contractingOrgId"));
    }

    fn set_object(&mut self, tender: &mut DraftRecord) {
        if let Some(code) = self.word("categoryCode") {
            match vocabulary::category(&code) {
                Some(category) => tender.set("procurement_category", Some(category)),
                None => self.counts.note(self.line, &unknown("categoryCode", &code)),
            }
        }
        let codes = array_at(self.row, "/commodityCodes");
        // A code is told at every level, the finest of which it is; by a search's answer as it is, and the titles beside.
        let finest = |code: &Value, suffix: &str| {
            let levels = ["commodity", "class", "family", "segment"].iter();
            levels
                .filter_map(|level| text_at(code, &format!("/{level}{suffix}")))
                .next()
        };
        let titles = array_at(self.row, "/commodityCodeTitles").iter();
        let titles = titles.filter_map(|title| text_at(title, ""));
        for (field, separator, values) in [
            (
                "unspsc",
                ",",
                codes
                    .iter()
                    .filter_map(|code| finest(code, "").or_else(|| text_at(code, "")))
                    .collect(),
            ),
            (
                "unspsc_description_en",
                "; ",
                codes
                    .iter()
                    .filter_map(|code| finest(code, "Title"))
                    .chain(titles)
                    .collect(),
            ),
            (
                "gsin",
                ",",
                codes.iter().filter_map(|code| text_at(code, "/gsinCode")).collect(),
            ),
        ] {
            tender.set(field, joined(values, separator));
        }
        let regions = self.word("regionOfDelivery").unwrap_or_default();
        let regions = regions.split(',').filter_map(text::line);
        let listed = array_at(self.opportunity, "/regionOfDelivery").iter();
        let regions = regions.chain(listed.filter_map(|region| text_at(region, ""))).collect();
        tender.set("regions_of_delivery_en", joined(regions, "; "));
    }

    fn set_rules(&mut self, tender: &mut DraftRecord) {
        let method = self.word("postingTypeCode");
        tender.set("procurement_method_en", method.as_deref().map(in_words));
        tender.set("procurement_method", method);
        let agreements = self
            .word("actualTradeAgreement")
            .or_else(|| self.word("estimatedTradeAgreement"));
        let agreements = agreements.unwrap_or_default();
        let agreements: Vec<String> = agreements.split('/').filter_map(text::line).collect();
        let mut eligibility = serde_json::Map::new();
        if !agreements.is_empty() {
            tender.set("trade_agreements_en", joined(agreements.clone(), "; "));
            eligibility.insert("trade_agreements".to_owned(), json!(agreements));
        }
        if let Some(reason) = self.word("tradeAgreementExceptionCodeType") {
            eligibility.insert("limited_tendering_reason_en".to_owned(), json!(reason));
        }
        tender.set("eligibility", (!eligibility.is_empty()).then_some(eligibility));
    }

    fn set_amendments(&mut self, tender: &mut DraftRecord) {
        let opportunity = self.opportunity;
        let number = opportunity
            .get("amendmentNumber")
            .and_then(Value::as_u64)
            .filter(|number| *number > 0);
        let amended = match text_at(self.opportunity, "/latestAmendedDate") {
            Some(_) => "latestAmendedDate",
            None => "amendedOnUtc",
        };
        tender.set("amendment_number", number.map(|number| number.to_string()));
        tender.set("amendment_count", number);
        let day = number.and_then(|_| self.day(opportunity, amended));
        tender.set("amendment_date", day);
    }

    fn set_contact(&self, tender: &mut DraftRecord) {
        let contact = |name: &str| self.word(&format!("contactInformation/{name}"));
        let names = [contact("firstName"), contact("lastName")]
            .into_iter()
            .flatten()
            .collect();
        tender.set("contact_name", joined(names, " "));
        tender.set("contact_email", contact("emailAddress"));
        let is_number = |phone: &String| phone.bytes().any(|b| (b'1'..=b'9').contains(&b));
        let phone = contact("phoneNumber").filter(is_number);
        let extension = contact("phoneNumberExtension").map(|extension| format!(" ext. {extension}"));
        tender.set(
            "contact_phone",
            phone.map(|phone| phone + &extension.unwrap_or_default()),
        );
    }

    /// One an award; an award that another revises gives way to it. They carry no status: the opportunity's tells nothing
    /// of how a contract goes on.
    fn contracts(&mut self, reference: &str, records: &mut Vec<DraftRecord>) {
        let mut awards: Vec<&Value> = array_at(self.row, "/awards").iter().collect();
        awards.sort_by_cached_key(|award| (text_at(award, "/createdOnUtc"), text_at(award, "/id")));
        let revised: HashSet<String> = awards
            .iter()
            .filter_map(|award| text_at(award, "/originalAwardId"))
            .collect();
        for (award, number) in awards.into_iter().zip(1..) {
            if text_at(award, "/id").is_some_and(|id| revised.contains(&id)) {
                self.counts
                    .note(self.line, "an award that a later award revises, no contract recorded");
                continue;
            }
            let name = text_at(award, "/alternativeSupplierDisplayName");
            let Some(vendor) = name.as_deref().and_then(text::organization) else {
                self.counts
                    .note(self.line, "a winner without a name, no contract recorded");
                continue;
            };
            let mut contract = DraftRecord::new(EntityType::Contract);
            for field in OF_THE_OPPORTUNITY {
                contract.set(field, records.first().and_then(|tender| tender.get(field)));
            }
            contract.set("record_id", Some(format!("alberta|{reference}|{number}")));
            contract.set("contract_id", text_at(award, "/id"));
            contract.set("award_date", self.day(award, "awardDate"));
            contract.set("vendor_name", Some(vendor));
            contract.set("vendor_id", text_at(award, "/supplierId"));
            let value = self.money(award);
            contract.set("contract_value", value);
            contract.set("currency", value.map(|_| "CAD"));
            set_address(&mut contract, award);
            records.push(contract);
        }
    }

    fn money(&mut self, award: &Value) -> Option<f64> {
        text::given_amount(&text_at(award, "/amount")?).unwrap_or_else(|_| {
            self.counts.note(self.line, "unreadable amount in amount, left out");
            None
        })
    }
}

fn set_address(contract: &mut DraftRecord, award: &Value) {
    let at = |name: &str| text_at(award, &format!("/address/{name}"));
    // `CA-AB`, as ISO 3166-2 has it.
    let province =
        at("stateProvince").map(|code| code.split_once('-').map_or(code.clone(), |(_, code)| code.to_owned()));
    let lines = [
        at("streetAddress"),
        at("streetAddress2"),
        at("city"),
        province.clone(),
        at("postalCode"),
    ];
    contract.set("supplier_address", joined(lines.into_iter().flatten().collect(), ", "));
    contract.set("vendor_city", at("city"));
    contract.set("vendor_province", province);
    contract.set(
        "vendor_postal_code",
        at("postalCode").as_deref().and_then(text::postal_code),
    );
    contract.set(
        "vendor_country",
        at("country").map(|country| countries::code(country.into()).into_owned()),
    );
}

/// Each word once, in the order met.
fn joined(words: Vec<String>, separator: &str) -> Option<String> {
    let mut met = HashSet::new();
    let once: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| met.insert(*word))
        .collect();
    (!once.is_empty()).then(|| once.join(separator))
}

fn status_in_words(code: &str) -> String {
    match code {
        "AWARD" => "Awarded".to_owned(),
        code => in_words(code),
    }
}

/// `OPEN-COMPETITIVE` → `Open competitive`
fn in_words(code: &str) -> String {
    let words = code.to_lowercase().replace(['-', '_'], " ");
    let mut letters = words.chars();
    letters
        .next()
        .map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
