//! Two names to compare among the words of a search: "Acme vs Zenith", "who got more, Acme or Zenith?"

use std::cmp::Reverse;

use crate::{
    api::analysis::{compared::ComparedType, suggest::Suggested},
    catalog::{ask::Ask, suggest::Likeness, suppliers::Party},
    engine::Error,
    model::fold::word_list,
    pages::{
        address::{self, Parameters},
        messages::Texts,
        search::{
            meanings::{Meaning, found},
            parts::subject,
            written_words::{is_in, ranges, without_marks, words},
        },
    },
};

/// What is between two names, folded.
const VERSUS: &str = "compare a|compared to|compared with|or|ou|par rapport a|versus|vs";

/// The comparison of the two suppliers or buyers that the words name.
pub(super) fn of_compared(ask: &Ask, t: Texts, text: &str) -> Result<Option<Meaning>, Error> {
    let subject = subject(text, Some(ask.generation.parties(Party::Supplier)));
    let written = words(subject.as_deref().unwrap_or(text));
    let between = ranges(&written).into_iter().find(|(folded, _)| is_in(VERSUS, folded));
    let Some((_, between)) = between else { return Ok(None) };
    let sides = [&written[..between.start], &written[between.end..]].map(without_marks);
    if sides.iter().any(String::is_empty) {
        return Ok(None);
    }
    let [one, other] = [found(ask, t, &sides[0])?, found(ask, t, &sides[1])?];
    let types = [ComparedType::Supplier, ComparedType::Department];
    let both = types
        .into_iter()
        .map(|of| (of, best(&one, of, &sides[0]), best(&other, of, &sides[1])));
    // "Bell" is also the beginning of "Bell Mobility", which is the other side.
    let is_shorter = word_list(&sides[0]).len() < word_list(&sides[1]).len();
    let both = both.map(|(of, mut one, mut other)| {
        let (shorter, longer) = if is_shorter {
            (&mut one, &other)
        } else {
            (&mut other, &one)
        };
        shorter.retain(|found| longer.iter().all(|other| other.id != found.id));
        (of, one, other)
    });
    let mut both = both.filter(|(_, one, other)| !one.is_empty() && !other.is_empty());
    Ok(both.next().map(|(of, one, other)| meaning(t, of, [&one, &other])))
}

/// How many names of one side are compared: firms of one group have their own. A further one has at least one record
/// for so many of the first.
const OF_SIDE: usize = 2;
const RECORDS_OF_FIRST: u64 = 4;

/// The names that the words are or begin, those with most records: others would be a guess.
fn best<'s>(all: &'s [Suggested], of: ComparedType, words: &str) -> Vec<&'s Suggested> {
    let start = word_list(words);
    let begins = |found: &Suggested| word_list(&found.label).starts_with(&start);
    let is_name =
        |found: &&Suggested| found.meaning == of.meaning() && (found.likeness == Likeness::Exact || begins(found));
    let mut named: Vec<&Suggested> = all.iter().filter(is_name).collect();
    named.sort_by_key(|found| Reverse(found.records));
    named.truncate(OF_SIDE);
    let first = named.first().map_or(0, |first| first.records);
    named.retain(|found| found.records.saturating_mul(RECORDS_OF_FIRST) >= first);
    named
}

fn meaning(t: Texts, of: ComparedType, sides: [&[&Suggested]; 2]) -> Meaning {
    let all = sides.concat();
    // A department is identified by its name.
    let identified = all.iter().map(|found| {
        if of == ComparedType::Supplier {
            &found.id
        } else {
            &found.label
        }
    });
    let parameters = identified.fold(Parameters::default(), |all, id| all.and("of", id));
    let records: u64 = all.iter().map(|found| found.records).sum();
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
