//! Waiting: for a time, or for input. A program that sleeps spends the time of its clock.

use wasmtime::Linker;

use super::descriptors::Descriptor;
use super::streams::input_is_ready;
use super::{CallFailure, Called, Errno, MODULE, Program, answer, guest};
use crate::fuel::fuel_of;
use crate::host::{Host, charge, clock_ns, pause, spend};
use crate::instance::Pause;

/// The sizes of what a program asks for and of what it is told, in bytes.
const SUBSCRIPTION: u32 = 48;
const EVENT: usize = 32;

/// The most that one call may ask for.
const MOST: u32 = 64;

/// Kinds of what a program asks for.
const CLOCK: u8 = 0;
const READS: u8 = 1;
const WRITES: u8 = 2;

/// Something that the program waits for.
#[derive(Clone, Copy)]
struct Wanted {
    user: u64,
    kind: u8,
    /// What it waits for on a stream.
    fd: u32,
    /// When it comes, by the clock of the program; only of a time.
    at_ns: u64,
}

pub(super) fn link(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    type Lists = (u32, u32, u32, u32);
    linker.func_wrap_async(
        MODULE,
        "poll_oneoff",
        |mut program: Program<'_>, (from, to, number, done): Lists| {
            Box::new(async move { answer(poll(&mut program, (from, number), to, done).await) })
        },
    )?;
    Ok(())
}

async fn poll(program: &mut Program<'_>, (from, number): (u32, u32), to: u32, done: u32) -> Called {
    if number == 0 || number > MOST {
        return Err(Errno::INVAL.into());
    }
    charge(program, (number * SUBSCRIPTION) as usize)?;
    let wanted = wanted(program, from, number)?;
    let first = wanted.iter().filter(|one| one.kind == CLOCK).map(|one| one.at_ns).min();
    loop {
        let now = clock_ns(program)?;
        let mut told = Vec::new();
        for one in &wanted {
            if let Some(errno) = ready(program, one, now)? {
                told.push((one, errno));
            }
        }
        if !told.is_empty() {
            return tell(program, to, &told, done);
        }
        match first {
            // Input comes only while a program waits for it alone, so its time passes.
            Some(at) => spend(program, fuel_of(std::time::Duration::from_nanos(at - now)))?,
            None => pause(program, Pause::Waits).await?,
        }
    }
}

fn wanted(program: &mut Program<'_>, from: u32, number: u32) -> Result<Vec<Wanted>, CallFailure> {
    let now = clock_ns(program)?;
    let list = guest::bytes(program, from, number * SUBSCRIPTION)?;
    let one = |structure: &[u8]| {
        let (time, is_moment) = (guest::u64_at(structure, 24), guest::u32_at(structure, 40) & 1 != 0);
        Wanted {
            user: guest::u64_at(structure, 0),
            kind: structure.get(8).copied().unwrap_or(u8::MAX),
            fd: guest::u32_at(structure, 16),
            at_ns: if is_moment { time } else { now.saturating_add(time) },
        }
    };
    Ok(list.chunks_exact(SUBSCRIPTION as usize).map(one).collect())
}

/// What the program is told of something that has come; `None`: it has not.
fn ready(program: &Program<'_>, one: &Wanted, now: u64) -> Result<Option<Errno>, CallFailure> {
    let stream = program.data().descriptors.get(one.fd);
    Ok(match one.kind {
        CLOCK => (one.at_ns <= now).then_some(Errno::SUCCESS),
        READS | WRITES => match stream {
            Err(errno) => Some(errno),
            Ok(Descriptor::Input) if one.kind == READS => input_is_ready(program).then_some(Errno::SUCCESS),
            Ok(_) => Some(Errno::SUCCESS),
        },
        _ => return Err(Errno::INVAL.into()),
    })
}

fn tell(program: &mut Program<'_>, to: u32, told: &[(&Wanted, Errno)], done: u32) -> Called {
    let mut bytes = Vec::with_capacity(told.len() * EVENT);
    for (one, errno) in told {
        bytes.extend(one.user.to_le_bytes());
        bytes.extend((errno.0 as u16).to_le_bytes());
        bytes.extend([one.kind, 0, 0, 0, 0, 0]);
        // For a stream: that there is at least a byte.
        bytes.extend(u64::from(one.kind != CLOCK).to_le_bytes());
        bytes.extend([0; 8]);
    }
    guest::write(program, to, &bytes)?;
    guest::write_u32(program, done, u32::try_from(told.len()).unwrap_or(0))
}
