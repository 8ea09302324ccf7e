//! Writes records, one after another: the rows of the table with the values of a project and a supplier.

use std::{borrow::Cow, sync::LazyLock};

use rustc_hash::FxHashMap;

use super::{
    buyers::Buyer,
    choices::Choices,
    lists::{Phrase, number},
    project::Project,
    random::{Random, Sequence},
    sources::{Numbers, SampleSource},
    suppliers::Supplier,
    table::{FieldRule, Piece, RecordTable, Target, Template},
};
use crate::model::Date;

pub(super) struct Generator {
    pub(super) choices: Choices,
    pub(super) random: Random,
    pub(super) source: &'static SampleSource,
    pub(super) numbers: Numbers,
    pub(super) project: Project,
    pub(super) supplier: Supplier,
    /// The values that the table names, and those that rows of the record have set.
    pub(super) variables: FxHashMap<Cow<'static, str>, String>,
    line: String,
}

static TABLE: LazyLock<RecordTable> = LazyLock::new(RecordTable::read);

impl Generator {
    pub(super) fn new(source: &'static SampleSource, seed: u64, records: u64, last_day: Date) -> Generator {
        Generator {
            choices: Choices::read(records, last_day),
            random: Random::new(seed),
            source,
            numbers: Numbers::default(),
            project: Project::default(),
            supplier: Supplier::default(),
            variables: FxHashMap::default(),
            line: String::new(),
        }
    }

    /// A record of a source by its number, as a line of the file.
    pub(super) fn record(&mut self, source: &'static SampleSource, record: u64) -> &str {
        self.source = source;
        self.numbers = source.numbers(record);
        self.project
            .draw(source, self.numbers.project, &self.choices, &mut self.random);
        // The next supplier of the same trade for each further contract.
        let trades = self.choices.topics.trades.len() as u32;
        let supplier = self.project.supplier + self.numbers.contract * trades;
        self.draw_supplier(supplier);
        self.random.start(Sequence::Record(source.index), record);
        self.line.clear();
        self.line.push('{');
        self.write_rows(TABLE.block(&format!("{}/{}", source.entity_type, source.source_id)));
        self.line.push_str("}\n");
        &self.line
    }

    /// Makes the supplier of a number that of the record, with its values and its name.
    pub(super) fn draw_supplier(&mut self, number: u32) {
        self.supplier
            .draw(self.source.market, number, &self.choices, &mut self.random);
        self.variables = self.values();
        self.write_rows(TABLE.block("supplier"));
    }

    /// The project's buyer.
    pub(super) fn buyer(&self) -> &Buyer {
        &self.choices.buyers.list(self.source.buyers).buyers[self.project.buyer]
    }

    fn write_rows(&mut self, rules: &'static [FieldRule]) {
        for rule in rules {
            if !rule.conditions.iter().all(|condition| self.holds(condition)) {
                continue;
            }
            let value = self.filled(&rule.value);
            match rule.target {
                Target::Block(name) => self.write_rows(TABLE.block(name)),
                Target::Variable(name) => self.set(name, value),
                Target::Text(name) => self.write_field(name, &json_text(&value)),
                Target::Json(name) => self.write_field(name, &value),
            }
        }
    }

    /// What is not known is left out, never written empty.
    fn write_field(&mut self, name: &str, json: &str) {
        if !matches!(json, "" | "\"\"") {
            let separator = if self.line.len() > 1 { ",\"" } else { "\"" };
            self.line.extend([separator, name, "\":", json]);
        }
    }

    /// Sets a variable to a value, or to the parts of a phrase.
    fn set(&mut self, name: &'static str, value: String) {
        let words: Vec<&str> = value.split(' ').collect();
        let Phrase { code, text } = match words[..] {
            ["pick", "region"] => self.region(),
            ["pick", list] => self.choices.phrases.choose(list, &mut self.random),
            ["turn", list, turn] => {
                let turn = number::<usize>(&self.value(turn));
                let list = self.choices.phrases.list(list);
                list[turn % list.len()]
            }
            _ => {
                self.variables.insert(name.into(), value);
                return;
            }
        };
        for (part, text) in [("code", code), ("en", text.en), ("fr", text.fr)] {
            self.variables.insert(format!("{name}.{part}").into(), text.to_owned());
        }
    }

    fn filled(&mut self, template: &Template) -> String {
        let mut out = String::new();
        for piece in &template.0 {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Value(name) => self.push_value(name, &mut out),
            }
        }
        out
    }

    /// Whether a condition holds; `records.txt` explains the forms.
    fn holds(&mut self, condition: &str) -> bool {
        if let Some(opposite) = condition.strip_prefix('!') {
            return !self.holds(opposite);
        }
        if let Ok(percent) = condition.parse() {
            return self.random.percent(percent);
        }
        if let Some(permille) = condition.strip_suffix('‰') {
            return self.random.below(1000) < number(permille);
        }
        let (name, expected) = match condition.split_once('=') {
            Some((name, expected)) => (name, Some(expected)),
            None => (condition, None),
        };
        if let Some((name, divisor)) = name.split_once('%') {
            let remainder = number::<u64>(&self.value(name)) % number::<u64>(divisor);
            return is_in(remainder, expected.unwrap_or("0"));
        }
        let value = self.value(name);
        match expected {
            Some(range) if value.parse::<u64>().is_ok() => is_in(number(&value), range),
            Some(text) => value == text,
            None => !value.is_empty(),
        }
    }

    pub(super) fn value(&mut self, name: &str) -> String {
        let mut value = String::new();
        self.push_value(name, &mut value);
        value
    }
}

/// Whether a number is in a range such as `5-99`, or the one that is given.
fn is_in(number_of: u64, range: &str) -> bool {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    (number(first)..=number(last)).contains(&number_of)
}

fn json_text(text: &str) -> String {
    serde_json::to_string(text).expect("a string serializes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sources::SOURCES;

    fn generator() -> Generator {
        Generator::new(&SOURCES[0], 1, 10, Date::parse("2026-10-31").unwrap())
    }

    #[test]
    fn a_field_is_escaped_and_left_out_when_empty() {
        let mut generator = generator();
        generator.line.push('{');
        for text in ["plain é", "a \"quote\"\n", ""] {
            generator.write_field("a", &json_text(text));
        }
        generator.write_field("b", "");
        generator.write_field("c", "-1234.05");
        let expected = r#"{"a":"plain é","a":"a \"quote\"\n","c":-1234.05"#;
        assert_eq!(generator.line, expected);
    }

    #[test]
    fn conditions_compare_values_and_negate() {
        let mut generator = generator();
        for (name, value) in [("lot", "21"), ("kind", "TN")] {
            generator.set(name, value.to_owned());
        }
        for condition in [
            "lot",
            "!none",
            "lot=21",
            "lot=5-99",
            "!lot=22-99",
            "lot%7",
            "lot%20=1",
            "!lot%20",
            "kind=TN",
            "!kind=AC",
            "100",
            "!0",
            "1000‰",
        ] {
            assert!(generator.holds(condition), "{condition}");
        }
    }
}
