//! The parameters of `GET /tender/feed`, and what they mean on a day.

use serde::Serialize;

use crate::{
    catalog::feed::{MOST_DAYS_BACK, Question},
    http::{
        Call,
        error::{ApiError, quoted},
        params::{
            Case, Param, Said, Value,
            resolve::{DEFAULT_LIMIT, World, check_municipality, cursor_of_another, no_cursor},
            search::MOST_RECORDS,
            value::not_in_list,
        },
    },
    model::{
        date::Date, entity_type::EntityType, record::query_key, schema::Role, stem::Language, vocabulary::CATEGORIES,
    },
    query::{
        Filter, Position,
        cursor::Cursor,
        keyword::Keyword,
        text::{MAX_QUERY_CHARS, MAX_QUERY_WORDS},
    },
};

#[derive(Debug, Default, PartialEq)]
pub struct FeedParams {
    pub keywords: Option<Said<String>>,
    pub min_value: Option<Said<f64>>,
    pub days_back: Option<Said<u64>>,
    pub languages: Option<Said<String>>,
    pub department: Option<Said<String>>,
    pub municipality: Option<Said<String>>,
    pub category: Option<Said<&'static str>>,
    pub notice_type: Option<Said<String>>,
    pub limit: Option<Said<u64>>,
    pub cursor: Option<Said<String>>,
}

/// The days that count as new when nothing is said.
pub const DAYS_BACK: u64 = 7;

/// The languages when nothing is said.
pub const LANGUAGES: &str = "en,fr";

pub static TABLE: &[Param<FeedParams>] = &[
    Param {
        name: "keywords",
        aliases: &[],
        about: "Words or phrases joined by commas, at most 32; a tender matches that has one of them in its title or description",
        value: Value::Text(|p| &mut p.keywords),
    },
    Param {
        name: "min_value",
        aliases: &[],
        about: "Least value, stated or else estimated; a tender of which neither is known is kept and marked",
        value: Value::Number(|p| &mut p.min_value),
    },
    Param {
        name: "days_back",
        aliases: &[],
        about: "How many days ago a notice may have been published to be new",
        value: Value::Integer {
            min: 1,
            max: MOST_DAYS_BACK,
            slot: |p| &mut p.days_back,
        },
    },
    Param {
        name: "languages",
        aliases: &[],
        about: "Languages of the notice joined by commas: `en`, `fr`; keywords are looked for in these",
        value: Value::Text(|p| &mut p.languages),
    },
    Param {
        name: "department",
        aliases: &[],
        about: "Part of the buyer's name, in English or French; accents and case do not matter",
        value: Value::NamePart(|p| &mut p.department),
    },
    Param {
        name: "municipality",
        aliases: &["city"],
        about: "City slug; the valid ones are listed by `/tender/coverage`",
        value: Value::Text(|p| &mut p.municipality),
    },
    Param {
        name: "category",
        aliases: &[],
        about: "Procurement category; a tender with several matches each",
        value: Value::OneOf {
            list: &CATEGORIES,
            case: Case::Any,
            slot: |p| &mut p.category,
        },
    },
    Param {
        name: "notice_type",
        aliases: &[],
        about: "The whole notice type, in English or French; abbreviations do not match",
        value: Value::Text(|p| &mut p.notice_type),
    },
    Param {
        name: "limit",
        aliases: &[],
        about: "Most tenders of the page; a plan may cap it",
        value: Value::Integer {
            min: 1,
            max: MOST_RECORDS,
            slot: |p| &mut p.limit,
        },
    },
    Param {
        name: "cursor",
        aliases: &[],
        about: "`next_cursor` of an earlier answer to the same request",
        value: Value::Text(|p| &mut p.cursor),
    },
];

/// A feed ready to be asked.
pub struct Feed {
    pub question: Question,
    pub days_back: u64,
    /// The limit, where the plan lowered it.
    pub lowered_limit: Option<u64>,
    asked: Asked,
}

/// What decides the answer but for the page: cursors and tags are made of it.
#[derive(Serialize)]
struct Asked {
    keywords: Vec<String>,
    languages: Vec<&'static str>,
    min_value: Option<f64>,
    days_back: u64,
    filters: Vec<Filter>,
}

impl FeedParams {
    /// Spec silent: whoever began to page before midnight goes on with the day it was then; a cursor is good until the end of the next day.
    pub fn resolve(self, call: &Call, now: Date) -> Result<Feed, ApiError> {
        let world = World::of(call, EntityType::Tender);
        check_municipality(&self.municipality, &world)?;
        let keywords = keywords(&self.keywords)?;
        let languages = languages(&self.languages)?;
        let days_back = self.days_back.as_ref().map_or(DAYS_BACK, |said| said.value);
        let wanted = self.limit.as_ref().map_or(DEFAULT_LIMIT, |said| said.value);
        let limit = wanted.min(world.page_cap).min(MOST_RECORDS);
        let min_value = self.min_value.as_ref().map(|said| said.value);
        let filters = self.filters();
        let asked = Asked {
            keywords: keywords.iter().map(|(text, _)| text.clone()).collect(),
            languages: languages.iter().map(|language| language.code()).collect(),
            min_value,
            days_back,
            filters: filters.clone(),
        };
        let (today, after) = match &self.cursor {
            Some(said) => place(said, &asked, now)?,
            None => (now, None),
        };
        let question = Question {
            today,
            since: today.days_before(days_back as u32),
            keywords,
            languages,
            min_value,
            filters,
            limit: limit as usize,
            after,
        };
        Ok(Feed {
            question,
            days_back,
            lowered_limit: (limit < wanted).then_some(limit),
            asked,
        })
    }

    fn filters(&self) -> Vec<Filter> {
        let mut filters = Vec::new();
        let term = |role: Role, text: &str| Filter::Term {
            role,
            key: query_key(role, text),
        };
        filters.extend(
            self.municipality
                .as_ref()
                .map(|said| term(Role::Municipality, &said.value)),
        );
        filters.extend(self.department.as_ref().map(|said| Filter::Contains {
            role: Role::Department,
            key: query_key(Role::Department, &said.value),
        }));
        filters.extend(self.category.as_ref().map(|said| term(Role::Category, said.value)));
        filters.extend(
            self.notice_type
                .as_ref()
                .map(|said| term(Role::NoticeType, &said.value)),
        );
        filters
    }
}

impl Feed {
    /// What decides the answer on a generation: the day is part of it.
    pub fn normal(&self) -> impl Serialize {
        (
            &self.asked,
            self.question.today,
            self.question.limit,
            &self.question.after,
        )
    }

    /// The cursor of a place in this feed.
    pub fn cursor(&self, position: Position) -> String {
        Cursor::of(self.asked.fingerprint(self.question.today), position).encode()
    }
}

impl Asked {
    fn fingerprint(&self, today: Date) -> u32 {
        // A struct of strings and numbers always serializes; an empty text would only refuse the cursor.
        crc32fast::hash(&serde_json::to_vec(&(self, today)).unwrap_or_default())
    }
}

/// The day a walk began on, today or yesterday, and how far it is.
fn place(said: &Said<String>, asked: &Asked, now: Date) -> Result<(Date, Option<Position>), ApiError> {
    let cursor = Cursor::decode(&said.value).map_err(|_| no_cursor(said))?;
    let mut days = [now, now.days_before(1)].into_iter();
    match days.find(|day| cursor.is_of(asked.fingerprint(*day))) {
        Some(day) => Ok((day, Some(cursor.position()))),
        None => Err(cursor_of_another()),
    }
}

/// Each once, as they were written.
fn keywords(said: &Option<Said<String>>) -> Result<Vec<(String, Keyword)>, ApiError> {
    let Some(said) = said else {
        return Ok(Vec::new());
    };
    let wrong = |why: String| ApiError::invalid(said.name, why);
    let length = said.value.chars().count();
    if length > MAX_QUERY_CHARS {
        return Err(wrong(format!(
            "the text has {length} characters; the maximum is {MAX_QUERY_CHARS}"
        )));
    }
    let mut keywords: Vec<(String, Keyword)> = Vec::new();
    for text in said.value.split(',').map(str::trim).filter(|text| !text.is_empty()) {
        let keyword = Keyword::parse(text).map_err(|why| wrong(format!("{} {why}", quoted(text))))?;
        if !keywords.iter().any(|(_, known)| *known == keyword) {
            keywords.push((text.to_owned(), keyword));
        }
    }
    match keywords.len() {
        0 => Err(wrong(format!(
            "{} has no letter or digit to search for",
            quoted(&said.value)
        ))),
        1..=MAX_QUERY_WORDS => Ok(keywords),
        many => Err(wrong(format!("there are {many} keywords; the maximum is {MAX_QUERY_WORDS}"))),
    }
}

/// Those named, in the order of the languages themselves.
fn languages(said: &Option<Said<String>>) -> Result<Vec<Language>, ApiError> {
    let (name, text) = match said {
        Some(said) => (said.name, said.value.as_str()),
        None => ("languages", LANGUAGES),
    };
    let words: Vec<&str> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let codes = Language::ALL.map(Language::code);
    let meant = |word: &&str| {
        let wrong = || ApiError::invalid(name, not_in_list(word, codes.into_iter()));
        Language::parse(&word.to_lowercase()).ok_or_else(wrong)
    };
    let meant: Vec<Language> = words.iter().map(meant).collect::<Result<_, _>>()?;
    let named = Language::ALL.into_iter().filter(|language| meant.contains(language));
    match named.collect::<Vec<_>>() {
        none if none.is_empty() => Err(ApiError::invalid(name, "names no language; give en, fr or both")),
        named => Ok(named),
    }
}
