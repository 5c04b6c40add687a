//! The calls of WASI preview 1 that a program may make. Every result is determined by the program's input, its seed and its own past.
//! The numbers and layouts are those of the WASI specification, `wasi_snapshot_preview1`.

pub(crate) mod descriptors;
mod directory;
pub(crate) mod files;
mod guest;
mod open_files;
mod polling;
mod process;
mod streams;
mod unavailable;

use wasmtime::{Caller, Linker};

use crate::host::Host;

/// The module whose functions a program may import.
pub(crate) const MODULE: &str = "wasi_snapshot_preview1";

/// A number that tells a program why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Errno(i32);

impl Errno {
    const SUCCESS: Self = Self(0);
    const BADF: Self = Self(8);
    const EXIST: Self = Self(20);
    const FAULT: Self = Self(21);
    const INVAL: Self = Self(28);
    const ISDIR: Self = Self(31);
    const MFILE: Self = Self(33);
    const NAMETOOLONG: Self = Self(37);
    const NOENT: Self = Self(44);
    const NOSPC: Self = Self(51);
    const NOTDIR: Self = Self(54);
    const NOTSUP: Self = Self(58);
    const SPIPE: Self = Self(70);
    const NOTCAPABLE: Self = Self(76);
}

/// Why a call does nothing: the program is told a number, or it ends.
pub(crate) enum CallFailure {
    Errno(Errno),
    End(wasmtime::Error),
}

impl From<Errno> for CallFailure {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

impl From<wasmtime::Error> for CallFailure {
    fn from(e: wasmtime::Error) -> Self {
        Self::End(e)
    }
}

/// The result of a call.
type Called = Result<(), CallFailure>;

/// The number that the program gets.
fn answer(called: Called) -> wasmtime::Result<i32> {
    match called {
        Ok(()) => Ok(Errno::SUCCESS.0),
        Err(CallFailure::Errno(errno)) => Ok(errno.0),
        Err(CallFailure::End(e)) => Err(e),
    }
}

/// The program that makes a call.
type Program<'c> = Caller<'c, Host>;

/// Defines all functions.
pub(crate) fn link(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    process::link(linker)?;
    streams::link(linker)?;
    open_files::link(linker)?;
    directory::link(linker)?;
    polling::link(linker)?;
    unavailable::link(linker)
}

/// The functions of the specification. All are defined; those of `unavailable` do nothing.
pub(crate) const FUNCTIONS: [&str; 46] = [
    "args_get",
    "args_sizes_get",
    "clock_res_get",
    "clock_time_get",
    "environ_get",
    "environ_sizes_get",
    "fd_advise",
    "fd_allocate",
    "fd_close",
    "fd_datasync",
    "fd_fdstat_get",
    "fd_fdstat_set_flags",
    "fd_fdstat_set_rights",
    "fd_filestat_get",
    "fd_filestat_set_size",
    "fd_filestat_set_times",
    "fd_pread",
    "fd_prestat_dir_name",
    "fd_prestat_get",
    "fd_pwrite",
    "fd_read",
    "fd_readdir",
    "fd_renumber",
    "fd_seek",
    "fd_sync",
    "fd_tell",
    "fd_write",
    "path_create_directory",
    "path_filestat_get",
    "path_filestat_set_times",
    "path_link",
    "path_open",
    "path_readlink",
    "path_remove_directory",
    "path_rename",
    "path_symlink",
    "path_unlink_file",
    "poll_oneoff",
    "proc_exit",
    "proc_raise",
    "random_get",
    "sched_yield",
    "sock_accept",
    "sock_recv",
    "sock_send",
    "sock_shutdown",
];
