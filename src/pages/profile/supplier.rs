//! The page of a supplier or of a body: the figures of `/vendor/{name}` or `/department/{name}` over all its names, and
//! why each name is here.

use actix_web::http::{
    StatusCode,
    header::{self, HeaderValue},
};
use bytes::Bytes;

use super::{
    bidder::BidderPart,
    column::{Subject, column},
    profile_page::{Counted, ProfilePage, Request},
    supplier_part::SupplierPart,
    words_of_name::WordsOfName,
};
use crate::{
    api::analysis::{
        bids::pair::Side,
        profile::{self as analysis, party_records},
        supplier::{filter, find},
    },
    catalog::{
        ask::Ask,
        suppliers::{Party, Supplier},
    },
    http::{
        error::ApiError,
        work::{Job, Reply, Work},
    },
    model::{EntityType, Facet},
    pages::{
        address::{self, with_query},
        calls::CallsPart,
        page::{HTML, Layout, PageCall, Section, render},
    },
};

pub(super) fn page(call: &PageCall, party: Party, id: &str) -> Result<Work, ApiError> {
    let facet = match party {
        Party::Supplier => Facet::Vendor,
        Party::Body => Facet::NamedDepartment,
    };
    let mut request = Request::read(call, facet, id)?;
    let supplier = find(&call.generation, party, id)?;
    if party == Party::Body {
        // Departments are compared by name.
        request.name.clone_from(&supplier.name);
    }
    if let Some(comparison) = request.comparison()? {
        return Ok(comparison);
    }
    if supplier.id != id {
        return moved(call, party, &supplier);
    }
    let exports = call.exports(format!("/{}/{}", party.noun(), supplier.id), "");
    let layout = call.layout("", Section::Search).with_exports(exports);
    let cost = analysis::cost(&call.generation, party.facet(), request.kind).and_bids(&call.generation, 1);
    let cost = match party {
        Party::Supplier => cost.and_scans(&call.generation, request.kind.unwrap_or(EntityType::Contract), 1),
        Party::Body => cost,
    };
    let work = Work::search(&call.generation, move |ask| {
        render(&party_page(ask, party, request, &supplier, layout)?)
    });
    call.validated(cost.charge(work), &(call.path, call.query))
}

/// Leads to the identifier that a supplier or a body has now. Not for ever, because the next index may undo it.
fn moved(call: &PageCall, party: Party, supplier: &Supplier) -> Result<Work, ApiError> {
    let address = with_query(&address::party(call.lang, party, &supplier.id), call.query);
    let location = HeaderValue::from_str(&address).map_err(ApiError::internal)?;
    let reply = Reply::from(Bytes::new()).with_status(StatusCode::TEMPORARY_REDIRECT);
    let headers = vec![(header::LOCATION, location), (header::CONTENT_TYPE, HTML)];
    Ok(Work::new(Job::Ready(reply.with_headers(headers))))
}

fn party_page(
    ask: &Ask,
    party: Party,
    request: Request,
    of: &Supplier,
    layout: Layout,
) -> Result<ProfilePage, ApiError> {
    let (t, counted) = (request.view.t, counted(ask, party, &request, of)?);
    let page = address::party(t.language(), party, &of.id);
    let (bids, calls) = match party {
        Party::Supplier => (Some(BidderPart::of(ask, t, &Side::of(of), &page)?), None),
        Party::Body => (None, Some(CallsPart::of(ask, t, filter(Party::Body, of), &page)?)),
    };
    let words_of_name = match (party, counted.1) {
        (Party::Supplier, Some(kind)) => WordsOfName::of(ask, t, of, kind)?,
        _ => None,
    };
    let (records, name) = (party_records(party, of), of.name_in(t.language()));
    Ok(ProfilePage {
        supplier: Some(SupplierPart {
            words_of_name,
            ..SupplierPart::of(t, ask.generation.parties(party), of)
        }),
        calls,
        ..ProfilePage::new(request, name, counted, records, bids, layout)
    })
}

fn counted(ask: &Ask, party: Party, request: &Request, of: &Supplier) -> Result<Counted, ApiError> {
    let view = request.view;
    let Some(profile) = analysis::of_party(ask, party, of, request.kind, view.by_spelling)? else {
        return Ok((None, request.kind));
    };
    let made = column(view, ask, &profile, Subject::party(view, party, of))?;
    Ok((Some(made), Some(profile.query.entity_type)))
}
