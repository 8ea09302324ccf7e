//! The same search with conditions in place of words: as words, each of them would have to be in the text of a record.

use crate::{
    catalog::{generation::Generation, suppliers::Party},
    model::{Date, EntityType, Role, Schema},
    pages::{
        format::shortened,
        messages::Texts,
        search::{
            related::Related,
            search_address::SearchAddress,
            stated_conditions::{Values, name_of},
        },
    },
    query::SearchQuery,
    question::{
        asked_for::{asks_for_contracts, content},
        bids::BidsAsked,
        buyers::BodyNames,
        entity_types::entity_types,
        reading::{Question, read},
        takes::Takes,
        words::{is_in, search_words, words},
    },
};

/// The same search with conditions in place of words, in one entity type.
pub(crate) struct Split {
    pub(crate) asked: SearchAddress,
    pub(crate) query: SearchQuery,
    /// The words that are left.
    pub(crate) words: String,
    /// The conditions in words. Without any, the words of a question are left out.
    pub(crate) conditions: Vec<String>,
    /// Whether the words ask for something else than words: conditions, or an entity type.
    pub(crate) has_conditions: bool,
    /// The entity types that the words or the address ask for; none for any.
    pub(crate) wanted: Vec<EntityType>,
    /// The entity type that the buyer among the words has most records of.
    pub(crate) of_buyer: Option<EntityType>,
    /// The records of which the words ask for a share.
    pub(crate) of_all: Option<Related>,
    /// The same search in the region that is called like its municipality: "Laval".
    pub(crate) of_region: Option<Related>,
    /// The same search of the suppliers in its municipality.
    pub(crate) of_city: Option<Related>,
    /// Whether the words ask for several years, or each year, of a buyer or a place. "Snow removal 2023 2024" may be a
    /// title.
    pub(super) has_years: bool,
    /// Whether the words ask for calls that take bids: words find those of other days.
    is_open: bool,
    /// What the municipality or government among the conditions is called.
    pub(super) place: Option<String>,
    /// Whether the words say where, and others are left: "Laval" is in the name of a university, too.
    is_in_place: bool,
    /// Whether the words say who buys or where, and no word is left.
    is_whole: bool,
    /// Whether only words for contracts are left out: "landscaping contracts" are all for landscaping.
    is_of_contracts: bool,
}

/// The part of the page that counts the records by competition.
const BY_COMPETITION: &str = "#facet-competition";

/// What finds so many times as many records as the words is shown first.
const MORE_THAN_WORDS: u64 = 5;

/// Whether the words are in so few records, of as many that they mean, that these have all of them by chance.
pub(super) fn is_by_chance(of_words: u64, meant: u64) -> bool {
    meant >= of_words.saturating_mul(MORE_THAN_WORDS)
}

/// Whether words ask for entity types of which there is no record. What else the words say may be in others.
pub(super) fn has_none_of(generation: &Generation, named: &[EntityType]) -> bool {
    !named.is_empty() && named.iter().all(|of| generation.manifest_of(*of).records == 0)
}

/// Whether `about` is a text without its words for contracts.
fn leaves_out_contracts(text: &str, about: &str) -> bool {
    let written = words(text);
    asks_for_contracts(&written) && content(written, false) == about
}

/// What "it" in small letters is information technology before.
const TRADE_OF_IT: &str =
    "companies|consultants|consulting|contract|contracts|equipment|firms|services|suppliers|support|vendors";

/// A text with some words as they are meant: "IT" is information technology in capitals or before a word for who sells
/// it, and a pronoun elsewhere; and a question word that is often misspelled.
fn as_meant(text: &str) -> String {
    let has_capitals_only = !text.contains(char::is_lowercase);
    let written: Vec<&str> = text.split(' ').collect();
    let is_of_trade = |number: usize| {
        let next = written.get(number + 1).map(|word| word.to_lowercase());
        next.is_some_and(|next| is_in(TRADE_OF_IT, &next))
    };
    let words = written.iter().enumerate().map(|(number, word)| match *word {
        "IT" if !has_capitals_only => "information technology",
        "it" if is_of_trade(number) => "information technology",
        "wich" => "which",
        "Wich" => "Which",
        word => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

impl Split {
    /// In each entity type that the words may be about. Empty if the words state no further condition, or nothing else.
    /// Where an entity type has fewer fields, others leave fewer words.
    pub(crate) fn all(asked: &SearchAddress, generation: &Generation, today: Date) -> Vec<Split> {
        let Some(text) = asked.value("q").map(as_meant) else {
            return Vec::new();
        };
        let text = text.as_str();
        if BidsAsked::take(&mut words(text)) == Some(BidsAsked::OneBidder) {
            return Vec::new();
        }
        let named = entity_types(text);
        let stated = asked.stated_kind();
        let wanted = match stated {
            Some(stated) if named.is_empty() || named.contains(&stated) => vec![stated],
            _ if has_none_of(generation, named) => Vec::new(),
            _ => named.to_vec(),
        };
        let is_wanted = |of: &EntityType| wanted.is_empty() || wanted.contains(of);
        let types = EntityType::ALL.into_iter().filter(is_wanted);
        let bodies = BodyNames::of(generation.parties(Party::Body));
        let mut all: Vec<Split> = Vec::new();
        for of in types {
            let (asked, has_all) = asked.of_other(of);
            let split = has_all
                .then(|| Split::of(&asked, text, generation, (&bodies, today)))
                .flatten();
            all.extend(split.map(|split| Split {
                wanted: wanted.clone(),
                ..split
            }));
        }
        // Calls for tenders have no suppliers: those of the city itself are not asked for.
        if all.iter().any(Split::is_of_firms_in_city) {
            all.retain(Split::is_of_firms_in_city);
        }
        let most = all.iter().map(|split| split.conditions.len()).max();
        all.retain(|split| Some(split.conditions.len()) == most);
        all
    }

    /// Of a part of a question about the bids on calls; `asked` is a search of calls without words. The second value
    /// says whether a condition is left out that bids do not have. `None` for federal calls, whose bids no source has.
    pub(super) fn of_bids(
        asked: &SearchAddress,
        text: &str,
        generation: &Generation,
        today: Date,
    ) -> Option<(Split, bool)> {
        let bodies = BodyNames::of(generation.parties(Party::Body));
        let takes = Takes {
            in_question: true,
            ..Takes::of(asked, generation, (&bodies, today))
        };
        let question = read(text, takes).filter(|question| question.level != Some("federal"))?;
        let of_bids = question.of_bids();
        let is_wider = of_bids != question;
        Some((
            Split::of_question(asked, text, generation, (of_bids, takes, today))?,
            is_wider,
        ))
    }

    /// Of a part of a text; `asked` has no further words. `in_question`: whether the words of a question are left out;
    /// `with_names`: whether buyers, places and regions are conditions. An order is none of its conditions.
    pub(super) fn of_part(
        asked: &SearchAddress,
        text: &str,
        (generation, today): (&Generation, Date),
        (in_question, with_names): (bool, bool),
    ) -> Option<Split> {
        let bodies = BodyNames::of(generation.parties(Party::Body));
        let all = Takes::of(asked, generation, (&bodies, today));
        let takes = Takes {
            in_question,
            buyers: all.buyers.filter(|_| with_names),
            places: if with_names { all.places } else { &[] },
            region: all.region && with_names,
            ..all
        };
        Split::taking(asked, text, generation, (takes, today))
    }

    fn of(
        asked: &SearchAddress,
        text: &str,
        generation: &Generation,
        (bodies, today): (&BodyNames, Date),
    ) -> Option<Split> {
        let takes = Takes::of(asked, generation, (bodies, today));
        Split::taking(asked, text, generation, (takes, today))
    }

    fn taking(
        asked: &SearchAddress,
        text: &str,
        generation: &Generation,
        (takes, today): (Takes, Date),
    ) -> Option<Split> {
        Split::of_question(asked, text, generation, (read(text, takes)?, takes, today))
    }

    fn of_question(
        asked: &SearchAddress,
        text: &str,
        generation: &Generation,
        (question, takes, today): (Question, Takes, Date),
    ) -> Option<Split> {
        let t = Texts::of(asked.lang);
        let (values, label) = question.conditions(t, today);
        if question.words == text && values.is_empty() && !takes.in_question {
            return None;
        }
        let asked = if question.words.is_empty() {
            asked.dropping(&["q"])
        } else {
            asked.setting(&[("q", &search_words(&question.words))])
        };
        let with = |values: &Values| {
            let given: Vec<(&'static str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
            asked.setting(&given)
        };
        let related = |question: &Question, of_page: &str| {
            let (values, label) = question.conditions(t, today);
            let asked = with(&values);
            Some(Related {
                query: asked.query_in(generation)?,
                href: asked.address() + of_page,
                label: named(&asked, &question.words, &label),
                asked,
            })
        };
        let of_page = question.without_competition.then_some(BY_COMPETITION);
        let of_all = question.of_all();
        let of_all = of_all.and_then(|all| related(&all, of_page.unwrap_or_default()));
        let of_place = |takes: bool, question: Option<Question>| related(&question.filter(|_| takes)?, "");
        let of_region = of_place(takes.region, question.of_region(asked.lang));
        let of_city = of_place(takes.vendor_city, question.of_city());
        let asked = SearchAddress {
            by_number: question.by_number,
            ..with(&values)
        };
        Some(Split {
            query: asked.query_in(generation)?,
            asked,
            of_all,
            of_region,
            of_city,
            has_conditions: question.has_conditions,
            wanted: Vec::new(),
            place: question.place.map(|place| name_of(place, t)),
            has_years: question.has_years,
            is_open: question.open,
            is_in_place: question.says_where(text),
            is_of_contracts: label.is_empty() && leaves_out_contracts(text, &question.words),
            conditions: label,
            is_whole: question.words.is_empty() && (question.buyer.is_some() || question.place.is_some()),
            words: question.words,
            of_buyer: question.buyer.and_then(|buyer| buyer.most),
        })
    }

    fn is_of_firms_in_city(&self) -> bool {
        self.asked.value("vendor_city").is_some()
    }

    /// Whether it is shown before what the words find as words. `records`: what it finds; `total`: what they find.
    pub(crate) fn leads(&self, records: u64, total: u64) -> bool {
        let is_in_place = self.is_in_place && records >= total;
        let is_meant = self.has_years || self.is_open || self.is_of_contracts || is_in_place;
        // None open is an answer: what "open tenders for salt" finds as words is closed, or has them by chance.
        let asks_for_open = self.is_open && self.wanted == [EntityType::Tender];
        self.is_whole || asks_for_open || records > 0 && (is_meant || is_by_chance(total, records))
    }

    /// What the search is called: `about` is the name of what is left of its words.
    pub(crate) fn label(&self, about: &str) -> String {
        named(&self.asked, about, &self.conditions)
    }
}

/// What a search is called: the name of what its words are about, and its conditions.
fn named(asked: &SearchAddress, about: &str, conditions: &[String]) -> String {
    let about = Some(shortened(about)).filter(|about| !about.is_empty());
    let all: Vec<String> = about.into_iter().chain(conditions.iter().cloned()).collect();
    if all.is_empty() {
        return Texts::of(asked.lang).keyed("kinds-", asked.entity_type.name());
    }
    all.join(", ")
}

impl<'a> Takes<'a> {
    fn of(asked: &SearchAddress, generation: &'a Generation, (bodies, today): (&'a BodyNames<'a>, Date)) -> Takes<'a> {
        let schema = Schema::of(asked.entity_type);
        let can = |names: &[&str]| {
            names
                .iter()
                .all(|name| schema.accepts(name) && asked.value(name).is_none())
        };
        let places = &generation.manifest_of(asked.entity_type).coverage;
        let is_tender = asked.entity_type == EntityType::Tender;
        let has_no_order = ["sort_by", "sort_order"].iter().all(|name| asked.value(name).is_none());
        Takes {
            buyers: can(&["body", "department", "department_is"]).then_some((bodies, asked.lang)),
            suppliers: Some(generation.parties(Party::Supplier)),
            places: if can(&["municipality"]) { places } else { &[] },
            region: can(&["region"]),
            vendor_city: can(&["vendor_city"]),
            vendor_country: can(&["vendor_country"]),
            level: can(&["level"]),
            category: can(&["category"]),
            body_class: can(&["body_class"]),
            year: can(&["issued_after", "issued_before"]),
            closing: is_tender && can(&["closing_after", "closing_before"]),
            ending: can(&["ending_after", "ending_before"]),
            competition: can(&["competition"]),
            open: is_tender && can(&["status", "closing_after"]),
            amended: can(&["amended"]),
            values: can(&["value_min", "value_max"]),
            order: schema.has_role(Role::Value) && has_no_order,
            soon: has_no_order,
            today,
            in_question: false,
        }
    }
}
