//! The buyers: some three thousand bodies of Quebec, in the order of how much they buy, and the few of other
//! publishers.

use std::collections::BTreeMap;

use super::{
    coined_word::CoinedWord,
    lists::{entries, french_de, lines, number},
    random::ZipfRanks,
    topics::Sector,
};
use crate::model::fold::fold;

pub(super) struct Buyer {
    pub(super) name: String,
    /// The French name of a federal department; empty for others.
    pub(super) name_fr: &'static str,
    /// `owner_org` of a federal department, the activity of a service of Montréal; empty for others.
    pub(super) code: &'static str,
    /// The slug of a city, or the one that the bodies of a province share.
    pub(super) municipality: String,
    pub(super) sector: Sector,
    /// Whether the buyer buys for places all over its province or the country, so that a title may name one.
    pub(super) covers_region: bool,
}

/// Buyers of a publisher, the largest first.
pub(super) struct BuyerList {
    pub(super) buyers: Vec<Buyer>,
    pub(super) ranks: ZipfRanks,
}

/// By the names in `buyers.txt`.
pub(super) struct Buyers(BTreeMap<&'static str, BuyerList>);

/// Municipalities too small for the list, which have no slug of their own.
const VILLAGES: u32 = 550;

impl Buyers {
    pub(super) fn read() -> Buyers {
        let mut ranked: BTreeMap<&str, Vec<(usize, Buyer)>> = BTreeMap::new();
        for [publisher, rank, name, name_fr, code, municipality, sector, region] in
            entries(include_str!("lists/buyers.txt"))
        {
            let (first, step) = rank.split_once('+').unwrap_or((rank, "0"));
            let (pattern, places) = places(name);
            for (position, place) in places.into_iter().enumerate() {
                let name = name.replace("{de}", french_de(&place.to_lowercase()));
                let buyer = Buyer {
                    name: name.replace(pattern, &place),
                    name_fr,
                    code,
                    municipality: municipality.replace("{slug}", &slug(&place)),
                    sector,
                    covers_region: !region.is_empty(),
                };
                let rank = number::<usize>(first) + position * number::<usize>(step);
                ranked.entry(publisher).or_default().push((rank, buyer));
            }
        }
        let lists = ranked.into_iter().map(|(publisher, mut buyers)| {
            buyers.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
            let ranks = ZipfRanks::new(buyers.len() as u64);
            let buyers = buyers.into_iter().map(|(_, buyer)| buyer).collect();
            (publisher, BuyerList { buyers, ranks })
        });
        Buyers(lists.collect())
    }

    /// Panics at a name that the list has not.
    pub(super) fn list(&self, name: &str) -> &BuyerList {
        &self.0[name]
    }
}

impl Buyer {
    pub(super) fn is_municipal(&self) -> bool {
        !matches!(
            self.municipality.as_str(),
            "qc-provincial" | "ns-provincial" | "federal"
        )
    }
}

/// The pattern in a name, and the places that it stands for.
fn places(name: &str) -> (&'static str, Vec<String>) {
    let listed = |list| lines(list).map(str::to_owned).collect();
    if name.ends_with("{city}") {
        ("{city}", listed(include_str!("lists/quebec_municipalities.txt")))
    } else if name.ends_with("{town}") {
        ("{town}", listed(include_str!("lists/nova_scotia_towns.txt")))
    } else if name.ends_with("{village}") {
        let names = (0..VILLAGES).map(|number| CoinedWord(number + 7).to_string());
        ("{village}", names.collect())
    } else {
        ("", vec![String::new()])
    }
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
        let quebec = &buyers.list("quebec").buyers;
        assert!((2_900..3_200).contains(&quebec.len()), "{}", quebec.len());
        let all = || quebec.iter().chain(&buyers.list("nova-scotia").buyers);
        let slugs: BTreeSet<&str> = all().map(|buyer| buyer.municipality.as_str()).collect();
        assert!((165..190).contains(&slugs.len()), "{}", slugs.len());
        for slug in slugs {
            assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{slug}");
        }
        let names: BTreeSet<&str> = all().map(|buyer| buyer.name.as_str()).collect();
        assert_eq!(names.len(), all().count());
    }
}
