//! The words of commodity codes: learns them from the records of a run, and completes the records that
//! state codes alone.
//!
//! Of several sources of words, the first that has some counts: the operator's table, the records of
//! this run, the dictionary of former runs, the table of this program. The dictionary holds all of
//! them; it is written next to the dumps, where the next run and `procure index` read it.

mod step;

pub(super) use step::CommodityStep;
