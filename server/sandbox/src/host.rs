//! What the calls of the system know of the program that makes them.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use wasmtime::Caller;

use crate::channel::Channel;
use crate::fuel::{BYTE, CALL, time_of};
use crate::instance::Pause;
use crate::memory::MemoryLimits;
use crate::wasi::descriptors::Descriptors;
use crate::wasi::files::PrivateFiles;

/// The state of one program.
pub(crate) struct Host {
    pub(crate) channel: Channel,
    pub(crate) files: PrivateFiles,
    pub(crate) descriptors: Descriptors,
    pub(crate) random: ChaCha20Rng,
    pub(crate) limits: MemoryLimits,
    /// The fuel that programs of this seat had used before this one began.
    before: u64,
    /// The fuel that this program has used before it was last resumed.
    spent: u64,
    /// The fuel that it had when it was last resumed.
    granted: u64,
}

/// Ends a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Stop {
    /// It has ended itself.
    #[error("exit {0}")]
    Exit(u32),
    /// It has written a line that is too long.
    #[error("a line is too long")]
    LineTooLong,
    /// All programs together have no more memory.
    #[error("no memory is left for programs")]
    NoRoom,
    /// It has done what no program may.
    #[error("{0}")]
    Forbidden(String),
}

impl Host {
    pub(crate) fn new(
        channel: Channel,
        files: PrivateFiles,
        seed: [u8; 32],
        before: u64,
        limits: MemoryLimits,
    ) -> Self {
        Self {
            channel,
            files,
            descriptors: Descriptors::default(),
            random: ChaCha20Rng::from_seed(seed),
            limits,
            before,
            spent: 0,
            granted: 0,
        }
    }

    /// The program goes on with this much fuel.
    pub(crate) fn resumes(&mut self, fuel: u64) {
        self.granted = fuel;
    }

    /// What it has used since it was resumed, if it has this much left.
    pub(crate) fn used(&self, left: u64) -> u64 {
        self.granted.saturating_sub(left)
    }
}

/// Charges a call of the system that copies this many bytes.
pub(crate) fn charge(caller: &mut Caller<'_, Host>, bytes: usize) -> wasmtime::Result<()> {
    // A program may name a size that nothing has.
    spend(caller, CALL.saturating_add(BYTE.saturating_mul(bytes as u64)))
}

/// Takes fuel from the program.
///
/// # Errors
/// `OutOfFuel` if it has less.
pub(crate) fn spend(caller: &mut Caller<'_, Host>, fuel: u64) -> wasmtime::Result<()> {
    let left = caller.get_fuel()?;
    caller.set_fuel(left.saturating_sub(fuel))?;
    if left < fuel { Err(wasmtime::Trap::OutOfFuel.into()) } else { Ok(()) }
}

/// The clock of the program, in nanoseconds: the fuel that its seat has used in this match.
pub(crate) fn clock_ns(caller: &Caller<'_, Host>) -> wasmtime::Result<u64> {
    let host = caller.data();
    let fuel = host.before.saturating_add(host.spent).saturating_add(host.used(caller.get_fuel()?));
    Ok(u64::try_from(time_of(fuel).as_nanos()).unwrap_or(u64::MAX))
}

/// Pauses the program until it is resumed.
pub(crate) async fn pause(caller: &mut Caller<'_, Host>, why: Pause) -> wasmtime::Result<()> {
    let used = caller.data().used(caller.get_fuel()?);
    let host = caller.data_mut();
    host.spent = host.spent.saturating_add(used);
    let channel = host.channel.clone();
    {
        let mut exchange = channel.lock();
        exchange.pause = Some(why);
        exchange.used = used;
    }
    let mut paused = false;
    std::future::poll_fn(|_| match std::mem::replace(&mut paused, true) {
        false => std::task::Poll::Pending,
        true => std::task::Poll::Ready(()),
    })
    .await;
    // `Instance::resume` leaves a grant before it polls.
    let fuel = channel.lock().grant.take().unwrap_or(0);
    caller.data_mut().resumes(fuel);
    caller.set_fuel(fuel)?;
    Ok(())
}
