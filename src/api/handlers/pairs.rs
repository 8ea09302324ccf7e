//! `GET /bids/pairs`: two suppliers, head to head.

use schemars::SchemaGenerator;

use crate::{
    api::{
        analysis::bids::pair::{Pair, Side},
        cost::ScanCost,
        params::{
            pairs::{PairsParams, TABLE},
            param::describe,
            parse::Given,
            read::read_all,
        },
        route::{Answer, Endpoint, ErrorResponse, Parameters, Route, Tag},
    },
    catalog::generation::Generation,
    http::{
        call::Call,
        error::ApiError,
        parameter_error::Reason,
        quoted::quoted,
        work::{Reply, Work},
    },
    model::Facet,
};

pub(crate) const PAIRS: Route = Route {
    id: "compareBidders",
    tag: Tag::Parties,
    endpoint: Endpoint::Fixed("/bids/pairs", get),
    about: "Two suppliers, head to head: the open calls that both bid on, and who won them",
    parameters: Parameters::Table("pairs", || describe(TABLE)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Pair>),
    errors: &[ErrorResponse::not_found(
        "NoBidder",
        "No bid and no record has one of the names, or no supplier has the identifier",
        |_| "parameter 'a': no bidder or vendor has the name 'Acme'; find bidders with /bids?vendor=…".to_owned(),
    )],
    ..Route::DEFAULT
};

fn get(call: &Call) -> Result<Work, ApiError> {
    let given: PairsParams = read_all(TABLE, call.query)?;
    let a = side(&call.generation, "a", given.a)?;
    let b = side(&call.generation, "b", given.b)?;
    if a.keys.iter().any(|key| b.keys.contains(key)) {
        return Err(ApiError::unprocessable(
            "parameters 'a' and 'b' name the same supplier; give two",
        ));
    }
    let normal_form = (a.keys.clone(), b.keys.clone());
    let cost = ScanCost::of_bids(&call.generation, 1);
    let work = Work::search(&call.generation, move |ask| Reply::json(&Pair::of(ask, a, b)?));
    cost.charge(work).for_request(&normal_form)
}

/// The names that a parameter stands for.
fn side(generation: &Generation, parameter: &str, given: Option<Given<String>>) -> Result<Side, ApiError> {
    let hint = "; give a bidder's name or the identifier of a supplier";
    let given = given.ok_or_else(|| ApiError::invalid(parameter, Reason::Required(hint)))?;
    let supplier = generation.suppliers.with_id(&given.value);
    let side = supplier.as_ref().map(Side::of);
    side.or_else(|| of_name(generation, &given.value)).ok_or_else(|| {
        ApiError::not_found(format!(
            "parameter '{parameter}': no bidder or vendor has the name {}; find bidders with /bids?vendor=…",
            quoted(&given.value)
        ))
    })
}

/// A bidder, or a vendor that never bid.
fn of_name(generation: &Generation, name: &str) -> Option<Side> {
    let key = Facet::Vendor.key(name);
    let bidder = generation.bids.name_of(&key).map(str::to_owned);
    let vendor = || generation.suppliers.find_name(name).map(|_| name.to_owned());
    let name = bidder.or_else(vendor)?;
    Some(Side { name, keys: vec![key] })
}
