//! What publishers state about suppliers: under which name, with which official number, and where.
//!
//! `procure normalize` collects mentions and writes them next to the dumps; `procure index` decides from them which
//! names are one supplier.

use std::{
    collections::{BTreeMap, hash_map::Entry},
    fmt,
};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::model::{Date, Record, Role, statements::Statements};

/// What one statement of a publisher says of a supplier.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SupplierMention {
    /// As published.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<OfficialNumber>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    /// Another name that the same row gives to the same supplier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_name: Option<String>,
    /// What the other name is; only with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
    pub source: String,
}

/// What another name of a supplier is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    LegalName,
    OperatingName,
    StandardizedName,
}

/// Who gave a supplier its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NumberKind {
    /// Quebec's enterprise number: ten digits, of which the first two state the legal form.
    Neq,
    /// The identifier of an account on Alberta's portal.
    Alberta,
    /// The identifier of a body on Quebec's portal.
    Seao,
}

/// A number that identifies one legal person, written `neq:1142700724`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OfficialNumber {
    pub kind: NumberKind,
    pub number: String,
}

/// Why a number identifies nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefusedNumber {
    /// Typed because the form asks for a number.
    Placeholder,
    /// Not of the form of its kind.
    Malformed,
}

/// A mention with how often it was read, and the first day that it is about: a line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MentionLine {
    #[serde(flatten)]
    pub mention: SupplierMention,
    pub count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "day")]
    pub first: Option<Date>,
}

/// Mentions that are being collected. Memory: the distinct mentions.
#[derive(Debug, Default)]
pub struct SupplierMentions {
    mentions: FxHashMap<SupplierMention, (u64, Option<Date>)>,
    /// Numbers that were refused, by source.
    refused: BTreeMap<(String, RefusedNumber), u64>,
    /// What records state, with the number of records and the first day.
    stated: Statements<(u64, Option<Date>), STATED>,
}

/// The maximum length of a name or a city, in bytes. A longer one is a text in the wrong column.
pub(crate) const MAX_NAME_BYTES: usize = 400;

/// The start of an identifier that is an enterprise number of Quebec.
const NEQ: &str = "FO-";

/// The start of the identifier of a body on Quebec's portal.
const BODY: &str = "OP-";

/// The fields of a record with further names of its supplier.
const RELATIONS: [(&str, Relation); 3] = [
    ("supplier_legal_name", Relation::LegalName),
    ("supplier_operating_name", Relation::OperatingName),
    ("vendor_name_standardized", Relation::StandardizedName),
];

/// How many texts a record states of its supplier: name, source, city, postal code, identifier, and those of
/// [`RELATIONS`].
const STATED: usize = 5 + RELATIONS.len();

impl NumberKind {
    pub(crate) const ALL: [NumberKind; 3] = [NumberKind::Neq, NumberKind::Alberta, NumberKind::Seao];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            NumberKind::Neq => "neq",
            NumberKind::Alberta => "alberta",
            NumberKind::Seao => "seao",
        }
    }
}

impl OfficialNumber {
    /// Quebec's enterprise number; `None` if the text is empty.
    pub(crate) fn neq(text: &str) -> Result<Option<OfficialNumber>, RefusedNumber> {
        let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if digits.is_empty() {
            return Ok(None);
        }
        if digits.len() != 10 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(RefusedNumber::Malformed);
        }
        let is_repeated = digits.bytes().all(|b| b == digits.as_bytes()[0]);
        let is_counted = digits == "0123456789" || digits == "1234567890";
        if is_repeated || is_counted || ["00", "10", "12"].iter().any(|start| digits.starts_with(start)) {
            return Err(RefusedNumber::Placeholder);
        }
        if !["11", "22", "33", "88"].iter().any(|form| digits.starts_with(form)) {
            return Err(RefusedNumber::Malformed);
        }
        Ok(Some(OfficialNumber {
            kind: NumberKind::Neq,
            number: digits,
        }))
    }

    /// The identifier of an account on Alberta's portal.
    pub(crate) fn alberta(id: &str) -> Option<OfficialNumber> {
        OfficialNumber::of_account(NumberKind::Alberta, id)
    }

    /// The identifier of a body on Quebec's portal, such as `OP-59053`.
    pub(crate) fn seao(id: &str) -> Option<OfficialNumber> {
        OfficialNumber::of_account(NumberKind::Seao, id)
    }

    fn of_account(kind: NumberKind, id: &str) -> Option<OfficialNumber> {
        let number = id.trim().to_lowercase();
        let is_id = (1..=64).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        is_id.then_some(OfficialNumber { kind, number })
    }

    /// The inverse of its text.
    pub(crate) fn parse(text: &str) -> Option<OfficialNumber> {
        let (kind, number) = text.split_once(':')?;
        match NumberKind::ALL.into_iter().find(|known| known.name() == kind)? {
            NumberKind::Neq => OfficialNumber::neq(number).ok().flatten(),
            kind => OfficialNumber::of_account(kind, number),
        }
    }
}

impl fmt::Display for OfficialNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name(), self.number)
    }
}

impl Serialize for OfficialNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for OfficialNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        OfficialNumber::parse(&text).ok_or_else(|| D::Error::custom(format!("'{text}' is not an official number")))
    }
}

impl SupplierMention {
    /// A mention of a name alone.
    pub(crate) fn of(name: &str, source: &str) -> SupplierMention {
        SupplierMention {
            name: name.trim().to_owned(),
            number: None,
            city: None,
            postal_code: None,
            other_name: None,
            relation: None,
            source: source.to_owned(),
        }
    }

    pub(crate) fn at(self, city: Option<&str>, postal_code: Option<&str>) -> SupplierMention {
        let given = |text: Option<&str>| {
            let text = text.map(str::trim).filter(|text| !text.is_empty());
            text.filter(|text| text.len() <= MAX_NAME_BYTES).map(str::to_owned)
        };
        SupplierMention {
            city: given(city),
            postal_code: given(postal_code),
            ..self
        }
    }

    pub(crate) fn with_number(self, number: Option<OfficialNumber>) -> SupplierMention {
        SupplierMention { number, ..self }
    }

    pub(crate) fn also(self, other_name: &str, relation: Relation) -> SupplierMention {
        SupplierMention {
            other_name: Some(other_name.trim().to_owned()),
            relation: Some(relation),
            ..self
        }
    }
}

impl SupplierMentions {
    /// Counts a mention that was made so many times. One whose name is empty or very long is left out.
    fn add(&mut self, mention: SupplierMention, times: u64, day: Option<Date>) {
        let is_name = |name: &str| (1..=MAX_NAME_BYTES).contains(&name.len());
        if is_name(&mention.name) && mention.other_name.as_deref().is_none_or(is_name) {
            self.count(mention, times, day);
        }
    }

    fn count(&mut self, mention: SupplierMention, count: u64, day: Option<Date>) {
        match self.mentions.entry(mention) {
            Entry::Occupied(mut known) => {
                let (counted, first) = known.get_mut();
                *counted += count;
                *first = earlier(*first, day);
            }
            Entry::Vacant(new) => {
                new.insert((count, day));
            }
        }
    }

    /// Counts a mention with the text of its Quebec enterprise number. A number that is refused is counted apart.
    pub(crate) fn add_with_neq(&mut self, mention: SupplierMention, neq: &str, day: Option<Date>) {
        self.add_times_with_neq(mention, neq, 1, day);
    }

    fn add_times_with_neq(&mut self, mention: SupplierMention, neq: &str, times: u64, day: Option<Date>) {
        let number = OfficialNumber::neq(neq).unwrap_or_else(|why| {
            *self.refused.entry((mention.source.clone(), why)).or_default() += times;
            None
        });
        self.add(mention.with_number(number), times, day);
    }

    /// Counts what a record states: its supplier, and the further names that it gives to it.
    pub(crate) fn observe(&mut self, record: &Record, source: &str) {
        let Some(name) = record.text("vendor_name") else {
            return;
        };
        // An identifier that says nothing would make each statement another one.
        let id = record
            .text("vendor_id")
            .filter(|id| source == "alberta" || id.starts_with(NEQ));
        let [legal, operating, standardized] = RELATIONS.map(|(field, _)| record.text(field));
        let stated = [
            Some(name),
            Some(source),
            record.text("vendor_city"),
            record.text("vendor_postal_code"),
            id,
            legal,
            operating,
            standardized,
        ];
        self.count_stated(stated, record);
    }

    /// Counts what a record states: its buyer, if it has an identifier.
    pub(crate) fn observe_buyer(&mut self, record: &Record, source: &str) {
        let mut names = ["buyer_name", "department_en", "department_fr"].into_iter();
        let name = names.find_map(|field| record.text(field).filter(|name| !name.trim().is_empty()));
        if let (Some(name), Some(id)) = (name, record.text("buyer_id")) {
            let stated = [Some(name), Some(source), None, None, Some(id), None, None, None];
            self.count_stated(stated, record);
        }
    }

    fn count_stated(&mut self, stated: [Option<&str>; STATED], record: &Record) {
        let (times, first) = self.stated.counted(stated);
        *times += 1;
        *first = earlier(*first, record.date(Role::Date));
        if self.stated.are_many() {
            self.settle();
        }
    }

    /// Reads what records have stated.
    fn settle(&mut self) {
        let mut stated = std::mem::take(&mut self.stated);
        stated.take_all(|[name, source, city, postal_code, id, others @ ..], (times, day)| {
            let (name, source) = (name.unwrap_or_default(), source.unwrap_or_default());
            let mention = SupplierMention::of(name, source).at(city, postal_code);
            let id = id.unwrap_or_default();
            if let Some(neq) = id.strip_prefix(NEQ).filter(|neq| neq.len() == 10) {
                self.add_times_with_neq(mention, neq, times, day);
            } else {
                let number = match source {
                    "alberta" => OfficialNumber::alberta(id),
                    _ => OfficialNumber::seao(id).filter(|_| id.starts_with(BODY)),
                };
                self.add(mention.with_number(number), times, day);
            }
            let others: [Option<&str>; RELATIONS.len()] = others;
            for (other, (_, relation)) in others.into_iter().zip(RELATIONS) {
                if let Some(other) = other.filter(|other| other.trim() != name.trim()) {
                    self.add(SupplierMention::of(name, source).also(other, relation), times, day);
                }
            }
        });
    }

    /// The numbers that were refused, by source.
    pub(crate) fn refused(&mut self) -> &BTreeMap<(String, RefusedNumber), u64> {
        self.settle();
        &self.refused
    }

    pub(crate) fn merge(mut self, mut other: SupplierMentions) -> SupplierMentions {
        self.settle();
        other.settle();
        if self.mentions.len() < other.mentions.len() {
            return other.merge(self);
        }
        for (mention, (count, day)) in other.mentions {
            self.count(mention, count, day);
        }
        for (key, count) in other.refused {
            *self.refused.entry(key).or_default() += count;
        }
        self
    }

    /// The lines of the file, in order.
    pub(crate) fn into_lines(mut self) -> Vec<MentionLine> {
        self.settle();
        let line = |(mention, (count, first))| MentionLine { mention, count, first };
        let mut lines: Vec<MentionLine> = self.mentions.into_iter().map(line).collect();
        lines.sort_unstable_by(|a, b| a.mention.cmp(&b.mention));
        lines
    }
}

/// A day as a text.
mod day {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    use crate::model::Date;

    pub(super) fn serialize<S: Serializer>(day: &Option<Date>, serializer: S) -> Result<S::Ok, S::Error> {
        match day {
            Some(day) => serializer.collect_str(day),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Date>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        let day = text.map(|text| Date::parse(&text).map_err(|_| D::Error::custom(format!("'{text}' is not a day"))));
        day.transpose()
    }
}

/// The earlier of two days, of which either may be unknown.
pub(crate) fn earlier(a: Option<Date>, b: Option<Date>) -> Option<Date> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (known, None) | (None, known) => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_malformed_numbers_are_refused() {
        let kind = |text: &str| OfficialNumber::neq(text).map(|number| number.map(|number| number.to_string()));
        assert_eq!(kind(" 1142700724 "), Ok(Some("neq:1142700724".to_owned())));
        assert_eq!(kind("3342 037838"), Ok(Some("neq:3342037838".to_owned())));
        assert_eq!(kind("  "), Ok(None));
        for text in [
            "0123456789",
            "1234567890",
            "0012345678",
            "1012345678",
            "1211111111",
            "1111111111",
            "8888888888",
        ] {
            assert_eq!(kind(text), Err(RefusedNumber::Placeholder), "{text}");
        }
        for text in ["114270072", "11427007244", "4412345678", "NEQ1142700", "١١٤٢٧٠٠٧٢٤"] {
            assert_eq!(kind(text), Err(RefusedNumber::Malformed), "{text}");
        }
    }

    #[test]
    fn mentions_are_counted_in_any_order() {
        let day = |text: &str| Date::parse(text).ok();
        let add = |mentions: &mut SupplierMentions, name: &str, neq: &str, on: &str| {
            mentions.add_with_neq(
                SupplierMention::of(name, "seao-xml").at(Some("Laval"), None),
                neq,
                day(on),
            );
        };
        let (mut a, mut b) = (SupplierMentions::default(), SupplierMentions::default());
        add(&mut a, "Pavage X inc.", "1142700724", "2018-01-02");
        add(&mut a, "Pavage X inc.", "0123456789", "2018-01-02");
        add(&mut b, "Pavage X inc.", "1142700724", "2016-01-02");
        add(&mut b, "", "1142700724", "2016-01-02");
        add(&mut b, &"x".repeat(MAX_NAME_BYTES + 1), "1142700724", "2016-01-02");
        let mut merged = a.merge(b);
        assert_eq!(
            merged.refused()[&("seao-xml".to_owned(), RefusedNumber::Placeholder)],
            1
        );
        let lines = merged.into_lines();
        let texts: Vec<String> = lines.iter().map(|line| serde_json::to_string(line).unwrap()).collect();
        assert_eq!(
            texts,
            [
                r#"{"name":"Pavage X inc.","city":"Laval","source":"seao-xml","count":1,"first":"2018-01-02"}"#,
                r#"{"name":"Pavage X inc.","number":"neq:1142700724","city":"Laval","source":"seao-xml","count":2,"first":"2016-01-02"}"#,
            ]
        );
        let read: Vec<MentionLine> = texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        assert_eq!(read, lines);
    }
}
