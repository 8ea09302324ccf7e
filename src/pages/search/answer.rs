//! What the words of a search mean, shown before what they find as words.

use crate::{
    http::error::ApiError,
    pages::search::{
        context::SearchContext,
        meant::Meant,
        notes::SourceNotes,
        results_query::{Found, Plan},
        sentence::{average, sentence},
    },
};

/// What the words may mean, where they find nothing as words, or little by chance. The answer is uncertain.
pub(super) struct Answer {
    pub(super) label: String,
    pub(super) href: String,
    pub(super) sentence: String,
    pub(super) average: Option<String>,
    /// What its sources cover, and what they lack.
    pub(super) coverage: Vec<String>,
}

/// The first meaning, if it is shown first, with what its records are worth.
pub(super) fn answer(
    context: &SearchContext,
    plan: &Plan,
    found: &Found,
    meant: &Meant,
) -> Result<Option<Answer>, ApiError> {
    let t = context.t;
    let Some(meaning) = meant.all.first().filter(|_| meant.leads) else {
        return Ok(None);
    };
    let mut answer = Answer {
        label: meaning.label.clone(),
        href: meaning.href.clone(),
        sentence: meaning.count.clone(),
        average: None,
        coverage: Vec::new(),
    };
    let split = found.split.map(|(number, _)| &plan.splits[number]);
    let split = split.filter(|split| split.asked.address() == meaning.href);
    let bodies = &context.ask.generation.bodies;
    if let Some((split, summed)) = split.zip(found.answer.as_ref()) {
        answer.sentence = sentence(t, split.asked.entity_type, summed, bodies);
        answer.average = average(t, summed);
        let sources = SourceNotes::of(context, &split.query, summed)?;
        answer.coverage = sources.coverage.into_iter().chain(sources.gaps).collect();
    } else if let Some((asked, summed)) = plan.meant(context.ask, &meaning.href)? {
        answer.sentence = sentence(t, asked.entity_type, &summed, bodies);
        answer.average = average(t, &summed);
    }
    Ok(Some(answer))
}
