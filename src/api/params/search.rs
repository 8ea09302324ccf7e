//! The parameters of a record search, `GET /{entity_type}`.
//!
//! To add a filter: add a row here, its name to the `parameters` of each `index-schema/*.json` whose entity type
//! accepts it, and its texts to the message files of the pages. Any other parameter also needs a field in
//! [`SearchParams`], and its meaning in [`super::resolve`].

use serde_json::json;

use crate::{
    api::params::{
        by_entity_type::{facets_schema, sort_by_about, sort_by_schema, sort_names},
        file::{self, FileParams},
        filters::{FilterKind, GivenFilters},
        include::{include_schema, rejected_by_search, search_include_schema},
        paging::{self, MAX_OFFSET, offset_too_deep},
        param::Param,
        parse::{Case, Given, not_in_list},
        read::read,
        value::{ENTITY_TYPES, ParamType},
    },
    catalog::suppliers::Party,
    http::{
        encoding::pairs,
        error::ApiError,
        parameter_error::{OffsetCure, Reason},
    },
    model::{
        EntityType, Facet, Role, Schema,
        body_class::BODY_CLASSES,
        procurement_method::COMPETITION,
        record::AMENDED,
        vocabulary::{CATEGORIES, GOVERNMENT_LEVELS, QUALITY_FLAG_VALUES, STATUSES},
    },
    query::text::TextQuery,
};

/// The parameters a request gave: each value is well-formed, but not yet checked against the index and the plan.
#[derive(Debug, Default, PartialEq)]
pub struct SearchParams {
    pub(crate) filters: GivenFilters,
    pub(crate) q: Option<Given<TextQuery>>,
    pub(crate) translate: Option<Given<bool>>,
    pub(crate) match_codes: Option<Given<bool>>,
    pub(crate) q_in: Option<Given<&'static str>>,
    pub(crate) sort_by: Option<Given<&'static str>>,
    pub(crate) sort_order: Option<Given<&'static str>>,
    pub(crate) limit: Option<Given<u64>>,
    pub(crate) offset: Option<Given<u64>>,
    /// Not decoded here: what a cursor cannot be combined with is checked first.
    pub(crate) cursor: Option<Given<String>>,
    pub(crate) facets: Option<Given<String>>,
    pub(crate) include_total: Option<Given<bool>>,
    pub(crate) suggest: Option<Given<bool>>,
    pub(crate) explain: Option<Given<bool>>,
    pub(crate) include: Option<Given<String>>,
    pub(crate) entity_type: Option<Given<&'static str>>,
    pub(crate) file: FileParams,
}

/// The values of `sort_by` on any entity type.
const SORTS: [&str; 6] = ["published", "date", "value", "closing", "ending", RELEVANCE];

/// The values of `q_in`.
const PLACES_OF_WORDS: [&str; 4] = ["all", IN_PURCHASE, IN_PURCHASE_OR_VENDOR, IN_STATED_PURCHASE];

/// Words that are only in names do not match.
pub(crate) const IN_PURCHASE: &str = "purchase";
pub(crate) const IN_PURCHASE_OR_VENDOR: &str = "purchase_or_vendor";
pub(crate) const IN_STATED_PURCHASE: &str = "stated_purchase";

/// The order that needs a text.
const RELEVANCE: &str = "relevance";

type SearchParam = Param<SearchParams>;

pub const TABLE: &[SearchParam] = &[
    filter("municipality", "City slug, or several separated by commas; `coverage` lists the valid ones", FilterKind::Municipality).in_form(3)
    .aliases(&["city"]),
    SearchParam::new(
        "q",
        "Full-text search: all words required; `OR` between two terms; \"double quotes\" for a phrase; a leading minus excludes",
        ParamType::Query(|p| &mut p.q),
    )
    .examples(&[
        ("none", "No text", ""),
        ("words", "All words, in either language, plural or not", "snow removal"),
        ("either", "Either word", "snow OR neige"),
        ("phrase", "An exact phrase", "\"snow removal\""),
        ("without", "The first word without the second", "snow -roof"),
    ]),
    filter("department", "Part of the department's name, in English or French; accents and case do not matter", FilterKind::Part(Role::Department)).in_form(1),
    filter("vendor", "Part of the vendor's name; accents and case do not matter", FilterKind::Part(Role::Vendor)).in_form(2),
    filter("department_is", "The whole name of the department, in English or French; accents and case do not matter", FilterKind::Name(Role::Department, Facet::NamedDepartment)).in_form(20),
    filter("vendor_is", "The whole name of the vendor; accents and case do not matter", FilterKind::Name(Role::Vendor, Facet::Vendor)).in_form(21),
    filter("category", "Procurement category, or several separated by commas; a record with several categories matches each of them", FilterKind::OneOf(Role::Category, &CATEGORIES, Case::Any)).in_form(5),
    filter("status", "Status that the publisher states, in one of four words, or several separated by commas; it is not computed from dates, so a tender may be `Open` after its closing date", FilterKind::OneOf(Role::Status, &STATUSES, Case::Any)).in_form(7),
    filter("procurement_method", "Start of the procurement method, in English or French", FilterKind::Start(Role::ProcurementMethod)).in_form(8),
    filter("competition", "Who could bid, by the procurement method: `open` to all, by `invitation`, `none` (one supplier), or `unknown`, where the method is not stated or does not say it; several are separated by commas", FilterKind::OneOf(Role::Competition, &COMPETITION, Case::Exact)).in_form(23),
    filter("amended", "`true`: the record states that its contract was amended, or spending beyond its amount; `false`: it states that it was not amended. Records that state neither match neither", FilterKind::OneOf(Role::Amended, &AMENDED, Case::Exact)).in_form(27),
    filter("level", "Level of government of the buyer, or several separated by commas", FilterKind::OneOf(Role::GovernmentLevel, &GOVERNMENT_LEVELS, Case::Exact)).in_form(24),
    filter("body_class", "Class of the buyer by its name, or several separated by commas: hospitals and other `health` bodies, each `university`, `college`, `school` board, `transit` or `housing` body, `municipality`, or any `other`", FilterKind::OneOf(Role::BodyClass, &BODY_CLASSES, Case::Exact)).in_form(28),
    filter("region", "Region or province where the purchase is delivered, as stated; a province also finds its provincial and municipal buyers. A name in English or French, or the code of a province; an unknown one finds nothing", FilterKind::Whole(Role::Region)).in_form(26),
    filter("notice_type", "The whole notice type, in English or French; abbreviations do not match", FilterKind::Whole(Role::NoticeType)).in_form(9),
    filter("vendor_province", "Vendor's province: its name in English or French, or its code; of a vendor abroad its state or region, as published. An unknown one finds nothing", FilterKind::Whole(Role::VendorProvince)).in_form(4),
    filter("vendor_city", "City of the vendor, as published; accents and case do not matter. An unknown one finds nothing", FilterKind::Whole(Role::VendorCity)).in_form(29),
    filter("vendor_country", "Country of the vendor: its name in English or French, its ISO 3166-1 code, abroad for every country but Canada, or stated for every known one. An unknown one finds nothing", FilterKind::Whole(Role::VendorCountry)).in_form(30),
    filter("reference_number", "Exact number of a notice: finds the notice and all its amendments", FilterKind::Whole(Role::ReferenceNumber)).in_form(10),
    filter("value_min", "Minimum value, inclusive", FilterKind::AtLeast).in_form(11),
    filter("value_max", "Maximum value, inclusive", FilterKind::AtMost).in_form(12),
    filter("issued_after", "First day, inclusive: of award, or of publication for tenders and pre-solicitations", FilterKind::From(Role::Date)).in_form(13)
    .aliases(&["date_from", "date_after"]),
    filter("issued_before", "Last day, inclusive: of award, or of publication for tenders and pre-solicitations", FilterKind::To(Role::Date)).in_form(14)
    .aliases(&["date_to", "date_before"]),
    filter("closing_after", "First closing day, inclusive", FilterKind::From(Role::ClosingDate)).in_form(15),
    filter("closing_before", "Last closing day, inclusive", FilterKind::To(Role::ClosingDate)).in_form(16),
    filter("ending_after", "First day on which a contract or an offer may end, inclusive; without a last day, a record does not match", FilterKind::From(Role::EndDate)).in_form(17),
    filter("ending_before", "Last day on which a contract or an offer may end, inclusive; without a last day, a record does not match", FilterKind::To(Role::EndDate)).in_form(18),
    filter("commodity", "Commodity code of any level: UNSPSC (`7210`), GSIN (`N7030`, `gsin:K199`) or economic object (`object:0430`); finds it and all codes below it", FilterKind::Commodity).in_form(6)
    .examples(&[
        ("none", "Any code, or none", ""),
        ("family", "A family of UNSPSC, with its classes and commodities", "7210"),
        ("gsin", "A GSIN, with all codes that start with it", "gsin:N7030"),
    ]),
    filter("supplier", "Identifier of a supplier, as `/suppliers` and `/supplier/{id}` state it, or several, separated by commas: the records of all their names", FilterKind::Party(Party::Supplier)).in_form(22),
    filter("body", "Identifier of a body, as `/bodies` and `/body/{id}` state it, or several, separated by commas: the records that name one of them as buyer or department under any of its names", FilterKind::Party(Party::Body)).in_form(25),
    filter("quality_flag", "What is doubtful about a record; `none` for records without a flag; several are separated by commas", FilterKind::OneOf(Role::QualityFlag, &QUALITY_FLAG_VALUES, Case::Exact)).in_form(19),
    SearchParam::flag("translate", "`true`: words of `q` also find other terms for the same in English and French", |p| &mut p.translate),
    SearchParam::flag("match_codes", "`true`: `q` also finds the records of the commodity codes whose words match it, and of the codes below these", |p| &mut p.match_codes),
    SearchParam::new(
        "q_in",
        "`purchase`: each word of `q` must be in what describes the purchase, not only in the name of a vendor or a buyer; where a record has neither title nor description, the vendor's name counts; `stated_purchase`: the same, and it does not count there; `purchase_or_vendor`: not only in the name of a buyer; `all`, the default: anywhere",
        ParamType::OneOf(&PLACES_OF_WORDS, Case::Exact, |p| &mut p.q_in),
    )
    .default(|| json!("all")),
    SearchParam::new(
        "sort_by",
        "`date` (of the event), `published`, `closing` and `ending` (if the entity type has these days), `value`, `relevance` (with `q`: the best matches first)",
        ParamType::OneOf(&SORTS, Case::Exact, |p| &mut p.sort_by),
    )
    .by_entity_type(sort_by_schema)
    .about_by_entity_type(sort_by_about)
    .default(|| json!("date")),
    SearchParam::new(
        "sort_order",
        "`desc`, the default, or `asc`",
        ParamType::OneOf(&["asc", "desc"], Case::Exact, |p| &mut p.sort_order),
    )
    .default(|| json!("desc")),
    paging::limit("Maximum number of records of the page; a plan may lower it", |p| &mut p.limit),
    SearchParam::new(
        "offset",
        "Records to skip, at most 9500; a search goes deeper with `cursor`",
        ParamType::Integer(0, u64::MAX, |p| &mut p.offset),
    )
    .default(|| json!(0))
    .bounds(|| json!({"maximum": MAX_OFFSET})),
    SearchParam::new(
        "cursor",
        "`next_cursor` from a previous response to the same search",
        ParamType::Text(|p| &mut p.cursor),
    ),
    SearchParam::new(
        "facets",
        "Fields by which all matches are counted, separated by commas: `status`, `category`, `municipality`, `department`, `vendor`, `supplier`, `year`, `commodity`, `quality_flag`, `currency`, `competition`, `level`; an entity type accepts those that it has",
        ParamType::Text(|p| &mut p.facets),
    )
    .by_entity_type(facets_schema)
    .examples(&[("none", "None", ""), ("some", "Two of them", "municipality,year")]),
    SearchParam::flag("include_total", "`true` adds the number of all matches", |p| &mut p.include_total),
    SearchParam::flag("suggest", "`true` adds `suggestions` where nothing is found: words that occur and are spelled nearly like those of `q`", |p| &mut p.suggest),
    SearchParam::flag("explain", "`true` adds `explain`: how `q` and the filters were understood, in how many records each term is, and where nothing is found, what each condition costs", |p| &mut p.explain),
    SearchParam::new(
        "include",
        "Further figures, separated by commas: `quality` (the share of doubtful records), `market` (competition, bids, suppliers, growth), `currencies` (sums of currencies other than the Canadian dollar), `coverage` (which years the sources cover), `supplier` (the supplier of each record; of figures the largest suppliers); a search of records accepts `coverage` and `supplier`",
        ParamType::Text(|p| &mut p.include),
    )
    .bounds(include_schema)
    .in_search(search_include_schema)
    .examples(&[("none", "None", ""), ("coverage", "Which years the sources cover", "coverage")])
    .only_where_listed(),
    SearchParam::new(
        "entity_type",
        "The entity type whose figures and records are returned; by default the first of contract, award, disclosure, standing_offer, tender and pre_solicitation that has records",
        ParamType::OneOf(&ENTITY_TYPES, Case::Exact, |p| &mut p.entity_type),
    )
    .only_where_listed(),
    file::format(|p| &mut p.file.format),
    file::after(
        "`record_id` of the last whole record of a broken export of the same search: the export goes on after it",
        |p| &mut p.file.after,
    ),
    file::bom(|p| &mut p.file.bom),
    file::excel(|p| &mut p.file.excel),
];

pub(crate) const fn filter(name: &'static str, about: &'static str, kind: FilterKind) -> SearchParam {
    SearchParam::new(name, about, ParamType::Filter(kind, |p| &mut p.filters))
}

/// The parameters that select records, in the order of the table.
pub(crate) const FILTERS: [&str; number_of_filters()] = {
    let mut names = [""; number_of_filters()];
    let (mut row, mut number) = (0, 0);
    while row < TABLE.len() {
        if TABLE[row].selects() {
            names[number] = TABLE[row].name;
            number += 1;
        }
        row += 1;
    }
    names
};

const fn number_of_filters() -> usize {
    let (mut row, mut number) = (0, 0);
    while row < TABLE.len() {
        if TABLE[row].selects() {
            number += 1;
        }
        row += 1;
    }
    number
}

impl SearchParams {
    /// Reads the query string of a search in this entity type.
    pub fn read(entity_type: EntityType, query: &str) -> Result<SearchParams, ApiError> {
        let rejects = |param: &SearchParam, value: &str| match param.name {
            "include" => rejected_by_search(value),
            _ => wrong_sort(entity_type, true, param, value, query),
        };
        read(TABLE, |param| refusal(entity_type, param), rejects, query)
    }

    /// Reads the query string of an endpoint that accepts only some of the parameters; `endpoint` is its path
    /// template, for the error.
    pub fn read_only(
        names: &[&'static str],
        endpoint: &str,
        entity_type: EntityType,
        query: &str,
    ) -> Result<SearchParams, ApiError> {
        let refuses = |param: &Param<SearchParams>| {
            if names.contains(&param.name) {
                return if param.is_only_where_listed() {
                    None
                } else {
                    refusal(entity_type, param)
                };
            }
            let schema = Schema::of(entity_type);
            let is_accepted = |name: &str| {
                let mut rows = TABLE.iter().filter(|row| row.name == name);
                schema.accepts(name) || rows.any(SearchParam::is_only_where_listed)
            };
            let accepted: Vec<&'static str> = names.iter().copied().filter(|name| is_accepted(name)).collect();
            Some(Reason::NotOfEndpoint {
                endpoint: endpoint.to_owned(),
                accepted,
            })
        };
        let has_text = names.contains(&"q");
        let rejects = |param: &SearchParam, value: &str| wrong_sort(entity_type, has_text, param, value, query);
        let given: SearchParams = read(TABLE, refuses, rejects, query)?;
        let offset = given.offset.as_ref().map_or(0, |given| given.value);
        if offset > MAX_OFFSET && !names.contains(&"cursor") {
            return Err(offset_too_deep(offset, OffsetCure::Period));
        }
        Ok(given)
    }
}

/// Why a value of `sort_by` is wrong here, with those that the request can have. An order that another entity type has
/// is left to [`super::resolve`], unless it needs a text and the endpoint takes none.
fn wrong_sort(
    entity_type: EntityType,
    has_text: bool,
    param: &SearchParam,
    value: &str,
    query: &str,
) -> Option<Reason> {
    let is_known = SORTS.contains(&value) && (has_text || value != RELEVANCE);
    if param.name != "sort_by" || is_known {
        return None;
    }
    let pairs = pairs(query).unwrap_or_default();
    let gives_text = pairs
        .iter()
        .any(|(name, value)| name == "q" && !value.trim().is_empty());
    let names = sort_names(Schema::of(entity_type), has_text && gives_text);
    Some(Reason::Sort(not_in_list(value, names.iter().copied())))
}

/// Why an entity type does not accept a parameter: names those that do. `None` if it accepts it.
fn refusal(entity_type: EntityType, param: &Param<SearchParams>) -> Option<Reason> {
    let accepts = |entity_type: EntityType| Schema::of(entity_type).accepts(param.name);
    if !param.is_of_search() {
        return Some(Reason::OnlyOfFigures(entity_type));
    }
    if param.is_only_where_listed() || accepts(entity_type) {
        return None;
    }
    let accepting = EntityType::ALL.into_iter().filter(|other| accepts(*other));
    Some(Reason::OfOtherEntityTypes {
        entity_type,
        accepting: accepting.collect(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::api::params::{filters::term, param::filter_rows};

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
            "unknown parameter 'foo'; this endpoint accepts municipality, q, department, vendor, department_is, vendor_is, category, level, body_class, reference_number, \
             issued_after, issued_before, closing_after, closing_before, ending_after, ending_before, commodity, supplier, body, quality_flag, translate, match_codes, q_in, sort_by, sort_order, \
             limit, offset, cursor, facets, include_total, suggest, explain, include",
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
            (
                EntityType::Contract,
                "sort_by=foo",
                "'foo' is not one of date, value, ending",
            ),
            (
                EntityType::Contract,
                "sort_by=foo&q=snow",
                "'foo' is not one of date, value, ending, relevance",
            ),
            (
                EntityType::Contract,
                "q=+&sort_by=foo",
                "'foo' is not one of date, value, ending",
            ),
            (
                EntityType::Tender,
                "sort_by=foo",
                "'foo' is not one of published, date, value, closing",
            ),
            (
                EntityType::StandingOffer,
                "sort_by=foo",
                "'foo' is not one of date, ending",
            ),
        ] {
            check(entity_type, query, &format!("parameter 'sort_by': {detail}"));
        }
        let names = ["sort_by"];
        let profile = |query: &str| SearchParams::read_only(&names, "/vendor/{name}", EntityType::Contract, query);
        for order in ["relevance", "foo"] {
            let error = profile(&format!("sort_by={order}")).unwrap_err();
            assert_eq!(
                error.detail,
                format!("parameter 'sort_by': '{order}' is not one of date, value, ending")
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
                "parameter 'sort_by': 'Value' is not one of date, value, ending; nearest is 'value'",
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
        assert_eq!(given.limit, None);
        let laval = Given {
            name: "municipality",
            value: "laval",
        };
        assert!(given.filters.municipalities().eq([laval]));
        let conditions = given.filters.conditions(filter_rows(TABLE)).unwrap();
        let names: Vec<_> = conditions.iter().map(|condition| &condition.parameters[..]).collect();
        assert_eq!(names, [["municipality"], ["status"]]);
        assert_eq!(conditions[1].filter, term(Role::Status, "Open".to_owned()));
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
