//! New open tenders for a visitor's words, each once, and a subscription to them by e-mail. The tenders are those of
//! `GET /tender/feed`.

mod csv;
mod feed_params;
mod form;
mod subscribe;

use askama::Template;

use self::{
    feed_params::given,
    form::{FeedForm, SubscribeForm, translate},
};
use crate::{
    api::{
        analysis::tender_feed::{self, matched_keywords},
        cost,
        params::feed::Feed,
    },
    catalog::feed::{FeedPage as FoundTenders, FeedTender, ValueBasis},
    http::{error::ApiError, search_pool::Lane, work::Work},
    model::{Date, EntityType, Role},
    pages::{
        address::{self, Parameters},
        estimate::summary::rounded,
        messages::Texts,
        page::{Layout, PageCall, Section, render},
        paid,
        record::listed::{ListedRecord, parse},
        route::Page,
    },
};

pub(crate) const PAGE: Page = Page::fixed("/{lang}/feed", page).with_form(subscribe::subscribe);

pub(crate) const CSV: Page = Page::fixed("/{lang}/feed.csv", csv::tenders);

/// The tenders of a page, if the address does not state another number.
const TENDERS: u64 = 25;

/// The longest period that a feed covers, in days, for a visitor who finds nothing.
const LONG_DAYS: &str = "90";

#[derive(Template)]
#[template(path = "feed/feed.html")]
struct FeedPage {
    layout: Layout,
    t: Texts,
    form: FeedForm,
    /// How many tenders there are, in words.
    sentence: String,
    tenders: Vec<FeedRow>,
    next_href: Option<String>,
    /// What to try if there are none: the text's key, and the address.
    ways_on: Vec<(&'static str, String)>,
    /// `None` for a visitor without a key: a subscription belongs to one.
    subscribe: Option<SubscribeForm>,
    /// The whole address of the same feed for programs.
    json_address: String,
}

/// A tender in the list.
struct FeedRow {
    record: ListedRecord,
    closes: Option<String>,
    /// Stated or estimated.
    value: Option<String>,
    worth_href: String,
    keywords: Vec<String>,
    /// How many other notices of the same tender there are.
    others: Option<String>,
}

fn page(call: &PageCall) -> Result<Work, ApiError> {
    if !call.plan_limits.paid {
        return paid::page(call, Section::Feed, "feed");
    }
    let given = given(call, TENDERS)?;
    let parameters = Parameters::parse(call.query)?;
    let api_path = match translate(&parameters) {
        Some(translate) => parameters.with("translate", translate),
        None => parameters.clone(),
    };
    let api_path = api_path.without(&["cursor"]).after("/tender/feed");
    let form = FeedForm::of(call, &parameters);
    let subscribe = call.visitor.has_key().then(|| SubscribeForm::of(call, &parameters));
    let layout = call.layout(call.t.text("feed-title"), Section::Feed);
    let csv = parameters.without(&["cursor"]).after(&address::spreadsheet(call.path));
    let layout = layout.with_exports(call.exports(api_path.clone(), csv));
    let feed = given.resolve(&call.as_api_call(call.query), call.today)?;
    let normal_form = serde_json::to_value(("feed", feed.normal_form(), call.query)).map_err(ApiError::internal)?;
    let cost = cost::of_feed(&call.generation, &feed.query);
    let json_address = format!("{}{api_path}", call.origin);
    let t = call.t;
    let work = Work::search(&call.generation, move |ask| {
        let found = tender_feed::find(ask, &feed)?;
        let path = address::page(t.language(), "feed");
        let page = FeedPage {
            sentence: sentence(t, &feed, &found.page),
            tenders: rows(t, &feed, &found.page)?,
            next_href: found
                .next_cursor
                .map(|cursor| parameters.with("cursor", &cursor).after(&path)),
            ways_on: ways_on(&parameters, &path),
            layout,
            t,
            form,
            subscribe,
            json_address,
        };
        render(&page)
    });
    call.validated(work.in_lane(Lane::Heavy).with_cost(cost), &normal_form)
}

/// How many tenders there are: all, or those of this page if more follow.
fn sentence(t: Texts, feed: &Feed, found: &FoundTenders) -> String {
    let (count, since) = (found.tenders.len(), t.date(feed.query.since));
    let is_part = found.next.is_some() || feed.query.after.is_some();
    let key = if is_part { "feed-count-page" } else { "feed-count" };
    t.with(key, &[("count", &count), ("since", &since)])
}

fn rows(t: Texts, feed: &Feed, found: &FoundTenders) -> Result<Vec<FeedRow>, ApiError> {
    found.tenders.iter().map(|tender| row(t, feed, tender)).collect()
}

fn row(t: Texts, feed: &Feed, tender: &FeedTender) -> Result<FeedRow, ApiError> {
    let is_estimate = tender.basis == ValueBasis::Estimate;
    let value = tender.value.map(|value| {
        if is_estimate {
            t.with("feed-value-estimate", &[("value", &t.money_rounded(rounded(value)))])
        } else {
            t.money(value)
        }
    });
    let others = tender.duplicates.len();
    let id = tender.notices().next().unwrap_or_default();
    let record = parse(EntityType::Tender, &tender.notice)?;
    let closing = record.date(Role::ClosingDate).zip(tender.days_until_closing);
    Ok(FeedRow {
        record: ListedRecord::of_record(t, EntityType::Tender, &record),
        closes: closing.map(|(day, days)| closes(t, day, days)),
        value,
        worth_href: address::worth(t.language(), id),
        keywords: matched_keywords(feed, tender).into_iter().map(str::to_owned).collect(),
        others: (others > 0).then(|| t.with("feed-others", &[("count", &others)])),
    })
}

/// The day on which a tender closes, and in how many days that is.
fn closes(t: Texts, day: Date, days: i32) -> String {
    let day = t.date(day);
    match days {
        ..=0 => t.with("feed-closes-today", &[("date", &day)]),
        days => t.with("feed-closes", &[("date", &day), ("count", &days)]),
    }
}

/// Feeds with fewer conditions, for a visitor who finds nothing.
fn ways_on(parameters: &Parameters, path: &str) -> Vec<(&'static str, String)> {
    let first = parameters.without(&["cursor"]);
    let mut ways = Vec::new();
    if first.get("days_back") != Some(LONG_DAYS) {
        ways.push(("feed-try-longer", first.with("days_back", LONG_DAYS)));
    }
    if first.get("keywords").is_some() {
        ways.push(("feed-try-without-words", first.without(&["keywords"])));
    }
    if first.get("municipality").is_some() || first.get("city").is_some() {
        ways.push(("feed-try-everywhere", first.without(&["municipality", "city"])));
    }
    let ways = ways.into_iter();
    ways.map(|(key, parameters)| (key, parameters.after(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;

    #[test]
    fn a_tender_states_the_day_on_which_it_closes() {
        let day = Date::parse("2026-11-26").unwrap();
        let closes = |lang, days| closes(Texts::of(lang), day, days);
        assert_eq!(closes(Language::English, 1), "November\u{a0}26, 2026, in 1 day");
        assert_eq!(closes(Language::English, 0), "November\u{a0}26, 2026, today");
        assert!(closes(Language::French, 4).ends_with("novembre 2026, dans 4 jours"));
    }

    #[test]
    fn a_feed_without_tenders_leads_on() {
        let ways = |query: &str| {
            let ways = ways_on(&Parameters::parse(query).unwrap(), "/en/feed");
            ways.into_iter().map(|(_, address)| address).collect::<Vec<_>>()
        };
        assert_eq!(ways(""), ["/en/feed?days_back=90"]);
        assert_eq!(ways("days_back=90&cursor=x"), Vec::<String>::new());
        assert_eq!(
            ways("keywords=a&city=laval"),
            [
                "/en/feed?keywords=a&city=laval&days_back=90",
                "/en/feed?city=laval",
                "/en/feed?keywords=a"
            ]
        );
    }
}
