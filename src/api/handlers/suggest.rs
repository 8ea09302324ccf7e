//! `GET /suggest`: what typed words may mean.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use crate::{
    api::{
        analysis::suggest::{SuggestPlan, Suggested},
        params::{
            param::describe,
            read::read_all,
            suggest::{DEFAULT_LIMIT, SuggestParams, TABLE},
        },
        route::{Answer, Endpoint, Parameters, Route, Tag},
    },
    http::{
        call::Call,
        error::ApiError,
        work::{Reply, Work},
    },
    model::Language,
};

pub(crate) const SUGGEST: Route = Route {
    id: "suggest",
    tag: Tag::Parties,
    endpoint: Endpoint::Fixed("/suggest", suggest),
    about: "What typed words may mean: suppliers, departments, solicitations, commodity codes and municipalities, each with its number of records",
    parameters: Parameters::Table("typed", || describe(TABLE)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Suggestions>),
    ..Route::DEFAULT
};

/// What the words may mean, the best first. None of it is certain.
#[derive(Serialize, JsonSchema)]
struct Suggestions {
    /// The words as they were given.
    query: String,
    results: Vec<Suggested>,
}

fn suggest(call: &Call) -> Result<Work, ApiError> {
    let given: SuggestParams = read_all(TABLE, call.query)?;
    let plan = SuggestPlan {
        text: given.q.map(|given| given.value).unwrap_or_default(),
        language: match given.lang.map(|given| given.value) {
            Some("fr") => Language::French,
            _ => Language::English,
        },
        limit: given.limit.map_or(DEFAULT_LIMIT, |given| given.value) as usize,
    };
    let normal_form = (plan.text.clone(), plan.language.code(), plan.limit);
    let lane = SuggestPlan::lane(&call.generation);
    let work = Work::search(&call.generation, move |ask| {
        let results = plan.run(ask)?;
        let query = plan.text;
        Reply::json(&Suggestions { query, results })
    });
    work.in_lane(lane).for_request(&normal_form)
}
