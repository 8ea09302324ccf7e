//! The orders that the results can be sorted in, as links.

use crate::{
    api::params::by_entity_type::sorts,
    model::Schema,
    pages::search::search_address::{RELEVANCE, SearchAddress},
    query::{Order, Sort, SortKey},
};

#[derive(Debug, PartialEq)]
pub(crate) struct SortLink {
    /// The name in the messages: `date-desc`.
    pub(crate) name: &'static str,
    pub(crate) href: String,
    pub(crate) is_active: bool,
}

/// All orders: key, value of `sort_by`, order, value of `sort_order`, name in the messages.
const ORDERS: [(SortKey, &str, Order, &str, &str); 9] = [
    (SortKey::Relevance, RELEVANCE, Order::Desc, "desc", "relevance"),
    (SortKey::Date, "date", Order::Desc, "desc", "date-desc"),
    (SortKey::Date, "date", Order::Asc, "asc", "date-asc"),
    (SortKey::ClosingDate, "closing", Order::Asc, "asc", "closing-asc"),
    (SortKey::ClosingDate, "closing", Order::Desc, "desc", "closing-desc"),
    (SortKey::EndDate, "ending", Order::Asc, "asc", "ending-asc"),
    (SortKey::EndDate, "ending", Order::Desc, "desc", "ending-desc"),
    (SortKey::Value, "value", Order::Desc, "desc", "value-desc"),
    (SortKey::Value, "value", Order::Asc, "asc", "value-asc"),
];

/// The orders of the entity type. The default order has no parameters: relevance for a search with words, otherwise by
/// date.
pub(crate) fn sort_links(asked: &SearchAddress, active: Sort) -> Vec<SortLink> {
    let keys: Vec<SortKey> = sorts(Schema::of(asked.entity_type))
        .into_iter()
        .map(|(_, key)| key)
        .collect();
    let has_words = asked.has_words();
    let default = if has_words { SortKey::Relevance } else { SortKey::Date };
    let is_valid = |key: SortKey| keys.contains(&key) && (has_words || key != SortKey::Relevance);
    let valid = ORDERS.into_iter().filter(|(key, ..)| is_valid(*key));
    let link = |(key, sort_by, order, sort_order, name)| SortLink {
        name,
        href: match (key, order) {
            (key, Order::Desc) if key == default => asked.dropping(&["sort_by", "sort_order"]).address(),
            _ => asked.with(&[("sort_by", sort_by), ("sort_order", sort_order)]),
        },
        is_active: active == Sort { key, order },
    };
    valid.map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;

    #[test]
    fn an_entity_type_has_the_orders_of_its_fields() {
        let (asked, _) =
            SearchAddress::read(Language::French, "kind=pre_solicitation&q=a&sort_by=closing&offset=3").unwrap();
        let active = Sort {
            key: SortKey::ClosingDate,
            order: Order::Desc,
        };
        let links = sort_links(&asked, active);
        let names: Vec<(&str, bool)> = links.iter().map(|link| (link.name, link.is_active)).collect();
        assert_eq!(
            names,
            [
                ("relevance", false),
                ("date-desc", false),
                ("date-asc", false),
                ("closing-asc", false),
                ("closing-desc", true)
            ]
        );
        assert_eq!(links[0].href, "/fr/search?kind=pre_solicitation&q=a");
        assert_eq!(
            links[1].href,
            "/fr/search?kind=pre_solicitation&q=a&sort_by=date&sort_order=desc"
        );
        assert_eq!(
            links[3].href,
            "/fr/search?kind=pre_solicitation&q=a&sort_by=closing&sort_order=asc"
        );
        let (without_words, _) = SearchAddress::read(Language::French, "kind=contract&vendor=acme").unwrap();
        let links = sort_links(&without_words, active);
        assert_eq!(
            (links[0].name, links[0].href.as_str()),
            ("date-desc", "/fr/search?kind=contract&vendor=acme")
        );
    }
}
