//! The phases of an order. Each is a search of its own: first the records with the sort key, then
//! those without it, by `record_id`.

use serde_json::{Value, json};

use super::{
    mapping::NO_DATE,
    query::{CompiledQuery, dates, exists, term},
};
use crate::{
    model::{Date, Role},
    query::{Order, Position, Sort, SortKey},
};

/// A part of an order that one sort covers.
pub(crate) struct Phase {
    pub(crate) query: CompiledQuery,
    pub(crate) sort: Value,
    /// The sort values of the hit before the first one.
    pub(crate) after: Option<Vec<Value>>,
    /// In the reverse of the default order, a clause that matches every record from the first one to
    /// the last hit that may be on the page.
    pub(crate) reverse_to: Option<Value>,
}

/// The phases of an order, from the position on.
pub(crate) fn phases(query: &CompiledQuery, sort: Sort, after: Option<&Position>) -> Vec<Phase> {
    let (key, id) = (sort.key.role().name(), Role::RecordId.name());
    let (of_key, of_id) = match sort.order {
        Order::Desc => ("desc", "asc"),
        Order::Asc => ("asc", "desc"),
    };
    let by_key = json!([{ key: of_key }, { id: of_id }]);
    let after_key = |days: i32, position: &Position| vec![json!(days), json!(position.record_id)];
    let phase = |query: CompiledQuery, sort: Value, after: Option<Vec<Value>>| Phase {
        query,
        sort,
        after,
        reverse_to: None,
    };
    if sort.key == SortKey::Relevance {
        let by_score = json!([{ "_score": "desc" }, { Role::Date.name(): "desc" }, { id: "asc" }]);
        return vec![phase(query.clone(), by_score, None)];
    }
    if sort.key != SortKey::Value && sort.order == Order::Desc {
        // The order of the index itself. Records without a date have the earliest one.
        let days = |position: &Position| position.key.map_or(NO_DATE, Date::days);
        let after = after.map(|position| after_key(days(position), position));
        return vec![phase(query.clone(), by_key, after)];
    }
    let (keyed, unkeyed) = match sort.key {
        SortKey::Value | SortKey::Relevance => (query.clone().require(exists(key)), query.clone().exclude(exists(key))),
        SortKey::Date | SortKey::ClosingDate | SortKey::EndDate => (
            query.clone().require(dates(sort.key.role(), None, None)),
            query.clone().require(term(key, NO_DATE)),
        ),
    };
    let mut phases = Vec::new();
    let keyed_after = after.map(|position| position.key.map(|day| after_key(day.days(), position)));
    if !matches!(keyed_after, Some(None)) {
        let from = after.and_then(|position| position.key);
        phases.push(Phase {
            reverse_to: (sort.key == SortKey::Date).then(|| dates(Role::Date, from, None)),
            ..phase(keyed, by_key, keyed_after.flatten())
        });
    }
    let after = after.filter(|position| position.key.is_none());
    let after = after.map(|position| vec![json!(position.record_id)]);
    phases.push(phase(unkeyed, json!([{ id: "asc" }]), after));
    phases
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(key: SortKey, order: Order, after: Option<(Option<&str>, &str)>) -> Vec<(Value, Value, Option<Value>)> {
        let position = after.map(|(day, id)| Position {
            key: day.map(|day| Date::parse(day).unwrap()),
            record_id: id.to_owned(),
        });
        let phases = phases(&CompiledQuery::default(), Sort { key, order }, position.as_ref());
        let shown = |phase: Phase| (phase.query.to_json(), phase.sort, phase.after.map(Value::from));
        phases.into_iter().map(shown).collect()
    }

    #[test]
    fn the_newest_first_are_one_phase_in_the_order_of_the_index() {
        let sort = json!([{ "date": "desc" }, { "record_id": "asc" }]);
        let all = json!({ "match_all": {} });
        for (after, expected) in [
            (None, None),
            (Some((Some("1970-01-02"), "x")), Some(json!([1, "x"]))),
            (Some((None, "x")), Some(json!([NO_DATE, "x"]))),
        ] {
            let found = shown(SortKey::Date, Order::Desc, after);
            assert_eq!(found, [(all.clone(), sort.clone(), expected)], "{after:?}");
        }
    }

    #[test]
    fn the_oldest_first_end_with_those_without_a_date() {
        let dated = json!({ "bool": { "filter": [{ "range": { "date": { "gt": NO_DATE } } }] } });
        let undated = json!({ "bool": { "filter": [{ "term": { "date": { "value": NO_DATE } } }] } });
        let by_date = json!([{ "date": "asc" }, { "record_id": "desc" }]);
        let by_id = json!([{ "record_id": "asc" }]);
        let first = |after: Option<Value>| (dated.clone(), by_date.clone(), after);
        let last = |after: Option<Value>| (undated.clone(), by_id.clone(), after);
        assert_eq!(shown(SortKey::Date, Order::Asc, None), [first(None), last(None)]);
        let reverse = |after: Option<&Position>| {
            let phases = phases(
                &CompiledQuery::default(),
                Sort {
                    key: SortKey::Date,
                    order: Order::Asc,
                },
                after,
            );
            phases.into_iter().map(|phase| phase.reverse_to).collect::<Vec<_>>()
        };
        let position = Position {
            key: Date::from_days(1),
            record_id: "x".to_owned(),
        };
        let from_the_day = json!({ "range": { "date": { "gte": 1 } } });
        assert_eq!(
            reverse(None),
            [Some(json!({ "range": { "date": { "gt": NO_DATE } } })), None]
        );
        assert_eq!(reverse(Some(&position)), [Some(from_the_day), None]);
        assert_eq!(
            shown(SortKey::Date, Order::Asc, Some((Some("1970-01-02"), "x"))),
            [first(Some(json!([1, "x"]))), last(None)]
        );
        assert_eq!(
            shown(SortKey::Date, Order::Asc, Some((None, "x"))),
            [last(Some(json!(["x"])))]
        );
    }

    #[test]
    fn the_most_relevant_come_first_and_equal_ones_in_the_default_order() {
        let sort = json!([{ "_score": "desc" }, { "date": "desc" }, { "record_id": "asc" }]);
        let found = shown(SortKey::Relevance, Order::Desc, None);
        assert_eq!(found, [(json!({ "match_all": {} }), sort, None)]);
    }

    #[test]
    fn values_come_before_records_without_a_value_in_both_orders() {
        for (order, of_value, of_id) in [(Order::Desc, "desc", "asc"), (Order::Asc, "asc", "desc")] {
            let found = shown(SortKey::Value, order, None);
            assert_eq!(found[0].1, json!([{ "value": of_value }, { "record_id": of_id }]));
            assert_eq!(found[1].1, json!([{ "record_id": "asc" }]));
            assert_eq!(
                found[1].0["bool"]["must_not"],
                json!([{ "exists": { "field": "value" } }])
            );
        }
    }
}
