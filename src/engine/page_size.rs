//! The size of a page in bytes.

/// Decision D-150: a page ends before the record with which its records would have more than this
/// many bytes. It has at least one record.
pub const MAX_PAGE_BYTES: usize = 8 << 20;

/// How many of the first records of these sizes fit into `max_bytes`; at least one, if there is
/// any.
pub(crate) fn fitting(sizes: impl IntoIterator<Item = usize>, max_bytes: usize) -> usize {
    let mut bytes = 0_usize;
    let fits = sizes.into_iter().enumerate().take_while(|(number, size)| {
        bytes = bytes.saturating_add(*size);
        *number == 0 || bytes <= max_bytes
    });
    fits.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_record_always_fits() {
        for (sizes, fits) in [
            (&[][..], 0),
            (&[100], 1),
            (&[4, 6], 2),
            (&[4, 7], 1),
            (&[100, 0], 1),
            (&[4, 4, 4, 1], 2),
            (&[1, usize::MAX, 1], 1),
        ] {
            assert_eq!(fitting(sizes.iter().copied(), 10), fits, "{sizes:?}");
        }
    }
}
