//! Suppliers: each number of a [`SupplierMarket`] is one, the same whenever it is asked for. None is kept in memory.
//!
//! Names are put together from the words of a trade, regions and coined words, so that no real firm or person is meant.

use std::fmt::Write;

use super::{
    coined_word::CoinedWord,
    places::{Places, Province},
    random::{Random, Sequence, scatter},
    topics::Trade,
};

/// Quebec's publishers buy mostly from Quebec's suppliers, the others from those of all Canada.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SupplierMarket {
    Quebec,
    Canada,
}

impl SupplierMarket {
    /// The index of the trade of a supplier. Numbers are ranks, so the trade of number 0 sells the most.
    pub(super) fn trade(self, supplier: u32, trades: &[Trade]) -> usize {
        let first = match self {
            SupplierMarket::Quebec => "road-works",
            SupplierMarket::Canada => "software",
        };
        let first = trades.iter().position(|trade| trade.name == first);
        (supplier as usize + first.expect("the trade is in the list")) % trades.len()
    }
}

#[derive(Default)]
pub(super) struct Supplier {
    pub(super) name: String,
    /// Quebec's enterprise number: unique to the supplier within its market.
    pub(super) neq: String,
    pub(super) city: &'static str,
    /// Index of the province.
    pub(super) province: usize,
    pub(super) postal_code: String,
}

impl Supplier {
    /// Makes this the supplier of that number, whose trade is `trade`.
    pub(super) fn set(
        &mut self,
        market: SupplierMarket,
        number: u32,
        trade: &Trade,
        (random, places): (&mut Random, &Places),
    ) {
        random.start(Sequence::Supplier(market as u8), u64::from(number));
        let is_quebec = random.percent(if market == SupplierMarket::Quebec { 88 } else { 22 });
        let city = if is_quebec {
            places.quebec_city(random)
        } else {
            places.city_outside_quebec(random)
        };
        self.city = city.name;
        self.province = city.province;
        self.neq.clear();
        let _ = write!(self.neq, "11{:08}", scatter(u64::from(number)));
        self.postal_code.clear();
        push_postal_code(&mut self.postal_code, &places.provinces[city.province], random);
        self.name.clear();
        // Writing to a String cannot fail.
        let _ = match (random.below(100), is_quebec) {
            (0..14, _) => push_numbered_name(&mut self.name, is_quebec, number, random),
            (kind, true) => push_french_name(&mut self.name, kind, number, trade, random),
            (kind, false) => push_english_name(&mut self.name, (kind, city.name), number, trade, random),
        };
    }

    /// The name as one of many clerks typed it: mostly as it is, at times in capitals or with a slip.
    pub(super) fn push_spelling(&self, random: &mut Random, out: &mut String) {
        match random.below(100) {
            0..7 => out.extend(self.name.chars().flat_map(char::to_uppercase)),
            7..9 => out.push_str(self.name.trim_end_matches('.')),
            9 => {
                out.push_str(&self.name);
                out.push_str(" .");
            }
            _ => out.push_str(&self.name),
        }
    }
}

/// The name of a numbered company.
fn push_numbered_name(out: &mut String, is_quebec: bool, number: u32, random: &mut Random) -> std::fmt::Result {
    let digits = scatter(u64::from(number)) + 1;
    if is_quebec {
        write!(
            out,
            "{:04}-{:04} Québec inc.",
            9000 + digits / 10_000 % 600,
            digits % 10_000
        )
    } else {
        let form = random.choose(&["Canada inc.", "Canada Ltd.", "Ontario Inc."]);
        write!(out, "{digits:08} {form}")
    }
}

/// `kind` is a percentage that chooses the pattern.
fn push_french_name(out: &mut String, kind: u32, number: u32, trade: &Trade, random: &mut Random) -> std::fmt::Result {
    const REGIONS: [&str; 14] = [
        "de l'Estrie",
        "du Nord",
        "de l'Est",
        "de la Rive-Sud",
        "des Laurentides",
        "de la Mauricie",
        "du Fleuve",
        "de l'Outaouais",
        "du Lac",
        "de la Capitale",
        "de l'Abitibi",
        "du Saguenay",
        "de la Côte",
        "des Cantons",
    ];
    const GROUPS: [&str; 6] = [
        "Groupe",
        "Les Entreprises",
        "Gestion",
        "Coopérative",
        "Société",
        "L'Équipe",
    ];
    const FORMS: [&str; 8] = [
        " inc.",
        " inc.",
        " inc.",
        " ltée",
        " Inc.",
        " enr.",
        " s.e.n.c.r.l.",
        "",
    ];
    let (word, coined) = (random.choose(&trade.words_fr), CoinedWord(number + 1));
    match kind {
        14..55 => write!(out, "{word} {coined}"),
        55..65 => write!(out, "{coined} & {}", CoinedWord((number + 1).wrapping_mul(31))),
        65..80 => write!(out, "{word} {} {coined}", random.choose(&REGIONS)),
        80..84 => write!(out, "{coined} C&G"),
        _ => write!(out, "{} {coined}", random.choose(&GROUPS)),
    }?;
    out.write_str(random.choose(&FORMS))
}

/// `kind` is a percentage that chooses the pattern; some patterns name the city.
fn push_english_name(
    out: &mut String,
    (kind, city): (u32, &str),
    number: u32,
    trade: &Trade,
    random: &mut Random,
) -> std::fmt::Result {
    const PARTNERS: [&str; 4] = ["Associates", "Partners", "Sons", "Company"];
    const GROUPS: [&str; 4] = ["Group", "Holdings", "Canada", "International"];
    const FORMS: [&str; 8] = [
        " Inc.",
        " Inc.",
        " Ltd.",
        " Limited",
        " LLP",
        " Corp.",
        " Corporation",
        "",
    ];
    let (word, coined) = (random.choose(&trade.words_en), CoinedWord(number + 1));
    match kind {
        14..66 => write!(out, "{coined} {word}"),
        66..76 => {
            let partner = CoinedWord((number + 1).wrapping_mul(31));
            write!(out, "{coined} & {partner} {}", random.choose(&PARTNERS))
        }
        76..86 => write!(out, "{city} {word} {coined}"),
        86..90 => write!(out, "{coined} C&G"),
        _ => write!(out, "{coined} {}", random.choose(&GROUPS)),
    }?;
    out.write_str(random.choose(&FORMS))
}

fn push_postal_code(out: &mut String, province: &Province, random: &mut Random) {
    const LETTERS: &[u8] = b"ABCEGHJKLMNPRSTVWXYZ";
    if province.postal_letters.is_empty() {
        // Writing to a String cannot fail.
        let _ = write!(out, "{:05}", random.below(100_000));
        return;
    }
    for position in 0..6 {
        out.push(char::from(match position {
            0 => random.choose(province.postal_letters),
            2 | 4 => random.choose(LETTERS),
            _ => b'0' + random.below(10) as u8,
        }));
    }
}
