//! The types of parameter values: how each is parsed from text, and its JSON schema.

use serde_json::{Value as Json, json};

use crate::{
    api::params::{
        filters::{FilterKind, GivenFilters},
        parse::{Case, Given, MIN_NAME_LENGTH, amount, code, email, integer, keyword, name_part, one_of, start, typed},
    },
    http::parameter_error::Reason,
    model::{EmailAddress, EntityType, commodity::CommodityCode},
    query::{
        keyword::Keyword,
        text::{MAX_QUERY_CHARS, TextQuery},
    },
};

/// The field of the parameter struct that a value is stored in.
pub(crate) type Slot<P, T> = fn(&mut P) -> &mut Option<Given<T>>;

/// A parameter's type and the field its value is stored in.
pub(crate) enum ParamType<P> {
    /// Any text.
    Text(Slot<P, String>),
    /// Any text, given up to so many times.
    Texts(usize, fn(&mut P) -> &mut Vec<String>),
    /// Part of a name: at least [`MIN_NAME_LENGTH`] characters after folding.
    NamePart(Slot<P, String>),
    /// The start of a value that is compared folded: at least one letter or digit.
    Start(Slot<P, String>),
    /// One word or phrase of `q`.
    Keyword(Slot<P, Keyword>),
    Email(Slot<P, EmailAddress>),
    /// The query language of `q`.
    Query(Slot<P, TextQuery>),
    /// What somebody types into a box: up to as many characters as the query language allows, of any kind.
    Typed(Slot<P, String>),
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
    /// Any text, which has no effect.
    Unused,
    /// What records are selected by.
    Filter(FilterKind, fn(&mut P) -> &mut GivenFilters),
}

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
            ParamType::Texts(max, slot) => {
                let texts = slot(given);
                if texts.len() == *max {
                    return Err(Reason::TooMany { max: *max });
                }
                texts.push(text.to_owned());
                Ok(())
            }
            ParamType::NamePart(slot) => put(slot(given), name, name_part(text)),
            ParamType::Start(slot) => put(slot(given), name, start(text)),
            ParamType::Query(slot) => put(slot(given), name, TextQuery::parse(text).map_err(Reason::Query)),
            ParamType::Typed(slot) => put(slot(given), name, typed(text)),
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
            ParamType::Unused => Ok(()),
            ParamType::Filter(kind, slot) => slot(given).put(parameter, *kind, name, text),
        }
    }

    /// The JSON schema of the values that [`ParamType::set`] accepts, as far as a schema can express it.
    pub(crate) fn schema(&self) -> Json {
        match self {
            ParamType::Text(_) | ParamType::Commodity(_) | ParamType::Unused => json!({"type": "string"}),
            ParamType::Texts(max, _) => json!({"type": "array", "items": {"type": "string"}, "maxItems": max}),
            ParamType::NamePart(_) => json!({"type": "string", "minLength": MIN_NAME_LENGTH}),
            ParamType::Start(_) => json!({"type": "string", "minLength": 1}),
            ParamType::Keyword(_) | ParamType::Query(_) | ParamType::Typed(_) => {
                json!({"type": "string", "maxLength": MAX_QUERY_CHARS})
            }
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
