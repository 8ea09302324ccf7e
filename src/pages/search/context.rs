//! What the parts of a page of results share, and how names and codes are shown and linked in it.

use crate::{
    api::params::parse::MIN_NAME_LENGTH,
    catalog::{ask::Ask, suppliers::Party},
    engine::names::ResolvedName,
    model::{Date, EntityType, Facet, Language, Schema, commodity::CommodityCode, fold::fold, vocabulary::STATUSES},
    pages::{address, commodity_names, format::shortened, messages::Texts, search::search_address::SearchAddress},
    question::asks::Asks,
};

/// The search, and what it is shown with.
pub(crate) struct SearchContext<'a> {
    pub(crate) asked: &'a SearchAddress,
    /// What names are looked up in, and until when.
    pub(crate) ask: &'a Ask,
    pub(crate) t: Texts,
    pub(crate) today: Date,
    /// What the words ask for.
    pub(crate) asks: Asks,
}

impl SearchContext<'_> {
    /// The name of a municipality or government in the language of the page, else in the other one; else its slug.
    pub(crate) fn place(&self, slug: &str) -> String {
        let place = self.ask.generation.manifest_of(self.asked.entity_type).place(slug);
        let name = place.and_then(|place| place.name(self.asked.lang));
        name.unwrap_or(slug).to_owned()
    }

    /// The name of a department in the language of the page, if `name` is the whole name of one that is known in it.
    pub(crate) fn department(&self, name: &str) -> String {
        let named = self.resolved(self.asked.entity_type, Facet::Department, name);
        let shown = named.and_then(|named| match self.asked.lang {
            Language::English => Some(named.name),
            Language::French => named.name_fr,
        });
        shown.unwrap_or_else(|| name.to_owned())
    }

    /// The name of a supplier or a body, and how many names it has; `None` for an identifier that none has.
    pub(crate) fn party(&self, party: Party, id: &str) -> Option<String> {
        let list = self.ask.generation.parties(party);
        let supplier = list.get(list.find_id(id)?)?;
        let (name, count) = (shortened(supplier.name_in(self.t.language())), supplier.names.len());
        Some(
            self.t
                .with("search-supplier-names", &[("name", &name), ("count", &count)]),
        )
    }

    /// The words and the number of a commodity code.
    pub(crate) fn commodity(&self, code: &CommodityCode) -> String {
        commodity_names::label(&self.ask.generation.commodities, code, self.t)
    }

    /// The page of a supplier or buyer of a record.
    pub(crate) fn party_href(&self, facet: Facet, name: &str) -> String {
        match facet {
            Facet::Vendor => address::vendor(self.asked.lang, name),
            _ => address::department(self.asked.lang, name),
        }
    }

    /// The search with part of a name as a condition. `None` for a name that is too short, and where the entity type
    /// does not accept the parameter.
    pub(crate) fn condition_href(&self, parameter: &'static str, name: &str) -> Option<String> {
        let is_long = fold(name).chars().count() >= MIN_NAME_LENGTH;
        let accepts = Schema::of(self.asked.entity_type).accepts(parameter);
        (is_long && accepts).then(|| self.asked.with(&[(parameter, name)]))
    }

    /// The name that the index knows. `None` also from an engine that is asked over the network, where the many names
    /// of a page would take too long: they are shown and linked as they are.
    fn resolved(&self, entity_type: EntityType, facet: Facet, name: &str) -> Option<ResolvedName> {
        if !self.ask.generation.engine.is_local() {
            return None;
        }
        self.ask.resolve_name(entity_type, facet, name).ok().flatten()
    }
}

/// The words for a category code; `None` for another text.
pub(crate) fn category(t: Texts, code: &str) -> Option<String> {
    let code = code.to_ascii_uppercase();
    t.has("search-category-", &code)
        .then(|| t.keyed("search-category-", &code))
}

/// The word for a status of the filter, in any case; `None` for another text.
pub(crate) fn status(t: Texts, status: &str) -> Option<String> {
    let mut known = STATUSES.into_iter();
    let status = known.find(|known| known.eq_ignore_ascii_case(status))?;
    Some(t.keyed("search-status-", status))
}

/// The words for a value of a filter with a closed list; `None` for another text.
pub(crate) fn choice_words(t: Texts, parameter: &str, value: &str) -> Option<String> {
    let family = format!("search-{parameter}-");
    t.has(&family, value).then(|| t.keyed(&family, value))
}
