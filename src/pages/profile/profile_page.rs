//! What the pages of a name and of a supplier have in common: the template, the request, and two of them in columns.

use askama::Template;

use super::{
    bidder::{BidderPart, HeadToHead},
    column::{Column, Fact, View, align},
    params::{ProfileParams, TABLE},
    supplier_part::SupplierPart,
};
use crate::{
    api::{
        analysis::{
            profile::{entity_types, similar_names},
            suggest::meant_names,
        },
        params::read::read_all,
    },
    catalog::ask::Ask,
    http::error::ApiError,
    model::{EntityType, Facet},
    pages::{
        address::{self, Parameters},
        calls::CallsPart,
        department_names::names_facet,
        kind_tabs::KindTab,
        messages::Texts,
        page::{CsvLink, Exports, Layout, PageCall},
        supplier_names::{AllNames, RankingSwitch},
    },
};

#[derive(Template)]
#[template(path = "profile/profile.html")]
pub(super) struct ProfilePage {
    pub(super) layout: Layout,
    pub(super) t: Texts,
    /// `vendor` or `department`.
    pub(super) what: &'static str,
    /// Of the entity types that the first name has records of.
    pub(super) tabs: Vec<KindTab>,
    pub(super) columns: Vec<Column>,
    /// Of a page that ranks suppliers.
    pub(super) switch: Option<RankingSwitch>,
    /// The supplier of several names that the first name belongs to.
    pub(super) all_names: Option<AllNames>,
    /// The names of the supplier that the page is of.
    pub(super) supplier: Option<SupplierPart>,
    /// The bids of the only name.
    pub(super) bidder: Option<BidderPart>,
    /// The calls of the only name, which is a body.
    pub(super) calls: Option<CallsPart>,
    /// The calls that both of two names bid on.
    pub(super) head_to_head: Option<HeadToHead>,
    /// The figures of two names in rows; empty for one name.
    pub(super) comparison: Vec<ComparedFact>,
    pub(super) form: CompareForm,
    /// The second name has no page.
    pub(super) unknown: Option<Unknown>,
}

/// The columns of the names, the entity type that they are of, and the second name if it has no column.
pub(super) type Columns = (Vec<Column>, Option<EntityType>, Option<Unknown>);

impl ProfilePage {
    /// The page of a name or of a supplier called `name`, with its records of each entity type.
    pub(super) fn new(
        request: Request,
        name: &str,
        (columns, kind, missing): Columns,
        records: impl Iterator<Item = (EntityType, u64)>,
        (bidder, head_to_head): (Option<BidderPart>, Option<HeadToHead>),
        layout: Layout,
    ) -> ProfilePage {
        let view = request.view;
        let tab = |(of, records): (EntityType, u64)| KindTab::new(of, records, kind, &request.path, &request.query);
        let ranks_suppliers = view.facet != Facet::Vendor && columns.iter().any(|column| column.ranked.is_some());
        let switch = || RankingSwitch::new(view.t, &request.path, &request.query, view.by_spelling);
        ProfilePage {
            t: view.t,
            what: view.facet.name(),
            tabs: records.map(tab).collect(),
            switch: ranks_suppliers.then(switch),
            all_names: None,
            supplier: None,
            bidder,
            calls: None,
            comparison: comparison(&columns),
            form: CompareForm {
                kind: request.kind.map(EntityType::name),
                with: request.with.unwrap_or_default(),
                action: request.path,
            },
            unknown: missing.filter(|_| head_to_head.is_none()),
            head_to_head,
            layout: Layout {
                title: title_of(view, &columns, name),
                exports: Exports {
                    csv: csv_links(&columns, kind),
                    ..layout.exports
                },
                ..layout
            },
            columns,
        }
    }
}

/// A row of the table that compares two names.
pub(super) struct ComparedFact {
    pub(super) label: String,
    /// In the order of the columns.
    pub(super) values: Vec<String>,
}

/// The form that asks for a second name.
pub(super) struct CompareForm {
    pub(super) action: String,
    /// The entity type that the address states.
    pub(super) kind: Option<&'static str>,
    pub(super) with: String,
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
    pub(super) with: Option<String>,
    pub(super) kind: Option<EntityType>,
    /// The path, raw.
    pub(super) path: String,
    pub(super) query: Parameters,
}

impl Request {
    pub(super) fn read(call: &PageCall, facet: Facet, name: &str) -> Result<Request, ApiError> {
        let given: ProfileParams = read_all(TABLE, call.query)?;
        Ok(Request {
            view: View {
                t: call.t,
                facet,
                today: call.today,
                by_spelling: given.spellings.is_some_and(|given| given.value),
            },
            name: name.to_owned(),
            with: given.with.map(|given| given.value),
            kind: given.kind.and_then(|given| EntityType::parse(given.value)),
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

/// The names of the columns; `name` if there are none.
fn title_of(view: View, columns: &[Column], name: &str) -> String {
    match columns {
        [] => name.to_owned(),
        [one] => one.name.clone(),
        [first, second, ..] => view.t.with(
            "profile-compare-title",
            &[("first", &first.name), ("second", &second.name)],
        ),
    }
}

/// Gives the charts of two columns the same axes.
pub(super) fn align_all(columns: &mut [Column]) {
    if let [first, second] = columns {
        align(first, second);
    }
}

/// The records of each name as a file.
fn csv_links(columns: &[Column], kind: Option<EntityType>) -> Vec<CsvLink> {
    let link = |column: &Column| {
        let kind = kind.map(EntityType::name).unwrap_or_default();
        let file = address::spreadsheet(&column.href);
        CsvLink {
            name: if columns.len() > 1 {
                column.name.clone()
            } else {
                String::new()
            },
            href: Parameters::default().with("kind", kind).after(&file),
        }
    };
    columns.iter().map(link).collect()
}

/// The facts of two names, row by row; none for one name.
fn comparison(columns: &[Column]) -> Vec<ComparedFact> {
    let [first, _] = columns else {
        return Vec::new();
    };
    let row = |fact: &Fact| ComparedFact {
        label: fact.label.clone(),
        values: columns
            .iter()
            .map(|column| column.value_of(&fact.label).to_owned())
            .collect(),
    };
    first.facts.iter().map(row).collect()
}

/// A second name that has no page.
pub(super) fn second_unknown(ask: &Ask, request: &Request, with: &str) -> Result<Unknown, ApiError> {
    let similar = request.similar(ask, with)?;
    let link = |name: String| {
        let href = request.query.with("with", &name).after(&request.path);
        (name, href)
    };
    Ok(Unknown {
        name: with.to_owned(),
        similar: similar.into_iter().filter(|name| name != with).map(link).collect(),
    })
}
