//! Values of parameters, parsed from text.

use crate::{
    api::params::nearest::near,
    http::parameter_error::{MAX_LISTED_VALUES, NotInList, Reason},
    model::{Date, EmailAddress, commodity::CommodityCode, fold::fold},
    query::{
        keyword::Keyword,
        text::{MAX_QUERY_CHARS, TextError},
    },
};

/// A value and the parameter name under which the client gave it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given<T> {
    pub(crate) name: &'static str,
    pub(crate) value: T,
}

/// Whether the values of a closed list are compared exactly or ignoring ASCII case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Exact,
    Any,
}

/// The minimum number of characters of a name part, counted after folding.
pub(crate) const MIN_NAME_LENGTH: usize = 3;

/// Decision D-20: a value that is not in a closed list, with the list if that is short, and the nearest value if it is
/// near.
pub(crate) fn not_in_list<'l>(text: &str, list: impl Iterator<Item = &'l str> + Clone) -> NotInList {
    NotInList {
        text: text.to_owned(),
        nearest: near(text, list.clone()).map(str::to_owned),
        values: list.take(MAX_LISTED_VALUES + 1).map(str::to_owned).collect(),
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

/// As long as `q` may be, whatever it says.
pub(crate) fn typed(text: &str) -> Result<String, Reason> {
    let length = text.chars().count();
    if length > MAX_QUERY_CHARS {
        return Err(Reason::Query(TextError::TooLong(length)));
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
