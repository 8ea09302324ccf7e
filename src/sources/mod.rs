//! Publishers' files become normalized records. **Only this module knows the publishers' column
//! names.**
//!
//! There is one file or folder per publisher and one row per format in [`registry::SOURCES`];
//! `reading` has what all formats share, `common` what some publishers share.

mod alberta;
pub(crate) mod common;
mod disclosure;
mod montreal;
mod novascotia;
mod pspc;
pub mod reading;
pub mod registry;
mod seao;
mod toronto;
