//! The entity types among the words of a search.

use crate::{
    model::EntityType,
    query::translate::{is_function_word, is_term},
    question::{
        asked_for::{Asking, asks_for_contracts, order},
        asking_words::begins_question,
        competition::take_without_competition,
        open_calls::TENDERS,
        words::{Word, is_in, remove_phrase, remove_phrase_between, words},
    },
};

/// What asks for other entity types.
const AWARDS: &str = "avis attribution|attribution notices|award notices|awards";
const DISCLOSURES: &str = "\
    contrats divulgues|contrats federaux divulgues|disclosed contracts|disclosed federal contracts|disclosures|\
    divulgations|divulgations proactives|federal disclosed contracts|proactive disclosure|proactive disclosures";
const STANDING_OFFERS: &str = "\
    offres a commandes|offre a commandes|offres permanentes|offre permanente|standing offers|standing offer|\
    supply arrangements|supply arrangement";

/// The entity types of "contracts": in everyday words, what is disclosed and awarded is a contract, too.
pub(crate) const CONTRACT_TYPES: &[EntityType] = &[EntityType::Contract, EntityType::Disclosure, EntityType::Award];

/// The entity types that a text asks for; none for any.
pub(crate) fn entity_types(text: &str) -> &'static [EntityType] {
    let mut written = words(text);
    // "Without tenders" does not ask for them.
    take_without_competition(&mut written);
    if Asking::OpenTenders.take(&mut written) {
        return &[EntityType::Tender];
    }
    match take_entity_types(&mut written) {
        [] if asks_what_was_spent(&written) => CONTRACT_TYPES,
        [] if order(&mut written).is_some() => take_one_of_type(&mut written),
        types => types,
    }
}

/// Money is spent on contracts, not on calls for tenders.
const SPENT: &str = "depense|depensent|depenser|paid|paye|spend|spending|spends|spent";

/// Whether a question is about money that was spent.
fn asks_what_was_spent(written: &[Word]) -> bool {
    begins_question(written) && written.iter().any(|(_, folded)| is_in(SPENT, folded))
}

/// Removes the name of an entity type, but for "contracts", and returns which types the words ask for: none for any.
pub(crate) fn take_entity_types(written: &mut Vec<Word>) -> &'static [EntityType] {
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

/// What one record is called, and its entity type: next to words that ask for the first of an order.
const ONE_OF_TYPE: [(&str, &[EntityType]); 3] = [
    ("call|tender", &[EntityType::Tender]),
    ("award|award notice|avis attribution", &[EntityType::Award]),
    ("disclosure|divulgation", &[EntityType::Disclosure]),
];

/// Removes the name of an entity type for one record: "newest tender". "Largest call centre supplier" is about a thing.
pub(super) fn take_one_of_type(written: &mut Vec<Word>) -> &'static [EntityType] {
    let is_of_thing = |phrases: &str, after: &[Word]| {
        let is_term = |phrase: &str, (_, next): &Word| is_term(&format!("{phrase} {next}"));
        let next = after.first().filter(|(_, folded)| !is_function_word(folded));
        next.is_some_and(|next| phrases.split('|').any(|phrase| is_term(phrase, next)))
    };
    let mut types = ONE_OF_TYPE.into_iter();
    let found =
        types.find(|(phrases, _)| remove_phrase_between(written, phrases, |_, after| !is_of_thing(phrases, after)));
    found.map_or(&[], |(_, types)| types)
}
