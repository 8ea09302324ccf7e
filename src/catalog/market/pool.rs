//! The contracts that count: awarded, with a value in Canadian dollars, each once whoever published it.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;

use crate::{
    catalog::market::{
        answer::Level,
        facts::{Facts, KINDS, Shared, is_number, shared},
        item::Item,
        words::Subject,
    },
    model::{
        date::Date,
        entity_type::EntityType,
        fold::fold,
        record::Record,
        schema::{Role, Schema},
    },
};

/// A contract, and what it has in common with the item.
#[derive(Debug)]
pub struct Row {
    pub entity_type: EntityType,
    pub record: Bytes,
    pub id: String,
    pub date: Date,
    pub end_date: Option<Date>,
    pub value: f64,
    pub title: Option<String>,
    pub vendor: Option<String>,
    pub similarity: f64,
    pub same_buyer: bool,
    pub shared: Shared,
    pub same_category: bool,
    pub same_level: bool,
    pub same_method: bool,
    pub same_terms: bool,
    pub same_province: bool,
    /// The closest rung it stands on.
    pub level: Level,
    /// Not yet shared out.
    pub weight: f64,
    /// The records of the same contract that it stands for.
    pub merged: Vec<String>,
    identity: Identity,
}

/// By what two records are told to be of one contract. Of two kinds: they tell the same number and the same supplier or value, or agree in supplier, day and
/// value. Of one kind, where `normalize` has merged what its source tells twice: the same `contract_number` and supplier or value, which are
/// amendments. Of them the one amended last counts, then the kind that comes first in [`KINDS`].
#[derive(Debug)]
struct Identity {
    contract_number: Option<String>,
    numbers: Vec<String>,
    vendor: String,
    cents: i64,
    amended: (String, String),
}

/// Words of a company's name that one source writes and another leaves out.
const LEGAL_FORMS: [&str; 14] = [
    "inc",
    "incorporated",
    "ltd",
    "limited",
    "ltee",
    "limitee",
    "corp",
    "corporation",
    "co",
    "company",
    "llc",
    "llp",
    "enr",
    "senc",
];

/// The folded name of a supplier without its legal form.
pub fn vendor_key(name: &str) -> String {
    let folded = fold(name);
    let words: Vec<&str> = folded.split(' ').filter(|word| !LEGAL_FORMS.contains(word)).collect();
    match words.is_empty() {
        true => folded.clone(),
        false => words.join(" "),
    }
}

/// Spec silent: a value of a dollar or less is no price. Sources write 1 $ or 0.01 $ where a list of suppliers, or a call without a sum, must have one.
pub const LEAST_PRICE: f64 = 1.01;

/// The day and the value of a contract that counts; `None` for what does not: undated, without a price, in another currency, a standing offer or supply
/// arrangement.
pub fn counted(record: &Record) -> Option<(Date, f64)> {
    let value = record.dollars().filter(|value| *value >= LEAST_PRICE)?;
    let date = record.date(Role::Date)?;
    (!is_agreement(record)).then_some((date, value))
}

/// A standing offer or supply arrangement: its value is a ceiling, or nothing.
fn is_agreement(record: &Record) -> bool {
    let of_type = |field: &str| record.text(field).map(fold).unwrap_or_default();
    record.text("instrument_type") == Some("SOSA")
        || ["notice_type_en", "procurement_method_en"].iter().any(|field| {
            let words = of_type(field);
            words.contains("standing offer") || words.contains("supply arrangement")
        })
}

impl Row {
    /// A record held against the item; `None` if it does not count, or has nothing in common with it.
    pub fn read(entity_type: EntityType, bytes: &Bytes, item: &mut Item) -> Option<Row> {
        let schema = Schema::of(entity_type);
        let record = Record::parse(schema, bytes).ok()?;
        let (date, value) = counted(&record)?;
        let facts = Facts::of_record(&record, bytes);
        let identity = Identity::of(&record, value);
        if is_same_solicitation(&item.facts.numbers, facts.numbers.iter().chain(&identity.numbers)) {
            return None;
        }
        let subject = Subject::of_record(&record, schema, &mut item.lexicon);
        let kind = KINDS.iter().position(|kind| *kind == entity_type)?;
        let similarity = item.subject.similarity(&subject, &item.words.get(kind)?.squares);
        let (ours, theirs) = (&item.facts, &facts);
        let text = |names: &[&str]| names.iter().find_map(|name| record.text(name)).map(str::to_owned);
        let mut row = Row {
            entity_type,
            record: bytes.clone(),
            id: record.id().to_owned(),
            date,
            end_date: record.text("end_date").and_then(|day| Date::parse_prefix(day).ok()),
            value,
            title: text(&["title_en", "title_fr", "description_en", "description_fr"]),
            vendor: text(&["vendor_name", "supplier_legal_name"]).filter(|name| !name.trim().is_empty()),
            similarity,
            same_buyer: theirs.buyers.iter().any(|buyer| item.buyer_keys.contains(buyer)),
            shared: shared(&ours.codes, &theirs.codes),
            same_category: ours.categories.is_empty() || ours.categories.iter().any(|c| theirs.categories.contains(c)),
            same_level: ours.level.is_none() || ours.level == theirs.level,
            same_method: item.is_record && ours.method == theirs.method,
            same_terms: item.is_record && ours.terms == theirs.terms,
            same_province: ours.province.is_some() && ours.province == theirs.province,
            level: Level::CategoryAndGovernmentLevel,
            weight: 0.0,
            merged: Vec::new(),
            identity,
        };
        let stands = Level::ALL.into_iter().find(|level| level.holds(&row, ours));
        row.level = stands?;
        Some(row)
    }

    /// Whether it is, as far as can be told, the same need at the same buyer.
    pub fn is_same_need(&self, item: &Item) -> bool {
        let is_mute = item.subject.is_empty() || self.title.is_none();
        let same_code = self.shared == Shared::Code && (is_mute || self.similarity >= ALIKE);
        let is_title = self.title.as_ref().is_some_and(|title| title.len() <= LONGEST_TITLE);
        self.same_buyer && (same_code || is_title && self.similarity >= NEAR_SAME)
    }

    pub fn log(&self) -> f64 {
        self.value.log10()
    }
}

/// A longer title, in bytes, is a whole notice: two of one buyer share its conditions, whatever they are about.
const LONGEST_TITLE: usize = 300;

/// From which similarity on two titles name the same need, and are about like things at all.
pub const NEAR_SAME: f64 = 0.7;
pub const ALIKE: f64 = 0.3;

impl Level {
    pub const ALL: [Level; 7] = [
        Level::BuyerAndTitle,
        Level::BuyerAndCode,
        Level::Code,
        Level::CodeClass,
        Level::CodeFamily,
        Level::CategoryAndText,
        Level::CategoryAndGovernmentLevel,
    ];

    /// Whether a contract stands on this rung.
    fn holds(self, row: &Row, item: &Facts) -> bool {
        match self {
            Level::BuyerAndTitle => row.same_buyer && row.similarity >= NEAR_SAME,
            Level::BuyerAndCode => row.same_buyer && row.shared == Shared::Code,
            Level::Code => row.shared == Shared::Code,
            Level::CodeClass => row.shared >= Shared::Class,
            Level::CodeFamily => row.shared >= Shared::Family,
            Level::CategoryAndText => row.same_category && row.similarity >= ALIKE,
            Level::CategoryAndGovernmentLevel => {
                let is_told = !item.categories.is_empty() || item.level.is_some();
                is_told && row.same_category && row.same_level
            }
        }
    }
}

/// Whether one of the item's numbers is one of theirs, or starts it: a contract's number often is the solicitation's and a suffix.
fn is_same_solicitation<'n>(ours: &[String], mut theirs: impl Iterator<Item = &'n String>) -> bool {
    theirs.any(|number| {
        ours.iter().any(|own| {
            number == own
                || own.len() >= LONG_NUMBER
                    && number
                        .strip_prefix(own.as_str())
                        .is_some_and(|rest| rest.starts_with(' '))
        })
    })
}

/// Shorter ones start too many others.
const LONG_NUMBER: usize = 6;

/// Each contract once, in an order that does not depend on how they were found; and how many were left out, whole, because one of their records is to be
/// excluded.
pub fn distinct(mut rows: Vec<Row>, exclude: &[String]) -> (Vec<Row>, usize) {
    rows.sort_by(|a, b| {
        let kind = |row: &Row| KINDS.iter().position(|kind| *kind == row.entity_type);
        let latest = b.identity.amended.cmp(&a.identity.amended);
        latest
            .then(kind(a).cmp(&kind(b)))
            .then(b.date.cmp(&a.date))
            .then_with(|| a.id.cmp(&b.id))
    });
    let mut kept: Vec<Row> = Vec::with_capacity(rows.len());
    let mut known = Known::default();
    for row in rows {
        let twin = known.twin(&row);
        known.add(&row, twin.unwrap_or(kept.len()));
        match twin.and_then(|twin| kept.get_mut(twin)) {
            Some(twin) => twin.merged.push(row.id),
            None => kept.push(row),
        }
    }
    let before = kept.len();
    let exclude: HashSet<&String> = exclude.iter().collect();
    kept.retain(|row| !exclude.contains(&row.id) && !row.merged.iter().any(|id| exclude.contains(id)));
    let excluded = before - kept.len();
    (kept, excluded)
}

/// Where the contracts met so far are kept, by what tells them.
#[derive(Default)]
struct Known {
    by_number: HashMap<(String, String), (usize, EntityType)>,
    by_sale: HashMap<(String, i64, Date), (usize, EntityType)>,
}

impl Known {
    fn twin(&self, row: &Row) -> Option<usize> {
        let identity = &row.identity;
        let by_number = identity.numbers.iter().find_map(|number| {
            identity.marks().into_iter().find_map(|mark| {
                let (twin, kind) = self.by_number.get(&(number.clone(), mark))?;
                let is_one = *kind != row.entity_type || Some(number) == identity.contract_number.as_ref();
                is_one.then_some(*twin)
            })
        });
        by_number.or_else(|| {
            let (twin, kind) = self.by_sale.get(&identity.sale(row.date)?)?;
            (*kind != row.entity_type).then_some(*twin)
        })
    }

    fn add(&mut self, row: &Row, place: usize) {
        for number in &row.identity.numbers {
            for mark in row.identity.marks() {
                self.by_number
                    .entry((number.clone(), mark))
                    .or_insert((place, row.entity_type));
            }
        }
        if let Some(sale) = row.identity.sale(row.date) {
            self.by_sale.entry(sale).or_insert((place, row.entity_type));
        }
    }
}

impl Identity {
    fn of(record: &Record, value: f64) -> Identity {
        let number = |field: &str| record.text(field).map(fold).filter(|number| is_number(number));
        let text = |field: &str| record.text(field).unwrap_or_default().to_owned();
        let fields = ["contract_number", "contract_id", "procurement_id", "reference_number"];
        Identity {
            contract_number: number("contract_number"),
            numbers: fields.iter().filter_map(|field| number(field)).collect(),
            vendor: record.texts(Role::Vendor).next().map(vendor_key).unwrap_or_default(),
            cents: (value * 100.0).round() as i64,
            amended: (text("amendment_date"), format!("{:0>8}", text("amendment_number"))),
        }
    }

    /// What must agree beside a number.
    fn marks(&self) -> Vec<String> {
        let vendor = (!self.vendor.is_empty()).then(|| format!("vendor {}", self.vendor));
        vendor.into_iter().chain([format!("cents {}", self.cents)]).collect()
    }

    fn sale(&self, date: Date) -> Option<(String, i64, Date)> {
        (!self.vendor.is_empty()).then(|| (self.vendor.clone(), self.cents, date))
    }
}
