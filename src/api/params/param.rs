//! A row of a parameter table ([`Param`]), and its description for the OpenAPI document ([`Parameter`]).

use serde_json::Value as Json;

use crate::{
    api::params::{
        filters::FilterKind,
        value::{ParamType, Slot},
    },
    model::{EntityType, Schema},
};

/// A query parameter of the endpoints whose parameters are read into a `P`.
///
/// Only `name`, `aliases` and `value` decide how a query string is read; the rest describes the parameter to clients.
pub struct Param<P: 'static> {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) about: &'static str,
    pub(crate) value: ParamType<P>,
    docs: ParamDocs,
    /// The place of its field in the form of the pages, counted from 1; 0 without a field.
    pub(crate) form_place: u8,
}

/// What a description adds to a parameter's type.
#[derive(Clone, Copy)]
pub(crate) struct ParamDocs {
    pub(crate) is_required: bool,
    /// The value that an absent parameter means.
    pub(crate) default: Option<fn() -> Json>,
    /// Keywords of JSON Schema for bounds that are checked elsewhere than in [`ParamType`].
    pub(crate) bounds: Option<fn() -> Json>,
    /// A field of the entity type's example record.
    pub(crate) example: Option<(EntityType, &'static str)>,
    /// Whether each plan has a maximum of its own: the records of a page.
    pub(crate) is_capped_by_plan: bool,
    /// The JSON schema for one entity type, if the valid values differ between them; for an endpoint that accepts `q`,
    /// and for one that does not.
    pub(crate) by_entity_type: Option<fn(&Schema, bool) -> Json>,
    /// The description, if it differs between them too.
    pub(crate) about_by_entity_type: Option<fn(&Schema, bool) -> String>,
    /// Whether only the endpoints that list it accept it, not the search of records.
    pub(crate) is_only_where_listed: bool,
    /// The bounds in the search of records, which accepts the parameter with others than the endpoints that list it.
    pub(crate) search_bounds: Option<fn() -> Json>,
    /// Several examples: key, summary and value. The first one is the empty text, which the documentation page fills
    /// in.
    pub(crate) examples: &'static [(&'static str, &'static str, &'static str)],
}

impl ParamDocs {
    /// Whether the search of records accepts it.
    pub(crate) fn is_of_search(&self) -> bool {
        !self.is_only_where_listed || self.search_bounds.is_some()
    }
}

/// A [`Param`] without the type it is read into.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) about: &'static str,
    pub(crate) schema: Json,
    pub(crate) docs: ParamDocs,
}

/// The rows of a table that are filters: name and kind.
pub(crate) fn filter_rows<P>(table: &[Param<P>]) -> impl Iterator<Item = (&'static str, FilterKind)> {
    table.iter().filter_map(|row| Some((row.name, row.filter()?)))
}

impl<P> Param<P> {
    pub(crate) const fn new(name: &'static str, about: &'static str, value: ParamType<P>) -> Param<P> {
        Param {
            name,
            aliases: &[],
            about,
            value,
            docs: ParamDocs {
                is_required: false,
                default: None,
                bounds: None,
                example: None,
                is_capped_by_plan: false,
                by_entity_type: None,
                about_by_entity_type: None,
                is_only_where_listed: false,
                search_bounds: None,
                examples: &[],
            },
            form_place: 0,
        }
    }

    /// A choice that is off by default.
    pub(crate) const fn flag(name: &'static str, about: &'static str, slot: Slot<P, bool>) -> Param<P> {
        Param::new(name, about, ParamType::Boolean(slot)).default(|| Json::Bool(false))
    }

    pub(crate) const fn in_form(mut self, place: u8) -> Param<P> {
        self.form_place = place;
        self
    }

    /// What it selects records by, if it is a filter.
    pub(crate) fn filter(&self) -> Option<FilterKind> {
        match self.value {
            ParamType::Filter(kind, _) => Some(kind),
            _ => None,
        }
    }

    /// Whether it selects records: `q` and the filters. The other parameters order and page them.
    pub(crate) const fn selects(&self) -> bool {
        matches!(self.value, ParamType::Filter(..) | ParamType::Query(_))
    }

    pub(crate) const fn aliases(mut self, aliases: &'static [&'static str]) -> Param<P> {
        self.aliases = aliases;
        self
    }

    pub(crate) const fn required(mut self) -> Param<P> {
        self.docs.is_required = true;
        self
    }

    pub(crate) const fn default(mut self, default: fn() -> Json) -> Param<P> {
        self.docs.default = Some(default);
        self
    }

    pub(crate) const fn bounds(mut self, bounds: fn() -> Json) -> Param<P> {
        self.docs.bounds = Some(bounds);
        self
    }

    pub(crate) const fn example(mut self, entity_type: EntityType, field: &'static str) -> Param<P> {
        self.docs.example = Some((entity_type, field));
        self
    }

    pub(crate) const fn examples(
        mut self,
        examples: &'static [(&'static str, &'static str, &'static str)],
    ) -> Param<P> {
        self.docs.examples = examples;
        self
    }

    pub(crate) const fn capped_by_plan(mut self) -> Param<P> {
        self.docs.is_capped_by_plan = true;
        self
    }

    pub(crate) const fn by_entity_type(mut self, schema: fn(&Schema, bool) -> Json) -> Param<P> {
        self.docs.by_entity_type = Some(schema);
        self
    }

    pub(crate) const fn about_by_entity_type(mut self, about: fn(&Schema, bool) -> String) -> Param<P> {
        self.docs.about_by_entity_type = Some(about);
        self
    }

    pub(crate) const fn only_where_listed(mut self) -> Param<P> {
        self.docs.is_only_where_listed = true;
        self
    }

    pub(crate) const fn in_search(mut self, bounds: fn() -> Json) -> Param<P> {
        self.docs.search_bounds = Some(bounds);
        self
    }

    pub(crate) fn is_only_where_listed(&self) -> bool {
        self.docs.is_only_where_listed
    }

    pub(crate) fn is_of_search(&self) -> bool {
        self.docs.is_of_search()
    }

    /// The name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<P> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    fn description(&self) -> Parameter {
        Parameter {
            name: self.name,
            aliases: self.aliases,
            about: self.about,
            schema: self.value.schema(),
            docs: self.docs,
        }
    }
}

/// Describes all rows of a table.
pub(crate) fn describe<P>(table: &[Param<P>]) -> Vec<Parameter> {
    table.iter().map(Param::description).collect()
}

impl Parameter {
    /// The name and its aliases.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}
