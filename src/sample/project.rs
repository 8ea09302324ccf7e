//! The need that notices and contracts come from: what is bought, by whom, when, from whom, for how much.
//!
//! A project is drawn from its number alone. So a tender, its award and its contract, written into three files at
//! different times, agree on solicitation number, buyer, title and days, and nothing is kept in memory.

use super::{
    choices::Choices,
    notice_subject::NoticeSubject,
    random::{Random, Sequence, exp},
    sources::{SampleSource, SupplierMarket},
};
use crate::model::Date;

/// Days are counted from the first one of fifteen years; this is the number of the last one, on which the sample was
/// "taken". What closes later is open.
pub(super) const LAST: i32 = 5_478;

#[derive(Default)]
pub(super) struct Project {
    pub(super) subject: NoticeSubject,
    /// Rank of the buyer among its publisher's.
    pub(super) buyer: usize,
    /// Number of the supplier in its market.
    pub(super) supplier: u32,
    pub(super) published: i32,
    pub(super) closes: i32,
    pub(super) awarded: i32,
    pub(super) ends: i32,
    pub(super) category: &'static str,
    /// In cents.
    pub(super) value: Option<i64>,
}

impl Project {
    /// Makes this the project of that number.
    pub(super) fn draw(&mut self, source: &SampleSource, number: u64, choices: &Choices, random: &mut Random) {
        random.start(Sequence::Project(source.projects), number);
        let (buyers, topics, market) = (choices.buyers.list(source.buyers), &choices.topics, source.market);
        self.buyer = random.zipf(buyers.ranks) as usize;
        let buyer = &buyers.buyers[self.buyer];
        // Most trades have something for every sector, so this ends soon.
        let topic = loop {
            self.supplier = random.zipf(choices.suppliers(market));
            let trade = market.trade(self.supplier, &topics.trades);
            if let Some(topic) = topics.draw(trade, buyer.sector, random) {
                break topic;
            }
        };
        self.draw_days(random);
        let city = match market {
            SupplierMarket::Quebec => choices.places.quebec_city(random),
            SupplierMarket::Canada => choices.places.canadian_city_outside_quebec(random),
        };
        let names_city = buyer.covers_region && source.names_cities;
        let published = Date::from_days(choices.last_day.days() - LAST + self.published);
        let year = published.unwrap_or(choices.last_day).year();
        let place = (buyer.sector, names_city.then_some(city));
        self.subject.draw(topic, place, year, choices, random);
        let topic = &topics.topics[topic];
        self.category = match (topics.purchases[topic.purchase].category, random.below(100)) {
            (_, 0) => "CNST,GD,SRV",
            (_, 1..3) => "SRVTGD",
            ("CNST", 3..5) => "CNST,SRV",
            ("GD", 3..8) => "GD,SRV",
            (category, _) => category,
        };
        self.value = draw_value(topic.typical_value, random);
    }

    fn draw_days(&mut self, random: &mut Random) {
        self.published = if random.percent(5) {
            LAST - random.between(0, 45)
        } else {
            // The lesser of two even draws of an age: recent years have more.
            let age = random.below(LAST as u32).min(random.below(LAST as u32));
            LAST - age as i32
        };
        self.closes = self.published + random.between(10, 45);
        self.awarded = self.closes + random.between(5, 150);
        if self.awarded > LAST {
            self.awarded = random.between(self.published, LAST);
        }
        self.ends = self.awarded + random.between(30, 1_800);
    }
}

/// An amount in cents, log-normal around the typical value in dollars, and like in real files some amounts are absent,
/// zero, negative or absurd. Over all topics, the logarithm of dollars has mean 10.3 and deviation 1.9.
fn draw_value(typical: f64, random: &mut Random) -> Option<i64> {
    let amount = typical * exp(SPREAD * random.normal());
    let cents = (amount * 100.0).round() as i64;
    match random.below(10_000) {
        0..600 => None,
        600..700 => Some(0),
        700..710 => Some(-cents),
        710..712 => Some(cents * 100_000),
        712..1_700 => Some((cents + 99_999) / 100_000 * 100_000),
        _ => Some(cents),
    }
}

/// Deviation of the logarithm of a topic's amounts.
const SPREAD: f64 = 1.6;
