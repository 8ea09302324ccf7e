//! The table of fields, `lists/records.txt`: what each source writes, how often, and from which values.

use super::lists::{entries, lines};

/// A row of the table.
pub(super) struct FieldRule {
    pub(super) target: Target,
    /// All must hold, in this order.
    pub(super) conditions: Vec<&'static str>,
    pub(super) value: Template,
}

/// What the value of a row is for.
pub(super) enum Target {
    /// A field of the record, as a text.
    Text(&'static str),
    /// A field of the record; the value is JSON.
    Json(&'static str),
    Variable(&'static str),
    /// A block of rows that the row includes.
    Block(&'static str),
}

/// Texts and the names of values between them.
pub(super) struct Template(pub(super) Vec<Piece>);

pub(super) enum Piece {
    Text(&'static str),
    Value(&'static str),
}

/// The rows of each source, as `entity type/source`, and of each block.
pub(super) struct RecordTable(Vec<(Vec<&'static str>, Vec<FieldRule>)>);

impl RecordTable {
    pub(super) fn read() -> RecordTable {
        let mut blocks: Vec<(Vec<&str>, Vec<FieldRule>)> = Vec::new();
        for line in lines(include_str!("lists/records.txt")) {
            match line.strip_prefix('[').and_then(|names| names.strip_suffix(']')) {
                Some(names) => blocks.push((names.split(' ').collect(), Vec::new())),
                None => {
                    let (_, rules) = blocks.last_mut().expect("the table begins with a block");
                    rules.extend(entries(line).map(FieldRule::read));
                }
            }
        }
        RecordTable(blocks)
    }

    /// Panics at a name that the table has not.
    pub(super) fn block(&self, name: &str) -> &[FieldRule] {
        let block = self.0.iter().find(|(names, _)| names.contains(&name));
        &block.unwrap_or_else(|| panic!("no block is called {name}")).1
    }
}

impl FieldRule {
    fn read([target, conditions, value]: [&'static str; 3]) -> FieldRule {
        let target = match target.split_at(1) {
            ("+", block) => Target::Block(block),
            ("@", variable) => Target::Variable(variable),
            _ if value.starts_with(['#', '{', '[']) => Target::Json(target),
            _ => Target::Text(target),
        };
        FieldRule {
            target,
            conditions: conditions.split_whitespace().collect(),
            value: Template::read(value.strip_prefix('#').unwrap_or(value)),
        }
    }
}

impl Template {
    fn read(mut rest: &'static str) -> Template {
        let mut pieces = Vec::new();
        while let Some((text, after)) = rest.split_once('<') {
            let (name, after) = after.split_once('>').expect("a name of a value ends");
            pieces.extend([Piece::Text(text), Piece::Value(name)]);
            rest = after;
        }
        pieces.push(Piece::Text(rest));
        Template(pieces)
    }
}
