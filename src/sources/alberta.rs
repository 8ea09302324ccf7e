//! Alberta Purchasing Connection: opportunities and their awards, as returned by its API.
//!
//! A row is an object with an opportunity, its bidders and its awards: an element of an array, a
//! single object, or one object per line. It produces a tender, and a contract per award. Only the
//! title names the buyer (`Town of X - Request for Quotes - …`). Dates and times are local, without
//! a time zone. If an opportunity occurs several times, the one amended last counts.

mod bids;

use std::{borrow::Cow, collections::HashSet, io::Read};

use serde_json::{Value, json};

use crate::model::{EntityType, countries, timestamp, vocabulary};
use crate::sources::{
    common::{commodity_levels, public_bodies},
    reading::{
        DraftRecord, FileHead, FileInfo, GroupMember, JsonItem, JsonRows, ReadError, Recency, RowBudget, RowCounts,
        RowOutput, RowSink, SourceReader, Utf8Reader, array_at, text, text_at, unknown,
    },
};

const PAGE: &str = "https://purchasing.alberta.ca/posting/";

/// Key of a row that lists its awards, even if there are none.
const WITH_AWARDS: &str = "with awards";
/// Key of a row from the answer of a search, which has no awards.
const WITHOUT_AWARDS: &str = "without awards";

/// Recognizes the publisher's reference numbers: `AB-2025-04052`.
pub(crate) fn recognizes(head: &FileHead) -> bool {
    let mut values = head.json.split("\"referenceNumber\"").skip(1);
    values.any(|after| {
        let value = after.trim_start().strip_prefix(':').unwrap_or_default().trim_start();
        value.starts_with("\"AB-")
    })
}

pub(crate) struct AlbertaReader;

impl SourceReader for AlbertaReader {
    fn read(&mut self, file: &FileInfo, input: Utf8Reader<&mut dyn Read>, out: &mut RowSink) -> Result<(), ReadError> {
        let mut rows = JsonRows::new(input, &["values", "opportunities"]);
        while let Some(item) = rows.next_item()? {
            let (line, row) = match item {
                JsonItem::Row { line, bytes, .. } => (line, serde_json::from_slice(&bytes).ok()),
                // The object around an array of rows.
                JsonItem::Object { held_rows: true, .. } => continue,
                JsonItem::Object { line, members, .. } => (line, Some(Value::Object(members))),
            };
            out.row();
            out.note_repair(line, rows.take_repaired());
            let Some(row) = row else {
                out.counts.skip(line, "an opportunity that is not valid JSON");
                continue;
            };
            match row_output(&row, file, line, out.counts) {
                Ok(output) => out.keep(line, output).map_err(ReadError::Fatal)?,
                Err(reason) => out.counts.skip(line, reason),
            }
        }
        Ok(())
    }

    /// Keeps the newest row. If it is a search result, it takes the awards and missing fields from
    /// an older row with awards.
    fn merge_group(&mut self, members: &mut [GroupMember], _: &mut [RowCounts]) {
        if let Some((newest, older)) = members.split_last_mut()
            && newest.key == WITHOUT_AWARDS
            && let Some(older) = older.iter_mut().find(|member| member.key == WITH_AWARDS)
            && let [older_tender, contracts @ ..] = older.records.as_slice()
        {
            if let Some(tender) = newest.records.first_mut() {
                tender.fill(older_tender, |_| true);
            }
            newest.records.extend(contracts.iter().cloned());
            newest.bids = older.bids.take();
        }
        crate::sources::reading::merging::keep_newest(members);
    }
}

fn row_output(row: &Value, file: &FileInfo, line: u64, counts: &mut RowCounts) -> Result<RowOutput, &'static str> {
    // In the answer of a search, the row is the opportunity itself.
    let opportunity = row.get("opportunity").filter(|value| value.is_object()).unwrap_or(row);
    let Some(reference) = text_at(opportunity, "/referenceNumber") else {
        bids::refuse_all(row, line, counts);
        return Err("no reference number");
    };
    let mut posting = Posting {
        row,
        opportunity,
        line,
        counts,
    };
    let mut records = vec![posting.tender(&reference)];
    let listed = bids::of_posting(row, opportunity, records[0].id(), line, posting.counts);
    posting
        .contracts(&reference, &mut records)
        .inspect_err(|_| bids::refuse(listed.as_ref(), line, posting.counts))?;
    for record in &mut records {
        record.set("fetched_at", Some(file.fetched_at.as_str()));
    }
    let key = if row.get("awards").is_some() {
        WITH_AWARDS
    } else {
        WITHOUT_AWARDS
    };
    Ok(RowOutput {
        group: reference,
        key: key.to_owned(),
        recency: Recency(posting.changed(), file.modified.timestamp()),
        records,
        bids: listed,
    })
}

/// An opportunity whose records are being made.
struct Posting<'a> {
    /// The opportunity with its bidders and awards.
    row: &'a Value,
    opportunity: &'a Value,
    line: u64,
    counts: &'a mut RowCounts,
}

/// The types of solicitation, for titles that do not name them.
const SOLICITATION_TYPES: [(&str, &str); 9] = [
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

/// The fields that a contract copies from the tender of its opportunity.
#[rustfmt::skip]
const FIELDS_FROM_TENDER: [&str; 24] = [
    "municipality", "publication_date", "start_date", "end_date", "department_en", "buyer_name", "buyer_id", "title_en",
    "description_en", "procurement_category", "procurement_method", "procurement_method_en", "notice_type_en", "reference_number",
    "solicitation_number", "gsin", "unspsc", "unspsc_description_en", "regions_of_delivery_en", "trade_agreements_en",
    "eligibility", "notice_url", "government_level", "province",
];

impl Posting<'_> {
    /// The text or number of an opportunity's member.
    fn text(&self, name: &str) -> Option<String> {
        text_at(self.opportunity, &format!("/{name}"))
    }

    fn note(&mut self, note: &str) {
        self.counts.note(self.line, note);
    }

    fn day(&mut self, value: &Value, name: &str) -> Option<String> {
        let day = text::date(&text_at(value, &format!("/{name}"))?).unwrap_or_else(|_| {
            self.note(&format!("impossible date in {name}, left out"));
            None
        });
        day.map(|day| day.to_string())
    }

    /// The time of the last change of the opportunity or its awards, in milliseconds since 1970; 0
    /// if it states none.
    fn changed(&self) -> u64 {
        let stamps = [
            "amendedOnUtc",
            "latestAmendedDate",
            "awardedOnUtc",
            "cancelledOnUtc",
            "createdOnUtc",
        ];
        let moments = stamps.iter().filter_map(|name| self.text(name));
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
        tender.set("tender_id", self.text("id"));
        tender.set("solicitation_number", self.text("solicitationNumber"));
        tender.set("publication_date", self.day(opportunity, "postDateTime"));
        let closing = self.day(opportunity, "closeDateTime");
        if closing.is_some() {
            tender.set("tender_close_date", self.text("closeDateTime"));
        }
        tender.set("closing_date", closing);
        tender.set("start_date", self.day(opportunity, "deliveryStartDate"));
        tender.set("end_date", self.day(opportunity, "deliveryEndDate"));
        tender.set("title_en", self.text("shortTitle").or_else(|| self.text("title")));
        let description = opportunity.get("projectDescription").and_then(Value::as_str);
        tender.set("description_en", description.and_then(text::block));
        self.set_buyer(&mut tender);
        self.set_category_and_classes(&mut tender);
        self.set_method_and_eligibility(&mut tender);
        let status = self.text("statusCode");
        tender.set("status_en", status.as_deref().map(status_label));
        tender.set("status", status);
        self.set_amendments(&mut tender);
        self.set_contact(&mut tender);
        tender.set("notice_url", Some(format!("{PAGE}{reference}")));
        tender
    }

    /// Sets the buyer and the notice type. They are the parts of the title before the short title:
    /// `Town of Claresholm - Request for Quotes - 4th Street` with the short title `4th Street`.
    fn set_buyer(&mut self, tender: &mut DraftRecord) {
        let code = self.text("solicitationTypeCode");
        let known = SOLICITATION_TYPES
            .iter()
            .find(|(known, _)| code.as_deref() == Some(known));
        let title = self.text("title").unwrap_or_default();
        let short_title = self.text("shortTitle");
        let before = short_title.and_then(|short| title.strip_suffix(&short)?.strip_suffix(" - "));
        let parts = before.and_then(|before| before.rsplit_once(" - "));
        // The answer of a search names the buyer in a member of its own.
        let named = self.text("contractingOrganization");
        let buyer = named
            .as_deref()
            .or(parts.map(|(buyer, _)| buyer))
            .and_then(text::organization);
        if buyer.is_none() {
            self.note("a title that does not name the buyer, recorded without a buyer");
        }
        let notice_type = parts
            .and_then(|(_, notice_type)| text::line(notice_type))
            .or_else(|| known.map(|(_, name)| (*name).to_owned()));
        tender.set("notice_type_en", notice_type.or(code));
        let (municipality, level) = public_bodies::of_body(buyer.as_deref().unwrap_or_default(), "AB");
        tender.set_jurisdiction(&municipality, level, Some("AB"));
        tender.set("department_en", buyer.clone());
        tender.set("buyer_name", buyer);
        tender.set("buyer_id", self.text("contractingOrgId"));
    }

    fn set_category_and_classes(&mut self, tender: &mut DraftRecord) {
        if let Some(code) = self.text("categoryCode") {
            match vocabulary::category(&code) {
                Some(category) => tender.set("procurement_category", Some(category)),
                None => self.note(&unknown("categoryCode", &code)),
            }
        }
        let codes = array_at(self.row, "/commodityCodes");
        // A code is an object with all its levels, of which the finest counts. In the answer of a
        // search it is a text, and the titles are in a list of their own.
        let finest = commodity_levels::finest;
        for code in codes {
            commodity_levels::teach_higher(code, self.counts);
        }
        let unspsc = codes
            .iter()
            .filter_map(|code| finest(code, "").or_else(|| text_at(code, "")));
        tender.set("unspsc", joined(unspsc, ","));
        let titles = array_at(self.row, "/commodityCodeTitles").iter();
        let titles = titles.filter_map(|title| text_at(title, ""));
        let titles = codes.iter().filter_map(|code| finest(code, "Title")).chain(titles);
        tender.set("unspsc_description_en", joined(titles, "; "));
        let gsin = codes.iter().filter_map(|code| text_at(code, "/gsinCode"));
        tender.set("gsin", joined(gsin, ","));
        let regions = self.text("regionOfDelivery").unwrap_or_default();
        let regions = regions.split(',').filter_map(text::line);
        let listed = array_at(self.opportunity, "/regionOfDelivery").iter();
        let regions = regions.chain(listed.filter_map(|region| text_at(region, "")));
        tender.set("regions_of_delivery_en", joined(regions, "; "));
    }

    fn set_method_and_eligibility(&mut self, tender: &mut DraftRecord) {
        let method = self.text("postingTypeCode");
        tender.set("procurement_method_en", method.as_deref().map(label));
        tender.set("procurement_method", method);
        let agreements = self
            .text("actualTradeAgreement")
            .or_else(|| self.text("estimatedTradeAgreement"));
        let agreements = agreements.unwrap_or_default();
        let agreements: Vec<String> = agreements.split('/').filter_map(text::line).collect();
        let mut eligibility = serde_json::Map::new();
        if !agreements.is_empty() {
            tender.set("trade_agreements_en", joined(agreements.clone(), "; "));
            eligibility.insert("trade_agreements".to_owned(), json!(agreements));
        }
        if let Some(reason) = self.text("tradeAgreementExceptionCodeType") {
            eligibility.insert("limited_tendering_reason_en".to_owned(), json!(reason));
        }
        if !eligibility.is_empty() {
            tender.set("eligibility", Some(Value::Object(eligibility)));
        }
    }

    fn set_amendments(&mut self, tender: &mut DraftRecord) {
        let opportunity = self.opportunity;
        let number = opportunity.get("amendmentNumber").and_then(Value::as_u64).unwrap_or(0);
        if number == 0 {
            return;
        }
        let date_member = match self.text("latestAmendedDate") {
            Some(_) => "latestAmendedDate",
            None => "amendedOnUtc",
        };
        tender.set("amendment_number", Some(number.to_string()));
        tender.set("amendment_count", Some(json!(number)));
        tender.set("amendment_date", self.day(opportunity, date_member));
    }

    fn set_contact(&self, tender: &mut DraftRecord) {
        let contact = |name: &str| self.text(&format!("contactInformation/{name}"));
        let names = [contact("firstName"), contact("lastName")];
        tender.set("contact_name", joined(names.into_iter().flatten(), " "));
        tender.set("contact_email", contact("emailAddress"));
        // A number of zeros is a placeholder.
        let is_number = |phone: &String| phone.bytes().any(|b| (b'1'..=b'9').contains(&b));
        if let Some(mut phone) = contact("phoneNumber").filter(is_number) {
            if let Some(extension) = contact("phoneNumberExtension") {
                phone.push_str(&format!(" ext. {extension}"));
            }
            tender.set("contact_phone", Some(phone));
        }
    }

    /// Appends one contract per award that no later award revises. Contracts have no status: the
    /// opportunity's status says nothing about the course of a contract.
    fn contracts(&mut self, reference: &str, records: &mut Vec<DraftRecord>) -> Result<(), &'static str> {
        let mut budget = RowBudget::new();
        let mut awards: Vec<&Value> = array_at(self.row, "/awards").iter().collect();
        awards.sort_by_cached_key(|award| (text_at(award, "/createdOnUtc"), text_at(award, "/id")));
        let revised = awards.iter().filter_map(|award| text_at(award, "/originalAwardId"));
        let revised: HashSet<String> = revised.collect();
        for (award, number) in awards.into_iter().zip(1..) {
            if text_at(award, "/id").is_some_and(|id| revised.contains(&id)) {
                self.note("an award that a later award revises, no contract recorded");
                continue;
            }
            let name = text_at(award, "/alternativeSupplierDisplayName");
            let Some(vendor) = name.as_deref().and_then(text::organization) else {
                self.note("a winner without a name, no contract recorded");
                continue;
            };
            let mut contract = DraftRecord::new(EntityType::Contract);
            if let Some(tender) = records.first() {
                contract.copy(tender, &FIELDS_FROM_TENDER);
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
            budget.take(&contract)?;
            records.push(contract);
        }
        Ok(())
    }

    fn money(&mut self, award: &Value) -> Option<f64> {
        text::given_amount(&text_at(award, "/amount")?).unwrap_or_else(|_| {
            self.note("unreadable amount in amount, left out");
            None
        })
    }
}

fn set_address(contract: &mut DraftRecord, award: &Value) {
    let part = |name: &str| text_at(award, &format!("/address/{name}"));
    // The code is that of ISO 3166-2: `CA-AB`.
    let province = part("stateProvince");
    let province = province
        .as_deref()
        .map(|code| code.split_once('-').map_or(code, |(_, province)| province))
        .filter(|code| !code.is_empty());
    let lines = [
        part("streetAddress"),
        part("streetAddress2"),
        part("city"),
        province.map(str::to_owned),
        part("postalCode"),
    ];
    contract.set("supplier_address", joined(lines.into_iter().flatten(), ", "));
    contract.set("vendor_city", part("city"));
    contract.set("vendor_province", province);
    let postal_code = part("postalCode");
    contract.set("vendor_postal_code", postal_code.as_deref().and_then(text::postal_code));
    let country = part("country").map(|country| countries::code(country.into()).into_owned());
    contract.set("vendor_country", country);
}

/// The distinct texts in their order, joined; `None` if there are none.
fn joined(texts: impl IntoIterator<Item = String>, separator: &str) -> Option<Cow<'static, str>> {
    let mut seen = HashSet::new();
    let distinct = texts.into_iter().filter(|text| seen.insert(text.clone()));
    text::joined(distinct.map(Cow::from).collect(), separator)
}

fn status_label(code: &str) -> String {
    if code == "AWARD" {
        "Awarded".to_owned()
    } else {
        label(code)
    }
}

/// A label made of a code: `Open competitive` for `OPEN-COMPETITIVE`.
fn label(code: &str) -> String {
    let words = code.to_lowercase().replace(['-', '_'], " ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
