//! Decision D-153: computes the values of open tenders before a request needs them, if the index
//! has none of this day, so that the first feed of a day is as fast as the others.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use crate::{
    catalog::{feed, generation::Generation, tender_value::tender_value},
    engine::{Deadline, Error},
    http::{call::AppState, search_pool::lower_priority},
    model::Date,
    server::worker::PeriodicWorker,
};

/// The time between two steps. A new generation or day is noticed within it.
const INTERVAL: Duration = Duration::from_millis(100);

/// How long a step computes values. The service stops only between two steps.
const STEP: Duration = Duration::from_millis(900);

/// The niceness of the worker's thread: lower than that of any request, but not so low that a busy server starves it.
const NICENESS: i32 = 10;

/// The tenders of one generation and day whose values are still to be computed.
#[derive(Debug, Default)]
struct ValueBacklog {
    /// The generation and the day; `None` before the first step.
    of: Option<(String, Date)>,
    /// By `record_id`, the newest first.
    tenders: VecDeque<String>,
}

/// Starts the worker.
pub(super) fn start(state: Arc<AppState>) -> anyhow::Result<PeriodicWorker> {
    let (mut backlog, metrics) = (ValueBacklog::default(), state.metrics.clone());
    let mut is_prepared = false;
    let step = move || {
        if !is_prepared {
            lower_priority(NICENESS);
            is_prepared = true;
        }
        let Some(generation) = state.generation.load_full() else {
            return true;
        };
        let today = Date::in_toronto((state.now)());
        let is_current = || state.serves(&generation.id);
        match backlog.step(&generation, today, &Deadline::after(STEP), is_current) {
            Ok(()) => true,
            Err(error) => {
                log::error!("cannot compute the values of open tenders in advance: {error:?}");
                false
            }
        }
    };
    PeriodicWorker::start("values", INTERVAL, &metrics, step)
}

impl ValueBacklog {
    /// Computes values until the deadline, the generation is no longer current, or all are known.
    fn step(
        &mut self,
        generation: &Generation,
        today: Date,
        time: &Deadline,
        is_current: impl Fn() -> bool,
    ) -> Result<(), Error> {
        let (of, never) = ((generation.id.clone(), today), Deadline::never());
        if self.of.as_ref() != Some(&of) {
            // Also after an error: the same generation would give it again.
            self.of = Some(of);
            self.tenders.clear();
            let engine = &*generation.engine;
            self.tenders = feed::tenders_without_value(engine, &generation.newest_statuses, today, &never)?.into();
        }
        while !time.is_over() && is_current() {
            let Some(tender) = self.tenders.pop_front() else {
                break;
            };
            let value = tender_value(generation, today, &tender, &never);
            if let Err(error) = value {
                // The rest is left to requests: the next tender would give the same error.
                self.tenders.clear();
                return Err(error);
            }
            if generation.values.get(today, &tender).is_none() {
                // The cache is full.
                self.tenders.clear();
            }
        }
        Ok(())
    }
}
