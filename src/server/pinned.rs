//! Which generation a request uses: the one in service, or the one that its address asks for.

use std::{borrow::Cow, sync::Arc};

use actix_web::{
    HttpResponse,
    http::header::{HeaderName, HeaderValue},
};

use crate::{
    catalog::generation::Generation,
    engine::Deadline,
    http::{
        call::AppState,
        encoding::{encode_pair, pairs},
        error::{ApiError, GenerationError},
        kept_generations::{PARAMETER, is_id},
        middleware::trace::Trace,
        parameter_error::Reason,
        search_pool::{Lane, Origin},
    },
};

const HEADER: HeaderName = HeaderName::from_static("x-index-generation");

/// A query string without the parameter that asks for a generation, and the id in that.
pub(crate) fn split(query: &str, takes_generation: bool) -> Result<(Cow<'_, str>, Option<String>), ApiError> {
    if !takes_generation || !query.contains(PARAMETER) {
        return Ok((Cow::Borrowed(query), None));
    }
    let (mut others, mut id) = (String::with_capacity(query.len()), None);
    for (name, value) in pairs(query)? {
        if name != PARAMETER {
            if !others.is_empty() {
                others.push('&');
            }
            encode_pair(&mut others, &name, &value);
        } else if id.replace(value.trim().to_owned()).is_some() {
            return Err(ApiError::invalid(PARAMETER, Reason::Repeated { other_name: None }));
        }
    }
    Ok((Cow::Owned(others), id.filter(|id| !id.is_empty())))
}

/// The generation with this id, or the one in service.
pub(crate) async fn generation(
    state: &AppState,
    id: Option<String>,
    origin: Origin,
    deadline: &Deadline,
) -> Result<Arc<Generation>, ApiError> {
    let current = state.generation()?;
    let Some(id) = id.filter(|id| *id != current.id) else {
        return Ok(current);
    };
    if let Some(generation) = state.kept_generations.opened(&id, &current.id) {
        return Ok(generation);
    }
    if !is_id(&id) {
        return Err(ApiError::refused_generation(&id, GenerationError::Form));
    }
    let kept = Arc::clone(&state.kept_generations);
    let lane = state.search_pool.lane(Lane::Heavy);
    let opened = lane.run(origin, deadline.clone(), move |_, _| kept.open(&id, &current.id));
    opened.await
}

/// Adds the header that names the generation that a response is of.
pub(crate) fn add_header(response: &mut HttpResponse, trace: &Trace, state: &AppState) {
    let generation = trace.generation.clone().or_else(|| state.generation.load_full());
    if let Some(id) = generation.and_then(|generation| HeaderValue::from_str(&generation.id).ok()) {
        response.headers_mut().insert(HEADER, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_other_parameters_keep_their_meaning() {
        for (query, others, id) in [
            ("", "", None),
            ("q=a%20b&limit=5", "q=a%20b&limit=5", None),
            ("q=generation", "q=generation", None),
            ("generation=x&q=%C3%A9+b&x", "q=%C3%A9%20b&x=", Some("x")),
            ("q=a&generation=+x+", "q=a", Some("x")),
            ("generation=", "", None),
        ] {
            let (found, found_id) = split(query, true).unwrap();
            let same = |text: &str| pairs(text).unwrap();
            assert_eq!((same(&found), found_id.as_deref()), (same(others), id), "{query}");
        }
        assert!(split("generation=a&generation=b", true).is_err());
    }
}
