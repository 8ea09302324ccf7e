//! Parameters that select records: what each selects by, and how the filters of a search follow from those given.

use serde_json::{Value as Json, json};

use crate::{
    api::params::by_entity_type::list_pattern,
    api::params::parse::{Case, Given, MIN_NAME_LENGTH, amount, code, date, name_part, one_of, start},
    catalog::suppliers::Party,
    http::{
        error::ApiError,
        parameter_error::{Bounds, Reason},
    },
    model::{Date, Facet, Role, Schema, commodity::CommodityCode, record::query_key},
    query::Filter,
};

/// What a parameter selects records by: the role of the fields, and how they are compared with the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FilterKind {
    /// A municipality of the entity type.
    Municipality,
    /// The whole key.
    Whole(Role),
    /// The whole key, which is of a closed list.
    OneOf(Role, &'static [&'static str], Case),
    /// The start of a name.
    Start(Role),
    /// A part of a name.
    Part(Role),
    /// One name and no other: a value of the facet.
    Name(Role, Facet),
    /// A commodity code, and all codes below it.
    Commodity,
    /// The identifier of a supplier or a body: all its names.
    Party(Party),
    /// The first day. The last day is the next row of the table.
    From(Role),
    To(Role),
    /// The minimum value. The maximum is the next row of the table.
    AtLeast,
    AtMost,
}

/// The maximum number of values of a filter that takes several.
const MAX_CHOICES: usize = 20;

/// The maximum number of suppliers or bodies of a filter: a city may have as many divisions.
pub(crate) const MAX_PARTIES: usize = 60;

/// What separates the values of a filter that takes several.
pub(crate) const SEPARATOR: char = ',';

/// The value of a filter by these suppliers or bodies.
pub(crate) fn joined_ids<'id>(ids: impl IntoIterator<Item = &'id str>) -> String {
    ids.into_iter().collect::<Vec<_>>().join(&SEPARATOR.to_string())
}

/// The value that a filter compares with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FilterValue {
    Text(String),
    Commodity(CommodityCode),
    Day(Date),
    Amount(f64),
}

/// The filters that a request gives, with the canonical name of each, in the order of the request.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct GivenFilters(Vec<(&'static str, FilterKind, Given<FilterValue>)>);

/// A filter, and the parameters that it comes from, under the names that the client used.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    pub(crate) filter: Filter,
    pub(crate) parameters: Vec<&'static str>,
}

impl FilterKind {
    pub(crate) const fn role(self) -> Role {
        match self {
            FilterKind::Municipality => Role::Municipality,
            FilterKind::Commodity => Role::Commodity,
            FilterKind::Party(Party::Supplier) => Role::Vendor,
            FilterKind::Party(Party::Body) => Role::Department,
            FilterKind::AtLeast | FilterKind::AtMost => Role::Value,
            FilterKind::Whole(role)
            | FilterKind::OneOf(role, ..)
            | FilterKind::Start(role)
            | FilterKind::Part(role)
            | FilterKind::Name(role, _)
            | FilterKind::From(role)
            | FilterKind::To(role) => role,
        }
    }

    /// Whether it takes several values, which [`SEPARATOR`] separates: a record has one of them.
    pub(crate) const fn takes_several(self) -> bool {
        matches!(
            self,
            FilterKind::Municipality | FilterKind::OneOf(..) | FilterKind::Party(_)
        )
    }

    /// Parses a value that is trimmed and not empty.
    pub(crate) fn parse(self, text: &str) -> Result<FilterValue, Reason> {
        match self {
            FilterKind::Whole(_) | FilterKind::Name(..) => Ok(FilterValue::Text(text.to_owned())),
            FilterKind::Municipality => several(text, MAX_CHOICES, |slug| Ok(slug.to_owned())),
            FilterKind::Party(_) => several(text, MAX_PARTIES, |id| Ok(id.to_owned())),
            FilterKind::OneOf(_, list, case) => {
                several(text, MAX_CHOICES, |value| one_of(list, case, value).map(str::to_owned))
            }
            FilterKind::Start(_) => start(text).map(FilterValue::Text),
            FilterKind::Part(_) => name_part(text).map(FilterValue::Text),
            FilterKind::Commodity => code(text).map(FilterValue::Commodity),
            FilterKind::From(_) | FilterKind::To(_) => date(text).map(FilterValue::Day),
            FilterKind::AtLeast | FilterKind::AtMost => amount(text).map(FilterValue::Amount),
        }
    }

    /// The JSON schema of the values, as far as a schema can express it.
    pub(crate) fn schema(self) -> Json {
        match self {
            FilterKind::Municipality
            | FilterKind::Whole(_)
            | FilterKind::Name(..)
            | FilterKind::Commodity
            | FilterKind::Party(_) => {
                json!({"type": "string"})
            }
            FilterKind::OneOf(_, list, _) => {
                json!({"type": "string", "anyOf": [{"enum": list}, {"pattern": list_pattern(list)}]})
            }
            FilterKind::Start(_) => json!({"type": "string", "minLength": 1}),
            FilterKind::Part(_) => json!({"type": "string", "minLength": MIN_NAME_LENGTH}),
            FilterKind::From(_) | FilterKind::To(_) => json!({"type": "string", "format": "date"}),
            FilterKind::AtLeast | FilterKind::AtMost => json!({"type": "number"}),
        }
    }

    fn filter(self, value: &FilterValue) -> Filter {
        let role = self.role();
        match value {
            FilterValue::Text(text) => {
                let key = query_key(role, text);
                match self {
                    // [`super::resolve`] puts the keys of their names in the place of the identifiers.
                    FilterKind::Party(party) => Filter::AnyFacetValue {
                        facet: party.facet(),
                        keys: ids(text),
                    },
                    FilterKind::Name(_, facet) => Filter::FacetValue {
                        facet,
                        key: facet.key(text),
                    },
                    FilterKind::Start(_) => prefix(role, key),
                    FilterKind::Part(_) => contains(role, key),
                    _ if self.takes_several() => any_term(role, text),
                    _ => term(role, key),
                }
            }
            FilterValue::Commodity(code) => commodity_filter(code),
            FilterValue::Day(day) => match self {
                FilterKind::From(_) => dates(role, Some(*day), None),
                _ => dates(role, None, Some(*day)),
            },
            FilterValue::Amount(amount) => match self {
                FilterKind::AtLeast => values(Some(*amount), None),
                _ => values(None, Some(*amount)),
            },
        }
    }
}

impl GivenFilters {
    /// Adds a filter. `name` is what the client wrote, `parameter` the canonical name.
    pub(crate) fn put(
        &mut self,
        parameter: &'static str,
        kind: FilterKind,
        name: &'static str,
        text: &str,
    ) -> Result<(), Reason> {
        if let Some(before) = self.given(parameter) {
            return Err(Reason::Repeated {
                other_name: (before.name != name).then_some(before.name),
            });
        }
        let value = kind.parse(text)?;
        self.0.push((parameter, kind, Given { name, value }));
        Ok(())
    }

    fn given(&self, parameter: &str) -> Option<&Given<FilterValue>> {
        let found = self.0.iter().find(|(known, ..)| *known == parameter);
        found.map(|(_, _, given)| given)
    }

    /// The slugs of the filter by municipality.
    pub(crate) fn municipalities(&self) -> impl Iterator<Item = Given<&str>> {
        self.0.iter().flat_map(|(_, kind, given)| {
            let slugs = match (kind, &given.value) {
                (FilterKind::Municipality, FilterValue::Text(slugs)) => slugs.as_str(),
                _ => "",
            };
            let name = given.name;
            let slugs = slugs.split(SEPARATOR).filter(|slug| !slug.is_empty());
            slugs.map(move |value| Given { name, value })
        })
    }

    pub(crate) fn commodity(&self) -> Option<CommodityCode> {
        self.0.iter().find_map(|(_, _, given)| match &given.value {
            FilterValue::Commodity(code) => Some(code.clone()),
            _ => None,
        })
    }

    /// The conditions in the order of the table, which is given as names and kinds, so that a query's fingerprint does
    /// not depend on how the address was written. Two bounds of one role are one condition.
    pub(crate) fn conditions(
        &self,
        table: impl Iterator<Item = (&'static str, FilterKind)>,
    ) -> Result<Vec<Condition>, ApiError> {
        let mut conditions: Vec<Condition> = Vec::new();
        for (given, kind) in table.filter_map(|(name, kind)| Some((self.given(name)?, kind))) {
            let filter = kind.filter(&given.value);
            let joined = conditions.last().and_then(|last| joined(&last.filter, &filter));
            match (joined, conditions.last_mut()) {
                (Some(joined), Some(last)) => {
                    check_order(&joined, last.parameters[0], given.name)?;
                    last.filter = joined;
                    last.parameters.push(given.name);
                }
                _ => conditions.push(Condition {
                    filter,
                    parameters: vec![given.name],
                }),
            }
        }
        Ok(conditions)
    }
}

impl Condition {
    /// Whether the entity type has a field for it.
    pub(crate) fn has_field(&self, schema: &Schema) -> bool {
        match &self.filter {
            Filter::Term { role, .. }
            | Filter::AnyTerm { role, .. }
            | Filter::Prefix { role, .. }
            | Filter::Contains { role, .. }
            | Filter::Dates { role, .. } => schema.has_role(*role),
            Filter::Values { .. } => schema.has_role(Role::Value),
            Filter::AnyFacetValue { facet, .. } => facet.role().is_some_and(|role| schema.has_role(role)),
            Filter::FacetValue { .. } => true,
        }
    }
}

/// A lower and an upper bound of the same role as one filter.
fn joined(low: &Filter, high: &Filter) -> Option<Filter> {
    match (low, high) {
        (Filter::Values { min, max: None }, Filter::Values { min: None, max }) => Some(values(*min, *max)),
        (
            Filter::Dates { role, from, to: None },
            Filter::Dates {
                role: other,
                from: None,
                to,
            },
        ) if role == other => Some(dates(*role, *from, *to)),
        _ => None,
    }
}

/// Checks that the lower bound, of the parameter `low_name`, is not above the upper one.
fn check_order(filter: &Filter, low_name: &str, high_name: &'static str) -> Result<(), ApiError> {
    let (low, high, bounds) = match filter {
        Filter::Values {
            min: Some(low),
            max: Some(high),
        } if low > high => (low.to_string(), high.to_string(), Bounds::Amounts),
        Filter::Dates {
            from: Some(low),
            to: Some(high),
            ..
        } if low > high => (low.to_string(), high.to_string(), Bounds::Days),
        _ => return Ok(()),
    };
    let reason = Reason::OutOfOrder {
        low,
        high,
        high_name,
        bounds,
    };
    Err(ApiError::invalid(low_name, reason))
}

pub(crate) fn term(role: Role, key: String) -> Filter {
    Filter::Term { role, key }
}

/// One of the values that a text lists.
fn any_term(role: Role, text: &str) -> Filter {
    let mut keys: Vec<String> = text.split(SEPARATOR).map(|value| query_key(role, value)).collect();
    match keys.len() {
        1 => term(role, keys.remove(0)),
        _ => Filter::AnyTerm { role, keys },
    }
}

/// The identifiers in a text; of separators only, the text, which is none.
fn ids(text: &str) -> Vec<String> {
    let ids = text.split(SEPARATOR).filter(|id| !id.is_empty()).map(str::to_owned);
    let ids: Vec<String> = ids.collect();
    if ids.is_empty() { vec![text.to_owned()] } else { ids }
}

/// Reads values that [`SEPARATOR`] separates: each once, in one order, so that equal searches are equal queries.
fn several(text: &str, max: usize, read: impl Fn(&str) -> Result<String, Reason>) -> Result<FilterValue, Reason> {
    let parts = text.split(SEPARATOR).map(str::trim).filter(|part| !part.is_empty());
    let mut values = parts.map(&read).collect::<Result<Vec<String>, Reason>>()?;
    values.sort_unstable();
    values.dedup();
    match values.len() {
        0 => read(text).map(FilterValue::Text),
        count if count <= max => Ok(FilterValue::Text(values.join(","))),
        _ => Err(Reason::TooMany { max }),
    }
}

pub(crate) fn prefix(role: Role, key: String) -> Filter {
    Filter::Prefix { role, key }
}

pub(crate) fn contains(role: Role, key: String) -> Filter {
    Filter::Contains { role, key }
}

pub(crate) fn dates(role: Role, from: Option<Date>, to: Option<Date>) -> Filter {
    Filter::Dates { role, from, to }
}

fn values(min: Option<f64>, max: Option<f64>) -> Filter {
    Filter::Values { min, max }
}

/// The records with a code or with one below it.
pub(crate) fn commodity_filter(code: &CommodityCode) -> Filter {
    prefix(Role::Commodity, code.key().to_owned())
}
