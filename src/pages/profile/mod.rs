//! The pages of a vendor and of a department: what it sold or bought, when, to or from whom, and how. Two names can be
//! compared side by side.
//!
//! A page counts the records of one entity type: contracts, or where a name has none, what reports the same money. It
//! never adds up several, because contracts, awards and disclosures report the same money.

mod column;
mod competition_table;
mod csv;
pub(crate) mod params;

use actix_web::http::StatusCode;
use askama::Template;

use self::{
    column::{CHART_IDS, Column, View, align, column},
    params::{ProfileParams, TABLE},
};
use crate::{
    api::{
        analysis::{
            profile::{self as analysis, NamedRecords, entity_types, similar_names},
            suggest::meant_names,
        },
        params::read::read_all,
    },
    catalog::ask::Ask,
    http::{
        encoding::encode,
        error::ApiError,
        work::{Reply, Work},
    },
    model::{EntityType, Facet},
    pages::{
        address::{self, Parameters},
        department_names::names_facet,
        kind_tabs::KindTab,
        messages::Texts,
        page::{CsvLink, Exports, Layout, PageCall, Section, render},
        route::{Handler, Page},
    },
};

pub(crate) const VENDOR: Page = Page {
    template: "/{lang}/vendor/{name}",
    handler: Handler::Named(|call, name| page(call, Facet::Vendor, name)),
    ..Page::DEFAULT
};

pub(crate) const VENDOR_CSV: Page = Page {
    template: "/{lang}/vendor.csv/{name}",
    handler: Handler::Named(|call, name| csv::records(call, Facet::Vendor, name)),
    ..Page::DEFAULT
};

pub(crate) const DEPARTMENT: Page = Page {
    template: "/{lang}/department/{name}",
    handler: Handler::Named(|call, name| page(call, Facet::NamedDepartment, name)),
    ..Page::DEFAULT
};

pub(crate) const DEPARTMENT_CSV: Page = Page {
    template: "/{lang}/department.csv/{name}",
    handler: Handler::Named(|call, name| csv::records(call, Facet::NamedDepartment, name)),
    ..Page::DEFAULT
};

#[derive(Template)]
#[template(path = "profile/profile.html")]
struct ProfilePage {
    layout: Layout,
    t: Texts,
    /// `vendor` or `department`.
    what: &'static str,
    /// Of the entity types that the first name has records of.
    tabs: Vec<KindTab>,
    columns: Vec<Column>,
    /// The figures of two names in rows; empty for one name.
    comparison: Vec<ComparedFact>,
    form: CompareForm,
    /// The second name has no page.
    unknown: Option<Unknown>,
}

/// A row of the table that compares two names.
struct ComparedFact {
    label: String,
    /// In the order of the columns.
    values: Vec<String>,
}

/// The form that asks for a second name.
struct CompareForm {
    action: String,
    /// The entity type that the address states.
    kind: Option<&'static str>,
    with: String,
}

/// A name that does not exist.
struct Unknown {
    name: String,
    /// Similar names, and the addresses that have them in its place.
    similar: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "profile/unknown.html")]
struct UnknownPage {
    layout: Layout,
    t: Texts,
    what: &'static str,
    unknown: Unknown,
    /// The search for the words of the name.
    search: String,
}

/// What the page shows of the request.
struct Request {
    view: View,
    name: String,
    with: Option<String>,
    kind: Option<EntityType>,
    /// The path, raw.
    path: String,
    query: Parameters,
}

impl Request {
    fn read(call: &PageCall, facet: Facet, name: &str) -> Result<Request, ApiError> {
        let given: ProfileParams = read_all(TABLE, call.query)?;
        Ok(Request {
            view: View {
                t: call.t,
                facet,
                today: call.today,
            },
            name: name.to_owned(),
            with: given.with.map(|given| given.value),
            kind: given.kind.and_then(|given| EntityType::parse(given.value)),
            path: call.path.to_owned(),
            query: Parameters::parse(call.query)?,
        })
    }

    /// The facet in which names are looked up.
    fn facet(&self) -> Facet {
        names_facet(self.view.facet)
    }

    fn similar(&self, ask: &Ask, name: &str) -> Result<Vec<String>, ApiError> {
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

fn page(call: &PageCall, facet: Facet, name: &str) -> Result<Work, ApiError> {
    let request = Request::read(call, facet, name)?;
    let exports = call.exports(api_path(&request), "");
    let layout = call.layout("", Section::Search);
    let names = 1 + usize::from(request.with.is_some());
    let cost = analysis::cost(&call.generation, request.facet(), request.kind, names);
    let work = Work::search(&call.generation, move |ask| {
        let found = analysis::find(ask, request.facet(), &request.name)?;
        if found.is_empty() {
            return unknown(ask, &request, layout);
        }
        render(&profile(ask, request, &found, layout.with_exports(exports))?)
    });
    call.validated(cost.charge(work), &(call.path, call.query))
}

/// The path of the API with the same figures. It has profiles of contracts; of other records it has the search.
fn api_path(request: &Request) -> String {
    let facet = request.view.facet.name();
    match request.kind {
        None | Some(EntityType::Contract) => format!("/{facet}/{}", encode(&request.name)),
        Some(kind) => Parameters::default()
            .with(facet, &request.name)
            .after(&format!("/{kind}")),
    }
}

fn profile(ask: &Ask, request: Request, found: &[NamedRecords], layout: Layout) -> Result<ProfilePage, ApiError> {
    let view = request.view;
    let (columns, kind, missing) = columns(ask, &request, found)?;
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let title = match names.as_slice() {
        [] => request.name.clone(),
        [one] => (*one).to_owned(),
        _ => view
            .t
            .with("profile-compare-title", &[("first", &names[0]), ("second", &names[1])]),
    };
    let tab = |of: &NamedRecords| KindTab::new(of.entity_type, of.records, kind, &request.path, &request.query);
    Ok(ProfilePage {
        t: view.t,
        what: view.facet.name(),
        tabs: found.iter().map(tab).collect(),
        comparison: comparison(&columns),
        form: CompareForm {
            kind: request.kind.map(EntityType::name),
            with: request.with.unwrap_or_default(),
            action: request.path,
        },
        unknown: missing,
        layout: Layout {
            title,
            exports: Exports {
                csv: csv_links(view, &columns, kind),
                ..layout.exports
            },
            ..layout
        },
        columns,
    })
}

/// The columns of the names, the entity type that they are of, and the second name if it has no column.
type Columns = (Vec<Column>, Option<EntityType>, Option<Unknown>);

fn columns(ask: &Ask, request: &Request, found: &[NamedRecords]) -> Result<Columns, ApiError> {
    let (view, facet) = (request.view, request.facet());
    let first = analysis::profile(ask, facet, found, request.kind)?;
    let kind = first.as_ref().map(|first| first.query.entity_type).or(request.kind);
    let first = first.map(|first| column(view, ask, &first, CHART_IDS[0]));
    let mut columns = Vec::from_iter(first.transpose()?);
    let Some(with) = &request.with else {
        return Ok((columns, kind, None));
    };
    let found = analysis::find(ask, facet, with)?;
    let Some(second) = analysis::profile(ask, facet, &found, kind)? else {
        return Ok((columns, kind, Some(second_unknown(ask, request, with)?)));
    };
    columns.push(column(view, ask, &second, CHART_IDS[1])?);
    if let [first, second] = columns.as_mut_slice() {
        align(first, second);
    }
    Ok((columns, kind, None))
}

/// The records of each name as a file.
fn csv_links(view: View, columns: &[Column], kind: Option<EntityType>) -> Vec<CsvLink> {
    let link = |column: &Column| {
        let kind = kind.map(EntityType::name).unwrap_or_default();
        let file = address::spreadsheet(&view.page_of(&column.name));
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
    let row = |fact: &column::Fact| ComparedFact {
        label: fact.label.clone(),
        values: columns
            .iter()
            .map(|column| column.value_of(&fact.label).to_owned())
            .collect(),
    };
    first.facts.iter().map(row).collect()
}

fn second_unknown(ask: &Ask, request: &Request, with: &str) -> Result<Unknown, ApiError> {
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

/// The 404 page of a name that no record has.
fn unknown(ask: &Ask, request: &Request, layout: Layout) -> Result<Reply, ApiError> {
    let view = request.view;
    let t = view.t;
    let similar = request.similar(ask, &request.name)?;
    let words = Parameters::default().with("q", &request.name);
    let page = UnknownPage {
        t,
        what: view.facet.name(),
        unknown: Unknown {
            name: request.name.clone(),
            similar: similar
                .into_iter()
                .map(|name| (name.clone(), view.page_of(&name)))
                .collect(),
        },
        search: address::search(t.language(), EntityType::Contract, &words),
        layout: Layout {
            title: t.keyed("profile-unknown-", view.facet.name()),
            ..layout
        },
    };
    Ok(render(&page)?.with_status(StatusCode::NOT_FOUND))
}
