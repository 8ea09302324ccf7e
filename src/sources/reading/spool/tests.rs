//! What is written to the spool is returned by merge group.

use super::{
    entry::{SpoolEntry, short_key},
    file::Spool,
    groups::{MergeGroup, ReplacedRow},
    writer::{SpoolWriter, WRITE_BYTES},
};
use crate::model::EntityType;
use crate::sources::reading::row_output::{Annotation, DraftRecord, Recency, RowOutput};

fn output(group: &str, key: &str, recency: Recency, id: &str) -> RowOutput {
    let mut record = DraftRecord::new(EntityType::Contract);
    record.set("record_id", Some(id));
    RowOutput {
        group: group.to_owned(),
        key: key.to_owned(),
        recency,
        records: vec![record],
        bids: None,
    }
}

#[test]
fn short_texts_are_their_own_keys() {
    let texts = ["", "1", "001", "0", "\0", "1234567", "12345678", "12345679"];
    let keys: std::collections::HashSet<_> = texts.iter().map(|text| short_key(text)).collect();
    assert_eq!(keys.len(), texts.len());
    assert!(keys.iter().all(|key| *key != [0; 8]), "zeros mean no key");
    assert_eq!(short_key("001"), *b"001\0\0\0\0\x04");
    // The last byte of a digest is never a length.
    assert!((0..100).all(|n| short_key(&format!("12345678{n}"))[7] >= 0x80));
}

const ROWS: [(&str, &str, Recency, &str); 5] = [
    ("b", "001", Recency(1, 0), "b1"),
    ("a", "", Recency(0, 0), "a, replaced"),
    ("b", "000", Recency(0, 5), "b0"),
    ("b", "000", Recency(0, 4), "b0, older"),
    ("a", "", Recency(0, 0), "a"),
];

/// Merges two files of [`ROWS`] and an annotation of `a`, written to the spool in this order.
fn merged(order: [usize; 2]) -> (Vec<Vec<String>>, [u64; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::create(folder.path()).unwrap();
    let mut files: [Vec<SpoolEntry>; 2] = [Vec::new(), Vec::new()];
    for file in order {
        let mut writer = SpoolWriter::new(&spool, file).unwrap();
        for (line, (group, key, recency, id)) in ROWS.into_iter().enumerate() {
            writer.push(line as u64, output(group, key, recency, id)).unwrap();
        }
        let annotation = Annotation {
            group: "a".to_owned(),
            recency: Recency(9, 0),
            content: file.into(),
        };
        writer.push_annotation(9, annotation).unwrap();
        files[file] = writer.finish().unwrap();
    }
    let (mut merged, mut replaced) = (Vec::new(), [0, 0]);
    let describe = |groups: Vec<MergeGroup>| {
        let group = |group: MergeGroup| {
            let members = group.members.iter().map(|member| match &member.annotation {
                Some(content) => format!("annotation {content}"),
                None => format!("{} of {}", member.records[0].text("record_id").unwrap(), member.file),
            });
            (members.collect::<Vec<String>>(), group.replaced)
        };
        Ok(groups.into_iter().map(group).collect::<Vec<_>>())
    };
    let take = |groups: Vec<(Vec<String>, Vec<ReplacedRow>)>| {
        for (members, rows) in groups {
            merged.push(members);
            rows.into_iter().for_each(|row| replaced[row.file] += 1);
        }
        Ok(())
    };
    spool.merge_groups(files.concat(), describe, take).unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    (merged, replaced)
}

#[test]
fn groups_come_back_in_the_order_of_their_first_rows_with_the_newest_members_oldest_first() {
    let (groups, replaced) = merged([0, 1]);
    assert_eq!(
        groups,
        [
            vec!["b0 of 1", "b1 of 1"],
            vec!["a of 1", "annotation 0", "annotation 1"]
        ]
    );
    assert_eq!(replaced, [5, 2]);
}

#[test]
fn the_order_in_which_files_are_read_changes_nothing() {
    assert_eq!(merged([0, 1]), merged([1, 0]));
}

#[test]
fn rows_of_one_identity_join_the_group_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::create(folder.path()).unwrap();
    let mut files = [Vec::new(), Vec::new()];
    for (file, rows) in [
        (1, [("identity 1", "group b", "3"), ("identity 2", "group b", "4")]),
        (0, [("identity 1", "group a", "1"), ("identity 3", "group a", "2")]),
    ] {
        let mut writer = SpoolWriter::new(&spool, file).unwrap();
        for (identity, group, id) in rows {
            writer
                .push_together(1, identity, output(group, id, Recency(0, 0), id))
                .unwrap();
        }
        files[file] = writer.finish().unwrap();
    }
    let mut merged = Vec::new();
    let describe = |groups: Vec<MergeGroup>| {
        let keys = |group: MergeGroup| group.members.iter().map(|m| m.key.clone()).collect::<String>();
        Ok(groups.into_iter().map(keys).collect::<Vec<_>>())
    };
    let take = |keys: Vec<String>| {
        merged.extend(keys);
        Ok(())
    };
    spool.merge_groups(files.concat(), describe, take).unwrap();
    assert_eq!(merged, ["123", "4"]);
}

#[test]
fn batches_are_bounded_in_size_and_keep_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::create(folder.path()).unwrap();
    let mut writer = SpoolWriter::new(&spool, 0).unwrap();
    let long = "x".repeat(WRITE_BYTES / 3);
    for number in 0..100 {
        let mut output = output(&format!("{number}"), "", Recency(0, 0), &format!("{number}"));
        output.records[0].set("title_en", Some(long.as_str()));
        writer.push(number, output).unwrap();
    }
    let mut lines = Vec::new();
    let merge = |groups: Vec<MergeGroup>| Ok(groups.iter().map(|group| group.members[0].line).collect::<Vec<_>>());
    let take = |batch: Vec<u64>| {
        assert!(batch.len() <= 3);
        lines.extend(batch);
        Ok(())
    };
    spool.merge_groups(writer.finish().unwrap(), merge, take).unwrap();
    assert!(lines.into_iter().eq(0..100));
}

#[test]
fn of_a_group_with_too_many_rows_the_newest_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::create(folder.path()).unwrap();
    let mut writer = SpoolWriter::new(&spool, 0).unwrap();
    // The oldest rows come last.
    for line in 0..23 {
        let row = output("one", &line.to_string(), Recency(100 - line, 0), "id");
        writer.push(line, row).unwrap();
    }
    let entries = writer.finish().unwrap();
    let mut seen = Vec::new();
    let merge = |groups: Vec<MergeGroup>| {
        let lines = |group: MergeGroup| {
            let members: Vec<u64> = group.members.iter().map(|member| member.line).collect();
            (members, group.excess)
        };
        Ok(groups.into_iter().map(lines).collect::<Vec<_>>())
    };
    let take = |groups| {
        seen.extend::<Vec<_>>(groups);
        Ok(())
    };
    spool.merge_groups(entries, merge, take).unwrap();
    let kept: Vec<u64> = (0..20).rev().collect();
    assert_eq!(seen, [(kept, vec![(0, 22, 0), (0, 21, 0), (0, 20, 0)])]);
}
