//! The parameters of `GET /tender/feed`, and their meaning on a given day.

use serde::Serialize;
use serde_json::json;

use crate::{
    api::params::{
        filters::{contains, term},
        paging::{self, cursor_of_another_query, invalid_cursor},
        param::Param,
        parse::{Case, Given, not_in_list},
        resolve::ResolveContext,
        value::ParamType,
    },
    catalog::feed::{FeedQuery, MAX_DAYS_BACK},
    http::{call::Call, error::ApiError, parameter_error::Reason},
    model::{Date, EntityType, Language, Role, record::query_key, vocabulary::CATEGORIES},
    query::{
        Filter, Position,
        cursor::Cursor,
        keyword::Keyword,
        text::{MAX_QUERY_CHARS, MAX_QUERY_WORDS, TextError},
        translate::MAX_CODES,
    },
};

#[derive(Debug, Default, PartialEq)]
pub struct FeedParams {
    pub(crate) keywords: Option<Given<String>>,
    pub(crate) min_value: Option<Given<f64>>,
    pub(crate) days_back: Option<Given<u64>>,
    pub(crate) languages: Option<Given<String>>,
    pub(crate) department: Option<Given<String>>,
    pub(crate) municipality: Option<Given<String>>,
    pub(crate) category: Option<Given<&'static str>>,
    pub(crate) notice_type: Option<Given<String>>,
    pub(crate) translate: Option<Given<bool>>,
    pub(crate) match_codes: Option<Given<bool>>,
    pub(crate) limit: Option<Given<u64>>,
    pub(crate) cursor: Option<Given<String>>,
}

/// The default number of days that count as new.
const DEFAULT_DAYS_BACK: u64 = 7;

const DEFAULT_LANGUAGES: &str = "en,fr";

type FeedParam = Param<FeedParams>;

pub static TABLE: &[FeedParam] = &[
    FeedParam::new(
        "keywords",
        "Words or phrases separated by commas, at most 32; a tender matches if its title or description contains one of them",
        ParamType::Text(|p| &mut p.keywords),
    )
    .bounds(|| json!({"maxLength": MAX_QUERY_CHARS})),
    FeedParam::new(
        "min_value",
        "Minimum value, stated or else estimated; a tender with neither is kept, and `value_basis` is `unknown`",
        ParamType::Number(|p| &mut p.min_value),
    ),
    FeedParam::new(
        "days_back",
        "Maximum number of days since a notice was published for it to count as new",
        ParamType::Integer(1, MAX_DAYS_BACK, |p| &mut p.days_back),
    )
    .default(|| json!(DEFAULT_DAYS_BACK)),
    FeedParam::new(
        "languages",
        "Languages of the notice separated by commas: `en`, `fr`; keywords are searched in these",
        ParamType::Text(|p| &mut p.languages),
    )
    .default(|| json!(DEFAULT_LANGUAGES))
    .bounds(|| json!({"pattern": "^( *,)* *(en|fr) *(, *(en|fr)? *)*$"})),
    FeedParam::new(
        "department",
        "Part of the buyer's name, in English or French; accents and case do not matter",
        ParamType::NamePart(|p| &mut p.department),
    ),
    FeedParam::new(
        "municipality",
        "City slug; `/tender/coverage` lists the valid ones",
        ParamType::Text(|p| &mut p.municipality),
    )
    .aliases(&["city"]),
    FeedParam::new(
        "category",
        "Procurement category; a tender with several categories matches each of them",
        ParamType::OneOf(&CATEGORIES, Case::Any, |p| &mut p.category),
    ),
    FeedParam::new(
        "notice_type",
        "The whole notice type, in English or French; abbreviations do not match",
        ParamType::Text(|p| &mut p.notice_type),
    ),
    FeedParam::flag("translate", "`true`: keywords also find other terms for the same in English and French", |p| &mut p.translate),
    FeedParam::flag("match_codes", "`true`: keywords also find the tenders of the commodity codes whose words match them, and of the codes below these", |p| &mut p.match_codes),
    paging::limit("Maximum number of tenders of the page; a plan may lower it", |p| &mut p.limit),
    FeedParam::new(
        "cursor",
        "`next_cursor` from a previous response to the same request",
        ParamType::Text(|p| &mut p.cursor),
    ),
];

/// A feed request ready to run.
pub(crate) struct Feed {
    pub(crate) query: FeedQuery,
    pub(crate) days_back: u64,
    /// The limit, if the plan lowered the requested one.
    pub(crate) lowered_limit: Option<u64>,
    normal_form: NormalForm,
}

/// What determines the response apart from the day and the page. Cursors and `ETag`s are computed from it.
#[derive(Serialize)]
struct NormalForm {
    keywords: Vec<String>,
    languages: Vec<&'static str>,
    min_value: Option<f64>,
    days_back: u64,
    filters: Vec<Filter>,
    /// Left out where it is not asked for, so that cursors of a feed without it stay valid.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    translate: bool,
    /// Left out for the same reason.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    match_codes: bool,
}

impl FeedParams {
    /// A client that started paging before midnight continues with the day on which it started; a cursor
    /// is valid until the end of the next day.
    pub(crate) fn resolve(self, call: &Call, now: Date) -> Result<Feed, ApiError> {
        let context = ResolveContext::of(call, EntityType::Tender);
        let municipality = self.municipality.as_ref().map(|given| Given {
            name: given.name,
            value: given.value.as_str(),
        });
        context.check_municipalities(municipality)?;
        let keywords = keywords(&self.keywords)?;
        let languages = languages(&self.languages)?;
        let days_back = self.days_back.as_ref().map_or(DEFAULT_DAYS_BACK, |given| given.value);
        let (limit, lowered_limit) = context.limit(&self.limit);
        let min_value = self.min_value.as_ref().map(|given| given.value);
        let filters = self.filters();
        let is_true = |given: &Option<Given<bool>>| given.as_ref().is_some_and(|given| given.value);
        let (translate, match_codes) = (is_true(&self.translate), is_true(&self.match_codes));
        let normal_form = NormalForm {
            keywords: keywords.iter().map(|(text, _)| text.clone()).collect(),
            languages: languages.iter().map(|language| language.code()).collect(),
            min_value,
            days_back,
            filters: filters.clone(),
            translate,
            match_codes,
        };
        let (today, after) = match &self.cursor {
            Some(given) => start(given, &normal_form, now)?,
            None => (now, None),
        };
        let translator = &call.generation.translator;
        let codes_of_each = MAX_CODES / keywords.len().max(1);
        let extended = |(text, mut keyword): (String, Keyword)| {
            if translate {
                keyword = keyword.translated(translator);
            }
            if match_codes {
                keyword = keyword.with_codes(translator, translate, codes_of_each);
            }
            (text, keyword)
        };
        let keywords = keywords.into_iter().map(extended).collect();
        let query = FeedQuery {
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
            query,
            days_back,
            lowered_limit,
            normal_form,
        })
    }

    fn filters(&self) -> Vec<Filter> {
        let municipality = self.municipality.as_ref().map(|given| {
            let key = query_key(Role::Municipality, &given.value);
            term(Role::Municipality, key)
        });
        let department = self.department.as_ref().map(|given| {
            let key = query_key(Role::Department, &given.value);
            contains(Role::Department, key)
        });
        let category = self.category.as_ref().map(|given| {
            let key = query_key(Role::Category, given.value);
            term(Role::Category, key)
        });
        let notice_type = self.notice_type.as_ref().map(|given| {
            let key = query_key(Role::NoticeType, &given.value);
            term(Role::NoticeType, key)
        });
        let filters = [municipality, department, category, notice_type];
        filters.into_iter().flatten().collect()
    }
}

impl Feed {
    /// What determines the response on one generation, the day and the page included.
    pub(crate) fn normal_form(&self) -> impl Serialize {
        let query = &self.query;
        (&self.normal_form, query.today, query.limit, &query.after)
    }

    /// The cursor of a position in this feed.
    pub(crate) fn cursor(&self, position: Position) -> Result<String, ApiError> {
        let fingerprint = self.normal_form.fingerprint(self.query.today)?;
        Ok(Cursor::of(fingerprint, position).encode())
    }
}

impl NormalForm {
    fn fingerprint(&self, today: Date) -> Result<u32, ApiError> {
        let bytes = serde_json::to_vec(&(self, today)).map_err(ApiError::internal)?;
        Ok(crc32fast::hash(&bytes))
    }
}

/// The day on which the client started paging, today or yesterday, and the position after which its next page starts.
fn start(given: &Given<String>, normal_form: &NormalForm, now: Date) -> Result<(Date, Option<Position>), ApiError> {
    let cursor = Cursor::decode(&given.value).map_err(|_| invalid_cursor(given))?;
    for day in [now, now.days_before(1)] {
        if cursor.is_of(normal_form.fingerprint(day)?) {
            return Ok((day, Some(cursor.position())));
        }
    }
    Err(cursor_of_another_query())
}

/// The keywords in the order and spelling they were given, each once.
fn keywords(given: &Option<Given<String>>) -> Result<Vec<(String, Keyword)>, ApiError> {
    let Some(given) = given else {
        return Ok(Vec::new());
    };
    let invalid = |reason: Reason| ApiError::invalid(given.name, reason);
    let length = given.value.chars().count();
    if length > MAX_QUERY_CHARS {
        return Err(invalid(Reason::Query(TextError::TooLong(length))));
    }
    let mut keywords: Vec<(String, Keyword)> = Vec::new();
    for text in given.value.split(',').map(str::trim).filter(|text| !text.is_empty()) {
        let refused = |error| {
            let text = text.to_owned();
            invalid(Reason::KeywordOfList { text, error })
        };
        let keyword = Keyword::parse(text).map_err(refused)?;
        if !keywords.iter().any(|(_, known)| *known == keyword) {
            keywords.push((text.to_owned(), keyword));
        }
    }
    match keywords.len() {
        0 => Err(invalid(Reason::NoKeyword(given.value.clone()))),
        1..=MAX_QUERY_WORDS => Ok(keywords),
        count => {
            let max = MAX_QUERY_WORDS;
            Err(invalid(Reason::TooManyKeywords { count, max }))
        }
    }
}

/// The languages given, in the order of [`Language::ALL`].
fn languages(given: &Option<Given<String>>) -> Result<Vec<Language>, ApiError> {
    let (name, text) = match given {
        Some(given) => (given.name, given.value.as_str()),
        None => ("languages", DEFAULT_LANGUAGES),
    };
    let codes = Language::ALL.map(Language::code);
    let mut given = Vec::new();
    for code in text.split(',').map(str::trim).filter(|code| !code.is_empty()) {
        let unknown = || ApiError::invalid(name, Reason::NotInList(not_in_list(code, codes.into_iter())));
        given.push(Language::parse(&code.to_lowercase()).ok_or_else(unknown)?);
    }
    if given.is_empty() {
        return Err(ApiError::invalid(name, Reason::NoLanguage));
    }
    let languages = Language::ALL.into_iter();
    Ok(languages.filter(|language| given.contains(language)).collect())
}
