//! What a need was paid before: estimates that know how sure they are, comparable contracts to bid around, and the back-test of both.
//!
//! An item is what is known of a need before it is awarded. The pool holds the contracts it may be held against, rung by rung of the
//! [`answer::Level`]s; weights say how much each counts. How wide a range must be to hold as often as it
//! says is not guessed but learned from each generation's own contracts. **Invariant:** the same items on the same generation and
//! day have the same answers, to the bit; nothing here knows of Tantivy or HTTP.

pub mod answer;
pub mod backtest;
pub mod calibration;
mod comps;
mod estimate;
mod facts;
mod hidden;
mod item;
mod ladder;
mod notes;
mod percentiles;
mod pool;
mod words;
mod worth;

pub use hidden::calibrate;
use rayon::prelude::*;
pub use worth::worth;

use crate::{
    catalog::{
        generation::Generation,
        market::{
            answer::{Asked, Comps, Estimate},
            calibration::Calibration,
        },
    },
    engine::{Deadline, Engine, Error},
    model::date::Date,
};

/// The contracts of one generation, as they stand on a day.
pub struct Market<'a> {
    pub engine: &'a dyn Engine,
    pub calibration: &'a Calibration,
    /// Nothing later is looked at.
    pub today: Date,
    /// How far back contracts count: 1 to [`MOST_YEARS`].
    pub years_back: u32,
    pub deadline: Deadline,
}

/// Spec silent: how far back contracts count where nothing is said, and at most.
pub const YEARS_BACK: u32 = 5;
pub const MOST_YEARS: u32 = 20;

/// Spec silent: how many items one request may name.
pub const MOST_ITEMS: usize = 50;

/// Spec silent: how many comparables an item shows where nothing is said, and at most.
pub const SHOWN: usize = 10;
pub const MOST_SHOWN: usize = 100;

/// What of the comparables is shown.
#[derive(Clone, Debug)]
pub struct Show<'a> {
    /// 1 to [`MOST_SHOWN`].
    pub limit: usize,
    /// Records left out of rows and statistics.
    pub exclude: &'a [String],
}

impl<'a> Market<'a> {
    pub fn of(generation: &'a Generation, today: Date, years_back: u32, deadline: Deadline) -> Market<'a> {
        Market {
            engine: &*generation.engine,
            calibration: &generation.calibration,
            today,
            years_back,
            deadline,
        }
    }

    /// One estimate an item, in order.
    pub fn estimate(&self, items: &[Asked]) -> Result<Vec<Estimate>, Error> {
        items.par_iter().map(|item| self.estimate_one(item)).collect()
    }

    /// The comparables of each item, in order.
    pub fn comps(&self, items: &[Asked], show: &Show) -> Result<Vec<Comps>, Error> {
        items.par_iter().map(|item| self.comps_one(item, show)).collect()
    }
}
