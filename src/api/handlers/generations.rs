//! `GET /generations/{id}`: how to cite an index: what is in it, from which sources, and by which program.

use std::sync::Arc;

use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;
use schemars::SchemaGenerator;
use serde_json::json;

use crate::{
    api::{
        analysis::citation::Citation,
        params::{
            param::{Param, describe},
            parse::{Case, Given},
            read::read_all,
            value::ParamType,
        },
        route::{Answer, Endpoint, ErrorResponse, Parameters, PathParam, Route},
    },
    catalog::generation::Generation,
    http::{
        call::Call,
        error::ApiError,
        kept_generations::is_id,
        quoted::quoted,
        work::{Reply, Work},
    },
};

pub(crate) const GENERATION: Route = Route {
    id: "getGeneration",
    endpoint: Endpoint::Named("/generations/", "id", get),
    about: "What an index contains, as a citation: sources, dates, numbers of records, checksum and software version",
    path_params: &[PathParam::Fixed {
        component: "generation_id",
        name: "id",
        about: "Id of an index that is kept, as `X-Index-Generation` states it, or `current`",
        example: "current",
    }],
    parameters: Parameters::Table("citation", || describe(TABLE)),
    answer: Answer::JsonOrText(SchemaGenerator::subschema_for::<Citation>, &[TEXT, BIBTEX, CSL]),
    errors: &[ErrorResponse::not_found(
        "NoGeneration",
        "No index has or had that id",
        |_| "there is no index '00'; 'current' is the one in service".to_owned(),
    )],
    ..Route::DEFAULT
};

const TEXT: &str = "text/plain";
const BIBTEX: &str = "application/x-bibtex";
const CSL: &str = "application/vnd.citationstyles.csl+json";

/// Another name of the generation in service.
const CURRENT: &str = "current";

#[derive(Debug, Default, PartialEq)]
pub(crate) struct CitationParams {
    format: Option<Given<&'static str>>,
}

/// The values of `format`; the first one is the default.
const FORMATS: [&str; 4] = ["json", "text", "bibtex", "csl"];

pub(crate) static TABLE: &[Param<CitationParams>] = &[Param::<CitationParams>::new(
    "format",
    "`json`; `text`: a sentence; `bibtex`; `csl`: CSL-JSON, which reference managers import",
    ParamType::OneOf(&FORMATS, Case::Exact, |p| &mut p.format),
)
.default(|| json!(FORMATS[0]))];

fn get(call: &Call, id: String) -> Result<Work, ApiError> {
    let given: CitationParams = read_all(TABLE, call.query)?;
    let format = given.format.map_or(FORMATS[0], |given| given.value);
    let current = Arc::clone(&call.generation);
    if id == CURRENT || id == current.id {
        return Ok(Work::search(&call.generation, move |_| reply(&current, format)));
    }
    if !is_id(&id) {
        let detail = format!("there is no index {}; 'current' is the one in service", quoted(&id));
        return Err(ApiError::not_found(detail));
    }
    let kept = Arc::clone(&call.state.kept_generations);
    Ok(Work::search(&call.generation, move |_| {
        let generation = kept.open(&id, &current.id)?;
        reply(&generation, format)
    }))
}

fn reply(generation: &Generation, format: &str) -> Result<Reply, ApiError> {
    let citation = Citation::of(generation);
    let (media_type, body) = match format {
        "text" => ("text/plain; charset=utf-8", format!("{}\n", citation.citation)),
        "bibtex" => (BIBTEX, citation.bibtex()),
        "csl" => (CSL, citation.csl().to_string()),
        _ => return Reply::json(&citation),
    };
    let media_type = (header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    Ok(Reply::from(Bytes::from(body)).with_headers(vec![media_type]))
}
