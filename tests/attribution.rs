//! Which callchains are lock time, of which lock, and who pays for it: the rules as cases over names.

use lockblame::id::{FrameId, Interner};
use lockblame::lock::attribution::{Attribution, Options, Through, attribute};
use lockblame::lock::matcher::Matcher;
use lockblame::lock::site::{SiteTable, family_and_mode, tables};
use lockblame::profile::part::Parts;
use lockblame::profile::{Entry, EntryKey, ModuleKind, NO_CPU, Profile, TIME_BLOCKS};
use lockblame::symbol::{Naming, Symbol};
use lockblame::units::Weight;

/// A profile of callchains written `leaf < caller < … | user's leaf < caller < …`, each of weight 1.
fn profile(chains: &[&str]) -> Profile<Symbol> {
    let mut profile = Profile {
        modules: Vec::new(),
        frames: Vec::new(),
        kernel: Parts::default(),
        user: Parts::default(),
        comms: Interner::default(),
        entries: Vec::new(),
    };
    let comm = profile.comms.intern("worker");
    for chain in chains {
        let (kernel, user) = chain.split_once('|').unwrap_or((chain, ""));
        let mut part = |text: &str, kind: ModuleKind| -> Vec<FrameId> {
            let names = text.split(" < ").map(str::trim).filter(|name| !name.is_empty());
            names.map(|name| frame(&mut profile.frames, name, kind)).collect()
        };
        let (kernel, user) = (part(kernel, ModuleKind::Kernel), part(user, ModuleKind::User));
        let (kernel, user) = (profile.kernel.push(kernel), profile.user.push(user));
        let key = EntryKey { kernel, user, comm, event: 0, cpu: NO_CPU, block: 0, idle: false };
        profile.entries.push(Entry { key, weight: Weight(1), samples: 1 });
    }
    profile
}

fn frame(frames: &mut Vec<Symbol>, name: &str, kind: ModuleKind) -> FrameId {
    let module = if kind.is_kernel() { "[kernel.kallsyms]" } else { "app" };
    let symbol = Symbol { name: name.to_owned(), module: module.to_owned(), kind, naming: Naming::Named };
    let at = frames.iter().position(|known| *known == symbol).unwrap_or_else(|| {
        frames.push(symbol);
        frames.len() - 1
    });
    FrameId(at as u32)
}

fn attributed(profile: &Profile<Symbol>, through: Through) -> Attribution {
    attribute(profile, 0, &Options { matcher: Matcher::new(&[], &[]), through, path: 0 })
}

fn table(chains: &[&str], through: Through) -> SiteTable {
    let profile = profile(chains);
    let attribution = attributed(&profile, through);
    let table = tables(&[(&profile, &attribution)]).remove(0);
    let sites: u64 = table.sites.values().map(|row| row.weight.0).sum();
    let unlock: u64 = table.unlock.values().map(|weight| weight.0).sum();
    assert_eq!(table.total.0, chains.len() as u64, "weight is conserved");
    assert!(sites + unlock + table.idle.0 <= table.total.0, "nothing counts twice");
    table
}

/// `FAMILY: LOCK from CALLER`, with what was seen through and the inner lock; or what else the leaf is about.
fn said(chain: &str, through: Through) -> String {
    let table = table(&[chain], through);
    if let Some((family, _)) = table.unlock.iter().next() {
        return format!("{} unlock", family.word());
    }
    if table.idle.0 > 0 {
        return "idle".to_owned();
    }
    let Some((site, row)) = table.sites.iter().next() else { return "other".to_owned() };
    let caller = site.caller.as_ref().map_or("nobody", |caller| caller.name.as_str());
    let family = family_and_mode(site.lock.family, site.lock.mode);
    let mut text = format!("{family}: {} from {caller}", site.lock.name);
    if !site.through.is_empty() {
        text.push_str(&format!(" through {}", site.through.join(", ")));
    }
    for inner in row.inner.keys() {
        text.push_str(&format!(" with {inner}"));
    }
    text
}

#[track_caller]
fn check(chain: &str, expected: &str) {
    assert_eq!(said(chain, Through::Direct), expected, "{chain}");
}

#[track_caller]
fn check_through(chain: &str, expected: &str) {
    assert_eq!(said(chain, Through::Wrappers), expected, "{chain}");
}

/// Each of these, as a leaf, is the lock of this family called from `work`.
#[track_caller]
fn check_leaves(family: &str, leaves: &str) {
    for leaf in leaves.split_whitespace() {
        let text = said(&format!("{leaf} < work"), Through::Direct);
        assert!(text.starts_with(&format!("{family}: ")) && text.ends_with(" from work"), "{leaf}: {text}");
    }
}

#[test]
fn spinlocks() {
    check(
        "native_queued_spin_lock_slowpath < _raw_spin_lock_irqsave < tty_ldisc_try",
        "spinlock: _raw_spin_lock_irqsave from tty_ldisc_try",
    );
    check("_raw_spin_lock < alloc_fd < do_syscall_64", "spinlock: _raw_spin_lock from alloc_fd");
    check(
        "native_queued_spin_lock_slowpath < alloc_fd",
        "spinlock: native_queued_spin_lock_slowpath from alloc_fd",
    );
    check("_raw_spin_lock", "spinlock: _raw_spin_lock from nobody");
    check_leaves(
        "spinlock",
        "_raw_spin_lock _raw_spin_lock_irq _raw_spin_lock_irqsave _raw_spin_lock_bh \
        _raw_spin_lock_nested _raw_spin_lock_nest_lock _raw_spin_lock_irqsave_nested _raw_spin_trylock \
        _raw_spin_trylock_bh __raw_spin_lock __raw_spin_lock_irqsave _spin_lock _spin_lock_irqsave lock_kernel",
    );
    check_leaves(
        "spinlock",
        "__pv_queued_spin_lock_slowpath queued_spin_lock_slowpath pv_wait_node pv_wait_head_or_lock \
        pv_kick_node xen_qlock_wait kvm_lock_spinning xen_lock_spinning __ticket_spin_lock do_raw_spin_lock \
        queued_spin_lock_mcs_queue yield_to_prev splpar_spin_yield arch_spin_lock_wait arch_spin_trylock_retry \
        arch_spin_relax resilient_queued_spin_lock_slowpath resilient_tas_spin_lock .text.lock.super",
    );
    for other in ["spin_lock_init", "btf_find_spin_lock", "_spin_loop", "bpf_spin_lock", "lock_kernel_ds"] {
        check(&format!("{other} < work"), "other");
    }
}

#[test]
fn rwlocks() {
    check("_raw_read_lock < do_wait", "rwlock:R: _raw_read_lock from do_wait");
    check("_raw_write_lock_irq < do_exit", "rwlock:W: _raw_write_lock_irq from do_exit");
    check(
        "queued_write_lock_slowpath < _raw_write_lock_irq < do_exit",
        "rwlock:W: _raw_write_lock_irq from do_exit",
    );
    // Those who wait queue in a spinlock of the rwlock's own.
    check(
        "native_queued_spin_lock_slowpath < queued_write_lock_slowpath < _raw_write_lock_irq < do_exit",
        "rwlock:W: _raw_write_lock_irq from do_exit",
    );
    check(
        "native_queued_spin_lock_slowpath < queued_read_lock_slowpath < do_wait",
        "rwlock:R: rwlock:R from do_wait",
    );
    check_leaves(
        "rwlock:R",
        "_raw_read_lock_bh _raw_read_trylock __raw_read_lock queued_read_lock_slowpath __read_lock_failed arch_read_lock_wait",
    );
    check_leaves(
        "rwlock:W",
        "_raw_write_lock_irqsave __raw_write_lock queued_write_lock_slowpath __write_lock_failed arch_write_lock_wait",
    );
    check_leaves("rwlock", "splpar_rw_yield");
}

#[test]
fn mutexes() {
    check("osq_lock < __mutex_lock.constprop.0 < mutex_lock < vfs_write", "mutex: mutex_lock from vfs_write");
    check("mutex_spin_on_owner < __mutex_lock.constprop.0 < vfs_write", "mutex: mutex from vfs_write");
    check(
        "_raw_spin_lock < __mutex_lock.isra.7 < mutex_lock < vfs_write",
        "mutex: mutex_lock from vfs_write with _raw_spin_lock",
    );
    check_leaves(
        "mutex",
        "mutex_lock mutex_lock_interruptible mutex_lock_killable mutex_lock_io mutex_lock_nested mutex_trylock \
        ww_mutex_lock ww_mutex_lock_interruptible __mutex_lock_slowpath mutex_optimistic_spin mspin_lock osq_lock \
        mcs_spin_lock _mutex_lock_nest_lock",
    );
    check("mutex_is_locked < work", "other");
    check("atomic_dec_and_mutex_lock < work", "other");
}

#[test]
fn rwsems() {
    check(
        "osq_lock < rwsem_optimistic_spin < rwsem_down_write_slowpath < down_write < do_unlinkat",
        "rwsem:W: down_write from do_unlinkat",
    );
    check(
        "rwsem_spin_on_owner < rwsem_down_read_slowpath < down_read < lock_mm",
        "rwsem:R: down_read from lock_mm",
    );
    // down_write jumps to its slow path.
    check("osq_lock < rwsem_down_write_slowpath < do_unlinkat", "rwsem:W: rwsem:W from do_unlinkat");
    check(
        "native_queued_spin_lock_slowpath < _raw_spin_lock_irq < rwsem_down_write_slowpath < down_write < mmap",
        "rwsem:W: down_write from mmap with _raw_spin_lock_irq",
    );
    check_leaves(
        "rwsem:R",
        "down_read down_read_killable down_read_interruptible down_read_nested down_read_trylock \
        rwsem_down_read_failed call_rwsem_down_read_failed __down_read_common",
    );
    check_leaves(
        "rwsem:W",
        "down_write down_write_killable down_write_nested down_write_trylock _down_write_nest_lock \
        rwsem_down_write_failed call_rwsem_down_write_failed __down_write_common",
    );
    for other in ["ldsem_down_read", "ext4_double_down_write_data_sem", "rwsem_is_contended"] {
        check(&format!("{other} < work"), "other");
    }
}

#[test]
fn the_wait_lock_taken_to_wake_is_the_sleeping_locks() {
    check(
        "_raw_spin_lock_irqsave < rwsem_wake < up_write < vfs_unlink",
        "rwsem:W: rwsem:W from vfs_unlink with _raw_spin_lock_irqsave",
    );
    check(
        "native_queued_spin_lock_slowpath < _raw_spin_lock_irqsave < rwsem_wake.isra.0 < up_read < do_user_addr_fault",
        "rwsem:R: rwsem:R from do_user_addr_fault with _raw_spin_lock_irqsave",
    );
    check(
        "_raw_spin_lock < __mutex_unlock_slowpath < vfs_write",
        "mutex: mutex from vfs_write with _raw_spin_lock",
    );
    check(
        "_raw_spin_lock < try_to_wake_up < wake_up_q < rwsem_wake < up_write",
        "spinlock: _raw_spin_lock from try_to_wake_up",
    );
}

#[test]
fn entries_that_jump_are_one_row_with_those_that_do_not() {
    let all = [
        "osq_lock < rwsem_down_write_slowpath < down_write < do_unlinkat",
        "osq_lock < rwsem_down_write_slowpath < do_unlinkat",
        "rwsem_spin_on_owner < rwsem_down_write_slowpath < open_last_lookups",
        "| __lll_lock_wait < push",
        "| pthread_mutex_lock < push",
    ];
    let rows = table(&all, Through::Direct);
    let rows: Vec<_> = rows.sites.iter().map(|(site, row)| (site.lock.name.as_str(), row.samples)).collect();
    assert_eq!(rows, [("down_write", 2), ("pthread_mutex_lock", 2), ("rwsem:W", 1)]);
}

#[test]
fn other_kernel_families() {
    check_leaves("percpu-rwsem:R", "percpu_down_read __percpu_down_read");
    check_leaves("percpu-rwsem:W", "percpu_down_write");
    check_leaves("percpu-rwsem", "percpu_rwsem_wait");
    check_leaves("semaphore", "down down_interruptible down_killable down_timeout __down __down_common");
    check_leaves(
        "rtmutex",
        "rt_mutex_lock rt_mutex_lock_nested rt_spin_lock rtlock_slowlock rtlock_slowlock_locked \
        rt_mutex_slowlock rt_mutex_slowlock_block rtmutex_spin_on_owner rt_mutex_adjust_prio_chain task_blocks_on_rt_mutex",
    );
    check_leaves("rtmutex:R", "rt_read_lock rwbase_read_lock");
    check_leaves("rtmutex:W", "rt_write_lock rwbase_write_lock");
    check_leaves("lglock", "lg_local_lock lg_local_lock_cpu lg_global_lock br_read_lock br_write_lock");
    check(
        "__ticket_spin_lock < lg_local_lock < mntput_no_expire",
        "lglock: lg_local_lock from mntput_no_expire with __ticket_spin_lock",
    );
    check(
        "_raw_spin_lock_irq < rtlock_slowlock_locked < rt_spin_lock < wake_up",
        "rtmutex: rt_spin_lock from wake_up with _raw_spin_lock_irq",
    );
}

#[test]
fn a_lockref_is_a_lock_unless_a_spinlock_runs_under_it() {
    check_leaves(
        "lockref",
        "lockref_get lockref_get_not_zero lockref_get_or_lock lockref_put_or_lock lockref_put_return lockref_get_not_dead",
    );
    let chain = "native_queued_spin_lock_slowpath < _raw_spin_lock < lockref_get_not_dead < __legitimize_path < try_to_unlazy";
    check(chain, "spinlock: _raw_spin_lock from lockref_get_not_dead");
    check_through(chain, "spinlock: _raw_spin_lock from __legitimize_path through lockref_get_not_dead");
}

#[test]
fn compilers_suffixes_and_prefixes_do_not_matter() {
    for leaf in [
        "native_queued_spin_lock_slowpath.part.0",
        "native_queued_spin_lock_slowpath.isra.3.cold",
        "native_queued_spin_lock_slowpath.llvm.123456",
        "native_queued_spin_lock_slowpath.constprop.0.lto_priv.1",
        "__pfx_native_queued_spin_lock_slowpath",
    ] {
        check(&format!("{leaf} < _raw_spin_lock < f"), "spinlock: _raw_spin_lock from f");
    }
    check("native_queued_spin_lock_slowpath.foo < f", "other");
    check("_raw_spin_lock < f.isra.0", "spinlock: _raw_spin_lock from f.isra.0");
}

#[test]
fn helpers_are_skipped_inside_a_lock_only() {
    let halt = "pv_native_safe_halt < kvm_wait < __pv_queued_spin_lock_slowpath < _raw_spin_lock < f";
    check(halt, "spinlock: _raw_spin_lock from f");
    check(
        "perf_trace_buf_alloc < perf_trace_contention_begin < __traceiter_contention_begin < native_queued_spin_lock_slowpath < _raw_spin_lock < f",
        "spinlock: _raw_spin_lock from f",
    );
    check("bpf_trace_run2 < __traceiter_contention_end < mutex_lock < f", "mutex: mutex_lock from f");
    check("delay_tsc < __delay < do_raw_spin_lock < _raw_spin_lock < f", "spinlock: _raw_spin_lock from f");
    check("native_safe_halt < default_idle < do_idle", "idle");
    check("pv_native_safe_halt < acpi_safe_halt < cpuidle_enter_state", "idle");
    check("delay_tsc < __delay < e1000_reset", "other");
    check("perf_tp_event < perf_trace_sched_switch < __schedule", "other");
}

#[test]
fn a_leaf_that_is_no_lock_is_no_lock_time() {
    check("memcpy < _raw_spin_lock < f", "other");
    check("asm_exc_page_fault < mutex_lock < f", "other");
    check("schedule < __mutex_lock < mutex_lock < f", "other");
    check("__schedule < schedule < rwsem_down_read_slowpath < down_read < f", "other");
    check("finish_task_switch < __schedule < schedule < mutex_lock < f", "other");
    check("f", "other");
    check("", "other");
}

#[test]
fn schedule_and_completions_are_call_sites() {
    check(
        "_raw_spin_lock < __schedule < schedule < mutex_lock < f",
        "spinlock: _raw_spin_lock from __schedule",
    );
    check("_raw_spin_lock_irq < schedule < f", "spinlock: _raw_spin_lock_irq from schedule");
    check(
        "_raw_spin_lock_irq < wait_for_completion < f",
        "spinlock: _raw_spin_lock_irq from wait_for_completion",
    );
    // perf lock shows __update_stats_enqueue_sleeper here, as the next function is marked __sched.
    check(
        "native_queued_spin_lock_slowpath < _raw_spin_lock_irqsave < __account_scheduler_latency < __update_stats_enqueue_sleeper",
        "spinlock: _raw_spin_lock_irqsave from __account_scheduler_latency",
    );
}

#[test]
fn one_lock_does_not_swallow_another() {
    check("_raw_spin_lock < foo < mutex_lock < bar", "spinlock: _raw_spin_lock from foo");
    check("_raw_spin_lock < futex_q_lock < futex_wait_setup", "spinlock: _raw_spin_lock from futex_q_lock");
    check_through(
        "_raw_spin_lock < futex_q_lock < futex_wait_setup",
        "spinlock: _raw_spin_lock from futex_wait_setup through futex_q_lock",
    );
    check("mutex_lock < _raw_spin_lock < bar", "mutex: mutex_lock from _raw_spin_lock");
}

#[test]
fn unlocking_is_apart() {
    for (leaf, family) in [
        ("_raw_spin_unlock_irqrestore", "spinlock"),
        ("__raw_callee_save___pv_queued_spin_unlock", "spinlock"),
        ("__pv_queued_spin_unlock_slowpath", "spinlock"),
        ("_raw_read_unlock", "rwlock"),
        ("_raw_write_unlock_irq", "rwlock"),
        ("mutex_unlock", "mutex"),
        ("__mutex_unlock_slowpath.constprop.0", "mutex"),
        ("up_read", "rwsem"),
        ("up_write", "rwsem"),
        ("rwsem_wake", "rwsem"),
        ("up", "semaphore"),
        ("rt_spin_unlock", "rtmutex"),
    ] {
        check(&format!("{leaf} < f"), &format!("{family} unlock"));
    }
    check("_raw_spin_unlock_irqrestore < rwsem_wake < up_write < f", "spinlock unlock");
    check("| pthread_mutex_unlock < app", "pthread unlock");
    check("| sync.(*Mutex).Unlock < main.work", "go unlock");
}

#[test]
fn a_futex_is_seen_from_user_space() {
    let syscall = "futex_wait_setup < __futex_wait < futex_wait < do_futex < __x64_sys_futex < x64_sys_call < do_syscall_64 < entry_SYSCALL_64_after_hwframe";
    let inner = "with do_futex";
    check(
        &format!("{syscall} | __lll_lock_wait < ___pthread_mutex_lock < push_job"),
        &format!("pthread: pthread_mutex_lock from push_job {inner}"),
    );
    check(
        &format!("{syscall} | syscall < std::sys::sync::mutex::futex::Mutex::lock_contended < app::work"),
        &format!("rust: std::sys::sync::mutex::futex::Mutex::lock_contended from app::work {inner}"),
    );
    check(
        &format!("{syscall} | runtime.futex.abi0 < runtime.futexsleep < runtime.lock2 < runtime.chansend"),
        &format!("go: runtime.lock2 from runtime.chansend {inner}"),
    );
    // What is no lock called it: a condition, a barrier, the program itself.
    check(&format!("{syscall} | syscall < app_wait"), "futex: do_futex from app_wait");
    check(&format!("{syscall} | pthread_cond_wait < app"), "futex: do_futex from pthread_cond_wait");
    check(syscall, "futex: do_futex from __x64_sys_futex");
    // Waking who waits is part of giving a lock back.
    check(
        "futex_wake < do_futex < __x64_sys_futex < do_syscall_64 | __lll_lock_wake < pthread_mutex_unlock < app",
        "pthread unlock",
    );
    check(
        "_raw_spin_lock < futex_wake < do_futex < __x64_sys_futex | __lll_lock_wake",
        "spinlock: _raw_spin_lock from futex_wake",
    );
    check("syscall_exit_to_user_mode < do_syscall_64 | __lll_lock_wait < pthread_mutex_lock < app", "other");
}

#[test]
fn locks_of_user_space() {
    check("| __lll_lock_wait < pthread_mutex_lock < app", "pthread: pthread_mutex_lock from app");
    check("| __lll_lock_wait_private < app", "pthread: pthread from app");
    check("| __pthread_rwlock_rdlock < app", "pthread:R: pthread_rwlock_rdlock from app");
    check("| ___pthread_rwlock_wrlock < app", "pthread:W: pthread_rwlock_wrlock from app");
    check("| __futex_abstimed_wait_common64 < mtx_lock < app", "pthread: mtx_lock from app");
    check("| pthread_spin_lock < app", "pthread: pthread_spin_lock from app");
    check(
        "| std::sys::sync::mutex::futex::Mutex::lock_contended < std::sync::poison::mutex::Mutex<T>::lock < app::work",
        "rust: std::sync::poison::mutex::Mutex<T>::lock from app::work",
    );
    check(
        "| <std::sync::poison::mutex::Mutex<alloc::vec::Vec<u8>>>::lock < app::work",
        "rust: <std::sync::poison::mutex::Mutex<alloc::vec::Vec<u8>>>::lock from app::work",
    );
    for slow in [
        "std::sys::sync::rwlock::futex::RwLock::read_contended",
        "std::sys::sync::rwlock::futex::RwLock::write_contended",
        "parking_lot::raw_mutex::RawMutex::lock_slow",
        "<parking_lot::raw_rwlock::RawRwLock>::lock_shared_slow",
        "parking_lot::raw_rwlock::RawRwLock::lock_exclusive_slow",
        "parking_lot_core::word_lock::WordLock::lock_slow",
    ] {
        assert!(said(&format!("| {slow} < app::work"), Through::Direct).starts_with("rust"), "{slow}");
    }
    check("| <app::Guard<std::sync::poison::mutex::Mutex<u8>>>::lock < app::work", "other");
    check(
        "| runtime.procyield.abi0 < runtime.lock2 < runtime.mallocgc",
        "go: runtime.lock2 from runtime.mallocgc",
    );
    check(
        "| runtime.semacquire1 < internal/sync.(*Mutex).lockSlow < sync.(*Mutex).Lock < main.work",
        "go: sync.(*Mutex).Lock from main.work",
    );
    check("| sync.(*RWMutex).RLock < main.work", "go:R: sync.(*RWMutex).RLock from main.work");
    for slow in [
        "malloc_mutex_lock_slow",
        "_rjem_je_malloc_mutex_lock_slow",
        "absl::lts_20240116::Mutex::LockSlowLoop",
        "SpinLock::SlowLock",
        "g_mutex_lock_slowpath",
        "gomp_mutex_lock_slow",
        "s_lock",
        "LWLockAcquire",
        "ObjectMonitor::enter",
        "ObjectMonitor::TrySpin",
        "Parker::park",
    ] {
        check(&format!("| {slow} < app"), &format!("user: {slow} from app"));
    }
}

#[test]
fn names_count_where_they_belong() {
    for name in
        ["down", "down_read", "mutex_lock", "_raw_spin_lock", "up_write", "native_safe_halt", "futex_wait"]
    {
        check(&format!("| {name} < app"), "other");
    }
    for name in ["pthread_mutex_lock", "s_lock", "runtime.lock2", "__lll_lock_wait"] {
        check(&format!("{name} < f"), "other");
    }
    // The kernel's spinning is not joined to a user's lock above it.
    check("_raw_spin_lock < f | pthread_mutex_lock < app", "spinlock: _raw_spin_lock from f");
}

#[test]
fn wrappers_are_call_sites_until_seen_through() {
    for wrapper in [
        "lockref_get_or_lock",
        "lockref_put_or_lock",
        "dget_parent",
        "task_rq_lock",
        "double_rq_lock",
        "raw_spin_rq_lock_nested",
        "folio_lruvec_lock",
        "folio_lruvec_lock_irqsave",
        "lock_sock_nested",
        "__pte_offset_map_lock",
        "lru_add_drain_cpu",
    ] {
        let chain = format!("_raw_spin_lock < {wrapper} < work < main");
        check(&chain, &format!("spinlock: _raw_spin_lock from {wrapper}"));
        check_through(&chain, &format!("spinlock: _raw_spin_lock from work through {wrapper}"));
    }
    for wrapper in ["xfs_ilock", "btrfs_tree_read_lock_nested", "btrfs_tree_lock"] {
        check_through(
            &format!("down_read < {wrapper} < work"),
            &format!("rwsem:R: down_read from work through {wrapper}"),
        );
    }
    check_through(
        "_raw_spin_lock < raw_spin_rq_lock_nested < __task_rq_lock < wake_up_new_task",
        "spinlock: _raw_spin_lock from wake_up_new_task through raw_spin_rq_lock_nested, __task_rq_lock",
    );
    // Nobody is above the last one.
    check_through("_raw_spin_lock < task_rq_lock", "spinlock: _raw_spin_lock from task_rq_lock");
    check_through("_raw_spin_lock < work", "spinlock: _raw_spin_lock from work");
}

#[test]
fn blocks_of_time_sum_to_the_whole() {
    let mut profile = profile(&["_raw_spin_lock < f", "g"]);
    for (entry, block) in profile.entries.iter_mut().zip([3u8, TIME_BLOCKS as u8 - 1]) {
        entry.key.block = block;
    }
    let attribution = attributed(&profile, Through::Direct);
    let table = tables(&[(&profile, &attribution)]).remove(0);
    let whole: u64 = table.blocks.iter().map(|weight| weight.0).sum();
    assert_eq!((whole, table.total.0, table.blocks[3].0), (2, 2, 1));
}
