//! The classes and colours of frames: families of locks by class, changes by how large they are.

use crate::graph::Tone;
use crate::lock::family::Family;
use crate::report::picture::{Change, Presence};

/// The class of what a frame is to a lock.
pub(super) fn class(tone: Tone) -> String {
    match tone {
        Tone::Lock(family) => format!("lock {}", family.word()),
        Tone::Unlock => "unlock".to_owned(),
        Tone::Idle => "idle".to_owned(),
        Tone::Kernel => "kernel".to_owned(),
        Tone::User => "userland".to_owned(),
    }
}

/// What it is called in a legend and a tooltip.
pub(super) fn word(tone: Tone) -> &'static str {
    match tone {
        Tone::Lock(family) => lock_word(family),
        Tone::Unlock => "giving a lock back",
        Tone::Idle => "idle",
        Tone::Kernel => "kernel",
        Tone::User => "user space",
    }
}

fn lock_word(family: Family) -> &'static str {
    match family {
        Family::OtherUser => "other locks of user space",
        family => family.word(),
    }
}

/// A step of the scale of changes: from so many points on, and the colours of more and of less. Dark text on all of them
/// has a contrast above 4.5.
pub(super) struct Step {
    /// In parts of the total (0.01 is a point).
    pub(super) from: f64,
    /// The colour of more.
    pub(super) more: &'static str,
    /// The colour of less.
    pub(super) less: &'static str,
}

/// The scale, smallest first. Steps are about three times as large as the one before, as changes span several orders.
pub(super) const SCALE: [Step; 5] = [
    Step { from: 0.0, more: "#fde4dc", less: "#dfeaf7" },
    Step { from: 0.003, more: "#fbcbbb", less: "#c1d8f0" },
    Step { from: 0.01, more: "#f8ab93", less: "#9cc3ea" },
    Step { from: 0.03, more: "#f48a6c", less: "#78aee3" },
    Step { from: 0.1, more: "#ee6a4a", less: "#559adb" },
];

/// What a frame is filled with for a change of so many points (as a part of the total): a colour, or the pattern of what is
/// gone. Noise has the fill of its class.
pub(super) fn fill(change: Change, presence: Presence, points: f64) -> Option<String> {
    let (at, step) = SCALE.iter().enumerate().rfind(|(_, step)| points.abs() >= step.from)?;
    match (change, presence) {
        (Change::Noise, _) => None,
        (Change::More, _) => Some(step.more.to_owned()),
        (Change::Less, Presence::Gone) => Some(format!("url(#gone-{at})")),
        (Change::Less, _) => Some(step.less.to_owned()),
    }
}

/// The class of a change.
pub(super) fn change_class(change: Change, presence: Presence) -> &'static str {
    match (change, presence) {
        (Change::More, Presence::New) => " more new",
        (Change::More, _) => " more",
        (Change::Less, Presence::Gone) => " less gone",
        (Change::Less, _) => " less",
        (Change::Noise, Presence::Gone) => " grey gone",
        (Change::Noise, Presence::New) => " grey new",
        (Change::Noise, Presence::Both) => " grey",
    }
}
