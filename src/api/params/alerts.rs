//! The parameters and the body of `POST /tender/alerts/subscribe`, and the parameters of the
//! links in mails.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    api::{
        json::{Boolean, FromText, List, Optional, Required},
        params::{
            category::Category,
            param::Param,
            parse::{self, Case, Given, not_in_list},
            value::ParamType,
        },
    },
    http::{error::ApiError, parameter_error::Reason},
    model::{
        EmailAddress, Language,
        fold::fold,
        mail_safe_text::{self, MAX_CHARS},
        vocabulary::CATEGORIES,
    },
    query::keyword::Keyword,
    state::subscription::{Frequency, Locale},
};

/// The maximum number of keywords of a subscription.
pub(crate) const MAX_KEYWORDS: usize = 20;

/// The query parameters of a subscription. All members of the body except the lists.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct SubscribeParams {
    pub(crate) email: Option<Given<EmailAddress>>,
    pub(crate) keyword: Option<Given<Keyword>>,
    pub(crate) department: Option<Given<String>>,
    pub(crate) municipality: Option<Given<String>>,
    pub(crate) category: Option<Given<&'static str>>,
    pub(crate) translate: Option<Given<bool>>,
    pub(crate) frequency: Option<Given<&'static str>>,
    pub(crate) locale: Option<Given<&'static str>>,
}

impl SubscribeParams {
    /// Checks the texts that mails may show. Those of the body are checked when it is parsed.
    pub(crate) fn check_words(&self) -> Result<(), ApiError> {
        let keyword = self.keyword.as_ref().map(|given| (given.name, given.value.text()));
        let department = self.department.as_ref().map(|given| (given.name, given.value.as_str()));
        let mut texts = keyword.into_iter().chain(department);
        texts.try_for_each(|(name, text)| shown(text).map_err(|reason| ApiError::invalid(name, reason)))
    }

    /// Adds the members of the body that are no lists. A value that both have must be the same.
    pub(crate) fn merge(self, body: SubscribeBody) -> Result<SubscribeParams, ApiError> {
        let (part, slug) = (body.department.0, body.municipality.0);
        let (part, slug) = (part.map(|part| part.0), slug.map(|slug| slug.0));
        let category = body.category.0.map(|category| category.0);
        let (frequency, locale) = (body.frequency.0.map(Frequency::name), body.locale.0.map(Locale::name));
        Ok(SubscribeParams {
            email: agreed("email", self.email, body.email.0, |a, b| a == b)?,
            keyword: agreed("keyword", self.keyword, body.keyword.0, |a, b| a.term() == b.term())?,
            department: agreed("department", self.department, part, |a, b| fold(a) == fold(b))?,
            municipality: agreed("municipality", self.municipality, slug, |a, b| a == b)?,
            category: agreed("category", self.category, category, |a, b| a == b)?,
            translate: agreed("translate", self.translate, body.translate.0, |a, b| a == b)?,
            frequency: agreed("frequency", self.frequency, frequency, |a, b| a == b)?,
            locale: agreed("locale", self.locale, locale, |a, b| a == b)?,
        })
    }
}

fn agreed<T>(
    name: &'static str,
    query: Option<Given<T>>,
    body: Option<T>,
    is_same: fn(&T, &T) -> bool,
) -> Result<Option<Given<T>>, ApiError> {
    match (query, body) {
        (Some(query), Some(body)) if !is_same(&query.value, &body) => {
            Err(ApiError::invalid(query.name, Reason::DiffersFromBody))
        }
        (None, Some(value)) => Ok(Some(Given { name, value })),
        (query, _) => Ok(query),
    }
}

/// The tenders to send digests of, to whom and how often
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct SubscribeBody {
    #[schemars(description = EMAIL)]
    pub(crate) email: Optional<EmailAddress>,
    #[schemars(description = KEYWORD)]
    pub(crate) keyword: Optional<Keyword>,
    /// Several keywords; a tender matches if it contains one of them
    #[schemars(extend("maxItems" = MAX_KEYWORDS))]
    pub(crate) keywords: List<Required<Keyword>>,
    #[schemars(description = DEPARTMENT)]
    pub(crate) department: Optional<NamePart>,
    #[schemars(description = MUNICIPALITY)]
    pub(crate) municipality: Optional<Slug>,
    #[schemars(description = CATEGORY)]
    pub(crate) category: Optional<Category>,
    /// Languages of the notices, `en` or `fr`; both by default
    #[schemars(extend("maxItems" = MAX_KEYWORDS))]
    pub(crate) languages: List<Required<Language>>,
    #[schemars(description = TRANSLATE)]
    pub(crate) translate: Boolean,
    #[schemars(description = FREQUENCY)]
    pub(crate) frequency: Optional<Frequency>,
    #[schemars(description = LOCALE)]
    pub(crate) locale: Optional<Locale>,
}

// Descriptions of what is both a parameter and a member of the body.
const EMAIL: &str = "The address that digests are sent to. Required, in the query string or the body";
const KEYWORD: &str = "A word, or several adjacent words, of the title or description, matched like one of `q`; without a keyword every tender matches";
const DEPARTMENT: &str = "Part of the department's name, in English or French; accents and case do not matter";
const MUNICIPALITY: &str = "City slug; `/tender/coverage` lists the valid ones";
const CATEGORY: &str = "Procurement category; a tender with several categories matches each of them";
const TRANSLATE: &str = "`true`: keywords also find other terms for the same in English and French";
const FREQUENCY: &str = "Maximum frequency of digests; daily by default";
const LOCALE: &str = "Language of the digests; English by default";

type SubscribeParam = Param<SubscribeParams>;

pub(crate) static SUBSCRIBE: &[SubscribeParam] = &[
    SubscribeParam::new("email", EMAIL, ParamType::Email(|p| &mut p.email)),
    SubscribeParam::new("keyword", KEYWORD, ParamType::Keyword(|p| &mut p.keyword))
        .bounds(|| json!({"maxLength": MAX_CHARS})),
    SubscribeParam::new("department", DEPARTMENT, ParamType::NamePart(|p| &mut p.department))
        .bounds(|| json!({"maxLength": MAX_CHARS})),
    SubscribeParam::new("municipality", MUNICIPALITY, ParamType::Text(|p| &mut p.municipality)).aliases(&["city"]),
    SubscribeParam::new(
        "category",
        CATEGORY,
        ParamType::OneOf(&CATEGORIES, Case::Any, |p| &mut p.category),
    ),
    SubscribeParam::flag("translate", TRANSLATE, |p| &mut p.translate),
    SubscribeParam::new(
        "frequency",
        FREQUENCY,
        ParamType::OneOf(&FREQUENCIES, Case::Any, |p| &mut p.frequency),
    )
    .default(|| json!(Frequency::default().name())),
    SubscribeParam::new(
        "locale",
        LOCALE,
        ParamType::OneOf(&LOCALES, Case::Any, |p| &mut p.locale),
    )
    .default(|| json!(Locale::default().name())),
];

const FREQUENCIES: [&str; 2] = [Frequency::Daily.name(), Frequency::Weekly.name()];
const LOCALES: [&str; 2] = [Locale::En.name(), Locale::Fr.name()];

#[derive(Debug, Default, PartialEq)]
pub(crate) struct UnsubscribeParams {
    pub(crate) token: Option<Given<String>>,
}

pub(crate) static UNSUBSCRIBE: &[Param<UnsubscribeParams>] = &[Param::<UnsubscribeParams>::new(
    "token",
    "The token of the link in a mail. Required",
    ParamType::Text(|p| &mut p.token),
)
.required()
.bounds(|| json!({"pattern": "\\S"}))];

/// Checks a text that mails may show.
fn shown(text: &str) -> Result<(), Reason> {
    mail_safe_text::check(text).map_err(Reason::MailSafety)
}

/// Part of a department's name.
#[derive(Debug)]
pub(crate) struct NamePart(pub(crate) String);

/// A city slug, not yet checked.
#[derive(Debug)]
pub(crate) struct Slug(pub(crate) String);

impl FromText for EmailAddress {
    fn from_text(text: &str) -> Result<EmailAddress, Reason> {
        parse::email(text)
    }

    fn schema() -> Json {
        json!({"type": "string", "format": "email"})
    }
}

impl FromText for Keyword {
    fn from_text(text: &str) -> Result<Keyword, Reason> {
        shown(text)?;
        parse::keyword(text)
    }

    fn schema() -> Json {
        json!({"type": "string", "maxLength": MAX_CHARS})
    }
}

impl FromText for NamePart {
    fn from_text(text: &str) -> Result<NamePart, Reason> {
        shown(text)?;
        parse::name_part(text).map(NamePart)
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": parse::MIN_NAME_LENGTH, "maxLength": MAX_CHARS})
    }
}

impl FromText for Slug {
    fn from_text(text: &str) -> Result<Slug, Reason> {
        Ok(Slug(text.to_owned()))
    }

    fn schema() -> Json {
        json!({"type": "string"})
    }
}

impl FromText for Language {
    fn from_text(text: &str) -> Result<Language, Reason> {
        let codes = Language::ALL.map(Language::code);
        let unknown = || Reason::NotInList(not_in_list(text, codes.into_iter()));
        Language::parse(&text.to_lowercase()).ok_or_else(unknown)
    }

    fn schema() -> Json {
        json!({"type": "string", "enum": Language::ALL.map(Language::code)})
    }
}

impl FromText for Frequency {
    fn from_text(text: &str) -> Result<Frequency, Reason> {
        let name = parse::one_of(&FREQUENCIES, Case::Any, text)?;
        Ok(Frequency::parse(name).expect("every name of the list is a frequency"))
    }

    fn schema() -> Json {
        json!({"type": "string", "enum": FREQUENCIES})
    }
}

impl FromText for Locale {
    fn from_text(text: &str) -> Result<Locale, Reason> {
        let name = parse::one_of(&LOCALES, Case::Any, text)?;
        Ok(Locale::parse(name).expect("every name of the list is a locale"))
    }

    fn schema() -> Json {
        json!({"type": "string", "enum": LOCALES})
    }
}
