//! The route table. To add an endpoint, write its row and its handler in a file of [`handlers`](crate::api::handlers),
//! and list the row here.

use crate::api::{
    handlers::{
        alerts, catalog, commodities, confirmation, docs, documents, estimates, export, feed, generations, health,
        names, procurement, profile, record, search, stats, suppliers, usage,
    },
    route::Route,
};

/// All endpoints, in the order of the OpenAPI document. If several rows match a path and a method, the first one is
/// used.
pub static ROUTES: [Route; 35] = [
    health::HEALTH,
    usage::USAGE,
    catalog::SOURCES,
    generations::GENERATION,
    names::VENDORS,
    names::DEPARTMENTS,
    profile::VENDOR,
    profile::DEPARTMENT,
    suppliers::SUPPLIERS,
    suppliers::SUPPLIER,
    commodities::COMMODITIES,
    commodities::COMMODITY,
    procurement::PROCUREMENT,
    feed::FEED,
    estimates::ESTIMATE,
    estimates::COMPS,
    search::SEARCH,
    catalog::COVERAGE,
    stats::STATS,
    export::EXPORT,
    documents::DOCUMENT,
    record::RECORD,
    alerts::SUBSCRIBE,
    alerts::UNSUBSCRIBE,
    alerts::UNSUBSCRIBE_ONE_CLICK,
    confirmation::CONFIRM_PAGE,
    confirmation::CONFIRM,
    confirmation::DECLINE_PAGE,
    confirmation::DECLINE,
    docs::DESCRIPTION,
    docs::DOCS,
    docs::SCRIPT,
    docs::STYLE,
    docs::SWAGGER_UI_SCRIPT,
    docs::SWAGGER_UI_STYLE,
];
