//! Which years the sources of some records cover, in a sentence next to their figures.

use std::{collections::BTreeSet, ops::RangeInclusive};

use crate::{
    catalog::generation::{Extent, SourceCoverage},
    model::{Date, EntityType, Role},
    pages::messages::Texts,
    query::{Filter, SearchQuery},
};

/// Of more periods than this, the first and the last year are named.
const MAX_PERIODS: usize = 5;

/// The years that a query asks for: from and to, if it has bounds.
pub(crate) fn asked_years(query: &SearchQuery) -> Option<(Option<i32>, Option<i32>)> {
    query.filters.iter().find_map(|filter| match filter {
        Filter::Dates {
            role: Role::Date,
            from,
            to,
        } => Some((from.map(Date::year), to.map(Date::year))),
        _ => None,
    })
}

/// Which years the sources cover, and which of them have a selection only. `None` if nothing is known: records without
/// dates, or an index of an older program.
pub(crate) fn coverage_note(
    t: Texts,
    entity_type: EntityType,
    sources: &[&SourceCoverage],
    asked: Option<(Option<i32>, Option<i32>)>,
) -> Option<String> {
    let selections = sources.iter().filter_map(|source| selection(t, source));
    let years = years_note(t, entity_type, sources, asked);
    let sentences: Vec<String> = years.into_iter().chain(selections).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// A sentence: that a source has a selection only, and which.
fn selection(t: Texts, source: &SourceCoverage) -> Option<String> {
    let id = &source.source_id;
    let selection = t
        .has("sources-selection-", id)
        .then(|| t.keyed("sources-selection-", id))?;
    let Some(abroad) = &source.abroad else {
        return Some(selection);
    };
    let code = &abroad.country;
    let country = if t.has("coverage-country-", code) {
        t.keyed("coverage-country-", code)
    } else {
        code.clone()
    };
    let key = if abroad.is_all {
        "coverage-abroad-all"
    } else {
        "coverage-abroad-nearly-all"
    };
    Some(format!("{selection} {}", t.with(key, &[("country", &country)])))
}

fn years_note(
    t: Texts,
    entity_type: EntityType,
    sources: &[&SourceCoverage],
    asked: Option<(Option<i32>, Option<i32>)>,
) -> Option<String> {
    let covered = covered_years(sources);
    let (first, last) = (*covered.first()?, *covered.last()?);
    let kind = t.keyed("sources-row-kind-", entity_type.name());
    let with_years = |key: &str, years: &[RangeInclusive<i32>]| {
        let years = periods(t, years);
        t.with(key, &[("kind", &kind), ("years", &years)])
    };
    let all: Vec<i32> = covered.iter().copied().collect();
    let Some((from, to)) = asked else {
        let mut sentences = vec![with_years("coverage-all", &joined(&all))];
        sentences.extend(uneven(t, sources, &covered));
        sentences.extend(few(t, sources, &covered));
        sentences.extend(running(t, sources, first..=last));
        return Some(sentences.join(" "));
    };
    // An open end reaches what is covered, or at least the other end.
    let (from, to) = (
        from.unwrap_or_else(|| to.map_or(first, |to| first.min(to))),
        to.unwrap_or_else(|| from.map_or(last, |from| last.max(from))),
    );
    let missing: Vec<i32> = (from..=to).filter(|year| !covered.contains(year)).collect();
    let is_within = |year: &&i32| (from..=to).contains(*year);
    let found: Vec<i32> = all.iter().filter(is_within).copied().collect();
    let stray = stray_records(sources, &missing);
    let mut sentences = vec![if missing.is_empty() {
        with_years("coverage-all", &joined(&found))
    } else if stray > 0 && found.is_empty() {
        let records = t.keyed_with("search-records-", entity_type.name(), &[("count", &stray)]);
        let years = periods(t, &joined(&missing));
        t.with("coverage-stray", &[("records", &records), ("years", &years)])
    } else if found.is_empty() {
        with_years("coverage-none", &joined(&missing))
    } else {
        with_years("coverage-part", &joined(&missing))
    }];
    let found: BTreeSet<i32> = found.into_iter().collect();
    if !found.is_empty() {
        sentences.extend(uneven(t, sources, &found));
        sentences.extend(few(t, sources, &found));
        sentences.extend(running(t, sources, from..=to));
    }
    Some(sentences.join(" "))
}

/// How many records of years that they do not cover the sources have all the same.
fn stray_records(sources: &[&SourceCoverage], years: &[i32]) -> u64 {
    let all = sources.iter().flat_map(|source| &source.years);
    all.filter(|of| years.contains(&of.year)).map(|of| of.records).sum()
}

/// The years that at least one of these sources covers.
pub(crate) fn covered_years(sources: &[&SourceCoverage]) -> BTreeSet<i32> {
    sources.iter().flat_map(|source| years_of(source)).collect()
}

/// Years in words: `2009–2014, 2020`.
pub(crate) fn written_years(t: Texts, years: &BTreeSet<i32>) -> String {
    let years: Vec<i32> = years.iter().copied().collect();
    periods(t, &joined(&years))
}

fn years_of(source: &SourceCoverage) -> impl Iterator<Item = i32> {
    source.covered_years().map(|covered| covered.year)
}

/// A sentence: that sources cover less than all of these years; `None` if all do.
fn uneven(t: Texts, sources: &[&SourceCoverage], years: &BTreeSet<i32>) -> Option<String> {
    let is_less = |source: &&&SourceCoverage| years.iter().any(|year| source.extent(*year) == Extent::No);
    let less = sources.iter().filter(is_less).count();
    let text = if years.len() > 1 {
        "coverage-uneven"
    } else {
        "coverage-uneven-year"
    };
    (less > 0 && sources.len() > 1).then(|| t.text(text))
}

/// The years of which the sources have less than a quarter of the usual records.
fn few(t: Texts, sources: &[&SourceCoverage], years: &BTreeSet<i32>) -> Option<String> {
    let has_few = |year: &i32| {
        let mut covering = sources.iter().filter(|source| source.extent(*year) != Extent::No);
        covering.all(|source| source.has_few(*year))
    };
    let few: BTreeSet<i32> = years.iter().copied().filter(has_few).collect();
    (!few.is_empty()).then(|| t.with("coverage-few", &[("years", &written_years(t, &few))]))
}

/// Until which day the last of these years is covered, if no source covers all of it.
fn running(t: Texts, sources: &[&SourceCoverage], years: RangeInclusive<i32>) -> Option<String> {
    let covered = sources.iter().flat_map(|source| source.covered_years());
    let last = covered
        .map(|covered| covered.year)
        .filter(|year| years.contains(year))
        .max()?;
    let extent = sources.iter().map(|source| source.extent(last)).max();
    let is_running = |source: &&&SourceCoverage| source.extent(last) == Extent::Part && !source.has_few(last);
    let of_year = sources.iter().filter(is_running);
    let until = of_year.filter_map(|source| source.until.as_deref()).max()?;
    let day = Date::parse(until)
        .ok()
        .filter(|day| day.year() == last && extent == Some(Extent::Part))?;
    Some(t.with("coverage-until", &[("year", &last.to_string()), ("date", &t.date(day))]))
}

/// Years that follow one another as one period.
fn joined(years: &[i32]) -> Vec<RangeInclusive<i32>> {
    let mut periods: Vec<RangeInclusive<i32>> = Vec::new();
    for year in years.iter().copied() {
        match periods.last_mut() {
            Some(last) if last.end().saturating_add(1) == year => *last = *last.start()..=year,
            _ => periods.push(year..=year),
        }
    }
    periods
}

fn periods(t: Texts, periods: &[RangeInclusive<i32>]) -> String {
    let one = |period: &RangeInclusive<i32>| match (period.start(), period.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}–{last}"),
    };
    match (periods.first(), periods.last()) {
        (Some(first), Some(last)) if periods.len() > MAX_PERIODS => {
            let whole = one(&(*first.start()..=*last.end()));
            t.with("coverage-with-gaps", &[("years", &whole)])
        }
        _ => {
            let words: Vec<String> = periods.iter().map(one).collect();
            words.join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::generation::Abroad, model::Language};

    fn source(id: &str, years: &[(i32, u64)], until: Option<&str>) -> SourceCoverage {
        let until = until.map(|day| Date::parse(day).unwrap());
        SourceCoverage::of(id, EntityType::Contract, years, until)
    }

    #[test]
    fn years_before_and_after_what_is_covered_are_not_covered() {
        let toronto = source("toronto", &[(2020, 50), (2021, 60)], None);
        let note = |asked| {
            let t = Texts::of(Language::English);
            coverage_note(t, EntityType::Contract, &[&toronto], Some(asked)).unwrap()
        };
        assert_eq!(note((None, Some(2020))), "The sources here cover contracts of 2020.");
        for years in [(None, Some(2000)), (Some(2030), None)] {
            assert!(
                note(years).starts_with("The sources of this page do not cover"),
                "{}",
                note(years)
            );
        }
    }

    #[test]
    fn a_selection_says_which_country_its_suppliers_are_in() {
        let export = |country: &str, is_all| SourceCoverage {
            abroad: Some(Abroad {
                country: country.to_owned(),
                is_all,
            }),
            ..source("disclosure-export", &[], None)
        };
        for (source, language, expected) in [
            (
                export("US", true),
                Language::English,
                "found. All its suppliers are in the United States.",
            ),
            (
                export("US", false),
                Language::French,
                "trouvé. Presque tous ses fournisseurs sont dans ce pays\u{a0}: États-Unis.",
            ),
            (
                export("ZZ", true),
                Language::English,
                "found. All its suppliers are in ZZ.",
            ),
            (
                source("disclosure-export", &[], None),
                Language::English,
                "search found.",
            ),
        ] {
            let note = coverage_note(Texts::of(language), EntityType::Disclosure, &[&source], None).unwrap();
            assert!(note.ends_with(expected), "{note}");
        }
        let other = SourceCoverage {
            source_id: "seao-xml".to_owned(),
            ..export("US", true)
        };
        assert_eq!(
            coverage_note(Texts::of(Language::English), EntityType::Disclosure, &[&other], None),
            None
        );
    }

    #[test]
    fn a_sentence_says_what_is_not_covered() {
        let seao = source(
            "seao-xml",
            &[(2019, 2_000), (2020, 2_900), (2021, 3), (2024, 2)],
            Some("2024-05-01"),
        );
        let toronto = source("toronto", &[(2020, 50), (2021, 60), (2022, 30)], Some("2022-06-30"));
        let note = |sources: &[&SourceCoverage], asked| {
            coverage_note(Texts::of(Language::English), EntityType::Contract, sources, asked).unwrap_or_default()
        };
        for (sources, asked, expected) in [
            (&[&seao][..], None, "The sources here cover contracts of 2019–2020."),
            (
                &[&seao],
                Some((Some(2021), Some(2021))),
                "The sources here have only 3 contracts of 2021, a small part.",
            ),
            (
                &[&seao],
                Some((Some(2022), Some(2022))),
                "The sources of this page do not cover contracts of 2022.",
            ),
            (
                &[&seao],
                Some((Some(2020), Some(2022))),
                "The sources of this page do not cover contracts of 2021–2022: the figures are of the other years.",
            ),
            (
                &[&toronto],
                Some((Some(2019), Some(2021))),
                "The sources of this page do not cover contracts of 2019: the figures are of the other years.",
            ),
            (
                &[&seao],
                Some((Some(2020), None)),
                "The sources here cover contracts of 2020.",
            ),
            (
                &[&seao, &toronto],
                None,
                "The sources here cover contracts of 2019–2022. Not every source covers each of these years. 2022 is covered until June\u{a0}30, 2022.",
            ),
            (
                &[&seao, &toronto],
                Some((Some(2020), Some(2020))),
                "The sources here cover contracts of 2020.",
            ),
            (&[], None, ""),
        ] {
            assert_eq!(note(sources, asked), expected, "{asked:?}");
        }
        let odd: Vec<(i32, u64)> = (0..6).map(|n| (2001 + 2 * n, 9)).collect();
        assert_eq!(
            note(&[&source("a", &odd, None)], None),
            "The sources here cover contracts of 2001–2011, with gaps."
        );
        let french = coverage_note(
            Texts::of(Language::French),
            EntityType::Contract,
            &[&seao],
            Some((None, Some(2018))),
        );
        // No first year is asked for, and the last one is before all that is covered.
        assert!(french.is_some());
    }
}
