//! The program's surroundings: its arguments, environment, clock and random numbers, and its end.

use rand_core::Rng;
use wasmtime::Linker;

use super::{Called, Errno, MODULE, Program, answer, guest};
use crate::host::{Host, Stop, charge, clock_ns};

/// The only argument: the program's own name, with the zero that ends it.
const NAME: &[u8] = b"bot\0";

/// The wall clock and the monotonic one; there is no other.
const CLOCKS: [u32; 2] = [0, 1];

/// When the wall clock of every match begins, in nanoseconds since 1970: the first second of 2024, UTC.
const BEGINNING_NS: u64 = 1_704_067_200_000_000_000;

pub(super) fn link(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "args_sizes_get", |mut program: Program<'_>, number: u32, bytes: u32| {
        answer(sizes(&mut program, (number, 1), (bytes, NAME.len())))
    })?;
    linker.func_wrap(MODULE, "args_get", |mut program: Program<'_>, list: u32, text: u32| {
        answer(arguments(&mut program, list, text))
    })?;
    linker.func_wrap(MODULE, "environ_sizes_get", |mut program: Program<'_>, number: u32, bytes: u32| {
        answer(sizes(&mut program, (number, 0), (bytes, 0)))
    })?;
    linker.func_wrap(MODULE, "environ_get", |mut program: Program<'_>, _: u32, _: u32| {
        answer(charge(&mut program, 0).map_err(Into::into))
    })?;
    linker.func_wrap(MODULE, "clock_res_get", |mut program: Program<'_>, clock: u32, at: u32| {
        answer(resolution(&mut program, clock, at))
    })?;
    linker.func_wrap(MODULE, "clock_time_get", |mut program: Program<'_>, clock: u32, _: u64, at: u32| {
        answer(time(&mut program, clock, at))
    })?;
    linker.func_wrap(MODULE, "random_get", |mut program: Program<'_>, at: u32, length: u32| {
        answer(random(&mut program, at, length))
    })?;
    linker.func_wrap(MODULE, "sched_yield", |mut program: Program<'_>| {
        answer(charge(&mut program, 0).map_err(Into::into))
    })?;
    linker.func_wrap(MODULE, "proc_exit", |_: Program<'_>, code: u32| -> wasmtime::Result<()> {
        Err(Stop::Exit(code).into())
    })?;
    Ok(())
}

fn sizes(program: &mut Program<'_>, number: (u32, u32), bytes: (u32, usize)) -> Called {
    charge(program, 0)?;
    guest::write_u32(program, number.0, number.1)?;
    guest::write_u32(program, bytes.0, u32::try_from(bytes.1).unwrap_or(0))
}

fn arguments(program: &mut Program<'_>, list: u32, text: u32) -> Called {
    charge(program, NAME.len())?;
    guest::write_u32(program, list, text)?;
    guest::write(program, text, NAME)
}

fn resolution(program: &mut Program<'_>, clock: u32, at: u32) -> Called {
    charge(program, 0)?;
    if !CLOCKS.contains(&clock) {
        return Err(Errno::INVAL.into());
    }
    guest::write_u64(program, at, 1)
}

fn time(program: &mut Program<'_>, clock: u32, at: u32) -> Called {
    charge(program, 0)?;
    let now = clock_ns(program)?;
    let ns = match clock {
        0 => BEGINNING_NS.saturating_add(now),
        1 => now,
        _ => return Err(Errno::INVAL.into()),
    };
    guest::write_u64(program, at, ns)
}

fn random(program: &mut Program<'_>, at: u32, length: u32) -> Called {
    let mut bytes = vec![0; guest::bytes(program, at, length)?.len()];
    charge(program, bytes.len())?;
    program.data_mut().random.fill_bytes(&mut bytes);
    guest::write(program, at, &bytes)
}
