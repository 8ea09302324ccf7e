//! What asks when contracts end or calls close. The lists are of folded words, separated by `|`.

use crate::{
    query::translate::is_function_word,
    question::words::{Word, elided, is_in, remove_phrase_between},
};

/// Phrases for the order in which what closes, or ends, next comes first.
pub(super) const CLOSING_SOON: &str = "\
    close next week|close soon|close this month|close this week|closes this week|closing next week|closing this month|\
    closing this week|due next week|due this week|ferment cette semaine|ferment la semaine prochaine|\
    fermant cette semaine|qui ferment cette semaine|qui ferment la semaine prochaine|se terminent cette semaine|\
    qui se terminent cette semaine|closes soon|closing soon|due soon|or close soon|or closes soon|or closing soon|\
    fermant bientot|ferment bientot|qui ferment bientot|that close soon";
pub(super) const ENDING_SOON: &str = "\
    end soon|ending soon|expirant bientot|expire soon|expirent bientot|expiring soon|finissant bientot|\
    finissent bientot|prenant fin bientot|prennent fin bientot|qui expirent bientot|qui finissent bientot|\
    qui prennent fin bientot|qui se terminent bientot|se terminant bientot|se terminent bientot|that end soon|\
    that expire soon|up for renewal";

/// Words that ask when, the verbs that follow them, and nouns that ask without a question.
const WHEN: &str = "quand|when";
const ENDS: &str = "\
    arrive a echeance|arrivent a echeance|end|ends|expire|expirent|expires|fini|finira|finissent|finit|prend fin|\
    prendra fin|prennent fin|run out|runs out|se termine|se terminent|se terminera|termine|terminent|will end";
const END_DATES: &str = "\
    date de fin de contrat|date de fin du contrat|date de fin|end date|end dates|expiration date|expiry date|\
    fin de contrat|fin du contrat";

/// Those that ask before a name, too.
const ENDS_OF_CONTRACT: &str = "end of contract|end of the contract|fin de contrat|fin du contrat";

/// Removes what asks when contracts end: "when does the contract of Acme end", "Acme contract end date".
pub(super) fn take_when_it_ends(written: &mut Vec<Word>) -> bool {
    let asks_when = |word: &Word| is_in(WHEN, &word.1);
    let Some(when) = written.iter().position(asks_when) else {
        let has_names = written.iter().any(|(word, _)| word.starts_with(char::is_lowercase));
        // "Fin du contrat Acme"
        let is_of_name = |before: &[Word], after: &[Word]| {
            let is_name = |(word, _): &Word| elided(word).starts_with(char::is_uppercase);
            before.is_empty() && has_names && after.first().is_some_and(is_name)
        };
        return remove_phrase_between(written, END_DATES, is_of_contract)
            || remove_phrase_between(written, ENDS_OF_CONTRACT, is_of_name);
    };
    // "When does the front end loader contract end": what asks is last, or next to "quand".
    let mut rest = written.clone();
    let is_last = remove_phrase_between(&mut rest, ENDS, |before, after| before.len() > when && after.is_empty());
    let is_taken = is_last || remove_phrase_between(&mut rest, ENDS, |before, _| before.len() == when + 1);
    if is_taken {
        rest.remove(when);
        *written = rest;
    }
    is_taken
}

/// "Acme contract end date" and "date de fin du contrat de GFL" are about contracts, "expiry date labels" and
/// "indemnité de fin de contrat" are not.
fn is_of_contract(before: &[Word], after: &[Word]) -> bool {
    let is_joined = |word: Option<&Word>| word.is_some_and(|(_, folded)| is_function_word(folded));
    match (before, after) {
        ([], after) => is_joined(after.first()),
        (before, []) => !is_joined(before.last()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::words::{without_marks, words};

    #[test]
    fn words_ask_when_a_contract_ends() {
        for (text, asks, rest) in [
            ("when does the Acme contract end", true, "does the Acme contract"),
            (
                "quand se termine le contrat de Gaz Métro ?",
                true,
                "le contrat de Gaz Métro",
            ),
            ("Acme contract end date", true, "Acme contract"),
            ("date de fin du contrat de GFL", true, "de GFL"),
            ("fin du contrat d'Acme", true, "d'Acme"),
            ("Expiry Date Labels", false, "Expiry Date Labels"),
            ("fin de contrat scolaire", false, "fin de contrat scolaire"),
            ("end caps", false, "end caps"),
            ("expiry date labels", false, "expiry date labels"),
            ("indemnité de fin de contrat", false, "indemnité de fin de contrat"),
            ("fin de contrat", false, "fin de contrat"),
            (
                "when does the front end loader contract end",
                true,
                "does the front end loader contract",
            ),
            ("when was the last contract", false, "when was the last contract"),
        ] {
            let mut written = words(text);
            assert_eq!(take_when_it_ends(&mut written), asks, "{text}");
            assert_eq!(without_marks(&written), rest, "{text}");
        }
    }
}
