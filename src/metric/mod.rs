//! Metrics: what a benchmark and its monitors counted on both sides of a change.
//!
//! The nouns are a [`MetricTable`] of [`Section`]s of [`Row`]s of [`Figure`]s. They come from the figures of
//! single runs ([`read_metrics`], then [`MetricTable::compare`]) or from a comparison table that somebody
//! posted ([`read_lkp`]). This module imports nothing of the crate and formats nothing.

mod figure;
mod lkp_text;
mod name;
mod read;
mod table;
mod total;

pub use figure::Figure;
pub use lkp_text::{LkpError, read_lkp};
pub use name::{MetricName, NameError};
pub use read::{MetricError, MetricProblem, Metrics, Series, read_metrics};
pub use table::{Change, Heads, MetricTable, Row, RowKind, Section};
pub use total::{Aggregate, total_row};
