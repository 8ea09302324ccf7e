//! Names that have something in common.

/// The groups of two or more names with equal keys, in the order of the keys, and each in the order of `pairs`, which
/// has the key and the number of each name.
///
/// Most names have a key of their own: sorting pairs takes less memory and time than a map with a list for each key.
pub(super) fn of_several<K: Ord + Copy>(mut pairs: Vec<(K, u32)>) -> impl Iterator<Item = (K, Vec<u32>)> {
    pairs.sort_by_key(|(key, _)| *key);
    let mut start = 0;
    std::iter::from_fn(move || {
        while start < pairs.len() {
            let key = pairs[start].0;
            let end = start + pairs[start..].iter().take_while(|pair| pair.0 == key).count();
            let members: Vec<u32> = pairs[start..end].iter().map(|(_, number)| *number).collect();
            start = end;
            if members.len() > 1 {
                return Some((key, members));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_alone_with_their_key_are_left_out() {
        let pairs = vec![("b", 0), ("a", 1), ("b", 2), ("c", 3), ("a", 4), ("a", 5)];
        let groups: Vec<_> = of_several(pairs).collect();
        assert_eq!(groups, [("a", vec![1, 4, 5]), ("b", vec![0, 2])]);
        assert_eq!(of_several::<&str>(Vec::new()).count(), 0);
    }
}
