//! The types of parameter values: how each is parsed from text, and its JSON schema.

use serde_json::{Value as Json, json};

use crate::{
    http::{error::quoted, params::nearest::near},
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
pub(crate) enum Value<P> {
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
    /// An integer from the first to the second number, both included.
    Integer(u64, u64, Slot<P, u64>),
    /// A finite number.
    Number(Slot<P, f64>),
    Date(Slot<P, Date>),
    /// A commodity code of any level.
    Commodity(Slot<P, CommodityCode>),
}

/// Whether the values of a closed list are compared exactly or ignoring ASCII case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Exact,
    Any,
}

/// The minimum number of characters of a name part, counted after folding.
pub(crate) const MIN_NAME_LENGTH: usize = 3;

/// An error lists all values of a closed list up to this many.
pub(crate) const MAX_LISTED_VALUES: usize = 10;

/// The list of a truth value.
pub(crate) const BOOLEAN: [&str; 2] = ["true", "false"];

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

impl<P> Value<P> {
    /// Parses `text` and stores it; an error states the reason without the parameter's name.
    pub(crate) fn set(&self, given: &mut P, name: &'static str, text: &str) -> Result<(), String> {
        match self {
            Value::Text(slot) => put(slot(given), name, Ok(text.to_owned())),
            Value::NamePart(slot) => put(slot(given), name, name_part(text)),
            Value::Start(slot) => put(slot(given), name, start(text)),
            Value::Query(slot) => {
                let query = TextQuery::parse(text).map_err(|why| format!("the text {why}"));
                put(slot(given), name, query)
            }
            Value::Keyword(slot) => put(slot(given), name, keyword(text)),
            Value::Email(slot) => put(slot(given), name, email(text)),
            Value::OneOf(list, case, slot) => put(slot(given), name, one_of(list, *case, text)),
            Value::Integer(min, max, slot) => put(slot(given), name, integer(*min, *max, text)),
            Value::Number(slot) => put(slot(given), name, number(text)),
            Value::Date(slot) => {
                let date = Date::parse(text).map_err(|why| format!("{} {why}", quoted(text)));
                put(slot(given), name, date)
            }
            Value::Commodity(slot) => {
                let code = CommodityCode::parse(text).map_err(|why| why.to_string());
                put(slot(given), name, code)
            }
        }
    }

    /// The JSON schema of the values that [`Value::set`] accepts, as far as a schema can express it.
    pub(crate) fn schema(&self) -> Json {
        match self {
            Value::Text(_) | Value::Commodity(_) => json!({"type": "string"}),
            Value::NamePart(_) => json!({"type": "string", "minLength": MIN_NAME_LENGTH}),
            Value::Start(_) => json!({"type": "string", "minLength": 1}),
            Value::Keyword(_) | Value::Query(_) => json!({"type": "string", "maxLength": MAX_QUERY_CHARS}),
            Value::Email(_) => json!({"type": "string", "format": "email"}),
            Value::OneOf(list, ..) if **list == BOOLEAN => json!({"type": "boolean"}),
            Value::OneOf(list, ..) => json!({"type": "string", "enum": list}),
            Value::Integer(min, u64::MAX, _) => json!({"type": "integer", "minimum": min}),
            Value::Integer(min, max, _) => json!({"type": "integer", "minimum": min, "maximum": max}),
            Value::Number(_) => json!({"type": "number"}),
            Value::Date(_) => json!({"type": "string", "format": "date"}),
        }
    }
}

/// Decision D-20: the error for a value that is not in a closed list. It has the whole list if that is short, and the
/// nearest value if it is near.
pub(crate) fn not_in_list<'l>(text: &str, list: impl Iterator<Item = &'l str> + Clone) -> String {
    let hint = match near(text, list.clone()) {
        Some(near) => format!("; nearest is '{near}'"),
        None => String::new(),
    };
    let values: Vec<&str> = list.take(MAX_LISTED_VALUES + 1).collect();
    match values.len() {
        0 => format!("{} is invalid; there is no valid value", quoted(text)),
        1..=MAX_LISTED_VALUES => format!("{} is not one of {}{hint}", quoted(text), values.join(", ")),
        _ => format!("{} is invalid{hint}", quoted(text)),
    }
}

fn put<T>(slot: &mut Option<Given<T>>, name: &'static str, value: Result<T, String>) -> Result<(), String> {
    match slot {
        Some(before) if before.name == name => Err("given twice; give it once".to_owned()),
        Some(before) => Err(format!("given twice, also as '{}'; give it once", before.name)),
        None => {
            *slot = Some(Given { name, value: value? });
            Ok(())
        }
    }
}

pub(crate) fn name_part(text: &str) -> Result<String, String> {
    if fold(text).chars().count() < MIN_NAME_LENGTH {
        return Err(format!(
            "{} is too short; give at least {MIN_NAME_LENGTH} letters or digits",
            quoted(text)
        ));
    }
    Ok(text.to_owned())
}

/// Decision D-38: a start without a letter or digit folds to the empty text, which would match every record; it is
/// refused.
pub(crate) fn start(text: &str) -> Result<String, String> {
    if fold(text).is_empty() {
        return Err(format!("{} has no letter or digit; give at least one", quoted(text)));
    }
    Ok(text.to_owned())
}

pub(crate) fn keyword(text: &str) -> Result<Keyword, String> {
    Keyword::parse(text).map_err(|why| format!("the text {why}"))
}

pub(crate) fn email(text: &str) -> Result<EmailAddress, String> {
    EmailAddress::parse_new(text).map_err(|why| format!("the text {why}"))
}

pub(crate) fn one_of(list: &'static [&'static str], case: Case, text: &str) -> Result<&'static str, String> {
    let is_equal = |value: &&&'static str| match case {
        Case::Exact => **value == text,
        Case::Any => value.eq_ignore_ascii_case(text),
    };
    let found = list.iter().find(is_equal);
    found.copied().ok_or_else(|| not_in_list(text, list.iter().copied()))
}

/// Parses an integer from `min` to `max`, both included.
pub(crate) fn integer(min: u64, max: u64, text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let is_integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    // An integer that does not fit into a u64 is above every maximum.
    let number = is_integer.then(|| digits.parse().unwrap_or(u64::MAX));
    match number {
        Some(number) if (min..=max).contains(&number) => Ok(number),
        _ if max == u64::MAX => Err(format!("{} is not an integer of {min} or more", quoted(text))),
        _ => Err(format!("{} is not an integer from {min} to {max}", quoted(text))),
    }
}

fn number(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!(
            "{} is not a finite number such as 25000 or 1999.99",
            quoted(text)
        )),
    }
}
