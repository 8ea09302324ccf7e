//! The page that says who bid, for words that ask for it: "roofing calls with one bidder", "who never wins".

use crate::{
    api::analysis::suggest::Suggested,
    catalog::{
        ask::Ask,
        suggest::{Likeness, MeaningType},
        suppliers::Party,
    },
    engine::Error,
    model::fold::word_list,
    pages::{
        address,
        messages::Texts,
        search::{
            asking_words::NEVER_WON,
            meanings::{Meaning, found, profile},
            parts::subject_of_question,
            versus::city,
            written_words::{is_in, remove_phrase, without_marks, words},
        },
    },
};

/// What asks for the number of bidders, or for the bids of a supplier: folded phrases without elided articles.
const BIDDERS: &str = "\
    bids|gagne appel offres|gagne des appels offres|gagne un appel offres|lost bids|soumissions|won a tender|\
    avec un seul soumissionnaire|avec une seule offre|avec une seule soumission|combien de soumissionnaires|\
    combien de soumissions|combien offres|how many bidders|how many bids|just one bid|just one bidder|\
    nombre de soumissionnaires|nombre de soumissions|number of bidders|number of bids|one bid|one bidder|only one bid|\
    only one bidder|seul soumissionnaire|seule soumission|single bid|single bidder|single bids|un seul soumissionnaire|\
    une seule offre|une seule soumission|with a single bid|with a single bidder|with just one bid|\
    with just one bidder|with one bid|with one bidder|with only one bid|with only one bidder";

/// Words for what is bid on, and "only", next to them.
const CALLS: &str = "\
    appel|appels|call|calls|conforme|conformes|only|procurement|sans|seulement|that|uniquement|which";

/// Parts of the pages of bodies and trades, the second one also of suppliers.
const NEVER_WON_PART: &str = "#never-won";
const BIDS_PART: &str = "#bids";

/// The page of the city, the body, the supplier or the trade that the words name: it says who bid, where publishers
/// state it. `None` for words that do not ask for it, or name none.
pub(super) fn who_bid(ask: &Ask, t: Texts, text: &str) -> Result<Option<Meaning>, Error> {
    let mut written = words(text);
    let part = if remove_phrase(&mut written, NEVER_WON) {
        NEVER_WON_PART
    } else if remove_phrase(&mut written, BIDDERS) {
        BIDS_PART
    } else {
        return Ok(None);
    };
    written.retain(|(_, folded)| !is_in(CALLS, folded));
    let suppliers = ask.generation.parties(Party::Supplier);
    let Some(about) = subject_of_question(&without_marks(&written), suppliers) else {
        return Ok(None);
    };
    let meaning = |label: &str, records: u64, page: String, part: &str| Meaning {
        label: t.with("search-who-bid", &[("name", &label)]),
        what: t.text("search-meaning-who-bid"),
        count: t.with("search-meaning-records", &[("count", &records)]),
        href: page + part,
        ..Meaning::default()
    };
    if let Some(city) = city(ask, t, &about) {
        let page = address::party(t.language(), Party::Body, &city.id);
        return Ok(Some(meaning(&city.label, city.records, page, part)));
    }
    let begins = |found: &Suggested| word_list(&found.label).starts_with(&word_list(&about));
    let is_meant = |found: &Suggested| match found.meaning {
        MeaningType::Department => found.likeness == Likeness::Exact,
        MeaningType::Supplier => found.likeness == Likeness::Exact || begins(found),
        MeaningType::Commodity => true,
        MeaningType::Solicitation | MeaningType::Municipality => false,
    };
    let mut found = found(ask, t, &about)?.into_iter().filter(is_meant);
    Ok(found.find_map(|found| {
        // The page of a supplier has the calls that it won next to the others.
        let is_supplier = found.meaning == MeaningType::Supplier;
        let part = if is_supplier { BIDS_PART } else { part };
        let page = profile(t.language(), &found)?;
        Some(meaning(&found.label, found.records, page, part))
    }))
}
