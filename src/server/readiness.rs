//! Whether a load balancer should send requests here, as `/ready` reports it.

use std::sync::atomic::Ordering;

use crate::http::call::AppState;

/// Why the service is not ready; `None` if it is.
pub(crate) fn obstacle(state: &AppState) -> Option<String> {
    if state.draining.load(Ordering::Relaxed) {
        return Some("stopping".to_owned());
    }
    if let Err(error) = state.generation() {
        return Some(error.detail);
    }
    // A cluster that does not answer to this server may answer to another one.
    if let Some(fault) = state
        .generation_fault
        .load()
        .as_deref()
        .filter(|fault| fault.is_unreachable())
    {
        return Some(format!("{}: {fault}", fault.sentence()));
    }
    // Decision D-175: the keys in memory stay in force, but a revocation does not arrive.
    let age = state.keys.age();
    (age >= state.max_state_age).then(|| {
        format!(
            "the state database could not be read or written for {} seconds; the log names the cause",
            age.as_secs()
        )
    })
}
