//! The callers of the heaviest locks as trees, from a graph that stands on locks: what is too small to be worth a line is
//! summed up.

use crate::graph::{Amount, Frame, Graph, Node};
use crate::stats::Spread;

/// A lock, or a caller, with who called it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stem {
    /// What it is.
    pub frame: Frame,
    /// What came through here, side by side.
    pub sides: Vec<Amount>,
    /// Callers, heaviest first.
    pub callers: Vec<Stem>,
    /// What has no line of its own, where that is something.
    pub others: Option<Others>,
}

/// Callers that are summed up, and callchains that end.
#[derive(Debug, Clone, PartialEq)]
pub struct Others {
    /// What they are together, side by side.
    pub sides: Vec<Amount>,
}

/// How much of the trees is shown.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The most locks.
    pub locks: usize,
    /// Levels of callers.
    pub depth: usize,
    /// The smallest part of its lock, on either side, that a caller has.
    pub least: f64,
}

/// The trees of the heaviest locks of a graph that stands on locks, heaviest first.
pub fn trees(graph: &Graph, bounds: Bounds) -> Vec<Stem> {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for (at, node) in graph.nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            callers[parent].push(at);
        }
    }
    let mut locks = callers.first().cloned().unwrap_or_default();
    heaviest_first(graph, &mut locks);
    locks.truncate(bounds.locks);
    let reader = Reader { graph, callers: &callers, bounds };
    locks.into_iter().filter_map(|lock| reader.stem(lock, &graph.nodes[lock], 0)).collect()
}

/// By the larger share of the sides; those with equal shares stay in the order of their names.
fn heaviest_first(graph: &Graph, nodes: &mut [usize]) {
    nodes.sort_by(|&a, &b| heaviest(&graph.nodes[b]).total_cmp(&heaviest(&graph.nodes[a])));
}

fn heaviest(node: &Node) -> f64 {
    node.sides.iter().map(|side| side.share.mean).fold(0.0, f64::max)
}

struct Reader<'a> {
    graph: &'a Graph,
    callers: &'a [Vec<usize>],
    bounds: Bounds,
}

impl Reader<'_> {
    fn stem(&self, at: usize, lock: &Node, level: usize) -> Option<Stem> {
        let node = &self.graph.nodes[at];
        let mut shown: Vec<usize> = match level < self.bounds.depth {
            true => self.callers[at].iter().copied().filter(|&caller| self.is_worth(caller, lock)).collect(),
            false => Vec::new(),
        };
        heaviest_first(self.graph, &mut shown);
        let callers: Vec<Stem> =
            shown.into_iter().filter_map(|caller| self.stem(caller, lock, level + 1)).collect();
        // Where nothing is shown there is nothing beside it.
        let others = match callers.is_empty() {
            true => None,
            false => rest(&node.sides, &callers),
        };
        Some(Stem { frame: node.frame.clone()?, sides: node.sides.clone(), callers, others })
    }

    fn is_worth(&self, caller: usize, lock: &Node) -> bool {
        let sides = self.graph.nodes[caller].sides.iter().zip(&lock.sides);
        sides
            .into_iter()
            .any(|(own, lock)| own.share.mean > 0.0 && own.share.mean >= self.bounds.least * lock.share.mean)
    }
}

/// What these callers leave.
fn rest(whole: &[Amount], callers: &[Stem]) -> Option<Others> {
    let side = |(at, whole): (usize, &Amount)| {
        let parts = || callers.iter().map(move |caller| &caller.sides[at]);
        let of_run =
            |(run, share): (usize, &f64)| share - parts().map(|part| part.share.runs[run]).sum::<f64>();
        let weight = parts().fold(whole.weight, |rest, part| rest - part.weight);
        let shares = whole.share.runs.iter().enumerate().map(of_run);
        // Of nothing no rounding is left.
        let shares = shares.map(|share| if weight.0 == 0 { 0.0 } else { share.max(0.0) }).collect();
        let samples = parts().fold(whole.samples, |rest, part| rest.saturating_sub(part.samples));
        Amount { share: Spread::over(shares), weight, samples }
    };
    let sides: Vec<Amount> = whole.iter().enumerate().map(side).collect();
    sides.iter().any(|side| side.weight.0 > 0).then_some(Others { sides })
}
