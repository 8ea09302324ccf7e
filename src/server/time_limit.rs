//! A time limit that starts again with each thing that a connection waits for.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Sleep, sleep};

/// The time limit of what is awaited; `T` identifies it.
#[derive(Debug)]
pub(crate) struct TimeLimit<T>(Option<(T, Pin<Box<Sleep>>)>);

impl<T> Default for TimeLimit<T> {
    fn default() -> TimeLimit<T> {
        TimeLimit(None)
    }
}

impl<T: PartialEq> TimeLimit<T> {
    /// Ready when `awaited` has been awaited for its whole limit, counted from the first call that names it. Without a
    /// limit, it never is.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>, awaited: T, limit: Option<Duration>) -> Poll<()> {
        let Some(limit) = limit else {
            self.0 = None;
            return Poll::Pending;
        };
        self.0.take_if(|(known, _)| *known != awaited);
        let (_, timer) = self.0.get_or_insert_with(|| (awaited, Box::pin(sleep(limit))));
        timer.as_mut().poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn the_time_starts_again_with_each_thing() {
        actix_web::rt::System::new().block_on(async {
            let cx = &mut Context::from_waker(Waker::noop());
            let (moment, hour) = (Duration::from_millis(5), Some(Duration::from_secs(3_600)));
            let mut limit = TimeLimit::default();
            assert!(limit.poll(cx, 'a', Some(moment)).is_pending());
            sleep(4 * moment).await;
            assert!(limit.poll(cx, 'a', hour).is_ready());
            assert!(limit.poll(cx, 'b', hour).is_pending());
            assert!(limit.poll(cx, 'a', Some(moment)).is_pending());
            assert!(limit.poll(cx, 'a', None).is_pending());
            sleep(4 * moment).await;
            assert!(limit.poll(cx, 'a', hour).is_pending());
        });
    }
}
