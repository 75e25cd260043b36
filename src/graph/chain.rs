//! The distinct callchains of all runs of all sides, outermost frame first, in the order of their names: what stands in a
//! graph above one frame is then a span of them, and what it weighs the difference of two sums.

use rustc_hash::FxHashMap;

use super::{Amount, Drawn, Frame, Plan, Stand, Tone, WidthBy};
use crate::id::FrameId;
use crate::lock::attribution::{Frames, classes, lock_place};
use crate::lock::matcher::Class;
use crate::lock::run::Finding;
use crate::lock::site::{Function, function};
use crate::profile::Entry;
use crate::stats::Spread;
use crate::units::Weight;

/// Distinct callchains with their weights.
pub(super) struct Chains {
    /// Distinct frames by name: the order of their places is theirs.
    pub(super) frames: Vec<Frame>,
    /// Callchains as places in `frames`, outermost first, sorted.
    pub(super) chains: Vec<Box<[u32]>>,
    /// Width up to each callchain, in parts of a total.
    widths: Vec<f64>,
    /// Weight and samples up to each callchain, by run.
    sums: Vec<Vec<(Weight, u64)>>,
    /// The event's total, by run.
    totals: Vec<Weight>,
    /// The number of runs, by side.
    n_runs: Vec<usize>,
}

impl Chains {
    /// Folds runs.
    pub(super) fn of(sides: &[Vec<Drawn<'_>>], plan: &Plan<'_>) -> Self {
        let n_runs: Vec<usize> = sides.iter().map(Vec::len).collect();
        let mut folding = Folding::new(n_runs.iter().sum());
        for (run, drawn) in sides.iter().flatten().enumerate() {
            folding.add(run, drawn, plan);
        }
        folding.sorted(n_runs, plan.width_by)
    }

    /// The width of a span of callchains.
    pub(super) fn width(&self, span: (usize, usize)) -> f64 {
        self.widths[span.1] - self.widths[span.0]
    }

    /// What a span of callchains weighs on each side.
    pub(super) fn amounts(&self, span: (usize, usize)) -> Vec<Amount> {
        let of_run = |run: usize| {
            let ((w0, n0), (w1, n1)) = (self.sums[run][span.0], self.sums[run][span.1]);
            (w1 - w0, n1 - n0)
        };
        let mut first = 0;
        let of_side = |&n: &usize| {
            let runs = first..first + n;
            first += n;
            let shares = runs.clone().map(|run| of_run(run).0.share_of(self.totals[run]).0).collect();
            let (weight, samples) = runs
                .map(of_run)
                .fold((Weight(0), 0), |(weight, samples), run| (weight + run.0, samples + run.1));
            Amount { share: Spread::over(shares), weight, samples }
        };
        self.n_runs.iter().map(of_side).collect()
    }
}

/// Callchains while they are gathered.
struct Folding {
    frames: FxHashMap<Frame, u32>,
    chains: FxHashMap<Box<[u32]>, u32>,
    /// Weight and samples, by run and callchain.
    amounts: Vec<Vec<(Weight, u64)>>,
    totals: Vec<Weight>,
}

impl Folding {
    fn new(n_runs: usize) -> Self {
        Self {
            frames: FxHashMap::default(),
            chains: FxHashMap::default(),
            amounts: vec![Vec::new(); n_runs],
            totals: vec![Weight(0); n_runs],
        }
    }

    fn add(&mut self, run: usize, drawn: &Drawn<'_>, plan: &Plan<'_>) {
        let mut reader = Reader {
            drawn,
            plan,
            classes: classes(drawn.profile, &plan.options.matcher),
            known: FxHashMap::default(),
        };
        let mut chain = Vec::new();
        for (first, entries) in drawn.profile.by_callchain(drawn.event) {
            let (weight, samples) = Entry::sum(entries);
            self.totals[run] += weight;
            chain.clear();
            if !reader.read(first, &mut self.frames, &mut chain) {
                continue;
            }
            let at = self.chain(&chain);
            let amounts = &mut self.amounts[run];
            if amounts.len() <= at {
                amounts.resize(at + 1, (Weight(0), 0));
            }
            amounts[at] = (amounts[at].0 + weight, amounts[at].1 + samples);
        }
    }

    fn chain(&mut self, chain: &[u32]) -> usize {
        if let Some(&at) = self.chains.get(chain) {
            return at as usize;
        }
        let at = self.chains.len();
        self.chains.insert(chain.into(), at as u32);
        at
    }

    /// Frames and callchains in the order of names, and sums up to each callchain.
    fn sorted(self, n_runs: Vec<usize>, width_by: WidthBy) -> Chains {
        let mut frames: Vec<(Frame, u32)> = self.frames.into_iter().collect();
        frames.sort_unstable();
        let mut place = vec![0; frames.len()];
        frames.iter().zip(0..).for_each(|((_, id), at)| place[*id as usize] = at);
        let mut chains: Vec<(Box<[u32]>, u32)> = self.chains.into_iter().collect();
        chains.iter_mut().flat_map(|(chain, _)| chain.iter_mut()).for_each(|id| *id = place[*id as usize]);
        chains.sort_unstable();
        let amount = |run: usize, at: u32| self.amounts[run].get(at as usize).copied().unwrap_or_default();
        let sums = (0..self.amounts.len()).map(|run| {
            let mut sum = (Weight(0), 0);
            let first = std::iter::once(sum);
            let sums = chains.iter().map(|(_, at)| {
                let (weight, samples) = amount(run, *at);
                sum = (sum.0 + weight, sum.1 + samples);
                sum
            });
            first.chain(sums).collect()
        });
        let sums: Vec<Vec<(Weight, u64)>> = sums.collect();
        let share = |run: usize, at: u32| amount(run, at).0.share_of(self.totals[run]).0;
        let mean = |side: usize, at: u32| {
            let (first, n) = (n_runs[..side].iter().sum::<usize>(), n_runs[side]);
            (first..first + n).map(|run| share(run, at)).sum::<f64>() / n.max(1) as f64
        };
        let mut width = 0.0;
        let widths = chains.iter().map(|(_, at)| {
            width += match (n_runs.len(), width_by) {
                (1, _) | (_, WidthBy::Before) => mean(0, *at),
                (_, WidthBy::After) => mean(1, *at),
                (_, WidthBy::Larger) => mean(0, *at).max(mean(1, *at)),
            };
            width
        });
        let widths = std::iter::once(0.0).chain(widths).collect();
        let frames = frames.into_iter().map(|(frame, _)| frame).collect();
        let chains = chains.into_iter().map(|(chain, _)| chain).collect();
        Chains { frames, chains, widths, sums, totals: self.totals, n_runs }
    }
}

/// Reads the callchains of one run.
struct Reader<'a> {
    drawn: &'a Drawn<'a>,
    plan: &'a Plan<'a>,
    classes: Vec<Class>,
    known: FxHashMap<(FrameId, Tone), u32>,
}

impl Reader<'_> {
    /// The callchain of an entry, outermost frame first; `false` where it does not count.
    fn read(&mut self, entry: &Entry, frames: &mut FxHashMap<Frame, u32>, chain: &mut Vec<u32>) -> bool {
        let profile = self.drawn.profile;
        let of = Frames::of(profile, entry);
        let finding = of.find(&self.classes);
        let is_asked = !self.plan.choice.is_whole() || self.plan.stand == Stand::Callers;
        if is_asked {
            let Finding::Lock(run) = finding else { return false };
            let Some((place, above)) = lock_place(of, &self.classes, run, self.plan.options.through) else {
                return false;
            };
            let site = self.plan.labels.site(profile, &place);
            if !self.plan.choice.takes(&site) {
                return false;
            }
            if self.plan.stand == Stand::Callers {
                let lock = Function { name: site.lock.name, module: String::new() };
                chain.push(intern(frames, Frame { function: lock, tone: Tone::Lock(site.lock.family) }));
                let plain = of.from(above).map(|frame| self.frame(frame, None, frames));
                chain.extend(plain);
                return true;
            }
        }
        // Up to which depth frames belong to what the leaf is about.
        let (tone, end) = match finding {
            Finding::Lock(run) => (Some(Tone::Lock(run.family)), run.end),
            Finding::Unlock { end, .. } => (Some(Tone::Unlock), end),
            Finding::Idle => (Some(Tone::Idle), 1),
            Finding::Other => (None, 0),
        };
        chain.extend(
            of.from(0)
                .enumerate()
                .map(|(depth, frame)| self.frame(frame, tone.filter(|_| depth < end), frames)),
        );
        chain.reverse();
        true
    }

    fn frame(&mut self, frame: FrameId, tone: Option<Tone>, frames: &mut FxHashMap<Frame, u32>) -> u32 {
        let profile = self.drawn.profile;
        let is_kernel = profile.frames[frame.index()].kind.is_kernel();
        let tone = tone.unwrap_or(if is_kernel { Tone::Kernel } else { Tone::User });
        let named = || intern(frames, Frame { function: function(profile, frame), tone });
        *self.known.entry((frame, tone)).or_insert_with(named)
    }
}

fn intern(frames: &mut FxHashMap<Frame, u32>, frame: Frame) -> u32 {
    let next = frames.len() as u32;
    *frames.entry(frame).or_insert(next)
}
