//! The sums that are compared, with and without the records in doubt: one wrong amount can be most of a sum.

use std::cmp::Ordering;

use crate::pages::{messages::Texts, overview::Overview, quality::MUCH_OF_SUM};

/// The sum of the values of a thing, in dollars.
#[derive(Clone, Copy)]
struct Sum {
    all: f64,
    /// Without the records in doubt.
    sound: f64,
}

/// The sums of all things, in their order; `None` for a thing without values.
pub(super) struct Sums(Vec<Option<Sum>>);

impl Sums {
    /// Of what was counted of each thing.
    pub(super) fn of<'o>(counted: impl Iterator<Item = Option<&'o Overview<'o>>>) -> Sums {
        let sum = |of: Option<&Overview>| {
            let of = of?;
            let all = of.amount.filter(|_| of.with_value() > 0)?;
            let quality = of.figures.included.quality.as_ref();
            let doubtful = quality.and_then(|quality| quality.flagged_value);
            let sound = all - doubtful.map_or(0.0, |value| value.dollars());
            Some(Sum { all, sound })
        };
        Sums(counted.map(sum).collect())
    }

    /// Whether differences of the sums depend on records in doubt: these are much of a sum, or without them the sums
    /// have another order.
    pub(super) fn are_uncertain(&self) -> bool {
        let sums: Vec<Sum> = self.0.iter().flatten().copied().collect();
        let has_much = |sum: &Sum| (sum.all - sum.sound).abs() > MUCH_OF_SUM * sum.all.abs();
        let order = |value: fn(&Sum) -> f64| {
            let pairs = sums.iter().enumerate();
            let pairs = pairs.flat_map(|(number, one)| sums[number + 1..].iter().map(move |other| (one, other)));
            pairs
                .map(|(one, other)| value(one).total_cmp(&value(other)))
                .collect::<Vec<Ordering>>()
        };
        sums.len() > 1 && (sums.iter().any(has_much) || order(|sum| sum.all) != order(|sum| sum.sound))
    }

    /// The sum of the thing with this number, without the records in doubt.
    pub(super) fn sound(&self, number: usize) -> Option<f64> {
        self.0.get(number).copied().flatten().map(|sum| sum.sound)
    }

    /// Why no difference is stated of the sums of all records, and which thing has the highest sum without those in
    /// doubt. Sums of different years are not compared.
    pub(super) fn note(&self, t: Texts, names: &[&str], is_even: bool) -> String {
        let sound = self.0.iter().zip(names);
        let mut sound: Vec<(f64, &str)> = sound
            .filter_map(|(sum, name)| Some((sum.as_ref()?.sound, *name)))
            .collect();
        sound.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        match sound[..] {
            [(first, name), (second, _), ..] if is_even && first > second => {
                t.with("compare-doubt-most", &[("name", &name)])
            }
            _ => t.text("compare-doubt"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;

    #[test]
    fn records_in_doubt_are_stated_where_they_change_the_order_or_are_much_of_a_sum() {
        for (sums, expected) in [
            (&[(100.0, 100.0), (50.0, 50.0)][..], false),
            // A little of each, and the same order.
            (&[(100.0, 95.0), (50.0, 46.0)], false),
            (&[(100.0, 95.0), (98.0, 98.0)], true),
            (&[(100.0, 89.0), (50.0, 50.0)], true),
            (&[(100.0, 1.0)], false),
            (&[], false),
        ] {
            let sums = sums.iter().map(|(all, sound)| {
                Some(Sum {
                    all: *all,
                    sound: *sound,
                })
            });
            let sums = Sums(sums.chain([None]).collect());
            assert_eq!(sums.are_uncertain(), expected);
        }
    }

    #[test]
    fn the_highest_sum_without_doubts_is_named_where_sums_are_of_the_same_years() {
        let t = Texts::of(Language::English);
        let sum = |all, sound| Some(Sum { all, sound });
        let sums = Sums(vec![sum(279.0, 279.0), sum(686.0, 85.0)]);
        let most = "Without them, Acme has the highest sum.";
        assert!(sums.note(t, &["Acme", "Zenith"], true).ends_with(most));
        assert!(!sums.note(t, &["Acme", "Zenith"], false).contains("Acme"));
        let equal = Sums(vec![sum(5.0, 5.0), sum(50.0, 5.0)]);
        assert!(!equal.note(t, &["Acme", "Zenith"], true).contains("Acme"));
    }
}
