//! Takes from this process all rights that running programs does not need. Each measure works without the others: on a system that
//! lacks one, the others still hold.

/// Takes from this thread, and from those that it starts, every file and every port, and limits what the process may use. To be
/// called before the process has other threads. `memory_bytes`: what programs may have together. Returns what could not be taken,
/// in words.
pub(super) fn give_up_files(memory_bytes: usize) -> Vec<String> {
    #[cfg(target_os = "linux")]
    return linux::give_up_files(memory_bytes);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = memory_bytes;
        vec!["this system has no landlock".to_owned()]
    }
}

/// Takes from this process and all its threads the calls of the system that running programs does not need, such as to start a
/// thread. Returns what could not be taken, in words.
pub(super) fn give_up_calls() -> Option<String> {
    #[cfg(target_os = "linux")]
    return linux::few_calls().err().map(|why| format!("seccomp: {why}"));
    #[cfg(not(target_os = "linux"))]
    Some("this system has no seccomp".to_owned())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::env::consts::ARCH;
    use std::fmt::Display;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetStatus, Scope,
    };
    use rustix::process::{Resource, Rlimit, setrlimit};
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter_all_threads};

    /// What the process may have besides the memory of programs, in bytes: compiled code, private directories, the compiler.
    const OWN_MEMORY: u64 = 1 << 30;

    /// The highest number of an open file: the standard three, and what is open already.
    const OPEN_FILES: u64 = 64;

    /// The version of landlock whose rights are taken where the kernel knows them.
    const NEWEST: ABI = ABI::V6;

    pub(super) fn give_up_files(memory_bytes: usize) -> Vec<String> {
        let mut missing = Vec::new();
        let mut note = |what: &str, why: &dyn Display| missing.push(format!("{what}: {why}"));
        let memory = OWN_MEMORY.saturating_add(memory_bytes as u64);
        let limits = [
            (Resource::Data, "the limit of memory", memory),
            (Resource::Core, "the limit of memory dumps", 0),
            (Resource::Fsize, "the limit of written files", 0),
            (Resource::Nofile, "the limit of open files", OPEN_FILES),
        ];
        for (resource, name, most) in limits {
            if let Err(e) = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }) {
                note(name, &e);
            }
        }
        if let Err(why) = no_paths() {
            note("landlock", &why);
        }
        missing
    }

    /// No file can be opened, made or removed, and no port used.
    fn no_paths() -> Result<(), String> {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
        let ruleset = ruleset.handle_access(AccessFs::from_all(NEWEST)).map_err(|e| e.to_string())?;
        let ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST)).map_err(|e| e.to_string())?;
        let ruleset = ruleset.scope(Scope::from_all(NEWEST)).map_err(|e| e.to_string())?;
        let status = ruleset.create().and_then(|made| made.restrict_self()).map_err(|e| e.to_string())?;
        match status.ruleset {
            RulesetStatus::NotEnforced => Err("this kernel does not have it".to_owned()),
            RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
        }
    }

    /// The calls of the system that remain: reading and writing what is open, memory, waiting, the clock, and ending. All others fail;
    /// no process, thread or socket can be made, and no file opened.
    const CALLS: &[libc::c_long] = &[
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_readv,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_fstat,
        libc::SYS_brk,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_membarrier,
        libc::SYS_futex,
        libc::SYS_nanosleep,
        libc::SYS_clock_nanosleep,
        libc::SYS_clock_gettime,
        libc::SYS_gettimeofday,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_getcpu,
        libc::SYS_getrandom,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_tgkill,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_rseq,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    pub(super) fn few_calls() -> Result<(), String> {
        let rules: BTreeMap<i64, Vec<_>> = CALLS.iter().map(|call| (*call, Vec::new())).collect();
        let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
        let arch = ARCH.try_into().map_err(|_| format!("not for {ARCH}"))?;
        let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch);
        let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(|e| e.to_string())?;
        apply_filter_all_threads(&program).map_err(|e| e.to_string())
    }
}
