//! Why two names are one supplier, and why two others wait for a person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{municipality, supplier_mention::Relation};

/// The rules by which names are joined, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rule {
    /// A person has claimed it.
    Claim,
    /// Publishers state both with the same official number.
    Number,
    /// A publisher gives both to one supplier.
    Publisher,
    /// They differ in their legal form or in punctuation only, and share a postal code.
    CoreName,
    /// They are spelled nearly the same, and share a postal code.
    NearName,
    /// They differ in their legal form or in punctuation only, and are in one city, or one states no place and the
    /// others with that name are in one.
    CoreNameOnly,
    /// The table of names of public bodies lists both for one body.
    Table,
    /// Both are the name of one municipality, in another form or language.
    Municipality,
    /// One has `&` where the other has `and` or `et`, and both buy for one government.
    Ampersand,
}

impl Rule {
    /// The number of the rule in the documentation, and what the rule does.
    pub(crate) const fn about(self) -> (u8, &'static str) {
        match self {
            Rule::Number => (1, "equal official number"),
            Rule::Publisher => (3, "equated by a publisher"),
            Rule::CoreName => (4, "equal core of the name, legal form and postal code"),
            Rule::NearName => (6, "nearly equal names at one postal code"),
            Rule::CoreNameOnly => (9, "equal core of the name and legal form, and no other place"),
            Rule::Claim => (5, "claimed by a person"),
            Rule::Table => (7, "listed in the table of names of bodies"),
            Rule::Municipality => (8, "names of one municipality"),
            Rule::Ampersand => (10, "equal but for '&' in place of 'and' or 'et', of one government"),
        }
    }
}

/// What a claim rests on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "rule")]
pub(crate) enum Evidence {
    Claim {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        date: Option<String>,
    },
    Number {
        number: String,
    },
    /// A row of a source states both.
    Publisher {
        relation: Relation,
        source: String,
    },
    /// The name says that it is a division of the other one.
    Division,
    CoreName {
        postal_code: String,
    },
    NearName {
        postal_code: String,
    },
    CoreNameOnly {
        /// False if one states no place.
        in_one_city: bool,
    },
    Table {
        /// The address that the row of the table states.
        source: String,
    },
    Municipality {
        /// The slug of the municipality.
        municipality: String,
    },
    Ampersand,
}

impl Evidence {
    pub(crate) fn rule(&self) -> Rule {
        match self {
            Evidence::Claim { .. } => Rule::Claim,
            Evidence::Number { .. } => Rule::Number,
            Evidence::Publisher { .. } | Evidence::Division => Rule::Publisher,
            Evidence::CoreName { .. } => Rule::CoreName,
            Evidence::NearName { .. } => Rule::NearName,
            Evidence::CoreNameOnly { .. } => Rule::CoreNameOnly,
            Evidence::Table { .. } => Rule::Table,
            Evidence::Municipality { .. } => Rule::Municipality,
            Evidence::Ampersand => Rule::Ampersand,
        }
    }

    /// The reason as an English sentence. `with` is the name that it was joined to.
    pub(crate) fn sentence(&self, with: &str) -> String {
        match self {
            Evidence::Number { number } => format!("has the official number {number}, as \"{with}\" has"),
            Evidence::Publisher { relation, source } => {
                let relation = match relation {
                    Relation::LegalName => "legal name",
                    Relation::OperatingName => "operating name",
                    Relation::StandardizedName => "standardized name",
                };
                format!("{source} states it and \"{with}\" as the name and the {relation} of one supplier")
            }
            Evidence::Division => format!("says that it is a division of \"{with}\", or the other way round"),
            Evidence::CoreName { postal_code } => {
                format!("differs from \"{with}\" in its form only, and both are at {postal_code}")
            }
            Evidence::NearName { postal_code } => {
                format!("is spelled nearly as \"{with}\" is, and both are at {postal_code}")
            }
            Evidence::CoreNameOnly { in_one_city: true } => {
                format!("differs from \"{with}\" in its form only, and both are in one city")
            }
            Evidence::CoreNameOnly { in_one_city: false } => {
                format!("differs from \"{with}\" in its form only, and nothing states another place")
            }
            Evidence::Table { source } => {
                format!("is listed with \"{with}\" in the table of names of public bodies ({source})")
            }
            Evidence::Municipality { municipality: slug } => {
                let city = municipality::by_slug(slug).map_or(slug, |city| &city.name_en);
                format!("is the municipality of {city}, as \"{with}\" is")
            }
            Evidence::Ampersand => {
                format!("differs from \"{with}\" in \"&\" for \"and\" or \"et\" only, and both are of one government")
            }
            Evidence::Claim { reason, source, date } => {
                let mut sentence = format!("a person has claimed that it is \"{with}\"");
                for (before, detail) in [(": ", reason), (", by ", source), (", on ", date)] {
                    if let Some(detail) = detail {
                        sentence.push_str(before);
                        sentence.push_str(detail);
                    }
                }
                sentence
            }
        }
    }
}

/// Why two names are not joined although something speaks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Waiting {
    /// The publisher gives one of the names to several suppliers.
    SeveralNames,
    /// One of the names is stated only once with the number, and nothing else speaks for it.
    SingleStatement,
    /// The supplier would have more names than a rule may join.
    TooManyNames,
    /// Both suppliers have many names already.
    TwoLargeSuppliers,
    /// They have different official numbers.
    DifferentNumbers,
    /// One word is the name, and no number identifies it.
    OneWord,
    /// At least one is a consortium.
    Consortium,
    /// At least one looks like the name of a person.
    Person,
    /// Their legal forms differ.
    DifferentForms,
    /// Equal but for legal form and punctuation, and no shared place.
    SameCoreName,
    /// Spelled nearly the same, and a shared place.
    NearName,
    /// One of them is a part of the other.
    Division,
}

impl Waiting {
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Waiting::SeveralNames => "a publisher gives one of the names to several suppliers",
            Waiting::SingleStatement => "only one statement gives them the same official number",
            Waiting::TooManyNames => "the supplier would have more than 50 names",
            Waiting::TwoLargeSuppliers => "both have more than ten names",
            Waiting::DifferentNumbers => "they have different official numbers",
            Waiting::OneWord => "a name of one word, without an official number",
            Waiting::Consortium => "a consortium",
            Waiting::Person => "the name of a person",
            Waiting::DifferentForms => "different legal forms",
            Waiting::SameCoreName => "equal but for the legal form and punctuation, without a shared place",
            Waiting::NearName => "spelled nearly the same, with a shared place",
            Waiting::Division => "one of them is a part of the other",
        }
    }
}
