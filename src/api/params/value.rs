//! The types of parameter values: how each is parsed from text, and its JSON schema.

use serde_json::{Value as Json, json};

use crate::{
    api::params::{
        filters::{FilterKind, GivenFilters},
        nearest::near,
    },
    http::parameter_error::{MAX_LISTED_VALUES, NotInList, Reason},
    model::{Date, EmailAddress, EntityType, commodity::CommodityCode, fold::fold},
    query::{
        keyword::Keyword,
        text::{MAX_QUERY_CHARS, TextQuery},
    },
};

/// A value and the parameter name under which the client gave it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given<T> {
    pub(crate) name: &'static str,
    pub(crate) value: T,
}

/// The field of the parameter struct that a value is stored in.
pub(crate) type Slot<P, T> = fn(&mut P) -> &mut Option<Given<T>>;

/// A parameter's type and the field its value is stored in.
pub(crate) enum ParamType<P> {
    /// Any text.
    Text(Slot<P, String>),
    /// Part of a name: at least [`MIN_NAME_LENGTH`] characters after folding.
    NamePart(Slot<P, String>),
    /// The start of a value that is compared folded: at least one letter or digit.
    Start(Slot<P, String>),
    /// One word or phrase of `q`.
    Keyword(Slot<P, Keyword>),
    Email(Slot<P, EmailAddress>),
    /// The query language of `q`.
    Query(Slot<P, TextQuery>),
    /// One value of a closed list.
    OneOf(&'static [&'static str], Case, Slot<P, &'static str>),
    /// `true` or `false`.
    Boolean(Slot<P, bool>),
    /// An integer from the first to the second number, both included.
    Integer(u64, u64, Slot<P, u64>),
    /// A finite number.
    Number(Slot<P, f64>),
    /// A commodity code of any level.
    Commodity(Slot<P, CommodityCode>),
    /// What records are selected by.
    Filter(FilterKind, fn(&mut P) -> &mut GivenFilters),
}

/// Whether the values of a closed list are compared exactly or ignoring ASCII case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Exact,
    Any,
}

/// The minimum number of characters of a name part, counted after folding.
pub(crate) const MIN_NAME_LENGTH: usize = 3;

/// The list of an entity type: the names of [`EntityType::ALL`].
pub(crate) const ENTITY_TYPES: [&str; EntityType::ALL.len()] = {
    let mut names = [""; EntityType::ALL.len()];
    let mut number = 0;
    while number < names.len() {
        names[number] = EntityType::ALL[number].name();
        number += 1;
    }
    names
};

impl<P> ParamType<P> {
    /// Parses `text` and stores it. `name` is what the client wrote, `parameter` the canonical name.
    pub(crate) fn set(
        &self,
        given: &mut P,
        parameter: &'static str,
        name: &'static str,
        text: &str,
    ) -> Result<(), Reason> {
        match self {
            ParamType::Text(slot) => put(slot(given), name, Ok(text.to_owned())),
            ParamType::NamePart(slot) => put(slot(given), name, name_part(text)),
            ParamType::Start(slot) => put(slot(given), name, start(text)),
            ParamType::Query(slot) => put(slot(given), name, TextQuery::parse(text).map_err(Reason::Query)),
            ParamType::Keyword(slot) => put(slot(given), name, keyword(text)),
            ParamType::Email(slot) => put(slot(given), name, email(text)),
            ParamType::OneOf(list, case, slot) => put(slot(given), name, one_of(list, *case, text)),
            ParamType::Boolean(slot) => {
                let value = one_of(&["true", "false"], Case::Exact, text);
                put(slot(given), name, value.map(|value| value == "true"))
            }
            ParamType::Integer(min, max, slot) => put(slot(given), name, integer(*min, *max, text)),
            ParamType::Number(slot) => put(slot(given), name, amount(text)),
            ParamType::Commodity(slot) => put(slot(given), name, code(text)),
            ParamType::Filter(kind, slot) => slot(given).put(parameter, *kind, name, text),
        }
    }

    /// The JSON schema of the values that [`ParamType::set`] accepts, as far as a schema can express it.
    pub(crate) fn schema(&self) -> Json {
        match self {
            ParamType::Text(_) | ParamType::Commodity(_) => json!({"type": "string"}),
            ParamType::NamePart(_) => json!({"type": "string", "minLength": MIN_NAME_LENGTH}),
            ParamType::Start(_) => json!({"type": "string", "minLength": 1}),
            ParamType::Keyword(_) | ParamType::Query(_) => json!({"type": "string", "maxLength": MAX_QUERY_CHARS}),
            ParamType::Email(_) => json!({"type": "string", "format": "email"}),
            ParamType::Boolean(_) => json!({"type": "boolean"}),
            ParamType::OneOf(list, ..) => json!({"type": "string", "enum": list}),
            ParamType::Integer(min, u64::MAX, _) => json!({"type": "integer", "minimum": min}),
            ParamType::Integer(min, max, _) => json!({"type": "integer", "minimum": min, "maximum": max}),
            ParamType::Number(_) => json!({"type": "number"}),
            ParamType::Filter(kind, _) => kind.schema(),
        }
    }
}

/// Decision D-20: a value that is not in a closed list, with the list if that is short, and the nearest value if it is
/// near.
pub(crate) fn not_in_list<'l>(text: &str, list: impl Iterator<Item = &'l str> + Clone) -> NotInList {
    NotInList {
        text: text.to_owned(),
        nearest: near(text, list.clone()).map(str::to_owned),
        values: list.take(MAX_LISTED_VALUES + 1).map(str::to_owned).collect(),
    }
}

fn put<T>(slot: &mut Option<Given<T>>, name: &'static str, value: Result<T, Reason>) -> Result<(), Reason> {
    match slot {
        Some(before) => Err(Reason::Repeated {
            other_name: (before.name != name).then_some(before.name),
        }),
        None => {
            *slot = Some(Given { name, value: value? });
            Ok(())
        }
    }
}

pub(crate) fn name_part(text: &str) -> Result<String, Reason> {
    if fold(text).chars().count() < MIN_NAME_LENGTH {
        return Err(Reason::TooShort {
            text: text.to_owned(),
            min: MIN_NAME_LENGTH,
        });
    }
    Ok(text.to_owned())
}

/// A start without a letter or digit folds to the empty text, which would match every record; it is
/// refused.
pub(crate) fn start(text: &str) -> Result<String, Reason> {
    if fold(text).is_empty() {
        return Err(Reason::NoLetter(text.to_owned()));
    }
    Ok(text.to_owned())
}

pub(crate) fn date(text: &str) -> Result<Date, Reason> {
    Date::parse(text).map_err(|error| Reason::Date {
        text: text.to_owned(),
        error,
    })
}

pub(crate) fn code(text: &str) -> Result<CommodityCode, Reason> {
    CommodityCode::parse(text).map_err(|error| Reason::Commodity {
        text: text.to_owned(),
        error,
    })
}

pub(crate) fn keyword(text: &str) -> Result<Keyword, Reason> {
    Keyword::parse(text).map_err(|error| Reason::Keyword {
        text: text.to_owned(),
        error,
    })
}

pub(crate) fn email(text: &str) -> Result<EmailAddress, Reason> {
    EmailAddress::parse_new(text).map_err(Reason::Email)
}

pub(crate) fn one_of(list: &'static [&'static str], case: Case, text: &str) -> Result<&'static str, Reason> {
    let is_equal = |value: &&&'static str| match case {
        Case::Exact => **value == text,
        Case::Any => value.eq_ignore_ascii_case(text),
    };
    let found = list.iter().find(is_equal);
    let unknown = || Reason::NotInList(not_in_list(text, list.iter().copied()));
    found.copied().ok_or_else(unknown)
}

/// Parses an integer from `min` to `max`, both included.
pub(crate) fn integer(min: u64, max: u64, text: &str) -> Result<u64, Reason> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let is_integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    // An integer that does not fit into a u64 is above every maximum.
    let number = is_integer.then(|| digits.parse().unwrap_or(u64::MAX));
    match number {
        Some(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(Reason::Integer {
            text: text.to_owned(),
            min,
            max,
        }),
    }
}

pub(crate) fn amount(text: &str) -> Result<f64, Reason> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(Reason::Number(text.to_owned())),
    }
}
