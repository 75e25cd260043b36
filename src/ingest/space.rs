//! Address spaces over time: which object stands at an address of a process, or of the kernel, at a moment.
//!
//! A new state of a space begins where an address changes its meaning: at exec, and where a mapping overlaps another.
//! A mapping at a place that was free begins none, so that a process that loads library after library keeps one
//! state, and its callchains stay comparable as raw addresses.

use rpds::RedBlackTreeMapSync;
use rustc_hash::FxHashMap;

use crate::id::{ModuleId, SpaceId};
use crate::perf::record::CpuMode;
use crate::perf::sideband::{Mmap, SideBand, prot};
use crate::profile::{Module, ModuleKind};

/// The pid that stands for the kernel in mappings.
const KERNEL_PID: u32 = u32::MAX;

/// A mapping; its start is its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mapping {
    end: u64,
    module: ModuleId,
    /// What to add to an address to have the offset in the module.
    shift: u64,
}

/// One state of an address space. States share what they have in common: a process that maps again and again, or forks,
/// costs a path of the tree each time, and not a copy of it.
#[derive(Debug, Clone, Default)]
struct Space {
    mappings: RedBlackTreeMapSync<u64, Mapping>,
    /// Several processes are in this state: who changes it takes a copy.
    shared: bool,
}

/// All address spaces of a recording.
#[derive(Debug)]
pub struct Spaces {
    spaces: Vec<Space>,
    processes: FxHashMap<u32, Vec<(u64, SpaceId)>>,
    modules: Vec<Module>,
    module_ids: FxHashMap<(ModuleKind, String, u64), ModuleId>,
    kernel: Option<(u64, u64, ModuleId)>,
}

/// Modules that every recording has, by their place: addresses in no mapping.
pub(super) const UNMAPPED_USER: ModuleId = ModuleId(0);
/// Addresses in no mapping of the kernel.
pub(super) const UNMAPPED_KERNEL: ModuleId = ModuleId(1);
/// Addresses of guests and hypervisors.
pub(super) const FOREIGN: ModuleId = ModuleId(2);

/// A space without mappings: of processes that no record tells of.
pub(super) const EMPTY_SPACE: SpaceId = SpaceId(0);
/// The kernel's first state.
const FIRST_KERNEL_SPACE: SpaceId = SpaceId(1);

impl Default for Spaces {
    fn default() -> Self {
        let unmapped = |kind, name: &str| Module {
            kind,
            path: name.to_owned(),
            name: name.to_owned(),
            build_id: None,
            base: 0,
            reference: None,
            inode: None,
            code_offset: None,
        };
        Self {
            spaces: vec![Space { shared: true, ..Space::default() }, Space::default()],
            processes: [(KERNEL_PID, vec![(0, FIRST_KERNEL_SPACE)])].into_iter().collect(),
            modules: vec![
                unmapped(ModuleKind::UnmappedUser, "[unknown]"),
                unmapped(ModuleKind::UnmappedKernel, "[unknown kernel]"),
                unmapped(ModuleKind::Foreign, "[guest or hypervisor]"),
            ],
            module_ids: FxHashMap::default(),
            kernel: None,
        }
    }
}

impl Spaces {
    /// Takes a side-band record in; records come in the order of their times.
    pub fn apply(&mut self, time: u64, record: &SideBand) {
        match record {
            SideBand::Mmap(mmap) => self.mmap(time, mmap),
            SideBand::Comm { pid, exec: true, .. } => {
                let space = self.add(Space::default());
                self.enter(*pid, time, space);
            }
            SideBand::Fork { pid, ppid, synthesized: false, .. } if pid != ppid => {
                let space = self.current(*ppid);
                self.spaces[space.index()].shared = true;
                self.enter(*pid, time, space);
            }
            SideBand::Ksymbol { addr, len, unregister: false, name } => {
                let module = self.module(ModuleKind::KernelSymbol, name, *addr, None, None, None);
                let mapping = Mapping { end: addr.saturating_add(*len), module, shift: 0 };
                self.map(KERNEL_PID, time, *addr, mapping);
            }
            _ => {}
        }
    }

    /// Gives modules the build-ids that the recording lists by path.
    pub fn set_build_ids(&mut self, build_ids: &[(String, Vec<u8>)]) {
        let mut by_path: FxHashMap<&str, &Vec<u8>> = FxHashMap::default();
        let mut by_module: FxHashMap<String, &Vec<u8>> = FxHashMap::default();
        for (path, id) in build_ids {
            by_path.entry(path).or_insert(id);
            by_module.entry(kernel_module_name(path)).or_insert(id);
        }
        let is_kernel = |path: &str| is_kernel_path(path) || path.contains("vmlinux");
        let kernel = build_ids.iter().find(|(path, _)| is_kernel(path)).map(|(_, id)| id);
        for module in self.modules.iter_mut().filter(|module| module.build_id.is_none()) {
            let of_path = by_path.get(module.path.as_str()).copied();
            let id = match module.kind {
                ModuleKind::Kernel => kernel,
                ModuleKind::KernelModule => of_path.or_else(|| by_module.get(&module.name).copied()),
                _ => of_path,
            };
            module.build_id = id.cloned();
        }
    }

    /// The state of a process's space at a time.
    pub fn at(&self, pid: u32, time: u64) -> SpaceId {
        self.processes.get(&pid).map_or(EMPTY_SPACE, |states| state_at(states, time))
    }

    /// The state of the kernel's space at a time.
    pub fn kernel_at(&self, time: u64) -> SpaceId {
        self.at(KERNEL_PID, time)
    }

    /// Where the kernel begins for an address of which nothing else tells whose it is: the upper half of the address
    /// space, or the mapping of a kernel of 32 bits, which leaves its processes at least the lowest GiB.
    pub fn kernel_start(&self) -> u64 {
        let start = self.kernel.map(|(start, ..)| start).filter(|&start| start >= 1 << 30);
        start.unwrap_or(u64::MAX).min(1 << 63)
    }

    /// Module and offset of an address of a process.
    pub fn resolve_user(&self, space: SpaceId, address: u64) -> (ModuleId, u64) {
        self.find(space, address).unwrap_or((UNMAPPED_USER, address))
    }

    /// Module and offset of an address of the kernel; offsets in it are addresses.
    pub fn resolve_kernel(&self, space: SpaceId, address: u64) -> (ModuleId, u64) {
        let specific = self.find(space, address).map(|(module, _)| module);
        let main = || {
            self.kernel
                .filter(|(start, end, _)| (*start..*end).contains(&address))
                .map(|(_, _, module)| module)
        };
        (specific.or_else(main).unwrap_or(UNMAPPED_KERNEL), address)
    }

    /// All modules.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    fn find(&self, space: SpaceId, address: u64) -> Option<(ModuleId, u64)> {
        let (_, mapping) = self.spaces[space.index()].mappings.range(..=address).next_back()?;
        (address < mapping.end).then(|| (mapping.module, address.wrapping_add(mapping.shift)))
    }

    fn mmap(&mut self, time: u64, mmap: &Mmap) {
        let end = mmap.start.saturating_add(mmap.len);
        match mmap.mode {
            CpuMode::Kernel if is_kernel_path(&mmap.path) => {
                let reference = mmap.path.split_once(']').map(|(_, symbol)| symbol.to_owned());
                let reference = reference.filter(|symbol| !symbol.is_empty());
                let id = mmap.build_id.clone();
                let module =
                    self.module(ModuleKind::Kernel, "[kernel.kallsyms]", mmap.pgoff, id, reference, None);
                self.kernel.get_or_insert((mmap.start, end, module));
            }
            CpuMode::Kernel => {
                let id = mmap.build_id.clone();
                let module = self.module(ModuleKind::KernelModule, &mmap.path, mmap.start, id, None, None);
                self.map(KERNEL_PID, time, mmap.start, Mapping { end, module, shift: 0 });
            }
            CpuMode::User | CpuMode::Unknown => {
                let id = mmap.build_id.clone();
                let module = self.module(ModuleKind::User, &mmap.path, 0, id, None, mmap.inode);
                if mmap.prot & prot::EXEC != 0 {
                    let first = &mut self.modules[module.index()].code_offset;
                    *first = Some(first.map_or(mmap.pgoff, |known| known.min(mmap.pgoff)));
                }
                // No file stands behind code that was generated: its place is its address.
                let is_generated = mmap.prot & prot::GENERATED != 0;
                let shift = if is_generated { 0 } else { mmap.pgoff.wrapping_sub(mmap.start) };
                self.map(mmap.pid, time, mmap.start, Mapping { end, module, shift });
            }
            CpuMode::Hypervisor | CpuMode::GuestKernel | CpuMode::GuestUser => {}
        }
    }

    fn map(&mut self, pid: u32, time: u64, start: u64, new: Mapping) {
        if new.end <= start {
            return;
        }
        let mut space = self.current(pid);
        let changes = self.spaces[space.index()]
            .covered_by(start, new.end)
            .any(|(_, old)| (old.module, old.shift) != (new.module, new.shift));
        if changes || self.spaces[space.index()].shared {
            let copy = Space { shared: false, ..self.spaces[space.index()].clone() };
            space = self.add(copy);
            self.enter(pid, time, space);
        }
        self.spaces[space.index()].insert(start, new);
    }

    fn current(&self, pid: u32) -> SpaceId {
        self.processes.get(&pid).and_then(|states| states.last()).map_or(EMPTY_SPACE, |(_, space)| *space)
    }

    fn add(&mut self, space: Space) -> SpaceId {
        self.spaces.push(space);
        SpaceId(self.spaces.len() as u32 - 1)
    }

    fn enter(&mut self, pid: u32, time: u64, space: SpaceId) {
        self.processes.entry(pid).or_default().push((time, space));
    }

    fn module(
        &mut self,
        kind: ModuleKind,
        path: &str,
        base: u64,
        build_id: Option<Vec<u8>>,
        reference: Option<String>,
        inode: Option<u64>,
    ) -> ModuleId {
        let key = (kind, path.to_owned(), if kind == ModuleKind::Kernel { 0 } else { base });
        if let Some(&id) = self.module_ids.get(&key) {
            let known = &mut self.modules[id.index()];
            known.build_id = known.build_id.take().or(build_id);
            known.inode = known.inode.or(inode);
            return id;
        }
        let id = ModuleId(self.modules.len() as u32);
        let name = match kind {
            ModuleKind::KernelModule => kernel_module_name(path),
            _ if path.starts_with('[') || path.starts_with("//") => path.to_owned(),
            _ => path.rsplit('/').next().unwrap_or(path).to_owned(),
        };
        let path = path.to_owned();
        self.modules.push(Module { kind, path, name, build_id, base, reference, inode, code_offset: None });
        self.module_ids.insert(key, id);
        id
    }
}

impl Space {
    /// The mappings that a new one from `start` to `end` covers, in part or whole, the last one first.
    fn covered_by(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, Mapping)> {
        let below = self.mappings.range(..end).rev();
        below.take_while(move |(_, old)| old.end > start).map(|(&at, &old)| (at, old))
    }

    /// Puts a mapping in; what it covers of others goes.
    fn insert(&mut self, start: u64, new: Mapping) {
        let covered: Vec<(u64, Mapping)> = self.covered_by(start, new.end).collect();
        for (at, old) in covered {
            self.mappings.remove_mut(&at);
            if at < start {
                self.mappings.insert_mut(at, Mapping { end: start, ..old });
            }
            if old.end > new.end {
                self.mappings.insert_mut(new.end, old);
            }
        }
        self.mappings.insert_mut(start, new);
    }
}

fn state_at(states: &[(u64, SpaceId)], time: u64) -> SpaceId {
    let after = states.partition_point(|(since, _)| *since <= time);
    // Before its first record a process is taken to be as that record finds it.
    states[after.saturating_sub(1)].1
}

fn is_kernel_path(path: &str) -> bool {
    path.starts_with("[kernel.kallsyms]")
        || path.starts_with("[kernel]")
        || path.starts_with("[kernel.vmlinux]")
}

/// `/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz` is `[ext4]`, as perf shows it.
fn kernel_module_name(path: &str) -> String {
    if path.starts_with('[') {
        return path.to_owned();
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split(".ko").next().unwrap_or(file);
    format!("[{}]", stem.replace('-', "_"))
}
