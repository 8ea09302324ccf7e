//! The bodies of `POST /tender/estimate` and `POST /tender/comps`: what they may hold, and the items that makes.

use crate::{
    catalog::market::{
        MOST_ITEMS, MOST_SHOWN, MOST_YEARS, SHOWN, Show, YEARS_BACK,
        answer::{Asked, AskedRecord, Need},
    },
    http::{
        body::{Member, Object, Shape},
        error::{ApiError, quoted},
        params::{Case, Said, Value},
    },
    model::vocabulary::CATEGORIES,
};

#[derive(Debug, Default)]
pub struct MarketBody {
    items: Vec<Object>,
    record_ids: Vec<String>,
    gsins: Vec<String>,
    years_back: Option<Said<u64>>,
    limit: Option<Said<u64>>,
    exclude: Vec<String>,
}

/// One of `items`: a tender, or a need.
#[derive(Debug, Default)]
pub struct Item {
    record_id: Option<Said<String>>,
    gsin: Option<Said<String>>,
    department: Option<Said<String>>,
    category: Option<Said<&'static str>>,
    province: Option<Said<String>>,
    title: Option<Said<String>>,
}

/// Spec silent: the longest text of an item, in characters; none that names something is as long.
pub const LONGEST_TEXT: usize = 1024;

const ITEMS: Member<MarketBody> = Member {
    name: "items",
    about: "What is asked about; with `record_ids` and `gsins` 1 to 50 in all",
    shape: Shape::Objects(|b| &mut b.items),
};

const RECORD_IDS: Member<MarketBody> = Member {
    name: "record_ids",
    about: "Tenders, which count as items behind `items`",
    shape: Shape::Texts(|b| &mut b.record_ids),
};

const GSINS: Member<MarketBody> = Member {
    name: "gsins",
    about: "Commodity codes, which count as items behind `record_ids`",
    shape: Shape::Texts(|b| &mut b.gsins),
};

const YEARS: Member<MarketBody> = Member {
    name: "years_back",
    about: "How far back contracts count, in years",
    shape: Shape::One(Value::Integer {
        min: 1,
        max: MOST_YEARS as u64,
        slot: |b| &mut b.years_back,
    }),
};

pub static ESTIMATE: &[Member<MarketBody>] = &[ITEMS, RECORD_IDS, GSINS, YEARS];

pub static COMPS: &[Member<MarketBody>] = &[
    ITEMS,
    RECORD_IDS,
    GSINS,
    YEARS,
    Member {
        name: "limit",
        about: "Most comparables shown of each item",
        shape: Shape::One(Value::Integer {
            min: 1,
            max: MOST_SHOWN as u64,
            slot: |b| &mut b.limit,
        }),
    },
    Member {
        name: "exclude",
        about: "Ids of records that are left out of comparables and statistics",
        shape: Shape::Texts(|b| &mut b.exclude),
    },
];

pub static ITEM: &[Member<Item>] = &[
    Member {
        name: "record_id",
        about: "A tender's `record_id`; it goes with nothing else",
        shape: Shape::One(Value::Text(|i| &mut i.record_id)),
    },
    Member {
        name: "gsin",
        about: "A commodity code, GSIN or UNSPSC, of a need that is no tender yet",
        shape: Shape::One(Value::Start(|i| &mut i.gsin)),
    },
    Member {
        name: "department",
        about: "The buyer's whole name, in English or French",
        shape: Shape::One(Value::NamePart(|i| &mut i.department)),
    },
    Member {
        name: "category",
        about: "Procurement category",
        shape: Shape::One(Value::OneOf {
            list: &CATEGORIES,
            case: Case::Any,
            slot: |i| &mut i.category,
        }),
    },
    Member {
        name: "province",
        about: "The buyer's province: its name in English or French, or its code",
        shape: Shape::One(Value::Text(|i| &mut i.province)),
    },
    Member {
        name: "title",
        about: "What is needed, in a sentence",
        shape: Shape::One(Value::Text(|i| &mut i.title)),
    },
];

impl MarketBody {
    pub fn years_back(&self) -> u32 {
        let said = self.years_back.as_ref().map(|said| said.value);
        said.and_then(|years| u32::try_from(years).ok()).unwrap_or(YEARS_BACK)
    }

    pub fn show(&self) -> Show<'_> {
        Show {
            limit: self.limit.as_ref().map_or(SHOWN, |said| said.value as usize),
            exclude: &self.exclude,
        }
    }

    /// Everything that is asked about, in order.
    pub fn asked(&mut self) -> Result<Vec<Asked>, ApiError> {
        let count = self.items.len() + self.record_ids.len() + self.gsins.len();
        if !(1..=MOST_ITEMS).contains(&count) {
            return Err(ApiError::unprocessable(format!(
                "the body asks about {count} items ('items', 'record_ids' and 'gsins' together); 1 to {MOST_ITEMS} are answered"
            )));
        }
        let mut asked = Vec::with_capacity(count);
        for (number, object) in std::mem::take(&mut self.items).into_iter().enumerate() {
            let place = format!("items[{number}]");
            let item: Item = object.read_at(&format!("{place}."), ITEM)?;
            asked.push(item.asked().map_err(|why| wrong(&place, &why))?);
        }
        for (number, record_id) in std::mem::take(&mut self.record_ids).into_iter().enumerate() {
            check_length(&record_id).map_err(|why| wrong(&format!("record_ids[{number}]"), &why))?;
            asked.push(Asked::Record(AskedRecord { record_id }));
        }
        for (number, gsin) in std::mem::take(&mut self.gsins).into_iter().enumerate() {
            let item = Item {
                gsin: Some(Said {
                    name: "gsin",
                    value: gsin,
                }),
                ..Item::default()
            };
            asked.push(item.asked().map_err(|why| wrong(&format!("gsins[{number}]"), &why))?);
        }
        for (number, record_id) in self.exclude.iter().enumerate() {
            check_length(record_id).map_err(|why| wrong(&format!("exclude[{number}]"), &why))?;
        }
        Ok(asked)
    }
}

impl Item {
    fn asked(self) -> Result<Asked, String> {
        let value = |said: Option<Said<String>>| said.map(|said| said.value);
        let texts = [
            &self.record_id,
            &self.gsin,
            &self.department,
            &self.province,
            &self.title,
        ];
        for said in texts.into_iter().flatten() {
            check_length(&said.value).map_err(|why| format!("'{}' {why}", said.name))?;
        }
        match (self.record_id, self.gsin) {
            (Some(record_id), None) => {
                let others = [&self.department, &self.province, &self.title].into_iter().flatten();
                let others = others.map(|said| said.name).chain(self.category.map(|said| said.name));
                match others.collect::<Vec<_>>().first() {
                    Some(other) => Err(format!(
                        "'{other}' goes with 'gsin'; the tender 'record_id' names has its own"
                    )),
                    None => Ok(Asked::Record(AskedRecord {
                        record_id: record_id.value,
                    })),
                }
            }
            (None, Some(gsin)) => Ok(Asked::Need(Need {
                gsin: gsin.value,
                department: value(self.department),
                category: self.category.map(|said| said.value.to_owned()),
                province: value(self.province),
                title: value(self.title),
            })),
            (Some(_), Some(_)) => Err("give 'record_id' or 'gsin', not both".to_owned()),
            (None, None) => Err("give 'record_id' or 'gsin'".to_owned()),
        }
    }
}

fn wrong(place: &str, why: &str) -> ApiError {
    ApiError::unprocessable(format!("member '{place}': {why}"))
}

fn check_length(text: &str) -> Result<(), String> {
    match text.chars().count() {
        0..=LONGEST_TEXT => Ok(()),
        long => Err(format!(
            "{} has {long} characters; the maximum is {LONGEST_TEXT}",
            quoted(text)
        )),
    }
}
