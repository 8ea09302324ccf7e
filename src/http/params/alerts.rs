//! What is said to subscribe to alerts and to end them: `POST /tender/alerts/subscribe`, `/tender/alerts/unsubscribe`.

use crate::{
    http::{
        body::{Member, Shape},
        params::{Case, Param, Said, Value},
    },
    model::{email::EmailAddress, vocabulary::CATEGORIES},
    query::keyword::Keyword,
    state::subscriptions::{Frequency, Locale},
};

/// What one of the two, address or body, says of a subscription.
#[derive(Debug, Default, PartialEq)]
pub struct SubscribeParams {
    pub email: Option<Said<EmailAddress>>,
    pub keyword: Option<Said<Keyword>>,
    pub keywords: Vec<String>,
    pub department: Option<Said<String>>,
    pub municipality: Option<Said<String>>,
    pub category: Option<Said<&'static str>>,
    pub languages: Vec<String>,
    pub frequency: Option<Said<&'static str>>,
    pub locale: Option<Said<&'static str>>,
}

const EMAIL: Param<SubscribeParams> = Param {
    name: "email",
    aliases: &[],
    about: "Where the digests are sent. Required, in the address or the body",
    value: Value::Email(|p| &mut p.email),
};

const KEYWORD: Param<SubscribeParams> = Param {
    name: "keyword",
    aliases: &[],
    about: "A word, or several that stand side by side, of the title or description, matched as one of `q` is; any tender when there is none",
    value: Value::Keyword(|p| &mut p.keyword),
};

const DEPARTMENT: Param<SubscribeParams> = Param {
    name: "department",
    aliases: &[],
    about: "Part of the department's name, in English or French; accents and case do not matter",
    value: Value::NamePart(|p| &mut p.department),
};

const MUNICIPALITY: Param<SubscribeParams> = Param {
    name: "municipality",
    aliases: &["city"],
    about: "City slug; `/tender/coverage` lists them",
    value: Value::Text(|p| &mut p.municipality),
};

const CATEGORY: Param<SubscribeParams> = Param {
    name: "category",
    aliases: &[],
    about: "Procurement category; a tender with several matches each",
    value: Value::OneOf {
        list: &CATEGORIES,
        case: Case::Any,
        slot: |p| &mut p.category,
    },
};

const FREQUENCY: Param<SubscribeParams> = Param {
    name: "frequency",
    aliases: &[],
    about: "How often a digest comes at most; daily when not given",
    value: Value::OneOf {
        list: &[Frequency::Daily.name(), Frequency::Weekly.name()],
        case: Case::Any,
        slot: |p| &mut p.frequency,
    },
};

const LOCALE: Param<SubscribeParams> = Param {
    name: "locale",
    aliases: &[],
    about: "The language of the digests; English when not given",
    value: Value::OneOf {
        list: &[Locale::En.name(), Locale::Fr.name()],
        case: Case::Any,
        slot: |p| &mut p.locale,
    },
};

/// Spec silent: the address takes all that the body takes but the lists.
pub static QUERY: &[Param<SubscribeParams>] = &[EMAIL, KEYWORD, DEPARTMENT, MUNICIPALITY, CATEGORY, FREQUENCY, LOCALE];

pub static BODY: &[Member<SubscribeParams>] = &[
    member(EMAIL),
    member(KEYWORD),
    Member {
        name: "keywords",
        about: "Several keywords, of which any must be found",
        shape: Shape::Texts(|p| &mut p.keywords),
    },
    member(DEPARTMENT),
    member(MUNICIPALITY),
    member(CATEGORY),
    Member {
        name: "languages",
        about: "The languages of the notices to look at, `en` or `fr`; both when not given",
        shape: Shape::Texts(|p| &mut p.languages),
    },
    member(FREQUENCY),
    member(LOCALE),
];

const fn member(param: Param<SubscribeParams>) -> Member<SubscribeParams> {
    Member {
        name: param.name,
        about: param.about,
        shape: Shape::One(param.value),
    }
}

#[derive(Debug, Default, PartialEq)]
pub struct UnsubscribeParams {
    pub token: Option<Said<String>>,
}

pub static UNSUBSCRIBE: &[Param<UnsubscribeParams>] = &[Param {
    name: "token",
    aliases: &[],
    about: "The token of the link in a mail. Required",
    value: Value::Text(|p| &mut p.token),
}];
