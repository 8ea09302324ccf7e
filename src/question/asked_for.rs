//! The words of a search that ask for something instead of describing what was bought, in both languages.
//!
//! The lists are of folded words without elided articles ("sans appel d'offres" is "sans appel offres"), separated by
//! `|`.

use crate::{
    query::translate::{is_function_word, is_term},
    question::{
        asking_words::{
            AMENDED, AMENDMENTS, GREW, QUESTION_WORDS, asks, begins_question, is_determiner, is_of_question,
            take_growth,
        },
        near_period,
        open_calls::{CALLED, OPEN_TENDER, OPEN_TENDERS},
        period::{BETWEEN, SINCE, begins_fiscal_year, month},
        when_it_ends::{CLOSING_SOON, ENDING_SOON},
        words::{
            Word, elided, is_in, joined, remove_phrase, remove_phrase_before, remove_phrase_between, without_marks,
            words,
        },
    },
};

/// Words that ask for an average: before what it is of, at the beginning, and after a noun. Elsewhere they describe
/// things: "median barrier", "moyenne tension".
const AVERAGES: &str = "average|mediane|median|moyenne|typical|usual";
const AVERAGED: &str = "\
    contract|cost|costs|cout|couts|de|des|du|of|price|prices|prix|valeur|valeurs|value|values";
const FIRST_AVERAGES: &str = "average|typical";
const FRENCH_AVERAGES: &str = "\
    contrat median|contrat moyen|cout habituel|cout median|cout moyen|couts habituels|couts moyens|depense moyenne|\
    montant median|montant moyen|prix habituel|prix habituels|prix median|prix moyen|prix moyens|valeur habituelle|\
    valeur mediane|valeur moyenne";

/// Words that ask after a word for contracts, or before a function word: "contract value", "share of". Elsewhere they
/// are names and things: "Value Village", "spare part".
const AMOUNTS: &str = "number|numbers|nombre|valeur|valeurs|value|values";
/// Those that ask for a share.
const SHARES: &str = "fraction|part|per cent|percent|percentage|pourcentage|proportion|share";
/// The same where nothing that it is of follows: "spare part contracts" are of a thing.
const SHARES_ALONE: &str = "per cent|percent|percentage|pourcentage|proportion|share";

/// What is before a verb of a question.
const AUXILIARIES: &str = "a|has|have";

/// What asks for a chart, which every page of results has.
const BY_YEAR: &str = "\
    annee par annee|annual trend|au fil des annees|au fil des ans|by year|each year|over the years|over time|\
    over years|ont elles augmente|ont ils augmente|a t elle augmente|a t il augmente|been going up|been increasing|gone down|gone up|gone up or down|\
    been rising|a la hausse ou a la baisse|augmente ou diminue|augmentent ou diminuent|go down|go up|go up or down|\
    goes up|goes up or down|going up or down|up or down|evolution de|evolution des|evolution du|going up|par an|\
    par annee|per year|selon annee|trend by year|trend in|trend of|trend over the years|trend over time|trend over years|\
    trends over time|croissance des revenus|evolution des revenus|year by year|yearly trend";

/// What a question about a price begins with, if a function word follows: "prix du mazout".
const PRICES: &str = "cost|costs|cout|couts|depenses|montant|montants|price|prices|prix|somme|spending|total|totals";

/// What may be before it.
const WHOLE: &str = "all|total|totale|tous|toutes";

/// What asks for contracts. In a name, only the plural is one: the first words.
pub(crate) const CONTRACTS: [&str; 6] = ["contrats", "contracts", "achats", "purchases", "contrat", "contract"];
const PLURALS: usize = 4;

/// What says that a period is that of the last day for bids.
const CLOSING: &str = "\
    qui se terminent|se terminent|se terminant|qui ont ferme|qui ferment|ferment|fermant|date de fermeture|\
    date de cloture|cloturant|date limite|that are closing|that closed|that close|which close|closing date|\
    closing|closed|due|due in|fermes en|clotures en";

/// What says that a period is that of the end of a contract or an offer.
const ENDING: &str = "\
    qui se terminent en|qui se terminent|se terminent en|se terminent|se terminant en|se terminant|qui finissent en|\
    qui finissent|finissent en|finissent|finissant en|finissant|qui expirent en|qui expirent|expirent en|expirent|\
    expirant en|expirant|prennent fin en|prennent fin|viennent a echeance en|viennent a echeance|\
    arrivent a echeance en|arrivent a echeance|qui prennent fin en|qui prennent fin|qui viennent a echeance en|\
    qui viennent a echeance|qui arrivent a echeance en|qui arrivent a echeance|that run out in|run out in|run out|\
    finish in|that finish in|lapse in|that lapse in|\
    end in|will end in|end date|prenant fin en|prenant fin|arrivant a echeance en|arrivant a echeance|that end in|that end|\
    which end in|which end|that expire in|that expire|ending in|ending|ends in|expiring in|expiring|expire in|expire";

/// What a period that is not named begins with: "this year".
const THIS: &str = "annee|cette|last|this";

/// What asks for the records with the highest values, and for the newest ones, first.
const LARGEST: &str = "\
    plus importants|plus importantes|plus grands|plus grandes|plus gros|plus grosses|plus eleves|plus elevees|\
    plus chers|plus cheres|most expensive|largest|biggest|highest|costliest";

/// The same as the highest values where a question or a list of one of the nouns begins: "top suppliers". "Water main
/// contracts" are about a thing.
const TOP: &str = "main|principaux|principales|top";
pub(crate) const RANKED: &str = "\
    achats|acheteurs|buyers|companies|contractors|contracts|contrats|entreprises|firms|fournisseurs|purchases|\
    suppliers|vendors";

/// Those that a thing may be before: "top paving companies".
const RANKED_FIRMS: &str = "compagnies|companies|contractors|entreprises|firmes|firms|fournisseurs|suppliers|vendors";

/// What asks for those with most contracts, if a word for contracts follows: "most snow removal contracts".
const MOST: &str = "le plus grand nombre|le plus souvent|most|most often|plus de|plus grand nombre de";
/// What is between them where it is about money.
const MONEY: &str = "argent|dollars|expensive|money|spent|value";

/// What asks for the lowest values, and for the oldest records.
const SMALLEST: &str =
    "cheapest|least expensive|lowest value|moins chers|moins cheres|moins eleves|plus petits|plus petites|smallest";
const OLDEST: &str = "first contract|first contracts|premier contrat|premiers contrats|oldest|plus anciens|plus anciennes|plus vieux|earliest";
const NEWEST: &str = "\
    plus recents|plus recentes|dernier achat|dernier contrat|derniere fois|derniers|dernieres|last awarded|last bid|\
    last bought|last buy|last contract|last contracts|last get|last got|last purchase|last purchased|last receive|\
    last received|last sell|last sold|last time|last win|last won|most recent|newest|latest";

/// The same at the beginning, if a word for tenders or contracts follows: "new tenders".
const NEW: &str = "new|nouveau|nouveaux|nouvel|nouvelle|nouvelles";

/// The same with at most three words before the contract: "who won the last janitorial contract".
const LAST: &str = "last|most recent";

/// Something that words ask for besides the things that they name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asking {
    OpenTenders,
    Closing,
    ClosingSoon,
    Ending,
    EndingSoon,
    Largest,
    Smallest,
    Newest,
    Oldest,
    Amended,
}

impl Asking {
    const fn phrases(self) -> &'static str {
        match self {
            Asking::OpenTenders => OPEN_TENDERS,
            Asking::Closing => CLOSING,
            Asking::ClosingSoon => CLOSING_SOON,
            Asking::Ending => ENDING,
            Asking::EndingSoon => ENDING_SOON,
            Asking::Largest => LARGEST,
            Asking::Smallest => SMALLEST,
            Asking::Newest => NEWEST,
            Asking::Oldest => OLDEST,
            Asking::Amended => AMENDED,
        }
    }

    /// Removes the first of its phrases that the words have. False if they have none.
    pub(crate) fn take(self, written: &mut Vec<Word>) -> bool {
        let is_rank = |before: &[Word], after: &[Word]| {
            before.last().is_none_or(|(_, folded)| is_of_question(folded))
                && after.first().is_some_and(|(_, folded)| is_in(RANKED, folded))
        };
        // "Top soil" is a thing.
        let is_rank_of_thing = |before: &[Word], after: &[Word]| {
            before.last().is_none_or(|(_, folded)| is_of_question(folded))
                && after.first().is_some_and(|(_, folded)| folded != "soil")
                && after.iter().any(|(_, folded)| is_in(RANKED_FIRMS, folded))
        };
        let is_new = |before: &[Word], after: &[Word]| {
            before.iter().all(|(_, folded)| is_of_question(folded))
                && after
                    .first()
                    .is_some_and(|(_, folded)| CONTRACTS.contains(&folded.as_str()) || is_in(CALLED, folded))
        };
        let is_last = |before: &[Word], after: &[Word]| {
            let is_contract = |(_, folded): &Word| is_in("contract|contracts", folded);
            before.iter().all(|(_, folded)| is_of_question(folded)) && after.iter().take(4).any(is_contract)
        };
        remove_phrase(written, self.phrases())
            || self == Asking::Amended && remove_phrase(written, GREW)
            || self == Asking::OpenTenders && remove_phrase_between(written, OPEN_TENDER, |before, _| before.is_empty())
            || self == Asking::Newest && remove_phrase_between(written, LAST, is_last)
            || self == Asking::Newest && remove_phrase_between(written, NEW, is_new)
            || self == Asking::Largest
                && (remove_phrase_between(written, TOP, is_rank)
                    || remove_phrase_between(written, "top", is_rank_of_thing))
    }

    /// The same, of a phrase that says something of a day: before the period, or before what says where or what.
    /// "Closed circuit television" is a thing.
    pub(crate) fn take_of_day(self, written: &mut Vec<Word>) -> bool {
        let is_of_day = |folded: &str| {
            is_function_word(folded)
                || folded.parse::<u32>().is_ok()
                || month(folded).is_some()
                || is_in(THIS, folded)
                || near_period::BEGINS.iter().any(|list| is_in(list, folded))
        };
        remove_phrase_before(written, self.phrases(), |next| {
            let begins = |list: &str, folded: &str| is_in(list, folded);
            next.is_none_or(|(_, folded)| {
                is_of_day(folded) || begins_fiscal_year(folded) || begins(SINCE, folded) || begins(BETWEEN, folded)
            })
        })
    }
}

/// Removes the words that ask for an order.
pub(crate) fn order(written: &mut Vec<Word>) -> Option<[&'static str; 2]> {
    let orders = [
        (Asking::Largest, ["value", "desc"]),
        (Asking::Smallest, ["value", "asc"]),
        (Asking::Newest, ["date", "desc"]),
        (Asking::Oldest, ["date", "asc"]),
    ];
    orders
        .into_iter()
        .find_map(|(of, order)| of.take(written).then_some(order))
}

/// Whether words ask for those with most contracts, instead of the highest value.
pub(crate) fn asks_for_most_contracts(written: &[Word]) -> bool {
    let is_before_contracts = |_: &[Word], after: &[Word]| {
        // "plus de 1 million $ de contrats"
        if after
            .first()
            .is_some_and(|(word, _)| word.starts_with(|c: char| c.is_ascii_digit() || c == '$'))
        {
            return false;
        }
        let number = after
            .iter()
            .position(|(_, folded)| CONTRACTS.contains(&folded.as_str()));
        number.is_some_and(|number| after[..number].iter().all(|(_, folded)| !is_in(MONEY, folded)))
    };
    remove_phrase_between(&mut written.to_vec(), MOST, is_before_contracts)
}

/// Removes the word for firms at the end, which are those that sell what is before it: "body armour suppliers".
/// "Law firms" are a trade, and "services to businesses" are for them.
pub(crate) fn take_firms_at_end(written: &mut Vec<Word>) -> bool {
    let of_trade = (0..written.len().saturating_sub(1)).any(|from| is_term(&joined(&written[from..])));
    let is_end = |before: &[Word], after: &[Word]| {
        let ends_name = before.last().is_some_and(|(_, folded)| !is_function_word(folded));
        ends_name && !of_trade && after.is_empty()
    };
    remove_phrase_between(written, RANKED_FIRMS, is_end)
}

/// What firms do, of words that begin with one for firms: "génie" of "firmes de génie".
pub(crate) fn without_firms(about: String) -> String {
    match words(&about).split_first() {
        Some(((_, first), rest @ [(next, folded), ..]))
            if is_in(RANKED_FIRMS, first) && (is_function_word(folded) || elided(next) != *next) =>
        {
            content(rest.to_vec(), true)
        }
        _ => about,
    }
}

/// Removes the words that ask for the figures of each year.
pub(crate) fn take_by_year(written: &mut Vec<Word>) -> bool {
    // "Évolution des contrats par année"
    let mut is_taken = false;
    while remove_phrase(written, BY_YEAR) {
        is_taken = true;
    }
    take_growth(written) || is_taken
}

/// Removes "amendments" if the words ask for nothing else: "largest amendments"; next to a buyer also "amended".
pub(crate) fn take_amendments(written: &mut Vec<Word>, is_question: bool, has_buyer: bool) -> bool {
    let mut rest = written.clone();
    let is_taken = remove_phrase(&mut rest, AMENDMENTS) || has_buyer && Asking::Amended.take(&mut rest);
    let asks = is_taken && content(rest.clone(), is_question).is_empty();
    if asks {
        *written = rest;
    }
    asks
}

/// Whether words begin as a question does, or ask for an average.
pub(crate) fn is_question(written: &[Word]) -> bool {
    let is_of_average = (0..written.len()).any(|number| is_average(written, number));
    // "La part des contrats", "toutes les dépenses de la ville"
    let is_before = |number: &usize| is_determiner(written, *number) || is_in(WHOLE, &written[*number].1);
    let first = (0..written.len()).take_while(is_before).count();
    let is_amount_of = |pair: &[Word]| {
        let [(_, amount), (next, folded)] = pair else {
            return false;
        };
        let is_elided = elided(next) != *next;
        let is_one = [PRICES, AMOUNTS, SHARES].iter().any(|list| is_in(list, amount));
        is_one && (is_elided || is_function_word(folded))
    };
    let is_of_amount = written.windows(2).take(first + 1).any(is_amount_of);
    is_of_average || is_of_amount || begins_question(written)
}

/// Whether a word of a question asks for an amount, or for a share, of something.
fn is_amount(written: &[Word], number: usize, list: &str) -> bool {
    let asks_or_buys = |(_, folded): &Word| CONTRACTS.contains(&folded.as_str()) || is_in(QUESTION_WORDS, folded);
    let is_of_contract = number > 0 && asks_or_buys(&written[number - 1]);
    let is_of = |(next, folded): &Word| is_function_word(folded) || elided(next) != *next;
    let is_before = written.get(number + 1).is_some_and(is_of);
    // "valeur médiane"
    let is_averaged = number + 1 < written.len() && is_average(written, number + 1);
    is_in(list, &written[number].1) && (is_of_contract || is_before || is_averaged)
}

/// Whether the words of a question ask for a share: "what percentage of contracts".
pub(crate) fn asks_for_share(written: &[Word]) -> bool {
    (0..written.len()).any(|number| is_amount(written, number, SHARES))
}

/// Removes a word for a share, next to a condition whose share it is: "sole source share". "Bike share" is a thing.
pub(super) fn take_share(written: &mut Vec<Word>) -> bool {
    let is_of_thing = |(_, folded): &Word| {
        let mut shares = SHARES_ALONE.split('|');
        shares.any(|share| is_term(&format!("{folded} {share}")))
    };
    remove_phrase_between(written, SHARES_ALONE, |before, _| {
        !before.last().is_some_and(is_of_thing)
    })
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
pub(crate) fn without_question<'a>(written: &[Word<'a>], is_question: bool) -> Vec<Word<'a>> {
    let is_asking = |word: &str| asks(word, is_question);
    let is_amount = |number| is_question && [AMOUNTS, SHARES].iter().any(|list| is_amount(written, number, list));
    // "a reçu"
    let is_auxiliary = |number: usize| {
        let next = written.get(number + 1);
        is_question && is_in(AUXILIARIES, &written[number].1) && next.is_some_and(|(_, folded)| is_asking(folded))
    };
    let is_kept = |number: &usize| {
        let asks = is_asking(&written[*number].1) || is_average(written, *number);
        let is_determiner = is_question && is_determiner(written, *number);
        !asks && !is_determiner && !is_amount(*number) && !is_auxiliary(*number)
    };
    let is_name = |number: &usize| is_kept(number) && !is_function_word(&written[*number].1);
    let is_nothing = |number: &usize| is_kept(number) && is_function_word(&written[*number].1);
    // "Acme" and "sel" are not next to each other in "Acme a dépensé en sel".
    let is_between = |number: usize| {
        let before = (0..number).rev().find(|number| !is_nothing(number));
        let after = (number..written.len()).find(|number| !is_nothing(number));
        before.as_ref().is_none_or(is_name) && after.as_ref().is_none_or(is_name)
    };
    let words = (0..written.len()).filter(is_kept);
    let words = words.filter(|number| !is_question || !is_nothing(number) || is_between(*number));
    words.map(|number| written[number].clone()).collect()
}

/// Whether words are about contracts and what is left of them: "IBM contracts", "achats de mobilier", "contrats Acme
/// Zénith".
///
/// `is_firm`: whether folded words are the name of a firm, or begin one.
pub(crate) fn is_about_contracts(written: &[Word], is_firm: impl Fn(&str) -> bool) -> bool {
    let is_one = |(_, folded): &Word| CONTRACTS[..PLURALS].contains(&folded.as_str());
    let is_name = |next: &str| {
        let begins_with_capital = next.starts_with(char::is_uppercase) || written.len() > 2;
        begins_with_capital && is_firm(&joined(&written[1..]))
    };
    let is_first = match written {
        [first, (next, folded), ..] => {
            is_one(first) && (elided(next) != *next || is_function_word(folded) || is_name(next))
        }
        _ => false,
    };
    is_first || written.len() > 1 && written.last().is_some_and(is_one)
}

/// Whether one of the words means contracts.
pub(crate) fn asks_for_contracts(written: &[Word]) -> bool {
    written.iter().any(|(_, folded)| CONTRACTS.contains(&folded.as_str()))
}

/// What is between two choices. At an end, the other one was taken: "gré à gré ou appel d'offres". Not "or", which is
/// gold in French.
const OR: &str = "ou|versus|vs";

/// What joins a clause to the words before it.
const RELATIVES: &str = "dont|qui|that|which";

/// The words without function words, and words for contracts, at their ends: "sel de route". In a question, the
/// singular is not in a name either.
pub(crate) fn content(mut written: Vec<Word>, is_question: bool) -> String {
    let says_nothing = |folded: &str| is_function_word(folded) || is_in(OR, folded) || is_in(RELATIVES, folded);
    if written
        .iter()
        .all(|(_, folded)| CONTRACTS.contains(&folded.as_str()) || says_nothing(folded))
    {
        return String::new();
    }
    let contracts = if is_question {
        &CONTRACTS[..]
    } else {
        &CONTRACTS[..PLURALS]
    };
    // "Share of fuel contracts goes to Acme"
    written.retain(|(_, folded)| !is_question || !CONTRACTS[..PLURALS].contains(&folded.as_str()));
    let is_left_out = |(_, folded): &Word| says_nothing(folded) || contracts.contains(&folded.as_str());
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
