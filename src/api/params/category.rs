//! The procurement category as a member of a request body.

use serde_json::{Value as Json, json};

use crate::{
    api::{
        json::FromText,
        params::parse::{Case, one_of},
    },
    http::parameter_error::Reason,
    model::vocabulary::CATEGORIES,
};

/// One of [`CATEGORIES`].
#[derive(Debug)]
pub(crate) struct Category(pub(crate) &'static str);

impl FromText for Category {
    fn from_text(text: &str) -> Result<Category, Reason> {
        one_of(&CATEGORIES, Case::Any, text).map(Category)
    }

    fn schema() -> Json {
        json!({"type": "string", "enum": CATEGORIES})
    }
}
