//! Two names to compare among the words of a search: "Acme vs Zenith".

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
        .filter_map(|of| Some((of, best(&one, of, &sides[0])?, best(&other, of, &sides[1])?)));
    let mut both = both.filter(|(_, one, other)| one.id != other.id);
    Ok(both.next().map(|(of, one, other)| meaning(t, of, [&one, &other])))
}

/// Of the names that the words are or begin, that with most records: others would be a guess.
fn best(all: &[Suggested], of: ComparedType, words: &str) -> Option<Suggested> {
    let start = word_list(words);
    let begins = |found: &Suggested| word_list(&found.label).starts_with(&start);
    let is_name =
        |found: &&Suggested| found.meaning == of.meaning() && (found.likeness == Likeness::Exact || begins(found));
    all.iter().filter(is_name).max_by_key(|found| found.records).cloned()
}

fn meaning(t: Texts, of: ComparedType, both: [&Suggested; 2]) -> Meaning {
    // A department is identified by its name.
    let identified = both.map(|found| {
        if of == ComparedType::Supplier {
            &found.id
        } else {
            &found.label
        }
    });
    let parameters = Parameters::default().and("of", identified[0]).and("of", identified[1]);
    let records: u64 = both.iter().map(|found| found.records).sum();
    Meaning {
        label: t.with("search-compared", &[("one", &both[0].label), ("other", &both[1].label)]),
        what: t.text("search-meaning-compared"),
        count: t.with("search-meaning-records", &[("count", &records)]),
        href: parameters.after(&address::compare(t.language(), of.name())),
    }
}
