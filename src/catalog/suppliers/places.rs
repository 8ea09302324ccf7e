//! The places that publishers state with a name.

/// Postal codes or cities, sorted, with the number of statements that have each. Most names have one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Places(Box<[(Box<str>, u64)]>);

impl Places {
    /// The places of statements, in any order, with the number of statements.
    pub(super) fn new(mut stated: Vec<(String, u64)>) -> Places {
        stated.sort_unstable();
        let of_each = stated.chunk_by(|a, b| a.0 == b.0);
        let counted = of_each.map(|same| (same[0].0.as_str().into(), same.iter().map(|(_, count)| count).sum()));
        Places(counted.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(place, _)| &**place)
    }

    /// The first place that both have.
    pub(super) fn shared<'a>(&'a self, other: &Places) -> Option<&'a str> {
        self.iter().find(|place| other.iter().any(|known| known == *place))
    }

    /// The places with most statements.
    pub(super) fn most_frequent(&self, limit: usize) -> Vec<String> {
        let mut places: Vec<&(Box<str>, u64)> = self.0.iter().collect();
        places.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        places.truncate(limit);
        places.into_iter().map(|(place, _)| place.to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_sorted_and_compared() {
        let places = |stated: &[(&str, u64)]| {
            let stated = stated.iter().map(|(place, count)| ((*place).to_owned(), *count));
            Places::new(stated.collect())
        };
        let three = places(&[("b", 1), ("c", 2), ("a", 2), ("b", 1)]);
        assert_eq!(three.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(three.most_frequent(2), ["a", "b"], "of equal counts the lesser first");
        assert_eq!(places(&[("a", 1), ("c", 9)]).most_frequent(1), ["c"]);
        assert_eq!(three.shared(&places(&[("d", 1), ("c", 1)])), Some("c"));
        assert_eq!(three.shared(&Places::default()), None);
        assert!(Places::default().is_empty() && !three.is_empty());
    }
}
