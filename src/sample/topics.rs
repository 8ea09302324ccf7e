//! What can be bought, and what must agree with it.
//!
//! A [`Topic`] has its procurement category, the trade of its suppliers, the sectors of its buyers, its codes, a
//! typical value and its texts. Titles, descriptions, categories, codes, suppliers and amounts of a project all come
//! from its topic, so they agree.

use std::collections::HashMap;

use super::{
    lists::{Bilingual, entries, number},
    random::Random,
};

/// What kind of purchase a topic is: it decides the category, the words around the topic and the sites that fit.
#[derive(Default)]
pub(super) struct Purchase {
    /// The key in the lists.
    pub(super) name: &'static str,
    /// The code of the procurement category.
    pub(super) category: &'static str,
    pub(super) toronto_category: &'static str,
    pub(super) toronto_code: &'static str,
    /// Of each hundred titles, how many end with a street, a model and a phase.
    pub(super) suffix_percents: [u32; 3],
    /// How titles begin.
    pub(super) openings: Vec<Bilingual>,
    /// The sentences of a description; the first one names the topic.
    pub(super) sentences: Vec<Bilingual>,
    /// The places or groups of people that it is for, by the sector of the buyer.
    sites: HashMap<Sector, Vec<Bilingual>>,
}

/// What a buyer is, one of [`SECTORS`]: a school does not buy what only a port needs.
pub(super) type Sector = &'static str;

const SECTORS: &str = "town road water park library school health housing transit waste safety airport childcare office \
                       defence science marine";

/// What a group of suppliers does.
pub(super) struct Trade {
    /// Its key in the lists.
    pub(super) name: &'static str,
    pub(super) gsin: &'static str,
    pub(super) economic_object: &'static str,
    /// What its suppliers' names contain.
    pub(super) words_fr: Vec<&'static str>,
    pub(super) words_en: Vec<&'static str>,
}

pub(super) struct Topic {
    /// Index of the kind of purchase.
    pub(super) purchase: usize,
    /// Index of the trade.
    pub(super) trade: usize,
    pub(super) unspsc: &'static str,
    /// In dollars: the median of its contracts.
    pub(super) typical_value: f64,
    /// A noun phrase without an article.
    pub(super) name: Bilingual,
}

/// The topics, and the texts that are put before and after them.
pub(super) struct TopicTable {
    pub(super) trades: Vec<Trade>,
    pub(super) purchases: Vec<Purchase>,
    pub(super) topics: Vec<Topic>,
    /// Indices of the topics of a trade that a sector buys.
    by_trade_and_sector: HashMap<(usize, Sector), Vec<usize>>,
}

impl Purchase {
    pub(super) fn sites(&self, sector: Sector) -> &[Bilingual] {
        &self.sites[sector]
    }
}

impl TopicTable {
    pub(super) fn read() -> TopicTable {
        let mut table = TopicTable {
            trades: read_trades(),
            purchases: read_purchases(),
            topics: Vec::new(),
            by_trade_and_sector: HashMap::new(),
        };
        for [names, en, fr] in entries(include_str!("lists/openings.txt")) {
            for purchase in table.purchases_named(names) {
                purchase.openings.push(Bilingual { en, fr });
            }
        }
        for [names, en, fr] in entries(include_str!("lists/sentences.txt")) {
            for purchase in table.purchases_named(names) {
                purchase.sentences.push(Bilingual { en, fr });
            }
        }
        for [names, sectors, en, fr] in entries(include_str!("lists/sites.txt")) {
            for purchase in table.purchases_named(names) {
                for sector in sectors_named(sectors) {
                    purchase.sites.entry(sector).or_default().push(Bilingual { en, fr });
                }
            }
        }
        for [purchase, trade, sectors, unspsc, thousands, en, fr] in entries(include_str!("lists/topics.txt")) {
            let topic = Topic {
                purchase: position(&table.purchases, purchase, |known| known.name),
                trade: position(&table.trades, trade, |known| known.name),
                unspsc,
                typical_value: number::<f64>(thousands) * 1_000.0,
                name: Bilingual { en, fr },
            };
            for sector in sectors_named(sectors) {
                let topics = table.by_trade_and_sector.entry((topic.trade, sector)).or_default();
                topics.push(table.topics.len());
            }
            table.topics.push(topic);
        }
        table
    }

    /// A topic that suppliers of this trade sell and buyers of this sector buy, if there is one.
    pub(super) fn draw(&self, trade: usize, sector: Sector, random: &mut Random) -> Option<usize> {
        let topics = self.by_trade_and_sector.get(&(trade, sector));
        let count = topics.map_or(0, Vec::len) as u32;
        // The lesser of two even draws: the first topics of a trade come up more often.
        let position = random.below(count).min(random.below(count));
        topics?.get(position as usize).copied()
    }

    /// The kinds of purchases that a list's first column names: all of them, or some.
    fn purchases_named(&mut self, names: &str) -> impl Iterator<Item = &mut Purchase> {
        let is_named =
            move |purchase: &&mut Purchase| names == "all" || names.split(' ').any(|name| name == purchase.name);
        self.purchases.iter_mut().filter(is_named)
    }
}

fn read_trades() -> Vec<Trade> {
    let words = |list: &'static str| list.split(", ").collect();
    let trades = entries(include_str!("lists/trades.txt"));
    let trades = trades.map(|[name, gsin, economic_object, fr, en]| Trade {
        name,
        gsin,
        economic_object,
        words_fr: words(fr),
        words_en: words(en),
    });
    trades.collect()
}

fn read_purchases() -> Vec<Purchase> {
    let purchases = entries(include_str!("lists/purchases.txt"));
    let purchases = purchases.map(
        |[name, category, toronto_category, toronto_code, streets, models, phases]| Purchase {
            name,
            category,
            toronto_category,
            toronto_code,
            suffix_percents: [streets, models, phases].map(number),
            ..Purchase::default()
        },
    );
    purchases.collect()
}

/// Panics at a name that is not in the list.
fn position<T>(list: &[T], name: &str, name_of: impl Fn(&T) -> &str) -> usize {
    let position = list.iter().position(|known| name_of(known) == name);
    position.unwrap_or_else(|| panic!("the lists do not have {name}"))
}

/// The sectors that a column names: all of them, or some.
fn sectors_named(names: &'static str) -> impl Iterator<Item = Sector> {
    let names = if names == "all" { SECTORS } else { names };
    names.split(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{buyers::Buyers, sources::SOURCES};

    #[test]
    fn every_purchase_has_its_texts_in_every_sector() {
        let table = TopicTable::read();
        assert!(table.topics.len() >= 150);
        for purchase in &table.purchases {
            let name = purchase.name;
            assert!(!purchase.openings.is_empty(), "{name}");
            let first = purchase.sentences[0];
            assert!(
                first.en.contains("{t}") && first.fr.contains("{t}"),
                "{name}: {first:?}"
            );
            for sector in SECTORS.split(' ') {
                assert!(!purchase.sites(sector).is_empty(), "{name} {sector:?}");
            }
        }
    }

    #[test]
    fn every_trade_has_topics_and_every_sector_many_trades() {
        let table = TopicTable::read();
        for (number, trade) in table.trades.iter().enumerate() {
            assert!(table.topics.iter().any(|topic| topic.trade == number), "{}", trade.name);
        }
        for sector in SECTORS.split(' ') {
            let served = table.by_trade_and_sector.keys().filter(|(_, known)| *known == sector);
            assert!(served.count() >= 20, "{sector:?}");
        }
    }

    #[test]
    fn the_lists_name_only_sectors_of_the_table() {
        let is_sector = |name: &str| SECTORS.split(' ').any(|sector| sector == name);
        let table = TopicTable::read();
        assert!(table.by_trade_and_sector.keys().all(|(_, sector)| is_sector(sector)));
        assert!(
            table
                .purchases
                .iter()
                .flat_map(|purchase| purchase.sites.keys())
                .all(|sector| is_sector(sector))
        );
        let buyers = Buyers::read();
        for source in SOURCES.iter() {
            let mut of_source = buyers.list(source.buyers).buyers.iter();
            assert!(of_source.all(|buyer| is_sector(buyer.sector)));
        }
    }
}
