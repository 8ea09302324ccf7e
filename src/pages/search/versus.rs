//! Two names to compare among the words of a search: "Acme vs Zenith".

use std::cmp::Reverse;

use crate::{
    api::analysis::{compared::ComparedType, suggest::Suggested},
    catalog::{ask::Ask, suggest::Likeness},
    engine::Error,
    model::fold::word_list,
    pages::{
        address::{self, Parameters},
        messages::Texts,
        search::{
            meanings::{Meaning, found},
            written_words::{is_in, ranges, without_marks, words},
        },
    },
};

/// What is between two names, folded.
const VERSUS: &str = "compare a|compared to|compared with|par rapport a|versus|vs";

/// The comparison of the two suppliers or buyers that the words name.
pub(super) fn of_compared(ask: &Ask, t: Texts, text: &str) -> Result<Option<Meaning>, Error> {
    let written = words(text);
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
    let is_in = |found: &Suggested, others: &[&Suggested]| others.iter().any(|other| other.id == found.id);
    let mut both = both.filter(|(_, one, other)| {
        let has_both = !one.is_empty() && !other.is_empty();
        has_both && !one.iter().any(|found| is_in(found, other))
    });
    Ok(both
        .next()
        .map(|(of, one, other)| meaning(t, of, &[one, other].concat())))
}

/// How many names of one side are compared: firms of one group have their own.
const OF_SIDE: usize = 2;

/// The names that the words are or begin, those with most records: others would be a guess.
fn best<'s>(all: &'s [Suggested], of: ComparedType, words: &str) -> Vec<&'s Suggested> {
    let start = word_list(words);
    let begins = |found: &Suggested| word_list(&found.label).starts_with(&start);
    let is_name =
        |found: &&Suggested| found.meaning == of.meaning() && (found.likeness == Likeness::Exact || begins(found));
    let mut named: Vec<&Suggested> = all.iter().filter(is_name).collect();
    named.sort_by_key(|found| Reverse(found.records));
    named.truncate(OF_SIDE);
    named
}

fn meaning(t: Texts, of: ComparedType, all: &[&Suggested]) -> Meaning {
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
    let labels: Vec<&str> = all.iter().map(|found| found.label.as_str()).collect();
    let (last, others) = labels.split_last().unwrap_or((&"", &[]));
    Meaning {
        label: t.with("search-compared", &[("one", &others.join(", ")), ("other", last)]),
        what: t.text("search-meaning-compared"),
        count: t.with("search-meaning-records", &[("count", &records)]),
        href: parameters.after(&address::compare(t.language(), of.name())),
        is_buyer: false,
    }
}
