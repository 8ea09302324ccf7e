//! Suppliers: each number of a [`SupplierMarket`] is one, the same whenever it is asked for. None is kept in memory.
//!
//! Their names are rows of `lists/records.txt`.

use super::{
    choices::Choices,
    places::{City, Province},
    random::{Random, Sequence},
    sources::SupplierMarket,
};

#[derive(Default)]
pub(super) struct Supplier {
    /// Number in its market.
    pub(super) number: u32,
    /// Index of the trade.
    pub(super) trade: usize,
    pub(super) city: City,
    pub(super) postal_code: String,
}

impl Supplier {
    /// Makes this the supplier of that number. Its name is drawn next.
    pub(super) fn draw(&mut self, market: SupplierMarket, number: u32, choices: &Choices, random: &mut Random) {
        random.start(Sequence::Supplier(market as u8), u64::from(number));
        let is_native = random.percent(if market == SupplierMarket::Quebec { 88 } else { 22 });
        let places = &choices.places;
        self.city = if is_native {
            places.quebec_city(random)
        } else {
            places.city_outside_quebec(random)
        };
        self.number = number;
        self.trade = market.trade(number, &choices.topics.trades);
        self.postal_code = postal_code(&places.provinces[self.city.province], random);
    }
}

/// A name as one of many clerks typed it: mostly as it is, at times in capitals or with a slip.
pub(super) fn spelled(name: &str, random: &mut Random) -> String {
    match random.below(100) {
        0..7 => name.to_uppercase(),
        7..9 => name.trim_end_matches('.').to_owned(),
        9 => format!("{name} ."),
        _ => name.to_owned(),
    }
}

fn postal_code(province: &Province, random: &mut Random) -> String {
    const LETTERS: &[u8] = b"ABCEGHJKLMNPRSTVWXYZ";
    if province.postal_letters.is_empty() {
        return format!("{:05}", random.below(100_000));
    }
    let character = |position| match position {
        0 => random.choose(province.postal_letters),
        2 | 4 => random.choose(LETTERS),
        _ => b'0' + random.below(10) as u8,
    };
    (0..6).map(character).map(char::from).collect()
}
