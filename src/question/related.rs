//! Questions near to one: of all of which it asks for a share, of other places of one name, and of bids.

use crate::{
    model::{
        Language,
        countries::STATED,
        vocabulary::{known_province, region},
    },
    question::{places::City, reading::Question},
};

impl<'a> Question<'a> {
    /// The same without the conditions that bids do not have: a region, a level of government, a class of buyers.
    pub(crate) fn of_bids(&self) -> Question<'a> {
        Question {
            region: None,
            level: None,
            body_class: None,
            ..self.clone()
        }
    }

    /// The same without the condition whose share is asked for: "share of contracts over $1,000 without competition" is
    /// that of those over $1,000. `None` if there is none.
    pub(crate) fn of_all(&self) -> Option<Question<'a>> {
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
    pub(crate) fn of_region(&self, language: Language) -> Option<Question<'a>> {
        let name = self.place?.name(language)?;
        let is_region = region(name).is_some() && known_province(name).is_none();
        is_region.then(|| Question {
            place: None,
            region: Some(name.to_owned()),
            ..self.clone()
        })
    }

    /// The same of the suppliers in the municipality. `None` without one, or without words, unless these ask for firms:
    /// "suppliers of Rimouski" sell to the city, or are there.
    pub(crate) fn of_city(&self) -> Option<Question<'a>> {
        let place = self.place.filter(|_| !self.words.is_empty() || self.names_firms);
        place.map(|place| Question {
            place: None,
            firms_in: Some(City::of(place)),
            ..self.clone()
        })
    }
}
