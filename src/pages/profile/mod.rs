//! The pages of a vendor, of a supplier with all its names, and of a department: what it sold or bought, when, to or
//! from whom, and how. Two names can be compared side by side.
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

use actix_web::http::StatusCode;
use askama::Template;

use self::{
    bidder::{Bidder, BidderPart, HeadToHead, is_bidder},
    column::{CHART_IDS, Subject, View, column},
    profile_page::{Columns, ProfilePage, Request, Unknown, align_all, second_unknown},
};
use crate::{
    api::analysis::profile::{self as analysis, NamedRecords},
    catalog::ask::Ask,
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
        page::{Layout, PageCall, Section, render},
        route::{Handler, Page},
        supplier_names::AllNames,
    },
};

pub(crate) const VENDOR: Page = Page {
    template: "/{lang}/vendor/{name}",
    handler: Handler::Named(|call, name| page(call, Facet::Vendor, name)),
    ..Page::DEFAULT
};

pub(crate) const VENDOR_CSV: Page = Page {
    template: "/{lang}/vendor.csv/{name}",
    handler: Handler::Named(|call, name| csv::records(call, Facet::Vendor, name)),
    ..Page::DEFAULT
};

pub(crate) const SUPPLIER: Page = Page {
    template: "/{lang}/supplier/{id}",
    handler: Handler::Named(supplier::page),
    ..Page::DEFAULT
};

pub(crate) const SUPPLIER_CSV: Page = Page {
    template: "/{lang}/supplier.csv/{id}",
    handler: Handler::Named(csv::supplier_records),
    ..Page::DEFAULT
};

pub(crate) const DEPARTMENT: Page = Page {
    template: "/{lang}/department/{name}",
    handler: Handler::Named(|call, name| page(call, Facet::NamedDepartment, name)),
    ..Page::DEFAULT
};

pub(crate) const DEPARTMENT_CSV: Page = Page {
    template: "/{lang}/department.csv/{name}",
    handler: Handler::Named(|call, name| csv::records(call, Facet::NamedDepartment, name)),
    ..Page::DEFAULT
};

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
    let mut request = Request::read(call, facet, name)?;
    request.with.take_if(|with| facet.key(with) == facet.key(name));
    let exports = call.exports(api_path(&request), "");
    let layout = call.layout("", Section::Search);
    let names = 1 + usize::from(request.with.is_some());
    let cost = analysis::cost(&call.generation, request.facet(), request.kind, names);
    let work = Work::search(&call.generation, move |ask| {
        let found = analysis::find(ask, request.facet(), &request.name)?;
        if found.is_empty() && !is_bidder(&ask.generation, &bidder_of(&request, &request.name).keys) {
            return unknown(ask, &request, layout);
        }
        render(&profile(ask, request, &found, layout.with_exports(exports))?)
    });
    let cost = cost.and_bids(&call.generation, 1);
    call.validated(cost.charge(work), &(call.path, call.query))
}

/// The path of the API with the same figures. It has profiles of contracts; of other records it has the search.
fn api_path(request: &Request) -> String {
    let facet = request.view.facet.name();
    match request.kind {
        None | Some(EntityType::Contract) => format!("/{facet}/{}", encode(&request.name)),
        Some(kind) => Parameters::default()
            .with(facet, &request.name)
            .after(&format!("/{kind}")),
    }
}

fn profile(ask: &Ask, request: Request, found: &[NamedRecords], layout: Layout) -> Result<ProfilePage, ApiError> {
    let (columns, bids) = (columns(ask, &request, found)?, bids(ask, &request)?);
    let calls = calls(ask, &request, found)?;
    let (all_names, name) = (all_names(ask, request.view, &request.name), request.name.clone());
    let records = found.iter().map(|of| (of.entity_type, of.records));
    Ok(ProfilePage {
        all_names,
        calls,
        ..ProfilePage::new(request, &name, columns, records, bids, layout)
    })
}

/// A name with its bids; a buyer does not bid.
fn bidder_of(request: &Request, name: &str) -> Bidder {
    match request.view.facet {
        Facet::Vendor => Bidder::named(name),
        _ => Bidder {
            name: name.to_owned(),
            keys: Vec::new(),
        },
    }
}

/// Who bid for the calls of a body, unless it is compared with another one.
fn calls(ask: &Ask, request: &Request, found: &[NamedRecords]) -> Result<Option<CallsPart>, ApiError> {
    let View { t, facet, .. } = request.view;
    let is_alone = facet != Facet::Vendor && request.with.is_none();
    let Some(first) = found.first().filter(|_| is_alone) else {
        return Ok(None);
    };
    let filter = analysis::filter(request.facet(), &first.named);
    let page = address::department(t.language(), &request.name);
    CallsPart::of(ask, t, filter, &page).map(Some)
}

/// The bids of a vendor; with a second name, the calls that both bid on.
fn bids(ask: &Ask, request: &Request) -> Result<(Option<BidderPart>, Option<HeadToHead>), ApiError> {
    let (t, own) = (request.view.t, bidder_of(request, &request.name));
    let page = address::vendor(t.language(), &request.name);
    match &request.with {
        _ if request.view.facet != Facet::Vendor => Ok((None, None)),
        None => Ok((Some(BidderPart::of(ask, t, &own, &page)?), None)),
        Some(with) => {
            let second = bidder_of(request, with);
            Ok((None, HeadToHead::of(ask, t, [own, second], &page, with)?))
        }
    }
}

/// The supplier of several names that a vendor's name belongs to.
fn all_names(ask: &Ask, view: View, name: &str) -> Option<AllNames> {
    let is_vendor = view.facet == Facet::Vendor;
    is_vendor.then(|| AllNames::of(&ask.generation, view.t.language(), name))?
}

fn columns(ask: &Ask, request: &Request, found: &[NamedRecords]) -> Result<Columns, ApiError> {
    let (view, facet) = (request.view, request.facet());
    let first = analysis::profile(ask, facet, found, request.kind)?;
    let kind = first.as_ref().map(|first| first.query.entity_type).or(request.kind);
    let of_name = |profile: &analysis::Profile, ids| {
        let subject = Subject::named(view, &profile.named);
        column(view, ask, profile, subject, ids)
    };
    let first = first.map(|first| of_name(&first, CHART_IDS[0]));
    let mut columns = Vec::from_iter(first.transpose()?);
    let Some(with) = &request.with else {
        return Ok((columns, kind, None));
    };
    let found = analysis::find(ask, facet, with)?;
    let Some(second) = analysis::profile(ask, facet, &found, kind)? else {
        return Ok((columns, kind, Some(second_unknown(ask, request, with)?)));
    };
    columns.push(of_name(&second, CHART_IDS[1])?);
    align_all(&mut columns);
    Ok((columns, kind, None))
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
