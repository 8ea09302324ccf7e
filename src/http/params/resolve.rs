//! The meaning of a search's parameters for one entity type, plan and generation.
//!
//! Every rule that needs more than the text of one parameter is here. Filters are pushed in the order of the table, so
//! that a query's fingerprint does not depend on how the address was written.

use actix_web::http::header::{HeaderName, HeaderValue};

use crate::{
    catalog::generation::Coverage,
    engine::Hits,
    http::{
        call::Call,
        error::{ApiError, quoted},
        params::{
            by_entity_type::{facets_of, sort_names, sorts},
            filters::{FilterBuilder, commodity_filter, contains, dates, prefix, term},
            include::Include,
            paging::{
                DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET, cursor_of_another_query, invalid_cursor, limit_applied,
                offset_too_deep,
            },
            search::SearchParams,
            value::{Given, MAX_LISTED_VALUES, not_in_list},
        },
    },
    model::{EntityType, Facet, Role, Schema, commodity::CommodityCode},
    query::{
        Filter, Order, Page, SearchQuery, Sort, SortKey, Start,
        cursor::{Cursor, CursorError},
        text::TextQuery,
        translate::{Addition, Translator},
    },
};

/// What parameters are resolved against.
pub struct ResolveContext<'a> {
    pub schema: &'static Schema,
    /// The maximum number of records of a page on the key's plan.
    pub page_cap: u64,
    pub coverage: &'a [Coverage],
    /// What `translate=true` translates with. Without one, nothing is translated.
    pub translator: Option<&'a Translator>,
}

impl ResolveContext<'_> {
    pub(crate) fn of<'a>(call: &'a Call, entity_type: EntityType) -> ResolveContext<'a> {
        ResolveContext {
            schema: Schema::of(entity_type),
            page_cap: call.plan_limits.page_cap.into(),
            coverage: &call.generation.manifest_of(entity_type).coverage,
            translator: Some(&call.generation.translator),
        }
    }

    /// The limit to apply, and the same again if it is lower than the requested one.
    pub(crate) fn limit(&self, requested: &Option<Given<u64>>) -> (u64, Option<u64>) {
        let requested = requested.as_ref().map_or(DEFAULT_LIMIT, |given| given.value);
        let limit = requested.min(self.page_cap).min(MAX_LIMIT);
        (limit, (limit < requested).then_some(limit))
    }

    /// Checks that the entity type has records of the municipality, if one is given.
    pub(crate) fn check_municipality(&self, given: &Option<Given<String>>) -> Result<(), ApiError> {
        match given {
            Some(given) => check_slug(given, self.schema.entity_type, self.coverage),
            None => Ok(()),
        }
    }
}

/// A search ready to run, and what the response's headers report about it.
#[derive(Debug)]
pub struct Search {
    pub query: SearchQuery,
    pub page: Page,
    /// Parameters that the entity type accepts but has no field for, under the names the client used.
    pub ignored: Vec<&'static str>,
    /// The limit, if the plan lowered the requested one.
    pub lowered_limit: Option<u64>,
    pub facets: Vec<Facet>,
    pub include_total: bool,
    /// The parameters that each of the query's filters comes from, under the names the client used.
    pub(crate) conditions: Vec<Vec<&'static str>>,
    /// The code that the filter `commodity` names.
    pub(crate) commodity: Option<CommodityCode>,
    /// What the translation added to the text, and the words that it no longer requires.
    pub(crate) translation: Option<Translation>,
    pub(crate) suggest: bool,
    pub(crate) explain: bool,
    pub(crate) include: Include,
}

/// What a translation changed.
#[derive(Debug)]
pub(crate) struct Translation {
    pub(crate) added: Vec<Addition>,
    pub(crate) released: Vec<String>,
}

/// Decision D-22: lists the parameters that the entity type accepts but has no field for.
const IGNORED_PARAMETERS: HeaderName = HeaderName::from_static("x-ignored-parameters");

impl Search {
    /// The headers that report how the request was understood, for a page of these hits.
    pub(crate) fn headers(&self, hits: &Hits) -> Vec<(HeaderName, HeaderValue)> {
        let applied = if hits.is_cut {
            Some(hits.records.len() as u64)
        } else {
            self.lowered_limit
        };
        let mut headers: Vec<_> = applied.map(limit_applied).into_iter().collect();
        if let Ok(names) = HeaderValue::from_str(&self.ignored.join(", "))
            && !names.is_empty()
        {
            headers.push((IGNORED_PARAMETERS, names));
        }
        headers
    }
}

impl SearchParams {
    pub fn resolve(self, context: &ResolveContext) -> Result<Search, ApiError> {
        self.check_paging()?;
        self.check_bounds()?;
        context.check_municipality(&self.municipality)?;
        let sort = self.sort(context.schema)?;
        let facets = self.facets(context.schema)?;
        let include = Include::parse(&self.include)?;
        let is_true = |given: &Option<Given<&str>>| given.as_ref().is_some_and(|given| given.value == "true");
        let include_total = is_true(&self.include_total);
        let (suggest, explain) = (is_true(&self.suggest), is_true(&self.explain));
        let translator = context.translator.filter(|_| is_true(&self.translate));
        let (limit, lowered_limit) = context.limit(&self.limit);
        let FilterBuilder {
            filters,
            conditions,
            ignored,
            ..
        } = self.filters(context.schema);
        let commodity = self.commodity.map(|given| given.value);
        let text = self.q.map(|given| given.value);
        let (text, translation) = match text.filter(|text| !text.clauses().is_empty()) {
            Some(text) => translated(text, translator),
            None => (None, None),
        };
        let query = SearchQuery {
            entity_type: context.schema.entity_type,
            text,
            filters,
            sort,
        };
        let start = start(self.cursor, self.offset, &query)?;
        Ok(Search {
            query,
            page: Page {
                limit: limit as usize,
                start,
            },
            ignored,
            lowered_limit,
            facets,
            include_total,
            conditions,
            commodity,
            translation,
            suggest,
            explain,
            include,
        })
    }

    /// Checks which paging parameters are combined, before the cursor is decoded.
    fn check_paging(&self) -> Result<(), ApiError> {
        let offset = self.offset.as_ref().map_or(0, |given| given.value);
        let without_cursors = self.sort_by.as_ref().map(|given| given.value);
        let without_cursors = without_cursors.filter(|sort| matches!(*sort, "value" | "relevance"));
        if offset > MAX_OFFSET {
            let cure = match without_cursors {
                Some(_) => "narrow the search, or sort by date and use 'cursor'",
                None => "use 'cursor' for deep paging",
            };
            return Err(offset_too_deep(offset, cure));
        }
        if let (Some(sort), Some(_)) = (without_cursors, &self.cursor) {
            return Err(ApiError::bad_request(format!(
                "parameter 'cursor': not allowed with sort_by={sort}; use 'offset', or sort by date"
            )));
        }
        if self.cursor.is_some() && offset > 0 {
            return Err(ApiError::bad_request(
                "parameter 'cursor': not allowed with 'offset'; leave out 'offset', because the cursor states where the page starts",
            ));
        }
        Ok(())
    }

    fn check_bounds(&self) -> Result<(), ApiError> {
        in_order(&self.value_min, &self.value_max, "more than")?;
        in_order(&self.issued_after, &self.issued_before, "later than")?;
        in_order(&self.closing_after, &self.closing_before, "later than")
    }

    /// The requested facets in the order they were given, each once.
    fn facets(&self, schema: &Schema) -> Result<Vec<Facet>, ApiError> {
        let Some(given) = &self.facets else {
            return Ok(Vec::new());
        };
        let valid = facets_of(schema);
        let mut facets: Vec<Facet> = Vec::new();
        for name in given.value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let facet = Facet::parse(name).filter(|facet| valid.contains(facet));
            let facet = facet.ok_or_else(|| {
                let names = valid.iter().map(|facet| facet.name());
                ApiError::invalid(given.name, not_in_list(name, names))
            })?;
            if !facets.contains(&facet) {
                facets.push(facet);
            }
        }
        Ok(facets)
    }

    fn sort(&self, schema: &Schema) -> Result<Sort, ApiError> {
        let order = match self.sort_order.as_ref().map(|given| given.value) {
            Some("asc") => Order::Asc,
            _ => Order::Desc,
        };
        let Some(given) = &self.sort_by else {
            return Ok(Sort {
                key: SortKey::Date,
                order,
            });
        };
        let sorts = sorts(schema);
        match sorts.iter().find(|(name, _)| *name == given.value) {
            Some((_, key)) => {
                if *key == SortKey::Relevance {
                    self.check_relevance(given.name)?;
                }
                Ok(Sort { key: *key, order })
            }
            None => {
                let names = sort_names(schema, self.q.is_some()).join(", ");
                let entity_type = schema.entity_type;
                let why = format!(
                    "{entity_type} cannot be sorted by '{}'; use one of {names}",
                    given.value
                );
                Err(ApiError::invalid(given.name, why))
            }
        }
    }

    /// Decision D-237: relevance is how well a record fits a text, so it needs one, and the worst first is of no use.
    fn check_relevance(&self, name: &'static str) -> Result<(), ApiError> {
        let has_text = self.q.as_ref().is_some_and(|q| !q.value.clauses().is_empty());
        if !has_text {
            return Err(ApiError::invalid(
                name,
                "'relevance' needs a word in 'q'; give one, or sort by date",
            ));
        }
        match &self.sort_order {
            Some(given) if given.value == "asc" => Err(ApiError::invalid(
                given.name,
                "'asc' is not allowed with sort_by=relevance; the best matches come first",
            )),
            _ => Ok(()),
        }
    }

    /// The filters that the entity type has a field for, and the names of the parameters it has none for.
    fn filters<'s>(&self, schema: &'s Schema) -> FilterBuilder<'s> {
        let mut filters = FilterBuilder {
            schema,
            filters: Vec::new(),
            conditions: Vec::new(),
            ignored: Vec::new(),
        };
        filters.key(&self.municipality, Role::Municipality, term);
        filters.key(&self.department, Role::Department, contains);
        filters.key(&self.vendor, Role::Vendor, contains);
        filters.key(&self.category, Role::Category, term);
        filters.key(&self.status, Role::Status, term);
        filters.key(&self.procurement_method, Role::ProcurementMethod, prefix);
        filters.key(&self.notice_type, Role::NoticeType, term);
        filters.key(&self.vendor_province, Role::VendorProvince, term);
        filters.key(&self.reference_number, Role::ReferenceNumber, term);
        filters.range(&self.value_min, &self.value_max, Role::Value, |_, min, max| {
            Filter::Values { min, max }
        });
        filters.range(&self.issued_after, &self.issued_before, Role::Date, dates);
        filters.range(&self.closing_after, &self.closing_before, Role::ClosingDate, dates);
        if let Some(given) = &self.commodity {
            filters.push(given.name, Role::Commodity, commodity_filter(&given.value));
        }
        filters.key(&self.quality_flag, Role::QualityFlag, term);
        filters
    }
}

fn translated(text: TextQuery, translator: Option<&Translator>) -> (Option<TextQuery>, Option<Translation>) {
    let Some(translator) = translator else {
        return (Some(text), None);
    };
    let translated = translator.translate(&text);
    let translation = Translation {
        added: translated.added,
        released: translated.released,
    };
    (Some(translated.text), Some(translation))
}

/// Checks that the entity type has records of a municipality.
fn check_slug(given: &Given<String>, entity_type: EntityType, coverage: &[Coverage]) -> Result<(), ApiError> {
    match wrong_slug(&given.value, entity_type, coverage) {
        Some(why) => Err(ApiError::invalid(given.name, why)),
        None => Ok(()),
    }
}

/// Why a slug is wrong; `None` if the entity type has records of the municipality.
pub(crate) fn wrong_slug(slug: &str, entity_type: EntityType, coverage: &[Coverage]) -> Option<String> {
    let slugs = coverage.iter().map(|row| row.municipality.as_str());
    if slugs.clone().any(|known| known == slug) {
        return None;
    }
    Some(match coverage.len() {
        0 => format!("{} is unknown; there are no {entity_type} records", quoted(slug)),
        1..=MAX_LISTED_VALUES => not_in_list(slug, slugs),
        _ => format!(
            "{}; /{entity_type}/coverage lists all valid values",
            not_in_list(slug, slugs)
        ),
    })
}

fn start(cursor: Option<Given<String>>, offset: Option<Given<u64>>, query: &SearchQuery) -> Result<Start, ApiError> {
    let Some(given) = cursor else {
        return Ok(Start::Offset(offset.map_or(0, |given| given.value as usize)));
    };
    match Cursor::decode(&given.value).and_then(|cursor| cursor.position_in(query)) {
        Ok(position) => Ok(Start::After(position)),
        Err(CursorError::Undecodable) => Err(invalid_cursor(&given)),
        Err(CursorError::QueryMismatch) => Err(cursor_of_another_query()),
    }
}

fn in_order<T: PartialOrd + std::fmt::Display>(
    low: &Option<Given<T>>,
    high: &Option<Given<T>>,
    beyond: &str,
) -> Result<(), ApiError> {
    match (low, high) {
        (Some(low), Some(high)) if low.value > high.value => {
            let why = format!(
                "'{}' is {beyond} '{}' ('{}'); exchange the two values",
                low.value, high.value, high.name
            );
            Err(ApiError::invalid(low.name, why))
        }
        _ => Ok(()),
    }
}
