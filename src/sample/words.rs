//! The words a sample is made of: lists of real procurement vocabulary and places, and coined names for the long tail.
//!
//! The long lists are text files beside this one, a line an entry, `|` between its parts; [`Words`] reads them once.

use super::{dice::Ranks, vendors::Province};

/// The lists read from files.
pub struct Words {
    pub topics: Vec<Topic>,
    pub objects: Vec<Pair>,
    pub sentences: Vec<Pair>,
    /// Quebec's municipalities, the largest first.
    pub quebec: Vec<&'static str>,
    pub nova_scotia: Vec<&'static str>,
    pub federal: Vec<Department>,
    pub quebec_ranks: Ranks,
    pub topic_ranks: Ranks,
    /// The coined words of titles: a long Zipf tail.
    pub coined_ranks: Ranks,
}

/// What is bought: a category, its UNSPSC code, and a noun phrase without article in each language.
pub struct Topic {
    pub category: &'static str,
    pub unspsc: &'static str,
    pub name: Pair,
}

#[derive(Clone, Copy)]
pub struct Pair {
    pub en: &'static str,
    pub fr: &'static str,
}

pub struct Department {
    pub name: Pair,
    /// `owner_org` in proactive disclosure.
    pub code: &'static str,
}

impl Words {
    pub fn read() -> Words {
        let topics: Vec<Topic> = lines(include_str!("words/topics.txt"))
            .map(|[category, unspsc, en, fr]| Topic {
                category,
                unspsc,
                name: Pair { en, fr },
            })
            .collect();
        let quebec: Vec<&str> = include_str!("words/quebec.txt").lines().collect();
        Words {
            objects: pairs(include_str!("words/objects.txt")),
            sentences: pairs(include_str!("words/sentences.txt")),
            nova_scotia: include_str!("words/nova_scotia.txt").lines().collect(),
            federal: lines(include_str!("words/federal.txt"))
                .map(|[en, fr, code]| Department {
                    name: Pair { en, fr },
                    code,
                })
                .collect(),
            quebec_ranks: Ranks::new(quebec.len() as u64),
            topic_ranks: Ranks::new(topics.len() as u64),
            coined_ranks: Ranks::new(u64::from(COINED)),
            quebec,
            topics,
        }
    }
}

fn pairs(text: &'static str) -> Vec<Pair> {
    lines(text).map(|[en, fr]| Pair { en, fr }).collect()
}

/// The entries of a list, those that have `N` parts; a test knows that all have.
fn lines<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    text.lines().filter_map(|line| {
        let parts: Vec<&str> = line.split('|').collect();
        parts.try_into().ok()
    })
}

const STARTS: [&str; 48] = [
    "Al", "Bel", "Bois", "Bri", "Cal", "Car", "Clair", "Cor", "Dal", "Del", "Dor", "Du", "Éli", "Fal", "Fer", "Fon",
    "Gal", "Gran", "Hal", "Har", "Jol", "Kar", "Lan", "Lor", "Mal", "Mar", "Mé", "Mon", "Nor", "Ol", "Or", "Pal",
    "Per", "Quin", "Ral", "Riv", "Ros", "Sal", "Ser", "Sol", "Tal", "Ter", "Tri", "Val", "Ver", "Vi", "Wes", "Zé",
];
const MIDDLES: [&str; 48] = [
    "a", "ada", "ade", "al", "ama", "an", "ar", "ba", "ber", "bo", "cé", "co", "da", "den", "di", "do", "é", "el",
    "en", "er", "fa", "go", "i", "in", "ka", "la", "li", "lo", "ma", "mé", "mi", "mo", "na", "ni", "no", "o", "or",
    "pa", "ra", "ri", "ro", "sa", "so", "ta", "ti", "to", "va", "vi",
];
const ENDS: [&str; 40] = [
    "bec", "bert", "bourg", "court", "dale", "don", "field", "gard", "gny", "lac", "lec", "ley", "lier", "lin", "lon",
    "lux", "mar", "mont", "nac", "nay", "net", "nex", "nia", "nor", "quet", "rac", "rel", "rex", "ric", "rond", "sec",
    "sol", "tech", "tek", "ton", "trex", "val", "velle", "vic", "ville",
];

/// How many coined words titles draw from.
const COINED: u32 = 40_000;

/// Writes the coined word of a number; different numbers below 92,160 give different syllables.
pub fn coin(out: &mut String, number: u32) {
    const ALL: u64 = (STARTS.len() * MIDDLES.len() * ENDS.len()) as u64;
    let mixed = (u64::from(number) * 48_271 % ALL) as usize;
    out.push_str(STARTS[mixed % STARTS.len()]);
    out.push_str(MIDDLES[mixed / STARTS.len() % MIDDLES.len()]);
    out.push_str(ENDS[mixed / (STARTS.len() * MIDDLES.len())]);
}

/// `de` or `d'` before a French noun phrase.
pub fn de(noun: &str) -> &'static str {
    match noun.chars().next() {
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'h' | 'â' | 'é' | 'è' | 'ê' | 'î' | 'ô' | 'œ') => "d'",
        _ => "de ",
    }
}

pub const TRADES_FR: &[&str] = &[
    "Excavation",
    "Construction",
    "Pavage",
    "Déneigement",
    "Toitures",
    "Plomberie",
    "Électricité",
    "Architecture",
    "Consultants",
    "Transport",
    "Paysagement",
    "Mécanique",
    "Services environnementaux",
    "Entretien",
    "Informatique",
    "Équipements",
    "Laboratoires",
    "Béton",
    "Soudure",
    "Imprimerie",
    "Traiteur",
    "Solutions d'affaires",
    "Peinture",
    "Maçonnerie",
    "Ventilation",
    "Sécurité",
    "Géomatique",
    "Arpentage",
    "Distribution",
    "Autobus",
    "Mobilier",
    "Fournitures médicales",
    "Ingénierie",
    "Communications",
    "Traduction",
];
pub const TRADES_EN: &[&str] = &[
    "Construction",
    "Contracting",
    "Paving",
    "Consulting",
    "Engineering",
    "Technologies",
    "Solutions",
    "Logistics",
    "Marine",
    "Aerospace",
    "Electric",
    "Mechanical",
    "Environmental",
    "Security",
    "Medical Supplies",
    "Scientific",
    "Software",
    "Data Services",
    "Equipment",
    "Motors",
    "Roofing",
    "Landscaping",
    "Janitorial Services",
    "Printing",
    "Research",
    "Training",
    "Staffing",
    "Food Services",
    "Furniture",
    "Architects",
    "Surveys",
    "Aviation",
];
pub const PLACES_FR: &[&str] = &[
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
pub const STREETS: &[Pair] = &[
    Pair {
        en: "Street",
        fr: "rue",
    },
    Pair {
        en: "Street",
        fr: "rue",
    },
    Pair {
        en: "Boulevard",
        fr: "boulevard",
    },
    Pair {
        en: "Avenue",
        fr: "avenue",
    },
    Pair {
        en: "Road",
        fr: "chemin",
    },
    Pair {
        en: "Range Road",
        fr: "rang",
    },
    Pair {
        en: "Lane",
        fr: "ruelle",
    },
    Pair {
        en: "Crescent",
        fr: "croissant",
    },
];

/// Quebec first; its suppliers' cities come from the list of municipalities.
pub static PROVINCES: [Province; 10] = [
    province("QC", "Quebec", "Québec", b"GHJ", &[]),
    province(
        "ON",
        "Ontario",
        "Ontario",
        b"KLMNP",
        &[
            "Toronto",
            "Ottawa",
            "Mississauga",
            "Hamilton",
            "London",
            "Kingston",
            "Sudbury",
            "Markham",
            "Kanata",
        ],
    ),
    province(
        "BC",
        "British Columbia",
        "Colombie-Britannique",
        b"V",
        &["Vancouver", "Victoria", "Burnaby", "Surrey", "Kelowna", "Richmond"],
    ),
    province(
        "AB",
        "Alberta",
        "Alberta",
        b"T",
        &["Calgary", "Edmonton", "Red Deer", "Lethbridge"],
    ),
    province("MB", "Manitoba", "Manitoba", b"R", &["Winnipeg", "Brandon"]),
    province("SK", "Saskatchewan", "Saskatchewan", b"S", &["Regina", "Saskatoon"]),
    province(
        "NS",
        "Nova Scotia",
        "Nouvelle-Écosse",
        b"B",
        &["Halifax", "Dartmouth", "Truro", "Sydney"],
    ),
    province(
        "NB",
        "New Brunswick",
        "Nouveau-Brunswick",
        b"E",
        &["Moncton", "Fredericton", "Saint John", "Dieppe"],
    ),
    province(
        "NL",
        "Newfoundland and Labrador",
        "Terre-Neuve-et-Labrador",
        b"A",
        &["St. John's", "Corner Brook"],
    ),
    Province {
        country: "US",
        ..province("NY", "New York", "New York", b"", &["Buffalo", "Rochester", "Albany"])
    },
];

const fn province(
    code: &'static str,
    en: &'static str,
    fr: &'static str,
    letters: &'static [u8],
    cities: &'static [&'static str],
) -> Province {
    Province {
        code,
        en,
        fr,
        country: "CA",
        letters,
        cities,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_list_is_an_entry() {
        let words = Words::read();
        for (entries, text) in [
            (words.topics.len(), include_str!("words/topics.txt")),
            (words.objects.len(), include_str!("words/objects.txt")),
            (words.sentences.len(), include_str!("words/sentences.txt")),
            (words.federal.len(), include_str!("words/federal.txt")),
        ] {
            assert_eq!(entries, text.lines().count());
        }
        assert!(words.topics.len() >= 150);
        assert!(words.topics.iter().all(|t| ["CNST", "GD", "SRV"].contains(&t.category)));
    }

    #[test]
    fn coined_words_differ() {
        let words: std::collections::BTreeSet<String> = (0..2_000)
            .map(|n| {
                let mut word = String::new();
                coin(&mut word, n);
                word
            })
            .collect();
        assert!(words.len() > 1_950, "{}", words.len());
    }

    #[test]
    fn french_elides() {
        assert_eq!(de("élagage"), "d'");
        assert_eq!(de("pavage"), "de ");
    }
}
