//! Calls on what is open: its kind, its size, its place, its end.

use wasmtime::Linker;

use super::descriptors::{Descriptor, OpenFile};
use super::{Called, Errno, MODULE, Program, answer, guest};
use crate::host::{Host, charge};

/// Kinds of files of the specification.
const UNKNOWN: u8 = 0;
const IS_DIRECTORY: u8 = 3;
const REGULAR: u8 = 4;

/// The flag of a file whose writes go to its end.
const APPEND: u16 = 1;

/// All rights; a refused call says what is missing.
const RIGHTS: u64 = (1 << 30) - 1;

/// The rights without those to move in a stream, which tell the C library that a stream is no terminal.
const STREAM_RIGHTS: u64 = RIGHTS & !(1 << 2) & !(1 << 5);

pub(super) fn link(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "fd_close", |mut program: Program<'_>, fd: u32| {
        answer(close(&mut program, fd)) //
    })?;
    linker.func_wrap(
        MODULE,
        "fd_seek",
        |mut program: Program<'_>, fd: u32, by: i64, from: u32, at: u32| {
            answer(seek(&mut program, fd, (by, from), at))
        },
    )?;
    linker.func_wrap(MODULE, "fd_tell", |mut program: Program<'_>, fd: u32, at: u32| {
        answer(seek(&mut program, fd, (0, 1), at))
    })?;
    linker.func_wrap(MODULE, "fd_fdstat_get", |mut program: Program<'_>, fd: u32, at: u32| {
        answer(state(&mut program, fd, at))
    })?;
    linker.func_wrap(MODULE, "fd_fdstat_set_flags", |mut program: Program<'_>, fd: u32, flags: u32| {
        answer(set_flags(&mut program, fd, flags))
    })?;
    linker.func_wrap(MODULE, "fd_filestat_get", |mut program: Program<'_>, fd: u32, at: u32| {
        answer(status(&mut program, fd, at))
    })?;
    linker.func_wrap(MODULE, "fd_filestat_set_size", |mut program: Program<'_>, fd: u32, size: u64| {
        answer(set_size(&mut program, fd, size))
    })?;
    for name in ["fd_sync", "fd_datasync"] {
        linker
            .func_wrap(MODULE, name, |mut program: Program<'_>, fd: u32| answer(known(&mut program, fd)))?;
    }
    Ok(())
}

/// A call that has nothing to do but to check the number.
fn known(program: &mut Program<'_>, fd: u32) -> Called {
    charge(program, 0)?;
    program.data().descriptors.get(fd)?;
    Ok(())
}

fn close(program: &mut Program<'_>, fd: u32) -> Called {
    charge(program, 0)?;
    Ok(program.data_mut().descriptors.close(fd)?)
}

fn seek(program: &mut Program<'_>, fd: u32, (by, from): (i64, u32), result: u32) -> Called {
    charge(program, 0)?;
    let host = program.data_mut();
    let open = host.descriptors.file(fd)?;
    let base = match from {
        0 => 0,
        1 => open.at,
        2 => host.files.lock().content(open.file)?.len() as u64,
        _ => return Err(Errno::INVAL.into()),
    };
    let at = base.checked_add_signed(by).ok_or(Errno::INVAL)?;
    open.at = at;
    guest::write_u64(program, result, at)
}

fn state(program: &mut Program<'_>, fd: u32, at: u32) -> Called {
    charge(program, 0)?;
    let (kind, rights, flags) = match program.data().descriptors.get(fd)? {
        Descriptor::Directory => (IS_DIRECTORY, RIGHTS, 0),
        Descriptor::File(open) => (REGULAR, RIGHTS, if open.appends { APPEND } else { 0 }),
        _ => (UNKNOWN, STREAM_RIGHTS, 0),
    };
    let mut structure = [0; 24];
    let (start, rest) = structure.split_at_mut(8);
    let [first, _, low, high, ..] = start else { return Err(Errno::FAULT.into()) };
    *first = kind;
    [*low, *high] = flags.to_le_bytes();
    for part in rest.as_chunks_mut::<8>().0 {
        *part = rights.to_le_bytes();
    }
    guest::write(program, at, &structure)
}

fn set_flags(program: &mut Program<'_>, fd: u32, flags: u32) -> Called {
    known(program, fd)?;
    if let Ok(open) = program.data_mut().descriptors.file(fd) {
        open.appends = flags & u32::from(APPEND) != 0;
    }
    Ok(())
}

fn status(program: &mut Program<'_>, fd: u32, at: u32) -> Called {
    charge(program, 0)?;
    let host = program.data();
    let structure = match host.descriptors.get(fd)? {
        Descriptor::Directory => file_status(IS_DIRECTORY, 0, 0),
        Descriptor::File(OpenFile { file, .. }) => {
            file_status(REGULAR, *file, host.files.lock().content(*file)?.len() as u64)
        }
        _ => file_status(UNKNOWN, 0, 0),
    };
    guest::write(program, at, &structure)
}

fn set_size(program: &mut Program<'_>, fd: u32, size: u64) -> Called {
    let size = usize::try_from(size).map_err(|_| Errno::NOSPC)?;
    charge(program, size)?;
    let host = program.data_mut();
    let open = host.descriptors.file(fd)?;
    if !open.writes {
        return Err(Errno::BADF.into());
    }
    host.files.lock().resize(open.file, size)?;
    Ok(())
}

/// The structure `filestat`: device, number, kind, links, size, and three times, which are 0.
fn file_status(kind: u8, number: u64, size: u64) -> [u8; 64] {
    let mut structure = [0; 64];
    let words = structure.as_chunks_mut::<8>().0;
    if let [_, number_at, kind_at, links, size_at, ..] = words {
        *number_at = number.to_le_bytes();
        *kind_at = u64::from(kind).to_le_bytes();
        *links = 1_u64.to_le_bytes();
        *size_at = size.to_le_bytes();
    }
    structure
}

/// The status of a regular file.
pub(super) fn regular_status(number: u64, size: u64) -> [u8; 64] {
    file_status(REGULAR, number, size)
}

/// The status of the private directory.
pub(super) fn directory_status() -> [u8; 64] {
    file_status(IS_DIRECTORY, 0, 0)
}

/// The kind of a regular file, as a list of the directory names it.
pub(super) const LISTED_KIND: u8 = REGULAR;
