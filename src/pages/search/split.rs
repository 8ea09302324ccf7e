//! Conditions among the words of a search: "who won paving in Toronto 2015" asks for paving, in a place and a year, and
//! "gré à gré" for a method. As words, each of them would have to be in the text of a record.

use crate::{
    catalog::generation::{Coverage, Generation},
    model::{Date, EntityType, Role, Schema},
    pages::{
        messages::Texts,
        place_names::place_name,
        search::{
            amounts::take_bound,
            context::shortened,
            places::{take_place, take_region},
            question::{Asking, Period, asks_for_contracts, content, is_question, without_question},
            search_address::SearchAddress,
            written_values::canonical_value,
            written_words::{Word, words},
        },
    },
    query::SearchQuery,
};

/// The same search with conditions in place of words.
pub(crate) struct Split {
    pub(crate) asked: SearchAddress,
    pub(crate) query: SearchQuery,
    /// The words that are left.
    pub(crate) words: String,
    /// The conditions in words. Without any, the words of a question are left out.
    pub(crate) conditions: Vec<String>,
    /// Whether the words ask for tenders.
    pub(crate) of_tenders: bool,
}

/// What a text says.
#[derive(Debug, Default, PartialEq)]
struct Parts<'a> {
    words: String,
    place: Option<&'a Coverage>,
    /// The region where the purchase is delivered, as it was written.
    region: Option<String>,
    period: Option<Period>,
    /// Whether the period is that of the last day for bids.
    closing: bool,
    /// Whether it asks for what was bought without competition.
    without_competition: bool,
    /// Whether it asks for tenders, and for those that take bids.
    tenders: bool,
    open: bool,
    /// The lowest and the highest value, in dollars.
    value_min: Option<u64>,
    value_max: Option<u64>,
    /// `sort_by` for the largest or the newest first.
    order: Option<&'static str>,
}

/// The conditions that a search can still take. Its words are kept where it has such a condition already.
#[derive(Clone, Copy)]
struct Takes<'a> {
    places: &'a [Coverage],
    region: bool,
    year: bool,
    closing: bool,
    competition: bool,
    tenders: bool,
    open: bool,
    values: bool,
    order: bool,
    this_year: i32,
}

impl Split {
    /// `None` if the words state no further condition, or nothing else.
    pub(crate) fn of(asked: &SearchAddress, generation: &Generation, today: Date) -> Option<Split> {
        let t = Texts::of(asked.lang);
        let text = asked.value("q")?;
        let (tenders, has_all) = asked.of_other(EntityType::Tender);
        let asks_for_tenders = has_all && asks_for_tenders(text);
        let is_of_tenders = asks_for_tenders || asked.entity_type == EntityType::Tender;
        let entity_type = if is_of_tenders {
            EntityType::Tender
        } else {
            asked.entity_type
        };
        let takes = Takes {
            tenders: asks_for_tenders,
            open: has_all && asked.value("status").or(asked.value("closing_after")).is_none(),
            closing: is_of_tenders && asked.value("closing_after").or(asked.value("closing_before")).is_none(),
            ..Takes::of(asked, &generation.manifest_of(entity_type).coverage, today)
        };
        let parts = parts(text, takes)?;
        let of_tenders = parts.tenders || parts.open || parts.closing;
        let (values, label) = parts.conditions(t, today);
        if parts.words == text && values.is_empty() {
            return None;
        }
        let asked = if of_tenders { tenders } else { asked.clone() };
        let asked = if parts.words.is_empty() {
            asked.dropping(&["q"])
        } else {
            asked.setting(&[("q", &parts.words)])
        };
        let given: Vec<(&'static str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let asked = asked.setting(&given);
        Some(Split {
            query: asked.query_in(generation)?,
            asked,
            words: parts.words,
            conditions: label,
            of_tenders,
        })
    }

    /// What the search is called: `about` is the name of what is left of its words.
    pub(crate) fn label(&self, about: &str) -> String {
        let about = Some(shortened(about)).filter(|about| !about.is_empty());
        let all: Vec<String> = about.into_iter().chain(self.conditions.iter().cloned()).collect();
        all.join(", ")
    }
}

impl<'a> Takes<'a> {
    /// Without those that only tenders take.
    fn of(asked: &SearchAddress, places: &'a [Coverage], today: Date) -> Takes<'a> {
        let schema = Schema::of(asked.entity_type);
        let has = |names: &[&str]| names.iter().any(|name| asked.value(name).is_some());
        Takes {
            places: if has(&["municipality"]) { &[] } else { places },
            region: !has(&["region"]) && schema.accepts("region"),
            year: !has(&["issued_after", "issued_before"]),
            closing: false,
            competition: !has(&["competition"]) && schema.accepts("competition"),
            tenders: false,
            open: false,
            values: !has(&["value_min", "value_max"]) && schema.accepts("value_min"),
            order: !has(&["sort_by", "sort_order"]) && schema.has_role(Role::Value),
            this_year: today.year(),
        }
    }

    /// Everything but places and regions.
    const fn all_but_places() -> Takes<'static> {
        Takes {
            places: &[],
            region: false,
            year: true,
            closing: true,
            competition: true,
            tenders: true,
            open: true,
            values: true,
            order: true,
            this_year: 0,
        }
    }
}

/// The names and values of parameters.
type Values = Vec<(&'static str, String)>;

impl Parts<'_> {
    /// The conditions, and what they are called.
    fn conditions(&self, t: Texts, today: Date) -> (Values, Vec<String>) {
        let (mut values, mut label): (Values, _) = (Vec::new(), Vec::new());
        if let Some(place) = self.place {
            values.push(("municipality", place.municipality.clone()));
            label.push(
                place_name(place, t.language())
                    .unwrap_or(&place.municipality)
                    .to_owned(),
            );
        }
        if let Some(region) = &self.region {
            values.push(("region", region.clone()));
            label.push(region.clone());
        }
        if let Some(period) = &self.period {
            let [after, before] = if self.closing {
                ["closing_after", "closing_before"]
            } else {
                ["issued_after", "issued_before"]
            };
            values.extend(canonical_value(after, &period.first).map(|day| (after, day)));
            let last = period.last.as_ref().and_then(|last| canonical_value(before, last));
            values.extend(last.map(|day| (before, day)));
            label.push(if self.closing {
                t.with("search-closing-in", &[("period", &period.label)])
            } else {
                period.label.clone()
            });
        }
        if self.without_competition {
            values.push(("competition", "none".to_owned()));
            label.push(t.text("search-competition-none"));
        }
        if self.open {
            values.push(("status", "Open".to_owned()));
            values.extend((!self.closing).then(|| ("closing_after", today.to_string())));
            label.push(t.text(if self.closing {
                "search-status-Open"
            } else {
                "search-open-today"
            }));
        }
        self.values(t, &mut values, &mut label);
        (values, label)
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
            label.push(format!("{} {}", t.text(text), t.money_rounded(bound as f64)));
        }
        if let Some(order) = self.order {
            values.push(("sort_by", order.to_owned()));
            label.push(t.keyed("search-sort-", &format!("{order}-desc")));
        }
    }
}

/// A text without the words of a question, a period, a method and so on: the names and the things that it is about,
/// among which a year or "how much" would count as rare words. `None` if that is the text itself, or nothing.
pub(crate) fn subject(text: &str) -> Option<String> {
    let words = parts(text, Takes::all_but_places())?.words;
    (!words.is_empty() && words != text.trim()).then_some(words)
}

fn asks_for_tenders(text: &str) -> bool {
    let mut written = words(text);
    Asking::WithoutCompetition.take(&mut written);
    Asking::Tenders.take(&mut written)
}

/// The parts of a text.
///
/// `None` for a text with operators of the query language, and if neither words nor two conditions are left.
fn parts<'a>(text: &str, takes: Takes<'a>) -> Option<Parts<'a>> {
    let is_operator = |word: &str| word == "OR" || word.starts_with('-') || word.contains('"');
    if text.split_whitespace().any(is_operator) {
        return None;
    }
    let mut written = words(text);
    let (period, closing) = match period(&mut written, takes) {
        Some((period, closing)) => (Some(period), closing),
        None => (None, false),
    };
    let order = takes.order.then(|| order(&mut written)).flatten();
    let mut bound = |name| takes.values.then(|| take_bound(&mut written, name)).flatten();
    let [value_min, value_max] = ["value_min", "value_max"].map(&mut bound);
    let is_question = is_question(&written) || order.is_some();
    let place = take_place(&mut written, takes.places, takes.region);
    let has_region = takes.region && place.is_none();
    let region = has_region.then(|| take_region(&mut written)).flatten();
    let without_competition = takes.competition && Asking::WithoutCompetition.take(&mut written);
    // "Which tenders are open?"
    let mut written = without_question(&written, is_question);
    let open = takes.open && Asking::OpenTenders.take(&mut written);
    let tenders = takes.tenders && Asking::Tenders.take(&mut written);
    let alone = region.is_some()
        || without_competition
        || open
        || closing
        || order.is_some()
        || value_min.or(value_max).is_some();
    let conditions = [place.is_some(), period.is_some(), tenders, alone];
    let conditions = conditions.into_iter().filter(|is_one| *is_one).count();
    if conditions == 0 && !is_question {
        return None;
    }
    let alone = alone || (period.is_some() || place.is_some()) && asks_for_contracts(&written);
    let words = content(written);
    (!words.is_empty() || conditions > 1 || alone).then_some(Parts {
        words,
        place,
        region,
        period,
        closing,
        without_competition,
        tenders,
        open,
        value_min,
        value_max,
        order,
    })
}

/// Removes the words that ask for an order.
fn order(written: &mut Vec<Word>) -> Option<&'static str> {
    let orders = [(Asking::Largest, "value"), (Asking::Newest, "date")];
    orders
        .into_iter()
        .find_map(|(of, order)| of.take(written).then_some(order))
}

/// Removes the period of the words, and those that say that it is one of last days for bids.
fn period(written: &mut Vec<Word>, takes: Takes) -> Option<(Period, bool)> {
    let mut rest = written.clone();
    let period = Period::take(&mut rest, takes.this_year)?;
    let closing = takes.closing && Asking::Closing.take(&mut rest);
    if !closing && !takes.year {
        return None;
    }
    *written = rest;
    Some((period, closing))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(slug: &str, en: &str, fr: &str) -> Coverage {
        Coverage {
            name_en: Some(en.to_owned()),
            name_fr: Some(fr.to_owned()),
            ..Coverage::of_place(slug)
        }
    }

    #[test]
    fn a_place_and_a_year_among_words_are_conditions() {
        let places = [
            row("montreal", "Montreal", "Montréal"),
            row("montreal-est", "Montréal-Est", "Montréal-Est"),
            row("quebec-city", "Quebec City", "Québec"),
            row("toronto", "Toronto", "Toronto"),
        ];
        let takes = |places, year| Takes {
            places,
            year,
            ..Takes::all_but_places()
        };
        let split = |text: &str| {
            let parts = parts(text, takes(&places, true))?;
            let place = parts.place.map(|place| place.municipality.clone()).unwrap_or_default();
            let period = parts.period.map(|period| period.label).unwrap_or_default();
            Some((parts.words, place, period))
        };
        for (text, words, place, year) in [
            ("road works montreal", "road works", "montreal", ""),
            ("Who won paving in Toronto in 2015?", "paving", "toronto", "2015"),
            (
                "Combien la ville de Montréal a dépensé pour le déneigement ?",
                "déneigement",
                "montreal",
                "",
            ),
            ("pavage montréal-est", "pavage", "montreal-est", ""),
            ("pavage montréal est", "pavage", "montreal-est", ""),
            ("city planning quebec city 2019", "city planning", "quebec-city", "2019"),
            ("qui vend du sel de route", "sel de route", "", ""),
            ("how much did Acme get in 2018", "Acme", "", "2018"),
            (
                "À qui Montréal a-t-elle acheté du sel de route ?",
                "sel de route",
                "montreal",
                "",
            ),
            ("what is the price of asphalt in Toronto", "asphalt", "toronto", ""),
            ("price adjustment Toronto", "price adjustment", "toronto", ""),
            ("how many contracts did Acme Ltd get", "Acme Ltd", "", ""),
            ("contracts in Toronto 2015", "", "toronto", "2015"),
            ("2015 audit", "audit", "", "2015"),
            ("contracts in 2015", "", "", "2015"),
            ("contracts in Toronto", "", "toronto", ""),
            ("À qui Toronto achète-t-elle du sel ?", "sel", "toronto", ""),
            ("how many contracts did Toronto award in 2015", "", "toronto", "2015"),
        ] {
            let expected = (words.to_owned(), place.to_owned(), year.to_owned());
            assert_eq!(split(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "montreal",
            "2015",
            "in Toronto",
            "snow removal",
            "the bridge",
            "\"snow\" montreal",
            "snow OR montreal",
            "snow -montreal",
            "?",
            "who won",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
        // Conditions of the search stay words.
        assert_eq!(parts("paving 2015", takes(&places, false)), None);
        assert_eq!(parts("paving Toronto", takes(&[], true)), None);
        let parts = parts("paving Toronto 2015", takes(&places, false)).unwrap();
        assert_eq!((parts.words.as_str(), parts.period), ("paving 2015", None));
        // Two years are no year.
        assert_eq!(split("audit 2015 2016"), None);
    }

    #[test]
    fn a_method_and_open_tenders_among_words_are_conditions() {
        let places = [row("montreal", "Montreal", "Montréal")];
        let takes = Takes {
            places: &places,
            ..Takes::all_but_places()
        };
        for (text, words, without_competition, open) in [
            ("contrats de gré à gré, Montréal", "", true, false),
            ("gré à gré", "", true, false),
            ("déneigement de gré à gré", "déneigement", true, false),
            ("sole-source consulting", "consulting", true, false),
            ("who got contracts without competition for salt", "salt", true, false),
            ("logiciels sans appel d’offres", "logiciels", true, false),
            ("open tenders", "", false, true),
            ("which tenders are open for snow removal?", "snow removal", false, true),
            ("appels d'offres ouverts à Montréal, pavage", "pavage", false, true),
        ] {
            let parts = parts(text, takes).unwrap_or_default();
            let found = (parts.words.as_str(), parts.without_competition, parts.open);
            assert_eq!(found, (words, without_competition, open), "{text}");
        }
        // A search that has such a condition keeps the words as they are.
        let taken = Takes {
            competition: false,
            open: false,
            ..takes
        };
        let parts = parts("travaux de gré à gré, Montréal", taken).unwrap();
        assert_eq!(parts.words, "travaux de gré à gré");
    }

    #[test]
    fn tenders_and_their_last_days_among_words_are_conditions() {
        let places = [row("toronto", "Toronto", "Toronto")];
        let takes = Takes {
            places: &places,
            ..Takes::all_but_places()
        };
        for (text, words, period, closing, open) in [
            ("tenders closing in March 2024", "", "March 2024", true, false),
            ("appels d’offres qui ferment en 2023", "", "2023", true, false),
            (
                "Which tenders for salt closed in Toronto in 2015?",
                "salt",
                "2015",
                true,
                false,
            ),
            ("open tenders closing in 2027", "", "2027", true, true),
            ("tenders for snow removal", "snow removal", "", false, false),
            ("appel d'offres pavage, mai 2016", "pavage", "mai 2016", false, false),
            ("tenders published since 2020", "", "since 2020", false, false),
        ] {
            let parts = parts(text, takes).unwrap_or_default();
            let label = parts.period.map(|period| period.label).unwrap_or_default();
            let found = (parts.words.as_str(), label.as_str(), parts.closing, parts.open);
            assert_eq!(found, (words, period, closing, open), "{text}");
        }
        assert_eq!(parts("tenders", takes), None);
        assert!(asks_for_tenders("avis d’appel d’offres 2015"));
        for text in ["logiciels sans appel d’offres", "clôture 2015"] {
            assert!(!asks_for_tenders(text), "{text}");
        }
    }

    #[test]
    fn a_region_among_words_is_a_condition_where_no_municipality_is() {
        let places = [
            row("laval", "Laval", "Laval"),
            row("quebec-city", "Quebec City", "Québec"),
        ];
        let takes = Takes {
            places: &places,
            region: true,
            ..Takes::all_but_places()
        };
        for (text, words, expected) in [
            ("tenders in Nunavut", "", Some("Nunavut")),
            ("appels d'offres en Estrie ?", "", Some("Estrie")),
            (
                "pavage dans la région du Bas-Saint-Laurent, 2016",
                "pavage",
                Some("Bas-Saint-Laurent"),
            ),
            ("salt prince edward island", "salt", Some("prince edward island")),
            ("Eastern Townships", "", Some("Eastern Townships")),
            ("contracts in Quebec", "", Some("Quebec")),
            ("appels d’offres au Québec", "", Some("Québec")),
            ("sel à Québec", "sel", None),
            ("sel ville de Québec", "sel", None),
            ("paving in Laval in Ontario", "paving in Ontario", None),
            ("pavage Laval, Québec", "pavage", None),
            ("a Quebec supplier of salt", "supplier of salt", Some("Quebec")),
            ("paving in Ontario and Quebec", "", None),
            ("9534-5322 Québec inc.", "", None),
            ("pavage Cantons-de-l’Est", "pavage", Some("Cantons-de-l’Est")),
            ("salt Newfoundland & Labrador", "salt", Some("Newfoundland & Labrador")),
        ] {
            let parts = parts(text, takes).unwrap_or_default();
            let found = (parts.words.as_str(), parts.region.as_deref());
            assert_eq!(found, (words, expected), "{text}");
        }
        assert_eq!(parts("paving on demand", takes), None);
    }

    #[test]
    fn values_and_an_order_among_words_are_conditions() {
        for (text, words, bounds, order) in [
            (
                "largest snow removal contracts",
                "snow removal",
                [None, None],
                Some("value"),
            ),
            (
                "Who are the biggest suppliers of salt?",
                "salt",
                [None, None],
                Some("value"),
            ),
            ("les plus gros contrats", "", [None, None], Some("value")),
            ("derniers contrats de sel", "sel", [None, None], Some("date")),
            ("contrats de plus d’un million", "", [Some(1_000_000), None], None),
            ("salt under 50,000", "salt", [None, Some(50_000)], None),
        ] {
            let parts = parts(text, Takes::all_but_places()).unwrap_or_default();
            let found = (parts.words.as_str(), [parts.value_min, parts.value_max], parts.order);
            assert_eq!(found, (words, bounds, order), "{text}");
        }
        let taken = Takes {
            values: false,
            order: false,
            ..Takes::all_but_places()
        };
        assert_eq!(parts("largest over 1,000,000", taken), None);
    }

    #[test]
    fn the_subject_of_a_question_is_its_names_and_things() {
        for (text, expected) in [
            ("how much did Acme get in 2018", Some("Acme")),
            ("acme 2024", Some("acme")),
            ("who won paving in Toronto in 2015?", Some("paving in Toronto")),
            ("which tenders are open in Toronto?", Some("Toronto")),
            ("largest tenders in Estrie", Some("Estrie")),
            ("Acme", None),
            ("open tenders", None),
            ("2018", None),
            ("who won", None),
        ] {
            assert_eq!(subject(text).as_deref(), expected, "{text}");
        }
    }
}
