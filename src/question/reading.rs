//! What a text asks for: conditions, and the words that are left.
//!
//! "Who won paving in Toronto 2015" asks for paving, in a place and a year, and "gré à gré" for a method.

use crate::{
    catalog::{generation::Coverage, suppliers::SupplierList},
    model::{Date, EntityType, body_class::class_of, fold::fold},
    question::{
        amounts::take_bound,
        asked_for::{
            Asking, asks_for_contracts, asks_for_most_contracts, asks_for_share, content, is_about_contracts,
            is_question, order, take_amendments, take_by_year, take_firms_at_end, take_share, without_firms,
            without_question,
        },
        asking_words::{
            GREW, NOW, PHRASES, PHRASES_IN_QUESTIONS, begins_question, take_divisions, take_from_government,
            take_order, take_public_contracts, take_ranking,
        },
        bids::take_never_won,
        body_classes::class_named,
        buyers::Buyer,
        competition::take_without_competition,
        countries::take_country,
        entity_types::{take_entity_types, take_one_of_type},
        firm_names::{with_article, without_possessive},
        last_price::take_last_price,
        levels::{has_lower_case, take_cities, take_level},
        near_period,
        open_calls::take_are_open,
        period::Period,
        places::City,
        takes::Takes,
        when_it_ends::take_when_it_ends,
        words::{Word, joined, remove_phrase, remove_phrase_between, words},
    },
};

/// What a text asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Question<'a> {
    pub(crate) words: String,
    pub(crate) buyer: Option<Buyer>,
    pub(crate) place: Option<&'a Coverage>,
    /// Whether a word for firms is among the words.
    pub(crate) names_firms: bool,
    /// The city of the suppliers.
    pub(crate) firms_in: Option<City>,
    /// The key of their country.
    pub(crate) country: Option<String>,
    /// The region where the purchase is delivered, as it was written.
    pub(crate) region: Option<String>,
    pub(crate) level: Option<&'static str>,
    /// The category of what is bought.
    pub(crate) category: Option<&'static str>,
    /// The class of the buyers.
    pub(crate) body_class: Option<&'static str>,
    pub(crate) period: Option<Period>,
    pub(crate) period_of: PeriodOf,
    /// Whether it asks for what was bought without competition.
    pub(crate) without_competition: bool,
    /// Whether it asks for amended contracts.
    pub(crate) amended: bool,
    /// Whether it asks which share of other records these are.
    pub(crate) asks_for_share: bool,
    /// Whether it asks for those with most contracts, instead of the highest value.
    pub(crate) by_number: bool,
    /// The entity types that it asks for.
    pub(crate) wanted: &'static [EntityType],
    pub(crate) has_conditions: bool,
    /// Whether it asks for several years, or each year, of a buyer or a place. "Snow removal 2023 2024" may be a title.
    pub(crate) has_years: bool,
    /// Whether it asks for tenders that take bids.
    pub(crate) open: bool,
    /// The lowest and the highest value, in dollars.
    pub(crate) value_min: Option<u64>,
    pub(crate) value_max: Option<u64>,
    /// Whether it asks for what ends, or closes, next.
    pub(crate) soon: Option<PeriodOf>,
    /// `sort_by` and `sort_order`, for the largest, the newest or the next first.
    pub(crate) order: Option<[&'static str; 2]>,
}

/// The most words of a text that says more than words. What follows is bounded by it: each run of words is looked up as
/// a name.
const MAX_QUESTION_WORDS: usize = 30;

/// What asks for a sum or a price at the end of a text.
const TOTALS: &str = "\
    contrats au total|original value|valeur initiale|valeur originale|cost|costs|cout|couts|montant total|number of contracts|price|prices|prix|total|total amount|\
    total contracts|total number of contracts|total value|totaux|valeur totale";

const REVENUES: &str = "revenue|revenues|revenus";

/// Words for the category of construction.
const CONSTRUCTION: [&str; 5] = [
    "construction",
    "construction work",
    "construction works",
    "travaux construction",
    "travaux de construction",
];

/// How contracts cost more than before.
const BY_AMENDMENTS: &str = "\
    after amendment|after amendments|by amendment|by amendments|par avenant|par avenants|par des avenants|through amendment|through amendments|\
    with amendments";
/// What else contracts are called that cost more than before.
const ENDED: &str = "completed|ended|finished|termine|termines";

/// Which days of the records a period is about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum PeriodOf {
    #[default]
    Records,
    /// The last day for bids.
    Closing,
    /// The end of a contract or an offer.
    Ending,
}

/// A text without the words of a question, a period, a method and so on: the names and the things that it is about,
/// among which a year or "how much" would count as rare words. `None` if that is the text itself, or nothing.
pub(crate) fn subject(text: &str, suppliers: Option<&SupplierList>) -> Option<String> {
    let takes = Takes {
        suppliers,
        ..Takes::all_but_names()
    };
    let words = read(text, takes)?.words;
    (!words.is_empty() && words != text.trim()).then_some(words)
}

/// The names and the things that a part of a question is about. `None` if all its words only ask.
pub(crate) fn subject_of_question(text: &str, suppliers: &SupplierList) -> Option<String> {
    let takes = Takes {
        suppliers: Some(suppliers),
        in_question: true,
        ..Takes::all_but_names()
    };
    let about = read(text, takes).map(|question| question.words);
    about.filter(|about| !about.is_empty())
}

/// Whether a text has operators of the query language.
pub(crate) fn has_operators(text: &str) -> bool {
    let is_operator = |word: &str| word == "OR" || word.starts_with('-') || word.contains('"');
    text.split_whitespace().any(is_operator)
}

/// What a text asks for.
///
/// `None` for a text with operators of the query language, and if neither words nor two conditions are left.
pub(crate) fn read<'a>(text: &str, takes: Takes<'a>) -> Option<Question<'a>> {
    if has_operators(text) {
        return None;
    }
    let mut written = words(text);
    if written.len() > MAX_QUESTION_WORDS {
        return None;
    }
    let has_names = has_lower_case(&written);
    let is_start_of_firm = |start: &str| takes.suppliers.is_some_and(|suppliers| suppliers.has_name_from(start));
    let mut question = Question::of_time_and_order(&mut written, takes, is_start_of_firm);
    take_from_government(&mut written);
    let by_year = take_by_year(&mut written);
    let asks = by_year | take_asking(&mut written) || takes.in_question;
    let is_question = asks || is_question(&written) || question.order.is_some();
    // A name may follow an amount: "under 25,000 RCMP".
    question.take_names(&mut written, takes);
    let is_of_buyer = question.take_asked_of_buyer(&mut written, takes);
    let of_firms =
        asks_for_firms(text, &mut written, takes) || question.firms_in.is_some() || question.country.is_some();
    let is_question = question.take_total(text, &mut written, takes) || of_firms || is_of_buyer || is_question;
    let of_cities = takes.level && take_cities(&mut written, is_question);
    let mut bound = |name| takes.values.then(|| take_bound(&mut written, name)).flatten();
    [question.value_min, question.value_max] = ["value_min", "value_max"].map(&mut bound);
    question.without_competition = takes.competition && take_without_competition(&mut written);
    // "Modified starch" is a thing.
    let of_contracts = question.order.is_some() || asks_for_contracts(&written);
    question.amended = takes.amended && of_contracts && Asking::Amended.take(&mut written) || question.amended;
    while question.amended && Asking::Amended.take(&mut written) {}
    let are_open = takes.open && take_are_open(&mut written, is_question);
    question.asks_for_share = question.take_share(&mut written, is_question);
    let of_one = question.take_one(&mut written);
    // "Which tenders are open?"
    let mut written = without_question(&written, is_question);
    let is_open = takes.open && Asking::OpenTenders.take(&mut written);
    question.open = is_open || are_open || question.soon == Some(PeriodOf::Closing);
    question.wanted = match take_entity_types(&mut written) {
        [] => of_one,
        types => types,
    };
    if takes.level && question.level.is_none() {
        question.level = take_level(&mut written, has_names, is_start_of_firm).or(of_cities.then_some("municipal"));
    }
    let has_buyer_or_place = question.buyer.is_some() || question.place.is_some();
    let has_years = by_year || question.period.as_ref().is_some_and(Period::has_several_years);
    question.has_years = has_years && has_buyer_or_place;
    let may_be_amended = takes.amended && (of_contracts || has_buyer_or_place);
    question.amended |= may_be_amended && take_amendments(&mut written, is_question, has_buyer_or_place);
    let (conditions, alone) = question.counted(&written);
    if conditions == 0 && !is_question && !is_about_contracts(&written, is_start_of_firm) {
        return None;
    }
    question.has_conditions = conditions > 0;
    question.words = question.about(text, content(written, is_question), takes.suppliers);
    let alone = question.read_rest(takes.category && conditions > 0) || alone;
    let is_search = !question.words.is_empty() || conditions > 1 || alone || is_question && conditions > 0;
    is_search.then_some(question)
}

/// Removes the word for firms at the end of words that are not the name of one: "RCMP body armour suppliers".
fn asks_for_firms(text: &str, written: &mut Vec<Word>, takes: Takes) -> bool {
    let is_name = takes.suppliers.is_some_and(|suppliers| suppliers.has_name_from(text));
    !is_name && take_firms_at_end(written)
}

/// Removes the phrases that ask, and those for now, which do not. False if none asks.
fn take_asking(written: &mut Vec<Word>) -> bool {
    remove_phrase(written, NOW);
    if begins_question(written) {
        remove_phrase(written, PHRASES_IN_QUESTIONS);
    }
    let is_order = take_order(written);
    let is_price = take_last_price(written);
    let is_ranking = take_ranking(written) | take_divisions(written) | take_public_contracts(written);
    let mut asks = is_ranking | take_never_won(written) || is_order || is_price;
    while remove_phrase(written, PHRASES) {
        asks = true;
    }
    asks
}

/// Removes the words for contracts that cost more than before, next to a word for contracts or if they are all.
fn take_grew(written: &mut Vec<Word>) -> bool {
    let mut rest = written.clone();
    let grew = remove_phrase(&mut rest, GREW) && (asks_for_contracts(&rest) || content(rest.clone(), true).is_empty());
    if grew {
        remove_phrase(&mut rest, ENDED);
        remove_phrase(&mut rest, BY_AMENDMENTS);
        *written = rest;
    }
    grew
}

impl<'a> Question<'a> {
    /// Removes the period, the country of firms, and the order, which are among no names.
    fn of_time_and_order(
        written: &mut Vec<Word>,
        takes: Takes,
        is_start_of_firm: impl Fn(&str) -> bool,
    ) -> Question<'a> {
        let mut question = Question {
            soon: takes.soon.then(|| soon(written, takes)).flatten(),
            ..Question::default()
        };
        if let Some((period, of)) = period(written, takes) {
            (question.period, question.period_of) = (Some(period), of);
        }
        if takes.vendor_country {
            question.country = take_country(written, is_start_of_firm);
        }
        // Before the order: "largest increases".
        question.amended = takes.amended && take_grew(written);
        question.order = question.take_order(written, takes);
        question.by_number = question.order.is_none() && asks_for_most_contracts(written);
        question
    }

    /// Removes what asks for an order, such as that of what ends or closes next.
    fn take_order(&self, written: &mut Vec<Word>, takes: Takes) -> Option<[&'static str; 2]> {
        match self.soon {
            Some(PeriodOf::Closing) => Some(["closing", "asc"]),
            Some(_) => Some(["ending", "asc"]),
            None if takes.ending && takes.order && take_when_it_ends(written) => Some(["ending", "desc"]),
            None => takes.order.then(|| order(written)).flatten(),
        }
    }

    /// Removes words that only say what the buyer is, "hôpital CHUS", and returns whether they do. Other words may be
    /// the category of what is bought, which few records have as a word.
    fn read_rest(&mut self, may_be_category: bool) -> bool {
        let rest = fold(&self.words);
        let class = class_named(&rest);
        let of_buyer = self.buyer.as_ref().map(|buyer| class_of(&buyer.name, None));
        if class.is_some() && class == of_buyer {
            self.words.clear();
            return true;
        }
        if may_be_category && CONSTRUCTION.contains(&rest.as_str()) {
            (self.category, self.words) = (Some("CNST"), String::new());
        }
        false
    }

    /// What the words that are left are about, as a name or a thing. `text`: all words.
    fn about(&self, text: &str, left: String, suppliers: Option<&SupplierList>) -> String {
        let about = without_possessive(left, suppliers);
        let about = if self.has_name() { without_firms(about) } else { about };
        with_article(text, about, suppliers)
    }

    /// Removes the entity type of the one record that the order asks for.
    fn take_one(&self, written: &mut Vec<Word>) -> &'static [EntityType] {
        let asks_for_one = matches!(self.order, Some(["value" | "date", _])) && !asks_for_contracts(written);
        if asks_for_one { take_one_of_type(written) } else { &[] }
    }

    /// Removes what asks for the share of a condition that it states.
    fn take_share(&self, written: &mut Vec<Word>, is_question: bool) -> bool {
        let has_part = self.without_competition || self.amended;
        is_question && asks_for_share(written) || has_part && take_share(written)
    }

    /// Whether it says whose contracts, or where.
    fn has_name(&self) -> bool {
        let is_somewhere = self.place.is_some() || self.region.is_some() || self.firms_in.is_some();
        self.buyer.is_some() || self.body_class.is_some() || is_somewhere
    }

    /// Removes what asks for a sum at the end of words that are not the name of a firm: "Acme Toronto total".
    fn take_total(&self, text: &str, written: &mut Vec<Word>, takes: Takes) -> bool {
        let is_name = takes.suppliers.is_some_and(|suppliers| suppliers.has_name_from(text));
        let has_other = |before: &[Word]| !before.is_empty() || self.has_name();
        // "Parking meter revenue" is a thing.
        let is_of_firm = |before: &[Word]| {
            takes
                .suppliers
                .is_some_and(|firms| firms.has_name_from(&joined(before)))
        };
        !is_name
            && (remove_phrase_between(written, TOTALS, |before, after| has_other(before) && after.is_empty())
                || remove_phrase_between(written, REVENUES, |before, after| {
                    is_of_firm(before) && after.is_empty()
                }))
    }

    /// How many conditions there are, and whether they are a search without further words. `written`: what is left.
    fn counted(&self, written: &[Word]) -> (usize, bool) {
        let alone = self.region.is_some()
            || self.country.is_some()
            || self.without_competition
            || self.open
            || self.amended
            || self.period_of != PeriodOf::Records
            || self.order.is_some()
            || self.value_min.or(self.value_max).is_some();
        let named = [
            self.place.is_some() || self.firms_in.is_some(),
            self.buyer.is_some(),
            self.level.is_some(),
            self.body_class.is_some(),
            self.period.is_some(),
        ];
        let named = named.into_iter().filter(|is_one| *is_one).count();
        let of_contracts = asks_for_contracts(written);
        let has_type = !self.wanted.is_empty() && !of_contracts;
        let alone = alone || named > 0 && of_contracts;
        (named + usize::from(has_type) + usize::from(alone), alone)
    }
}

/// Removes the words that ask for what ends or closes next.
fn soon(written: &mut Vec<Word>, takes: Takes) -> Option<PeriodOf> {
    let kinds = [
        (takes.ending, Asking::EndingSoon, PeriodOf::Ending),
        (takes.open && takes.closing, Asking::ClosingSoon, PeriodOf::Closing),
    ];
    kinds
        .into_iter()
        .find_map(|(is_taken, asking, of)| (is_taken && asking.take(written)).then_some(of))
}

/// Removes a period near today, in which contracts or calls end.
fn period_to_come(written: &mut Vec<Word>, today: Date) -> Option<Period> {
    near_period::take_until(written, today).or_else(|| near_period::take(written, today, true))
}

/// Removes the period of the words, and those that say which days it is about.
fn period(written: &mut Vec<Word>, takes: Takes) -> Option<(Period, PeriodOf)> {
    let kinds = [
        (takes.closing, Asking::Closing, PeriodOf::Closing),
        (takes.ending, Asking::Ending, PeriodOf::Ending),
    ];
    for (_, asking, of) in kinds.into_iter().filter(|(is_taken, ..)| *is_taken) {
        // "Ending in 3 months": "in" is of the period, in "ending in 2027" of the words before.
        let mut rest = written.clone();
        if let Some(period) = period_to_come(&mut rest, takes.today)
            && asking.take_of_day(&mut rest)
        {
            *written = rest;
            return Some((period, of));
        }
        let mut rest = written.clone();
        if asking.take_of_day(&mut rest)
            && let Some(period) = Period::take(&mut rest, takes.today)
        {
            *written = rest;
            return Some((period, of));
        }
    }
    let mut take = || Period::take(written, takes.today).or_else(|| near_period::take(written, takes.today, false));
    let period = takes.year.then(&mut take).flatten();
    period.map(|period| (period, PeriodOf::Records))
}

#[cfg(test)]
mod tests;
