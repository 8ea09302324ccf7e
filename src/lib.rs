//! Placeholder while the floors are laid.
pub mod date;
pub mod entity;
pub mod fold;
pub mod municipality;
pub mod normalize;
pub mod schema;
pub mod sources;
