//! What a typed text asks for: `who won paving in Toronto 2015` is about paving, in a place and a year.
//!
//! [`reading::read`] takes a text apart, in English or French, into a [`reading::Question`]: the names, the places, the
//! period, the amounts and the order that it states, and the words that are left. What a search can take as a condition
//! is an argument ([`takes::Takes`]), so a text is read for each entity type. What does not depend on that is
//! [`asks::Asks`].
//!
//! | module | words for |
//! |---|---|
//! | `words`, `asking_words` | the written words; those that only ask, such as verbs of buying |
//! | `asked_for`, `entity_types`, `last_price`, `when_it_ends`, `open_calls`, `competition` | orders, totals, shares, averages; types; ends; what takes bids; methods |
//! | `names`, `firm_names`, `buyers`, `body_classes`, `levels`, `places`, `countries` | whose purchases, and where |
//! | `period`, `near_period`, `amounts` | when, and for how much |
//! | `bids`, `comparison` | who bid; two names |
//! | `related` | questions near to one |
//!
//! **Invariants:** a text that states nothing is not a question, and is searched for word by word. Nothing here knows
//! an address or a text of a page.

pub(crate) mod amounts;
pub(crate) mod asked_for;
pub(crate) mod asking_words;
pub(crate) mod asks;
pub(crate) mod bids;
mod body_classes;
pub(crate) mod buyers;
pub(crate) mod comparison;
mod competition;
mod countries;
pub(crate) mod entity_types;
pub(crate) mod firm_names;
mod last_price;
mod levels;
mod names;
mod near_period;
pub(crate) mod open_calls;
pub(crate) mod period;
pub(crate) mod places;
pub(crate) mod reading;
mod related;
pub(crate) mod takes;
mod when_it_ends;
pub(crate) mod words;
