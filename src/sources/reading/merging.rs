//! Merge rules that several publishers share.

use rustc_hash::FxHashSet;

use super::row_output::GroupMember;

/// Keeps only the newest member.
pub(crate) fn keep_newest(members: &mut [GroupMember]) {
    if let Some((_, older)) = members.split_last_mut() {
        older.iter_mut().for_each(|member| member.records.clear());
    }
}

/// Gives the different contracts that a publisher lists under one `record_id` different ids: the first keeps the plain
/// id, the others get their key as a suffix.
///
/// The order is by day, then by amount, then by key, so that the first one stays the first when others are added later;
/// the row's position in the file does not matter. Members without an amount, or with an amount of zero, come last.
///
/// A member of an older file is dropped if the newest file has a member with the same day or the same amount: it is the
/// same contract, and the other of the two was corrected since.
///
/// Expects that [`Recency`](super::row_output::Recency) is the modification time of the file, then the day.
pub(crate) fn disambiguate(members: &mut [GroupMember]) {
    let amount = |member: &GroupMember| {
        member
            .records
            .first()
            .and_then(|record| record.number("contract_value"))
    };
    let amount_bits = |member: &GroupMember| amount(member).map(f64::to_bits);
    let file_time = |member: &GroupMember| member.recency.0;
    let day = |member: &GroupMember| member.recency.1;
    members.sort_by_key(file_time);
    let newest = members.last().map(file_time);
    let (older, newer) = members.split_at_mut(members.partition_point(|member| Some(file_time(member)) < newest));
    let days: FxHashSet<i64> = newer.iter().map(day).collect();
    let amounts: FxHashSet<Option<u64>> = newer.iter().map(amount_bits).collect();
    for member in older.iter_mut() {
        if days.contains(&day(member)) || amounts.contains(&amount_bits(member)) {
            member.records.clear();
        }
    }
    members.sort_by(|a, b| {
        let (x, y) = (amount(a).unwrap_or(0.0), amount(b).unwrap_or(0.0));
        (a.records.is_empty())
            .cmp(&b.records.is_empty())
            .then((x == 0.0).cmp(&(y == 0.0)))
            .then(day(a).cmp(&day(b)))
            .then(x.total_cmp(&y))
            .then_with(|| a.key.cmp(&b.key))
    });
    for member in members.iter_mut().skip(1) {
        for record in &mut member.records {
            let plain = record.text("record_id").expect("a source gives every record an id");
            record.set("record_id", Some(format!("{plain}|{}", member.key)));
        }
    }
}
