//! The buyers: some three thousand bodies of Quebec, in the order of how much they buy, and the few of other sources.

use super::{dice::Ranks, words, words::Words};
use crate::model::fold::fold;

pub struct Buyer {
    pub name: String,
    /// City slug, or the slug of a province's bodies.
    pub municipality: String,
    pub municipal: bool,
}

pub struct Buyers {
    pub quebec: Vec<Buyer>,
    pub quebec_ranks: Ranks,
    pub nova_scotia: Vec<Buyer>,
    pub nova_scotia_ranks: Ranks,
    pub federal_ranks: Ranks,
}

/// A body that stands beside each municipality: its name before ` de X`, whose slug it carries, and how far behind the
/// municipality itself it comes.
struct Form {
    name: &'static str,
    slug: Slug,
    behind: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Slug {
    City,
    /// A municipal body whose city cannot be told.
    SomeCity,
    Province,
}

const FORMS: &[Form] = &[
    form("Ville", Slug::City, 2),
    form("Centre de services scolaire", Slug::Province, 5),
    form("Office municipal d'habitation", Slug::City, 9),
    form("Société de transport", Slug::City, 12),
    form("Cégep", Slug::Province, 14),
    form("MRC", Slug::SomeCity, 16),
    form("Centre hospitalier", Slug::Province, 19),
    form(
        "Régie intermunicipale de gestion des matières résiduelles",
        Slug::SomeCity,
        23,
    ),
    form("Régie intermunicipale de police", Slug::SomeCity, 29),
    form("Bibliothèque publique", Slug::City, 37),
    form("Corporation de développement économique", Slug::City, 41),
    form("Centre de la petite enfance", Slug::Province, 43),
    form("Service de sécurité incendie", Slug::City, 47),
    form("Régie du bâtiment et des loisirs", Slug::SomeCity, 53),
    form("Aéroport régional", Slug::City, 59),
    form("Collège", Slug::Province, 61),
];

const fn form(name: &'static str, slug: Slug, behind: usize) -> Form {
    Form { name, slug, behind }
}

/// Municipalities too small for the list, which carry no slug of their own.
const VILLAGES: u32 = 550;

impl Buyers {
    pub fn new(words: &Words) -> Buyers {
        let quebec = quebec(words);
        let nova_scotia = nova_scotia(words);
        Buyers {
            quebec_ranks: Ranks::new(quebec.len() as u64),
            nova_scotia_ranks: Ranks::new(nova_scotia.len() as u64),
            federal_ranks: Ranks::new(words.federal.len() as u64),
            quebec,
            nova_scotia,
        }
    }
}

fn quebec(words: &Words) -> Vec<Buyer> {
    let mut ranked = Vec::new();
    for (size, city) in words.quebec.iter().enumerate() {
        for form in FORMS {
            let municipality = match form.slug {
                Slug::City => slug(city),
                Slug::SomeCity => "qc-municipal".to_owned(),
                Slug::Province => "qc-provincial".to_owned(),
            };
            let buyer = Buyer {
                name: format!("{} {}{city}", form.name, words::de(&city.to_lowercase())),
                municipality,
                municipal: form.slug != Slug::Province,
            };
            ranked.push(((size + 1) * form.behind, buyer));
        }
    }
    for (size, body) in include_str!("words/quebec_bodies.txt").lines().enumerate() {
        let buyer = Buyer {
            name: body.to_owned(),
            municipality: "qc-provincial".to_owned(),
            municipal: false,
        };
        ranked.push(((size + 1) * 3, buyer));
    }
    for number in 0..VILLAGES {
        let mut name = "Municipalité de Saint-".to_owned();
        words::coin(&mut name, number + 7);
        let buyer = Buyer {
            name,
            municipality: "qc-municipal".to_owned(),
            municipal: true,
        };
        ranked.push((200 + number as usize * 9, buyer));
    }
    ranked.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
    ranked.into_iter().map(|(_, buyer)| buyer).collect()
}

fn nova_scotia(words: &Words) -> Vec<Buyer> {
    let province = |name: &str| Buyer {
        name: name.to_owned(),
        municipality: "ns-provincial".to_owned(),
        municipal: false,
    };
    let city = |form: &str, city: &str| Buyer {
        name: format!("{form}{city}"),
        municipality: slug(city),
        municipal: true,
    };
    let mut buyers = vec![
        province("Department of Public Works"),
        city("Regional Municipality of ", "Halifax"),
        province("Nova Scotia Health Authority"),
        city("Water Utility of ", "Halifax"),
        province("Department of Education and Early Childhood Development"),
        province("Service Nova Scotia & Internal Services"),
        province("Department of Natural Resources"),
        province("Regional Centre for Education"),
        province("Community College"),
    ];
    buyers.extend(words.nova_scotia.iter().skip(1).map(|name| city("Town of ", name)));
    buyers
}

/// `Saint-Jérôme` → `saint-jerome`.
pub fn slug(city: &str) -> String {
    fold(city).replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn about_three_thousand_buyers_in_about_180_places() {
        let buyers = Buyers::new(&Words::read());
        assert!((2_900..3_200).contains(&buyers.quebec.len()), "{}", buyers.quebec.len());
        let all = || buyers.quebec.iter().chain(&buyers.nova_scotia);
        let slugs: BTreeSet<&str> = all().map(|b| b.municipality.as_str()).collect();
        assert!((165..190).contains(&slugs.len()), "{}", slugs.len());
        for slug in slugs {
            assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{slug}");
        }
        let names: BTreeSet<&str> = all().map(|b| b.name.as_str()).collect();
        assert_eq!(names.len(), all().count());
    }
}
