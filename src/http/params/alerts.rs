//! The parameters and the body of `POST /tender/alerts/subscribe`, and the parameters of `/tender/alerts/unsubscribe`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    http::{
        json::{FromText, List, Optional, Required},
        params::{
            category::Category,
            param::Param,
            value::{self, Case, Given, Value, not_in_list},
        },
    },
    model::{email::EmailAddress, stem::Language, vocabulary::CATEGORIES},
    query::{keyword::Keyword, text::MAX_QUERY_CHARS},
    state::subscription::{Frequency, Locale},
};

/// Spec silent: the maximum number of keywords of a subscription.
pub const MAX_KEYWORDS: usize = 20;

/// The query parameters of a subscription: all members of the body except the lists (spec silent).
#[derive(Debug, Default, PartialEq)]
pub struct SubscribeParams {
    pub email: Option<Given<EmailAddress>>,
    pub keyword: Option<Given<Keyword>>,
    pub department: Option<Given<String>>,
    pub municipality: Option<Given<String>>,
    pub category: Option<Given<&'static str>>,
    pub frequency: Option<Given<&'static str>>,
    pub locale: Option<Given<&'static str>>,
}

/// The tenders to send digests of, to whom and how often
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct SubscribeBody {
    /// The address that digests are sent to. Required, in the query string or the body
    pub email: Optional<EmailAddress>,
    /// A word, or several adjacent words, of the title or description, matched like one of `q`; without a keyword every tender matches
    pub keyword: Optional<Keyword>,
    /// Several keywords; a tender matches if it contains one of them
    #[schemars(extend("maxItems" = MAX_KEYWORDS))]
    pub keywords: List<Required<Keyword>>,
    /// Part of the department's name, in English or French; accents and case do not matter
    pub department: Optional<NamePart>,
    /// City slug; `/tender/coverage` lists the valid ones
    pub municipality: Optional<Slug>,
    /// Procurement category; a tender with several categories matches each of them
    pub category: Optional<Category>,
    /// Languages of the notices, `en` or `fr`; both by default
    #[schemars(extend("maxItems" = MAX_KEYWORDS))]
    pub languages: List<Required<Language>>,
    /// Maximum frequency of digests; daily by default
    pub frequency: Optional<Frequency>,
    /// Language of the digests; English by default
    pub locale: Optional<Locale>,
}

type Row = Param<SubscribeParams>;

pub static SUBSCRIBE: &[Row] = &[
    Row::new(
        "email",
        "The address that digests are sent to. Required, in the query string or the body",
        Value::Email(|p| &mut p.email),
    ),
    Row::new(
        "keyword",
        "A word, or several adjacent words, of the title or description, matched like one of `q`; without a keyword every tender matches",
        Value::Keyword(|p| &mut p.keyword),
    ),
    Row::new(
        "department",
        "Part of the department's name, in English or French; accents and case do not matter",
        Value::NamePart(|p| &mut p.department),
    ),
    Row::new(
        "municipality",
        "City slug; `/tender/coverage` lists the valid ones",
        Value::Text(|p| &mut p.municipality),
    )
    .aliases(&["city"]),
    Row::new(
        "category",
        "Procurement category; a tender with several categories matches each of them",
        Value::OneOf {
            list: &CATEGORIES,
            case: Case::Any,
            slot: |p| &mut p.category,
        },
    ),
    Row::new(
        "frequency",
        "Maximum frequency of digests; daily by default",
        Value::OneOf {
            list: &FREQUENCIES,
            case: Case::Any,
            slot: |p| &mut p.frequency,
        },
    )
    .default(|| json!(Frequency::default().name())),
    Row::new(
        "locale",
        "Language of the digests; English by default",
        Value::OneOf {
            list: &LOCALES,
            case: Case::Any,
            slot: |p| &mut p.locale,
        },
    )
    .default(|| json!(Locale::default().name())),
];

const FREQUENCIES: [&str; 2] = [Frequency::Daily.name(), Frequency::Weekly.name()];
const LOCALES: [&str; 2] = [Locale::En.name(), Locale::Fr.name()];

#[derive(Debug, Default, PartialEq)]
pub struct UnsubscribeParams {
    pub token: Option<Given<String>>,
}

pub static UNSUBSCRIBE: &[Param<UnsubscribeParams>] = &[Param::<UnsubscribeParams>::new(
    "token",
    "The token of the link in a mail. Required",
    Value::Text(|p| &mut p.token),
)
.required()
.bounds(|| json!({"pattern": "\\S"}))];

/// Part of a department's name.
#[derive(Debug)]
pub struct NamePart(pub String);

/// A city slug, not yet checked.
#[derive(Debug)]
pub struct Slug(pub String);

impl FromText for EmailAddress {
    fn from_text(text: &str) -> Result<EmailAddress, String> {
        value::email(text)
    }

    fn schema() -> Json {
        json!({"type": "string", "format": "email"})
    }
}

impl FromText for Keyword {
    fn from_text(text: &str) -> Result<Keyword, String> {
        value::keyword(text)
    }

    fn schema() -> Json {
        json!({"type": "string", "maxLength": MAX_QUERY_CHARS})
    }
}

impl FromText for NamePart {
    fn from_text(text: &str) -> Result<NamePart, String> {
        value::name_part(text).map(NamePart)
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": value::MIN_NAME_LENGTH})
    }
}

impl FromText for Slug {
    fn from_text(text: &str) -> Result<Slug, String> {
        Ok(Slug(text.to_owned()))
    }

    fn schema() -> Json {
        json!({"type": "string"})
    }
}

impl FromText for Language {
    fn from_text(text: &str) -> Result<Language, String> {
        let codes = Language::ALL.map(Language::code);
        Language::parse(&text.to_lowercase()).ok_or_else(|| not_in_list(text, codes.into_iter()))
    }

    fn schema() -> Json {
        json!({"type": "string", "enum": Language::ALL.map(Language::code)})
    }
}

impl FromText for Frequency {
    fn from_text(text: &str) -> Result<Frequency, String> {
        let name = value::one_of(&FREQUENCIES, Case::Any, text)?;
        Ok(Frequency::parse(name).expect("every name of the list is a frequency"))
    }

    fn schema() -> Json {
        json!({"type": "string", "enum": FREQUENCIES})
    }
}

impl FromText for Locale {
    fn from_text(text: &str) -> Result<Locale, String> {
        let name = value::one_of(&LOCALES, Case::Any, text)?;
        Ok(Locale::parse(name).expect("every name of the list is a locale"))
    }

    fn schema() -> Json {
        json!({"type": "string", "enum": LOCALES})
    }
}
