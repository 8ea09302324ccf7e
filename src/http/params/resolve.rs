//! What a search's parameters mean here: on this kind, under this plan, over this generation's cities.
//!
//! Every rule that needs more than one parameter, or more than its own text, is here. Filters are pushed in the table's order, so that
//! a query's fingerprint does not depend on how the address was written.

use actix_web::http::header::{HeaderName, HeaderValue};

use crate::{
    catalog::generation::Coverage,
    http::{
        Call,
        error::{ApiError, quoted},
        params::{
            Said,
            search::{MOST_RECORDS, SearchParams},
            value::{WHOLE_LIST, not_in_list},
        },
    },
    model::{
        date::Date,
        entity_type::EntityType,
        facet::Facet,
        record::query_key,
        schema::{Role, Schema},
    },
    query::{
        Filter, Order, Page, SearchQuery, Sort, SortKey, Start,
        cursor::{Cursor, CursorError},
    },
};

/// Spec silent: the records of a page when `limit` is not given.
pub const DEFAULT_LIMIT: u64 = 100;

/// The most records an offset skips; a cursor goes deeper.
pub const DEEPEST_OFFSET: u64 = 9500;

/// What the parameters are read against.
pub struct World<'a> {
    pub schema: &'static Schema,
    /// The most records the plan allows a page.
    pub page_cap: u64,
    pub coverage: &'a [Coverage],
}

impl World<'_> {
    pub fn of<'a>(call: &'a Call, entity_type: EntityType) -> World<'a> {
        World {
            schema: Schema::of(entity_type),
            page_cap: call.terms.page_cap.into(),
            coverage: &call.generation.kind(entity_type).coverage,
        }
    }
}

/// A search ready to be asked, and what the answer's headers say of how it was understood.
#[derive(Debug)]
pub struct Search {
    pub query: SearchQuery,
    pub page: Page,
    /// Parameters the kind takes but has no field for, as the client wrote them.
    pub ignored: Vec<&'static str>,
    /// The limit, where the plan lowered it.
    pub lowered_limit: Option<u64>,
    pub facets: Vec<Facet>,
    pub include_total: bool,
}

/// Spec silent: tells the limit that was applied where the plan lowered the one asked for.
pub const LIMIT_APPLIED: HeaderName = HeaderName::from_static("x-limit-applied");

/// Spec silent: names the parameters that the kind takes but has no field for.
const IGNORED_PARAMETERS: HeaderName = HeaderName::from_static("x-ignored-parameters");

/// What the headers say of a limit that the plan lowered to this.
pub fn limit_applied(limit: u64) -> (HeaderName, HeaderValue) {
    (LIMIT_APPLIED, HeaderValue::from(limit))
}

impl Search {
    /// What the headers say of how the request was understood.
    pub fn notes(&self) -> Vec<(HeaderName, HeaderValue)> {
        let mut notes = Vec::new();
        if let Some(limit) = self.lowered_limit {
            notes.push(limit_applied(limit));
        }
        if let Ok(names) = HeaderValue::from_str(&self.ignored.join(", "))
            && !names.is_empty()
        {
            notes.push((IGNORED_PARAMETERS, names));
        }
        notes
    }
}

impl SearchParams {
    pub fn resolve(self, world: &World) -> Result<Search, ApiError> {
        self.check_paging()?;
        self.check_bounds()?;
        check_municipality(&self.municipality, world)?;
        let sort = self.sort(world.schema)?;
        let facets = self.facets(world.schema)?;
        let include_total = self.include_total.as_ref().is_some_and(|said| said.value == "true");
        let (filters, ignored) = self.filters(world.schema);
        let text = self.q.map(|said| said.value).filter(|text| !text.clauses().is_empty());
        let query = SearchQuery {
            entity_type: world.schema.entity_type,
            text,
            filters,
            sort,
        };
        let wanted = self.limit.map_or(DEFAULT_LIMIT, |said| said.value);
        let limit = wanted.min(world.page_cap).min(MOST_RECORDS);
        let start = start(self.cursor, self.offset, &query)?;
        Ok(Search {
            query,
            page: Page {
                limit: limit as usize,
                start,
            },
            ignored,
            lowered_limit: (limit < wanted).then_some(limit),
            facets,
            include_total,
        })
    }

    /// What cannot be combined, said before a cursor is looked into.
    fn check_paging(&self) -> Result<(), ApiError> {
        let offset = self.offset.as_ref().map_or(0, |said| said.value);
        if offset > DEEPEST_OFFSET {
            return Err(ApiError::bad_request(format!(
                "parameter 'offset': must not be above {DEEPEST_OFFSET}; use 'cursor' for deep paging"
            )));
        }
        if self.cursor.is_some() && self.sort_by.as_ref().is_some_and(|said| said.value == "value") {
            return Err(ApiError::bad_request(
                "parameter 'cursor': not with sort_by=value; use 'offset', or sort by date",
            ));
        }
        if self.cursor.is_some() && offset > 0 {
            return Err(ApiError::bad_request(
                "parameter 'cursor': not with an offset; the cursor tells where the page starts",
            ));
        }
        Ok(())
    }

    fn check_bounds(&self) -> Result<(), ApiError> {
        in_order(&self.value_min, &self.value_max, "more than")?;
        in_order(&self.issued_after, &self.issued_before, "later than")?;
        in_order(&self.closing_after, &self.closing_before, "later than")
    }

    /// Each once, as they were named.
    fn facets(&self, schema: &Schema) -> Result<Vec<Facet>, ApiError> {
        let Some(said) = &self.facets else {
            return Ok(Vec::new());
        };
        let of_kind = facets_of(schema);
        let mut facets: Vec<Facet> = Vec::new();
        for word in said.value.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let found = Facet::parse(word).filter(|facet| of_kind.contains(facet));
            let found = found.ok_or_else(|| {
                let words = of_kind.iter().map(|facet| facet.name());
                ApiError::invalid(said.name, not_in_list(word, words))
            })?;
            if !facets.contains(&found) {
                facets.push(found);
            }
        }
        Ok(facets)
    }

    fn sort(&self, schema: &Schema) -> Result<Sort, ApiError> {
        let order = match self.sort_order.as_ref().map(|said| said.value) {
            Some("asc") => Order::Asc,
            _ => Order::Desc,
        };
        let Some(said) = &self.sort_by else {
            return Ok(Sort {
                key: SortKey::Date,
                order,
            });
        };
        let sorts = sorts(schema);
        match sorts.iter().find(|(word, _)| *word == said.value) {
            Some((_, key)) => Ok(Sort { key: *key, order }),
            None => {
                let words: Vec<&str> = sorts.iter().map(|(word, _)| *word).collect();
                let (kind, words) = (schema.entity_type, words.join(", "));
                let why = format!("{kind} cannot be sorted by '{}'; it sorts by {words}", said.value);
                Err(ApiError::invalid(said.name, why))
            }
        }
    }

    /// The filters the kind has a field for, and the names of those it has none for.
    fn filters(&self, schema: &Schema) -> (Vec<Filter>, Vec<&'static str>) {
        let mut sieve = Sieve {
            schema,
            filters: Vec::new(),
            ignored: Vec::new(),
        };
        sieve.key(&self.municipality, Role::Municipality, term);
        sieve.key(&self.department, Role::Department, contains);
        sieve.key(&self.vendor, Role::Vendor, contains);
        sieve.key(&self.category, Role::Category, term);
        sieve.key(&self.status, Role::Status, term);
        sieve.key(&self.procurement_method, Role::ProcurementMethod, prefix);
        sieve.key(&self.notice_type, Role::NoticeType, term);
        sieve.key(&self.vendor_province, Role::VendorProvince, term);
        sieve.key(&self.reference_number, Role::ReferenceNumber, term);
        sieve.range(&self.value_min, &self.value_max, Role::Value, |_, min, max| {
            Filter::Values { min, max }
        });
        sieve.range(&self.issued_after, &self.issued_before, Role::Date, dates);
        sieve.range(&self.closing_after, &self.closing_before, Role::ClosingDate, dates);
        (sieve.filters, sieve.ignored)
    }
}

/// Whether a municipality, where one is said, is one that the kind has records of.
pub fn check_municipality(said: &Option<Said<String>>, world: &World) -> Result<(), ApiError> {
    match said {
        Some(said) => check_slug(said, world.schema.entity_type, world.coverage),
        None => Ok(()),
    }
}

/// Whether a municipality is one of those with records of the kind.
pub fn check_slug(said: &Said<String>, kind: EntityType, coverage: &[Coverage]) -> Result<(), ApiError> {
    let slugs = coverage.iter().map(|row| row.municipality.as_str());
    if slugs.clone().any(|slug| slug == said.value) {
        return Ok(());
    }
    let why = match coverage.len() {
        0 => format!("{} is unknown; there are no {kind} records", quoted(&said.value)),
        1..=WHOLE_LIST => not_in_list(&said.value, slugs),
        _ => format!("{}; /{kind}/coverage lists them all", not_in_list(&said.value, slugs)),
    };
    Err(ApiError::invalid(said.name, why))
}

/// Spec silent: what a search of a kind can be counted by.
pub fn facets_of(schema: &Schema) -> Vec<Facet> {
    let all = [
        (Facet::Status, Role::Status),
        (Facet::Category, Role::Category),
        (Facet::Municipality, Role::Municipality),
        (Facet::Department, Role::Department),
        (Facet::Vendor, Role::Vendor),
        (Facet::Year, Role::Date),
    ];
    all.into_iter()
        .filter(|(_, role)| schema.has_role(*role))
        .map(|(facet, _)| facet)
        .collect()
}

/// Sorts what was said into filters and what the kind has no field for.
struct Sieve<'s> {
    schema: &'s Schema,
    filters: Vec<Filter>,
    ignored: Vec<&'static str>,
}

impl Sieve<'_> {
    fn key<T: AsRef<str>>(&mut self, said: &Option<Said<T>>, role: Role, filter: fn(Role, String) -> Filter) {
        let Some(said) = said else { return };
        match self.schema.has_role(role) {
            true => self.filters.push(filter(role, query_key(role, said.value.as_ref()))),
            false => self.ignored.push(said.name),
        }
    }

    fn range<T: Copy>(
        &mut self,
        from: &Option<Said<T>>,
        to: &Option<Said<T>>,
        role: Role,
        filter: fn(Role, Option<T>, Option<T>) -> Filter,
    ) {
        let value = |said: &Option<Said<T>>| said.as_ref().map(|said| said.value);
        let given = [from, to].into_iter().flatten();
        match self.schema.has_role(role) {
            true if given.clone().count() > 0 => self.filters.push(filter(role, value(from), value(to))),
            true => {}
            false => self.ignored.extend(given.map(|said| said.name)),
        }
    }
}

fn term(role: Role, key: String) -> Filter {
    Filter::Term { role, key }
}

fn prefix(role: Role, key: String) -> Filter {
    Filter::Prefix { role, key }
}

fn contains(role: Role, key: String) -> Filter {
    Filter::Contains { role, key }
}

fn dates(role: Role, from: Option<Date>, to: Option<Date>) -> Filter {
    Filter::Dates { role, from, to }
}

/// The words of `sort_by` that a kind can be sorted by. Its event date is also `published` where it is the day of publication.
pub fn sorts(schema: &Schema) -> Vec<(&'static str, SortKey)> {
    let date_field = schema
        .role(Role::Date)
        .first()
        .map(|number| schema.fields[*number].name.as_str());
    let all = [
        ("published", SortKey::Date, date_field == Some("publication_date")),
        ("date", SortKey::Date, true),
        ("value", SortKey::Value, schema.has_role(Role::Value)),
        ("closing", SortKey::ClosingDate, schema.has_role(Role::ClosingDate)),
    ];
    all.into_iter()
        .filter(|(_, _, has_field)| *has_field)
        .map(|(word, key, _)| (word, key))
        .collect()
}

fn start(cursor: Option<Said<String>>, offset: Option<Said<u64>>, query: &SearchQuery) -> Result<Start, ApiError> {
    let Some(said) = cursor else {
        return Ok(Start::Offset(offset.map_or(0, |said| said.value as usize)));
    };
    match Cursor::decode(&said.value).and_then(|cursor| cursor.position_in(query)) {
        Ok(position) => Ok(Start::After(position)),
        Err(CursorError::Undecodable) => Err(no_cursor(&said)),
        Err(CursorError::OfAnotherQuery) => Err(cursor_of_another()),
    }
}

pub fn no_cursor(said: &Said<String>) -> ApiError {
    let why = format!(
        "{} is no cursor; pass on the 'next_cursor' of an answer",
        quoted(&said.value)
    );
    ApiError::invalid(said.name, why)
}

pub fn cursor_of_another() -> ApiError {
    ApiError::bad_request(
        "parameter 'cursor': made for other filters or another sort; repeat the search it came from, or start without it",
    )
}

fn in_order<T: PartialOrd + std::fmt::Display>(
    low: &Option<Said<T>>,
    high: &Option<Said<T>>,
    beyond: &str,
) -> Result<(), ApiError> {
    match (low, high) {
        (Some(low), Some(high)) if low.value > high.value => {
            let why = format!("{} is {beyond} {} ('{}')", low.value, high.value, high.name);
            Err(ApiError::invalid(low.name, why))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Position;

    fn coverage(slugs: &[&str]) -> Vec<Coverage> {
        let row = |slug: &&str| Coverage {
            municipality: slug.to_string(),
            name_en: None,
            name_fr: None,
            province: None,
            government_level: None,
            records: 1,
            earliest_date: None,
            latest_date: None,
            last_updated: None,
            source_ids: Vec::new(),
        };
        slugs.iter().map(row).collect()
    }

    fn resolve(kind: EntityType, query: &str) -> Result<Search, ApiError> {
        let world = World {
            schema: Schema::of(kind),
            page_cap: 200,
            coverage: &coverage(&["laval", "montreal"]),
        };
        SearchParams::read(kind, query).and_then(|said| said.resolve(&world))
    }

    fn check(kind: EntityType, query: &str, status: u16, detail: &str) {
        let error = resolve(kind, query).expect_err(query);
        assert_eq!(
            (error.status.as_u16(), error.detail.as_str()),
            (status, detail),
            "{query}"
        );
    }

    #[test]
    fn parameters_must_agree() {
        use EntityType::*;
        for (kind, query, status, detail) in [
            (
                Contract,
                "offset=9501",
                400,
                "parameter 'offset': must not be above 9500; use 'cursor' for deep paging",
            ),
            (
                Contract,
                "cursor=x&sort_by=value",
                400,
                "parameter 'cursor': not with sort_by=value; use 'offset', or sort by date",
            ),
            (
                Contract,
                "cursor=x&offset=1",
                400,
                "parameter 'cursor': not with an offset; the cursor tells where the page starts",
            ),
            (
                Contract,
                "cursor=x",
                422,
                "parameter 'cursor': 'x' is no cursor; pass on the 'next_cursor' of an answer",
            ),
            (
                Contract,
                "value_min=2.5&value_max=1",
                422,
                "parameter 'value_min': 2.5 is more than 1 ('value_max')",
            ),
            (
                Contract,
                "date_to=2020-01-01&date_after=2020-01-02",
                422,
                "parameter 'date_after': 2020-01-02 is later than 2020-01-01 ('date_to')",
            ),
            (
                Contract,
                "closing_after=2020-01-02&closing_before=2020-01-01",
                422,
                "parameter 'closing_after': 2020-01-02 is later than 2020-01-01 ('closing_before')",
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
                "parameter 'sort_by': standing_offer cannot be sorted by 'value'; it sorts by date",
            ),
            (
                PreSolicitation,
                "sort_by=value",
                422,
                "parameter 'sort_by': pre_solicitation cannot be sorted by 'value'; it sorts by published, date, closing",
            ),
            (
                Award,
                "sort_by=published",
                422,
                "parameter 'sort_by': award cannot be sorted by 'published'; it sorts by date, value",
            ),
            (
                Contract,
                "sort_by=closing",
                422,
                "parameter 'sort_by': contract cannot be sorted by 'closing'; it sorts by date, value",
            ),
        ] {
            check(kind, query, status, detail);
        }
    }

    #[test]
    fn what_has_no_field_is_named_and_passed_over() {
        use EntityType::*;
        for (kind, query, ignored) in [
            (
                Contract,
                "closing_after=2020-01-01&closing_before=2021-01-01",
                vec!["closing_after", "closing_before"],
            ),
            (PreSolicitation, "value_min=5", vec!["value_min"]),
            (Disclosure, "status=open", vec!["status"]),
            (Tender, "closing_after=2020-01-01&value_min=5", vec![]),
        ] {
            let search = resolve(kind, query).unwrap();
            assert_eq!(search.ignored, ignored, "{query}");
            assert_eq!(search.query.filters.is_empty(), !ignored.is_empty(), "{query}");
        }
    }

    #[test]
    fn a_limit_is_lowered_to_the_plans() {
        for (query, limit, lowered) in [("", 100, None), ("limit=200", 200, None), ("limit=500", 200, Some(200))] {
            let search = resolve(EntityType::Award, query).unwrap();
            assert_eq!((search.page.limit, search.lowered_limit), (limit, lowered), "{query}");
        }
    }

    #[test]
    fn the_order_of_an_address_does_not_matter() {
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
    fn keys_are_those_of_the_records() {
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
    fn a_cursor_belongs_to_its_search() {
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
            "parameter 'cursor': made for other filters or another sort; repeat the search it came from, or start without it",
        );
    }
}
