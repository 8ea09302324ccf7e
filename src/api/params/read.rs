//! Reads a query string by a table of parameters.

use crate::{
    api::params::{file::is_of_export, nearest::near_name, param::Param},
    http::{
        encoding::{encode_pair, pairs},
        error::ApiError,
        parameter_error::Reason,
    },
};

/// Reads a query string by a table. `refuses` returns why this endpoint does not accept a parameter that others with
/// the same table accept, and `rejects` why it does not accept a value of one that it accepts.
///
/// Decision D-17: a name is checked even if its value is empty, since a misspelled name without a value is still
/// misspelled.
pub(crate) fn read<P: Default>(
    table: &'static [Param<P>],
    refuses: impl Fn(&Param<P>) -> Option<Reason>,
    rejects: impl Fn(&Param<P>, &str) -> Option<Reason>,
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
        let set = match refuses(param).or_else(|| rejects(param, value)) {
            Some(reason) => Err(reason),
            None => param.value.set(&mut given, param.name, name, value),
        };
        set.map_err(|reason| ApiError::invalid(name, reason))?;
    }
    Ok(given)
}

/// [`read`] for an endpoint that accepts all parameters of its table but those of the export of its list.
pub(crate) fn read_all<P: Default>(table: &'static [Param<P>], query: &str) -> Result<P, ApiError> {
    let own = || table.iter().filter(|row| !row.is_only_where_listed());
    let refuses = |param: &Param<P>| {
        let reason = || {
            unknown_to(
                param.name,
                own().flat_map(Param::names).collect(),
                own().map(|row| row.name),
            )
        };
        param.is_only_where_listed().then(reason)
    };
    read(table, refuses, |_, _| None, query)
}

/// [`read`] for the export of a list. `endpoint` is its path, for the error.
pub(crate) fn read_export<P: Default>(table: &'static [Param<P>], endpoint: &str, query: &str) -> Result<P, ApiError> {
    let accepted = || table.iter().map(|row| row.name).filter(|name| is_of_export(name));
    let refuses = |param: &Param<P>| {
        (!is_of_export(param.name)).then(|| Reason::NotOfEndpoint {
            endpoint: endpoint.to_owned(),
            accepted: accepted().collect(),
        })
    };
    read(table, refuses, |_, _| None, query)
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
    let names = accepted.iter().flat_map(|param| param.names()).collect();
    let reason = unknown_to(name, names, accepted.iter().map(|param| param.name));
    ApiError::invalid(name, reason)
}

fn unknown_to(name: &str, names: Vec<&'static str>, accepted: impl Iterator<Item = &'static str>) -> Reason {
    Reason::Unknown {
        nearest: near_name(name, &names),
        accepted: accepted.collect(),
    }
}
