//! The engine on Tantivy: one index of one segment for each entity type, documents numbered in the
//! default order.
//!
//! **Invariant:** nothing outside this folder names the `tantivy` crate.
//!
//! The time to read a page in the default order depends on the size of the page, not on the number
//! of records or the offset. Only an order by value is linear in hits, and a search for a part of a
//! name is linear in names.
//!
//! | structure | useful for | not useful for |
//! |---|---|---|
//! | `entity_index`, `layout`: one segment in the order (date desc, record_id asc) | pages and cursors at any depth, date ranges as document ranges | updates in place, relevance ranking |
//! | `permutation`, `sort_order`: order and rank files | pages sorted by closing date or value, ranges of either | sorting by text or by relevance |
//! | `compiled_query`, `collect`: postings to read, predicates to test, a document range | stopping as soon as the page is full | counting: every match must be visited |
//! | `key_dictionary`: all distinct keys in one text | a part or the start of a vendor, department or method | roles with nearly as many keys as records |
//! | `phrase`, `adjacent_words`: a phrase query that obeys the deadline and reads each distinct word once | phrases of frequent words | scoring |
//! | `stem_tables`: finite-state sets of stem and word | words by their stem at query time, without stemmed index fields | phrases, which match as written |
//! | `facet_columns`, `match_blocks`, `tally`: dictionary-encoded entries | counting over all matches, block by block | finding the records of one value |
//! | `similarity_search`: postings of rare terms added up in windows | the best few hundred similar records | complete result lists |
//! | `record_ids`: sorted hashes of all ids | one record by its id | ids by their start |
//! | `record_store`: the records as mapped NDJSON | returning the bytes that were indexed | reading one field of many records |

mod adjacent_words;
mod aggregate;
mod amounts;
mod answer_cache;
pub(crate) mod build;
mod collect;
mod columns;
mod compiled_query;
mod counting;
mod directory;
mod engine;
mod entity_index;
mod errors;
mod facet_columns;
mod key_dictionary;
mod layout;
mod mapped_file;
mod market;
mod match_blocks;
mod near_words;
mod permutation;
mod phrase;
mod predicate;
mod record_ids;
mod record_store;
mod relevance_search;
mod relevance_window;
mod set_query;
mod similarity_search;
mod sort_order;
mod stem_tables;
mod tally;
mod value_distribution;

pub(crate) use engine::TantivyEngine;
pub(crate) use mapped_file::map_bytes;
