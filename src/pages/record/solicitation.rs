//! The page of a solicitation: its life from notice to contract, drawn to scale, and its records.

use actix_web::http::StatusCode;
use askama::Template;

use super::{
    csv,
    listed::{ListedRecord, parse},
};
use crate::{
    api::{
        analysis::{
            headline::days_to_award,
            solicitation::{self, Event, Matches, Solicitation, Totals, totals},
        },
        params::{paging::DEFAULT_LIMIT, procurement::TABLE, read::read_all},
    },
    catalog::ask::Ask,
    http::{
        encoding::encode,
        error::ApiError,
        work::{Reply, Work},
    },
    model::{Date, EntityType, Language, Record},
    pages::{
        address::{self, Parameters},
        bids::{BID_IDS, BidsPart},
        bilingual,
        charts::{EventKind, Timeline, TimelineEvent},
        messages::Texts,
        page::{Layout, PageCall, Section, render},
        route::Page,
    },
};

pub(crate) const PAGE: Page = Page::named("/{lang}/solicitation/{number}", page);

pub(crate) const CSV: Page = Page::named("/{lang}/solicitation.csv/{number}", csv::solicitation);

#[derive(Template)]
#[template(path = "record/solicitation.html")]
struct SolicitationPage {
    layout: Layout,
    t: Texts,
    /// What it comes to: how long it took, with how many suppliers, for how much.
    headline: Option<String>,
    /// What there is, in a sentence.
    sentence: String,
    suppliers: Vec<Party>,
    buyers: Vec<Party>,
    /// How many suppliers and buyers there are besides the listed ones.
    more_suppliers: usize,
    more_buyers: usize,
    /// Whether the records are those of one buyer only.
    of_one_buyer: Option<String>,
    /// The address of this page without the choice of a buyer.
    all_buyers: String,
    timeline: Option<Timeline>,
    /// The number of events in the chart, if there are more.
    events_shown: Option<usize>,
    /// The bids on its tenders, each with the tender.
    bids: Vec<(ListedRecord, BidsPart)>,
    /// Further tenders of the solicitation with bids.
    more_bids: Vec<ListedRecord>,
    /// Whether there is a tender, and its publisher states no bids on it.
    has_no_bids: bool,
    records: Vec<ListedRecord>,
    /// The number of all records, if not all are shown.
    cut_from: Option<u64>,
}

/// A supplier or buyer of the solicitation.
struct Party {
    name: String,
    /// The address of the page of the supplier or buyer.
    href: String,
    /// The address of this page with only the records of the buyer.
    only: String,
}

#[derive(Template)]
#[template(path = "record/no_solicitation.html")]
struct MissingPage {
    layout: Layout,
    t: Texts,
    number: String,
    /// Where else to look.
    contracts: String,
    tenders: String,
    of_one_buyer: Option<String>,
    all_buyers: String,
}

/// The maximum number of events in the chart: more cannot be told apart at the width of a telephone.
const MAX_EVENTS: usize = 40;

/// From this number on, equal events of one day are one.
const MIN_GROUP: usize = 4;

/// The maximum number of names that are listed.
const MAX_NAMES: usize = 20;

/// What the page shows of the request.
struct Request {
    asked: Solicitation,
    path: String,
    today: Date,
}

fn page(call: &PageCall, number: &str) -> Result<Work, ApiError> {
    let given = read_all(TABLE, call.query)?;
    let request = Request {
        asked: Solicitation::new(number, given, DEFAULT_LIMIT, call.plan_limits.page_cap.into()),
        path: call.path.to_owned(),
        today: call.today,
    };
    let title = call.t.with("solicitation-title", &[("number", &number)]);
    let query = Parameters::parse(call.query)?;
    let exports = call.exports(
        query.after(&format!("/procurement/{}", encode(number))),
        query.after(&address::spreadsheet(call.path)),
    );
    let layout = call.layout(title, Section::Search);
    let work = Work::search(&call.generation, move |ask| {
        let found = request.asked.find(ask)?;
        if found.is_empty() {
            return missing(request, layout);
        }
        render(&solicitation_page(ask, request, &found, layout.with_exports(exports))?)
    });
    call.validated(work, &(call.path, call.query))
}

fn solicitation_page(
    ask: &Ask,
    request: Request,
    found: &[Matches],
    layout: Layout,
) -> Result<SolicitationPage, ApiError> {
    let t = layout.t;
    let mut records = Vec::new();
    let mut events = Vec::new();
    for matches in found {
        for bytes in &matches.records {
            let record = parse(matches.entity_type, bytes)?;
            let listed = ListedRecord::of_record(t, matches.entity_type, &record);
            events.extend(record_events(t, matches.entity_type, &record, &listed));
            records.push(listed);
        }
    }
    events.sort_by_key(|event| event.date);
    let (bids, more_bids) = bids(ask, t, found)?;
    let totals = totals(found);
    let headline = headline(t, found, &totals)?;
    let sentence = sentence(t, &totals, &events);
    let mut events = grouped(t, events);
    let events_shown = (events.len() > MAX_EVENTS).then_some(MAX_EVENTS);
    events.truncate(MAX_EVENTS);
    let lang = t.language();
    let parties = |names: &[String], page: fn(Language, &str) -> String| -> Vec<Party> {
        let party = |name: &String| Party {
            name: name.clone(),
            href: page(lang, name),
            only: Parameters::default().with("department", name).after(&request.path),
        };
        names.iter().take(MAX_NAMES).map(party).collect()
    };
    Ok(SolicitationPage {
        t,
        headline,
        sentence,
        more_suppliers: totals.vendors.len().saturating_sub(MAX_NAMES),
        more_buyers: totals.buyers.len().saturating_sub(MAX_NAMES),
        suppliers: parties(&totals.vendors, address::vendor),
        buyers: parties(&totals.buyers, address::department),
        has_no_bids: bids.is_empty() && found.iter().any(|matches| matches.entity_type == EntityType::Tender),
        bids,
        more_bids,
        of_one_buyer: request.asked.buyer,
        all_buyers: request.path,
        timeline: (!events.is_empty()).then(|| Timeline {
            lang,
            id: "timeline",
            title: t.text("solicitation-timeline"),
            events,
            today: request.today,
        }),
        events_shown,
        cut_from: (totals.total > records.len() as u64).then_some(totals.total),
        records,
        layout,
    })
}

/// The tenders that list bids: with their bids as far as the page has room, and the others.
type TenderBids = (Vec<(ListedRecord, BidsPart)>, Vec<ListedRecord>);

fn bids(ask: &Ask, t: Texts, found: &[Matches]) -> Result<TenderBids, ApiError> {
    let (mut shown, mut more) = (Vec::new(), Vec::new());
    let tenders = found.iter().filter(|matches| matches.entity_type == EntityType::Tender);
    for bytes in tenders.flat_map(|matches| &matches.records) {
        let record = parse(EntityType::Tender, bytes)?;
        if ask.generation.bids.notice(record.id()).is_none() {
            continue;
        }
        let listed = ListedRecord::of_record(t, EntityType::Tender, &record);
        match BID_IDS.get(shown.len()) {
            Some(ids) => shown.push((listed, BidsPart::of(ask, t, record.id(), *ids))),
            None => more.push(listed),
        }
    }
    Ok((shown, more))
}

/// The events of a record. A contract with a first and a last day is one event with a period.
fn record_events(t: Texts, entity_type: EntityType, record: &Record, listed: &ListedRecord) -> Vec<TimelineEvent> {
    let events: Vec<Event> = solicitation::events(entity_type, record)
        .into_iter()
        .map(|(_, event)| event)
        .collect();
    let day = |name: &str| {
        let event = events.iter().find(|event| event.event == name)?;
        Date::parse(&event.date).ok()
    };
    let period = day("started").zip(day("ended")).filter(|(first, last)| first <= last);
    let mut shown = Vec::new();
    for event in &events {
        let Ok(date) = Date::parse(&event.date) else {
            continue;
        };
        if period.is_some() && event.event == "ended" {
            continue;
        }
        let (name, until) = match period {
            Some((_, last)) if event.event == "started" => ("period", Some(last)),
            _ => (event.event, None),
        };
        // The chart names the kind of the event. Only what that does not say is added.
        let named = bilingual::supplier(record).unwrap_or_else(|| listed.title.clone());
        let label = if t.has("solicitation-event-", name) {
            let what = t.keyed("solicitation-event-", name);
            t.with("solicitation-event-with", &[("event", &what), ("name", &named.text)])
        } else {
            named.text.clone()
        };
        shown.push(TimelineEvent {
            date,
            until,
            kind: kind(event.event),
            label,
            label_lang: named.lang.filter(|_| named.is_other),
            href: Some(listed.href.clone()),
        });
    }
    shown
}

/// Many equal events of one day as one: "71 awards". The records are listed below the chart.
fn grouped(t: Texts, events: Vec<TimelineEvent>) -> Vec<TimelineEvent> {
    let mut groups: Vec<Vec<TimelineEvent>> = Vec::new();
    for event in events {
        let key = |event: &TimelineEvent| (event.date, event.until, event.kind);
        // Events are in order of date, so the groups of its day are the last ones.
        let same_day = groups.iter_mut().rev().take_while(|group| group[0].date == event.date);
        match same_day.into_iter().find(|group| key(&group[0]) == key(&event)) {
            Some(group) => group.push(event),
            None => groups.push(vec![event]),
        }
    }
    let one = |group: Vec<TimelineEvent>| -> Vec<TimelineEvent> {
        let Some(first) = group.first().filter(|_| group.len() >= MIN_GROUP) else {
            return group;
        };
        let label = t.keyed_with(
            "solicitation-group-",
            group_name(first.kind),
            &[("count", &group.len())],
        );
        vec![TimelineEvent {
            label,
            label_lang: None,
            href: None,
            ..first.clone()
        }]
    };
    groups.into_iter().flat_map(one).collect()
}

/// The end of the key of the text for many events.
const fn group_name(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Notice => "notice",
        EventKind::Amendment => "amendment",
        EventKind::Closing => "closing",
        EventKind::Award => "award",
        EventKind::Contract => "contract",
    }
}

/// How the chart draws an event of the API's timeline.
fn kind(event: &str) -> EventKind {
    match event {
        "announced" | "published" => EventKind::Notice,
        "amended" => EventKind::Amendment,
        "announcement_closed" | "closed" => EventKind::Closing,
        "awarded" => EventKind::Award,
        _ => EventKind::Contract,
    }
}

/// "12 records, from May 1, 2019 to June 3, 2021, worth $1.2 million".
fn sentence(t: Texts, totals: &Totals, events: &[TimelineEvent]) -> String {
    let mut parts = vec![t.with("solicitation-records", &[("count", &totals.total)])];
    let last = events.iter().map(|event| event.until.unwrap_or(event.date)).max();
    if let (Some(first), Some(last)) = (events.first(), last) {
        let (first, last) = (t.date(first.date), t.date(last));
        parts.push(if first == last {
            t.with("solicitation-on", &[("first", &first)])
        } else {
            t.with("solicitation-from", &[("first", &first), ("last", &last)])
        });
    }
    format!("{}.", parts.join(", "))
}

/// "107 days from the first notice to the first award, 71 suppliers, worth $3.2 million." `None` if nothing of it is
/// known.
fn headline(t: Texts, found: &[Matches], totals: &Totals) -> Result<Option<String>, ApiError> {
    let days = days_to_award(found, &solicitation::timeline(found)?);
    let mut parts = Vec::new();
    parts.extend(days.map(|days| t.with("solicitation-days", &[("days", &(days as u64))])));
    let suppliers = totals.vendors.len();
    if suppliers > 0 {
        parts.push(t.with("solicitation-with-suppliers", &[("count", &suppliers)]));
    }
    // Where none is known, publishers write zero.
    let value = totals
        .total_value
        .map(|value| value.dollars())
        .filter(|value| *value != 0.0);
    parts.extend(value.map(|value| t.with("solicitation-worth", &[("value", &t.money_rounded(value))])));
    Ok((!parts.is_empty()).then(|| format!("{}.", parts.join(", "))))
}

fn missing(request: Request, layout: Layout) -> Result<Reply, ApiError> {
    let t = layout.t;
    let words = Parameters::default().with("q", &format!("\"{}\"", request.asked.number));
    let page = MissingPage {
        t,
        contracts: address::search(t.language(), EntityType::Contract, &words),
        tenders: address::search(t.language(), EntityType::Tender, &words),
        number: request.asked.number,
        of_one_buyer: request.asked.buyer,
        all_buyers: request.path,
        layout: Layout {
            title: t.text("solicitation-missing-title"),
            ..layout
        },
    };
    Ok(render(&page)?.with_status(StatusCode::NOT_FOUND))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events_of(entity_type: EntityType, json: &str) -> Vec<TimelineEvent> {
        let t = Texts::of(Language::English);
        let record = parse(entity_type, json.as_bytes()).unwrap();
        let listed = ListedRecord::of_record(t, entity_type, &record);
        record_events(t, entity_type, &record, &listed)
    }

    #[test]
    fn a_contract_has_a_period() {
        let events = events_of(
            EntityType::Contract,
            r#"{"record_id":"1","vendor_name":"A","award_date":"2024-01-01","start_date":"2024-02-01","end_date":"2025-01-31"}"#,
        );
        assert_eq!(events.len(), 2);
        assert_eq!((events[0].kind, events[0].until), (EventKind::Award, None));
        assert_eq!(events[0].label, "A");
        assert_eq!(events[1].kind, EventKind::Contract);
        assert_eq!(events[1].until, Date::parse("2025-01-31").ok());
    }

    #[test]
    fn many_awards_of_one_day_are_one_event() {
        let t = Texts::of(Language::English);
        let award = |day: &str, kind: EventKind| TimelineEvent {
            date: Date::parse(day).unwrap(),
            until: None,
            kind,
            label: "A".to_owned(),
            label_lang: None,
            href: None,
        };
        let mut events = vec![award("2024-01-01", EventKind::Notice)];
        for _ in 0..71 {
            events.push(award("2024-03-01", EventKind::Award));
            if events.len() < 5 {
                events.push(award("2024-03-01", EventKind::Closing));
            }
        }
        let shown: Vec<String> = grouped(t, events).into_iter().map(|event| event.label).collect();
        assert_eq!(shown, ["A", "71 awards", "A", "A"]);
    }

    #[test]
    fn a_contract_that_ends_before_it_starts_has_two_events() {
        let json = r#"{"record_id":"1","start_date":"2025-02-01","end_date":"2024-01-31"}"#;
        let events = events_of(EntityType::Contract, json);
        assert_eq!(events.len(), 2);
        assert!(events.iter().all(|event| event.until.is_none()));
        assert!(events[0].label.starts_with("Contract started: "), "{}", events[0].label);
    }

    #[test]
    fn an_event_is_named_by_its_supplier_or_its_title() {
        let events = events_of(
            EntityType::Tender,
            r#"{"record_id":"1","title_fr":"Neige","publication_date":"2024-01-02","closing_date":"2024-02-03"}"#,
        );
        let labels: Vec<&str> = events.iter().map(|event| event.label.as_str()).collect();
        assert_eq!(labels, ["Neige", "Neige"]);
        assert!(events.iter().all(|event| event.label_lang == Some(Language::French)));
    }
}
