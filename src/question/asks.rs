//! What a whole text asks for, whatever records it is about.

use crate::question::{
    asked_for::{asks_for_contracts, take_by_year},
    asking_words::{GREW, asks_for_buyers, asks_for_divisions},
    bids::BidsAsked,
    comparison::may_compare,
    open_calls::take_are_open,
    words::{Word, is_in, remove_phrase, words},
};

/// Words for set-asides for Indigenous businesses.
const INDIGENOUS_BUSINESSES: &str = "\
    aboriginal business|aboriginal businesses|aboriginal companies|aboriginal firms|aboriginal owned|\
    aboriginal suppliers|entreprise autochtone|entreprises autochtones|firmes autochtones|fournisseurs autochtones|\
    indigenous business|indigenous businesses|indigenous companies|indigenous firms|indigenous owned|\
    indigenous suppliers|indigenous vendors|psib";

/// Words for prices per hour, litre and so on, and for those of things.
const UNIT_PRICES: &str = "\
    a heure|a la tonne|average price|cost per hour|hourly rate|hourly rates|par tonne|per hour|per kilometre|per kg|\
    per km|per litre|per ton|per tonne|per unit|price of|price per litre|prix de la|prix des|prix du|prix median|\
    prix moyen|prix moyens|prix unitaire|prix unitaires|taux horaire|taux horaires|unit price|unit prices";

/// Words for the price of one thing.
const PIECE_PRICES: &str = "\
    combien a coute la|combien a coute le|combien a coute un|combien a coute une|combien coute un|combien coute une|\
    combien coutent|combien vaut un|combien vaut une|cost of a|cost of an|cout moyen un|cout moyen une|cout un|\
    cout une|how much does a|how much does an|how much for a|how much for an|how much is a|how much is an|price of a|\
    price of an|prix median un|prix median une|prix moyen un|prix moyen une|prix un|prix une";

/// What asks for a price after a thing: "vests price".
const PRICE_AT_END: &str = "price|prices|prix";

/// What asks who sells a thing. What follows in small letters is that thing, although it may be a part of names.
const SELLERS: &str = "\
    quelle entreprise vend|quelles entreprises vendent|qui a fourni|qui a vendu|qui fournit|qui fournissent|qui vend|\
    qui vendent|which companies sell|which company sells|who provides|who sells|who sold|who supplied|who supplies";

/// What asks who got contracts.
const WINNERS: &str = "\
    qui a eu|qui a gagne|qui a obtenu|qui a remporte|qui gagne|qui obtient|qui ont gagne|qui ont obtenu|qui remporte|\
    which companies won|which company won|which firm won|which firms won|who gets|who got|who wins|who won";

/// Which price is asked for that no publisher states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PriceAsked {
    /// That of one thing.
    OfPiece,
    /// That of an hour, a litre and so on.
    OfUnit,
}

impl PriceAsked {
    fn of(written: &[Word]) -> Option<PriceAsked> {
        // "Price of a" before "price of"; but a contract is not a piece.
        let lists = [(PIECE_PRICES, PriceAsked::OfPiece), (UNIT_PRICES, PriceAsked::OfUnit)];
        let has = |list| remove_phrase(&mut written.to_vec(), list);
        let found = lists.into_iter().find(|(list, _)| has(list)).map(|(_, price)| price);
        let ends = match written {
            [_, .., (_, last)] => is_in(PRICE_AT_END, last),
            _ => false,
        };
        let found = found.or(ends.then_some(PriceAsked::OfUnit));
        found.filter(|_| !asks_for_contracts(written))
    }
}

/// What a whole text asks for, so that no page needs to read it for that again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Asks {
    /// Who buys, instead of who sells.
    pub(crate) buyers: bool,
    /// Who sells a thing.
    pub(crate) sellers: bool,
    /// Who got contracts.
    pub(crate) winners: bool,
    /// Which part of a body buys.
    pub(crate) divisions: bool,
    /// The figures of each year.
    pub(crate) by_year: bool,
    /// Which contracts cost more than before.
    pub(crate) increases: bool,
    /// What is set aside for Indigenous businesses.
    pub(crate) set_aside: bool,
    pub(crate) price: Option<PriceAsked>,
    pub(crate) bids: Option<BidsAsked>,
    /// A comparison of two names, perhaps.
    pub(crate) compares: bool,
}

impl Asks {
    pub(crate) fn of(text: &str) -> Asks {
        let written = words(text);
        let has = |phrases| remove_phrase(&mut written.clone(), phrases);
        // "Open bids for paving" are calls.
        let are_open = take_are_open(&mut written.clone(), false);
        let bids = || BidsAsked::take(&mut written.clone());
        let divisions = asks_for_divisions(text);
        Asks {
            buyers: divisions || asks_for_buyers(text),
            sellers: has(SELLERS),
            winners: has(WINNERS),
            divisions,
            by_year: take_by_year(&mut written.clone()),
            increases: has(GREW),
            set_aside: has(INDIGENOUS_BUSINESSES),
            price: PriceAsked::of(&written),
            bids: if are_open { None } else { bids() },
            compares: may_compare(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_for_what_it_asks_of_any_records() {
        let nothing = Asks::default;
        for (text, expected) in [
            ("road salt", nothing()),
            (
                "qui vend du sel",
                Asks {
                    sellers: true,
                    ..nothing()
                },
            ),
            (
                "qui a obtenu le plus de contrats de pavage",
                Asks {
                    winners: true,
                    ..nothing()
                },
            ),
            (
                "prix moyen d'un camion",
                Asks {
                    price: Some(PriceAsked::OfPiece),
                    ..nothing()
                },
            ),
            (
                "who buys salt",
                Asks {
                    buyers: true,
                    ..nothing()
                },
            ),
            (
                "which division spends",
                Asks {
                    buyers: true,
                    divisions: true,
                    ..nothing()
                },
            ),
            (
                "sel par année",
                Asks {
                    by_year: true,
                    ..nothing()
                },
            ),
            (
                "contracts that grew the most",
                Asks {
                    increases: true,
                    ..nothing()
                },
            ),
            (
                "entreprises autochtones",
                Asks {
                    set_aside: true,
                    ..nothing()
                },
            ),
            (
                "price of a fire truck",
                Asks {
                    price: Some(PriceAsked::OfPiece),
                    ..nothing()
                },
            ),
            (
                "prix du sel",
                Asks {
                    price: Some(PriceAsked::OfUnit),
                    ..nothing()
                },
            ),
            (
                "salt price",
                Asks {
                    price: Some(PriceAsked::OfUnit),
                    ..nothing()
                },
            ),
            ("price of a contract", nothing()),
            (
                "how many bids for salt",
                Asks {
                    bids: Some(BidsAsked::Number),
                    ..nothing()
                },
            ),
            (
                "toitures un seul soumissionnaire",
                Asks {
                    bids: Some(BidsAsked::OneBidder),
                    ..nothing()
                },
            ),
            (
                "who never wins salt",
                Asks {
                    bids: Some(BidsAsked::NeverWon),
                    ..nothing()
                },
            ),
            (
                "who bid on salt",
                Asks {
                    bids: Some(BidsAsked::Bidders),
                    ..nothing()
                },
            ),
            ("open bids for paving", nothing()),
            (
                "Acme vs Zenith",
                Asks {
                    compares: true,
                    ..nothing()
                },
            ),
            ("\"Acme vs Zenith\"", nothing()),
        ] {
            assert_eq!(Asks::of(text), expected, "{text}");
        }
    }
}
