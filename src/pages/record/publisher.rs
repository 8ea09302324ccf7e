//! Who published a record, and under which licence.

use crate::{
    catalog::generation::EntityTypeManifest,
    fetch::published_sources::{PUBLISHED_SOURCES, PublishedSource},
};

/// The source of a record: one that the index has records of, whose name fits the start of the `record_id`. `None` for
/// records that the operator added.
///
/// A record does not name its source if it comes from one file. Its identifier begins with the name of the publisher
/// (`docs/data.md`), and the entity type says the rest: `canadabuys|…` among awards is of `canadabuys-award`.
/// Where a publisher has several sources of an entity type, such as two eras, it is the one with most records of the
/// record's year.
pub(super) fn source_of(
    record_id: &str,
    year: Option<i32>,
    stated: &[String],
    part: &EntityTypeManifest,
) -> Option<&'static PublishedSource<'static>> {
    let known = |id: &str| PUBLISHED_SOURCES.iter().find(|source| source.id == id);
    if let Some(source) = stated.iter().find_map(|id| known(id)) {
        return Some(source);
    }
    let (publisher, _) = record_id.split_once('|')?;
    let ids = part.sources.iter().map(|source| source.source_id.as_str());
    let fitting = ids.filter(|id| is_of_publisher(id, publisher));
    // Of equal ones, the first.
    let best = fitting.rev().max_by_key(|id| records_of_year(part, id, year))?;
    known(best)
}

/// How many records a source has of a year.
fn records_of_year(part: &EntityTypeManifest, source_id: &str, year: Option<i32>) -> u64 {
    let contents = part.contents.iter().find(|contents| contents.source_id == source_id);
    let years = contents
        .zip(year)
        .and_then(|(contents, year)| contents.years.get(&year));
    years.copied().unwrap_or_default()
}

/// Whether a source is one of a publisher: `seao-xml` of `seao`, `toronto` of `toronto-nc`, `canadabuys-sosa` of
/// `sosa`.
fn is_of_publisher(source: &str, publisher: &str) -> bool {
    let continues = |text: &str, start: &str| text.strip_prefix(start).is_some_and(|rest| rest.starts_with('-'));
    let is_end = source.strip_suffix(publisher).is_some_and(|rest| rest.ends_with('-'));
    source == publisher || continues(source, publisher) || continues(publisher, source) || is_end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::generation::{SourceContents, SourceSummary},
        model::EntityType,
    };

    fn manifest(ids: &[&str], contents: Vec<SourceContents>) -> EntityTypeManifest {
        let summary = |id: &&str| SourceSummary {
            source_id: (*id).to_owned(),
            entity_type: EntityType::Award,
            records: 1,
            last_updated: None,
            earliest_date: None,
            latest_date: None,
        };
        EntityTypeManifest {
            entity_type: EntityType::Award,
            fingerprint: String::new(),
            records: 1,
            sources: ids.iter().map(summary).collect(),
            coverage: Vec::new(),
            contents,
        }
    }

    #[test]
    fn the_source_follows_from_the_identifier() {
        let ids = [
            "canadabuys-award",
            "canadabuys-sosa",
            "disclosure",
            "disclosure-export",
            "my-own",
            "seao-xml",
            "toronto",
        ];
        let part = manifest(&ids, Vec::new());
        let source = |record_id: &str, stated: &[&str]| {
            let stated: Vec<String> = stated.iter().map(|id| (*id).to_owned()).collect();
            source_of(record_id, None, &stated, &part).map(|source| source.id)
        };
        for (record_id, expected) in [
            ("canadabuys|1|000", Some("canadabuys-award")),
            ("sosa|1", Some("canadabuys-sosa")),
            ("disclosure|x,1", Some("disclosure")),
            ("seao|1", Some("seao-xml")),
            ("toronto-nc|1|x", Some("toronto")),
            ("toronto|1", Some("toronto")),
            ("montreal|1", None),
            ("my|1", None),
            ("|1", None),
            ("1", None),
        ] {
            assert_eq!(source(record_id, &[]), expected, "{record_id}");
        }
        assert_eq!(source("seao|1", &["seao-ocds", "seao-xml"]), Some("seao-ocds"));
    }

    #[test]
    fn the_year_chooses_between_two_eras_of_a_publisher() {
        let contents = |id: &str, years: &[(i32, u64)]| SourceContents {
            source_id: id.to_owned(),
            years: years.iter().copied().collect(),
            ..SourceContents::default()
        };
        let eras = vec![
            contents("seao-ocds", &[(2019, 2), (2024, 900)]),
            contents("seao-xml", &[(2019, 700), (2024, 1)]),
        ];
        let part = manifest(&["seao-ocds", "seao-xml"], eras);
        for (year, expected) in [(Some(2019), "seao-xml"), (Some(2024), "seao-ocds"), (None, "seao-ocds")] {
            let source = source_of("seao|1", year, &[], &part);
            assert_eq!(source.map(|source| source.id), Some(expected), "{year:?}");
        }
    }
}
