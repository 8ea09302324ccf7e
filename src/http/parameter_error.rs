//! Why a parameter is refused, as data. The API's English sentence is written here; pages write theirs from the message
//! files, in the language of the visitor.

use std::fmt::{self, Display};

use crate::{
    http::quoted::quoted,
    model::{
        EntityType, commodity::CommodityError, date::DateError, email::EmailError, mail_safe_text::MailSafetyError,
    },
    query::{keyword::KeywordError, text::TextError},
};

/// A refused parameter of an address, or a refused member of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ParameterError {
    /// The name as the client wrote it; of a member its path, such as `keywords[0]`.
    pub(crate) parameter: String,
    pub(crate) is_member: bool,
    pub(crate) reason: Reason,
}

/// Why a parameter is refused, with the values that a sentence needs. A `text` is what the client wrote.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reason {
    /// No parameter has this name.
    Unknown {
        nearest: Option<&'static str>,
        accepted: Vec<&'static str>,
    },
    /// Only these entity types accept it.
    OfOtherEntityTypes {
        entity_type: EntityType,
        accepting: Vec<EntityType>,
    },
    /// The search of records does not accept it.
    OnlyOfFigures(EntityType),
    NotOfEndpoint {
        endpoint: String,
        accepted: Vec<&'static str>,
    },
    /// `other_name` is the alias under which it is given too.
    Repeated {
        other_name: Option<&'static str>,
    },
    /// Given more than `max` times, or with more than so many values.
    TooMany {
        max: usize,
    },
    /// What the sentence adds: where to find a value.
    Required(&'static str),
    /// This parameter or the other one has to be given.
    OneRequired {
        other: &'static str,
        hint: &'static str,
    },
    Date {
        text: String,
        error: DateError,
    },
    Number(String),
    /// Not an integer from `min` to `max`, both included.
    Integer {
        text: String,
        min: u64,
        max: u64,
    },
    /// Fewer than `min` characters after folding.
    TooShort {
        text: String,
        min: usize,
    },
    /// `length` characters instead of at most `max`.
    TooLong {
        text: String,
        length: usize,
        max: usize,
    },
    NoLetter(String),
    Query(TextError),
    Keyword {
        text: String,
        error: KeywordError,
    },
    /// One of several keywords.
    KeywordOfList {
        text: String,
        error: KeywordError,
    },
    NoKeyword(String),
    TooManyKeywords {
        count: usize,
        max: usize,
    },
    TooManyOfSubscription {
        count: usize,
        max: usize,
    },
    NoLanguage,
    Email(EmailError),
    /// A mail cannot show it.
    MailSafety(MailSafetyError),
    NotInList(NotInList),
    Municipality {
        list: NotInList,
        entity_type: EntityType,
    },
    Commodity {
        text: String,
        error: CommodityError,
    },
    /// No supplier has this identifier.
    Supplier(String),
    /// No body has this identifier.
    Body(String),
    /// Not a sort order of the entity type.
    Sort(NotInList),
    /// A sort order of other entity types.
    SortOfOthers {
        text: &'static str,
        entity_type: EntityType,
        values: Vec<&'static str>,
    },
    RelevanceWithoutText,
    AscendingRelevance,
    OffsetTooDeep {
        offset: u64,
        max: u64,
        cure: OffsetCure,
    },
    Cursor(String),
    CursorOfOtherSearch,
    CursorWithSort(&'static str),
    CursorWithOffset,
    /// The lower bound is above the upper one, which the parameter `high_name` gives.
    OutOfOrder {
        low: String,
        high: String,
        high_name: &'static str,
        bounds: Bounds,
    },
    DiffersFromBody,
}

/// A value that is not in a closed list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NotInList {
    pub(crate) text: String,
    /// The list, or its first values: one more than [`MAX_LISTED_VALUES`].
    pub(crate) values: Vec<String>,
    /// The value that is near, if one is.
    pub(crate) nearest: Option<String>,
}

/// What two bounds are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bounds {
    Amounts,
    Days,
}

/// What to do instead of skipping so many records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OffsetCure {
    Cursor,
    SortByDate,
    Period,
}

/// An error lists all values of a closed list up to this many.
pub(crate) const MAX_LISTED_VALUES: usize = 12;

impl ParameterError {
    /// Whether the request is well formed but cannot be served: paging that does not fit together.
    pub(crate) fn is_about_paging(&self) -> bool {
        matches!(
            self.reason,
            Reason::OffsetTooDeep { .. }
                | Reason::CursorOfOtherSearch
                | Reason::CursorWithSort(_)
                | Reason::CursorWithOffset
        )
    }
}

impl Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, reason) = (&self.parameter, &self.reason);
        match reason {
            Reason::Unknown { .. } => write!(f, "unknown parameter {}; {reason}", quoted(name)),
            Reason::Required(_) => write!(f, "parameter '{name}' is required{reason}"),
            Reason::OneRequired { .. } => write!(f, "one of the parameters '{name}' and {reason}"),
            _ if self.is_member => write!(f, "member '{name}': {reason}"),
            _ => write!(f, "parameter '{name}': {reason}"),
        }
    }
}

impl Bounds {
    const fn beyond(self) -> &'static str {
        match self {
            Bounds::Amounts => "more than",
            Bounds::Days => "later than",
        }
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Unknown {
                nearest: Some(near), ..
            } => write!(f, "nearest is '{near}'"),
            Reason::Unknown { accepted, .. } if accepted.is_empty() => {
                f.write_str("this endpoint accepts no parameters")
            }
            Reason::Unknown { accepted, .. } => write!(f, "this endpoint accepts {}", accepted.join(", ")),
            Reason::OfOtherEntityTypes { entity_type, accepting } => {
                let accepting: Vec<&str> = accepting.iter().map(|of| of.name()).collect();
                write!(
                    f,
                    "{entity_type} does not accept it; it is for {}",
                    accepting.join(", ")
                )
            }
            Reason::OnlyOfFigures(entity_type) => {
                write!(
                    f,
                    "/{entity_type} does not accept it; it is for statistics and profiles"
                )
            }
            Reason::NotOfEndpoint { endpoint, accepted } => {
                write!(f, "{endpoint} does not accept it; it accepts {}", accepted.join(", "))
            }
            Reason::Repeated { other_name: None } => f.write_str("given twice; give it once"),
            Reason::Repeated { other_name: Some(name) } => write!(f, "given twice, also as '{name}'; give it once"),
            Reason::TooMany { max } => write!(f, "more than {max} values were given; give at most {max}"),
            Reason::Required(hint) => f.write_str(hint),
            Reason::OneRequired { other, hint } => write!(f, "'{other}' is required: {hint}"),
            Reason::RelevanceWithoutText => f.write_str("'relevance' needs a word in 'q'; give one, or sort by date"),
            Reason::AscendingRelevance => {
                f.write_str("'asc' is not allowed with sort_by=relevance; the best matches come first")
            }
            Reason::OutOfOrder {
                low,
                high,
                high_name,
                bounds,
            } => {
                let beyond = bounds.beyond();
                write!(
                    f,
                    "'{low}' is {beyond} '{high}' ('{high_name}'); exchange the two values"
                )
            }
            Reason::Supplier(id) => write_unknown_id(f, "supplier", "suppliers", id),
            Reason::Body(id) => write_unknown_id(f, "body", "bodies", id),
            Reason::DiffersFromBody => f.write_str("differs from the value in the body; give it in one of them"),
            paging @ (Reason::OffsetTooDeep { .. }
            | Reason::Cursor(_)
            | Reason::CursorOfOtherSearch
            | Reason::CursorWithSort(_)
            | Reason::CursorWithOffset) => paging.write_paging(f),
            value => value.write_value(f),
        }
    }
}

fn write_unknown_id(f: &mut fmt::Formatter<'_>, noun: &str, plural: &str, id: &str) -> fmt::Result {
    let id = quoted(id);
    write!(
        f,
        "no {noun} has the id {id}; pass the `id` of a result of /{plural}?q=… unchanged"
    )
}

impl Reason {
    /// The sentence about a value that is not valid by itself.
    fn write_value(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Date { text, error } => write!(f, "{} {error}", quoted(text)),
            Reason::Number(text) => write!(f, "{} is not a finite number such as 25000 or 1999.99", quoted(text)),
            Reason::Integer {
                text,
                min,
                max: u64::MAX,
            } => {
                write!(f, "{} is not an integer of {min} or more", quoted(text))
            }
            Reason::Integer { text, min, max } => write!(f, "{} is not an integer from {min} to {max}", quoted(text)),
            Reason::TooShort { text, min } => {
                write!(
                    f,
                    "{} is too short; give at least {min} letters or digits",
                    quoted(text)
                )
            }
            Reason::TooLong { text, length, max } => {
                write!(f, "{} has {length} characters; the maximum is {max}", quoted(text))
            }
            Reason::NoLetter(text) => write!(f, "{} has no letter or digit; give at least one", quoted(text)),
            Reason::Query(error) => write!(f, "the text {error}"),
            Reason::Keyword { error, .. } => write!(f, "the text {error}"),
            Reason::Email(error) => write!(f, "the text {error}"),
            Reason::MailSafety(error) => write!(f, "the text {error}"),
            Reason::KeywordOfList { text, error } => write!(f, "{} {error}", quoted(text)),
            Reason::NoKeyword(text) => write!(f, "{} {}", quoted(text), KeywordError::Empty),
            Reason::TooManyKeywords { count, max } => {
                write!(f, "{count} keywords were given; the maximum is {max}")
            }
            Reason::TooManyOfSubscription { count, max } => {
                write!(
                    f,
                    "{count} keywords were given; the maximum is {max}; make two subscriptions"
                )
            }
            Reason::NoLanguage => f.write_str("no language was given; give en, fr or both"),
            Reason::Commodity { error, .. } => error.fmt(f),
            Reason::NotInList(list) | Reason::Sort(list) => list.fmt(f),
            Reason::Municipality { list, entity_type } => match list.values.len() {
                0 => {
                    let text = quoted(&list.text);
                    write!(f, "{text} is unknown; there are no {entity_type} records")
                }
                1..=MAX_LISTED_VALUES => list.fmt(f),
                _ => write!(f, "{list}; /{entity_type}/coverage lists all valid values"),
            },
            Reason::SortOfOthers {
                text,
                entity_type,
                values,
            } => {
                let values = values.join(", ");
                write!(f, "{entity_type} cannot be sorted by '{text}'; use one of {values}")
            }
            _ => Ok(()),
        }
    }

    fn write_paging(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OffsetTooDeep { offset, max, cure } => {
                let cure = match cure {
                    OffsetCure::Cursor => "use 'cursor' for deep paging",
                    OffsetCure::SortByDate => "narrow the search, or sort by date and use 'cursor'",
                    OffsetCure::Period => "narrow the records by 'issued_after' and 'issued_before'",
                };
                // A number that does not fit into a u64 was not kept as the client wrote it.
                match *offset {
                    u64::MAX => write!(f, "must not be above {max}; {cure}"),
                    offset => write!(f, "'{offset}' is above {max}; {cure}"),
                }
            }
            Reason::Cursor(text) => write!(
                f,
                "invalid cursor {}; pass `next_cursor` from a previous response unchanged",
                quoted(text)
            ),
            Reason::CursorOfOtherSearch => f.write_str(
                "it belongs to a search with other filters or another sort order; repeat that search, or start without a cursor",
            ),
            Reason::CursorWithSort(sort) => {
                write!(f, "not allowed with sort_by={sort}; use 'offset', or sort by date")
            }
            Reason::CursorWithOffset => f.write_str(
                "not allowed with 'offset'; leave out 'offset', because the cursor states where the page starts",
            ),
            _ => Ok(()),
        }
    }
}

impl Display for NotInList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = quoted(&self.text);
        match self.values.len() {
            0 => return write!(f, "{text} is invalid; there is no valid value"),
            1..=MAX_LISTED_VALUES => write!(f, "{text} is not one of {}", self.values.join(", "))?,
            _ => write!(f, "{text} is invalid")?,
        }
        match &self.nearest {
            Some(near) => write!(f, "; nearest is '{near}'"),
            None => Ok(()),
        }
    }
}
