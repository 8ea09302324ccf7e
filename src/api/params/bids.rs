//! The parameters of the search over bids, `GET /bids`.

use serde_json::json;

use crate::{
    api::params::{
        by_entity_type::list_pattern,
        file::{self, FileParams},
        filters::{FilterKind, GivenFilters},
        paging,
        param::Param,
        parse::{Case, Given},
        value::ParamType,
    },
    catalog::suppliers::Party,
    model::{Role, vocabulary::CATEGORIES},
    query::text::TextQuery,
};

/// The parameters that a request gave.
#[derive(Debug, Default, PartialEq)]
pub struct BidsParams {
    pub(crate) filters: GivenFilters,
    pub(crate) q: Option<Given<TextQuery>>,
    pub(crate) translate: Option<Given<bool>>,
    pub(crate) match_codes: Option<Given<bool>>,
    pub(crate) method: Option<Given<String>>,
    pub(crate) won: Option<Given<bool>>,
    pub(crate) limit: Option<Given<u64>>,
    pub(crate) cursor: Option<Given<String>>,
    pub(crate) facets: Option<Given<String>>,
    pub(crate) include_total: Option<Given<bool>>,
    pub(crate) include_statistics: Option<Given<bool>>,
    pub(crate) file: FileParams,
}

type BidsParam = Param<BidsParams>;

/// The names of what all matches are counted by.
pub(crate) const FACETS: [&str; 8] = [
    "year",
    "department",
    "municipality",
    "category",
    "vendor",
    "method",
    "won",
    "supplier",
];

const fn filter(name: &'static str, about: &'static str, kind: FilterKind) -> BidsParam {
    BidsParam::new(name, about, ParamType::Filter(kind, |p| &mut p.filters))
}

#[rustfmt::skip]
pub static TABLE: &[BidsParam] = &[
    filter("vendor", "Part of the bidder's name; accents and case do not matter", FilterKind::Part(Role::Vendor)),
    filter("supplier", "Identifier of a supplier, as `/suppliers` states it, or several, separated by commas: the bids under all their names", FilterKind::Party(Party::Supplier)),
    filter("body", "Identifier of a body, as `/bodies` states it, or several, separated by commas: the bids for the calls of all their names", FilterKind::Party(Party::Body)),
    filter("department", "Part of the name of the tender's department, in English or French; accents and case do not matter", FilterKind::Part(Role::Department)),
    filter("municipality", "City slug of the tender", FilterKind::Municipality)
    .aliases(&["city"]),
    filter("category", "Procurement category of the tender", FilterKind::OneOf(Role::Category, &CATEGORIES, Case::Any)),
    filter("commodity", "Commodity code of the tender, of any level; finds it and all codes below it", FilterKind::Commodity),
    BidsParam::new(
        "method",
        "How the buyer found its bidders: `open`, `invitation`, `direct` or `other`; or the start of the tender's procurement method, in English or French",
        ParamType::Start(|p| &mut p.method),
    )
    .aliases(&["procurement_method"]),
    filter("issued_after", "First day of publication of the tender, inclusive", FilterKind::From(Role::Date))
    .aliases(&["date_from", "date_after"]),
    filter("issued_before", "Last day of publication of the tender, inclusive", FilterKind::To(Role::Date))
    .aliases(&["date_to", "date_before"]),
    BidsParam::new(
        "won",
        "`true`: only bids that won; `false`: only those that did not",
        ParamType::Boolean(|p| &mut p.won),
    ),
    filter("amount_min", "Minimum amount in dollars, inclusive; finds no bid in another unit", FilterKind::AtLeast),
    filter("amount_max", "Maximum amount in dollars, inclusive; finds no bid in another unit", FilterKind::AtMost),
    BidsParam::new(
        "q",
        "Full-text search in the tender, as in the search of tenders; the names of bidders are not searched",
        ParamType::Query(|p| &mut p.q),
    ),
    BidsParam::flag("translate", "`true`: words of `q` also find other terms for the same in English and French", |p| &mut p.translate),
    BidsParam::flag("match_codes", "`true`: `q` also finds the tenders of the commodity codes whose words match it, and of the codes below these", |p| &mut p.match_codes),
    paging::limit("Maximum number of bids of the page; a plan may lower it", |p| &mut p.limit),
    BidsParam::new(
        "cursor",
        "`next_cursor` from a previous response to the same search",
        ParamType::Text(|p| &mut p.cursor),
    ),
    BidsParam::new(
        "facets",
        "Fields by which all matches are counted, separated by commas: `year`, `department`, `municipality`, `category`, `vendor`, `method`, `won`, `supplier`",
        ParamType::Text(|p| &mut p.facets),
    )
    .bounds(|| json!({"pattern": list_pattern(&FACETS)}))
    .examples(&[("none", "None", ""), ("some", "Two of them", "year,vendor")]),
    BidsParam::flag("include_total", "`true` adds the number of all matches", |p| &mut p.include_total),
    BidsParam::flag("include_statistics", "`true` adds figures over all matches: bidders, amounts, bidders per call", |p| &mut p.include_statistics),
    file::format(|p| &mut p.file.format),
    file::after(
        "`record_id` of a bid of a broken export of the same search: the export goes on after all bids on that tender",
        |p| &mut p.file.after,
    ),
    file::bom(|p| &mut p.file.bom),
    file::excel(|p| &mut p.file.excel),
];
