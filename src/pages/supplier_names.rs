//! From a name or an identifier to the supplier with all its names.

use crate::{
    catalog::{generation::Generation, suppliers::Supplier},
    http::{error::ApiError, quoted::quoted},
    model::Language,
    pages::{
        address::{self, Parameters},
        messages::Texts,
    },
};

/// The page of a supplier of several names.
#[derive(Debug)]
pub(crate) struct AllNames {
    pub(crate) href: String,
    /// Number of its names.
    pub(crate) count: usize,
}

impl AllNames {
    /// The supplier that a name belongs to; `None` if it has no other name.
    pub(crate) fn of(generation: &Generation, lang: Language, name: &str) -> Option<AllNames> {
        let suppliers = &generation.suppliers;
        let supplier = suppliers.get(suppliers.find_name(name)?)?;
        (supplier.names.len() > 1).then(|| AllNames {
            href: address::supplier(lang, &supplier.id),
            count: supplier.names.len(),
        })
    }
}

/// The parameter by which each spelling of a supplier's name is ranked for itself.
pub(crate) const SPELLINGS: &str = "spellings";

/// What [`SPELLINGS`] is described as.
pub(crate) const ABOUT_SPELLINGS: &str = "`true`: rank each spelling of a supplier's name for itself";

/// The link that ranks suppliers over all their names, or each spelling for itself.
pub(crate) struct RankingSwitch {
    pub(crate) about: String,
    pub(crate) label: String,
    pub(crate) href: String,
}

impl RankingSwitch {
    /// The one that leads away from the page at `path`.
    pub(crate) fn new(t: Texts, path: &str, query: &Parameters, by_spelling: bool) -> RankingSwitch {
        let (now, other) = if by_spelling {
            ("spellings", "suppliers")
        } else {
            ("suppliers", "spellings")
        };
        let query = query.without(&[SPELLINGS]);
        RankingSwitch {
            about: t.keyed("supplier-ranked-by-", now),
            label: t.keyed("supplier-rank-by-", other),
            href: if by_spelling {
                query
            } else {
                query.with(SPELLINGS, "true")
            }
            .after(path),
        }
    }
}

/// The supplier that has or had an identifier.
pub(crate) fn find(generation: &Generation, id: &str) -> Result<Supplier, ApiError> {
    let suppliers = &generation.suppliers;
    let found = suppliers.find_id(id).and_then(|number| suppliers.get(number));
    found.ok_or_else(|| {
        ApiError::not_found(format!(
            "no supplier has the id {}; find suppliers with /suppliers?q=…",
            quoted(id)
        ))
    })
}

/// The page of a bidder: that of its supplier, or of its name alone where nothing else is known of it.
pub(crate) fn bidder_page(generation: &Generation, lang: Language, name: &str) -> String {
    let suppliers = &generation.suppliers;
    let supplier = suppliers.find_name(name).and_then(|number| suppliers.get(number));
    supplier.map_or_else(
        || address::vendor(lang, name),
        |supplier| address::supplier(lang, &supplier.id),
    )
}
