//! Texts of records in the language of the page, or in the other one, marked.
//!
//! A record has a text in English, in French, in both, or in a field without a language. A page shows its own language
//! if the record has it. Otherwise it shows what there is, with a `lang` attribute and a note.

use crate::model::{Language, Record};

/// A text of a record, as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// `None` if the publisher does not state the language.
    pub(crate) lang: Option<Language>,
    /// Whether it is not in the language of the page.
    pub(crate) is_other: bool,
}

impl Shown {
    /// A text whose language is unknown, or that has none: names and numbers.
    pub(crate) fn plain(text: impl Into<String>) -> Shown {
        Shown {
            text: text.into(),
            lang: None,
            is_other: false,
        }
    }

    pub(crate) fn of(text: &str, text_lang: Language, page_lang: Language) -> Shown {
        Shown {
            text: text.to_owned(),
            lang: Some(text_lang),
            is_other: text_lang != page_lang,
        }
    }

    /// The value for the `lang` attribute, and the end of the key of the note about the language, if the text is not in
    /// the language of the page.
    pub(crate) fn lang_code(&self) -> Option<&'static str> {
        self.lang.filter(|_| self.is_other).map(Language::code)
    }
}

/// The text of the field in the language of the page, else that of the field in the other one.
pub(crate) fn bilingual(record: &Record, field_en: &str, field_fr: &str, lang: Language) -> Option<Shown> {
    let english = (Language::English, field_en);
    let french = (Language::French, field_fr);
    let in_order = match lang {
        Language::English => [english, french],
        Language::French => [french, english],
    };
    in_order
        .into_iter()
        .find_map(|(of, field)| Some(Shown::of(text(record, field)?, of, lang)))
}

/// The fields that can stand for a title, the best first. The second one is empty if the field has no language.
const TITLES: [(&str, &str); 8] = [
    ("title_en", "title_fr"),
    ("sosa_description_en", "sosa_description_fr"),
    ("description_en", "description_fr"),
    ("commodity_description_en", "commodity_description_fr"),
    ("unspsc_description_en", "unspsc_description_fr"),
    ("gsin_description_en", "gsin_description_fr"),
    ("activity", ""),
    ("category", ""),
];

/// What a record is about: its title, else its description, else the words of its commodity code or category.
pub(crate) fn title(record: &Record, lang: Language) -> Option<Shown> {
    TITLES.into_iter().find_map(|(first, second)| {
        if second.is_empty() {
            return text(record, first).map(Shown::plain);
        }
        bilingual(record, first, second, lang)
    })
}

/// The buyer: the department, else the organization as the source names it.
pub(crate) fn buyer(record: &Record, lang: Language) -> Option<Shown> {
    bilingual(record, "department_en", "department_fr", lang).or_else(|| text(record, "buyer_name").map(Shown::plain))
}

/// The supplier, for entity types that have one.
pub(crate) fn supplier(record: &Record) -> Option<Shown> {
    let fields = ["vendor_name", "supplier_legal_name", "supplier_operating_name"];
    fields
        .into_iter()
        .find_map(|field| text(record, field).map(Shown::plain))
}

fn text<'r>(record: &'r Record, field: &str) -> Option<&'r str> {
    record.text(field).map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntityType, Schema};

    fn contract(json: &str) -> Record<'_> {
        Record::parse(Schema::of(EntityType::Contract), json.as_bytes()).unwrap()
    }

    #[test]
    fn the_language_of_the_page_comes_first() {
        let record = contract(r#"{"record_id":"1","title_en":"Snow","title_fr":"Neige"}"#);
        for (lang, expected) in [(Language::English, "Snow"), (Language::French, "Neige")] {
            let shown = bilingual(&record, "title_en", "title_fr", lang).unwrap();
            assert_eq!((shown.text.as_str(), shown.is_other), (expected, false));
            assert_eq!(shown.lang_code(), None);
        }
    }

    #[test]
    fn the_other_language_is_marked() {
        let record = contract(r#"{"record_id":"1","title_en":"Snow","title_fr":"  "}"#);
        let shown = bilingual(&record, "title_en", "title_fr", Language::French).unwrap();
        assert_eq!(shown.text, "Snow");
        assert_eq!(shown.lang_code(), Some("en"));
        assert_eq!(
            bilingual(&record, "description_en", "description_fr", Language::French),
            None
        );
    }

    #[test]
    fn a_record_without_a_title_is_named_by_what_it_has() {
        for (fields, expected) in [
            (r#""title_fr":"Neige","unspsc_description_en":"snow""#, Some("Neige")),
            (r#""unspsc_description_en":"snow","category":"services""#, Some("snow")),
            (r#""activity":"LOISIRS""#, Some("LOISIRS")),
            (r#""reference_number":"1""#, None),
        ] {
            let json = format!(r#"{{"record_id":"1",{fields}}}"#);
            let shown = title(&contract(&json), Language::English);
            assert_eq!(shown.map(|shown| shown.text).as_deref(), expected, "{fields}");
        }
    }

    #[test]
    fn a_buyer_without_a_language_is_not_marked() {
        let record = contract(r#"{"record_id":"1","buyer_name":"Ville de Laval"}"#);
        assert_eq!(buyer(&record, Language::English), Some(Shown::plain("Ville de Laval")));
    }
}
