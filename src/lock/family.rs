//! The families of locks, and the one table of symbols that says which function belongs to which.
//!
//! Matching, `--family`, labels, help and the documentation's page all read this table.

/// A kind of lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Spinning with preemption off.
    Spinlock,
    /// Spinning, readers together.
    Rwlock,
    /// Sleeping, one owner.
    Mutex,
    /// Sleeping, readers together.
    Rwsem,
    /// Sleeping, readers counted by CPU.
    PercpuRwsem,
    /// Sleeping, counted.
    Semaphore,
    /// Sleeping, with priority inheritance.
    Rtmutex,
    /// A lock for each CPU and for all (removed in 4.9).
    Lglock,
    /// A count and a lock in one word.
    Lockref,
    /// The kernel's part of user space's waiting.
    Futex,
    /// POSIX threads.
    Pthread,
    /// Rust's standard library and parking_lot.
    Rust,
    /// Go's runtime and sync.
    Go,
    /// Allocators, databases, virtual machines.
    OtherUser,
}

impl Family {
    /// All, in the order of the documentation.
    pub const ALL: [Family; 14] = [
        Family::Spinlock,
        Family::Rwlock,
        Family::Mutex,
        Family::Rwsem,
        Family::PercpuRwsem,
        Family::Semaphore,
        Family::Rtmutex,
        Family::Lglock,
        Family::Lockref,
        Family::Futex,
        Family::Pthread,
        Family::Rust,
        Family::Go,
        Family::OtherUser,
    ];

    /// The word for flags, tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Family::Spinlock => "spinlock",
            Family::Rwlock => "rwlock",
            Family::Mutex => "mutex",
            Family::Rwsem => "rwsem",
            Family::PercpuRwsem => "percpu-rwsem",
            Family::Semaphore => "semaphore",
            Family::Rtmutex => "rtmutex",
            Family::Lglock => "lglock",
            Family::Lockref => "lockref",
            Family::Futex => "futex",
            Family::Pthread => "pthread",
            Family::Rust => "rust",
            Family::Go => "go",
            Family::OtherUser => "user",
        }
    }

    /// The family with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.word() == word)
    }

    /// Whether its waiters may sleep in the kernel, so that it has a spinlock of its own inside.
    pub fn sleeps(self) -> bool {
        matches!(
            self,
            Family::Mutex | Family::Rwsem | Family::PercpuRwsem | Family::Semaphore | Family::Rtmutex
        )
    }

    /// Whether it is a lock of user space.
    pub fn is_user(self) -> bool {
        matches!(self, Family::Pthread | Family::Rust | Family::Go | Family::OtherUser)
    }
}

/// How a lock is held, where its family knows the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// With other readers.
    Read,
    /// Alone.
    Write,
}

impl Mode {
    /// The letter behind a family's name: `rwsem:W`.
    pub fn letter(self) -> &'static str {
        match self {
            Mode::Read => "R",
            Mode::Write => "W",
        }
    }
}

/// What a function does for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It is the lock as the programmer writes it.
    Entry,
    /// It runs inside an entry: a slow path.
    Inside,
    /// It gives the lock back.
    Unlock,
}

/// Where the functions of a rule run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// In the kernel.
    Kernel,
    /// In user space.
    User,
}

/// Functions of one family and role. A pattern is a name, in which `*` stands for anything.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The family.
    pub family: Family,
    /// The role.
    pub role: Role,
    /// The mode, where the name tells it.
    pub mode: Option<Mode>,
    /// Where they run.
    pub side: Side,
    /// Their names.
    pub patterns: &'static [&'static str],
}

const fn kernel(family: Family, role: Role, mode: Option<Mode>, patterns: &'static [&'static str]) -> Rule {
    Rule { family, role, mode, side: Side::Kernel, patterns }
}

const fn user(family: Family, role: Role, mode: Option<Mode>, patterns: &'static [&'static str]) -> Rule {
    Rule { family, role, mode, side: Side::User, patterns }
}

use Family as F;
use Role::{Entry, Inside, Unlock};
const READ: Option<Mode> = Some(Mode::Read);
const WRITE: Option<Mode> = Some(Mode::Write);

/// The table. The first rule with a pattern that fits a name is the name's.
pub const RULES: &[Rule] = &[
    kernel(
        F::Spinlock,
        Unlock,
        None,
        &[
            "_raw_spin_unlock*",
            "__raw_spin_unlock*",
            "_spin_unlock*",
            "*queued_spin_unlock*",
            "unlock_kernel",
        ],
    ),
    kernel(
        F::Spinlock,
        Entry,
        None,
        &[
            "_raw_spin_lock*",
            "_raw_spin_trylock*",
            "__raw_spin_lock*",
            "__raw_spin_trylock*",
            "_spin_lock*",
            "_spin_trylock*",
            "lock_kernel",
        ],
    ),
    kernel(
        F::Spinlock,
        Inside,
        None,
        &[
            "native_queued_spin_lock_slowpath",
            "__pv_queued_spin_lock_slowpath",
            "queued_spin_lock_slowpath",
            "pv_wait_node",
            "pv_wait_head_or_lock",
            "pv_kick_node",
            "xen_qlock_wait",
            "kvm_lock_spinning",
            "xen_lock_spinning",
            "__ticket_spin_lock",
            "__ticket_spin_trylock",
            "do_raw_spin_lock",
            "do_raw_spin_trylock",
            "queued_spin_lock_mcs_queue",
            "yield_to_prev",
            "yield_to_locked_owner",
            "yield_head_to_locked_owner",
            "splpar_spin_yield",
            "arch_spin_lock_wait*",
            "arch_spin_trylock_retry",
            "arch_spin_relax",
            "resilient_queued_spin_lock_slowpath",
            "resilient_tas_spin_lock",
            "hv_qlock_wait",
            ".text.lock.*",
        ],
    ),
    kernel(F::Rwlock, Unlock, READ, &["_raw_read_unlock*", "__raw_read_unlock*", "_read_unlock*"]),
    kernel(F::Rwlock, Unlock, WRITE, &["_raw_write_unlock*", "__raw_write_unlock*", "_write_unlock*"]),
    kernel(
        F::Rwlock,
        Entry,
        READ,
        &[
            "_raw_read_lock*",
            "_raw_read_trylock*",
            "__raw_read_lock*",
            "__raw_read_trylock*",
            "_read_lock*",
            "_read_trylock*",
        ],
    ),
    kernel(
        F::Rwlock,
        Entry,
        WRITE,
        &[
            "_raw_write_lock*",
            "_raw_write_trylock*",
            "__raw_write_lock*",
            "__raw_write_trylock*",
            "_write_lock*",
            "_write_trylock*",
        ],
    ),
    kernel(
        F::Rwlock,
        Inside,
        READ,
        &["queued_read_lock_slowpath", "__read_lock_failed", "arch_read_lock_wait"],
    ),
    kernel(
        F::Rwlock,
        Inside,
        WRITE,
        &["queued_write_lock_slowpath", "__write_lock_failed", "arch_write_lock_wait"],
    ),
    kernel(F::Rwlock, Inside, None, &["splpar_rw_yield"]),
    kernel(F::Mutex, Unlock, None, &["mutex_unlock", "__mutex_unlock_slowpath", "ww_mutex_unlock"]),
    kernel(
        F::Mutex,
        Entry,
        None,
        &[
            "mutex_lock",
            "mutex_lock_*",
            "_mutex_lock_nest_lock",
            "_mutex_lock_killable_nest_lock",
            "mutex_trylock",
            "ww_mutex_lock*",
            "ww_mutex_trylock",
        ],
    ),
    kernel(
        F::Mutex,
        Inside,
        None,
        &[
            "__mutex_lock*",
            "__ww_mutex_lock*",
            "__mutex_trylock*",
            "mutex_spin_on_owner",
            "mutex_optimistic_spin",
            "mspin_lock",
            "mcs_spin_lock",
            "osq_lock",
            "osq_wait_next",
            "osq_unlock",
        ],
    ),
    kernel(F::Rwsem, Unlock, READ, &["up_read", "__up_read"]),
    kernel(F::Rwsem, Unlock, WRITE, &["up_write", "__up_write", "downgrade_write"]),
    kernel(F::Rwsem, Unlock, None, &["rwsem_wake", "call_rwsem_wake", "rwsem_mark_wake"]),
    kernel(F::Rwsem, Entry, READ, &["down_read", "down_read_*"]),
    kernel(F::Rwsem, Entry, WRITE, &["down_write", "down_write_*", "_down_write_nest_lock"]),
    kernel(
        F::Rwsem,
        Inside,
        READ,
        &[
            "__down_read",
            "__down_read_*",
            "rwsem_down_read_slowpath",
            "rwsem_down_read_failed*",
            "call_rwsem_down_read_failed*",
        ],
    ),
    kernel(
        F::Rwsem,
        Inside,
        WRITE,
        &[
            "__down_write",
            "__down_write_*",
            "rwsem_down_write_slowpath",
            "rwsem_down_write_failed*",
            "call_rwsem_down_write_failed*",
        ],
    ),
    kernel(F::Rwsem, Inside, None, &["rwsem_optimistic_spin", "rwsem_spin_on_owner"]),
    kernel(F::PercpuRwsem, Unlock, READ, &["percpu_up_read", "__percpu_up_read"]),
    kernel(F::PercpuRwsem, Unlock, WRITE, &["percpu_up_write"]),
    kernel(F::PercpuRwsem, Entry, READ, &["percpu_down_read", "percpu_down_read_*"]),
    kernel(F::PercpuRwsem, Entry, WRITE, &["percpu_down_write"]),
    kernel(F::PercpuRwsem, Inside, READ, &["__percpu_down_read", "__percpu_down_read_trylock"]),
    kernel(F::PercpuRwsem, Inside, None, &["percpu_rwsem_wait"]),
    kernel(F::Semaphore, Unlock, None, &["up", "__up"]),
    kernel(
        F::Semaphore,
        Entry,
        None,
        &["down", "down_interruptible", "down_killable", "down_timeout", "down_trylock"],
    ),
    kernel(
        F::Semaphore,
        Inside,
        None,
        &[
            "__down",
            "__down_common",
            "___down_common",
            "__down_interruptible",
            "__down_killable",
            "__down_timeout",
        ],
    ),
    kernel(
        F::Rtmutex,
        Unlock,
        None,
        &[
            "rt_mutex_unlock",
            "rt_mutex_futex_unlock",
            "rt_mutex_postunlock",
            "rt_spin_unlock",
            "rt_mutex_slowunlock",
            "rt_read_unlock",
            "rt_write_unlock",
        ],
    ),
    kernel(F::Rtmutex, Entry, READ, &["rt_read_lock"]),
    kernel(F::Rtmutex, Entry, WRITE, &["rt_write_lock"]),
    kernel(
        F::Rtmutex,
        Entry,
        None,
        &["rt_mutex_lock*", "rt_spin_lock*", "rt_mutex_trylock", "rt_spin_trylock*"],
    ),
    kernel(F::Rtmutex, Inside, READ, &["rwbase_read_lock", "__rwbase_read_lock"]),
    kernel(F::Rtmutex, Inside, WRITE, &["rwbase_write_lock"]),
    kernel(
        F::Rtmutex,
        Inside,
        None,
        &[
            "rtlock_slowlock",
            "rtlock_slowlock_locked",
            "rt_mutex_slowlock*",
            "__rt_mutex_slowlock*",
            "__rt_mutex_lock*",
            "rtmutex_spin_on_owner",
            "rt_mutex_adjust_prio_chain",
            "task_blocks_on_rt_mutex",
        ],
    ),
    kernel(
        F::Lglock,
        Unlock,
        None,
        &["lg_local_unlock*", "lg_global_unlock", "br_read_unlock", "br_write_unlock"],
    ),
    kernel(
        F::Lglock,
        Entry,
        None,
        &["lg_local_lock", "lg_local_lock_cpu", "lg_global_lock", "br_read_lock", "br_write_lock"],
    ),
    kernel(
        F::Lockref,
        Entry,
        None,
        &[
            "lockref_get",
            "lockref_get_not_zero",
            "lockref_get_or_lock",
            "lockref_put_or_lock",
            "lockref_put_return",
            "lockref_put_not_zero",
            "lockref_get_not_dead",
        ],
    ),
    kernel(
        F::Futex,
        Inside,
        None,
        &["futex_wait*", "do_futex", "futex_q_lock", "futex_wake", "__futex_wait"],
    ),
    user(
        F::Pthread,
        Unlock,
        None,
        &[
            "*pthread_mutex_unlock*",
            "*pthread_rwlock_unlock*",
            "pthread_spin_unlock",
            "__lll_lock_wake*",
            "__lll_unlock_wake*",
            "mtx_unlock",
        ],
    ),
    user(
        F::Pthread,
        Entry,
        READ,
        &["pthread_rwlock_*rdlock*", "__pthread_rwlock_*rdlock*", "___pthread_rwlock_*rdlock*"],
    ),
    user(
        F::Pthread,
        Entry,
        WRITE,
        &["pthread_rwlock_*wrlock*", "__pthread_rwlock_*wrlock*", "___pthread_rwlock_*wrlock*"],
    ),
    user(
        F::Pthread,
        Entry,
        None,
        &[
            "pthread_mutex_lock",
            "__pthread_mutex_lock",
            "___pthread_mutex_lock",
            "pthread_mutex_trylock",
            "__pthread_mutex_trylock",
            "___pthread_mutex_trylock",
            "pthread_mutex_timedlock",
            "pthread_mutex_clocklock",
            "pthread_spin_lock",
            "pthread_spin_trylock",
            "mtx_lock",
            "mtx_timedlock",
            "mtx_trylock",
        ],
    ),
    user(
        F::Pthread,
        Inside,
        None,
        &[
            "__lll_lock_wait*",
            "__lll_lock_elision",
            "__pthread_mutex_lock_full",
            "__futex_abstimed_wait_common*",
            "__futex_lock_pi64",
            "pthread_mutex_lock@plt",
        ],
    ),
    user(
        F::Rust,
        Entry,
        None,
        &[
            "std::sync::*Mutex<*>::lock",
            "<std::sync::*Mutex<*>>::lock",
            "std::sync::*Mutex<*>::try_lock",
            "<std::sync::*Mutex<*>>::try_lock",
            "lock_api::mutex::Mutex<*>::lock",
            "<lock_api::mutex::Mutex<*>>::lock",
        ],
    ),
    user(
        F::Rust,
        Entry,
        READ,
        &[
            "std::sync::*RwLock<*>::read",
            "<std::sync::*RwLock<*>>::read",
            "lock_api::rwlock::RwLock<*>::read",
            "<lock_api::rwlock::RwLock<*>>::read",
        ],
    ),
    user(
        F::Rust,
        Entry,
        WRITE,
        &[
            "std::sync::*RwLock<*>::write",
            "<std::sync::*RwLock<*>>::write",
            "lock_api::rwlock::RwLock<*>::write",
            "<lock_api::rwlock::RwLock<*>>::write",
        ],
    ),
    user(
        F::Rust,
        Inside,
        READ,
        &["*std::sys::*RwLock*::read_contended", "*parking_lot::*RawRwLock*::lock_shared_slow"],
    ),
    user(
        F::Rust,
        Inside,
        WRITE,
        &["*std::sys::*RwLock*::write_contended", "*parking_lot::*RawRwLock*::lock_exclusive_slow"],
    ),
    user(
        F::Rust,
        Inside,
        None,
        &[
            "*std::sys::*Mutex*::lock_contended",
            "*std::sys::*Mutex*::spin",
            "*parking_lot::*RawMutex*::lock_slow",
            "*parking_lot_core::*WordLock*::lock_slow",
        ],
    ),
    user(
        F::Go,
        Unlock,
        None,
        &[
            "sync.(*Mutex).Unlock",
            "sync.(*Mutex).unlockSlow",
            "internal/sync.(*Mutex).Unlock",
            "sync.(*RWMutex).*Unlock",
            "runtime.unlock2",
        ],
    ),
    user(F::Go, Entry, READ, &["sync.(*RWMutex).RLock"]),
    user(F::Go, Entry, WRITE, &["sync.(*RWMutex).Lock"]),
    user(F::Go, Entry, None, &["sync.(*Mutex).Lock", "internal/sync.(*Mutex).Lock"]),
    user(
        F::Go,
        Inside,
        None,
        &[
            "runtime.lock2",
            "runtime.lockWithRank",
            "runtime.futex",
            "runtime.futex.abi0",
            "runtime.procyield*",
            "runtime.osyield*",
            "runtime.futexsleep",
            "runtime.semacquire1",
            "sync.(*Mutex).lockSlow",
            "internal/sync.(*Mutex).lockSlow",
            "sync.runtime_SemacquireMutex",
        ],
    ),
    user(
        F::OtherUser,
        Inside,
        None,
        &[
            "malloc_mutex_lock_slow",
            "*je_malloc_mutex_lock_slow",
            "absl::*Mutex::LockSlow*",
            "*SpinLock::SlowLock*",
            "g_mutex_lock_slowpath",
            "gomp_mutex_lock_slow",
            "ObjectMonitor::TrySpin*",
            "Parker::park",
        ],
    ),
    user(F::OtherUser, Entry, None, &["s_lock", "LWLockAcquire", "ObjectMonitor::enter"]),
];

/// Functions that run inside a lock's slow path and are skipped there, and only there.
pub const HELPERS: &[&str] = &[
    "kvm_wait",
    "pv_native_safe_halt",
    "native_safe_halt",
    "native_halt",
    "__cpu_relax",
    "delay_tsc",
    "__delay",
    "cpu_relax",
    "virt_spin_lock",
    "trace_contention_begin",
    "__traceiter_contention_begin",
    "__traceiter_contention_end",
    "perf_trace_*",
    "perf_tp_event",
    "bpf_trace_run*",
    "ftrace_*trampoline*",
];

/// Functions between a futex's wait in the kernel and the lock of user space that called it.
pub const SYSCALL_ENTRY: &[&str] = &[
    "__x64_sys_futex",
    "__ia32_sys_futex",
    "__se_sys_futex",
    "__do_sys_futex",
    "__arm64_sys_futex",
    "sys_futex",
    "SyS_futex",
    "x64_sys_call",
    "do_syscall_64",
    "entry_SYSCALL_64*",
    "system_call_fastpath",
    "invoke_syscall*",
    "el0_svc*",
    "do_el0_svc",
    "el0t_64_sync*",
    "syscall",
];

/// Functions in which a processor has nothing to do.
pub const IDLE: &[&str] = &[
    "intel_idle",
    "intel_idle_*",
    "native_safe_halt",
    "pv_native_safe_halt",
    "default_idle",
    "default_idle_call",
    "poll_idle",
    "cpu_idle_poll*",
    "cpuidle_enter_state",
    "acpi_idle_do_entry",
    "acpi_idle_enter*",
    "acpi_processor_ffh_cstate_enter",
    "acpi_safe_halt",
    "mwait_idle",
    "mwait_idle_with_hints*",
    "amd_e400_idle",
    "arch_cpu_idle",
    "cpu_do_idle",
    "native_halt",
    "xen_safe_halt",
    "cpu_startup_entry",
    "do_idle",
    "haltpoll_cpuidle_enter",
    "arch_local_irq_enable_idle",
];

/// Thin functions around a lock that users look through with `--through`.
pub const WRAPPERS: &[&str] = &[
    "lockref_get_or_lock",
    "lockref_put_or_lock",
    "lockref_get",
    "lockref_get_not_dead",
    "lockref_get_not_zero",
    "dget_parent",
    "task_rq_lock",
    "__task_rq_lock",
    "double_rq_lock",
    "raw_spin_rq_lock_nested",
    "raw_spin_rq_lock",
    "folio_lruvec_lock*",
    "lock_sock_nested",
    "__lock_sock",
    "lock_sock_fast*",
    "__pte_offset_map_lock",
    "xfs_ilock*",
    "btrfs_tree_*lock*",
    "lru_add_drain*",
    "lock_page_lruvec*",
    "lock_page_memcg",
    "futex_q_lock",
];
