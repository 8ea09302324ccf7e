//! Suppliers: each number of a [`Market`] is one, the same whenever it is asked for, and none is kept in memory.
//!
//! Names are put together from places, coined words and trades, so that no real firm or person is meant.

use super::{
    dice::{Dice, Stream},
    row::push_padded,
    words::{self, Words},
};

/// Quebec's sources meet mostly Quebec's suppliers, the others those of all Canada.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Market {
    Quebec,
    Canada,
}

#[derive(Default)]
pub struct Vendor {
    pub name: String,
    /// Quebec's enterprise number: unique to the supplier within its market.
    pub neq: String,
    pub city: String,
    pub province: &'static Province,
    pub postal_code: String,
}

/// A province or state: its code, its two names, the letters its postal codes begin with.
#[derive(Debug)]
pub struct Province {
    pub code: &'static str,
    pub en: &'static str,
    pub fr: &'static str,
    pub country: &'static str,
    pub letters: &'static [u8],
    pub cities: &'static [&'static str],
}

impl Default for &Province {
    fn default() -> Self {
        &words::PROVINCES[0]
    }
}

impl Vendor {
    /// Becomes the supplier of that number.
    pub fn become_number(&mut self, market: Market, number: u32, dice: &mut Dice, words: &Words) {
        dice.open(Stream::Vendor(market as u8), u64::from(number));
        let quebec_share = if market == Market::Quebec { 88 } else { 22 };
        let french = dice.percent(quebec_share);
        self.province = if french {
            &words::PROVINCES[0]
        } else {
            dice.pick(&OTHER_PROVINCES)
        };
        self.city.clear();
        if self.province.cities.is_empty() {
            let ranks = words.quebec_ranks;
            self.city.push_str(words.quebec[dice.rank(ranks) as usize]);
        } else {
            self.city.push_str(dice.pick(self.province.cities));
        }
        self.neq.clear();
        self.neq.push_str("11");
        push_padded(&mut self.neq, scatter(u64::from(number)), 8);
        self.postal_code.clear();
        push_postal_code(&mut self.postal_code, self.province, dice);
        self.name.clear();
        self.push_name(french, number, dice);
    }

    fn push_name(&mut self, french: bool, number: u32, dice: &mut Dice) {
        let out = &mut self.name;
        let kind = dice.below(100);
        if kind < 14 {
            let digits = scatter(u64::from(number)) + 1;
            if french {
                push_padded(out, 9000 + digits / 10_000 % 600, 4);
                out.push('-');
                push_padded(out, digits % 10_000, 4);
                out.push_str(" Québec inc.");
            } else {
                push_padded(out, digits, 8);
                out.push_str(dice.pick(&[" Canada inc.", " Canada Ltd.", " Ontario Inc."]));
            }
            return;
        }
        let coined = number + 1;
        if french {
            let trade = dice.pick(words::TRADES_FR);
            match kind {
                14..50 => {
                    out.push_str(trade);
                    out.push(' ');
                    words::coin(out, coined);
                }
                50..62 => {
                    words::coin(out, coined);
                    out.push_str(" & ");
                    words::coin(out, coined.wrapping_mul(31));
                }
                62..74 => {
                    out.push_str(trade);
                    out.push(' ');
                    out.push_str(dice.pick(words::PLACES_FR));
                    out.push(' ');
                    words::coin(out, coined);
                }
                74..80 => {
                    out.push_str("L'");
                    out.push_str(dice.pick(&["Atelier", "Entrepôt", "Équipe", "Institut", "Académie", "Imprimerie"]));
                    out.push(' ');
                    words::coin(out, coined);
                }
                80..84 => {
                    words::coin(out, coined);
                    out.push_str(" R&D");
                }
                _ => {
                    out.push_str(dice.pick(&["Groupe ", "Les Entreprises ", "Gestion ", "Coopérative ", "Société "]));
                    words::coin(out, coined);
                }
            }
            out.push_str(dice.pick(&[
                " inc.",
                " inc.",
                " inc.",
                " ltée",
                " Inc.",
                " enr.",
                " s.e.n.c.r.l.",
                "",
            ]));
        } else {
            let trade = dice.pick(words::TRADES_EN);
            match kind {
                14..64 => {
                    words::coin(out, coined);
                    out.push(' ');
                    out.push_str(trade);
                }
                64..76 => {
                    words::coin(out, coined);
                    out.push_str(" & ");
                    words::coin(out, coined.wrapping_mul(31));
                    out.push(' ');
                    out.push_str(dice.pick(&["Associates", "Partners", "Sons", "Company"]));
                }
                76..84 => {
                    out.push_str(&self.city);
                    out.push(' ');
                    out.push_str(trade);
                    out.push(' ');
                    words::coin(out, coined);
                }
                84..88 => {
                    words::coin(out, coined);
                    out.push_str(" R&D");
                }
                _ => {
                    words::coin(out, coined);
                    out.push_str(dice.pick(&[" Group", " Holdings", " Canada", " International", " Systems"]));
                }
            }
            out.push_str(dice.pick(&[
                " Inc.",
                " Inc.",
                " Ltd.",
                " Limited",
                " LLP",
                " Corp.",
                " Corporation",
                "",
            ]));
        }
    }

    /// The name as one more clerk typed it: mostly as it is, at times in capitals or with a slip.
    pub fn push_spelling(&self, dice: &mut Dice, out: &mut String) {
        match dice.below(100) {
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

/// One number for another, below 90 million, without collision: sequences that do not look like ones.
pub fn scatter(number: u64) -> u64 {
    (number + 271_828) % MODULUS * 48_611_587 % MODULUS
}

/// A prime, so that any factor scatters without collision.
const MODULUS: u64 = 89_999_999;

fn push_postal_code(out: &mut String, province: &Province, dice: &mut Dice) {
    if province.country != "CA" {
        push_padded(out, u64::from(dice.below(100_000)), 5);
        return;
    }
    const LETTERS: &[u8] = b"ABCEGHJKLMNPRSTVWXYZ";
    for place in 0..6 {
        out.push(char::from(match place {
            0 => dice.pick(province.letters),
            2 | 4 => dice.pick(LETTERS),
            _ => b'0' + dice.below(10) as u8,
        }));
    }
}

/// Drawn evenly, so a province stands as often as it should come up.
static OTHER_PROVINCES: [&Province; 16] = {
    let p = &words::PROVINCES;
    [
        &p[1], &p[1], &p[1], &p[1], &p[1], &p[1], &p[2], &p[2], &p[3], &p[3], &p[4], &p[5], &p[6], &p[7], &p[8], &p[9],
    ]
};
