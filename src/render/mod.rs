//! Output formats, one file each: rows in, bytes out, no arithmetic of their own.

mod lkp;
mod printf;

pub use lkp::{LkpStyle, write_lkp};
