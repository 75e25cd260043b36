//! Output formats, one file each: rows in, bytes out, no arithmetic of their own.

pub mod check;
pub mod csv;
pub mod diff;
pub mod escape;
pub mod github;
pub mod json;
pub mod junit;
mod lkp;
pub mod mail;
pub mod markdown;
pub mod perf;
mod printf;
pub mod style;
pub mod table;

pub use lkp::{LkpStyle, write_lkp};
