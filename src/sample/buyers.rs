//! The buyers: some three thousand bodies of Quebec, in the order of how much they buy, and the few of other publishers.

use super::{
    coined_word::CoinedWord,
    lists::{entries, french_de},
    random::ZipfRanks,
    topics::Sector,
};
use crate::model::fold::fold;

#[derive(Default)]
pub(super) struct Buyer {
    pub(super) name: String,
    /// The French name of a federal department; empty for others.
    pub(super) name_fr: &'static str,
    /// `owner_org` of a federal department, the activity of a service of Montréal; empty for others.
    pub(super) code: &'static str,
    /// The slug of a city, or that of a province's bodies.
    pub(super) municipality: String,
    pub(super) is_municipal: bool,
    /// It buys for places all over its province or the country, so that a title may name one.
    pub(super) covers_region: bool,
    pub(super) sector: Sector,
}

/// Buyers of a publisher, the largest first.
pub(super) struct BuyerList {
    pub(super) buyers: Vec<Buyer>,
    pub(super) ranks: ZipfRanks,
}

pub(super) struct Buyers {
    pub(super) quebec: BuyerList,
    pub(super) nova_scotia: BuyerList,
    pub(super) federal: BuyerList,
    pub(super) montreal: BuyerList,
    pub(super) toronto: BuyerList,
}

/// Municipalities too small for the list, which have no slug of their own.
const VILLAGES: u32 = 550;

impl Buyers {
    pub(super) fn read() -> Buyers {
        Buyers {
            quebec: list(quebec()),
            nova_scotia: list(nova_scotia()),
            federal: list(federal()),
            montreal: list(montreal()),
            toronto: list(toronto()),
        }
    }
}

fn list(buyers: Vec<Buyer>) -> BuyerList {
    let ranks = ZipfRanks::new(buyers.len() as u64);
    BuyerList { buyers, ranks }
}

fn quebec() -> Vec<Buyer> {
    // With the rank of each.
    let mut ranked: Vec<(usize, Buyer)> = Vec::new();
    let forms: Vec<_> = entries(include_str!("lists/quebec_forms.txt")).collect();
    for (size, city) in include_str!("lists/quebec_municipalities.txt").lines().enumerate() {
        for [form, municipality, sector, rank] in &forms {
            let rank: usize = rank.parse().expect("a rank is a number");
            let buyer = Buyer {
                name: format!("{form} {}{city}", french_de(&city.to_lowercase())),
                municipality: match *municipality {
                    "city" => slug(city),
                    "some-city" => "qc-municipal".to_owned(),
                    _ => "qc-provincial".to_owned(),
                },
                is_municipal: *municipality != "province",
                sector: Sector::named(sector),
                ..Buyer::default()
            };
            ranked.push(((size + 1) * rank, buyer));
        }
    }
    for (size, [body, sector]) in entries(include_str!("lists/quebec_bodies.txt")).enumerate() {
        let buyer = Buyer {
            name: body.to_owned(),
            municipality: "qc-provincial".to_owned(),
            covers_region: !matches!(sector, "school" | "health"),
            sector: Sector::named(sector),
            ..Buyer::default()
        };
        ranked.push(((size + 1) * 3, buyer));
    }
    for number in 0..VILLAGES {
        let buyer = Buyer {
            name: format!("Municipalité de Saint-{}", CoinedWord(number + 7)),
            municipality: "qc-municipal".to_owned(),
            is_municipal: true,
            sector: Sector::named("town"),
            ..Buyer::default()
        };
        ranked.push((200 + number as usize * 9, buyer));
    }
    ranked.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
    ranked.into_iter().map(|(_, buyer)| buyer).collect()
}

fn nova_scotia() -> Vec<Buyer> {
    let bodies = entries(include_str!("lists/nova_scotia_bodies.txt")).map(|[name, municipality, sector]| Buyer {
        name: name.to_owned(),
        municipality: municipality.to_owned(),
        is_municipal: municipality != "ns-provincial",
        sector: Sector::named(sector),
        ..Buyer::default()
    });
    let towns = include_str!("lists/nova_scotia_towns.txt").lines().map(|town| Buyer {
        name: format!("Town of {town}"),
        municipality: slug(town),
        is_municipal: true,
        sector: Sector::named("town"),
        ..Buyer::default()
    });
    bodies.chain(towns).collect()
}

fn federal() -> Vec<Buyer> {
    let departments = entries(include_str!("lists/federal_departments.txt"));
    let buyers = departments.map(|[name, name_fr, code, sector]| Buyer {
        name: name.to_owned(),
        name_fr,
        code,
        municipality: "federal".to_owned(),
        covers_region: true,
        sector: Sector::named(sector),
        ..Buyer::default()
    });
    buyers.collect()
}

fn montreal() -> Vec<Buyer> {
    let services = entries(include_str!("lists/montreal_services.txt"));
    let buyers = services.map(|[name, activity, sector]| Buyer {
        name: name.to_owned(),
        code: activity,
        sector: Sector::named(sector),
        ..Buyer::default()
    });
    buyers.collect()
}

fn toronto() -> Vec<Buyer> {
    let divisions = entries(include_str!("lists/toronto_divisions.txt"));
    let buyers = divisions.map(|[name, sector]| Buyer {
        name: name.to_owned(),
        sector: Sector::named(sector),
        ..Buyer::default()
    });
    buyers.collect()
}

/// `Saint-Jérôme` → `saint-jerome`.
fn slug(city: &str) -> String {
    fold(city).replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn about_three_thousand_buyers_in_about_180_places() {
        let buyers = Buyers::read();
        let quebec = &buyers.quebec.buyers;
        assert!((2_900..3_200).contains(&quebec.len()), "{}", quebec.len());
        let all = || quebec.iter().chain(&buyers.nova_scotia.buyers);
        let slugs: BTreeSet<&str> = all().map(|buyer| buyer.municipality.as_str()).collect();
        assert!((165..190).contains(&slugs.len()), "{}", slugs.len());
        for slug in slugs {
            assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{slug}");
        }
        let names: BTreeSet<&str> = all().map(|buyer| buyer.name.as_str()).collect();
        assert_eq!(names.len(), all().count());
    }
}
