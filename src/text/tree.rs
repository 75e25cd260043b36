//! A call graph's lines become a tree, by counting bars.
//!
//! perf draws a bar for every level whose last branch is still to come. Counting them gives the depth of a
//! branch whether or not the columns survived. Where they did, a branch's own line has one bar per open level,
//! the last branch of a level hiding its own. Where lines ran together, the bars of the empty graph line that
//! perf prints before each branch come on top: `k` on it and `k` on the branch, or `k` and `k-1` before the last;
//! only `[...]` has no such line.

use super::piece::Value;
use super::symbol::bare;
use super::unwrap::Layout;

/// Deeper frames are cut; the kernel records at most 127 per side unless told otherwise.
pub(super) const MAX_DEPTH: usize = 512;

/// One frame of a graph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// The frame printed above it, by index; parents come before children.
    pub(super) parent: Option<usize>,
    /// Distance from the root.
    pub(super) depth: usize,
    /// The percentage on its branch; frames further down a chain have none.
    pub(super) percent: Option<f64>,
    /// The function; `None` for `[...]`.
    pub(super) symbol: Option<String>,
}

/// A level of branches.
#[derive(Debug, Clone)]
struct Level {
    /// The frame from which the level branches.
    parent: Option<usize>,
    /// Whether branches may follow, so that perf draws its bar.
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The last branch has begun.
    Closing,
}

/// A tree that is being read.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    /// The frames, parents first.
    pub(super) nodes: Vec<Node>,
    levels: Vec<Level>,
    /// Number of open levels.
    n_open: usize,
    last: Option<usize>,
    bars: usize,
    flat: Option<f64>,
    /// Branches carry counts of an unknown whole, or something was cut: there are no shares to tell.
    pub(super) is_unusable: bool,
}

impl Tree {
    /// Notes `n` bars of a line.
    pub(super) fn bars(&mut self, n: usize) {
        self.bars = self.bars.saturating_add(n);
    }

    /// A line ended: where lines are as printed, bars do not carry over.
    pub(super) fn end_line(&mut self) {
        self.bars = 0;
    }

    /// `---symbol`: the root, above all levels.
    pub(super) fn root(&mut self, symbol: &str) {
        self.levels.clear();
        self.n_open = 0;
        self.bars = 0;
        self.last = None;
        self.push(None, None, symbol);
    }

    /// `|--48.79%-- symbol`; `own_bars` stand on the very word.
    pub(super) fn branch(&mut self, own_bars: usize, value: Value, symbol: &str, layout: Layout) {
        let Value::Percent(percent) = value else {
            self.is_unusable = true;
            return;
        };
        let state = if own_bars > 0 { State::Open } else { State::Closing };
        let bars = self.bars.saturating_add(own_bars);
        let level = match (layout, state) {
            (Layout::Line, State::Open) => bars,
            (Layout::Flat, State::Open) if bars.is_multiple_of(2) => bars / 2,
            (Layout::Flat, State::Closing) if !bars.is_multiple_of(2) && symbol != "[...]" => {
                bars.div_ceil(2)
            }
            (Layout::Flat, State::Open) => bars,
            (_, State::Closing) => bars + 1,
        };
        self.bars = 0;
        let parent = self.enter(level, state);
        self.push(parent, Some(percent), symbol);
    }

    /// A frame below the last one, or the first of a flat chain.
    pub(super) fn frame(&mut self, symbol: &str) {
        self.bars = 0;
        match (self.flat.take(), self.last) {
            (Some(percent), _) => self.push(None, Some(percent), symbol),
            (None, Some(last)) => self.push(Some(last), None, symbol),
            (None, None) => {}
        }
    }

    /// A percentage above the frames of a flat chain.
    pub(super) fn flat(&mut self, percent: f64) {
        self.flat = Some(percent);
        self.last = None;
    }

    /// Whether a frame may follow.
    pub(super) fn wants_frames(&self) -> bool {
        self.last.is_some() || self.flat.is_some()
    }

    /// Opens or finds the `n`-th level that shows a bar (from 1), and returns the frame it branches from.
    fn enter(&mut self, n: usize, state: State) -> Option<usize> {
        if n > self.n_open {
            self.levels.push(Level { parent: self.last, state });
            self.n_open += usize::from(state == State::Open);
            return self.last;
        }
        while n < self.n_open {
            self.pop_to_open();
            self.levels.pop();
            self.n_open -= 1;
        }
        self.pop_to_open();
        let level = self.levels.last_mut()?;
        if state == State::Closing {
            self.n_open -= 1;
        }
        level.state = state;
        level.parent
    }

    fn pop_to_open(&mut self) {
        while self.levels.last().is_some_and(|level| level.state == State::Closing) {
            self.levels.pop();
        }
    }

    fn push(&mut self, parent: Option<usize>, percent: Option<f64>, symbol: &str) {
        let depth = parent.map_or(0, |p| self.nodes[p].depth + 1);
        if depth >= MAX_DEPTH {
            return;
        }
        let symbol = bare(symbol);
        let symbol = (symbol != "[...]" && !symbol.is_empty()).then(|| symbol.to_owned());
        self.nodes.push(Node { parent, depth, percent, symbol });
        self.last = Some(self.nodes.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::{Tree, Value};
    use crate::text::piece::{Piece, pieces};
    use crate::text::unwrap::Layout;

    const GRAPH: &str = "
            |
            ---a
               |
               |--60.00%--b
               |          c
               |          |
               |          |--40.00%--d
               |          |          e
               |          |
               |           --20.00%--f
               |                     |
               |                     |--5.00%--g
               |                     |
               |                      --4.00%--h
               |
               |--30.00%--i
               |          |
               |           --29.00%--j
                --10.00%--[...]";

    fn feed(tree: &mut Tree, line: &str, layout: Layout) {
        for piece in pieces(line) {
            match piece {
                Piece::Bars(n) => tree.bars(n),
                Piece::Root { symbol } => tree.root(symbol),
                Piece::Branch { bars, value, symbol } => {
                    let mut symbols = symbol.split(' ');
                    tree.branch(bars, value, symbols.next().unwrap_or(""), layout);
                    symbols.for_each(|s| tree.frame(s));
                }
                Piece::Words(words) => words.split(' ').for_each(|w| tree.frame(w)),
                other => panic!("{other:?}"),
            }
        }
    }

    fn paths(tree: &Tree) -> Vec<String> {
        let name = |i: usize| tree.nodes[i].symbol.clone().unwrap_or_default();
        let parent = |i: usize| tree.nodes[i].parent.map_or(String::new(), name);
        (0..tree.nodes.len()).map(|i| format!("{}<{}", name(i), parent(i))).collect()
    }

    #[test]
    fn bars_give_the_depth_with_lines_and_without() {
        let expect = ["a<", "b<a", "c<b", "d<c", "e<d", "f<c", "g<f", "h<f", "i<a", "j<i", "<a"];
        let mut lines = Tree::default();
        for line in GRAPH.lines() {
            feed(&mut lines, line, Layout::Line);
            lines.end_line();
        }
        assert_eq!(paths(&lines), expect);
        let mut flat = Tree::default();
        let words: Vec<_> = GRAPH.split_whitespace().collect();
        feed(&mut flat, &words.join(" "), Layout::Flat);
        assert_eq!(paths(&flat), expect);
        assert_eq!(flat.nodes[1].percent, Some(60.0));
    }

    #[test]
    fn counts_are_no_shares() {
        let mut tree = Tree::default();
        tree.branch(1, Value::Count, "x", Layout::Line);
        assert!(tree.is_unusable && tree.nodes.is_empty());
    }
}
