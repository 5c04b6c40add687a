//! Reading and writing. Standard input pauses the program until there is a line; a complete line of output pauses it too, so that the
//! referee can answer.

use wasmtime::Linker;

use super::descriptors::Descriptor;
use super::{CallFailure, Called, Errno, MODULE, Program, answer, guest};
use crate::host::{Host, Stop, charge, pause};
use crate::instance::Pause;

/// The most that one call writes; the C library calls again for the rest.
const MOST_WRITTEN: usize = 64 * 1024;

pub(super) fn link(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    type Buffers = (u32, u32, u32, u32);
    linker.func_wrap_async(
        MODULE,
        "fd_read",
        |mut program: Program<'_>, (fd, list, number, done): Buffers| {
            Box::new(async move { answer(read(&mut program, fd, (list, number), done).await) })
        },
    )?;
    linker.func_wrap_async(
        MODULE,
        "fd_write",
        |mut program: Program<'_>, (fd, list, number, done): Buffers| {
            Box::new(async move { answer(write(&mut program, fd, (list, number), done).await) })
        },
    )?;
    Ok(())
}

async fn read(program: &mut Program<'_>, fd: u32, list: (u32, u32), done: u32) -> Called {
    let buffers = guest::buffers(program, list.0, list.1)?;
    let what = program.data().descriptors.get(fd)?.clone();
    if what == Descriptor::Input && buffers.iter().any(|(_, length)| *length > 0) {
        while !input_is_ready(program) {
            pause(program, Pause::Waits).await?;
        }
    }
    let mut count = 0;
    for (at, length) in buffers {
        let bytes = match &what {
            Descriptor::Input => take_input(program, length),
            Descriptor::File(_) => read_file(program, fd, length)?,
            Descriptor::Directory => return Err(Errno::ISDIR.into()),
            Descriptor::Output | Descriptor::Errors => return Err(Errno::BADF.into()),
        };
        guest::write(program, at, &bytes)?;
        count += bytes.len();
        if bytes.len() < length as usize {
            break;
        }
    }
    charge(program, count)?;
    guest::write_u32(program, done, u32::try_from(count).unwrap_or(u32::MAX))
}

/// Whether a read of standard input returns at once.
pub(super) fn input_is_ready(program: &Program<'_>) -> bool {
    let exchange = program.data().channel.lock();
    exchange.input_ends || !exchange.input.is_empty()
}

fn take_input(program: &Program<'_>, length: u32) -> Vec<u8> {
    let input = &mut program.data().channel.lock().input;
    let length = input.len().min(length as usize);
    input.drain(..length).collect()
}

fn read_file(program: &mut Program<'_>, fd: u32, length: u32) -> Result<Vec<u8>, CallFailure> {
    let host = program.data_mut();
    let open = host.descriptors.file(fd)?;
    if !open.reads {
        return Err(Errno::BADF.into());
    }
    let files = host.files.lock();
    let content = files.content(open.file)?;
    let start = usize::try_from(open.at).unwrap_or(usize::MAX).min(content.len());
    let end = start.saturating_add(length as usize).min(content.len());
    open.at += (end - start) as u64;
    Ok(content.get(start..end).unwrap_or_default().to_vec())
}

async fn write(program: &mut Program<'_>, fd: u32, list: (u32, u32), done: u32) -> Called {
    let buffers = guest::buffers(program, list.0, list.1)?;
    let mut bytes = Vec::new();
    for (at, length) in buffers {
        let room = MOST_WRITTEN - bytes.len();
        let length = length.min(u32::try_from(room).unwrap_or(0));
        bytes.extend_from_slice(guest::bytes(program, at, length)?);
    }
    charge(program, bytes.len())?;
    // Before anything is written: a program that is told nothing of a write would write again.
    guest::write_u32(program, done, u32::try_from(bytes.len()).unwrap_or(u32::MAX))?;
    match program.data().descriptors.get(fd)?.clone() {
        Descriptor::Output => {
            let (fits, complete) = {
                let mut exchange = program.data().channel.lock();
                let fits = exchange.write(&bytes);
                (fits, !exchange.lines.is_empty())
            };
            if !fits {
                return Err(wasmtime::Error::from(Stop::LineTooLong).into());
            }
            if complete {
                pause(program, Pause::Wrote).await?;
            }
            Ok(())
        }
        Descriptor::Errors => {
            program.data().channel.lock().write_error(&bytes);
            Ok(())
        }
        Descriptor::File(_) => write_file(program, fd, &bytes),
        Descriptor::Input => Err(Errno::BADF.into()),
        Descriptor::Directory => Err(Errno::ISDIR.into()),
    }
}

fn write_file(program: &mut Program<'_>, fd: u32, bytes: &[u8]) -> Called {
    let host = program.data_mut();
    let open = host.descriptors.file(fd)?;
    if !open.writes {
        return Err(Errno::BADF.into());
    }
    let mut files = host.files.lock();
    if open.appends {
        open.at = files.content(open.file)?.len() as u64;
    }
    files.write(open.file, open.at, bytes)?;
    open.at += bytes.len() as u64;
    Ok(())
}
