//! Figures of a whole generation that a page shows: computed once for each generation, on first use.

use std::sync::{Arc, Mutex, PoisonError};

/// A value that belongs to one generation; another generation's value replaces it.
#[derive(Debug)]
pub(crate) struct PerGeneration<T>(Mutex<Option<(String, Arc<T>)>>);

impl<T> Default for PerGeneration<T> {
    fn default() -> PerGeneration<T> {
        PerGeneration(Mutex::new(None))
    }
}

impl<T> PerGeneration<T> {
    /// The value of this generation, if it was computed.
    pub(crate) fn of(&self, generation: &str) -> Option<Arc<T>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, value) = kept.as_ref().filter(|(id, _)| id == generation)?;
        Some(Arc::clone(value))
    }

    /// Keeps the value of a generation. Two requests may compute it at the same time; both get the same.
    pub(crate) fn keep(&self, generation: &str, value: T) -> Arc<T> {
        let value = Arc::new(value);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((generation.to_owned(), Arc::clone(&value)));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_belongs_to_its_generation() {
        let kept = PerGeneration::default();
        assert_eq!(kept.of("a"), None);
        assert_eq!(*kept.keep("a", 1), 1);
        assert_eq!(kept.of("a").as_deref(), Some(&1));
        assert_eq!(kept.of("b"), None);
        kept.keep("b", 2);
        assert_eq!((kept.of("a"), kept.of("b").as_deref()), (None, Some(&2)));
    }
}
