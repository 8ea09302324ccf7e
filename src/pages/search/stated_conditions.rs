//! The conditions that words state, as parameters of a search, and what they are called.

use crate::{
    catalog::generation::Coverage,
    model::{Date, Language, countries, fold::fold, vocabulary::known_province},
    pages::{messages::Texts, search::written_values::canonical_value},
    question::{
        period::Period,
        reading::{PeriodOf, Question},
    },
};

/// The names and values of parameters.
pub(super) type Values = Vec<(&'static str, String)>;

/// The name of a municipality or government in the language of the page, if it is known.
pub(super) fn name_of(place: &Coverage, t: Texts) -> String {
    let name = place.name(t.language());
    name.unwrap_or(&place.municipality).to_owned()
}

impl Question<'_> {
    /// Whether the text says where, after other words: "Toronto Star" may be a name.
    pub(super) fn says_where(&self, text: &str) -> bool {
        let languages = [Language::English, Language::French].into_iter();
        let names = self
            .place
            .into_iter()
            .flat_map(|place| languages.clone().filter_map(|of| place.name(of)));
        let mut names = names.chain(self.region.as_deref()).map(fold).peekable();
        let text = fold(text);
        !self.words.is_empty() && names.peek().is_some() && !names.any(|name| text.starts_with(&name))
    }

    /// The conditions, and what they are called.
    pub(super) fn conditions(&self, t: Texts, today: Date) -> (Values, Vec<String>) {
        let (mut values, mut label): (Values, _) = (Vec::new(), Vec::new());
        if let Some(buyer) = &self.buyer {
            values.push(("body", buyer.id.clone()));
            label.push(buyer.name.clone());
        }
        if let Some(place) = self.place {
            values.push(("municipality", place.municipality.clone()));
            label.push(name_of(place, t));
        }
        self.of_firms(t, &mut values, &mut label);
        if let Some(region) = &self.region {
            values.push(("region", region.clone()));
            let is_province = known_province(region).is_some();
            label.push(if is_province {
                region.clone()
            } else {
                t.with("search-in-region", &[("region", region)])
            });
        }
        if let Some(level) = self.level {
            values.push(("level", level.to_owned()));
            label.push(t.keyed("search-level-", level));
        }
        if let Some(category) = self.category {
            values.push(("category", category.to_owned()));
            label.push(uncapitalized(&t.keyed("search-category-", category)));
        }
        if let Some(class) = self.body_class {
            values.push(("body_class", class.to_owned()));
            label.push(t.keyed("search-body_class-", class));
        }
        if let Some(period) = &self.period {
            self.period(t, period, &mut values, &mut label);
        }
        if self.without_competition {
            values.push(("competition", "none".to_owned()));
            label.push(t.text("search-competition-none"));
        }
        if self.amended {
            values.push(("amended", "true".to_owned()));
            label.push(t.keyed("search-amended-", "true"));
        }
        if self.open {
            let is_closing = self.period_of == PeriodOf::Closing;
            values.push(("status", "Open".to_owned()));
            values.extend((!is_closing).then(|| ("closing_after", today.to_string())));
            label.push(uncapitalized(&t.text(if is_closing {
                "search-status-Open"
            } else {
                "search-open-today"
            })));
        }
        if self.soon == Some(PeriodOf::Ending) {
            values.push(("ending_after", today.to_string()));
        }
        self.values(t, &mut values, &mut label);
        (values, label)
    }

    /// The conditions of where the suppliers are.
    fn of_firms(&self, t: Texts, values: &mut Values, label: &mut Vec<String>) {
        if let Some(city) = &self.firms_in {
            values.push(("vendor_city", city.fr.clone()));
            let name = match t.language() {
                Language::English => &city.en,
                Language::French => &city.fr,
            };
            label.push(t.with("search-suppliers-in", &[("city", name)]));
        }
        if let Some(key) = &self.country {
            values.push(("vendor_country", countries::written(key).to_owned()));
            label.push(match countries::name(key, t.language()) {
                Some(name) => t.with("search-suppliers-of-country", &[("country", &name)]),
                None => t.keyed("search-suppliers-", key),
            });
        }
    }

    fn period(&self, t: Texts, period: &Period, values: &mut Values, label: &mut Vec<String>) {
        let ([after, before], text) = match self.period_of {
            PeriodOf::Records => (["issued_after", "issued_before"], None),
            PeriodOf::Closing => (["closing_after", "closing_before"], Some("search-closing-in")),
            PeriodOf::Ending => (["ending_after", "ending_before"], Some("search-ending-in")),
        };
        let day = |parameter, written: &String| canonical_value(parameter, written).unwrap_or_else(|| written.clone());
        values.push((after, day(after, &period.first)));
        values.extend(period.last.iter().map(|last| (before, day(before, last))));
        label.push(text.map_or_else(
            || period.label.clone(),
            |text| t.with(text, &[("period", &period.label)]),
        ));
    }

    /// The conditions of values, and the order.
    fn values(&self, t: Texts, values: &mut Values, label: &mut Vec<String>) {
        let bounds = [
            ("value_min", self.value_min, "search-condition-value_min"),
            ("value_max", self.value_max, "search-condition-value_max"),
        ];
        for (name, bound, text) in bounds {
            let Some(bound) = bound else { continue };
            values.push((name, bound.to_string()));
            label.push(format!(
                "{} {}",
                uncapitalized(&t.text(text)),
                t.money_rounded(bound as f64)
            ));
        }
        if let Some([by, order]) = self.order {
            values.push(("sort_by", by.to_owned()));
            values.extend((order == "asc").then(|| ("sort_order", order.to_owned())));
            // The amount of an amendment is not what they are ordered by.
            let text = if self.amended && by == "value" {
                t.text("search-amended-largest")
            } else {
                t.keyed("search-sort-", &format!("{by}-{order}"))
            };
            label.push(uncapitalized(&text));
        }
    }
}

/// A condition as it is called after others: "highest value first".
fn uncapitalized(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_lowercase);
    first.chain(rest).collect()
}
