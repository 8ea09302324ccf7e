//! The meaning of a search's parameters for one entity type, plan and generation.
//!
//! Every rule that needs more than the text of one parameter is here, except those of [filters](super::filters).

use actix_web::http::header::{HeaderName, HeaderValue};

use crate::{
    api::params::{
        by_entity_type::{facets_of, sort_names, sorts},
        filters::Condition,
        include::Include,
        paging::{
            DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET, cursor_of_another_query, invalid_cursor, limit_applied,
            offset_too_deep,
        },
        param::filter_rows,
        parse::{Given, not_in_list},
        search::{IN_PURCHASE, IN_PURCHASE_OR_VENDOR, IN_STATED_PURCHASE, SearchParams, TABLE},
    },
    catalog::{
        generation::{Coverage, Generation},
        suppliers::Party,
    },
    engine::Hits,
    http::{
        call::Call,
        error::ApiError,
        parameter_error::{OffsetCure, Reason},
    },
    model::{EntityType, Facet, Schema, commodity::CommodityCode},
    query::{
        Filter, Order, Page, SearchQuery, Sort, SortKey, Start,
        cursor::{Cursor, CursorError},
        text::{TextQuery, WordsIn},
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
    /// Has the names of suppliers and bodies.
    pub(crate) generation: Option<&'a Generation>,
}

impl ResolveContext<'_> {
    /// Without what an index knows: no city, no translation, no supplier, no body.
    pub fn without_index(schema: &'static Schema, page_cap: u64) -> ResolveContext<'static> {
        ResolveContext {
            schema,
            page_cap,
            coverage: &[],
            translator: None,
            generation: None,
        }
    }

    pub(crate) fn of<'a>(call: &'a Call, entity_type: EntityType) -> ResolveContext<'a> {
        ResolveContext {
            schema: Schema::of(entity_type),
            page_cap: call.plan_limits.page_cap.into(),
            coverage: &call.generation.manifest_of(entity_type).coverage,
            translator: Some(&call.generation.translator),
            generation: Some(&call.generation),
        }
    }

    /// The limit to apply, and the same again if it is lower than the requested one.
    pub(crate) fn limit(&self, requested: &Option<Given<u64>>) -> (u64, Option<u64>) {
        let requested = requested.as_ref().map_or(DEFAULT_LIMIT, |given| given.value);
        let limit = requested.min(self.page_cap).min(MAX_LIMIT);
        (limit, (limit < requested).then_some(limit))
    }

    /// Puts the keys of the names of suppliers or bodies in the place of their identifiers.
    pub(crate) fn resolve_parties(&self, conditions: &mut [Condition]) -> Result<(), ApiError> {
        for condition in conditions {
            let Filter::AnyFacetValue { keys, facet } = &mut condition.filter else {
                continue;
            };
            let (party, reason): (_, fn(String) -> Reason) = match facet {
                Facet::Vendor => (Party::Supplier, Reason::Supplier),
                _ => (Party::Body, Reason::Body),
            };
            let list = self.generation.map(|generation| generation.parties(party));
            let parameter = condition.parameters.first().copied().unwrap_or(party.noun());
            let mut of_all = Vec::new();
            for id in keys.drain(..) {
                let found = list.and_then(|list| list.with_id(&id));
                of_all.extend(found.ok_or_else(|| ApiError::invalid(parameter, reason(id)))?.keys());
            }
            *keys = of_all;
        }
        Ok(())
    }

    /// Checks that the entity type has records of each municipality.
    pub(crate) fn check_municipalities<'g>(
        &self,
        all: impl IntoIterator<Item = Given<&'g str>>,
    ) -> Result<(), ApiError> {
        for given in all {
            if let Some(reason) = unknown_municipality(given.value, self.schema.entity_type, self.coverage) {
                return Err(ApiError::invalid(given.name, reason));
            }
        }
        Ok(())
    }
}

impl<'a> ResolveContext<'a> {
    /// Of a search that no plan limits, whose page does not matter.
    pub(crate) fn without_plan(entity_type: EntityType, generation: &'a Generation) -> ResolveContext<'a> {
        ResolveContext {
            schema: Schema::of(entity_type),
            page_cap: 1,
            coverage: &generation.manifest_of(entity_type).coverage,
            translator: Some(&generation.translator),
            generation: Some(generation),
        }
    }
}

/// A search ready to run, and what the response's headers report about it.
#[derive(Debug)]
pub struct ResolvedSearch {
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

/// Lists the parameters that the entity type accepts but has no field for.
pub(crate) const IGNORED_PARAMETERS: HeaderName = HeaderName::from_static("x-ignored-parameters");

impl ResolvedSearch {
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
    pub fn resolve(self, context: &ResolveContext) -> Result<ResolvedSearch, ApiError> {
        self.check_paging()?;
        let mut conditions = self.filters.conditions(filter_rows(TABLE))?;
        context.resolve_parties(&mut conditions)?;
        context.check_municipalities(self.filters.municipalities())?;
        let sort = self.sort(context.schema)?;
        let facets = self.facets(context.schema)?;
        let include = Include::parse(&self.include)?;
        let is_true = |given: &Option<Given<bool>>| given.as_ref().is_some_and(|given| given.value);
        let include_total = is_true(&self.include_total);
        let (suggest, explain) = (is_true(&self.suggest), is_true(&self.explain));
        let translates = is_true(&self.translate);
        let matches_codes = is_true(&self.match_codes);
        let (limit, lowered_limit) = context.limit(&self.limit);
        let (conditions, ignored): (Vec<_>, Vec<_>) = conditions
            .into_iter()
            .partition(|condition| condition.has_field(context.schema));
        let commodity = self.filters.commodity();
        let text = self.q.map(|given| given.value);
        let (text, translation) = meant_text(text, context.translator, (translates, matches_codes));
        let words_in = match self.q_in.as_ref().map(|given| given.value) {
            Some(IN_PURCHASE) => WordsIn::Purchase,
            Some(IN_PURCHASE_OR_VENDOR) => WordsIn::PurchaseOrVendor,
            Some(IN_STATED_PURCHASE) => WordsIn::Stated,
            _ => WordsIn::Anywhere,
        };
        let text = text.map(|text| text.within(words_in));
        let query = SearchQuery {
            entity_type: context.schema.entity_type,
            text,
            filters: conditions.iter().map(|condition| condition.filter.clone()).collect(),
            sort,
        };
        let start = start(self.cursor, self.offset, &query)?;
        Ok(ResolvedSearch {
            query,
            page: Page {
                limit: limit as usize,
                start,
            },
            ignored: ignored.into_iter().flat_map(|condition| condition.parameters).collect(),
            lowered_limit,
            facets,
            include_total,
            conditions: conditions.into_iter().map(|condition| condition.parameters).collect(),
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
                Some(_) => OffsetCure::SortByDate,
                None => OffsetCure::Cursor,
            };
            return Err(offset_too_deep(offset, cure));
        }
        if let (Some(sort), Some(_)) = (without_cursors, &self.cursor) {
            return Err(ApiError::invalid("cursor", Reason::CursorWithSort(sort)));
        }
        if self.cursor.is_some() && offset > 0 {
            return Err(ApiError::invalid("cursor", Reason::CursorWithOffset));
        }
        Ok(())
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
                ApiError::invalid(given.name, Reason::NotInList(not_in_list(name, names)))
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
                let reason = Reason::SortOfOthers {
                    text: given.value,
                    entity_type: schema.entity_type,
                    values: sort_names(schema, self.q.is_some()),
                };
                Err(ApiError::invalid(given.name, reason))
            }
        }
    }

    /// Relevance is how well a record fits a text, so it needs one, and the worst first is of no use.
    fn check_relevance(&self, name: &'static str) -> Result<(), ApiError> {
        let has_text = self.q.as_ref().is_some_and(|q| !q.value.clauses().is_empty());
        if !has_text {
            return Err(ApiError::invalid(name, Reason::RelevanceWithoutText));
        }
        match &self.sort_order {
            Some(given) if given.value == "asc" => Err(ApiError::invalid(given.name, Reason::AscendingRelevance)),
            _ => Ok(()),
        }
    }
}

/// What `q` searches for: translated, and with the codes that it means, if these are asked for. `None` without words.
pub(crate) fn meant_text(
    text: Option<TextQuery>,
    translator: Option<&Translator>,
    (translates, matches_codes): (bool, bool),
) -> (Option<TextQuery>, Option<Translation>) {
    let Some(text) = text.filter(|text| !text.clauses().is_empty()) else {
        return (None, None);
    };
    let (text, translation) = translated(text, translator.filter(|_| translates));
    let text = match (text, translator.filter(|_| matches_codes)) {
        (Some(text), Some(translator)) => Some(translator.with_meant_codes(text)),
        (text, _) => text,
    };
    (text, translation)
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

/// Why a slug is refused; `None` if the entity type has records of the municipality.
pub(crate) fn unknown_municipality(slug: &str, entity_type: EntityType, coverage: &[Coverage]) -> Option<Reason> {
    let slugs = coverage.iter().map(|row| row.municipality.as_str());
    let is_known = slugs.clone().any(|known| known == slug);
    (!is_known).then(|| Reason::Municipality {
        list: not_in_list(slug, slugs),
        entity_type,
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
