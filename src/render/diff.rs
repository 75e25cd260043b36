//! Comparisons as a table for a terminal, as CSV, as JSON, and in the shape of perf.

mod csv;
mod json;
mod perf;
mod table;

pub use csv::csv;
pub use json::object;
pub use perf::perf;
pub use table::table;
