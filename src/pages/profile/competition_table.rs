//! How the records of a name were awarded, as a table: with competition, without, or not published.

use crate::{
    api::analysis::competition::{Competition, MIN_COVERAGE, MethodShare},
    pages::{messages::Texts, method_names::method_name, overview::Overview},
};

/// How the records were awarded, as far as that is published.
#[derive(Debug)]
pub(super) struct CompetitionTable {
    pub(super) sentence: String,
    pub(super) rows: Vec<CompetitionRow>,
    pub(super) has_amounts: bool,
}

#[derive(Debug)]
pub(super) struct CompetitionRow {
    pub(super) label: String,
    /// The methods as published.
    pub(super) methods: String,
    pub(super) count: u64,
    pub(super) amount: f64,
    pub(super) share: Option<f64>,
}

/// `None` for an entity type without methods of procurement.
pub(super) fn competition_table(overview: &Overview, competition: Option<&Competition>) -> Option<CompetitionTable> {
    let (t, competition) = (overview.t, competition?);
    let has_amounts = overview.amount.is_some();
    let row = |name: &str, share_of: &MethodShare| CompetitionRow {
        label: t.keyed("profile-method-", name),
        methods: methods(t, share_of),
        count: share_of.count,
        amount: share_of.amount.dollars(),
        share: overview.share(share_of.count, share_of.amount.dollars()),
    };
    let classes = competition.classes.iter();
    let mut rows: Vec<CompetitionRow> = classes.map(|(class, share_of)| row(class.name(), share_of)).collect();
    if competition.not_published.count > 0 {
        rows.push(row("not-published", &competition.not_published));
    }
    Some(CompetitionTable {
        sentence: competition_sentence(t, competition, has_amounts),
        rows,
        has_amounts,
    })
}

/// The methods in the language of the page, as far as they have a name in it.
fn methods(t: Texts, share_of: &MethodShare) -> String {
    let methods = share_of.methods.iter().cloned();
    let names: Vec<String> = methods.map(|method| method_name(t.language(), method)).collect();
    names.join(", ")
}

fn competition_sentence(t: Texts, competition: &Competition, has_amounts: bool) -> String {
    let coverage = t.percent(competition.coverage());
    match competition.share_without(has_amounts) {
        Some(share) => {
            let share = t.percent(share);
            let by = if has_amounts { "amount" } else { "number" };
            t.keyed_with(
                "profile-competition-",
                by,
                &[("share", &share), ("coverage", &coverage)],
            )
        }
        None if competition.coverage() > 0.0 && competition.coverage() < MIN_COVERAGE => {
            let least = t.percent(MIN_COVERAGE);
            t.with("profile-competition-few", &[("coverage", &coverage), ("least", &least)])
        }
        None if competition.coverage() > 0.0 => t.with("profile-competition-unclear", &[("coverage", &coverage)]),
        None => t.text("profile-competition-none"),
    }
}
