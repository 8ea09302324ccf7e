//! The page of a supplier: the figures of `/vendor/{name}` over all its names, and why each name is here.

use actix_web::http::{
    StatusCode,
    header::{self, HeaderValue},
};
use bytes::Bytes;

use super::{
    bidder::{Bidder, BidderPart, HeadToHead},
    column::{CHART_IDS, Column, Subject, column},
    profile_page::{Columns, ProfilePage, Request, align_all, second_unknown},
    supplier_part::SupplierPart,
};
use crate::{
    api::analysis::profile::{self as analysis, supplier_records},
    catalog::{
        ask::Ask,
        suppliers::{Supplier, SupplierList},
    },
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
    let mut request = Request::read(call, Facet::Vendor, id)?;
    let supplier = find(&call.generation, id)?;
    // Another name of the supplier is no second one.
    let own = supplier.id.as_str();
    request
        .with
        .take_if(|with| named(&call.generation.suppliers, with).is_some_and(|second| second.id == own));
    if supplier.id != id {
        return moved(call, &supplier);
    }
    let exports = call.exports(format!("/supplier/{}", supplier.id), "");
    let layout = call.layout("", Section::Search).with_exports(exports);
    let columns = 1 + usize::from(request.with.is_some());
    let cost = analysis::cost(&call.generation, Facet::Vendor, request.kind, columns).and_bids(&call.generation, 1);
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
    let (t, columns) = (request.view.t, columns(ask, &request, supplier)?);
    let bids = bids(ask, &request, supplier)?;
    let records = supplier_records(supplier);
    Ok(ProfilePage {
        supplier: Some(SupplierPart::of(t, supplier)),
        ..ProfilePage::new(request, &supplier.name, columns, records, bids, layout)
    })
}

/// As of two names: the second supplier has an identifier, or any of its names.
fn columns(ask: &Ask, request: &Request, supplier: &Supplier) -> Result<Columns, ApiError> {
    let view = request.view;
    let of_supplier = |supplier: &Supplier, kind, ids| {
        let Some(profile) = analysis::of_supplier(ask, supplier, kind)? else {
            return Ok::<_, ApiError>(None);
        };
        let of = profile.query.entity_type;
        let made = column(view, ask, &profile, Subject::supplier(view, supplier), ids)?;
        Ok(Some((made, of)))
    };
    let first = of_supplier(supplier, request.kind, CHART_IDS[0])?;
    let kind = first.as_ref().map(|(_, of)| *of).or(request.kind);
    let mut columns: Vec<Column> = first.into_iter().map(|(made, _)| made).collect();
    let Some(with) = &request.with else {
        return Ok((columns, kind, None));
    };
    let second = named(&ask.generation.suppliers, with);
    let second = second
        .map(|second| of_supplier(&second, kind, CHART_IDS[1]))
        .transpose()?;
    let Some((second, _)) = second.flatten() else {
        return Ok((columns, kind, Some(second_unknown(ask, request, with)?)));
    };
    columns.push(second);
    align_all(&mut columns);
    Ok((columns, kind, None))
}

/// The bids of a supplier; with a second one, the calls that both bid on.
fn bids(
    ask: &Ask,
    request: &Request,
    supplier: &Supplier,
) -> Result<(Option<BidderPart>, Option<HeadToHead>), ApiError> {
    let (t, own) = (request.view.t, bidder_of(supplier));
    let page = address::supplier(t.language(), &supplier.id);
    let Some(with) = &request.with else {
        return Ok((Some(BidderPart::of(ask, t, &own, &page)?), None));
    };
    let second = second_bidder(&ask.generation.suppliers, with);
    Ok((None, HeadToHead::of(ask, t, [own, second], &page, with)?))
}

/// A bidder without records need not be a known supplier.
pub(super) fn second_bidder(suppliers: &SupplierList, with: &str) -> Bidder {
    named(suppliers, with).map_or_else(|| Bidder::named(with), |second| bidder_of(&second))
}

pub(super) fn bidder_of(supplier: &Supplier) -> Bidder {
    Bidder {
        name: supplier.name.clone(),
        keys: supplier.keys(),
    }
}

/// The supplier with an identifier or a name.
fn named(suppliers: &SupplierList, with: &str) -> Option<Supplier> {
    let number = suppliers.find_id(with).or_else(|| suppliers.find_name(with))?;
    suppliers.get(number)
}
