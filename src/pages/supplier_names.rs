//! From a name or an identifier to the supplier or the body with all its names.

use crate::{
    api::analysis::supplier_counts::SupplierCount,
    catalog::{generation::Generation, suppliers::Party},
    model::Language,
    pages::{
        address::{self, Parameters},
        messages::Texts,
    },
};

/// The page of a supplier or a body of several names.
#[derive(Debug)]
pub(crate) struct AllNames {
    pub(crate) href: String,
    /// Number of its names.
    pub(crate) count: usize,
}

impl AllNames {
    /// The supplier or the body that a name belongs to; `None` if it has no other name.
    pub(crate) fn of(generation: &Generation, party: Party, lang: Language, name: &str) -> Option<AllNames> {
        let list = generation.parties(party);
        let supplier = list.with_name(name)?;
        (supplier.names.len() > 1).then(|| AllNames {
            href: address::party(lang, party, &supplier.id),
            count: supplier.names.len(),
        })
    }
}

/// The parameter by which each spelling of a supplier's or buyer's name is ranked for itself.
pub(crate) const SPELLINGS: &str = "spellings";

/// What [`SPELLINGS`] is described as.
pub(crate) const ABOUT_SPELLINGS: &str = "`true`: rank each spelling of a supplier's or buyer's name for itself";

/// The parameter that says what names are ranked by, and its values.
pub(crate) const RANK: &str = "rank";
pub(crate) const RANKS: [&str; 2] = ["value", BY_NUMBER];
pub(crate) const BY_NUMBER: &str = "number";

/// What [`RANK`] is described as.
pub(crate) const ABOUT_RANK: &str = "`number`: rank by the number of records instead of their value";

/// Who is ranked over all names.
#[derive(Clone, Copy)]
pub(crate) enum AllNamesOf {
    Both,
    Buyers,
    Suppliers,
    /// Where suppliers have too many names to be joined.
    BuyersAlone,
}

/// A link that ranks otherwise.
pub(crate) struct RankingSwitch {
    pub(crate) about: String,
    pub(crate) label: String,
    pub(crate) href: String,
}

impl RankingSwitch {
    /// The one that leads away from the page at `path`: over all names, or each name for itself.
    pub(crate) fn by_name(t: Texts, path: &str, query: &Parameters, is_on: bool, of: AllNamesOf) -> RankingSwitch {
        let turn = (SPELLINGS, "true", is_on);
        let names = match of {
            AllNamesOf::Both => ["all-names", "names"],
            AllNamesOf::Buyers => ["buyers", "names"],
            AllNamesOf::Suppliers => ["suppliers", "spellings"],
            AllNamesOf::BuyersAlone => ["bodies", "names"],
        };
        RankingSwitch::new(t, path, query, turn, names)
    }

    /// By value, or by number.
    pub(crate) fn by_number(t: Texts, path: &str, query: &Parameters, is_on: bool) -> RankingSwitch {
        RankingSwitch::new(t, path, query, (RANK, BY_NUMBER, is_on), RANKS)
    }

    /// `names` are the ends of the keys of its texts: without the parameter, and with it.
    fn new(
        t: Texts,
        path: &str,
        query: &Parameters,
        (parameter, value, is_on): (&str, &str, bool),
        names: [&str; 2],
    ) -> RankingSwitch {
        let [now, other] = if is_on { [names[1], names[0]] } else { names };
        let query = query.without(&[parameter]);
        RankingSwitch {
            about: t.keyed("supplier-ranked-by-", now),
            label: t.keyed("supplier-rank-by-", other),
            href: if is_on { query } else { query.with(parameter, value) }.after(path),
        }
    }
}

/// The name of a counted supplier or body in the language of the page, with how many names were counted, and its page.
pub(crate) fn party_link(generation: &Generation, t: Texts, party: Party, counted: &SupplierCount) -> (String, String) {
    let (lang, list) = (t.language(), generation.parties(party));
    let found = list.find_id(&counted.id).and_then(|number| list.get(number));
    // An index of an older program has no list of bodies.
    let href = match (&found, party) {
        (Some(_), _) => address::party(lang, party, &counted.id),
        (None, Party::Supplier) => address::vendor(lang, &counted.name),
        (None, Party::Body) => address::department(lang, &counted.name),
    };
    let name = found.map_or_else(|| counted.name.clone(), |of| of.name_in(lang).to_owned());
    let name = match &counted.names {
        0 | 1 => name,
        count => t.with("supplier-with-names", &[("name", &name), ("count", count)]),
    };
    (name, href)
}

/// The page of a bidder: that of its supplier, or of its name alone where nothing else is known of it.
pub(crate) fn bidder_page(generation: &Generation, lang: Language, name: &str) -> String {
    let suppliers = &generation.suppliers;
    let supplier = suppliers.with_name(name);
    supplier.map_or_else(
        || address::vendor(lang, name),
        |supplier| address::party(lang, Party::Supplier, &supplier.id),
    )
}
