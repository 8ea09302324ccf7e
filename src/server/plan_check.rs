//! Whether the plan of a key includes an endpoint.

use crate::{
    api::{
        api_docs,
        route::{Access, Route},
    },
    http::{call::AppState, error::ApiError, middleware::limits::Admission},
    model::PlanLimits,
};

/// Refuses a paid endpoint to a key whose plan does not include it.
pub(crate) fn check(
    state: &AppState,
    route: &Route,
    admission: Option<&Admission>,
    limits: &PlanLimits,
) -> Result<(), ApiError> {
    let Some(admission) = admission.filter(|_| route.access == Access::Paid && !limits.paid) else {
        return Ok(());
    };
    // A path, because whatever a request states of its host is under the client's control.
    let upgrade_url = state.upgrade_url.as_deref().unwrap_or(api_docs::PLANS);
    let (plan, method, endpoint) = (admission.plan_name(), route.verb.as_str(), route.endpoint.template());
    Err(ApiError::forbidden(format!(
        "the plan {plan} does not include {method} {endpoint}; upgrade at {upgrade_url}"
    )))
}
