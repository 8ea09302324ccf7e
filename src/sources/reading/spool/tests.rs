//! What goes to the spool comes back by group.

use super::*;
use crate::model::entity_type::EntityType;

fn draft(group: &str, member: &str, rank: Rank, id: &str) -> Draft {
    let mut record = Record::new(EntityType::Contract);
    record.set("record_id", Some(id));
    Draft {
        group: group.to_owned(),
        member: member.to_owned(),
        rank,
        records: vec![record],
    }
}

#[test]
fn keys_of_short_texts_are_the_texts() {
    let texts = ["", "1", "001", "0", "\0", "1234567", "12345678", "12345679"];
    let keys: std::collections::HashSet<_> = texts.iter().map(|text| key(text)).collect();
    assert_eq!(keys.len(), texts.len());
    assert!(keys.iter().all(|key| *key != [0; 8]), "that is nothing");
    assert_eq!(key("001"), *b"001\0\0\0\0\x04");
    // Longer ones never end as short ones do.
    assert!((0..100).all(|n| key(&format!("12345678{n}"))[7] >= 0x80));
}

const ROWS: [(&str, &str, Rank, &str); 5] = [
    ("b", "001", Rank(1, 0), "b1"),
    ("a", "", Rank(0, 0), "a, replaced"),
    ("b", "000", Rank(0, 5), "b0"),
    ("b", "000", Rank(0, 4), "b0, older"),
    ("a", "", Rank(0, 0), "a"),
];

/// Two files of [`ROWS`] and a remark on `a`, put into the spool in this order.
fn settled(order: [usize; 2]) -> (Vec<Vec<String>>, [u64; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spool");
    let spool = Spool::create(&path).unwrap();
    let mut files = [Vec::new(), Vec::new()];
    for file in order {
        let mut drafts = Drafts::new(&spool, file);
        for (line, (group, member, rank, id)) in ROWS.into_iter().enumerate() {
            drafts.push(line as u64, draft(group, member, rank, id)).unwrap();
        }
        let remark = Remark {
            group: "a".to_owned(),
            rank: Rank(9, 0),
            said: file.into(),
        };
        drafts.push_remark(9, remark).unwrap();
        files[file] = drafts.finish().unwrap();
    }
    let (mut settled, mut replaced) = (Vec::new(), [0, 0]);
    let told = |groups: Vec<Group>| {
        let group = |group: Group| {
            let told = group.members.iter().map(|m| match &m.said {
                Some(said) => format!("remark {said}"),
                None => format!("{} of {}", m.records[0].text("record_id").unwrap(), m.file),
            });
            (told.collect::<Vec<String>>(), group.replaced)
        };
        Ok(groups.into_iter().map(group).collect::<Vec<_>>())
    };
    let take = |groups: Vec<(Vec<String>, Vec<Replaced>)>| {
        for (told, rows) in groups {
            settled.push(told);
            rows.into_iter().for_each(|row| replaced[row.file] += 1);
        }
        Ok(())
    };
    spool.settle(files.concat(), told, take).unwrap();
    assert!(!path.exists());
    (settled, replaced)
}

#[test]
fn groups_come_back_in_the_order_met_with_their_newest_members_oldest_first() {
    let (groups, merged) = settled([0, 1]);
    assert_eq!(
        groups,
        [vec!["b0 of 1", "b1 of 1"], vec!["a of 1", "remark 0", "remark 1"]]
    );
    assert_eq!(merged, [5, 2]);
}

#[test]
fn the_order_files_were_read_in_changes_nothing() {
    assert_eq!(settled([0, 1]), settled([1, 0]));
}

#[test]
fn what_is_of_one_thing_goes_where_its_first_row_went() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::create(&folder.path().join("spool")).unwrap();
    let mut files = [Vec::new(), Vec::new()];
    for (file, rows) in [
        (1, [("thing 1", "group b", "3"), ("thing 2", "group b", "4")]),
        (0, [("thing 1", "group a", "1"), ("thing 3", "group a", "2")]),
    ] {
        let mut drafts = Drafts::new(&spool, file);
        for (thing, group, id) in rows {
            drafts
                .push_together(1, thing, draft(group, id, Rank(0, 0), id))
                .unwrap();
        }
        files[file] = drafts.finish().unwrap();
    }
    let mut settled = Vec::new();
    let told = |groups: Vec<Group>| {
        let ids = |group: Group| group.members.iter().map(|m| m.member.clone()).collect::<String>();
        Ok(groups.into_iter().map(ids).collect::<Vec<_>>())
    };
    let take = |ids: Vec<String>| {
        settled.extend(ids);
        Ok(())
    };
    spool.settle(files.concat(), told, take).unwrap();
    assert_eq!(settled, ["123", "4"]);
}

#[test]
fn batches_are_of_a_size_and_keep_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::create(&folder.path().join("spool")).unwrap();
    let mut drafts = Drafts::new(&spool, 0);
    let long = "x".repeat(BODIES_AT_A_TIME / 3);
    for number in 0..100 {
        let mut draft = draft(&format!("{number}"), "", Rank(0, 0), &format!("{number}"));
        draft.records[0].set("title_en", Some(long.as_str()));
        drafts.push(number, draft).unwrap();
    }
    let mut lines = Vec::new();
    let told = |groups: Vec<Group>| Ok(groups.iter().map(|group| group.members[0].line).collect::<Vec<_>>());
    let take = |batch: Vec<u64>| {
        assert!(batch.len() <= 3);
        lines.extend(batch);
        Ok(())
    };
    spool.settle(drafts.finish().unwrap(), told, take).unwrap();
    assert!(lines.into_iter().eq(0..100));
}
