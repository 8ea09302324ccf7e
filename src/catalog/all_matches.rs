//! Reads all records that match a query.

use bytes::Bytes;

use crate::{
    engine::{Deadline, Engine, Error},
    query::{Page, SearchQuery, Start},
};

/// How many records are read at a time.
const PAGE_SIZE: usize = 1_000;

/// Reads all records that match a query, page by page.
pub(crate) fn for_each_page(
    engine: &dyn Engine,
    query: &SearchQuery,
    deadline: &Deadline,
    mut visit: impl FnMut(Vec<Bytes>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut start = Start::Offset(0);
    loop {
        let page = Page {
            limit: PAGE_SIZE,
            start,
        };
        let hits = engine.search(query, &page, deadline.clone())?;
        visit(hits.records)?;
        deadline.check()?;
        match hits.next {
            Some(next) => start = Start::After(next),
            None => return Ok(()),
        }
    }
}
