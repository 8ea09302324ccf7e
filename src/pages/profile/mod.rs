//! The pages of a vendor, of a supplier with all its names, and of a department: what it sold or bought, when, to or
//! from whom, and how.
//!
//! A page counts the records of one entity type: contracts, or where a name has none, what reports the same money. It
//! never adds up several, because contracts, awards and disclosures report the same money.

mod bidder;
pub(crate) mod bidder_files;
mod column;
mod competition_table;
mod csv;
pub(crate) mod params;
mod profile_page;
mod supplier;
mod supplier_part;
mod words_of_name;

use actix_web::http::StatusCode;
use askama::Template;

use self::{
    bidder::{BidderPart, is_bidder},
    column::{Subject, View, column},
    profile_page::{Counted, ProfilePage, Request, Unknown},
};
use crate::{
    api::analysis::{
        bids::pair::Side,
        profile::{self as analysis, NamedRecords},
    },
    catalog::{ask::Ask, suppliers::Party},
    http::{
        encoding::encode,
        error::ApiError,
        work::{Reply, Work},
    },
    model::{EntityType, Facet},
    pages::{
        address::{self, Parameters},
        calls::CallsPart,
        messages::Texts,
        page::{Exports, Layout, PageCall, Section, render},
        route::Page,
        supplier_names::AllNames,
    },
};

pub(crate) const VENDOR: Page = Page::named("/{lang}/vendor/{name}", |call, name| page(call, Facet::Vendor, name));

pub(crate) const VENDOR_CSV: Page = Page::named("/{lang}/vendor.csv/{name}", |call, name| {
    csv::records(call, Facet::Vendor, name)
});

pub(crate) const SUPPLIER: Page = Page::named("/{lang}/supplier/{id}", |call, id| {
    supplier::page(call, Party::Supplier, id)
});

pub(crate) const SUPPLIER_CSV: Page = Page::named("/{lang}/supplier.csv/{id}", |call, id| {
    csv::party_records(call, Party::Supplier, id)
});

pub(crate) const BODY: Page = Page::named("/{lang}/body/{id}", |call, id| supplier::page(call, Party::Body, id));

pub(crate) const BODY_CSV: Page = Page::named("/{lang}/body.csv/{id}", |call, id| {
    csv::party_records(call, Party::Body, id)
});

pub(crate) const DEPARTMENT: Page = Page::named("/{lang}/department/{name}", |call, name| {
    page(call, Facet::NamedDepartment, name)
});

pub(crate) const DEPARTMENT_CSV: Page = Page::named("/{lang}/department.csv/{name}", |call, name| {
    csv::records(call, Facet::NamedDepartment, name)
});

#[derive(Template)]
#[template(path = "profile/unknown.html")]
struct UnknownPage {
    layout: Layout,
    t: Texts,
    what: &'static str,
    unknown: Unknown,
    /// The search for the words of the name.
    search: String,
}

fn page(call: &PageCall, facet: Facet, name: &str) -> Result<Work, ApiError> {
    let request = Request::read(call, facet, name)?;
    if let Some(comparison) = request.comparison()? {
        return Ok(comparison);
    }
    let exports = EntityType::ALL.map(|kind| call.exports(api_path(&request, kind), ""));
    let layout = call.layout("", Section::Search);
    let cost = analysis::cost(&call.generation, request.facet(), request.kind);
    let work = Work::search(&call.generation, move |ask| {
        let found = analysis::find(ask, request.facet(), &request.name)?;
        if found.is_empty() && !has_bids(ask, &request) {
            return unknown(ask, &request, layout);
        }
        render(&profile(ask, request, &found, layout, exports)?)
    });
    let cost = cost.and_bids(&call.generation, 1);
    call.validated(cost.charge(work), &(call.path, call.query))
}

/// The path of the API with the same figures. It has profiles of contracts; of other records it has the search.
fn api_path(request: &Request, kind: EntityType) -> String {
    let facet = request.view.facet.name();
    match kind {
        EntityType::Contract => format!("/{facet}/{}", encode(&request.name)),
        kind => Parameters::default()
            .with(facet, &request.name)
            .after(&format!("/{kind}")),
    }
}

/// `exports`: those of the page for each entity type.
fn profile(
    ask: &Ask,
    request: Request,
    found: &[NamedRecords],
    layout: Layout,
    exports: [Exports; EntityType::ALL.len()],
) -> Result<ProfilePage, ApiError> {
    let (counted, bids) = (counted(ask, &request, found)?, bids(ask, &request)?);
    let shown = counted.1.unwrap_or(EntityType::Contract);
    let exports = exports.into_iter().nth(shown as usize);
    let layout = layout.with_exports(exports.unwrap_or_default());
    let calls = calls(ask, &request, found)?;
    let (all_names, name) = (all_names(ask, request.view, &request.name), request.name.clone());
    let records = found.iter().map(|of| (of.entity_type, of.records));
    Ok(ProfilePage {
        all_names,
        calls,
        ..ProfilePage::new(request, &name, counted, records, bids, layout)
    })
}

/// Whether publishers state bids under the name; a buyer does not bid.
fn has_bids(ask: &Ask, request: &Request) -> bool {
    let is_vendor = request.view.facet == Facet::Vendor;
    is_vendor && is_bidder(&ask.generation, &[Facet::Vendor.key(&request.name)])
}

/// Who bid for the calls of a body.
fn calls(ask: &Ask, request: &Request, found: &[NamedRecords]) -> Result<Option<CallsPart>, ApiError> {
    let View { t, facet, .. } = request.view;
    let Some(first) = found.first().filter(|_| facet != Facet::Vendor) else {
        return Ok(None);
    };
    let filter = analysis::filter(request.facet(), &first.named);
    let page = address::department(t.language(), &request.name);
    CallsPart::of(ask, t, filter, &page).map(Some)
}

/// The bids of a vendor.
fn bids(ask: &Ask, request: &Request) -> Result<Option<BidderPart>, ApiError> {
    if request.view.facet != Facet::Vendor {
        return Ok(None);
    }
    let t = request.view.t;
    let page = address::vendor(t.language(), &request.name);
    BidderPart::of(ask, t, &Side::named(&request.name), &page).map(Some)
}

/// The supplier or the body of several names that a name belongs to.
fn all_names(ask: &Ask, view: View, name: &str) -> Option<AllNames> {
    let party = match view.facet {
        Facet::Vendor => Party::Supplier,
        _ => Party::Body,
    };
    AllNames::of(&ask.generation, party, view.t.language(), name)
}

fn counted(ask: &Ask, request: &Request, found: &[NamedRecords]) -> Result<Counted, ApiError> {
    let view = request.view;
    let Some(profile) = analysis::profile(ask, request.facet(), found, request.kind, view.by_spelling)? else {
        return Ok((None, request.kind));
    };
    let subject = Subject::named(view, ask, &profile)?;
    let made = column(view, ask, &profile, subject)?;
    Ok((Some(made), Some(profile.query.entity_type)))
}

/// The 404 page of a name that no record has.
fn unknown(ask: &Ask, request: &Request, layout: Layout) -> Result<Reply, ApiError> {
    let view = request.view;
    let t = view.t;
    let similar = request.similar(ask, &request.name)?;
    let words = Parameters::default().with("q", &request.name);
    let page = UnknownPage {
        t,
        what: view.facet.name(),
        unknown: Unknown {
            name: request.name.clone(),
            similar: similar
                .into_iter()
                .map(|name| (name.clone(), view.page_of(&name)))
                .collect(),
        },
        search: address::search(t.language(), EntityType::Contract, &words),
        layout: Layout {
            title: t.keyed("profile-unknown-", view.facet.name()),
            ..layout
        },
    };
    Ok(render(&page)?.with_status(StatusCode::NOT_FOUND))
}
