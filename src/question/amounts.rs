//! The amounts among the words of a search: "over $1 million".

use crate::{
    query::translate::is_function_word,
    question::words::{Word, is_in, is_mark, ranges},
};

/// What comes before the lowest and the highest value that a record may have.
const MORE_THAN: &str = "plus de|plus|more than|greater than|over|above|at least|au moins";
const LESS_THAN: &str = "moins de|moins|less than|under|below|at most|au plus";

/// What a number is multiplied by.
const THOUSANDS: &str = "k|mille|thousand";
const MILLIONS: &str = "million|millions";
const FACTORS: [char; 4] = ['k', 'K', 'm', 'M'];
const DOLLARS: &str = "dollar|dollars";

/// The lowest number that is an amount although no unit follows.
const SMALLEST_BOUND: f64 = 1_000.0;

/// Whether a number, with which the words begin, has a unit of money.
pub(crate) fn has_unit(written: &[Word]) -> bool {
    let is_unit = |(_, folded): &Word| [THOUSANDS, MILLIONS, DOLLARS].iter().any(|list| is_in(list, folded));
    written.first().is_some_and(|(word, _)| word.contains('$')) || written.get(1).is_some_and(is_unit)
}

/// Removes the lowest or the highest value that the words ask for: "over $1 million", "moins de 25 000 $".
pub(crate) fn take_bound(written: &mut Vec<Word>, parameter: &'static str) -> Option<u64> {
    let phrases = if parameter == "value_min" { MORE_THAN } else { LESS_THAN };
    let found = ranges(written).into_iter().filter(|(text, _)| is_in(phrases, text));
    let amounts = found.filter_map(|(_, range)| {
        let (amount, words) = amount(&written[range.end..])?;
        Some((amount, range.start..range.end + words))
    });
    let (amount, range) = amounts.max_by_key(|(_, range)| range.len())?;
    written.drain(range);
    Some(amount)
}

/// The dollars at the beginning of the words, and how many words these are. A small number without a unit counts
/// something else: "more than 3 bridges".
fn amount(written: &[Word]) -> Option<(u64, usize)> {
    let next = |number: usize, list: &str| written.get(number).is_some_and(|(_, folded)| is_in(list, folded));
    let is_sign = |c: char| is_mark(c) || c == '$' || c.is_whitespace();
    let is_number = |(word, _): &&Word| {
        let digits = word.trim_matches(is_sign).trim_end_matches(FACTORS);
        digits.contains(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || is_sign(c))
    };
    let mut words = written.iter().take_while(is_number).count();
    let digits: String = written[..words].iter().map(|(word, _)| *word).collect();
    let has_sign = |(word, _): &Word| word.contains('$');
    // "3 M$"
    let is_money = digits.contains('$') || written.get(words).is_some_and(has_sign);
    let digits = digits.trim_matches(is_sign);
    let letter = digits.chars().last().filter(|c| FACTORS.contains(c));
    let digits = digits.trim_end_matches(FACTORS);
    let is_one = words == 0 && next(0, "a|one|un");
    words += usize::from(is_one);
    let number = written_amount(digits).unwrap_or_else(|| digits.to_owned());
    let number: f64 = if is_one { 1.0 } else { number.parse().ok()? };
    let factor = match letter.map(|letter| letter.to_ascii_lowercase()) {
        Some('k') => 1e3,
        Some(_) if is_money => 1e6,
        // "under 2m"
        Some(_) => return None,
        None => {
            let is_thousands = next(words, THOUSANDS);
            let is_millions = next(words, MILLIONS) || (next(words, "m") && (is_money || next(words + 1, DOLLARS)));
            words += usize::from(is_thousands || is_millions);
            match (is_thousands, is_millions) {
                (true, _) => 1e3,
                (_, true) => 1e6,
                _ => 1.0,
            }
        }
    };
    let has_unit = next(words, DOLLARS) || (next(words, "de|of") && next(words + 1, DOLLARS));
    words += usize::from(has_unit) + usize::from(has_unit && !next(words, DOLLARS));
    let dollars = (number * factor).round();
    // "More than 10 000 litres" is no amount.
    let ends = |(_, folded): &Word| is_function_word(folded) && !is_in("de|of", folded);
    let is_bare = dollars >= SMALLEST_BOUND && (factor > 1.0 || written.get(words).is_none_or(ends));
    (is_bare || is_money || has_unit).then_some((dollars as u64, words))
}

/// A number as people write it, in the form of the API: `1 000 000`, `$1,000,000.50`, `1 000 000,50 $`. A comma before
/// one or two last digits is a decimal comma, one before groups of three is not.
pub(crate) fn written_amount(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != '$').collect();
    let (whole, cents) = match text.rfind([',', '.']) {
        Some(at) if matches!(text.len() - at, 2 | 3) => (&text[..at], Some(&text[at + 1..])),
        _ => (text.as_str(), None),
    };
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let is_grouped = groups.all(|group| group.len() == 3);
    let digits = whole.replace(',', "");
    let is_number = !first.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let has_cents = cents.is_none_or(|cents| cents.bytes().all(|byte| byte.is_ascii_digit()));
    (is_number && is_grouped && has_cents).then(|| match cents {
        Some(cents) => format!("{digits}.{cents}"),
        None => digits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::words::words;

    #[test]
    fn values_have_digits_and_units() {
        for (text, parameter, expected, left) in [
            (
                "contracts over $1 million in Laval",
                "value_min",
                Some(1_000_000),
                "contracts in Laval",
            ),
            ("plus de 100 000 $ de sel", "value_min", Some(100_000), "de sel"),
            ("plus d’un million", "value_min", Some(1_000_000), ""),
            ("more than 2.5 million dollars", "value_min", Some(2_500_000), ""),
            ("plus de 3 millions de dollars", "value_min", Some(3_000_000), ""),
            ("under 10,000?", "value_max", Some(10_000), ""),
            ("less than 500 k", "value_max", Some(500_000), ""),
            ("moins de 25 000,50 $", "value_max", Some(25_001), ""),
            ("over a million", "value_min", Some(1_000_000), ""),
            ("over $2M", "value_min", Some(2_000_000), ""),
            ("over $500k in Laval", "value_min", Some(500_000), "in Laval"),
            ("plus de 1,5 M$", "value_min", Some(1_500_000), ""),
            ("plus de 500 $ de sel", "value_min", Some(500), "de sel"),
            ("moins de 2000 $", "value_max", Some(2_000), ""),
            ("bridges under 2 m", "value_max", None, "bridges under 2 m"),
            ("under 2m", "value_max", None, "under 2m"),
            (
                "plus de 10 000 litres de diesel",
                "value_min",
                None,
                "plus de 10 000 litres de diesel",
            ),
            ("plus de 100 m de tuyau", "value_min", None, "plus de 100 m de tuyau"),
            ("bridge over water", "value_min", None, "bridge over water"),
            ("plus de 3 ponts", "value_min", None, "plus de 3 ponts"),
        ] {
            let mut written = words(text);
            assert_eq!(take_bound(&mut written, parameter), expected, "{text}");
            let rest: Vec<&str> = written.iter().map(|(word, _)| *word).collect();
            assert_eq!(rest.join(" "), left, "{text}");
        }
    }
}
