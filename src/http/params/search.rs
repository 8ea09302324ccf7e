//! The parameters of a record search, `GET /{entity_type}`: the table, and what a request said of it.
//!
//! To add a parameter: a row here, its field in [`SearchParams`], what it means in [`super::resolve`], and its name in the
//! `parameters` of each `index-schema/*.json` that takes it.

use crate::{
    http::{
        error::ApiError,
        params::{Case, Param, Said, Value, read},
    },
    model::{
        date::Date,
        entity_type::EntityType,
        schema::Schema,
        vocabulary::{CATEGORIES, STATUSES},
    },
    query::text::TextQuery,
};

/// What a request said: each value well formed, none yet checked against the world.
#[derive(Debug, Default, PartialEq)]
pub struct SearchParams {
    pub municipality: Option<Said<String>>,
    pub q: Option<Said<TextQuery>>,
    pub department: Option<Said<String>>,
    pub vendor: Option<Said<String>>,
    pub category: Option<Said<&'static str>>,
    pub status: Option<Said<&'static str>>,
    pub procurement_method: Option<Said<String>>,
    pub notice_type: Option<Said<String>>,
    pub vendor_province: Option<Said<String>>,
    pub reference_number: Option<Said<String>>,
    pub value_min: Option<Said<f64>>,
    pub value_max: Option<Said<f64>>,
    pub issued_after: Option<Said<Date>>,
    pub issued_before: Option<Said<Date>>,
    pub closing_after: Option<Said<Date>>,
    pub closing_before: Option<Said<Date>>,
    pub sort_by: Option<Said<&'static str>>,
    pub sort_order: Option<Said<&'static str>>,
    pub limit: Option<Said<u64>>,
    pub offset: Option<Said<u64>>,
    /// Decoded late: what a cursor may not be combined with is said first.
    pub cursor: Option<Said<String>>,
    pub facets: Option<Said<String>>,
    pub include_total: Option<Said<&'static str>>,
}

/// The most records of a page, on any plan.
pub const MOST_RECORDS: u64 = 500;

pub static TABLE: &[Param<SearchParams>] = &[
    Param {
        name: "municipality",
        aliases: &["city"],
        about: "City slug; the valid ones are listed by `coverage`",
        value: Value::Text(|p| &mut p.municipality),
    },
    Param {
        name: "q",
        aliases: &[],
        about: "Full-text search: all words required; `OR` between two terms; \"double quotes\" for a phrase; a leading minus excludes",
        value: Value::Query(|p| &mut p.q),
    },
    Param {
        name: "department",
        aliases: &[],
        about: "Part of the department's name, in English or French; accents and case do not matter",
        value: Value::NamePart(|p| &mut p.department),
    },
    Param {
        name: "vendor",
        aliases: &[],
        about: "Part of the vendor's name; accents and case do not matter",
        value: Value::NamePart(|p| &mut p.vendor),
    },
    Param {
        name: "category",
        aliases: &[],
        about: "Procurement category; a record with several matches each",
        value: Value::OneOf {
            list: &CATEGORIES,
            case: Case::Any,
            slot: |p| &mut p.category,
        },
    },
    Param {
        name: "status",
        aliases: &[],
        about: "Status of the record, whatever its source calls it",
        value: Value::OneOf {
            list: &STATUSES,
            case: Case::Any,
            slot: |p| &mut p.status,
        },
    },
    Param {
        name: "procurement_method",
        aliases: &[],
        about: "Start of the procurement method, in English or French",
        value: Value::Start(|p| &mut p.procurement_method),
    },
    Param {
        name: "notice_type",
        aliases: &[],
        about: "The whole notice type, in English or French; abbreviations do not match",
        value: Value::Text(|p| &mut p.notice_type),
    },
    Param {
        name: "vendor_province",
        aliases: &[],
        about: "Vendor's province: its name in English or French, or its code",
        value: Value::Text(|p| &mut p.vendor_province),
    },
    Param {
        name: "reference_number",
        aliases: &[],
        about: "Exact number of the notice: the notice and all its amendments",
        value: Value::Text(|p| &mut p.reference_number),
    },
    Param {
        name: "value_min",
        aliases: &[],
        about: "Least value, included",
        value: Value::Number(|p| &mut p.value_min),
    },
    Param {
        name: "value_max",
        aliases: &[],
        about: "Greatest value, included",
        value: Value::Number(|p| &mut p.value_max),
    },
    Param {
        name: "issued_after",
        aliases: &["date_from", "date_after"],
        about: "First day, included: of award, or of publication for tenders and advance notices",
        value: Value::Date(|p| &mut p.issued_after),
    },
    Param {
        name: "issued_before",
        aliases: &["date_to", "date_before"],
        about: "Last day, included: of award, or of publication for tenders and advance notices",
        value: Value::Date(|p| &mut p.issued_before),
    },
    Param {
        name: "closing_after",
        aliases: &[],
        about: "First closing day, included",
        value: Value::Date(|p| &mut p.closing_after),
    },
    Param {
        name: "closing_before",
        aliases: &[],
        about: "Last closing day, included",
        value: Value::Date(|p| &mut p.closing_before),
    },
    Param {
        name: "sort_by",
        aliases: &[],
        about: "`date` (of the event), `published` and `closing` (where a kind has these days), `value`",
        value: Value::OneOf {
            list: &["published", "date", "value", "closing"],
            case: Case::Exact,
            slot: |p| &mut p.sort_by,
        },
    },
    Param {
        name: "sort_order",
        aliases: &[],
        about: "`desc`, the default, or `asc`",
        value: Value::OneOf {
            list: &["asc", "desc"],
            case: Case::Exact,
            slot: |p| &mut p.sort_order,
        },
    },
    Param {
        name: "limit",
        aliases: &[],
        about: "Most records of the page; a plan may cap it",
        value: Value::Integer {
            min: 1,
            max: MOST_RECORDS,
            slot: |p| &mut p.limit,
        },
    },
    Param {
        name: "offset",
        aliases: &[],
        about: "Records to skip, at most 9500; use `cursor` to go deeper",
        value: Value::Integer {
            min: 0,
            max: u64::MAX,
            slot: |p| &mut p.offset,
        },
    },
    Param {
        name: "cursor",
        aliases: &[],
        about: "`next_cursor` of an earlier answer to the same search",
        value: Value::Text(|p| &mut p.cursor),
    },
    Param {
        name: "facets",
        aliases: &[],
        about: "Fields to count all matches by, joined by commas: `status`, `category`, `municipality`, `department`, `vendor`, `year`, as far as the kind has them",
        value: Value::Text(|p| &mut p.facets),
    },
    Param {
        name: "include_total",
        aliases: &[],
        about: "`true` adds the number of all matches",
        value: Value::OneOf {
            list: &["true", "false"],
            case: Case::Exact,
            slot: |p| &mut p.include_total,
        },
    },
];

/// Those that say which records, and nothing of their order or of pages.
pub const FILTERS: [&str; 16] = [
    "municipality",
    "q",
    "department",
    "vendor",
    "category",
    "status",
    "procurement_method",
    "notice_type",
    "vendor_province",
    "reference_number",
    "value_min",
    "value_max",
    "issued_after",
    "issued_before",
    "closing_after",
    "closing_before",
];

/// Those of a vendor's profile.
pub const VENDOR_PROFILE: [&str; 8] = [
    "category",
    "department",
    "issued_after",
    "issued_before",
    "sort_by",
    "sort_order",
    "limit",
    "offset",
];

/// Those of a department's profile.
pub const DEPARTMENT_PROFILE: [&str; 9] = [
    "category",
    "department",
    "vendor",
    "issued_after",
    "issued_before",
    "sort_by",
    "sort_order",
    "limit",
    "offset",
];

impl SearchParams {
    /// Reads the query string of a search for this kind.
    pub fn read(entity_type: EntityType, query: &str) -> Result<SearchParams, ApiError> {
        read(TABLE, |param| refusal(entity_type, param), query)
    }

    /// Reads the query string of an endpoint that takes some of the parameters only; `endpoint` is what an error calls it.
    pub fn read_only(
        taken: &[&str],
        endpoint: &str,
        entity_type: EntityType,
        query: &str,
    ) -> Result<SearchParams, ApiError> {
        let refuses = |param: &Param<SearchParams>| match taken.contains(&param.name) {
            true => refusal(entity_type, param),
            false => {
                let accepted = taken
                    .iter()
                    .copied()
                    .filter(|name| Schema::of(entity_type).accepts(name));
                let accepted: Vec<&str> = accepted.collect();
                Some(format!("{endpoint} does not take it; it takes {}", accepted.join(", ")))
            }
        };
        read(TABLE, refuses, query)
    }
}

/// Why a kind does not take a parameter, if so: which kinds do.
fn refusal(entity_type: EntityType, param: &Param<SearchParams>) -> Option<String> {
    if Schema::of(entity_type).accepts(param.name) {
        return None;
    }
    let takers: Vec<&str> = EntityType::ALL
        .into_iter()
        .filter(|kind| Schema::of(*kind).accepts(param.name))
        .map(EntityType::name)
        .collect();
    Some(format!(
        "{entity_type} does not take it; it is for {}",
        takers.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(kind: EntityType, query: &str, detail: &str) {
        let error = SearchParams::read(kind, query).expect_err(query);
        assert_eq!(error.detail, detail, "{query}");
        assert_eq!(error.status.as_u16(), 422);
    }

    #[test]
    fn every_schema_takes_only_parameters_of_the_table() {
        for kind in EntityType::ALL {
            for name in &Schema::of(kind).parameters {
                assert!(TABLE.iter().any(|param| param.name == name), "{kind}: {name}");
            }
        }
    }

    #[test]
    fn names_are_known_and_taken() {
        check(
            EntityType::Contract,
            "munipality=montreal",
            "unknown parameter 'munipality'; nearest is 'municipality'",
        );
        check(
            EntityType::Contract,
            "vendr=abc",
            "unknown parameter 'vendr'; nearest is 'vendor'",
        );
        check(
            EntityType::Tender,
            "vendor=abc",
            "parameter 'vendor': tender does not take it; it is for contract, award, disclosure, standing_offer, pre_solicitation",
        );
        check(EntityType::Award, "Q=x", "unknown parameter 'Q'; nearest is 'q'");
        check(
            EntityType::Award,
            "city=a&municipality=b",
            "parameter 'municipality': given twice, also as 'city'; give it once",
        );
        check(EntityType::Award, "q=a&q=b", "parameter 'q': given twice; give it once");
    }

    #[test]
    fn values_are_typed() {
        for (query, detail) in [
            ("limit=0", "parameter 'limit': '0' is not an integer from 1 to 500"),
            ("limit=501", "parameter 'limit': '501' is not an integer from 1 to 500"),
            ("limit=ten", "parameter 'limit': 'ten' is not an integer from 1 to 500"),
            ("limit=1.5", "parameter 'limit': '1.5' is not an integer from 1 to 500"),
            ("offset=-1", "parameter 'offset': '-1' is not an integer of 0 or more"),
            (
                "value_min=NaN",
                "parameter 'value_min': 'NaN' is not a finite number such as 25000 or 1999.99",
            ),
            (
                "value_max=1e999",
                "parameter 'value_max': '1e999' is not a finite number such as 25000 or 1999.99",
            ),
            (
                "date_from=2023-02-30",
                "parameter 'date_from': '2023-02-30' is not a day that exists; dates are YYYY-MM-DD",
            ),
            (
                "issued_before=yesterday",
                "parameter 'issued_before': 'yesterday' must be a date as YYYY-MM-DD",
            ),
            (
                "department=**a*",
                "parameter 'department': '**a*' is too short; give at least 3 letters or digits",
            ),
            (
                "procurement_method=--",
                "parameter 'procurement_method': '--' holds no letter or digit to compare",
            ),
            (
                "category=goods",
                "parameter 'category': 'goods' is not one of CNST, GD, SRV, SRVTGD; nearest is 'GD'",
            ),
            (
                "status=opened",
                "parameter 'status': 'opened' is not one of Active, Expired, Cancelled, Open; nearest is 'Open'",
            ),
            (
                "sort_by=Value",
                "parameter 'sort_by': 'Value' is not one of published, date, value, closing; nearest is 'value'",
            ),
            (
                "sort_order=down",
                "parameter 'sort_order': 'down' is not one of asc, desc; nearest is 'desc'",
            ),
            ("q=%zz", "'%zz' is no percent-encoding; write a percent sign as %25"),
            ("q=%ff", "the address is not UTF-8 once percent-decoded"),
        ] {
            check(EntityType::Contract, query, detail);
        }
        check(
            EntityType::Contract,
            &format!("q={}", "a+".repeat(33)),
            "parameter 'q': the text has 33 words; the maximum is 32",
        );
        check(
            EntityType::Contract,
            &format!("q={}", "a".repeat(513)),
            "parameter 'q': the text has 513 characters; the maximum is 512",
        );
    }

    #[test]
    fn a_name_is_measured_folded() {
        // Four bytes and two letters, or three characters once folded: only what is compared counts.
        for (query, is_taken) in [
            ("vendor=%C3%89.a", true),
            ("vendor=%C3%A9%C3%A9", false),
            ("vendor=%C2%BD", true),
        ] {
            assert_eq!(
                SearchParams::read(EntityType::Contract, query).is_ok(),
                is_taken,
                "{query}"
            );
        }
    }

    #[test]
    fn empty_is_absent_and_values_are_trimmed() {
        let said = SearchParams::read(
            EntityType::Contract,
            "vendor=&limit=+&status=+open+&city=&municipality=laval",
        )
        .unwrap();
        assert_eq!(said.vendor, None);
        assert_eq!(said.limit, None);
        assert_eq!(
            said.status,
            Some(Said {
                name: "status",
                value: "Open"
            })
        );
        let laval = Said {
            name: "municipality",
            value: "laval".to_owned(),
        };
        assert_eq!(said.municipality, Some(laval));
    }

    proptest! {
        #[test]
        fn no_query_string_makes_it_panic(
            query in "((municipality|q|vendor|limit|date_to|cursor|value_min|x)=?(%[0-9a-fA-F]{2}|%|\\PC){0,12}&?){0,5}"
        ) {
            for kind in EntityType::ALL {
                let _ = SearchParams::read(kind, &query);
            }
        }

        #[test]
        fn nor_does_any_text(query in "\\PC{0,80}") {
            let _ = SearchParams::read(EntityType::Tender, &query);
        }
    }
}
