//! What the pages of a name and of a supplier have in common: the template and the request.

use askama::Template;

use super::{
    bidder::BidderPart,
    column::{Column, View},
    params::{ProfileParams, TABLE},
    supplier_part::SupplierPart,
};
use crate::{
    api::{
        analysis::{
            compared::ComparedType,
            profile::{entity_types, similar_names},
            suggest::meant_names,
        },
        params::read::read_all,
    },
    catalog::ask::Ask,
    http::{
        error::ApiError,
        work::{Job, Work},
    },
    model::{EntityType, Facet},
    pages::{
        address::{self, Parameters},
        calls::CallsPart,
        compare::CompareForm,
        department_names::names_facet,
        kind_tabs::KindTab,
        messages::Texts,
        page::{CsvLink, Exports, Layout, PageCall, see_other},
        supplier_names::{AllNames, AllNamesOf, BY_NUMBER, RankingSwitch},
    },
};

#[derive(Template)]
#[template(path = "profile/profile.html")]
pub(super) struct ProfilePage {
    pub(super) layout: Layout,
    pub(super) t: Texts,
    /// `vendor` or `department`.
    pub(super) what: &'static str,
    /// Of the entity types that the name has records of.
    pub(super) tabs: Vec<KindTab>,
    /// `None` if it has no records of the entity type.
    pub(super) column: Option<Column>,
    /// What ranks otherwise.
    pub(super) switches: Vec<RankingSwitch>,
    /// The supplier of several names that the name belongs to.
    pub(super) all_names: Option<AllNames>,
    /// The names of the supplier that the page is of.
    pub(super) supplier: Option<SupplierPart>,
    /// The bids of the name.
    pub(super) bidder: Option<BidderPart>,
    /// The calls of the name, which is a body.
    pub(super) calls: Option<CallsPart>,
    pub(super) form: CompareForm,
}

/// The figures of the name, and the entity type that they are of.
pub(super) type Counted = (Option<Column>, Option<EntityType>);

impl ProfilePage {
    /// The page of a name or of a supplier called `name`, with its records of each entity type.
    pub(super) fn new(
        request: Request,
        name: &str,
        (column, kind): Counted,
        records: impl Iterator<Item = (EntityType, u64)>,
        bidder: Option<BidderPart>,
        layout: Layout,
    ) -> ProfilePage {
        let view = request.view;
        let tab = |(of, records): (EntityType, u64)| KindTab::new(of, records, kind, &request.path, &request.query);
        let compared = request.compared();
        ProfilePage {
            t: view.t,
            what: view.facet.name(),
            tabs: records.map(tab).collect(),
            switches: switches(&request, column.as_ref()),
            all_names: None,
            supplier: None,
            bidder,
            calls: None,
            form: CompareForm::new(view.t.language(), compared, request.kind, vec![request.name]),
            layout: Layout {
                title: column.as_ref().map_or(name, |column| &column.name).to_owned(),
                exports: Exports {
                    csv: column
                        .as_ref()
                        .map(|column| csv_link(column, kind))
                        .into_iter()
                        .collect(),
                    ..layout.exports
                },
                ..layout
            },
            column,
        }
    }
}

/// A name that does not exist.
pub(super) struct Unknown {
    pub(super) name: String,
    /// Similar names, and the addresses that have them in its place.
    pub(super) similar: Vec<(String, String)>,
}

/// What the page shows of the request.
pub(super) struct Request {
    pub(super) view: View,
    pub(super) name: String,
    pub(super) kind: Option<EntityType>,
    pub(super) with: Option<String>,
    /// The path, raw.
    pub(super) path: String,
    pub(super) query: Parameters,
}

impl Request {
    fn compared(&self) -> ComparedType {
        match self.view.facet {
            Facet::Vendor => ComparedType::Supplier,
            _ => ComparedType::Department,
        }
    }

    /// Leads to the comparison with a second name, if the address has one.
    pub(super) fn comparison(&self) -> Result<Option<Work>, ApiError> {
        let Some(with) = &self.with else { return Ok(None) };
        let both = Parameters::default().with("of", &self.name).and("of", with);
        let both = self.kind.iter().fold(both, |both, kind| both.with("kind", kind.name()));
        let page = address::compare(self.view.t.language(), self.compared().name());
        let reply = see_other(&both.after(&page))?;
        Ok(Some(Work::new(Job::Ready(reply))))
    }

    pub(super) fn read(call: &PageCall, facet: Facet, name: &str) -> Result<Request, ApiError> {
        let given: ProfileParams = read_all(TABLE, call.query)?;
        Ok(Request {
            view: View {
                t: call.t,
                facet,
                today: call.today,
                by_number: given.rank.is_some_and(|given| given.value == BY_NUMBER),
                by_spelling: given.spellings.is_some_and(|given| given.value),
            },
            name: name.to_owned(),
            kind: given.kind.and_then(|given| EntityType::parse(given.value)),
            with: given.with.map(|given| given.value),
            path: call.path.to_owned(),
            query: Parameters::parse(call.query)?,
        })
    }

    /// The facet in which names are looked up.
    pub(super) fn facet(&self) -> Facet {
        names_facet(self.view.facet)
    }

    pub(super) fn similar(&self, ask: &Ask, name: &str) -> Result<Vec<String>, ApiError> {
        let facet = self.facet();
        // First what the words mean, where a rare word weighs most; then names that are spelled nearly like it.
        let mut similar = meant_names(ask, self.view.facet, name, MAX_SIMILAR)?;
        for near in similar_names(ask, facet, name, entity_types(facet), MAX_SIMILAR)? {
            if similar.len() < MAX_SIMILAR && !similar.contains(&near) {
                similar.push(near);
            }
        }
        Ok(similar)
    }
}

/// How many similar names the page of an unknown name lists.
const MAX_SIMILAR: usize = 8;

/// What ranks the names of the other side otherwise.
fn switches(request: &Request, column: Option<&Column>) -> Vec<RankingSwitch> {
    let view = request.view;
    if column.is_none_or(|column| column.ranked.is_none()) {
        return Vec::new();
    }
    let (t, path, query) = (view.t, &request.path, &request.query);
    let ranked = match view.facet {
        Facet::Vendor => AllNamesOf::Buyers,
        _ => AllNamesOf::Suppliers,
    };
    vec![
        RankingSwitch::by_number(t, path, query, view.by_number),
        RankingSwitch::by_name(t, path, query, view.by_spelling, ranked),
    ]
}

/// The records of the name as a file.
fn csv_link(column: &Column, kind: Option<EntityType>) -> CsvLink {
    let kind = kind.map(EntityType::name).unwrap_or_default();
    let file = address::spreadsheet(&column.href);
    CsvLink::only(Parameters::default().with("kind", kind).after(&file))
}
