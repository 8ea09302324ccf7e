//! Provinces and cities: where suppliers come from, and where work is done.

use super::{
    lists::{Bilingual, entries, lines, number},
    random::{Random, ZipfRanks},
};

/// A province or state.
pub(super) struct Province {
    pub(super) code: &'static str,
    pub(super) name: Bilingual,
    pub(super) country: &'static str,
    /// What its postal codes begin with; empty outside Canada.
    pub(super) postal_letters: &'static [u8],
    pub(super) cities: Vec<&'static str>,
}

/// A city and the index of its province.
#[derive(Clone, Copy, Default)]
pub(super) struct City {
    pub(super) name: &'static str,
    pub(super) province: usize,
}

pub(super) struct Places {
    /// Quebec first.
    pub(super) provinces: Vec<Province>,
    /// Indices of the other provinces, each as often as its share says.
    other_provinces: Vec<usize>,
    quebec_ranks: ZipfRanks,
}

impl Places {
    pub(super) fn read() -> Places {
        let (mut provinces, mut other_provinces) = (Vec::new(), Vec::new());
        for [code, en, fr, country, letters, share, cities] in entries(include_str!("lists/provinces.txt")) {
            other_provinces.extend(std::iter::repeat_n(provinces.len(), number(share)));
            provinces.push(Province {
                code,
                name: Bilingual { en, fr },
                country,
                postal_letters: letters.as_bytes(),
                cities: cities.split(", ").collect(),
            });
        }
        // The largest first.
        provinces[0].cities = lines(include_str!("lists/quebec_municipalities.txt")).collect();
        Places {
            quebec_ranks: ZipfRanks::new(provinces[0].cities.len() as u64),
            other_provinces,
            provinces,
        }
    }

    pub(super) fn quebec_city(&self, random: &mut Random) -> City {
        let name = self.provinces[0].cities[random.zipf(self.quebec_ranks) as usize];
        City { name, province: 0 }
    }

    pub(super) fn city_outside_quebec(&self, random: &mut Random) -> City {
        let province = random.choose(&self.other_provinces);
        let name = random.choose(&self.provinces[province].cities);
        City { name, province }
    }

    pub(super) fn canadian_city_outside_quebec(&self, random: &mut Random) -> City {
        loop {
            let city = self.city_outside_quebec(random);
            if self.provinces[city.province].country == "CA" {
                return city;
            }
        }
    }
}
