//! From the parameters of a search to its filters.

use crate::{
    http::params::value::Given,
    model::{Date, Role, Schema, commodity::CommodityCode, record::query_key},
    query::Filter,
};

/// Collects the filters of a search, and the parameters for which the entity type has no field.
pub(crate) struct FilterBuilder<'s> {
    pub(crate) schema: &'s Schema,
    pub(crate) filters: Vec<Filter>,
    /// The names of the parameters of each filter.
    pub(crate) conditions: Vec<Vec<&'static str>>,
    pub(crate) ignored: Vec<&'static str>,
}

impl FilterBuilder<'_> {
    pub(crate) fn key<T: AsRef<str>>(
        &mut self,
        given: &Option<Given<T>>,
        role: Role,
        filter: fn(Role, String) -> Filter,
    ) {
        if let Some(given) = given {
            let key = query_key(role, given.value.as_ref());
            self.push(given.name, role, filter(role, key));
        }
    }

    pub(crate) fn push(&mut self, name: &'static str, role: Role, filter: Filter) {
        if self.schema.has_role(role) {
            self.filters.push(filter);
            self.conditions.push(vec![name]);
        } else {
            self.ignored.push(name);
        }
    }

    pub(crate) fn range<T: Copy>(
        &mut self,
        from: &Option<Given<T>>,
        to: &Option<Given<T>>,
        role: Role,
        filter: fn(Role, Option<T>, Option<T>) -> Filter,
    ) {
        let value = |given: &Option<Given<T>>| given.as_ref().map(|given| given.value);
        if from.is_none() && to.is_none() {
            return;
        }
        let given = [from, to].into_iter().flatten().map(|given| given.name);
        if self.schema.has_role(role) {
            self.filters.push(filter(role, value(from), value(to)));
            self.conditions.push(given.collect());
        } else {
            self.ignored.extend(given);
        }
    }
}

pub(crate) fn term(role: Role, key: String) -> Filter {
    Filter::Term { role, key }
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

/// The records with a code or with one below it.
pub(crate) fn commodity_filter(code: &CommodityCode) -> Filter {
    prefix(Role::Commodity, code.key().to_owned())
}
