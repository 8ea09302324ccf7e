//! A record of a dump: one JSON object on one line, read by role, stored and served as the bytes
//! that were read.
//!
//! **Invariant:** the bytes of a parsed record are valid UTF-8 JSON on one line with a valid
//! `record_id`, so that they can be spliced into a response without parsing them again.

use std::borrow::Cow;

use crate::model::{
    body_class::body_class,
    commodity,
    countries::{country_key, further_keys},
    date::Date,
    entity_type::EntityType,
    fold::fold,
    procurement_method,
    record_values::{RecordValue, parse_values},
    schema::{Role, Schema},
    similarity_terms, vocabulary,
};

pub(crate) use crate::model::record_values::{MAX_DEPTH, MAX_ID_BYTES, RESERVED_IDS, RecordError};

/// The maximum length in bytes of a folded name or number in a filter; the rest is not compared.
pub(crate) const MAX_KEY_BYTES: usize = 1024;

/// How much a value differs at least from the one before amendments: cents differ by rounding.
const AMENDED_BY: f64 = 1.0;

/// Whether an amendment number is that of an amendment; `000` and an empty field are the original.
pub(crate) fn is_amendment(number: &str) -> bool {
    number.bytes().any(|b| b != b'0')
}

/// The currency of all sums.
pub const CANADIAN: &str = "CAD";

/// A parsed record. Fields that the schema does not declare are ignored; they remain in the bytes.
#[derive(Debug)]
pub struct Record<'a> {
    schema: &'static Schema,
    values: Vec<RecordValue<'a>>,
    /// See [`Record::listed_bidders`].
    listed_bidders: Option<u32>,
}

impl<'a> Record<'a> {
    pub fn parse(schema: &'static Schema, line: &'a [u8]) -> Result<Record<'a>, RecordError> {
        let text = simdutf8::basic::from_utf8(line).map_err(|_| RecordError::NotUtf8)?;
        let values = parse_values(schema, text)?;
        let record = Record {
            schema,
            values,
            listed_bidders: None,
        };
        let id_bytes = record.texts(Role::RecordId).next().map_or(0, str::len);
        match id_bytes {
            0 => Err(RecordError::NoRecordId),
            long if long > MAX_ID_BYTES => Err(RecordError::RecordIdTooLong(long)),
            _ => Ok(record),
        }
    }

    pub(crate) fn entity_type(&self) -> EntityType {
        self.schema.entity_type
    }

    /// The record with the number of bidders that the notice of its open call lists.
    pub(crate) fn with_listed_bidders(self, listed_bidders: Option<u32>) -> Record<'a> {
        Record { listed_bidders, ..self }
    }

    /// The number of bidders that the notice of the record's open call lists. Only a record that is being indexed has
    /// it: the notice is another record.
    pub(crate) fn listed_bidders(&self) -> Option<u32> {
        self.listed_bidders
    }

    /// The record's identifier; never empty.
    pub fn id(&self) -> &str {
        self.texts(Role::RecordId)
            .next()
            .expect("parse refuses a record without an id")
    }

    /// The text of a declared field, if the record has one.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.schema
            .field_number(field)
            .and_then(|number| self.values[number].as_text())
    }

    /// The object, or the array of objects, of a declared field as JSON, if the record has one.
    pub(crate) fn nested(&self, field: &str) -> Option<&str> {
        match self.values[self.schema.field_number(field)?] {
            RecordValue::Nested(json) => Some(json),
            _ => None,
        }
    }

    /// The texts of the fields with a role, in the role's order.
    pub fn texts(&self, role: Role) -> impl Iterator<Item = &str> {
        self.named_texts(role).map(|(_, text)| text)
    }

    /// The texts that `q` searches without the names of those who sell and buy.
    pub fn purchase_texts(&self) -> impl Iterator<Item = &str> {
        let [vendors, departments] = [Role::Vendor, Role::Department].map(|role| self.schema.role(role));
        let is_name = move |number: &usize| vendors.contains(number) || departments.contains(number);
        let fields = self
            .schema
            .role(Role::Text)
            .iter()
            .filter(move |number| !is_name(number));
        fields.filter_map(|number| self.values[*number].as_text())
    }

    /// Pairs of field name and text, for the fields with a role.
    pub(crate) fn named_texts(&self, role: Role) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.schema.role(role).iter();
        fields.filter_map(|number| {
            Some((
                self.schema.fields[*number].name.as_str(),
                self.values[*number].as_text()?,
            ))
        })
    }

    /// Calls `each` with every similarity term of the record; repeated terms repeat.
    pub fn similarity_terms(&self, mut each: impl FnMut(&str)) {
        for (field, text) in self.named_texts(Role::Subject) {
            similarity_terms::words(text, similarity_terms::languages(field), &mut each);
        }
    }

    /// The names of the declared fields that the record has.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        let fields = self.schema.fields.iter().zip(&self.values);
        fields
            .filter(|(_, value)| !matches!(value, RecordValue::Absent))
            .map(|(field, _)| field.name.as_str())
    }

    /// Writes a bit for each declared field: whether the record has it.
    pub(crate) fn write_presence(&self, out: &mut Vec<u8>) {
        let is_present = |value: &RecordValue| u8::from(!matches!(value, RecordValue::Absent));
        let byte = |values: &[RecordValue]| values.iter().fold(0, |byte, value| byte << 1 | is_present(value));
        out.extend(self.values.chunks(8).map(byte));
    }

    /// The date of a role: the first of its fields with a valid one.
    pub fn date(&self, role: Role) -> Option<Date> {
        self.texts(role).find_map(|text| Date::parse_prefix(text).ok())
    }

    /// The value is stated by the first value field with a number other than zero, else
    /// zero if one states it. In the currency of the record.
    pub fn value(&self) -> Option<f64> {
        let numbers = || {
            let fields = self.schema.role(Role::Value).iter();
            fields.filter_map(|number| match self.values[*number] {
                RecordValue::Number(value) => Some(value),
                _ => None,
            })
        };
        numbers().find(|value| *value != 0.0).or_else(|| numbers().next())
    }

    /// The value before amendments, in the currency of the record.
    pub fn original_value(&self) -> Option<f64> {
        let mut fields = self.schema.role(Role::OriginalValue).iter();
        fields.find_map(|number| match self.values[*number] {
            RecordValue::Number(value) => Some(value),
            _ => None,
        })
    }

    /// Whether the record states that its contract was amended: by how often, by the number of an amendment, by
    /// spending beyond its amount, or, where it states none of these, by another value before the amendments. `None` if
    /// it states none of them.
    fn is_amended(&self) -> Option<bool> {
        let of_amendments = self.schema.role(Role::Amended).iter();
        let of_amendments = of_amendments.filter(|number| !self.schema.role(Role::OriginalValue).contains(number));
        let is_spending = |number: usize| self.schema.fields[number].name == EXTRA_SPENDING;
        let stated = of_amendments.filter_map(|number| match &self.values[*number] {
            // Without spending, the contract may have been amended in another way.
            RecordValue::Number(spent) if is_spending(*number) => (*spent > 0.0).then_some(true),
            RecordValue::Number(count) => Some(*count > 0.0),
            RecordValue::Text(number) => Some(is_amendment(number.trim())),
            _ => None,
        });
        let by_value = || Some((self.value()? - self.original_value()?).abs() >= AMENDED_BY);
        stated.reduce(|one, other| one || other).or_else(by_value)
    }

    /// The currency of the amounts: the stated one, [`CANADIAN`] for a value without one.
    pub fn currency(&self) -> Option<&str> {
        let stated = self.text("currency").map(str::trim).filter(|text| !text.is_empty());
        stated.or_else(|| self.value().map(|_| CANADIAN))
    }

    /// Decision D-225: whether the amounts of the record count in sums.
    pub fn is_in_canadian_dollars(&self) -> bool {
        self.currency().is_none_or(|currency| currency == CANADIAN)
    }

    /// The value in Canadian dollars; `None` without a positive value, or in another currency.
    pub(crate) fn dollars(&self) -> Option<f64> {
        self.value()
            .filter(|value| self.is_in_canadian_dollars() && value.is_finite() && *value > 0.0)
    }

    /// The name and text of a date field with an invalid date. The record is kept without that
    /// date.
    pub(crate) fn unreadable_date(&self) -> Option<(&str, &str)> {
        let dates = [Role::Date, Role::ClosingDate, Role::EndDate]
            .into_iter()
            .flat_map(|role| self.schema.role(role));
        dates.copied().find_map(|number| {
            let text = self.values[number].as_text()?;
            let unreadable = Date::parse_prefix(text).is_err();
            unreadable.then(|| (self.schema.fields[number].name.as_str(), text))
        })
    }

    /// What is doubtful about the record: those members of [`vocabulary::QUALITY_FLAGS`] that it
    /// states, in the vocabulary's order.
    pub(crate) fn quality_flags(&self) -> impl Iterator<Item = &'static str> {
        let stated: Vec<&[Cow<str>]> = self
            .schema
            .role(Role::QualityFlag)
            .iter()
            .filter_map(|number| match &self.values[*number] {
                RecordValue::Texts(texts) => Some(texts.as_slice()),
                _ => None,
            })
            .collect();
        let is_stated = move |flag: &&str| stated.iter().any(|texts| texts.iter().any(|text| text == flag));
        vocabulary::QUALITY_FLAGS.into_iter().filter(is_stated)
    }

    /// By the texts of [`Role::Region`], on which its keys depend.
    fn is_federal(&self) -> bool {
        let mut texts = self.named_texts(Role::Region);
        texts.any(|(field, text)| field == LEVEL && text == "federal")
    }

    /// The key that all fields of the role together give.
    fn derived_key(&self, role: Role) -> Option<&'static str> {
        let texts = self.named_texts(role);
        match role {
            Role::Competition if self.schema.has_role(role) => {
                Some(procurement_method::competition(texts.map(|(_, method)| method)))
            }
            Role::BodyClass => {
                let names = texts.filter(|(field, _)| *field != LEVEL);
                body_class(names.map(|(_, name)| name), self.text(LEVEL))
            }
            Role::Amended => self.is_amended().map(|is_amended| AMENDED[usize::from(!is_amended)]),
            _ => None,
        }
    }

    /// The distinct keys that a filter on the role compares with. Only this function makes keys of
    /// stored texts; [`query_key`] makes keys of queried texts.
    pub fn keys(&self, role: Role) -> Vec<Cow<'_, str>> {
        let mut keys: Vec<Cow<'_, str>> = Vec::new();
        let mut push = |key| {
            let key: Cow<'_, str> = key;
            if !key.is_empty() && !keys.contains(&key) {
                keys.push(key);
            }
        };
        let status = match self.schema.entity_type {
            EntityType::Tender | EntityType::PreSolicitation => vocabulary::tender_status,
            _ => vocabulary::status,
        };
        for (field, text) in self.named_texts(role) {
            match role {
                Role::RecordId => push(Cow::Borrowed(text)),
                // All fields together: `derived_key`.
                Role::Competition | Role::Amended | Role::BodyClass => {}
                Role::Category => vocabulary::categories(text).for_each(|code| push(Cow::Borrowed(code))),
                Role::Status => {
                    if let Some(status) = status(text) {
                        push(Cow::Borrowed(status));
                    }
                }
                // A text such as "N/A" would join all records without a number.
                Role::SolicitationNumber if !vocabulary::identifies(text) => {}
                Role::ReferenceNumber if field == OTHER_NUMBERS => text
                    .split(BETWEEN_NUMBERS)
                    .for_each(|number| push(Cow::Owned(query_key(role, number)))),
                // A federal office buys for all of Canada: where it is says nothing.
                Role::Region if field == LEVEL || (field == PROVINCE && self.is_federal()) => {}
                Role::Region => text
                    .split(BETWEEN_REGIONS)
                    .for_each(|region| push(Cow::Owned(query_key(role, region)))),
                Role::Commodity => commodity::keys(field, text).for_each(|key| push(Cow::Owned(key))),
                _ => push(Cow::Owned(query_key(role, text))),
            }
        }
        keys.extend(self.derived_key(role).map(Cow::Borrowed));
        if role == Role::VendorCountry {
            let further = keys.first().map_or(&[][..], |key| further_keys(key));
            keys.extend(further.iter().copied().map(Cow::Borrowed));
        }
        if role == Role::QualityFlag {
            for flag in self.quality_flags() {
                keys.push(Cow::Borrowed(flag));
            }
            if keys.is_empty() {
                keys.push(Cow::Borrowed(vocabulary::NO_QUALITY_FLAG));
            }
        }
        if role == Role::Status {
            // The fields state one status in two languages; the first known one counts.
            keys.truncate(1);
        }
        keys
    }
}

/// The keys of [`Role::Amended`].
pub(crate) const AMENDED: [&str; 2] = ["true", "false"];

/// The field with the spending beyond the amount of a contract.
const EXTRA_SPENDING: &str = "extra_spending";

/// The field with several reference numbers.
pub(crate) const OTHER_NUMBERS: &str = "amendment_reference_numbers";
/// Separates the numbers of [`OTHER_NUMBERS`].
pub(crate) const BETWEEN_NUMBERS: &str = "; ";

/// The fields with the province and the level of the buyer, and what separates regions of delivery.
const PROVINCE: &str = "province";
const LEVEL: &str = "government_level";
const BETWEEN_REGIONS: char = ';';

/// The key of a client's filter value, to compare with the keys of a record.
pub fn query_key(role: Role, text: &str) -> String {
    let mut key = match role {
        Role::VendorProvince => vocabulary::province(text),
        Role::VendorCountry => country_key(text),
        Role::Region => vocabulary::region(text).map_or_else(|| fold(text), str::to_owned),
        Role::ReferenceNumber | Role::Commodity => text.trim().to_lowercase(),
        Role::Municipality
        | Role::Category
        | Role::Status
        | Role::QualityFlag
        | Role::Competition
        | Role::Amended
        | Role::BodyClass
        | Role::RecordId => text.trim().to_owned(),
        Role::SolicitationNumber => vocabulary::solicitation_number(text),
        _ => fold(text),
    };
    truncate_key(&mut key);
    key
}

/// Cuts a key off where it is longer than an index keeps.
pub(crate) fn truncate_key(key: &mut String) {
    if key.len() > MAX_KEY_BYTES {
        key.truncate(key.floor_char_boundary(MAX_KEY_BYTES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn award(json: &str) -> Result<Record<'_>, RecordError> {
        Record::parse(Schema::of(EntityType::Award), json.as_bytes())
    }

    #[test]
    fn invalid_records_are_refused_with_the_reason() {
        for (line, why) in [
            (r#"{"record_id":"a""#, "not JSON: EOF"),
            (r#"{"record_id":"a"} x"#, "not JSON: trailing"),
            (r#"["record_id"]"#, "not a JSON object"),
            ("7", "not a JSON object"),
            ("nope", "not JSON"),
            ("{}", "no record_id"),
            (r#"{"record_id":""}"#, "no record_id"),
            (r#"{"record_id":null}"#, "no record_id"),
            (r#"{"record_id":7}"#, "field record_id must be a string, found a number"),
            (
                r#"{"record_id":"a","contract_value":"7"}"#,
                "field contract_value must be a number, found a string",
            ),
            (
                r#"{"record_id":"a","eligibility":[]}"#,
                "field eligibility must be an object, found an array",
            ),
            (
                r#"{"record_id":"a","title_en":true}"#,
                "field title_en must be a string, found a boolean",
            ),
        ] {
            let error = award(line).unwrap_err().to_string();
            assert!(error.starts_with(why), "{line}: {error}");
        }
        assert_eq!(
            Record::parse(Schema::of(EntityType::Award), b"{\"record_id\":\"\xff\"}").unwrap_err(),
            RecordError::NotUtf8
        );
    }

    #[test]
    fn regions_are_those_of_delivery_and_the_province_of_buyers_that_are_not_federal() {
        for (level, expected) in [
            ("federal", &["on", "national capital region", "surrey"][..]),
            ("municipal", &["on", "national capital region", "surrey", "bc"]),
        ] {
            let json = format!(
                r#"{{"record_id":"a","regions_of_delivery_en":"Ontario; National Capital Region (NCR);Surrey",
                "regions_of_delivery_fr":"Ontario; Région de la capitale nationale (RCN); Surrey",
                "province":"BC","government_level":"{level}"}}"#
            );
            let record = Record::parse(Schema::of(EntityType::Tender), json.as_bytes()).unwrap();
            assert_eq!(record.keys(Role::Region), expected);
        }
        for (region, key) in [
            ("Eastern Townships", "estrie"),
            ("qc", "qc"),
            ("Hors Québec", "hors quebec"),
        ] {
            assert_eq!(query_key(Role::Region, region), key);
        }
    }

    #[test]
    fn a_disclosure_has_the_reference_numbers_of_its_amendments() {
        let json = br#"{"record_id":"a","reference_number":"C-1","amendment_reference_numbers":"C-2; c-3; C-1"}"#;
        let record = Record::parse(Schema::of(EntityType::Disclosure), json).unwrap();
        assert_eq!(record.keys(Role::ReferenceNumber), ["c-1", "c-2", "c-3"]);
        let json = br#"{"record_id":"a","reference_number":"C-1; C-2"}"#;
        let record = Record::parse(Schema::of(EntityType::Disclosure), json).unwrap();
        assert_eq!(
            record.keys(Role::ReferenceNumber),
            ["c-1; c-2"],
            "one number, as written"
        );
    }

    #[test]
    fn a_contract_is_amended_if_its_amendments_or_else_its_values_say_so() {
        for (fields, expected) in [
            (r#""amendment_count":2"#, Some("true")),
            (r#""amendment_count":0"#, Some("false")),
            (r#""amendment_number":"001""#, Some("true")),
            (r#""amendment_number":"000","amendment_count":0"#, Some("false")),
            (r#""original_value":100.0,"contract_value":120.0"#, Some("true")),
            (r#""original_value":100.0,"contract_value":100.0"#, Some("false")),
            (
                r#""original_value":100.0,"contract_value":100.0,"amendment_count":1"#,
                Some("true"),
            ),
            (
                r#""original_value":100.0,"contract_value":120.0,"amendment_count":0"#,
                Some("false"),
            ),
            (r#""original_value":100.0,"contract_value":100.01"#, Some("false")),
            (r#""amendment_number":"A""#, Some("true")),
            (r#""original_value":100.0"#, None),
            (r#""contract_value":100.0"#, None),
            (r#""contract_value":100.0,"extra_spending":20.0"#, Some("true")),
            (r#""extra_spending":0.01"#, Some("true")),
            (r#""extra_spending":20.0,"amendment_count":0"#, Some("true")),
            (
                r#""original_value":100.0,"contract_value":100.0,"extra_spending":20.0"#,
                Some("true"),
            ),
            (
                r#""original_value":100.0,"contract_value":120.0,"extra_spending":0.0"#,
                Some("true"),
            ),
            (r#""extra_spending":0.0,"amendment_count":0"#, Some("false")),
            (r#""extra_spending":0.0"#, None),
            (r#""extra_spending":-20.0"#, None),
        ] {
            let json = format!(r#"{{"record_id":"a",{fields}}}"#);
            let record = Record::parse(Schema::of(EntityType::Contract), json.as_bytes()).unwrap();
            let keys = record.keys(Role::Amended);
            assert_eq!(keys.first().map(AsRef::as_ref), expected, "{fields}");
        }
    }

    #[test]
    fn values_are_read_by_role() {
        let record = award(
            r#"{"record_id":"a|1","contract_value":5,"total_contract_value":null,"award_date":"2024-02-30",
                "status_en":"Something","status_fr":"Annulé","procurement_category":"GD,SRV","unknown":{"x":[1]},
                "vendor_name":"L\u00e9o & Fils","vendor_name_standardized":"LÉO & FILS","vendor_province":"Québec"}"#,
        )
        .unwrap();
        assert_eq!(record.id(), "a|1");
        assert_eq!(record.value(), Some(5.0));
        assert_eq!(record.date(Role::Date), None);
        assert_eq!(record.unreadable_date(), Some(("award_date", "2024-02-30")));
        assert_eq!(record.keys(Role::Status), ["Cancelled"]);
        assert_eq!(record.keys(Role::Category), ["GD", "SRV"]);
        assert_eq!(record.keys(Role::Vendor), ["leo & fils"]);
        assert_eq!(record.keys(Role::VendorProvince), ["qc"]);
        assert!(record.keys(Role::NoticeType).is_empty());
    }

    #[test]
    fn the_value_of_an_award_is_the_stated_one_of_two() {
        for (amounts, value) in [
            (r#""total_contract_value":0.0,"contract_value":7.5"#, Some(7.5)),
            (r#""total_contract_value":9,"contract_value":7.5"#, Some(9.0)),
            (r#""total_contract_value":0,"contract_value":0"#, Some(0.0)),
            (r#""total_contract_value":0"#, Some(0.0)),
            (r#""contract_value":7.5"#, Some(7.5)),
            (r#""title_en":"x""#, None),
        ] {
            let json = format!(r#"{{"record_id":"a",{amounts}}}"#);
            assert_eq!(award(&json).unwrap().value(), value, "{amounts}");
        }
    }

    #[test]
    fn only_known_quality_flags_are_read_in_the_order_of_the_vocabulary() {
        for (stated, keys) in [
            (
                r#","quality_flags":["no_vendor","bogus",7,"placeholder_value"]"#,
                &["placeholder_value", "no_vendor"][..],
            ),
            (r#","quality_flags":[]"#, &["none"]),
            (r#","quality_flags":null"#, &["none"]),
            ("", &["none"]),
        ] {
            let json = format!(r#"{{"record_id":"a"{stated}}}"#);
            assert_eq!(award(&json).unwrap().keys(Role::QualityFlag), keys, "{stated}");
        }
        let error = award(r#"{"record_id":"a","quality_flags":"no_vendor"}"#).unwrap_err();
        assert!(
            error.to_string().ends_with("must be an array, found a string"),
            "{error}"
        );
    }

    #[test]
    fn an_active_tender_is_open_and_an_active_contract_is_active() {
        for (entity_type, json, key) in [
            (
                EntityType::Tender,
                r#"{"record_id":"a","status":"active","status_en":"Active"}"#,
                "Open",
            ),
            (
                EntityType::Tender,
                r#"{"record_id":"a","status":"Active","status_en":"Active"}"#,
                "Active",
            ),
            (
                EntityType::PreSolicitation,
                r#"{"record_id":"a","status":"active"}"#,
                "Open",
            ),
            (
                EntityType::Contract,
                r#"{"record_id":"a","status":"active","status_en":"Active"}"#,
                "Active",
            ),
        ] {
            let record = Record::parse(Schema::of(entity_type), json.as_bytes()).unwrap();
            assert_eq!(record.keys(Role::Status), [key], "{entity_type}: {json}");
            assert_eq!(record.text("status").map(str::to_lowercase).as_deref(), Some("active"));
        }
    }
}
