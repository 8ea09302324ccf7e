//! Searches near to the one that words state: of all of which they ask for a share, and of other places of one name.

use crate::{
    model::{
        countries::STATED,
        vocabulary::{known_province, region},
    },
    pages::{
        messages::Texts,
        place_names::place_name,
        search::{parts::Parts, places::City, search_address::SearchAddress},
    },
    query::SearchQuery,
};

/// A search with other conditions, such as one without those whose share of it the words ask for: "share of contracts
/// without competition".
pub(crate) struct Related {
    pub(crate) asked: SearchAddress,
    pub(crate) query: SearchQuery,
    /// With the part of the page that has the shares, if it has one.
    pub(crate) href: String,
    pub(crate) label: String,
}

impl<'a> Parts<'a> {
    /// The same without the condition whose share is asked for: "share of contracts over $1,000 without competition" is
    /// that of those over $1,000. `None` if there is none.
    pub(super) fn of_all(&self) -> Option<Parts<'a>> {
        let mut all = self.clone();
        if all.without_competition {
            all.without_competition = false;
        } else if all.amended {
            all.amended = false;
        } else if all.country.is_some() {
            // What states no country may be of any.
            all.country = Some(STATED.to_owned());
        } else {
            (all.value_min, all.value_max) = (None, None);
        }
        (self.asks_for_share && all != *self).then_some(all)
    }

    /// The same in the region that is called like the municipality. `None` if there is none.
    pub(super) fn of_region(&self, t: Texts) -> Option<Parts<'a>> {
        let name = place_name(self.place?, t.language())?;
        let is_region = region(name).is_some() && known_province(name).is_none();
        is_region.then(|| Parts {
            place: None,
            region: Some(name.to_owned()),
            ..self.clone()
        })
    }

    /// The same of the suppliers in the municipality. `None` without one, or without words, unless these ask for firms:
    /// "suppliers of Rimouski" sell to the city, or are there.
    pub(super) fn of_city(&self) -> Option<Parts<'a>> {
        let place = self.place.filter(|_| !self.words.is_empty() || self.names_firms);
        place.map(|place| Parts {
            place: None,
            firms_in: Some(City::of(place)),
            ..self.clone()
        })
    }
}
