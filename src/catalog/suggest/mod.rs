//! What typed words may mean: suppliers, departments, commodity codes and municipalities, found by their names with
//! spelling errors forgiven.

mod index;
mod words;

pub(crate) use index::{Found, Likeness, MeaningType, Named, SuggestIndex, SuggestNames};
