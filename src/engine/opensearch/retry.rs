//! Steps of a build that are repeated while the cluster does not answer.

use std::{
    fmt, thread,
    time::{Duration, Instant},
};

use super::cluster_error::ClusterError;

/// The wait after the first failure. It doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_millis(200);

const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// An error after which a step may succeed later.
pub(crate) trait Transient: fmt::Display {
    fn is_transient(&self) -> bool;
}

impl Transient for ClusterError {
    fn is_transient(&self) -> bool {
        self.is_transient()
    }
}

impl Transient for anyhow::Error {
    fn is_transient(&self) -> bool {
        let cause = self.downcast_ref::<ClusterError>();
        cause.is_some_and(ClusterError::is_transient)
    }
}

/// Runs a step until it succeeds, fails for a reason that does not pass, or has failed for as long as
/// `patience`. The step must have the same effect however often it runs.
pub(crate) fn retry<T, E: Transient>(patience: Duration, mut step: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let (start, mut wait) = (Instant::now(), FIRST_WAIT);
    loop {
        match step() {
            Err(error) if error.is_transient() && start.elapsed() < patience => {
                log::warn!("trying again in {} ms: {error:#}", wait.as_millis());
                thread::sleep(wait);
                wait = (wait * 2).min(LONGEST_WAIT);
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn only_failures_that_pass_are_repeated() {
        let mut failures = 0;
        let result = retry(Duration::from_secs(60), || {
            failures += 1;
            if failures < 3 {
                return Err(ClusterError::Busy("queue".to_owned())).context("storing");
            }
            anyhow::Ok(failures)
        });
        assert_eq!(result.unwrap(), 3);
        for error in [ClusterError::Rejected(String::new()).into(), anyhow!("other")] {
            let mut error = Some(error);
            let result: anyhow::Result<()> = retry(Duration::from_secs(60), || Err(error.take().unwrap()));
            assert!(result.is_err());
        }
        let result: Result<(), ClusterError> = retry(Duration::ZERO, || Err(ClusterError::Timeout));
        assert!(result.is_err(), "patience is over");
    }
}
