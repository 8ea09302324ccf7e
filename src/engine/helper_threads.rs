//! Helper threads: a search that counts several facets, or a file that is written column by column, borrows them for
//! that time.
//!
//! The process has one helper thread fewer than it has cores, however many borrow at once. Who gets none, or whose
//! helper cannot be started, works on its own thread. The helpers are not threads of the search pool: a search that
//! waited for its parts there would hold a thread that its own parts need. A helper has the priority of the thread that
//! borrows it.

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::engine::error::Error;

/// The number of helper threads that may still be started.
static FREE: LazyLock<AtomicUsize> = LazyLock::new(|| {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    AtomicUsize::new(cores - 1)
});

const NAME: &str = "helper";

/// The right to run one helper thread, returned when it is dropped.
struct Permit<'a>(&'a AtomicUsize);

impl Permit<'_> {
    fn take(free: &AtomicUsize) -> Option<Permit<'_>> {
        let taken = free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| free.checked_sub(1));
        taken.ok().map(|_| Permit(free))
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The results of all items, in any order. The items are shared between the own thread and as many
/// helper threads as are free.
///
/// # Errors
/// The first error of `work`. [`Error::Internal`] if it panicked on a helper thread.
pub(crate) fn map<T: Sync, R: Send, E: From<Error> + Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    map_with(&FREE, items, work)
}

/// [`map`] with the results in the order of the items.
pub(crate) fn map_in_order<T: Sync, R: Send, E: From<Error> + Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let numbered: Vec<(usize, &T)> = items.iter().enumerate().collect();
    let mut results = map(&numbered, |(number, item)| Ok::<_, E>((*number, work(item)?)))?;
    results.sort_unstable_by_key(|(number, _)| *number);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

fn map_with<T: Sync, R: Send, E: From<Error> + Send>(
    free: &AtomicUsize,
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let take_turns = || {
        let mut results = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            results.push(work(item)?);
        }
        Ok(results)
    };
    thread::scope(|scope| {
        let mut helpers = Vec::new();
        while helpers.len() + 1 < items.len() {
            let Some(permit) = Permit::take(free) else {
                break;
            };
            let take_turns = &take_turns;
            let helper = thread::Builder::new()
                .name(NAME.to_owned())
                .spawn_scoped(scope, move || {
                    let _permit = permit;
                    take_turns()
                });
            match helper {
                Ok(helper) => helpers.push(helper),
                // The system has no thread left; the own thread does the work.
                Err(_) => break,
            }
        }
        let mut all: Vec<Result<Vec<R>, E>> = vec![take_turns()];
        // All are joined before the first error is returned: the scope panics for an unjoined
        // thread that panicked.
        for helper in helpers {
            let panicked = |_| Err(E::from(Error::Internal("a helper thread panicked".to_owned())));
            all.push(helper.join().unwrap_or_else(panicked));
        }
        let all: Vec<Vec<R>> = all.into_iter().collect::<Result<_, E>>()?;
        Ok(all.into_iter().flatten().collect())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn every_item_is_done_once_with_any_number_of_helpers() {
        for helpers in [0, 1, 3, 100] {
            let free = AtomicUsize::new(helpers);
            for count in 0..20_usize {
                let items: Vec<usize> = (0..count).collect();
                let mut results = map_with(&free, &items, |item| Ok::<_, Error>(*item)).unwrap();
                results.sort_unstable();
                assert_eq!(results, items);
            }
            assert_eq!(free.into_inner(), helpers, "every helper is returned");
        }
    }

    #[test]
    fn searches_that_count_at_once_share_the_helpers() {
        let (free, running, most) = (AtomicUsize::new(3), AtomicUsize::new(0), AtomicUsize::new(0));
        let together = Barrier::new(8);
        let search = || {
            together.wait();
            let done = map_with(&free, &[(); 50], |()| {
                if thread::current().name() == Some(NAME) {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                }
                Ok::<_, Error>(())
            });
            assert_eq!(done.unwrap().len(), 50);
        };
        thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(search))));
        assert!(most.into_inner() <= 3);
        assert_eq!(free.into_inner(), 3, "every helper is returned");
    }

    #[test]
    fn an_error_or_a_panic_of_a_helper_is_an_error() {
        let free = AtomicUsize::new(2);
        let timeout = map_with(
            &free,
            &[1, 2, 3],
            |item| if *item == 2 { Err(Error::Timeout) } else { Ok(()) },
        );
        assert!(matches!(timeout, Err(Error::Timeout)));
        let both = Barrier::new(2);
        let panicked = map_with(&AtomicUsize::new(1), &[1, 2], |_| {
            both.wait();
            assert!(thread::current().name() != Some(NAME), "on purpose");
            Ok(())
        });
        assert!(matches!(panicked, Err(Error::Internal(_))));
        assert_eq!(free.into_inner(), 2);
    }
}
