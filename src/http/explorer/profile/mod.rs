//! The pages of a vendor and of a department: what it sold or bought, when, to or from whom, and how. Two names can be
//! compared side by side.
//!
//! A page counts the records of one entity type: contracts, or where a name has none, what reports the same money. It
//! never adds up several, because contracts, awards and disclosures report the same money.

mod column;
mod competition_table;
mod csv;
mod figures;
pub(crate) mod params;
mod shares;

use actix_web::http::StatusCode;
use askama::Template;

use self::{
    column::{CHART_IDS, ChartIds, Column, View, align, column},
    figures::{Figures, Found, counting, similar},
    params::{ProfileParams, TABLE},
};
use crate::{
    catalog::generation::Generation,
    engine::Deadline,
    http::{
        error::ApiError,
        explorer::{
            address::{self, Parameters},
            charts::{gaps, sources_of},
            department_names::department_in,
            kind_tabs::KindTab,
            messages::Texts,
            page::{CsvLink, Exports, Layout, PageCall, Section, render},
            route::{Handler, Page},
        },
        params::{encoding::encode, read::read_all},
        work::{Reply, Work},
    },
    model::{EntityType, Facet},
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
    handler: Handler::Named(|call, name| page(call, Facet::Department, name)),
    ..Page::DEFAULT
};

pub(crate) const DEPARTMENT_CSV: Page = Page {
    template: "/{lang}/department.csv/{name}",
    handler: Handler::Named(|call, name| csv::records(call, Facet::Department, name)),
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

fn page(call: &PageCall, facet: Facet, name: &str) -> Result<Work, ApiError> {
    let given: ProfileParams = read_all(TABLE, call.query)?;
    let request = Request {
        view: View {
            t: call.t,
            facet,
            running_year: call.today.year(),
        },
        name: name.to_owned(),
        with: given.with.map(|given| given.value),
        kind: given.kind.and_then(|given| EntityType::parse(given.value)),
        path: call.path.to_owned(),
        query: Parameters::parse(call.query)?,
    };
    let exports = call.exports(api_path(&request), "");
    let layout = call.layout("", Section::Search);
    let generation = call.generation.clone();
    let names = 1 + usize::from(request.with.is_some());
    let counting = counting(&generation, facet, request.kind, names);
    let work = Work::search(move |deadline| {
        let Some(found) = Found::find(&generation, facet, &request.name, &deadline)? else {
            return unknown(&generation, &request, layout, &deadline);
        };
        render(&profile(
            &generation,
            request,
            &found,
            layout.with_exports(exports),
            &deadline,
        )?)
    });
    let work = work.in_lane(counting.lane()).with_cost(counting.cost());
    call.validated(work, &(call.path, call.query))
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

fn profile(
    generation: &Generation,
    request: Request,
    found: &Found,
    layout: Layout,
    deadline: &Deadline,
) -> Result<ProfilePage, ApiError> {
    let view = request.view;
    let t = view.t;
    let first = found.figures(generation, request.kind, t, deadline)?;
    let kind = first.as_ref().map(|figures| figures.entity_type).or(request.kind);
    let mut columns = Vec::new();
    let mut missing = None;
    if let Some(figures) = first {
        columns.push(shown(generation, view, figures, CHART_IDS[0], deadline)?);
    }
    if let Some(with) = &request.with {
        let second = match Found::find(generation, view.facet, with, deadline)? {
            Some(second) => second.figures(generation, kind, t, deadline)?,
            None => None,
        };
        match second {
            Some(figures) => columns.push(shown(generation, view, figures, CHART_IDS[1], deadline)?),
            None => missing = Some(second_unknown(generation, &request, with, deadline)?),
        }
    }
    if let [first, second] = columns.as_mut_slice() {
        align(first, second);
    }
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let title = match names.as_slice() {
        [] => request.name.clone(),
        [one] => (*one).to_owned(),
        _ => t.with("profile-compare-title", &[("first", &names[0]), ("second", &names[1])]),
    };
    let tab = |count: &figures::KindCount| {
        KindTab::new(count.entity_type, count.records, kind, &request.path, &request.query)
    };
    Ok(ProfilePage {
        t,
        what: view.facet.name(),
        tabs: found.kinds.iter().map(tab).collect(),
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

/// The column of a name, with the names of the other side in the language of the page.
fn shown(
    generation: &Generation,
    view: View,
    figures: Figures,
    ids: ChartIds,
    deadline: &Deadline,
) -> Result<Column, ApiError> {
    let mut others = Vec::new();
    for bucket in &figures.others {
        let name = bucket.value.clone();
        others.push(match view.facet {
            Facet::Vendor => department_in(generation, figures.entity_type, name, view.t.language(), deadline)?,
            _ => name,
        });
    }
    let sources = sources_of(generation.manifest_of(figures.entity_type), Some(&figures.places));
    let mut shown = column(view, figures, others, ids);
    if let Some(chart) = &mut shown.years {
        chart.gaps = gaps(&sources, chart.years.iter().map(|year| year.year));
    }
    Ok(shown)
}

fn second_unknown(
    generation: &Generation,
    request: &Request,
    with: &str,
    deadline: &Deadline,
) -> Result<Unknown, ApiError> {
    let similar = similar(generation, request.view.facet, with, deadline)?;
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
fn unknown(generation: &Generation, request: &Request, layout: Layout, deadline: &Deadline) -> Result<Reply, ApiError> {
    let view = request.view;
    let t = view.t;
    let similar = similar(generation, view.facet, &request.name, deadline)?;
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
