//! The taxonomy of locks, and the attribution of weight to locks and their call sites.

pub mod attribution;
pub mod choice;
pub mod family;
pub mod heaviest;
pub mod inclusive;
pub mod matcher;
pub mod rules;
pub mod run;
pub mod site;
pub mod trace;
pub mod tree;
