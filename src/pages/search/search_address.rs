//! What the address of a search asks for, and the addresses of the same search with one thing changed.

use std::collections::BTreeMap;

use crate::{
    api::params::{
        by_entity_type::sorts,
        filters::SEPARATOR,
        parse::Given,
        resolve::{ResolveContext, ResolvedSearch},
        search::{FILTERS, SearchParams, TABLE},
    },
    catalog::generation::Generation,
    http::error::ApiError,
    model::{EntityType, Language, Schema},
    pages::{
        address::{self, Parameters},
        charts::YearValue,
        search::written_values::canonical_value,
        supplier_names::{BY_NUMBER, RANK, SPELLINGS},
    },
    query::{SearchQuery, text::TextQuery},
};

/// The entity type and the parameters of a search, as the address has them.
#[derive(Clone, Debug)]
pub(crate) struct SearchAddress {
    pub(crate) lang: Language,
    pub(crate) entity_type: EntityType,
    /// Whether the address states the entity type. Only the page itself has this, not its links, which all state it.
    pub(crate) states_kind: bool,
    /// Those of the API: without `kind`, and without what other sites add to links.
    pub(crate) parameters: Parameters,
    /// Whether charts rank by number instead of by value. Only the page itself has this, and what leads to it for words
    /// that ask for it.
    pub(crate) by_number: bool,
    /// Whether each name of a buyer is ranked for itself. Only the page itself has this, too.
    pub(crate) by_name: bool,
}

/// The records of a page if the address does not state `limit`: what a person reads.
pub(crate) const DEFAULT_LIMIT: u64 = 25;

/// The parameter for the entity type.
const KIND: &str = "kind";

/// The value of `sort_by` for the order by relevance.
pub(crate) const RELEVANCE: &str = "relevance";

/// Where a page of the results starts. A changed search starts at its first page.
const PAGING: [&str; 2] = ["cursor", "offset"];

impl SearchAddress {
    pub(crate) fn of(lang: Language, entity_type: EntityType, parameters: Parameters) -> SearchAddress {
        SearchAddress {
            lang,
            entity_type,
            states_kind: true,
            parameters,
            by_number: false,
            by_name: false,
        }
    }

    /// Reads an address. The second value is a `kind` that is not an entity type; contracts take its place, and that of
    /// none.
    pub(crate) fn read(lang: Language, query: &str) -> Result<(SearchAddress, Option<String>), ApiError> {
        let parameters = Parameters::parse(query)?;
        let kind = parameters.get(KIND).unwrap_or(EntityType::Contract.name());
        let entity_type = EntityType::parse(kind);
        let unknown_kind = entity_type.is_none().then(|| kind.to_owned());
        let asked = SearchAddress {
            lang,
            entity_type: entity_type.unwrap_or(EntityType::Contract),
            states_kind: parameters.get(KIND).is_some(),
            parameters: parameters.without(&[KIND, RANK, SPELLINGS]).map(canonical_value),
            by_number: parameters.get(RANK) == Some(BY_NUMBER),
            by_name: parameters.get(SPELLINGS) == Some("true"),
        };
        Ok((asked, unknown_kind))
    }

    /// The search that the address means. `limit` is the number of records of a page if the address states none.
    ///
    /// Decision D-244: a search with words is ordered by relevance, translated, and finds the codes that it means,
    /// unless the address states otherwise.
    pub(crate) fn resolve(&self, context: &ResolveContext, limit: u64) -> Result<ResolvedSearch, ApiError> {
        let mut given = self.given(limit)?;
        // A cursor is of an order by date.
        let states_order = given.sort_by.is_some() || given.sort_order.is_some() || given.cursor.is_some();
        if has_words(&given) && !states_order {
            given.sort_by = Some(Given {
                name: "sort_by",
                value: RELEVANCE,
            });
        }
        given.resolve(context)
    }

    /// Whether the address states no place in the results.
    pub(crate) fn is_first_page(&self) -> bool {
        PAGING.iter().all(|name| self.value(name).is_none())
    }

    /// The entity type that the address states.
    pub(crate) fn stated_kind(&self) -> Option<EntityType> {
        self.states_kind.then_some(self.entity_type)
    }

    /// The query of the search, whose page does not matter; `None` if it is not valid, or a parameter has no field in
    /// this entity type.
    pub(crate) fn query_in(&self, generation: &Generation) -> Option<SearchQuery> {
        let context = ResolveContext::without_plan(self.entity_type, generation);
        let asked = self.dropping(&["facets", "include_total"]);
        let search = asked.resolve(&context, 1).ok()?;
        search.ignored.is_empty().then_some(search.query)
    }

    /// The same search, in the order of the API if the address states none: the one in which all records can be paged
    /// through.
    pub(crate) fn resolve_by_date(&self, context: &ResolveContext, limit: u64) -> Result<ResolvedSearch, ApiError> {
        self.given(limit)?.resolve(context)
    }

    fn given(&self, limit: u64) -> Result<SearchParams, ApiError> {
        let mut given = SearchParams::read(self.entity_type, &self.query())?;
        given.limit.get_or_insert(Given {
            name: "limit",
            value: limit,
        });
        if has_words(&given) {
            let schema = Schema::of(self.entity_type);
            for (name, wanted) in [
                ("translate", &mut given.translate),
                ("match_codes", &mut given.match_codes),
            ] {
                if schema.accepts(name) {
                    wanted.get_or_insert(Given { name, value: true });
                }
            }
        }
        Ok(given)
    }

    /// Whether `q` has words, so that records can be ordered by relevance.
    pub(crate) fn has_words(&self) -> bool {
        let text = self.value("q").map(TextQuery::parse);
        text.is_some_and(|text| text.is_ok_and(|text| !text.clauses().is_empty()))
    }

    /// The query string of the same search in the API, without `?`.
    pub(crate) fn query(&self) -> String {
        self.parameters.query_string()
    }

    /// The value of a parameter, under whichever of its names the address has it.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        names(name).into_iter().find_map(|name| self.parameters.get(name))
    }

    /// The conditions, as pairs of canonical name and value, in the order of the parameter table.
    pub(crate) fn conditions(&self) -> Vec<(&'static str, &str)> {
        let given = FILTERS.into_iter().filter_map(|name| Some((name, self.value(name)?)));
        given.collect()
    }

    /// The same search with other parameters, from its first page on.
    fn changed(&self, parameters: &Parameters) -> String {
        address::search(self.lang, self.entity_type, &parameters.without(&PAGING))
    }

    /// The address with these parameters set.
    pub(crate) fn with(&self, values: &[(&'static str, &str)]) -> String {
        self.setting(values).address()
    }

    /// The same search with these parameters set. Each is a canonical name and a value.
    pub(crate) fn setting(&self, values: &[(&'static str, &str)]) -> SearchAddress {
        let mut parameters = self.parameters.without(&PAGING);
        for (name, value) in values {
            let aliases: Vec<&str> = names(name).into_iter().filter(|alias| alias != name).collect();
            parameters = parameters.without(&aliases).with(name, value);
        }
        SearchAddress {
            parameters,
            ..self.clone()
        }
    }

    /// The values of a parameter that takes several.
    pub(crate) fn choices(&self, name: &str) -> Vec<&str> {
        let values = self.value(name).unwrap_or_default().split(SEPARATOR);
        values.map(str::trim).filter(|value| !value.is_empty()).collect()
    }

    /// The same search in one year, or in the part of it that the search asks for.
    pub(crate) fn in_year(&self, year: i32) -> String {
        let (mut from, mut to) = (format!("{year:04}-01-01"), format!("{year:04}-12-31"));
        if let Some(given) = self.value("issued_after").filter(|given| *given > from.as_str()) {
            from = given.to_owned();
        }
        if let Some(given) = self.value("issued_before").filter(|given| *given < to.as_str()) {
            to = given.to_owned();
        }
        self.with(&[("issued_after", &from), ("issued_before", &to)])
    }

    /// The search for each of these years.
    pub(crate) fn by_year(&self, years: &[YearValue]) -> BTreeMap<i32, String> {
        years.iter().map(|year| (year.year, self.in_year(year.year))).collect()
    }

    /// The same search without these parameters, which are not aliases. A search without words is not sorted by
    /// relevance, so without `q` the order goes, too.
    pub(crate) fn dropping(&self, dropped: &[&'static str]) -> SearchAddress {
        if dropped.contains(&"q") && self.value("sort_by") == Some(RELEVANCE) {
            let more: Vec<&'static str> = dropped.iter().copied().filter(|name| *name != "q").collect();
            let other = SearchAddress {
                parameters: self.parameters.without(&["q"]),
                ..self.clone()
            };
            return other.dropping(&[&more[..], &["sort_by", "sort_order"]].concat());
        }
        let dropped: Vec<&str> = dropped.iter().flat_map(|name| names(name)).collect();
        let parameters = self.parameters.without(&dropped).without(&PAGING);
        SearchAddress {
            parameters,
            ..self.clone()
        }
    }

    /// The address of the first page.
    pub(crate) fn address(&self) -> String {
        self.changed(&self.parameters)
    }

    /// The same, with the ranking of its charts.
    pub(crate) fn address_as_ranked(&self) -> String {
        if self.by_number {
            self.changed(&self.parameters.with(RANK, BY_NUMBER))
        } else {
            self.address()
        }
    }

    /// The address of the page that starts at a cursor or an offset.
    pub(crate) fn page_at(&self, name: &'static str, value: &str) -> String {
        let parameters = self.parameters.without(&PAGING).with(name, value);
        address::search(self.lang, self.entity_type, &parameters)
    }

    /// The same search in each entity type that has all of its conditions.
    pub(crate) fn queries(&self, generation: &Generation) -> Vec<SearchQuery> {
        let of_type = |of: EntityType| {
            let (asked, has_all) = self.of_other(of);
            asked.query_in(generation).filter(|_| has_all)
        };
        EntityType::ALL.into_iter().filter_map(of_type).collect()
    }

    /// The same search in another entity type, with the conditions and the sort that it accepts. The second value is
    /// whether it accepts all conditions.
    pub(crate) fn of_other(&self, entity_type: EntityType) -> (SearchAddress, bool) {
        let schema = Schema::of(entity_type);
        let refused: Vec<&'static str> = self
            .conditions()
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| !schema.accepts(name))
            .collect();
        let mut other = SearchAddress {
            entity_type,
            ..self.dropping(&refused)
        };
        let can_sort = |sort: &str| sorts(schema).iter().any(|(name, _)| *name == sort);
        if other.value("sort_by").is_some_and(|sort| !can_sort(sort)) {
            other = other.dropping(&["sort_by", "sort_order"]);
        }
        (other, refused.is_empty())
    }
}

fn has_words(given: &SearchParams) -> bool {
    given.q.as_ref().is_some_and(|given| !given.value.clauses().is_empty())
}

/// A parameter's name and its aliases.
pub(crate) fn names(name: &str) -> Vec<&'static str> {
    let row = TABLE.iter().find(|row| row.name == name);
    row.map_or_else(Vec::new, |row| row.names().collect())
}

/// The canonical name of a parameter that a client wrote; `None` for an unknown one.
pub(crate) fn canonical(written: &str) -> Option<&'static str> {
    let row = TABLE.iter().find(|row| row.names().any(|name| name == written));
    row.map(|row| row.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{SortKey, translate::Translator};

    fn asked(query: &str) -> SearchAddress {
        SearchAddress::read(Language::English, query).unwrap().0
    }

    #[test]
    fn empty_values_are_left_out() {
        let asked = asked("kind=tender&q=snow&vendor=&cursor=abc");
        assert_eq!(asked.entity_type, EntityType::Tender);
        assert_eq!(asked.query(), "q=snow&cursor=abc");
        assert_eq!(asked.address(), "/en/search?kind=tender&q=snow");
        assert_eq!(
            SearchAddress::read(Language::French, "kind=Contract")
                .unwrap()
                .1
                .as_deref(),
            Some("Contract")
        );
        assert!(SearchAddress::read(Language::French, "q=%zz").is_err());
    }

    #[test]
    fn amounts_and_days_are_in_the_form_of_the_api() {
        let asked = asked("value_min=1+000+000&date_from=2019&issued_before=3/4/2019");
        assert_eq!(
            asked.query(),
            "value_min=1000000&date_from=2019-01-01&issued_before=3%2F4%2F2019"
        );
    }

    #[test]
    fn a_changed_search_starts_at_its_first_page() {
        let asked = asked("city=laval&q=a+b&cursor=x&date_from=2020-01-01");
        assert_eq!(
            asked.conditions(),
            [("municipality", "laval"), ("q", "a b"), ("issued_after", "2020-01-01")]
        );
        assert_eq!(
            asked.with(&[("issued_after", "2021-01-01")]),
            "/en/search?kind=contract&city=laval&q=a%20b&issued_after=2021-01-01"
        );
        assert_eq!(
            asked.dropping(&["municipality"]).address(),
            "/en/search?kind=contract&q=a%20b&date_from=2020-01-01"
        );
        assert_eq!(
            asked.page_at("offset", "50"),
            "/en/search?kind=contract&city=laval&q=a%20b&date_from=2020-01-01&offset=50"
        );
    }

    #[test]
    fn words_are_ordered_by_relevance_and_translated_unless_the_address_says_otherwise() {
        let translator = Translator::new(std::iter::empty());
        let context = ResolveContext {
            schema: Schema::of(EntityType::Contract),
            page_cap: 100,
            coverage: &[],
            translator: Some(&translator),
            generation: None,
        };
        for (query, key, is_translated) in [
            ("", SortKey::Date, false),
            ("q=snow", SortKey::Relevance, true),
            ("q=%2A", SortKey::Date, false),
            ("q=snow&translate=false", SortKey::Relevance, false),
            ("q=snow&sort_by=date", SortKey::Date, true),
            ("q=snow&sort_by=value&sort_order=asc", SortKey::Value, true),
            ("q=snow&sort_order=asc", SortKey::Date, true),
        ] {
            let search = asked(query).resolve(&context, 25).unwrap();
            assert_eq!(
                (search.query.sort.key, search.translation.is_some()),
                (key, is_translated),
                "{query}"
            );
            assert_eq!(
                asked(query).has_words(),
                key == SortKey::Relevance || is_translated,
                "{query}"
            );
        }
        let file = asked("q=snow").resolve_by_date(&context, 25).unwrap();
        assert_eq!((file.query.sort.key, file.translation.is_some()), (SortKey::Date, true));
        let without = asked("q=snow&vendor=acme&sort_by=relevance").dropping(&["q"]);
        assert_eq!(without.query(), "vendor=acme");
    }

    #[test]
    fn another_entity_type_gets_what_it_accepts() {
        let asked = asked("q=snow&vendor=acme&sort_by=value&sort_order=asc");
        let (tender, has_all) = asked.of_other(EntityType::Tender);
        assert_eq!(
            (tender.query().as_str(), has_all),
            ("q=snow&sort_by=value&sort_order=asc", false)
        );
        let (offer, has_all) = asked.of_other(EntityType::StandingOffer);
        assert_eq!((offer.query().as_str(), has_all), ("q=snow&vendor=acme", true));
    }
}
