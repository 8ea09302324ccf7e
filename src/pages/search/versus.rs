//! Two names to compare among the words of a search: "Acme vs Zenith", "who got more, Acme or Zenith?"

use crate::{
    api::analysis::{compared::ComparedType, suggest::Suggested},
    catalog::{
        ask::Ask,
        suggest::Likeness,
        suppliers::{Party, Supplier},
    },
    engine::Error,
    model::{fold::word_list, municipality},
    pages::{
        address::{self, Parameters},
        messages::Texts,
        search::{
            meanings::{Meaning, found},
            parts::subject,
            question::content,
            written_words::{is_in, ranges, words},
        },
    },
};

/// What is between two names, folded, and what also is in a text that begins with [`COMPARE`].
const VERSUS: &str = "compare a|compared to|compared with|or|ou|par rapport a|versus|vs";
const COMPARE: &str = "comparaison|compare|comparer|comparez|comparison";
const AND: &str = "a|and|avec|et|to|with";

/// How often a text is split in two: each side is looked up as a name.
const MAX_SPLITS: usize = 3;

/// The comparison of the two suppliers or buyers that the words name.
pub(super) fn of_compared(ask: &Ask, t: Texts, text: &str) -> Result<Option<Meaning>, Error> {
    let subject = subject(text, Some(ask.generation.parties(Party::Supplier)));
    let mut written = words(subject.as_deref().unwrap_or(text));
    let compares = written.first().is_some_and(|(_, folded)| is_in(COMPARE, folded));
    written.drain(..usize::from(compares));
    let is_between = |text: &str| is_in(VERSUS, text) || compares && is_in(AND, text);
    let all = ranges(&written);
    for (_, between) in all.iter().filter(|(folded, _)| is_between(folded)).take(MAX_SPLITS) {
        let sides = [&written[..between.start], &written[between.end..]].map(|side| content(side.to_vec(), false));
        if let Some(meaning) = of_sides(ask, t, &sides)? {
            return Ok(Some(meaning));
        }
    }
    Ok(None)
}

fn of_sides(ask: &Ask, t: Texts, sides: &[String; 2]) -> Result<Option<Meaning>, Error> {
    if sides.iter().any(String::is_empty) {
        return Ok(None);
    }
    let [one, other] = [found(ask, t, &sides[0])?, found(ask, t, &sides[1])?];
    let is_shorter = word_list(&sides[0]).len() < word_list(&sides[1]).len();
    for of in [ComparedType::Supplier, ComparedType::Department] {
        let (mut first, mut second) = (best(ask, t, &one, of, &sides[0]), best(ask, t, &other, of, &sides[1]));
        // "Bell" is also the beginning of "Bell Mobility", which is the other side.
        let (shorter, longer) = if is_shorter {
            (&mut first, &second)
        } else {
            (&mut second, &first)
        };
        shorter.retain(|found| longer.iter().all(|other| other.id != found.id));
        // A city is its own body before others that begin with its name.
        let cities = sides.each_ref().map(|words| city(ask, t, words));
        for (side, city) in [&mut first, &mut second].into_iter().zip(cities) {
            if let (Some(city), ComparedType::Department) = (city, of) {
                *side = vec![city];
            }
        }
        let is_same = first.iter().any(|one| second.iter().any(|other| one.id == other.id));
        if !first.is_empty() && !second.is_empty() && !is_same {
            return Ok(Some(meaning(t, of, [&first, &second])));
        }
    }
    Ok(None)
}

/// A name of one side.
struct Named {
    id: String,
    label: String,
    records: u64,
}

impl Named {
    fn of(found: Supplier, t: Texts) -> Named {
        Named {
            label: found.name_in(t.language()).to_owned(),
            records: found.records,
            id: found.id,
        }
    }
}

/// What is before the name of a city in that of its body.
const CITY_FORMS: [&str; 4] = ["", "City of ", "Ville de ", "Ville d'"];

/// The body of the municipality that the words name: "Toronto".
fn city(ask: &Ask, t: Texts, words: &str) -> Option<Named> {
    let bodies = ask.generation.parties(Party::Body);
    let names = municipality::named_cities(words)
        .iter()
        .flat_map(|city| city.own_names());
    let mut forms = names.flat_map(|name| CITY_FORMS.map(|form| format!("{form}{name}")));
    forms
        .find_map(|name| bodies.with_name(&name))
        .map(|body| Named::of(body, t))
}

/// How many names of one side are compared: firms of one group have their own. A further one has at least one record
/// for so many of the first.
const OF_SIDE: usize = 2;
const RECORDS_OF_FIRST: u64 = 4;

/// The names that the words are or begin, those with most records: others would be a guess.
fn best(ask: &Ask, t: Texts, all: &[Suggested], of: ComparedType, words: &str) -> Vec<Named> {
    let party = if of == ComparedType::Supplier {
        Party::Supplier
    } else {
        Party::Body
    };
    let list = ask.generation.parties(party);
    let begun = list.with_name_from(words).into_iter().take(OF_SIDE);
    let begun = begun
        .filter_map(|number| list.get(number))
        .map(|found| Named::of(found, t));
    // An acronym or another name.
    let is_name = |found: &&Suggested| found.meaning == of.meaning() && found.likeness == Likeness::Exact;
    let exact = all.iter().filter(is_name).map(|found| Named {
        id: found.id.clone(),
        label: found.label.clone(),
        records: found.records,
    });
    let mut named: Vec<Named> = exact.chain(begun).collect();
    named.sort_by(|a, b| (b.records, &a.id).cmp(&(a.records, &b.id)));
    named.dedup_by(|a, b| a.id == b.id);
    named.truncate(OF_SIDE);
    let first = named.first().map_or(0, |first| first.records);
    named.retain(|found| found.records > 0 && found.records.saturating_mul(RECORDS_OF_FIRST) >= first);
    named
}

fn meaning(t: Texts, of: ComparedType, sides: [&[Named]; 2]) -> Meaning {
    let all = || sides.into_iter().flatten();
    // A department is identified by its name.
    let identified = all().map(|found| {
        if of == ComparedType::Supplier {
            &found.id
        } else {
            &found.label
        }
    });
    let parameters = identified.fold(Parameters::default(), |all, id| all.and("of", id));
    let records: u64 = all().map(|found| found.records).sum();
    let [one, other] = sides.map(|side| {
        let labels: Vec<&str> = side.iter().map(|found| found.label.as_str()).collect();
        labels.join(" / ")
    });
    Meaning {
        label: t.with("search-compared", &[("one", &one), ("other", &other)]),
        what: t.text("search-meaning-compared"),
        count: t.with("search-meaning-records", &[("count", &records)]),
        href: parameters.after(&address::compare(t.language(), of.name())),
        asked: None,
        is_whole_buyer: false,
    }
}
