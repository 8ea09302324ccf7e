//! The pages for people, over real HTTP.

mod access;
mod average;
mod bids;
mod browser;
mod charts;
mod choices;
mod compare;
mod errors;
mod files;
mod findable;
mod frame;
mod home;
pub mod html;
mod kinds;
mod notes;
mod open;
mod paid;
mod profile;
mod questions;
mod ranked;
mod record;
mod search;
mod sources;
mod supplier;
mod take_along;
mod years;
