//! The estimate in sentences: the range before the middle, how reliable it is, and what it is based on.

use crate::{
    catalog::estimates::answer::{Confidence, Estimate, EstimateStatus, MatchLevel},
    model::Date,
    pages::messages::Texts,
};

pub(super) struct Summary {
    /// The answer.
    pub(super) headline: String,
    /// The range and the middle, how often such estimates are right, what they are based on.
    pub(super) sentences: Vec<String>,
}

impl Summary {
    pub(super) fn of(t: Texts, estimate: &Estimate) -> Summary {
        Summary {
            headline: headline(t, estimate),
            sentences: sentences(t, estimate),
        }
    }
}

/// Three significant digits: more would claim a precision that no estimate has.
pub(crate) fn rounded(value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    let step = 10f64.powi(value.abs().log10().floor() as i32 - 2);
    let rounded = (value / step).round() * step;
    if rounded.is_finite() { rounded } else { value }
}

/// A stored day as the language writes it; as it is, if it is not a day.
pub(super) fn day(t: Texts, text: &str) -> String {
    Date::parse(text).map_or_else(|_| text.to_owned(), |day| t.date(day))
}

fn headline(t: Texts, estimate: &Estimate) -> String {
    let stated = estimate
        .estimated_value
        .filter(|_| estimate.status == EstimateStatus::Stated);
    match (stated, &estimate.range) {
        // The value that the notice states is exact.
        (Some(stated), _) => t.with("worth-stated", &[("value", &t.money(stated))]),
        (None, Some(range)) => {
            let (low, high) = (money(t, range.low), money(t, range.high));
            t.with("worth-range", &[("low", &low), ("high", &high)])
        }
        (None, None) => t.with("worth-too-few", &[("count", &estimate.sample_size)]),
    }
}

fn sentences(t: Texts, estimate: &Estimate) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(percentiles) = &estimate.percentiles {
        let [p10, p25, p50, p75, p90] = [
            percentiles.p10,
            percentiles.p25,
            percentiles.p50,
            percentiles.p75,
            percentiles.p90,
        ]
        .map(|value| money(t, value));
        if estimate.status == EstimateStatus::Stated {
            sentences.push(t.with("worth-stated-range", &[("low", &p25), ("high", &p75)]));
        }
        sentences.push(t.with("worth-percentiles", &[("p10", &p10), ("p90", &p90), ("middle", &p50)]));
    }
    if let Some(confidence) = estimate.confidence {
        sentences.push(t.keyed("worth-confidence-", confidence_name(confidence)));
    }
    if let Some(dates) = &estimate.date_range {
        let (from, to) = (day(t, &dates.from), day(t, &dates.to));
        sentences.push(t.with(
            "worth-basis",
            &[("count", &estimate.sample_size), ("from", &from), ("to", &to)],
        ));
    }
    if let Some(level) = estimate.match_level {
        sentences.push(t.keyed("worth-level-", level_name(level)));
    }
    sentences
}

fn money(t: Texts, value: f64) -> String {
    t.money_rounded(rounded(value))
}

const fn confidence_name(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
    }
}

const fn level_name(level: MatchLevel) -> &'static str {
    match level {
        MatchLevel::BuyerAndTitle => "buyer-and-title",
        MatchLevel::BuyerAndCode => "buyer-and-code",
        MatchLevel::Code => "code",
        MatchLevel::CodeClass => "code-class",
        MatchLevel::CodeFamily => "code-family",
        MatchLevel::CategoryAndText => "category-and-text",
        MatchLevel::CategoryAndGovernmentLevel => "category-and-government-level",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::estimates::answer::{DateRange, EstimateItem, NeedItem, Percentiles, ValueRange},
        model::Language,
    };

    fn estimate(status: EstimateStatus) -> Estimate {
        let is_known = status != EstimateStatus::InsufficientData;
        Estimate {
            input: EstimateItem::Need(NeedItem::default()),
            status,
            estimated_value: is_known.then_some(34_567.0),
            range: is_known.then_some(ValueRange {
                low: 12_345.6,
                high: 98_765.4,
            }),
            percentiles: is_known.then_some(Percentiles {
                p10: 1_000.0,
                p25: 12_345.6,
                p50: 34_567.0,
                p75: 98_765.4,
                p90: 1_234_567.0,
            }),
            sample_size: 4,
            effective_sample_size: 4.0,
            match_level: is_known.then_some(MatchLevel::Code),
            confidence: is_known.then_some(Confidence::Medium),
            date_range: is_known.then(|| DateRange {
                from: "2021-01-02".to_owned(),
                to: "2026-03-04".to_owned(),
            }),
            caveats: Vec::new(),
        }
    }

    #[test]
    fn the_range_comes_before_the_middle() {
        let english = Texts::of(Language::English);
        let summary = Summary::of(english, &estimate(EstimateStatus::Ok));
        assert!(
            summary.headline.contains("$12,300") && summary.headline.contains("$98,800"),
            "{}",
            summary.headline
        );
        assert!(!summary.headline.contains("$34"), "{}", summary.headline);
        let all = summary.sentences.join(" ");
        for part in [
            "$1,000",
            "$1.2\u{a0}million",
            "$34,600",
            "January\u{a0}2, 2021",
            "4 contracts",
            "commodity code",
        ] {
            assert!(all.contains(part), "{part} is not in {all}");
        }
        let stated = Summary::of(english, &estimate(EstimateStatus::Stated));
        assert!(stated.headline.contains("$34,567.00"), "{}", stated.headline);
        let few = Summary::of(Texts::of(Language::French), &estimate(EstimateStatus::InsufficientData));
        assert!(
            few.headline.contains('4') && few.sentences.is_empty(),
            "{}",
            few.headline
        );
    }

    #[test]
    fn estimates_have_three_significant_digits() {
        for (value, expected) in [
            (12_345.6, 12_300.0),
            (999.9, 1_000.0),
            (0.0, 0.0),
            (1.0, 1.0),
            (87_654_321.0, 87_700_000.0),
        ] {
            assert_eq!(rounded(value), expected);
        }
        assert!(rounded(f64::MAX).is_finite() && rounded(f64::NAN).is_nan());
    }
}
