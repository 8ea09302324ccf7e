//! The types a parameter's value can have, and how each is read from its text.

use crate::{
    http::{
        error::quoted,
        params::{Said, nearest},
    },
    model::{date::Date, email::EmailAddress, fold::fold},
    query::{keyword::Keyword, text::TextQuery},
};

/// Where a value goes among the parameters that were said.
pub type Slot<P, T> = fn(&mut P) -> &mut Option<Said<T>>;

/// A parameter's type, with the place of its value.
pub enum Value<P> {
    /// Any text.
    Text(Slot<P, String>),
    /// Part of a name: at least `SHORTEST_NAME` characters once folded.
    NamePart(Slot<P, String>),
    /// The start of a value that is compared folded: it must hold a letter or a digit.
    Start(Slot<P, String>),
    /// One word or phrase of `q`.
    Keyword(Slot<P, Keyword>),
    Email(Slot<P, EmailAddress>),
    /// The language of `q`.
    Query(Slot<P, TextQuery>),
    /// One word of a closed list.
    OneOf {
        list: &'static [&'static str],
        case: Case,
        slot: Slot<P, &'static str>,
    },
    Integer {
        min: u64,
        max: u64,
        slot: Slot<P, u64>,
    },
    /// A finite number.
    Number(Slot<P, f64>),
    Date(Slot<P, Date>),
}

/// Whether a word of a closed list must be written exactly as the list has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Exact,
    Any,
}

/// The fewest characters of a name part, counted after folding.
pub const SHORTEST_NAME: usize = 3;

/// A closed list is written out in an error up to this many words.
pub const WHOLE_LIST: usize = 10;

impl<P> Value<P> {
    /// Reads `text` into its place; an error says why not, without naming the parameter.
    pub fn set(&self, said: &mut P, name: &'static str, text: &str) -> Result<(), String> {
        match self {
            Value::Text(slot) => put(slot(said), name, Ok(text.to_owned())),
            Value::NamePart(slot) => put(slot(said), name, name_part(text)),
            Value::Start(slot) => put(slot(said), name, start(text)),
            Value::Query(slot) => {
                let query = TextQuery::parse(text).map_err(|why| format!("the text {why}"));
                put(slot(said), name, query)
            }
            Value::Keyword(slot) => {
                let keyword = Keyword::parse(text).map_err(|why| format!("the text {why}"));
                put(slot(said), name, keyword)
            }
            Value::Email(slot) => {
                let address = EmailAddress::parse(text).map_err(|why| format!("the text {why}"));
                put(slot(said), name, address)
            }
            Value::OneOf { list, case, slot } => put(slot(said), name, one_of(list, *case, text)),
            Value::Integer { min, max, slot } => put(slot(said), name, integer(*min, *max, text)),
            Value::Number(slot) => put(slot(said), name, number(text)),
            Value::Date(slot) => {
                let date = Date::parse(text).map_err(|why| format!("{} {why}", quoted(text)));
                put(slot(said), name, date)
            }
        }
    }
}

/// Why a word is not in a list, with the cure: the nearest, and the whole list where it is short.
pub fn not_in_list<'l>(text: &str, list: impl Iterator<Item = &'l str> + Clone) -> String {
    let Some(near) = nearest(text, list.clone()) else {
        return format!("{} is not accepted; no value is", quoted(text));
    };
    let words: Vec<&str> = list.take(WHOLE_LIST + 1).collect();
    if words.len() > WHOLE_LIST {
        return format!("{} is not accepted; nearest is '{near}'", quoted(text));
    }
    let words = words.join(", ");
    format!("{} is not one of {words}; nearest is '{near}'", quoted(text))
}

fn put<T>(slot: &mut Option<Said<T>>, name: &'static str, value: Result<T, String>) -> Result<(), String> {
    match slot {
        Some(before) if before.name == name => Err("given twice; give it once".to_owned()),
        Some(before) => Err(format!("given twice, also as '{}'; give it once", before.name)),
        None => {
            *slot = Some(Said { name, value: value? });
            Ok(())
        }
    }
}

fn name_part(text: &str) -> Result<String, String> {
    match fold(text).chars().count() {
        SHORTEST_NAME.. => Ok(text.to_owned()),
        _ => Err(format!(
            "{} is too short; give at least {SHORTEST_NAME} letters or digits",
            quoted(text)
        )),
    }
}

/// Spec silent: a start without a letter or digit folds to nothing, and would match every record; it is refused.
fn start(text: &str) -> Result<String, String> {
    match fold(text).is_empty() {
        true => Err(format!("{} holds no letter or digit to compare", quoted(text))),
        false => Ok(text.to_owned()),
    }
}

fn one_of(list: &'static [&'static str], case: Case, text: &str) -> Result<&'static str, String> {
    let is_meant = |word: &&&'static str| match case {
        Case::Exact => **word == text,
        Case::Any => word.eq_ignore_ascii_case(text),
    };
    match list.iter().find(is_meant) {
        Some(word) => Ok(word),
        None => Err(not_in_list(text, list.iter().copied())),
    }
}

/// Reads an integer within bounds; an error says why not.
pub fn integer(min: u64, max: u64, text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    // Digits that no u64 holds are still an integer, and above every bound.
    let number = is_number.then(|| digits.parse().unwrap_or(u64::MAX));
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
