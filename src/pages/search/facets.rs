//! The facets of a page of results: the values of the matches with their numbers, each a link that adds it as a
//! condition.

use std::borrow::Cow;

use crate::{
    api::{
        analysis::commodity::one_level,
        params::{filters::FilterKind, param::Param, search::TABLE},
    },
    catalog::{ask::Ask, generation::Generation},
    engine::aggregation::{Aggregation, FacetBucket, FacetBuckets, TermsAggregation, ValueAggregation},
    http::error::ApiError,
    model::{Facet, Role, Schema, commodity::CommodityCode, record::query_key, vocabulary::GOVERNMENT_LEVELS},
    pages::{
        format::shortened,
        method_names::method_name,
        quality,
        search::{
            context::{SearchContext, category, status},
            search_address::SearchAddress,
        },
    },
    query::SearchQuery,
};

/// A facet that the page counts.
pub(crate) struct ShownFacet {
    pub(crate) facet: Facet,
    role: Role,
    /// The parameters that select a value: two for the year, otherwise one.
    parameters: &'static [&'static str],
    /// The maximum number of values that are counted one by one.
    counted: usize,
}

/// A facet with its values.
#[derive(Debug)]
pub(crate) struct FacetGroup {
    /// The name of the facet, for messages and ids.
    pub(crate) name: &'static str,
    pub(crate) values: Vec<FacetValue>,
    /// Further values, which a reader opens.
    pub(crate) more: Vec<FacetValue>,
    /// The number of values that are not listed.
    pub(crate) other: u64,
}

#[derive(Debug)]
pub(crate) struct FacetValue {
    pub(crate) label: String,
    /// The number of records, as the language writes it.
    pub(crate) count: String,
    /// The search with this condition; for the active one, without it. `None` for a name that cannot be searched.
    pub(crate) href: Option<String>,
    pub(crate) is_active: bool,
    /// Whether the link adds it to the active ones: the records with any of them.
    pub(crate) is_added: bool,
}

/// The values that can be added to the active ones of a facet.
pub(crate) struct Choices {
    pub(crate) facet: Facet,
    /// Each with the search that adds it, and how many records that finds.
    pub(crate) added: Vec<(String, SearchAddress, u64)>,
}

/// The maximum number of values listed for a facet, as in the API.
const MAX_LISTED: usize = 50;

/// How many of them are visible at first.
const VISIBLE: usize = 10;

/// The maximum number of names that are ranked by value. Names beyond it have few records.
pub(crate) const MAX_RANKED: usize = 5_000;

/// How many values of a facet can be added to the active ones, those with most records.
const MAX_ADDED: usize = 10;

/// All facets of pages, in their order on the page.
const FACETS: [ShownFacet; 12] = [
    shown(Facet::Status, Role::Status, &["status"], MAX_LISTED),
    shown(Facet::Year, Role::Date, &["issued_after", "issued_before"], usize::MAX),
    shown(Facet::NamedDepartment, Role::Department, &["department_is"], MAX_RANKED),
    shown(Facet::Vendor, Role::Vendor, &["vendor_is"], MAX_RANKED),
    shown(Facet::Category, Role::Category, &["category"], MAX_LISTED),
    // All codes, because those of one level are shown.
    shown(Facet::Commodity, Role::Commodity, &["commodity"], usize::MAX),
    shown(Facet::Competition, Role::Competition, &["competition"], usize::MAX),
    shown(Facet::GovernmentLevel, Role::GovernmentLevel, &["level"], usize::MAX),
    shown(Facet::BodyClass, Role::BodyClass, &["body_class"], usize::MAX),
    shown(
        Facet::ProcurementMethod,
        Role::ProcurementMethod,
        &["procurement_method"],
        MAX_LISTED,
    ),
    // All places: the sources of the records are found by them.
    shown(Facet::Municipality, Role::Municipality, &["municipality"], usize::MAX),
    shown(Facet::QualityFlag, Role::QualityFlag, &["quality_flag"], usize::MAX),
];

const fn shown(facet: Facet, role: Role, parameters: &'static [&'static str], counted: usize) -> ShownFacet {
    ShownFacet {
        facet,
        role,
        parameters,
        counted,
    }
}

impl ShownFacet {
    /// What is counted for it. Charts draw the values of years and names, and a note states those of doubtful records.
    pub(super) fn terms(&self) -> TermsAggregation {
        let terms = TermsAggregation::top(self.counted, self.facet);
        match self.facet {
            Facet::Year | Facet::NamedDepartment | Facet::Vendor | Facet::QualityFlag => terms,
            _ => terms.without_sums(),
        }
    }

    /// Whether its parameter takes several values.
    fn takes_several(&self) -> bool {
        let [parameter] = self.parameters else {
            return false;
        };
        let kinds = TABLE
            .iter()
            .filter(|row| row.name == *parameter)
            .filter_map(Param::filter);
        kinds.into_iter().any(FilterKind::takes_several)
    }
}

/// The facets of an entity type: those that it has a field and a parameter for. The status comes first where records
/// are open for bids, and last elsewhere.
pub(crate) fn of(schema: &Schema) -> Vec<ShownFacet> {
    let valid =
        |shown: &ShownFacet| schema.has_role(shown.role) && shown.parameters.iter().all(|name| schema.accepts(name));
    let mut facets: Vec<ShownFacet> = FACETS.into_iter().filter(valid).collect();
    if !schema.has_role(Role::ClosingDate) {
        facets.sort_by_key(|shown| shown.facet == Facet::Status);
    }
    facets
}

/// A facet with active values, and the search without them.
#[derive(Clone)]
pub(crate) struct ActiveFacet {
    facet: Facet,
    role: Role,
    parameter: &'static str,
    base: SearchQuery,
}

impl ActiveFacet {
    /// Those whose parameter takes several values, of a search that has one.
    pub(crate) fn all(asked: &SearchAddress, generation: &Generation) -> Vec<ActiveFacet> {
        let active = |shown: ShownFacet| {
            let parameter = *shown.parameters.first()?;
            if !shown.takes_several() || asked.choices(parameter).is_empty() {
                return None;
            }
            Some(ActiveFacet {
                facet: shown.facet,
                role: shown.role,
                parameter,
                base: asked.dropping(&[parameter]).query_in(generation)?,
            })
        };
        of(Schema::of(asked.entity_type))
            .into_iter()
            .filter_map(active)
            .collect()
    }

    /// How often the records are scanned: for the values, and for what each of them finds.
    pub(crate) const SCANS: usize = 1 + MAX_ADDED;

    /// Counts what each value finds together with the active ones.
    pub(crate) fn run(&self, asked: &SearchAddress, ask: &Ask) -> Result<Choices, ApiError> {
        let given = asked.choices(self.parameter);
        let is_active = |value: &str| {
            given
                .iter()
                .any(|given| query_key(self.role, given) == query_key(self.role, value))
        };
        let terms = [TermsAggregation::top(MAX_ADDED + given.len(), self.facet)];
        let mut counted = ask.aggregate(&self.base, &terms, ValueAggregation::None)?;
        let values = counted.take(self.facet).buckets.into_iter().map(|bucket| bucket.value);
        let with = |value: String| {
            let all = [&given[..], &[value.as_str()]].concat().join(",");
            let address = asked.setting(&[(self.parameter, &all)]);
            let query = address.query_in(&ask.generation)?;
            Some((value, address, query))
        };
        let new = values.filter(|value| !is_active(value)).take(MAX_ADDED);
        let found: Vec<_> = new.filter_map(with).collect();
        let counts = ask.counts(found.iter().map(|(_, _, query)| query.clone()).collect())?;
        let added = found.into_iter().zip(counts);
        Ok(Choices {
            facet: self.facet,
            added: added
                .map(|((value, address, _), count)| (value, address, count))
                .collect(),
        })
    }
}

/// The groups of a page. A group with a single value is left out: its link would change nothing.
pub(crate) fn groups(context: &SearchContext, aggregation: &Aggregation, choices: &[Choices]) -> Vec<FacetGroup> {
    let asked = context.asked;
    let group = |shown: ShownFacet| {
        let counts = aggregation.facets.get(&shown.facet)?;
        let counts = of_one_level(asked, shown.facet, counts);
        let is_active = |value: &str| is_active(asked, &shown, value);
        let mut buckets: Vec<FacetBucket> = counts.buckets.iter().take(MAX_LISTED).cloned().collect();
        if counts.distinct < 2 && !buckets.iter().any(|bucket| is_active(&bucket.value)) {
            return None;
        }
        if shown.facet == Facet::Year {
            buckets.sort_by(|a, b| b.value.cmp(&a.value));
        }
        let mut other = counts.distinct - buckets.len() as u64;
        let value = |bucket: FacetBucket| {
            let is_active = is_active(&bucket.value);
            FacetValue {
                href: if is_active {
                    Some(without(asked, &shown, &bucket.value))
                } else {
                    href(context, &shown, &bucket.value)
                },
                label: shortened(&label(context, shown.facet, bucket.value)),
                count: context.t.count(bucket.count),
                is_active,
                is_added: false,
            }
        };
        let mut values: Vec<FacetValue> = buckets.into_iter().map(value).collect();
        if let Some(choices) = choices.iter().find(|choices| choices.facet == shown.facet) {
            values.retain(|value| value.is_active);
            values.extend(choices.added.iter().map(|choice| added(context, shown.facet, choice)));
            other = 0;
        }
        let more = values.split_off(values.len().min(VISIBLE));
        Some(FacetGroup {
            name: shown.facet.name(),
            values,
            more,
            other,
        })
    };
    of(Schema::of(asked.entity_type))
        .into_iter()
        .filter_map(group)
        .collect()
}

/// The counts as they are; of commodity codes, those right below the code of the search, or the highest ones.
fn of_one_level<'c>(asked: &SearchAddress, facet: Facet, counts: &'c FacetBuckets) -> Cow<'c, FacetBuckets> {
    if facet != Facet::Commodity {
        return Cow::Borrowed(counts);
    }
    let parent = asked
        .value("commodity")
        .and_then(|code| CommodityCode::parse(code).ok());
    let level = one_level(counts.clone(), parent.as_ref());
    let buckets: Vec<FacetBucket> = level.into_iter().map(|(_, bucket)| bucket).collect();
    Cow::Owned(FacetBuckets {
        distinct: buckets.len() as u64,
        buckets,
        other: 0,
    })
}

/// A value in the language of the page, where it has a name in it.
pub(crate) fn label(context: &SearchContext, facet: Facet, value: String) -> String {
    let words = match facet {
        Facet::Category => category(context.t, &value),
        Facet::Status => status(context.t, &value),
        Facet::Municipality => Some(context.place(&value)),
        Facet::NamedDepartment => Some(context.department(&value)),
        Facet::Commodity => CommodityCode::of_key(&value).map(|code| context.commodity(&code)),
        Facet::QualityFlag => quality::name(context.t, &value),
        Facet::ProcurementMethod => Some(method_name(context.asked.lang, value.clone())),
        Facet::Competition => Some(context.t.keyed("search-competition-", &value)),
        Facet::BodyClass => Some(context.t.keyed("search-body_class-", &value)),
        Facet::GovernmentLevel if GOVERNMENT_LEVELS.contains(&value.as_str()) => {
            Some(context.t.keyed("search-level-", &value))
        }
        _ => None,
    };
    words.unwrap_or(value)
}

/// The search with a value as a condition.
fn href(context: &SearchContext, shown: &ShownFacet, value: &str) -> Option<String> {
    let asked = context.asked;
    let parameter = *shown.parameters.first()?;
    match shown.facet {
        Facet::Year => Some(asked.in_year(value.parse().ok()?)),
        // A method without letters and digits cannot be searched.
        Facet::ProcurementMethod if query_key(shown.role, value).is_empty() => None,
        _ => Some(asked.with(&[(parameter, value)])),
    }
}

/// A value that is added to the active ones.
fn added(context: &SearchContext, facet: Facet, (value, search, records): &(String, SearchAddress, u64)) -> FacetValue {
    FacetValue {
        label: shortened(&label(context, facet, value.clone())),
        count: context.t.count(*records),
        href: Some(search.address()),
        is_active: false,
        is_added: true,
    }
}

/// The search without an active value; the other active ones of its facet stay.
fn without(asked: &SearchAddress, shown: &ShownFacet, value: &str) -> String {
    let [parameter] = shown.parameters else {
        return asked.dropping(shown.parameters).address();
    };
    let given = asked.choices(parameter).into_iter();
    let others: Vec<&str> = given
        .filter(|given| query_key(shown.role, given) != query_key(shown.role, value))
        .collect();
    if shown.takes_several() && !others.is_empty() {
        asked.with(&[(parameter, &others.join(","))])
    } else {
        asked.dropping(shown.parameters).address()
    }
}

/// Whether the search has this value as a condition.
fn is_active(asked: &SearchAddress, shown: &ShownFacet, value: &str) -> bool {
    if shown.facet == Facet::Year {
        let day = |name: &str, day: &str| asked.value(name) == Some(format!("{value}-{day}").as_str());
        return day("issued_after", "01-01") && day("issued_before", "12-31");
    }
    let key = |text: &str| match shown.facet {
        Facet::Vendor | Facet::NamedDepartment => shown.facet.key(text),
        _ => query_key(shown.role, text).to_lowercase(),
    };
    let Some(parameter) = shown.parameters.first() else {
        return false;
    };
    if shown.takes_several() {
        return asked
            .choices(parameter)
            .into_iter()
            .any(|given| key(given) == key(value));
    }
    asked.value(parameter).is_some_and(|given| key(given) == key(value))
}
