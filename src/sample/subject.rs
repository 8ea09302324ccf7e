//! What a notice is about, told alike in both languages: a title and a description.

use super::{
    dice::Dice,
    row::{push_number, push_padded},
    vendors::Market,
    words::{self, Topic, Words, coin},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    En,
    Fr,
}

#[derive(Default)]
pub struct Subject {
    topic: usize,
    opening: usize,
    object: Option<usize>,
    place: Option<&'static str>,
    tail: Tail,
    sentences: Vec<Sentence>,
}

/// What singles one title out: the long tail of an index's vocabulary.
#[derive(Clone, Copy, Default)]
enum Tail {
    #[default]
    None,
    Street {
        kind: usize,
        coined: u32,
    },
    Model {
        coined: u32,
        number: u32,
    },
    Call {
        year: u32,
        number: u32,
    },
    Lot(u32),
    Phase(u32),
}

struct Sentence {
    template: usize,
    many: u32,
    few: u32,
    coined: u32,
}

/// How a title begins; `{de}` stands for `de` or `d'`.
struct Opening {
    en: &'static str,
    fr: &'static str,
}

const fn opening(en: &'static str, fr: &'static str) -> Opening {
    Opening { en, fr }
}

const WORKS: &[Opening] = &[
    opening("", ""),
    opening("Construction work: ", "Travaux {de}"),
    opening("Project: ", "Projet {de}"),
    opening("Contractor for ", "Entrepreneur pour "),
    opening("Urgent work: ", "Travaux urgents {de}"),
];
const GOODS: &[Opening] = &[
    opening("Supply of ", "Fourniture {de}"),
    opening("Purchase of ", "Achat {de}"),
    opening("Supply and delivery of ", "Fourniture et livraison {de}"),
    opening("Acquisition of ", "Acquisition {de}"),
    opening("Rental of ", "Location {de}"),
    opening("Supply and installation of ", "Fourniture et installation {de}"),
    opening("Replacement of ", "Remplacement {de}"),
    opening("", ""),
];
const SERVICES: &[Opening] = &[
    opening("", ""),
    opening("Services: ", "Services {de}"),
    opening("Professional services: ", "Services professionnels : "),
    opening("Contract for ", "Contrat {de}"),
    opening("Mandate: ", "Mandat {de}"),
    opening("Standing arrangement: ", "Entente-cadre : "),
];

impl Subject {
    pub fn draw(&mut self, market: Market, year: i32, dice: &mut Dice, words: &Words) {
        self.topic = dice.rank(words.topic_ranks) as usize;
        // A rank is a place in a list sorted by category: spread, so that no category takes the top.
        self.topic = self.topic * 83 % words.topics.len();
        self.opening = dice.below(64) as usize;
        self.object = dice
            .percent(55)
            .then(|| dice.below(words.objects.len() as u32) as usize);
        self.place = dice.percent(25).then(|| match market {
            Market::Quebec => words.quebec[dice.rank(words.quebec_ranks) as usize],
            Market::Canada => {
                let province = 1 + dice.below(8) as usize;
                dice.pick(words::PROVINCES[province].cities)
            }
        });
        let coined = dice.rank(words.coined_ranks);
        self.tail = match dice.below(100) {
            0..30 => Tail::Street {
                kind: dice.below(words::STREETS.len() as u32) as usize,
                coined,
            },
            30..45 => Tail::Model {
                coined,
                number: dice.below(9_000),
            },
            45..60 => Tail::Call {
                year: year.unsigned_abs(),
                number: 1 + dice.below(900),
            },
            60..68 => Tail::Lot(1 + dice.below(12)),
            68..74 => Tail::Phase(1 + dice.below(4)),
            _ => Tail::None,
        };
        self.sentences.clear();
        let first = dice.below(words.sentences.len() as u32) as usize;
        // Steps that share no factor with the number of sentences: none comes twice.
        let step = dice.pick(&[5, 7, 11, 13, 17]);
        for number in 0..3 + dice.below(7) as usize {
            self.sentences.push(Sentence {
                template: (first + number * step) % words.sentences.len(),
                many: 2 + dice.below(89),
                few: 2 + dice.below(8),
                coined: dice.rank(words.coined_ranks),
            });
        }
    }

    pub fn topic<'a>(&self, words: &'a Words) -> &'a Topic {
        &words.topics[self.topic]
    }

    pub fn title(&self, language: Language, words: &Words, out: &mut String) {
        let topic = self.topic(words);
        let openings = match topic.category {
            "CNST" => WORKS,
            "GD" => GOODS,
            _ => SERVICES,
        };
        let opening = &openings[self.opening % openings.len()];
        match language {
            Language::En => push_capital(out, opening.en, topic.name.en),
            Language::Fr => match opening.fr.strip_suffix("{de}") {
                Some(before) => {
                    out.push_str(before);
                    out.push_str(words::de(topic.name.fr));
                    out.push_str(topic.name.fr);
                }
                None => push_capital(out, opening.fr, topic.name.fr),
            },
        }
        if let Some(object) = self.object.map(|at| words.objects[at]) {
            match language {
                Language::En => push_all(out, &[" for ", object.en]),
                Language::Fr => push_all(out, &[" pour ", object.fr]),
            }
        }
        if let Some(place) = self.place {
            push_all(out, &[if language == Language::En { " in " } else { " à " }, place]);
        }
        self.push_tail(language, out);
    }

    fn push_tail(&self, language: Language, out: &mut String) {
        match self.tail {
            Tail::None => {}
            Tail::Street { kind, coined } => {
                let street = &words::STREETS[kind];
                out.push_str(", ");
                if language == Language::Fr {
                    push_all(out, &[street.fr, " "]);
                    coin(out, coined);
                } else {
                    coin(out, coined);
                    push_all(out, &[" ", street.en]);
                }
            }
            Tail::Model { coined, number } => {
                out.push_str(" (");
                coin(out, coined);
                out.push_str(" X");
                push_number(out, u64::from(number));
                out.push(')');
            }
            Tail::Call { year, number } => {
                out.push_str(" - ");
                push_number(out, u64::from(year));
                out.push('-');
                push_padded(out, u64::from(number), 3);
            }
            Tail::Lot(number) => {
                out.push_str(", lot ");
                push_number(out, u64::from(number));
            }
            Tail::Phase(number) => {
                out.push_str(" - phase ");
                push_number(out, u64::from(number));
            }
        }
    }

    pub fn description(&self, language: Language, words: &Words, out: &mut String) {
        for (number, sentence) in self.sentences.iter().enumerate() {
            if number > 0 {
                out.push(' ');
            }
            self.push_sentence(sentence, language, words, out);
        }
    }

    fn push_sentence(&self, sentence: &Sentence, language: Language, words: &Words, out: &mut String) {
        let template = words.sentences[sentence.template];
        let name = self.topic(words).name;
        // Without an object of its own a subject speaks of the first of the list, the buyer's buildings.
        let object = words.objects[self.object.unwrap_or(0)];
        let (mut rest, name, object) = match language {
            Language::En => (template.en, name.en, object.en),
            Language::Fr => (template.fr, name.fr, object.fr),
        };
        while let Some(at) = rest.find('{') {
            out.push_str(&rest[..at]);
            match rest.as_bytes().get(at + 1) {
                Some(b't') => out.push_str(name),
                Some(b'o') => out.push_str(object),
                Some(b'c') => coin(out, sentence.coined),
                Some(b'n') => push_number(out, u64::from(sentence.many)),
                _ => push_number(out, u64::from(sentence.few)),
            }
            rest = rest.get(at + 3..).unwrap_or("");
        }
        out.push_str(rest);
    }
}

/// The words after `before`; with nothing before them, their first letter is a capital.
fn push_capital(out: &mut String, before: &str, words: &str) {
    out.push_str(before);
    let mut letters = words.chars();
    if before.is_empty()
        && let Some(first) = letters.next()
    {
        out.extend(first.to_uppercase());
    }
    out.push_str(letters.as_str());
}

fn push_all(out: &mut String, parts: &[&str]) {
    for part in parts {
        out.push_str(part);
    }
}
