//! Tests of how a search's parameters are resolved.

use super::{
    filters::{contains, prefix, term},
    resolve::{ResolveContext, ResolvedSearch},
    search::SearchParams,
};
use crate::{
    catalog::generation::Coverage,
    http::error::ApiError,
    model::{EntityType, Role, Schema},
    query::{Position, Start, cursor::Cursor, translate::Translator},
};

fn coverage(slugs: &[&str]) -> Vec<Coverage> {
    slugs.iter().map(|slug| Coverage::of_place(slug)).collect()
}

fn resolve(entity_type: EntityType, query: &str) -> Result<ResolvedSearch, ApiError> {
    let context = ResolveContext {
        schema: Schema::of(entity_type),
        page_cap: 200,
        coverage: &coverage(&["laval", "montreal"]),
        translator: None,
        generation: None,
    };
    SearchParams::read(entity_type, query).and_then(|given| given.resolve(&context))
}

fn check(entity_type: EntityType, query: &str, status: u16, detail: &str) {
    let error = resolve(entity_type, query).expect_err(query);
    assert_eq!(
        (error.status.as_u16(), error.detail.as_str()),
        (status, detail),
        "{query}"
    );
}

#[test]
fn contradicting_parameters_are_errors() {
    use EntityType::*;
    for (entity_type, query, status, detail) in [
        (
            Contract,
            "offset=9501",
            400,
            "parameter 'offset': '9501' is above 9500; use 'cursor' for deep paging",
        ),
        (
            Contract,
            "offset=9501&sort_by=value",
            400,
            "parameter 'offset': '9501' is above 9500; narrow the search, or sort by date and use 'cursor'",
        ),
        (
            Contract,
            "cursor=x&sort_by=value",
            400,
            "parameter 'cursor': not allowed with sort_by=value; use 'offset', or sort by date",
        ),
        (
            Contract,
            "cursor=x&offset=1",
            400,
            "parameter 'cursor': not allowed with 'offset'; leave out 'offset', because the cursor states where the page starts",
        ),
        (
            Contract,
            "cursor=x",
            422,
            "parameter 'cursor': invalid cursor 'x'; pass `next_cursor` from a previous response unchanged",
        ),
        (
            Contract,
            "value_min=2.5&value_max=1",
            422,
            "parameter 'value_min': '2.5' is more than '1' ('value_max'); exchange the two values",
        ),
        (
            Contract,
            "date_to=2020-01-01&date_after=2020-01-02",
            422,
            "parameter 'date_after': '2020-01-02' is later than '2020-01-01' ('date_to'); exchange the two values",
        ),
        (
            Contract,
            "closing_after=2020-01-02&closing_before=2020-01-01",
            422,
            "parameter 'closing_after': '2020-01-02' is later than '2020-01-01' ('closing_before'); exchange the two values",
        ),
        (
            Contract,
            "city=Montr%C3%A9al",
            422,
            "parameter 'city': 'Montréal' is not one of laval, montreal; nearest is 'montreal'",
        ),
        (
            StandingOffer,
            "sort_by=value",
            422,
            "parameter 'sort_by': standing_offer cannot be sorted by 'value'; use one of date, ending",
        ),
        (
            PreSolicitation,
            "sort_by=value",
            422,
            "parameter 'sort_by': pre_solicitation cannot be sorted by 'value'; use one of published, date, closing",
        ),
        (
            Award,
            "sort_by=published",
            422,
            "parameter 'sort_by': award cannot be sorted by 'published'; use one of date, value, ending",
        ),
        (
            Contract,
            "sort_by=closing",
            422,
            "parameter 'sort_by': contract cannot be sorted by 'closing'; use one of date, value, ending",
        ),
        (
            Contract,
            "sort_by=closing&q=snow",
            422,
            "parameter 'sort_by': contract cannot be sorted by 'closing'; use one of date, value, ending, relevance",
        ),
        (
            Contract,
            "sort_by=relevance",
            422,
            "parameter 'sort_by': 'relevance' needs a word in 'q'; give one, or sort by date",
        ),
        (
            Contract,
            "sort_by=relevance&q=***",
            422,
            "parameter 'sort_by': 'relevance' needs a word in 'q'; give one, or sort by date",
        ),
        (
            Tender,
            "sort_by=relevance&q=snow&sort_order=asc",
            422,
            "parameter 'sort_order': 'asc' is not allowed with sort_by=relevance; the best matches come first",
        ),
        (
            Tender,
            "sort_by=relevance&q=snow&cursor=x",
            400,
            "parameter 'cursor': not allowed with sort_by=relevance; use 'offset', or sort by date",
        ),
    ] {
        check(entity_type, query, status, detail);
    }
}

#[test]
fn parameters_without_a_field_are_ignored_and_listed() {
    use EntityType::*;
    for (entity_type, query, ignored) in [
        (
            Contract,
            "closing_after=2020-01-01&closing_before=2021-01-01",
            vec!["closing_after", "closing_before"],
        ),
        (PreSolicitation, "value_min=5", vec!["value_min"]),
        (Disclosure, "status=open", vec!["status"]),
        (Tender, "closing_after=2020-01-01&value_min=5", vec![]),
    ] {
        let search = resolve(entity_type, query).unwrap();
        assert_eq!(search.ignored, ignored, "{query}");
        assert_eq!(search.query.filters.is_empty(), !ignored.is_empty(), "{query}");
    }
}

#[test]
fn a_limit_is_lowered_to_that_of_the_plan() {
    for (query, limit, lowered) in [("", 100, None), ("limit=200", 200, None), ("limit=500", 200, Some(200))] {
        let search = resolve(EntityType::Award, query).unwrap();
        assert_eq!((search.page.limit, search.lowered_limit), (limit, lowered), "{query}");
    }
}

#[test]
fn the_order_of_parameters_does_not_matter() {
    let one = resolve(
        EntityType::Tender,
        "city=laval&status=OPEN&date_from=2020-01-01&limit=5",
    )
    .unwrap();
    let other = resolve(
        EntityType::Tender,
        "issued_after=2020-01-01&status=open&municipality=laval&q=***",
    )
    .unwrap();
    assert_eq!(one.query, other.query);
    let published = resolve(EntityType::Tender, "sort_by=published").unwrap();
    assert_eq!(
        published.query,
        resolve(EntityType::Tender, "sort_by=date&sort_order=desc")
            .unwrap()
            .query
    );
}

#[test]
fn filter_keys_are_normalized_like_record_keys() {
    let search = resolve(
        EntityType::Contract,
        "vendor=L%C3%A9o+%26+Fils&category=gd&vendor_province=Qu%C3%A9bec&reference_number=PW-1&procurement_method=Open+",
    )
    .unwrap();
    let expected = [
        contains(Role::Vendor, "leo & fils".into()),
        term(Role::Category, "GD".into()),
        prefix(Role::ProcurementMethod, "open".into()),
        term(Role::VendorProvince, "qc".into()),
        term(Role::ReferenceNumber, "pw-1".into()),
    ];
    assert_eq!(search.query.filters, expected);
}

#[test]
fn each_filter_knows_its_parameters() {
    let search = resolve(
        EntityType::Contract,
        "commodity=72100000&date_to=2024-01-01&value_min=1&value_max=2&quality_flag=none&city=laval&date_from=2023-01-01",
    )
    .unwrap();
    let expected: [&[&str]; 5] = [
        &["city"],
        &["value_min", "value_max"],
        &["date_from", "date_to"],
        &["commodity"],
        &["quality_flag"],
    ];
    assert_eq!(search.conditions, expected);
    assert_eq!(
        search.query.filters[3..],
        [
            prefix(Role::Commodity, "unspsc:7210".into()),
            term(Role::QualityFlag, "none".into())
        ]
    );
    assert_eq!(search.commodity.unwrap().code(), "7210");
}

#[test]
fn a_translation_keeps_the_text_and_its_cursors() {
    let translator = Translator::new(std::iter::empty());
    let context = ResolveContext {
        schema: Schema::of(EntityType::Contract),
        page_cap: 200,
        coverage: &[],
        translator: Some(&translator),
        generation: None,
    };
    let resolve = |query: &str| {
        let given = SearchParams::read(EntityType::Contract, query).unwrap();
        given.resolve(&context).unwrap()
    };
    let translated = resolve("q=snow+removal&translate=true");
    let as_written = resolve("q=snow+removal&translate=false");
    assert!(
        translated
            .translation
            .is_some_and(|translation| !translation.added.is_empty())
    );
    assert!(as_written.translation.is_none());
    let text = |search: &ResolvedSearch| search.query.text.clone().unwrap();
    let (one, other) = (resolve("q=snow+removal&translate=true"), &as_written);
    assert_eq!(text(&one).written(), text(other).written());
    assert_ne!(text(&one).clauses(), text(other).clauses());
    assert_ne!(one.query.fingerprint(), other.query.fingerprint());
    assert!(resolve("translate=true").query.text.is_none());
}

#[test]
fn a_cursor_is_valid_only_for_its_search() {
    let search = resolve(EntityType::Contract, "q=neige&limit=5").unwrap();
    let position = Position {
        key: None,
        record_id: "a|b".into(),
    };
    let cursor = Cursor::new(&search.query, position.clone()).encode();
    let next = resolve(
        EntityType::Contract,
        &format!("cursor={cursor}&q=neige&limit=7&offset=0"),
    )
    .unwrap();
    assert_eq!(next.page.start, Start::After(position));
    check(
        EntityType::Contract,
        &format!("cursor={cursor}&q=snow"),
        400,
        "parameter 'cursor': it belongs to a search with other filters or another sort order; repeat that search, or start without a cursor",
    );
}
