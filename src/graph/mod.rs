//! Flame graphs as values: the callchains of runs as one tree of frames, each with what it weighs on every side, what it
//! is to a lock, how wide it stands, and what was left out. Knows no format.

mod chain;
mod tree;

use crate::compare::{Row, Settings, Subject};
use crate::lock::attribution::Options;
use crate::lock::choice::Choice;
use crate::lock::family::Family;
use crate::lock::site::{Function, Labels};
use crate::profile::Profile;
use crate::stats::Spread;
use crate::symbol::Symbol;
use crate::units::Weight;
use chain::Chains;

/// What a frame is to a lock. Decided by where it stands: `mutex_lock` below a leaf that is no lock's is no waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tone {
    /// A frame of a lock run: waiting for, or taking, a lock of this family.
    Lock(Family),
    /// Giving a lock back.
    Unlock,
    /// Nothing to do.
    Idle,
    /// Any other function of the kernel.
    Kernel,
    /// Any other function of user space, and what is not known.
    User,
}

/// A frame as graphs tell frames apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame {
    /// Its function.
    pub function: Function,
    /// What it is to a lock.
    pub tone: Tone,
}

/// A frame at its place in the tree: what came through here.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What it is; `None` for the root, which is all that is drawn.
    pub frame: Option<Frame>,
    /// The frame that it stands on, by its place in [`Graph::nodes`]; `None` for the root.
    pub parent: Option<usize>,
    /// How many frames stand below it.
    pub depth: usize,
    /// How wide it is, in parts of a total: by [`WidthBy`] for a difference, else the mean of the runs' shares. A frame
    /// is as wide as those on top of it, with what ends in it.
    pub width: f64,
    /// What it weighs, side by side: one, or before and after.
    pub sides: Vec<Amount>,
}

/// What a frame weighs on one side, all that it called counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// The share of each run's total.
    pub share: Spread,
    /// The sum over runs.
    pub weight: Weight,
    /// The sum over runs.
    pub samples: u64,
}

/// What frames of a difference are as wide as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WidthBy {
    /// Their share after.
    After,
    /// Their share before.
    Before,
    /// The larger one of each distinct callchain, so that nothing that is on either side is without width.
    #[default]
    Larger,
}

/// What the tree stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stand {
    /// Outermost callers, and on top of them what they called, to the leaf.
    #[default]
    Stacks,
    /// Locks, on top of them their call sites, and their callers outwards.
    Callers,
}

/// What a graph leaves out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Frames narrower than this part of the root.
    pub min_width: f64,
    /// All but the widest so many.
    pub frames: usize,
}

/// What was left out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cut {
    /// Frames that are not drawn.
    pub frames: usize,
    /// Their part of the root's width: above that much of it, frames are missing.
    pub part: f64,
    /// The part of the root's width that the widest of them has.
    pub widest: f64,
}

/// A flame graph of one side, or of the difference of two.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// What the tree stands on.
    pub stand: Stand,
    /// Frames; the root first, then depth first, those on one frame by name.
    pub nodes: Vec<Node>,
    /// What was left out.
    pub cut: Cut,
    /// Whether all callchains count, or those of chosen locks.
    pub is_whole: bool,
}

/// One run to draw.
pub struct Drawn<'a> {
    /// Its callchains.
    pub profile: &'a Profile<Symbol>,
    /// The event, by its place in the recording.
    pub event: u16,
}

/// How to draw.
pub struct Plan<'a> {
    /// What is a lock.
    pub options: &'a Options,
    /// What locks are called.
    pub labels: &'a Labels,
    /// Which locks count; all callchains where it chooses none.
    pub choice: &'a Choice,
    /// What the tree stands on.
    pub stand: Stand,
    /// What frames of a difference are as wide as.
    pub width_by: WidthBy,
}

/// The callchains of one side, whose runs are averaged, or of two, before and after: graphs of any limits grow from them.
pub struct Folded {
    chains: Chains,
    stand: Stand,
    is_whole: bool,
}

impl Folded {
    /// Folds the runs of each side.
    pub fn of(sides: &[Vec<Drawn<'_>>], plan: &Plan<'_>) -> Self {
        let is_whole = plan.choice.is_whole() && plan.stand == Stand::Stacks;
        Self { chains: Chains::of(sides, plan), stand: plan.stand, is_whole }
    }

    /// The graph within some limits.
    pub fn graph(&self, limits: Limits) -> Graph {
        let (nodes, cut) = tree::grow(&self.chains, limits);
        Graph { stand: self.stand, nodes, cut, is_whole: self.is_whole }
    }
}

impl Graph {
    /// The width of the root, in parts of a total; 0 where nothing is drawn.
    pub fn width(&self) -> f64 {
        self.nodes.first().map_or(0.0, |root| root.width)
    }
}

/// The difference of each frame of a graph of two sides, in the order of its nodes: shares of the own run's total, points,
/// interval, p adjusted over the frames of the graph, and verdict.
pub fn judge(graph: &Graph, settings: &Settings) -> Vec<Row> {
    let runs = |node: &Node, side: usize| node.sides.get(side).map_or(Vec::new(), |s| s.share.runs.clone());
    let rows = graph.nodes.iter().map(|node| {
        let subject =
            node.frame.as_ref().map_or(Subject::AllLocks, |frame| Subject::Symbol(frame.function.clone()));
        (subject, runs(node, 0), runs(node, 1))
    });
    crate::compare::judge(rows, settings)
}
