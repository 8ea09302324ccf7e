//! The procurement category as a member of a request body.

use serde_json::{Value as Json, json};

use crate::{
    http::{
        json::FromText,
        params::value::{Case, one_of},
    },
    model::vocabulary::CATEGORIES,
};

/// One of [`CATEGORIES`].
#[derive(Debug)]
pub(crate) struct Category(pub(crate) &'static str);

impl FromText for Category {
    fn from_text(text: &str) -> Result<Category, String> {
        one_of(&CATEGORIES, Case::Any, text).map(Category)
    }

    fn schema() -> Json {
        json!({"type": "string", "enum": CATEGORIES})
    }
}
