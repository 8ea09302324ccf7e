//! The words of a search that ask for something instead of describing what was bought, in both languages.
//!
//! The lists are of folded words without elided articles ("sans appel d'offres" is "sans appel offres"), separated by
//! `|`.

use std::ops::{Range, RangeInclusive};

use crate::{
    model::fold::word_list, pages::search::written_values::canonical_value, query::translate::is_function_word,
};

/// A word as it was written, and folded.
pub(super) type Word<'a> = (&'a str, String);

/// Years that a search may be about.
const YEARS: RangeInclusive<i32> = 1990..=2099;

/// The maximum number of words in the name of a place.
const MAX_NAME_WORDS: usize = 8;

/// Words that begin a question.
const QUESTION_WORDS: &str = "\
    combien|est ce|how|que|quel|quelle|quelles|quels|qui|quoi|what|when|where|which|who|whose";

/// Verbs and adverbs of questions, which do not describe what was bought.
const WORDS_OF_QUESTIONS: &str = "\
    a t elle|a t il|a t on|accorde|accordes|achete|achetent|all|are|attribue|attribues|awarded|bought|buys|\
    coute|coutent|currently|depense|did|do|does|else|est|eu|get|gets|got|had|has|is|issued|many|most|much|now|\
    obtenu|octroyes|ont|paid|plus|publies|published|sells|signed|sold|sont|\
    soumissionne|spend|spends|spent|to|today|un|une|vend|vendent|vendu|was|were|won";

/// Words that ask in a question and describe a purchase elsewhere: "price adjustment".
const WORDS_IN_QUESTIONS: &str = "\
    acheteur|acheteurs|against|autre|autres|award|bid|bids|buy|buyer|buyers|companies|cost|costs|cout|couts|entreprises|\
    fournisseur|fournisseurs|il|pay|price|prices|prix|publie|publient|publish|publishes|sell|still|supplier|suppliers|there|they|vendor|vendors|we";

/// What asks for contracts, among contracts. In a name, only the plural is one.
const CONTRACTS: [&str; 4] = ["contrats", "contracts", "contrat", "contract"];

/// What asks for tenders.
const TENDERS: &str = "\
    avis appels offres|avis appel offres|appels offres|appel offres|calls for tenders|call for tenders|tenders";

/// What asks for purchases without competition.
const WITHOUT_COMPETITION: &str = "\
    awarded without competition|sans mise en concurrence|without competition|without a tender|\
    without tendering|without tenders|without tender|sans appels offres|sans appel offres|\
    sans appel offre|sans concurrence|non competitive|de gre a gre|gre a gre|sole sourced|sole sourcing|\
    sole source|single source";

/// What asks for tenders that take bids.
const OPEN_TENDERS: &str = "\
    avis appels offres ouverts|appels offres ouverts|appels offres en cours|\
    open calls for tenders|open call for tenders|open tenders|tenders open";

/// What says that a period is that of the last day for bids.
const CLOSING: &str = "\
    qui se terminent|se terminent|se terminant|qui ont ferme|qui ferment|ferment|fermant|date de fermeture|\
    date de cloture|cloturant|date limite|that are closing|that closed|that close|which close|closing date|\
    closing|closed|due in|fermes en|clotures en";

/// What asks for the records with the highest values, and for the newest ones, first.
const LARGEST: &str = "\
    plus importants|plus importantes|plus grands|plus grandes|plus gros|plus grosses|plus eleves|plus elevees|\
    plus chers|plus cheres|most expensive|largest|biggest|highest|costliest";
const NEWEST: &str = "plus recents|plus recentes|derniers|dernieres|most recent|newest|latest";

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

/// This year and the one before.
const THIS_YEAR: &str = "cette annee|this year";
const LAST_YEAR: &str = "annee derniere|annee passee|an dernier|an passe|last year";

/// The months in the order of the year, in both languages.
const MONTHS: [[&str; 2]; 12] = [
    ["january", "janvier"],
    ["february", "fevrier"],
    ["march", "mars"],
    ["april", "avril"],
    ["may", "mai"],
    ["june", "juin"],
    ["july", "juillet"],
    ["august", "aout"],
    ["september", "septembre"],
    ["october", "octobre"],
    ["november", "novembre"],
    ["december", "decembre"],
];

/// What comes before a year: the first of a period without an end, the first of two, and others that do not name the
/// period ("before 2015").
const SINCE: &str = "a compter de|a partir de|depuis|since";
const BETWEEN: &str = "between|de|entre|from";
const OTHER_BOUNDS: &str = "after|apres|avant|before|to|until";

/// What is between the years of a period.
const TO: &str = "a|and|et|to|until";

/// Something that words ask for besides the things that they name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Asking {
    Tenders,
    OpenTenders,
    WithoutCompetition,
    Closing,
    Largest,
    Newest,
}

impl Asking {
    const fn phrases(self) -> &'static str {
        match self {
            Asking::Tenders => TENDERS,
            Asking::OpenTenders => OPEN_TENDERS,
            Asking::WithoutCompetition => WITHOUT_COMPETITION,
            Asking::Closing => CLOSING,
            Asking::Largest => LARGEST,
            Asking::Newest => NEWEST,
        }
    }

    /// Removes the first of its phrases that the words have. False if they have none.
    pub(super) fn take(self, written: &mut Vec<Word>) -> bool {
        remove_phrase(written, self.phrases())
    }
}

/// A period, as the words state it. A day is written as `2015` or `2015-03`.
#[derive(Debug, PartialEq)]
pub(super) struct Period {
    pub(super) first: String,
    /// `None` if it has no end.
    pub(super) last: Option<String>,
    pub(super) label: String,
}

impl Period {
    /// Removes the only period of the words.
    pub(super) fn take(written: &mut Vec<Word>, this_year: i32) -> Option<Period> {
        let is_amount = |number: usize| {
            let has_unit = |(_, folded): &Word| [THOUSANDS, MILLIONS, DOLLARS].iter().any(|list| is_in(list, folded));
            written[number].0.contains('$') || written.get(number + 1).is_some_and(has_unit)
        };
        let is_year = |number: &usize| {
            let folded = &written[*number].1;
            let is_number = folded.len() == 4 && folded.parse().is_ok_and(|year| YEARS.contains(&year));
            is_number && !is_amount(*number)
        };
        let years: Vec<usize> = (0..written.len()).filter(is_year).collect();
        match years[..] {
            [] => Period::take_relative(written, this_year),
            [year] => Period::take_one(written, year),
            [first, last] => Period::take_two(written, first, last),
            _ => None,
        }
    }

    fn take_relative(written: &mut Vec<Word>, this_year: i32) -> Option<Period> {
        let year = if remove_phrase(written, THIS_YEAR) {
            this_year
        } else if remove_phrase(written, LAST_YEAR) {
            this_year - 1
        } else {
            return None;
        };
        Some(Period {
            first: year.to_string(),
            last: Some(year.to_string()),
            label: year.to_string(),
        })
    }

    /// "2015", "March 2015", "since 2015". `None` if the words state more: "15 March 2015", "May to July 2015".
    fn take_one(written: &mut Vec<Word>, year: usize) -> Option<Period> {
        let month_of = |number: usize| month(&written[number].1);
        let month = year.checked_sub(1).and_then(month_of);
        let from = year - usize::from(month.is_some());
        let ends_with = |list: &str| {
            let starts = from.saturating_sub(MAX_NAME_WORDS)..from;
            starts
                .into_iter()
                .find(|start| is_in(list, &joined(&written[*start..from])))
        };
        let is_day = |number: usize| written[number].1.parse().is_ok_and(|day: u32| (1..=31).contains(&day));
        let has_day = from > 0 && is_day(from - 1);
        let has_months = month.is_some() && from > 1 && is_in(TO, &written[from - 1].1) && month_of(from - 2).is_some();
        let is_until = from > 0 && written[from - 1].0.to_lowercase().starts_with("jusqu");
        if ends_with(OTHER_BOUNDS).is_some() || has_day || has_months || is_until {
            return None;
        }
        let since = ends_with(SINCE);
        let first = match month {
            Some(month) => format!("{}-{month:02}", written[year].1),
            None => written[year].1.clone(),
        };
        let from = since.unwrap_or(from);
        let label = without_marks(&written[from..=year]);
        written.drain(from..=year);
        Some(Period {
            last: since.is_none().then(|| first.clone()),
            first,
            label,
        })
    }

    /// "2015 to 2018", "entre 2015 et 2018".
    fn take_two(written: &mut Vec<Word>, first: usize, last: usize) -> Option<Period> {
        let years = [first, last].map(|number| written[number].1.clone());
        let is_period = last == first + 2 && is_in(TO, &written[first + 1].1) && years[0] < years[1];
        if !is_period {
            return None;
        }
        let has_word = first > 0 && is_in(BETWEEN, &written[first - 1].1);
        written.drain(first - usize::from(has_word)..=last);
        let label = years.join("–");
        let [first, last] = years;
        Some(Period {
            first,
            last: Some(last),
            label,
        })
    }
}

/// Removes the lowest or the highest value that the words ask for: "over $1 million", "moins de 25 000 $".
pub(super) fn take_bound(written: &mut Vec<Word>, parameter: &'static str) -> Option<u64> {
    let phrases = if parameter == "value_min" { MORE_THAN } else { LESS_THAN };
    let found = ranges(written).into_iter().filter(|(text, _)| is_in(phrases, text));
    let amounts = found.filter_map(|(_, range)| {
        let (amount, words) = amount(&written[range.end..], parameter)?;
        Some((amount, range.start..range.end + words))
    });
    let (amount, range) = amounts.max_by_key(|(_, range)| range.len())?;
    written.drain(range);
    Some(amount)
}

/// The dollars at the beginning of the words, and how many words these are. A small number without a unit counts
/// something else: "more than 3 bridges".
fn amount(written: &[Word], parameter: &str) -> Option<(u64, usize)> {
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
    let number = canonical_value(parameter, digits).unwrap_or_else(|| digits.to_owned());
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

fn month(word: &str) -> Option<usize> {
    MONTHS
        .iter()
        .position(|names| names.contains(&word))
        .map(|number| number + 1)
}

fn is_mark(c: char) -> bool {
    matches!(c, '?' | ',' | ';' | ':' | '!' | '.' | '(' | ')')
}

/// Words as they were written, without the marks around them.
pub(super) fn without_marks(written: &[Word]) -> String {
    let words: Vec<&str> = written.iter().map(|(word, _)| word.trim_matches(is_mark)).collect();
    words.join(" ").trim_end_matches(" &").to_owned()
}

/// The words of a text that have letters or digits. A dollar sign belongs to the number before it, and `&` to the word.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word> = Vec::new();
    for word in text.split_whitespace() {
        let folded = word_list(word).join(" ");
        if !folded.is_empty() {
            words.push((word, folded));
        } else if let Some((before, _)) = words.last_mut()
            && (word == "&" || word.trim_matches(is_mark) == "$" && before.ends_with(|c: char| c.is_ascii_digit()))
        {
            let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
            *before = &text[place(before)..place(word) + word.len()];
        }
    }
    words
}

/// Whether words begin as a question does.
pub(super) fn is_question(written: &[Word]) -> bool {
    let first = written.iter().find(|(_, folded)| !is_function_word(folded));
    first.is_some_and(|(_, folded)| is_in(QUESTION_WORDS, folded))
}

/// The words without those that only ask.
pub(super) fn without_question<'a>(written: &[Word<'a>], is_question: bool) -> Vec<Word<'a>> {
    let is_asking = |word: &str| {
        let is_of_question = is_question && (is_in(QUESTION_WORDS, word) || is_in(WORDS_IN_QUESTIONS, word));
        // "achète-t-elle"
        let verb = word.split_once(" t ").map_or(word, |(verb, _)| verb);
        is_of_question || [word, verb].iter().any(|word| is_in(WORDS_OF_QUESTIONS, word))
    };
    let words = written.iter().filter(|(_, folded)| !is_asking(folded));
    words.cloned().collect()
}

/// Removes the first of the phrases that the words have, the longest one there.
fn remove_phrase(written: &mut Vec<Word>, phrases: &str) -> bool {
    let found = ranges(written).into_iter().filter(|(text, _)| is_in(phrases, text));
    let longest = found.max_by_key(|(_, range)| (range.len(), std::cmp::Reverse(range.start)));
    if let Some((_, range)) = &longest {
        written.drain(range.clone());
    }
    longest.is_some()
}

/// Up to [`MAX_NAME_WORDS`] words that follow each other, folded, and which they are.
pub(super) fn ranges(written: &[Word]) -> Vec<(String, Range<usize>)> {
    let starts = 0..written.len();
    let of_start = |from: usize| {
        let last = written.len().min(from + MAX_NAME_WORDS);
        (from + 1..=last).map(move |to| (joined(&written[from..to]), from..to))
    };
    starts.flat_map(of_start).collect()
}

fn joined(written: &[Word]) -> String {
    let words: Vec<&str> = written.iter().map(|(_, folded)| folded.as_str()).collect();
    words.join(" ")
}

/// Whether a word stands for contracts.
pub(super) fn asks_for_contracts(written: &[Word]) -> bool {
    written.iter().any(|(_, folded)| CONTRACTS.contains(&folded.as_str()))
}

/// The words without function words, and words for contracts, at their ends: "sel de route".
pub(super) fn content(mut written: Vec<Word>) -> String {
    if written
        .iter()
        .all(|(_, folded)| CONTRACTS.contains(&folded.as_str()) || is_function_word(folded))
    {
        return String::new();
    }
    let is_left_out = |(_, folded): &Word| is_function_word(folded) || CONTRACTS[..2].contains(&folded.as_str());
    while written.first().is_some_and(is_left_out) {
        written.remove(0);
    }
    while written.last().is_some_and(is_left_out) {
        written.pop();
    }
    without_marks(&written)
}

fn is_in(list: &str, word: &str) -> bool {
    list.split('|').any(|one| one == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_one_year_or_month_or_what_is_between_two_years() {
        for (text, expected) in [
            ("paving 2015?", Some(("2015", Some("2015"), "2015", "paving"))),
            (
                "closing in March 2024",
                Some(("2024-03", Some("2024-03"), "March 2024", "closing in")),
            ),
            ("août, 2016", Some(("2016-08", Some("2016-08"), "août 2016", ""))),
            ("may 2015", Some(("2015-05", Some("2015-05"), "may 2015", ""))),
            ("depuis 2019", Some(("2019", None, "depuis 2019", ""))),
            ("since May 2019", Some(("2019-05", None, "since May 2019", ""))),
            (
                "sel entre 2015 et 2018",
                Some(("2015", Some("2018"), "2015–2018", "sel")),
            ),
            ("salt 2015 to 2018", Some(("2015", Some("2018"), "2015–2018", "salt"))),
            ("paving this year", Some(("2026", Some("2026"), "2026", "paving"))),
            ("l’an dernier", Some(("2025", Some("2025"), "2025", ""))),
            ("sel à partir de 2019", Some(("2019", None, "à partir de 2019", "sel"))),
            ("before 2015", None),
            ("prior to 2015", None),
            ("jusqu’en 2015", None),
            ("closing 15 mars 2024", None),
            ("March 15, 2024", None),
            ("between March and May 2024", None),
            ("over $2000", None),
            ("moins de 2000 $", None),
            ("2000 dollars", None),
            ("contract 02015", None),
            ("après mars 2015", None),
            ("audit 2015 2016", None),
            ("2018 to 2015", None),
            ("2014 to 2015 or 2016", None),
            ("march", None),
        ] {
            let mut written = words(text);
            let found = Period::take(&mut written, 2026);
            let found = found
                .as_ref()
                .map(|of| (of.first.as_str(), of.last.as_deref(), of.label.as_str()));
            let left: Vec<&str> = written.iter().map(|(word, _)| *word).collect();
            let left = left.join(" ");
            let expected_period = expected.map(|(first, last, label, _)| (first, last, label));
            assert_eq!(found, expected_period, "{text}");
            assert_eq!(left, expected.map_or(text, |(.., left)| left), "{text}");
        }
    }

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
