//! Charts: typed figures in, accessible SVG and a table of the same figures out.
//!
//! Each chart is a struct that a page fills and shows with `{{ chart }}`. Its template draws it. The
//! crates that draw charts (`plotters`, `charming`) have no titles for single marks, no table and no
//! classes for a stylesheet, so scales and axes are this folder's own, in `scale.rs`.
//!
//! Horizontal positions are percentages of the width, and vertical ones are pixels. So a chart fills
//! any width and its texts keep their size.
//!
//! **Invariants:** a mark never differs from another by colour alone; bars start at zero; nothing has
//! an inline style.

mod bid_dots;
mod compared_years;
mod coverage_grid;
mod dot_plot;
mod from_counts;
mod length;
mod measure;
mod ranked_bars;
mod scale;
mod timeline;
mod year_bars;
mod years;

pub(crate) use bid_dots::{BidDot, BidDots, BidOutcome};
pub(crate) use compared_years::ComparedYears;
pub(crate) use coverage_grid::{CoverageGrid, CoverageRow, YearCount};
pub(crate) use dot_plot::{Band, Dot, DotPlot, MarkKind, ValueMark};
pub(crate) use from_counts::{largest, year_values};
pub(crate) use ranked_bars::{RankedBars, RankedRow};
pub(crate) use timeline::{EventKind, Timeline, TimelineEvent};
pub(crate) use year_bars::YearBars;
pub(crate) use years::{YearGap, YearValue, gap_of, gaps, usual_years, with_gap};
