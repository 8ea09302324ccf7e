//! The page of one record, and that of a solicitation.
//!
//! The record page shows every member of a record: the declared fields by their groups, then members that the schema
//! does not declare. **Invariant:** texts of records are never markup, and only web addresses are links.

mod amendments;
mod csv;
mod documents;
pub(crate) mod listed;
mod member;
mod publisher;
mod related;
mod sections;
pub(crate) mod solicitation;
mod value;
mod web_address;

use actix_web::http::StatusCode;
use askama::Template;

use self::{
    amendments::Amendments,
    documents::Document,
    listed::parse,
    member::{Member, Members},
    related::Related,
    sections::Section as FieldSection,
    value::Presenter,
};
use crate::{
    catalog::{ask::Ask, generation::Generation, suppliers::Party},
    fetch::published_sources::PublishedSource,
    http::{
        encoding::encode,
        error::ApiError,
        work::{Reply, Work},
    },
    model::{Date, EntityType, Language, Record, Role, Schema},
    pages::{
        address::{self, Parameters},
        bids::{BID_IDS, BidsPart},
        bilingual::{self, Shown},
        format,
        licence_texts::licence_text,
        messages::Texts,
        page::{Layout, PageCall, Section, render},
        quality::{self, Doubt},
        route::{Handler, Page},
        supplier_names::AllNames,
    },
};

pub(crate) const PAGE: Page = Page {
    template: "/{lang}/record/{kind}/{record_id}",
    handler: Handler::Record(page),
    ..Page::DEFAULT
};

pub(crate) const CSV: Page = Page {
    template: "/{lang}/record.csv/{kind}/{record_id}",
    handler: Handler::Record(csv::record),
    ..Page::DEFAULT
};

#[derive(Template)]
#[template(path = "record/record.html")]
struct RecordPage {
    layout: Layout,
    t: Texts,
    kind: &'static str,
    title: Option<Shown>,
    /// The whole title, if the heading is only its beginning.
    whole_title: Option<Shown>,
    /// When a notice closes or closed, in a sentence.
    closing: Option<String>,
    /// What is doubtful about the record.
    doubts: Vec<Doubt>,
    /// The commodity codes in words, with their pages.
    commodities: Vec<(String, String)>,
    record_id: String,
    sections: Vec<FieldSection>,
    amendments: Option<Amendments>,
    documents: Option<Vec<Document>>,
    related: Option<Related>,
    /// Of a tender.
    bids: Option<BidsPart>,
    /// The supplier of several names that the record's vendor belongs to.
    all_names: Option<AllNames>,
    source: Option<&'static PublishedSource<'static>>,
    /// The page that estimates what the tender is worth.
    worth: Option<String>,
    /// The record as published, if it is not too large.
    raw: Option<String>,
}

impl RecordPage {
    /// A licence or an attribution in the language of the page.
    fn of_licence(&self, text: &str) -> Shown {
        licence_text(text, self.t.language())
    }
}

#[derive(Template)]
#[template(path = "record/missing.html")]
struct MissingPage {
    layout: Layout,
    t: Texts,
    kind: &'static str,
    record_id: String,
    /// Records of other entity types with the identifier: the kind, and the address.
    elsewhere: Vec<(&'static str, String)>,
    search: String,
}

/// Up to this size, in bytes, the page contains the record as JSON. Above, it only links to it.
const MAX_RAW_BYTES: usize = 32 << 10;

fn page(call: &PageCall, entity_type: EntityType, record_id: &str) -> Result<Work, ApiError> {
    let (today, paid) = (call.today, call.visitor.is_paid());
    let record_id = record_id.to_owned();
    let json = format!("/{entity_type}/{}", encode(&record_id));
    let exports = call.exports(json, address::spreadsheet(call.path));
    let layout = call.layout("", Section::Search);
    // One request, like the API's record and the search for its solicitation.
    let work = Work::search(&call.generation, move |ask| {
        let Some(bytes) = ask.record(entity_type, &record_id)? else {
            return missing(ask, entity_type, record_id, layout);
        };
        let layout = layout.with_exports(exports);
        let mut page = record_page(ask, entity_type, &bytes, layout, today)?;
        page.worth = page.worth.filter(|_| paid);
        render(&page)
    });
    call.validated(work, &(call.path, call.query))
}

fn record_page(
    ask: &Ask,
    entity_type: EntityType,
    bytes: &[u8],
    layout: Layout,
    today: Date,
) -> Result<RecordPage, ApiError> {
    let t = layout.t;
    let (generation, lang) = (&ask.generation, t.language());
    let record = parse(entity_type, bytes)?;
    let members = Members::of(bytes).map_err(ApiError::internal)?;
    let presenter = Presenter {
        t,
        schema: Schema::of(entity_type),
        currency: record.text("currency").unwrap_or(format::CAD).to_owned(),
        pages: related::pages(ask, entity_type, &record, lang)?,
        place: place(generation, &record, lang),
    };
    let amendments = amendments::amendments(&presenter, &members);
    let documents = documents::documents(&presenter, &members);
    let shown_elsewhere = shown_elsewhere(amendments.is_some(), documents.is_some());
    let whole_title = bilingual::title(&record, lang);
    let title = whole_title.clone().map(heading_of);
    let kind = entity_type.name();
    let heading = title.as_ref().map(|title| title.text.clone());
    let year = record.date(Role::Date).map(Date::year);
    Ok(RecordPage {
        layout: Layout {
            title: heading.unwrap_or_else(|| t.keyed("record-kind-", kind)),
            ..layout
        },
        t,
        kind,
        whole_title: whole_title.filter(|whole| title.as_ref() != Some(whole)),
        title,
        closing: closing(t, entity_type, &record, today),
        doubts: quality::doubts(t, &record),
        commodities: related::commodities(generation, &record, t),
        record_id: record.id().to_owned(),
        sections: sections::sections(&presenter, &members, &shown_elsewhere),
        amendments,
        documents,
        bids: (entity_type == EntityType::Tender).then(|| BidsPart::of(ask, t, record.id(), BID_IDS[0])),
        related: related::related(ask, entity_type, &record, t)?,
        all_names: record
            .text("vendor_name")
            .and_then(|name| AllNames::of(generation, Party::Supplier, lang, name)),
        source: publisher::source_of(
            record.id(),
            year,
            &stated_sources(&members),
            generation.manifest_of(entity_type),
        ),
        worth: (entity_type == EntityType::Tender).then(|| address::worth(lang, record.id())),
        raw: (bytes.len() <= MAX_RAW_BYTES).then(|| String::from_utf8_lossy(bytes).into_owned()),
    })
}

/// The fields that tables show, and the sections need not repeat.
fn shown_elsewhere(has_amendments: bool, has_documents: bool) -> Vec<&'static str> {
    let mut fields = Vec::new();
    if has_amendments {
        fields.extend(amendments::SHOWN_FIELDS);
    }
    if has_documents {
        fields.push(documents::SHOWN_FIELD);
    }
    fields
}

/// The maximum length of a heading, in characters. A publisher can write a whole description as the title.
const MAX_HEADING_CHARS: usize = 160;

/// A title, cut between two words if it is too long for a heading.
fn heading_of(title: Shown) -> Shown {
    let Some((end, _)) = title.text.char_indices().nth(MAX_HEADING_CHARS) else {
        return title;
    };
    let start = &title.text[..end];
    let cut = start
        .rfind(char::is_whitespace)
        .filter(|at| *at > end / 2)
        .unwrap_or(end);
    let text = format!("{}…", start[..cut].trim_end());
    Shown { text, ..title }
}

/// When a notice closes, and in how many days that is; or when it closed. A publisher may still list it as open.
fn closing(t: Texts, entity_type: EntityType, record: &Record, today: Date) -> Option<String> {
    if !matches!(entity_type, EntityType::Tender | EntityType::PreSolicitation) {
        return None;
    }
    let day = record.date(Role::ClosingDate)?;
    let (date, days) = (t.date(day), day.days().saturating_sub(today.days()));
    Some(if days >= 0 {
        t.with("record-closes", &[("date", &date), ("count", &days)])
    } else if record.keys(Role::Status).iter().any(|status| *status == "Open") {
        t.with("record-closed-open", &[("date", &date)])
    } else {
        t.with("record-closed", &[("date", &date)])
    })
}

/// The name of the record's municipality or government.
fn place(generation: &Generation, record: &Record, lang: Language) -> Option<String> {
    let slug = record.text("municipality")?;
    let entity_types = &generation.manifest.entity_types;
    let mut rows = entity_types.iter().flat_map(|part| &part.coverage);
    let row = rows.find(|row| row.municipality == slug)?;
    row.name(lang).map(str::to_owned)
}

/// The sources that a record names: those that it was merged from.
fn stated_sources(members: &Members) -> Vec<String> {
    let Some(Member::List(items)) = members.get("sources") else {
        return Vec::new();
    };
    let texts = items.into_iter().filter_map(|raw| match Member::of(raw) {
        Member::Text(text) => Some(text.into_owned()),
        _ => None,
    });
    texts.collect()
}

/// The 404 page: the same identifier among other records, and the search.
fn missing(ask: &Ask, entity_type: EntityType, record_id: String, layout: Layout) -> Result<Reply, ApiError> {
    let t = layout.t;
    let lang = t.language();
    let mut elsewhere = Vec::new();
    for other in EntityType::ALL {
        if ask.record(other, &record_id)?.is_some() {
            elsewhere.push((other.name(), address::record(lang, other, &record_id)));
        }
    }
    let page = MissingPage {
        layout: Layout {
            title: t.text("record-missing-title"),
            ..layout
        },
        t,
        kind: entity_type.name(),
        search: address::search(lang, entity_type, &Parameters::default()),
        record_id,
        elsewhere,
    };
    Ok(render(&page)?.with_status(StatusCode::NOT_FOUND))
}
