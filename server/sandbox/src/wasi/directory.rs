//! Calls on the private directory and on the names in it.

use wasmtime::Linker;

use super::descriptors::{DIRECTORY, Descriptor, OpenFile};
use super::files::name_in;
use super::open_files::{LISTED_KIND, directory_status, regular_status};
use super::{CallFailure, Called, Errno, MODULE, Program, answer, guest};
use crate::host::{Host, charge};

/// The path of the directory. Both `notes.txt` and `/notes.txt` are names in it.
const PATH: &[u8] = b"/";

/// The longest path, in bytes.
const LONGEST_PATH: u32 = 4096;

/// Flags of `path_open`.
const CREATE: u32 = 1;
const ONLY_DIRECTORY: u32 = 2;
const EXCLUSIVE: u32 = 4;
const TRUNCATE: u32 = 8;

/// Rights of `path_open`.
const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 6;

/// A path in the memory of the program: where it is, and its length.
type PathAt = (u32, u32);

pub(super) fn link(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "fd_prestat_get", |mut program: Program<'_>, fd: u32, at: u32| {
        answer(opened(&mut program, fd, at))
    })?;
    linker.func_wrap(
        MODULE,
        "fd_prestat_dir_name",
        |mut program: Program<'_>, fd: u32, at: u32, length: u32| {
            answer(opened_name(&mut program, fd, (at, length)))
        },
    )?;
    linker.func_wrap(
        MODULE,
        "path_open",
        |mut program: Program<'_>,
         fd: u32,
         _: u32,
         at: u32,
         length: u32,
         how: u32,
         rights: u64,
         _: u64,
         flags: u32,
         result: u32| { answer(open(&mut program, fd, (at, length), (how, rights, flags), result)) },
    )?;
    linker.func_wrap(
        MODULE,
        "path_filestat_get",
        |mut program: Program<'_>, fd: u32, _: u32, at: u32, length: u32, result: u32| {
            answer(status(&mut program, fd, (at, length), result))
        },
    )?;
    linker.func_wrap(
        MODULE,
        "path_unlink_file",
        |mut program: Program<'_>, fd: u32, at: u32, length: u32| {
            answer(remove(&mut program, fd, (at, length)))
        },
    )?;
    linker.func_wrap(
        MODULE,
        "path_rename",
        |mut program: Program<'_>, fd: u32, at: u32, length: u32, to_fd: u32, to: u32, to_length: u32| {
            answer(rename(&mut program, (fd, to_fd), (at, length), (to, to_length)))
        },
    )?;
    linker.func_wrap(
        MODULE,
        "fd_readdir",
        |mut program: Program<'_>, fd: u32, at: u32, length: u32, from: u64, result: u32| {
            answer(list(&mut program, fd, (at, length), from, result))
        },
    )?;
    Ok(())
}

fn opened(program: &mut Program<'_>, fd: u32, at: u32) -> Called {
    charge(program, 0)?;
    if fd != DIRECTORY {
        return Err(Errno::BADF.into());
    }
    // The kind 0 is a directory; then the length of its path.
    guest::write_u64(program, at, (PATH.len() as u64) << 32)
}

fn opened_name(program: &mut Program<'_>, fd: u32, (at, length): PathAt) -> Called {
    charge(program, PATH.len())?;
    if fd != DIRECTORY {
        return Err(Errno::BADF.into());
    }
    guest::write(program, at, PATH.get(..length as usize).unwrap_or(PATH))
}

/// The name that a path of the program gives in the directory; `None`: the directory itself.
fn name(program: &mut Program<'_>, fd: u32, (at, length): PathAt) -> Result<Option<String>, CallFailure> {
    charge(program, length as usize)?;
    program.data().descriptors.directory(fd)?;
    if length > LONGEST_PATH {
        return Err(Errno::NAMETOOLONG.into());
    }
    Ok(name_in(guest::bytes(program, at, length)?)?.map(str::to_owned))
}

fn open(
    program: &mut Program<'_>,
    fd: u32,
    path: PathAt,
    (how, rights, flags): (u32, u64, u32),
    result: u32,
) -> Called {
    let name = name(program, fd, path)?;
    let host = program.data_mut();
    let Some(name) = name else {
        let number = host.descriptors.open(Descriptor::Directory)?;
        return guest::write_u32(program, result, number);
    };
    if how & ONLY_DIRECTORY != 0 {
        return Err(Errno::NOTDIR.into());
    }
    let mut files = host.files.lock();
    let file = match files.find(&name) {
        Ok(_) if how & CREATE != 0 && how & EXCLUSIVE != 0 => return Err(Errno::EXIST.into()),
        Ok(file) => file,
        Err(_) if how & CREATE != 0 => files.create(&name)?,
        Err(errno) => return Err(errno.into()),
    };
    if how & TRUNCATE != 0 {
        files.resize(file, 0)?;
    }
    drop(files);
    let (reads, writes) = (rights & READ != 0, rights & WRITE != 0);
    let open = OpenFile { file, at: 0, appends: flags & 1 != 0, reads, writes };
    let number = host.descriptors.open(Descriptor::File(open))?;
    guest::write_u32(program, result, number)
}

fn status(program: &mut Program<'_>, fd: u32, path: PathAt, result: u32) -> Called {
    let structure = match name(program, fd, path)? {
        Some(name) => {
            let files = program.data().files.lock();
            let file = files.find(&name)?;
            regular_status(file, files.content(file)?.len() as u64)
        }
        None => directory_status(),
    };
    guest::write(program, result, &structure)
}

fn remove(program: &mut Program<'_>, fd: u32, path: PathAt) -> Called {
    let name = name(program, fd, path)?.ok_or(Errno::ISDIR)?;
    Ok(program.data().files.lock().remove(&name)?)
}

fn rename(program: &mut Program<'_>, (fd, to_fd): (u32, u32), from: PathAt, to: PathAt) -> Called {
    let from = name(program, fd, from)?.ok_or(Errno::ISDIR)?;
    let to = name(program, to_fd, to)?.ok_or(Errno::ISDIR)?;
    Ok(program.data().files.lock().rename(&from, &to)?)
}

/// Writes entries: next place, number, length of the name, kind, and the name. The last one may be cut; the program then asks again.
fn list(program: &mut Program<'_>, fd: u32, (at, length): PathAt, from: u64, result: u32) -> Called {
    charge(program, length as usize)?;
    program.data().descriptors.directory(fd)?;
    let length = guest::bytes(program, at, length)?.len();
    let from = usize::try_from(from).map_err(|_| Errno::INVAL)?;
    let mut bytes = Vec::new();
    for (place, (name, number)) in program.data().files.lock().list(from).enumerate() {
        if bytes.len() >= length {
            break;
        }
        bytes.extend(((from + place + 1) as u64).to_le_bytes());
        bytes.extend(number.to_le_bytes());
        bytes.extend(u32::try_from(name.len()).unwrap_or(0).to_le_bytes());
        bytes.extend(u32::from(LISTED_KIND).to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    bytes.truncate(length);
    guest::write(program, at, &bytes)?;
    guest::write_u32(program, result, u32::try_from(bytes.len()).unwrap_or(u32::MAX))
}
