//! The pages for people, over real HTTP.

mod access;
mod browser;
mod charts;
mod frame;
mod open;
mod paid;
mod profile;
mod record;
mod search;
mod sources;
