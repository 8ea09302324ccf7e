//! What asks for the bids on calls: who bid, how many did, who never wins.
//!
//! The lists are of folded phrases without elided articles, separated by `|`.

use crate::question::{
    open_calls::TENDERS,
    words::{Word, is_in, remove_phrase},
};

/// What asks for who bid, for those that lost, or for the competition.
const BIDDERS: &str = "\
    a soumissionne|bid against|bids against|compete against|compete with|competes against|competes with|\
    competitors of|concurrents de|fait concurrence|fait concurrence a|font concurrence|font concurrence a|rivals of|\
    soumissionne contre|soumissionnent contre|a soumissionne contre|bid on|bidder|bidders|bidding on|bids|\
    combien de firmes ont soumissionne|combien de fournisseurs ont soumissionne|\
    combien entrepreneurs ont soumissionne|combien entreprises ont soumissionne|combien de firmes soumissionnent|\
    combien de fournisseurs soumissionnent|combien de personnes soumissionnent|combien entreprises soumissionnent|\
    combien soumissionnent|combien offres|concurrence dans|concurrence pour|concurrence sur|degree of competition|\
    gagne appel offres|gagne des appels offres|gagne un appel offres|how competitive|how many companies bid|\
    how much competition|level of competition|niveau de concurrence|quel niveau de concurrence|quelle concurrence|\
    how many contractors bid|how many firms bid|how many suppliers bid|how many vendors bid|biggest bidders|losers|\
    losing bidders|main bidders|most frequent bidders|plus gros soumissionnaires|principaux soumissionnaires|\
    top bidders|losing bids|lost a tender|lost bids|lost tenders|perdants|qui a perdu|qui a soumissionne|\
    qui autre a soumissionne|qui ont perdu|qui ont soumissionne|qui perd|qui perdent|qui soumissionne|\
    qui soumissionnent|soumissionnaire|soumissionnaires|soumissionnaires perdants|soumissions|unsuccessful bidders|\
    qui a soumissionne contre|qui ont soumissionne contre|qui soumissionne contre|qui soumissionnent contre|\
    who bid against|who bids against|who bid|who bids|who else bid|who else bids|who has bid|who lose|who loses|who lost|won a tender";

/// What asks for the number of bidders.
const HOW_MANY: &str = "\
    average bids|average number of bidders|average number of bids|combien de soumissionnaires|\
    combien de soumissionnaires en moyenne|combien de soumissions|combien de soumissions en moyenne|how many bidders|\
    how many bidders on average|how many bids|how many bids on average|nombre de soumissionnaires|\
    nombre de soumissions|nombre moyen de soumissionnaires|nombre moyen de soumissions|number of bidders|\
    number of bids|soumissions moyennes";

/// What asks for bidders that won nothing.
const NEVER_WON: &str = "\
    gagne jamais|gagnent jamais|jamais gagne|jamais gagner|jamais obtenir|ne gagne jamais|ne gagnent jamais|\
    obtiennent jamais|n obtiennent jamais|remportent jamais|ne remportent jamais|never wins|\
    jamais remporte|jamais remporter|n ont jamais gagne|never been awarded|\
    never win|never winning|never won|sans gagner|sans jamais gagner|sans jamais obtenir|sans jamais remporter|\
    without ever winning|without winning";

/// What asks for calls with one bidder: folded phrases without elided articles. No condition of a search says it.
const ONE_BIDDER: &str = "\
    avec un seul soumissionnaire|avec une seule offre|avec une seule soumission|just one bid|just one bidder|one bid|\
    one bidder|only one bid|only one bidder|seul soumissionnaire|seule soumission|single bid|single bidder|\
    single bids|un seul soumissionnaire|une seule offre|une seule soumission|with a single bid|\
    with a single bidder|with just one bid|with just one bidder|with one bid|with one bidder|with only one bid|\
    with only one bidder";

/// Words for what is bid on, and "only", next to them.
const CALLS: &str = "\
    appel|appels|call|calls|conforme|conformes|contract|contracts|contrat|contrats|only|par|per|procurement|sans|\
    seulement|tender|tenders|that|uniquement|which";

/// What is asked of the bids on calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BidsAsked {
    /// Who bid and never won.
    NeverWon,
    /// The calls with one bidder.
    OneBidder,
    /// How many bid.
    Number,
    /// Who bid, who lost, or how much competition there is.
    Bidders,
}

impl BidsAsked {
    const ALL: [(BidsAsked, &'static str); 4] = [
        (BidsAsked::NeverWon, NEVER_WON),
        (BidsAsked::OneBidder, ONE_BIDDER),
        (BidsAsked::Number, HOW_MANY),
        (BidsAsked::Bidders, BIDDERS),
    ];

    /// Removes the first phrase that asks for bids.
    pub(crate) fn take(written: &mut Vec<Word>) -> Option<BidsAsked> {
        let mut all = BidsAsked::ALL.into_iter();
        all.find_map(|(asked, phrases)| remove_phrase(written, phrases).then_some(asked))
    }

    /// Whether the number of bids is asked for.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, BidsAsked::Number | BidsAsked::OneBidder)
    }
}

/// Removes what asks for bidders that won nothing.
pub(super) fn take_never_won(written: &mut Vec<Word>) -> bool {
    remove_phrase(written, NEVER_WON)
}

/// Removes the words for what is bid on.
pub(crate) fn take_calls(written: &mut Vec<Word>) {
    remove_phrase(written, TENDERS);
    written.retain(|(_, folded)| !is_in(CALLS, folded));
}
