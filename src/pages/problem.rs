//! What is wrong with a request, in the language of the visitor.

use crate::{
    http::{
        encoding::EncodingError,
        error::{ApiError, FormError, GenerationError, Problem},
        parameter_error::{Bounds, ParameterError, Reason},
    },
    model::{Language, date::DateError, mail_safe_text::MailSafetyError},
    pages::{format::shortened, messages::Texts},
    query::{
        keyword::KeywordError,
        text::{MAX_QUERY_CHARS, MAX_QUERY_WORDS, TextError},
    },
    state::keys::KeyError,
};

/// What an error page states of an error: in English the sentence of the API, in French that of the message files.
/// Empty where there is none.
pub(crate) fn detail(t: Texts, error: &ApiError) -> String {
    match (t.language(), error.problem.as_deref()) {
        (Language::English, _) => error.detail.clone(),
        (Language::French, Some(problem)) => problem_sentence(t, problem),
        (Language::French, None) => String::new(),
    }
}

fn problem_sentence(t: Texts, problem: &Problem) -> String {
    match problem {
        Problem::Parameter(error) => named_sentence(t, error),
        Problem::Encoding(EncodingError::BadEscape(text)) => about_value(t, "problem-escape", text),
        Problem::Encoding(EncodingError::NotUtf8) => t.text("problem-utf8"),
        Problem::Key(KeyError::Unknown) => t.text("problem-key-unknown"),
        Problem::Key(KeyError::Revoked) => t.text("problem-key-revoked"),
        Problem::Key(KeyError::Expired(_)) => t.text("problem-key-expired"),
        Problem::Form(FormError::OtherSite) => t.text("problem-form-other-site"),
        Problem::Form(FormError::OtherSession) => t.text("problem-form-other-session"),
        Problem::Form(FormError::NotUtf8) => t.text("problem-form-utf8"),
        Problem::Generation(id, error) => {
            let id = &quoted(t, id);
            match error {
                GenerationError::Form => t.with("problem-generation-form", &[("value", id)]),
                GenerationError::Unknown { current } => {
                    t.with("problem-generation-unknown", &[("value", id), ("current", current)])
                }
                GenerationError::Removed { oldest } => {
                    t.with("problem-generation-removed", &[("value", id), ("oldest", oldest)])
                }
                GenerationError::Unreadable => t.with("problem-generation-unreadable", &[("value", id)]),
            }
        }
        Problem::Method { method, allow } => {
            t.with("problem-method", &[("value", &quoted(t, method)), ("allow", allow)])
        }
    }
}

/// [`sentence`] where nothing else on the page names the parameter.
fn named_sentence(t: Texts, error: &ParameterError) -> String {
    let sentence = sentence(t, error);
    let name = quoted(t, &error.parameter);
    if sentence.contains(&name) {
        return sentence;
    }
    t.with("problem-of", &[("name", &name), ("sentence", &sentence)])
}

/// Why a parameter is refused, next to its field or its name.
pub(crate) fn sentence(t: Texts, error: &ParameterError) -> String {
    let about_name = |key: &str| t.with(key, &[("name", &quoted(t, &error.parameter))]);
    match &error.reason {
        Reason::Unknown { .. } => about_name("problem-unknown"),
        Reason::OfOtherEntityTypes { .. } | Reason::OnlyOfFigures(_) | Reason::NotOfEndpoint { .. } => {
            about_name("problem-refused")
        }
        Reason::Repeated { .. } | Reason::DiffersFromBody => about_name("problem-twice"),
        Reason::TooMany { max } => t.with("problem-many", &[("count", max)]),
        Reason::Required(_) | Reason::OneRequired { .. } => about_name("problem-required"),
        Reason::NotInList(list) => about_value(t, "problem-choice", &list.text),
        Reason::AscendingRelevance => about_value(t, "problem-choice", "asc"),
        Reason::Municipality { list, .. } => about_value(t, "problem-place", &list.text),
        Reason::Supplier(text) => about_value(t, "problem-supplier", text),
        Reason::Body(text) => about_value(t, "problem-body", text),
        Reason::Commodity { text, .. } => about_value(t, "problem-commodity", text),
        Reason::Sort(_) | Reason::SortOfOthers { .. } | Reason::RelevanceWithoutText => t.text("problem-sort"),
        Reason::OffsetTooDeep { max, .. } => t.with("problem-offset", &[("count", max)]),
        Reason::Cursor(_) | Reason::CursorOfOtherSearch | Reason::CursorWithSort(_) | Reason::CursorWithOffset => {
            t.text("problem-cursor")
        }
        Reason::OutOfOrder { bounds, .. } => t.text(match bounds {
            Bounds::Amounts => "problem-value-order",
            Bounds::Days => "problem-date-order",
        }),
        Reason::Date { text, error } => match error {
            DateError::Form => about_value(t, "problem-date", text),
            DateError::NoSuchDay => about_value(t, "problem-day", text),
        },
        Reason::Integer { text, .. } if error.parameter == "limit" => about_value(t, "problem-limit", text),
        Reason::Number(text)
        | Reason::Integer {
            text, max: u64::MAX, ..
        } => about_value(t, "problem-number", text),
        Reason::Integer { text, min, max } => t.with(
            "problem-range",
            &[("value", &quoted(t, text)), ("min", min), ("max", max)],
        ),
        text => text_sentence(t, text),
    }
}

/// Why a text is refused: words, keywords, names, addresses.
fn text_sentence(t: Texts, reason: &Reason) -> String {
    match reason {
        Reason::TooShort { text, min } => t.with("problem-short", &[("value", &quoted(t, text)), ("count", min)]),
        Reason::TooLong { length, max, .. } => t.with("problem-long", &[("length", length), ("count", max)]),
        Reason::NoLetter(text) | Reason::NoKeyword(text) => about_value(t, "problem-empty", text),
        Reason::Query(error) => query_sentence(t, *error),
        Reason::Keyword { text, error } | Reason::KeywordOfList { text, error } => match error {
            KeywordError::Empty => about_value(t, "problem-empty", text),
            KeywordError::Text(error) => query_sentence(t, *error),
            KeywordError::Alternatives => about_value(t, "problem-keyword-or", text),
            KeywordError::Excluded => about_value(t, "problem-keyword-minus", text),
        },
        Reason::TooManyKeywords { max, .. } | Reason::TooManyOfSubscription { max, .. } => {
            t.with("problem-keywords", &[("count", max)])
        }
        Reason::NoLanguage => t.text("problem-languages"),
        Reason::MailSafety(error) => t.keyed("feed-subscribed-", mail_safety_key(*error)),
        // Only the reasons of `sentence` are left besides this one.
        _ => t.text("feed-subscribed-email"),
    }
}

fn query_sentence(t: Texts, error: TextError) -> String {
    match error {
        TextError::TooLong(length) => t.with("problem-long", &[("length", &length), ("count", &MAX_QUERY_CHARS)]),
        TextError::TooManyTerms(_) => t.with("problem-words", &[("count", &MAX_QUERY_WORDS)]),
    }
}

/// The end of the key that says why mails may not show a word or the buyer.
pub(crate) fn mail_safety_key(error: MailSafetyError) -> &'static str {
    match error {
        MailSafetyError::Link => "link",
        MailSafetyError::Telephone => "telephone",
        MailSafetyError::Sign => "sign",
        MailSafetyError::TooLong => "long",
        MailSafetyError::Invisible => "invisible",
    }
}

pub(crate) fn about_value(t: Texts, key: &str, text: &str) -> String {
    t.with(key, &[("value", &quoted(t, text))])
}

/// A client's text between quotes, in its own direction: its right-to-left marks end with it.
fn quoted(t: Texts, text: &str) -> String {
    const ISOLATE: char = '\u{2068}';
    const END: char = '\u{2069}';
    let text = format!("{ISOLATE}{}{END}", shortened(text));
    t.with("problem-quoted", &[("text", &text)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{http::parameter_error::NotInList, model::EntityType, model::email::EmailError};

    #[test]
    fn every_problem_has_a_sentence_of_its_own_in_each_language() {
        let text = || "x".to_owned();
        let list = || NotInList {
            text: text(),
            values: Vec::new(),
            nearest: None,
        };
        let parameter = |reason| {
            Problem::Parameter(ParameterError {
                parameter: "department".to_owned(),
                is_member: false,
                reason,
            })
        };
        let error = KeywordError::Alternatives;
        let (count, max) = (33, 32);
        for (problem, expected) in [
            (
                parameter(Reason::TooLong {
                    text: text(),
                    length: 3,
                    max: 2,
                }),
                "trop long",
            ),
            (parameter(Reason::Keyword { text: text(), error }), "réunit deux mots"),
            (parameter(Reason::TooManyKeywords { count, max }), "trop de mots"),
            (parameter(Reason::TooManyOfSubscription { count, max }), "trop de mots"),
            (parameter(Reason::Email(EmailError::Quoted)), "Ce n’est pas une adresse"),
            (parameter(Reason::MailSafety(MailSafetyError::Sign)), "un signe"),
            (parameter(Reason::Required("")), "manque"),
            (parameter(Reason::Query(TextError::TooManyTerms(33))), "trop de mots"),
            (parameter(Reason::DiffersFromBody), "deux fois"),
            (
                parameter(Reason::Municipality {
                    list: list(),
                    entity_type: EntityType::Award,
                }),
                "Il n’y a pas de telles fiches",
            ),
            (
                Problem::Generation(text(), GenerationError::Form),
                "n’est pas le numéro d’un index",
            ),
            (
                Problem::Generation(text(), GenerationError::Removed { oldest: text() }),
                "n’est plus conservé",
            ),
            (
                Problem::Generation(text(), GenerationError::Unreadable),
                "ne peut plus être lu",
            ),
            (Problem::Key(KeyError::Unknown), "n’est pas valide"),
            (Problem::Key(KeyError::Revoked), "révoquée"),
            (Problem::Form(FormError::OtherSession), "une autre session"),
            (Problem::Form(FormError::NotUtf8), "UTF-8"),
        ] {
            let [english, french] = Language::ALL.map(|language| problem_sentence(Texts::of(language), &problem));
            assert!(french.contains(expected), "{problem:?}: {french}");
            assert_ne!(english, french);
            assert!(
                !english.contains("problem-") && !french.contains("problem-"),
                "{english} {french}"
            );
        }
    }

    #[test]
    fn an_english_page_states_the_sentence_of_the_api() {
        let error = ApiError::invalid("limit", Reason::Number("x".to_owned()));
        assert_eq!(detail(Texts::of(Language::English), &error), error.detail);
        let french = detail(Texts::of(Language::French), &error).replace(['\u{2068}', '\u{2069}'], "");
        assert!(
            french.starts_with("«\u{a0}limit\u{a0}»\u{a0}: «\u{a0}x\u{a0}» n’est pas un nombre."),
            "{french}"
        );
        assert_eq!(detail(Texts::of(Language::French), &ApiError::bad_request("x")), "");
    }
}
