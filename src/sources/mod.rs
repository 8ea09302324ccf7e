//! Publishers' files to normalized records. **The only place that knows upstream column names.**
//!
//! One file here a publisher's format, and one row of [`SOURCES`] each. A row says how the format is recognized (by its
//! columns or its first element, never by a file's name), which kinds of record it yields, and how its reader is made.
//! To add a source: write its file, add its row, add a fixture to `tests/fixtures`.

mod alberta;
pub mod common;
mod disclosure;
mod montreal;
mod novascotia;
mod pspc;
pub mod reading;
mod seao;
mod toronto;

use std::io::Read;

use anyhow::Error;
use chrono::{DateTime, SecondsFormat, Utc};

use crate::model::entity_type::EntityType;
use crate::sources::reading::decode::Utf8;
use crate::sources::reading::intake::{Intake, Member, Tally};

/// One publisher's format.
pub struct Source {
    pub id: &'static str,
    /// The kinds of record it gives.
    pub yields: &'static [EntityType],
    pub recognizes: fn(&Head) -> bool,
    pub reader: fn() -> Box<dyn Reader>,
}

/// Every format there is. No two recognize the same file.
pub static SOURCES: &[Source] = &[
    Source {
        id: pspc::NOTICE,
        yields: &[EntityType::Tender, EntityType::PreSolicitation],
        recognizes: |head| pspc::canadabuys_tender::FORMAT.recognizes(&head.columns),
        reader: || Box::new(pspc::Notices),
    },
    Source {
        id: pspc::CONTRACT,
        yields: &[EntityType::Contract],
        recognizes: |head| pspc::canadabuys_contract::FORMAT.recognizes(&head.columns),
        reader: || Box::new(pspc::Contracts),
    },
    Source {
        id: "canadabuys-award",
        yields: &[EntityType::Award],
        recognizes: |head| pspc::canadabuys_award::FORMAT.recognizes(&head.columns),
        reader: || Box::new(&pspc::canadabuys_award::FORMAT),
    },
    Source {
        id: disclosure::PUBLISHED,
        yields: &[EntityType::Disclosure],
        recognizes: |head| reading::table::format_of(disclosure::PUBLISHED_FORMATS, &head.columns).is_some(),
        reader: || Box::new(disclosure::Disclosures),
    },
    Source {
        id: disclosure::EXPORT,
        yields: &[EntityType::Disclosure],
        recognizes: |head| disclosure::export::FORMAT.recognizes(&head.columns),
        reader: || Box::new(disclosure::Disclosures),
    },
    Source {
        id: pspc::FORMER_NOTICE,
        yields: &[EntityType::Tender, EntityType::PreSolicitation],
        recognizes: |head| pspc::buyandsell_tender::FORMAT.recognizes(&head.columns),
        reader: || Box::new(pspc::Notices),
    },
    Source {
        id: pspc::FORMER_CONTRACT,
        yields: &[EntityType::Contract],
        recognizes: |head| pspc::buyandsell_contract::FORMAT.recognizes(&head.columns),
        reader: || Box::new(pspc::Contracts),
    },
    Source {
        id: "seao-xml",
        yields: &[EntityType::Tender, EntityType::Contract],
        recognizes: seao::xml::recognizes,
        reader: || Box::new(seao::Seao),
    },
    Source {
        id: "seao-ocds",
        yields: &[EntityType::Tender, EntityType::Contract],
        recognizes: seao::ocds::recognizes,
        reader: || Box::new(seao::Seao),
    },
    Source {
        id: "montreal",
        yields: &[EntityType::Contract],
        recognizes: |head| montreal::recognizes(&head.columns),
        reader: || Box::new(montreal::Montreal),
    },
    Source {
        id: "toronto",
        yields: &[EntityType::Contract, EntityType::Tender],
        recognizes: |head| reading::table::format_of(toronto::FORMATS, &head.columns).is_some(),
        reader: || Box::new(toronto::FORMATS),
    },
    Source {
        id: "novascotia",
        yields: &[EntityType::Contract],
        recognizes: novascotia::recognizes,
        reader: || Box::new(novascotia::NovaScotia),
    },
    Source {
        id: "alberta",
        yields: &[EntityType::Tender, EntityType::Contract],
        recognizes: alberta::recognizes,
        reader: || Box::new(alberta::Alberta),
    },
    Source {
        id: "canadabuys-sosa",
        yields: &[EntityType::StandingOffer],
        recognizes: |head| pspc::canadabuys_sosa::FORMAT.recognizes(&head.columns),
        reader: || Box::new(&pspc::canadabuys_sosa::FORMAT),
    },
];

/// Sources whose files tell of the same things: one reader reads them all and settles them together, and each record is
/// written to the dump of the source whose word it is.
static FAMILIES: &[&[&str]] = &[
    &[seao::XML, seao::OCDS],
    &[disclosure::PUBLISHED, disclosure::EXPORT],
    &[pspc::CONTRACT, pspc::FORMER_CONTRACT],
    &[pspc::NOTICE, pspc::FORMER_NOTICE],
];

impl Source {
    /// The name of the sources settled together with this one; its own where it is settled alone.
    pub fn family(&self) -> &'static str {
        let family = FAMILIES.iter().find(|family| family.contains(&self.id));
        family.and_then(|family| family.first()).unwrap_or(&self.id)
    }
}

/// What a file begins with.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The fields of the first CSV row that is no comment, trimmed.
    pub columns: Vec<String>,
    /// The first XML element.
    pub root: reading::xml::Root,
    /// The whole of it, where it is JSON by its first character; empty otherwise.
    pub json: String,
}

impl Head {
    pub fn of(start: &str) -> Head {
        let mut rows = csv::ReaderBuilder::new()
            .flexible(true)
            .has_headers(false)
            .from_reader(start.as_bytes());
        let columns = reading::table::first_row(&mut rows).unwrap_or_default();
        Head {
            columns,
            root: reading::xml::root(start),
            json: match start.trim_start().starts_with(['{', '[']) {
                true => start.to_owned(),
                false => String::new(),
            },
        }
    }
}

/// What is known of a file besides its text.
#[derive(Clone, Debug)]
pub struct FileFacts {
    /// As the report names it; a member of an archive is `archive.zip/member`.
    pub path: String,
    pub modified: DateTime<Utc>,
    /// The same as records tell it, RFC 3339 in UTC: see [`timestamp`].
    pub fetched_at: String,
}

impl FileFacts {
    pub fn new(path: String, modified: DateTime<Utc>) -> FileFacts {
        FileFacts {
            path,
            modified,
            fetched_at: timestamp(modified),
        }
    }
}

/// RFC 3339, UTC, to the second.
pub fn timestamp(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Why a file's reading ended before the file did.
#[derive(Debug)]
pub enum Broken {
    /// The file is damaged here: what was read before stays, the run goes on.
    Here { line: u64, why: String },
    /// The run cannot go on.
    Fatal(Error),
}

/// Reads the files of one source or family, then settles what they said together. Files are read at the same time,
/// each by a reader of its own: whatever one says to another goes through the spool.
pub trait Reader {
    /// Reads one file to its end; every row is kept, remarked, or skipped.
    fn read(&mut self, file: &FileFacts, input: Utf8<&mut dyn Read>, out: &mut Intake) -> Result<(), Broken>;

    /// Decides which members of a group stay, and completes them. The last is the newest.
    fn settle(&mut self, members: &mut [Member], tallies: &mut [Tally]);
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, fs};

    use crate::model::schema::{FieldType, Schema};
    use crate::sources::{reading::table::CsvFormat, *};

    const TABLES: &[(&str, &[EntityType], &CsvFormat)] = &[
        (
            "canadabuys-tender",
            &[EntityType::Tender, EntityType::PreSolicitation],
            &pspc::canadabuys_tender::FORMAT,
        ),
        (
            "canadabuys-contract",
            &[EntityType::Contract],
            &pspc::canadabuys_contract::FORMAT,
        ),
        (
            "canadabuys-award",
            &[EntityType::Award],
            &pspc::canadabuys_award::FORMAT,
        ),
        ("disclosure", &[EntityType::Disclosure], &disclosure::FORMAT),
        ("disclosure", &[EntityType::Disclosure], &disclosure::FORMER),
        (
            "disclosure-export",
            &[EntityType::Disclosure],
            &disclosure::export::FORMAT,
        ),
        (
            "buyandsell-tender",
            &[EntityType::Tender, EntityType::PreSolicitation],
            &pspc::buyandsell_tender::FORMAT,
        ),
        (
            "buyandsell-contract",
            &[EntityType::Contract],
            &pspc::buyandsell_contract::FORMAT,
        ),
        ("montreal", &[EntityType::Contract], &montreal::OFFICIALS),
        ("montreal", &[EntityType::Contract], &montreal::COUNCILS),
        ("novascotia", &[EntityType::Contract], &novascotia::FORMAT),
        ("toronto", &[EntityType::Contract], &toronto::AWARDED),
        ("toronto", &[EntityType::Contract], &toronto::NON_COMPETITIVE),
        ("toronto", &[EntityType::Tender], &toronto::SOLICITATIONS),
        (
            "canadabuys-sosa",
            &[EntityType::StandingOffer],
            &pspc::canadabuys_sosa::FORMAT,
        ),
    ];

    #[test]
    fn every_column_fills_a_declared_field_of_its_type_once() {
        for (id, kinds, format) in TABLES {
            let mut filled = HashSet::new();
            for (name, column, rule) in format.columns.iter().copied().flatten() {
                assert!(filled.insert(name), "{id} fills {name} twice");
                for kind in *kinds {
                    let field = Schema::of(*kind).field(name);
                    let field = field.unwrap_or_else(|| panic!("{id}: {kind} does not declare {name} ({column})"));
                    let expected = match rule {
                        reading::table::Rule::Day => FieldType::Date,
                        reading::table::Rule::Money => FieldType::Number,
                        _ => FieldType::Text,
                    };
                    assert_eq!(field.field_type, expected, "{id}: {name}");
                }
            }
        }
    }

    #[test]
    fn every_fixture_is_recognized_by_one_source() {
        let mut recognized = HashSet::new();
        for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures")).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let head = Head::of(Utf8::new(bytes.as_slice()).peek().unwrap());
            let by: Vec<_> = SOURCES
                .iter()
                .filter(|source| (source.recognizes)(&head))
                .map(|s| s.id)
                .collect();
            assert_eq!(by.len(), 1, "{}: {by:?}", path.display());
            recognized.extend(by);
        }
        assert_eq!(
            recognized.len(),
            SOURCES.len(),
            "a source without a fixture: {recognized:?}"
        );
    }

    #[test]
    fn other_files_are_recognized_by_none() {
        for start in [
            "",
            "a,b\n1,2\n",
            "<html datefin='x'>",
            "<export>",
            "{\"releases\": []}",
            "{\"releases\": [{\"ocid\": \"ocds-34a6hz-1\"}]}",
            "[{\"referenceNumber\": \"BC-2025-1\"}]",
            "[{\"tender_id\": \"1\"}]",
            "<",
            "\"",
            "\u{0}\u{0}",
        ] {
            let head = Head::of(start);
            assert!(!SOURCES.iter().any(|source| (source.recognizes)(&head)), "{start:?}");
        }
    }
}
