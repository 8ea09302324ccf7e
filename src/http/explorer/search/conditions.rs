//! The active conditions of a search, in words, each with the address of the search without it.

use crate::{
    http::explorer::{
        format::{self, CAD},
        quality,
        search::{
            asked,
            context::{SearchContext, category, shortened, status},
        },
    },
    model::{Date, commodity::CommodityCode},
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

/// The conditions in the order of the parameter table. `ignored` are the parameters without a field, as written.
pub(crate) fn conditions(context: &SearchContext, ignored: &[&str]) -> Vec<Condition> {
    let condition = |(parameter, value): (&'static str, &str)| Condition {
        parameter,
        label: context.t.keyed("search-condition-", parameter),
        value: value_words(context, parameter, value),
        without: context.asked.dropping(&[parameter]).address(),
        is_ignored: asked::names(parameter).into_iter().any(|name| ignored.contains(&name)),
    };
    context.asked.conditions().into_iter().map(condition).collect()
}

/// The value of a condition as a person reads it. A value that is not valid is shown as it is.
fn value_words(context: &SearchContext, parameter: &str, value: &str) -> String {
    let (t, lang) = (context.t, context.asked.lang);
    let words = match parameter {
        "issued_after" | "issued_before" | "closing_after" | "closing_before" => {
            Date::parse(value).ok().map(|day| format::date(lang, day))
        }
        "value_min" | "value_max" => {
            let amount = value.parse().ok().filter(|amount: &f64| amount.is_finite());
            amount.map(|amount| format::money(lang, amount, CAD))
        }
        "category" => category(t, value),
        "status" => status(t, value),
        "municipality" => Some(context.place(value)),
        "department" => Some(context.department(value)),
        "commodity" => CommodityCode::parse(value).ok().map(|code| context.commodity(&code)),
        "quality_flag" => quality::name(t, value),
        _ => None,
    };
    shortened(&words.unwrap_or_else(|| value.to_owned()))
}
