//! The form of a search: the fields that the entity type accepts, with what the address has.

use std::cmp::Reverse;

use crate::{
    api::params::{
        filters::FilterKind,
        param::Param,
        search::{SearchParams, TABLE},
    },
    catalog::generation::Coverage,
    model::{Role, Schema},
    pages::{
        format::sort_key,
        search::{
            conditions::value_words,
            context::{SearchContext, choice_words},
            parameter_error::ShownError,
        },
    },
};

/// The form.
#[derive(Debug)]
pub(crate) struct Form {
    /// The entity type that the fields are of, if the address states none.
    pub(crate) kind: Option<&'static str>,
    pub(crate) q: String,
    /// What is wrong with `q`.
    pub(crate) q_error: Option<ShownError>,
    /// Parameters that the form keeps: entity type, sort and size of the page.
    pub(crate) kept: Vec<(&'static str, String)>,
    pub(crate) fields: Vec<Field>,
}

/// A field for one parameter.
#[derive(Debug)]
pub(crate) struct Field {
    /// The name of the parameter, which is also the id of the field.
    pub(crate) name: &'static str,
    /// The name of the label in the messages.
    pub(crate) label: &'static str,
    pub(crate) value: String,
    pub(crate) input: Input,
    pub(crate) error: Option<ShownError>,
}

#[derive(Debug)]
pub(crate) enum Input {
    Text,
    Amount,
    Date,
    Choice(Vec<Choice>),
}

#[derive(Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) label: String,
    pub(crate) is_selected: bool,
}

/// Parameters without a field of their own that a changed search keeps.
const KEPT: [&str; 6] = ["translate", "match_codes", "q_in", "sort_by", "sort_order", "limit"];

/// The maximum number of municipalities to choose from: those with the most records. The facets lead to the others.
const MAX_PLACES: usize = 100;

impl Form {
    pub(crate) fn of(context: &SearchContext, refused: Option<&ShownError>) -> Form {
        let asked = context.asked;
        let error = |name: &str| refused.filter(|error| error.parameter == Some(name)).cloned();
        let schema = Schema::of(asked.entity_type);
        let field = |(name, kind)| Field {
            name,
            label: label(schema, name),
            value: asked.value(name).unwrap_or_default().to_owned(),
            input: input(context, name, kind),
            error: error(name),
        };
        let kind = asked.stated_kind().map(|kind| ("kind", kind.name().to_owned()));
        let mut kept: Vec<_> = kind.into_iter().collect();
        let stated = KEPT.into_iter().filter(|name| error(name).is_none());
        kept.extend(stated.filter_map(|name| Some((name, asked.value(name)?.to_owned()))));
        Form {
            // The fields are those of the entity type that is shown, the words may be searched for in all.
            kind: asked.stated_kind().is_none().then(|| asked.entity_type.name()),
            q: asked.value("q").unwrap_or_default().to_owned(),
            q_error: error("q"),
            kept,
            fields: rows(TABLE, schema).into_iter().map(field).collect(),
        }
    }

    /// Whether a field has an error, so that the fields have to be visible.
    pub(crate) fn has_error(&self) -> bool {
        self.fields.iter().any(|field| field.error.is_some())
    }
}

/// The rows with a field for the entity type, in the order of the form: those that change something.
pub(super) fn rows(table: &'static [Param<SearchParams>], schema: &Schema) -> Vec<(&'static str, FilterKind)> {
    let mut rows: Vec<_> = table
        .iter()
        .filter(|row| row.form_place > 0 && schema.accepts(row.name))
        .collect();
    rows.sort_by_key(|row| row.form_place);
    let rows = rows.into_iter().filter_map(|row| Some((row.name, row.filter()?)));
    rows.filter(|(_, kind)| schema.has_role(kind.role())).collect()
}

pub(super) fn label(schema: &Schema, name: &'static str) -> &'static str {
    let date_field = schema.role(Role::Date).first();
    let is_published = date_field.is_some_and(|number| schema.fields[*number].name == "publication_date");
    match (name, is_published) {
        ("issued_after", true) => "published_after",
        ("issued_before", true) => "published_before",
        ("issued_after", false) => "awarded_after",
        ("issued_before", false) => "awarded_before",
        _ => name,
    }
}

/// Several values of the address as one choice, so that a sent form keeps them.
fn several(context: &SearchContext, name: &str) -> Option<Choice> {
    let given = context.asked.value(name)?;
    (context.asked.choices(name).len() > 1).then(|| Choice {
        value: given.to_owned(),
        label: value_words(context, name, given),
        is_selected: true,
    })
}

fn input(context: &SearchContext, name: &str, kind: FilterKind) -> Input {
    let asked = context.asked;
    let several = several(context, name).filter(|_| kind.takes_several()).into_iter();
    match kind {
        FilterKind::OneOf(_, values, _) => {
            let given = asked.value(name).unwrap_or_default();
            let choice = |value: &&str| Choice {
                value: (*value).to_owned(),
                label: choice_words(context.t, name, value).unwrap_or_else(|| (*value).to_owned()),
                is_selected: value.eq_ignore_ascii_case(given),
            };
            Input::Choice(several.chain(values.iter().map(choice)).collect())
        }
        FilterKind::Municipality => {
            let coverage = &context.ask.generation.manifest_of(asked.entity_type).coverage;
            Input::Choice(several.chain(places(context, coverage)).collect())
        }
        FilterKind::AtLeast | FilterKind::AtMost => Input::Amount,
        FilterKind::From(_) | FilterKind::To(_) => Input::Date,
        FilterKind::Whole(_)
        | FilterKind::Start(_)
        | FilterKind::Part(_)
        | FilterKind::Name(..)
        | FilterKind::Commodity
        | FilterKind::Party(_) => Input::Text,
    }
}

/// The municipalities with the most records, and the one of the address, by name.
fn places(context: &SearchContext, coverage: &[Coverage]) -> Vec<Choice> {
    let given = context.asked.value("municipality").unwrap_or_default();
    let mut rows: Vec<&Coverage> = coverage.iter().collect();
    rows.sort_by_key(|row| Reverse(row.records));
    let is_listed = |(number, row): &(usize, &&Coverage)| *number < MAX_PLACES || row.municipality == given;
    let rows = rows.iter().enumerate().filter(is_listed);
    let choice = |(_, row): (usize, &&Coverage)| Choice {
        value: row.municipality.clone(),
        label: context.place(&row.municipality),
        is_selected: row.municipality == given,
    };
    let mut places: Vec<Choice> = rows.map(choice).collect();
    places.sort_by_cached_key(|place| sort_key(&place.label));
    places
}
