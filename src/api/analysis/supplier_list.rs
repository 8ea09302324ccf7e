//! Which suppliers or bodies a request lists, and pages of them.

use serde::Serialize;

use crate::{
    api::params::{
        paging::{cursor_of_another_query, invalid_cursor},
        parse::Given,
        suppliers::{DEFAULT_LIMIT, SuppliersParams},
    },
    catalog::suppliers::{Supplier, SupplierList},
    http::error::ApiError,
    query::{Position, cursor::Cursor},
};

/// Which suppliers a request lists.
#[derive(Clone)]
pub(crate) struct SuppliersAsked {
    q: Option<String>,
    name: Option<String>,
    limit: usize,
    cursor: Option<Given<String>>,
}

impl SuppliersAsked {
    pub(crate) fn new(given: SuppliersParams) -> SuppliersAsked {
        SuppliersAsked {
            q: given.q.map(|given| given.value),
            name: given.name.map(|given| given.value),
            limit: given.limit.map_or(DEFAULT_LIMIT, |given| given.value) as usize,
            cursor: given.cursor,
        }
    }

    /// What the response depends on, besides the generation and the start.
    pub(crate) fn normal_form(&self) -> impl Serialize + use<> {
        (self.q.clone(), self.name.clone(), self.limit)
    }

    /// Whether it asks for names.
    pub(crate) fn is_selection(&self) -> bool {
        self.q.is_some() || self.name.is_some()
    }

    /// Binds a cursor to the names that are asked for.
    fn fingerprint(&self, suppliers: &SupplierList) -> u32 {
        let text = format!("{}\n{:?}\n{:?}", suppliers.party().plural(), self.q, self.name);
        crc32fast::hash(text.as_bytes())
    }

    /// The number of the first supplier, if a cursor states it.
    pub(crate) fn start(&self, suppliers: &SupplierList) -> Result<Option<u32>, ApiError> {
        let Some(given) = &self.cursor else { return Ok(None) };
        let cursor = Cursor::decode(&given.value).map_err(|_| invalid_cursor(given))?;
        if !cursor.is_of(self.fingerprint(suppliers)) {
            return Err(cursor_of_another_query());
        }
        let last = suppliers.find_id(&cursor.position().record_id);
        last.map(|last| Some(last + 1)).ok_or_else(|| invalid_cursor(given))
    }

    /// The numbers of all suppliers that are asked for.
    pub(crate) fn found(&self, suppliers: &SupplierList) -> Vec<u32> {
        let part = self.q.as_deref().unwrap_or_default();
        let mut found = suppliers.containing(part);
        if let Some(name) = &self.name {
            let named = suppliers.find_name(name);
            found.retain(|number| Some(*number) == named);
        }
        found
    }

    /// The suppliers of a page, and the cursor of the next one.
    pub(crate) fn page(&self, suppliers: &SupplierList, start: u32) -> (Vec<Supplier>, Option<String>) {
        self.page_of(self.found(suppliers), suppliers, start)
    }

    /// A page of the suppliers that [`SuppliersAsked::found`] returned.
    pub(crate) fn page_of(
        &self,
        found: Vec<u32>,
        suppliers: &SupplierList,
        start: u32,
    ) -> (Vec<Supplier>, Option<String>) {
        let mut rest = found.into_iter().skip_while(|number| *number < start);
        let page: Vec<Supplier> = rest
            .by_ref()
            .take(self.limit)
            .filter_map(|number| suppliers.get(number))
            .collect();
        let last = page.last().filter(|_| rest.next().is_some());
        let position = |last: &Supplier| Position {
            key: None,
            record_id: last.id.clone(),
        };
        let next = last.map(|last| Cursor::of(self.fingerprint(suppliers), position(last)).encode());
        (page, next)
    }
}
