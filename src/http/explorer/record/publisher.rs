//! Who published a record, and under which licence.

use crate::{
    catalog::generation::SourceSummary,
    fetch::published_sources::{PUBLISHED_SOURCES, PublishedSource},
    model::EntityType,
};

/// The source of a record: one that the index has records of, whose name fits the start of the `record_id`. `None` for
/// records that the operator added.
///
/// A record does not name its source if it comes from one file. Its identifier begins with the name of the publisher
/// (`docs/data.md`), and the entity type says the rest: `canadabuys|…` among awards is of `canadabuys-award`.
pub(super) fn source_of<'s>(
    entity_type: EntityType,
    record_id: &str,
    stated: &[String],
    sources: &'s [SourceSummary],
) -> Option<&'static PublishedSource<'static>> {
    let known = |id: &str| PUBLISHED_SOURCES.iter().find(|source| source.id == id);
    if let Some(source) = stated.iter().find_map(|id| known(id)) {
        return Some(source);
    }
    let (publisher, _) = record_id.split_once('|')?;
    let fits =
        |source: &&'s SourceSummary| source.entity_type == entity_type && is_of_publisher(&source.source_id, publisher);
    sources.iter().filter(fits).find_map(|source| known(&source.source_id))
}

/// Whether a source is one of a publisher: `seao-xml` of `seao`, `toronto` of `toronto-nc`, `canadabuys-sosa` of `sosa`.
fn is_of_publisher(source: &str, publisher: &str) -> bool {
    let continues = |text: &str, start: &str| text.strip_prefix(start).is_some_and(|rest| rest.starts_with('-'));
    let is_end = source.strip_suffix(publisher).is_some_and(|rest| rest.ends_with('-'));
    source == publisher || continues(source, publisher) || continues(publisher, source) || is_end
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let summary = |id: &&str| SourceSummary {
            source_id: (*id).to_owned(),
            entity_type: EntityType::Award,
            records: 1,
            last_updated: None,
            earliest_date: None,
            latest_date: None,
        };
        let sources: Vec<SourceSummary> = ids.iter().map(summary).collect();
        let source = |record_id: &str, stated: &[&str]| {
            let stated: Vec<String> = stated.iter().map(|id| (*id).to_owned()).collect();
            source_of(EntityType::Award, record_id, &stated, &sources).map(|source| source.id)
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
        let of_contracts = source_of(EntityType::Contract, "seao|1", &[], &sources);
        assert!(of_contracts.is_none());
    }
}
