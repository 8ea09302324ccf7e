//! Query parameters: each is one row of a table, and everything said of it is read from there.
//!
//! A [`Param`] row is declared once, in the table of its endpoint family ([`search::TABLE`]); parsing, the wording of a 422, the
//! nearest name and any description of the interface only walk the rows. Two steps: [`read`] takes down what was *said*, knowing
//! nothing of the world; [`resolve`] finds what it *means* here, given the kind's schema, the plan and the city slugs.
//! A row's value never names its parameter in an error: the walker does, as the client wrote it, alias or not.

pub mod alerts;
pub mod feed;
pub mod market;
pub mod names;
mod nearest;
mod pairs;
pub mod procurement;
pub mod resolve;
pub mod search;
mod value;

pub use nearest::{is_slip, likest, nearest};
pub use pairs::{EncodingError, decode, encode, encode_pair, pairs};
pub use value::{Case, SHORTEST_NAME, Value, integer, not_in_list};

use crate::http::error::{ApiError, quoted};

/// A parameter of the endpoints whose parameters are a `P`.
pub struct Param<P: 'static> {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub about: &'static str,
    pub value: Value<P>,
}

/// A value and the name it was given under.
#[derive(Clone, Debug, PartialEq)]
pub struct Said<T> {
    pub name: &'static str,
    pub value: T,
}

/// Reads a query string by a table. `refuses` says why this endpoint does not take a parameter that others of the family take.
///
/// Spec silent: names are checked even where the value is empty, since a misspelled name with nothing behind it is still misspelled.
pub fn read<P: Default>(
    table: &'static [Param<P>],
    refuses: impl Fn(&Param<P>) -> Option<String>,
    query: &str,
) -> Result<P, ApiError> {
    let mut said = P::default();
    for (name, value) in pairs(query)? {
        let Some((param, name)) = find(table, &name) else {
            let taken = table
                .iter()
                .filter(|param| refuses(param).is_none())
                .flat_map(Param::names);
            return Err(unknown(&name, &taken.collect::<Vec<_>>()));
        };
        let value = value.trim();
        if value.is_empty() {
            continue;
        }
        if let Some(why) = refuses(param) {
            return Err(ApiError::invalid(name, why));
        }
        let set = param.value.set(&mut said, name, value);
        set.map_err(|why| ApiError::invalid(name, why))?;
    }
    Ok(said)
}

/// For an endpoint without parameters: any is unknown.
pub fn none(query: &str) -> Result<(), ApiError> {
    match pairs(query)?.first() {
        Some((name, _)) => Err(unknown(name, &[])),
        None => Ok(()),
    }
}

/// The query string that asks for the page behind `cursor`: the same parameters, whatever they were called.
pub fn next_query(query: &str, cursor: &str) -> Result<String, ApiError> {
    let mut next = String::with_capacity(query.len() + cursor.len() + 8);
    for (name, value) in pairs(query)? {
        if !matches!(name.as_str(), "cursor" | "offset") && !value.trim().is_empty() {
            encode_pair(&mut next, &name, &value);
            next.push('&');
        }
    }
    encode_pair(&mut next, "cursor", cursor);
    Ok(next)
}

impl<P> Param<P> {
    /// The name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// The row a name belongs to, and the name as the table holds it.
fn find<P>(table: &'static [Param<P>], name: &str) -> Option<(&'static Param<P>, &'static str)> {
    table
        .iter()
        .find_map(|param| param.names().find(|known| *known == name).map(|known| (param, known)))
}

/// Parameters that the specification does not have. They are not what a misspelled name is taken for, unless it is all but theirs.
const EXTENSIONS: [&str; 2] = ["facets", "include_total"];

fn unknown(name: &str, taken: &[&'static str]) -> ApiError {
    let (extensions, own): (Vec<&str>, Vec<&str>) = taken.iter().partition(|name| EXTENSIONS.contains(*name));
    let meant = extensions.into_iter().find(|extension| is_slip(name, extension));
    let cure = match meant.or_else(|| nearest(name, own)) {
        Some(near) => format!("nearest is '{near}'"),
        None => "this endpoint takes none".to_owned(),
    };
    ApiError::unprocessable(format!("unknown parameter {}; {cure}", quoted(name)))
}

impl From<EncodingError> for ApiError {
    fn from(error: EncodingError) -> ApiError {
        ApiError::unprocessable(error.to_string())
    }
}
