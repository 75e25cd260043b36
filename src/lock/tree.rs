//! The tree of callers above a symbol or a lock.

use std::collections::BTreeMap;

use super::attribution::{Frames, Through, lock_place};
use super::matcher::{Class, base_name};
use super::run::Finding;
use super::site::{Function, Labels, family_and_mode, function};
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
    /// A lock, by its name in reports, by family and mode, or else by any frame of its run.
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
    labels: &Labels,
    event: u16,
    root: &Root,
    depth: usize,
) -> CallerTree {
    let mut tree = CallerTree::default();
    let named = Named::of(root, labels);
    for entry in profile.entries.iter().filter(|entry| entry.key.event == event) {
        tree.total += entry.weight;
        let frames = Frames::of(profile, entry);
        let Some((own, above)) = root_of(profile, classes, labels, frames, named) else { continue };
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

/// How a root's name is to be read.
#[derive(Clone, Copy)]
enum Named<'a> {
    /// A leaf.
    Leaf(&'a str),
    /// A lock as reports name it.
    Lock(&'a str),
    /// Any frame of a lock's run.
    Frame(&'a str),
}

impl<'a> Named<'a> {
    fn of(root: &'a Root, labels: &Labels) -> Self {
        match root {
            Root::Symbol(name) => Named::Leaf(name),
            Root::Lock(name) if labels.has(name) => Named::Lock(name),
            Root::Lock(name) => Named::Frame(name),
        }
    }
}

/// The root's frame in a callchain, and the depth of its caller.
fn root_of(
    profile: &Profile<Symbol>,
    classes: &[Class],
    labels: &Labels,
    frames: Frames<'_>,
    named: Named<'_>,
) -> Option<(FrameId, usize)> {
    let is = |frame: FrameId, name: &str| {
        let own = &profile.frames[frame.index()].name;
        own == name || base_name(own) == name
    };
    if let Named::Leaf(name) = named {
        return frames.at(0).filter(|&leaf| is(leaf, name)).map(|leaf| (leaf, 1));
    }
    let Finding::Lock(run) = frames.find(classes) else { return None };
    let takes = match named {
        Named::Lock(name) => {
            let (place, _) = lock_place(frames, classes, run, Through::Direct)?;
            labels.site(profile, &place).lock.name == name
        }
        Named::Leaf(name) | Named::Frame(name) => {
            family_and_mode(run.family, run.mode) == name
                || (0..run.end).filter_map(|depth| frames.at(depth)).any(|frame| is(frame, name))
        }
    };
    let own = frames.at(run.entry.unwrap_or(run.outermost))?;
    takes.then_some((own, run.end))
}
