//! Grows the tree from the widest frames down, so that what is too narrow to be seen is never made.

use std::collections::BinaryHeap;

use super::chain::Chains;
use super::{Cut, Limits, Node};

/// A frame that may be drawn: a span of callchains that agree up to its depth.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Branch {
    width: f64,
    depth: usize,
    span: (usize, usize),
}

impl Eq for Branch {}

impl Ord for Branch {
    /// The widest is the greatest; of equals the one nearest to the root, then the first by name.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let near = other.depth.cmp(&self.depth).then(other.span.cmp(&self.span));
        self.width.total_cmp(&other.width).then(near)
    }
}

impl PartialOrd for Branch {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The nodes that the limits leave, and what was left out.
pub(super) fn grow(chains: &Chains, limits: Limits) -> (Vec<Node>, Cut) {
    let all = (0, chains.chains.len());
    let root = Branch { width: chains.width(all), depth: 0, span: all };
    let mut drawn = Vec::new();
    let mut waiting = BinaryHeap::from([root]);
    while drawn.len() < limits.frames
        && let Some(branch) = waiting.pop()
    {
        // All that is left is as narrow.
        let is_seen = branch.width > 0.0 && branch.width >= limits.min_width * root.width;
        if !is_seen && branch.depth > 0 {
            waiting.push(branch);
            break;
        }
        waiting.extend(branches(chains, branch));
        drawn.push(branch);
    }
    let missing = waiting.iter().fold(0.0, |sum, branch| sum + branch.width);
    let part = |width: f64| if root.width > 0.0 { width / root.width } else { 0.0 };
    let cut = Cut {
        frames: count(chains) - drawn.len(),
        part: part(missing),
        widest: part(waiting.peek().map_or(0.0, |branch| branch.width)),
    };
    // Depth first: a span begins where its parent's does, or later, and is no longer.
    drawn.sort_unstable_by_key(|branch| (branch.span.0, branch.depth));
    (nodes(chains, &drawn), cut)
}

/// What stands on a branch.
fn branches(chains: &Chains, below: Branch) -> Vec<Branch> {
    let frame = |at: usize| chains.chains[at].get(below.depth);
    let mut found = Vec::new();
    let mut start = below.span.0;
    while start < below.span.1 {
        let own = frame(start);
        let length =
            chains.chains[start..below.span.1].partition_point(|chain| chain.get(below.depth) <= own);
        let span = (start, start + length);
        // A callchain that ends here stands first, and has nothing on top.
        if own.is_some() {
            found.push(Branch { width: chains.width(span), depth: below.depth + 1, span });
        }
        start = span.1;
    }
    found
}

fn nodes(chains: &Chains, drawn: &[Branch]) -> Vec<Node> {
    let mut path: Vec<usize> = Vec::new();
    let mut nodes = Vec::with_capacity(drawn.len());
    for (at, branch) in drawn.iter().enumerate() {
        path.truncate(branch.depth);
        let frame = branch.depth.checked_sub(1).map(|depth| chains.chains[branch.span.0][depth]);
        nodes.push(Node {
            frame: frame.map(|frame| chains.frames[frame as usize].clone()),
            parent: path.last().copied(),
            depth: branch.depth,
            width: branch.width,
            sides: chains.amounts(branch.span),
        });
        path.push(at);
    }
    nodes
}

/// The number of frames of the whole tree that have a width, the root counted: each callchain adds what it does not share with
/// the one before.
fn count(chains: &Chains) -> usize {
    let shared = |a: &[u32], b: &[u32]| a.iter().zip(b).take_while(|(one, other)| one == other).count();
    let mut before: &[u32] = &[];
    let mut frames = 1;
    for (at, chain) in chains.chains.iter().enumerate().filter(|(at, _)| chains.width((*at, at + 1)) > 0.0) {
        frames += chain.len() - shared(before, chain);
        before = &chains.chains[at];
    }
    frames
}
