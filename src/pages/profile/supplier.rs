//! The page of a supplier: the figures of `/vendor/{name}` over all its names, and why each name is here.

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
};
use crate::{
    api::analysis::{
        bids::pair::Side,
        profile::{self as analysis, supplier_records},
    },
    catalog::{ask::Ask, suppliers::Supplier},
    http::{
        error::ApiError,
        work::{Job, Reply, Work},
    },
    model::Facet,
    pages::{
        address::{self, with_query},
        page::{HTML, Layout, PageCall, Section, render},
        supplier_names::find,
    },
};

pub(super) fn page(call: &PageCall, id: &str) -> Result<Work, ApiError> {
    let request = Request::read(call, Facet::Vendor, id)?;
    let supplier = find(&call.generation, id)?;
    if let Some(comparison) = request.comparison()? {
        return Ok(comparison);
    }
    if supplier.id != id {
        return moved(call, &supplier);
    }
    let exports = call.exports(format!("/supplier/{}", supplier.id), "");
    let layout = call.layout("", Section::Search).with_exports(exports);
    let cost = analysis::cost(&call.generation, Facet::Vendor, request.kind).and_bids(&call.generation, 1);
    let work = Work::search(&call.generation, move |ask| {
        render(&supplier_page(ask, request, &supplier, layout)?)
    });
    call.validated(cost.charge(work), &(call.path, call.query))
}

/// Leads to the identifier that a supplier has now. Not for ever, because the next index may undo it.
fn moved(call: &PageCall, supplier: &Supplier) -> Result<Work, ApiError> {
    let address = with_query(&address::supplier(call.lang, &supplier.id), call.query);
    let location = HeaderValue::from_str(&address).map_err(ApiError::internal)?;
    let reply = Reply::from(Bytes::new()).with_status(StatusCode::TEMPORARY_REDIRECT);
    let headers = vec![(header::LOCATION, location), (header::CONTENT_TYPE, HTML)];
    Ok(Work::new(Job::Ready(reply.with_headers(headers))))
}

fn supplier_page(ask: &Ask, request: Request, supplier: &Supplier, layout: Layout) -> Result<ProfilePage, ApiError> {
    let (t, counted) = (request.view.t, counted(ask, &request, supplier)?);
    let page = address::supplier(t.language(), &supplier.id);
    let bids = BidderPart::of(ask, t, &Side::of(supplier), &page)?;
    let records = supplier_records(supplier);
    Ok(ProfilePage {
        supplier: Some(SupplierPart::of(t, supplier)),
        ..ProfilePage::new(request, &supplier.name, counted, records, Some(bids), layout)
    })
}

fn counted(ask: &Ask, request: &Request, supplier: &Supplier) -> Result<Counted, ApiError> {
    let view = request.view;
    let Some(profile) = analysis::of_supplier(ask, supplier, request.kind)? else {
        return Ok((None, request.kind));
    };
    let made = column(view, ask, &profile, Subject::supplier(view, supplier))?;
    Ok((Some(made), Some(profile.query.entity_type)))
}
