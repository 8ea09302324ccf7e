//! The bodies of `POST /tender/estimate` and `POST /tender/comps`.

use schemars::{JsonSchema, Schema, json_schema};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    api::{
        json::{FromText, Integer, List, Object, Optional, Required},
        params::{category::Category, parse},
    },
    catalog::estimates::{
        answer::{EstimateItem, NeedItem, TenderItem},
        limits::{DEFAULT_COMPARABLES, DEFAULT_YEARS_BACK, MAX_COMPARABLES, MAX_ITEMS, MAX_YEARS_BACK},
    },
    http::{error::ApiError, parameter_error::Reason},
};

/// The items to estimate, 1 to 50 in all, and how far back contracts count
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EstimateRequest {
    /// Tenders and needs; with `record_ids` and `gsins` 1 to 50 in all
    #[schemars(extend("maxItems" = MAX_ITEMS))]
    items: List<Object<Item>>,
    /// Tenders, which count as items after `items`
    #[schemars(extend("maxItems" = MAX_ITEMS))]
    record_ids: List<Required<Text>>,
    /// Commodity codes, which count as items after `record_ids`
    #[schemars(extend("maxItems" = MAX_ITEMS))]
    gsins: List<Required<Text>>,
    /// How far back contracts count, in years
    #[schemars(extend("default" = DEFAULT_YEARS_BACK))]
    years_back: YearsBack,
}

/// The items to find comparable contracts of, 1 to 50 in all, and how many to return
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CompsRequest {
    /// Tenders and needs; with `record_ids` and `gsins` 1 to 50 in all
    #[schemars(extend("maxItems" = MAX_ITEMS))]
    items: List<Object<Item>>,
    /// Tenders, which count as items after `items`
    #[schemars(extend("maxItems" = MAX_ITEMS))]
    record_ids: List<Required<Text>>,
    /// Commodity codes, which count as items after `record_ids`
    #[schemars(extend("maxItems" = MAX_ITEMS))]
    gsins: List<Required<Text>>,
    /// How far back contracts count, in years
    #[schemars(extend("default" = DEFAULT_YEARS_BACK))]
    years_back: YearsBack,
    /// Maximum number of comparables returned for each item
    #[schemars(extend("default" = DEFAULT_COMPARABLES))]
    limit: Integer<1, { MAX_COMPARABLES as u64 }>,
    /// Ids of records to leave out of comparables and statistics
    exclude: List<Required<Text>>,
}

type YearsBack = Integer<1, { MAX_YEARS_BACK as u64 }>;

/// A request with its defaults filled in.
#[derive(Debug)]
pub struct Batch {
    /// The items of the request, in order; 1 to [`MAX_ITEMS`].
    pub items: Vec<EstimateItem>,
    pub years_back: u32,
    /// Maximum number of comparables of each item.
    pub limit: usize,
    pub exclude: Vec<String>,
}

/// An element of `items`: a tender or a need.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "ItemMembers")]
struct Item(EstimateItem);

/// A tender, or a need without a tender
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(transform = tender_or_need)]
struct ItemMembers {
    /// A tender's `record_id`; it cannot be combined with other members
    record_id: Optional<Text>,
    /// A commodity code of a need without a tender: a GSIN, all eight digits of UNSPSC, or any code with its scheme
    /// (`unspsc:7214`). A text that is not a code gives the caveat `code_not_recognized`
    gsin: Optional<Code>,
    /// The buyer's whole name, in English or French
    department: Optional<Buyer>,
    /// Procurement category
    category: Optional<Category>,
    /// The buyer's province: its name in English or French, or its code; any other text has no effect
    province: Optional<Text>,
    /// What is needed, in a sentence
    title: Optional<Text>,
}

/// The maximum length of an item's text, in characters. No name or code is longer.
const MAX_LENGTH: usize = 1024;

impl TryFrom<EstimateRequest> for Batch {
    type Error = ApiError;

    fn try_from(request: EstimateRequest) -> Result<Batch, ApiError> {
        Ok(Batch {
            items: items(request.items, request.record_ids, request.gsins)?,
            years_back: years_back(request.years_back),
            limit: DEFAULT_COMPARABLES,
            exclude: Vec::new(),
        })
    }
}

impl TryFrom<CompsRequest> for Batch {
    type Error = ApiError;

    fn try_from(request: CompsRequest) -> Result<Batch, ApiError> {
        Ok(Batch {
            items: items(request.items, request.record_ids, request.gsins)?,
            years_back: years_back(request.years_back),
            limit: request.limit.0.map_or(DEFAULT_COMPARABLES, |limit| limit as usize),
            exclude: request.exclude.0.into_iter().map(|id| id.0.0).collect(),
        })
    }
}

fn years_back(given: YearsBack) -> u32 {
    given.0.map_or(DEFAULT_YEARS_BACK, |years| years as u32)
}

fn items(
    items: List<Object<Item>>,
    record_ids: List<Required<Text>>,
    gsins: List<Required<Text>>,
) -> Result<Vec<EstimateItem>, ApiError> {
    let items = items.0.into_iter().map(|item| item.0.0);
    let records = record_ids.0.into_iter().map(|id| {
        let record_id = id.0.0;
        EstimateItem::Tender(TenderItem { record_id })
    });
    let needs = gsins.0.into_iter().map(|code| {
        let gsin = code.0.0;
        EstimateItem::Need(NeedItem {
            gsin,
            ..NeedItem::default()
        })
    });
    let all: Vec<EstimateItem> = items.chain(records).chain(needs).collect();
    if !(1..=MAX_ITEMS).contains(&all.len()) {
        let count = all.len();
        return Err(ApiError::unprocessable(format!(
            "the body has {count} items ('items', 'record_ids' and 'gsins' together); send 1 to {MAX_ITEMS}"
        )));
    }
    Ok(all)
}

impl TryFrom<ItemMembers> for Item {
    type Error = String;

    fn try_from(mut item: ItemMembers) -> Result<Item, String> {
        match (item.record_id.0.take(), item.gsin.0.take()) {
            (Some(record_id), None) => item.tender(record_id),
            (None, Some(gsin)) => Ok(item.need(gsin)),
            (Some(_), Some(_)) => Err("give 'record_id' or 'gsin', not both".to_owned()),
            (None, None) => Err("give 'record_id' or 'gsin'".to_owned()),
        }
    }
}

impl ItemMembers {
    fn tender(self, record_id: Text) -> Result<Item, String> {
        let others = [
            ("department", self.department.0.is_some()),
            ("province", self.province.0.is_some()),
            ("title", self.title.0.is_some()),
            ("category", self.category.0.is_some()),
        ];
        match others.iter().find(|(_, is_given)| *is_given) {
            Some((other, _)) => Err(format!(
                "'{other}' cannot be combined with 'record_id'; the tender has its own"
            )),
            None => Ok(Item(EstimateItem::Tender(TenderItem { record_id: record_id.0 }))),
        }
    }

    fn need(self, gsin: Code) -> Item {
        Item(EstimateItem::Need(NeedItem {
            gsin: gsin.0,
            department: self.department.0.map(|name| name.0),
            category: self.category.0.map(|category| category.0.to_owned()),
            province: self.province.0.map(|text| text.0),
            title: self.title.0.map(|text| text.0),
        }))
    }
}

/// Splits the members of an item into the two combinations that are valid.
fn tender_or_need(schema: &mut Schema) {
    let with = |required: &str, is_member: fn(&str) -> bool| {
        let mut properties = schema.get("properties").cloned().unwrap_or_default();
        if let Some(properties) = properties.as_object_mut() {
            properties.retain(|name, _| is_member(name));
        }
        properties[required]["type"] = json!("string");
        properties[required]["pattern"] = json!("\\S");
        json!({"type": "object", "required": [required], "properties": properties, "additionalProperties": false})
    };
    *schema = json_schema!({
        "description": schema.get("description"),
        "anyOf": [
            with("record_id", |name| name == "record_id"),
            with("gsin", |name| name != "record_id"),
        ],
    });
}

/// A text of an item, at most [`MAX_LENGTH`] characters.
#[derive(Debug)]
struct Text(String);

/// A commodity code.
#[derive(Debug)]
struct Code(String);

/// A buyer's name.
#[derive(Debug)]
struct Buyer(String);

impl FromText for Text {
    fn from_text(text: &str) -> Result<Text, Reason> {
        match text.chars().count() {
            ..=MAX_LENGTH => Ok(Text(text.to_owned())),
            length => Err(Reason::TooLong {
                text: text.to_owned(),
                length,
                max: MAX_LENGTH,
            }),
        }
    }

    fn schema() -> Json {
        json!({"type": "string", "maxLength": MAX_LENGTH})
    }
}

impl FromText for Code {
    fn from_text(text: &str) -> Result<Code, Reason> {
        Text::from_text(text)?;
        parse::start(text).map(Code)
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": 1, "maxLength": MAX_LENGTH})
    }
}

impl FromText for Buyer {
    fn from_text(text: &str) -> Result<Buyer, Reason> {
        Text::from_text(text)?;
        parse::name_part(text).map(Buyer)
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": parse::MIN_NAME_LENGTH, "maxLength": MAX_LENGTH})
    }
}
