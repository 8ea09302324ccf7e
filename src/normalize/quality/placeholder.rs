//! Values that publishers type where they have none.

/// The shortest run of nines that is a placeholder. A shorter one can be a price below a threshold:
/// 99,999 dollars is the largest purchase without a public call in Quebec.
const MIN_NINES: usize = 6;

/// Whether a value is a placeholder: zero, one cent, one dollar, or a run of nines with or without
/// `.99`.
pub(super) fn is_placeholder(value: f64) -> bool {
    [0.0, 0.01, 1.0].contains(&value) || is_run_of_nines(value)
}

fn is_run_of_nines(value: f64) -> bool {
    let cents = (value * 100.0).round();
    if !(1e5..1e15).contains(&value) || (value.fract() != 0.0 && cents % 100.0 != 99.0) {
        return false;
    }
    let digits = format!("{:.0}", value.trunc());
    digits.len() >= MIN_NINES && digits.bytes().all(|digit| digit == b'9')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_few() {
        for value in [
            0.0,
            -0.0,
            0.01,
            1.0,
            999_999.0,
            999_999.99,
            9_999_999.0,
            999_999_999.0,
            99_999_999.99,
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in [
            0.02,
            0.1,
            1.01,
            2.0,
            99_999.0,
            99_999.99,
            999_999.5,
            1_000_000.0,
            99_999_998.0,
            -1.0,
            f64::NAN,
        ] {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
