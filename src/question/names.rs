//! The names among the words of a search: the buyer, the place or region, and the city of the suppliers.

use crate::{
    catalog::generation::Coverage,
    model::vocabulary::known_province,
    question::{
        asked_for::{CONTRACTS, order},
        body_classes::take_class,
        buyers::{Buyer, take_buyer},
        places::{City, firms_of_place, is_firms, take_place, take_region},
        reading::Question,
        takes::Takes,
        words::{Word, joined, ranges, remove_phrase},
    },
};

/// What a buyer did, next to its name: every page of results says how much, and by year.
const SPENDING: &str = "\
    croissance|croissance des depenses|depenses|evolution des depenses|growth|spending|spending growth|\
    spending increase|spending trend";

/// What bodies in Quebec are called: "universités québécoises".
const OF_QUEBEC: &str = "quebecois|quebecoise|quebecoises";

impl<'a> Question<'a> {
    /// Removes the buyer and the place or region.
    pub(super) fn take_names(&mut self, written: &mut Vec<Word>, takes: Takes<'a>) {
        if let Some((buyers, language)) = takes.buyers {
            let buyer = take_buyer(written, buyers, takes.places);
            self.buyer = buyer.map(|buyer| Buyer::of(buyer, buyers.bodies(), language));
        }
        if takes.body_class && self.buyer.is_none() {
            let is_firm = |start: &str| takes.suppliers.is_some_and(|suppliers| suppliers.has_name_from(start));
            self.body_class = take_class(written, is_firm);
        }
        let of_quebec = self.body_class.is_some() && takes.region && remove_phrase(written, OF_QUEBEC);
        // A hospital in Laval is no body of that city: the name is a region, or a word.
        let places = if self.body_class.is_some() { &[] } else { takes.places };
        let text = joined(written);
        self.names_firms = written.iter().any(|(_, folded)| is_firms(folded));
        self.place = take_place(written, places, takes.region);
        if takes.vendor_city {
            self.take_firms_in(written, &text);
        }
        // "CHUS Sherbrooke": the name of the body has the city, and the body does not belong to it.
        let is_in_name = |place: &Coverage| self.buyer.as_ref().is_some_and(|buyer| buyer.has_in_name(place));
        self.place = self.place.filter(|place| !is_in_name(place));
        // "Firms in Mississauga that won Quebec contracts", not "firms in Laval, Quebec".
        let of_region = |pair: &[Word]| known_province(&pair[0].1).is_some() && CONTRACTS.contains(&pair[1].1.as_str());
        let is_of_buyers = self.firms_in.is_none() || written.windows(2).any(of_region);
        let has_region = takes.region && self.place.is_none() && is_of_buyers;
        let region = has_region.then(|| take_region(written, takes.level)).flatten();
        let region = region.filter(|(name, _)| !self.buyer.as_ref().is_some_and(|buyer| buyer.has_words_of(name)));
        (self.region, self.level) = region.map_or((None, None), |(name, level)| (Some(name), level));
        if of_quebec && self.region.is_none() && self.place.is_none() {
            self.region = Some("Québec".to_owned());
        }
    }

    /// Removes what is asked of a buyer next to its name: "SAAQ principaux fournisseurs", "RCMP spending".
    pub(super) fn take_asked_of_buyer(&mut self, written: &mut Vec<Word>, takes: Takes) -> bool {
        if self.buyer.is_none() {
            return false;
        }
        if takes.order && self.order.is_none() {
            self.order = order(written);
        }
        remove_phrase(written, SPENDING) || self.order.is_some()
    }

    /// Removes the word for firms, and the city in which they are: "companies in Laval".
    fn take_firms_in(&mut self, written: &mut Vec<Word>, text: &str) {
        if let Some(place) = self.place {
            let city = City::of(place);
            if let Some(firms) = firms_of_place(text, [&city.en, &city.fr]) {
                remove_phrase(written, firms);
                (self.firms_in, self.place) = (Some(city), None);
            }
            return;
        }
        if !self.names_firms {
            return;
        }
        // A city whose own purchases are not here.
        let mut all = ranges(written);
        all.sort_by_key(|(_, range)| std::cmp::Reverse(range.len()));
        let found = all.into_iter().find_map(|(folded, range)| {
            let city = City::named(&folded)?;
            let firms = firms_of_place(text, [&city.en, &city.fr])?;
            Some((city, firms, range))
        });
        if let Some((city, firms, range)) = found {
            written.drain(range);
            remove_phrase(written, firms);
            self.firms_in = Some(city);
        }
    }
}
