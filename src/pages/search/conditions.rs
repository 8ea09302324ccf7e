//! The active conditions of a search, in words, each with the address of the search without it.

use crate::{
    api::params::{
        filters::{FilterKind, FilterValue},
        param::Param,
        search::TABLE,
    },
    model::Role,
    pages::{
        address,
        format::{self, CAD, shortened},
        messages::Texts,
        method_names::method_name,
        search::{
            context::{SearchContext, choice_words},
            search_address,
        },
    },
};

/// One active condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    /// The canonical name of the parameter.
    pub(crate) parameter: &'static str,
    /// What the parameter means, with a colon if the value follows one: "Supplier:", "Since".
    pub(crate) label: String,
    /// The value as a person reads it.
    pub(crate) value: String,
    /// The page of a supplier or a body.
    pub(crate) profile: Option<String>,
    /// The address of the search without the condition.
    pub(crate) without: String,
    /// Whether the entity type has no field for it, so that it changes nothing.
    pub(crate) is_ignored: bool,
}

impl Condition {
    /// The condition as one text.
    pub(crate) fn words(&self) -> String {
        format!("{} {}", self.label, self.value)
    }
}

/// A condition, with the label of the link that removes it.
pub(super) struct ShownCondition {
    pub(super) condition: Condition,
    pub(super) removal: String,
}

/// The conditions in the order of the parameter table. `ignored` are the parameters without a field, as written.
pub(crate) fn conditions(context: &SearchContext, ignored: &[&str]) -> Vec<Condition> {
    let condition = |(parameter, value): (&'static str, &str)| Condition {
        parameter,
        label: context.t.keyed("search-condition-", parameter),
        value: value_words(context, parameter, value),
        profile: profile(context, parameter, value),
        without: context.asked.dropping(&[parameter]).address(),
        is_ignored: search_address::names(parameter)
            .into_iter()
            .any(|name| ignored.contains(&name)),
    };
    context.asked.conditions().into_iter().map(condition).collect()
}

pub(super) fn shown_conditions(t: Texts, conditions: Vec<Condition>) -> Vec<ShownCondition> {
    let shown = |condition: Condition| ShownCondition {
        removal: t.with("search-condition-remove", &[("condition", &condition.words())]),
        condition,
    };
    conditions.into_iter().map(shown).collect()
}

fn profile(context: &SearchContext, parameter: &str, value: &str) -> Option<String> {
    let row = TABLE.iter().find(|row| row.name == parameter);
    match row.and_then(Param::filter)? {
        // An unknown identifier has no page.
        FilterKind::Party(party) => context
            .party(party, value)
            .map(|_| address::party(context.asked.lang, party, value)),
        _ => None,
    }
}

/// The value of a condition as a person reads it, or its values: "Goods or Services".
pub(super) fn value_words(context: &SearchContext, parameter: &str, value: &str) -> String {
    let mut several = context.asked.choices(parameter);
    several.dedup();
    let row = TABLE.iter().find(|row| row.name == parameter);
    let kind = row.and_then(Param::filter);
    if let (Some(FilterKind::Party(party)), [first, others @ ..]) = (kind, &several[..])
        && !others.is_empty()
    {
        let name = context.party(party, first).unwrap_or_else(|| (*first).to_owned());
        let count = others.len();
        return context.t.with("search-and-more", &[("name", &name), ("count", &count)]);
    }
    if kind.is_some_and(FilterKind::takes_several) && several.len() > 1 {
        let or = format!(" {} ", context.t.text("search-or"));
        let words: Vec<String> = several
            .iter()
            .map(|value| one_value(context, parameter, value))
            .collect();
        return words.join(&or);
    }
    one_value(context, parameter, value)
}

/// A value that is not valid is shown as it is.
fn one_value(context: &SearchContext, parameter: &str, value: &str) -> String {
    let (t, lang) = (context.t, context.asked.lang);
    let row = TABLE.iter().find(|row| row.name == parameter);
    let parsed = row.and_then(|row| Some((row.filter()?, row.filter()?.parse(value).ok()?)));
    let words = match parsed {
        Some((FilterKind::Municipality, _)) => Some(context.place(value)),
        Some((FilterKind::Part(Role::Department) | FilterKind::Name(Role::Department, _), _)) => {
            Some(context.department(value))
        }
        Some((FilterKind::Start(_) | FilterKind::Name(Role::ProcurementMethod, _), _)) => {
            Some(method_name(lang, value.to_owned()))
        }
        Some((FilterKind::Party(party), _)) => context.party(party, value),
        Some((FilterKind::OneOf(..), FilterValue::Text(choice))) => choice_words(t, parameter, &choice),
        Some((_, FilterValue::Day(day))) => Some(format::date(lang, day)),
        Some((_, FilterValue::Amount(amount))) => Some(format::money(lang, amount, CAD)),
        Some((_, FilterValue::Commodity(code))) => Some(context.commodity(&code)),
        _ => None,
    };
    shortened(&words.unwrap_or_else(|| value.to_owned()))
}
