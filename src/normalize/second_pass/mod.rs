//! The second pass of a run, for steps that need all its records: they look at each record of the
//! finished dumps, and then add members to some.
//!
//! The dumps have their temporary names until all steps are done, so a run that fails here leaves the
//! former dumps unchanged. Only a dump that gains a member is written again. A member that a record has
//! is never replaced; the ones that are added take their place in the order of the schema.

mod insert;
mod passes;
mod step;

pub(crate) use passes::run;
pub(crate) use step::SecondPassStep;
