//! Reads a query string by a table of parameters.

use crate::http::{
    error::{ApiError, quoted},
    params::{
        encoding::{encode_pair, pairs},
        nearest::near_name,
        param::Param,
    },
};

/// Reads a query string by a table. `refuses` states why this endpoint does not accept a parameter that others with the
/// same table accept, and `rejects` why it does not accept a value of one that it accepts.
///
/// Decision D-17: a name is checked even if its value is empty, since a misspelled name without a value is still
/// misspelled.
pub(crate) fn read<P: Default>(
    table: &'static [Param<P>],
    refuses: impl Fn(&Param<P>) -> Option<String>,
    rejects: impl Fn(&Param<P>, &str) -> Option<String>,
    query: &str,
) -> Result<P, ApiError> {
    let mut given = P::default();
    for (name, value) in pairs(query)? {
        let Some((param, name)) = find(table, &name) else {
            let accepted: Vec<&Param<P>> = table.iter().filter(|param| refuses(param).is_none()).collect();
            return Err(unknown(&name, &accepted));
        };
        let value = value.trim();
        if value.is_empty() {
            continue;
        }
        if let Some(why) = refuses(param).or_else(|| rejects(param, value)) {
            return Err(ApiError::invalid(name, why));
        }
        let set = param.value.set(&mut given, name, value);
        set.map_err(|why| ApiError::invalid(name, why))?;
    }
    Ok(given)
}

/// [`read`] for an endpoint that accepts all parameters of its table.
pub(crate) fn read_all<P: Default>(table: &'static [Param<P>], query: &str) -> Result<P, ApiError> {
    read(table, |_| None, |_, _| None, query)
}

/// Checks the query string of an endpoint without parameters.
pub(crate) fn no_parameters(query: &str) -> Result<(), ApiError> {
    match pairs(query)?.first() {
        Some((name, _)) => Err(unknown::<()>(name, &[])),
        None => Ok(()),
    }
}

/// The query string for the page after `cursor`: the same parameters under the names the client used.
pub(crate) fn next_query(query: &str, cursor: &str) -> Result<String, ApiError> {
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

/// The row of a name or alias, and the name as the table has it.
fn find<P>(table: &'static [Param<P>], name: &str) -> Option<(&'static Param<P>, &'static str)> {
    table
        .iter()
        .find_map(|param| param.names().find(|known| *known == name).map(|known| (param, known)))
}

/// Decision D-17: the 422 for an unknown name. It has the accepted name that is near, or else all accepted ones.
fn unknown<P>(name: &str, accepted: &[&Param<P>]) -> ApiError {
    let names: Vec<&str> = accepted.iter().flat_map(|param| param.names()).collect();
    let hint = match near_name(name, &names) {
        Some(near) => format!("nearest is '{near}'"),
        None if accepted.is_empty() => "this endpoint accepts no parameters".to_owned(),
        None => {
            let names: Vec<&str> = accepted.iter().map(|param| param.name).collect();
            format!("this endpoint accepts {}", names.join(", "))
        }
    };
    ApiError::unprocessable(format!("unknown parameter {}; {hint}", quoted(name)))
}
