//! The form of a search: the fields that the entity type accepts, with what the address has.

use std::cmp::Reverse;

use crate::{
    catalog::generation::Coverage,
    http::explorer::{
        format::sort_key,
        quality::{self, FLAGS},
        search::{
            asked::Asked,
            context::{SearchContext, category, status},
            wrong::Wrong,
        },
    },
    model::{
        Role, Schema,
        vocabulary::{CATEGORIES, STATUSES},
    },
};

/// The form.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) q: String,
    /// What is wrong with `q`.
    pub(crate) q_error: Option<Wrong>,
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
    pub(crate) error: Option<Wrong>,
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
const KEPT: [&str; 4] = ["translate", "sort_by", "sort_order", "limit"];

/// The maximum number of municipalities to choose from: those with the most records. The facets lead to the others.
const MAX_PLACES: usize = 100;

impl Form {
    pub(crate) fn of(context: &SearchContext, wrong: Option<&Wrong>) -> Form {
        let asked = context.asked;
        let error = |name: &str| wrong.filter(|wrong| wrong.parameter == Some(name)).cloned();
        let schema = Schema::of(asked.entity_type);
        let field = |name: &'static str| Field {
            name,
            label: label(schema, name),
            value: asked.value(name).unwrap_or_default().to_owned(),
            input: input(context, name),
            error: error(name),
        };
        let mut kept = vec![("kind", asked.entity_type.name().to_owned())];
        let stated = KEPT.into_iter().filter(|name| error(name).is_none());
        kept.extend(stated.filter_map(|name| Some((name, asked.value(name)?.to_owned()))));
        Form {
            q: asked.value("q").unwrap_or_default().to_owned(),
            q_error: error("q"),
            kept,
            fields: FIELDS
                .into_iter()
                .filter(|(name, role)| schema.accepts(name) && schema.has_role(*role))
                .map(|(name, _)| field(name))
                .collect(),
        }
    }

    /// Whether a field has an error, so that the fields have to be visible.
    pub(crate) fn has_error(&self) -> bool {
        self.fields.iter().any(|field| field.error.is_some())
    }
}

/// The parameters with a field, in the order of the form, and what the entity type must have for them to change anything.
const FIELDS: [(&str, Role); 17] = [
    ("department", Role::Department),
    ("vendor", Role::Vendor),
    ("municipality", Role::Municipality),
    ("vendor_province", Role::VendorProvince),
    ("category", Role::Category),
    ("commodity", Role::Commodity),
    ("status", Role::Status),
    ("procurement_method", Role::ProcurementMethod),
    ("notice_type", Role::NoticeType),
    ("reference_number", Role::ReferenceNumber),
    ("value_min", Role::Value),
    ("value_max", Role::Value),
    ("issued_after", Role::Date),
    ("issued_before", Role::Date),
    ("closing_after", Role::ClosingDate),
    ("closing_before", Role::ClosingDate),
    ("quality_flag", Role::QualityFlag),
];

fn label(schema: &Schema, name: &'static str) -> &'static str {
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

fn input(context: &SearchContext, name: &str) -> Input {
    let asked = context.asked;
    match name {
        "category" => choices(asked, name, CATEGORIES, |code| category(context.t, code)),
        "status" => choices(asked, name, STATUSES, |text| status(context.t, text)),
        "quality_flag" => choices(asked, name, FLAGS, |flag| quality::name(context.t, flag)),
        "municipality" => {
            let coverage = &context.generation.manifest_of(asked.entity_type).coverage;
            Input::Choice(places(context, coverage))
        }
        "value_min" | "value_max" => Input::Amount,
        "issued_after" | "issued_before" | "closing_after" | "closing_before" => Input::Date,
        _ => Input::Text,
    }
}

fn choices<const N: usize>(
    asked: &Asked,
    name: &str,
    values: [&'static str; N],
    words: impl Fn(&str) -> Option<String>,
) -> Input {
    let given = asked.value(name).unwrap_or_default();
    let choice = |value: &str| Choice {
        value: value.to_owned(),
        label: words(value).unwrap_or_else(|| value.to_owned()),
        is_selected: value.eq_ignore_ascii_case(given),
    };
    Input::Choice(values.into_iter().map(choice).collect())
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
