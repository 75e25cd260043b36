//! Flame graphs: a picture for a browser, which stands on its own, and the same as an object.

mod document;
mod frames;
mod layout;
mod object;
mod paint;
mod script;
mod tip;

pub(super) use document::keys;
pub use document::{STYLE, caption, document, figure, hatching};
pub use object::object;
pub use script::SCRIPT;

/// The width of a picture that nothing has scaled yet, in pixels.
const WIDTH: usize = 1200;
/// What lies left and right of the frames, in pixels.
const SIDE: usize = 10;
