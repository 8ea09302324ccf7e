//! The parameters of a record search, `GET /{entity_type}`.
//!
//! To add a parameter: add a row here, its field in [`SearchParams`], its meaning in [`super::resolve`], and its name
//! to the `parameters` of each `index-schema/*.json` whose entity type accepts it.

use serde_json::json;

use crate::{
    http::{
        error::ApiError,
        params::{
            by_entity_type::{facets_schema, sort_by_about, sort_by_schema, sort_names},
            encoding::pairs,
            include::include_schema,
            paging::{DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET, offset_too_deep},
            param::Param,
            read::read,
            value::{BOOLEAN, Case, ENTITY_TYPES, Given, Value, not_in_list},
        },
    },
    model::{
        Date, EntityType, Schema,
        commodity::CommodityCode,
        vocabulary::{CATEGORIES, NO_QUALITY_FLAG, QUALITY_FLAGS, STATUSES},
    },
    query::text::TextQuery,
};

/// The parameters a request gave: each value is well-formed, but not yet checked against the index and the plan.
#[derive(Debug, Default, PartialEq)]
pub struct SearchParams {
    pub(crate) municipality: Option<Given<String>>,
    pub(crate) q: Option<Given<TextQuery>>,
    pub(crate) department: Option<Given<String>>,
    pub(crate) vendor: Option<Given<String>>,
    pub(crate) category: Option<Given<&'static str>>,
    pub(crate) status: Option<Given<&'static str>>,
    pub(crate) procurement_method: Option<Given<String>>,
    pub(crate) notice_type: Option<Given<String>>,
    pub(crate) vendor_province: Option<Given<String>>,
    pub(crate) reference_number: Option<Given<String>>,
    pub(crate) value_min: Option<Given<f64>>,
    pub(crate) value_max: Option<Given<f64>>,
    pub(crate) issued_after: Option<Given<Date>>,
    pub(crate) issued_before: Option<Given<Date>>,
    pub(crate) closing_after: Option<Given<Date>>,
    pub(crate) closing_before: Option<Given<Date>>,
    pub(crate) commodity: Option<Given<CommodityCode>>,
    pub(crate) quality_flag: Option<Given<&'static str>>,
    pub(crate) translate: Option<Given<&'static str>>,
    pub(crate) sort_by: Option<Given<&'static str>>,
    pub(crate) sort_order: Option<Given<&'static str>>,
    pub(crate) limit: Option<Given<u64>>,
    pub(crate) offset: Option<Given<u64>>,
    /// Not decoded here: what a cursor cannot be combined with is checked first.
    pub(crate) cursor: Option<Given<String>>,
    pub(crate) facets: Option<Given<String>>,
    pub(crate) include_total: Option<Given<&'static str>>,
    pub(crate) suggest: Option<Given<&'static str>>,
    pub(crate) explain: Option<Given<&'static str>>,
    pub(crate) include: Option<Given<String>>,
    pub(crate) entity_type: Option<Given<&'static str>>,
}

/// The values of `quality_flag`: the flags, and that there is none.
const QUALITY: [&str; QUALITY_FLAGS.len() + 1] = {
    let mut values = [NO_QUALITY_FLAG; QUALITY_FLAGS.len() + 1];
    let mut number = 0;
    while number < QUALITY_FLAGS.len() {
        values[number] = QUALITY_FLAGS[number];
        number += 1;
    }
    values
};

/// The values of `sort_by` on any entity type.
const SORTS: [&str; 5] = ["published", "date", "value", "closing", RELEVANCE];

/// The order that needs a text.
const RELEVANCE: &str = "relevance";

type Row = Param<SearchParams>;

pub static TABLE: &[Row] = &[
    Row::new(
        "municipality",
        "City slug; `coverage` lists the valid ones",
        Value::Text(|p| &mut p.municipality),
    )
    .aliases(&["city"]),
    Row::new(
        "q",
        "Full-text search: all words required; `OR` between two terms; \"double quotes\" for a phrase; a leading minus excludes",
        Value::Query(|p| &mut p.q),
    )
    .examples(&[
        ("none", "No text", ""),
        ("words", "All words, in either language, plural or not", "snow removal"),
        ("either", "Either word", "snow OR neige"),
        ("phrase", "An exact phrase", "\"snow removal\""),
        ("without", "The first word without the second", "snow -roof"),
    ]),
    Row::new(
        "department",
        "Part of the department's name, in English or French; accents and case do not matter",
        Value::NamePart(|p| &mut p.department),
    ),
    Row::new(
        "vendor",
        "Part of the vendor's name; accents and case do not matter",
        Value::NamePart(|p| &mut p.vendor),
    ),
    Row::new(
        "category",
        "Procurement category; a record with several categories matches each of them",
        Value::OneOf(&CATEGORIES, Case::Any, |p| &mut p.category),
    ),
    Row::new(
        "status",
        "Status that the publisher states, in one of four words; it is not computed from dates, so a tender may be `Open` after its closing date",
        Value::OneOf(&STATUSES, Case::Any, |p| &mut p.status),
    ),
    Row::new(
        "procurement_method",
        "Start of the procurement method, in English or French",
        Value::Start(|p| &mut p.procurement_method),
    ),
    Row::new(
        "notice_type",
        "The whole notice type, in English or French; abbreviations do not match",
        Value::Text(|p| &mut p.notice_type),
    ),
    Row::new(
        "vendor_province",
        "Vendor's province: its name in English or French, or its code; of a vendor abroad its state or region, as published. An unknown one finds nothing",
        Value::Text(|p| &mut p.vendor_province),
    ),
    Row::new(
        "reference_number",
        "Exact number of a notice: finds the notice and all its amendments",
        Value::Text(|p| &mut p.reference_number),
    ),
    Row::new("value_min", "Minimum value, inclusive", Value::Number(|p| &mut p.value_min)),
    Row::new("value_max", "Maximum value, inclusive", Value::Number(|p| &mut p.value_max)),
    Row::new(
        "issued_after",
        "First day, inclusive: of award, or of publication for tenders and pre-solicitations",
        Value::Date(|p| &mut p.issued_after),
    )
    .aliases(&["date_from", "date_after"]),
    Row::new(
        "issued_before",
        "Last day, inclusive: of award, or of publication for tenders and pre-solicitations",
        Value::Date(|p| &mut p.issued_before),
    )
    .aliases(&["date_to", "date_before"]),
    Row::new(
        "closing_after",
        "First closing day, inclusive",
        Value::Date(|p| &mut p.closing_after),
    ),
    Row::new(
        "closing_before",
        "Last closing day, inclusive",
        Value::Date(|p| &mut p.closing_before),
    ),
    Row::new(
        "commodity",
        "Commodity code of any level: UNSPSC (`7210`), GSIN (`N7030`, `gsin:K199`) or economic object (`object:0430`); finds it and all codes below it",
        Value::Commodity(|p| &mut p.commodity),
    )
    .examples(&[
        ("none", "Any code, or none", ""),
        ("family", "A family of UNSPSC, with its classes and commodities", "7210"),
        ("gsin", "A GSIN, with all codes that start with it", "gsin:N7030"),
    ]),
    Row::new(
        "quality_flag",
        "What is doubtful about a record; `none` for records without a flag",
        Value::OneOf(&QUALITY, Case::Exact, |p| &mut p.quality_flag),
    ),
    Row::new(
        "translate",
        "`true`: words of `q` also find what the other language, English or French, calls the same",
        Value::OneOf(&BOOLEAN, Case::Exact, |p| &mut p.translate),
    )
    .default(|| json!(false)),
    Row::new(
        "sort_by",
        "`date` (of the event), `published` and `closing` (if the entity type has these days), `value`, `relevance` (with `q`: the best matches first)",
        Value::OneOf(&SORTS, Case::Exact, |p| &mut p.sort_by),
    )
    .by_entity_type(sort_by_schema)
    .about_by_entity_type(sort_by_about)
    .default(|| json!("date")),
    Row::new(
        "sort_order",
        "`desc`, the default, or `asc`",
        Value::OneOf(&["asc", "desc"], Case::Exact, |p| &mut p.sort_order),
    )
    .default(|| json!("desc")),
    Row::new(
        "limit",
        "Maximum number of records of the page; a plan may lower it",
        Value::Integer(1, MAX_LIMIT, |p| &mut p.limit),
    )
    .default(|| json!(DEFAULT_LIMIT))
    .capped_by_plan(),
    Row::new(
        "offset",
        "Records to skip, at most 9500; a search goes deeper with `cursor`",
        Value::Integer(0, u64::MAX, |p| &mut p.offset),
    )
    .default(|| json!(0))
    .bounds(|| json!({"maximum": MAX_OFFSET})),
    Row::new(
        "cursor",
        "`next_cursor` from a previous response to the same search",
        Value::Text(|p| &mut p.cursor),
    ),
    Row::new(
        "facets",
        "Fields by which all matches are counted, separated by commas: `status`, `category`, `municipality`, `department`, `vendor`, `year`, `commodity`, `quality_flag`, `currency`; an entity type accepts those that it has",
        Value::Text(|p| &mut p.facets),
    )
    .by_entity_type(facets_schema)
    .examples(&[("none", "None", ""), ("some", "Two of them", "municipality,year")]),
    Row::new(
        "include_total",
        "`true` adds the number of all matches",
        Value::OneOf(&BOOLEAN, Case::Exact, |p| &mut p.include_total),
    )
    .default(|| json!(false)),
    Row::new(
        "suggest",
        "`true` adds `suggestions` where nothing is found: words that occur and are spelled nearly like those of `q`",
        Value::OneOf(&BOOLEAN, Case::Exact, |p| &mut p.suggest),
    )
    .default(|| json!(false)),
    Row::new(
        "explain",
        "`true` adds `explain`: how `q` and the filters were understood, in how many records each term is, and where nothing is found, what each condition costs",
        Value::OneOf(&BOOLEAN, Case::Exact, |p| &mut p.explain),
    )
    .default(|| json!(false)),
    Row::new(
        "include",
        "Further figures, separated by commas: `quality` (the share of doubtful records), `market` (competition, bids, suppliers, growth), `currencies` (sums of currencies other than the Canadian dollar)",
        Value::Text(|p| &mut p.include),
    )
    .bounds(include_schema)
    .examples(&[("none", "None", ""), ("some", "Two of them", "quality,market")])
    .only_named(),
    Row::new(
        "entity_type",
        "The entity type whose figures and records are returned; by default the first of contract, award, disclosure, standing_offer, tender and pre_solicitation that has records",
        Value::OneOf(&ENTITY_TYPES, Case::Exact, |p| &mut p.entity_type),
    )
    .only_named(),
];

/// The parameters that select records. The others order and page them.
pub(crate) const FILTERS: [&str; 18] = [
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
    "commodity",
    "quality_flag",
];

impl SearchParams {
    /// Reads the query string of a search in this entity type.
    pub fn read(entity_type: EntityType, query: &str) -> Result<SearchParams, ApiError> {
        let rejects = |param: &Row, value: &str| wrong_sort(entity_type, true, param, value, query);
        read(TABLE, |param| refusal(entity_type, param), rejects, query)
    }

    /// Reads the query string of an endpoint that accepts only some of the parameters; `endpoint` is its path
    /// template, for the error.
    pub fn read_only(
        names: &[&str],
        endpoint: &str,
        entity_type: EntityType,
        query: &str,
    ) -> Result<SearchParams, ApiError> {
        let refuses = |param: &Param<SearchParams>| {
            if names.contains(&param.name) {
                return if param.is_only_named() {
                    None
                } else {
                    refusal(entity_type, param)
                };
            }
            let schema = Schema::of(entity_type);
            let is_accepted = |name: &str| {
                let mut rows = TABLE.iter().filter(|row| row.name == name);
                schema.accepts(name) || rows.any(Row::is_only_named)
            };
            let accepted: Vec<&str> = names.iter().copied().filter(|name| is_accepted(name)).collect();
            Some(format!(
                "{endpoint} does not accept it; it accepts {}",
                accepted.join(", ")
            ))
        };
        let has_text = names.contains(&"q");
        let rejects = |param: &Row, value: &str| wrong_sort(entity_type, has_text, param, value, query);
        let given: SearchParams = read(TABLE, refuses, rejects, query)?;
        let offset = given.offset.as_ref().map_or(0, |given| given.value);
        if offset > MAX_OFFSET && !names.contains(&"cursor") {
            let cure = "narrow the records by 'issued_after' and 'issued_before'";
            return Err(offset_too_deep(offset, cure));
        }
        Ok(given)
    }
}

/// Why a value of `sort_by` is wrong here, with those that the request can have. An order that another entity type has
/// is left to [`super::resolve`], unless it needs a text and the endpoint takes none.
fn wrong_sort(entity_type: EntityType, has_text: bool, param: &Row, value: &str, query: &str) -> Option<String> {
    let is_known = SORTS.contains(&value) && (has_text || value != RELEVANCE);
    if param.name != "sort_by" || is_known {
        return None;
    }
    let pairs = pairs(query).unwrap_or_default();
    let gives_text = pairs
        .iter()
        .any(|(name, value)| name == "q" && !value.trim().is_empty());
    let names = sort_names(Schema::of(entity_type), has_text && gives_text);
    Some(not_in_list(value, names.iter().copied()))
}

/// Why an entity type does not accept a parameter: names those that do. `None` if it accepts it.
fn refusal(entity_type: EntityType, param: &Param<SearchParams>) -> Option<String> {
    let accepts = |entity_type: EntityType| Schema::of(entity_type).accepts(param.name);
    if param.is_only_named() {
        return Some(format!(
            "/{entity_type} does not accept it; it is for statistics and profiles"
        ));
    }
    if accepts(entity_type) {
        return None;
    }
    let accepting = EntityType::ALL.into_iter().filter(|other| accepts(*other));
    let accepting: Vec<&str> = accepting.map(EntityType::name).collect();
    Some(format!(
        "{entity_type} does not accept it; it is for {}",
        accepting.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(entity_type: EntityType, query: &str, detail: &str) {
        let error = SearchParams::read(entity_type, query).expect_err(query);
        assert_eq!(error.detail, detail, "{query}");
        assert_eq!(error.status.as_u16(), 422);
    }

    #[test]
    fn every_schema_accepts_only_parameters_of_the_table() {
        for entity_type in EntityType::ALL {
            for name in &Schema::of(entity_type).parameters {
                assert!(TABLE.iter().any(|param| param.name == name), "{entity_type}: {name}");
            }
        }
    }

    #[test]
    fn unknown_and_refused_names_are_errors() {
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
            "parameter 'vendor': tender does not accept it; it is for contract, award, disclosure, standing_offer, pre_solicitation",
        );
        check(EntityType::Award, "Q=x", "unknown parameter 'Q'; nearest is 'q'");
        check(
            EntityType::StandingOffer,
            "foo=1",
            "unknown parameter 'foo'; this endpoint accepts municipality, q, department, vendor, category, reference_number, \
             issued_after, issued_before, closing_after, closing_before, commodity, quality_flag, translate, sort_by, sort_order, \
             limit, offset, cursor, facets, include_total, suggest, explain",
        );
        check(
            EntityType::Award,
            "city=a&municipality=b",
            "parameter 'municipality': given twice, also as 'city'; give it once",
        );
        check(EntityType::Award, "q=a&q=b", "parameter 'q': given twice; give it once");
    }

    #[test]
    fn an_endpoint_without_cursors_does_not_advise_one() {
        let names = ["issued_after", "issued_before", "limit", "offset"];
        let read = |query: &str| SearchParams::read_only(&names, "/vendor/{name}", EntityType::Contract, query);
        assert!(read("offset=9500").is_ok());
        let error = read("offset=9501").unwrap_err();
        assert_eq!(
            (error.status.as_u16(), error.detail.as_str()),
            (
                400,
                "parameter 'offset': '9501' is above 9500; narrow the records by 'issued_after' and 'issued_before'"
            )
        );
        let error = read(&format!("offset={}", u128::MAX)).unwrap_err();
        assert_eq!(
            error.detail,
            "parameter 'offset': must not be above 9500; narrow the records by 'issued_after' and 'issued_before'",
            "a number that was not kept is not quoted"
        );
    }

    #[test]
    fn an_error_names_the_orders_that_the_request_can_have() {
        for (entity_type, query, detail) in [
            (EntityType::Contract, "sort_by=foo", "'foo' is not one of date, value"),
            (
                EntityType::Contract,
                "sort_by=foo&q=snow",
                "'foo' is not one of date, value, relevance",
            ),
            (
                EntityType::Contract,
                "q=+&sort_by=foo",
                "'foo' is not one of date, value",
            ),
            (
                EntityType::Tender,
                "sort_by=foo",
                "'foo' is not one of published, date, value, closing",
            ),
            (EntityType::StandingOffer, "sort_by=foo", "'foo' is not one of date"),
        ] {
            check(entity_type, query, &format!("parameter 'sort_by': {detail}"));
        }
        let names = ["sort_by"];
        let profile = |query: &str| SearchParams::read_only(&names, "/vendor/{name}", EntityType::Contract, query);
        for order in ["relevance", "foo"] {
            let error = profile(&format!("sort_by={order}")).unwrap_err();
            assert_eq!(
                error.detail,
                format!("parameter 'sort_by': '{order}' is not one of date, value")
            );
        }
        assert!(profile("sort_by=value").is_ok());
    }

    #[test]
    fn malformed_values_are_errors() {
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
                "parameter 'issued_before': 'yesterday' is not a date; dates are YYYY-MM-DD",
            ),
            (
                "department=**a*",
                "parameter 'department': '**a*' is too short; give at least 3 letters or digits",
            ),
            (
                "procurement_method=--",
                "parameter 'procurement_method': '--' has no letter or digit; give at least one",
            ),
            (
                "category=goods",
                "parameter 'category': 'goods' is not one of CNST, GD, SRV, SRVTGD",
            ),
            (
                "status=opened",
                "parameter 'status': 'opened' is not one of Active, Expired, Cancelled, Open; nearest is 'Open'",
            ),
            (
                "sort_by=Value",
                "parameter 'sort_by': 'Value' is not one of date, value; nearest is 'value'",
            ),
            (
                "sort_order=down",
                "parameter 'sort_order': 'down' is not one of asc, desc",
            ),
            ("q=%zz", "invalid percent-encoding '%zz'; write a percent sign as %25"),
            (
                "q=%ff",
                "the address is not valid UTF-8 after percent-decoding; encode its text as UTF-8",
            ),
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
    fn a_name_part_is_measured_after_folding() {
        // The length counts after folding: `É.a` has three characters, `éé` two, `½` three.
        for (query, is_accepted) in [
            ("vendor=%C3%89.a", true),
            ("vendor=%C3%A9%C3%A9", false),
            ("vendor=%C2%BD", true),
        ] {
            assert_eq!(
                SearchParams::read(EntityType::Contract, query).is_ok(),
                is_accepted,
                "{query}"
            );
        }
    }

    #[test]
    fn an_empty_value_is_absent_and_values_are_trimmed() {
        let given = SearchParams::read(
            EntityType::Contract,
            "vendor=&limit=+&status=+open+&city=&municipality=laval",
        )
        .unwrap();
        assert_eq!(given.vendor, None);
        assert_eq!(given.limit, None);
        assert_eq!(
            given.status,
            Some(Given {
                name: "status",
                value: "Open"
            })
        );
        let laval = Given {
            name: "municipality",
            value: "laval".to_owned(),
        };
        assert_eq!(given.municipality, Some(laval));
    }

    proptest! {
        #[test]
        fn no_query_string_panics(
            query in "((municipality|q|vendor|limit|date_to|cursor|value_min|x)=?(%[0-9a-fA-F]{2}|%|\\PC){0,12}&?){0,5}"
        ) {
            for entity_type in EntityType::ALL {
                let _ = SearchParams::read(entity_type, &query);
            }
        }

        #[test]
        fn no_text_panics(query in "\\PC{0,80}") {
            let _ = SearchParams::read(EntityType::Tender, &query);
        }
    }
}
