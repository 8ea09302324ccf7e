//! Two names to compare among the words of a search: "Acme vs Zenith", "who got more, Acme or Zenith?"

use std::{cmp::Reverse, collections::HashSet};

use crate::{
    api::{
        analysis::{compared::ComparedType, suggest::Suggested},
        params::filters::{MAX_PARTIES, joined_ids},
    },
    catalog::{
        ask::Ask,
        suggest::{Likeness, MeaningType},
        suppliers::{Party, begin_alike::named_from},
    },
    engine::Error,
    model::fold::word_list,
    pages::{
        address,
        messages::Texts,
        search::{
            context::SearchContext,
            meanings::{Meaning, found},
            named::{Named, city},
            side_figures::side_figures,
            sides::{Reading, readings},
            split::Split,
        },
    },
    question::{
        comparison::{Comparison, Link, has_capital, without_compared_by},
        reading::has_operators,
    },
};

/// How often a text is split in two: each side is looked up as a name.
const MAX_SPLITS: usize = 3;

/// The comparison of the two suppliers or buyers that the words name, under the conditions that the words state; in a
/// place, also the search for each. Nothing for a text that is a name or has operators of the query language.
///
/// `total`: how many records have the words.
pub(super) fn of_compared(context: &SearchContext, text: &str, total: u64) -> Result<Vec<Meaning>, Error> {
    let ask = context.ask;
    let is_name = |party| ask.generation.parties(party).with_name(text).is_some();
    if has_operators(text) || is_name(Party::Supplier) || is_name(Party::Body) {
        return Ok(Vec::new());
    }
    let comparison = Comparison::of(text);
    let (asks, written) = (comparison.asks, comparison.written);
    // "Who bid against Acme" is about the bids of one.
    let of_bids = context.asks.bids.is_some();
    for (link, between) in comparison.links.into_iter().take(MAX_SPLITS) {
        let compared = [&written[..between.start], &written[between.end..]];
        let sides = compared.map(without_compared_by);
        if link == Link::Against && of_bids {
            continue;
        }
        // "protection contre incendie" is a thing.
        if link == Link::Against && total > 0 && !compared.iter().all(|side| has_capital(side)) {
            continue;
        }
        // Words that ask in a question are in names elsewhere: "Best Buy vs Staples".
        let asks = (asks, asks || matches!(link, Link::Compares | Link::Against));
        let (sides, with_things) = (sides.each_ref().map(Vec::as_slice), link != Link::And);
        for reading in readings(context, sides, asks, with_things) {
            let Some(meaning) = of_sides(context, &reading, link)? else {
                continue;
            };
            // Each side in the place has also the suppliers with the words in their names.
            let place = reading.place.as_ref().filter(|_| link != Link::And);
            let in_place = place
                .map(|place| in_place(context, &reading.names, place))
                .transpose()?;
            return Ok(std::iter::once(meaning).chain(in_place.unwrap_or_default()).collect());
        }
    }
    Ok(Vec::new())
}

/// The records of each side in a place.
fn in_place(context: &SearchContext, sides: &[String; 2], place: &str) -> Result<Vec<Meaning>, Error> {
    let (ask, t) = (context.ask, context.t);
    let mut both = Vec::new();
    for side in sides {
        let asked = context.asked.setting(&[("q", &format!("{side} {place}"))]);
        let splits = Split::all(&asked, &ask.generation, context.today);
        // Each of them has the same words.
        let Some(split) = splits.first() else { continue };
        let found = Meaning::of_part(ask, t, (&split.asked, &split.words), (&split.wanted, 1), |name| {
            split.label(name)
        })?;
        both.extend(found.map(|(meaning, _)| meaning));
    }
    Ok(both)
}

fn of_sides(context: &SearchContext, reading: &Reading, link: Link) -> Result<Option<Meaning>, Error> {
    let (ask, t) = (context.ask, context.t);
    let sides = &reading.names;
    // A city is a body before firms that begin with its name.
    if let [Some(one), Some(other)] = sides.each_ref().map(|words| city(ask, t, words)) {
        let is_same = one.id == other.id;
        let shown = || {
            meaning(
                context,
                ComparedType::Department,
                [&[one], &[other]],
                (0, reading, link),
            )
        };
        return (!is_same).then(shown).transpose();
    }
    if link == Link::And {
        return Ok(None);
    }
    let both = [found(ask, t, &sides[0])?, found(ask, t, &sides[1])?];
    let is_party = |found: &Suggested| matches!(found.meaning, MeaningType::Supplier | MeaningType::Department);
    if matches!(link, Link::Choice | Link::Against) && !both.iter().all(|found| found.first().is_some_and(is_party)) {
        return Ok(None);
    }
    let compared = |of| {
        let sides = named_sides(ask, t, reading, &both, of);
        // A university sells now and then, and buys every day.
        let fewest = |sides: &Sides| sides.named.iter().map(|side| records(side)).min();
        sides.map(|sides| (fewest(&sides), of, sides))
    };
    let suppliers = compared(ComparedType::Supplier);
    let all = suppliers.into_iter().chain(compared(ComparedType::Department));
    // Of equal ones, the suppliers.
    let best = all.reduce(|one, other| if other.0 > one.0 { other } else { one });
    let Some((_, of, Sides { named, more })) = best else {
        return Ok(None);
    };
    let [one, other] = &named;
    meaning(context, of, [one, other], (more, reading, link)).map(Some)
}

/// The suppliers or the bodies that are called by the words of either side.
struct Sides {
    named: [Vec<Named>; 2],
    /// How many more are called nearly so.
    more: usize,
}

fn records(side: &[Named]) -> u64 {
    side.iter().map(|found| found.records).sum()
}

/// `found`: what else the words of either side may mean. `None` unless both sides are of the type.
fn named_sides(ask: &Ask, t: Texts, reading: &Reading, found: &[Vec<Suggested>; 2], of: ComparedType) -> Option<Sides> {
    let [one, other] = if of == ComparedType::Supplier {
        of_names(ask, t, reading)
    } else {
        [None, None]
    };
    let is_joined = one.is_some() || other.is_some();
    let side = |joined: Option<Named>, number: usize| match joined {
        Some(joined) => (vec![joined], 0),
        None => best(ask, t, &found[number], of, &reading.names[number]),
    };
    let ((mut first, more), (mut second, more_of_second)) = (side(one, 0), side(other, 1));
    if !is_joined {
        without_longer(&mut first, &mut second, reading);
    }
    (!first.is_empty() && !second.is_empty()).then(|| Sides {
        named: [first, second],
        more: more + more_of_second,
    })
}

/// "Bell" is also the beginning of "Bell Mobility", which is the other side.
fn without_longer(first: &mut Vec<Named>, second: &mut Vec<Named>, reading: &Reading) {
    let is_shorter = word_list(&reading.names[0]).len() < word_list(&reading.names[1]).len();
    let (shorter, longer) = if is_shorter { (first, second) } else { (second, first) };
    shorter.retain(|found| longer.iter().all(|other| other.id != found.id));
}

/// All suppliers whose names begin with the words of either side, each side as one. `None` for a side that names no
/// firm or has too many names, and for both if neither has several.
fn of_names(ask: &Ask, t: Texts, reading: &Reading) -> [Option<Named>; 2] {
    let suppliers = ask.generation.parties(Party::Supplier);
    let mut sides = reading.names.each_ref().map(|words| {
        let named = named_from(suppliers, words).into_iter().take(MAX_PARTIES);
        named.map(|found| Named::of(found, t)).collect::<Vec<_>>()
    });
    let [first, second] = &mut sides;
    without_longer(first, second, reading);
    let has_several = sides.iter().any(|side| side.len() > 1);
    sides.map(|side| (has_several && !side.is_empty()).then(|| as_one(t, &side)))
}

/// Suppliers that are counted as one.
fn as_one(t: Texts, side: &[Named]) -> Named {
    let (name, others) = (&side[0].label, side.len() - 1);
    Named {
        id: joined_ids(side.iter().map(|found| found.id.as_str())),
        label: if others == 0 {
            name.clone()
        } else {
            t.with("compare-joined-name", &[("name", name), ("count", &others)])
        },
        records: records(side),
    }
}

/// How many names of one side are compared: firms of one group have their own. A further one has at least one record
/// for so many of the first.
const OF_SIDE: usize = 2;
const RECORDS_OF_FIRST: u64 = 4;

/// The names that the words are or begin, those with most records; and how many more begin with them.
fn best(ask: &Ask, t: Texts, all: &[Suggested], of: ComparedType, words: &str) -> (Vec<Named>, usize) {
    let party = if of == ComparedType::Supplier {
        Party::Supplier
    } else {
        Party::Body
    };
    let list = ask.generation.parties(party);
    let begun = list.with_name_from(words);
    let count = begun.len();
    let begun = begun.into_iter().take(OF_SIDE).filter_map(|number| list.get(number));
    let begun = begun.map(|found| Named::of(found, t));
    // An acronym or another name.
    let is_name = |found: &&Suggested| found.meaning == of.meaning() && found.likeness == Likeness::Exact;
    let exact = all.iter().filter(is_name).map(Named::suggested);
    let mut named: Vec<Named> = begun.chain(exact).collect();
    let mut seen = HashSet::new();
    named.retain(|found| seen.insert(found.id.clone()));
    named.sort_by_key(|found| Reverse(found.records));
    named.truncate(OF_SIDE);
    let first = named.first().map_or(0, |first| first.records);
    named.retain(|found| found.records > 0 && found.records.saturating_mul(RECORDS_OF_FIRST) >= first);
    if named.is_empty() && of == ComparedType::Department {
        named.extend(only_with(all, words));
    }
    let more = count.saturating_sub(named.len());
    (named, more)
}

/// The body whose name has the words further on, and of several the one with a single word more: "Concordia" for
/// "Université Concordia". `None` if several are called so: "hospital".
fn only_with(all: &[Suggested], words: &str) -> Option<Named> {
    let wanted = word_list(words);
    let bodies = all.iter().filter(|found| found.meaning == MeaningType::Department);
    let having: Vec<(usize, &Suggested)> = bodies
        .map(|found| (word_list(&found.label), found))
        .filter(|(name, _)| wanted.iter().all(|word| name.contains(word)))
        .map(|(name, found)| (name.len(), found))
        .collect();
    let mut shortest = having.iter().filter(|(length, _)| *length == wanted.len() + 1);
    match (having.as_slice(), shortest.next(), shortest.next()) {
        ([(_, only)], ..) | (_, Some((_, only)), None) => Some(Named::suggested(only)),
        _ => None,
    }
}

/// `more` suppliers or bodies are called nearly like these.
fn meaning(
    context: &SearchContext,
    of: ComparedType,
    sides: [&[Named]; 2],
    (more, reading, link): (usize, &Reading, Link),
) -> Result<Meaning, Error> {
    let t = context.t;
    let all = || sides.into_iter().flatten();
    // A department is identified by its name.
    let identified = all().map(|found| {
        let id = if of == ComparedType::Supplier {
            &found.id
        } else {
            &found.label
        };
        (id.as_str(), found.label.as_str())
    });
    let identified: Vec<(&str, &str)> = identified.collect();
    // What is charged for a text depends on what may be between two names.
    let figures = if link == Link::And {
        None
    } else {
        side_figures(context, of, &identified, &reading.conditions)?
    };
    let parameters = identified
        .iter()
        .fold(reading.conditions.clone(), |all, (id, _)| all.and("of", id));
    let records: u64 = all().map(|found| found.records).sum();
    let [one, other] = sides.map(|side| {
        let labels: Vec<&str> = side.iter().map(|found| found.label.as_str()).collect();
        labels.join(" / ")
    });
    // Records under conditions are counted on the page that it leads to.
    let has_figures = figures.is_some();
    let mut count = if let Some(figures) = figures {
        figures
    } else if reading.labels.is_empty() {
        t.with("search-meaning-records", &[("count", &records)])
    } else {
        t.text("search-compared-conditions")
    };
    if more > 0 {
        let more = t.with("search-compared-more", &[("count", &more)]);
        count = format!("{count}{}{more}", if has_figures { " " } else { ". " });
    }
    let both = t.with("search-compared", &[("one", &one), ("other", &other)]);
    Ok(Meaning {
        label: std::iter::once(both)
            .chain(reading.labels.iter().cloned())
            .collect::<Vec<_>>()
            .join(", "),
        what: t.text("search-meaning-compared"),
        count,
        href: parameters.after(&address::compare(t.language(), of.name())),
        ..Meaning::default()
    })
}
