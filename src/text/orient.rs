//! A call graph's tree becomes the callers of its row: which way it stands, and what its percentages mean.
//!
//! Two things perf does not print are told from the numbers and names, for a whole report at once.
//!
//! **Percentages.** `fractal` gives shares of the frame above, `graph` shares of the event's total. `[...]` is
//! printed by `fractal` only, and only there can branches sum to more than the percentage above them; without
//! either, they are shares of the total.
//!
//! **Order.** With `callee` the row's symbol is the root (or, in old perf, left out) and callers stand below.
//! With `caller` the outermost function is the root and the row's symbol ends each chain. A graph in caller order
//! is turned over: chains that end in the symbol are kept, those that perf cut before it become a remainder.
//! With a Children column both kinds of graph may begin with the symbol, one going up and one going down:
//! only a row whose share is all its own proves callee order. Unproven graphs give no callers.

use super::symbol::same;
use super::tree::{Node, Tree};
use super::types::Caller;

/// What the branches' percentages are shares of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The event's total (`graph`).
    Total,
    /// The frame above (`fractal`).
    Above,
}

/// Which end of a chain is the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// The row's symbol is the root.
    Callee,
    /// The row's symbol was left out: the roots are its callers.
    CalleeBare,
    /// The outermost function is the root.
    Caller,
    /// Nothing proves either.
    Unknown,
}

/// What of a row is needed to judge its tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Graph<'a> {
    pub(super) symbol: &'a str,
    pub(super) space: char,
    /// The row's weight in percent: its share with children where the report has that column.
    pub(super) percent: f64,
    /// Whether some of that weight is not the symbol's own.
    pub(super) weight: Weight,
    pub(super) tree: &'a Tree,
}

/// Whose weight a graph divides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// The report has no Children column.
    Own,
    /// The report has one, and the row's share is all its own.
    AllOwn,
    /// The report has one, and callees have a part.
    Mixed,
}

/// The most frames that turning graphs over may make in one report.
const MAX_TURNED: usize = 1 << 20;
/// Functions of user space that call no kernel function: as roots above one they prove caller order.
const OUTERMOST: [&str; 9] = [
    "main",
    "_start",
    "__libc_start_main",
    "__libc_start_call_main",
    "start_thread",
    "clone",
    "clone3",
    "__clone",
    "[unknown]",
];

/// Judges the percentages of a report.
pub(super) fn base(graphs: &[Graph<'_>]) -> Base {
    let is_relative = graphs.iter().any(|graph| {
        let nodes = &graph.tree.nodes;
        let mut sums = vec![0.0; nodes.len() + 1];
        let mut counts = vec![0.0; nodes.len() + 1];
        let mut above = vec![graph.percent; nodes.len() + 1];
        for (i, node) in nodes.iter().enumerate() {
            let slot = node.parent.map_or(0, |p| p + 1);
            above[i + 1] = node.percent.unwrap_or(above[slot]);
            if let Some(percent) = node.percent {
                // A chain hands its percentage down, so that branches below it sum up to the same.
                sums[slot] += percent;
                counts[slot] += 1.0;
            }
        }
        nodes.iter().any(|node| node.symbol.is_none())
            || (0..sums.len()).any(|slot| sums[slot] > above[slot] + 0.02 + 0.01 * counts[slot])
    });
    if is_relative { Base::Above } else { Base::Total }
}

/// Judges the order of a report.
pub(super) fn order(graphs: &[Graph<'_>]) -> Order {
    let (mut callee, mut caller, mut bare) = (0_usize, 0_usize, 0_usize);
    for graph in graphs {
        let nodes = &graph.tree.nodes;
        let is_own = |node: &Node| node.symbol.as_deref().is_some_and(|s| same(s, graph.symbol));
        let begins = nodes.iter().filter(|n| n.parent.is_none()).all(is_own);
        let ends = !begins && leaves(nodes).any(|i| nodes[i].depth > 0 && is_own(&nodes[i]));
        match (begins, ends) {
            (true, _) if nodes.len() > 1 && graph.weight != Weight::Mixed => callee += 1,
            (true, _) => {}
            (false, true) => caller += 1,
            (false, false) if graph.space == 'k' && nodes.first().is_some_and(is_outermost) => caller += 1,
            (false, false) => bare += usize::from(graph.weight == Weight::Own),
        }
    }
    match (callee, caller, bare) {
        (0, 0, 1..) => Order::CalleeBare,
        (0, 0, 0) => Order::Unknown,
        _ if callee > caller => Order::Callee,
        _ => Order::Caller,
    }
}

fn is_outermost(node: &Node) -> bool {
    node.symbol.as_deref().is_some_and(|symbol| OUTERMOST.contains(&symbol))
}

/// Indices of the frames below which nothing stands.
fn leaves(nodes: &[Node]) -> impl Iterator<Item = usize> {
    let mut is_leaf = vec![true; nodes.len()];
    for parent in nodes.iter().filter_map(|node| node.parent) {
        is_leaf[parent] = false;
    }
    (0..nodes.len()).filter(move |i| is_leaf[*i])
}

/// The callers of `graph`'s row. `budget` bounds the frames that turning over makes, over a whole report.
pub(super) fn callers(graph: &Graph<'_>, base: Base, order: Order, budget: &mut Budget) -> Vec<Caller> {
    let nodes = &graph.tree.nodes;
    if nodes.is_empty() || graph.tree.is_unusable || graph.percent <= 0.0 {
        return Vec::new();
    }
    let fractions = fractions(graph, base);
    let mut trie = Trie::default();
    match order {
        Order::Unknown => return Vec::new(),
        Order::Caller => turn_over(graph, &fractions, &mut trie, budget),
        Order::Callee | Order::CalleeBare => {
            let mut place: Vec<Option<usize>> = Vec::with_capacity(nodes.len());
            let is_own = |node: &Node| node.symbol.as_deref().is_some_and(|s| same(s, graph.symbol));
            for (i, node) in nodes.iter().enumerate() {
                let at = match node.parent {
                    None if order == Order::CalleeBare => Some(trie.child(0, node.symbol.as_deref())),
                    None => is_own(node).then_some(0),
                    Some(parent) => place[parent].map(|p| trie.child(p, node.symbol.as_deref())),
                };
                if let Some(at) = at {
                    trie.nodes[at].share += fractions[i];
                }
                place.push(at);
            }
        }
    }
    trie.into_callers()
}

/// How many more frames may be made.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Budget(MAX_TURNED)
    }
}

/// The fraction of the row's weight that passes through each frame.
fn fractions(graph: &Graph<'_>, base: Base) -> Vec<f64> {
    let mut out: Vec<f64> = Vec::with_capacity(graph.tree.nodes.len());
    for node in &graph.tree.nodes {
        let above = node.parent.map_or(1.0, |p| out[p]);
        let fraction = match (node.percent, base) {
            (None, _) => above,
            (Some(percent), Base::Above) => above * percent / 100.0,
            (Some(percent), Base::Total) => percent / graph.percent,
        };
        // Rounding of both percentages may lift a frame above the one it hangs from.
        out.push(fraction.min(above));
    }
    out
}

/// Turns a graph in caller order over: what ends in the row's symbol is read from there outwards.
fn turn_over<'a>(graph: &Graph<'a>, fractions: &[f64], trie: &mut Trie<'a>, budget: &mut Budget) {
    let nodes = &graph.tree.nodes;
    let is_own = |i: usize| nodes[i].symbol.as_deref().is_some_and(|s| same(s, graph.symbol));
    let mut rest = fractions.to_vec();
    let mut root: Vec<usize> = Vec::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        root.push(node.parent.map_or(i, |p| root[p]));
        if let Some(parent) = node.parent {
            rest[parent] -= fractions[i];
        }
    }
    for (i, node) in nodes.iter().enumerate() {
        // What is left at a frame with branches was pruned, unless rounding made it.
        let is_rounding = rest[i] * graph.percent < 0.02 && rest[i] < fractions[i];
        let goes_down = graph.weight != Weight::Own && is_own(root[i]) && node.depth > 0;
        if is_rounding || goes_down || rest[i] <= 0.0 {
            continue;
        }
        if !is_own(i) || budget.0 < node.depth {
            trie.add(std::iter::once(None), rest[i]);
            continue;
        }
        budget.0 -= node.depth;
        let outwards = std::iter::successors(node.parent, |p| nodes[*p].parent);
        trie.add(outwards.map(|p| nodes[p].symbol.as_deref()), rest[i]);
    }
}

/// A tree of callers that is being merged; node 0 is the row itself.
#[derive(Debug)]
struct Trie<'a> {
    nodes: Vec<Merged<'a>>,
    index: std::collections::HashMap<(usize, Option<&'a str>), usize>,
}

#[derive(Debug)]
struct Merged<'a> {
    parent: usize,
    symbol: Option<&'a str>,
    share: f64,
}

impl Default for Trie<'_> {
    fn default() -> Self {
        Trie { nodes: vec![Merged { parent: 0, symbol: None, share: 0.0 }], index: Default::default() }
    }
}

impl<'a> Trie<'a> {
    fn child(&mut self, parent: usize, symbol: Option<&'a str>) -> usize {
        let next = self.nodes.len();
        let at = *self.index.entry((parent, symbol)).or_insert(next);
        if at == next {
            self.nodes.push(Merged { parent, symbol, share: 0.0 });
        }
        at
    }

    fn add(&mut self, path: impl Iterator<Item = Option<&'a str>>, share: f64) {
        let mut at = 0;
        for symbol in path {
            at = self.child(at, symbol);
            self.nodes[at].share += share;
        }
    }

    /// The merged tree as values; the largest first, alike ones by name, remainders last.
    fn into_callers(mut self) -> Vec<Caller> {
        // Rounding, or a damaged text, may lift what was merged above the frame that it hangs from.
        self.nodes[0].share = 1.0;
        for i in 1..self.nodes.len() {
            self.nodes[i].share = self.nodes[i].share.min(self.nodes[self.nodes[i].parent].share);
        }
        let mut below: Vec<Vec<Caller>> = self.nodes.iter().map(|_| Vec::new()).collect();
        for (i, node) in self.nodes.iter().enumerate().skip(1).rev() {
            let mut callers = std::mem::take(&mut below[i]);
            callers.sort_by(compare);
            let symbol = node.symbol.map(str::to_owned);
            below[node.parent].push(Caller { symbol, share_of_row: node.share, callers });
        }
        let mut top = std::mem::take(&mut below[0]);
        top.sort_by(compare);
        top
    }
}

fn compare(a: &Caller, b: &Caller) -> std::cmp::Ordering {
    let by_share = b.share_of_row.total_cmp(&a.share_of_row);
    a.symbol.is_none().cmp(&b.symbol.is_none()).then(by_share).then_with(|| a.symbol.cmp(&b.symbol))
}
