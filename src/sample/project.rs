//! The need that notices and contracts come from: what is bought, by whom, when, from whom, for how much.
//!
//! A project is drawn from its number alone. So a tender, its award and its contract, written into three files at
//! different times, agree on solicitation number, buyer, title and days, and nothing is kept in memory.

use super::{
    buyers::BuyerList,
    calendar::{LAST, SampleCalendar},
    notice_subject::NoticeSubject,
    places::Places,
    random::{Random, Sequence, ZipfRanks, exp},
    suppliers::SupplierMarket,
    topics::TopicTable,
};

/// The publishers whose projects differ; each numbers its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Publisher {
    Seao,
    Canadabuys,
    Montreal,
    Toronto,
    NovaScotia,
    Disclosure,
    StandingOffers,
}

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

/// What the draws of a project choose among.
pub(super) struct ProjectChoices<'a> {
    pub(super) buyers: &'a BuyerList,
    pub(super) market: SupplierMarket,
    pub(super) suppliers: ZipfRanks,
    pub(super) topics: &'a TopicTable,
    pub(super) coined_words: ZipfRanks,
    pub(super) places: &'a Places,
    pub(super) calendar: &'a SampleCalendar,
}

impl Project {
    /// Makes this the publisher's project of that number.
    pub(super) fn set(&mut self, publisher: Publisher, number: u64, choices: &ProjectChoices, random: &mut Random) {
        random.start(Sequence::Project(publisher as u8), number);
        self.buyer = random.zipf(choices.buyers.ranks) as usize;
        let buyer = &choices.buyers.buyers[self.buyer];
        // Most trades have something for every sector, so this ends soon.
        let topic = loop {
            self.supplier = random.zipf(choices.suppliers);
            let trade = choices.market.trade(self.supplier, &choices.topics.trades);
            if let Some(topic) = choices.topics.draw(trade, buyer.sector, random) {
                break topic;
            }
        };
        self.draw_days(random);
        let city = match choices.market {
            SupplierMarket::Quebec => choices.places.quebec_city(random),
            SupplierMarket::Canada => choices.places.canadian_city_outside_quebec(random),
        };
        // A standing offer has its places of delivery.
        let names_city = buyer.covers_region && !matches!(publisher, Publisher::StandingOffers);
        let city = if names_city { Some(city) } else { None };
        let year = choices.calendar.year(self.published);
        self.subject.draw(
            topic,
            (buyer.sector, city, year),
            random,
            choices.topics,
            choices.coined_words,
        );
        let topic = &choices.topics.topics[topic];
        self.category = match (topic.purchase_type.category(), random.below(100)) {
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

/// An amount in cents, log-normal around the typical value in dollars, and like in real files some amounts are absent, zero,
/// negative or absurd. Over all topics, the logarithm of dollars has mean 10.3 and deviation 1.9.
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

/// The project that the `number`-th record of a file belongs to, and the record's position among the project's: of each
/// eight records three are a second or third one (an amendment, another winner, another place of delivery).
pub(super) const fn project_and_part(number: u64) -> (u64, u32) {
    const BLOCK: [(u64, u32); 8] = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (2, 1), (3, 0), (4, 0)];
    let (project, part) = BLOCK[(number % 8) as usize];
    (number / 8 * 5 + project, part)
}

/// Whether a project has several records in a file that numbers them by [`project_and_part`].
pub(super) const fn has_parts(project: u64) -> bool {
    matches!(project % 5, 0 | 2)
}
