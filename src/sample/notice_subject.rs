//! What a notice is about: a title and a description that say the same in both languages.

use std::fmt::Write;

use super::{
    coined_word::{COINED_WORDS, CoinedWord},
    lists::{Bilingual, french_de},
    places::City,
    random::{Random, ZipfRanks},
    topics::{PurchaseType, Sector, Topic, TopicTable},
};
use crate::model::Language;

/// The draws that a title and a description are written from.
#[derive(Default)]
pub(super) struct NoticeSubject {
    topic: usize,
    opening: usize,
    site: Option<Bilingual>,
    is_site_in_title: bool,
    /// Where the work is done, if the title names it.
    pub(super) city: Option<City>,
    suffix: TitleSuffix,
    sentences: Vec<SentenceDraw>,
}

/// The end of a title, which makes it different from others on the same topic.
#[derive(Clone, Copy, Default)]
enum TitleSuffix {
    #[default]
    None,
    Street {
        kind: Bilingual,
        name: CoinedWord,
    },
    Model {
        name: CoinedWord,
        number: u32,
    },
    Call {
        year: u32,
        number: u32,
    },
    Lot(u32),
    Phase(u32),
}

struct SentenceDraw {
    /// Position among the sentences of the purchase type.
    position: usize,
    /// The value of `{n}`.
    large: u32,
    /// The value of `{k}`.
    small: u32,
    /// The value of `{c}`.
    name: CoinedWord,
}

impl NoticeSubject {
    /// Draws everything but the topic; `city` is a place that the title may name.
    pub(super) fn draw(
        &mut self,
        topic: usize,
        (sector, city, year): (Sector, Option<City>, u32),
        random: &mut Random,
        table: &TopicTable,
        coined_ranks: ZipfRanks,
    ) {
        let purchase = table.topics[topic].purchase_type;
        self.topic = topic;
        self.opening = random.below(table.openings(purchase).len() as u32) as usize;
        self.site = Some(random.choose(table.sites(purchase, sector)));
        self.is_site_in_title = random.percent(55);
        self.city = if random.percent(45) { city } else { None };
        self.suffix = draw_suffix(purchase, year, random, coined_ranks);
        self.sentences.clear();
        // The first sentence names the topic; of the others each is as likely, in the order of the list.
        let count = table.sentences(purchase).len() as u32;
        let mut wanted = 2 + random.below(7);
        for position in 0..count {
            if position > 0 && random.below(count - position) >= wanted {
                continue;
            }
            wanted -= u32::from(position > 0);
            self.sentences.push(SentenceDraw {
                position: position as usize,
                large: 2 + random.below(89),
                small: 2 + random.below(8),
                name: CoinedWord(random.zipf(coined_ranks)),
            });
        }
    }

    pub(super) fn topic<'a>(&self, table: &'a TopicTable) -> &'a Topic {
        &table.topics[self.topic]
    }

    pub(super) fn push_title(&self, language: Language, table: &TopicTable, out: &mut String) {
        let topic = self.topic(table);
        let (opening, name) = (
            table.openings(topic.purchase_type)[self.opening],
            topic.name.text(language),
        );
        match opening.text(language).strip_suffix("{de}") {
            Some(before) => out.extend([before, french_de(name), name]),
            None if opening.text(language).is_empty() => push_capitalized(out, name),
            None => out.extend([opening.text(language), name]),
        }
        if self.is_site_in_title {
            out.push_str(
                Bilingual {
                    en: " for ",
                    fr: " pour ",
                }
                .text(language),
            );
            out.push_str(self.site_name(language));
        }
        if let Some(city) = self.city {
            out.push_str(Bilingual { en: " in ", fr: " à " }.text(language));
            out.push_str(city.name);
        }
        // Writing to a String cannot fail.
        let _ = match (self.suffix, language) {
            (TitleSuffix::None, _) => Ok(()),
            (TitleSuffix::Street { kind, name }, Language::English) => write!(out, ", {name} {}", kind.en),
            (TitleSuffix::Street { kind, name }, Language::French) => write!(out, ", {} {name}", kind.fr),
            (TitleSuffix::Model { name, number }, _) => write!(out, " ({name} X{number})"),
            (TitleSuffix::Call { year, number }, _) => write!(out, " - {year}-{number:03}"),
            (TitleSuffix::Lot(number), _) => write!(out, ", lot {number}"),
            (TitleSuffix::Phase(number), _) => write!(out, " - phase {number}"),
        };
    }

    pub(super) fn push_description(&self, language: Language, table: &TopicTable, out: &mut String) {
        let topic = self.topic(table);
        for draw in &self.sentences {
            if !out.is_empty() {
                out.push(' ');
            }
            let mut rest = table.sentences(topic.purchase_type)[draw.position].text(language);
            while let Some((before, after)) = rest.split_once('{') {
                out.push_str(before);
                // Writing to a String cannot fail.
                let _ = match after.as_bytes().first() {
                    Some(b't') => out.write_str(topic.name.text(language)),
                    Some(b'o') => out.write_str(self.site_name(language)),
                    Some(b'c') => write!(out, "{}", draw.name),
                    Some(b'n') => write!(out, "{}", draw.large),
                    _ => write!(out, "{}", draw.small),
                };
                rest = after.get(2..).unwrap_or("");
            }
            out.push_str(rest);
        }
    }

    fn site_name(&self, language: Language) -> &'static str {
        self.site.map_or("", |site| site.text(language))
    }
}

pub(super) fn coined_ranks() -> ZipfRanks {
    ZipfRanks::new(u64::from(COINED_WORDS))
}

fn draw_suffix(purchase: PurchaseType, year: u32, random: &mut Random, coined_ranks: ZipfRanks) -> TitleSuffix {
    const fn street(en: &'static str, fr: &'static str) -> Bilingual {
        Bilingual { en, fr }
    }
    const STREETS: [Bilingual; 8] = [
        street("Street", "rue"),
        street("Street", "rue"),
        street("Boulevard", "boulevard"),
        street("Avenue", "avenue"),
        street("Road", "chemin"),
        street("Range Road", "rang"),
        street("Lane", "ruelle"),
        street("Crescent", "croissant"),
    ];
    // Percentages of titles with a street, a model and a phase.
    let (streets, models, phases) = match purchase {
        PurchaseType::OutdoorWorks | PurchaseType::BuildingWorks => (50, 0, 12),
        PurchaseType::OutdoorService | PurchaseType::BuildingService => (35, 0, 0),
        PurchaseType::BuildingDesign | PurchaseType::EngineeringService => (40, 0, 12),
        PurchaseType::Equipment | PurchaseType::Vehicle => (0, 55, 0),
        PurchaseType::ProfessionalService => (0, 0, 8),
        PurchaseType::Consumable | PurchaseType::OperationalService => (0, 0, 0),
    };
    let percentage = random.below(100);
    let name = CoinedWord(random.zipf(coined_ranks));
    if percentage < streets {
        let kind = random.choose(&STREETS);
        TitleSuffix::Street { kind, name }
    } else if percentage < streets + models {
        let number = random.below(9_000);
        TitleSuffix::Model { name, number }
    } else if percentage < streets + models + phases {
        TitleSuffix::Phase(1 + random.below(4))
    } else if percentage.is_multiple_of(4) {
        let number = 1 + random.below(900);
        TitleSuffix::Call { year, number }
    } else if percentage % 4 == 1 {
        TitleSuffix::Lot(1 + random.below(12))
    } else {
        TitleSuffix::None
    }
}

fn push_capitalized(out: &mut String, words: &str) {
    let mut letters = words.chars();
    out.extend(letters.next().into_iter().flat_map(char::to_uppercase));
    out.push_str(letters.as_str());
}
