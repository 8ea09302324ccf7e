//! What a notice is about: a title and a description that say the same in both languages.

use std::fmt::Write;

use super::{
    choices::Choices,
    coined_word::{COINED_RANKS, CoinedWord},
    lists::{Bilingual, french_de},
    places::City,
    random::Random,
    topics::{Purchase, Sector, Topic, TopicTable},
};
use crate::model::Language;

/// The draws that a title and a description are written from.
#[derive(Default)]
pub(super) struct NoticeSubject {
    topic: usize,
    opening: usize,
    site: Bilingual,
    is_site_in_title: bool,
    /// Where the work is done, if the title names it.
    pub(super) city: Option<City>,
    /// The end of a title, in English and French, which makes it different from others on the same topic.
    suffix: [String; 2],
    sentences: Vec<SentenceDraw>,
}

struct SentenceDraw {
    /// Position among the sentences of the purchase.
    position: usize,
    /// The value of `{n}`.
    large: u32,
    /// The value of `{k}`.
    small: u32,
    /// The value of `{c}`.
    name: CoinedWord,
}

impl NoticeSubject {
    /// Draws everything but the topic; the city is a place that the title may name.
    pub(super) fn draw(
        &mut self,
        topic: usize,
        (sector, city): (Sector, Option<City>),
        year: i32,
        choices: &Choices,
        random: &mut Random,
    ) {
        let topics = &choices.topics;
        let purchase = &topics.purchases[topics.topics[topic].purchase];
        self.topic = topic;
        self.opening = random.below(purchase.openings.len() as u32) as usize;
        self.site = random.choose(purchase.sites(sector));
        self.is_site_in_title = random.percent(55);
        self.city = if random.percent(45) { city } else { None };
        self.suffix = draw_suffix(purchase, year, choices, random);
        self.sentences.clear();
        // The first sentence names the topic; of the others each is as likely, in the order of the list.
        let count = purchase.sentences.len() as u32;
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
                name: CoinedWord(random.zipf(*COINED_RANKS)),
            });
        }
    }

    pub(super) fn topic<'a>(&self, table: &'a TopicTable) -> &'a Topic {
        &table.topics[self.topic]
    }

    pub(super) fn push_title(&self, language: Language, table: &TopicTable, out: &mut String) {
        let topic = self.topic(table);
        let opening = table.purchases[topic.purchase].openings[self.opening].text(language);
        let name = topic.name.text(language);
        match opening.strip_suffix("{de}") {
            Some(before) => out.extend([before, french_de(name), name]),
            None if opening.is_empty() => push_capitalized(out, name),
            None => out.extend([opening, name]),
        }
        let (before_site, before_city, suffix) = match language {
            Language::English => (" for ", " in ", &self.suffix[0]),
            Language::French => (" pour ", " à ", &self.suffix[1]),
        };
        if self.is_site_in_title {
            out.extend([before_site, self.site.text(language)]);
        }
        if let Some(city) = self.city {
            out.extend([before_city, city.name]);
        }
        out.push_str(suffix);
    }

    pub(super) fn push_description(&self, language: Language, table: &TopicTable, out: &mut String) {
        let topic = self.topic(table);
        for draw in &self.sentences {
            if !out.is_empty() {
                out.push(' ');
            }
            let mut rest = table.purchases[topic.purchase].sentences[draw.position].text(language);
            while let Some((before, after)) = rest.split_once('{') {
                out.push_str(before);
                // Writing to a String cannot fail.
                let _ = match after.as_bytes().first() {
                    Some(b't') => out.write_str(topic.name.text(language)),
                    Some(b'o') => out.write_str(self.site.text(language)),
                    Some(b'c') => write!(out, "{}", draw.name),
                    Some(b'n') => write!(out, "{}", draw.large),
                    _ => write!(out, "{}", draw.small),
                };
                rest = after.get(2..).unwrap_or("");
            }
            out.push_str(rest);
        }
    }
}

fn draw_suffix(purchase: &Purchase, year: i32, choices: &Choices, random: &mut Random) -> [String; 2] {
    let [streets, models, phases] = purchase.suffix_percents;
    let percentage = random.below(100);
    let name = CoinedWord(random.zipf(*COINED_RANKS));
    let both = if percentage < streets {
        let street = choices.phrases.choose("street", random).text;
        return [format!(", {name} {}", street.en), format!(", {} {name}", street.fr)];
    } else if percentage < streets + models {
        format!(" ({name} X{})", random.below(9_000))
    } else if percentage < streets + models + phases {
        format!(" - phase {}", 1 + random.below(4))
    } else if percentage.is_multiple_of(4) {
        format!(" - {year}-{:03}", 1 + random.below(900))
    } else if percentage % 4 == 1 {
        format!(", lot {}", 1 + random.below(12))
    } else {
        String::new()
    };
    [both.clone(), both]
}

fn push_capitalized(out: &mut String, words: &str) {
    let mut letters = words.chars();
    out.extend(letters.next().into_iter().flat_map(char::to_uppercase));
    out.push_str(letters.as_str());
}
