//! The estimated values of tenders that were computed for one generation.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{catalog::value_pace::ValuePace, model::Date};

/// Estimated values by day and tender. An estimate depends on the day.
///
/// It holds the values of two days, today's and those of the day before, which a
/// client that began to page before midnight still reads. A value that does not fit is not stored,
/// and so is computed each time.
#[derive(Default)]
pub(crate) struct ValueCache {
    days: Mutex<VecDeque<Day>>,
    /// How long a value takes.
    pub(crate) pace: ValuePace,
}

/// The values of one day, by `record_id`; `None` where there are too few comparable contracts.
struct Day {
    date: Date,
    values: HashMap<Box<str>, Option<f64>>,
    bytes: usize,
}

/// The maximum number of days.
const MAX_DAYS: usize = 2;

/// The maximum size of a day: about 30,000 values.
const MAX_DAY_BYTES: usize = 4 << 20;

/// The memory of a value without the bytes of its `record_id`: an entry of the table, which is up to
/// half empty, and the allocator's own bytes.
const ENTRY_BYTES: usize = 2 * size_of::<(Box<str>, Option<f64>)>() + 16;

/// What a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CacheSize {
    pub(crate) entries: usize,
    pub(crate) bytes: usize,
}

impl ValueCache {
    /// The value of a tender on a day, if it was computed.
    pub(crate) fn get(&self, date: Date, record_id: &str) -> Option<Option<f64>> {
        let days = self.days();
        let day = days.iter().find(|day| day.date == date)?;
        day.values.get(record_id).copied()
    }

    /// Stores a value. A new day replaces the oldest one.
    pub(crate) fn insert(&self, date: Date, record_id: &str, value: Option<f64>) {
        let mut days = self.days();
        if !days.iter().any(|day| day.date == date) {
            days.truncate(MAX_DAYS - 1);
            days.push_front(Day {
                date,
                values: HashMap::new(),
                bytes: 0,
            });
        }
        let Some(day) = days.iter_mut().find(|day| day.date == date) else {
            return;
        };
        let bytes = entry_bytes(record_id);
        if day.bytes + bytes <= MAX_DAY_BYTES && day.values.insert(record_id.into(), value).is_none() {
            day.bytes += bytes;
        }
    }

    pub(crate) fn size(&self) -> CacheSize {
        let days = self.days();
        CacheSize {
            entries: days.iter().map(|day| day.values.len()).sum(),
            bytes: days.iter().map(|day| day.bytes).sum(),
        }
    }

    fn days(&self) -> MutexGuard<'_, VecDeque<Day>> {
        self.days.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the first tenders, as many as a cache holds for one day.
pub(crate) fn truncate_to_a_day(record_ids: &mut Vec<String>) {
    let mut bytes = 0;
    let fits = |record_id: &String| {
        bytes += entry_bytes(record_id);
        bytes <= MAX_DAY_BYTES
    };
    let kept = record_ids.iter().map(fits).take_while(|fits| *fits).count();
    record_ids.truncate(kept);
}

fn entry_bytes(record_id: &str) -> usize {
    ENTRY_BYTES + record_id.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: i32) -> Date {
        Date::from_days(number).unwrap()
    }

    #[test]
    fn the_values_of_two_days_are_kept() {
        let cache = ValueCache::default();
        cache.insert(day(1), "a", Some(1.0));
        cache.insert(day(2), "a", None);
        cache.insert(day(1), "b", Some(3.0));
        assert_eq!(cache.get(day(1), "a"), Some(Some(1.0)));
        assert_eq!(cache.get(day(2), "a"), Some(None));
        assert_eq!((cache.get(day(2), "b"), cache.get(day(3), "a")), (None, None));
        assert_eq!(cache.size().entries, 3);
        cache.insert(day(3), "a", Some(4.0));
        assert_eq!((cache.get(day(1), "a"), cache.get(day(1), "b")), (None, None));
        assert_eq!(
            (cache.get(day(2), "a"), cache.get(day(3), "a")),
            (Some(None), Some(Some(4.0)))
        );
        assert_eq!(cache.size().entries, 2);
    }

    #[test]
    fn the_cache_has_a_maximum_size() {
        let cache = ValueCache::default();
        let mut last = CacheSize::default();
        for number in 0..MAX_DAYS * MAX_DAY_BYTES / ENTRY_BYTES {
            cache.insert(day(number as i32 % 2), &format!("tender {number}"), Some(1.0));
            cache.insert(day(number as i32 % 2), &format!("tender {number}"), Some(1.0));
            let size = cache.size();
            assert!(size.bytes <= MAX_DAYS * MAX_DAY_BYTES && size.entries <= last.entries + 1);
            last = size;
        }
        assert!(last.bytes > MAX_DAYS * MAX_DAY_BYTES * 9 / 10, "{last:?}");
        assert_eq!(
            cache.get(day(0), "tender 0"),
            Some(Some(1.0)),
            "a full cache keeps what it has"
        );
    }

    #[test]
    fn as_many_tenders_are_kept_as_a_day_holds() {
        let all: Vec<_> = (0..2 * MAX_DAY_BYTES / ENTRY_BYTES)
            .map(|number| format!("tender {number}"))
            .collect();
        let mut kept = all.clone();
        truncate_to_a_day(&mut kept);
        assert_eq!(kept, all[..kept.len()], "the first ones");
        let cache = ValueCache::default();
        for tender in &all {
            cache.insert(day(1), tender, None);
            if cache.get(day(1), tender).is_none() {
                break;
            }
        }
        assert_eq!(cache.size().entries, kept.len());
        let mut few = all[..3].to_vec();
        truncate_to_a_day(&mut few);
        assert_eq!(few, all[..3]);
    }
}
