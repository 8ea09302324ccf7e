//! How the words on both sides of a comparison are read: a name on each side, and conditions that are those of both.

use crate::{
    api::analysis::compared::{CONDITIONS, WORDS},
    catalog::suppliers::{Party, is_legal_form},
    model::EntityType,
    pages::{
        address::Parameters,
        search::{context::SearchContext, named::city, search_address::SearchAddress, split::Split},
    },
    question::{
        asked_for::content,
        firm_names::with_article,
        words::{Word, is_in, without_marks, words},
    },
};

/// One reading of the words of a comparison.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) names: [String; 2],
    /// The conditions, as parameters of the page of the comparison.
    pub(super) conditions: Parameters,
    /// What they are called.
    pub(super) labels: Vec<String>,
    /// The place among them.
    pub(super) place: Option<String>,
}

/// The readings of the words on both sides, those with most certain names first. In a sentence with a comma or a colon,
/// names are next to what is between the two: "Who sold more to Toronto, Acme or Zenith?"
///
/// `asks`: whether the names, and what is next to them, are of a question or of words that ask for a comparison.
/// `with_things`: whether the two may be compared for a thing that no mark and no word separates from them.
pub(super) fn readings<'r>(
    context: &'r SearchContext,
    sides: [&'r [Word<'r>]; 2],
    asks: (bool, bool),
    with_things: bool,
) -> impl Iterator<Item = Reading> + 'r {
    let [left, right] = sides;
    let (before, left_name) = left.split_at(last_mark(left));
    let (right_name, after) = right.split_at(first_mark(right));
    let has_marks = !before.is_empty() || !after.is_empty();
    let clauses = has_marks.then_some(([left_name, right_name], [before, after]));
    // "Paving in Laval vs Longueuil"
    let place = left
        .iter()
        .rposition(|(_, folded)| is_in(IN, folded))
        .filter(|place| *place > 0 && !has_marks);
    let of_places = place.map(|place| ([&left[place + 1..], right], [&left[..place], &[][..]]));
    let all: Vec<NamesAndRests> = clauses
        .into_iter()
        .chain([(sides, [&[][..], &[][..]])])
        .chain(of_places)
        .collect();
    // Each is read only if those before it name nothing.
    let things = move || with_thing(context, sides);
    let of_things = std::iter::once_with(things)
        .take(usize::from(with_things && !has_marks))
        .flatten();
    let certain = all.clone().into_iter().map(move |of| (of, asks.1, false));
    // Both names are known ones, so what is left is a thing.
    let of_things = of_things.map(|of| (of, true, false));
    let with_names = all.into_iter().map(move |of| (of, asks.1, true));
    let in_order = certain.chain(of_things).chain(with_names);
    in_order.filter_map(move |((names, rests), asks_for_rest, with_names)| {
        let mut reading = Reading::default();
        let are_read = reading.read_names(context, names, (asks.0, with_names))
            && reading.read_rests(context, rests, asks_for_rest);
        (are_read && reading.names.iter().all(|name| !name.is_empty())).then_some(reading)
    })
}

/// Two names, and what is before the first and after the second one.
type NamesAndRests<'w> = ([&'w [Word<'w>]; 2], [&'w [Word<'w>]; 2]);

/// Both names, and a thing after the second one or before the first: "Acme vs Zenith software". Each name is that of a
/// city, or begins one of a firm or a body.
fn with_thing<'w>(
    context: &'w SearchContext,
    [left, right]: [&'w [Word<'w>]; 2],
) -> impl Iterator<Item = NamesAndRests<'w>> {
    let generation = &context.ask.generation;
    let is_name = move |name: &[Word]| {
        let name = without_marks(name);
        let is_party = |party| generation.parties(party).has_name_from(&name);
        city(context.ask, context.t, &name).is_some() || is_party(Party::Supplier) || is_party(Party::Body)
    };
    let after = (1..right.len())
        .rev()
        .map(move |end| ([left, &right[..end]], [&[][..], &right[end..]]));
    let before = (1..left.len()).map(move |from| ([&left[from..], right], [&left[..from], &[][..]]));
    let all = after.take(MAX_WORDS).chain(before.take(MAX_WORDS));
    all.filter(move |(names, _)| names.iter().all(|name| is_name(name)))
}

/// How many words the thing may have.
const MAX_WORDS: usize = 4;

/// What is before the name of a place.
const IN: &str = "a|dans|in";

/// How many words there are up to the last one with a mark after it. A legal form has one before it: "Acme, Inc."
fn last_mark(written: &[Word]) -> usize {
    let is_end = |number: &usize| is_clause_end(written, *number);
    (1..written.len()).rev().find(is_end).unwrap_or_default()
}

fn first_mark(written: &[Word]) -> usize {
    let is_end = |number: &usize| is_clause_end(written, *number);
    (1..written.len()).find(is_end).unwrap_or(written.len())
}

/// Whether there is a mark between a word and the one before it.
fn is_clause_end(written: &[Word], number: usize) -> bool {
    let ((before, _), (after, folded)) = (&written[number - 1], &written[number]);
    let end = before.as_ptr() as usize + before.len();
    // Words of one text: what is between them has blanks and marks only.
    let is_apart = (after.as_ptr() as usize).saturating_sub(end) > 1;
    let is_ended = before.ends_with([',', ';', ':', '?', '!']);
    (is_ended || is_apart) && !is_legal_form(folded)
}

impl Reading {
    /// Reads the name of each side. False if the conditions next to them differ.
    fn read_names(&mut self, context: &SearchContext, names: [&[Word]; 2], (asks, with_names): (bool, bool)) -> bool {
        let suppliers = context.ask.generation.parties(Party::Supplier);
        let mut is_one = true;
        for (number, name) in names.into_iter().enumerate() {
            let text = without_marks(name);
            let split = self.split(context, &text, (asks, with_names));
            let about = split.as_ref().map_or_else(|| text.clone(), |split| split.words.clone());
            let about = with_article(&text, content(words(&about), false), Some(suppliers));
            // "la presse" is a firm next to another one.
            let is_whole = split.is_none() && suppliers.has_name_from(&text);
            self.names[number] = if is_whole { text } else { about };
            is_one &= split.is_none_or(|split| self.add(&split));
        }
        is_one
    }

    /// Reads what is before and after the names. False if it has another name, or things in a text that asks nothing.
    fn read_rests(&mut self, context: &SearchContext, rests: [&[Word]; 2], asks: bool) -> bool {
        let suppliers = context.ask.generation.parties(Party::Supplier);
        for rest in rests.into_iter().filter(|rest| !rest.is_empty()) {
            let text = without_marks(rest);
            let Some(split) = self.split(context, &text, (true, true)) else {
                continue;
            };
            let about = &split.words;
            // In small letters, "pavage" is a thing, although names of firms begin with it.
            let is_name = || about.contains(char::is_uppercase) && suppliers.has_name_from(about);
            if !about.is_empty() && (!asks || is_name()) || !self.add(&split) {
                return false;
            }
            if !about.is_empty() {
                self.conditions = self.conditions.with(WORDS, about);
                self.labels.insert(0, about.clone());
            }
        }
        true
    }

    fn split(&self, context: &SearchContext, text: &str, reads: (bool, bool)) -> Option<Split> {
        let parameters = Parameters::default().with("q", text);
        let asked = SearchAddress::of(context.asked.lang, EntityType::Contract, parameters);
        Split::of_part(&asked, text, (&context.ask.generation, context.today), reads)
    }

    /// Adds the conditions of a part. False if there is another value of one already.
    fn add(&mut self, split: &Split) -> bool {
        let known = |name: &&str| CONDITIONS.contains(name);
        for (name, value) in split.asked.conditions().into_iter().filter(|(name, _)| known(name)) {
            if self.conditions.get(name).is_some_and(|other| other != value) {
                return false;
            }
            self.conditions = self.conditions.with(name, value);
        }
        self.place = self.place.take().or_else(|| split.place.clone());
        let is_new = |label: &&String| !self.labels.contains(*label);
        let labels: Vec<String> = split.conditions.iter().filter(is_new).cloned().collect();
        self.labels.extend(labels);
        true
    }
}
