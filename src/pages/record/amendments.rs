//! The amendments that were merged into a record, as a table of what changed.

use serde_json::value::RawValue;

use super::{
    member::{Member, Members},
    value::{LabelledValue, Presenter},
};
use crate::pages::format;

/// The contract as first published and its amendments, oldest first.
#[derive(Debug)]
pub(super) struct Amendments {
    /// What the value was and what it became, in a sentence.
    pub(super) summary: Option<String>,
    pub(super) steps: Vec<Step>,
}

/// A row of the table.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) number: Cell,
    pub(super) period: Cell,
    /// The change of the value; empty for the contract as first published.
    pub(super) change: Cell,
    pub(super) value: Cell,
    pub(super) end_date: Cell,
    pub(super) supplier: Cell,
    /// Further members.
    pub(super) others: Vec<LabelledValue>,
}

/// A cell, and whether it differs from the step before.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) is_changed: bool,
}

/// The fields that the table shows.
pub(super) const SHOWN_FIELDS: [&str; 2] = ["original", "amendments"];

/// The members that have a column, or that are the same for all steps: the date of the award.
const COLUMNS: [&str; 7] = [
    "reference_number",
    "reporting_period",
    "amendment_value",
    "contract_value",
    "end_date",
    "vendor_name",
    "award_date",
];

/// The table; `None` if the record has no amendments, or not in the form that the table needs.
pub(super) fn amendments(presenter: &Presenter, record: &Members) -> Option<Amendments> {
    let Some(Member::List(listed)) = record.get("amendments") else {
        return None;
    };
    let original = match record.get("original") {
        Some(Member::Object(members)) => Some(members),
        Some(Member::Null) | None => None,
        Some(_) => return None,
    };
    let amendments: Vec<Members> = listed.into_iter().map(members).collect::<Option<_>>()?;
    if amendments.is_empty() {
        return None;
    }
    let t = presenter.t;
    let mut steps: Vec<Step> = Vec::new();
    let names = original.iter().map(|_| t.text("record-amendments-original"));
    let numbers = (1..=amendments.len()).map(|number| t.with("record-amendments-number", &[("number", &number)]));
    let all: Vec<&Members> = original.iter().chain(&amendments).collect();
    for (name, members) in names.chain(numbers).zip(&all) {
        let is_original = steps.is_empty() && original.is_some();
        let step = step(presenter, name, members, steps.last(), is_original);
        steps.push(step);
    }
    Some(Amendments {
        summary: summary(presenter, &all, amendments.len()),
        steps,
    })
}

fn members(raw: &RawValue) -> Option<Members<'_>> {
    match Member::of(raw) {
        Member::Object(members) => Some(members),
        _ => None,
    }
}

fn step(presenter: &Presenter, name: String, members: &Members, before: Option<&Step>, is_original: bool) -> Step {
    let text = |field: &str| members.text(field).unwrap_or_default();
    let amount = |field: &str| {
        members
            .number(field)
            .map_or_else(String::new, |amount| presenter.amount(amount))
    };
    let cell = |text: String, before: fn(&Step) -> &Cell, last: Option<&Step>| Cell {
        is_changed: last.is_some_and(|last| before(last).text != text) && !text.is_empty(),
        text,
    };
    let plain = |text: String| Cell {
        text,
        is_changed: false,
    };
    let end_date = match members.text("end_date") {
        Some(day) => presenter.day(&day),
        None => String::new(),
    };
    let is_other = |name: &str| !COLUMNS.contains(&name);
    let others = Members(members.0.iter().filter(|(name, _)| is_other(name)).cloned().collect());
    Step {
        name,
        number: plain(text("reference_number")),
        period: plain(text("reporting_period")),
        change: plain(if is_original {
            String::new()
        } else {
            amount("amendment_value")
        }),
        value: cell(amount("contract_value"), |step| &step.value, before),
        end_date: cell(end_date, |step| &step.end_date, before),
        supplier: cell(text("vendor_name"), |step| &step.supplier, before),
        others: presenter.rows(&others, 1),
    }
}

/// "From $9,236.64 to $12,000.00 in 2 amendments (+30%)".
fn summary(presenter: &Presenter, all: &[&Members], amendments: usize) -> Option<String> {
    let first = all.first()?.number("contract_value")?;
    let last = all.last()?.number("contract_value")?;
    if all.len() == amendments {
        // Without the contract as first published, the first value is already that of an amendment.
        return None;
    }
    let (from, to) = (presenter.amount(first), presenter.amount(last));
    let t = presenter.t;
    let ratio = (last - first) / first;
    if first <= 0.0 || !ratio.is_finite() {
        return Some(t.with(
            "record-amendments-summary-plain",
            &[("from", &from), ("to", &to), ("count", &amendments)],
        ));
    }
    let share = format::percent(t.language(), ratio.abs());
    let sign = if ratio < 0.0 { "\u{2212}" } else { "+" };
    let share = format!("{sign}{share}");
    Some(t.with(
        "record-amendments-summary",
        &[("from", &from), ("to", &to), ("count", &amendments), ("share", &share)],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{EntityType, Language, Schema},
        pages::messages::Texts,
    };

    fn table(json: &str) -> Option<Amendments> {
        let presenter = Presenter {
            t: Texts::of(Language::English),
            schema: Schema::of(EntityType::Disclosure),
            currency: "CAD".to_owned(),
            pages: Vec::new(),
            place: None,
        };
        amendments(&presenter, &Members::of(json.as_bytes()).unwrap())
    }

    #[test]
    fn each_step_marks_what_changed() {
        let table = table(
            r#"{"original":{"reference_number":"C-1","contract_value":100.0,"amendment_value":0.0,"end_date":"2024-01-01","vendor_name":"A"},
            "amendments":[{"reference_number":"C-2","contract_value":150.0,"amendment_value":50.0,"end_date":"2024-01-01","vendor_name":"A","why":"more"},
            {"contract_value":150.0,"end_date":"2025-01-01","vendor_name":"B"}]}"#,
        )
        .unwrap();
        assert_eq!(table.steps.len(), 3);
        let changed = |step: &Step| {
            [
                step.value.is_changed,
                step.end_date.is_changed,
                step.supplier.is_changed,
            ]
        };
        assert_eq!(changed(&table.steps[0]), [false, false, false]);
        assert_eq!(changed(&table.steps[1]), [true, false, false]);
        assert_eq!(changed(&table.steps[2]), [false, true, true]);
        assert_eq!(table.steps[0].change.text, "");
        assert_eq!(table.steps[1].change.text, "$50.00");
        assert_eq!(table.steps[1].others[0].label, "why");
        let summary = table.summary.unwrap();
        assert!(
            summary.contains("$100.00") && summary.contains("$150.00") && summary.contains("+50%"),
            "{summary}"
        );
    }

    #[test]
    fn other_forms_are_not_a_table() {
        for json in [
            "{}",
            r#"{"amendments":[]}"#,
            r#"{"amendments":[1]}"#,
            r#"{"amendments":"x"}"#,
            r#"{"original":[],"amendments":[{}]}"#,
        ] {
            assert!(table(json).is_none(), "{json}");
        }
        let without_original = table(r#"{"amendments":[{"contract_value":5.0}]}"#).unwrap();
        assert_eq!((without_original.steps.len(), without_original.summary), (1, None));
    }
}
