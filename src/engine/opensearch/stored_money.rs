//! Amounts of money in the cluster: parts that it can add up exactly, and texts that nothing rounds.

use crate::engine::aggregation::Money;

/// How many parts an amount has.
pub(crate) const PARTS: usize = 4;

/// All parts but the last are smaller.
const PART: i128 = 1_000_000;

/// An amount as 0 to 999,999 millionths of a dollar, 0 to 999,999 dollars, 0 to 999,999 millions of
/// dollars, and trillions of dollars, which alone may be negative.
///
/// A cluster adds doubles, which are exact up to 2^53: a billion of each part.
pub(crate) fn split(millionths: i128) -> [i64; PARTS] {
    let mut rest = millionths;
    let mut parts = [0; PARTS];
    let (last, small) = parts.split_last_mut().expect("the array is not empty");
    for part in small {
        *part = rest.rem_euclid(PART) as i64;
        rest = rest.div_euclid(PART);
    }
    // A plausible amount has at most a hundred million trillions.
    *last = i64::try_from(rest).unwrap_or(0);
    parts
}

/// The millionths of a dollar that the sums of each part are together.
pub(crate) fn join(sums: [i128; PARTS]) -> i128 {
    let add = |total: i128, sum: &i128| total.saturating_mul(PART).saturating_add(*sum);
    sums.iter().rev().fold(0, add)
}

/// An amount as a text: JSON readers round a large number.
pub(crate) fn to_text(money: Money) -> String {
    let (millionths, implausible) = money.parts();
    if implausible == 0.0 {
        millionths.to_string()
    } else {
        format!("{millionths} {implausible:?}")
    }
}

/// The inverse of [`to_text`].
pub(crate) fn from_text(text: &str) -> Option<Money> {
    let (millionths, implausible) = text.split_once(' ').unwrap_or((text, "0"));
    Some(Money::from_parts(millionths.parse().ok()?, implausible.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMOUNTS: [f64; 9] = [
        0.0,
        0.01,
        -0.01,
        1.5,
        -1_234_567.89,
        999_999.999_999,
        9.9e19,
        -9.9e19,
        1e15 / 3.0,
    ];

    #[test]
    fn the_parts_of_an_amount_add_up() {
        for dollars in AMOUNTS {
            let (millionths, implausible) = Money::of(dollars).parts();
            assert_eq!(implausible, 0.0);
            let parts = split(millionths);
            assert!(parts[..3].iter().all(|part| (0..1_000_000).contains(part)), "{parts:?}");
            assert_eq!(join(parts.map(i128::from)), millionths, "{dollars}");
        }
    }

    #[test]
    fn an_amount_is_read_back_from_its_text() {
        for dollars in AMOUNTS.into_iter().chain([1e20, -1e300, f64::MAX, 1.2e22 / 3.0]) {
            let money = Money::of(dollars);
            assert_eq!(from_text(&to_text(money)), Some(money), "{dollars}");
        }
        for text in ["", "x", "1 x", "1.5"] {
            assert_eq!(from_text(text), None, "{text}");
        }
    }
}
