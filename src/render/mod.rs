//! Output formats, one file each: rows in, bytes out, no arithmetic of their own.

pub mod check;
mod column;
pub mod csv;
pub mod diff;
pub mod escape;
mod fact;
mod figure;
pub mod flame;
pub mod folded;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
mod label;
mod lkp;
pub mod mail;
pub mod markdown;
pub mod perf;
mod printf;
mod rows;
pub mod style;
pub mod table;
mod total;

pub use lkp::{LkpStyle, write_lkp};
