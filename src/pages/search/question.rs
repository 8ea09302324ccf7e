//! The words of a search that ask for something instead of describing what was bought, in both languages.
//!
//! The lists are of folded words without elided articles ("sans appel d'offres" is "sans appel offres"), separated by
//! `|`.

use std::ops::RangeInclusive;

use crate::{
    model::EntityType,
    pages::search::{
        amounts,
        written_words::{
            MAX_NAME_WORDS, Word, elided, is_in, joined, remove_phrase, remove_phrase_before, remove_phrase_between,
            without_marks,
        },
    },
    query::translate::is_function_word,
};

/// Years that a search may be about.
const YEARS: RangeInclusive<i32> = 1990..=2099;

/// Words that begin a question.
const QUESTION_WORDS: &str = "\
    combien|est ce|how|laquelle|lequel|que|quel|quelle|quelles|quels|qui|quoi|what|when|where|which|who|whose";

/// Words that ask for an average: before what it is of, at the beginning, and after a noun. Elsewhere they describe
/// things: "median barrier", "moyenne tension".
const AVERAGES: &str = "average|mediane|median|moyenne|typical";
const AVERAGED: &str = "\
    contract|cost|costs|cout|couts|de|des|du|of|price|prices|prix|valeur|valeurs|value|values";
const FIRST_AVERAGES: &str = "average|typical";
const FRENCH_AVERAGES: &str = "\
    contrat median|contrat moyen|cout median|cout moyen|couts moyens|depense moyenne|montant median|montant moyen|\
    prix median|prix moyen|prix moyens|valeur mediane|valeur moyenne";

/// Verbs and adverbs of questions, which do not describe what was bought.
const WORDS_OF_QUESTIONS: &str = "\
    a t elle|a t il|a t on|accorde|accordes|achete|achetent|all|are|attribue|attribues|awarded|bought|buys|\
    coute|coutent|currently|depense|did|do|does|else|est|eu|gagne|gagnes|get|gets|got|had|has|hired|is|issued|many|\
    most|much|now|obtenu|paye|octroyes|ont|paid|plus|publies|published|remporte|remportes|sells|signed|sold|sont|\
    soumissionne|spend|spends|spent|to|today|un|une|vend|vendent|vendu|was|were|won";

/// Words that ask in a question and describe a purchase elsewhere: "price adjustment".
const WORDS_IN_QUESTIONS: &str = "\
    acheteur|acheteurs|against|amount|autre|autres|award|bid|bids|buy|buyer|buyers|companies|company|contractor|contractors|\
    cost|costs|cout|couts|depenses|entreprise|entreprises|firm|firms|fournisseur|fournisseurs|il|montant|more|pay|price|prices|\
    prix|publie|publient|publish|publishes|sell|spending|still|supplier|suppliers|there|they|vendor|vendors|we|win|wins";

/// What a question about a price begins with, if a function word follows: "prix du mazout".
const PRICES: &str = "cost|costs|cout|couts|depenses|price|prices|prix|spending";

/// What asks for contracts. In a name, only the plural is one: the first words.
pub(super) const CONTRACTS: [&str; 6] = ["contrats", "contracts", "achats", "purchases", "contrat", "contract"];
const PLURALS: usize = 4;

/// What asks for other entity types.
const AWARDS: &str = "avis attribution|attribution notices|award notices|awards";
const DISCLOSURES: &str = "proactive disclosures|proactive disclosure|disclosures|divulgations proactives|divulgations";
const STANDING_OFFERS: &str = "\
    offres a commandes|offre a commandes|offres permanentes|offre permanente|standing offers|standing offer|\
    supply arrangements|supply arrangement";

/// What asks for tenders.
const TENDERS: &str = "\
    avis appels offres|avis appel offres|appels offres|appel offres|calls for tenders|call for tenders|tenders";

/// What asks for purchases without competition.
const WITHOUT_COMPETITION: &str = "\
    awarded without competition|sans mise en concurrence|without competition|without a tender|\
    without tendering|without tenders|without tender|sans appels offres|sans appel offres|\
    sans appel offre|sans concurrence|non competitive|de gre a gre|gre a gre|sole sourced|sole sourcing|\
    sole source|single source|no bid|untendered";

/// What asks for tenders that take bids.
const OPEN_TENDERS: &str = "\
    avis appels offres ouverts|appels offres ouverts|appels offres en cours|\
    open calls for tenders|open call for tenders|open tenders|tenders open";

/// What says that a period is that of the last day for bids.
const CLOSING: &str = "\
    qui se terminent|se terminent|se terminant|qui ont ferme|qui ferment|ferment|fermant|date de fermeture|\
    date de cloture|cloturant|date limite|that are closing|that closed|that close|which close|closing date|\
    closing|closed|due in|fermes en|clotures en";

/// What says that a period is that of the end of a contract or an offer.
const ENDING: &str = "\
    qui se terminent en|qui se terminent|se terminent en|se terminent|se terminant en|se terminant|qui finissent en|\
    qui finissent|finissent en|finissent|finissant en|finissant|qui expirent en|qui expirent|expirent en|expirent|\
    expirant en|expirant|prenant fin en|prenant fin|arrivant a echeance en|arrivant a echeance|that end in|that end|\
    which end in|which end|that expire in|that expire|ending in|ending|ends in|expiring in|expiring|expire in|expire";

/// What asks for the records with the highest values, and for the newest ones, first.
const LARGEST: &str = "\
    plus importants|plus importantes|plus grands|plus grandes|plus gros|plus grosses|plus eleves|plus elevees|\
    plus chers|plus cheres|most expensive|largest|biggest|highest|costliest";

/// The same as the highest values where a question or a list of one of the nouns begins: "top suppliers". "Water main
/// contracts" are about a thing.
const TOP: &str = "main|principaux|principales|top";
pub(super) const RANKED: &str = "\
    achats|acheteurs|buyers|companies|contractors|contracts|contrats|entreprises|firms|fournisseurs|purchases|suppliers|\
    vendors";
const NEWEST: &str = "plus recents|plus recentes|derniers|dernieres|most recent|newest|latest";

/// What asks for contracts that were amended, next to a word for contracts or an order; and the same if nothing else is
/// left: "soil amendment", "modifications of vehicles".
const AMENDED: &str = "\
    that were amended|with amendments|amended|avec avenants|avec avenant|avec modifications|avenants|\
    avenant|ayant ete modifies|qui ont ete modifies|modifies";
const AMENDMENTS: &str = "amendments|amendment|modifications|modifie";

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
const OTHER_BOUNDS: &str = "after|apres|avant|before|moins de|over|plus de|than|to|under|until";

/// What is between the years of a period.
const TO: &str = "a|and|et|to|until";

/// Something that words ask for besides the things that they name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Asking {
    OpenTenders,
    WithoutCompetition,
    Closing,
    Ending,
    Largest,
    Newest,
    Amended,
}

/// The entity types of "contracts": in everyday words, what is disclosed and awarded is a contract, too.
const CONTRACT_TYPES: &[EntityType] = &[EntityType::Contract, EntityType::Disclosure, EntityType::Award];

impl Asking {
    const fn phrases(self) -> &'static str {
        match self {
            Asking::OpenTenders => OPEN_TENDERS,
            Asking::WithoutCompetition => WITHOUT_COMPETITION,
            Asking::Closing => CLOSING,
            Asking::Ending => ENDING,
            Asking::Largest => LARGEST,
            Asking::Newest => NEWEST,
            Asking::Amended => AMENDED,
        }
    }

    /// Removes the first of its phrases that the words have. False if they have none.
    pub(super) fn take(self, written: &mut Vec<Word>) -> bool {
        let is_rank = |before: &[Word], after: &[Word]| {
            before.last().is_none_or(|(_, folded)| is_of_question(folded))
                && after.first().is_some_and(|(_, folded)| is_in(RANKED, folded))
        };
        remove_phrase(written, self.phrases())
            || self == Asking::Largest && remove_phrase_between(written, TOP, is_rank)
    }

    /// The same, of a phrase that says something of a day: before the period, or before what says where or what.
    /// "Closed circuit television" is a thing.
    pub(super) fn take_of_day(self, written: &mut Vec<Word>) -> bool {
        let is_of_day =
            |folded: &str| is_function_word(folded) || folded.parse::<u32>().is_ok() || month(folded).is_some();
        remove_phrase_before(written, self.phrases(), |next| {
            next.is_none_or(|(_, folded)| is_of_day(folded) || is_in(SINCE, folded) || is_in(BETWEEN, folded))
        })
    }
}

/// Whether a word asks, or says nothing for itself.
fn is_of_question(folded: &str) -> bool {
    is_function_word(folded) || is_in(QUESTION_WORDS, folded) || is_in(WORDS_OF_QUESTIONS, folded)
}

/// Removes "amendments" if the words ask for nothing else: "largest amendments"; next to a buyer also "amended".
pub(super) fn take_amendments(written: &mut Vec<Word>, is_question: bool, has_buyer: bool) -> bool {
    let mut rest = written.clone();
    let is_taken = remove_phrase(&mut rest, AMENDMENTS) || has_buyer && remove_phrase(&mut rest, AMENDED);
    let asks = is_taken && content(rest.clone(), is_question).is_empty();
    if asks {
        *written = rest;
    }
    asks
}

/// Removes the name of an entity type, but for "contracts", and returns which types the words ask for: none for any.
pub(super) fn take_entity_types(written: &mut Vec<Word>) -> &'static [EntityType] {
    let named: [(&str, &[EntityType]); 4] = [
        (TENDERS, &[EntityType::Tender]),
        (STANDING_OFFERS, &[EntityType::StandingOffer]),
        (DISCLOSURES, &[EntityType::Disclosure]),
        (AWARDS, &[EntityType::Award]),
    ];
    let found = named.into_iter().find(|(phrases, _)| remove_phrase(written, phrases));
    match found {
        Some((_, types)) => types,
        None if asks_for_contracts(written) => CONTRACT_TYPES,
        None => &[],
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
        let is_year = |number: &usize| is_year(&written[*number].1) && !amounts::has_unit(&written[*number..]);
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

/// Whether a folded word is a year that a search may be about.
pub(super) fn is_year(folded: &str) -> bool {
    folded.len() == 4 && folded.parse().is_ok_and(|year| YEARS.contains(&year))
}

fn month(word: &str) -> Option<usize> {
    MONTHS
        .iter()
        .position(|names| names.contains(&word))
        .map(|number| number + 1)
}

/// Whether words begin as a question does, or ask for an average.
pub(super) fn is_question(written: &[Word]) -> bool {
    let first = written.iter().find(|(_, folded)| !is_function_word(folded));
    let is_of_average = (0..written.len()).any(|number| is_average(written, number));
    let is_of_price = match written {
        [(_, first), (next, folded), ..] => {
            let is_elided = elided(next) != *next;
            is_in(PRICES, first) && (is_elided || is_function_word(folded))
        }
        _ => false,
    };
    is_of_average || is_of_price || first.is_some_and(|(_, folded)| is_in(QUESTION_WORDS, folded))
}

/// Whether a word asks for an average.
fn is_average(written: &[Word], number: usize) -> bool {
    let folded = written[number].1.as_str();
    let is_before = |(next, of): &Word| is_in(AVERAGED, of) || elided(next) != *next;
    let has_next = written.get(number + 1).is_some_and(is_before);
    let is_after = number > 0 && is_in(FRENCH_AVERAGES, &joined(&written[number - 1..=number]));
    is_after || is_in(AVERAGES, folded) && has_next || number == 0 && is_in(FIRST_AVERAGES, folded)
}

/// The words without those that only ask.
pub(super) fn without_question<'a>(written: &[Word<'a>], is_question: bool) -> Vec<Word<'a>> {
    let is_asking = |word: &str| {
        let is_of_question = is_question && (is_in(QUESTION_WORDS, word) || is_in(WORDS_IN_QUESTIONS, word));
        // "achète-t-elle"
        let verb = word.split_once(" t ").map_or(word, |(verb, _)| verb);
        is_of_question || [word, verb].iter().any(|word| is_in(WORDS_OF_QUESTIONS, word))
    };
    let words = written.iter().enumerate();
    let words = words.filter(|(number, (_, folded))| !is_asking(folded) && !is_average(written, *number));
    words.map(|(_, word)| word.clone()).collect()
}

/// Whether words are about contracts and what is left of them: "IBM contracts", "achats de mobilier".
pub(super) fn is_about_contracts(written: &[Word]) -> bool {
    let is_one = |(_, folded): &Word| CONTRACTS[..PLURALS].contains(&folded.as_str());
    let is_first = match written {
        [first, (next, folded), ..] => is_one(first) && (elided(next) != *next || is_function_word(folded)),
        _ => false,
    };
    is_first || written.len() > 1 && written.last().is_some_and(is_one)
}

/// Whether a word stands for contracts.
pub(super) fn asks_for_contracts(written: &[Word]) -> bool {
    written.iter().any(|(_, folded)| CONTRACTS.contains(&folded.as_str()))
}

/// The words without function words, and words for contracts, at their ends: "sel de route". In a question, the
/// singular is not in a name either.
pub(super) fn content(mut written: Vec<Word>, is_question: bool) -> String {
    if written
        .iter()
        .all(|(_, folded)| CONTRACTS.contains(&folded.as_str()) || is_function_word(folded))
    {
        return String::new();
    }
    let contracts = if is_question {
        &CONTRACTS[..]
    } else {
        &CONTRACTS[..PLURALS]
    };
    let is_left_out = |(_, folded): &Word| is_function_word(folded) || contracts.contains(&folded.as_str());
    while written.first().is_some_and(is_left_out) {
        written.remove(0);
    }
    while written.last().is_some_and(is_left_out) {
        written.pop();
    }
    if let Some((first, _)) = written.first_mut() {
        *first = elided(first);
    }
    without_marks(&written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::search::written_words::words;

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
            ("more than 2000 litres of diesel", None),
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
}
