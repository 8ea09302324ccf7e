//! Words for trades, and the beginnings of the codes that belong to them whatever their titles are: the lines of
//! `data/trades.csv`.

use std::sync::LazyLock;

use crate::{
    model::fold::word_list,
    query::{
        text::Term,
        translate::term_pairs::{rows, terms_of},
    },
};

struct Trade {
    /// The folded words of each of its names.
    names: Vec<Vec<String>>,
    /// What the keys of its codes begin with.
    codes: Vec<&'static str>,
}

static TRADES: LazyLock<Vec<Trade>> = LazyLock::new(|| {
    let rows = rows(include_str!("../../../data/trades.csv"));
    let trades = rows.map(|(names, codes)| Trade {
        names: terms_of(names).into_iter().map(word_list).collect(),
        codes: terms_of(codes),
    });
    trades.collect()
});

/// What the keys of the codes begin with that belong to the trade with the name. Nothing for other terms.
pub(super) fn codes_of_trade(name: &Term) -> impl Iterator<Item = &'static str> {
    let trades = TRADES
        .iter()
        .filter(|trade| trade.names.iter().any(|of| of == name.words()));
    trades.flat_map(|trade| trade.codes.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::commodity::CommodityCode;

    #[test]
    fn every_row_has_names_and_codes() {
        assert!(!TRADES.is_empty());
        for trade in TRADES.iter() {
            assert!(trade.names.iter().all(|name| !name.is_empty()));
            for code in &trade.codes {
                assert!(CommodityCode::of_key(code).is_some(), "{code}");
            }
        }
    }

    #[test]
    fn a_trade_is_named_by_all_words_of_a_name() {
        let codes = |text: &str| codes_of_trade(&Term::Phrase(word_list(text))).count();
        for name in ["informatique", "Informatiques", "technologies de l’information"] {
            assert!(codes(name) > 0, "{name}");
        }
        for other in ["information", "ordinateur", "technologies"] {
            assert_eq!(codes(other), 0, "{other}");
        }
    }
}
