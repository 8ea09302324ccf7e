//! What counted records mostly consist of, in a sentence.

use crate::{
    api::analysis::{
        competition::Competition,
        headline::{ProfileHeadline, Share},
        profile,
        quality::quality_of,
        supplier,
        supplier_counts::Rank,
    },
    catalog::suppliers::{Party, Supplier},
    engine::aggregation::{Money, TermsAggregation, ValueAggregation},
    http::error::ApiError,
    model::Facet,
    pages::{
        charts::largest,
        department_names::department_in,
        messages::Argument,
        overview::{Overview, category_name, side},
    },
    query::Filter,
};

/// From which share on the value of the largest supplier or buyer is stated to be doubtful.
const MUCH_DOUBT: f64 = 0.5;

/// The largest buyer or supplier.
struct Largest {
    /// As records state it.
    name: String,
    /// What the name is looked up in.
    facet: Facet,
    /// `None` for a name alone.
    party: Option<(Party, Supplier)>,
    count: u64,
    total_value: Money,
}

impl Overview<'_> {
    /// "The largest supplier is Acme, with 62 % of the value; 80 % of the value is for services". `None` if nothing of
    /// it is known.
    pub(crate) fn headline(&self, other: Facet, competition: Option<&Competition>) -> Result<Option<String>, ApiError> {
        let (t, counted) = (self.t, self.counted());
        let amount = counted.values.as_ref().map(|values| values.total_value);
        let (by, rank) = if amount.is_some_and(|amount| amount.dollars() > 0.0) {
            ("amount", Rank::Value)
        } else {
            ("number", Rank::Count)
        };
        let largest = self.largest_of(other, rank);
        let of_largest = largest.as_ref().map(|largest| (largest.count, largest.total_value));
        let headline = ProfileHeadline::of(counted, of_largest, amount, competition);
        let mut parts = Vec::new();
        if let Some((largest, share)) = largest.zip(headline.largest) {
            let doubtful = self.doubtful_share(&largest, share)?;
            let key = format!("{}-{by}", side(other));
            let stated = t.keyed_with(
                "profile-headline-",
                &key,
                &[("name", &self.name_of(largest)?), ("share", &t.percent(share))],
            );
            parts.push(match doubtful {
                Some(doubtful) => t.with(
                    "profile-headline-doubtful",
                    &[("largest", &stated), ("share", &t.percent(doubtful))],
                ),
                None => stated,
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

    /// The largest of the other side: over all names, or one name, as names are ranked.
    fn largest_of(&self, other: Facet, rank: Rank) -> Option<Largest> {
        if let Some((party, of)) = self.largest(other, rank) {
            let list = self.ask.generation.parties(party);
            let known = list.find_id(&of.id).and_then(|number| list.get(number));
            return Some(Largest {
                name: of.name,
                facet: party.facet(),
                party: known.map(|known| (party, known)),
                count: of.count,
                total_value: of.total_value,
            });
        }
        let bucket = largest(self.counts(other), rank == Rank::Value, 1).pop()?;
        Some(Largest {
            name: bucket.value,
            facet: other,
            party: None,
            count: bucket.count,
            total_value: bucket.total_value,
        })
    }

    /// The name in the language of the page, if it is known.
    fn name_of(&self, largest: Largest) -> Result<String, ApiError> {
        let lang = self.t.language();
        match (largest.party, largest.facet) {
            (Some((_, party)), _) => Ok(party.name_in(lang).to_owned()),
            (None, Facet::Vendor) => Ok(largest.name),
            (None, _) => department_in(self.ask, self.entity_type(), largest.name, lang),
        }
    }

    /// What finds its records.
    fn filter_of(&self, largest: &Largest) -> Result<Option<Filter>, ApiError> {
        if let Some((party, of)) = &largest.party {
            return Ok(Some(supplier::filter(*party, of)));
        }
        let named = self
            .ask
            .resolve_name(self.entity_type(), largest.facet, &largest.name)?;
        Ok(named.map(|named| profile::filter(largest.facet, &named)))
    }

    /// The share of the value of the records of the largest one that is of records with a quality flag, if that is more
    /// than [`MUCH_DOUBT`]. `share`: that of its value in all values. The records are counted only if so much of the
    /// total is of records with a flag.
    fn doubtful_share(&self, largest: &Largest, share: f64) -> Result<Option<f64>, ApiError> {
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
        let Some(filter) = self.filter_of(largest)? else {
            return Ok(None);
        };
        let mut query = self.query.clone();
        query.filters.push(filter);
        let flags = [TermsAggregation::all(Facet::QualityFlag)];
        let counted = self.ask.aggregate(&query, &flags, ValueAggregation::Sum)?;
        Ok(quality_of(&counted).share_of_value.filter(|share| *share > MUCH_DOUBT))
    }
}
