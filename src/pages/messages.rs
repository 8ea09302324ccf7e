//! The texts of the pages in both languages, from message files in Fluent's format.
//!
//! The files are compiled into the program. A number in a text is written as the language writes it; a text selects its
//! plural form by it. The tests below find texts that are missing in a language or used nowhere.

use std::sync::LazyLock;

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};

use crate::{
    model::{Date, Language},
    pages::format,
};

/// The message files of a page family: English, then French.
const FILES: [(&str, &str); 14] = [
    (include_str!("messages/en.ftl"), include_str!("messages/fr.ftl")),
    (
        include_str!("messages/search.en.ftl"),
        include_str!("messages/search.fr.ftl"),
    ),
    (
        include_str!("messages/problem.en.ftl"),
        include_str!("messages/problem.fr.ftl"),
    ),
    (
        include_str!("messages/record.en.ftl"),
        include_str!("messages/record.fr.ftl"),
    ),
    (
        include_str!("messages/profile.en.ftl"),
        include_str!("messages/profile.fr.ftl"),
    ),
    (
        include_str!("messages/compare.en.ftl"),
        include_str!("messages/compare.fr.ftl"),
    ),
    (
        include_str!("messages/supplier.en.ftl"),
        include_str!("messages/supplier.fr.ftl"),
    ),
    (
        include_str!("messages/bids.en.ftl"),
        include_str!("messages/bids.fr.ftl"),
    ),
    (
        include_str!("messages/charts.en.ftl"),
        include_str!("messages/charts.fr.ftl"),
    ),
    (
        include_str!("messages/sources.en.ftl"),
        include_str!("messages/sources.fr.ftl"),
    ),
    (
        include_str!("messages/feed.en.ftl"),
        include_str!("messages/feed.fr.ftl"),
    ),
    (
        include_str!("messages/quality.en.ftl"),
        include_str!("messages/quality.fr.ftl"),
    ),
    (
        include_str!("messages/commodity.en.ftl"),
        include_str!("messages/commodity.fr.ftl"),
    ),
    (
        include_str!("messages/worth.en.ftl"),
        include_str!("messages/worth.fr.ftl"),
    ),
];

type Bundle = FluentBundle<FluentResource>;

static BUNDLES: LazyLock<[Bundle; 2]> = LazyLock::new(|| Language::ALL.map(bundle));

/// The texts of one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Texts(Language);

/// A value that a text shows.
pub(crate) trait Argument {
    fn value(&self) -> FluentValue<'_>;
}

impl Texts {
    pub(crate) fn of(language: Language) -> Texts {
        Texts(language)
    }

    pub(crate) fn language(self) -> Language {
        self.0
    }

    /// A text without arguments.
    pub(crate) fn text(self, key: &str) -> String {
        self.with(key, &[])
    }

    /// A text with named arguments: `t.with("footer-as-of", &[("date", &date)])`. A template borrows the list by
    /// itself: `t.with("footer-as-of", [("date", &date)])`.
    pub(crate) fn with(self, key: &str, arguments: &[(&str, &dyn Argument)]) -> String {
        let bundle = &BUNDLES[self.0 as usize];
        let pattern = bundle.get_message(key).and_then(|message| message.value());
        let Some(pattern) = pattern else {
            // The tests find such a key. A reader gets the key, which is better than no page.
            return key.to_owned();
        };
        let mut values = FluentArgs::with_capacity(arguments.len());
        for (name, argument) in arguments {
            values.set(*name, argument.value());
        }
        bundle
            .format_pattern(pattern, Some(&values), &mut Vec::new())
            .into_owned()
    }

    /// A whole number as the language writes it. In a template: `t.count(*total)`.
    pub(crate) fn count(self, number: u64) -> String {
        format::count(self.0, number)
    }

    /// An exact amount in Canadian dollars, for tables. In a template: `t.money(*amount)`.
    pub(crate) fn money(self, amount: f64) -> String {
        format::money(self.0, amount, format::CAD)
    }

    /// A rounded amount in Canadian dollars, for sentences and charts.
    pub(crate) fn money_rounded(self, amount: f64) -> String {
        format::money_rounded(self.0, amount, format::CAD)
    }

    pub(crate) fn date(self, date: Date) -> String {
        format::date(self.0, date)
    }

    /// A share from 0 to 1 in percent.
    pub(crate) fn percent(self, share: f64) -> String {
        format::percent(self.0, share)
    }

    /// A text of a family whose keys begin the same: `t.keyed("kinds-", "tender")` is the text `kinds-tender`.
    pub(crate) fn keyed(self, family: &str, name: &str) -> String {
        self.text(&format!("{family}{name}"))
    }

    /// [`Texts::keyed`] with arguments.
    pub(crate) fn keyed_with(self, family: &str, name: &str, arguments: &[(&str, &dyn Argument)]) -> String {
        self.with(&format!("{family}{name}"), arguments)
    }

    /// Whether the family has a text of this name.
    pub(crate) fn has(self, family: &str, name: &str) -> bool {
        BUNDLES[self.0 as usize].has_message(&format!("{family}{name}"))
    }
}

fn bundle(language: Language) -> Bundle {
    let locale = match language {
        Language::English => "en-CA",
        Language::French => "fr-CA",
    };
    let locale = locale.parse().expect("the code is a language identifier");
    let mut bundle = Bundle::new_concurrent(vec![locale]);
    // Texts are shown in HTML elements, which isolate the direction of what they hold.
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(match language {
        Language::English => english_number,
        Language::French => french_number,
    }));
    for (english, french) in FILES {
        let text = match language {
            Language::English => english,
            Language::French => french,
        };
        // The tests find messages that cannot be read, and keys that are written twice.
        let (Ok(resource) | Err((resource, _))) = FluentResource::try_new(text.to_owned());
        bundle.add_resource_overriding(resource);
    }
    bundle
}

fn english_number<M>(value: &FluentValue, _: &M) -> Option<String> {
    number(Language::English, value)
}

fn french_number<M>(value: &FluentValue, _: &M) -> Option<String> {
    number(Language::French, value)
}

fn number(language: Language, value: &FluentValue) -> Option<String> {
    match value {
        FluentValue::Number(number) => Some(format::decimal(language, number.value, 2)),
        _ => None,
    }
}

impl Argument for str {
    fn value(&self) -> FluentValue<'_> {
        FluentValue::from(self)
    }
}

impl Argument for String {
    fn value(&self) -> FluentValue<'_> {
        FluentValue::from(self.as_str())
    }
}

impl<T: Argument + ?Sized> Argument for &T {
    fn value(&self) -> FluentValue<'_> {
        (**self).value()
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Argument for $number {
            fn value(&self) -> FluentValue<'_> {
                FluentValue::from(*self as f64)
            }
        })*
    };
}

numbers!(u32, u64, usize, i32, i64, f64);

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        fs,
        path::Path,
    };

    use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

    use super::*;

    /// The keys of a language with the names of their arguments.
    type Keys = BTreeMap<String, BTreeSet<String>>;

    fn keys(language: Language) -> Keys {
        let mut keys = Keys::new();
        for (english, french) in FILES {
            let text = match language {
                Language::English => english,
                Language::French => french,
            };
            let resource = fluent_syntax::parser::parse(text);
            let resource =
                resource.unwrap_or_else(|(_, errors)| panic!("{errors:?} in a file that begins: {text:.80}"));
            for entry in resource.body {
                let Entry::Message(message) = entry else { continue };
                let mut arguments = BTreeSet::new();
                let pattern = message.value.expect("a message has a text");
                collect_pattern(&pattern, &mut arguments);
                let key = message.id.name.to_owned();
                assert!(key.contains('-'), "{key}: a key has a hyphen");
                assert_eq!(keys.insert(key.clone(), arguments), None, "{key} is written twice");
            }
        }
        keys
    }

    fn collect_pattern(pattern: &Pattern<&str>, arguments: &mut BTreeSet<String>) {
        for element in &pattern.elements {
            if let PatternElement::Placeable { expression } = element {
                collect(expression, arguments);
            }
        }
    }

    fn collect(expression: &Expression<&str>, arguments: &mut BTreeSet<String>) {
        let inline = match expression {
            Expression::Inline(inline) => inline,
            Expression::Select { selector, variants } => {
                for variant in variants {
                    collect_pattern(&variant.value, arguments);
                }
                selector
            }
        };
        match inline {
            InlineExpression::VariableReference { id } => {
                arguments.insert(id.name.to_owned());
            }
            InlineExpression::Placeable { expression } => collect(expression, arguments),
            InlineExpression::StringLiteral { .. } | InlineExpression::NumberLiteral { .. } => {}
            other => panic!("a text uses {other:?}, which the pages do not provide"),
        }
    }

    /// The files that may show texts, without their tests.
    fn sources() -> Vec<(String, String)> {
        let mut sources = Vec::new();
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/pages")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path
                    .extension()
                    .is_some_and(|extension| extension == "rs" || extension == "html")
                {
                    let text = fs::read_to_string(&path).unwrap();
                    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap().to_owned();
                    sources.push((path.display().to_string(), code));
                }
            }
        }
        assert!(sources.len() > 20, "too few files were found");
        sources
    }

    /// The calls of a method with a literal as its first argument: the literal, and the rest of the arguments.
    fn calls<'a>(code: &'a str, method: &str) -> Vec<(&'a str, &'a str)> {
        let mark = format!(".{method}(");
        let calls = code.split(&mark).skip(1).filter_map(|rest| {
            let (literal, rest) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
            let mut depth = 1;
            let end = rest.find(|character| {
                depth += match character {
                    '(' => 1,
                    ')' => -1,
                    _ => 0,
                };
                depth == 0
            });
            Some((literal, &rest[..end.unwrap_or(rest.len())]))
        });
        calls.collect()
    }

    /// The names in a list of arguments such as `[("count", &total)]`.
    fn argument_names(arguments: &str) -> BTreeSet<String> {
        let names = arguments.split("(\"").skip(1).filter_map(|rest| rest.split_once("\","));
        names.map(|(name, _)| name.to_owned()).collect()
    }

    #[test]
    fn both_languages_have_the_same_texts_with_the_same_arguments() {
        let (english, french) = (keys(Language::English), keys(Language::French));
        let only = |one: &Keys, other: &Keys| -> Vec<String> {
            one.keys().filter(|key| !other.contains_key(*key)).cloned().collect()
        };
        assert_eq!(only(&english, &french), [""; 0], "only in English");
        assert_eq!(only(&french, &english), [""; 0], "only in French");
        for (key, arguments) in &english {
            assert_eq!(arguments, &french[key], "the arguments of {key}");
        }
    }

    #[test]
    fn every_text_that_is_shown_exists_and_gets_its_arguments() {
        let keys = keys(Language::English);
        let mut wrong = Vec::new();
        for (path, code) in sources() {
            for method in ["text", "with"] {
                // Methods of the same names elsewhere take names without a hyphen.
                for (key, rest) in calls(&code, method).into_iter().filter(|(key, _)| key.contains('-')) {
                    match keys.get(key) {
                        None => wrong.push(format!("{path}: {key} is missing")),
                        Some(known) if *known != argument_names(rest) => {
                            wrong.push(format!("{path}: {key} needs {known:?}"));
                        }
                        Some(_) => {}
                    }
                }
            }
            for method in ["keyed", "keyed_with"] {
                for (family, _) in calls(&code, method) {
                    if !keys.keys().any(|key| key.starts_with(family)) {
                        wrong.push(format!("{path}: no text begins with {family}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn every_text_is_shown_somewhere() {
        let sources = sources();
        let families: BTreeSet<&str> = sources
            .iter()
            .flat_map(|(_, code)| ["keyed", "keyed_with"].map(|method| calls(code, method)))
            .flatten()
            .map(|(family, _)| family)
            .collect();
        let is_used = |key: &String| {
            let literal = format!("\"{key}\"");
            families.iter().any(|family| key.starts_with(family))
                || sources.iter().any(|(_, code)| code.contains(&literal))
        };
        let unused: Vec<String> = keys(Language::English)
            .into_keys()
            .filter(|key| !is_used(key))
            .collect();
        assert_eq!(unused, [""; 0]);
    }

    #[test]
    fn french_punctuation_has_no_break_spaces() {
        for (_, french) in FILES {
            for line in french.lines().filter(|line| !line.starts_with('#')) {
                for mark in [":", ";", "?", "!", "»", "%"] {
                    assert!(
                        !line.contains(&format!(" {mark}")),
                        "write a no-break space before {mark}: {line}"
                    );
                }
                assert!(
                    !line.contains("« ") && !line.contains('\''),
                    "no-break space and curly apostrophe: {line}"
                );
            }
        }
    }

    #[test]
    fn numbers_and_plurals_follow_the_language() {
        let inside = |language, records: u64| {
            Texts::of(language).with("home-inside-counts", &[("records", &records), ("sources", &2_u64)])
        };
        assert_eq!(inside(Language::English, 1234), "1,234 records from 2 sources.");
        assert_eq!(inside(Language::French, 0), "0 fiche de 2 sources.");
        assert_eq!(inside(Language::French, 1234), "1\u{202f}234 fiches de 2 sources.");
        assert_eq!(Texts::of(Language::English).text("no-such-text"), "no-such-text");
    }
}
