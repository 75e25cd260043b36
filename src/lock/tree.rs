//! The tree of callers above a symbol or a lock.

use std::collections::BTreeMap;

use super::attribution::Frames;
use super::matcher::{Class, base_name};
use super::run::Finding;
use super::site::{Function, function};
use crate::id::FrameId;
use crate::profile::Profile;
use crate::symbol::Symbol;
use crate::units::Weight;

/// A function and who called it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// The weight that came through here.
    pub weight: Weight,
    /// Its samples.
    pub samples: u64,
    /// Callers.
    pub callers: BTreeMap<Function, Node>,
}

/// What the tree stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// A leaf function of this name.
    Symbol(String),
    /// A lock, by its name as written, or by any frame of its run.
    Lock(String),
}

/// The callers of a root in one event, `depth` levels of them; and what else the tree's row needs.
#[derive(Debug, Clone, Default)]
pub struct CallerTree {
    /// The weight of the root and, below, of its callers.
    pub root: Node,
    /// The names of threads that were in it.
    pub comms: BTreeMap<String, Weight>,
    /// The object that the root lies in.
    pub module: Option<Function>,
    /// Weight whose callchain ends with the root.
    pub without_caller: Weight,
    /// The event's total.
    pub total: Weight,
}

/// Builds the tree over all entries of an event.
pub fn callers(
    profile: &Profile<Symbol>,
    classes: &[Class],
    event: u16,
    root: &Root,
    depth: usize,
) -> CallerTree {
    let mut tree = CallerTree::default();
    for entry in profile.entries.iter().filter(|entry| entry.key.event == event) {
        tree.total += entry.weight;
        let frames = Frames::of(profile, entry);
        let Some((own, above)) = root_of(profile, classes, frames, root) else { continue };
        tree.module.get_or_insert_with(|| function(profile, own));
        *tree.comms.entry(profile.comms.name(entry.key.comm).to_owned()).or_default() += entry.weight;
        tree.root.add(entry.weight, entry.samples);
        if frames.at(above).is_none() {
            tree.without_caller += entry.weight;
        }
        let mut node = &mut tree.root;
        for frame in frames.from(above).take(depth) {
            node = node.callers.entry(function(profile, frame)).or_default();
            node.add(entry.weight, entry.samples);
        }
    }
    tree
}

impl Node {
    fn add(&mut self, weight: Weight, samples: u64) {
        self.weight += weight;
        self.samples += samples;
    }
}

/// The root's frame in a callchain, and the depth of its caller.
fn root_of(
    profile: &Profile<Symbol>,
    classes: &[Class],
    frames: Frames<'_>,
    root: &Root,
) -> Option<(FrameId, usize)> {
    let is_named = |frame: FrameId, name: &str| {
        let own = &profile.frames[frame.index()].name;
        own == name || base_name(own) == name
    };
    match root {
        Root::Symbol(name) => frames.at(0).filter(|&leaf| is_named(leaf, name)).map(|leaf| (leaf, 1)),
        Root::Lock(name) => match frames.find(classes) {
            Finding::Lock(run) => {
                let named =
                    (0..run.end).filter_map(|depth| frames.at(depth)).any(|frame| is_named(frame, name));
                let own = frames.at(run.entry.unwrap_or(run.outermost))?;
                (named || super::site::family_and_mode(run.family, run.mode) == *name)
                    .then_some((own, run.end))
            }
            _ => None,
        },
    }
}
