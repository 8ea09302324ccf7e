//! Documents that were read before. A generation never changes, so they stay valid.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Up to a number of documents by their ids. When it is full, it starts again: that is simple, and
/// frequent documents come back at once.
pub(crate) struct Cache<T> {
    known: Mutex<HashMap<String, Arc<T>>>,
    capacity: usize,
}

impl<T> Cache<T> {
    pub(crate) fn new(capacity: usize) -> Cache<T> {
        Cache {
            known: Mutex::default(),
            capacity,
        }
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<T>> {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .cloned()
    }

    pub(crate) fn insert(&self, id: String, document: Arc<T>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= self.capacity {
            known.clear();
        }
        known.insert(id, document);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_bounded() {
        let cache = Cache::new(2);
        for number in 0..5 {
            cache.insert(number.to_string(), Arc::new(number));
        }
        assert_eq!(cache.get("4").as_deref(), Some(&4));
        assert_eq!(cache.get("3"), None);
        assert!(cache.known.lock().unwrap().len() <= 2);
    }
}
