//! What can be bought, and what must agree with it.
//!
//! A [`Topic`] has its procurement category, the trade of its suppliers, the sectors of its buyers, its codes, a
//! typical value and its texts. Titles, descriptions, categories, codes, suppliers and amounts of a project all come
//! from its topic, so they agree.

use super::{
    lists::{Bilingual, entries},
    random::Random,
};

/// What kind of purchase a topic is: it decides the category, the words around the topic and the sites that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PurchaseType {
    BuildingWorks,
    OutdoorWorks,
    Equipment,
    Vehicle,
    Consumable,
    BuildingService,
    OutdoorService,
    OperationalService,
    ProfessionalService,
    /// Engineering, architecture and inspection of buildings.
    BuildingDesign,
    EngineeringService,
}

use PurchaseType::*;

/// Their names in the lists, in the order of the type.
const PURCHASE_TYPES: [(&str, PurchaseType); 11] = [
    ("building-works", BuildingWorks),
    ("outdoor-works", OutdoorWorks),
    ("equipment", Equipment),
    ("vehicle", Vehicle),
    ("consumable", Consumable),
    ("building-service", BuildingService),
    ("outdoor-service", OutdoorService),
    ("operational-service", OperationalService),
    ("professional-service", ProfessionalService),
    ("building-design", BuildingDesign),
    ("engineering-service", EngineeringService),
];

impl PurchaseType {
    /// The code of the procurement category.
    pub(super) fn category(self) -> &'static str {
        match self {
            BuildingWorks | OutdoorWorks => "CNST",
            Equipment | Vehicle | Consumable => "GD",
            _ => "SRV",
        }
    }
}

/// What a buyer is, as an index into [`SECTORS`]: a school does not buy what only a port needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sector(usize);

const SECTORS: [&str; 17] = [
    "town",
    "road",
    "water",
    "park",
    "library",
    "school",
    "health",
    "housing",
    "transit",
    "waste",
    "safety",
    "airport",
    "childcare",
    "office",
    "defence",
    "science",
    "marine",
];

impl Sector {
    /// Panics at a name that [`SECTORS`] does not list.
    pub(super) fn named(name: &str) -> Sector {
        let index = SECTORS.iter().position(|sector| *sector == name);
        Sector(index.unwrap_or_else(|| panic!("no sector {name}")))
    }

    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = Sector> {
        (0..SECTORS.len()).map(Sector)
    }
}

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
    pub(super) purchase_type: PurchaseType,
    /// Index of the trade.
    pub(super) trade: usize,
    pub(super) unspsc: &'static str,
    /// In dollars: the median of its contracts.
    pub(super) typical_value: f64,
    /// A noun phrase without an article.
    pub(super) name: Bilingual,
}

/// A sentence, title opening or site for each purchase type it fits.
type ByPurchaseType = [Vec<Bilingual>; PURCHASE_TYPES.len()];

/// The topics, and the texts that are put before and after them.
pub(super) struct TopicTable {
    pub(super) trades: Vec<Trade>,
    pub(super) topics: Vec<Topic>,
    /// Indices of the topics of a trade that a sector buys, by [`TopicTable::slot`].
    by_trade_and_sector: Vec<Vec<usize>>,
    openings: ByPurchaseType,
    sentences: ByPurchaseType,
    /// By sector, then by purchase type.
    sites: [ByPurchaseType; SECTORS.len()],
}

impl TopicTable {
    pub(super) fn read() -> TopicTable {
        let words = |list: &'static str| list.split(", ").collect();
        let trades = entries(include_str!("lists/trades.txt"));
        let trades: Vec<Trade> = trades
            .map(|[name, gsin, economic_object, fr, en]| Trade {
                name,
                gsin,
                economic_object,
                words_fr: words(fr),
                words_en: words(en),
            })
            .collect();
        let mut table = TopicTable {
            topics: Vec::new(),
            by_trade_and_sector: vec![Vec::new(); trades.len() * SECTORS.len()],
            openings: by_purchase_type(include_str!("lists/openings.txt")),
            sentences: by_purchase_type(include_str!("lists/sentences.txt")),
            sites: Default::default(),
            trades,
        };
        for [purchase, trade, sectors, unspsc, thousands, en, fr] in entries(include_str!("lists/topics.txt")) {
            let position = table.trades.iter().position(|known| known.name == trade);
            let thousands: f64 = thousands.parse().expect("a typical value is a number");
            let topic = Topic {
                purchase_type: purchase_types(purchase)[0],
                trade: position.unwrap_or_else(|| panic!("no trade {trade}")),
                unspsc,
                typical_value: thousands * 1_000.0,
                name: Bilingual { en, fr },
            };
            for sector in sectors_named(sectors) {
                let slot = table.slot(topic.trade, sector);
                table.by_trade_and_sector[slot].push(table.topics.len());
            }
            table.topics.push(topic);
        }
        for [purchases, sectors, en, fr] in entries(include_str!("lists/sites.txt")) {
            for sector in sectors_named(sectors) {
                for purchase in purchase_types(purchases) {
                    table.sites[sector.0][purchase as usize].push(Bilingual { en, fr });
                }
            }
        }
        table
    }

    /// A topic that suppliers of this trade sell and buyers of this sector buy, if there is one.
    pub(super) fn draw(&self, trade: usize, sector: Sector, random: &mut Random) -> Option<usize> {
        let topics = &self.by_trade_and_sector[self.slot(trade, sector)];
        let count = topics.len() as u32;
        // The lesser of two even draws: the first topics of a trade come up more often.
        let position = random.below(count).min(random.below(count));
        topics.get(position as usize).copied()
    }

    /// How titles of such a purchase begin.
    pub(super) fn openings(&self, purchase: PurchaseType) -> &[Bilingual] {
        &self.openings[purchase as usize]
    }

    /// The sentences of such a purchase's description; the first one names the topic.
    pub(super) fn sentences(&self, purchase: PurchaseType) -> &[Bilingual] {
        &self.sentences[purchase as usize]
    }

    /// The places or groups of people for which such a buyer makes such a purchase.
    pub(super) fn sites(&self, purchase: PurchaseType, sector: Sector) -> &[Bilingual] {
        &self.sites[sector.0][purchase as usize]
    }

    fn slot(&self, trade: usize, sector: Sector) -> usize {
        trade * SECTORS.len() + sector.0
    }
}

fn by_purchase_type(list: &'static str) -> ByPurchaseType {
    let mut texts = ByPurchaseType::default();
    for [purchases, en, fr] in entries(list) {
        for purchase in purchase_types(purchases) {
            texts[purchase as usize].push(Bilingual { en, fr });
        }
    }
    texts
}

/// The types that a list's first column names, `all` of them or some.
fn purchase_types(names: &str) -> Vec<PurchaseType> {
    let named = |name| PURCHASE_TYPES.iter().find(|known| known.0 == name);
    let named = |name| named(name).unwrap_or_else(|| panic!("no purchase type {name}")).1;
    if names == "all" {
        PURCHASE_TYPES.map(|known| known.1).to_vec()
    } else {
        names.split(' ').map(named).collect()
    }
}

fn sectors_named(names: &str) -> Vec<Sector> {
    if names == "all" {
        (0..SECTORS.len()).map(Sector).collect()
    } else {
        names.split(' ').map(Sector::named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_purchase_type_has_its_texts_in_every_sector() {
        let table = TopicTable::read();
        assert!(table.topics.len() >= 150);
        for (number, (name, purchase)) in PURCHASE_TYPES.iter().enumerate() {
            assert_eq!(*purchase as usize, number, "{name}");
            assert!(!table.openings(*purchase).is_empty(), "{name}");
            let first = table.sentences(*purchase)[0];
            assert!(
                first.en.contains("{t}") && first.fr.contains("{t}"),
                "{name}: {first:?}"
            );
            for sector in Sector::all() {
                assert!(!table.sites(*purchase, sector).is_empty(), "{name} {sector:?}");
            }
        }
    }

    #[test]
    fn every_trade_has_topics_and_every_sector_many_trades() {
        let table = TopicTable::read();
        for (number, trade) in table.trades.iter().enumerate() {
            assert!(table.topics.iter().any(|topic| topic.trade == number), "{}", trade.name);
        }
        for sector in Sector::all() {
            let trades = 0..table.trades.len();
            let served = trades.filter(|trade| !table.by_trade_and_sector[table.slot(*trade, sector)].is_empty());
            assert!(served.count() >= 20, "{sector:?}");
        }
    }
}
