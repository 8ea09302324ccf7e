//! What counted records mostly consist of, in a sentence.

use crate::{
    api::analysis::{
        competition::Competition,
        headline::{ProfileHeadline, Share},
        profile,
        quality::quality_of,
    },
    engine::aggregation::{Money, TermsAggregation, ValueAggregation},
    http::error::ApiError,
    model::Facet,
    pages::{
        department_names::department_in,
        messages::Argument,
        overview::{Overview, category_name, side},
    },
};

/// From which share on the value of the largest supplier or buyer is stated to be doubtful.
const MUCH_DOUBT: f64 = 0.5;

impl Overview<'_> {
    /// "The largest supplier is Acme, with 62 % of the value; 80 % of the value is for services". `None` if nothing of
    /// it is known.
    pub(crate) fn headline(&self, other: Facet, competition: Option<&Competition>) -> Result<Option<String>, ApiError> {
        let (t, counted) = (self.t, self.counted());
        let amount = counted.values.as_ref().map(|values| values.total_value);
        let headline = ProfileHeadline::of(counted, other, amount, competition);
        let by = if amount.is_some_and(|amount| amount.dollars() > 0.0) {
            "amount"
        } else {
            "number"
        };
        let mut parts = Vec::new();
        if let Some(Share { value, share }) = headline.largest {
            let doubtful = self.doubtful_share(other, &value, share)?;
            let name = match other {
                Facet::Vendor => value,
                _ => department_in(self.ask, self.entity_type(), value, t.language())?,
            };
            let key = format!("{}-{by}", side(other));
            let largest = t.keyed_with(
                "profile-headline-",
                &key,
                &[("name", &name), ("share", &t.percent(share))],
            );
            parts.push(match doubtful {
                Some(doubtful) => t.with(
                    "profile-headline-doubtful",
                    &[("largest", &largest), ("share", &t.percent(doubtful))],
                ),
                None => largest,
            });
        }
        if let Some(Share { value, share }) = headline.category {
            let category = category_name(t, &value);
            let arguments: [(&str, &dyn Argument); 2] = [("category", &category), ("share", &t.percent(share))];
            parts.push(t.keyed_with("profile-headline-category-", by, &arguments));
        }
        if let Some(share) = headline.without_competition {
            parts.push(t.keyed_with("profile-headline-competition-", by, &[("share", &t.percent(share))]));
        }
        Ok((!parts.is_empty()).then(|| format!("{}.", parts.join("; "))))
    }

    /// The share of the value of the records with a name that is of records with a quality flag, if that is more than
    /// [`MUCH_DOUBT`]. `share`: that of the name in all values. The records are counted only if so much of the total is
    /// of records with a flag.
    fn doubtful_share(&self, facet: Facet, name: &str, share: f64) -> Result<Option<f64>, ApiError> {
        let total = self
            .counted()
            .values
            .as_ref()
            .map(|values| values.total_value.dollars())
            .filter(|total| *total > 0.0);
        let quality = self.figures.included.quality.as_ref();
        let flagged = quality.and_then(|quality| quality.flagged_value).map(Money::dollars);
        let may_be_much = total
            .zip(flagged)
            .is_some_and(|(total, flagged)| flagged > MUCH_DOUBT * share * total);
        if !may_be_much {
            return Ok(None);
        }
        let Some(named) = self.ask.resolve_name(self.entity_type(), facet, name)? else {
            return Ok(None);
        };
        let mut query = self.query.clone();
        query.filters.push(profile::filter(facet, &named));
        let flags = [TermsAggregation::all(Facet::QualityFlag)];
        let counted = self.ask.aggregate(&query, &flags, ValueAggregation::Sum)?;
        Ok(quality_of(&counted).share_of_value.filter(|share| *share > MUCH_DOUBT))
    }
}
