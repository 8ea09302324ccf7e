//! The need behind a notice: what is bought, by whom, when, from whom, for how much.
//!
//! A project is drawn from its number alone. That is how a tender, its award and its contract, written into three files
//! at different times, agree on solicitation number, buyer, title and days without anything being remembered.

use super::{
    calendar::{Calendar, LAST},
    dice::{self, Dice, Ranks, Stream},
    subject::Subject,
    vendors::Market,
    words::Words,
};

/// The publishers whose projects are told apart; each numbers its own.
#[derive(Clone, Copy, Debug)]
pub enum Publisher {
    Seao,
    Canadabuys,
    Montreal,
    Toronto,
    NovaScotia,
    Disclosure,
    Sosa,
}

#[derive(Default)]
pub struct Project {
    pub number: u64,
    pub subject: Subject,
    /// Rank of the buyer among its publisher's.
    pub buyer: usize,
    /// Number of the supplier in its market.
    pub vendor: u32,
    pub published: i32,
    pub closes: i32,
    pub awarded: i32,
    pub ends: i32,
    pub category: &'static str,
    /// In cents.
    pub value: Option<i64>,
}

/// What a project's draws choose among.
pub struct Choice {
    pub market: Market,
    pub buyers: Ranks,
    pub vendors: Ranks,
}

impl Project {
    pub fn become_number(
        &mut self,
        publisher: Publisher,
        number: u64,
        choice: Choice,
        (dice, words, calendar): (&mut Dice, &Words, &Calendar),
    ) {
        dice.open(Stream::Project(publisher as u8), number);
        self.number = number;
        self.buyer = dice.rank(choice.buyers) as usize;
        self.vendor = dice.rank(choice.vendors);
        self.published = if dice.percent(5) {
            LAST - dice.between(0, 45)
        } else {
            // The lesser of two even draws of an age: recent years are denser.
            let age = dice.below(LAST as u32).min(dice.below(LAST as u32));
            LAST - age as i32
        };
        self.closes = self.published + dice.between(10, 45);
        self.awarded = self.closes + dice.between(5, 150);
        if self.awarded > LAST {
            self.awarded = dice.between(self.published, LAST);
        }
        self.ends = self.awarded + dice.between(30, 1_800);
        self.subject
            .draw(choice.market, calendar.year(self.published), dice, words);
        self.category = match (self.subject.topic(words).category, dice.below(100)) {
            (_, 0) => "CNST,GD,SRV",
            (_, 1..3) => "SRVTGD",
            ("CNST", 3..5) => "CNST,SRV",
            ("GD", 3..8) => "GD,SRV",
            (category, _) => category,
        };
        self.value = draw_value(dice);
    }
}

/// Log-normal(10.3, 1.9), with what real files hold besides: none, zero, negative and absurd amounts.
fn draw_value(dice: &mut Dice) -> Option<i64> {
    let amount = dice::exp(10.3 + 1.9 * dice.normal());
    let cents = (amount * 100.0).round() as i64;
    match dice.below(10_000) {
        0..600 => None,
        600..700 => Some(0),
        700..710 => Some(-cents),
        710..712 => Some(cents * 100_000),
        712..1_700 => Some((cents + 99_999) / 100_000 * 100_000),
        _ => Some(cents),
    }
}

/// Which project the `number`-th record of a file belongs to, and which of its records it is: of each eight records
/// three are a second or third one (an amendment, another winner, another place of delivery).
pub const fn shared(number: u64) -> (u64, u32) {
    const BLOCK: [(u64, u32); 8] = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (2, 1), (3, 0), (4, 0)];
    let (project, part) = BLOCK[(number % 8) as usize];
    (number / 8 * 5 + project, part)
}

/// Whether a project has more than one record in a file that numbers them by [`shared`].
pub const fn has_parts(project: u64) -> bool {
    matches!(project % 5, 0 | 2)
}
