//! The page that says who bid, for words that ask for it: "roofing calls with one bidder", "who never wins".

use std::{cmp::Reverse, ops::Range};

use crate::{
    api::{
        analysis::suggest::Suggested,
        params::filters::{MAX_PARTIES, joined_ids},
    },
    catalog::{
        ask::Ask,
        bids::BidQuery,
        suggest::{Likeness, MeaningType},
        suppliers::{Party, Supplier, begin_alike::named_from},
    },
    engine::Error,
    model::{
        EntityType,
        fold::{fold, word_list},
        vocabulary::known_province,
    },
    pages::{
        address,
        calls::competition,
        messages::Texts,
        search::{
            bids_address::of_search,
            context::SearchContext,
            meanings::{Meaning, found, profile},
            named::{Named, city},
            search_address::SearchAddress,
            split::Split,
            stated_bids::stated_bids,
        },
    },
    query::translate::is_term,
    question::{
        asked_for::content,
        bids::{BidsAsked, take_calls},
        buyers::{BodyNames, take_buyer},
        places::is_city,
        reading::subject_of_question,
        words::{Word, ranges, without_marks, words},
    },
};

/// Parts of the pages of bodies and trades, the second one also of suppliers.
const NEVER_WON_PART: &str = "#never-won";
const BIDS_PART: &str = "#bids";

/// The page of the city, the body, the supplier or the trade that the words name: it says who bid, where publishers
/// state it. Of a trade next to a body, both; the body may be a condition of the search. Nothing for words that do not
/// ask for it, or name none.
pub(super) fn who_bid(context: &SearchContext, text: &str) -> Result<Vec<Meaning>, Error> {
    let (ask, t) = (context.ask, context.t);
    let mut written = words(text);
    let Some(asked) = context.asks.bids else {
        return Ok(Vec::new());
    };
    BidsAsked::take(&mut written);
    take_calls(&mut written);
    let part = match asked {
        BidsAsked::NeverWon => NEVER_WON_PART,
        _ => BIDS_PART,
    };
    let rest = without_marks(&written);
    if let Some(firm) = firm_in_full(context, &rest, part)? {
        return Ok(vec![firm]);
    }
    let searched = bids_on(context, &rest, part)?;
    // No source may have the bids on such calls, but records state their number.
    let has_no_bids = part == BIDS_PART && searched.as_ref().is_none_or(|of| !of.has_bids);
    if has_no_bids
        && asked.is_number()
        && let Some(stated) = stated_bids(context, &rest)?
    {
        return Ok(vec![stated]);
    }
    let of_body = |body: &Named| {
        let page = address::party(t.language(), Party::Body, &body.id);
        meaning(t, &body.label, body.records, page + part)
    };
    let suppliers = ask.generation.parties(Party::Supplier);
    let about = subject_of_question(&without_marks(&written), suppliers).unwrap_or_default();
    if let Some(city) = city(ask, t, &about) {
        return Ok(searched
            .map(|of| of.meaning)
            .into_iter()
            .chain([of_body(&city)])
            .collect());
    }
    let mut written = words(&about);
    let body = take_body(ask, t, &mut written).or_else(|| asked_body(context));
    let about = content(written, true);
    let body = body.as_ref().map(of_body);
    let mut of_rest = named(ask, t, &about, body.is_none(), part)?;
    if of_rest.is_none() && body.is_none() {
        of_rest = named_by_part(ask, t, &words(&about), part)?;
    }
    // The calls of a single code are few of those of a trade, but a firm is not what is called for.
    let is_firm = body.is_none() && of_rest.as_ref().is_some_and(|(_, is_firm)| *is_firm);
    let named = body.into_iter().chain(of_rest.map(|(meaning, _)| meaning));
    Ok(match searched {
        Some(of) if of.has_conditions || of.has_bids && !is_firm => [of.meaning].into_iter().chain(named).collect(),
        _ => named.collect(),
    })
}

/// The firm whose name has words that say nothing in a question, and begins with the text: of "Les Entreprises
/// Michaudville", "Michaudville" alone is a place.
fn firm_in_full(context: &SearchContext, text: &str, part: &str) -> Result<Option<Meaning>, Error> {
    let suppliers = context.ask.generation.parties(Party::Supplier);
    let about = subject_of_question(text, suppliers);
    let is_shorter = about.is_some_and(|about| word_list(&about).len() < word_list(text).len());
    if !is_shorter || !suppliers.has_name_from(text) {
        return Ok(None);
    }
    let found = named(context.ask, context.t, text, false, part)?;
    Ok(found.filter(|(_, is_firm)| *is_firm).map(|(meaning, _)| meaning))
}

/// The page of the bids on the calls that a part of a question is about.
struct Searched {
    meaning: Meaning,
    has_conditions: bool,
    /// Whether the publisher of one of the calls states its bids.
    has_bids: bool,
}

impl Searched {
    /// `page`: its address; `notices` and `sentences`: how many calls it has, and what they say of competition.
    fn of(t: Texts, (label, part): (&str, &str), page: String, (notices, sentences): (u64, Vec<String>)) -> Searched {
        Searched {
            meaning: Meaning {
                label: t.with("search-who-bid", &[("name", &label)]),
                what: t.with("search-meaning-calls", &[("count", &notices)]),
                count: sentences.join(" "),
                // The whole page says who bid.
                href: page + if part == BIDS_PART { "" } else { part },
                is_empty: notices == 0,
                ..Meaning::default()
            },
            has_conditions: false,
            has_bids: notices > 0,
        }
    }
}

/// The page of the bids on the calls that a text is about. Bids have no region, level or class of buyers: the calls of
/// all are more than none.
fn bids_on(context: &SearchContext, text: &str, part: &str) -> Result<Option<Searched>, Error> {
    let (ask, t, asked) = (context.ask, context.t, context.asked.dropping(&["q"]));
    let without = asked.dropping(&["region", "level", "body_class"]);
    let leaves_out = without.parameters != asked.parameters;
    let (calls, has_all) = without.of_other(EntityType::Tender);
    if !has_all {
        return Ok(None);
    }
    let Some((split, is_wider)) = Split::of_bids(&calls, text, &ask.generation, context.today) else {
        return if is_about_nothing(text) {
            bids_on_all(context, &calls, part)
        } else {
            Ok(None)
        };
    };
    let is_wider = is_wider || leaves_out;
    let Some((mut page, query)) = of_search(&split.asked, &ask.generation) else {
        return Ok(None);
    };
    let (mut notices, mut sentences) = competition(ask, t, &query)?;
    // "Who bid against Acme at the city" names a bidder instead of what is called for.
    if notices == 0
        && let Some((of_firm, bids)) = of_bidder(context, &split.asked, &split.words)
    {
        let (calls, of_bids) = competition(ask, t, &bids)?;
        if calls > 0 {
            (page, notices, sentences) = (of_firm, calls, of_bids);
        }
    }
    let label = if !is_wider {
        split.label(&split.words)
    } else if split.words.is_empty() && split.conditions.is_empty() {
        t.text("search-who-bid-all")
    } else {
        t.with("search-who-bid-everywhere", &[("words", &split.label(&split.words))])
    };
    Ok(Some(Searched {
        has_conditions: split.has_conditions && !is_wider,
        ..Searched::of(t, (&label, part), page, (notices, sentences))
    }))
}

/// Whether nothing is left of a question: "average number of bids".
fn is_about_nothing(text: &str) -> bool {
    content(words(text), true).is_empty()
}

/// The page of all bids.
fn bids_on_all(context: &SearchContext, calls: &SearchAddress, part: &str) -> Result<Option<Searched>, Error> {
    let (ask, t) = (context.ask, context.t);
    let Some((page, query)) = of_search(calls, &ask.generation) else {
        return Ok(None);
    };
    let (notices, sentences) = competition(ask, t, &query)?;
    let label = t.text("search-who-bid-all");
    Ok(Some(Searched::of(t, (&label, part), page, (notices, sentences))))
}

/// The page of the bids of the firms that are called by the words, instead of bids on calls with the words.
fn of_bidder(context: &SearchContext, asked: &SearchAddress, words: &str) -> Option<(String, BidQuery)> {
    let generation = &context.ask.generation;
    if words.is_empty() {
        return None;
    }
    let firms = named_from(&generation.suppliers, words);
    let ids = joined_ids(firms.iter().take(MAX_PARTIES).map(|firm| firm.id.as_str()));
    // A bidder that won nothing is no supplier.
    let (name, value) = if firms.is_empty() {
        ("vendor", words)
    } else {
        ("supplier", ids.as_str())
    };
    of_search(&asked.dropping(&["q"]).setting(&[(name, value)]), generation)
}

/// How often all bids are read for words that ask who bid: also without days, where there are none, and of a bidder.
pub(super) const SCANS_OF_BIDS: usize = 3;

/// The fewest words of a part that is looked up where all words name nothing.
const FEWEST_OF_PART: usize = 2;
/// How many words are left out at most.
const MOST_LEFT_OUT: usize = 4;

/// What the longest beginning of the words names: "entretien ménager" before a ministry that is not known so.
fn named_by_part(ask: &Ask, t: Texts, written: &[Word], part: &str) -> Result<Option<(Meaning, bool)>, Error> {
    let lengths = (FEWEST_OF_PART..written.len()).rev().take(MOST_LEFT_OUT);
    for length in lengths {
        let about = content(written[..length].to_vec(), true);
        // "Camions" of "camions de pompier" begins a name.
        if word_list(&about).len() < FEWEST_OF_PART {
            break;
        }
        if let Some(named) = named(ask, t, &about, true, part)? {
            return Ok(Some(named));
        }
    }
    Ok(None)
}

fn meaning(t: Texts, label: &str, records: u64, href: String) -> Meaning {
    Meaning {
        label: t.with("search-who-bid", &[("name", &label)]),
        what: t.text("search-meaning-who-bid"),
        count: t.with("search-meaning-records", &[("count", &records)]),
        href,
        ..Meaning::default()
    }
}

/// Removes the body or the city with the longest name among the words.
fn take_body(ask: &Ask, t: Texts, written: &mut Vec<Word>) -> Option<Named> {
    let bodies = BodyNames::of(ask.generation.parties(Party::Body));
    let body = take_buyer(written, &bodies, &[]).map(|body| Named::of(body, t));
    body.or_else(|| {
        let mut all = ranges(written);
        all.sort_by_key(|(_, range)| Reverse(range.len()));
        let of_range = |(folded, range): (String, Range<usize>)| {
            // "In Quebec" is the province.
            let is_named = known_province(&folded).is_none() || is_city(written, &range);
            let city = city(ask, t, &without_marks(&written[range.clone()])).filter(|_| is_named)?;
            Some((city, range))
        };
        let (city, range) = all.into_iter().find_map(of_range)?;
        written.drain(range);
        Some(city)
    })
}

/// The body, or that of the city, that is a condition of the search.
fn asked_body(context: &SearchContext) -> Option<Named> {
    let (ask, asked) = (context.ask, context.asked);
    let bodies = ask.generation.parties(Party::Body);
    // Its divisions follow.
    let body = asked.choices("body").into_iter().next();
    let body = body.and_then(|id| bodies.get(bodies.find_id(id)?));
    let of_city = || city(ask, context.t, &context.place(asked.value("municipality")?));
    body.map(|body| Named::of(body, context.t)).or_else(of_city)
}

/// Of the suppliers that are called by the words, the one with bids on most calls: a name may be that of few records,
/// next to a longer one of the same firm. `None` without bids.
fn with_most_bids(ask: &Ask, about: &str) -> Option<Supplier> {
    let generation = &ask.generation;
    let calls = |found: &Supplier| generation.bids.notices_of(&found.keys()).count();
    let named = named_from(&generation.suppliers, about).into_iter();
    let counted = named
        .map(|found| (calls(&found), found))
        .filter(|(calls, _)| *calls > 0);
    let best = counted.max_by_key(|(calls, found)| (*calls, found.records));
    best.map(|(_, found)| found)
}

/// The body, the supplier or the trade that words name; without `bodies`, the supplier or the trade. The second value
/// says whether it is a supplier.
fn named(ask: &Ask, t: Texts, about: &str, bodies: bool, part: &str) -> Result<Option<(Meaning, bool)>, Error> {
    if about.is_empty() {
        return Ok(None);
    }
    let begins = |found: &Suggested| word_list(&found.label).starts_with(&word_list(about));
    let is_meant = |found: &Suggested| match found.meaning {
        MeaningType::Department => bodies && found.likeness == Likeness::Exact,
        MeaningType::Supplier => found.likeness == Likeness::Exact || begins(found),
        MeaningType::Commodity => true,
        MeaningType::Solicitation | MeaningType::Municipality => false,
    };
    let mut found: Vec<Suggested> = found(ask, t, about)?.into_iter().filter(is_meant).collect();
    // What a body calls for is a trade before it is the beginning of a firm's name, and so are words for it: "pavage".
    let is_start = |found: &Suggested| found.meaning == MeaningType::Supplier && found.likeness != Likeness::Exact;
    let of_trade = !bodies || is_term(&fold(about));
    found.sort_by_key(|found| of_trade && is_start(found));
    if found
        .first()
        .is_some_and(|first| first.meaning == MeaningType::Supplier)
        && let Some(best) = with_most_bids(ask, about)
    {
        let page = address::party(t.language(), Party::Supplier, &best.id);
        let shown = meaning(t, best.name_in(t.language()), best.records, page + BIDS_PART);
        return Ok(Some((shown, true)));
    }
    Ok(found.into_iter().find_map(|found| {
        // The page of a supplier has the calls that it won next to the others.
        let is_supplier = found.meaning == MeaningType::Supplier;
        let part = if is_supplier { BIDS_PART } else { part };
        let page = profile(t.language(), &found)?;
        Some((meaning(t, &found.label, found.records, page + part), is_supplier))
    }))
}
