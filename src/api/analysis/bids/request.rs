//! The meaning of the parameters of `GET /bids`.

use super::search::{BidFacet, BidPosition, BidSearch};
use crate::{
    api::params::{
        bids::{BidsParams, TABLE},
        paging::{cursor_of_another_query, invalid_cursor},
        param::filter_rows,
        parse::{Given, not_in_list},
        resolve::{ResolveContext, meant_text},
    },
    catalog::bids::BidQuery,
    http::{error::ApiError, parameter_error::Reason},
    model::{Role, bids::Procedure, record::query_key},
    query::{Filter, cursor::Cursor},
};

impl BidsParams {
    /// The search, and the limit if the plan lowered the requested one.
    pub(crate) fn resolve(self, context: &ResolveContext, is_head: bool) -> Result<(BidSearch, Option<u64>), ApiError> {
        let mut conditions = self.filters.conditions(filter_rows(TABLE))?;
        context.resolve_parties(&mut conditions)?;
        context.check_municipalities(self.filters.municipalities())?;
        let facets = self.facets()?;
        let is_true = |given: &Option<Given<bool>>| given.as_ref().is_some_and(|given| given.value);
        let (include_total, has_statistics) = (is_true(&self.include_total), is_true(&self.include_statistics));
        let (limit, lowered_limit) = context.limit(&self.limit);
        let mut filters: Vec<Filter> = conditions.into_iter().map(|condition| condition.filter).collect();
        let method = self.method.as_ref().map(|given| given.value.as_str());
        let procedure = method.and_then(Procedure::parse);
        if let (Some(method), None) = (method, procedure) {
            filters.push(Filter::Prefix {
                role: Role::ProcurementMethod,
                key: query_key(Role::ProcurementMethod, method),
            });
        }
        let means = (is_true(&self.translate), is_true(&self.match_codes));
        let (text, _) = meant_text(self.q.map(|given| given.value), context.translator, means);
        let query = BidQuery {
            filters,
            text,
            procedure,
            won: self.won.map(|given| given.value),
        };
        let search = BidSearch {
            after: self.cursor.map(|given| after(&given, &query)).transpose()?,
            query,
            limit: limit as usize,
            facets,
            include_total,
            is_counted: include_total || is_head,
            has_statistics,
        };
        Ok((search, lowered_limit))
    }

    /// The requested facets, each once.
    fn facets(&self) -> Result<Vec<BidFacet>, ApiError> {
        let mut facets: Vec<BidFacet> = Vec::new();
        let Some(given) = &self.facets else {
            return Ok(facets);
        };
        for name in given.value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let facet = BidFacet::ALL.into_iter().find(|facet| facet.name() == name);
            let facet = facet.ok_or_else(|| {
                let names = BidFacet::ALL.iter().map(|facet| facet.name());
                ApiError::invalid(given.name, Reason::NotInList(not_in_list(name, names)))
            })?;
            if !facets.contains(&facet) {
                facets.push(facet);
            }
        }
        Ok(facets)
    }
}

/// The position that a cursor holds, if it is one of this query.
fn after(given: &Given<String>, query: &BidQuery) -> Result<BidPosition, ApiError> {
    let cursor = Cursor::decode(&given.value).map_err(|_| invalid_cursor(given))?;
    if !cursor.is_of(query.fingerprint()) {
        return Err(cursor_of_another_query());
    }
    BidPosition::decode(cursor.position()).ok_or_else(|| invalid_cursor(given))
}
