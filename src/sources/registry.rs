//! The table of all formats: one [`SourceFormat`] for each.
//!
//! A row states how the format is recognized (by its columns or its first element, never by the
//! file's name), which entity types it yields, and how its reader is made. To add a source: write
//! its file in this folder, add its row here, and add a fixture to `tests/fixtures`.

use crate::model::EntityType::{self, *};
use crate::sources::{
    alberta, disclosure, montreal, novascotia, pspc,
    reading::{FileHead, SourceReader, format_of},
    seao, toronto,
};

/// One publisher's format.
pub struct SourceFormat {
    /// The `source_id`.
    pub id: &'static str,
    pub yields: &'static [EntityType],
    pub recognizes: fn(&FileHead) -> bool,
    pub(crate) reader: fn() -> Box<dyn SourceReader>,
}

/// All formats. No two of them recognize the same file.
#[rustfmt::skip]
pub static SOURCES: &[SourceFormat] = &[
    source_format(pspc::common::CANADABUYS_TENDER, &[Tender, PreSolicitation],
        |head| pspc::canadabuys_tender::FORMAT.recognizes(&head.columns), || Box::new(pspc::reader::NoticeReader)),
    source_format(pspc::common::CANADABUYS_CONTRACT, &[Contract],
        |head| pspc::canadabuys_contract::FORMAT.recognizes(&head.columns), || Box::new(pspc::reader::ContractReader)),
    source_format("canadabuys-award", &[Award],
        |head| pspc::canadabuys_award::FORMAT.recognizes(&head.columns), || Box::new(&pspc::canadabuys_award::FORMAT)),
    source_format(disclosure::common::DISCLOSURE, &[Disclosure],
        |head| format_of(disclosure::published::FORMATS, &head.columns).is_some(), || Box::new(disclosure::reader::DisclosureReader)),
    source_format(disclosure::common::DISCLOSURE_EXPORT, &[Disclosure],
        |head| disclosure::export::FORMAT.recognizes(&head.columns), || Box::new(disclosure::reader::DisclosureReader)),
    source_format(pspc::common::BUYANDSELL_TENDER, &[Tender, PreSolicitation],
        |head| pspc::buyandsell_tender::FORMAT.recognizes(&head.columns), || Box::new(pspc::reader::NoticeReader)),
    source_format(pspc::common::BUYANDSELL_CONTRACT, &[Contract],
        |head| pspc::buyandsell_contract::FORMAT.recognizes(&head.columns), || Box::new(pspc::reader::ContractReader)),
    source_format(seao::common::SEAO_XML, &[Tender, Contract], seao::xml::recognizes, || Box::new(seao::reader::SeaoReader)),
    source_format(seao::common::SEAO_OCDS, &[Tender, Contract], seao::ocds::recognizes, || Box::new(seao::reader::SeaoReader)),
    source_format("montreal", &[Contract], |head| montreal::recognizes(&head.columns), || Box::new(montreal::MontrealReader)),
    source_format("toronto", &[Contract, Tender],
        |head| format_of(toronto::FORMATS, &head.columns).is_some(), || Box::new(toronto::FORMATS)),
    source_format("novascotia", &[Contract], novascotia::recognizes, || Box::new(novascotia::NovaScotiaReader)),
    source_format("alberta", &[Tender, Contract], alberta::recognizes, || Box::new(alberta::AlbertaReader)),
    source_format("canadabuys-sosa", &[StandingOffer],
        |head| pspc::canadabuys_sosa::FORMAT.recognizes(&head.columns), || Box::new(&pspc::canadabuys_sosa::FORMAT)),
];

const fn source_format(
    id: &'static str,
    yields: &'static [EntityType],
    recognizes: fn(&FileHead) -> bool,
    reader: fn() -> Box<dyn SourceReader>,
) -> SourceFormat {
    SourceFormat {
        id,
        yields,
        recognizes,
        reader,
    }
}

/// Sources that publish the same things. One reader reads the files of all of them and merges their
/// rows. Each record is written to the dump of the source that it was mainly taken from.
static FAMILIES: &[&[&str]] = &[
    &[seao::common::SEAO_XML, seao::common::SEAO_OCDS],
    &[disclosure::common::DISCLOSURE, disclosure::common::DISCLOSURE_EXPORT],
    &[pspc::common::CANADABUYS_CONTRACT, pspc::common::BUYANDSELL_CONTRACT],
    &[pspc::common::CANADABUYS_TENDER, pspc::common::BUYANDSELL_TENDER],
];

impl SourceFormat {
    /// The first of the sources that are merged together with this one; its own id if it is merged
    /// alone.
    pub(crate) fn family(&self) -> &'static str {
        let family = FAMILIES.iter().find(|family| family.contains(&self.id));
        family.and_then(|family| family.first()).unwrap_or(&self.id)
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, fs};

    use super::*;
    use crate::model::{FieldType, Schema};
    use crate::sources::reading::{ColumnRule, CsvFormat, Utf8Reader};

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
        ("disclosure", &[EntityType::Disclosure], &disclosure::published::FORMAT),
        ("disclosure", &[EntityType::Disclosure], &disclosure::published::FORMER),
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
                        ColumnRule::Day => FieldType::Date,
                        ColumnRule::Money => FieldType::Number,
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
            let head = FileHead::of(Utf8Reader::new(bytes.as_slice()).peek().unwrap());
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
            "not every source has a fixture: {recognized:?}"
        );
    }

    #[test]
    fn other_files_are_recognized_by_no_source() {
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
            let head = FileHead::of(start);
            assert!(!SOURCES.iter().any(|source| (source.recognizes)(&head)), "{start:?}");
        }
    }
}
