//! What the address of a feed asks for.

use crate::{
    api::params::{
        feed::{FeedParams, TABLE},
        parse::Given,
        read::read_all,
    },
    http::error::ApiError,
    pages::page::PageCall,
};

/// The parameters of the address. Without them, a page has so many tenders, and words are translated.
pub(super) fn given(call: &PageCall, limit: u64) -> Result<FeedParams, ApiError> {
    let mut given: FeedParams = read_all(TABLE, call.query)?;
    given.limit.get_or_insert(Given {
        name: "limit",
        value: limit,
    });
    if given.keywords.is_some() {
        given.translate.get_or_insert(Given {
            name: "translate",
            value: true,
        });
    }
    Ok(given)
}
