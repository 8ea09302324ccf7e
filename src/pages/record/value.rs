//! One value of a record as the page shows it: a figure, a text, a link, a list, or members of an object.

use askama::{Template, filters::HtmlSafe};
use serde_json::value::RawValue;

use super::member::{Member, Members};
use crate::{
    model::{Date, FieldType, Language, Schema, fold::fold, schema::language_of_name, vocabulary},
    pages::{
        bilingual::Shown, format, messages::Texts, method_names::abbreviation, quality,
        record::web_address::is_web_address,
    },
};

/// A value. Its template escapes all texts.
#[derive(Debug, Template)]
#[template(path = "record/value.html")]
pub(super) struct Value {
    t: Texts,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    /// A number, an amount or a date, as the language writes it.
    Figure(String),
    Text {
        shown: Shown,
        /// A page of this site about the text.
        href: Option<String>,
        /// Whether a note names the language, if it is not that of the page.
        has_note: bool,
        /// Whether it is shown as paragraphs.
        is_long: bool,
    },
    /// An address on the web.
    Link(String),
    Items(Vec<Value>),
    Members(Vec<LabelledValue>),
    /// JSON as published: what is too deep to be shown in lists.
    Json(String),
}

/// A label and what the record states under it.
#[derive(Debug)]
pub(super) struct LabelledValue {
    /// The name of the member.
    pub(super) name: String,
    pub(super) label: String,
    /// In the language of the page, if the record has it.
    pub(super) value: Value,
    /// The value in the other language, if the record has both and they differ.
    pub(super) other: Option<Value>,
}

impl HtmlSafe for Value {}

impl Value {
    /// This value without a note of its language, which the page states otherwise.
    fn without_note(mut self) -> Value {
        if let Shape::Text { has_note, .. } = &mut self.shape {
            *has_note = false;
        }
        self
    }
}

/// How the values of one record are shown.
#[derive(Debug)]
pub(super) struct Presenter {
    pub(super) t: Texts,
    pub(super) schema: &'static Schema,
    /// ISO 4217 code of the record's amounts.
    pub(super) currency: String,
    /// Pages about texts of the record: the field, and the address.
    pub(super) pages: Vec<(String, String)>,
    /// The name of the record's municipality, if it is known.
    pub(super) place: Option<String>,
}

/// How deep lists and objects are shown as such.
const MAX_DEPTH: usize = 6;

/// From this length on, in bytes, a text is shown as paragraphs.
const LONG_TEXT: usize = 160;

/// Fields that state a day and a time of day in a text.
const MOMENTS: [&str; 2] = ["tender_close_date", "fetched_at"];

/// The field that holds the slug of a place.
const MUNICIPALITY: &str = "municipality";

/// The field that lists doubts.
const QUALITY_FLAGS: &str = "quality_flags";

/// Fields that may state an abbreviation.
const ABBREVIATED: [&str; 2] = ["procurement_method", "notice_type_en"];

/// Fields with several codes, separated by commas.
const CODE_LISTS: [&str; 1] = ["procurement_category"];

impl Presenter {
    fn lang(&self) -> Language {
        self.t.language()
    }

    /// The rows of an object's members, in their order. The two languages of a text share a row.
    pub(super) fn rows(&self, members: &Members, depth: usize) -> Vec<LabelledValue> {
        let mut rows = Vec::new();
        for (name, raw) in &members.0 {
            let member = Member::of(raw);
            if member.is_empty() {
                continue;
            }
            let Some((of, base)) = language_of_name(name) else {
                rows.push(self.row(name, self.value(name, raw, depth)));
                continue;
            };
            let twin = twin(members, base, of);
            match twin {
                // The row is where the page's language is.
                Some(_) if of != self.lang() => {}
                Some((other_name, other)) => {
                    let is_same = other.get() == raw.get();
                    rows.push(LabelledValue {
                        other: (!is_same).then(|| self.value(other_name, other, depth).without_note()),
                        ..self.row(name, self.value(name, raw, depth))
                    });
                }
                None => rows.push(self.row(name, self.value(name, raw, depth))),
            }
        }
        rows
    }

    /// The row of a field that the record does not have.
    pub(super) fn missing(&self, name: &str) -> LabelledValue {
        let text = self.t.text("not-published");
        self.row(
            name,
            Value {
                t: self.t,
                shape: Shape::Figure(text),
            },
        )
    }

    fn row(&self, name: &str, value: Value) -> LabelledValue {
        LabelledValue {
            name: name.to_owned(),
            label: self.label(name),
            value,
            other: None,
        }
    }

    /// The label of a member: that of the field, of a known member of an object, else its name in words.
    pub(super) fn label(&self, name: &str) -> String {
        if let Some(field) = self.schema.field(name) {
            return field.label(self.lang()).to_owned();
        }
        let base = language_of_name(name).map_or(name, |(_, base)| base);
        if self.t.has("record-member-", base) {
            return self.t.keyed("record-member-", base);
        }
        base.replace('_', " ")
    }

    /// A value under a name. `depth` is the number of objects and lists around it.
    pub(super) fn value(&self, name: &str, raw: &RawValue, depth: usize) -> Value {
        let shape = match Member::of(raw) {
            Member::List(_) | Member::Object(_) if depth >= MAX_DEPTH => Shape::Json(raw.get().to_owned()),
            Member::List(items) => {
                let shown = items.into_iter().map(|item| self.value(name, item, depth + 1));
                Shape::Items(shown.collect())
            }
            Member::Object(members) => Shape::Members(self.rows(&members, depth + 1)),
            Member::Number(digits) => Shape::Figure(self.number(name, digits)),
            Member::Boolean(true) => Shape::Figure(self.t.text("record-yes")),
            Member::Boolean(false) => Shape::Figure(self.t.text("record-no")),
            Member::Null => Shape::Figure(self.t.text("not-published")),
            Member::Text(text) => self.text(name, text.trim()),
        };
        Value { t: self.t, shape }
    }

    /// An amount in the record's currency.
    pub(super) fn amount(&self, amount: f64) -> String {
        format::money(self.lang(), amount, &self.currency)
    }

    /// A day, as the language writes it; a text that is not a date, unchanged.
    pub(super) fn day(&self, text: &str) -> String {
        match Date::parse(text) {
            Ok(date) => format::date(self.lang(), date),
            Err(_) => text.to_owned(),
        }
    }

    fn number(&self, name: &str, digits: &str) -> String {
        let Ok(number) = digits.parse::<f64>() else {
            return digits.to_owned();
        };
        match self.schema.field(name).map(|field| field.field_type) {
            Some(FieldType::Number) => self.amount(number),
            Some(FieldType::Count) => format::decimal(self.lang(), number, 0),
            _ => digits.to_owned(),
        }
    }

    fn text(&self, name: &str, text: &str) -> Shape {
        if MOMENTS.contains(&name) {
            return Shape::Figure(self.moment(text));
        }
        if name.ends_with("_date") || self.is_date(name) {
            return Shape::Figure(self.day(text));
        }
        if is_web_address(text) {
            return Shape::Link(text.to_owned());
        }
        if let Some(words) = self.words(name, text) {
            return Shape::Figure(words);
        }
        let href = self.pages.iter().find(|(field, _)| *field == name);
        let shown = match (language_of_name(name), &self.place) {
            (Some((of, _)), _) => Shown::of(text, of, self.lang()),
            (None, Some(place)) if name == MUNICIPALITY => Shown::plain(place.clone()),
            (None, _) => Shown::plain(text),
        };
        Shape::Text {
            shown,
            has_note: true,
            href: href.map(|(_, address)| address.clone()),
            is_long: text.len() > LONG_TEXT || text.contains('\n'),
        }
    }

    fn is_date(&self, name: &str) -> bool {
        self.schema
            .field(name)
            .is_some_and(|field| field.field_type == FieldType::Date)
    }

    /// A day and a time of day, such as `2026-06-07T14:00:00` or `2026-10-31T06:00:00Z`. Any other text is unchanged.
    fn moment(&self, text: &str) -> String {
        let Ok(day) = Date::parse_prefix(text) else {
            return text.to_owned();
        };
        let day = format::date(self.lang(), day);
        let part = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse::<u32>().ok());
        let (Some(hour @ 0..24), Some(minute @ 0..60)) = (part(11, 13), part(14, 16)) else {
            return if text.len() == 10 { day } else { text.to_owned() };
        };
        let time = format::time(self.lang(), hour, minute);
        // Seconds are left out. What follows them is the zone.
        let zone = match text.get(16..).map(|rest| rest.trim_start_matches([':', '0'])) {
            Some("") => self.t.text("record-zone-eastern"),
            Some("Z") => "UTC".to_owned(),
            Some(offset) => match utc_offset(offset) {
                Some(zone) => zone,
                None => return text.to_owned(),
            },
            None => return text.to_owned(),
        };
        self.t
            .with("record-moment", &[("day", &day), ("time", &time), ("zone", &zone)])
    }

    /// The words for a code, with the code.
    fn words(&self, name: &str, text: &str) -> Option<String> {
        if CODE_LISTS.contains(&name) {
            let words = vocabulary::categories(text).map(|code| self.t.keyed("search-category-", code));
            let words: Vec<String> = words.collect();
            return (!words.is_empty()).then(|| format!("{} ({text})", words.join(", ")));
        }
        if name == QUALITY_FLAGS {
            return quality::name(self.t, text);
        }
        if ABBREVIATED.contains(&name) {
            return abbreviation(self.lang(), text);
        }
        let key = format!("{name}-{text}");
        if !self.t.has("record-code-", &key) {
            return None;
        }
        let words = self.t.keyed("record-code-", &key);
        // A code that is the word itself is not repeated.
        Some(if fold(&words) == fold(text) {
            words
        } else {
            format!("{words} ({text})")
        })
    }
}

/// `UTC−4` for `-04:00`, `UTC+5:30` for `+05:30`; `None` for another text.
fn utc_offset(offset: &str) -> Option<String> {
    let (sign, digits) = match offset.split_at_checked(1)? {
        ("-", digits) => ('\u{2212}', digits),
        ("+", digits) => ('+', digits),
        _ => return None,
    };
    let (hours, minutes) = digits.split_once(':')?;
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() == 2);
    match (number(hours)?, number(minutes)?) {
        (hours @ 0..=14, 0) => Some(format!("UTC{sign}{hours}")),
        (hours @ 0..=14, minutes @ 1..60) => Some(format!("UTC{sign}{hours}:{minutes:02}")),
        _ => None,
    }
}

/// The member with the same text in the other language.
fn twin<'m, 'r>(members: &'m Members<'r>, base: &str, of: Language) -> Option<(&'m str, &'r RawValue)> {
    let found = members.0.iter().find(|(name, raw)| {
        let is_twin = language_of_name(name).is_some_and(|(other, known)| other != of && known == base);
        is_twin && !Member::of(raw).is_empty()
    });
    found.map(|(name, raw)| (&**name, *raw))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityType;

    fn presenter(lang: Language) -> Presenter {
        Presenter {
            t: Texts::of(lang),
            schema: Schema::of(EntityType::Disclosure),
            currency: "CAD".to_owned(),
            pages: vec![("vendor_name".to_owned(), "/en/vendor/x".to_owned())],
            place: Some("Montréal".to_owned()),
        }
    }

    /// The labels and the HTML of an object's rows.
    fn rows(lang: Language, json: &str) -> Vec<(String, String, Option<String>)> {
        let members = Members::of(json.as_bytes()).unwrap();
        let html = |value: Value| value.render().unwrap();
        let rows = presenter(lang).rows(&members, 0).into_iter();
        rows.map(|row| (row.label, html(row.value), row.other.map(html)))
            .collect()
    }

    #[test]
    fn values_are_written_by_their_type() {
        let json = r#"{"contract_value":-1234.5,"amendment_count":3,"award_date":"2024-02-29","end_date":"2024-02-30",
            "fetched_at":"2026-10-31T06:00:00Z","procurement_category":"GD,SRV","solicitation_procedure":"TN","x":true,
            "municipality":"montreal","government_level":"provincial","procurement_method":"RFQ"}"#;
        let shown: Vec<String> = rows(Language::English, json).into_iter().map(|row| row.1).collect();
        for (html, part) in shown.iter().zip([
            "\u{2212}$1,234.50",
            "3",
            "February\u{a0}29, 2024",
            "2024-02-30",
            "UTC",
            "Goods, Services (GD,SRV)",
            "(TN)",
            "Yes",
            "Montréal",
            "<bdi>Provincial</bdi>",
            "Request for quotations (RFQ)",
        ]) {
            assert!(html.contains(part), "{html} lacks {part}");
        }
        assert_eq!(shown.len(), 11);
    }

    #[test]
    fn the_two_languages_of_a_text_share_a_row() {
        let json = r#"{"description_en":"Snow","description_fr":"Neige","comments_fr":"Rien","owner_org":"x"}"#;
        let english = rows(Language::English, json);
        assert_eq!(english.len(), 3);
        assert!(english[0].1.contains("Snow"));
        let other = english[0].2.as_ref().unwrap();
        assert!(
            other.contains(r#"lang="fr""#) && !other.contains("in French"),
            "{other}"
        );
        assert!(english[1].1.contains(r#"lang="fr""#) && english[1].2.is_none());
        let french = rows(Language::French, json);
        assert!(french[0].1.contains("Neige") && french[0].2.as_ref().unwrap().contains("Snow"));
    }

    #[test]
    fn only_addresses_of_the_web_are_links() {
        let json = r#"{"vendor_name":"A","a":"https://example.org/x","b":"javascript:alert(1)","c":"data:text/html,x","d":"//x.example"}"#;
        let shown: Vec<String> = rows(Language::English, json).into_iter().map(|row| row.1).collect();
        assert!(shown[0].contains(r#"<a href="/en/vendor/x">"#));
        assert!(shown[1].contains(r#"<a href="https://example.org/x""#));
        for html in &shown[2..] {
            assert!(!html.contains("<a"), "{html}");
        }
    }

    #[test]
    fn texts_of_records_are_never_markup() {
        let json = r#"{"<script>alert(1)</script>":"<img src=x onerror=alert(1)>","a":["<b>"],"b":{"\"><i>":"x"}}"#;
        for (label, html, _) in rows(Language::English, json) {
            for markup in ["<script", "<img", "<b>", "<i>"] {
                assert!(!html.contains(markup), "{label}: {html}");
            }
        }
    }

    #[test]
    fn deep_values_are_shown_as_json() {
        let json = format!(r#"{{"a":{}1{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
        let shown = rows(Language::English, &json);
        assert!(shown[0].1.contains("[[["));
    }

    #[test]
    fn the_time_of_a_closing_is_that_of_the_east_unless_stated() {
        let presenter = presenter(Language::English);
        for (text, expected) in [
            ("2026-06-07T14:00:00", "2:00\u{a0}p.m."),
            ("2026-06-07 14:00", "2:00\u{a0}p.m."),
            ("2026-06-07", "June\u{a0}7, 2026"),
            ("2026-06-07T14:00:00-05:00", "2:00\u{a0}p.m. (UTC\u{2212}5)"),
            ("2026-06-07T14:00:00+05:30", "(UTC+5:30)"),
            ("2026-06-07T14:00:00-99:00", "2026-06-07T14:00:00-99:00"),
            ("2026-06-07T14:00:00é", "2026-06-07T14:00:00é"),
            ("2026-06-07T99:00:00", "2026-06-07T99:00:00"),
            ("tomorrow", "tomorrow"),
        ] {
            let shown = presenter.moment(text);
            assert!(shown.contains(expected), "{text}: {shown}");
        }
    }
}
